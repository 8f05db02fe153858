//! Tests of casebook files: a round trip preserves everything, and no invalid cell breaks a
//! command.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests")]

mod mutation;

use std::path::{Path, PathBuf};

use jiff::Timestamp;
use mutation::{Rng, mutate};
use precedent_core::{
    error::{Code, Result},
    model::{
        Author, Band, Check, ClosureRecord, ClosureStep, CommentRecord, DocKind, DocumentRecord,
        MissingCoverage, NoteKind, PortableImport, Raw, Record, State, Verdict, VerdictKind,
    },
    task::Task,
};
use precedent_store::{
    Calibration, DateEvidence, NoteContent, RawKind, RemoteRow, ScoreBaseline, Store, StreamRow,
    VerifiedCopy, check_foreign,
};
use proptest::prelude::*;
use rusqlite::{Connection, params, types::Value as Cell};

const NOW: i64 = 1_780_000_000;

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_second(seconds).unwrap()
}

/// The content of a generated casebook.
#[derive(Clone, Debug)]
struct Plan {
    sources: usize,
    items: u64,
    comments: u64,
    /// Pairs of items of the first source, with the verdict and whether it was undone.
    verdicts: Vec<(u64, u64, VerdictKind, bool)>,
    closures: Vec<(u64, u64, ClosureStep)>,
    /// True for each note that was removed again.
    notes: Vec<bool>,
    /// True if checks used vectors; `None` if there are no checks.
    check_vectors: Option<bool>,
    live: bool,
}

fn plans() -> impl Strategy<Value = Plan> {
    let kind = prop_oneof![
        Just(VerdictKind::Duplicate),
        Just(VerdictKind::Related),
        Just(VerdictKind::NotDuplicate)
    ];
    let step = prop_oneof![
        Just(ClosureStep::Commenting),
        Just(ClosureStep::Commented),
        Just(ClosureStep::Closed),
        Just(ClosureStep::Refused)
    ];
    (
        (1_usize..4, 6_u64..12, 0_u64..12),
        proptest::collection::vec((1_u64..6, 1_u64..6, kind, any::<bool>()), 0..5),
        proptest::collection::vec((1_u64..6, 1_u64..6, step), 0..3),
        proptest::collection::vec(any::<bool>(), 0..3),
        proptest::option::of(any::<bool>()),
        any::<bool>(),
    )
        .prop_map(
            |((sources, items, comments), verdicts, closures, notes, check_vectors, live)| Plan {
                sources,
                items,
                comments,
                verdicts,
                closures,
                notes,
                check_vectors,
                live,
            },
        )
}

fn raw(text: &str) -> Raw {
    Raw::new(text.into())
}

fn document(number: Option<u64>, slug: Option<&str>, title: &str, body: String) -> DocumentRecord {
    DocumentRecord {
        repository: None,
        kind: if number.is_some() { DocKind::Issue } else { DocKind::Page },
        number,
        slug: slug.map(str::to_owned),
        remote_id: None,
        title: title.to_owned(),
        url: None,
        state: number.map(|_| State::Open),
        state_reason: None,
        author: Author { login: Some("ann".to_owned()), ..Author::default() },
        labels: vec!["bug".to_owned(), "p\u{e9}riph\"erie".to_owned()],
        milestone: None,
        locked: false,
        comment_count: 1,
        created_at: Some(at(NOW - 90_000)),
        updated_at: Some(at(NOW - 80_000)),
        closed_at: None,
        merged_at: None,
        raw: raw(&format!("{{\"title\":\"{title}\"}}")),
        body,
    }
}

fn comment(number: u64, id: u64) -> CommentRecord {
    CommentRecord {
        repository: None,
        number,
        remote_id: id.to_string(),
        author: Author::default(),
        body: format!("Seen {id} times."),
        url: None,
        created_at: at(NOW - 70_000),
        updated_at: at(NOW - 70_000),
        raw: raw(&format!("comment {id}")),
    }
}

