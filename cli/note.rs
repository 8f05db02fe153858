//! `precedent note`.

use precedent_core::{
    Error, Result,
    model::{
        Lifecycle, Note, NoteChange, NoteDraft, NoteKind, NoteMatch, NoteOutcome, Recommendation,
    },
};

use crate::{
    Session,
    args::{NoteCommand, NoteDraftArgs},
    input,
    output::{DIM, Output, bold, day, dim, good, hit, key, plain},
};

pub async fn run(session: &Session, command: NoteCommand, output: &mut Output) -> Result<()> {
    let casebook = &session.casebook;
    match command {
        NoteCommand::Add { draft, tags, attach, force, json } => {
            let NoteDraftArgs { kind, title, body } = draft;
            let draft = NoteDraft { kind, title, body: read_text(body)?, tags, attach, force };
            let answer = casebook.add_note(draft, &session.task).await?;
            output.answer(&answer, &json, None, |output| {
                let key = key(&answer.note.key);
                let message = match answer.outcome {
                    NoteOutcome::Stored => format!("{} as {key}.", good("Saved")),
                    NoteOutcome::Connected => {
                        format!("{} as {key}, attached to similar notes:", good("Saved"))
                    }
                    NoteOutcome::Duplicate => format!(
                        "{} this note already exists. Use --force to save it anyway.",
                        hit("Not saved:")
                    ),
                };
                print_matches(session, &answer.warning, message, &answer.matches, output);
            })
        }
        NoteCommand::CheckSimilar { draft, json } => {
            let NoteDraftArgs { kind, title, body } = draft;
            let similar = casebook.similar_notes(kind, &title, &read_text(body)?).await?;
            output.answer(&similar, &json, Some("matches"), |output| {
                let message = match similar.recommendation {
                    Recommendation::DuplicateFound => "This note already exists:".to_owned(),
                    Recommendation::SimilarFound => "Similar notes exist:".to_owned(),
                    Recommendation::Unique => {
                        format!("No similar notes of kind {}.", kind.as_str())
                    }
                };
                print_matches(session, &similar.warning, message, &similar.matches, output);
            })
        }
        NoteCommand::Edit { key, title, body, tags, archive, activate, attach, json } => {
            let lifecycle = match (archive, activate) {
                (true, _) => Some(Lifecycle::Archived),
                (_, true) => Some(Lifecycle::Active),
                _ => None,
            };
            let body = body.map(read_text).transpose()?;
            let tags = Some(tags).filter(|t| !t.is_empty());
            let change = NoteChange { title, body, tags, lifecycle, attach };
            if change == NoteChange::default() {
                return Err(Error::invalid("nothing to change")
                    .with_hint("Use --title, --body, --tag, --attach, --archive or --activate."));
            }
            let note = casebook.edit_note(&key, change, &session.task).await?;
            output.answer(&note, &json, None, |output| print_note(&note, output))
        }
        NoteCommand::List { kind, include_archived, json } => {
            let mut notes = casebook.notes(kind).await?;
            notes.retain(|n| include_archived || n.lifecycle == Lifecycle::Active);
            output.answer(&notes, &json, None, |output| {
                match kind.map(NoteKind::as_str) {
                    _ if !notes.is_empty() => {}
                    Some(kind) => output.line(format_args!(
                        "No notes of kind {kind}. To list all notes: precedent note list"
                    )),
                    None => output.line(
                        "No notes yet. Add one: precedent note add --kind lesson --title … --body …",
                    ),
                }
                for note in &notes {
                    let is_archived = note.lifecycle == Lifecycle::Archived;
                    let mark = if is_archived { " (archived)" } else { "" };
                    let kind = format!("{}{mark}", note.kind.as_str());
                    let key = key(format_args!("{:<9}", note.key));
                    let details = dim(format_args!("{}  {kind:<10}", day(Some(note.updated_at))));
                    // Notes from earlier versions may have multi-line titles.
                    let title = plain(&note.title).split_whitespace().collect::<Vec<_>>().join(" ");
                    output.line(format_args!("{key} {details}  {title}"));
                }
            })
        }
        NoteCommand::Show { key, json } => {
            let note = casebook.note(&key).await?;
            output.answer(&note, &json, None, |output| print_note(&note, output))
        }
        NoteCommand::Remove { key, yes } => {
            let note = casebook.note(&key).await?;
            let name = format!("{} \"{}\"", note.key, plain(&note.title));
            if !yes {
                let refusal =
                    Error::invalid(format!("deleting {name} permanently needs confirmation"))
                        .with_hint(format!(
                            "Use --yes, or archive it: precedent note edit {} --archive",
                            note.key
                        ));
                input::confirm(format_args!("Delete {name} permanently?"), refusal)?;
            }
            casebook.remove_note(&note.key, &session.task).await?;
            session.say(&format!("Removed {name}."));
            Ok(())
        }
    }
}

/// Returns the argument, or the text on standard input for `-`.
fn read_text(argument: String) -> Result<String> {
    if argument == "-" { input::read_stdin_text() } else { Ok(argument) }
}

/// Prints the outcome of a check for similar notes, then these notes.
fn print_matches(
    session: &Session,
    warning: &Option<String>,
    outcome: String,
    matches: &[NoteMatch],
    output: &mut Output,
) {
    warning.iter().for_each(|warning| session.say(warning));
    output.line(outcome);
    for m in matches {
        let mut facts = vec![match m.exact {
            true => "same wording".to_owned(),
            false => format!("similarity {:.2}", m.similarity),
        }];
        if !m.differs.is_empty() {
            facts.push(format!("differs in {}", m.differs.join(", ")));
        }
        facts.push(m.lifecycle.as_str().to_owned());
        let (key, title) = (key(&m.id), plain(&m.title));
        output
            .line(format_args!("  {key} {title} {}", dim(format_args!("({})", facts.join("; ")))));
    }
}

fn print_note(note: &Note, output: &mut Output) {
    output.line(format_args!("{} {}", key(&note.key), bold(&note.title)));
    let (kind, lifecycle) = (note.kind.as_str(), note.lifecycle.as_str());
    let mut facts = format!("{kind} · {lifecycle} · {}", day(Some(note.updated_at)));
    facts.extend(note.tags.iter().map(|tag| format!(" · #{tag}")));
    output.line(dim(facts));
    output.line("");
    output.print_wrapped(&plain(&note.body), "");
    if !note.connected.is_empty() {
        output.line(format_args!("\n{DIM}Attached to {}{DIM:#}", plain(note.connected.join(", "))));
    }
}
