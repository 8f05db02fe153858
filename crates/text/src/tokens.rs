//! The tokenizer for words, identifiers and versions in indexing, querying and highlighting.

use std::{borrow::Cow, cell::RefCell, collections::HashMap, ops::Range};

use rust_stemmers::{Algorithm, Stemmer};
use unicode_normalization::{UnicodeNormalization as _, char::is_combining_mark};

/// The maximum length of an indexed word, in bytes; longer runs, such as base64, are noise.
const MAX_WORD: usize = 64;

/// A word of a text and its position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Word {
    /// Byte range in the text.
    pub range: Range<usize>,
    /// Term: folded to lower case without diacritics; stemmed (English) if it is a plain word.
    pub term: String,
}

/// Splits a text into words: runs of letters and digits. Versions (`0.8.1`) stay whole. Chinese,
/// Japanese and Korean characters become overlapping pairs. An emoji is a word.
pub fn words(text: &str) -> Vec<Word> {
    words_where(text, |_| true, false)
}

/// Splits as [`words`] does, and adds the transcription of a word with an ä, ö or ü with the same
/// range ("größe": `grosse`, `groesse`).
pub fn forms(text: &str) -> Vec<Word> {
    words_where(text, |_| true, true)
}

/// Splits as [`forms`] does, but returns only the words whose original text `is_wanted` accepts.
/// Rejected words are not stemmed.
pub fn forms_where(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<Word> {
    words_where(text, is_wanted, true)
}

fn words_where(text: &str, is_wanted: impl Fn(&str) -> bool, forms: bool) -> Vec<Word> {
    let mut out = Vec::new();
    for_each_word(text, |range, is_plain| {
        let word = &text[range.clone()];
        if is_plain && !is_wanted(word) {
            return;
        }
        let term = if is_plain { stem(word) } else { unstemmed_term(word) };
        let transcription = if is_plain && forms { transcribe(word) } else { None };
        let transcription = transcription.map(|w| stem(&w)).filter(|t| *t != term);
        // Combining marks without a letter fold to nothing.
        if !term.is_empty() {
            out.push(Word { range: range.clone(), term });
        }
        out.extend(transcription.map(|term| Word { range, term }));
    });
    out
}

/// Calls `on_word` with the range of each word, and whether to fold and stem it.
fn for_each_word(text: &str, mut on_word: impl FnMut(Range<usize>, bool)) {
    let mut chars = text.char_indices().peekable();
    let mut last_end = 0;
    while let Some((start, c)) = chars.next() {
        if is_ideograph(c) {
            let mut end = start + c.len_utf8();
            while let Some((i, n)) = chars.next_if(|(_, n)| is_sounding_mark(*n)) {
                end = i + n.len_utf8();
            }
            let next =
                chars.peek().filter(|(_, n)| is_ideograph(*n)).map(|(i, n)| i + n.len_utf8());
            match next {
                Some(next) => {
                    let marks = text[next..].chars().take_while(|n| is_sounding_mark(*n));
                    end = next + marks.map(char::len_utf8).sum::<usize>();
                    on_word(start..end, false);
                    last_end = end;
                }
                // The last character of a run is already in the previous pair.
                None if last_end > start => {}
                None => on_word(start..end, false),
            }
            continue;
        }
        if is_emoji(c) {
            let mut end = start + c.len_utf8();
            let mut is_joined = false;
            // Two flag letters form a flag; joiners merge several emoji into one.
            let mut half_flag = is_flag_letter(c);
            while let Some((i, n)) = chars.next_if(|(_, n)| {
                is_modifier(*n) || (is_joined && is_emoji(*n)) || (half_flag && is_flag_letter(*n))
            }) {
                is_joined = n == '\u{200d}';
                half_flag &= !is_flag_letter(n);
                end = i + n.len_utf8();
            }
            on_word(start..end, false);
            continue;
        }
        if !c.is_alphanumeric() {
            continue;
        }
        let (mut start, mut end) = (start, start + c.len_utf8());
        let numeric = c.is_ascii_digit();
        while let Some(&(i, n)) = chars.peek() {
            if (n.is_alphanumeric() || is_combining_mark(n) || is_hidden(n)) && !is_ideograph(n) {
                end = i + n.len_utf8();
            } else if n == '.' && numeric && text[i + 1..].starts_with(|d: char| d.is_ascii_digit())
            {
                end = i + 1;
            } else if (n == '\'' || n == '’')
                && text[i + n.len_utf8()..].starts_with(|d: char| d.is_alphabetic())
            {
                let rest_start = i + n.len_utf8();
                // "doesn't" is one word; in "l'imprimante", only the second part is the word.
                if is_elision(&text[start..i], &text[rest_start..]) {
                    start = rest_start;
                }
                end = rest_start;
            } else {
                break;
            }
            chars.next();
        }
        if end - start <= MAX_WORD {
            on_word(start..end, true);
        }
    }
}

/// The elided French and Italian words before an apostrophe, which are not part of the next word.
const ELISIONS: &[&str] = &[
    "agl", "all", "bell", "c", "coll", "d", "dagl", "dall", "degl", "dell", "gl", "j", "jusqu",
    "l", "lorsqu", "m", "n", "negl", "nell", "puisqu", "qu", "quell", "quest", "quoiqu", "s",
    "sull", "t", "un",
];

/// The length of the longest of them, in bytes.
const MAX_ELISION: usize = 6;

/// Returns whether the word before an apostrophe is elided: "l'aperçu", "dell'utente". In English,
/// none of these precede a vowel ("don't", "it's", "O'Brien").
fn is_elision(prefix: &str, rest: &str) -> bool {
    let is_before_vowel = rest.chars().next().is_some_and(|c| {
        let first = fold(c.encode_utf8(&mut [0; 4])).chars().next();
        first.is_some_and(|c| matches!(c, 'a' | 'e' | 'i' | 'o' | 'u' | 'y' | 'h'))
    });
    // The next word needs two letters: in "D'A", the first part is not an article.
    // The length is compared first, because a hostile text is one word of megabytes.
    prefix.len() <= MAX_ELISION
        && is_before_vowel
        && rest.chars().nth(1).is_some_and(char::is_alphabetic)
        && ELISIONS.binary_search(&&*prefix.to_lowercase()).is_ok()
}

/// Returns the term of an unstemmed word: NFKC, which widens half-width forms, without emoji
/// variation selectors.
fn unstemmed_term(word: &str) -> String {
    word.nfkc().filter(|c| *c != '\u{fe0f}' && *c != '\u{fe0e}').collect()
}

/// Transcribes a word with ä, ö or ü: "Groesse" for "Größe".
fn transcribe(word: &str) -> Option<String> {
    if word.is_ascii() {
        return None;
    }
    let composed_word: String = word.nfc().collect();
    if !composed_word.contains(['ä', 'ö', 'ü', 'Ä', 'Ö', 'Ü']) {
        return None;
    }
    let mut out = String::with_capacity(composed_word.len());
    for c in composed_word.chars() {
        match c {
            'ä' | 'Ä' => out.push_str("ae"),
            'ö' | 'Ö' => out.push_str("oe"),
            'ü' | 'Ü' => out.push_str("ue"),
            c => out.push(c),
        }
    }
    Some(out)
}

thread_local! {
    /// Terms of recent words. Folding and stemming took a fifth of the time of duplicate checks.
    static TERM_CACHE: RefCell<HashMap<String, String>> = RefCell::default();
}

/// The maximum number of words that a thread caches, because numbers and hashes vary without limit.
const MAX_CACHED_TERMS: usize = 16_384;
/// The maximum length of a cached word, in bytes.
const MAX_CACHED_WORD: usize = 64;

/// Returns the term under which a single word is indexed.
fn stem(word: &str) -> String {
    TERM_CACHE.with_borrow_mut(|cache| {
        if let Some(term) = cache.get(word) {
            return term.clone();
        }
        let folded_word = fold(word);
        let term = match folded_word.bytes().all(|b| b.is_ascii_lowercase()) {
            true => Stemmer::create(Algorithm::English).stem(&folded_word).into_owned(),
            false => strip_article(&folded_word).to_owned(),
        };
        if cache.len() >= MAX_CACHED_TERMS {
            cache.clear();
        }
        if word.len() <= MAX_CACHED_WORD {
            cache.insert(word.to_owned(), term.clone());
        }
        term
    })
}

/// Strips the article of an Arabic word, which is written as part of it. Stripping repeats, so that
/// a word that begins with the same letters has one term with and without the article.
fn strip_article(full_word: &str) -> &str {
    const ARTICLE: &str = "ال";
    // The minimum length of the remaining word, in characters.
    const MIN: usize = 3;
    let mut word = full_word;
    if let Some(rest) =
        ["وال", "بال", "كال", "فال"].iter().find_map(|prefix| word.strip_prefix(prefix))
        && rest.chars().count() >= MIN
    {
        word = rest;
    }
    while let Some(rest) = word.strip_prefix(ARTICLE).filter(|rest| rest.chars().count() >= MIN) {
        word = rest;
    }
    word
}

/// Folds a word: lower case without diacritics, apostrophes and invisible characters. Some letters
/// are transcribed ("straße": `strasse`).
pub fn fold(word: &str) -> Cow<'_, str> {
    if word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        return Cow::Borrowed(word);
    }
    if word.is_ascii() && !word.contains('\'') {
        return Cow::Owned(word.to_ascii_lowercase());
    }
    let mut out = String::with_capacity(word.len());
    // Some standalone marks decompose into a space and a mark.
    let letters = word.nfkd().filter(|c| {
        !is_combining_mark(*c) && !is_hidden(*c) && !c.is_whitespace() && !matches!(c, '\'' | '’')
    });
    for c in letters.flat_map(char::to_lowercase) {
        match c {
            'ß' => out.push_str("ss"),
            'æ' => out.push_str("ae"),
            'œ' => out.push_str("oe"),
            'ø' => out.push('o'),
            'đ' | 'ð' => out.push('d'),
            'ł' => out.push('l'),
            'ı' => out.push('i'),
            // The Greek final sigma.
            'ς' => out.push('σ'),
            // The Arabic tatweel, and letters that are interchanged at the end of a word.
            '\u{640}' => {}
            'ة' => out.push('ه'),
            'ى' => out.push('ي'),
            c if is_combining_mark(c) => {}
            c => out.push(c),
        }
    }
    Cow::Owned(out)
}

