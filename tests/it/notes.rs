//! Tests of notes through the public interface. Vectors are hashed words, so a cosine is the share of
//! common words.

use precedent_core::{
    Code, Task,
    model::{
        Lifecycle, NoteAnswer, NoteChange, NoteDraft, NoteKind, NoteOutcome, Recommendation,
        SearchRequest,
    },
};
use precedent_engine::Casebook;
use precedent_index::embed::Engine;

use crate::support::{TestEnv, issue};

async fn open_with(env: &TestEnv, engine: Engine) -> Casebook {
    let mut options = env.options();
    options.engine = Some(engine);
    Casebook::open(options).await.unwrap()
}

/// Forty distinct words.
const LONG_TEXT: &str = "amber birch cedar delta ember fjord grove heath inlet jetty knoll larch marsh north ocean prism \
                    quartz ridge slate thorn umbra vale willow xenon yarrow zephyr anchor basin cliff dune estuary \
                    forest glacier harbor island jungle kelp lagoon meadow needle";

/// Returns [`LONG_TEXT`] with its last `n` words replaced.
fn with_changed_words(n: usize) -> String {
    let replacements =
        ["orchid", "pebble", "quarry", "river", "summit", "tundra", "upland", "valley"];
    let mut words: Vec<&str> = LONG_TEXT.split_whitespace().collect();
    let start = words.len() - n;
    words[start..].copy_from_slice(&replacements[..n]);
    words.join(" ")
}

fn draft(kind: NoteKind, title: &str, body: &str) -> NoteDraft {
    NoteDraft {
        kind,
        title: title.into(),
        body: body.into(),
        tags: vec![],
        attach: vec![],
        force: false,
    }
}

async fn add(casebook: &Casebook, draft: NoteDraft) -> NoteAnswer {
    casebook.add_note(draft, &Task::new()).await.unwrap()
}

async fn count(casebook: &Casebook) -> usize {
    casebook.notes(None).await.unwrap().len()
}

#[tokio::test]
async fn unique_note_is_stored() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let answer = add(&casebook, draft(NoteKind::Lesson, "Slots", "Restart the heartbeat.")).await;
    assert_eq!((answer.outcome, answer.note.key.as_str()), (NoteOutcome::Stored, "note#1"));
    assert!(answer.matches.is_empty() && answer.warning.is_none());
    let answer =
        add(&casebook, draft(NoteKind::Lesson, "Colours", "Blue on black is unreadable.")).await;
    assert_eq!((answer.outcome, count(&casebook).await), (NoteOutcome::Stored, 2));
}

#[tokio::test]
async fn exact_duplicate_note_is_blocked() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    add(&casebook, draft(NoteKind::Lesson, "Slots", "Restart the heartbeat.")).await;
    let second =
        add(&casebook, draft(NoteKind::Lesson, " Slots ", "Restart  the\nheartbeat.")).await;
    assert_eq!((second.outcome, second.note.key.as_str()), (NoteOutcome::Duplicate, "note#1"));
    let duplicate = &second.matches[0];
    assert_eq!(
        (duplicate.id.as_str(), duplicate.title.as_str(), duplicate.similarity),
        ("note#1", "Slots", 1.0)
    );
    assert_eq!((duplicate.lifecycle, duplicate.exact), (Lifecycle::Active, true));
    assert_eq!(count(&casebook).await, 1);
}

#[tokio::test]
async fn nearly_identical_note_is_blocked() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    add(&casebook, draft(NoteKind::Lesson, "Forest", LONG_TEXT)).await;
    let second = add(&casebook, draft(NoteKind::Lesson, "Forest", &with_changed_words(1))).await;
    assert_eq!(second.outcome, NoteOutcome::Duplicate, "{:?}", second.matches);
    assert!(second.matches[0].similarity >= 0.95 && !second.matches[0].exact);
    assert_eq!(count(&casebook).await, 1);
}

