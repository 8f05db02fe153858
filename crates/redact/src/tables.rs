//! People, places and secrets in table columns.

use super::{UNCERTAIN, data::pattern, redactor::Redactor, value::Check};

/// The patterns of column labels, the kinds of their cells, and the checks on the cells.
const COLUMNS: [(&str, &str, &str); 4] = [
    ("name_column", "person", "full_name !ordinary_word"),
    ("place_column", "place", "any:2 !number !lower !ordinary_word"),
    ("place_column", "place", "post_code_cell"),
    ("secret_column", "token", "random:5 !spaced"),
];

fn hide_cell(r: &mut Redactor, label: &str, cell: &str) -> String {
    let value = cell.trim().trim_matches('"');
    let is_match = |(column, _, checks): &&(&str, &str, &str)| {
        pattern(column).is_match(label) && Check::all_pass(&Check::parse(checks), value)
    };
    COLUMNS.iter().find(is_match).map_or_else(
        || cell.to_owned(),
        |(_, kind, _)| cell.replace(value, &r.hide(kind, UNCERTAIN, value)),
    )
}

/// Redacts table columns whose labels name people, places or secrets.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let is_private =
        |label: &String| COLUMNS.iter().any(|(column, ..)| pattern(column).is_match(label));
    let mut header: Option<(char, Vec<String>)> = None;
    for line in text.split_inclusive('\n') {
        if let Some((separator, labels)) = &header
            && line.split(*separator).count() == labels.len()
        {
            let cells = line.split(*separator).zip(labels);
            let cells: Vec<String> = cells.map(|(cell, label)| hide_cell(r, label, cell)).collect();
            out.push_str(&cells.join(&separator.to_string()));
            continue;
        }
        let separator = [',', ';', '\t', '|'].into_iter().find(|c| line.contains(*c));
        header = separator
            .map(|c| (c, line.split(c).map(|l| l.trim().replace('*', "")).collect::<Vec<_>>()))
            .filter(|(_, labels)| labels.iter().any(is_private));
        out.push_str(line);
    }
    out
}
