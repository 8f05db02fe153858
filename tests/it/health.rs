//! Tests of `doctor`: each fault is planted in real files, reported by name, and repaired where
//! possible.

use std::path::{Path, PathBuf};

use precedent_core::{
    Task,
    model::{Lack, SearchRequest},
};
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::embed::Engine;
use rusqlite::Connection;
use serde_json::Value;

use crate::support::{Place, Ran, comment, content, issue, tracker};

fn populated_casebook() -> Place {
    let place = Place::new();
    let (items, comments) = tracker(40, 60, 3);
    let path = place.file("in.jsonl", format!("{items}{comments}"));
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
    place
}

fn database(place: &Place) -> PathBuf {
    place.casebook().join("precedent.db")
}

fn change(path: &Path, sql: &str) {
    let connection = Connection::open(path).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(sql).unwrap();
}

fn vectors(place: &Place) -> PathBuf {
    let mut files: Vec<PathBuf> = std::fs::read_dir(place.casebook().join("vectors"))
        .unwrap()
        .map(|e| e.unwrap().path())
        .collect();
    files.retain(|p| p.extension().is_some_and(|e| e == "db"));
    assert_eq!(files.len(), 1, "{files:?}");
    files.remove(0)
}

fn findings(ran: &Ran) -> Vec<Value> {
    let health: Value =
        serde_json::from_str(&ran.out).unwrap_or_else(|e| panic!("{e}: {} {}", ran.out, ran.err));
    let mut findings = health["findings"].as_array().unwrap().clone();
    // Copies kept by a repair are not faults.
    findings.retain(|f| f["id"] != "kept_copy");
    for finding in &findings {
        for field in ["id", "what", "why", "remedy"] {
            assert!(finding[field].as_str().is_some_and(|t| !t.is_empty()), "{field}: {finding}");
        }
    }
    findings
}

fn ids(ran: &Ran) -> Vec<String> {
    findings(ran).iter().map(|f| f["id"].as_str().unwrap().to_owned()).collect()
}

/// Asserts that `doctor` finds exactly this fault, exits with 1, repairs it, and then finds
/// nothing.
#[track_caller]
fn found_and_mended(place: &Place, id: &str) {
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!((ran.code, ids(&ran)), (Some(1), vec![id.to_owned()]), "{}\n{}", ran.out, ran.err);
    assert!(findings(&ran)[0]["repairable"] == true, "{}", ran.out);
    let ran = place.run(&["doctor", "--repair", "--json"]);
    assert_eq!((ran.code, ids(&ran)), (Some(0), vec![id.to_owned()]), "{}\n{}", ran.out, ran.err);
    assert_eq!(findings(&ran)[0]["repaired"], true);
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!((ran.code, ids(&ran)), (Some(0), Vec::new()), "{}\n{}", ran.out, ran.err);
}

/// Asserts that `doctor` finds exactly this fault, which it cannot repair.
#[track_caller]
fn found_for_a_person(ran: &Ran, id: &str) {
    assert_eq!((ran.code, ids(ran)), (Some(1), vec![id.to_owned()]), "{}\n{}", ran.out, ran.err);
    assert!(findings(ran)[0]["repaired"] == false, "{}", ran.out);
}

#[test]
fn sound_casebook_has_no_findings() {
    let place = populated_casebook();
    let content_before = content(&place);
    let ran = place.ok(&["doctor"]);
    assert!(ran.out.starts_with("No problems found in "), "{}", ran.out);
    place.ok(&["doctor", "--repair"]);
    assert_eq!(content(&place), content_before);
    let nowhere = Place::new();
    let ran = nowhere.run(&["doctor"]);
    assert!(ran.code == Some(1) && ran.err.contains("no casebook found"), "{}", ran.err);
    assert!(!nowhere.casebook().exists(), "a look makes nothing");
}

