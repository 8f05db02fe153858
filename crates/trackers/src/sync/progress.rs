//! The progress of a sync, published to other processes through the database with a small delay and
//! a small periodic write.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::run::Context;
use precedent_core::{
    model::SyncProgress,
    task::{Progress, Task, run_blocking},
};

/// The interval between progress updates.
const INTERVAL: Duration = Duration::from_millis(500);

/// The latest reported progress.
#[derive(Clone, Default)]
pub(super) struct Latest(Arc<Mutex<Option<Progress>>>);

impl Latest {
    /// Returns the task with a progress listener attached.
    pub(super) fn watch(&self, task: &Task) -> Task {
        let slot = Arc::clone(&self.0);
        task.also(move |progress| {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress)
        })
    }

    fn take(&self) -> Option<Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Publishes the progress until it is dropped. Write errors are ignored.
pub(super) async fn tell(context: &Context, source: i64, latest: &Latest) -> Infallible {
    let mut part = None;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let Some(now) = latest.take() else { continue };
        let at = (context.clock)();
        // A decreasing count marks the start of another phase.
        let started_at = match part {
            Some((phase, done_count, start)) if phase == now.phase && done_count <= now.done => {
                start
            }
            _ => at,
        };
        part = Some((now.phase, now.done, started_at));
        let row = SyncProgress {
            phase: now.phase.as_str().to_owned(),
            done: now.done,
            total: now.total,
            unit: now.unit.to_owned(),
            started_at,
            told_at: at,
        };
        let store = Arc::clone(&context.store);
        let _ = run_blocking(move || store.write(|w| w.set_progress(source, &row))).await;
    }
}
