//! Import of tracker export files; the content determines the format, not the file name.

mod chat;
mod columns;
pub mod content;
mod context;
mod encoding;
mod foreign;
mod guess;
pub mod json;
pub mod mail;
mod mapping;
mod names;
mod office;
mod pages;
mod piece;
mod prose;
mod quotes;
mod rows;
mod shape;
mod shapes;
mod states;
mod table;
mod unread;
mod xml;

use std::{
    io::{Cursor, Read},
    sync::Arc,
};

use csv::StringRecord;
use encoding_rs::UTF_8;
use serde_json::Value;

pub use content::Content;
use context::FileContext;
use encoding::{Charset, Utf8Reader};
pub use mapping::Mapping;
pub use piece::{Piece, Tie};
use rows::Row;
use shape::Shape;
use table::Plan;

use super::{
    identity,
    import::{CUT_LIST, CUT_RECORD, MAX_RECORD, Records, Slice},
    release, wiki,
};
use precedent_core::{
    error::{Error, Result},
    model::{DocumentRecord, Record},
};
use precedent_markup::message;
use precedent_packing::damage_error;

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
    Json { charset: Charset, holders: Vec<String>, context: FileContext },
    Table(Box<Plan>),
    Xml { element: String, charset: Charset, context: FileContext },
    Mail { mailbox: bool, threads: Arc<mail::Threads> },
    Pages(Vec<DocumentRecord>),
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
    if wiki::is_page(&content.name) {
        return Ok(Look::of("", "wiki page", Form::Pages(page_of(content)?)));
    }
    if message::is_mail(&start) {
        let line = start.split(|b| *b == b'\n').next().unwrap_or_default();
        let mailbox = message::is_divider(&String::from_utf8_lossy(line));
        let kind = if mailbox { "mailbox" } else { "mail" };
        return Ok(Look::of("", kind, Form::Mail { mailbox, threads: Arc::default() }));
    }
    // The first distinctive byte may come late; for a truncated file the start decides.
    let charset = match start.is_ascii() {
        true => encoding::detect(content.open()?, true)
            .or_else(|_| encoding::detect(start.as_slice(), false)),
        false => encoding::detect(start.as_slice(), false),
    };
    let charset = charset.map_err(|e| damage_error(&content.path, &e))?;
    let mut text = String::new();
    if Utf8Reader::new(start.as_slice(), charset.encoding).read_to_string(&mut text).is_err() {
        text.clear();
    }
    if text.trim_start().starts_with('<')
        && let Some(pages) = pages_of(content, charset, &text)?
    {
        return Ok(Look::of("", "Confluence page", Form::Pages(pages)));
    }
    match text.trim_start().chars().next() {
        Some('{' | '[') => json(content, mapping, charset, &text),
        Some('<') => match foreign::tracker_of_xml(&text) {
            Some((tracker, element)) => {
                let context = FileContext::new(mapping);
                Ok(Look::of(tracker, "XML", Form::Xml { element, charset, context }))
            }
            None => Err(foreign::markup(content, &text)),
        },
        Some(_) if foreign::is_no_text(&text) => Err(foreign::text(content, &text)),
        Some(_) => match table::look(content, mapping)? {
            Some(plan) if plan.rows == 0 => {
                Err(foreign::empty_file(content, "a table without rows"))
            }
            Some(mut plan) => {
                let kind = if plan.delimiter == b'\t' { "TSV" } else { "CSV" };
                let doubts = std::mem::take(&mut plan.doubts);
                let look = Look::of(plan.tracker, kind, Form::Table(Box::new(plan)));
                Ok(Look { doubts, ..look })
            }
            None => Err(foreign::text(content, &text)),
        },
        None => Err(foreign::empty_file(content, "an empty file")),
    }
}

/// Returns the page in a file, unless it is a part of every page.
fn page_of(content: &Content) -> Result<Vec<DocumentRecord>> {
    let damage = |e| damage_error(&content.path, &e);
    let mut bytes = Vec::new();
    content.open()?.take(wiki::MAX_PAGE).read_to_end(&mut bytes).map_err(damage)?;
    let charset = encoding::detect(bytes.as_slice(), true).map_err(damage)?;
    let mut text = String::new();
    Utf8Reader::new(bytes.as_slice(), charset.encoding)
        .read_to_string(&mut text)
        .map_err(damage)?;
    let facts = wiki::file_facts(&content.path);
    let page = match content.is_wiki {
        true => wiki::page_from(&content.name, text.into_bytes(), facts),
        false => wiki::page_of_folder(&content.place, text.into_bytes(), facts),
    };
    Ok(page.map_err(Error::invalid)?.into_iter().collect())
}

