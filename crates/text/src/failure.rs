//! Comparison of the failures in two texts by root cause, place and code.
//!
//! Exception classes, runtime frames and generic messages are not evidence. The measurements of
//! each rule are in docs/decisions/0014-one-pipeline.md.

use std::collections::BTreeSet;

use crate::{
    pattern::Pattern,
    signature::{self, SignatureKind},
    trace,
};

/// The result of comparing the failures of two texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureMatch {
    /// The same root cause: the same place, or an exception with the same specific message.
    Same,
    /// Another root cause, another place, or another code of the same family.
    Different,
    /// A text without a failure or with only a generic one.
    #[default]
    Unknown,
}

/// The failure in a text.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Root causes: the end of a chain, else the exceptions beside the traces.
    causes: Vec<Cause>,
    /// The program's own frames at the top of each trace, in order.
    frames: Vec<String>,
    /// The same frames and those below them.
    all_frames: BTreeSet<String>,
    /// Codes in lower case.
    codes: BTreeSet<String>,
    /// Exceptions with a specific masked message.
    exceptions: BTreeSet<String>,
}

/// A root cause, parsed from its line.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cause {
    /// Class of the exception in lower case, without its package; empty without one.
    class: String,
    /// Message with numbers, addresses and paths masked.
    message: String,
    /// Words of the message outside of quotes, without those that contain numbers.
    words: BTreeSet<String>,
    /// Quoted names in the message, without values such as numbers.
    quotes: BTreeSet<String>,
    /// True if the name of the class suggests a language's runtime.
    is_runtime: bool,
}

/// The maximum length of an examined text and of a line, in bytes.
const MAX_TEXT: usize = 200_000;
const MAX_LINE: usize = 500;
const MAX_CAUSES: usize = 8;
/// The minimum length of a frame's name; minified names are shorter.
const MIN_FRAME: usize = 3;
/// The minimum number of words of a message that is compared by its words.
const MIN_COMPARED_WORDS: usize = 3;
/// The minimum number of words of a message that may be cut off.
const MIN_LONG_MESSAGE: usize = 10;
/// The minimum number of words of a specific exception message.
const MIN_WORDS: usize = 4;
/// The minimum number of common frames of two traces of the same failure, if one has no message. Of
/// 7 such judged pairs, 6 are duplicates.
const MIN_SHARED_FRAMES: usize = 3;
/// The maximum number of codes of one family in a text that is about one of them.
const MAX_CODES: usize = 2;

