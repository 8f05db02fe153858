//! Search: the query language, hybrid retrieval, and score fusion with its explanation.

mod coverage;
mod fusion;
mod passages;
pub mod query;
mod resolve;
mod suggest;

use crate::QueryContext;
use std::{
    collections::{BTreeSet, HashMap},
    sync::Arc,
    time::Instant,
};

use rayon::prelude::*;

pub use coverage::coverage;
use coverage::{missing_text, missing_vectors};
use fusion::{ArmResults, FusedHit};
pub(crate) use passages::anchor;
use precedent_core::{
    error::{Error, Hint, Result},
    model::{Arm, Coverage, Hit, Mode, Notice, NoticeKind, Scores, SearchRequest, SearchResponse},
    task::Task,
};
use precedent_index::{
    filter::{Filter, Test},
    fulltext::{Scope, Vocabulary, Words},
    vectors::{Extent, NearestChunk, Vectors},
};
use precedent_store::{DocumentRow, Reader, StoredComment};
use precedent_text::{
    chunk::{self, representation},
    language,
    prepare::PreparedText,
    report::{self, Report},
    signature,
    skeleton::Skeleton,
    tokens,
};
use query::Query;
pub(crate) use resolve::only_source;
pub use resolve::{find_source, resolve, resolve_one};

/// The number of results if a search sets no limit.
pub const DEFAULT_LIMIT: usize = 20;
/// The maximum number of results of one search.
pub const MAX_LIMIT: usize = precedent_core::model::limits::SEARCH;
/// The minimum number of documents that each arm retrieves.
const MIN_DEPTH: usize = 200;
/// The minimum cosine described as similar meaning.
const MIN_SIMILAR_COSINE: f32 = 0.5;
/// The maximum number of terms per field that a prefix expands to, most frequent first.
const MAX_PREFIX_TERMS: usize = 20;

/// A query with its retrieval parameters.
struct Retrieval<'a> {
    query: &'a Query,
    words: &'a Words,
    mode: Mode,
    /// The number of results.
    limit: usize,
    coverage: Coverage,
    task: &'a Task,
}

impl Retrieval<'_> {
    /// Returns the number of documents that each arm retrieves.
    fn depth(&self) -> usize {
        MIN_DEPTH.max(self.limit * 2)
    }

    /// Returns whether the query has phrases, exclusions or a scope, which restrict every arm.
    fn is_strict(&self) -> bool {
        let query = self.query;
        !query.phrases.is_empty() || !query.exclusions.is_empty() || query.scope != Scope::Any
    }
}

/// The documents that the arms found, not yet loaded.
#[derive(Default)]
struct Candidates {
    arms: Vec<Arm>,
    notices: Vec<Notice>,
    results: ArmResults,
    chunks: HashMap<i64, Vec<NearestChunk>>,
    signature_count: usize,
    /// True if the query is pasted text.
    is_pasted: bool,
}

