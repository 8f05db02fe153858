//! Statistics of the casebook's reports.

use rusqlite::params;

use super::{Reader, SourceRow, optional_time};
use precedent_core::{
    error::Result,
    model::{CountedDuplicate, MonthVolume, SourceVolume, parse_name},
};

/// The known duplicates, by a link, the tracker's reason or a verdict. Links that a verdict
/// contradicts do not count.
const DUPLICATES: &str = "WITH known (key) AS (
    SELECT from_key FROM links WHERE kind = 'duplicate_of'
        AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdict <> 'duplicate'
            AND first_key = min(from_key, to_key) AND second_key = max(from_key, to_key))
    UNION SELECT key FROM documents WHERE kind = 'issue' AND state_reason = 'duplicate'
    UNION SELECT CASE canonical_key WHEN first_key THEN second_key ELSE first_key END FROM verdicts
        WHERE verdict = 'duplicate')";

const DAY: f64 = 86_400.0;

impl Reader<'_> {
    /// Returns the issue counts of one source or of all by month, oldest first, without empty
    /// months.
    pub fn months(&self, source: Option<i64>) -> Result<Vec<MonthVolume>> {
        self.query_rows(
            &format!(
                "{DUPLICATES}
                 SELECT month, sum(opened), sum(duplicates), sum(closed) FROM (
                     SELECT strftime('%Y-%m', created_at, 'unixepoch') AS month,
                         count(*) AS opened, sum(key IN known) AS duplicates, 0 AS closed
                     FROM documents WHERE kind = 'issue' AND deleted_at IS NULL
                         AND created_at IS NOT NULL AND (?1 IS NULL OR source_id = ?1)
                     GROUP BY month
                     UNION ALL
                     SELECT strftime('%Y-%m', closed_at, 'unixepoch') AS month, 0, 0, count(*)
                     FROM documents WHERE kind = 'issue' AND deleted_at IS NULL
                         AND closed_at IS NOT NULL AND state <> 'open'
                         AND (?1 IS NULL OR source_id = ?1) GROUP BY month
                 ) GROUP BY month ORDER BY month"
            ),
            [source],
            |r| {
                Ok(MonthVolume {
                    month: r.get(0)?,
                    opened: r.get(1)?,
                    duplicates: r.get(2)?,
                    closed: r.get(3)?,
                })
            },
        )
    }

    /// Returns the totals of a source's issues.
    pub fn volume(&self, source: &SourceRow) -> Result<SourceVolume> {
        let durations: Vec<i64> = self.query_column(
            "SELECT closed_at - created_at AS duration FROM documents
             WHERE kind = 'issue' AND deleted_at IS NULL AND source_id = ?1 AND state <> 'open'
                 AND closed_at >= created_at ORDER BY duration",
            [source.id],
        )?;
        let query = format!(
            "{DUPLICATES}
             SELECT count(*), coalesce(sum(state = 'open'), 0), coalesce(sum(key IN known), 0)
             FROM documents WHERE kind = 'issue' AND deleted_at IS NULL AND source_id = ?1"
        );
        let (issues, open, duplicates) = self.query_row(&query, [source.id])?;
        let (source, median_days) = (source.key.clone(), median_days(&durations));
        Ok(SourceVolume { source, issues, open, duplicates, median_days })
    }

    /// Returns the known duplicates of one source or all, from one month (`2026-01`) or all, latest
    /// first.
    pub fn counted_duplicates(
        &self,
        source: Option<i64>,
        month: Option<&str>,
    ) -> Result<Vec<CountedDuplicate>> {
        let query = format!(
            "{DUPLICATES}
             SELECT key, title, state, state_reason, created_at FROM documents
             WHERE kind = 'issue' AND deleted_at IS NULL AND key IN known
                 AND (?1 IS NULL OR source_id = ?1)
                 AND (?2 IS NULL OR strftime('%Y-%m', created_at, 'unixepoch') = ?2)
             ORDER BY created_at DESC, key"
        );
        let mut duplicates = self.query_rows(&query, params![source, month], |r| {
            let state: Option<String> = r.get(2)?;
            Ok(CountedDuplicate {
                key: r.get(0)?,
                title: r.get(1)?,
                state: state.as_deref().and_then(parse_name),
                state_reason: r.get(3)?,
                created_at: optional_time(r, 4)?,
                of: None,
            })
        })?;
        for duplicate in &mut duplicates {
            duplicate.of = self.canonical(&duplicate.key)?.other_than(&duplicate.key);
        }
        Ok(duplicates)
    }
}

/// Returns the median of ascending durations in seconds, in days: the lower one of an even count,
/// because it is a real age.
fn median_days(durations: &[i64]) -> Option<f64> {
    let middle = durations.get(durations.len().saturating_sub(1) / 2);
    middle.map(|seconds| *seconds as f64 / DAY)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_is_a_real_age() {
        assert_eq!(median_days(&[]), None);
        assert_eq!(median_days(&[86_400]), Some(1.0));
        assert_eq!(median_days(&[0, 86_400, 172_800, 864_000]), Some(1.0));
    }
}
