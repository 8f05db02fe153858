//! Tables: CSV and similar formats. A first pass over the file detects the columns of the fields,
//! the date order and unknown state words; a second pass reads the rows.

use std::{cmp::Ordering, collections::BTreeMap, io::Read};

use csv::StringRecord;

use super::{
    columns::{self, is_multi_column},
    content::Content,
    context,
    encoding::{self, Charset, Utf8Reader},
    guess::{ColumnStats, guess_fields},
    mapping::Mapping,
    names::normalize,
    quotes::QuoteTracker,
    states::{StateFields, StateWords, UnknownWords},
};
use crate::tracker::{
    dates::{self, DateColumn, Order},
    identity::parse_reference,
};
use precedent_core::error::{Error, Hint, Result};
use precedent_packing::damage_error;

const MAX_PREAMBLE: usize = 25;
/// The maximum number of columns; further ones are skipped with a notice.
const MAX_COLUMNS: usize = 4_096;
/// The number of rows from which columns are guessed.
const GUESS_ROWS: usize = 1000;
const DELIMITERS: &[u8] = b",;\t|";
const TIME_FIELDS: &[&str] = &["created", "updated", "closed", "comment date"];

/// The settings to read a table.
#[derive(Default)]
pub struct Plan {
    /// Tracker that wrote the table; empty if unknown.
    pub tracker: &'static str,
    pub charset: Charset,
    pub delimiter: u8,
    /// Number of rows before the header row, including the `sep=` row if `has_sep_row`.
    pub preamble: usize,
    /// `true` if the file declares its delimiter (`sep=;`).
    pub has_sep_row: bool,
    pub headers: Vec<String>,
    fields: Vec<(&'static str, Vec<usize>)>,
    orders: BTreeMap<usize, Order>,
    pub state_words: StateWords,
    /// Columns whose field is a guess from their contents.
    pub guesses: Vec<usize>,
    pub rows: u64,
    /// Notices about how the table is read.
    pub notices: Vec<Hint>,
}

impl Plan {
    fn add_notice(&mut self, text: impl Into<Hint>) {
        self.notices.push(text.into());
    }

    /// Creates the plan for a record outside a table, from its field names; `prose` lists the
    /// columns with prose and an unknown name.
    pub fn for_record(headers: Vec<String>, prose: &[usize], words: &StateWords) -> Self {
        let tracker = columns::tracker(&headers);
        let mut fields = columns::assign(&headers, tracker);
        add_columns(&mut fields, "body", prose);
        Self {
            tracker,
            fields,
            headers,
            state_words: words.for_tracker(tracker),
            rows: 1,
            ..Self::default()
        }
    }

    pub fn columns(&self, field: &str) -> &[usize] {
        self.fields.iter().find(|(f, _)| *f == field).map_or(&[], |(_, columns)| columns)
    }

    pub fn column(&self, field: &str) -> Option<usize> {
        self.columns(field).first().copied()
    }

    pub fn field(&self, column: usize) -> Option<&'static str> {
        self.fields.iter().find(|(_, columns)| columns.contains(&column)).map(|(field, _)| *field)
    }

    pub fn order(&self, column: usize) -> Order {
        self.orders.get(&column).copied().unwrap_or_default()
    }

    pub fn state<'a>(&'a self, row: &'a StringRecord, has_closing_time: bool) -> StateFields<'a> {
        StateFields {
            word: self.cell(row, "state"),
            category: self.cell(row, "category"),
            resolution: self.cell(row, "reason"),
            has_closing_time,
        }
    }

    /// Returns whether rows have numbers; otherwise they are numbered by position.
    pub fn is_numbered(&self) -> bool {
        self.column("number").is_some() || self.column("url").is_some()
    }

    /// Returns the non-empty cells of a field, trimmed, each with its column.
    pub fn cells<'a>(
        &'a self,
        row: &'a StringRecord,
        field: &str,
    ) -> impl Iterator<Item = (usize, &'a str)> {
        self.columns(field)
            .iter()
            .filter_map(|column| self.cell_text(row, *column).map(|text| (*column, text)))
    }

    /// Returns the trimmed text of a cell; `None` if it is empty.
    fn cell_text<'a>(&self, row: &'a StringRecord, column: usize) -> Option<&'a str> {
        let text = row.get(column)?.trim();
        // Zendesk views write an empty cell as a dash.
        let is_empty = text.is_empty() || (self.tracker == "Zendesk" && text == "-");
        (!is_empty).then_some(text)
    }

    /// Returns the first non-empty cell of a field.
    pub fn cell<'a>(&'a self, row: &'a StringRecord, field: &str) -> Option<&'a str> {
        self.cells(row, field).next().map(|(_, text)| text)
    }
}

