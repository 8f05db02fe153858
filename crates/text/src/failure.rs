//! Comparison of the failures that two texts report: by root cause, by place and by code.
//!
//! The class of an exception, runtime frames and messages that every program has are no evidence.
//! The measurements of each rule are in docs/decisions/0014-one-pipeline.md.

use std::{collections::BTreeSet, sync::LazyLock};

use regex::Regex;

use crate::{
    pattern::re,
    signature::{self, SignatureKind},
    trace,
};

/// The result of comparing the failures of two texts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FailureMatch {
    /// The same root cause: in the same place, or an exception with the same message specific to
    /// the program.
    Same,
    /// Another root cause, another place, or another code of one family.
    Different,
    /// A text without a failure, or with one that every program has.
    #[default]
    Unknown,
}

/// The failure that a text reports.
#[derive(Clone, Debug, Default)]
pub struct Failure {
    /// Innermost causes: the end of a chain, else the exceptions beside the traces.
    causes: Vec<Cause>,
    /// Frames of the program's own at the top of each trace, in order.
    frames: Vec<String>,
    /// Codes in lower case.
    codes: BTreeSet<String>,
    /// Exceptions with a masked message that is specific to the program.
    exceptions: BTreeSet<String>,
}

/// A root cause, as its line names it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Cause {
    /// Class of the exception in lower case, without its package; empty without one.
    class: String,
    /// Message with numbers, addresses and paths masked.
    message: String,
    /// Words of the message outside of quotes.
    words: BTreeSet<String>,
    /// Quoted parts of the message.
    quotes: BTreeSet<String>,
    /// True if the class belongs to a language's runtime, judging by its name.
    runtime: bool,
}

/// The maximum length of the text and of a line that are read, in bytes.
const MAX_TEXT: usize = 200_000;
const MAX_LINE: usize = 500;
/// The maximum number of causes of one text.
const MAX_CAUSES: usize = 8;
/// The minimum length of a frame's name that identifies a place; minified names are shorter.
const MIN_FRAME: usize = 3;
/// The minimum number of words of messages that are compared word by word.
const MIN_WORDS: usize = 3;
/// The minimum number of words of an exception's message that is specific to a program.
const MIN_MESSAGE: usize = 4;
/// The maximum number of codes of one family for a text to be about one of them.
const MAX_CODES: usize = 2;

