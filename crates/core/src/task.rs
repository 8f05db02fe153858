//! Progress and cancellation of long jobs, and blocking work in async code.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
        mpsc::{RecvTimeoutError, sync_channel},
    },
    thread,
    time::Duration,
};

use tokio::sync::Notify;

use crate::error::{Code, Error, Result, cancel_error};

/// The interval at which [`run_detached`] checks for cancellation.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// The progress of a job.
#[derive(Clone, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Progress {
    /// Phase of the job.
    pub phase: Phase,
    /// Amount done in this phase, in `unit`s.
    pub done: u64,
    /// Total amount of this phase, in `unit`s; null if unknown.
    pub total: Option<u64>,
    /// Unit of `done` and `total`: `bytes`, `documents`, `passages`, `records`, `seconds`,
    /// `queries` or `reports`.
    pub unit: &'static str,
}

/// A phase of a long job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Phase {
    /// Reading records from files into the store.
    Import,
    /// Fetching records from a tracker into the store.
    Sync,
    /// Reading logs.
    Read,
    /// Waiting until a tracker allows the next request.
    Wait,
    /// Updating the full-text index.
    FullText,
    /// Merging segments of the full-text index.
    Merge,
    /// Dividing changed documents into chunks.
    Chunk,
    /// Computing vectors.
    Embed,
    /// Downloading a model.
    Download,
    /// Checking open reports for duplicates.
    Triage,
    /// Fitting a source's calibration to its known duplicates.
    Calibrate,
    /// Running the queries of an evaluation.
    Evaluate,
    /// Closing reports on their tracker.
    Close,
}

type Listener = dyn Fn(Progress) + Send + Sync;

/// A handle to a long job, for progress and cancellation. Clones share the cancel flag.
#[derive(Clone, Default)]
pub struct Task {
    cancel: Arc<CancelFlag>,
    listener: Option<Arc<Listener>>,
}

/// The cancel flag, for code that polls and for code that waits.
#[derive(Default)]
struct CancelFlag {
    is_cancelled: AtomicBool,
    waiters: Notify,
}

impl Task {
    /// Creates a task without a listener.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates a task that reports progress to `listener`, which is called on worker threads and
    /// must return quickly.
    pub fn with_listener(listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { cancel: Arc::default(), listener: Some(Arc::new(listener)) }
    }

    /// Returns a task with the same cancel flag that reports progress to another listener as well.
    #[must_use]
    pub fn with_extra_listener(&self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        let existing_listener = self.listener.clone();
        let fan_out = move |progress: Progress| {
            if let Some(existing_listener) = &existing_listener {
                existing_listener(progress.clone());
            }
            listener(progress);
        };
        Self { cancel: Arc::clone(&self.cancel), listener: Some(Arc::new(fan_out)) }
    }

    /// Requests cancellation; the job ends at its next check.
    pub fn cancel(&self) {
        self.cancel.is_cancelled.store(true, Ordering::SeqCst);
        self.cancel.waiters.notify_waiters();
    }

    /// Returns whether [`Task::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.is_cancelled.load(Ordering::SeqCst)
    }

    /// Completes when [`Task::cancel`] is called; for use in a `select` with other waits.
    pub async fn wait_for_cancel(&self) {
        // Created before the check, so that a cancellation in between is not missed.
        let cancelled = self.cancel.waiters.notified();
        if !self.is_cancelled() {
            cancelled.await;
        }
    }

    /// Fails with [`crate::Code::Cancelled`] if [`Task::cancel`] was called.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(cancel_error()) } else { Ok(()) }
    }

    /// Reports the progress of the job to the listener.
    pub fn report(&self, phase: Phase, done: u64, total: Option<u64>, unit: &'static str) {
        if let Some(listener) = &self.listener {
            listener(Progress { phase, done, total, unit });
        }
    }
}

impl std::fmt::Debug for Task {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Task").field("cancelled", &self.is_cancelled()).finish_non_exhaustive()
    }
}

/// Runs blocking work on the runtime's blocking threads.
pub async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(job_error().with_source(error)),
    }
}

/// Runs uninterruptible work on its own thread. On cancellation this returns immediately; the
/// thread finishes in the background and its result is dropped.
///
/// # Errors
/// [`Code::Cancelled`]; [`Code::Internal`] if the work panicked.
pub fn run_detached<T: Send + 'static>(
    task: &Task,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T> {
    let (sender, receiver) = sync_channel(1);
    thread::Builder::new()
        .spawn(move || drop(sender.send(work())))
        .map_err(|e| Error::new(Code::Internal, "cannot start a thread").with_source(e))?;
    loop {
        match receiver.recv_timeout(POLL_INTERVAL) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => task.check()?,
            Err(RecvTimeoutError::Disconnected) => return Err(job_error()),
        }
    }
}

fn job_error() -> Error {
    Error::new(Code::Internal, "a background job ended unexpectedly")
        .with_hint("This is a bug in Precedent; please report it.")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn cancellation_never_waits_for_detached_work() {
        let task = Task::new();
        assert_eq!(run_detached(&task, || 7).unwrap(), 7);
        let result: Result<()> = run_detached(&task, || panic!("expected by this test"));
        assert_eq!(result.unwrap_err().code(), Code::Internal);
        let (start, start_receiver) = channel();
        let (end, end_receiver) = channel();
        task.cancel();
        let result = run_detached(&task, move || {
            start_receiver.recv().unwrap();
            end.send(()).unwrap();
        });
        assert_eq!(result.unwrap_err().code(), Code::Cancelled);
        start.send(()).unwrap();
        end_receiver.recv().unwrap();
    }
}
