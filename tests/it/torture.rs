//! Tests with kills, power cuts, full disks and damage: no acknowledged change is lost, and derived
//! data is consistent or recreated.
//!
//! `PRECEDENT_TORTURE=500 cargo nextest run torture --no-capture` runs the long version;
//! `PRECEDENT_SEED` repeats a run.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    fake_github::FakeGitHub,
    support::{Random, Run, TestEnv, comment, full_text_folder, preload_library, random_records},
};

const SEED: u64 = 20_261_121;
/// The number of kills in the short version.
const KILLS: u64 = 12;

fn number_from_env(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|v| v.parse().ok()).unwrap_or(default)
}

/// The token that the tracker requires for writes.
const TOKEN: &str = "ghp_torture0123456789";

/// The changes that the casebook has acknowledged and must keep.
#[derive(Clone, Default)]
struct WriteLog {
    verdicts: BTreeMap<(String, String), String>,
    notes: Vec<String>,
}

/// The arguments of a command, and the change that its success acknowledges.
type NextCommand = (Vec<String>, Option<Box<dyn FnOnce(&mut WriteLog)>>);

/// A casebook with a live source and files to import, under test.
struct Torture {
    env: TestEnv,
    github: FakeGitHub,
    issues: String,
    comments: String,
    random: Random,
    log: WriteLog,
}

impl Torture {
    fn new(seed: u64) -> Self {
        let (issues, comments) = random_records(400, 600, seed);
        let env = TestEnv::new();
        let path = |name: &str, text: &str| env.file_arg(name, text);
        let (issues, comments) = (path("issues.jsonl", &issues), path("comments.jsonl", &comments));
        let github = FakeGitHub::new("acme/live");
        github.world().fill(250, 250);
        github.world().token = Some(TOKEN.to_owned());
        env.ok(&["source", "add", "github:acme/live", "--host", &github.host]);
        env.ok(&["import", "github", &issues, &comments, "--source", "acme/app"]);
        let card = json!({
            "name": "other", "dimensions": 384, "max_tokens": 256, "sha256": "",
            "floor": 0.15, "same": 0.95, "near": 0.9, "solved": 0.65,
        });
        env.file("casebook/models/other/card.json", card.to_string());
        let log = WriteLog::default();
        let torture = Self { env, github, issues, comments, random: Random(seed), log };
        // The items must exist before decisions about them.
        torture.ok(&["sync"]);
        torture
    }

    /// Returns a command that may use the tracker's token.
    fn command(&self, args: &[&str]) -> Command {
        let mut command = self.env.command(args);
        let host = self.github.host.trim_start_matches("http://");
        command.env("GH_ENTERPRISE_TOKEN", TOKEN).env("GH_HOST", host);
        command
    }

