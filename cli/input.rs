//! Input of a command: texts, logs in files, and confirmations.

use std::{
    fmt,
    fs::File,
    io::{self, BufRead as _, Cursor, IsTerminal as _, Read, Write as _},
    path::{Path, PathBuf},
};

use precedent_core::{Code, Error, Result};
use precedent_engine::Casebook;
use precedent_markup::message;
use tempfile::TempDir;

use crate::{Session, output::plural, progress};

/// The maximum length of a text, in bytes.
const MAX_TEXT: u64 = 64 * 1024 * 1024;
/// The length in bytes above which input is a log, unless it is an email.
const MIN_LOG: u64 = 256 * 1024;
/// The maximum length in bytes of a log that is used unchanged as a question.
const MAX_SHORT_LOG: usize = 24_000;
/// The name of standard input in messages.
const STDIN_NAME: &str = "standard input";

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

/// Asks a yes-or-no question on the terminal.
///
/// # Errors
/// `refusal` without a terminal; [`Code::Cancelled`] for any answer but yes.
pub fn confirm(question: impl fmt::Display, refusal: Error) -> Result<()> {
    if !io::stdin().is_terminal() {
        return Err(refusal);
    }
    progress::clear();
    let mut stderr = anstream::stderr();
    let _ = write!(stderr, "{question} [y/N] ");
    let _ = stderr.flush();
    match read_line().ok().flatten().as_deref() {
        Some("y" | "Y" | "yes") => Ok(()),
        _ => Err(Error::new(Code::Cancelled, "cancelled; nothing was changed")),
    }
}

/// Reads the next line of standard input; `None` at its end.
pub fn read_line() -> Result<Option<String>> {
    let mut text = String::new();
    let length = io::stdin().lock().read_line(&mut text);
    let length = length.map_err(|e| read_error(STDIN_NAME, &e))?;
    Ok((length > 0).then(|| text.trim().to_owned()))
}

fn read_error(name: &str, error: &io::Error) -> Error {
    Error::new(Code::Io, format!("cannot read {name}: {error}"))
}

/// Decodes a text: extracts the text of a raw email, or else replaces invalid UTF-8.
fn decode(bytes: &[u8]) -> String {
    message::to_query_text(bytes).unwrap_or_else(|| String::from_utf8_lossy(bytes).into_owned())
}

fn read_text(reader: impl Read, name: &str) -> Result<String> {
    let mut bytes = Vec::new();
    reader.take(MAX_TEXT).read_to_end(&mut bytes).map_err(|e| read_error(name, &e))?;
    Ok(decode(&bytes))
}

/// Reads standard input as text.
pub fn read_stdin_text() -> Result<String> {
    read_text(io::stdin().lock(), STDIN_NAME)
}

/// Reads a short file as a text; `None` if it is compressed or binary.
pub fn read_file(path: &Path) -> Result<Option<String>> {
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    Ok((!is_binary(&bytes)).then(|| decode(&bytes)))
}

fn is_binary(start: &[u8]) -> bool {
    start.contains(&0)
        || (Casebook::is_log(start) && std::str::from_utf8(&start[..start.len().min(2)]).is_err())
}

/// Reads standard input.
///
/// Copies records, and logs longer than `max_len` bytes, to a temporary file to bound memory use.
pub fn read_stdin(max_len: usize) -> Result<QuestionInput> {
    let mut input = io::stdin().lock();
    let (start, is_complete) = read_start(&mut input, STDIN_NAME)?;
    if !is_log(&start, is_complete, max_len) {
        return read_rest(start, input, STDIN_NAME);
    }
    let to_error = |e: io::Error| Error::io(&std::env::temp_dir(), e);
    let folder = TempDir::with_prefix("precedent").map_err(to_error)?;
    let path = folder.path().join(STDIN_NAME);
    let mut file = File::create(&path).map_err(to_error)?;
    io::copy(&mut Cursor::new(start).chain(input), &mut file)
        .map_err(|e| read_error(STDIN_NAME, &e))?;
    Ok(QuestionInput::Log(Log { path, _folder: Some(folder) }))
}

/// Reads a file by the same rules as standard input.
fn read_path(path: &Path) -> Result<QuestionInput> {
    let mut file = File::open(path).map_err(|e| Error::io(path, e))?;
    let name = path.display().to_string();
    let (start, is_complete) = read_start(&mut file, &name)?;
    if is_log(&start, is_complete, MAX_SHORT_LOG) {
        return Ok(QuestionInput::Log(Log { path: path.to_owned(), _folder: None }));
    }
    read_rest(start, file, &name)
}

/// Reads the first bytes, and returns them with whether they are the whole input.
fn read_start(reader: &mut impl Read, name: &str) -> Result<(Vec<u8>, bool)> {
    let mut bytes = Vec::new();
    reader.take(MIN_LOG + 1).read_to_end(&mut bytes).map_err(|e| read_error(name, &e))?;
    let is_complete = bytes.len() as u64 <= MIN_LOG;
    Ok((bytes, is_complete))
}

fn is_log(start: &[u8], is_complete: bool, max_len: usize) -> bool {
    if message::to_query_text(start).is_some() {
        return false;
    }
    let has_records = matches!(start.trim_ascii_start().first(), Some(b'{' | b'[') | None);
    !is_complete
        || start.contains(&0)
        || (start.len() > max_len || has_records || is_binary(start)) && Casebook::is_log(start)
}

fn read_rest(start: Vec<u8>, reader: impl Read, name: &str) -> Result<QuestionInput> {
    Ok(QuestionInput::Text(read_text(Cursor::new(start).chain(reader), name)?))
}

/// Reads the question from a file or standard input; for a log, returns the text of its errors.
pub async fn read_question(session: &Session, path: Option<&Path>) -> Result<String> {
    match path.map_or_else(|| read_stdin(MAX_SHORT_LOG), read_path)? {
        QuestionInput::Text(text) => Ok(text),
        QuestionInput::Log(log) => read_log_errors(session, vec![log.path.clone()]).await,
    }
}

/// Returns the text of the errors in logs; of a text file without errors, returns the start.
///
/// # Errors
/// [`Code::InvalidInput`] if other logs have no errors.
pub async fn read_log_errors(session: &Session, paths: Vec<PathBuf>) -> Result<String> {
    let name = match &paths[..] {
        [path] => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
        _ => plural(paths.len() as u64, "log"),
    };
    let errors = session.casebook.log_errors(paths.clone(), &session.task).await?;
    let lines = plural(errors.lines, "line");
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
    if let [path] = &paths[..]
        && path.is_file()
    {
        File::open(path)
            .and_then(|f| f.take(MIN_LOG).read_to_end(&mut start))
            .map_err(|e| Error::io(path, e))?;
    }
    if start.is_empty() || is_binary(&start) {
        return Err(Error::invalid(format!("{name}: no errors in {lines}"))
            .with_hint("Pass the words or the message to search for."));
    }
    session.say(&format!(
        "{name}: no errors in {lines}; searching for its first {} KB.",
        start.len().div_ceil(1024)
    ));
    Ok(decode(&start))
}
