//! `precedent index`.

use precedent_core::{Result, model::IndexReport};

use crate::{
    Session,
    args::IndexCommand,
    output::{Output, plural},
};

pub async fn run(session: &Session, command: IndexCommand, output: &mut Output) -> Result<()> {
    if command.rebuild {
        session.casebook.forget_indexes().await?;
    }
    let report = if command.no_vectors {
        session.casebook.update_text(&session.task).await?
    } else {
        session.casebook.update_index(&session.task).await?
    };
    if report.documents > 0 {
        session.say(&format!(
            "Searchable by words: {} in {:.1} s.",
            plural(report.documents, "document"),
            report.full_text_seconds
        ));
    }
    say(session, &report);
    if report.documents == 0
        && report.embedded == 0
        && report.calibrated.is_empty()
        && !report.busy_elsewhere
        && report.model_problem.is_none()
    {
        session.say("Everything is up to date.");
    }
    match command.json.json {
        Some(fields) => output.json(&report, &fields, None),
        None => Ok(()),
    }
}

/// What an update of the vectors did, in words.
pub fn say(session: &Session, report: &IndexReport) {
    if report.busy_elsewhere {
        session.say("Another process is computing vectors; it takes these changes along.");
    }
    if report.embedded > 0 {
        session.say(&format!(
            "Searchable by meaning: {} in {:.1} s.",
            plural(report.embedded, "passage"),
            report.vector_seconds
        ));
    }
    if let Some(problem) = &report.model_problem {
        session.say(&format!("No search by meaning: {problem}"));
    }
    for calibrated in &report.calibrated {
        session.say(&format!(
            "{}: checks for duplicates are calibrated on {} of its own now.",
            calibrated.source,
            plural(calibrated.labels, "known one")
        ));
    }
}