    fn ok(&self, args: &[&str]) {
        let run = Run::from(self.command(args).output().unwrap());
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.err);
    }

    /// Restores a backup after a write, kills the restore after `delay`, and returns whether it
    /// was still running.
    fn kill_restore(&mut self, round: u64, delay: Duration) -> bool {
        let copy = self.env.path_arg(&format!("copy-{round}.db"));
        self.ok(&["backup", &copy]);
        let log_before = self.log.clone();
        let marker = format!("After the copy of round {round}");
        self.ok(&[
            "note",
            "add",
            "--kind",
            "episode",
            "--title",
            &marker,
            "--body",
            "Goes with a restore.",
        ]);
        self.log.notes.push(marker.clone());
        let mut command = self.command(&["restore", &copy]);
        let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
        std::thread::sleep(delay);
        let has_ended = child.try_wait().unwrap().is_some();
        if !has_ended {
            child.kill().unwrap();
        }
        let run = Run::from(child.wait_with_output().unwrap());
        assert!(!has_ended || run.code == Some(0), "restore: {}", run.err);
        // Either casebook may be the result; the marker tells them apart.
        let titles = self.env.json(&["note", "list", "--json=title"]).to_string();
        if !titles.contains(&marker) {
            self.log = log_before;
        }
        std::fs::remove_file(copy).unwrap();
        !has_ended
    }

    fn next_command(&mut self, round: u64) -> NextCommand {
        let words = |parts: &[&str]| parts.iter().map(|p| (*p).to_owned()).collect::<Vec<_>>();
        match self.random.below(11) {
            9 => {
                // Repeated decisions concern the same pair.
                let a = 2 * self.random.below(120) + 1;
                let (a, b) = (format!("acme/live#{a}"), format!("acme/live#{}", a + 1));
                let args = words(&["verdict", "set", &b, &a, "duplicate", "--by", "ann"]);
                let record =
                    move |k: &mut WriteLog| drop(k.verdicts.insert((b, a), "duplicate".to_owned()));
                (args, Some(Box::new(record)))
            }
            10 => (words(&["triage", "--apply", "--yes"]), None),
            0 => {
                // Every record is new.
                let mut text = String::new();
                for n in 1..=400 {
                    let reply =
                        comment(10_000 + round * 400 + n, n, &format!("Round {round}, valve {n}."));
                    text.push_str(&format!("{reply}\n"));
                }
                let path = self.env.file(&format!("more-{round}.jsonl"), text);
                (
                    words(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]),
                    None,
                )
            }
            1 => {
                for _ in 0..40 {
                    let number = self.random.below(250) + 1;
                    self.github
                        .world()
                        .edit(number, json!({"title": format!("Pump {round} of {number}")}));
                }
                (words(&["sync"]), None)
            }
            2 => (words(&["index", "--rebuild"]), None),
            3 => (
                words(&["model", "use", if round.is_multiple_of(2) { "other" } else { "builtin" }]),
                None,
            ),
            4 => (words(&["triage", "--json"]), None),
            5 | 6 => {
                let (a, b) = (self.random.below(200) + 1, self.random.below(199) + 201);
                let (a, b) = (format!("acme/app#{a}"), format!("acme/app#{b}"));
                let kind = ["related", "not_duplicate"][self.random.below(2) as usize];
                let args =
                    words(&["verdict", "set", &a, &b, &kind.replace('_', "-"), "--by", "ann"]);
                let record =
                    move |k: &mut WriteLog| drop(k.verdicts.insert((a, b), kind.to_owned()));
                (args, Some(Box::new(record)))
            }
            _ => {
                let title = format!("Lesson {round}: {}", self.random.next());
                let args = words(&[
                    "note",
                    "add",
                    "--kind",
                    "episode",
                    "--title",
                    &title,
                    "--body",
                    "It was so.",
                ]);
                (args, Some(Box::new(move |k: &mut WriteLog| k.notes.push(title))))
            }
        }
    }

    /// Asserts that the casebook is sound and has every acknowledged change.
    fn check(&self, env: &TestEnv, context: &str) {
        let run = env.run(&["status", "--json"]);
        assert_eq!(run.code, Some(0), "{context}: {}", run.err);
        let database = env.database();
        let integrity: String =
            database.query_row("PRAGMA integrity_check", [], |r| r.get(0)).unwrap();
        assert_eq!(integrity, "ok", "{context}");
        let orphans: i64 = database
            .query_row("SELECT count(*) FROM pragma_foreign_key_check", [], |r| r.get(0))
            .unwrap();
        assert_eq!(orphans, 0, "{context}");
        drop(database);
        let verdicts = env.json(&["verdict", "list", "--json=first,second,kind"]);
        for ((a, b), kind) in &self.log.verdicts {
            let pair = if a < b { (a, b) } else { (b, a) };
            let is_stored = verdicts.as_array().unwrap().iter().any(|v| {
                (v["first"].as_str(), v["second"].as_str()) == (Some(pair.0), Some(pair.1))
                    && v["kind"] == *kind
            });
            assert!(is_stored, "{context}: the verdict about {a} and {b} ({kind}) is lost");
        }
        let notes = env.json(&["note", "list", "--json=title"]);
        let titles: Vec<&str> =
            notes.as_array().unwrap().iter().filter_map(|n| n["title"].as_str()).collect();
        for title in &self.log.notes {
            assert!(titles.contains(&title.as_str()), "{context}: the note \"{title}\" is lost");
        }
        let run = env.run(&["search", "agent timeout", "--json"]);
        assert_eq!(run.code, Some(0), "{context}: {}", run.err);
        assert!(!run.err.contains("locked"), "{context}: {}", run.err);
    }

    /// Completes all pending work, and compares the casebook with the server.
    fn complete(&self, context: &str) {
        let env = &self.env;
        env.ok(&["import", "github", &self.issues, &self.comments, "--source", "acme/app"]);
        self.ok(&["sync"]);
        self.ok(&["triage", "--apply", "--yes"]);
        for (pair, _) in self.log.verdicts.iter().filter(|(_, kind)| *kind == "duplicate") {
            let number = pair.0.rsplit('#').next().unwrap().parse().unwrap();
            let notes = self
                .github
                .world()
                .comment_texts(number)
                .iter()
                .filter(|t| t.starts_with("Duplicate of #"))
                .count();
            assert_eq!(notes, 1, "{context}: #{number} has {notes} duplicate comments");
        }
        self.ok(&["sync"]);
        env.ok(&["index"]);
        let status = env.json(&["status", "--json"]);
        assert_eq!(status["coverage"]["chunks"], status["coverage"]["embedded"], "{context}");
        assert_eq!(status["coverage"]["documents"], status["coverage"]["full_text"], "{context}");
        assert_eq!(status["model"]["next"], Value::Null, "{context}");
        let database = env.database();
        let mut statement = database
            .prepare("SELECT number, title FROM documents WHERE key LIKE 'acme/live#%'")
            .unwrap();
        let titles: BTreeMap<u64, String> = statement
            .query_map([], |r| Ok((r.get::<_, u64>(0)?, r.get(1)?)))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        let world = self.github.world();
        assert_eq!(titles.len(), 250, "{context}");
        for (number, title) in titles {
            assert_eq!(world.current_issue(number)["title"], title, "{context}: #{number}");
        }
    }
}

