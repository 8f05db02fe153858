//! The journal of duplicates closed on trackers.

use rusqlite::{Row, params};

use super::{Reader, Writer, parse_column, time};
use precedent_core::{
    error::Result,
    model::{ClosureRecord, parse_name},
};

const COLUMNS: &str = "key, canonical_key, step, comment_url, problem, actor, began_at, changed_at";

fn read_row(r: &Row<'_>) -> rusqlite::Result<ClosureRecord> {
    Ok(ClosureRecord {
        key: r.get(0)?,
        canonical: r.get(1)?,
        step: parse_column(r, 2, parse_name)?,
        comment_url: r.get(3)?,
        problem: r.get(4)?,
        actor: r.get(5)?,
        began_at: time(r, 6)?,
        changed_at: time(r, 7)?,
    })
}

impl Reader<'_> {
    /// Returns the journal entry for a pair.
    pub fn closure(&self, key: &str, canonical: &str) -> Result<Option<ClosureRecord>> {
        let sql = format!("SELECT {COLUMNS} FROM closures WHERE key = ?1 AND canonical_key = ?2");
        self.query_optional(&sql, [key, canonical], read_row)
    }

    /// Returns the whole journal, latest change first, then by key.
    pub fn closures(&self) -> Result<Vec<ClosureRecord>> {
        let sql =
            format!("SELECT {COLUMNS} FROM closures ORDER BY changed_at DESC, key, canonical_key");
        self.query_rows(&sql, [], read_row)
    }
}

impl Writer<'_> {
    /// Stores the progress of a closure and keeps the stored start time.
    pub fn put_closure(&self, record: &ClosureRecord) -> Result<()> {
        self.change(
            &format!(
                "INSERT INTO closures ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT (key, canonical_key) DO UPDATE SET step = excluded.step,
                 problem = excluded.problem,
                     comment_url = coalesce(excluded.comment_url, comment_url),
                     actor = excluded.actor,
                     changed_at = excluded.changed_at"
            ),
            params![
                record.key,
                record.canonical,
                record.step.as_str(),
                record.comment_url,
                record.problem,
                record.actor,
                record.began_at.as_second(),
                record.changed_at.as_second()
            ],
        )
    }
}
