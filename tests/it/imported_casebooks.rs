//! Tests of imported casebook files: they are untrusted, need confirmation, can be undone, and make
//! no reader wait.

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use precedent_core::{
    Code, Result, Task,
    model::{
        AskRequest, BriefFormat, BriefRequest, DuplicatesRequest, ProblemsRequest, SearchRequest,
        Severity, TriageRequest, TroubleshootRequest,
    },
};
use precedent_engine::Casebook;
use rusqlite::Connection;

use crate::{
    mutation::{Rng, mutate},
    support::{Run, TestEnv, casebook_members, issue, random_records, write_casebook},
};

/// Returns a casebook with a tracker's reports and one verdict.
fn casebook_of(source: &str, items: u64) -> TestEnv {
    let env = TestEnv::new();
    let (items, comments) = random_records(items, 20, 7);
    let path = env.file("in.jsonl", format!("{items}{comments}").replace("acme/app", source));
    env.ok(&["import", &path.to_string_lossy(), "-R", source, "--no-vectors"]);
    let (a, b) = (format!("{source}#1"), format!("{source}#2"));
    env.ok(&["verdict", "set", &b, &a, "duplicate", "--by", "you"]);
    env
}

/// Exports a casebook, and returns the members of the file.
fn export_members(env: &TestEnv) -> Vec<(String, Vec<u8>)> {
    let file = env.path("out.casebook");
    env.ok(&["export", &file.to_string_lossy(), "--with-notes", "--force"]);
    casebook_members(&file)
}

/// Returns an exported casebook whose database was changed by SQL.
fn tampered_export(env: &TestEnv, sql: &str) -> PathBuf {
    edited_casebook(env, &export_members(env), |connection| connection.execute_batch(sql).unwrap())
}

/// Writes a casebook file with an edited database, and matching checksums and counts.
fn edited_casebook(
    env: &TestEnv,
    members: &[(String, Vec<u8>)],
    edit: impl FnOnce(&Connection),
) -> PathBuf {
    let path = env.file("made.db", zstd::decode_all(members[1].1.as_slice()).unwrap());
    let mut manifest: serde_json::Value = serde_json::from_slice(&members[0].1).unwrap();
    {
        let connection = Connection::open(&path).unwrap();
        connection.pragma_update(None, "foreign_keys", false).unwrap();
        edit(&connection);
        let count = |table: &str| -> u64 {
            connection
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |r| r.get(0))
                .unwrap()
        };
        let mut statement = connection
            .prepare("SELECT key FROM sources WHERE kind <> 'notes' ORDER BY key")
            .unwrap();
        let keys: rusqlite::Result<Vec<String>> =
            statement.query_map([], |r| r.get(0)).unwrap().collect();
        // The counts are not checked for a file with a key that is not text.
        let keys = keys.unwrap_or_default();
        manifest["contents"] = serde_json::json!({
            "sources": keys, "documents": count("documents WHERE kind <> 'note'"), "comments": count("comments"),
            "verdicts": count("verdicts"), "notes": count("notes"),
        });
    }
    let database = std::fs::read(&path).unwrap();
    manifest["database_bytes"] = database.len().into();
    let database = zstd::encode_all(database.as_slice(), 1).unwrap();
    write_casebook(env, manifest.to_string().as_bytes(), &database)
}

fn import(env: &TestEnv, file: &Path) -> Run {
    env.run(&["import", "casebook", &file.to_string_lossy(), "--no-vectors"])
}

