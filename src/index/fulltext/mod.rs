//! The full-text index: all of tantivy.
//!
//! One entry a document, with its comments. The index stores nothing that can be shown; texts come from the store.

mod best;
mod similar;

use std::{
    collections::BTreeSet,
    fs,
    ops::Bound,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
    time::SystemTime,
};

use fixedbitset::FixedBitSet;
use serde::{Deserialize, Serialize};
use tantivy::{
    DocAddress, Index, IndexReader, IndexWriter, Order, ReloadPolicy, Searcher, SearcherGeneration,
    TantivyDocument, Term,
    collector::{Collector, Count, SegmentCollector, TopDocs},
    columnar::Column,
    directory::MmapDirectory,
    index::{SegmentComponent, SegmentMeta},
    indexer::LogMergePolicy,
    query::{
        AllQuery, BooleanQuery, BoostQuery, ConstScoreQuery, Occur, PhraseQuery, Query, RangeQuery, TermQuery,
    },
    schema::{
        FAST, Field, INDEXED, IndexRecordOption, NumericOptions, STRING, Schema, TextFieldIndexing,
        TextOptions,
    },
    tokenizer::{TextAnalyzer, Token, TokenStream, Tokenizer},
};

use best::Disjunction;
pub use similar::{Overlap, ReportTerms, Said};

use super::filter::{Filter, Test, TimeField};
use crate::{
    error::{Error, Result},
    model::{DocKind, State},
    store::{DocumentRow, StoredComment},
    text::{PREPARATION_VERSION, prepare::Prepared, signature::Signature, tokens},
};

/// Bumped with every change to the fields below; another number is another folder.
const SCHEMA_VERSION: u32 = 2;
/// Memory of each of the two indexing threads, in bytes.
const THREAD_BYTES: usize = 48 * 1024 * 1024;

/// Segments with more documents are merged no more: what a merge rewrites and maps stays bounded. Eight of about 65,000 documents
/// become one; the fewer there are, the sooner a search can cut its words short.
const MERGED_UP_TO: usize = 150_000;

/// After so many looks at an index, what is mapped of its files is given back. The system counts as a program's own what that has once
/// read of a file, and takes it back only where memory is short.
const LOOKS: u32 = 128;
/// An index of up to so many bytes stays mapped.
const SMALL: u64 = 256 * 1024 * 1024;

/// A signature that more than one document of so many has is boilerplate,
const COMMON: u64 = 100;
/// if it has so many documents at all.
const COMMON_AT_LEAST: u64 = 10;

/// One who made more than one report of so many, and more than so many, reports for others. The most that one person made of
/// the issues of rust-lang/rust is one of ten.
const DESK: u64 = 5;
const DESK_AT_LEAST: u64 = 20;

/// Field weights of the sum of BM25 scores. A title is worth about five words of a body.
const TITLE: f32 = 5.0;
const BODY: f32 = 1.0;
const COMMENTS: f32 = 0.5;
const CODE: f32 = 0.5;
/// An identifier that is found whole says more than its parts.
const IDENTIFIER: f32 = 2.0;
/// The most terms of a query; of longer texts the rarest count.
pub const MAX_TERMS: usize = 32;

/// Where words have to stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scope {
    /// Anywhere.
    #[default]
    Any,
    /// In the title.
    Title,
    /// In the document's own text, code included.
    Body,
    /// In a comment, code included.
    Comments,
}

/// The parts of a boolean query.
type Clauses = Vec<(Occur, Box<dyn Query>)>;

/// What to look for: terms as [`tokens`] gives them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Words {
    /// Stemmed terms, each once; at most [`MAX_TERMS`] (see [`FullText::rarest`]).
    pub terms: Vec<String>,
    /// Whole identifiers.
    pub identifiers: Vec<String>,
    /// Phrases, all of which must occur.
    pub phrases: Vec<Vec<String>>,
    /// Terms and phrases that must not occur, wherever the others have to stand.
    pub without: Vec<Vec<String>>,
    /// Where they have to stand.
    pub scope: Scope,
}

/// How far the index has come; kept in the payload of its own commit.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reached {
    /// Every change up to this revision of the store is in.
    pub revision: u64,
    /// The text preparation that it was made with.
    pub preparation: u32,
}

#[derive(Clone, Copy)]
struct Fields {
    id: Field,
    title: Field,
    body: Field,
    code: Field,
    comments: Field,
    identifiers: Field,
    signatures: Field,
    said_signatures: Field,
    source: Field,
    kind: Field,
    state: Field,
    reason: Field,
    label: Field,
    author: Field,
    flag: Field,
    created: Field,
    updated: Field,
    closed: Field,
}

