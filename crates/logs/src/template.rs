//! Templates of events: their text with the varying parts masked, and groups of similar events.
//!
//! Based on Drain (He, Zhu, Zheng, Lyu: "Drain: An Online Log Parsing Approach with Fixed Depth
//! Tree", ICWS 2017), which compares events with the same number of words word by word. Unlike in
//! Drain, a different plain word makes a different error until there are dozens of them.

use std::{
    collections::HashMap,
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
};

use precedent_core::model::{LogGroup, LogPlace, LogSeverity};
use precedent_text::{
    pattern::Pattern,
    signature::{SignatureKind, signatures},
};

use crate::lines::code_length;

/// The maximum number of words of an event that are compared.
const MAX_WORDS: usize = 48;
/// The minimum share of words that two events of one group have in common.
const MIN_SIMILARITY: f32 = 0.6;
/// The number of similar groups from which plain words may differ as well.
const MIN_CROWD: usize = 32;
/// The maximum number of groups, and the number kept when it is exceeded.
const MAX_GROUPS: usize = 2_000;
const KEPT_GROUPS: usize = 1_500;
/// The maximum number of masked texts whose group is cached.
const MAX_CACHED: usize = 200_000;
/// The number of first events of a group that may be its example; the one with the most lines is.
const EXAMPLE_CANDIDATES: u64 = 8;
/// The maximum length of an example and of a message, in bytes.
const MAX_EXAMPLE: usize = 6_000;
const MAX_MESSAGE: usize = 300;

/// A failure event.
#[derive(Debug)]
pub struct Event {
    pub severity: LogSeverity,
    /// Time in its original form.
    pub time: Option<String>,
    /// Number of its first line.
    pub line: u64,
    /// Summary, in one line.
    pub message: String,
    /// Original message, with its trace.
    pub text: String,
    /// True if the text was truncated.
    pub is_cut: bool,
}

/// A position, with the file as an index.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogPosition {
    pub file: u32,
    /// Line number, starting at 1.
    pub line: u64,
    /// Time in its original form.
    pub time: Option<String>,
}

#[derive(Debug)]
struct Group {
    severity: LogSeverity,
    /// Words that all events have in common; the others are empty.
    words: Vec<String>,
    /// The hash of each word, 0 for an empty one.
    hashes: Vec<u64>,
    /// Hash of the exceptions and the first frame; 0 without a trace.
    trace_hash: u64,
    count: u64,
    message: String,
    text: String,
    is_cut: bool,
    first: LogPosition,
    last: LogPosition,
    before_crash: bool,
    near_end: bool,
    /// True if it only states that an earlier step failed.
    is_uninformative: bool,
    /// True if it causes other failures.
    is_root_cause: bool,
}

/// The groups of events.
#[derive(Debug, Default)]
pub struct Groups {
    groups: Vec<Group>,
    /// Group of each masked text, by hash.
    by_text: HashMap<u64, usize, BuildHasherDefault<DefaultHasher>>,
    /// Groups by severity, number of words and trace hash.
    by_shape: HashMap<(LogSeverity, usize, u64), Vec<usize>>,
    events: u64,
    dropped_events: u64,
}

impl Groups {
    /// Adds an event of a file, which is given as an index.
    pub fn add(&mut self, file: u32, event: Event) {
        self.events += 1;
        let text_hash =
            hash(&(event.severity, mask(&event.text[..event.text.floor_char_boundary(1_500)])));
        let index = match self.by_text.get(&text_hash) {
            Some(index) => *index,
            None => self.assign_group(text_hash, file, &event),
        };
        let group = &mut self.groups[index];
        group.count += 1;
        let line_count = |text: &str| text.lines().count();
        if group.count <= EXAMPLE_CANDIDATES && line_count(&event.text) > line_count(&group.text) {
            group.set_example(event.message, event.text, event.is_cut);
        }
        group.last = LogPosition { file, line: event.line, time: event.time };
    }