#[test]
fn random_kills_lose_nothing() {
    let (kills, seed) =
        (number_from_env("PRECEDENT_TORTURE", KILLS), number_from_env("PRECEDENT_SEED", SEED));
    eprintln!("{kills} kills with seed {seed}");
    let mut torture = Torture::new(seed);
    let (mut kill_count, mut round) = (0, 0);
    while kill_count < kills {
        round += 1;
        assert!(round < kills * 20, "the commands end before they are killed");
        let delay = Duration::from_millis(20 + torture.random.below(700));
        if torture.random.below(12) == 0 {
            kill_count += u64::from(torture.kill_restore(round, delay));
            torture.check(&torture.env, &format!("seed {seed}, round {round}, after a restore"));
            continue;
        }
        // Usually two writers run at once, sometimes only one.
        let writers = 1 + torture.random.below(4).min(1);
        let mut processes = Vec::new();
        for _ in 0..writers {
            let (args, record) = torture.next_command(round);
            let words: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut command = torture.command(&words);
            let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            processes.push((args, record, child));
        }
        std::thread::sleep(delay);
        let mut args = Vec::new();
        for (command_line, record, mut child) in processes {
            let has_ended = child.try_wait().unwrap().is_some();
            if !has_ended {
                child.kill().unwrap();
                kill_count += 1;
            }
            let run = Run::from(child.wait_with_output().unwrap());
            if let (Some(apply), Some(0)) = (record, run.code) {
                apply(&mut torture.log);
            }
            // A command reports a resource that the other writer has locked.
            let is_locked = run.err.contains("another process") || run.err.contains("being synced");
            if has_ended && !(is_locked && writers > 1) {
                assert_eq!(run.code, Some(0), "{command_line:?}: {}", run.err);
            }
            args.push(command_line.join(" "));
        }
        // Derived data may be damaged in between.
        if torture.random.below(4) == 0 {
            damage(&torture.env.casebook(), &mut torture.random);
        }
        let context = format!("seed {seed}, round {round}, after {args:?}");
        torture.check(&torture.env, &context);
        if kill_count % 25 == 24 {
            torture.complete(&context);
        }
    }
    torture.complete(&format!("seed {seed}, at the end"));
    eprintln!(
        "{kill_count} kills in {round} commands; {} verdicts and {} notes are stored",
        torture.log.verdicts.len(),
        torture.log.notes.len()
    );
}

/// Truncates or removes an index file while no process has it open.
fn damage(casebook: &Path, random: &mut Random) {
    let mut files: Vec<PathBuf> = Vec::new();
    for folder in full_text_folder(casebook).into_iter().chain([casebook.join("vectors")]) {
        let entries = std::fs::read_dir(folder).into_iter().flatten();
        files.extend(entries.map(|e| e.unwrap().path()).filter(|p| p.is_file()));
    }
    // Damage to a log without its database is unrealistic.
    files.retain(|p| {
        !["-wal", "-shm", ".lock"].iter().any(|end| p.to_string_lossy().ends_with(end))
    });
    files.sort();
    if files.is_empty() {
        return;
    }
    let file = &files[random.below(files.len() as u64) as usize];
    if random.below(2) == 0 {
        std::fs::remove_file(file).unwrap();
    } else {
        let bytes = std::fs::read(file).unwrap();
        std::fs::write(file, &bytes[..bytes.len() / 2]).unwrap();
    }
}