/// Opens every file that the last commit names: tantivy itself takes a file that was cut for one that was never there, and
/// finds out in the middle of a search. Their footers are read, not their contents.
fn sound(index: &Index) -> Result<()> {
    let parts = [
        SegmentComponent::Postings,
        SegmentComponent::Positions,
        SegmentComponent::Terms,
        SegmentComponent::Store,
        SegmentComponent::FastFields,
        SegmentComponent::FieldNorms,
    ];
    let open = |metas: &[SegmentMeta]| -> Result<()> {
        for meta in metas {
            let segment = index.segment(meta.clone());
            let deletes = meta.has_deletes().then_some(SegmentComponent::Delete);
            for part in parts.iter().cloned().chain(deletes) {
                segment.open_read(part).map_err(tantivy::TantivyError::from)?;
            }
        }
        Ok(())
    };
    let mut metas = index.searchable_segment_metas()?;
    loop {
        let result = open(&metas);
        if result.is_ok() {
            return result;
        }
        // Another process may have merged segments away meanwhile.
        let now = index.searchable_segment_metas()?;
        let names = |metas: &[SegmentMeta]| -> Vec<_> {
            metas.iter().map(|m| (m.id(), m.delete_opstamp())).collect()
        };
        if names(&now) == names(&metas) {
            return result;
        }
        metas = now;
    }
}

/// The index of a casebook.
pub struct FullText {
    folder: PathBuf,
    index: Index,
    reading: Mutex<Reading>,
    fields: Fields,
    passed: Mutex<Vec<Passed>>,
}

/// The committed state that searches look at.
struct Reading {
    reader: IndexReader,
    /// When the newest commit that it knows was made.
    seen: Option<SystemTime>,
    /// How many searches have looked at it.
    looks: u32,
}

impl Reading {
    fn of(index: &Index) -> Result<Self> {
        let reader = index.reader_builder().reload_policy(ReloadPolicy::Manual).try_into()?;
        Ok(Self { reader, seen: None, looks: 0 })
    }

    /// As new, so that nothing of the files in this folder is mapped any more.
    fn renew(&mut self, folder: &Path) -> Result<()> {
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        *self = Self::of(&Index::open(directory)?)?;
        Ok(())
    }
}

/// The documents that met filters in one state of the index.
struct Passed {
    state: SearcherGeneration,
    filters: Vec<Filter>,
    ids: Arc<FixedBitSet>,
}

/// So many sets of documents that met filters are kept: who searches again mostly filters as before.
const KEPT: usize = 4;

impl std::fmt::Debug for FullText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FullText").field("folder", &self.folder).finish_non_exhaustive()
    }
}

fn schema() -> (Schema, Fields) {
    let mut b = Schema::builder();
    let text = |tokenizer: &str, option| {
        TextOptions::default().set_indexing_options(
            TextFieldIndexing::default().set_tokenizer(tokenizer).set_index_option(option),
        )
    };
    let positions = || text("words", IndexRecordOption::WithFreqsAndPositions);
    let number = || NumericOptions::default() | INDEXED | FAST;
    let fields = Fields {
        id: b.add_u64_field("id", number()),
        title: b.add_text_field("title", positions()),
        body: b.add_text_field("body", positions()),
        code: b.add_text_field("code", positions()),
        comments: b.add_text_field("comments", positions()),
        identifiers: b.add_text_field("identifiers", text("identifiers", IndexRecordOption::WithFreqs)),
        signatures: b.add_text_field("signatures", STRING),
        said_signatures: b.add_text_field("said_signatures", STRING),
        source: b.add_text_field("source", STRING),
        kind: b.add_text_field("kind", STRING),
        state: b.add_text_field("state", STRING),
        reason: b.add_text_field("reason", STRING),
        label: b.add_text_field("label", STRING),
        author: b.add_text_field("author", STRING),
        flag: b.add_text_field("flag", STRING),
        created: b.add_i64_field("created", number()),
        updated: b.add_i64_field("updated", number()),
        closed: b.add_i64_field("closed", number()),
    };
    (b.build(), fields)
}

impl FullText {
    /// Opens the index below this folder, making an empty one where there is none or where it is damaged: it is derived.
    ///
    /// # Errors
    /// [`crate::Code::Io`] if the folder cannot be written.
    pub fn open(parent: &Path) -> Result<Self> {
        let folder = parent.join(format!("v{SCHEMA_VERSION}"));
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
        match Self::open_in(&folder) {
            Ok(index) => Ok(index),
            Err(error) if Self::is_damage(&error) => {
                fs::remove_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
                fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
                Self::open_in(&folder)
            }
            Err(error) => Err(error),
        }
    }

    /// Whether an index that could not be opened is damaged; else something keeps it from being opened.
    pub fn is_damage(error: &Error) -> bool {
        matches!(error.code(), crate::Code::Corrupt | crate::Code::Internal)
    }

    /// Opens the index below this folder as it is: a damaged one stays what it is. Makes an empty one where there is none.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if it is damaged, [`crate::Code::Io`] if the folder cannot be written.
    pub fn open_as_it_is(parent: &Path) -> Result<Self> {
        let folder = parent.join(format!("v{SCHEMA_VERSION}"));
        fs::create_dir_all(&folder).map_err(|e| Error::io(&folder, e))?;
        Self::open_in(&folder)
    }

