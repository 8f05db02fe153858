//! User decisions about pairs of documents, and records of duplicate checks.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Reader, Writer, invalid_value, time};
use precedent_core::{
    error::Result,
    model::{Band, Check, Coverage, MissingCoverage, Verdict, VerdictKind},
};

const COLUMNS: &str = "first_key, second_key, verdict, canonical_key, reason, actor, decided_at";

/// Sort order, latest decision first; decisions of the same second are ordered by the journal.
const LATEST_FIRST: &str = "decided_at DESC, (SELECT max(j.id) FROM verdict_journal j
     WHERE j.first_key = verdicts.first_key AND j.second_key = verdicts.second_key
       AND j.decided_at = verdicts.decided_at) DESC";

/// The maximum length of a chain of duplicates that is followed.
const MAX_CHAIN: usize = 64;

/// The end of a chain of duplicates.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The key of the canonical report.
    pub key: String,
    /// The members of the circle in which the chain ends, in order; empty if the chain is not
    /// circular.
    pub circle: Vec<String>,
}

impl Canonical {
    /// Returns the canonical report of the chain that began with `key` if it is another one; `None`
    /// for a member of a circle.
    pub fn stays_for(self, key: &str) -> Option<String> {
        Some(self.key)
            .filter(|stays| stays != key && self.circle.iter().all(|member| member != key))
    }
}

fn read_row(r: &Row<'_>) -> rusqlite::Result<(Verdict, i64)> {
    let kind: String = r.get(2)?;
    let verdict = Verdict {
        first: r.get(0)?,
        second: r.get(1)?,
        kind: VerdictKind::parse(&kind).unwrap_or(VerdictKind::Related),
        canonical: r.get(3)?,
        reason: r.get(4)?,
        actor: r.get(5)?,
        decided_at: Timestamp::UNIX_EPOCH,
    };
    Ok((verdict, r.get(6)?))
}

fn with_time((mut verdict, seconds): (Verdict, i64)) -> Result<Verdict> {
    verdict.decided_at = time(seconds)?;
    Ok(verdict)
}

/// Returns a pair in the column order of the table.
fn pair<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    if a < b { (a, b) } else { (b, a) }
}

