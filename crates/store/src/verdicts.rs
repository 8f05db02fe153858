//! User decisions about pairs of documents, and records of duplicate checks.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Reader, Writer, parse_column, time};
use precedent_core::{
    error::Result,
    model::{Check, Coverage, MissingCoverage, Verdict, VerdictKind, parse_name},
};

const COLUMNS: &str = "first_key, second_key, verdict, canonical_key, reason, actor, decided_at";

/// The sort order of verdicts, latest first; those of the same second are in the journal's order.
const LATEST_FIRST: &str = "decided_at DESC, (SELECT max(j.id) FROM verdict_journal j
     WHERE j.first_key = verdicts.first_key AND j.second_key = verdicts.second_key
       AND j.decided_at = verdicts.decided_at) DESC";

/// The maximum length of a followed chain of duplicates.
const MAX_CHAIN: usize = 64;

/// The end of a chain of duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The key of the canonical report.
    pub key: String,
    /// The keys of the cycle in which the chain ends, in order; empty without a cycle.
    pub cycle: Vec<String>,
}

impl Canonical {
    /// Returns the canonical report of the chain that starts with `key`; `None` if that is `key`
    /// itself or `key` is in a cycle.
    pub fn other_than(self, key: &str) -> Option<String> {
        Some(self.key)
            .filter(|canonical| canonical != key && self.cycle.iter().all(|member| member != key))
    }
}

fn read_row(r: &Row<'_>) -> rusqlite::Result<Verdict> {
    let kind: String = r.get(2)?;
    Ok(Verdict {
        first: r.get(0)?,
        second: r.get(1)?,
        kind: parse_name(&kind).unwrap_or(VerdictKind::Related),
        canonical: r.get(3)?,
        reason: r.get(4)?,
        actor: r.get(5)?,
        decided_at: time(r, 6)?,
    })
}

/// Returns a pair in the column order of the table.
fn pair<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    if a < b { (a, b) } else { (b, a) }
}

