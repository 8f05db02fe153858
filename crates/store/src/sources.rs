//! Mirrored projects.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Reader, Writer, invalid_value};
use precedent_core::error::Result;

/// A row of `sources`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceRow {
    /// Row id.
    pub id: i64,
    /// Human key: `owner/name`.
    pub key: String,
    /// The tracker's kind.
    pub kind: String,
    /// Time at which it was added.
    pub added_at: Timestamp,
    /// Time at which it last received a record.
    pub changed_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, key, kind, added_at, changed_at";

fn read_row(row: &Row<'_>) -> rusqlite::Result<(i64, String, String, i64, Option<i64>)> {
    Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
}

fn source(
    (id, key, kind, added_at, changed_at): (i64, String, String, i64, Option<i64>),
) -> Result<SourceRow> {
    Ok(SourceRow {
        id,
        key,
        kind,
        added_at: super::time(added_at)?,
        changed_at: changed_at.map(super::time).transpose()?,
    })
}

impl Reader<'_> {
    /// Returns all sources except that of the notes, ordered by key.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn sources(&self) -> Result<Vec<SourceRow>> {
        let mut statement = self.transaction.prepare(&format!(
            "SELECT {COLUMNS} FROM sources WHERE kind <> 'notes' ORDER BY key"
        ))?;
        let rows = statement.query_map([], read_row)?;
        rows.map(|r| source(r?)).collect()
    }

    /// Returns the source with this key, ignoring case.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn source(&self, key: &str) -> Result<Option<SourceRow>> {
        self.transaction
            .query_row(&format!("SELECT {COLUMNS} FROM sources WHERE key = ?1"), [key], read_row)
            .optional()?
            .map(source)
            .transpose()
    }

    /// Returns the row ids of a source's items without tombstones, ascending; with `numbers`, only
    /// of those items.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn item_ids(&self, source: i64, numbers: Option<&[u64]>) -> Result<Vec<i64>> {
        let select = "SELECT id FROM documents WHERE source_id = ?1 AND number IS NOT NULL AND deleted_at IS NULL";
        let Some(numbers) = numbers else {
            let mut statement =
                self.transaction.prepare_cached(&format!("{select} ORDER BY id"))?;
            let rows = statement.query_map([source], |r| r.get(0))?;
            return Ok(rows.collect::<rusqlite::Result<_>>()?);
        };
        let mut statement =
            self.transaction.prepare_cached(&format!("{select} AND number = ?2"))?;
        let mut out = Vec::new();
        for number in numbers {
            out.extend(
                statement.query_row(params![source, number], |r| r.get::<_, i64>(0)).optional()?,
            );
        }
        Ok(out)
    }

    /// Returns an item's number and its web address.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn item_address(&self, id: i64) -> Result<Option<(u64, Option<String>)>> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT number, url FROM documents WHERE id = ?1 AND number IS NOT NULL",
            )?
            .query_row([id], |r| Ok((r.get(0)?, r.get(1)?)))
            .optional()?)
    }
}

impl Writer<'_> {
    /// Adds a source, or returns the one that has this key.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn add_source(&self, key: &str, kind: &str, now: Timestamp) -> Result<SourceRow> {
        let count = self.transaction.execute(
            "INSERT INTO sources (key, kind, added_at) VALUES (?1, ?2, ?3) ON CONFLICT (key) DO NOTHING",
            params![key, kind, now.as_second()],
        )?;
        let source =
            self.source(key)?.ok_or_else(|| invalid_value("the source just added is missing"))?;
        if count > 0 {
            self.enter("sources", source.id, None)?;
        }
        Ok(source)
    }

    /// Sets the tracker kind of a source.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_kind(&self, id: i64, kind: &str) -> Result<()> {
        self.transaction
            .execute("UPDATE sources SET kind = ?2 WHERE id = ?1", params![id, kind])?;
        Ok(())
    }

    /// Sets the time at which a source last received a record.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn touch_source(&self, id: i64, now: Timestamp) -> Result<()> {
        self.transaction
            .prepare_cached("UPDATE sources SET changed_at = ?2 WHERE id = ?1")?
            .execute(params![id, now.as_second()])?;
        Ok(())
    }

    /// Removes a source with everything that was mirrored from it. Verdicts are user decisions:
    /// they stay, and count again if the source is added back.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn remove_source(&self, source: &SourceRow) -> Result<()> {
        self.next_revision()?;
        self.note_residue()?;
        for (table, key) in [
            ("links", "from_key"),
            ("checks", "key"),
            ("checks", "best_key"),
            ("check_candidates", "other_key"),
        ] {
            self.transaction.execute(
                &format!(
                    "DELETE FROM {table} WHERE {key} IN (SELECT key FROM documents WHERE source_id = ?1)"
                ),
                [source.id],
            )?;
        }
        // The journal of the last import contains its texts as well.
        self.transaction.execute(
            "DELETE FROM import_changes WHERE table_name = 'documents' AND row_id IN (SELECT id
             FROM documents WHERE source_id = ?1)
                 OR table_name = 'comments' AND row_id IN (SELECT id FROM comments
                 WHERE source_id = ?1)
                 OR table_name = 'sources' AND row_id = ?1",
            [source.id],
        )?;
        self.transaction.execute("DELETE FROM sources WHERE id = ?1", [source.id])?;
        Ok(())
    }
}
