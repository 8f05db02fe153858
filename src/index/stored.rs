//! Stored vectors by their chunk, read from where vec0 keeps them.
//!
//! A lookup through the virtual table prepares statements and opens a blob each time, which is most of what scoring a thousand
//! candidates costs. vec0's own tables say the same (sqlite-vec's ARCHITECTURE.md, "vec0 Shadow Tables"): where a row lies, and
//! the vectors in blobs. One open blob moves from one to the next.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, blob::Blob};

use crate::error::Result;

/// Reads vectors of one file, in one transaction.
pub(super) struct Stored<'c> {
    connection: &'c Connection,
    place: CachedStatement<'c>,
    open: Option<(i64, Blob<'c>)>,
    vector: Vec<u8>,
}

impl<'c> Stored<'c> {
    /// `dimensions` of int8 each.
    pub(super) fn of(connection: &'c Connection, dimensions: usize) -> Result<Self> {
        let place = connection
            .prepare_cached("SELECT chunk_id, chunk_offset FROM embeddings_rowids WHERE rowid = ?1")?;
        Ok(Self { connection, place, open: None, vector: vec![0; dimensions] })
    }

    /// The vector of a chunk, where it has one. Near chunks lie near one another: those that are asked for in their order are
    /// read in that of the file.
    pub(super) fn get(&mut self, chunk: i64) -> Result<Option<&[u8]>> {
        let place = self.place.query_row([chunk], |r| Ok((r.get(0)?, r.get::<_, usize>(1)?))).optional()?;
        let Some((row, at)) = place else { return Ok(None) };
        let blob = match self.open.take() {
            Some((open, blob)) if open == row => blob,
            Some((_, mut blob)) => {
                blob.reopen(row)?;
                blob
            }
            None => self.connection.blob_open("main", "embeddings_vector_chunks00", "vectors", row, true)?,
        };
        let start = at * self.vector.len();
        blob.read_at_exact(&mut self.vector, start)?;
        self.open = Some((row, blob));
        Ok(Some(&self.vector))
    }
}
