//! Mirrors live trackers: fetches page after page, and stores each with its cursor in one
//! transaction.

use std::collections::HashSet;

use jiff::Timestamp;

use super::{
    absence::Allowance,
    clock,
    lock::SyncLock,
    relations, releases,
    remote::key_of,
    removal, report,
    run::{Context, PageEvents, Run, SeenRecords},
    sweep, wiki,
};
use crate::tracker::{Cursor, FetchError, Kind, Stream, Tracker, repetition::RepeatGuard};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    model::{Record, SyncReport, SyncRequest},
    secret_filter,
    task::{Phase, Task},
};
use precedent_store::{RemoteRow, SourceRow, StreamRow};

/// Records that a source was not synced because no tracker is reachable.
pub async fn record_unreachable(
    context: &Context,
    source: &SourceRow,
    cause: &Error,
) -> SyncReport {
    let mut report = SyncReport {
        source: source.key.clone(),
        problem: Some(cause.clone()),
        ..SyncReport::default()
    };
    let (source, now) = (source.id, (context.clock)());
    let problem = secret_filter::single_line(&cause.to_string());
    if let Err(error) = context.write(move |w| w.end_sync(source, now, Some(&problem))).await {
        report.problem = Some(error);
    }
    report
}

/// Syncs one source. If an error ends it early, the report contains it, and fetched pages are kept.
pub async fn sync(
    context: &Context,
    source: &SourceRow,
    remote: &RemoteRow,
    tracker: &mut dyn Tracker,
    request: &SyncRequest,
) -> SyncReport {
    let start = (context.clock)();
    let mut run = Run {
        context,
        source,
        full: request.full,
        allowance: if request.hide_gone { Allowance::All } else { Allowance::Share },
        report: SyncReport { source: source.key.clone(), ..SyncReport::default() },
        project: remote.project.clone(),
        seen_records: SeenRecords::default(),
        hidden_count: 0,
        incomplete_reason: None,
        date_gaps: Vec::new(),
    };
    let result = tokio::select! {
        result = run.sync_all(remote, tracker) => result,
        never = context.publish_progress(source.id) => match never {},
    };
    let (mut out, notes) = (run.report, run.date_gaps);
    out.problem = result.as_ref().err().cloned();
    out.requests = context.http.request_count();
    out.seconds = start.duration_until((context.clock)()).as_secs().max(0).unsigned_abs();
    let is_busy = matches!(&result, Err(e) if e.code() == Code::Busy);
    let problem = result.err().map(|e| secret_filter::single_line(&e.to_string()));
    let (folder, row, now) = (context.folder.clone(), source.clone(), (context.clock)());
    let gaps = context.with_store(move |store| {
        if !is_busy {
            store.write(|w| w.end_sync(row.id, now, problem.as_deref()))?;
        }
        store.read(|r| match r.remote(row.id)? {
            Some(remote) => Ok(report::mirror_status(r, &folder, &row, remote)?.gaps),
            None => Ok(Vec::new()),
        })
    });
    match gaps.await {
        Ok(gaps) => out.gaps = gaps.into_iter().chain(notes).collect(),
        Err(error) => {
            out.problem.get_or_insert(error);
        }
    }
    out
}

