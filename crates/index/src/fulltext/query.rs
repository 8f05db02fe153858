//! Conversion of words, phrases and filters to tantivy queries, and of their results to a ranking.

use std::{
    collections::BTreeMap,
    ops::Bound,
    sync::{Arc, PoisonError},
};

use fixedbitset::FixedBitSet;
use tantivy::{
    DocAddress, Order, Searcher, SearcherGeneration, Term,
    collector::{Collector, Count, SegmentCollector, TopDocs, sort_key::SortByStaticFastValue},
    columnar::Column,
    query::{
        AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query, RangeQuery,
        TermQuery,
    },
    schema::{Field, IndexRecordOption},
};

use super::{
    FullText,
    wand::{Clauses, Disjunction, clause},
};
use crate::filter::{Filter, Test, TimeField};
use precedent_core::{
    error::Result,
    model::{DocKind, State},
};
use precedent_text::signature::Signature;

/// The largest document id in a filter, which holds one bit per id.
const MAX_ID: u64 = 1 << 32;
/// A signature in more than one of this many documents is boilerplate.
const COMMON_SHARE: u64 = 100;
/// A signature in at most this many documents is never boilerplate.
const MIN_COMMON: u64 = 10;

/// An author of more than one of this many reports is assumed to report for others. The most active
/// author of rust-lang/rust wrote one in ten of its issues.
const PROXY_SHARE: u64 = 5;
/// The number of reports above which an author may report for others.
const MIN_PROXY_REPORTS: u64 = 20;

/// The field weights in the sum of BM25 scores. A title is worth about five words of a body.
pub(super) const TITLE_WEIGHT: f32 = 5.0;
const BODY_WEIGHT: f32 = 1.0;
pub(super) const COMMENTS_WEIGHT: f32 = 0.5;
pub(super) const CODE_WEIGHT: f32 = 0.5;
/// The weight of a whole identifier, which is more specific than its parts.
pub(super) const IDENTIFIER_WEIGHT: f32 = 2.0;
/// The maximum number of terms of a query; the rarest are used.
pub const MAX_TERMS: usize = 32;

/// The number of documents in a typical casebook.
const TYPICAL_SIZE: u64 = 5_000;
/// The minimum number of documents for an estimate of a name's rarity.
const MIN_SIZE: u64 = 20;

/// The kind of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TermKind {
    /// A stemmed word.
    Word,
    /// A whole identifier.
    Identifier,
    /// A signature, as an index term.
    Signature,
}

/// The fields that are searched.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// All fields.
    #[default]
    Any,
    /// The title.
    Title,
    /// The document's own text, code included.
    Body,
    /// The comments, code included.
    Comments,
}

/// A parsed query: terms as produced by [`tokens`](precedent_text::tokens).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Stemmed terms, each once; at most [`MAX_TERMS`] (see [`FullText::rarest_terms`]).
    pub terms: Vec<String>,
    /// Groups of terms; any term of a group counts as the group.
    pub alternatives: Vec<Vec<String>>,
    /// Whole identifiers.
    pub identifiers: Vec<String>,
    /// Phrases, all of which must occur.
    pub phrases: Vec<Vec<String>>,
    /// Terms and phrases that must not occur in any field.
    pub exclusions: Vec<Vec<String>>,
    /// Fields in which the terms and phrases must occur.
    pub scope: Scope,
}

/// A set of terms of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vocabulary {
    /// Names of labels.
    Label,
    /// Names of authors.
    Author,
    /// Versions of the product that documents name.
    Version,
    /// Closing reasons.
    Reason,
    /// Stems of titles.
    Title,
    /// Stems of the documents' own texts.
    Body,
    /// Stems of comments.
    Comments,
}

/// The documents that match filters in one state of the index.
pub(super) struct CachedMatches {
    state: SearcherGeneration,
    filters: Vec<Filter>,
    ids: Arc<FixedBitSet>,
}

/// The number of cached filter results; successive searches mostly use the same filters.
const CACHE_SIZE: usize = 4;

