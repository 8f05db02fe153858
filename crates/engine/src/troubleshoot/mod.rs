//! Solved cases: the threads that carry a fix, and pages of a wiki where none surely does.
//!
//! Apart from duplicates by design: here only what was resolved counts, and what is shown is the solution.

mod budget;
mod case;
mod evaluate;
mod helps;
mod keywords;
mod language;
mod open;
mod roles;
mod thread;
mod wiki;

use std::{cell::LazyCell, collections::BTreeSet, time::Instant};

use crate::{
    closing::{is_declined, named_at_closing},
    duplicates::{Checker, Draft, Scope, Taught},
    search,
};
pub(crate) use budget::excerpt;
use budget::shares;
use case::{Case, Links, Opened};
pub use evaluate::evaluate_threads;
pub use helps::{Likely, likely};
use jiff::Timestamp;
pub use language::Language;
use open::open_reports;
pub(crate) use open::{Likeness, compared, report as known_report};
use precedent_core::{
    error::{Error, Result},
    model::{
        CaseRelation, DocKind, HELPS, LogGroup, SURELY, State, TroubleshootOutcome, TroubleshootRequest,
        TroubleshootResponse, TroubleshootSettings,
        limits::{BUDGET, CASES},
    },
    task::Task,
};
use precedent_index::filter::{Filter, Test};
use precedent_store::{DocumentRow, Reader};
use precedent_text::{
    essence::informative,
    failure::{Contrary, Failures},
    prepare::Prepared,
    report,
    skeleton::Skeleton,
};
use wiki::wiki;

/// Candidates that are looked at.
const CANDIDATES: usize = 10;
/// So many are named that are no solution, or not close enough.
const NEAR: usize = 3;
/// The most that a case helps whose innermost cause is another one, which is then not shown; whose message is about another
/// thing; and which fails in another way.
const ANOTHER_CAUSE: f32 = 0.14;
const ANOTHER_THING: f32 = 0.45;
const ANOTHER_FAILURE: f32 = 0.3;
/// … whose fix somebody denied in the end.
const DENIED: f32 = 0.45;
/// So many errors of a text are asked about by themselves.
const ERRORS: usize = 3;
/// The longest text that is read as a log, in bytes.
const MAX_READ: usize = 1_000_000;
/// The longest question that is read, in bytes.
const MAX_QUESTION: usize = 50_000_000;

/// What cases are looked for with.
#[derive(Clone, Copy, Debug)]
pub struct Desk<'a> {
    /// Finds candidates and says what they have in common with the question.
    pub checker: &'a Checker<'a>,
    /// How the casebook speaks.
    pub language: &'a Language,
    /// The similarity of a page worth reading, from the model's card.
    pub card: Option<f32>,
}

/// Looks for solved cases, and for open reports of the same where none surely helps.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`] for a question that asks nothing and for settings out of range,
/// [`precedent_core::Code::NotFound`] for an item or a source that does not exist.
pub fn troubleshoot(
    desk: &Desk<'_>,
    request: &TroubleshootRequest,
    now: Timestamp,
    task: &Task,
) -> Result<TroubleshootResponse> {
    let start = Instant::now();
    let question = desk.checker.parts.store.read(|r| Question::read(r, desk.checker, request, now))?;
    let mut response = answered(desk, request, &question, task)?;
    if !response.is_sure() {
        response.open = open_reports(desk, request, &question, now, task)?;
    }
    // One of its errors may be known where a text says much beside them.
    for error in errors_of(request, &question.text) {
        if response.is_sure() || !response.open.is_empty() {
            break;
        }
        task.check()?;
        let of_error = TroubleshootRequest { text: error, ..request.clone() };
        let part = desk.checker.parts.store.read(|r| Question::read(r, desk.checker, &of_error, now))?;
        let part = Question { whole: question.whole.clone(), ..part };
        let of_part = answered(desk, &of_error, &part, task)?;
        if of_part.is_sure() {
            response = of_part;
        } else {
            response.open = open_reports(desk, &of_error, &part, now, task)?;
        }
    }
    response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
    Ok(response)
}

/// Looks for solved cases alone, for who looks for reports of the same anyway. It does not tell how long it took.
///
/// # Errors
/// As [`troubleshoot`].
pub fn solved_cases(
    desk: &Desk<'_>,
    request: &TroubleshootRequest,
    now: Timestamp,
    task: &Task,
) -> Result<TroubleshootResponse> {
    let question = desk.checker.parts.store.read(|r| Question::read(r, desk.checker, request, now))?;
    answered(desk, request, &question, task)
}

