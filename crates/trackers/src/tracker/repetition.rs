//! Detection of endless lists: pages that contain only records from earlier pages.

use std::{
    collections::HashSet,
    hash::{DefaultHasher, Hash, Hasher as _},
};

use serde_json::value::RawValue;

use super::Page;
use precedent_core::{
    error::{Code, Error},
    model::Record,
};

/// The number of consecutive pages without new records that are always accepted.
const ACCEPTED_STALE_PAGES: u64 = 10;
/// The number of accepted pages without new records for each page with new ones, because a list
/// that got shorter is reread up to three times.
const REREADS: u64 = 3;
/// The maximum number of pages of one list in one sync.
const MAX_PAGES: u64 = 200_000;
/// The factor by which a list may exceed the count that its tracker states.
const GROWTH: u64 = 4;
/// The number of records by which a list may always exceed the stated count.
const GROWTH_FLOOR: u64 = 10_000;

#[derive(Debug, Default)]
pub(crate) struct RepeatGuard {
    hashes: HashSet<u64>,
    fresh_pages: u64,
    stale_pages: u64,
    pages: u64,
    size_hint: Option<u64>,
}

/// The reason why a list counts as endless.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EndlessList {
    /// This many consecutive pages had no new records.
    Repeats(u64),
    /// The list is longer than possible, with this many records.
    TooLong(u64),
}

impl EndlessList {
    /// Returns the error for a list of this name.
    pub(crate) fn error(self, list: &str) -> Error {
        let message = match self {
            Self::Repeats(pages) => {
                format!(
                    "the tracker's list of {list} repeats itself: {pages} pages in a row contained nothing new"
                )
            }
            Self::TooLong(records) => {
                format!(
                    "the tracker's list of {list} has no end: {records} records, and still more pages"
                )
            }
        };
        Error::new(Code::Network, message).with_hint(
            "The tracker, or a proxy in front of it, ignores the requested page number. Progress is saved. Try again \
             without the proxy, or tell the tracker's administrator.",
        )
    }
}

impl RepeatGuard {
    /// Creates a guard for a list with about this many records, if known.
    pub(crate) fn with_size_hint(size_hint: Option<u64>) -> Self {
        Self { size_hint, ..Self::default() }
    }

    /// Adds the contents of a page, each by its identity.
    pub(crate) fn add<T: Hash>(
        &mut self,
        identities: impl IntoIterator<Item = T>,
    ) -> Result<(), EndlessList> {
        let previous_count = self.hashes.len();
        for identity in identities {
            let mut hasher = DefaultHasher::new();
            identity.hash(&mut hasher);
            self.hashes.insert(hasher.finish());
        }
        self.pages += 1;
        if self.hashes.len() > previous_count {
            self.fresh_pages += 1;
            self.stale_pages = 0;
        } else {
            self.stale_pages += 1;
        }
        let count = self.hashes.len() as u64;
        let max_count =
            self.size_hint.map(|n| n.saturating_mul(GROWTH).saturating_add(GROWTH_FLOOR));
        if self.stale_pages > ACCEPTED_STALE_PAGES + REREADS * self.fresh_pages {
            Err(EndlessList::Repeats(self.stale_pages))
        } else if self.pages > MAX_PAGES || max_count.is_some_and(|max_count| count > max_count) {
            Err(EndlessList::TooLong(count))
        } else {
            Ok(())
        }
    }

    /// Adds a page of unparsed records; fails with a message if the list of this name is endless.
    pub(crate) fn add_raws(&mut self, raws: &[&RawValue], list: &str) -> Result<(), String> {
        let identities = raws.iter().map(|raw| raw.get());
        self.add(identities).map_err(|endless| endless.error(list).to_string())
    }

    /// Adds a page of a tracker's list.
    pub(crate) fn add_page(&mut self, page: &Page) -> Result<(), EndlessList> {
        let records = page.records.iter().map(|record| match record {
            Ok(Record::Document(d)) => {
                (0, d.number.unwrap_or_default(), d.slug.as_deref().unwrap_or_default())
            }
            Ok(Record::Comment(c)) => (1, c.number, c.remote_id.as_str()),
            Err(reason) => (2, 0, reason.as_str()),
        });
        let names = page.other_names.iter().map(|name| (3, 0, name.as_str()));
        let numbers =
            page.gone_numbers.iter().chain(&page.listed_numbers).map(|number| (4, *number, ""));
        self.add(records.chain(names).chain(numbers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_pages_end_a_list() {
        let mut guard = RepeatGuard::default();
        let error = (0..1_000).find_map(|_| guard.add([1, 2, 3]).err());
        assert_eq!(error, Some(EndlessList::Repeats(ACCEPTED_STALE_PAGES + REREADS + 1)));
        let mut empty = RepeatGuard::default();
        assert_eq!(
            (0..1_000).find_map(|_| empty.add([0; 0]).err()),
            Some(EndlessList::Repeats(ACCEPTED_STALE_PAGES + 1))
        );
    }

    #[test]
    fn list_may_be_reread_three_times() {
        let mut guard = RepeatGuard::default();
        for _ in 0..=REREADS {
            for page in 0..50 {
                assert_eq!(guard.add([page]), Ok(()));
            }
        }
    }

    #[test]
    fn list_is_bounded_by_its_count() {
        let mut guard = RepeatGuard::with_size_hint(Some(100));
        let error = (0..20_000).find_map(|n| guard.add([n]).err());
        assert_eq!(error, Some(EndlessList::TooLong(100 * GROWTH + GROWTH_FLOOR + 1)));
        let error = EndlessList::TooLong(3).error("comments");
        assert!(error.to_string().contains("list of comments has no end"), "{error}");
    }
}