fn fill(store: &Store, owner: &str, plan: &Plan) {
    let key = |n: usize| format!("{owner}/app{n}");
    for n in 0..plan.sources {
        let mut records = Vec::new();
        for number in 1..=plan.items {
            let title = format!("The pump of {owner} stalls {number}");
            let body = format!("It stalls after {number} hours with error E{n}{number}.");
            records.push(Record::Document(Box::new(document(Some(number), None, &title, body))));
        }
        let home = document(None, Some("Home"), "Home", "Where the valves are.".to_owned());
        records.push(Record::Document(Box::new(home)));
        for id in 0..plan.comments {
            records.push(Record::Comment(Box::new(comment(1 + id % plan.items, id))));
        }
        let packer = store.read(|r| r.raw_packer(RawKind::Document)).unwrap();
        let mut worker = packer.worker().unwrap();
        let packer = store.read(|r| r.raw_packer(RawKind::Comment)).unwrap();
        let mut comments = packer.worker().unwrap();
        store
            .write(|w| {
                let source = w.add_source(&key(n), "github", at(NOW - 100_000))?;
                for record in &records {
                    match record {
                        Record::Document(d) => {
                            let _ = w.apply_document(
                                &source,
                                d,
                                &worker.pack(&d.raw)?,
                                DateEvidence::Sound,
                                at(NOW),
                            )?;
                        }
                        Record::Comment(c) => {
                            let _ = w.apply_comment(
                                &source,
                                c,
                                &comments.pack(&c.raw)?,
                                false,
                                DateEvidence::Sound,
                                at(NOW),
                            )?;
                        }
                    }
                }
                w.add_tracker_link(
                    &format!("{}#2", key(n)),
                    &format!("{}#1", key(n)),
                    "duplicate_of",
                )?;
                if plan.live {
                    let remote = RemoteRow {
                        host: "git.acme.example".to_owned(),
                        base_url: "https://git.acme.example/api/v3/".to_owned(),
                        project: key(n),
                        remote_id: Some("7".to_owned()),
                        wiki: true,
                        synced_at: None,
                        problem: None,
                        swept_at: None,
                        is_trusted: true,
                    };
                    w.set_remote(source.id, &remote)?;
                    w.end_sync(source.id, at(NOW - 60_000), None)?;
                    let row = StreamRow {
                        watermark: Some(at(NOW - 60_000)),
                        finished_at: Some(at(NOW - 60_000)),
                        pages: 3,
                        ..StreamRow::default()
                    };
                    w.set_stream(source.id, "items", &row)?;
                    w.mark_relations_read(source.id, &[2])?;
                    w.set_score_baseline(
                        source.id,
                        ScoreBaseline { level: 0.5, spread: 1.0 },
                        6,
                        "basis",
                    )?;
                    let calibration = Calibration {
                        slope: 1.0,
                        intercept: 0.1,
                        labels: 9,
                        model: None,
                        weights: None,
                    };
                    w.set_calibration(source.id, &calibration, at(NOW - 50_000))?;
                }
                Ok(())
            })
            .unwrap();
    }
    let item = |n: u64| format!("{}#{n}", key(0));
    store
        .write(|w| {
            for (a, b, kind, is_undone) in &plan.verdicts {
                if a == b {
                    continue;
                }
                let canonical = (*kind == VerdictKind::Duplicate).then(|| item(*a));
                let (first, second) = (item(*a.min(b)), item(*a.max(b)));
                w.put_verdict(&Verdict {
                    first: first.clone(),
                    second: second.clone(),
                    kind: *kind,
                    canonical,
                    reason: Some("one cause".to_owned()),
                    actor: "ann".to_owned(),
                    decided_at: at(NOW - 40_000),
                })?;
                if *is_undone {
                    w.undo_verdict(&first, &second, "ben", at(NOW - 30_000))?;
                }
            }
            for (a, b, step) in &plan.closures {
                w.put_closure(&ClosureRecord {
                    key: item(*a),
                    canonical: item(*b),
                    step: *step,
                    comment_url: Some("https://git.acme.example/c/1".to_owned()),
                    problem: None,
                    actor: "ann".to_owned(),
                    began_at: at(NOW - 20_000),
                    changed_at: at(NOW - 20_000),
                })?;
            }
            for (n, removed) in plan.notes.iter().enumerate() {
                let content =
                    NoteContent { title: &format!("Remark {n}"), body: "Mine.", tags: &[] };
                let key = w.add_note(NoteKind::Lesson, &content, at(NOW - 10_000))?;
                w.connect(&key, &item(1), "person")?;
                if *removed {
                    let note = w.note(&key)?.unwrap();
                    w.remove_note(&note, at(NOW - 5_000))?;
                }
            }
            if let Some(with_vectors) = plan.check_vectors {
                if with_vectors {
                    w.reset_checks("basis")?;
                }
                let check = Check {
                    checked_at: at(NOW - 1_000),
                    revision: 1,
                    band: Band::Likely,
                    best: Some(item(1)),
                    confidence: 0.5,
                    worth: 0.5,
                    closed: false,
                    missing_coverage: MissingCoverage::default(),
                };
                w.put_check(&item(3), &check, &[(item(1), 0.5), (item(2), 0.25)])?;
            }
            Ok(())
        })
        .unwrap();
}

