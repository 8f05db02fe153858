//! Calibrations of duplicate checks on a source's known duplicates, and score baselines.

use std::collections::BTreeMap;

use jiff::Timestamp;
use rusqlite::params;

use super::{Reader, Writer, column_error};
use precedent_core::error::Result;

/// A source's own confidence curve and ranking weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// The factor of the log-odds.
    pub slope: f64,
    /// The offset of the log-odds.
    pub intercept: f64,
    /// The number of reports with a known earlier duplicate used for fitting.
    pub labels: u64,
    /// The fingerprint of the model whose vectors were used for fitting, if any.
    pub model: Option<String>,
    /// Ranking weights by feature name; `None` if the built-in ones are as good.
    pub weights: Option<BTreeMap<String, f32>>,
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
    /// Returns the score baseline that was measured with this basis (weights, rules and model), and
    /// the source's number of issues at that time.
    pub fn score_baseline(&self, source: i64, basis: &str) -> Result<Option<(ScoreBaseline, u64)>> {
        self.query_optional(
            "SELECT level, spread, issues FROM backgrounds WHERE source_id = ?1 AND made_with = ?2",
            params![source, basis],
            |r| Ok((ScoreBaseline { level: r.get(0)?, spread: r.get(1)? }, r.get(2)?)),
        )
    }

    /// Returns the calibration of a source, if it has one.
    pub fn calibration(&self, source: i64) -> Result<Option<Calibration>> {
        self.query_optional(
            "SELECT slope, intercept, labels, model, weights FROM calibrations
             WHERE source_id = ?1",
            [source],
            |r| {
                let weights: Option<String> = r.get(4)?;
                let weights = weights.map(|weights| serde_json::from_str(&weights)).transpose();
                Ok(Calibration {
                    slope: r.get(0)?,
                    intercept: r.get(1)?,
                    labels: r.get(2)?,
                    model: r.get(3)?,
                    weights: weights.map_err(|_| column_error(4, "invalid weights"))?,
                })
            },
        )
    }

    /// Returns the row ids of the pairs of a source's issues that are known duplicates, by a
    /// verdict or by a link that no verdict contradicts.
    pub fn known_duplicates(&self, source: i64) -> Result<Vec<(i64, i64)>> {
        self.query_rows(
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
                 AND a.id <> b.id ORDER BY a.id, b.id",
            [source],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )
    }

    /// Returns the factor by which duplicates in a source take longer to appear than elsewhere.
    pub fn time_scale(&self, source: i64) -> Result<f64> {
        let query = "SELECT pace FROM sources WHERE id = ?1";
        Ok(self.query_optional(query, [source], |r| r.get(0))?.unwrap_or(1.0))
    }

    /// Returns the number of issues of a source, without tombstones.
    pub fn issue_count(&self, source: i64) -> Result<u64> {
        self.query_value(
            "SELECT count(*) FROM documents WHERE source_id = ?1 AND kind = 'issue'
             AND deleted_at IS NULL",
            [source],
        )
    }

    /// Returns the row ids of a source's issues without tombstones, oldest first.
    pub fn issues_by_age(&self, source: i64) -> Result<Vec<i64>> {
        self.query_column(
            "SELECT id FROM documents WHERE source_id = ?1 AND kind = 'issue' AND deleted_at IS NULL
             ORDER BY created_at, number, id",
            [source])
    }
}

impl Writer<'_> {
    /// Sets the time scale of a source; see [`Reader::time_scale`].
    pub fn set_time_scale(&self, source: i64, scale: f64) -> Result<()> {
        self.change("UPDATE sources SET pace = ?2 WHERE id = ?1", params![source, scale])
    }

    /// Replaces the score baseline of a source and deletes its checks, which become invalid.
    pub fn set_score_baseline(
        &self,
        source: i64,
        baseline: ScoreBaseline,
        issues: u64,
        basis: &str,
    ) -> Result<()> {
        self.replace(
            "backgrounds",
            &[
                ("source_id", &source),
                ("level", &baseline.level),
                ("spread", &baseline.spread),
                ("issues", &issues),
                ("made_with", &basis),
            ],
        )?;
        self.delete_checks_of_source(source)
    }

    /// Replaces the calibration of a source and deletes its checks, which become invalid.
    pub fn set_calibration(
        &self,
        source: i64,
        calibration: &Calibration,
        now: Timestamp,
    ) -> Result<()> {
        let weights =
            calibration.weights.as_ref().map(|weights| serde_json::json!(weights).to_string());
        self.replace(
            "calibrations",
            &[
                ("source_id", &source),
                ("slope", &calibration.slope),
                ("intercept", &calibration.intercept),
                ("labels", &calibration.labels),
                ("weights", &weights),
                ("model", &calibration.model),
                ("made_at", &now.as_second()),
            ],
        )?;
        self.delete_checks_of_source(source)
    }

    fn delete_checks_of_source(&self, source: i64) -> Result<()> {
        self.change(
            "DELETE FROM checks WHERE key IN (SELECT key FROM documents WHERE source_id = ?1)",
            [source],
        )
    }
}
