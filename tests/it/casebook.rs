//! Tests of the casebook through its public interface, with a fixed clock.

use std::sync::Arc;

use precedent_core::{
    Code, Task,
    model::{Arm, LogRequest, Mode, NoticeKind, Part, SearchRequest, State},
};
use precedent_engine::Casebook;

use crate::support::{TestEnv, comment, issue, json_lines, with_fields};

async fn keys(casebook: &Casebook, query: &str) -> Vec<String> {
    let request = SearchRequest { query: query.to_owned(), ..Default::default() };
    casebook.search(request, &Task::new()).await.unwrap().hits.into_iter().map(|h| h.key).collect()
}

fn sample_records() -> Vec<serde_json::Value> {
    vec![
        issue(1, "Replication slot grows", "The pump stops and the disk fills."),
        with_fields(
            issue(2, "Slot grows again", "Replication stalls, disk full"),
            serde_json::json!({"state": "closed", "state_reason": "completed", "labels": [{"name": "Bug"}],
                "closed_at": "2026-03-01T00:00:00Z", "updated_at": "2026-03-01T00:00:00Z", "user": {"login": "Linus"}}),
        ),
        with_fields(
            issue(3, "Fix the slot", "Closes #2"),
            serde_json::json!({"state": "closed", "pull_request": {"merged_at": "2026-02-01T00:00:00Z"},
                "updated_at": "2026-02-01T00:00:00Z"}),
        ),
        issue(4, "Console login loops", "Unrelated words entirely; see the pump of version 2.3.1"),
        comment(50, 1, "A workaround: restart the heartbeat emitter of the replication slot"),
        comment(51, 2, "Duplicate of #1"),
        comment(52, 99, "its issue comes later"),
    ]
}

#[tokio::test]
async fn typed_filter_is_completed() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    for (filter, prefix, expected) in
        [("label", "bu", "bug"), ("author", "lin", "linus"), ("version", "v2.3", "2.3.1")]
    {
        let values = casebook.completions(filter.to_owned(), prefix.to_owned()).await.unwrap();
        assert_eq!(
            values.iter().map(|v| v.to_lowercase()).collect::<Vec<_>>(),
            [expected],
            "{filter}"
        );
    }
    assert!(casebook.completions("label".to_owned(), "zebra".to_owned()).await.unwrap().is_empty());
}

#[tokio::test]
async fn pasted_log_is_analyzed() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    let text = "2026-03-02 08:00:11 INFO started\n2026-03-02 08:00:12 ERROR the replication slot is gone\n";
    let request = LogRequest { text: text.to_owned(), ..LogRequest::default() };
    let response = casebook.read_logs(request, &Task::new()).await.unwrap();
    assert_eq!((response.lines, response.distinct), (2, 1));
}

#[tokio::test]
async fn filters_apply_to_both_arms() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    for mode in ["lexical", "semantic", "hybrid"] {
        for (filter, expected) in [
            ("is:closed", &["acme/app#2", "acme/app#3"][..]),
            ("is:merged", &["acme/app#3"]),
            ("is:open is:issue", &["acme/app#1"]),
            ("is:pr", &["acme/app#3"]),
            ("label:bug", &["acme/app#2"]),
            ("-label:bug is:issue", &["acme/app#1"]),
            ("author:linus", &["acme/app#2"]),
            ("-version:2.3.1 is:open", &["acme/app#1"]),
            ("updated:>2026-02-15", &["acme/app#2"]),
            ("closed:2026-03", &["acme/app#2"]),
            ("source:ACME/app is:closed is:issue", &["acme/app#2"]),
        ] {
            let mut found_keys =
                keys(&casebook, &format!("replication slot {filter} mode:{mode}")).await;
            found_keys.retain(|k| k != "acme/app#4");
            found_keys.sort();
            assert_eq!(found_keys, expected, "{filter} {mode}");
        }
    }
}

#[tokio::test]
async fn phrases_and_exclusions_apply_to_semantic_matches() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    assert_eq!(keys(&casebook, "\"slot grows\" -again").await, ["acme/app#1"]);
    assert_eq!(keys(&casebook, "slot in:title -replication").await, ["acme/app#3"]);
    assert_eq!(keys(&casebook, "\"heartbeat emitter\"").await, ["acme/app#1"]);
}

