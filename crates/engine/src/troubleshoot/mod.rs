//! Solved cases: the threads that carry a fix, and pages of a wiki where none surely does.
//!
//! Apart from duplicates by design: here only what was resolved counts, and what is shown is the solution.

mod budget;
mod evaluate;
mod helps;
mod keywords;
mod language;
mod roles;
mod thread;

use std::{cell::LazyCell, time::Instant};

use crate::{
    Parts,
    closing::{is_declined, named_at_closing},
    duplicates::{Checker, Draft, Scope},
    phrases::denies,
    search::{self, Evidence},
};
pub(crate) use budget::excerpt;
use budget::{length, shares};
pub use evaluate::evaluate_threads;
pub use helps::{Likely, likely};
use jiff::Timestamp;
pub use language::Language;
use precedent_core::{
    error::{Error, Result},
    model::{
        CaseComment, CaseRelation, CommentRole, DocKind, HELPS, Named, NearCase, SolvedCase, State,
        TroubleshootOutcome, TroubleshootRequest, TroubleshootResponse, TroubleshootSettings, WikiPassage,
        limits::{BUDGET, CASES},
    },
    task::Task,
};
use precedent_index::filter::{Filter, Test};
use precedent_store::{DocumentRow, Reader, StoredComment};
use precedent_text::{
    essence::informative,
    failure::{Contrary, Failures},
    prepare::{Prepared, written},
    report,
    skeleton::Skeleton,
    tokens,
    version::versions,
};
use thread::{Said, assemble, need};

/// Candidates that are looked at.
const CANDIDATES: usize = 10;
/// So many are named that are no solution, or not close enough.
const NEAR: usize = 3;
/// A page that was found by words alone needs this share of the question's words, weighed by rarity.
const WORDS_FLOOR: f32 = 0.2;
/// A case that helps more likely than not leaves no room for the wiki.
const SURELY: f32 = 0.5;
/// Pages of a wiki that are shown where no case surely helps.
const PAGES: usize = 2;
/// How deep the wiki's pages are looked through for each question.
const PAGE_DEPTH: usize = 10;
/// The passage of a page, in characters.
const PAGE_LENGTH: usize = 1200;
/// The most that a case helps whose innermost cause is another one, which is then not shown; whose message is about another
/// thing; and which fails in another way.
const ANOTHER_CAUSE: f32 = 0.14;
const ANOTHER_THING: f32 = 0.45;
const ANOTHER_FAILURE: f32 = 0.3;
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

/// Looks for solved cases.
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
    let parts = &desk.checker.parts;
    // Only a threshold that somebody set stands in for what is stated of a case.
    let asked = request.settings.similarity_threshold;
    let settings = valid(&request.settings, desk.card)?;
    let question = parts.store.read(|r| Question::read(r, request, now))?;
    let mut response = TroubleshootResponse {
        key: question.row.as_ref().map(|row| row.key.clone()),
        outcome: TroubleshootOutcome::Nothing,
        cases: Vec::new(),
        near: Vec::new(),
        wiki: Vec::new(),
        notices: parts.notices()?,
        took_ms: 0.0,
        settings,
    };
    let checker = Checker { pace: question.pace, ..*desk.checker };
    let found = likely(&checker, desk.language, &question.draft, question.scope(), task)?;
    let vector = parts.vector(&question.text)?;
    let cases = parts.store.read(|r| {
        let all = candidates(r, &question, found)?;
        let shown = |c: &Candidate| match asked {
            _ if c.relation.is_some() => true,
            Some(threshold) => c.evidence.similarity.is_some_and(|s| s >= threshold),
            None => c.evidence.at_home && c.evidence.helps >= HELPS,
        };
        let (mut cases, rest): (Vec<_>, Vec<_>) = all.into_iter().partition(|c| shown(c) && !c.declined);
        cases.truncate(response.settings.max_results);
        // What was closed without a fix is worth a look and is no solution; what is not close enough is shown to who insists.
        let near = rest.into_iter().filter(|c| request.anyway || (shown(c) && c.declined));
        response.near = near.take(NEAR).map(Candidate::near).collect();
        let wanted = report::terms(&question.text);
        cases
            .into_iter()
            .map(|c| {
                let thread = Opened::read(r, parts, c.row, &wanted, vector.as_deref(), Links::Known)?;
                Ok(Case { evidence: c.evidence, relation: c.relation, via: c.via, thread })
            })
            .collect::<Result<Vec<_>>>()
    })?;
    task.check()?;
    let weight = |c: &Case| if c.relation.is_some() { 1.0 } else { c.evidence.helps };
    let weights: Vec<f32> = cases.iter().map(weight).collect();
    let needs: Vec<usize> = cases.iter().map(|c| need(&c.thread.body, &c.thread.said)).collect();
    let budgets = shares(response.settings.total_budget_chars, &weights, &needs);
    response.cases = cases.into_iter().zip(budgets).map(|(c, budget)| c.shown(budget)).collect();
    if weights.iter().all(|helps| *helps < SURELY) {
        let threshold = response.settings.similarity_threshold.unwrap_or_default();
        response.wiki = wiki(parts, &question, threshold, asked.is_some(), task)?;
    }
    response.outcome = match (response.cases.is_empty(), response.wiki.is_empty()) {
        (false, _) => TroubleshootOutcome::Solved,
        (true, false) => TroubleshootOutcome::Wiki,
        (true, true) => TroubleshootOutcome::Nothing,
    };
    response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
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

