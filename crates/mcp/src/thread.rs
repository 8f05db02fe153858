//! Pages of a thread: its text, its links and its comments, in order.
//!
//! A text that is too long for a page continues on the next.

use std::{fmt, str::FromStr};

use precedent_core::{Error, Result};
use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::{
    pages::{Page, after, bound_item, cost_of_field, taken},
    reply::{cost, fitting, whole_words},
};

/// The minimum length of a text part at the end of a page, in characters.
const LEAST_PART: usize = 200;

/// The place in a thread where a page begins: a number of comments to skip, then of characters.
///
/// The item's own text and its links precede the first comment; each link counts as one character.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ThreadOffset {
    comments: usize,
    more: usize,
}

impl FromStr for ThreadOffset {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let (comments, more) = text.split_once('+').unwrap_or((text, "0"));
        match (comments.trim().parse(), more.trim().parse()) {
            (Ok(comments), Ok(more)) => Ok(Self { comments, more }),
            _ => Err(Error::invalid(format!(
                "get_thread: offset must be a whole number, or two joined by a plus, not \"{}\"",
                text.chars().take(60).collect::<String>()
            ))
            .with_hint("Pass next_offset of the previous reply unchanged; omit it for the first page.")),
        }
    }
}

impl fmt::Display for ThreadOffset {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.more {
            0 => write!(f, "{}", self.comments),
            more => write!(f, "{}+{more}", self.comments),
        }
    }
}

impl From<ThreadOffset> for Value {
    fn from(place: ThreadOffset) -> Self {
        match place.more {
            0 => json!(place.comments),
            _ => json!(place.to_string()),
        }
    }
}

/// Returns the page of a thread that begins at a place, with at most `limit` comments.
pub fn page(mut thread: JsonObject, from: ThreadOffset, limit: usize, room: usize) -> JsonObject {
    let list = |value: Option<Value>| match value {
        Some(Value::Array(all)) => all,
        _ => Vec::new(),
    };
    let comments = list(thread.remove("comments"));
    let links = list(thread.remove("links"));
    let body = taken(thread.remove("markdown"));
    // Later pages repeat only the key and the title of the item.
    let mut short = thread.clone();
    short.retain(|name, _| name == "key" || name == "title");
    let fresh = Page::new(short.clone(), "comments", room).left;
    let mut page = Page::new(if from == ThreadOffset::default() { thread } else { short }, "comments", room);
    page.fresh = fresh;
    let next = fill(&mut page, &body, links, comments, from, limit);
    page.value.insert("next_offset".to_owned(), next.map_or(Value::Null, Value::from));
    page.whole()
}

/// Fills a page of a thread and returns the place where the next begins.
fn fill(
    page: &mut Page,
    body: &str,
    links: Vec<Value>,
    comments: Vec<Value>,
    from: ThreadOffset,
    limit: usize,
) -> Option<ThreadOffset> {
    let mut more = from.more;
    if from.comments == 0 {
        let length = body.chars().count();
        if more < length || from == ThreadOffset::default() {
            let rest = after(body, more);
            let names = cost(&json!({"markdown": "", "markdown_from": more, "markdown_goes_on": true}));
            let part = whole_words(fitting(rest, page.left.saturating_sub(names)), rest);
            page.put("markdown", json!(part));
            if more > 0 {
                page.put("markdown_from", json!(more));
            }
            if part.len() < rest.len() {
                page.put("markdown_goes_on", json!(true));
                return Some(ThreadOffset { comments: 0, more: more + part.chars().count() });
            }
            more = length;
        }
        let first = more - length;
        if first < links.len() || from == ThreadOffset::default() {
            let (shown, whole) = page.links(links.iter().skip(first).cloned());
            if !whole {
                return Some(ThreadOffset { comments: 0, more: length + first + shown });
            }
            more = length + links.len();
        }
        more -= length + links.len();
    }
    let mut shown = 0;
    for (at, comment) in comments.into_iter().enumerate().skip(from.comments) {
        let here = |more| match (at, more) {
            // The first comment's place is counted from the beginning of the item's text.
            (0, more) => ThreadOffset { comments: 0, more: body.chars().count() + links.len() + more },
            (at, more) => ThreadOffset { comments: at, more },
        };
        if shown == limit {
            return Some(here(0));
        }
        let begin = std::mem::take(&mut more);
        let Value::Object(comment) = comment else { continue };
        let length = comment.get("markdown").and_then(Value::as_str).map_or(0, |t| t.chars().count());
        if begin > 0 && begin >= length {
            continue;
        }
        match page.comment(comment, begin) {
            Some(told) if begin + told < length => return Some(here(begin + told)),
            Some(_) => shown += 1,
            None => return Some(here(begin)),
        }
    }
    None
}

