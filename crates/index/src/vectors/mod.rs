//! Vectors: all of sqlite-vec, and the resident codes that make large casebooks fast.
//!
//! A file of its own for each fingerprint (model and text preparation) beside the database, so that vectors can be
//! deleted, built beside an older set, and written without holding up the store. Vectors are kept as int8, each scaled
//! by its own largest component: cosine does not see the scale, and its error stays below 0.002.
//!
//! Search is exact (sqlite-vec's KNN) up to [`EXACT_CHUNKS`] vectors. Beyond that, one sign bit of every component is
//! held in memory (48 bytes a vector, see `codes`); the nearest by Hamming distance are scored again exactly. Filters act
//! inside both: documents that are not allowed are never candidates.

mod codes;
mod schema;
mod search;
mod stored;

use std::{
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use rusqlite::{Connection, params};

use codes::{Coded, Codes, signs};
pub use schema::damage;
use schema::{is_current, prepare, rebuild, register, whole};
pub use search::EXACT_CHUNKS;
use search::quantised;

use crate::{
    embed::ModelInfo,
    lock::{Kind, UpdateLock},
};
use precedent_core::{
    error::{Code, Error, Result},
    files::private_folder,
};
use precedent_store::{SqliteFile, with_end};

/// Bytes of the file that each reader maps: exact search reads all vectors, again and again, and has no more than these. Of a
/// larger file single vectors are read, and a mapping would keep every page that was met.
const MAPPED: u32 = 32 << 20;

/// Pages of the log that are put in their place at once, 16 MB. With SQLite's default of 1,000 the disk was waited for after every
/// 700 items, and a million items took longer for each vector than 100,000.
const LOGGED: u32 = 4_000;

/// The part of a chunk that is a document's title alone. No KNN looks at titles: they are compared with one another
/// where two documents are (see [`Vectors::compare`]).
pub const TITLE_PART: i64 = -1;

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
    /// Whether damage was met.
    damaged: AtomicBool,
    /// Which file it was when it was opened.
    identity: Option<Identity>,
}

/// What tells a file from another one of the same name: device and inode.
type Identity = (u64, u64);

#[cfg(unix)]
fn identity(path: &Path) -> Option<Identity> {
    use std::os::unix::fs::MetadataExt as _;
    fs::metadata(path).ok().map(|m| (m.dev(), m.ino()))
}

/// Where the system does not tell, a file that is open cannot be replaced.
#[cfg(not(unix))]
fn identity(_path: &Path) -> Option<Identity> {
    None
}

impl std::fmt::Debug for Vectors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Vectors").field("path", &self.file.path()).finish_non_exhaustive()
    }
}

/// What there is to say of damaged vectors.
pub fn broken() -> Error {
    Error::new(Code::Corrupt, "the vectors are damaged")
        .with_hint("Run `precedent doctor --repair` to rebuild them; keyword search works meanwhile.")
}

