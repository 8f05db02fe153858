//! A parser that converts emails (RFC 5322, MIME) and attached text files to Markdown.

use jiff::{Timestamp, fmt::rfc2822::DateTimeParser};
use mail_parser::{
    DateTime, HeaderName, HeaderValue, Message as ParsedMessage, MessageParser, MessagePart,
    MimeHeaders, PartType,
};

use super::{fence, html_to_markdown};
use precedent_text::{mail, words::Words};

/// The maximum length of a text attachment, in bytes.
const MAX_ATTACHMENT: usize = 256_000;
/// The maximum nesting depth of attached emails.
const MAX_DEPTH: usize = 3;
/// The maximum number of lines that are searched for headers.
const MAX_HEADER_LINES: usize = 60;

/// A parsed email.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// Message id without angle brackets, or a hash of the email.
    pub id: String,
    /// Ids of the earlier emails in the thread, oldest first.
    pub references: Vec<String>,
    /// Original subject; may be empty.
    pub subject: String,
    /// Name of the sender, or else the address.
    pub author: Option<String>,
    /// Time of sending, or else of receipt.
    pub date: Option<Timestamp>,
    /// True if it was sent automatically (RFC 3834).
    pub is_automatic: bool,
    /// Content in Markdown, with the text attachments and the names of other attachments.
    pub text: String,
    /// Original headers.
    pub headers: String,
}

/// Returns whether bytes begin with email headers.
pub fn is_mail(start: &[u8]) -> bool {
    let start = &start[..start.len().min(32_768)];
    let text = String::from_utf8_lossy(start);
    let mut lines = text.trim_start_matches('\u{feff}').lines().take(MAX_HEADER_LINES).peekable();
    // Skip the first line of an mbox file or of Apple's .emlx.
    if lines.peek().is_some_and(|l| {
        is_separator(l) || (!l.is_empty() && l.trim().bytes().all(|b| b.is_ascii_digit()))
    }) {
        lines.next();
    }
    let (mut has_other, mut has_sender, mut has_date, mut is_first) = (false, false, false, true);
    for line in lines {
        if line.starts_with([' ', '\t']) && !is_first {
            continue;
        }
        let Some((name, _)) = line.split_once(':') else { break };
        if name.is_empty() || !name.bytes().all(|b| b.is_ascii_graphic()) {
            break;
        }
        is_first = false;
        match name.to_ascii_lowercase().as_str() {
            "from" | "sender" | "return-path" => has_sender = true,
            "date" | "received" | "message-id" | "mime-version" | "x-mozilla-status" => {
                has_date = true
            }
            "to" | "subject" | "cc" | "delivered-to" | "content-type" | "reply-to" => {
                has_other = true
            }
            _ => {}
        }
    }
    has_sender && has_date && has_other
}

/// Returns whether a line separates the emails in a mailbox: "From ada@mill.example Tue Mar  4
/// 08:12:00 2025".
pub fn is_separator(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("From ") else { return false };
    let words: Vec<&str> = rest.split_whitespace().collect();
    let is_year = |word: &&str| word.len() == 4 && word.bytes().all(|b| b.is_ascii_digit());
    let is_time = |word: &&str| word.len() >= 5 && word.as_bytes().get(2) == Some(&b':');
    words.len() >= 6 && words.iter().any(is_year) && words.iter().any(is_time)
}

/// Parses an email.
pub fn parse(bytes: &[u8]) -> Option<Message> {
    let bytes = strip_emlx(bytes);
    let mail = MessageParser::default().parse(bytes)?;
    (!mail.headers().is_empty())
        .then(|| Message { text: content(&mail, 0), ..to_message(&mail, bytes) })
}

/// Parses only the headers; leaves `text` and `headers` empty.
pub fn parse_headers(bytes: &[u8]) -> Option<Message> {
    let bytes = strip_emlx(bytes);
    let mail = MessageParser::default().parse_headers(bytes)?;
    (!mail.headers().is_empty())
        .then(|| Message { headers: String::new(), ..to_message(&mail, bytes) })
}

