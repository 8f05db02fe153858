//! The access to a casebook that a command needs.

use crate::args::{Command, ModelCommand, NoteCommand, SourceCommand, VerdictCommand};

/// A level of access to a casebook, from least to most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum CasebookAccess {
    /// Reading an existing casebook, including the checks and index updates that a query makes.
    Read,
    /// Writing to an existing casebook.
    Write,
    /// Writing to a casebook that is created if necessary.
    Create,
}

/// Returns the access that a command needs.
///
/// A command that only reads, like all that are not listed, creates no casebook and runs despite an
/// invalid settings file.
pub fn required_access(command: &Command) -> CasebookAccess {
    match command {
        Command::Import(_)
        | Command::Source(SourceCommand::Add { .. })
        | Command::Note(NoteCommand::Add { .. })
        | Command::Model(ModelCommand::Install { .. } | ModelCommand::Import { .. })
        | Command::Restore(_)
        // The keyring does not depend on the casebook.
        | Command::Login(_)
        | Command::Logout(_) => CasebookAccess::Create,
        Command::Source(SourceCommand::Remove { .. } | SourceCommand::Trust { .. })
        | Command::Sync(_)
        | Command::Index(_)
        | Command::Calibrate(_)
        | Command::Verdict(VerdictCommand::Set { .. } | VerdictCommand::Undo { .. })
        | Command::Note(NoteCommand::Edit { .. } | NoteCommand::Remove { .. })
        | Command::Model(ModelCommand::Use { .. } | ModelCommand::Remove { .. })
        // Agents can store notes and verdicts.
        | Command::Mcp(_) => CasebookAccess::Write,
        Command::Article(article) if article.store => CasebookAccess::Write,
        Command::Triage(triage) if triage.decide || triage.apply => CasebookAccess::Write,
        Command::Doctor(doctor) if doctor.repair => CasebookAccess::Write,
        _ => CasebookAccess::Read,
    }
}