/// Returns all exported rows, without row ids, revisions and values that are decided at the
/// destination.
fn dump(store: &Store, notes: bool, filter: &str) -> Vec<String> {
    let connection = Connection::open(store.path()).unwrap();
    let source = "(SELECT s.key FROM sources s WHERE s.id = t.source_id)";
    let queries = [
        "SELECT key, kind, added_at, changed_at FROM sources".to_owned(),
        format!(
            "SELECT {source}, kind, key, number, remote_id, title, body, url, state, state_reason, author, author_bot,
                 association, labels, milestone, locked, comment_count, created_at, updated_at, closed_at, merged_at,
                 deleted_at, raw_hash FROM documents t"
        ),
        format!(
            "SELECT {source}, number, remote_id, author, body, url, created_at, updated_at, deleted_at, raw_hash
             FROM comments t"
        ),
        "SELECT d.key, n.kind, lifecycle, content_hash FROM notes n JOIN documents d ON d.id = document_id".to_owned(),
        "SELECT * FROM links".to_owned(),
        "SELECT first_key, second_key, verdict, canonical_key, reason, actor, decided_at FROM verdicts".to_owned(),
        "SELECT first_key, second_key, verdict, canonical_key, reason, actor, decided_at FROM verdict_journal".to_owned(),
        "SELECT * FROM closures".to_owned(),
        format!("SELECT {source}, host, base_url, project, remote_id, wiki, synced_at, swept_at FROM remotes t"),
        format!("SELECT {source}, name, watermark, finished_at, pages, unreadable, refused FROM streams t"),
        format!("SELECT {source}, number, updated_at FROM relations_read t"),
        "SELECT d.key, r.data FROM document_raw r JOIN documents d ON d.id = document_id".to_owned(),
    ];
    let mut out = Vec::new();
    for query in queries {
        let mut statement = connection.prepare(&query).unwrap();
        let columns = statement.column_count();
        let mut rows = statement.query([]).unwrap();
        let mut lines = Vec::new();
        while let Some(row) = rows.next().unwrap() {
            let values: Vec<Cell> = (0..columns).map(|i| row.get(i).unwrap()).collect();
            lines.push(format!("{values:?}"));
        }
        lines.sort();
        out.extend(lines);
    }
    out.retain(|line| {
        (notes || !line.contains("note#") && !line.contains("\"notes\"")) && line.contains(filter)
    });
    out
}

fn open(folder: &Path, name: &str) -> Store {
    Store::open(&folder.join(name)).unwrap()
}

fn verify(store: &Store, file: &Path) -> Result<VerifiedCopy> {
    check_foreign(file)?;
    let contents = {
        let connection = Connection::open(file)?;
        let count = |table: &str| -> u64 {
            connection
                .query_row(&format!("SELECT count(*) FROM {table}"), [], |r| r.get(0))
                .unwrap()
        };
        let mut statement = connection
            .prepare("SELECT CAST(key AS BLOB) FROM sources WHERE kind <> 'notes' ORDER BY key")?;
        let keys = statement.query_map([], |r| r.get::<_, Vec<u8>>(0))?;
        precedent_core::model::CasebookContents {
            sources: keys.map(|k| String::from_utf8_lossy(&k.unwrap()).into_owned()).collect(),
            documents: count("documents WHERE kind <> 'note'"),
            comments: count("comments"),
            verdicts: count("verdicts"),
            notes: count("notes"),
        }
    };
    let is_remote = |_: &_, remote: &RemoteRow| remote.base_url.contains(&remote.host);
    store.verify_copy(file, &contents, &is_remote, at(NOW), &Task::new())
}

fn import_copy(store: &Store, file: &Path) -> Result<PortableImport> {
    let copy = verify(store, file)?;
    store.import_copy(&copy, "x.casebook", at(NOW), |_| {}, &Task::new())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn round_trip_preserves_every_casebook(
        plan in plans(), notes in any::<bool>(), has_sources in any::<bool>()
    ) {
        let folder = tempfile::tempdir().unwrap();
        let origin = open(folder.path(), "here.db");
        fill(&origin, "acme", &plan);
        let file = folder.path().join("file.db");
        origin.write_portable(&file, notes).unwrap();
        let target = open(folder.path(), "there.db");
        if has_sources {
            fill(&target, "other", &Plan { notes: Vec::new(), ..plan.clone() });
        }
        let old_rows = dump(&target, true, "");
        let import = import_copy(&target, &file).unwrap();
        prop_assert_eq!(import.left_out, Vec::<String>::new());
        prop_assert_eq!(dump(&target, true, "acme/"), dump(&origin, notes, "acme/"));
        let other = |rows: Vec<String>| -> Vec<String> {
            rows.into_iter().filter(|line| !line.contains("acme/")).collect()
        };
        let other_rows = other(dump(&target, true, ""));
        let file_rows = other(dump(&origin, notes, ""));
        prop_assert_eq!(other_rows.len(), old_rows.len() + file_rows.len());
        prop_assert!(old_rows.iter().all(|line| other_rows.contains(line)));
        target.read(|r| r.read_all_rows()).unwrap();
        prop_assert_eq!(target.read(|r| r.faults()).unwrap().count, 0);
    }
}

#[test]
fn imported_verdicts_stay_marked() {
    let folder = tempfile::tempdir().unwrap();
    let (origin, target) = (open(folder.path(), "here.db"), open(folder.path(), "there.db"));
    let plan = Plan { verdicts: vec![(1, 2, VerdictKind::Duplicate, false)], ..full_plan() };
    fill(&origin, "acme", &plan);
    let file = folder.path().join("file.db");
    origin.write_portable(&file, false).unwrap();
    import_copy(&target, &file).unwrap();
    let verdict =
        |store: &Store| store.read(|r| r.verdict("acme/app0#1", "acme/app0#2")).unwrap().unwrap();
    let is_imported =
        |store: &Store| store.read(|r| r.is_imported_verdict(&verdict(store))).unwrap();
    assert!(!is_imported(&origin) && is_imported(&target));
    let canonical = |only_own: bool| {
        let query = |r: &precedent_store::Reader<'_>| {
            if only_own { r.own_canonical("acme/app0#2") } else { r.canonical("acme/app0#2") }
        };
        target.write(|w| w.disconnect("acme/app0#2")).unwrap();
        target.read(query).unwrap().key
    };
    assert_eq!(
        (canonical(false).as_str(), canonical(true).as_str()),
        ("acme/app0#1", "acme/app0#2")
    );
    // Undoing the user's own verdict restores the imported one.
    target.write(|w| w.put_verdict(&verdict(&target))).unwrap();
    assert!(!is_imported(&target));
    target.write(|w| w.undo_verdict("acme/app0#1", "acme/app0#2", "ann", at(NOW))).unwrap();
    assert!(is_imported(&target));
}

