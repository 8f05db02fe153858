//! Closes confirmed duplicates on their tracker exactly once despite interruptions.
//!
//! Each step is recorded before it is sent. To avoid duplicate comments, the tracker is first
//! searched for a comment with the same text, which a colleague may have posted.

use std::time::Duration;

use super::{Context, apply, lock::SyncLock};
use crate::tracker::{
    Kind, Lookup, Tracker,
    github::{CanonicalRef, GitHub, closing_steps},
};
use precedent_core::{
    error::{Code, Error, Hint, Remedy, Result},
    model::{
        Closure, ClosureRecord, ClosureReport, ClosureStep, DocKind, Record, State, VerdictKind,
    },
    task::Phase,
};
use precedent_store::{DocumentRow, Reader, RemoteRow, SourceRow};

/// The pause that GitHub recommends between two changes.
/// <https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api>
const WRITE_PAUSE: Duration = Duration::from_secs(1);

/// Returns the open reports of one or all live sources that are marked as duplicates, by source and
/// number.
pub fn closures(reader: &Reader<'_>, filter: Option<&SourceRow>) -> Result<Vec<Closure>> {
    let mut out = Vec::new();
    for verdict in reader.verdicts(None)? {
        let (VerdictKind::Duplicate, Some(canonical)) = (verdict.kind, &verdict.canonical) else {
            continue;
        };
        let key = if *canonical == verdict.first { &verdict.second } else { &verdict.first };
        let Some(row) = reader.document_by_key(key)? else { continue };
        let is_open = row.state == Some(State::Open)
            && row.deleted_at.is_none()
            && row.kind == DocKind::Issue;
        if !is_open || filter.is_some_and(|s| s.id != row.source_id) {
            continue;
        }
        let Some(source) = reader.source(&row.source)? else { continue };
        let (Some(remote), Some(number)) = (reader.remote(source.id)?, row.number) else {
            continue;
        };
        // Decisions from a casebook file are shown but never sent to a tracker.
        let is_imported = reader.is_imported_verdict(&verdict)?;
        let canonical =
            if is_imported { reader.canonical(key)? } else { reader.own_canonical(key)? };
        let trust_obstacle =
            trust_obstacle(&remote, &source, is_imported, &row.key, &canonical.key);
        let previous_closure = reader.closure(key, &canonical.key)?;
        if previous_closure.as_ref().is_some_and(|c| c.step == ClosureStep::Closed) {
            continue;
        }
        let target = reader.document_by_key(&canonical.key)?;
        let is_discussion = row.url.as_deref().is_some_and(|url| url.contains("/discussions/"));
        let reference = if canonical.cycle.is_empty() && !is_discussion && trust_obstacle.is_none()
        {
            canonical_ref(reader, &remote, &source, target.as_ref())?
        } else {
            None
        };
        let kind = Kind::parse(&source.kind).unwrap_or(Kind::GitHub);
        let steps = reference
            .filter(|_| kind == Kind::GitHub)
            .map(|p| closing_steps(&remote.host, &remote.project, number, &p));
        let obstacle = match (&steps, canonical.cycle.is_empty()) {
            _ if trust_obstacle.is_some() => trust_obstacle,
            (Some(_), _) => None,
            (None, false) => {
                Some("it is in a cycle of reports marked as duplicates of each other".into())
            }
            (None, true) if kind != Kind::GitHub => Some(unsupported_obstacle(&remote.host).into()),
            (None, true) if is_discussion => {
                Some("discussions cannot be closed from here; close it there".into())
            }
            (None, true) => {
                let key = canonical.key.as_str();
                Some(format!("{key} has no web address to link to in a comment").into())
            }
        };
        let (comment, commands) = steps.map(|s| (s.comment, s.commands)).unwrap_or_default();
        out.push(Closure {
            key: row.key,
            title: row.title,
            source: source.key,
            number,
            canonical: canonical.key,
            canonical_title: target.map(|d| d.title),
            host: remote.host,
            actor: verdict.actor,
            decided_at: verdict.decided_at,
            comment,
            commands,
            obstacle,
            step: previous_closure.map(|c| c.step),
        });
    }
    let order = |c: &Closure| (c.source.clone(), c.number, c.obstacle.is_some());
    out.sort_by_cached_key(order);
    // Several decisions about a report lead to the same canonical report.
    out.dedup_by(|a, b| a.key == b.key);
    Ok(out)
}

