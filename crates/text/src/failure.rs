//! What two texts say that failed, side by side: whether the one names another cause, another thing or another code than the other.
//!
//! Texts that quote a failure are alike by what all such failures have in common: the wrapper that a framework puts around each
//! exception, the words of a compiler's message, the last lines of a build. What tells them apart is little: the innermost
//! cause, the name between the quotes, the number of the code.

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

use regex::Regex;

use crate::{pattern::re, signature, tokens, trace};

/// In what two failures differ that have much in common otherwise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Contrary {
    /// The innermost causes are two.
    Cause(String, String),
    /// One message about two things: another module, another file.
    Thing(String, String),
    /// Two codes of one family.
    Code(String, String),
    /// What programs of all kinds fail with, at two places.
    Place,
    /// Both quote failures, and no line of the one is like any of the other.
    Other,
}

/// A line that says what failed.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Told {
    /// Its words: what all messages of this kind have.
    words: BTreeSet<String>,
    /// What it names.
    names: BTreeSet<String>,
    /// As it is shown.
    shown: String,
    /// Whether programs of all kinds say so.
    generic: bool,
}

/// What a text says that failed.
#[derive(Clone, Debug, Default)]
pub struct Failures {
    told: Vec<Told>,
    /// What it ends in: the innermost causes of its chains, and the exceptions above its traces.
    roots: Vec<Told>,
    codes: BTreeMap<String, BTreeSet<String>>,
    /// Codes at the beginning of a line, where a tracker's key may stand as well: they count beside one that is surely a code.
    heads: BTreeMap<String, BTreeSet<String>>,
    frames: BTreeSet<String>,
}

/// Sanitizers, and what they and systems call the ways in which memory is misused: each is a kind of failure, and no name.
const MEMORY: [&str; 15] = [
    "SEGV_MAPERR",
    "SEGV_ACCERR",
    "BUS_ADRALN",
    "AddressSanitizer",
    "ThreadSanitizer",
    "MemorySanitizer",
    "LeakSanitizer",
    "heap-use-after-free",
    "heap-buffer-overflow",
    "stack-buffer-overflow",
    "stack-use-after-return",
    "stack-use-after-scope",
    "global-buffer-overflow",
    "use-of-uninitialized-value",
    "double-free",
];
/// The longest text that is read, and the longest line, in bytes.
const MAX_READ: usize = 200_000;
const MAX_LINE: usize = 500;
/// The most lines that count.
const MAX_TOLD: usize = 60;
/// The most codes of one family for a text to be about one of them.
const MAX_CODES: usize = 2;
/// The fewest words that make two messages one kind.
const MIN_WORDS: usize = 3;
/// The most exceptions of traces.
const MAX_ROOTS: usize = 8;
/// The longest that is shown, in characters.
const SHOWN: usize = 60;

