//! The database of a set of vectors: tables, migrations and integrity checks.

use std::{fs, path::Path, sync::Once};

use rusqlite::Connection;

use super::codes;
use precedent_core::error::{Code, Error, Result};
use precedent_store::with_suffix;

/// The number of vectors per blob of sqlite-vec: eight vectors with 384 dimensions fit into one
/// page. SQLite seeks in a blob page by page, so the default of 1,024 makes lookups many times
/// slower.
const BLOB_VECTORS: usize = 8;

/// Returns the errors of SQLite's integrity check; `None` if the file is sound or inaccessible.
pub fn integrity_errors(path: &Path) -> Option<String> {
    register();
    let check = || -> rusqlite::Result<Vec<String>> {
        let connection =
            Connection::open_with_flags(path, rusqlite::OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.busy_timeout(std::time::Duration::from_secs(5))?;
        connection.query_row("SELECT revision FROM state", [], |_| Ok(()))?;
        let mut statement = connection.prepare("PRAGMA integrity_check(3)")?;
        let lines = statement.query_map([], |r| r.get::<_, String>(0))?;
        lines.collect()
    };
    match check() {
        Ok(lines) => {
            let lines: Vec<String> = lines.into_iter().filter(|l| l != "ok").collect();
            (!lines.is_empty()).then(|| lines.join("; "))
        }
        Err(error) => is_damage(&error).then(|| error.to_string()),
    }
}

/// Returns whether an error concerns the file's content, not merely access to it.
fn is_damage(error: &rusqlite::Error) -> bool {
    use rusqlite::ErrorCode as E;
    !matches!(
        error.sqlite_error_code(),
        Some(
            E::DatabaseBusy
                | E::DatabaseLocked
                | E::CannotOpen
                | E::DiskFull
                | E::OutOfMemory
                | E::PermissionDenied
                | E::ReadOnly
                | E::SystemIoFailure
        )
    )
}

/// Registers sqlite-vec's functions and tables for every connection of this process.
#[allow(
    unsafe_code,
    reason = "registering a loadable extension is an FFI call; the signature is SQLite's entry point"
)]
pub(super) fn register() {
    static REGISTRATION: Once = Once::new();
    REGISTRATION.call_once(|| {
        // SAFETY: SQLite calls an extension entry point with the database, an error string and the
        // API table. The crate declares `sqlite3_vec_init` without arguments, hence the transmute,
        // as its documentation shows.
        unsafe {
            type EntryPoint = unsafe extern "C" fn(
                *mut rusqlite::ffi::sqlite3,
                *mut *mut std::ffi::c_char,
                *const rusqlite::ffi::sqlite3_api_routines,
            ) -> std::ffi::c_int;
            let entry = std::mem::transmute::<*const (), EntryPoint>(
                sqlite_vec::sqlite3_vec_init as *const (),
            );
            rusqlite::ffi::sqlite3_auto_extension(Some(entry));
        }
    });
}

/// Checks that the file is readable and not truncated. SQLite checks the length only on reading.
pub(super) fn check_length(connection: &Connection, path: &Path) -> Result<()> {
    let number = |query: &str| connection.query_row(query, [], |r| r.get::<_, Option<u64>>(0));
    number("SELECT revision FROM state")?;
    number("SELECT max(id) FROM chunks")?;
    let page_bytes =
        number("PRAGMA page_count")?.unwrap_or(0) * number("PRAGMA page_size")?.unwrap_or(0);
    let log = with_suffix(path, "-wal");
    // The page count includes pages that are still in the log.
    let has_log = fs::metadata(&log).is_ok_and(|m| m.len() > 0);
    let length = fs::metadata(path).map_err(|e| Error::io(path, e))?.len();
    if !has_log && length < page_bytes {
        return Err(Error::new(Code::Corrupt, format!("{} is truncated", path.display())));
    }
    Ok(())
}

const VERSION: i64 = 2;

pub(super) fn is_current(connection: &Connection) -> Result<bool> {
    Ok(connection.query_row("PRAGMA user_version", [], |r| r.get::<_, i64>(0))? >= VERSION)
}

pub(super) fn prepare(connection: &mut Connection, dimensions: usize) -> Result<()> {
    let version = |c: &Connection| c.query_row("PRAGMA user_version", [], |r| r.get::<_, i64>(0));
    if version(connection)? >= VERSION {
        return Ok(());
    }
    let transaction =
        connection.transaction_with_behavior(rusqlite::TransactionBehavior::Immediate)?;
    // Another process may have created it during the wait.
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
                 chunk_size={BLOB_VECTORS}
             );
             -- The number of chunks without titles, and of those with a vector; every search reads them.
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

