//! Releases of a source's product, and the items that their notes list.

use jiff::Timestamp;
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
        self.query_column(
            "SELECT name FROM release_items WHERE source_id = ?1 AND number = ?2 ORDER BY name",
            params![source, number],
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
        self.change(&format!("DELETE FROM releases WHERE {IS_PLANNED}"), [source])
    }

    /// Stores releases of a source, replacing those with the same names.
    pub fn set_releases(&self, source: i64, releases: &[ReleaseRecord]) -> Result<()> {
        for record in releases {
            self.replace(
                "releases",
                &[
                    ("source_id", &source),
                    ("name", &record.name),
                    ("released_at", &record.released_at.map(Timestamp::as_second)),
                    ("is_released", &record.is_released),
                    ("url", &record.url),
                ],
            )?;
            self.execute(
                "DELETE FROM release_items WHERE source_id = ?1 AND name = ?2",
                params![source, record.name],
            )?;
            for number in &record.items {
                self.execute(
                    "INSERT OR IGNORE INTO release_items (source_id, number, name)
                     VALUES (?1, ?2, ?3)",
                    params![source, number, record.name],
                )?;
            }
        }
        Ok(())
    }
}
