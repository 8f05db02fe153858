//! Tests of duplicate candidates, limits, states and verdicts through the public interface.

use precedent_core::{
    Code, Task,
    model::{
        Band, Disposition, DuplicatesRequest, DuplicatesResponse, IndexReport, NoticeKind,
        ProblemsRequest, SearchRequest, TriageRequest, TriageResponse, TroubleshootRequest,
        TroubleshootSettings, VerdictKind,
    },
};
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::embed::Engine;
use serde_json::{Value, json};

use crate::support::{TestEnv, close, comment, issue, json_lines, misleading_triple, with_fields};

async fn import(
    casebook: &Casebook,
    env: &TestEnv,
    source: &str,
    records: &[Value],
) -> IndexReport {
    let path = env.file(&format!("{}.jsonl", source.replace('/', "-")), json_lines(records));
    casebook.import_github(source, &path, &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap()
}

/// Returns a report created on this day of January 2026.
fn report(number: u64, day: u32, title: &str, body: &str) -> Value {
    let time = format!("2026-01-{day:02}T09:00:00Z");
    with_fields(issue(number, title, body), json!({"created_at": time, "updated_at": time}))
}

fn backlog() -> Vec<Value> {
    vec![
        report(
            1,
            1,
            "Agent hangs after reloading its configuration",
            "The agent reads no queue after SIGHUP.",
        ),
        report(2, 2, "Console shows times in the wrong zone", "All columns are two hours off."),
        close(
            report(
                3,
                3,
                "Upload fails with FW-1043",
                "Uploading a large bundle ends with FW-1043.",
            ),
            "completed",
        ),
        report(4, 4, "Dark theme has unreadable links", "Blue on black in the sidebar."),
        report(
            5,
            10,
            "Agent hangs after configuration reload",
            "After SIGHUP the agent reads no queue any more.",
        ),
        report(6, 11, "Large upload ends with error FW-1043", "FW-1043 when uploading a bundle."),
        report(7, 12, "Please add a Finnish translation", "Suomi puuttuu."),
    ]
}

async fn load_backlog(env: &TestEnv) -> Casebook {
    let casebook = env.open().await;
    import(&casebook, env, "acme/app", &backlog()).await;
    casebook
}

fn request_for(key: &str) -> DuplicatesRequest {
    DuplicatesRequest { key: Some(key.to_owned()), ..Default::default() }
}

async fn find(casebook: &Casebook, request: DuplicatesRequest) -> DuplicatesResponse {
    casebook.duplicates(request, &Task::new()).await.unwrap()
}

/// Returns a feature value of a candidate from an explained response.
fn value_of(reply: &DuplicatesResponse, key: &str, feature: &str) -> f32 {
    let candidate = reply.candidates.iter().find(|c| c.key == key).unwrap();
    candidate.trace.as_ref().unwrap().iter().find(|e| e.feature == feature).unwrap().value
}

fn keys(reply: &DuplicatesResponse) -> Vec<&str> {
    reply.candidates.iter().map(|c| c.key.as_str()).collect()
}

#[tokio::test]
async fn reworded_report_ranks_first_with_reasons() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let reply = find(&casebook, request_for("acme/app#5")).await;
    assert_eq!(keys(&reply).first(), Some(&"acme/app#1"));
    let best = &reply.candidates[0];
    let s = best.similarity;
    for value in [s.title, s.body, s.semantic.unwrap(), s.combined, best.confidence] {
        assert!((0.0..=1.0).contains(&value), "{s:?}");
    }
    assert!(s.combined >= s.semantic.unwrap());
    assert_eq!(
        (best.band, best.disposition.clone()),
        (Band::new(best.confidence, best.worth), Disposition::Open)
    );
    assert!(best.reasons.iter().any(|r| r.contains("titles share")), "{:?}", best.reasons);
    // Later reports are not candidates: they may be duplicates of this one.
    assert!(!keys(&find(&casebook, request_for("acme/app#1")).await).contains(&"acme/app#5"));
}

#[tokio::test]
async fn smaller_number_breaks_creation_time_ties() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let copy = |number| {
        report(number, 1, "Agent hangs after a reload", "The agent reads no queue after SIGHUP.")
    };
    // The storage order differs from the creation order.
    let records =
        [copy(8), copy(7), report(3, 1, "Please add a Finnish translation", "Suomi puuttuu.")];
    import(&casebook, &env, "acme/app", &records).await;
    let table = "id,title,body,created\n\
                 5,Agent hangs after a reload,The agent reads no queue after SIGHUP.,\n\
                 4,Agent hangs after a reload,The agent reads no queue after SIGHUP.,\n";
    let path = env.file("table.csv", table);
    casebook.import_github("acme/table", &path, &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
    for (key, earlier_key) in
        [("acme/app#8", Some("acme/app#7")), ("acme/table#5", Some("acme/table#4"))]
    {
        let reply = find(&casebook, request_for(key)).await;
        assert_eq!((keys(&reply).first().copied(), reply.band), (earlier_key, Band::High), "{key}");
    }
    for key in ["acme/app#7", "acme/table#4"] {
        assert!(find(&casebook, request_for(key)).await.candidates.is_empty(), "{key}");
    }
    let problems = casebook.problems(ProblemsRequest::default(), &Task::new()).await.unwrap();
    let heads: Vec<&str> = problems.problems.iter().map(|c| c.head.key.as_str()).collect();
    assert_eq!(heads, ["acme/app#7", "acme/table#4"]);
}

#[tokio::test]
async fn copy_ranks_first_and_confidence_never_increases() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let copy = DuplicatesRequest {
        title: "Agent hangs after reloading its configuration".into(),
        body: "The agent reads no queue after SIGHUP.".into(),
        threshold: 0.0,
        include_closed: true,
        ..Default::default()
    };
    let reply = find(&casebook, copy).await;
    assert_eq!((keys(&reply)[0], reply.band), ("acme/app#1", Band::High));
    assert_eq!(reply.candidates[0].reasons, ["identical text"]);
    assert!(reply.candidates.windows(2).all(|w| w[0].confidence >= w[1].confidence));
}

/// Returns short reports, two reports with the same text but different titles, and `extra_reports`.
fn repeated_text(extra_reports: &[Value]) -> Vec<Value> {
    const TEXT: &str = "The daily sales report is configured for seven and arrives at eight since Sunday. It was fine until the clocks \
        were changed. We restarted the service and saved the schedule again, and nothing changed. Other mails come in time. \
        The server stands in Warsaw, its clock is right, and the log names the hour that we want. Only what is planned by the \
        calendar of the department is late; what a person starts by hand runs at once and ends after four minutes.";
    let mut records: Vec<Value> =
        (1..=20).map(|n| report(n, 1, &format!("Valve {n} leaks"), "It drips.")).collect();
    records.push(report(21, 3, "Scheduled reports are an hour late after summer time", TEXT));
    records.push(report(22, 5, "Problem found by our customer", TEXT));
    records.extend_from_slice(extra_reports);
    records
}

