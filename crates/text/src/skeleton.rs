//! Issue-template skeletons: uninformative lines that a form adds to every report.

use std::collections::{HashMap, HashSet};

use crate::markdown::is_fence;

/// The minimum share of a source's items that contain a line of the skeleton.
const MIN_SHARE: f64 = 0.04;
/// The minimum number of items that contain a line of the skeleton.
const MIN_ITEMS: usize = 12;
/// The minimum number of items in a small source, and their minimum share of it.
const MIN_SMALL_ITEMS: usize = 6;
const MIN_SMALL_SHARE: f64 = 0.15;
/// The minimum number of items for a line that looks like part of a form.
const MIN_FORM_ITEMS: usize = 4;
/// The maximum length of a line of the skeleton, in bytes.
const MAX_LINE: usize = 240;

/// Returns the hash of a line, ignoring case, whitespace, list and heading marks, and the state of
/// a checkbox. Returns `None` for a line that is too short or too long.
pub fn line_hash(line: &str) -> Option<u64> {
    let content = line.trim().trim_start_matches(['#', '-', '*', '>', ' ', '+']);
    let content = content
        .trim_start_matches("[x]")
        .trim_start_matches("[X]")
        .trim_start_matches("[ ]")
        .trim();
    let content = content.trim_matches(['*', '_', ':']);
    // A Chinese character carries as much information as three Latin letters.
    let letters: usize = content.chars().filter(|c| c.is_alphabetic()).map(char::len_utf8).sum();
    if content.len() > MAX_LINE || letters < 4 {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    for word in content.split_whitespace() {
        hasher.update(word.to_lowercase().as_bytes());
        hasher.update(b" ");
    }
    let hash = hasher.finalize();
    hash.as_bytes().first_chunk::<8>().map(|b| u64::from_le_bytes(*b))
}

/// The maximum number of words of a form's label, and of its value.
const MAX_LABEL_WORDS: usize = 3;
/// The words before a colon that introduce a failure, not a field.
const FAILURE_WORDS: [&str; 8] =
    ["err", "warn", "fatal", "failed", "failure", "exception", "fehler", "ошибка"];

/// Returns whether a line is a form's label, without a value or with one from a list: "Priority:
/// high". Numbers are excluded, because versions and amounts are informative.
fn is_label_or_choice(line: &str) -> bool {
    let Some((label, choice)) = line.split_once(':') else { return false };
    let words = |text: &str| text.split_whitespace().count();
    let lowercase_label = label.to_lowercase();
    let is_failure = FAILURE_WORDS.iter().any(|word| lowercase_label.contains(word));
    (1..=MAX_LABEL_WORDS).contains(&words(label))
        && words(choice) <= MAX_LABEL_WORDS
        && (choice.is_empty() || choice.starts_with(' '))
        && !is_failure
        && !line.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '(' | '/' | '"' | '`'))
}

/// Returns whether a line looks like part of a form: a heading, a bold label, a checkbox, a choice
/// or a portal's footer.
fn is_form_line(line: &str) -> bool {
    let line = line.trim();
    let is_jira =
        || line.starts_with("||") || matches!(line.as_bytes(), [b'h', b'1'..=b'6', b'.', b' ', ..]);
    if is_label_or_choice(line) || line.starts_with("-- ") || is_jira() {
        return true;
    }
    let has_bold_label =
        || line.strip_prefix("**").is_some_and(|rest| rest.contains(":**") || rest.contains("**:"));
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    line.starts_with('#')
        || has_bold_label()
        || ["[x] ", "[X] ", "[ ] "].iter().any(|tick| item.starts_with(tick))
}

/// The skeleton of a source: the hashes of the lines to drop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    lines: HashSet<u64>,
}

impl Skeleton {
    /// Creates a skeleton from known hashes.
    pub fn from_hashes(lines: impl IntoIterator<Item = u64>) -> Self {
        Self { lines: lines.into_iter().collect() }
    }

    /// Returns the hashes, ascending.
    pub fn hashes(&self) -> Vec<u64> {
        let mut lines: Vec<u64> = self.lines.iter().copied().collect();
        lines.sort_unstable();
        lines
    }

    /// Returns whether a line belongs to the form.
    pub fn contains(&self, line: &str) -> bool {
        !self.lines.is_empty() && line_hash(line).is_some_and(|h| self.lines.contains(&h))
    }

    /// Returns the body without the form's lines. Fenced code is kept, because recurring log lines
    /// are evidence.
    pub fn strip(&self, markdown: &str) -> String {
        self.strip_except(markdown, |_| false)
    }

