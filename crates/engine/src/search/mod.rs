//! Search: the query language, hybrid retrieval, and score fusion with its explanation.

mod coverage;
mod fusion;
mod named;
mod passages;
pub mod query;
mod suggest;

use crate::QueryContext;
use std::{
    collections::{HashMap, hash_map::Entry},
    sync::Arc,
    time::Instant,
};

use rayon::prelude::*;

pub use coverage::coverage;
pub(crate) use coverage::lacks;
use coverage::{missing_text, missing_vectors};
use fusion::Fused;
pub(crate) use named::only_source;
pub use named::{named, no_source, one};
pub(crate) use passages::anchor;
use precedent_core::{
    error::{Error, Result},
    model::{Arm, Coverage, Hit, Lack, Mode, Notice, Scores, SearchRequest, SearchResponse},
    task::Task,
};
use precedent_index::{
    filter::{Filter, Test},
    fulltext::{Scope, Vocabulary, Words},
    vectors::{Near, Vectors},
};
use precedent_store::{DocumentRow, Reader, StoredComment};
use precedent_text::{
    chunk::{self, representation},
    report::{self, Report},
    signature,
    skeleton::Skeleton,
    tokens,
};
use query::Query;

/// The number of results if a search sets no limit.
pub const DEFAULT_LIMIT: usize = 20;
/// The maximum number of results of one search.
pub const MAX_LIMIT: usize = precedent_core::model::limits::SEARCH;
/// The minimum number of documents that each arm retrieves.
const DEPTH: usize = 200;
/// The number of terms of each field that a prefix stands for; the most frequent are used.
const PREFIXED: usize = 20;

/// The retrieval evidence of a document for a pasted text.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Evidence {
    /// The row id.
    pub document: i64,
    /// The fused score of all arms; used only for ordering.
    pub fused: f32,
    /// The best chunk's cosine, −1..1.
    pub cosine: Option<f32>,
    /// The share of the text's words that it contains, weighted by rarity, about 0..1.
    pub words: f32,
    /// True if it shares a distinctive signature.
    pub signature: bool,
}

impl Evidence {
    /// Returns the evidence of a document that no arm found.
    pub fn none(document: i64) -> Self {
        Self { document, fused: 0.0, cosine: None, words: 0.0, signature: false }
    }
}

/// A query with its retrieval parameters.
struct Retrieval<'a> {
    query: &'a Query,
    words: &'a Words,
    mode: Mode,
    /// The number of documents that each arm proposes.
    depth: usize,
    coverage: Coverage,
    task: &'a Task,
}

impl<'a> Retrieval<'a> {
    /// Makes the retrieval of a query for `limit` documents.
    fn new(
        query: &'a Query,
        words: &'a Words,
        mode: Mode,
        limit: usize,
        coverage: Coverage,
        task: &'a Task,
    ) -> Self {
        Self { query, words, mode, depth: DEPTH.max(limit * 2), coverage, task }
    }

    /// Returns whether the query has phrases, exclusions or a scope, which restrict every arm.
    fn is_strict(&self) -> bool {
        let query = self.query;
        !query.phrases.is_empty() || !query.without.is_empty() || query.scope != Scope::Any
    }
}

/// The documents that the arms found, before loading.
#[derive(Default)]
struct Candidates {
    /// The arms that answered.
    arms: Vec<Arm>,
    /// The notices to show with the results.
    notices: Vec<Notice>,
    lexical: Vec<(i64, f32)>,
    semantic: Vec<(i64, f32)>,
    /// The title scores of the semantic candidates, if a pasted text has a title; see
    /// [`fusion::titles`].
    titles: Vec<f32>,
    signature: Vec<(i64, f32)>,
    /// Documents found by words that have passages without a vector, ascending.
    unread: Vec<i64>,
    chunks: HashMap<i64, Vec<Near>>,
    signatures: usize,
    /// True if the query is a pasted text.
    pasted: bool,
}

