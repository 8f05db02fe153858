//! Tests of the data that `backup`, `export` and `import casebook` copy, leave out or refuse.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
};

use rusqlite::Connection;

use crate::support::{
    TestEnv, casebook_members, comment, fingerprint, issue, random_records, write_archive,
    write_casebook,
};

/// Returns a casebook with every kind of content.
fn populated_casebook(seed: u64, source: &str) -> TestEnv {
    let env = casebook_without_notes(seed, source);
    let attach = format!("{source}#1");
    let note = [
        "note",
        "add",
        "--title",
        "My own remark",
        "--body",
        "Canary of a private note.",
        "--attach",
        &attach,
    ];
    env.ok(&note);
    env
}

fn casebook_without_notes(seed: u64, source: &str) -> TestEnv {
    let env = TestEnv::new();
    let (items, comments) = random_records(300, 260, seed);
    let text = format!("{items}{comments}").replace("acme/app", source);
    let path = env.file("in.jsonl", text);
    let page = env.page("wiki/Home.md", "# Home\n\nWhere the valves are.\n");
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", source]);
    env.ok(&["import", "wiki", &page, "--source", source]);
    let (a, b, c) = (format!("{source}#1"), format!("{source}#2"), format!("{source}#3"));
    env.ok(&["verdict", "set", &b, &a, "duplicate", "--reason", "one cause", "--by", "ann"]);
    env.ok(&["verdict", "set", &c, &a, "not-duplicate", "--by", "ben"]);
    env
}

fn export(env: &TestEnv, args: &[&str]) -> PathBuf {
    let file = env.path("out.casebook");
    let path = file.to_string_lossy().into_owned();
    env.ok(&[&["export", &path, "--force"], args].concat());
    file
}

fn import(env: &TestEnv, file: &Path) -> crate::support::Run {
    env.run(&["import", "casebook", &file.to_string_lossy()])
}

/// Returns an exported casebook whose database was changed by SQL.
fn tampered_export(env: &TestEnv, file: &Path, sql: &str) -> PathBuf {
    let members = casebook_members(file);
    let path = env.file("tampered.db", zstd::decode_all(members[1].1.as_slice()).unwrap());
    let connection = Connection::open(&path).unwrap();
    connection.pragma_update(None, "foreign_keys", false).unwrap();
    connection.execute_batch(sql).unwrap();
    drop(connection);
    let bytes = std::fs::read(&path).unwrap();
    let mut manifest: serde_json::Value = serde_json::from_slice(&members[0].1).unwrap();
    manifest["database_bytes"] = bytes.len().into();
    write_casebook(
        env,
        manifest.to_string().as_bytes(),
        &zstd::encode_all(bytes.as_slice(), 1).unwrap(),
    )
}

/// Asserts that a failed import left nothing behind.
#[track_caller]
fn assert_untouched(env: &TestEnv) {
    assert_eq!(env.json(&["source", "list", "--json"]), serde_json::json!([]));
    let leftovers: Vec<String> = std::fs::read_dir(env.casebook())
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|n| n.starts_with("import") && n != "import.lock")
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn export_is_complete_without_private_notes() {
    let origin = populated_casebook(5, "acme/app");
    let file = export(&origin, &[]);
    let run = origin.run(&["import", &file.to_string_lossy()]);
    run.assert_error(1, &["precedent import casebook FILE"]);
    let target = TestEnv::new();
    let run = import(&target, &file);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("1 source, 301 documents, 260 comments, 2 verdicts"), "{}", run.err);
    assert_eq!(fingerprint(&target), fingerprint(&casebook_without_notes(5, "acme/app")));
    assert_eq!(
        target.json(&["verdict", "list", "--json=first,second,kind,reason,actor"]),
        origin.json(&["verdict", "list", "--json=first,second,kind,reason,actor"])
    );
    assert_eq!(target.json(&["note", "list", "--json"]), serde_json::json!([]));
    target.ok(&["doctor"]);
    // The raw records are complete: importing them again changes nothing.
    let run = target.ok(&[
        "import",
        "github",
        &origin.path("in.jsonl").to_string_lossy(),
        "--source",
        "acme/app",
    ]);
    assert!(run.err.contains("0 new, 560 unchanged"), "{}", run.err);
    // Importing the same casebook again is refused and changes nothing.
    let content_before = fingerprint(&target);
    let run = import(&target, &file);
    run.assert_error(2, &["already has acme/app"]);
    assert_eq!(fingerprint(&target), content_before);
}

