//! The remotes of live sources, and the sync position of each list.

use jiff::Timestamp;
use rusqlite::params;

use super::{Reader, Writer, optional_time, time};
use precedent_core::{error::Result, model::SyncProgress};

/// A row of `remotes`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "columns of the table")]
pub struct RemoteRow {
    pub host: String,
    pub base_url: String,
    pub project: String,
    pub remote_id: Option<String>,
    /// True if its wiki is mirrored as well.
    pub wiki: bool,
    /// Time at which the last sync ended, successfully or not.
    pub synced_at: Option<Timestamp>,
    /// The problem that ended the last sync, if it did not complete.
    pub problem: Option<String>,
    /// Time of the last check for deleted items.
    pub swept_at: Option<Timestamp>,
    /// True if the user confirmed this project on this host, so that tokens may be sent and data
    /// written to it. Remotes from a casebook file start untrusted.
    pub is_trusted: bool,
}

/// A row of `streams`. All fields are empty for a list that was never read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamRow {
    /// The time before which all changes are stored.
    pub watermark: Option<Timestamp>,
    /// The next page to fetch; `None` between two passes.
    pub next_page: Option<String>,
    /// Time at which a pass last reached the end.
    pub finished_at: Option<Timestamp>,
    /// Pages read in the current pass.
    pub pages: u64,
    /// Unreadable records since the last full pass.
    pub unreadable: u64,
    /// The tracker's reason for refusing the list.
    pub refused: Option<String>,
    /// The `ETag` of the last response, with the URL that it belongs to.
    pub etag: Option<(String, String)>,
}

