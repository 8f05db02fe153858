//! The filter that removes secrets from external text before it becomes an error, a log line or a
//! row.
//!
//! A server may echo what it received, including the token. Every token of this process is
//! registered here when it is found, and is removed from all external text: in plain form, and in
//! text with JSON, URL or HTML escapes or base64.

mod decode;

use std::{
    borrow::Cow,
    fmt,
    ops::Range,
    sync::{Arc, PoisonError, RwLock},
};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::{
    Engine as _,
    engine::{
        DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig,
        general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
    },
};
use decode::{DecodedText, LAYERS};
use secrecy::{ExposeSecret as _, SecretString};

/// The replacement for a secret. It is plain ASCII, so that JSON and headers stay valid.
pub const MASK: &str = "[token removed]";
/// The minimum length of a token; shorter secrets occur in too many words.
const SHORTEST: usize = 8;
/// The minimum length of a password that contains both letters and other characters.
const SHORTEST_PASSWORD: usize = 6;
/// The maximum length of a server's line that is kept, in characters.
const MAX_LINE: usize = 400;
/// The size in bytes of the parts in which a text is decoded.
const WINDOW: usize = 1 << 20;
/// The overlap of two parts in bytes: more than a secret whose characters are each escaped several
/// times.
const OVERLAP: usize = 1 << 14;
/// The minimum length of a base64 run that can contain a secret.
const SHORTEST_RUN: usize = 16;
/// The maximum length of a server's text that a message quotes, in characters.
const MAX_QUOTE: usize = 200;

/// The secrets of this process. They are never removed: a secret deleted from a keyring may still
/// be echoed.
static SECRETS: RwLock<KnownSecrets> =
    RwLock::new(KnownSecrets { forms: Vec::new(), finder: None });

struct KnownSecrets {
    forms: Vec<String>,
    finder: Option<Arc<AhoCorasick>>,
}

/// Registers a secret, which is removed from all text from now on.
pub fn learn(secret: &SecretString) {
    let secret = secret.expose_secret().trim();
    // In `name:token` only the token is secret; it occurs in both.
    let key = secret.split_once(':').map_or(secret, |(_, token)| token);
    let is_mixed = key.bytes().any(|b| b.is_ascii_alphabetic())
        && key.bytes().any(|b| !b.is_ascii_alphabetic());
    if key.len() < if is_mixed { SHORTEST_PASSWORD } else { SHORTEST } {
        return;
    }
    let mut store = SECRETS.write().unwrap_or_else(PoisonError::into_inner);
    let mut new: Vec<String> = forms(key);
    new.retain(|form| !store.forms.contains(form));
    if new.is_empty() {
        return;
    }
    store.forms.extend(new);
    // The longest form wins, so that no part of one remains beside the mask.
    store.finder = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&store.forms)
        .ok()
        .map(Arc::new);
}

/// Returns the forms of a secret: plain, JSON-escaped, URL-encoded, and inside base64-encoded text.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), secret.replace('/', "\\/")];
    let percent: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    forms.push(percent.replace('+', "%20"));
    forms.push(percent);
    for padding in 0..3 {
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let text = engine.encode([&vec![0; padding], secret.as_bytes()].concat());
            // Characters at the edges depend on bits of the neighbouring text.
            let end = text.len() - usize::from(!(padding + secret.len()).is_multiple_of(3));
            let inner = &text[[0, 2, 3][padding]..end];
            forms.push(inner.replace('/', "\\/"));
            forms.push(inner.to_owned());
        }
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn finder() -> Option<Arc<AhoCorasick>> {
    SECRETS.read().unwrap_or_else(PoisonError::into_inner).finder.clone()
}

/// Returns a text without the secrets of this process.
pub fn clean(text: &str) -> Cow<'_, str> {
    match secret_ranges(text.as_bytes()) {
        places if places.is_empty() => Cow::Borrowed(text),
        places => {
            Cow::Owned(String::from_utf8_lossy(&mask_ranges(text.as_bytes(), &places)).into_owned())
        }
    }
}

/// Removes the secrets of this process from bytes, like [`clean`].
pub fn clean_bytes(bytes: Vec<u8>) -> Vec<u8> {
    match secret_ranges(&bytes) {
        places if places.is_empty() => bytes,
        places => mask_ranges(&bytes, &places),
    }
}

