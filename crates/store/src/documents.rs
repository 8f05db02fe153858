//! Issues, pull requests and wiki pages.

use std::borrow::Cow;

use jiff::Timestamp;
use rusqlite::{Row, params};

use precedent_text::{closure::Closure, reference::Project};

use super::{
    ApplyEffect, DateEvidence, REVISION_STEP, RawKind, Reader, StoredDate, Writer, column_error,
    optional_time, parse_column, raw::PackedRaw, sources::SourceRow,
};
use precedent_core::{
    error::Result,
    model::{Author, DocKind, DocumentRecord, REVIEW_PREFIX, State, parse_name, split_key},
};

/// The maximum length of a title in characters. Trackers allow 255 to 1,024.
const MAX_TITLE: usize = 1_024;
/// The exclusive upper bound of review ids: the text that sorts directly after [`REVIEW_PREFIX`].
const REVIEW_END: &str = "s";

/// A person in one source. The same login in another source may belong to someone else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// The source's row id.
    pub source: i64,
    /// The login name.
    pub login: String,
}

/// A row of `documents` with its source's key.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "columns of the table")]
pub struct DocumentRow {
    /// Row id, by which the indexes identify the document.
    pub id: i64,
    /// The source's row id.
    pub source_id: i64,
    /// The source's key.
    pub source: String,
    pub kind: DocKind,
    pub key: String,
    pub number: Option<u64>,
    pub title: String,
    /// The text as written.
    pub body: String,
    pub url: Option<String>,
    pub state: Option<State>,
    /// The tracker's reason for the closure.
    pub state_reason: Option<String>,
    pub author: Author,
    pub labels: Vec<String>,
    pub milestone: Option<String>,
    pub locked: bool,
    /// Number of comments according to the tracker.
    pub comment_count: u64,
    pub created_at: Option<Timestamp>,
    pub updated_at: Option<Timestamp>,
    pub closed_at: Option<Timestamp>,
    pub merged_at: Option<Timestamp>,
    /// The revision of its last change.
    pub revision: u64,
    /// Deletion time, if this is a tombstone.
    pub deleted_at: Option<Timestamp>,
}

impl DocumentRow {
    /// Returns the tracker's reason for the closure; `None` unless the document is closed and the
    /// reason is known.
    pub fn closed_as(&self) -> Option<Closure> {
        self.state_reason
            .as_deref()
            .filter(|_| self.state == Some(State::Closed))
            .and_then(Closure::parse)
    }

    /// Returns the author as a person; `None` for a bot or an unknown author.
    pub fn person(&self) -> Option<Person> {
        let login = self.author.login.clone().filter(|_| !self.author.bot)?;
        Some(Person { source: self.source_id, login })
    }
}

/// A document's id with the revision of its last change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DocumentRevision {
    /// Row id.
    pub id: i64,
    /// The revision of its last change.
    pub revision: u64,
    /// True for a tombstone.
    pub is_deleted: bool,
}

/// Returns the priority of a document's vector computation, lowest value first, below 2³³: open
/// before closed, then the latest change first. `updated_at` is in seconds since 1970.
pub fn urgency(state: Option<State>, updated_at: Option<i64>) -> i64 {
    let latest = i64::from(i32::MAX);
    let closed_bit = i64::from(state.is_some_and(|s| s != State::Open));
    (closed_bit << 32) | (latest - updated_at.unwrap_or(0).clamp(0, latest))
}

/// The numbers of a source's documents and comments, without tombstones.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the names of the other fields say what they count")]
pub struct SourceCounts {
    pub issues: u64,
    pub pull_requests: u64,
    pub pages: u64,
    /// Comments on mirrored items.
    pub comments: u64,
    /// Comments that the tracker counts but the mirror lacks.
    pub missing_comments: u64,
    /// Comments whose item the mirror lacks.
    pub orphan_comments: u64,
}

pub(super) const COLUMNS: &str =
    "d.id, d.source_id, s.key, d.kind, d.key, d.number, d.title, d.body, d.url, d.state,
    d.state_reason, d.author, d.author_bot, d.association, d.labels, d.milestone, d.locked,
    d.comment_count, d.created_at, d.updated_at, d.closed_at, d.merged_at, d.revision, d.deleted_at";

