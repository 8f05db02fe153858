//! The passages of each section of an article.

use std::{collections::BTreeSet, sync::LazyLock};

use precedent_core::{
    error::Result,
    model::{
        ANSWER, ArticlePart, ArticlePassage, ArticleSection, CaseComment, CommentRole,
        KnownProblem, ProblemStatus, State,
    },
};
use precedent_markup::stored_markdown;
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
const EXPLANATIONS: usize = 1;
/// The number of sentences at the beginning of a change's description that are read.
const DESCRIPTION: usize = 8;
/// The maximum length of a code block beside a sentence, in lines.
const CODE_LINES: usize = 40;
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
/// The minimum number of words of a title that is the only description.
const MIN_WORDS: usize = 3;
/// The ranks of a sentence about what happened, of one about a failure, and of one above the error.
const RESULT: u32 = 1;
const FAILS: u32 = 2;
const SHOWS_ERROR: u32 = 4;

/// Tags and words before the subject of a title: "[BUG] ", "Bug report: ".
static TITLE_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:\s*\[?(?:bug(?: report)?|issue|error report|problem|question|help(?: wanted)?|urgent|regression)(?:\]\s*[:|–-]*|\s*[:|–-]+)\s+)+",
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
/// A comment at the end of a line of source code.
static TRAILING_COMMENT: LazyLock<Regex> = LazyLock::new(|| re(r"\s//.*$"));
/// A line of output that names the version of a program.
static VERSION_LINE: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b(?:version|release)\b|^\W*[a-z][\w-]* v?\d+\.\d"));
/// A statement about a version that does not have the problem.
static NOT_AFFECTED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)(?:\b(?:not|never|no longer)|n't)\s+(?:\w+\s+){0,3}(?:in|with|on|before|until)\b|\b(?:works|worked|fine|ok) (?:\w+ )?(?:in|with|on|before|until)\b",
    )
});
/// A label for a defect.
static DEFECT: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)(?:^|[^a-z])(?:bugs?|defect|regression|crash|ice)(?:[^a-z]|$)"));
/// A title that asks for work and reports no failure.
static REQUEST: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b(?:feature request|tracking issue|meta[- ]issue|epic|rfc)\b"));
/// A failure whose message says nothing.
static NO_MESSAGE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"Box<(?:dyn )?Any>|explicit panic|unexpectedly panicked|unexpected panic|aborting due to|^make\b",
    )
});

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
    /// Code to which the sentence refers, and code below it.
    code_before: Option<&'a str>,
    code: Option<&'a str>,
    text: String,
    /// Rank; the highest is chosen first.
    rank: u32,
}

impl<'a> Candidate<'a> {
    /// Returns a sentence of a report.
    fn new(row: &'a DocumentRow, sentence: &'a Sentence, text: String, rank: u32) -> Self {
        let code = sentence.code.as_deref().filter(|code| is_short(code));
        Self { row, comment: None, sentence, code_before: None, code, text, rank }
    }

