//! Vectors: all of sqlite-vec, and the resident codes that make large casebooks fast.
//!
//! A file of its own for each fingerprint (model and text preparation) beside the database, so that vectors can be
//! deleted, built beside an older set, and written without holding up the store. Vectors are kept as int8, each scaled
//! by its own largest component: cosine does not see the scale, and its error stays below 0.002.
//!
//! Search is exact (sqlite-vec's KNN) up to [`EXACT_CHUNKS`] vectors. Beyond that, one sign bit of every component is
//! held in memory (48 bytes a vector, see `codes`); the nearest by Hamming distance are scored again exactly. Filters act
//! inside both: documents that are not allowed are never candidates.

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, Once, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
};

use fixedbitset::FixedBitSet;
use rusqlite::{Connection, OptionalExtension as _, params};

use super::{
    codes::{self, Coded, Codes, signs},
    stored::Stored,
};
use crate::{
    embed::ModelInfo,
    error::{Code, Error, Result},
    store::SqliteFile,
};

/// Bytes of the file that each reader maps: exact search reads all vectors, again and again, and has no more than these. Of a
/// larger file single vectors are read, and a mapping would keep every page that was met.
const MAPPED: u32 = 32 << 20;
/// Up to this many vectors every search is exact.
pub const EXACT_CHUNKS: usize = 20_000;
/// At least this many of the nearest by code are scored exactly.
const RESCORED: usize = 1024;
/// Vectors that sqlite-vec keeps in one blob. SQLite finds a place in a blob by walking there page by page from its beginning; so many of
/// 384 dimensions lie in one page. The default of 1,024 makes scoring a vector many times as slow.
const BLOB: usize = 8;
/// So many more than are wanted are scored after an exact search.
const BESIDE: usize = 32;
/// sqlite-vec's own limit for `k`.
const MAX_K: usize = 4096;

/// The part of a chunk that is a document's title alone. No KNN looks at titles: they are compared with one another
/// where two documents are (see [`Vectors::compare`]).
pub const TITLE_PART: i64 = -1;
/// Of a document's own text, and of a comment, this many chunks are compared with another report.
const COMPARED: u32 = 3;

/// A piece of a document that is to have a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Planned {
    /// 0 for the document's own text, [`TITLE_PART`] for its title, else the comment's row id.
    pub part: i64,
    /// Its place within the part, from 0.
    pub ordinal: u32,
    /// BLAKE3 of its representation text, 16 bytes.
    pub hash: [u8; 16],
    /// Lower is embedded earlier.
    pub priority: i64,
}

/// A chunk that has no vector yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Row id of the chunk.
    pub id: i64,
    /// The document it belongs to.
    pub document: i64,
    /// The document's source.
    pub source: i64,
    /// What it is.
    pub planned: Planned,
}

/// A chunk near the query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Near {
    /// Row id of the chunk.
    pub chunk: i64,
    /// The document it belongs to.
    pub document: i64,
    /// 0 for the document's own text, else the comment's row id.
    pub part: i64,
    /// Its place within the part.
    pub ordinal: u32,
    /// Cosine to the query, −1..1.
    pub cosine: f32,
}

/// Cosines of a report to a document, each −1..1 and the best of the chunks that were compared; `None` where there is
/// no vector yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likeness {
    /// Title to title.
    pub title_title: Option<f32>,
    /// The report's title to the document's text.
    pub title_text: Option<f32>,
    /// The report's text to the document's title.
    pub text_title: Option<f32>,
    /// Text to text.
    pub text_text: Option<f32>,
    /// The report's text to all pieces of the document's text that are compared: their mean.
    pub text_mean: Option<f32>,
}

/// Cosines of what was said on a document to a report, each of the nearest piece; `None` where nothing has a vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct NearestSaid {
    /// To the report's title.
    pub title: Option<f32>,
    /// To its text.
    pub text: Option<f32>,
}

/// How many chunks there are, and how many have a vector. Titles by themselves do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// All chunks of texts.
    pub chunks: u64,
    /// Those with a vector.
    pub embedded: u64,
}

/// One set of vectors.
pub struct Vectors {
    file: SqliteFile,
    fingerprint: String,
    dimensions: usize,
    codes: Mutex<Arc<Codes>>,
    /// Whether the codes were written anew already because they lacked some.
    mended: AtomicBool,
}

impl std::fmt::Debug for Vectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vectors").field("path", &self.file.path()).finish_non_exhaustive()
    }
}

/// Removes a model's vectors below this folder, where there are any.
///
/// # Errors
/// [`crate::Code::Io`].
pub fn remove(folder: &Path, info: &ModelInfo) -> Result<()> {
    let path = path(folder, info);
    for end in ["", "-wal", "-shm", ".lock"] {
        let mut name = path.as_os_str().to_owned();
        name.push(end);
        let name = PathBuf::from(name);
        if name.exists() {
            fs::remove_file(&name).map_err(|e| Error::io(&name, e))?;
        }
    }
    Ok(())
}