/// Returns the reason if a report or decision is from a casebook file, so nothing is sent.
fn trust_obstacle(
    remote: &RemoteRow,
    source: &SourceRow,
    is_imported: bool,
    key: &str,
    canonical: &str,
) -> Option<Hint> {
    let RemoteRow { project, host, .. } = remote;
    let source = &source.key;
    if !remote.is_trusted {
        let text = format!(
            "{source} was imported from a casebook file; trust it if you know {project} at {host}"
        );
        let command = format!("precedent source trust {source}");
        return Some(Hint::from(text).with_command(Remedy::Sources, command));
    }
    is_imported.then(|| {
        Hint::from("the decision was imported from a casebook file; confirm it")
            .with_command(None, format!("precedent verdict set {key} {canonical} duplicate"))
    })
}

/// Returns the reason why reports on other trackers than GitHub are not closed.
fn unsupported_obstacle(host: &str) -> String {
    format!("reports on {host} cannot be closed from here; close it there")
}

fn canonical_ref(
    reader: &Reader<'_>,
    remote: &RemoteRow,
    source: &SourceRow,
    canonical: Option<&DocumentRow>,
) -> Result<Option<CanonicalRef>> {
    let Some(canonical) = canonical.filter(|s| s.deleted_at.is_none() && s.kind != DocKind::Note)
    else {
        return Ok(None);
    };
    if let (Some(number), true) = (canonical.number, canonical.source_id == source.id) {
        return Ok(Some(CanonicalRef::SameProject(number)));
    }
    let other_remote =
        reader.source(&canonical.source)?.map(|s| reader.remote(s.id)).transpose()?.flatten();
    Ok(match (other_remote.filter(|o| o.host == remote.host), canonical.number) {
        (Some(other_remote), Some(number)) => {
            Some(CanonicalRef::SameHost(other_remote.project, number))
        }
        _ => canonical.url.as_deref().and_then(safe_url).map(CanonicalRef::OtherHost),
    })
}

/// Returns an address that is safe in a comment and in a quoted command argument.
fn safe_url(text: &str) -> Option<String> {
    let url = url::Url::parse(text).ok().filter(|u| matches!(u.scheme(), "http" | "https"))?;
    Some(url.to_string().replace('\'', "%27"))
}

/// Closes reports on their source's tracker, one by one.
pub async fn close(
    context: &Context,
    source: &SourceRow,
    tracker: &mut dyn Tracker,
    closures: &[Closure],
    actor: &str,
) -> ClosureReport {
    let mut report = ClosureReport::default();
    let result = close_all(context, source, tracker, closures, actor, &mut report.done).await;
    report.problem = result.err();
    report
}

async fn close_all(
    context: &Context,
    source: &SourceRow,
    tracker: &mut dyn Tracker,
    closures: &[Closure],
    actor: &str,
    records: &mut Vec<ClosureRecord>,
) -> Result<()> {
    let Some(_lock) = SyncLock::take(&context.folder, source.id).await? else {
        return Err(Error::new(Code::Busy, format!("{} is already being synced", source.key))
            .with_hint("Try again when it has finished."));
    };
    if closures.iter().any(|closure| closure.obstacle.is_none()) {
        tracker.probe().await?;
    }
    for (index, closure) in closures.iter().enumerate() {
        context.task().check()?;
        context.task().report(Phase::Close, index as u64, Some(closures.len() as u64), "reports");
        let key = closure.key.clone();
        let canonical = closure.canonical.clone();
        let earlier_record = context.read(move |r| r.closure(&key, &canonical)).await?;
        let now = (context.clock)();
        let mut job = ClosureJob {
            context,
            source,
            closure,
            record: ClosureRecord {
                key: closure.key.clone(),
                canonical: closure.canonical.clone(),
                step: ClosureStep::Commenting,
                comment_url: earlier_record.as_ref().and_then(|e| e.comment_url.clone()),
                problem: None,
                actor: actor.to_owned(),
                began_at: earlier_record.map_or(now, |e| e.began_at),
                changed_at: now,
            },
        };
        let result = job.run(tracker).await;
        if let Err(error) = &result {
            job.record.problem = Some(error.to_string());
        }
        records.push(job.record);
        result?;
    }
    Ok(())
}

struct ClosureJob<'a> {
    context: &'a Context,
    source: &'a SourceRow,
    closure: &'a Closure,
    record: ClosureRecord,
}