impl Reader<'_> {
    /// Returns the recorded progress of a source's sync.
    pub fn progress(&self, source: i64) -> Result<Option<SyncProgress>> {
        self.query_optional(
            "SELECT phase, done, total, unit, started_at, told_at FROM sync_progress
             WHERE source_id = ?1",
            [source],
            |r| {
                Ok(SyncProgress {
                    phase: r.get(0)?,
                    done: r.get(1)?,
                    total: r.get(2)?,
                    unit: r.get(3)?,
                    started_at: time(r, 4)?,
                    told_at: time(r, 5)?,
                })
            },
        )
    }

    /// Returns the remote of a source; `None` if the source is not live.
    pub fn remote(&self, source: i64) -> Result<Option<RemoteRow>> {
        self.query_optional(
            "SELECT host, base_url, project, remote_id, wiki, synced_at, problem, swept_at, trusted
             FROM remotes WHERE source_id = ?1",
            [source],
            |r| {
                Ok(RemoteRow {
                    host: r.get(0)?,
                    base_url: r.get(1)?,
                    project: r.get(2)?,
                    remote_id: r.get(3)?,
                    wiki: r.get(4)?,
                    synced_at: optional_time(r, 5)?,
                    problem: r.get(6)?,
                    swept_at: optional_time(r, 7)?,
                    is_trusted: r.get(8)?,
                })
            },
        )
    }

    /// Returns the names of the lists of a source that have a recorded sync position.
    pub fn stream_names(&self, source: i64) -> Result<Vec<String>> {
        self.query_column("SELECT name FROM streams WHERE source_id = ?1 ORDER BY name", [source])
    }

    /// Returns the sync position of a list.
    pub fn stream(&self, source: i64, name: &str) -> Result<StreamRow> {
        let row = self.query_optional(
            "SELECT watermark, next_page, finished_at, pages, unreadable, refused, etag, etag_page
             FROM streams WHERE source_id = ?1 AND name = ?2",
            params![source, name],
            |r| {
                Ok(StreamRow {
                    watermark: optional_time(r, 0)?,
                    next_page: r.get(1)?,
                    finished_at: optional_time(r, 2)?,
                    pages: r.get(3)?,
                    unreadable: r.get(4)?,
                    refused: r.get(5)?,
                    etag: r.get::<_, Option<String>>(6)?.zip(r.get(7)?),
                })
            },
        )?;
        Ok(row.unwrap_or_default())
    }

    /// Returns the numbers of a source's items without tombstones, ascending; with `only_open`, of
    /// the open ones.
    pub fn item_numbers(&self, source: i64, only_open: bool) -> Result<Vec<u64>> {
        self.query_column(
            if only_open {
                "SELECT number FROM documents WHERE source_id = ?1 AND number IS NOT NULL
                 AND deleted_at IS NULL AND state = 'open' ORDER BY number"
            } else {
                "SELECT number FROM documents WHERE source_id = ?1 AND number IS NOT NULL
                 AND deleted_at IS NULL ORDER BY number"
            },
            [source],
        )
    }

    /// Returns the keys of a source's pages, without tombstones.
    pub fn page_keys(&self, source: i64) -> Result<Vec<String>> {
        self.query_column(
            "SELECT key FROM documents WHERE source_id = ?1 AND kind = 'page'
             AND deleted_at IS NULL ORDER BY key",
            [source],
        )
    }

    /// Returns the keys of a source's deleted pages.
    pub fn deleted_page_keys(&self, source: i64) -> Result<Vec<String>> {
        self.query_column(
            "SELECT key FROM documents WHERE deleted_at IS NOT NULL AND source_id = ?1
             AND kind = 'page' ORDER BY key",
            [source],
        )
    }

    /// Returns the tracker's id of the document with this key.
    pub fn remote_id(&self, key: &str) -> Result<Option<String>> {
        let query = "SELECT remote_id FROM documents WHERE key = ?1";
        Ok(self.query_optional(query, [key], |r| r.get(0))?.flatten())
    }

    /// Returns whether another document of the same kind, which is not deleted, has the tracker id
    /// of the one with this key.
    pub fn is_replaced(&self, key: &str) -> Result<bool> {
        self.query_value(
            "SELECT EXISTS (SELECT 1 FROM documents d JOIN documents o ON o.source_id = d.source_id
             WHERE d.key = ?1 AND o.kind = d.kind AND o.remote_id = d.remote_id AND o.id <> d.id
             AND o.deleted_at IS NULL)",
            [key],
        )
    }

    /// Returns the tracker's ids of a source's comments without tombstones, with their items'
    /// numbers.
    pub fn comment_ids(&self, source: i64) -> Result<Vec<(String, u64)>> {
        self.query_rows(
            "SELECT remote_id, number FROM comments WHERE source_id = ?1
             AND deleted_at IS NULL ORDER BY remote_id",
            [source],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
    }

    /// Returns the number of a source's records whose date was ahead of the clock when they were
    /// stored.
    pub fn future_dated_count(&self, source: i64) -> Result<u64> {
        self.query_value(
            "SELECT (SELECT count(*) FROM documents WHERE source_id = ?1 AND dated_ahead = 1)
             + (SELECT count(*) FROM comments WHERE source_id = ?1 AND dated_ahead = 1)",
            [source],
        )
    }
}

/// The closed issues that changed since their closing relations were last fetched.
const UNREAD_RELATIONS: &str = "FROM documents d LEFT JOIN relations_read r
         ON r.source_id = d.source_id AND r.number = d.number
     WHERE d.source_id = ?1 AND d.kind = 'issue' AND d.state = 'closed' AND d.deleted_at IS NULL
       AND (r.updated_at IS NULL OR r.updated_at < coalesce(d.updated_at, 0))";

impl Reader<'_> {
    /// Returns the number of closed issues that changed since their closing relations were last
    /// fetched.
    pub fn unread_relation_count(&self, source: i64) -> Result<u64> {
        self.query_value(&format!("SELECT count(*) {UNREAD_RELATIONS}"), [source])
    }

    /// Returns the numbers of at most `limit` issues that [`Reader::unread_relation_count`] counts,
    /// newest first.
    pub fn next_relations(&self, source: i64, limit: usize) -> Result<Vec<u64>> {
        self.query_column(
            &format!("SELECT d.number {UNREAD_RELATIONS} ORDER BY d.number DESC LIMIT ?2"),
            params![source, limit],
        )
    }
}

