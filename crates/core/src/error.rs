//! The error type: a message, a code for programs, and a hint.

use std::{fmt, io, sync::Arc};

use tantivy::directory::error::{LockError, OpenReadError};

pub use crate::hint::{Hint, Remedy};
use crate::{hint::mask, secret_filter};

/// The result of a fallible operation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A code for programs to act on. A failure without specific handling is [`Code::Internal`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// The named item, source or file does not exist.
    NotFound,
    /// The input is invalid: an unreadable query, a file in the wrong format.
    InvalidInput,
    /// Another process holds a needed resource; retrying later helps.
    Busy,
    /// The file system refused the operation: permissions, a missing folder, a full disk.
    Io,
    /// A file of the casebook is damaged.
    Corrupt,
    /// The casebook was written by a newer version.
    NewerCasebook,
    /// The user or the caller cancelled the operation.
    Cancelled,
    /// The tracker requires a token, refuses the given one, or denies it access to the requested
    /// data.
    Authentication,
    /// The tracker's rate limit is exceeded.
    RateLimited,
    /// The tracker is unreachable or responds unexpectedly.
    Network,
    /// The embedding model or its runtime cannot be used; lexical search still works.
    ModelUnavailable,
    /// Any other failure.
    Internal,
}

/// An error with a message and a hint. Neither contains secrets.
#[derive(Clone, serde::Serialize, schemars::JsonSchema)]
#[schemars(rename = "Failure")]
pub struct Error {
    /// Code for programs to act on.
    code: Code,
    /// Description of the error.
    message: String,
    /// Advice, without commands; null if there is none.
    hint: Option<String>,
    /// Action that resolves the problem; absent if none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    remedy: Option<Remedy>,
    /// Commands or options that do what the hint advises; absent if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(skip)]
    source: Option<Arc<dyn std::error::Error + Send + Sync>>,
}

impl Error {
    /// Creates an error with this code and message.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let message = mask(message.into());
        Self { code, message, hint: None, remedy: None, command: None, source: None }
    }

    /// Creates an error about invalid input.
    pub fn invalid(message: impl Into<String>) -> Self {
        Self::new(Code::InvalidInput, message)
    }

    /// Creates an error about something that does not exist.
    pub fn not_found(message: impl Into<String>) -> Self {
        Self::new(Code::NotFound, message)
    }

    /// Adds a hint: sentences that are true in every interface.
    #[must_use]
    pub fn with_hint(self, hint: impl Into<Hint>) -> Self {
        let Hint { text, remedy, command } = hint.into();
        Self { hint: Some(text), remedy, command, ..self }
    }

    /// Adds a command to the hint, like [`Hint::with_command`].
    #[must_use]
    pub fn with_command(
        self,
        remedy: impl Into<Option<Remedy>>,
        command: impl Into<String>,
    ) -> Self {
        let command = Some(mask(command.into()));
        Self { remedy: remedy.into(), command, ..self }
    }

    /// Adds the error that caused this one.
    #[must_use]
    pub fn with_source(
        mut self,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        self.source = Some(source.into().into());
        self
    }

    /// Prefixes the message with the operation that failed.
    #[must_use]
    pub fn context(mut self, operation: impl fmt::Display) -> Self {
        self.message = mask(format!("{operation}: {}", self.message));
        self
    }

    /// Returns the code for programs to act on.
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the hint, for the line below the message; `Display` prints only the message.
    pub fn hint(&self) -> Option<Hint> {
        let (remedy, command) = (self.remedy, self.command.clone());
        self.hint.clone().map(|text| Hint { text, remedy, command })
    }

    /// Returns the message and the hint as one.
    pub fn to_hint(&self) -> Hint {
        self.hint_after(format!("{self}."))
    }

    /// Returns the hint after a sentence about this error.
    pub fn hint_after(&self, sentence: impl fmt::Display) -> Hint {
        self.hint().unwrap_or_default().prepend(sentence)
    }

    /// Creates an error for an I/O failure on a path.
    pub fn io(path: &std::path::Path, error: io::Error) -> Self {
        let (code, hint) = match error.kind() {
            io::ErrorKind::NotFound => (Code::NotFound, "Check the path."),
            io::ErrorKind::PermissionDenied => (
                Code::Io,
                "Give your user permission to read and write it, or choose another place.",
            ),
            io::ErrorKind::StorageFull => (Code::Io, "Free some disk space and try again."),
            _ => (Code::Io, "Check the disk and the path, then try again."),
        };
        Self::new(code, format!("{}: {}", path.display(), io_message(&error)))
            .with_hint(hint)
            .with_source(error)
    }
}

