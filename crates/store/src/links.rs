//! Typed links between documents, by key.

use rusqlite::params;

use super::{Reader, Writer};
use precedent_core::error::Result;

/// A row of `links`.
#[derive(Clone, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "columns of the table")]
pub struct StoredLink {
    pub from_key: String,
    pub to_key: String,
    /// The kind: `duplicate_of`, `relates_to`, `closes` or `mentions`.
    pub kind: String,
}

impl Reader<'_> {
    /// Returns the links from and to a document, the most important kind first, then by key.
    pub fn links(&self, key: &str) -> Result<Vec<StoredLink>> {
        self.query_rows(
            "SELECT from_key, to_key, kind FROM (
                 SELECT from_key, to_key, kind FROM links WHERE from_key = ?1
                 UNION SELECT from_key, to_key, kind FROM links WHERE to_key = ?1)
             ORDER BY CASE kind WHEN 'duplicate_of' THEN 0 WHEN 'closes' THEN 1
                 WHEN 'relates_to' THEN 2 ELSE 3 END, from_key, to_key",
            [key],
            |r| Ok(StoredLink { from_key: r.get(0)?, to_key: r.get(1)?, kind: r.get(2)? }),
        )
    }

    /// Returns the numbers of the items of the same source that closed an item, mirrored or not.
    pub fn closing_numbers(&self, row: &super::DocumentRow) -> Result<Vec<u64>> {
        let prefix = format!("{}#", row.source);
        let links =
            self.links(&row.key)?.into_iter().filter(|l| l.kind == "closes" && l.to_key == row.key);
        Ok(links
            .filter_map(|l| l.from_key.strip_prefix(&prefix).and_then(|n| n.parse().ok()))
            .collect())
    }

    /// Returns the revision up to which links have been extracted from texts.
    pub fn links_revision(&self) -> Result<u64> {
        self.query_value("SELECT links_revision FROM casebook", [])
    }
}

impl Writer<'_> {
    /// Replaces the links in a document's texts with these pairs of target key and kind.
    pub fn replace_text_links(
        &self,
        from_key: &str,
        links: &[(String, &'static str)],
    ) -> Result<()> {
        self.execute("DELETE FROM links WHERE from_key = ?1 AND origin = 'text'", [from_key])?;
        for (to_key, kind) in links {
            self.execute(
                "INSERT INTO links (from_key, to_key, kind, origin)
                 VALUES (?1, ?2, ?3, 'text') ON CONFLICT DO NOTHING",
                params![from_key, to_key, kind],
            )?;
        }
        Ok(())
    }

    /// Deletes the tracker's links about a closed item: to the item that it duplicates, and from
    /// the items that closed it.
    pub fn forget_tracker_links(&self, key: &str) -> Result<()> {
        self.change(
            "DELETE FROM links WHERE origin = 'tracker'
             AND (from_key = ?1 AND kind = 'duplicate_of' OR to_key = ?1 AND kind = 'closes')",
            [key],
        )
    }

    /// Deletes the tracker's links from an item whose record always contains all of them.
    pub fn forget_stated_links(&self, key: &str) -> Result<()> {
        self.change("DELETE FROM links WHERE origin = 'tracker' AND from_key = ?1", [key])
    }

    /// Adds a link from the tracker, which takes precedence over one from a text.
    pub fn add_tracker_link(&self, from_key: &str, to_key: &str, kind: &'static str) -> Result<()> {
        self.change(
            "INSERT INTO links (from_key, to_key, kind, origin) VALUES (?1, ?2, ?3, 'tracker')
                 ON CONFLICT (from_key, to_key, kind) DO UPDATE SET origin = 'tracker'
                 WHERE origin = 'text'",
            params![from_key, to_key, kind],
        )
    }

    /// Links two documents for a person or the engine (`origin`) unless a link in either direction
    /// exists. Returns whether the link is new.
    pub fn connect(&self, from_key: &str, to_key: &str, origin: &'static str) -> Result<bool> {
        self.execute(
            "INSERT INTO links (from_key, to_key, kind, origin)
                 SELECT ?1, ?2, 'relates_to', ?3 WHERE NOT EXISTS (
                     SELECT 1 FROM links WHERE from_key = ?2 AND to_key = ?1
                     AND kind = 'relates_to')
                 ON CONFLICT DO NOTHING",
            params![from_key, to_key, origin],
        )
        .map(|count| count > 0)
    }

    /// Deletes all links from and to a document.
    pub fn disconnect(&self, key: &str) -> Result<()> {
        self.change("DELETE FROM links WHERE from_key = ?1 OR to_key = ?1", [key])
    }

    /// Sets the revision up to which links have been extracted from texts.
    pub fn set_links_revision(&self, revision: u64) -> Result<()> {
        self.change("UPDATE casebook SET links_revision = ?1", [revision])
    }
}
