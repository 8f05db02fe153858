//! Logs and support bundles.

use std::{path::PathBuf, time::Instant};

use super::Casebook;
use crate::logs;
use precedent_core::{
    error::Result,
    model::{LogRequest, LogResponse},
    task::Task,
};
use precedent_index::update::Effort;

impl Casebook {
    /// Reads logs, support bundles and folders of them, and says of each distinct error whether it is known and how it was
    /// solved. Nothing of them is stored.
    ///
    /// # Errors
    /// [`precedent_core::Code::NotFound`] for a path or a source that does not exist, [`precedent_core::Code::InvalidInput`] if nothing
    /// there is a log or a number is out of range, [`precedent_core::Code::Cancelled`].
    pub async fn read_logs(&self, request: LogRequest, task: &Task) -> Result<LogResponse> {
        let task = task.clone();
        self.run(move |i| {
            let start = Instant::now();
            logs::valid(&request)?;
            let paths: Vec<PathBuf> = request.paths.iter().map(PathBuf::from).collect();
            let reading = precedent_logs::read(&paths, &task)?;
            let stale = i.freshen(Effort::Alone, &task)?;
            let now = (i.clock)();
            let mut response = i.cases(|desk| logs::ask(desk, &request, reading.clone(), now, &task))?;
            response.notices.extend(stale);
            response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
            Ok(response)
        })
        .await
    }
}
