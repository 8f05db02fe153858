//! The sample data: the tracker of an invented product, for a first try without network or files.

/// The source key of the sample.
pub const SOURCE: &str = "ferrywire/ferrywire";

/// The issues and pull requests, one record per line.
pub(crate) const ISSUES: &str = include_str!("../../../samples/ferrywire/issues.jsonl");
/// The comments, one record per line.
pub(crate) const COMMENTS: &str = include_str!("../../../samples/ferrywire/comments.jsonl");

macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../../samples/ferrywire/wiki/", $name, ".md")))),*]
    };
}

/// The wiki pages: name and text.
pub(crate) const PAGES: &[(&str, &str)] = pages![
    "Agent-troubleshooting",
    "Backup-and-restore",
    "Connector-API",
    "Error-codes",
    "Helm-chart",
    "Home",
    "Postgres-connector",
    "Schedules-and-windows",
    "Schema-changes",
    "Sizing-and-memory",
    "Support-checklist",
    "TLS-and-certificates",
    "Upgrading-from-2.x-to-3.x",
    "Warehouse-connector",
    "_Sidebar",
];
