//! The relevance model, which estimates the probability that a solved case helps.
//!
//! The candidates are the resolved matches of the duplicate search. Two probabilities are
//! estimated: that the query is in the casebook's domain, since an unrelated text also has a
//! nearest case; and that a case helps. Fitted by `models/pipeline/cases.py` on cases that trackers
//! mark, on judged pairs (`models/judged`), and on texts of other projects, for which nothing
//! helps.

use std::{
    collections::{BTreeSet, HashSet},
    sync::LazyLock,
};

use serde::Deserialize;

use super::{
    Draft, Match, MatchFinder,
    domain::{self, DomainModel, DomainScore},
    logistic::{Logistic, LogisticFile},
    question::QuestionMatches,
    ranking::GENERIC_CEILING,
    text_overlap,
};
use precedent_core::{
    error::Result,
    model::{DocKind, LIKELY},
    task::Task,
};
use precedent_index::filter::Test;
use precedent_text::{failure::FailureMatch, report};

const BUILT_IN: &str = include_str!("relevance.json");
/// The minimum probability that a query is in the casebook's domain.
const MIN_DOMAIN_PROBABILITY: f32 = 0.45;
/// The minimum relevance of a case that by itself puts the query in the domain.
const MIN_RELEVANCE: f32 = 0.4;
/// The same minimum in a small casebook with vectors, where an email's greeting and names are
/// unknown words.
const MIN_RELEVANCE_SMALL: f32 = 0.3;
/// The relevance floor of a case with the same rare failure (docs/decisions/0011).
const RARE_FLOOR: f32 = 0.47;
/// The relevance floor of a resolved likely duplicate: of 179 such first cases of reports with a
/// marked duplicate, 89 % helped.
const DUPLICATE_FLOOR: f32 = 0.8;
/// The relevance ceiling of a case that reports another failure; it is too low to be shown.
const OTHER_FAILURE_CEILING: f32 = 0.14;
/// The relevance floor of a case that contains the whole query, if that is a rare code or name.
const NAMED_FLOOR: f32 = 0.4;
/// The maximum number of words in such a query.
const MAX_NAMED_WORDS: usize = 3;
/// The maximum number of documents that contain its rarest word.
const MAX_NAMED_DOCUMENTS: f64 = 3.0;
/// The maximum number of cases that are searched for such a query, in ranking order.
const MAX_NAMED_CASES: usize = 10;
/// The number of nearest candidates over which the mean cosine is computed.
const NEAREST: usize = 10;

/// The names of the relevance features, in order.
pub const NAMES: [&str; 9] = [
    // The log-odds that it is worth reading, by the duplicate search.
    "worth",
    // The mean cosine of the query to the passages of the case.
    "meaning",
    // The mean of that cosine over the nearest candidates.
    "near",
    // The share of the query words' information that the case has.
    "words",
    // The deviation of the query's words from the casebook's, in standard deviations.
    "strange",
    // The share of its words that occur nowhere in the casebook.
    "unknown",
    // The information of the rarest shared name, in nats.
    "rarest",
    // The share of the shorter text's runs of words that the other has.
    "contained",
    // The excess of the nearest comment's cosine over that of the case's text.
    "said",
];
/// The number of relevance features.
pub const COUNT: usize = NAMES.len();

/// A solved case that may help.
#[derive(Clone, Debug)]
pub struct RelevantCase {
    /// The scored match of the query and the case.
    pub candidate: Match,
    /// The relevance features.
    pub numbers: [f32; COUNT],
    /// The probability that it helps, 0..1.
    pub relevance: f32,
    /// True if the query is in the casebook's domain, judged by this case.
    pub in_domain: bool,
}

impl RelevantCase {
    /// Returns the share of the query words' information that the case has, 0..1.
    pub fn words(&self) -> f32 {
        NAMES.iter().position(|n| *n == "words").map_or(0.0, |i| self.numbers[i])
    }
}