#[test]
fn trust_covers_one_project_of_a_host() {
    let folder = tempfile::tempdir().unwrap();
    let (origin, target) = (open(folder.path(), "here.db"), open(folder.path(), "there.db"));
    fill(&origin, "acme", &Plan { sources: 2, ..full_plan() });
    fill(&target, "other", &Plan { sources: 1, notes: Vec::new(), ..full_plan() });
    let file = folder.path().join("file.db");
    origin.write_portable(&file, false).unwrap();
    import_copy(&target, &file).unwrap();
    let trusted_keys = || {
        let query = |r: &precedent_store::Reader<'_>| {
            let key = |s: precedent_store::SourceRow| {
                Ok(r.remote(s.id)?.unwrap().is_trusted.then_some(s.key))
            };
            r.sources()?.into_iter().filter_map(|s| key(s).transpose()).collect::<Result<Vec<_>>>()
        };
        target.read(query).unwrap()
    };
    assert_eq!(trusted_keys(), ["other/app0"]);
    target.write(|w| w.trust("https://git.acme.example/api/v3/", "acme/app1")).unwrap();
    assert_eq!(trusted_keys(), ["acme/app1", "other/app0"]);
}

fn full_plan() -> Plan {
    Plan {
        sources: 1,
        items: 6,
        comments: 8,
        verdicts: vec![
            (1, 2, VerdictKind::Duplicate, false),
            (1, 3, VerdictKind::Related, false),
            (4, 5, VerdictKind::NotDuplicate, true),
        ],
        closures: vec![(2, 1, ClosureStep::Closed)],
        notes: vec![false, true],
        check_vectors: Some(false),
        live: true,
    }
}

#[test]
fn no_invalid_cell_breaks_a_command() {
    test_mutated_files(0..120);
}

#[test]
#[ignore = "takes a minute; the first cases always run"]
fn no_invalid_cell_of_500_files_breaks_a_command() {
    test_mutated_files(120..620);
}

fn test_mutated_files(cases: std::ops::Range<u64>) {
    let folder = tempfile::tempdir().unwrap();
    let origin = open(folder.path(), "here.db");
    fill(&origin, "acme", &full_plan());
    let base = folder.path().join("base.db");
    origin.write_portable(&base, true).unwrap();
    let template = folder.path().join("mine.db");
    {
        let target = open(folder.path(), "mine.db");
        fill(&target, "other", &Plan { notes: Vec::new(), ..full_plan() });
    }
    let old_rows = dump(&open(folder.path(), "mine.db"), true, "");
    let (mut refused_count, mut repaired_count) = (0, 0);
    for case in cases {
        let mut rng = Rng::new(case);
        let case_folder = folder.path().join(case.to_string());
        std::fs::create_dir(&case_folder).unwrap();
        let file: PathBuf = case_folder.join("file.db");
        std::fs::copy(&base, &file).unwrap();
        let changes: Vec<String> = {
            let connection = Connection::open(&file).unwrap();
            connection.pragma_update(None, "foreign_keys", false).unwrap();
            connection.pragma_update(None, "ignore_check_constraints", rng.below(4) == 0).unwrap();
            (0..=case % 2).map(|_| mutate(&connection, &mut rng)).collect()
        };
        std::fs::copy(&template, case_folder.join("mine.db")).unwrap();
        let target = open(&case_folder, "mine.db");
        match import_copy(&target, &file) {
            Ok(import) => repaired_count += u64::from(!import.left_out.is_empty()),
            Err(error) => {
                assert!(
                    matches!(error.code(), Code::InvalidInput | Code::Corrupt),
                    "{case}: {changes:?}: {error:?}"
                );
                refused_count += 1;
                assert_eq!(dump(&target, true, ""), old_rows, "{case}: {changes:?}");
            }
        }
        target.read(|r| r.read_all_rows()).unwrap_or_else(|e| panic!("{case}: {changes:?}: {e:?}"));
        let faults = target.read(|r| r.faults()).unwrap();
        assert_eq!(faults.count, 0, "{case}: {changes:?}: {faults:?}");
        let new_rows = dump(&target, true, "");
        assert!(old_rows.iter().all(|line| new_rows.contains(line)), "{case}: {changes:?}");
        // A later note is not part of the import.
        let content = NoteContent { title: "Later", body: "Mine.", tags: &[] };
        let key = target.write(|w| w.add_note(NoteKind::Lesson, &content, at(NOW))).unwrap();
        let out = case_folder.join("out.db");
        target.write_portable(&out, false).unwrap_or_else(|e| panic!("{case}: {changes:?}: {e:?}"));
        let count: i64 = Connection::open(&out)
            .unwrap()
            .query_row(
                "SELECT count(*) FROM documents WHERE key = ?1 OR title = 'Later'",
                params![key],
                |r| r.get(0),
            )
            .unwrap();
        assert_eq!(count, 0, "{case}: {changes:?}: a private note was exported");
        drop(target);
        std::fs::remove_dir_all(&case_folder).unwrap();
    }
    assert!(refused_count > 0 && repaired_count > 0, "{refused_count}, {repaired_count}");
}

