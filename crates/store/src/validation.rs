//! Rules for every row, so that no cell breaks a command. They apply to imported casebook files
//! and, in `doctor`, to this casebook.

use std::borrow::Cow;

use rusqlite::{
    Connection,
    functions::{Context, FunctionFlags},
    types::ValueRef,
};

use super::{Reader, Writer, content_hash, notes::NOTES};
use precedent_core::{
    error::{Error, Result},
    model::{MAX_NUMBER, PortableImport, is_source_key},
};

/// The maximum size of a text in bytes, as in imports.
pub(super) const MAX_TEXT: usize = 32 * 1024 * 1024;
/// The maximum length of a key or name in characters.
const MAX_LINE: usize = 1000;
/// The maximum row id. Ids of several imported files add up.
const MAX_ID: i64 = 1 << 40;
/// The maximum row id of a document. Filters hold one bit per id.
const MAX_DOCUMENT_ID: i64 = 1 << 28;
const MAX_REPORTED: usize = 20;

#[derive(Clone)]
enum Repair {
    /// Removes the row.
    Remove,
    /// Sets these columns in a repair; an import leaves the row out.
    Set(&'static str),
    /// Sets these columns in a repair and on an import.
    Correct(&'static str),
    /// Makes this column of texts readable in a repair; an import leaves the row out.
    Read(String),
}

/// A condition that every row of a table must meet; `t` is the row.
#[derive(Clone)]
struct Rule {
    table: &'static str,
    condition: Cow<'static, str>,
    /// The description of a row that breaks the rule.
    fault: Cow<'static, str>,
    repair: Repair,
}

const fn rule(
    table: &'static str,
    condition: &'static str,
    fault: &'static str,
    repair: Repair,
) -> Rule {
    Rule { table, condition: Cow::Borrowed(condition), fault: Cow::Borrowed(fault), repair }
}

const KEY: &str = "its key doesn't match its source, kind and number";
const DATE: &str = "a date is out of range";
const FUTURE_DATE: &str = "a date is in the future; it counts as now";
const COUNT: &str = "a number is out of range";
const ID: &str = "its row number is invalid";

/// All rules. Tables that others depend on come first.
const RULES: &[Rule] = &[
    rule("casebook", "t.revision BETWEEN 0 AND max_number() AND t.links_revision BETWEEN 0 AND max_number()", COUNT,
        Repair::Correct("links_revision = 0, revision = (SELECT coalesce(max(d.revision), 0) + 1
                         FROM documents d
                             WHERE d.revision BETWEEN 0 AND max_number() / 2)")),
    rule("sources", "t.id BETWEEN 1 AND max_id()", ID, Repair::Remove),
    rule("sources", "CASE WHEN t.kind = 'notes' THEN t.key = notes_key() ELSE is_source_key(t.key) END",
        "its key is reserved or not a valid source name", Repair::Set("kind = CASE t.key WHEN notes_key() THEN 'notes' ELSE kind END")),
    rule("sources", "is_name(t.kind)", "its kind is not a known tracker", Repair::Set("kind = 'github'")),
    rule("sources", "is_date(t.added_at) AND is_date(t.changed_at)", DATE, Repair::Set("added_at = 0, changed_at = NULL")),
    rule("sources", "is_past(t.added_at) AND is_past(t.changed_at)", FUTURE_DATE,
        Repair::Correct("added_at = min(added_at, latest()), changed_at = min(changed_at, latest())")),
    rule("sources", "t.skeleton_documents BETWEEN 0 AND max_id() AND t.pace BETWEEN 1e-6 AND 1e6", COUNT,
        Repair::Correct("skeleton_documents = 0, pace = 1.0")),
    rule("notes", "length(t.content_hash) = 16", "its hash doesn't match its text",
        Repair::Correct("content_hash = (SELECT hash_of_note(d.title, d.body) FROM documents d WHERE d.id = document_id)")),
    rule("documents", "t.id BETWEEN 1 AND max_document_id()", ID, Repair::Remove),
    rule("documents", "(t.number IS NULL OR t.number BETWEEN 0 AND max_number()) AND is_line(t.key)
            AND EXISTS (SELECT 1 FROM sources s WHERE s.id = t.source_id
            AND (s.kind = 'notes') = (t.kind = 'note')
                AND CASE WHEN t.number IS NULL THEN t.kind <> 'note' AND substr(t.key, 1,
                length(s.key) + 1) = s.key || ':'
                    ELSE t.key = s.key || '#' || t.number END)", KEY, Repair::Remove),
    rule("documents", "t.kind <> 'note' OR t.deleted_at IS NOT NULL OR t.id IN (SELECT document_id FROM notes)",
        "it is a note without a kind", Repair::Remove),
    rule("documents", "is_list_of_texts(t.labels)", "its labels are not a list of names",
        Repair::Set("labels = CASE kind WHEN 'note'
                         THEN json_array((SELECT n.kind FROM notes n WHERE n.document_id = id))
                         ELSE '[]' END")),
    rule("documents", "t.comment_count BETWEEN 0 AND 2147483647", COUNT, Repair::Set("comment_count = 0")),
    rule("documents", "is_date(t.created_at) AND is_date(t.updated_at) AND is_date(t.closed_at) AND is_date(t.merged_at)
            AND is_date(t.deleted_at) AND (t.kind <> 'note' OR t.created_at IS NOT NULL)", DATE,
        Repair::Set("created_at = CASE WHEN is_date(created_at)
                     AND created_at IS NOT NULL THEN created_at
                         WHEN kind = 'note' THEN 0 END,
                     updated_at = CASE WHEN is_date(updated_at) THEN updated_at END,
                     closed_at = CASE WHEN is_date(closed_at) THEN closed_at END,
                     merged_at = CASE WHEN is_date(merged_at) THEN merged_at END,
                     deleted_at = CASE WHEN is_date(deleted_at) THEN deleted_at ELSE 0 END")),
    rule("documents", "is_past(t.created_at) AND is_past(t.updated_at) AND is_past(t.closed_at) AND is_past(t.merged_at)
            AND is_past(t.deleted_at)", FUTURE_DATE,
        Repair::Correct("created_at = min(created_at, latest()), updated_at = min(updated_at, latest()),
                         closed_at = min(closed_at, latest()), merged_at = min(merged_at, latest()),
                         deleted_at = min(deleted_at, latest())")),
    rule("documents", "t.revision BETWEEN 0 AND (SELECT revision FROM casebook)", COUNT,
        Repair::Correct("revision = (SELECT revision FROM casebook)")),
    rule("notes", "t.document_id IN (SELECT d.id FROM documents d WHERE d.kind = 'note')", "it belongs to no note", Repair::Remove),
    rule("comments", "t.id BETWEEN 1 AND max_id()", ID, Repair::Remove),
    rule("comments", "t.number BETWEEN 0 AND max_number()", COUNT, Repair::Remove),
    rule("comments", "is_date(t.created_at) AND is_date(t.updated_at) AND is_date(t.deleted_at)", DATE,
        Repair::Set("created_at = CASE WHEN is_date(created_at) THEN created_at ELSE 0 END,
                     updated_at = CASE WHEN is_date(updated_at) THEN updated_at ELSE 0 END,
                     deleted_at = CASE WHEN is_date(deleted_at) THEN deleted_at ELSE 0 END")),
    rule("comments", "is_past(t.created_at) AND is_past(t.updated_at) AND is_past(t.deleted_at)", FUTURE_DATE,
        Repair::Correct("created_at = min(created_at, latest()), updated_at = min(updated_at, latest()),
                         deleted_at = min(deleted_at, latest())")),
    rule("links", "is_line(t.from_key) AND is_line(t.to_key)", "it names no document", Repair::Remove),
    rule("verdicts", "is_line(t.first_key) AND is_line(t.second_key) AND CASE t.verdict
            WHEN 'duplicate' THEN t.canonical_key IN (t.first_key, t.second_key)
            ELSE t.canonical_key IS NULL END",
        "it doesn't say which of the two reports to keep", Repair::Remove),
    rule("verdicts", "is_date(t.decided_at)", DATE, Repair::Set("decided_at = 0")),
    rule("verdicts", "is_past(t.decided_at)", FUTURE_DATE, Repair::Correct("decided_at = min(decided_at, latest())")),
    rule("verdict_journal", "t.id BETWEEN 1 AND max_id()", ID, Repair::Remove),
    rule("verdict_journal", "is_line(t.first_key) AND is_line(t.second_key) AND CASE t.verdict
            WHEN 'duplicate' THEN t.canonical_key IN (t.first_key, t.second_key)
            ELSE t.canonical_key IS NULL END",
        "it doesn't say which of the two reports to keep", Repair::Remove),
    rule("verdict_journal", "is_date(t.decided_at)", DATE, Repair::Set("decided_at = 0")),
    rule("verdict_journal", "is_past(t.decided_at)", FUTURE_DATE, Repair::Correct("decided_at = min(decided_at, latest())")),
    rule("closures", "is_line(t.key) AND is_line(t.canonical_key)", "it names no report", Repair::Remove),
    rule("closures", "is_date(t.began_at) AND is_date(t.changed_at)", DATE, Repair::Set("began_at = 0, changed_at = 0")),
    rule("closures", "is_past(t.began_at) AND is_past(t.changed_at)", FUTURE_DATE,
        Repair::Correct("began_at = min(began_at, latest()), changed_at = min(changed_at, latest())")),
    rule("remotes", "is_date(t.synced_at) AND is_date(t.swept_at)", DATE, Repair::Correct("synced_at = NULL, swept_at = NULL")),
    rule("remotes", "is_past(t.synced_at) AND is_past(t.swept_at)", FUTURE_DATE, Repair::Correct("synced_at = NULL, swept_at = NULL")),
    // A list without a row is fetched again from its beginning.
    rule("streams", "is_name(t.name) AND is_date(t.watermark) AND is_past(t.watermark) AND is_date(t.finished_at)
            AND is_past(t.finished_at) AND t.pages BETWEEN 0 AND max_id()
            AND t.unreadable BETWEEN 0 AND max_id()",
        "its sync position is out of range; it will be fetched again", Repair::Remove),
    rule("relations_read", "t.number BETWEEN 0 AND max_number() AND is_date(t.updated_at) AND is_past(t.updated_at)",
        "its sync record is out of range; it will be fetched again", Repair::Remove),
    rule("releases", "is_line(t.name) AND is_date(t.released_at) AND t.is_released IN (0, 1)",
        "its name or its date is invalid", Repair::Remove),
    rule("release_items", "is_line(t.name) AND t.number BETWEEN 0 AND max_number()", COUNT, Repair::Remove),
    // The rows of the tables below are derived and computed again.
    rule("raw_dictionaries", "t.id > 0 AND t.kind IN ('document', 'comment') AND length(t.data) <= 1048576", "it is invalid", Repair::Remove),
    rule("checks", "is_date(t.checked_at) AND t.revision BETWEEN 0 AND max_number() AND t.confidence BETWEEN 0 AND 1
            AND t.worth BETWEEN 0 AND 1 AND coalesce(t.full_text, 0) >= 0 AND coalesce(t.embedded,
            0) >= 0", COUNT, Repair::Remove),
    rule("check_candidates", "t.confidence BETWEEN 0 AND 1", COUNT, Repair::Remove),
    rule("calibrations", "abs(t.slope) < 1e9 AND abs(t.intercept) < 1e9 AND t.labels BETWEEN 0 AND max_id()
            AND (t.weights IS NULL OR is_map_of_numbers(t.weights))", COUNT, Repair::Remove),
    rule("backgrounds", "abs(t.level) < 1e9 AND t.spread > 0 AND t.spread < 1e9 AND t.issues BETWEEN 0 AND max_id()", COUNT,
        Repair::Remove),
    rule("sync_progress", "is_date(t.started_at) AND is_date(t.told_at) AND t.done >= 0 AND coalesce(t.total, 0) >= 0", COUNT,
        Repair::Remove),
];

/// Returns the SQL expression for a row's name in messages; `t` is the row.
fn name_expression(table: &str) -> String {
    let source =
        "coalesce((SELECT s.key FROM sources s WHERE s.id = t.source_id), 'a deleted source')";
    match table {
        "casebook" => "'the casebook''s own row'".to_owned(),
        "sources" => "'the source ' || t.key".to_owned(),
        "documents" => "t.key".to_owned(),
        "notes" => {
            "coalesce((SELECT d.key FROM documents d WHERE d.id = t.document_id), 'a deleted note')"
                .to_owned()
        }
        "comments" => {
            format!("'the comment ' || t.remote_id || ' on ' || {source} || '#' || t.number")
        }
        "links" => "'the link from ' || t.from_key || ' to ' || t.to_key".to_owned(),
        "verdicts" => "'the decision about ' || t.first_key || ' and ' || t.second_key".to_owned(),
        "verdict_journal" => {
            "'the earlier decision about ' || t.first_key || ' and ' || t.second_key".to_owned()
        }
        "closures" => {
            "'the closing of ' || t.key || ' as a duplicate of ' || t.canonical_key".to_owned()
        }
        "streams" => format!("'the list ' || t.name || ' of ' || {source}"),
        "relations_read" => format!("'the closing relations of ' || {source} || '#' || t.number"),
        "releases" | "release_items" => format!("'the release ' || t.name || ' of ' || {source}"),
        "checks" | "check_candidates" => "'the check of ' || t.key".to_owned(),
        "remotes" | "calibrations" | "backgrounds" | "skeleton_lines" | "sync_progress" => {
            format!("'{} of ' || {source}", table.replace('_', " "))
        }
        _ => format!("'a row of {table}'"),
    }
}

/// Rows that break rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RowFaults {
    /// Descriptions of the first rows, as sentences without a period.
    pub first_faults: Vec<String>,
    /// The number of rows.
    pub count: u64,
}

impl RowFaults {
    fn add(&mut self, faults: Self) {
        self.count += faults.count;
        let remaining = MAX_REPORTED.saturating_sub(self.first_faults.len());
        self.first_faults.extend(faults.first_faults.into_iter().take(remaining));
    }

    /// Returns the descriptions as sentences, with one for the number of further rows.
    pub fn sentences(&self) -> Vec<String> {
        let mut sentences: Vec<String> =
            self.first_faults.iter().map(|fault| format!("{fault}.")).collect();
        let unlisted_count = self.count - self.first_faults.len() as u64;
        if unlisted_count > 0 {
            sentences.push(format!("And {unlisted_count} more rows like these."));
        }
        sentences
    }
}

/// The purpose of a check, which decides how invalid rows are treated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Purpose {
    /// The database is from a casebook file.
    Import,
    /// The database is the user's own.
    Repair,
}

/// Registers the SQL functions that the rules use. Dates after `latest`, in seconds, are in the
/// future.
pub(super) fn register(c: &Connection, latest: i64) -> Result<()> {
    let flags = FunctionFlags::SQLITE_UTF8 | FunctionFlags::SQLITE_DETERMINISTIC;
    let integer = |context: &Context<'_>| match context.get_raw(0) {
        ValueRef::Null => Some(None),
        ValueRef::Integer(n) => Some(Some(n)),
        _ => None,
    };
    c.create_scalar_function("is_date", 1, flags, move |context| {
        let fits = |n: i64| jiff::Timestamp::from_second(n).is_ok();
        Ok(integer(context).is_some_and(|n| n.is_none_or(fits)))
    })?;
    c.create_scalar_function("is_past", 1, flags, move |context| {
        Ok(integer(context).is_some_and(|n| n.is_none_or(|n| n <= latest)))
    })?;
    c.create_scalar_function("latest", 0, flags, move |_| Ok(latest))?;
    c.create_scalar_function("max_number", 0, flags, |_| Ok(MAX_NUMBER.cast_signed()))?;
    c.create_scalar_function("max_id", 0, flags, |_| Ok(MAX_ID))?;
    c.create_scalar_function("max_document_id", 0, flags, |_| Ok(MAX_DOCUMENT_ID))?;
    c.create_scalar_function("notes_key", 0, flags, |_| Ok(NOTES))?;
    let text = |context: &Context<'_>, test: fn(&str) -> bool| {
        Ok(context.get_raw(0).as_str().is_ok_and(test))
    };
    c.create_scalar_function("is_text", 1, flags, |context| {
        let value = context.get_raw(0);
        Ok(value == ValueRef::Null || value.as_str().is_ok_and(|text| text.len() <= MAX_TEXT))
    })?;
    c.create_scalar_function("readable_text", 1, flags, |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Text(bytes) | ValueRef::Blob(bytes) => {
                Some(String::from_utf8_lossy(&bytes[..bytes.len().min(MAX_TEXT)]).into_owned())
            }
            _ => None,
        })
    })?;
    c.create_scalar_function("is_finite", 1, flags, |context| {
        Ok(match context.get_raw(0) {
            ValueRef::Real(x) => x.is_finite(),
            ValueRef::Null | ValueRef::Integer(_) => true,
            _ => false,
        })
    })?;
    c.create_scalar_function("is_source_key", 1, flags, move |context| {
        text(context, is_source_key)
    })?;
    c.create_scalar_function("is_line", 1, flags, move |context| {
        text(context, |line| {
            !line.is_empty()
                && line.chars().count() <= MAX_LINE
                && !line.chars().any(char::is_control)
        })
    })?;
    c.create_scalar_function("is_name", 1, flags, move |context| {
        text(context, |name| {
            let is_valid = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            (1..=60).contains(&name.len()) && name.chars().all(is_valid)
        })
    })?;
    c.create_scalar_function("is_list_of_texts", 1, flags, move |context| {
        text(context, |list| serde_json::from_str::<Vec<String>>(list).is_ok())
    })?;
    c.create_scalar_function("is_map_of_numbers", 1, flags, move |context| {
        text(context, |map| {
            serde_json::from_str::<std::collections::BTreeMap<String, f32>>(map)
                .is_ok_and(|map| map.values().all(|weight| weight.is_finite()))
        })
    })?;
    c.create_scalar_function("hash_of_note", 2, flags, |context| {
        let text = |i: usize| context.get_raw(i).as_str().unwrap_or_default();
        Ok(content_hash(text(0), text(1)).to_vec())
    })?;
    Ok(())
}

/// Returns the rules of a table: those in [`RULES`], and that every text and number is readable.
fn rules_of(c: &Connection, table: &'static str) -> Result<Vec<Rule>> {
    let columns: Vec<(String, String)> = Reader { transaction: c }.query_rows(
        "SELECT name, type FROM pragma_table_info(?1, 'main')",
        [table],
        |r| r.try_into(),
    )?;
    let readable = |(column, kind): (String, String)| {
        let name = column.replace('_', " ");
        let (test, fault, repair) = match kind.as_str() {
            "TEXT" => ("is_text", "text", Repair::Read(column.clone())),
            "REAL" => ("is_finite", "a number", Repair::Remove),
            _ => return None,
        };
        let condition = format!("{test}(t.\"{column}\")").into();
        Some(Rule { table, condition, fault: format!("its {name} is not {fault}").into(), repair })
    };
    let rules = RULES.iter().filter(|rule| rule.table == table).cloned();
    Ok(columns.into_iter().filter_map(readable).chain(rules).collect())
}

/// Returns the tables that have rules, in the order of the rules: a table is checked after the
/// tables that it depends on.
fn tables() -> Vec<&'static str> {
    let mut tables = Vec::new();
    for rule in RULES {
        if !tables.contains(&rule.table) {
            tables.push(rule.table);
        }
    }
    tables
}

/// Finds the rows that break a rule. The SQL functions must be registered.
fn find_faults(c: &Connection, table: &'static str, purpose: Purpose) -> Result<RowFaults> {
    let rules = rules_of(c, table)?;
    let faults: Vec<String> = rules
        .iter()
        .enumerate()
        .map(|(i, rule)| format!("WHEN ({}) IS NOT TRUE THEN {i}", rule.condition))
        .collect();
    // One pass checks all rules, because columns behind a long text are slow to read.
    let query = format!(
        "SELECT {}, fault FROM (SELECT t.*, CASE {} END AS fault FROM main.\"{table}\" t) t
         WHERE fault IS NOT NULL",
        name_expression(table),
        faults.join(" ")
    );
    let mut result = RowFaults::default();
    let mut statement = c.prepare(&query)?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        result.count += 1;
        if result.first_faults.len() < MAX_REPORTED {
            let name = match row.get_ref(0)? {
                ValueRef::Text(bytes) => {
                    String::from_utf8_lossy(bytes).chars().take(MAX_LINE).collect()
                }
                _ => format!("a row of {table}"),
            };
            let Some(rule) = rules.get(row.get::<_, usize>(1)?) else { continue };
            let prefix = match (&rule.repair, purpose) {
                (Repair::Correct(_), Purpose::Import) => PortableImport::CORRECTED,
                _ => "",
            };
            result.first_faults.push(format!("{prefix}{name}: {}", rule.fault));
        }
    }
    Ok(result)
}

/// Finds the rows of all tables that break a rule, and repairs or removes them.
pub(super) fn repair(c: &Connection, purpose: Purpose) -> Result<RowFaults> {
    let mut faults = RowFaults::default();
    for table in tables() {
        let table_faults = find_faults(c, table, purpose)?;
        if table_faults.count == 0 {
            continue;
        }
        faults.add(table_faults);
        for Rule { condition, repair, .. } in rules_of(c, table)? {
            let is_faulty = format!("({condition}) IS NOT TRUE");
            let update = match repair {
                Repair::Correct(columns) => Some(columns.to_owned()),
                Repair::Set(columns) if purpose == Purpose::Repair => Some(columns.to_owned()),
                Repair::Read(column) if purpose == Purpose::Repair => {
                    Some(format!("\"{column}\" = readable_text(\"{column}\")"))
                }
                _ => None,
            };
            if let Some(sql) = update {
                c.execute(
                    &format!("UPDATE OR IGNORE main.\"{table}\" AS t SET {sql} WHERE {is_faulty}"),
                    [],
                )?;
            }
            // Remove rows that could not be repaired.
            if table != "casebook" {
                c.execute(&format!("DELETE FROM main.\"{table}\" AS t WHERE {is_faulty}"), [])?;
            }
        }
    }
    Ok(faults)
}

impl Reader<'_> {
    /// Returns the rows that break a rule.
    pub fn faults(&self) -> Result<RowFaults> {
        register(self.transaction, i64::MAX)?;
        let mut faults = RowFaults::default();
        for table in tables() {
            faults.add(find_faults(self.transaction, table, Purpose::Repair)?);
        }
        Ok(faults)
    }

    /// Reads every row as the commands do; returns the error for the first unreadable row.
    pub fn read_all_rows(&self) -> Result<()> {
        for source in self.sources()? {
            self.source_counts(source.id)?;
            self.remote(source.id)?;
            self.progress(source.id)?;
            self.skeleton_age(source.id)?;
            self.calibration(source.id)?;
            self.known_duplicates(source.id)?;
            self.time_scale(source.id)?;
            for name in self.stream_names(source.id)? {
                self.stream(source.id, &name)?;
            }
        }
        for id in self.document_ids()? {
            let Some(row) = self.document(id)? else { continue };
            self.comments(&row)?;
        }
        for note in self.notes(None)? {
            self.shown_note(note)?;
        }
        self.verdicts(None)?;
        self.closures()?;
        self.newest_change()?;
        self.document_count()?;
        Ok(())
    }
}

impl Writer<'_> {
    /// Repairs the rows that break a rule, and removes those that cannot be repaired.
    pub fn repair_rows(&self) -> Result<RowFaults> {
        register(self.transaction, i64::MAX)?;
        let faults = repair(self.transaction, Purpose::Repair)?;
        if faults.count > 0 {
            // The repaired documents are unknown.
            self.touch_documents(None)?;
        }
        Ok(faults)
    }
}

/// Refuses a file with an invalid or reserved source key.
pub(super) fn refuse_bad_sources(c: &Connection) -> Result<()> {
    let mut statement = c.prepare("SELECT key, kind FROM main.sources ORDER BY id")?;
    let mut rows = statement.query([])?;
    while let Some(row) = rows.next()? {
        let (key, kind) = (lossy_text(row.get_ref(0)?), lossy_text(row.get_ref(1)?));
        let is_valid = if kind == "notes" { key == NOTES } else { is_source_key(&key) };
        if !is_valid {
            let prefix: String = key.chars().filter(|c| !c.is_control()).take(80).collect();
            return Err(Error::invalid(format!(
                "the file contains a source named \"{prefix}\", which is not a valid name"
            ))
            .with_hint(
                "A source is named owner/name. Get another export of the casebook; nothing was imported.",
            ));
        }
    }
    Ok(())
}

/// Returns a text that may be invalid UTF-8; empty for other values.
pub(super) fn lossy_text(value: ValueRef<'_>) -> String {
    match value {
        ValueRef::Text(bytes) => String::from_utf8_lossy(bytes).into_owned(),
        _ => String::new(),
    }
}
