//! Tables: CSV as trackers and spreadsheets export it, with a column for each field.

use std::{collections::HashMap, fs::File, path::Path};

use jiff::{Timestamp, civil::DateTime, tz::TimeZone};

use super::import::MAX_RECORD;
use precedent_core::{
    error::{Code, Error, Result},
    model::{Author, DocKind, DocumentRecord, Raw, State},
};

/// The largest table, in bytes: a quote that is never closed is read to the end of the file.
const MAX_TABLE: u64 = 1 << 30;

/// The fields that a column can give, each with the names that such columns usually have.
const FIELDS: &[(&str, &[&str])] = &[
    ("number", &["number", "id", "#", "key", "issue key", "issue id", "issue", "ticket", "ticket id", "nr"]),
    ("title", &["title", "summary", "subject", "name"]),
    ("body", &["body", "description", "text", "details"]),
    ("state", &["state", "status"]),
    ("reason", &["reason", "state reason", "resolution"]),
    ("author", &["author", "reporter", "creator", "created by", "opened by", "user"]),
    ("labels", &["labels", "tags", "label", "components", "category"]),
    ("milestone", &["milestone", "version", "fix version", "target version"]),
    ("created", &["created", "created at", "created_at", "created on", "opened", "date"]),
    ("updated", &["updated", "updated at", "updated_at", "updated on", "changed", "modified"]),
    ("closed", &["closed", "closed at", "closed_at", "closed on", "resolved"]),
    ("url", &["url", "link", "web url"]),
];

/// Words that mean that nothing is left to do.
const CLOSED: &[&str] = &[
    "closed",
    "done",
    "resolved",
    "fixed",
    "rejected",
    "wontfix",
    "won't fix",
    "invalid",
    "duplicate",
    "completed",
    "cancelled",
];

/// A table that is being read.
pub struct Table {
    reader: csv::Reader<File>,
    columns: HashMap<&'static str, usize>,
    headers: Vec<String>,
    row: u64,
}