/// Whether a page of a wiki is near in meaning; by words alone only where nobody set a threshold.
fn passes(evidence: &Evidence, threshold: f32, set: bool) -> bool {
    let by_words = !set && (evidence.signature || evidence.words >= WORDS_FLOOR);
    evidence.cosine.is_some_and(|c| c >= threshold) || by_words
}

struct Question {
    row: Option<DocumentRow>,
    source: Option<String>,
    /// Title and text, one after the other.
    text: String,
    draft: Draft,
    /// How long it takes in the one source that is looked at until something is reported again.
    pace: f64,
}

impl Question {
    fn read(r: &Reader<'_>, request: &TroubleshootRequest, now: Timestamp) -> Result<Self> {
        let source = match &request.source {
            Some(key) => Some(r.source(key)?.ok_or_else(|| search::no_source(r, key))?),
            None => None,
        };
        let pace = source.as_ref().map_or(Ok(1.0), |source| r.pace(source.id))?;
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
            return Ok(Self { row: None, source, text, draft, pace });
        };
        let row = search::one(r, key)?;
        let body = Prepared::body(&row.body, &r.skeleton(row.source_id)?);
        let text = body.whole(&row.title);
        let draft =
            Draft { title: row.title.clone(), body, made_at, author: row.person(), document: Some(row.id) };
        Ok(Self { source, text, draft, pace, row: Some(row) })
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

impl Candidate {
    fn near(self) -> NearCase {
        NearCase {
            citation: citation(&self.row),
            declined: self.declined,
            helps: self.evidence.helps,
            state: self.row.state,
            state_reason: self.row.state_reason,
            title: self.row.title,
            url: self.row.url,
            key: self.row.key,
        }
    }
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
    let stays = match r.canonical(&row.key)?.stays_for(&row.key) {
        Some(stays) => stays,
        None => match named_at_closing(r, row)? {
            Some(named) => named,
            None => return Ok(None),
        },
    };
    Ok(r.document_by_key(&stays)?.filter(|stays| stays.deleted_at.is_none() && is_resolved(stays)))
}

fn is_resolved(row: &DocumentRow) -> bool {
    match row.kind {
        DocKind::Issue => row.state == Some(State::Closed),
        DocKind::PullRequest => row.state == Some(State::Merged),
        DocKind::Page | DocKind::Note => false,
    }
}

/// The merged pull requests that closed an item.
fn fixes(r: &Reader<'_>, row: &DocumentRow) -> Result<Vec<DocumentRow>> {
    let mut out = Vec::new();
    for link in r.links(&row.key)?.into_iter().filter(|l| l.kind == "closes" && l.to_key == row.key) {
        out.extend(r.document_by_key(&link.from_key)?.filter(|d| d.state == Some(State::Merged)));
    }
    Ok(out)
}

/// A case with its whole thread.
struct Case {
    evidence: Seen,
    relation: Option<CaseRelation>,
    via: Option<String>,
    thread: Opened,
}

/// Whether what closed an item helps to tell what its comments do. An evaluation hides what it asks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Links {
    Known,
    Hidden,
}