#[tokio::test]
async fn identical_text_with_another_title_is_likely_duplicate() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    import(&casebook, &env, "acme/app", &repeated_text(&[])).await;
    let reply = find(&casebook, request_for("acme/app#22")).await;
    assert_eq!(keys(&reply)[0], "acme/app#21");
    assert!(reply.candidates[0].confidence >= 0.75, "{:?}", reply.candidates[0]);
    assert!(reply.candidates[0].reasons.iter().any(|r| r.contains("nearly identical text")));
}

#[tokio::test]
async fn common_text_is_no_evidence() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let text = repeated_text(&[])[20]["body"].as_str().unwrap().to_owned();
    let other_reports: Vec<Value> =
        (23..=30).map(|n| report(n, 6, &format!("Nozzle number {n} is blocked"), &text)).collect();
    import(&casebook, &env, "acme/app", &repeated_text(&other_reports)).await;
    let reply = find(&casebook, request_for("acme/app#22")).await;
    assert!(
        reply
            .candidates
            .iter()
            .all(|c| !c.reasons.iter().any(|r| r.contains("nearly identical text")))
    );
}

#[tokio::test]
async fn templated_reports_are_not_duplicates() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let body =
        "Please look into it: the upload test was started by hand and stopped at its second step.";
    let report_on =
        |number, system: &str| report(number, 1, &format!("Upload test on {system} fails"), body);
    let mut records: Vec<Value> =
        vec![report_on(1, "Android"), report_on(2, "iOS"), report_on(3, "Mobile Web")];
    records.push(report(
        4,
        1,
        "Upload test on Windows fails",
        "It says: no such device. It has to be plugged in.",
    ));
    import(&casebook, &env, "acme/app", &records).await;
    let draft = |title: &str| DuplicatesRequest {
        title: title.into(),
        body: body.into(),
        threshold: 0.0,
        ..Default::default()
    };
    let reply = find(&casebook, draft("Upload test on (Windows) fails")).await;
    for (key, system) in
        [("acme/app#1", "Android"), ("acme/app#2", "iOS"), ("acme/app#3", "Mobile Web")]
    {
        let candidate = reply.candidates.iter().find(|c| c.key == key).unwrap();
        assert!(candidate.confidence <= 0.05, "{key}: {}", candidate.confidence);
        let reason = format!("same template: “Windows” here, “{system}” there");
        assert_eq!(candidate.reasons[0], reason);
    }
    // The same text under an equivalent title is a copy.
    let reply = find(&casebook, draft("Upload test on iOS fails")).await;
    assert_eq!((keys(&reply)[0], reply.band), ("acme/app#2", Band::High));
}

#[tokio::test]
async fn draft_has_candidates_and_no_key() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let draft = DuplicatesRequest {
        title: "agent hangs after reload of configuration".into(),
        body: "It reads no queue after SIGHUP.".into(),
        ..Default::default()
    };
    let reply = find(&casebook, draft.clone()).await;
    assert!(
        keys(&reply)[..2].contains(&"acme/app#1") && keys(&reply)[..2].contains(&"acme/app#5"),
        "{reply:?}"
    );
    assert_eq!(reply.key, None);
    let body_only = DuplicatesRequest { title: String::new(), ..draft };
    assert!(!find(&casebook, body_only).await.candidates.is_empty());
}

#[tokio::test]
async fn closed_candidates_are_optional_and_have_an_outcome() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    assert!(!keys(&find(&casebook, request_for("acme/app#6")).await).contains(&"acme/app#3"));
    let full_reply =
        find(&casebook, DuplicatesRequest { include_closed: true, ..request_for("acme/app#6") })
            .await;
    // The response reports the number of closed candidates that were left out.
    let closed_notices = |reply: &DuplicatesResponse| {
        reply
            .notices
            .iter()
            .filter(|n| n.lack == NoticeKind::Closed)
            .map(|n| n.hint.text.clone())
            .collect::<Vec<_>>()
    };
    let open_reply = find(&casebook, request_for("acme/app#6")).await;
    let draft_reply =
        find(&casebook, DuplicatesRequest { title: "x y".into(), ..Default::default() }).await;
    for reply in [&open_reply, &draft_reply] {
        let texts = closed_notices(reply);
        assert!(texts.len() == 1 && texts[0].contains("closed"), "{texts:?}");
    }
    assert!(closed_notices(&full_reply).is_empty(), "{:?}", full_reply.notices);
    let best = &full_reply.candidates[0];
    assert_eq!((best.key.as_str(), &best.disposition), ("acme/app#3", &Disposition::Completed));
    assert_eq!(best.state_reason.as_deref(), Some("completed"));
    // The error code is named once, without its parts.
    let reasons: Vec<&String> =
        best.reasons.iter().filter(|r| r.contains("FW") || r.contains("1043")).collect();
    assert_eq!(reasons, ["same error code: FW-1043"], "{:?}", best.reasons);
}

#[tokio::test]
async fn only_comments_before_the_report_are_evidence() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    // A word counts as rare only among many reports.
    let other_reports: Vec<Value> =
        (100..450).map(|n| report(n, 1, "Something else", "Another matter.")).collect();
    import(&casebook, &env, "acme/app", &other_reports).await;
    let words = "It stops with a red triangle.";
    import(
        &casebook,
        &env,
        "acme/app",
        &[
            report(1, 1, "Archive does not open", words),
            report(2, 1, "Archive does not open", words),
            with_fields(
                comment(10, 1, "Seen with a truncated footer and a zeppelin."),
                json!({"created_at": "2026-01-03T00:00:00Z"}),
            ),
            with_fields(
                comment(11, 2, "Seen with a truncated footer and a zeppelin."),
                json!({"created_at": "2026-01-25T00:00:00Z"}),
            ),
            report(3, 20, "Archive with truncated footer does not open", "A zeppelin is shown."),
            report(4, 21, "Nothing to do with it: zeppelin, footer, truncated", "Other words."),
        ],
    )
    .await;
    let request = DuplicatesRequest { explain: true, threshold: 0.0, ..request_for("acme/app#3") };
    let reply = find(&casebook, request).await;
    let value = |key: &str, feature: &str| value_of(&reply, key, feature);
    assert!(value("acme/app#1", "new_comment_terms") > 0.2, "{reply:?}");
    assert!(
        value("acme/app#1", "comments") > 0.0
            && value("acme/app#1", "inactive_time") < value("acme/app#2", "inactive_time")
    );
    assert_eq!(
        (value("acme/app#2", "new_comment_terms"), value("acme/app#2", "comments")),
        (0.0, 0.0)
    );
    for cosine in ["comment_text_cosine", "comment_title_cosine"] {
        assert!(value("acme/app#1", cosine) > 0.1, "{cosine} {reply:?}");
        assert_eq!(value("acme/app#2", cosine), 0.0, "{cosine}");
    }
    assert_eq!(keys(&reply)[0], "acme/app#1", "its comment has the words of the report");
    let reason =
        reply.candidates[0].reasons.iter().find(|r| r.contains("comments mention")).unwrap();
    assert!(reason.contains("“truncated”") && reason.contains("“footer”"), "{reason}");
}