impl FullText {
    /// Returns the best documents for these words, with their BM25 scores, best first; ties by id.
    pub fn search(
        &self,
        words: &Words,
        filters: &[Filter],
        limit: usize,
    ) -> Result<Vec<(i64, f32)>> {
        let searcher = self.searcher()?;
        if words.phrases.is_empty() && words.exclusions.is_empty() {
            return self.top_of_disjunction(&searcher, &self.disjunction(words), filters, limit);
        }
        let Some(query) = self.query(words) else { return Ok(Vec::new()) };
        self.top_documents(&searcher, self.with_filters(query, filters), limit)
    }

    /// Returns the disjunction of a query's words, without its phrases and exclusions.
    fn disjunction(&self, words: &Words) -> Disjunction {
        let fields = self.fields_in_scope(words.scope);
        let in_fields =
            |t: &String| fields.iter().map(|(f, w)| (Term::from_field_text(*f, t), *w)).collect();
        let group = |terms: &[String]| terms.iter().flat_map::<Vec<_>, _>(in_fields).collect();
        let terms = words.terms.iter().map(std::slice::from_ref);
        let mut groups: Vec<Vec<(Term, f32)>> =
            terms.chain(words.alternatives.iter().map(Vec::as_slice)).map(group).collect();
        let min_groups = minimum_should_match(groups.len());
        if words.scope == Scope::Any {
            let field = self.fields.identifiers;
            let identifiers = words.identifiers.iter().take(MAX_TERMS);
            groups.extend(
                identifiers.map(|t| vec![(Term::from_field_text(field, t), IDENTIFIER_WEIGHT)]),
            );
        }
        let min_groups = min_groups.min(groups.len());
        Disjunction { groups, min_groups }
    }

    fn fields_in_scope(&self, scope: Scope) -> Vec<(Field, f32)> {
        let f = &self.fields;
        match scope {
            Scope::Any => {
                vec![
                    (f.title, TITLE_WEIGHT),
                    (f.body, BODY_WEIGHT),
                    (f.comments, COMMENTS_WEIGHT),
                    (f.code, CODE_WEIGHT),
                ]
            }
            Scope::Title => vec![(f.title, 1.0)],
            Scope::Body => vec![(f.body, 1.0), (f.code, CODE_WEIGHT)],
            Scope::Comments => vec![(f.comments, 1.0)],
        }
    }

    /// Returns the best documents of a disjunction, as [`FullText::top_documents`] does.
    pub(super) fn top_of_disjunction(
        &self,
        searcher: &Searcher,
        terms: &Disjunction,
        filters: &[Filter],
        limit: usize,
    ) -> Result<Vec<(i64, f32)>> {
        if let Some(hits) = self.top_by_pruning(searcher, terms, filters, limit.max(1))? {
            return rank(searcher, hits);
        }
        let query = terms.query(terms.min_groups.max(1));
        self.top_documents(searcher, self.with_filters(query, filters), limit)
    }

    /// Returns the documents that share signatures with the query, with the sum of their weights,
    /// best first; ties by id.
    pub fn search_signatures(
        &self,
        terms: &[String],
        filters: &[Filter],
        limit: usize,
    ) -> Result<Vec<(i64, f32)>> {
        if terms.is_empty() {
            return Ok(Vec::new());
        }
        let searcher = self.searcher()?;
        let fields = [self.fields.signatures, self.fields.comment_signatures];
        let clauses =
            terms.iter().flat_map(|t| fields.map(|field| (Occur::Should, term_query(field, t))));
        let query = Box::new(BooleanQuery::new(clauses.collect()));
        self.top_documents(&searcher, self.with_filters(query, filters), limit)
    }

    /// Returns whether this author wrote so many of the matching documents that authorship is no
    /// evidence. Help desks and integrations report for others.
    pub fn is_proxy_author(&self, author: &str, filters: &[Filter]) -> Result<bool> {
        let mut by_author = filters.to_vec();
        by_author.push(Filter { test: Test::Author(author.to_lowercase()), is_negated: false });
        let count = self.count_matching(&by_author)?;
        Ok(count > MIN_PROXY_REPORTS && count * PROXY_SHARE > self.count_matching(filters)?)
    }

