//! Known and likely duplicates, which are grouped into problems.

use jiff::Timestamp;
use rusqlite::params;

use super::{Reader, optional_time};
use precedent_core::{error::Result, model::Tie};

impl Reader<'_> {
    /// Returns the issues that are known duplicates or whose check found a candidate with at least
    /// this confidence, and the other issues of these pairs, ordered by creation time.
    pub fn ties(&self, source: Option<i64>, confidence: f32) -> Result<Vec<Tie>> {
        let rows: Vec<(Tie, bool)> = self.query_rows(
            "WITH known (key) AS (
                 SELECT from_key FROM links WHERE kind = 'duplicate_of'
                 UNION SELECT CASE canonical_key WHEN first_key THEN second_key ELSE first_key END
                 FROM verdicts WHERE verdict = 'duplicate'),
             paired (key) AS (
                 SELECT key FROM known
                 UNION SELECT to_key FROM links WHERE kind = 'duplicate_of'
                 UNION SELECT canonical_key FROM verdicts WHERE verdict = 'duplicate'
                 UNION SELECT key FROM check_candidates WHERE confidence >= ?2
                 UNION SELECT other_key FROM check_candidates WHERE confidence >= ?2)
             SELECT d.key, d.title, d.url, d.state = 'open', d.created_at, d.closed_at,
                 d.key IN known
             FROM paired p JOIN documents d ON d.key = p.key
             WHERE d.kind = 'issue' AND d.deleted_at IS NULL AND (?1 IS NULL OR d.source_id = ?1)
             ORDER BY d.created_at, d.number, d.id",
            params![source, confidence],
            |r| {
                let tie = Tie {
                    key: r.get(0)?,
                    title: r.get(1)?,
                    url: r.get(2)?,
                    open: r.get(3)?,
                    created_at: optional_time(r, 4)?,
                    closed_at: optional_time(r, 5)?,
                    ..Tie::default()
                };
                Ok((tie, r.get(6)?))
            },
        )?;
        let mut candidates = self.transaction.prepare_cached(
            "SELECT other_key, confidence FROM check_candidates WHERE key = ?1 AND confidence >= ?2
             ORDER BY confidence DESC, other_key",
        )?;
        let mut ties = Vec::with_capacity(rows.len());
        for (mut tie, is_known) in rows {
            if is_known {
                tie.canonical = Some(self.canonical(&tie.key)?.key).filter(|c| *c != tie.key);
            }
            tie.candidates = candidates
                .query_map(params![tie.key, confidence], |r| Ok((r.get(0)?, r.get(1)?)))?
                .collect::<rusqlite::Result<_>>()?;
            ties.push(tie);
        }
        Ok(ties)
    }

    /// Returns at most 1,000 issues of a source that were closed after `start` or belong to a
    /// planned version, oldest closure first, without their candidates.
    pub fn closed_since(&self, source: i64, start: Timestamp) -> Result<Vec<Tie>> {
        self.query_rows(
            "SELECT key, title, url, created_at, closed_at FROM documents
             WHERE source_id = ?1 AND kind = 'issue' AND state = 'closed' AND deleted_at IS NULL
               AND (closed_at > ?2 OR milestone IN (
                   SELECT name FROM releases WHERE source_id = ?1 AND is_released = 0))
             ORDER BY closed_at, number LIMIT 1000",
            params![source, start.as_second()],
            |r| {
                Ok(Tie {
                    key: r.get(0)?,
                    title: r.get(1)?,
                    url: r.get(2)?,
                    created_at: optional_time(r, 3)?,
                    closed_at: optional_time(r, 4)?,
                    ..Tie::default()
                })
            },
        )
    }

    /// Returns the pairs with a verdict other than `duplicate`, the smaller key first.
    pub fn non_duplicate_pairs(&self) -> Result<Vec<(String, String)>> {
        self.query_rows(
            "SELECT first_key, second_key FROM verdicts WHERE verdict <> 'duplicate'",
            [],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
    }
}
