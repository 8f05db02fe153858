//! A hermetic environment for the command line, generated records, and fingerprints of casebooks.

use std::{
    fmt::Write as _,
    path::{Path, PathBuf},
    process::{Command, Output, Stdio},
    sync::Arc,
    time::{Duration, UNIX_EPOCH},
};

use precedent_core::Task;
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::embed::Engine;
use serde_json::Value;
use tempfile::TempDir;

/// A temporary folder with a casebook and files, removed on drop.
pub struct TestEnv {
    folder: TempDir,
}

impl TestEnv {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn casebook(&self) -> PathBuf {
        self.folder.path().join("casebook")
    }

    /// Creates an empty casebook with the command line.
    pub fn create_casebook(&self) {
        self.ok(&["source", "add", "no/thing"]);
        self.ok(&["source", "remove", "no/thing", "--yes"]);
    }

    /// Returns options to open the casebook, with hashed vectors and a fixed clock.
    pub fn options(&self) -> OpenOptions {
        self.options_at(1_780_000_000)
    }

    /// Returns [`TestEnv::options`] with the clock at another time.
    pub fn options_at(&self, second: i64) -> OpenOptions {
        let mut options = OpenOptions::new(self.casebook());
        options.engine = Some(Engine::Hashed);
        options.clock = Arc::new(move || jiff::Timestamp::from_second(second).unwrap());
        options
    }

    /// Opens the database directly, bypassing the casebook.
    pub fn database(&self) -> rusqlite::Connection {
        rusqlite::Connection::open(self.casebook().join("precedent.db")).unwrap()
    }

    pub async fn open(&self) -> Casebook {
        Casebook::open(self.options()).await.unwrap()
    }

    /// Opens the casebook with these records of acme/app imported and indexed.
    pub async fn load(&self, records: &[Value]) -> Casebook {
        let casebook = self.open().await;
        let path = self.file("in.jsonl", json_lines(records));
        casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
        casebook.update_index(&Task::new()).await.unwrap();
        casebook
    }

    /// Returns the folder of this version's full-text index.
    pub fn full_text_folder(&self) -> PathBuf {
        full_text_folder(&self.casebook()).expect("a full-text index")
    }

    /// Writes a file.
    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    /// Writes a file, and returns its path as an argument.
    pub fn file_arg(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        self.file(name, content).to_string_lossy().into_owned()
    }

    /// Writes a wiki page with a fixed modification time, which becomes the page's time.
    pub fn page(&self, name: &str, text: &str) -> String {
        let path = self.file(name, text);
        let time = UNIX_EPOCH + Duration::from_secs(1_770_000_000);
        std::fs::File::options().write(true).open(&path).unwrap().set_modified(time).unwrap();
        path.to_string_lossy().into_owned()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub fn path_arg(&self, name: &str) -> String {
        self.path(name).to_string_lossy().into_owned()
    }

    /// Returns the binary for this casebook, with hashed vectors and a clean environment.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_precedent"));
        command
            .env_clear()
            .env("HOME", self.folder.path())
            .env("TZ", "UTC")
            .env("PRECEDENT_EMBEDDER", "hashed")
            .env("PRECEDENT_CASEBOOK", self.casebook())
            .args(args)
            .stdin(Stdio::null());
        // In coverage runs, the child process writes into the same profile.
        if let Some(profile) = std::env::var_os("LLVM_PROFILE_FILE") {
            command.env("LLVM_PROFILE_FILE", profile);
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Run {
        Run::from(self.command(args).output().unwrap())
    }

    pub fn run_with_input(&self, args: &[&str], input: impl AsRef<[u8]>) -> Run {
        let input = std::fs::File::open(self.file("input", input)).unwrap();
        Run::from(self.command(args).stdin(input).output().unwrap())
    }

    /// Imports records of acme/app in GitHub's shape, and indexes them.
    pub fn import(&self, records: impl AsRef<[u8]>) -> Run {
        let path = self.file_arg("in.jsonl", records);
        self.ok(&["import", "github", &path, "--source", "acme/app"])
    }

    /// Creates an empty database without the command line.
    pub fn create_database(&self) {
        std::fs::create_dir_all(self.casebook()).unwrap();
        drop(precedent_store::Store::open(&self.casebook().join("precedent.db")).unwrap());
    }

    /// Runs a command and asserts that it succeeds.
    pub fn ok(&self, args: &[&str]) -> Run {
        let run = self.run(args);
        assert_eq!(run.code, Some(0), "{args:?}\n{}\n{}", run.out, run.err);
        run
    }

    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args).out).unwrap()
    }
}

/// A finished command: its exit code and output.
pub struct Run {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Run {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Run {
    /// Asserts that the command failed with this exit code and these texts on standard error.
    #[track_caller]
    pub fn assert_error(&self, code: i32, texts: &[&str]) {
        assert_eq!(self.code, Some(code), "{}\n{}", self.out, self.err);
        self.assert_stderr(texts);
    }