/// The file of a model's vectors below this folder.
pub fn path(folder: &Path, info: &ModelInfo) -> PathBuf {
    folder.join(format!("{}.db", info.fingerprint()))
}

impl Vectors {
    /// Opens the vectors of this model below this folder, making an empty set where there is none or the file is damaged:
    /// vectors can be made again.
    ///
    /// # Errors
    /// [`crate::Code::Io`] if the folder cannot be written.
    pub fn open(folder: &Path, info: &ModelInfo) -> Result<Self> {
        register();
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        let (path, dimensions) = (path(folder, info), info.dimensions);
        let open = || {
            SqliteFile::open(&path, MAPPED, |connection| {
                prepare(connection, dimensions)?;
                whole(connection, &path)
            })
        };
        let file = match open() {
            Err(error) if error.code() == Code::Corrupt => {
                remove(folder, info)?;
                open()?
            }
            file => file?,
        };
        let codes = Mutex::new(Arc::new(Codes::none(dimensions / 64)));
        Ok(Self { file, fingerprint: info.fingerprint(), dimensions, codes, mended: AtomicBool::default() })
    }

    /// Which model and text preparation they are of.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Up to which revision of the store the chunks have been planned.
    ///
    /// # Errors
    /// Those of the database.
    pub fn reached(&self) -> Result<u64> {
        self.file.read(|c| Ok(c.query_row("SELECT revision FROM state", [], |r| r.get(0))?))
    }

    /// How many chunks there are, and how many have a vector.
    ///
    /// # Errors
    /// Those of the database.
    pub fn extent(&self) -> Result<Extent> {
        self.file.read(|c| {
            let mut statement = c.prepare_cached("SELECT chunks, embedded FROM state")?;
            Ok(statement.query_row([], |r| Ok(Extent { chunks: r.get(0)?, embedded: r.get(1)? }))?)
        })
    }

