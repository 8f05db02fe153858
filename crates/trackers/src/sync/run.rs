//! A sync in progress: its context and its writes to the store.

use std::{
    collections::HashSet,
    convert::Infallible,
    path::PathBuf,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use jiff::Timestamp;

use super::{
    absence::{self, Allowance},
    apply, tracker_links,
};
use crate::{http::Http, tracker::ItemRelations};
use precedent_core::{
    error::{Error, Result},
    model::{Gap, GapKind, ImportReport, Record, Skip, SyncProgress, SyncReport},
    secret_filter,
    task::{Phase, Progress, Task, run_blocking},
};
use precedent_store::{Reader, SourceRow, Store, StreamRow, Writer};

/// The interval at which other processes see the progress.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(500);

/// The environment of a sync.
#[derive(Clone)]
pub struct Context {
    /// The database.
    pub store: Arc<Store>,
    /// Folder of the casebook, for the locks.
    pub folder: PathBuf,
    /// Clock.
    pub clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
    /// Connections for this job.
    pub http: Http,
    latest_progress: Arc<Mutex<Option<Progress>>>,
}

impl Context {
    /// Creates the environment of a job; the connections report to `task`.
    pub fn new(
        store: Arc<Store>,
        folder: PathBuf,
        clock: Arc<dyn Fn() -> Timestamp + Send + Sync>,
        http: &Http,
        task: &Task,
    ) -> Self {
        let latest_progress = Arc::<Mutex<Option<Progress>>>::default();
        let slot = Arc::clone(&latest_progress);
        let task = task.with_extra_listener(move |progress| {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress)
        });
        Self { store, folder, clock, http: http.for_task(&task), latest_progress }
    }

    pub(super) fn task(&self) -> &Task {
        &self.http.task
    }

    pub(super) async fn with_store<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Store) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let store = Arc::clone(&self.store);
        run_blocking(move || work(&store)).await
    }

    pub(super) async fn read<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Reader<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.with_store(move |store| store.read(work)).await
    }

    pub(super) async fn write<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Writer<'_>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        self.with_store(move |store| store.write(work)).await
    }

    /// Publishes the progress to other processes through the database until the future is dropped.
    /// Write errors are ignored.
    pub(super) async fn publish_progress(&self, source: i64) -> Infallible {
        let mut current = None;
        loop {
            tokio::time::sleep(PROGRESS_INTERVAL).await;
            let latest = self.latest_progress.lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some(progress) = latest else { continue };
            let now = (self.clock)();
            // A decreasing count marks the start of another phase.
            let started_at = match current {
                Some((phase, done, start)) if phase == progress.phase && done <= progress.done => {
                    start
                }
                _ => now,
            };
            current = Some((progress.phase, progress.done, started_at));
            let row = SyncProgress {
                phase: if progress.phase == Phase::Wait { "wait" } else { "sync" }.to_owned(),
                done: progress.done,
                total: progress.total,
                unit: progress.unit.to_owned(),
                started_at,
                told_at: now,
            };
            let _ = self.write(move |w| w.set_progress(source, &row)).await;
        }
    }
}

pub(super) struct Run<'a> {
    pub(super) context: &'a Context,
    pub(super) source: &'a SourceRow,
    pub(super) full: bool,
    pub(super) allowance: Allowance,
    pub(super) report: SyncReport,
    pub(super) project: String,
    pub(super) seen_records: SeenRecords,
    pub(super) hidden_count: usize,
    /// Reason why the sync counts as incomplete although it reached its end.
    pub(super) incomplete_reason: Option<Error>,
    pub(super) date_gaps: Vec<Gap>,
}

#[derive(Default)]
pub(super) struct PageEvents {
    pub(super) relations: ItemRelations,
    pub(super) deletions: Vec<u64>,
}

#[derive(Debug, Default)]
pub(super) struct SeenRecords {
    pub(super) items: HashSet<u64>,
    pub(super) comments: HashSet<String>,
}

impl SeenRecords {
    pub(super) fn add(&mut self, record: &Record) {
        match record {
            Record::Document(d) => {
                self.items.extend(d.number);
            }
            Record::Comment(c) => {
                self.comments.insert(c.remote_id.clone());
            }
        }
    }
}

