//! Import of tracker export files; the content determines the format, not the file name.

mod columns;
pub mod content;
mod encoding;
mod foreign;
pub mod json;
mod known;
pub mod mail;
mod mapping;
mod names;
mod piece;
mod quotes;
mod rows;
mod shapes;
mod states;
mod table;
mod xml;

use std::{io::Read, sync::Arc};

use csv::StringRecord;
use encoding_rs::UTF_8;
use serde_json::Value;

pub use content::Content;
use encoding::{Decoded, Written};
use known::Known;
pub use mapping::Mapping;
pub use piece::{Piece, Tie};
use rows::Row;
use table::Plan;

use super::{
    github, identity,
    import::{CUT_LIST, CUT_RECORD, MAX_RECORD, Records},
    wiki,
};
use precedent_core::{
    error::{Error, Result},
    model::Record,
};
use precedent_markup::message;
use precedent_packing::damaged;

/// The number of bytes that are examined to detect the format.
const START: usize = 256 * 1024;

/// The detected format of a file, and the settings to read it.
pub struct Look {
    /// Readable name of the format: `Jira CSV`.
    pub kind: String,
    /// Tracker of the items; empty if unknown.
    pub tracker: &'static str,
    /// Namespace of project keys without an owner (`APP`) if no source is named.
    pub namespace: String,
    /// Notices about how the file is read.
    pub doubts: Vec<String>,
    form: Form,
}

