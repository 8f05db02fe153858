//! The mapping of table columns to fields.

use std::{collections::HashSet, sync::LazyLock};

use super::names::{self, FIELDS, plain, relation_phrases, rows};
use precedent_text::words::phrases;

/// The fields that several columns may provide together.
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

/// Returns the field of a column name, and the rank of the name among those of the field.
pub fn field(name: &str) -> Option<(&'static str, usize)> {
    match link(&plain(name)) {
        Some(kind) => Some((kind, 0)),
        None => names::field(name),
    }
}

/// Returns the relation of a Jira link column: `Outward issue link (Duplicate)`.
fn link(name: &str) -> Option<&'static str> {
    let (ways, kind) = name.split_once(" (")?;
    let is = |kind| relation_phrases(kind).any(|phrase| phrase == ways);
    match (is("outward"), is("inward"), kind.contains("duplic") || kind.contains("duplik")) {
        (true, _, true) => Some("duplicates"),
        (_, true, true) => Some("duplicated"),
        (false, false, _) => None,
        _ => Some("related"),
    }
}

/// Returns the field of a column, resolving names that this tracker uses differently.
fn field_of(name: &str, tracker: &str) -> Option<(&'static str, usize)> {
    match (plain(name).as_str(), tracker) {
        // Elsewhere notes are comments; Asana has no other description.
        ("notes", "Asana") => Some(("body", 0)),
        // GitHub names the repository here; elsewhere the column contains a project title.
        ("project", "" | "GitHub Projects") => Some(("repository", usize::MAX)),
        _ => field(name),
    }
}

/// Returns the columns of each field.
pub fn assign(headers: &[String]) -> Vec<(&'static str, Vec<usize>)> {
    let tracker = tracker(headers);
    let fields: Vec<Option<(&'static str, usize)>> =
        headers.iter().map(|h| field_of(h, tracker)).collect();
    let mut out = Vec::new();
    for field in &FIELDS.list {
        let mut columns: Vec<(usize, usize)> = fields
            .iter()
            .enumerate()
            .filter_map(|(at, f)| f.filter(|(name, _)| name == field).map(|(_, rank)| (rank, at)))
            .collect();
        columns.sort_unstable();
        let columns: Vec<usize> = match MANY.contains(field) {
            true => {
                // Columns keep their table order; those of body and closing time are sorted by
                // rank.
                if !matches!(*field, "body" | "closed") {
                    columns.sort_unstable_by_key(|(_, at)| *at);
                }
                columns.into_iter().map(|(_, at)| at).collect()
            }
            // A single-valued field takes the best name; repeated columns fill in its empty cells.
            false => {
                let best = columns.first().map(|(rank, _)| *rank);
                columns
                    .into_iter()
                    .filter(|(rank, _)| Some(*rank) == best)
                    .map(|(_, at)| at)
                    .collect()
            }
        };
        if !columns.is_empty() {
            out.push((*field, columns));
        }
    }
    out
}

/// The decisive columns and fields of trackers.
static TRACKERS: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    rows(include_str!("trackers.tsv"))
        .map(|(name, columns)| (name, phrases(columns).collect()))
        .collect()
});

