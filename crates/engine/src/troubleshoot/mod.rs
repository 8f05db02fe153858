//! Solved cases: threads that contain a fix, and wiki pages if no thread clearly does.
//!
//! Unlike the duplicate search, this search considers only resolved reports and shows the solution.

mod budget;
mod case;
mod evaluate;
mod roles;
mod thread;
mod wiki;

use std::collections::BTreeSet;

use crate::{
    QueryContext,
    answer::{
        DomainModel, Match, MatchFinder, known_report,
        question::{Question, QuestionMatches},
        relevance::{RelevantCase, relevant_cases},
    },
    resolution::{duplicate_in_closing_comment, is_declined},
};
pub(crate) use budget::excerpt;
use budget::shares;
use case::Case;
pub(crate) use case::{CaseThread, Links, ThreadOutcome};
pub use evaluate::evaluate_threads;
use precedent_core::{
    error::{Error, Result},
    model::{
        Band, CaseRelation, DocKind, KnownReport, LIKELY, LIKELY_HELP, MIN_HELP, ProblemStatus,
        State, TroubleshootOutcome, TroubleshootRequest, TroubleshootResponse,
        TroubleshootSettings,
        limits::{BUDGET, CASES},
    },
    task::Task,
};
use precedent_store::{DocumentRow, Reader};
use precedent_text::{closure::Closure, report};
pub(crate) use roles::speaks_for_project;
pub(crate) use wiki::passages;

/// The maximum number of candidates.
const MAX_CANDIDATES: usize = 10;
/// The maximum number of weak matches, which have no solution or are not similar enough.
const MAX_NEAR: usize = 3;
/// The maximum number of known open reports listed.
const MAX_OPEN: usize = 3;

/// The components that finding cases needs.
#[derive(Clone, Copy)]
pub struct CaseContext<'a> {
    /// The finder of matches for a question.
    pub finder: &'a MatchFinder<'a>,
    /// The vocabulary model of the casebook's reports.
    pub domain: &'a DomainModel,
    /// The embedding model's minimum similarity of a relevant case.
    pub min_similarity: Option<f32>,
}

/// Determines the outcome of a problem from its thread, compared with the version in the question.
pub(crate) fn outcome(
    r: &Reader<'_>,
    context: &QueryContext<'_>,
    question: Option<&Question>,
    row: &DocumentRow,
) -> Result<ThreadOutcome> {
    let vector = question.map(|question| context.vector(&question.text)).transpose()?.flatten();
    let terms = question.map(|question| report::terms(&question.text)).unwrap_or_default();
    let thread =
        CaseThread::load(r, context, row.clone(), &terms, vector.as_deref(), Links::Visible)?;
    let status = match row.state {
        None | Some(State::Open) => ProblemStatus::Open,
        _ if !is_duplicate(r, row)? && is_declined(r, row)? => ProblemStatus::Declined,
        _ if thread.is_fixed() => ProblemStatus::Solved,
        _ if thread.is_refused(r)? => ProblemStatus::Declined,
        _ if thread.documents_fix() => ProblemStatus::Solved,
        _ => ProblemStatus::ClosedWithoutFix,
    };
    Ok(thread.outcome(status, question.map_or("", |question| &question.salient_text)))
}

/// Returns whether an item is a known duplicate, even if its canonical report is missing.
fn is_duplicate(r: &Reader<'_>, row: &DocumentRow) -> Result<bool> {
    Ok(row.closed_as() == Some(Closure::Duplicate)
        || r.canonical(&row.key)?.other_than(&row.key).is_some())
}