impl ClosureJob<'_> {
    async fn run(&mut self, tracker: &dyn Tracker) -> Result<()> {
        let number = self.closure.number;
        if let Some(reason) = &self.closure.obstacle {
            return self.refuse(reason.text.clone()).await;
        }
        let Some(closer) = tracker.closer() else {
            return self.refuse(unsupported_obstacle(&self.closure.host)).await;
        };
        let record = match tracker.item(number).await? {
            Lookup::Found(records) => records.into_iter().next(),
            Lookup::Gone => {
                return self.refuse("it was deleted, or you no longer have access to it").await;
            }
            Lookup::Moved(target) => {
                let target = target.map(|t| format!(" ({t})")).unwrap_or_default();
                return self.refuse(format!("it was moved to another project{target}")).await;
            }
            Lookup::Unreadable => None,
        };
        let Some(record) = record else {
            return self.refuse("the tracker's response cannot be read").await;
        };
        let (state, state_reason) = match &record {
            Record::Document(d) => (d.state, d.state_reason.clone()),
            Record::Comment(_) => (None, None),
        };
        if state != Some(State::Open) && state_reason.as_deref() != Some("duplicate") {
            let suffix =
                state_reason.map(|r| format!(" as {}", r.replace('_', " "))).unwrap_or_default();
            self.record.step = ClosureStep::Refused;
            self.record.problem = Some(format!("it was closed{suffix} in the meantime"));
            return self.store(vec![record]).await;
        }
        self.comment(closer).await?;
        if state == Some(State::Open) {
            self.context.http.wait(WRITE_PAUSE).await?;
            let record = closer.close(number).await?;
            if let Record::Document(d) = &record
                && d.state_reason.as_deref() != Some("duplicate")
            {
                let reason = d.state_reason.as_deref().unwrap_or("closed").replace('_', " ");
                self.record.problem = Some(format!(
                    "this server does not support closing as a duplicate; it was closed as {reason}"
                ));
            }
            self.record.step = ClosureStep::Closed;
            self.store(vec![record]).await?;
            return self.context.http.wait(WRITE_PAUSE).await;
        }
        self.record.step = ClosureStep::Closed;
        self.record.problem = Some("it was already closed as a duplicate".to_owned());
        self.store(vec![record]).await
    }

    /// Posts the comment unless it already exists.
    async fn comment(&mut self, closer: &GitHub) -> Result<()> {
        let (number, text) = (self.closure.number, self.closure.comment.as_str());
        let mut comment_url = closer.find_comment(number, text).await?;
        if comment_url.is_none() {
            self.store(Vec::new()).await?;
            comment_url = match closer.post_comment(number, text).await {
                Ok(url) => Some(url.unwrap_or_default()),
                // The comment may have arrived; if this check fails, too, the next run repeats it.
                Err(error) if error.code() == Code::Network => {
                    match closer.find_comment(number, text).await {
                        Ok(Some(url)) => Some(url),
                        _ => return Err(error),
                    }
                }
                Err(error) => return Err(error),
            };
        }
        self.record.comment_url = comment_url.filter(|url| !url.is_empty());
        self.record.step = ClosureStep::Commented;
        self.store(Vec::new()).await
    }

    async fn refuse(&mut self, reason: impl Into<String>) -> Result<()> {
        self.record.step = ClosureStep::Refused;
        self.record.problem = Some(reason.into());
        self.store(Vec::new()).await
    }

    async fn store(&mut self, records: Vec<Record>) -> Result<()> {
        self.record.changed_at = (self.context.clock)();
        let (source, record, now) =
            (self.source.clone(), self.record.clone(), self.record.changed_at);
        let changes = self.context.with_store(move |store| {
            store.write_durably(|w| w.put_closure(&record))?;
            apply(store, &source, records, false, now, |_| Ok(())).map(drop)
        });
        changes.await
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn address_cannot_escape_its_quotes() {
        let url = super::safe_url("https://x.example/a'; rm -rf ~; echo '").unwrap();
        assert!(!url.contains(['\'', ' ']), "{url}");
        assert_eq!(super::safe_url("https://x.example/1").as_deref(), Some("https://x.example/1"));
        for bad in ["javascript:alert(1)", "no address", "file:///etc/passwd"] {
            assert_eq!(super::safe_url(bad), None, "{bad}");
        }
    }
}
