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
        let labels = |c: char| line.split(c).map(|l| l.trim().replace('*', "")).collect::<Vec<_>>();
        let separators = [',', ';', '\t', '|'].into_iter().filter(|c| line.contains(*c));
        let next = separators.map(|c| (c, labels(c))).find(|(_, l)| l.iter().any(is_private));
        // A row with a separator in a cell does not end the table.
        header = next.or(header.filter(|(separator, _)| line.contains(*separator)));
        out.push_str(line);
    }
    out
}

#[cfg(test)]
mod tests {
    use crate::tests::redact_all;

    #[test]
    fn columns_are_redacted_beside_cells_with_separators() {
        for text in [
            "| Name | City, state |\n|---|---|\n| Kim Berger | Kiel, SH |\n",
            "name,city\n\"Brook, Ada\",Bonn\nKim Berger,Kiel\n",
        ] {
            assert!(!redact_all(text).contains("Kim Berger"), "{text}");
        }
    }
}
