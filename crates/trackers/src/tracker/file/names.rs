//! Names of fields and relations, in the languages of trackers.

use std::{collections::HashMap, sync::LazyLock};

use precedent_text::{tokens::normalize_phrase, words::phrases};

/// Returns the rows of a data file: a name and its words. A name may have several rows.
pub fn data_rows(file: &'static str) -> impl Iterator<Item = (&'static str, &'static str)> {
    file.lines().filter(|row| !row.starts_with('#')).filter_map(|row| row.split_once('\t'))
}

/// The fields of items, and the column names with their field and rank.
pub struct Fields {
    /// Names of the fields, in order.
    pub list: Vec<&'static str>,
    names: HashMap<&'static str, (&'static str, usize)>,
}

/// The fields that columns can provide; the name with the lowest rank takes precedence.
pub static FIELDS: LazyLock<Fields> = LazyLock::new(|| {
    let mut fields = Fields { list: Vec::new(), names: HashMap::new() };
    for (field, names) in data_rows(include_str!("fields.tsv")) {
        if !fields.list.contains(&field) {
            fields.list.push(field);
        }
        for name in phrases(names) {
            let rank = fields.names.len();
            fields.names.entry(name).or_insert((field, rank));
        }
    }
    fields
});

/// The words around field names, by role, with their ranks.
static ROLES: LazyLock<HashMap<&str, HashMap<&str, usize>>> = LazyLock::new(|| {
    let mut parts: HashMap<&str, HashMap<&str, usize>> = HashMap::new();
    for (role, words) in data_rows(include_str!("name_parts.tsv")) {
        let ranks = parts.entry(role).or_default();
        for word in phrases(words) {
            let rank = ranks.len();
            ranks.entry(word).or_insert(rank);
        }
    }
    parts
});

/// Returns the rank of a word among those with this role.
pub fn role_rank(role: &str, word: &str) -> Option<usize> {
    ROLES.get(role)?.get(word).copied()
}

/// Returns whether a word has this role in a name.
pub fn has_role(role: &str, word: &str) -> bool {
    role_rank(role, word).is_some()
}

/// Normalizes the case, spaces, underscores and surrounding punctuation of a column name.
pub fn normalize(name: &str) -> String {
    let name =
        name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '"' | '*' | ':'));
    let words = name.split(|c: char| c.is_whitespace() || c == '_').filter(|w| !w.is_empty());
    words.map(str::to_lowercase).collect::<Vec<_>>().join(" ")
}

/// Splits a name of any style into lowercase words: `dateCreated`, `System.Title`, `ticket_id`.
pub fn split_words(name: &str) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    let (mut word, mut previous) = (String::new(), ' ');
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let is_next_lowercase = rest.peek().is_some_and(|n| n.is_lowercase());
        let is_word_start = c.is_uppercase()
            && (previous.is_lowercase() || (previous.is_uppercase() && is_next_lowercase));
        if is_word_start || !c.is_alphanumeric() {
            out.push(std::mem::take(&mut word));
        }
        if c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        }
        previous = c;
    }
    out.push(word);
    out.retain(|word| !word.is_empty());
    out.dedup();
    out
}

/// The rank of names that are recognized by their parts, after all listed names.
const DERIVED_RANK: usize = 1 << 20;

/// Returns the field of a column name in any style, and the rank of the name.
pub fn field(name: &str) -> Option<(&'static str, usize)> {
    let lookup = |name: &str| FIELDS.names.get(name).copied();
    let exact = normalize(name);
    // "Created At (UTC)"
    let exact = exact.trim_end_matches("(utc)").trim_end();
    if let Some(result) = lookup(exact) {
        return Some(result);
    }
    if exact.len() > 120 || exact.contains('(') {
        return None;
    }
    let mut words = split_words(name);
    if let Some(result) = lookup(&words.join(" ")) {
        return Some(result);
    }
    let derived_field = |words: &[String]| {
        let listed = lookup(&words.join(" ")).map(|(field, rank)| (field, DERIVED_RANK + rank));
        listed.or_else(|| composed_field(words))
    };
    loop {
        if let Some(result) = derived_field(&words) {
            return Some(result);
        }
        // The name may end in the readable part of an object: `status.name`, `description_html`.
        let mut inner: &[String] = &words;
        while let [start @ .., last] = inner
            && !start.iter().all(|word| has_role("container", word))
            && (has_role("value", last) || has_role("format", last))
        {
            inner = start;
            if let Some(result) = derived_field(inner) {
                return Some(result);
            }
        }
        let first = words.first()?;
        if words.len() == 1 || !(has_role("container", first) || has_role("format", first)) {
            return None;
        }
        words.remove(0);
    }
}

