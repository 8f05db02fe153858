//! Mirrored projects, and the lines of their issue templates.

use jiff::Timestamp;
use rusqlite::{Row, ToSql, params};

use super::{Reader, Writer, invalid_value, optional_time, time};
use precedent_core::error::Result;
use precedent_text::skeleton::Skeleton;

/// A row of `sources`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "columns of the table")]
pub struct SourceRow {
    pub id: i64,
    /// The key: `owner/name`.
    pub key: String,
    pub kind: String,
    pub added_at: Timestamp,
    /// Time at which it last received a record.
    pub changed_at: Option<Timestamp>,
}

const COLUMNS: &str = "id, key, kind, added_at, changed_at";

fn read_row(r: &Row<'_>) -> rusqlite::Result<SourceRow> {
    Ok(SourceRow {
        id: r.get(0)?,
        key: r.get(1)?,
        kind: r.get(2)?,
        added_at: time(r, 3)?,
        changed_at: optional_time(r, 4)?,
    })
}

impl Reader<'_> {
    /// Returns all sources except the notes, ordered by key.
    pub fn sources(&self) -> Result<Vec<SourceRow>> {
        let query = format!("SELECT {COLUMNS} FROM sources WHERE kind <> 'notes' ORDER BY key");
        self.query_rows(&query, [], read_row)
    }

    /// Returns the source with this key, ignoring case.
    pub fn source(&self, key: &str) -> Result<Option<SourceRow>> {
        let query = format!("SELECT {COLUMNS} FROM sources WHERE key = ?1");
        self.query_optional(&query, [key], read_row)
    }

    /// Returns the row ids of a source's items, ascending, or of those with these numbers, in the
    /// same order; without tombstones.
    pub fn item_ids(&self, source: i64, numbers: Option<&[u64]>) -> Result<Vec<i64>> {
        let select = "SELECT id FROM documents WHERE source_id = ?1 AND number IS NOT NULL
                      AND deleted_at IS NULL";
        let Some(numbers) = numbers else {
            return self.query_column(&format!("{select} ORDER BY id"), [source]);
        };
        let select = format!("{select} AND number = ?2");
        let mut out = Vec::new();
        for number in numbers {
            out.extend(
                self.query_optional(&select, params![source, number], |r| r.get::<_, i64>(0))?,
            );
        }
        Ok(out)
    }

    /// Returns an item's number and its web address.
    pub fn item_address(&self, id: i64) -> Result<Option<(u64, Option<String>)>> {
        self.query_optional(
            "SELECT number, url FROM documents WHERE id = ?1 AND number IS NOT NULL",
            [id],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
    }

    /// Returns the template skeleton of a source.
    pub fn skeleton(&self, source: i64) -> Result<Skeleton> {
        let query = "SELECT hash FROM skeleton_lines WHERE source_id = ?1";
        let hashes: Vec<i64> = self.query_column(query, [source])?;
        Ok(Skeleton::from_hashes(hashes.into_iter().map(i64::cast_unsigned)))
    }

    /// Returns the number of a source's items, and the number that its skeleton was computed from.
    pub fn skeleton_age(&self, source: i64) -> Result<(u64, u64)> {
        self.query_row(
            "SELECT (SELECT count(*) FROM documents WHERE source_id = s.id AND number IS NOT NULL),
             skeleton_documents FROM sources s WHERE id = ?1",
            [source],
        )
    }

    /// Calls `visit` with the body of one in `step` items of a source.
    pub fn item_bodies(
        &self,
        source: i64,
        step: u64,
        mut visit: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.transaction.prepare(
            "SELECT body FROM documents WHERE source_id = ?1 AND kind <> 'page' AND id % ?2 = 0",
        )?;
        let mut rows = statement.query(params![source, step])?;
        while let Some(row) = rows.next()? {
            visit(row.get_ref(0)?.as_str().unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// Adds a source, or returns the existing one with this key.
    pub fn add_source(&self, key: &str, kind: &str, now: Timestamp) -> Result<SourceRow> {
        let count = self.execute(
            "INSERT INTO sources (key, kind, added_at) VALUES (?1, ?2, ?3)
             ON CONFLICT (key) DO NOTHING",
            params![key, kind, now.as_second()],
        )?;
        let source =
            self.source(key)?.ok_or_else(|| invalid_value("the source just added is missing"))?;
        if count > 0 {
            self.journal_new("sources", source.id, None)?;
        }
        Ok(source)
    }

    /// Sets the tracker kind of a source.
    pub fn set_kind(&self, id: i64, kind: &str) -> Result<()> {
        self.change("UPDATE sources SET kind = ?2 WHERE id = ?1", params![id, kind])
    }

    /// Sets the time at which a source last received a record.
    pub fn touch_source(&self, id: i64, now: Timestamp) -> Result<()> {
        self.change(
            "UPDATE sources SET changed_at = ?2 WHERE id = ?1",
            params![id, now.as_second()],
        )
    }

    /// Removes a source with everything that was mirrored from it. Verdicts stay and apply again if
    /// the source is added back.
    pub fn remove_source(&self, source: &SourceRow) -> Result<()> {
        self.next_revision()?;
        self.record_residue()?;
        self.delete_references("SELECT key FROM documents WHERE source_id = ?1", source.id)?;
        // The import journal contains texts of the source.
        self.execute(
            "DELETE FROM import_changes WHERE table_name = 'sources' AND row_id = ?1
             OR table_name = 'documents'
                 AND row_id IN (SELECT id FROM documents WHERE source_id = ?1)
             OR table_name = 'comments'
                 AND row_id IN (SELECT id FROM comments WHERE source_id = ?1)",
            [source.id],
        )?;
        self.change("DELETE FROM sources WHERE id = ?1", [source.id])
    }

    /// Deletes the links from documents, and the checks and candidates that name them. `keys` is a
    /// query for their keys with one parameter.
    pub(super) fn delete_references(&self, keys: &str, parameter: impl ToSql) -> Result<()> {
        for (table, key) in [
            ("links", "from_key"),
            ("checks", "key"),
            ("checks", "best_key"),
            ("check_candidates", "other_key"),
        ] {
            self.execute(&format!("DELETE FROM {table} WHERE {key} IN ({keys})"), [&parameter])?;
        }
        Ok(())
    }

    /// Stores a source's skeleton with the number of items that it was computed from.
    pub fn set_skeleton(&self, source: i64, skeleton: &Skeleton, items: u64) -> Result<()> {
        self.execute("DELETE FROM skeleton_lines WHERE source_id = ?1", [source])?;
        for hash in skeleton.hashes() {
            self.execute(
                "INSERT INTO skeleton_lines (source_id, hash) VALUES (?1, ?2)",
                params![source, hash.cast_signed()],
            )?;
        }
        self.change(
            "UPDATE sources SET skeleton_documents = ?2 WHERE id = ?1",
            params![source, items],
        )
    }
}