impl QueryContext<'_> {
    /// Answers a search.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] for an invalid query,
    /// [`precedent_core::Code::NotFound`] for a source that does not exist; database or index
    /// errors.
    pub fn search(&self, request: &SearchRequest, task: &Task) -> Result<SearchResponse> {
        let start = Instant::now();
        let limit = match request.limit {
            0 => DEFAULT_LIMIT,
            n if n <= MAX_LIMIT => n,
            n => {
                return Err(Error::invalid(format!("a limit of {n} is too large"))
                    .with_hint(format!("Use at most {MAX_LIMIT}, and filters to narrow the search.")));
            }
        };
        let query = query::parse(&request.query)?.within(&request.filters)?;
        self.check_sources(&query)?;
        let mode = request.mode.or(query.mode).unwrap_or_default();
        let mut coverage = self.coverage()?;
        let doubts = query.doubts.iter().map(|text| Notice { lack: Lack::Operators, text: text.clone() });
        let mut notices: Vec<Notice> = doubts.collect();
        let mut arms = Vec::new();

        let browses = query.is_empty();
        let words = self.words(&query)?;
        task.check()?;
        if request.offset > 0 && !browses {
            return Err(Error::invalid("only a query without words can be paged")
                .with_hint("Remove the words, or ask for more results at once."));
        }
        let mut hits = if browses {
            self.recent(&query, request, limit)?
        } else if tokens::words(&query.all_words()).is_empty() {
            // A lone symbol has no meaning, and its vector is equally near to any text.
            Vec::new()
        } else {
            let asked = Retrieval::new(&query, &words, mode, limit, coverage, task);
            let mut found = self.retrieve(&asked)?;
            task.check()?;
            arms = std::mem::take(&mut found.arms);
            notices.append(&mut found.notices);
            let mut hits = self.hits(&query, &words, found, limit, request.explain)?;
            self.pin_key_match(&query, &mut hits, &mut notices, limit)?;
            if request.titles {
                hits.iter_mut().for_each(|hit| hit.passages.clear());
            }
            hits
        };
        hits.truncate(limit);
        if hits.is_empty() {
            // Another process may have started a rebuild meanwhile; an empty result is then not
            // conclusive.
            let now = self.coverage()?;
            let told =
                notices.iter().any(|n: &Notice| matches!(n.lack, Lack::SomeVectors | Lack::AllVectors));
            if mode != Mode::Lexical && coverage.embedded > 0 && !told {
                notices.extend(self.missing_vectors(now)?);
            }
            coverage = now;
            notices.extend(self.suggestions(&query)?);
            if query.is_narrowed() {
                notices.push(Notice {
                    lack: Lack::Operators,
                    text: "Nothing meets all filters, quoted phrases and exclusions of the query.".to_owned(),
                });
            }
        }
        let total = browses.then(|| self.fulltext.matching(&query.filters)).transpose()?;
        notices.extend(missing_text(coverage));
        Ok(SearchResponse {
            query: query.understood,
            mode,
            arms,
            notices,
            conclusive: true,
            coverage,
            hits,
            total,
            took_ms: start.elapsed().as_secs_f64() * 1000.0,
        })
    }

    /// Returns the query in the terms of the index, limited to the rarest of many.
    fn words(&self, query: &Query) -> Result<Words> {
        let mut words = words(query);
        words.terms = self.fulltext.rarest(words.terms)?;
        for group in &query.any {
            let mut terms = Vec::new();
            for word in group {
                terms.extend(report::terms(word.trim_end_matches('*')));
                if let Some(prefix) = word.strip_suffix('*').map(str::to_lowercase) {
                    for part in [Vocabulary::Title, Vocabulary::Body, Vocabulary::Comments] {
                        let all = self.fulltext.vocabulary(part, |term| term.starts_with(&prefix))?;
                        terms.extend(all.into_iter().take(PREFIXED).map(|(term, _)| term));
                    }
                }
            }
            terms.sort_unstable();
            terms.dedup();
            words.any.push(terms);
        }
        Ok(words)
    }

    /// How much each arm can see.
    ///
    /// # Errors
    /// Database or index errors.
    pub fn coverage(&self) -> Result<Coverage> {
        coverage(self.store, self.fulltext, self.vectors)
    }

    fn check_sources(&self, query: &Query) -> Result<()> {
        for filter in &query.filters {
            let keys = match &filter.test {
                Test::Source(key) => std::slice::from_ref(key),
                Test::AnySource(keys) => keys,
                _ => continue,
            };
            for key in keys {
                self.store.read(|r| r.source(key)?.map(|_| ()).ok_or_else(|| no_source(r, key)))?;
            }
        }
        Ok(())
    }

    fn retrieve(&self, asked: &Retrieval<'_>) -> Result<Candidates> {
        let Retrieval { query, words, mode, depth, coverage, .. } = *asked;
        let filters: &[Filter] = &query.filters;
        let mut found = Candidates { pasted: query.pasted, ..Candidates::default() };
        let by_words = !query.pasted && mode != Mode::Semantic;
        let fulltext = self.fulltext;
        // The full-text lookup runs while the query is embedded.
        let beside = by_words && mode == Mode::Hybrid && self.vectors.is_some() && coverage.embedded > 0;
        std::thread::scope(|scope| {
            let lexical = beside.then(|| scope.spawn(|| fulltext.search(words, filters, depth)));
            if by_words && !beside {
                found.lexical = fulltext.search(words, filters, depth)?;
            }
            self.secondary_arms(asked, &mut found)?;
            if let Some(lexical) = lexical {
                found.lexical = lexical.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            Ok::<_, Error>(())
        })?;
        if by_words {
            found.arms.push(Arm::Lexical);
        }
        asked.task.check()?;
        if by_words && query.scope == Scope::Any {
            // Semantic candidates may also contain words of the query.
            let also: Vec<i64> = found.semantic.iter().map(|(id, _)| *id).collect();
            found.lexical = self.fulltext.weighed(words, &found.lexical, &also)?;
        }
        if query.pasted && mode != Mode::Semantic {
            let (title, body) = report::pasted(&query.text, &Skeleton::default());
            let also: Vec<i64> = found.semantic.iter().map(|(id, _)| *id).collect();
            found.lexical = self.fulltext.like(&Report::new(&title, &body), filters, depth, &also)?;
            found.arms.push(Arm::Lexical);
        }
        if let Some(vectors) = self.vectors
            && found.arms.contains(&Arm::Semantic)
            && (coverage.unread > 0 || coverage.embedded < coverage.chunks)
        {
            let ids: Vec<i64> = found.lexical.iter().map(|(id, _)| *id).collect();
            found.unread = vectors.incomplete(&ids)?;
        }
        found.arms.sort_unstable();
        Ok(found)
    }

    /// Retrieves candidates by signature and by vector.
    fn secondary_arms(&self, asked: &Retrieval<'_>, found: &mut Candidates) -> Result<()> {
        let query = asked.query;
        if asked.mode != Mode::Semantic && !asked.is_strict() {
            let mut distinctive = signature::signatures(&query.all_words());
            distinctive.retain(signature::Signature::is_telling);
            if query.pasted {
                // Typed signatures are intentional; signatures in a pasted log may occur in every
                // log.
                distinctive = self.fulltext.rare_signatures(distinctive)?;
            }
            let terms: Vec<String> = distinctive.iter().map(signature::Signature::term).collect();
            if !terms.is_empty() {
                found.signatures = terms.len();
                found.signature = self.fulltext.search_signatures(&terms, &query.filters, asked.depth)?;
                found.arms.push(Arm::Signature);
            }
        }
        asked.task.check()?;
        match self.vectors {
            _ if asked.mode == Mode::Lexical => {}
            Some(vectors) if asked.coverage.embedded > 0 => {
                self.semantic(vectors, asked, found)?;
                found.arms.push(Arm::Semantic);
                found.notices.extend(self.missing_vectors(asked.coverage)?);
            }
            Some(_) => found.notices.extend(self.missing_vectors(asked.coverage)?),
            None => found.notices.push(self.no_model()),
        }
        Ok(())
    }

    /// Returns the current notices, such as an outdated index or a missing model.
    ///
    /// # Errors
    /// Database or index errors.
    pub fn notices(&self) -> Result<Vec<Notice>> {
        let coverage = self.coverage()?;
        let mut notices = Vec::new();
        match self.vectors {
            Some(_) => notices.extend(self.missing_vectors(coverage)?),
            None => notices.push(self.no_model()),
        }
        notices.extend(missing_text(coverage));
        Ok(notices)
    }

    fn missing_vectors(&self, coverage: Coverage) -> Result<Option<Notice>> {
        let Some(vectors) = self.vectors else { return Ok(missing_vectors(coverage, 0)) };
        let reached = vectors.reached()?;
        // A note is embedded immediately, before the number of missing vectors is known.
        if coverage.embedded > 0 && reached == 0 {
            let text = "Not conclusive: the semantic index is only partly built.".to_owned();
            return Ok(Some(Notice { lack: Lack::SomeVectors, text }));
        }
        Ok(missing_vectors(coverage, coverage.unread))
    }

    pub(crate) fn no_model(&self) -> Notice {
        let hint = self.problem.and_then(Error::hint).map(|h| format!(" {h}")).unwrap_or_default();
        let why = self.problem.map(|p| format!(" ({p})")).unwrap_or_default();
        Notice { lack: Lack::Model, text: format!("Not conclusive: keyword search only{why}.{hint}") }
    }

    /// Retrieves candidates by the query's vector, and scores the title of a pasted text
    /// separately.
    fn semantic(&self, vectors: &Vectors, asked: &Retrieval<'_>, found: &mut Candidates) -> Result<()> {
        let Retrieval { query, words, mode, depth, .. } = *asked;
        let allowed = if asked.is_strict() {
            // All documents that pass the strict part, at any rank.
            let all = usize::try_from(self.fulltext.count()?).unwrap_or(usize::MAX);
            let passed = self.fulltext.search(words, &query.filters, all)?;
            Some(Arc::new(passed.iter().filter_map(|(id, _)| usize::try_from(*id).ok()).collect()))
        } else {
            self.fulltext.allowed(&query.filters)?
        };
        let (text, title) = read_by_model(query);
        let vector = (self.embed)(&text)?;
        for near in vectors.search(&vector, allowed.as_deref(), depth)? {
            if near.cosine < self.floor {
                break;
            }
            let chunks = found.chunks.entry(near.document).or_default();
            if chunks.is_empty() {
                found.semantic.push((near.document, near.cosine));
            }
            chunks.push(near);
        }
        if !title.is_empty() && mode == Mode::Hybrid {
            let ids: Vec<i64> = found.semantic.iter().map(|(id, _)| *id).collect();
            found.titles = fusion::titles(&vectors.compare(&(self.embed)(&title)?, &vector, &ids)?);
        }
        Ok(())
    }

    /// Returns the best documents for a pasted text with each arm's evidence, by fused score; ties
    /// by id.
    ///
    /// # Errors
    /// Same as [`QueryContext::search`].
    pub fn evidence(
        &self,
        text: &str,
        filters: &[Filter],
        limit: usize,
        task: &Task,
    ) -> Result<Vec<Evidence>> {
        let query = Query { filters: filters.to_vec(), ..Query::pasted(text) };
        let coverage = self.coverage()?;
        let mode = if self.vectors.is_some() { Mode::Hybrid } else { Mode::Lexical };
        let words = Words::default();
        let found = self.retrieve(&Retrieval::new(&query, &words, mode, limit, coverage, task))?;
        let of = |list: &[(i64, f32)], id| list.iter().find(|(d, _)| *d == id).map(|(_, s)| *s);
        let evidence = |f: Fused| Evidence {
            document: f.document,
            fused: f.score,
            cosine: of(&found.semantic, f.document),
            words: of(&found.lexical, f.document).unwrap_or(0.0),
            signature: of(&found.signature, f.document).is_some(),
        };
        Ok(fuse(&found).into_iter().take(limit).map(evidence).collect())
    }

    /// Returns the unit vector of a pasted text, or `None` without a model.
    ///
    /// # Errors
    /// [`precedent_core::Code::ModelUnavailable`] if the model fails.
    pub fn vector(&self, text: &str) -> Result<Option<Vec<f32>>> {
        self.vectors.map(|_| (self.embed)(&read_by_model(&Query::pasted(text)).0)).transpose()
    }

    /// Returns the best documents for a query, by fused score, without loading them; ties by id.
    ///
    /// # Errors
    /// Same as [`QueryContext::search`].
    pub fn rank(&self, query: &Query, mode: Mode, limit: usize, task: &Task) -> Result<Vec<(i64, f32)>> {
        let words = self.words(query)?;
        let coverage = self.coverage()?;
        let found = self.retrieve(&Retrieval::new(query, &words, mode, limit, coverage, task))?;
        let mut ranked: Vec<_> = fuse(&found).into_iter().map(|f| (f.document, f.score)).collect();
        ranked.truncate(limit);
        Ok(ranked)
    }

    /// Loads the best documents of all arms, with their passages.
    fn hits(
        &self,
        query: &Query,
        words: &Words,
        found: Candidates,
        limit: usize,
        explain: bool,
    ) -> Result<Vec<Hit>> {
        let fused = fuse(&found);
        let weights = self.weights(words)?;
        let none = Skeleton::default();
        self.store.read(|r| {
            let mut loaded: Vec<(Fused, DocumentRow)> = Vec::with_capacity(limit + 1);
            let mut skeletons: HashMap<i64, Skeleton> = HashMap::new();
            // Ties break by key, so all documents with the last score must be loaded.
            for one in fused.iter() {
                if loaded.len() >= limit && loaded.last().is_some_and(|(last, _)| last.score > one.score) {
                    break;
                }
                match r.document(one.document)? {
                    Some(row) if row.deleted_at.is_none() => loaded.push((one.clone(), row)),
                    _ => {}
                }
            }
            loaded.sort_by(|(a, x), (b, y)| b.score.total_cmp(&a.score).then_with(|| key_order(x, y)));
            loaded.truncate(limit);
            let mut read = Vec::with_capacity(loaded.len());
            for (one, row) in loaded {
                if let Entry::Vacant(place) = skeletons.entry(row.source_id) {
                    place.insert(r.skeleton(row.source_id)?);
                }
                let comments = r.comments(&row)?;
                read.push((one, row, comments));
            }
            // Choosing passages is most of the work of a search, and documents are independent.
            let show = |(one, row, comments): &(Fused, DocumentRow, Vec<StoredComment>)| {
                let near = found.chunks.get(&row.id).map(Vec::as_slice).unwrap_or_default();
                let skeleton = skeletons.get(&row.source_id).unwrap_or(&none);
                let passages = passages::passages(row, comments, skeleton, &weights, near);
                let mut hit = hit(row, counted(comments), &weights);
                hit.scores = scores(one, &found);
                hit.why = why(query, &passages, one, &found);
                hit.passages = passages.shown;
                hit.trace = explain.then(|| one.contributions.clone());
                hit
            };
            Ok(read.par_iter().map(show).collect())
        })
    }

    /// Returns the weight of each of the query's words.
    fn weights(&self, words: &Words) -> Result<passages::Weights> {
        let mut terms: Vec<String> = words.terms.clone();
        terms.extend(words.phrases.iter().flatten().cloned());
        terms.sort_unstable();
        terms.dedup();
        let idf = self.fulltext.idf(&terms)?;
        Ok(passages::Weights::new(terms.into_iter().zip(idf), &words.identifiers))
    }

    fn recent(&self, query: &Query, request: &SearchRequest, limit: usize) -> Result<Vec<Hit>> {
        const WHY: &str = "Changed recently.";
        let ids = self.fulltext.recent(&query.filters, request.offset, limit)?;
        self.store.read(|r| {
            let mut hits = Vec::with_capacity(ids.len());
            for id in ids {
                let Some(row) = r.document(id)?.filter(|d| d.deleted_at.is_none()) else { continue };
                hits.push(if request.titles {
                    Hit {
                        why: WHY.to_owned(),
                        ..hit(&row, r.comment_count(&row)?, &passages::Weights::default())
                    }
                } else {
                    unasked(r, &row, WHY)?
                });
            }
            hits.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.key.cmp(&b.key)));
            Ok(hits)
        })
    }
}