/// Converts an email to a query text: its subject, then its content. Returns `None` if the bytes
/// are not an email.
pub fn to_query_text(bytes: &[u8]) -> Option<String> {
    if !is_mail(bytes) {
        return None;
    }
    let message = parse(bytes)?;
    let subject = mail::strip_subject_prefixes(&message.subject);
    Some(format!("{subject}\n\n{}", message.text).trim().to_owned())
}

/// Strips the length before the email, and the property list after it, from Apple's .emlx.
fn strip_emlx(bytes: &[u8]) -> &[u8] {
    let Some(end) = bytes.iter().take(12).position(|b| *b == b'\n') else { return bytes };
    let length =
        std::str::from_utf8(&bytes[..end]).ok().and_then(|n| n.trim().parse::<usize>().ok());
    match length {
        Some(length) => &bytes[end + 1..bytes.len().min((end + 1).saturating_add(length))],
        None => bytes,
    }
}

fn to_message(mail: &ParsedMessage<'_>, bytes: &[u8]) -> Message {
    let ids = |value: &HeaderValue<'_>| -> Vec<String> {
        value
            .as_text_list()
            .unwrap_or_default()
            .iter()
            .map(|id| decode_id(id).trim().trim_matches(['<', '>']).to_owned())
            .filter(|id| !id.is_empty())
            .collect()
    };
    let subject =
        mail.subject().unwrap_or_default().split_whitespace().collect::<Vec<_>>().join(" ");
    let author =
        mail.from().or_else(|| mail.sender()).and_then(|from| from.first()).and_then(|from| {
            let non_empty = |text: Option<&str>| {
                text.map(str::trim).filter(|t| !t.is_empty()).map(str::to_owned)
            };
            non_empty(from.name()).or_else(|| non_empty(from.address()))
        });
    let date = sent_time(mail).or_else(|| {
        let date = mail.date().copied().filter(DateTime::is_valid);
        let date = date.or_else(|| mail.received().and_then(|r| r.date()));
        date.and_then(|date| Timestamp::from_second(date.to_timestamp()).ok())
    });
    let mut references = ids(mail.references());
    for id in ids(mail.in_reply_to()) {
        if !references.contains(&id) {
            references.push(id);
        }
    }
    let new_id = || format!("{}@no-id", &blake3::hash(bytes).to_hex()[..24]);
    let id = mail
        .message_id()
        .map(str::trim)
        .filter(|id| !id.is_empty())
        .map_or_else(new_id, str::to_owned);
    references.retain(|reference| *reference != id);
    let is_automatic = mail
        .header(HeaderName::Other("Auto-Submitted".into()))
        .and_then(HeaderValue::as_text)
        .is_some_and(|value| !value.trim().eq_ignore_ascii_case("no"));
    let raw = mail.raw_message();
    let end = usize::try_from(mail.root_part().offset_body).unwrap_or_default().min(raw.len());
    let headers = String::from_utf8_lossy(&raw[..end]).trim_end().to_owned();
    Message { id, references, subject, author, date, is_automatic, text: String::new(), headers }
}

/// Decodes an id that a mail program wrote as an encoded word.
fn decode_id(id: &str) -> String {
    if !id.contains("=?") {
        return id.to_owned();
    }
    let header = format!("Subject: {}\r\n\r\n", id.trim());
    let mail = MessageParser::default().parse_headers(header.as_bytes());
    mail.as_ref().and_then(ParsedMessage::subject).unwrap_or(id).to_owned()
}

/// Returns the time of sending; accepts two-digit years and named zones.
fn sent_time(mail: &ParsedMessage<'_>) -> Option<Timestamp> {
    static PARSER: DateTimeParser = DateTimeParser::new().relaxed_weekday(true);
    PARSER.parse_timestamp(mail.header_raw(HeaderName::Date)?.trim()).ok()
}

