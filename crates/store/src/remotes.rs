//! The remotes of live sources, and the sync position of each of their lists.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, params};

use super::{Reader, Writer, time};
use precedent_core::{error::Result, model::SyncProgress};

/// A row of `remotes`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteRow {
    /// The host as shown to users.
    pub host: String,
    /// The base address of its API.
    pub base_url: String,
    /// The project's current name in the tracker.
    pub project: String,
    /// The tracker's own id of the project.
    pub remote_id: Option<String>,
    /// True if its wiki is mirrored as well.
    pub wiki: bool,
    /// Time at which the last sync ended, successfully or not.
    pub synced_at: Option<Timestamp>,
    /// The problem that ended the last sync, if it did not complete.
    pub problem: Option<String>,
    /// Time of the last comparison with the items that the tracker still has.
    pub swept_at: Option<Timestamp>,
    /// True if the user has confirmed this project at this host, so that tokens may be sent and
    /// data written to it. Remotes from a casebook file start untrusted.
    pub is_trusted: bool,
}

/// A row of `streams`; all fields are empty for a list that was never read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StreamRow {
    /// Every change before this time is stored.
    pub watermark: Option<Timestamp>,
    /// The next page to fetch; `None` between two passes.
    pub next_page: Option<String>,
    /// Time at which a pass last reached the end.
    pub finished_at: Option<Timestamp>,
    /// Pages read in the current pass.
    pub pages: u64,
    /// Records since the last full pass that could not be read.
    pub unreadable: u64,
    /// The tracker's reason for refusing the list.
    pub refused: Option<String>,
    /// The `ETag` of the last response, with the address that it belongs to.
    pub etag: Option<(String, String)>,
}