static FAILS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:error|errors|fatal|fail|failed|fails|failure|cannot|can't|could not|couldn't|unable|panic|panicked|denied|exhausted|not found|not loaded|no such|refused|timed out|undefined|unresolved|invalid|missing|violates|exception|signal \d+ \(SIG\w+)\b|(?:Exception|Error)\b",
    )
});
// The last lines of a build or of a framework: they say that something failed, not what.
static TAIL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\W*(?:g?make(?:\[\d+\])?: \*\*\*|collect2:|ninja: |npm (?:err!|error) (?:code|errno|a complete log|lifecycle|command)|error(?:: | )command |error: process |error: could not compile|error: aborting|error: build|build failed|\S*: build failed|failure: build failed|process completed|##\[error\]process|error: job failed|traceback|internal server error|the following build commands failed|\*\* build failed|unhandled(?: promise)? (?:rejection|exception)|uncaught exception|an error occurred|one or more errors|failed with result|begin failed|exit|\S+ exited)|exit(?:ed)?(?: with)? (?:code|status)",
    )
});
// What says that the next one is the cause of what stands before it.
static CAUSED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^\s*(?:Caused by|Root cause|Reason)[ \t]*:[ \t]*|--->\s*(?:\(Inner Exception #\d+\)\s*)?|\[cause\]:\s*",
    )
});
// What .NET lists of failures that came together.
const INNER: &str = "(Inner Exception #";
// The class of an exception at the beginning of a line, with its message.
static RAISED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:Unhandled [Ee]xception[.:]?\s*|Exception in thread \S+ )?(?:[A-Za-z_][\w$]*[.:\\]{1,2})*[A-Z][\w$]*(?:Exception|Error|Exit|Interrupt|Failure|DoesNotExist)\b(?::|\s*\(|\s*$)",
    )
});
static IN_THREAD: LazyLock<Regex> =
    LazyLock::new(|| re(r#"^(?:Unhandled [Ee]xception[.:]?\s+|Exception in thread (?:"[^"\n]*"|\S+) )"#));
// Lists of causes: the last of them is the innermost.
static NUMBERED: LazyLock<Regex> = LazyLock::new(|| re(r"(?m)^\s+(?:\d+: )?(\S[^\n]*)$"));
// Python and PHP tell the innermost first.
static FOLLOWED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^(?:The above exception was the direct cause of|During handling of the above exception|Next [\w\\]+(?:Exception|Error))",
    )
});
static CODE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?:(?i:\b(?P<kind>exit code|exit status|exited with|error code|return code|code|status|errno|error|fault|alarm|sip|http(?:/\d(?:\.\d)?)?|sqlcode|signal|with|returns|returned|hresult)\b)[\s:=#(]*(?:code |status |of )?)(?P<prefix>[A-Z]{1,8}[-_]?|0x)?(?P<number>[0-9A-F]{2,8})\b",
    )
});
// A code of a program's own, as it stands behind the level of a line, and where a line begins with it.
static OWN_CODE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?P<level>\b(?:(?i:error|fatal|severe|critical|panic|fehler|erreur|err)|ERR)\b[\s:\]>-]*(?:\[[^\]\n]{1,40}\]\s*)*|(?:エラー|错误|錯誤|致命的|严重)[\s:：]*|^)(?P<prefix>[A-Z]{2,8})-(?P<number>\d{3,6})\b",
    )
});
// What Windows calls a result, a facility and a number, and its errors, a number alone.
static RESULT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b0x(?:800[0-9a-f]|c0[0-9a-f]{2})[0-9a-f]{4}\b|\b(?:error|code|fehler)\W{1,3}0x0000[0-9a-f]{4}\b",
    )
});
// The family of why a directory lets nobody in.
const REFUSED: &str = "data";
// Codes whose family is told by their form: a program's own of one letter, what a server for mail answers (RFC 3463), why a directory
// lets nobody in, a number below zero in brackets.
static FORMED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"\b(?P<letter>[A-Z])-(?P<own>\d{3,5})\b|\b[245]\d\d[ -](?P<mail>[245]\.\d{1,3}\.\d{1,3})\b|(?:LDAP|AcceptSecurityContext)[^\n]{0,80}\bdata (?P<ldap>[0-9][0-9a-f]{2})\b|(?:^|\s)\((?P<below>-\d{1,6})\)",
    )
});
// The service that did not answer is told by its port.
static PORT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:connect\w*|ECONN\w+|dial tcp|refused)\b[^\n]{0,60}?(?:\d{1,3}(?:\.\d{1,3}){3}|localhost|[\w-]+(?:\.[\w-]+)+|\[[0-9a-f:]+\]):(\d{2,5})\b",
    )
});
static IN_METHOD: LazyLock<Regex> = LazyLock::new(|| re(r":in [`'][^'\n]{1,80}'"));
static QUOTED: LazyLock<Regex> =
    LazyLock::new(|| re(r#"'([^'\n]{1,80})'|"([^"\n]{1,80})"|`([^`'\n]{1,80})[`']"#));
// A place in a file, a moment, an address: they differ from run to run.
static VARYING: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"0x[0-9a-fA-F]+|\b[0-9a-f]{12,}\b|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27}|\d{1,4}[-/.:]\d{1,2}(?:[-/.:T ]\d{1,6})*|(?::\d+)+|\(\d+,\d+\)|\d+(?:\.\d+)*",
    )
});

