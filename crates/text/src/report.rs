//! Extraction of the distinct terms of a report by field.

use std::{borrow::Cow, collections::HashSet};

use super::{
    mail,
    pattern::Pattern,
    prepare::PreparedText,
    sanitize::strip_ansi,
    signature::{self, SignatureKind},
    skeleton::Skeleton,
    tokens,
};

/// The maximum number of words of a field, which bounds the cost of a 5 MB log.
const MAX_WORDS: usize = 4000;
/// The maximum length of a first line that counts as the title, in characters.
const MAX_TITLE: usize = 160;
const MAX_GREETING: usize = 6;

// A line that begins with a time, a level in brackets or capitals, a frame, or a trace.
static LOG_LINE: Pattern = Pattern::new(
    r#"^\s*(?:\[?\d{4}-\d\d-\d\d[T ]\d|\[?\d\d:\d\d:\d\d|\w{3} +\d{1,2} \d\d:\d\d:\d\d |\[\s*(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)\s*\]|(?:TRACE|DEBUG|INFO|WARN|ERROR|FATAL)\b[: ]|at [\w$.<>/]+ ?\(|File "|Traceback \(most recent|Exception in thread|thread '[^']*' panicked|goroutine \d)"#,
);

/// The distinct terms of a report, in order of first occurrence, as produced by [`tokens`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Report {
    /// Stems of the title's words, without stop words.
    pub title_terms: Vec<String>,
    /// Stems of the body's words, without stop words.
    pub body_terms: Vec<String>,
    /// Stems of the words of code, logs and stack traces.
    pub code_terms: Vec<String>,
    /// Whole identifiers of the title, prose and code.
    pub identifiers: Vec<String>,
    /// Distinctive signatures, as index terms.
    pub signatures: Vec<String>,
}

impl Report {
    /// Extracts the terms of a report.
    pub fn new(title: &str, body: &PreparedText) -> Self {
        let (prose, code) = (body.prose(), body.code());
        Self {
            title_terms: terms(title),
            body_terms: terms(prose),
            code_terms: terms(code),
            identifiers: identifiers([title, prose, code]),
            signatures: body
                .signatures(title)
                .iter()
                .filter(|s| s.is_distinctive())
                .map(|s| s.term())
                .collect(),
        }
    }
}

/// Splits a pasted text into a title and a body. The first line is the title if it is short and not
/// a log line. A mail becomes its subject and its own text.
pub fn split_paste(text: &str, skeleton: &Skeleton) -> (String, PreparedText) {
    let plain = strip_ansi(text);
    let (subject, body) = match mail::split_pasted(&plain) {
        Some((subject, body)) => (subject, Cow::Owned(body)),
        None => (String::new(), Cow::Borrowed(plain.trim())),
    };
    if !subject.is_empty() {
        return (subject, PreparedText::body(&body, skeleton));
    }
    let body = strip_greeting(&body);
    let (first, rest) = body.split_once('\n').unwrap_or((body, ""));
    let is_short = first.chars().count() <= MAX_TITLE && !first.trim_start().starts_with("```");
    if is_short && !is_log_line(first, rest) {
        let title = mail::strip_subject_prefixes(first.trim().trim_start_matches('#'));
        (title.to_owned(), PreparedText::body(rest, skeleton))
    } else {
        (String::new(), PreparedText::body(body, skeleton))
    }
}

/// Strips a greeting: a short first line that ends in a comma, in any language.
fn strip_greeting(text: &str) -> &str {
    let is_greeting = |line: &str| {
        line.trim_end().ends_with([',', '，', '،'])
            && line.split_whitespace().count() <= MAX_GREETING
    };
    match text.split_once('\n') {
        Some((first, rest)) if is_greeting(first) && !rest.trim().is_empty() => rest.trim_start(),
        _ => text,
    }
}

/// Returns whether a line is a log record or belongs to a stack trace that goes on in `rest`.
fn is_log_line(line: &str, rest: &str) -> bool {
    let has_frames =
        |text: &str| signature::signatures(text).iter().any(|s| s.kind == SignatureKind::Frame);
    LOG_LINE.is_match(line)
        || (has_frames(rest)
            && (has_frames(line) || signature::signatures(line).iter().any(|s| s.is_distinctive())))
}

/// Returns the distinct whole identifiers of a report's parts.
pub fn identifiers(parts: [&str; 3]) -> Vec<String> {
    let identifiers = parts.into_iter().flat_map(|p| tokens::identifiers(p).take(MAX_WORDS));
    deduplicate(identifiers.map(|(_, identifier)| identifier))
}

