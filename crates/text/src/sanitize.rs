//! Removal of terminal control sequences, control characters and direction marks, which can make a
//! text look like another.

use std::borrow::Cow;

use super::pattern::Pattern;

/// A terminal control sequence of ECMA-48: CSI (colors, cursor), OSC (titles, links) and other
/// escapes. An unterminated sequence ends with its line. The escape character may be written out or
/// replaced.
static CONTROL_SEQUENCE: Pattern = Pattern::new(concat!(
    r"(?:\x1b|\x9b\[|\\x1[bB]|\\u001[bB]|\\033|\\e|\^\[|\x{241b}|\x{fffd})\[[0-9;:?]{0,32}[A-Za-z]",
    r"|\x1b\[[0-?]*[ -/]*[@-~]",
    r"|\x9b[0-?]*[ -/]*[@-~]",
    r"|(?:\x1b\]|\x9d)[^\x07\x1b\n\x{9c}\x{9d}]*(?:\x07|\x1b\\|\x{9c})",
    r"|\x1b[ -/]*[0-~]",
));

/// A color sequence that has lost its escape character: `[31m`, `[0m`.
static ORPHANED_COLOR: Pattern = Pattern::new(r"\[(?:[0-9]{1,3}(?:;[0-9]{1,3}){0,9})?m");
/// The sequences that reset colors. Without one of them, brackets with an m are plain text.
const RESETS: &[&str] = &["[0m", "[39m", "[00m", "[0;39m"];

/// Returns whether a control sequence moves the cursor and thus separates words.
fn moves_cursor(sequence: &str) -> bool {
    let is_csi = sequence.contains(['[', '\u{9b}']);
    match sequence.chars().next_back() {
        Some('A'..='J' | 'S' | 'T' | 'a' | 'd' | 'e' | 'f' | '`' | 's' | 'u') if is_csi => true,
        // Next line, previous line, saved position.
        Some('D' | 'E' | 'M' | '8') => !is_csi && sequence.starts_with('\u{1b}'),
        _ => false,
    }
}

/// Removes terminal control sequences. A space replaces a cursor movement between two words.
fn remove_sequences(text: &str) -> Cow<'_, str> {
    let mut sequences = CONTROL_SEQUENCE.find_iter(text).peekable();
    if sequences.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let (mut out, mut start, mut has_moved) = (String::with_capacity(text.len()), 0, false);
    let mut push_words = |words: &str, has_moved: &mut bool| {
        let Some(first) = words.chars().next() else { return };
        let is_joined =
            out.chars().next_back().is_some_and(|c| !c.is_whitespace()) && !first.is_whitespace();
        if std::mem::take(has_moved) && is_joined {
            out.push(' ');
        }
        out.push_str(words);
    };
    for sequence in sequences {
        push_words(&text[start..sequence.start()], &mut has_moved);
        has_moved |= moves_cursor(sequence.as_str());
        start = sequence.end();
    }
    push_words(&text[start..], &mut has_moved);
    Cow::Owned(out)
}

/// Returns whether a carriage return within a line, or a backspace, overwrites text.
fn has_overwrites(text: &str) -> bool {
    text.contains('\u{8}')
        || (text.contains('\n')
            && text
                .match_indices('\r')
                .any(|(offset, _)| !text[offset + 1..].starts_with(['\r', '\n'])))
}

/// Returns the text as a terminal shows it after carriage returns and backspaces.
fn resolve_overwrites(text: &str) -> Cow<'_, str> {
    if !has_overwrites(text) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    for (n, line) in text.split('\n').enumerate() {
        if n > 0 {
            out.push('\n');
        }
        let start = out.len();
        let last = line.rsplit('\r').find(|state| !state.trim().is_empty()).unwrap_or_default();
        for c in last.chars() {
            match c {
                '\u{8}' if out.len() > start => drop(out.pop()),
                '\u{8}' => {}
                c => out.push(c),
            }
        }
    }
    Cow::Owned(out)
}

/// Removes terminal sequences and overwritten text. Words divided only by a color are joined; words
/// divided by a cursor movement stay separate.
pub fn strip_ansi(text: &str) -> Cow<'_, str> {
    match resolve_overwrites(text) {
        Cow::Borrowed(text) => strip_sequences(text),
        Cow::Owned(text) => Cow::Owned(strip_sequences(&text).into_owned()),
    }
}

fn strip_sequences(text: &str) -> Cow<'_, str> {
    let plain = remove_sequences(text);
    if !RESETS.iter().any(|reset| plain.contains(reset)) {
        return plain;
    }
    let mut out = String::with_capacity(plain.len());
    let mut start = 0;
    for color in ORPHANED_COLOR.find_iter(&plain) {
        // "rate[5m]" is a duration.
        if plain[color.end()..].starts_with(']') {
            continue;
        }
        out.push_str(&plain[start..color.start()]);
        start = color.end();
    }
    out.push_str(&plain[start..]);
    Cow::Owned(out)
}

/// Returns whether a character is a direction mark, or a control character other than a line break
/// or tab.
pub fn is_control(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {
            true
        }
        c => c.is_control(),
    }
}