    /// Keeps the signatures that are rare enough to be evidence. "aborting due to previous error"
    /// follows every compiler failure.
    pub fn rare_signatures(&self, signatures: Vec<Signature>) -> Result<Vec<Signature>> {
        let searcher = self.searcher()?;
        let max_documents = (document_count(&searcher) / COMMON_SHARE).max(MIN_COMMON);
        let mut out = Vec::with_capacity(signatures.len());
        for signature in signatures {
            let fields = [self.fields.signatures, self.fields.comment_signatures];
            if frequency(&searcher, &fields, &signature.term())? <= max_documents {
                out.push(signature);
            }
        }
        Ok(out)
    }

    /// Returns the documents that match the filters, most recently updated first, ties by id, after
    /// skipping `offset` of them.
    pub fn recent_documents(
        &self,
        filters: &[Filter],
        offset: usize,
        limit: usize,
    ) -> Result<Vec<i64>> {
        let searcher = self.searcher()?;
        let query = self.with_filters(Box::new(AllQuery), filters);
        let by_time = (SortByStaticFastValue::<i64>::for_field("updated"), Order::Desc);
        let by_id = (SortByStaticFastValue::<u64>::for_field("id"), Order::Asc);
        let top_documents = TopDocs::with_limit(limit.max(1)).and_offset(offset);
        let top_documents = searcher.search(&query, &top_documents.order_by((by_time, by_id)))?;
        Ok(top_documents.into_iter().filter_map(|((_, id), _)| Some(id?.cast_signed())).collect())
    }

    /// Returns the number of documents that match the filters.
    pub fn count_matching(&self, filters: &[Filter]) -> Result<u64> {
        let searcher = self.searcher()?;
        Ok(searcher.search(&self.with_filters(Box::new(AllQuery), filters), &Count)? as u64)
    }

    /// Returns the ids of the documents that match the filters; `None` if there are no filters.
    pub fn matching_ids(&self, filters: &[Filter]) -> Result<Option<Arc<FixedBitSet>>> {
        if filters.is_empty() {
            return Ok(None);
        }
        let searcher = self.searcher()?;
        let state = searcher.generation();
        let cache = || self.filter_cache.lock().unwrap_or_else(PoisonError::into_inner);
        let cached_ids = cache()
            .iter()
            .find(|p| p.state.segments() == state.segments() && p.filters == filters)
            .map(|p| Arc::clone(&p.ids));
        if cached_ids.is_some() {
            return Ok(cached_ids);
        }
        let ids = Arc::new(
            searcher.search(&self.with_filters(Box::new(AllQuery), filters), &IdCollector)?,
        );
        let mut cache = cache();
        cache.truncate(CACHE_SIZE - 1);
        let (state, filters) = (state.clone(), filters.to_vec());
        cache.insert(0, CachedMatches { state, filters, ids: Arc::clone(&ids) });
        Ok(Some(ids))
    }

    /// Returns the ids of all documents in the index.
    pub fn ids(&self) -> Result<Vec<i64>> {
        let ids = self.searcher()?.search(&AllQuery, &IdCollector)?;
        Ok(ids.ones().filter_map(|id| i64::try_from(id).ok()).collect())
    }

    /// Returns the inverse document frequency of each term in titles, bodies and comments:
    /// `ln(1 + (N − n + 0.5) / (n + 0.5))`.
    pub fn idf(&self, terms: &[String]) -> Result<Vec<f32>> {
        let searcher = self.searcher()?;
        terms.iter().map(|t| self.idf_of(&searcher, t)).collect()
    }

    /// Returns the information of each name, in nats: its inverse document frequency among names of
    /// its kind, scaled to a casebook of `TYPICAL_SIZE` documents. Without the scaling, a unique
    /// name would carry little information in a small casebook.
    pub fn information(&self, kind: TermKind, names: &[String]) -> Result<Vec<f32>> {
        let searcher = self.searcher()?;
        let total = document_count(&searcher);
        let scale = idf(TYPICAL_SIZE, 1) / idf(total.max(MIN_SIZE), 1);
        let fields = self.fields_of_kind(kind);
        names
            .iter()
            .map(|name| Ok(scale * idf(total, frequency(&searcher, &fields, name)?)))
            .collect()
    }

