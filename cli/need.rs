//! The access to a casebook that a command needs.

use crate::args::{Command, ModelCommand, NoteCommand, SourceCommand, VerdictCommand};

/// The access that a command needs, from the least to the most.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Need {
    /// An existing casebook to read. Checks and index updates on the way count as reading.
    Read,
    /// An existing casebook to write.
    Write,
    /// A casebook to write, which is created if necessary.
    Make,
}

/// Returns the access that a command needs.
///
/// A command that only reads creates no casebook and runs despite an invalid settings file.
pub fn of(command: &Command) -> Need {
    match command {
        Command::Import(_)
        | Command::Source(SourceCommand::Add { .. })
        | Command::Note(NoteCommand::Add { .. })
        | Command::Model(ModelCommand::Install { .. } | ModelCommand::Import { .. })
        | Command::Restore(_)
        // The keyring does not depend on the casebook.
        | Command::Login(_)
        | Command::Logout(_) => Need::Make,
        Command::Source(SourceCommand::Remove { .. } | SourceCommand::Trust { .. })
        | Command::Sync(_)
        | Command::Index(_)
        | Command::Calibrate(_)
        | Command::Verdict(VerdictCommand::Set { .. } | VerdictCommand::Undo { .. })
        | Command::Note(NoteCommand::Edit { .. } | NoteCommand::Remove { .. })
        | Command::Model(ModelCommand::Use { .. } | ModelCommand::Remove { .. })
        // Agents store notes and verdicts.
        | Command::Mcp(_) => Need::Write,
        Command::Article(article) if article.store => Need::Write,
        Command::Triage(triage) if triage.decide || triage.apply => Need::Write,
        Command::Doctor(doctor) if doctor.repair => Need::Write,
        Command::Triage(_)
        | Command::Doctor(_)
        | Command::Source(SourceCommand::Test { .. } | SourceCommand::List { .. })
        | Command::Search(_)
        | Command::Ask(_)
        | Command::Duplicates(_)
        | Command::Problems(_)
        | Command::Verdict(VerdictCommand::List { .. })
        | Command::Troubleshoot(_)
        | Command::Brief(_)
        | Command::Article(_)
        | Command::Note(
            NoteCommand::CheckSimilar { .. } | NoteCommand::List { .. } | NoteCommand::Show { .. },
        )
        | Command::Show(_)
        | Command::Status(_)
        | Command::Model(ModelCommand::List { .. })
        | Command::Backup(_)
        | Command::Export(_)
        | Command::Eval(_)
        | Command::Config(_)
        | Command::Schema { .. }
        | Command::Skill
        | Command::Man { .. }
        | Command::Completions { .. } => Need::Read,
    }
}
