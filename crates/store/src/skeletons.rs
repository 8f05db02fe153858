//! Hashes of the lines of each source's issue template.

use rusqlite::params;

use super::{Reader, Writer};
use precedent_core::error::Result;
use precedent_text::skeleton::Skeleton;

impl Reader<'_> {
    /// Returns the template skeleton of a source.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn skeleton(&self, source: i64) -> Result<Skeleton> {
        let mut statement = self
            .transaction
            .prepare_cached("SELECT hash FROM skeleton_lines WHERE source_id = ?1")?;
        let rows = statement.query_map([source], |r| r.get::<_, i64>(0))?;
        let hashes: Vec<i64> = rows.collect::<rusqlite::Result<_>>()?;
        Ok(Skeleton::from_hashes(hashes.into_iter().map(i64::cast_unsigned)))
    }

    /// Returns the number of a source's items, and the number from which its skeleton was computed.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn skeleton_age(&self, source: i64) -> Result<(u64, u64)> {
        Ok(self.transaction.query_row(
            "SELECT (SELECT count(*) FROM documents WHERE source_id = s.id AND number IS NOT NULL),
             skeleton_documents
             FROM sources s WHERE id = ?1",
            [source],
            |r| Ok((r.get(0)?, r.get(1)?)),
        )?)
    }

    /// Passes the body of one in `step` items of a source to `visit`, without holding them in
    /// memory.
    ///
    /// # Errors
    /// Returns the errors of the database and of `visit`.
    pub fn item_bodies(
        &self,
        source: i64,
        step: u64,
        mut visit: impl FnMut(&str) -> Result<()>,
    ) -> Result<()> {
        let mut statement = self.transaction.prepare(
            "SELECT body FROM documents WHERE source_id = ?1 AND kind <> 'page' AND id % ?2 = 0",
        )?;
        let mut rows = statement.query(params![source, step])?;
        while let Some(row) = rows.next()? {
            visit(row.get_ref(0)?.as_str().unwrap_or_default())?;
        }
        Ok(())
    }
}

impl Writer<'_> {
    /// Stores a source's skeleton with the number of items it was computed from.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_skeleton(&self, source: i64, skeleton: &Skeleton, items: u64) -> Result<()> {
        self.transaction.execute("DELETE FROM skeleton_lines WHERE source_id = ?1", [source])?;
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO skeleton_lines (source_id, hash) VALUES (?1, ?2)")?;
        for hash in skeleton.hashes() {
            insert.execute(params![source, hash.cast_signed()])?;
        }
        self.transaction.execute(
            "UPDATE sources SET skeleton_documents = ?2 WHERE id = ?1",
            params![source, items],
        )?;
        Ok(())
    }
}