    /// Returns the group of a new masked text, which is created if necessary.
    fn assign_group(&mut self, text_hash: u64, file: u32, event: &Event) -> usize {
        if self.groups.len() >= MAX_GROUPS {
            self.shrink();
        }
        if self.by_text.len() >= MAX_CACHED {
            self.by_text.clear();
        }
        let trace_hash = trace_hash(&event.text);
        let words = words(&event.message);
        let hashes: Vec<u64> = words.iter().map(hash).collect();
        let peers = self.by_shape.entry((event.severity, words.len(), trace_hash)).or_default();
        let is_crowded = peers.len() >= MIN_CROWD;
        let peer =
            peers.iter().copied().find(|i| self.groups[*i].matches(&words, &hashes, is_crowded));
        let index = peer.unwrap_or_else(|| {
            peers.push(self.groups.len());
            let first = LogPosition { file, line: event.line, time: event.time.clone() };
            let mut group = Group {
                severity: event.severity,
                words: words.clone(),
                hashes: hashes.clone(),
                trace_hash,
                count: 0,
                message: String::new(),
                text: String::new(),
                is_cut: false,
                last: first.clone(),
                first,
                before_crash: false,
                near_end: false,
                is_uninformative: false,
                is_root_cause: false,
            };
            group.set_example(event.message.clone(), event.text.clone(), event.is_cut);
            self.groups.push(group);
            self.groups.len() - 1
        });
        let group = &mut self.groups[index];
        for ((pattern, hash), word) in group.words.iter_mut().zip(&mut group.hashes).zip(&words) {
            if pattern != word {
                pattern.clear();
                *hash = 0;
            }
        }
        self.by_text.insert(text_hash, index);
        index
    }

    fn sort(&mut self) {
        let total = self.events;
        self.groups.sort_by(|a, b| {
            b.weight(total)
                .total_cmp(&a.weight(total))
                .then_with(|| (a.first.file, a.first.line).cmp(&(b.first.file, b.first.line)))
        });
    }

    /// Discards the least important groups.
    fn shrink(&mut self) {
        self.sort();
        self.dropped_events += self.groups.drain(KEPT_GROUPS..).map(|g| g.count).sum::<u64>();
        self.by_text.clear();
        self.by_shape.clear();
        for (index, group) in self.groups.iter().enumerate() {
            self.by_shape
                .entry((group.severity, group.words.len(), group.trace_hash))
                .or_default()
                .push(index);
        }
    }

    /// Returns the number of events added, and the number that belong to discarded groups.
    pub fn counts(&self) -> (u64, u64) {
        (self.events, self.dropped_events)
    }

    /// Records the end of the program; events at most `window` lines before it are related.
    pub fn mark_crash(&mut self, file: u32, line: u64, window: u64) {
        for group in self.groups.iter_mut().filter(|g| g.last.file == file && g.last.line < line) {
            group.before_crash |= line - group.last.line <= window;
        }
    }

    /// Records the end of a file, which marks the groups in its last `window` lines.
    pub fn mark_end(&mut self, file: u32, lines: u64, window: u64) {
        for group in self.groups.iter_mut().filter(|g| g.last.file == file) {
            group.near_end |= lines - group.last.line <= window;
        }
    }

    /// Returns the groups, most important first; `name` returns a file's name by its index.
    pub fn rank(mut self, name: impl Fn(u32) -> String) -> Vec<LogGroup> {
        self.sort();
        let to_place = |p: LogPosition| LogPlace { file: name(p.file), line: p.line, at: p.time };
        let wildcard = |word: &String| if word.is_empty() { "*".to_owned() } else { word.clone() };
        self.groups
            .into_iter()
            .map(|g| LogGroup {
                severity: g.severity,
                template: g.words.iter().map(wildcard).collect::<Vec<_>>().join(" "),
                message: g.message,
                count: g.count,
                first: to_place(g.first),
                last: to_place(g.last),
                example: g.text,
                excerpt: g.is_cut,
                before_crash: g.before_crash,
                near_end: g.near_end,
            })
            .collect()
    }
}

impl Group {
    fn set_example(&mut self, mut message: String, mut text: String, is_cut: bool) {
        message.truncate(message.floor_char_boundary(MAX_MESSAGE));
        self.is_cut = is_cut || text.len() > MAX_EXAMPLE;
        self.is_uninformative = is_uninformative_message(&message) && !text.trim().contains('\n');
        self.is_root_cause = EXHAUSTED_RESOURCE.is_match(&message);
        text.truncate(text.floor_char_boundary(MAX_EXAMPLE));
        self.message = message;
        self.text = text;
    }