fn deduplicate(terms: impl Iterator<Item = String>) -> Vec<String> {
    let mut seen_terms = HashSet::new();
    terms.filter(|term| seen_terms.insert(term.clone())).collect()
}

/// Returns the distinct stems of a text, without stop words unless there are no other words.
pub fn terms(text: &str) -> Vec<String> {
    let mut out =
        deduplicate(tokens::forms(text).into_iter().take(MAX_WORDS).map(|word| word.term));
    if out.iter().any(|t| !tokens::is_stop_word(t)) {
        out.retain(|t| !tokens::is_stop_word(t));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn report_terms_are_separated_by_field() {
        let body = PreparedText::body(
            "The agent crashes.\n\n```\nFW-1043 open_slot\n```\n",
            &Skeleton::default(),
        );
        let report = Report::new("Crash of the agent", &body);
        assert_eq!(report.title_terms, ["crash", "agent"]);
        assert_eq!(report.body_terms, ["agent", "crash"]);
        assert_eq!(report.code_terms, ["fw", "1043", "open", "slot"]);
        assert!(report.identifiers.contains(&"open_slot".to_owned()), "{:?}", report.identifiers);
        assert_eq!(report.signatures, ["code:fw-1043"]);
    }

    #[test]
    fn first_line_is_the_title_except_in_logs() {
        let title = |text: &str| split_paste(text, &Skeleton::default()).0;
        assert_eq!(title("## Upload stops\n\nAt 9 %, always."), "Upload stops");
        assert_eq!(title("Error: the upload stops at 9 %"), "Error: the upload stops at 9 %");
        for greeting in ["Hi all,", "Guten Tag Frau Meier,", "您好，"] {
            let mail = format!("{greeting}\n\nUpload stops\nAt 9 %, always.");
            assert_eq!(title(&mail), "Upload stops", "{greeting}");
        }
        assert_eq!(title("Hi all,"), "Hi all,");
        for log in [
            "2026-01-02 10:00:01 ERROR upload failed\n2026-01-02 10:00:02 INFO retry",
            "Exception in thread \"main\" java.lang.IllegalStateException: closed\n\tat a.b.C.d(C.java:1)",
            "java.io.IOException: Broken pipe by peer\n\tat a.b.C.d(C.java:1)\n\tat a.b.E.f(E.java:2)",
            "thread 'main' panicked at src/x.rs:4:9:\nindex out of bounds",
            "[ERROR] no space left",
            "   6:     0x7f9d - app::pool::take::h0123456789abcdef\n   7:     0x7f9e - app::main\nerror: dry",
        ] {
            assert_eq!(title(log), "", "{log}");
        }
    }

    #[test]
    fn pasted_mail_is_queried_by_its_own_text() {
        let mail = "Hello support team,\n\nthe pump stops at noon.\nIt beeps twice.\n\nKind regards\nAda Brook\n\nOn 4 Mar 2025 at 08:12, Desk <d@desk.example> wrote:\n> Please update the seal.\n";
        let (title, body) = split_paste(mail, &Skeleton::default());
        assert_eq!(
            (title.as_str(), body.text().as_str()),
            ("the pump stops at noon.", "It beeps twice.")
        );
        let full_mail = format!(
            "From: Ada <a@mill.example>\nTo: Desk\nDate: 4 Mar 2025\nSubject: Re: Pump stops\n\n{mail}"
        );
        let (title, body) = split_paste(&full_mail, &Skeleton::default());
        assert_eq!(
            (title.as_str(), body.text().as_str()),
            ("Pump stops", "the pump stops at noon.\nIt beeps twice.")
        );
    }

    #[test]
    fn colors_do_not_change_a_query() {
        let log = "error[E0308]: mismatched types\n  --> src/pump.rs:4:9\n";
        let colored_log =
            log.replace("error", "\u{1b}[1m\u{1b}[31merror").replace(": m", "\u{1b}[0m: m");
        let blocks_of = |text: &str| {
            let (title, body) = split_paste(text, &Skeleton::default());
            (title, body.blocks)
        };
        assert_eq!(blocks_of(&colored_log), blocks_of(log));
    }

    #[test]
    fn stop_words_stay_if_there_are_no_others() {
        assert_eq!(terms("it is not"), ["it", "is", "not"]);
    }
}
