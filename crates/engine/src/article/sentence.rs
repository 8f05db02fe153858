//! The choice and trimming of sentences for an article.

use std::sync::LazyLock;

use precedent_text::{
    pattern::re,
    roles::{Sentence, SentenceRole},
};
use regex::Regex;

/// The minimum number of letters of a sentence.
const MIN_LETTERS: usize = 20;
/// The minimum number of words of a sentence that names no version, reference or code.
const MIN_WORDS: usize = 5;
/// The maximum length of a sentence, in characters; longer ones are pasted output.
const MAX_LENGTH: usize = 500;

/// The maximum length of an explanation, in characters; longer ones are about several things.
const MAX_EXPLANATION: usize = 350;

/// Greetings, interjections and mentions at the beginning of a sentence.
static OPENING: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)^(?:(?:@[\w-]+(?:\s+and\s+@[\w-]+)*|hi(?: all| there)?|hey|hello|ok(?:ay)?|yes|yeah|yep|yup|no|nope|ah+|oh+|hm+|well|right|indeed|sure|btw|by the way",
        r"|fwiw|fyi|also|so|actually|edit(?: \d+)?|update|note|thanks|thank you|sorry)(?:\s*[,:;!.…–-]+\s*|\s*$)|@[\w-]+\s+|(?:and|but|so|also|then|thus|therefore|hence|ok)\s+)+",
    ))
});
/// Words of a conversation, which mean nothing to a reader of an article.
static CHATTER: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)@[A-Za-z][\w-]+|\b(?:thanks?|thx|sorry|cc|r\?|r\+|bors|ping|nit|lgtm|imh?o|wontfix|ditto|same here|me too|let me know|feel free|please (?:re-?open|close|file|open|try|check|test|review|ignore|let)|",
        r"re-?open(?:ed|ing)?|clos(?:e|es|ed|ing) (?:this|the issue|it|as|in favou?r)|closing|this (?:comment|pr|pull request|issue|ticket|bug report|thread)|(?:your|the|my) (?:comment|report|question)|",
        r"triage[d]?|milestone|nominat\w+|assign(?:ed|ing)?|duplicate|dup of|i'?ll|i will|i can(?:not)? (?:take|work|look)|i'm (?:going|working|taking|looking)|will (?:take|have) a look|working on (?:a|this|it)|",
        r"looks good|good catch|nice|awesome|great|cool|haha|lol|hope(?:fully)?|wondering|any (?:news|update|progress)|as (?:mentioned|said|stated) above|see (?:above|below)|playpen|",
        r"am i|does anyone|anybody|someone (?:should|could|please))\b|:\w+:|[😀-🙏👍❤🎉]|^[+-]1\b",
    ))
});
/// A doubt, in a sentence that explains.
static DOUBT: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:i (?:think|guess|believe|suspect|assume|suppose|bet|wonder|imagine|don'?t|do not|can'?t|haven'?t)|my guess|i'?m (?:not|unsure|guessing)|not sure|no idea|maybe|perhaps|might|may (?:be|have)|could be|possibly|",
        r"probably|presumably|apparently|likely|seems?|seemed|appears? to|looks? like|afaik|afaict|iirc|guess|not (?:because|caused|due)|unclear|if (?:this|that|it)|would|should be|somehow|wrong about)\b|\?",
    ))
});
/// The wording of an explanation.
static CAUSE: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:because|root cause|underlying (?:cause|problem|issue)|caused by|(?:is|was|were|are|happens?|happened|fails?|failed|occurs?|occurred|crash\w*|broken?|breaks) due to|the (?:real |actual |main )?(?:cause|culprit|reason|problem|issue|bug) (?:here )?(?:is|was|in|comes|came)|",
        r"regress(?:ed|ion) (?:in|from|since|introduced|caused)|(?:was|were|been|got|is) (?:introduced|broken|caused) (?:in|by|with|when)|(?:bisected|bisects|bisection points|traced|tracked|narrowed) (?:\w+ )?(?:to|down)|stems from|as a (?:result|consequence) of|which (?:causes|caused|led|leads|made|makes|meant|means)|the fix for)\b",
    ))
});
/// The wording for a state that a change ends.
static FORMER_STATE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:incorrectly|wrongly|erroneously|mistakenly|previously|currently|formerly|used to (?:be|have|do|return|call)|before this|forgot|neglected|(?:was|were|did|does|do|is|are)(?: not|n't)|failed to|fails to|assum(?:ed|es)|never|would)\b",
    )
});
/// A sentence about its writer.
static FIRST_PERSON: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)(?:^|[\s(])(?:i|i'(?:m|ve|d|ll)|my|me|mine|myself)\b"));
/// A reference to another sentence at the beginning.
static BACK_REFERENCE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:it|this|that|these|those|they|he|she|which|same|both|such|the (?:above|former|latter|same))\b(?:\s+\S+){0,3}\W*$",
    )
});
/// A heading of a report below the description.
static REPORT_HEADING: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\W*(?:(?:h\d\. )?(?:steps|reproduc|to reproduce|how to reproduce|expected|actual|environment|meta\b|backtrace|stack ?trace|versions?\b|system|logs?\b|additional|workaround|attach|output\b))",
    )
});
/// A line of facts about the reporter's system: "host: x86_64", "rustc 1.30.0 (5c8b1b7 2018)".
static FACT_LINE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\W*(?:[\w .#/()-]{1,40}:\s*\S*$|[\w-]+ (?:release: )?v?\d+(?:\.\d+)+\S*(?: \([^)]*\))?$|(?:binary|commit-hash|commit-date|host|release|llvm version|version|os|platform|arch\w*|browser|node|java|device|sdk)\b\s*:)",
    )
});

