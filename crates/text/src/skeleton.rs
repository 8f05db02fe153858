//! Issue-template skeletons: the lines that a project's form puts into every report say nothing about any of them.

use std::collections::{HashMap, HashSet};

/// A line belongs to the skeleton if at least this share of a source's items has it …
const SHARE: f64 = 0.04;
/// … and at least this many.
const AT_LEAST: usize = 12;
/// … or so many that are at least this share of all: a form in a small tracker.
const AT_LEAST_OF_FEW: usize = 6;
const SHARE_OF_FEW: f64 = 0.15;
/// Of a heading, a label or a box to tick so many are enough: nobody's own words look so.
const AT_LEAST_FORMAL: usize = 4;
/// Longer lines are somebody's words even when they recur.
const MAX_LINE: usize = 240;

/// The fingerprint of a line, blind to case, white space, list and heading marks, and whether a box is ticked.
pub fn line_hash(line: &str) -> Option<u64> {
    let core = line.trim().trim_start_matches(['#', '-', '*', '>', ' ', '+']);
    let core = core.trim_start_matches("[x]").trim_start_matches("[X]").trim_start_matches("[ ]").trim();
    let core = core.trim_matches(['*', '_', ':']);
    // A letter of Chinese says as much as three of Latin.
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

/// The most words of a label of a form, and of what is chosen from a list there.
const LABEL: usize = 3;
/// What stands before a colon in somebody's own words: a failure is told so.
const TOLD: [&str; 8] = ["err", "warn", "fatal", "failed", "failure", "exception", "fehler", "ошибка"];

/// Whether a line is a label of a form with nothing behind it, or with what was chosen from a list: "Priority: high". A number is a version
/// or an amount, and both tell something.
fn is_choice(line: &str) -> bool {
    let Some((label, chosen)) = line.split_once(':') else { return false };
    let words = |text: &str| text.split_whitespace().count();
    let told = label.to_lowercase();
    let is_told = TOLD.iter().any(|word| told.contains(word));
    (1..=LABEL).contains(&words(label))
        && words(chosen) <= LABEL
        && (chosen.is_empty() || chosen.starts_with(' '))
        && !is_told
        && !line.contains(|c: char| c.is_ascii_digit() || matches!(c, '.' | '(' | '/' | '"' | '`'))
}

/// Whether a line looks as forms write theirs: a heading, a label in bold, a box to tick, a choice, the mark of a portal below a rule.
fn is_formal(line: &str) -> bool {
    let line = line.trim();
    let jira = || line.starts_with("||") || matches!(line.as_bytes(), [b'h', b'1'..=b'6', b'.', b' ', ..]);
    if is_choice(line) || line.starts_with("-- ") || jira() {
        return true;
    }
    let label = || line.strip_prefix("**").is_some_and(|rest| rest.contains(":**") || rest.contains("**:"));
    let item = line.trim_start_matches(['-', '*', '+', ' ']);
    line.starts_with('#') || label() || ["[x] ", "[X] ", "[ ] "].iter().any(|tick| item.starts_with(tick))
}

/// The skeleton of one source: hashes of the lines to drop.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Skeleton {
    lines: HashSet<u64>,
}

impl Skeleton {
    /// A skeleton of known lines.
    pub fn from_hashes(lines: impl IntoIterator<Item = u64>) -> Self {
        Self { lines: lines.into_iter().collect() }
    }

    /// The hashes, ascending.
    pub fn hashes(&self) -> Vec<u64> {
        let mut lines: Vec<u64> = self.lines.iter().copied().collect();
        lines.sort_unstable();
        lines
    }

    /// Whether a line belongs to the form and not to the report.
    pub fn has(&self, line: &str) -> bool {
        !self.lines.is_empty() && line_hash(line).is_some_and(|h| self.lines.contains(&h))
    }

    /// The body without the form's lines. Code fences are left alone: a log line that recurs is evidence.
    pub fn strip(&self, markdown: &str) -> String {
        let mut out = String::with_capacity(markdown.len());
        let mut fence = false;
        for line in markdown.lines() {
            let start = line.trim_start();
            if start.starts_with("```") || start.starts_with("~~~") {
                fence = !fence;
            } else if !fence && self.has(line) {
                continue;
            }
            out.push_str(line);
            out.push('\n');
        }
        out
    }
}

/// Finds the skeleton of a source from its items' bodies.
#[derive(Debug, Default)]
pub struct Finder {
    /// How many items have each line, and whether each time it looked as a form's.
    counts: HashMap<u64, (usize, bool)>,
    items: usize,
}

impl Finder {
    /// Counts one item's body.
    pub fn add(&mut self, markdown: &str) {
        self.items += 1;
        let mut seen = HashSet::new();
        let mut fence = false;
        for line in markdown.lines().take(400) {
            let start = line.trim_start();
            if start.starts_with("```") || start.starts_with("~~~") {
                fence = !fence;
                continue;
            }
            if !fence
                && let Some(hash) = line_hash(line)
                && seen.insert(hash)
            {
                let (count, formal) = self.counts.entry(hash).or_insert((0, true));
                *count += 1;
                *formal &= is_formal(line);
            }
        }
    }

    /// The lines that recur.
    pub fn finish(self) -> Skeleton {
        #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)]
        let share = (self.items as f64 * SHARE).ceil() as usize;
        let floor = |formal: bool| share.max(if formal { AT_LEAST_FORMAL } else { AT_LEAST });
        #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
        let of_few = |n: usize| n >= AT_LEAST_OF_FEW && n as f64 >= self.items as f64 * SHARE_OF_FEW;
        let recurs = |(_, (n, formal)): &(u64, (usize, bool))| *n >= floor(*formal) || of_few(*n);
        Skeleton::from_hashes(self.counts.into_iter().filter(recurs).map(|(hash, _)| hash))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_of_a_small_form_is_a_label_or_a_choice_and_no_failure() {
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
    fn what_many_of_a_few_reports_have_is_their_form() {
        let skeleton = |with: usize, without: usize| {
            let mut finder = Finder::default();
            (0..with)
                .for_each(|i| finder.add(&format!("Please add a photo of the till.\nIt fails in way {i}")));
            (0..without).for_each(|i| finder.add(&format!("Another report, number {i}")));
            finder.finish()
        };
        let line = "Please add a photo of the till.";
        assert!(skeleton(6, 30).has(line));
        assert!(!skeleton(5, 10).has(line), "five may be told alike");
        assert!(!skeleton(6, 60).has(line), "six of many may be duplicates");
    }

    #[test]
    fn the_form_goes_and_the_answers_stay() {
        let mut finder = Finder::default();
        for i in 0..20 {
            finder.add(&format!(
                "### What happened\nit broke in way {i}\n- [{}] I searched\n",
                if i % 2 == 0 { "x" } else { " " }
            ));
        }
        let skeleton = finder.finish();
        assert_eq!(
            skeleton.strip("### What happened\nThe pump stops.\n- [ ] I searched\n```\nWhat happened\n```"),
            "The pump stops.\n```\nWhat happened\n```\n"
        );
    }

    #[test]
    fn what_looks_as_a_form_needs_no_large_source() {
        let mut finder = Finder::default();
        for i in 0..4 {
            finder.add(&format!("### 版本\n{i}\n**Device:** pump\n- [x] I searched\nit stops"));
        }
        let left = finder.finish().strip("### 版本\n9\n**Device:** pump\n- [ ] I searched\nit stops");
        assert_eq!(left, "9\nit stops\n");
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