enum Form {
    Json { written: Written, holder: bool, known: Known },
    Table(Box<Plan>),
    Xml { element: &'static str, written: Written, known: Known },
    Mail { mailbox: bool, threads: Arc<mail::Threads> },
    Page,
}

/// A record in a file.
pub enum Chunk {
    /// A JSON object, and its position among the records.
    Json(Vec<u8>, u64),
    /// A row of a table.
    Row(Row),
    /// A mail, and its location.
    Mail(Vec<u8>, mail::Place),
    /// A page of a wiki.
    Page(Box<Record>),
}

impl Chunk {
    /// Returns the approximate size in bytes.
    pub fn size(&self) -> usize {
        match self {
            Self::Json(bytes, _) | Self::Mail(bytes, _) => bytes.len(),
            Self::Row(row) => row.cells.as_slice().len(),
            Self::Page(_) => 1024,
        }
    }
}

/// Detects the format of a file.
///
/// # Errors
/// [`precedent_core::Code::NotFound`] with the likely format if the file has nothing to import.
/// [`precedent_core::Code::InvalidInput`] for a table that cannot be read.
pub fn look(content: &Content, mapping: &Mapping) -> Result<Look> {
    let start = content.start(START)?;
    if let Some(error) = foreign::at_once(content, &start) {
        return Err(error);
    }
    if is_page(&content.name) {
        return Ok(Look {
            kind: "wiki page".to_owned(),
            tracker: "",
            namespace: "wiki".to_owned(),
            doubts: Vec::new(),
            form: Form::Page,
        });
    }
    if message::is_mail(&start) {
        let line = start.split(|b| *b == b'\n').next().unwrap_or_default();
        let mailbox = message::is_divider(&String::from_utf8_lossy(line));
        return Ok(Look {
            kind: if mailbox { "mailbox" } else { "mail" }.to_owned(),
            tracker: "",
            namespace: "mail".to_owned(),
            doubts: Vec::new(),
            form: Form::Mail { mailbox, threads: Arc::default() },
        });
    }
    // The first distinctive byte may come late; for a truncated file the start decides.
    let written = match start.is_ascii() {
        true => {
            encoding::detect(content.open()?, true).or_else(|_| encoding::detect(start.as_slice(), false))
        }
        false => encoding::detect(start.as_slice(), false),
    };
    let written = written.map_err(|e| damaged(&content.path, &e))?;
    let mut text = String::new();
    if Decoded::new(start.as_slice(), written.encoding).read_to_string(&mut text).is_err() {
        text.clear();
    }
    match text.trim_start().chars().next() {
        Some('{' | '[') => json(content, mapping, written, &text),
        Some('<') => match foreign::tracker_of_xml(&text) {
            Some((tracker, element)) => Ok(Look {
                kind: format!("{tracker} XML"),
                tracker,
                namespace: name(tracker),
                doubts: Vec::new(),
                form: Form::Xml { element, written, known: Known::new(&mapping.words, false) },
            }),
            None => Err(foreign::markup(content, &text)),
        },
        Some(_) if foreign::is_no_text(&text) => Err(foreign::text(content, &text)),
        Some(_) => match table::look(content, mapping)? {
            Some(plan) if plan.rows == 0 => Err(foreign::nothing(content, "a table without rows")),
            Some(mut plan) => Ok(Look {
                kind: kind(&plan),
                tracker: plan.tracker,
                namespace: if plan.tracker.is_empty() { "files".to_owned() } else { name(plan.tracker) },
                doubts: std::mem::take(&mut plan.doubts),
                form: Form::Table(Box::new(plan)),
            }),
            None => Err(foreign::text(content, &text)),
        },
        None => Err(foreign::nothing(content, "an empty file")),
    }
}

/// Returns whether a file of this name is a wiki page.
pub fn is_page(file: &str) -> bool {
    let name = file.to_lowercase();
    wiki::ENDINGS.iter().any(|e| name.ends_with(e))
}

fn name(tracker: &str) -> String {
    tracker.to_lowercase().replace(' ', "-")
}

fn kind(plan: &Plan) -> String {
    let form = if plan.delimiter == b'\t' { "TSV" } else { "CSV" };
    match plan.tracker {
        "" => form.to_owned(),
        tracker => format!("{tracker} {form}"),
    }
}

fn json(content: &Content, mapping: &Mapping, written: Written, text: &str) -> Result<Look> {
    let holder = json::is_holder(text.as_bytes());
    let holders = holder.then_some(json::HOLDERS);
    let stream = Box::new(std::io::Cursor::new(text.as_bytes().to_vec()));
    let mut records = Records::over(&content.path, stream, content.counter(), holders);
    let first = records.read()?.and_then(|s| s.bytes.ok());
    let first: Option<Value> = first.and_then(|b| serde_json::from_slice(&b).ok());
    if let Some(error) = foreign::answer(content, text, first.as_ref(), holder) {
        return Err(error);
    }
    let first = first.unwrap_or_default();
    let is_hub = is_hub(first.to_string().as_bytes());
    // Fields may be named like table columns.
    let row = if is_hub { None } else { rows::of_record(&first, &mapping.words) };
    let has = |name: &str| first.get(name).is_some();
    let tracker = match shaped(&first) {
        Some(tracker) => tracker,
        None if json::is_comments_of_bugs(text) => "Bugzilla",
        None if first.is_null() => "",
        None => row.as_ref().map_or("GitHub", |(plan, _)| plan.tracker),
    };
    if content.name == "merge_requests.ndjson" && shapes::is_merge_request(&first) {
        return Err(foreign::merge_requests(content));
    }
    let numberless = tracker == "GitHub"
        && has("title")
        && !["number", "url", "html_url", "issue_url", "node", "id"].iter().any(|n| has(n));
    let mut doubts = Vec::new();
    if numberless {
        doubts.push("items have no number: they are numbered by their position in the file".to_owned());
    }
    if text.contains("\"default_kind\"") {
        doubts.push("comments in Bitbucket exports are separate from the items and are skipped".to_owned());
    }
    let address = ["self", "url"].iter().find_map(|n| first.get(n)?.as_str());
    let host = address.and_then(identity::host).filter(|_| !matches!(tracker, "GitHub" | "GitHub event"));
    Ok(Look {
        kind: format!("{tracker} JSON").trim_start().to_owned(),
        // Records of an unknown tracker are labelled GitHub, but may belong to any tracker.
        tracker: if tracker == "GitHub" && !is_hub { "" } else { tracker },
        namespace: host.map_or_else(
            || if tracker.is_empty() { "files".to_owned() } else { name(tracker) },
            str::to_owned,
        ),
        doubts,
        form: Form::Json { written, holder, known: Known::new(&mapping.words, numberless) },
    })
}

/// Returns whether a record is parsed as one of GitHub's.
fn is_hub(record: &[u8]) -> bool {
    github::records(record).is_ok_and(|found| !found.is_empty())
}

/// Returns the tracker whose JSON records have these fields, if they are distinctive.
fn shaped(record: &Value) -> Option<&'static str> {
    let has = |name: &str| record.get(name).is_some();
    Some(match () {
        () if has("payload") && has("repo") => "GitHub event",
        () if has("key") && has("fields") => "Jira",
        () if has("iid") => "GitLab",
        () if has("dupe_of") || has("is_open") || has("product") => "Bugzilla",
        () if has("raw_subject") || (has("subject") && has("requester_id")) => "Zendesk",
        () if has("subject") => "Redmine",
        () if has("identifier") => "Linear",
        () if has("idReadable") => "YouTrack",
        () if record.get("fields").is_some_and(|f| f.get("System.Title").is_some()) => "Azure DevOps",
        () => return None,
    })
}