#[tokio::test]
async fn near_duplicate_note_is_connected_once() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    add(&casebook, draft(NoteKind::Lesson, "Forest", LONG_TEXT)).await;
    let similar = add(&casebook, draft(NoteKind::Lesson, "Forest", &with_changed_words(6))).await;
    assert_eq!(similar.outcome, NoteOutcome::Connected, "{:?}", similar.matches);
    assert!((0.90..0.95).contains(&similar.matches[0].similarity), "{:?}", similar.matches);
    assert_eq!(similar.note.connected, ["note#1"]);
    assert_eq!(casebook.note("1").await.unwrap().connected, ["note#2"]);
    // Repeated requests create one link, not two.
    let change = NoteChange { attach: vec!["note#2".into()], ..Default::default() };
    let first = casebook.edit_note("note#1", change, &Task::new()).await.unwrap();
    assert_eq!(first.connected, ["note#2"]);
}

#[tokio::test]
async fn duplicate_of_a_forced_note_is_blocked() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let note = draft(NoteKind::Lesson, "Slots", "Restart the heartbeat.");
    add(&casebook, note.clone()).await;
    let forced_note = add(&casebook, NoteDraft { force: true, ..note.clone() }).await;
    assert_eq!(
        (forced_note.outcome, forced_note.note.connected),
        (NoteOutcome::Connected, vec!["note#1".to_owned()])
    );
    let third = add(&casebook, note).await;
    assert_eq!((third.outcome, third.note.key.as_str()), (NoteOutcome::Duplicate, "note#1"));
    assert_eq!((third.matches.len(), count(&casebook).await), (2, 2));
}

#[tokio::test]
async fn notes_match_only_their_own_kind() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    for kind in NoteKind::ALL {
        let response = add(&casebook, draft(kind, "Slots", "Restart the heartbeat.")).await;
        assert_eq!(
            (response.outcome, response.matches.len()),
            (NoteOutcome::Stored, 0),
            "{kind:?}"
        );
    }
    for kind in NoteKind::ALL {
        let second_outcome =
            add(&casebook, draft(kind, "Slots", "Restart the heartbeat.")).await.outcome;
        let is_blocked = kind.is_checked();
        assert_eq!(second_outcome == NoteOutcome::Duplicate, is_blocked, "{kind:?}");
    }
}

#[tokio::test]
async fn similarity_check_stores_nothing() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    add(&casebook, draft(NoteKind::Curiosity, "Forest", LONG_TEXT)).await;
    for (body, recommendation, matches) in [
        (with_changed_words(0), Recommendation::DuplicateFound, 1),
        (with_changed_words(6), Recommendation::SimilarFound, 1),
        // This text has fewer common words.
        (with_changed_words(8), Recommendation::SimilarFound, 1),
        ("Something else altogether.".to_owned(), Recommendation::Unique, 0),
    ] {
        let similar = casebook.similar_notes(NoteKind::Curiosity, "Forest", &body).await.unwrap();
        assert_eq!(
            (similar.recommendation, similar.matches.len()),
            (recommendation, matches),
            "{body}"
        );
    }
    let response = casebook.similar_notes(NoteKind::Lesson, "Forest", LONG_TEXT).await.unwrap();
    assert_eq!(response.recommendation, Recommendation::Unique);
    assert_eq!(count(&casebook).await, 1);
}

#[tokio::test]
async fn numbers_and_negations_distinguish_notes() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    add(&casebook, draft(NoteKind::Lesson, "Forest", &format!("{LONG_TEXT} 8080"))).await;
    let similar =
        add(&casebook, draft(NoteKind::Lesson, "Forest", &format!("{LONG_TEXT} 8081"))).await;
    assert_eq!(similar.outcome, NoteOutcome::Connected, "{:?}", similar.matches);
    assert_eq!(similar.matches[0].differs, ["8080", "8081"]);
}

#[tokio::test]
async fn missing_fields_are_errors() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    for (title, body) in [("", "text"), ("  ", "text"), ("title", ""), ("title", "\n")] {
        let error = casebook
            .add_note(draft(NoteKind::Lesson, title, body), &Task::new())
            .await
            .unwrap_err();
        assert_eq!(error.code(), Code::InvalidInput);
    }
    let attach = vec!["acme/app#1".to_owned()];
    let unattachable = NoteDraft { attach, ..draft(NoteKind::Lesson, "title", "text") };
    assert_eq!(
        casebook.add_note(unattachable, &Task::new()).await.unwrap_err().code(),
        Code::NotFound
    );
    assert_eq!(count(&casebook).await, 0);
    let run = env.run(&["note", "add", "--title", "x"]);
    run.assert_error(2, &["--body"]);
    assert_eq!(env.run(&["note", "add", "-t", "x", "-b", "y", "-k", "poem"]).code, Some(2));
}

