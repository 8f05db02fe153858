//! Signatures: exact fingerprints of a failure. Two reports that share one probably share a cause.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use crate::{pattern::Pattern, tokens, trace, words::phrases};

/// The kind of a signature.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SignatureKind {
    /// An error code: `E0277`, `ORA-00942`, `FW-1043`, `ECONNREFUSED`, `0x80070005`.
    Code,
    /// An exception or panic with its message, numbers and paths masked.
    Exception,
    /// One of the top frames of a stack trace.
    Frame,
    /// A quoted error message.
    Message,
    /// A version that the report names.
    Version,
}

impl SignatureKind {
    fn prefix(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Exception => "exception",
            Self::Frame => "frame",
            Self::Message => "message",
            Self::Version => "version",
        }
    }
}

/// An exact fingerprint of a failure.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Signature {
    /// Kind of the signature.
    pub kind: SignatureKind,
    /// Normalized: lower case, numbers, addresses and paths masked (except in codes and versions).
    pub text: String,
}

impl Signature {
    /// Returns the index term: `kind:text`.
    pub fn term(&self) -> String {
        format!("{}:{}", self.kind.prefix(), self.text)
    }

    /// Returns whether sharing it is evidence by itself, unlike a version or a single frame.
    pub fn is_distinctive(&self) -> bool {
        matches!(self.kind, SignatureKind::Code | SignatureKind::Exception | SignatureKind::Message)
    }
}

/// The maximum number of signatures of one text, which bounds the cost of a 5 MB log.
const MAX_SIGNATURES: usize = 48;
/// The maximum length of a signature, in bytes; names of classes and functions are shorter.
const MAX_SIGNATURE: usize = 1_000;
/// The maximum length of an examined text, in bytes.
const MAX_INPUT: usize = 400_000;

// Letters and digits with a hyphen (ORA-00942, LIC-9), rustc's E0277, Windows HRESULTs, errno
// names.
static CODE: Pattern = Pattern::new(
    r"(?-u:\b)(?:[A-Z]{1,6}-\d{3,6}|[A-Z]{3,6}-\d{1,2}|[A-Z]{2,8}(?:-[A-Z]{2,8})+-\d{1,5}|[A-Z]{1,4}\d{4,5}|0x(?:8[0-9A-Fa-f]{3}|0000)[0-9A-Fa-f]{4}|SQLSTATE[ :=\[]*[0-9A-Z]{5}|E(?:CONN(?:REFUSED|RESET|ABORTED)|TIMEDOUT|ACCES|PERM|NOENT|NOSPC|MFILE|ADDRINUSE|PIPE|HOSTUNREACH|XDEV|EXIST|BUSY|IO|NOTEMPTY|AGAIN|INVAL)|SIG(?:SEGV|ABRT|BUS|ILL|FPE|KILL))(?-u:\b)",
);
// A number after a word for "error": "Fehler 2107". HTTP status codes have only three digits.
static ERROR_NUMBER: Pattern = Pattern::new(
    r"(?i)\b(?:error(?: code)?|fehler(?:code)?|erreur|código(?: de error)?|errore|erro)[ :#-]{1,2}(?:nr\.? |no\.? )?(\d{4,6})\b",
);
static ERROR_NUMBER_PREFILTER: Pattern = Pattern::new(r"(?i)(?:err|fehler|código)[^\n]{0,24}\d{4}");
// Java, C#, Python and JavaScript: a class that ends in Exception or Error, with its message.
static EXCEPTION: Pattern = Pattern::new(
    r"(?m)(?:^|[\s(])((?:[A-Za-z_][\w$]*\.)*[A-Z][\w$]*(?:Exception|Error|Failure|Panic|Interrupt))(?:: ?([^\n]{0,160}))?",
);
// Rust before 1.73 quotes the message, which may contain quotes, and appends the location.
static RUST_PANIC: Pattern = Pattern::new(
    r"panicked at (?:'([^\n]{3,200}?)', [^'\n]+:\d|'([^'\n]{3,200})'|[^\n]*?:\d+:\d+:\n([^\n]{3,200}))",
);
static GO_PANIC: Pattern = Pattern::new(r"(?m)^\s*(?:panic|fatal error): ([^\n]{3,200})");
// A word before a quoted message ([`quoted_message`]). A single pattern for both kinds of message
// took five times as long.
static FAILURE_WORD: Pattern =
    Pattern::new("(?i)error|failed|failure|fatal|warning|exception|panic|unable|cannot|could not");
