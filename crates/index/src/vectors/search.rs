//! Nearest-neighbor search, comparison of vectors, and the resident codes.

use std::sync::{Arc, PoisonError, atomic::Ordering};

use fixedbitset::FixedBitSet;
use rayon::prelude::*;
use rusqlite::{OptionalExtension as _, ToSql, params};

use super::{
    CommentLikeness, Likeness, NearestChunk, TITLE_PART, Vectors, codes::Codes,
    reader::VectorReader, schema::rebuild,
};
use precedent_core::error::Result;

/// The number of vectors up to which every search is exact.
pub const EXACT_CHUNKS: usize = 20_000;
/// The number of nearest codes that are scored exactly, and its increase for each doubling of the
/// vectors beyond `BASE_COUNT`. Of 5.5 million vectors, 640 codes included 98.5 % of the ten
/// nearest, 1,536 codes 99.3 % and 2,048 codes 99.6 %.
const RESCORED_CODES: usize = 640;
const RESCORED_CODES_STEP: usize = 256;
const BASE_COUNT: usize = 1 << 17;
/// The number of additional candidates of an exact search, because it rounds the query.
const EXTRA_CANDIDATES: usize = 32;
/// The minimum number of vectors that one core looks up, which limits the number of readers.
const MIN_CHUNKS_PER_CORE: usize = 256;
/// The limit of sqlite-vec for `k`.
const MAX_K: usize = 4096;
/// The number of chunks of a document's own text, and of a comment, that are compared with a
/// report.
const COMPARED_CHUNKS: u32 = 3;

impl Vectors {
    /// Returns the chunks nearest to a unit vector, nearest first, ties by id. `filter` limits the
    /// documents.
    pub fn search(
        &self,
        query: &[f32],
        filter: Option<&FixedBitSet>,
        limit: usize,
    ) -> Result<Vec<NearestChunk>> {
        let codes = self.codes()?;
        if codes.len() <= EXACT_CHUNKS {
            return self.search_exact(query, filter, limit);
        }
        let candidates =
            codes.nearest(query, filter, rescored_code_count(codes.len()).max(limit * 2));
        self.score(query, &candidates, limit)
    }

    /// Searches as [`Vectors::search`] does, but always with sqlite-vec's exact KNN.
    pub fn search_exact(
        &self,
        query: &[f32],
        filter: Option<&FixedBitSet>,
        limit: usize,
    ) -> Result<Vec<NearestChunk>> {
        let k = (limit + EXTRA_CANDIDATES).clamp(1, MAX_K);
        let chunks_of = |filter| -> Result<String> {
            Ok(serde_json::Value::from(self.codes()?.chunks_of(filter)).to_string())
        };
        let chunk_ids = filter.map(chunks_of).transpose()?;
        let condition = match chunk_ids {
            Some(_) => "AND chunk_id IN (SELECT value FROM json_each(?3))",
            None => "",
        };
        let int8_query = quantize(query);
        let mut parameters: Vec<&dyn ToSql> = vec![&int8_query, &k];
        parameters.extend(chunk_ids.as_ref().map(|ids| ids as &dyn ToSql));
        let candidates: Vec<i64> = self.query_rows(
            &format!(
                "SELECT chunk_id FROM embeddings
                 WHERE embedding MATCH vec_int8(?1) AND k = ?2 {condition}"
            ),
            &*parameters,
            |r| r.get(0),
        )?;
        self.score(query, &candidates, limit)
    }

