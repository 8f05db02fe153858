//! Retrieval of the best documents of a disjunction without scoring all of them.
//!
//! tantivy prunes only a flat disjunction of terms (block-max WAND; Ding, Suel, "Faster Top-k
//! Document Retrieval Using Block-Max Indexes", SIGIR 2011). The required number of words and the
//! filters are therefore checked only for documents with a sufficient score.

use std::{
    cmp::{Ordering, Reverse},
    collections::BinaryHeap,
};

use tantivy::{
    DocAddress, DocId, DocSet, Score, Searcher, SegmentReader, Term,
    postings::SegmentPostings,
    query::{AllQuery, BooleanQuery, BoostQuery, EnableScoring, Occur, Query, TermQuery},
    schema::IndexRecordOption,
};

use super::FullText;

use crate::filter::Filter;
use precedent_core::error::Result;

/// Filters that match less than one in this many documents drive the search, because few of the
/// best documents would match them.
const NARROW_FILTER: u64 = 16;

/// The maximum number of terms for pruning. With more, keeping the posting lists in order costs
/// more than pruning saves.
const MAX_PRUNED_TERMS: usize = 24;

pub(super) type Clauses = Vec<(Occur, Box<dyn Query>)>;

/// A disjunction of groups of terms; a group is usually one word in several fields.
pub(super) struct Disjunction {
    /// Terms with their weights.
    pub(super) groups: Vec<Vec<(Term, f32)>>,
    /// Minimum number of groups of which a document must contain a term.
    pub(super) min_groups: usize,
}

impl Disjunction {
    /// Returns the query for the documents that contain a term of at least `min_groups` groups.
    pub(super) fn query(&self, min_groups: usize) -> Box<dyn Query> {
        let group = |terms: &Vec<(Term, f32)>| -> (Occur, Box<dyn Query>) {
            let clauses: Clauses = terms.iter().map(clause).collect();
            (Occur::Should, Box::new(BooleanQuery::new(clauses)))
        };
        let groups = self.groups.iter().map(group).collect();
        Box::new(BooleanQuery::with_minimum_required_clauses(groups, min_groups))
    }
}

/// A scored document; ties are ordered by address.
#[derive(PartialEq)]
struct Hit(Score, DocAddress);

impl Eq for Hit {}

impl Ord for Hit {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.total_cmp(&other.0).then_with(|| other.1.cmp(&self.1))
    }
}

impl PartialOrd for Hit {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl FullText {
    /// Returns the best documents with their scores, unordered; `None` if few documents match the
    /// filters, so that starting with the filters is faster.
    pub(super) fn top_by_pruning(
        &self,
        searcher: &Searcher,
        terms: &Disjunction,
        filters: &[Filter],
        limit: usize,
    ) -> Result<Option<Vec<(Score, DocAddress)>>> {
        let mode = EnableScoring::enabled_from_searcher(searcher);
        let clauses: Clauses = terms.groups.iter().flatten().map(clause).collect();
        if clauses.is_empty() {
            return Ok(Some(Vec::new()));
        }
        let is_long = clauses.len() > MAX_PRUNED_TERMS;
        let weight = BooleanQuery::new(clauses).weight(mode)?;
        let filter = match filters {
            [] => None,
            _ => {
                let query = self.with_filters(Box::new(AllQuery), filters);
                Some(query.weight(EnableScoring::disabled_from_searcher(searcher))?)
            }
        };
        let mut scorers = Vec::new();
        if let Some(filter) = &filter {
            let mut match_count = 0;
            for segment in searcher.segment_readers() {
                let scorer = filter.scorer(segment, 1.0)?;
                match_count += u64::from(scorer.size_hint());
                scorers.push(scorer);
            }
            if match_count < searcher.num_docs() / NARROW_FILTER {
                return Ok(None);
            }
        }
        let mut scorers = scorers.into_iter();
        let mut best_hits: BinaryHeap<Reverse<Hit>> = BinaryHeap::with_capacity(limit + 1);
        let threshold = |best_hits: &BinaryHeap<Reverse<Hit>>| match best_hits.peek() {
            Some(Reverse(last)) if best_hits.len() >= limit => last.0,
            _ => Score::MIN,
        };
        for (ord, segment) in (0..).zip(searcher.segment_readers()) {
            let mut scorer = scorers.next();
            let mut groups = GroupCounter::open(terms, segment)?;
            let alive = segment.alive_bitset();
            let start = threshold(&best_hits);
            let mut offer = |doc: DocId, score: Score| {
                let is_hit = score > threshold(&best_hits)
                    && alive.is_none_or(|alive| alive.is_alive(doc))
                    && scorer.as_mut().is_none_or(|docs| contains(docs, doc))
                    && groups.has_enough(doc);
                if is_hit {
                    best_hits.push(Reverse(Hit(score, DocAddress::new(ord, doc))));
                    if best_hits.len() > limit {
                        best_hits.pop();
                    }
                }
                threshold(&best_hits)
            };
            if is_long {
                weight.for_each(segment, &mut |doc, score| {
                    offer(doc, score);
                })?;
            } else {
                weight.for_each_pruning(start, segment, &mut offer)?;
            }
        }
        Ok(Some(
            best_hits.into_iter().map(|Reverse(Hit(score, address))| (score, address)).collect(),
        ))
    }
}

pub(super) fn clause((term, weight): &(Term, f32)) -> (Occur, Box<dyn Query>) {
    let query = Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs));
    (Occur::Should, Box::new(BoostQuery::new(query, *weight)))
}

