//! Identities of items in keys and addresses: the number and the project.

use precedent_core::model::{MAX_NUMBER, item_number};
use precedent_text::words::Words;

/// An item: its number, and its project if known.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Identity {
    /// Project: `APP` of `APP-12`, `owner/name` of an address.
    pub project: Option<String>,
    /// Number of the item.
    pub number: u64,
}

/// Parses an item reference: `APP-12`, `#12`, `12`, `12.0`, `owner/name#12` or an address.
pub fn parse_reference(text: &str) -> Option<Identity> {
    let text = text.trim();
    if text.contains("://") {
        return parse_url(text);
    }
    if let Some(number) = join_groups(text) {
        return Some(Identity { project: None, number: item_number(&number)? });
    }
    // Spreadsheets may format integers as decimals.
    let text = text.strip_suffix(".0").unwrap_or(text);
    let number_start = text
        .rfind(|c: char| !c.is_ascii_digit())
        .map_or(0, |index| index + text[index..].chars().next().map_or(1, char::len_utf8));
    let number = item_number(&text[number_start..])?;
    let prefix = text[..number_start].trim_end_matches(['-', '#', ' ', '_', ':']);
    let is_key_character = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/');
    let is_project = prefix.starts_with(char::is_alphabetic)
        && prefix.len() <= 100
        && prefix.chars().all(is_key_character)
        && prefix.split('/').all(|part| !part.is_empty())
        && text[prefix.len()..number_start].chars().all(|c| matches!(c, '-' | '#' | '_'))
        && (is_project_key(text, prefix) || !ITEM_WORDS.contains(&prefix.to_lowercase().as_str()));
    Some(Identity { project: is_project.then(|| prefix.to_owned()), number })
}

/// Parses an item reference like [`parse_reference`], but rejects the digits at the end of an id.
pub fn parse_strict(text: &str) -> Option<Identity> {
    let text = text.trim();
    let prefix = text.trim_end_matches(|c: char| c.is_ascii_digit());
    let has_digits = prefix.bytes().any(|b| b.is_ascii_digit());
    let is_id = has_digits && (text.len() >= 16 || prefix.ends_with(char::is_alphanumeric));
    let is_number = prefix.len() < text.len() && !is_id;
    if is_number || text.contains("://") { parse_reference(text) } else { None }
}

/// Splits a key such as `APP-12` into its project and its number.
pub fn split_key(key: &str) -> Option<(&str, u64)> {
    let (project, number) = key.rsplit_once('-')?;
    Some((project, item_number(number)?))
}

/// Returns a stable number for an id that is not a number.
pub fn hash_number(id: &str) -> u64 {
    let hash = blake3::hash(id.as_bytes());
    let bytes = hash.as_bytes().first_chunk::<4>().copied().unwrap_or_default();
    u64::from(u32::from_le_bytes(bytes)).clamp(1, MAX_NUMBER)
}

/// Joins groups of digits: `1,234` with a thousands separator, `2023-001` with yearly numbers.
fn join_groups(text: &str) -> Option<String> {
    let is_digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit());
    if let Some((year, rest)) = text.split_once('-')
        && year.len() == 4
        && (year.starts_with("19") || year.starts_with("20"))
        && !rest.is_empty()
        && is_digits(year)
        && is_digits(rest)
    {
        return Some(format!("{year}{rest}"));
    }
    let separator = text.chars().find(|c| !c.is_ascii_digit())?;
    let mut parts = text.split(separator);
    let first = parts.next()?;
    let is_thousands = matches!(separator, ',' | '.' | '\'' | '’' | '\u{a0}' | '\u{202f}')
        && (1..=3).contains(&first.len())
        && !first.starts_with('0')
        && parts.all(|part| part.len() == 3 && is_digits(part));
    is_thousands.then(|| text.chars().filter(char::is_ascii_digit).collect())
}

/// Returns whether the text before a number is a project key: `BUG-12`.
fn is_project_key(text: &str, prefix: &str) -> bool {
    text[prefix.len()..].starts_with('-') && prefix.chars().all(char::is_uppercase)
}

/// Words before a number that are not project names, unless they are in capitals.
const ITEM_WORDS: &[&str] =
    &["no", "nr", "bug", "issue", "ticket", "id", "item", "request", "case", "task", "vorgang"];

/// Validates an item number; `name` is the field that contains it.
pub fn check_number(name: &str, number: u64) -> Result<(), String> {
    match number {
        1..=MAX_NUMBER => Ok(()),
        _ => Err(format!("\"{name}\" is {number}: item numbers must be 1 to {MAX_NUMBER}")),
    }
}

/// The path segments before the number of an item.
static ITEM_SEGMENTS: Words = Words::new(
    "issues issue pull pulls merge_requests work_items discussions tickets ticket bugs edit",
);

