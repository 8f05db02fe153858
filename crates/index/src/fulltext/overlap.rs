//! The overlap of documents with a report by field, computed from the postings alone.

use rayon::prelude::*;
use tantivy::{
    DocSet as _, Searcher, SegmentReader, TERMINATED, Term,
    postings::Postings as _,
    schema::{Field, IndexRecordOption},
};

use super::FullText;
use precedent_core::error::Result;

/// The saturation, length normalization and title weight of BM25F (Robertson, Zaragoza 2009, "The
/// Probabilistic Relevance Framework", section 3.5), tuned on the development sets.
const K1: f32 = 2.5;
const B_TITLE: f32 = 0.3;
const B_BODY: f32 = 0.75;
const TITLE_FREQUENCY: f32 = 5.0;
/// The saturation within one field.
const K1_FIELD: f32 = 0.5;
/// The maximum number of words of a report; the heaviest are used.
pub(super) const MAX_WORDS: usize = 160;

/// The terms of one field of a report with their weight, heaviest first.
pub(super) type TermWeights = Vec<(String, f32)>;

/// A report's terms, weighted by their rarity in this casebook.
#[derive(Clone, Debug, Default)]
pub struct ReportTerms {
    /// Words of any part of the report.
    pub(super) words: TermWeights,
    /// Total weight of the words that no document contains.
    pub(super) unknown_weight: f32,
    pub(super) title: TermWeights,
    pub(super) body: TermWeights,
    pub(super) code: TermWeights,
    pub(super) identifiers: TermWeights,
    pub(super) signatures: TermWeights,
}

/// The overlap of a document with a report. Each value is a share of the maximum overlap, about
/// 0..1; a term that is repeated in a short field can push it above 1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Overlap {
    /// Words of the report anywhere in the document's title, body and code: BM25F.
    pub words: f32,
    /// Words of the report that occur in the document's title, body or code.
    pub words_covered: f32,
    /// The same, counting words that no document contains as missing.
    pub all_words_covered: f32,
    /// Words of the report's title in the document's title.
    pub title_title: f32,
    /// Words of the report's title in the document's body.
    pub title_body: f32,
    /// Words of the report's body in the document's title.
    pub body_title: f32,
    /// Share of the document's title that consists of words of the report.
    pub title_covered: f32,
    /// Number of words of the document's body, code included.
    pub length: f32,
    /// Words of the report's code and logs in the document's code and logs.
    pub code_code: f32,
    /// Whole identifiers in any field.
    pub identifiers: f32,
    /// Distinctive signatures of the document's own text.
    pub signatures: f32,
    /// Creation time of the document, in seconds since the epoch.
    pub created_at: Option<i64>,
    /// Words of the report in the document's title, body or code.
    pub(super) word_set: WordSet,
}

/// A set of a report's words that a document contains, as a bit set of their indices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct WordSet([u64; MAX_WORDS.div_ceil(64)]);

impl WordSet {
    pub(super) fn insert(&mut self, word: usize) {
        self.0[word / 64] |= 1 << (word % 64);
    }

    pub(super) fn contains(&self, word: usize) -> bool {
        self.0[word / 64] >> (word % 64) & 1 == 1
    }
}

impl FullText {
    /// Returns the overlap of each document with a report, in the order of `ids`; zero for a
    /// document that is not in the index.
    pub fn overlaps(&self, terms: &ReportTerms, ids: &[i64]) -> Result<Vec<Overlap>> {
        let searcher = self.searcher()?;
        let mean_lengths = self.mean_lengths(&searcher)?;
        self.map_segments(&searcher, ids, |segment, docs| {
            self.field_overlaps(segment, docs, terms, mean_lengths)
        })
    }

    /// Returns the overlaps, and the share of the report's words in each document's comments.
    pub(super) fn overlaps_with_comments(
        &self,
        terms: &ReportTerms,
        ids: &[i64],
    ) -> Result<(Vec<Overlap>, Vec<f32>)> {
        let searcher = self.searcher()?;
        let mean_lengths = self.mean_lengths(&searcher)?;
        let mean = mean_length(&searcher, &[self.fields.comments])?;
        let pairs = self.map_segments(&searcher, ids, |segment, docs| {
            let (overlaps, shares) = rayon::join(
                || self.field_overlaps(segment, docs, terms, mean_lengths),
                || self.comment_shares(segment, docs, terms, mean),
            );
            Ok(overlaps?.into_iter().zip(shares?).collect())
        })?;
        Ok(pairs.into_iter().unzip())
    }

    /// Returns the mean lengths of a title, and of a body with its code.
    fn mean_lengths(&self, searcher: &Searcher) -> Result<(f32, f32)> {
        let f = &self.fields;
        Ok((mean_length(searcher, &[f.title])?, mean_length(searcher, &[f.body, f.code])?))
    }