#[tokio::test]
async fn every_filter_phrase_and_exclusion_is_met() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    for mode in ["lexical", "semantic", "hybrid"] {
        for query in [
            "slot is:open is:closed",
            "slot is:issue is:pr",
            "slot author:linus author:ada",
            "slot \"slot never grows\"",
            "heartbeat \"restart the emitter\"",
            "replication -slot",
            "slot -slot",
        ] {
            let found_keys = keys(&casebook, &format!("{query} mode:{mode}")).await;
            assert!(found_keys.is_empty(), "{query} {mode}: {found_keys:?}");
        }
        // An exclusion never adds matches.
        let all_keys = keys(&casebook, &format!("replication slot mode:{mode}")).await;
        for word in ["again", "pump", "heartbeat", "x86", "unheard-of"] {
            let remaining_keys =
                keys(&casebook, &format!("replication slot -{word} mode:{mode}")).await;
            assert!(
                remaining_keys.iter().all(|key| all_keys.contains(key)),
                "{word} {mode}: {remaining_keys:?} of {all_keys:?}"
            );
        }
    }
    let request = SearchRequest { query: "replication -slot".into(), ..Default::default() };
    let notices = casebook.search(request, &Task::new()).await.unwrap().notices;
    assert!(
        notices.iter().any(|n| n.hint.text.contains("No item matches all filters")),
        "{notices:?}"
    );
}

#[tokio::test]
async fn hit_opens_at_the_matching_comment() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    let request = SearchRequest {
        query: "heartbeat emitter workaround".into(),
        explain: true,
        ..Default::default()
    };
    let reply = casebook.search(request, &Task::new()).await.unwrap();
    let hit = &reply.hits[0];
    assert_eq!(hit.key, "acme/app#1");
    let passage = &hit.passages[0];
    assert_eq!((passage.part, passage.anchor.as_str()), (Part::Comment, "comment-50"));
    let marked_texts: Vec<&str> =
        passage.spans.iter().filter(|s| s.hit).map(|s| s.text.as_str()).collect();
    assert_eq!(marked_texts, ["workaround", "heartbeat", "emitter"]);
    assert!(hit.why.contains("comment"), "{}", hit.why);
    let trace = hit.trace.as_ref().unwrap();
    let sum: f32 = trace.iter().map(|c| c.adds).sum();
    assert!((sum - hit.scores.fused).abs() < 1e-6);
    assert!(
        trace.iter().any(|c| c.arm == Arm::Lexical) && trace.iter().any(|c| c.arm == Arm::Semantic)
    );
}

#[tokio::test]
async fn listing_without_words_is_paged() {
    let env = TestEnv::new();
    let records: Vec<_> =
        (1..=25).map(|n| issue(n, &format!("Report {n}"), "It happened again.")).collect();
    let casebook = env.load(&records).await;
    let page = async |query: &str, offset| {
        let request =
            SearchRequest { query: query.into(), limit: 10, offset, ..Default::default() };
        casebook.search(request, &Task::new()).await
    };
    let mut keys = Vec::new();
    for offset in [0, 10, 20, 30] {
        let reply = page("is:issue", offset).await.unwrap();
        assert_eq!(reply.total, Some(25));
        keys.extend(reply.hits.into_iter().map(|hit| hit.key));
    }
    assert_eq!(keys.len(), 25);
    keys.sort();
    keys.dedup();
    assert_eq!(keys.len(), 25, "a document is on two pages");
    // With `titles`, the list has the same hits without passages.
    let titles =
        SearchRequest { query: "is:issue".into(), limit: 25, titles: true, ..Default::default() };
    let hits = casebook.search(titles, &Task::new()).await.unwrap().hits;
    assert!(hits.iter().all(|hit| hit.passages.is_empty() && !hit.title.is_empty()));
    assert_eq!(hits.len(), 25);
    // Ranked results have no further pages.
    assert_eq!(page("happened", 0).await.unwrap().total, None);
    assert_eq!(page("happened", 10).await.unwrap_err().code(), Code::InvalidInput);
}

#[tokio::test]
async fn shared_signature_is_a_separate_arm() {
    let env = TestEnv::new();
    let mut records = sample_records();
    records.push(issue(
        7,
        "It died",
        "```\nthread 'main' panicked at 'no slot left in ring 12', src/ring.rs:9\n```",
    ));
    let casebook = env.load(&records).await;
    let request = SearchRequest {
        query:
            "thread 'w7' panicked at 'no slot left in ring 999', src/ring.rs:77\nnote: run with a backtrace"
                .into(),
        ..Default::default()
    };
    let reply = casebook.search(request, &Task::new()).await.unwrap();
    assert_eq!(reply.hits[0].key, "acme/app#7");
    assert!(reply.arms.contains(&Arm::Signature));
    assert!(reply.hits[0].why.contains("One of the errors"), "{}", reply.hits[0].why);
}