/// The text before the cause of the failure above it.
static CAUSE_PREFIX: Pattern = Pattern::new(
    r"(?m)^\s*(?:Caused by|Root cause|Reason)[ \t]*:[ \t]*|--->\s*(?:\(Inner Exception #\d+\)\s*)?|\[cause\]:\s*",
);
/// .NET's mark before each failure of an aggregate.
const INNER_EXCEPTION: &str = "(Inner Exception #";
/// The class of an exception at the start of a line, or after the time and level of a log record.
static EXCEPTION_CLASS: Pattern = Pattern::new(
    r"(?:^|[\s\]])(?:[A-Za-z_][\w$]*[.:\\]{1,2})*[A-Z][\w$]*(?:Exception|Error|Exit|Interrupt|Failure|DoesNotExist)\b(?::|\s*\(|\s*$)",
);
/// A failure without a class: a panic or a sanitizer report.
static PANIC: Pattern = Pattern::new(
    r"(?m)^\s*(?:(?:panic: |fatal error: |thread '[^'\n]*' (?:\(\d+\) )?panicked at [^\n]*?:\d+:\d+:\n|[^\n]{0,20}ERROR: AddressSanitizer: )([^\n]+)|thread '[^'\n]*' panicked at '([^\n]+?)', [^'\n]+:\d)",
);
/// The text before an exception, such as the name of its thread.
static EXCEPTION_PREFIX: Pattern = Pattern::new(
    r#"^(?:Unhandled [Ee]xception[.:]?\s+|Exception in thread (?:"[^"\n]*"|\S+) |Uncaught (?:\(in promise\) )?)"#,
);
/// A numbered or indented cause below "Caused by:", in anyhow's format.
static LISTED_CAUSE: Pattern = Pattern::new(r"(?m)^\s+(?:\d+: )?(\S[^\n]*)$");
/// A separator of Python's and PHP's chains, which print the innermost failure first.
static CHAIN_SEPARATOR: Pattern = Pattern::new(
    r"(?m)^(?:The above exception was the direct cause of|During handling of the above exception|Next [\w\\]+(?:Exception|Error))",
);
/// The class of a cause and its message.
static CLASS: Pattern = Pattern::new(
    r"^((?:[A-Za-z_][\w$]*(?:\.|::|\\))*)([A-Z][\w$]*)(?:\s*\([^)\n]*\))?(?::\s*(.*))?$",
);
static QUOTED_TEXT: Pattern =
    Pattern::new(r#"'([^'\n]{1,80})'|"([^"\n]{1,80})"|`([^`'\n]{1,80})[`']"#);

impl Failure {
    /// Parses the failure from an original text with prose, logs and traces.
    pub fn parse(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_TEXT)];
        let traces = trace::traces(text);
        let mut failure = Self {
            causes: parse_causes(text),
            frames: trace::top_frames(&traces)
                .filter(|name| name.len() >= MIN_FRAME)
                .cloned()
                .collect(),
            all_frames: traces.into_iter().flatten().collect(),
            ..Self::default()
        };
        for signature in signature::signatures(text) {
            let is_specific =
                !signature.is_generic() && signature.text.split(' ').count() > MIN_WORDS;
            match signature.kind {
                SignatureKind::Code => failure.codes.insert(signature.text),
                SignatureKind::Exception if is_specific => {
                    failure.exceptions.insert(signature.text)
                }
                _ => false,
            };
        }
        failure
    }

    /// Compares the failures of two texts. A part that is in only one text is not evidence.
    pub fn compare(&self, other: &Self) -> FailureMatch {
        if self.differs_by_code(other) {
            return FailureMatch::Different;
        }
        let same_place = self.compare_places(other);
        let pairs = || self.causes.iter().flat_map(|a| other.causes.iter().map(move |b| (a, b)));
        let results = pairs().map(|(a, b)| a.compare(b, same_place));
        // Each text may list several causes and be about any of them.
        let best = |best, next| match (best, next) {
            (FailureMatch::Same, _) | (_, FailureMatch::Same) => FailureMatch::Same,
            (FailureMatch::Unknown, _) | (_, FailureMatch::Unknown) => FailureMatch::Unknown,
            _ => FailureMatch::Different,
        };
        match results.reduce(best) {
            None if same_place == Some(true) && self.shares_frames(other) => FailureMatch::Same,
            None | Some(FailureMatch::Unknown)
                if same_place != Some(false) && !self.exceptions.is_disjoint(&other.exceptions) =>
            {
                FailureMatch::Same
            }
            result => result.unwrap_or_default(),
        }
    }

    /// Returns whether both have enough frames in common to identify a failure without its message.
    fn shares_frames(&self, other: &Self) -> bool {
        let frames: BTreeSet<&String> = self.frames.iter().collect();
        frames.into_iter().filter(|name| other.frames.contains(name)).count() >= MIN_SHARED_FRAMES
    }

    /// Returns whether both have codes of the same family but no code in common.
    fn differs_by_code(&self, other: &Self) -> bool {
        let count_family = |codes: &BTreeSet<String>, code: &str| -> usize {
            codes.iter().filter(|c| code_family(c) == code_family(code)).count()
        };
        self.codes.is_disjoint(&other.codes)
            && self.codes.iter().any(|code| {
                let (own_count, other_count) =
                    (count_family(&self.codes, code), count_family(&other.codes, code));
                (1..=MAX_CODES).contains(&own_count) && (1..=MAX_CODES).contains(&other_count)
            })
    }

    /// Returns whether both traces go through the same place; `None` if unknown.
    fn compare_places(&self, other: &Self) -> Option<bool> {
        let (frames, other_frames) = (&self.frames, &other.frames);
        let (Some(top), Some(other_top)) = (frames.first(), other_frames.first()) else {
            return None;
        };
        let shared_frames = frames.iter().filter(|name| other_frames.contains(name)).count();
        let is_top_shared = other_frames.contains(top) || frames.contains(other_top);
        match shared_frames {
            // The beginning of one trace may be missing.
            0 if frames.iter().all(|name| other.all_frames.contains(name))
                || other_frames.iter().all(|name| self.all_frames.contains(name)) =>
            {
                None
            }
            0 => Some(false),
            _ if is_top_shared && shared_frames * 2 >= frames.len().min(other_frames.len()) => {
                Some(true)
            }
            _ => None,
        }
    }
}

/// Returns the family of a code: the part before its number.
fn code_family(code: &str) -> &str {
    code.trim_end_matches(|c: char| c.is_ascii_digit())
}

impl Cause {
    fn parse(line: &str) -> Option<Self> {
        let line = line[..line.floor_char_boundary(MAX_LINE)].trim();
        let line = &line[EXCEPTION_PREFIX.find(line).map_or(0, |prefix| prefix.end())..];
        let (package, class, message) = match CLASS.captures(line) {
            Some(captures) => (
                captures.get(1).map_or("", |m| m.as_str()),
                captures.get(2).map_or("", |m| m.as_str()),
                captures.get(3).map_or("", |m| m.as_str()),
            ),
            None => ("", "", line),
        };
        if class.is_empty() && message.is_empty() {
            return None;
        }
        let unquoted_text = QUOTED_TEXT.replace_all(message, " ");
        let words = signature::normalize_message(&unquoted_text)
            .split_whitespace()
            .filter(|word| !word.contains('#'))
            .flat_map(|word| word.split(|c: char| !c.is_alphanumeric()))
            .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
            .map(str::to_owned)
            .collect();
        let quotes = QUOTED_TEXT.captures_iter(message);
        let quotes = quotes.filter_map(|captures| captures.iter().skip(1).flatten().next());
        let is_name = |quote: &regex::Match<'_>| quote.as_str().contains(char::is_alphabetic);
        Some(Self {
            class: class.to_lowercase(),
            words,
            quotes: quotes.filter(is_name).map(|group| group.as_str().to_lowercase()).collect(),
            message: signature::normalize_message(message),
            is_runtime: ["", "java.", "javax.", "kotlin.", "System."]
                .iter()
                .any(|p| package == *p || !p.is_empty() && package.starts_with(p)),
        })
    }