#[derive(Deserialize)]
struct File {
    with_meaning: RelevanceFile,
    words_alone: RelevanceFile,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RelevanceFile {
    home: LogisticFile,
    helps: LogisticFile,
}

/// The models of the probability that the query is in the domain, and that a case helps.
struct RelevanceModel {
    domain: Logistic<COUNT>,
    relevance: Logistic<COUNT>,
}

impl RelevanceModel {
    fn parse(file: &RelevanceFile) -> std::result::Result<Self, String> {
        let index_of = |name: &str| NAMES.iter().position(|n| *n == name);
        let parse = |file| Logistic::parse(file, index_of);
        Ok(Self { domain: parse(&file.home)?, relevance: parse(&file.helps)? })
    }
}

/// The models with vectors, and without.
#[allow(clippy::expect_used, reason = "a test parses the embedded models")]
static MODELS: LazyLock<[RelevanceModel; 2]> = LazyLock::new(|| {
    let File { with_meaning, words_alone } =
        serde_json::from_str(BUILT_IN).expect("the built-in models are valid");
    [with_meaning, words_alone]
        .map(|file| RelevanceModel::parse(&file).expect("the built-in models are valid"))
});

/// Returns the resolved matches of a question, including those of the other document kind, with
/// their relevance, best first.
pub(crate) fn relevant_cases(
    finder: &MatchFinder<'_>,
    domain: &DomainModel,
    answer: &QuestionMatches,
    task: &Task,
) -> Result<Vec<RelevantCase>> {
    let question = &answer.question;
    let cases = |matches: Vec<Match>| estimate_relevance(finder, domain, &question.draft, matches);
    let other_kind = match question.kind() {
        DocKind::PullRequest => DocKind::Issue,
        _ => DocKind::PullRequest,
    };
    let scope = question.scope(other_kind, Some(Test::Resolved));
    let other_matches =
        finder.with_calibration(&question.calibration).find(&question.draft, &scope, task)?;
    let (same_kind_cases, other_cases) = (cases(answer.matches.clone())?, cases(other_matches)?);
    // Matches of the other kind are ranked in their own list; relevance merges the two lists.
    let mut ranking: Vec<RelevantCase> =
        Vec::with_capacity(same_kind_cases.len() + other_cases.len());
    let mut other_cases = other_cases.into_iter().peekable();
    for case in same_kind_cases {
        let is_likely = case.candidate.confidence >= LIKELY;
        while let Some(next) =
            other_cases.next_if(|next| !is_likely && next.relevance > case.relevance)
        {
            ranking.push(next);
        }
        ranking.push(case);
    }
    ranking.extend(other_cases);
    Ok(ranking)
}

/// Estimates the relevance of each match in the view.
pub(crate) fn estimate_relevance(
    finder: &MatchFinder<'_>,
    domain: &DomainModel,
    draft: &Draft,
    mut matches: Vec<Match>,
) -> Result<Vec<RelevantCase>> {
    matches.retain(|m| m.in_view);
    let text = draft.body.whole(&draft.title);
    let domain_score = domain.score(finder.fulltext, &text)?;
    let is_generic = draft.is_generic_question();
    let mut nearest: Vec<f32> =
        matches.iter().map(|m| m.features.get("text_mean_cosine")).collect();
    nearest.sort_by(|a, b| b.total_cmp(a));
    nearest.truncate(NEAREST);
    let mean_cosine = nearest.iter().sum::<f32>() / nearest.len().max(1) as f32;
    let query_documents = match draft.document {
        None => find_query_documents(finder, &text, &matches)?,
        Some(_) => BTreeSet::new(),
    };
    let [with_vectors, words_only] = &*MODELS;
    let has_vectors = matches.iter().any(|m| m.cosine.is_some());
    let model = if has_vectors { with_vectors } else { words_only };
    let cases = matches.into_iter().map(|m| {
        let numbers = numbers(&m, &domain_score, mean_cosine);
        let overlap = m.overlap.as_ref();
        let has_rare_signature = overlap.is_some_and(|o| o.rare_signature);
        let rare_floor = if has_rare_signature { RARE_FLOOR } else { 0.0 };
        let duplicate_floor =
            if m.confidence >= LIKELY { DUPLICATE_FLOOR * m.confidence } else { 0.0 };
        let language_floor = m.cross_language_worth.unwrap_or_default();
        let named_floor = if query_documents.contains(&m.document) { NAMED_FLOOR } else { 0.0 };
        let has_other_failure =
            overlap.is_some_and(|o| o.failure == FailureMatch::Different) && m.confidence < LIKELY;
        let ceiling = match has_other_failure {
            true => OTHER_FAILURE_CEILING,
            false if is_generic => GENERIC_CEILING,
            false => 1.0,
        };
        let relevance = model
            .relevance
            .probability(&numbers)
            .max(rare_floor)
            .max(duplicate_floor)
            .max(named_floor)
            .max(language_floor)
            .min(ceiling);
        let min_relevance =
            if domain.is_small() && has_vectors { MIN_RELEVANCE_SMALL } else { MIN_RELEVANCE };
        let in_domain = has_rare_signature
            || named_floor > 0.0
            || relevance >= min_relevance
            || model.domain.probability(&numbers) >= MIN_DOMAIN_PROBABILITY;
        RelevantCase { candidate: m, numbers, relevance, in_domain }
    });
    Ok(cases.collect())
}

/// Returns the first candidates that contain the whole query, if it is only a code or name found in
/// few documents.
fn find_query_documents(
    finder: &MatchFinder<'_>,
    text: &str,
    candidates: &[Match],
) -> Result<BTreeSet<i64>> {
    let mut ids = BTreeSet::new();
    let terms = report::terms(text);
    let is_code = |word: &str| {
        word.chars().any(|c| c.is_ascii_digit() || "._/:".contains(c))
            || word.chars().skip(1).any(char::is_uppercase)
    };
    if terms.is_empty()
        || terms.len() > MAX_NAMED_WORDS
        || text.trim().contains('\n')
        || !(terms.len() == 1 || text.split_whitespace().any(is_code))
    {
        return Ok(ids);
    }
    let unseen_idf = domain::unseen_word_idf(finder.fulltext.count()?);
    let is_rare = |idf: f32| {
        let idf = f64::from(idf);
        idf < unseen_idf - 1e-3 && idf >= unseen_idf - (2.0 * MAX_NAMED_DOCUMENTS + 1.0).ln() - 1e-3
    };
    if !finder.fulltext.idf(&terms)?.into_iter().any(is_rare) {
        return Ok(ids);
    }
    finder.store.read(|r| {
        for candidate in candidates.iter().take(MAX_NAMED_CASES) {
            let Some(row) = r.document(candidate.document)? else { continue };
            let mut text = format!("{}\n{}", row.title, row.body);
            for comment in r.comments(&row)? {
                text.push('\n');
                text.push_str(&comment.body);
            }
            let case_terms: HashSet<String> = report::terms(&text).into_iter().collect();
            if terms.iter().all(|term| case_terms.contains(term)) {
                ids.insert(candidate.document);
            }
        }
        Ok(ids)
    })
}

/// Returns an overlap measure by its name, or 0 without an overlap.
fn overlap_measure(candidate: &Match, name: &str) -> f32 {
    let i = text_overlap::NAMES.iter().position(|n| *n == name);
    candidate.overlap.as_ref().zip(i).map_or(0.0, |(overlap, i)| overlap.numbers[i])
}

fn numbers(candidate: &Match, domain_score: &DomainScore, mean_cosine: f32) -> [f32; COUNT] {
    let worth = candidate.worth.clamp(1e-4, 1.0 - 1e-4);
    [
        (worth / (1.0 - worth)).ln(),
        candidate.features.get("text_mean_cosine"),
        mean_cosine,
        candidate.features.get("words") * (1.0 - domain_score.unknown_information),
        domain_score.ood_score,
        domain_score.unknown,
        overlap_measure(candidate, "rarest"),
        overlap_measure(candidate, "contained"),
        candidate.features.get("comment_text_cosine"),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_models_use_known_features() {
        let file: File = serde_json::from_str(BUILT_IN).unwrap();
        for model in
            [&file.with_meaning, &file.words_alone].into_iter().flat_map(|b| [&b.home, &b.helps])
        {
            assert!(model.weights.len() > 1);
            for name in model.weights.keys() {
                assert!(NAMES.contains(&name.as_str()), "{name}");
            }
        }
    }
}
