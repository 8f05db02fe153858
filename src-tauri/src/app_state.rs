//! The state shared by the commands: the lazily opened casebook, running jobs and queries.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use precedent_core::{Code, Error, Result, Task};
use precedent_engine::{Casebook, OpenOptions};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

/// A kind of long job; one job of each kind may run at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Importing files.
    Import,
    /// Updating the indexes.
    Index,
    /// Syncing trackers.
    Sync,
    /// Checking open reports for duplicates.
    Triage,
    /// Calibrating the confidence.
    Calibrate,
    /// Removing a source.
    Remove,
    /// Installing a model.
    Model,
    /// Closing duplicates on their trackers.
    Close,
    /// Reading logs.
    Logs,
    /// Checking and repairing the casebook.
    Repair,
}

/// The state shared by the commands.
pub struct AppState {
    /// Options for opening the casebook.
    pub options: OpenOptions,
    /// True if the program was started with `--sample`.
    pub sample: bool,
    /// Settings file, if it had an error when the window was opened.
    pub invalid_settings: Option<PathBuf>,
    casebook: OnceCell<Casebook>,
    jobs: Mutex<BTreeMap<JobKind, Task>>,
    queries: Mutex<BTreeMap<String, Task>>,
}

impl AppState {
    /// Creates the state for a casebook that is not open yet.
    pub fn new(options: OpenOptions, sample: bool, invalid_settings: Option<PathBuf>) -> Self {
        Self {
            options,
            sample,
            invalid_settings,
            casebook: OnceCell::new(),
            jobs: Mutex::default(),
            queries: Mutex::default(),
        }
    }

    /// Returns the casebook, opening it if necessary.
    ///
    /// After an error, the next call tries again, so that the window can offer "Retry".
    pub async fn casebook(&self) -> Result<Casebook> {
        self.casebook
            .get_or_try_init(|| Casebook::open_long_running(self.options.clone()))
            .await
            .cloned()
    }

    /// Registers a long job.
    ///
    /// # Errors
    /// [`Code::Busy`] while another job of this kind runs.
    pub fn start_job(&self, kind: JobKind, task: Task) -> Result<RunningJob<'_>> {
        let mut jobs = lock(&self.jobs);
        if jobs.contains_key(&kind) {
            return Err(Error::new(Code::Busy, "this job is already running")
                .with_hint("Wait until it has finished, or cancel it in the status bar."));
        }
        jobs.insert(kind, task.clone());
        Ok(RunningJob { state: self, kind, task, start: Instant::now() })
    }

    /// Returns the task of a new query in this slot, and cancels the slot's previous query.
    pub fn replace_query(&self, slot: &str) -> Task {
        let task = Task::new();
        if let Some(previous) = lock(&self.queries).insert(slot.to_owned(), task.clone()) {
            previous.cancel();
        }
        task
    }

    /// Cancels a job and returns whether it was running.
    pub fn cancel(&self, kind: JobKind) -> bool {
        lock(&self.jobs).get(&kind).inspect(|task| task.cancel()).is_some()
    }
}

/// Locks a mutex, ignoring poison: it guards no invariant that a panic could break.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A registered long job, which is unregistered on drop.
pub struct RunningJob<'a> {
    state: &'a AppState,
    /// Kind of the job.
    pub kind: JobKind,
    /// Task of the job.
    pub task: Task,
    /// Start time of the job.
    pub start: Instant,
}

impl Drop for RunningJob<'_> {
    fn drop(&mut self) {
        lock(&self.state.jobs).remove(&self.kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_cancellable_job_per_kind_runs() {
        let state = AppState::new(OpenOptions::new("/nowhere"), false, None);
        assert!(!state.cancel(JobKind::Sync), "nothing runs yet");
        let sync = state.start_job(JobKind::Sync, Task::new()).unwrap();
        assert_eq!(
            state.start_job(JobKind::Sync, Task::new()).err().map(|e| e.code()),
            Some(Code::Busy)
        );
        let index = state.start_job(JobKind::Index, Task::new()).unwrap();
        assert!(state.cancel(JobKind::Sync));
        assert!(sync.task.is_cancelled() && !index.task.is_cancelled());
        drop(sync);
        assert!(state.start_job(JobKind::Sync, Task::new()).is_ok(), "another job can start");
    }

    #[test]
    fn new_search_cancels_the_previous_one() {
        let state = AppState::new(OpenOptions::new("/nowhere"), false, None);
        let (first, prompt, second) = (
            state.replace_query("main"),
            state.replace_query("prompt"),
            state.replace_query("main"),
        );
        assert!(first.is_cancelled() && !second.is_cancelled() && !prompt.is_cancelled());
    }
}