impl Reader<'_> {
    /// Returns the recorded progress of a source's sync.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn progress(&self, source: i64) -> Result<Option<SyncProgress>> {
        let record = self
            .transaction
            .query_row(
                "SELECT phase, done, total, unit, started_at, told_at FROM sync_progress WHERE source_id = ?1",
                [source],
                |r| {
                    let (phase, done_count, total, unit) = (r.get(0)?, r.get(1)?, r.get(2)?, r.get(3)?);
                    let times: (i64, i64) = (r.get(4)?, r.get(5)?);
                    Ok((phase, done_count, total, unit, times))
                },
            )
            .optional()?;
        let Some((phase, done_count, total, unit, (started_at, told_at))) = record else {
            return Ok(None);
        };
        Ok(Some(SyncProgress {
            phase,
            done: done_count,
            total,
            unit,
            started_at: time(started_at)?,
            told_at: time(told_at)?,
        }))
    }

    /// Returns the remote of a source; `None` if the source is not live.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn remote(&self, source: i64) -> Result<Option<RemoteRow>> {
        let record = self
            .transaction
            .query_row(
                "SELECT host, base_url, project, remote_id, wiki, synced_at, problem, swept_at,
                 trusted FROM remotes
                 WHERE source_id = ?1",
                [source],
                |r| {
                    let times: (Option<i64>, Option<i64>) = (r.get(5)?, r.get(7)?);
                    let row = RemoteRow {
                        host: r.get(0)?,
                        base_url: r.get(1)?,
                        project: r.get(2)?,
                        remote_id: r.get(3)?,
                        wiki: r.get(4)?,
                        synced_at: None,
                        problem: r.get(6)?,
                        swept_at: None,
                        is_trusted: r.get(8)?,
                    };
                    Ok((row, times))
                },
            )
            .optional()?;
        let Some((row, (synced_at, swept))) = record else { return Ok(None) };
        Ok(Some(RemoteRow {
            synced_at: synced_at.map(time).transpose()?,
            swept_at: swept.map(time).transpose()?,
            ..row
        }))
    }

    /// Returns the names of the lists of a source that have a recorded sync position.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn stream_names(&self, source: i64) -> Result<Vec<String>> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT name FROM streams WHERE source_id = ?1 ORDER BY name")?;
        let rows = statement.query_map([source], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the sync position of a list.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn stream(&self, source: i64, name: &str) -> Result<StreamRow> {
        let record = self
            .transaction
            .prepare_cached(
                "SELECT watermark, next_page, finished_at, pages, unreadable, refused, etag,
                 etag_page FROM streams
                 WHERE source_id = ?1 AND name = ?2",
            )?
            .query_row(params![source, name], |r| {
                let times: (Option<i64>, Option<i64>) = (r.get(0)?, r.get(2)?);
                let etag: (Option<String>, Option<String>) = (r.get(6)?, r.get(7)?);
                let row = StreamRow {
                    watermark: None,
                    next_page: r.get(1)?,
                    finished_at: None,
                    pages: r.get(3)?,
                    unreadable: r.get(4)?,
                    refused: r.get(5)?,
                    etag: etag.0.zip(etag.1),
                };
                Ok((row, times))
            })
            .optional()?;
        let Some((row, (watermark, finished_at))) = record else { return Ok(StreamRow::default()) };
        Ok(StreamRow {
            watermark: watermark.map(time).transpose()?,
            finished_at: finished_at.map(time).transpose()?,
            ..row
        })
    }

    /// Returns the numbers of a source's stored items without tombstones, ascending; only open ones
    /// if `open` is set.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn item_numbers(&self, source: i64, open: bool) -> Result<Vec<u64>> {
        let mut statement = self.transaction.prepare(if open {
            "SELECT number FROM documents WHERE source_id = ?1 AND number IS NOT NULL
             AND deleted_at IS NULL
             AND state = 'open' ORDER BY number"
        } else {
            "SELECT number FROM documents WHERE source_id = ?1 AND number IS NOT NULL
             AND deleted_at IS NULL
             ORDER BY number"
        })?;
        let rows = statement.query_map([source], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the keys of a source's pages, without tombstones.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn page_keys(&self, source: i64) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare(
            "SELECT key FROM documents WHERE source_id = ?1 AND kind = 'page' AND deleted_at IS NULL ORDER BY key",
        )?;
        let rows = statement.query_map([source], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the keys of the pages of a source that are tombstones.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn hidden_page_keys(&self, source: i64) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare(
            "SELECT key FROM documents WHERE deleted_at IS NOT NULL AND source_id = ?1 AND kind = 'page' ORDER BY key",
        )?;
        let rows = statement.query_map([source], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the tracker's own id of the document with this key.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn remote_id(&self, key: &str) -> Result<Option<String>> {
        let id = self
            .transaction
            .prepare_cached("SELECT remote_id FROM documents WHERE key = ?1")?
            .query_row([key], |r| r.get::<_, Option<String>>(0))
            .optional()?;
        Ok(id.flatten())
    }

    /// Returns whether another document, not a tombstone, has the same tracker id as the one with
    /// this key.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn is_replaced(&self, key: &str) -> Result<bool> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT EXISTS (SELECT 1 FROM documents d JOIN documents o
                 ON o.source_id = d.source_id
                     WHERE d.key = ?1 AND o.remote_id = d.remote_id AND o.id <> d.id
                     AND o.deleted_at IS NULL)",
            )?
            .query_row([key], |r| r.get(0))?)
    }

    /// Returns the tracker's ids of a source's comments, without tombstones, with their item's
    /// number.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn comment_ids(&self, source: i64) -> Result<Vec<(String, u64)>> {
        let mut statement = self.transaction.prepare(
            "SELECT remote_id, number FROM comments WHERE source_id = ?1 AND deleted_at IS NULL ORDER BY remote_id",
        )?;
        let rows = statement.query_map([source], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Reader<'_> {
    /// Returns how many records of a source carry a date that was ahead of the clock when they were
    /// stored.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn dated_ahead(&self, source: i64) -> Result<u64> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT (SELECT count(*) FROM documents WHERE source_id = ?1 AND dated_ahead = 1)
                     + (SELECT count(*) FROM comments WHERE source_id = ?1 AND dated_ahead = 1)",
            )?
            .query_row([source], |r| r.get(0))?)
    }
}

/// Closed issues that changed since their closing relations were last fetched.
const UNREAD_RELATIONS: &str = "FROM documents d LEFT JOIN relations_read r
         ON r.source_id = d.source_id AND r.number = d.number
     WHERE d.source_id = ?1 AND d.kind = 'issue' AND d.state = 'closed' AND d.deleted_at IS NULL
       AND (r.updated_at IS NULL OR r.updated_at < coalesce(d.updated_at, 0))";