impl Writer<'_> {
    /// Records that the closing relations of these items were fetched.
    pub fn mark_relations_read(&self, source: i64, numbers: &[u64]) -> Result<()> {
        for number in numbers {
            self.execute(
                "INSERT OR REPLACE INTO relations_read (source_id, number, updated_at)
                 SELECT source_id, number, coalesce(updated_at, 0) FROM documents
                 WHERE source_id = ?1 AND number = ?2",
                params![source, number],
            )?;
        }
        Ok(())
    }

    /// Marks a project on a tracker as trusted, so that sources mirrored from it may use a token.
    pub fn trust(&self, base_url: &str, project: &str) -> Result<()> {
        self.change(
            "UPDATE remotes SET trusted = 1 WHERE base_url = ?1 AND project = ?2 COLLATE NOCASE",
            [base_url, project],
        )
    }

    /// Sets the remote of a source.
    pub fn set_remote(&self, source: i64, remote: &RemoteRow) -> Result<()> {
        self.change(
            "INSERT INTO remotes (source_id, host, base_url, project, remote_id, wiki, trusted)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (source_id) DO UPDATE SET host = excluded.host,
                 base_url = excluded.base_url, project = excluded.project, wiki = excluded.wiki,
                 remote_id = coalesce(excluded.remote_id, remote_id), trusted = excluded.trusted",
            params![
                source,
                remote.host,
                remote.base_url,
                remote.project,
                remote.remote_id,
                remote.wiki,
                remote.is_trusted
            ],
        )
    }

    /// Records the progress of a sync.
    pub fn set_progress(&self, source: i64, row: &SyncProgress) -> Result<()> {
        self.replace(
            "sync_progress",
            &[
                ("source_id", &source),
                ("phase", &row.phase),
                ("done", &row.done),
                ("total", &row.total),
                ("unit", &row.unit),
                ("started_at", &row.started_at.as_second()),
                ("told_at", &row.told_at.as_second()),
            ],
        )
    }

    /// Deletes the recorded progress of a sync.
    pub fn forget_progress(&self, source: i64) -> Result<()> {
        self.change("DELETE FROM sync_progress WHERE source_id = ?1", [source])
    }

    /// Records the end of a sync.
    pub fn end_sync(&self, source: i64, now: Timestamp, problem: Option<&str>) -> Result<()> {
        self.forget_progress(source)?;
        self.change(
            "UPDATE remotes SET synced_at = ?2, problem = ?3 WHERE source_id = ?1",
            params![source, now.as_second(), problem],
        )
    }

    /// Records the time of a check for deleted items.
    pub fn record_sweep(&self, source: i64, now: Timestamp) -> Result<()> {
        self.change(
            "UPDATE remotes SET swept_at = ?2 WHERE source_id = ?1",
            params![source, now.as_second()],
        )
    }

    /// Records the sync position of a list.
    pub fn set_stream(&self, source: i64, name: &str, row: &StreamRow) -> Result<()> {
        let second = |t: Option<Timestamp>| t.map(Timestamp::as_second);
        let (etag, page) = row.etag.as_ref().map(|(e, p)| (e, p)).unzip();
        self.replace(
            "streams",
            &[
                ("source_id", &source),
                ("name", &name),
                ("watermark", &second(row.watermark)),
                ("next_page", &row.next_page),
                ("finished_at", &second(row.finished_at)),
                ("pages", &row.pages),
                ("unreadable", &row.unreadable),
                ("refused", &row.refused),
                ("etag", &etag),
                ("etag_page", &page),
            ],
        )
    }

    /// Deletes the sync positions of all lists of a source; stored records stay.
    pub fn forget_streams(&self, source: i64) -> Result<()> {
        self.change("DELETE FROM streams WHERE source_id = ?1", [source])
    }

    /// Marks a comment as deleted on its tracker and its item as changed. Returns `false` if
    /// it already was.
    pub fn mark_comment_deleted(
        &self,
        source: i64,
        remote_id: &str,
        now: Timestamp,
    ) -> Result<bool> {
        let number: Option<u64> = self.query_optional(
            "UPDATE comments SET deleted_at = ?3 WHERE source_id = ?1 AND remote_id = ?2
             AND deleted_at IS NULL RETURNING number",
            params![source, remote_id, now.as_second()],
            |r| r.get(0),
        )?;
        let Some(number) = number else { return Ok(false) };
        self.execute(
            "UPDATE documents SET revision = ?3 WHERE source_id = ?1 AND number = ?2",
            params![source, number, self.next_revision()?],
        )?;
        Ok(true)
    }
}