static LINE_MESSAGE: Pattern = Pattern::new(
    r"(?im)^\s*(?:\[[^\]\n]{1,40}\]\s*)*(?:(?:[\w./<>-]+:(?:\d+:)*\s*)*(?:error|fatal|internal compiler error)(?:\[\w+\])?: |\[(?:error|fatal)\]\s*:?\s+)(\p{L}[^\n]{11,159})",
);
// A missing library in a loader's message: dyld, ld.so, Windows, Java, .NET.
static MISSING_LIBRARY: Pattern = Pattern::new(
    r#"(?i)(?:library not loaded: |loading shared libraries: |unable to load (?:dll|shared library) ['"]?)([\w@./+-]*?[\w+-][\w.+-]*?)(?:['":;,]|\s*$| or one of)|\bno (\w[\w.+-]*) in java\.library\.path|([\w+-][\w.+-]*\.(?:so(?:\.\d+)*|dylib|dll))['":]{0,2} (?:cannot open shared object|(?:is |was )?(?:missing|not found)|nicht gefunden|fehlt|(?:est )?introuvable|es manquant|mancante)|(?:no se encontró|não foi encontrad[oa]|trovare) ([\w+-][\w.+-]*\.dll)"#,
);
static MISSING_LIBRARY_PREFILTER: Pattern = Pattern::new(
    r"(?i)library not loaded: |loading shared libraries: |unable to load (?:dll|shared)|java\.library\.path|\.(?:so[.\d]*|dylib|dll)\b",
);
static VERSION: Pattern = Pattern::new(
    r"(?i)\b(?:v|version:? |rustc |ver\.? )?(\d{1,4}\.\d{1,4}\.\d{1,4}(?:-[0-9a-z.]+)?)\b",
);

// Prefilters: a line that matches none of these cannot match the patterns above. Checking them
// first is much faster.
static EXCEPTION_PREFILTER: Pattern = Pattern::new("Exception|Error|Failure|Panic|Interrupt");
const RUST_PANIC_PREFILTER: &str = "panicked at ";
const GO_PANIC_PREFILTERS: [&str; 2] = ["panic: ", "fatal error: "];
static VERSION_PREFILTER: Pattern = Pattern::new(r"\d\.\d{1,4}\.\d");
static LINE_MESSAGE_PREFILTER: Pattern = Pattern::new(r"(?i)(?:error|fatal)(?:(?:\[\w+\])?: |\])");

// The parts that differ between two runs of the same failure.
static VARIABLE_PART: Pattern = Pattern::new(
    r#"0x[0-9a-fA-F]+|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|\b[0-9a-f]{12,}\b|(?:[A-Za-z]:\\|/)[^\s'"`:,)]+|\d+(?:\.\d+)*"#,
);

