//! Closing formulas of letters: those of the mail parser, and combinations of the words below.
//! Redacting a name needlessly costs less than cutting a mail too early, so these are recognised
//! more broadly.

use precedent_text::{mail, words::Words};

/// The words of which a closing contains at least one.
static CORE: Words = Words::new(include_str!("../data/closings.txt"));
/// The words that a closing may contain beside them.
static EXTRA_WORDS: Words = Words::new(include_str!("../data/closing_extras.txt"));
/// The words before the writer's town.
const FROM: &[&str] = &[
    "aus", "from", "depuis", "desde", "da", "från", "fra", "vanuit", "uit", "z", "из", "dal",
    "dalla",
];
/// The one-word closings that are also words of titles: recognised only on their own line.
const TITLES: &[&str] = &[
    "best", "yours", "best of", "respect", "kindly", "regard", "br", "att", "in", "bw", "gr",
    "以上", "to", "tak", "ty",
];

/// The punctuation that may end a closing.
const ENDS: [char; 15] =
    [',', '.', '!', ';', '~', '–', '—', '-', ':', '，', '。', '！', '、', '*', '_'];

/// Returns whether a line is a closing formula.
pub(super) fn closes(line: &str) -> bool {
    let line = line.trim().trim_matches(['*', '_']);
    // The mail parser's phrases and sentences are not combinations of these words.
    mail::closes(line) || town(line).is_some() || is_made_of_closings(line)
}

fn is_made_of_closings(line: &str) -> bool {
    // The Turkish capital İ becomes two characters in lower case.
    let lower = line.trim_end_matches(ENDS).to_lowercase().replace('’', "'").replace('\u{307}', "");
    let words: Vec<&str> = lower
        .split([' ', '\u{a0}', ',', '/', '\u{3000}'])
        .map(|word| word.trim_matches(ENDS))
        .filter(|word| !word.is_empty())
        .collect();
    (1..=8).contains(&words.len())
        && words.iter().any(|word| CORE.contains(word))
        && words.iter().all(|word| CORE.contains(word) || EXTRA_WORDS.contains(word))
}

/// Returns the town in "Beste Grüße aus Hamburg".
pub(super) fn town(line: &str) -> Option<&str> {
    let bare = line.trim().trim_end_matches(ENDS);
    let begins = std::iter::once(0).chain(bare.match_indices(' ').map(|(at, _)| at + 1));
    let words: Vec<(usize, &str)> = begins.zip(bare.split(' ')).collect();
    let at = words.iter().position(|(_, word)| FROM.contains(&word.to_lowercase().as_str()))?;
    let (begin, _) = *words.get(at + 1)?;
    let place = &bare[begin..];
    let capital =
        words[at + 1..].iter().any(|(_, w)| w.chars().next().is_some_and(char::is_uppercase));
    let few = words.len() - at <= 4 && !place.contains(|c: char| c.is_ascii_digit());
    (at > 0 && capital && few && is_made_of_closings(&bare[..words[at].0])).then_some(place)
}

/// Finds the closing in a line with a closing and a name, as "Thanks, Berta" or "Mvh Marta
/// Lindqvist". Returns the offset of the name, and whether punctuation separates the two.
pub(super) fn before_a_name(line: &str) -> Option<(usize, bool)> {
    let marks = line
        .char_indices()
        .filter(|(_, c)| matches!(c, ',' | '!' | '.' | '–' | '—' | '-' | '，' | '！' | '、'));
    for (at, c) in marks {
        let rest = &line[at + c.len_utf8()..];
        let begin = line.len() - rest.trim_start_matches([' ', '\u{a0}']).len();
        // A hyphen may be inside of a name, so it separates only before a space.
        let is_separate = c != '-' && c != '.' || rest.starts_with(' ');
        if begin < line.len() && is_separate && closes(&line[..at]) {
            return Some((begin, true));
        }
    }
    let gaps: Vec<usize> = line.match_indices(' ').map(|(at, _)| at).collect();
    gaps.into_iter()
        .rev()
        .find(|at| {
            let front = line[..*at].trim();
            let lower = front.to_lowercase();
            let formula = closes(front) && !TITLES.contains(&lower.as_str());
            let rest = line[*at..].trim_start();
            formula && rest.starts_with(char::is_uppercase) && !is_made_of_closings(rest)
        })
        .map(|at| (at + 1, false))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closings_are_recognised_in_many_languages() {
        for line in [
            "Best regards,",
            "Thanks and kind regards",
            "Respectfully,",
            "KR",
            "Thank you in advance!",
            "Mit freundlichem Gruß",
            "Danke und viele Grüße",
            "Beste Grüße aus Hamburg",
            "Herzlichst",
            "Bien cordialement,",
            "Merci d'avance",
            "Merci et bonne journée",
            "Gracias y saludos,",
            "Un saludo",
            "Grazie e cordiali saluti",
            "Atenciosamente,",
            "Obrigado e cumprimentos",
            "Hartelijke groeten",
            "Pozdrawiam",
            "Z wyrazami szacunku",
            "Med vänliga hälsningar",
            "Mvh",
            "Med vennlig hilsen",
            "S pozdravem",
            "С уважением,",
            "С наилучшими пожеланиями",
            "Saygılarımla",
            "此致",
            "敬具",
            "Terveisin",
            "İyi çalışmalar,",
            "Üdvözlettel",
            "Cu stimă",
            "Sent from my iPhone",
        ] {
            assert!(closes(line), "{line}");
        }
        for line in [
            "Thanks to the cache",
            "Best Practices",
            "Regards table",
            "with",
            "",
            "The day was good",
            "Release notes from Hamburg",
        ] {
            assert!(!closes(line), "{line}");
        }
        assert_eq!(town("Viele Grüße aus dem sonnigen Kiel!"), Some("dem sonnigen Kiel"));
    }
}