/// Returns the pages in a file of Confluence; `None` if it is another file.
fn pages_of(
    content: &Content,
    charset: Charset,
    start: &str,
) -> Result<Option<Vec<DocumentRecord>>> {
    if pages::is_space(start) {
        let pages = pages::of_space(stream(content, charset)?).map_err(|why| {
            Error::invalid(format!("{}: the file is truncated or damaged: {why}", content.path.display()))
                .with_hint(
                    "Export the space again; with access to it, run: precedent source add confluence:SPACE",
                )
        })?;
        return Ok(Some(pages));
    }
    let whole = || -> Result<String> {
        let mut text = String::new();
        let whole = stream(content, charset)?.take(wiki::MAX_PAGE).read_to_string(&mut text);
        whole.map_err(|e| damage_error(&content.path, &e))?;
        Ok(text)
    };
    Ok(match () {
        () if pages::is_storage(start) => Some(vec![pages::of_file(&content.name, &whole()?)]),
        () if start.contains("id=\"main-content\"") => {
            pages::of_html(&whole()?).map(|page| vec![page])
        }
        () => None,
    })
}

fn json(content: &Content, mapping: &Mapping, charset: Charset, text: &str) -> Result<Look> {
    let mut holders: Vec<String> = match json::is_holder(text.as_bytes()) {
        true => json::HOLDERS.iter().map(|name| (*name).to_owned()).collect(),
        false => Vec::new(),
    };
    let mut context = FileContext::new(mapping);
    let value =
        |slice: Slice| slice.bytes.ok().and_then(|b| serde_json::from_slice::<Value>(&b).ok());
    let mut first = records(content, Box::new(Cursor::new(text.as_bytes().to_vec())), &holders)
        .read()?
        .and_then(value);
    if first.is_none() && holders.is_empty() && text.len() >= START / 2 {
        first = records(content, stream(content, charset)?, &[]).read()?.and_then(value);
    }
    if let Some(error) = foreign::answer(content, text, first.as_ref(), !holders.is_empty()) {
        return Err(error);
    }
    let mut first = first.unwrap_or_default();
    if holders.is_empty() {
        holders = json::holders(&first);
        if !holders.is_empty() {
            context.unread(&json::without_lists(&first, &holders), &[]);
            let item =
                records(content, stream(content, charset)?, &holders).read()?.and_then(value);
            first = item.unwrap_or_default();
        }
    }
    if let Some(error) = people(content, charset, &first, mapping)? {
        return Err(error);
    }
    context.has_numbers =
        json::is_hub(first.to_string().as_bytes()) || shapes::is_numbered(&first, &context);
    let tracker = match () {
        () if json::is_hub(first.to_string().as_bytes()) || release::is_release(&first) => "GitHub",
        () if json::is_comments_of_bugs(text) => "Bugzilla",
        () => tracker_by_shape(&first),
    };
    if content.name == "merge_requests.ndjson" && shapes::is_merge_request(&first) {
        return Err(foreign::merge_requests(content));
    }
    let mut doubts = Vec::new();
    if text.contains("\"default_kind\"") {
        doubts.push(
            "comments in Bitbucket exports are separate from the items and are skipped".to_owned(),
        );
    }
    let address = ["self", "url"].iter().find_map(|n| first.get(n)?.as_str());
    let host =
        address.and_then(identity::host).filter(|_| !matches!(tracker, "GitHub" | "GitHub event"));
    let look = Look::of(tracker, "JSON", Form::Json { charset, holders, context });
    let namespace = host.map_or(look.namespace, str::to_owned);
    Ok(Look { namespace, doubts, ..look })
}

/// Adds the people in a list of users to the settings; returns the error that nothing else is in
/// it.
fn people(
    content: &Content,
    charset: Charset,
    first: &Value,
    mapping: &Mapping,
) -> Result<Option<Error>> {
    if chat::user(first).is_none() {
        return Ok(None);
    }
    let mut users = records(content, stream(content, charset)?, &[]);
    while let Some(slice) = users.read()? {
        let user = slice.bytes.ok().and_then(|b| serde_json::from_slice::<Value>(&b).ok());
        if let Some((id, name)) = user.as_ref().and_then(chat::user) {
            mapping.add_person(id, name);
        }
    }
    Ok(Some(foreign::people(content)))
}

/// Opens a file as UTF-8.
fn stream(content: &Content, charset: Charset) -> Result<Box<dyn Read + Send>> {
    let stream = content.open()?;
    Ok(match charset.encoding == UTF_8 {
        true => stream,
        false => Box::new(Utf8Reader::new(stream, charset.encoding)),
    })
}