#[test]
fn invalid_rows_are_named_and_repaired() {
    for (cell, name) in [
        ("UPDATE documents SET created_at = 9000000000000000000 WHERE number = 1", "acme/app0#1"),
        ("UPDATE documents SET labels = '{' WHERE number = 2 AND kind = 'issue'", "acme/app0#2"),
        ("UPDATE documents SET comment_count = -1 WHERE number = 2", "acme/app0#2"),
        ("UPDATE documents SET title = CAST(x'ff' AS TEXT) WHERE number = 3", "acme/app0#3"),
        ("UPDATE streams SET watermark = 9000000000000000000", "the list items of acme/app0"),
        (
            "UPDATE comments SET created_at = -9000000000000000000 WHERE remote_id = '0'",
            "the comment 0 on acme/app0#1",
        ),
        (
            "UPDATE verdicts SET decided_at = 9000000000000000000",
            "the decision about acme/app0#1 and acme/app0#2",
        ),
        ("UPDATE documents SET labels = 'x' WHERE key = 'note#1'", "note#1"),
        ("UPDATE notes SET content_hash = x'00'", "note#1"),
        (
            "UPDATE sources SET added_at = 9000000000000000000 WHERE kind <> 'notes'",
            "the source acme/app0",
        ),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let store = open(folder.path(), "here.db");
        fill(&store, "acme", &full_plan());
        Connection::open(store.path()).unwrap().execute_batch(cell).unwrap();
        assert!(store.read(|r| r.read_all_rows()).is_err(), "{cell}");
        let faults = store.read(|r| r.faults()).unwrap();
        assert!(
            faults.first_faults.iter().any(|fault| fault.starts_with(name)),
            "{cell}: {faults:?}"
        );
        let ids = store.read(|r| r.document_ids()).unwrap();
        store.write(|w| w.repair_rows()).unwrap();
        store.read(|r| r.read_all_rows()).unwrap();
        assert_eq!(store.read(|r| r.faults()).unwrap().count, 0, "{cell}");
        assert_eq!(store.read(|r| r.document_ids()).unwrap(), ids, "{cell}: a document was lost");
        assert_eq!(
            store.read(|r| r.verdicts(None)).unwrap().len(),
            2,
            "{cell}: a decision was lost"
        );
    }
}

/// Returns whether a database file or its log contains a word.
fn contains(path: &Path, word: &str) -> bool {
    ["", "-wal"].iter().any(|suffix| {
        let bytes = std::fs::read(precedent_store::with_suffix(path, suffix)).unwrap_or_default();
        bytes.windows(word.len()).any(|window| window == word.as_bytes())
    })
}

#[test]
fn purge_erases_a_removed_source() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    for owner in ["zebracorp", "acme"] {
        fill(&store, owner, &full_plan());
        let records: Vec<_> = (100..500)
            .map(|n| {
                let text = format!("{owner} pays {n} for the secret of hunter{n}, says {owner}");
                document(Some(n), None, &text, format!("{text}, {n} times"))
            })
            .collect();
        store
            .write(|w| {
                w.train_dictionary(RawKind::Document, records.iter().map(|d| &d.raw))?;
                let source = w.source(&format!("{owner}/app0"))?.unwrap();
                let packer = w.raw_packer(RawKind::Document)?;
                let mut worker = packer.worker()?;
                for record in &records {
                    let _ = w.apply_document(
                        &source,
                        record,
                        &worker.pack(&record.raw)?,
                        DateEvidence::Sound,
                        at(NOW),
                    )?;
                }
                Ok(())
            })
            .unwrap();
    }
    let old_packer = store.read(|r| r.raw_packer(RawKind::Document)).unwrap();
    let mut old_worker = old_packer.worker().unwrap();
    assert!(contains(store.path(), "zebracorp"));
    store
        .write(|w| {
            let source = w.source("zebracorp/app0")?.unwrap();
            w.remove_source(&source)
        })
        .unwrap();
    Connection::open(store.path())
        .unwrap()
        .execute_batch(
            "DELETE FROM verdicts; DELETE FROM verdict_journal; DELETE FROM closures; DELETE FROM links;",
        )
        .unwrap();
    store.purge(&Task::new()).unwrap();
    let (file, copy) = (folder.path().join("file.db"), folder.path().join("copy.db"));
    store.write_portable(&file, true).unwrap();
    store.copy_to(&copy).unwrap();
    for path in [store.path(), &file, &copy] {
        assert!(!contains(path, "zebracorp"), "{}", path.display());
    }
    // Other records can still be unpacked, and one packed before the purge is recompressed.
    store.read(|r| r.read_all_rows()).unwrap();
    let number = |n: u64| format!("acme/app0#{n}");
    let id = store.read(|r| r.document_by_key(&number(200))).unwrap().unwrap().id;
    assert!(store.read(|r| r.document_raw(id)).unwrap().is_some());
    let late = document(Some(900), None, "acme late", "Late.".to_owned());
    let id = store
        .write(|w| {
            let source = w.source("acme/app0")?.unwrap();
            let payload = old_worker.pack(&late.raw)?;
            let repacked = w.repack(RawKind::Document, &payload, &late.raw)?;
            let _ = w.apply_document(
                &source,
                &late,
                repacked.as_ref().unwrap_or(&payload),
                DateEvidence::Sound,
                at(NOW),
            )?;
            Ok(w.document_by_key(&number(900))?.unwrap().id)
        })
        .unwrap();
    assert_eq!(store.read(|r| r.document_raw(id)).unwrap(), Some(late.raw.bytes));
}

