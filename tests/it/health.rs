//! Tests of `doctor`: faults in real files are reported by name, and repaired if possible.

use std::path::{Path, PathBuf};

use precedent_core::{
    Task,
    model::{NoticeKind, SearchRequest},
};
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::embed::Engine;
use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Run, TestEnv, comment, fingerprint, issue, random_records};

fn populated_casebook() -> TestEnv {
    let env = TestEnv::new();
    let (items, comments) = random_records(40, 60, 3);
    env.import(format!("{items}{comments}"));
    env
}

fn database(env: &TestEnv) -> PathBuf {
    env.casebook().join("precedent.db")
}

fn execute(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(sql).unwrap();
}

fn vector_database(env: &TestEnv) -> PathBuf {
    let mut files: Vec<PathBuf> = std::fs::read_dir(env.casebook().join("vectors"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "db"));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn findings(run: &Run) -> Vec<Value> {
    let health: Value =
        serde_json::from_str(&run.out).unwrap_or_else(|e| panic!("{e}: {} {}", run.out, run.err));
    let mut findings = health["findings"].as_array().unwrap().clone();
    // Copies kept by a repair are not faults.
    findings.retain(|f| f["id"] != "kept_copy");
    for finding in &findings {
        for text in [&finding["id"], &finding["what"], &finding["why"], &finding["hint"]["text"]] {
            assert!(text.as_str().is_some_and(|t| !t.is_empty()), "{finding}");
        }
    }
    findings
}

fn ids(run: &Run) -> Vec<String> {
    findings(run).iter().map(|f| f["id"].as_str().unwrap().to_owned()).collect()
}

/// Asserts that `doctor` finds only this fault, repairs it, and then finds nothing.
#[track_caller]
fn assert_repairable(env: &TestEnv, id: &str) {
    let run = env.run(&["doctor", "--json"]);
    assert_eq!((run.code, ids(&run)), (Some(1), vec![id.to_owned()]), "{}\n{}", run.out, run.err);
    assert!(findings(&run)[0]["repairable"] == true, "{}", run.out);
    let run = env.run(&["doctor", "--repair", "--json"]);
    assert_eq!((run.code, ids(&run)), (Some(0), vec![id.to_owned()]), "{}\n{}", run.out, run.err);
    assert_eq!(findings(&run)[0]["repaired"], true);
    let run = env.run(&["doctor", "--json"]);
    assert_eq!((run.code, ids(&run)), (Some(0), Vec::new()), "{}\n{}", run.out, run.err);
}

/// Asserts that `doctor` finds only this fault and cannot repair it.
#[track_caller]
fn assert_unrepairable(run: &Run, id: &str) {
    assert_eq!((run.code, ids(run)), (Some(1), vec![id.to_owned()]), "{}\n{}", run.out, run.err);
    assert!(findings(run)[0]["repaired"] == false, "{}", run.out);
}

#[test]
fn sound_casebook_has_no_findings() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    let run = env.ok(&["doctor"]);
    assert!(run.out.starts_with("No problems found in "), "{}", run.out);
    env.ok(&["doctor", "--repair"]);
    assert_eq!(fingerprint(&env), fingerprint_before);
    let empty_env = TestEnv::new();
    let run = empty_env.run(&["doctor"]);
    run.assert_error(1, &["no casebook found"]);
    assert!(!empty_env.casebook().exists(), "doctor creates no casebook");
}