/// Returns the content of an email and its attachments.
fn content(mail: &ParsedMessage<'_>, depth: usize) -> String {
    let mut out = String::new();
    for part in mail.text_bodies() {
        match &part.body {
            PartType::Text(text) => push_block(&mut out, &join_flowed(part, text)),
            PartType::Html(html) => push_block(&mut out, &html_to_markdown::convert(html)),
            _ => {}
        }
    }
    let mut names = Vec::new();
    for part in mail.attachments() {
        let name = part
            .attachment_name()
            .unwrap_or_default()
            .replace(['`', '\n', '\r', '[', ']', '<'], " ");
        let name = Some(name.trim()).filter(|name| !name.is_empty()).unwrap_or("attachment");
        match &part.body {
            PartType::Message(inner) if depth < MAX_DEPTH => {
                let subject = inner.subject().unwrap_or("attached mail");
                push_block(&mut out, &format!("### {subject}\n\n{}", content(inner, depth + 1)));
            }
            PartType::Text(text) => push_block(&mut out, &format_attachment(name, text)),
            PartType::Html(html) => {
                push_block(&mut out, &format!("### {name}\n\n{}", html_to_markdown::convert(html)))
            }
            PartType::Binary(bytes) | PartType::InlineBinary(bytes) => {
                if is_text(name, bytes) {
                    let text = String::from_utf8_lossy(bytes);
                    push_block(&mut out, &format_attachment(name, &text));
                } else {
                    names.push(format!("{name} ({})", format_size(bytes.len())));
                }
            }
            _ => {}
        }
    }
    if !names.is_empty() {
        push_block(&mut out, &format!("Attached: {}", names.join(", ")));
    }
    out
}

fn push_block(out: &mut String, text: &str) {
    let text = text.trim_matches(['\n', '\r']).trim_end();
    if text.trim().is_empty() {
        return;
    }
    if !out.is_empty() {
        out.push_str("\n\n");
    }
    out.push_str(&text.replace("\r\n", "\n"));
}

/// Formats a text file as a heading and a code block.
fn format_attachment(name: &str, text: &str) -> String {
    let is_truncated = text.len() > MAX_ATTACHMENT;
    let text = &text[..text.floor_char_boundary(MAX_ATTACHMENT)];
    let fence = fence(text.lines());
    let rest = if is_truncated { "\n\n*The rest of this file was left out.*" } else { "" };
    format!("### {name}\n\n{fence}\n{}\n{fence}{rest}", text.trim_end())
}

/// Returns whether an attachment without a declared type is text.
fn is_text(name: &str, bytes: &[u8]) -> bool {
    let name = name.to_lowercase();
    static EXTENSIONS: Words =
        Words::new("log txt json xml csv yaml yml conf cfg ini md trace out err");
    let has_extension = name.rsplit_once('.').is_some_and(|(_, e)| EXTENSIONS.contains(e));
    has_extension && !bytes[..bytes.len().min(4_096)].contains(&0)
}

fn format_size(bytes: usize) -> String {
    match bytes {
        0..1_000 => format!("{bytes} B"),
        1_000..1_000_000 => format!("{} kB", bytes / 1_000),
        _ => format!("{} MB", bytes / 1_000_000),
    }
}

