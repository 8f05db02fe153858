//! Which column of a tracker's table gives which field.

use super::names::FIELDS;

/// A name without what does not tell names apart: capitals, spaces and underscores, marks around it.
pub fn plain(name: &str) -> String {
    let name = name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{feff}' | '"' | '*' | ':'));
    let words: Vec<String> = name
        .split(|c: char| c.is_whitespace() || c == '_')
        .filter(|w| !w.is_empty())
        .map(str::to_lowercase)
        .collect();
    words.join(" ")
}

/// Fields that several columns may give together.
pub const MANY: &[&str] = &[
    "labels",
    "body",
    "closed",
    "comments",
    "comment author",
    "comment date",
    "duplicates",
    "duplicated",
    "related",
];

/// The field that a column of this name gives, and how early its name stands among those of the field.
pub fn field(name: &str) -> Option<(&'static str, usize)> {
    let name = plain(name);
    // "Created At (UTC)"
    let name = name.trim_end_matches("(utc)").trim_end();
    if let Some(kind) = link(name) {
        return Some((kind, 0));
    }
    FIELDS.iter().find_map(|(field, names)| Some((*field, names.iter().position(|n| *n == name)?)))
}

/// What a column of Jira's that lists links says: `Outward issue link (Duplicate)`.
fn link(name: &str) -> Option<&'static str> {
    let (way, kind) = name.split_once(" issue link (")?;
    match (way, kind.contains("duplicat")) {
        ("outward", true) => Some("duplicates"),
        ("inward", true) => Some("duplicated"),
        ("outward" | "inward", false) => Some("related"),
        _ => None,
    }
}

/// The columns that give each field, by field. `told` is what a person said: a field and a column's name, an empty one for none.
pub fn assign(headers: &[String]) -> Vec<(&'static str, Vec<usize>)> {
    let found: Vec<Option<(&'static str, usize)>> = headers.iter().map(|h| field(h)).collect();
    let mut out = Vec::new();
    for (field, _) in FIELDS {
        let mut columns: Vec<(usize, usize)> = found
            .iter()
            .enumerate()
            .filter_map(|(at, f)| f.filter(|(name, _)| name == field).map(|(_, rank)| (rank, at)))
            .collect();
        columns.sort_unstable();
        let columns: Vec<usize> = match MANY.contains(field) {
            true => {
                // As they stand in the table; of body and closing time the likelier first.
                if !matches!(*field, "body" | "closed") {
                    columns.sort_unstable_by_key(|(_, at)| *at);
                }
                columns.into_iter().map(|(_, at)| at).collect()
            }
            // A field of one value takes the likeliest name; repeated columns of that name give what the first leaves empty.
            false => {
                let best = columns.first().map(|(rank, _)| *rank);
                columns.into_iter().filter(|(rank, _)| Some(*rank) == best).map(|(_, at)| at).collect()
            }
        };
        if !columns.is_empty() {
            out.push((*field, columns));
        }
    }
    out
}

/// The tracker whose table has these columns, as far as their names tell.
pub fn tracker(headers: &[String]) -> &'static str {
    let names: Vec<String> = headers.iter().map(|h| plain(h)).collect();
    let has = |name: &str| names.iter().any(|n| n == name);
    let any = |some: &[&str]| some.iter().any(|n| has(n));
    match () {
        () if any(&[
            "issue key",
            "vorgangsschlüssel",
            "clé de ticket",
            "clave de incidencia",
            "课题キー",
            "課題キー",
            "问题关键字",
            "ключ задачи",
        ]) || names.iter().any(|n| n.contains(" issue link (")) =>
        {
            "Jira"
        }
        () if names.iter().any(|n| n.ends_with("(utc)")) && any(&["iid", "issue id", "author username"]) => {
            "GitLab"
        }
        () if has("bug id") || (has("bug status") && has("short desc")) => "Bugzilla",
        () if has("work item type") => "Azure DevOps",
        () if any(&["cycle number", "time in status (minutes)"])
            || (has("team") && has("id") && has("title")) =>
        {
            "Linear"
        }
        () if has("date submitted") || has("reproducibility") => "Mantis",
        () if has("requester") && has("subject") || has("ticket type") || has("requester email") => "Zendesk",
        () if has("#") => "Redmine",
        () if has("summary") && has("id") && any(&["reporter", "keywords", "changetime", "owner"]) => "Trac",
        () if has("issue id") && has("summary") => "YouTrack",
        () if has("url") && has("title") && has("status") && !any(&["id", "number"]) => "GitHub Projects",
        () => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assigned(names: &[&str]) -> Vec<(&'static str, Vec<usize>)> {
        assign(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn the_likelier_name_counts_and_repeated_columns_collect() {
        let found = assigned(&[
            "ID",
            "IID",
            "Title",
            "Labels",
            "Created At (UTC)",
            "Labels",
            "Outward issue link (Duplicate)",
        ]);
        assert_eq!(
            found,
            [
                ("number", vec![1]),
                ("title", vec![2]),
                ("labels", vec![3, 5]),
                ("created", vec![4]),
                ("duplicates", vec![6])
            ]
        );
        assert_eq!(assigned(&["Thema", "Angelegt", "#"])[0], ("number", vec![2]));
    }

    #[test]
    fn no_name_stands_for_two_fields() {
        let mut all: Vec<&str> = FIELDS.iter().flat_map(|(_, names)| names.iter().copied()).collect();
        let n = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), n);
        assert!(all.iter().all(|name| plain(name) == *name));
    }
}
