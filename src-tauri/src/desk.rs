//! What the window's commands share: the casebook, opened at the first use, and the long jobs that run.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
    time::Instant,
};

use precedent_core::{Code, Error, Result, Task, model::Health};
use precedent_engine::{Casebook, OpenOptions};
use serde::{Deserialize, Serialize};
use tokio::sync::OnceCell;

/// The long jobs; one of each kind may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum JobKind {
    /// Reading files.
    Import,
    /// Bringing the indexes up to date.
    Index,
    /// Mirroring trackers.
    Sync,
    /// Checking open reports for duplicates.
    Triage,
    /// Calibrating the confidence.
    Calibrate,
    /// Removing a source.
    Remove,
    /// Bringing a model in.
    Model,
    /// Closing duplicates at their tracker.
    Close,
    /// Reading logs.
    Logs,
    /// Checking the casebook and mending it.
    Repair,
}

/// The window's state.
pub struct Desk {
    options: OpenOptions,
    sample: bool,
    wrong_settings: Option<PathBuf>,
    casebook: OnceCell<Casebook>,
    jobs: Mutex<BTreeMap<JobKind, Task>>,
    asked: Mutex<BTreeMap<String, Task>>,
}

impl Desk {
    /// A desk for a casebook that is not open yet.
    pub fn new(options: OpenOptions, sample: bool) -> Self {
        Self {
            options,
            sample,
            wrong_settings: None,
            casebook: OnceCell::new(),
            jobs: Mutex::default(),
            asked: Mutex::default(),
        }
    }

    /// Notes a file of settings in which something is wrong.
    #[must_use]
    pub fn with_wrong_settings(mut self, file: Option<PathBuf>) -> Self {
        self.wrong_settings = file;
        self
    }

    /// The file of settings, if something in it was wrong when the window was opened.
    pub fn wrong_settings(&self) -> Option<&Path> {
        self.wrong_settings.as_deref()
    }

    /// The data folder.
    pub fn folder(&self) -> &Path {
        &self.options.folder
    }

    /// Whether the sample was asked for at the start.
    pub fn sample(&self) -> bool {
        self.sample
    }

    /// The casebook. What went wrong the last time is tried anew, so that the window can offer "Retry".
    pub async fn casebook(&self) -> Result<Casebook> {
        self.casebook.get_or_try_init(|| Casebook::open_to_stay(self.options.clone())).await.cloned()
    }

    /// Looks at every part of the casebook, opened or not, and mends what can be mended.
    ///
    /// # Errors
    /// Those of [`Casebook::doctor`].
    pub async fn repair(&self, task: &Task) -> Result<Health> {
        Casebook::doctor(self.options.clone(), true, 0, task).await
    }

    /// Takes the place of a long job.
    ///
    /// # Errors
    /// [`Code::Busy`] while another one of its kind runs.
    pub fn begin(&self, kind: JobKind, task: Task) -> Result<Running<'_>> {
        let mut jobs = self.jobs();
        if jobs.contains_key(&kind) {
            return Err(Error::new(Code::Busy, "this is running already")
                .with_hint("Wait until it has finished, or cancel it in the status bar."));
        }
        jobs.insert(kind, task.clone());
        Ok(Running { desk: self, kind, task, since: Instant::now() })
    }

    /// The task of a search in this window; the one before it is no longer wanted there.
    pub fn ask(&self, window: &str) -> Task {
        let task = Task::new();
        let mut asked = self.asked.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = asked.insert(window.to_owned(), task.clone()) {
            before.cancel();
        }
        task
    }

    /// Asks a running job to stop. Whether it was running.
    pub fn cancel(&self, kind: JobKind) -> bool {
        let jobs = self.jobs();
        let task = jobs.get(&kind);
        if let Some(task) = task {
            task.cancel();
        }
        task.is_some()
    }

    fn jobs(&self) -> MutexGuard<'_, BTreeMap<JobKind, Task>> {
        // The map holds no invariant that a panic could have broken.
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A long job's place, free again when this is dropped.
pub struct Running<'a> {
    desk: &'a Desk,
    /// What it does.
    pub kind: JobKind,
    /// The job's task.
    pub task: Task,
    /// When it began.
    pub since: Instant,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.desk.jobs().remove(&self.kind);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_job_of_a_kind_at_a_time_and_each_can_be_cancelled() {
        let desk = Desk::new(OpenOptions::new("/nowhere"), false);
        assert!(!desk.cancel(JobKind::Sync), "nothing runs yet");
        let running = desk.begin(JobKind::Sync, Task::new()).unwrap();
        assert_eq!(desk.begin(JobKind::Sync, Task::new()).err().map(|e| e.code()), Some(Code::Busy));
        let other = desk.begin(JobKind::Index, Task::new()).unwrap();
        assert!(desk.cancel(JobKind::Sync));
        assert!(running.task.is_cancelled() && !other.task.is_cancelled());
        drop(running);
        assert!(desk.begin(JobKind::Sync, Task::new()).is_ok(), "the place is free again");
    }

    #[test]
    fn a_search_ends_the_one_before_it_in_its_window() {
        let desk = Desk::new(OpenOptions::new("/nowhere"), false);
        let (first, other, second) = (desk.ask("main"), desk.ask("prompt"), desk.ask("main"));
        assert!(first.is_cancelled() && !second.is_cancelled() && !other.is_cancelled());
    }
}
