//! Storage and search of vectors: sqlite-vec, and resident codes for fast searches in large
//! casebooks.
//!
//! Each fingerprint (model and text preparation) has its own file beside the database, so that
//! vectors can be deleted, built beside an older set, and written without blocking the store.
//! Vectors are stored as int8, each scaled by its largest component. Cosines do not depend on the
//! scale; their error is below 0.002.
//!
//! Search is exact (sqlite-vec's KNN) up to [`EXACT_CHUNKS`] vectors. Beyond that, one sign bit per
//! component is held in memory (48 bytes per vector, see `codes`), and the nearest by Hamming
//! distance are rescored exactly. Both apply filters before they select candidates.

mod codes;
mod reader;
mod schema;
mod search;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rusqlite::{Connection, Params, Row, params};

use codes::{CodeRow, Codes, signs};
pub use schema::integrity_errors;
use schema::{check_length, is_current, prepare, rebuild, register};
pub use search::EXACT_CHUNKS;
use search::quantize;

use crate::{
    embed::ModelInfo,
    lock::{self, UpdateLock},
};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    files::create_private_folder,
};
use precedent_store::{SqliteFile, with_suffix};

/// The number of bytes of the file that each reader maps. Exact search reads all vectors
/// repeatedly, and needs no more. In a larger file, a mapping would keep every page that was read.
const MMAP_BYTES: u32 = 32 << 20;

/// The number of pages of the write-ahead log per checkpoint, 16 MB. SQLite's default of 1,000
/// waits for the disk after every 700 items.
const CHECKPOINT_PAGES: u32 = 4_000;

/// The part of a chunk that is only a document's title. KNN searches skip titles;
/// [`Vectors::compare`] compares them.
pub const TITLE_PART: i64 = -1;

/// A chunk of a document that needs a vector.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlannedChunk {
    /// The part: 0 for the document's own text, [`TITLE_PART`] for its title, else the comment's
    /// row id.
    pub part: i64,
    /// Position within the part, from 0.
    pub ordinal: u32,
    /// BLAKE3 of its representation text, 16 bytes.
    pub hash: [u8; 16],
    /// Priority; lower values are embedded earlier.
    pub priority: i64,
}

/// A chunk that has no vector yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PendingChunk {
    /// Row id of the chunk.
    pub id: i64,
    /// Document of the chunk.
    pub document: i64,
    /// Source of the document.
    pub source: i64,
    /// The planned chunk.
    pub plan: PlannedChunk,
}

/// A chunk near a query.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NearestChunk {
    /// Row id of the chunk.
    pub chunk: i64,
    /// Document of the chunk.
    pub document: i64,
    /// The part: 0 for the document's own text, else the comment's row id.
    pub part: i64,
    /// Position within the part.
    pub ordinal: u32,
    /// Cosine to the query, −1..1.
    pub cosine: f32,
}

/// The cosines of a report to a document, −1..1, each the best of the compared chunks; `None` if
/// there is no vector yet.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Likeness {
    /// Cosine of title to title.
    pub title_title: Option<f32>,
    /// Cosine of the report's title to the document's text.
    pub title_text: Option<f32>,
    /// Cosine of the report's text to the document's title.
    pub text_title: Option<f32>,
    /// Cosine of text to text.
    pub text_text: Option<f32>,
    /// Mean cosine of the report's text to the compared chunks of the document's text.
    pub text_mean: Option<f32>,
}

/// The cosines of a document's comments to a report, each of the nearest chunk; `None` without a
/// vector.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CommentLikeness {
    /// Cosine to the report's title.
    pub title: Option<f32>,
    /// Cosine to the report's text.
    pub text: Option<f32>,
}

/// The number of chunks, and of those with a vector. Chunks of titles do not count.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Extent {
    /// Number of chunks.
    pub chunks: u64,
    /// Number of chunks with a vector.
    pub embedded_chunks: u64,
}

/// A set of vectors of one model and text preparation.
pub struct Vectors {
    file: SqliteFile,
    fingerprint: String,
    dimensions: usize,
    codes: Mutex<Arc<Codes>>,
    has_rebuilt_codes: AtomicBool,
    has_damage: AtomicBool,
    /// Identity of the file when it was opened.
    identity: Option<Identity>,
}

/// The identity of a file, independent of its name: device and inode.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