/// Rewrites the codes from the chunks.
pub(super) fn rebuild(c: &Connection, width: usize) -> Result<()> {
    let generation = c.query_row("SELECT generation FROM state", [], |r| r.get(0))?;
    let last = codes::rebuild(c, generation, width)?;
    c.execute("UPDATE state SET generation = ?1", [last])?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use rusqlite::params;

    use super::{
        super::{Extent, PlannedChunk, Vectors, codes::signs, path, search::quantize},
        *,
    };
    use crate::embed::Engine;

    fn vector(n: u32, dimensions: usize) -> Vec<f32> {
        let mut vector: Vec<f32> =
            (0..dimensions).map(|i| ((i as f32 + 1.0) * (n as f32 + 0.7)).sin()).collect();
        crate::embed::normalize(&mut vector);
        vector
    }

    #[test]
    fn first_version_is_migrated() {
        register();
        let folder = tempfile::tempdir().unwrap();
        let info = Engine::Hashed.info().unwrap();
        let path = path(folder.path(), &info);
        let connection = Connection::open(&path).unwrap();
        connection.execute_batch(&format!(
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
            let vector = vector(n, info.dimensions);
            let code: Vec<u8> = signs(&vector).iter().flat_map(|w| w.to_le_bytes()).collect();
            let code = (n < 4).then_some(code);
            connection
                .execute(
                    "INSERT INTO chunks VALUES (?1, ?1, 1, 0, 0, zeroblob(16), 0, ?2)",
                    params![n, code],
                )
                .unwrap();
            if n < 4 {
                connection
                    .execute(
                        "INSERT INTO vectors VALUES (?1, 1, vec_int8(?2))",
                        params![n, quantize(&vector)],
                    )
                    .unwrap();
            }
        }
        connection
            .execute("INSERT INTO chunks VALUES (9, 1, 1, -1, 0, zeroblob(16), 0, zeroblob(4))", [])
            .unwrap();
        drop(connection);

        let vectors = Vectors::open(folder.path(), &info).unwrap();
        assert_eq!(vectors.extent().unwrap(), Extent { chunks: 4, embedded_chunks: 3 });
        assert_eq!(
            (vectors.planned_revision().unwrap(), vectors.count_missing_vectors().unwrap()),
            (5, 0)
        );
        assert_eq!(vectors.codes().unwrap().len(), 3);
        let nearest = vectors.search(&vector(2, info.dimensions), None, 1).unwrap();
        assert_eq!((nearest[0].chunk, nearest[0].document), (2, 2));
        assert!(nearest[0].cosine > 0.999, "{nearest:?}");
    }

    #[test]
    fn replaced_file_is_detected() {
        let folder = tempfile::tempdir().unwrap();
        let info = Engine::Hashed.info().unwrap();
        let vectors = Vectors::open(folder.path(), &info).unwrap();
        assert!(!vectors.is_replaced());
        fs::remove_file(vectors.path()).unwrap();
        assert_eq!(vectors.is_replaced(), cfg!(unix));
        let reopened = Vectors::open(folder.path(), &info).unwrap();
        assert!(!reopened.is_replaced());
        assert_eq!(vectors.is_replaced(), cfg!(unix));
    }

    #[test]
    fn lost_codes_are_rebuilt() {
        let folder = tempfile::tempdir().unwrap();
        let info = Engine::Hashed.info().unwrap();
        let vectors = Vectors::open(folder.path(), &info).unwrap();
        let chunk =
            |n: u8| PlannedChunk { part: 0, ordinal: u32::from(n), hash: [n; 16], priority: 0 };
        vectors.plan(&[(1, 1, (0..20).map(chunk).collect())], None).unwrap();
        for pending in vectors.pending_chunks(100).unwrap() {
            let vector = vector(pending.plan.ordinal, info.dimensions);
            vectors.put(&[(pending, vector)]).unwrap();
        }
        vectors
            .file
            .write(|c| Ok(c.execute("DELETE FROM blocks WHERE last % 2 = 0", [])?))
            .unwrap();
        assert_eq!(vectors.codes().unwrap().len(), 20);
        let reopened = Vectors::open(folder.path(), &info).unwrap();
        assert_eq!(reopened.codes().unwrap().len(), 20);
        reopened.clear().unwrap();
        assert_eq!(
            (vectors.codes().unwrap().len(), vectors.extent().unwrap()),
            (0, Extent::default())
        );
    }
}
