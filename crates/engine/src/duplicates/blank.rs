//! Reports that say nothing: unfilled forms, tests, sighs, advertisements. They are duplicates of nothing.

use std::{collections::HashSet, sync::LazyLock};

use regex::Regex;

use precedent_text::{
    pattern::re,
    prepare::Prepared,
    tokens::{self, Word},
};

/// A report with fewer words than this under a title that names nothing says nothing.
const MIN_TEXT: usize = 12;
/// The most that is read of a text for its first words, in bytes.
const MAX_READ: usize = 4_000;
/// An advertisement is short; who tells of one in a product has more to say, in words.
const MAX_SPAM: usize = 80;

/// Words of titles that name nothing.
static NAMELESS: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms(
        "bug report issue problem feature request question title test ticket ignore please submit new untitled help asdf form",
    )
});
/// Words that say that something is wrong, and not what.
static VAGUE: LazyLock<HashSet<String>> = LazyLock::new(|| {
    terms(
        "work works working broken broke fail fails failed error crash wrong fix fixed asap urgent anymore again now doesn't isn't it's \
         won't can't don't nothing something everything plz pls help me hello hi thanks thank you",
    )
});
/// What is advertised, and how.
static WARES: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:casinos?|slots?|bett?ing|poker|jackpot|viagra|cialis|cbd|escorts?|dating|loans?|crypto|bitcoin|airdrop|nft|forex|followers|backlinks?|seo|essays?|assignment help|weight loss|keto|replicas?|watches|iptv|vpn deals?|helpline|customer (?:care|support|service) number|toll[- ]free|whatsapp|astrologer|movers|plumber|real estate)\b",
    )
});
static CALLS: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:(?:play|buy|order|call|book|sign up|register|join|download|visit|click|apply|contact us) (?:now|here|today)|(?:best|top|cheap(?:est)?|free|buy|exclusive|guaranteed?|100 ?%|unlimited) (?:\w+ ){0,2}(?:bonus|spins?|money|followers|price|deals?|offers?|services?|online|casino|loans?|essays?|profit|earnings)|earn (?:money|\$|up to)|make money|win big|limited (?:time )?offer|discount code|promo code)\b",
    )
});
static REACHED: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)https?://|www\.|\+?\d[\d ()-]{8,}\d|t\.me/|wa\.me/"));

/// The first words of a text, as they are compared.
fn first(text: &str, most: usize) -> Vec<String> {
    let read = &text[..text.floor_char_boundary(MAX_READ)];
    tokens::words(read).into_iter().take(most).map(|word| word.term).collect()
}

/// Words of a table, as they are compared.
pub(super) fn terms(text: &str) -> HashSet<String> {
    tokens::words(text).into_iter().map(|word| word.term).collect()
}

/// Whether a report has nothing to compare: a title that names nothing ("[Bug]:", "Test ticket", "It does not work") above hardly any
/// words, or an advertisement.
pub(super) fn is_blank(title: &str, body: &Prepared) -> bool {
    let head = tokens::words(title);
    // The body is read only below such a title. A pasted line of a log has none, and says something.
    let hardly_any = || {
        let words = first(&format!("{}\n{}", body.prose(), body.code()), MIN_TEXT);
        let few = words.len() < if head.is_empty() { 1 } else { MIN_TEXT };
        // "Crash" says something once its text does.
        few && (name_nothing(&head) || words.iter().all(|term| says_nothing(term)))
    };
    (head.iter().all(|word| says_nothing(&word.term)) && hardly_any()) || is_spam(title, body)
}

/// Whether the words of a title name nothing.
pub(super) fn name_nothing(title: &[Word]) -> bool {
    title.iter().all(|word| is_nameless(&word.term))
}

fn is_nameless(term: &str) -> bool {
    NAMELESS.contains(term) || tokens::is_stop_word(term)
}

/// Whether a word neither names anything nor says what is wrong.
fn says_nothing(term: &str) -> bool {
    is_nameless(term) || VAGUE.contains(term)
}

/// Whether it sells something: a ware, a call to buy it, and where.
fn is_spam(title: &str, body: &Prepared) -> bool {
    if !WARES.is_match(title) && !CALLS.is_match(title) {
        return false;
    }
    let prose = body.prose();
    let text = format!("{title}\n{prose}");
    WARES.is_match(&text)
        && CALLS.is_match(&text)
        && body.code().is_empty()
        && text.split_whitespace().count() <= MAX_SPAM
        && REACHED.is_match(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::skeleton::Skeleton;

    fn blank(title: &str, body: &str) -> bool {
        is_blank(title, &Prepared::body(body, &Skeleton::default()))
    }

    #[test]
    fn what_nobody_filled_in_says_nothing() {
        assert!(blank("Test ticket, please ignore", "test") && blank("[Bug]:", "") && blank("", ""));
        assert!(!blank("Upload stops", ""));
        assert!(!blank("Bug report", &"The upload stops at nine per cent. ".repeat(3)));
    }

    #[test]
    fn a_sigh_says_nothing_and_a_short_report_does() {
        for (title, body) in [
            ("help please", "it does not work"),
            ("doesn't work", "it does not work"),
            ("It's broken", "nothing works anymore, please fix asap"),
            ("Crash", "It crashes."),
        ] {
            assert!(blank(title, body), "{title}");
        }
        for (title, body) in [
            ("Crash", "It crashes when the tablespace is renamed."),
            ("Error", "PANIC: no space left on device"),
            ("Login does not work", ""),
            ("", "it does not work"),
            ("Nothing works on Tizen", ""),
        ] {
            assert!(!blank(title, body), "{title}");
        }
    }

    #[test]
    fn an_advertisement_says_nothing_and_a_report_about_one_does() {
        for (title, body) in [
            ("Best casino bonus 2025", "Play now https://win.example/?r=1 and win"),
            ("Cheap essays online", "Order now at www.essays.example"),
            ("Heron customer care number", "Call now +1 800 555 0100 for help, best service"),
        ] {
            assert!(blank(title, body), "{title}");
        }
        for (title, body) in [
            ("Casino bonus page shows the wrong balance", "After the spin the balance is that of yesterday."),
            ("Buy now button does nothing", "See https://shop.example/item/7: the console says TypeError."),
            (
                "Crypto module fails to build",
                "https://ci.example/run/7 says: undefined reference to EVP_MD_free",
            ),
        ] {
            assert!(!blank(title, body), "{title}");
        }
    }
}