#[test]
fn stale_or_incomplete_index_is_repaired() {
    let env = populated_casebook();
    let path = env.file("more.jsonl", format!("{}\n", issue(77, "Valve leaks", "It drips.")));
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-index"]);
    // Both indexes are out of date.
    let run = env.run(&["doctor", "--json"]);
    assert_eq!(
        (run.code, ids(&run)),
        (Some(1), vec!["full_text_stale".into(), "vectors_missing".into()])
    );
    let run = env.ok(&["doctor", "--repair"]);
    assert!(run.out.contains("fixed "), "{}", run.out);
    assert_eq!(env.json(&["search", "mode:lexical drips", "--json=key"])[0]["key"], "acme/app#77");
    env.ok(&["doctor"]);

    // The index claims to be up to date, but contains an entry that the database lacks.
    let fingerprint_before = fingerprint(&env);
    execute(
        &database(&env),
        "DELETE FROM documents WHERE key = 'acme/app#77'; DELETE FROM document_raw WHERE document_id NOT IN (SELECT id FROM documents);",
    );
    let run = env.run(&["doctor", "--json"]);
    assert_eq!((run.code, ids(&run)), (Some(1), vec!["full_text_drift".to_owned()]), "{}", run.out);
    env.ok(&["doctor", "--repair"]);
    env.ok(&["doctor"]);
    assert_ne!(fingerprint(&env), fingerprint_before);
}

#[test]
fn altered_fulltext_files_are_repaired() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    // Altered bytes at the start and the end, and a missing end: some are found on opening, others
    // only by checksums.
    let changes: [fn(&mut Vec<u8>); 3] = [
        |bytes| bytes[0] ^= 0xff,
        |bytes| {
            let end = bytes.len() - 1;
            bytes[end] ^= 0xff;
        },
        |bytes| bytes.truncate(bytes.len() / 2),
    ];
    for change in changes {
        let store = largest_file(&env.full_text_folder(), "idx");
        let mut bytes = std::fs::read(&store).unwrap();
        change(&mut bytes);
        std::fs::write(&store, bytes).unwrap();
        assert_repairable(&env, "full_text_damaged");
        assert_eq!(fingerprint(&env), fingerprint_before);
    }
}

/// Checks that a search that hits damage names the remedy.
#[test]
fn fulltext_damage_found_in_use_is_repaired() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    let mut failures = 0;
    for (extension, fraction) in
        [("idx", 0.3), ("idx", 0.6), ("term", 0.2), ("term", 0.5), ("fast", 0.3), ("fast", 0.6)]
    {
        let file = largest_file(&env.full_text_folder(), extension);
        let mut bytes = std::fs::read(&file).unwrap();
        let start = (bytes.len() as f64 * fraction) as usize;
        let end = (start + 400).min(bytes.len() - 60);
        bytes[start..end].fill(0xa7);
        std::fs::write(&file, bytes).unwrap();
        for query in [
            &["search", "agent timeout is:open"][..],
            &["duplicates", "acme/app#40", "--include-closed"],
        ] {
            let run = env.run(query);
            if run.code != Some(0) {
                assert!(run.err.contains("index --rebuild"), "{extension}: {}", run.err);
                failures += 1;
            }
        }
        env.ok(&["index", "--rebuild"]);
        env.ok(&["doctor"]);
        assert_eq!(fingerprint(&env), fingerprint_before, "{extension}");
    }
    assert!(failures > 3, "{failures}");
}

/// Returns the largest file with this extension; the number of threads determines how many exist.
fn largest_file(folder: &Path, extension: &str) -> PathBuf {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == extension))
        .max_by_key(|p| std::fs::metadata(p).unwrap().len())
        .unwrap()
}

#[test]
fn missing_vectors_are_rebuilt() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    // Rows are missing, but nothing records that.
    execute_on_vectors(&env, "DELETE FROM embeddings WHERE chunk_id % 3 = 0;");
    assert_repairable(&env, "vectors_missing");
    assert_eq!(fingerprint(&env), fingerprint_before);
    // Whole documents are missing.
    execute_on_vectors(
        &env,
        "DELETE FROM embeddings WHERE chunk_id IN (SELECT id FROM chunks WHERE document_id = 5); DELETE FROM chunks WHERE document_id = 5;",
    );
    assert_repairable(&env, "vectors_missing");
    assert_eq!(fingerprint(&env), fingerprint_before);
    // The file is missing.
    std::fs::remove_file(vector_database(&env)).unwrap();
    assert_repairable(&env, "vectors_missing");
    assert_eq!(fingerprint(&env), fingerprint_before);
    // The file is damaged.
    let path = vector_database(&env);
    for ending in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(path.with_extension(ending));
    }
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..100].fill(0xee);
    std::fs::write(&path, bytes).unwrap();
    let run = env.run(&["doctor", "--json"]);
    assert_eq!((run.code, ids(&run)), (Some(1), vec!["vectors_damaged".to_owned()]), "{}", run.out);
    let run = env.ok(&["doctor", "--repair", "--json"]);
    assert!(findings(&run).iter().all(|f| f["repaired"] == true), "{}", run.out);
    env.ok(&["doctor"]);
    assert_eq!(fingerprint(&env), fingerprint_before);
}

