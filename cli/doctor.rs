//! `precedent doctor`, `backup`, `restore` and `export`.

use std::path::{Path, PathBuf};

use precedent_core::{
    Code, Error, Remedy, Result, Task, files,
    model::{CasebookContents, Finding, Severity},
};
use precedent_engine::{Casebook, OpenOptions, diagnosis::CallerDetails};

use crate::{
    Session,
    args::{BackupCommand, DoctorCommand, ExportCommand, RestoreCommand},
    config,
    output::{BAD, DIM, GOOD, Output, dim, good, hit, plain, plural, size},
};

pub async fn run(
    options: OpenOptions,
    command: &DoctorCommand,
    task: &Task,
    output: &mut Output,
) -> Result<()> {
    let min_free = command.min_free.saturating_mul(1_000_000);
    if let Some(file) = &command.bundle {
        return write_bundle(options, command, file, min_free, task, output).await;
    }
    let health = Casebook::doctor(options, command.repair, min_free, task).await?;
    output.answer(&health, &command.json, Some("findings"), |output| {
        health.findings.iter().for_each(|finding| print(finding, output));
        if health.findings.is_empty() {
            let casebook = plain(&health.casebook);
            output.line(format_args!("{GOOD}No problems found{GOOD:#} in {casebook}."));
        }
    })?;
    let problem_count = health.open_count();
    if problem_count == 0 {
        return Ok(());
    }
    let mut repairable = health.findings.iter().filter(|f| f.repairable && !f.repaired).peekable();
    let hint = if command.repair || repairable.peek().is_none() {
        "Follow the remedy given for each problem."
    } else if repairable.all(|f| f.hint.remedy == Some(Remedy::Rebuild)) {
        "Run `precedent index` to complete the indexes."
    } else {
        "Run `precedent doctor --repair` to repair what can be repaired; for the rest, follow the remedies."
    };
    let message = format!("{} found", plural(problem_count as u64, "problem"));
    Err(Error::new(Code::Corrupt, message).with_hint(hint))
}

/// Writes the diagnostics for a bug report to a file.
async fn write_bundle(
    options: OpenOptions,
    command: &DoctorCommand,
    file: &Path,
    min_free: u64,
    task: &Task,
    output: &mut Output,
) -> Result<()> {
    let diagnosis = Casebook::diagnose(options, caller_details()?, min_free, task).await?;
    let text = serde_json::to_string_pretty(&diagnosis)
        .map_err(|e| Error::new(Code::Internal, e.to_string()))?;
    let write = if command.force { files::replace } else { files::create };
    write(file, format!("{text}\n").as_bytes())?;
    output.answer(&diagnosis, &command.json, Some("findings"), |output| {
        let is_problem = |finding: &&Finding| finding.severity != Severity::Notice;
        let problem_count = diagnosis.findings.iter().filter(is_problem).count() as u64;
        output.line(format_args!(
            "{}: {}, {}, {}. It contains no tracker text, names or tokens. Review it before you attach it.",
            plain(file.display()),
            plural(problem_count, "problem"),
            plural(diagnosis.findings.len() as u64 - problem_count, "notice"),
            plural(diagnosis.sources.len() as u64, "source"),
        ));
    })
}

/// Returns the system, the settings, and the names to redact from a bug report.
fn caller_details() -> Result<CallerDetails> {
    // "someone" stands for an unknown user name.
    let user = Some(precedent_host::user()).filter(|name| name != "someone");
    let mut names: Vec<(String, String)> =
        user.into_iter().map(|name| (name, "[user]".to_owned())).collect();
    names.extend(dirs::home_dir().map(|home| (home.display().to_string(), "[home]".to_owned())));
    Ok(CallerDetails {
        system: std::env::consts::OS.to_owned(),
        processor: std::env::consts::ARCH.to_owned(),
        settings: config::all_settings()?,
        names,
    })
}

fn print(finding: &Finding, output: &mut Output) {
    let label = match (finding.repaired, finding.severity) {
        (true, _) => good("fixed  "),
        (_, Severity::Error) => format!("{BAD}error  {BAD:#}"),
        (_, Severity::Warning) => hit("warning"),
        (_, Severity::Notice) => dim("notice "),
    };
    output.line(format_args!("{label} {} {DIM}[{}]{DIM:#}", plain(&finding.what), finding.id));
    output.print_wrapped(&plain(&finding.why), "        ");
    if !finding.repaired {
        output.print_wrapped(&format!("Remedy: {}", plain(&finding.hint)), "        ");
    }
}

pub async fn backup(session: &Session, command: BackupCommand, output: &mut Output) -> Result<()> {
    let backup = session.casebook.backup(&command.file, command.force).await?;
    output.answer(&backup, &command.json, None, |_| {
        let (file, size) = (&backup.file, size(backup.bytes));
        session.say(&format!("Saved {file} ({size}). To restore it: precedent restore {file}"));
    })
}

/// Restores a backup; `damaged_database` is the path to which an unreadable database was moved.
pub async fn restore(
    session: &Session,
    command: RestoreCommand,
    damaged_database: Option<PathBuf>,
    output: &mut Output,
) -> Result<()> {
    let mut response = session.casebook.restore(&command.file).await?;
    response.kept =
        response.kept.or_else(|| damaged_database.as_ref().map(|path| path.display().to_string()));
    output.answer(&response, &command.json, None, |_| {
        let contents = describe_contents(&response.contents);
        session.say(&format!("Restored the casebook from {}: {contents}.", response.file));
        if let Some(damaged_database) = &damaged_database {
            session.say(&format!(
                "The previous database is damaged; it is kept unchanged in {}",
                damaged_database.display()
            ));
        } else if let Some(previous) = &response.kept {
            session.say(&format!("The previous data is kept in {previous}"));
        }
        session.say("To rebuild the indexes: precedent index");
    })
}

pub async fn export(session: &Session, command: ExportCommand, output: &mut Output) -> Result<()> {
    let ExportCommand { file, with_notes, force, json } = command;
    let response = session.casebook.export(&file, with_notes, force, &session.task).await?;
    output.answer(&response, &json, None, |_| {
        let (size, contents) = (size(response.bytes), describe_contents(&response.contents));
        session.say(&format!("{}: {size}, {contents}.", response.file));
        session.say("To import it elsewhere: precedent import casebook FILE");
    })
}

/// Describes the contents of a backup or an export.
pub fn describe_contents(c: &CasebookContents) -> String {
    let mut parts = vec![
        plural(c.sources.len() as u64, "source"),
        plural(c.documents, "document"),
        plural(c.comments, "comment"),
        plural(c.verdicts, "verdict"),
    ];
    if c.notes > 0 {
        parts.push(plural(c.notes, "private note"));
    }
    parts.join(", ")
}