    /// An empty index that leaves nothing on disk.
    ///
    /// # Errors
    /// [`crate::Code::Internal`] if there is no memory for it.
    pub fn in_memory() -> Result<Self> {
        let (schema, fields) = schema();
        Self::new(Path::new(""), Index::create_in_ram(schema), fields)
    }

    fn open_in(folder: &Path) -> Result<Self> {
        let (schema, fields) = schema();
        let directory = MmapDirectory::open(folder).map_err(tantivy::TantivyError::from)?;
        let index = Index::open_or_create(directory, schema)?;
        sound(&index)?;
        Self::new(folder, index, fields)
    }

    fn new(folder: &Path, index: Index, fields: Fields) -> Result<Self> {
        index.tokenizers().register("words", TextAnalyzer::from(Analyzer::new(Cut::Words)));
        index.tokenizers().register("identifiers", TextAnalyzer::from(Analyzer::new(Cut::Identifiers)));
        let reading = Mutex::new(Reading::of(&index)?);
        Ok(Self { folder: folder.to_owned(), index, reading, fields, passed: Mutex::default() })
    }

    /// How far the index has come.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if it cannot be read.
    pub fn reached(&self) -> Result<Reached> {
        let payload = self.index.load_metas()?.payload.unwrap_or_default();
        Ok(serde_json::from_str(&payload).unwrap_or_default())
    }