impl Failures {
    /// Reads a text as it was written: prose, logs and traces.
    pub fn of(text: &str) -> Self {
        let text = &text[..text.floor_char_boundary(MAX_READ)];
        let mut out =
            Self { roots: roots(text), frames: trace::frames(text).into_iter().collect(), ..Self::default() };
        for line in text.lines() {
            let line = line[..line.floor_char_boundary(MAX_LINE)].trim();
            for found in CODE.captures_iter(line) {
                let part = |name| found.name(name).map(|m| m.as_str()).unwrap_or_default();
                let (prefix, number) = (part("prefix"), part("number"));
                let plain = prefix.is_empty();
                // A number alone is a code where the word before it says so.
                let kind = part("kind").to_lowercase();
                let says = !matches!(kind.as_str(), "with" | "returns" | "returned" | "error" | "fault");
                let decimal = number.bytes().all(|b| b.is_ascii_digit());
                let is_code =
                    if plain { says && decimal && number.len() <= 5 } else { decimal || prefix == "0x" };
                if is_code {
                    let family =
                        if plain { family(&kind) } else { prefix.trim_end_matches(['-', '_']).to_owned() };
                    out.codes.entry(family).or_default().insert(format!("{prefix}{number}"));
                }
            }
            for found in OWN_CODE.captures_iter(line) {
                let part = |name| found.name(name).map(|m| m.as_str()).unwrap_or_default();
                let codes = if part("level").is_empty() { &mut out.heads } else { &mut out.codes };
                let code = format!("{}-{}", part("prefix"), part("number"));
                codes.entry(part("prefix").to_owned()).or_default().insert(code);
            }
            for found in RESULT.find_iter(line) {
                let number = found.as_str().to_lowercase();
                let number = number.rsplit("0x").next().unwrap_or_default().to_uppercase();
                out.codes.entry("0x".to_owned()).or_default().insert(format!("0x{number}"));
            }
            for found in FORMED.captures_iter(line) {
                let families =
                    [("own", "letter"), ("mail", "mail"), ("ldap", REFUSED), ("below", "below zero")];
                for (name, family) in families {
                    let Some(code) = found.name(name).map(|m| m.as_str()) else { continue };
                    let letter = found.name("letter").map_or(family, |m| m.as_str());
                    let code = if name == "own" { format!("{letter}-{code}") } else { code.to_owned() };
                    out.codes.entry(letter.to_owned()).or_default().insert(code);
                }
            }
            if let Some(port) = PORT.captures(line).and_then(|c| c.get(1)) {
                out.codes.entry("port".to_owned()).or_default().insert(format!("port {}", port.as_str()));
            }
            // "Unhandled exception." alone is the end of a program; what follows it is what happened.
            let said = without_thread(line);
            if out.told.len() < MAX_TOLD && FAILS.is_match(said) && !TAIL.is_match(said) {
                out.told.extend(Told::read(said));
            }
        }
        out
    }

