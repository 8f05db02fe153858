//! The contents of a case: its thread within a budget, its fix, and the fixed version.

use std::collections::{BTreeSet, HashSet};

use super::{
    CaseEvidence,
    budget::{excerpt, length},
    citation, is_duplicate, roles,
    thread::{Excerpt, ThreadComment, assemble, is_informative, shorten, useful_length},
};
use crate::{
    QueryContext,
    releases::{Fix, Releases},
    resolution::{closing_comments, is_refusal},
    search,
};
use jiff::Timestamp;
use precedent_core::{
    error::Result,
    model::{
        AskedVersion, CaseComment, CaseRelation, CommentRole, DocKind, FixedBy, NearCase,
        ProblemStatus, SolvedCase, State,
    },
};
use precedent_markup::{fence, stored_markdown};
use precedent_store::{DocumentRow, Reader, StoredComment, StoredLink};
use precedent_text::{
    closure::Closure,
    fixed_version::{VersionRole, find_versions},
    pattern::Pattern,
    prepare::{PreparedText, own_content},
    reference::references,
    roles::{Sentence, SentenceRole, Sentences},
    tokens,
    version::{self, by_number, versions},
};

/// The address of a pull request or merge request.
static CHANGE_LINK: Pattern =
    Pattern::new(r"https?://[^\s()\[\]<>|]+/(?:pull|pulls|merge_requests|pull-requests)/\d+\b");
/// The address of a change in Gerrit, which trackers do not link to the report that it closes.
static GERRIT_LINK: Pattern =
    Pattern::new(r"https?://(?:[^\s()\[\]<>|]+/(?:cl|c|\+)|[\w.-]*review\.[\w.-]+)/(\d+)\b");
/// The maximum time between the closures of a change and an item by the same push, in seconds.
const MAX_PUSH_DISTANCE: i64 = 60;
/// The maximum number of linked changes taken from one comment.
const MAX_LINKS: usize = 3;
/// The maximum length of a change's description, in characters.
const MAX_CHANGE: usize = 500;
/// The divisor of a case's budget that gives the part for its changes.
const CHANGE_DIVISOR: usize = 5;
/// The maximum length of a quoted fix or workaround of a problem, in characters.
const MAX_OUTCOME_COMMENT: usize = 600;
/// The maximum length of the comment shown for a case without a solution, in characters.
const MAX_NEAR_COMMENT: usize = 300;

/// Returns the mirrored changes that closed an item. A change closed together with the item counts
/// as merged, because a push may close both without the tracker's merge.
fn closing_changes(r: &Reader<'_>, row: &DocumentRow) -> Result<Vec<DocumentRow>> {
    let mut changes = Vec::new();
    let is_closing = |link: &StoredLink| link.kind == "closes" && link.to_key == row.key;
    for link in r.links(&row.key)?.into_iter().filter(is_closing) {
        let Some(mut change) = r.document_by_key(&link.from_key)? else { continue };
        if let (Some(State::Closed), Some(change_time), Some(item_time)) =
            (change.state, change.closed_at, row.closed_at)
            && (change_time.as_second() - item_time.as_second()).abs() <= MAX_PUSH_DISTANCE
        {
            change.state = Some(State::Merged);
            change.merged_at = change.closed_at;
        }
        changes.push(change);
    }
    Ok(changes)
}

/// Returns the merged changes with their descriptions.
fn merged_changes(r: &Reader<'_>, changes: &[DocumentRow]) -> Result<Vec<FixedBy>> {
    let mut out = Vec::new();
    for change in changes.iter().filter(|change| change.state == Some(State::Merged)) {
        let description =
            shorten(&r.skeleton(change.source_id)?.strip(&own_content(&change.body))).0;
        // "Closes #12" does not describe the change.
        let text = if is_informative(&description) {
            excerpt(&description, MAX_CHANGE).0
        } else {
            String::new()
        };
        let (key, title, url) = (change.key.clone(), change.title.clone(), change.url.clone());
        out.push(FixedBy { key, title, url, text });
    }
    Ok(out)
}

