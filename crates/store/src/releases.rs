//! Releases of a source's product, and the items that their notes list.

use rusqlite::params;

use super::{Reader, Writer, optional_time};
use precedent_core::{error::Result, model::ReleaseRecord};

impl Reader<'_> {
    /// Returns the releases of a source without their items, oldest first, then by name; those
    /// without a date come last.
    pub fn releases(&self, source: i64) -> Result<Vec<ReleaseRecord>> {
        self.query_rows(
            "SELECT name, released_at, is_released, url FROM releases WHERE source_id = ?1
             ORDER BY released_at IS NULL, released_at, name",
            [source],
            |r| {
                Ok(ReleaseRecord {
                    name: r.get(0)?,
                    released_at: optional_time(r, 1)?,
                    is_released: r.get(2)?,
                    url: r.get(3)?,
                    items: Vec::new(),
                })
            },
        )
    }

    /// Returns the names of the releases whose notes list an item as fixed.
    pub fn releases_with(&self, source: i64, number: u64) -> Result<Vec<String>> {
        self.query_rows(
            "SELECT name FROM release_items WHERE source_id = ?1 AND number = ?2 ORDER BY name",
            params![source, number],
            |r| r.get(0),
        )
    }
}

impl Writer<'_> {
    /// Removes the planned releases that came from a source's tracker; those from a changelog have
    /// no URL and stay.
    pub fn remove_planned_releases(&self, source: i64) -> Result<()> {
        const IS_PLANNED: &str = "source_id = ?1 AND is_released = 0 AND url IS NOT NULL";
        let items = format!(
            "DELETE FROM release_items WHERE source_id = ?1
             AND name IN (SELECT name FROM releases WHERE {IS_PLANNED})"
        );
        self.execute(&items, [source])?;
        self.execute(&format!("DELETE FROM releases WHERE {IS_PLANNED}"), [source])?;
        Ok(())
    }

    /// Stores releases of a source, replacing those with the same names.
    pub fn set_releases(&self, source: i64, releases: &[ReleaseRecord]) -> Result<()> {
        let mut insert_release = self.transaction.prepare_cached(
            "INSERT OR REPLACE INTO releases (source_id, name, released_at, is_released, url)
             VALUES (?1, ?2, ?3, ?4, ?5)",
        )?;
        let mut delete_items = self
            .transaction
            .prepare_cached("DELETE FROM release_items WHERE source_id = ?1 AND name = ?2")?;
        let mut insert_item = self.transaction.prepare_cached(
            "INSERT OR IGNORE INTO release_items (source_id, number, name) VALUES (?1, ?2, ?3)",
        )?;
        for record in releases {
            let released_at = record.released_at.map(jiff::Timestamp::as_second);
            insert_release.execute(params![
                source,
                record.name,
                released_at,
                record.is_released,
                record.url
            ])?;
            delete_items.execute(params![source, record.name])?;
            for number in &record.items {
                insert_item.execute(params![source, number, record.name])?;
            }
        }
        Ok(())
    }
}
