//! The passages of each section of an article.

use std::{collections::BTreeSet, sync::LazyLock};

use precedent_core::{
    error::Result,
    model::{
        ANSWER, ArticlePart, ArticlePassage, ArticleSection, CaseComment, CommentRole,
        KnownProblem, ProblemStatus, State,
    },
};
use precedent_store::{DocumentRow, Reader};
use precedent_text::{
    literal::literal,
    markdown::{BlockKind, blocks},
    pattern::re,
    prepare::{PreparedText, own_content},
    reference::references,
    report::terms,
    roles::{Sentence, SentenceRole, Sentences},
    version::{Versions, versions as versions_in},
};
use regex::Regex;

use super::{
    render::literal_title,
    sentence::{self, ReportSection},
};
use crate::{
    QueryContext,
    releases::Releases,
    troubleshoot::{CaseThread, Links, excerpt, speaks_for_project},
};

/// The maximum number of duplicates that are read and listed.
const DUPLICATES: usize = 5;
/// The maximum number of changes.
const CHANGES: usize = 3;
/// The maximum number of sentences of a section, and of an explanation.
const SENTENCES: usize = 3;
const EXPLANATIONS: usize = 2;
/// The number of sentences at the beginning of a change's description that are read.
const DESCRIPTION: usize = 8;
/// The maximum length of a code block beside a sentence, in lines.
const CODE_LINES: usize = 15;
/// The maximum length of the excerpt of an error, in lines and in characters.
const ERROR_LINES: usize = 6;
const ERROR_CHARS: usize = 900;
/// The maximum length of a line of such an excerpt, in bytes.
const ERROR_LINE: usize = 240;
/// The maximum number of versions in a list.
const VERSIONS: usize = 6;
/// The maximum number of versions of a report about the product itself.
const OWN_VERSIONS: usize = 4;
/// The minimum number of letters of a title.
const MIN_TITLE: usize = 12;

/// Tags and words before the subject of a title: "[BUG] ", "Bug report: ".
static TITLE_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:\s*(?:\[[^\]]{2,40}\](?:\s*[:|-]+)?\s+|(?:bug(?: report)?|issue|error report|problem|question|help(?: wanted)?|urgent|regression)\s*[:|–-]+\s+))+",
    )
});

