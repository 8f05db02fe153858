//! The passages of each section of an article.

use std::collections::BTreeSet;

use precedent_core::{
    error::Result,
    model::{
        ANSWER, ArticlePassage, ArticleSection, ArticleSectionKind, CaseComment, CommentRole,
        KnownProblem, ProblemStatus, State,
    },
};
use precedent_markup::stored_markdown;
use precedent_store::{DocumentRow, Reader};
use precedent_text::{
    literal::literal,
    markdown::{BlockKind, blocks},
    pattern::Pattern,
    prepare::{PreparedText, own_content},
    reference::references,
    report::terms,
    roles::{Sentence, SentenceRole, Sentences},
    skeleton::Skeleton,
    version::{Versions, is_program, is_same, versions as versions_in},
};

use super::{
    render::{is_code, literal_title},
    sentence::{self, ReportSection},
};
use crate::{
    QueryContext,
    releases::Releases,
    troubleshoot::{CaseThread, Links, excerpt, speaks_for_project},
};

const MAX_DUPLICATES: usize = 5;
const MAX_CHANGES: usize = 3;
/// The maximum number of sentences in a section, and of explanations.
const MAX_SENTENCES: usize = 3;
const MAX_EXPLANATIONS: usize = 1;
const MAX_DESCRIPTION_SENTENCES: usize = 8;
/// The maximum length of a code block, in lines.
const MAX_CODE_LINES: usize = 40;
/// The maximum length of an error excerpt, in lines and in characters.
const MAX_ERROR_LINES: usize = 6;
const MAX_ERROR_LENGTH: usize = 900;
/// The number of characters that identify a line of an error.
const PREFIX_CHARS: usize = 120;
/// The maximum number of successive stack frames.
const MAX_FRAMES: usize = 3;
/// The maximum length of a line of code, in characters.
const MAX_CODE_LINE: usize = 400;
const MAX_VERSIONS: usize = 6;
/// The maximum number of versions in a report; with more, it lists versions of dependencies.
const MAX_REPORT_VERSIONS: usize = 4;
/// The maximum share of words that a sentence repeats from an earlier one, as a fraction.
const MAX_REPEATED: (usize, usize) = (3, 4);
/// The minimum number of letters and digits in a title.
const MIN_TITLE: usize = 12;
/// The log-odds, in hundredths, that a sentence of a report describes the failure, and what changes
/// them. A logistic regression on labelled sentences gave them (docs/decisions/0015).
const BASE_SCORE: i32 = -200;
const FAILURE_SCORE: i32 = 165;
const CODE_SCORE: i32 = 165;
const FIRST_SCORE: i32 = 65;
const PERSONAL_SCORE: i32 = -50;
const OTHER_SECTION_SCORE: i32 = -145;
/// The score of a sentence with all words of the title.
const TITLE_SCORE: usize = 265;

/// The end of a clause about versions.
static CLAUSE_END: Pattern = Pattern::new(r"[.;] |, and |\bbut\b|\b(?i:however)\b");

/// The terms of each sentence that the article contains.
type UsedTexts = Vec<BTreeSet<String>>;

/// A report of the problem with its thread.
struct Report {
    row: DocumentRow,
    sentences: Sentences,
    /// The code before all sentences.
    leading_code: Option<String>,
    versions: Versions,
    releases: Releases,
    thread: CaseThread,
}

/// A candidate sentence with its source.
struct Candidate<'a> {
    row: &'a DocumentRow,
    comment: Option<&'a CaseComment>,
    sentence: &'a Sentence,
    /// The code block that the sentence refers to, and the one after it.
    code_before: Option<&'a str>,
    code: Option<&'a str>,
    text: String,
    /// The rank; the highest is chosen first.
    rank: i32,
}

impl<'a> Candidate<'a> {
    fn new(row: &'a DocumentRow, sentence: &'a Sentence, text: String, rank: i32) -> Self {
        let code = sentence.code.as_deref().filter(|code| is_short(code));
        Self { row, comment: None, sentence, code_before: None, code, text, rank }
    }

    /// Returns the sentence between its code blocks.
    fn passages(self) -> impl Iterator<Item = ArticlePassage> {
        let (row, comment) = (self.row, self.comment);
        let code_before = self.code_before.map(fence).into_iter();
        code_before
            .chain([self.text])
            .chain(self.code.map(fence))
            .map(move |text| passage_from(row, comment, text))
    }
}