/// Returns the changes in the last comment before the closure that links to any: Gerrit changes and
/// pull requests of other projects that may be merged. A linked pull request of the same project
/// may be the cause instead.
fn linked_changes(
    r: &Reader<'_>,
    row: &DocumentRow,
    comments: &[StoredComment],
    closed_at: Option<Timestamp>,
) -> Result<Vec<FixedBy>> {
    let is_earlier =
        |comment: &&StoredComment| closed_at.is_none_or(|time| comment.created_at <= time);
    for comment in comments.iter().rev().filter(is_earlier) {
        let text = own_content(&comment.body);
        let gerrit_changes = GERRIT_LINK.captures_iter(&text).take(MAX_LINKS).map(|link| {
            let url = Some(link[0].to_owned());
            FixedBy { url, ..FixedBy::not_mirrored(format!("change {}", &link[1])) }
        });
        let mut changes: Vec<FixedBy> = gerrit_changes.collect();
        if comment.author.bot && changes.is_empty() {
            continue;
        }
        for address in CHANGE_LINK.find_iter(&text).take(MAX_LINKS).map(|link| link.as_str()) {
            let Some(reference) = references(address).into_iter().next() else { continue };
            let Some(source) = reference.source.filter(|key| *key != row.source) else { continue };
            let key = format!("{source}#{}", reference.number);
            let change = r.document_by_key(&key)?;
            if change.is_none_or(|change| change.state == Some(State::Merged)) {
                let url = Some(address.to_owned());
                changes.push(FixedBy { url, ..FixedBy::not_mirrored(key) });
            }
        }
        if !changes.is_empty() {
            return Ok(changes);
        }
    }
    Ok(Vec::new())
}

/// Returns the milestone of the merged changes that closed an item, or else the lowest release
/// whose notes mention the item or one of the changes.
fn version_of_changes(
    r: &Reader<'_>,
    row: &DocumentRow,
    closers: &[u64],
    changes: &[DocumentRow],
) -> Result<Option<String>> {
    let milestone = changes
        .iter()
        .filter(|change| change.state == Some(State::Merged))
        .find_map(|change| change.milestone.clone());
    if milestone.is_some() {
        return Ok(milestone);
    }
    let mut names = Vec::new();
    for number in row.number.iter().chain(closers) {
        names.extend(r.releases_with(row.source_id, *number)?);
    }
    Ok(names.into_iter().min_by(|a, b| by_number(a, b)))
}

/// Returns the time when the last change that closed an item was merged, or the time of the closure
/// if changes fixed it, but none of them is mirrored.
fn merged_at(row: &DocumentRow, fixes: &[FixedBy], changes: &[DocumentRow]) -> Option<Timestamp> {
    let merged_at =
        row.merged_at.or_else(|| changes.iter().filter_map(|change| change.merged_at).max());
    merged_at.or(row.closed_at.filter(|_| changes.is_empty() && !fixes.is_empty()))
}

/// A solved case with its thread.
pub(super) struct Case {
    pub(super) evidence: CaseEvidence,
    pub(super) relation: Option<CaseRelation>,
    pub(super) via: Option<String>,
    pub(super) thread: CaseThread,
    pub(super) version: Option<AskedVersion>,
}

/// Whether closing links may be used to classify comments. An evaluation hides them, because they
/// reveal the expected result.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Links {
    Visible,
    Hidden,
}

/// A thread with its fix.
pub(crate) struct CaseThread {
    pub(super) row: DocumentRow,
    fixed_by: Vec<FixedBy>,
    /// The numbers of the changes that closed the item, mirrored or not.
    pub(super) closers: Vec<u64>,
    pub(crate) body: String,
    pub(crate) comments: Vec<ThreadComment>,
    reported_on: Vec<String>,
    environment: Vec<String>,
    fix: Fix,
    releases: Releases,
    /// True if the proposed solutions were denied.
    is_denied: bool,
}