#[test]
fn imported_records_use_the_local_dictionary() {
    let folder = tempfile::tempdir().unwrap();
    let (origin, target) = (open(folder.path(), "here.db"), open(folder.path(), "there.db"));
    for (store, owner) in [(&origin, "acme"), (&target, "other")] {
        let samples: Vec<Raw> =
            (0..400).map(|n| raw(&format!("{owner} says {n} of {owner} {n}"))).collect();
        store.write(|w| w.train_dictionary(RawKind::Document, samples.iter())).unwrap();
        assert!(store.read(|r| r.raw_packer(RawKind::Document)).unwrap().has_dictionary());
        fill(store, owner, &Plan { notes: Vec::new(), ..full_plan() });
    }
    let file = folder.path().join("file.db");
    origin.write_portable(&file, false).unwrap();
    assert_eq!(import_copy(&target, &file).unwrap().left_out, Vec::<String>::new());
    let raw = |store: &Store| {
        let row = store.read(|r| r.document_by_key("acme/app0#3")).unwrap().unwrap();
        store.read(|r| r.document_raw(row.id)).unwrap().unwrap()
    };
    assert_eq!(raw(&target), raw(&origin));
}

#[test]
fn removed_note_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    let long = "NOTECANARY private ".repeat(2000);
    let content = NoteContent { title: "NOTECANARY title", body: &long, tags: &[] };
    let key = store.write(|w| w.add_note(NoteKind::Lesson, &content, at(NOW))).unwrap();
    assert!(contains(store.path(), "NOTECANARY"));
    store
        .write(|w| {
            let note = w.note(&key)?.unwrap();
            w.remove_note(&note, at(NOW))
        })
        .unwrap();
    store.empty_log().unwrap();
    assert!(!contains(store.path(), "NOTECANARY"));
}

#[test]
fn decompression_bomb_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let origin = open(folder.path(), "here.db");
    fill(&origin, "acme", &Plan { items: 11, ..full_plan() });
    let file = folder.path().join("file.db");
    origin.write_portable(&file, false).unwrap();
    let bomb = zstd::encode_all(vec![b' '; 31 << 20].as_slice(), 3).unwrap();
    let mut encoder = zstd::bulk::Compressor::new(3).unwrap();
    let with_size = encoder.compress(&vec![b' '; 31 << 20]).unwrap();
    // Without a declared size, nothing is unpacked.
    for (data, is_refused) in [(with_size, true), (bomb, false)] {
        let path = folder.path().join("bomb.db");
        std::fs::copy(&file, &path).unwrap();
        Connection::open(&path)
            .unwrap()
            .execute("UPDATE document_raw SET data = ?1", [data])
            .unwrap();
        let target = Store::open(&folder.path().join(format!("{is_refused}.db"))).unwrap();
        match import_copy(&target, &path) {
            Err(error) => {
                assert!(is_refused && error.to_string().contains("times their size"), "{error}")
            }
            Ok(import) => {
                assert!(
                    !is_refused && import.left_out[0].contains("cannot be unpacked"),
                    "{import:?}"
                )
            }
        }
    }
}

#[test]
fn cancelled_import_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let (origin, target) = (open(folder.path(), "here.db"), open(folder.path(), "there.db"));
    fill(&origin, "acme", &full_plan());
    let file = folder.path().join("file.db");
    origin.write_portable(&file, false).unwrap();
    let copy = verify(&target, &file).unwrap();
    let task = Task::new();
    task.cancel();
    let error = target.import_copy(
        &copy,
        "x.casebook",
        at(NOW),
        |_| std::thread::sleep(std::time::Duration::from_millis(300)),
        &task,
    );
    assert_eq!(error.unwrap_err().code(), Code::Cancelled);
    assert_eq!(dump(&target, true, ""), Vec::<String>::new());
}