/// Returns the field of a name that consists of known words: "date created", "submitted by".
fn composed_field(words: &[String]) -> Option<(&'static str, usize)> {
    if matches!(words, [verb, by] if by == "by" && has_role("by", verb)) {
        return Some(("author", 2 * DERIVED_RANK));
    }
    let words: Vec<&str> = words.iter().flat_map(|word| split_time_word(word)).collect();
    let rest: Vec<&str> = words.iter().copied().filter(|word| !has_role("time", word)).collect();
    let order = ["first", "last"].into_iter().find(|order| rest.contains(order));
    let is_time = words.len() > 1 && rest.len() < words.len();
    ["updated", "closed", "created"].into_iter().find_map(|field| {
        let base_count = rest.iter().filter(|word| has_role(field, word)).count();
        let is_complete =
            rest.iter().all(|word| has_role(field, word) || has_role("qualifier", word));
        let is_ordinal = order.is_some_and(|order| {
            rest.len() == 2 && rest.iter().any(|word| has_role(field, &format!("{word} {order}")))
        });
        ((is_time && base_count == 1 && is_complete) || is_ordinal)
            .then_some((field, 2 * DERIVED_RANK))
    })
}

/// Splits a compound word with a time word: "createdate", "lastmodified".
fn split_time_word(word: &str) -> Vec<&str> {
    for end in ["datetime", "timestamp", "date", "time"] {
        if let Some(start) = word.strip_suffix(end).filter(|start| start.len() > 3) {
            return vec![start, end];
        }
    }
    for start in ["date", "time", "last"] {
        if let Some(end) = word.strip_prefix(start).filter(|end| end.len() > 3) {
            return vec![start, end];
        }
    }
    vec![word]
}

/// The direction of a duplicate relation between a report and another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateDirection {
    /// The report is a duplicate of the other.
    Duplicates,
    /// The other is a duplicate of the report.
    DuplicatedBy,
}

const RELATIONS: &str = include_str!("relations.tsv");

/// Returns the phrases of a relation, or of Jira's link columns.
pub fn relation_phrases(kind: &str) -> impl Iterator<Item = &'static str> {
    data_rows(RELATIONS)
        .filter(move |(name, _)| *name == kind)
        .flat_map(|(_, words)| phrases(words))
}

static DIRECTIONS: LazyLock<HashMap<String, DuplicateDirection>> = LazyLock::new(|| {
    let entries = |kind, direction| {
        relation_phrases(kind).map(move |words| (normalize_phrase(words), direction))
    };
    entries("duplicates", DuplicateDirection::Duplicates)
        .chain(entries("duplicated", DuplicateDirection::DuplicatedBy))
        .collect()
});