impl Reader<'_> {
    /// Returns how many closed issues changed since their closing relations were last fetched.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn unread_relations(&self, source: i64) -> Result<u64> {
        let query = format!("SELECT count(*) {UNREAD_RELATIONS}");
        Ok(self.transaction.query_row(&query, [source], |r| r.get(0))?)
    }

    /// Returns the numbers of at most `limit` such issues, newest first.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn next_relations(&self, source: i64, limit: usize) -> Result<Vec<u64>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT d.number {UNREAD_RELATIONS} ORDER BY d.number DESC LIMIT ?2"
        ))?;
        let rows = statement.query_map(params![source, limit], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Writer<'_> {
    /// Records that the closing relations of these items were fetched.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn relations_were_read(&self, source: i64, numbers: &[u64]) -> Result<()> {
        let mut statement = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO relations_read (source_id, number, updated_at)
             SELECT source_id, number, coalesce(updated_at, 0) FROM documents WHERE source_id = ?1
             AND number = ?2",
        )?;
        for number in numbers {
            statement.execute(params![source, number])?;
        }
        Ok(())
    }

    /// Marks a project at a tracker's address as trusted, so that sources mirrored from it may use
    /// a token.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn trust(&self, base_url: &str, project: &str) -> Result<()> {
        self.transaction.execute(
            "UPDATE remotes SET trusted = 1 WHERE base_url = ?1 AND project = ?2 COLLATE NOCASE",
            [base_url, project],
        )?;
        Ok(())
    }

    /// Sets the remote of a source. The sync positions are kept if it is the same place.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_remote(&self, source: i64, remote: &RemoteRow) -> Result<()> {
        self.transaction.execute(
            "INSERT INTO remotes (source_id, host, base_url, project, remote_id, wiki, trusted)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
             ON CONFLICT (source_id) DO UPDATE SET host = excluded.host,
             base_url = excluded.base_url,
                 project = excluded.project, remote_id = coalesce(excluded.remote_id, remote_id), wiki = excluded.wiki,
                 trusted = excluded.trusted",
            params![
                source,
                remote.host,
                remote.base_url,
                remote.project,
                remote.remote_id,
                remote.wiki,
                remote.is_trusted
            ],
        )?;
        Ok(())
    }

    /// Records the progress of a sync.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_progress(&self, source: i64, row: &SyncProgress) -> Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO sync_progress (source_id, phase, done, total, unit,
                 started_at, told_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                source,
                row.phase,
                row.done,
                row.total,
                row.unit,
                row.started_at.as_second(),
                row.told_at.as_second(),
            ])?;
        Ok(())
    }

    /// Deletes the recorded progress of a sync.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn forget_progress(&self, source: i64) -> Result<()> {
        self.transaction.execute("DELETE FROM sync_progress WHERE source_id = ?1", [source])?;
        Ok(())
    }

    /// Records the end of a sync.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn end_sync(&self, source: i64, now: Timestamp, problem: Option<&str>) -> Result<()> {
        self.forget_progress(source)?;
        self.transaction.execute(
            "UPDATE remotes SET synced_at = ?2, problem = ?3 WHERE source_id = ?1",
            params![source, now.as_second(), problem],
        )?;
        Ok(())
    }

    /// Records that the stored items were compared with those that the tracker still has.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_swept(&self, source: i64, now: Timestamp) -> Result<()> {
        self.transaction.execute(
            "UPDATE remotes SET swept_at = ?2 WHERE source_id = ?1",
            params![source, now.as_second()],
        )?;
        Ok(())
    }

    /// Records the sync position of a list.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_stream(&self, source: i64, name: &str, row: &StreamRow) -> Result<()> {
        let second = |t: Option<Timestamp>| t.map(Timestamp::as_second);
        let (etag, page) = row.etag.as_ref().map(|(e, p)| (e, p)).unzip();
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO streams (source_id, name, watermark, next_page,
                 finished_at, pages, unreadable,
                     refused, etag, etag_page)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
            )?
            .execute(params![
                source,
                name,
                second(row.watermark),
                row.next_page,
                second(row.finished_at),
                row.pages,
                row.unreadable,
                row.refused,
                etag,
                page,
            ])?;
        Ok(())
    }

    /// Deletes the sync positions of all lists of a source; stored records stay.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn forget_streams(&self, source: i64) -> Result<()> {
        self.transaction.execute("DELETE FROM streams WHERE source_id = ?1", [source])?;
        Ok(())
    }

    /// Marks a comment as deleted in its tracker; its item counts as changed.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn bury_comment(&self, source: i64, remote_id: &str, now: Timestamp) -> Result<bool> {
        let number: Option<u64> = self
            .transaction
            .prepare_cached(
                "UPDATE comments SET deleted_at = ?3 WHERE source_id = ?1 AND remote_id = ?2
                 AND deleted_at IS NULL
                 RETURNING number",
            )?
            .query_row(params![source, remote_id, now.as_second()], |r| r.get(0))
            .optional()?;
        let Some(number) = number else { return Ok(false) };
        self.transaction
            .prepare_cached(
                "UPDATE documents SET revision = ?3 WHERE source_id = ?1 AND number = ?2",
            )?
            .execute(params![source, number, self.next_revision()?])?;
        Ok(true)
    }
}