/// Returns a reader of the records of a file.
fn records(content: &Content, stream: Box<dyn Read + Send>, holders: &[String]) -> Records {
    let holders = Some(holders.to_vec()).filter(|holders| !holders.is_empty());
    Records::over(&content.path, stream, content.counter(), holders)
}

/// Returns the tracker whose JSON records have these fields, if they are decisive.
fn tracker_by_shape(record: &Value) -> &'static str {
    let has = |name: &str| record.get(name).is_some();
    match () {
        () if has("payload") && has("repo") => "GitHub event",
        () if has("key") && has("fields") => "Jira",
        () if record["url"].as_str().is_some_and(|url| url.contains("/api/v2/tickets/")) => {
            "Zendesk"
        }
        () => {
            let headers = Shape::of(record).map(|shape| shape.names).unwrap_or_default();
            columns::tracker(&headers)
        }
    }
}

/// Returns the tracker of a stored item's raw record; empty if unknown.
pub fn tracker_of(raw: &[u8]) -> &'static str {
    let Ok(Value::Object(fields)) = serde_json::from_slice(raw) else { return "" };
    let is_cell = |v: &Value| match v {
        Value::Array(cells) => cells.iter().all(Value::is_string),
        value => value.is_string(),
    };
    // A table row is stored as its cells by column name.
    if fields.values().all(is_cell) {
        return columns::tracker(&fields.keys().cloned().collect::<Vec<_>>());
    }
    match json::is_hub(raw) {
        true => "GitHub",
        false => tracker_by_shape(&Value::Object(fields)),
    }
}

impl Look {
    fn of(tracker: &'static str, kind: &str, form: Form) -> Self {
        let namespace = match &form {
            Form::Pages(_) => "wiki".to_owned(),
            Form::Mail { .. } => "mail".to_owned(),
            _ if tracker.is_empty() => "files".to_owned(),
            _ => tracker.to_lowercase().replace(' ', "-"),
        };
        let kind = format!("{tracker} {kind}").trim_start().to_owned();
        Self { kind, tracker, namespace, doubts: Vec::new(), form }
    }

    /// Returns `None` unless the file contains mails; otherwise whether it is a mailbox of several.
    pub fn mailbox(&self) -> Option<bool> {
        match &self.form {
            Form::Mail { mailbox, .. } => Some(*mailbox),
            _ => None,
        }
    }

    /// Sets the threads of the mails in the file.
    pub fn hang_together(&mut self, mail_threads: &Arc<mail::Threads>) {
        if let Form::Mail { threads, .. } = &mut self.form {
            threads.clone_from(mail_threads);
        }
    }

    /// Returns the columns of a table, each with its field and whether that is a guess; empty for
    /// other files.
    pub fn columns(&self) -> Vec<(String, Option<&'static str>, bool)> {
        match &self.form {
            Form::Table(plan) => {
                let columns = plan.headers.iter().enumerate();
                columns
                    .map(|(at, name)| (name.clone(), plan.field(at), plan.guesses.contains(&at)))
                    .collect()
            }
            _ => Vec::new(),
        }
    }

    fn charset(&self) -> Option<Charset> {
        match &self.form {
            Form::Json { charset, .. } | Form::Xml { charset, .. } => Some(*charset),
            Form::Table(plan) => Some(plan.charset),
            Form::Pages(_) | Form::Mail { .. } => None,
        }
    }

