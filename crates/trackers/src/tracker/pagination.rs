//! Pagination of lists that change while they are read, ordered by change or by creation.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::Cursor;

/// A position in a list of pages.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pagination {
    /// Start of the time range; `None` for everything.
    pub(super) since: Option<Timestamp>,
    pub(super) page: u32,
    pub(super) size: u32,
    /// `true` if the records of one second are being read again.
    pub(super) is_reread: bool,
    /// Start of the pass, by the server's clock.
    #[serde(rename = "began")]
    pub(super) started_at: Option<Timestamp>,
    /// Total number of records at the previous page.
    pub(super) total: Option<u64>,
    /// Number of restarts of the pass.
    pub(super) rounds: u32,
    /// Next page token of the tracker.
    pub(super) token: Option<String>,
    pub(super) open: bool,
    #[serde(skip)]
    pub(super) etag: Option<String>,
}

impl Pagination {
    pub(super) fn new(since: Option<Timestamp>, size: u32) -> Self {
        Self { since, page: 1, size, ..Self::default() }
    }

    pub(super) fn open(size: u32) -> Self {
        Self { open: true, ..Self::new(None, size) }
    }

    pub(super) fn cursor(&self) -> Cursor {
        Cursor(serde_json::to_string(self).unwrap_or_default())
    }

    pub(super) fn parse(cursor: &Cursor) -> Option<Self> {
        let pagination: Self = serde_json::from_str(&cursor.0).ok()?;
        (pagination.page > 0 && (1..=1000).contains(&pagination.size)).then_some(pagination)
    }

    /// Returns the first page with half the page size, unless that is too small.
    pub(super) fn smaller(&self) -> Option<Self> {
        let size = self.size / 2;
        (size >= 5).then(|| Self { size, page: 1, is_reread: false, token: None, ..self.clone() })
    }

    /// Returns the start of the time range to the second, as most trackers expect it.
    pub(super) fn since_seconds(&self) -> Option<String> {
        Some(self.since?.strftime("%Y-%m-%dT%H:%M:%SZ").to_string())
    }

    /// Returns the part of a whole list that is on this page, and whether another page follows.
    pub(super) fn slice<'a, T>(&self, list: &'a [T]) -> (&'a [T], bool) {
        let mut pages = list.chunks(self.size as usize).skip(self.page as usize - 1);
        (pages.next().unwrap_or_default(), pages.next().is_some())
    }

    fn next_open(&self, has_more: bool) -> Option<Self> {
        has_more.then(|| Self { page: self.page + 1, ..self.clone() })
    }

    /// Returns the next page of a list ordered by change, oldest first, and the watermark.
    ///
    /// An edited record moves to the end of such a list, and later records shift to earlier pages.
    /// So the next page starts at this page's last change, which repeats the records of that time.
    /// Page numbers are used only if a whole page has one time, and those pages are read twice.
    pub(super) fn by_change(
        &self,
        times: &[Timestamp],
        has_more: bool,
    ) -> (Option<Self>, Option<Timestamp>) {
        if self.open {
            return (self.next_open(has_more), None);
        }
        let is_ordered =
            times.is_sorted() && self.since.is_none_or(|s| times.first().is_none_or(|t| *t >= s));
        let latest = times.last().copied().filter(|_| is_ordered);
        let restart = |since| Self {
            since: Some(since),
            page: 1,
            is_reread: false,
            token: None,
            ..self.clone()
        };
        let next = Self { page: self.page + 1, ..self.clone() };
        let is_later_page = self.page > 1 && !self.is_reread;
        let next = match (self.since, latest) {
            (Some(since), _) if !has_more && is_later_page => {
                Some(Self { is_reread: true, ..restart(since) })
            }
            _ if !has_more => None,
            (Some(since), Some(latest)) if latest == since => Some(next),
            (Some(since), Some(_)) if is_later_page => {
                Some(Self { is_reread: true, ..restart(since) })
            }
            (_, Some(latest)) => Some(restart(latest)),
            (_, None) => Some(next),
        };
        // Records may have shifted back: only a reread proves more than a known earlier time.
        let proven = if is_later_page { self.since } else { latest };
        (next, proven.or(latest.filter(|_| !has_more)))
    }

    /// Returns the next page of a list ordered by creation, and at its end the watermark.
    ///
    /// An edit moves nothing in such a list, and new records only cause others to be read again. A
    /// deletion can hide records, so a list that got shorter is read again. The watermark is the
    /// start of the pass, so that the next pass reads everything that changed during it.
    pub(super) fn by_creation(
        &self,
        total: Option<u64>,
        started_at: Timestamp,
        has_more: bool,
    ) -> (Option<Self>, Option<Timestamp>) {
        if self.open {
            return (self.next_open(has_more), None);
        }
        let started_at = self.started_at.unwrap_or(started_at);
        let is_shorter =
            matches!((self.total, total), (Some(previous), Some(current)) if current < previous);
        if is_shorter && self.rounds < 3 {
            let restart =
                Self { page: 1, token: None, total, rounds: self.rounds + 1, ..self.clone() };
            return (Some(restart), None);
        }
        if has_more {
            return (
                Some(Self {
                    page: self.page + 1,
                    started_at: Some(started_at),
                    total,
                    ..self.clone()
                }),
                None,
            );
        }
        (None, Some(started_at))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn time(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn cursor_round_trips() {
        let pagination = Pagination {
            is_reread: true,
            started_at: Some(time(7)),
            total: Some(9),
            rounds: 2,
            token: Some("a=b&c".into()),
            open: true,
            ..Pagination::new(Some(time(5)), 100)
        };
        assert_eq!(Pagination::parse(&pagination.cursor()), Some(pagination));
        for text in [
            "",
            "https://evil.example/",
            "page=1&size=1",
            &Pagination { page: 0, ..Pagination::new(None, 1) }.cursor().0,
            &Pagination::new(None, 9999).cursor().0,
        ] {
            assert_eq!(Pagination::parse(&Cursor(text.into())), None, "{text}");
        }
    }

    #[test]
    fn full_pages_of_one_moment_are_read_twice() {
        let first = Pagination::new(Some(time(5)), 2);
        let (second, _) = first.by_change(&[time(5), time(5)], true);
        let second = second.unwrap();
        assert_eq!((second.page, second.is_reread), (2, false));
        let (_, watermark) = second.by_change(&[time(5), time(6)], true);
        assert_eq!(watermark, Some(time(5)));
        let (reread, _) = second.by_change(&[time(5)], false);
        let reread = reread.unwrap();
        assert_eq!((reread.page, reread.is_reread), (1, true));
        let (next, _) = reread.by_change(&[time(5), time(5)], true);
        assert_eq!(next.clone().unwrap().page, 2);
        assert_eq!(next.unwrap().by_change(&[time(5)], false), (None, Some(time(5))));
    }
}
