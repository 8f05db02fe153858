//! Emails and mailboxes: a thread is an item, and its replies are comments.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    io::{BufRead, BufReader, Read, Result},
};

use jiff::{SignedDuration, Timestamp};
use serde_json::json;

use super::{
    content::Content,
    parsed_item::{Comment, ParseResult, ParsedItem, item_record, state, title_or_first_line},
    states::StateWords,
};
use crate::tracker::{identity::hash_number, import::MAX_RECORD};
use precedent_core::model::{Author, DocumentRecord, Record};
use precedent_markup::message::{self, Message, is_separator};
use precedent_text::mail;

/// The maximum age of an email that a reply without references joins by subject.
const MAX_SUBJECT_AGE: SignedDuration = SignedDuration::from_hours(90 * 24);
/// The number of bytes of a line that are read at once.
const MAX_LINE: u64 = 1 << 20;
/// The location of an email: the file and the position in it, from 1.
pub type MailLocation = (String, u64);

/// Returns the location of an email.
pub fn location(content: &Content, position: u64) -> MailLocation {
    (format!("{}\n{}", content.path.display(), content.name), position)
}

/// The threads of emails.
#[derive(Debug, Default)]
pub struct Threads {
    members: HashMap<String, ThreadMember>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct ThreadMember {
    /// First location of the email.
    location: MailLocation,
    /// Number of the thread, derived from the id of its first email so that imports agree.
    number: u64,
    root: String,
    role: Role,
    updated_at: Option<Timestamp>,
    /// `true` if a subject in the thread is marked as solved.
    is_solved: bool,
    reply_count: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    /// The first email of the thread.
    First,
    /// The earliest email of a thread whose first email is missing.
    StandIn,
    Reply,
}

/// Email headers, to be grouped into threads.
#[derive(Debug, Default)]
pub struct MailHeaders {
    headers: Vec<(Message, MailLocation)>,
}

impl MailHeaders {
    /// Reads the headers of the emails in a file.
    ///
    /// # Errors
    /// Read errors.
    pub fn add(&mut self, content: &Content, is_mailbox: bool, stream: impl Read) -> Result<()> {
        visit(stream, is_mailbox, |position, bytes| {
            if let Some(head) = message::parse_headers(&bytes) {
                self.headers.push((head, location(content, position)));
            }
            true
        })?;
        Ok(())
    }

    /// Groups the emails into threads by references, and replies without references by subject.
    pub fn threads(mut self) -> Threads {
        // Emails without a date come last; the first of several copies counts.
        let sort_key = |m: &Message| (m.date.is_none(), m.date);
        self.headers
            .sort_by(|(a, x), (b, y)| (sort_key(a), &a.id, x).cmp(&(sort_key(b), &b.id, y)));
        self.headers.dedup_by(|(a, _), (b, _)| a.id == b.id);
        let mut groups = Groups::default();
        for (head, _) in &self.headers {
            let group = groups.node(&head.id);
            for reference in &head.references {
                let reference = groups.node(reference);
                groups.join(group, reference);
            }
        }
        let mut subjects: HashMap<String, &Message> = HashMap::new();
        for (head, _) in &self.headers {
            let subject = mail::strip_subject_prefixes(&head.subject).to_lowercase();
            let is_reply = subject.len() < head.subject.trim().len() && head.references.is_empty();
            if is_reply
                && let Some(original) = subjects.get(&subject)
                && let (Some(earlier_date), Some(reply_date)) = (original.date, head.date)
                && reply_date.duration_since(earlier_date) <= MAX_SUBJECT_AGE
            {
                let (group, original_group) = (groups.node(&head.id), groups.node(&original.id));
                groups.join(group, original_group);
            }
            if subject.chars().count() > 3 {
                subjects.insert(subject, head);
            }
        }
        let mut threads: BTreeMap<usize, Vec<&(Message, MailLocation)>> = BTreeMap::new();
        for head in &self.headers {
            let group = groups.node(&head.0.id);
            threads.entry(groups.root(group)).or_default().push(head);
        }
        let mut roots: BTreeMap<&str, Vec<&(Message, MailLocation)>> = BTreeMap::new();
        for members in threads.into_values() {
            let Some((first, _)) = members.first() else { continue };
            let root = first.references.first().unwrap_or(&first.id);
            roots.entry(root).or_default().extend(members);
        }
        let mut numbers = HashSet::new();
        let mut members_by_id = HashMap::new();
        for (root, members) in roots {
            let mut number = hash_number(root);
            while !numbers.insert(number) {
                number += 1;
            }
            let first = members.iter().position(|(m, _)| m.id == root);
            let updated_at = members.iter().filter_map(|(m, _)| m.date).max();
            let is_solved = members.iter().any(|(m, _)| is_solved(&m.subject));
            for (index, (head, location)) in members.iter().enumerate() {
                let member = ThreadMember {
                    location: location.clone(),
                    number,
                    root: root.to_owned(),
                    role: match first {
                        Some(first) if first == index => Role::First,
                        None if index == 0 => Role::StandIn,
                        _ => Role::Reply,
                    },
                    updated_at,
                    is_solved,
                    reply_count: members.len() as u64 - 1,
                };
                members_by_id.insert(head.id.clone(), member);
            }
        }
        Threads { members: members_by_id }
    }
}

/// Returns whether a subject has a prefix like "[SOLVED]".
fn is_solved(subject: &str) -> bool {
    let mut marks = subject.split(']').filter_map(|part| Some(part.rsplit_once('[')?.1));
    marks.any(|mark| StateWords::default().word_state(mark) == Some(true))
}

#[derive(Debug, Default)]
struct Groups {
    ids: HashMap<String, usize>,
    parents: Vec<usize>,
}

impl Groups {
    fn node(&mut self, id: &str) -> usize {
        *self.ids.entry(id.to_owned()).or_insert_with(|| {
            self.parents.push(self.parents.len());
            self.parents.len() - 1
        })
    }

