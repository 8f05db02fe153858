//! A word to the desktop while nobody is looking at the window: that a long job has ended, and what a sync by itself brought.
//!
//! Straight from here: Tauri's plugin for it puts a script of its own into the page, which then wants permissions.

use std::time::Duration;

use precedent_core::{Code, Result};
use tauri::{AppHandle, Manager as _};

use crate::{
    desk::{JobKind, Running},
    window,
};

/// Shorter jobs are waited for.
const LONG: Duration = Duration::from_secs(15);
/// The most of what is told, in characters: desktops cut it sooner or later.
const MOST: usize = 200;

/// Passes the end of a job on; tells the desktop of it if the job was long and the window is behind others.
pub fn when_long<T>(app: &AppHandle, running: &Running<'_>, result: Result<T>) -> Result<T> {
    if running.since.elapsed() >= LONG && !has_focus(app) {
        let problem = match &result {
            Ok(_) => None,
            Err(error) if error.code() == Code::Cancelled => return result,
            Err(error) => Some(error.to_string()),
        };
        let (title, body) = words(running.kind, problem);
        show(title, &body);
    }
    result
}

/// Tells the desktop what is new, if the window is behind others.
pub fn when_away(app: &AppHandle, news: &str) {
    let news = told(news);
    if !news.is_empty() && !has_focus(app) {
        show("New in Precedent", &news);
    }
}

/// What is told, in one line.
fn told(news: &str) -> String {
    let line: String = news.chars().map(|c| if c.is_control() { ' ' } else { c }).take(MOST).collect();
    // Desktops read it as markup.
    line.trim().replace('&', "&amp;").replace('<', "&lt;")
}

fn show(title: &str, body: &str) {
    let mut notification = notify_rust::Notification::new();
    notification.appname("Precedent").summary(title).body(body);
    // It talks to the desktop, which may take its time or not be there: nothing waits for it.
    std::thread::spawn(move || drop(notification.show()));
}

fn has_focus(app: &AppHandle) -> bool {
    app.get_webview_window(window::LABEL).is_some_and(|w| w.is_focused().unwrap_or(false))
}

/// Title and text of the notification.
fn words(kind: JobKind, problem: Option<String>) -> (&'static str, String) {
    let (done, failed) = match kind {
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
        None => (done, "Precedent is ready.".to_owned()),
        Some(problem) => (failed, problem),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_is_one_line_without_markup() {
        assert_eq!(
            told(" 2 new reports\nmay be <b>the same</b> "),
            "2 new reports may be &lt;b>the same&lt;/b>"
        );
        assert_eq!(told(&"a".repeat(MOST + 9)).len(), MOST);
        assert_eq!(told("\n"), "");
    }

    #[test]
    fn a_failure_is_told_with_its_reason() {
        assert_eq!(words(JobKind::Sync, None).0, "Sync finished");
        assert_eq!(words(JobKind::Sync, Some("no network".into())), ("Sync failed", "no network".into()));
    }
}
