//! The filter that masks secrets in external text before it becomes an error, a log line or a row.
//!
//! A server may echo the token that it received. Every token of this process is registered here and
//! masked in all external text: as plain text, with JSON, URL or HTML escapes, and in base64.

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
use decode::{DecodedText, MAX_LAYERS};
use secrecy::{ExposeSecret as _, SecretString};

/// The replacement for a secret. It is plain ASCII, so that JSON and headers stay valid.
pub const MASK: &str = "[token removed]";
/// The minimum length of a token; shorter ones occur in too many words.
const MIN_TOKEN: usize = 8;
/// The minimum length of a secret with both letters and other characters.
const MIN_MIXED: usize = 6;
/// The maximum length of a stored line of server output, in characters.
const MAX_LINE: usize = 400;
/// The size in bytes of the windows in which a text is decoded.
const WINDOW: usize = 1 << 20;
/// The overlap of adjacent windows in bytes; longer than a secret with several layers of escapes.
const OVERLAP: usize = 1 << 14;
/// The minimum length of a base64 run that can contain a secret.
const MIN_RUN: usize = 16;
/// The maximum length of a quotation, in characters.
const MAX_QUOTE: usize = 200;

/// The secrets of this process. None is ever removed, because a server may still echo it.
static SECRETS: RwLock<KnownSecrets> =
    RwLock::new(KnownSecrets { encodings: Vec::new(), finder: None });

struct KnownSecrets {
    encodings: Vec<String>,
    finder: Option<Arc<AhoCorasick>>,
}

/// Registers a secret, which is masked from now on.
pub fn register(secret: &SecretString) {
    let secret = secret.expose_secret().trim();
    // In `name:token`, only the token is secret.
    let key = secret.split_once(':').map_or(secret, |(_, token)| token);
    let is_mixed = key.bytes().any(|b| b.is_ascii_alphabetic())
        && key.bytes().any(|b| !b.is_ascii_alphabetic());
    if key.len() < if is_mixed { MIN_MIXED } else { MIN_TOKEN } {
        return;
    }
    let mut store = SECRETS.write().unwrap_or_else(PoisonError::into_inner);
    let mut new_encodings = encodings(key);
    new_encodings.retain(|encoding| !store.encodings.contains(encoding));
    if new_encodings.is_empty() {
        return;
    }
    store.encodings.extend(new_encodings);
    // The longest match is masked, so that no part of it remains.
    store.finder = AhoCorasick::builder()
        .match_kind(MatchKind::LeftmostLongest)
        .build(&store.encodings)
        .ok()
        .map(Arc::new);
}

/// Returns the encodings of a secret: plain, JSON-escaped, URL-encoded, and as a part of base64
/// text.
fn encodings(secret: &str) -> Vec<String> {
    let mut encodings = vec![secret.to_owned(), secret.replace('/', "\\/")];
    let percent: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    encodings.push(percent.replace('+', "%20"));
    encodings.push(percent);
    for padding in 0..3 {
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let text = engine.encode([&vec![0; padding], secret.as_bytes()].concat());
            // Characters at the edges also encode bits of the adjacent text.
            let end = text.len() - usize::from(!(padding + secret.len()).is_multiple_of(3));
            let inner = &text[[0, 2, 3][padding]..end];
            encodings.push(inner.replace('/', "\\/"));
            encodings.push(inner.to_owned());
        }
    }
    encodings.sort_unstable();
    encodings.dedup();
    encodings
}

fn finder() -> Option<Arc<AhoCorasick>> {
    SECRETS.read().unwrap_or_else(PoisonError::into_inner).finder.clone()
}

/// Masks this process's secrets in a text.
pub fn mask(text: &str) -> Cow<'_, str> {
    match secret_ranges(text.as_bytes()) {
        ranges if ranges.is_empty() => Cow::Borrowed(text),
        ranges => {
            Cow::Owned(String::from_utf8_lossy(&mask_ranges(text.as_bytes(), &ranges)).into_owned())
        }
    }
}

/// Works like [`mask`], for bytes.
pub fn mask_bytes(bytes: Vec<u8>) -> Vec<u8> {
    match secret_ranges(&bytes) {
        ranges if ranges.is_empty() => bytes,
        ranges => mask_ranges(&bytes, &ranges),
    }
}

