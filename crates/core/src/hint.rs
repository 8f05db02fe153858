//! Hints: what a person can do about a problem.

use std::{fmt, fmt::Display};

use serde::{Deserialize, Serialize};

use crate::secret_filter;

/// An action that resolves a problem. Each interface has its own way to offer it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Remedy {
    /// Check the casebook and repair it.
    Repair,
    /// Update or rebuild the search index.
    Rebuild,
    /// Choose or install a model.
    Models,
    /// Change a source or its token.
    Sources,
    /// Add a source or import files.
    Add,
    /// See the notes.
    Notes,
}

/// A text with the action that resolves the problem, if one does.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Hint {
    /// Sentences without commands or options of the command line.
    pub text: String,
    /// Action that resolves the problem; absent if none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub remedy: Option<Remedy>,
    /// Commands or options that do what the last sentence advises; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
}

impl Hint {
    /// Sets the action, and what does the same on the command line.
    #[must_use]
    pub fn with_command(
        mut self,
        remedy: impl Into<Option<Remedy>>,
        command: impl Into<String>,
    ) -> Self {
        self.remedy = remedy.into();
        self.command = Some(mask(command.into()));
        self
    }

    /// Puts a sentence before the text.
    #[must_use]
    pub fn prepend(mut self, sentence: impl Display) -> Self {
        self.text = mask(format!("{sentence} {}", self.text).trim_end().to_owned());
        self
    }

    /// Returns the texts that may contain names.
    pub fn texts_mut(&mut self) -> impl Iterator<Item = &mut String> {
        [&mut self.text].into_iter().chain(&mut self.command)
    }
}

impl<T: Into<String>> From<T> for Hint {
    fn from(text: T) -> Self {
        Self { text: mask(text.into()), ..Self::default() }
    }
}

/// Appends the command: `Use another token: precedent login acme`.
impl Display for Hint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.command {
            Some(command) => write!(f, "{}: {command}", self.text.trim_end_matches('.')),
            None => f.write_str(&self.text),
        }
    }
}

pub(crate) fn mask(text: String) -> String {
    secret_filter::mask(&text).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn command_follows_the_text() {
        let token = || Hint::from("Use another token.");
        for (hint, expected) in [
            (token(), "Use another token."),
            (
                token().with_command(Remedy::Sources, "precedent login acme"),
                "Use another token: precedent login acme",
            ),
            (
                token().with_command(None, "gh auth login").prepend("It has expired."),
                "It has expired. Use another token: gh auth login",
            ),
            (Hint::default().prepend("No model."), "No model."),
        ] {
            assert_eq!(hint.to_string(), expected);
        }
    }
}