#[tokio::test]
async fn key_or_number_names_the_document() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    let page = "https://tracker.example/acme/app/issues/4";
    let bracketed_url = format!("<{page}>.");
    let without_scheme = "tracker.example/acme/app/issues/4";
    for query in [
        "acme/app#4",
        "ACME/APP#4",
        "#4",
        "4",
        "GH-4",
        "see acme/app#4",
        page,
        &bracketed_url,
        without_scheme,
    ] {
        assert_eq!(keys(&casebook, query).await[0], "acme/app#4", "{query}");
    }
    assert_eq!(keys(&casebook, "").await[0], "acme/app#2");
    assert_eq!(keys(&casebook, "is:open").await.len(), 2);
    for sign in ["*", "'", "--", "\\"] {
        assert_eq!(keys(&casebook, sign).await, [""; 0], "{sign}");
    }
}

#[tokio::test]
async fn unknown_key_finds_only_its_references() {
    let env = TestEnv::new();
    let records =
        [issue(1, "Upload stops", "As in #77."), issue(2, "Number 77 is cut", "acme/app, 78")];
    let casebook = env.load(&records).await;
    for (query, expected_keys) in [
        ("#77", &["acme/app#1"][..]),
        ("acme/app#77", &["acme/app#1"]),
        ("acme/app#78", &[]),
        ("#78", &[]),
    ] {
        let request = SearchRequest { query: query.into(), ..Default::default() };
        let reply = casebook.search(request, &Task::new()).await.unwrap();
        let found_keys: Vec<&str> = reply.hits.iter().map(|hit| hit.key.as_str()).collect();
        assert_eq!(found_keys, expected_keys, "{query}");
        assert!(
            reply.notices.iter().any(|n| n.lack == NoticeKind::Item && n.hint.text.contains(query)),
            "{query}"
        );
    }
    // Next to other words, a key is an ordinary search term.
    assert!(keys(&casebook, "upload acme/app#78").await.contains(&"acme/app#1".to_owned()));
    // A bare number may also match text.
    assert_eq!(keys(&casebook, "78").await, ["acme/app#2"]);
}

#[tokio::test]
async fn canonical_report_is_read_from_closing_comments() {
    let env = TestEnv::new();
    let close_as = |number, reason| {
        let changes = serde_json::json!({"state": "closed", "state_reason": reason, "closed_at": "2026-01-09T10:00:00Z"});
        with_fields(issue(number, "Agent stops over night", "It stops."), changes)
    };
    let comment_at = |number: u64, time: &str, body: &str| {
        with_fields(
            comment(number * 10 + time.len() as u64, number, body),
            serde_json::json!({"created_at": time}),
        )
    };
    let at_closure = "2026-01-09T09:59:58Z";
    let casebook = env
        .load(&[
            issue(1, "Agent stops at midnight", "It stops."),
            close_as(2, "duplicate"),
            comment_at(2, at_closure, "Same cause as #1, closing."),
            close_as(3, "duplicate"),
            comment_at(3, at_closure, "This is #1 or #2, I think."),
            close_as(4, "completed"),
            comment_at(4, at_closure, "Solved with #1."),
            close_as(5, "duplicate"),
            comment_at(5, "2026-01-02T10:00:00Z", "Does #1 look alike?"),
            close_as(6, "duplicate"),
            comment_at(6, at_closure, "As #1. Duplicate of #2"),
        ])
        .await;
    let mut duplicate_links = Vec::new();
    for number in 2..=6 {
        let links = casebook.thread(&number.to_string()).await.unwrap().links;
        let links_out = links.into_iter().filter(|l| l.outgoing && l.kind == "duplicate_of");
        duplicate_links.push(links_out.map(|l| l.key).collect::<Vec<_>>().join(" "));
    }
    assert_eq!(duplicate_links, ["acme/app#1", "", "", "", "acme/app#2"]);
}

