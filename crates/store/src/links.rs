//! Typed edges between documents, by key.

use rusqlite::params;

use super::{Reader, Writer};
use precedent_core::error::Result;

/// A row of `links`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StoredLink {
    /// Where it starts.
    pub from_key: String,
    /// Where it ends.
    pub to_key: String,
    /// `duplicate_of`, `relates_to`, `closes`, `mentions`.
    pub kind: String,
}

impl Reader<'_> {
    /// The edges that start or end at a document, weightiest kind first, then by key.
    ///
    /// # Errors
    /// Those of the database.
    pub fn links(&self, key: &str) -> Result<Vec<StoredLink>> {
        let mut statement = self.transaction.prepare_cached(
            "SELECT from_key, to_key, kind FROM (
                 SELECT from_key, to_key, kind FROM links WHERE from_key = ?1
                 UNION SELECT from_key, to_key, kind FROM links WHERE to_key = ?1)
             ORDER BY CASE kind WHEN 'duplicate_of' THEN 0 WHEN 'closes' THEN 1 WHEN 'relates_to' THEN 2 ELSE 3 END,
                      from_key, to_key",
        )?;
        let rows = statement.query_map([key], |r| {
            Ok(StoredLink { from_key: r.get(0)?, to_key: r.get(1)?, kind: r.get(2)? })
        })?;
        Ok(rows.collect::<rusqlite::Result<_>>()?)
    }

    /// The numbers of the items of its own source that closed an item, mirrored or not.
    ///
    /// # Errors
    /// Those of the database.
    pub fn closing_numbers(&self, row: &super::DocumentRow) -> Result<Vec<u64>> {
        let own = format!("{}#", row.source);
        let links = self.links(&row.key)?.into_iter().filter(|l| l.kind == "closes" && l.to_key == row.key);
        Ok(links.filter_map(|l| l.from_key.strip_prefix(&own).and_then(|n| n.parse().ok())).collect())
    }

    /// Up to which revision links have been read out of the texts.
    ///
    /// # Errors
    /// Those of the database.
    pub fn links_revision(&self) -> Result<u64> {
        Ok(self.transaction.query_row("SELECT links_revision FROM casebook", [], |r| r.get(0))?)
    }
}

impl Writer<'_> {
    /// Replaces the edges that a document's texts state: pairs of (target key, kind). Edges of other origins stay.
    ///
    /// # Errors
    /// Those of the database.
    pub fn replace_text_links(&self, from: &str, links: &[(String, &'static str)]) -> Result<()> {
        self.transaction
            .prepare_cached("DELETE FROM links WHERE from_key = ?1 AND origin = 'text'")?
            .execute([from])?;
        let mut insert = self.transaction.prepare_cached(
            "INSERT INTO links (from_key, to_key, kind, origin) VALUES (?1, ?2, ?3, 'text') ON CONFLICT DO NOTHING",
        )?;
        for (to, kind) in links {
            insert.execute(params![from, to, kind])?;
        }
        Ok(())
    }

    /// Forgets what the tracker stated of a closed item: what it is a duplicate of, and what closed it.
    ///
    /// # Errors
    /// Those of the database.
    pub fn forget_tracker_links(&self, key: &str) -> Result<()> {
        self.transaction
            .prepare_cached(
                "DELETE FROM links WHERE origin = 'tracker' AND ((from_key = ?1 AND kind = 'duplicate_of')
                     OR (to_key = ?1 AND kind = 'closes'))",
            )?
            .execute([key])?;
        Ok(())
    }

    /// Forgets what the tracker stated of an item whose record always says all of it.
    ///
    /// # Errors
    /// Those of the database.
    pub fn forget_stated_links(&self, key: &str) -> Result<()> {
        self.transaction
            .prepare_cached("DELETE FROM links WHERE origin = 'tracker' AND from_key = ?1")?
            .execute([key])?;
        Ok(())
    }

    /// Adds an edge that the tracker itself states; it weighs more than one that was read out of a text.
    ///
    /// # Errors
    /// Those of the database.
    pub fn add_tracker_link(&self, from: &str, to: &str, kind: &'static str) -> Result<()> {
        self.transaction
            .prepare_cached(
                "INSERT INTO links (from_key, to_key, kind, origin) VALUES (?1, ?2, ?3, 'tracker')
                 ON CONFLICT (from_key, to_key, kind) DO UPDATE SET origin = 'tracker' WHERE origin = 'text'",
            )?
            .execute(params![from, to, kind])?;
        Ok(())
    }

    /// Connects two documents because a person or the engine says so (`origin`); once, whichever way round. Whether that
    /// is new.
    ///
    /// # Errors
    /// Those of the database.
    pub fn connect(&self, from: &str, to: &str, origin: &'static str) -> Result<bool> {
        let inserted = self
            .transaction
            .prepare_cached(
                "INSERT INTO links (from_key, to_key, kind, origin)
                 SELECT ?1, ?2, 'relates_to', ?3 WHERE NOT EXISTS (
                     SELECT 1 FROM links WHERE from_key = ?2 AND to_key = ?1 AND kind = 'relates_to')
                 ON CONFLICT DO NOTHING",
            )?
            .execute(params![from, to, origin])?;
        Ok(inserted > 0)
    }

    /// Forgets every edge that starts or ends at a document.
    ///
    /// # Errors
    /// Those of the database.
    pub fn disconnect(&self, key: &str) -> Result<()> {
        self.transaction.execute("DELETE FROM links WHERE from_key = ?1 OR to_key = ?1", [key])?;
        Ok(())
    }

    /// Notes up to which revision links have been read out of the texts.
    ///
    /// # Errors
    /// Those of the database.
    pub fn set_links_revision(&self, revision: u64) -> Result<()> {
        self.transaction.execute("UPDATE casebook SET links_revision = ?1", [revision])?;
        Ok(())
    }
}
