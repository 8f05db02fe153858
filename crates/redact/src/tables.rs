//! People, places and passwords behind labels: in the headers of mails, in forms, records and
//! tables.

use std::sync::LazyLock;

use precedent_text::words::Words;
use regex::Regex;

use super::{
    Certainty::{Doubtful, Sure},
    facts::pattern,
    names::{self, is_whole},
    redactor::Redactor,
    value, words,
};

static FIELD: LazyLock<Regex> = LazyLock::new(|| pattern("field"));
static FORM_LINE: LazyLock<Regex> = LazyLock::new(|| pattern("form_line"));
static LISTED_NAME: LazyLock<Regex> = LazyLock::new(|| pattern("listed_name"));

/// The headers of mails, in the languages of mail programs.
static MAIL: Words = Words::new(include_str!("../data/mail_headers.txt"));
/// The labels, without spaces, of people in ticket forms.
static PEOPLE: Words = Words::new(include_str!("../data/person_labels.txt"));
/// The labels of names in records and tables.
static NAMES: Words = Words::new(include_str!("../data/name_labels.txt"));
/// The labels of places in records and tables.
static PLACES: Words = Words::new(include_str!("../data/place_labels.txt"));
/// The labels of secrets in the heads of tables.
static SECRETS: Words = Words::new(include_str!("../data/secret_labels.txt"));

/// Returns a label in lower case and without spaces.
fn label(text: &str) -> String {
    text.to_lowercase().split([' ', '-', '_', '*']).collect()
}

/// Redacts the value of a field with this label if it has the form of a name or a place.
fn hide_value(r: &mut Redactor, label: &str, value: &str) -> Option<String> {
    let is_capital = value.chars().next().is_some_and(|c| !c.is_lowercase());
    let is_word = value.split_whitespace().any(words::is_ordinary);
    if NAMES.contains(label) && names::is_full_name(value) && !is_word {
        // "Name: Kafka" may be a product's.
        let is_clear = is_whole(value) || !matches!(label, "name" | "names" | "user" | "customer");
        return is_clear.then(|| r.hide_person(Doubtful, value));
    }
    let is_number = value.chars().all(|c| c.is_ascii_digit() || matches!(c, ' ' | '-'));
    let is_code = is_number && (4..=9).contains(&value.len());
    let is_place = !is_number && is_capital && !is_word && value.split(' ').count() <= 6;
    let is_code_label = label.starts_with('z') || label.contains("post") || label == "plz";
    let fits = is_code_label && is_code || is_place && !value.contains(['(', '{', '_', '/']);
    (PLACES.contains(label) && fits).then(|| r.hide("place", Doubtful, value))
}

/// Redacts the columns of tables whose head names people, places or secrets.
fn hide_columns(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut head: Option<(char, Vec<String>)> = None;
    for line in text.split_inclusive('\n') {
        if let Some((separator, labels)) = &head
            && line.split(*separator).count() == labels.len()
        {
            let cells = line.split(*separator).zip(labels);
            let cells: Vec<String> = cells.map(|(cell, label)| hide_cell(r, label, cell)).collect();
            out.push_str(&cells.join(&separator.to_string()));
            continue;
        }
        let is_head = |l: &String| NAMES.contains(l) || PLACES.contains(l) || SECRETS.contains(l);
        let separator = [',', ';', '\t', '|'].into_iter().find(|c| line.contains(*c));
        head = separator
            .map(|c| (c, line.split(c).map(|l| label(l.trim())).collect::<Vec<String>>()))
            .filter(|(_, labels)| labels.iter().any(is_head));
        out.push_str(line);
    }
    out
}

fn hide_cell(r: &mut Redactor, label: &str, cell: &str) -> String {
    let value = cell.trim().trim_matches('"');
    let is_secret = SECRETS.contains(label) && value::is_random(value, 5);
    let hidden = match value.len() < 2 {
        true => None,
        false if is_secret && !value.contains(' ') => Some(r.hide("token", Doubtful, value)),
        false => hide_value(r, label, value),
    };
    hidden.map_or_else(|| cell.to_owned(), |hidden| cell.replace(value, &hidden))
}

/// Redacts the values behind labels.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let text = hide_columns(r, text);
    let lines = text.split_inclusive('\n');
    lines
        .map(|line| {
            if line.contains([':', '：', '=', '>', '|']) {
                hide_fields(r, line)
            } else {
                line.to_owned()
            }
        })
        .collect()
}

fn hide_fields(r: &mut Redactor, line: &str) -> String {
    let line = r.replace(&FIELD, line, |r, c, _| {
        let mut value = c[3].trim_end();
        if c[1].ends_with('=') {
            value = value.split(' ').next().unwrap_or_default();
        }
        let last = c[2].rsplit(' ').next().unwrap_or_default();
        let hidden = [label(&c[2]), label(last)].iter().find_map(|l| hide_value(r, l, value));
        match hidden {
            Some(hidden) => format!("{}{hidden}{}", &c[1], &c[3][value.len()..]),
            None => c[0].to_owned(),
        }
    });
    r.replace(&FORM_LINE, &line, |r, c, _| {
        let label = label(&c[2]);
        let of_mail = MAIL.contains(&label);
        if !of_mail && !PEOPLE.contains(&label) {
            return c[0].to_owned();
        }
        let parts = c[3].split(';').map(|part| hide_listed(r, part, of_mail));
        format!("{}{}", &c[1], parts.collect::<Vec<_>>().join(";"))
    })
}

/// Redacts one name of a line. Where a mail contains both, a single word may be a place ("From:
/// Berlin").
fn hide_listed(r: &mut Redactor, part: &str, of_mail: bool) -> String {
    match LISTED_NAME.captures(part) {
        Some(c)
            if (!of_mail || is_whole(&c[2]) || c[3].contains("[email-"))
                && names::can_be_name(&c[2]) =>
        {
            format!("{}{}{}", &c[1], r.hide_person(Sure, &c[2]), &c[3])
        }
        _ => part.to_owned(),
    }
}
