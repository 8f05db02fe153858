//! Issue-template skeletons: the lines that a project's form adds to every report carry no
//! information.

use std::collections::{HashMap, HashSet};

/// The minimum share of a source's items that contain a line of the skeleton.
const SHARE: f64 = 0.04;
/// The minimum number of items that contain a line of the skeleton.
const AT_LEAST: usize = 12;
/// The minimum number of items, if they reach `SHARE_OF_FEW` of all: a form in a small tracker.
const AT_LEAST_OF_FEW: usize = 6;
const SHARE_OF_FEW: f64 = 0.15;
/// The minimum number of items for a heading, a label or a checkbox, which people rarely write
/// themselves.
const AT_LEAST_FORMAL: usize = 4;
/// The maximum length of a line of the skeleton, in bytes; longer ones are the reporter's own
/// words.
const MAX_LINE: usize = 240;

/// Returns the fingerprint of a line, ignoring case, white space, list and heading marks, and
/// whether a checkbox is ticked.
pub fn line_hash(line: &str) -> Option<u64> {
    let core = line.trim().trim_start_matches(['#', '-', '*', '>', ' ', '+']);
    let core =
        core.trim_start_matches("[x]").trim_start_matches("[X]").trim_start_matches("[ ]").trim();
    let core = core.trim_matches(['*', '_', ':']);
    // A Chinese character carries as much information as three Latin letters.
    let letters: usize = core.chars().filter(|c| c.is_alphabetic()).map(char::len_utf8).sum();
    if core.len() > MAX_LINE || letters < 4 {
        return None;
    }
    let mut hasher = blake3::Hasher::new();
    for word in core.split_whitespace() {
        hasher.update(word.to_lowercase().as_bytes());
        hasher.update(b" ");
    }
    let hash = hasher.finalize();
    hash.as_bytes().first_chunk::<8>().map(|b| u64::from_le_bytes(*b))
}

/// The maximum number of words of a form's label, and of a value chosen there.
const LABEL: usize = 3;
/// The words before a colon that report a failure rather than label a field.
const FAILURES: [&str; 8] =
    ["err", "warn", "fatal", "failed", "failure", "exception", "fehler", "ошибка"];

/// Returns whether a line is a form's label without a value, or with one chosen from a list:
/// "Priority: high". Numbers are excluded, because versions and amounts are informative.
fn is_choice(line: &str) -> bool {
    let Some((label, choice)) = line.split_once(':') else { return false };
    let words = |text: &str| text.split_whitespace().count();
    let lowercase_label = label.to_lowercase();
    let is_failure = FAILURES.iter().any(|word| lowercase_label.contains(word));
    (1..=LABEL).contains(&words(label))
        && words(choice) <= LABEL
        && (choice.is_empty() || choice.starts_with(' '))
        && !is_failure
        && !line.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '(' | '/' | '"' | '`'))
}

/// Returns whether a line looks like a form's: a heading, a label in bold, a checkbox, a choice, a
/// portal's footer.
fn is_formal(line: &str) -> bool {
    let line = line.trim();
    let jira =
        || line.starts_with("||") || matches!(line.as_bytes(), [b'h', b'1'..=b'6', b'.', b' ', ..]);
    if is_choice(line) || line.starts_with("-- ") || jira() {
        return true;
    }
    let label =
        || line.strip_prefix("**").is_some_and(|rest| rest.contains(":**") || rest.contains("**:"));
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    line.starts_with('#')
        || label()
        || ["[x] ", "[X] ", "[ ] "].iter().any(|tick| item.starts_with(tick))
}