#[test]
fn notes_are_exported_on_request() {
    let origin = populated_casebook(5, "acme/app");
    let target = TestEnv::new();
    let run = import(&target, &export(&origin, &["--with-notes"]));
    run.assert_error(0, &["1 private note"]);
    let notes = target.json(&["note", "list", "--json=key,title"]);
    assert_eq!(notes[0]["title"], "My own remark");
    assert!(target.ok(&["note", "show", "1"]).out.contains("acme/app#1"));
    assert!(origin.path("out.casebook").exists());
}

#[test]
fn export_contains_nothing_private() {
    let origin = populated_casebook(5, "acme/app");
    let members = casebook_members(&export(&origin, &[]));
    assert_eq!(
        members.iter().map(|(n, _)| n.as_str()).collect::<Vec<_>>(),
        ["manifest.json", "casebook.db.zst", "checksums"]
    );
    let database = zstd::decode_all(members[1].1.as_slice()).unwrap();
    let contains = |needle: &str| database.windows(needle.len()).any(|w| w == needle.as_bytes());
    assert!(
        contains("one cause")
            && !contains("Canary of a private note")
            && !contains("My own remark")
    );
    assert!(!contains("note#1"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = std::fs::metadata(origin.path("out.casebook")).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    let leftovers: Vec<_> = std::fs::read_dir(origin.path(""))
        .unwrap()
        .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
        .filter(|n| n.contains(".part"))
        .collect();
    assert!(leftovers.is_empty(), "{leftovers:?}");
}

#[test]
fn two_casebooks_are_merged() {
    let (first, second) = (populated_casebook(5, "acme/app"), populated_casebook(6, "other/tool"));
    let file = export(&second, &[]);
    let item_before = first.json(&["show", "acme/app#7", "--json"]);
    let run = import(&first, &file);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let keys = first.json(&["source", "list", "--json=key,issues,comments,pages"]);
    assert_eq!(keys.as_array().unwrap().len(), 2, "{keys}");
    assert_eq!(first.json(&["show", "acme/app#7", "--json"]), item_before);
    assert_eq!(
        first.json(&["show", "other/tool#7", "--json"]),
        second.json(&["show", "other/tool#7", "--json"])
    );
    assert_eq!(first.json(&["verdict", "list", "--json"]).as_array().unwrap().len(), 4);
    assert_eq!(first.json(&["note", "list", "--json"]).as_array().unwrap().len(), 1);
    first.ok(&["doctor"]);
    // Records packed with another dictionary were recompressed without changes.
    for (source, env) in [("acme/app", &first), ("other/tool", &second)] {
        let path = env.path_arg("in.jsonl");
        let run = first.ok(&["import", "github", &path, "--source", source]);
        assert!(run.err.contains("0 new, 560 unchanged"), "{}", run.err);
    }
    // Notes of two casebooks would share numbers.
    let third = populated_casebook(7, "third/thing");
    let run = import(&first, &export(&third, &["--with-notes"]));
    run.assert_error(2, &["both contain private notes"]);
    assert_eq!(first.json(&["source", "list", "--json"]).as_array().unwrap().len(), 2);
}

#[test]
fn truncated_or_altered_file_is_rejected() {
    let origin = populated_casebook(5, "acme/app");
    let export_bytes = std::fs::read(export(&origin, &[])).unwrap();
    let target = TestEnv::new();
    target.create_database();
    for offset in [
        0,
        1,
        511,
        700,
        1024,
        export_bytes.len() / 2,
        export_bytes.len() - 1024 - 512,
        export_bytes.len() - 1024 - 600,
    ] {
        let file = origin.file("cut.casebook", &export_bytes[..offset]);
        let run = import(&target, &file);
        assert_eq!(run.code, Some(2), "cut at {offset}: {}", run.err);
        run.assert_stderr(&["cannot be imported", "hint:"]);
        assert_untouched(&target);
    }
    // One changed byte anywhere is detected: in a header, the manifest, the database or the
    // checksums.
    let length = export_bytes.len();
    for offset in
        [0, 148, 520, 560, 1024 + 10, 2048 + 512, length / 2, length / 3, length - 1024 - 500]
    {
        let mut bytes = export_bytes.clone();
        bytes[offset] ^= 0x01;
        let file = origin.file("changed.casebook", &bytes);
        let run = import(&target, &file);
        assert!(matches!(run.code, Some(1 | 2)), "changed at {offset}: {:?} {}", run.code, run.err);
        assert_untouched(&target);
    }
    let run = import(&target, &origin.file("words.casebook", "only words"));
    assert_eq!(run.code, Some(2), "{}", run.err);
    let run = import(&target, &origin.path("no such file"));
    assert_eq!(run.code, Some(1), "{}", run.err);
    assert_untouched(&target);
    // A file that is not an exported casebook is described, and no casebook is created.
    let copy = origin.path("copy.db");
    origin.ok(&["backup", &copy.to_string_lossy()]);
    let empty_env = TestEnv::new();
    for (file, message) in [
        (
            origin.file("cut.casebook", &export_bytes[..export_bytes.len() / 2]),
            "cannot be imported as a casebook",
        ),
        (origin.file("table.csv", "ID,Title\n1,One\n"), "is not an exported casebook"),
        (copy, "precedent restore"),
    ] {
        let run = import(&empty_env, &file);
        assert!(run.code == Some(2) && run.err.contains(message), "{message}: {}", run.err);
        assert!(!empty_env.casebook().join("precedent.db").exists(), "{message}");
    }
}

#[test]
fn newer_or_oversized_file_is_rejected() {
    let origin = populated_casebook(5, "acme/app");
    let members = casebook_members(&export(&origin, &[]));
    let target = TestEnv::new();
    target.create_database();
    let mut manifest: serde_json::Value = serde_json::from_slice(&members[0].1).unwrap();
    manifest["format"] = 2.into();
    let run =
        import(&target, &write_casebook(&origin, manifest.to_string().as_bytes(), &members[1].1));
    run.assert_error(1, &["newer version"]);
    let file = tampered_export(&origin, &origin.path("out.casebook"), "PRAGMA user_version = 999;");
    let run = import(&target, &file);
    run.assert_error(1, &["newer version"]);
    // The declared unpacked size is too large.
    manifest["format"] = 1.into();
    manifest["database_bytes"] = (1_u64 << 40).into();
    let run =
        import(&target, &write_casebook(&origin, manifest.to_string().as_bytes(), &members[1].1));
    run.assert_error(2, &["times its size"]);
    // The file unpacks to more than its declared size.
    let mut bomb = zstd::Encoder::new(Vec::new(), 1).unwrap();
    for _ in 0..256 {
        bomb.write_all(&vec![0; 1 << 20]).unwrap();
    }
    manifest["database_bytes"] = 4096.into();
    let run = import(
        &target,
        &write_casebook(&origin, manifest.to_string().as_bytes(), &bomb.finish().unwrap()),
    );
    run.assert_error(2, &["more than its stated size"]);
    assert_untouched(&target);
}

#[test]
fn malicious_file_is_rejected() {
    let origin = populated_casebook(5, "acme/app");
    let file = export(&origin, &[]);
    let members = casebook_members(&file);
    let target = TestEnv::new();
    target.create_database();
    // No member is unpacked by its name.
    let evil: &[(&str, &[u8])] = &[("../../evil", b"x"), ("manifest.json", &members[0].1)];
    let run = import(&target, &write_archive(&origin, evil));
    run.assert_error(2, &["not in the expected place"]);
    for sql in [
        "CREATE TRIGGER evil AFTER INSERT ON documents BEGIN DELETE FROM verdicts; END;",
        "ALTER TABLE links RENAME TO l; CREATE VIEW links AS SELECT * FROM l;",
        "DROP TABLE checks;",
        "PRAGMA application_id = 5;",
        // An orphaned comment, a missing comment, an unlisted source, and unreadable data.
        "INSERT INTO comments (source_id, number, remote_id, body, created_at, updated_at, raw_hash) VALUES (99, 1, 'x', 'y', 1, 1, x'00');",
        "DELETE FROM comments WHERE id = 5;",
        "INSERT INTO sources (key, kind, added_at) VALUES ('more/than', 'github', 1);",
        "UPDATE comment_raw SET data = x'28b52ffd' WHERE comment_id = 3; UPDATE raw_dictionaries SET data = x'00';
         DELETE FROM verdicts WHERE rowid IN (SELECT 1); INSERT INTO notes VALUES (1, 'lesson', 'active', x'00');",
    ] {
        let sql = sql.replace(" WHERE rowid IN (SELECT 1)", "");
        let run = import(&target, &tampered_export(&origin, &file, &sql));
        assert_eq!(run.code, Some(2), "{sql}\n{}", run.err);
        assert_untouched(&target);
    }
    // Decisions about reports of another source are never imported.
    let victim = populated_casebook(6, "other/tool");
    let verdicts_before = victim.json(&["verdict", "list", "--json"]);
    let file = tampered_export(
        &origin,
        &file,
        "UPDATE verdicts SET first_key = 'other/tool#1', second_key = 'other/tool#2', canonical_key = NULL, verdict = 'related'
             WHERE verdict = 'not_duplicate';",
    );
    assert_eq!(import(&victim, &file).code, Some(0));
    let verdicts_after = victim.json(&["verdict", "list", "--json"]);
    let victim_verdicts = |verdicts: &serde_json::Value| {
        let verdicts = verdicts.as_array().unwrap();
        verdicts
            .iter()
            .filter(|v| v.to_string().contains("other/tool"))
            .cloned()
            .collect::<Vec<_>>()
    };
    assert_eq!(victim_verdicts(&verdicts_after), victim_verdicts(&verdicts_before));
}

#[test]
fn backup_is_consistent_during_concurrent_writes() {
    let env = TestEnv::new();
    let (items, comments) = random_records(600, 400, 9);
    let path = env.file_arg("in.jsonl", format!("{items}{comments}"));
    let new_file = env.file_arg("more.jsonl", random_records(3_000, 10, 10).0);
    env.ok(&["import", "github", &path, "--source", "acme/app", "--no-vectors"]);
    let mut writer = env
        .command(&["import", "github", &new_file, "--source", "acme/app", "--no-index"])
        .spawn()
        .unwrap();
    let mut copies = 0;
    while copies < 3 || writer.try_wait().unwrap().is_none() {
        copies += 1;
        let file = env.path(&format!("copy-{copies}.db"));
        env.ok(&["backup", &file.to_string_lossy()]);
        let copy = Connection::open(&file).unwrap();
        let integrity: String = copy.query_row("PRAGMA integrity_check", [], |r| r.get(0)).unwrap();
        assert_eq!(integrity, "ok");
        let gaps: i64 = copy
            .query_row("SELECT count(*) FROM documents d WHERE NOT EXISTS (SELECT 1 FROM document_raw r WHERE r.document_id = d.id)", [], |r| r.get(0))
            .unwrap();
        assert_eq!(gaps, 0, "a batch is only partly copied");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        }
    }
    assert!(writer.wait().unwrap().success());
    let file = env.path_arg("copy-1.db");
    let run = env.run(&["backup", &file]);
    run.assert_error(2, &["already exists"]);
    env.ok(&["backup", &file, "--force"]);
    // In a folder, the copy works as a casebook.
    let copy_env = TestEnv::new();
    std::fs::create_dir_all(copy_env.casebook()).unwrap();
    std::fs::copy(&file, copy_env.casebook().join("precedent.db")).unwrap();
    copy_env.ok(&["index"]);
    env.ok(&["index"]);
    assert_eq!(fingerprint(&copy_env), fingerprint(&env));
}

#[test]
fn restore_is_complete_and_visible_to_open_readers() {
    let env = populated_casebook(21, "acme/app");
    env.ok(&["index"]);
    let content_before = fingerprint(&env);
    let copy = env.path_arg("copy.db");
    let message = env.ok(&["backup", &copy]).err;
    assert!(message.contains(&format!("To restore it: precedent restore {copy}")), "{message}");
    // Another process has the casebook open, with an unapplied write-ahead log.
    let reader = env.database();
    let titles = || -> i64 {
        let query = "SELECT count(*) FROM documents WHERE title = 'Changed since'";
        reader.query_row(query, [], |r| r.get(0)).unwrap()
    };
    let changed_issue = issue(1, "Changed since", "It was changed.")
        .to_string()
        .replace("2026-01-02", "2026-07-02");
    let new_file = env.file_arg("more.jsonl", changed_issue + "\n");
    env.ok(&["import", "github", &new_file, "--source", "acme/app"]);
    env.ok(&["note", "add", "--title", "Later", "--body", "After the copy."]);
    assert_eq!(titles(), 1);
    let run = env.ok(&["restore", &copy]);
    assert_eq!(titles(), 0);
    env.ok(&["index"]);
    assert_eq!(fingerprint(&env), content_before);
    let notes = env.ok(&["note", "list"]).out;
    assert!(notes.contains("My own remark") && !notes.contains("Later"), "{notes}");
    // The previous data is kept and can be restored.
    let previous =
        run.err.lines().find_map(|l| l.strip_prefix("The previous data is kept in ")).unwrap();
    env.ok(&["restore", previous]);
    assert!(env.ok(&["note", "list"]).out.contains("Later"));

    // The database is no longer valid.
    let damaged_env = TestEnv::new();
    damaged_env.create_database();
    std::fs::write(damaged_env.casebook().join("precedent.db"), "no database, but somebody's")
        .unwrap();
    damaged_env.ok(&["restore", &copy]);
    damaged_env.ok(&["index"]);
    assert_eq!(fingerprint(&damaged_env), content_before);
    let damaged_copy =
        std::fs::read_to_string(damaged_env.casebook().join("precedent.damaged-1.db")).unwrap();
    assert_eq!(damaged_copy, "no database, but somebody's");

    // A backup can be restored into a new folder, and an invalid one changes nothing.
    let copy_env = TestEnv::new();
    copy_env.ok(&["restore", &copy]);
    copy_env.ok(&["index"]);
    assert_eq!(fingerprint(&copy_env), content_before);
    let export_path = export(&env, &[]).to_string_lossy().into_owned();
    let partial_copy = env.file_arg("cut.db", &std::fs::read(&copy).unwrap()[..8_192]);
    for (file, hint) in [(&export_path, "precedent import casebook"), (&partial_copy, "backup")] {
        let run = copy_env.run(&["restore", file]);
        assert!(run.code != Some(0) && run.err.contains(hint), "{file}: {}", run.err);
    }
    assert_eq!(fingerprint(&copy_env), content_before);
    let entries = std::fs::read_dir(copy_env.casebook()).unwrap().flatten();
    let leftovers: Vec<String> =
        entries.map(|e| e.file_name().to_string_lossy().into_owned()).collect();
    assert!(leftovers.iter().all(|name| !name.starts_with(".precedent")), "{leftovers:?}");
}

#[test]
fn export_spares_other_files_and_cleans_up() {
    let env = casebook_without_notes(22, "acme/app");
    let names =
        ["out.casebook.part", "out.casebook.part.db", "out.casebook.part.zst", "copy.db.part"];
    let user_files = names.map(|name| env.file(name, "my own"));
    // A killed process left these files behind.
    env.file(".precedent-abcdefABCDEF.part/part.db", "half");
    env.file(".precedent-abcdefABCDEF.part/lock", "");
    let file = env.path_arg("out.casebook");
    env.ok(&["export", &file]);
    env.ok(&["backup", &env.path("copy.db").to_string_lossy()]);
    for path in user_files {
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "my own", "{}", path.display());
    }
    assert!(!env.path(".precedent-abcdefABCDEF.part").exists());
    let run = env.run(&["export", &file]);
    run.assert_error(2, &["already exists"]);
}

