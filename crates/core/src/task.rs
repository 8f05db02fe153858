//! A long job's progress and cancellation, and the one bridge from async code to blocking work.

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

use crate::error::{Code, Error, Result, cancelled};

/// How often somebody who waits for what cannot be interrupted looks whether to go on waiting.
const LOOK_AGAIN: Duration = Duration::from_millis(25);

/// What a job is doing just now.
#[derive(Clone, Debug, PartialEq, serde::Serialize, schemars::JsonSchema)]
pub struct Progress {
    /// Which part of the job this is.
    pub phase: Phase,
    /// How much of it is done, in `unit`s.
    pub done: u64,
    /// How much there is in all, where that is known.
    pub total: Option<u64>,
    /// What is counted: `bytes`, `documents`, `chunks`, `records`, `seconds`, `queries`, `reports`.
    pub unit: &'static str,
}

/// The parts that long jobs consist of.
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
    /// Bringing the full-text index up to date.
    FullText,
    /// Making few segments of the full text out of many.
    Merge,
    /// Cutting changed documents into chunks.
    Chunk,
    /// Computing vectors.
    Embed,
    /// Fetching a model.
    Download,
    /// Checking open reports for duplicates.
    Triage,
    /// Learning from a source's known duplicates.
    Calibrate,
    /// Asking the questions of an evaluation.
    Evaluate,
    /// Closing reports at their tracker.
    Close,
}

type Listener = dyn Fn(Progress) + Send + Sync;

/// Handed to every long job: it reports here and asks here whether to go on. Clones share the same cancel flag.
#[derive(Clone, Default)]
pub struct Task {
    cancel: Arc<Cancel>,
    listener: Option<Arc<Listener>>,
}

/// Whether to stop, for those who look from time to time and for those who wait.
#[derive(Default)]
struct Cancel {
    asked: AtomicBool,
    waiting: Notify,
}

impl Phase {
    /// The name in the database and in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Import => "import",
            Self::Sync => "sync",
            Self::Read => "read",
            Self::Wait => "wait",
            Self::FullText => "full_text",
            Self::Merge => "merge",
            Self::Chunk => "chunk",
            Self::Embed => "embed",
            Self::Download => "download",
            Self::Triage => "triage",
            Self::Calibrate => "calibrate",
            Self::Evaluate => "evaluate",
            Self::Close => "close",
        }
    }
}

impl Task {
    /// A task that nobody watches.
    pub fn new() -> Self {
        Self::default()
    }

    /// A task whose progress goes to `listener`, which is called from worker threads and must return quickly.
    pub fn watched(listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { cancel: Arc::default(), listener: Some(Arc::new(listener)) }
    }

    /// The same task, whose progress goes to another listener too.
    #[must_use]
    pub fn also(&self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        let first = self.listener.clone();
        let both = move |progress: Progress| {
            if let Some(first) = &first {
                first(progress.clone());
            }
            listener(progress);
        };
        Self { cancel: Arc::clone(&self.cancel), listener: Some(Arc::new(both)) }
    }

    /// Asks the job to stop at its next check.
    pub fn cancel(&self) {
        self.cancel.asked.store(true, Ordering::SeqCst);
        self.cancel.waiting.notify_waiters();
    }

    /// Whether [`Task::cancel`] was called.
    pub fn is_cancelled(&self) -> bool {
        self.cancel.asked.load(Ordering::SeqCst)
    }

    /// Ends when [`Task::cancel`] is called: for code that waits, beside what it waits for.
    pub async fn cancelled(&self) {
        // Made before the look: a call in between wakes it.
        let woken = self.cancel.waiting.notified();
        if !self.is_cancelled() {
            woken.await;
        }
    }

    /// Fails with [`crate::Code::Cancelled`] if [`Task::cancel`] was called.
    pub fn check(&self) -> Result<()> {
        if self.is_cancelled() { Err(cancelled()) } else { Ok(()) }
    }

    /// Tells the watcher where the job is.
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

/// Runs blocking work (SQLite, tantivy, the model) on the runtime's blocking threads.
///
/// # Errors
/// The work's own error; or [`crate::Code::Internal`] if it panicked.
pub async fn blocking<T: Send + 'static>(work: impl FnOnce() -> Result<T> + Send + 'static) -> Result<T> {
    match tokio::task::spawn_blocking(work).await {
        Ok(result) => result,
        Err(error) => Err(ended().with_source(error)),
    }
}

/// Does work that cannot be interrupted on a thread of its own. Cancelled, nobody waits for it any more: it ends by itself, and what it
/// gives is dropped there.
///
/// # Errors
/// [`Code::Cancelled`]; [`Code::Internal`] if it panicked.
pub fn apart<T: Send + 'static>(task: &Task, work: impl FnOnce() -> T + Send + 'static) -> Result<T> {
    let (give, take) = sync_channel(1);
    thread::Builder::new()
        .spawn(move || drop(give.send(work())))
        .map_err(|e| Error::new(Code::Internal, "cannot start a thread").with_source(e))?;
    loop {
        match take.recv_timeout(LOOK_AGAIN) {
            Ok(done) => return Ok(done),
            Err(RecvTimeoutError::Timeout) => task.check()?,
            Err(RecvTimeoutError::Disconnected) => return Err(ended()),
        }
    }
}

fn ended() -> Error {
    Error::new(Code::Internal, "a background job ended unexpectedly")
        .with_hint("This is a bug in Precedent; please report it.")
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn what_cannot_be_interrupted_is_not_waited_for_and_still_ends() {
        let task = Task::new();
        assert_eq!(apart(&task, || 7).unwrap(), 7);
        let panicked: Result<()> = apart(&task, || panic!("a test wants this one"));
        assert_eq!(panicked.unwrap_err().code(), Code::Internal);
        let (go, gone) = channel();
        let (end, ended) = channel();
        task.cancel();
        let left = apart(&task, move || {
            gone.recv().unwrap();
            end.send(()).unwrap();
        });
        assert_eq!(left.unwrap_err().code(), Code::Cancelled);
        go.send(()).unwrap();
        ended.recv().unwrap();
    }
}