    /// In what the two differ, if their failures are not one. What one of them does not tell tells nothing.
    pub fn contrary(&self, other: &Self) -> Option<Contrary> {
        if let (Some(ours), Some(theirs)) = (self.roots.first(), other.roots.first()) {
            let alike = alike(&self.roots, &other.roots);
            if alike.is_empty() {
                return Some(Contrary::Cause(ours.shown.clone(), theirs.shown.clone()));
            }
            if alike.iter().all(|(a, b)| a.another(b).is_some()) {
                return alike.first().and_then(|(a, b)| a.another(b));
            }
            if alike.iter().any(|(a, _)| !a.generic) {
                return None;
            }
        }
        let shared_frames = self.frames.intersection(&other.frames).count();
        let families = self.codes.keys().chain(other.codes.keys());
        let code = families.clone().find_map(|family| {
            let (ours, theirs) = (self.codes_of(family)?, other.codes_of(family)?);
            let few = ours.len() <= MAX_CODES && theirs.len() <= MAX_CODES;
            (few && ours.is_disjoint(&theirs)).then(|| (ours.first().cloned(), theirs.first().cloned()))
        });
        let same_code = families.into_iter().any(|family| {
            let both = self.codes_of(family).zip(other.codes_of(family));
            both.is_some_and(|(ours, theirs)| !ours.is_disjoint(&theirs))
        });
        // Why it was refused stands beside the code that all refusals have.
        let refused = self.codes_of(REFUSED).zip(other.codes_of(REFUSED));
        let same_code = same_code && !refused.is_some_and(|(ours, theirs)| ours.is_disjoint(&theirs));
        if let (Some((Some(ours), Some(theirs))), false) = (code, same_code) {
            return Some(Contrary::Code(ours, theirs));
        }
        let alike = alike(&self.told, &other.told);
        if alike.iter().any(|(a, b)| !a.generic && a.another(b).is_none()) {
            return None;
        }
        if let Some(found) = alike.iter().find_map(|(a, b)| a.another(b)) {
            return (shared_frames == 0).then_some(found);
        }
        let apart = !self.frames.is_empty() && !other.frames.is_empty() && shared_frames == 0;
        if !alike.is_empty() {
            return apart.then_some(Contrary::Place);
        }
        let telling = |all: &[Told]| all.iter().any(|told| !told.generic);
        let near = pairs(&self.told, &other.told).any(|(a, b)| a.shares(b));
        (telling(&self.told) && telling(&other.told) && !near && !same_code && shared_frames == 0)
            .then_some(Contrary::Other)
    }
}

impl Failures {
    /// The codes of a family; none if the text has none.
    fn codes_of(&self, family: &str) -> Option<BTreeSet<String>> {
        let all: BTreeSet<String> = [&self.codes, &self.heads]
            .into_iter()
            .filter_map(|codes| codes.get(family))
            .flatten()
            .cloned()
            .collect();
        (!all.is_empty()).then_some(all)
    }
}

fn pairs<'t>(ours: &'t [Told], theirs: &'t [Told]) -> impl Iterator<Item = (&'t Told, &'t Told)> {
    ours.iter().flat_map(move |a| theirs.iter().map(move |b| (a, b)))
}

/// What both tell in one kind of message.
fn alike<'t>(ours: &'t [Told], theirs: &'t [Told]) -> Vec<(&'t Told, &'t Told)> {
    pairs(ours, theirs).filter(|(a, b)| a.is_like(b)).collect()
}

/// A line without in which thread it was raised: that says nothing of what it is.
fn without_thread(line: &str) -> &str {
    &line[IN_THREAD.find(line).map_or(0, |head| head.end())..]
}