/// A line of source code.
static SOURCE_CODE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\s*(?://|/\*|#include|#\[|(?:func|fn|def|return|if|let|var|pub|import|use|class|for|const)\b)|[{;]\s*$",
    )
});
/// A line about a dependency in the output of a build.
static BUILD_OUTPUT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^\s*(?:Compiling|Downloading|Downloaded|Fresh|Checking|Installing|Updating|\[INFO\]|[├└│+`|]|npm (?:WARN|ERR))",
    )
});
/// A change that only adds tests, for a problem that another change fixed.
static ONLY_TESTS: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)^\W*(?:\w+:\s+)?add(?:s|ed|ing)?\b(?:\s+[^\s:,.]+){0,5}?\s+tests?(?:\s+cases?)?\b")
});
/// A failure whose message says nothing.
static NO_MESSAGE: LazyLock<Regex> =
    LazyLock::new(|| re(r"Box<(?:dyn )?Any>|explicit panic|unexpectedly panicked|aborting due to"));

/// A report of the problem with its thread.
struct Report {
    row: DocumentRow,
    sentences: Sentences,
    /// Code above all sentences.
    leading_code: Option<String>,
    versions: Versions,
    thread: CaseThread,
}

/// A sentence with its place.
struct Candidate<'a> {
    row: &'a DocumentRow,
    comment: Option<&'a CaseComment>,
    sentence: &'a Sentence,
    /// Code to which the sentence refers.
    code_before: Option<&'a str>,
    text: String,
    /// Rank; the highest is chosen first.
    rank: u32,
}

impl<'a> Candidate<'a> {
    /// Returns a sentence of a report.
    fn new(row: &'a DocumentRow, sentence: &'a Sentence, text: String, rank: u32) -> Self {
        Self { row, comment: None, sentence, code_before: None, text, rank }
    }

    /// Returns the sentence as a passage, between its code blocks.
    fn passages(self) -> impl Iterator<Item = ArticlePassage> {
        let (row, comment) = (self.row, self.comment);
        let code = self.sentence.code.as_deref().filter(|code| is_short(code)).map(fence);
        let code_before = self.code_before.map(fence).into_iter();
        code_before.chain([self.text]).chain(code).map(move |text| at(row, comment, text))
    }
}

/// Returns the title and the sections of the article about a problem. `head` is its canonical
/// report.
pub(super) fn collect(
    r: &Reader<'_>,
    parts: &QueryContext<'_>,
    head: &DocumentRow,
    problem: &KnownProblem,
) -> Result<(String, Vec<ArticleSection>)> {
    let mut reports = Vec::new();
    let mut keys = vec![head.key.clone()];
    keys.extend(problem.reports.iter().filter(|key| **key != head.key).take(DUPLICATES).cloned());
    for key in keys {
        let Some(row) = r.document_by_key(&key)?.filter(|row| row.deleted_at.is_none()) else {
            continue;
        };
        let thread = CaseThread::load(r, parts, row.clone(), &[], None, Links::Known)?;
        // The output of a build lists the versions of dependencies.
        let is_own = |line: &&str| !BUILD_OUTPUT.is_match(line);
        let text = thread.body.lines().filter(is_own).collect::<Vec<_>>().join("\n");
        let mut versions = versions_in(&format!("{}\n{text}", row.title), &row.source);
        let releases = Releases::load(r, row.source_id)?;
        versions.product.retain(|version| releases.may_be_reported_on(version));
        let is_heading = |line: &str| sentence::section_of(line).is_some();
        let body = r.skeleton(row.source_id)?.strip_except(&own_content(&row.body), is_heading);
        let first_block = blocks(&body).into_iter().next();
        let leading_code = first_block.filter(|block| block.kind == BlockKind::Code);
        let leading_code = leading_code.map(|block| block.text).filter(|code| is_short(code));
        reports.push(Report {
            sentences: Sentences::read(&body),
            row,
            leading_code,
            versions,
            thread,
        });
    }
    let Some(main) = reports.first() else { return Ok((head.title.clone(), Vec::new())) };
    let changes = changes(r, &reports, problem)?;
    let error = error_excerpt(&main.thread.body, &head.title);
    let mut used_texts = BTreeSet::new();
    let symptom = symptom(main, error.as_deref(), &mut used_texts);
    let workaround = choose(workarounds(&reports), SENTENCES, &mut used_texts);
    let cause = choose(causes(&reports, &changes), EXPLANATIONS, &mut used_texts);
    let resolution = match problem.status.is_fixed() {
        true => resolution(head, problem, &reports, &changes, &mut used_texts),
        false => Vec::new(),
    };
    let title = title(&head.title, error.as_deref(), &symptom);
    let sections = [
        (ArticlePart::Symptom, symptom),
        (ArticlePart::Environment, environment(&reports)),
        (ArticlePart::Cause, cause),
        (ArticlePart::Workaround, workaround),
        (ArticlePart::Resolution, resolution),
        (ArticlePart::Versions, versions(head, problem, &reports)),
        (ArticlePart::References, references_of(&reports, &changes)),
    ];
    let sections = sections.into_iter().filter(|(_, passages)| !passages.is_empty());
    Ok((title, sections.map(|(part, passages)| ArticleSection { part, passages }).collect()))
}

/// Returns a passage of a report or of one of its comments.
fn at(row: &DocumentRow, comment: Option<&CaseComment>, text: String) -> ArticlePassage {
    ArticlePassage {
        text,
        key: row.key.clone(),
        anchor: comment.map(|comment| comment.anchor.clone()),
        url: comment.and_then(|comment| comment.url.clone()).or_else(|| row.url.clone()),
    }
}

/// Returns the title of a document as Markdown.
fn plain_title(row: &DocumentRow) -> String {
    let title = row.title.split_whitespace().collect::<Vec<_>>().join(" ");
    literal_title(title.trim_end_matches('.'))
}

/// Returns the title of a report without tags; the first line of the error or the first sentence if
/// it says nothing.
fn title(title: &str, error: Option<&str>, symptom: &[ArticlePassage]) -> String {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let subject = TITLE_PREFIX.replace(&title, "");
    let subject = subject.trim().trim_end_matches(['.', '!', ':', ' ']);
    let is_clear = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).count() >= MIN_TITLE;
    if is_clear(subject) {
        return sentence::capitalize(subject);
    }
    let sentences =
        symptom.iter().map(|passage| &*passage.text).filter(|text| !text.starts_with("```"));
    let alternatives = error.and_then(|error| error.lines().next()).into_iter().chain(sentences);
    let clear_excerpt = alternatives
        .map(|text| excerpt(text.trim_end_matches(['.', ':']), 120).0)
        .find(|text| is_clear(text));
    clear_excerpt.unwrap_or_else(|| sentence::capitalize(subject))
}

/// Returns the sentences of a report that describe what happens, with the code beside them, and the
/// main error; the title without such sentences.
fn symptom(
    report: &Report,
    error: Option<&str>,
    used_texts: &mut BTreeSet<String>,
) -> Vec<ArticlePassage> {
    let row = &report.row;
    let (candidates, first_code) = description(report);
    // What the reporter did matters less than what happens, unless it names or shows code.
    let is_personal = |candidate: &Candidate<'_>| {
        sentence::is_personal(&candidate.text) && !sentence::is_specific(candidate.sentence)
    };
    let has_others = candidates.iter().any(|candidate| !is_personal(candidate));
    let selection =
        candidates.into_iter().filter(|candidate| !has_others || !is_personal(candidate));
    let selection =
        selection.filter(|candidate| is_new(&candidate.text, used_texts)).take(SENTENCES);
    let mut out: Vec<ArticlePassage> = selection.flat_map(Candidate::passages).collect();
    if out.is_empty() {
        out.push(at(row, None, sentence::capitalize(&plain_title(row)) + "."));
        out.extend(first_code.map(|code| at(row, None, fence(code))));
    }
    let is_shown = |error: &str| {
        let first_line = error.lines().next().unwrap_or_default();
        out.iter()
            .any(|passage| passage.text.starts_with("```") && passage.text.contains(first_line))
    };
    if let Some(error) = error.filter(|error| !is_shown(error)) {
        out.push(at(row, None, fence(error)));
    }
    out
}

