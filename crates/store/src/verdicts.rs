//! What people decided about pairs of documents, and which documents were checked for duplicates.

use jiff::Timestamp;
use rusqlite::{OptionalExtension as _, Row, params};

use super::{Reader, Writer, damaged, time};
use precedent_core::{
    error::Result,
    model::{Band, Check, Coverage, Lacking, Verdict, VerdictKind},
};

const COLUMNS: &str = "first_key, second_key, verdict, canonical_key, reason, actor, decided_at";

/// The last decision first: of those of one second the journal knows which came later.
const LATEST_FIRST: &str = "decided_at DESC, (SELECT max(j.id) FROM verdict_journal j
     WHERE j.first_key = verdicts.first_key AND j.second_key = verdicts.second_key
       AND j.decided_at = verdicts.decided_at) DESC";

/// How far a chain of duplicates is followed.
const MAX_CHAIN: usize = 64;

/// Where a chain of duplicates ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    /// The key of the report that stays.
    pub key: String,
    /// The reports on the way there, the first one included, in order; more than one where they run in a circle.
    pub circle: Vec<String>,
}

impl Canonical {
    /// The report that stays, where the chain that began with `key` leads to another one; a circle leads nowhere.
    pub fn stays_for(self, key: &str) -> Option<String> {
        Some(self.key).filter(|stays| self.circle.is_empty() && stays != key)
    }
}

fn read(r: &Row<'_>) -> rusqlite::Result<(Verdict, i64)> {
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

fn dated((mut verdict, seconds): (Verdict, i64)) -> Result<Verdict> {
    verdict.decided_at = time(seconds)?;
    Ok(verdict)
}

/// A pair in the order of the table.
fn pair<'a>(a: &'a str, b: &'a str) -> (&'a str, &'a str) {
    if a < b { (a, b) } else { (b, a) }
}