    /// Returns the number of documents that contain each of these names.
    pub fn document_counts(&self, kind: TermKind, names: &[String]) -> Result<Vec<u64>> {
        let searcher = self.searcher()?;
        let fields = self.fields_of_kind(kind);
        names.iter().map(|name| frequency(&searcher, &fields, name)).collect()
    }

    fn fields_of_kind(&self, kind: TermKind) -> Vec<Field> {
        let f = &self.fields;
        match kind {
            TermKind::Word => vec![f.title, f.body, f.code],
            TermKind::Identifier => vec![f.identifiers],
            TermKind::Signature => vec![f.signatures, f.comment_signatures],
        }
    }

    fn idf_of(&self, searcher: &Searcher, term: &str) -> Result<f32> {
        let f = &self.fields;
        let n = frequency(searcher, &[f.title, f.body, f.comments, f.code], term)?;
        Ok(idf(document_count(searcher), n))
    }

    pub(super) fn query(&self, words: &Words) -> Option<Box<dyn Query>> {
        let f = &self.fields;
        let terms = self.disjunction(words);
        let mut clauses: Clauses = Vec::new();
        if !terms.groups.is_empty() {
            // Words beside a phrase only add to its score.
            clauses.push(match words.phrases.is_empty() {
                true => (Occur::Must, terms.query(terms.min_groups)),
                false => (Occur::Should, terms.query(0)),
            });
        }
        let fields = self.fields_in_scope(words.scope);
        let phrases = words.phrases.iter().filter_map(|phrase| phrase_query(&fields, phrase));
        clauses.extend(phrases.map(|query| (Occur::Must, query)));
        if clauses.is_empty() {
            return None;
        }
        let all_fields = [(f.title, 1.0), (f.body, 1.0), (f.comments, 1.0), (f.code, 1.0)];
        let exclusions = words.exclusions.iter().filter_map(|e| phrase_query(&all_fields, e));
        clauses.extend(exclusions.map(|query| (Occur::MustNot, query)));
        Some(Box::new(BooleanQuery::new(clauses)))
    }

    /// Returns the rarest terms, at most [`MAX_TERMS`], in a fixed order.
    pub fn rarest_terms(&self, terms: Vec<String>) -> Result<Vec<String>> {
        if terms.len() <= MAX_TERMS {
            return Ok(terms);
        }
        let searcher = self.searcher()?;
        let mut weights = Vec::with_capacity(terms.len());
        for term in terms {
            weights.push((self.idf_of(&searcher, &term)?, term));
        }
        // Leave out terms that no document contains.
        let absent_idf = self.idf_of(&searcher, "\u{0}")?;
        weights.retain(|(idf, _)| *idf < absent_idf);
        weights.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        weights.truncate(MAX_TERMS);
        Ok(weights.into_iter().map(|(_, t)| t).collect())
    }

    /// Returns the terms of a vocabulary that `accepts` selects, with their document counts; the
    /// most frequent first.
    pub fn vocabulary(
        &self,
        vocabulary: Vocabulary,
        accepts: impl Fn(&str) -> bool,
    ) -> Result<Vec<(String, u64)>> {
        let f = &self.fields;
        let field = match vocabulary {
            Vocabulary::Label => f.label,
            Vocabulary::Author => f.author,
            Vocabulary::Version => f.version,
            Vocabulary::Reason => f.reason,
            Vocabulary::Title => f.title,
            Vocabulary::Body => f.body,
            Vocabulary::Comments => f.comments,
        };
        let mut counts: BTreeMap<String, u64> = BTreeMap::new();
        for segment in self.searcher()?.segment_readers() {
            let index = segment.inverted_index(field)?;
            let mut terms = index.terms().stream().map_err(tantivy::TantivyError::from)?;
            while terms.advance() {
                if let Ok(term) = std::str::from_utf8(terms.key())
                    && accepts(term)
                {
                    *counts.entry(term.to_owned()).or_default() +=
                        u64::from(terms.value().doc_freq);
                }
            }
        }
        let mut counts: Vec<(String, u64)> = counts.into_iter().collect();
        counts.sort_by(|a, b| b.1.cmp(&a.1).then_with(|| a.0.cmp(&b.0)));
        Ok(counts)
    }

