//! The passages of each section of an article.

use std::{cmp::Ordering, collections::BTreeSet, sync::LazyLock};

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
    version::{Versions, compare, is_program, versions as versions_in},
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
/// The number of characters by which a line of an error is recognized.
const PREFIX_CHARS: usize = 120;
/// The maximum number of successive lines of a stack.
const FRAMES: usize = 3;
/// The maximum length of a line of such an excerpt, in bytes.
const ERROR_LINE: usize = 400;
/// The maximum number of versions in a list.
const VERSIONS: usize = 6;
/// The maximum number of versions of a report about the product itself.
const OWN_VERSIONS: usize = 4;
/// The minimum number of letters of a title.
const MIN_TITLE: usize = 12;
/// The ranks of a sentence about what happened, of one about a failure, and of one above the error.
const RESULT: u32 = 1;
const FAILS: u32 = 2;
const SHOWS_ERROR: u32 = 4;

/// The end of a clause about versions.
static CLAUSE: LazyLock<Regex> = LazyLock::new(|| re(r"[.;] |, and |\bbut\b|\b(?i:however)\b"));

/// A report of the problem with its thread.
struct Report {
    row: DocumentRow,
    sentences: Sentences,
    /// Code above all sentences.
    leading_code: Option<String>,
    versions: Versions,
    releases: Releases,
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
            releases,
            thread,
        });
    }
    let Some(main) = reports.first() else { return Ok((head.title.clone(), Vec::new())) };
    let changes = changes(r, &reports, problem)?;
    let error = error_excerpt(&main.thread.body, &head.title);
    let mut used_texts = BTreeSet::new();
    let symptom = symptom(main, error.as_deref(), &mut used_texts);
    if symptom.is_empty() {
        return Ok((head.title.clone(), Vec::new()));
    }
    let workaround = choose(workarounds(&reports), SENTENCES, &mut used_texts);
    let cause = choose(causes(&reports, &changes), EXPLANATIONS, &mut used_texts);
    let merged_at = changes.iter().filter_map(|(row, _)| row.merged_at).max();
    let by_date = || main.releases.lowest_with(merged_at?);
    let fixed_in = match problem.status {
        ProblemStatus::Unreleased => None,
        ProblemStatus::Solved => problem.fixed_in.as_deref().or_else(by_date),
        _ => problem.fixed_in.as_deref(),
    };
    let resolution = match problem.status.is_fixed() {
        true => resolution(head, fixed_in, &reports, &changes, &mut used_texts),
        false => Vec::new(),
    };
    let title = title(&head.title, error.as_deref(), &symptom);
    let sections = [
        (ArticlePart::Symptom, symptom),
        (ArticlePart::Environment, environment(&reports)),
        (ArticlePart::Cause, cause),
        (ArticlePart::Workaround, workaround),
        (ArticlePart::Resolution, resolution),
        (ArticlePart::Versions, versions(head, problem, fixed_in, &reports)),
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
    let subject = sentence::without("title_prefix", &title);
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
        let is_output = sentence::matches("build_output", line)
            || in_code && !sentence::matches("version_line", line);
        if !is_fence && !is_output {
            let clauses =
                CLAUSE.split(line).filter(|clause| !sentence::matches("not_affected", clause));
            out.extend(clauses.flat_map(|clause| [clause, "; "]));
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
}

/// Returns the sentences of a report that tell of the failure, with the code beside them, and the
/// main error. Empty for a report that tells of none.
fn symptom(
    report: &Report,
    error: Option<&str>,
    used_texts: &mut BTreeSet<String>,
) -> Vec<ArticlePassage> {
    let row = &report.row;
    let Description { observations, asides, code } = description(report, error);
    let fails = |candidate: &Candidate<'_>| candidate.rank >= FAILS;
    let title_fails = sentence::fails(&row.title);
    let is_request = sentence::is_request(&row.title, &row.labels, title_fails);
    if is_request && error.is_none() {
        return Vec::new();
    }
    let has_observation = observations.iter().any(fails) || asides.is_empty();
    let candidates = if has_observation { observations } else { asides };
    // What the reporter did matters less than what happens, unless it names or shows code.
    let is_personal = |candidate: &Candidate<'_>| {
        let is_specific = fails(candidate) && sentence::is_specific(candidate.sentence);
        sentence::is_personal(&candidate.text) && !is_specific && candidate.rank < SHOWS_ERROR
    };
    let stands_alone = |candidate: &Candidate<'_>| {
        candidate.code_before.is_some() || !sentence::matches("continues", &candidate.text)
    };
    // "It then stops" needs the sentences before it.
    let start = |at: usize| (0..=at).rev().find(|at| stands_alone(&candidates[*at]));
    let best = |test: &dyn Fn(&Candidate<'_>) -> bool| -> Vec<usize> {
        let indexes = (0..candidates.len()).filter(|at| test(&candidates[*at]));
        indexes.filter(|at| start(*at).is_some()).take(SENTENCES).collect()
    };
    let is_plain = |candidate: &Candidate<'_>| {
        !is_personal(candidate) && !sentence::matches("about_change", &candidate.text)
    };
    let mut best_indexes = best(&|candidate| fails(candidate) && !is_personal(candidate));
    for test in [&fails as &dyn Fn(&Candidate<'_>) -> bool, &is_plain] {
        if best_indexes.is_empty() {
            best_indexes = best(test);
        }
    }
    let is_evident = row.labels.iter().any(|label| sentence::matches("defect", label))
        || !report.versions.product.is_empty()
        || error.is_some()
        || title_fails
        || best_indexes.iter().any(|at| candidates[*at].rank >= RESULT);
    if !is_evident {
        return Vec::new();
    }
    let context = if best_indexes.len() > 1 { 1 } else { SENTENCES - 1 };
    let mut chosen_indexes: BTreeSet<usize> = BTreeSet::new();
    for at in best_indexes {
        let run: BTreeSet<usize> = (start(at).unwrap_or(at)..=at).collect();
        if chosen_indexes.union(&run).count() <= SENTENCES + 1 {
            chosen_indexes.extend(run);
        }
    }
    // The sentences before the first one say when it happens.
    for _ in 0..context {
        if let Some(index) = chosen_indexes.first().and_then(|first| first.checked_sub(1))
            && chosen_indexes.len() < SENTENCES
            && chosen_indexes.last().is_some_and(|last| fails(&candidates[*last]))
            && !is_personal(&candidates[index])
            && stands_alone(&candidates[index])
        {
            chosen_indexes.insert(index);
        }
    }
    let selection =
        candidates.into_iter().enumerate().filter(|(at, _)| chosen_indexes.contains(at));
    let selection = selection.filter(|(_, candidate)| is_new(&candidate.text, used_texts));
    let mut out: Vec<ArticlePassage> =
        selection.flat_map(|(_, candidate)| candidate.passages()).collect();
    if out.is_empty() && error.is_none() {
        return Vec::new();
    }
    let is_code = |passage: &ArticlePassage| passage.text.starts_with("```");
    let is_shown = |error: &str| {
        let prefix: String =
            error.lines().take(1).flat_map(str::chars).take(PREFIX_CHARS).collect();
        out.iter().any(|passage| is_code(passage) && passage.text.contains(&prefix))
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
    let title = normalize(&report.row.title);
    let mut sentences = report.sentences.0.iter().peekable();
    while let Some(sentence) = sentences.next() {
        let heading = sentence::section_of(&sentence.text);
        let own_section = heading.map_or(section, |(section, _)| section);
        // A label with a value, such as "Version: 2.3", begins no section.
        let is_alone = heading.is_some_and(|(_, end)| end == sentence.text.len());
        if is_alone || own_section != ReportSection::Other {
            section = own_section;
        }
        let has_error = sentence.code.as_deref().is_some_and(|code| {
            error.and_then(|error| error.lines().next()).is_some_and(|line| code.contains(line))
        });
        // The error is shown without the rest of a longer output.
        let is_example =
            |code: &&str| is_short(code) && !(has_error && code.lines().count() > ERROR_LINES);
        // Reporters quote an error in a line of its own without marks.
        let next = sentences.peek().map(|next| &*next.text);
        let is_lead = sentence.text.ends_with(':') && sentence.code.is_none();
        let is_output = |text: &&str| sentence::matches("no_prose", text) && sentence::fails(text);
        let output = next.filter(|next| is_lead && is_output(next));
        let code = output.or(sentence.code.as_deref().filter(is_example));
        let continues = sentence::matches("continues", &sentence.text);
        let is_missing = continues && !follows && code_before.is_none();
        let code_between = code_before.filter(|_| continues || out.observations.is_empty());
        (follows, code_before) = (heading.is_some(), code);
        if own_section == ReportSection::Expected {
            continue;
        }
        let is_result = own_section == ReportSection::Result;
        let passage = sentence::own_words(sentence).or_else(|| {
            let rest = heading.map_or("", |(_, end)| &sentence.text[end..]);
            sentence::result(sentence).filter(|text| {
                has_error
                    || text.ends_with(':') && sentence::matches("function_word", text)
                    || is_result && (heading.is_none() || !rest.is_empty())
            })
        });
        let text = passage.filter(|_| !is_missing).map(|text| {
            let heading = sentence::section_of(&text);
            heading.map_or_else(|| text.clone(), |(_, end)| sentence::capitalize(&text[end..]))
        });
        let is_lead = |text: &String| text.ends_with(':') && code.is_none() && !has_error;
        let is_cut = |text: &String| is_lead(text) && sentence::matches("output_lead", text);
        let text = text.map(|text| if is_cut(&text) { text + " …" } else { text });
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
                && !sentence::matches("guess", &sentence.text)
                && !sentence::matches("workaround", text)
                && !title.contains(&normalize(text))
        });
        let is_plan = sentence::matches("about_change", &sentence.text)
            && !sentence::matches("contrast", &sentence.text);
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
        first_line.contains(':')
            && !sentence::matches("source_code", &sentence::without("trailing_comment", first_line))
    };
    let is_message = |text: &&str| is_failure(text) && !sentence::matches("no_message", text);
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
    let first_line = failure.lines().next().unwrap_or_default();
    let block = blocks(body).into_iter().find(|block| block.text.contains(first_line));
    // A short block is shown whole, with the hints below the error.
    if let Some(block) = block.filter(|block| block.text.lines().count() <= ERROR_LINES) {
        return Some(block.text);
    }
    let mut lines: Vec<String> = failure.lines().map(str::to_owned).collect();
    if lines.len() > ERROR_LINES {
        lines.truncate(ERROR_LINES);
        lines.push("…".to_owned());
    }
    let cause = precedent_logs::cause(failure);
    let root = cause
        .as_deref()
        .and_then(|cause| cause.lines().next())
        .filter(|root| !lines.iter().any(|line| line.contains(root)));
    if let Some(root) = root {
        lines.truncate(ERROR_LINES / 2);
        lines.extend(["…".to_owned(), root.to_owned()]);
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

/// Returns the sentences of reports and comments that pass a test on their comment, on all of its
/// sentences, and on themselves.
fn sentences_of<'a>(
    reports: &'a [Report],
    test: impl Fn(Option<&CaseComment>, &Sentences, &Sentence) -> bool + 'a,
) -> impl Iterator<Item = Candidate<'a>> {
    let texts = reports.iter().flat_map(|report| {
        let comments = report.thread.comments.iter();
        let comments = comments.map(|entry| (&report.row, Some(&entry.comment), &entry.sentences));
        std::iter::once((&report.row, None, &report.sentences)).chain(comments)
    });
    let texts = texts.filter(|(_, comment, _)| {
        comment.is_none_or(|comment| comment.role != Some(CommentRole::Noise))
    });
    texts.flat_map(move |(row, comment, sentences)| {
        let matching_sentences = sentences.0.iter().enumerate();
        let matching_sentences =
            matching_sentences.filter(|(_, s)| test(comment, sentences, s)).collect::<Vec<_>>();
        matching_sentences.into_iter().filter_map(move |(at, sentence)| {
            let mut text = sentence::passage(sentence)?;
            // A pronoun needs the sentence before it.
            if sentence::matches("pronoun", &text) && !sentence::explains(sentence) {
                let context_text =
                    at.checked_sub(1).and_then(|at| sentence::passage(&sentences.0[at]));
                if let Some(context) =
                    context_text.filter(|context| !sentence::matches("pronoun", context))
                {
                    text = format!("{context} {text}");
                } else if sentence.role() == SentenceRole::Workaround && sentence.code.is_none()
                    || text.starts_with("That ")
                {
                    return None;
                }
            }
            if text.ends_with(':') && sentence.code.as_deref().is_none_or(|code| !is_short(code)) {
                return None;
            }
            let rank = 4 * u32::from(!sentence::is_personal(&text))
                + 2 * u32::from(comment.is_some_and(is_of_project))
                + u32::from(sentence::is_specific(sentence));
            Some(Candidate { comment, ..Candidate::new(row, sentence, text, rank) })
        })
    })
}