    /// Starts an update. Readers see nothing of it before [`Writer::commit`].
    ///
    /// # Errors
    /// [`crate::Code::Busy`] if another process is at it.
    pub fn writer(&self) -> Result<Writer<'_>> {
        let writer: IndexWriter = self.index.writer_with_num_threads(2, 2 * THREAD_BYTES)?;
        let mut merges = LogMergePolicy::default();
        merges.set_max_docs_before_merge(MERGED_UP_TO);
        writer.set_merge_policy(Box::new(merges));
        self.remove_leftovers()?;
        self.remove_former();
        Ok(Writer { fulltext: self, writer })
    }

    /// Removes the indexes of earlier versions, which nothing reads any more.
    fn remove_former(&self) {
        let Some(parent) = self.folder.parent() else { return };
        for version in 1..SCHEMA_VERSION {
            // Where another program still reads it, it goes the next time.
            let _ = fs::remove_dir_all(parent.join(format!("v{version}")));
        }
    }

    /// Removes what a writer that was killed has left: files of segments that no commit names. A new writer counts from the
    /// last commit and would come to the same names. To be called with the writer's lock held.
    fn remove_leftovers(&self) -> Result<()> {
        let named = self.index.load_metas()?.list_segment_files();
        for entry in fs::read_dir(&self.folder).map_err(|e| Error::io(&self.folder, e))? {
            let Ok(entry) = entry else { continue };
            let name = entry.file_name();
            let text = name.to_string_lossy();
            let of_segment = text
                .split_once('.')
                .is_some_and(|(id, _)| id.len() == 32 && id.bytes().all(|b| b.is_ascii_hexdigit()));
            if of_segment && !named.contains(Path::new(&name)) {
                // Where somebody still reads it, it goes the next time.
                let _ = fs::remove_file(entry.path());
            }
        }
        Ok(())
    }

    /// The newest committed state.
    fn searcher(&self) -> Result<Searcher> {
        let meta = self.folder.join("meta.json");
        let changed = fs::metadata(&meta).and_then(|m| m.modified()).ok();
        let mut reading = self.reading.lock().unwrap_or_else(PoisonError::into_inner);
        reading.looks += 1;
        if reading.looks >= LOOKS {
            reading.looks = 0;
            // Where it fails, what was mapped answers as well.
            if self.bytes() > SMALL && reading.renew(&self.folder).is_ok() {
                reading.seen = changed;
            }
        }
        if reading.seen != changed || changed.is_none() {
            reading.reader.reload()?;
            reading.seen = changed;
        }
        Ok(reading.reader.searcher())
    }

    /// How many documents can be found.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn count(&self) -> Result<u64> {
        Ok(self.searcher()?.num_docs())
    }

    /// The best documents for these words, with their BM25 score, best first; ties by id.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn search(&self, words: &Words, filters: &[Filter], limit: usize) -> Result<Vec<(i64, f32)>> {
        let searcher = self.searcher()?;
        if words.phrases.is_empty() && words.without.is_empty() {
            return self.top_of(&searcher, &self.disjunction(words), filters, limit);
        }
        let Some(query) = self.query(words) else { return Ok(Vec::new()) };
        self.top(&searcher, self.filtered(query, filters), limit)
    }

    /// The words of a query that is nothing but words.
    fn disjunction(&self, words: &Words) -> Disjunction {
        let term = |field, weight: f32, text: &str| (Term::from_field_text(field, text), weight);
        let fields = self.fields_of(words.scope);
        let mut groups: Vec<Vec<(Term, f32)>> =
            words.terms.iter().map(|t| fields.iter().map(|(f, w)| term(*f, *w, t)).collect()).collect();
        if words.scope == Scope::Any {
            let whole = words.identifiers.iter().take(MAX_TERMS);
            groups.extend(whole.map(|t| vec![term(self.fields.identifiers, IDENTIFIER, t)]));
        }
        let needed = minimum_should_match(words.terms.len()).min(groups.len());
        Disjunction { groups, needed }
    }

    /// Where words have to stand, with what they weigh there.
    fn fields_of(&self, scope: Scope) -> Vec<(Field, f32)> {
        let f = &self.fields;
        match scope {
            Scope::Any => vec![(f.title, TITLE), (f.body, BODY), (f.comments, COMMENTS), (f.code, CODE)],
            Scope::Title => vec![(f.title, 1.0)],
            Scope::Body => vec![(f.body, 1.0), (f.code, CODE)],
            Scope::Comments => vec![(f.comments, 1.0)],
        }
    }

    /// The best documents of a disjunction, as [`FullText::top`] gives them.
    fn top_of(
        &self,
        searcher: &Searcher,
        terms: &Disjunction,
        filters: &[Filter],
        limit: usize,
    ) -> Result<Vec<(i64, f32)>> {
        if let Some(found) = self.best(searcher, terms, filters, limit.max(1))? {
            return ranked(searcher, found);
        }
        let group = |group: &Vec<(Term, f32)>| -> Box<dyn Query> {
            let terms = group.iter().map(|(term, weight)| {
                let query = Box::new(TermQuery::new(term.clone(), IndexRecordOption::WithFreqs));
                (Occur::Should, Box::new(BoostQuery::new(query, *weight)) as Box<dyn Query>)
            });
            Box::new(BooleanQuery::new(terms.collect()))
        };
        let groups: Clauses = terms.groups.iter().map(|g| (Occur::Should, group(g))).collect();
        let query = BooleanQuery::with_minimum_required_clauses(groups, terms.needed.max(1));
        self.top(searcher, self.filtered(Box::new(query), filters), limit)
    }

    /// The documents that share signatures with the query, with the sum of their weights, best first; ties by id.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
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
        let clauses = terms
            .iter()
            .flat_map(|t| [self.fields.signatures, self.fields.said_signatures].map(|field| (field, t)))
            .map(|(field, t)| (Occur::Should, self.term(field, t, IndexRecordOption::Basic)))
            .collect();
        self.top(&searcher, self.filtered(Box::new(BooleanQuery::new(clauses)), filters), limit)
    }

    /// Whether so much of what meets the filters is this author's that it says nothing: a desk or an integration that reports
    /// for others.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn reports_for_others(&self, author: &str, filters: &[Filter]) -> Result<bool> {
        let mut own = filters.to_vec();
        own.push(Filter { test: Test::Author(author.to_lowercase()), negated: false });
        let made = self.matching(&own)?;
        Ok(made > DESK_AT_LEAST && made * DESK > self.matching(filters)?)
    }

    /// Those of these signatures that few enough documents have to say something. "aborting due to previous error" stands under
    /// every failure of a compiler.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn rare_signatures(&self, signatures: Vec<Signature>) -> Result<Vec<Signature>> {
        let searcher = self.searcher()?;
        let most = (searcher.num_docs() / COMMON).max(COMMON_AT_LEAST);
        let mut out = Vec::with_capacity(signatures.len());
        for signature in signatures {
            let fields = [self.fields.signatures, self.fields.said_signatures];
            if frequency(&searcher, &fields, &signature.term())? <= most {
                out.push(signature);
            }
        }
        Ok(out)
    }

    /// The documents that meet the filters, the latest changed first, without the first `offset` of them.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn recent(&self, filters: &[Filter], offset: usize, limit: usize) -> Result<Vec<i64>> {
        let searcher = self.searcher()?;
        let query = self.filtered(Box::new(AllQuery), filters);
        let top = searcher.search(
            &query,
            &TopDocs::with_limit(limit.max(1))
                .and_offset(offset)
                .order_by_fast_field::<i64>("updated", Order::Desc),
        )?;
        top.into_iter().map(|(_, address)| id(&searcher, address)).collect()
    }

    /// How many documents meet the filters.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn matching(&self, filters: &[Filter]) -> Result<u64> {
        let searcher = self.searcher()?;
        Ok(searcher.search(&self.filtered(Box::new(AllQuery), filters), &Count)? as u64)
    }

    /// The ids of the documents that meet the filters; `None` if there are no filters.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn allowed(&self, filters: &[Filter]) -> Result<Option<Arc<FixedBitSet>>> {
        if filters.is_empty() {
            return Ok(None);
        }
        let searcher = self.searcher()?;
        let state = searcher.generation();
        let kept = || self.passed.lock().unwrap_or_else(PoisonError::into_inner);
        let known = kept()
            .iter()
            .find(|p| p.state.segments() == state.segments() && p.filters == filters)
            .map(|p| Arc::clone(&p.ids));
        if known.is_some() {
            return Ok(known);
        }
        let ids = Arc::new(searcher.search(&self.filtered(Box::new(AllQuery), filters), &Ids)?);
        let mut kept = kept();
        kept.truncate(KEPT - 1);
        kept.insert(0, Passed { state: state.clone(), filters: filters.to_vec(), ids: Arc::clone(&ids) });
        Ok(Some(ids))
    }

    /// The ids of all documents that can be found.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn ids(&self) -> Result<Vec<i64>> {
        let ids = self.searcher()?.search(&AllQuery, &Ids)?;
        Ok(ids.ones().filter_map(|id| i64::try_from(id).ok()).collect())
    }

    /// The inverse document frequency of terms in titles, bodies and comments taken together:
    /// `ln(1 + (N − n + 0.5) / (n + 0.5))`.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn idf(&self, terms: &[String]) -> Result<Vec<f32>> {
        let searcher = self.searcher()?;
        terms.iter().map(|t| self.idf_of(&searcher, t)).collect()
    }

    fn idf_of(&self, searcher: &Searcher, term: &str) -> Result<f32> {
        let f = &self.fields;
        let n = frequency(searcher, &[f.title, f.body, f.comments, f.code], term)?;
        #[allow(
            clippy::cast_precision_loss,
            reason = "counts of documents are far below 2^24 or need no more digits"
        )]
        let (all, n) = (searcher.num_docs() as f32, n as f32);
        Ok((1.0 + (all - n + 0.5).max(0.0) / (n + 0.5)).ln())
    }

    fn query(&self, words: &Words) -> Option<Box<dyn Query>> {
        let f = &self.fields;
        let fields = &self.fields_of(words.scope)[..];
        let mut clauses: Clauses = Vec::new();

        let needed = minimum_should_match(words.terms.len());
        let mut groups: Clauses =
            words.terms.iter().map(|t| (Occur::Should, self.everywhere(fields, t))).collect();
        if words.scope == Scope::Any {
            for whole in words.identifiers.iter().take(MAX_TERMS) {
                let query = self.term(f.identifiers, whole, IndexRecordOption::WithFreqs);
                groups.push((Occur::Should, Box::new(BoostQuery::new(query, IDENTIFIER))));
            }
        }
        if !groups.is_empty() {
            // Words beside a phrase only add to its score.
            let needed = if words.phrases.is_empty() { needed.min(groups.len()) } else { 0 };
            let occur = if words.phrases.is_empty() { Occur::Must } else { Occur::Should };
            clauses.push((occur, Box::new(BooleanQuery::with_minimum_required_clauses(groups, needed))));
        }
        for phrase in &words.phrases {
            if let Some(query) = self.phrase(fields, phrase) {
                clauses.push((Occur::Must, query));
            }
        }
        if clauses.is_empty() {
            return None;
        }
        let anywhere = [(f.title, 1.0), (f.body, 1.0), (f.comments, 1.0), (f.code, 1.0)];
        for without in &words.without {
            if let Some(query) = self.phrase(&anywhere, without) {
                clauses.push((Occur::MustNot, query));
            }
        }
        Some(Box::new(BooleanQuery::new(clauses)))
    }

    /// The terms that tell most, at most [`MAX_TERMS`], in a fixed order.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read.
    pub fn rarest(&self, terms: Vec<String>) -> Result<Vec<String>> {
        if terms.len() <= MAX_TERMS {
            return Ok(terms);
        }
        let searcher = self.searcher()?;
        let mut weighed = Vec::with_capacity(terms.len());
        for term in terms {
            weighed.push((self.idf_of(&searcher, &term)?, term));
        }
        // A term that no document has cannot find one; it must not use up a place.
        let absent = self.idf_of(&searcher, "\u{0}")?;
        weighed.retain(|(idf, _)| *idf < absent);
        weighed.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        weighed.truncate(MAX_TERMS);
        Ok(weighed.into_iter().map(|(_, t)| t).collect())
    }

    fn everywhere(&self, fields: &[(Field, f32)], term: &str) -> Box<dyn Query> {
        let clauses = fields
            .iter()
            .map(|(field, weight)| {
                let query = self.term(*field, term, IndexRecordOption::WithFreqs);
                (Occur::Should, Box::new(BoostQuery::new(query, *weight)) as Box<dyn Query>)
            })
            .collect();
        Box::new(BooleanQuery::new(clauses))
    }

    fn phrase(&self, fields: &[(Field, f32)], phrase: &[String]) -> Option<Box<dyn Query>> {
        match phrase {
            [] => None,
            [one] => Some(self.everywhere(fields, one)),
            many => {
                let clauses = fields
                    .iter()
                    .map(|(field, weight)| {
                        let terms = many.iter().map(|t| Term::from_field_text(*field, t)).collect();
                        let query: Box<dyn Query> = Box::new(PhraseQuery::new(terms));
                        (Occur::Should, Box::new(BoostQuery::new(query, *weight)) as Box<dyn Query>)
                    })
                    .collect();
                Some(Box::new(BooleanQuery::new(clauses)))
            }
        }
    }

    fn term(&self, field: Field, text: &str, option: IndexRecordOption) -> Box<dyn Query> {
        Box::new(TermQuery::new(Term::from_field_text(field, text), option))
    }

    /// The query together with the filters, which add nothing to the score.
    fn filtered(&self, query: Box<dyn Query>, filters: &[Filter]) -> Box<dyn Query> {
        if filters.is_empty() {
            return query;
        }
        let mut clauses: Clauses = vec![(Occur::Must, query)];
        // Several sources, kinds or authors are alternatives; several labels are all wanted.
        let mut alternatives: Vec<(std::mem::Discriminant<Test>, Clauses)> = Vec::new();
        for filter in filters {
            let query: Box<dyn Query> = Box::new(ConstScoreQuery::new(self.test(&filter.test), 0.0));
            if filter.negated {
                clauses.push((Occur::MustNot, query));
            } else if matches!(filter.test, Test::Label(_) | Test::Time(..)) {
                clauses.push((Occur::Must, query));
            } else {
                let kind = std::mem::discriminant(&filter.test);
                match alternatives.iter_mut().find(|(k, _)| *k == kind) {
                    Some((_, list)) => list.push((Occur::Should, query)),
                    None => alternatives.push((kind, vec![(Occur::Should, query)])),
                }
            }
        }
        for (_, list) in alternatives {
            clauses
                .push((Occur::Must, Box::new(ConstScoreQuery::new(Box::new(BooleanQuery::new(list)), 0.0))));
        }
        Box::new(BooleanQuery::new(clauses))
    }

    fn test(&self, test: &Test) -> Box<dyn Query> {
        let f = &self.fields;
        let text = |field, text: &str| self.term(field, &text.to_lowercase(), IndexRecordOption::Basic);
        match test {
            Test::Source(key) => text(f.source, key),
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
            Test::Bot => text(f.flag, "bot"),
            Test::Locked => text(f.flag, "locked"),
            Test::Time(which, from, to) => {
                let field = match which {
                    TimeField::Created => f.created,
                    TimeField::Updated => f.updated,
                    TimeField::Closed => f.closed,
                };
                let bound = |t: &Option<i64>| t.map(|t| Term::from_field_i64(field, t));
                let lower = bound(from).map_or(Bound::Unbounded, Bound::Included);
                let upper = bound(to).map_or(Bound::Unbounded, Bound::Excluded);
                match (&lower, &upper) {
                    (Bound::Unbounded, Bound::Unbounded) => Box::new(AllQuery),
                    _ => Box::new(RangeQuery::new(lower, upper)),
                }
            }
        }
    }

    /// The best documents, ties by id: two segments may hold equal scores in any order.
    fn top(&self, searcher: &Searcher, query: Box<dyn Query>, limit: usize) -> Result<Vec<(i64, f32)>> {
        ranked(searcher, searcher.search(&query, &TopDocs::with_limit(limit.max(1)).order_by_score())?)
    }

    /// The files of the index whose content is not what was written, by name.
    ///
    /// # Errors
    /// [`crate::Code::Corrupt`] if the index cannot be read at all.
    pub fn damaged_files(&self) -> Result<Vec<String>> {
        let mut names: Vec<String> =
            self.index.validate_checksum()?.into_iter().map(|p| p.display().to_string()).collect();
        names.sort();
        Ok(names)
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        fs::read_dir(&self.folder)
            .map(|entries| entries.flatten().filter_map(|e| e.metadata().ok()).map(|m| m.len()).sum())
            .unwrap_or(0)
    }
}

