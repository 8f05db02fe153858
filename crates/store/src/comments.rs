//! Comments. They name their item by number, so that they can be stored before the item.

use jiff::Timestamp;
use rusqlite::params;

use super::{
    ApplyEffect, DateEvidence, DocumentRow, RawKind, Reader, StoredDate, Writer, raw::PackedRaw,
    sources::SourceRow, time,
};
use precedent_core::{
    error::Result,
    model::{Author, CommentRecord, INTERNAL},
};

/// A comment on a document, with its time and text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "columns of the table")]
pub struct CommentText {
    pub id: i64,
    pub created_at: Timestamp,
    pub body: String,
}

/// A row of `comments`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "columns of the table")]
pub struct StoredComment {
    /// Row id, by which the indexes identify the comment.
    pub id: i64,
    /// The tracker's own id.
    pub remote_id: String,
    pub author: Author,
    pub body: String,
    pub url: Option<String>,
    pub created_at: Timestamp,
    pub updated_at: Timestamp,
}

impl Reader<'_> {
    /// Returns the comments on a document that are not internal, oldest first, without tombstones.
    /// Indexes, results and briefs use only these.
    pub fn comments(&self, document: &DocumentRow) -> Result<Vec<StoredComment>> {
        let mut comments = self.all_comments(document)?;
        comments.retain(|comment| !comment.author.is_internal());
        Ok(comments)
    }

    /// Returns the comments on a document, including internal ones, for users who read the casebook
    /// itself.
    pub fn all_comments(&self, document: &DocumentRow) -> Result<Vec<StoredComment>> {
        let Some(number) = document.number else { return Ok(Vec::new()) };
        self.query_rows(
            "SELECT id, remote_id, author, author_bot, association, body, url, created_at,
             updated_at FROM comments
             WHERE source_id = ?1 AND number = ?2 AND deleted_at IS NULL ORDER BY created_at, id",
            params![document.source_id, number],
            |r| {
                Ok(StoredComment {
                    id: r.get(0)?,
                    remote_id: r.get(1)?,
                    author: Author { login: r.get(2)?, bot: r.get(3)?, association: r.get(4)? },
                    body: r.get(5)?,
                    url: r.get(6)?,
                    created_at: time(r, 7)?,
                    updated_at: time(r, 8)?,
                })
            },
        )
    }

    /// Returns at most `limit` public comments that people wrote on a document before `end`, newest
    /// first.
    pub fn comments_before(
        &self,
        id: i64,
        end: Timestamp,
        limit: usize,
    ) -> Result<Vec<CommentText>> {
        self.query_rows(
            "SELECT c.id, c.created_at, c.body FROM documents d
             JOIN comments c ON c.source_id = d.source_id AND c.number = d.number
             WHERE d.id = ?1 AND c.created_at < ?2 AND c.deleted_at IS NULL AND NOT c.author_bot
                 AND c.association IS NOT ?4
             ORDER BY c.created_at DESC, c.id LIMIT ?3",
            params![id, end.as_second(), limit, INTERNAL],
            |r| Ok(CommentText { id: r.get(0)?, created_at: time(r, 1)?, body: r.get(2)? }),
        )
    }

    /// Returns the number of the item to which the comment with this tracker id belongs.
    pub fn comment_item(&self, source: i64, remote_id: &str) -> Result<Option<u64>> {
        self.query_optional(
            "SELECT number FROM comments WHERE source_id = ?1 AND remote_id = ?2",
            params![source, remote_id],
            |r| r.get(0),
        )
    }

    /// Returns the number of comments on a document, without tombstones.
    pub fn comment_count(&self, document: &DocumentRow) -> Result<u32> {
        let Some(number) = document.number else { return Ok(0) };
        self.query_value(
            "SELECT count(*) FROM comments WHERE source_id = ?1 AND number = ?2
             AND deleted_at IS NULL",
            params![document.source_id, number],
        )
    }
}

impl Writer<'_> {
    /// Stores a comment unless it is unchanged or the stored one is newer, and marks its item as
    /// changed, or both items if it was moved. With `only_new`, a stored comment is never replaced.
    pub fn apply_comment(
        &self,
        source: &SourceRow,
        record: &CommentRecord,
        raw: &PackedRaw,
        only_new: bool,
        evidence: DateEvidence,
        now: Timestamp,
    ) -> Result<ApplyEffect> {
        type StoredRow = (StoredDate, Vec<u8>, bool, Option<String>, i64, u64);
        let current: Option<StoredRow> = self.query_optional(
            "SELECT updated_at, dated_ahead, raw_hash, deleted_at IS NOT NULL, association, id, number
             FROM comments WHERE source_id = ?1 AND remote_id = ?2",
            params![source.id, record.remote_id],
            |r| {
                let date = StoredDate::new(r.get(0)?, r.get(1)?, now);
                Ok((date, r.get(2)?, r.get(3)?, r.get(4)?, r.get(5)?, r.get(6)?))
            },
        )?;
        let mut old_number = record.number;
        if let Some((date, hash, is_deleted, association, id, number)) = &current {
            // An earlier version may have stored the comment without the internal mark.
            let is_same = *hash == record.raw.hash && *association == record.author.association;
            if is_same && !is_deleted && !date.is_corrected_by(evidence) {
                return Ok(ApplyEffect::Unchanged);
            }
            if only_new || date.is_newer_than(Some(record.updated_at.as_second()), evidence) {
                return Ok(ApplyEffect::Stale);
            }
            self.journal_old("comments", *id)?;
            old_number = *number;
        }
        let id = self.upsert(
            "comments",
            &["source_id", "remote_id"],
            &[
                ("source_id", &source.id),
                ("number", &record.number),
                ("remote_id", &record.remote_id),
                ("author", &record.author.login),
                ("author_bot", &record.author.bot),
                ("association", &record.author.association),
                ("body", &record.body),
                ("url", &record.url),
                ("created_at", &record.created_at.as_second()),
                ("updated_at", &record.updated_at.as_second()),
                ("raw_hash", &record.raw.hash.as_slice()),
                ("dated_ahead", &evidence.is_ahead()),
            ],
        )?;
        self.put_raw(RawKind::Comment, id, raw)?;
        self.journal_new("comments", id, Some(&record.raw.hash))?;
        self.execute(
            "UPDATE documents SET revision = ?3 WHERE source_id = ?1 AND number IN (?2, ?4)
             AND revision <> ?3",
            params![source.id, record.number, self.next_revision()?, old_number],
        )?;
        Ok(if current.is_some() { ApplyEffect::Updated } else { ApplyEffect::New })
    }
}
