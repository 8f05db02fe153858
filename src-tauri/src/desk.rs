//! What the window's commands share: the casebook, opened at the first use, and the one long job that may run.

use std::sync::{Mutex, MutexGuard, PoisonError};

use precedent::{Casebook, Code, Error, OpenOptions, Result, Task};
use tokio::sync::OnceCell;

/// The window's state.
pub struct Desk {
    options: OpenOptions,
    sample: bool,
    casebook: OnceCell<Casebook>,
    job: Mutex<Option<Task>>,
}

impl Desk {
    /// A desk for a casebook that is not open yet.
    pub fn new(options: OpenOptions, sample: bool) -> Self {
        Self { options, sample, casebook: OnceCell::new(), job: Mutex::new(None) }
    }

    /// The data folder.
    pub fn folder(&self) -> &std::path::Path {
        &self.options.folder
    }

    /// Whether the sample was asked for at the start.
    pub fn sample(&self) -> bool {
        self.sample
    }

    /// The casebook. What went wrong the last time is tried anew, so that the window can offer "Retry".
    pub async fn casebook(&self) -> Result<Casebook> {
        self.casebook.get_or_try_init(|| Casebook::open(self.options.clone())).await.cloned()
    }

    /// Takes the place of the long job.
    ///
    /// # Errors
    /// [`Code::Busy`] while another one runs.
    pub fn begin(&self, task: Task) -> Result<Running<'_>> {
        let mut job = self.job();
        if job.is_some() {
            return Err(Error::new(Code::Busy, "another job is still running")
                .with_hint("Wait until it has finished, or cancel it in the status bar."));
        }
        *job = Some(task.clone());
        Ok(Running { desk: self, task })
    }

    /// Asks the running job, if there is one, to stop. Whether there was one.
    pub fn cancel(&self) -> bool {
        let job = self.job();
        if let Some(task) = job.as_ref() {
            task.cancel();
        }
        job.is_some()
    }

    fn job(&self) -> MutexGuard<'_, Option<Task>> {
        // The slot holds no invariant that a panic could have broken.
        self.job.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A long job's place, free again when this is dropped.
pub struct Running<'a> {
    desk: &'a Desk,
    /// The job's task.
    pub task: Task,
}

impl Drop for Running<'_> {
    fn drop(&mut self) {
        *self.desk.job() = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_long_job_at_a_time_and_it_can_be_cancelled() {
        let desk = Desk::new(OpenOptions::new("/nowhere"), false);
        assert!(!desk.cancel(), "nothing runs yet");
        let running = desk.begin(Task::new()).unwrap();
        assert_eq!(desk.begin(Task::new()).err().map(|e| e.code()), Some(Code::Busy));
        assert!(desk.cancel());
        assert!(running.task.is_cancelled());
        drop(running);
        assert!(desk.begin(Task::new()).is_ok(), "the place is free again");
    }
}