    /// Asserts that standard error contains these texts.
    #[track_caller]
    pub fn assert_stderr(&self, texts: &[&str]) {
        for text in texts {
            assert!(self.err.contains(text), "{text}: {}", self.err);
        }
    }

    /// Returns both streams and the exit code for snapshots, with variable parts masked.
    pub fn snapshot_text(&self, env: &TestEnv) -> String {
        let mask = |text: &str| {
            let text = text.replace(&*env.folder.path().to_string_lossy(), "[FOLDER]");
            let text = regex_replace(&text, r"in \d+\.\d s", "in [TIME] s");
            let text = regex_replace(&text, r"(\d+\.\d (kB|MB)|\d+ B)", "[SIZE]");
            regex_replace(
                &text,
                r#""(took_ms|full_text_seconds|vector_seconds)": [0-9.e-]+"#,
                r#""$1": 0"#,
            )
        };
        format!(
            "exit {}\n--- out\n{}--- err\n{}",
            self.code.unwrap_or(-1),
            mask(&self.out),
            mask(&self.err)
        )
    }
}

fn regex_replace(text: &str, pattern: &str, replacement: &str) -> String {
    regex::Regex::new(pattern).unwrap().replace_all(text, replacement).into_owned()
}

/// Compiles a C library for `LD_PRELOAD`, or reports the test as skipped without a compiler.
pub fn preload_library(env: &TestEnv, source: &str, test: &str) -> Option<PathBuf> {
    let library = env.path("preloaded.so");
    let source = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).join(source);
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).arg("-ldl");
    if cfg!(target_os = "linux") && cc.status().is_ok_and(|status| status.success()) {
        return Some(library);
    }
    eprintln!("SKIPPED: {test}, because there is no C compiler for the preloaded library");
    None
}

/// A deterministic random number generator with the constants of Knuth's MMIX.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

const WORDS: &str = "agent pipeline slot timeout crash schema upgrade token proxy memory disk retry checkpoint console login \
    certificate queue worker index search panic restart leak column table replica network driver config release";

fn words(random: &mut Random, n: u64) -> String {
    let vocabulary: Vec<&str> = WORDS.split(' ').collect();
    let words: Vec<&str> =
        (0..n).map(|_| vocabulary[random.below(vocabulary.len() as u64) as usize]).collect();
    words.join(" ")
}

/// Returns a record with some fields replaced.
pub fn with_fields(mut record: Value, changes: Value) -> Value {
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    record
}

/// Returns a record that was closed for this reason.
pub fn close(record: Value, reason: &str) -> Value {
    let fields = serde_json::json!({"state": "closed", "state_reason": reason, "closed_at": "2026-01-08T00:00:00Z"});
    with_fields(record, fields)
}

/// Returns the members of an exported casebook by name.
pub fn casebook_members(file: &Path) -> Vec<(String, Vec<u8>)> {
    let mut archive = tar::Archive::new(std::fs::File::open(file).unwrap());
    let read_entry = |entry: std::io::Result<tar::Entry<'_, std::fs::File>>| {
        let mut entry = entry.unwrap();
        let name = entry.path().unwrap().to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        std::io::Read::read_to_end(&mut entry, &mut bytes).unwrap();
        (name, bytes)
    };
    archive.entries().unwrap().map(read_entry).collect()
}

/// Writes a casebook file with these members and matching checksums.
pub fn write_casebook(env: &TestEnv, manifest: &[u8], database: &[u8]) -> PathBuf {
    let checksums = format!(
        "{}  manifest.json\n{}  casebook.db.zst\n",
        blake3::hash(manifest).to_hex(),
        blake3::hash(database).to_hex()
    );
    let checksums = ("checksums", checksums.as_bytes());
    write_archive(env, &[("manifest.json", manifest), ("casebook.db.zst", database), checksums])
}

/// Writes a tar archive, whose member names may be hostile paths.
pub fn write_archive(env: &TestEnv, members: &[(&str, &[u8])]) -> PathBuf {
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = tar::Header::new_gnu();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(bytes.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, *bytes).unwrap();
    }
    env.file("made.casebook", tar.into_inner().unwrap())
}

/// Formats records as JSON Lines.
pub fn json_lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

/// Returns an issue in GitHub's REST shape.
pub fn issue(number: u64, title: &str, body: &str) -> Value {
    serde_json::json!({
        "id": 1000 + number, "number": number, "title": title, "body": body, "state": "open", "labels": [],
        "html_url": format!("https://tracker.example/acme/app/issues/{number}"), "comments": 0,
        "user": {"login": "ada", "type": "User"}, "author_association": "NONE", "locked": false,
        "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z", "closed_at": null,
    })
}

