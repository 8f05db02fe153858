//! A hermetic command line, fake trackers, and a fingerprint of a casebook's content.

use std::{
    fmt::Write as _,
    path::PathBuf,
    process::{Command, Output, Stdio},
    sync::Arc,
};

use precedent_engine::OpenOptions;
use precedent_index::embed::Engine;
use serde_json::Value;
use tempfile::TempDir;

/// A casebook's folder and a folder for files, both removed at the end.
pub struct Place {
    folder: TempDir,
}

impl Place {
    pub fn new() -> Self {
        Self { folder: tempfile::tempdir().unwrap() }
    }

    pub fn casebook(&self) -> PathBuf {
        self.folder.path().join("casebook")
    }

    /// Creates an empty casebook.
    pub fn begin(&self) {
        self.ok(&["source", "add", "no/thing"]);
        self.ok(&["source", "remove", "no/thing", "--yes"]);
    }

    /// Returns the options to open the casebook in this process, with the test vectors and a fixed
    /// clock.
    pub fn options(&self) -> OpenOptions {
        self.options_at(1_780_000_000)
    }

    /// Works like [`Place::options`], at another time.
    pub fn options_at(&self, second: i64) -> OpenOptions {
        let mut options = OpenOptions::new(self.casebook());
        options.engine = Some(Engine::Hashed);
        options.clock = Arc::new(move || jiff::Timestamp::from_second(second).unwrap());
        options
    }

    /// Returns the folder of this version's full-text index.
    pub fn full_text(&self) -> PathBuf {
        full_text(&self.casebook()).expect("a full text")
    }

    pub fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.folder.path().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, content).unwrap();
        path
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Returns the binary for this casebook, with the test vectors and a clean environment.
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
        // For coverage runs, the child process writes into the same profile.
        if let Some(counts) = std::env::var_os("LLVM_PROFILE_FILE") {
            command.env("LLVM_PROFILE_FILE", counts);
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// Creates the folder of an empty casebook.
    pub fn empty(&self) {
        std::fs::create_dir_all(self.casebook()).unwrap();
        drop(precedent_store::Store::open(&self.casebook().join("precedent.db")).unwrap());
    }

    /// Runs a command and asserts that it succeeds.
    pub fn ok(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args).out).unwrap()
    }
}

/// The output of a command.
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        Self {
            code: output.status.code(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

impl Ran {
    /// Returns both streams and the exit code for snapshots, with variable parts masked.
    pub fn snapshot_text(&self, place: &Place) -> String {
        let mask = |text: &str| {
            let text = text.replace(&*place.folder.path().to_string_lossy(), "[FOLDER]");
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

fn regex_replace(text: &str, pattern: &str, with: &str) -> String {
    regex::Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
}

/// Compiles a C library of this folder to be preloaded between the binary and the system
/// (`LD_PRELOAD`).
pub fn library(place: &Place, source: &str, condition: &str) -> Option<PathBuf> {
    let library = place.path("preloaded.so");
    let source = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).join(source);
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).arg("-ldl");
    if cfg!(target_os = "linux") && cc.status().is_ok_and(|m| m.success()) {
        return Some(library);
    }
    eprintln!(
        "SKIPPED: {condition}, because there is no C compiler to make the library that they need"
    );
    None
}

/// A small deterministic random number generator (the constants of Knuth's MMIX).
pub struct Numbers(pub u64);

impl Numbers {
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

fn words(numbers: &mut Numbers, n: u64) -> String {
    let vocabulary: Vec<&str> = WORDS.split(' ').collect();
    let words: Vec<&str> =
        (0..n).map(|_| vocabulary[numbers.below(vocabulary.len() as u64) as usize]).collect();
    words.join(" ")
}

/// Returns a record with some values changed.
pub fn with(mut record: Value, changes: Value) -> Value {
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    record
}

/// Returns records as JSON Lines.
pub fn lines(records: &[Value]) -> String {
    records.iter().map(|r| format!("{r}\n")).collect()
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

/// Returns the only folder of the full-text index, if there is one.
pub fn full_text(casebook: &std::path::Path) -> Option<PathBuf> {
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

/// Returns a fake tracker's content: (issues, comments) as JSON Lines.
pub fn tracker(items: u64, comments: u64, seed: u64) -> (String, String) {
    let mut numbers = Numbers(seed);
    let (mut a, mut b) = (String::new(), String::new());
    for n in 1..=items {
        let title = words(&mut numbers, 6);
        let mut body = words(&mut numbers, 40);
        if n % 7 == 0 {
            write!(
                body,
                "\n\n```\nthread 'main' panicked at 'no {} left', src/x.rs:{n}\n```\n",
                words(&mut numbers, 2)
            )
            .unwrap();
        }
        if n > 10 && n % 5 == 0 {
            write!(body, "\n\nDuplicate of #{}", numbers.below(n - 1) + 1).unwrap();
        }
        writeln!(a, "{}", issue(n, &title, &body)).unwrap();
    }
    for c in 0..comments {
        let number = numbers.below(items) + 1;
        writeln!(b, "{}", comment(c + 1, number, &words(&mut numbers, 25))).unwrap();
    }
    (a, b)
}

/// Returns a fingerprint of everything that a casebook stores and finds, independent of the order
/// of arrival.
pub fn content(place: &Place) -> String {
    let folder = place.casebook();
    let database = rusqlite::Connection::open(folder.join("precedent.db")).unwrap();
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
        let hits = place.json(&["search", query, "-L", "20", "--json=key,scores"]);
        let keys: Vec<&str> =
            hits.as_array().unwrap().iter().map(|h| h["key"].as_str().unwrap()).collect();
        let scores = blake3::hash(hits.to_string().as_bytes()).to_hex();
        writeln!(out, "{query}: {} {}", keys.join(" "), &scores[..8]).unwrap();
    }
    let status = place.json(&["status", "--json"]);
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

/// Returns titles and texts of three reports; the third is a duplicate of the first, and the second
/// has nearly its title.
///
/// By title, the second ranks before the first; only the quoted texts distinguish them.
pub fn misleading_triple(i: u64) -> [(String, String); 3] {
    let quote = format!("```\nbeta{i} delta{i} kappa{i}\n```");
    [
        (format!("sigma{i} tau{i}"), quote.clone()),
        (format!("alpha{i} omega{i} again"), format!("It hums before alpha{i} omega{i}.")),
        (format!("alpha{i} omega{i}"), format!("Seen alpha{i} omega{i}.\n\n{quote}")),
    ]
}