/// Returns the sentences of a report outside of its sections about steps, expectations and systems,
/// and the first code there.
fn description(report: &Report) -> (Vec<Candidate<'_>>, Option<&str>) {
    let (mut candidates, mut first_code) = (Vec::new(), report.leading_code.as_deref());
    let mut section = ReportSection::Observed;
    // A sentence that continues the one before it needs that one, or the code between them.
    let (mut follows, mut code_before) = (true, report.leading_code.as_deref());
    for sentence in &report.sentences.0 {
        let heading = sentence::section_of(&sentence.text);
        let own_section = heading.map_or(section, |(section, _)| section);
        // A label with a value, such as "Version: 2.3", begins no section.
        let is_alone = heading.is_some_and(|(_, end)| end == sentence.text.len());
        if is_alone || own_section == ReportSection::Observed {
            section = own_section;
        }
        let code = sentence.code.as_deref().filter(|code| is_short(code));
        let continues = sentence::continues(&sentence.text);
        let is_missing = continues && !follows && code_before.is_none();
        let code_between = code_before.filter(|_| continues || candidates.is_empty());
        (follows, code_before) = (heading.is_some(), code);
        if own_section == ReportSection::Other {
            continue;
        }
        first_code = first_code.or(code);
        let text = sentence::passage(sentence).filter(|_| !is_missing).map(|text| {
            let heading = sentence::section_of(&text);
            heading.map_or_else(|| text.clone(), |(_, end)| sentence::capitalize(&text[end..]))
        });
        let is_lead = |text: &String| text.ends_with(':') && code.is_none();
        let Some(text) = text.filter(|text| {
            text.len() >= MIN_TITLE && !is_lead(text) && !sentence::explains(sentence)
        }) else {
            continue;
        };
        (follows, code_before) = (true, None);
        candidates.push(Candidate {
            code_before: code_between,
            ..Candidate::new(&report.row, sentence, text, 0)
        });
    }
    (candidates, first_code)
}