/// Returns an external text as one line of bounded length, without control characters and secrets.
pub fn single_line(text: &str) -> String {
    let clean = clean(text);
    let line: String = clean.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out: String = line.chars().filter(|c| !is_unprintable(*c)).take(MAX_LINE + 1).collect();
    if out.chars().count() > MAX_LINE {
        out = out.chars().take(MAX_LINE - 1).chain(['…']).collect();
    }
    out
}

fn mask_ranges(bytes: &[u8], places: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    for place in places {
        out.extend_from_slice(&bytes[at..place.start]);
        out.extend_from_slice(MASK.as_bytes());
        at = place.end;
    }
    out.extend_from_slice(&bytes[at..]);
    out
}

/// Finds the secrets of this process in a text, in any form; the ranges are ordered and disjoint.
fn secret_ranges(bytes: &[u8]) -> Vec<Range<usize>> {
    let Some(finder) = finder() else { return Vec::new() };
    let mut places: Vec<Range<usize>> = finder.find_iter(bytes).map(|m| m.range()).collect();
    let mut from = 0;
    while from < bytes.len() {
        let part = &bytes[from..bytes.len().min(from + WINDOW + OVERLAP)];
        places.extend(hidden(&finder, part).into_iter().map(|p| p.start + from..p.end + from));
        from += WINDOW;
    }
    places.sort_unstable_by_key(|place| (place.start, place.end));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for place in places {
        match ranges.last_mut() {
            Some(last) if place.start < last.end => last.end = last.end.max(place.end),
            _ => ranges.push(place),
        }
    }
    ranges
}

/// Finds secrets that appear only after decoding a text.
fn hidden(finder: &AhoCorasick, text: &[u8]) -> Vec<Range<usize>> {
    let mut places = in_base64(finder, text);
    if !text.iter().any(|b| matches!(b, b'\\' | b'%' | b'&')) {
        return places;
    }
    let mut layer = DecodedText::plain(text);
    for _ in 0..LAYERS {
        let Some(next) = layer.resolve() else { break };
        layer = next;
        let plain = finder.find_iter(&layer.bytes).map(|m| m.range());
        let ranges: Vec<Range<usize>> = plain.chain(in_base64(finder, &layer.bytes)).collect();
        places.extend(ranges.into_iter().map(|place| layer.place(place.start, place.end)));
    }
    places
}

/// Finds the base64 runs that decode to text with a secret, escaped or not. A run may contain line
/// breaks.
fn in_base64(finder: &AhoCorasick, text: &[u8]) -> Vec<Range<usize>> {
    let is_part = |b: &u8| {
        b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'\r' | b'\n')
    };
    let mut places = Vec::new();
    let mut at = 0;
    while at < text.len() {
        let Some(start) = text[at..].iter().position(is_part).map(|n| at + n) else { break };
        let end = text[start..].iter().position(|b| !is_part(b)).map_or(text.len(), |n| start + n);
        at = end;
        if end - start < SHORTEST_RUN {
            continue;
        }
        let letters: Vec<u8> = text[start..end]
            .iter()
            .filter(|b| !b.is_ascii_whitespace())
            .map(|b| match b {
                b'-' => b'+',
                b'_' => b'/',
                byte => *byte,
            })
            .collect();
        let holds = (0..4.min(letters.len())).any(|offset| {
            let run = &letters[offset..];
            // A single remaining character encodes no byte.
            let run = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
            let Ok(decoded_bytes) = LENIENT.decode(run) else { return false };
            let plain = |bytes: &[u8]| finder.is_match(bytes);
            plain(&decoded_bytes)
                || DecodedText::plain(&decoded_bytes).resolve().is_some_and(|d| plain(&d.bytes))
        });
        if holds {
            places.push(start..end);
        }
    }
    places
}

/// A base64 decoder that accepts missing or truncated padding.
const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A quotation from a server or another program: one line of bounded length, without control
/// characters and secrets.
///
/// Its two constructors are the only ones, and messages quote no other external text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside(String);

impl Outside {
    /// Returns the first non-empty line of a text; `None` if there is none.
    pub fn first_line(text: &str) -> Option<Self> {
        let clean = clean(text);
        let printable = |line: &str| -> String {
            line.trim().chars().filter(|c| !is_unprintable(*c)).take(MAX_QUOTE).collect()
        };
        clean.lines().map(printable).find(|line| !line.is_empty()).map(Self)
    }