/// Parses the direction of a duplicate relation; `None` for other relations. The label may contain
/// the number of the other report: "Duplicated by #290".
pub fn duplicate_direction(label: &str) -> Option<DuplicateDirection> {
    let terms: Vec<&str> = label
        .split_whitespace()
        .filter(|word| !word.contains(|c: char| c.is_ascii_digit()))
        .collect();
    let text = normalize_phrase(&terms.join(" "));
    let has = |words: [&str; 2]| words.iter().any(|word| text.contains(word));
    DIRECTIONS.get(&text).copied().or_else(|| match () {
        () if has(["duplicatedby", "hasduplicate"]) => Some(DuplicateDirection::DuplicatedBy),
        () if has(["duplicate", "duplik"]) => Some(DuplicateDirection::Duplicates),
        () => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_is_found_in_any_naming_style() {
        for (field, names) in [
            (
                "number",
                "TicketNumber, issueNumber, issue.number, ticket_id, System.Id, CASE_NUMBER, Defect ID, idReadable",
            ),
            (
                "title",
                "TicketTitle, issueTitle, fields.summary, System.Title, ticket_subject, Ticket Title, properties.Name.title",
            ),
            (
                "body",
                "issueBody, fields.description, description_html, plain_body, TICKET_DESCRIPTION, fields.description.raw",
            ),
            (
                "state",
                "issueState, fields.status.name, System.State, ticket_status, Defect Status, status.label",
            ),
            (
                "author",
                "issue.user.login, ReporterName, System.CreatedBy, fields.reporter.displayName, Submitted By, raised_by",
            ),
            (
                "created",
                "CreatedDate, createdAt, dateCreated, sys_created_on, created_utc, createdate, firstSeen, Logged On",
            ),
            (
                "updated",
                "LastModifiedDate, updated_at, System.ChangedDate, lastmodifieddate, dateLastActivity, Modified On, lastSeen",
            ),
            ("closed", "closedDate, date_closed, Date Resolved, completedAt, closeTime"),
            ("milestone", "milestone.title, fixVersion, System.IterationPath"),
        ] {
            for name in names.split(", ") {
                assert_eq!(super::field(name).map(|(field, _)| field), Some(field), "{name}");
            }
        }
        for name in "assignee.name, project.title, updated_by, Due Date, first response time, \
                     Resolution time, user_email, Operating System, time to close, parent.title, \
                     attachments.size"
            .split(", ")
        {
            assert_eq!(super::field(name), None, "{name}");
        }
        // Listed names rank before composed ones, and the fix version before the planned one.
        let rank = |name: &str| super::field(name).map(|(_, rank)| rank);
        assert!(
            rank("fixVersion") < rank("version")
                && rank("iid") < rank("id")
                && rank("id") < rank("question_id")
        );
        assert!(rank("Fixed in Version") < rank("Target Version"));
    }

    #[test]
    fn duplicate_direction_is_parsed_in_any_language() {
        for label in "Is duplicate of #290, Duplicates, Duplikat von #7, Duplique #12, Duplicada de #5, \
                     Duplicado de, Duplica, dupliceert #3, duplikuje, дублирует #8, 次のチケットと重複 #78, \
                     重複しているチケット #77, 重复 #10, 重复于 #10, 与 #9 重复, 다음 일감에 중복됨: #4"
            .split(", ")
        {
            assert_eq!(duplicate_direction(label), Some(DuplicateDirection::Duplicates), "{label}");
        }
        for label in "Has duplicate #290, is duplicated by, Dupliziert durch #7, Dupliqué par #13, \
                     duplicada por #6, Duplicado por, duplicata da, gedupliceerd door, \
                     zduplikowane przez, дублируется #8, 次のチケットが重複 #1, 与其重复 #9, 중복된 일감: #4"
            .split(", ")
        {
            assert_eq!(
                duplicate_direction(label),
                Some(DuplicateDirection::DuplicatedBy),
                "{label}"
            );
        }
        for label in ["", "Related to #3", "Bloqué par #2", "Copied to", "関連している", "Blocks"]
        {
            assert_eq!(duplicate_direction(label), None, "{label}");
        }
    }

    #[test]
    fn relation_phrases_have_one_direction() {
        for label in relation_phrases("duplicates") {
            assert_eq!(duplicate_direction(label), Some(DuplicateDirection::Duplicates), "{label}");
        }
        for label in relation_phrases("duplicated") {
            assert_eq!(
                duplicate_direction(label),
                Some(DuplicateDirection::DuplicatedBy),
                "{label}"
            );
        }
    }
}