#[test]
fn stale_or_incomplete_index_is_repaired() {
    let place = populated_casebook();
    let path = place.file("more.jsonl", format!("{}\n", issue(77, "Valve leaks", "It drips.")));
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-index"]);
    // Both indexes are out of date.
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!(
        (ran.code, ids(&ran)),
        (Some(1), vec!["full_text_stale".into(), "vectors_missing".into()])
    );
    let ran = place.ok(&["doctor", "--repair"]);
    assert!(ran.out.contains("fixed "), "{}", ran.out);
    assert_eq!(
        place.json(&["search", "mode:lexical drips", "--json=key"])[0]["key"],
        "acme/app#77"
    );
    place.ok(&["doctor"]);

    // The index claims to be up to date, but contains an entry that the database lacks.
    let content_before = content(&place);
    change(
        &database(&place),
        "DELETE FROM documents WHERE key = 'acme/app#77'; DELETE FROM document_raw WHERE document_id NOT IN (SELECT id FROM documents);",
    );
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!((ran.code, ids(&ran)), (Some(1), vec!["full_text_drift".to_owned()]), "{}", ran.out);
    place.ok(&["doctor", "--repair"]);
    place.ok(&["doctor"]);
    assert_ne!(content(&place), content_before);
}

#[test]
fn altered_fulltext_files_are_repaired() {
    let place = populated_casebook();
    let content_before = content(&place);
    // A flipped bit in stored data, one in the version, and a missing end: some are found on
    // opening, some only by checksums.
    let changes: [fn(&mut Vec<u8>); 3] = [
        |bytes| bytes[0] ^= 0xff,
        |bytes| {
            let end = bytes.len() - 1;
            bytes[end] ^= 0xff;
        },
        |bytes| bytes.truncate(bytes.len() / 2),
    ];
    for change in changes {
        let store = largest(&place.full_text(), "idx");
        let mut bytes = std::fs::read(&store).unwrap();
        change(&mut bytes);
        std::fs::write(&store, bytes).unwrap();
        found_and_mended(&place, "full_text_damaged");
        assert_eq!(content(&place), content_before);
    }
}

/// Checks that a corrupt part of a file affects some searches, none of which reports a defect of
/// the program.
#[test]
fn fulltext_damage_found_in_use_is_repaired() {
    let place = populated_casebook();
    let content_before = content(&place);
    let mut met = 0;
    for (ending, from) in
        [("idx", 0.3), ("idx", 0.6), ("term", 0.2), ("term", 0.5), ("fast", 0.3), ("fast", 0.6)]
    {
        let file = largest(&place.full_text(), ending);
        let mut bytes = std::fs::read(&file).unwrap();
        let from = (bytes.len() as f64 * from) as usize;
        let end = (from + 400).min(bytes.len() - 60);
        bytes[from..end].fill(0xa7);
        std::fs::write(&file, bytes).unwrap();
        for query in [
            &["search", "agent timeout is:open"][..],
            &["duplicates", "acme/app#40", "--include-closed"],
        ] {
            let ran = place.run(query);
            if ran.code != Some(0) {
                assert!(ran.err.contains("index --rebuild"), "{ending}: {}", ran.err);
                met += 1;
            }
        }
        place.ok(&["index", "--rebuild"]);
        place.ok(&["doctor"]);
        assert_eq!(content(&place), content_before, "{ending}");
    }
    assert!(met > 3, "{met}");
}

/// Returns the largest file with this extension; the number of files depends on the machine's
/// threads.
fn largest(folder: &Path, ending: &str) -> PathBuf {
    std::fs::read_dir(folder)
        .unwrap()
        .map(|e| e.unwrap().path())
        .filter(|p| p.extension().is_some_and(|e| e == ending))
        .max_by_key(|p| std::fs::metadata(p).unwrap().len())
        .unwrap()
}