#[test]
fn source_named_note_is_rejected() {
    let attacker = casebook_of("evil/x", 8);
    let file = tampered_export(
        &attacker,
        "UPDATE sources SET key = 'note'; UPDATE documents SET key = 'note#' || (number + 1000);
         UPDATE documents SET number = number + 1000; DELETE FROM verdicts;",
    );
    let victim = TestEnv::new();
    victim.create_database();
    let run = import(&victim, &file);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("a source named \"note\""), "{}", run.err);
    victim.ok(&["note", "add", "-t", "Canary", "-b", "Private.", "-k", "lesson"]);
    let out = victim.path("mine.casebook");
    let message = victim.ok(&["export", &out.to_string_lossy()]).err;
    assert!(message.contains("0 documents"), "{message}");
    let run = victim.run(&["source", "remove", "note", "--yes"]);
    run.assert_error(2, &["precedent note remove"]);
    assert!(victim.ok(&["note", "list"]).out.contains("Canary"));
}

#[test]
fn invalid_cell_breaks_no_command() {
    let attacker = casebook_of("evil/x", 8);
    for (sql, message) in [
        ("UPDATE documents SET created_at = 9000000000000000000 WHERE number = 3", "Skipped. evil/x#3: a date"),
        ("UPDATE documents SET labels = '{' WHERE number = 3", "Skipped. evil/x#3: its labels"),
        ("UPDATE documents SET title = CAST(x'ff' AS TEXT) WHERE number = 3", "Skipped. evil/x#3: its title"),
        ("UPDATE documents SET comment_count = 9000000000000000000", "Skipped. evil/x#1: a number"),
        ("UPDATE comments SET number = -1 WHERE id = 3", "a number is out of range"),
        ("UPDATE verdicts SET decided_at = 9000000000000000000", "Skipped. the decision about evil/x#1 and evil/x#2"),
        ("UPDATE verdicts SET canonical_key = 'acme/app#1'", "which of the two reports to keep"),
        ("UPDATE documents SET updated_at = 4102444800 WHERE number = 3", "Corrected: evil/x#3: a date is in the future"),
        (
            "INSERT INTO remotes (source_id, host, base_url, project) SELECT id, 'github.com', 'https://evil.example/', 'a/b'
             FROM sources; INSERT INTO streams (source_id, name, watermark) SELECT id, 'items', 9000000000000000000 FROM sources",
            "https://evil.example/ is not a project address of github.com",
        ),
    ] {
        let victim = casebook_of("acme/app", 8);
        let item_before = victim.json(&["show", "acme/app#3", "--json"]);
        let run = import(&victim, &tampered_export(&attacker, sql));
        assert_eq!(run.code, Some(0), "{sql}: {}", run.err);
        assert!(run.err.contains(message), "{sql}: {}", run.err);
        for command in [
            &["search", "valve"][..],
            &["search"],
            &["status"],
            &["source", "list"],
            &["duplicates", "acme/app#3"],
            &["triage"],
            &["troubleshoot", "valve leaks"],
            &["verdict", "list"],
            &["problems"],
            &["index"],
            &["doctor"],
        ] {
            let run = victim.run(command);
            // `doctor` may report a missing model.
            let is_ok = run.code == Some(0) || (command == ["doctor"] && !run.out.contains("error "));
            assert!(is_ok, "{sql}: {command:?}: {} {}", run.out, run.err);
        }
        assert_eq!(victim.json(&["show", "acme/app#3", "--json"]), item_before);
    }
}

#[tokio::test]
async fn mutated_files_break_no_command() {
    test_mutated_files(0..24).await;
}

#[tokio::test]
#[ignore = "takes minutes; the first cases always run"]
async fn mutated_files_break_no_command_500_times() {
    test_mutated_files(24..524).await;
}