/// Returns whether documents that are read in ascending order contain this one.
fn contains(docs: &mut impl DocSet, doc: DocId) -> bool {
    (docs.doc() >= doc || docs.seek(doc) == doc) && docs.doc() == doc
}

/// A counter of the groups of which a document contains a term. Documents must be passed in
/// ascending order.
struct GroupCounter {
    min_groups: usize,
    /// Postings of each group, the most common first.
    postings: Vec<Vec<SegmentPostings>>,
}

impl GroupCounter {
    fn open(terms: &Disjunction, segment: &SegmentReader) -> Result<Self> {
        let mut groups = Vec::new();
        // A document always contains a term of one group.
        if terms.min_groups > 1 {
            for group in &terms.groups {
                let (mut postings, mut count) = (Vec::new(), 0);
                for (term, _) in group {
                    let index = segment.inverted_index(term.field())?;
                    let term_postings = index
                        .read_postings(term, IndexRecordOption::Basic)
                        .map_err(tantivy::TantivyError::from)?;
                    if let Some(term_postings) = term_postings {
                        count += term_postings.size_hint();
                        postings.push(term_postings);
                    }
                }
                groups.push((Reverse(count), postings));
            }
            groups.sort_by_key(|(count, _)| *count);
        }
        Ok(Self {
            min_groups: terms.min_groups,
            postings: groups.into_iter().map(|(_, p)| p).collect(),
        })
    }

    fn has_enough(&mut self, doc: DocId) -> bool {
        if self.min_groups <= 1 {
            return true;
        }
        let mut group_count = 0;
        for group in &mut self.postings {
            group_count += usize::from(group.iter_mut().any(|postings| contains(postings, doc)));
            if group_count >= self.min_groups {
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use tantivy::{TantivyDocument, collector::TopDocs};

    use super::{
        super::{Scope, Words, query::rank},
        *,
    };
    use crate::filter::Test;

    /// The rounding step of scores.
    const STEP: f32 = 1.0 / 1024.0;
    const WORDS: [&str; 8] = ["pump", "valve", "leak", "motor", "pipe", "crack", "steam", "gauge"];

    /// Creates an index of several segments. A document is a list of indices into `WORDS`, and
    /// whether it is closed.
    fn index(documents: &[(Vec<usize>, bool)]) -> FullText {
        let fulltext = FullText::in_memory().unwrap();
        let f = fulltext.fields;
        let mut writer =
            fulltext.index.writer_with_num_threads::<TantivyDocument>(1, 15_000_000).unwrap();
        for (id, (words, closed)) in documents.iter().enumerate() {
            let mut d = TantivyDocument::default();
            d.add_u64(f.id, id as u64);
            for (i, word) in words.iter().enumerate() {
                d.add_text(if i == 0 { f.title } else { f.body }, WORDS[*word]);
            }
            d.add_text(f.state, if *closed { "closed" } else { "open" });
            writer.add_document(d).unwrap();
            if id % 40 == 39 {
                writer.commit().unwrap();
            }
        }
        writer.commit().unwrap();
        fulltext
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(24))]
        /// A pruned search returns the scores of the full one.
        #[test]
        fn pruned_search_equals_full_search(
            documents in proptest::collection::vec((proptest::collection::vec(0_usize..8, 1..7), proptest::bool::ANY), 1..150),
            query_words in proptest::collection::btree_set(0_usize..8, 1..7),
            only_closed in proptest::bool::ANY,
            limit in 1_usize..30,
        ) {
            let fulltext = index(&documents);
            let terms = query_words.iter().map(|w| precedent_text::report::terms(WORDS[*w]).remove(0)).collect();
            let words = Words { terms, scope: Scope::Any, ..Words::default() };
            let state = Test::State(precedent_core::model::State::Closed);
            let filters = if only_closed { vec![Filter { test: state, is_negated: false }] } else { Vec::new() };
            let searcher = fulltext.searcher().unwrap();
            let query = fulltext.with_filters(fulltext.query(&words).unwrap(), &filters);
            let expected = searcher.search(&query, &TopDocs::with_limit(limit).order_by_score()).unwrap();
            let expected = rank(&searcher, expected).unwrap();
            let hits = fulltext.search(&words, &filters, limit).unwrap();
            // Sums in another order may be rounded differently.
            proptest::prop_assert_eq!(hits.len(), expected.len());
            for ((_, score), (_, expected_score)) in hits.iter().zip(&expected) {
                proptest::prop_assert!((score - expected_score).abs() <= STEP, "{score} and {expected_score}");
            }
            // Documents with the last score may differ.
            let last = expected.last().map_or(0.0, |(_, s)| *s);
            for (id, score) in expected.iter().filter(|(_, s)| *s > last + STEP) {
                let difference = hits.iter().find(|(other, _)| other == id).map(|(_, s)| (s - score).abs());
                proptest::prop_assert!(difference.is_some_and(|difference| difference <= STEP), "{id} at {score}: {hits:?}");
            }
        }
    }
}