    /// Strips as [`Self::strip`] does, but keeps the form's lines that `is_kept` accepts.
    pub fn strip_except(&self, markdown: &str, is_kept: impl Fn(&str) -> bool) -> String {
        let mut out = String::with_capacity(markdown.len());
        let mut in_fence = false;
        for line in markdown.lines() {
            if is_fence(line) {
                in_fence = !in_fence;
            } else if !in_fence && self.contains(line) && !is_kept(line) {
                continue;
            }
            out.push_str(line);
            out.push('\n');
        }
        out
    }
}

/// A detector of a source's skeleton from its items' bodies.
#[derive(Debug, Default)]
pub struct SkeletonDetector {
    /// Number of items with each line, and whether every occurrence looked like part of a form.
    counts: HashMap<u64, (usize, bool)>,
    items: usize,
}

impl SkeletonDetector {
    /// Counts the lines of an item's body.
    pub fn add(&mut self, markdown: &str) {
        self.items += 1;
        let mut hashes = HashSet::new();
        let mut in_fence = false;
        for line in markdown.lines().take(400) {
            if is_fence(line) {
                in_fence = !in_fence;
                continue;
            }
            if !in_fence
                && let Some(hash) = line_hash(line)
                && hashes.insert(hash)
            {
                let (count, is_form) = self.counts.entry(hash).or_insert((0, true));
                *count += 1;
                *is_form &= is_form_line(line);
            }
        }
    }

    /// Returns the skeleton of the recurring lines.
    pub fn finish(self) -> Skeleton {
        let share = (self.items as f64 * MIN_SHARE).ceil() as usize;
        let floor = |is_form: bool| share.max(if is_form { MIN_FORM_ITEMS } else { MIN_ITEMS });
        let is_frequent =
            |n: usize| n >= MIN_SMALL_ITEMS && n as f64 >= self.items as f64 * MIN_SMALL_SHARE;
        let recurs = |(_, (n, form)): &(u64, (usize, bool))| *n >= floor(*form) || is_frequent(*n);
        Skeleton::from_hashes(self.counts.into_iter().filter(recurs).map(|(hash, _)| hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn form_lines_are_labels_or_choices() {
        for line in [
            "Priorität: Mittel",
            "Standort: Köln",
            "Beschreibung:",
            "-- sent by the portal",
            "h3. Impact",
            "||Users||Since||",
        ] {
            assert!(is_form_line(line), "{line}");
        }
        for line in [
            "Error: ledger is sealed",
            "TypeError: x is undefined",
            "Version: 5.2",
            "It stops: the queue is full and nobody sees it",
            "std::vec overflows",
            "The printer is dead",
        ] {
            assert!(!is_form_line(line), "{line}");
        }
    }

    #[test]
    fn lines_shared_by_most_reports_are_the_form() {
        let skeleton = |copies: usize, others: usize| {
            let mut detector = SkeletonDetector::default();
            (0..copies).for_each(|i| {
                detector.add(&format!("Please add a photo of the till.\nIt fails in way {i}"))
            });
            (0..others).for_each(|i| detector.add(&format!("Another report, number {i}")));
            detector.finish()
        };
        let line = "Please add a photo of the till.";
        assert!(skeleton(6, 30).contains(line));
        assert!(!skeleton(5, 10).contains(line), "five items may share a line by chance");
        assert!(!skeleton(6, 60).contains(line), "six of many may be duplicates");
    }

    #[test]
    fn form_is_removed_and_answers_stay() {
        let mut detector = SkeletonDetector::default();
        for i in 0..20 {
            detector.add(&format!(
                "### What happened\nit broke in way {i}\n- [{}] I searched\n",
                if i % 2 == 0 { "x" } else { " " }
            ));
        }
        let skeleton = detector.finish();
        assert_eq!(
            skeleton.strip(
                "### What happened\nThe pump stops.\n- [ ] I searched\n```\nWhat happened\n```"
            ),
            "The pump stops.\n```\nWhat happened\n```\n"
        );
    }

    #[test]
    fn form_lines_are_recognized_in_small_sources() {
        let mut detector = SkeletonDetector::default();
        for i in 0..4 {
            detector.add(&format!("### 版本\n{i}\n**Device:** pump\n- [x] I searched\nit stops"));
        }
        let text =
            detector.finish().strip("### 版本\n9\n**Device:** pump\n- [ ] I searched\nit stops");
        assert_eq!(text, "9\nit stops\n");
    }

    #[test]
    fn small_source_has_no_skeleton() {
        let mut detector = SkeletonDetector::default();
        for _ in 0..5 {
            detector.add("same line every time");
        }
        assert_eq!(detector.finish(), Skeleton::default());
    }
}