/// Normalizes a phrase for comparison to its folded letters and digits ("Won’t fix", `wont-fix`,
/// "WONTFIX ✅").
pub fn normalize_phrase(phrase: &str) -> String {
    let letters: String = phrase
        .chars()
        .filter(|c| c.is_alphanumeric() || is_combining_mark(*c) || is_sounding_mark(*c))
        .collect();
    fold(&letters).into_owned()
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3005}'..='\u{3007}' | '\u{3040}'..='\u{3098}' | '\u{309b}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}'
        | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9d}'
        | '\u{20000}'..='\u{2fa1f}')
}

/// Returns whether a character is a sound mark of the preceding kana.
fn is_sounding_mark(c: char) -> bool {
    matches!(c, '\u{3099}' | '\u{309a}' | '\u{ff9e}' | '\u{ff9f}')
}

/// Returns whether a character is invisible: a soft hyphen, zero-width space, joiner or direction
/// mark.
fn is_hidden(c: char) -> bool {
    matches!(c, '\u{ad}' | '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}')
}

/// Returns whether a character is an emoji or a similar symbol.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{2600}'..='\u{27bf}' | '\u{2b1b}'..='\u{2b55}' | '\u{1f000}'..='\u{1f3fa}' | '\u{1f400}'..='\u{1faff}')
}