/// The errors in a text of several lines, each as what it says, what to look at first first.
fn errors_of(request: &TroubleshootRequest, text: &str) -> Vec<String> {
    if request.key.is_some() || text.len() > MAX_READ {
        return Vec::new();
    }
    let reading = precedent_logs::read_text(text);
    let told = reading.failures().map(LogGroup::told);
    told.filter(|told| told.trim() != text.trim()).take(ERRORS).map(str::to_owned).collect()
}

fn answered(
    desk: &Desk<'_>,
    request: &TroubleshootRequest,
    question: &Question,
    task: &Task,
) -> Result<TroubleshootResponse> {
    let parts = &desk.checker.parts;
    // Only a threshold that somebody set stands in for what is stated of a case.
    let asked = request.settings.similarity_threshold;
    let settings = valid(&request.settings, desk.card)?;
    let mut response = TroubleshootResponse {
        key: question.row.as_ref().map(|row| row.key.clone()),
        outcome: TroubleshootOutcome::Nothing,
        cases: Vec::new(),
        near: Vec::new(),
        open: Vec::new(),
        wiki: Vec::new(),
        notices: parts.notices()?,
        conclusive: true,
        took_ms: 0.0,
        settings,
    };
    let checker = desk.checker.knowing(&question.taught);
    let found = likely(&checker, desk.language, &question.draft, question.scope(), task)?;
    let vector = parts.vector(&question.text)?;
    let mut cases = parts.store.read(|r| {
        let all = candidates(r, question, found)?;
        let shown = |c: &Candidate| match asked {
            _ if c.relation.is_some() => true,
            Some(threshold) => c.evidence.similarity.is_some_and(|s| s >= threshold),
            None => c.evidence.at_home && c.evidence.helps >= HELPS,
        };
        let (cases, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|c| shown(c) && !c.declined);
        let wanted = report::terms(&question.text);
        let open = |row| Opened::read(r, parts, row, &wanted, vector.as_deref(), Links::Known);
        let (mut told, mut silent) = (Vec::new(), Vec::new());
        for mut c in cases {
            if told.len() == response.settings.max_results {
                break;
            }
            let thread = open(c.row)?;
            if c.relation.is_none() {
                // What nobody says the solution of solves nothing.
                if !thread.tells() {
                    silent.push(thread.near(c.evidence, false));
                    continue;
                }
                if thread.is_denied() {
                    c.evidence = Seen { helps: c.evidence.helps.min(DENIED), signature: false, ..c.evidence };
                }
            }
            let of_another = c.relation != Some(CaseRelation::Itself);
            let asked = of_another.then(|| thread.asked(&question.whole)).flatten();
            // That it is back is said of what is surely the same: another product has versions of its own.
            let sure = c.relation.is_some() || c.evidence.signature || c.evidence.helps >= SURELY;
            let asked = asked.filter(|asked| sure || !asked.has_fix);
            told.push(Case { evidence: c.evidence, relation: c.relation, via: c.via, thread, asked });
        }
        // What was closed without a fix is worth a look and is no solution; what is not close enough is shown to who insists.
        let near = rest.into_iter().filter(|c| request.anyway || (shown(c) && c.declined));
        let near = near.take(NEAR).map(|c| Ok(open(c.row)?.near(c.evidence, c.declined)));
        silent.truncate(NEAR);
        response.near = silent.into_iter().map(Ok).chain(near).collect::<Result<_>>()?;
        Ok(told)
    })?;
    let weight = |c: &Case| if c.relation.is_some() { 1.0 } else { c.evidence.helps };
    cases.sort_by(|a, b| weight(b).total_cmp(&weight(a)));
    let keys: BTreeSet<String> = cases.iter().map(|c| c.thread.row.key.clone()).collect();
    cases.iter_mut().for_each(|c| c.thread.say_once(&keys));
    task.check()?;
    let weights: Vec<f32> = cases.iter().map(weight).collect();
    let needs: Vec<usize> = cases.iter().map(|c| c.thread.need()).collect();
    let budgets = shares(response.settings.total_budget_chars, &weights, &needs);
    response.cases = cases.into_iter().zip(budgets).map(|(c, budget)| c.shown(budget)).collect();
    if !response.is_sure() {
        let threshold = response.settings.similarity_threshold.unwrap_or_default();
        response.wiki = wiki(parts, question, threshold, asked.is_some(), task)?;
    }
    response.outcome = match (response.cases.is_empty(), response.wiki.is_empty()) {
        (false, _) => TroubleshootOutcome::Solved,
        (true, false) => TroubleshootOutcome::Wiki,
        (true, true) => TroubleshootOutcome::Nothing,
    };
    Ok(response)
}

