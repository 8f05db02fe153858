//! Checksums of bank accounts and cards, and the form of phone numbers.

use super::data::{is_listed, pattern};

/// Returns whether a string is an IBAN: its country's length, and a valid checksum (ISO 7064, mod
/// 97).
pub(super) fn is_iban(text: &str) -> bool {
    let compact: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
    let (front, rest) = compact.split_at(compact.len().min(4));
    let digits = rest.chars().chain(front.chars()).filter_map(|c| c.to_digit(36));
    let add = |sum: u32, digit: u32| (sum * if digit < 10 { 10 } else { 100 } + digit) % 97;
    pattern("iban").find(&compact).is_some_and(|m| m.len() == compact.len())
        && digits.fold(0, add) == 1
}

/// Returns whether a string is a card number: a network's prefix and length, and a valid checksum
/// (Luhn).
pub(super) fn is_card(text: &str) -> bool {
    let digits = digits(text);
    let double = |digit: u32| digit * 2 / 10 + digit * 2 % 10;
    let from_end = digits.chars().rev().filter_map(|c| c.to_digit(10)).enumerate();
    let sum: u32 = from_end.map(|(index, d)| if index % 2 == 0 { d } else { double(d) }).sum();
    pattern("card_number").is_match(&digits) && sum.is_multiple_of(10)
}

/// Returns the digits of a number, without the "(0)" that is omitted in calls from abroad.
pub(super) fn digits(text: &str) -> String {
    text.replace("(0)", "").chars().filter(char::is_ascii_digit).collect()
}

/// Returns the longest prefix that ends with a group of digits and has no more digits than a phone
/// number.
pub(super) fn longest_phone(number: &str) -> &str {
    let max_digits = if number.starts_with("00") { 17 } else { 15 };
    let mut end = number.len();
    while digits(&number[..end]).len() > max_digits {
        let Some(gap) = number[..end].rfind(|c: char| !c.is_ascii_digit()) else { return "" };
        end = number[..gap].trim_end_matches(|c: char| !c.is_ascii_digit()).len();
    }
    &number[..end]
}

/// Returns whether a number can be dialed from abroad, after a plus sign or two zeros.
pub(super) fn is_international(number: &str) -> bool {
    pattern("abroad").is_match(digits(number).trim_start_matches("00"))
}

/// Returns the groups of digits and their lengths, unless a group looks like thousands.
fn groups(number: &str) -> Option<(Vec<&str>, String)> {
    let groups: Vec<&str> = number.split(|c: char| !c.is_ascii_digit()).collect();
    let lengths = groups.iter().map(|group| group.len().to_string()).collect();
    (!groups[1..].contains(&"000")).then_some((groups, lengths))
}

/// Returns whether the lengths of the groups of digits are those of a phone number.
pub(super) fn is_grouped(number: &str) -> bool {
    groups(number).is_some_and(|(groups, lengths)| {
        // The parts of identifiers are separated by hyphens as well.
        let hyphens = number.chars().filter(|c| !c.is_ascii_digit() && !c.is_whitespace()).count();
        let is_distinctive = !is_listed("vague_phone_groups", &lengths)
            && (hyphens == 0 || !lengths.starts_with('1') && hyphens + 1 < groups.len());
        is_listed("phone_groups", &lengths) && (number.starts_with('0') || is_distinctive)
    })
}

/// Returns whether groups of digits are a phone number in a request for a call.
pub(super) fn is_requested(number: &str) -> bool {
    let lists = ["phone_groups", "phone_groups_to_ring"];
    groups(number).is_some_and(|(_, lengths)| lists.iter().any(|list| is_listed(list, &lengths)))
}