impl QueryContext<'_> {
    /// Answers a search.
    pub fn search(&self, request: &SearchRequest, task: &Task) -> Result<SearchResponse> {
        let start = Instant::now();
        let limit = match request.limit {
            0 => DEFAULT_LIMIT,
            n if n <= MAX_LIMIT => n,
            n => {
                return Err(Error::invalid(format!("a limit of {n} is too large")).with_hint(
                    format!("Use at most {MAX_LIMIT}, and filters to narrow the search."),
                ));
            }
        };
        let query = query::parse(&request.query)?.with_filters(&request.filters)?;
        self.check_sources(&query)?;
        let mode = request.mode.or(query.mode).unwrap_or_default();
        let mut coverage = self.coverage()?;
        let notice = |text: &String| Notice::new(NoticeKind::Operators, text);
        let mut notices: Vec<Notice> = query.notices.iter().map(notice).collect();
        let mut arms = Vec::new();

        let is_browse = query.is_empty();
        let words = self.index_words(&query)?;
        task.check()?;
        if request.offset > 0 && !is_browse {
            return Err(Error::invalid("only a query without words can be paged")
                .with_hint("Remove the words, or ask for more results at once."));
        }
        let mut hits = if is_browse {
            self.recent_hits(&query, request, limit)?
        } else if tokens::words(&query.all_words()).is_empty() {
            // A lone symbol has no meaning, so its vector is equally near to all texts.
            Vec::new()
        } else {
            let retrieval = Retrieval { query: &query, words: &words, mode, limit, coverage, task };
            let mut pool = self.retrieve(&retrieval)?;
            task.check()?;
            arms = std::mem::take(&mut pool.arms);
            notices.append(&mut pool.notices);
            if mode != Mode::Lexical {
                notices.extend(self.language_notice(&query.text)?);
            }
            let mut hits = self.load_hits(&query, &words, pool, limit, request.explain)?;
            self.pin_key_match(&query, &mut hits, &mut notices, limit)?;
            if request.titles {
                hits.iter_mut().for_each(|hit| hit.passages.clear());
            }
            hits
        };
        hits.truncate(limit);
        if hits.is_empty() {
            // An empty result is not conclusive if another process has started a rebuild.
            let current_coverage = self.coverage()?;
            let has_vector_notice = notices.iter().any(|n: &Notice| {
                matches!(n.lack, NoticeKind::SomeVectors | NoticeKind::AllVectors)
            });
            if mode != Mode::Lexical && coverage.embedded > 0 && !has_vector_notice {
                notices.extend(self.missing_vectors(current_coverage)?);
            }
            coverage = current_coverage;
            notices.extend(self.suggestions(&query)?);
            if query.is_narrowed() {
                let advice = match query.phrases.is_empty() {
                    true => "",
                    false => " Remove the quotes to search for the words one by one.",
                };
                let text =
                    format!("No item matches all filters, quoted phrases and exclusions.{advice}");
                notices.push(Notice::new(NoticeKind::Operators, text));
            }
        }
        let total = is_browse.then(|| self.fulltext.count_matching(&query.filters)).transpose()?;
        notices.extend(missing_text(coverage));
        Ok(SearchResponse {
            query: query.interpretation,
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

    /// Converts a query to index terms, limited to the rarest if there are many.
    fn index_words(&self, query: &Query) -> Result<Words> {
        let mut words = split_words(query);
        words.terms = self.fulltext.rarest_terms(words.terms)?;
        for group in &query.alternatives {
            let mut terms = Vec::new();
            for word in group {
                terms.extend(report::terms(word.trim_end_matches('*')));
                if let Some(prefix) = word.strip_suffix('*').map(str::to_lowercase) {
                    for field in [Vocabulary::Title, Vocabulary::Body, Vocabulary::Comments] {
                        let vocabulary =
                            self.fulltext.vocabulary(field, |term| term.starts_with(&prefix))?;
                        terms.extend(
                            vocabulary.into_iter().take(MAX_PREFIX_TERMS).map(|(term, _)| term),
                        );
                    }
                }
            }
            terms.sort_unstable();
            terms.dedup();
            words.alternatives.push(terms);
        }
        Ok(words)
    }

    /// Returns how much of the casebook each arm covers.
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
                self.store.read(|r| find_source(r, key))?;
            }
        }
        Ok(())
    }

    fn retrieve(&self, retrieval: &Retrieval<'_>) -> Result<Candidates> {
        let Retrieval { query, words, mode, coverage, .. } = *retrieval;
        let depth = retrieval.depth();
        let filters: &[Filter] = &query.filters;
        let mut pool = Candidates { is_pasted: query.is_pasted, ..Candidates::default() };
        let has_lexical_arm = !query.is_pasted && mode != Mode::Semantic;
        let fulltext = self.fulltext;
        // The full-text lookup runs while the query is embedded.
        std::thread::scope(|scope| {
            let lexical =
                has_lexical_arm.then(|| scope.spawn(|| fulltext.search(words, filters, depth)));
            self.retrieve_secondary(retrieval, &mut pool)?;
            if let Some(lexical) = lexical {
                pool.results.words =
                    lexical.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
            }
            Ok::<_, Error>(())
        })?;
        if has_lexical_arm {
            pool.arms.push(Arm::Lexical);
        }
        retrieval.task.check()?;
        let semantic_ids: Vec<i64> = pool.results.semantic.iter().map(|(id, _)| *id).collect();
        if has_lexical_arm && query.scope == Scope::Any {
            // Semantic candidates may also contain words of the query.
            pool.results.words =
                self.fulltext.score_words(words, &pool.results.words, &semantic_ids)?;
        }
        if query.is_pasted && mode != Mode::Semantic {
            let (title, body) = report::split_paste(&query.text, &Skeleton::default());
            pool.results.words = self.fulltext.search_by_report(
                &Report::new(&title, &body),
                filters,
                depth,
                &semantic_ids,
            )?;
            pool.arms.push(Arm::Lexical);
        }
        if let Some(vectors) = self.vectors
            && pool.arms.contains(&Arm::Semantic)
            && (coverage.unread > 0 || coverage.embedded < coverage.chunks)
        {
            let ids: Vec<i64> = pool.results.words.iter().map(|(id, _)| *id).collect();
            pool.results.unembedded_ids = vectors.documents_without_vectors(&ids)?;
        }
        pool.arms.sort_unstable();
        Ok(pool)
    }

    /// Retrieves candidates by signature and by vector.
    fn retrieve_secondary(&self, retrieval: &Retrieval<'_>, pool: &mut Candidates) -> Result<()> {
        let query = retrieval.query;
        if retrieval.mode != Mode::Semantic && !retrieval.is_strict() {
            let mut distinctive = signature::signatures(&query.all_words());
            distinctive.retain(signature::Signature::is_distinctive);
            if query.is_pasted {
                // A typed signature is intentional; one in a pasted log may occur in every log.
                distinctive = self.fulltext.rare_signatures(distinctive)?;
            }
            let terms: Vec<String> = distinctive.iter().map(signature::Signature::term).collect();
            if !terms.is_empty() {
                pool.signature_count = terms.len();
                pool.results.signatures =
                    self.fulltext.search_signatures(&terms, &query.filters, retrieval.depth())?;
                pool.arms.push(Arm::Signature);
            }
        }
        retrieval.task.check()?;
        match self.vectors {
            _ if retrieval.mode == Mode::Lexical => {}
            Some(vectors) if retrieval.coverage.embedded > 0 => {
                self.retrieve_semantic(vectors, retrieval, pool)?;
                pool.arms.push(Arm::Semantic);
                pool.notices.extend(self.missing_vectors(retrieval.coverage)?);
            }
            Some(_) => pool.notices.extend(self.missing_vectors(retrieval.coverage)?),
            None => pool.notices.push(self.no_model()),
        }
        Ok(())
    }

    /// Returns notices about missing data: an incomplete index or a missing model.
    pub fn notices(&self, coverage: Coverage) -> Result<Vec<Notice>> {
        let mut notices = Vec::new();
        match self.vectors {
            Some(_) => notices.extend(self.missing_vectors(coverage)?),
            None => notices.push(self.no_model()),
        }
        notices.extend(missing_text(coverage));
        Ok(notices)
    }

    fn missing_vectors(&self, coverage: Coverage) -> Result<Option<Notice>> {
        // A note is embedded immediately, before the number of missing vectors is known.
        if let Some(vectors) = self.vectors
            && coverage.embedded > 0
            && vectors.planned_revision()? == 0
        {
            let text = "Not conclusive: the semantic index is only partly built.";
            return Ok(Some(Notice::new(NoticeKind::SomeVectors, text)));
        }
        Ok(missing_vectors(coverage))
    }

    /// Returns a notice if the semantic index does not fully cover the language of a text.
    pub(crate) fn language_notice(&self, text: &str) -> Result<Option<Notice>> {
        let Some(language) = language::foreign_language(text).filter(|_| self.vectors.is_some())
        else {
            return Ok(None);
        };
        let name = language.name();
        let words_only =
            format!("Not conclusive: texts in {name} are compared by their words and names only");
        let notice = |hint: Hint| Ok(Some(Notice::new(NoticeKind::Model, hint)));
        if !language.is_supported() {
            let why = "the model for other languages does not support it";
            return notice(format!("{words_only}, because {why}.").into());
        }
        let vectors = match (self.non_english_vectors)(true) {
            Ok(Some(vectors)) => vectors,
            Ok(None) => {
                return notice(format!("{words_only}, because the casebook is read-only.").into());
            }
            Err(error) => return notice(error.hint_after(format!("{words_only} ({error})."))),
        };
        let Extent { chunks, embedded_chunks } = vectors.extent()?;
        if embedded_chunks >= chunks
            && vectors.planned_revision()? >= self.store.read(|r| r.revision())?
        {
            return Ok(None);
        }
        let percentage = (embedded_chunks * 100).checked_div(chunks).unwrap_or(0).min(99);
        let text = format!(
            "Not conclusive: the index for {name} and other languages is {percentage}% built."
        );
        Ok(Some(Notice::new(NoticeKind::SomeVectors, text)))
    }

    pub(crate) fn no_model(&self) -> Notice {
        let hint: Hint = self.vectors_error.map_or_else(
            || "Keyword search only.".into(),
            |error| error.hint_after(format!("Keyword search only ({error}).")),
        );
        Notice::new(NoticeKind::Model, hint)
    }

    /// Retrieves candidates by the query's vector, and scores the title of pasted text
    /// separately.
    fn retrieve_semantic(
        &self,
        vectors: &Vectors,
        retrieval: &Retrieval<'_>,
        pool: &mut Candidates,
    ) -> Result<()> {
        let Retrieval { query, words, mode, .. } = *retrieval;
        let depth = retrieval.depth();
        let filter_ids = if retrieval.is_strict() {
            // Phrases, exclusions and the scope must hold at any rank.
            let count = usize::try_from(self.fulltext.count()?).unwrap_or(usize::MAX);
            let matches = self.fulltext.search(words, &query.filters, count)?;
            Some(Arc::new(matches.iter().filter_map(|(id, _)| usize::try_from(*id).ok()).collect()))
        } else {
            self.fulltext.matching_ids(&query.filters)?
        };
        let (text, title) = embedding_texts(query);
        let is_foreign = language::foreign_language(&query.text).is_some();
        let foreign_hits = match self.language_vectors(is_foreign)? {
            Some(vectors) => {
                let nearest = self.nearest_across_languages(
                    &vectors,
                    (&title, &text),
                    &query.filters,
                    depth,
                )?;
                let nearest: Vec<(i64, f32)> =
                    nearest.iter().map(|hit| (hit.document, hit.mean)).collect();
                if is_foreign && !retrieval.is_strict() {
                    pool.results.semantic = nearest;
                    return Ok(());
                }
                nearest
            }
            None => Vec::new(),
        };
        let vector = (self.embed)(&text)?;
        for nearest in vectors.search(&vector, filter_ids.as_deref(), depth)? {
            if nearest.cosine < self.min_cosine {
                break;
            }
            let chunks = pool.chunks.entry(nearest.document).or_default();
            if chunks.is_empty() {
                pool.results.semantic.push((nearest.document, nearest.cosine));
            }
            chunks.push(nearest);
        }
        if !foreign_hits.is_empty() && !retrieval.is_strict() {
            self.merge_foreign(&foreign_hits, &mut pool.results.semantic)?;
        }
        if !title.is_empty() && mode == Mode::Hybrid {
            let ids: Vec<i64> = pool.results.semantic.iter().map(|(id, _)| *id).collect();
            pool.results.titles =
                fusion::title_scores(&vectors.compare(&(self.embed)(&title)?, &vector, &ids)?);
        }
        Ok(())
    }

    /// Merges the documents in other languages into the semantic candidates: each gets the cosine
    /// of the candidate at the same rank, because the cosines of two models are not comparable.
    fn merge_foreign(
        &self,
        foreign_hits: &[(i64, f32)],
        semantic: &mut Vec<(i64, f32)>,
    ) -> Result<()> {
        let foreign_ids = self.foreign_documents(foreign_hits.iter().map(|(id, _)| *id))?;
        let by_rank =
            foreign_hits.iter().zip(semantic.iter()).map(|((id, _), (_, cosine))| (*id, *cosine));
        let merged_hits: Vec<(i64, f32)> =
            by_rank.filter(|(id, _)| foreign_ids.contains(id)).collect();
        semantic.retain(|(id, _)| !foreign_ids.contains(id));
        semantic.extend(merged_hits);
        semantic.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        Ok(())
    }

    /// Returns the best documents for pasted text with their scores, by fused score; ties by id.
    pub fn best_documents(
        &self,
        text: &str,
        filters: &[Filter],
        limit: usize,
        task: &Task,
    ) -> Result<Vec<(i64, Scores)>> {
        let query = &Query { filters: filters.to_vec(), ..Query::from_pasted(text) };
        let mode = if self.vectors.is_some() { Mode::Hybrid } else { Mode::Lexical };
        let (words, coverage) = (&Words::default(), self.coverage()?);
        let pool = self.retrieve(&Retrieval { query, words, mode, limit, coverage, task })?;
        let hits = fuse(&pool).into_iter().take(limit);
        Ok(hits.map(|hit| (hit.document, scores(&hit, &pool))).collect())
    }

    /// Returns the unit vector of pasted text, or `None` without a model.
    pub fn vector(&self, text: &str) -> Result<Option<Vec<f32>>> {
        self.vectors
            .map(|_| (self.embed)(&embedding_texts(&Query::from_pasted(text)).0))
            .transpose()
    }

    /// Returns the best documents for a query, by fused score, without loading them; ties by id.
    pub fn rank(
        &self,
        query: &Query,
        mode: Mode,
        limit: usize,
        task: &Task,
    ) -> Result<Vec<(i64, f32)>> {
        let (words, coverage) = (&self.index_words(query)?, self.coverage()?);
        let pool = self.retrieve(&Retrieval { query, words, mode, limit, coverage, task })?;
        Ok(fuse(&pool).into_iter().take(limit).map(|f| (f.document, f.score)).collect())
    }

    /// Loads the best documents of all arms, with their passages.
    fn load_hits(
        &self,
        query: &Query,
        words: &Words,
        pool: Candidates,
        limit: usize,
        explain: bool,
    ) -> Result<Vec<Hit>> {
        let ranking = fuse(&pool);
        let weights = self.weights(words)?;
        self.store.read(|r| {
            let mut rows: Vec<(FusedHit, DocumentRow)> = Vec::with_capacity(limit + 1);
            // Ties are broken by key, so all documents with the last score are loaded.
            for item in ranking.iter() {
                if rows.len() >= limit
                    && rows.last().is_some_and(|(last, _)| last.score > item.score)
                {
                    break;
                }
                match r.document(item.document)? {
                    Some(row) if row.deleted_at.is_none() => rows.push((item.clone(), row)),
                    _ => {}
                }
            }
            rows.sort_by(|(a, x), (b, y)| {
                b.score.total_cmp(&a.score).then_with(|| key_order(x, y))
            });
            rows.truncate(limit);
            let sources: BTreeSet<i64> = rows.iter().map(|(_, row)| row.source_id).collect();
            let skeleton = |source| Ok((source, r.skeleton(source)?));
            let skeletons: HashMap<_, _> =
                sources.into_iter().map(skeleton).collect::<Result<_>>()?;
            let with_comments = |(item, row)| Ok((r.comments(&row)?, item, row));
            let threads: Vec<_> = rows.into_iter().map(with_comments).collect::<Result<_>>()?;
            // Selecting passages takes most of the time, and documents are independent.
            let make_hit = |(comments, item, row): &(Vec<StoredComment>, FusedHit, DocumentRow)| {
                let nearest = pool.chunks.get(&row.id).map(Vec::as_slice).unwrap_or_default();
                let skeleton = &skeletons[&row.source_id];
                let passages =
                    passages::select_passages(row, comments, skeleton, &weights, nearest);
                let mut hit = hit(row, comment_count(comments), &weights);
                hit.scores = scores(item, &pool);
                hit.why = explain_match(query, &passages, item, &pool);
                hit.passages = passages.items;
                hit.trace = explain.then(|| item.contributions.clone());
                hit
            };
            Ok(threads.par_iter().map(make_hit).collect())
        })
    }

    /// Returns the weight of each of the query's words.
    fn weights(&self, words: &Words) -> Result<passages::Weights> {
        let mut terms: Vec<String> = words.terms.clone();
        terms.extend(words.phrases.iter().chain(&words.alternatives).flatten().cloned());
        terms.sort_unstable();
        terms.dedup();
        let idf = self.fulltext.idf(&terms)?;
        Ok(passages::Weights::new(terms.into_iter().zip(idf), &words.identifiers))
    }

    fn recent_hits(
        &self,
        query: &Query,
        request: &SearchRequest,
        limit: usize,
    ) -> Result<Vec<Hit>> {
        const REASON: &str = "No search terms; listed by date.";
        let ids = self.fulltext.recent_documents(&query.filters, request.offset, limit)?;
        self.store.read(|r| {
            let mut hits = Vec::with_capacity(ids.len());
            for id in ids {
                let Some(row) = r.document(id)?.filter(|d| d.deleted_at.is_none()) else {
                    continue;
                };
                hits.push(if request.titles {
                    Hit {
                        why: REASON.to_owned(),
                        ..hit(&row, r.comment_count(&row)?, &passages::Weights::default())
                    }
                } else {
                    beginning_hit(r, &row, REASON)?
                });
            }
            hits.sort_by(|a, b| b.updated_at.cmp(&a.updated_at).then_with(|| a.key.cmp(&b.key)));
            Ok(hits)
        })
    }
}

