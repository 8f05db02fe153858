//! Severity of lines without a level, by their words.

use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use precedent_core::model::LogSeverity;
use precedent_text::words::phrases;

use crate::formats::{FORMATS, Level};

/// The keyword matcher, and the severity of each keyword.
#[allow(clippy::unwrap_used, reason = "the words are constants; a test looks for each")]
static KEYWORDS: LazyLock<(AhoCorasick, Vec<LogSeverity>)> = LazyLock::new(|| {
    let words = &FORMATS.keywords;
    let lists = [
        (&words.fatal, LogSeverity::Fatal),
        (&words.error, LogSeverity::Error),
        (&words.warning, LogSeverity::Warning),
    ];
    let pairs = lists
        .into_iter()
        .flat_map(|(list, severity)| phrases(list).map(move |word| (word, severity)));
    let (words, severities): (Vec<&str>, Vec<LogSeverity>) = pairs.unzip();
    let finder = AhoCorasick::builder()
        .ascii_case_insensitive(true)
        .kind(Some(AhoCorasickKind::DFA))
        .build(words)
        .unwrap();
    (finder, severities)
});

/// Returns the severity of a line, or `None` if it reports no failure.
pub fn severity(line: &[u8]) -> Option<LogSeverity> {
    let (words, severities) = &*KEYWORDS;
    words
        .find_iter(line)
        .filter(|m| is_word(line, m.start(), m.end()) && !is_negated(line, m.start(), m.end()))
        .map(|m| severities[m.pattern()])
        .min()
        .or_else(|| {
            (has_oracle_code(line) || is_missing_command(line)).then_some(LogSeverity::Error)
        })
}

/// Returns whether a line is a shell's report of a missing program: `/bin/sh: 1: yarn: not found`.
pub fn is_missing_command(line: &[u8]) -> bool {
    let Some(end) = memchr::memchr(b' ', &line[..line.len().min(32)]) else { return false };
    line[..end].ends_with(b"sh:")
        && (line.trim_ascii_end().ends_with(b": not found")
            || memchr::memmem::find(&line[end..], b" command not found").is_some())
}

/// Returns whether the text after an error word makes it a metric with a good value: `error rate
/// 0.00`, `error budget 99.9 %`.
fn is_good_metric(rest: &[u8]) -> bool {
    let rest = rest.trim_ascii_start();
    let budget = rest.strip_prefix(b"budget");
    let Some(value) = budget
        .or_else(|| [&b"rate"[..], b"ratio", b"count"].iter().find_map(|n| rest.strip_prefix(*n)))
    else {
        return false;
    };
    let is_number = value
        .iter()
        .all(|b| b.is_ascii_digit() || matches!(b, b' ' | b'.' | b',' | b'%' | b':' | b'='));
    let is_zero = value.iter().all(|b| !(b'1'..=b'9').contains(b));
    is_number && value.iter().any(u8::is_ascii_digit) && (budget.is_some() || is_zero)
}

/// Returns whether a line begins with an Oracle code, which no word marks as an error: `ORA-01555
/// caused by SQL statement`.
pub fn has_oracle_code(line: &[u8]) -> bool {
    let count_digits = |rest: &[u8]| rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let rest = FORMATS.starts.oracle.match_length(line).map(|length| &line[length..]);
    rest.is_some_and(|rest| matches!(count_digits(rest), 4 | 5) && !rest.starts_with(b"0000"))
}

/// Returns the severity of an event with this level; `None` if it is informational. Fatal words make
/// an error fatal.
pub fn level_severity(level: Level, message: &[u8]) -> Option<LogSeverity> {
    match level {
        Level::Fine => None,
        Level::Warning => Some(LogSeverity::Warning),
        Level::Error if severity(message) == Some(LogSeverity::Fatal) => Some(LogSeverity::Fatal),
        Level::Error => Some(LogSeverity::Error),
        Level::Fatal => Some(LogSeverity::Fatal),
    }
}

/// Returns whether a match is a separate word: `error`, `TypeError`, `errors`; not `terror`,
/// `error_log`, `/error/`, `errors.txt`.
fn is_word(line: &[u8], start: usize, end: usize) -> bool {
    let is_word_byte = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'/' | b'\\' | b'@');
    let previous = line[..start].last().copied();
    let is_camel_case = line[start].is_ascii_uppercase()
        && previous.is_some_and(|b| b.is_ascii_lowercase() || b.is_ascii_uppercase());
    let is_start = is_camel_case
        || previous.is_none_or(|b| !is_word_byte(b) && b != b'-')
        || !line[start].is_ascii();
    let mut rest = &line[end..];
    if let [b's' | b'S', ..] = rest {
        rest = &rest[1..];
    }
    let is_end = match rest {
        [b'.' | b'-', b, ..] => !b.is_ascii_alphanumeric(),
        [b, ..] => !is_word_byte(*b),
        [] => true,
    };
    is_start && (is_end || matches!(line[end - 1], b':'))
}

