//! Input of a command: texts, and logs in files.

use std::{
    fs::File,
    io::{self, Cursor, Read},
    path::{Path, PathBuf},
};

use precedent_core::{Code, Error, Result};
use precedent_engine::Casebook;
use precedent_markup::message;
use tempfile::TempDir;

use crate::{
    Session,
    output::{count, plural},
};

/// The maximum length of a text, in bytes.
const MAX_TEXT: u64 = 64 * 1024 * 1024;
/// The length in bytes above which input is a log, unless it is an email.
const LONG: u64 = 256 * 1024;
/// The length in bytes up to which a log is used as a question as it is.
const SHORT: usize = 24_000;
/// The name of standard input in messages.
const NAME: &str = "standard input";

/// The input of a question.
#[derive(Debug)]
pub enum QuestionInput {
    /// Text written by a person, or a short part of a log.
    Text(String),
    /// Log or archive in a file.
    Log(Log),
}

/// A log in a file; a temporary file for standard input is deleted on drop.
#[derive(Debug)]
pub struct Log {
    pub path: PathBuf,
    _folder: Option<TempDir>,
}

fn unread(name: &str, error: &io::Error) -> Error {
    Error::new(Code::Io, format!("cannot read {name}: {error}"))
}

/// Decodes a text of any encoding: invalid UTF-8 is replaced, and a raw mail is decoded.
fn decode(bytes: &[u8]) -> String {
    message::question(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

fn lossy(from: impl Read, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    from.take(MAX_TEXT).read_to_end(&mut bytes).map_err(|e| unread(name, &e))?;
    Ok(decode(&bytes))
}

/// Reads standard input as a text.
pub fn standard_input() -> Result<String> {
    lossy(io::stdin().lock(), NAME)
}

/// Reads a short file as a text; `None` if it is compressed or binary.
pub fn file(path: &Path) -> Result<Option<String>> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    Ok((!is_packed(&bytes)).then(|| decode(&bytes)))
}

fn is_packed(start: &[u8]) -> bool {
    start.contains(&0)
        || (Casebook::is_log(start) && std::str::from_utf8(&start[..start.len().min(2)]).is_err())
}

/// Reads standard input.
///
/// A log longer than `most` bytes, or records, are copied to a file and read from there, so that
/// memory does not grow with them.
pub fn read_stdin(most: usize) -> Result<QuestionInput> {
    let mut input = io::stdin().lock();
    let (start, whole) = start(&mut input, NAME)?;
    if !is_log(&start, whole, most) {
        return rest(start, input, NAME);
    }
    let wrong = |e: io::Error| Error::io(&std::env::temp_dir(), e);
    let folder = TempDir::with_prefix("precedent").map_err(wrong)?;
    let path = folder.path().join(NAME);
    let mut file = File::create(&path).map_err(wrong)?;
    io::copy(&mut Cursor::new(start).chain(input), &mut file).map_err(|e| unread(NAME, &e))?;
    Ok(QuestionInput::Log(Log { path, _folder: Some(folder) }))
}

/// Reads a file, with the same rules as standard input.
fn read_path(path: &Path) -> Result<QuestionInput> {
    let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
    let name = path.display().to_string();
    let (start, whole) = start(&mut file, &name)?;
    if is_log(&start, whole, SHORT) {
        return Ok(QuestionInput::Log(Log { path: path.to_owned(), _folder: None }));
    }
    rest(start, file, &name)
}

/// Returns the first bytes and whether they are all of the input.
fn start(from: &mut impl Read, name: &str) -> Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    from.take(LONG + 1).read_to_end(&mut bytes).map_err(|e| unread(name, &e))?;
    let whole = bytes.len() as u64 <= LONG;
    Ok((bytes, whole))
}

fn is_log(start: &[u8], whole: bool, most: usize) -> bool {
    if message::question(start).is_some() {
        return false;
    }
    let records = matches!(start.trim_ascii_start().first(), Some(b'{' | b'[') | None);
    let is_compressed = is_packed(start);
    !whole || (start.len() > most || records || is_compressed) && Casebook::is_log(start)
}

fn rest(start: Vec<u8>, from: impl Read, name: &str) -> Result<QuestionInput> {
    Ok(QuestionInput::Text(lossy(Cursor::new(start).chain(from), name)?))
}

/// Returns the question in a file or on standard input; for a log, the text of its errors.
pub async fn question(session: &Session, path: Option<&Path>) -> Result<String> {
    let input = match path {
        Some(path) => read_path(path)?,
        None => read_stdin(SHORT)?,
    };
    let log = match input {
        QuestionInput::Text(text) => return Ok(text),
        QuestionInput::Log(log) => log,
    };
    let name = log.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let errors = session.casebook.errors_of(vec![log.path.clone()], &session.task).await?;
    let lines = format!("{} lines", count(errors.lines));
    if errors.distinct > 0 {
        let total = plural(errors.distinct as u64, "distinct error");
        let searched_part = match errors.error_count {
            n if n == errors.distinct => String::new(),
            1 => ", 1 of them searched".to_owned(),
            n => format!(", {n} of them searched"),
        };
        session.say(&format!(
            "{name}: {total} in {lines}{searched_part}. `precedent troubleshoot` checks each one."
        ));
        return Ok(errors.text);
    }
    let mut start = Vec::new();
    File::open(&log.path)
        .and_then(|f| f.take(LONG).read_to_end(&mut start))
        .map_err(|e| Error::io(&log.path, e))?;
    if is_packed(&start) {
        return Err(Error::invalid(format!("{name}: no errors in {lines}"))
            .with_hint("Pass the words or the message to search for."));
    }
    session.say(&format!(
        "{name}: no errors in {lines}; searching for its first {} KB.",
        start.len().div_ceil(1024)
    ));
    Ok(decode(&start))
}
