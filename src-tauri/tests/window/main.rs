//! Tests of the real window with the real engine, through WebKitWebDriver.
//!
//! `xvfb-run -a -s '-screen 0 1280x900x24 -nolisten tcp' dbus-run-session -- cargo test -p precedent-desktop`
//!
//! Without a display or the driver, tests are skipped, or fail if `PRECEDENT_WINDOW_TESTS=required`.
#![cfg(target_os = "linux")]
#![expect(clippy::disallowed_methods, reason = "tests read the environment")]
#![expect(clippy::unwrap_used, reason = "test helpers panic like tests")]

mod accessibility;
mod big;
mod bus;
mod desktop;
mod driver;
#[path = "../../../tests/it/fake_github.rs"]
#[allow(dead_code, reason = "used by the engine's tests")]
mod fake_github;
#[path = "../../../tests/it/fake_tracker.rs"]
#[allow(dead_code, reason = "used by the engine's tests")]
mod fake_tracker;
mod files;
mod gallery;
#[path = "../../../tests/it/git_http.rs"]
#[allow(dead_code, reason = "used by the engine's tests")]
mod git_http;
#[path = "../../../tests/it/graphql.rs"]
#[allow(dead_code, reason = "used by the engine's tests")]
mod graphql;
mod hostile;
mod installed;
mod items;
mod keyboard;
mod measure;
mod morning;
mod newcomer;
mod portal;
mod problems;
mod prompt;
mod search;
mod settings;
mod sources;
mod tray;
mod triage;
mod troubleshoot;