impl Table {
    /// Opens a table. `mapping` says which column gives a field where its name does not: `title=Headline`; an empty name
    /// leaves the field out.
    ///
    /// # Errors
    /// [`Code::NotFound`], [`Code::Io`]; [`Code::InvalidInput`] if columns are named that are not there, or none gives the
    /// number and the title.
    pub fn open(path: &Path, mapping: &[(String, String)]) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io(path, e))?;
        let size = file.metadata().map_err(|e| Error::io(path, e))?.len();
        if size > MAX_TABLE {
            return Err(Error::invalid(format!("{}: the table is larger than 1 GB", path.display()))
                .with_hint("Cut it into several and import them one after the other."));
        }
        let delimiter = delimiter(path)?;
        let mut reader = csv::ReaderBuilder::new().delimiter(delimiter).flexible(true).from_reader(file);
        let headers = reader.headers().map_err(|e| damaged(path, &e))?;
        let headers: Vec<String> =
            headers.iter().map(|h| h.trim_start_matches('\u{feff}').trim().to_owned()).collect();
        let find = |name: &str| headers.iter().position(|h| h.eq_ignore_ascii_case(name));
        let mut columns = HashMap::new();
        for (field, names) in FIELDS {
            columns.extend(names.iter().find_map(|n| find(n)).map(|at| (*field, at)));
        }
        for (field, name) in mapping {
            let Some((field, _)) = FIELDS.iter().find(|(f, _)| f == field) else {
                let known: Vec<&str> = FIELDS.iter().map(|f| f.0).collect();
                return Err(Error::invalid(format!("there is no field \"{field}\""))
                    .with_hint(format!("There are: {}.", known.join(", "))));
            };
            if name.is_empty() {
                columns.remove(field);
                continue;
            }
            let at = find(name).ok_or_else(|| {
                Error::invalid(format!("{}: there is no column \"{name}\"", path.display()))
                    .with_hint(format!("There are: {}.", headers.join(", ")))
            })?;
            columns.insert(*field, at);
        }
        for field in ["number", "title"] {
            if !columns.contains_key(field) {
                return Err(Error::invalid(format!("{}: no column gives the {field}", path.display()))
                    .with_hint(format!(
                        "Say which one does: --map {field}=COLUMN. There are: {}.",
                        headers.join(", ")
                    )));
            }
        }
        Ok(Self { reader, columns, headers, row: 1 })
    }

    /// The next row with its number in the file, or why it cannot be used; `None` at the end.
    ///
    /// # Errors
    /// [`Code::InvalidInput`] if the file cannot be read further.
    pub fn read(
        &mut self,
        path: &Path,
    ) -> Result<Option<(u64, std::result::Result<DocumentRecord, String>)>> {
        let mut bytes = csv::ByteRecord::new();
        if !self.reader.read_byte_record(&mut bytes).map_err(|e| damaged(path, &e))? {
            return Ok(None);
        }
        self.row += 1;
        if bytes.as_slice().len() > MAX_RECORD {
            return Ok(Some((self.row, Err("the row is too large; is a quote not closed?".to_owned()))));
        }
        let row = csv::StringRecord::from_byte_record(bytes).map_err(|_| "invalid UTF-8".to_owned());
        Ok(Some((self.row, row.and_then(|row| self.record(&row)))))
    }

    fn record(&self, row: &csv::StringRecord) -> Result<DocumentRecord, String> {
        let get = |field: &str| {
            let text = row.get(*self.columns.get(field)?)?.replace('\0', "");
            let text = text.trim();
            (!text.is_empty()).then(|| text.to_owned())
        };
        let when = |field: &str| match get(field) {
            None => Ok(None),
            Some(text) => time(&text).map(Some).ok_or_else(|| {
                format!(
                    "{field}: \"{}\" is no time that is known here",
                    text.chars().take(40).collect::<String>()
                )
            }),
        };
        let key = get("number").ok_or("no number")?;
        // "APP-12", "#12" and "12" are the same.
        let digits = key
            .rfind(|c: char| !c.is_ascii_digit())
            .map_or(0, |at| at + key[at..].chars().next().map_or(1, char::len_utf8));
        let number: u32 = key[digits..].parse().map_err(|_| {
            format!("\"{}\" does not end in a number", key.chars().take(40).collect::<String>())
        })?;
        if number == 0 {
            return Err("item numbers begin at 1".to_owned());
        }
        // A column "resolved" may hold a yes.
        let closed_at = when("closed")?;
        let state = get("state").map(|s| s.to_lowercase());
        let closed = match &state {
            Some(state) => CLOSED.contains(&state.as_str()),
            None => closed_at.is_some(),
        };
        let pairs: serde_json::Map<String, serde_json::Value> =
            self.headers.iter().zip(row.iter()).map(|(h, v)| (h.clone(), v.into())).collect();
        let labels = get("labels").unwrap_or_default();
        let created_at = when("created")?;
        Ok(DocumentRecord {
            repository: None,
            kind: DocKind::Issue,
            number: Some(u64::from(number)),
            slug: None,
            remote_id: None,
            title: get("title").ok_or("no title")?,
            body: get("body").unwrap_or_default(),
            url: get("url").filter(|u| u.starts_with("http://") || u.starts_with("https://")),
            state: Some(if closed { State::Closed } else { State::Open }),
            state_reason: get("reason").or_else(|| get("state")),
            author: Author { login: get("author"), ..Author::default() },
            labels: labels
                .split([',', ';', '|'])
                .map(str::trim)
                .filter(|l| !l.is_empty())
                .map(str::to_owned)
                .collect(),
            milestone: get("milestone"),
            locked: false,
            comment_count: 0,
            created_at,
            updated_at: when("updated")?.or(closed_at).or(created_at),
            closed_at: closed_at.filter(|_| closed),
            merged_at: None,
            raw: Raw::new(serde_json::Value::Object(pairs).to_string().into_bytes()),
        })
    }
}

/// What the columns are divided by: the most common of these in the first line.
fn delimiter(path: &Path) -> Result<u8> {
    use std::io::Read as _;
    let mut start = Vec::new();
    let file = File::open(path).map_err(|e| Error::io(path, e))?;
    file.take(64 * 1024).read_to_end(&mut start).map_err(|e| Error::io(path, e))?;
    let line = start.split(|b| *b == b'\n').next().unwrap_or_default();
    let count = |d: &u8| line.iter().filter(|b| *b == d).count();
    Ok(*b",;\t".iter().max_by_key(|d| (count(d), **d == b',')).unwrap_or(&b','))
}