/// Returns the tracker of a stored item's raw record; empty if unknown.
pub fn tracker_of(raw: &[u8]) -> &'static str {
    let Ok(Value::Object(fields)) = serde_json::from_slice(raw) else { return "" };
    let is_cell = |v: &Value| match v {
        Value::Array(all) => all.iter().all(Value::is_string),
        other => other.is_string(),
    };
    // A table row is stored as its cells by column name.
    if fields.values().all(is_cell) {
        return columns::tracker(&fields.keys().cloned().collect::<Vec<_>>());
    }
    match shaped(&Value::Object(fields)) {
        Some(tracker) => tracker,
        None if is_hub(raw) => "GitHub",
        None => "",
    }
}

impl Look {
    /// Returns `None` unless the file contains mails; otherwise whether it is a mailbox of several.
    pub fn mailbox(&self) -> Option<bool> {
        match &self.form {
            Form::Mail { mailbox, .. } => Some(*mailbox),
            _ => None,
        }
    }

    /// Sets the threads of the mails in the file.
    pub fn hang_together(&mut self, all: &Arc<mail::Threads>) {
        if let Form::Mail { threads, .. } = &mut self.form {
            threads.clone_from(all);
        }
    }

    /// Returns the columns of a table, each with its field; empty for other files.
    pub fn columns(&self) -> Vec<(String, Option<&'static str>)> {
        match &self.form {
            Form::Table(plan) => {
                plan.headers.iter().enumerate().map(|(at, name)| (name.clone(), plan.field(at))).collect()
            }
            _ => Vec::new(),
        }
    }

    fn written(&self) -> Option<Written> {
        match &self.form {
            Form::Json { written, .. } | Form::Xml { written, .. } => Some(*written),
            Form::Table(plan) => Some(plan.written),
            Form::Page | Form::Mail { .. } => None,
        }
    }

