//! What a text may show. Control characters are orders to a terminal, and marks that turn the reading direction around make
//! a text look like another.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

use super::pattern::re;

/// Orders to a terminal as they stand in logs: ECMA-48 (CSI: colours, cursor; OSC: titles, links; other escapes). An order that never
/// ends takes no more than its own line. The escape character itself may have been written out or lost its shape on the way.
static ORDERS: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?:\x1b|\x9b\[|\\x1[bB]|\\u001[bB]|\\033|\\e|\^\[|\x{241b}|\x{fffd})\[[0-9;:?]{0,32}[A-Za-z]",
        r"|\x1b\[[0-?]*[ -/]*[@-~]",
        r"|\x9b[0-?]*[ -/]*[@-~]",
        r"|(?:\x1b\]|\x9d)[^\x07\x1b\n\x{9c}]*(?:\x07|\x1b\\|\x{9c})",
        r"|\x1b[ -/]*[0-~]",
    ))
});

/// A colour whose escape character was lost when somebody copied it from a page: `[31m`, `[0m`.
static ORPHANS: LazyLock<Regex> = LazyLock::new(|| re(r"\[(?:[0-9]{1,3}(?:;[0-9]{1,3}){0,9})?m"));
/// What sets colours back: where none of these stands, brackets and an m are something else.
const RESETS: &[&str] = &["[0m", "[39m", "[00m", "[0;39m"];

/// The text without a terminal's colours and movements, as it would be without a terminal. Words that only an order divided are one.
pub fn uncoloured(text: &str) -> Cow<'_, str> {
    let coloured = text.contains(['\u{1b}', '\u{9b}', '\u{9d}'])
        || (text.contains('[')
            && [
                "^[[",
                "\\x1b[",
                "\\x1B[",
                "\\u001b[",
                "\\u001B[",
                "\\033[",
                "\\e[",
                "\u{241b}[",
                "\u{fffd}[",
            ]
            .iter()
            .any(|escape| text.contains(escape)));
    let plain = if coloured { ORDERS.replace_all(text, "") } else { Cow::Borrowed(text) };
    if !RESETS.iter().any(|reset| plain.contains(reset)) {
        return plain;
    }
    let mut out = String::with_capacity(plain.len());
    let mut from = 0;
    for found in ORPHANS.find_iter(&plain) {
        // "rate[5m]" is a duration.
        if plain[found.end()..].starts_with(']') {
            continue;
        }
        out.push_str(&plain[from..found.start()]);
        from = found.end();
    }
    out.push_str(&plain[from..]);
    Cow::Owned(out)
}

/// Whether a character is an order and no text: a control character but the line break and the tab, or a mark of the reading
/// direction.
pub fn is_order(c: char) -> bool {
    match c {
        '\n' | '\t' => false,
        '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => true,
        c => c.is_control(),
    }
}

/// The text without orders: lines end as on Unix, marks of the reading direction are gone, and what else is none stands as
/// U+FFFD, so that no words are glued together.
pub fn visible(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_order) {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        match c {
            '\r' if chars.peek() == Some(&'\n') => {}
            '\r' => out.push('\n'),
            c if !is_order(c) => out.push(c),
            c if c.is_control() => out.push(char::REPLACEMENT_CHARACTER),
            _ => {}
        }
    }
    Cow::Owned(out)
}

/// JSON that means the same, with every order escaped. JSON itself escapes the control characters below the space alone.
pub fn json(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for c in json.chars() {
        if is_order(c) {
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
    fn orders_are_gone_and_words_stay_apart() {
        let text = "a\u{1b}[31mb\u{7}c\u{9b}d\u{202e}e\r\nf\rg\u{7f}\u{200f}h\u{2066}\ti\u{61c}\n";
        assert_eq!(visible(text), "a\u{fffd}[31mb\u{fffd}c\u{fffd}de\nf\ng\u{fffd}h\ti\n");
        assert!(matches!(visible("plain, ä, 日本\n"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_coloured_log_reads_as_the_same_log_without_colours() {
        let plain = "error[E0308]: mismatched types\n  --> src/pump.rs:4:9\n\tnote: rate[5m] of a[0] is 3";
        assert!(matches!(uncoloured(plain), Cow::Borrowed(_)));
        for escape in ["\u{1b}", "\\x1b", "\\u001b", "\\033", "\\e", "^[", "\u{241b}", "\u{fffd}", ""] {
            let text = plain
                .replace("error", &format!("{escape}[0m{escape}[1m{escape}[38;5;9merror"))
                .replace("]:", &format!("]{escape}[0m{escape}[m:"))
                .replace("-->", &format!("{escape}[1;34m-->{escape}[0m"));
            assert_eq!(uncoloured(&text), plain, "{escape:?}");
        }
        for (text, want) in [
            ("\u{9b}31mred\u{9b}0m", "red"),
            ("\u{1b}]0;title\u{7}ls", "ls"),
            ("\u{1b}]8;;https://w.example\u{1b}\\link\u{1b}]8;;\u{1b}\\", "link"),
            ("\u{1b}[2K\u{1b}[1Gdone\u{1b}(B", "done"),
            ("never ends \u{1b}]0;title\nnext line", "never ends 0;title\nnext line"),
            ("50 [m] and [31m of rope", "50 [m] and [31m of rope"),
        ] {
            assert_eq!(uncoloured(text), want, "{text:?}");
        }
    }

    proptest::proptest! {
        #[test]
        fn what_has_no_colours_stays_and_nothing_else_goes(lines in proptest::collection::vec("[a-z0-9 :/äß]{0,20}", 1..8), orders in "(\\[[0-9;]{0,4}[mKGAJ]|\\(B|=){1}") {
            let plain = lines.join("\n");
            let coloured = lines.iter().map(|l| format!("\u{1b}{orders}{l}\u{1b}[0m")).collect::<Vec<_>>().join("\n");
            proptest::prop_assert_eq!(uncoloured(&coloured), plain.as_str());
        }

        #[test]
        fn any_text_is_read_and_grows_never(text in "[\u{1b}\u{9b}\\[\\]0-9;m\\\\a-c\n]{0,80}") {
            proptest::prop_assert!(uncoloured(&text).len() <= text.len());
        }
    }

    #[test]
    fn json_means_the_same() {
        let text = "a\u{9b}31m\u{202e}b\u{1b}\u{200e}ä";
        let escaped = json(&serde_json::to_string(text).unwrap());
        assert_eq!(escaped, "\"a\\u009b31m\\u202eb\\u001b\\u200eä\"");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
