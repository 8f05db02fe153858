//! Pages: as much of a list or a text as a reply has room for, with the next offset.
//!
//! The pages together are the whole, whatever the room.

use rmcp::model::JsonObject;
use serde_json::{Value, json};

use super::reply::{bound, cost, fitting, whole_words};

/// A place of maximum length.
const LAST_PLACE: &str = "9999999+999999999";

/// Returns a page of results that fit and their number.
///
/// A page has at least one result, which is cut if necessary.
pub fn hits(head: JsonObject, hits: Vec<Value>, room: usize) -> (JsonObject, usize) {
    let mut page = Page::new(head, "hits", room);
    let mut shown = 0;
    for mut hit in hits {
        let fits = cost(&hit) + 3 <= page.left;
        if !fits && shown > 0 {
            break;
        }
        if !fits {
            page.cut = true;
            without_marks(&mut hit);
            bound_item(&mut hit, page.left, &["key", "title"]);
        }
        page.add(hit);
        shown += 1;
    }
    (page.whole(), shown)
}

/// Joins the spans of a text, which removes the highlighting and saves room.
fn without_marks(hit: &mut Value) {
    fn join(spans: &mut Value) {
        let parts =
            spans.as_array().map(|all| all.iter().filter_map(|s| s["text"].as_str()).collect::<String>());
        if let Some(text) = parts {
            *spans = json!([{"text": text, "hit": false}]);
        }
    }
    if let Some(title) = hit.get_mut("title") {
        join(title);
    }
    for passage in hit.get_mut("passages").and_then(Value::as_array_mut).into_iter().flatten() {
        if let Some(spans) = passage.get_mut("spans") {
            join(spans);
        }
    }
}

/// Returns a page of a text from a character offset, as the field `name`.
pub fn text(head: JsonObject, name: &'static str, whole: &str, from: usize, room: usize) -> JsonObject {
    let mut head = Value::Object(head);
    let cut = bound(&mut head, room / 3, &[]);
    let names = cost(&json!({name: "", "next_offset": usize::MAX}));
    let rest = after(whole, from);
    let part = whole_words(fitting(rest, room.saturating_sub(cost(&head) + names)), rest);
    let next = (part.len() < rest.len()).then(|| from + part.chars().count());
    let Value::Object(mut page) = head else { return JsonObject::new() };
    page.insert(name.to_owned(), json!(part));
    page.insert("next_offset".to_owned(), json!(next));
    if cut {
        page.insert("truncated".to_owned(), json!(true));
    }
    page
}

/// A page under construction.
pub struct Page {
    pub value: JsonObject,
    /// Name of the list that is filled.
    name: &'static str,
    list: Vec<Value>,
    /// Remaining room.
    pub left: usize,
    /// Room of an empty page.
    pub fresh: usize,
    /// True if the page has content that the earlier pages did not.
    pub moved: bool,
    pub cut: bool,
}

impl Page {
    /// Creates a page with its head, which takes at most a third of the room.
    pub fn new(head: JsonObject, name: &'static str, room: usize) -> Self {
        let mut head = Value::Object(head);
        let cut = bound(&mut head, room / 3, &["key"]);
        let fields = [(name, json!([])), ("next_offset", json!(LAST_PLACE))];
        let names: usize = fields.iter().map(|(name, value)| cost_of_field(name, value)).sum();
        let left = room.saturating_sub(cost(&head) + names);
        let value = match head {
            Value::Object(fields) => fields,
            _ => JsonObject::new(),
        };
        Self { value, name, list: Vec::new(), left, fresh: left, moved: false, cut }
    }

    pub fn put(&mut self, name: &str, value: Value) {
        self.left = self.left.saturating_sub(cost_of_field(name, &value));
        self.moved |= name == "markdown" && value.as_str().is_some_and(|t| !t.is_empty());
        self.value.insert(name.to_owned(), value);
    }

    pub fn add(&mut self, item: Value) {
        self.left = self.left.saturating_sub(cost(&item) + 3);
        self.moved = true;
        self.list.push(item);
    }

    pub fn whole(mut self) -> JsonObject {
        self.value.insert(self.name.to_owned(), Value::Array(self.list));
        if self.cut {
            self.value.insert("truncated".to_owned(), json!(true));
        }
        self.value
    }
}