#[test]
fn export_works_during_writes_and_with_one_record() {
    let env = TestEnv::new();
    env.import(format!("{}\n{}\n", issue(1, "Valve leaks", "It drips."), comment(9, 1, "Gasket.")));
    // A concurrent write does not delay the backup, and is not part of it.
    let connection = env.database();
    connection
        .execute_batch("BEGIN IMMEDIATE; UPDATE documents SET title = 'Half written';")
        .unwrap();
    let file = export(&env, &[]);
    connection.execute_batch("ROLLBACK").unwrap();
    let target = TestEnv::new();
    assert_eq!(import(&target, &file).code, Some(0));
    assert_eq!(target.json(&["show", "acme/app#1", "--json"])["title"], "Valve leaks");
    let run = target.run(&["export", &file.to_string_lossy()]);
    run.assert_error(2, &["already exists"]);
}

#[test]
fn file_affects_only_the_sources_it_contains() {
    let attacker = casebook_without_notes(3, "evil/x");
    let file = export(&attacker, &[]);
    let sql = "
        INSERT INTO verdicts (first_key, second_key, verdict, canonical_key, reason, actor, decided_at)
            VALUES ('acme/app#10', 'acme/app#900', 'duplicate', 'acme/app#10', 'planted', 'ann', 1),
                   ('acme/app#11', 'evil/x#1', 'duplicate', 'evil/x#1', 'planted', 'ann', 1);
        INSERT INTO verdict_journal (first_key, second_key, verdict, canonical_key, reason, actor, decided_at)
            VALUES ('acme/app#10', 'acme/app#900', 'duplicate', 'acme/app#10', 'planted', 'ann', 1);
        INSERT INTO links (from_key, to_key, kind, origin) VALUES ('acme/app#900', 'acme/app#10', 'duplicate_of', 'tracker'),
            ('evil/x#2', 'acme/app#10', 'closes', 'tracker');";
    let file = tampered_export(&attacker, &file, sql);
    // The manifest must match the content.
    let members = casebook_members(&file);
    let mut manifest: serde_json::Value = serde_json::from_slice(&members[0].1).unwrap();
    let honest_count = manifest["contents"]["verdicts"].as_u64().unwrap();
    manifest["contents"]["verdicts"] = (honest_count + 2).into();
    let file = write_casebook(&attacker, manifest.to_string().as_bytes(), &members[1].1);

    // The decisions are imported before their items exist …
    let victim = TestEnv::new();
    let run = import(&victim, &file);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.err.contains("Skipped. The decision about acme/app#10 and acme/app#900"),
        "{}",
        run.err
    );
    assert!(run.err.contains("acme/app#11 and evil/x#1"), "{}", run.err);
    assert!(
        run.err.contains(&format!("{honest_count} verdicts")),
        "skipped decisions count: {}",
        run.err
    );
    // … and do not count when the items arrive later.
    let (items, _) = random_records(950, 0, 5);
    let path = victim.file_arg("in.jsonl", items);
    victim.ok(&["import", "github", &path, "--source", "acme/app", "--no-vectors"]);
    let verdicts = victim.json(&["verdict", "list", "--json"]).to_string();
    assert!(verdicts.contains("evil/x#1") && !verdicts.contains("acme/app"), "{verdicts}");
    let canonical = victim.json(&["duplicates", "acme/app#900", "--json"])["known"].clone();
    assert_ne!(canonical["key"], "acme/app#10", "{canonical}");
    let database = victim.database();
    for table in ["verdicts", "verdict_journal"] {
        let query = format!("SELECT count(*) FROM {table} WHERE reason = 'planted'");
        assert_eq!(database.query_row(&query, [], |r| r.get::<_, i64>(0)).unwrap(), 0, "{table}");
    }
}

#[test]
fn file_with_mismatched_source_is_rejected() {
    let attacker = casebook_without_notes(4, "evil/x");
    let file = tampered_export(
        &attacker,
        &export(&attacker, &[]),
        "UPDATE documents SET key = 'acme/app#900' WHERE key = 'evil/x#9'",
    );
    let victim = TestEnv::new();
    let run = import(&victim, &file);
    assert_eq!(run.code, Some(2), "{}", run.err);
    assert!(run.err.contains("lists acme/app#900 under another source"), "{}", run.err);
    assert_untouched(&victim);
}