/// Joins the lines of a flowed text (RFC 3676): a line that ends with a space continues.
fn join_flowed(part: &MessagePart<'_>, text: &str) -> String {
    let kind = part.content_type();
    let attribute = |name: &str| kind.and_then(|kind| kind.attribute(name)).unwrap_or_default();
    if !attribute("format").eq_ignore_ascii_case("flowed") {
        return text.to_owned();
    }
    let keeps_space = !attribute("delsp").eq_ignore_ascii_case("yes");
    let mut out = String::with_capacity(text.len());
    let mut open_depth: Option<usize> = None;
    for line in text.lines() {
        let depth = line.bytes().take_while(|b| *b == b'>').count();
        let body = line[depth..].strip_prefix(' ').unwrap_or(&line[depth..]);
        if open_depth == Some(depth) {
            out.push_str(body);
        } else {
            if open_depth.is_some() {
                out.push('\n');
            }
            out.push_str(&">".repeat(depth));
            if depth > 0 {
                out.push(' ');
            }
            out.push_str(body);
        }
        let continues = body.ends_with(' ') && body != "-- ";
        if continues && !keeps_space {
            out.pop();
        }
        if !continues {
            out.push('\n');
        }
        open_depth = continues.then_some(depth);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: &str = "From: =?utf-8?q?Ad=C3=A4_Brook?= <ada@mill.example>\r\nTo: desk@pumps.example\r\nSubject: =?iso-8859-1?Q?Pumpe_=F6lt?=\r\n =?utf-8?b?IOKcqA==?=\r\nDate: Tue, 4 Mar 2025 08:12:00 +0100\r\nMessage-ID: <one@mill.example>\r\nIn-Reply-To: <zero@mill.example>\r\nReferences: <root@mill.example> <zero@mill.example>\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=iso-8859-1; format=flowed\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nDie Pumpe=20\r\n=F6lt.\r\n--=20\r\nAda\r\n";

    #[test]
    fn encoded_mail_is_decoded() {
        assert!(is_mail(PLAIN.as_bytes()));
        let mail = parse(PLAIN.as_bytes()).unwrap();
        assert_eq!((mail.id.as_str(), mail.subject.as_str()), ("one@mill.example", "Pumpe ölt ✨"));
        assert_eq!(mail.references, ["root@mill.example", "zero@mill.example"]);
        assert_eq!(mail.author.as_deref(), Some("Adä Brook"));
        assert_eq!(mail.date.unwrap().to_string(), "2025-03-04T07:12:00Z");
        assert_eq!(mail.text, "Die Pumpe ölt.\n--\nAda".replace("--\n", "-- \n"));
        assert!(mail.headers.contains("In-Reply-To") && !mail.headers.contains("Pumpe="));
        assert_eq!(to_query_text(PLAIN.as_bytes()).unwrap().lines().next(), Some("Pumpe ölt ✨"));
        assert_eq!(
            parse_headers(PLAIN.as_bytes()).unwrap(),
            Message { text: String::new(), headers: String::new(), ..mail }
        );
    }

    #[test]
    fn dates_from_old_mail_programs_are_parsed() {
        for (date, want) in [
            ("5 Mar 24 16:03 GMT", "2024-03-05T16:03:00Z"),
            ("Tue, 5 Mar 98 16:03:10 EST", "1998-03-05T21:03:10Z"),
            ("Tue, 05 Mar 2024 16:03:00 +0100 (CET)", "2024-03-05T15:03:00Z"),
            ("Mon, 5 Mar 2024 16:03:00 +0100", "2024-03-05T15:03:00Z"),
            ("5 Mar 2024\r\n 16:03:00 -0500", "2024-03-05T21:03:00Z"),
        ] {
            let mail =
                format!("From: a@b.example\r\nTo: c\r\nDate: {date}\r\nSubject: s\r\n\r\nx\r\n");
            let time = parse(mail.as_bytes()).unwrap().date.map(|d| d.to_string());
            assert_eq!(time.as_deref(), Some(want), "{date}");
        }
        let mail = "Received: from x by y; Tue, 5 Mar 2024 16:03:00 +0000\nFrom: a@b.example\nDate: yesterday\n\nx\n";
        let date = parse(mail.as_bytes()).unwrap().date.unwrap();
        assert_eq!(date.to_string(), "2024-03-05T16:03:00Z");
    }

    #[test]
    fn html_and_text_attachments_are_converted() {
        let mail = "From: a@b.example\nDate: Tue, 4 Mar 2025 08:12:00 +0000\nSubject: x\nMIME-Version: 1.0\nContent-Type: multipart/mixed; boundary=B\n\n--B\nContent-Type: text/html; charset=utf-8\n\n<p>It <b>stops</b>.</p><p>Twice.</p>\n--B\nContent-Type: text/plain; name=pump.log\nContent-Disposition: attachment; filename=pump.log\nContent-Transfer-Encoding: base64\n\nRVJST1IgRlctMTA0Mwo=\n--B\nContent-Type: image/png\nContent-Disposition: attachment; filename=\"valve [1].png\"\nContent-Transfer-Encoding: base64\n\nAAAA\n--B\nContent-Type: application/octet-stream\nContent-Disposition: attachment; filename=boot.log\n\nslot 3 ``` lost\n--B\nContent-Type: message/rfc822\n\nFrom: c@d.example\nSubject: inner\n\nThe inner text.\n--B--\n";
        let text = parse(mail.as_bytes()).unwrap().text;
        for part in [
            "It **stops**.\n\nTwice.",
            "### pump.log\n\n```\nERROR FW-1043\n```",
            "### boot.log\n\n```\nslot 3 ``` lost\n```",
            "### inner\n\nThe inner text.",
            "Attached: valve  1 .png (3 B)",
        ] {
            assert!(text.contains(part), "{part:?} in {text}");
        }
    }

    #[test]
    fn flowed_lines_are_joined() {
        let mail = |parameters: &str| {
            format!(
                "From: a@b.example\nDate: Tue, 4 Mar 2025 08:12:00 +0000\nContent-Type: text/plain; {parameters}\n\none \ntwo\nthree\n> a \n> b\nc\n"
            )
        };
        assert_eq!(
            parse(mail("format=flowed").as_bytes()).unwrap().text,
            "one two\nthree\n> a b\nc"
        );
        assert_eq!(
            parse(mail("format=flowed; delsp=yes").as_bytes()).unwrap().text,
            "onetwo\nthree\n> ab\nc"
        );
        assert_eq!(
            parse(mail("charset=utf-8").as_bytes()).unwrap().text,
            "one \ntwo\nthree\n> a \n> b\nc"
        );
    }

    #[test]
    fn text_without_headers_is_not_a_mail() {
        for text in [
            "id,title\n1,From: x\n",
            "From: the settings\nopen the page",
            "{\"From\": \"a\", \"Date\": \"b\", \"To\": \"c\"}",
            "Subject: x\n\nFrom: a\nDate: b\n",
            "",
            "12\n13\n",
            "From now on: Date: x",
        ] {
            assert!(
                !is_mail(text.as_bytes()) && to_query_text(text.as_bytes()).is_none(),
                "{text}"
            );
        }
        assert!(is_mail(
            b"From ada@mill.example Tue Mar  4 08:12:00 2025\nFrom: a\nDate: b\nTo: c\n\nx"
        ));
        assert!(is_separator("From MAILER-DAEMON Fri Jul  8 12:08:34 2011"));
        assert!(!is_separator("From now on it fails"));
    }

    #[test]
    fn apple_mail_length_line_is_skipped() {
        let inner = "From: a@b.example\nDate: Tue, 4 Mar 2025 08:12:00 +0000\nTo: c\nSubject: s\n\nhello there\n";
        let input = format!("{}\n{inner}<?xml version=\"1.0\"?><plist/>", inner.len());
        assert!(is_mail(input.as_bytes()));
        assert_eq!(parse(input.as_bytes()).unwrap().text, "hello there");
    }

    proptest::proptest! {
        #[test]
        fn any_bytes_are_accepted(bytes in proptest::collection::vec(proptest::prelude::any::<u8>(), 0..400), head in "(From: a\r?\nDate: b\r?\n(Content-Type: multipart/mixed; boundary=x\r?\n)?\r?\n){0,1}") {
            let input = [head.as_bytes(), &bytes].concat();
            let _ = to_query_text(&input);
            if let Some(mail) = parse(&input) {
                proptest::prop_assert!(!mail.id.is_empty());
            }
        }
    }
}
