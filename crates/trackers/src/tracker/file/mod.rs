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
mod parsed_item;
mod prose;
mod quotes;
mod rows;
mod shape;
mod shapes;
mod states;
mod table;
mod unused;
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
pub(super) use parsed_item::title_or_first_line;
pub use parsed_item::{ItemRelation, ParseResult, ParsedItem};
use rows::Row;
use shape::Shape;
use table::Plan;

use super::{
    identity,
    import::{MAX_RECORD, RawSlice, Records, TRUNCATED_LIST, TRUNCATED_RECORD},
    release, wiki,
};
use precedent_core::{
    error::{Error, Hint, Remedy, Result},
    model::DocumentRecord,
};
use precedent_markup::message;
use precedent_packing::damage_error;

/// The number of bytes read to detect the format; the encoding may need the whole file.
const DETECTION_BYTES: usize = 256 * 1024;

/// The detected format of a file, and the settings to read it.
pub struct DetectedFormat {
    /// Readable name of the format: `Jira CSV`.
    pub kind: String,
    /// Tracker of the items; empty if unknown.
    pub tracker: &'static str,
    /// Namespace of project keys without an owner (`APP`), used if the caller names no source.
    pub namespace: String,
    /// Notices about how the file is read.
    pub notices: Vec<Hint>,
    form: Form,
}

enum Form {
    Json { charset: Charset, list_keys: Vec<String>, context: FileContext },
    Table(Box<Plan>),
    Xml { element: String, charset: Charset, context: FileContext },
    Mail { mailbox: bool, threads: Arc<mail::Threads> },
    Pages(Vec<DocumentRecord>),
}

/// A record in a file.
pub enum RawRecord {
    /// A JSON object, and its position among the records.
    Json(Vec<u8>, u64),
    /// A row of a table.
    Row(Row),
    /// An email, and its location.
    Mail(Vec<u8>, mail::MailLocation),
    /// A page of a wiki.
    Page(Box<DocumentRecord>),
}