/// Parses the web address of an item: GitHub's and Gitea's `/owner/name/issues/12`, GitLab's
/// `/group/name/-/issues/12`, Jira's `/browse/APP-12`, others' `/issues/12`, `show_bug.cgi?id=12`,
/// `/tickets/12.json`.
pub fn parse_url(url: &str) -> Option<Identity> {
    let (host, rest) = url.split_once("://")?.1.split_once('/')?;
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let path = path.split('#').next()?;
    let parts: Vec<&str> = path.split('/').filter(|p| !p.is_empty()).collect();
    if let Some(index) = parts.iter().position(|p| *p == "browse") {
        return parse_reference(parts.get(index + 1)?);
    }
    if let Some(id) = query
        .split(['&', ';'])
        .find_map(|p| p.strip_prefix("id="))
        .filter(|_| path.ends_with("show_bug.cgi"))
    {
        return Some(Identity { project: None, number: item_number(id)? });
    }
    let index = parts.iter().rposition(|part| ITEM_SEGMENTS.contains(part))?;
    let segment = parts.get(index + 1)?;
    // Linear's addresses contain the key.
    if parts[index] == "issue" && segment.contains('-') && host.contains("linear") {
        return parse_reference(segment);
    }
    let number = item_number(segment.trim_end_matches(".json"))?;
    let prefix = &parts[..index];
    let project = match prefix.iter().position(|p| *p == "repos") {
        Some(repos) => prefix.get(repos + 1..repos + 3)?.join("/"),
        None => {
            let end = if prefix.last() == Some(&"-") { prefix.len() - 1 } else { prefix.len() };
            prefix[..end].join("/")
        }
    };
    let has_project_path = matches!(
        parts[index],
        "issues" | "pull" | "pulls" | "merge_requests" | "work_items" | "discussions"
    );
    let is_repo = has_project_path
        && project.contains('/')
        && !project.contains("api/")
        && !project.contains("projects/");
    Some(Identity { project: is_repo.then_some(project), number })
}

/// Returns the host of an address.
pub fn host(url: &str) -> Option<&str> {
    let rest = url.split_once("://")?.1;
    let host = rest.split(['/', '?', '#']).next()?;
    (!host.is_empty() && !host.contains('@')).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trailing_digits_of_an_id_are_not_a_number() {
        for (text, number) in
            [("12", 12), ("APP-12", 12), ("#12", 12), ("INC0010041", 10041), ("acme/app#7", 7)]
        {
            assert_eq!(parse_strict(text).map(|item| item.number), Some(number), "{text}");
        }
        for text in "86a2f3c17, cnv_55c8c149, 5f3e8c1a9b2d4e6f70812345, \
                     c5a1-4e5f-1234-9876-000000000012, abc"
            .split(", ")
        {
            assert_eq!(parse_strict(text), None, "{text}");
        }
    }

    #[test]
    fn keys_and_addresses_name_items() {
        let parse =
            |text: &str| parse_reference(text).map(|i| (i.project.unwrap_or_default(), i.number));
        for (text, project, number) in [
            ("APP-12", "APP", 12),
            ("1206543210987654", "", 1_206_543_210_987_654),
            ("#12", "", 12),
            ("0000123", "", 123),
            ("12.0", "", 12),
            ("Bug 12", "", 12),
            ("bug-12", "", 12),
            ("BUG-12", "BUG", 12),
            ("TASK-7", "TASK", 7),
            ("2023-001", "", 2_023_001),
            ("2024-001", "", 2_024_001),
            ("1,234", "", 1234),
            ("1.234.567", "", 1_234_567),
            ("12\u{202f}345", "", 12345),
            ("my-team-7", "my-team", 7),
            ("INC0012345", "INC", 12345),
            ("acme/app#4", "acme/app", 4),
            ("https://github.com/acme/app/issues/5", "acme/app", 5),
            ("https://api.github.com/repos/acme/app/issues/5", "acme/app", 5),
            ("https://git.example/api/v1/repos/acme/app/issues/5", "acme/app", 5),
            ("https://github.com/acme/app/pull/6/files#r8", "acme/app", 6),
            ("https://gitlab.example/tools/deep/kiln/-/issues/7", "tools/deep/kiln", 7),
            ("https://acme.atlassian.net/browse/APP-3", "APP", 3),
            ("https://bugs.example/show_bug.cgi?id=9", "", 9),
            ("https://oven.example/api/v2/tickets/50.json", "", 50),
            ("https://redmine.example/issues/8", "", 8),
        ] {
            assert_eq!(parse(text), Some((project.to_owned(), number)), "{text}");
        }
        for text in ["", "APP-x", "0", "https://example.org/", "9007199254740992", "title"] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