/// Returns the system's description of an I/O error without the error number.
fn io_message(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        // Windows ends its descriptions with a period.
        Some(end) => text[..end].trim_end_matches('.').to_lowercase(),
        None => text,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Error")
            .field("code", &self.code)
            .field("message", &self.message)
            .field(
                "source",
                &self.source.as_ref().map(|s| secret_filter::mask(&format!("{s:?}")).into_owned()),
            )
            .finish()
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.source.as_deref().map(|e| e as _)
    }
}

impl PartialEq for Error {
    fn eq(&self, other: &Self) -> bool {
        self.code == other.code && self.message == other.message && self.hint() == other.hint()
    }
}

impl Eq for Error {}

impl From<rusqlite::Error> for Error {
    fn from(error: rusqlite::Error) -> Self {
        use rusqlite::{Error as R, ErrorCode as E};
        if matches!(
            error,
            R::FromSqlConversionFailure(..)
                | R::IntegralValueOutOfRange(..)
                | R::InvalidColumnType(..)
                | R::Utf8Error(..)
        ) {
            return Self::new(Code::Corrupt, format!("cannot read a row of the casebook: {error}"))
                .with_hint("A repair names the row, backs it up and repairs it.")
                .with_command(Remedy::Repair, "precedent doctor --repair")
                .with_source(error);
        }
        match error.sqlite_error_code() {
            Some(E::DatabaseBusy | E::DatabaseLocked) => {
                Self::new(Code::Busy, "another process is writing to this casebook")
                    .with_hint("Wait until it has finished, then try again.")
            }
            Some(E::DiskFull) => Self::new(Code::Io, "the disk is full")
                .with_hint("Free some space and try again; saved data is kept."),
            Some(E::ReadOnly | E::CannotOpen | E::PermissionDenied) => {
                Self::new(Code::Io, "cannot write to the casebook")
                    .with_hint(
                        "Check the permissions of its folder and the space on its disk, or choose \
                         another.",
                    )
                    .with_command(None, "--casebook DIR")
            }
            Some(E::SystemIoFailure) => {
                Self::new(Code::Io, "reading from or writing to the disk failed").with_hint(
                    "Check the disk and its free space, then try again; saved data is kept.",
                )
            }
            Some(E::DatabaseCorrupt | E::NotADatabase) => {
                Self::new(Code::Corrupt, "the casebook's database file is damaged")
                    .with_hint(
                        "A repair keeps a copy, repairs what it can, and lists what to do about \
                         the rest.",
                    )
                    .with_command(Remedy::Repair, "precedent doctor --repair")
            }
            _ => Self::new(Code::Internal, format!("database: {error}"))
                .with_hint("This is a bug in Precedent; please report it."),
        }
        .with_source(error)
    }
}

impl From<tantivy::TantivyError> for Error {
    fn from(error: tantivy::TantivyError) -> Self {
        use tantivy::TantivyError as E;
        match &error {
            E::LockFailure(LockError::LockBusy, _) => {
                Self::new(Code::Busy, "another process is updating the keyword index")
                    .with_hint("Wait until it has finished, then try again.")
            }
            // tantivy gives no reason why a writer thread stopped.
            E::ErrorInThread(_) => Self::new(Code::Io, "the keyword index could not be written")
                .with_hint(
                    "Usually the disk is full or a quota is exceeded. Free some space and try \
                     again.",
                ),
            // A system error does not mean that the files are damaged.
            E::IoError(e) if !is_damage(e) => index_io_error(e),
            E::LockFailure(LockError::IoError(e), _) => index_io_error(e),
            E::OpenReadError(OpenReadError::IoError { io_error, .. }) if !is_damage(io_error) => {
                index_io_error(io_error)
            }
            E::OpenDirectoryError(_) | E::OpenWriteError(_) => {
                Self::new(Code::Io, format!("keyword index: {error}")).with_hint(ACCESS_HINT)
            }
            E::IoError(_)
            | E::OpenReadError(_)
            | E::DataCorruption(_)
            | E::IncompatibleIndex(_) => {
                Self::new(Code::Corrupt, format!("keyword index: {error}"))
                    .with_hint("Rebuild it from the database.")
                    .with_command(Remedy::Rebuild, "precedent index --rebuild")
            }
            _ => Self::new(Code::Internal, format!("keyword index: {error}")),
        }
        .with_source(error)
    }
}