/// A whole thread.
struct Opened {
    row: DocumentRow,
    /// The merged pull requests that closed it.
    fixed_by: Vec<DocumentRow>,
    /// The numbers of what closed it, mirrored or not.
    closers: Vec<u64>,
    body: String,
    said: Vec<Said>,
    reported_on: Vec<String>,
    environment: Vec<String>,
    fixed_in: Option<String>,
}

impl Opened {
    /// Reads a thread; `wanted` are the terms of the question and `vector` is its unit vector.
    fn read(
        r: &Reader<'_>,
        parts: &Parts<'_>,
        row: DocumentRow,
        wanted: &[String],
        vector: Option<&[f32]>,
        links: Links,
    ) -> Result<Self> {
        let fixed_by = fixes(r, &row)?;
        let closers = r.closing_numbers(&row)?;
        let told: &[u64] = if links == Links::Known { &closers } else { &[] };
        let comments = r.comments(&row)?;
        let near = match (vector, parts.vectors) {
            (Some(vector), Some(vectors)) => vectors.near_in(row.id, vector)?,
            _ => Vec::new(),
        };
        let closed_at = row.merged_at.or(row.closed_at);
        let body = r.skeleton(row.source_id)?.strip(&written(&row.body));
        let mut said: Vec<Said> = comments
            .iter()
            .map(|c| {
                let text = Prepared::comment(&c.body);
                let cosine = near.iter().find(|(part, _)| *part == c.id).map(|(_, cosine)| *cosine);
                let role = roles::role(c, &text, closed_at, told);
                Said { nearness: cosine.unwrap_or_else(|| overlap(wanted, &text)), comment: shown(c, role) }
            })
            .collect();
        // What was denied later is no fix; what closed it is one all the same.
        let denied =
            said.iter().rposition(|s| s.comment.role != Some(CommentRole::Fix) && denies(&s.comment.text));
        if closers.is_empty() {
            for earlier in said.iter_mut().take(denied.unwrap_or_default()) {
                if matches!(earlier.comment.role, Some(CommentRole::Fix | CommentRole::Workaround)) {
                    earlier.comment.role = None;
                }
            }
        }
        let named = versions(&format!("{}\n{}", row.title, body), &row.source);
        let reported_on = named.own;
        let said_fixed =
            said.iter().rev().filter(|s| s.comment.role == Some(CommentRole::Fix)).find_map(|s| {
                let named = versions(&s.comment.text, &row.source);
                named.own.into_iter().find(|v| !reported_on.contains(v))
            });
        let planned = row.milestone.clone().filter(|_| row.state_reason.as_deref() != Some("not_planned"));
        Ok(Self {
            fixed_in: planned.or(said_fixed),
            row,
            fixed_by,
            closers,
            body,
            said,
            reported_on,
            environment: named.others,
        })
    }
}

impl Case {
    fn shown(self, budget: usize) -> SolvedCase {
        let Opened { row, fixed_by, body, said, reported_on, environment, fixed_in, .. } = self.thread;
        let closed_at = row.merged_at.or(row.closed_at);
        let thread = assemble(&body, &said, closed_at, budget);
        let named = |row: &DocumentRow| Named {
            key: row.key.clone(),
            title: row.title.clone(),
            url: row.url.clone(),
        };
        SolvedCase {
            citation: citation(&row),
            kind: row.kind,
            closed_at,
            relation: self.relation,
            via: self.via,
            helps: self.evidence.helps,
            similarity: self.evidence.similarity,
            words: self.evidence.words,
            same_signature: self.evidence.signature,
            fixed_by: fixed_by.iter().map(named).collect(),
            reported_on,
            environment,
            fixed_in,
            body: thread.body,
            body_excerpt: thread.body_excerpt,
            comments: thread.comments,
            omitted: u32::try_from(thread.omitted).unwrap_or(u32::MAX),
            fix: thread.fix,
            chars: thread.chars,
            key: row.key,
            title: row.title,
            url: row.url,
            state: row.state,
            state_reason: row.state_reason,
        }
    }
}

fn shown(comment: &StoredComment, role: Option<CommentRole>) -> CaseComment {
    CaseComment {
        anchor: search::anchor(comment),
        author: comment.author.login.clone(),
        association: comment.author.association.clone(),
        role,
        created_at: comment.created_at,
        url: comment.url.clone(),
        text: without_quotes(&comment.body),
        excerpt: false,
    }
}