    /// Scores chunks exactly and keeps the best.
    fn score(&self, query: &[f32], chunks: &[i64], limit: usize) -> Result<Vec<NearestChunk>> {
        // Read in the order of the file.
        let mut chunks = chunks.to_vec();
        chunks.sort_unstable();
        let score = |chunks: &[i64]| {
            self.read(|c| {
                let mut reader = VectorReader::new(c, self.dimensions)?;
                let mut scores: Vec<(i64, f32)> = Vec::with_capacity(chunks.len());
                for chunk in chunks {
                    scores
                        .extend(reader.get(*chunk)?.map(|vector| (*chunk, cosine(query, vector))));
                }
                Ok(scores)
            })
        };
        // Lookups dominate the search time, so distribute them over the cores.
        let chunks_per_core =
            chunks.len().div_ceil(rayon::current_num_threads()).max(MIN_CHUNKS_PER_CORE);
        let scores: Vec<_> =
            chunks.par_chunks(chunks_per_core).map(score).collect::<Result<_>>()?;
        let mut scores = scores.concat();
        scores.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        scores.truncate(limit);
        self.read(|c| {
            let mut statement =
                c.prepare_cached("SELECT document_id, part, ordinal FROM chunks WHERE id = ?1")?;
            let mut nearest = Vec::with_capacity(scores.len());
            for (chunk, cosine) in scores {
                let entry = statement
                    .query_row([chunk], |r| {
                        Ok(NearestChunk {
                            chunk,
                            document: r.get(0)?,
                            part: r.get(1)?,
                            ordinal: r.get(2)?,
                            cosine,
                        })
                    })
                    .optional()?;
                nearest.extend(entry);
            }
            Ok(nearest)
        })
    }

    /// Returns the cosines of documents to a report with these unit vectors of its title and its
    /// text, in the order of `documents`.
    pub fn compare(&self, title: &[f32], text: &[f32], documents: &[i64]) -> Result<Vec<Likeness>> {
        self.read(|c| {
            let mut chunks = c.prepare_cached(
                "SELECT id, part, code FROM chunks
                 WHERE document_id = ?1 AND part <= 0 AND ordinal < ?2 AND code IS NOT NULL",
            )?;
            let mut vectors = VectorReader::new(c, self.dimensions)?;
            let mut out = Vec::with_capacity(documents.len());
            for document in documents {
                let mut likeness = Likeness::default();
                let (mut sum, mut chunk_count) = (0.0, 0.0);
                let mut rows = chunks.query(params![document, COMPARED_CHUNKS])?;
                while let Some(row) = rows.next()? {
                    if row.get::<_, i64>(1)? == TITLE_PART {
                        let vector = row.get_ref(2)?.as_blob().unwrap_or_default();
                        keep_maximum(&mut likeness.title_title, cosine(title, vector));
                        keep_maximum(&mut likeness.text_title, cosine(text, vector));
                        continue;
                    }
                    if let Some(vector) = vectors.get(row.get(0)?)? {
                        keep_maximum(&mut likeness.title_text, cosine(title, vector));
                        let text_cosine = cosine(text, vector);
                        keep_maximum(&mut likeness.text_text, text_cosine);
                        (sum, chunk_count) = (sum + text_cosine, chunk_count + 1.0);
                    }
                }
                likeness.text_mean = likeness.text_text.map(|_| sum / chunk_count);
                // A report without a body is represented by its title.
                likeness.title_title = likeness.title_title.or(likeness.title_text);
                likeness.text_title = likeness.text_title.or(likeness.text_text);
                out.push(likeness);
            }
            Ok(out)
        })
    }

    /// Returns the documents without chunks or with a chunk that has no vector, ascending.
    pub fn documents_without_vectors(&self, documents: &[i64]) -> Result<Vec<i64>> {
        self.read(|c| {
            let mut statement = c.prepare_cached(
                "SELECT ifnull(min(code IS NOT NULL), 0) FROM chunks WHERE document_id = ?1",
            )?;
            let mut incomplete_documents = Vec::new();
            for document in documents {
                if !statement.query_row([document], |r| r.get::<_, bool>(0))? {
                    incomplete_documents.push(*document);
                }
            }
            incomplete_documents.sort_unstable();
            Ok(incomplete_documents)
        })
    }