#[tokio::test]
async fn failure_and_message_are_one_reason() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let log = |file: &str| {
        format!(
            "Reading {file} ends with:\n```\nthread 'main' panicked at 'footer has no seal', src/{file}.rs:7\n```"
        )
    };
    import(
        &casebook,
        &env,
        "acme/app",
        &[
            report(1, 1, "Crash on import", &log("old")),
            report(2, 2, "Import crashes", &log("new")),
        ],
    )
    .await;
    let reply =
        find(&casebook, DuplicatesRequest { threshold: 0.0, ..request_for("acme/app#2") }).await;
    let reasons: Vec<_> =
        reply.candidates[0].reasons.iter().filter(|r| r.contains("footer has no seal")).collect();
    assert_eq!(
        reasons,
        ["same failure: thread 'main' panicked at 'footer has no seal', src/new.rs:7"]
    );
}

#[tokio::test]
async fn rare_title_word_and_author_are_evidence() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let with_author = |record: Value, login: &str| {
        with_fields(record, json!({"user": {"login": login, "type": "User"}}))
    };
    let body = "It stops with a red triangle as soon as an archive is chosen.";
    let bot = json!({"user": {"login": "relay", "type": "Bot"}});
    import(
        &casebook,
        &env,
        "acme/app",
        &[
            with_author(report(1, 1, "Archive does not open on the tablet", body), "ada"),
            with_author(report(2, 1, "Archive does not open on the phone", body), "grace"),
            with_author(
                report(3, 1, "Archive does not open", &format!("{body} On the phone as well.")),
                "ada",
            ),
            with_fields(report(4, 1, "Archive on the phone", body), bot.clone()),
            with_author(
                report(5, 20, "Archive does not open on the phone", &format!("{body} Twice.")),
                "ada",
            ),
            with_fields(report(6, 21, "Archive does not open on the phone", body), bot),
        ],
    )
    .await;
    let request =
        |key: &str| DuplicatesRequest { explain: true, threshold: 0.0, ..request_for(key) };
    let reply = find(&casebook, request("acme/app#5")).await;
    let value = |key: &str, feature: &str| value_of(&reply, key, feature);
    // The first title mentions the tablet; the third report mentions the phone in its text.
    let titles = ["acme/app#1", "acme/app#2", "acme/app#3"].map(|key| value(key, "same_title"));
    assert_eq!(titles, [0.0, 1.0, 1.0]);
    let authors = ["acme/app#1", "acme/app#2", "acme/app#3", "acme/app#4"]
        .map(|key| value(key, "same_author"));
    assert_eq!(authors, [1.0, 0.0, 1.0, 0.0]);
    let candidate = |key: &str| reply.candidates.iter().find(|c| c.key == key).unwrap();
    assert!(candidate("acme/app#3").reasons.join(" ").contains("same reporter"));
    assert!(candidate("acme/app#2").confidence >= candidate("acme/app#3").confidence);
    // The same login in another source may be another person.
    import(
        &casebook,
        &env,
        "other/app",
        &[with_author(report(7, 1, "Archive does not open on the phone", body), "ada")],
    )
    .await;
    let reply =
        find(&casebook, DuplicatesRequest { everywhere: true, ..request("acme/app#5") }).await;
    let authors = ["acme/app#3", "other/app#7"].map(|key| value_of(&reply, key, "same_author"));
    assert_eq!(authors, [1.0, 0.0]);
    // A bot as a shared author is no evidence.
    let reply = find(&casebook, request("acme/app#6")).await;
    assert_eq!(value_of(&reply, "acme/app#4", "same_author"), 0.0);
}

#[tokio::test]
async fn shared_account_is_not_author_evidence() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let report_by = |n: u64, login: &str| {
        let record = report(
            n,
            1 + u32::try_from(n / 4).unwrap(),
            &format!("Pump {n} stops"),
            "The pump stops at night.",
        );
        with_fields(record, json!({"user": {"login": login, "type": "User"}}))
    };
    // One account files every second report, and one person files two.
    let nth_report = |n| {
        if n % 2 == 0 {
            report_by(n, "Desk")
        } else {
            report_by(n, if n < 4 { "ada" } else { "grace" })
        }
    };
    let records: Vec<Value> = (0..60).map(|n| nth_report(n + 2)).collect();
    import(&casebook, &env, "acme/app", &records).await;
    let request = |key: &str| DuplicatesRequest {
        explain: true,
        threshold: 0.0,
        max_candidates: 60,
        ..request_for(key)
    };
    let count_with_same_author = |reply: &DuplicatesResponse| {
        reply.candidates.iter().filter(|c| value_of(reply, &c.key, "same_author") > 0.0).count()
    };
    assert_eq!(count_with_same_author(&find(&casebook, request("acme/app#60")).await), 0);
    import(&casebook, &env, "acme/app", &[report_by(90, "ada"), report_by(91, "ada")]).await;
    assert!(count_with_same_author(&find(&casebook, request("acme/app#91")).await) > 0);
}

#[tokio::test]
async fn line_common_to_all_failures_is_no_reason() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let failure_report = |number, day, code: &str| {
        let body = format!(
            "It says:\n\n```\n{code}error: aborting due to previous error\n```\n\nNo idea {number}."
        );
        report(number, day, &format!("The build of part {number} fails"), &body)
    };
    let mut records: Vec<Value> =
        (1..=12).map(|n| close(failure_report(n, 1, ""), "completed")).collect();
    records.extend([
        failure_report(20, 2, "FW-2077: no footer\n"),
        failure_report(21, 3, "FW-2077: no footer\n"),
    ]);
    import(&casebook, &env, "acme/app", &records).await;
    let reply = find(
        &casebook,
        DuplicatesRequest { threshold: 0.0, include_closed: true, ..request_for("acme/app#21") },
    )
    .await;
    assert!(reply.candidates.len() > 5);
    for candidate in &reply.candidates {
        let reasons = candidate.reasons.join("; ");
        assert!(!reasons.contains("aborting due"), "{}: {reasons}", candidate.key);
        assert_eq!(
            reasons.contains("same error code: FW-2077"),
            candidate.key == "acme/app#20",
            "{reasons}"
        );
    }
    // Nor does it turn failed builds into solved cases.
    let log = "error: aborting due to previous error";
    let reply = casebook
        .troubleshoot(
            TroubleshootRequest {
                text: format!("Sidebar is too narrow\n\n{log}"),
                settings: TroubleshootSettings {
                    similarity_threshold: Some(1.0),
                    ..Default::default()
                },
                ..Default::default()
            },
            &Task::new(),
        )
        .await
        .unwrap();
    assert!(reply.cases.iter().all(|c| !c.same_signature), "{:?}", reply.cases);
}

