//! Hashes of the lines of each source's issue template.

use rusqlite::params;

use super::{Reader, Writer};
use precedent_core::error::Result;
use precedent_text::skeleton::Skeleton;

impl Reader<'_> {
    /// Returns the template skeleton of a source.
    pub fn skeleton(&self, source: i64) -> Result<Skeleton> {
        let query = "SELECT hash FROM skeleton_lines WHERE source_id = ?1";
        let hashes: Vec<i64> = self.query_rows(query, [source], |r| r.get(0))?;
        Ok(Skeleton::from_hashes(hashes.into_iter().map(i64::cast_unsigned)))
    }

    /// Returns the number of a source's items, and the number that its skeleton was computed from.
    pub fn skeleton_age(&self, source: i64) -> Result<(u64, u64)> {
        Ok(self.transaction.query_row(
            "SELECT (SELECT count(*) FROM documents WHERE source_id = s.id AND number IS NOT NULL),
             skeleton_documents FROM sources s WHERE id = ?1",
            [source],
            |r| r.try_into(),
        )?)
    }

    /// Calls `visit` with the body of one in `step` items of a source.
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
    /// Stores a source's skeleton with the number of items that it was computed from.
    pub fn set_skeleton(&self, source: i64, skeleton: &Skeleton, items: u64) -> Result<()> {
        self.execute("DELETE FROM skeleton_lines WHERE source_id = ?1", [source])?;
        let mut insert = self
            .transaction
            .prepare_cached("INSERT INTO skeleton_lines (source_id, hash) VALUES (?1, ?2)")?;
        for hash in skeleton.hashes() {
            insert.execute(params![source, hash.cast_signed()])?;
        }
        self.execute(
            "UPDATE sources SET skeleton_documents = ?2 WHERE id = ?1",
            params![source, items],
        )?;
        Ok(())
    }
}