    /// Returns the cosines of documents' comments to a report with these unit vectors of its title
    /// and its text, in the order of `documents`. Only comments with the given row ids count.
    pub fn compare_comments(
        &self,
        title: &[f32],
        text: &[f32],
        documents: &[(i64, Vec<i64>)],
    ) -> Result<Vec<CommentLikeness>> {
        self.read(|c| {
            let mut chunks = c.prepare_cached(
                "SELECT id, part FROM chunks
                 WHERE document_id = ?1 AND part > 0 AND ordinal < ?2 AND code IS NOT NULL
                 ORDER BY id",
            )?;
            let mut vectors = VectorReader::new(c, self.dimensions)?;
            let mut out = Vec::with_capacity(documents.len());
            for (document, comments) in documents {
                let mut nearest = CommentLikeness::default();
                if comments.is_empty() {
                    out.push(nearest);
                    continue;
                }
                let mut rows = chunks.query(params![document, COMPARED_CHUNKS])?;
                while let Some(row) = rows.next()? {
                    if !comments.contains(&row.get(1)?) {
                        continue;
                    }
                    if let Some(vector) = vectors.get(row.get(0)?)? {
                        keep_maximum(&mut nearest.title, cosine(title, vector));
                        keep_maximum(&mut nearest.text, cosine(text, vector));
                    }
                }
                out.push(nearest);
            }
            Ok(out)
        })
    }

    /// Returns the unit vectors of a document's own text, in order; empty if one is still missing.
    pub fn text_vectors(&self, document: i64) -> Result<Vec<Vec<f32>>> {
        let vectors: Vec<Option<Vec<u8>>> = self.query_rows(
            "SELECT v.embedding FROM chunks c LEFT JOIN embeddings v ON v.chunk_id = c.id
             WHERE c.document_id = ?1 AND c.part = 0 ORDER BY c.ordinal",
            [document],
            |r| r.get(0),
        )?;
        let vectors: Option<Vec<Vec<u8>>> = vectors.into_iter().collect();
        Ok(vectors.unwrap_or_default().into_iter().map(to_unit_vector).collect())
    }

    /// Returns the unit vectors of a document's title and of the first chunk of its text. The
    /// latter replaces a missing title; `None` without a vector of the text.
    pub fn document_vectors(&self, document: i64) -> Result<Option<(Vec<f32>, Vec<f32>)>> {
        self.read(|c| {
            let title: Option<Vec<u8>> = c
                .prepare_cached("SELECT code FROM chunks WHERE document_id = ?1 AND part = ?2")?
                .query_row(params![document, TITLE_PART], |r| r.get(0))
                .optional()?
                .flatten();
            let text: Option<Vec<u8>> = c
                .prepare_cached(
                    "SELECT embedding FROM embeddings WHERE chunk_id =
                     (SELECT id FROM chunks WHERE document_id = ?1 AND part = 0 AND ordinal = 0)",
                )?
                .query_row([document], |r| r.get(0))
                .optional()?;
            Ok(text.map(|text| {
                let text = to_unit_vector(text);
                (title.map_or_else(|| text.clone(), to_unit_vector), text)
            }))
        })
    }

    /// Returns the cosine of each part of a document (0 for its own text, else a comment's row id)
    /// to a unit vector: the maximum over its chunks.
    pub fn part_cosines(&self, document: i64, query: &[f32]) -> Result<Vec<(i64, f32)>> {
        let mut out: Vec<(i64, f32)> = Vec::new();
        for (part, _, cosine) in self.chunk_cosines(document, query)? {
            match out.iter_mut().find(|(p, _)| *p == part) {
                Some((_, best)) => *best = best.max(cosine),
                None => out.push((part, cosine)),
            }
        }
        Ok(out)
    }

    /// Returns the ordinal of the chunk of a document's own text nearest to a unit vector; `None`
    /// without vectors.
    pub fn nearest_chunk(&self, document: i64, query: &[f32]) -> Result<Option<usize>> {
        let cosines =
            self.chunk_cosines(document, query)?.into_iter().filter(|(part, ..)| *part == 0);
        let best = cosines.max_by(|a, b| a.2.total_cmp(&b.2).then(b.1.cmp(&a.1)));
        Ok(best.map(|(_, ordinal, _)| ordinal))
    }