fn is_flag_letter(c: char) -> bool {
    matches!(c, '\u{1f1e6}'..='\u{1f1ff}')
}

/// Returns whether a character modifies the preceding emoji: a variation selector, skin tone or
/// joiner.
fn is_modifier(c: char) -> bool {
    matches!(c, '\u{200d}' | '\u{fe0e}' | '\u{fe0f}' | '\u{20e3}' | '\u{1f3fb}'..='\u{1f3ff}')
}

/// Returns the identifiers of a text in lower case: names that [`words`] would split, such as
/// `foo_bar`, `--no-color`, `std::vec::Vec`, `0.8.1`, `fooBar`, `/etc/fw.conf`, `E0277`.
pub fn identifiers(text: &str) -> impl Iterator<Item = (Range<usize>, String)> + '_ {
    let joins = |c: char| matches!(c, '_' | '-' | '.' | ':' | '/' | '@' | '$');
    let mut position = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = &text[position..];
            let start = position + rest.find(|c: char| c.is_alphanumeric() || joins(c))?;
            let run = &text[start..];
            let end =
                start + run.find(|c: char| !(c.is_alphanumeric() || joins(c))).unwrap_or(run.len());
            let end = end + language_suffix_length(&text[start..end], &text[end..]);
            position = end;
            let run = &text[start..end];
            let tail = run.trim_end_matches(joins);
            // A leading "--" belongs to an option, a leading "/" to a path; other joiners are
            // punctuation.
            let head = tail.trim_start_matches(joins);
            let word = if tail.starts_with("--")
                || (tail.starts_with('/') && head.contains('/'))
                || tail.eq_ignore_ascii_case(".net")
            {
                tail
            } else {
                head
            };
            if is_identifier(word) || is_language(word) {
                let start = start + (tail.len() - word.len());
                return Some((start..start + word.len(), word.to_lowercase()));
            }
        }
    })
}