/// Fuses the candidates of all arms, best first.
fn fuse(pool: &Candidates) -> Vec<FusedHit> {
    let factors = match (pool.is_pasted, pool.results.titles.is_empty()) {
        (false, _) => &fusion::TYPED_FACTORS,
        (true, true) => &fusion::PASTED_FACTORS,
        (true, false) => &fusion::PASTED_WITH_TITLES,
    };
    fusion::blend(factors, &pool.results)
}

/// Returns the texts to embed for a query, formatted like those of a stored report: the whole text
/// and, for pasted text, the title alone.
fn embedding_texts(query: &Query) -> (String, String) {
    if !query.is_pasted {
        return (representation("", &query.all_words()), String::new());
    }
    let (title, body) = report::split_paste(&query.text, &Skeleton::default());
    report_texts(&title, &body)
}

/// Returns the texts to embed for a report: its title with its first chunk, and its title alone.
pub(crate) fn report_texts(title: &str, body: &PreparedText) -> (String, String) {
    let title_only = representation(title, "");
    let first = chunk::chunks(body, 1).into_iter().next();
    let text = first.map_or_else(|| title_only.clone(), |first| first.representation(title));
    (text, title_only)
}

/// Compares two documents by key, with numbers compared as numbers.
fn key_order(a: &DocumentRow, b: &DocumentRow) -> std::cmp::Ordering {
    (&a.source, a.number, &a.key).cmp(&(&b.source, b.number, &b.key))
}