/// Returns the main error in the code of a report with the beginning of its trace: the one that has
/// the most words in common with the title.
fn error_excerpt(body: &str, title: &str) -> Option<String> {
    let prepared_body = PreparedText::body(body, &precedent_text::skeleton::Skeleton::default());
    let reading = precedent_logs::read_text(prepared_body.code());
    let is_failure = |text: &&str| {
        let first_line = text.lines().next().unwrap_or_default();
        first_line.contains(':') && !SOURCE_CODE.is_match(first_line)
    };
    let is_message = |text: &&str| is_failure(text) && !NO_MESSAGE.is_match(text);
    let failures = reading.failures().map(|group| group.example_or_message()).filter(is_message);
    let title_terms: BTreeSet<String> = terms(title).into_iter().collect();
    let common_terms = |text: &&str| {
        let first_line = text.lines().next().unwrap_or_default();
        terms(first_line).iter().filter(|term| title_terms.contains(*term)).count()
    };
    let failures: Vec<&str> = failures.collect();
    // Of equals, `max_by_key` returns the last.
    let failure = failures.into_iter().rev().max_by_key(common_terms)?;
    let failure = failure.split("\nstack backtrace:").next().unwrap_or(failure).trim_end();
    let is_readable = |line: &&str| line.len() <= ERROR_LINE && !line.trim().is_empty();
    let mut lines: Vec<&str> = failure.lines().filter(is_readable).take(ERROR_LINES).collect();
    let cause = precedent_logs::cause(failure);
    let root = cause
        .as_deref()
        .and_then(|cause| cause.lines().next())
        .filter(|root| !lines.iter().any(|line| line.contains(root)));
    if let Some(root) = root {
        lines.truncate(ERROR_LINES / 2);
        lines.extend(["…", root]);
    }
    Some(excerpt(lines.join("\n").trim_end(), ERROR_CHARS).0).filter(|text| !text.trim().is_empty())
}

/// Returns the other programs that the reports name, each once.
fn environment(reports: &[Report]) -> Vec<ArticlePassage> {
    let (mut out, mut seen_names) = (Vec::new(), BTreeSet::new());
    for report in reports {
        let other_names =
            report.versions.foreign.iter().filter(|name| seen_names.insert(name.to_lowercase()));
        let names: Vec<String> = other_names.take(VERSIONS).map(|name| literal(name)).collect();
        if !names.is_empty() {
            out.push(at(&report.row, None, names.join(", ")));
        }
    }
    out
}

/// Returns the sentences of comments that pass a test on their comment and on themselves.
fn sentences_of<'a>(
    reports: &'a [Report],
    test: impl Fn(&CaseComment, &Sentence) -> bool + 'a,
) -> impl Iterator<Item = Candidate<'a>> {
    let comments = reports.iter().flat_map(|report| {
        report
            .thread
            .comments
            .iter()
            .map(move |entry| (&report.row, &entry.comment, &entry.sentences))
    });
    let comments = comments.filter(|(_, comment, _)| comment.role != Some(CommentRole::Noise));
    comments.flat_map(move |(row, comment, sentences)| {
        let matching_sentences =
            sentences.0.iter().filter(|sentence| test(comment, sentence)).collect::<Vec<_>>();
        matching_sentences.into_iter().filter_map(move |sentence| {
            let text = sentence::passage(sentence)?;
            if text.ends_with(':') && sentence.code.as_deref().is_none_or(|code| !is_short(code)) {
                return None;
            }
            let rank = 4 * u32::from(!sentence::is_personal(&text))
                + 2 * u32::from(speaks_for_project(comment.association.as_deref()))
                + u32::from(sentence::is_specific(sentence));
            Some(Candidate { comment: Some(comment), ..Candidate::new(row, sentence, text, rank) })
        })
    })
}

/// Returns the sentences that describe a way around the problem.
fn workarounds(reports: &[Report]) -> Vec<Candidate<'_>> {
    let is_workaround = |comment: &CaseComment, sentence: &Sentence| {
        sentence.role() == SentenceRole::Workaround && comment.role != Some(CommentRole::Denial)
    };
    sentences_of(reports, is_workaround).collect()
}

