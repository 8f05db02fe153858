//! A reader of stored vectors that bypasses vec0's virtual table.
//!
//! A lookup through the virtual table prepares statements and opens a blob each time, which is most
//! of the cost of scoring a thousand candidates. vec0's shadow tables contain the same data
//! (sqlite-vec's ARCHITECTURE.md, "vec0 Shadow Tables"): the position of each row, and the vectors
//! in blobs. One blob handle is moved from row to row.

use rusqlite::{CachedStatement, Connection, OptionalExtension as _, blob::Blob};

use precedent_core::error::Result;

/// A reader of the vectors of one file in one transaction.
pub(super) struct VectorReader<'c> {
    connection: &'c Connection,
    position: CachedStatement<'c>,
    open_blob: Option<(i64, Blob<'c>)>,
    vector: Vec<u8>,
}

impl<'c> VectorReader<'c> {
    pub(super) fn new(connection: &'c Connection, dimensions: usize) -> Result<Self> {
        let position = connection.prepare_cached(
            "SELECT chunk_id, chunk_offset FROM embeddings_rowids WHERE rowid = ?1",
        )?;
        Ok(Self { connection, position, open_blob: None, vector: vec![0; dimensions] })
    }

    /// Returns the vector of a chunk, if it has one. Adjacent chunks are adjacent in the file, so
    /// ascending access reads the file in order.
    pub(super) fn get(&mut self, chunk: i64) -> Result<Option<&[u8]>> {
        let position = self
            .position
            .query_row([chunk], |r| Ok((r.get(0)?, r.get::<_, usize>(1)?)))
            .optional()?;
        let Some((row, offset)) = position else { return Ok(None) };
        let blob = match self.open_blob.take() {
            Some((blob_row, blob)) if blob_row == row => blob,
            Some((_, mut blob)) => {
                blob.reopen(row)?;
                blob
            }
            None => self.connection.blob_open(
                "main",
                "embeddings_vector_chunks00",
                "vectors",
                row,
                true,
            )?,
        };
        let start = offset * self.vector.len();
        blob.read_at_exact(&mut self.vector, start)?;
        self.open_blob = Some((row, blob));
        Ok(Some(&self.vector))
    }
}

#[cfg(test)]
mod tests {
    use rusqlite::params;

    use super::*;

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(32))]
        /// The reader returns the same vectors as vec0 after any changes and in any order of
        /// access.
        #[test]
        fn reader_matches_the_virtual_table(
            steps in proptest::collection::vec((0_i64..40, proptest::bool::ANY), 1..120),
            chunks in proptest::collection::vec(0_i64..40, 1..80),
        ) {
            super::super::schema::register();
            let connection = Connection::open_in_memory().unwrap();
            connection.execute_batch(
                "CREATE VIRTUAL TABLE embeddings USING vec0(chunk_id INTEGER PRIMARY KEY, source_id INTEGER PARTITION KEY,
                     embedding int8[64] distance_metric=cosine, chunk_size=8)",
            ).unwrap();
            for (value, (chunk, is_insert)) in (0_u8..).zip(steps) {
                connection.execute("DELETE FROM embeddings WHERE chunk_id = ?1", [chunk]).unwrap();
                if is_insert {
                    let sql = "INSERT INTO embeddings (chunk_id, source_id, embedding) VALUES (?1, ?2, vec_int8(?3))";
                    connection.execute(sql, params![chunk, chunk % 3, vec![value; 64]]).unwrap();
                }
            }
            let mut reader = VectorReader::new(&connection, 64).unwrap();
            for chunk in chunks {
                let expected: Option<Vec<u8>> = connection
                    .query_row("SELECT embedding FROM embeddings WHERE chunk_id = ?1", [chunk], |r| r.get(0))
                    .optional()
                    .unwrap();
                proptest::prop_assert_eq!(reader.get(chunk).unwrap(), expected.as_deref());
            }
        }
    }
}