/// How many of a query's terms a document has to have: all of one or two words would lose reports in other words, and
/// one of fifty would find everything.
fn minimum_should_match(terms: usize) -> usize {
    match terms {
        0..=3 => 1,
        4..=8 => 2,
        _ => 3,
    }
}

/// Documents by score, ties by id.
fn ranked(searcher: &Searcher, found: Vec<(f32, DocAddress)>) -> Result<Vec<(i64, f32)>> {
    let mut out = Vec::with_capacity(found.len());
    for (score, address) in found {
        // The last bits of a sum depend on how the index happens to lie on disk; the order must not.
        let score = (score * 1024.0).round() / 1024.0;
        out.push((id(searcher, address)?, score));
    }
    out.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    Ok(out)
}

/// How many documents have a term in the one of these fields where most have it.
fn frequency(searcher: &Searcher, fields: &[Field], term: &str) -> Result<u64> {
    let mut most = 0;
    for field in fields {
        most = most.max(searcher.doc_freq(&Term::from_field_text(*field, term))?);
    }
    Ok(most)
}

fn id(searcher: &Searcher, address: DocAddress) -> Result<i64> {
    let column = searcher.segment_reader(address.segment_ord).fast_fields().u64("id")?;
    Ok(column.first(address.doc_id).unwrap_or_default().cast_signed())
}

