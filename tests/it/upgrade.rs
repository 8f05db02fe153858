//! Tests of casebooks from other releases, in `tests/fixtures/casebooks`: their content survives an
//! upgrade, and a casebook of a later version is refused and unchanged.
//!
//! Each release adds a `precedent backup` of a small tracker, compressed by zstd.

use rusqlite::Connection;

use crate::support::TestEnv;

/// Returns a casebook that an earlier release wrote.
fn casebook_of_release(version: &str) -> TestEnv {
    let env = TestEnv::new();
    let fixture = std::fs::read(format!(
        "{}/tests/fixtures/casebooks/{version}.db.zst",
        env!("CARGO_MANIFEST_DIR")
    ));
    env.file("casebook/precedent.db", zstd::decode_all(fixture.unwrap().as_slice()).unwrap());
    env
}

#[test]
fn casebook_0_1_0_opens_with_all_content() {
    let env = casebook_of_release("0.1.0");
    env.ok(&["index"]);
    let thread = env.json(&["show", "acme/kettle#1", "--json"]);
    assert_eq!(thread["title"], "Kettle daemon stops with KD-77 after a cold start");
    assert_eq!(thread["comments"].as_array().unwrap().len(), 2);
    assert!(env.ok(&["show", "acme/kettle:Sensors"]).out.contains("below minus ten degrees"));
    let verdicts = env.json(&["verdict", "list", "--json"]);
    assert_eq!(
        (&verdicts[0]["reason"], verdicts.as_array().unwrap().len()),
        (&"one sensor".into(), 1)
    );
    let notes = env.json(&["note", "list", "--json"]);
    assert_eq!(notes[0]["title"], "Frost and KD-77");
    // The item is found by words and by meaning, and as the recorded duplicate.
    assert!(env.ok(&["search", "sensor reads nothing"]).out.contains("acme/kettle#1"));
    assert!(
        env.ok(&["duplicates", "acme/kettle#2", "--include-closed"]).out.contains("acme/kettle#1")
    );
    assert!(env.ok(&["troubleshoot", "acme/kettle#2"]).out.contains("It is in 0.9.3"));
    // The only fault is that everyone can read the unpacked file.
    env.ok(&["doctor", "--repair"]);
    env.ok(&["doctor"]);
}

#[test]
fn newer_casebook_is_rejected_unchanged() {
    let env = casebook_of_release("0.1.0");
    let file = env.casebook().join("precedent.db");
    env.ok(&["status"]);
    let database = Connection::open(&file).unwrap();
    database.execute_batch("PRAGMA user_version = 999; PRAGMA wal_checkpoint(TRUNCATE);").unwrap();
    drop(database);
    let bytes_before = std::fs::read(&file).unwrap();
    for args in [&["status"][..], &["search", "sensor"], &["note", "add", "-t", "x", "-b", "y"]] {
        let run = env.run(args);
        assert_eq!(run.code, Some(1), "{}", run.out);
        run.assert_stderr(&["newer version of Precedent", "hint:"]);
    }
    assert_eq!(std::fs::read(&file).unwrap(), bytes_before);
}