/// Tests a zeroed page, as after a crash before the write-ahead log was applied.
#[test]
fn vector_damage_found_in_use_is_repaired() {
    // Every search reads the row positions, and new vectors are written to the chunk index.
    for (table, affects_queries) in [
        ("embeddings_rowids", true),
        ("embeddings_vector_chunks00", true),
        ("chunks_pending", false),
    ] {
        let env = populated_casebook();
        clear_page(&vector_database(&env), table);
        let answer = env.json(&["search", "agent timeout", "--json"]);
        let notices = answer["notices"].to_string();
        assert!(!answer["hits"].as_array().unwrap().is_empty(), "{answer}");
        assert_eq!(
            notices.contains("the semantic index is damaged"),
            affects_queries,
            "{table}: {notices}"
        );
        let run = env.ok(&["duplicates", "acme/app#40", "--include-closed"]);
        assert_eq!(
            run.out.contains("the semantic index is damaged"),
            affects_queries,
            "{table}: {}",
            run.out
        );
        // Storing new content recreates all vectors.
        import_leak(&env);
        let status = env.json(&["status", "--json"]);
        assert_eq!(status["coverage"]["chunks"], status["coverage"]["embedded"], "{table}");
        let answer = env.json(&["search", "mode:semantic valve leaks drips", "--json"]);
        assert_eq!(answer["hits"][0]["key"], "acme/app#77", "{table}");
        env.ok(&["doctor"]);
        // The result equals that of an undamaged casebook.
        let undamaged = populated_casebook();
        import_leak(&undamaged);
        assert_eq!(fingerprint(&env), fingerprint(&undamaged), "{table}");
    }
}

/// Checks that a long-running process uses indexes that another process rebuilt.
#[tokio::test]
async fn vectors_rebuilt_elsewhere_are_reopened() {
    let env = populated_casebook();
    let mut options = OpenOptions::new(env.casebook());
    options.engine = Some(Engine::Hashed);
    let casebook = Casebook::open(options).await.unwrap();
    let search = async |query: &str| {
        let request = SearchRequest { query: query.to_owned(), ..Default::default() };
        casebook.search(request, &Task::new()).await.unwrap()
    };
    assert!(search("mode:semantic agent timeout").await.notices.is_empty());
    clear_page(&vector_database(&env), "embeddings_rowids");
    // The process may still have some pages cached.
    search("agent timeout").await;
    import_leak(&env);
    let answer = search("mode:semantic valve leaks drips").await;
    assert_eq!((answer.hits[0].key.as_str(), answer.notices.len()), ("acme/app#77", 0));
    // The process detects damage, falls back to keywords, and repairs it with its next update.
    clear_page(&vector_database(&env), "embeddings_rowids");
    let answer = search("valve leaks drips").await;
    assert_eq!(
        (answer.hits[0].key.as_str(), answer.notices[0].lack),
        ("acme/app#77", NoticeKind::Model)
    );
    casebook.update_index(&Task::new()).await.unwrap();
    assert!(search("mode:semantic valve leaks drips").await.notices.is_empty());
    env.ok(&["doctor"]);
}

fn import_leak(env: &TestEnv) {
    let leak = format!("{}\n", issue(77, "Valve leaks", "It drips on the zeppelin."));
    env.import(leak);
}

/// Fills the first page of a table or an index with zeros.
fn clear_page(path: &Path, table: &str) {
    let connection = Connection::open(path).unwrap();
    let root = "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = ?1";
    let (page, size): (usize, usize) =
        connection.query_row(root, [table], |r| Ok((r.get(0)?, r.get(1)?))).unwrap();
    let _: i64 = connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |r| r.get(0)).unwrap();
    drop(connection);
    let mut bytes = std::fs::read(path).unwrap();
    bytes[(page - 1) * size..page * size].fill(0);
    std::fs::write(path, bytes).unwrap();
}