/// Returns the title and the sections of the article about a problem.
pub(super) fn collect(
    r: &Reader<'_>,
    context: &QueryContext<'_>,
    canonical: &DocumentRow,
    problem: &KnownProblem,
) -> Result<(String, Vec<ArticleSection>)> {
    let mut reports = Vec::new();
    let duplicates = problem.reports.iter().filter(|key| **key != canonical.key);
    for key in std::iter::once(&canonical.key).chain(duplicates.take(MAX_DUPLICATES)) {
        let Some(row) = r.document_by_key(key)?.filter(|row| row.deleted_at.is_none()) else {
            continue;
        };
        let thread = CaseThread::load(r, context, row.clone(), &[], None, Links::Visible)?;
        let text = format!("{}\n{}", row.title, affected_text(&thread.body));
        let mut versions = versions_in(&text, &row.source);
        let releases = Releases::load(r, row.source_id)?;
        versions.product.retain(|version| releases.may_be_reported_on(version));
        let is_heading = |line: &str| sentence::parse_heading(line).is_some();
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
    let Some(main) = reports.first() else { return Ok((canonical.title.clone(), Vec::new())) };
    let changes = changes(r, &reports, problem)?;
    let error = error_excerpt(&main.thread.body, &canonical.title);
    let mut used_texts = UsedTexts::new();
    let symptom = symptom(main, error.as_deref(), &mut used_texts);
    if symptom.is_empty() {
        return Ok((canonical.title.clone(), Vec::new()));
    }
    let workaround = choose(workarounds(&reports), MAX_SENTENCES, &mut used_texts);
    let cause = choose(causes(&reports, &changes), MAX_EXPLANATIONS, &mut used_texts);
    let merged_at = changes.iter().filter_map(|(row, _)| row.merged_at).max();
    let version_by_date = || main.releases.lowest_with(merged_at?);
    let fixed_in = match problem.status {
        ProblemStatus::Unreleased => None,
        ProblemStatus::Solved => problem.fixed_in.as_deref().or_else(version_by_date),
        _ => problem.fixed_in.as_deref(),
    };
    let resolution = match problem.status.is_fixed() {
        true => resolution(canonical, fixed_in, &reports, &changes, &mut used_texts),
        false => Vec::new(),
    };
    let title = title(&canonical.title, error.as_deref(), &symptom);
    let sections = [
        (ArticleSectionKind::Symptom, symptom),
        (ArticleSectionKind::Environment, environment(&reports)),
        (ArticleSectionKind::Cause, cause),
        (ArticleSectionKind::Workaround, workaround),
        (ArticleSectionKind::Resolution, resolution),
        (ArticleSectionKind::Versions, versions(canonical, problem, fixed_in, &reports)),
        (ArticleSectionKind::References, titles_of(&reports, &changes)),
    ];
    let sections = sections.into_iter().filter(|(_, passages)| !passages.is_empty());
    Ok((title, sections.map(|(part, passages)| ArticleSection { part, passages }).collect()))
}

/// Returns a passage from a report or one of its comments.
fn passage_from(row: &DocumentRow, comment: Option<&CaseComment>, text: String) -> ArticlePassage {
    ArticlePassage {
        text,
        key: row.key.clone(),
        anchor: comment.map(|comment| comment.anchor.clone()),
        url: comment.and_then(|comment| comment.url.clone()).or_else(|| row.url.clone()),
    }
}

fn markdown_title(row: &DocumentRow) -> String {
    let title = row.title.split_whitespace().collect::<Vec<_>>().join(" ");
    literal_title(title.trim_end_matches('.'))
}

/// Returns the title of a report without tags. A title that is too short is replaced by the first
/// line of the error or the first sentence.
fn title(title: &str, error: Option<&str>, symptom: &[ArticlePassage]) -> String {
    let title = title.split_whitespace().collect::<Vec<_>>().join(" ");
    let subject = sentence::strip("title_prefix", &title);
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

/// Returns a report's text about the affected versions, without most code and without clauses about
/// versions that are not affected.
fn affected_text(body: &str) -> String {
    let mut in_code = false;
    let mut out = String::new();
    let mut section = ReportSection::Observed;
    for line in body.lines() {
        section = sentence::parse_heading(line).map_or(section, |(section, _)| section);
        let is_fence = line.trim_start().starts_with("```");
        in_code ^= is_fence;
        // Build output lists the versions of dependencies.
        let is_output = sentence::matches("build_output", line)
            || in_code && !sentence::matches("version_line", line);
        if !is_fence && !is_output && section != ReportSection::Expected {
            let clauses =
                CLAUSE_END.split(line).filter(|clause| !sentence::matches("not_affected", clause));
            out.extend(clauses.flat_map(|clause| [clause, "; "]));
        }
        out.push('\n');
    }
    out
}

#[derive(Default)]
struct Description<'a> {
    /// The sentences outside the sections about expectations, with their scores.
    candidates: Vec<Candidate<'a>>,
    /// The first code block.
    code: Option<&'a str>,
}

/// Returns the sentences of a report that describe the failure, with their code, and the main
/// error. Empty if the report describes no failure.
fn symptom(
    report: &Report,
    error: Option<&str>,
    used_texts: &mut UsedTexts,
) -> Vec<ArticlePassage> {
    let row = &report.row;
    let Description { candidates, code } = describe(report, error);
    let title_fails = sentence::describes_failure(&row.title);
    let is_request = sentence::is_request(&row.title, &row.labels, title_fails);
    if is_request && error.is_none() {
        return Vec::new();
    }
    // "It then stops" needs the sentences before it.
    let stands_alone = |candidate: &Candidate<'_>| {
        candidate.code_before.is_some() || !sentence::matches("continues", &candidate.text)
    };
    let first_index =
        |index: usize| (0..=index).rev().find(|index| stands_alone(&candidates[*index]));
    let mut best_indexes: Vec<usize> =
        (0..candidates.len()).filter(|index| first_index(*index).is_some()).collect();
    best_indexes.sort_by_key(|index| std::cmp::Reverse(candidates[*index].rank));
    let likely_count =
        best_indexes.iter().take_while(|index| candidates[**index].rank >= 0).count();
    let is_evident = row.labels.iter().any(|label| sentence::matches("defect", label))
        || !report.versions.product.is_empty()
        || error.is_some()
        || title_fails
        || best_indexes[..likely_count]
            .iter()
            .any(|index| sentence::describes_failure(&candidates[*index].text));
    if !is_evident {
        return Vec::new();
    }
    best_indexes.truncate(likely_count.clamp(usize::from(error.is_none()), MAX_SENTENCES));
    let mut chosen_indexes: BTreeSet<usize> = BTreeSet::new();
    for index in best_indexes {
        let run: BTreeSet<usize> = (first_index(index).unwrap_or(index)..=index).collect();
        if chosen_indexes.union(&run).count() <= MAX_SENTENCES + 1 {
            chosen_indexes.extend(run);
        }
    }
    let selection =
        candidates.into_iter().enumerate().filter(|(index, _)| chosen_indexes.contains(index));
    let selection = selection.filter(|(_, candidate)| mark_used(&candidate.text, used_texts));
    let mut out: Vec<ArticlePassage> =
        selection.flat_map(|(_, candidate)| candidate.passages()).collect();
    if out.is_empty() && error.is_none() {
        return Vec::new();
    }
    let code = code.filter(|_| !out.iter().any(is_code));
    out.extend(code.map(|code| passage_from(row, None, fence(code))));
    let is_shown = |error: &&str| {
        let prefix: String =
            error.lines().take(1).flat_map(str::chars).take(PREFIX_CHARS).collect();
        out.iter().any(|passage| is_code(passage) && passage.text.contains(&prefix))
    };
    let error = error.filter(|error| !is_shown(error));
    out.extend(error.map(|error| passage_from(row, None, fence(error))));
    out
}

