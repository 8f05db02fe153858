//! The journal of duplicates closed in trackers.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Reader, Writer, invalid_value, time};
use precedent_core::{
    error::Result,
    model::{ClosureRecord, ClosureStep},
};

const COLUMNS: &str = "key, canonical_key, step, comment_url, problem, actor, began_at, changed_at";

type Raw = (ClosureRecord, String, i64, i64);

fn read_row(r: &Row<'_>) -> rusqlite::Result<Raw> {
    let record = ClosureRecord {
        key: r.get(0)?,
        canonical: r.get(1)?,
        step: ClosureStep::Refused,
        comment_url: r.get(3)?,
        problem: r.get(4)?,
        actor: r.get(5)?,
        began_at: Timestamp::UNIX_EPOCH,
        changed_at: Timestamp::UNIX_EPOCH,
    };
    Ok((record, r.get(2)?, r.get(6)?, r.get(7)?))
}

fn whole((record, step, began, changed_at): Raw) -> Result<ClosureRecord> {
    let step =
        ClosureStep::parse(&step).ok_or_else(|| invalid_value("an unknown step of a closure"))?;
    Ok(ClosureRecord { step, began_at: time(began)?, changed_at: time(changed_at)?, ..record })
}

impl Reader<'_> {
    /// Returns the journal entry for a pair.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn closure(&self, key: &str, canonical: &str) -> Result<Option<ClosureRecord>> {
        let sql = format!("SELECT {COLUMNS} FROM closures WHERE key = ?1 AND canonical_key = ?2");
        let row = self
            .transaction
            .prepare_cached(&sql)?
            .query_row([key, canonical], read_row)
            .optional()?;
        row.map(whole).transpose()
    }

    /// Returns the whole journal, latest change first, then by key.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn closures(&self) -> Result<Vec<ClosureRecord>> {
        let sql =
            format!("SELECT {COLUMNS} FROM closures ORDER BY changed_at DESC, key, canonical_key");
        let mut statement = self.transaction.prepare_cached(&sql)?;
        statement.query_map([], read_row)?.map(|r| whole(r?)).collect()
    }
}

impl Writer<'_> {
    /// Stores the progress of a closure; its start time is kept.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn put_closure(&self, record: &ClosureRecord) -> Result<()> {
        self.transaction
            .prepare_cached(&format!(
                "INSERT INTO closures ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                 ON CONFLICT (key, canonical_key) DO UPDATE SET step = excluded.step,
                 problem = excluded.problem,
                     comment_url = coalesce(excluded.comment_url, comment_url), actor = excluded.actor,
                     changed_at = excluded.changed_at"
            ))?
            .execute(params![
                record.key,
                record.canonical,
                record.step.as_str(),
                record.comment_url,
                record.problem,
                record.actor,
                record.began_at.as_second(),
                record.changed_at.as_second()
            ])?;
        Ok(())
    }
}
