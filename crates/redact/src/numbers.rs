//! Bank accounts, cards and telephone numbers. Numbers with a checksum must satisfy it; others are
//! recognized by their form, and in logs only where it is unambiguous.

use std::{cell::LazyCell, sync::LazyLock};

use precedent_text::words::Words;
use regex::Regex;

use super::{
    Certainty::{Doubtful, Sure},
    facts::pattern,
    lines::{Lines, line_prefix},
    people,
    redactor::Redactor,
};

/// The length of each country's account numbers. Source: the registry of IBANs, ISO 13616.
static IBAN_LENGTHS: Words = Words::new(include_str!("../data/iban_lengths.txt"));
/// The group lengths of telephone numbers without a label. Three groups of three are missing,
/// because they may be an amount.
static GROUPS: Words =
    Words::new("2322 3222 3322 4322 13322 12222 244 234 2332 3332 2333 344 22222");
/// The group lengths that count as a telephone number only after a request to be called.
static GROUPS_TO_RING: Words = Words::new("333 44 2222 334 323 433 34 2232");

static IBAN: LazyLock<Regex> = LazyLock::new(|| pattern("iban"));
static BEFORE_AN_IBAN: LazyLock<Regex> = LazyLock::new(|| pattern("before_an_iban"));
static CARD: LazyLock<Regex> = LazyLock::new(|| pattern("card"));
static CARD_NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern("card_number"));
static BEFORE_A_CARD: LazyLock<Regex> = LazyLock::new(|| pattern("before_a_card"));
static ABROAD: LazyLock<Regex> = LazyLock::new(|| pattern("abroad"));
static INTERNATIONAL: LazyLock<Regex> = LazyLock::new(|| pattern("international"));
static WITH_ZEROS: LazyLock<Regex> = LazyLock::new(|| pattern("with_zeros"));
static DIGITS: LazyLock<Regex> = LazyLock::new(|| pattern("digits"));
static PHONE_LABEL: LazyLock<Regex> = LazyLock::new(|| pattern("before_a_phone"));
static BEFORE_DIALLED: LazyLock<Regex> = LazyLock::new(|| pattern("before_dialled"));
static OF_A_THING: LazyLock<Regex> = LazyLock::new(|| pattern("of_a_thing"));
static TO_RING: LazyLock<Regex> = LazyLock::new(|| pattern("to_ring"));
static ONLY_RING: LazyLock<Regex> = LazyLock::new(|| pattern("only_ring"));
static UNIT: LazyLock<Regex> = LazyLock::new(|| pattern("unit"));
static DATE: LazyLock<Regex> = LazyLock::new(|| pattern("starts_with_date"));
static NATIONAL: LazyLock<Regex> = LazyLock::new(|| pattern("national"));
static USUAL: LazyLock<Regex> = LazyLock::new(|| pattern("usual_phone"));
static GROUPED_NUMBER: LazyLock<Regex> = LazyLock::new(|| pattern("grouped_phone"));

/// Returns whether a text is an IBAN: its country's length, and a valid checksum (ISO 7064, mod
/// 97).
pub(super) fn is_iban(text: &str) -> bool {
    let compact = compact(text);
    let (front, rest) = compact.split_at(compact.len().min(4));
    let digits = rest.chars().chain(front.chars()).filter_map(|c| c.to_digit(36));
    let add = |sum: u32, digit: u32| (sum * if digit < 10 { 10 } else { 100 } + digit) % 97;
    iban_length(&compact) == Some(compact.len()) && digits.fold(0, add) == 1
}

/// Returns whether a text is a card number: a network's prefix and length, and a valid checksum
/// (Luhn).
pub(super) fn is_card(text: &str) -> bool {
    let digits = compact(text);
    let sum: u32 = digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(at, digit)| match (at % 2, u32::from(digit.saturating_sub(b'0'))) {
            (1, digit) if digit > 4 => digit * 2 - 9,
            (1, digit) => digit * 2,
            (_, digit) => digit,
        })
        .sum();
    CARD_NUMBER.is_match(&digits) && sum.is_multiple_of(10)
}

/// Returns the letters and digits alone, in capitals.
fn compact(text: &str) -> String {
    text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_uppercase()).collect()
}

fn iban_length(compact: &str) -> Option<usize> {
    let country = compact.get(..2)?;
    IBAN_LENGTHS.iter().find_map(|length| length.strip_prefix(country)?.parse().ok())
}

/// Returns the offset after the given number of letters and digits.
fn end_of(text: &str, characters: usize) -> Option<usize> {
    let mut letters = text.char_indices().filter(|(_, c)| c.is_ascii_alphanumeric());
    letters.nth(characters.checked_sub(1)?).map(|(at, _)| at + 1)
}