    /// Returns the sentence as a passage, between its code blocks.
    fn passages(self) -> impl Iterator<Item = ArticlePassage> {
        let (row, comment) = (self.row, self.comment);
        let code_before = self.code_before.map(fence).into_iter();
        code_before
            .chain([self.text])
            .chain(self.code.map(fence))
            .map(move |text| at(row, comment, text))
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
        let text = format!("{}\n{}", row.title, affected_text(&thread.body));
        let mut versions = versions_in(&text, &row.source);
        let releases = Releases::load(r, row.source_id)?;
        versions.product.retain(|version| releases.may_be_reported_on(version));
        let is_heading = |line: &str| sentence::section_of(line).is_some();
        let body = r
            .skeleton(row.source_id)?
            .strip_except(&stored_markdown(&own_content(&row.body)), is_heading);
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
    // Several people, a version or a label also show that something went wrong.
    let is_defect = reports.len() > 1
        || !main.versions.product.is_empty()
        || main.row.labels.iter().any(|label| DEFECT.is_match(label));
    let symptom = symptom(main, error.as_deref(), is_defect, &mut used_texts);
    if symptom.is_empty() {
        return Ok((head.title.clone(), Vec::new()));
    }
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

/// Returns a report's text about the versions that have the problem: without lines of code that
/// name no program, and without sentences about other versions.
fn affected_text(body: &str) -> String {
    let mut in_code = false;
    let mut out = String::new();
    for line in body.lines() {
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        // The output of a build lists the versions of dependencies.
        let is_output = BUILD_OUTPUT.is_match(line) || in_code && !VERSION_LINE.is_match(line);
        if !is_fence && !is_output {
            let sentences = line.split_inclusive(". ");
            out.extend(sentences.filter(|sentence| !NOT_AFFECTED.is_match(sentence)));
        }
        out.push('\n');
    }
    out
}

/// The sentences of a report that may describe the problem.
#[derive(Default)]
struct Description<'a> {
    /// Sentences outside of the sections about steps, expectations and systems.
    observations: Vec<Candidate<'a>>,
    /// Sentences about a failure in other sections.
    asides: Vec<Candidate<'a>>,
    /// The first code.
    code: Option<&'a str>,
    /// True if there is a section for what was expected.
    has_expectation: bool,
}

/// Returns the sentences of a report that tell of the failure, with the code beside them, and the
/// main error. Empty for a report that tells of none.
fn symptom(
    report: &Report,
    error: Option<&str>,
    is_defect: bool,
    used_texts: &mut BTreeSet<String>,
) -> Vec<ArticlePassage> {
    let row = &report.row;
    let Description { observations, asides, code, has_expectation } = description(report, error);
    let fails = |candidate: &Candidate<'_>| candidate.rank >= FAILS;
    let title_fails = sentence::fails(&row.title);
    let is_evidence =
        |candidate: &Candidate<'_>| fails(candidate) && !sentence::is_doubtful(&candidate.text);
    let has_failure = is_defect
        || error.is_some()
        || has_expectation
        || title_fails
        || observations.iter().chain(&asides).any(is_evidence);
    let is_bare = observations.is_empty() && error.is_none();
    if !has_failure
        || REQUEST.is_match(&row.title)
        || is_bare && row.title.split_whitespace().count() < MIN_WORDS
    {
        return Vec::new();
    }
    let candidates = if observations.is_empty() { asides } else { observations };
    // What the reporter did matters less than what happens, unless it names or shows code.
    let is_personal = |candidate: &Candidate<'_>| {
        let is_specific = fails(candidate) && sentence::is_specific(candidate.sentence);
        sentence::is_personal(&candidate.text) && !is_specific && candidate.rank < SHOWS_ERROR
    };
    let best = |test: &dyn Fn(&Candidate<'_>) -> bool| -> Vec<usize> {
        let indexes = candidates.iter().enumerate().filter(|(_, candidate)| test(candidate));
        indexes.map(|(at, _)| at).take(SENTENCES).collect()
    };
    let mut chosen_indexes = best(&|candidate| fails(candidate) && !is_personal(candidate));
    let stands_alone = |candidate: &Candidate<'_>| {
        !is_personal(candidate)
            && !sentence::continues(&candidate.text)
            && !sentence::is_about_change(&candidate.text)
    };
    for test in [&fails as &dyn Fn(&Candidate<'_>) -> bool, &stands_alone] {
        if chosen_indexes.is_empty() {
            chosen_indexes = best(test);
        }
    }
    // The sentences before it say when it happens.
    let context = if chosen_indexes.len() > 1 { 1 } else { SENTENCES - 1 };
    for _ in 0..context {
        if let Some(context_index) = chosen_indexes.first().and_then(|first| first.checked_sub(1))
            && chosen_indexes.len() < SENTENCES
            && fails(&candidates[chosen_indexes[chosen_indexes.len() - 1]])
            && !is_personal(&candidates[context_index])
        {
            chosen_indexes.insert(0, context_index);
        }
    }
    // "It then stops" needs the sentence before it; "It contains a step:" says nothing.
    if let Some(first) = chosen_indexes.first().copied().filter(|first| {
        *first > 0
            && candidates[*first].code_before.is_none()
            && sentence::continues(&candidates[*first].text)
    }) {
        match sentence::fails(&candidates[first].text) {
            true => chosen_indexes.insert(0, first - 1),
            false => drop(chosen_indexes.remove(0)),
        }
    }
    let selection =
        candidates.into_iter().enumerate().filter(|(at, _)| chosen_indexes.contains(at));
    let selection = selection.filter(|(_, candidate)| is_new(&candidate.text, used_texts));
    let mut out: Vec<ArticlePassage> =
        selection.flat_map(|(_, candidate)| candidate.passages()).collect();
    if out.is_empty() {
        out.push(at(row, None, sentence::capitalize(&plain_title(row)) + "."));
    }
    let is_code = |passage: &ArticlePassage| passage.text.starts_with("```");
    let is_shown = |error: &str| {
        let first_line = error.lines().next().unwrap_or_default();
        out.iter().any(|passage| is_code(passage) && passage.text.contains(first_line))
    };
    let error = error.filter(|error| !is_shown(error)).map(fence);
    let code = code.map(fence).filter(|_| !out.iter().any(is_code));
    out.extend(code.into_iter().chain(error).map(|text| at(row, None, text)));
    out
}

