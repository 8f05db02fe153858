//! A test of concurrent use by the desktop app, an agent, a sync and a user: no update is lost, no
//! user sees a lock, and no resource grows.
//!
//! `PRECEDENT_CONCURRENCY=600 cargo nextest run concurrency --no-capture` runs it for ten minutes.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use precedent_core::{
    Task,
    model::{DuplicatesRequest, SearchRequest},
};
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::embed::Engine;
use serde_json::{Value, json};

use crate::{
    fake_github::FakeGitHub,
    mcp::Client,
    support::{Random, TestEnv, random_records},
};

/// The duration of the short version, in seconds.
const SECONDS: u64 = 20;
/// The number of items in the live source.
const LIVE_COUNT: u64 = 250;
/// The number of items in the imported source.
const IMPORT_COUNT: u64 = 300;
/// The maximum size of a write-ahead log, in bytes. Active readers delay its checkpoint.
const MAX_LOG: u64 = 64 << 20;
/// The maximum memory growth of a process, in bytes.
const MAX_GROWTH: u64 = 48 << 20;
/// The same for a short run, which includes the start of the process.
const MAX_INITIAL_GROWTH: u64 = 160 << 20;
/// The environment variable that gives the reader process its casebook.
const READER: &str = "PRECEDENT_READER";

fn seconds() -> u64 {
    std::env::var("PRECEDENT_CONCURRENCY").ok().and_then(|v| v.parse().ok()).unwrap_or(SECONDS)
}

/// The changes that have been acknowledged.
#[derive(Default)]
struct WriteLog {
    notes: Mutex<BTreeSet<String>>,
    verdicts: Mutex<BTreeMap<(String, String), &'static str>>,
    operations: AtomicU64,
}

impl WriteLog {
    fn add_note(&self, title: String) {
        assert!(self.notes.lock().unwrap_or_else(PoisonError::into_inner).insert(title));
    }

    fn add_verdict(&self, a: String, b: String, kind: &'static str) {
        let pair = if a < b { (a, b) } else { (b, a) };
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner).insert(pair, kind);
    }

    fn count_operation(&self) {
        self.operations.fetch_add(1, Ordering::Relaxed);
    }
}

/// Asserts that an output mentions no lock and no panic.
#[track_caller]
fn assert_no_lock(output: &str) {
    let output = output.to_lowercase();
    for word in ["is locked", "sqlite_busy", "\"code\":\"busy\"", "lockbusy", "panicked"] {
        assert!(!output.contains(word), "{output}");
    }
}

/// Runs a command, asserts that it succeeds without a lock, and returns its JSON.
fn run_ok(env: &TestEnv, args: &[&str]) -> Value {
    let run = env.run(args);
    assert_eq!(run.code, Some(0), "{args:?}: {}\n{}", run.err, run.out);
    assert_no_lock(&run.err);
    serde_json::from_str(&run.out).unwrap_or(Value::Null)
}

/// Returns a pair of imported items that only one of the two writers judges.
fn pair(random: &mut Random, parity: u64) -> (String, String) {
    let a = random.below(IMPORT_COUNT / 2 - 1) * 2 + 1 + parity;
    (format!("acme/app#{a}"), format!("acme/app#{}", a + 2))
}

const KINDS: [&str; 2] = ["related", "not_duplicate"];

/// Simulates a user on the command line.
fn use_command_line(env: &TestEnv, deadline: Instant, log: &WriteLog, seed: u64) {
    let mut random = Random(seed);
    let file = env.path_arg("brief.html");
    for round in 0.. {
        if Instant::now() >= deadline {
            return;
        }
        match round % 7 {
            0 => {
                let response = run_ok(env, &["search", "agent timeout", "--json"]);
                let has_items = |list: &str| !response[list].as_array().unwrap().is_empty();
                assert!(has_items("hits") || has_items("notices"), "{response}");
            }
            1 => {
                let key = format!("acme/live#{}", random.below(LIVE_COUNT) + 1);
                run_ok(env, &["duplicates", &key, "--include-closed", "--json"]);
            }
            2 => {
                let (a, b) = pair(&mut random, 0);
                let kind = KINDS[random.below(2) as usize];
                run_ok(env, &["verdict", "set", &a, &b, &kind.replace('_', "-"), "--by", "ann"]);
                log.add_verdict(a, b, kind);
            }
            3 => {
                let title = format!("By hand {round}: {}", random.next());
                run_ok(
                    env,
                    &[
                        "note",
                        "add",
                        "--kind",
                        "episode",
                        "--title",
                        &title,
                        "--body",
                        "It was so.",
                    ],
                );
                log.add_note(title);
            }
            4 => drop(run_ok(env, &["brief", "acme/app#12", "-o", &file])),
            5 => drop(run_ok(
                env,
                &["troubleshoot", "the queue leaks memory after an upgrade", "--json"],
            )),
            _ => {
                let status = run_ok(env, &["status", "--json"]);
                assert!(
                    status["coverage"]["documents"].as_u64().unwrap() >= LIVE_COUNT + IMPORT_COUNT
                );
            }
        }
        log.count_operation();
    }
}

