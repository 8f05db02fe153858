//! Chat messages as exported by Slack: a message with replies is an item, and the replies are
//! its comments.

use regex::Captures;
use serde_json::Value;

use super::{
    context::FileContext,
    parsed_item::{Comment, ParsedItem, item_record, state, title_or_first_line},
};
use crate::tracker::dates;
use precedent_core::model::{Author, DocumentRecord, item_number};
use precedent_text::{html, pattern::Pattern};

const SOLVED_REACTIONS: &[&str] =
    &["white_check_mark", "heavy_check_mark", "ballot_box_with_check", "solved", "done"];

/// Returns whether a record is a message, identified by its time.
pub fn is_message(value: &Value) -> bool {
    value["ts"].is_string() && value["text"].is_string() && value["type"] == "message"
}

/// Parses an entry of a user list: the id and the name.
pub fn parse_user(value: &Value) -> Option<(String, String)> {
    let profile = value.get("profile")?;
    let name =
        [&profile["display_name"], &profile["real_name"], &value["real_name"], &value["name"]];
    let name = name.iter().find_map(|n| n.as_str().filter(|n| !n.is_empty()))?;
    Some((value["id"].as_str()?.to_owned(), name.to_owned()))
}

/// Parses the first message of a thread or a reply; adds a notice for other messages.
pub fn parse_message(value: &Value, bytes: &[u8], context: &FileContext) -> Vec<ParsedItem> {
    let message_id = value["ts"].as_str().unwrap_or_default();
    let Some(thread) = value["thread_ts"].as_str().and_then(thread_number) else {
        context.add_notice("messages without replies are not items and are skipped");
        return Vec::new();
    };
    let is_program = value["bot_id"].is_string() && !value["user"].is_string();
    let is_event = value["subtype"]
        .as_str()
        .is_some_and(|kind| !matches!(kind, "thread_broadcast" | "file_share"));
    if is_program || is_event {
        context.add_notice("messages from bots and channel events are skipped");
        return Vec::new();
    }
    let time = |text: &str| dates::parse(text, dates::Order::default());
    let created_at = time(message_id);
    let body = markdown(value["text"].as_str().unwrap_or_default(), context);
    let author = value["user"].as_str().map(|id| context.mapping.person_name(id));
    if value["thread_ts"] != value["ts"] {
        let reply = Comment {
            number: thread,
            id: Some(message_id.to_owned()),
            author,
            body,
            created_at,
            ..Comment::default()
        };
        return vec![ParsedItem::Record(reply.record(None, "", bytes.to_vec()))];
    }
    let mut reactions = value["reactions"].as_array().into_iter().flatten();
    let is_solved =
        reactions.any(|r| r["name"].as_str().is_some_and(|n| SOLVED_REACTIONS.contains(&n)));
    let last_reply_at = value["latest_reply"].as_str().and_then(time);
    let item = DocumentRecord {
        number: Some(thread),
        title: title_or_first_line("", &body),
        body,
        author: Author { login: author, ..Author::default() },
        state: state(is_solved),
        state_reason: is_solved.then(|| "solved".to_owned()),
        comment_count: value["reply_count"].as_u64().unwrap_or_default(),
        created_at,
        updated_at: last_reply_at.or(created_at),
        closed_at: last_reply_at.filter(|_| is_solved),
        ..DocumentRecord::default()
    };
    let mut out = vec![ParsedItem::Record(item_record(item, bytes.to_vec()))];
    // Some exporters include the replies in the first message.
    let lists = value.as_object().into_iter().flatten().filter_map(|(_, v)| v.as_array());
    for reply in lists.flatten() {
        if is_message(reply) && reply["ts"] != value["ts"] {
            out.extend(parse_message(reply, reply.to_string().as_bytes(), context));
        }
    }
    out
}

/// Returns the number of a thread: its time in microseconds.
fn thread_number(ts: &str) -> Option<u64> {
    let (seconds, rest) = ts.split_once('.').unwrap_or((ts, ""));
    item_number(&format!("{seconds}{rest:0<6}"))
}

/// Converts mentions and links: `<@U1>`, `<#C1|name>`, `<https://x.example|words>`.
fn markdown(text: &str, context: &FileContext) -> String {
    static TARGETS: Pattern = Pattern::new(r"<([^>|]*)(?:\|([^>]*))?>");
    let convert = |c: &Captures<'_>| {
        let (target, label) = (&c[1], c.get(2).map_or("", |label| label.as_str()));
        match target.chars().next() {
            Some('@') => format!("@{}", context.mapping.person_name(&target[1..])),
            Some('#' | '!') if label.is_empty() => format!("#{}", &target[1..]),
            Some('#' | '!') => format!("#{label}"),
            _ if label.is_empty() => target.to_owned(),
            _ => format!("[{label}]({target})"),
        }
    };
    html::decode_entities(&TARGETS.replace_all(text, convert))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::tracker::file::Mapping;
    use precedent_core::model::Record;

    #[test]
    fn threads_are_items_and_chatter_is_skipped() {
        let mapping = Mapping::default();
        mapping.add_person("U1".to_owned(), "mona".to_owned());
        let context = FileContext::new(&mapping);
        let parse = |value: Value| parse_message(&value, b"", &context);
        let first = parse(
            json!({"type": "message", "user": "U1", "ts": "1740820000.000200", "thread_ts": "1740820000.000200",
            "text": "Gate <https://wiki.example.org/x|runbook> says R&amp;D-4, <@U1>?", "reply_count": 1}),
        );
        let [ParsedItem::Record(Record::Document(item))] = &first[..] else { panic!("{first:?}") };
        assert_eq!(item.body, "Gate [runbook](https://wiki.example.org/x) says R&D-4, @mona?");
        let reply = parse(
            json!({"type": "message", "user": "U2", "ts": "1740820001.000100", "thread_ts": "1740820000.000200",
            "text": "Reset it."}),
        );
        let [ParsedItem::Record(Record::Comment(comment))] = &reply[..] else {
            panic!("{reply:?}")
        };
        assert_eq!(Some(comment.number), item.number);
        for other in [
            json!({"type": "message", "user": "U1", "ts": "1.2", "thread_ts": "9999999999999.2", "text": "Ahead"}),
            json!({"type": "message", "user": "U1", "ts": "1740820002.000100", "text": "Lunch?"}),
            json!({"type": "message", "subtype": "channel_join", "user": "U1", "ts": "1740820003.000100", "text": "joined"}),
        ] {
            assert_eq!(parse(other), []);
        }
    }
}