impl Told {
    fn read(line: &str) -> Option<Self> {
        let line = without_thread(line);
        // Ruby quotes the method that a frame is in.
        let line = &*IN_METHOD.replace_all(line, " ");
        let mut names = BTreeSet::new();
        let mut rest = line.to_owned();
        for found in QUOTED.captures_iter(line) {
            if let Some(name) = found.iter().skip(1).flatten().next() {
                names.insert(name.as_str().to_lowercase());
                rest = rest.replace(found.get(0).map_or("", |m| m.as_str()), " ");
            }
        }
        let rest = VARYING.replace_all(&rest, " ");
        let mut words = BTreeSet::new();
        for word in rest.split(|c: char| c.is_whitespace() || "()[]{}<>,;=|".contains(c)) {
            let word = word.trim_matches(|c: char| !c.is_alphanumeric() && c != '_' && c != '@');
            let last = word.rsplit(['/', '\\']).next().unwrap_or(word);
            let inner = last.contains(['_', '.', ':', '-', '@', '$'])
                || word.len() != last.len()
                || last.chars().skip(1).any(char::is_uppercase) && last.chars().any(char::is_lowercase);
            if last.chars().filter(|c| c.is_alphabetic()).count() < 2 {
                continue;
            }
            // To whom a mail went differs from run to run.
            if last.contains('@') && last.contains('.') {
                continue;
            }
            // The class of an exception is a word of its message.
            let is_class = last.ends_with("Exception") || last.ends_with("Error") || is_class(word);
            if inner && !is_class && !MEMORY.contains(&last) {
                names.insert(last.to_lowercase());
            } else {
                let class = last.rsplit(['.', ':']).next().unwrap_or(last).to_lowercase();
                if !tokens::is_stop_word(&class) {
                    words.insert(class);
                }
            }
        }
        let shown: String = line.chars().take(SHOWN).collect();
        // What stands before the last colon is a class or a place.
        let generic = names.is_empty()
            && [line, line.rsplit(": ").next().unwrap_or(line)]
                .iter()
                .any(|part| signature::is_generic(&signature::masked(part)));
        (!words.is_empty() || !names.is_empty()).then_some(Self { words, names, shown, generic })
    }

    /// Whether both are one kind of message.
    fn is_like(&self, other: &Self) -> bool {
        let both = self.words.intersection(&other.words).count();
        let all = self.words.len() + other.words.len() - both;
        // A title says the message without its end.
        let fewer = self.words.len().min(other.words.len());
        let within = both > MIN_WORDS && both * 10 >= fewer * 8;
        within || both * 10 >= all * 7 && (both >= MIN_WORDS || self.words == other.words)
    }

    /// Whether half of what the one says is in the other.
    fn shares(&self, other: &Self) -> bool {
        let (ours, theirs): (BTreeSet<_>, BTreeSet<_>) = (self.said().collect(), other.said().collect());
        let both = ours.intersection(&theirs).count();
        both > 0 && both * 2 >= ours.len().min(theirs.len())
    }

    fn said(&self) -> impl Iterator<Item = &String> {
        self.words.iter().chain(&self.names)
    }

    /// What the two are about, if that is not one thing.
    fn another(&self, other: &Self) -> Option<Contrary> {
        let both = self.names.intersection(&other.names).count();
        let fewer = self.names.len().min(other.names.len());
        if fewer == 0 || both * 2 >= fewer {
            return None;
        }
        let only = |a: &Self, b: &Self| a.names.difference(&b.names).next().cloned();
        Some(Contrary::Thing(only(self, other)?, only(other, self)?))
    }
}