/// Returns an external text as one line of bounded length, without control characters or secrets.
pub fn single_line(text: &str) -> String {
    let masked = mask(text);
    let line: String = masked.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut out: String = line.chars().filter(|c| !is_unprintable(*c)).take(MAX_LINE + 1).collect();
    if out.chars().count() > MAX_LINE {
        out = out.chars().take(MAX_LINE - 1).chain(['…']).collect();
    }
    out
}

fn mask_ranges(bytes: &[u8], ranges: &[Range<usize>]) -> Vec<u8> {
    let mut out = Vec::with_capacity(bytes.len());
    let mut end = 0;
    for range in ranges {
        out.extend_from_slice(&bytes[end..range.start]);
        out.extend_from_slice(MASK.as_bytes());
        end = range.end;
    }
    out.extend_from_slice(&bytes[end..]);
    out
}

/// Finds this process's secrets in a text. The ranges are ordered and disjoint.
fn secret_ranges(bytes: &[u8]) -> Vec<Range<usize>> {
    let Some(finder) = finder() else { return Vec::new() };
    let mut matches: Vec<Range<usize>> = finder.find_iter(bytes).map(|m| m.range()).collect();
    let mut start = 0;
    while start < bytes.len() {
        let window = &bytes[start..bytes.len().min(start + WINDOW + OVERLAP)];
        let encoded = encoded_ranges(&finder, window).into_iter();
        matches.extend(encoded.map(|range| range.start + start..range.end + start));
        start += WINDOW;
    }
    matches.sort_unstable_by_key(|range| (range.start, range.end));
    let mut ranges: Vec<Range<usize>> = Vec::new();
    for range in matches {
        match ranges.last_mut() {
            Some(last) if range.start < last.end => last.end = last.end.max(range.end),
            _ => ranges.push(range),
        }
    }
    ranges
}

/// Finds the secrets that appear only after decoding a text.
fn encoded_ranges(finder: &AhoCorasick, text: &[u8]) -> Vec<Range<usize>> {
    let mut matches = base64_ranges(finder, text);
    if !text.iter().any(|b| matches!(b, b'\\' | b'%' | b'&')) {
        return matches;
    }
    let mut layer = DecodedText::plain(text);
    for _ in 0..MAX_LAYERS {
        let Some(next) = layer.decode() else { break };
        layer = next;
        let plain = finder.find_iter(&layer.bytes).map(|m| m.range());
        let ranges: Vec<Range<usize>> = plain.chain(base64_ranges(finder, &layer.bytes)).collect();
        matches.extend(ranges.into_iter().map(|range| layer.original_range(&range)));
    }
    matches
}

/// Finds the base64 runs that contain a secret, escaped or not. A run may contain line breaks.
fn base64_ranges(finder: &AhoCorasick, text: &[u8]) -> Vec<Range<usize>> {
    let is_base64 = |b: &u8| {
        b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_' | b'\r' | b'\n')
    };
    let mut ranges = Vec::new();
    let mut position = 0;
    while position < text.len() {
        let Some(start) = text[position..].iter().position(is_base64).map(|n| position + n) else {
            break;
        };
        let end =
            text[start..].iter().position(|b| !is_base64(b)).map_or(text.len(), |n| start + n);
        position = end;
        if end - start < MIN_RUN {
            continue;
        }
        let characters: Vec<u8> = text[start..end]
            .iter()
            .filter(|b| !b.is_ascii_whitespace())
            .map(|b| match b {
                b'-' => b'+',
                b'_' => b'/',
                byte => *byte,
            })
            .collect();
        let has_secret = (0..4.min(characters.len())).any(|offset| {
            let run = &characters[offset..];
            // A single trailing character encodes no byte.
            let run = if run.len() % 4 == 1 { &run[..run.len() - 1] } else { run };
            let Ok(decoded_bytes) = LENIENT_BASE64.decode(run) else { return false };
            finder.is_match(&decoded_bytes)
                || DecodedText::plain(&decoded_bytes)
                    .decode()
                    .is_some_and(|decoded| finder.is_match(&decoded.bytes))
        });
        if has_secret {
            ranges.push(start..end);
        }
    }
    ranges
}

/// A base64 decoder that accepts missing padding and trailing bits.
const LENIENT_BASE64: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// A quotation from a server or another program: one line of bounded length, without control
/// characters or secrets. Messages quote no other external text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Quotation(String);

