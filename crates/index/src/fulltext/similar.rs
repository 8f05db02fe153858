//! Retrieval of reports similar to a report: candidates by words, and the overlap of each one,
//! field by field.
//!
//! A pasted report is a long query. Its words are binary (repetition by the reporter is weak
//! evidence), words of its title have a higher weight, and rare words a higher one than their
//! inverse document frequency. Candidates come from one flat disjunction of the heaviest words; the
//! overlap of each candidate with the whole report is then computed from the postings alone.

use std::{
    collections::{HashMap, HashSet},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
};

use tantivy::{Term, schema::Field};

use super::{
    FullText, Words,
    overlap::{MAX_WORDS, Overlap, ReportTerms, Weighed},
    query::{CODE, COMMENTS, IDENTIFIER, TITLE, counted, frequency, idf},
    wand::Disjunction,
};
use crate::filter::Filter;
use precedent_core::error::Result;
use precedent_text::{
    report::{self, Report},
    tokens,
};

/// The weight of a word of the report's title, relative to one of its body.
const TITLE_QUERY: f32 = 3.0;
/// The exponent of the inverse document frequency.
const RARITY: f32 = 1.5;
/// The weight of a word in a comment, relative to one of the document's own: a thread covers many
/// topics.
const SAID: f32 = 0.3;
/// The weight of the share of query words that a document contains, apart from their frequency and
/// field: one of them in a title is less than all of them in the text.
const COVERED: f32 = 0.5;
/// The weight of a query's whole identifier, relative to a word.
const WHOLE: f32 = 0.25;
const MAX_CODE: usize = 24;
const MAX_IDENTIFIERS: usize = 32;
/// The number of words that retrieve candidates.
const MAX_QUERY: usize = 40;

/// A matcher of a report's words in the comments of a document.
#[derive(Clone, Debug)]
pub struct CommentMatcher<'a> {
    words: &'a [(String, f32)],
    /// Index of each word, by its hash.
    places: HashMap<u64, usize>,
    all: f32,
}

impl<'a> CommentMatcher<'a> {
    /// Returns the report's words that one of these texts contains and the document itself does
    /// not, heaviest first, and their share of the weight of all its words, 0..1. Texts are given
    /// by their [`hashes`].
    pub fn anew<'t>(&self, own: &Overlap, texts: impl Iterator<Item = &'t [u64]>) -> (f32, Vec<&'a str>) {
        let (mut seen, mut found) = (own.held, Vec::new());
        for term in texts.flatten() {
            if let Some(place) = self.places.get(term)
                && !seen.contains(*place)
            {
                seen.insert(*place);
                found.push(*place);
            }
        }
        found.sort_unstable();
        let weight: f32 = found.iter().map(|place| self.words[*place].1).sum();
        let share = weight / self.all.max(f32::MIN_POSITIVE);
        (share, found.into_iter().map(|place| self.words[place].0.as_str()).collect())
    }
}

/// Returns the hashes of a text's distinct terms, the input of [`CommentMatcher::anew`].
pub fn hashes(text: &str) -> Vec<u64> {
    let mut hashes: Vec<u64> = tokens::forms(text).iter().map(|word| hash(&word.term)).collect();
    hashes.sort_unstable();
    hashes.dedup();
    hashes
}

fn hash(term: &str) -> u64 {
    BuildHasherDefault::<DefaultHasher>::default().hash_one(term)
}

/// A matcher of a report's title with other titles.
#[derive(Clone, Debug)]
pub struct Headline<'a> {
    /// Indices of the title's terms among the report's words; `None` if no document can contain all
    /// of them.
    places: Option<Vec<usize>>,
    /// Terms of the whole report, with or without a weight.
    all: HashSet<&'a str>,
}

impl Headline<'_> {
    /// Returns whether each of the two reports contains every word of the other's title, so that
    /// neither title names anything specific. Titles of one word are too short for that.
    pub fn same(&self, own: &Overlap, title: &str) -> bool {
        let theirs = report::terms(title);
        let Some(ours) = &self.places else { return false };
        theirs.len() > 1
            && ours.len() > 1
            && theirs.iter().all(|term| self.all.contains(term.as_str()))
            && ours.iter().all(|place| own.held.contains(*place))
    }
}