/// Simulates an agent.
fn use_agent_server(client: &mut Client, deadline: Instant, log: &WriteLog, seed: u64) {
    let mut random = Random(seed);
    for round in 0.. {
        if Instant::now() >= deadline {
            return;
        }
        let (tool, arguments) = match round % 6 {
            0 => ("search_issues", json!({"query": "schema leak", "limit": 5})),
            1 => ("find_duplicates", json!({"number": random.below(IMPORT_COUNT) + 1})),
            2 => (
                "read_thread",
                json!({"key": format!("acme/live#{}", random.below(LIVE_COUNT) + 1)}),
            ),
            3 => ("find_fixes", json!({"text": "worker restarts and the checkpoint is lost"})),
            4 => {
                let title = format!("By an agent {round}: {}", random.next());
                let body = format!("Seen {} times.", random.next());
                let answer = client.ok(
                    "add_note",
                    json!({"kind": "lesson", "title": title, "body": body, "force": true}),
                );
                assert_eq!(answer["outcome"], "stored", "{answer}");
                log.add_note(title);
                log.count_operation();
                continue;
            }
            _ => {
                let (a, b) = pair(&mut random, 1);
                let kind = KINDS[random.below(2) as usize];
                client.ok("record_verdict", json!({"key": a, "other": b, "verdict": kind}));
                log.add_verdict(a, b, kind);
                log.count_operation();
                continue;
            }
        };
        assert_no_lock(&client.ok(tool, arguments).to_string());
        log.count_operation();
    }
}

/// Simulates a changing tracker and its syncs.
fn change_and_sync(
    env: &TestEnv,
    github: &FakeGitHub,
    deadline: Instant,
    log: &WriteLog,
    seed: u64,
) {
    let mut random = Random(seed);
    for round in 0.. {
        if Instant::now() >= deadline {
            return;
        }
        for _ in 0..20 {
            let number = random.below(LIVE_COUNT) + 1;
            github.world().edit(number, json!({"title": format!("Pump {round} of {number}")}));
        }
        let ids = github.world().comment_ids();
        let id = ids[random.below(ids.len() as u64) as usize];
        github.world().edit_comment(id, &format!("Said again in round {round}."));
        run_ok(env, &["sync", "--json"]);
        github.requests();
        log.count_operation();
    }
}

/// Simulates a user who updates and sometimes rebuilds the indexes.
fn update_indexes(env: &TestEnv, deadline: Instant, log: &WriteLog) {
    for round in 0.. {
        if Instant::now() >= deadline {
            return;
        }
        if round % 8 == 7 {
            run_ok(env, &["index", "--rebuild"]);
        } else {
            run_ok(env, &["index"]);
        }
        log.count_operation();
        std::thread::sleep(Duration::from_millis(500));
    }
}

/// Reads through the library, like the desktop app, in a second process with [`READER`] set.
#[tokio::test]
async fn long_lived_reader_sees_changes() {
    let Some(folder) = std::env::var_os(READER).map(PathBuf::from) else { return };
    precedent_core::memory::limit_malloc_arenas();
    let mut options = OpenOptions::new(&folder);
    options.engine = Some(Engine::Hashed);
    let casebook = Casebook::open(options).await.unwrap();
    let (task, stop) = (Task::new(), folder.with_extension("stop"));
    let mut rounds = 0_u64;
    while !stop.exists() {
        rounds += 1;
        casebook.update_text(&task).await.unwrap();
        let query =
            ["is:open", "agent timeout", "mode:semantic disk leak", "source:acme/live pump"];
        let query = query[usize::try_from(rounds % 4).unwrap()];
        let request =
            SearchRequest { query: query.to_owned(), limit: 20, ..SearchRequest::default() };
        let response = casebook.search(request, &task).await.unwrap();
        // While the indexes are rebuilt, a response without matches has a notice.
        assert!(
            !response.hits.is_empty() || !response.notices.is_empty(),
            "nothing for {query}: {:?}",
            response.coverage
        );
        if let Some(hit) = response.hits.first() {
            assert_eq!(casebook.thread(&hit.key).await.unwrap().key, hit.key);
        }
        let request = DuplicatesRequest {
            key: Some("acme/app#7".to_owned()),
            ..DuplicatesRequest::default()
        };
        casebook.duplicates(request, &task).await.unwrap();
        casebook.status().await.unwrap();
        casebook.mirrors().await.unwrap();
        casebook.notes(None).await.unwrap();
        casebook.verdicts(None).await.unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    println!("{rounds} rounds");
}

fn start_reader(env: &TestEnv) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args(["--exact", "concurrency::long_lived_reader_sees_changes", "--nocapture"]);
    command.env(READER, env.casebook()).stdin(Stdio::null());
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

/// Returns the resident memory of a process, in bytes.
fn memory(id: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:")).unwrap_or_default();
    line.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) * 1024
}

