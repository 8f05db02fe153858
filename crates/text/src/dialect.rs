//! The Markdown dialect.

use pulldown_cmark::Options;

/// The Markdown options for tracker text: CommonMark with GitHub's tables, strikethrough, task
/// lists, footnotes and alerts.
pub const OPTIONS: Options = Options::ENABLE_TABLES
    .union(Options::ENABLE_STRIKETHROUGH)
    .union(Options::ENABLE_TASKLISTS)
    .union(Options::ENABLE_FOOTNOTES)
    .union(Options::ENABLE_GFM);