impl ReportTerms {
    /// Returns a matcher of the title of this report with other titles.
    pub fn headline<'a>(&self, report: &'a Report) -> Headline<'a> {
        let place = |term: &String| self.words.iter().position(|(word, _)| word == term);
        let all = [&report.title_terms, &report.body_terms, &report.code_terms];
        Headline {
            places: report.title_terms.iter().map(place).collect(),
            all: all.into_iter().flatten().map(String::as_str).collect(),
        }
    }

    /// Returns a matcher of the report's words in comments.
    pub fn said(&self) -> CommentMatcher<'_> {
        CommentMatcher {
            words: &self.words,
            places: self.words.iter().enumerate().map(|(i, (term, _))| (hash(term), i)).collect(),
            all: self.words.iter().map(|(_, weight)| weight).sum(),
        }
    }
}

impl FullText {
    /// Computes the weights of a report's terms.
    ///
    /// # Errors
    /// [`precedent_core::Code::Corrupt`] if the index cannot be read.
    pub fn report_terms(&self, report: &Report) -> Result<ReportTerms> {
        let searcher = self.searcher()?;
        let f = &self.fields;
        let documents = counted(&searcher);
        let texts = [f.title, f.body, f.code];
        let weigh = |terms: &[String], fields: &[Field], most: usize| -> Result<Weighed> {
            let mut weighed = Vec::with_capacity(terms.len());
            for term in terms {
                let n = frequency(&searcher, fields, term)?;
                // A term that no document contains retrieves nothing.
                if n > 0 {
                    weighed.push((term.clone(), idf(documents, n)));
                }
            }
            heaviest(&mut weighed, most);
            Ok(weighed)
        };
        let title = weigh(&report.title_terms, &texts, usize::MAX)?;
        let body = weigh(&report.body_terms, &texts, usize::MAX)?;
        let code = weigh(&report.code_terms, &texts, usize::MAX)?;
        let mut words: Weighed =
            title.iter().map(|(t, idf)| (t.clone(), TITLE_QUERY * idf.powf(RARITY))).collect();
        let mut seen: HashSet<&str> = title.iter().map(|(t, _)| t.as_str()).collect();
        for (term, idf) in body.iter().chain(&code) {
            if seen.insert(term) {
                words.push((term.clone(), idf.powf(RARITY)));
            }
        }
        heaviest(&mut words, MAX_WORDS);
        let only = |mut terms: Weighed, most| {
            heaviest(&mut terms, most);
            terms
        };
        Ok(ReportTerms {
            words,
            title,
            body: only(body, MAX_WORDS),
            code: only(code, MAX_CODE),
            identifiers: weigh(&report.identifiers, &[f.identifiers], MAX_IDENTIFIERS)?,
            signatures: weigh(&report.signatures, &[f.signatures, f.said_signatures], usize::MAX)?,
        })
    }

    /// Returns the documents that share most words with a report, best first; ties by id.
    ///
    /// # Errors
    /// [`precedent_core::Code::Corrupt`] if the index cannot be read.
    pub fn similar(&self, terms: &ReportTerms, filters: &[Filter], limit: usize) -> Result<Vec<(i64, f32)>> {
        self.candidates(terms, filters, limit, false)
    }

    /// Returns the documents whose own words, or whose comments, share most with a report: a search
    /// with a whole text. Scores are shares of the maximum overlap, about 0..1; best first, ties by
    /// id. The documents `also` are scored with them.
    ///
    /// # Errors
    /// [`precedent_core::Code::Corrupt`] if the index cannot be read.
    pub fn like(
        &self,
        report: &Report,
        filters: &[Filter],
        limit: usize,
        also: &[i64],
    ) -> Result<Vec<(i64, f32)>> {
        let terms = self.report_terms(report)?;
        let found = self.candidates(&terms, filters, limit, true)?;
        let mut ids: Vec<i64> = found.into_iter().map(|(id, _)| id).chain(also.iter().copied()).collect();
        ids.sort_unstable();
        ids.dedup();
        let (own, said) = self.own_and_said(&terms, &ids)?;
        let score = |own: &Overlap, said: f32| rounded(own.words + SAID * said);
        let mut scored: Vec<(i64, f32)> = ids
            .into_iter()
            .zip(own.iter().zip(said))
            .map(|(id, (own, said))| (id, score(own, said)))
            .collect();
        scored.retain(|(_, share)| *share > 0.0);
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(scored)
    }

