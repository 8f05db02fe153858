//! Maps table columns to fields.

use std::{
    collections::{HashMap, HashSet},
    sync::LazyLock,
};

use super::names::{self, FIELDS, data_rows, normalize, relation_phrases};
use precedent_text::words::phrases;

/// The fields that several columns may provide together.
const MULTI_COLUMN_FIELDS: &str = "labels, body, closed, comments, comment author, comment date, \
    duplicates, duplicated, related";

/// Returns whether several columns may provide a field together.
pub fn is_multi_column(field: &str) -> bool {
    phrases(MULTI_COLUMN_FIELDS).any(|name| name == field)
}

/// Returns the field for a column name, and the rank of the name.
pub fn field(name: &str) -> Option<(&'static str, usize)> {
    link_field(&normalize(name)).map(|kind| (kind, 0)).or_else(|| names::field(name))
}

/// Returns the field of a Jira link column: `Outward issue link (Duplicate)`.
fn link_field(name: &str) -> Option<&'static str> {
    let (label, kind) = name.split_once(" (")?;
    let has = |kind| relation_phrases(kind).any(|phrase| phrase == label);
    match (has("outward"), has("inward"), kind.contains("duplic") || kind.contains("duplik")) {
        (true, _, true) => Some("duplicates"),
        (_, true, true) => Some("duplicated"),
        (false, false, _) => None,
        _ => Some("related"),
    }
}

/// Returns the field for a column name, which some trackers use differently.
fn tracker_field(name: &str, tracker: &str) -> Option<(&'static str, usize)> {
    match (normalize(name).as_str(), tracker) {
        // Elsewhere, notes are comments; in Asana, they are the description.
        ("notes", "Asana") => Some(("body", 0)),
        // GitHub puts the repository here; elsewhere, it is the title of a project.
        ("project", "" | "GitHub Projects") => Some(("repository", usize::MAX)),
        _ => field(name),
    }
}

/// Assigns the columns of a tracker to fields.
pub fn assign(headers: &[String], tracker: &str) -> Vec<(&'static str, Vec<usize>)> {
    let mut columns_of: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (index, header) in headers.iter().enumerate() {
        if let Some((field, rank)) = tracker_field(header, tracker) {
            columns_of.entry(field).or_default().push((rank, index));
        }
    }
    let mut out = Vec::new();
    for field in &FIELDS.list {
        let Some(mut columns) = columns_of.remove(field) else { continue };
        columns.sort_unstable();
        let best_rank = columns[0].0;
        if !is_multi_column(field) {
            // A single-valued field takes the best name; its repeated columns fill in empty cells.
            columns.retain(|(rank, _)| *rank == best_rank);
        } else if !matches!(*field, "body" | "closed") {
            // The other fields keep the order of the table.
            columns.sort_unstable_by_key(|(_, index)| *index);
        }
        out.push((*field, columns.into_iter().map(|(_, index)| index).collect()));
    }
    out
}

static TRACKERS: LazyLock<Vec<(&str, Vec<&str>)>> = LazyLock::new(|| {
    data_rows(include_str!("trackers.tsv"))
        .map(|(name, columns)| (name, phrases(columns).collect()))
        .collect()
});