impl Reader<'_> {
    /// Returns the verdict about a pair.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn verdict(&self, a: &str, b: &str) -> Result<Option<Verdict>> {
        let (first, second) = pair(a, b);
        let row = self
            .transaction
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM verdicts WHERE first_key = ?1 AND second_key = ?2"
            ))?
            .query_row([first, second], read_row)
            .optional()?;
        row.map(with_time).transpose()
    }

    /// Returns the verdicts that name a document, or all of them, latest decision first.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn verdicts(&self, key: Option<&str>) -> Result<Vec<Verdict>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM verdicts WHERE ?1 IS NULL OR first_key = ?1 OR second_key = ?1
             ORDER BY {LATEST_FIRST}, first_key, second_key"
        ))?;
        let rows = statement.query_map([key], read_row)?;
        rows.map(|r| with_time(r?)).collect()
    }

    /// Returns the record of the last check of a document.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn check(&self, key: &str) -> Result<Option<Check>> {
        let row = self
            .transaction
            .prepare_cached(
                "SELECT checked_at, revision, band, best_key, confidence, closed, full_text,
                 embedded, worth FROM checks
                 WHERE key = ?1",
            )?
            .query_row([key], |r| {
                let check = Check {
                    checked_at: Timestamp::UNIX_EPOCH,
                    revision: r.get(1)?,
                    band: Band::None,
                    best: r.get(3)?,
                    confidence: r.get(4)?,
                    worth: r.get(8)?,
                    closed: r.get(5)?,
                    lacking: MissingCoverage { full_text: r.get(6)?, embedded: r.get(7)? },
                };
                Ok((check, r.get::<_, i64>(0)?, r.get::<_, String>(2)?))
            })
            .optional()?;
        let Some((check, at, band)) = row else { return Ok(None) };
        let band = Band::parse(&band).ok_or_else(|| invalid_value("an unknown band"))?;
        Ok(Some(Check { checked_at: time(at)?, band, ..check }))
    }

    /// Returns the basis of the recorded checks, once all vectors were there.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn checked_with(&self) -> Result<Option<String>> {
        Ok(self.transaction.query_row("SELECT checked_with FROM casebook", [], |r| r.get(0))?)
    }

    /// Returns the keys of open issues that are new or changed since their last check of this kind,
    /// newest first.
    ///
    /// The issues are of one source or of all; with `with_all`, every one is returned. Issues
    /// checked with incomplete indexes are returned again once the indexes cover more (`coverage`).
    /// Known duplicates are skipped.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn unchecked_issues(
        &self,
        source: Option<i64>,
        with_closed: bool,
        with_all: bool,
        coverage: &Coverage,
    ) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT d.key FROM documents d INDEXED BY documents_open LEFT JOIN checks c
             ON c.key = d.key
             WHERE d.kind = 'issue' AND d.state = 'open' AND d.deleted_at IS NULL
               AND (?1 IS NULL OR d.source_id = ?1)
               AND (?3 OR c.key IS NULL OR c.revision < d.revision OR c.closed <> ?2
                    OR c.full_text < ?4 OR c.embedded < ?5)
               AND d.key NOT IN (
                   SELECT first_key FROM verdicts WHERE verdict = 'duplicate'
                   AND canonical_key <> first_key
                   UNION ALL
                   SELECT second_key FROM verdicts WHERE verdict = 'duplicate'
                   AND canonical_key <> second_key)
               AND NOT EXISTS (SELECT 1 FROM links l WHERE l.from_key = d.key
               AND l.kind = 'duplicate_of')
             ORDER BY d.created_at DESC, d.id DESC",
        )?;
        let rows = statement.query_map(
            params![source, with_closed, with_all, coverage.full_text, coverage.embedded],
            |r| r.get(0),
        )?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the open issues whose check found an undecided candidate of at least this
    /// confidence, ordered by descending confidence, then by key.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn undecided_issues(
        &self,
        source: Option<i64>,
        with_closed: bool,
        confidence: f32,
    ) -> Result<Vec<String>> {
        self.select(
            "c.confidence >= ?3 ORDER BY c.confidence DESC, c.key",
            source,
            with_closed,
            confidence,
        )
    }

    /// Returns the issues whose candidate is only related, ordered by descending worth.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn waiting_related(&self, source: Option<i64>, with_closed: bool) -> Result<Vec<String>> {
        self.select(
            "c.band = 'related' AND c.worth >= ?3 ORDER BY c.worth DESC, c.key",
            source,
            with_closed,
            0.0,
        )
    }

    fn select(
        &self,
        sql: &str,
        source: Option<i64>,
        with_closed: bool,
        least: f32,
    ) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT c.key FROM checks c JOIN documents d ON d.key = c.key
             WHERE d.state = 'open' AND d.deleted_at IS NULL AND (?1 IS NULL OR d.source_id = ?1)
               AND c.closed = ?2 AND c.best_key IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM links l WHERE l.from_key = d.key
               AND l.kind = 'duplicate_of')
               AND {sql}"
        ))?;
        let rows = statement.query_map(params![source, with_closed, least], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// Returns the number of closed issues of one source or of all.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn closed_issues(&self, source: Option<i64>) -> Result<u64> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT count(*) FROM documents WHERE kind = 'issue' AND state = 'closed'
                 AND deleted_at IS NULL
                   AND (?1 IS NULL OR source_id = ?1)",
            )?
            .query_row([source], |r| r.get(0))?)
    }

    /// Returns the end of a document's chain of duplicates. User decisions take precedence over
    /// trackers, and trackers over texts. A document that is not a duplicate is its own canonical.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn canonical(&self, key: &str) -> Result<Canonical> {
        self.end_of_chain(key, true)
    }

    /// Works like [`Reader::canonical`], but ignores decisions that were imported with a casebook
    /// file.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn own_canonical(&self, key: &str) -> Result<Canonical> {
        self.end_of_chain(key, false)
    }

    /// Returns whether the decision about a pair was imported with a casebook file.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn is_imported_verdict(&self, verdict: &Verdict) -> Result<bool> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT imported FROM verdicts WHERE first_key = ?1 AND second_key = ?2",
            )?
            .query_row([&verdict.first, &verdict.second], |r| r.get(0))
            .optional()?
            .unwrap_or(false))
    }

    fn end_of_chain(&self, key: &str, with_imported: bool) -> Result<Canonical> {
        let mut by_verdict = self.transaction.prepare_cached(&format!(
            "SELECT canonical_key FROM verdicts
             WHERE (first_key = ?1 OR second_key = ?1) AND verdict = 'duplicate'
             AND canonical_key <> ?1
               AND (?2 OR NOT imported)
             ORDER BY {LATEST_FIRST}, canonical_key LIMIT 1"
        ))?;
        let mut by_link = self.transaction.prepare_cached(
            "SELECT to_key FROM links WHERE from_key = ?1 AND kind = 'duplicate_of' AND to_key <> ?1
               AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdict <> 'duplicate'
                               AND first_key = min(from_key, to_key) AND second_key = max(from_key,
                               to_key))
             ORDER BY CASE origin WHEN 'person' THEN 0 WHEN 'tracker' THEN 1 ELSE 2 END,
             to_key LIMIT 1",
        )?;
        let mut way = vec![key.to_owned()];
        while way.len() < MAX_CHAIN {
            let last = &way[way.len() - 1];
            let next: Option<String> = match by_verdict
                .query_row(params![last, with_imported], |r| r.get(0))
                .optional()?
            {
                Some(next) => Some(next),
                None => by_link.query_row([last], |r| r.get(0)).optional()?,
            };
            let Some(next) = next else { break };
            if let Some(at) = way.iter().position(|k| *k == next) {
                // All members of a circle must agree, so its smallest key stands for it.
                let circle = way.split_off(at);
                let key = circle.iter().min_by(|a, b| key_order(a, b)).cloned().unwrap_or_default();
                return Ok(Canonical { key, circle });
            }
            way.push(next);
        }
        // A report that is not mirrored cannot answer for the ones before it.
        let mut is_mirrored =
            self.transaction.prepare_cached("SELECT 1 FROM documents WHERE key = ?1")?;
        while way.len() > 2 && !is_mirrored.exists([&way[way.len() - 1]])? {
            way.pop();
        }
        Ok(Canonical { key: way.pop().unwrap_or_default(), circle: Vec::new() })
    }

    /// Returns the reports whose chain of duplicates ends at a document, ordered by key.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn duplicates_of(&self, key: &str) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare_cached(
            "WITH RECURSIVE leads(key) AS (
                 VALUES (?1)
                 UNION SELECT from_key FROM links JOIN leads ON to_key = leads.key
                 WHERE kind = 'duplicate_of'
                 UNION SELECT CASE canonical_key WHEN first_key THEN second_key ELSE first_key END
                 FROM verdicts JOIN leads ON canonical_key = leads.key WHERE verdict = 'duplicate')
             SELECT key FROM leads WHERE key <> ?1",
        )?;
        let rows = statement.query_map([key], |r| r.get(0))?;
        let mut out = rows.collect::<rusqlite::Result<Vec<String>>>()?;
        out.sort_by(|a, b| key_order(a, b));
        let mut ends = Vec::with_capacity(out.len());
        for from in out {
            if self.canonical(&from)?.stays_for(&from).as_deref() == Some(key) {
                ends.push(from);
            }
        }
        Ok(ends)
    }
}