    /// The documents that have chunks, ascending.
    ///
    /// # Errors
    /// Those of the database.
    pub fn documents(&self) -> Result<Vec<i64>> {
        self.file.read(|c| {
            let mut statement = c.prepare("SELECT DISTINCT document_id FROM chunks ORDER BY document_id")?;
            let rows = statement.query_map([], |r| r.get(0))?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Replaces the plans of these documents (id, source, chunks), and notes how far that reaches. Chunks whose text is
    /// as it was keep their vector.
    ///
    /// # Errors
    /// Those of the database.
    pub fn plan(&self, documents: &[(i64, i64, Vec<Planned>)], reached: Option<u64>) -> Result<()> {
        self.file.write(|c| {
            let mut known =
                c.prepare_cached("SELECT id, part, ordinal, hash, code IS NOT NULL FROM chunks WHERE document_id = ?1")?;
            let mut delete = c.prepare_cached("DELETE FROM chunks WHERE id = ?1")?;
            let mut delete_vector = c.prepare_cached("DELETE FROM embeddings WHERE chunk_id = ?1")?;
            let mut insert = c.prepare_cached(
                "INSERT INTO chunks (document_id, source_id, part, ordinal, hash, priority) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let mut lost = Vec::new();
            for (document, source, planned) in documents {
                let mut missing: Vec<&Planned> = planned.iter().collect();
                let rows = known.query_map([document], |r| {
                    Ok((r.get::<_, i64>(0)?, r.get::<_, i64>(1)?, r.get::<_, u32>(2)?, r.get::<_, [u8; 16]>(3)?, r.get::<_, bool>(4)?))
                })?;
                let mut gone = Vec::new();
                for row in rows {
                    let (id, part, ordinal, hash, embedded) = row?;
                    match missing.iter().position(|p| p.part == part && p.ordinal == ordinal && p.hash == hash) {
                        Some(at) => {
                            missing.swap_remove(at);
                        }
                        None => gone.push((id, embedded && part != TITLE_PART)),
                    }
                }
                for (id, embedded) in gone {
                    delete.execute([id])?;
                    if embedded {
                        delete_vector.execute([id])?;
                        lost.extend(u32::try_from(id));
                    }
                }
                missing.sort_by_key(|p| (p.part, p.ordinal));
                for p in missing {
                    insert.execute(params![document, source, p.part, p.ordinal, p.hash, p.priority])?;
                }
            }
            self.changed(c, &lost, Vec::new())?;
            if let Some(revision) = reached {
                c.execute("UPDATE state SET revision = ?1", [revision])?;
            }
            Ok(())
        })
    }

    /// The next chunks to embed, the most urgent first.
    ///
    /// # Errors
    /// Those of the database.
    pub fn pending(&self, limit: usize) -> Result<Vec<Pending>> {
        self.file.read(|c| {
            let mut statement =
                c.prepare_cached(&format!("{PENDING} WHERE code IS NULL ORDER BY priority, id LIMIT ?1"))?;
            let rows = statement.query_map([limit], read_pending)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The chunks of a document that have no vector yet.
    ///
    /// # Errors
    /// Those of the database.
    pub fn pending_of(&self, document: i64) -> Result<Vec<Pending>> {
        self.file.read(|c| {
            let mut statement =
                c.prepare_cached(&format!("{PENDING} WHERE document_id = ?1 AND code IS NULL ORDER BY id"))?;
            let rows = statement.query_map([document], read_pending)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// The stored unit vectors of a document's own text, in order; none where one of them is still missing.
    ///
    /// # Errors
    /// Those of the database.
    pub fn of_text(&self, document: i64) -> Result<Vec<Vec<f32>>> {
        self.file.read(|c| {
            let mut statement = c.prepare_cached(
                "SELECT v.embedding FROM chunks c LEFT JOIN embeddings v ON v.chunk_id = c.id
                 WHERE c.document_id = ?1 AND c.part = 0 ORDER BY c.ordinal",
            )?;
            let rows = statement.query_map([document], |r| r.get::<_, Option<Vec<u8>>>(0))?;
            let stored: Option<Vec<Vec<u8>>> = rows.collect::<rusqlite::Result<_>>()?;
            Ok(stored.unwrap_or_default().into_iter().map(unit).collect())
        })
    }

    /// Stores vectors for chunks, in one transaction. A chunk that is gone by now is passed over.
    ///
    /// # Errors
    /// Those of the database.
    pub fn put(&self, vectors: &[(Pending, Vec<f32>)]) -> Result<()> {
        self.file.write(|c| {
            let mut mark =
                c.prepare_cached("UPDATE chunks SET code = ?2 WHERE id = ?1 AND hash = ?3 AND code IS NULL")?;
            let mut insert = c.prepare_cached(
                "INSERT INTO embeddings (chunk_id, source_id, embedding) VALUES (?1, ?2, vec_int8(?3))",
            )?;
            let mut added = Vec::with_capacity(vectors.len());
            for (pending, vector) in vectors {
                let whole = quantised(vector);
                if pending.planned.part == TITLE_PART {
                    mark.execute(params![pending.id, whole, pending.planned.hash])?;
                    continue;
                }
                let words = signs(vector);
                let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                if mark.execute(params![pending.id, code, pending.planned.hash])? > 0 {
                    insert.execute(params![pending.id, pending.source, whole])?;
                    if let (Ok(chunk), Ok(document)) =
                        (u32::try_from(pending.id), u32::try_from(pending.document))
                    {
                        added.push(Coded { chunk, document, words });
                    }
                }
            }
            self.changed(c, &[], added)
        })
    }

    /// Notes which vectors came and went in this transaction.
    fn changed(&self, c: &Connection, gone: &[u32], added: Vec<Coded>) -> Result<()> {
        if gone.is_empty() && added.is_empty() {
            return Ok(());
        }
        let generation =
            c.query_row("UPDATE state SET generation = generation + 1 RETURNING generation", [], |r| {
                r.get(0)
            })?;
        codes::append(c, generation, self.dimensions / 64, gone, added)
    }

    /// Forgets everything.
    ///
    /// # Errors
    /// Those of the database.
    pub fn clear(&self) -> Result<()> {
        self.file.write(|c| {
            c.execute_batch("DELETE FROM embeddings; DELETE FROM chunks; UPDATE state SET revision = 0;")?;
            rebuild(c, self.dimensions / 64)
        })
    }

    /// Forgets plans whose text is gone; the next planning makes them anew.
    ///
    /// # Errors
    /// Those of the database.
    pub fn forget(&self, chunks: &[i64]) -> Result<()> {
        self.file.write(|c| {
            let mut delete = c.prepare_cached("DELETE FROM chunks WHERE id = ?1 AND code IS NULL")?;
            chunks.iter().try_for_each(|id| delete.execute([id]).map(|_| ()))?;
            Ok(())
        })
    }

    /// The chunks nearest to a unit vector, nearest first, ties by id. `allowed` limits the documents.
    ///
    /// # Errors
    /// Those of the database.
    pub fn search(&self, query: &[f32], allowed: Option<&FixedBitSet>, limit: usize) -> Result<Vec<Near>> {
        let codes = self.codes()?;
        if codes.len() <= EXACT_CHUNKS {
            return self.search_exact(query, allowed, limit);
        }
        let candidates = codes.nearest(query, allowed, RESCORED.max(limit * 2));
        self.score(query, &candidates, limit)
    }

    /// As [`Vectors::search`], by sqlite-vec's exact KNN whatever the size.
    ///
    /// # Errors
    /// Those of the database.
    pub fn search_exact(
        &self,
        query: &[f32],
        allowed: Option<&FixedBitSet>,
        limit: usize,
    ) -> Result<Vec<Near>> {
        // The search rounds the query, which changes the order of what is nearly as near.
        let k = (limit + BESIDE).clamp(1, MAX_K);
        let wanted = match allowed {
            None => None,
            Some(allowed) => Some(serde_json::Value::from(self.codes()?.chunks_of(allowed)).to_string()),
        };
        let found: Vec<i64> = self.file.read(|c| {
            let condition =
                if wanted.is_some() { "AND chunk_id IN (SELECT value FROM json_each(?3))" } else { "" };
            let mut statement = c.prepare_cached(&format!(
                "SELECT chunk_id FROM embeddings WHERE embedding MATCH vec_int8(?1) AND k = ?2 {condition}"
            ))?;
            let query = quantised(query);
            let ids = match &wanted {
                Some(wanted) => statement.query_map(params![query, k, wanted], |r| r.get(0))?.collect(),
                None => statement
                    .query_map(params![query, k], |r| r.get(0))?
                    .collect::<rusqlite::Result<Vec<i64>>>(),
            };
            Ok(ids?)
        })?;
        // The score is that of the query as it is.
        self.score(query, &found, limit)
    }

    /// Scores chunks exactly and keeps the best.
    fn score(&self, query: &[f32], chunks: &[i64], limit: usize) -> Result<Vec<Near>> {
        // In the order in which they lie in the file.
        let mut chunks = chunks.to_vec();
        chunks.sort_unstable();
        let mut near = self.file.read(|c| {
            let mut stored = Stored::of(c, self.dimensions)?;
            let mut row = c.prepare_cached("SELECT document_id, part, ordinal FROM chunks WHERE id = ?1")?;
            let mut scored: Vec<(i64, f32)> = Vec::with_capacity(chunks.len());
            for chunk in chunks {
                scored.extend(stored.get(chunk)?.map(|vector| (chunk, cosine(query, vector))));
            }
            scored.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
            scored.truncate(limit);
            let mut near = Vec::with_capacity(scored.len());
            for (chunk, cosine) in scored {
                let found = row
                    .query_row([chunk], |r| {
                        Ok(Near { chunk, document: r.get(0)?, part: r.get(1)?, ordinal: r.get(2)?, cosine })
                    })
                    .optional()?;
                near.extend(found);
            }
            Ok(near)
        })?;
        near.truncate(limit);
        Ok(near)
    }

    /// How near documents are to a report, given the unit vectors of its title and of its text; in the order of
    /// `documents`.
    ///
    /// # Errors
    /// Those of the database.
    pub fn compare(&self, title: &[f32], text: &[f32], documents: &[i64]) -> Result<Vec<Likeness>> {
        self.file.read(|c| {
            let mut chunks = c.prepare_cached(
                "SELECT id, part, code FROM chunks
                 WHERE document_id = ?1 AND part <= 0 AND ordinal < ?2 AND code IS NOT NULL",
            )?;
            let mut vectors = Stored::of(c, self.dimensions)?;
            let mut out = Vec::with_capacity(documents.len());
            for document in documents {
                let mut like = Likeness::default();
                let (mut sum, mut pieces) = (0.0, 0.0);
                let mut rows = chunks.query(params![document, COMPARED])?;
                while let Some(row) = rows.next()? {
                    if row.get::<_, i64>(1)? == TITLE_PART {
                        let stored = row.get_ref(2)?.as_blob().unwrap_or_default();
                        raise(&mut like.title_title, cosine(title, stored));
                        raise(&mut like.text_title, cosine(text, stored));
                        continue;
                    }
                    if let Some(stored) = vectors.get(row.get(0)?)? {
                        raise(&mut like.title_text, cosine(title, stored));
                        let near = cosine(text, stored);
                        raise(&mut like.text_text, near);
                        (sum, pieces) = (sum + near, pieces + 1.0);
                    }
                }
                like.text_mean = like.text_text.map(|_| sum / pieces);
                // A report without a body is its title.
                like.title_title = like.title_title.or(like.title_text);
                like.text_title = like.text_title.or(like.text_text);
                out.push(like);
            }
            Ok(out)
        })
    }

    /// How near what was said on documents is to a report, given the unit vectors of its title and of its text: of the comments
    /// with these row ids the nearest to each, where one has a vector; in the order of `documents`.
    ///
    /// # Errors
    /// Those of the database.
    pub fn compare_said(
        &self,
        title: &[f32],
        text: &[f32],
        documents: &[(i64, Vec<i64>)],
    ) -> Result<Vec<NearestSaid>> {
        self.file.read(|c| {
            let mut chunks = c.prepare_cached(
                "SELECT id, part FROM chunks
                 WHERE document_id = ?1 AND part > 0 AND ordinal < ?2 AND code IS NOT NULL ORDER BY id",
            )?;
            let mut vectors = Stored::of(c, self.dimensions)?;
            let mut out = Vec::with_capacity(documents.len());
            for (document, comments) in documents {
                let mut said = NearestSaid::default();
                if comments.is_empty() {
                    out.push(said);
                    continue;
                }
                let mut rows = chunks.query(params![document, COMPARED])?;
                while let Some(row) = rows.next()? {
                    if !comments.contains(&row.get(1)?) {
                        continue;
                    }
                    if let Some(stored) = vectors.get(row.get(0)?)? {
                        raise(&mut said.title, cosine(title, stored));
                        raise(&mut said.text, cosine(text, stored));
                    }
                }
                out.push(said);
            }
            Ok(out)
        })
    }

    /// The stored unit vectors of a document's title and of the beginning of its text, where both are there.
    ///
    /// # Errors
    /// Those of the database.
    pub fn of_document(&self, document: i64) -> Result<Option<(Vec<f32>, Vec<f32>)>> {
        self.file.read(|c| {
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
                let text = unit(text);
                (title.map_or_else(|| text.clone(), unit), text)
            }))
        })
    }

    /// How near each part of a document (0 is its own text, otherwise a comment's row id) is to a unit vector: the cosine
    /// of its best piece.
    ///
    /// # Errors
    /// Those of the database.
    pub fn near_in(&self, document: i64, query: &[f32]) -> Result<Vec<(i64, f32)>> {
        let mut out: Vec<(i64, f32)> = Vec::new();
        for (part, _, cosine) in self.pieces(document, query)? {
            match out.iter_mut().find(|(p, _)| *p == part) {
                Some((_, best)) => *best = best.max(cosine),
                None => out.push((part, cosine)),
            }
        }
        Ok(out)
    }

    /// Which piece of a document's own text is nearest to a unit vector; `None` where it has no vectors.
    ///
    /// # Errors
    /// Those of the database.
    pub fn nearest_piece(&self, document: i64, query: &[f32]) -> Result<Option<usize>> {
        let own = self.pieces(document, query)?.into_iter().filter(|(part, ..)| *part == 0);
        let best = own.max_by(|a, b| a.2.total_cmp(&b.2).then(b.1.cmp(&a.1)));
        Ok(best.map(|(_, ordinal, _)| ordinal))
    }

    fn pieces(&self, document: i64, query: &[f32]) -> Result<Vec<(i64, usize, f32)>> {
        self.file.read(|c| {
            let mut statement = c.prepare_cached(
                "SELECT part, ordinal, id FROM chunks WHERE document_id = ?1 AND part >= 0 AND code IS NOT NULL
                 ORDER BY part, ordinal",
            )?;
            let mut stored = Stored::of(c, self.dimensions)?;
            let mut rows = statement.query([document])?;
            let mut pieces = Vec::new();
            while let Some(row) = rows.next()? {
                if let Some(vector) = stored.get(row.get(2)?)? {
                    pieces.push((row.get(0)?, row.get(1)?, cosine(query, vector)));
                }
            }
            Ok(pieces)
        })
    }

    /// The resident codes, as of now.
    fn codes(&self) -> Result<Arc<Codes>> {
        let mut slot = self.codes.lock().unwrap_or_else(PoisonError::into_inner);
        let width = self.dimensions / 64;
        let now = |known: &Arc<Codes>| {
            self.file.read(|c| {
                let mut statement = c.prepare_cached("SELECT generation, embedded FROM state")?;
                let (generation, embedded): (i64, usize) =
                    statement.query_row([], |r| Ok((r.get(0)?, r.get(1)?)))?;
                if generation == known.generation {
                    return Ok((Arc::clone(known), embedded));
                }
                Ok((Arc::new(known.advanced(c, generation)?), embedded))
            })
        };
        let (mut codes, embedded) = now(&slot)?;
        // They are made from what is there, so what is lacking is made again; once, should it be lacking there too.
        if codes.len() != embedded && !self.mended.swap(true, Ordering::Relaxed) {
            self.file.write(|c| rebuild(c, width))?;
            codes = now(&Arc::new(Codes::none(width)))?.0;
        }
        *slot = Arc::clone(&codes);
        Ok(codes)
    }

    /// Reads the codes ahead of the first search.
    ///
    /// # Errors
    /// Those of the database.
    pub fn warm(&self) -> Result<()> {
        self.codes().map(|_| ())
    }

    /// Whether a document's chunks are just these.
    ///
    /// # Errors
    /// Those of the database.
    pub fn is_planned(&self, document: i64, planned: &[Planned]) -> Result<bool> {
        self.file.read(|c| {
            let mut statement =
                c.prepare_cached("SELECT part, ordinal, hash FROM chunks WHERE document_id = ?1")?;
            let rows = statement.query_map([document], |r| Ok((r.get(0)?, r.get(1)?, r.get(2)?)))?;
            let mut known: Vec<(i64, u32, [u8; 16])> = rows.collect::<rusqlite::Result<_>>()?;
            let mut wanted: Vec<_> = planned.iter().map(|p| (p.part, p.ordinal, p.hash)).collect();
            known.sort_unstable();
            wanted.sort_unstable();
            Ok(known == wanted)
        })
    }

    /// How many chunks count as embedded and have no vector, or one of another length.
    ///
    /// # Errors
    /// Those of the database.
    pub fn lost(&self) -> Result<u64> {
        self.file.read(|c| {
            Ok(c.query_row(&format!("SELECT count(*) FROM chunks WHERE {LOST}"), [], |r| r.get(0))?)
        })
    }

    /// Looks at every document again with the next planning, and makes lost vectors anew; those that are there stay.
    ///
    /// # Errors
    /// Those of the database.
    pub fn look_again(&self) -> Result<()> {
        self.file.write(|c| {
            c.execute(&format!("UPDATE chunks SET code = NULL WHERE {LOST}"), [])?;
            c.execute("UPDATE state SET revision = 0", [])?;
            rebuild(c, self.dimensions / 64)
        })
    }

    /// Bytes on disk.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }
}

/// Chunks whose vector should be there and is not. vec0 keeps the rows that it has in a table of its own.
const LOST: &str = "code IS NOT NULL AND part >= 0 AND id NOT IN (SELECT rowid FROM embeddings_rowids)";

/// What SQLite complains about in a file of vectors; nothing is changed in it.
pub fn damage(path: &Path) -> Option<String> {
    register();
    let look = || -> rusqlite::Result<Vec<String>> {
        let connection = Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.query_row("SELECT revision FROM state", [], |_| Ok(()))?;
        let mut statement = connection.prepare("PRAGMA integrity_check(3)")?;
        let lines = statement.query_map([], |r| r.get::<_, String>(0))?;
        lines.collect()
    };
    match look() {
        Ok(lines) => {
            let lines: Vec<String> = lines.into_iter().filter(|l| l != "ok").collect();
            (!lines.is_empty()).then(|| lines.join("; "))
        }
        Err(error) => Some(error.to_string()),
    }
}

const PENDING: &str = "SELECT id, document_id, source_id, part, ordinal, hash, priority FROM chunks";

fn read_pending(r: &rusqlite::Row<'_>) -> rusqlite::Result<Pending> {
    Ok(Pending {
        id: r.get(0)?,
        document: r.get(1)?,
        source: r.get(2)?,
        planned: Planned { part: r.get(3)?, ordinal: r.get(4)?, hash: r.get(5)?, priority: r.get(6)? },
    })
}

/// A stored vector as the unit vector that it was.
fn unit(stored: Vec<u8>) -> Vec<f32> {
    let mut vector: Vec<f32> = stored.iter().map(|x| f32::from(x.cast_signed())).collect();
    crate::embed::normalise(&mut vector);
    vector
}

/// Makes sqlite-vec's functions and tables known to every connection that this process opens.
#[allow(
    unsafe_code,
    reason = "registering a loadable extension is an FFI call; the signature is SQLite's entry point"
)]
pub(super) fn register() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        // SAFETY: `sqlite3_vec_init` is an extension entry point: SQLite's declaration of it takes the database, an
        // error string and the API table. The crate declares it without arguments, hence the transmute, as its
        // documentation shows.
        unsafe {
            type EntryPoint = unsafe extern "C" fn(
                *mut rusqlite::ffi::sqlite3,
                *mut *mut std::ffi::c_char,
                *const rusqlite::ffi::sqlite3_api_routines,
            ) -> std::ffi::c_int;
            let entry =
                std::mem::transmute::<*const (), EntryPoint>(sqlite_vec::sqlite3_vec_init as *const ());
            rusqlite::ffi::sqlite3_auto_extension(Some(entry));
        }
    });
}

/// Whether the file is as long as it says, and can be read: SQLite looks at the length only where it reads.
fn whole(connection: &Connection, path: &Path) -> Result<()> {
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, Option<u64>>(0));
    number("SELECT revision FROM state")?;
    number("SELECT max(id) FROM chunks")?;
    let pages = number("PRAGMA page_count")?.unwrap_or(0) * number("PRAGMA page_size")?.unwrap_or(0);
    let mut log = path.as_os_str().to_owned();
    log.push("-wal");
    // What is still in the log counts as a page already.
    let logged = fs::metadata(&log).is_ok_and(|m| m.len() > 0);
    let length = fs::metadata(path).map_err(|e| Error::io(path, e))?.len();
    if !logged && length < pages {
        return Err(Error::new(Code::Corrupt, format!("{} was cut", path.display())));
    }
    Ok(())
}

/// The version of the tables below.
const VERSION: i64 = 2;

fn prepare(connection: &mut Connection, dimensions: usize) -> Result<()> {
    let version = |c: &Connection| c.query_row("PRAGMA user_version", [], |r| r.get::<_, i64>(0));
    if version(connection)? >= VERSION {
        return Ok(());
    }
    let transaction = connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have made it while this one waited.
    let version = version(&transaction)?;
    if version == 0 {
        transaction.execute_batch(
            "CREATE TABLE state (
                 id         INTEGER PRIMARY KEY CHECK (id = 1),
                 revision   INTEGER NOT NULL,  -- of the store, up to which chunks are planned
                 generation INTEGER NOT NULL   -- bumped with every change of vectors
             ) STRICT;
             INSERT INTO state VALUES (1, 0, 0);
             CREATE TABLE chunks (
                 id          INTEGER PRIMARY KEY,
                 document_id INTEGER NOT NULL,
                 source_id   INTEGER NOT NULL,
                 part        INTEGER NOT NULL, -- 0: the document's own text; -1: its title; else the comment's row id
                 ordinal     INTEGER NOT NULL,
                 hash        BLOB NOT NULL,    -- of the representation text
                 priority    INTEGER NOT NULL, -- lower is embedded earlier
                 code        BLOB              -- sign bits of the vector (of a title, int8: all of it); NULL until
                                               -- it is embedded
             ) STRICT;
             CREATE INDEX chunks_by_document ON chunks (document_id);
             CREATE INDEX chunks_pending ON chunks (priority, id, part) WHERE code IS NULL;",
        )?;
    }
    if version < 2 {
        transaction.execute_batch(&format!(
            "{}
             CREATE VIRTUAL TABLE embeddings USING vec0(
                 chunk_id INTEGER PRIMARY KEY,
                 source_id INTEGER PARTITION KEY,
                 embedding int8[{dimensions}] distance_metric=cosine,
                 chunk_size={BLOB}
             );
             -- Chunks of texts, and those of them that have a vector: every search tells them.
             ALTER TABLE state ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0;
             ALTER TABLE state ADD COLUMN embedded INTEGER NOT NULL DEFAULT 0;
             UPDATE state SET chunks = (SELECT count(*) FROM chunks WHERE part >= 0),
                 embedded = (SELECT count(*) FROM chunks WHERE part >= 0 AND code IS NOT NULL);
             CREATE TRIGGER chunks_come AFTER INSERT ON chunks WHEN NEW.part >= 0 BEGIN
                 UPDATE state SET chunks = chunks + 1, embedded = embedded + (NEW.code IS NOT NULL);
             END;
             CREATE TRIGGER chunks_go AFTER DELETE ON chunks WHEN OLD.part >= 0 BEGIN
                 UPDATE state SET chunks = chunks - 1, embedded = embedded - (OLD.code IS NOT NULL);
             END;
             CREATE TRIGGER chunks_change AFTER UPDATE OF code ON chunks WHEN NEW.part >= 0 BEGIN
                 UPDATE state SET embedded = embedded + (NEW.code IS NOT NULL) - (OLD.code IS NOT NULL);
             END;",
            codes::SCHEMA
        ))?;
        if version == 1 {
            transaction.execute_batch(
                "INSERT INTO embeddings (chunk_id, source_id, embedding)
                     SELECT v.chunk_id, c.source_id, vec_int8(v.embedding)
                     FROM vectors v JOIN chunks c ON c.id = v.chunk_id;
                 DROP TABLE vectors;
                 DROP INDEX IF EXISTS chunks_titles;",
            )?;
            rebuild(&transaction, dimensions / 64)?;
        }
    }
    transaction.pragma_update(None, "user_version", VERSION)?;
    transaction.commit()?;
    Ok(())
}