/// Returns the sentences of a report that may describe the problem.
fn describe<'a>(report: &'a Report, error: Option<&str>) -> Description<'a> {
    let mut out = Description { code: report.leading_code.as_deref(), ..Description::default() };
    let mut section = ReportSection::Observed;
    // A sentence that continues another one needs it, or the code between them.
    let (mut has_previous, mut code_before) = (true, report.leading_code.as_deref());
    let mut shows_error = false;
    let title = normalize(&report.row.title);
    let title_terms = terms(&report.row.title);
    let mut sentences = report.sentences.0.iter().peekable();
    while let Some(sentence) = sentences.next() {
        let heading = sentence::parse_heading(&sentence.text);
        let sentence_section = heading.map_or(section, |(section, _)| section);
        // A label with a value, such as "Version: 2.3", does not begin a section.
        let is_heading = heading.is_some_and(|(_, end)| end == sentence.text.len());
        if is_heading || sentence_section != ReportSection::Other {
            section = sentence_section;
        }
        let has_error = sentence.code.as_deref().is_some_and(|code| {
            error.and_then(|error| error.lines().next()).is_some_and(|line| code.contains(line))
        });
        // Long output is shown only as an excerpt of its error.
        let is_example = |code: &&str| {
            let line_count = code.lines().count();
            let versions = versions_in(code, "");
            let is_list_of_versions =
                2 * (versions.product.len() + versions.foreign.len()) > line_count;
            is_short(code) && !is_list_of_versions && !(has_error && line_count > MAX_ERROR_LINES)
        };
        // Reporters may quote an error on a line of its own without markup.
        let next_text = sentences.peek().map(|next| &*next.text);
        let is_lead = sentence.text.ends_with(':') && sentence.code.is_none();
        let is_output =
            |text: &&str| sentence::matches("no_prose", text) && sentence::describes_failure(text);
        let output = next_text.filter(|text| is_lead && is_output(text));
        let code = output.or(sentence.code.as_deref().filter(is_example));
        let continues = sentence::matches("continues", &sentence.text);
        let is_missing = continues && !has_previous && code_before.is_none();
        let code_between = code_before.filter(|_| continues || out.candidates.is_empty());
        (has_previous, code_before) = (heading.is_some(), code);
        if sentence_section == ReportSection::Expected {
            continue;
        }
        let is_result = sentence_section == ReportSection::Result;
        let is_other = sentence_section == ReportSection::Other;
        let passage = sentence::clean_sentence(sentence).or_else(|| {
            let rest = heading.map_or("", |(_, end)| &sentence.text[end..]);
            sentence::result_sentence(sentence).filter(|text| {
                has_error
                    || text.ends_with(':') && sentence::matches("function_word", text)
                    || is_result && (heading.is_none() || !rest.is_empty())
            })
        });
        let text = passage.filter(|_| !is_missing).map(|text| {
            let heading = sentence::parse_heading(&text);
            heading.map_or_else(|| text.clone(), |(_, end)| sentence::capitalize(&text[end..]))
        });
        let is_lead = |text: &String| text.ends_with(':') && code.is_none() && !has_error;
        let is_cut = |text: &String| is_lead(text) && sentence::matches("output_lead", text);
        let text = text.map(|text| if is_cut(&text) { text + " …" } else { text });
        // Sentences after the error analyze it.
        let is_described = !out.candidates.is_empty() || is_other;
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
        let fails = text.as_deref().is_some_and(sentence::describes_failure);
        out.code = out.code.or(code.filter(|_| !has_error && (fails || !is_other)));
        let Some(text) = text else { continue };
        let text_terms = terms(&text);
        let common_count = title_terms.iter().filter(|term| text_terms.contains(term)).count();
        let title_score = TITLE_SCORE * common_count / title_terms.len().max(1);
        let score_changes = [
            (fails, FAILURE_SCORE),
            (has_error || code.is_some(), CODE_SCORE),
            (out.candidates.is_empty(), FIRST_SCORE),
            (sentence::is_personal(&text), PERSONAL_SCORE),
            (is_other, OTHER_SECTION_SCORE),
        ];
        let score_changes = score_changes.into_iter().filter(|(applies, _)| *applies);
        let rank = BASE_SCORE
            + i32::try_from(title_score).unwrap_or_default()
            + score_changes.map(|(_, change)| change).sum::<i32>();
        (has_previous, code_before) = (true, None);
        out.candidates.push(Candidate {
            code_before: code_between,
            code,
            ..Candidate::new(&report.row, sentence, text, rank)
        });
    }
    out
}

