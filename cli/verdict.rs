//! `precedent verdict`.

use precedent_core::{
    Result,
    model::{Verdict, VerdictKind},
};

use crate::{
    Session,
    args::VerdictCommand,
    output::{Output, day, dim, key, plain},
};

pub async fn run(session: &Session, command: VerdictCommand, output: &mut Output) -> Result<()> {
    let casebook = &session.casebook;
    match command {
        VerdictCommand::Set { key, other_key, verdict, reason, by, json } => {
            let kind = match verdict.as_str() {
                "duplicate" => VerdictKind::Duplicate,
                "related" => VerdictKind::Related,
                _ => VerdictKind::NotDuplicate,
            };
            let (key, other_key, reason) =
                (session.key(&key), session.key(&other_key), reason.as_deref());
            let verdict =
                casebook.record_verdict(&key, &other_key, kind, reason, &actor(by)).await?;
            output.answer(&verdict, &json, None, |output| output.line(describe(&verdict)))
        }
        VerdictCommand::Undo { key, other_key, by, json } => {
            let (key, other_key) = (session.key(&key), session.key(&other_key));
            let earlier_verdict = casebook.undo_verdict(&key, &other_key, &actor(by)).await?;
            output.answer(&earlier_verdict, &json, None, |output| match &earlier_verdict {
                Some(verdict) => {
                    output.line("Undone. The earlier verdict applies again:");
                    output.line(describe(verdict));
                }
                None => output.line("Undone. There is no verdict on this pair now."),
            })
        }
        VerdictCommand::List { key, json } => {
            let key = key.map(|key| session.key(&key));
            let verdicts = casebook.verdicts(key.as_deref()).await?;
            output.answer(&verdicts, &json, None, |output| {
                if verdicts.is_empty() {
                    output.line(match key {
                        Some(key) => format!("No verdicts on {}.", plain(key)),
                        None => "No verdicts yet.".to_owned(),
                    });
                }
                verdicts.iter().for_each(|verdict| output.line(describe(verdict)));
            })
        }
    }
}

/// Returns the name to record with a verdict: the given one, else the user's.
pub fn actor(by: Option<String>) -> String {
    by.filter(|name| !name.trim().is_empty()).unwrap_or_else(precedent_host::user)
}

/// Describes a verdict with its reason, its actor and its day.
pub fn describe(verdict: &Verdict) -> String {
    let text = match (&verdict.canonical, verdict.kind) {
        (Some(canonical), VerdictKind::Duplicate) => {
            format!("{} is a duplicate of {}", key(duplicate(verdict)), key(canonical))
        }
        (_, kind) => {
            let relation = if kind == VerdictKind::Related { "related" } else { "not duplicates" };
            format!("{} and {} are {relation}", key(&verdict.first), key(&verdict.second))
        }
    };
    let reason = verdict.reason.as_ref().map_or_else(String::new, |r| format!(": {}", plain(r)));
    // "someone" stands for an unknown user name.
    let actor = Some(&verdict.actor).filter(|name| *name != "someone");
    let actor = actor.map(|name| format!("{name}, ")).unwrap_or_default();
    let details = dim(actor + &day(Some(verdict.decided_at)));
    format!("{text}{reason}  {details}")
}

/// Returns the report of the pair that is a duplicate of the canonical one.
pub fn duplicate(verdict: &Verdict) -> &str {
    match verdict.canonical.as_ref() == Some(&verdict.first) {
        true => &verdict.second,
        false => &verdict.first,
    }
}