impl CaseThread {
    /// Loads a thread; `query_terms` and the unit vector `vector` belong to the question.
    pub(crate) fn load(
        r: &Reader<'_>,
        context: &QueryContext<'_>,
        row: DocumentRow,
        query_terms: &[String],
        vector: Option<&[f32]>,
        links: Links,
    ) -> Result<Self> {
        // A change that was closed without being merged fixed nothing.
        let is_rejected = |change: &DocumentRow| change.state == Some(State::Closed);
        let (rejected_changes, mut changes): (Vec<_>, Vec<_>) =
            closing_changes(r, &row)?.into_iter().partition(is_rejected);
        let mut fixed_by = merged_changes(r, &changes)?;
        let key_of = |number: &u64| format!("{}#{number}", row.source);
        let has = |list: &[DocumentRow], key: &String| list.iter().any(|c| c.key == *key);
        let mut closers = r.closing_numbers(&row)?;
        closers.retain(|number| !has(&rejected_changes, &key_of(number)));
        let keys = closers.iter().map(key_of).filter(|key| !has(&changes, key));
        fixed_by.extend(keys.map(FixedBy::not_mirrored));
        changes.retain(|change| change.source_id == row.source_id);
        let known_closers: &[u64] = if links == Links::Visible { &closers } else { &[] };
        let mut comments = r.comments(&row)?;
        for comment in &mut comments {
            comment.body = stored_markdown(&comment.body).into_owned();
        }
        let closed_at = row.merged_at.or(row.closed_at);
        let mut seen_keys = BTreeSet::new();
        fixed_by.retain(|change| seen_keys.insert(change.key.clone()));
        let cosines = match (vector, context.vectors) {
            (Some(vector), Some(vectors)) => vectors.part_cosines(row.id, vector)?,
            _ => Vec::new(),
        };
        let body = r.skeleton(row.source_id)?.strip(&stored_markdown(&own_content(&row.body)));
        let mut thread: Vec<ThreadComment> = comments
            .iter()
            .map(|c| {
                let (text, sentences) = (PreparedText::comment(&c.body), Sentences::read(&c.body));
                let cosine =
                    cosines.iter().find(|(comment, _)| *comment == c.id).map(|(_, cosine)| *cosine);
                let similarity = cosine.unwrap_or_else(|| term_overlap(query_terms, &text));
                let role = roles::role(c, (&text, &sentences), closed_at, known_closers);
                ThreadComment { similarity, comment: to_case_comment(c, role), sentences }
            })
            .collect();
        credit_confirmed_answers(&mut thread, row.author.login.as_deref());
        // A comment denied later is not a fix, unless a change closed the item.
        let last_index = |role| thread.iter().rposition(|reply| reply.has_role(role));
        let first_fix = thread.iter().position(|reply| reply.has_role(CommentRole::Fix));
        let last_denial = last_index(CommentRole::Denial)
            .filter(|index| first_fix.is_some_and(|fix| fix < *index));
        let is_denied = last_denial.is_some_and(|index| {
            closers.is_empty()
                && last_index(CommentRole::Fix).is_none_or(|fix| fix < index)
                && !thread[index..].iter().any(|reply| reply.sentences.verifies(true))
        });
        if closers.is_empty() {
            for entry in thread.iter_mut().take(last_denial.unwrap_or_default()) {
                entry.comment.role.take_if(|role| *role == CommentRole::Fix);
            }
        }
        let has_fix_comment = thread.iter().any(|reply| reply.has_role(CommentRole::Fix));
        if fixed_by.is_empty() && !has_fix_comment && row.kind == DocKind::Issue {
            fixed_by = linked_changes(r, &row, &comments, closed_at)?;
        }
        // A denial before the first fix only confirms the report.
        for entry in thread.iter_mut().take(first_fix.unwrap_or(usize::MAX)) {
            let role = &mut entry.comment.role;
            *role = role.map(|role| {
                if role == CommentRole::Denial { CommentRole::Confirmation } else { role }
            });
        }
        let text = format!("{}\n{body}", row.title);
        let mentions = versions(&text, &row.source);
        let reported_on = mentions.product;
        let releases = Releases::load(r, row.source_id)?;
        let verifies = |(index, reply): &(usize, &ThreadComment)| {
            reply.sentences.verifies(first_fix.is_some_and(|fix| fix < *index))
        };
        let last_test = thread.iter().enumerate().rev().find(verifies);
        // If a test follows, a version named before a contradiction does not count.
        let contradiction = last_test.and_then(|(test, _)| {
            thread[first_fix.unwrap_or(test).min(test)..test]
                .iter()
                .rposition(|reply| reply.sentences.contradicts())
        });
        let first_valid = contradiction.map_or(0, |index| first_fix.unwrap_or_default() + index);
        let is_fix = |reply: &&ThreadComment| reply.has_role(CommentRole::Fix);
        let is_new = |version: &String| {
            version::is_newer_than_any(version, &reported_on) && releases.may_be_fixed_in(version)
        };
        let version_in_fix = |role: VersionRole| {
            let mut fixes = thread[first_valid..].iter().rev().filter(is_fix);
            fixes.find_map(|reply| {
                let versions = find_versions(&reply.sentences, role, &reported_on).into_iter();
                // "Fixed in 8.1.0 and 8.0.1."
                versions.filter(is_new).min_by(|a, b| by_number(a, b))
            })
        };
        let version_in_test = || {
            // A test before the first fix concerns an older version.
            let is_later = |index: usize| first_fix.is_none_or(|fix| fix <= index);
            let (index, test) =
                last_test.filter(|(index, _)| closers.is_empty() && is_later(*index))?;
            let version = tested_version(&test.comment.text, &row.source).filter(is_new)?;
            last_denial.is_none_or(|denial| denial < index).then_some(version)
        };
        let fixed_version = version_in_fix(VersionRole::Fixed)
            .or_else(version_in_test)
            .or_else(|| version_in_fix(VersionRole::Planned));
        let is_version = |name: &String| version::is_version(name) || releases.has(name);
        let milestone =
            row.milestone.clone().filter(|_| row.closed_as() != Some(Closure::NotPlanned));
        let fixed_in = match milestone.filter(is_version).or(fixed_version) {
            None => version_of_changes(r, &row, &closers, &changes)?.filter(is_version),
            fixed_in => fixed_in,
        };
        let fix = Fix {
            version: fixed_in,
            merged_at: merged_at(&row, &fixed_by, &changes),
            closed_at: row.closed_at,
            reported_on: releases.newest_in(&text, &row.source).map(|version| version.name),
        };
        Ok(Self {
            fix,
            releases,
            is_denied,
            row,
            fixed_by,
            closers,
            body,
            comments: thread,
            reported_on,
            environment: mentions.foreign,
        })
    }