impl Reader<'_> {
    /// Returns the verdict about a pair.
    pub fn verdict(&self, a: &str, b: &str) -> Result<Option<Verdict>> {
        let (first, second) = pair(a, b);
        self.query_optional(
            &format!("SELECT {COLUMNS} FROM verdicts WHERE first_key = ?1 AND second_key = ?2"),
            [first, second],
            read_row,
        )
    }

    /// Returns the verdicts about a document, or all of them, latest first.
    pub fn verdicts(&self, key: Option<&str>) -> Result<Vec<Verdict>> {
        let query = format!(
            "SELECT {COLUMNS} FROM verdicts WHERE ?1 IS NULL OR first_key = ?1 OR second_key = ?1
             ORDER BY {LATEST_FIRST}, first_key, second_key"
        );
        self.query_rows(&query, [key], read_row)
    }

    /// Returns the record of the last check of a document.
    pub fn check(&self, key: &str) -> Result<Option<Check>> {
        self.query_optional(
            "SELECT checked_at, revision, band, best_key, confidence, closed, full_text, embedded,
             worth FROM checks WHERE key = ?1",
            [key],
            |r| {
                Ok(Check {
                    checked_at: time(r, 0)?,
                    revision: r.get(1)?,
                    band: parse_column(r, 2, parse_name)?,
                    best: r.get(3)?,
                    confidence: r.get(4)?,
                    worth: r.get(8)?,
                    closed: r.get(5)?,
                    missing_coverage: MissingCoverage { full_text: r.get(6)?, embedded: r.get(7)? },
                })
            },
        )
    }

    /// Returns the basis of the recorded checks; see [`Writer::reset_checks`].
    pub fn check_basis(&self) -> Result<Option<String>> {
        self.query_value("SELECT checked_with FROM casebook", [])
    }

    /// Returns the keys of open issues that are new or changed since their last check of this kind,
    /// newest first.
    ///
    /// The issues are of one source or of all. Those checked with incomplete indexes are returned
    /// again once the indexes cover more (`coverage`), and known duplicates are skipped. With
    /// `recheck`, unchanged issues are returned as well.
    pub fn unchecked_issues(
        &self,
        source: Option<i64>,
        with_closed: bool,
        recheck: bool,
        coverage: &Coverage,
    ) -> Result<Vec<String>> {
        self.query_column(
            "SELECT d.key FROM documents d INDEXED BY documents_open
             LEFT JOIN checks c ON c.key = d.key
             WHERE d.kind = 'issue' AND d.state = 'open' AND d.deleted_at IS NULL
               AND (?1 IS NULL OR d.source_id = ?1)
               AND (?3 OR c.key IS NULL OR c.revision < d.revision OR c.closed <> ?2
                    OR c.full_text < ?4 OR c.embedded < ?5)
               AND d.key NOT IN (
                   SELECT first_key FROM verdicts
                   WHERE verdict = 'duplicate' AND canonical_key <> first_key
                   UNION ALL SELECT second_key FROM verdicts
                   WHERE verdict = 'duplicate' AND canonical_key <> second_key)
               AND NOT EXISTS (
                   SELECT 1 FROM links l WHERE l.from_key = d.key AND l.kind = 'duplicate_of')
             ORDER BY d.created_at DESC, d.id DESC",
            params![source, with_closed, recheck, coverage.full_text, coverage.embedded],
        )
    }

    /// Returns the open issues whose check found an undecided candidate with at least this
    /// confidence, highest first, then by key.
    pub fn undecided_issues(
        &self,
        source: Option<i64>,
        with_closed: bool,
        confidence: f32,
    ) -> Result<Vec<String>> {
        self.checked_issues(
            "c.confidence >= ?3 ORDER BY c.confidence DESC, c.key",
            source,
            with_closed,
            confidence,
        )
    }

    /// Returns the open issues whose candidate is only related, highest worth first, then by key.
    pub fn related_issues(&self, source: Option<i64>, with_closed: bool) -> Result<Vec<String>> {
        self.checked_issues(
            "c.band = 'related' AND c.worth >= ?3 ORDER BY c.worth DESC, c.key",
            source,
            with_closed,
            0.0,
        )
    }

    fn checked_issues(
        &self,
        condition: &str,
        source: Option<i64>,
        with_closed: bool,
        minimum: f32,
    ) -> Result<Vec<String>> {
        self.query_column(
            &format!(
                "SELECT c.key FROM checks c JOIN documents d ON d.key = c.key
                 WHERE d.state = 'open' AND d.deleted_at IS NULL
                   AND (?1 IS NULL OR d.source_id = ?1)
                   AND c.closed = ?2 AND c.best_key IS NOT NULL AND NOT EXISTS (
                       SELECT 1 FROM links l WHERE l.from_key = d.key AND l.kind = 'duplicate_of')
                   AND {condition}"
            ),
            params![source, with_closed, minimum],
        )
    }

    /// Returns the number of closed issues of one source or of all.
    pub fn closed_issue_count(&self, source: Option<i64>) -> Result<u64> {
        self.query_value(
            "SELECT count(*) FROM documents WHERE kind = 'issue' AND state = 'closed'
             AND deleted_at IS NULL AND (?1 IS NULL OR source_id = ?1)",
            [source],
        )
    }

    /// Returns the end of a document's chain of duplicates. User decisions take precedence over
    /// trackers, and trackers over texts. A document that is not a duplicate is the end of its own
    /// chain.
    pub fn canonical(&self, key: &str) -> Result<Canonical> {
        self.end_of_chain(key, true)
    }

    /// Works like [`Reader::canonical`], but ignores decisions from imported casebook files.
    pub fn own_canonical(&self, key: &str) -> Result<Canonical> {
        self.end_of_chain(key, false)
    }

    /// Returns whether a verdict was imported with a casebook file.
    pub fn is_imported_verdict(&self, verdict: &Verdict) -> Result<bool> {
        let query = "SELECT imported FROM verdicts WHERE first_key = ?1 AND second_key = ?2";
        let is_imported =
            self.query_optional(query, [&verdict.first, &verdict.second], |r| r.get(0))?;
        Ok(is_imported.unwrap_or(false))
    }

    fn end_of_chain(&self, key: &str, with_imported: bool) -> Result<Canonical> {
        let mut by_verdict = self.transaction.prepare_cached(&format!(
            "SELECT canonical_key FROM verdicts
             WHERE (first_key = ?1 OR second_key = ?1) AND verdict = 'duplicate'
               AND canonical_key <> ?1 AND (?2 OR NOT imported)
             ORDER BY {LATEST_FIRST}, canonical_key LIMIT 1"
        ))?;
        let mut by_link = self.transaction.prepare_cached(
            "SELECT to_key FROM links WHERE from_key = ?1 AND kind = 'duplicate_of' AND to_key <> ?1
               AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdict <> 'duplicate'
                   AND first_key = min(from_key, to_key) AND second_key = max(from_key, to_key))
             ORDER BY CASE origin WHEN 'person' THEN 0 WHEN 'tracker' THEN 1 ELSE 2 END,
             to_key LIMIT 1",
        )?;
        let mut chain = vec![key.to_owned()];
        while chain.len() < MAX_CHAIN {
            let last = &chain[chain.len() - 1];
            let next: Option<String> = match by_verdict
                .query_row(params![last, with_imported], |r| r.get(0))
                .optional()?
            {
                Some(next) => Some(next),
                None => by_link.query_row([last], |r| r.get(0)).optional()?,
            };
            let Some(next) = next else { break };
            if let Some(start) = chain.iter().position(|k| *k == next) {
                // All members of a cycle must agree, so its smallest key represents it.
                let cycle = chain.split_off(start);
                let key = cycle.iter().min_by(|a, b| key_order(a, b)).cloned().unwrap_or_default();
                return Ok(Canonical { key, cycle });
            }
            chain.push(next);
        }
        // A report that is not mirrored cannot represent the reports before it.
        while chain.len() > 2 && self.document_by_key(&chain[chain.len() - 1])?.is_none() {
            chain.pop();
        }
        Ok(Canonical { key: chain.pop().unwrap_or_default(), cycle: Vec::new() })
    }

    /// Returns the reports whose chain of duplicates ends at a document, ordered by key.
    pub fn duplicates_of(&self, key: &str) -> Result<Vec<String>> {
        let mut candidates: Vec<String> = self.query_column(
            "WITH RECURSIVE chained(key) AS (
                 VALUES (?1)
                 UNION SELECT from_key FROM links JOIN chained ON to_key = chained.key
                 WHERE kind = 'duplicate_of'
                 UNION SELECT CASE canonical_key WHEN first_key THEN second_key ELSE first_key END
                 FROM verdicts JOIN chained ON canonical_key = chained.key
                 WHERE verdict = 'duplicate')
             SELECT key FROM chained WHERE key <> ?1",
            [key],
        )?;
        candidates.sort_by(|a, b| key_order(a, b));
        let mut duplicates = Vec::with_capacity(candidates.len());
        for candidate in candidates {
            if self.canonical(&candidate)?.other_than(&candidate).as_deref() == Some(key) {
                duplicates.push(candidate);
            }
        }
        Ok(duplicates)
    }
}

