//! The ranking methods under evaluation.

use precedent_core::model::Ranking;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A ranking method.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Arm {
    /// Full-text search.
    Lexical,
    /// Semantic search.
    Semantic,
    /// Hybrid search: full-text and semantic.
    Hybrid,
    /// Duplicate detection.
    Duplicates,
    /// Duplicate detection with periodic calibration: each query uses weights fitted on earlier
    /// reports.
    Calibrated,
}

impl Arm {
    /// All methods, each after those that it builds on.
    pub const ALL: [Self; 5] =
        [Self::Lexical, Self::Semantic, Self::Hybrid, Self::Duplicates, Self::Calibrated];

    /// Returns the name used in commands and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Lexical => "lexical",
            Self::Semantic => "semantic",
            Self::Hybrid => "hybrid",
            Self::Duplicates => "duplicates",
            Self::Calibrated => "calibrated",
        }
    }

    /// Parses a name that [`Arm::name`] returned.
    pub fn parse(name: &str) -> std::result::Result<Self, String> {
        let names = || Self::ALL.map(Self::name).join(", ");
        Self::ALL
            .into_iter()
            .find(|a| a.name() == name)
            .ok_or_else(|| format!("must be one of {}", names()))
    }

    /// Returns whether this method builds on `base`.
    pub fn builds_on(self, base: Self) -> bool {
        match self {
            Self::Lexical | Self::Semantic => false,
            Self::Hybrid => matches!(base, Self::Lexical | Self::Semantic),
            Self::Duplicates => base.is_search(),
            Self::Calibrated => base == Self::Duplicates,
        }
    }

    /// Returns whether this is a search method, unlike the duplicate check.
    pub fn is_search(self) -> bool {
        matches!(self, Self::Lexical | Self::Semantic | Self::Hybrid)
    }

    /// Returns the ranking to request from the casebook.
    pub fn ranking(self) -> Ranking {
        match self {
            Self::Lexical => Ranking::Lexical,
            Self::Semantic => Ranking::Semantic,
            Self::Hybrid => Ranking::Hybrid,
            Self::Duplicates | Self::Calibrated => Ranking::Duplicates,
        }
    }
}