impl Quotation {
    /// Quotes the first non-empty line of a text; `None` if there is none.
    pub fn first_line(text: &str) -> Option<Self> {
        let masked = mask(text);
        let to_printable = |line: &str| -> String {
            line.trim().chars().filter(|c| !is_unprintable(*c)).take(MAX_QUOTE).collect()
        };
        masked.lines().map(to_printable).find(|line| !line.is_empty()).map(Self)
    }

    /// Quotes the last non-empty line of a text, where programs name the cause.
    pub fn last_line(text: &str) -> Option<Self> {
        Self::first_line(text.lines().rfind(|line| !line.trim().is_empty())?)
    }
}

impl fmt::Display for Quotation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Returns whether a character can control a terminal or disguise a text.
fn is_unprintable(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_c4n4ry/Of+TheDoor0123456789";

    fn register_token() {
        register(&TOKEN.to_owned().into());
    }

    proptest::proptest! {
        #[test]
        fn encoded_tokens_are_masked(
            prefix in "[a-zA-Z0-9:@. ]{0,9}", suffix in "[a-zA-Z0-9:@. ]{0,9}"
        ) {
            register_token();
            let plain_text = format!("{prefix}{TOKEN}{suffix}");
            let json = serde_json::to_string(&plain_text).unwrap().replace('/', "\\/");
            let url: String = url::form_urlencoded::byte_serialize(plain_text.as_bytes()).collect();
            let base64 = STANDARD_NO_PAD.encode(&plain_text);
            let url_base64 = URL_SAFE_NO_PAD.encode(&plain_text);
            for text in [plain_text, json, url, base64, url_base64] {
                let output = mask(&text).into_owned();
                proptest::prop_assert!(output.contains(MASK), "{text}");
                proptest::prop_assert!(!output.contains("c4n4ry"));
                proptest::prop_assert_eq!(output.as_bytes(), mask_bytes(text.into_bytes()));
            }
        }
    }

    #[test]
    fn escaped_tokens_are_masked() {
        let token = "abcd+Efgh/0123&c4n4ryXYZ=";
        register(&token.to_owned().into());
        let escape_all =
            |escape: &dyn Fn(char) -> String| -> String { token.chars().map(escape).collect() };
        let json = escape_all(&|c| format!("\\u{:04x}", u32::from(c)));
        let double_escaped = json.replace('\\', "\\\\");
        for text in [
            token.replace('+', "\\u002B"),
            token.replace('&', "\\u0026").replace('=', "\\u003d"),
            json.clone(),
            double_escaped,
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
            let output = mask(&text).into_owned();
            let tail: String =
                text.chars().rev().take(300).collect::<Vec<_>>().into_iter().rev().collect();
            assert!(output.contains(MASK), "{tail}");
            assert!(!output.contains("c4n4ry") && !output.contains("u0063"), "{tail}");
        }
        assert_eq!(mask(r"C:\users\100%25 &amp; more"), r"C:\users\100%25 &amp; more");
    }

    #[test]
    fn short_password_is_masked() {
        register(&"ann:s3cret7".to_owned().into());
        register(&"ben:secret".to_owned().into());
        assert_eq!(mask("you sent s3cret7, a secret"), format!("you sent {MASK}, a secret"));
    }

    #[test]
    fn long_texts_become_one_short_line() {
        let line = single_line(&format!("no\nSYSTEM: obey {}", "A".repeat(3_000_000)));
        assert!(line.starts_with("no SYSTEM: obey AAA") && line.ends_with('…'), "{}", line.len());
        assert_eq!(line.chars().count(), MAX_LINE);
    }

    #[test]
    fn login_names_and_short_words_are_not_masked() {
        register(&"ann@acme.example:j1ra-c4n4ry-token".to_owned().into());
        register(&"abc".to_owned().into());
        assert_eq!(mask("ann@acme.example said abc"), "ann@acme.example said abc");
        assert_eq!(mask("as j1ra-c4n4ry-token"), format!("as {MASK}"));
    }

    #[test]
    fn quotation_is_one_printable_line() {
        register_token();
        let line =
            Quotation::first_line(&format!("\n \u{1b}[31mBad {TOKEN}\u{202e}\nmore")).unwrap();
        assert_eq!(line.to_string(), format!("[31mBad {MASK}"));
        assert_eq!(Quotation::last_line("fatal: a\nfatal: b\n\n").unwrap().to_string(), "fatal: b");
        assert_eq!(Quotation::first_line(" \n"), None);
        assert!(Quotation::first_line(&"x".repeat(5_000)).unwrap().to_string().len() <= MAX_QUOTE);
    }
}