#[test]
fn query_never_waits_for_a_writer() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    let connection = Connection::open(store.path()).unwrap();
    connection.execute_batch("BEGIN IMMEDIATE").unwrap();
    let began = std::time::Instant::now();
    // Opening needs no lock that another process holds.
    let lock =
        std::fs::File::options().write(true).open(folder.path().join("here.db.lock")).unwrap();
    lock.lock().unwrap();
    let second = open(folder.path(), "here.db");
    second.read(|r| r.sources()).unwrap();
    let timeout = std::time::Duration::from_millis(100);
    assert_eq!(second.write_with_timeout(timeout, |_| Ok(())).unwrap_err().code(), Code::Busy);
    assert!(began.elapsed() < std::time::Duration::from_secs(2));
    connection.execute_batch("ROLLBACK").unwrap();
    second.write_with_timeout(timeout, |_| Ok(())).unwrap();
}

#[test]
fn last_import_is_undone() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    fill(&store, "acme", &full_plan());
    let old_rows = dump(&store, true, "");
    let import_items = |source: &str, numbers: std::ops::Range<u64>, import: Option<i64>| {
        let packer = store.read(|r| r.raw_packer(RawKind::Document)).unwrap();
        let mut worker = packer.worker().unwrap();
        store
            .write(|w| {
                import.into_iter().for_each(|import| w.set_journal(import));
                let source = w.add_source(source, "github", at(NOW))?;
                for number in numbers {
                    let mut record =
                        document(Some(number), None, "Other title", "Other body.".to_owned());
                    record.updated_at = Some(at(NOW - 100));
                    let _ = w.apply_document(
                        &source,
                        &record,
                        &worker.pack(&record.raw)?,
                        DateEvidence::Sound,
                        at(NOW),
                    )?;
                    let mut comment = comment(number, number);
                    comment.updated_at = at(NOW - 100);
                    comment.raw = raw(&format!("other {number}"));
                    let _ = w.apply_comment(
                        &source,
                        &comment,
                        &worker.pack(&comment.raw)?,
                        false,
                        DateEvidence::Sound,
                        at(NOW),
                    )?;
                }
                Ok(())
            })
            .unwrap();
    };
    let import = store.write(|w| w.begin_import("files/", at(NOW))).unwrap();
    import_items("acme/app0", 5..9, Some(import));
    import_items("venv/lib", 1..3, Some(import));
    assert_ne!(dump(&store, true, ""), old_rows);
    let undone = store.write(|w| w.undo_import()).unwrap().unwrap();
    assert_eq!((undone.sources, undone.paths.as_str()), (vec!["venv/lib".to_owned()], "files/"));
    let without_streams = |rows: Vec<String>| -> Vec<String> {
        rows.into_iter()
            .filter(|line| !line.contains("\"items\")") && !line.contains("Text(\"items\")"))
            .collect()
    };
    let without_times = |rows: Vec<String>| -> Vec<String> {
        // The time at which the source last received a record is not part of the import.
        without_streams(rows).into_iter().filter(|line| !line.contains("\"github\"")).collect()
    };
    assert_eq!(without_times(dump(&store, true, "")), without_times(old_rows));
    assert_eq!(store.write(|w| w.undo_import()).unwrap(), None);
    // Rows that changed since the import stay.
    let import = store.write(|w| w.begin_import("files/", at(NOW))).unwrap();
    import_items("acme/app0", 20..21, Some(import));
    store
        .write(|w| {
            let source = w.source("acme/app0")?.unwrap();
            let record = document(Some(20), None, "Synced since", "By the tracker.".to_owned());
            let record =
                precedent_core::model::DocumentRecord { updated_at: Some(at(NOW)), ..record };
            let payload = w.raw_packer(RawKind::Document)?.worker()?.pack(&record.raw)?;
            w.apply_document(&source, &record, &payload, DateEvidence::Sound, at(NOW))
        })
        .unwrap();
    let undone = store.write(|w| w.undo_import()).unwrap().unwrap();
    assert_eq!((undone.kept, undone.documents, undone.comments), (1, 0, 1));
    assert_eq!(
        store.read(|r| r.document_by_key("acme/app0#20")).unwrap().unwrap().title,
        "Synced since"
    );
}

#[test]
fn undone_import_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    fill(&store, "acme", &full_plan());
    let import = store.write(|w| w.begin_import("files/", at(NOW))).unwrap();
    // The import adds an item with a link, and a comment on an item that it does not change.
    let (document, comment) =
        (document(Some(9), None, "New", "Duplicate.".to_owned()), comment(1, 99));
    store
        .write(|w| {
            w.set_journal(import);
            let source = w.source("acme/app0")?.unwrap();
            let raw = w.raw_packer(RawKind::Document)?.worker()?.pack(&document.raw)?;
            w.apply_document(&source, &document, &raw, DateEvidence::Sound, at(NOW))?;
            let raw = w.raw_packer(RawKind::Comment)?.worker()?.pack(&comment.raw)?;
            w.apply_comment(&source, &comment, &raw, false, DateEvidence::Sound, at(NOW))?;
            w.add_tracker_link("acme/app0#9", "acme/app0#1", "duplicate_of")
        })
        .unwrap();
    let revision = store.read(|r| r.revision()).unwrap();
    let undone = store.write(|w| w.undo_import()).unwrap().unwrap();
    assert_eq!((undone.documents, undone.comments), (1, 1));
    store
        .read(|r| {
            let item = r.document_by_key("acme/app0#1")?.unwrap();
            assert!(item.revision > revision, "the indexes keep the removed comment");
            assert!(r.links("acme/app0#9")?.is_empty());
            assert_eq!(r.stream_names(item.source_id)?, Vec::<String>::new());
            Ok(())
        })
        .unwrap();
}

