//! Reduction of a long text, such as a log, to its salient lines.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
};

use regex::Regex;

use crate::{
    mail, markdown::is_fence, pattern::Pattern, report, sanitize::strip_ansi, signature,
    skeleton::Skeleton,
};

/// The maximum length of a text that is used unchanged, in bytes.
const MAX_WHOLE: usize = 24_000;
/// The maximum length of the salient part of a longer text, in bytes.
const MAX_SALIENT: usize = 20_000;
/// The number of first and last distinct lines that are kept.
const FIRST_LINES: usize = 30;
const LAST_LINES: usize = 60;
/// The number of lines that are kept after a failure line.
const CONTEXT_LINES: usize = 4;
/// The maximum length of a mail, in bytes.
const MAX_MAIL: usize = 1_000_000;
const MIN_LOG_LINES: usize = 30;
/// The mark that replaces omitted lines.
const OMISSION_MARK: &str = "[…]\n";
/// The maximum length of a line that is kept whole, in bytes.
const MAX_LINE: usize = 2_000;

static FAILURE: Pattern = Pattern::new(
    r"(?i)\b(?:error|fatal|panic(?:ked)?|critical|severe|exception|traceback|failed|failure|abort(?:ed)?|segfault|caused by)\b",
);
static WARNING: Pattern = Pattern::new(r"(?i)\bwarn(?:ing)?\b");
static NUMBER: Pattern = Pattern::new(r"0x[0-9a-fA-F]+|[0-9]+");

/// Returns whether a line names a failure.
pub fn is_failure(line: &str) -> bool {
    FAILURE.is_match(line)
}

/// Returns the salient part of a query text: the writer's own words without terminal colors. A
/// short text is kept whole; a long one is reduced to its salient lines.
pub fn extract_salient(text: &str) -> Cow<'_, str> {
    let text = match strip_ansi(text) {
        plain if plain.len() > MAX_MAIL => plain,
        plain => match mail::split_pasted(&plain) {
            Some((subject, body)) if subject.is_empty() => Cow::Owned(body),
            Some((subject, body)) => Cow::Owned(format!("{subject}\n\n{body}")),
            None => plain,
        },
    };
    if text.len() <= MAX_WHOLE {
        return text;
    }
    let lines: Vec<&str> = text.lines().collect();
    let indices = salient_lines(&lines, MAX_SALIENT);
    Cow::Owned(indices.into_iter().map(|i| truncate(lines[i])).collect::<Vec<_>>().join("\n"))
}

/// Shortens a Markdown text to about `max_bytes` for display. Prose is kept; long code blocks and
/// logs are reduced to their salient lines, with marks for omitted lines.
pub fn condense(text: &str, max_bytes: usize) -> Cow<'_, str> {
    if text.len() <= max_bytes {
        return text.into();
    }
    let runs = line_runs(text);
    // A text without code blocks may be a log.
    let is_long = |run: &LineRun<'_>| {
        run.lines.len() >= MIN_LOG_LINES && (run.is_code || (runs.len() == 1 && is_log(&run.lines)))
    };
    let count = runs.iter().filter(|run| is_long(run)).count();
    if count == 0 {
        return text.into();
    }
    let prose_bytes: usize = runs.iter().filter(|run| !is_long(run)).map(LineRun::bytes).sum();
    let part_budget = max_bytes.saturating_sub(prose_bytes).max(max_bytes / 2) / count;
    let mut out = String::with_capacity(max_bytes);
    for run in &runs {
        let indices: BTreeSet<usize> = match is_long(run) && run.bytes() > part_budget {
            // Reserve room for the marks.
            true => salient_lines(&run.lines, part_budget * 3 / 4),
            false => (0..run.lines.len()).collect(),
        };
        let mut next = 0;
        for index in indices {
            if index > next {
                out.push_str(OMISSION_MARK);
            }
            out.push_str(truncate(run.lines[index]));
            out.push('\n');
            next = index + 1;
        }
        if next < run.lines.len() {
            out.push_str(OMISSION_MARK);
        }
    }
    out.truncate(out.trim_end().len());
    Cow::Owned(out)
}