    /// Returns whether the thread documents a fix or a workaround, in a comment, in the report
    /// itself, or through the change or the version that contains it.
    pub(super) fn has_solution(&self) -> bool {
        self.documents_fix() || !self.is_denied && self.documents(SentenceRole::Workaround)
    }

    /// Returns whether the thread documents a fix, at least in a sentence that probably does.
    pub(super) fn documents_fix(&self) -> bool {
        self.is_fixed() || !self.is_denied && self.documents(SentenceRole::Fix)
    }

    /// Returns whether the report may contain its own solution: it is closed, and its export has no
    /// comments.
    fn is_whole_thread(&self) -> bool {
        self.comments.is_empty() && self.row.state != Some(State::Open)
    }

    fn documents(&self, role: SentenceRole) -> bool {
        let answers = |reply: &ThreadComment| match reply.comment.role {
            Some(CommentRole::Workaround) => role == SentenceRole::Workaround,
            Some(CommentRole::ClosingNote) | None => {
                reply.sentences.0.iter().any(|sentence| sentence.is_likely_solution(role))
            }
            _ => false,
        };
        self.comments.iter().any(answers)
            || !solutions(&self.body, role, self.is_whole_thread()).is_empty()
    }

    /// Returns whether the thread names a fix: a change, a version or a comment.
    pub(super) fn is_fixed(&self) -> bool {
        let is_fix = |reply: &ThreadComment| reply.has_role(CommentRole::Fix);
        !self.is_denied
            && (self.row.state == Some(State::Merged)
                || self.row.state_reason.as_deref().is_some_and(Closure::means_fixed)
                || !self.fixed_by.is_empty()
                || self.fix.version.is_some()
                || self.comments.iter().any(is_fix))
    }