fn damaged(path: &Path, error: &csv::Error) -> Error {
    Error::new(Code::InvalidInput, format!("{}: the table cannot be read: {error}", path.display()))
        .with_hint("What was read before is kept. Is it CSV, in UTF-8?")
}

/// A time in one of the forms that trackers export; without a zone it is taken as UTC.
fn time(text: &str) -> Option<Timestamp> {
    if let Ok(time) = text.parse::<Timestamp>() {
        return Some(time);
    }
    let civil = |t: DateTime| t.to_zoned(TimeZone::UTC).ok().map(|z| z.timestamp());
    if let Ok(time) = text.parse::<DateTime>() {
        return civil(time);
    }
    if let Ok(date) = text.parse::<jiff::civil::Date>() {
        return civil(date.to_datetime(jiff::civil::Time::midnight()));
    }
    let forms = [
        "%Y-%m-%d %H:%M",
        "%Y/%m/%d %H:%M:%S",
        "%Y/%m/%d %H:%M",
        "%d/%b/%y %I:%M %p",
        "%d/%b/%Y %I:%M %p",
        "%d.%m.%Y %H:%M",
        "%m/%d/%Y %I:%M %p",
        "%m/%d/%Y %H:%M",
    ];
    if let Some(time) = forms.iter().find_map(|form| DateTime::strptime(form, text).ok()) {
        return civil(time);
    }
    let days = ["%Y/%m/%d", "%d/%b/%y", "%d.%m.%Y", "%m/%d/%Y"];
    let date = days.iter().find_map(|form| jiff::civil::Date::strptime(form, text).ok())?;
    civil(date.to_datetime(jiff::civil::Time::midnight()))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn read(
        text: &str,
        mapping: &[(&str, &str)],
    ) -> Result<Vec<std::result::Result<DocumentRecord, String>>> {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(text.as_bytes()).unwrap();
        let mapping: Vec<_> = mapping.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let mut table = Table::open(file.path(), &mapping)?;
        let mut out = Vec::new();
        while let Some((_, row)) = table.read(file.path())? {
            out.push(row);
        }
        Ok(out)
    }

    #[test]
    fn usual_names_are_known_and_others_can_be_told() {
        let rows = read(
            "\u{feff}Issue key,Summary,Status,Labels,Created,Description\nAPP-12,\"Leaks, badly\",Done,\"a, b\",02/Jan/24 3:04 AM,\"two\nlines\"\nAPP-x,y,Open,,,\n",
            &[],
        )
        .unwrap();
        let row = rows[0].as_ref().unwrap();
        assert_eq!(
            (row.number, row.title.as_str(), row.body.as_str()),
            (Some(12), "Leaks, badly", "two\nlines")
        );
        assert_eq!((row.state, row.labels.len()), (Some(State::Closed), 2));
        assert_eq!(row.created_at.unwrap().to_string(), "2024-01-02T03:04:00Z");
        assert!(rows[1].as_ref().unwrap_err().contains("does not end in a number"));

        let rows = read("Nummer;Titel\n7;Tropft\n", &[("number", "Nummer"), ("title", "titel")]).unwrap();
        assert_eq!(rows[0].as_ref().unwrap().number, Some(7));
        let error = read("Nummer;Titel\n7;Tropft\n", &[("number", "Nummer")]).unwrap_err();
        assert!(
            error.hint().unwrap().contains("--map title=COLUMN") && error.hint().unwrap().contains("Titel")
        );
        let rows = read("id,title\n1,\0\n", &[]).unwrap();
        assert_eq!(rows[0].as_ref().unwrap_err(), "no title");
        assert!(read("id,title\n", &[("colour", "id")]).is_err());
        assert!(read("id,title\n", &[("body", "nowhere")]).is_err());
    }

    #[test]
    fn a_time_that_is_none_is_told_and_can_be_left_out() {
        let text = "id,title,created\n1,x,yesterday\n";
        assert!(read(text, &[]).unwrap()[0].as_ref().unwrap_err().contains("\"yesterday\" is no time"));
        assert!(read(text, &[("created", "")]).unwrap()[0].is_ok());
        for good in
            ["2024-01-02", "2024-01-02 03:04", "2024-01-02T03:04:05+02:00", "02.01.2024 03:04", "1/2/2024"]
        {
            assert!(time(good).is_some(), "{good}");
        }
    }
}