/// Executes SQL that needs the functions of sqlite-vec.
fn execute_on_vectors(env: &TestEnv, sql: &str) {
    // Opening a vector index registers them for every connection of this process.
    let folder = tempfile::tempdir().unwrap();
    let info = precedent_index::embed::Engine::Hashed.info().unwrap();
    drop(precedent_index::vectors::Vectors::open(folder.path(), &info).unwrap());
    execute(&vector_database(env), sql);
}

#[test]
fn unreachable_rows_are_removed_after_a_backup() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    execute(
        &database(&env),
        "INSERT INTO comments (source_id, number, remote_id, body, created_at, updated_at, raw_hash)
             VALUES (99, 1, 'lost', 'A comment of a source that is gone', 1, 1, x'00');
         INSERT INTO comment_raw (comment_id, data) VALUES (last_insert_rowid(), x'00');
         INSERT INTO document_raw (document_id, data) VALUES (4711, x'00');",
    );
    assert_repairable(&env, "orphan_rows");
    assert_eq!(fingerprint(&env), fingerprint_before);
    let copy = env.casebook().join("precedent.before-repair-1.db");
    let kept_rows: i64 = Connection::open(&copy)
        .unwrap()
        .query_row("SELECT count(*) FROM comments WHERE remote_id = 'lost'", [], |r| r.get(0))
        .unwrap();
    assert_eq!(kept_rows, 1, "the backup has the removed rows");
    let run = env.ok(&["doctor", "--json"]);
    assert!(run.out.contains("kept_copy"), "{}", run.out);
}

#[cfg(unix)]
#[test]
fn wrong_permissions_are_repaired() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = populated_casebook();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set_mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(&env.casebook(), 0o755);
    assert_repairable(&env, "permissions");
    assert_eq!(mode(&env.casebook()), 0o700);
    set_mode(&database(&env), 0o644);
    assert_repairable(&env, "permissions");
    assert_eq!(mode(&database(&env)), 0o600);
    set_mode(&database(&env), 0o400);
    let run = env.run(&["doctor", "--json"]);
    assert!(run.code == Some(1) && ids(&run).contains(&"permissions".to_owned()), "{}", run.out);
    env.ok(&["doctor", "--repair"]);
    assert_eq!(mode(&database(&env)), 0o600);
}

#[cfg(unix)]
#[test]
fn new_files_are_private_in_shared_folders() {
    use std::os::unix::fs::PermissionsExt as _;
    let env = TestEnv::new();
    std::fs::create_dir_all(env.casebook()).unwrap();
    std::fs::set_permissions(env.casebook(), std::fs::Permissions::from_mode(0o755)).unwrap();
    env.ok(&["import", "sample"]);
    env.ok(&["note", "add", "-t", "Mine", "-b", "Mine alone"]);
    let entries: Vec<_> = std::fs::read_dir(env.casebook()).unwrap().flatten().collect();
    assert!(entries.iter().any(|e| e.path().is_dir()) && entries.len() > 3);
    for entry in entries {
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", entry.path().display());
    }
}

#[test]
fn nearly_full_disk_is_reported() {
    let env = populated_casebook();
    let run = env.run(&["doctor", "--json", "--min-free", "999999999999"]);
    assert_unrepairable(&run, "disk_space");
}

#[test]
fn newer_or_foreign_database_is_reported() {
    let env = populated_casebook();
    let schema: i64 = Connection::open(database(&env))
        .unwrap()
        .query_row("PRAGMA user_version", [], |r| r.get(0))
        .unwrap();
    execute(&database(&env), "PRAGMA user_version = 999;");
    for args in [&["doctor", "--json"][..], &["doctor", "--repair", "--json"]] {
        assert_unrepairable(&env.run(args), "newer_version");
    }
    execute(
        &database(&env),
        &format!("PRAGMA user_version = {schema}; PRAGMA application_id = 77;"),
    );
    assert_unrepairable(&env.run(&["doctor", "--repair", "--json"]), "not_a_casebook");
}