/// A comment without what it quotes, where it says something itself: the quoted words are in the thread already.
fn without_quotes(markdown: &str) -> String {
    let markdown = &*written(markdown);
    let own: Vec<&str> = markdown.lines().filter(|l| !l.trim_start().starts_with('>')).collect();
    let own = own.join("\n");
    let text = if own.trim().is_empty() { markdown } else { &own };
    let mut out = String::with_capacity(text.len());
    let mut blank = 0;
    for line in text.trim().lines() {
        blank = if line.trim().is_empty() { blank + 1 } else { 0 };
        if blank < 2 {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// The share of the question's words that a text has; for comments without a vector.
fn overlap(wanted: &[String], text: &Prepared) -> f32 {
    if wanted.is_empty() {
        return 0.0;
    }
    let has: std::collections::HashSet<String> =
        tokens::words(&format!("{}\n{}", text.prose(), text.code())).into_iter().map(|w| w.term).collect();
    let common = wanted.iter().filter(|w| has.contains(*w)).count();
    #[allow(clippy::cast_precision_loss, reason = "counts of words are small")]
    let share = common as f32 / wanted.len() as f32;
    share
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

/// Pages of wikis, asked for with the original text and with what it names, a page once.
fn wiki(
    parts: &Parts<'_>,
    question: &Question,
    threshold: f32,
    set: bool,
    task: &Task,
) -> Result<Vec<WikiPassage>> {
    let pages = Filter { test: Test::Kind(DocKind::Page), negated: false };
    let filters: Vec<Filter> = std::iter::once(pages).chain(question.within()).collect();
    let mut found: Vec<Evidence> = Vec::new();
    for text in [question.text.clone(), keywords::keywords(&question.draft.title, &question.draft.body)] {
        if text.trim().is_empty() {
            continue;
        }
        for one in parts.evidence(&text, &filters, PAGE_DEPTH, task)? {
            if !passes(&one, threshold, set) {
                continue;
            }
            match found.iter_mut().find(|f| f.document == one.document) {
                Some(known) => {
                    known.fused = known.fused.max(one.fused);
                    known.cosine = known.cosine.into_iter().chain(one.cosine).reduce(f32::max);
                }
                None => found.push(one),
            }
        }
    }
    let vector = parts.vector(&question.text)?;
    parts.store.read(|r| {
        let mut pages = Vec::new();
        for one in found {
            let Some(row) = r.document(one.document)?.filter(|d| d.deleted_at.is_none()) else { continue };
            pages.push((one, row));
        }
        pages.sort_by(|(a, x), (b, y)| b.fused.total_cmp(&a.fused).then_with(|| x.key.cmp(&y.key)));
        pages.truncate(PAGES);
        pages.into_iter().map(|(one, row)| passage(parts, question, one, row, vector.as_deref())).collect()
    })
}

fn passage(
    parts: &Parts<'_>,
    question: &Question,
    one: Evidence,
    row: DocumentRow,
    vector: Option<&[f32]>,
) -> Result<WikiPassage> {
    let body = Prepared::body(&row.body, &Skeleton::default());
    let chunks = precedent_text::chunk::chunks(&body, precedent_text::chunk::MAX_BODY_CHUNKS);
    let near = match (vector, parts.vectors) {
        (Some(vector), Some(vectors)) => vectors.nearest_piece(row.id, vector)?,
        _ => None,
    };
    let wanted = report::terms(&question.text);
    let by_words = || {
        let score = |text: &str| {
            let has: std::collections::HashSet<String> =
                tokens::words(text).into_iter().map(|w| w.term).collect();
            wanted.iter().filter(|w| has.contains(*w)).count()
        };
        (0..chunks.len()).max_by_key(|i| (score(&chunks[*i].text), std::cmp::Reverse(*i)))
    };
    let at = near.filter(|at| *at < chunks.len()).or_else(by_words);
    let text = at.map_or_else(
        || row.body.clone(),
        |at| {
            let mut text = chunks[at].text.clone();
            // A short piece is shown with what follows it.
            if length(&text) < PAGE_LENGTH / 2
                && let Some(next) = chunks.get(at + 1)
            {
                text.push_str("\n\n");
                text.push_str(&next.text);
            }
            text
        },
    );
    Ok(WikiPassage {
        citation: citation(&row),
        similarity: one.cosine,
        text: excerpt(&text, PAGE_LENGTH).0,
        key: row.key,
        title: row.title,
        url: row.url,
    })
}