/// The settings as they are used: checked, with the threshold that the model's card gives where none is set.
fn valid(settings: &TroubleshootSettings, card: Option<f32>) -> Result<TroubleshootSettings> {
    if !settings.enabled {
        return Err(Error::invalid("looking for solved cases is switched off")
            .with_hint("Switch it on: troubleshooting.enabled = true"));
    }
    let threshold = settings.similarity_threshold.or(card).unwrap_or(0.65);
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::invalid(format!("a similarity threshold of {threshold} is out of range"))
            .with_hint(
                "troubleshooting.similarity_threshold is a similarity: 0 to 1, where 1 is the same.",
            ));
    }
    if !(CASES.0..=CASES.1).contains(&settings.max_results) {
        return Err(Error::invalid(format!("{} results are out of range", settings.max_results))
            .with_hint(format!("troubleshooting.max_results is {} to {}.", CASES.0, CASES.1)));
    }
    if !(BUDGET.0..=BUDGET.1).contains(&settings.total_budget_chars) {
        return Err(Error::invalid(format!(
            "a budget of {} characters is out of range",
            settings.total_budget_chars
        ))
        .with_hint(format!("troubleshooting.total_budget_chars is {} to {}.", BUDGET.0, BUDGET.1)));
    }
    Ok(TroubleshootSettings { similarity_threshold: Some(threshold), ..settings.clone() })
}

struct Question {
    row: Option<DocumentRow>,
    source: Option<String>,
    /// Title and text, one after the other.
    text: String,
    /// All that was given, where the text is a part of it: which version it is stands anywhere.
    whole: String,
    draft: Draft,
    taught: Taught,
}

impl Question {
    fn read(
        r: &Reader<'_>,
        checker: &Checker<'_>,
        request: &TroubleshootRequest,
        now: Timestamp,
    ) -> Result<Self> {
        let source = match &request.source {
            Some(key) => Some(r.source(key)?.ok_or_else(|| search::no_source(r, key))?),
            None => search::only_source(r)?,
        };
        let taught = checker.taught(r, source.as_ref())?;
        let source = source.map(|s| s.key);
        // A solution may be newer than the report that is asked about, so everything that is there is looked at.
        let after =
            |newest: Timestamp| newest.checked_add(jiff::SignedDuration::from_secs(1)).unwrap_or(newest);
        let made_at = r.newest_change()?.map_or(now, after);
        let Some(key) = &request.key else {
            if request.text.trim().is_empty() {
                return Err(Error::invalid("there is nothing to look for")
                    .with_hint("Name an item (acme/app#12), or give a message, a log or a mail."));
            }
            let whole = request.text[..request.text.floor_char_boundary(MAX_QUESTION)].trim();
            let text = informative(whole).into_owned();
            let (title, body) = report::pasted(&text, &Skeleton::default());
            let draft = Draft { title, body, made_at, author: None, document: None };
            return Ok(Self { row: None, source, whole: text.clone(), text, draft, taught });
        };
        let row = search::one(r, key)?;
        let body = Prepared::body(&row.body, &r.skeleton(row.source_id)?);
        let text = body.whole(&row.title);
        let draft =
            Draft { title: row.title.clone(), body, made_at, author: row.person(), document: Some(row.id) };
        Ok(Self { source, whole: text.clone(), text, draft, taught, row: Some(row) })
    }

    fn scope(&self) -> Scope {
        Scope { filters: self.within().collect() }
    }

    fn within(&self) -> impl Iterator<Item = Filter> {
        self.source.clone().map(|s| Filter { test: Test::Source(s), negated: false }).into_iter()
    }
}

/// What is known of a case beside its thread.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    helps: f32,
    at_home: bool,
    similarity: Option<f32>,
    words: f32,
    signature: bool,
}

impl Seen {
    fn of(one: &Likely) -> Self {
        Self {
            helps: one.helps,
            at_home: one.at_home,
            similarity: one.scored.cosine,
            words: one.words(),
            signature: one.scored.reading.as_ref().is_some_and(|reading| reading.same_failure),
        }
    }