/// Returns the sentences that explain the problem: of the changes, then of the threads.
fn causes<'a>(
    reports: &'a [Report],
    changes: &'a [(DocumentRow, Sentences)],
) -> Vec<Candidate<'a>> {
    let of_changes = changes.iter().flat_map(|(row, sentences)| {
        let explanations =
            sentences.0.iter().take(DESCRIPTION).filter(|sentence| sentence::explains(sentence));
        explanations.filter_map(move |sentence| {
            let text = sentence::passage(sentence).filter(|text| !text.ends_with(':'))?;
            Some(Candidate::new(row, sentence, text, 8))
        })
    });
    let of_reports = reports.iter().flat_map(|report| {
        let explanations =
            report.sentences.0.iter().filter(|sentence| sentence::explains(sentence));
        explanations.filter_map(move |sentence| {
            let text = sentence::passage(sentence).filter(|text| !text.ends_with(':'))?;
            let rank = 2 * u32::from(!sentence::is_personal(&text));
            Some(Candidate::new(&report.row, sentence, text, rank))
        })
    });
    of_changes
        .chain(sentences_of(reports, |_, sentence| sentence::explains(sentence)))
        .chain(of_reports)
        .collect()
}

/// Returns the version and the changes that fix the problem, and the sentences about the fix.
fn resolution(
    head: &DocumentRow,
    problem: &KnownProblem,
    reports: &[Report],
    changes: &[(DocumentRow, Sentences)],
    used_texts: &mut BTreeSet<String>,
) -> Vec<ArticlePassage> {
    let mut out = Vec::new();
    if let Some(version) =
        problem.fixed_in.as_ref().filter(|_| problem.status != ProblemStatus::Unreleased)
    {
        let mut comments =
            reports.iter().take(1).flat_map(|report| report.thread.comments.iter().rev());
        let names_it = comments.find(|entry| entry.sentences.fixed_in(&[]).contains(version));
        let comment = names_it.map(|entry| &entry.comment);
        out.push(at(head, comment, format!("Update to {} or later.", literal(version))));
    }
    let is_solution = |comment: &CaseComment, sentence: &Sentence| match comment
        .association
        .as_deref()
    {
        Some(ANSWER) => sentence.role() != SentenceRole::Workaround,
        _ => {
            comment.role == Some(CommentRole::Fix)
                && sentence.role() == SentenceRole::Fix
                && !sentence::is_vague_fix(sentence)
                && !sentence::is_doubtful(&sentence.text)
                // A merged change says more than a comment without a version or code.
                && (changes.is_empty() || sentence.features.contains("VER") || sentence.code.is_some())
        }
    };
    let names_a_change = |sentence: &Sentence| {
        let is_change = |number| changes.iter().any(|(row, _)| row.number == Some(number));
        sentence.code.is_none()
            && references(&sentence.text).iter().any(|reference| is_change(reference.number))
    };
    let sentences =
        sentences_of(reports, is_solution).filter(|candidate| !names_a_change(candidate.sentence));
    out.extend(choose(sentences.collect(), SENTENCES, used_texts));
    let fixes = changes.iter().filter(|(row, _)| !ONLY_TESTS.is_match(&row.title));
    for (row, sentences) in fixes {
        used_texts.insert(normalize(&row.title));
        out.push(at(row, None, format!("Fixed by the change \"{}\".", plain_title(row))));
        let describes = |sentence: &&Sentence| {
            references(&sentence.text).is_empty() && !sentence::is_about_change(&sentence.text)
        };
        let description =
            sentences.0.iter().take(DESCRIPTION).filter(describes).find_map(|sentence| {
                let text = sentence::passage(sentence)
                    .filter(|text| !text.ends_with(':') && !sentence::is_personal(text))?;
                is_new(&text, used_texts).then_some(text)
            });
        out.extend(description.map(|text| at(row, None, text)));
    }
    out
}

/// Returns the versions that the reports name, and the version with the fix.
fn versions(head: &DocumentRow, problem: &KnownProblem, reports: &[Report]) -> Vec<ArticlePassage> {
    let mut reported_on: Vec<&str> = Vec::new();
    // A report that names many lists those of its dependencies.
    let own_versions = reports
        .iter()
        .map(|report| &report.versions.product)
        .filter(|list| list.len() <= OWN_VERSIONS);
    for version in own_versions.flatten() {
        if !reported_on.contains(&&**version) && problem.fixed_in.as_ref() != Some(version) {
            reported_on.push(version);
        }
    }
    reported_on.truncate(VERSIONS);
    let facts = [
        (!reported_on.is_empty()).then(|| format!("Reported on {}", reported_on.join(", "))),
        match problem.status {
            ProblemStatus::Unreleased => Some("Fixed, not released yet".to_owned()),
            _ => problem.fixed_in.as_ref().map(|version| format!("Fixed in {version}")),
        },
        problem.came_back_in.as_ref().map(|version| format!("Reported again on {version}")),
    ];
    facts.into_iter().flatten().map(|fact| at(head, None, literal(&fact))).collect()
}