#[test]
fn missing_vectors_are_rebuilt() {
    let place = populated_casebook();
    let content_before = content(&place);
    // The rows are missing without any mark of it.
    change_vectors(&place, "DELETE FROM embeddings WHERE chunk_id % 3 = 0;");
    found_and_mended(&place, "vectors_missing");
    assert_eq!(content(&place), content_before);
    // Whole documents are missing.
    change_vectors(
        &place,
        "DELETE FROM embeddings WHERE chunk_id IN (SELECT id FROM chunks WHERE document_id = 5); DELETE FROM chunks WHERE document_id = 5;",
    );
    found_and_mended(&place, "vectors_missing");
    assert_eq!(content(&place), content_before);
    // The file is missing.
    std::fs::remove_file(vectors(&place)).unwrap();
    found_and_mended(&place, "vectors_missing");
    assert_eq!(content(&place), content_before);
    // The file is damaged.
    let path = vectors(&place);
    for ending in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(path.with_extension(ending));
    }
    let mut bytes = std::fs::read(&path).unwrap();
    bytes[..100].fill(0xee);
    std::fs::write(&path, bytes).unwrap();
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!((ran.code, ids(&ran)), (Some(1), vec!["vectors_damaged".to_owned()]), "{}", ran.out);
    let ran = place.ok(&["doctor", "--repair", "--json"]);
    assert!(findings(&ran).iter().all(|f| f["repaired"] == true), "{}", ran.out);
    place.ok(&["doctor"]);
    assert_eq!(content(&place), content_before);
}

/// Tests a file truncated before its log was applied, which has the right length and an empty part.
#[test]
fn vector_damage_found_in_use_is_repaired() {
    // Every search reads the row positions, and new vectors are written to the chunk index.
    for (table, query) in [
        ("embeddings_rowids", true),
        ("embeddings_vector_chunks00", true),
        ("chunks_pending", false),
    ] {
        let place = populated_casebook();
        empty(&vectors(&place), table);
        let answer = place.json(&["search", "agent timeout", "--json"]);
        let notices = answer["notices"].to_string();
        assert!(!answer["hits"].as_array().unwrap().is_empty(), "{answer}");
        assert_eq!(notices.contains("the semantic index is damaged"), query, "{table}: {notices}");
        let ran = place.ok(&["duplicates", "acme/app#40", "--include-closed"]);
        assert_eq!(
            ran.out.contains("the semantic index is damaged"),
            query,
            "{table}: {}",
            ran.out
        );
        // Storing new content recreates all vectors.
        import_a_leak(&place);
        let status = place.json(&["status", "--json"]);
        assert_eq!(status["coverage"]["chunks"], status["coverage"]["embedded"], "{table}");
        let answer = place.json(&["search", "mode:semantic valve leaks drips", "--json"]);
        assert_eq!(answer["hits"][0]["key"], "acme/app#77", "{table}");
        place.ok(&["doctor"]);
        // The result equals that of an undamaged casebook.
        let whole = populated_casebook();
        import_a_leak(&whole);
        assert_eq!(content(&place), content(&whole), "{table}");
    }
}

/// Checks that a long-running process continues with indexes that another process rebuilt.
#[tokio::test]
async fn vectors_rebuilt_elsewhere_are_reopened() {
    let place = populated_casebook();
    let mut options = OpenOptions::new(place.casebook());
    options.engine = Some(Engine::Hashed);
    let resident = Casebook::open(options).await.unwrap();
    let search = async |query: &str| {
        let request = SearchRequest { query: query.to_owned(), ..Default::default() };
        resident.search(request, &Task::new()).await.unwrap()
    };
    assert!(search("mode:semantic agent timeout").await.notices.is_empty());
    empty(&vectors(&place), "embeddings_rowids");
    // The process may still have some pages cached.
    search("agent timeout").await;
    import_a_leak(&place);
    let answer = search("mode:semantic valve leaks drips").await;
    assert_eq!((answer.hits[0].key.as_str(), answer.notices.len()), ("acme/app#77", 0));
    // It detects the damage itself, falls back to words, and repairs it with its next update
    // without new content.
    empty(&vectors(&place), "embeddings_rowids");
    let answer = search("valve leaks drips").await;
    assert_eq!((answer.hits[0].key.as_str(), answer.notices[0].lack), ("acme/app#77", Lack::Model));
    resident.update_index(&Task::new()).await.unwrap();
    assert!(search("mode:semantic valve leaks drips").await.notices.is_empty());
    place.ok(&["doctor"]);
}

