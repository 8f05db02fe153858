//! Calibrations of duplicate checks by a source's known duplicates, the pairs they are fitted on,
//! and score baselines.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, params, types::Type};

use super::{Reader, Writer};
use precedent_core::error::Result;

/// A source's own confidence curve and its own ranking weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The factor of the log-odds.
    pub slope: f64,
    /// The offset of the log-odds.
    pub intercept: f64,
    /// The number of reports with a known earlier duplicate that it was fitted on.
    pub labels: u64,
    /// The fingerprint of the model whose vectors were used for fitting, if any.
    pub model: Option<String>,
    /// Ranking weights by feature name; `None` if the built-in ones rank as well.
    pub order: Option<BTreeMap<String, f32>>,
}

/// The baseline of top candidates' scores in a source without known duplicates, in log-odds of the
/// confidence model.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreBaseline {
    /// The median score.
    pub level: f32,
    /// The interquartile range of the scores; above 0.
    pub spread: f32,
}

impl Reader<'_> {
    /// Returns the background of a source made with these weights, rules and model, and the number
    /// of issues it had then.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn score_baseline(
        &self,
        source: i64,
        made_with: &str,
    ) -> Result<Option<(ScoreBaseline, u64)>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT level, spread, issues FROM backgrounds WHERE source_id = ?1 AND made_with = ?2",
        )?;
        Ok(statement
            .query_row(params![source, made_with], |r| {
                Ok((ScoreBaseline { level: r.get(0)?, spread: r.get(1)? }, r.get(2)?))
            })
            .optional()?)
    }

    /// Returns the calibration of a source, if it has one.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn calibration(&self, source: i64) -> Result<Option<Calibration>> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT slope, intercept, labels, model, weights FROM calibrations WHERE source_id = ?1",
            )?
            .query_row([source], |r| {
                let order = r.get::<_, Option<String>>(4)?.map(|weights| read_order(&weights));
                Ok(Calibration {
                    slope: r.get(0)?,
                    intercept: r.get(1)?,
                    labels: r.get(2)?,
                    model: r.get(3)?,
                    order: order.transpose()?,
                })
            })
            .optional()?)
    }

    /// Returns the pairs of issues of a source that are known duplicates, as row ids: those decided
    /// by users, those marked by the tracker, and those stated in texts without a contrary
    /// decision.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn known_duplicates(&self, source: i64) -> Result<Vec<(i64, i64)>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT a.id, b.id FROM (
                 SELECT first_key AS x, second_key AS y FROM verdicts WHERE verdict = 'duplicate'
                 UNION
                 SELECT min(from_key, to_key), max(from_key, to_key) FROM links l
                 WHERE kind = 'duplicate_of'
                   AND NOT EXISTS (SELECT 1 FROM verdicts v WHERE v.verdict <> 'duplicate'
                       AND v.first_key = min(l.from_key, l.to_key)
                       AND v.second_key = max(l.from_key, l.to_key)))
             JOIN documents a ON a.key = x JOIN documents b ON b.key = y
             WHERE a.source_id = ?1 AND b.source_id = ?1 AND a.kind = 'issue' AND b.kind = 'issue'
             AND a.id <> b.id
             ORDER BY a.id, b.id",
        )?;
        let rows = statement.query_map([source], |r| Ok((r.get(0)?, r.get(1)?)))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the factor by which duplicates in a source take longer to appear than elsewhere.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn pace(&self, source: i64) -> Result<f64> {
        let mut statement =
            self.transaction.prepare_cached("SELECT pace FROM sources WHERE id = ?1")?;
        Ok(statement.query_row([source], |r| r.get(0)).optional()?.unwrap_or(1.0))
    }

    /// Returns the number of issues of a source, without tombstones.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn issue_count(&self, source: i64) -> Result<u64> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT count(*) FROM documents WHERE source_id = ?1 AND kind = 'issue' AND deleted_at IS NULL",
            )?
            .query_row([source], |r| r.get(0))?)
    }

    /// Returns the row ids of a source's issues without tombstones, oldest first.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn issues_by_age(&self, source: i64) -> Result<Vec<i64>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT id FROM documents WHERE source_id = ?1 AND kind = 'issue' AND deleted_at IS NULL
             ORDER BY created_at, number, id",
        )?;
        let rows = statement.query_map([source], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

fn read_order(weights: &str) -> rusqlite::Result<BTreeMap<String, f32>> {
    serde_json::from_str(weights).map_err(|e| {
        rusqlite::Error::FromSqlConversionFailure(
            4,
            Type::Text,
            format!("weights that are none: {e}").into(),
        )
    })
}

impl Writer<'_> {
    /// Stores the pace of a source.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn put_pace(&self, source: i64, pace: f64) -> Result<()> {
        self.transaction
            .execute("UPDATE sources SET pace = ?2 WHERE id = ?1", params![source, pace])?;
        Ok(())
    }

    /// Replaces the background of a source. Its earlier checks become invalid and are made again.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn put_score_baseline(
        &self,
        source: i64,
        background: ScoreBaseline,
        issues: u64,
        made_with: &str,
    ) -> Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO backgrounds (source_id, level, spread, issues, made_with)
                 VALUES (?1, ?2, ?3, ?4, ?5)",
            )?
            .execute(params![source, background.level, background.spread, issues, made_with])?;
        self.forget_checks_of(source)
    }

    /// Replaces the calibration of a source. Its earlier checks become invalid and are made again.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn put_calibration(
        &self,
        source: i64,
        calibration: &Calibration,
        now: Timestamp,
    ) -> Result<()> {
        let weights =
            calibration.order.as_ref().map(|weights| serde_json::json!(weights).to_string());
        self.transaction
            .prepare_cached(
                "INSERT OR REPLACE INTO calibrations (source_id, slope, intercept, labels, weights,
                 model, made_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)",
            )?
            .execute(params![
                source,
                calibration.slope,
                calibration.intercept,
                calibration.labels,
                weights,
                calibration.model,
                now.as_second()
            ])?;
        self.forget_checks_of(source)
    }

    fn forget_checks_of(&self, source: i64) -> Result<()> {
        self.transaction
            .prepare_cached(
                "DELETE FROM checks WHERE key IN (SELECT key FROM documents WHERE source_id = ?1)",
            )?
            .execute([source])?;
        Ok(())
    }
}