    /// Returns the encoding of the file, unless it is UTF-8.
    pub fn encoding(&self) -> Option<&'static str> {
        self.written().and_then(Written::named)
    }

    /// Returns the notices that are known after the whole file was read.
    pub fn late_doubts(&self) -> Vec<String> {
        let words = match &self.form {
            Form::Json { known, .. } | Form::Xml { known, .. } => known.doubts(),
            _ => Vec::new(),
        };
        words.into_iter().chain(self.written().and_then(Written::doubt)).collect()
    }

    /// Returns whether it is a wiki page.
    pub fn is_page(&self) -> bool {
        matches!(self.form, Form::Page)
    }

    /// Returns the number of lines before the table.
    pub fn preamble(&self) -> usize {
        match &self.form {
            Form::Table(plan) => plan.preamble - usize::from(plan.declared && plan.preamble > 0),
            _ => 0,
        }
    }

    /// Calls `each` with every record and its place, or the reason why it is skipped, until it
    /// returns `false`. Returns whether the end was reached.
    ///
    /// # Errors
    /// A truncated or damaged file.
    pub fn read(
        &self,
        content: &Content,
        mut each: impl FnMut(String, std::result::Result<Chunk, String>) -> bool,
    ) -> Result<bool> {
        match &self.form {
            Form::Json { written, holder, .. } => {
                let stream = content.open()?;
                let stream: Box<dyn Read + Send> = match written.encoding == UTF_8 {
                    true => stream,
                    false => Box::new(Decoded::new(stream, written.encoding)),
                };
                let holders = holder.then_some(json::HOLDERS);
                let mut records = Records::over(&content.path, stream, content.counter(), holders);
                while let Some(slice) = records.read()? {
                    let place = format!("{}:{}", content.name, slice.position);
                    // The number of missing records is unknown, so this is an error and not a
                    // skipped record.
                    if let Err(why) = &slice.bytes
                        && matches!(why.as_str(), CUT_LIST | CUT_RECORD)
                    {
                        return Err(Error::invalid(format!("{place}: the file is truncated: {why}")).with_hint(
                            "Anything read before that is kept. Download the file again and repeat the import.",
                        ));
                    }
                    if !each(place, slice.bytes.map(|b| Chunk::Json(b, slice.position))) {
                        return Ok(false);
                    }
                }
            }
            Form::Xml { element, written, .. } => {
                let mut items = xml::Items::new(Decoded::new(content.open()?, written.encoding), element);
                for n in 1.. {
                    let item = items.read().map_err(|why| {
                        Error::invalid(format!(
                            "{}: the file is truncated or damaged: {why}",
                            content.path.display()
                        ))
                        .with_hint(
                            "Anything read before that is kept. Download the file again and repeat the import.",
                        )
                    })?;
                    let Some(item) = item else { break };
                    if !each(format!("{}:{n}", content.name), Ok(Chunk::Json(item, n))) {
                        return Ok(false);
                    }
                }
            }
            Form::Mail { mailbox, .. } => {
                return mail::each(content.open()?, *mailbox, |position, bytes| {
                    let at = mail::place(content, position);
                    each(format!("{}:{position}", content.name), Ok(Chunk::Mail(bytes, at)))
                })
                .map_err(|e| damaged(&content.path, &e));
            }
            Form::Page => {
                let mut bytes = Vec::new();
                let stream = content.open()?;
                stream
                    .take(wiki::MAX_PAGE)
                    .read_to_end(&mut bytes)
                    .map_err(|e| damaged(&content.path, &e))?;
                let written =
                    encoding::detect(bytes.as_slice(), true).map_err(|e| damaged(&content.path, &e))?;
                if written.encoding != UTF_8 {
                    let mut text = String::new();
                    Decoded::new(bytes.as_slice(), written.encoding)
                        .read_to_string(&mut text)
                        .map_err(|e| damaged(&content.path, &e))?;
                    bytes = text.into_bytes();
                }
                match wiki::page_of_folder(&content.place, bytes, wiki::modified(&content.path)) {
                    Ok(Some(page)) => {
                        let page = Box::new(Record::Document(Box::new(page)));
                        return Ok(each(content.name.clone(), Ok(Chunk::Page(page))));
                    }
                    Ok(None) => {}
                    Err(why) => return Ok(each(content.name.clone(), Err(why))),
                }
            }
            Form::Table(plan) => return read_rows(content, plan, each),
        }
        Ok(true)
    }

    /// Returns whether a record may name this project; fast, and wrong only by returning `true`.
    pub fn mentions(chunk: &Chunk, project: &regex::bytes::Regex) -> bool {
        match chunk {
            Chunk::Json(bytes, _) => project.is_match(bytes),
            Chunk::Row(row) => project.is_match(row.cells.as_slice().as_bytes()),
            Chunk::Mail(..) | Chunk::Page(_) => false,
        }
    }

    /// Parses a record.
    ///
    /// # Errors
    /// The reason why it is skipped.
    pub fn pieces(&self, chunk: Chunk) -> std::result::Result<Vec<Piece>, String> {
        match (chunk, &self.form) {
            (Chunk::Json(bytes, place), Form::Json { known, .. } | Form::Xml { known, .. }) => {
                json::pieces(&bytes, place, known)
            }
            (Chunk::Row(row), Form::Table(plan)) => rows::pieces(plan, &row),
            (Chunk::Mail(bytes, at), Form::Mail { threads, .. }) => mail::pieces(&bytes, &at, threads),
            (Chunk::Page(page), _) => Ok(vec![Piece::Record(*page)]),
            _ => Ok(Vec::new()),
        }
    }
}

fn read_rows(
    content: &Content,
    plan: &Plan,
    mut each: impl FnMut(String, std::result::Result<Chunk, String>) -> bool,
) -> Result<bool> {
    let mut reader = table::rows(content, plan)?;
    let mut cells = StringRecord::new();
    // The number cell and the title of the previous row's item.
    let mut last: Option<(String, String)> = None;
    let has_comments = !plan.columns("comments").is_empty();
    let mut place = 0;
    while reader.read_record(&mut cells).map_err(|e| table::unreadable(content, &e))? {
        place += 1;
        let name = format!("{}:{}", content.name, place + 1 + plan.preamble as u64);
        if cells.as_slice().len() > MAX_RECORD {
            if !each(name, Err("the row is too large; check for an unclosed quote".to_owned())) {
                return Ok(false);
            }
            continue;
        }
        let key = plan.cell(&cells, "number").map(str::to_owned);
        let title = plan.cell(&cells, "title").unwrap_or_default();
        // A row without a key, or with the previous row's key, continues its comments.
        let again = match (&key, &last) {
            (None, Some((key, _))) if has_comments && title.is_empty() => Some(key.clone()),
            (Some(key), Some((before, name)))
                if has_comments && key == before && (title.is_empty() || title == name) =>
            {
                Some(key.clone())
            }
            _ => None,
        };
        if let (None, Some(key)) = (&again, key) {
            last = Some((key, title.to_owned()));
        }
        let row = Row { place, cells: std::mem::take(&mut cells), again };
        if !each(name, Ok(Chunk::Row(row))) {
            return Ok(false);
        }
    }
    Ok(true)
}