fn import_a_leak(place: &Place) {
    let leak = format!("{}\n", issue(77, "Valve leaks", "It drips on the zeppelin."));
    let path = place.file("leak.jsonl", leak);
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
}

/// Fills the first page of a table or an index with zeros.
fn empty(path: &Path, table: &str) {
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

/// Changes sqlite-vec's table through the engine's own connection, which has its functions.
fn change_vectors(place: &Place, sql: &str) {
    // Opening a set of vectors registers them for every connection of this process.
    let folder = tempfile::tempdir().unwrap();
    let info = precedent_index::embed::Engine::Hashed.info().unwrap();
    drop(precedent_index::vectors::Vectors::open(folder.path(), &info).unwrap());
    change(&vectors(place), sql);
}

#[test]
fn unreachable_rows_are_removed_after_a_backup() {
    let place = populated_casebook();
    let content_before = content(&place);
    change(
        &database(&place),
        "INSERT INTO comments (source_id, number, remote_id, body, created_at, updated_at, raw_hash)
             VALUES (99, 1, 'lost', 'A comment of a source that is gone', 1, 1, x'00');
         INSERT INTO comment_raw (comment_id, data) VALUES (last_insert_rowid(), x'00');
         INSERT INTO document_raw (document_id, data) VALUES (4711, x'00');",
    );
    found_and_mended(&place, "orphan_rows");
    assert_eq!(content(&place), content_before);
    let copy = place.casebook().join("precedent.before-repair-1.db");
    let kept_rows: i64 = Connection::open(&copy)
        .unwrap()
        .query_row("SELECT count(*) FROM comments WHERE remote_id = 'lost'", [], |r| r.get(0))
        .unwrap();
    assert_eq!(kept_rows, 1, "the backup has the removed rows");
    let ran = place.ok(&["doctor", "--json"]);
    assert!(ran.out.contains("kept_copy"), "{}", ran.out);
}

#[cfg(unix)]
#[test]
fn wrong_permissions_are_repaired() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = populated_casebook();
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let set_mode = |path: &Path, mode| {
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
    };
    set_mode(&place.casebook(), 0o755);
    found_and_mended(&place, "permissions");
    assert_eq!(mode(&place.casebook()), 0o700);
    set_mode(&database(&place), 0o644);
    found_and_mended(&place, "permissions");
    assert_eq!(mode(&database(&place)), 0o600);
    set_mode(&database(&place), 0o400);
    let ran = place.run(&["doctor", "--json"]);
    assert!(ran.code == Some(1) && ids(&ran).contains(&"permissions".to_owned()), "{}", ran.out);
    place.ok(&["doctor", "--repair"]);
    assert_eq!(mode(&database(&place)), 0o600);
}

#[cfg(unix)]
#[test]
fn new_files_are_private_in_shared_folders() {
    use std::os::unix::fs::PermissionsExt as _;
    let place = Place::new();
    std::fs::create_dir_all(place.casebook()).unwrap();
    std::fs::set_permissions(place.casebook(), std::fs::Permissions::from_mode(0o755)).unwrap();
    place.ok(&["import", "sample"]);
    place.ok(&["note", "add", "-t", "Mine", "-b", "Mine alone"]);
    let entries: Vec<_> = std::fs::read_dir(place.casebook()).unwrap().flatten().collect();
    assert!(entries.iter().any(|e| e.path().is_dir()) && entries.len() > 3);
    for entry in entries {
        let mode = entry.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o077, 0, "{}: {mode:o}", entry.path().display());
    }
}

#[test]
fn nearly_full_disk_is_reported() {
    let place = populated_casebook();
    let ran = place.run(&["doctor", "--json", "--min-free", "999999999999"]);
    found_for_a_person(&ran, "disk_space");
}