impl Page {
    /// Adds as many links as fit; returns their number and whether they are all.
    fn links(&mut self, links: impl Iterator<Item = Value>) -> (usize, bool) {
        self.left = self.left.saturating_sub(cost_of_field("links", &json!([])));
        let mut shown = Vec::new();
        let mut whole = true;
        for mut link in links {
            if cost(&link) + 3 > self.left {
                if self.moved {
                    whole = false;
                    break;
                }
                self.cut = true;
                bound_item(&mut link, self.left, &["key"]);
            }
            self.left = self.left.saturating_sub(cost(&link) + 3);
            self.moved = true;
            shown.push(link);
        }
        let count = shown.len();
        self.value.insert("links".to_owned(), Value::Array(shown));
        (count, whole)
    }

    /// Adds a comment from a character offset on; returns the number of characters added.
    ///
    /// Returns `None` if the comment begins on the next page.
    fn comment(&mut self, mut comment: JsonObject, from: usize) -> Option<usize> {
        let whole = taken(comment.remove("markdown"));
        let rest = after(&whole, from);
        if from > 0 {
            comment.insert("from".to_owned(), json!(from));
        }
        let mut head = Value::Object(comment);
        let price = |head: &Value, rest: &str| cost(head) + cost_of_field("markdown", &json!(rest)) + 3;
        if price(&head, rest) > self.left {
            let goes_on = cost_of_field("goes_on", &json!(true));
            let room = self.left.saturating_sub(price(&head, "") + goes_on);
            if self.moved
                && (price(&head, rest) <= self.fresh || fitting(rest, room).chars().count() < LEAST_PART)
            {
                return None;
            }
            let names = cost_of_field("markdown", &json!("")) + goes_on + 3;
            self.cut |= bound_item(&mut head, self.left.saturating_sub(names) / 2, &["anchor", "from"]);
            let room = self.left.saturating_sub(price(&head, "") + goes_on);
            let part =
                if price(&head, rest) <= self.left { rest } else { whole_words(fitting(rest, room), rest) };
            if part.len() < rest.len() {
                head["goes_on"] = json!(true);
            }
            let told = part.chars().count();
            head["markdown"] = json!(part);
            self.add(head);
            return Some(told);
        }
        let told = rest.chars().count();
        head["markdown"] = json!(rest);
        self.add(head);
        Some(told)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{
        pages::tests::{object, rooms, texts},
        reply::{Reply, room, tests::received},
    };

    fn threads() -> impl Strategy<Value = Value> {
        let link = "[a-z]{1,12}"
            .prop_map(|t| json!({"kind": "mentions", "key": format!("acme/app#{t}"), "title": t}));
        (texts(), prop::collection::vec(link, 0..40), prop::collection::vec(texts(), 0..12), texts()).prop_map(
            |(body, links, comments, title)| {
                let comment = |(n, text): (usize, &String)| {
                    json!({"anchor": format!("comment-{n}"), "author": "somebody", "markdown": text})
                };
                json!({
                    "key": "acme/app#12", "kind": "issue", "title": title, "labels": ["one", "two"],
                    "markdown": body, "links": links,
                    "comments": comments.iter().enumerate().map(comment).collect::<Vec<_>>(),
                })
            },
        )
    }

    /// Reads all pages of a thread, each within its bound, and joins them.
    fn read(whole: &Value, max_chars: usize, limit: usize) -> (Value, usize) {
        let (mut body, mut links, mut comments) = (String::new(), Vec::new(), Vec::<Value>::new());
        let mut from = "0".to_owned();
        for pages in 1.. {
            let page = super::page(object(whole.clone()), from.parse().unwrap(), limit, room(max_chars));
            let fits = page.clone();
            let (page, chars) = received(Reply::of(Value::Object(page), max_chars));
            assert!(chars <= max_chars, "{chars} of {max_chars}: {page}");
            for (name, value) in &fits {
                assert_eq!(&page[name], value, "nothing is cut behind the page");
            }
            if let Some(part) = page["markdown"].as_str() {
                assert_eq!(page["markdown_from"].as_u64().unwrap_or(0), body.chars().count() as u64);
                body.push_str(part);
            }
            links.extend(page["links"].as_array().cloned().unwrap_or_default());
            assert!(page["comments"].as_array().unwrap().len() <= limit);
            for comment in page["comments"].as_array().unwrap() {
                let text = comment["markdown"].as_str().unwrap();
                match comment["from"].as_u64() {
                    Some(begins) => {
                        let last = comments.last_mut().unwrap();
                        assert_eq!(last["anchor"], comment["anchor"]);
                        let told = last["markdown"].as_str().unwrap();
                        assert_eq!(begins, told.chars().count() as u64);
                        last["markdown"] = json!(format!("{told}{text}"));
                    }
                    None => comments.push(json!({"anchor": comment["anchor"], "markdown": text})),
                }
            }
            let next = &page["next_offset"];
            let next = next.as_str().map_or_else(|| next.to_string(), str::to_owned);
            if next == "null" {
                return (json!({"markdown": body, "links": links, "comments": comments}), pages);
            }
            assert_ne!(next, from, "a page that gets nowhere: {page}");
            from = next;
        }
        unreachable!()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pages_of_a_thread_put_together_are_the_whole(
            whole in threads(), max_chars in rooms(), limit in 1usize..=200,
        ) {
            let (read, _) = read(&whole, max_chars, limit);
            prop_assert_eq!(&read["markdown"], &whole["markdown"]);
            let keys = |v: &Value| -> Vec<Value> { v["links"].as_array().unwrap().iter().map(|l| l["key"].clone()).collect() };
            prop_assert_eq!(keys(&read), keys(&whole));
            let said = |v: &Value| -> Vec<(Value, Value)> {
                v["comments"].as_array().unwrap().iter().map(|c| (c["anchor"].clone(), c["markdown"].clone())).collect()
            };
            prop_assert_eq!(said(&read), said(&whole));
        }
    }

    #[test]
    fn what_fits_is_one_page() {
        let comments: Vec<Value> =
            (0..20).map(|n| json!({"anchor": format!("comment-{n}"), "markdown": "x".repeat(500)})).collect();
        let whole = json!({"key": "acme/app#1", "markdown": "short", "links": [], "comments": comments});
        assert_eq!(read(&whole, 40_000, 200).1, 1);
        // Comments that fit are not split merely to fill a page.
        let page = super::page(object(whole), ThreadOffset::default(), 200, room(5_000));
        assert!(page["comments"].as_array().unwrap().iter().all(|c| c.get("goes_on").is_none()), "{page:?}");
        assert!(page["next_offset"].is_u64(), "{page:?}");
    }

    #[test]
    fn a_comment_of_a_megabyte_is_read_to_its_end() {
        let long = "0123456789\n".repeat(100_000);
        let whole = json!({"key": "acme/app#1", "markdown": "", "links": [], "comments": [
            {"anchor": "comment-1", "markdown": long}, {"anchor": "comment-2", "markdown": "the end"}]});
        let (read, pages) = read(&whole, 200_000, 1);
        assert_eq!(read["comments"][0]["markdown"], long);
        assert_eq!(read["comments"][1]["markdown"], "the end");
        assert!(pages < 20, "{pages}");
    }

    #[test]
    fn a_place_is_written_as_it_is_read() {
        for (written, value) in
            [("0", json!(0)), ("3", json!(3)), ("3+4000", json!("3+4000")), (" 3 + 0 ", json!(3))]
        {
            assert_eq!(Value::from(written.parse::<ThreadOffset>().unwrap()), value, "{written}");
        }
        for wrong in ["", "-1", "x", "1+", "1+2+3", "1e30"] {
            let error = wrong.parse::<ThreadOffset>().unwrap_err();
            assert!(error.to_string().contains(&format!("not \"{wrong}\"")), "{error}");
        }
    }
}
