//! Closing formulas of letters: those of the mail parser, and combinations of closing words.
//!
//! Recognition is broader here, because an unneeded redaction costs less than a truncated email.

use precedent_text::mail;

use super::data::{is_listed, pattern};

/// Returns the words of a line in lower case, with the offsets of their ends.
fn words(line: &str) -> impl Iterator<Item = (usize, String)> {
    pattern("closing_word").find_iter(line).map(|word| {
        // The Turkish capital İ becomes two characters in lower case.
        (word.end(), word.as_str().to_lowercase().replace('’', "'").replace('\u{307}', ""))
    })
}

fn is_punctuation(c: char) -> bool {
    ",.!;~–—-:，。！、*_".contains(c)
}

/// Returns the length of the closing formula at the start of a line, in words and in bytes.
fn formula_length(line: &str) -> Option<(usize, usize)> {
    let is_part = |word: &str| is_listed("closings", word) || is_listed("closing_extras", word);
    let parts: Vec<(usize, String)> = words(line).take(9).take_while(|(_, w)| is_part(w)).collect();
    let has_core = parts.iter().any(|(_, word)| is_listed("closings", word));
    parts.last().filter(|_| has_core && parts.len() < 9).map(|(end, _)| (parts.len(), *end))
}

/// Returns whether a line is a closing formula.
pub(super) fn is_closing(line: &str) -> bool {
    /// The maximum length in bytes; longer lines are sentences.
    const MAX_LINE: usize = 140;
    line.len() <= MAX_LINE && (mail::is_closing(line) || is_formula(line) || town(line).is_some())
}

fn is_formula(line: &str) -> bool {
    formula_length(line).is_some_and(|(count, _)| words(line).count() == count)
}

/// Returns the town in "Beste Grüße aus Hamburg".
pub(super) fn town(line: &str) -> Option<&str> {
    let c = pattern("town").captures(line.trim().trim_end_matches(is_punctuation))?;
    let (_, [front, town]) = c.extract();
    let has_capital = town.split(' ').any(|word| word.starts_with(char::is_uppercase));
    (has_capital && is_formula(front)).then_some(town)
}

/// Returns the offset of the name after a closing, as in "Thanks, Berta" or "Mvh Marta Lindqvist", and
/// whether punctuation separates them.
pub(super) fn name_offset(line: &str) -> Option<(usize, bool)> {
    let (count, end) = formula_length(line)?;
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
    fn closings_are_recognized_in_many_languages() {
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
            assert!(is_closing(line), "{line}");
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
            assert!(!is_closing(line), "{line}");
        }
        assert_eq!(town("Viele Grüße aus dem sonnigen Kiel!"), Some("dem sonnigen Kiel"));
    }
}