#[test]
fn newer_or_foreign_database_is_reported() {
    let place = populated_casebook();
    let schema: i64 = Connection::open(database(&place))
        .unwrap()
        .query_row("PRAGMA user_version", [], |r| r.get(0))
        .unwrap();
    change(&database(&place), "PRAGMA user_version = 999;");
    for args in [&["doctor", "--json"][..], &["doctor", "--repair", "--json"]] {
        found_for_a_person(&place.run(args), "newer_version");
    }
    change(
        &database(&place),
        &format!("PRAGMA user_version = {schema}; PRAGMA application_id = 77;"),
    );
    found_for_a_person(&place.run(&["doctor", "--repair", "--json"]), "not_a_casebook");
}

#[test]
fn truncated_database_is_no_empty_casebook() {
    let place = populated_casebook();
    let content_before = content(&place);
    let copy = place.path("copy.db");
    place.ok(&["backup", &copy.to_string_lossy()]);
    for ending in ["db-wal", "db-shm"] {
        std::fs::remove_file(database(&place).with_extension(ending)).ok();
    }
    std::fs::write(database(&place), "").unwrap();
    found_for_a_person(&place.run(&["doctor", "--repair", "--json"]), "database_emptied");
    let ran = place.run(&["search", "anything"]);
    assert!(ran.code != Some(0) && ran.err.contains("is empty"), "{} {}", ran.out, ran.err);
    // The file stays empty until the user decides.
    assert_eq!(std::fs::metadata(database(&place)).unwrap().len(), 0);
    place.ok(&["restore", &copy.to_string_lossy()]);
    place.ok(&["index"]);
    assert_eq!(content(&place), content_before);
}

#[test]
fn damaged_database_is_repaired_or_restored() {
    let place = populated_casebook();
    let content_before = content(&place);
    // An index that lost an entry is rebuilt, after a copy is kept.
    change(
        &database(&place),
        "PRAGMA writable_schema = ON;
         CREATE TABLE shadow (a INTEGER);
         UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'shadow')
             WHERE name = 'documents_deleted';
         DELETE FROM sqlite_schema WHERE name = 'shadow';
         PRAGMA writable_schema = RESET;",
    );
    let ran = place.run(&["doctor", "--json"]);
    assert_eq!(
        (ran.code, ids(&ran)),
        (Some(1), vec!["database_damaged".to_owned()]),
        "{}",
        ran.out
    );
    assert!(findings(&ran)[0]["remedy"].as_str().unwrap().contains("--repair"));

    // If pages in the middle are overwritten, nothing is changed and the way to restore is named.
    let place = populated_casebook();
    place.ok(&["backup", &place.path("good.db").to_string_lossy()]);
    change(&database(&place), "PRAGMA wal_checkpoint(TRUNCATE);");
    let good = std::fs::read(database(&place)).unwrap();
    let mut bytes = good.clone();
    let middle = bytes.len() / 2;
    bytes[middle..middle + 16_384].fill(0x5a);
    std::fs::write(database(&place), &bytes).unwrap();
    let ran = place.run(&["doctor", "--repair", "--json"]);
    found_for_a_person(&ran, "database_damaged");
    let remedy = findings(&ran)[0]["remedy"].as_str().unwrap().to_owned();
    assert!(remedy.contains("precedent backup"), "{remedy}");
    // The first copy is the database as it was found.
    assert!(place.casebook().join("precedent.before-repair-1.db").exists());

    // The documented recovery works.
    for ending in ["db", "db-wal", "db-shm"] {
        let _ = std::fs::remove_file(database(&place).with_extension(ending));
    }
    std::fs::copy(place.path("good.db"), database(&place)).unwrap();
    place.run(&["doctor", "--repair"]);
    assert_eq!(content(&place), content_before);

    // A command that hits the damage points to `doctor`.
    let broken = populated_casebook();
    empty(&database(&broken), "documents");
    let ran = broken.run(&["search", "agent timeout"]);
    assert!(ran.code == Some(1) && ran.err.contains("precedent doctor --repair"), "{}", ran.err);

    // The file is not a database.
    std::fs::write(
        database(&place),
        "this is no database, only words that are long enough for a header, and more",
    )
    .unwrap();
    for ending in ["db-wal", "db-shm"] {
        let _ = std::fs::remove_file(database(&place).with_extension(ending));
    }
    found_for_a_person(&place.run(&["doctor", "--json"]), "database_damaged");
}