impl RawRecord {
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
pub fn detect_format(content: &Content, mapping: &Mapping) -> Result<DetectedFormat> {
    let start = content.start(DETECTION_BYTES)?;
    if let Some(error) = foreign::signature_error(content, &start) {
        return Err(error);
    }
    if wiki::is_page(&content.name) {
        return Ok(DetectedFormat::new("", "wiki page", Form::Pages(read_wiki_page(content)?)));
    }
    if message::is_mail(&start) {
        let line = start.split(|b| *b == b'\n').next().unwrap_or_default();
        let mailbox = message::is_separator(&String::from_utf8_lossy(line));
        let kind = if mailbox { "mailbox" } else { "email" };
        return Ok(DetectedFormat::new("", kind, Form::Mail { mailbox, threads: Arc::default() }));
    }
    // The first non-ASCII byte may come late, so after an ASCII start, the whole file is read.
    // If the file is truncated, only its start is used.
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
        && let Some(pages) = read_confluence_pages(content, charset, &text)?
    {
        return Ok(DetectedFormat::new("", "Confluence page", Form::Pages(pages)));
    }
    match text.trim_start().chars().next() {
        Some('{' | '[') => detect_json(content, mapping, charset, &text),
        Some('<') => match foreign::tracker_of_xml(&text) {
            Some((tracker, element)) => {
                let context = FileContext::new(mapping);
                Ok(DetectedFormat::new(tracker, "XML", Form::Xml { element, charset, context }))
            }
            None => Err(foreign::markup_error(content, &text)),
        },
        Some(_) if foreign::is_binary(&text) => Err(foreign::text_error(content, &text)),
        Some(_) => match table::detect_plan(content, mapping)? {
            Some(plan) if plan.rows == 0 => {
                Err(foreign::empty_file_error(content, "a table without rows"))
            }
            Some(mut plan) => {
                let kind = match content.name.to_lowercase() {
                    name if name.ends_with(".xlsx") || name.contains(".xlsx: ") => "workbook",
                    _ if plan.delimiter == b'\t' => "TSV",
                    _ => "CSV",
                };
                let notices = std::mem::take(&mut plan.notices);
                let format = DetectedFormat::new(plan.tracker, kind, Form::Table(Box::new(plan)));
                Ok(DetectedFormat { notices, ..format })
            }
            None => Err(foreign::text_error(content, &text)),
        },
        None => Err(foreign::empty_file_error(content, "an empty file")),
    }
}

/// Returns the wiki page in a file; empty for `_Sidebar`, `_Header` and `_Footer`.
fn read_wiki_page(content: &Content) -> Result<Vec<DocumentRecord>> {
    let charset = encoding::detect(content.open()?.take(wiki::MAX_PAGE), true);
    let charset = charset.map_err(|e| damage_error(&content.path, &e))?;
    let text = read_text(content, charset)?;
    let metadata = wiki::file_metadata(&content.path);
    let page = match content.is_wiki {
        true => wiki::parse_page(&content.name, text.into_bytes(), metadata),
        false => wiki::parse_folder_page(&content.relative_path, text.into_bytes(), metadata),
    };
    Ok(page.map_err(Error::invalid)?.into_iter().collect())
}

/// Returns the decoded text of a page.
fn read_text(content: &Content, charset: Charset) -> Result<String> {
    let mut text = String::new();
    let start = content.open()?.take(wiki::MAX_PAGE);
    let result = Utf8Reader::new(start, charset.encoding).read_to_string(&mut text);
    result.map_err(|e| damage_error(&content.path, &e))?;
    Ok(text)
}

/// Returns the pages in a Confluence file; `None` for any other file.
fn read_confluence_pages(
    content: &Content,
    charset: Charset,
    start: &str,
) -> Result<Option<Vec<DocumentRecord>>> {
    if pages::is_space_export(start) {
        let pages = pages::parse_space(stream(content, charset)?).map_err(|reason| {
            Error::invalid(format!(
                "{}: the file is truncated or damaged: {reason}",
                content.path.display()
            ))
            .with_hint("Export the space again; with access to it, add it as a live source.")
            .with_command(Remedy::Add, "precedent source add confluence:SPACE")
        })?;
        return Ok(Some(pages));
    }
    Ok(match () {
        () if pages::is_storage_format(start) => {
            Some(vec![pages::parse_file(&content.name, &read_text(content, charset)?)])
        }
        () if start.contains("id=\"main-content\"") => {
            pages::parse_html(&read_text(content, charset)?).map(|page| vec![page])
        }
        () => None,
    })
}

fn detect_json(
    content: &Content,
    mapping: &Mapping,
    charset: Charset,
    text: &str,
) -> Result<DetectedFormat> {
    let mut list_keys: Vec<String> = match json::has_list_key(text.as_bytes()) {
        true => json::LIST_KEYS.iter().map(|name| (*name).to_owned()).collect(),
        false => Vec::new(),
    };
    let mut context = FileContext::new(mapping);
    let read_first = |stream, list_keys: &[String]| -> Result<Option<Value>> {
        let slice = records(content, stream, list_keys).read()?;
        Ok(slice.and_then(parse_slice))
    };
    let mut first = read_first(Box::new(Cursor::new(text.as_bytes().to_vec())), &list_keys)?;
    if first.is_none() && list_keys.is_empty() && text.len() >= DETECTION_BYTES / 2 {
        first = read_first(stream(content, charset)?, &[])?;
    }
    if let Some(error) =
        foreign::api_response_error(content, text, first.as_ref(), !list_keys.is_empty())
    {
        return Err(error);
    }
    let mut first = first.unwrap_or_default();
    if list_keys.is_empty() {
        list_keys = json::list_keys(&first);
        if !list_keys.is_empty() {
            context.count_unused(&json::without_lists(&first, &list_keys), &[]);
            first = read_first(stream(content, charset)?, &list_keys)?.unwrap_or_default();
        }
    }
    if let Some(error) = register_users(content, charset, &first, mapping)? {
        return Err(error);
    }
    let is_github = json::is_github_record(first.to_string().as_bytes());
    context.has_item_numbers = is_github || shapes::is_numbered(&first, &context);
    let tracker = match () {
        () if is_github || release::is_release(&first) => "GitHub",
        () if json::COMMENTS_OF_BUGS.is_match(text) => "Bugzilla",
        () => tracker_by_shape(&first),
    };
    if content.name == "merge_requests.ndjson" && shapes::is_merge_request(&first) {
        return Err(foreign::merge_requests_error(content));
    }
    let mut notices = Vec::new();
    if text.contains("\"default_kind\"") {
        notices.push(
            "comments in Bitbucket exports are separate from the items and are skipped".into(),
        );
    }
    let address = ["self", "url"].iter().find_map(|n| first.get(n)?.as_str());
    let host =
        address.and_then(identity::host).filter(|_| !matches!(tracker, "GitHub" | "GitHub event"));
    let format = DetectedFormat::new(tracker, "JSON", Form::Json { charset, list_keys, context });
    let namespace = host.map_or(format.namespace, str::to_owned);
    Ok(DetectedFormat { namespace, notices, ..format })
}

/// Adds the names from a user list to the mapping. Returns an error if the file is a user list,
/// since it has no items.
fn register_users(
    content: &Content,
    charset: Charset,
    first: &Value,
    mapping: &Mapping,
) -> Result<Option<Error>> {
    if chat::parse_user(first).is_none() {
        return Ok(None);
    }
    let mut users = records(content, stream(content, charset)?, &[]);
    while let Some(slice) = users.read()? {
        if let Some((id, name)) = parse_slice(slice).as_ref().and_then(chat::parse_user) {
            mapping.add_person(id, name);
        }
    }
    Ok(Some(foreign::user_list_error(content)))
}

fn parse_slice(slice: RawSlice) -> Option<Value> {
    serde_json::from_slice(&slice.bytes.ok()?).ok()
}

fn stream(content: &Content, charset: Charset) -> Result<Box<dyn Read + Send>> {
    let stream = content.open()?;
    Ok(match charset.encoding == UTF_8 {
        true => stream,
        false => Box::new(Utf8Reader::new(stream, charset.encoding)),
    })
}

fn records(content: &Content, stream: Box<dyn Read + Send>, list_keys: &[String]) -> Records {
    let list_keys = (!list_keys.is_empty()).then(|| list_keys.to_vec());
    Records::from_stream(&content.path, stream, content.counter(), list_keys)
}

/// Returns the tracker that a record's fields identify; empty if none.
fn tracker_by_shape(record: &Value) -> &'static str {
    let has = |name: &str| record.get(name).is_some();
    match () {
        () if has("payload") && has("repo") => "GitHub event",
        () if has("key") && has("fields") => "Jira",
        () if record["url"].as_str().is_some_and(|url| url.contains("/api/v2/tickets/")) => {
            "Zendesk"
        }
        () => {
            let headers = Shape::new(record).map(|shape| shape.names).unwrap_or_default();
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
    match () {
        // A table row is stored as its cells by column name.
        () if fields.values().all(is_cell) => {
            columns::tracker(&fields.keys().cloned().collect::<Vec<_>>())
        }
        () if json::is_github_record(raw) => "GitHub",
        () => tracker_by_shape(&Value::Object(fields)),
    }
}

impl DetectedFormat {
    fn new(tracker: &'static str, kind: &str, form: Form) -> Self {
        let namespace = match &form {
            Form::Pages(_) => "wiki".to_owned(),
            Form::Mail { .. } => "mail".to_owned(),
            _ if tracker.is_empty() => "files".to_owned(),
            _ => tracker.to_lowercase().replace(' ', "-"),
        };
        let kind = format!("{tracker} {kind}").trim_start().to_owned();
        Self { kind, tracker, namespace, notices: Vec::new(), form }
    }

    /// Returns `true` for a mailbox and `false` for a single email; `None` for any other file.
    pub fn mailbox(&self) -> Option<bool> {
        match &self.form {
            Form::Mail { mailbox, .. } => Some(*mailbox),
            _ => None,
        }
    }

    /// Sets the threads of the emails in the file.
    pub fn set_threads(&mut self, mail_threads: &Arc<mail::Threads>) {
        if let Form::Mail { threads, .. } = &mut self.form {
            threads.clone_from(mail_threads);
        }
    }

    /// Returns a table's columns with their fields and whether each field was guessed; empty if the
    /// file is not a table.
    pub fn columns(&self) -> Vec<(String, Option<&'static str>, bool)> {
        let Form::Table(plan) = &self.form else { return Vec::new() };
        let columns = plan.headers.iter().enumerate();
        columns
            .map(|(index, name)| (name.clone(), plan.field(index), plan.guesses.contains(&index)))
            .collect()
    }

    fn context(&self) -> Option<&FileContext> {
        match &self.form {
            Form::Json { context, .. } | Form::Xml { context, .. } => Some(context),
            _ => None,
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

    /// Returns the record fields that no item or comment uses, with their sizes in characters;
    /// without `include_all`, only prose.
    pub fn unused_fields(&self, include_all: bool) -> Vec<(String, u64)> {
        self.context().map(|context| context.unused_fields(include_all)).unwrap_or_default()
    }

    /// Returns the notices that are known only after the whole file has been read.
    pub fn notices_after_read(&self) -> Vec<Hint> {
        let notices = self.context().map(FileContext::notices).unwrap_or_default();
        notices.into_iter().chain(self.charset().and_then(Charset::notice)).collect()
    }

    /// Returns whether the file is a wiki page.
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

    /// Calls `visit` with each record or skip reason and its location, until `visit` returns
    /// `false`. Returns whether the end was reached.
    ///
    /// # Errors
    /// An error if the file is truncated or damaged.
    pub fn read(
        &self,
        content: &Content,
        mut visit: impl FnMut(String, std::result::Result<RawRecord, String>) -> bool,
    ) -> Result<bool> {
        match &self.form {
            Form::Json { charset, list_keys, .. } => {
                let mut records = records(content, stream(content, *charset)?, list_keys);
                while let Some(slice) = records.read()? {
                    let location = format!("{}:{}", content.name, slice.position);
                    // The number of missing records is unknown, so this is an error and not a
                    // skipped record.
                    if let Err(reason) = &slice.bytes
                        && matches!(reason.as_str(), TRUNCATED_LIST | TRUNCATED_RECORD)
                    {
                        let message = format!("{location}: the file is truncated");
                        return Err(truncation_error(&message, reason));
                    }
                    if !visit(location, slice.bytes.map(|b| RawRecord::Json(b, slice.position))) {
                        return Ok(false);
                    }
                }
            }
            Form::Xml { element, charset, .. } => {
                let mut items =
                    xml::XmlItems::new(Utf8Reader::new(content.open()?, charset.encoding), element);
                for n in 1.. {
                    let item = items.next_item().map_err(|reason| {
                        let path = content.path.display();
                        truncation_error(
                            &format!("{path}: the file is truncated or damaged"),
                            &reason,
                        )
                    })?;
                    let Some(item) = item else { break };
                    if !visit(format!("{}:{n}", content.name), Ok(RawRecord::Json(item, n))) {
                        return Ok(false);
                    }
                }
            }
            Form::Mail { mailbox, .. } => {
                return mail::visit(content.open()?, *mailbox, |position, bytes| {
                    let location = mail::location(content, position);
                    visit(
                        format!("{}:{position}", content.name),
                        Ok(RawRecord::Mail(bytes, location)),
                    )
                })
                .map_err(|e| damage_error(&content.path, &e));
            }
            Form::Pages(pages) => {
                let mut pages = pages.iter().map(|page| RawRecord::Page(Box::new(page.clone())));
                return Ok(pages.all(|page| visit(content.name.clone(), Ok(page))));
            }
            Form::Table(plan) => return read_rows(content, plan, visit),
        }
        Ok(true)
    }

    /// Returns whether a record may mention the project; may return false positives, never false
    /// negatives.
    pub fn mentions(record: &RawRecord, project: &regex::bytes::Regex) -> bool {
        match record {
            RawRecord::Json(bytes, _) => project.is_match(bytes),
            RawRecord::Row(row) => project.is_match(row.cells.as_slice().as_bytes()),
            RawRecord::Mail(..) | RawRecord::Page(_) => false,
        }
    }

    /// Parses a record.
    ///
    /// # Errors
    /// Returns the reason if the record must be skipped.
    pub fn parse(&self, record: RawRecord) -> ParseResult {
        match (record, &self.form) {
            (
                RawRecord::Json(bytes, position),
                Form::Json { context, .. } | Form::Xml { context, .. },
            ) => json::parse_record(&bytes, position, context),
            (RawRecord::Row(row), Form::Table(plan)) => rows::parse_row(plan, &row),
            (RawRecord::Mail(bytes, location), Form::Mail { threads, .. }) => {
                mail::parse_email(&bytes, &location, threads)
            }
            (RawRecord::Page(page), _) => Ok(page_items(*page)),
            _ => Ok(Vec::new()),
        }
    }
}

fn truncation_error(message: &str, reason: &str) -> Error {
    Error::invalid(format!("{message}: {reason}")).with_hint(
        "Download the file again, then import it again. Everything before the damage was read.",
    )
}

/// Returns a page, with its releases if it is a changelog.
fn page_items(page: DocumentRecord) -> Vec<ParsedItem> {
    let releases = release::parse_changelog(&page.body).into_iter();
    let releases: Vec<_> = releases.map(|release| ParsedItem::Release(None, release)).collect();
    std::iter::once(ParsedItem::Record(page.into())).chain(releases).collect()
}

fn read_rows(
    content: &Content,
    plan: &Plan,
    mut visit: impl FnMut(String, std::result::Result<RawRecord, String>) -> bool,
) -> Result<bool> {
    let mut reader = table::open_rows(content, plan)?;
    let mut cells = StringRecord::new();
    // The number cell and the title of the last item.
    let mut last_item: Option<(String, String)> = None;
    let has_comments = !plan.columns("comments").is_empty();
    let mut row_number = 0;
    while reader.read_record(&mut cells).map_err(|e| table::table_error(content, &e))? {
        row_number += 1;
        let location = format!("{}:{}", content.name, row_number + 1 + plan.preamble as u64);
        if cells.as_slice().len() > MAX_RECORD {
            if !visit(location, Err("the row is too large; check for an unclosed quote".to_owned()))
            {
                return Ok(false);
            }
            continue;
        }
        let key = plan.cell(&cells, "number").map(str::to_owned);
        let title = plan.cell(&cells, "title").unwrap_or_default();
        // A row without a key, or with the same key, only adds comments to the previous row's item.
        let continues = |(last_key, name): &&(String, String)| {
            has_comments
                && key.as_ref().is_none_or(|key| key == last_key)
                && (title.is_empty() || key.is_some() && title == name)
        };
        let continued_key = last_item.as_ref().filter(continues).map(|(key, _)| key.clone());
        if let (None, Some(key)) = (&continued_key, key) {
            last_item = Some((key, title.to_owned()));
        }
        let row = Row { position: row_number, cells: std::mem::take(&mut cells), continued_key };
        if !visit(location, Ok(RawRecord::Row(row))) {
            return Ok(false);
        }
    }
    Ok(true)
}
