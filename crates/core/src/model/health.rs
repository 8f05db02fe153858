//! What a check-up of a casebook found, and what was mended.

use serde::{Deserialize, Serialize};

/// How much a finding matters.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// Worth knowing; nothing is wrong.
    Notice,
    /// Answers are not what they could be, or the casebook is not as private as it should be.
    Warning,
    /// What was mirrored or decided is in danger, or the casebook cannot be used.
    Error,
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Finding {
    /// A name that scripts can look for: `orphan_rows`.
    pub id: String,
    /// How much it matters.
    pub severity: Severity,
    /// What is so.
    pub what: String,
    /// Why it matters.
    pub why: String,
    /// What to do about it.
    pub remedy: String,
    /// Whether `doctor --repair` mends it.
    pub repairable: bool,
    /// Whether it was mended just now.
    pub repaired: bool,
}

/// A check-up of a casebook.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Health {
    /// The casebook's folder.
    pub casebook: String,
    /// What was found, the worst first.
    pub findings: Vec<Finding>,
    /// What was looked at.
    pub checked: Vec<String>,
}

impl Health {
    /// How many findings there are that matter and were not mended.
    pub fn open(&self) -> usize {
        self.findings.iter().filter(|f| !f.repaired && f.severity > Severity::Notice).count()
    }
}