impl Reader<'_> {
    /// The verdict about a pair.
    ///
    /// # Errors
    /// Those of the database.
    pub fn verdict(&self, a: &str, b: &str) -> Result<Option<Verdict>> {
        let (first, second) = pair(a, b);
        let found = self
            .transaction
            .prepare_cached(&format!(
                "SELECT {COLUMNS} FROM verdicts WHERE first_key = ?1 AND second_key = ?2"
            ))?
            .query_row([first, second], read)
            .optional()?;
        found.map(dated).transpose()
    }

    /// All verdicts that name a document (or all there are), the last decision first.
    ///
    /// # Errors
    /// Those of the database.
    pub fn verdicts(&self, key: Option<&str>) -> Result<Vec<Verdict>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT {COLUMNS} FROM verdicts WHERE ?1 IS NULL OR first_key = ?1 OR second_key = ?1
             ORDER BY {LATEST_FIRST}, first_key, second_key"
        ))?;
        let rows = statement.query_map([key], read)?;
        rows.map(|r| dated(r?)).collect()
    }

    /// The record of the last check of a document.
    ///
    /// # Errors
    /// Those of the database.
    pub fn check(&self, key: &str) -> Result<Option<Check>> {
        let found = self
            .transaction
            .prepare_cached(
                "SELECT checked_at, revision, band, best_key, confidence, closed, full_text, embedded, worth FROM checks
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
                    lacking: Lacking { full_text: r.get(6)?, embedded: r.get(7)? },
                };
                Ok((check, r.get::<_, i64>(0)?, r.get::<_, String>(2)?))
            })
            .optional()?;
        let Some((check, at, band)) = found else { return Ok(None) };
        let band = Band::parse(&band).ok_or_else(|| damaged("an unknown band"))?;
        Ok(Some(Check { checked_at: time(at)?, band, ..check }))
    }

    /// What the checks were made with, once all vectors were there.
    ///
    /// # Errors
    /// Those of the database.
    pub fn checked_with(&self) -> Result<Option<String>> {
        Ok(self.transaction.query_row("SELECT checked_with FROM casebook", [], |r| r.get(0))?)
    }

    /// The keys of open issues (of one source, or all) that are new or changed since their last check of this kind, or
    /// with `all` every one; in the order of their rows. One that was checked by a part of the indexes is checked anew once they
    /// cover more (`coverage`). What is known to be a duplicate already is passed over.
    ///
    /// # Errors
    /// Those of the database.
    pub fn unchecked(
        &self,
        source: Option<i64>,
        closed: bool,
        all: bool,
        coverage: &Coverage,
    ) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT d.key FROM documents d INDEXED BY documents_open LEFT JOIN checks c ON c.key = d.key
             WHERE d.kind = 'issue' AND d.state = 'open' AND d.deleted_at IS NULL
               AND (?1 IS NULL OR d.source_id = ?1)
               AND (?3 OR c.key IS NULL OR c.revision < d.revision OR c.closed <> ?2
                    OR c.full_text < ?4 OR c.embedded < ?5)
               AND d.key NOT IN (
                   SELECT first_key FROM verdicts WHERE verdict = 'duplicate' AND canonical_key <> first_key
                   UNION ALL
                   SELECT second_key FROM verdicts WHERE verdict = 'duplicate' AND canonical_key <> second_key)
               AND NOT EXISTS (SELECT 1 FROM links l WHERE l.from_key = d.key AND l.kind = 'duplicate_of')
             ORDER BY d.id",
        )?;
        let rows = statement
            .query_map(params![source, closed, all, coverage.full_text, coverage.embedded], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The open issues whose check found a candidate that nobody has decided about, of at least this confidence, the surest
    /// first, then by key.
    ///
    /// # Errors
    /// Those of the database.
    pub fn waiting(&self, source: Option<i64>, closed: bool, confidence: f32) -> Result<Vec<String>> {
        self.queued("c.confidence >= ?3 ORDER BY c.confidence DESC, c.key", source, closed, confidence)
    }

    /// Those whose candidate is related and no more, the first that are worth reading.
    ///
    /// # Errors
    /// Those of the database.
    pub fn waiting_related(&self, source: Option<i64>, closed: bool) -> Result<Vec<String>> {
        self.queued("c.band = 'related' AND c.worth >= ?3 ORDER BY c.worth DESC, c.key", source, closed, 0.0)
    }

    fn queued(&self, which: &str, source: Option<i64>, closed: bool, least: f32) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare_cached(&format!(
            "SELECT c.key FROM checks c JOIN documents d ON d.key = c.key
             WHERE d.state = 'open' AND d.deleted_at IS NULL AND (?1 IS NULL OR d.source_id = ?1)
               AND c.closed = ?2 AND c.best_key IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM links l WHERE l.from_key = d.key AND l.kind = 'duplicate_of')
               AND {which}"
        ))?;
        let rows = statement.query_map(params![source, closed, least], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// How many closed issues there are (of one source, or all).
    ///
    /// # Errors
    /// Those of the database.
    pub fn closed_issues(&self, source: Option<i64>) -> Result<u64> {
        Ok(self
            .transaction
            .prepare_cached(
                "SELECT count(*) FROM documents WHERE kind = 'issue' AND state = 'closed' AND deleted_at IS NULL
                   AND (?1 IS NULL OR source_id = ?1)",
            )?
            .query_row([source], |r| r.get(0))?)
    }

    /// Where a document's chain of duplicates ends: what people decided goes before what trackers say, and that before
    /// what texts say. A document that is nobody's duplicate is its own canonical.
    ///
    /// # Errors
    /// Those of the database.
    pub fn canonical(&self, key: &str) -> Result<Canonical> {
        self.end_of_chain(key, true)
    }

    /// As [`Reader::canonical`], by decisions that were made here: those that came with a casebook file do not count.
    ///
    /// # Errors
    /// Those of the database.
    pub fn own_canonical(&self, key: &str) -> Result<Canonical> {
        self.end_of_chain(key, false)
    }

    /// Returns whether the decision about a pair came with a casebook file.
    ///
    /// # Errors
    /// Those of the database.
    pub fn is_imported_verdict(&self, verdict: &Verdict) -> Result<bool> {
        Ok(self
            .transaction
            .prepare_cached("SELECT imported FROM verdicts WHERE first_key = ?1 AND second_key = ?2")?
            .query_row([&verdict.first, &verdict.second], |r| r.get(0))
            .optional()?
            .unwrap_or(false))
    }

    fn end_of_chain(&self, key: &str, imported: bool) -> Result<Canonical> {
        let mut decided = self.transaction.prepare_cached(&format!(
            "SELECT canonical_key FROM verdicts
             WHERE (first_key = ?1 OR second_key = ?1) AND verdict = 'duplicate' AND canonical_key <> ?1
               AND (?2 OR NOT imported)
             ORDER BY {LATEST_FIRST}, canonical_key LIMIT 1"
        ))?;
        let mut linked = self.transaction.prepare_cached(
            "SELECT to_key FROM links WHERE from_key = ?1 AND kind = 'duplicate_of' AND to_key <> ?1
               AND NOT EXISTS (SELECT 1 FROM verdicts WHERE verdict <> 'duplicate'
                               AND first_key = min(from_key, to_key) AND second_key = max(from_key, to_key))
             ORDER BY CASE origin WHEN 'person' THEN 0 WHEN 'tracker' THEN 1 ELSE 2 END, to_key LIMIT 1",
        )?;
        let mut way = vec![key.to_owned()];
        while way.len() < MAX_CHAIN {
            let last = &way[way.len() - 1];
            let next: Option<String> =
                match decided.query_row(params![last, imported], |r| r.get(0)).optional()? {
                    Some(next) => Some(next),
                    None => linked.query_row([last], |r| r.get(0)).optional()?,
                };
            let Some(next) = next else { break };
            if let Some(at) = way.iter().position(|k| *k == next) {
                // A circle names nobody; the smallest key stands for it, so that all its members agree.
                let circle = way.split_off(at);
                let key = circle.iter().min_by(|a, b| key_order(a, b)).cloned().unwrap_or_default();
                return Ok(Canonical { key, circle });
            }
            way.push(next);
        }
        Ok(Canonical { key: way.pop().unwrap_or_default(), circle: Vec::new() })
    }

    /// The reports whose chain of duplicates ends at a document, in the order of their keys.
    ///
    /// # Errors
    /// Those of the database.
    pub fn duplicates_of(&self, key: &str) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare_cached(
            "WITH RECURSIVE leads(key) AS (
                 VALUES (?1)
                 UNION SELECT from_key FROM links JOIN leads ON to_key = leads.key WHERE kind = 'duplicate_of'
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

/// Keys in order, numbers compared as numbers: the shorter of two numbers is the smaller.
fn key_order(a: &str, b: &str) -> std::cmp::Ordering {
    a.len().cmp(&b.len()).then_with(|| a.cmp(b))
}

impl Writer<'_> {
    /// Notes a decision about a pair, replacing an earlier one, which stays in the journal.
    ///
    /// # Errors
    /// Those of the database.
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

    /// Forgets all checks, and notes what the next ones are made with: what was found with other weights or another model, or
    /// before all vectors were there, no longer holds.
    ///
    /// # Errors
    /// Those of the database.
    pub fn check_anew_with(&self, basis: &str) -> Result<()> {
        self.transaction.execute("DELETE FROM checks", [])?;
        self.transaction.execute("UPDATE casebook SET checked_with = ?1", [basis])?;
        Ok(())
    }

    /// What was found about two documents before a decision about them no longer holds: they are checked anew.
    fn forget_checks(&self, first: &str, second: &str) -> Result<()> {
        self.transaction
            .prepare_cached("DELETE FROM checks WHERE key IN (?1, ?2)")?
            .execute([first, second])?;
        Ok(())
    }

    /// Takes the last decision about a pair back: the one before it holds again, if there was one. Returns what holds
    /// now, or `None` if there was nothing to take back.
    ///
    /// # Errors
    /// Those of the database.
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
        // Decisions that were taken back already do not come up again: each taking back undoes one of them.
        let mut history: Vec<(Verdict, bool)> = Vec::new();
        {
            let mut statement = self.transaction.prepare_cached(
                "SELECT first_key, second_key, coalesce(verdict, ''), canonical_key, reason, actor, decided_at,
                     imported
                 FROM verdict_journal WHERE first_key = ?1 AND second_key = ?2 ORDER BY id",
            )?;
            let mut rows = statement.query([first, second])?;
            while let Some(row) = rows.next()? {
                if row.get::<_, String>(2)?.is_empty() {
                    history.pop();
                } else {
                    history.push((dated(read(row)?)?, row.get(7)?));
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
        let before = history.pop();
        if let Some((v, imported)) = &before {
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
                    imported
                ])?;
        }
        Ok(Some(before.map(|(verdict, _)| verdict)))
    }

    /// Notes that a document was checked, what that came to, and the best candidates with their confidence.
    ///
    /// # Errors
    /// Those of the database.
    pub fn put_check(&self, key: &str, check: &Check, candidates: &[(String, f32)]) -> Result<()> {
        let changed = self
            .transaction
            .prepare_cached(
                "INSERT INTO checks (key, checked_at, revision, band, best_key, confidence, closed, full_text, embedded,
                     worth)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
                 ON CONFLICT (key) DO UPDATE SET checked_at = excluded.checked_at, revision = excluded.revision,
                     band = excluded.band, best_key = excluded.best_key, confidence = excluded.confidence,
                     closed = excluded.closed, full_text = excluded.full_text, embedded = excluded.embedded,
                     worth = excluded.worth
                 WHERE revision <> excluded.revision OR closed <> excluded.closed
                    OR coalesce(excluded.full_text, 9223372036854775807) >= coalesce(full_text, 9223372036854775807)
                   AND coalesce(excluded.embedded, 9223372036854775807) >= coalesce(embedded, 9223372036854775807)",
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
        if changed == 0 {
            return Ok(());
        }
        self.transaction.prepare_cached("DELETE FROM check_candidates WHERE key = ?1")?.execute([key])?;
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO check_candidates (key, other_key, confidence) VALUES (?1, ?2, ?3)",
        )?;
        for (other, confidence) in candidates {
            insert.execute(params![key, other, confidence])?;
        }
        Ok(())
    }
}