/// Whether a word is a class with the modules that it is in, as Ruby writes what is raised: `PG::UndefinedColumn`.
fn is_class(word: &str) -> bool {
    let is_name = |part: &str| {
        part.starts_with(|c: char| c.is_ascii_uppercase()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    word.contains("::") && word.split("::").all(is_name)
}

/// What a text's failures end in: the innermost cause of a chain, else the exceptions that stand at the traces.
fn roots(text: &str) -> Vec<Told> {
    if text.contains(INNER) {
        // None of those that came together is the cause of the others.
        let causes =
            CAUSED.find_iter(text).map(|found| text[found.end()..].lines().next().unwrap_or_default());
        let told = causes.filter_map(|line| Told::read(line[..line.floor_char_boundary(MAX_LINE)].trim()));
        return told.fold(Vec::new(), |mut all, one| {
            if !all.contains(&one) && all.len() < MAX_ROOTS {
                all.push(one);
            }
            all
        });
    }
    if let Some(innermost) = innermost(text) {
        return vec![innermost];
    }
    let lines: Vec<&str> = text.lines().map(|l| l[..l.floor_char_boundary(MAX_LINE)].trim()).collect();
    let mut out: Vec<Told> = Vec::new();
    let mut python = false;
    for (at, line) in lines.iter().enumerate() {
        python |= line.starts_with("Traceback (most recent call last)");
        let above = lines.get(at + 1).is_some_and(|next| next.starts_with("at "));
        // Python says it below its trace, all others above.
        if RAISED.is_match(line) && (above || python) && !line.starts_with("at ") {
            python = false;
            out.extend(Told::read(line).filter(|told| !out.contains(told)));
        }
    }
    out.truncate(MAX_ROOTS);
    out
}

/// The innermost cause, where a text tells of a chain.
fn innermost(text: &str) -> Option<Told> {
    let line = |at: &str| {
        let line = at.lines().map(str::trim).find(|l| !l.is_empty())?;
        Told::read(&line[..line.floor_char_boundary(MAX_LINE)])
    };
    if let Some(last) = CAUSED.find_iter(text).last() {
        let rest = &text[last.end()..];
        // A list under the word, as anyhow writes it, or the line itself.
        if let Some(list) = rest.strip_prefix('\n') {
            let listed =
                list.lines().map_while(|l| NUMBERED.captures(l).and_then(|c| Some(c.get(1)?.as_str())));
            if let Some(innermost) = listed.last() {
                return line(innermost);
            }
        }
        return line(rest);
    }
    let before = &text[..FOLLOWED.find(text)?.start()];
    let said = before.lines().rev().map(str::trim).find(|l| FAILS.is_match(l) && !l.starts_with("File "))?;
    line(said)
}

fn family(kind: &str) -> String {
    match kind {
        "exit code" | "exit status" | "exited with" | "return code" => "exit".to_owned(),
        _ if kind.starts_with("http") => "status".to_owned(),
        _ => kind.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn contrary(one: &str, other: &str) -> Option<Contrary> {
        let (one, other) = (Failures::of(one), Failures::of(other));
        let found = one.contrary(&other);
        assert_eq!(other.contrary(&one).is_some(), found.is_some(), "from either side");
        found
    }

    #[test]
    fn the_thread_of_an_exception_is_no_part_of_it() {
        let told =
            "Exception in thread \"worker-3\" java.lang.OutOfMemoryError: Metaspace\n\tat a.B.c(B.java:1)\n";
        assert_eq!(contrary(told, "Caused by: java.lang.OutOfMemoryError: Metaspace"), None);
        assert!(
            contrary(told, "Caused by: java.lang.OutOfMemoryError: unable to create native thread").is_some()
        );
    }

    #[test]
    fn the_innermost_cause_tells_wrapped_failures_apart() {
        let java = |cause: &str| {
            format!(
                "o.s.BeanCreationException: Error creating bean\n\tat o.s.Factory.get(Factory.java:3)\nCaused by: {cause}\n\tat a.B.c(B.java:1)\n"
            )
        };
        let of = |one: &str, other: &str| contrary(&java(one), &java(other));
        let timeout = "java.net.SocketTimeoutException: connect timed out";
        assert!(matches!(
            of(timeout, "java.lang.ClassNotFoundException: com.acme.Driver"),
            Some(Contrary::Cause(..))
        ));
        assert_eq!(of(timeout, timeout), None);
        let net = |cause: &str| {
            format!("System.AggregateException: One or more errors occurred.\n ---> {cause}\n   at A.B()\n")
        };
        let (host, disk) = (
            "System.Net.Sockets.SocketException (11001): No such host is known.",
            "System.IO.IOException: The disk is full.",
        );
        assert!(matches!(contrary(&net(host), &net(disk)), Some(Contrary::Cause(..))));
        assert_eq!(contrary(&net(host), &net(host)), None);
        let python = |first: &str| {
            format!(
                "Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n{first}\n\nThe above exception was the direct cause of the following exception:\n\nTraceback (most recent call last):\nRuntimeError: task failed\n"
            )
        };
        assert!(matches!(
            contrary(&python("KeyError: 'sku'"), &python("ValueError: could not convert string")),
            Some(Contrary::Cause(..))
        ));
        assert_eq!(
            contrary(&python("KeyError: 'sku'"), "RuntimeError: task failed"),
            None,
            "a chain and none"
        );
        let both = |client: &str| {
            format!(
                "System.AggregateException: One or more errors occurred.\n ---> System.X.CanceledException: A task was canceled.\n   at {client}.Get()\n ---> (Inner Exception #1) System.X.CanceledException: A task was canceled.\n   at {client}.Get()<---\n"
            )
        };
        let alone = |client: &str| {
            format!(
                "System.AggregateException: One or more errors occurred.\n ---> System.X.CanceledException: A task was canceled.\n   at {client}.Get()\n"
            )
        };
        assert_eq!(contrary(&both("Acme.Tariffs"), &alone("Acme.Tariffs")), None, "twice the same");
        assert!(
            contrary(&alone("Contoso.Client"), &alone("Acme.Tariffs")).is_some(),
            "what all tasks say, elsewhere"
        );
        let nothing = |at: &str| {
            format!(
                "Unhandled exception. System.NullReferenceException: Object reference not set to an instance of an object.\n   at {at}()\n"
            )
        };
        assert_eq!(contrary(&nothing("A.Pay.Run"), &nothing("B.Net.Send")), Some(Contrary::Place));
        let anyhow = |cause: &str| {
            format!("Error: cannot start\n\nCaused by:\n    0: reading the settings\n    1: {cause}\n")
        };
        assert!(matches!(
            contrary(&anyhow("permission denied for the key"), &anyhow("expected a table at line 3")),
            Some(Contrary::Cause(..))
        ));
    }

    #[test]
    fn one_message_about_two_things() {
        let found = contrary(
            "src/x.ts:7:22 - error TS2307: Cannot find module 'lodash-es' or its type declarations.",
            "src/api.ts(3,24): error TS2307: Cannot find module '@acme/schema' or its type declarations.",
        );
        assert!(
            matches!(&found, Some(Contrary::Thing(a, b)) if a == "lodash-es" && b == "@acme/schema"),
            "{found:?}"
        );
        let missing =
            "src/x.ts:7:22 - error TS2307: Cannot find module 'lodash-es' or its type declarations.";
        assert_eq!(contrary(missing, &missing.replace("7:22", "91:3")), None, "at another line");
        let native = |frame: &str| {
            format!(
                "signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0\n    #00 pc 0004f1c2  /data/app/lib/arm/{frame}\n"
            )
        };
        assert_eq!(
            contrary(&native("libtide.so (Tide_rise+48)"), &native("libquay.so (Quay_moor+12)")),
            Some(Contrary::Place)
        );
        assert_eq!(
            contrary(&native("libtide.so (Tide_rise+48)"), &native("libtide.so (Tide_rise+52)")),
            None
        );
        let ruby = |method: &str| {
            format!(
                "/srv/pg.rb:87:in `{method}': could not translate host name \"db\" to address (Acme::NoConnection)"
            )
        };
        assert_eq!(contrary(&ruby("rescue in new_client"), &ruby("new_client")), None);
        let asan = |frame: &str| {
            format!(
                "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x603000000c40\nREAD of size 4 at 0x603000000c40 thread T0\n    #0 0x55e1 in {frame}\n"
            )
        };
        assert!(
            contrary(
                &asan("png_read_row /usr/src/png/read.c:19:3"),
                &asan("Printer::flush() /src/printer.cpp:77")
            )
            .is_some()
        );
        let table = "SQLSTATE[42S02]: Base table or view not found: 1146 Table 'shop.orders' doesn't exist";
        assert!(
            contrary(table, "Laravel: SQLSTATE[42S02] Base table or view not found: 'courier.sessions'")
                .is_some()
        );
        let column = |name: &str| {
            format!(
                "ActiveRecord::StatementInvalid (PG::UndefinedColumn: ERROR:  column {name} does not exist):"
            )
        };
        assert!(matches!(contrary(&column("invoices.vat"), &column("users.sso")), Some(Contrary::Thing(..))));
    }

    #[test]
    fn two_codes_of_one_family() {
        let code = |a: &str, b: &str| matches!(contrary(a, b), Some(Contrary::Code(..)));
        assert!(code("The import ends with E-105", "Import job ends with E-104"));
        assert!(code("status=217/USER", "main process exited, status=203/EXEC"));
        assert!(code("Update fails: error 0x80070422", "Update fails: error 0x80070002"));
        assert!(code("the hook exits with exit code 127", "exit code 139"));
        let refused = |at: &str| format!("Error: connect ECONNREFUSED {at}");
        assert!(code(&refused("127.0.0.1:5432"), &refused("127.0.0.1:6379")));
        assert!(!code(&refused("127.0.0.1:5432"), &refused("10.0.0.7:5432")), "one service on two machines");
        assert!(code("2026-11-20 ERROR HB-3310: licence file is damaged", "HB-3301 licence not valid yet"));
        assert!(code("エラー KT-9001 仕訳の合計が一致しません", "KT-5120 フォントが見つかりません"));
        assert!(code("IIS: HTTP Error 500.19 0x80070021 for the portal", "Error Code\t   0x80070005"));
        assert!(code("E-2046 打刻データの出力に失敗しました", "E-2045 打刻データの取り込みに失敗"));
        assert!(code(
            "450 4.2.0 <ann@acme.example>: Greylisted",
            "554 5.7.1 <ann@acme.example>: Relay access denied"
        ));
        assert!(code(
            "LDAP: error code 49 - AcceptSecurityContext error, data 775, v4563",
            "LDAP: error code 49, data 52e"
        ));
        assert!(code("The gateway may be unreachable. (-20199)", "VPN stops at 98 %: (-5)"));
        assert!(code("Operation failed with error 0x0000011b", "Drucker: Fehler 0x00000709"));
        assert!(!code("PROJ-104 crash on save", "PROJ-97: crash on save"), "two keys of items");
        assert!(!code("ends with E-104", "Import job ends with E-104 in the night"));
        assert!(!code("see PROJ-104", "PROJ-105 is the same"), "keys of items are no codes");
        assert!(!code("took 104 ms with 12 threads", "took 99 ms with 8 threads"), "nor are counts");
    }

    #[test]
    fn generic_failures_at_two_places_and_failures_without_a_word_in_common() {
        let panic = |at: &str| {
            format!(
                "panic: assignment to entry in nil map\n\ngoroutine 7 [running]:\n{at}(0xc0004aa000)\n\t/src/a.go:31 +0x1c5\n"
            )
        };
        let found = contrary(
            &panic("example.org/mailer/queue.(*Outbox).Put"),
            &panic("example.org/sched/lead.(*Table).Set"),
        );
        assert!(found.is_none() || found == Some(Contrary::Place), "{found:?}");
        let build = |line: &str| {
            format!(
                "{line}\nmake[1]: *** [Makefile:44: all] Error 1\nmake: *** [Makefile:13: build] Error 2\n"
            )
        };
        let found = contrary(
            &build("install: cannot create regular file '/usr/bin/tool': Permission denied"),
            &build("src/zip.c:31:10: fatal error: lzma.h: No such file or directory"),
        );
        assert_eq!(found, Some(Contrary::Other));
        assert_eq!(
            contrary("It does not start.", "It cannot be started since the update."),
            None,
            "prose tells no failure"
        );
    }

    proptest::proptest! {
        #[test]
        fn any_two_texts_can_be_compared(a in "(?s).{0,200}", b in "(?s).{0,200}", shared in "(Caused by: |---> |error: |exit code )?[a-z0-9E' -]{0,40}") {
            let (one, two) = (Failures::of(&format!("{a}\n{shared}")), Failures::of(&format!("{b}\n{shared}")));
            proptest::prop_assert_eq!(one.contrary(&two).is_some(), two.contrary(&one).is_some());
            proptest::prop_assert_eq!(one.contrary(&one), None);
        }
    }
}
