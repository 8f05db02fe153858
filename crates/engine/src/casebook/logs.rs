//! The casebook's methods for logs and support bundles.

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
    /// Reads logs, support bundles and folders of them, and returns for each distinct error whether
    /// it is known and how it was solved. Stores nothing.
    pub async fn read_logs(&self, request: LogRequest, task: &Task) -> Result<LogResponse> {
        let task = task.clone();
        self.run(move |i| {
            let start = Instant::now();
            logs::validate(&request)?;
            let paths: Vec<PathBuf> = request.paths.iter().map(PathBuf::from).collect();
            let reading = match (&*paths, &*request.text) {
                ([], text) if !text.is_empty() => precedent_logs::read_text(text),
                _ => precedent_logs::read(&paths, &task)?,
            };
            let stale_notice = i.refresh_index(Effort::UnlessBusy, &task)?;
            let now = (i.clock)();
            let mut response =
                i.with_cases(|context| logs::ask(context, &request, reading.clone(), now, &task))?;
            response.notices.extend(stale_notice);
            response.conclusive = Notice::is_conclusive(&response.notices);
            response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
            Ok(response)
        })
        .await
    }

    /// Returns whether a file that begins with these bytes is a log or an archive, rather than text
    /// written by a person.
    pub fn is_log(start: &[u8]) -> bool {
        precedent_logs::is_log(start)
    }

    /// Returns the distinct errors of logs as text short enough for a question, most important
    /// first.
    pub async fn log_errors(&self, paths: Vec<PathBuf>, task: &Task) -> Result<LogErrors> {
        let task = task.clone();
        self.run(move |_| {
            let reading = precedent_logs::read(&paths, &task)?;
            let distinct = reading.groups.len();
            let mut errors =
                LogErrors { lines: reading.lines, distinct, error_count: 0, text: String::new() };
            for message in reading.failures().map(LogGroup::example_or_message) {
                if errors.error_count > 0 && errors.text.len() + message.len() > MAX_ERROR_TEXT {
                    break;
                }
                errors.error_count += 1;
                errors.text.push_str(message);
                errors.text.push_str("\n\n");
            }
            Ok(errors)
        })
        .await
    }
}

/// The maximum length of the errors' text, in bytes; the search would shorten a longer one.
const MAX_ERROR_TEXT: usize = 20_000;

/// The errors of logs, as text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LogErrors {
    /// The number of lines in the logs.
    pub lines: u64,
    /// The total number of distinct errors and warnings.
    pub distinct: usize,
    /// The number of errors in the text.
    pub error_count: usize,
    /// The text of the errors.
    pub text: String,
}

#[cfg(test)]
mod tests {
    use precedent_core::model::{LogVerdict, State};
    use serde_json::json;

    use super::*;
    use crate::casebook::tests::{issue, open_with};

    #[tokio::test]
    async fn known_error_shows_its_canonical_reports_state() {
        let line = "2026-02-03 10:00:00 ERROR FW-1043 chunk 7 was refused by the proxy";
        let (_folder, casebook) = open_with(&[
            issue(1, "Bundles are lost", "The archive is empty at noon.", json!({})),
            issue(
                2,
                "Chunk refused by the proxy FW-1043",
                &format!("Duplicate of #1\n\n```\n{line}\n```"),
                json!({"state": "closed", "state_reason": "duplicate", "closed_at": "2026-01-08T00:00:00Z"}),
            ),
        ])
        .await;
        let request = LogRequest { text: line.to_owned(), ..LogRequest::default() };
        let response = casebook.read_logs(request, &Task::new()).await.unwrap();
        let known = response.errors[0].known.as_ref().unwrap();
        assert_eq!(response.errors[0].verdict, LogVerdict::Known);
        assert_eq!((known.key.as_str(), known.state), ("acme/app#1", Some(State::Open)));
        assert_eq!(known.state_reason, None);
    }
}