pub(super) fn read_row(r: &Row<'_>) -> rusqlite::Result<DocumentRow> {
    let state: Option<String> = r.get(9)?;
    let labels: String = r.get(14)?;
    Ok(DocumentRow {
        id: r.get(0)?,
        source_id: r.get(1)?,
        source: r.get(2)?,
        kind: parse_column(r, 3, parse_name)?,
        key: r.get(4)?,
        number: r.get(5)?,
        title: r.get(6)?,
        body: r.get(7)?,
        url: r.get(8)?,
        state: state.as_deref().and_then(parse_name),
        state_reason: r.get(10)?,
        author: Author { login: r.get(11)?, bot: r.get(12)?, association: r.get(13)? },
        labels: serde_json::from_str(&labels)
            .map_err(|_| column_error(14, "labels are not a list"))?,
        milestone: r.get(15)?,
        locked: r.get(16)?,
        comment_count: r.get(17)?,
        created_at: optional_time(r, 18)?,
        updated_at: optional_time(r, 19)?,
        closed_at: optional_time(r, 20)?,
        merged_at: optional_time(r, 21)?,
        revision: r.get(22)?,
        deleted_at: optional_time(r, 23)?,
    })
}

impl Reader<'_> {
    /// Returns the document with this row id, tombstones included.
    pub fn document(&self, id: i64) -> Result<Option<DocumentRow>> {
        self.query_optional(
            &format!(
                "SELECT {COLUMNS} FROM documents d JOIN sources s ON s.id = d.source_id
                 WHERE d.id = ?1"
            ),
            [id],
            read_row,
        )
    }

    /// Returns the document with this key, ignoring the case of the source, tombstones included.
    pub fn document_by_key(&self, key: &str) -> Result<Option<DocumentRow>> {
        let select =
            format!("SELECT {COLUMNS} FROM documents d JOIN sources s ON s.id = d.source_id");
        let exact_match =
            self.query_optional(&format!("{select} WHERE d.key = ?1"), [key], read_row)?;
        if exact_match.is_some() {
            return Ok(exact_match);
        }
        if let Some((source, number)) = split_key(key) {
            return self.query_optional(
                &format!("{select} WHERE s.key = ?1 AND d.number = ?2"),
                params![source, number],
                read_row,
            );
        }
        let Some((source, _)) = key.split_once(':') else { return Ok(None) };
        // Reads only the source's part of the index of keys; `+` keeps SQLite from another index.
        self.query_optional(
            &format!(
                "SELECT {COLUMNS} FROM sources s CROSS JOIN documents d
                 WHERE s.key = ?2 AND d.key > s.key || ':' AND d.key < s.key || ';'
                   AND +d.source_id = s.id AND +d.key = ?1 COLLATE NOCASE"
            ),
            [key, source],
            read_row,
        )
    }

    /// Returns the items of all sources with this number, ordered by key; notes are not included.
    pub fn documents_by_number(&self, number: u64) -> Result<Vec<DocumentRow>> {
        self.query_rows(
            &format!(
                "SELECT {COLUMNS} FROM sources s
                 JOIN documents d ON d.source_id = s.id AND d.number = ?1
                 WHERE d.kind <> 'note' ORDER BY d.key"
            ),
            [number],
            read_row,
        )
    }

    /// Returns the documents that changed after a revision, ordered by revision, then by id.
    pub fn changed_documents(&self, revision: u64) -> Result<Vec<DocumentRevision>> {
        // This reads two indexes but no rows, which store the deletion time behind the text.
        self.query_rows(
            "SELECT id, revision, id IN (SELECT id FROM documents WHERE deleted_at IS NOT NULL)
             FROM documents WHERE revision > ?1 ORDER BY revision, id",
            [revision],
            |r| Ok(DocumentRevision { id: r.get(0)?, revision: r.get(1)?, is_deleted: r.get(2)? }),
        )
    }

    /// Returns the numbers of documents that changed after a revision, without tombstones: with and
    /// without notes.
    pub fn changed_count(&self, revision: u64) -> Result<(u64, u64)> {
        if self.revision()? <= revision {
            return Ok((0, 0));
        }
        self.query_row(
            "SELECT count(*), count(*) FILTER (WHERE id NOT IN (SELECT document_id FROM notes))
             FROM documents WHERE revision > ?1
               AND id NOT IN (SELECT id FROM documents WHERE deleted_at IS NOT NULL)",
            [revision],
        )
    }

    /// Returns the [`urgency`] of each of these documents, in the same order.
    pub fn urgencies(&self, ids: &[i64]) -> Result<Vec<i64>> {
        let query = "SELECT state, updated_at FROM documents WHERE id = ?1";
        let parse = |r: &Row<'_>| {
            let state: Option<String> = r.get(0)?;
            Ok(urgency(state.as_deref().and_then(parse_name), r.get(1)?))
        };
        ids.iter()
            .map(|id| Ok(self.query_optional(query, [id], parse)?.unwrap_or_default()))
            .collect()
    }

    /// Returns the row ids of all documents, tombstones included, ascending.
    pub fn document_ids(&self) -> Result<Vec<i64>> {
        // Without ORDER BY, SQLite reads the smallest index instead of the texts.
        let mut ids = self.query_column("SELECT id FROM documents", [])?;
        ids.sort_unstable();
        Ok(ids)
    }

    /// Returns the titles and texts of at most `limit` reports, spread evenly over the order in
    /// which they were stored.
    pub fn sample_reports(&self, limit: usize) -> Result<Vec<String>> {
        let ids = self.document_ids()?;
        let query = "SELECT title || char(10) || body FROM documents
                     WHERE id = ?1 AND kind = 'issue' AND deleted_at IS NULL";
        let mut out = Vec::with_capacity(limit);
        // Pages, pull requests and tombstones are among the ids, so twice as many are looked up.
        for id in ids.iter().step_by(ids.len().div_ceil(2 * limit.max(1)).max(1)) {
            out.extend(self.query_optional(query, [id], |r| r.get(0))?);
        }
        let step = out.len().div_ceil(limit.max(1)).max(1);
        Ok(out.into_iter().step_by(step).collect())
    }

    /// Returns the numbers of the documents with these row ids, in the same order; `None` for pages
    /// and missing rows.
    pub fn numbers(&self, ids: &[i64]) -> Result<Vec<Option<u64>>> {
        let query = "SELECT number FROM documents WHERE id = ?1";
        ids.iter().map(|id| Ok(self.query_optional(query, [id], |r| r.get(0))?.flatten())).collect()
    }

    /// Returns `ids` without documents that were created before `document`, ascending.
    ///
    /// Documents are ordered by creation time, number and row id. If only one of two has a creation
    /// time, the other counts as earlier.
    pub fn exclude_earlier(&self, document: i64, ids: &[i64]) -> Result<Vec<i64>> {
        let query = "SELECT created_at, number FROM documents WHERE id = ?1";
        let position = |id: i64| -> Result<(Option<i64>, Option<u64>)> {
            Ok(self.query_optional(query, [id], |r| r.try_into())?.unwrap_or_default())
        };
        let (created_at, number) = position(document)?;
        let mut later_ids = Vec::new();
        for id in ids {
            let (other_time, other_number) = position(*id)?;
            if other_time.is_some() == created_at.is_some()
                && (other_time, other_number, *id) >= (created_at, number, document)
            {
                later_ids.push(*id);
            }
        }
        later_ids.sort_unstable();
        Ok(later_ids)
    }

    /// Returns the title and the author ([`DocumentRow::person`]) of a document; an empty title if
    /// it is missing.
    pub fn title_and_author(&self, id: i64) -> Result<(String, Option<Person>)> {
        let row = self.query_optional(
            "SELECT title, source_id, CASE WHEN author_bot THEN NULL ELSE author END
             FROM documents WHERE id = ?1",
            [id],
            |r| {
                let (source, login) = (r.get(1)?, r.get::<_, Option<String>>(2)?);
                Ok((r.get(0)?, login.map(|login| Person { source, login })))
            },
        )?;
        Ok(row.unwrap_or_default())
    }

    /// Returns the time of the latest change to any record, as reported by the trackers.
    pub fn newest_change(&self) -> Result<Option<Timestamp>> {
        let query = "SELECT max(updated_at) FROM documents WHERE kind <> 'note'";
        Ok(self.query_optional(query, [], |r| optional_time(r, 0))?.flatten())
    }

    /// Returns the number of documents, without tombstones.
    pub(super) fn document_count(&self) -> Result<u64> {
        self.query_value(
            "SELECT (SELECT count(*) FROM documents) - (SELECT count(*) FROM documents
             WHERE deleted_at IS NOT NULL)",
            [],
        )
    }

    /// Returns the project in the keys (`APP-12`) of a source's items, if they have one. Reads only
    /// the first and the last items: most sources have ids of one kind.
    pub fn project(&self, source: i64) -> Result<Option<String>> {
        let id: Option<String> = self.query_optional(
            "SELECT remote_id FROM (
                 SELECT * FROM (SELECT remote_id FROM documents
                     WHERE source_id = ?1 AND number IS NOT NULL ORDER BY number LIMIT 500)
                 UNION ALL
                 SELECT * FROM (SELECT remote_id FROM documents
                     WHERE source_id = ?1 AND number IS NOT NULL ORDER BY number DESC LIMIT 500))
             WHERE remote_id GLOB '[A-Za-z]*-[0-9]*' LIMIT 1",
            [source],
            |r| r.get(0),
        )?;
        Ok(id.and_then(|id| Some(id.rsplit_once('-')?.0.to_owned())))
    }

    /// Returns the projects whose items have keys such as `APP-12`.
    pub fn projects(&self) -> Result<Vec<Project>> {
        let mut projects = Vec::new();
        for source in self.sources()? {
            let name = match self.project(source.id)? {
                // Jira's ids are numbers, but its sources are named after their projects.
                None if source.kind == "jira" => source.key.rsplit('/').next().map(str::to_owned),
                name => name,
            };
            projects.extend(name.map(|name| Project { name, source: source.key }));
        }
        Ok(projects)
    }

    /// Returns the numbers of a source's documents and comments.
    pub fn source_counts(&self, source: i64) -> Result<SourceCounts> {
        let mut counts = SourceCounts::default();
        let mut tracker_count: u64 = 0;
        let rows: Vec<(String, u64, u64)> = self.query_rows(
            "SELECT kind, count(*), coalesce(sum(comment_count), 0) FROM documents
             WHERE source_id = ?1 AND deleted_at IS NULL GROUP BY kind",
            [source],
            |r| r.try_into(),
        )?;
        for (kind, count, comment_count) in rows {
            match parse_name(&kind) {
                Some(DocKind::Issue) => counts.issues = count,
                Some(DocKind::PullRequest) => counts.pull_requests = count,
                Some(DocKind::Page) => counts.pages = count,
                _ => {}
            }
            tracker_count += comment_count;
        }
        // These queries read only indexes. Few comments lack a stored item.
        let (known_count, unknown_count, numbers): (u64, u64, String) = self.query_row(
            "SELECT coalesce(sum(n) FILTER (WHERE known), 0),
                 coalesce(sum(n) FILTER (WHERE NOT known), 0),
                 json_group_array(number) FILTER (WHERE NOT known)
             FROM (SELECT number, count(*) AS n, EXISTS (
                       SELECT 1 FROM documents d
                       WHERE d.source_id = ?1 AND d.number = c.number) AS known
                   FROM comments c WHERE source_id = ?1 GROUP BY number)",
            [source],
        )?;
        let (deleted_count, deleted_unknown_count, review_count): (u64, u64, u64) = self
            .query_row(
                "WITH deleted AS (
                 SELECT count(*) FILTER (WHERE known) AS known,
                     count(*) FILTER (WHERE NOT known) AS unknown,
                     count(*) FILTER (WHERE substr(remote_id, 1, 1) = ?2) AS reviews
                 FROM (SELECT remote_id, EXISTS (
                           SELECT 1 FROM documents d
                           WHERE d.source_id = ?1 AND d.number = c.number) AS known
                       FROM comments c WHERE source_id = ?1 AND deleted_at IS NOT NULL))
             SELECT known, unknown,
                 (SELECT count(*) FROM comments
                  WHERE source_id = ?1 AND remote_id >= ?2 AND remote_id < ?3)
                 - (SELECT count(*) FROM comments
                    WHERE source_id = ?1 AND substr(remote_id, 1, 1) = ?2
                        AND deleted_at IS NULL AND number IN (SELECT value FROM json_each(?4)))
                 - reviews
             FROM deleted",
                params![source, REVIEW_PREFIX, REVIEW_END, numbers],
            )?;
        let live_count = known_count - deleted_count;
        // The tracker's count excludes review comments on the lines of a pull request.
        counts.missing_comments = tracker_count.saturating_sub(live_count - review_count);
        counts.comments = live_count;
        counts.orphan_comments = unknown_count - deleted_unknown_count;
        Ok(counts)
    }
}

