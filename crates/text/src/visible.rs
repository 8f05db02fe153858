//! What a text may show. Control characters are orders to a terminal, and marks that turn the reading direction around make
//! a text look like another.

use std::borrow::Cow;

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
    fn json_means_the_same() {
        let text = "a\u{9b}31m\u{202e}b\u{1b}\u{200e}ä";
        let escaped = json(&serde_json::to_string(text).unwrap());
        assert_eq!(escaped, "\"a\\u009b31m\\u202eb\\u001b\\u200eä\"");
        assert_eq!(serde_json::from_str::<String>(&escaped).unwrap(), text);
    }
}