/// Writes the codes anew from the chunks.
fn rebuild(c: &Connection, width: usize) -> Result<()> {
    let generation = c.query_row("SELECT generation FROM state", [], |r| r.get(0))?;
    let last = codes::rebuild(c, generation, width)?;
    c.execute("UPDATE state SET generation = ?1", [last])?;
    Ok(())
}

/// A vector as int8, scaled by its largest component.
fn quantised(vector: &[f32]) -> Vec<u8> {
    let largest = vector.iter().fold(0.0_f32, |m, x| m.max(x.abs()));
    let scale = if largest > 0.0 { 127.0 / largest } else { 0.0 };
    #[allow(clippy::cast_possible_truncation, reason = "the scale keeps it within −127..127")]
    vector.iter().map(|x| ((x * scale).round() as i8).cast_unsigned()).collect()
}

fn raise(best: &mut Option<f32>, value: f32) {
    *best = Some(best.map_or(value, |b| b.max(value)));
}

/// Cosine of a unit vector to a quantised one; the dimensions of both are a multiple of 64.
fn cosine(query: &[f32], stored: &[u8]) -> f32 {
    // Eight sums side by side, which the compiler makes one instruction of.
    let (mut dots, mut square) = ([0.0_f32; 8], 0_i32);
    for (query, stored) in query.as_chunks::<8>().0.iter().zip(stored.as_chunks::<8>().0) {
        for (dot, (q, s)) in dots.iter_mut().zip(query.iter().zip(stored)) {
            let s = i16::from(s.cast_signed());
            *dot += q * f32::from(s);
            square += i32::from(s * s);
        }
    }
    #[allow(clippy::cast_precision_loss, reason = "a rounding in the eighth figure")]
    let length = (square as f32).sqrt();
    if square > 0 { dots.iter().sum::<f32>() / length } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::embed::Engine;

    fn vector(n: u32, dimensions: usize) -> Vec<f32> {
        let mut vector: Vec<f32> =
            (0..dimensions).map(|i| ((i as f32 + 1.0) * (n as f32 + 0.7)).sin()).collect();
        crate::embed::normalise(&mut vector);
        vector
    }

    #[test]
    fn a_set_of_the_first_version_is_brought_up_to_date() {
        register();
        let folder = tempfile::tempdir().unwrap();
        let info = Engine::Hashed.info().unwrap();
        let path = path(folder.path(), &info);
        let old = Connection::open(&path).unwrap();
        old.execute_batch(&format!(
            "CREATE TABLE state (id INTEGER PRIMARY KEY CHECK (id = 1), revision INTEGER NOT NULL, generation INTEGER NOT NULL) STRICT;
             INSERT INTO state VALUES (1, 5, 9);
             CREATE TABLE chunks (id INTEGER PRIMARY KEY, document_id INTEGER NOT NULL, source_id INTEGER NOT NULL,
                 part INTEGER NOT NULL, ordinal INTEGER NOT NULL, hash BLOB NOT NULL, priority INTEGER NOT NULL, code BLOB) STRICT;
             CREATE INDEX chunks_by_document ON chunks (document_id);
             CREATE INDEX chunks_pending ON chunks (priority, id, part) WHERE code IS NULL;
             CREATE INDEX chunks_titles ON chunks (document_id) WHERE part = -1;
             CREATE VIRTUAL TABLE vectors USING vec0(chunk_id INTEGER PRIMARY KEY, source_id INTEGER PARTITION KEY,
                 embedding int8[{}] distance_metric=cosine);
             PRAGMA user_version = 1;",
            info.dimensions
        ))
        .unwrap();
        for n in 1..=4_u32 {
            let own = vector(n, info.dimensions);
            let code: Vec<u8> = signs(&own).iter().flat_map(|w| w.to_le_bytes()).collect();
            let code = (n < 4).then_some(code);
            old.execute("INSERT INTO chunks VALUES (?1, ?1, 1, 0, 0, zeroblob(16), 0, ?2)", params![n, code])
                .unwrap();
            if n < 4 {
                old.execute("INSERT INTO vectors VALUES (?1, 1, vec_int8(?2))", params![n, quantised(&own)])
                    .unwrap();
            }
        }
        old.execute("INSERT INTO chunks VALUES (9, 1, 1, -1, 0, zeroblob(16), 0, zeroblob(4))", []).unwrap();
        drop(old);

        let vectors = Vectors::open(folder.path(), &info).unwrap();
        assert_eq!(vectors.extent().unwrap(), Extent { chunks: 4, embedded: 3 });
        assert_eq!((vectors.reached().unwrap(), vectors.lost().unwrap()), (5, 0));
        assert_eq!(vectors.codes().unwrap().len(), 3);
        let near = vectors.search(&vector(2, info.dimensions), None, 1).unwrap();
        assert_eq!((near[0].chunk, near[0].document), (2, 2));
        assert!(near[0].cosine > 0.999, "{near:?}");
    }

    #[test]
    fn codes_that_are_lost_are_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let info = Engine::Hashed.info().unwrap();
        let vectors = Vectors::open(folder.path(), &info).unwrap();
        let planned = |n: u8| Planned { part: 0, ordinal: u32::from(n), hash: [n; 16], priority: 0 };
        vectors.plan(&[(1, 1, (0..20).map(planned).collect())], None).unwrap();
        for pending in vectors.pending(100).unwrap() {
            let own = vector(pending.planned.ordinal, info.dimensions);
            vectors.put(&[(pending, own)]).unwrap();
        }
        vectors.file.write(|c| Ok(c.execute("DELETE FROM blocks WHERE last % 2 = 0", [])?)).unwrap();
        assert_eq!(vectors.codes().unwrap().len(), 20);
        let again = Vectors::open(folder.path(), &info).unwrap();
        assert_eq!(again.codes().unwrap().len(), 20);
        again.clear().unwrap();
        assert_eq!((vectors.codes().unwrap().len(), vectors.extent().unwrap()), (0, Extent::default()));
    }
}