/// A run of lines: the content of a code block, or the lines between code blocks, fences included.
struct LineRun<'t> {
    lines: Vec<&'t str>,
    is_code: bool,
}

impl LineRun<'_> {
    fn bytes(&self) -> usize {
        self.lines.iter().map(|line| line.len() + 1).sum()
    }
}

/// Returns whether most lines contain numbers, like log records.
fn is_log(lines: &[&str]) -> bool {
    let text_lines = lines.iter().filter(|line| !line.trim().is_empty());
    let numbered_lines = text_lines.clone().filter(|line| NUMBER.is_match(truncate(line)));
    numbered_lines.count() * 2 > text_lines.count()
}

fn line_runs(text: &str) -> Vec<LineRun<'_>> {
    let mut out = vec![LineRun { lines: Vec::new(), is_code: false }];
    for line in text.lines() {
        let is_fence = is_fence(line);
        let in_code = out.last().is_some_and(|run| run.is_code);
        if is_fence && in_code {
            out.push(LineRun { lines: Vec::new(), is_code: false });
        }
        if let Some(run) = out.last_mut() {
            run.lines.push(line);
        }
        if is_fence && !in_code {
            out.push(LineRun { lines: Vec::new(), is_code: true });
        }
    }
    out.retain(|run| !run.lines.is_empty());
    out
}

/// Returns the indices of the salient lines, at most `max_bytes` together. Lines that differ only
/// in numbers count once. The first and last lines and those around failures are kept; rare
/// failures take precedence.
fn salient_lines(lines: &[&str], max_bytes: usize) -> BTreeSet<usize> {
    let hash = BuildHasherDefault::<DefaultHasher>::new();
    let kinds: Vec<u64> =
        lines.iter().map(|l| hash.hash_one(NUMBER.replace_all(l.trim(), "0").as_ref())).collect();
    let mut kind_counts: HashMap<u64, usize> = HashMap::new();
    for kind in &kinds {
        *kind_counts.entry(*kind).or_default() += 1;
    }
    // The last line represents its kind, because programs fail at the end of their output.
    let mut last_indices: HashMap<u64, usize> = HashMap::new();
    for (index, kind) in kinds.iter().enumerate() {
        last_indices.insert(*kind, index);
    }
    let distinct: BTreeSet<usize> =
        last_indices.into_values().filter(|index| !lines[*index].trim().is_empty()).collect();
    let mut order: Vec<usize> = Vec::new();
    // Rank failures before warnings, so that many distinct warnings leave room for one failure.
    let severity = |index: usize| {
        let line = truncate(lines[index]);
        if FAILURE.is_match(line) {
            return Some(0_u8);
        }
        let has_signature =
            || signature::signatures(line).iter().any(signature::Signature::is_distinctive);
        (WARNING.is_match(line) || has_signature()).then_some(1)
    };
    let mut failures: Vec<(u8, usize)> =
        distinct.iter().filter_map(|index| Some((severity(*index)?, *index))).collect();
    failures.sort_by_key(|(severity, index)| {
        (*severity, kind_counts[&kinds[*index]], std::cmp::Reverse(*index))
    });
    for (_, i) in failures {
        order.push(i);
        order.extend(
            (i.saturating_sub(1)..=(i + CONTEXT_LINES).min(lines.len() - 1)).filter(|n| *n != i),
        );
    }
    let ends = distinct.iter().rev().take(LAST_LINES).chain(distinct.iter().take(FIRST_LINES));
    let mut indices = BTreeSet::new();
    let mut remaining_bytes = max_bytes;
    // The first line identifies the text, so it precedes the failures.
    for index in std::iter::once(0).chain(order.into_iter().take(400)).chain(ends.copied()) {
        let size = truncate(lines[index]).len() + 1;
        if size <= remaining_bytes && indices.insert(index) {
            remaining_bytes -= size;
        }
    }
    indices
}

/// Returns the line that best describes a text: a mail's subject, a log's first failure, else the
/// first line.
pub fn headline(text: &str) -> String {
    let title = report::split_paste(text, &Skeleton::default()).0;
    if !title.is_empty() {
        return title;
    }
    let plain = strip_ansi(text);
    let first = || plain.trim().lines().next();
    // Without a failure, use the first warning.
    let first_match = |pattern: &Regex| plain.lines().find(|line| pattern.is_match(truncate(line)));
    first_match(&FAILURE)
        .or_else(|| first_match(&WARNING))
        .or_else(first)
        .unwrap_or_default()
        .to_owned()
}

