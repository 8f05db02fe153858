//! The one door that text from outside passes before it becomes an error, a log line or a row.
//!
//! A server may send back what it was sent, the token with it. Every token of this process is known here from the moment
//! at which it is found, in each of the forms in which it travels, and is taken out of whatever comes in.

use std::{
    borrow::Cow,
    fmt,
    sync::{Arc, PoisonError, RwLock},
};

use aho_corasick::{AhoCorasick, MatchKind};
use base64::{
    Engine as _,
    engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD},
};
use secrecy::{ExposeSecret as _, SecretString};

/// What stands in place of a secret. It is plain ASCII, so that JSON and headers stay what they are.
pub const MASK: &str = "[token removed]";
/// A shorter secret is no token: it would be found in every other word.
const SHORTEST: usize = 8;
/// The longest text of a server that a message quotes, in characters.
const QUOTED: usize = 200;

/// The secrets of this process. They are never forgotten: what was removed from a keyring may still be echoed.
static KNOWN: RwLock<Known> = RwLock::new(Known { forms: Vec::new(), finder: None });

struct Known {
    forms: Vec<String>,
    finder: Option<Arc<AhoCorasick>>,
}

/// Learns a secret; from now on it passes no more.
pub fn learn(secret: &SecretString) {
    let secret = secret.expose_secret().trim();
    // Of a name and its token, the token alone is the secret; it stands in both.
    let own = secret.split_once(':').map_or(secret, |(_, token)| token);
    if own.len() < SHORTEST {
        return;
    }
    let mut known = KNOWN.write().unwrap_or_else(PoisonError::into_inner);
    let mut new: Vec<String> = forms(own);
    new.retain(|form| !known.forms.contains(form));
    if new.is_empty() {
        return;
    }
    known.forms.extend(new);
    // The longest form wins, so that no part of one is left beside the mask.
    known.finder =
        AhoCorasick::builder().match_kind(MatchKind::LeftmostLongest).build(&known.forms).ok().map(Arc::new);
}

/// How a secret is written: as it is, in JSON, in an address, and within any text that is encoded as base64.
fn forms(secret: &str) -> Vec<String> {
    let mut forms = vec![secret.to_owned(), secret.replace('/', "\\/")];
    let escaped: String = url::form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    forms.push(escaped.replace('+', "%20"));
    forms.push(escaped);
    for before in 0..3 {
        for engine in [&STANDARD_NO_PAD, &URL_SAFE_NO_PAD] {
            let text = engine.encode([&vec![0; before], secret.as_bytes()].concat());
            // Characters that hold bits of a neighbour differ with it.
            let end = text.len() - usize::from(!(before + secret.len()).is_multiple_of(3));
            let inner = &text[[0, 2, 3][before]..end];
            forms.push(inner.replace('/', "\\/"));
            forms.push(inner.to_owned());
        }
    }
    forms.sort_unstable();
    forms.dedup();
    forms
}

fn finder() -> Option<Arc<AhoCorasick>> {
    KNOWN.read().unwrap_or_else(PoisonError::into_inner).finder.clone()
}

/// A text without any secret of this process.
pub fn clean(text: &str) -> Cow<'_, str> {
    match finder() {
        Some(finder) if finder.is_match(text) => {
            let masks = vec![MASK; finder.patterns_len()];
            Cow::Owned(finder.replace_all(text, &masks))
        }
        _ => Cow::Borrowed(text),
    }
}

/// As [`clean`], of what comes off a wire.
pub fn clean_bytes(bytes: Vec<u8>) -> Vec<u8> {
    match finder() {
        Some(finder) if finder.is_match(&bytes) => {
            let masks = vec![MASK; finder.patterns_len()];
            finder.replace_all_bytes(&bytes, &masks)
        }
        _ => bytes,
    }
}

/// Words of a server or of another program: one line, of bounded length, without control characters and secrets.
///
/// There is no other way to make one, and messages quote nothing else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outside(String);

impl Outside {
    /// The first line of a text that says something; `None` if there is none.
    pub fn first_line(text: &str) -> Option<Self> {
        let clean = clean(text);
        let shown = |line: &str| -> String {
            line.trim().chars().filter(|c| !is_unprintable(*c)).take(QUOTED).collect()
        };
        clean.lines().map(shown).find(|line| !line.is_empty()).map(Self)
    }

    /// The last line of a text that says something, where programs name their reason.
    pub fn last_line(text: &str) -> Option<Self> {
        Self::first_line(text.lines().rfind(|line| !line.trim().is_empty())?)
    }
}

impl fmt::Display for Outside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whether a character orders a terminal about, or makes a text look like another.
fn is_unprintable(c: char) -> bool {
    c.is_control() || matches!(c, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOKEN: &str = "ghp_c4n4ry/Of+TheDoor0123456789";

    fn known() {
        learn(&TOKEN.to_owned().into());
    }

    proptest::proptest! {
        /// However it is wrapped, nothing of it is left: neither itself nor what decodes to it.
        #[test]
        fn no_form_of_a_token_passes(before in "[a-zA-Z0-9:@. ]{0,9}", after in "[a-zA-Z0-9:@. ]{0,9}") {
            known();
            let whole = format!("{before}{TOKEN}{after}");
            let json = serde_json::to_string(&whole).unwrap().replace('/', "\\/");
            let url: String = url::form_urlencoded::byte_serialize(whole.as_bytes()).collect();
            for text in [whole.clone(), json, url, STANDARD_NO_PAD.encode(&whole), URL_SAFE_NO_PAD.encode(&whole)] {
                let cleaned = clean(&text).into_owned();
                proptest::prop_assert!(cleaned.contains(MASK), "{text}");
                proptest::prop_assert!(!cleaned.contains("c4n4ry"));
                proptest::prop_assert_eq!(cleaned.as_bytes(), clean_bytes(text.into_bytes()));
            }
        }
    }

    #[test]
    fn a_name_before_the_token_is_no_secret_and_short_words_are_none() {
        learn(&"ann@acme.example:j1ra-c4n4ry-token".to_owned().into());
        learn(&"abc".to_owned().into());
        assert_eq!(clean("ann@acme.example said abc"), "ann@acme.example said abc");
        assert_eq!(clean("as j1ra-c4n4ry-token"), format!("as {MASK}"));
    }

    #[test]
    fn quoted_words_are_one_clean_line() {
        known();
        let said = Outside::first_line(&format!("\n \u{1b}[31mBad {TOKEN}\u{202e}\nmore")).unwrap();
        assert_eq!(said.to_string(), format!("[31mBad {MASK}"));
        assert_eq!(Outside::last_line("fatal: a\nfatal: b\n\n").unwrap().to_string(), "fatal: b");
        assert_eq!(Outside::first_line(" \n"), None);
        assert!(Outside::first_line(&"x".repeat(5_000)).unwrap().to_string().len() <= QUOTED);
    }
}