#[test]
fn damaged_pages_are_restored_from_a_backup() {
    let place = populated_casebook();
    let content_before = content(&place);
    let copy = place.path("good.db").to_string_lossy().into_owned();
    place.ok(&["backup", &copy]);
    change(&database(&place), "PRAGMA wal_checkpoint(TRUNCATE);");
    let good = std::fs::read(database(&place)).unwrap();
    for (nth, tenths) in [1, 3, 5, 7, 9].into_iter().enumerate() {
        let mut bytes = good.clone();
        let at = (bytes.len() * tenths / 10) & !4095;
        bytes[at..at + 8192].fill(0x5a);
        for ending in ["db-wal", "db-shm"] {
            let _ = std::fs::remove_file(database(&place).with_extension(ending));
        }
        std::fs::write(database(&place), &bytes).unwrap();
        // An invalid copy leaves the damaged file in place.
        if nth == 0 {
            let no = place.file("no.db", "no copy").to_string_lossy().into_owned();
            assert_ne!(place.run(&["restore", &no]).code, Some(0));
            assert_eq!(std::fs::read(database(&place)).unwrap(), bytes);
        }
        let ran = place.ok(&["restore", &copy]);
        let aside = place.casebook().join(format!("precedent.damaged-{}.db", nth + 1));
        assert!(ran.err.contains(&*aside.to_string_lossy()), "{tenths}: {}", ran.err);
        assert!(std::fs::read(&aside).unwrap() == bytes, "{tenths}: it is kept byte for byte");
        place.ok(&["index"]);
        assert_eq!(content(&place), content_before, "{tenths}");
    }
}

#[test]
fn incomplete_database_index_is_rebuilt() {
    let place = populated_casebook();
    let content_before = content(&place);
    // A system crash may leave rows that the table's index does not contain.
    change(
        &database(&place),
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, 'ON documents (revision)', 'ON documents (revision) WHERE id > 20')
             WHERE name = 'documents_by_revision';
         PRAGMA writable_schema = RESET;
         REINDEX documents_by_revision;",
    );
    change(
        &database(&place),
        "PRAGMA writable_schema = ON;
         UPDATE sqlite_schema SET sql = replace(sql, ' WHERE id > 20', '') WHERE name = 'documents_by_revision';
         PRAGMA writable_schema = RESET;",
    );
    found_and_mended(&place, "database_damaged");
    assert_eq!(content(&place), content_before);
}

#[test]
fn repair_upgrades_an_older_casebook() {
    let place = Place::new();
    std::fs::create_dir_all(place.casebook()).unwrap();
    #[cfg(unix)]
    std::os::unix::fs::PermissionsExt::set_mode(
        &mut std::fs::metadata(place.casebook()).unwrap().permissions(),
        0o700,
    );
    change(
        &database(&place),
        &format!(
            "{} PRAGMA user_version = 1; PRAGMA application_id = {};",
            include_str!("../../migrations/0001_casebook.sql"),
            0x7072_6563
        ),
    );
    let ran = place.run(&["doctor", "--json"]);
    assert!(ids(&ran).contains(&"older_version".to_owned()), "{}", ran.out);
    place.ok(&["doctor", "--repair"]);
    let ran = place.ok(&["doctor", "--json"]);
    assert_eq!(ids(&ran), Vec::<String>::new(), "{}", ran.out);
}