    /// Adds filters to a query; they do not affect the score.
    pub(super) fn with_filters(&self, query: Box<dyn Query>, filters: &[Filter]) -> Box<dyn Query> {
        if filters.is_empty() {
            return query;
        }
        let mut clauses: Clauses = vec![(Occur::Must, query)];
        clauses.extend(filters.iter().map(|filter| -> (Occur, Box<dyn Query>) {
            let occur = if filter.is_negated { Occur::MustNot } else { Occur::Must };
            (occur, Box::new(ConstScoreQuery::new(self.filter_query(&filter.test), 0.0)))
        }));
        Box::new(BooleanQuery::new(clauses))
    }

    fn filter_query(&self, test: &Test) -> Box<dyn Query> {
        let f = &self.fields;
        let text = |field, text: &str| term_query(field, &text.to_lowercase());
        match test {
            Test::Source(key) => text(f.source, key),
            Test::AnySource(keys) => {
                let sources = keys.iter().map(|key| (Occur::Should, text(f.source, key)));
                Box::new(BooleanQuery::new(sources.collect()))
            }
            Test::Kind(kind) => text(f.kind, kind.as_str()),
            Test::State(state) => text(f.state, state.as_str()),
            Test::Resolved => {
                let issue: Clauses = vec![
                    (Occur::Must, text(f.kind, DocKind::Issue.as_str())),
                    (Occur::Must, text(f.state, State::Closed.as_str())),
                ];
                Box::new(BooleanQuery::new(vec![
                    (Occur::Should, Box::new(BooleanQuery::new(issue)) as Box<dyn Query>),
                    (Occur::Should, text(f.state, State::Merged.as_str())),
                ]))
            }
            Test::Reason(reason) => text(f.reason, reason),
            Test::Label(label) => text(f.label, label),
            Test::Author(author) => text(f.author, author),
            Test::Version(version) => text(f.version, version),
            Test::Bot => text(f.flag, "bot"),
            Test::Locked => text(f.flag, "locked"),
            Test::Time(time_field, start, end) => {
                let field = match time_field {
                    TimeField::Created => f.created_at,
                    TimeField::Updated => f.updated_at,
                    TimeField::Closed => f.closed_at,
                };
                let bound = |t: &Option<i64>| t.map(|t| Term::from_field_i64(field, t));
                let lower = bound(start).map_or(Bound::Unbounded, Bound::Included);
                let upper = bound(end).map_or(Bound::Unbounded, Bound::Excluded);
                match (&lower, &upper) {
                    (Bound::Unbounded, Bound::Unbounded) => Box::new(AllQuery),
                    _ => Box::new(RangeQuery::new(lower, upper)),
                }
            }
        }
    }

    /// Returns the best documents, ties by id, because segments return equal scores in any order.
    fn top_documents(
        &self,
        searcher: &Searcher,
        query: Box<dyn Query>,
        limit: usize,
    ) -> Result<Vec<(i64, f32)>> {
        rank(
            searcher,
            searcher.search(&query, &TopDocs::with_limit(limit.max(1)).order_by_score())?,
        )
    }
}

/// Returns the query for the documents with a phrase or a single term in any of these fields;
/// `None` for an empty phrase.
fn phrase_query(fields: &[(Field, f32)], phrase: &[String]) -> Option<Box<dyn Query>> {
    if phrase.is_empty() {
        return None;
    }
    let in_field = |(field, weight): &(Field, f32)| -> (Occur, Box<dyn Query>) {
        let terms: Vec<Term> = phrase.iter().map(|t| Term::from_field_text(*field, t)).collect();
        match <[Term; 1]>::try_from(terms) {
            Ok([term]) => clause(&(term, *weight)),
            Err(terms) => {
                let query = Box::new(PhraseQuery::new(terms));
                (Occur::Should, Box::new(BoostQuery::new(query, *weight)))
            }
        }
    };
    Some(Box::new(BooleanQuery::new(fields.iter().map(in_field).collect())))
}