    fn root(&mut self, mut node: usize) -> usize {
        while self.parents[node] != node {
            self.parents[node] = self.parents[self.parents[node]];
            node = self.parents[node];
        }
        node
    }

    fn join(&mut self, a: usize, b: usize) {
        let (a, b) = (self.root(a), self.root(b));
        self.parents[a.max(b)] = a.min(b);
    }
}

/// Parses an email into an item or a comment; returns nothing for a copy.
pub fn parse_email(bytes: &[u8], location: &MailLocation, threads: &Threads) -> ParseResult {
    let mail = message::parse(bytes).ok_or("not an email")?;
    let member = threads.members.get(&mail.id).ok_or("an email that changed during the import")?;
    if member.location != *location {
        return Ok(Vec::new());
    }
    let raw = json!({"headers": mail.headers, "text": mail.text}).to_string().into_bytes();
    let mut record = match member.role {
        Role::Reply => Comment {
            number: member.number,
            id: Some(mail.id),
            author: mail.author,
            body: mail.text,
            created_at: mail.date,
            ..Comment::default()
        }
        .record(member.updated_at, "", raw),
        Role::First | Role::StandIn => {
            let item = DocumentRecord {
                number: Some(member.number),
                remote_id: Some(format!("<{}>", member.root)),
                title: title_or_first_line(mail::strip_subject_prefixes(&mail.subject), &mail.text),
                author: Author { login: mail.author, bot: mail.is_automatic, association: None },
                body: mail.text,
                state: state(member.is_solved),
                state_reason: member.is_solved.then(|| "solved".to_owned()),
                comment_count: member.reply_count,
                created_at: mail.date,
                updated_at: member.updated_at,
                closed_at: member.updated_at.filter(|_| member.is_solved),
                ..DocumentRecord::default()
            };
            item_record(item, raw)
        }
    };
    match &mut record {
        // A stand-in has no change time, so that the real first email replaces it.
        Record::Document(item) if member.role == Role::StandIn => item.updated_at = None,
        Record::Comment(comment) => comment.author.bot = mail.is_automatic,
        Record::Document(_) => {}
    }
    Ok(vec![ParsedItem::Record(record)])
}

/// Calls `visit` with the position and bytes of each email until it returns `false`; returns
/// whether the end was reached.
pub fn visit(
    stream: impl Read,
    is_mailbox: bool,
    mut visit: impl FnMut(u64, Vec<u8>) -> bool,
) -> Result<bool> {
    let mut input = BufReader::with_capacity(256 * 1024, stream);
    let mut mail = Vec::new();
    if !is_mailbox {
        input.take(MAX_RECORD as u64).read_to_end(&mut mail)?;
        return Ok(visit(1, mail));
    }
    let (mut position, mut is_after_blank, mut is_line_start) = (0, true, true);
    let mut line = Vec::new();
    while input.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? > 0 {
        let is_divider_line = is_line_start
            && is_after_blank
            && line.starts_with(b"From ")
            && is_separator(&String::from_utf8_lossy(&line));
        is_after_blank = line.trim_ascii().is_empty();
        if is_divider_line {
            if position > 0 && !visit(position, std::mem::take(&mut mail)) {
                return Ok(false);
            }
            position += 1;
        } else if position > 0 {
            // Lines that look like a divider are escaped with `>` (mboxrd).
            let mark_count = line.iter().take_while(|b| **b == b'>').count();
            let is_escaped =
                is_line_start && mark_count > 0 && line[mark_count..].starts_with(b"From ");
            // A long email is truncated; attachments come last.
            let free_bytes = MAX_RECORD.saturating_sub(mail.len());
            let line = &line[usize::from(is_escaped)..];
            mail.extend_from_slice(&line[..line.len().min(free_bytes)]);
        }
        is_line_start = line.ends_with(b"\n");
        line.clear();
    }
    Ok(position == 0 || visit(position, mail))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mail(id: &str, day: i8, subject: &str, references: &[&str]) -> (Message, MailLocation) {
        let date = jiff::civil::date(2025, 3, day)
            .at(8, 0, 0, 0)
            .to_zoned(jiff::tz::TimeZone::UTC)
            .unwrap();
        let message = Message {
            id: id.to_owned(),
            subject: subject.to_owned(),
            date: Some(date.timestamp()),
            references: references.iter().map(|r| (*r).to_owned()).collect(),
            ..Message::default()
        };
        (message, (id.to_owned(), 1))
    }

    fn threads(mails: &[(Message, MailLocation)]) -> Threads {
        MailHeaders { headers: mails.to_vec() }.threads()
    }

    fn numbers(mails: &[(Message, MailLocation)]) -> Vec<(String, u64, Role)> {
        let threads = threads(mails);
        mails
            .iter()
            .map(|(m, _)| {
                (m.id.clone(), threads.members[&m.id].number, threads.members[&m.id].role)
            })
            .collect()
    }

    #[test]
    fn replies_join_their_thread_without_its_start() {
        let mails = [
            mail("a@x", 1, "Pump stops", &[]),
            mail("b@x", 2, "Re: Pump stops", &["a@x"]),
            mail("c@x", 3, "AW: Pump stops", &["a@x", "b@x"]),
            mail("d@x", 4, "Valve", &[]),
        ];
        let members = numbers(&mails);
        assert_eq!(
            members.iter().map(|f| f.2).collect::<Vec<_>>(),
            [Role::First, Role::Reply, Role::Reply, Role::First]
        );
        assert!(
            members[0].1 == members[1].1
                && members[1].1 == members[2].1
                && members[2].1 != members[3].1
        );
        // The last mail alone stands in for the first, with the same number.
        let single = numbers(&mails[2..3]);
        assert_eq!(single, [("c@x".to_owned(), members[0].1, Role::StandIn)]);
    }

    #[test]
    fn solved_in_a_subject_closes_the_thread() {
        for (subject, expected) in [
            ("[SOLVED] Pump stops", true),
            ("Re: [users] [gelöst] Pumpe steht", true),
            ("[users] Pump stops", false),
            ("Solved puzzle [open]", false),
        ] {
            assert_eq!(is_solved(subject), expected, "{subject}");
        }
    }

    #[test]
    fn reply_without_references_joins_a_recent_subject() {
        let mut late = mail("e@x", 1, "Re: Pump stops", &[]);
        late.0.date = late.0.date.map(|d| d + SignedDuration::from_hours(200 * 24));
        let members = numbers(&[
            mail("a@x", 1, "Pump stops", &[]),
            mail("b@x", 2, "Re: pump stops", &[]),
            mail("c@x", 3, "Pump stops", &[]),
            mail("d@x", 4, "RE: Pump stops", &[]),
            late,
        ]);
        let joins = |a: usize, b: usize| members[a].1 == members[b].1;
        assert!(joins(0, 1) && !joins(0, 2) && joins(2, 3) && !joins(0, 4) && !joins(2, 4));
    }

    #[test]
    fn copied_mail_is_imported_once() {
        let (first, mut copy) = (mail("a@x", 1, "Pump", &[]), mail("a@x", 1, "Pump", &[]));
        copy.1 = ("z".to_owned(), 7);
        let threads = threads(&[copy, first]);
        assert_eq!((threads.members.len(), threads.members["a@x"].location.0.as_str()), (1, "a@x"));
    }

    #[test]
    fn mailbox_splits_only_at_dividers() {
        let text = b"From a@b Tue Mar  4 08:12:00 2025\nSubject: 1\n\nFrom here on\n>From there\n\nFrom now on\n\nFrom a@b Tue Mar  4 09:12:00 2025\nSubject: 2\n\nx\n";
        let mut mails = Vec::new();
        visit(&text[..], true, |n, bytes| {
            mails.push((n, String::from_utf8(bytes).unwrap()));
            true
        })
        .unwrap();
        assert_eq!(
            mails,
            [
                (1, "Subject: 1\n\nFrom here on\nFrom there\n\nFrom now on\n\n".to_owned()),
                (2, "Subject: 2\n\nx\n".to_owned())
            ]
        );
    }

    proptest::proptest! {
        #[test]
        fn threads_do_not_depend_on_mail_order(order in proptest::collection::vec(0_usize..6, 6)) {
            let mut mails = vec![
                mail("a@x", 1, "Pump", &[]),
                mail("b@x", 2, "Re: Pump", &["a@x"]),
                mail("c@x", 2, "Re: Pump", &["lost@x"]),
                mail("d@x", 3, "Re: Pump", &["lost@x", "c@x"]),
                mail("e@x", 3, "Re: Valve", &[]),
                mail("f@x", 3, "Valve", &[]),
            ];
            let mut reference = numbers(&mails);
            reference.sort_by(|a, b| a.0.cmp(&b.0));
            for (index, target) in order.into_iter().enumerate() {
                mails.swap(index, target);
            }
            let mut actual = numbers(&mails);
            actual.sort_by(|a, b| a.0.cmp(&b.0));
            proptest::prop_assert_eq!(actual, reference);
        }
    }
}