/// The skeleton of one source: hashes of the lines to drop.
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

    /// Returns whether a line belongs to the form and not to the report.
    pub fn has(&self, line: &str) -> bool {
        !self.lines.is_empty() && line_hash(line).is_some_and(|h| self.lines.contains(&h))
    }

    /// Returns the body without the form's lines. Code fences are left alone: a log line that
    /// recurs is evidence.
    pub fn strip(&self, markdown: &str) -> String {
        self.strip_except(markdown, |_| false)
    }

    /// Returns the body as [`Self::strip`] does, with those of the form's lines that pass a test.
    pub fn strip_except(&self, markdown: &str, is_kept: impl Fn(&str) -> bool) -> String {
        let mut out = String::with_capacity(markdown.len());
        let mut fence = false;
        for line in markdown.lines() {
            let start = line.trim_start();
            if start.starts_with("```") || start.starts_with("~~~") {
                fence = !fence;
            } else if !fence && self.has(line) && !is_kept(line) {
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
pub struct Finder {
    /// Number of items that have each line, and whether every occurrence looked like a form's.
    counts: HashMap<u64, (usize, bool)>,
    items: usize,
}

impl Finder {
    /// Counts one item's body.
    pub fn add(&mut self, markdown: &str) {
        self.items += 1;
        let mut hashes = HashSet::new();
        let mut fence = false;
        for line in markdown.lines().take(400) {
            let start = line.trim_start();
            if start.starts_with("```") || start.starts_with("~~~") {
                fence = !fence;
                continue;
            }
            if !fence
                && let Some(hash) = line_hash(line)
                && hashes.insert(hash)
            {
                let (count, formal) = self.counts.entry(hash).or_insert((0, true));
                *count += 1;
                *formal &= is_formal(line);
            }
        }
    }

    /// Returns the skeleton of the lines that recur.
    pub fn finish(self) -> Skeleton {
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        let share = (self.items as f64 * SHARE).ceil() as usize;
        let floor = |formal: bool| share.max(if formal { AT_LEAST_FORMAL } else { AT_LEAST });
        #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let of_few =
            |n: usize| n >= AT_LEAST_OF_FEW && n as f64 >= self.items as f64 * SHARE_OF_FEW;
        let recurs = |(_, (n, formal)): &(u64, (usize, bool))| *n >= floor(*formal) || of_few(*n);
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
            assert!(is_formal(line), "{line}");
        }
        for line in [
            "Error: ledger is sealed",
            "TypeError: x is undefined",
            "Version: 5.2",
            "It stops: the queue is full and nobody sees it",
            "std::vec overflows",
            "The printer is dead",
        ] {
            assert!(!is_formal(line), "{line}");
        }
    }

    #[test]
    fn lines_shared_by_most_reports_are_the_form() {
        let skeleton = |with: usize, without: usize| {
            let mut finder = Finder::default();
            (0..with).for_each(|i| {
                finder.add(&format!("Please add a photo of the till.\nIt fails in way {i}"))
            });
            (0..without).for_each(|i| finder.add(&format!("Another report, number {i}")));
            finder.finish()
        };
        let line = "Please add a photo of the till.";
        assert!(skeleton(6, 30).has(line));
        assert!(!skeleton(5, 10).has(line), "five items may share a line by chance");
        assert!(!skeleton(6, 60).has(line), "six of many may be duplicates");
    }

    #[test]
    fn form_is_removed_and_answers_stay() {
        let mut finder = Finder::default();
        for i in 0..20 {
            finder.add(&format!(
                "### What happened\nit broke in way {i}\n- [{}] I searched\n",
                if i % 2 == 0 { "x" } else { " " }
            ));
        }
        let skeleton = finder.finish();
        assert_eq!(
            skeleton.strip(
                "### What happened\nThe pump stops.\n- [ ] I searched\n```\nWhat happened\n```"
            ),
            "The pump stops.\n```\nWhat happened\n```\n"
        );
    }

    #[test]
    fn form_lines_are_recognised_in_small_sources() {
        let mut finder = Finder::default();
        for i in 0..4 {
            finder.add(&format!("### 版本\n{i}\n**Device:** pump\n- [x] I searched\nit stops"));
        }
        let text =
            finder.finish().strip("### 版本\n9\n**Device:** pump\n- [ ] I searched\nit stops");
        assert_eq!(text, "9\nit stops\n");
    }

    #[test]
    fn a_small_source_has_no_skeleton() {
        let mut finder = Finder::default();
        for _ in 0..5 {
            finder.add("same line every time");
        }
        assert_eq!(finder.finish(), Skeleton::default());
    }
}
