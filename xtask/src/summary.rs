//! Reads the closing lines of the test runners and adds them up.

/// How many tests passed, failed and were skipped.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Count {
    /// Passed.
    pub passed: u64,
    /// Failed, timed out or could not be run.
    pub failed: u64,
    /// Ignored, skipped or still to be written.
    pub skipped: u64,
}

impl Count {
    /// Adds another runner's.
    pub fn add(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.skipped += other.skipped;
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} passed, {} failed, {} skipped", self.passed, self.failed, self.skipped)
    }
}

/// The summary lines in a runner's output, with what they say.
pub fn summaries(output: &str) -> Vec<(String, Count)> {
    output
        .lines()
        .filter_map(|line| {
            let line = plain(line);
            let line = line.trim();
            let count = cargo(line).or_else(|| nextest(line)).or_else(|| vitest(line))?;
            Some((line.to_owned(), count))
        })
        .collect()
}

/// `test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.00s`
fn cargo(line: &str) -> Option<Count> {
    let rest = line.strip_prefix("test result: ")?;
    let (_, counts) = rest.split_once(". ")?;
    Some(counted(counts.split(';')))
}

/// `Summary [   0.012s] 5 tests run: 5 passed (1 slow), 2 skipped`
fn nextest(line: &str) -> Option<Count> {
    let rest = line.strip_prefix("Summary [")?;
    let (_, counts) = rest.split_once(" run: ")?;
    Some(counted(without_brackets(counts).split(',')))
}

/// `Tests  1 failed | 12 passed | 1 skipped (14)`
fn vitest(line: &str) -> Option<Count> {
    let rest = line.strip_prefix("Tests ")?;
    let (counts, total) = rest.rsplit_once('(')?;
    total.strip_suffix(')')?.parse::<u64>().ok()?;
    Some(counted(counts.split('|')))
}

fn counted<'a>(parts: impl Iterator<Item = &'a str>) -> Count {
    let mut count = Count::default();
    for part in parts {
        let Some((number, word)) = part.trim().split_once(' ') else { continue };
        let Ok(number) = number.parse::<u64>() else { continue };
        match word.trim() {
            "passed" => count.passed += number,
            "failed" | "timed out" | "exec failed" => count.failed += number,
            "ignored" | "skipped" | "todo" => count.skipped += number,
            _ => {}
        }
    }
    count
}

fn without_brackets(text: &str) -> String {
    let mut depth = 0_u32;
    text.chars()
        .filter(|c| match c {
            '(' => {
                depth += 1;
                false
            }
            ')' => {
                depth = depth.saturating_sub(1);
                false
            }
            _ => depth == 0,
        })
        .collect()
}

/// A line without the codes for colours.
fn plain(line: &str) -> String {
    anstream::adapter::strip_str(line).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn only(output: &str) -> Count {
        let found = summaries(output);
        assert_eq!(found.len(), 1, "{found:?}");
        found[0].1
    }

    fn count(passed: u64, failed: u64, skipped: u64) -> Count {
        Count { passed, failed, skipped }
    }

    #[test]
    fn cargo_test() {
        let ok = "running 4 tests\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 7 filtered out; finished in 0.00s\n";
        assert_eq!(only(ok), count(3, 0, 1));
        let bad = "test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.20s";
        assert_eq!(only(bad), count(3, 2, 0));
    }

    #[test]
    fn nextest_summary() {
        assert_eq!(
            only("     Summary [   0.012s] 5 tests run: 5 passed (1 slow), 2 skipped"),
            count(5, 0, 2)
        );
        assert_eq!(
            only(
                "     Summary [  61.002s] 8/9 tests run: 4 passed (1 slow, 1 leaky), 2 failed, 1 exec failed, 1 timed out, 0 skipped"
            ),
            count(4, 4, 0)
        );
        assert_eq!(only("     Summary [   0.012s] 1 test run: 1 passed, 0 skipped"), count(1, 0, 0));
    }

    #[test]
    fn vitest_summary() {
        let output = " Test Files  3 passed (3)\n      Tests  12 passed (12)\n   Start at  10:00:00\n";
        assert_eq!(only(output), count(12, 0, 0));
        assert_eq!(only("      Tests  1 failed | 11 passed | 2 skipped | 1 todo (15)"), count(11, 1, 3));
        assert_eq!(
            only("\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m12 passed\x1b[39m\x1b[22m\x1b[90m (12)\x1b[39m"),
            count(12, 0, 0)
        );
    }

    #[test]
    fn other_lines_say_nothing() {
        assert!(
            summaries("Tests are fine\ntest a ... ok\nSummary of all\nTests (of everything)\n").is_empty()
        );
    }

    #[test]
    fn counts_add_up() {
        let mut sum = count(1, 2, 3);
        sum.add(count(10, 20, 30));
        assert_eq!(sum.to_string(), "11 passed, 22 failed, 33 skipped");
    }
}