/// Converts a query to index terms.
fn split_words(query: &Query) -> Words {
    let terms =
        |text: &str| -> Vec<String> { tokens::words(text).into_iter().map(|w| w.term).collect() };
    let mut identifiers: Vec<String> = Vec::new();
    for (_, identifier) in tokens::identifiers(&query.text).take(200) {
        if !identifiers.contains(&identifier) {
            identifiers.push(identifier);
        }
    }
    // Short names such as "C++" are searched as identifiers, not as words.
    let mut text = query.text.clone();
    if query.scope == Scope::Any {
        for (range, name) in tokens::identifiers(&query.text) {
            if tokens::is_language(&name) && name.trim_matches(['.', '+', '#']).len() < 4 {
                text.replace_range(range.clone(), &" ".repeat(range.len()));
            }
        }
    }
    Words {
        terms: report::terms(&text),
        alternatives: Vec::new(),
        identifiers,
        phrases: query.phrases.iter().map(|p| terms(p)).filter(|p| !p.is_empty()).collect(),
        exclusions: query.exclusions.iter().map(|p| terms(p)).filter(|p| !p.is_empty()).collect(),
        scope: query.scope,
    }
}

/// Makes a hit that shows the beginning of a document, without matches.
fn beginning_hit(reader: &Reader<'_>, row: &DocumentRow, reason: &str) -> Result<Hit> {
    let weights = passages::Weights::default();
    let comments = reader.comments(row)?;
    let passages =
        passages::select_passages(row, &comments, &reader.skeleton(row.source_id)?, &weights, &[]);
    let mut hit = hit(row, comment_count(&comments), &weights);
    hit.why = reason.to_owned();
    hit.passages = passages.items;
    Ok(hit)
}

