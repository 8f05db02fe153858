//! The ways of ranking that are judged.

use precedent_core::model::Ranking;
use serde::{Deserialize, Serialize};

/// A way of ranking.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Search by words.
    Lexical,
    /// Search by meaning.
    Semantic,
    /// Search by both.
    Hybrid,
    /// The check for duplicates.
    Duplicates,
    /// The same where `calibrate` is run from time to time: each report is asked with what earlier reports taught.
    Calibrated,
}

impl Arm {
    /// All of them, each after what it builds on.
    pub const ALL: [Self; 5] =
        [Self::Lexical, Self::Semantic, Self::Hybrid, Self::Duplicates, Self::Calibrated];

    /// As it is written in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Hybrid => "hybrid",
            Self::Duplicates => "duplicates",
            Self::Calibrated => "calibrated",
        }
    }

    /// Reads a name.
    pub fn parse(name: &str) -> std::result::Result<Self, String> {
        let known = || Self::ALL.map(Self::name).join(", ");
        Self::ALL.into_iter().find(|a| a.name() == name).ok_or_else(|| format!("must be one of {}", known()))
    }

    /// Whether it is made of this one: both arms of search, or the check that is calibrated.
    pub fn builds_on(self, other: Self) -> bool {
        match self {
            Self::Lexical | Self::Semantic => false,
            Self::Hybrid | Self::Duplicates => matches!(other, Self::Lexical | Self::Semantic),
            Self::Calibrated => other == Self::Duplicates,
        }
    }

    /// Whether it is a way to search.
    pub fn searches(self) -> bool {
        matches!(self, Self::Lexical | Self::Semantic | Self::Hybrid)
    }

    /// What the casebook is asked for.
    pub fn ranking(self) -> Ranking {
        match self {
            Self::Lexical => Ranking::Lexical,
            Self::Semantic => Ranking::Semantic,
            Self::Hybrid => Ranking::Hybrid,
            Self::Duplicates | Self::Calibrated => Ranking::Duplicates,
        }
    }
}