/// Returns the sentences of a report that may describe the problem.
fn description<'a>(report: &'a Report, error: Option<&str>) -> Description<'a> {
    let mut out = Description { code: report.leading_code.as_deref(), ..Description::default() };
    let mut section = ReportSection::Observed;
    // A sentence that continues the one before it needs that one, or the code between them.
    let (mut follows, mut code_before) = (true, report.leading_code.as_deref());
    let mut shows_error = false;
    for sentence in &report.sentences.0 {
        let heading = sentence::section_of(&sentence.text);
        let own_section = heading.map_or(section, |(section, _)| section);
        // A label with a value, such as "Version: 2.3", begins no section.
        let is_alone = heading.is_some_and(|(_, end)| end == sentence.text.len());
        if is_alone || own_section != ReportSection::Other {
            section = own_section;
        }
        out.has_expectation |= section == ReportSection::Expected;
        let has_error = sentence.code.as_deref().is_some_and(|code| {
            error.and_then(|error| error.lines().next()).is_some_and(|line| code.contains(line))
        });
        // The error is shown without the rest of a longer output.
        let is_example =
            |code: &&str| is_short(code) && !(has_error && code.lines().count() > ERROR_LINES);
        let code = sentence.code.as_deref().filter(is_example);
        let continues = sentence::continues(&sentence.text);
        let is_missing = continues && !follows && code_before.is_none();
        let code_between = code_before.filter(|_| continues || out.observations.is_empty());
        (follows, code_before) = (heading.is_some(), code);
        if own_section == ReportSection::Expected {
            continue;
        }
        let is_result = own_section == ReportSection::Result;
        let passage = sentence::own_words(sentence).or_else(|| {
            let rest = heading.map_or("", |(_, end)| &sentence.text[end..]);
            sentence::result(sentence)
                .filter(|_| has_error || is_result && (heading.is_none() || !rest.is_empty()))
        });
        let text = passage.filter(|_| !is_missing).map(|text| {
            let heading = sentence::section_of(&text);
            heading.map_or_else(|| text.clone(), |(_, end)| sentence::capitalize(&text[end..]))
        });
        let is_lead = |text: &String| text.ends_with(':') && code.is_none() && !has_error;
        // After the error, reporters analyse it.
        let is_described = !out.observations.is_empty() || own_section == ReportSection::Other;
        let is_late = shows_error && is_described && !is_result;
        shows_error |= has_error;
        let text = text.filter(|text| {
            text.contains(char::is_alphanumeric)
                && !is_lead(text)
                && !is_late
                && (is_result || text.len() >= MIN_TITLE)
                && !sentence::explains(sentence)
                && !sentence::is_guess(sentence)
        });
        let is_plan = sentence::is_about_change(&sentence.text);
        let fails = has_error || !is_plan && text.as_deref().is_some_and(sentence::fails);
        let rank = SHOWS_ERROR * u32::from(has_error)
            + FAILS * u32::from(fails)
            + RESULT * u32::from(is_result);
        let list = match own_section {
            ReportSection::Other if fails => &mut out.asides,
            ReportSection::Other => continue,
            _ => &mut out.observations,
        };
        out.code = out.code.or(code.filter(|_| !has_error));
        let Some(text) = text else { continue };
        (follows, code_before) = (true, None);
        list.push(Candidate {
            code_before: code_between,
            code,
            ..Candidate::new(&report.row, sentence, text, rank)
        });
    }
    out
}