/// Extracts the signatures of a text (code and prose alike), each once, in a fixed order.
pub fn signatures(text: &str) -> Vec<Signature> {
    let text = &text[..text.floor_char_boundary(MAX_INPUT)];
    let mut out = BTreeSet::new();
    let mut add = |kind, text: String| {
        let text = text[..text.floor_char_boundary(MAX_SIGNATURE)].trim();
        if !text.is_empty() {
            out.insert(Signature { kind, text: text.to_owned() });
        }
    };
    let is_code = |m: &regex::Match<'_>| !is_standard_name(m.as_str()) && !is_address(text, m);
    for m in CODE.find_iter(text).filter(is_code) {
        add(SignatureKind::Code, m.as_str().to_lowercase());
    }
    for c in
        candidate_lines(&ERROR_NUMBER_PREFILTER, text).flat_map(|l| ERROR_NUMBER.captures_iter(l))
    {
        add(SignatureKind::Code, format!("error-{}", &c[1]));
    }
    for c in candidate_lines(&EXCEPTION_PREFILTER, text).flat_map(|l| EXCEPTION.captures_iter(l)) {
        let class = c[1].rsplit('.').next().unwrap_or_default().to_lowercase();
        let message = c.get(2).map(|m| normalize_message(m.as_str())).unwrap_or_default();
        if class != "error" || message.len() > 12 {
            add(SignatureKind::Exception, format!("{class} {message}"));
        }
    }
    // Compiling these large patterns takes longer than the search for a few words.
    let rust_panics = text.contains(RUST_PANIC_PREFILTER).then(|| RUST_PANIC.captures_iter(text));
    let go_panics = GO_PANIC_PREFILTERS
        .iter()
        .any(|prefilter| text.contains(prefilter))
        .then(|| GO_PANIC.captures_iter(text));
    for c in rust_panics.into_iter().flatten().chain(go_panics.into_iter().flatten()) {
        if let Some(m) = c.iter().skip(1).flatten().next() {
            let message = normalize_message(m.as_str());
            if !message.is_empty() {
                add(SignatureKind::Exception, format!("panic {message}"));
            }
        }
    }
    if text.lines().any(trace::may_be_frame) {
        trace::frames(text).into_iter().for_each(|name| add(SignatureKind::Frame, name));
    }
    for message in messages(text) {
        let message = normalize_message(message);
        if message.split(' ').count() >= 2 {
            add(SignatureKind::Message, message);
        }
    }
    for c in candidate_lines(&MISSING_LIBRARY_PREFILTER, text)
        .flat_map(|l| MISSING_LIBRARY.captures_iter(l))
    {
        if let Some(path) = c.iter().skip(1).flatten().next() {
            // The directory differs between machines.
            let name = path.as_str().rsplit(['/', '\\']).next().unwrap_or_default().to_lowercase();
            if name.len() > 2 {
                add(SignatureKind::Message, format!("no library {name}"));
            }
        }
    }
    for line in candidate_lines(&VERSION_PREFILTER, text) {
        for m in VERSION.captures_iter(line).filter_map(|c| c.get(1)) {
            // Three numbers of an IP address are not a version.
            let suffix = line[m.end()..].strip_prefix('.');
            let is_address_part = suffix
                .is_some_and(|r| r.starts_with(|d: char| d.is_ascii_digit()))
                || line[..m.start()].ends_with('.');
            if !is_address_part {
                add(SignatureKind::Version, m.as_str().to_lowercase());
            }
        }
    }
    out.into_iter().take(MAX_SIGNATURES).collect()
}

/// Returns the lines of a text in which `prefilter` matches; it must not match the end of a line.
pub(super) fn candidate_lines<'t>(
    prefilter: &'t Regex,
    text: &'t str,
) -> impl Iterator<Item = &'t str> {
    let mut end = 0;
    prefilter.find_iter(text).filter_map(move |m| {
        if m.start() < end {
            return None;
        }
        let start = text[..m.start()].rfind('\n').map_or(0, |end| end + 1);
        end = text[m.end()..].find('\n').map_or(text.len(), |length| m.end() + length);
        Some(&text[start..end])
    })
}

/// A message and its byte range.
type MessageSpan<'t> = (std::ops::Range<usize>, &'t str);

