//! Releases of a source's product, and the items that their notes name.

use rusqlite::params;

use super::{Reader, Writer, time};
use precedent_core::{error::Result, model::ReleaseRecord};

impl Reader<'_> {
    /// Returns the releases of a source, oldest first, then by name; those without a date come
    /// last. The numbers of their items are not read.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn releases(&self, source: i64) -> Result<Vec<ReleaseRecord>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT name, released_at, is_released, url FROM releases WHERE source_id = ?1
             ORDER BY released_at IS NULL, released_at, name",
        )?;
        let rows = statement.query_map([source], |r| {
            Ok((r.get::<_, String>(0)?, r.get::<_, Option<i64>>(1)?, r.get(2)?, r.get(3)?))
        })?;
        rows.map(|row| {
            let (name, at, is_released, url) = row?;
            let released_at = at.map(time).transpose()?;
            Ok(ReleaseRecord { name, released_at, is_released, url, items: Vec::new() })
        })
        .collect()
    }

    /// Returns the names of the releases whose notes name an item as fixed.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn releases_with(&self, source: i64, number: u64) -> Result<Vec<String>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT name FROM release_items WHERE source_id = ?1 AND number = ?2 ORDER BY name",
        )?;
        let rows = statement.query_map(params![source, number], |r| r.get(0))?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }
}

impl Writer<'_> {
    /// Removes the planned releases of a source that its tracker listed; those of a changelog have
    /// no URL and stay.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn remove_planned_releases(&self, source: i64) -> Result<()> {
        const IS_PLANNED: &str = "source_id = ?1 AND is_released = 0 AND url IS NOT NULL";
        let items = format!(
            "DELETE FROM release_items WHERE source_id = ?1
             AND name IN (SELECT name FROM releases WHERE {IS_PLANNED})"
        );
        self.transaction.execute(&items, [source])?;
        self.transaction.execute(&format!("DELETE FROM releases WHERE {IS_PLANNED}"), [source])?;
        Ok(())
    }

    /// Stores releases of a source; those of the same name are replaced, others stay.
    ///
    /// # Errors
    /// Returns an error if the database access fails.
    pub fn set_releases(&self, source: i64, releases: &[ReleaseRecord]) -> Result<()> {
        let mut release = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO releases (source_id, name, released_at, is_released, url)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut forget = self
            .transaction
            .prepare_cached("DELETE FROM release_items WHERE source_id = ?1 AND name = ?2")?;
        let mut item = self.transaction.prepare_cached(
            "INSERT OR IGNORE INTO release_items (source_id, number, name) VALUES (?1, ?2, ?3)",
        )?;
        for record in releases {
            let at = record.released_at.map(jiff::Timestamp::as_second);
            release.execute(params![source, record.name, at, record.is_released, record.url])?;
            forget.execute(params![source, record.name])?;
            for number in &record.items {
                item.execute(params![source, number, record.name])?;
            }
        }
        Ok(())
    }
}