/// Compares keys, treating numbers as numbers: the shorter of two numbers is the smaller.
fn key_order(a: &str, b: &str) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl Writer<'_> {
    /// Stores a decision about a pair. It replaces an earlier one, which stays in the journal.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn put_verdict(&self, verdict: &Verdict) -> Result<()> {
        let (first, second) = pair(&verdict.first, &verdict.second);
        let values = params![
            first,
            second,
            verdict.kind.as_str(),
            verdict.canonical,
            verdict.reason,
            verdict.actor,
            verdict.decided_at.as_second()
        ];
        self.transaction
            .prepare_cached(&format!(
                "INSERT INTO verdict_journal ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)"
            ))?
            .execute(values)?;
        self.transaction
            .prepare_cached(&format!(
                "INSERT INTO verdicts ({COLUMNS}) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
                 ON CONFLICT (first_key, second_key) DO UPDATE SET verdict = excluded.verdict,
                     canonical_key = excluded.canonical_key, reason = excluded.reason, actor = excluded.actor,
                     decided_at = excluded.decided_at, imported = 0"
            ))?
            .execute(values)?;
        self.forget_checks(first, second)
    }

    /// Deletes all checks and records the basis of the next ones.
    ///
    /// Earlier results are invalid after a change of weights or model, or once all vectors are
    /// there.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn check_anew_with(&self, basis: &str) -> Result<()> {
        self.transaction.execute("DELETE FROM checks", [])?;
        self.transaction.execute("UPDATE casebook SET checked_with = ?1", [basis])?;
        Ok(())
    }

    /// Deletes the checks of two documents, which a decision about the pair makes invalid.
    fn forget_checks(&self, first: &str, second: &str) -> Result<()> {
        self.transaction
            .prepare_cached("DELETE FROM checks WHERE key IN (?1, ?2)")?
            .execute([first, second])?;
        Ok(())
    }

    /// Undoes the last decision about a pair and restores the one before it, if any. Returns the
    /// verdict that now holds, or `None` if there was none to undo.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn take_verdict_back(
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
        // Each undo reverts one decision, so decisions that were undone already are skipped.
        let mut history: Vec<(Verdict, bool)> = Vec::new();
        {
            let mut statement = self.transaction.prepare_cached(
                "SELECT first_key, second_key, coalesce(verdict, ''), canonical_key, reason, actor,
                 decided_at,
                     imported
                 FROM verdict_journal WHERE first_key = ?1 AND second_key = ?2 ORDER BY id",
            )?;
            let mut rows = statement.query([first, second])?;
            while let Some(row) = rows.next()? {
                if row.get::<_, String>(2)?.is_empty() {
                    history.pop();
                } else {
                    history.push((with_time(read_row(row)?)?, row.get(7)?));
                }
            }
        }
        history.pop();
        self.transaction
            .prepare_cached(
                "INSERT INTO verdict_journal (first_key, second_key, actor, decided_at) VALUES (?1, ?2, ?3, ?4)",
            )?
            .execute(params![first, second, actor, now.as_second()])?;
        self.transaction
            .prepare_cached("DELETE FROM verdicts WHERE first_key = ?1 AND second_key = ?2")?
            .execute([first, second])?;
        self.forget_checks(first, second)?;
        let previous = history.pop();
        if let Some((v, is_imported)) = &previous {
            self.transaction
                .prepare_cached(&format!(
                    "INSERT INTO verdicts ({COLUMNS}, imported) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)"
                ))?
                .execute(params![
                    v.first,
                    v.second,
                    v.kind.as_str(),
                    v.canonical,
                    v.reason,
                    v.actor,
                    v.decided_at.as_second(),
                    is_imported
                ])?;
        }
        Ok(Some(previous.map(|(verdict, _)| verdict)))
    }

    /// Stores the result of checking a document, with the best candidates and their confidence.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn put_check(&self, key: &str, check: &Check, candidates: &[(String, f32)]) -> Result<()> {
        let count = self
            .transaction
            .prepare_cached(
                "INSERT INTO checks (key, checked_at, revision, band, best_key, confidence, closed,
                 full_text, embedded,
                     worth)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (key) DO UPDATE SET checked_at = excluded.checked_at,
                 revision = excluded.revision,
                     band = excluded.band, best_key = excluded.best_key, confidence = excluded.confidence,
                     closed = excluded.closed, full_text = excluded.full_text, embedded = excluded.embedded,
                     worth = excluded.worth
                 WHERE revision <> excluded.revision OR closed <> excluded.closed
                    OR coalesce(excluded.full_text, 9223372036854775807) >= coalesce(full_text, 9223372036854775807)
                   AND coalesce(excluded.embedded, 9223372036854775807) >= coalesce(embedded,
                   9223372036854775807)",
            )?
            .execute(params![
                key,
                check.checked_at.as_second(),
                check.revision,
                check.band.as_str(),
                check.best,
                check.confidence,
                check.closed,
                check.lacking.full_text,
                check.lacking.embedded,
                check.worth
            ])?;
        if count == 0 {
            return Ok(());
        }
        self.transaction
            .prepare_cached("DELETE FROM check_candidates WHERE key = ?1")?
            .execute([key])?;
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO check_candidates (key, other_key, confidence) VALUES (?1, ?2, ?3)",
        )?;
        for (candidate_key, confidence) in candidates {
            insert.execute(params![key, candidate_key, confidence])?;
        }
        Ok(())
    }
}