    /// Scores query words in the documents that they found, and in others. A score, about 0..1.5,
    /// is the BM25F share of the maximum, and the share of words that occur; best first, ties by
    /// id. The others are kept only if they contain any of the words.
    ///
    /// # Errors
    /// [`precedent_core::Code::Corrupt`] if the index cannot be read.
    pub fn weighed(&self, words: &Words, found: &[(i64, f32)], others: &[i64]) -> Result<Vec<(i64, f32)>> {
        let searcher = self.searcher()?;
        let documents = counted(&searcher);
        let f = &self.fields;
        let weigh = |terms: &mut dyn Iterator<Item = &String>, fields: &[Field]| -> Result<Weighed> {
            let mut weighed = Weighed::new();
            for term in terms {
                let n = frequency(&searcher, fields, term)?;
                if n > 0 && weighed.iter().all(|(known, _)| known != term) {
                    weighed.push((term.clone(), idf(documents, n)));
                }
            }
            Ok(weighed)
        };
        let mut typed = words.terms.iter().chain(words.phrases.iter().flatten());
        let terms = ReportTerms {
            words: weigh(&mut typed, &[f.title, f.body, f.comments, f.code])?,
            identifiers: weigh(&mut words.identifiers.iter(), &[f.identifiers])?,
            ..ReportTerms::default()
        };
        let all = |weighed: &Weighed| weighed.iter().map(|(_, weight)| weight).sum::<f32>();
        let (of_words, of_identifiers) = (all(&terms.words), WHOLE * all(&terms.identifiers));
        let every = (of_words + of_identifiers).max(f32::MIN_POSITIVE);
        let mut ids: Vec<i64> = found.iter().map(|(id, _)| *id).collect();
        let wanted: HashSet<i64> = ids.iter().copied().collect();
        ids.extend(others);
        ids.sort_unstable();
        ids.dedup();
        let (own, said) = self.own_and_said(&terms, &ids)?;
        let share = |own: &Overlap, said: f32| {
            let held = terms.words.iter().enumerate().filter(|(place, _)| own.has(*place));
            let covered: f32 = held.map(|(_, (_, weight))| weight).sum();
            let share = of_words * (own.words + SAID * said) + COVERED * covered;
            rounded((share + of_identifiers * own.identifiers) / every)
        };
        let mut scored: Vec<(i64, f32)> = ids
            .into_iter()
            .zip(own.iter().zip(said))
            .map(|(id, (own, said))| (id, share(own, said)))
            .filter(|(id, share)| *share > 0.0 || wanted.contains(id))
            .collect();
        scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(scored)
    }

    fn candidates(
        &self,
        terms: &ReportTerms,
        filters: &[Filter],
        limit: usize,
        comments: bool,
    ) -> Result<Vec<(i64, f32)>> {
        let f = &self.fields;
        let mut groups: Vec<Vec<(Term, f32)>> = Vec::new();
        let mut add =
            |field, term: &str, weight: f32| groups.push(vec![(Term::from_field_text(field, term), weight)]);
        for (term, weight) in terms.words.iter().take(MAX_QUERY) {
            // BM25 multiplies the rarity in again, so its square root compensates for that.
            let weight = weight.sqrt();
            add(f.title, term, TITLE / 2.0 * weight);
            add(f.body, term, weight);
            add(f.code, term, CODE * weight);
            if comments {
                add(f.comments, term, COMMENTS * weight);
            }
        }
        for (whole, _) in &terms.identifiers {
            add(f.identifiers, whole, IDENTIFIER / 2.0);
        }
        for (signature, _) in &terms.signatures {
            add(f.signatures, signature, 2.0);
            add(f.said_signatures, signature, 2.0);
        }
        let searcher = self.searcher()?;
        self.top_of(&searcher, &Disjunction { groups, needed: 1 }, filters, limit)
    }
}