/// Returns the messages of a text in order, without overlaps. If a quoted and a line-initial
/// message start at the same position, the quoted one is returned.
fn messages(text: &str) -> impl Iterator<Item = &str> {
    let mut position = 0;
    let mut next_quoted = quoted_message(text, 0);
    let mut next_line =
        if LINE_MESSAGE_PREFILTER.is_match(text) { line_message(text, 0) } else { None };
    std::iter::from_fn(move || {
        let is_stale = |span: &Option<MessageSpan<'_>>| {
            span.as_ref().is_some_and(|(range, _)| range.start < position)
        };
        if is_stale(&next_quoted) {
            next_quoted = quoted_message(text, position);
        }
        if is_stale(&next_line) {
            next_line = line_message(text, position);
        }
        let first = [&next_quoted, &next_line]
            .into_iter()
            .flatten()
            .min_by_key(|(range, _)| range.start)?;
        let (range, message) = first.clone();
        position = range.end;
        Some(message)
    })
}

/// Returns the first line-initial message at or after `start`.
fn line_message(text: &str, start: usize) -> Option<MessageSpan<'_>> {
    let captures = LINE_MESSAGE.captures_at(text, start)?;
    let (full_match, message) = (captures.get(0)?, captures.get(1)?);
    Some((full_match.range(), message.as_str()))
}

/// Returns the first message of 12 to 160 characters at or after `start` that is quoted at most 60
/// characters after a failure word.
fn quoted_message(text: &str, mut start: usize) -> Option<MessageSpan<'_>> {
    const QUOTES: [char; 3] = ['"', '\'', '`'];
    let is_end = |c: char| c == '\n' || QUOTES.contains(&c);
    // Returns the position of the next quote, unless the line ends first or it is too far.
    let find_quote = |text: &str, max_chars: usize| {
        let (end, quote_char) =
            text.char_indices().take(max_chars + 1).find(|(_, c)| is_end(*c))?;
        QUOTES.contains(&quote_char).then_some(end)
    };
    loop {
        let word = FAILURE_WORD.find_at(text, start)?;
        let message = find_quote(&text[word.end()..], 60).and_then(|offset| {
            let message = &text[word.end() + offset + 1..];
            let message = &message[..find_quote(message, 160)?];
            (message.chars().count() >= 12).then_some((offset, message))
        });
        if let Some((offset, message)) = message {
            return Some((word.start()..word.end() + offset + message.len() + 2, message));
        }
        start = word.start() + 1;
    }
}

/// Messages common to all kinds of programs, which therefore do not identify a cause. Normalized
/// like signatures.
static GENERIC_MESSAGES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    phrases(
        "a task was canceled, access violation, all goroutines are asleep,
        an error occurred while sending the request, arithmetic overflow, array index out of bounds,
        assertion failed, assignment to entry in nil map, attempt to add with overflow,
        attempt to divide by zero, attempt to index a nil value, attempt to multiply with overflow,
        attempt to subtract with overflow, bad file descriptor, broken pipe,
        called option::unwrap() on a none value, cannot read properties of null,
        cannot read properties of undefined, cannot read property of null,
        cannot read property of undefined,
        collection was modified; enumeration operation may not execute,
        command failed with exit code #, concurrent map read and map write, concurrent map writes,
        connection refused, connection reset by peer, connection timed out, division by zero,
        entered unreachable code, explicit panic, exit code #, exited with code #, exit status #,
        explicitly aborted, heap-buffer-overflow on address, heap-use-after-free on address,
        index was outside the bounds of the array, one or more errors occurred,
        stack-buffer-overflow on address, unhandled errors in a taskgroup, value cannot be null,
        file not found, index out of bounds, index out of range,
        input string was not in a correct format, internal error: entered unreachable code,
        internal server error, invalid argument, invalid memory address or nil pointer dereference,
        java heap space, list index out of range, no such file or directory, not implemented,
        null pointer, object reference not set to an instance of an object, operation not permitted,
        operation timed out, out of memory, permission denied, pop from empty list,
        process exited with code #, runtime error, segmentation fault, send on closed channel,
        signal # (sig, sequence contains no elements, slice index out of range, stack overflow,
        string index out of range, subprocess exited with status #, the operation was canceled,
        the request timed out, timed out, undefined is not a function, undefined is not an object,
        undefined method, unexpected end of file, unexpected end of json input, unexpected token,
        unknown error",
    )
    .collect()
});
/// The minimum number of words of a message that may identify a cause.
const MIN_SPECIFIC_WORDS: usize = 2;