/// Returns the number of bytes after a word that belong to the name of a language: "++" and the
/// year of C++, "#" of C#.
fn language_suffix_length(word: &str, tail: &str) -> usize {
    if !word.ends_with(|c: char| c.is_ascii_alphanumeric()) {
        return 0;
    }
    if let Some(rest) = tail.strip_prefix("++") {
        let digits = rest.bytes().take_while(u8::is_ascii_alphanumeric).count();
        let is_number = rest.bytes().take(digits).all(|b| b.is_ascii_digit());
        return 2 + if is_number { digits } else { 0 };
    }
    // Only a single letter before '#' names a language; longer words name keys or channels.
    let is_single_letter = word.as_bytes().last().is_some_and(u8::is_ascii_alphabetic)
        && !word[..word.len() - 1].ends_with(char::is_alphanumeric);
    let is_end =
        tail.strip_prefix('#').is_some_and(|rest| !rest.starts_with(char::is_alphanumeric));
    usize::from(is_single_letter && is_end)
}

/// Returns whether an identifier is a language or platform whose symbols matter: `c++`, `c#`,
/// `.net`.
pub fn is_language(word: &str) -> bool {
    (word.len() == 2 && word.ends_with('#'))
        || word.contains("++")
        || word.eq_ignore_ascii_case(".net")
}

/// Returns whether a word has an inner joiner, letters and digits, or inner capitals.
fn is_identifier(word: &str) -> bool {
    if word.len() < 3 || word.len() > MAX_WORD * 2 {
        return false;
    }
    let (mut has_letter, mut has_digit, mut has_joiner, mut has_capital, mut has_lower) =
        (false, false, false, false, false);
    for c in word.chars() {
        if c.is_alphabetic() {
            has_capital |= has_lower && c.is_uppercase();
            has_lower |= c.is_lowercase();
            has_letter = true;
        } else if c.is_numeric() {
            has_digit = true;
        } else {
            // A hyphen joins ordinary words ("read-only"), so it counts only in options.
            has_joiner |= c != '-' || word.starts_with("--");
        }
    }
    (has_joiner && (has_letter || has_digit)) || (has_letter && has_digit) || has_capital
}