/// Collects the ids of all matches.
struct Ids;

struct SegmentIds {
    column: Column<u64>,
    ids: FixedBitSet,
}

impl Collector for Ids {
    type Fruit = FixedBitSet;
    type Child = SegmentIds;

    fn for_segment(&self, _: u32, segment: &tantivy::SegmentReader) -> tantivy::Result<SegmentIds> {
        Ok(SegmentIds { column: segment.fast_fields().u64("id")?, ids: FixedBitSet::new() })
    }

    fn requires_scoring(&self) -> bool {
        false
    }

    fn merge_fruits(&self, fruits: Vec<FixedBitSet>) -> tantivy::Result<FixedBitSet> {
        let mut all = FixedBitSet::new();
        for ids in fruits {
            all.union_with(&ids);
        }
        Ok(all)
    }
}

impl SegmentCollector for SegmentIds {
    type Fruit = FixedBitSet;

    fn collect(&mut self, doc: tantivy::DocId, _: tantivy::Score) {
        if let Some(id) = self.column.first(doc)
            && let Ok(id) = usize::try_from(id)
        {
            self.ids.grow_and_insert(id);
        }
    }

    fn harvest(self) -> FixedBitSet {
        self.ids
    }
}

/// A document's texts, prepared; made in parallel, before the writer takes them.
#[derive(Debug)]
pub struct Entry {
    document: TantivyDocument,
    id: i64,
}