/// Returns the main error in the code of a report with the beginning of its trace: the crash, or the
/// one that has the most words in common with the title.
fn error_excerpt(body: &str, title: &str) -> Option<String> {
    let prepared_body = PreparedText::body(body, &precedent_text::skeleton::Skeleton::default());
    let reading = precedent_logs::read_text(prepared_body.code());
    let is_failure = |text: &&str| {
        let first_line = text.lines().next().unwrap_or_default();
        first_line.contains(':') && !SOURCE_CODE.is_match(&TRAILING_COMMENT.replace(first_line, ""))
    };
    let is_message = |text: &&str| is_failure(text) && !NO_MESSAGE.is_match(text);
    let failures = reading.failures().map(|group| group.example_or_message()).filter(is_message);
    let title_terms: BTreeSet<String> = terms(title).into_iter().collect();
    let common_terms = |text: &&str| {
        let first_line = text.lines().next().unwrap_or_default();
        let common = terms(first_line).iter().filter(|term| title_terms.contains(*term)).count();
        // A crash is worse than a message before it.
        (first_line.contains("panicked at"), common)
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
        let matching_sentences = sentences.0.iter().enumerate();
        let matching_sentences =
            matching_sentences.filter(|(_, s)| test(comment, s)).collect::<Vec<_>>();
        matching_sentences.into_iter().filter_map(move |(at, sentence)| {
            let mut text = sentence::passage(sentence)?;
            // A pronoun needs the sentence before it.
            if sentence::refers_back(&text) && !sentence::explains(sentence) {
                let context_text =
                    at.checked_sub(1).and_then(|at| sentence::passage(&sentences.0[at]));
                if let Some(context) =
                    context_text.filter(|context| !sentence::refers_back(context))
                {
                    text = format!("{context} {text}");
                } else if sentence.role() == SentenceRole::Workaround && sentence.code.is_none() {
                    return None;
                }
            }
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

/// Returns the sentences that explain the problem: of the report, of its comments, of the changes.
/// Later ones rank higher; where people speak for the project, other comments do not count.
fn causes<'a>(
    reports: &'a [Report],
    changes: &'a [(DocumentRow, Sentences)],
) -> Vec<Candidate<'a>> {
    let comments = reports.iter().flat_map(|report| &report.thread.comments);
    let is_known = |comment: &CaseComment| speaks_for_project(comment.association.as_deref());
    let has_project = comments.into_iter().any(|entry| is_known(&entry.comment));
    let explains = move |comment: &CaseComment, sentence: &Sentence| {
        sentence::explains(sentence) && (!has_project || is_known(comment))
    };
    let of_texts = |row: &'a DocumentRow, sentences: &'a [Sentence]| {
        let explanations = sentences.iter().filter(|sentence| sentence::explains(sentence));
        explanations.filter_map(move |sentence| {
            let text = sentence::passage(sentence).filter(|text| !text.ends_with(':'))?;
            Some(Candidate::new(row, sentence, text, 0))
        })
    };
    let of_reports = reports.iter().flat_map(|r| of_texts(&r.row, &r.sentences.0));
    let of_changes = changes.iter().flat_map(|(row, sentences)| {
        let sentences = &sentences.0[..sentences.0.len().min(DESCRIPTION)];
        of_texts(row, sentences).filter(|c| !sentence::refers_back(&c.text))
    });
    let mut out: Vec<Candidate<'_>> =
        of_reports.chain(sentences_of(reports, explains)).chain(of_changes).collect();
    for (rank, candidate) in (0..).zip(&mut out) {
        candidate.rank = rank;
    }
    out
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
        let names_it = comments.find(|entry| entry.comment.text.contains(&**version));
        let comment = names_it.map(|entry| &entry.comment);
        out.push(at(head, comment, format!("Update to {} or later.", literal(version))));
    }
    let number = head.number.map(|number| number.to_string());
    let names_itself = |sentence: &Sentence| {
        let mut words = sentence.text.split(|c: char| !c.is_alphanumeric());
        sentence.code.is_none() && words.any(|word| Some(word) == number.as_deref())
    };
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
                && !names_itself(sentence)
                && (problem.fixed_in.is_none() || !sentence::is_personal(&sentence.text))
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
        let describes = |sentence: &&Sentence| {
            references(&sentence.text).is_empty() && sentence::tells_change(sentence)
        };
        let description =
            sentences.0.iter().take(DESCRIPTION).filter(describes).find_map(|sentence| {
                let text = sentence::passage(sentence)
                    .filter(|text| !text.ends_with(':') && !sentence::is_personal(text))?;
                is_new(&text, used_texts).then_some(text)
            });
        let title = format!("Fixed by the change \"{}\".", plain_title(row));
        out.push(at(row, None, title));
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