/// Returns whether the author of a comment speaks for the project.
fn is_of_project(comment: &CaseComment) -> bool {
    speaks_for_project(comment.association.as_deref())
}

/// Returns the sentences that describe a way around the problem.
fn workarounds(reports: &[Report]) -> Vec<Candidate<'_>> {
    let is_workaround = |comment: Option<&CaseComment>, _: &Sentences, sentence: &Sentence| {
        let is_worded = || sentence::matches("workaround", &sentence.text);
        sentence.role() == SentenceRole::Workaround
            && comment.map_or_else(is_worded, |comment| comment.role != Some(CommentRole::Denial))
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
    let has_project = comments.into_iter().any(|entry| is_of_project(&entry.comment));
    let explains = move |comment: Option<&CaseComment>, _: &Sentences, sentence: &Sentence| {
        let is_known = comment.is_none_or(|comment| !has_project || is_of_project(comment));
        sentence::explains(sentence) && is_known
    };
    let of_changes = changes.iter().flat_map(|(row, sentences)| {
        let sentences = sentences.0.iter().take(DESCRIPTION).filter(|s| sentence::explains(s));
        sentences.filter_map(move |sentence| {
            let text = sentence::passage(sentence)
                .filter(|text| !text.ends_with(':') && !sentence::matches("pronoun", text))?;
            Some(Candidate::new(row, sentence, text, 0))
        })
    });
    let mut out: Vec<Candidate<'_>> = sentences_of(reports, explains).chain(of_changes).collect();
    for (rank, candidate) in (0..).zip(&mut out) {
        candidate.rank = rank;
    }
    out
}

