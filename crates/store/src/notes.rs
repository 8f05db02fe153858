//! Private notes: documents of the source `note` with additional columns.

use jiff::Timestamp;
use rusqlite::{Row, params};

use super::{DocumentRow, Reader, StoredLink, Writer, documents, invalid_value, parse_column};
use precedent_core::{
    error::Result,
    model::{Lifecycle, Note, NoteKind, parse_name},
};

/// The key of the source of all notes.
pub const NOTES: &str = "note";

/// A stored note.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "columns of the tables")]
pub struct NoteRow {
    pub document: DocumentRow,
    pub kind: NoteKind,
    pub lifecycle: Lifecycle,
    /// The [`content_hash`] of the note.
    pub content_hash: [u8; 16],
}

/// The content of a note to store.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the fields say what they are")]
pub struct NoteContent<'a> {
    pub title: &'a str,
    pub body: &'a str,
    pub tags: &'a [String],
}

/// Returns the first 16 bytes of the BLAKE3 hash of title and text with normalized white space.
pub fn content_hash(title: &str, body: &str) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for text in [title, body] {
        for word in text.split_whitespace() {
            hasher.update(word.as_bytes());
            hasher.update(b" ");
        }
        hasher.update(b"\n");
    }
    let mut out = [0; 16];
    out.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    out
}

fn select(condition: &str) -> String {
    format!(
        "SELECT {}, n.kind, n.lifecycle, n.content_hash FROM notes n
         JOIN documents d ON d.id = n.document_id JOIN sources s ON s.id = d.source_id
         WHERE d.deleted_at IS NULL {condition}",
        documents::COLUMNS
    )
}

fn read_row(r: &Row<'_>) -> rusqlite::Result<NoteRow> {
    Ok(NoteRow {
        document: documents::read_row(r)?,
        kind: parse_column(r, 24, parse_name)?,
        lifecycle: parse_column(r, 25, parse_name)?,
        content_hash: r.get(26)?,
    })
}

impl Reader<'_> {
    /// Returns the note with this key.
    pub fn note(&self, key: &str) -> Result<Option<NoteRow>> {
        self.query_optional(&select("AND d.key = ?1 COLLATE NOCASE"), [key], read_row)
    }

    /// Returns the notes of one kind or of all, latest first.
    pub fn notes(&self, kind: Option<NoteKind>) -> Result<Vec<NoteRow>> {
        let query =
            select("AND (?1 IS NULL OR n.kind = ?1) ORDER BY d.updated_at DESC, d.number DESC");
        self.query_rows(&query, [kind.map(NoteKind::as_str)], read_row)
    }

    /// Returns a stored note as users see it, with its links.
    pub fn shown_note(&self, note: NoteRow) -> Result<Note> {
        let d = note.document;
        let relations = self.links(&d.key)?.into_iter().filter(|l| l.kind == "relates_to");
        let other_key = |l: StoredLink| if l.from_key == d.key { l.to_key } else { l.from_key };
        let connected = relations.map(other_key).collect();
        let created_at = d.created_at.ok_or_else(|| invalid_value("a note without a time"))?;
        Ok(Note {
            kind: note.kind,
            title: d.title,
            body: d.body,
            // The first label is the kind, so that `label:lesson` finds lessons.
            tags: d.labels.into_iter().skip(1).collect(),
            lifecycle: note.lifecycle,
            connected,
            created_at,
            updated_at: d.updated_at.unwrap_or(created_at),
            key: d.key,
        })
    }
}

impl Writer<'_> {
    /// Stores a new note; returns its key.
    pub fn add_note(
        &self,
        kind: NoteKind,
        content: &NoteContent<'_>,
        now: Timestamp,
    ) -> Result<String> {
        let source = self.add_source(NOTES, "notes", now)?;
        // The numbers of removed notes are never reused, because texts may refer to them.
        let number: u64 = self.query_value(
            "SELECT coalesce(max(number), 0) + 1 FROM documents WHERE source_id = ?1",
            [source.id],
        )?;
        let key = format!("{NOTES}#{number}");
        let hash = content_hash(content.title, content.body);
        let document: i64 = self.query_value(
            "INSERT INTO documents (source_id, kind, key, number, title, body, labels, created_at,
             updated_at, revision, raw_hash)
             VALUES (?1, 'note', ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8, ?9) RETURNING id",
            params![
                source.id,
                key,
                number,
                content.title,
                content.body,
                labels(kind, content.tags),
                now.as_second(),
                self.next_revision()?,
                hash.as_slice()
            ],
        )?;
        self.execute(
            "INSERT INTO notes (document_id, kind, lifecycle, content_hash)
             VALUES (?1, ?2, ?3, ?4)",
            params![document, kind.as_str(), Lifecycle::Active.as_str(), hash.as_slice()],
        )?;
        Ok(key)
    }

    /// Changes a note.
    pub fn change_note(
        &self,
        note: &NoteRow,
        content: &NoteContent<'_>,
        lifecycle: Lifecycle,
        now: Timestamp,
    ) -> Result<()> {
        let id = note.document.id;
        let hash = content_hash(content.title, content.body);
        self.execute(
            "UPDATE documents SET title = ?2, body = ?3, labels = ?4, updated_at = ?5,
             revision = ?6, raw_hash = ?7 WHERE id = ?1",
            params![
                id,
                content.title,
                content.body,
                labels(note.kind, content.tags),
                now.as_second(),
                self.next_revision()?,
                hash.as_slice()
            ],
        )?;
        self.change(
            "UPDATE notes SET lifecycle = ?2, content_hash = ?3 WHERE document_id = ?1",
            params![id, lifecycle.as_str(), hash.as_slice()],
        )
    }

    /// Removes a note with its text; its number is never reused.
    pub fn remove_note(&self, note: &NoteRow, now: Timestamp) -> Result<()> {
        let id = note.document.id;
        self.disconnect(&note.document.key)?;
        self.execute("DELETE FROM notes WHERE document_id = ?1", [id])?;
        self.change(
            "UPDATE documents SET title = '', body = '', labels = '[]', deleted_at = ?2,
             revision = ?3 WHERE id = ?1",
            params![id, now.as_second(), self.next_revision()?],
        )
    }
}

fn labels(kind: NoteKind, tags: &[String]) -> String {
    let mut labels = vec![kind.as_str().to_owned()];
    labels.extend(tags.iter().cloned());
    serde_json::Value::from(labels).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_does_not_change_the_hash() {
        assert_eq!(content_hash("a  b", "c\n\nd "), content_hash(" a b", "c d"));
        assert_ne!(content_hash("a b", "c"), content_hash("a", "b c"));
    }
}
