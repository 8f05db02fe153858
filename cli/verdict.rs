//! `precedent verdict`.

use precedent_core::{
    Result,
    model::{Verdict, VerdictKind},
};

use crate::{
    Session,
    args::VerdictCommand,
    output::{DIM, KEY, Output, day, plain},
};

pub async fn run(session: &Session, command: VerdictCommand, output: &mut Output) -> Result<()> {
    let casebook = &session.casebook;
    match command {
        VerdictCommand::Set { key, other, verdict, reason, by, json } => {
            let kind = match verdict.as_str() {
                "duplicate" => VerdictKind::Duplicate,
                "related" => VerdictKind::Related,
                _ => VerdictKind::NotDuplicate,
            };
            let verdict = casebook
                .record_verdict(
                    &session.key(&key),
                    &session.key(&other),
                    kind,
                    reason.as_deref(),
                    &actor(by),
                )
                .await?;
            match &json.json {
                Some(fields) => output.json(&verdict, fields, None),
                None => {
                    print(&verdict, output);
                    Ok(())
                }
            }
        }
        VerdictCommand::Undo { key, other, by, json } => {
            let earlier_verdict =
                casebook.undo_verdict(&session.key(&key), &session.key(&other), &actor(by)).await?;
            match (&json.json, &earlier_verdict) {
                (Some(fields), _) => return output.json(&earlier_verdict, fields, None),
                (None, Some(verdict)) => {
                    output.line("Undone. The earlier verdict applies again:");
                    print(verdict, output);
                }
                (None, None) => output.line("Undone. There is no verdict on this pair now."),
            }
            Ok(())
        }
        VerdictCommand::List { key, json } => {
            let verdicts =
                casebook.verdicts(key.as_deref().map(|k| session.key(k)).as_deref()).await?;
            if let Some(fields) = &json.json {
                return output.json(&verdicts, fields, None);
            }
            if verdicts.is_empty() {
                output.line(match key {
                    Some(key) => format!("No verdicts on {}.", plain(&session.key(&key))),
                    None => "No verdicts yet.".to_owned(),
                });
            }
            for verdict in &verdicts {
                print(verdict, output);
            }
            Ok(())
        }
    }
}

/// Returns the name to record with a verdict: the given one, else the user's.
pub fn actor(by: Option<String>) -> String {
    by.filter(|name| !name.trim().is_empty()).unwrap_or_else(precedent_host::user)
}

pub fn print(verdict: &Verdict, output: &mut Output) {
    let text = match (&verdict.canonical, verdict.kind) {
        (Some(canonical), VerdictKind::Duplicate) => {
            let duplicate =
                if *canonical == verdict.first { &verdict.second } else { &verdict.first };
            format!(
                "{KEY}{}{KEY:#} is a duplicate of {KEY}{}{KEY:#}",
                plain(duplicate),
                plain(canonical)
            )
        }
        (_, kind) => format!(
            "{KEY}{}{KEY:#} and {KEY}{}{KEY:#} are {}",
            plain(&verdict.first),
            plain(&verdict.second),
            if kind == VerdictKind::Related { "related" } else { "not duplicates" }
        ),
    };
    let reason = verdict.reason.as_ref().map_or_else(String::new, |r| format!(": {}", plain(r)));
    // "someone" stands for an unknown user name.
    let actor = Some(plain(&verdict.actor)).filter(|name| name != "someone");
    let actor = actor.map(|name| format!("{name}, ")).unwrap_or_default();
    output
        .line(format_args!("{text}{reason}  {DIM}{actor}{}{DIM:#}", day(Some(verdict.decided_at))));
}