/// Returns the version and the changes that fix the problem, and the sentences about the fix.
fn resolution(
    head: &DocumentRow,
    fixed_in: Option<&str>,
    reports: &[Report],
    changes: &[(DocumentRow, Sentences)],
    used_texts: &mut BTreeSet<String>,
) -> Vec<ArticlePassage> {
    let mut out = Vec::new();
    if let Some(version) = fixed_in {
        let mut comments =
            reports.iter().take(1).flat_map(|report| report.thread.comments.iter().rev());
        let names_it = comments.find(|entry| entry.comment.text.contains(version));
        let comment = names_it.map(|entry| &entry.comment);
        let comment = comment.filter(|_| head.milestone.as_deref() != Some(version));
        let component = comment.and_then(|comment| component(&comment.text, version, &head.title));
        let of = component.map_or_else(String::new, |name| format!("{name} "));
        let change = changes.first().filter(|_| comment.is_none() && head.milestone.is_none());
        let text = format!("Update to {of}{} or later.", literal(version));
        out.push(at(change.map_or(head, |(row, _)| row), comment, text));
    }
    let number = head.number.map(|number| number.to_string());
    let names_itself = |sentence: &Sentence| {
        let mut words = sentence.text.split(|c: char| !c.is_alphanumeric());
        sentence.code.is_none() && words.any(|word| Some(word) == number.as_deref())
    };
    let names_version = |sentence: &Sentence| {
        sentence.features.contains("VER")
            && fixed_in.is_none_or(|version| sentence.text.contains(version))
    };
    let is_solution =
        |comment: Option<&CaseComment>, siblings: &Sentences, sentence: &Sentence| match comment
            .and_then(|comment| comment.association.as_deref())
        {
            Some(ANSWER) => sentence.role() != SentenceRole::Workaround,
            _ => {
                // An answer of which the reporter says that it helped states no fix.
                comment.is_some_and(|comment| comment.role == Some(CommentRole::Fix))
                && (sentence.role() == SentenceRole::Fix || !siblings.has(SentenceRole::Fix))
                && (names_version(sentence) || !sentence.features.contains("VER"))
                && !sentence::is_vague_fix(sentence)
                && !sentence::matches("doubt", &sentence.text)
                && !names_itself(sentence)
                && (fixed_in.is_none() || !sentence::is_personal(&sentence.text))
                // A merged change says more than a comment without a version or code.
                && (changes.is_empty() || names_version(sentence) || sentence.code.is_some())
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
    for (row, sentences) in changes {
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
        let day = row.merged_at.iter().map(|at| at.strftime(", merged on %Y-%m-%d").to_string());
        let day: String = day.collect();
        let title = format!("Fixed by the change \"{}\"{day}.", plain_title(row));
        out.push(at(row, None, title));
        out.extend(description.map(|text| at(row, None, text)));
    }
    out
}

/// Returns the component whose version a text names, if the title is about it: "LiveView" in "Fixed
/// in LiveView 0.1.10".
fn component<'a>(text: &'a str, version: &str, title: &str) -> Option<&'a str> {
    let is_label = |word: &&str| !sentence::matches("version_word", word);
    let words = |text: &'a str| text.rsplit(|c: char| !c.is_alphanumeric() && c != '.');
    let mut names = words(text.split_once(version)?.0).filter(|word| !word.is_empty());
    let name = names.find(is_label)?;
    let word = name.rsplit('.').next()?.to_lowercase();
    let is_named = title.to_lowercase().contains(&word);
    Some(name).filter(|_| is_named && word.len() > 3 && !is_program(&word))
}

