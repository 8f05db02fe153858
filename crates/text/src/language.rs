//! The language of a text, if it is not English.

use whatlang::{
    Detector,
    Lang::{
        self, Ara, Ces, Cmn, Dan, Deu, Ell, Eng, Fin, Fra, Heb, Hin, Hun, Ind, Ita, Jpn, Kor, Nld,
        Nob, Pol, Por, Ron, Rus, Spa, Swe, Tha, Tur, Ukr, Vie,
    },
};

/// The maximum length of an examined text, in bytes.
const MAX_INPUT: usize = 2_000;
/// The share of letters of other alphabets, one in this many, that suffices for a decision.
const OTHER_LETTER_SHARE: usize = 6;
/// The share of English words, one in this many, above which a text is English.
const ENGLISH_WORD_SHARE: usize = 12;

/// The languages on which the multilingual model was trained.
const SUPPORTED_LANGUAGES: [Lang; 15] =
    [Eng, Ara, Cmn, Deu, Fra, Ita, Jpn, Kor, Nld, Pol, Por, Rus, Spa, Tha, Tur];
/// Languages that are recognized but not supported. Rarer ones would match English titles.
const UNSUPPORTED_LANGUAGES: [Lang; 13] =
    [Ces, Dan, Ell, Fin, Heb, Hin, Hun, Ind, Nob, Ron, Swe, Ukr, Vie];

/// Frequent English words that are not words of the other languages.
const ENGLISH_WORDS: [&str; 36] = [
    "after", "and", "are", "be", "but", "can't", "cannot", "does", "doesn't", "don't", "from",
    "has", "have", "how", "if", "into", "isn't", "it", "its", "my", "not", "should", "than",
    "that", "the", "there", "this", "using", "what", "when", "which", "why", "with", "without",
    "won't", "your",
];

/// A language other than English.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ForeignLanguage(Lang);

impl ForeignLanguage {
    /// Returns the language's English name.
    pub fn name(self) -> &'static str {
        match self.0 {
            Cmn => "Chinese",
            Nob => "Norwegian",
            language => language.eng_name(),
        }
    }

    /// Returns whether the multilingual model was trained on it.
    pub fn is_supported(self) -> bool {
        SUPPORTED_LANGUAGES.contains(&self.0)
    }
}

/// Returns the language of a text if it is certainly not English. Code and identifiers do not
/// count. A short text in the Latin alphabet may give too little evidence.
pub fn foreign_language(text: &str) -> Option<ForeignLanguage> {
    let text = &text[..text.floor_char_boundary(MAX_INPUT)];
    let (letters, other_letters) =
        text.chars().filter(|c| c.is_alphabetic()).fold((0, 0), |(letters, other_letters), c| {
            (letters + 1, other_letters + usize::from(is_other_letter(c)))
        });
    let detector = Detector::with_allowlist(
        SUPPORTED_LANGUAGES.into_iter().chain(UNSUPPORTED_LANGUAGES).collect(),
    );
    let detect = |text: &str| detector.detect(text).filter(|info| info.lang() != Eng);
    if other_letters >= 4 && other_letters * OTHER_LETTER_SHARE >= letters {
        let letters: String =
            text.chars().map(|c| if is_other_letter(c) { c } else { ' ' }).collect();
        return detect(&letters).map(|info| ForeignLanguage(info.lang()));
    }
    let words: Vec<String> = text.split_whitespace().filter_map(plain_word).collect();
    let english_count = words.iter().filter(|word| ENGLISH_WORDS.contains(&word.as_str())).count();
    if english_count * ENGLISH_WORD_SHARE > words.len() {
        return None;
    }
    detect(&words.join(" "))
        .filter(whatlang::Info::is_reliable)
        .map(|info| ForeignLanguage(info.lang()))
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
    fn languages_are_detected_despite_english_names() {
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
            assert_eq!(foreign_language(text).map(ForeignLanguage::name), Some(name), "{text}");
        }
        assert!(
            !foreign_language("Konsolen loggar ut användaren efter varje uppdatering av sidan")
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
            assert_eq!(foreign_language(text), None, "{text}");
        }
    }
}