/// Rounds a share as `top` does, because its last bits depend on the index's layout on disk.
fn rounded(share: f32) -> f32 {
    (share * 4096.0).round() / 4096.0
}

/// Keeps the heaviest terms, in order; ties by term.
fn heaviest(weighed: &mut Weighed, most: usize) {
    weighed.sort_by(|a, b| b.1.total_cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
    weighed.truncate(most);
}

#[cfg(test)]
mod tests {
    use tantivy::TantivyDocument;

    use super::*;
    use precedent_text::{prepare::Prepared, skeleton::Skeleton};

    /// Creates an index of documents, each a title, a body and comments; their ids are their
    /// indices.
    fn index(documents: &[(&str, &str, &str)]) -> FullText {
        let fulltext = FullText::in_memory().unwrap();
        let f = fulltext.fields;
        let mut writer = fulltext.index.writer_with_num_threads::<TantivyDocument>(1, 15_000_000).unwrap();
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

    fn typed(fulltext: &FullText, text: &str, others: &[i64]) -> Vec<i64> {
        let words = Words {
            terms: report::terms(text),
            identifiers: precedent_text::tokens::identifiers(text).map(|(_, whole)| whole).collect(),
            ..Words::default()
        };
        let found = fulltext.search(&words, &[], 10).unwrap();
        fulltext.weighed(&words, &found, others).unwrap().into_iter().map(|(id, _)| id).collect()
    }

    #[test]
    fn typed_words_are_weighed_wherever_they_stand() {
        let fulltext = index(&[
            ("Console", "It shows the valve.", "Only the pump is meant, says grace."),
            ("Valve of the pump leaks", "Water everywhere.", ""),
            ("Console", "It is blue.", ""),
        ]);
        // A title counts more than a body; a document of another search without the words stays
        // out.
        assert_eq!(typed(&fulltext, "pump valve", &[0, 1, 2]), [1, 0]);
        // A word in a comment alone is found as well.
        assert_eq!(typed(&fulltext, "grace", &[]), [0]);
    }

    #[test]
    fn evidence_is_a_number_while_documents_that_were_replaced_are_counted() {
        let fulltext = index(&[("Pump leaks", "The pump_valve() leaks.", ""); 4]);
        let f = fulltext.fields;
        let mut writer = fulltext.index.writer_with_num_threads::<TantivyDocument>(1, 15_000_000).unwrap();
        writer.set_merge_policy(Box::new(tantivy::merge_policy::NoMergePolicy));
        for id in 0..3 {
            writer.delete_term(Term::from_field_u64(f.id, id));
        }
        writer.commit().unwrap();
        let searcher = fulltext.searcher().unwrap();
        assert!(frequency(&searcher, &[f.title], "pump").unwrap() > searcher.num_docs());

        let body = Prepared::body("The pump_valve() leaks.", &Skeleton::default());
        let terms = fulltext.report_terms(&Report::new("Pump leaks", &body)).unwrap();
        let shared = &fulltext.overlaps(&terms, &[3]).unwrap()[0];
        for share in [shared.words, shared.title_title, shared.body_title, shared.identifiers] {
            assert!(share > 0.5 && share < 2.5, "{shared:?}");
        }
        assert!(fulltext.idf(&["pump".to_owned()]).unwrap()[0] > 0.0);
    }

    #[test]
    fn an_identifier_that_was_typed_is_better_whole() {
        let fulltext = index(&[
            ("No more of this", "The color is odd on a terminal, with no reason.", ""),
            ("No more of that", "The --no-color flag does it on a terminal.", ""),
        ]);
        assert_eq!(typed(&fulltext, "--no-color", &[]).first(), Some(&1));
    }

    #[test]
    fn what_nobody_wrote_takes_nothing_from_what_is_there() {
        let fulltext = index(&[("Pump leaks", "Water.", ""), ("Water", "A pump.", "")]);
        assert_eq!(typed(&fulltext, "pump zanzibar", &[]), [0, 1]);
        assert_eq!(typed(&fulltext, "zanzibar", &[0]), [0_i64; 0]);
    }
}
