//! Tests of the `gh` extension, by itself and installed in a real `gh`, and of the GitHub Action.

use std::{path::Path, process::Command};

use crate::support::{Place, Ran, issue, lines};

fn script() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/gh-precedent/gh-precedent"))
}

/// Makes a clone of acme/app, with its issues in the casebook and `precedent` on the path.
fn clone(place: &Place) -> std::path::PathBuf {
    let records = [
        issue(1, "Login hangs", "It hangs after a restart."),
        issue(2, "Login hangs", "It hangs after a restart."),
    ];
    let path = place.file("in.jsonl", lines(&records));
    place.ok(&["import", &path.to_string_lossy(), "-R", "acme/app"]);
    let folder = place.path("clone");
    std::fs::create_dir_all(&folder).unwrap();
    for args in [&["init", "-q"][..], &["remote", "add", "origin", "git@github.com:acme/app.git"]] {
        assert!(Command::new("git").args(args).current_dir(&folder).status().unwrap().success());
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_precedent"), place.path("precedent")).unwrap();
    folder
}

fn run(place: &Place, folder: &Path, program: &str, args: &[&str]) -> Ran {
    let path = format!("{}:{}", place.path("").display(), std::env::var("PATH").unwrap());
    // The environment of a command of this casebook.
    let mut command = Command::new(program);
    for (name, value) in place.command(&[]).get_envs() {
        value.map(|value| command.env(name, value));
    }
    let home = place.path("home");
    let output = command
        .args(args)
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", home)
        .env("GH_TOKEN", "none")
        .output()
        .unwrap();
    Ran::from(output)
}

#[test]
fn extension_reads_the_repository_of_the_folder() {
    let place = Place::new();
    let folder = clone(&place);
    let script = script().to_string_lossy();
    let similar = run(&place, &folder, &script, &["similar", "2", "-q"]);
    assert!(similar.out.contains("acme/app#1"), "{}{}", similar.out, similar.err);
    let ran = run(&place, &folder, &script, &["-R", "acme/other", "triage"]);
    assert!(ran.code != Some(0) && ran.err.contains("acme/other"), "{}", ran.err);
    let ran = run(&place, &folder, &script, &["similar", "two"]);
    assert!(ran.err.contains("needs the number of an issue"), "{}", ran.err);
    let ran = run(&place, &place.path(""), &script, &["triage"]);
    assert!(ran.err.contains("-R OWNER/NAME"), "{}", ran.err);
}

#[test]
fn extension_adds_a_new_repository_before_it_syncs() {
    use std::os::unix::fs::PermissionsExt as _;

    let place = Place::new();
    // Prints its arguments instead of connecting to GitHub.
    let stub = place.file("precedent", "#!/bin/sh\necho \"$@\"\n");
    std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = script().to_string_lossy();
    let ran = run(&place, &place.path(""), &script, &["-R", "acme/new", "sync", "--full"]);
    assert_eq!(ran.out, "source add github:acme/new\nsync acme/new --full\n", "{}", ran.err);
}

#[test]
fn extension_runs_in_gh() {
    if Command::new("gh").arg("--version").output().is_err() {
        eprintln!("SKIPPED: the extension in gh, because gh is not installed");
        return;
    }
    let place = Place::new();
    let folder = clone(&place);
    let extension = place.path("gh-precedent");
    std::fs::create_dir_all(&extension).unwrap();
    std::fs::copy(script(), extension.join("gh-precedent")).unwrap();
    assert!(
        Command::new("git")
            .args(["init", "-q"])
            .current_dir(&extension)
            .status()
            .unwrap()
            .success()
    );
    let install = run(&place, &extension, "gh", &["extension", "install", "."]);
    assert_eq!(install.code, Some(0), "{}", install.err);
    let similar = run(&place, &folder, "gh", &["precedent", "similar", "2", "-q"]);
    assert!(similar.out.contains("acme/app#1"), "{}{}", similar.out, similar.err);
}

#[test]
fn action_comments_similar_reports_once() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: the action for similar reports, because python3 is not installed");
        return;
    }
    let place = Place::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/.github/actions/similar-reports/test.py");
    let folder = place.path("");
    let ran = run(&place, &folder, "python3", &[script, env!("CARGO_BIN_EXE_precedent")]);
    assert_eq!((ran.code, ran.out.as_str()), (Some(0), "passed\n"), "{}", ran.err);
}