    /// Returns whether an event with these words and hashes belongs to this group.
    fn matches(&self, words: &[String], hashes: &[u64], is_crowded: bool) -> bool {
        // Hashes are compared first, because each distinct error is compared with every group.
        let common_words =
            self.hashes.iter().zip(hashes).filter(|(pattern, hash)| pattern == hash).count();
        #[allow(clippy::cast_precision_loss, reason = "at most 48 words")]
        let share = common_words as f32 / words.len().max(1) as f32;
        if share < MIN_SIMILARITY {
            return false;
        }
        // A common code names the failure; other differences only name where it happened.
        let has_same_code = self.words.iter().zip(words).any(|(a, b)| a == b && names_failure(a));
        is_crowded
            || self.words.iter().zip(words).all(|(pattern, word)| {
                let is_other_word = !has_same_code && is_plain(pattern) && is_plain(word);
                pattern == word || pattern.is_empty() || !is_other_word && !are_codes(pattern, word)
            })
    }

    /// Returns the importance: severity, rarity, a trace, proximity to a crash or the end.
    #[allow(clippy::cast_precision_loss, reason = "the logarithm of a count of events")]
    fn weight(&self, total: u64) -> f64 {
        let severity = match self.severity {
            LogSeverity::Fatal => 6.0,
            LogSeverity::Error => 3.0,
            LogSeverity::Warning => 0.5,
        };
        let rarity = (total.max(1) as f64 / self.count.max(1) as f64).log10().min(3.0) * 0.5;
        let bonus = |applies: bool, bonus: f64| if applies { bonus } else { 0.0 };
        // Uninformative errors come after all others.
        bonus(self.is_uninformative, -20.0)
            + severity
            + rarity
            + bonus(self.trace_hash != 0, 1.0)
            + bonus(self.before_crash, 1.5)
            + bonus(self.near_end, 1.0)
            + bonus(self.is_root_cause, 2.5)
    }
}

fn hash(value: &impl std::hash::Hash) -> u64 {
    BuildHasherDefault::<DefaultHasher>::new().hash_one(value)
}

/// Returns the words of a message, with the varying parts masked.
fn words(message: &str) -> Vec<String> {
    message.split_whitespace().take(MAX_WORDS).map(mask).collect()
}

/// Returns whether a word consists of letters only, so that it must be equal within a group.
fn is_plain(word: &str) -> bool {
    word.trim_matches(|c: char| matches!(c, ',' | '.' | ':' | ';' | '!' | '?'))
        .chars()
        .all(char::is_alphabetic)
}

/// Returns whether two words are codes that name a failure: `FW-2203:`, `[E0277]`. An order number in
/// a sentence looks similar, but has no delimiter.
fn are_codes(pattern: &str, word: &str) -> bool {
    let is_code = |word: &str| {
        let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
        names_failure(word) || word.ends_with([':', ']', ')']) && is_numbered_code(bare)
    };
    is_code(pattern) && is_code(word)
}

/// Returns whether a word is a program's code that names a failure by itself: `FW-2203:`,
/// `[ORA-00060]`.
fn names_failure(word: &str) -> bool {
    let bare = word.trim_matches(|c: char| !c.is_ascii_alphanumeric());
    word.ends_with([':', ']', ')']) && code_length(bare.as_bytes()) == Some(bare.len())
}