/// Returns the main error in the code of a report with the beginning of its trace: the crash, or
/// the error that shares the most words with the title.
fn error_excerpt(body: &str, title: &str) -> Option<String> {
    let prepared_body = PreparedText::body(body, &Skeleton::default());
    let parsed_log = precedent_logs::read_text(prepared_body.code());
    let is_failure = |text: &&str| {
        let first_line = text.lines().next().unwrap_or_default();
        first_line.contains(':')
            && !sentence::matches("source_code", &sentence::strip("trailing_comment", first_line))
    };
    let is_message = |text: &&str| is_failure(text) && !sentence::matches("no_message", text);
    let failures = parsed_log.failures().map(|group| group.example_or_message()).filter(is_message);
    let title_terms: BTreeSet<String> = terms(title).into_iter().collect();
    let common_terms = |text: &&str| {
        let first_line = text.lines().next().unwrap_or_default();
        let common = terms(first_line).iter().filter(|term| title_terms.contains(*term)).count();
        // A crash is worse than a message before it.
        (first_line.contains("panicked at"), common)
    };
    let failures: Vec<&str> = failures.collect();
    // On a tie, the first error is chosen.
    let failure = failures.into_iter().rev().max_by_key(common_terms)?;
    let failure = failure.split("\nstack backtrace:").next().unwrap_or(failure).trim_end();
    let first_line = failure.lines().next().unwrap_or_default();
    let block = blocks(body).into_iter().find(|block| block.text.contains(first_line));
    // A short block is shown in full, with any hints after the error.
    if let Some(block) = block.filter(|block| block.text.lines().count() <= MAX_ERROR_LINES) {
        return Some(block.text);
    }
    let mut lines: Vec<String> = failure.lines().map(str::to_owned).collect();
    if lines.len() > MAX_ERROR_LINES {
        lines.truncate(MAX_ERROR_LINES);
        lines.push("…".to_owned());
    }
    let cause = precedent_logs::cause(failure);
    let root_cause = cause
        .as_deref()
        .and_then(|cause| cause.lines().next())
        .filter(|root| !lines.iter().any(|line| line.contains(root)));
    if let Some(root_cause) = root_cause {
        lines.truncate(MAX_ERROR_LINES / 2);
        lines.extend(["…".to_owned(), root_cause.to_owned()]);
    }
    Some(excerpt(lines.join("\n").trim_end(), MAX_ERROR_LENGTH).0)
        .filter(|text| !text.trim().is_empty())
}