/// Returns the versions that the reports name, and the version with the fix.
fn versions(
    head: &DocumentRow,
    problem: &KnownProblem,
    fixed_in: Option<&str>,
    reports: &[Report],
) -> Vec<ArticlePassage> {
    let mut reported_on: Vec<&str> = Vec::new();
    // A report that names many lists those of its dependencies.
    let own_versions = reports.iter().map(|report| &report.versions.product);
    let own_versions = own_versions.filter(|list| list.len() <= OWN_VERSIONS);
    let is_same = |a: &str, b: &str| a == b || compare(a, b).is_some_and(Ordering::is_eq);
    for version in own_versions.flatten() {
        if !reported_on.iter().copied().chain(fixed_in).any(|listed| is_same(listed, version)) {
            reported_on.push(version);
        }
    }
    reported_on.truncate(VERSIONS);
    let note = match fixed_in {
        Some(_) if problem.fixed_in.is_none() => " or before, by the date of the change",
        version if head.milestone.as_deref() == version => " (milestone)",
        _ => "",
    };
    let facts = [
        (!reported_on.is_empty()).then(|| format!("Reported on {}", reported_on.join(", "))),
        match problem.status {
            ProblemStatus::Unreleased => Some("Fixed, not released yet".to_owned()),
            _ => fixed_in.map(|version| format!("Fixed in {version}{note}")),
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
        let is_listed = out.iter().any(|(listed_row, _)| listed_row.key == row.key);
        if out.len() < CHANGES && !is_listed && !sentence::matches("only_tests", &row.title) {
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
    let is_system = sentence::matches("no_example", code);
    !code.trim().is_empty() && code.lines().count() <= CODE_LINES && !is_system
}

/// Returns a code block with a fence that its content does not contain. Of a stack or a log only
/// the beginning is kept.
fn fence(code: &str) -> String {
    let longest = code.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest.max(2) + 1);
    let (mut out, mut frames) = (fence.clone(), 0);
    for line in code.trim_matches('\n').trim_end().lines() {
        let is_frame = sentence::matches("frame", line) || frames > FRAMES && line == "…";
        frames = if is_frame { frames + 1 } else { 0 };
        match frames {
            0..=FRAMES => out.extend(["\n", &excerpt(line, ERROR_LINE).0]),
            _ if frames == FRAMES + 1 => out.push_str("\n…"),
            _ => {}
        }
    }
    out + "\n" + &fence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omissions_in_stacks_are_marked() {
        let code = "panicked at 'x'\n  1: 0x1 - a\n  2: 0x2 - b\n  3: 0x3 - c\n  4: 0x4 - d\n  5: 0x5 - e\nend";
        let want = "```\npanicked at 'x'\n  1: 0x1 - a\n  2: 0x2 - b\n  3: 0x3 - c\n…\nend\n```";
        assert_eq!(fence(code), want);
    }

    #[test]
    fn components_are_named_with_their_versions() {
        let component = |text| component(text, "0.1.10", "LiveView: old project is shown");
        assert_eq!(component("Install LiveView v0.1.10 to test."), Some("LiveView"));
        assert_eq!(component("Fixed in 0.1.10."), None);
    }

    #[test]
    fn versions_that_work_are_not_affected() {
        let body =
            "It fails on 2.3.1, however it worked fine in 2.2.0. A regression against 2.1.0.";
        assert_eq!(versions_in(&affected_text(body), "acme/app").product, ["2.3.1"]);
    }
}
