//! The words of names: those that are none, and what represents a person without the whole name.

use precedent_text::{tokens, words::Words};

/// The capitalised words in the position of names.
pub(super) static NO_PEOPLE: Words = Words::new(
    "all abteilung admin administrator also and any anyone anybody best build chat colleagues
     community company customer dank danke damen department dev developer developers devs director
     engineer engineering error everybody everyone expected folks friend friends group guys head
     helpdesk herren issue it kollegen ladies lead logs madam maintainer maintainers manager me no
     none not note office operations people please product project regards report sales sent
     service services sir steps summary support system team thank thanks there the this to
     together us user users version we world yes you zusammen alle i if is in on at my what when
     windows linux ubuntu debian android chrome firefox internet explorer visual studio spring
     boot red hat docker java python rust",
);

/// The names that are also ordinary words.
static WORDS_TOO: Words = Words::new(
    "april art august bill black branch brown bush case chase code cook drew field frank grace
     gray green guy hope jack june key king long mark max may miles min norm page pat penny price
     ray rich rob rose sandy stone sue summer white will wood young day free good hill lane land
     lee little love moon park power rice root sharp short small star sun test turner wall west
     north south east winter wise",
);

/// Returns whether a word of a text is one that stands in the position of names.
pub(super) fn is_no_name(text: &str) -> bool {
    text.split(' ').any(|word| NO_PEOPLE.contains(&word.to_lowercase()))
}

/// Returns the words of a full name that identify the person on their own, and the logins that are
/// usually made of it.
pub(super) fn parts(name: &str) -> Vec<String> {
    let words: Vec<&str> = name.split([' ', '\u{a0}']).filter(|w| !w.is_empty()).collect();
    let [first, .., _] = words.as_slice() else { return Vec::new() };
    let capital = |word: &str| {
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
    words
        .iter()
        .filter(|word| is_distinctive(word))
        .filter_map(|w| capital(w))
        .chain(logins)
        .collect()
}

/// Returns the surname in a full name in plain small letters, if it is distinctive.
pub(super) fn surname(name: &str) -> Option<String> {
    let last = name.rsplit_once([' ', '\u{a0}'])?.1;
    let folded_name = tokens::fold(last).to_lowercase();
    (is_distinctive(&last)
        && folded_name.len() >= 5
        && folded_name.chars().all(|c| c.is_ascii_alphabetic()))
    .then_some(folded_name)
}

/// Returns whether a word of a name is hardly ever another word.
fn is_distinctive(word: &&str) -> bool {
    word.chars().count() >= 3
        && word.chars().all(|c| c.is_alphabetic() || matches!(c, '-' | '\'' | '’'))
        && !["von", "van", "vom", "der", "den", "del", "della", "dos", "bin", "ten"].contains(word)
        && !WORDS_TOO.contains(&word.to_lowercase())
        && !NO_PEOPLE.contains(&word.to_lowercase())
}
