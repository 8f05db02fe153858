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
    print_text_report(session, &report);
    print_report(session, &report);
    if report.documents == 0
        && report.embedded == 0
        && report.calibrated.is_empty()
        && !report.busy_elsewhere
        && report.model_problem.is_none()
    {
        session.say("Indexes are up to date.");
    }
    output.answer(&report, &command.json, None, |_| {})
}

/// Prints the result of a keyword index update.
pub fn print_text_report(session: &Session, report: &IndexReport) {
    if report.documents > 0 {
        session.say(&format!(
            "Keyword index updated: {} in {:.1} s.",
            plural(report.documents, "document"),
            report.full_text_seconds
        ));
    }
}

/// Prints the result of a semantic index update.
pub fn print_report(session: &Session, report: &IndexReport) {
    if report.busy_elsewhere {
        session.say("Another process is computing vectors and will include these changes.");
    }
    if report.embedded > 0 {
        session.say(&format!(
            "Semantic index updated: {} in {:.1} s.",
            plural(report.embedded, "passage"),
            report.vector_seconds
        ));
    }
    if let Some(problem) = &report.model_problem {
        session.say(&format!("The semantic index is not available: {problem}"));
    }
    for calibration in &report.calibrated {
        session.say(&format!(
            "{}: duplicate checks are now calibrated on {}.",
            calibration.source,
            plural(calibration.labels, "known duplicate")
        ));
    }
}