/// An update of the index.
pub struct Writer<'a> {
    fulltext: &'a FullText,
    writer: IndexWriter,
}

impl std::fmt::Debug for Writer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Writer").field("fulltext", &self.fulltext).finish_non_exhaustive()
    }
}

impl Writer<'_> {
    /// Forgets everything.
    ///
    /// # Errors
    /// Those of the index.
    pub fn clear(&mut self) -> Result<()> {
        self.writer.delete_all_documents()?;
        Ok(())
    }

    /// Removes a document.
    pub fn remove(&mut self, id: i64) {
        self.writer.delete_term(Term::from_field_u64(self.fulltext.fields.id, id.cast_unsigned()));
    }

    /// Adds a document or replaces what was there of it.
    ///
    /// # Errors
    /// Those of the index.
    pub fn put(&mut self, entry: Entry) -> Result<()> {
        self.remove(entry.id);
        self.writer.add_document(entry.document)?;
        Ok(())
    }

    /// Adds a document that is known not to be there.
    ///
    /// # Errors
    /// Those of the index.
    pub fn add(&mut self, entry: Entry) -> Result<()> {
        self.writer.add_document(entry.document)?;
        Ok(())
    }

    /// Makes the update visible, together with how far it reaches.
    ///
    /// # Errors
    /// [`crate::Code::Io`] if the disk is full.
    pub fn commit(&mut self, revision: u64) -> Result<()> {
        let payload = serde_json::to_string(&Reached { revision, preparation: PREPARATION_VERSION })
            .map_err(|e| Error::new(crate::Code::Internal, e.to_string()))?;
        let mut commit = self.writer.prepare_commit()?;
        commit.set_payload(&payload);
        commit.commit()?;
        Ok(())
    }

    /// Waits for merges that are under way.
    ///
    /// # Errors
    /// Those of the index.
    pub fn finish(self) -> Result<()> {
        self.writer.wait_merging_threads()?;
        Ok(())
    }
}

impl FullText {
    /// Prepares a document for the index.
    pub fn entry(
        &self,
        row: &DocumentRow,
        body: &Prepared,
        comments: &[(&StoredComment, Prepared)],
    ) -> Entry {
        let f = &self.fields;
        let mut d = TantivyDocument::default();
        d.add_u64(f.id, row.id.cast_unsigned());
        d.add_text(f.title, &row.title);
        d.add_text(f.identifiers, &row.title);
        let terms =
            |signatures: &[Signature]| signatures.iter().map(Signature::term).collect::<BTreeSet<_>>();
        let own = terms(&body.signatures(&row.title));
        let (prose, code) = (body.prose(), body.code());
        d.add_text(f.identifiers, &prose);
        d.add_text(f.identifiers, &code);
        d.add_text(f.body, prose);
        d.add_text(f.code, code);
        let mut said = BTreeSet::new();
        for (comment, text) in comments {
            if comment.author.bot {
                continue;
            }
            for part in [text.prose(), text.code()] {
                d.add_text(f.identifiers, &part);
                d.add_text(f.comments, part);
            }
            said.extend(terms(&text.signatures("")));
        }
        said.retain(|term| !own.contains(term));
        for (field, terms) in [(f.signatures, own), (f.said_signatures, said)] {
            terms.into_iter().for_each(|term| d.add_text(field, term));
        }
        d.add_text(f.source, row.source.to_lowercase());
        d.add_text(f.kind, row.kind.as_str());
        if let Some(state) = row.state {
            d.add_text(f.state, state.as_str());
            if state == State::Merged {
                d.add_text(f.state, State::Closed.as_str());
            }
        }
        if let Some(reason) = &row.state_reason {
            d.add_text(f.reason, reason.to_lowercase());
        }
        for label in &row.labels {
            d.add_text(f.label, label.to_lowercase());
        }
        if let Some(author) = &row.author.login {
            d.add_text(f.author, author.to_lowercase());
        }
        if row.author.bot {
            d.add_text(f.flag, "bot");
        }
        if row.locked {
            d.add_text(f.flag, "locked");
        }
        for (field, time) in
            [(f.created, row.created_at), (f.updated, row.updated_at), (f.closed, row.closed_at)]
        {
            if let Some(time) = time {
                d.add_i64(field, time.as_second());
            }
        }
        Entry { document: d, id: row.id }
    }
}