/// Imports mutated files, each into a casebook with another source, and runs every query there.
async fn test_mutated_files(cases: std::ops::Range<u64>) {
    let attacker = casebook_of("evil/x", 8);
    attacker.ok(&["source", "add", "github:evil/x"]);
    attacker.ok(&["note", "add", "-t", "Canary", "-b", "Private.", "-k", "lesson"]);
    let members = export_members(&attacker);
    let victim = casebook_of("acme/app", 8);
    let template = victim.path("template.db");
    std::fs::copy(victim.casebook().join("precedent.db"), &template).unwrap();
    let rows_before = rows_of_app(&template);
    assert!(rows_before.len() > 16, "{rows_before:?}");
    for case in cases {
        let env = TestEnv::new();
        std::fs::create_dir(env.casebook()).unwrap();
        std::fs::copy(&template, env.casebook().join("precedent.db")).unwrap();
        let mut changes = Vec::new();
        let file = edited_casebook(&env, &members, |connection| {
            let mut rng = Rng::new(case);
            changes = (0..=case % 2).map(|_| mutate(connection, &mut rng)).collect();
        });
        let casebook = env.open().await;
        if let Err(error) = casebook.import_casebook(&file, |_| (), &Task::new()).await {
            let is_refused = matches!(error.code(), Code::InvalidInput | Code::Corrupt);
            assert!(is_refused, "{case}: {changes:?}: {error:?}");
        }
        if let Err(error) = run_every_query(&casebook, &env).await {
            panic!("{case}: {changes:?}: {error:?}");
        }
        let rows = rows_of_app(&env.casebook().join("precedent.db"));
        assert_eq!(rows, rows_before, "{case}: {changes:?}");
        drop(casebook);
        let health = Casebook::doctor(env.options(), false, 0, &Task::new()).await.unwrap();
        let error_finding = health.findings.iter().find(|f| f.severity == Severity::Error);
        assert!(error_finding.is_none(), "{case}: {changes:?}: {error_finding:?}");
    }
}

/// Returns the rows of `acme/app`.
fn rows_of_app(database: &Path) -> Vec<String> {
    let connection = Connection::open(database).unwrap();
    let mut rows = Vec::new();
    for (columns, table, condition) in [
        (
            "key, kind, title, body, url, state, state_reason, author, labels, milestone, comment_count, created_at,
             updated_at, closed_at, deleted_at, hex(raw_hash)",
            "documents",
            "key LIKE 'acme/app#%'",
        ),
        (
            "number, remote_id, author, body, created_at, updated_at, deleted_at, hex(raw_hash)",
            "comments",
            "source_id = (SELECT id FROM sources WHERE key = 'acme/app')",
        ),
        (
            "first_key, second_key, verdict, canonical_key, reason, actor, decided_at",
            "verdicts",
            "first_key LIKE 'acme/app#%' OR second_key LIKE 'acme/app#%'",
        ),
        ("from_key, to_key, kind, origin", "links", "from_key LIKE 'acme/app#%'"),
    ] {
        let query = format!("SELECT {columns} FROM {table} WHERE {condition} ORDER BY 1, 2, 3");
        let mut statement = connection.prepare(&query).unwrap();
        let count = statement.column_count();
        let row = |row: &rusqlite::Row<'_>| {
            let cells: rusqlite::Result<Vec<rusqlite::types::Value>> = (0..count).map(|i| row.get(i)).collect();
            Ok(format!("{table}: {:?}", cells?))
        };
        rows.extend(statement.query_map([], row).unwrap().map(Result::unwrap));
    }
    rows
}