/// Masks the numbers, addresses and ids of a string. Codes (`ORA-00942`, `E0277`) are kept, because
/// they distinguish errors.
pub fn mask(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut i = 0;
    while i < bytes.len() {
        let run_len =
            bytes[i..].iter().position(|b| !b.is_ascii_alphanumeric()).unwrap_or(bytes.len() - i);
        if run_len == 0 {
            let len = text[i..].chars().next().map_or(1, char::len_utf8);
            out.push_str(&text[i..i + len]);
            i += len;
            continue;
        }
        let word = &text[i..i + run_len];
        let digits = word.bytes().filter(u8::is_ascii_digit).count();
        let last = out.strip_suffix('-').and_then(|o| o.as_bytes().last().copied());
        let is_code_number =
            last.is_some_and(|b| b.is_ascii_uppercase()) && digits == run_len && run_len >= 3;
        let is_hex = || run_len >= 6 && word.bytes().all(|b| b.is_ascii_hexdigit());
        let is_id = || run_len >= 12 && digits >= 3;
        if digits == 0 || is_code_number || is_numbered_code(word) {
            out.push_str(word);
        } else if digits == run_len || word.starts_with("0x") || is_hex() || is_id() {
            out.push('*');
        } else {
            // Keep the letters around a number.
            let mut in_number = false;
            for c in word.chars() {
                if !c.is_ascii_digit() {
                    out.push(c);
                } else if !in_number {
                    out.push('*');
                }
                in_number = c.is_ascii_digit();
            }
        }
        i += run_len;
    }
    out
}

/// Returns whether a word is a code of one to four capitals and three to six digits: `E0277`,
/// `CS1061`, `TS2345`.
fn is_numbered_code(word: &str) -> bool {
    let letters = word.bytes().take_while(u8::is_ascii_uppercase).count();
    let digits = word.len() - letters;
    (1..=4).contains(&letters)
        && (3..=6).contains(&digits)
        && word.bytes().skip(letters).all(|b| b.is_ascii_digit())
}

/// Returns the hash of a trace's exceptions and first frame; 0 without a trace.
fn trace_hash(text: &str) -> u64 {
    if !text.contains('\n') {
        return 0;
    }
    let signatures = signatures(text);
    let frame = first_frame(text);
    // The messages are compared word by word.
    let exceptions = signatures.iter().filter(|s| s.kind == SignatureKind::Exception);
    let classes: Vec<&str> =
        exceptions.map(|s| s.text.split(' ').next().unwrap_or_default()).collect();
    if classes.is_empty() && frame.is_none() { 0 } else { hash(&(classes, frame)) | 1 }
}

static UNINFORMATIVE: Pattern = Pattern::new(concat!(
    r"(?i)\b(?:exit(?:ed|s|ing)?|completed|finished|terminated|failed|returned|died)\b.{0,24}?\b(?:(?:exit |return |error |status )?(?:code|status)|exit)(?:[ :=]|is)*(?:(?:[1-9]?\d|1[01]\d|12[0-5]|255)(?:[/ .,;)'\x22]|$)|$)",
    r"|\b(?:exit|return) (?:code|status):? *(?:[1-9]?\d|1[01]\d|12[0-5]|255)\b",
    r"|\bnon-?zero (?:exit|return|status)",
    r"|\bcode=exited, status=(?:[1-9]?\d|1[01]\d|12[0-5])\b",
    r"|with result '?exit-code",
    r"|\bg?n?make(?:\[\d+\])?: \*\*\*.*\bError \d+\b",
    r"|^\W*(?:build|tests?|compilation|job|pipeline|task|deploy|deployment) (?:has )?(?:failed|failure|aborted)\W*(?:in \d.*)?$",
    r"|completed with \d+ error\(?s?\)?",
    r"|\b\d+ errors? (?:generated|found|occurred)\W*$|^\W*found \d+ errors?\b",
    r"|could not compile `|^\W*ELIFECYCLE\b|\berrno [12]$|a complete log of this run|script returned exit code",
    r"|^\W*(?:fatal |an )?(?:error|failure|exception|fatal)s?\W*$",
    r"|^> Task \S+ FAILED$|: There are test failures\.|^Tests run: \d+, Failures: \d+|^Tests: +\d+ failed|^FAIL\t",
    r"|^ninja: build stopped|^Finished: FAILURE$",
    r"|^\W*(?:refusing|unable) to start\W*$|^could not read from remote repository\W*$",
));

/// Returns whether a log's error only states that something failed, not what.
pub fn is_uninformative(group: &LogGroup) -> bool {
    is_uninformative_message(&group.message) && !group.example.trim().contains('\n')
}

/// Messages about exhausted resources, which make all programs on a machine fail and are logged
/// less often than their effects.
static EXHAUSTED_RESOURCE: Pattern = Pattern::new(concat!(
    r"(?i)no space left on device|\bENOSPC\b|disk (?:is )?full|not enough (?:disk )?space|out of disk space",
    r"|too many open files|\bEMFILE\b|cannot allocate memory|out of memory: killed|磁盘空间不足|磁盘已满",
    r"|ディスク(?:容量|の空き容量)?が?(?:不足|いっぱい)|read-only file ?system",
));

