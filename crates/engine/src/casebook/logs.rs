//! Logs and support bundles.

use std::{path::PathBuf, time::Instant};

use super::Casebook;
use crate::logs;
use precedent_core::{
    error::Result,
    model::{LogGroup, LogRequest, LogResponse, Notice},
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
            let mut response =
                i.cases(|context| logs::ask(context, &request, reading.clone(), now, &task))?;
            response.notices.extend(stale);
            response.conclusive = Notice::is_conclusive(&response.notices);
            response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
            Ok(response)
        })
        .await
    }

    /// Whether what begins with these bytes is a log, or is packed, and no text that a person wrote.
    pub fn is_log(start: &[u8]) -> bool {
        precedent_logs::is_log(start)
    }

    /// What the distinct errors of logs say, as one text of a question's length, what to look at first first. Nothing is asked and nothing is
    /// stored.
    ///
    /// # Errors
    /// As [`Casebook::read_logs`].
    pub async fn errors_of(&self, paths: Vec<PathBuf>, task: &Task) -> Result<ErrorsOf> {
        let task = task.clone();
        self.run(move |_| {
            let reading = precedent_logs::read(&paths, &task)?;
            let distinct = reading.groups.len();
            let mut out = ErrorsOf { lines: reading.lines, distinct, asked: 0, text: String::new() };
            for told in reading.failures().map(LogGroup::told) {
                if out.asked > 0 && out.text.len() + told.len() > MOST {
                    break;
                }
                out.asked += 1;
                out.text.push_str(told);
                out.text.push_str("\n\n");
            }
            Ok(out)
        })
        .await
    }
}

/// The longest text of errors, in bytes: a longer one is shortened when it is asked about.
const MOST: usize = 20_000;

/// What the errors of a log say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorsOf {
    /// The lines of the log.
    pub lines: u64,
    /// Distinct errors and warnings in all.
    pub distinct: usize,
    /// How many of them the text holds.
    pub asked: usize,
    /// What they say.
    pub text: String,
}