async fn run_every_query(casebook: &Casebook, env: &TestEnv) -> Result<()> {
    let task = &Task::new();
    casebook.update_text(task).await?;
    for query in ["", "valve", "is:closed valve"] {
        let request = SearchRequest { query: query.to_owned(), limit: 100, ..Default::default() };
        for hit in casebook.search(request, task).await?.hits {
            casebook.thread(&hit.key).await?;
        }
    }
    for key in ["acme/app#3", "evil/x#3"] {
        let request = DuplicatesRequest { key: Some(key.to_owned()), ..Default::default() };
        match casebook.duplicates(request, task).await {
            Err(error) if error.code() == Code::NotFound && key.starts_with("evil") => {}
            result => drop(result?),
        }
    }
    let request = AskRequest { text: "Valve leaks".to_owned(), ..Default::default() };
    casebook.ask(request, task).await?;
    casebook.status().await?;
    casebook.sources().await?;
    casebook.mirrors().await?;
    casebook.hosts().await?;
    casebook.verdicts(None).await?;
    casebook.notes(None).await?;
    casebook.insights(None).await?;
    casebook.closures(None).await?;
    casebook.problems(ProblemsRequest::default(), &Task::new()).await?;
    casebook.triage(TriageRequest::default(), task).await?;
    let text = "Valve leaks".to_owned();
    casebook
        .troubleshoot(TroubleshootRequest { text: text.clone(), ..Default::default() }, task)
        .await?;
    let brief = casebook.brief(BriefRequest { text, ..Default::default() }, task).await?;
    Casebook::render_brief(brief, BriefFormat::Html).await?;
    casebook.export(&env.path("again.casebook"), true, true, task).await?;
    casebook.backup(&env.path("copy.db"), true).await?;
    Ok(())
}

#[test]
fn doctor_repairs_an_unreadable_row() {
    let env = casebook_of("acme/app", 8);
    env.database()
        .execute_batch("UPDATE documents SET labels = '{' WHERE number = 3; UPDATE verdicts SET decided_at = 9000000000000000000;")
        .unwrap();
    assert_ne!(env.run(&["verdict", "list"]).code, Some(0));
    let report = env.run(&["doctor"]).out;
    assert!(
        report.contains("unreadable_rows") && report.contains("acme/app#3: its labels"),
        "{report}"
    );
    let report = env.run(&["doctor", "--repair"]).out;
    assert!(report.contains("fixed "), "{report}");
    assert!(!env.run(&["doctor"]).out.contains("unreadable_rows"));
    assert!(env.ok(&["verdict", "list"]).out.contains("acme/app#2"));
    env.ok(&["search", "valve"]);
    assert_eq!(env.json(&["show", "acme/app#3", "--json"])["labels"], serde_json::json!([]));
}

#[test]
fn imported_verdicts_reach_no_tracker() {
    let attacker = casebook_of("evil/x", 8);
    attacker.ok(&["source", "add", "github:evil/x"]);
    let file = tampered_export(&attacker, "UPDATE documents SET state = 'open', closed_at = NULL");
    let victim = TestEnv::new();
    victim.ok(&["source", "add", "github:mine/public"]);
    assert_eq!(import(&victim, &file).code, Some(0));
    let planned_commands = |env: &TestEnv| {
        let plan = env.json(&["triage", "--apply", "--json"]);
        plan[0]["obstacle"]["command"].as_str().unwrap_or_default().to_owned()
    };
    // The host is known, but the project is not.
    assert!(
        planned_commands(&victim).contains("precedent source trust evil/x"),
        "{}",
        planned_commands(&victim)
    );
    victim.ok(&["source", "trust", "evil/x"]);
    assert!(
        planned_commands(&victim).contains("precedent verdict set evil/x#2 evil/x#1 duplicate"),
        "{}",
        planned_commands(&victim)
    );
    victim.ok(&["verdict", "set", "evil/x#2", "evil/x#1", "duplicate"]);
    assert_eq!(planned_commands(&victim), "");
}

/// Writes files that belong to no source, and returns their folder.
fn write_loose_files(env: &TestEnv) -> PathBuf {
    for name in ["venv/lib/data.csv", "venv/lib/other.csv", "export/third.csv"] {
        env.file(
            &format!("work/{name}"),
            "ID,Title,Status\n1,Valve leaks,open\n2,Pump stalls,open\n",
        );
    }
    env.path("work")
}

