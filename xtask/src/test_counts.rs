//! Parses the summary lines of test runners.

/// The numbers of passed, failed (or not runnable) and skipped tests.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
pub struct TestCounts {
    passed_count: u64,
    pub failed_count: u64,
    skipped_count: u64,
}

impl std::ops::AddAssign for TestCounts {
    fn add_assign(&mut self, rhs: Self) {
        self.passed_count += rhs.passed_count;
        self.failed_count += rhs.failed_count;
        self.skipped_count += rhs.skipped_count;
    }
}

impl std::fmt::Display for TestCounts {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "{} passed, {} failed, {} skipped",
            self.passed_count, self.failed_count, self.skipped_count
        )
    }
}

/// Returns lines such as `test result: ok. 3 passed; 0 failed; …` and
/// `Tests  1 failed | 12 passed (13)` with their counts; omits lines without tests.
pub fn summary_lines(output: &str) -> Vec<(&str, TestCounts)> {
    let lines = output.lines().map(|line| line.trim());
    lines
        .map(|line| (line, count(line)))
        .filter(|(_, counts)| *counts != TestCounts::default())
        .collect()
}

fn count(line: &str) -> TestCounts {
    let mut counts = TestCounts::default();
    let vitest = line.strip_prefix("Tests ").filter(|rest| rest.ends_with(')'));
    let rest = line.strip_prefix("test result: ").or(vitest).unwrap_or_default();
    let words: Vec<&str> = rest.split([' ', ';']).filter(|word| !word.is_empty()).collect();
    for pair in words.windows(2) {
        let Ok(number) = pair[0].parse::<u64>() else { continue };
        match pair[1] {
            "passed" => counts.passed_count += number,
            "failed" => counts.failed_count += number,
            "ignored" | "skipped" | "todo" => counts.skipped_count += number,
            _ => {}
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn summary_lines_of_both_runners_are_parsed() {
        let output = "test a ... ok\ntest result: FAILED. 3 passed; 2 failed; 1 ignored; 0 measured\n\
            Tests are 7 passed\ntest result: ok. 0 passed; 0 failed; 0 ignored; 4 filtered out\n\
            \x20     Tests  1 failed | 11 passed | 2 skipped | 1 todo (15)\n";
        let lines = summary_lines(output);
        assert_eq!(lines.len(), 2, "{lines:?}");
        assert_eq!(lines[0].1.to_string(), "3 passed, 2 failed, 1 skipped");
        assert_eq!(lines[1].1.to_string(), "11 passed, 1 failed, 3 skipped");
        assert!(lines[1].0.starts_with("Tests  1 failed"));
    }
}