/// Faults of the model and its runtime, where they are installed.
#[test]
fn missing_library_and_broken_model_are_reported() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let variable = std::env::var_os("PRECEDENT_ONNXRUNTIME").map(PathBuf::from);
    let runtime = variable.unwrap_or_else(|| root.join("target/runtime/libonnxruntime.so"));
    let place = Place::new();
    place.ok(&["import", "sample", "--no-vectors"]);
    let model = |place: &Place| {
        for entry in std::fs::read_dir(root.join("models/builtin")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            place.file(&format!("kept/builtin/{name}"), std::fs::read(&path).unwrap());
        }
        place.path("kept")
    };
    // The binary needs its own folder: inside a checkout it would find the library and model there.
    let alone = place.path("alone/precedent");
    std::fs::create_dir_all(alone.parent().unwrap()).unwrap();
    std::fs::copy(env!("CARGO_BIN_EXE_precedent"), &alone).unwrap();
    let doctor = |runtime: Option<&Path>, models: Option<&Path>| {
        let mut command = std::process::Command::new(&alone);
        command.env_clear().env("HOME", place.path("")).env("PRECEDENT_CASEBOOK", place.casebook());
        if let Some(runtime) = runtime {
            command.env("PRECEDENT_ONNXRUNTIME", runtime);
        }
        if let Some(models) = models {
            command.env("PRECEDENT_MODELS", models);
        }
        let ran = Ran::from(command.args(["doctor", "--json"]).output().unwrap());
        let mut finding_ids = ids(&ran);
        finding_ids.retain(|id| id != "vectors_missing" && id != "vectors_of_another_model");
        assert_eq!(ran.code, Some(1));
        finding_ids
    };
    let models = model(&place);
    assert_eq!(doctor(None, Some(&models)), ["runtime_missing"]);
    let broken = place.file("broken.so", "no library");
    assert_eq!(doctor(Some(&broken), Some(&models)), ["runtime_unusable"]);
    if !runtime.is_file() {
        eprintln!(
            "SKIPPED: the model's files, because ONNX Runtime is not there; `cargo xtask runtime` installs it"
        );
        return;
    }
    assert_eq!(doctor(Some(&runtime), Some(&models)), Vec::<String>::new());
    assert_eq!(doctor(Some(&runtime), None), ["model_missing"]);
    // With one byte of its weights changed, the model would load and give wrong vectors.
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
fn every_step_of_a_history_is_kept() {
    // A comment stored before its item is not an orphan: trackers send them in any order.
    let place = Place::new();
    let path =
        place.file("in.jsonl", format!("{}\n{}\n", issue(1, "A", "b"), comment(9, 55, "Early")));
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
    let ran = place.ok(&["doctor", "--repair", "--json"]);
    assert_eq!(ids(&ran), Vec::<String>::new());
    assert_eq!(place.json(&["source", "list", "--json"])[0]["orphan_comments"], 1);
}

#[test]
fn diagnostic_file_contains_no_names() {
    let place = populated_casebook();
    let path = place
        .file("secret.jsonl", issue(9, "Zanzibar is on fire", "Call ops@acme.example").to_string());
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "zanzibar/vault"]);
    place.ok(&["source", "add", "github:zanzibar/live", "--host", "git.zanzibar.example"]);
    place.ok(&["config", "set", "source", "zanzibar/vault"]);
    let file = place.path("report.json");
    let name = file.to_string_lossy().into_owned();
    let mut command = place.command(&["doctor", "--bundle", &name, "--min-free", "999999999999"]);
    let ran = Ran::from(
        command
            .env("USER", "wilhelmina")
            .env("GH_TOKEN", "ghp_canary0canary0canary0canary0canary0")
            .output()
            .unwrap(),
    );
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    let text = std::fs::read_to_string(&file).unwrap();
    let home = place.path("").to_string_lossy().trim_end_matches('/').to_owned();
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
    assert_eq!(place.run(&["doctor", "--bundle", &name]).code, Some(2));
    change(&database(&place), "PRAGMA user_version = 999;");
    place.ok(&["doctor", "--bundle", &name, "--force"]);
    let bundle: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    assert_eq!(bundle["findings"][0]["id"], "newer_version");
    assert!(bundle["problems"][0].as_str().unwrap().contains("newer version"), "{bundle}");
}
