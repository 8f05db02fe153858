//! The limits of requests. Settings and use cases share the same values.

/// The maximum number of search results.
pub const SEARCH: usize = 500;
/// The maximum number of reports in a queue.
pub const TRIAGE: usize = 500;
/// The maximum number of duplicate candidates.
pub const CANDIDATES: usize = 100;
/// The minimum and maximum number of solved cases.
pub const CASES: (usize, usize) = (1, 10);
/// The minimum and maximum length of all threads together, in characters.
pub const BUDGET: (usize, usize) = (1_000, 50_000);
/// The default number of distinct log errors to look up.
pub const ERRORS: usize = 10;
/// The maximum number of distinct log errors to look up.
pub const MAX_ERRORS: usize = 50;