#[tokio::test]
async fn code_in_comments_counts_as_comment_evidence() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let code = "```\nfooter_checksum(archive) failed: FW-2077\n```";
    import(
        &casebook,
        &env,
        "acme/app",
        &[
            report(1, 1, "Archive does not open", "It stops with a red triangle."),
            report(
                2,
                1,
                "Archive does not open",
                &format!("It stops with a red triangle.\n\n{code}"),
            ),
            with_fields(comment(10, 1, code), json!({"created_at": "2026-01-25T00:00:00Z"})),
            report(3, 20, "Archive does not open any more", code),
        ],
    )
    .await;
    let request = DuplicatesRequest { explain: true, threshold: 0.0, ..request_for("acme/app#3") };
    let reply = find(&casebook, request).await;
    let value = |key: &str, feature: &str| value_of(&reply, key, feature);
    for feature in ["code_words", "signatures"] {
        assert!(value("acme/app#2", feature) > 0.5, "{feature}: {reply:?}");
        assert!(value("acme/app#1", feature) == 0.0, "{feature} of a later comment: {reply:?}");
    }
    assert!(value("acme/app#1", "length") < value("acme/app#2", "length"));

    let search = |query: &str| {
        let request = SearchRequest { query: query.to_owned(), ..Default::default() };
        let casebook = &casebook;
        async move {
            let reply = casebook.search(request, &Task::new()).await.unwrap();
            let mut keys: Vec<String> = reply.hits.into_iter().map(|h| h.key).collect();
            keys.sort();
            keys
        }
    };
    assert_eq!(search("footer_checksum in:comments mode:lexical").await, ["acme/app#1"]);
    assert_eq!(
        search("footer_checksum in:body mode:lexical").await,
        ["acme/app#2", "acme/app#3"],
        "code in comments does not match"
    );
    assert_eq!(search("FW-2077 mode:lexical").await, ["acme/app#1", "acme/app#2", "acme/app#3"]);
    // Field filters apply to semantic matches and signatures as well.
    assert_eq!(search("FW-2077 in:comments").await, ["acme/app#1"]);
    assert_eq!(search("FW-2077 in:title").await, [""; 0]);
}

#[tokio::test]
async fn threshold_and_candidate_limit_are_respected() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let request =
        DuplicatesRequest { threshold: 0.0, include_closed: true, ..request_for("acme/app#6") };
    let full_list = find(&casebook, request.clone()).await;
    assert!(full_list.candidates.len() > 2);
    let single_reply =
        find(&casebook, DuplicatesRequest { max_candidates: 1, ..request.clone() }).await;
    assert_eq!(keys(&single_reply), keys(&full_list)[..1]);
    let strict_reply =
        find(&casebook, DuplicatesRequest { threshold: 0.5, ..request.clone() }).await;
    assert!(strict_reply.candidates.iter().all(|c| c.similarity.combined >= 0.5));
    assert!(strict_reply.candidates.len() < full_list.candidates.len());
    for invalid_request in [
        DuplicatesRequest { threshold: 1.5, ..request.clone() },
        DuplicatesRequest { threshold: f32::NAN, ..request.clone() },
        DuplicatesRequest { max_candidates: 0, ..request.clone() },
        DuplicatesRequest { max_candidates: 1000, ..request.clone() },
        DuplicatesRequest { key: None, ..request.clone() },
    ] {
        let error = casebook.duplicates(invalid_request, &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidInput);
        assert!(error.hint().is_some(), "{error}");
    }
}

#[tokio::test]
async fn unrelated_report_is_recorded_as_checked() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    assert_eq!(casebook.last_check("acme/app#7").await.unwrap(), None);
    let reply = find(&casebook, request_for("acme/app#7")).await;
    assert_eq!(reply.band, Band::None);
    let check = casebook.last_check("acme/app#7").await.unwrap().unwrap();
    assert_eq!((check.band, check.checked_at.as_second()), (Band::None, 1_780_000_000));
}

#[tokio::test]
async fn rejected_pair_survives_reimport_and_reindexing() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let verdict = casebook
        .record_verdict(
            "acme/app#5",
            "acme/app#1",
            VerdictKind::NotDuplicate,
            Some("another cause"),
            "ann",
        )
        .await
        .unwrap();
    assert_eq!((verdict.first.as_str(), verdict.second.as_str()), ("acme/app#1", "acme/app#5"));
    let assert_rejected = async |casebook: &Casebook| {
        let reply = find(casebook, request_for("acme/app#5")).await;
        assert!(!keys(&reply).contains(&"acme/app#1"), "{:?}", keys(&reply));
        assert_eq!(reply.rejected, ["acme/app#1"]);
    };
    assert_rejected(&casebook).await;
    let mut records = backlog();
    records[0] = with_fields(
        records[0].clone(),
        json!({"body": "Edited: no queue after SIGHUP", "updated_at": "2026-02-01T00:00:00Z"}),
    );
    import(&casebook, &env, "acme/app", &records).await;
    assert_rejected(&casebook).await;
    casebook.forget_indexes().await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
    assert_rejected(&casebook).await;
    // The verdict also applies without a model.
    let mut options = OpenOptions::new(env.casebook());
    options.engine = Some(Engine::Off);
    assert_rejected(&Casebook::open(options).await.unwrap()).await;

    assert_eq!(casebook.undo_verdict("acme/app#1", "acme/app#5", "ann").await.unwrap(), None);
    assert_eq!(
        keys(&find(&casebook, request_for("acme/app#5")).await).first(),
        Some(&"acme/app#1")
    );
    let error = casebook.undo_verdict("acme/app#1", "acme/app#5", "ann").await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

