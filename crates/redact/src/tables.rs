//! People, places and secrets in the columns of tables.

use super::{
    Certainty::Doubtful,
    facts::pattern,
    names,
    redactor::Redactor,
    value::{self, has_ordinary_word},
};

/// The meaning of a column, by its label.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Column {
    Name,
    Place,
    Secret,
    Other,
}

impl Column {
    fn of(label: &str) -> Self {
        let label = label.trim().replace('*', "");
        let columns = [
            ("name_column", Self::Name),
            ("place_column", Self::Place),
            ("secret_column", Self::Secret),
        ];
        let column = columns.into_iter().find(|(name, _)| pattern(name).is_match(&label));
        column.map_or(Self::Other, |(_, column)| column)
    }

    fn hide(self, r: &mut Redactor, cell: &str) -> String {
        let value = cell.trim().trim_matches('"');
        let kind = match self {
            _ if value.len() < 2 => return cell.to_owned(),
            Self::Name if names::is_full_name(value) && !has_ordinary_word(value) => "person",
            Self::Place if value::is_place_name(value) => "place",
            Self::Place if pattern("post_code_cell").is_match(value) => "place",
            Self::Secret if value::is_random(value, 5) && !value.contains(' ') => "token",
            _ => return cell.to_owned(),
        };
        cell.replace(value, &r.hide(kind, Doubtful, value))
    }
}

/// Redacts the columns of tables whose head names people, places or secrets.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut head: Option<(char, Vec<Column>)> = None;
    for line in text.split_inclusive('\n') {
        if let Some((separator, columns)) = &head
            && line.split(*separator).count() == columns.len()
        {
            let cells = line.split(*separator).zip(columns);
            let cells: Vec<String> = cells.map(|(cell, column)| column.hide(r, cell)).collect();
            out.push_str(&cells.join(&separator.to_string()));
            continue;
        }
        let separator = [',', ';', '\t', '|'].into_iter().find(|c| line.contains(*c));
        head = separator
            .map(|c| (c, line.split(c).map(Column::of).collect::<Vec<Column>>()))
            .filter(|(_, columns)| columns.iter().any(|column| *column != Column::Other));
        out.push_str(line);
    }
    out
}