/// Returns the other programs that the reports name, each once.
fn environment(reports: &[Report]) -> Vec<ArticlePassage> {
    let (mut out, mut seen_names) = (Vec::new(), BTreeSet::new());
    for report in reports {
        let other_names =
            report.versions.foreign.iter().filter(|name| seen_names.insert(name.to_lowercase()));
        let names: Vec<String> = other_names.take(MAX_VERSIONS).map(|name| literal(name)).collect();
        if !names.is_empty() {
            out.push(passage_from(&report.row, None, names.join(", ")));
        }
    }
    out
}

/// Returns the sentences of reports and comments that pass a test. The test receives the comment
/// (`None` for a report), all its sentences, and the sentence to test.
fn select_sentences<'a>(
    reports: &'a [Report],
    test: impl Fn(Option<&CaseComment>, &Sentences, &Sentence) -> bool + 'a,
) -> impl Iterator<Item = Candidate<'a>> {
    let texts = reports.iter().flat_map(|report| {
        let comments = report.thread.comments.iter();
        let comments = comments.map(|entry| (&report.row, Some(&entry.comment), &entry.sentences));
        std::iter::once((&report.row, None, &report.sentences)).chain(comments)
    });
    let is_noise = |comment: &CaseComment| comment.role == Some(CommentRole::Noise);
    let texts = texts.filter(move |(_, comment, _)| !comment.is_some_and(is_noise));
    texts.flat_map(move |(row, comment, sentences)| {
        let selection = sentences.0.iter().enumerate();
        let selection: Vec<_> = selection.filter(|(_, s)| test(comment, sentences, s)).collect();
        selection.into_iter().filter_map(move |(index, sentence)| {
            let mut text = sentence::passage(sentence)?;
            // A pronoun needs the sentence before it.
            if sentence::matches("pronoun", &text) && !sentence::explains(sentence) {
                let previous =
                    index.checked_sub(1).and_then(|index| sentence::passage(&sentences.0[index]));
                let previous = previous.filter(|text| !sentence::matches("pronoun", text));
                if let Some(previous) = previous {
                    text = format!("{previous} {text}");
                } else if sentence.role() == SentenceRole::Workaround && sentence.code.is_none()
                    || text.starts_with("That ")
                {
                    return None;
                }
            }
            if text.ends_with(':') && sentence.code.as_deref().is_none_or(|code| !is_short(code)) {
                return None;
            }
            let rank = 4 * i32::from(!sentence::is_personal(&text))
                + 2 * i32::from(comment.is_some_and(is_by_project))
                + i32::from(sentence::is_specific(sentence));
            Some(Candidate { comment, ..Candidate::new(row, sentence, text, rank) })
        })
    })
}

fn is_by_project(comment: &CaseComment) -> bool {
    speaks_for_project(comment.association.as_deref())
}