    /// Returns whether the closing comments decline the report, and it is not a duplicate.
    pub(super) fn is_refused(&self, r: &Reader<'_>) -> Result<bool> {
        let created_at = |reply: &ThreadComment| reply.comment.created_at;
        let last_comments = closing_comments(&self.comments, created_at, self.row.closed_at);
        Ok(last_comments.iter().any(|reply| is_refusal(&reply.sentences))
            && !is_duplicate(r, &self.row)?)
    }

    pub(super) fn assemble(&self, budget: usize) -> Excerpt {
        let closed_at = self.row.merged_at.or(self.row.closed_at);
        assemble(&self.body, &self.comments, closed_at, budget)
    }

    /// Clears the descriptions of changes that are listed as cases.
    pub(super) fn clear_listed_changes(&mut self, keys: &BTreeSet<String>) {
        let listed_changes = self.fixed_by.iter_mut().filter(|change| keys.contains(&change.key));
        listed_changes.for_each(|change| change.text.clear());
    }

    /// Returns the number of characters that the case could use.
    pub(super) fn useful_length(&self) -> usize {
        useful_length(&self.body, &self.comments)
            + self.fixed_by.iter().map(|f| length(&f.text)).sum::<usize>()
    }

    /// Compares the newest version that a question names with the fix. Also returns the version to
    /// update to.
    pub(super) fn compare_version(&self, question: &str) -> Option<(AskedVersion, Option<String>)> {
        self.releases.compare_asked(question, &self.row.source, &self.fix)
    }

    /// Returns the outcome of the problem: the fix, or the comment to read first in a closed
    /// thread, and the workaround.
    pub(super) fn outcome(self, status: ProblemStatus, question: &str) -> ThreadOutcome {
        let (asked_version, update_to) = match self.compare_version(question) {
            Some((version, update_to)) if status.is_fixed() => (Some(version), update_to),
            Some((version, _)) => (Some(AskedVersion { has_fix: None, ..version }), None),
            None => (None, None),
        };
        let is_unreleased = status == ProblemStatus::Solved && self.releases.lack_fix(&self.fix);
        let status = if is_unreleased { ProblemStatus::Unreleased } else { status };
        let thread = self.assemble(usize::MAX);
        let last_comment = |role| thread.comments.iter().rev().find(|c| c.role == Some(role));
        let main_comment =
            || thread.comments.iter().find(|c| Some(&c.anchor) == thread.fix.as_ref());
        let shorten = |comment: &CaseComment| {
            let (text, excerpt) = excerpt(&comment.text, MAX_OUTCOME_COMMENT);
            CaseComment { text, excerpt, ..comment.clone() }
        };
        let may_help = |reply: &&ThreadComment| {
            reply.comment.role.is_none() && reply.sentences.is_likely(&[SentenceRole::Workaround])
        };
        let in_report =
            |role| solution_in_report(&self.row, &self.body, role, self.is_whole_thread());
        let workaround = last_comment(CommentRole::Workaround)
            .map(shorten)
            .or_else(|| in_report(SentenceRole::Workaround));
        let fix = match status {
            // For an open problem, only a comment that may help is worth quoting.
            ProblemStatus::Open if workaround.is_some() => None,
            ProblemStatus::Open => {
                self.comments.iter().rev().find(may_help).map(|reply| &reply.comment)
            }
            // If the change is known, only a comment that states the fix adds to it.
            _ if status.is_fixed() && self.fixed_by.iter().any(FixedBy::is_mirrored) => {
                main_comment().filter(|c| c.role == Some(CommentRole::Fix))
            }
            _ => main_comment().filter(|c| c.role != Some(CommentRole::Workaround)),
        };
        ThreadOutcome {
            status,
            asked_version,
            // In exports without comments, the report contains the solution.
            fix_comment: fix.map(shorten).or_else(|| {
                let uses_report = self.comments.is_empty() && status.is_fixed();
                uses_report.then(|| in_report(SentenceRole::Fix))?
            }),
            workaround,
            fix: if status.is_fixed() { self.fix } else { Fix::default() },
            releases: self.releases,
            update_to,
            fixed_by: if status.is_fixed() { self.fixed_by } else { Vec::new() },
        }
    }

