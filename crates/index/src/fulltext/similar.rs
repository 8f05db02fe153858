//! Retrieval of similar reports: candidates by words, and the overlap of each one by field.
//!
//! A pasted report is a long query. Each word counts once, because repetition is weak evidence.
//! Title words weigh more, and rare words weigh more than their inverse document frequency.
//! Candidates come from one flat disjunction of the heaviest words; the overlap of each candidate
//! with the whole report is then computed from the postings alone.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
};

use tantivy::{Searcher, Term, schema::Field};

use super::{
    FullText, Words,
    overlap::{MAX_WORDS, Overlap, ReportTerms, TermWeights},
    query::{
        CODE_WEIGHT, COMMENTS_WEIGHT, IDENTIFIER_WEIGHT, TITLE_WEIGHT, document_count, frequency,
        idf,
    },
    wand::Disjunction,
};
use crate::filter::Filter;
use precedent_core::error::Result;
use precedent_text::{
    report::{self, Report},
    tokens,
};

/// The weight of a word of the report's title, relative to one of its body.
const TITLE_FACTOR: f32 = 3.0;
const IDF_EXPONENT: f32 = 1.5;
/// The weight of a word in a comment, relative to one of the document's own text: a thread covers
/// many topics.
const COMMENT_WEIGHT: f32 = 0.3;
/// The weight of the share of query words that a document contains in any field: all words in the
/// text should outweigh one in the title.
const COVERAGE_WEIGHT: f32 = 0.5;
/// The weight of a query's whole identifier, relative to a word's.
const IDENTIFIER_FACTOR: f32 = 0.25;
const MAX_CODE: usize = 24;
const MAX_IDENTIFIERS: usize = 32;
/// The number of words that retrieve candidates.
const MAX_QUERY_WORDS: usize = 40;

/// A matcher of a report's words in a document's comments.
#[derive(Clone, Debug)]
pub struct CommentMatcher<'a> {
    words: &'a [(String, f32)],
    /// Index of each word, by its hash.
    indices: HashMap<u64, usize>,
    total_weight: f32,
}

impl<'a> CommentMatcher<'a> {
    /// Returns the report's words that one of these texts contains and the document itself does
    /// not, heaviest first, and their share of the weight of all words, 0..1. Texts are given by
    /// their [`term_hashes`].
    pub fn new_words<'t>(
        &self,
        overlap: &Overlap,
        texts: impl Iterator<Item = &'t [u64]>,
    ) -> (f32, Vec<&'a str>) {
        let (mut word_set, mut indices) = (overlap.word_set, Vec::new());
        for term in texts.flatten() {
            if let Some(index) = self.indices.get(term)
                && !word_set.contains(*index)
            {
                word_set.insert(*index);
                indices.push(*index);
            }
        }
        indices.sort_unstable();
        let weight: f32 = indices.iter().map(|index| self.words[*index].1).sum();
        let share = weight / self.total_weight.max(f32::MIN_POSITIVE);
        (share, indices.into_iter().map(|index| self.words[index].0.as_str()).collect())
    }
}

/// Returns the hashes of a text's distinct terms, the input of [`CommentMatcher::new_words`].
pub fn term_hashes(text: &str) -> Vec<u64> {
    let mut hashes: Vec<u64> = tokens::forms(text).iter().map(|word| hash(&word.term)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn hash(term: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(term)
}

/// A comparison of a report's title with other titles.
#[derive(Clone, Debug)]
pub struct TitleMatcher<'a> {
    /// Indices of the title's terms among the report's words; `None` if no document contains one of
    /// them.
    indices: Option<Vec<usize>>,
    /// All terms of the report.
    terms: HashSet<&'a str>,
}

impl TitleMatcher<'_> {
    /// Returns whether each report contains every word of the other's title, so that neither title
    /// is specific. Titles of one word do not count.
    pub fn has_generic_titles(&self, overlap: &Overlap, title: &str) -> bool {
        let other_terms = report::terms(title);
        let Some(indices) = &self.indices else { return false };
        other_terms.len() > 1
            && indices.len() > 1
            && other_terms.iter().all(|term| self.terms.contains(term.as_str()))
            && indices.iter().all(|index| overlap.word_set.contains(*index))
    }
}