#[test]
fn moved_comment_changes_both_items() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    fill(&store, "acme", &full_plan());
    let revision = store.read(|r| r.revision()).unwrap();
    let moved = CommentRecord { raw: raw("moved"), ..comment(5, 1) };
    store
        .write(|w| {
            let source = w.source("acme/app0")?.unwrap();
            let raw = w.raw_packer(RawKind::Comment)?.worker()?.pack(&moved.raw)?;
            w.apply_comment(&source, &moved, &raw, false, DateEvidence::Sound, at(NOW))
        })
        .unwrap();
    let changes = store.read(|r| r.changed_documents(revision)).unwrap();
    let numbers = store.read(|r| r.numbers(&[changes[0].id, changes[1].id])).unwrap();
    assert_eq!((changes.len(), numbers), (2, vec![Some(2), Some(5)]));
}

#[test]
fn touched_documents_have_several_revisions() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    fill(&store, "acme", &Plan { items: 1_100, ..full_plan() });
    let revision = store.read(|r| r.revision()).unwrap();
    store.write(|w| w.touch_documents(Some(1))).unwrap();
    let changes = store.read(|r| r.changed_documents(revision)).unwrap();
    assert_eq!(changes.len(), 1_101);
    assert_eq!(changes[1_100].revision, store.read(|r| r.revision()).unwrap());
    assert!(changes.chunk_by(|a, b| a.revision == b.revision).all(|step| step.len() <= 500));
}

#[test]
fn removed_notes_never_block_an_import() {
    for (own_notes, file_notes, next_key) in
        [(vec![true], vec![], "note#2"), (vec![false], vec![true], "note#2")]
    {
        let folder = tempfile::tempdir().unwrap();
        let (origin, target) = (open(folder.path(), "here.db"), open(folder.path(), "there.db"));
        fill(&origin, "acme", &Plan { notes: file_notes, ..full_plan() });
        fill(&target, "other", &Plan { notes: own_notes, ..full_plan() });
        let file = folder.path().join("file.db");
        origin.write_portable(&file, true).unwrap();
        import_copy(&target, &file).unwrap();
        let content = NoteContent { title: "Mine", body: "Later.", tags: &[] };
        let key = target.write(|w| w.add_note(NoteKind::Lesson, &content, at(NOW))).unwrap();
        assert_eq!(key, next_key);
    }
}

#[test]
fn page_key_ignores_case() {
    let folder = tempfile::tempdir().unwrap();
    let store = open(folder.path(), "here.db");
    fill(&store, "acme", &Plan { sources: 2, ..full_plan() });
    for (text, key) in [
        ("acme/app1:Home", Some("acme/app1:Home")),
        ("ACME/app1:home", Some("acme/app1:Home")),
        ("acme/app1:Ho", None),
        ("other/app:Home", None),
        ("Home", None),
    ] {
        let row = store.read(|r| r.document_by_key(text)).unwrap();
        assert_eq!(row.map(|row| row.key).as_deref(), key, "{text}");
    }
}

#[test]
fn undoing_a_casebook_import_keeps_local_work() {
    let folder = tempfile::tempdir().unwrap();
    let (origin, target) = (open(folder.path(), "here.db"), open(folder.path(), "there.db"));
    fill(&origin, "acme", &Plan { sources: 2, ..full_plan() });
    let verdict = Verdict {
        first: "acme/app0#1".to_owned(),
        second: "acme/app1#1".to_owned(),
        kind: VerdictKind::Related,
        canonical: None,
        reason: None,
        actor: "ann".to_owned(),
        decided_at: at(NOW - 40_000),
    };
    origin.write(|w| w.put_verdict(&verdict)).unwrap();
    fill(&target, "other", &Plan { notes: Vec::new(), ..full_plan() });
    let old_rows = dump(&target, true, "");
    let file = folder.path().join("file.db");
    origin.write_portable(&file, true).unwrap();
    import_copy(&target, &file).unwrap();
    let content = NoteContent { title: "Mine", body: "Later.", tags: &[] };
    let key = target.write(|w| w.add_note(NoteKind::Lesson, &content, at(NOW))).unwrap();
    let undone = target.write(|w| w.undo_import()).unwrap().unwrap();
    assert_eq!(undone.sources, ["acme/app0", "acme/app1"]);
    let notes: Vec<String> =
        target.read(|r| r.notes(None)).unwrap().into_iter().map(|n| n.document.key).collect();
    assert_eq!(notes, [key]);
    let rows: Vec<String> =
        dump(&target, false, "").into_iter().filter(|line| !line.contains("note#")).collect();
    assert_eq!(rows, old_rows);
    target.read(|r| r.read_all_rows()).unwrap();
}
