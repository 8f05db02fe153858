//! The limits of requests, shared by settings and use cases.

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
pub const DEFAULT_ERRORS: usize = 10;
/// The maximum number of distinct log errors to look up.
pub const MAX_ERRORS: usize = 50;
