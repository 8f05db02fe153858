//! Desktop notifications about finished jobs and sync news while the window has no focus.
//!
//! They bypass Tauri's plugin, whose script in the page would need permissions.

use std::time::Duration;

use precedent_core::{Code, Result};
use tauri::{AppHandle, Manager as _};

use crate::{
    app_state::{JobKind, RunningJob},
    window,
};

/// The minimum duration of a job for a notification.
const MIN_JOB_DURATION: Duration = Duration::from_secs(15);
/// The maximum length of a notification, in characters; desktops truncate long ones.
const MAX_LENGTH: usize = 200;

/// Shows a notification if a job took long and the window has no focus; returns the job's result
/// unchanged.
pub fn notify_if_long<T>(app: &AppHandle, job: &RunningJob<'_>, result: Result<T>) -> Result<T> {
    if job.start.elapsed() >= MIN_JOB_DURATION && !has_focus(app) {
        let problem = match &result {
            Ok(_) => None,
            Err(error) if error.code() == Code::Cancelled => return result,
            Err(error) => Some(error.to_string()),
        };
        let (title, body) = job_text(job.kind, problem);
        show(title, &body);
    }
    result
}

/// Shows a notification about news if the window has no focus.
pub fn notify_if_away(app: &AppHandle, news: &str) {
    let news = to_plain_line(news);
    if !news.is_empty() && !has_focus(app) {
        show("New in Precedent", &news);
    }
}

/// Converts a text to one line without markup.
fn to_plain_line(text: &str) -> String {
    let line: String =
        text.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MAX_LENGTH).collect();
    // Desktops interpret the text as markup.
    line.trim().replace('&', "&amp;").replace('<', "&lt;")
}

fn show(title: &str, body: &str) {
    let mut notification = notify_rust::Notification::new();
    notification.appname("Precedent").summary(title).body(body);
    // The desktop may be slow or absent, so the notification is sent on a separate thread.
    std::thread::spawn(move || drop(notification.show()));
}

fn has_focus(app: &AppHandle) -> bool {
    app.get_webview_window(window::LABEL).is_some_and(|w| w.is_focused().unwrap_or(false))
}

/// Returns the title and the body of the notification about a job.
fn job_text(kind: JobKind, problem: Option<String>) -> (&'static str, String) {
    let (success, failure) = match kind {
        JobKind::Import => ("Import finished", "Import failed"),
        JobKind::Index => ("The index is up to date", "Indexing failed"),
        JobKind::Sync => ("Sync finished", "Sync failed"),
        JobKind::Triage => ("Duplicate check finished", "Duplicate check failed"),
        JobKind::Calibrate => ("Tuning finished", "Tuning failed"),
        JobKind::Remove => ("Source removed", "The source could not be removed"),
        JobKind::Model => ("Model added", "The model could not be added"),
        JobKind::Close => ("Duplicates closed", "The duplicates could not be closed"),
        JobKind::Repair => ("Casebook check finished", "The casebook could not be checked"),
        JobKind::Logs => ("Logs read", "The logs could not be read"),
    };
    match problem {
        None => (success, "Precedent is ready.".to_owned()),
        Some(problem) => (failure, to_plain_line(&problem)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notification_is_one_line_without_markup() {
        assert_eq!(
            to_plain_line(" 2 new reports\nmay be <b>the same</b> "),
            "2 new reports may be &lt;b>the same&lt;/b>"
        );
        assert_eq!(to_plain_line(&"a".repeat(MAX_LENGTH + 9)).len(), MAX_LENGTH);
        assert_eq!(to_plain_line("\n"), "");
    }

    #[test]
    fn failure_notification_states_the_reason() {
        assert_eq!(job_text(JobKind::Sync, None).0, "Sync finished");
        assert_eq!(
            job_text(JobKind::Sync, Some("<b>no</b>\nnetwork".into())),
            ("Sync failed", "&lt;b>no&lt;/b> network".into())
        );
    }
}