/// Returns whether the word of a number goes on at this offset. Punctuation before a space ends it.
fn goes_on(text: &str, end: usize) -> bool {
    let mut rest = text[end..].chars();
    rest.next().is_some_and(|c| {
        c.is_alphanumeric()
            || matches!(c, '_' | '@')
            || ".:-/,%".contains(c) && rest.next().is_some_and(char::is_alphanumeric)
    })
}

fn is_inside(text: &str, start: usize) -> bool {
    let mut rest = text[..start].chars().rev();
    rest.next().is_some_and(|c| {
        c.is_alphanumeric()
            || "_@#$\\".contains(c)
            || "./-:=,".contains(c) && rest.next().is_some_and(char::is_alphanumeric)
    })
}

/// Redacts the numbers of bank accounts and cards.
pub(super) fn hide_accounts(r: &mut Redactor, text: &str) -> String {
    let lines = Lines::of(text);
    let out = r.replace_front(&IBAN, text, |r, whole, start| {
        let number = whole.get(..end_of(whole, iban_length(&compact(whole))?)?)?;
        let is_valid = is_iban(number);
        // The number may contain a typing error.
        let is_likely = BEFORE_AN_IBAN.is_match(line_prefix(text, start))
            || lines.is_prose(start)
                && number.as_bytes().get(4) == Some(&b' ')
                && number[..2].to_uppercase() == number[..2];
        let certainty = if is_valid { Sure } else { Doubtful };
        ((is_valid || is_likely) && !goes_on(text, start + number.len()))
            .then(|| (number.len(), r.hide("account", certainty, number)))
    });
    let lines = Lines::of(&out);
    r.replace_front(&CARD, &out, |r, number, start| {
        let is_labelled = BEFORE_A_CARD.is_match(line_prefix(&out, start));
        let certainty = match (is_card(number), is_labelled, number.contains([' ', '-'])) {
            (true, true, _) | (true, _, true) => Sure,
            // One in ten of any sixteen digits has a valid checksum.
            (true, false, false) if lines.is_prose(start) => Doubtful,
            (false, true, true) if CARD_NUMBER.is_match(&compact(number)) => Doubtful,
            _ => return None,
        };
        let is_part = !is_labelled && is_inside(&out, start) || out[..start].ends_with('+');
        (!is_part && !goes_on(&out, start + number.len()))
            .then(|| (number.len(), r.hide("card", certainty, number)))
    })
}

/// Returns the digits of a number, without the "(0)" that is not dialled from abroad.
fn digits(text: &str) -> String {
    text.replace("(0)", "").chars().filter(char::is_ascii_digit).collect()
}

/// Returns the longest prefix that ends with a whole group of digits and has at most `most` digits.
fn at_most(number: &str, most: usize) -> &str {
    let mut end = number.len();
    while digits(&number[..end]).len() > most {
        let Some(gap) = number[..end].rfind(|c: char| !c.is_ascii_digit()) else { return "" };
        end = number[..gap].trim_end_matches(|c: char| !c.is_ascii_digit()).len();
    }
    &number[..end]
}

/// Redacts telephone numbers.
pub(super) fn hide_phones(r: &mut Redactor, text: &str) -> String {
    let mut out = international(r, text);
    out = labelled_numbers(r, &out);
    for pattern in [&NATIONAL, &USUAL, &GROUPED_NUMBER] {
        out = bare(r, pattern, &out);
    }
    out
}

/// Redacts numbers that begin with a plus sign or two zeros.
fn international(r: &mut Redactor, text: &str) -> String {
    let lines = Lines::of(text);
    let out = r.replace_front(&INTERNATIONAL, text, |r, whole, start| {
        let number = at_most(whole, 15);
        // An unmatched opening bracket is no part of the number.
        let open = if number.starts_with('(') && !number.contains(')') { "(" } else { "" };
        let (number, end) = (&number[open.len()..], start + number.len());
        let digits = digits(number);
        // Programs write numbers with a plus sign as well.
        let is_likely =
            lines.is_prose(start) || number.len() != digits.len() + 1 || digits.len() >= 11;
        let is_part = is_inside(text, start + open.len())
            && !BEFORE_DIALLED.is_match(line_prefix(text, start));
        (is_likely && !is_part && !goes_on(text, end) && ABROAD.is_match(&digits))
            .then(|| (end - start, format!("{open}{}", r.hide("phone", Sure, number))))
    });
    let lines = Lines::of(&out);
    r.replace_front(&WITH_ZEROS, &out, |r, whole, start| {
        let number = at_most(whole, 17);
        let digits = digits(number);
        // Zero-padded numbers look the same.
        let certainty = if number.len() == digits.len() { Doubtful } else { Sure };
        (ABROAD.is_match(digits.get(2..)?)
            && lines.is_prose(start)
            && !is_other(&out, start, number))
        .then(|| (number.len(), r.hide("phone", certainty, number)))
    })
}