#[test]
fn truncated_database_is_not_an_empty_casebook() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    let copy = env.path("copy.db");
    env.ok(&["backup", &copy.to_string_lossy()]);
    for ending in ["db-wal", "db-shm"] {
        std::fs::remove_file(database(&env).with_extension(ending)).ok();
    }
    std::fs::write(database(&env), "").unwrap();
    assert_unrepairable(&env.run(&["doctor", "--repair", "--json"]), "database_emptied");
    let run = env.run(&["search", "anything"]);
    assert!(run.code != Some(0) && run.err.contains("is empty"), "{} {}", run.out, run.err);
    // The file stays empty until a restore.
    assert_eq!(std::fs::metadata(database(&env)).unwrap().len(), 0);
    env.ok(&["restore", &copy.to_string_lossy()]);
    env.ok(&["index"]);
    assert_eq!(fingerprint(&env), fingerprint_before);
}

#[test]
fn damaged_database_is_repaired_or_restored() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    // A damaged index is reported, and the remedy is a repair.
    execute(
        &database(&env),
        "PRAGMA writable_schema = ON;
         CREATE TABLE shadow (a INTEGER);
         UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'shadow')
             WHERE name = 'documents_deleted';
         DELETE FROM sqlite_schema WHERE name = 'shadow';
         PRAGMA writable_schema = RESET;",
    );
    let run = env.run(&["doctor", "--json"]);
    assert_eq!(
        (run.code, ids(&run)),
        (Some(1), vec!["database_damaged".to_owned()]),
        "{}",
        run.out
    );
    assert!(findings(&run)[0]["hint"]["command"].as_str().unwrap().contains("--repair"));

    // If pages in the middle are overwritten, nothing changes, and the remedy is a backup.
    let env = populated_casebook();
    env.ok(&["backup", &env.path("good.db").to_string_lossy()]);
    execute(&database(&env), "PRAGMA wal_checkpoint(TRUNCATE);");
    let sound_bytes = std::fs::read(database(&env)).unwrap();
    let mut bytes = sound_bytes.clone();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 16_384].fill(0x5a);
    std::fs::write(database(&env), &bytes).unwrap();
    let run = env.run(&["doctor", "--repair", "--json"]);
    assert_unrepairable(&run, "database_damaged");
    let hint = findings(&run)[0]["hint"].clone();
    assert_eq!(hint["command"], "precedent restore FILE", "{hint}");
    // The damaged database is kept.
    assert!(env.casebook().join("precedent.before-repair-1.db").exists());

    // The documented recovery works.
    for ending in ["db", "db-wal", "db-shm"] {
        let _ = std::fs::remove_file(database(&env).with_extension(ending));
    }
    std::fs::copy(env.path("good.db"), database(&env)).unwrap();
    env.run(&["doctor", "--repair"]);
    assert_eq!(fingerprint(&env), fingerprint_before);

    // A command that hits the damage points to `doctor`.
    let damaged_env = populated_casebook();
    clear_page(&database(&damaged_env), "documents");
    let run = damaged_env.run(&["search", "agent timeout"]);
    run.assert_error(1, &["precedent doctor --repair"]);

    // The file is not a database.
    std::fs::write(
        database(&env),
        "this is no database, only words that are long enough for a header, and more",
    )
    .unwrap();
    for ending in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(database(&env).with_extension(ending));
    }
    assert_unrepairable(&env.run(&["doctor", "--json"]), "database_damaged");
}