    /// Converts the thread to a case without a solution, with the comment to read first.
    pub(super) fn into_near_case(self, evidence: CaseEvidence, was_declined: bool) -> NearCase {
        let undocumented = !was_declined && !self.has_solution();
        let thread = self.assemble(usize::MAX);
        let fix = thread.fix;
        let mut comment = thread.comments.into_iter().find(|c| Some(&c.anchor) == fix.as_ref());
        if let Some(comment) = &mut comment {
            (comment.text, comment.excerpt) = excerpt(&comment.text, MAX_NEAR_COMMENT);
        }
        NearCase {
            citation: citation(&self.row),
            declined: was_declined,
            undocumented,
            relevance: evidence.relevance,
            key_comment: comment,
            state: self.row.state,
            state_reason: self.row.state_reason,
            title: self.row.title,
            url: self.row.url,
            key: self.row.key,
        }
    }
}

/// The outcome that a problem's thread documents.
#[derive(Clone, Debug)]
pub(crate) struct ThreadOutcome {
    pub(crate) status: ProblemStatus,
    pub(crate) fix: Fix,
    pub(crate) releases: Releases,
    pub(crate) asked_version: Option<AskedVersion>,
    /// The version to update to, if the version in the question is older than the fix.
    pub(crate) update_to: Option<String>,
    pub(crate) fix_comment: Option<CaseComment>,
    pub(crate) workaround: Option<CaseComment>,
    pub(crate) fixed_by: Vec<FixedBy>,
}

/// Returns the sentences of a report that state its fix or workaround. If the report is the whole
/// thread, likely sentences count.
fn solutions(body: &str, role: SentenceRole, is_whole_thread: bool) -> Vec<Sentence> {
    let states = |sentence: &Sentence| {
        sentence.role() == role || is_whole_thread && sentence.is_likely_solution(role)
    };
    Sentences::read(body).0.into_iter().filter(states).collect()
}

/// Returns the fix or workaround in a report as a comment, with the code that belongs to it.
fn solution_in_report(
    row: &DocumentRow,
    body: &str,
    role: SentenceRole,
    is_whole_thread: bool,
) -> Option<CaseComment> {
    let to_text = |sentence: Sentence| match &sentence.code {
        Some(code) => {
            let fence = fence(code.lines());
            format!("{}\n\n{fence}\n{code}\n{fence}", sentence.markdown())
        }
        None => sentence.markdown(),
    };
    let sentences = solutions(body, role, is_whole_thread).into_iter();
    let text = sentences.map(to_text).collect::<Vec<_>>().join("\n\n");
    (!text.is_empty()).then_some(CaseComment {
        anchor: "body".to_owned(),
        author: row.author.login.clone(),
        association: row.author.association.clone(),
        role: Some(match role {
            SentenceRole::Fix => CommentRole::Fix,
            _ => CommentRole::Workaround,
        }),
        created_at: row.created_at?,
        url: row.url.clone(),
        text: excerpt(&text, MAX_OUTCOME_COMMENT).0,
        excerpt: true,
    })
}