fn truncate(line: &str) -> &str {
    &line[..line.floor_char_boundary(MAX_LINE)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(lines: usize, failure_line: usize, failure: &str) -> String {
        let line = |n| match n == failure_line {
            true => failure.to_owned(),
            false => format!(
                "2026-01-01T00:{:02}:{:02}Z INFO request {n} took {} ms",
                n / 60 % 60,
                n % 60,
                n % 977
            ),
        };
        (0..lines).map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn short_text_is_unchanged() {
        assert!(matches!(extract_salient("one\n\ntwo"), Cow::Borrowed("one\n\ntwo")));
    }

    #[test]
    fn condensed_text_keeps_failures_in_code_blocks() {
        let log = log(3_000, 1_500, "2026-01-01T10:00:00Z FATAL FW-777 index page torn");
        let text = format!(
            "It stops at night.\n\n<details>\n\n```\n{log}\n```\n</details>\n\nSeen on 4.1."
        );
        let short_text = condense(&text, 6_000);
        assert!(short_text.len() <= 6_000 && short_text.contains("FW-777"), "{short_text}");
        for part in
            ["It stops at night.", "<details>", "\n[…]\n", "```\n</details>", "Seen on 4.1."]
        {
            assert!(short_text.contains(part), "{part}: {short_text}");
        }
        assert!(condense(&log, 6_000).contains("FW-777"));
    }

    #[test]
    fn prose_is_not_condensed() {
        let text = "A paragraph that says much of it.\n\n".repeat(20);
        assert_eq!(condense(&text, 100), text);
        assert_eq!(condense("short", 100), "short");
    }

    #[test]
    fn salient_text_ignores_colors_and_quoted_mail() {
        let log = log(20_000, 777, "\u{1b}[31merror\u{1b}[0m: the ring has no slot left");
        assert!(extract_salient(&log).contains("error: the ring has no slot left"));
        let mail = "From: Ada\nTo: Desk\nSubject: Re: Pump\n\nHello,\n\nit stops.\n\nRegards\nAda";
        assert_eq!(extract_salient(mail), "Pump\n\nit stops.");
    }

    #[test]
    fn failure_is_kept_at_any_position() {
        for failure_line in [0, 777, 19_999] {
            let log = log(20_000, failure_line, "ERROR FW-1043: upload stopped at offset 12");
            let salient = extract_salient(&log);
            assert!(
                salient.len() <= MAX_SALIENT && salient.contains("FW-1043"),
                "line {failure_line}: {} bytes",
                salient.len()
            );
        }
    }

    #[test]
    fn rarest_failure_is_kept_among_many() {
        let mut lines: Vec<String> =
            (0..50_000).map(|n| format!("ERROR retry {n} of the queue")).collect();
        lines.insert(
            31_000,
            "java.lang.IllegalStateException: the ring has no slot left".to_owned(),
        );
        let text = lines.join("\n");
        assert!(extract_salient(&text).contains("no slot left"));
    }

    #[test]
    fn failure_is_kept_among_thousands_of_warnings() {
        let word = |n: usize| {
            n.to_string().bytes().map(|b| char::from(b - b'0' + b'a')).collect::<String>()
        };
        let mut lines: Vec<String> =
            (0..9_000).map(|n| format!("WARN slow request of {}", word(n))).collect();
        lines.insert(700, "ERROR the ring has no slot left".to_owned());
        assert!(extract_salient(&lines.join("\n")).contains("no slot left"));
    }

    proptest::proptest! {
        #[test]
        fn salient_text_is_short_and_from_the_input(lines in proptest::collection::vec("[a-zé0-9 ]{0,40}", 0..3_000)) {
            let text = lines.join("\n");
            let salient = extract_salient(&text);
            proptest::prop_assert!(salient.len() <= text.len().min(MAX_WHOLE));
            for line in salient.lines() {
                proptest::prop_assert!(text.contains(line));
            }
        }
    }
}