    /// Returns the encoding of the file, unless it is UTF-8.
    pub fn encoding(&self) -> Option<&'static str> {
        self.charset().and_then(Charset::label)
    }

    /// Returns the fields of records that no item or comment uses, with their characters; without
    /// `include_all`, only those with prose.
    pub fn unused_fields(&self, include_all: bool) -> Vec<(String, u64)> {
        match &self.form {
            Form::Json { context, .. } | Form::Xml { context, .. } => {
                context.unused_fields(include_all)
            }
            _ => Vec::new(),
        }
    }

    /// Returns the notices that are known after the whole file was read.
    pub fn late_doubts(&self) -> Vec<String> {
        let words = match &self.form {
            Form::Json { context, .. } | Form::Xml { context, .. } => context.doubts(),
            _ => Vec::new(),
        };
        words.into_iter().chain(self.charset().and_then(Charset::doubt)).collect()
    }

    /// Returns whether it is a wiki page.
    pub fn is_page(&self) -> bool {
        matches!(self.form, Form::Pages(_))
    }

    /// Returns the number of lines before the table.
    pub fn preamble(&self) -> usize {
        match &self.form {
            Form::Table(plan) => plan.preamble - usize::from(plan.has_sep_row && plan.preamble > 0),
            _ => 0,
        }
    }

    /// Calls `visit` with every record and its place, or the reason why it is skipped, until it
    /// returns `false`. Returns whether the end was reached.
    ///
    /// # Errors
    /// A truncated or damaged file.
    pub fn read(
        &self,
        content: &Content,
        mut visit: impl FnMut(String, std::result::Result<Chunk, String>) -> bool,
    ) -> Result<bool> {
        match &self.form {
            Form::Json { charset, holders, .. } => {
                let mut records = records(content, stream(content, *charset)?, holders);
                while let Some(slice) = records.read()? {
                    let place = format!("{}:{}", content.name, slice.position);
                    // The number of missing records is unknown, so this is an error and not a
                    // skipped record.
                    if let Err(why) = &slice.bytes
                        && matches!(why.as_str(), CUT_LIST | CUT_RECORD)
                    {
                        return Err(truncation_error(format!(
                            "{place}: the file is truncated: {why}"
                        )));
                    }
                    if !visit(place, slice.bytes.map(|b| Chunk::Json(b, slice.position))) {
                        return Ok(false);
                    }
                }
            }
            Form::Xml { element, charset, .. } => {
                let mut items =
                    xml::Items::new(Utf8Reader::new(content.open()?, charset.encoding), element);
                for n in 1.. {
                    let item = items.next_item().map_err(|why| {
                        let path = content.path.display();
                        truncation_error(format!("{path}: the file is truncated or damaged: {why}"))
                    })?;
                    let Some(item) = item else { break };
                    if !visit(format!("{}:{n}", content.name), Ok(Chunk::Json(item, n))) {
                        return Ok(false);
                    }
                }
            }
            Form::Mail { mailbox, .. } => {
                return mail::visit(content.open()?, *mailbox, |position, bytes| {
                    let at = mail::place(content, position);
                    visit(format!("{}:{position}", content.name), Ok(Chunk::Mail(bytes, at)))
                })
                .map_err(|e| damage_error(&content.path, &e));
            }
            Form::Pages(pages) => {
                for page in pages {
                    let page = Chunk::Page(Box::new(page.clone().into()));
                    if !visit(content.name.clone(), Ok(page)) {
                        return Ok(false);
                    }
                }
            }
            Form::Table(plan) => return read_rows(content, plan, visit),
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
            (Chunk::Json(bytes, place), Form::Json { context, .. } | Form::Xml { context, .. }) => {
                json::pieces(&bytes, place, context)
            }
            (Chunk::Row(row), Form::Table(plan)) => rows::pieces(plan, &row),
            (Chunk::Mail(bytes, at), Form::Mail { threads, .. }) => {
                mail::pieces(&bytes, &at, threads)
            }
            (Chunk::Page(page), _) => Ok(with_releases(*page)),
            _ => Ok(Vec::new()),
        }
    }
}

fn truncation_error(message: String) -> Error {
    Error::invalid(message).with_hint(
        "Anything read before that is kept. Download the file again and repeat the import.",
    )
}

/// Returns a page, with its releases if it is a changelog.
fn with_releases(page: Record) -> Vec<Piece> {
    let releases = match &page {
        Record::Document(document) => release::of_changelog(&document.body),
        Record::Comment(_) => Vec::new(),
    };
    let releases = releases.into_iter().map(|release| Piece::Release(None, release));
    std::iter::once(Piece::Record(page)).chain(releases).collect()
}

fn read_rows(
    content: &Content,
    plan: &Plan,
    mut visit: impl FnMut(String, std::result::Result<Chunk, String>) -> bool,
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
            if !visit(name, Err("the row is too large; check for an unclosed quote".to_owned())) {
                return Ok(false);
            }
            continue;
        }
        let key = plan.cell(&cells, "number").map(str::to_owned);
        let title = plan.cell(&cells, "title").unwrap_or_default();
        // A row without a key, or with the previous row's key, continues its comments.
        let continued_key = match (&key, &last) {
            (None, Some((key, _))) if has_comments && title.is_empty() => Some(key.clone()),
            (Some(key), Some((previous_key, name)))
                if has_comments && key == previous_key && (title.is_empty() || title == name) =>
            {
                Some(key.clone())
            }
            _ => None,
        };
        if let (None, Some(key)) = (&continued_key, key) {
            last = Some((key, title.to_owned()));
        }
        let row = Row { place, cells: std::mem::take(&mut cells), continued_key };
        if !visit(name, Ok(Chunk::Row(row))) {
            return Ok(false);
        }
    }
    Ok(true)
}