/// Collects every file of a folder with its length.
fn collect_files(folder: &Path, out: &mut BTreeMap<PathBuf, u64>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect_files(&path, out);
        } else if let Ok(meta) = path.metadata() {
            out.insert(path, meta.len());
        }
    }
}

fn casebook_files(env: &TestEnv) -> BTreeMap<PathBuf, u64> {
    let mut out = BTreeMap::new();
    collect_files(&env.casebook(), &mut out);
    out
}

/// Returns the medians of the first and the last third.
fn median_of_thirds(samples: &[u64]) -> (u64, u64) {
    let median = |part: &[u64]| {
        let mut part = part.to_vec();
        part.sort_unstable();
        part.get(part.len() / 2).copied().unwrap_or(0)
    };
    let third = samples.len().div_ceil(3);
    (median(&samples[..third]), median(&samples[samples.len() - third..]))
}

#[test]
fn concurrent_use_loses_and_leaks_nothing() {
    let (duration, seed) = (Duration::from_secs(seconds()), 20_261_121);
    eprintln!("{} s with seed {seed}", duration.as_secs());
    let env = TestEnv::new();
    let (issues, comments) = random_records(IMPORT_COUNT, 400, seed);
    let path = |name: &str, text: &str| env.file_arg(name, text);
    let (issues, comments) = (path("issues.jsonl", &issues), path("comments.jsonl", &comments));
    let github = FakeGitHub::new("acme/live");
    github.world().fill(LIVE_COUNT, LIVE_COUNT);
    env.ok(&["source", "add", "github:acme/live", "--host", &github.host]);
    env.ok(&["import", "github", &issues, &comments, "--source", "acme/app"]);
    env.ok(&["sync"]);
    env.ok(&["index"]);
    let files_before: BTreeSet<PathBuf> = stable_names(&casebook_files(&env));

    let log = WriteLog::default();
    let mut client = Client::start(&env, &["-R", "acme/app"]);
    let mut reader = start_reader(&env);
    let ids = [client.child.id(), reader.id()];
    let deadline = Instant::now() + duration;
    let (mut memories, mut max_log) = ([const { Vec::new() }; 2], 0);
    std::thread::scope(|scope| {
        let workers = [
            scope.spawn(|| use_command_line(&env, deadline, &log, seed + 1)),
            scope.spawn(|| use_agent_server(&mut client, deadline, &log, seed + 2)),
            scope.spawn(|| change_and_sync(&env, &github, deadline, &log, seed + 3)),
            scope.spawn(|| update_indexes(&env, deadline, &log)),
        ];
        while workers.iter().any(|w| !w.is_finished()) {
            for (samples, id) in memories.iter_mut().zip(ids) {
                samples.push(memory(id));
            }
            let logs = casebook_files(&env)
                .into_iter()
                .filter(|(p, _)| p.to_string_lossy().ends_with("-wal"));
            max_log = max_log.max(logs.map(|(_, length)| length).max().unwrap_or(0));
            std::thread::sleep(Duration::from_millis(500));
        }
    });
    std::fs::write(env.casebook().with_extension("stop"), "").unwrap();
    let status = reader.wait().unwrap();
    let reader_output = reader.wait_with_output().unwrap();
    let (output_text, error_text) = (
        String::from_utf8_lossy(&reader_output.stdout),
        String::from_utf8_lossy(&reader_output.stderr),
    );
    assert!(status.success(), "the reader: {output_text} {error_text}");
    let (code, error_text) = client.end();
    assert_eq!((code, error_text.as_str()), (Some(0), ""));

    for (name, samples) in ["the server for agents", "the reader"].iter().zip(&memories) {
        let (first, last) = median_of_thirds(samples);
        eprintln!("{name}: {} MB in the first third, {} MB in the last", first >> 20, last >> 20);
        let max = if duration.as_secs() < 120 { MAX_INITIAL_GROWTH } else { MAX_GROWTH };
        assert!(last <= first + max, "{name}: {first} to {last} bytes");
    }
    eprintln!("the longest write-ahead log: {:.1} MB", max_log as f64 / 1e6);
    assert!(max_log <= MAX_LOG, "{max_log}");

    // Only the acknowledged changes are stored.
    let notes = env.json(&["note", "list", "--json=title"]);
    let titles: Vec<&str> =
        notes.as_array().unwrap().iter().filter_map(|n| n["title"].as_str()).collect();
    let known_notes = log.notes.into_inner().unwrap();
    assert_eq!(titles.len(), known_notes.len(), "{titles:?}");
    assert!(known_notes.iter().all(|t| titles.contains(&t.as_str())));
    let verdicts = env.json(&["verdict", "list", "--json=first,second,kind"]);
    let stored_verdicts: BTreeMap<(String, String), String> = verdicts
        .as_array()
        .unwrap()
        .iter()
        .map(|v| {
            let word = |name: &str| v[name].as_str().unwrap().to_owned();
            ((word("first"), word("second")), word("kind"))
        })
        .collect();
    let known_verdicts = log.verdicts.into_inner().unwrap();
    assert_eq!(stored_verdicts.len(), known_verdicts.len());
    for (pair, kind) in &known_verdicts {
        assert_eq!(stored_verdicts.get(pair).map(String::as_str), Some(*kind), "{pair:?}");
    }

    // The mirror equals the server, and derived data is complete.
    env.ok(&["sync"]);
    env.ok(&["index"]);
    let status = env.json(&["status", "--json"]);
    let coverage = &status["coverage"];
    assert_eq!(coverage["chunks"], coverage["embedded"]);
    assert_eq!(coverage["documents"], coverage["full_text"]);
    assert_eq!(coverage["documents"], LIVE_COUNT + IMPORT_COUNT + known_notes.len() as u64);
    let database = env.database();
    let integrity: String = database.query_row("PRAGMA integrity_check", [], |r| r.get(0)).unwrap();
    assert_eq!(integrity, "ok");
    let mut statement = database
        .prepare("SELECT number, title FROM documents WHERE key LIKE 'acme/live#%'")
        .unwrap();
    let titles: BTreeMap<u64, String> = statement
        .query_map([], |r| Ok((r.get(0)?, r.get(1)?)))
        .unwrap()
        .map(Result::unwrap)
        .collect();
    drop(statement);
    assert_eq!(titles.len() as u64, LIVE_COUNT);
    for (number, title) in titles {
        assert_eq!(github.world().current_issue(number)["title"], title, "#{number}");
    }
    let comments: u64 = database
        .query_row("SELECT count(*) FROM comments WHERE source_id = (SELECT id FROM sources WHERE key = 'acme/live')", [], |r| r.get(0))
        .unwrap();
    assert_eq!(comments, github.world().comment_ids().len() as u64);
    drop(database);

    // No files are left over, and the folder is hardly larger than a new one.
    let (files_after, sizes) =
        (stable_names(&casebook_files(&env)), casebook_files(&env).values().sum::<u64>());
    assert_eq!(files_after.difference(&files_before).collect::<Vec<_>>(), Vec::<&PathBuf>::new());
    let count = casebook_files(&env).len();
    assert!(count < 200, "{count} files");
    env.ok(&["index", "--rebuild"]);
    let rebuilt_bytes = casebook_files(&env).values().sum::<u64>();
    eprintln!(
        "{} operations, {} notes, {} verdicts; {count} files of {:.1} MB, rebuilt {:.1} MB; the reader: {}",
        log.operations.into_inner(),
        known_notes.len(),
        known_verdicts.len(),
        sizes as f64 / 1e6,
        rebuilt_bytes as f64 / 1e6,
        output_text.lines().find(|l| l.ends_with("rounds")).unwrap_or_default(),
    );
    assert!(sizes <= rebuilt_bytes * 3 + (16 << 20), "{sizes} bytes, rebuilt {rebuilt_bytes}");
}

/// Returns the names of files, without the unique parts of segment and vector names.
fn stable_names(files: &BTreeMap<PathBuf, u64>) -> BTreeSet<PathBuf> {
    let plain = |path: &Path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        // A segment is `ID.store`, with a temporary `ID.2826.del` for replaced documents.
        let segment = name.split_once('.').is_some_and(|(id, _)| id.len() == 32);
        path.with_file_name(if segment { "ID".to_owned() } else { name })
    };
    // Logs exist only while a process has the casebook open.
    let is_permanent =
        |path: &&PathBuf| !["-wal", "-shm"].iter().any(|end| path.to_string_lossy().ends_with(end));
    files.keys().filter(is_permanent).map(|p| plain(p)).collect()
}