    /// The same, where the failures differ: what a case has in common with the question is then what all failures of its kind have.
    fn unless(self, contrary: Option<&Contrary>) -> Self {
        let most = match contrary {
            None => return self,
            Some(Contrary::Cause(..)) => ANOTHER_CAUSE,
            Some(Contrary::Thing(..)) => ANOTHER_THING,
            Some(Contrary::Code(..) | Contrary::Place | Contrary::Other) => ANOTHER_FAILURE,
        };
        Self { helps: self.helps.min(most), signature: false, ..self }
    }
}

struct Candidate {
    row: DocumentRow,
    evidence: Seen,
    relation: Option<CaseRelation>,
    via: Option<String>,
    /// Closed without a fix.
    declined: bool,
}

/// The candidates, best first, each case once. A duplicate leads to the report that stays.
fn candidates(r: &Reader<'_>, question: &Question, found: Vec<Likely>) -> Result<Vec<Candidate>> {
    let own = question.row.as_ref().map(|row| row.key.as_str());
    let mut out: Vec<Candidate> = known(r, question, &found)?.into_iter().collect();
    let failures = LazyCell::new(|| Failures::of(&question.text));
    for one in found {
        if out.len() >= CANDIDATES {
            break;
        }
        let Some(mut row) = r.document(one.scored.document)?.filter(|d| d.deleted_at.is_none()) else {
            continue;
        };
        let mut via = None;
        if let Some(stays) = solved_canonical(r, &row)? {
            via = Some(std::mem::replace(&mut row, stays).key);
        }
        if Some(row.key.as_str()) == own || via.as_deref().is_some_and(|v| Some(v) == own) {
            continue;
        }
        if out.iter().any(|c| c.row.key == row.key) {
            continue;
        }
        let declined = is_declined(r, &row, &mut None)?;
        let mut evidence = Seen::of(&one);
        // Of what hardly helps nothing is taken away.
        if evidence.signature || evidence.helps > ANOTHER_CAUSE {
            let theirs = Failures::of(&format!("{}\n{}", row.title, row.body));
            evidence = evidence.unless(failures.contrary(&theirs).as_ref());
        }
        out.push(Candidate { evidence, row, relation: None, via, declined });
    }
    Ok(out)
}

/// The case that needs no likeness, before all others: what the report that was asked about is known to be a duplicate of, or
/// how it was solved itself.
fn known(r: &Reader<'_>, question: &Question, found: &[Likely]) -> Result<Option<Candidate>> {
    let Some(own) = &question.row else { return Ok(None) };
    let solved =
        |row: &DocumentRow| is_resolved(row) && question.source.as_ref().is_none_or(|s| *s == row.source);
    let (row, relation) = match solved_canonical(r, own)?.filter(solved) {
        Some(stays) => (stays, CaseRelation::Canonical),
        None if own.kind == DocKind::Issue && solved(own) => (own.clone(), CaseRelation::Itself),
        None => return Ok(None),
    };
    if is_declined(r, &row, &mut None)? {
        return Ok(None);
    }
    let seen = found.iter().find(|one| one.scored.document == row.id);
    let evidence = seen.map(Seen::of).unwrap_or_default();
    let relation = Some(relation);
    Ok(Some(Candidate { row, evidence, relation, via: None, declined: false }))
}

/// The report that stays, if a document is a duplicate of one that is resolved.
fn solved_canonical(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<DocumentRow>> {
    Ok(canonical(r, row)?.filter(is_resolved))
}

/// The report that stays, if a document is a duplicate of one that is there.
fn canonical(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<DocumentRow>> {
    let stays = match r.canonical(&row.key)?.stays_for(&row.key) {
        Some(stays) => stays,
        None => match named_at_closing(r, row)? {
            Some(named) => named,
            None => return Ok(None),
        },
    };
    Ok(r.document_by_key(&stays)?.filter(|stays| stays.deleted_at.is_none()))
}

fn is_resolved(row: &DocumentRow) -> bool {
    match row.kind {
        DocKind::Issue => row.state == Some(State::Closed),
        DocKind::PullRequest => row.state == Some(State::Merged),
        DocKind::Page | DocKind::Note => false,
    }
}

/// What a pasted text is called: its first line, shortened.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    excerpt(line, 120).0
}

/// How a document is cited.
pub fn citation(row: &DocumentRow) -> String {
    match row.kind {
        DocKind::Issue => format!("[Issue {}]", row.key),
        DocKind::PullRequest => format!("[Pull request {}]", row.key),
        DocKind::Page => format!("[Wiki: {}]", row.title),
        DocKind::Note => format!("[Note {}]", row.key),
    }
}