/// Returns whether the text negates the error: `no errors`, `errors: 0`, `error=null`.
fn is_negated(line: &[u8], start: usize, end: usize) -> bool {
    let mut words = line[..start].rsplit(|b| !b.is_ascii_alphanumeric()).filter(|w| !w.is_empty());
    let previous_word = words.next().unwrap_or_default().to_ascii_lowercase();
    let has_negation = matches!(
        &previous_word[..],
        b"no" | b"0" | b"zero" | b"without" | b"any" | b"if" | b"on" | b"ignore" | b"ignoring"
    );
    let rest = line[end..].strip_prefix(b"s").unwrap_or(&line[end..]);
    let rest = rest.strip_prefix(b"\"").unwrap_or(rest);
    let value = rest.strip_prefix(b"=").or_else(|| rest.strip_prefix(b":"));
    let value = value.map(|v| v.trim_ascii_start());
    // Chinese and Japanese have no spaces between words: 没有错误, 無異常, エラーなし, 異常はありません.
    let is_absent = ["无", "無", "没有", "沒有", "未发现", "零", "非"]
        .iter()
        .any(|word| line[..start].ends_with(word.as_bytes()))
        || phrases("なし, 無し, はありません, は発生していません, はなし, 数: 0, 件数: 0, 信息: 无, 处理, 処理")
            .any(|word| line[end..].starts_with(word.as_bytes()));
    let has_empty_value = value.is_some_and(|v| {
        let end = v.iter().position(|b| matches!(b, b' ' | b',' | b'}' | b';')).unwrap_or(v.len());
        matches!(
            &v[..end],
            b"0" | b"null" | b"none" | b"None" | b"nil" | b"false" | b"\"\"" | b"[]" | b"{}" | b"-"
        )
    });
    has_negation || has_empty_value || is_absent || is_good_metric(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keywords_match_unless_negated() {
        use LogSeverity::{Error, Fatal, Warning};
        let words = &FORMATS.keywords;
        for word in
            [&words.fatal, &words.error, &words.warning].into_iter().flat_map(|l| phrases(l))
        {
            assert!(severity(format!("app {word} here").as_bytes()).is_some(), "{word}");
        }
        for (line, expected) in [
            ("thread 'main' panicked at src/x.rs:4:9:", Some(Fatal)),
            ("Out of memory: Killed process 12 (java)", Some(Fatal)),
            ("TypeError: undefined is not a function", Some(Error)),
            ("java.lang.NullPointerException", Some(Error)),
            ("3 errors occurred", Some(Error)),
            ("connect() failed (111: Connection refused)", Some(Warning)),
            ("ORA-01555 caused by SQL statement below", Some(Error)),
            ("ORA-00000: normal, successful completion", None),
            ("0 errors, 0 warnings", None),
            ("finished without errors", None),
            ("errors: 0, failed: 0", None),
            ("{\"error\":null}", None),
            ("open /var/log/error.log", None),
            ("set error_page 500", None),
            ("GET /errors/12", None),
            ("nvme nvme0: Device not ready; aborting reset, CSTS=0x1", Some(Error)),
            ("blk_update_request: I/O error, dev nvme0n1", Some(Error)),
            ("demo.c:(.text+0x9): undefined reference to `acme_codec_init'", Some(Error)),
            ("帳票の出力に失敗しました", Some(Warning)),
            ("システム異常を検出しました", Some(Error)),
            ("检查完成，没有错误", None),
            ("エラーはありません", None),
            ("異常なし", None),
            ("error budget 99.98 %", None),
            ("error rate: 0.00", None),
            ("error rate: 12 %", Some(Error)),
            ("error budget exhausted", Some(Error)),
            ("/bin/sh: 1: mkdepot: not found", Some(Error)),
            ("build.sh: line 4: mkdepot: command not found", Some(Error)),
            ("the page was not found", None),
            ("all is well", None),
        ] {
            assert_eq!(severity(line.as_bytes()), expected, "{line}");
        }
    }
}