/// Returns the tracker whose tables or records have these columns, if the names are decisive.
pub fn tracker(headers: &[String]) -> &'static str {
    let names: HashSet<String> = headers.iter().map(|h| plain(h)).collect();
    if names.iter().any(|n| link(n).is_some()) {
        return "Jira";
    }
    let is_titled = headers.iter().any(|h| h.starts_with(char::is_uppercase));
    let has = |column: &&str| match column.strip_prefix('!') {
        Some(absent) => !names.contains(absent),
        None => names.contains(*column) || (*column == "=titled" && is_titled),
    };
    TRACKERS.iter().find(|(_, columns)| columns.iter().all(has)).map_or("", |(name, _)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn assign_names(names: &[&str]) -> Vec<(&'static str, Vec<usize>)> {
        assign(&names.iter().map(|n| (*n).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn best_name_wins_and_repeated_columns_collect() {
        let fields = assign_names(&[
            "ID",
            "IID",
            "Title",
            "Labels",
            "Created At (UTC)",
            "Labels",
            "Outward issue link (Duplicate)",
        ]);
        assert_eq!(
            fields,
            [
                ("number", vec![1]),
                ("title", vec![2]),
                ("labels", vec![3, 5]),
                ("created", vec![4]),
                ("duplicates", vec![6])
            ]
        );
        assert_eq!(assign_names(&["Thema", "Angelegt", "#"])[0], ("number", vec![2]));
    }

    /// Returns the fields of a table with these columns, each with its column names.
    fn fields_of(names: &str) -> Vec<(&'static str, Vec<&str>)> {
        let names: Vec<&str> = names.split(", ").collect();
        let column_names = |columns: Vec<usize>| columns.into_iter().map(|at| names[at]).collect();
        assign_names(&names)
            .into_iter()
            .map(|(field, columns)| (field, column_names(columns)))
            .collect()
    }

    #[track_caller]
    fn gives(columns: &str, field: &str, want: &[&str]) {
        let fields = fields_of(columns);
        let actual = fields.iter().find(|(f, _)| *f == field).map(|(_, names)| names.as_slice());
        assert_eq!(actual, Some(want), "{field} of {columns}");
    }

    #[test]
    fn tracker_columns_map_to_their_fields() {
        let asana = "Task ID, Created At, Completed At, Last Modified, Name, Section/Column, Tags, Notes, Projects";
        for (field, want) in [
            ("number", "Task ID"),
            ("title", "Name"),
            ("body", "Notes"),
            ("state", "Section/Column"),
            ("created", "Created At"),
            ("updated", "Last Modified"),
            ("closed", "Completed At"),
        ] {
            gives(asana, field, &[want]);
        }
        gives("ID, Title, Notes", "comments", &["Notes"]);
        let freshdesk = "Ticket ID, Subject, Status, Created time, Due by Time, Resolved time, Closed time, Last update time, Tags, Full name";
        gives(freshdesk, "created", &["Created time"]);
        gives(freshdesk, "updated", &["Last update time"]);
        gives(freshdesk, "closed", &["Closed time", "Resolved time"]);
        gives(freshdesk, "author", &["Full name"]);
        // The title of the requester is not the title of the ticket.
        gives("Ticket ID, Title, Subject, Full name", "title", &["Subject"]);
        gives("ID, Titel, Betreff", "title", &["Betreff"]);
        let notion = "Name, Status, Created time, Last edited time, Created by, ID, Tags, Text";
        gives(notion, "updated", &["Last edited time"]);
        gives(notion, "created", &["Created time"]);
        let now = "number, opened_at, short_description, description, caller_id, state, category, sys_updated_on, sys_created_on, closed_at, resolved_at, close_code, close_notes, work_notes, opened_by";
        for (field, want) in [
            ("title", &["short_description"][..]),
            ("body", &["description"]),
            ("author", &["caller_id"]),
            ("created", &["opened_at"]),
            ("updated", &["sys_updated_on"]),
            ("closed", &["closed_at", "resolved_at"]),
            ("reason", &["close_code"]),
            ("comments", &["close_notes", "work_notes"]),
        ] {
            gives(now, field, want);
        }
        let bugzilla = "bug_id, bug_status, short_desc, changeddate, opendate, dupe_of, see_also";
        gives(bugzilla, "updated", &["changeddate"]);
        gives(bugzilla, "created", &["opendate"]);
        gives(bugzilla, "related", &["see_also"]);
        for (field, names) in [
            (
                "number",
                "Case Number, Ticket#, Ticket No, Ticketnummer, Vorgangsnummer, Case ID, Request ID, Issue #, Reference",
            ),
            ("title", "Ticket name, Card Name, Task Name, Kurzbeschreibung, Objet, Başlık, כותרת"),
            ("state", "Ticket status, Current State, List Name, סטטוס"),
            (
                "created",
                "Date/Time Opened, Erstellt am, Erfasst am, Data di creazione, Ticket Created, Create date",
            ),
        ] {
            names.split(", ").for_each(|name| gives(name, field, &[name]));
        }
        gives("Case ID, Case Number, Reference, Subject", "number", &["Case Number"]);
        gives("Task Name, Status, List Name", "state", &["Status"]);
        for (jira, author) in [
            ("Zusammenfassung, Vorgangsschlüssel, Ersteller, Autor", "Autor"),
            ("要約, 課題キー, 作成者, 報告者", "報告者"),
            ("Resumo, Chave da item, Criador, Relator", "Relator"),
        ] {
            gives(jira, "author", &[author]);
        }
        for (outward, inward) in [
            (
                "Ausgehende Vorgangsverknüpfung (Duplicate)",
                "Eingehende Vorgangsverknüpfung (Duplicate)",
            ),
            ("Lien de ticket sortant (Duplicate)", "Lien de ticket entrant (Duplicate)"),
        ] {
            let columns = format!("Résumé, {inward}, {outward}");
            gives(&columns, "duplicates", &[outward]);
            gives(&columns, "duplicated", &[inward]);
        }
        let brazilian =
            "Resumo, Chave da item, Criado, Atualizado(a), Resolvido, Categorias, Comentar";
        for (field, want) in [
            ("number", "Chave da item"),
            ("updated", "Atualizado(a)"),
            ("labels", "Categorias"),
            ("comments", "Comentar"),
        ] {
            gives(brazilian, field, &[want]);
        }
        gives("#, 主题, 状态, 结束日期, 最后的说明", "closed", &["结束日期"]);
        gives("#, 主题, 状态, 结束日期, 最后的说明", "comments", &["最后的说明"]);
        gives("#, 題名, 最新のコメント", "comments", &["最新のコメント"]);
        gives("#, Konu, Durum, Güncellenme", "updated", &["Güncellenme"]);
    }

    #[test]
    fn repository_columns_are_distinguished_from_projects() {
        gives("Number, Title, Repository", "repository", &["Repository"]);
        gives("Number, Title, Repo, Project", "repository", &["Repo"]);
        gives("Number, Title, Project, State", "repository", &["Project"]);
        assert!(fields_of("#, Project, Subject").iter().all(|(field, _)| *field != "repository"));
    }

    #[test]
    fn each_name_belongs_to_one_field() {
        let fields = rows(include_str!("fields.tsv"));
        let mut names: Vec<&str> = fields.flat_map(|(_, names)| phrases(names)).collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
        assert!(names.iter().all(|name| plain(name) == *name));
    }
}