#[test]
fn several_sources_need_confirmation() {
    let env = TestEnv::new();
    let folder = write_loose_files(&env).to_string_lossy().into_owned();
    let run = env.run(&["import", &folder, "--no-vectors"]);
    assert_eq!(run.code, Some(2), "{}", run.err);
    run.assert_stderr(&["--yes", "files/"]);
    assert_eq!(env.json(&["source", "list", "--json"]), serde_json::json!([]));
    env.ok(&["import", &folder, "--yes", "--no-vectors"]);
    assert_eq!(env.json(&["source", "list", "--json"]).as_array().unwrap().len(), 3);
    // Existing items are updated without confirmation.
    env.ok(&["import", &folder, "--no-vectors"]);
}

#[test]
fn last_import_can_be_undone() {
    let env = casebook_of("acme/app", 8);
    let sources_before = env.json(&["source", "list", "--json=key,issues"]);
    let item_before = env.json(&["show", "acme/app#3", "--json"]);
    let folder = write_loose_files(&env).to_string_lossy().into_owned();
    env.ok(&["import", &folder, "--yes", "--no-vectors"]);
    let run = env.ok(&["import", "--undo"]);
    assert!(run.err.contains("removed 3 sources, 6 items"), "{}", run.err);
    assert_eq!(env.json(&["source", "list", "--json=key,issues"]), sources_before);
    // Records that an import updated are restored.
    let changed_issue =
        issue(3, "Changed", "Changed.").to_string().replace("2026-01-02", "2026-07-02");
    let file = env.file_arg("changed.jsonl", changed_issue + "\n");
    env.ok(&["import", &file, "-R", "acme/app", "--no-vectors"]);
    assert_eq!(env.json(&["show", "acme/app#3", "--json"])["title"], "Changed");
    let run = env.ok(&["import", "--undo"]);
    assert!(run.err.contains("1 record restored"), "{}", run.err);
    assert_eq!(env.json(&["show", "acme/app#3", "--json"]), item_before);
    assert!(env.ok(&["verdict", "list"]).out.contains("acme/app#2"));
    let run = env.run(&["import", "--undo"]);
    run.assert_error(1, &["no import to undo"]);
}

#[test]
fn files_of_a_casebook_are_never_imported() {
    let env = casebook_of("acme/app", 8);
    std::fs::write(env.casebook().join("stray.csv"), "ID,Title,Status\n1,Stray,open\n").unwrap();
    let file = env.file("work/in.csv", "ID,Title,Status\n1,Valve leaks,open\n");
    std::fs::rename(env.casebook(), file.with_file_name("book")).unwrap();
    let book = file.with_file_name("book");
    let run = Run::from(
        env.command(&[
            "import",
            &file.parent().unwrap().to_string_lossy(),
            "--yes",
            "--no-vectors",
        ])
        .env("PRECEDENT_CASEBOOK", &book)
        .output()
        .unwrap(),
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(!run.err.contains("stray"), "{}", run.err);
}

#[test]
fn search_does_not_wait_for_a_writer() {
    let env = casebook_of("acme/app", 40);
    // One change is not indexed yet, while another writer is active.
    let new_file =
        env.file("more.jsonl", issue(900, "Zebra crossing", "It is new.").to_string() + "\n");
    env.ok(&["import", &new_file.to_string_lossy(), "-R", "acme/app", "--no-index"]);
    let writer = env.database();
    writer
        .execute_batch("BEGIN IMMEDIATE; UPDATE documents SET comment_count = comment_count")
        .unwrap();
    for command in [
        &["search", "valve"][..],
        &["show", "acme/app#3"],
        &["status"],
        &["duplicates", "acme/app#3"],
        &["troubleshoot", "valve"],
        &["note", "list"],
    ] {
        let start = Instant::now();
        let run = env.run(command);
        assert_eq!(run.code, Some(0), "{command:?}: {}", run.err);
        assert!(
            start.elapsed() < Duration::from_secs(10),
            "{command:?} took {:?}",
            start.elapsed()
        );
    }
    writer.execute_batch("ROLLBACK").unwrap();
    assert!(env.ok(&["search", "zebra"]).out.contains("acme/app#900"));
}

#[cfg(unix)]
#[test]
fn interrupt_ends_a_wait_for_a_lock() {
    let env = casebook_of("acme/app", 8);
    let writer = env.database();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    let file = env.path("in.jsonl");
    let mut child = env
        .command(&["import", &file.to_string_lossy(), "-R", "other/app", "--no-index"])
        .stderr(std::process::Stdio::null())
        .spawn()
        .unwrap();
    std::thread::sleep(Duration::from_millis(1500));
    assert!(child.try_wait().unwrap().is_none(), "the import does not wait for the lock");
    let start = Instant::now();
    let pid = rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
    rustix::process::kill_process(pid, rustix::process::Signal::INT).unwrap();
    let code = child.wait().unwrap().code();
    assert!(start.elapsed() < Duration::from_secs(5), "{:?}", start.elapsed());
    assert_eq!(code, Some(130));
    writer.execute_batch("ROLLBACK").unwrap();
    env.ok(&["search", "valve"]);
}

#[cfg(unix)]
#[test]
fn brief_with_notes_is_private() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = casebook_of("acme/app", 8);
    env.ok(&[
        "note",
        "add",
        "-t",
        "Valve",
        "-b",
        "The valve leaks.",
        "-k",
        "lesson",
        "--attach",
        "acme/app#3",
    ]);
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let file = env.file("brief.md", "older");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    let name = file.to_string_lossy().into_owned();
    env.ok(&["brief", "acme/app#3", "-o", &name]);
    assert_eq!(mode(&file), 0o644);
    env.ok(&["brief", "acme/app#3", "--notes", "-o", &name]);
    assert_eq!(mode(&file), 0o600);
}

