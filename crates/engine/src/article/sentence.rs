//! The choice and trimming of sentences for an article.

use std::sync::LazyLock;

use precedent_text::{
    pattern::re,
    roles::{Sentence, SentenceRole},
    version::is_program,
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
        r"am i|does anyone|anybody|someone (?:should|could|please))\b|^(?:not quite|agreed|exactly|true)\b|:\w+:|[😀-🙏👍❤🎉]|^[+-]1\b",
    ))
});
/// A doubt, in a sentence that explains.
static DOUBT: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:i (?:think|guess|believe|suspect|assume|suppose|bet|wonder|imagine|don'?t|do not|can'?t|haven'?t)|my guess|i'?m (?:not|unsure|guessing)|not sure|no idea|maybe|perhaps|might|may (?:be|have)|could be|possibly|",
        r"probably|presumably|apparently|likely|seems?|seemed|appears? to|looks? like|afaik|afaict|iirc|guess|must have|not (?:because|caused|due)|unclear|if (?:this|that|it)|would|should be|somehow|wrong about)\b|\?",
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
        r"(?i)\b(?:incorrectly|wrongly|erroneously|mistakenly|previously|currently|formerly|used to (?:be|have|do|return|call)|before this|forgot|neglected|(?:was|were|did|does|do|is|are)(?: not|n't)|failed to|fails to|assum(?:ed|es)|never|would|older?|was|were)\b",
    )
});
/// The wording for what a change did.
static NEW_STATE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:was|were|been) (?:added|removed|changed|updated|merged|renamed|implemented|discussed|requested|moved|written|adapted|copied)\b",
    )
});
/// A sentence about a change itself, about plans, or that denies a regression.
static ABOUT_CHANGE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\bprs?\b|\b(?:pull request|this (?:commit|patch|change|branch|series)|these (?:commits|changes)|not (?:a )?regression|should|being done|will be|note that|we (?:want|need|could))\b|^\W*this is (?:\w+ )?(?:done|needed|being)",
    )
});
/// The report of a test.
static VERIFIED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:verif(?:ied|y|ying|ication)|tested|re-?test(?:ed|ing)?|qa|test case added|confirm(?:ed|ing)?|reviewed|reproduc\w+|still (?:happens|occurs|fails)|able to|working (?:fine|with|on|in|for)|assumed|must have)\b",
    )
});
/// A statement that something is solved.
static VAGUE_FIX: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\W*(?:i|we|this|it|that|these|those|the (?:issue|bug|problem|ticket)|issue|problem|bug|fix(?:ed)?|resolved|now|already)\b.*\b(?:fix(?:ed|es)?|resolved?|addressed|solved|work(?:s|ed|ing)?|done|merged|landed)\b",
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

/// Program output, and parts of a trace, that a report quotes without marking them as code.
static OUTPUT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)0x[0-9a-f]{5,}|\^~|panicked at|::h[0-9a-f]{16}|^(?:note|warning|error|at)\b[:(. ]|^[A-Z_]{3,}=|^\d+: |[{}]\s|\w\{\{",
    )
});
/// The words of which an English sentence has one.
static FUNCTION_WORD: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:a|an|the|is|are|was|were|be|been|does|do|did|not|to|in|of|on|at|when|while|with|without|after|before|and|or|it|this|that|can(?:not|'t)?|has|have|will|no|for|by|from|if|as)\b",
    )
});
/// The maximum number of words of a phrase that may lack such a word.
const PHRASE: usize = 8;
/// A sentence that is about text or pictures elsewhere.
static ELSEWHERE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:(?:code|snippet|example|program|log|screenshot|video|output|trace|steps|test case|attachment)s? (?:is |are )?(?:below|above|here|attached)|below (?:code|snippet|steps|example)|following|attached|attachments?|as follows|above|screen ?(?:shot|cast)s?)\b",
    )
});
/// A sentence about a system or a version only.
static SETUP: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:i(?:'m| am) (?:using|on|running)|i (?:use|run|have) |(?:the )?version is|using \S+ (?:\S+ )?\d|tested (?:on|with|in)|same (?:on|with|for)|(?:this|it) (?:is|was) (?:on|with) |each commit)",
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
        || OUTPUT.is_match(&plain)
        || SETUP.is_match(&plain)
        || ELSEWHERE.is_match(&plain) && sentence.code.is_none()
        || plain.is_ascii() && text.split(' ').count() <= PHRASE && !FUNCTION_WORD.is_match(&plain)
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
        && !ABOUT_CHANGE.is_match(&sentence.text)
        && !matches!(sentence.role(), Declined | StillHappens | Workaround)
}

/// Returns whether a sentence of a change's description tells what was wrong before.
pub(super) fn tells_former_state(sentence: &Sentence) -> bool {
    explains(sentence)
        || FORMER_STATE.is_match(&sentence.text)
            && sentence.text.chars().count() <= MAX_EXPLANATION
            && !is_personal(&sentence.text)
            && !is_about_change(&sentence.text)
            && !NEW_STATE.is_match(&sentence.text)
}

/// Returns whether a text is about a change and not about the product.
pub(super) fn is_about_change(text: &str) -> bool {
    ABOUT_CHANGE.is_match(text)
}

/// Returns whether a sentence only says that the problem is solved, or that somebody checked it.
pub(super) fn is_vague_fix(sentence: &Sentence) -> bool {
    let is_vague = VAGUE_FIX.is_match(&sentence.text) || is_personal(&sentence.text);
    VERIFIED.is_match(&sentence.text) || is_vague && !is_specific(sentence)
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
    let word = first_word.trim_end_matches(',');
    let is_word = !is_program(word) && word.chars().all(|c| c.is_lowercase() || c == '\'');
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
