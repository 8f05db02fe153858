//! Names of people: their form, and the texts that identify a person without the full name.

use super::{
    closings,
    data::{is_listed, pattern},
};
use precedent_text::tokens;

/// Returns whether a string can be a person's name.
pub(super) fn is_name(text: &str) -> bool {
    let words = || text.split([' ', '\u{a0}']).filter(|w| !w.is_empty());
    pattern("whole_name").is_match(text)
        && text.chars().count() <= 60
        && words().any(|w| w.trim_end_matches('.').chars().count() > 1)
        && !words().any(|w| {
            let lower = w.trim_end_matches('.').to_lowercase();
            is_listed("no_people", &lower)
                || w.chars().count() > 3 && w.chars().all(char::is_uppercase)
        })
}

/// Returns whether a recognized name looks like one: unlike identifiers, its words have no inner
/// capitals, except after "Mc", "Mac" and an apostrophe.
pub(super) fn is_full_name(text: &str) -> bool {
    let without_prefixes = text.replace("Mc", "").replace("Mac", "");
    can_sign(text) && !pattern("inner_capital").is_match(&without_prefixes)
}

/// Returns whether a string in the position of a name can be a name in a script without case.
fn is_name_without_case(text: &str) -> bool {
    pattern("caseless_name").is_match(text)
        && !closings::is_closing(text)
        && !pattern("company").is_match(text)
        && !pattern("eastern_group").is_match(text)
}

/// Returns whether a string can be the name of a signer.
pub(super) fn can_sign(text: &str) -> bool {
    is_name(text) || is_name_without_case(text)
}

/// Returns whether a string in the position of a name can be a name: "Hansen, Molly", "Ada", "高橋 美咲".
pub(super) fn can_be_name(text: &str) -> bool {
    is_name(&text.replace(',', ""))
        || !text.contains(|c: char| c.is_lowercase() || c.is_uppercase())
}

/// Returns whether a name has more than one word.
pub(super) fn has_several_words(name: &str) -> bool {
    name.contains([' ', '\u{a0}', '\u{3000}'])
}

/// Returns the words of a full name that identify the person on their own, and the logins commonly
/// derived from it.
pub(super) fn parts(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split([' ', '\u{a0}']).filter(|w| !w.is_empty()).collect();
    let [first, .., _] = words.as_slice() else { return Vec::new() };
    let capitalize = |word: &str| {
        let mut chars = word.chars();
        chars.next().map(|first| first.to_uppercase().chain(chars).collect::<String>())
    };
    let logins = surname(name).into_iter().flat_map(|last| {
        let first = tokens::fold(first).to_lowercase();
        let initial: String = first.chars().take(1).collect();
        [
            format!("{initial}{last}"),
            format!("{initial}.{last}"),
            format!("{first}.{last}"),
            format!("{first}_{last}"),
            format!("{last}.{first}"),
            format!("{last}{initial}"),
        ]
    });
    let distinctive = words.iter().filter(|word| is_distinctive(word));
    distinctive.filter_map(|word| capitalize(word)).chain(logins).collect()
}

/// Returns the surname of a full name in ASCII lower case, if it is distinctive.
pub(super) fn surname(name: &str) -> Option<String> {
    let last = name.rsplit_once([' ', '\u{a0}'])?.1;
    let folded_name = tokens::fold(last).to_lowercase();
    (is_distinctive(&last)
        && folded_name.len() >= 5
        && folded_name.chars().all(|c| c.is_ascii_alphabetic()))
    .then_some(folded_name)
}

/// Returns whether a word of a name is rarely used as an ordinary word.
fn is_distinctive(word: &&str) -> bool {
    word.chars().count() >= 3
        && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
        && !is_listed("name_particles", word)
        && !["names_and_words", "no_people"].iter().any(|l| is_listed(l, &word.to_lowercase()))
}