/// Returns whether a message only states that something failed: "exit code 1", "make: *** Error 2",
/// "BUILD FAILED". Codes from 126 on mean a signal or a missing program.
fn is_uninformative_message(message: &str) -> bool {
    message.len() <= MAX_MESSAGE && UNINFORMATIVE.is_match(message)
}

/// Returns the first frame of a trace, masked.
fn first_frame(text: &str) -> Option<String> {
    let is_frame = |line: &&str| {
        let line = line.trim_start();
        line.starts_with("at ")
            || line.starts_with("File \"")
            || line.starts_with("from ")
            || line.starts_with('#')
    };
    text.lines().skip(1).find(is_frame).map(|line| mask(line.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(severity: LogSeverity, text: &str, line: u64) -> Event {
        let message = text.lines().next().unwrap_or_default().to_owned();
        Event { severity, time: None, line, message, text: text.to_owned(), is_cut: false }
    }

    fn groups(texts: &[&str]) -> Vec<LogGroup> {
        let mut groups = Groups::default();
        for (n, text) in texts.iter().enumerate() {
            groups.add(0, event(LogSeverity::Error, text, n as u64 + 1));
        }
        groups.rank(|_| "app.log".to_owned())
    }

    #[test]
    fn variable_parts_are_masked_but_codes_are_kept() {
        for (text, expected) in [
            ("timeout of 3000 ms to 10.0.0.1:5432", "timeout of * ms to *.*.*.*:*"),
            ("at 0x7ffe12ab id 3f2a9c77-1111-2222-3333-444455556666", "at * id *-*-*-*-*"),
            ("ORA-00942 and E0277 and FW-1043", "ORA-00942 and E0277 and FW-1043"),
            ("worker12 of utf8", "worker* of utf*"),
            ("größe 12 überschritten", "größe * überschritten"),
        ] {
            assert_eq!(mask(text), expected);
        }
    }

    #[test]
    fn numbers_and_names_do_not_split_a_group() {
        let list = groups(&[
            "cannot open /srv/a/1.txt for tenant acme-7: permission denied",
            "cannot open /srv/b/2.txt for tenant bolt-9: permission denied",
            "cannot open /srv/b/2.txt for tenant bolt-9: quota exceeded",
        ]);
        assert_eq!(list.len(), 2, "{list:?}");
        assert_eq!(list.iter().map(|g| g.count).max(), Some(2));
    }

    #[test]
    fn codes_split_groups_but_order_numbers_do_not() {
        let list = groups(&[
            "FW-2203: link to the pump of hall 3 is lost",
            "FW-2011: link to the pump of hall 4 is lost",
        ]);
        assert_eq!(list.len(), 2, "{list:?}");
        let list = groups(&[
            "cannot book PO-10001 for the shop today",
            "cannot book PO-10002 for the shop today",
        ]);
        assert_eq!((list.len(), list[0].count), (1, 2), "{list:?}");
    }

    #[test]
    fn different_exceptions_split_a_group() {
        let list = groups(&[
            "request failed\njava.lang.IllegalStateException: pool is dry\n\tat a.Pool.take(Pool.java:3)",
            "request failed\njava.lang.IllegalStateException: pool is dry\n\tat a.Pool.take(Pool.java:9)",
            "request failed\njava.io.IOException: pipe is shut\n\tat a.Pipe.read(Pipe.java:3)",
        ]);
        assert_eq!(list.len(), 2, "{list:?}");
    }

    #[test]
    fn dozens_of_similar_errors_become_one_group() {
        let texts: Vec<String> = ["red", "blue", "green", "amber", "pink", "grey", "teal", "gold"]
            .iter()
            .flat_map(|a| {
                ["ox", "hen", "cat", "elk", "bee", "emu", "yak", "owl"]
                    .map(|b| format!("the queue {a} {b} of the shop is full again today"))
            })
            .collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let list = groups(&texts);
        assert!(list.len() <= MIN_CROWD + 1, "{}", list.len());
    }

    #[test]
    fn uninformative_failures_rank_last() {
        for message in [
            "Process completed with exit code 1.",
            "##[error]Process completed with exit code 1.",
            "make[1]: *** [Makefile:44: all] Error 1",
            "make: *** [build] Error 2",
            "gmake: *** [build] Error 2",
            "Command SwiftCompile failed with a nonzero exit code",
            "** BUILD FAILED **",
            "BUILD FAILED in 3s",
            "gateway.service: Main process exited, code=exited, status=1/FAILURE",
            "gateway.service: Failed with result 'exit-code'.",
            "Job \"SYS\".\"SYS_EXPORT_01\" completed with 1 error(s) at Wed Mar 4 04:11:09 2026",
            "error: could not compile `app` (bin \"app\") due to 1 previous error",
            "npm ERR! errno 1",
            "exit status 2",
            "script returned exit code 1",
            "ERROR:",
            "> Task :api:compileJava FAILED",
            "Failed to execute goal surefire:test on project api: There are test failures.",
            "Tests run: 418, Failures: 1, Errors: 0, Skipped: 3",
            "refusing to start",
            "ninja: build stopped: subcommand failed.",
            "Finished: FAILURE",
        ] {
            assert!(is_uninformative_message(message), "{message}");
        }
        for message in [
            "container exited with code 137",
            "worker exited with exit code 139",
            "Error 1062: Duplicate entry 'x' for key 'PRIMARY'",
            "build failed: lzma.h: No such file or directory",
            "Run-time error '1004': Method 'Range' failed",
            "status code 404 of the hub",
        ] {
            assert!(!is_uninformative_message(message), "{message}");
        }
        let mut groups = Groups::default();
        groups.add(0, event(LogSeverity::Warning, "npm: cannot resolve the tree", 1));
        groups.add(0, event(LogSeverity::Error, "Process completed with exit code 1.", 2));
        let list = groups.rank(|_| String::new());
        assert_eq!(list[0].message, "npm: cannot resolve the tree");
        assert_eq!(list.iter().map(is_uninformative).collect::<Vec<_>>(), [false, true]);
    }

    #[test]
    fn missing_resources_rank_before_their_consequences() {
        let mut groups = Groups::default();
        groups.add(
            0,
            event(
                LogSeverity::Error,
                "could not extend file \"base/1\": No space left on device",
                2,
            ),
        );
        for n in 0..38 {
            groups.add(0, event(LogSeverity::Error, "health check failed: db DOWN", 4 + n));
        }
        groups.mark_end(0, 42, 20);
        assert!(groups.rank(|_| String::new())[0].message.contains("No space left"));
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn thousands_of_similar_errors_take_seconds() {
        // CPU time of this thread in nanoseconds, because the machine may be busy.
        let cpu_time = || -> u64 {
            let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap();
            text.split(' ').next().and_then(|n| n.parse().ok()).unwrap()
        };
        let word =
            |n: u64| -> String { n.to_string().bytes().map(|b| char::from(b + 49)).collect() };
        let start = cpu_time();
        let mut groups = Groups::default();
        for n in 0..8_000 {
            let (a, b) = (word(n), word(n * 7));
            groups.add(
                0,
                event(
                    LogSeverity::Error,
                    &format!("{a} {b} failed because {b}{a} {a}{b} is gone"),
                    n,
                ),
            );
        }
        assert!(groups.groups.len() > KEPT_GROUPS);
        let seconds = (cpu_time() - start) / 1_000_000_000;
        assert!(seconds < 15, "{seconds} s");
    }

    #[test]
    fn only_the_most_important_groups_are_kept() {
        let mut groups = Groups::default();
        groups.add(0, event(LogSeverity::Fatal, "panic: the ring is full", 1));
        for n in 0..20_000_u64 {
            let word: String = n.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect();
            groups.add(0, event(LogSeverity::Warning, &format!("{word} {word}x"), n + 2));
        }
        let (events, dropped) = groups.counts();
        let list = groups.rank(|_| String::new());
        assert!(list.len() <= MAX_GROUPS && list[0].message.contains("ring"));
        assert_eq!(list.iter().map(|g| g.count).sum::<u64>() + dropped, events);
    }
}