/// Moves the excess of a title longer than [`MAX_TITLE`] to the start of the body.
fn bound_title<'a>(title: &'a str, body: &'a str) -> (Cow<'a, str>, Cow<'a, str>) {
    match title.char_indices().nth(MAX_TITLE) {
        None => (title.into(), body.into()),
        Some((cut_at, _)) => {
            let (title, rest) = title.split_at(cut_at);
            (format!("{title}…").into(), format!("…{rest}\n\n{body}").into())
        }
    }
}

impl Writer<'_> {
    /// Stores a tracker's record of a document unless it is unchanged or the stored one is newer.
    pub fn apply_document(
        &self,
        source: &SourceRow,
        record: &DocumentRecord,
        raw: &PackedRaw,
        evidence: DateEvidence,
        now: Timestamp,
    ) -> Result<ApplyEffect> {
        let key = record.key(&source.key);
        let current: Option<(i64, StoredDate, Vec<u8>, bool)> = self.query_optional(
            "SELECT id, updated_at, dated_ahead, raw_hash, deleted_at IS NOT NULL
             FROM documents WHERE key = ?1",
            [&key],
            |r| Ok((r.get(0)?, StoredDate::new(r.get(1)?, r.get(2)?, now), r.get(3)?, r.get(4)?)),
        )?;
        let updated_at = record.updated_at.map(Timestamp::as_second);
        if let Some((_, stored_date, hash, is_deleted)) = &current {
            if *hash == record.raw.hash && !is_deleted && !stored_date.is_corrected_by(evidence) {
                return Ok(ApplyEffect::Unchanged);
            }
            // A page may be reverted to an earlier version; wikis order versions only by commit.
            if stored_date.is_newer_than(updated_at, evidence) && record.number.is_some() {
                return Ok(ApplyEffect::Stale);
            }
        }
        if let Some((id, ..)) = current {
            self.journal_old("documents", id)?;
        }
        let (title, body) = bound_title(&record.title, &record.body);
        let labels = serde_json::Value::from(record.labels.clone()).to_string();
        let second = |t: Option<Timestamp>| t.map(Timestamp::as_second);
        let revision = self.next_revision()?;
        let id = self.upsert(
            "documents",
            &["key"],
            &[
                ("source_id", &source.id),
                ("kind", &record.kind.as_str()),
                ("key", &key),
                ("number", &record.number),
                ("remote_id", &record.remote_id),
                ("title", &title),
                ("body", &body),
                ("url", &record.url),
                ("state", &record.state.map(State::as_str)),
                ("state_reason", &record.state_reason),
                ("author", &record.author.login),
                ("author_bot", &record.author.bot),
                ("association", &record.author.association),
                ("labels", &labels),
                ("milestone", &record.milestone),
                ("locked", &record.locked),
                ("comment_count", &record.comment_count),
                ("created_at", &second(record.created_at)),
                ("updated_at", &updated_at),
                ("closed_at", &second(record.closed_at)),
                ("merged_at", &second(record.merged_at)),
                ("revision", &revision),
                ("raw_hash", &record.raw.hash.as_slice()),
                ("dated_ahead", &evidence.is_ahead()),
            ],
        )?;
        self.put_raw(RawKind::Document, id, raw)?;
        self.journal_new("documents", id, Some(&record.raw.hash))?;
        Ok(if current.is_some() { ApplyEffect::Updated } else { ApplyEffect::New })
    }

    /// Marks a document as deleted on its tracker: it is kept and can be read, but no search finds
    /// it. Returns `false` if it already was.
    pub fn mark_document_deleted(&self, key: &str, now: Timestamp) -> Result<bool> {
        self.execute(
            "UPDATE documents SET deleted_at = ?2, revision = ?3 WHERE key = ?1
             AND deleted_at IS NULL",
            params![key, now.as_second(), self.next_revision()?],
        )
        .map(|count| count > 0)
    }

    /// Restores a document that was marked as deleted; returns whether it was.
    pub fn restore_document(&self, key: &str) -> Result<bool> {
        self.execute(
            "UPDATE documents SET deleted_at = NULL, revision = ?2 WHERE key = ?1
             AND deleted_at IS NOT NULL",
            params![key, self.next_revision()?],
        )
        .map(|count| count > 0)
    }

    /// Marks all documents of one source or of all as changed, so that every index reads them
    /// again.
    pub fn touch_documents(&self, source: Option<i64>) -> Result<()> {
        self.execute(
            "UPDATE documents SET revision = ?2 + id / ?3 WHERE ?1 IS NULL OR source_id = ?1",
            params![source, self.next_revision()?, REVISION_STEP],
        )?;
        self.raise_revision()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Store;

    #[test]
    fn long_title_continues_in_the_body() {
        assert_eq!(bound_title("Pump stops", "At noon."), ("Pump stops".into(), "At noon.".into()));
        let (title, body) = ("ä".repeat(MAX_TITLE) + "rest", "At noon.");
        let (title, body) = bound_title(&title, body);
        assert_eq!(title.chars().count(), MAX_TITLE + 1);
        assert_eq!(body, "…rest\n\nAt noon.");
    }

    proptest::proptest! {
        #[test]
        fn indexed_counts_match_the_rows(
            items in proptest::collection::btree_map(1_u64..9, (0_u64..4, proptest::bool::ANY), 0..6),
            comments in proptest::collection::vec((1_u64..12, proptest::bool::ANY, proptest::bool::ANY), 0..24),
        ) {
            let folder = tempfile::tempdir().unwrap();
            let store = Store::open(&folder.path().join("precedent.db")).unwrap();
            store.write(|w| {
                w.transaction.execute("INSERT INTO sources (id, key, kind, added_at)
                                       VALUES (1, 'acme/app', 'github', 1)", [])?;
                for (number, (count, deleted)) in &items {
                    w.transaction.execute(
                        "INSERT INTO documents (source_id, kind, key, number, title, body,
                         comment_count, revision, deleted_at, raw_hash)
                         VALUES (1, 'issue', 'acme/app#' || ?1, ?1, '', '', ?2, 1, ?3, x'00')",
                        params![number, count, deleted.then_some(1)],
                    )?;
                }
                for (id, (number, review, deleted)) in comments.iter().enumerate() {
                    w.transaction.execute(
                        "INSERT INTO comments (source_id, number, remote_id, body, created_at,
                         updated_at, deleted_at, raw_hash)
                         VALUES (1, ?1, ?2, '', 1, 1, ?3, x'00')",
                        params![number, format!("{}{id}", if *review { REVIEW_PREFIX } else { "" }), deleted.then_some(1)],
                    )?;
                }
                Ok(())
            }).unwrap();
            let counts = store.read(|r| r.source_counts(1)).unwrap();
            let live_comments = || comments.iter().filter(|(_, _, deleted)| !deleted);
            let with_item = live_comments().filter(|(number, ..)| items.contains_key(number));
            let live_items = items.values().filter(|(_, deleted)| !deleted);
            let tracker_count: u64 = live_items.clone().map(|(count, _)| count).sum();
            proptest::prop_assert_eq!(counts, SourceCounts {
                issues: live_items.count() as u64,
                comments: with_item.clone().count() as u64,
                orphan_comments: (live_comments().count() - with_item.clone().count()) as u64,
                missing_comments: tracker_count.saturating_sub(with_item.filter(|(_, review, _)| !review).count() as u64),
                ..SourceCounts::default()
            });
        }
    }
}
