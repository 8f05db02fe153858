//! `precedent brief`.

use std::{fs, io::IsTerminal as _, path::Path};

use precedent_core::{
    Error, Result, files,
    model::{BriefFormat, BriefReplay, RedactionPreview, STANDARD_INPUT},
};
use precedent_engine::Casebook;

use crate::{
    Session,
    args::BriefCommand,
    output::{GOOD, HIT, Output, dim, key, plain, plural},
    troubleshoot::{Subject, parse_subject},
};

pub async fn run(session: &Session, command: BriefCommand, output: &mut Output) -> Result<()> {
    if let Some(file) = &command.replay {
        return replay(session, file, &command, output).await;
    }
    // Keep the temporary file with the piped log until the brief is written.
    let (key, text, paths, piped_input) = match parse_subject(session, &command.question).await? {
        Subject::Item(key) => (Some(key), String::new(), Vec::new(), None),
        Subject::Text(text) => (None, text, Vec::new(), None),
        Subject::Logs(paths, input) => (None, String::new(), paths, input),
    };
    let logs = paths.iter().map(|p| p.to_string_lossy().into_owned()).collect();
    let request = command.request(key, text, logs)?;
    if command.preview {
        let redactions = session.casebook.preview_redaction(request, &session.task).await?;
        return print_preview(&redactions, &command, output);
    }
    let format = output_format(&command)?;
    let mut brief = session.casebook.brief(request, &session.task).await?;
    if piped_input.is_some() {
        brief.record.request.logs = vec![STANDARD_INPUT.to_owned()];
    }
    if let Some(fields) = command.json.json.as_deref().filter(|fields| !fields.is_empty()) {
        return output.json(&brief, fields, None);
    }
    let bytes = Casebook::render_brief(brief, format).await?;
    write_output(session, &bytes, command.output.as_deref(), command.notes, output)
}

/// Returns the given format, else the one for the file extension, else Markdown.
fn output_format(command: &BriefCommand) -> Result<BriefFormat> {
    let name = command.format.as_deref().or_else(|| extension(command.output.as_deref()));
    let format = name.map(|name| (name, BriefFormat::from_extension(name)));
    let Some(fields) = &command.json.json else {
        return match format {
            None => Ok(BriefFormat::Markdown),
            Some((name, format)) => format.ok_or_else(|| {
                let prefix = if command.format.is_none() { "." } else { "" };
                Error::invalid(format!("cannot write a brief as {prefix}{name}"))
                    .with_hint("Use md, html, pdf or json.")
            }),
        };
    };
    match format {
        Some((name, format)) if format != Some(BriefFormat::Json) => {
            Err(Error::invalid(format!("--json conflicts with the format {name}"))
                .with_hint("Use only one of them; --format json is the same as --json."))
        }
        _ if command.output.is_some() && !fields.is_empty() => {
            Err(Error::invalid("fields can't be selected when writing to a file")
                .with_hint("Remove --output, or use --json without fields."))
        }
        _ => Ok(BriefFormat::Json),
    }
}

/// Returns the extension of a file name.
pub fn extension(path: Option<&Path>) -> Option<&str> {
    path?.extension()?.to_str()
}

/// Writes to a file, else to standard output. A private file is readable only by its owner.
pub fn write_output(
    session: &Session,
    bytes: &[u8],
    path: Option<&Path>,
    private: bool,
    output: &mut Output,
) -> Result<()> {
    if let Some(path) = path {
        let write = if private { files::replace_private } else { files::replace };
        write(path, bytes)?;
        session.say(&format!("Saved to {}.", path.display()));
    } else if !std::io::stdout().is_terminal() {
        output.bytes(bytes);
    } else if bytes.starts_with(b"%PDF") {
        return Err(Error::invalid("a PDF cannot be printed to a terminal")
            .with_hint("Write it to a file: --output brief.pdf"));
    } else {
        output.bytes(plain(String::from_utf8_lossy(bytes)).as_bytes());
    }
    Ok(())
}

fn print_preview(
    redactions: &[RedactionPreview],
    command: &BriefCommand,
    output: &mut Output,
) -> Result<()> {
    output.answer(&redactions, &command.json, None, |output| {
        if redactions.is_empty() {
            output.line("Nothing to redact was found.");
        }
        let (certain, uncertain): (Vec<_>, Vec<_>) = redactions.iter().partition(|r| r.sure);
        certain.into_iter().for_each(|r| print_redaction(r, output));
        if !uncertain.is_empty() {
            output.line(dim("Uncertain; also replaced unless you keep it (--keep TEXT):"));
            uncertain.into_iter().for_each(|r| print_redaction(r, output));
        }
        output.line(dim(
            "Unrecognized names and secrets are not listed: read the brief before you hand it over.",
        ));
    })
}

fn print_redaction(r: &RedactionPreview, output: &mut Output) {
    let (pseudonym, original) = (&r.pseudonym, plain(r.original.replace('\n', " ")));
    let count = dim(plural(r.count as u64, "time"));
    output.line(format_args!("{HIT}{pseudonym:<14}{HIT:#} {original}  {count}"));
}

async fn replay(
    session: &Session,
    file: &Path,
    command: &BriefCommand,
    output: &mut Output,
) -> Result<()> {
    let bytes = fs::read(file).map_err(|e| Error::io(file, e))?;
    let replay: BriefReplay = session.casebook.replay_brief(bytes, &session.task).await?;
    if let Some(path) = &command.output {
        let format = output_format(command)?;
        let brief = replay.brief.clone().ok_or_else(|| {
            Error::invalid("the brief cannot be regenerated: its log is not available").with_hint(
                "Run `precedent brief` on the log again, or repeat this command in the folder of the log.",
            )
        })?;
        let bytes = Casebook::render_brief(brief, format).await?;
        files::replace_private(path, &bytes)?;
        session.say(&format!("Current version of the brief: {}.", path.display()));
    }
    output.answer(&replay, &command.json, Some("changes"), |output| {
        if replay.brief.is_none() {
            output.line(
                "The log of this brief is not available, so only the cited items were compared.",
            );
        }
        if replay.same {
            output.line(format_args!("{GOOD}No changes{GOOD:#} since this brief was created."));
        } else if replay.changes.is_empty() {
            output.line("The cited items have not changed; only wording or order has.");
        }
        for change in &replay.changes {
            output.line(format_args!("{} {}", key(&change.citation), plain(&change.what)));
        }
    })
}