impl ReportTerms {
    /// Returns a matcher for the title of this report.
    pub fn title_matcher<'a>(&self, report: &'a Report) -> TitleMatcher<'a> {
        let index = |term: &String| self.words.iter().position(|(word, _)| word == term);
        let texts = [&report.title_terms, &report.body_terms, &report.code_terms];
        TitleMatcher {
            indices: report.title_terms.iter().map(index).collect(),
            terms: texts.into_iter().flatten().map(String::as_str).collect(),
        }
    }

    /// Returns a matcher for the words of this report.
    pub fn comment_matcher(&self) -> CommentMatcher<'_> {
        CommentMatcher {
            words: &self.words,
            indices: self.words.iter().enumerate().map(|(i, (term, _))| (hash(term), i)).collect(),
            total_weight: self.words.iter().map(|(_, weight)| weight).sum(),
        }
    }
}

impl FullText {
    /// Computes the weights of a report's terms.
    pub fn report_terms(&self, report: &Report) -> Result<ReportTerms> {
        let searcher = self.searcher()?;
        let f = &self.fields;
        let texts = [f.title, f.body, f.code];
        let unknown_idf = idf(document_count(&searcher), 0).powf(IDF_EXPONENT);
        let weigh = |terms: &[String], fields: &[Field], max_terms: usize| -> Result<TermWeights> {
            let mut weights = idf_weights(&searcher, terms, fields)?;
            keep_heaviest(&mut weights, max_terms);
            Ok(weights)
        };
        let title = weigh(&report.title_terms, &texts, usize::MAX)?;
        let body = weigh(&report.body_terms, &texts, usize::MAX)?;
        let code = weigh(&report.code_terms, &texts, usize::MAX)?;
        let mut words: TermWeights = title
            .iter()
            .map(|(t, idf)| (t.clone(), TITLE_FACTOR * idf.powf(IDF_EXPONENT)))
            .collect();
        let mut distinct_terms: HashSet<&str> = title.iter().map(|(t, _)| t.as_str()).collect();
        let all_terms =
            report.title_terms.iter().chain(&report.body_terms).chain(&report.code_terms);
        let term_count = all_terms.collect::<HashSet<_>>().len();
        for (term, idf) in body.iter().chain(&code) {
            if distinct_terms.insert(term) {
                words.push((term.clone(), idf.powf(IDF_EXPONENT)));
            }
        }
        let unknown_weight = unknown_idf * term_count.saturating_sub(words.len()) as f32;
        keep_heaviest(&mut words, MAX_WORDS);
        let truncate = |mut terms: TermWeights, max_terms| {
            keep_heaviest(&mut terms, max_terms);
            terms
        };
        Ok(ReportTerms {
            words,
            unknown_weight,
            title,
            body: truncate(body, MAX_WORDS),
            code: truncate(code, MAX_CODE),
            identifiers: weigh(&report.identifiers, &[f.identifiers], MAX_IDENTIFIERS)?,
            signatures: weigh(
                &report.signatures,
                &[f.signatures, f.comment_signatures],
                usize::MAX,
            )?,
        })
    }

    /// Returns the documents that share most words with a report, best first; ties by id.
    pub fn similar_documents(
        &self,
        terms: &ReportTerms,
        filters: &[Filter],
        limit: usize,
    ) -> Result<Vec<(i64, f32)>> {
        self.candidates(terms, filters, limit, false)
    }

    /// Returns the documents that share most words with a report in their own text or comments, and
    /// the `extra_ids` documents. Scores are shares of the maximum overlap, about 0..1; best first,
    /// ties by id.
    pub fn search_by_report(
        &self,
        report: &Report,
        filters: &[Filter],
        limit: usize,
        extra_ids: &[i64],
    ) -> Result<Vec<(i64, f32)>> {
        let terms = self.report_terms(report)?;
        let hits = self.candidates(&terms, filters, limit, true)?;
        let ids = hits.into_iter().map(|(id, _)| id).chain(extra_ids.iter().copied());
        let score = |overlap: &Overlap, comments: f32| overlap.words + COMMENT_WEIGHT * comments;
        let mut scores = self.score_overlaps(&terms, ids.collect(), score)?;
        scores.retain(|(_, share)| *share > 0.0);
        Ok(scores)
    }