#[tokio::test]
async fn queue_holds_undecided_pairs_and_rescans_changes() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let queue = async |include_closed: bool| {
        let request = TriageRequest { include_closed, band: Band::None, ..Default::default() };
        casebook.triage(request, &Task::new()).await.unwrap()
    };
    let pairs = |reply: &TriageResponse| -> Vec<(String, String)> {
        reply.queue.iter().map(|i| (i.key.clone(), i.candidate.key.clone())).collect()
    };
    let first = queue(false).await;
    assert_eq!(first.scanned, 6, "every open issue");
    assert!(
        pairs(&first).contains(&("acme/app#5".into(), "acme/app#1".into())),
        "{:?}",
        pairs(&first)
    );
    assert!(first.queue.windows(2).all(|w| w[0].candidate.confidence >= w[1].candidate.confidence));
    let second = queue(false).await;
    assert_eq!((second.scanned, pairs(&second)), (0, pairs(&first)));
    assert!(pairs(&queue(true).await).contains(&("acme/app#6".into(), "acme/app#3".into())));

    queue(false).await;
    casebook
        .record_verdict("acme/app#5", "acme/app#1", VerdictKind::Duplicate, None, "ann")
        .await
        .unwrap();
    let after_verdict = queue(false).await;
    assert!(
        pairs(&after_verdict).iter().all(|(key, _)| key != "acme/app#5"),
        "{:?}",
        pairs(&after_verdict)
    );
    casebook.undo_verdict("acme/app#5", "acme/app#1", "ann").await.unwrap();
    assert!(pairs(&queue(false).await).contains(&("acme/app#5".into(), "acme/app#1".into())));

    let mut changed_records = backlog();
    changed_records[6] = with_fields(
        changed_records[6].clone(),
        json!({"body": "Finnish, please.", "updated_at": "2026-02-01T00:00:00Z"}),
    );
    import(&casebook, &env, "acme/app", &changed_records).await;
    assert_eq!(queue(false).await.scanned, 1);

    let task = Task::new();
    task.cancel();
    let rescan = TriageRequest { rescan: true, ..Default::default() };
    assert_eq!(casebook.triage(rescan, &task).await.unwrap_err().code(), Code::Cancelled);
}

#[tokio::test]
async fn query_across_sources_leaves_the_queue_unchanged() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let body = "The archive does not open after the update.";
    let copy = |number| report(number, 20, "Archive does not open on the phone", body);
    import(&casebook, &env, "one/app", &[copy(1), report(2, 20, "Colours", "Blue on black.")])
        .await;
    import(&casebook, &env, "two/app", &[copy(7)]).await;
    let queue = async || casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap();
    let queue_before = queue().await;
    let request = DuplicatesRequest { everywhere: true, ..request_for("two/app#7") };
    let reply = find(&casebook, request).await;
    assert_eq!(keys(&reply).first(), Some(&"one/app#1"), "{reply:?}");
    let queue_after = queue().await;
    let queue_keys = |r: &TriageResponse| r.queue.iter().map(|i| i.key.clone()).collect::<Vec<_>>();
    assert_eq!(
        (queue_after.waiting, queue_keys(&queue_after)),
        (queue_before.waiting, queue_keys(&queue_before))
    );
    assert_eq!(queue_after.waiting, queue_after.queue.len() as u64);
    let request = TriageRequest { source: Some("two/app".into()), ..TriageRequest::default() };
    let empty_queue = casebook.triage(request, &Task::new()).await.unwrap();
    assert!(
        empty_queue.queue.is_empty() && empty_queue.expected.is_sign_positive(),
        "{empty_queue:?}"
    );
}

#[tokio::test]
async fn first_list_never_waits_for_a_complete_check() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    import(&casebook, &env, "acme/app", &backlog()).await;
    let request = TriageRequest { band: Band::None, ..TriageRequest::default() };
    let complete = casebook.triage(request.clone(), &Task::new()).await.unwrap();
    assert!(complete.waiting > 0 && complete.unscanned == 0, "{complete:?}");
    // A rescan with a time limit of zero checks nothing.
    let rescan = TriageRequest { rescan: true, ..request };
    let first =
        casebook.triage_within(rescan, std::time::Duration::ZERO, &Task::new()).await.unwrap();
    assert_eq!((first.scanned, first.unscanned), (0, complete.scanned), "{first:?}");
    let keys = |response: &TriageResponse| {
        response.queue.iter().map(|i| i.key.clone()).collect::<Vec<_>>()
    };
    assert_eq!(keys(&first), keys(&complete));
}

