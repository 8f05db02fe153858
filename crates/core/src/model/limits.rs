//! How much can be asked for at once. What a setting may hold and what a use case takes are the same.

/// The most results of a search.
pub const SEARCH: usize = 500;
/// The most reports of a queue.
pub const TRIAGE: usize = 500;
/// The most candidates for duplicates.
pub const CANDIDATES: usize = 100;
/// The fewest and the most solved cases.
pub const CASES: (usize, usize) = (1, 10);
/// The fewest and the most characters of all threads together.
pub const BUDGET: (usize, usize) = (1_000, 50_000);
/// How many distinct errors of a log are asked about where nobody says how many.
pub const ERRORS: usize = 10;
/// The most distinct errors of a log that are asked about.
pub const MAX_ERRORS: usize = 50;