/// Fuses the candidates of all arms, best first.
fn fuse(found: &Candidates) -> Vec<Fused> {
    let factors = match (found.pasted, found.titles.is_empty()) {
        (false, _) => &fusion::TYPED,
        (true, true) => &fusion::PASTED,
        (true, false) => &fusion::PASTED_WITH_TITLES,
    };
    let arms = fusion::Arms {
        words: &found.lexical,
        meaning: &found.semantic,
        titles: &found.titles,
        signatures: &found.signature,
        unread: &found.unread,
    };
    fusion::blend(factors, arms)
}

/// Returns the texts to embed for a query: its text, and the title of a pasted text alone. A pasted
/// text is formatted like a stored one: its title and its first chunk.
fn read_by_model(query: &Query) -> (String, String) {
    if !query.pasted {
        return (representation("", &query.all_words()), String::new());
    }
    let (title, body) = report::pasted(&query.text, &Skeleton::default());
    let alone = representation(&title, "");
    match chunk::chunks(&body, 1).first() {
        Some(first) => (first.representation(&title), alone),
        None => (alone.clone(), alone),
    }
}

/// Compares two documents by key, with numbers compared as numbers.
fn key_order(a: &DocumentRow, b: &DocumentRow) -> std::cmp::Ordering {
    (&a.source, a.number, &a.key).cmp(&(&b.source, b.number, &b.key))
}