#[cfg(target_os = "linux")]
#[test]
fn non_utf8_folder_can_hold_a_casebook() {
    use std::os::unix::ffi::OsStrExt as _;
    let env = casebook_of("acme/app", 8);
    let folder = env.path("").join(std::ffi::OsStr::from_bytes(b"folder \xe9 \xff"));
    std::fs::create_dir(&folder).unwrap();
    std::fs::rename(env.casebook(), folder.join("book")).unwrap();
    let run = |args: &[&std::ffi::OsStr]| {
        let mut command = env.command(&[]);
        command.env("PRECEDENT_CASEBOOK", folder.join("book")).args(args);
        let run = Run::from(command.output().unwrap());
        assert_eq!(run.code, Some(0), "{args:?}: {}", run.err);
    };
    let (export_path, copy) = (folder.join("out.casebook"), folder.join("copy.db"));
    run(&["export".as_ref(), export_path.as_os_str()]);
    run(&["backup".as_ref(), copy.as_os_str()]);
    run(&["restore".as_ref(), copy.as_os_str()]);
    let mut command = env.command(&["import", "casebook"]);
    command.arg(&export_path).env("PRECEDENT_CASEBOOK", folder.join("other"));
    let run = Run::from(command.output().unwrap());
    assert_eq!(run.code, Some(0), "{}", run.err);
}

#[cfg(unix)]
#[test]
fn stopped_search_blocks_no_other_process() {
    use rustix::process::{Pid, Signal, kill_process};
    let env = casebook_of("acme/app", 40);
    env.ok(&["index"]);
    for delay in [5, 10, 20, 30, 45, 60, 90] {
        let mut child = env
            .command(&["search", "valve"])
            .stdout(std::process::Stdio::null())
            .stderr(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let pid = Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap();
        kill_process(pid, Signal::STOP).unwrap();
        let start = Instant::now();
        let run = env.run(&["search", "valve"]);
        let elapsed = start.elapsed();
        kill_process(pid, Signal::CONT).unwrap();
        child.wait().unwrap();
        assert_eq!(run.code, Some(0), "{delay}: {}", run.err);
        assert!(elapsed < Duration::from_secs(10), "stopped after {delay} ms: {elapsed:?}");
    }
}
