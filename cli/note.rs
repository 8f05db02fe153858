//! `precedent note`.

use precedent_core::{
    Error, Result,
    model::{
        Lifecycle, Note, NoteAnswer, NoteChange, NoteDraft, NoteKind, NoteMatch, NoteOutcome,
        Recommendation, parse_name,
    },
};

use crate::{
    Session,
    args::{NoteCommand, NoteDraftArgs},
    input,
    output::{BOLD, DIM, GOOD, HIT, KEY, Output, day, plain},
};

pub async fn run(session: &Session, command: NoteCommand, output: &mut Output) -> Result<()> {
    let casebook = &session.casebook;
    match command {
        NoteCommand::Add { draft, tags, attach, force, json } => {
            let (kind, title, body) = parse_draft(draft)?;
            let draft = NoteDraft { kind, title, body, tags, attach, force };
            let answer = casebook.add_note(draft, &session.task).await?;
            match &json.json {
                Some(fields) => output.json(&answer, fields, None),
                None => {
                    print_answer(session, &answer, output);
                    Ok(())
                }
            }
        }
        NoteCommand::CheckSimilar { draft, json } => {
            let (kind, title, body) = parse_draft(draft)?;
            let similar = casebook.similar_notes(kind, &title, &body).await?;
            if let Some(fields) = &json.json {
                return output.json(&similar, fields, Some("matches"));
            }
            if let Some(warning) = &similar.warning {
                session.say(warning);
            }
            output.line(match similar.recommendation {
                Recommendation::DuplicateFound => "This note already exists:".to_owned(),
                Recommendation::SimilarFound => "Similar notes exist:".to_owned(),
                Recommendation::Unique => format!("No similar notes of kind {}.", kind.as_str()),
            });
            similar.matches.iter().for_each(|m| print_match(m, output));
            Ok(())
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
            print_note(&casebook.edit_note(&key, change, &session.task).await?, &json.json, output)
        }
        NoteCommand::List { kind, include_archived, json } => {
            let kind = kind.map(|k| parse_kind(&k)).transpose()?;
            let mut notes = casebook.notes(kind).await?;
            notes.retain(|n| include_archived || n.lifecycle == Lifecycle::Active);
            if let Some(fields) = &json.json {
                return output.json(&notes, fields, None);
            }
            match kind {
                _ if !notes.is_empty() => {}
                Some(kind) => output.line(format_args!(
                    "No notes of kind {}. To list all notes: precedent note list",
                    kind.as_str()
                )),
                None => output.line(
                    "No notes yet. Add one: precedent note add --kind lesson --title … --body …",
                ),
            }
            for note in &notes {
                let archived_mark =
                    if note.lifecycle == Lifecycle::Archived { " (archived)" } else { "" };
                output.line(format_args!(
                    "{KEY}{:<9}{KEY:#} {DIM}{}  {:<10}{DIM:#}  {}",
                    note.key,
                    day(Some(note.updated_at)),
                    format!("{}{archived_mark}", note.kind.as_str()),
                    // Notes from earlier versions may have multi-line titles.
                    plain(&note.title).split_whitespace().collect::<Vec<_>>().join(" ")
                ));
            }
            Ok(())
        }
        NoteCommand::Show { key, json } => {
            print_note(&casebook.note(&key).await?, &json.json, output)
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

fn parse_draft(draft: NoteDraftArgs) -> Result<(NoteKind, String, String)> {
    Ok((parse_kind(&draft.kind)?, draft.title, read_text(draft.body)?))
}

fn parse_kind(kind: &str) -> Result<NoteKind> {
    parse_name(kind).ok_or_else(|| Error::invalid(format!("unknown kind of note \"{kind}\"")))
}

/// Returns the argument, or the text on standard input for `-`.
fn read_text(argument: String) -> Result<String> {
    if argument == "-" { input::read_stdin_text() } else { Ok(argument) }
}

fn print_answer(session: &Session, answer: &NoteAnswer, output: &mut Output) {
    if let Some(warning) = &answer.warning {
        session.say(warning);
    }
    let key = &answer.note.key;
    match answer.outcome {
        NoteOutcome::Stored => {
            output.line(format_args!("{GOOD}Saved{GOOD:#} as {KEY}{key}{KEY:#}."))
        }
        NoteOutcome::Connected => {
            output.line(format_args!(
                "{GOOD}Saved{GOOD:#} as {KEY}{key}{KEY:#}, attached to similar notes:"
            ));
        }
        NoteOutcome::Duplicate => {
            output.line(format_args!(
                "{HIT}Not saved:{HIT:#} this note already exists. Use --force to save it anyway."
            ));
        }
    }
    answer.matches.iter().for_each(|m| print_match(m, output));
}

fn print_match(m: &NoteMatch, output: &mut Output) {
    let similarity =
        if m.exact { "same wording".to_owned() } else { format!("similarity {:.2}", m.similarity) };
    let differences = if m.differs.is_empty() {
        String::new()
    } else {
        format!("; differs in {}", plain(&m.differs.join(", ")))
    };
    output.line(format_args!(
        "  {KEY}{}{KEY:#} {} {DIM}({similarity}{differences}; {}){DIM:#}",
        m.id,
        plain(&m.title),
        m.lifecycle.as_str()
    ));
}

fn print_note(note: &Note, json: &Option<String>, output: &mut Output) -> Result<()> {
    if let Some(fields) = json {
        return output.json(note, fields, None);
    }
    output.line(format_args!("{KEY}{}{KEY:#} {BOLD}{}{BOLD:#}", note.key, plain(&note.title)));
    let mut facts = vec![
        note.kind.as_str().to_owned(),
        note.lifecycle.as_str().to_owned(),
        day(Some(note.updated_at)),
    ];
    facts.extend(note.tags.iter().map(|t| format!("#{}", plain(t))));
    output.line(format_args!("{DIM}{}{DIM:#}", facts.join(" · ")));
    output.line("");
    output.print_wrapped(&plain(&note.body), "");
    if !note.connected.is_empty() {
        output.line("");
        output.line(format_args!("{DIM}Attached to {}{DIM:#}", plain(&note.connected.join(", "))));
    }
    Ok(())
}