fn add_columns(
    fields: &mut Vec<(&'static str, Vec<usize>)>,
    field: &'static str,
    new_columns: &[usize],
) {
    match fields.iter_mut().find(|(name, _)| *name == field) {
        Some((_, columns)) => columns.extend(new_columns),
        None if new_columns.is_empty() => {}
        None => fields.push((field, new_columns.to_vec())),
    }
}

/// Detects a table; `None` if the file is not one.
pub fn detect_plan(content: &Content, mapping: &Mapping) -> Result<Option<Plan>> {
    let path = &content.path;
    let charset = encoding::detect(content.open()?, true).map_err(|e| damage_error(path, &e))?;
    let mut start = Vec::new();
    let input = Utf8Reader::new(content.open()?, charset.encoding);
    input.take(128 * 1024).read_to_end(&mut start).map_err(|e| damage_error(path, &e))?;
    let start = String::from_utf8_lossy(&start);
    let Some((delimiter, preamble, headers)) = find_header(&start, mapping) else {
        return Ok(None);
    };
    let tracker = columns::tracker(&headers);
    let fields = assign_fields(&headers, tracker, mapping).map_err(|name| {
        Error::invalid(format!("{}: column \"{name}\" not found", path.display()))
            .with_hint(format!("Available columns: {}.", headers.join(", ")))
    })?;
    let state_words = mapping.words.for_tracker(tracker);
    let mut plan = Plan {
        tracker,
        charset,
        delimiter,
        preamble,
        has_sep_row: is_sep_row(start.trim_start_matches('\u{feff}')),
        headers,
        fields,
        state_words,
        ..Plan::default()
    };
    // A single column with an unknown name is plain text.
    if plan.fields.is_empty()
        && mapping.columns.is_empty()
        && plan.headers.iter().filter(|h| !h.is_empty()).count() < 2
    {
        return Ok(None);
    }
    let is_named = !plan.fields.is_empty();
    guess_columns(content, mapping, &mut plan)?;
    scan_rows(content, mapping, &mut plan)?;
    // Sentences with commas may look like a table.
    if !is_named && (plan.rows < 2 || plan.guesses.len() < 2) {
        plan.fields.clear();
    }
    if plan.column("title").is_none() {
        return Err(Error::invalid(format!("{}: no title column found", path.display()))
            .with_hint(format!(
                "Available columns: {}. Rename the one with the title to \"Title\", or choose it.",
                plan.headers.join(", ")
            ))
            .with_command(None, "--map title=COLUMN"));
    }
    if mapping.has_state_words
        && ["state", "category", "reason"].iter().all(|f| plan.column(f).is_none())
    {
        plan.add_notice(
            Hint::from("no state column found, so state words are not used and all items are open")
                .with_command(None, "--map state=COLUMN"),
        );
    }
    Ok(Some(plan))
}

/// Returns a reader of the rows after the header row.
pub fn open_rows(
    content: &Content,
    plan: &Plan,
) -> Result<csv::Reader<QuoteTracker<impl Read + use<>>>> {
    let input = Utf8Reader::new(content.open()?, plan.charset.encoding);
    let mut reader = csv_reader(QuoteTracker::new(input, plan.delimiter), plan.delimiter);
    for _ in 0..=plan.preamble {
        reader.read_record(&mut StringRecord::new()).map_err(|e| table_error(content, &e))?;
    }
    Ok(reader)
}

fn csv_reader<R: Read>(inner: R, delimiter: u8) -> csv::Reader<R> {
    csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .buffer_capacity(256 * 1024)
        .from_reader(inner)
}

pub fn table_error(content: &Content, error: &csv::Error) -> Error {
    match error.kind() {
        csv::ErrorKind::Io(e) => damage_error(&content.path, e),
        _ => Error::invalid(format!("{}: cannot read the table: {error}", content.path.display()))
            .with_hint("Anything read before that is kept. Check that the file is CSV."),
    }
}

/// Returns whether a table starts with its delimiter: `sep=;`.
fn is_sep_row(start: &str) -> bool {
    start.get(..4).is_some_and(|name| name.eq_ignore_ascii_case("sep="))
}

/// The delimiter of a table, the number of rows before the header, and the column names.
type Header = (u8, usize, Vec<String>);

/// Finds the delimiter and the header: the first full row of names, or the one with most known ones.
fn find_header(start: &str, mapping: &Mapping) -> Option<Header> {
    let is_mapped = |name: &str| {
        !name.trim().is_empty()
            && mapping.columns.iter().any(|(_, column)| normalize(column) == normalize(name))
    };
    let first = start.trim_start_matches('\u{feff}').get(..5);
    let separator = first.filter(|s| is_sep_row(s)).and_then(|s| s.as_bytes().last().copied());
    let mut best: Option<((bool, usize, usize), Header)> = None;
    for delimiter in DELIMITERS.iter().filter(|d| separator.is_none_or(|s| s == **d)) {
        let mut reader = csv_reader(start.as_bytes(), *delimiter);
        let rows: Vec<StringRecord> =
            reader.records().map_while(std::result::Result::ok).take(MAX_PREAMBLE).collect();
        let count_filled =
            |row: &StringRecord| row.iter().filter(|cell| !cell.trim().is_empty()).count();
        let widest = rows.iter().map(count_filled).max().unwrap_or(0);
        for (index, record) in rows.iter().enumerate().skip(usize::from(separator.is_some())) {
            let names = record.iter().take(MAX_COLUMNS);
            let known_count =
                names.filter(|name| columns::field(name).is_some() || is_mapped(name)).count();
            // The first full row of names is the header, unless a later one has more known names.
            let is_full_row =
                count_filled(record) * 5 >= widest * 4 && widest > 1 && is_header(record);
            let score = (is_full_row, known_count, count_filled(record));
            let is_better = best.as_ref().is_none_or(|(old, (best_delimiter, ..))| {
                match old.0 && best_delimiter == delimiter {
                    true => is_full_row && known_count > old.1 && known_count > 1,
                    false => score > *old,
                }
            });
            if is_better && (known_count > 0 || is_full_row || index == 0) {
                let headers = record.iter().take(MAX_COLUMNS);
                let headers = headers.map(|h| h.trim_matches(['\u{feff}', ' ']).trim().to_owned());
                best = Some((score, (*delimiter, index, headers.collect())));
            }
        }
    }
    best.map(|(_, header)| header).filter(|(_, _, h)| h.iter().any(|h| !h.is_empty()))
}

/// Returns whether a row may be the header: it has no times, addresses or numbers.
fn is_header(record: &StringRecord) -> bool {
    record.iter().map(|cell| cell.trim_start_matches('\u{feff}').trim()).all(|cell| {
        let is_value = cell.contains("://")
            || (cell.bytes().any(|b| b.is_ascii_digit())
                && dates::parse(cell, Order::default()).is_some())
            || (!cell.is_empty() && cell.bytes().all(|b| b.is_ascii_digit()));
        cell.len() < 200 && !is_value
    })
}

/// Returns the columns of each field, including the user's settings.
fn assign_fields(
    headers: &[String],
    tracker: &str,
    mapping: &Mapping,
) -> std::result::Result<Vec<(&'static str, Vec<usize>)>, String> {
    let mut fields = columns::assign(headers, tracker);
    // Exports of work item trees have a title column per level.
    if fields.iter().all(|(field, _)| *field != "title") {
        let is_level = |column: &usize| {
            let name = normalize(&headers[*column]);
            let level = name.strip_prefix("title ").unwrap_or_default();
            !level.is_empty() && level.bytes().all(|b| b.is_ascii_digit())
        };
        let levels: Vec<usize> = (0..headers.len()).filter(is_level).collect();
        add_columns(&mut fields, "title", &levels);
    }
    for (field, name) in &mapping.columns {
        // An empty name leaves the field out, even if a column has no name.
        let mut matching_columns: Vec<usize> = (0..headers.len())
            .filter(|column| !name.is_empty() && normalize(&headers[*column]) == normalize(name))
            .collect();
        if matching_columns.is_empty() && !name.is_empty() {
            return Err(name.clone());
        }
        if !is_multi_column(field) {
            matching_columns.truncate(1);
        }
        // The user's settings take precedence over the column names.
        for (existing_field, columns) in &mut fields {
            columns.retain(|column| !matching_columns.contains(column) || existing_field == field);
        }
        fields.retain(|(f, columns)| f != field && !columns.is_empty());
        add_columns(&mut fields, field, &matching_columns);
    }
    Ok(fields)
}

/// Guesses the fields of columns with unknown names from the first rows. A read error is left to
/// the scan of all rows.
fn guess_columns(content: &Content, mapping: &Mapping, plan: &mut Plan) -> Result<()> {
    let mut reader = open_rows(content, plan)?;
    let unknown = (0..plan.headers.len()).filter(|column| plan.field(*column).is_none());
    let mut contents: Vec<_> = unknown.map(|column| (column, ColumnStats::default())).collect();
    let mut record = StringRecord::new();
    for _ in 0..GUESS_ROWS {
        if !reader.read_record(&mut record).unwrap_or_default() {
            break;
        }
        for (index, column) in &mut contents {
            if let Some(text) = plan.cell_text(&record, *index) {
                column.add_cell(text, &plan.state_words);
            }
        }
    }
    // An empty column in --map omits the field.
    let is_missing = |field: &str| {
        plan.column(field).is_none() && mapping.columns.iter().all(|(name, _)| *name != field)
    };
    for (field, column) in guess_fields(&contents, is_missing) {
        add_columns(&mut plan.fields, field, &[column]);
        plan.guesses.push(column);
    }
    Ok(())
}

/// Scans all rows to complete the plan.
fn scan_rows(content: &Content, mapping: &Mapping, plan: &mut Plan) -> Result<()> {
    let mut reader = open_rows(content, plan)?;
    let times = TIME_FIELDS.iter().flat_map(|field| plan.columns(field));
    let mut dates: Vec<_> = times.map(|index| (*index, DateColumn::default())).collect();
    let mut comment_dates = DateColumn::default();
    let mut unknown_words = UnknownWords::default();
    let mut record = StringRecord::new();
    // The number of rows with too many cells, and the first of them.
    let (mut long_row_count, mut first_long_row) = (0_u64, 0);
    // The numbers of rows with an invalid and with a valid item number.
    let mut numbers = [0_u64; 2];
    loop {
        match reader.read_record(&mut record) {
            Ok(true) => plan.rows += 1,
            Ok(false) => break,
            Err(error) => {
                return Err(reader.get_ref().unclosed_line().map_or_else(
                    || table_error(content, &error),
                    |line| unclosed_quote_error(content, line),
                ));
            }
        }
        if record.iter().skip(plan.headers.len()).any(|cell| !cell.trim().is_empty()) {
            long_row_count += 1;
            first_long_row = if long_row_count == 1 { plan.rows } else { first_long_row };
        }
        for (index, column) in &mut dates {
            if let Some(text) = plan.cell_text(&record, *index) {
                column.add_cell(text);
            }
        }
        let comments = plan.cells(&record, "comments");
        comments
            .filter_map(|(_, text)| text.split_once(';'))
            .for_each(|(date, _)| comment_dates.add_cell(date));
        if let Some(key) = plan.cell(&record, "number") {
            numbers[usize::from(parse_reference(key).is_some())] += 1;
        }
        let state = plan.state(&record, plan.cell(&record, "closed").is_some());
        if plan.state_words.resolve(state).1 {
            unknown_words.count(state.word.unwrap_or_default());
        }
    }
    if let Some(line) = reader.get_ref().unclosed_line() {
        return Err(unclosed_quote_error(content, line));
    }
    detect_date_orders(mapping, plan, &dates, &comment_dates);
    plan.notices.extend(context::unknown_state_notices(&unknown_words, "row"));
    if long_row_count > 0 {
        plan.add_notice(format!(
            "{long_row_count} row{} more cells than there are columns (the first is row {first_long_row}): the extra cells are skipped; \
             a text with \"{}\" in it needs quotes",
            if long_row_count == 1 { " has" } else { "s have" },
            match plan.delimiter {
                b'\t' => "a tab".to_owned(),
                mark => char::from(mark).to_string(),
            }
        ));
    }
    match plan.charset.errors {
        0 => {}
        1 => plan.add_notice("1 character could not be decoded and was replaced by U+FFFD"),
        n => plan
            .add_notice(format!("{n} characters could not be decoded and were replaced by U+FFFD")),
    }
    // Most ids are not numbers, even if some end in digits.
    if numbers[0] > numbers[1] && mapping.columns.iter().all(|(field, _)| *field != "number") {
        plan.fields.retain(|(field, _)| *field != "number");
    }
    if !plan.is_numbered() {
        plan.add_notice("no number column found: rows are numbered by their position in the file");
    }
    Ok(())
}

fn unclosed_quote_error(content: &Content, line: u64) -> Error {
    Error::invalid(format!(
        "{}: the quote opened in line {line} is not closed",
        content.path.display()
    ))
    .with_hint(
        "Close it, or double it if it is part of the text; nothing was imported from the file.",
    )
}

/// Determines the date order of each column: the user's setting, or that of the cells, or that of
/// the other columns, or the default.
fn detect_date_orders(
    mapping: &Mapping,
    plan: &mut Plan,
    columns: &[(usize, DateColumn)],
    comments: &DateColumn,
) {
    let all_columns = columns.iter().map(|(_, column)| column).chain([comments]);
    let orders: Vec<Order> = all_columns.filter_map(DateColumn::detect_order).collect();
    let count = |order| orders.iter().filter(|o| **o == order).count();
    let majority = match count(Order::DayFirst).cmp(&count(Order::MonthFirst)) {
        Ordering::Greater => Some(Order::DayFirst),
        Ordering::Less => Some(Order::MonthFirst),
        Ordering::Equal => None,
    };
    // The user's setting does not apply to spreadsheet serial numbers.
    let decide = |column: &DateColumn| {
        let order = column.detect_order();
        order
            .filter(|o| *o == Order::Serial)
            .or(mapping.order)
            .or(order)
            .or(majority)
            .unwrap_or_default()
    };
    for (index, column) in columns {
        let order = decide(column);
        plan.orders.insert(*index, order);
        let name = plan.headers[*index].clone();
        if let Some(cell) =
            column.ambiguous_cell().filter(|_| mapping.order.is_none() && majority.is_none())
        {
            let text = format!(
                "{name}: {cell} is read as {}, but the date order is ambiguous",
                order.label()
            );
            let options = "--map dates=dmy or --map dates=mdy";
            plan.add_notice(Hint::from(text).with_command(None, options));
        }
        let n = column.contradicting_count(order);
        if n > 0 {
            let (dates, are) = if n == 1 { ("date does", "is") } else { ("dates do", "are") };
            let label = order.label();
            plan.add_notice(format!("{name}: {n} {dates} not match {label} and {are} skipped"));
        }
        for (text, n) in column.unparsable_cells() {
            let times = if n == 1 { String::new() } else { format!(" ({n} times)") };
            plan.add_notice(format!(
                "{name}: \"{text}\"{times} is not a recognized date and is skipped"
            ));
        }
    }
    if let Some(column) = plan.column("comments") {
        plan.orders.insert(column, decide(comments));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(text: String, settings: &[(&str, &str)]) -> Plan {
        let pairs = settings.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        let mapping = Mapping::parse(&pairs.collect::<Vec<_>>()).unwrap();
        detect_plan(&Content::built_in("a.csv", text.leak()), &mapping).unwrap().unwrap()
    }

    #[test]
    fn guessed_columns_have_an_order_and_notices() {
        let row = |n| format!("{n},Belt {n} squeals,{:02}/03/2025,open\n", n % 28 + 1);
        let rows: String = (1..1500).map(row).collect();
        let plan = plan(format!("Vorfall,Was,Wann,Lage\n{rows}9999,Lid sticks,,limbo\n"), &[]);
        assert_eq!((plan.columns("number"), plan.columns("created")), (&[0][..], &[2][..]));
        assert_eq!(plan.order(2), Order::DayFirst);
        assert!(plan.notices.iter().any(|n| n.text.contains("\"limbo\"")), "{:?}", plan.notices);
    }

    #[test]
    fn empty_setting_leaves_the_field_out() {
        let plan = plan("id,title,labels,\n1,a,b,c\n".to_owned(), &[("labels", "")]);
        assert!(plan.columns("labels").is_empty());
    }

    #[test]
    fn dates_that_contradict_the_setting_are_counted() {
        let text = "id,title,created\n1,a,5/21/2024\n2,b,5/22/2024\n";
        let plan = plan(text.to_owned(), &[("dates", "dmy")]);
        let notices: Vec<&str> = plan.notices.iter().map(|n| n.text.as_str()).collect();
        assert_eq!(notices, ["created: 2 dates do not match day/month and are skipped"]);
    }

    #[test]
    fn header_of_unknown_names_is_not_preamble() {
        for (text, expected_row, first) in [
            ("Vorfall,Was,Lage\n7,Belt squeals,Closed\n8,Lid sticks,Open\n", 0, "Vorfall"),
            ("issueNumber,issueTitle\n7,Closed\n", 0, "issueNumber"),
            ("Report of March\n\nKey,Summary,Status\nA-1,x,Open\n", 1, "Key"),
            ("Site A,,\nPrinted,2025-03-01,\nID,Title,State\n1,x,Open\n", 2, "ID"),
            ("sep=;\nFall;Bericht\n1;Es quietscht\n", 1, "Fall"),
        ] {
            let (_, row, headers) = find_header(text, &Mapping::default()).unwrap();
            assert_eq!((row, headers[0].as_str()), (expected_row, first), "{text}");
        }
    }
}