#[tokio::test]
async fn failed_similarity_check_stores_with_a_warning() {
    let env = TestEnv::new();
    let casebook = open_with(&env, Engine::Off).await;
    let answer = add(&casebook, draft(NoteKind::Lesson, "Slots", "Restart the heartbeat.")).await;
    assert_eq!(answer.outcome, NoteOutcome::Stored);
    assert!(answer.warning.unwrap().contains("exact wording"));
    // Without vectors, words are compared.
    let second = add(&casebook, draft(NoteKind::Lesson, "Slots", "Restart the heartbeat.")).await;
    assert_eq!((second.outcome, count(&casebook).await), (NoteOutcome::Duplicate, 1));
    // With a model, notes without a vector are also compared.
    drop(casebook);
    let casebook = env.open().await;
    add(&casebook, draft(NoteKind::Lesson, "Forest", LONG_TEXT)).await;
    let similar =
        casebook.similar_notes(NoteKind::Lesson, "Slots", "Restart the heartbeat!").await.unwrap();
    assert!(similar.warning.is_none());
    assert_eq!(similar.matches.first().map(|m| m.id.as_str()), Some("note#1"), "{similar:?}");
}

#[tokio::test]
async fn notes_are_searchable_but_never_duplicates() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let path =
        env.file("in.jsonl", issue(1, "Replication slot grows", "The disk fills.").to_string());
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
    let note_draft = NoteDraft {
        attach: vec!["acme/app#1".into()],
        tags: vec!["disk".into(), " disk ".into()],
        ..draft(NoteKind::Lesson, "Replication slot grows", "Restart the heartbeat.")
    };
    let note = add(&casebook, note_draft).await.note;
    assert_eq!(
        (note.tags, note.connected),
        (vec!["disk".to_owned()], vec!["acme/app#1".to_owned()])
    );
    let keys = |query: &str| {
        let request = SearchRequest { query: query.into(), ..Default::default() };
        let casebook = casebook.clone();
        async move {
            let response = casebook.search(request, &Task::new()).await.unwrap();
            response.hits.into_iter().map(|h| h.key).collect::<Vec<_>>()
        }
    };
    assert_eq!(keys("heartbeat").await, ["note#1"]);
    assert_eq!(keys("is:note slot").await, ["note#1"]);
    assert_eq!(keys("label:lesson slot").await, ["note#1"]);
    assert_eq!(keys("mode:semantic is:note replication slot").await, ["note#1"]);
    assert_eq!(keys("is:issue slot").await, ["acme/app#1"]);
    // The item links to its note, a number names the item, and notes are not a source.
    assert_eq!(casebook.thread("acme/app#1").await.unwrap().links[0].key, "note#1");
    assert_eq!(casebook.thread("1").await.unwrap().key, "acme/app#1");
    assert_eq!(casebook.sources().await.unwrap().len(), 1);
    let request = precedent_core::model::DuplicatesRequest {
        key: Some("acme/app#1".into()),
        ..Default::default()
    };
    assert!(casebook.duplicates(request, &Task::new()).await.unwrap().candidates.is_empty());
}

#[tokio::test]
async fn bare_number_in_note_belongs_to_its_source() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let lines =
        [issue(1, "Replication slot grows", "The disk fills."), issue(2, "Slot is gone", "Again.")];
    let path = env.file("in.jsonl", lines.map(|line| line.to_string()).join("\n"));
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    let mut note = draft(NoteKind::Lesson, "Slots", "Restart the heartbeat, see #2.");
    note.attach = vec!["acme/app#1".into()];
    add(&casebook, note).await;
    casebook.update_index(&Task::new()).await.unwrap();
    let links = casebook.thread("note#1").await.unwrap().links;
    let links: Vec<(&str, &str)> =
        links.iter().map(|l| (l.kind.as_str(), l.key.as_str())).collect();
    assert_eq!(links, [("relates_to", "acme/app#1"), ("mentions", "acme/app#2")]);
}