#[tokio::test]
async fn thread_is_complete_and_states_gaps() {
    let env = TestEnv::new();
    let mut records = sample_records();
    records[0] = with_fields(
        records[0].clone(),
        serde_json::json!({"comments": 4, "body": "<script>x</script>\n\n**bold**"}),
    );
    let casebook = env.load(&records).await;
    let thread = casebook.thread("acme/app#1").await.unwrap();
    assert_eq!((thread.comments.len(), thread.missing_comments), (1, 3));
    assert!(thread.html.contains("<strong>bold</strong>") && !thread.html.contains("script"));
    assert_eq!(thread.links[0].kind, "duplicate_of");
    assert_eq!((thread.links[0].outgoing, thread.links[0].key.as_str()), (false, "acme/app#2"));
    let second_thread = casebook.thread("2").await.unwrap();
    assert!(
        second_thread
            .links
            .iter()
            .any(|l| l.kind == "closes" && !l.outgoing && l.state == Some(State::Merged))
    );
    // A closing reference is also a mention, but makes only one link.
    let mut link_keys: Vec<&str> = second_thread.links.iter().map(|l| l.key.as_str()).collect();
    let count = link_keys.len();
    link_keys.sort_unstable();
    link_keys.dedup();
    assert_eq!(link_keys.len(), count, "{:?}", second_thread.links);
    let error = casebook.thread("acme/app#77").await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
    // A comment that arrives before its item is found once the item is stored.
    let path = env.file("late.jsonl", json_lines(&[issue(99, "late", "")]));
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    assert_eq!(casebook.thread("acme/app#99").await.unwrap().comments.len(), 1);
}

#[tokio::test]
async fn only_newer_records_replace_others() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    let newer = with_fields(
        issue(4, "Console login loops behind a proxy", "zanzibar"),
        serde_json::json!({"updated_at": "2026-05-01T00:00:00Z"}),
    );
    let path = env.file("new.jsonl", json_lines(&[newer, comment(50, 1, "reworded: xylophone")]));
    let report = casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    assert_eq!((report.updated, report.new), (2, 0));
    let index = casebook.update_index(&Task::new()).await.unwrap();
    assert_eq!(index.documents, 2);
    assert_eq!(keys(&casebook, "zanzibar").await[0], "acme/app#4");
    assert_eq!(keys(&casebook, "xylophone mode:lexical").await, ["acme/app#1"]);
    assert!(keys(&casebook, "heartbeat mode:lexical").await.is_empty());

    let report = casebook
        .import_github(
            "acme/app",
            &env.file("old.jsonl", json_lines(&sample_records())),
            &Task::new(),
        )
        .await
        .unwrap();
    assert_eq!(report.stale, 1);
    assert!(casebook.thread("acme/app#4").await.unwrap().title.contains("proxy"));
}

#[tokio::test]
async fn removed_source_is_no_longer_found() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    let path = env.file(
        "other.jsonl",
        json_lines(&[issue(1, "Replication slot of another product", "slot")]),
    );
    casebook.import_github("other/tool", &path, &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
    let error = casebook.thread("1").await.unwrap_err();
    assert!(error.hint().unwrap().text.contains("other/tool#1"), "{:?}", error.hint());
    casebook.remove_source("acme/app", &Task::new()).await.unwrap();
    assert_eq!(keys(&casebook, "replication slot").await, ["other/tool#1"]);
    let status = casebook.status().await.unwrap();
    assert_eq!((status.coverage.documents, status.coverage.full_text), (1, 1));
    assert_eq!(status.coverage.chunks, status.coverage.embedded);
    assert_eq!(
        casebook.remove_source("acme/app", &Task::new()).await.unwrap_err().code(),
        Code::NotFound
    );
}

#[tokio::test]
async fn template_text_is_ignored() {
    let env = TestEnv::new();
    let mut records = Vec::new();
    for n in 1..=80 {
        let body = format!(
            "### What happened\nwidget{n} broke\n### Version\n3.{n}.0\n- [x] I searched the existing issues\n"
        );
        records.push(issue(n, &format!("Report {n}"), &body));
    }
    let casebook = env.load(&records).await;
    assert!(keys(&casebook, "\"searched the existing\" mode:lexical").await.is_empty());
    assert_eq!(keys(&casebook, "widget33 mode:lexical").await, ["acme/app#33"]);
}