/// Cuts an item that is too large for a page, marks it as cut, and returns whether it did.
pub fn bound_item(item: &mut Value, room: usize, keep: &[&str]) -> bool {
    let mark = cost_of_field("cut", &json!(true));
    let cut = bound(item, room.saturating_sub(mark), keep);
    if let (Value::Object(fields), true) = (item, cut) {
        fields.insert("cut".to_owned(), json!(true));
    }
    cut
}

/// Returns the amount that a field adds to an object's cost.
pub fn cost_of_field(name: &str, value: &Value) -> usize {
    cost(&json!(name)) + cost(value) + 6
}

pub fn taken(value: Option<Value>) -> String {
    match value {
        Some(Value::String(text)) => text,
        _ => String::new(),
    }
}

/// Returns the text after the given number of characters.
pub fn after(text: &str, characters: usize) -> &str {
    text.char_indices().nth(characters).map_or("", |(at, _)| &text[at..])
}

#[cfg(test)]
pub mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::reply::{LEAST_CHARS, Reply, room, tests::received};

    pub fn object(value: Value) -> JsonObject {
        match value {
            Value::Object(fields) => fields,
            other => panic!("{other}"),
        }
    }

    pub fn texts() -> impl Strategy<Value = String> {
        prop_oneof![
            3 => "[a-z \n]{0,400}",
            2 => "[\"\\\\\u{1}\t]{0,400}",
            1 => "\\PC{0,200}",
            1 => ("[a-zé😀\n\"]{1,9}", 1usize..2_000).prop_map(|(text, times)| text.repeat(times)),
        ]
    }

    /// Generates rooms as callers request them; small ones matter most.
    pub fn rooms() -> impl Strategy<Value = usize> {
        prop_oneof![Just(LEAST_CHARS), LEAST_CHARS..3_000usize, LEAST_CHARS..200_001usize]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn pages_of_results_put_together_are_the_whole(
            texts in prop::collection::vec(texts(), 0..30), max_chars in rooms(), limit in 1usize..=100,
        ) {
            let whole: Vec<Value> = texts
                .iter()
                .enumerate()
                .map(|(n, text)| json!({"key": format!("acme/app#{n}"), "title": [{"text": "A title", "hit": false}], "passages": [{"text": text}, {"text": "x"}]}))
                .collect();
            let mut from = 0;
            while from < whole.len() {
                let some: Vec<Value> = whole.iter().skip(from).take(limit).cloned().collect();
                let head = object(json!({"query": texts[from], "notices": texts, "mode": "hybrid"}));
                let (mut page, shown) = hits(head, some, room(max_chars));
                page.insert("next_offset".to_owned(), json!(from + shown));
                let fits = page.clone();
                let (page, chars) = received(Reply::of(Value::Object(page), max_chars));
                prop_assert!(chars <= max_chars, "{} of {}: {}", chars, max_chars, page);
                prop_assert_eq!(&page["hits"], &fits["hits"]);
                prop_assert!(shown > 0);
                let listed = page["hits"].as_array().unwrap();
                prop_assert_eq!(listed.len(), shown);
                for hit in listed {
                    prop_assert_eq!(&hit["key"], &whole[from]["key"]);
                    prop_assert_eq!(&hit["title"], &whole[from]["title"]);
                    prop_assert!(hit["cut"] == true || *hit == whole[from]);
                    from += 1;
                }
            }
        }

        #[test]
        fn pages_of_a_text_put_together_are_the_whole(whole in texts(), max_chars in rooms()) {
            let (mut read, mut from) = (String::new(), 0);
            loop {
                let head = object(json!({"title": whole, "redactions": [whole]}));
                let page = text(head, "content", &whole, from, room(max_chars));
                let (page, chars) = received(Reply::of(Value::Object(page), max_chars));
                prop_assert!(chars <= max_chars, "{} of {}: {}", chars, max_chars, page);
                read.push_str(page["content"].as_str().unwrap());
                match page["next_offset"].as_u64() {
                    Some(next) => from = usize::try_from(next).unwrap(),
                    None => break,
                }
            }
            prop_assert_eq!(read, whole);
        }
    }
}
