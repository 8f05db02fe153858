//! `precedent source`.

use precedent_core::{
    Error, Result,
    model::{Access, NewMirror, SourceView, SyncProgress},
};
use precedent_engine::Casebook;

use crate::{
    Session,
    args::SourceCommand,
    input,
    output::{Output, count, key, plain, plural},
};

pub async fn run(session: &Session, command: SourceCommand, output: &mut Output) -> Result<()> {
    match command {
        SourceCommand::Add { key, host, local_name, wiki, json } => {
            let mut already_exists = false;
            let address = parse_address(&key)?;
            let is_mirror = address.is_some();
            let view = match address {
                Some(address) => {
                    let host = host.or_else(|| address.host.clone());
                    let mirror = NewMirror { host, key: local_name, wiki, ..address };
                    session.casebook.add_tracker(mirror).await?
                }
                None if host.is_some() || wiki || local_name.is_some() => {
                    return Err(Error::invalid("--host, --as and --wiki need a tracker")
                        .with_hint(format!("For example: precedent source add github:{key}")));
                }
                None => {
                    let sources = session.casebook.sources().await?;
                    already_exists =
                        sources.iter().any(|source| source.key.eq_ignore_ascii_case(&key));
                    session.casebook.add_source(&key).await?
                }
            };
            let next = if is_mirror {
                "fetch it: precedent sync"
            } else {
                "import into it: precedent import github FILE --source"
            };
            output.answer(&view, &json, None, |_| match already_exists {
                true => session.say(&format!(
                    "{} already exists ({}); nothing was changed.",
                    view.key,
                    describe_contents(&view)
                )),
                false => session.say(&format!("Added {}. To {next} {}", view.key, view.key)),
            })
        }
        SourceCommand::Test { key, json } => {
            let access = session.casebook.test_source(&key, &session.task).await?;
            output.answer(&access, &json, None, |output| print_access(&access, output))
        }
        SourceCommand::Trust { key, json } => {
            let host = session.casebook.trust_source(&key).await?;
            let place =
                host.token.as_ref().map(|place| format!(" (from {place})")).unwrap_or_default();
            output.answer(&host, &json, None, |_| {
                session.say(&format!(
                    "{} can now use your saved token for its host{place}.",
                    host.host
                ));
            })
        }
        SourceCommand::List { json } => {
            let sources = session.casebook.sources().await?;
            let mirrors = session.casebook.mirrors().await?;
            output.answer(&sources, &json, None, |output| {
                if sources.is_empty() {
                    session.say("No sources yet. Try `precedent import sample`, or `precedent import github FILE --source owner/name`.");
                }
                for source in &sources {
                    print(source, output);
                    if let Some(m) = mirrors.iter().find(|m| m.source == source.key && m.running) {
                        output.detail(describe_progress(m.progress.as_ref()));
                    }
                }
            })
        }
        SourceCommand::Remove { key, yes, json } => {
            if !yes {
                confirm(session, &key).await?;
            }
            let view = session.casebook.remove_source(&key, &session.task).await?;
            output.answer(&view, &json, None, |_| {
                session.say(&format!("Removed {} ({}).", view.key, describe_contents(&view)));
            })
        }
    }
}

/// Parses a web address or TRACKER:PROJECT; `None` for the name of a source without a tracker.
fn parse_address(key: &str) -> Result<Option<NewMirror>> {
    let address = Casebook::parse_source_address(key);
    match key.split_once(':') {
        Some((_, rest)) if address.is_none() && rest.starts_with("//") => {
            Err(Error::invalid(format!("the tracker of {key} is unknown")).with_hint(
                "Name it, for example: precedent source add redmine:HOST/project, or gitlab:group/app --host HOST",
            ))
        }
        parts => Ok(address.or_else(|| {
            let (tracker, place) = parts?;
            Some(NewMirror { tracker: tracker.into(), place: place.into(), ..Default::default() })
        })),
    }
}