#[test]
fn queue_can_be_decided_in_the_terminal() {
    let env = TestEnv::new();
    let lines = json_lines(&backlog());
    let file = env.file("in.jsonl", lines);
    env.ok(&["import", "github", file.to_str().unwrap(), "--source", "acme/app"]);
    let mut child = env
        .command(&["triage", "--decide", "--band", "none", "--by", "ann"])
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    use std::io::Write as _;
    child.stdin.take().unwrap().write_all(b"x\nn another cause\nu\nr\nq\n").unwrap();
    let out = String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap();
    assert!(out.contains("use d, r, n, s, u or q") && out.contains("Undone."), "{out}");
    let verdicts = env.json(&["verdict", "list", "--json"]);
    let kinds: Vec<&str> =
        verdicts.as_array().unwrap().iter().map(|v| v["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["related"]);
}

/// Returns a report whose creation hour is its number.
fn hourly_report(number: u64, title: &str, body: &str) -> Value {
    let unix_seconds = 1_760_000_000 + i64::try_from(number * 3600).unwrap();
    let time = jiff::Timestamp::from_second(unix_seconds).unwrap().to_string();
    with_fields(issue(number, title, body), json!({"created_at": time, "updated_at": time}))
}

/// Returns pairs of stated duplicates, with an unrelated report for each.
fn labeled_pairs(pairs: u64) -> Vec<Value> {
    let mut out = Vec::new();
    for i in 0..pairs {
        let mut add = |offset: u64, title: String, body: String| {
            out.push(hourly_report(3 * i + offset, &title, &body))
        };
        add(
            1,
            format!("Pump alpha{i} stops at night"),
            format!("Pump alpha{i} stops, valve beta{i} stays open."),
        );
        add(
            2,
            format!("Lamp gamma{i} flickers"),
            format!("Nothing but lamp gamma{i} of hall delta{i} is concerned."),
        );
        add(
            3,
            format!("At night pump alpha{i} stops"),
            format!("Valve beta{i} stays open. Duplicate of #{}", 3 * i + 1),
        );
    }
    out
}

#[tokio::test]
async fn enough_duplicates_calibrate_their_source() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let small_report = import(&casebook, &env, "acme/few", &labeled_pairs(5)).await;
    assert!(small_report.calibrated.is_empty() && small_report.embedded > 0, "{small_report:?}");
    let fit = casebook.calibrate("acme/few", false, &Task::new()).await.unwrap();
    assert_eq!((fit.labels, fit.kept, fit.thresholds.len()), (5, false, 0));

    let report = import(&casebook, &env, "acme/many", &labeled_pairs(40)).await;
    let calibration = &report.calibrated[0];
    assert_eq!(
        (
            report.calibrated.len(),
            calibration.source.as_str(),
            calibration.labels,
            calibration.issues
        ),
        (1, "acme/many", 40, 120)
    );
    assert!(
        calibration.kept
            && calibration.found_first > 0.9
            && calibration.found_in_ten >= calibration.found_first,
        "{calibration:?}"
    );
    for t in &calibration.thresholds {
        assert!(t.precision.is_none_or(|p| t.low <= p && p <= t.high), "{t:?}");
    }
    // A manual calibration gives the same result.
    let dry_run = casebook.calibrate("acme/many", true, &Task::new()).await.unwrap();
    assert!(!dry_run.kept && dry_run.thresholds == calibration.thresholds);

    // A source's calibration applies to its own items, but not to a query in all sources.
    let request = || DuplicatesRequest { include_closed: true, ..request_for("acme/many#120") };
    let global_reply = find(&casebook, DuplicatesRequest { everywhere: true, ..request() }).await;
    assert_ne!(global_reply.calibrated_on, 40);
    let source_reply = find(&casebook, request()).await;
    assert_eq!((keys(&source_reply)[0], source_reply.calibrated_on), ("acme/many#118", 40));
    assert!(
        source_reply.candidates[0].confidence > global_reply.candidates[0].confidence,
        "{source_reply:?}"
    );
    let error = casebook.calibrate("no/such", false, &Task::new()).await.unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

#[tokio::test]
async fn source_calibration_applies_to_solved_cases() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let mut records = labeled_pairs(40);
    let solved_index = records.len() - 3;
    records[solved_index] = close(records[solved_index].clone(), "completed");
    records[solved_index]["milestone"] = json!({"title": "3.2.0"});
    let report = import(&casebook, &env, "acme/many", &records).await;
    assert_eq!(report.calibrated[0].labels, 40);
    let text = "Valve beta39 stays open, pump alpha39 stops at night";
    let draft = DuplicatesRequest {
        body: text.into(),
        source: Some("acme/many".into()),
        include_closed: true,
        ..DuplicatesRequest::default()
    };
    let candidate = find(&casebook, draft).await.candidates[0].clone();
    let request = TroubleshootRequest { text: text.into(), ..TroubleshootRequest::default() };
    let case = casebook.troubleshoot(request, &Task::new()).await.unwrap().cases.remove(0);
    assert_eq!((&*candidate.key, &*case.key), ("acme/many#118", "acme/many#118"));
    assert!(
        candidate.confidence >= 0.5 && case.relevance >= 0.79 * candidate.confidence,
        "{candidate:?} {case:?}"
    );
}

#[tokio::test]
async fn source_is_recalibrated_after_more_duplicates() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let calibrated_labels = async |source: &str, records: &[Value]| -> Vec<u64> {
        let report = import(&casebook, &env, source, records).await;
        report.calibrated.iter().map(|c| c.labels).collect()
    };
    assert_eq!(calibrated_labels("acme/app", &labeled_pairs(19)).await, [0; 0]);
    assert_eq!(calibrated_labels("acme/app", &labeled_pairs(20)).await, [20]);
    assert_eq!(calibrated_labels("acme/app", &labeled_pairs(29)).await, [0; 0]);
    assert_eq!(calibrated_labels("acme/app", &labeled_pairs(30)).await, [30]);
    assert_eq!(calibrated_labels("acme/app", &labeled_pairs(30)).await, [0; 0]);
    let count_scanned =
        async || casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap().scanned;
    assert_eq!((count_scanned().await, count_scanned().await), (60, 0));
    // User decisions count as labels, and invalidate earlier checks.
    for i in 0..15 {
        let (first_key, second_key) =
            (format!("acme/app#{}", 6 * i + 2), format!("acme/app#{}", 6 * i + 5));
        casebook
            .record_verdict(&second_key, &first_key, VerdictKind::Duplicate, None, "ann")
            .await
            .unwrap();
    }
    assert_eq!(calibrated_labels("acme/app", &labeled_pairs(30)[..1]).await, [45]);
    assert_eq!(count_scanned().await, 45);
    // With 20 marked duplicates among more than 2,000 reports, a source counts as not marking its
    // duplicates.
    let unmarked_reports =
        (100..2100).map(|n| hourly_report(n, &format!("Door {n} is stuck"), "It does not open."));
    let unmarked_reports: Vec<Value> =
        labeled_pairs(20).into_iter().chain(unmarked_reports).collect();
    assert_eq!(calibrated_labels("acme/some", &unmarked_reports[..1900]).await, [20]);
    assert_eq!(calibrated_labels("acme/silent", &unmarked_reports).await, [0; 0]);
}

/// Returns groups of three reports, of which the third states that it duplicates the first.
fn misleading_reports(groups: u64) -> Vec<Value> {
    let group = |i: u64| {
        let [first, second, (title, body)] = misleading_triple(i);
        let third = (title, format!("{body}\n\nDuplicate of #{}", 3 * i + 1));
        (3 * i + 1..)
            .zip([first, second, third])
            .map(|(number, (title, body))| hourly_report(number, &title, &body))
    };
    (0..groups).flat_map(group).collect()
}

#[tokio::test]
async fn match_in_another_source_is_mentioned() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let body = "After the update the importer stops:\n\n```\njava.lang.IllegalStateException: ledger is sealed\n  at \
                com.nord.ledger.Ledger.post(Ledger.java:214)\n  at com.nord.ledger.Close.run(Close.java:58)\n```";
    import(
        &casebook,
        &env,
        "nord/app",
        &[hourly_report(1, "Month close stops, ledger is sealed", body)],
    )
    .await;
    let desk_reports = [
        hourly_report(7, "Month close stops with ledger is sealed", body),
        hourly_report(
            8,
            "Please add a dark theme",
            "The lobby is dark at night, and the screen is not.",
        ),
    ];
    import(&casebook, &env, "mail/desk", &desk_reports).await;
    let elsewhere_notices = async |request| {
        let reply = find(&casebook, request).await;
        reply
            .notices
            .into_iter()
            .filter(|n| n.lack == NoticeKind::Elsewhere)
            .map(|n| n.hint.text)
            .collect::<Vec<_>>()
    };
    let notices = elsewhere_notices(request_for("mail/desk#7")).await;
    assert!(notices.len() == 1 && notices[0].contains("nord/app#1"), "{notices:?}");
    assert_eq!(elsewhere_notices(request_for("mail/desk#8")).await, [""; 0]);
    assert_eq!(
        elsewhere_notices(DuplicatesRequest { everywhere: true, ..request_for("mail/desk#7") })
            .await,
        [""; 0]
    );
}