    /// Scores query words in the `matches` and the `extra` documents; best first, ties by id. A
    /// score, about 0..1.5, is the BM25F share of the maximum plus a weighted share of the words
    /// that occur. Extra documents without any of the words are dropped.
    pub fn score_words(
        &self,
        words: &Words,
        matches: &[(i64, f32)],
        extra_ids: &[i64],
    ) -> Result<Vec<(i64, f32)>> {
        let searcher = self.searcher()?;
        let f = &self.fields;
        let query_terms = distinct(words.terms.iter().chain(words.phrases.iter().flatten()));
        let text_fields = [f.title, f.body, f.comments, f.code];
        let identifiers = distinct(words.identifiers.iter());
        let terms = ReportTerms {
            words: idf_weights(&searcher, query_terms, &text_fields)?,
            identifiers: idf_weights(&searcher, identifiers, &[f.identifiers])?,
            ..ReportTerms::default()
        };
        let sum = |weights: &TermWeights| weights.iter().map(|(_, weight)| weight).sum::<f32>();
        let (word_weight, identifier_weight) =
            (sum(&terms.words), IDENTIFIER_FACTOR * sum(&terms.identifiers));
        let total = (word_weight + identifier_weight).max(f32::MIN_POSITIVE);
        let match_ids: HashSet<i64> = matches.iter().map(|(id, _)| *id).collect();
        let ids = match_ids.iter().chain(extra_ids).copied().collect();
        let score = |overlap: &Overlap, comments: f32| {
            let present_words = terms
                .words
                .iter()
                .enumerate()
                .filter(|(index, _)| overlap.word_set.contains(*index));
            let coverage: f32 = present_words.map(|(_, (_, weight))| weight).sum();
            let share = word_weight * (overlap.words + COMMENT_WEIGHT * comments)
                + COVERAGE_WEIGHT * coverage;
            (share + identifier_weight * overlap.identifiers) / total
        };
        let mut scores = self.score_overlaps(&terms, ids, score)?;
        scores.retain(|(id, share)| *share > 0.0 || match_ids.contains(id));
        Ok(scores)
    }

    /// Scores documents by their overlap and the share of the words in their comments; best first,
    /// ties by id.
    fn score_overlaps(
        &self,
        terms: &ReportTerms,
        mut ids: Vec<i64>,
        score: impl Fn(&Overlap, f32) -> f32,
    ) -> Result<Vec<(i64, f32)>> {
        ids.sort_unstable();
        ids.dedup();
        let (overlaps, shares) = self.overlaps_with_comments(terms, &ids)?;
        let scores = overlaps.iter().zip(shares).map(|(overlap, comments)| {
            // The last bits depend on the index's layout on disk, so round them.
            (score(overlap, comments) * 4096.0).round() / 4096.0
        });
        let mut scores: Vec<(i64, f32)> = ids.into_iter().zip(scores).collect();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(scores)
    }

    fn candidates(
        &self,
        terms: &ReportTerms,
        filters: &[Filter],
        limit: usize,
        include_comments: bool,
    ) -> Result<Vec<(i64, f32)>> {
        let f = &self.fields;
        let mut groups: Vec<Vec<(Term, f32)>> = Vec::new();
        let mut add = |field, term: &str, weight: f32| {
            groups.push(vec![(Term::from_field_text(field, term), weight)])
        };
        for (term, weight) in terms.words.iter().take(MAX_QUERY_WORDS) {
            // BM25 multiplies by the rarity again, so take the square root.
            let weight = weight.sqrt();
            add(f.title, term, TITLE_WEIGHT / 2.0 * weight);
            add(f.body, term, weight);
            add(f.code, term, CODE_WEIGHT * weight);
            if include_comments {
                add(f.comments, term, COMMENTS_WEIGHT * weight);
            }
        }
        for (identifier, _) in &terms.identifiers {
            add(f.identifiers, identifier, IDENTIFIER_WEIGHT / 2.0);
        }
        for (signature, _) in &terms.signatures {
            add(f.signatures, signature, 2.0);
            add(f.comment_signatures, signature, 2.0);
        }
        let searcher = self.searcher()?;
        self.top_of_disjunction(&searcher, &Disjunction { groups, min_groups: 1 }, filters, limit)
    }
}

fn distinct<'t>(terms: impl Iterator<Item = &'t String>) -> impl Iterator<Item = &'t String> {
    let mut known_terms = HashSet::new();
    terms.filter(move |term| known_terms.insert(*term))
}

/// Returns the inverse document frequencies of terms. Leaves out terms that no document contains,
/// because they retrieve nothing.
fn idf_weights<'t>(
    searcher: &Searcher,
    terms: impl IntoIterator<Item = &'t String>,
    fields: &[Field],
) -> Result<TermWeights> {
    let documents = document_count(searcher);
    let mut weights = TermWeights::new();
    for term in terms {
        let n = frequency(searcher, fields, term)?;
        if n > 0 {
            weights.push((term.clone(), idf(documents, n)));
        }
    }
    Ok(weights)
}