#[derive(Clone, Copy)]
enum Cut {
    Words,
    Identifiers,
}

/// [`tokens`] as a tokenizer of tantivy.
struct Analyzer {
    cut: Cut,
    stems: tokens::Stems,
    found: Found,
}

impl Analyzer {
    fn new(cut: Cut) -> Self {
        Self { cut, stems: tokens::Stems::default(), found: Found::default() }
    }
}

impl Clone for Analyzer {
    /// Each thread remembers its own words.
    fn clone(&self) -> Self {
        Self::new(self.cut)
    }
}

/// The terms of a text, one after the other.
#[derive(Default)]
struct Found {
    text: String,
    /// Where each stands in the text that was read, and where it ends here.
    places: Vec<(std::ops::Range<usize>, usize)>,
}

impl Found {
    fn clear(&mut self) {
        self.text.clear();
        self.places.clear();
    }

    fn push(&mut self, range: std::ops::Range<usize>, term: &str) {
        self.text.push_str(term);
        self.places.push((range, self.text.len()));
    }
}

impl Tokenizer for Analyzer {
    type TokenStream<'a> = Stream<'a>;

    fn token_stream<'a>(&'a mut self, text: &'a str) -> Stream<'a> {
        let found = &mut self.found;
        found.clear();
        match self.cut {
            Cut::Words => self.stems.words(text, |range, term| found.push(range, term)),
            Cut::Identifiers => tokens::identifiers(text).for_each(|(range, word)| found.push(range, &word)),
        }
        Stream { found, next: 0, start: 0, token: Token::default() }
    }
}

struct Stream<'a> {
    found: &'a Found,
    next: usize,
    start: usize,
    token: Token,
}

impl TokenStream for Stream<'_> {
    fn advance(&mut self) -> bool {
        let Some((range, end)) = self.found.places.get(self.next) else { return false };
        self.token.offset_from = range.start;
        self.token.offset_to = range.end;
        self.token.position = self.next;
        self.token.text.clear();
        self.token.text.push_str(&self.found.text[self.start..*end]);
        self.start = *end;
        self.next += 1;
        true
    }

    fn token(&self) -> &Token {
        &self.token
    }

    fn token_mut(&mut self) -> &mut Token {
        &mut self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_that_is_opened_anew_answers_as_before() {
        let folder = tempfile::tempdir().unwrap();
        let fulltext = FullText::open(folder.path()).unwrap();
        let f = &fulltext.fields;
        let mut writer = fulltext.writer().unwrap();
        for id in 0..3 {
            let mut document = TantivyDocument::default();
            document.add_u64(f.id, id);
            document.add_text(f.title, "Archive does not open");
            document.add_text(f.state, if id == 0 { "closed" } else { "open" });
            writer.writer.add_document(document).unwrap();
        }
        writer.commit(1).unwrap();
        let words = Words { terms: crate::text::report::terms("archive"), ..Words::default() };
        let open = [Filter { test: Test::State(State::Open), negated: false }];
        let found = || {
            let ids = fulltext.search(&words, &[], 10).unwrap().into_iter().map(|(id, _)| id);
            (ids.collect::<Vec<_>>(), fulltext.allowed(&open).unwrap().unwrap().ones().collect::<Vec<_>>())
        };
        let renew = || fulltext.reading.lock().unwrap().renew(&fulltext.folder).unwrap();
        assert_eq!(found(), (vec![0, 1, 2], vec![1, 2]));
        renew();
        assert_eq!(found(), (vec![0, 1, 2], vec![1, 2]));
        // Also of what came meanwhile, and with filters that had been met before.
        writer.remove(1);
        writer.commit(2).unwrap();
        renew();
        assert_eq!(found(), (vec![0, 2], vec![2]));
    }
}
