//! The language of a text, if it is not English.

use whatlang::{Detector, Lang};

/// The maximum length of a text that is read, in bytes.
const MAX_READ: usize = 2_000;
/// The share of other alphabets' letters that decides alone: one in this many.
const OTHER_LETTERS: usize = 6;
/// The share of English words that makes a text English: one in this many.
const ENGLISH_WORDS: usize = 12;

/// The languages that the model for other languages was trained on.
const SUPPORTED_LANGUAGES: [Lang; 15] = [
    Lang::Eng,
    Lang::Ara,
    Lang::Cmn,
    Lang::Deu,
    Lang::Fra,
    Lang::Ita,
    Lang::Jpn,
    Lang::Kor,
    Lang::Nld,
    Lang::Pol,
    Lang::Por,
    Lang::Rus,
    Lang::Spa,
    Lang::Tha,
    Lang::Tur,
];
/// Further languages that are recognized, so that an answer can say that they are not supported.
/// Rarer ones are left out, because English titles are taken for them.
const UNSUPPORTED_LANGUAGES: [Lang; 13] = [
    Lang::Ces,
    Lang::Dan,
    Lang::Ell,
    Lang::Fin,
    Lang::Heb,
    Lang::Hin,
    Lang::Hun,
    Lang::Ind,
    Lang::Nob,
    Lang::Ron,
    Lang::Swe,
    Lang::Ukr,
    Lang::Vie,
];

/// Words that are frequent in English and are no words of the other languages.
const ENGLISH: [&str; 36] = [
    "after", "and", "are", "be", "but", "can't", "cannot", "does", "doesn't", "don't", "from",
    "has", "have", "how", "if", "into", "isn't", "it", "its", "my", "not", "should", "than",
    "that", "the", "there", "this", "using", "what", "when", "which", "why", "with", "without",
    "won't", "your",
];

/// A language other than English.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Foreign(Lang);

impl Foreign {
    /// Returns the language's English name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Lang::Cmn => "Chinese",
            Lang::Nob => "Norwegian",
            language => language.eng_name(),
        }
    }

    /// Returns whether the model for other languages was trained on it.
    pub fn is_supported(self) -> bool {
        SUPPORTED_LANGUAGES.contains(&self.0)
    }
}

/// Returns the language of a text if it is surely not English. Code and identifiers do not count,
/// and a short text in the Latin alphabet may be too little evidence.
pub fn foreign(text: &str) -> Option<Foreign> {
    let text = &text[..text.floor_char_boundary(MAX_READ)];
    let (letters, foreign) =
        text.chars().filter(|c| c.is_alphabetic()).fold((0, 0), |(letters, foreign), c| {
            (letters + 1, foreign + usize::from(is_other_letter(c)))
        });
    let detector = Detector::with_allowlist(
        SUPPORTED_LANGUAGES.into_iter().chain(UNSUPPORTED_LANGUAGES).collect(),
    );
    let detect = |text: &str| detector.detect(text).filter(|info| info.lang() != Lang::Eng);
    if foreign >= 4 && foreign * OTHER_LETTERS >= letters {
        let letters: String =
            text.chars().map(|c| if is_other_letter(c) { c } else { ' ' }).collect();
        return detect(&letters).map(|info| Foreign(info.lang()));
    }
    let words: Vec<String> = text.split_whitespace().filter_map(plain_word).collect();
    let english = words.iter().filter(|word| ENGLISH.contains(&word.as_str())).count();
    if english * ENGLISH_WORDS > words.len() {
        return None;
    }
    detect(&words.join(" ")).filter(whatlang::Info::is_reliable).map(|info| Foreign(info.lang()))
}

/// Returns whether a letter belongs to an alphabet without Latin letters.
fn is_other_letter(c: char) -> bool {
    c.is_alphabetic() && c >= '\u{370}' && !('\u{1e00}'..='\u{1eff}').contains(&c)
}

/// Returns a word in lower case; `None` for a path, a number, code or an identifier.
fn plain_word(word: &str) -> Option<String> {
    let word = word
        .trim_matches(|c: char| !c.is_alphanumeric() && !matches!(c, '/' | '\\' | '_' | '$' | '@'));
    let is_plain = word.chars().all(|c| c.is_alphabetic() || matches!(c, '\'' | '’' | '-'))
        && !word.chars().skip(1).any(char::is_uppercase);
    (is_plain && !word.is_empty()).then(|| word.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_apart_despite_english_names() {
        for (text, name) in [
            (
                "Anmeldung schlägt fehl, wenn im NullPointerException-Dialog abgebrochen wird",
                "German",
            ),
            ("KMS のキーストアを HDFS に置くと FileNotFoundException になる", "Japanese"),
            ("更新后无法连接到 PostgreSQL 数据库", "Chinese"),
            ("Приложение падает при запуске на Android", "Russian"),
            ("Konsolen loggar ut användaren efter varje uppdatering av sidan", "Swedish"),
        ] {
            assert_eq!(foreign(text).map(Foreign::name), Some(name), "{text}");
        }
        assert!(
            !foreign("Konsolen loggar ut användaren efter varje uppdatering av sidan")
                .unwrap()
                .is_supported()
        );
    }

    #[test]
    fn english_code_and_fragments_are_not_foreign() {
        for text in [
            "",
            "E1042",
            "glue_drop crash tag maybe_pointy { no_pointy; yes_pointy(@pointy); }",
            "Lifetime markers do not exhibit the proper variance",
            "TableView setData memory leak iOS",
            "com.acme.sync.Engine: java.lang.NullPointerException",
            "naïve café résumé: file with these words in its name is not found",
        ] {
            assert_eq!(foreign(text), None, "{text}");
        }
    }
}