#[test]
fn damaged_pages_are_restored_from_a_backup() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    let copy = env.path_arg("good.db");
    env.ok(&["backup", &copy]);
    execute(&database(&env), "PRAGMA wal_checkpoint(TRUNCATE);");
    let sound_bytes = std::fs::read(database(&env)).unwrap();
    for (index, tenths) in [1, 3, 5, 7, 9].into_iter().enumerate() {
        let mut bytes = sound_bytes.clone();
        let offset = (bytes.len() * tenths / 10) & !4095;
        bytes[offset..offset + 8192].fill(0x5a);
        for ending in ["db-wal", "db-shm"] {
            let _ = std::fs::remove_file(database(&env).with_extension(ending));
        }
        std::fs::write(database(&env), &bytes).unwrap();
        // An invalid copy leaves the damaged file in place.
        if index == 0 {
            let invalid_copy = env.file_arg("no.db", "no copy");
            assert_ne!(env.run(&["restore", &invalid_copy]).code, Some(0));
            assert_eq!(std::fs::read(database(&env)).unwrap(), bytes);
        }
        let run = env.ok(&["restore", &copy]);
        let backup = env.casebook().join(format!("precedent.damaged-{}.db", index + 1));
        assert!(run.err.contains(&*backup.to_string_lossy()), "{tenths}: {}", run.err);
        assert!(std::fs::read(&backup).unwrap() == bytes, "{tenths}: the copy differs");
        env.ok(&["index"]);
        assert_eq!(fingerprint(&env), fingerprint_before, "{tenths}");
    }
}

#[test]
fn incomplete_database_index_is_rebuilt() {
    let env = populated_casebook();
    let fingerprint_before = fingerprint(&env);
    // A system crash may leave rows that the table's index does not contain.
    execute(
        &database(&env),
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'ON documents (revision)', 'ON documents (revision) WHERE id > 20')
             WHERE name = 'documents_by_revision';
         PRAGMA writable_schema = RESET;
         REINDEX documents_by_revision;",
    );
    execute(
        &database(&env),
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, ' WHERE id > 20', '') WHERE name = 'documents_by_revision';
         PRAGMA writable_schema = RESET;",
    );
    assert_repairable(&env, "database_damaged");
    assert_eq!(fingerprint(&env), fingerprint_before);
}

#[test]
fn repair_upgrades_an_older_casebook() {
    let env = TestEnv::new();
    std::fs::create_dir_all(env.casebook()).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(
        &mut std::fs::metadata(env.casebook()).unwrap().permissions(),
        0o700,
    );
    execute(
        &database(&env),
        &format!(
            "{} PRAGMA user_version = 1; PRAGMA application_id = {};",
            include_str!("../../migrations/0001_casebook.sql"),
            0x7072_6563
        ),
    );
    let run = env.run(&["doctor", "--json"]);
    assert!(ids(&run).contains(&"older_version".to_owned()), "{}", run.out);
    env.ok(&["doctor", "--repair"]);
    let run = env.ok(&["doctor", "--json"]);
    assert_eq!(ids(&run), Vec::<String>::new(), "{}", run.out);
}

