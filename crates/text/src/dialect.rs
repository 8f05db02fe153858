//! The Markdown dialect.

use pulldown_cmark::Options;

/// The options for the Markdown of trackers: CommonMark with GitHub's tables, strikethrough, task
/// lists and footnotes.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM);