/// Returns the folder of the full-text index, if there is one.
pub fn full_text_folder(casebook: &Path) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(casebook.join("fulltext")).ok()?.map(|e| e.unwrap().path()).collect();
    assert!(folders.len() < 2, "{folders:?}");
    folders.pop()
}

/// Returns a comment in GitHub's REST shape.
pub fn comment(id: u64, number: u64, body: &str) -> Value {
    serde_json::json!({
        "id": id, "issue_url": format!("https://tracker.example/api/v3/repos/acme/app/issues/{number}"), "body": body,
        "html_url": format!("https://tracker.example/acme/app/issues/{number}#issuecomment-{id}"),
        "user": {"login": "grace", "type": "User"}, "author_association": "MEMBER",
        "created_at": "2026-01-03T03:04:05Z", "updated_at": "2026-01-03T03:04:05Z",
    })
}

/// Returns random issues and comments as JSON Lines.
pub fn random_records(items: u64, comments: u64, seed: u64) -> (String, String) {
    let mut random = Random(seed);
    let (mut issues, mut replies) = (String::new(), String::new());
    for n in 1..=items {
        let title = words(&mut random, 6);
        let mut body = words(&mut random, 40);
        if n % 7 == 0 {
            write!(
                body,
                "\n\n```\nthread 'main' panicked at 'no {} left', src/x.rs:{n}\n```\n",
                words(&mut random, 2)
            )
            .unwrap();
        }
        if n > 10 && n % 5 == 0 {
            write!(body, "\n\nDuplicate of #{}", random.below(n - 1) + 1).unwrap();
        }
        writeln!(issues, "{}", issue(n, &title, &body)).unwrap();
    }
    for c in 0..comments {
        let number = random.below(items) + 1;
        writeln!(replies, "{}", comment(c + 1, number, &words(&mut random, 25))).unwrap();
    }
    (issues, replies)
}

/// Returns a fingerprint of a casebook's content and search results, regardless of import order.
pub fn fingerprint(env: &TestEnv) -> String {
    let database = env.database();
    let mut out = String::new();
    for (name, query) in [
        ("integrity", "SELECT * FROM pragma_integrity_check"),
        (
            "documents",
            "SELECT key, kind, title, body, url, state, state_reason, author, labels, comment_count, created_at,
                    updated_at, hex(raw_hash), deleted_at FROM documents ORDER BY key",
        ),
        (
            "comments",
            "SELECT number, remote_id, author, association, body, created_at, updated_at, hex(raw_hash) FROM comments
             ORDER BY remote_id",
        ),
        ("raw", "SELECT count(*) FROM document_raw UNION ALL SELECT count(*) FROM comment_raw"),
        ("links", "SELECT from_key, to_key, kind, origin FROM links ORDER BY 1, 2, 3"),
        ("skeleton", "SELECT hash FROM skeleton_lines ORDER BY hash"),
    ] {
        writeln!(out, "{name} {}", digest(&database, query)).unwrap();
    }
    drop(database);
    for query in [
        "agent timeout",
        "schema leak -proxy",
        "panicked at 'no disk agent left'",
        "mode:semantic memory disk",
        "\"slot timeout\"",
    ] {
        let hits = env.json(&["search", query, "-L", "20", "--json=key,scores"]);
        let keys: Vec<&str> =
            hits.as_array().unwrap().iter().map(|h| h["key"].as_str().unwrap()).collect();
        let scores = blake3::hash(hits.to_string().as_bytes()).to_hex();
        writeln!(out, "{query}: {} {}", keys.join(" "), &scores[..8]).unwrap();
    }
    let status = env.json(&["status", "--json"]);
    writeln!(out, "coverage {}", status["coverage"]).unwrap();
    out
}

fn digest(database: &rusqlite::Connection, query: &str) -> String {
    let mut statement = database.prepare(query).unwrap();
    let columns = statement.column_count();
    let mut rows = statement.query([]).unwrap();
    let mut hasher = blake3::Hasher::new();
    let mut n = 0;
    while let Some(row) = rows.next().unwrap() {
        n += 1;
        for i in 0..columns {
            hasher.update(format!("{:?}|", row.get_ref(i).unwrap()).as_bytes());
        }
    }
    format!("{n} rows {}", &hasher.finalize().to_hex()[..16])
}

/// Returns the titles and texts of three reports, of which the third duplicates the first.
///
/// The second has nearly the same title as the third; only the quoted texts distinguish them.
pub fn misleading_triple(i: u64) -> [(String, String); 3] {
    let quote = format!("```\nbeta{i} delta{i} kappa{i}\n```");
    [
        (format!("sigma{i} tau{i}"), quote.clone()),
        (format!("alpha{i} omega{i} again"), format!("It hums before alpha{i} omega{i}.")),
        (format!("alpha{i} omega{i}"), format!("Seen alpha{i} omega{i}.\n\n{quote}")),
    ]
}