/// Returns the reports and the changes by title.
fn references_of(reports: &[Report], changes: &[(DocumentRow, Sentences)]) -> Vec<ArticlePassage> {
    let rows = reports.iter().map(|report| &report.row);
    let reports =
        rows.enumerate().map(|(at, row)| (if at == 0 { "Report" } else { "Duplicate" }, row));
    let references = reports.chain(changes.iter().map(|(row, _)| ("Change", row)));
    references.map(|(label, row)| at(row, None, format!("{label}: {}", plain_title(row)))).collect()
}

/// Returns the merged changes that fixed the problem, with their descriptions: those that closed a
/// report, and those that a comment about the fix names.
fn changes(
    r: &Reader<'_>,
    reports: &[Report],
    problem: &KnownProblem,
) -> Result<Vec<(DocumentRow, Sentences)>> {
    let mut keys: Vec<String> = problem.fixed_by.iter().map(|change| change.key.clone()).collect();
    let head = reports
        .iter()
        .take(1)
        .flat_map(|report| report.thread.comments.iter().map(move |entry| (&report.row, entry)));
    for (row, entry) in head.filter(|(_, entry)| entry.comment.role == Some(CommentRole::Fix)) {
        for sentence in
            entry.sentences.0.iter().filter(|sentence| sentence.role() == SentenceRole::Fix)
        {
            keys.extend(references(&sentence.text).iter().map(|reference| {
                format!("{}#{}", reference.source.as_ref().unwrap_or(&row.source), reference.number)
            }));
        }
    }
    let mut out: Vec<(DocumentRow, Sentences)> = Vec::new();
    for key in keys {
        let Some(row) = r.document_by_key(&key)?.filter(|row| row.state == Some(State::Merged))
        else {
            continue;
        };
        if out.len() < CHANGES && out.iter().all(|(listed_row, _)| listed_row.key != row.key) {
            let body = r.skeleton(row.source_id)?.strip(&own_content(&row.body));
            out.push((row, Sentences::read(&body)));
        }
    }
    Ok(out)
}

/// Returns the best `most` of these sentences in their order, each text once. Sentences about their
/// writer are left out if there are others.
fn choose(
    candidates: Vec<Candidate<'_>>,
    most: usize,
    used_texts: &mut BTreeSet<String>,
) -> Vec<ArticlePassage> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|at| (std::cmp::Reverse(candidates[*at].rank), *at));
    let has_others = candidates.iter().any(|candidate| !sentence::is_personal(&candidate.text));
    let mut chosen_indexes: BTreeSet<usize> = BTreeSet::new();
    for at in order {
        let text = &candidates[at].text;
        let is_left_out = has_others && sentence::is_personal(text);
        if chosen_indexes.len() < most && !is_left_out && is_new(text, used_texts) {
            chosen_indexes.insert(at);
        }
    }
    let selection =
        candidates.into_iter().enumerate().filter(|(at, _)| chosen_indexes.contains(at));
    selection.flat_map(|(_, candidate)| candidate.passages()).collect()
}

/// Returns whether no text that is used already contains this one, and marks it as used.
fn is_new(text: &str, used_texts: &mut BTreeSet<String>) -> bool {
    let text = normalize(text);
    !used_texts.iter().any(|used_text| used_text.contains(&text)) && used_texts.insert(text)
}

/// Returns a text in a form in which copies are equal.
fn normalize(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a code block is short enough for an article.
fn is_short(code: &str) -> bool {
    !code.trim().is_empty() && code.lines().count() <= CODE_LINES
}

/// Returns a code block with a fence that its content does not contain.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{}\n{fence}", code.trim_matches('\n').trim_end())
}
