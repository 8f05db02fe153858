//! Known and likely duplicates, from which the problems of a backlog are formed.

use jiff::Timestamp;
use rusqlite::params;

use super::{Reader, time};
use precedent_core::{error::Result, model::Tie};

impl Reader<'_> {
    /// Returns the issues that are known duplicates, or whose check found an earlier report of at
    /// least this confidence, together with those reports, ordered by creation time, then by row.
    ///
    /// Known duplicates name their canonical report; see [`Reader::canonical`].
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn ties(&self, source: Option<i64>, confidence: f32) -> Result<Vec<Tie>> {
        let mut statement = self.transaction.prepare_cached(
            "WITH known (key) AS (
                 SELECT from_key FROM links WHERE kind = 'duplicate_of'
                 UNION SELECT CASE canonical_key WHEN first_key THEN second_key ELSE first_key END
                 FROM verdicts
                     WHERE verdict = 'duplicate'),
             taking_part (key) AS (
                 SELECT key FROM known
                 UNION SELECT to_key FROM links WHERE kind = 'duplicate_of'
                 UNION SELECT canonical_key FROM verdicts WHERE verdict = 'duplicate'
                 UNION SELECT key FROM check_candidates WHERE confidence >= ?2
                 UNION SELECT other_key FROM check_candidates WHERE confidence >= ?2)
             SELECT d.key, d.title, d.url, d.state = 'open', d.created_at, d.key IN known,
             d.closed_at
             FROM taking_part t JOIN documents d ON d.key = t.key
             WHERE d.kind = 'issue' AND d.deleted_at IS NULL AND (?1 IS NULL OR d.source_id = ?1)
             ORDER BY d.created_at, d.number, d.id",
        )?;
        let rows = statement.query_map(params![source, confidence], |r| {
            let at: Option<i64> = r.get(4)?;
            let is_known: bool = r.get(5)?;
            let closed_at: Option<i64> = r.get(6)?;
            let tie = Tie {
                key: r.get(0)?,
                title: r.get(1)?,
                url: r.get(2)?,
                open: r.get(3)?,
                created_at: None,
                closed_at: None,
                canonical: None,
                candidates: Vec::new(),
            };
            Ok((tie, at, closed_at, is_known))
        })?;
        let mut out = Vec::new();
        let mut candidates = self.transaction.prepare_cached(
            "SELECT other_key, confidence FROM check_candidates WHERE key = ?1 AND confidence >= ?2
             ORDER BY confidence DESC, other_key",
        )?;
        for row in rows {
            let (mut tie, at, closed_at, is_known) = row?;
            tie.created_at = at.map(time).transpose()?;
            tie.closed_at = closed_at.map(time).transpose()?;
            if is_known {
                tie.canonical = Some(self.canonical(&tie.key)?.key).filter(|c| *c != tie.key);
            }
            tie.candidates = candidates
                .query_map(params![tie.key, confidence], |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            out.push(tie);
        }
        Ok(out)
    }

    /// Returns the issues of a source that were closed after a time or belong to a planned version,
    /// oldest closure first; at most 1,000. Their candidates are not read.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn closed_since(&self, source: i64, since: Timestamp) -> Result<Vec<Tie>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT key, title, url, created_at, closed_at FROM documents
             WHERE source_id = ?1 AND kind = 'issue' AND state = 'closed' AND deleted_at IS NULL 
               AND (closed_at > ?2 OR milestone IN (SELECT name FROM releases WHERE source_id = ?1
               AND is_released = 0))
             ORDER BY closed_at, number LIMIT 1000",
        )?;
        let rows = statement.query_map(params![source, since.as_second()], |r| {
            let times: (Option<i64>, Option<i64>) = (r.get(3)?, r.get(4)?);
            Ok((Tie { key: r.get(0)?, title: r.get(1)?, url: r.get(2)?, ..Tie::default() }, times))
        })?;
        rows.map(|row| {
            let (tie, (created_at, closed_at)) = row?;
            let [created_at, closed_at] =
                [created_at, closed_at].map(|at| at.map(time).transpose());
            Ok(Tie { created_at: created_at?, closed_at: closed_at?, ..tie })
        })
        .collect()
    }

    /// Returns the pairs that a user marked as not duplicates, the smaller key first.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn told_apart(&self) -> Result<Vec<(String, String)>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT first_key, second_key FROM verdicts WHERE verdict <> 'duplicate'",
        )?;
        let rows = statement.query_map([], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}