/// The text before the cause of the failure above it.
static CAUSE_PREFIX: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^\s*(?:Caused by|Root cause|Reason)[ \t]*:[ \t]*|--->\s*(?:\(Inner Exception #\d+\)\s*)?|\[cause\]:\s*",
    )
});
/// The mark of .NET before each failure of an aggregate.
const INNER: &str = "(Inner Exception #";
/// The class of an exception at the beginning of a line, or after the time and level of a log.
static EXCEPTION_CLASS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:^|[\s\]])(?:[A-Za-z_][\w$]*[.:\\]{1,2})*[A-Z][\w$]*(?:Exception|Error|Exit|Interrupt|Failure|DoesNotExist)\b(?::|\s*\(|\s*$)",
    )
});
/// A panic, or the report of a sanitizer: failures without a class.
static PANIC: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^\s*(?:(?:panic: |fatal error: |thread '[^'\n]*' (?:\(\d+\) )?panicked at [^\n]*?:\d+:\d+:\n|[^\n]{0,20}ERROR: AddressSanitizer: )([^\n]+)|thread '[^'\n]*' panicked at '([^\n]+?)', [^'\n]+:\d)",
    )
});
/// The text before an exception that names its thread.
static IN_THREAD: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"^(?:Unhandled [Ee]xception[.:]?\s+|Exception in thread (?:"[^"\n]*"|\S+) |Uncaught (?:\(in promise\) )?)"#,
    )
});
/// A numbered or indented cause below "Caused by:", in anyhow's format.
static LISTED_CAUSE: LazyLock<Regex> = LazyLock::new(|| re(r"(?m)^\s+(?:\d+: )?(\S[^\n]*)$"));
/// A separator of Python's and PHP's chains, which print the innermost failure first.
static CHAIN_SEPARATOR: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^(?:The above exception was the direct cause of|During handling of the above exception|Next [\w\\]+(?:Exception|Error))",
    )
});
/// The class of a cause and its message.
static CLASS: LazyLock<Regex> = LazyLock::new(|| {
    re(r"^((?:[A-Za-z_][\w$]*(?:\.|::|\\))*)([A-Z][\w$]*)(?:\s*\([^)\n]*\))?(?::\s*(.*))?$")
});
static QUOTED_TEXT: LazyLock<Regex> =
    LazyLock::new(|| re(r#"'([^'\n]{1,80})'|"([^"\n]{1,80})"|`([^`'\n]{1,80})[`']"#));

impl Failure {
    /// Parses the failure from a text in its original form: prose, logs and traces.
    pub fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_TEXT)];
        let mut failure = Self {
            causes: causes(text),
            frames: trace::frames(text)
                .into_iter()
                .filter(|name| name.len() >= MIN_FRAME)
                .collect(),
            ..Self::default()
        };
        for signature in signature::signatures(text) {
            let is_own = !signature.is_generic() && signature.text.split(' ').count() > MIN_MESSAGE;
            match signature.kind {
                SignatureKind::Code => failure.codes.insert(signature.text),
                SignatureKind::Exception if is_own => failure.exceptions.insert(signature.text),
                _ => false,
            };
        }
        failure
    }

    /// Compares the failures of two texts. Parts that one of them does not name are no evidence.
    pub fn compare(&self, other: &Self) -> FailureMatch {
        if self.has_other_code(other) {
            return FailureMatch::Different;
        }
        let place = self.same_place(other);
        let pairs = || self.causes.iter().flat_map(|a| other.causes.iter().map(move |b| (a, b)));
        let results = pairs().map(|(a, b)| a.compare(b, place));
        // Either text may list several causes and be about any of them.
        let best = |best, next| match (best, next) {
            (FailureMatch::Same, _) | (_, FailureMatch::Same) => FailureMatch::Same,
            (FailureMatch::Unknown, _) | (_, FailureMatch::Unknown) => FailureMatch::Unknown,
            _ => FailureMatch::Different,
        };
        match results.reduce(best).unwrap_or_default() {
            FailureMatch::Unknown
                if place != Some(false) && !self.exceptions.is_disjoint(&other.exceptions) =>
            {
                FailureMatch::Same
            }
            result => result,
        }
    }

    /// Returns whether both have codes of one family and no code in common.
    fn has_other_code(&self, other: &Self) -> bool {
        let family = |codes: &BTreeSet<String>, code: &str| -> usize {
            codes.iter().filter(|c| family_of(c) == family_of(code)).count()
        };
        self.codes.is_disjoint(&other.codes)
            && self.codes.iter().any(|code| {
                let (own_codes, other_codes) =
                    (family(&self.codes, code), family(&other.codes, code));
                (1..=MAX_CODES).contains(&own_codes) && (1..=MAX_CODES).contains(&other_codes)
            })
    }

    /// Returns whether both traces go through the same place.
    pub fn shares_place(&self, other: &Self) -> bool {
        self.same_place(other) == Some(true)
    }

    /// Returns whether both traces go through the same place; `None` if that is unknown.
    fn same_place(&self, other: &Self) -> Option<bool> {
        let (frames, other_frames) = (&self.frames, &other.frames);
        let (Some(top), Some(other_top)) = (frames.first(), other_frames.first()) else {
            return None;
        };
        let shared_frames = frames.iter().filter(|name| other_frames.contains(name)).count();
        let is_top_shared = other_frames.contains(top) || frames.contains(other_top);
        match shared_frames {
            0 => Some(false),
            _ if is_top_shared && shared_frames * 2 >= frames.len().min(other_frames.len()) => {
                Some(true)
            }
            _ => None,
        }
    }
}