#[tokio::test]
async fn many_duplicates_give_a_source_its_own_ranking() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let report =
        import(&casebook, &env, "acme/many", &misleading_reports(120)).await.calibrated.remove(0);
    let request = || DuplicatesRequest {
        threshold: 0.0,
        include_closed: true,
        ..request_for("acme/many#360")
    };
    // A query in all sources uses the built-in weights.
    let global_reply =
        find(&casebook, DuplicatesRequest { everywhere: true, explain: true, ..request() }).await;
    assert_eq!(keys(&global_reply)[0], "acme/many#359", "{global_reply:#?}");
    let (built_in, source_metrics) = (report.built_in.unwrap(), report.own.unwrap());
    assert!(
        built_in.found_first < 0.1
            && source_metrics.found_first > 0.9
            && source_metrics.mrr > built_in.mrr,
        "{report:?}"
    );
    assert_eq!((report.found_first, report.labels), (source_metrics.found_first, 120));
    let source_reply = find(&casebook, DuplicatesRequest { explain: true, ..request() }).await;
    assert_eq!(
        (keys(&source_reply)[0], source_reply.calibrated_on),
        ("acme/many#358", 120),
        "{source_reply:#?}"
    );
    let weight = |reply: &DuplicatesResponse, name: &str| {
        let trace = reply.candidates[0].trace.as_ref().unwrap();
        trace.iter().find(|e| e.feature == name).unwrap().weight
    };
    assert!(weight(&source_reply, "code_words") > weight(&global_reply, "code_words"));
    assert!(source_reply.notices.is_empty(), "{:?}", source_reply.notices);
    drop(casebook);

    // The weights apply only to the model whose vectors they were fitted on.
    let database = env.database();
    database.execute("UPDATE calibrations SET model = 'another'", []).unwrap();
    drop(database);
    let casebook = env.open().await;
    let fallback_reply = find(&casebook, request()).await;
    assert_eq!(
        (keys(&fallback_reply)[0], fallback_reply.calibrated_on),
        (keys(&global_reply)[0], global_reply.calibrated_on)
    );
    assert!(
        fallback_reply.notices[0].hint.to_string().contains("precedent calibrate acme/many"),
        "{:?}",
        fallback_reply.notices
    );
    assert_eq!(casebook.update_index(&Task::new()).await.unwrap().calibrated.len(), 1);
    let refitted_reply = find(&casebook, request()).await;
    assert_eq!((keys(&refitted_reply), refitted_reply.notices.len()), (keys(&source_reply), 0));
}

#[tokio::test]
async fn checks_without_all_vectors_are_repeated() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let lines = json_lines(&backlog());
    casebook.import_github("acme/app", &env.file("all.jsonl", lines), &Task::new()).await.unwrap();
    casebook.update_text(&Task::new()).await.unwrap();
    let count_scanned =
        async || casebook.triage(TriageRequest::default(), &Task::new()).await.unwrap().scanned;
    let total = count_scanned().await;
    assert!(total > 3);
    assert_eq!(count_scanned().await, 0);
    casebook.update_index(&Task::new()).await.unwrap();
    assert_eq!((count_scanned().await, count_scanned().await), (total, 0));
    // Nothing has changed since those checks.
    casebook.update_index(&Task::new()).await.unwrap();
    assert_eq!(count_scanned().await, 0);
}

#[tokio::test]
async fn undo_restores_the_previous_verdict() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    let decide = |kind| casebook.record_verdict("acme/app#6", "acme/app#3", kind, None, "ann");
    decide(VerdictKind::Related).await.unwrap();
    decide(VerdictKind::Duplicate).await.unwrap();
    decide(VerdictKind::NotDuplicate).await.unwrap();
    let undo = async || {
        casebook.undo_verdict("acme/app#3", "acme/app#6", "bob").await.unwrap().map(|v| v.kind)
    };
    assert_eq!(undo().await, Some(VerdictKind::Duplicate));
    assert_eq!(undo().await, Some(VerdictKind::Related));
    assert_eq!(undo().await, None);
    assert!(casebook.verdicts(None).await.unwrap().is_empty());
}

#[tokio::test]
async fn later_verdict_in_the_same_second_comes_first() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    // The clock is fixed here; ordered by key alone, #5 would precede #6, and #3 would precede #4.
    for (key, second_key) in
        [("acme/app#6", "acme/app#3"), ("acme/app#5", "acme/app#1"), ("acme/app#6", "acme/app#4")]
    {
        casebook
            .record_verdict(key, second_key, VerdictKind::Duplicate, None, "ann")
            .await
            .unwrap();
    }
    let order: Vec<String> =
        casebook.verdicts(None).await.unwrap().into_iter().map(|v| v.first).collect();
    assert_eq!(order, ["acme/app#4", "acme/app#1", "acme/app#3"]);
    let canonical = find(&casebook, request_for("acme/app#6")).await.known.unwrap().key;
    assert_eq!(canonical, "acme/app#4", "the last verdict applies");
}

#[tokio::test]
async fn chains_end_at_the_canonical_report() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let records = [
        report(1, 1, "Pump stops at midnight", "The pump stops."),
        report(2, 2, "Pump stops at night", "The pump stops. Duplicate of #1"),
        report(3, 3, "At night the pump stops", "The pump stops. Duplicate of #2"),
        report(4, 4, "The pump stops at midnight again", "The pump stops."),
        report(8, 5, "Lamp flickers in the hall", "Duplicate of #9"),
        report(9, 6, "The lamp of the hall flickers", "Duplicate of #8"),
        comment(20, 4, "is it the same?"),
    ];
    import(&casebook, &env, "acme/app", &records).await;
    let reply = find(&casebook, request_for("acme/app#4")).await;
    let third = reply.candidates.iter().find(|c| c.key == "acme/app#3").unwrap();
    assert_eq!(third.canonical.as_deref(), Some("acme/app#1"));
    assert!(reply.circle.is_empty() && reply.known.is_none());
    // The canonical report names its duplicates.
    let canonical = find(&casebook, request_for("acme/app#1")).await;
    let duplicates: Vec<&str> =
        canonical.known_duplicates.iter().map(|duplicate| duplicate.key.as_str()).collect();
    assert_eq!((canonical.known, duplicates), (None, vec!["acme/app#2", "acme/app#3"]));
    // The end of the chain is the canonical report.
    let canonical = find(&casebook, request_for("acme/app#3")).await.known.unwrap();
    assert_eq!(
        (canonical.key.as_str(), canonical.disposition),
        ("acme/app#1", Some(Disposition::Open))
    );
    // A cycle has no canonical report.
    let cycle = find(&casebook, request_for("acme/app#9")).await;
    assert_eq!((cycle.circle.len(), cycle.known), (2, None));
    // A user decision about the pair takes precedence over its text.
    casebook
        .record_verdict("acme/app#2", "acme/app#1", VerdictKind::NotDuplicate, None, "ann")
        .await
        .unwrap();
    let reply = find(&casebook, request_for("acme/app#4")).await;
    let third = reply.candidates.iter().find(|c| c.key == "acme/app#3").unwrap();
    assert_eq!(third.canonical.as_deref(), Some("acme/app#2"));
    assert!(find(&casebook, request_for("acme/app#2")).await.known.is_none());
    // Marking a report as a duplicate of its own duplicate would create a cycle.
    let error = casebook
        .record_verdict("acme/app#2", "acme/app#3", VerdictKind::Duplicate, None, "ann")
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::InvalidInput);
}

