//! Statistics of the casebook's reports.

use rusqlite::params;

use super::{Reader, time};
use precedent_core::{
    error::Result,
    model::{CountedDuplicate, MonthVolume, State},
};

/// Known duplicates, by a link, the tracker's reason or a user decision. Pairs marked "not a
/// duplicate" are excluded.
const DUPLICATES: &str = "WITH known (key) AS (
    SELECT from_key FROM links WHERE kind = 'duplicate_of'
        AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdict <> 'duplicate'
                        AND first_key = min(from_key, to_key) AND second_key = max(from_key,
                        to_key))
    UNION SELECT key FROM documents WHERE kind = 'issue' AND state_reason = 'duplicate'
    UNION SELECT CASE canonical_key WHEN first_key THEN second_key ELSE first_key END FROM verdicts
        WHERE verdict = 'duplicate')";

/// The numbers of a source's issues.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct VolumeRow {
    /// All issues.
    pub issues: u64,
    /// Open issues.
    pub open: u64,
    /// Known duplicates.
    pub duplicates: u64,
    /// Seconds from report to closure of the closed issues, ascending.
    pub durations: Vec<i64>,
}

impl Reader<'_> {
    /// Returns the number of issues by month, of one source or all, in chronological order without
    /// empty months.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn months(&self, source: Option<i64>) -> Result<Vec<MonthVolume>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "{DUPLICATES}
             SELECT month, sum(opened), sum(duplicates), sum(closed) FROM (
                 SELECT strftime('%Y-%m', created_at, 'unixepoch') AS month, count(*) AS opened,
                        sum(key IN known) AS duplicates, 0 AS closed
                 FROM documents WHERE kind = 'issue' AND deleted_at IS NULL
                 AND created_at IS NOT NULL
                     AND (?1 IS NULL OR source_id = ?1) GROUP BY month
                 UNION ALL
                 SELECT strftime('%Y-%m', closed_at, 'unixepoch') AS month, 0, 0, count(*)
                 FROM documents WHERE kind = 'issue' AND deleted_at IS NULL
                 AND closed_at IS NOT NULL
                     AND state <> 'open' AND (?1 IS NULL OR source_id = ?1) GROUP BY month
             ) GROUP BY month ORDER BY month"
        ))?;
        let rows = statement.query_map([source], |r| {
            Ok(MonthVolume {
                month: r.get(0)?,
                opened: r.get(1)?,
                duplicates: r.get(2)?,
                closed: r.get(3)?,
            })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the totals of a source's issues.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn volume(&self, source: i64) -> Result<VolumeRow> {
        let mut row = self
            .transaction
            .prepare_cached(&format!(
                "{DUPLICATES}
                 SELECT count(*), coalesce(sum(state = 'open'), 0), coalesce(sum(key IN known), 0)
                 FROM documents WHERE kind = 'issue' AND deleted_at IS NULL AND source_id = ?1"
            ))?
            .query_row([source], |r| {
                Ok(VolumeRow {
                    issues: r.get(0)?,
                    open: r.get(1)?,
                    duplicates: r.get(2)?,
                    durations: Vec::new(),
                })
            })?;
        let mut statement = self.transaction.prepare_cached(
            "SELECT closed_at - created_at AS lasted FROM documents
             WHERE kind = 'issue' AND deleted_at IS NULL AND source_id = ?1 AND state <> 'open'
                 AND closed_at >= created_at ORDER BY lasted",
        )?;
        row.durations =
            statement.query_map(params![source], |r| r.get(0))?.collect::<rusqlite::Result<_>>()?;
        Ok(row)
    }

    /// Returns the known duplicates of one source or all, created in one month (`2026-01`) or ever,
    /// latest first.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn known_as_duplicates(
        &self,
        source: Option<i64>,
        month: Option<&str>,
    ) -> Result<Vec<CountedDuplicate>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "{DUPLICATES}
             SELECT key, title, state, state_reason, created_at FROM documents
             WHERE kind = 'issue' AND deleted_at IS NULL AND key IN known AND (?1 IS NULL
             OR source_id = ?1)
                 AND (?2 IS NULL OR strftime('%Y-%m', created_at, 'unixepoch') = ?2)
             ORDER BY created_at DESC, key"
        ))?;
        let rows = statement.query_map(params![source, month], |r| {
            let state: Option<String> = r.get(2)?;
            let duplicate = CountedDuplicate {
                key: r.get(0)?,
                title: r.get(1)?,
                state: state.as_deref().and_then(State::parse),
                state_reason: r.get(3)?,
                created_at: None,
                of: None,
            };
            Ok((duplicate, r.get::<_, Option<i64>>(4)?))
        })?;
        rows.map(|row| {
            let (mut duplicate, created_at) = row?;
            duplicate.created_at = created_at.map(time).transpose()?;
            duplicate.of = self.canonical(&duplicate.key)?.stays_for(&duplicate.key);
            Ok(duplicate)
        })
        .collect()
    }
}