fn workarounds(reports: &[Report]) -> Vec<Candidate<'_>> {
    let is_workaround = |comment: Option<&CaseComment>, _: &Sentences, sentence: &Sentence| {
        let matches_wording = || sentence::matches("workaround", &sentence.text);
        sentence.role() == SentenceRole::Workaround
            && comment
                .map_or_else(matches_wording, |comment| comment.role != Some(CommentRole::Denial))
    };
    select_sentences(reports, is_workaround).collect()
}

/// Returns the sentences of reports, comments and changes that explain the problem; later ones rank
/// higher. If any comment speaks for the project, only such comments count.
fn causes<'a>(
    reports: &'a [Report],
    changes: &'a [(DocumentRow, Sentences)],
) -> Vec<Candidate<'a>> {
    let comments = reports.iter().flat_map(|report| &report.thread.comments);
    let has_project_comment = comments.into_iter().any(|entry| is_by_project(&entry.comment));
    let explains = move |comment: Option<&CaseComment>, _: &Sentences, sentence: &Sentence| {
        let is_authoritative =
            comment.is_none_or(|comment| !has_project_comment || is_by_project(comment));
        sentence::explains(sentence) && is_authoritative
    };
    let change_sentences = changes.iter().flat_map(|(row, sentences)| {
        let explanations = sentences.0.iter().filter(|s| sentence::explains(s));
        explanations.filter_map(move |sentence| {
            let text = sentence::passage(sentence)
                .filter(|text| !text.ends_with(':') && !sentence::matches("pronoun", text))?;
            Some(Candidate::new(row, sentence, text, 0))
        })
    });
    let mut out: Vec<Candidate<'_>> =
        select_sentences(reports, explains).chain(change_sentences).collect();
    for (rank, candidate) in (0..).zip(&mut out) {
        candidate.rank = rank;
    }
    out
}

/// Returns the version with the fix, the sentences about the fix, and the changes.
fn resolution(
    canonical: &DocumentRow,
    fixed_in: Option<&str>,
    reports: &[Report],
    changes: &[(DocumentRow, Sentences)],
    used_texts: &mut UsedTexts,
) -> Vec<ArticlePassage> {
    let mut out = Vec::new();
    if let Some(version) = fixed_in {
        let comments = reports.first().map(|report| report.thread.comments.iter().rev());
        let mut comments = comments.into_iter().flatten().map(|entry| &entry.comment);
        let comment = comments.find(|comment| comment.text.contains(version));
        let comment = comment.filter(|_| canonical.milestone.as_deref() != Some(version));
        let component =
            comment.and_then(|comment| component(&comment.text, version, &canonical.title));
        let prefix = component.map_or_else(String::new, |name| format!("{name} "));
        let change = changes.first().filter(|_| comment.is_none() && canonical.milestone.is_none());
        let text = format!("Update to {prefix}{} or later.", literal(version));
        out.push(passage_from(change.map_or(canonical, |(row, _)| row), comment, text));
    }
    let number = canonical.number.map(|number| number.to_string());
    let names_report = |sentence: &Sentence| {
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
                // A workaround that the reporter confirmed is not a fix.
                comment.is_some_and(|comment| comment.role == Some(CommentRole::Fix))
                && (sentence.role() == SentenceRole::Fix || !siblings.has(SentenceRole::Fix))
                && (names_version(sentence) || !sentence.features.contains("VER"))
                && !sentence::is_vague_fix(sentence)
                && !sentence::matches("doubt", &sentence.text)
                && !names_report(sentence)
                && (fixed_in.is_none() || !sentence::is_personal(&sentence.text))
                // A merged change is more informative than a comment without a version or code.
                && (changes.is_empty() || names_version(sentence) || sentence.code.is_some())
            }
        };
    let names_a_change = |sentence: &Sentence| {
        let is_change = |number| changes.iter().any(|(row, _)| row.number == Some(number));
        sentence.code.is_none()
            && references(&sentence.text).iter().any(|reference| is_change(reference.number))
    };
    let sentences = select_sentences(reports, is_solution)
        .filter(|candidate| !names_a_change(candidate.sentence));
    out.extend(choose(sentences.collect(), MAX_SENTENCES, used_texts));
    for (row, sentences) in changes {
        mark_used(&row.title, used_texts);
        let is_description = |sentence: &&Sentence| {
            references(&sentence.text).is_empty() && sentence::describes_change(sentence)
        };
        let description = sentences.0.iter().filter(is_description).find_map(|sentence| {
            let text = sentence::passage(sentence)
                .filter(|text| !text.ends_with(':') && !sentence::is_personal(text))?;
            mark_used(&text, used_texts).then_some(text)
        });
        let day = row.merged_at.iter();
        let day: String =
            day.map(|time| time.strftime(", merged on %Y-%m-%d").to_string()).collect();
        let title = format!("Fixed by the change \"{}\"{day}.", markdown_title(row));
        out.push(passage_from(row, None, title));
        out.extend(description.map(|text| passage_from(row, None, text)));
    }
    out
}