    /// Returns the last non-empty line of a text, where programs give their reason.
    pub fn last_line(text: &str) -> Option<Self> {
        Self::first_line(text.lines().rfind(|line| !line.trim().is_empty())?)
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether a character controls a terminal or makes a text look like another.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_c4n4ry/Of+TheDoor0123456789";

    fn register_token() {
        learn(&TOKEN.to_owned().into());
    }

    proptest::proptest! {
        /// Checks that no form of a token remains, not even text that decodes to it.
        #[test]
        fn no_form_of_a_token_passes(prefix in "[a-zA-Z0-9:@. ]{0,9}", suffix in "[a-zA-Z0-9:@. ]{0,9}") {
            register_token();
            let whole = format!("{prefix}{TOKEN}{suffix}");
            let json = serde_json::to_string(&whole).unwrap().replace('/', "\\/");
            let url: String = url::form_urlencoded::byte_serialize(whole.as_bytes()).collect();
            for text in [whole.clone(), json, url, STANDARD_NO_PAD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)] {
                let output = clean(&text).into_owned();
                proptest::prop_assert!(output.contains(MASK), "{text}");
                proptest::prop_assert!(!output.contains("c4n4ry"));
                proptest::prop_assert_eq!(output.as_bytes(), clean_bytes(text.into_bytes()));
            }
        }
    }

    #[test]
    fn no_escape_of_a_token_passes() {
        let token = "abcd+Efgh/0123&c4n4ryXYZ=";
        learn(&token.to_owned().into());
        let escape_all =
            |escape: &dyn Fn(char) -> String| -> String { token.chars().map(escape).collect() };
        let json = escape_all(&|c| format!("\\u{:04x}", u32::from(c)));
        let twice = json.replace('\\', "\\\\");
        for text in [
            token.replace('+', "\\u002B"),
            token.replace('&', "\\u0026").replace('=', "\\u003d"),
            json.clone(),
            twice,
            escape_all(&|c| format!("%{:02x}", u32::from(c))),
            escape_all(&|c| format!("%25{:02X}", u32::from(c))),
            escape_all(&|c| format!("&#{};", u32::from(c))),
            escape_all(&|c| format!("&#x{:X}", u32::from(c))),
            token.replace('&', "&amp;").replace('=', "&equals;").replace('+', "&plus;"),
            escape_all(&|c| format!("\\u0026#{};", u32::from(c))),
            STANDARD_NO_PAD.encode(&json),
            STANDARD_NO_PAD.encode(format!("Authorization: {token}")).replace('B', "B\r\n"),
            format!("{}{}", "x ".repeat(WINDOW), json),
        ] {
            let output = clean(&text).into_owned();
            let tail: String =
                text.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect();
            assert!(output.ends_with(MASK) || output.contains(MASK), "{tail}");
            assert!(!output.contains("c4n4ry") && !output.contains("u0063"), "{tail}");
        }
        assert_eq!(clean(r"C:\users\100%25 &amp; more"), r"C:\users\100%25 &amp; more");
    }

    #[test]
    fn short_password_is_masked() {
        learn(&"ann:s3cret7".to_owned().into());
        learn(&"ben:secret".to_owned().into());
        assert_eq!(clean("you sent s3cret7, a secret"), format!("you sent {MASK}, a secret"));
    }

    #[test]
    fn kept_line_is_single_and_bounded() {
        let line = single_line(&format!("no\nSYSTEM: obey {}", "A".repeat(3_000_000)));
        assert!(line.starts_with("no SYSTEM: obey AAA") && line.ends_with('…'), "{}", line.len());
        assert_eq!(line.chars().count(), MAX_LINE);
    }

    #[test]
    fn login_names_and_short_words_are_not_secrets() {
        learn(&"ann@acme.example:j1ra-c4n4ry-token".to_owned().into());
        learn(&"abc".to_owned().into());
        assert_eq!(clean("ann@acme.example said abc"), "ann@acme.example said abc");
        assert_eq!(clean("as j1ra-c4n4ry-token"), format!("as {MASK}"));
    }

    #[test]
    fn quoted_words_are_one_clean_line() {
        register_token();
        let line = Outside::first_line(&format!("\n \u{1b}[31mBad {TOKEN}\u{202e}\nmore")).unwrap();
        assert_eq!(line.to_string(), format!("[31mBad {MASK}"));
        assert_eq!(Outside::last_line("fatal: a\nfatal: b\n\n").unwrap().to_string(), "fatal: b");
        assert_eq!(Outside::first_line(" \n"), None);
        assert!(Outside::first_line(&"x".repeat(5_000)).unwrap().to_string().len() <= MAX_QUOTE);
    }
}