#[tokio::test]
async fn cancelled_job_resumes_later() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let records: Vec<_> =
        (1..=3000).map(|n| issue(n, &format!("title {n}"), "some body")).collect();
    let path = env.file("in.jsonl", json_lines(&records));
    let task = Task::new();
    task.cancel();
    let error = casebook.import_github("acme/app", &path, &task).await.unwrap_err();
    assert_eq!(error.code(), Code::Cancelled);
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    let shared_task = Arc::new(std::sync::Mutex::new(None::<Task>));
    let handle = Arc::clone(&shared_task);
    let task = Task::with_listener(move |p| {
        if p.phase == precedent_core::task::Phase::Embed
            && let Some(task) = &*handle.lock().unwrap()
        {
            task.cancel();
        }
    });
    *shared_task.lock().unwrap() = Some(task.clone());
    assert_eq!(casebook.update_index(&task).await.unwrap_err().code(), Code::Cancelled);
    // Full-text search works, and embedding resumes.
    assert!(!keys(&casebook, "title 77").await.is_empty());
    casebook.update_index(&Task::new()).await.unwrap();
    let coverage = casebook.status().await.unwrap().coverage;
    assert_eq!((coverage.documents, coverage.full_text), (3000, 3000));
    assert_eq!(coverage.chunks, coverage.embedded);
}

#[tokio::test]
async fn quantized_search_agrees_with_exact_search() {
    // With this many vectors, quantized codes are used.
    use precedent_index::{
        embed::Engine,
        vectors::{EXACT_CHUNKS, PlannedChunk, Vectors},
    };
    let env = TestEnv::new();
    let info = Engine::Hashed.info().unwrap();
    let vectors = Vectors::open(&env.path("vectors"), &info).unwrap();
    let mut rng = crate::support::Random(5);
    let n = EXACT_CHUNKS as i64 + 4000;
    // The vectors form clusters, like those of real texts.
    let mut random = |scale: f32| -> Vec<f32> {
        (0..info.dimensions).map(|_| (rng.below(2001) as f32 - 1000.0) / 1000.0 * scale).collect()
    };
    let centers: Vec<Vec<f32>> = (0..200).map(|_| random(1.0)).collect();
    let normalize = |v: Vec<f32>| {
        let length = v.iter().map(|x| x * x).sum::<f32>().sqrt();
        v.into_iter().map(|x| x / length).collect::<Vec<f32>>()
    };
    let mut vector_near = |c: usize| {
        let noise = random(0.8);
        normalize(centers[c].iter().zip(noise).map(|(a, b)| a + b).collect())
    };
    for batch in (0..n).collect::<Vec<_>>().chunks(4000) {
        let plans: Vec<_> = batch
            .iter()
            .map(|d| {
                (
                    d + 1,
                    1 + d % 3,
                    vec![PlannedChunk { part: 0, ordinal: 0, hash: [0; 16], priority: 0 }],
                )
            })
            .collect();
        vectors.plan(&plans, None).unwrap();
        let chunks = vectors.pending_chunks(batch.len()).unwrap();
        let embeddings: Vec<_> = chunks
            .into_iter()
            .map(|p| {
                let v = vector_near((p.document % 200) as usize);
                (p, v)
            })
            .collect();
        vectors.put(&embeddings).unwrap();
    }
    let (mut common, mut total) = (0, 0);
    for c in 0..40 {
        let query = vector_near(c * 5);
        for filter in [None, Some((0..n as usize).filter(|d| d % 4 == 0).collect())] {
            let approximate = vectors.search(&query, filter.as_ref(), 10).unwrap();
            let exact = vectors.search_exact(&query, filter.as_ref(), 10).unwrap();
            total += exact.len();
            common +=
                exact.iter().filter(|e| approximate.iter().any(|f| f.chunk == e.chunk)).count();
            if let Some(filter) = &filter {
                assert!(approximate.iter().all(|f| filter.contains(f.document as usize)));
            }
        }
    }
    assert_eq!(total, 800);
    assert!(common * 100 >= total * 99, "recall@10 is {common} of {total}");
}

#[tokio::test]
async fn mode_selects_the_arms() {
    let env = TestEnv::new();
    let casebook = env.load(&sample_records()).await;
    for (mode, expected) in [
        (Mode::Lexical, vec![Arm::Lexical]),
        (Mode::Semantic, vec![Arm::Semantic]),
        (Mode::Hybrid, vec![Arm::Lexical, Arm::Semantic]),
    ] {
        let request =
            SearchRequest { query: "slot".into(), mode: Some(mode), ..Default::default() };
        assert_eq!(casebook.search(request, &Task::new()).await.unwrap().arms, expected);
    }
}