/// Removes a file of vectors where there is one: they are derived. `casebook` is the folder in which updates are locked.
///
/// # Errors
/// [`precedent_core::Code::Busy`] if another process is updating the vectors, [`precedent_core::Code::Io`].
pub fn remove(casebook: &Path, path: &Path) -> Result<()> {
    let _lock = UpdateLock::try_take(casebook, Kind::Vectors)?.ok_or_else(|| {
        Error::new(Code::Busy, "another process is updating the vectors")
            .with_hint("Wait until it has finished, then try again.")
    })?;
    for end in ["", "-wal", "-shm", ".lock"] {
        let name = with_end(path, end);
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

/// How long another process may take to make an empty set. Questions go on without vectors then.
const PATIENCE: Duration = Duration::from_millis(1500);

impl Vectors {
    /// Opens the vectors of this model below this folder, making an empty set where there is none or the file is damaged:
    /// vectors can be made again.
    ///
    /// # Errors
    /// [`precedent_core::Code::Io`] if the folder cannot be written.
    pub fn open(folder: &Path, info: &ModelInfo) -> Result<Self> {
        register();
        let (path, dimensions) = (path(folder, info), info.dimensions);
        if !path.is_file() {
            private_folder(folder)?;
        }
        let open = || {
            SqliteFile::open_ready(&path, MAPPED, PATIENCE, is_current, |connection| {
                prepare(connection, dimensions)?;
                // A connection that only reads takes it too, and never has a use for it.
                connection.pragma_update(None, "wal_autocheckpoint", LOGGED)?;
                whole(connection, &path)
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
            codes: Mutex::new(Arc::new(Codes::none(dimensions / 64))),
            mended: AtomicBool::default(),
            damaged: AtomicBool::default(),
            identity: identity(&path),
            file,
        })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        self.file.path()
    }

    /// Whether reading or writing met damage. SQLite looks at a page only when it is wanted.
    pub fn is_damaged(&self) -> bool {
        self.damaged.load(Ordering::Relaxed)
    }

    /// Whether another file has taken the place of this one, or none: others made it again.
    pub fn is_replaced(&self) -> bool {
        self.identity.is_some() && identity(self.path()) != self.identity
    }

    /// Lets go of what is held for the next reading; nothing is lost by it but a moment.
    pub fn rest(&self) {
        self.file.rest();
    }

    fn read<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.file.read(work).map_err(|error| self.told(error))
    }

    fn write<T>(&self, work: impl FnOnce(&Connection) -> Result<T>) -> Result<T> {
        self.file.write(work).map_err(|error| self.told(error))
    }

    /// Damage by its name: these vectors are not what cannot be had again.
    fn told(&self, error: Error) -> Error {
        let damaged = match error.code() {
            Code::Corrupt => true,
            // What SQLite says to it sqlite-vec passes on as a failure and no more.
            Code::Internal => damage(self.path()).is_some(),
            _ => false,
        };
        if !damaged {
            return error;
        }
        self.damaged.store(true, Ordering::Relaxed);
        broken().with_source(error)
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
        self.read(|c| Ok(c.query_row("SELECT revision FROM state", [], |r| r.get(0))?))
    }

    /// How many chunks there are, and how many have a vector.
    ///
    /// # Errors
    /// Those of the database.
    pub fn extent(&self) -> Result<Extent> {
        self.read(|c| {
            let mut statement = c.prepare_cached("SELECT chunks, embedded FROM state")?;
            Ok(statement.query_row([], |r| Ok(Extent { chunks: r.get(0)?, embedded: r.get(1)? }))?)
        })
    }

    /// The documents that have chunks, ascending.
    ///
    /// # Errors
    /// Those of the database.
    pub fn documents(&self) -> Result<Vec<i64>> {
        self.read(|c| {
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
        self.write(|c| {
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
        self.read(|c| {
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
        self.read(|c| {
            let mut statement =
                c.prepare_cached(&format!("{PENDING} WHERE document_id = ?1 AND code IS NULL ORDER BY id"))?;
            let rows = statement.query_map([document], read_pending)?;
            Ok(rows.collect::<rusqlite::Result<_>>()?)
        })
    }

    /// Stores vectors for chunks, in one transaction. A chunk that is gone by now is passed over.
    ///
    /// # Errors
    /// Those of the database.
    pub fn put(&self, vectors: &[(Pending, Vec<f32>)]) -> Result<()> {
        self.write(|c| {
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
        self.write(|c| {
            c.execute_batch("DELETE FROM embeddings; DELETE FROM chunks; UPDATE state SET revision = 0;")?;
            rebuild(c, self.dimensions / 64)
        })
    }

    /// Forgets plans whose text is gone; the next planning makes them anew.
    ///
    /// # Errors
    /// Those of the database.
    pub fn forget(&self, chunks: &[i64]) -> Result<()> {
        self.write(|c| {
            let mut delete = c.prepare_cached("DELETE FROM chunks WHERE id = ?1 AND code IS NULL")?;
            chunks.iter().try_for_each(|id| delete.execute([id]).map(|_| ()))?;
            Ok(())
        })
    }

    /// Whether a document's chunks are just these.
    ///
    /// # Errors
    /// Those of the database.
    pub fn is_planned(&self, document: i64, planned: &[Planned]) -> Result<bool> {
        self.read(|c| {
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
        self.read(
            |c| Ok(c.query_row(&format!("SELECT count(*) FROM chunks WHERE {LOST}"), [], |r| r.get(0))?),
        )
    }

    /// Looks at every document again with the next planning, and makes lost vectors anew; those that are there stay.
    ///
    /// # Errors
    /// Those of the database.
    pub fn look_again(&self) -> Result<()> {
        self.write(|c| {
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

const PENDING: &str = "SELECT id, document_id, source_id, part, ordinal, hash, priority FROM chunks";

fn read_pending(r: &rusqlite::Row<'_>) -> rusqlite::Result<Pending> {
    Ok(Pending {
        id: r.get(0)?,
        document: r.get(1)?,
        source: r.get(2)?,
        planned: Planned { part: r.get(3)?, ordinal: r.get(4)?, hash: r.get(5)?, priority: r.get(6)? },
    })
}