impl Run<'_> {
    async fn sync_all(&mut self, remote: &RemoteRow, tracker: &mut dyn Tracker) -> Result<()> {
        let lock = SyncLock::take(&self.context.folder, self.source.id).await?;
        let Some(_lock) = lock else {
            return Err(Error::new(
                Code::Busy,
                format!("{} is already being synced", self.source.key),
            )
            .with_hint("Wait until it has finished, or see its progress.")
            .with_command(Remedy::Sources, "precedent status"));
        };
        let source = self.source.id;
        self.context.write(move |w| w.forget_progress(source)).await?;
        self.project = self.check_project(remote, tracker).await?;
        if self.full {
            self.context.write(move |w| w.forget_streams(source)).await?;
        }
        let mut is_complete = true;
        for stream in tracker.streams() {
            is_complete &= self.read_list(*stream, tracker).await?;
        }
        sweep::run(self, tracker, is_complete).await?;
        let kind = Kind::parse(&self.source.kind);
        if kind.is_some_and(Kind::has_separate_relations) {
            relations::run(self, tracker, &self.project.clone()).await?;
        }
        releases::run(self, tracker).await?;
        if remote.wiki {
            wiki::run(self, tracker).await?;
        }
        self.incomplete_reason.take().map_or(Ok(()), Err)
    }

    /// Checks that the project exists and is still the same; returns its current name.
    async fn check_project(
        &mut self,
        remote: &RemoteRow,
        tracker: &mut dyn Tracker,
    ) -> Result<String> {
        let project = tracker.probe().await?;
        if let (Some(known_id), Some(found_id)) = (&remote.remote_id, &project.remote_id)
            && known_id != found_id
        {
            return Err(Error::not_found(format!(
                "{} is now a different project from the one mirrored",
                remote.project
            ))
            .with_hint(
                "Its name was reused. Remove the source and add it again to mirror the new one.",
            ));
        }
        // A name with a single part differs from the key.
        let is_same_name = [&self.source.key, &remote.project]
            .into_iter()
            .any(|n| project.name.eq_ignore_ascii_case(n));
        let is_moved = project.name.contains('/')
            && !key_of(&project.name).eq_ignore_ascii_case(&self.source.key);
        if is_moved || !is_same_name {
            self.report.renamed_to = Some(project.name.clone());
        }
        let name = project.name.clone();
        let row =
            RemoteRow { project: project.name, remote_id: project.remote_id, ..remote.clone() };
        let source = self.source.id;
        self.context.write(move |w| w.set_remote(source, &row)).await?;
        Ok(name)
    }

    /// Reads a list from the stored cursor to the end. Returns whether this was a complete pass.
    async fn read_list(&mut self, stream: Stream, tracker: &dyn Tracker) -> Result<bool> {
        let (source, name) = (self.source.id, stream.as_str());
        let mut row = self.context.read(move |r| r.stream(source, name)).await?;
        let started_at = (self.context.clock)();
        if let Some(date) =
            row.watermark.filter(|watermark| clock::is_ahead(*watermark, started_at))
        {
            self.add_date_gap(format!(
                "The last sync read the {} up to {}, which is ahead of this computer's clock: all were fetched again.",
                stream.label(),
                date.strftime("%Y-%m-%d")
            ));
            row = StreamRow { watermark: None, next_page: None, etag: None, ..row };
        }
        let is_complete = row.watermark.is_none() && row.next_page.is_none();
        let mut cursor = match &row.next_page {
            Some(page) => Cursor(page.clone()),
            None => tracker.start(stream, row.watermark),
        };
        let mut progress = self.expected_count(stream, is_complete, tracker).await?;
        let mut has_restarted = false;
        let mut cursors = HashSet::new();
        let mut guard = RepeatGuard::with_size_hint(progress.total);
        let mut listed_pages = None;
        loop {
            self.context.task().check()?;
            let etag = row
                .etag
                .as_ref()
                .filter(|(_, page)| *page == cursor.0)
                .map(|(etag, _)| etag.clone());
            match tracker.page(stream, &cursor, etag.as_deref()).await {
                Ok(page) => {
                    if !cursors.insert(cursor.0.clone()) {
                        // The next sync resumes at the watermark, which avoids the cycle.
                        row.next_page = None;
                        self.set_stream(name, row).await?;
                        return Err(Error::new(
                            Code::Network,
                            format!("the tracker's list of {} repeats itself", stream.label()),
                        )
                        .with_hint("This is a bug in the tracker; progress is saved."));
                    }
                    has_restarted = false;
                    let repetition = guard.add_page(&page).err();
                    let is_last = page.next.is_none();
                    row.watermark = row.watermark.max(self.proven_watermark(
                        stream,
                        page.watermark,
                        started_at,
                    ));
                    row.next_page = page.next.as_ref().map(|c| c.0.clone());
                    row.etag = page.etag.filter(|_| is_last).map(|etag| (etag, cursor.0));
                    row.pages = if is_last { 0 } else { row.pages + 1 };
                    row.refused = None;
                    let records = self.take_readable(stream, page.records, &mut row);
                    if is_last {
                        row.finished_at = Some((self.context.clock)());
                    }
                    self.report.pages += 1;
                    progress.count += records.len() as u64;
                    if repetition.is_some() && !is_last {
                        row.next_page = None;
                    }
                    let events =
                        PageEvents { relations: page.relations, deletions: page.gone_numbers };
                    self.store(records, events, Some((name, row.clone()))).await?;
                    progress.report(self.context.task());
                    listed_pages = page.all_pages.or(listed_pages);
                    match (page.next, repetition) {
                        (None, _) => break,
                        (Some(_), Some(repetition)) => return Err(repetition.error(stream.label())),
                        (Some(next), None) => cursor = next,
                    }
                }
                Err(FetchError::Unchanged) => {
                    row.finished_at = Some((self.context.clock)());
                    row.next_page = None;
                    row.refused = None;
                    self.set_stream(name, row).await?;
                    return Ok(false);
                }
                Err(FetchError::Expired) if !has_restarted => {
                    // The watermark is inclusive; repeated records are recognized by id.
                    has_restarted = true;
                    row.next_page = None;
                    row.etag = None;
                    cursors.clear();
                    cursor = tracker.start(stream, row.watermark);
                }
                Err(FetchError::Expired) => {
                    return Err(Error::new(
                        Code::Network,
                        format!(
                            "the tracker denied access to the first page of its {}",
                            stream.label()
                        ),
                    )
                    .with_hint("Progress is saved; try again later."));
                }
                Err(FetchError::Smaller(smaller)) => cursor = smaller,
                Err(FetchError::Failed(error)) => return Err(error),
                Err(FetchError::Refused(error)) => {
                    row.refused = Some(secret_filter::single_line(&error.to_string()));
                    self.store(Vec::new(), PageEvents::default(), Some((name, row))).await?;
                    return Ok(false);
                }
            }
        }
        if let Some(slugs) = listed_pages {
            removal::hide_pages(self, tracker, slugs).await?;
        }
        Ok(is_complete)
    }

    /// Returns the watermark of a page, and records a notice if it is in the future.
    fn proven_watermark(
        &mut self,
        stream: Stream,
        watermark: Option<Timestamp>,
        started_at: Timestamp,
    ) -> Option<Timestamp> {
        let watermark = watermark?;
        if clock::is_ahead(watermark, started_at) {
            self.add_date_gap(format!(
                "The tracker has {} dated up to {}, which is ahead of this computer's clock. The next sync starts from \
                 the time of this sync.",
                stream.label(),
                watermark.strftime("%Y-%m-%d")
            ));
        }
        Some(clock::limit_watermark(watermark, started_at))
    }

    /// Returns a counter with the expected number of records, if this is a first pass.
    async fn expected_count(
        &self,
        stream: Stream,
        is_complete: bool,
        tracker: &dyn Tracker,
    ) -> Result<RecordCounter> {
        if !is_complete {
            return Ok(RecordCounter::default());
        }
        let total = match stream {
            Stream::Items => match tracker.item_bound().await {
                // The count is optional; if the problem persists, reading the list fails.
                Err(error) if error.code() == Code::Network => None,
                bound => bound?,
            },
            Stream::Comments => {
                let source = self.source.id;
                let counts = self.context.read(move |r| r.source_counts(source)).await?;
                Some(counts.comments + counts.missing_comments)
            }
            Stream::ReviewComments | Stream::Discussions | Stream::Pages => None,
        };
        Ok(RecordCounter { count: 0, total })
    }

    /// Returns the readable records; the report and the store count the others.
    fn take_readable(
        &mut self,
        stream: Stream,
        records: Vec<Result<Record, String>>,
        row: &mut StreamRow,
    ) -> Vec<Record> {
        let mut out = Vec::with_capacity(records.len());
        for (index, record) in records.into_iter().enumerate() {
            match record {
                Ok(record) => {
                    self.seen_records.add(&record);
                    out.push(record);
                }
                Err(reason) => {
                    row.unreadable += 1;
                    let page = self.report.pages + 1;
                    self.skip(
                        format!("{}, page {page}, record {}", stream.label(), index + 1),
                        reason,
                    );
                }
            }
        }
        out
    }
}

#[derive(Clone, Copy, Debug, Default)]
struct RecordCounter {
    count: u64,
    total: Option<u64>,
}

impl RecordCounter {
    fn report(&self, task: &Task) {
        task.report(Phase::Sync, self.count, self.total.map(|t| t.max(self.count)), "records");
    }
}