/// Returns whether a word is so common that queries ignore it, unless they have no other words.
pub fn is_stop_word(term: &str) -> bool {
    // Stems of English function words (Manning, Raghavan, Schütze, "Introduction to Information
    // Retrieval", figure 2.5) and of words in every report.
    const STOP_WORDS: &[&str] = &[
        "a", "am", "an", "and", "ani", "are", "as", "at", "be", "been", "but", "by", "can",
        "could", "did", "do", "doe", "doesnt", "dont", "for", "from", "had", "has", "have",
        "hello", "hi", "how", "i", "if", "im", "in", "is", "it", "its", "ive", "me", "my", "not",
        "of", "on", "or", "our", "pleas", "so", "thank", "that", "the", "them", "then", "there",
        "they", "this", "to", "was", "we", "were", "what", "when", "which", "while", "will",
        "with", "would", "you", "your",
    ];
    STOP_WORDS.binary_search(&term).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms(text: &str) -> Vec<String> {
        words(text).into_iter().map(|w| w.term).collect()
    }

    #[test]
    fn many_apostrophes_take_linear_time() {
        assert_eq!(terms(&"aa'".repeat(400_000)), [""; 0]);
    }

    #[test]
    fn terms_never_contain_whitespace() {
        let terms = terms("Traoop\u{37a}r \u{37a}");
        assert!(terms.iter().all(|term| !term.contains(char::is_whitespace)), "{terms:?}");
        assert_eq!(terms.first().map(String::as_str), Some("traoopr"));
    }

    #[test]
    fn normalized_phrases_ignore_case_and_separators() {
        for phrase in ["Won’t fix", "WONTFIX", "wont-fix", "won't_fix ✅", "(Won’t  Fix!)"] {
            assert_eq!(normalize_phrase(phrase), "wontfix", "{phrase}");
        }
        assert_eq!(normalize_phrase("Résolue."), normalize_phrase("RESOLUE"));
        assert_eq!(normalize_phrase("Решён"), normalize_phrase("решен"));
        assert_eq!(normalize_phrase("--- ✅"), "");
    }

    #[test]
    fn words_are_stemmed_but_versions_stay_whole() {
        assert_eq!(
            terms("Crashes after upgrading to 0.8.1."),
            ["crash", "after", "upgrad", "to", "0.8.1"]
        );
        assert_eq!(terms("Größe doesn't fit"), ["gross", "doesnt", "fit"]);
        assert_eq!(terms("E0277 in foo_bar"), ["e0277", "in", "foo", "bar"]);
    }

    #[test]
    fn text_without_spaces_becomes_pairs() {
        assert_eq!(terms("顧客表"), ["顧客", "客表"]);
        assert_eq!(terms("表 x"), ["表", "x"]);
    }

    #[test]
    fn spelling_variants_share_a_term() {
        for (left, right) in [
            ("ﾒﾓﾘ", "メモリ"),
            ("ﾊﾞｯｸﾞ", "バグ".replace('グ', "ッグ").as_str()),
            ("ハ\u{3099}ク", "バク"),
            ("ＡＰＩ ４０４", "api 404"),
            ("pay\u{200b}load na\u{ad}me", "payload name"),
            ("Cafe\u{301} CAFÉ", "café cafe"),
            ("STRAẞE", "strasse"),
            ("ΣΊΣΥΦΟΣ", "σίσυφος"),
            ("İstanbul ısı", "istanbul isi"),
            ("Łódź smørbrød", "lodz smorbrod"),
            ("⚠️ ❤️", "⚠ ❤"),
        ] {
            assert_eq!(terms(left), terms(right), "{left}");
        }
        for (variant, query) in
            [("Schaltfläche", "schaltflaeche"), ("GRÖSSE", "groesse"), ("U\u{308}ber", "ueber")]
        {
            assert!(forms(variant).iter().any(|w| w.term == terms(query)[0]), "{variant}");
        }
        assert_eq!(
            terms("🔥🔥 👨\u{200d}👩\u{200d}👧 🇩🇪🇫🇷 👍🏽"),
            ["🔥", "🔥", "👨\u{200d}👩\u{200d}👧", "🇩🇪", "🇫🇷", "👍🏽"]
        );
    }

    #[test]
    fn words_after_an_elision_are_indexed() {
        for (phrase, query) in [
            ("L'aperçu", "aperçu"),
            ("l’imprimante", "imprimante"),
            ("D'ÉTIQUETTES", "étiquettes"),
            ("qu’on", "on"),
            ("l'hôtel", "hôtel"),
            ("dell'utente", "utente"),
            ("Nell’ordine", "ordine"),
            ("un'altra", "altra"),
            ("d'aujourd'hui", "aujourd'hui"),
        ] {
            assert_eq!(terms(phrase), terms(query), "{phrase}");
            let parts = words(phrase);
            assert!(parts[0].range.end == phrase.len() && parts[0].range.start > 0, "{phrase}");
        }
        for (phrase, term) in [
            ("don't", "dont"),
            ("it's", "it"),
            ("O'Brien", "obrien"),
            ("l'x", "lx"),
            ("d'a", "da"),
            ("m'kay", "mkay"),
        ] {
            let result = terms(phrase);
            assert_eq!(result.len(), 1, "{phrase}");
            assert!(result[0].starts_with(term), "{phrase}: {result:?}");
        }
    }

    #[test]
    fn arabic_articles_and_marks_are_normalized() {
        for (variant, query) in [
            ("الدخول", "دخول"),
            ("والملفات", "ملفات"),
            ("تسجيـــل", "تسجيل"),
            ("تَسْجِيل", "تسجيل"),
            ("اللغة", "اللغه"),
            ("الإلكتروني", "إلكتروني"),
        ] {
            assert_eq!(terms(variant), terms(query), "{variant}");
        }
        // The remainder would be too short.
        assert_eq!(terms("ألم"), ["الم"]);
    }

    #[test]
    fn elisions_are_sorted() {
        assert!(ELISIONS.is_sorted());
    }

    #[test]
    fn language_names_keep_their_symbols() {
        let names: Vec<_> =
            identifiers("C++ and c++20, C#, F# or .NET; g++ i++; foo#12 c#12 -std=c++17 a. net")
                .map(|(_, w)| w)
                .collect();
        assert_eq!(names, ["c++", "c++20", "c#", "f#", ".net", "g++", "i++", "c++17"]);
    }

    #[test]
    fn marks_without_a_letter_are_not_words() {
        assert_eq!(terms("\u{bd7}'\u{11d3c} x"), ["x"]);
    }

    #[test]
    fn identifiers_stay_whole() {
        let names: Vec<_> = identifiers(
            "run `fw --no-color` on std::vec::Vec, foo_bar; see /etc/fw.conf (0.8.1) read-only. fooBar",
        )
        .map(|(_, w)| w)
        .collect();
        assert_eq!(
            names,
            ["--no-color", "std::vec::vec", "foo_bar", "/etc/fw.conf", "0.8.1", "foobar"]
        );
    }

    #[test]
    fn stop_words_are_recognized() {
        assert!(
            is_stop_word("the")
                && is_stop_word("a")
                && is_stop_word("your")
                && !is_stop_word("crash")
        );
    }

    proptest::proptest! {
        #[test]
        fn ranges_point_into_the_text(text in "\\PC{0,200}") {
            for word in words(&text) {
                proptest::prop_assert!(text.get(word.range.clone()).is_some());
                proptest::prop_assert!(!word.term.is_empty());
            }
            for (range, word) in identifiers(&text) {
                proptest::prop_assert_eq!(text[range].to_lowercase(), word);
            }
        }
    }
}