impl Signature {
    /// Returns whether programs of all kinds fail with it: `ECONNREFUSED`, `NullPointerException`
    /// without a message, *index out of bounds*.
    pub fn is_generic(&self) -> bool {
        match self.kind {
            // The codes of errno, signals, Windows and compilers do not identify the program.
            SignatureKind::Code => {
                let upper = self.text.to_uppercase();
                let letters = upper.bytes().take_while(u8::is_ascii_alphabetic).count();
                // Windows' small error numbers are generic: no such file, access denied.
                if let Some(number) = upper.strip_prefix("0X0000") {
                    return number.starts_with("00");
                }
                let is_short_number = letters <= 4
                    && letters < upper.len()
                    && upper.bytes().skip(letters).all(|b| b.is_ascii_digit());
                let has_system_prefix =
                    ["0X", "SQLSTATE", "ORA-", "PLS-", "TNS-", "HTTP-", "ERROR-"]
                        .iter()
                        .any(|p| upper.starts_with(p));
                is_short_number
                    || has_system_prefix
                    || !upper.contains(|c: char| c.is_ascii_digit())
            }
            SignatureKind::Exception => {
                let (_, message) = self.text.split_once(' ').unwrap_or((&self.text, ""));
                is_generic(message)
            }
            SignatureKind::Message => is_generic(&self.text),
            SignatureKind::Frame | SignatureKind::Version => true,
        }
    }
}

/// The levels of log lines, which say nothing about a failure.
const LEVELS: [&str; 7] = ["debug", "error", "fatal", "info", "trace", "warn", "warning"];

/// Returns whether a text names only generic failures, with at most one other specific word:
/// `ZeroDivisionError: division by zero`.
pub fn is_generic_failure(text: &str) -> bool {
    let signatures = signatures(text);
    let mut failures = signatures.iter().filter(|s| s.is_distinctive()).peekable();
    if failures.peek().is_none() || signatures.iter().any(|s| s.kind == SignatureKind::Frame) {
        return false;
    }
    // A class counts without its package.
    let words = |text: &str| -> BTreeSet<String> {
        let words = text.split_whitespace().map(|word| {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric());
            word.rsplit('.').next().unwrap_or_default().to_lowercase()
        });
        words.filter(|word| !word.is_empty() && word.chars().all(char::is_alphabetic)).collect()
    };
    let failure_words: BTreeSet<String> = failures.clone().flat_map(|s| words(&s.text)).collect();
    let is_specific = |word: &&String| {
        !tokens::is_stop_word(word)
            && !LEVELS.contains(&word.as_str())
            && !failure_words.contains(*word)
    };
    failures.all(Signature::is_generic) && words(text).iter().filter(is_specific).count() <= 1
}

/// Returns whether a masked message has no part that is specific to the program.
pub(crate) fn is_generic(message: &str) -> bool {
    // Rendered Markdown has lost its backticks.
    let message = &*message.replace('`', "");
    let generic_prefixes =
        ["runtime error: ", "internal error: ", "uncaught ", "fatal: ", "error: "];
    let message = generic_prefixes.iter().find_map(|p| message.strip_prefix(p)).unwrap_or(message);
    let word_count = message
        .split([' ', '#'])
        .filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() > 1)
        .count();
    word_count < MIN_SPECIFIC_WORDS
        || GENERIC_MESSAGES.iter().any(|g| {
            // Details may follow: "index out of bounds: the len is # but the index is #".
            message.strip_prefix(g).is_some_and(|rest| {
                let detail_count = rest
                    .split_whitespace()
                    .filter(|w| w.chars().filter(|c| c.is_alphabetic()).count() > 3)
                    .count();
                rest.is_empty()
                    || detail_count <= MIN_SPECIFIC_WORDS
                    || g.starts_with("index out of")
                    || g.starts_with("slice index")
                    || g.starts_with("signal #")
            })
        })
}

