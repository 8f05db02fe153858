//! The result of checking a casebook for problems and repairing them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Hint;

/// The severity of a finding.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// A fact worth knowing that is not a problem.
    Notice,
    /// A problem that degrades answers or the privacy of the casebook.
    Warning,
    /// A problem that endangers mirrored data or verdicts, or makes the casebook unusable.
    Error,
}

/// A finding of a check.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Identifier for scripts: `orphan_rows`.
    pub id: String,
    /// Severity of the finding.
    pub severity: Severity,
    /// Description of the finding.
    pub what: String,
    /// Reason why it matters.
    pub why: String,
    /// Advice to resolve it.
    pub hint: Hint,
    /// `true` if `doctor --repair` can repair it.
    pub repairable: bool,
    /// `true` if this run repaired it.
    pub repaired: bool,
}

/// The result of a check of a casebook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Health {
    /// Path of the casebook's folder.
    pub casebook: String,
    /// Findings, most severe first.
    pub findings: Vec<Finding>,
    /// Descriptions of the checks that ran.
    pub checked: Vec<String>,
}

impl Health {
    /// Returns the number of unrepaired findings above [`Severity::Notice`].
    pub fn open_count(&self) -> usize {
        self.findings.iter().filter(|f| !f.repaired && f.severity > Severity::Notice).count()
    }
}