/// Returns `None`, because other systems do not allow replacing an open file.
#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<Identity> {
    None
}

/// Returns the error for damaged vectors.
pub fn damage_error() -> Error {
    Error::new(Code::Corrupt, "the semantic index is damaged")
        .with_hint("Keyword search works meanwhile. A repair rebuilds it.")
        .with_command(Remedy::Repair, "precedent doctor --repair")
}

/// Removes a vector file if it exists. `casebook` is the folder of the update locks.
pub fn remove(casebook: &Path, path: &Path) -> Result<()> {
    let _lock = UpdateLock::try_take(casebook, lock::VECTORS)?.ok_or_else(|| {
        Error::new(Code::Busy, "another process is updating the semantic index")
            .with_hint("Wait until it has finished, then try again.")
    })?;
    for suffix in ["", "-wal", "-shm", ".lock"] {
        let file = with_suffix(path, suffix);
        if file.exists() {
            fs::remove_file(&file).map_err(|e| Error::io(&file, e))?;
        }
    }
    Ok(())
}

/// Returns the path of a model's vectors below this folder.
pub fn path(folder: &Path, info: &ModelInfo) -> PathBuf {
    folder.join(format!("{}.db", info.fingerprint()))
}

/// The maximum wait for another process that creates an empty set. After that, queries run without
/// vectors.
const CREATION_TIMEOUT: Duration = Duration::from_millis(1500);

impl Vectors {
    /// Opens the vectors of this model below this folder. Creates an empty set if there is none or
    /// the file is damaged.
    pub fn open(folder: &Path, info: &ModelInfo) -> Result<Self> {
        register();
        let (path, dimensions) = (path(folder, info), info.dimensions);
        if !path.is_file() {
            create_private_folder(folder)?;
        }
        let open = || {
            SqliteFile::open(&path, MMAP_BYTES, CREATION_TIMEOUT, is_current, |connection| {
                prepare(connection, dimensions)?;
                // Read-only connections accept the setting and ignore it.
                connection.pragma_update(None, "wal_autocheckpoint", CHECKPOINT_PAGES)?;
                check_length(connection, &path)
            })
        };
        let file = match open() {
            Err(error) if error.code() == Code::Corrupt => {
                remove(folder.parent().unwrap_or(folder), &path)?;
                open()?
            }
            file => file?,
        };
        Ok(Self {
            fingerprint: info.fingerprint(),
            dimensions,
            codes: Mutex::new(Arc::new(Codes::empty(dimensions / 64))),
            has_rebuilt_codes: AtomicBool::default(),
            has_damage: AtomicBool::default(),
            identity: identity(&path),
            file,
        })
    }

    /// Returns the path of the file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Returns whether a read or write has found damage. SQLite checks a page only on reading it.
    pub fn is_damaged(&self) -> bool {
        self.has_damage.load(Ordering::Relaxed)
    }

    /// Returns whether the file was replaced or removed by another process.
    pub fn is_replaced(&self) -> bool {
        self.identity.is_some() && identity(self.path()) != self.identity
    }

    /// Releases the resources that are kept for the next read.
    pub fn release_memory(&self) {
        self.file.release_memory();
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.file.read(work).map_err(|error| self.mark_damage(error))
    }