/// Keeps the heaviest terms, in order; ties by term.
fn keep_heaviest(weights: &mut TermWeights, max_terms: usize) {
    weights.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    weights.truncate(max_terms);
}

#[cfg(test)]
mod tests {
    use tantivy::TantivyDocument;

    use super::*;
    use precedent_text::{prepare::PreparedText, skeleton::Skeleton};

    /// Creates an index of documents, each a title, a body and comments; their ids are their
    /// indices.
    fn index(documents: &[(&str, &str, &str)]) -> FullText {
        let fulltext = FullText::in_memory().unwrap();
        let f = fulltext.fields;
        let mut writer =
            fulltext.index.writer_with_num_threads::<TantivyDocument>(1, 15_000_000).unwrap();
        for (id, (title, body, comments)) in (0..).zip(documents) {
            let mut d = TantivyDocument::default();
            d.add_u64(f.id, id);
            d.add_text(f.title, title);
            d.add_text(f.body, body);
            d.add_text(f.comments, comments);
            d.add_text(f.identifiers, format!("{title} {body}"));
            writer.add_document(d).unwrap();
        }
        writer.commit().unwrap();
        fulltext
    }

    fn search_ids(fulltext: &FullText, text: &str, extra_ids: &[i64]) -> Vec<i64> {
        let words = Words {
            terms: report::terms(text),
            identifiers: precedent_text::tokens::identifiers(text)
                .map(|(_, identifier)| identifier)
                .collect(),
            ..Words::default()
        };
        let matches = fulltext.search(&words, &[], 10).unwrap();
        fulltext
            .score_words(&words, &matches, extra_ids)
            .unwrap()
            .into_iter()
            .map(|(id, _)| id)
            .collect()
    }

    #[test]
    fn query_words_are_scored_in_every_field() {
        let fulltext = index(&[
            ("Console", "It shows the valve.", "Only the pump is meant, says grace."),
            ("Valve of the pump leaks", "Water everywhere.", ""),
            ("Console", "It is blue.", ""),
        ]);
        // A title counts more than a body; an extra document without the words is left out.
        assert_eq!(search_ids(&fulltext, "pump valve", &[0, 1, 2]), [1, 0]);
        assert_eq!(search_ids(&fulltext, "grace", &[]), [0]);
    }

    #[test]
    fn deleted_documents_keep_overlaps_finite() {
        let fulltext = index(&[("Pump leaks", "The pump_valve() leaks.", ""); 4]);
        let f = fulltext.fields;
        let mut writer =
            fulltext.index.writer_with_num_threads::<TantivyDocument>(1, 15_000_000).unwrap();
        writer.set_merge_policy(Box::new(tantivy::merge_policy::NoMergePolicy));
        for id in 0..3 {
            writer.delete_term(Term::from_field_u64(f.id, id));
        }
        writer.commit().unwrap();
        let searcher = fulltext.searcher().unwrap();
        assert!(frequency(&searcher, &[f.title], "pump").unwrap() > searcher.num_docs());

        let body = PreparedText::body("The pump_valve() leaks.", &Skeleton::default());
        let terms = fulltext.report_terms(&Report::new("Pump leaks", &body)).unwrap();
        let overlap = &fulltext.overlaps(&terms, &[3]).unwrap()[0];
        for share in [overlap.words, overlap.title_title, overlap.body_title, overlap.identifiers] {
            assert!(share > 0.5 && share < 2.5, "{overlap:?}");
        }
        assert!(fulltext.idf(&["pump".to_owned()]).unwrap()[0] > 0.0);
    }

    #[test]
    fn whole_identifier_ranks_first() {
        let fulltext = index(&[
            ("No more of this", "The color is odd on a terminal, with no reason.", ""),
            ("No more of that", "The --no-color flag does it on a terminal.", ""),
        ]);
        assert_eq!(search_ids(&fulltext, "--no-color", &[]).first(), Some(&1));
    }

    #[test]
    fn unknown_words_do_not_lower_scores() {
        let fulltext = index(&[("Pump leaks", "Water.", ""), ("Water", "A pump.", "")]);
        assert_eq!(search_ids(&fulltext, "pump zanzibar", &[]), [0, 1]);
        assert_eq!(search_ids(&fulltext, "zanzibar", &[0]), [0_i64; 0]);
    }
}