/// Returns the query in the terms of the index.
fn words(query: &Query) -> Words {
    let terms = |text: &str| -> Vec<String> { tokens::words(text).into_iter().map(|w| w.term).collect() };
    let mut identifiers: Vec<String> = Vec::new();
    for (_, whole) in tokens::identifiers(&query.text).take(200) {
        if !identifiers.contains(&whole) {
            identifiers.push(whole);
        }
    }
    // Drop short names such as "C++" from the words: their identifier is searched instead.
    let mut text = query.text.clone();
    if query.scope == Scope::Any {
        for (range, whole) in tokens::identifiers(&query.text) {
            if tokens::is_language(&whole) && whole.trim_matches(['.', '+', '#']).len() < 4 {
                text.replace_range(range.clone(), &" ".repeat(range.len()));
            }
        }
    }
    Words {
        terms: report::terms(&text),
        any: Vec::new(),
        identifiers,
        phrases: query.phrases.iter().map(|p| terms(p)).filter(|p| !p.is_empty()).collect(),
        without: query.without.iter().map(|p| terms(p)).filter(|p| !p.is_empty()).collect(),
        scope: query.scope,
    }
}

/// Returns a document that no words asked for, with its beginning as the passage.
fn unasked(reader: &Reader<'_>, row: &DocumentRow, why: &str) -> Result<Hit> {
    let weights = passages::Weights::default();
    let comments = reader.comments(row)?;
    let passages = passages::passages(row, &comments, &reader.skeleton(row.source_id)?, &weights, &[]);
    let mut hit = hit(row, counted(&comments), &weights);
    hit.why = why.to_owned();
    hit.passages = passages.shown;
    Ok(hit)
}