/// Returns the family of a code: the part before its number.
fn family_of(code: &str) -> &str {
    code.trim_end_matches(|c: char| c.is_ascii_digit())
}

impl Cause {
    fn parse(line: &str) -> Option<Self> {
        let line = line[..line.floor_char_boundary(MAX_LINE)].trim();
        let line = &line[IN_THREAD.find(line).map_or(0, |head| head.end())..];
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
        let plain = QUOTED_TEXT.replace_all(message, " ");
        let words = signature::normalize_message(&plain)
            .split(|c: char| !c.is_alphanumeric())
            .filter(|word| word.chars().filter(|c| c.is_alphabetic()).count() > 1)
            .map(str::to_owned)
            .collect();
        let quotes = QUOTED_TEXT.captures_iter(message);
        let quotes = quotes.filter_map(|captures| captures.iter().skip(1).flatten().next());
        Some(Self {
            class: class.to_lowercase(),
            words,
            quotes: quotes.map(|group| group.as_str().to_lowercase()).collect(),
            message: signature::normalize_message(message),
            runtime: ["", "java.", "javax.", "kotlin.", "System."]
                .iter()
                .any(|p| package == *p || !p.is_empty() && package.starts_with(p)),
        })
    }

    /// Compares two root causes; `place` says whether their traces share a place.
    fn compare(&self, other: &Self, place: Option<bool>) -> FailureMatch {
        let other_class =
            !self.class.is_empty() && !other.class.is_empty() && self.class != other.class;
        if other_class {
            return FailureMatch::Different;
        }
        let enough = self.words.len().min(other.words.len()) >= MIN_WORDS;
        let shared_words = self.words.intersection(&other.words).count();
        let all_words = self.words.union(&other.words).count();
        if enough && shared_words * 5 < all_words * 2 {
            return FailureMatch::Different;
        }
        let other_thing = !self.quotes.is_empty()
            && !other.quotes.is_empty()
            && self.quotes.is_disjoint(&other.quotes);
        let is_same_message =
            self.message == other.message && !signature::is_generic(&self.message);
        match place {
            _ if other_thing => FailureMatch::Different,
            Some(true) => FailureMatch::Same,
            Some(false) if self.runtime || other.runtime || !is_same_message => {
                FailureMatch::Different
            }
            None if is_same_message => FailureMatch::Same,
            _ => FailureMatch::Unknown,
        }
    }
}

/// Returns the root causes of a text: the innermost of a chain, else the exceptions beside its
/// traces.
fn causes(text: &str) -> Vec<Cause> {
    let mut lines: Vec<&str> = Vec::new();
    if text.contains(INNER) {
        // The failures of an aggregate did not cause one another.
        let prefixes = CAUSE_PREFIX.find_iter(text);
        lines
            .extend(prefixes.map(|prefix| text[prefix.end()..].lines().next().unwrap_or_default()));
    } else if let Some(innermost) = innermost(text) {
        lines.push(innermost);
    } else {
        let all_lines: Vec<&str> = text.lines().map(str::trim).collect();
        let mut python = false;
        for (at, line) in all_lines.iter().enumerate() {
            python |= line.starts_with("Traceback (most recent call last)");
            let exception = &line[IN_THREAD.find(line).map_or(0, |head| head.end())..];
            let above = all_lines.get(at + 1).is_some_and(|next| next.starts_with("at "));
            // Python names the failure below its trace, other languages above.
            if (above || python) && !line.starts_with("at ") && EXCEPTION_CLASS.is_match(exception)
            {
                python = false;
                lines.push(without_prefix(line));
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

/// Returns a line that names an exception, without the time and level of a log before it.
fn without_prefix(line: &str) -> &str {
    let start = EXCEPTION_CLASS.find(line).map_or(0, |class| class.start());
    line[start..].trim_start_matches([' ', '\t', ']'])
}

/// Returns the line of the innermost cause, where a text prints a chain.
fn innermost(text: &str) -> Option<&str> {
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