/// Returns the solved cases and the known open reports for a question.
pub(crate) fn respond(
    context: &CaseContext<'_>,
    question_matches: &QuestionMatches,
    request: &TroubleshootRequest,
    task: &Task,
) -> Result<TroubleshootResponse> {
    let question = &question_matches.question;
    let finder = context.finder;
    // A threshold set by the user replaces the estimated relevance.
    let user_threshold = request.settings.similarity_threshold;
    let settings = validate(&request.settings, context.min_similarity)?;
    let mut response = TroubleshootResponse {
        key: question.row.as_ref().map(|row| row.key.clone()),
        notices: finder.notices(finder.coverage()?)?,
        conclusive: true,
        settings,
        ..TroubleshootResponse::default()
    };
    response.notices.extend(finder.language_notice(&question.text)?);
    let relevant = relevant_cases(finder, context.domain, question_matches, task)?;
    let vector = finder.vector(&question.text)?;
    let mut cases = finder.store.read(|r| {
        response.open = open_reports(r, question_matches)?;
        let list = candidates(r, question, relevant)?;
        let is_relevant = |c: &Candidate| match user_threshold {
            _ if c.relation.is_some() => true,
            Some(threshold) => c.evidence.similarity.is_some_and(|s| s >= threshold),
            None => c.evidence.in_domain && c.evidence.relevance >= MIN_HELP,
        };
        let (cases, others): (Vec<_>, Vec<_>) =
            list.into_iter().partition(|c| is_relevant(c) && !c.was_declined);
        let terms = report::terms(&question.text);
        let load =
            |row| CaseThread::load(r, finder, row, &terms, vector.as_deref(), Links::Visible);
        let (mut solutions, mut unsolved) = (Vec::new(), Vec::new());
        for c in cases {
            if solutions.len() == response.settings.max_results {
                break;
            }
            task.check()?;
            let thread = load(c.row)?;
            if c.relation.is_none() && !thread.has_solution() {
                let was_declined = thread.is_refused(r)?;
                unsolved.push(thread.into_near_case(c.evidence, was_declined));
                continue;
            }
            let is_other = c.relation != Some(CaseRelation::Itself);
            let version =
                is_other.then(|| thread.compare_version(&question.salient_text)).flatten();
            // Another product has its own versions, so a regression needs the same problem.
            let is_same_problem = c.relation.is_some()
                || c.evidence.same_failure
                || c.evidence.relevance >= LIKELY_HELP;
            let version = version.map(|(version, _)| version);
            let version =
                version.filter(|version| is_same_problem || version.has_fix == Some(false));
            let Candidate { evidence, relation, via, .. } = c;
            solutions.push(Case { evidence, relation, via, thread, version });
        }
        // Declined reports are always listed as weak matches, less similar cases only on request.
        let weak_matches =
            others.into_iter().filter(|c| request.anyway || (is_relevant(c) && c.was_declined));
        let weak_matches = weak_matches
            .take(MAX_NEAR)
            .map(|c| Ok(load(c.row)?.into_near_case(c.evidence, c.was_declined)));
        unsolved.truncate(MAX_NEAR);
        response.similar_cases =
            unsolved.into_iter().map(Ok).chain(weak_matches).collect::<Result<_>>()?;
        Ok(solutions)
    })?;
    let weight = |c: &Case| if c.relation.is_some() { 1.0 } else { c.evidence.relevance };
    let keys: BTreeSet<String> = cases.iter().map(|c| c.thread.row.key.clone()).collect();
    cases.iter_mut().for_each(|c| c.thread.clear_listed_changes(&keys));
    task.check()?;
    let weights: Vec<f32> = cases.iter().map(weight).collect();
    let lengths: Vec<usize> = cases.iter().map(|c| c.thread.useful_length()).collect();
    let budgets = shares(response.settings.total_budget_chars, &weights, &lengths);
    response.cases =
        cases.into_iter().zip(budgets).map(|(c, budget)| c.into_solved_case(budget)).collect();
    let threshold = response.settings.similarity_threshold.unwrap_or_default();
    response.articles = wiki::articles(finder, question, threshold, task)?;
    if !response.is_sure() {
        response.wiki =
            passages(finder, question, DocKind::Page, threshold, user_threshold.is_some(), task)?;
    }
    response.outcome = match (response.cases.is_empty(), response.wiki.is_empty()) {
        (false, _) => TroubleshootOutcome::Solved,
        (true, false) => TroubleshootOutcome::Wiki,
        (true, true) => TroubleshootOutcome::Nothing,
    };
    Ok(response)
}

/// Validates the settings, and fills in the default threshold if none is set.
fn validate(
    settings: &TroubleshootSettings,
    min_similarity: Option<f32>,
) -> Result<TroubleshootSettings> {
    if !settings.enabled {
        return Err(Error::invalid("searching for solved cases is disabled")
            .with_hint("Enable it with troubleshooting.enabled = true."));
    }
    let threshold = settings.similarity_threshold.or(min_similarity).unwrap_or(0.65);
    if !(0.0..=1.0).contains(&threshold) {
        return Err(Error::invalid(format!("a similarity threshold of {threshold} is out of range"))
            .with_hint(
                "The threshold (troubleshooting.similarity_threshold) must be between 0 and 1, where 1 means identical.",
            ));
    }
    let check = |value: usize, (min, max): (usize, usize), text: String, name: &str| {
        let hint = || format!("troubleshooting.{name} must be between {min} and {max}.");
        let error = || Error::invalid(format!("{text} out of range")).with_hint(hint());
        (min..=max).contains(&value).then_some(()).ok_or_else(error)
    };
    let (results, budget) = (settings.max_results, settings.total_budget_chars);
    check(results, CASES, format!("{results} results are"), "max_results")?;
    check(budget, BUDGET, format!("a budget of {budget} characters is"), "total_budget_chars")?;
    Ok(TroubleshootSettings { similarity_threshold: Some(threshold), ..settings.clone() })
}

/// The evidence that a case is relevant.
#[derive(Clone, Copy, Debug, Default)]
struct CaseEvidence {
    relevance: f32,
    in_domain: bool,
    similarity: Option<f32>,
    words: f32,
    same_failure: bool,
}

impl CaseEvidence {
    fn new(case: &RelevantCase) -> Self {
        Self {
            relevance: case.relevance,
            in_domain: case.in_domain,
            similarity: case.candidate.cosine,
            words: case.words(),
            same_failure: case.candidate.is_same_failure(),
        }
    }
}