/// Returns the component whose version `text` names, such as "LiveView" in "Fixed in LiveView
/// 0.1.10", if the title mentions it.
fn component<'a>(text: &'a str, version: &str, title: &str) -> Option<&'a str> {
    let is_label = |word: &&str| !sentence::matches("version_word", word);
    let words = |text: &'a str| text.rsplit(|c: char| !c.is_alphanumeric() && c != '.');
    let mut names = words(text.split_once(version)?.0).filter(|word| !word.is_empty());
    let name = names.find(is_label)?;
    let word = name.rsplit('.').next()?.to_lowercase();
    let is_in_title = title.to_lowercase().contains(&word);
    Some(name).filter(|_| is_in_title && word.len() > 3 && !is_program(&word))
}

/// Returns the affected versions, and the version with the fix.
fn versions(
    canonical: &DocumentRow,
    problem: &KnownProblem,
    fixed_in: Option<&str>,
    reports: &[Report],
) -> Vec<ArticlePassage> {
    let mut reported_on: Vec<&str> = Vec::new();
    let version_lists = reports.iter().map(|report| &report.versions.product);
    let version_lists = version_lists.filter(|list| list.len() <= MAX_REPORT_VERSIONS);
    for version in version_lists.flatten() {
        if !reported_on.iter().copied().chain(fixed_in).any(|listed| is_same(listed, version)) {
            reported_on.push(version);
        }
    }
    reported_on.truncate(MAX_VERSIONS);
    let note = match fixed_in {
        Some(_) if problem.fixed_in.is_none() => " or earlier, judging by the date of the change",
        version if canonical.milestone.as_deref() == version => " (milestone)",
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
    facts.into_iter().flatten().map(|fact| passage_from(canonical, None, literal(&fact))).collect()
}

fn titles_of(reports: &[Report], changes: &[(DocumentRow, Sentences)]) -> Vec<ArticlePassage> {
    let rows = reports.iter().map(|report| &report.row);
    let reports =
        rows.enumerate().map(|(index, row)| (if index == 0 { "Report" } else { "Duplicate" }, row));
    let references = reports.chain(changes.iter().map(|(row, _)| ("Change", row)));
    let text = |label, row| format!("{label}: {}", markdown_title(row));
    references.map(|(label, row)| passage_from(row, None, text(label, row))).collect()
}

/// Returns the merged changes that closed a report or that a comment about the fix names, with
/// their descriptions.
fn changes(
    r: &Reader<'_>,
    reports: &[Report],
    problem: &KnownProblem,
) -> Result<Vec<(DocumentRow, Sentences)>> {
    let mut keys: Vec<String> = problem.fixed_by.iter().map(|change| change.key.clone()).collect();
    if let Some(Report { row, thread, .. }) = reports.first() {
        let comments = thread.comments.iter();
        let fixes = comments.filter(|entry| entry.has_role(CommentRole::Fix));
        let sentences = fixes.flat_map(|entry| &entry.sentences.0);
        for sentence in sentences.filter(|sentence| sentence.role() == SentenceRole::Fix) {
            keys.extend(references(&sentence.text).iter().map(|reference| {
                format!("{}#{}", reference.source.as_ref().unwrap_or(&row.source), reference.number)
            }));
        }
    }
    let mut out: Vec<(DocumentRow, Sentences)> = Vec::new();
    for key in keys {
        // A change that was merged before the report did not fix it.
        let is_fix = |row: &DocumentRow| {
            row.state == Some(State::Merged)
                && reports.first().is_none_or(|report| {
                    row.merged_at.is_none_or(|time| Some(time) > report.row.created_at)
                })
        };
        let Some(row) = r.document_by_key(&key)?.filter(is_fix) else { continue };
        let is_listed = out.iter().any(|(listed_row, _)| listed_row.key == row.key);
        if out.len() < MAX_CHANGES && !is_listed && !sentence::matches("only_tests", &row.title) {
            let body = r.skeleton(row.source_id)?.strip(&own_content(&row.body));
            let mut sentences = Sentences::read(&body);
            sentences.0.truncate(MAX_DESCRIPTION_SENTENCES);
            out.push((row, sentences));
        }
    }
    Ok(out)
}

/// Returns at most `max` of these sentences by rank, in their original order. Sentences about their
/// author are omitted if there are others.
fn choose(
    candidates: Vec<Candidate<'_>>,
    max: usize,
    used_texts: &mut UsedTexts,
) -> Vec<ArticlePassage> {
    let mut order: Vec<usize> = (0..candidates.len()).collect();
    order.sort_by_key(|index| (std::cmp::Reverse(candidates[*index].rank), *index));
    let has_others = candidates.iter().any(|candidate| !sentence::is_personal(&candidate.text));
    let mut chosen_indexes: BTreeSet<usize> = BTreeSet::new();
    for index in order {
        let text = &candidates[index].text;
        let is_omitted = has_others && sentence::is_personal(text);
        if chosen_indexes.len() < max && !is_omitted && mark_used(text, used_texts) {
            chosen_indexes.insert(index);
        }
    }
    let selection =
        candidates.into_iter().enumerate().filter(|(index, _)| chosen_indexes.contains(index));
    selection.flat_map(|(_, candidate)| candidate.passages()).collect()
}

/// Marks `text` as used; returns `false` if a used text already has most of its words.
fn mark_used(text: &str, used_texts: &mut UsedTexts) -> bool {
    let text_terms: BTreeSet<String> = terms(text).into_iter().collect();
    let is_repeated = used_texts.iter().any(|used_terms| {
        MAX_REPEATED.1 * text_terms.intersection(used_terms).count()
            > MAX_REPEATED.0 * text_terms.len()
    });
    used_texts.push(text_terms);
    !is_repeated
}

/// Returns the letters and digits of `text`, in lower case.
fn normalize(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Returns whether a code block is short enough for an article.
fn is_short(code: &str) -> bool {
    let is_system = sentence::matches("no_example", code);
    !code.trim().is_empty() && code.lines().count() <= MAX_CODE_LINES && !is_system
}

/// Returns a code block with a fence that its content does not contain. Long stacks and lines are
/// shortened.
fn fence(code: &str) -> String {
    let fence = precedent_markup::fence(code.lines());
    let (mut out, mut frames) = (fence.clone(), 0);
    for line in code.trim_matches('\n').trim_end().lines() {
        let is_frame = sentence::matches("frame", line) || frames > MAX_FRAMES && line == "…";
        frames = if is_frame { frames + 1 } else { 0 };
        match frames {
            0..=MAX_FRAMES => out.extend(["\n", &excerpt(line, MAX_CODE_LINE).0]),
            _ if frames == MAX_FRAMES + 1 => out.push_str("\n…"),
            _ => {}
        }
    }
    out + "\n" + &fence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortened_stacks_have_an_ellipsis() {
        let code = "panicked at 'x'\n  1: 0x1 - a\n  2: 0x2 - b\n  3: 0x3 - c\n  4: 0x4 - d\n  5: 0x5 - e\nend";
        let want = "```\npanicked at 'x'\n  1: 0x1 - a\n  2: 0x2 - b\n  3: 0x3 - c\n…\nend\n```";
        assert_eq!(fence(code), want);
    }

    #[test]
    fn fixed_version_names_its_component() {
        let component = |text| component(text, "0.1.10", "LiveView: old project is shown");
        assert_eq!(component("Install LiveView v0.1.10 to test."), Some("LiveView"));
        assert_eq!(component("Fixed in 0.1.10."), None);
    }

    #[test]
    fn sentences_that_repeat_others_are_left_out() {
        let mut used_texts = UsedTexts::new();
        for (text, is_new) in [
            ("On a click the dialog does not appear and the app crashes.", true),
            ("The dialog does not appear and the app crashes.", false),
            ("The dialog appears after a second click.", true),
        ] {
            assert_eq!(mark_used(text, &mut used_texts), is_new, "{text}");
        }
    }

    #[test]
    fn expected_behavior_names_no_affected_versions() {
        let body = "It fails on 2.3.1.\n\nExpected:\n\nAs on 2.2.0.\n\nActual: empty on 2.3.2.";
        assert_eq!(versions_in(&affected_text(body), "acme/app").product, ["2.3.1", "2.3.2"]);
    }

    #[test]
    fn working_versions_are_not_affected() {
        let body =
            "It fails on 2.3.1, however it worked fine in 2.2.0. A regression against 2.1.0.";
        assert_eq!(versions_in(&affected_text(body), "acme/app").product, ["2.3.1"]);
    }
}