impl Run<'_> {
    pub(super) fn skip(&mut self, location: String, reason: String) {
        self.report.skipped += 1;
        if self.report.skips.len() < ImportReport::MAX_SKIPS {
            // Both texts may quote the record.
            let (location, reason) =
                (secret_filter::single_line(&location), secret_filter::single_line(&reason));
            self.report.skips.push(Skip { place: location, reason });
        }
    }

    pub(super) async fn store(
        &mut self,
        records: Vec<Record>,
        events: PageEvents,
        stream: Option<(&'static str, StreamRow)>,
    ) -> Result<()> {
        let (source, now) = (self.source.clone(), (self.context.clock)());
        let project = self.project.clone();
        let (hidden, allowance, full) = (self.hidden_count, self.allowance, self.full);
        let (report, (hidden_count, removal_error)) = self
            .context
            .with_store(move |store| {
                let mut hide_result = (0, None);
                let report = apply(store, &source, records, full, now, |w| {
                    tracker_links::replace_links(w, &source.key, &project, &events.relations)?;
                    hide_result =
                        absence::hide_items(w, &source, &events.deletions, hidden, allowance, now)?;
                    match stream {
                        Some((name, row)) => w.set_stream(source.id, name, &row),
                        None => Ok(()),
                    }
                })?;
                Ok((report, hide_result))
            })
            .await?;
        self.hidden_count += hidden_count;
        self.report.gone += hidden_count as u64;
        removal_error.into_iter().for_each(|error| self.mark_incomplete(error));
        self.report.new += report.new;
        self.report.updated += report.updated;
        self.report.unchanged += report.unchanged;
        self.report.stale += report.stale;
        self.report.items += report.items;
        self.report.comments += report.comments;
        self.report.wiki_pages += report.pages;
        Ok(())
    }

    pub(super) async fn set_stream(&self, name: &'static str, row: StreamRow) -> Result<()> {
        let source = self.source.id;
        self.context.write(move |w| w.set_stream(source, name, &row)).await
    }

    /// Records why the sync counts as incomplete; the first reason is reported.
    pub(super) fn mark_incomplete(&mut self, reason: Error) {
        self.incomplete_reason.get_or_insert(reason);
    }

    /// Records that too many records of a kind would be hidden, so that none was.
    pub(super) fn reject_removal(&mut self, count: usize, total: usize, kind: &str) {
        self.mark_incomplete(absence::removal_error(count, total, kind, &self.source.key));
    }

    pub(super) fn add_date_gap(&mut self, text: String) {
        let gap = Gap { kind: GapKind::FutureDates, hint: text.into() };
        if !self.date_gaps.contains(&gap) {
            self.date_gaps.push(gap);
        }
    }
}

#[cfg(test)]
pub(super) mod fake {
    //! A tracker and a casebook for the tests of the steps of a sync.

    use super::*;
    use crate::tracker::{
        Address, Client, Connection, FetchError, Kind, Lookup, Page, Pagination, Relations, Stream,
        Tracker,
        github::{self, GitHub},
        wiki_git::WikiLocation,
    };
    use precedent_core::model::Project;

    /// A tracker whose items are all gone, and whose relations are always too many.
    pub(in crate::sync) struct FakeTracker {
        github: GitHub,
        list: fn(Stream) -> Result<Page, FetchError>,
        pub(in crate::sync) batches: Mutex<Vec<usize>>,
        pub(in crate::sync) wiki: Option<WikiLocation>,
    }

    impl FakeTracker {
        pub(in crate::sync) fn new(list: fn(Stream) -> Result<Page, FetchError>) -> Self {
            let address = Address::parse(Kind::GitHub, "github.com").unwrap();
            let github = GitHub::new(&Connection::for_tests(&Http::for_tests(), &address));
            Self { github, list, batches: Mutex::default(), wiki: None }
        }
    }

    #[async_trait::async_trait]
    impl Tracker for FakeTracker {
        fn client(&self) -> &Client {
            self.github.client()
        }

        async fn probe(&mut self) -> Result<Project> {
            Ok(Project::default())
        }

        async fn user(&self) -> Result<Option<String>> {
            Ok(None)
        }

        fn size(&self, _stream: Stream) -> u32 {
            100
        }

        async fn list_page(
            &self,
            stream: Stream,
            _pagination: &Pagination,
        ) -> Result<Page, FetchError> {
            (self.list)(stream)
        }

        async fn item(&self, _number: u64) -> Result<Lookup> {
            Ok(Lookup::Gone)
        }

        async fn comment(&self, _number: u64, _id: &str) -> Result<Lookup> {
            Ok(Lookup::Gone)
        }

        fn wiki(&self) -> Option<WikiLocation> {
            self.wiki.clone()
        }

        async fn relations(&self, numbers: &[u64]) -> Result<Relations> {
            self.batches.lock().unwrap().push(numbers.len());
            Ok(Relations::TooMany)
        }
    }

    /// Returns an issue in this state.
    pub(in crate::sync) fn issue(number: u64, state: &str) -> Record {
        let text = format!(r#"{{"number": {number}, "title": "x", "state": "{state}"}}"#);
        github::record(text.as_bytes()).unwrap()
    }

    /// Creates a casebook with a source of these records.
    pub(in crate::sync) fn casebook(
        folder: &tempfile::TempDir,
        records: Vec<Record>,
    ) -> (Context, SourceRow) {
        let now = Timestamp::from_second(1_780_000_000).unwrap();
        let store = Arc::new(Store::open(&folder.path().join("precedent.db")).unwrap());
        let source = store.write(|w| w.add_source("acme/app", "github", now)).unwrap();
        apply(&store, &source, records, false, now, |_| Ok(())).unwrap();
        let (path, http) = (folder.path().to_owned(), Http::for_tests());
        let context = Context::new(store, path, Arc::new(move || now), &http, &Task::new());
        (context, source)
    }

    impl<'a> Run<'a> {
        pub(in crate::sync) fn for_tests(context: &'a Context, source: &'a SourceRow) -> Self {
            Self {
                context,
                source,
                full: true,
                allowance: Allowance::Share,
                report: SyncReport::default(),
                project: "acme/app".to_owned(),
                seen_records: SeenRecords::default(),
                hidden_count: 0,
                incomplete_reason: None,
                date_gaps: Vec::new(),
            }
        }
    }
}