/// Returns whether a string that looks like an error code is the name of a standard or a format.
fn is_standard_name(text: &str) -> bool {
    ["UTF-", "ISO", "RFC", "SHA", "CVE-", "X509", "PR-", "UTC-", "GMT-"]
        .iter()
        .any(|p| text.starts_with(p))
}

/// Returns whether a match that looks like a code is a memory address: "at address 0x00000010".
fn is_address(text: &str, m: &regex::Match<'_>) -> bool {
    let prefix = text[..m.start()].trim_end().trim_end_matches([':', '=']);
    m.as_str().starts_with("0x0000")
        && ["at", "address", "addr", "pc", "sp", "offset"].iter().any(|w| prefix.ends_with(w))
}

/// Returns the runs of words of a line between words with numbers, addresses or paths, which vary
/// between failures.
pub fn constant_runs(line: &str) -> Vec<String> {
    let masked_line = VARIABLE_PART.replace_all(line, "\0");
    let mut runs = vec![String::new()];
    for word in masked_line.split_whitespace() {
        match runs.last_mut() {
            Some(run) if !word.contains('\0') => {
                run.push_str(word);
                run.push(' ');
            }
            _ => runs.push(String::new()),
        }
    }
    runs
}

/// Returns whether a message has no part that is specific to the program.
pub fn is_generic_message(message: &str) -> bool {
    is_generic(&normalize_message(message))
}