    fn chunk_cosines(&self, document: i64, query: &[f32]) -> Result<Vec<(i64, usize, f32)>> {
        self.read(|c| {
            let mut statement = c.prepare_cached(
                "SELECT part, ordinal, id FROM chunks WHERE document_id = ?1 AND part >= 0
                 AND code IS NOT NULL
                 ORDER BY part, ordinal",
            )?;
            let mut reader = VectorReader::new(c, self.dimensions)?;
            let mut rows = statement.query([document])?;
            let mut cosines = Vec::new();
            while let Some(row) = rows.next()? {
                if let Some(vector) = reader.get(row.get(2)?)? {
                    cosines.push((row.get(0)?, row.get(1)?, cosine(query, vector)));
                }
            }
            Ok(cosines)
        })
    }

    pub(super) fn codes(&self) -> Result<Arc<Codes>> {
        let mut slot = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let width = self.dimensions / 64;
        let load_codes = |current: &Arc<Codes>| {
            self.read(|c| {
                let mut statement = c.prepare_cached("SELECT generation, embedded FROM state")?;
                let (generation, embedded_count): (i64, usize) =
                    statement.query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?;
                if generation == current.generation {
                    return Ok((Arc::clone(current), embedded_count));
                }
                Ok((Arc::new(current.advance_to(c, generation)?), embedded_count))
            })
        };
        let (mut codes, embedded_count) = load_codes(&slot)?;
        // Rebuild missing codes once; if a vector is missing as well, the counts still differ.
        if codes.len() != embedded_count && !self.has_rebuilt_codes.swap(true, Ordering::Relaxed) {
            self.write(|c| rebuild(c, width))?;
            codes = load_codes(&Arc::new(Codes::empty(width)))?.0;
        }
        *slot = Arc::clone(&codes);
        Ok(codes)
    }

    /// Loads the codes before the first search.
    pub fn preload(&self) -> Result<()> {
        self.codes().map(|_| ())
    }
}

/// Returns the number of nearest codes among `count` that are scored exactly.
fn rescored_code_count(count: usize) -> usize {
    let doublings = (count / BASE_COUNT).checked_ilog2().unwrap_or(0);
    RESCORED_CODES + doublings as usize * RESCORED_CODES_STEP
}

/// Converts a stored vector to a unit vector.
fn to_unit_vector(bytes: Vec<u8>) -> Vec<f32> {
    let mut vector: Vec<f32> = bytes.iter().map(|x| f32::from(x.cast_signed())).collect();
    crate::embed::normalize(&mut vector);
    vector
}

/// Quantizes a vector to int8, scaled by its largest component.
pub(super) fn quantize(vector: &[f32]) -> Vec<u8> {
    let max_component = vector.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
    let scale = if max_component > 0.0 { 127.0 / max_component } else { 0.0 };
    vector.iter().map(|x| ((x * scale).round() as i8).cast_unsigned()).collect()
}

fn keep_maximum(best: &mut Option<f32>, value: f32) {
    *best = Some(best.map_or(value, |b| b.max(value)));
}

/// Returns the cosine of a unit vector to a quantized one; both have a multiple of 64 dimensions.
fn cosine(query: &[f32], vector: &[u8]) -> f32 {
    // Eight parallel sums, which the compiler vectorizes.
    let (mut dots, mut square) = ([0.0_f32; 8], 0_i32);
    for (query, vector) in query.as_chunks::<8>().0.iter().zip(vector.as_chunks::<8>().0) {
        for (dot, (q, s)) in dots.iter_mut().zip(query.iter().zip(vector)) {
            let s = i16::from(s.cast_signed());
            *dot += q * f32::from(s);
            square += i32::from(s * s);
        }
    }
    let length = (square as f32).sqrt();
    if square > 0 { dots.iter().sum::<f32>() / length } else { 0.0 }
}
