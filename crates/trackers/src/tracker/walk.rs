//! Two ways through a list that is only given by numbered pages, and that changes while it is read.

use jiff::Timestamp;

use super::{Cursor, Fetched};

/// A place in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// What changed at or after this is listed; everything without it.
    pub(super) since: Option<Timestamp>,
    /// The page, from 1.
    pub(super) page: u32,
    /// Records on a page.
    pub(super) size: u32,
    /// The records of one second are being read for the second time.
    pub(super) again: bool,
    /// When the pass began, by the server's clock.
    pub(super) began: Option<Timestamp>,
    /// How many records there were at the page before.
    pub(super) total: Option<u64>,
    /// How often the pass was begun anew.
    pub(super) rounds: u32,
    /// Where the list goes on, as the tracker says it.
    pub(super) token: Option<String>,
    /// Another list than the usual one.
    pub(super) open: bool,
}

impl Walk {
    pub(super) fn new(since: Option<Timestamp>, size: u32) -> Self {
        Self {
            since,
            page: 1,
            size,
            again: false,
            began: None,
            total: None,
            rounds: 0,
            token: None,
            open: false,
        }
    }

    pub(super) fn open(size: u32) -> Self {
        Self { open: true, ..Self::new(None, size) }
    }

    pub(super) fn cursor(&self) -> Cursor {
        let mut text = url::form_urlencoded::Serializer::new(String::new());
        let mut put = |name: &str, value: Option<String>| {
            if let Some(value) = value {
                text.append_pair(name, &value);
            }
        };
        put("since", self.since.map(|t| t.to_string()));
        put("page", Some(self.page.to_string()));
        put("size", Some(self.size.to_string()));
        put("again", self.again.then(|| "1".to_owned()));
        put("began", self.began.map(|t| t.to_string()));
        put("total", self.total.map(|n| n.to_string()));
        put("rounds", (self.rounds > 0).then(|| self.rounds.to_string()));
        put("token", self.token.clone());
        put("open", self.open.then(|| "1".to_owned()));
        Cursor(text.finish())
    }

    /// The place that a cursor names; `None` if it is none of these, as in a casebook from elsewhere.
    pub(super) fn read(cursor: &Cursor) -> Option<Self> {
        let pairs: std::collections::HashMap<String, String> =
            url::form_urlencoded::parse(cursor.0.as_bytes()).into_owned().collect();
        let get = |name: &str| pairs.get(name).map(String::as_str);
        let size = get("size")?.parse().ok().filter(|n| (1..=1000).contains(n))?;
        Some(Self {
            since: get("since").map(str::parse).transpose().ok()?,
            page: get("page")?.parse().ok().filter(|n| *n > 0)?,
            size,
            again: get("again").is_some(),
            began: get("began").map(str::parse).transpose().ok()?,
            total: get("total").map(str::parse).transpose().ok()?,
            rounds: get("rounds").map_or(Some(0), |n| n.parse().ok())?,
            token: get("token").map(str::to_owned),
            open: get("open").is_some(),
        })
    }

    /// The same place with half the records a page, while that is possible.
    pub(super) fn smaller(&self) -> Option<Self> {
        let size = self.size / 2;
        (size >= 5).then(|| Self { size, page: 1, again: false, token: None, ..self.clone() })
    }

    /// What becomes of a page that the server failed at: asked for with half the records, while that is possible.
    pub(super) fn failed(&self, status: u16) -> Option<Fetched> {
        let smaller = self.smaller().filter(|_| status >= 500)?;
        Some(Fetched::Smaller(smaller.cursor()))
    }

    /// The page after this one of what is open, of which all is asked for.
    fn next_open(&self, more: bool) -> Option<Self> {
        more.then(|| Self { page: self.page + 1, ..self.clone() })
    }

    /// The page after this one of a list that is ordered by change, oldest first, and the watermark.
    ///
    /// Pages by number lose records when the list shifts under them: one that is edited moves to the end, and the one behind
    /// the page's border slips to the page before. So the list is taken up again at the page's last change, with the few
    /// records of that moment once more. Only where a page holds nothing but one moment are pages counted, and those are
    /// read twice.
    pub(super) fn by_change(&self, times: &[Timestamp], more: bool) -> (Option<Self>, Option<Timestamp>) {
        if self.open {
            return (self.next_open(more), None);
        }
        let ordered = times.is_sorted() && self.since.is_none_or(|s| times.first().is_none_or(|t| *t >= s));
        let latest = times.last().copied().filter(|_| ordered);
        let anew = |since| Self { since: Some(since), page: 1, again: false, ..self.clone() };
        let next = Self { page: self.page + 1, ..self.clone() };
        let walking = self.page > 1 && !self.again;
        let next = match (self.since, latest) {
            (Some(since), _) if !more && walking => Some(Self { again: true, ..anew(since) }),
            _ if !more => None,
            (Some(since), Some(latest)) if latest == since => Some(next),
            (Some(since), Some(_)) if walking => Some(Self { again: true, ..anew(since) }),
            (_, Some(latest)) => Some(anew(latest)),
            (_, None) => Some(next),
        };
        (next, latest)
    }

    /// The page after this one of a list that is ordered by creation, and the watermark, which is known at the end alone.
    ///
    /// An edit moves nothing in such a list, and what comes to it pushes records to later pages, where they are met again.
    /// Only a deletion loses records, so where the list got shorter it is read anew. What changes behind the back of the
    /// pass changes after its beginning, and that is where the next one takes up.
    pub(super) fn by_creation(
        &self,
        total: Option<u64>,
        began: Timestamp,
        more: bool,
    ) -> (Option<Self>, Option<Timestamp>) {
        if self.open {
            return (self.next_open(more), None);
        }
        let began = self.began.unwrap_or(began);
        let shorter = matches!((self.total, total), (Some(before), Some(now)) if now < before);
        if shorter && self.rounds < 3 {
            let first = Self { page: 1, token: None, total, rounds: self.rounds + 1, ..self.clone() };
            return (Some(first), None);
        }
        if more {
            return (Some(Self { page: self.page + 1, began: Some(began), total, ..self.clone() }), None);
        }
        (None, Some(began))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).unwrap()
    }

    #[test]
    fn a_place_is_kept_as_text() {
        let walk = Walk {
            again: true,
            began: Some(at(7)),
            total: Some(9),
            rounds: 2,
            token: Some("a=b&c".into()),
            open: true,
            ..Walk::new(Some(at(5)), 100)
        };
        assert_eq!(Walk::read(&walk.cursor()), Some(walk));
        for text in
            ["", "https://evil.example/", "page=0&size=1", "page=1&size=9999", "since=x&page=1&size=1"]
        {
            assert_eq!(Walk::read(&Cursor(text.into())), None, "{text}");
        }
    }

    #[test]
    fn a_moment_that_fills_pages_is_read_twice() {
        let first = Walk::new(Some(at(5)), 2);
        let (second, _) = first.by_change(&[at(5), at(5)], true);
        let second = second.unwrap();
        assert_eq!((second.page, second.again), (2, false));
        let (again, _) = second.by_change(&[at(5)], false);
        let again = again.unwrap();
        assert_eq!((again.page, again.again), (1, true));
        let (next, _) = again.by_change(&[at(5), at(5)], true);
        assert_eq!(next.clone().unwrap().page, 2);
        assert_eq!(next.unwrap().by_change(&[at(5)], false), (None, Some(at(5))));
    }
}
