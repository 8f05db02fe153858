//! The progress of a sync, published to other processes through the database.

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, PoisonError},
    time::Duration,
};

use super::run::Context;
use precedent_core::{
    model::SyncProgress,
    task::{Phase, Progress, Task, run_blocking},
};

const INTERVAL: Duration = Duration::from_millis(500);

#[derive(Clone, Default)]
pub(super) struct LatestProgress(Arc<Mutex<Option<Progress>>>);

impl LatestProgress {
    pub(super) fn watch(&self, task: &Task) -> Task {
        let slot = Arc::clone(&self.0);
        task.with_extra_listener(move |progress| {
            *slot.lock().unwrap_or_else(PoisonError::into_inner) = Some(progress)
        })
    }

    fn take(&self) -> Option<Progress> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// Publishes the progress until the future is dropped. Write errors are ignored.
pub(super) async fn publish(context: &Context, source: i64, latest: &LatestProgress) -> Infallible {
    let mut current = None;
    loop {
        tokio::time::sleep(INTERVAL).await;
        let Some(progress) = latest.take() else { continue };
        let now = (context.clock)();
        // A decreasing count marks the start of another phase.
        let started_at = match current {
            Some((phase, done_count, start))
                if phase == progress.phase && done_count <= progress.done =>
            {
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
        let store = Arc::clone(&context.store);
        let _ = run_blocking(move || store.write(|w| w.set_progress(source, &row))).await;
    }
}
