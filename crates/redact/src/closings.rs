//! Closing formulas of letters: those of the mail parser, and combinations of closing words.
//! Redacting a name needlessly costs less than cutting a mail too early, so these are recognized
//! more broadly.

use precedent_text::mail;

use super::facts::{is_listed, pattern};

/// Returns the words of a line in small letters, with the offsets of their ends.
fn words(line: &str) -> impl Iterator<Item = (usize, String)> {
    pattern("closing_word").find_iter(line).map(|word| {
        // The Turkish capital İ becomes two characters in lower case.
        (word.end(), word.as_str().to_lowercase().replace('’', "'").replace('\u{307}', ""))
    })
}

fn is_punctuation(c: char) -> bool {
    ",.!;~–—-:，。！、*_".contains(c)
}

/// Returns the end of the closing formula that a line begins with, in words and in bytes.
fn formula(line: &str) -> Option<(usize, usize)> {
    let is_part = |word: &str| is_listed("closings", word) || is_listed("closing_extras", word);
    let front: Vec<(usize, String)> = words(line).take(9).take_while(|(_, w)| is_part(w)).collect();
    let has_core = front.iter().any(|(_, word)| is_listed("closings", word));
    front.last().filter(|_| has_core && front.len() < 9).map(|(end, _)| (front.len(), *end))
}

/// Returns whether a line is a closing formula.
pub(super) fn closes(line: &str) -> bool {
    /// The maximum length in bytes; longer lines are sentences.
    const WIDTH: usize = 140;
    line.len() <= WIDTH && (mail::closes(line) || is_formula(line) || town(line).is_some())
}

fn is_formula(line: &str) -> bool {
    formula(line).is_some_and(|(count, _)| words(line).count() == count)
}

/// Returns the town in "Beste Grüße aus Hamburg".
pub(super) fn town(line: &str) -> Option<&str> {
    let c = pattern("town").captures(line.trim().trim_end_matches(is_punctuation))?;
    let (_, [front, town]) = c.extract();
    let has_capital = town.split(' ').any(|word| word.starts_with(char::is_uppercase));
    (has_capital && is_formula(front)).then_some(town)
}

/// Finds the closing in a line with a closing and a name, as "Thanks, Berta" or "Mvh Marta
/// Lindqvist". Returns the offset of the name, and whether punctuation separates the two.
pub(super) fn before_a_name(line: &str) -> Option<(usize, bool)> {
    let (count, end) = formula(line)?;
    let name = line[end..].trim_start_matches(|c| is_punctuation(c) || matches!(c, ' ' | '\u{a0}'));
    let is_separate = line[end..].starts_with(is_punctuation)
        || line[end..].trim_start().starts_with(['–', '—', '-']);
    let is_title = count == 1 && is_listed("closings_and_titles", &line[..end].to_lowercase());
    let is_name = name.starts_with(char::is_uppercase) && (is_separate || !is_title);
    is_name.then(|| (line.len() - name.len(), is_separate))
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