/// Returns the tracker whose tables or records have these columns, if the names are decisive.
pub fn tracker(headers: &[String]) -> &'static str {
    let names: HashSet<String> = headers.iter().map(|h| normalize(h)).collect();
    if names.iter().any(|n| link_field(n).is_some()) {
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
        let names: Vec<String> = names.iter().map(|n| (*n).to_owned()).collect();
        assign(&names, tracker(&names))
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
        let column_names =
            |columns: Vec<usize>| columns.into_iter().map(|index| names[index]).collect();
        assign_names(&names)
            .into_iter()
            .map(|(field, columns)| (field, column_names(columns)))
            .collect()
    }

    #[track_caller]
    fn assert_columns(columns: &str, field: &str, expected: &[&str]) {
        let fields = fields_of(columns);
        let actual = fields.iter().find(|(f, _)| *f == field).map(|(_, names)| names.as_slice());
        assert_eq!(actual, Some(expected), "{field} of {columns}");
    }

    #[test]
    fn tracker_columns_map_to_their_fields() {
        let asana = "Task ID, Created At, Completed At, Last Modified, Name, Section/Column, Tags, Notes, Projects";
        for (field, expected) in [
            ("number", "Task ID"),
            ("title", "Name"),
            ("body", "Notes"),
            ("state", "Section/Column"),
            ("created", "Created At"),
            ("updated", "Last Modified"),
            ("closed", "Completed At"),
        ] {
            assert_columns(asana, field, &[expected]);
        }
        assert_columns("ID, Title, Notes", "comments", &["Notes"]);
        let freshdesk = "Ticket ID, Subject, Status, Created time, Due by Time, Resolved time, Closed time, Last update time, Tags, Full name";
        assert_columns(freshdesk, "created", &["Created time"]);
        assert_columns(freshdesk, "updated", &["Last update time"]);
        assert_columns(freshdesk, "closed", &["Closed time", "Resolved time"]);
        assert_columns(freshdesk, "author", &["Full name"]);
        // The title of the requester is not the title of the ticket.
        assert_columns("Ticket ID, Title, Subject, Full name", "title", &["Subject"]);
        assert_columns("ID, Titel, Betreff", "title", &["Betreff"]);
        let notion = "Name, Status, Created time, Last edited time, Created by, ID, Tags, Text";
        assert_columns(notion, "updated", &["Last edited time"]);
        assert_columns(notion, "created", &["Created time"]);
        let service_now = "number, opened_at, short_description, description, caller_id, state, category, sys_updated_on, sys_created_on, closed_at, resolved_at, close_code, close_notes, work_notes, opened_by";
        for (field, expected) in [
            ("title", &["short_description"][..]),
            ("body", &["description"]),
            ("author", &["caller_id"]),
            ("created", &["opened_at"]),
            ("updated", &["sys_updated_on"]),
            ("closed", &["closed_at", "resolved_at"]),
            ("reason", &["close_code"]),
            ("comments", &["close_notes", "work_notes"]),
        ] {
            assert_columns(service_now, field, expected);
        }
        let bugzilla = "bug_id, bug_status, short_desc, changeddate, opendate, dupe_of, see_also";
        assert_columns(bugzilla, "updated", &["changeddate"]);
        assert_columns(bugzilla, "created", &["opendate"]);
        assert_columns(bugzilla, "related", &["see_also"]);
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
            names.split(", ").for_each(|name| assert_columns(name, field, &[name]));
        }
        assert_columns("Case ID, Case Number, Reference, Subject", "number", &["Case Number"]);
        assert_columns("Task Name, Status, List Name", "state", &["Status"]);
        for (jira, author) in [
            ("Zusammenfassung, Vorgangsschlüssel, Ersteller, Autor", "Autor"),
            ("要約, 課題キー, 作成者, 報告者", "報告者"),
            ("Resumo, Chave da item, Criador, Relator", "Relator"),
        ] {
            assert_columns(jira, "author", &[author]);
        }
        for (outward, inward) in [
            (
                "Ausgehende Vorgangsverknüpfung (Duplicate)",
                "Eingehende Vorgangsverknüpfung (Duplicate)",
            ),
            ("Lien de ticket sortant (Duplicate)", "Lien de ticket entrant (Duplicate)"),
        ] {
            let columns = format!("Résumé, {inward}, {outward}");
            assert_columns(&columns, "duplicates", &[outward]);
            assert_columns(&columns, "duplicated", &[inward]);
        }
        let brazilian =
            "Resumo, Chave da item, Criado, Atualizado(a), Resolvido, Categorias, Comentar";
        for (field, expected) in [
            ("number", "Chave da item"),
            ("updated", "Atualizado(a)"),
            ("labels", "Categorias"),
            ("comments", "Comentar"),
        ] {
            assert_columns(brazilian, field, &[expected]);
        }
        assert_columns("#, 主题, 状态, 结束日期, 最后的说明", "closed", &["结束日期"]);
        assert_columns("#, 主题, 状态, 结束日期, 最后的说明", "comments", &["最后的说明"]);
        assert_columns("#, 題名, 最新のコメント", "comments", &["最新のコメント"]);
        assert_columns("#, Konu, Durum, Güncellenme", "updated", &["Güncellenme"]);
    }

    #[test]
    fn repository_columns_are_distinguished_from_projects() {
        assert_columns("Number, Title, Repository", "repository", &["Repository"]);
        assert_columns("Number, Title, Repo, Project", "repository", &["Repo"]);
        assert_columns("Number, Title, Project, State", "repository", &["Project"]);
        assert!(fields_of("#, Project, Subject").iter().all(|(field, _)| *field != "repository"));
    }

    #[test]
    fn each_name_belongs_to_one_field() {
        let fields = data_rows(include_str!("fields.tsv"));
        let mut names: Vec<&str> = fields.flat_map(|(_, names)| phrases(names)).collect();
        let n = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), n);
        assert!(names.iter().all(|name| normalize(name) == *name));
    }
}