/// Moves the fix role to the preceding answer if the reporter only confirms a fix.
fn credit_confirmed_answers(thread: &mut [ThreadComment], reporter: Option<&str>) {
    for index in 0..thread.len() {
        let ThreadComment { comment, sentences, .. } = &thread[index];
        let is_confirmation = comment.role == Some(CommentRole::Fix)
            && reporter.is_some_and(|reporter| comment.author.as_deref() == Some(reporter))
            && !roles::speaks_for_project(comment.association.as_deref())
            && sentences.is_confirmation_only();
        if !is_confirmation {
            continue;
        }
        let is_answer = |reply: &&mut ThreadComment| {
            reply.comment.author.as_deref() != reporter && !reply.has_role(CommentRole::Noise)
        };
        if let Some(answer) = thread[..index].iter_mut().rev().find(is_answer)
            && matches!(answer.comment.role, None | Some(CommentRole::ClosingNote))
            && !answer.comment.text.trim_end().ends_with('?')
        {
            answer.comment.role = Some(CommentRole::Fix);
            thread[index].comment.role = Some(CommentRole::Confirmation);
        }
    }
}

impl ThreadOutcome {
    /// Returns the status after these reports, and the version in which the problem came back.
    pub(crate) fn after_reports(
        &self,
        r: &Reader<'_>,
        reports: &[String],
    ) -> Result<(ProblemStatus, Option<String>)> {
        let came_back_in = match self.status {
            ProblemStatus::Solved => self.releases.came_back_in(r, &self.fix, reports)?,
            _ => None,
        };
        let status = if came_back_in.is_some() { ProblemStatus::CameBack } else { self.status };
        Ok((status, came_back_in))
    }
}

impl Case {
    pub(super) fn into_solved_case(self, budget: usize) -> SolvedCase {
        let has_solution = self.thread.has_solution();
        let CaseThread { row, mut fixed_by, body, comments, reported_on, environment, fix, .. } =
            self.thread;
        let closed_at = row.merged_at.or(row.closed_at);
        // Changes may also use the budget that the thread does not need.
        let change_budget =
            (budget / CHANGE_DIVISOR).max(budget.saturating_sub(useful_length(&body, &comments)));
        let mut change_budget_left = change_budget;
        for change in &mut fixed_by {
            change.text = excerpt(&change.text, change_budget_left).0;
            change_budget_left -= length(&change.text);
        }
        let changes_length = change_budget - change_budget_left;
        let thread = assemble(&body, &comments, closed_at, budget - changes_length);
        SolvedCase {
            citation: citation(&row),
            kind: row.kind,
            closed_at,
            relation: self.relation,
            via: self.via,
            relevance: self.evidence.relevance,
            similarity: self.evidence.similarity,
            words: self.evidence.words,
            same_signature: self.evidence.same_failure,
            fixed_by,
            asked_version: self.version,
            reported_on,
            environment,
            fixed_in: fix.version,
            body: thread.body,
            body_excerpt: thread.body_excerpt,
            comments: thread.comments,
            omitted: u32::try_from(thread.omissions).unwrap_or(u32::MAX),
            agreeing: u32::try_from(thread.agreements).unwrap_or(u32::MAX),
            fix: thread.fix,
            fix_documented: has_solution,
            chars: thread.chars + changes_length,
            key: row.key,
            title: row.title,
            url: row.url,
            state: row.state,
            state_reason: row.state_reason,
        }
    }
}

/// A label at the beginning of a line: "Device: Nexus 5 (v4.4.2)".
static LABEL: Pattern = Pattern::new(r"^\W*[\w ()-]{1,30}:");
/// A line about one of the project's tools.
static TOOL: Pattern =
    Pattern::new(r"(?i)\b(?:studio|cli|command.?line|ide|npm|plug-?ins?|modules?|tools?)\b");