    fn field_overlaps(
        &self,
        segment: &SegmentReader,
        docs: &[(u32, usize)],
        terms: &ReportTerms,
        mean_lengths: (f32, f32),
    ) -> Result<Vec<Overlap>> {
        // Most indexes are one large segment, so parallelize within it.
        let (words, shares) = rayon::join(
            || self.word_overlaps(segment, terms, docs, mean_lengths),
            || self.field_shares(segment, terms, docs),
        );
        let pairs = words?.into_iter().zip(shares?);
        let combine = |(words, shares): (Overlap, Overlap)| Overlap {
            words: words.words,
            words_covered: words.words_covered,
            all_words_covered: words.all_words_covered,
            title_covered: words.title_covered,
            length: words.length,
            word_set: words.word_set,
            ..shares
        };
        Ok(pairs.map(combine).collect())
    }

    /// Returns the creation time of each document, and the saturated share of the report's terms in
    /// each field.
    fn field_shares(
        &self,
        segment: &SegmentReader,
        terms: &ReportTerms,
        docs: &[(u32, usize)],
    ) -> Result<Vec<Overlap>> {
        let f = &self.fields;
        let mut out = vec![Overlap::default(); docs.len()];
        let column = segment.fast_fields().i64("created")?;
        for (overlap, (doc, _)) in out.iter_mut().zip(docs) {
            overlap.created_at = column.first(*doc);
        }
        let mut sum = |terms: &TermWeights, field, value: fn(&mut Overlap) -> &mut f32| {
            let total: f32 = terms.iter().map(|(_, weight)| weight).sum();
            terms.iter().try_for_each(|(term, weight)| {
                for_each_frequency(segment, field, term, docs, |i, n| {
                    *value(&mut out[i]) += weight / total * n * (K1_FIELD + 1.0) / (n + K1_FIELD);
                })
            })
        };
        sum(&terms.title, f.title, |o| &mut o.title_title)?;
        sum(&terms.title, f.body, |o| &mut o.title_body)?;
        sum(&terms.body, f.title, |o| &mut o.body_title)?;
        sum(&terms.code, f.code, |o| &mut o.code_code)?;
        sum(&terms.identifiers, f.identifiers, |o| &mut o.identifiers)?;
        sum(&terms.signatures, f.signatures, |o| &mut o.signatures)?;
        Ok(out)
    }

    /// Calls `compute` for the documents of each segment in parallel, and returns the results in
    /// the order of `ids`. A document in no segment gets the default.
    fn map_segments<T: Send + Default>(
        &self,
        searcher: &Searcher,
        ids: &[i64],
        compute: impl Fn(&SegmentReader, &[(u32, usize)]) -> Result<Vec<T>> + Sync,
    ) -> Result<Vec<T>> {
        let run = |segment: &SegmentReader| -> Result<Vec<(usize, T)>> {
            let mut docs = self.document_positions(segment, ids)?;
            if docs.is_empty() {
                return Ok(Vec::new());
            }
            docs.sort_unstable();
            Ok(docs.iter().map(|(_, index)| *index).zip(compute(segment, &docs)?).collect())
        };
        let parts: Vec<_> =
            searcher.segment_readers().par_iter().map(run).collect::<Result<_>>()?;
        let mut out: Vec<T> = std::iter::repeat_with(T::default).take(ids.len()).collect();
        for (index, value) in parts.into_iter().flatten() {
            out[index] = value;
        }
        Ok(out)
    }

    /// Returns the documents of a segment, as (position in the segment, index in `ids`).
    fn document_positions(
        &self,
        segment: &SegmentReader,
        ids: &[i64],
    ) -> Result<Vec<(u32, usize)>> {
        let index = segment.inverted_index(self.fields.id)?;
        let mut docs = Vec::new();
        // A segment mostly contains adjacent ids.
        let column = segment.fast_fields().u64("id")?;
        let id_range = column.min_value()..=column.max_value();
        for (id_index, id) in
            ids.iter().enumerate().filter(|(_, id)| id_range.contains(&id.cast_unsigned()))
        {
            let term = Term::from_field_u64(self.fields.id, id.cast_unsigned());
            let Some(mut postings) = index
                .read_postings(&term, IndexRecordOption::Basic)
                .map_err(tantivy::TantivyError::from)?
            else {
                continue;
            };
            while postings.doc() != TERMINATED {
                if !segment.is_deleted(postings.doc()) {
                    docs.push((postings.doc(), id_index));
                }
                postings.advance();
            }
        }
        Ok(docs)
    }