#[tokio::test]
async fn removed_note_keeps_its_number() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    add(&casebook, draft(NoteKind::Lesson, "Slots", "Restart the heartbeat.")).await;
    let change = NoteChange {
        body: Some("Restart the pump.".into()),
        lifecycle: Some(Lifecycle::Archived),
        ..Default::default()
    };
    let note = casebook.edit_note("1", change, &Task::new()).await.unwrap();
    assert_eq!((note.title.as_str(), note.body.as_str()), ("Slots", "Restart the pump."));
    let search = |query: &'static str| {
        let casebook = casebook.clone();
        async move {
            let request = SearchRequest { query: query.into(), ..Default::default() };
            casebook.search(request, &Task::new()).await.unwrap().hits.len()
        }
    };
    assert_eq!((search("mode:lexical heartbeat").await, search("mode:lexical pump").await), (0, 1));
    // An archived note blocks an identical one.
    let second = add(&casebook, draft(NoteKind::Lesson, "Slots", "Restart the pump.")).await;
    assert_eq!(second.matches[0].lifecycle, Lifecycle::Archived);
    casebook.remove_note("note#1", &Task::new()).await.unwrap();
    assert_eq!((search("mode:lexical pump").await, count(&casebook).await), (0, 0));
    assert_eq!(casebook.note("1").await.unwrap_err().code(), Code::NotFound);
    let next = add(&casebook, draft(NoteKind::Lesson, "Slots", "Restart the pump.")).await;
    assert_eq!((next.outcome, next.note.key.as_str()), (NoteOutcome::Stored, "note#2"));
}

#[tokio::test]
async fn names_distinguish_notes() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let title = |customer: &str| format!("Customer {customer} Harbour keeps 4.1: {LONG_TEXT}");
    add(&casebook, draft(NoteKind::Lesson, &title("Blue"), "They may not update before June."))
        .await;
    let red_draft = draft(NoteKind::Lesson, &title("Red"), "They may not update before June.");
    let answer = add(&casebook, red_draft).await;
    assert_eq!(answer.outcome, NoteOutcome::Connected, "{answer:?}");
    assert_eq!(answer.matches[0].differs, ["Red", "Blue"]);
}

#[test]
fn multiline_title_prints_as_one_line() {
    let env = TestEnv::new();
    env.ok(&["note", "add", "-t", "two\nlines", "-b", "b"]);
    env.ok(&["note", "add", "-t", "other", "-b", "c"]);
    env.ok(&["note", "edit", "2", "-t", "again\n two"]);
    let out = env.ok(&["note", "list"]).out;
    assert!(
        out.lines().count() == 2 && out.contains("two lines") && out.contains("again two"),
        "{out}"
    );
}

#[test]
fn note_commands_print_the_outcome() {
    let env = TestEnv::new();
    let add = [
        "note",
        "add",
        "--title",
        "Slots fill the disk",
        "--body",
        "Restart the heartbeat.",
        "--tag",
        "disk",
    ];
    let outputs: Vec<String> = [
        &["note", "list"][..],
        &add,
        &add,
        &["note", "list"],
        &["note", "show", "1"],
        &["note", "check-similar", "-t", "Slots fill the disk", "-b", "Restart the heartbeat."],
        &["note", "edit", "1"],
        &["note", "remove", "1"],
        &["note", "remove", "1", "--yes"],
        &["note", "show", "note#1"],
    ]
    .iter()
    .map(|args| {
        let run = env.run(args);
        let masked_text = regex::Regex::new(r"20\d\d-\d\d-\d\d")
            .unwrap()
            .replace_all(&run.snapshot_text(&env), "[DAY]")
            .into_owned();
        format!("$ precedent {}\n{masked_text}", args.join(" "))
    })
    .collect();
    insta::assert_snapshot!("notes", outputs.join("\n"));
    let json = env.json(&[&add[..], &["--json"]].concat());
    for field in ["outcome", "note", "matches", "warning"] {
        assert!(json.get(field).is_some(), "{field}");
    }
}