/// Tests faults of the model if ONNX Runtime is installed.
#[test]
fn missing_library_and_broken_model_are_reported() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let variable = std::env::var_os("PRECEDENT_ONNXRUNTIME").map(PathBuf::from);
    let runtime = variable.unwrap_or_else(|| root.join("target/runtime/libonnxruntime.so"));
    let env = TestEnv::new();
    env.ok(&["import", "sample", "--no-vectors"]);
    let copy_model = |env: &TestEnv| {
        for entry in std::fs::read_dir(root.join("models/builtin")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            env.file(&format!("kept/builtin/{name}"), std::fs::read(&path).unwrap());
        }
        env.path("kept")
    };
    // Copy the binary: in the checkout, it would find the library and the model.
    let binary = env.path("alone/precedent");
    std::fs::create_dir_all(binary.parent().unwrap()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_precedent"), &binary).unwrap();
    let doctor = |runtime: Option<&Path>, models: Option<&Path>| {
        let mut command = std::process::Command::new(&binary);
        command.env_clear().env("HOME", env.path("")).env("PRECEDENT_CASEBOOK", env.casebook());
        if let Some(runtime) = runtime {
            command.env("PRECEDENT_ONNXRUNTIME", runtime);
        }
        if let Some(models) = models {
            command.env("PRECEDENT_MODELS", models);
        }
        let run = Run::from(command.args(["doctor", "--json"]).output().unwrap());
        let mut finding_ids = ids(&run);
        finding_ids.retain(|id| id != "vectors_missing" && id != "vectors_of_another_model");
        assert_eq!(run.code, Some(1));
        finding_ids
    };
    let models = copy_model(&env);
    assert_eq!(doctor(None, Some(&models)), ["runtime_missing"]);
    let invalid_library = env.file("broken.so", "no library");
    assert_eq!(doctor(Some(&invalid_library), Some(&models)), ["runtime_unusable"]);
    if !runtime.is_file() {
        eprintln!(
            "SKIPPED: a damaged model, because ONNX Runtime is missing; `cargo xtask runtime` installs it"
        );
        return;
    }
    assert_eq!(doctor(Some(&runtime), Some(&models)), Vec::<String>::new());
    assert_eq!(doctor(Some(&runtime), None), ["model_missing"]);
    // With one byte of its weights changed, the model would load and compute wrong vectors.
    let file = models.join("builtin/model.onnx.data");
    let mut bytes = std::fs::read(&file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&file, bytes).unwrap();
    assert_eq!(doctor(Some(&runtime), Some(&models)), ["model_damaged"]);
    std::fs::remove_file(models.join("builtin/tokenizer.json")).unwrap();
    std::fs::copy(root.join("models/builtin/model.onnx.data"), &file).unwrap();
    assert_eq!(doctor(Some(&runtime), Some(&models)), ["model_damaged"]);
    std::fs::write(models.join("builtin/card.json"), "{").unwrap();
    assert_eq!(doctor(Some(&runtime), Some(&models)), ["model_damaged"]);
}

#[test]
fn comment_before_its_item_is_kept() {
    let env = TestEnv::new();
    env.import(format!("{}\n{}\n", issue(1, "A", "b"), comment(9, 55, "Early")));
    let run = env.ok(&["doctor", "--repair", "--json"]);
    assert_eq!(ids(&run), Vec::<String>::new());
    assert_eq!(env.json(&["source", "list", "--json"])[0]["orphan_comments"], 1);
}

#[test]
fn diagnostic_file_contains_no_names() {
    let env = populated_casebook();
    let path = env
        .file("secret.jsonl", issue(9, "Zanzibar is on fire", "Call ops@acme.example").to_string());
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "zanzibar/vault"]);
    env.ok(&["source", "add", "github:zanzibar/live", "--host", "git.zanzibar.example"]);
    env.ok(&["config", "set", "source", "zanzibar/vault"]);
    let file = env.path("report.json");
    let name = file.to_string_lossy().into_owned();
    let mut command = env.command(&["doctor", "--bundle", &name, "--min-free", "999999999999"]);
    let run = Run::from(
        command
            .env("USER", "wilhelmina")
            .env("GH_TOKEN", "ghp_canary0canary0canary0canary0canary0")
            .output()
            .unwrap(),
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    let text = std::fs::read_to_string(&file).unwrap();
    let home = env.path("").to_string_lossy().trim_end_matches('/').to_owned();
    for secret in ["anzibar", "acme", "wilhelmina", "canary", "on fire", &home] {
        assert!(!text.contains(secret), "{secret} is in {text}");
    }
    let bundle: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(bundle["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(bundle["sources"].as_array().unwrap().len(), 3);
    assert_eq!(bundle["sources"][0]["issues"], 40);
    assert_eq!(bundle["findings"][0]["id"], "disk_space");
    assert!(
        bundle["files"]
            .as_array()
            .unwrap()
            .iter()
            .any(|f| f["name"] == "precedent.db" && f["bytes"].as_u64() > Some(0))
    );
    // Existing files are never overwritten, and a casebook that cannot be opened is reported as
    // such.
    assert_eq!(env.run(&["doctor", "--bundle", &name]).code, Some(2));
    execute(&database(&env), "PRAGMA user_version = 999;");
    env.ok(&["doctor", "--bundle", &name, "--force"]);
    let bundle: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(bundle["findings"][0]["id"], "newer_version");
    assert!(bundle["problems"][0].as_str().unwrap().contains("newer version"), "{bundle}");
}