fn comment_count(comments: &[StoredComment]) -> u32 {
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

fn scores(item: &FusedHit, pool: &Candidates) -> Scores {
    let score =
        |list: &[(i64, f32)]| list.iter().find(|(id, _)| *id == item.document).map(|(_, s)| *s);
    Scores {
        bm25: score(&pool.results.words),
        cosine: score(&pool.results.semantic),
        signature: score(&pool.results.signatures),
        fused: item.score,
    }
}

/// Returns a sentence that explains why a document was found.
fn explain_match(
    query: &Query,
    passages: &passages::DocumentPassages,
    item: &FusedHit,
    pool: &Candidates,
) -> String {
    let contribution = |arm| item.contributions.iter().find(|c| c.arm == arm);
    let mut reasons: Vec<String> = Vec::new();
    if contribution(Arm::Signature).is_some() {
        reasons.push(if pool.signature_count == 1 {
            "same error".to_owned()
        } else {
            "one of the errors in your text".to_owned()
        });
    }
    // The words of a query that is only an error code are part of that code.
    let is_code = !reasons.is_empty() && query.text.split_whitespace().count() == 1;
    if contribution(Arm::Lexical).is_some() && !is_code {
        let part = if passages.in_comment { "a comment" } else { "the text" };
        reasons.push(match (passages.title_words.as_slice(), passages.words.as_slice()) {
            ([], []) => format!("{part} contains some of your words"),
            ([], words) => format!("{part} contains {}", quote_list(words)),
            (title, []) => format!("the title contains {}", quote_list(title)),
            (title, words) => {
                format!(
                    "the title contains {} and {part} contains {}",
                    quote_list(title),
                    quote_list(words)
                )
            }
        });
    }
    if let Some(c) = contribution(Arm::Semantic) {
        let cosine = c.score;
        reasons.push(match cosine >= MIN_SIMILAR_COSINE {
            true => format!("similar meaning ({cosine:.2})"),
            false => format!("distantly related meaning ({cosine:.2})"),
        });
    }
    let mut sentence = reasons.join("; ");
    if let Some(first) = sentence.get(..1) {
        sentence = format!("{}{}.", first.to_uppercase(), &sentence[1..]);
    }
    sentence
}

fn quote_list(words: &[String]) -> String {
    let words: Vec<String> = words.iter().take(3).map(|w| format!("“{w}”")).collect();
    match words.as_slice() {
        [word] => word.clone(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
        [] => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use precedent_index::embed::Engine;

    use super::*;
    use crate::{Casebook, OpenOptions};

    #[tokio::test]
    async fn hits_show_why_they_match() {
        let folder = tempfile::tempdir().unwrap();
        let options = OpenOptions { engine: Some(Engine::Off), ..OpenOptions::new(folder.path()) };
        let (casebook, task) = (Casebook::open(options).await.unwrap(), Task::new());
        casebook.import_sample(&task).await.unwrap();
        let search = async |query: &str| {
            let request = SearchRequest { query: query.into(), ..SearchRequest::default() };
            casebook.search(request, &task).await.unwrap().hits
        };
        for query in ["standby OR certificate", "standb* is:issue"] {
            let hits = search(query).await;
            assert!(!hits.is_empty(), "{query}");
            for hit in hits {
                assert!(hit.why.contains("“standb") || hit.why.contains("“certif"), "{}", hit.why);
            }
        }
        for query in ["ferrywire/ferrywire#66", "ferrywire/ferrywire#66 slot grows"] {
            let hits = search(query).await;
            assert_eq!((hits[0].number, &*hits[0].why), (Some(66), "Exact key match."), "{query}");
        }
        let hits = search("ferrywire/ferrywire#66").await;
        assert!(hits[1..].iter().all(|hit| hit.why == "Mentions this item."));
    }
}