fn counted(comments: &[StoredComment]) -> u32 {
    u32::try_from(comments.len()).unwrap_or(u32::MAX)
}

fn hit(row: &DocumentRow, comments: u32, weights: &passages::Weights) -> Hit {
    Hit {
        key: row.key.clone(),
        kind: row.kind,
        source: row.source.clone(),
        number: row.number,
        title: weights.spans(&row.title),
        url: row.url.clone(),
        state: row.state,
        state_reason: row.state_reason.clone(),
        author: row.author.login.clone(),
        labels: row.labels.clone(),
        created_at: row.created_at,
        updated_at: row.updated_at,
        closed_at: row.closed_at,
        comments,
        passages: Vec::new(),
        scores: Scores::default(),
        why: String::new(),
        trace: None,
    }
}

fn scores(one: &Fused, found: &Candidates) -> Scores {
    let of = |list: &[(i64, f32)]| list.iter().find(|(id, _)| *id == one.document).map(|(_, s)| *s);
    Scores {
        bm25: of(&found.lexical),
        cosine: of(&found.semantic),
        signature: of(&found.signature),
        fused: one.score,
    }
}

/// Returns one sentence that explains why a document was found.
fn why(query: &Query, passages: &passages::DocumentPassages, one: &Fused, found: &Candidates) -> String {
    let arm = |arm| one.contributions.iter().find(|c| c.arm == arm);
    let mut reasons: Vec<String> = Vec::new();
    if arm(Arm::Signature).is_some() {
        reasons.push(if found.signatures == 1 {
            "same error".to_owned()
        } else {
            "one of the errors in your text".to_owned()
        });
    }
    if arm(Arm::Lexical).is_some() {
        let place = if passages.in_comment { "a comment" } else { "the text" };
        reasons.push(match (passages.title_words.as_slice(), passages.words.as_slice()) {
            ([], []) => format!("{place} contains some of your words"),
            ([], words) => format!("{place} contains {}", quoted(words)),
            (title, []) => format!("the title contains {}", quoted(title)),
            (title, words) => {
                format!("the title contains {} and {place} contains {}", quoted(title), quoted(words))
            }
        });
    }
    if let Some(c) = arm(Arm::Semantic) {
        reasons.push(match c.rank {
            1 if !query.is_empty() => "closest in meaning".to_owned(),
            2..=10 => "very similar in meaning".to_owned(),
            _ => "similar in meaning".to_owned(),
        });
    }
    let mut sentence = reasons.join("; ");
    if let Some(first) = sentence.get(..1) {
        sentence = format!("{}{}.", first.to_uppercase(), &sentence[1..]);
    }
    sentence
}

fn quoted(words: &[String]) -> String {
    let words: Vec<String> = words.iter().take(3).map(|w| format!("“{w}”")).collect();
    match words.as_slice() {
        [one] => one.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}
