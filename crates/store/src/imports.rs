//! The journal of the last import, by which it can be undone.

use jiff::Timestamp;
use rusqlite::{
    OptionalExtension as _, params,
    types::{Value, ValueRef},
};
use serde_json::{Map, json};

use super::{RawKind, Writer, time};
use precedent_core::{error::Result, model::UndoReport};

/// The tables whose rows an import changes, with the kind of their raw records.
const JOURNALED_TABLES: [(&str, RawKind); 2] =
    [("comments", RawKind::Comment), ("documents", RawKind::Document)];

impl Writer<'_> {
    /// Starts the journal of an import, replacing the journal of the previous one. Returns the
    /// import's id.
    pub fn begin_import(&self, paths: &str, now: Timestamp) -> Result<i64> {
        self.execute("DELETE FROM imports", [])?;
        self.query_value(
            "INSERT INTO imports (began_at, paths) VALUES (?1, ?2) RETURNING id",
            params![now.as_second(), paths],
        )
    }

    /// Starts recording this transaction's changes in the journal of an import.
    pub fn set_journal(&self, import: i64) {
        self.import.set(Some(import));
    }

    /// Saves a row in the journal before the current import first changes it.
    pub(super) fn journal_old(&self, table: &str, id: i64) -> Result<()> {
        let Some(import) = self.import.get() else { return Ok(()) };
        let image = self.image(table, id)?;
        self.change(
            "INSERT OR IGNORE INTO import_changes (import_id, table_name, row_id, before)
             VALUES (?1, ?2, ?3, ?4)",
            params![import, table, id, image],
        )
    }

    /// Records a row in the journal after the current import created or changed it.
    pub(super) fn journal_new(&self, table: &str, id: i64, hash: Option<&[u8]>) -> Result<()> {
        let Some(import) = self.import.get() else { return Ok(()) };
        self.change(
            "INSERT INTO import_changes (import_id, table_name, row_id, after)
             VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (import_id, table_name, row_id) DO UPDATE SET after = excluded.after",
            params![import, table, id, hash],
        )
    }

    fn image(&self, table: &str, id: i64) -> Result<Option<String>> {
        let row = self.cells(&format!("SELECT * FROM {table} WHERE id = ?1"), id)?;
        let kind = JOURNALED_TABLES.iter().find(|(name, _)| *name == table).map(|(_, kind)| kind);
        let query =
            |name| format!("SELECT dictionary_id, data FROM {name}_raw WHERE {name}_id = ?1");
        let raw = kind.map(|kind| self.cells(&query(kind.as_str()), id)).transpose()?.flatten();
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

    /// Marks the items of an import's comments as changed: an item is indexed with its comments.
    fn mark_commented_items(&self, import: i64, revision: u64) -> Result<()> {
        self.change(
            "UPDATE documents SET revision = ?1 WHERE (source_id, number) IN (
                 SELECT c.source_id, c.number FROM import_changes i
                 JOIN comments c ON c.id = i.row_id
                 WHERE i.import_id = ?2 AND i.table_name = 'comments')",
            params![revision, import],
        )
    }

    /// Undoes the last import: removes rows that it created and restores rows that it changed. Rows
    /// that changed later, verdicts and notes stay. Returns `None` if there is no import to undo.
    pub fn undo_import(&self) -> Result<Option<UndoReport>> {
        let last_import: Option<(i64, Timestamp, String)> = self.query_optional(
            "SELECT id, began_at, paths FROM imports ORDER BY id DESC LIMIT 1",
            [],
            |r| Ok((r.get(0)?, time(r, 1)?, r.get(2)?)),
        )?;
        let Some((import, began_at, paths)) = last_import else { return Ok(None) };
        let mut report = UndoReport { paths, began_at, ..UndoReport::default() };
        let revision = self.next_revision()?;
        self.mark_commented_items(import, revision)?;
        // Live sources are fetched again: a sync since the import may have skipped its rows.
        self.execute(
            "DELETE FROM streams WHERE source_id IN (
                 SELECT d.source_id FROM import_changes i JOIN documents d ON d.id = i.row_id
                 WHERE i.import_id = ?1 AND i.table_name = 'documents'
                 UNION SELECT c.source_id FROM import_changes i JOIN comments c ON c.id = i.row_id
                 WHERE i.import_id = ?1 AND i.table_name = 'comments')",
            [import],
        )?;
        let mut removed_keys: Vec<String> = Vec::new();
        for (table, kind) in JOURNALED_TABLES {
            let ids: Vec<i64> = self.query_column(
                "SELECT row_id FROM import_changes WHERE import_id = ?1 AND table_name = ?2",
                params![import, table],
            )?;
            for id in ids {
                // One row at a time, because it contains the whole text.
                let (old_value, new_hash): (Option<String>, Option<Vec<u8>>) = self.query_row(
                    "SELECT before, after FROM import_changes
                     WHERE import_id = ?1 AND table_name = ?2 AND row_id = ?3",
                    params![import, table, id],
                )?;
                let hash: Option<Vec<u8>> = self.query_optional(
                    &format!("SELECT raw_hash FROM {table} WHERE id = ?1"),
                    [id],
                    |r| r.get(0),
                )?;
                match (hash, old_value) {
                    // The row was removed after the import.
                    (None, _) => {}
                    (hash, _) if hash != new_hash => report.kept += 1,
                    (_, Some(old_value)) => {
                        self.restore(table, kind, id, &old_value)?;
                        report.restored += 1;
                    }
                    (_, None) if kind == RawKind::Document => {
                        removed_keys.push(self.query_value(
                            "DELETE FROM documents WHERE id = ?1 RETURNING key",
                            [id],
                        )?)
                    }
                    (_, None) => {
                        report.comments +=
                            self.execute("DELETE FROM comments WHERE id = ?1", [id])? as u64;
                    }
                }
            }
        }
        // Restored comments may have returned to another item.
        self.mark_commented_items(import, revision)?;
        // The relations of removed items are fetched again with them.
        self.execute(
            "DELETE FROM relations_read WHERE (source_id, number) NOT IN (
                 SELECT source_id, number FROM documents WHERE number IS NOT NULL)",
            [],
        )?;
        report.documents = removed_keys.len() as u64;
        self.delete_references("SELECT value FROM json_each(?1)", json!(removed_keys).to_string())?;
        let sources: Vec<(String, bool)> = self.query_rows(
            "SELECT s.key, c.after IS NOT NULL FROM import_changes c
             JOIN sources s ON s.id = c.row_id
             WHERE c.import_id = ?1 AND c.table_name = 'sources' ORDER BY s.key",
            [import],
            |r| r.try_into(),
        )?;
        for (key, is_complete) in sources {
            let Some(source) = self.source(&key)? else { continue };
            let remote = self.remote(source.id)?;
            let was_synced =
                remote.as_ref().and_then(|r| r.synced_at).is_some_and(|at| at > report.began_at);
            let has_records: bool = self.query_value(
                "SELECT EXISTS (SELECT 1 FROM documents WHERE source_id = ?1)
                 OR EXISTS (SELECT 1 FROM comments WHERE source_id = ?1)",
                [source.id],
            )?;
            if was_synced || (!is_complete && (has_records || remote.is_some())) {
                continue;
            }
            if is_complete {
                report.documents += self.delete_imported(&source.key, began_at)?;
            }
            self.remove_source(&source)?;
            report.sources.push(source.key);
        }
        self.execute(
            "UPDATE documents SET revision = ?1 WHERE id IN (SELECT row_id FROM import_changes
             WHERE import_id = ?2 AND table_name = 'documents')",
            params![revision, import],
        )?;
        self.record_residue()?;
        self.execute("DELETE FROM imports", [])?;
        Ok(Some(report))
    }

    /// Deletes the verdicts and closures about a source that came with its casebook file; returns
    /// the number of the source's documents.
    fn delete_imported(&self, key: &str, began_at: Timestamp) -> Result<u64> {
        let is_in_source =
            |column: &str| format!("substr({column}, 1, length(?1) + 1) IN (?1 || '#', ?1 || ':')");
        for table in ["verdicts", "verdict_journal"] {
            let query = format!(
                "DELETE FROM {table} WHERE imported AND ({} OR {})",
                is_in_source("first_key"),
                is_in_source("second_key")
            );
            self.execute(&query, [key])?;
        }
        self.execute(
            &format!("DELETE FROM closures WHERE changed_at <= ?2 AND {}", is_in_source("key")),
            params![key, began_at.as_second()],
        )?;
        self.query_value(
            "SELECT count(*) FROM documents d JOIN sources s ON s.id = d.source_id
             WHERE s.key = ?1",
            [key],
        )
    }

    fn restore(&self, table: &str, kind: RawKind, id: i64, text: &str) -> Result<()> {
        let image: serde_json::Value = serde_json::from_str(text).unwrap_or_default();
        let Some(row) = image["row"].as_object() else { return Ok(()) };
        for (column, value) in
            row.iter().filter(|(column, _)| !matches!(column.as_str(), "id" | "source_id"))
        {
            self.execute(
                &format!("UPDATE {table} SET \"{column}\" = ?2 WHERE id = ?1"),
                params![id, cell(value)],
            )?;
        }
        let name = kind.as_str();
        self.execute(&format!("DELETE FROM {name}_raw WHERE {name}_id = ?1"), [id])?;
        if let Some(raw) = image["raw"].as_object() {
            // If its dictionary was replaced, the raw record is missing until the next change.
            self.execute(
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

/// Converts a value from the JSON that [`Writer::image`] returned.
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
