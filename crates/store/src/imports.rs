//! The journal of the last import of files, which makes it possible to undo the import.

use jiff::Timestamp;
use rusqlite::{
    OptionalExtension as _, params,
    types::{Value, ValueRef},
};
use serde_json::{Map, json};

use super::{RawKind, Writer, time};
use precedent_core::{error::Result, model::Undone};

/// Tables whose rows an import changes, with the kind of their raw records.
const KINDS: [(&str, RawKind); 2] =
    [("comments", RawKind::Comment), ("documents", RawKind::Document)];

impl Writer<'_> {
    /// Begins the journal of an import, replacing that of the previous one.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn begin_import(&self, paths: &str, now: Timestamp) -> Result<i64> {
        self.transaction.execute("DELETE FROM imports", [])?;
        let id = self.transaction.query_row(
            "INSERT INTO imports (began_at, paths) VALUES (?1, ?2) RETURNING id",
            params![now.as_second(), paths],
            |r| r.get(0),
        )?;
        Ok(id)
    }

    /// Records this transaction's changes in the journal of an import.
    pub fn journal(&self, import: i64) {
        self.import.set(Some(import));
    }

    /// Saves a row before the current import changes it for the first time.
    pub(super) fn keep_before(&self, table: &str, id: i64) -> Result<()> {
        let Some(import) = self.import.get() else { return Ok(()) };
        let image = self.image(table, id)?;
        self.transaction
            .prepare_cached(
                "INSERT OR IGNORE INTO import_changes (import_id, table_name, row_id, before) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![import, table, id, image])?;
        Ok(())
    }

    /// Records in the journal a row that the current import created or changed.
    pub(super) fn enter(&self, table: &str, id: i64, hash: Option<&[u8]>) -> Result<()> {
        let Some(import) = self.import.get() else { return Ok(()) };
        self.transaction
            .prepare_cached(
                "INSERT INTO import_changes (import_id, table_name, row_id, after) VALUES (?1, ?2,
                 ?3, ?4)
                 ON CONFLICT (import_id, table_name, row_id) DO UPDATE SET after = excluded.after",
            )?
            .execute(params![import, table, id, hash])?;
        Ok(())
    }

    /// Returns a row with its raw record, as JSON.
    fn image(&self, table: &str, id: i64) -> Result<Option<String>> {
        let row = self.cells(&format!("SELECT * FROM {table} WHERE id = ?1"), id)?;
        let raw = match KINDS.iter().find(|(name, _)| *name == table) {
            None => None,
            Some((_, kind)) => {
                let name = kind.as_str();
                let query =
                    format!("SELECT dictionary_id, data FROM {name}_raw WHERE {name}_id = ?1");
                self.cells(&query, id)?
            }
        };
        Ok(row.map(|row| json!({ "row": row, "raw": raw }).to_string()))
    }

    fn cells(&self, query: &str, id: i64) -> Result<Option<Map<String, serde_json::Value>>> {
        let mut statement = self.transaction.prepare_cached(query)?;
        let names: Vec<String> = statement.column_names().into_iter().map(str::to_owned).collect();
        let read_cells = |r: &rusqlite::Row<'_>| {
            let mut row = Map::new();
            for (i, name) in names.iter().enumerate() {
                row.insert(
                    name.clone(),
                    match r.get_ref(i)? {
                        ValueRef::Null => serde_json::Value::Null,
                        ValueRef::Integer(n) => json!(n),
                        ValueRef::Real(x) => json!(x),
                        ValueRef::Text(text) => json!(String::from_utf8_lossy(text)),
                        ValueRef::Blob(bytes) => json!([bytes]),
                    },
                );
            }
            Ok(row)
        };
        Ok(statement.query_row([id], read_cells).optional()?)
    }

    /// Undoes the last import: removes rows that it created and restores rows that it changed. Rows
    /// that changed since stay, and so do decisions and notes. Returns `None` if there is no import
    /// to undo.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn undo_import(&self) -> Result<Option<Undone>> {
        let last: Option<(i64, i64, String)> = self
            .transaction
            .query_row(
                "SELECT id, began_at, paths FROM imports ORDER BY id DESC LIMIT 1",
                [],
                |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)),
            )
            .optional()?;
        let Some((import, began, paths)) = last else { return Ok(None) };
        let mut undone = Undone { paths, began_at: time(began)?, ..Undone::default() };
        let revision = self.next_revision()?;
        for (table, kind) in KINDS {
            let mut statement = self.transaction.prepare(
                "SELECT row_id, before, after FROM import_changes WHERE import_id = ?1 AND table_name = ?2",
            )?;
            let rows = statement
                .query_map(params![import, table], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
            let rows: Vec<(i64, Option<String>, Option<Vec<u8>>)> =
                rows.collect::<rusqlite::Result<_>>()?;
            for (id, old_value, new_hash) in rows {
                let hash: Option<Vec<u8>> = self
                    .transaction
                    .prepare_cached(&format!("SELECT raw_hash FROM {table} WHERE id = ?1"))?
                    .query_row([id], |r| r.get(0))
                    .optional()?;
                match (hash, old_value) {
                    // The row was removed meanwhile.
                    (None, _) => {}
                    (hash, _) if hash != new_hash => undone.kept += 1,
                    (_, Some(old_value)) => {
                        self.restore(table, kind, id, &old_value)?;
                        undone.restored += 1;
                    }
                    (_, None) => {
                        self.transaction
                            .execute(&format!("DELETE FROM {table} WHERE id = ?1"), [id])?;
                        *if table == "documents" {
                            &mut undone.documents
                        } else {
                            &mut undone.comments
                        } += 1;
                    }
                }
            }
        }
        let mut statement = self.transaction.prepare(
            "SELECT s.key, c.after IS NOT NULL FROM import_changes c JOIN sources s
             ON s.id = c.row_id
             WHERE c.import_id = ?1 AND c.table_name = 'sources' ORDER BY s.key",
        )?;
        let rows = statement
            .query_map([import], |r| Ok((r.get::<_, String>(0)?, r.get::<_, bool>(1)?)))?;
        let sources: Vec<(String, bool)> = rows.collect::<rusqlite::Result<_>>()?;
        for (key, whole) in sources {
            let Some(source) = self.source(&key)? else { continue };
            let remote = self.remote(source.id)?;
            let was_synced =
                remote.as_ref().and_then(|r| r.synced_at).is_some_and(|at| at > undone.began_at);
            let has_records: bool = self.transaction.query_row(
                "SELECT EXISTS (SELECT 1 FROM documents WHERE source_id = ?1)
                     OR EXISTS (SELECT 1 FROM comments WHERE source_id = ?1)",
                [source.id],
                |r| r.get(0),
            )?;
            if was_synced || (!whole && (has_records || remote.is_some())) {
                continue;
            }
            if whole {
                undone.documents += self.forget_imported(&source.key, began)?;
            }
            self.remove_source(&source)?;
            undone.sources.push(source.key);
        }
        // Live sources are read again from the tracker.
        self.transaction.execute(
            "DELETE FROM streams WHERE source_id IN (SELECT d.source_id FROM documents d
                 JOIN import_changes c ON c.table_name = 'documents' AND c.row_id = d.id
                 WHERE c.import_id = ?1)",
            [import],
        )?;
        self.transaction.execute(
            "UPDATE documents SET revision = ?1 WHERE id IN (
                 SELECT row_id FROM import_changes WHERE import_id = ?2
                 AND table_name = 'documents')",
            params![revision, import],
        )?;
        self.note_residue()?;
        self.transaction.execute("DELETE FROM imports", [])?;
        Ok(Some(undone))
    }

    /// Deletes the decisions about a source that came with its casebook file; returns how many
    /// documents the source has.
    fn forget_imported(&self, key: &str, began: i64) -> Result<u64> {
        let is_own =
            |column: &str| format!("substr({column}, 1, length(?1) + 1) IN (?1 || '#', ?1 || ':')");
        for table in ["verdicts", "verdict_journal"] {
            let query = format!(
                "DELETE FROM {table} WHERE imported AND {} AND {}",
                is_own("first_key"),
                is_own("second_key")
            );
            self.transaction.execute(&query, [key])?;
        }
        self.transaction.execute(
            &format!("DELETE FROM closures WHERE changed_at <= ?2 AND {}", is_own("key")),
            params![key, began],
        )?;
        Ok(self.transaction.query_row(
            "SELECT count(*) FROM documents d JOIN sources s ON s.id = d.source_id WHERE s.key = ?1",
            [key],
            |r| r.get(0),
        )?)
    }

    /// Restores a row from its saved image.
    fn restore(&self, table: &str, kind: RawKind, id: i64, text: &str) -> Result<()> {
        let image: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let Some(row) = image["row"].as_object() else { return Ok(()) };
        for (column, value) in
            row.iter().filter(|(column, _)| !matches!(column.as_str(), "id" | "source_id"))
        {
            self.transaction
                .prepare_cached(&format!("UPDATE {table} SET \"{column}\" = ?2 WHERE id = ?1"))?
                .execute(params![id, cell(value)])?;
        }
        let name = kind.as_str();
        self.transaction.execute(&format!("DELETE FROM {name}_raw WHERE {name}_id = ?1"), [id])?;
        if let Some(raw) = image["raw"].as_object() {
            // If its dictionary was replaced, the record is missing until the next change.
            self.transaction.execute(
                &format!(
                    "INSERT INTO {name}_raw ({name}_id, dictionary_id, data) SELECT ?1, ?2, ?3
                     WHERE ?2 IS NULL OR EXISTS (SELECT 1 FROM raw_dictionaries WHERE id = ?2)"
                ),
                params![id, cell(&raw["dictionary_id"]), cell(&raw["data"])],
            )?;
        }
        Ok(())
    }
}

/// Converts a value from the JSON of [`Writer::image`].
fn cell(value: &serde_json::Value) -> Value {
    match value {
        serde_json::Value::Null | serde_json::Value::Object(_) => Value::Null,
        serde_json::Value::Bool(b) => Value::Integer(i64::from(*b)),
        serde_json::Value::Number(n) => {
            n.as_i64().map_or_else(|| Value::Real(n.as_f64().unwrap_or_default()), Value::Integer)
        }
        serde_json::Value::String(text) => Value::Text(text.clone()),
        serde_json::Value::Array(bytes) => {
            let bytes = bytes.first().and_then(|b| b.as_array()).into_iter().flatten();
            Value::Blob(bytes.filter_map(|b| u8::try_from(b.as_u64()?).ok()).collect())
        }
    }
}