/// Redacts numbers after a word for a telephone.
fn labelled_numbers(r: &mut Redactor, text: &str) -> String {
    r.replace_front(&DIGITS, text, |r, whole, start| {
        let number = at_most(whole, 15);
        let (count, end) = (digits(number).len(), start + number.len());
        if !(6..=15).contains(&count) {
            return None;
        }
        let label = PHONE_LABEL.find(line_prefix(text, start))?.as_str().trim_end();
        // "mobile 12 345 678 requests": the word without punctuation is not enough.
        let is_labelled = !label.ends_with(|c: char| c.is_lowercase() || c.is_uppercase())
            || label.contains(' ')
            || number.starts_with(['0', '('])
            || number.contains(['-', '/']);
        let is_short = count < 7 && ONLY_RING.is_match(label);
        let is_amount = UNIT.is_match(&text[end..]) || DATE.is_match(number);
        (is_labelled && !is_short && !is_amount && !goes_on(text, end))
            .then(|| (number.len(), r.hide("phone", Sure, number)))
    })
}

/// Returns whether a number is part of something else, or identifies a thing.
fn is_other(text: &str, start: usize, number: &str) -> bool {
    let end = start + number.len();
    is_inside(text, start)
        || OF_A_THING.is_match(line_prefix(text, start))
        || UNIT.is_match(&text[end..])
        || DATE.is_match(number)
        || goes_on(text, end)
}

/// Redacts numbers without a label, in prose and in signatures.
fn bare(r: &mut Redactor, pattern: &Regex, text: &str) -> String {
    let lines = Lines::of(text);
    let signatures = LazyCell::new(|| people::signatures(text));
    let is_national = pattern.as_str() == NATIONAL.as_str();
    let is_usual = pattern.as_str() == USUAL.as_str();
    r.replace_front(pattern, text, |r, whole, start| {
        let number = at_most(whole, 12);
        let is_bracketed = number.contains('(');
        let rung = TO_RING.is_match(line_prefix(text, start));
        let is_signed = signatures.iter().any(|line| line.contains(&start));
        let has_form = if is_national {
            digits(number).len() >= 8
        } else {
            (is_usual || is_bracketed && digits(number).len() >= 9 || is_grouped(number, rung))
                && !is_in_a_row(text, start, start + number.len())
        };
        let is_there =
            lines.is_prose(start) || is_national && is_signed || is_usual && whole.starts_with('(');
        // Versions have dots between their numbers.
        let is_sure = is_usual && !number.contains('.') || is_signed || rung && is_bracketed;
        let certainty = if is_sure { Sure } else { Doubtful };
        (has_form && is_there && !is_other(text, start, number))
            .then(|| (number.len(), r.hide("phone", certainty, number)))
    })
}

/// Returns whether the lengths of these groups are those of a telephone number.
fn is_grouped(number: &str, rung: bool) -> bool {
    let gap = |c: char| !c.is_ascii_digit();
    let groups: Vec<&str> = number.split(gap).collect();
    let lengths: String = groups.iter().map(|group| group.len().to_string()).collect();
    // Thousands are separated by spaces as well, and the parts of identifiers by hyphens.
    let thousands = groups[1..].contains(&"000");
    let hyphens = number.chars().filter(|c| gap(*c) && !matches!(c, ' ' | '\u{a0}')).count();
    let is_ambiguous = ["244", "234", "22222", "2333", "344"].contains(&lengths.as_str());
    let fits = number.starts_with('0')
        || rung
        || !is_ambiguous
            && (hyphens == 0 || !lengths.starts_with('1') && hyphens + 1 < groups.len());
    !thousands && (GROUPS.contains(&lengths) && fits || rung && GROUPS_TO_RING.contains(&lengths))
}

/// Returns whether other numbers are beside these, as in a row of a table.
fn is_in_a_row(text: &str, start: usize, end: usize) -> bool {
    let gap = |c: char| matches!(c, ' ' | '\u{a0}' | '-');
    let is_digit = |c: char| c.is_ascii_digit();
    let (prefix, suffix) = (&text[..start], &text[end..]);
    prefix.ends_with(gap) && prefix.trim_end_matches(gap).ends_with(is_digit)
        || suffix.starts_with(gap) && suffix.trim_start_matches(gap).starts_with(is_digit)
}