fn print_access(access: &Access, output: &mut Output) {
    let mut facts = vec![if access.project.private { "private" } else { "public" }];
    facts.extend(access.project.archived.then_some("archived"));
    facts.extend((!access.project.issues).then_some("without issues"));
    facts.extend(access.project.wiki.then_some("with a wiki"));
    output.line(format_args!("{}  {}", key(&access.project.name), facts.join(", ")));
    let user = access.user.as_deref().map_or_else(|| "an anonymous user".to_owned(), plain);
    output.detail(format_args!("connected as {user}"));
    if let (Some(remaining_requests), Some(limit)) = (access.remaining, access.limit) {
        output.detail(format_args!(
            "{} of {} left",
            count(remaining_requests),
            plural(limit, "request")
        ));
    }
    for permission in &access.refused {
        output.line(format_args!("  {}", plain(permission)));
    }
    if access.refused.is_empty() {
        output.line("  Everything that is mirrored can be read.");
    }
}

async fn confirm(session: &Session, key: &str) -> Result<()> {
    let sources = session.casebook.sources().await?;
    // The removal itself reports a source that does not exist.
    let Some(view) = sources.into_iter().find(|s| s.key.eq_ignore_ascii_case(key)) else {
        return Ok(());
    };
    let refusal = Error::invalid(format!("not removed: removing {key} needs confirmation"))
        .with_hint("Use --yes to confirm.");
    let contents = describe_contents(&view);
    input::confirm(format_args!("Remove {} with {contents}?", plain(&view.key)), refusal)
}

/// Describes the contents of a source.
pub fn describe_contents(s: &SourceView) -> String {
    let mut parts = vec![
        plural(s.issues, "issue"),
        plural(s.pull_requests, "pull request"),
        plural(s.comments, "comment"),
    ];
    if s.pages > 0 {
        parts.push(plural(s.pages, "wiki page"));
    }
    parts.join(", ")
}

/// Prints a source with its contents and its missing data.
pub fn print(s: &SourceView, output: &mut Output) {
    output.line(format_args!("{}  {}", key(&s.key), describe_contents(s)));
    if s.missing_comments > 0 {
        output.detail(format_args!(
            "{} not imported, although the tracker lists more",
            plural(s.missing_comments, "comment")
        ));
    }
    if s.orphan_comments > 0 {
        output.detail(format_args!(
            "{} on items that are missing",
            plural(s.orphan_comments, "comment")
        ));
    }
    match s.calibrated_on {
        Some(labels) => output.detail(format_args!(
            "duplicates: calibrated on {}",
            plural(labels, "known duplicate")
        )),
        // Each pair counts as one known duplicate.
        None if s.known_duplicates >= precedent_engine::answer::MIN_RANKING_LABELS as u64 => output
            .detail(format_args!(
                "duplicates: {} known; run `precedent calibrate {}` to tune ranking",
                plural(s.known_duplicates, "pair"),
                s.key
            )),
        None => {}
    }
}

/// Describes a running sync, in this or another process.
pub fn describe_progress(progress: Option<&SyncProgress>) -> String {
    let Some(progress) = progress else { return "syncing now".to_owned() };
    let (rate, seconds_left) = progress.rate_and_remaining();
    let time_left = seconds_left.map(|s| match s {
        0..=90 => format!(", {s} s left"),
        _ => format!(", {} min left", s.div_ceil(60)),
    });
    let time_left = time_left.unwrap_or_default();
    if progress.phase == "wait" {
        return format!("syncing now: waiting for the tracker's rate limit{time_left}");
    }
    let max = progress.total.map(|t| format!(" of {}", count(t))).unwrap_or_default();
    let rate = rate.map(|r| format!(", {r:.0}/s")).unwrap_or_default();
    format!("syncing now: {}{max} {}{rate}{time_left}", count(progress.done), plain(&progress.unit))
}