const ACCESS_HINT: &str =
    "Check the permissions of the casebook's folder and the disk, then try again.";

fn index_io_error(error: &io::Error) -> Error {
    if error.kind() == io::ErrorKind::StorageFull {
        return Error::new(Code::Io, "the disk is full")
            .with_hint("Free some space and try again.");
    }
    Error::new(
        Code::Io,
        format!("the keyword index cannot be read or written: {}", io_message(error)),
    )
    .with_hint(ACCESS_HINT)
}

/// Returns whether a read error indicates damaged data. Unlike system errors, tantivy's errors for
/// invalid data have no number.
fn is_damage(error: &io::Error) -> bool {
    use io::ErrorKind as K;
    error.raw_os_error().is_none()
        && matches!(error.kind(), K::InvalidData | K::UnexpectedEof | K::Other)
}

/// Returns the error for a cancelled task.
pub fn cancel_error() -> Error {
    Error::new(Code::Cancelled, "cancelled").with_hint("Progress is saved; try again to continue.")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_error_names_the_path_and_remedy() {
        // EACCES on Unix, ERROR_ACCESS_DENIED on Windows.
        let io_error = io::Error::from_raw_os_error(if cfg!(windows) { 5 } else { 13 });
        let error = Error::io(std::path::Path::new("/data/x.jsonl"), io_error);
        assert_eq!(error.code(), Code::Io);
        let message = error.to_string();
        // The description comes from the system: "access is denied" on Windows.
        #[cfg(unix)]
        assert_eq!(message, "/data/x.jsonl: permission denied");
        assert!(message.starts_with("/data/x.jsonl: ") && message.contains("denied"), "{message}");
        assert!(!message.contains("os error") && !message.ends_with('.'), "{message}");
        assert!(error.hint().unwrap().text.contains("permission"));
    }

    #[test]
    fn only_invalid_contents_are_corrupt() {
        use std::sync::Arc;
        let io = |kind: io::ErrorKind| Arc::new(io::Error::from(kind));
        let read_error =
            |kind| OpenReadError::IoError { io_error: io(kind), filepath: "x.term".into() };
        for (error, code) in [
            (tantivy::TantivyError::IoError(io(io::ErrorKind::PermissionDenied)), Code::Io),
            (tantivy::TantivyError::IoError(Arc::new(io::Error::from_raw_os_error(5))), Code::Io), // EIO
            (
                tantivy::TantivyError::IoError(Arc::new(io::Error::other("odd version"))),
                Code::Corrupt,
            ),
            (tantivy::TantivyError::IoError(io(io::ErrorKind::UnexpectedEof)), Code::Corrupt),
            (read_error(io::ErrorKind::StorageFull).into(), Code::Io),
            (read_error(io::ErrorKind::InvalidData).into(), Code::Corrupt),
            (OpenReadError::FileDoesNotExist("x.term".into()).into(), Code::Corrupt),
        ] {
            assert_eq!(Error::from(error).code(), code);
        }
        let disk = rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_IOERR),
            None,
        );
        assert_eq!(Error::from(disk).code(), Code::Io);
    }

    #[test]
    fn unreadable_row_is_reported_as_corrupt() {
        let raw = rusqlite::Error::IntegralValueOutOfRange(3, -1);
        let error = Error::from(raw);
        assert_eq!(error.code(), Code::Corrupt);
        assert_eq!(error.hint().unwrap().remedy, Some(Remedy::Repair));
    }

    #[test]
    fn locked_database_is_reported_as_busy() {
        let raw = rusqlite::Error::SqliteFailure(
            rusqlite::ffi::Error::new(rusqlite::ffi::SQLITE_BUSY),
            None,
        );
        let error = Error::from(raw);
        assert_eq!(error.code(), Code::Busy);
        assert!(!error.to_string().contains("locked"));
    }
}