    /// Returns the BM25F score over title, body and code, as a share of the maximum, and the values
    /// that are computed with it.
    fn word_overlaps(
        &self,
        segment: &SegmentReader,
        ReportTerms { words, unknown_weight, .. }: &ReportTerms,
        docs: &[(u32, usize)],
        (title_mean, body_mean): (f32, f32),
    ) -> Result<Vec<Overlap>> {
        let mut out = vec![Overlap::default(); docs.len()];
        let total: f32 = words.iter().map(|(_, weight)| weight).sum();
        if words.is_empty() {
            return Ok(out);
        }
        let f = &self.fields;
        let length = |field: Field| -> Result<Vec<f32>> {
            let lengths = segment.get_fieldnorms_reader(field)?;
            Ok(docs.iter().map(|(doc, _)| lengths.fieldnorm(*doc) as f32).collect())
        };
        let (title, body, code) = (length(f.title)?, length(f.body)?, length(f.code)?);
        let norms: Vec<(f32, f32)> = (0..docs.len())
            .map(|i| {
                (
                    1.0 - B_TITLE + B_TITLE * title[i] / title_mean,
                    1.0 - B_BODY + B_BODY * (body[i] + code[i]) / body_mean,
                )
            })
            .collect();
        for (i, overlap) in out.iter_mut().enumerate() {
            overlap.length = body[i] + code[i];
        }
        let mut frequency = vec![0.0_f32; docs.len()];
        for (word_index, (term, weight)) in words.iter().enumerate() {
            frequency.fill(0.0);
            let mut has_match = false;
            for field in [f.title, f.body, f.code] {
                for_each_frequency(segment, field, term, docs, |i, n| {
                    has_match = true;
                    let (title_norm, body_norm) = norms[i];
                    if field == f.title {
                        out[i].title_covered += 1.0 / title[i].max(1.0);
                        frequency[i] += TITLE_FREQUENCY * n / title_norm;
                    } else {
                        frequency[i] += n / body_norm;
                    }
                })?;
            }
            if has_match {
                for (overlap, n) in out.iter_mut().zip(&frequency).filter(|(_, n)| **n > 0.0) {
                    overlap.words += weight / total * n / (K1 + n);
                    overlap.words_covered += weight / total;
                    overlap.all_words_covered += weight / (total + unknown_weight);
                    overlap.word_set.insert(word_index);
                }
            }
        }
        Ok(out)
    }

    /// Returns the share of a report's words in the comments of each document, saturated and
    /// normalized by length like a body. `mean` is the mean length of a document's comments.
    fn comment_shares(
        &self,
        segment: &SegmentReader,
        docs: &[(u32, usize)],
        terms: &ReportTerms,
        mean: f32,
    ) -> Result<Vec<f32>> {
        let total: f32 = terms.words.iter().map(|(_, weight)| weight).sum();
        let field = self.fields.comments;
        let lengths = segment.get_fieldnorms_reader(field)?;
        let norms: Vec<f32> = docs
            .iter()
            .map(|(doc, _)| 1.0 - B_BODY + B_BODY * lengths.fieldnorm(*doc) as f32 / mean)
            .collect();
        let mut shares = vec![0.0; docs.len()];
        for (term, weight) in &terms.words {
            for_each_frequency(segment, field, term, docs, |i, n| {
                let n = n / norms[i];
                shares[i] += weight / total * n / (K1 + n);
            })?;
        }
        Ok(shares)
    }
}

/// Calls `visit` for each document that contains a term, with its index in `docs`, which is
/// ascending, and the frequency.
fn for_each_frequency(
    segment: &SegmentReader,
    field: Field,
    term: &str,
    docs: &[(u32, usize)],
    mut visit: impl FnMut(usize, f32),
) -> Result<()> {
    let index = segment.inverted_index(field)?;
    let term = Term::from_field_text(field, term);
    let Some(mut postings) = index
        .read_postings(&term, IndexRecordOption::WithFreqs)
        .map_err(tantivy::TantivyError::from)?
    else {
        return Ok(());
    };
    for (i, (doc, _)) in docs.iter().enumerate() {
        if postings.doc() < *doc && postings.seek(*doc) == TERMINATED {
            break;
        }
        if postings.doc() == *doc {
            visit(i, postings.term_freq() as f32);
        }
    }
    Ok(())
}

/// Returns the mean number of terms of a document in these fields together; at least 1.
fn mean_length(searcher: &Searcher, fields: &[Field]) -> Result<f32> {
    let (mut tokens, mut documents) = (0, 0_u64);
    for segment in searcher.segment_readers() {
        for field in fields {
            tokens += segment.inverted_index(*field)?.total_num_tokens();
        }
        documents += u64::from(segment.max_doc());
    }
    Ok((tokens as f32 / documents.max(1) as f32).max(1.0))
}