/// Removes direction marks, converts line ends to `\n`, and replaces other control characters with
/// U+FFFD, so that no words are joined.
pub fn sanitize(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_control) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            c if !is_control(c) => out.push(c),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// Escapes all control characters in JSON, which itself requires this only below U+0020.
pub fn escape_json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_control(c) {
            out.push_str(&format!("\\u{:04x}", u32::from(c)));
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_removed_or_replaced() {
        let text = "a\u{1b}[31mb\u{7}c\u{9b}d\u{202e}e\r\nf\rg\u{7f}\u{200f}h\u{2066}\ti\u{61c}\n";
        assert_eq!(sanitize(text), "a\u{fffd}[31mb\u{fffd}c\u{fffd}de\nf\ng\u{fffd}h\ti\n");
        assert!(matches!(sanitize("plain, ä, 日本\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn many_control_characters_take_linear_time() {
        let returns = format!("{}\n", "\r".repeat(1_000_000));
        assert_eq!(strip_ansi(&returns), returns);
        let titles = "\u{9d}^[[m".repeat(200_000);
        assert_eq!(strip_ansi(&titles).chars().count(), 200_000);
    }

    #[test]
    fn colors_do_not_change_a_log() {
        let plain =
            "error[E0308]: mismatched types\n  --> src/pump.rs:4:9\n\tnote: rate[5m] of a[0] is 3";
        assert!(matches!(strip_ansi(plain), Cow::Borrowed(_)));
        for escape in
            ["\u{1b}", "\\x1b", "\\u001b", "\\033", "\\e", "^[", "\u{241b}", "\u{fffd}", ""]
        {
            let text = plain
                .replace("error", &format!("{escape}[0m{escape}[1m{escape}[38;5;9merror"))
                .replace("]:", &format!("]{escape}[0m{escape}[m:"))
                .replace("-->", &format!("{escape}[1;34m-->{escape}[0m"));
            assert_eq!(strip_ansi(&text), plain, "{escape:?}");
        }
        for (text, expected) in [
            ("\u{9b}31mred\u{9b}0m", "red"),
            ("\u{1b}]0;title\u{7}ls", "ls"),
            ("\u{1b}]8;;https://w.example\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}[2K\u{1b}[1Gdone\u{1b}(B", "done"),
            ("never ends \u{1b}]0;title\nnext line", "never ends 0;title\nnext line"),
            ("50 [m] and [31m of rope", "50 [m] and [31m of rope"),
        ] {
            assert_eq!(strip_ansi(text), expected, "{text:?}");
        }
    }

    #[test]
    fn cursor_movement_separates_words() {
        for (text, expected) in [
            ("NAME\u{1b}[20Gstatus\u{1b}[40Gport", "NAME status port"),
            ("left\u{1b}[10Cright", "left right"),
            ("up\u{1b}[2Adown", "up down"),
            ("end\u{1b}[Hhome\u{1b}[2J\u{1b}[1;5Hplace", "end home place"),
            ("one\u{9b}5Gtwo \u{1b}[7Gthree", "one two three"),
            ("one\\e[5Gtwo^[[3Cthree", "one two three"),
            ("one\u{1b}Etwo", "one two"),
            ("mod\u{1b}[1mul\u{1b}[0me tail\u{1b}[0Ked", "module tailed"),
        ] {
            assert_eq!(strip_ansi(text), expected, "{text:?}");
        }
    }

    #[test]
    fn overwritten_line_keeps_its_last_state() {
        for (text, expected) in [
            ("get\nLoading 10%\rLoading 99%\rError: no route\nend", "get\nError: no route\nend"),
            (
                "Counting: 10%\r\u{1b}[KCounting: 100%, done.\r\nnext\r\n",
                "Counting: 100%, done.\nnext\n",
            ),
            ("one\r\r\ntwo\rTWO\r\n", "one\nTWO\n"),
            ("spin |\u{8}/\u{8}-\u{8} done", "spin  done"),
            ("N\u{8}NA\u{8}AME", "NAME"),
        ] {
            assert_eq!(strip_ansi(text), expected, "{text:?}");
        }
        for input in ["one\r\ntwo\r\n", "lines of\rvery old\rcomputers", "one\r\r\ntwo"] {
            assert!(matches!(strip_ansi(input), Cow::Borrowed(_)), "{input:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn only_control_sequences_are_removed(lines in proptest::collection::vec("[a-z0-9 :/äß]{0,20}", 1..8), sequences in "(\\[[0-9;]{0,4}[mKGAJ]|\\(B|=){1}") {
            let plain = lines.join("\n");
            let log = lines.iter().map(|l| format!("\u{1b}{sequences}{l}\u{1b}[0m")).collect::<Vec<_>>().join("\n");
            proptest::prop_assert_eq!(strip_ansi(&log), plain.as_str());
        }

        #[test]
        fn any_text_never_grows(text in "[\u{1b}\u{9b}\\[\\]0-9;m\\\\a-c\n]{0,80}") {
            proptest::prop_assert!(strip_ansi(&text).len() <= text.len());
        }
    }

    #[test]
    fn escaped_json_has_the_same_value() {
        let text = "a\u{9b}31m\u{202e}b\u{1b}\u{200e}ä";
        let json_text = escape_json(&serde_json::to_string(text).unwrap());
        assert_eq!(json_text, "\"a\\u009b31m\\u202eb\\u001b\\u200eä\"");
        assert_eq!(serde_json::from_str::<String>(&json_text).unwrap(), text);
    }
}