/// Returns the open reports among the likely duplicates of a question and the reports of the same
/// failure, the known canonical report first.
fn open_reports(r: &Reader<'_>, question_matches: &QuestionMatches) -> Result<Vec<KnownReport>> {
    let mut reports: Vec<KnownReport> = Vec::new();
    let mut add = |row: DocumentRow, band, confidence| {
        if row.state == Some(State::Open) && reports.iter().all(|report| report.key != row.key) {
            reports.push(known_report(row, band, confidence));
        }
    };
    if let Some(row) = &question_matches.question.row
        && let Some(canonical) = canonical(r, row)?
    {
        add(canonical, Band::High, 1.0);
    }
    let is_likely =
        |candidate: &&Match| candidate.confidence >= LIKELY || candidate.is_same_failure();
    for candidate in question_matches.matches.iter().filter(is_likely) {
        if let Some(row) = r.document(candidate.document)?.filter(|row| row.deleted_at.is_none()) {
            let row = canonical(r, &row)?.unwrap_or(row);
            add(row, candidate.band(), candidate.confidence);
        }
    }
    reports.truncate(MAX_OPEN);
    Ok(reports)
}

struct Candidate {
    row: DocumentRow,
    evidence: CaseEvidence,
    relation: Option<CaseRelation>,
    via: Option<String>,
    /// True if it was closed without a fix.
    was_declined: bool,
}

/// Returns the candidates without repetitions, best first. A duplicate is replaced by its canonical
/// report.
fn candidates(
    r: &Reader<'_>,
    question: &Question,
    cases: Vec<RelevantCase>,
) -> Result<Vec<Candidate>> {
    let queried_key = question.row.as_ref().map(|row| row.key.as_str());
    let mut out: Vec<Candidate> = known_case(r, question, &cases)?.into_iter().collect();
    for case in cases {
        if out.len() >= MAX_CANDIDATES {
            break;
        }
        let Some(mut row) = r.document(case.candidate.document)?.filter(|d| d.deleted_at.is_none())
        else {
            continue;
        };
        let mut via = None;
        if let Some(canonical) = resolved_canonical(r, &row)? {
            via = Some(std::mem::replace(&mut row, canonical).key);
        }
        let is_queried = |key: &str| Some(key) == queried_key;
        if is_queried(&row.key)
            || via.as_deref().is_some_and(is_queried)
            || out.iter().any(|c| c.row.key == row.key)
        {
            continue;
        }
        let was_declined = is_declined(r, &row)?;
        let evidence = CaseEvidence::new(&case);
        out.push(Candidate { evidence, row, relation: None, via, was_declined });
    }
    Ok(out)
}

/// Returns the resolved canonical report of the queried report, or the queried report itself if it
/// is resolved.
fn known_case(
    r: &Reader<'_>,
    question: &Question,
    cases: &[RelevantCase],
) -> Result<Option<Candidate>> {
    let Some(item) = &question.row else { return Ok(None) };
    let is_match = |row: &DocumentRow| {
        is_resolved(row) && question.source.as_ref().is_none_or(|s| s.key == row.source)
    };
    let (row, relation) = match resolved_canonical(r, item)?.filter(is_match) {
        Some(canonical) => (canonical, CaseRelation::Canonical),
        None if item.kind == DocKind::Issue && is_match(item) => {
            (item.clone(), CaseRelation::Itself)
        }
        None => return Ok(None),
    };
    if is_declined(r, &row)? {
        return Ok(None);
    }
    let case = cases.iter().find(|c| c.candidate.document == row.id);
    let evidence = case.map(CaseEvidence::new).unwrap_or_default();
    let relation = Some(relation);
    Ok(Some(Candidate { row, evidence, relation, via: None, was_declined: false }))
}

/// Returns the canonical report of a duplicate, if it is resolved.
fn resolved_canonical(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<DocumentRow>> {
    Ok(canonical(r, row)?.filter(is_resolved))
}

/// Returns the canonical report of a duplicate, if it is in the casebook.
pub(crate) fn canonical(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<DocumentRow>> {
    let key = match r.canonical(&row.key)?.other_than(&row.key) {
        None => duplicate_in_closing_comment(r, row)?,
        key => key,
    };
    let canonical = key.map(|key| r.document_by_key(&key)).transpose()?.flatten();
    Ok(canonical.filter(|canonical| canonical.deleted_at.is_none()))
}

fn is_resolved(row: &DocumentRow) -> bool {
    match row.kind {
        DocKind::Issue => row.state == Some(State::Closed),
        DocKind::PullRequest => row.state == Some(State::Merged),
        DocKind::Page | DocKind::Note => false,
    }
}

/// Returns the first line of `text`, shortened.
pub(crate) fn first_line(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default().trim();
    excerpt(line, 120).0
}

/// Formats the citation of a document.
pub fn citation(row: &DocumentRow) -> String {
    match row.kind {
        DocKind::Issue => format!("[Issue {}]", row.key),
        DocKind::PullRequest => format!("[Pull request {}]", row.key),
        DocKind::Page => format!("[Wiki: {}]", row.title),
        DocKind::Note => format!("[Note {}]", row.key),
    }
}