/// Returns the product version in a test report: the first one after the project's name or a
/// product label, or else the first one in a sentence.
fn tested_version(text: &str, source: &str) -> Option<String> {
    let project = source.rsplit('/').next().unwrap_or(source);
    let number = |version: &String| {
        let parts = version.rsplit(' ').next()?.split(['.', '-', '+']);
        let numbers: Vec<&str> =
            parts.take(3).take_while(|part| part.bytes().all(|b| b.is_ascii_digit())).collect();
        (numbers.len() > 1).then(|| numbers.join("."))
    };
    let number_in = |text: &str| versions(text, source).product.iter().find_map(number);
    let labeled_number = |line: &str| {
        let line = line.to_lowercase();
        // "SDK build: ", or a short form of the name: "Ti SDK: ".
        let is_product = |word: &str| {
            let is_name = word.len() != 1 && project.starts_with(word);
            is_name || matches!(word, "sdk" | "build" | "version" | "release")
        };
        if let Some((label, value)) = line.split_once(':')
            && label.split(|c: char| !c.is_alphanumeric()).all(is_product)
        {
            return number_in(value);
        }
        let is_named = line.split_once(project).is_some_and(|(_, rest)| !rest.starts_with('-'));
        number_in(&line).filter(|_| is_named)
    };
    let prose = text.split("```").step_by(2).flat_map(str::lines);
    let lines: Vec<&str> = prose.filter(|line| !TOOL.is_match(line)).collect();
    let sentences = lines.iter().filter(|line| !LABEL.is_match(line));
    let labeled_number = lines.iter().find_map(|line| labeled_number(line));
    labeled_number.or_else(|| sentences.into_iter().find_map(|line| number_in(line)))
}

fn to_case_comment(comment: &StoredComment, role: Option<CommentRole>) -> CaseComment {
    CaseComment {
        anchor: search::anchor(comment),
        author: comment.author.login.clone(),
        association: comment.author.association.clone(),
        role,
        created_at: comment.created_at,
        url: comment.url.clone(),
        text: strip_quotes(&comment.body),
        excerpt: false,
    }
}

/// Removes repeated blank lines and quotes from a comment. A comment of only quotes keeps them.
fn strip_quotes(markdown: &str) -> String {
    let markdown = &*own_content(markdown);
    let lines: Vec<&str> = markdown.lines().filter(|l| !l.trim_start().starts_with('>')).collect();
    let unquoted_text = lines.join("\n");
    let text = if unquoted_text.trim().is_empty() { markdown } else { &unquoted_text };
    let mut out = String::with_capacity(text.len());
    let mut blank_lines = 0;
    for line in text.trim().lines() {
        blank_lines = if line.trim().is_empty() { blank_lines + 1 } else { 0 };
        if blank_lines < 2 {
            out.push_str(line.trim_end());
            out.push('\n');
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Returns the share of the question's terms in a comment without vectors.
fn term_overlap(query_terms: &[String], text: &PreparedText) -> f32 {
    if query_terms.is_empty() {
        return 0.0;
    }
    let text_terms: HashSet<String> = tokens::words(&format!("{}\n{}", text.prose(), text.code()))
        .into_iter()
        .map(|w| w.term)
        .collect();
    let common = query_terms.iter().filter(|w| text_terms.contains(*w)).count();
    common as f32 / query_terms.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tested_version_belongs_to_the_product() {
        for (text, want) in [
            ("Verified.\nStudio: 3.4.0\nHeron SDK build: 3.5.0.v2014\nHeron CLI: 3.4.0", "3.5.0"),
            ("Verified.\nheron-tools: 1.1.0\nHe SDK : 3.2.0.v2013\nRunner: 3.1.0", "3.2.0"),
        ] {
            assert_eq!(tested_version(text, "acme/heron").as_deref(), Some(want), "{text}");
        }
        for text in [
            "Verified on Android 4.2.2.",
            "Verified.\nDevice: Reed (v4.4.2)\nCLI: 3.4.1\nRunner: 3.4.1",
            "Verified fixed on Heron Studio, build 3.1.2",
        ] {
            assert_eq!(tested_version(text, "acme/heron"), None, "{text}");
        }
    }
}