    fn query_rows<T>(
        &self,
        sql: &str,
        params: impl Params,
        parse: impl FnMut(&Row<'_>) -> rusqlite::Result<T>,
    ) -> Result<Vec<T>> {
        self.read(|c| {
            let mut statement = c.prepare_cached(sql)?;
            let rows = statement.query_map(params, parse)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.file.write(work).map_err(|error| self.mark_damage(error))
    }

    /// Records damage that caused an error, and returns the error for damaged vectors.
    fn mark_damage(&self, error: Error) -> Error {
        let is_damage = match error.code() {
            Code::Corrupt => true,
            // sqlite-vec reports SQLite's error as a general failure.
            Code::Internal => integrity_errors(self.path()).is_some(),
            _ => false,
        };
        if !is_damage {
            return error;
        }
        self.has_damage.store(true, Ordering::Relaxed);
        damage_error().with_source(error)
    }

    /// Returns the fingerprint of the model and the text preparation.
    pub fn fingerprint(&self) -> &str {
        &self.fingerprint
    }

    /// Returns the revision of the store up to which chunks are planned.
    pub fn planned_revision(&self) -> Result<u64> {
        self.read(|c| Ok(c.query_row("SELECT revision FROM state", [], |r| r.get(0))?))
    }

    /// Returns the number of chunks, and of those with a vector.
    pub fn extent(&self) -> Result<Extent> {
        self.read(|c| {
            let mut statement = c.prepare_cached("SELECT chunks, embedded FROM state")?;
            Ok(statement
                .query_row([], |r| Ok(Extent { chunks: r.get(0)?, embedded_chunks: r.get(1)? }))?)
        })
    }

    /// Returns the documents that have chunks, ascending.
    pub fn documents(&self) -> Result<Vec<i64>> {
        let query = "SELECT DISTINCT document_id FROM chunks ORDER BY document_id";
        self.query_rows(query, [], |r| r.get(0))
    }

    /// Replaces the plans of these documents (id, source, chunks), and records the revision. Chunks
    /// with unchanged text keep their vectors.
    pub fn plan(
        &self,
        documents: &[(i64, i64, Vec<PlannedChunk>)],
        revision: Option<u64>,
    ) -> Result<()> {
        self.write(|c| {
            let mut select = c.prepare_cached(
                "SELECT id, part, ordinal, hash, code IS NOT NULL FROM chunks
                     WHERE document_id = ?1",
            )?;
            let mut delete = c.prepare_cached("DELETE FROM chunks WHERE id = ?1")?;
            let mut delete_vector =
                c.prepare_cached("DELETE FROM embeddings WHERE chunk_id = ?1")?;
            let mut insert = c.prepare_cached(
                "INSERT INTO chunks (document_id, source_id, part, ordinal, hash, priority)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
            )?;
            let mut removals = Vec::new();
            for (document, source, chunks) in documents {
                let mut new_chunks: Vec<&PlannedChunk> = chunks.iter().collect();
                let rows = select.query_map([document], |r| r.try_into())?;
                let mut stale_chunks = Vec::new();
                for row in rows {
                    let (id, part, ordinal, hash, is_embedded): (i64, i64, u32, [u8; 16], bool) =
                        row?;
                    let is_same =
                        |p: &&PlannedChunk| (p.part, p.ordinal, p.hash) == (part, ordinal, hash);
                    match new_chunks.iter().position(is_same) {
                        Some(index) => {
                            new_chunks.swap_remove(index);
                        }
                        None => stale_chunks.push((id, is_embedded && part != TITLE_PART)),
                    }
                }
                for (id, is_embedded) in stale_chunks {
                    delete.execute([id])?;
                    if is_embedded {
                        delete_vector.execute([id])?;
                        removals.extend(u32::try_from(id));
                    }
                }
                new_chunks.sort_by_key(|p| (p.part, p.ordinal));
                for p in new_chunks {
                    insert.execute(params![
                        document, source, p.part, p.ordinal, p.hash, p.priority
                    ])?;
                }
            }
            self.record_changes(c, &removals, Vec::new())?;
            if let Some(revision) = revision {
                c.execute("UPDATE state SET revision = ?1", [revision])?;
            }
            Ok(())
        })
    }

    /// Returns the next chunks to embed, most urgent first.
    pub fn pending_chunks(&self, limit: usize) -> Result<Vec<PendingChunk>> {
        let query = format!("{SELECT_CHUNKS} WHERE code IS NULL ORDER BY priority, id LIMIT ?1");
        self.query_rows(&query, [limit], read_pending)
    }

    /// Returns the chunks of a document that have no vector yet.
    pub fn pending_of(&self, document: i64) -> Result<Vec<PendingChunk>> {
        let query = format!("{SELECT_CHUNKS} WHERE document_id = ?1 AND code IS NULL ORDER BY id");
        self.query_rows(&query, [document], read_pending)
    }

    /// Stores vectors for chunks, in one transaction. Removed chunks are skipped.
    pub fn put(&self, vectors: &[(PendingChunk, Vec<f32>)]) -> Result<()> {
        self.write(|c| {
            let mut update = c.prepare_cached(
                "UPDATE chunks SET code = ?2 WHERE id = ?1 AND hash = ?3 AND code IS NULL",
            )?;
            let mut insert = c.prepare_cached(
                "INSERT INTO embeddings (chunk_id, source_id, embedding)
                 VALUES (?1, ?2, vec_int8(?3))",
            )?;
            let mut rows = Vec::with_capacity(vectors.len());
            for (chunk, vector) in vectors {
                let int8_vector = quantize(vector);
                if chunk.plan.part == TITLE_PART {
                    update.execute(params![chunk.id, int8_vector, chunk.plan.hash])?;
                    continue;
                }
                let words = signs(vector);
                let code: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
                if update.execute(params![chunk.id, code, chunk.plan.hash])? > 0 {
                    insert.execute(params![chunk.id, chunk.source, int8_vector])?;
                    if let (Ok(chunk), Ok(document)) =
                        (u32::try_from(chunk.id), u32::try_from(chunk.document))
                    {
                        rows.push(CodeRow { chunk, document, words });
                    }
                }
            }
            self.record_changes(c, &[], rows)
        })
    }

    /// Records the vectors that were added and removed in this transaction.
    fn record_changes(
        &self,
        c: &Connection,
        removals: &[u32],
        additions: Vec<CodeRow>,
    ) -> Result<()> {
        if removals.is_empty() && additions.is_empty() {
            return Ok(());
        }
        let generation = c.query_row(
            "UPDATE state SET generation = generation + 1 RETURNING generation",
            [],
            |r| r.get(0),
        )?;
        codes::append(c, generation, self.dimensions / 64, removals, additions)
    }

    /// Removes all chunks and vectors.
    pub fn clear(&self) -> Result<()> {
        self.write(|c| {
            c.execute_batch(
                "DELETE FROM embeddings; DELETE FROM chunks; UPDATE state SET revision = 0;",
            )?;
            rebuild(c, self.dimensions / 64)
        })
    }

    /// Removes chunks without a vector; the next planning recreates them if necessary.
    pub fn remove_unembedded(&self, chunks: &[i64]) -> Result<()> {
        self.write(|c| {
            let mut delete =
                c.prepare_cached("DELETE FROM chunks WHERE id = ?1 AND code IS NULL")?;
            chunks.iter().try_for_each(|id| delete.execute([id]).map(|_| ()))?;
            Ok(())
        })
    }

    /// Returns whether a document has exactly these chunks.
    pub fn is_planned(&self, document: i64, chunks: &[PlannedChunk]) -> Result<bool> {
        let query = "SELECT part, ordinal, hash FROM chunks WHERE document_id = ?1";
        let mut stored_chunks: Vec<(i64, u32, [u8; 16])> =
            self.query_rows(query, [document], |r| r.try_into())?;
        let mut plan: Vec<_> = chunks.iter().map(|p| (p.part, p.ordinal, p.hash)).collect();
        stored_chunks.sort_unstable();
        plan.sort_unstable();
        Ok(stored_chunks == plan)
    }

    /// Returns the number of chunks that are marked as embedded but have no vector.
    pub fn count_missing_vectors(&self) -> Result<u64> {
        let query = format!("SELECT count(*) FROM chunks WHERE {MISSING_VECTOR}");
        self.read(|c| Ok(c.query_row(&query, [], |r| r.get(0))?))
    }

    /// Schedules every document for planning, and missing vectors for embedding. Keeps existing
    /// vectors.
    pub fn schedule_replanning(&self) -> Result<()> {
        self.write(|c| {
            c.execute(&format!("UPDATE chunks SET code = NULL WHERE {MISSING_VECTOR}"), [])?;
            c.execute("UPDATE state SET revision = 0", [])?;
            rebuild(c, self.dimensions / 64)
        })
    }

    /// Returns the size on disk, in bytes.
    pub fn bytes(&self) -> u64 {
        self.file.bytes()
    }
}

/// The SQL condition of a chunk whose vector is missing. vec0 lists its rows in a separate table.
const MISSING_VECTOR: &str =
    "code IS NOT NULL AND part >= 0 AND id NOT IN (SELECT rowid FROM embeddings_rowids)";

const SELECT_CHUNKS: &str =
    "SELECT id, document_id, source_id, part, ordinal, hash, priority FROM chunks";

fn read_pending(r: &Row<'_>) -> rusqlite::Result<PendingChunk> {
    Ok(PendingChunk {
        id: r.get(0)?,
        document: r.get(1)?,
        source: r.get(2)?,
        plan: PlannedChunk {
            part: r.get(3)?,
            ordinal: r.get(4)?,
            hash: r.get(5)?,
            priority: r.get(6)?,
        },
    })
}