    fn compare(&self, other: &Self, same_place: Option<bool>) -> FailureMatch {
        // A cause may be quoted in the message of the failure that wraps it.
        let has_other_class = !self.class.is_empty()
            && !other.class.is_empty()
            && self.class != other.class
            && !self.words.contains(&other.class)
            && !other.words.contains(&self.class);
        if has_other_class {
            return FailureMatch::Different;
        }
        let is_comparable = self.words.len().min(other.words.len()) >= MIN_COMPARED_WORDS;
        let shared_words = self.words.intersection(&other.words).count();
        let all_words = self.words.union(&other.words).count();
        if is_comparable && shared_words * 5 < all_words * 2 {
            return FailureMatch::Different;
        }
        let has_other_quotes = !self.quotes.is_empty()
            && !other.quotes.is_empty()
            && self.quotes.is_disjoint(&other.quotes);
        let fewer_words = self.words.len().min(other.words.len());
        let is_same_message = !signature::is_generic(&self.message)
            && (self.message == other.message
                || fewer_words >= MIN_LONG_MESSAGE && shared_words == fewer_words);
        match same_place {
            _ if has_other_quotes => FailureMatch::Different,
            Some(true) => FailureMatch::Same,
            Some(false) if self.is_runtime || other.is_runtime || !is_same_message => {
                FailureMatch::Different
            }
            None if is_same_message => FailureMatch::Same,
            _ => FailureMatch::Unknown,
        }
    }
}

fn parse_causes(text: &str) -> Vec<Cause> {
    let mut lines: Vec<&str> = Vec::new();
    if text.contains(INNER_EXCEPTION) {
        // The failures of an aggregate are independent.
        let prefixes = CAUSE_PREFIX.find_iter(text);
        lines
            .extend(prefixes.map(|prefix| text[prefix.end()..].lines().next().unwrap_or_default()));
    } else if let Some(line) = innermost_cause(text) {
        lines.push(line);
    } else {
        let all_lines: Vec<&str> = text.lines().map(str::trim).collect();
        let mut is_python = false;
        for (i, line) in all_lines.iter().enumerate() {
            is_python |= line.starts_with("Traceback (most recent call last)");
            let exception = &line[EXCEPTION_PREFIX.find(line).map_or(0, |prefix| prefix.end())..];
            let precedes_trace = all_lines.get(i + 1).is_some_and(|next| next.starts_with("at "));
            // Python prints the failure after the trace, other languages before it.
            if (precedes_trace || is_python)
                && !line.starts_with("at ")
                && EXCEPTION_CLASS.is_match(exception)
            {
                is_python = false;
                lines.push(strip_log_prefix(line));
            }
        }
        lines.extend(
            PANIC
                .captures_iter(text)
                .filter_map(|captures| Some(captures.get(1).or(captures.get(2))?.as_str())),
        );
    }
    let mut causes: Vec<Cause> = Vec::new();
    for cause in lines.into_iter().filter_map(Cause::parse) {
        if causes.len() < MAX_CAUSES && !causes.contains(&cause) {
            causes.push(cause);
        }
    }
    causes
}

/// Strips the time and level of a log record before an exception.
fn strip_log_prefix(line: &str) -> &str {
    let start = EXCEPTION_CLASS.find(line).map_or(0, |class| class.start());
    line[start..].trim_start_matches([' ', '\t', ']'])
}

/// Returns the line of the innermost cause of a chain.
fn innermost_cause(text: &str) -> Option<&str> {
    if let Some(last) = CAUSE_PREFIX.find_iter(text).last() {
        let rest = &text[last.end()..];
        if let Some(list) = rest.strip_prefix('\n') {
            let causes = list.lines().map_while(|l| LISTED_CAUSE.captures(l)?.get(1));
            if let Some(innermost) = causes.last() {
                return Some(innermost.as_str());
            }
        }
        return rest.lines().find(|line| !line.trim().is_empty());
    }
    let inner = &text[..CHAIN_SEPARATOR.find(text)?.start()];
    inner.lines().rev().map(str::trim).find(|line| EXCEPTION_CLASS.is_match(line))
}