/// Compares keys so that numbers are in numerical order: the shorter number is the smaller.
fn key_order(a: &str, b: &str) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl Writer<'_> {
    /// Stores a verdict. It replaces an earlier one about the pair, which stays in the journal.
    pub fn put_verdict(&self, verdict: &Verdict) -> Result<()> {
        self.write_verdict("verdict_journal", verdict, false)?;
        self.write_verdict("verdicts", verdict, false)?;
        self.delete_checks(&verdict.first, &verdict.second)
    }

    /// Writes a verdict to a table, replacing an earlier one about the pair.
    fn write_verdict(&self, table: &str, verdict: &Verdict, is_imported: bool) -> Result<()> {
        let (first, second) = pair(&verdict.first, &verdict.second);
        self.replace(
            table,
            &[
                ("first_key", &first),
                ("second_key", &second),
                ("verdict", &verdict.kind.as_str()),
                ("canonical_key", &verdict.canonical),
                ("reason", &verdict.reason),
                ("actor", &verdict.actor),
                ("decided_at", &verdict.decided_at.as_second()),
                ("imported", &is_imported),
            ],
        )
    }

    /// Deletes all checks and records the basis of the next ones. Earlier checks are invalid after
    /// a change of weights or model, and once all vectors are computed.
    pub fn reset_checks(&self, basis: &str) -> Result<()> {
        self.execute("DELETE FROM checks", [])?;
        self.change("UPDATE casebook SET checked_with = ?1", [basis])
    }

    /// Deletes the checks of two documents, which a verdict makes invalid.
    fn delete_checks(&self, first: &str, second: &str) -> Result<()> {
        self.change("DELETE FROM checks WHERE key IN (?1, ?2)", [first, second])
    }

    /// Undoes the last verdict about a pair and restores the one before it, if any. Returns the
    /// verdict that now applies, or `None` if there was none to undo.
    pub fn undo_verdict(
        &self,
        a: &str,
        b: &str,
        actor: &str,
        now: Timestamp,
    ) -> Result<Option<Option<Verdict>>> {
        let (first, second) = pair(a, b);
        if self.verdict(first, second)?.is_none() {
            return Ok(None);
        }
        // Each undo reverts one verdict; those that were undone before are skipped.
        let journal: Vec<(Option<Verdict>, bool)> = self.query_rows(
            "SELECT first_key, second_key, coalesce(verdict, ''), canonical_key, reason, actor,
             decided_at, imported
             FROM verdict_journal WHERE first_key = ?1 AND second_key = ?2 ORDER BY id",
            [first, second],
            |r| {
                let is_undo = r.get_ref(2)?.as_str()?.is_empty();
                Ok(((!is_undo).then(|| read_row(r)).transpose()?, r.get(7)?))
            },
        )?;
        let mut history = Vec::new();
        for (verdict, is_imported) in journal {
            match verdict {
                Some(verdict) => history.push((verdict, is_imported)),
                None => drop(history.pop()),
            }
        }
        history.pop();
        self.execute(
            "INSERT INTO verdict_journal (first_key, second_key, actor, decided_at)
             VALUES (?1, ?2, ?3, ?4)",
            params![first, second, actor, now.as_second()],
        )?;
        self.execute(
            "DELETE FROM verdicts WHERE first_key = ?1 AND second_key = ?2",
            [first, second],
        )?;
        self.delete_checks(first, second)?;
        let previous = history.pop();
        if let Some((verdict, is_imported)) = &previous {
            self.write_verdict("verdicts", verdict, *is_imported)?;
        }
        Ok(Some(previous.map(|(verdict, _)| verdict)))
    }

    /// Stores the check of a document, with its best candidates and their confidence. A check of
    /// the same revision with better index coverage is kept.
    pub fn put_check(&self, key: &str, check: &Check, candidates: &[(String, f32)]) -> Result<()> {
        let count = self.execute(
            "INSERT INTO checks (key, checked_at, revision, band, best_key, confidence, closed,
             full_text, embedded, worth)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
             ON CONFLICT (key) DO UPDATE SET checked_at = excluded.checked_at,
                 revision = excluded.revision, band = excluded.band,
                 best_key = excluded.best_key, confidence = excluded.confidence,
                 closed = excluded.closed, full_text = excluded.full_text,
                 embedded = excluded.embedded, worth = excluded.worth
             WHERE revision <> excluded.revision OR closed <> excluded.closed
                 OR coalesce(excluded.full_text, 9223372036854775807)
                     >= coalesce(full_text, 9223372036854775807)
                 AND coalesce(excluded.embedded, 9223372036854775807)
                     >= coalesce(embedded, 9223372036854775807)",
            params![
                key,
                check.checked_at.as_second(),
                check.revision,
                check.band.as_str(),
                check.best,
                check.confidence,
                check.closed,
                check.missing_coverage.full_text,
                check.missing_coverage.embedded,
                check.worth
            ],
        )?;
        if count == 0 {
            return Ok(());
        }
        self.execute("DELETE FROM check_candidates WHERE key = ?1", [key])?;
        for (candidate_key, confidence) in candidates {
            self.execute(
                "INSERT INTO check_candidates (key, other_key, confidence) VALUES (?1, ?2, ?3)",
                params![key, candidate_key, confidence],
            )?;
        }
        Ok(())
    }
}
