//! A hermetic command line, made-up trackers, and a fingerprint of a casebook's content.

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

/// A casebook's folder and a folder for files, both gone at the end.
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

    /// Makes the casebook, with nothing in it.
    pub fn begin(&self) {
        self.ok(&["source", "add", "no/thing"]);
        self.ok(&["source", "remove", "no/thing", "--yes"]);
    }

    /// How this process opens the casebook: with the test's own vectors, at one moment.
    pub fn options(&self) -> OpenOptions {
        self.options_at(1_780_000_000)
    }

    /// As [`Place::options`], at another moment.
    pub fn options_at(&self, second: i64) -> OpenOptions {
        let mut options = OpenOptions::new(self.casebook());
        options.engine = Some(Engine::Hashed);
        options.clock = Arc::new(move || jiff::Timestamp::from_second(second).unwrap());
        options
    }

    /// The folder of the full text as this version writes it.
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

    /// The binary over this casebook, with the test's own vectors and nothing of the surroundings.
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
        // Where it is counted which lines are reached, this process counts into the same place.
        if let Some(counts) = std::env::var_os("LLVM_PROFILE_FILE") {
            command.env("LLVM_PROFILE_FILE", counts);
        }
        command
    }

    pub fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.command(args).output().unwrap())
    }

    /// Makes a casebook with nothing in it.
    pub fn empty(&self) {
        std::fs::create_dir_all(self.casebook()).unwrap();
        drop(precedent_store::Store::open(&self.casebook().join("precedent.db")).unwrap());
    }

    /// Runs and insists on success.
    pub fn ok(&self, args: &[&str]) -> Ran {
        let ran = self.run(args);
        assert_eq!(ran.code, Some(0), "{args:?}\n{}\n{}", ran.out, ran.err);
        ran
    }

    pub fn json(&self, args: &[&str]) -> Value {
        serde_json::from_str(&self.ok(args).out).unwrap()
    }
}

/// What a command printed.
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
    /// For snapshots: both streams and the exit code, with what differs from run to run masked.
    pub fn shown(&self, place: &Place) -> String {
        let mask = |text: &str| {
            let text = text.replace(&*place.folder.path().to_string_lossy(), "[FOLDER]");
            let text = regex_replace(&text, r"in \d+\.\d s", "in [TIME] s");
            let text = regex_replace(&text, r"(\d+\.\d (kB|MB)|\d+ B)", "[SIZE]");
            regex_replace(&text, r#""(took_ms|full_text_seconds|vector_seconds)": [0-9.e-]+"#, r#""$1": 0"#)
        };
        format!("exit {}\n--- out\n{}--- err\n{}", self.code.unwrap_or(-1), mask(&self.out), mask(&self.err))
    }
}

fn regex_replace(text: &str, pattern: &str, with: &str) -> String {
    regex::Regex::new(pattern).unwrap().replace_all(text, with).into_owned()
}

/// A library of this folder's, in C, that stands between the binary and the system (`LD_PRELOAD`).
pub fn library(place: &Place, source: &str, what: &str) -> Option<PathBuf> {
    let library = place.path("preloaded.so");
    let source = PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/it")).join(source);
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"]).args([&library, &source]).arg("-ldl");
    if cfg!(target_os = "linux") && cc.status().is_ok_and(|m| m.success()) {
        return Some(library);
    }
    eprintln!("SKIPPED: {what}, because there is no C compiler to make the library that they need");
    None
}

/// A small deterministic generator of numbers (the constants of Knuth's MMIX).
pub struct Numbers(pub u64);

impl Numbers {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }

    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }
}

const WORDS: &str = "agent pipeline slot timeout crash schema upgrade token proxy memory disk retry checkpoint console login \
    certificate queue worker index search panic restart leak column table replica network driver config release";

fn words(numbers: &mut Numbers, n: u64) -> String {
    let all: Vec<&str> = WORDS.split(' ').collect();
    let words: Vec<&str> = (0..n).map(|_| all[numbers.below(all.len() as u64) as usize]).collect();
    words.join(" ")
}

/// A record with other values.
pub fn with(mut record: Value, changes: Value) -> Value {
    for (key, value) in changes.as_object().unwrap() {
        record[key] = value.clone();
    }
    record
}

/// Records as JSON Lines.
pub fn lines(records: &[Value]) -> String {
    records.iter().map(|r| format!("{r}\n")).collect()
}

/// One issue in GitHub's REST shape.
pub fn issue(number: u64, title: &str, body: &str) -> Value {
    serde_json::json!({
        "id": 1000 + number, "number": number, "title": title, "body": body, "state": "open", "labels": [],
        "html_url": format!("https://tracker.example/acme/app/issues/{number}"), "comments": 0,
        "user": {"login": "ada", "type": "User"}, "author_association": "NONE", "locked": false,
        "created_at": "2026-01-02T03:04:05Z", "updated_at": "2026-01-02T03:04:05Z", "closed_at": null,
    })
}

/// The one folder of the full text, if there is one.
pub fn full_text(casebook: &std::path::Path) -> Option<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::fs::read_dir(casebook.join("fulltext")).ok()?.map(|e| e.unwrap().path()).collect();
    assert!(folders.len() < 2, "{folders:?}");
    folders.pop()
}

/// One comment in GitHub's REST shape.
pub fn comment(id: u64, number: u64, body: &str) -> Value {
    serde_json::json!({
        "id": id, "issue_url": format!("https://tracker.example/api/v3/repos/acme/app/issues/{number}"), "body": body,
        "html_url": format!("https://tracker.example/acme/app/issues/{number}#issuecomment-{id}"),
        "user": {"login": "grace", "type": "User"}, "author_association": "MEMBER",
        "created_at": "2026-01-03T03:04:05Z", "updated_at": "2026-01-03T03:04:05Z",
    })
}

/// A made-up tracker: (issues, comments) as JSON Lines.
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

/// A fingerprint of everything that a casebook holds and can find; the same content gives the same text, whatever the
/// order in which it arrived.
pub fn content(place: &Place) -> String {
    let folder = place.casebook();
    let database = rusqlite::Connection::open(folder.join("precedent.db")).unwrap();
    let mut out = String::new();
    for (what, query) in [
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
        writeln!(out, "{what} {}", digest(&database, query)).unwrap();
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
        let keys: Vec<&str> = hits.as_array().unwrap().iter().map(|h| h["key"].as_str().unwrap()).collect();
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

/// Titles and texts of three reports: one, another with nearly the title of the third, and the third, which is a duplicate of the
/// first. By titles the second comes before the first; only what the texts quote tells them apart.
pub fn misleading(i: u64) -> [(String, String); 3] {
    let quoted = format!("```\nbeta{i} delta{i} kappa{i}\n```");
    [
        (format!("sigma{i} tau{i}"), quoted.clone()),
        (format!("alpha{i} omega{i} again"), format!("It hums before alpha{i} omega{i}.")),
        (format!("alpha{i} omega{i}"), format!("Seen alpha{i} omega{i}.\n\n{quoted}")),
    ]
}