#[test]
fn power_loss_undoes_no_user_action() {
    let mut torture = Torture::new(number_from_env("PRECEDENT_SEED", SEED) + 1);
    let Some(library) = preload_library(&torture.env, "torture/power.c", "power cuts") else {
        return;
    };
    let (casebook, disk) = (torture.env.casebook(), torture.env.path("disk"));
    // This process keeps the casebook open, because the last one to close it syncs to disk.
    let mut server =
        torture.env.command(&["mcp"]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    // The simulated disk has the current state.
    copy_folder(&casebook, &disk);
    let cuts = number_from_env("PRECEDENT_TORTURE", KILLS) / 4;
    for round in 1..=cuts.max(3) {
        for _ in 0..4 {
            let (args, record) = torture.next_command(round * 10);
            let args: Vec<&str> = args.iter().map(String::as_str).collect();
            let mut command = torture.command(&args);
            command.env("LD_PRELOAD", &library).env("POWER_FROM", &casebook).env("POWER_TO", &disk);
            let mut child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
            // About half of the commands are killed.
            if torture.random.below(2) == 0 {
                std::thread::sleep(Duration::from_millis(20 + torture.random.below(600)));
                child.kill().unwrap();
            }
            let run = Run::from(child.wait_with_output().unwrap());
            if let (Some(apply), Some(0)) = (record, run.code) {
                apply(&mut torture.log);
            }
        }
        // The simulated power cut loses everything that was never synced to disk.
        server.kill().unwrap();
        server.wait().unwrap();
        std::fs::remove_dir_all(&casebook).unwrap();
        copy_folder(&disk, &casebook);
        torture.check(&torture.env, &format!("after power cut {round}"));
        // The check itself also wrote, without power cuts.
        std::fs::remove_dir_all(&disk).unwrap();
        copy_folder(&casebook, &disk);
        server = torture
            .env
            .command(&["mcp"])
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
    }
    server.kill().unwrap();
    server.wait().unwrap();
    torture.complete("after the last power cut");
}

fn copy_folder(source: &Path, destination: &Path) {
    std::fs::create_dir_all(destination).unwrap();
    for entry in std::fs::read_dir(source).unwrap() {
        let path = entry.unwrap().path();
        let target = destination.join(path.file_name().unwrap());
        if path.is_dir() {
            copy_folder(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

#[test]
fn full_disk_is_reported_and_loses_nothing() {
    let env = TestEnv::new();
    let disk = env.casebook();
    std::fs::create_dir_all(&disk).unwrap();
    let mount =
        Command::new("mount").args(["-t", "tmpfs", "-o", "size=12m", "tmpfs"]).arg(&disk).output();
    if !mount.is_ok_and(|m| m.status.success()) {
        eprintln!("SKIPPED: a full disk, because no file system can be mounted");
        return;
    }
    struct MountGuard(PathBuf);
    impl Drop for MountGuard {
        fn drop(&mut self) {
            let _ = Command::new("umount").arg("-l").arg(&self.0).status();
        }
    }
    let _guard = MountGuard(disk.clone());
    let (issues, comments) = random_records(3_000, 9_000, 5);
    let path = |name: &str, text: &str| env.file_arg(name, text);
    let (issues, comments) = (path("issues.jsonl", &issues), path("comments.jsonl", &comments));
    let few_issues = path("few.jsonl", &random_records(50, 0, 6).0);
    env.ok(&["import", "github", &few_issues, "--source", "acme/few"]);
    env.ok(&["note", "add", "--kind", "lesson", "--title", "Kept", "--body", "It is here."]);
    let mut ballast = Vec::new();
    let mut is_full = false;
    for round in 0..6 {
        let run = env.run(&["import", "github", &issues, &comments, "--source", "acme/app"]);
        if run.code != Some(0) {
            assert_eq!(run.code, Some(1), "{}", run.err);
            let message = run.err.to_lowercase();
            assert!(message.contains("full") || message.contains("space"), "{}", run.err);
            assert!(!message.contains("panicked"), "{}", run.err);
            is_full = true;
            break;
        }
        let ballast_file = disk.join(format!("ballast-{round}"));
        // The write fills the remaining space.
        let _ = std::fs::write(&ballast_file, vec![7; 4 << 20]);
        ballast.push(ballast_file);
        env.run(&["index", "--rebuild"]);
    }
    assert!(is_full, "the disk was never full");
    let notes = env.run(&["note", "list", "--json=title"]);
    assert!(notes.out.contains("Kept"), "a note cannot be read: {} {}", notes.out, notes.err);
    // With free space again, the same command succeeds.
    for file in ballast {
        std::fs::remove_file(file).unwrap();
    }
    let remount =
        Command::new("mount").args(["-o", "remount,size=200m"]).arg(&disk).status().unwrap();
    assert!(remount.success());
    env.ok(&["import", "github", &issues, &comments, "--source", "acme/app"]);
    env.ok(&["index"]);
    let status = env.json(&["status", "--json"]);
    assert_eq!(status["coverage"]["documents"], status["coverage"]["full_text"]);
    assert_eq!(status["coverage"]["chunks"], status["coverage"]["embedded"]);
    assert_eq!(status["coverage"]["documents"], 3_051);
}
