//! Tests of `sync --watch`, and of the progress that other processes see.

use std::{
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    fake_github::{FakeGitHub, Fault},
    support::{Run, TestEnv},
};

fn github(name: &str, items: u64) -> FakeGitHub {
    let github = FakeGitHub::new(name);
    github.world().fill(items, 0);
    github
}

fn start(env: &TestEnv, args: &[&str]) -> Child {
    env.command(args).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Waits until a condition holds.
#[track_caller]
fn wait_for(condition: &str, mut is_met: impl FnMut() -> bool) {
    let start = Instant::now();
    while !is_met() {
        assert!(start.elapsed() < Duration::from_secs(40), "timed out waiting for {condition}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

fn title(env: &TestEnv, key: &str) -> Option<String> {
    let run = env.run(&["show", key, "--json"]);
    let value: Value = serde_json::from_str(&run.out).ok()?;
    value["title"].as_str().map(str::to_owned)
}

#[test]
fn watch_repeats_and_survives_failures() {
    let github = github("acme/app", 120);
    let env = TestEnv::new();
    env.ok(&["source", "add", "github:acme/app", "--host", &github.host]);
    let child = start(&env, &["sync", "--watch", "--every", "1s"]);
    wait_for("the first round", || title(&env, "acme/app#120").is_some());
    github.world().edit(7, json!({"title": "Edited once"}));
    wait_for("the second round", || title(&env, "acme/app#7").as_deref() == Some("Edited once"));

    // The project is unavailable for two requests.
    github.requests();
    github.fail("/issues?", 2, Fault::Status(404, vec![], json!({"message": "Not Found"})));
    wait_for("a failure", || github.requests().iter().filter(|l| l.status == 404).count() >= 1);
    github.world().edit(8, json!({"title": "Edited later"}));
    wait_for("a round after the failures", || {
        title(&env, "acme/app#8").as_deref() == Some("Edited later")
    });

    let id = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    let interrupted_at = Instant::now();
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let run = Run::from(child.wait_with_output().unwrap());
    assert!(interrupted_at.elapsed() < Duration::from_secs(3), "{:?}", interrupted_at.elapsed());
    assert_eq!(run.code, Some(130), "{}", run.err);
    run.assert_stderr(&["Next sync in 1 s", "not found"]);
    // An error in the command itself ends the watch.
    assert_eq!(env.run(&["sync", "no/such", "--watch"]).code, Some(1));
    assert_eq!(env.run(&["sync", "--watch", "--every", "never"]).code, Some(2));
}

#[test]
fn sync_progress_is_visible_to_other_processes() {
    let (github, other_github) = (github("acme/app", 350), github("acme/other", 30));
    github.fail_after("after=", 1, 1, Fault::Slow(Duration::from_secs(6)));
    let env = TestEnv::new();
    env.ok(&["source", "add", "github:acme/app", "--host", &github.host]);
    env.ok(&["source", "add", "github:acme/other", "--host", &other_github.host]);
    let slow_sync = start(&env, &["sync", "acme/app", "--no-index"]);
    let mut mirror = Value::Null;
    wait_for("progress", || {
        mirror = env.json(&["status", "--json"])["mirrors"][0].clone();
        mirror["progress"]["done"].as_u64().is_some_and(|n| n > 0)
    });
    assert_eq!(mirror["running"], true);
    assert_eq!(
        (&mirror["progress"]["done"], &mirror["progress"]["total"]),
        (&json!(200), &json!(350)),
        "{mirror}"
    );
    assert!(env.ok(&["status"]).out.contains("syncing now: 200 of 350 records"));
    assert!(env.ok(&["source", "list"]).out.contains("syncing now: 200 of 350 records"));

    let child = start(&env, &["sync", "--no-index", "--json"]);
    let run = Run::from(child.wait_with_output().unwrap());
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert!(run.err.contains("acme/app is already being synced"), "{}", run.err);
    let reports: Value = serde_json::from_str(&run.out).unwrap();
    assert_eq!(reports["sources"][0]["problem"]["code"], "busy");
    assert_eq!(reports["sources"][1]["items"], 30);

    let run = Run::from(slow_sync.wait_with_output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.err);
    let mirror = &env.json(&["status", "--json"])["mirrors"][0];
    assert_eq!((&mirror["running"], &mirror["progress"]), (&json!(false), &Value::Null));
}

#[test]
fn progress_of_a_killed_sync_is_ignored() {
    let github = github("acme/app", 350);
    github.fail_after("after=", 1, 1, Fault::Slow(Duration::from_secs(20)));
    let env = TestEnv::new();
    env.ok(&["source", "add", "github:acme/app", "--host", &github.host]);
    let mut child = start(&env, &["sync", "--no-index"]);
    wait_for("progress", || {
        env.json(&["status", "--json"])["mirrors"][0]["progress"]["done"].is_u64()
    });
    child.kill().unwrap();
    child.wait().unwrap();
    let mirror = &env.json(&["status", "--json"])["mirrors"][0];
    assert_eq!((&mirror["running"], &mirror["progress"]), (&json!(false), &Value::Null));
}