/// Returns a sentence as a passage: without its greeting, beginning with a capital letter. Returns
/// `None` for questions, thanks, and other parts of a conversation.
pub(super) fn passage(sentence: &Sentence) -> Option<String> {
    use SentenceRole::{AlreadyReported, Noise, Question, TakenBack};
    let role = sentence.role();
    if matches!(role, Noise | Question | TakenBack | AlreadyReported) {
        return None;
    }
    let text = sentence.markdown.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = OPENING.replace(&text, "");
    let text = text.trim_start_matches(['-', '*', '#', '>', '+', '.', ',', ' ']).trim_end_matches([' ', ';']);
    let letters = text.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum::<usize>();
    let is_short = text.split(' ').count() < MIN_WORDS && !is_specific(sentence);
    let plain = without_code(text);
    if letters < MIN_LETTERS
        || text.starts_with('(')
        || is_short
        || text.chars().count() > MAX_LENGTH
        || plain.trim_end_matches([')', '"', '*', ' ']).ends_with('?')
        || CHATTER.is_match(&plain)
        || FACT_LINE.is_match(&plain)
        || BACK_REFERENCE.is_match(text)
    {
        return None;
    }
    let end =
        if text.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '`' | ')' | '"')) { "." } else { "" };
    Some(capitalized(text) + end)
}

/// Returns whether a sentence names a version, a reference or code.
pub(super) fn is_specific(sentence: &Sentence) -> bool {
    sentence.code.is_some() || ["VER", "REF", "CODE"].iter().any(|name| sentence.features.contains(*name))
}

/// Returns whether a sentence explains why the problem happens, without a doubt.
pub(super) fn explains(sentence: &Sentence) -> bool {
    use SentenceRole::{Declined, StillHappens, Workaround};
    CAUSE.is_match(&sentence.text)
        && sentence.text.chars().count() <= MAX_EXPLANATION
        && !is_doubtful(&sentence.text)
        && !is_personal(&sentence.text)
        && !matches!(sentence.role(), Declined | StillHappens | Workaround)
}

/// Returns whether a sentence of a change's description tells what was wrong before.
pub(super) fn tells_former_state(sentence: &Sentence) -> bool {
    explains(sentence)
        || FORMER_STATE.is_match(&sentence.text)
            && sentence.text.chars().count() <= MAX_EXPLANATION
            && !is_personal(&sentence.text)
            && !sentence.text.contains("should")
}

/// Returns whether a text states something with a doubt.
pub(super) fn is_doubtful(text: &str) -> bool {
    DOUBT.is_match(text)
}

/// Returns whether a text is about its writer.
pub(super) fn is_personal(text: &str) -> bool {
    FIRST_PERSON.is_match(&without_code(text))
}

/// Returns whether a sentence is a heading below the description of a report.
pub(super) fn ends_description(sentence: &Sentence) -> bool {
    sentence.text.split_whitespace().count() < MIN_WORDS && REPORT_HEADING.is_match(&sentence.text)
}

/// Returns a text without its inline code.
fn without_code(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join("x")
}

/// Returns a text with a capital letter at the beginning, unless it begins with a name or with code.
pub(super) fn capitalized(text: &str) -> String {
    let first_word = text.split(' ').next().unwrap_or_default();
    let is_word = first_word.trim_end_matches([',', ':']).chars().all(|c| c.is_lowercase() || c == '\'');
    match text.chars().next() {
        Some(first) if is_word => first.to_uppercase().chain(text.chars().skip(1)).collect(),
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::roles::Sentences;

    fn passages(markdown: &str) -> Vec<String> {
        Sentences::read(markdown).0.iter().filter_map(passage).collect()
    }

    #[test]
    fn conversation_is_no_passage() {
        for text in [
            "Thanks!",
            "+1, same here.",
            "@ada could you take a look at the reader?",
            "Is this fixed in the last release?",
            "I'm going to close this issue now.",
            "That works.",
            "@bors r+",
        ] {
            assert_eq!(passages(text), [""; 0], "{text}");
        }
    }

    #[test]
    fn passages_begin_without_greetings() {
        for (text, want) in [
            ("Hi @ada, the reader drops the last block.", "The reader drops the last block."),
            ("Ok, so the lease on the slot is renewed twice.", "The lease on the slot is renewed twice."),
            ("set `lease = 0` in the file to avoid it", "Set `lease = 0` in the file to avoid it"),
        ] {
            assert_eq!(passages(text), [want]);
        }
    }

    #[test]
    fn explanations_have_no_doubt() {
        let is_cause = |text: &str| Sentences::read(text).0.iter().any(explains);
        for text in [
            "It fails because the lease is renewed twice.",
            "The root cause is a stale lease on the slot.",
            "The leak was introduced in 2.3 by the new reader.",
        ] {
            assert!(is_cause(text), "{text}");
        }
        for text in [
            "Maybe it fails because the lease is renewed twice.",
            "I think the root cause is a stale lease.",
            "Is it caused by the new reader?",
            "The reader has a new lease.",
        ] {
            assert!(!is_cause(text), "{text}");
        }
    }
}