/// Normalizes a message: lower case, single spaces, variable parts as `#`.
pub(crate) fn normalize_message(message: &str) -> String {
    let masked_text = VARIABLE_PART.replace_all(message.trim(), "#");
    let mut out = String::with_capacity(masked_text.len());
    for word in masked_text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(&word.to_lowercase());
    }
    out.trim_end_matches([' ', '.', ',', ';', ':', '\'', '"', '`']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn generic_failures_have_no_specific_words() {
        for text in [
            "2025-05-01 10:00:00 INFO start\n2025-05-01 10:00:01 ERROR ZeroDivisionError: division by zero",
            "Error: ECONNREFUSED",
            "java.lang.NullPointerException",
            "Caused by: java.lang.NullPointerException: null",
        ] {
            assert!(is_generic_failure(text), "{text}");
        }
        for text in [
            "division by zero in the export of the March invoices",
            "ZeroDivisionError: division by zero when exporting the March invoices",
            "heron.LeaseError: the lease of slot 3 has ended",
            "",
        ] {
            assert!(!is_generic_failure(text), "{text}");
        }
    }

    #[test]
    fn constant_runs_contain_only_whole_words() {
        let runs = |line: &str| {
            let runs = constant_runs(line).into_iter();
            runs.filter(|run| !run.is_empty()).collect::<Vec<_>>().join("| ")
        };
        assert_eq!(
            runs("08:12:44 ld: cannot open /srv/a b for writing, errno=21 for arm"),
            "ld: cannot open | b for writing, | for arm "
        );
        assert_eq!(runs("no number here"), "no number here ");
        assert_eq!(runs(""), "");
    }

    fn terms(text: &str) -> Vec<String> {
        signatures(text).iter().map(Signature::term).collect()
    }

    #[test]
    fn missing_library_is_identified_without_its_directory() {
        for (text, name) in [
            (
                "dyld[71]: Library not loaded: @rpath/libsqlite3.dylib\n  Referenced from: /Applications/A.app",
                "libsqlite3.dylib",
            ),
            (
                "dyld: Library not loaded: /usr/local/opt/sqlite/lib/libsqlite3.dylib",
                "libsqlite3.dylib",
            ),
            (
                "./acme: error while loading shared libraries: libssl.so.1.1: cannot open shared object file: No such file",
                "libssl.so.1.1",
            ),
            (
                "ImportError: libGL.so.1: cannot open shared object file: No such file or directory",
                "libgl.so.1",
            ),
            (
                "The code execution cannot proceed because VCRUNTIME140.dll was not found.",
                "vcruntime140.dll",
            ),
            (
                "The program can't start because MSVCP140.dll is missing from your computer.",
                "msvcp140.dll",
            ),
            ("Es geht nicht weiter: MSVCP140.dll nicht gefunden.", "msvcp140.dll"),
            (
                "La ejecución no puede continuar porque no se encontró VCRUNTIME140.dll",
                "vcruntime140.dll",
            ),
            ("java.lang.UnsatisfiedLinkError: no rocksdbjni in java.library.path", "rocksdbjni"),
            (
                "System.DllNotFoundException: Unable to load DLL 'e_sqlite3': The specified module could not be found.",
                "e_sqlite3",
            ),
        ] {
            assert!(
                terms(text).contains(&format!("message:no library {name}")),
                "{text}: {:?}",
                terms(text)
            );
        }
        for text in [
            "We ship foo.dll and bar.so with it.",
            "There is no error in the log: it stops",
            "loaded library x.so",
        ] {
            assert!(
                !terms(text).iter().any(|t| t.contains("no library")),
                "{text}: {:?}",
                terms(text)
            );
        }
    }

    #[test]
    fn java_trace_has_exception_and_frames() {
        let signatures = terms(
            "java.net.ConnectException: Connection refused to 192.0.2.7:5432\n\tat com.fw.Pg.open(Pg.java:12)\n\tat com.fw.Main.main(Main.java:3)\n",
        );
        assert!(
            signatures.contains(&"exception:connectexception connection refused to #:#".to_owned()),
            "{signatures:?}"
        );
        assert!(signatures.contains(&"frame:com.fw.pg.open".to_owned()), "{signatures:?}");
    }

    #[test]
    fn rust_and_go_panics_are_exceptions() {
        let old_panic = "thread 'main' panicked at 'index out of bounds: the len is 3 but the index is 7', src/x.rs:4";
        let new_panic = "thread 'main' panicked at src/x.rs:4:9:\nindex out of bounds: the len is 9 but the index is 12\n";
        let panic =
            "exception:panic index out of bounds: the len is # but the index is #".to_owned();
        assert!(terms(old_panic).contains(&panic), "{:?}", terms(old_panic));
        assert!(terms(new_panic).contains(&panic), "{:?}", terms(new_panic));
        assert!(
            terms("panic: send on closed channel\n")
                .contains(&"exception:panic send on closed channel".to_owned())
        );
    }

    #[test]
    fn messages_are_trimmed_of_punctuation() {
        let panic =
            |message: &str| terms(&format!("thread 'main' panicked at src/x.rs:4:9:\n{message}\n"));
        assert_eq!(panic("index out of :"), panic("index out of"));
        assert_eq!(panic("index out of"), ["exception:panic index out of"]);
        assert_eq!(panic("...:"), [""; 0]);
        let frame = terms("Traceback:\n  File \"/srv/ pg.py\", line 12, in open\n");
        assert_eq!(frame, ["frame:pg.py:open"]);
    }

    #[test]
    fn names_of_standards_are_not_error_codes() {
        let signatures =
            terms("FW-1043 on v3.1.2, then ORA-00942 and ECONNREFUSED; UTF-8, RFC-3339");
        assert_eq!(
            signatures,
            ["code:econnrefused", "code:fw-1043", "code:ora-00942", "version:3.1.2"]
        );
    }

    #[test]
    fn compiler_messages_are_masked() {
        let texts =
            terms("foo.rs:3:4: error: mismatched types: expected `int` at 12 but found `uint`\n");
        assert!(texts.iter().any(|t| t.starts_with("message:mismatched types")), "{texts:?}");
    }

    #[test]
    fn ip_address_is_not_a_version() {
        assert_eq!(terms("2.3.1 at 10.20.30.40 and 1.2.3."), ["version:1.2.3", "version:2.3.1"]);
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_bounded_clean_terms(text in "(?s).{0,400}") {
            let list = signatures(&text);
            proptest::prop_assert!(list.len() <= MAX_SIGNATURES);
            for s in list {
                proptest::prop_assert!(!s.text.is_empty() && s.text.len() < 600);
            }
        }
    }

    #[test]
    fn overlong_name_is_truncated() {
        let list = signatures(&format!("{}Exception: it broke", "Very".repeat(9_000)));
        assert!(
            list.iter().all(|s| s.text.len() <= MAX_SIGNATURE) && list.len() == 1,
            "{}",
            list.len()
        );
    }

    #[test]
    fn codes_are_found_without_surrounding_spaces() {
        assert!(terms("编译时出现E0277错误").contains(&"code:e0277".to_owned()));
    }

    proptest::proptest! {
        /// Searching in parts finds the same messages as one pattern.
        #[test]
        fn split_search_equals_one_pattern(pieces in proptest::collection::vec(0_usize..14, 0..40)) {
            const PIECES: [&str; 14] = [
                "error", ": ", "\n", "cannot open", " \"", "\" ", "the file of all files", "src/a.rs:12:3: ",
                "fatal: ", "`", "warning ", "error[E0277]: the trait is missing", "é", "unablerror",
            ];
            let text: String = pieces.iter().map(|p| PIECES[*p]).collect();
            let quoted_pattern = r#"(?:error|failed|failure|fatal|warning|exception|panic|unable|cannot|could not)[^\n"'`]{0,60}["'`]([^"'`\n]{12,160})["'`]"#;
            let line_pattern = LINE_MESSAGE.as_str().trim_start_matches("(?im)");
            let pattern = crate::pattern::re(&format!("(?im){quoted_pattern}|{line_pattern}"));
            let expected: Vec<&str> = pattern
                .captures_iter(&text)
                .filter_map(|c| c.iter().skip(1).flatten().next().map(|m| m.as_str()))
                .collect();
            proptest::prop_assert_eq!(messages(&text).collect::<Vec<_>>(), expected);
        }

        /// Patterns match the same on the prefiltered lines as on the whole text.
        #[test]
        fn lines_that_fail_the_prefilter_never_match(pieces in proptest::collection::vec(0_usize..16, 0..40)) {
            const PIECES: [&str; 16] = [
                "\n", " ", "(", "java.io.IOException", ": ", "it broke", "Error", "1.2.3", "v", ".4", "\r\n", "é",
                "at com.fw.Pg.open(Pg.java)", "  12: std::rt", "main.go(0x1", "File \"a.py\", line 3, in f",
            ];
            let text: String = pieces.iter().map(|p| PIECES[*p]).collect();
            let matches = |pattern: &Regex, text: &str| -> Vec<String> {
                let group = |c: &regex::Captures<'_>| {
                    c.iter().skip(1).flatten().map(|m| m.as_str().to_owned()).collect::<Vec<_>>().join("|")
                };
                pattern.captures_iter(text).map(|c| group(&c)).collect()
            };
            for (pattern, prefilter) in
                [(&EXCEPTION, &EXCEPTION_PREFILTER), (&VERSION, &VERSION_PREFILTER)]
            {
                let by_line: Vec<String> =
                    candidate_lines(prefilter, &text).flat_map(|line| matches(pattern, line)).collect();
                proptest::prop_assert_eq!(by_line, matches(pattern, &text));
            }
        }
    }
}