#[tokio::test]
async fn unusual_reports_are_answered() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let mut records = backlog();
    records.push(report(20, 13, "?", ""));
    records.push(report(
        21,
        13,
        "エージェントが設定の再読み込み後に停止する",
        "キューを読みません。",
    ));
    records.push(report(22, 13, "Agent hangs after reloading its configuration", ""));
    import(&casebook, &env, "acme/app", &records).await;
    import(
        &casebook,
        &env,
        "acme/alone",
        &[report(1, 20, "Agent hangs after configuration reload", "No queue.")],
    )
    .await;
    assert_eq!(find(&casebook, request_for("acme/app#20")).await.band, Band::None);
    find(&casebook, request_for("acme/app#21")).await;
    assert!(keys(&find(&casebook, request_for("acme/app#22")).await)[..2].contains(&"acme/app#1"));
    // The report is alone in its source, but not in the casebook.
    let lone_report = request_for("acme/alone#1");
    assert!(find(&casebook, lone_report.clone()).await.candidates.is_empty());
    let global_reply = find(&casebook, DuplicatesRequest { everywhere: true, ..lone_report }).await;
    assert!(keys(&global_reply).contains(&"acme/app#1"), "{:?}", keys(&global_reply));
    // The log has 5 MB and one distinctive line.
    let mut log = "2026-01-01 INFO working on a part of the queue\n".repeat(110_000);
    log.push_str("ERROR: upload of the bundle ended with FW-1043\n");
    let body = format!("```\n{log}```\n");
    let reply = find(
        &casebook,
        DuplicatesRequest { body, include_closed: true, threshold: 0.0, ..Default::default() },
    )
    .await;
    assert!(reply.compared > 0);
    for (key, code) in [("acme/app#999", Code::NotFound), ("acme/none#1", Code::NotFound)] {
        assert_eq!(
            casebook.duplicates(request_for(key), &Task::new()).await.unwrap_err().code(),
            code
        );
    }
    let error = casebook
        .duplicates(
            DuplicatesRequest {
                title: "x y".into(),
                source: Some("no/such".into()),
                ..Default::default()
            },
            &Task::new(),
        )
        .await
        .unwrap_err();
    assert_eq!(error.code(), Code::NotFound);
}

#[tokio::test]
async fn missing_model_falls_back_to_keywords() {
    let env = TestEnv::new();
    let casebook = load_backlog(&env).await;
    drop(casebook);
    let mut options = OpenOptions::new(env.casebook());
    options.engine = Some(Engine::Off);
    let casebook = Casebook::open(options).await.unwrap();
    let reply = find(&casebook, request_for("acme/app#5")).await;
    assert_eq!(keys(&reply).first(), Some(&"acme/app#1"));
    assert_eq!(reply.candidates[0].similarity.semantic, None);
    assert_eq!(reply.notices.iter().filter(|n| n.lack == NoticeKind::Model).count(), 1);
}

#[test]
fn bands_begin_at_20_50_and_90_percent() {
    let bands = [0.9, 0.894, 0.5, 0.494, 0.2, 0.194].map(|probability| Band::new(probability, 0.9));
    let bands_at_limits = [0.895, 0.496, 0.1951].map(|probability| Band::new(probability, 0.9));
    assert_eq!(
        bands_at_limits,
        [Band::High, Band::Likely, Band::Possible],
        "the rounded percentages decide"
    );
    let expected =
        [Band::High, Band::Likely, Band::Likely, Band::Possible, Band::Possible, Band::Related];
    assert_eq!(bands, expected);
    assert_eq!([0.5, 0.499].map(|worth| Band::new(0.1, worth)), [Band::Related, Band::None]);
}

#[tokio::test]
async fn confidence_does_not_depend_on_the_clock() {
    let env = TestEnv::new();
    let lines = json_lines(&backlog());
    let file = env.file("all.jsonl", lines);
    let mut confidences = Vec::new();
    for years in [0, 11] {
        let casebook =
            Casebook::open(env.options_at(1_780_000_000 + years * 31_557_600)).await.unwrap();
        casebook.import_github("acme/app", &file, &Task::new()).await.unwrap();
        casebook.update_index(&Task::new()).await.unwrap();
        let draft = DuplicatesRequest {
            title: "Archive does not open".to_owned(),
            body: backlog()[0]["body"].as_str().unwrap().to_owned(),
            include_closed: true,
            ..DuplicatesRequest::default()
        };
        let answer = casebook.duplicates(draft, &Task::new()).await.unwrap();
        confidences
            .push(answer.candidates.into_iter().map(|c| (c.key, c.confidence)).collect::<Vec<_>>());
    }
    assert!(!confidences[0].is_empty());
    assert_eq!(confidences[0], confidences[1]);
}

#[tokio::test]
async fn fixed_status_needs_evidence() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let mut records = vec![
        close(
            report(1, 1, "Upload of a large bundle stops", "FW-1043 while uploading."),
            "completed",
        ),
        close(
            report(2, 2, "Upload of a large bundle hangs", "FW-1043 while uploading."),
            "completed",
        ),
        report(3, 20, "Upload of a large bundle stops again", "FW-1043 while uploading."),
        comment(21, 1, "Thanks for the report."),
        comment(22, 2, "Fixed in 3.1.0."),
    ];
    records[3]["created_at"] = json!("2026-01-07T00:00:00Z");
    import(&casebook, &env, "acme/app", &records).await;
    let reply =
        find(&casebook, DuplicatesRequest { include_closed: true, ..request_for("acme/app#3") })
            .await;
    let disposition = |key: &str| {
        reply.candidates.iter().find(|c| c.key == key).map(|c| c.disposition.clone()).unwrap()
    };
    assert_eq!(disposition("acme/app#1"), Disposition::Completed);
    assert!(
        matches!(
            disposition("acme/app#2"),
            Disposition::Fixed(_) | Disposition::PossibleRegression(_)
        ),
        "{:?}",
        disposition("acme/app#2")
    );
}

#[tokio::test]
async fn empty_form_is_never_a_duplicate() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let title = "guide: [REPLACE WITH A SHORT SUMMARY]";
    let template =
        "Page: /intro/1\n\nReplace the title above and write down here what should be better.";
    let mut records: Vec<Value> = [
        "The third step does not say which folder is meant, so the copy fails on my laptop.",
        "On a small screen the buttons below the editor overlap and cannot be pressed.",
        "The exercise on ranges accepts a wrong answer where the last number is left out.",
    ]
    .iter()
    .zip(1..)
    .map(|(body, n)| report(n, 1, title, body))
    .collect();
    records.extend([report(4, 2, title, template), report(5, 3, title, template)]);
    import(&casebook, &env, "acme/app", &records).await;
    let reply = find(&casebook, request_for("acme/app#5")).await;
    assert!(reply.candidates.iter().all(|c| c.confidence < 0.5), "{:?}", reply.candidates);
}
