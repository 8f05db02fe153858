//! Tests of the `gh` extension, by itself and installed in a real `gh`, and of the GitHub Action.

use std::{path::Path, process::Command};

use crate::support::{Run, TestEnv, issue, json_lines};

fn script() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/packaging/gh-precedent/gh-precedent"))
}

/// Creates a clone of acme/app, whose issues are in the casebook.
fn clone_repository(env: &TestEnv) -> std::path::PathBuf {
    let records = [
        issue(1, "Login hangs", "It hangs after a restart."),
        issue(2, "Login hangs", "It hangs after a restart."),
    ];
    let path = env.file("in.jsonl", json_lines(&records));
    env.ok(&["import", &path.to_string_lossy(), "-R", "acme/app"]);
    let folder = env.path("clone");
    std::fs::create_dir_all(&folder).unwrap();
    for args in [&["init", "-q"][..], &["remote", "add", "origin", "git@github.com:acme/app.git"]] {
        assert!(Command::new("git").args(args).current_dir(&folder).status().unwrap().success());
    }
    std::os::unix::fs::symlink(env!("CARGO_BIN_EXE_precedent"), env.path("precedent")).unwrap();
    folder
}

fn run_program(env: &TestEnv, folder: &Path, program: &str, args: &[&str]) -> Run {
    let path = format!("{}:{}", env.path("").display(), std::env::var("PATH").unwrap());
    let mut command = Command::new(program);
    for (name, value) in env.command(&[]).get_envs() {
        value.map(|value| command.env(name, value));
    }
    let home = env.path("home");
    let output = command
        .args(args)
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", home)
        .env("GH_TOKEN", "none")
        .output()
        .unwrap();
    Run::from(output)
}

#[test]
fn extension_reads_the_repository_of_the_folder() {
    let env = TestEnv::new();
    let folder = clone_repository(&env);
    let script = script().to_string_lossy();
    let similar = run_program(&env, &folder, &script, &["similar", "2", "-q"]);
    assert!(similar.out.contains("acme/app#1"), "{}{}", similar.out, similar.err);
    let run = run_program(&env, &folder, &script, &["-R", "acme/other", "triage"]);
    assert!(run.code != Some(0) && run.err.contains("acme/other"), "{}", run.err);
    let run = run_program(&env, &folder, &script, &["similar", "two"]);
    assert!(run.err.contains("needs the number of an issue"), "{}", run.err);
    let run = run_program(&env, &env.path(""), &script, &["triage"]);
    assert!(run.err.contains("-R OWNER/NAME"), "{}", run.err);
}

#[test]
fn extension_adds_a_new_repository_before_it_syncs() {
    use std::os::unix::fs::PermissionsExt as _;

    let env = TestEnv::new();
    // The stub prints its arguments.
    let stub = env.file("precedent", "#!/bin/sh\necho \"$@\"\n");
    std::fs::set_permissions(&stub, std::fs::Permissions::from_mode(0o755)).unwrap();
    let script = script().to_string_lossy();
    let run = run_program(&env, &env.path(""), &script, &["-R", "acme/new", "sync", "--full"]);
    assert_eq!(run.out, "source add github:acme/new\nsync acme/new --full\n", "{}", run.err);

    let folder = env.path("clone");
    std::fs::create_dir_all(&folder).unwrap();
    let git = |args: &[&str]| Command::new("git").args(args).current_dir(&folder).status().unwrap();
    assert!(git(&["init", "-q"]).success());
    for remote in ["git@git.acme.example:acme/new.git", "https://git.acme.example/acme/new"] {
        git(&["remote", "remove", "origin"]);
        assert!(git(&["remote", "add", "origin", remote]).success());
        let run = run_program(&env, &folder, &script, &["sync"]);
        let added = "source add github:acme/new --host git.acme.example\nsync acme/new\n";
        assert_eq!(run.out, added, "{remote}: {}", run.err);
    }
}

#[test]
fn extension_runs_in_gh() {
    if Command::new("gh").arg("--version").output().is_err() {
        eprintln!("SKIPPED: the extension in gh, because gh is not installed");
        return;
    }
    let env = TestEnv::new();
    let folder = clone_repository(&env);
    let extension = env.path("gh-precedent");
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
    let install = run_program(&env, &extension, "gh", &["extension", "install", "."]);
    assert_eq!(install.code, Some(0), "{}", install.err);
    let similar = run_program(&env, &folder, "gh", &["precedent", "similar", "2", "-q"]);
    assert!(similar.out.contains("acme/app#1"), "{}{}", similar.out, similar.err);
}

#[test]
fn action_posts_similar_reports_once() {
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("SKIPPED: the action for similar reports, because python3 is not installed");
        return;
    }
    let env = TestEnv::new();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/.github/actions/similar-reports/test.py");
    let folder = env.path("");
    let run = run_program(&env, &folder, "python3", &[script, env!("CARGO_BIN_EXE_precedent")]);
    assert_eq!((run.code, run.out.as_str()), (Some(0), "passed\n"), "{}", run.err);
}