fn term_query(field: Field, text: &str) -> Box<dyn Query> {
    Box::new(TermQuery::new(Term::from_field_text(field, text), IndexRecordOption::Basic))
}

/// Returns the number of a query's terms that a document must contain. Requiring every term would
/// miss reports in other words; requiring one of fifty would match everything.
fn minimum_should_match(terms: usize) -> usize {
    match terms {
        0..=3 => 1,
        4..=8 => 2,
        _ => 3,
    }
}

/// Sorts documents by score; ties by id.
pub(super) fn rank(searcher: &Searcher, hits: Vec<(f32, DocAddress)>) -> Result<Vec<(i64, f32)>> {
    let mut out = Vec::with_capacity(hits.len());
    let id_of = id_reader(searcher)?;
    for (score, address) in hits {
        // The last bits of a sum depend on the index's layout on disk, so round them.
        let score = (score * 1024.0).round() / 1024.0;
        out.push((id_of(address), score));
    }
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(out)
}

/// Returns the number of documents as [`frequency`] counts them, including deleted ones that no
/// merge has dropped yet. Without these, the weight of a common word could be zero.
pub(super) fn document_count(searcher: &Searcher) -> u64 {
    searcher.segment_readers().iter().map(|segment| u64::from(segment.max_doc())).sum()
}

/// Returns the inverse document frequency `ln(1 + (N − n + 0.5) / (n + 0.5))`, as in Lucene and
/// tantivy; positive, as `n` is at most `N`.
pub(super) fn idf(total: u64, n: u64) -> f32 {
    let (total, n) = (total as f32, n as f32);
    ((total - n + 0.5) / (n + 0.5)).ln_1p()
}

/// Returns the number of documents with a term: the maximum over these fields.
pub(super) fn frequency(searcher: &Searcher, fields: &[Field], term: &str) -> Result<u64> {
    let mut max = 0;
    for field in fields {
        max = max.max(searcher.doc_freq(&Term::from_field_text(*field, term))?);
    }
    Ok(max)
}

fn id_reader(searcher: &Searcher) -> Result<impl Fn(DocAddress) -> i64> {
    let columns = searcher.segment_readers().iter().map(|segment| segment.fast_fields().u64("id"));
    let columns: Vec<Column<u64>> = columns.collect::<tantivy::Result<_>>()?;
    Ok(move |address: DocAddress| {
        columns[address.segment_ord as usize]
            .first(address.doc_id)
            .unwrap_or_default()
            .cast_signed()
    })
}

struct IdCollector;

struct SegmentIdCollector {
    column: Column<u64>,
    ids: FixedBitSet,
}

impl Collector for IdCollector {
    type Fruit = FixedBitSet;
    type Child = SegmentIdCollector;

    fn for_segment(
        &self,
        _: u32,
        segment: &tantivy::SegmentReader,
    ) -> tantivy::Result<SegmentIdCollector> {
        Ok(SegmentIdCollector { column: segment.fast_fields().u64("id")?, ids: FixedBitSet::new() })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, fruits: Vec<FixedBitSet>) -> tantivy::Result<FixedBitSet> {
        let mut result = FixedBitSet::new();
        for ids in fruits {
            result.union_with(&ids);
        }
        Ok(result)
    }
}

impl SegmentCollector for SegmentIdCollector {
    type Fruit = FixedBitSet;

    fn collect(&mut self, doc: tantivy::DocId, _: tantivy::Score) {
        // An id beyond the limit would take gigabytes; `doctor` reports its row.
        if let Some(id) = self.column.first(doc).filter(|id| *id <= MAX_ID)
            && let Ok(id) = usize::try_from(id)
        {
            self.ids.grow_and_insert(id);
        }
    }

    fn harvest(self) -> FixedBitSet {
        self.ids
    }
}
