//! Tests of solved cases through the public interface: what counts as solved, thresholds, fallbacks
//! and budgets.

use precedent_core::{
    Code, Task,
    model::{
        CaseRelation, CommentRole, ProblemStatus, TroubleshootOutcome, TroubleshootRequest,
        TroubleshootResponse, TroubleshootSettings,
    },
};
use precedent_engine::Casebook;
use serde_json::{Value, json};

use crate::support::{TestEnv, close, comment, issue, with_fields};

const CLOSED_AT: &str = "2026-01-08T00:00:00Z";

/// Returns a report that was closed without a stated solution.
fn closed_report(number: u64, title: &str, body: &str) -> Value {
    close(issue(number, title, body), "completed")
}

/// Returns a report that was solved in a version.
fn fixed_report(number: u64, title: &str, body: &str) -> Value {
    with_fields(closed_report(number, title, body), json!({"milestone": {"title": "4.0"}}))
}

fn pull(number: u64, title: &str, body: &str, is_merged: bool) -> Value {
    let merged_at = if is_merged { json!(CLOSED_AT) } else { Value::Null };
    let changes = json!({"state": "closed", "closed_at": CLOSED_AT, "pull_request": {"url": "x", "merged_at": merged_at}});
    with_fields(issue(number, title, body), changes)
}

/// Returns an outsider's comment at this minute of 6 January 2026.
fn outsider_comment(id: u64, number: u64, minute: u32, body: &str) -> Value {
    let time = format!("2026-01-06T{:02}:{:02}:00Z", minute / 60, minute % 60);
    with_fields(
        comment(id, number, body),
        json!({"created_at": time, "updated_at": time, "author_association": "NONE"}),
    )
}

const FAILURE: &str = "Upload of a large bundle stops with error FW-1043 behind the proxy";

fn question(text: &str) -> TroubleshootRequest {
    TroubleshootRequest { text: text.into(), ..Default::default() }
}

fn with_threshold(threshold: f32) -> TroubleshootSettings {
    TroubleshootSettings { similarity_threshold: Some(threshold), ..Default::default() }
}

async fn ask(casebook: &Casebook, request: TroubleshootRequest) -> TroubleshootResponse {
    casebook.troubleshoot(request, &Task::new()).await.unwrap()
}

fn keys(reply: &TroubleshootResponse) -> Vec<&str> {
    reply.cases.iter().map(|c| c.key.as_str()).collect()
}

#[tokio::test]
async fn only_resolved_items_are_cases() {
    let env = TestEnv::new();
    let casebook = env
        .load(&[
            issue(1, FAILURE, "It is open."),
            with_fields(fixed_report(2, FAILURE, "It was solved."), json!({"locked": true})),
            pull(3, FAILURE, "It was not merged.", false),
            pull(4, FAILURE, "It was merged.", true),
        ])
        .await;
    let reply = ask(&casebook, question(FAILURE)).await;
    assert_eq!(reply.outcome, TroubleshootOutcome::Solved);
    let mut keys = keys(&reply);
    keys.sort_unstable();
    assert_eq!(keys, ["acme/app#2", "acme/app#4"]);
}

#[tokio::test]
async fn declined_item_is_no_solved_case() {
    let env = TestEnv::new();
    let closed_as = |number: u64, reason: &str| {
        with_fields(
            fixed_report(number, &format!("{FAILURE} ({number})"), "The proxy cuts it."),
            json!({"state_reason": reason}),
        )
    };
    let casebook = env
        .load(&[
            closed_as(1, "Won't Do"),
            closed_as(2, "Nicht reproduzierbar"),
            closed_as(3, "Closed (works as designed)"),
            closed_as(4, "却下"),
            closed_as(5, "Duplikat"),
            closed_as(6, "Fixed"),
        ])
        .await;
    let reply = ask(&casebook, question(FAILURE)).await;
    assert_eq!(keys(&reply), ["acme/app#6"]);
    assert!(reply.similar_cases.iter().all(|near| near.declined), "{:?}", reply.similar_cases);
    let count_hits = |query: &str| {
        let query =
            precedent_core::model::SearchRequest { query: query.into(), ..Default::default() };
        let casebook = &casebook;
        async move { casebook.search(query, &Task::new()).await.unwrap().hits.len() }
    };
    assert_eq!(count_hits("reason:not_planned").await, 4);
    assert_eq!(count_hits("reason:completed").await, 1);
}

#[tokio::test]
async fn undocumented_or_denied_fix_is_not_conclusive() {
    let env = TestEnv::new();
    let casebook = env
        .load(&[
            closed_report(1, "Pump stops with error QX-7731 at night", "It stops."),
            outsider_comment(11, 1, 1, "Any news?"),
            closed_report(2, "Gate jams with error RB-4410 in frost", "It jams."),
            outsider_comment(21, 2, 1, "Fixed in 2.1."),
            outsider_comment(22, 2, 2, "It still happens in 2.1.3."),
            closed_report(3, "Lamp flickers with error LM-9021", "It flickers."),
            outsider_comment(
                31,
                3,
                1,
                "By design of the old ballast. As a workaround, set `lamp.mode=2`.",
            ),
            closed_report(
                4,
                "Winch stalls with error WN-5150",
                "FATAL winch stalls, WN-5150. As a workaround, restart the brake daemon.",
            ),
        ])
        .await;
    let undocumented_reply =
        ask(&casebook, question("ERROR pump stops with error QX-7731 at night")).await;
    assert_eq!(
        (keys(&undocumented_reply), undocumented_reply.outcome),
        (Vec::new(), TroubleshootOutcome::Nothing)
    );
    let status = |reply: &TroubleshootResponse| {
        reply.problem.as_ref().map(|problem| (problem.key.clone(), problem.status))
    };
    let without_fix = |key: &str| Some((key.to_owned(), ProblemStatus::ClosedWithoutFix));
    assert_eq!(status(&undocumented_reply), without_fix("acme/app#1"));
    let denied_reply =
        ask(&casebook, question("ERROR gate jams with error RB-4410 in frost")).await;
    assert_eq!(keys(&denied_reply), [""; 0]);
    assert_eq!(status(&denied_reply), without_fix("acme/app#2"));
    let workaround_reply = ask(&casebook, question("ERROR lamp flickers with error LM-9021")).await;
    assert_eq!(keys(&workaround_reply), ["acme/app#3"]);
    let report_reply = ask(&casebook, question("FATAL winch stalls with error WN-5150")).await;
    assert_eq!(keys(&report_reply), ["acme/app#4"], "the report has the workaround");
}

#[tokio::test]
async fn duplicate_comment_leads_to_the_fixed_report() {
    let env = TestEnv::new();
    let casebook = env
        .load(&[
            closed_report(1, "Pump stops with error QX-7731", "It stops at night."),
            outsider_comment(11, 1, 1, "Fixed in 2.1."),
            closed_report(2, "Pump stops with error QX-7731 at midnight", "It stops at midnight."),
            outsider_comment(21, 2, 1, "My fault. Didn't realize this was already reported."),
            outsider_comment(22, 2, 2, "#1"),
        ])
        .await;
    let reply = ask(&casebook, question("ERROR pump stops with error QX-7731 at midnight")).await;
    assert_eq!(keys(&reply), ["acme/app#1"]);
}

#[tokio::test]
async fn error_line_is_searched_when_text_is_inconclusive() {
    let env = TestEnv::new();
    let report = fixed_report(1, "Nightly export ends with error QX-7731", "Since Monday.");
    let casebook = env.load(&[report]).await;
    let mut log: String = (0..30)
        .map(|i| {
            format!(
                "2026-11-20 03:{i:02}:00 INFO row {i} of the ledger is read by worker {}\n",
                i % 7
            )
        })
        .collect();
    log.push_str("2026-11-20 03:40:00 ERROR nightly export ends with error QX-7731\n");
    let reply = ask(&casebook, question(&log)).await;
    assert_eq!(keys(&reply), ["acme/app#1"]);
    assert_eq!(reply.problem.unwrap().key, "acme/app#1");
}

#[tokio::test]
async fn open_report_is_named_without_a_case() {
    let env = TestEnv::new();
    let code = "the pump stops with error QX-7731";
    let casebook = env.load(&[issue(1, &format!("Night shift: {code}"), "Since Monday.")]).await;
    let reply = ask(&casebook, question(&format!("2026-11-20 03:12:00 ERROR {code}"))).await;
    assert_eq!(keys(&reply), <[&str; 0]>::default());
    let problem = reply.problem.unwrap();
    assert_eq!((problem.key.as_str(), problem.status), ("acme/app#1", ProblemStatus::Open));
    // Another code of the same family is another failure.
    let other_response =
        ask(&casebook, question("2026-11-20 03:12:00 ERROR the pump stops with error QX-7732"))
            .await;
    assert!(other_response.problem.is_none() && other_response.open.is_empty());
}

#[tokio::test]
async fn still_happening_comment_confirms_no_fix() {
    let env = TestEnv::new();
    let casebook = env
        .load(&[
            fixed_report(1, FAILURE, "The proxy cuts it."),
            outsider_comment(1, 1, 0, "Fixed in 3.1."),
            outsider_comment(2, 1, 10, "Still happens for me with 3.1 and 3.2, nothing changed."),
        ])
        .await;
    let reply = ask(&casebook, question(FAILURE)).await;
    let status = reply.problem.as_ref().map(|problem| problem.status);
    assert_eq!((keys(&reply), status), (Vec::new(), Some(ProblemStatus::ClosedWithoutFix)));
}

#[tokio::test]
async fn solution_of_the_report_itself_comes_first() {
    let env = TestEnv::new();
    let casebook = env
        .load(&[
            fixed_report(2, FAILURE, "It was solved."),
            pull(4, FAILURE, "It was merged.", true),
        ])
        .await;
    let request_for =
        |key: &str| TroubleshootRequest { key: Some(key.into()), ..Default::default() };
    let reply = ask(&casebook, request_for("acme/app#2")).await;
    assert_eq!(keys(&reply), ["acme/app#2", "acme/app#4"]);
    let relations: Vec<_> = reply.cases.iter().map(|c| c.relation).collect();
    assert_eq!(relations, [Some(CaseRelation::Itself), None]);
    // A pull request is not a report, and a pasted text has no item.
    assert_eq!(keys(&ask(&casebook, request_for("acme/app#4")).await), ["acme/app#2"]);
    assert!(ask(&casebook, question(FAILURE)).await.cases.iter().all(|c| c.relation.is_none()));
}

#[tokio::test]
async fn known_canonical_comes_first() {
    let env = TestEnv::new();
    let duplicate = with_fields(
        fixed_report(3, FAILURE, "Duplicate of #1"),
        json!({"state_reason": "duplicate"}),
    );
    let casebook = env
        .load(&[
            fixed_report(1, "Bundles beyond 2 GB are cut", "Chunks are lost."),
            fixed_report(2, FAILURE, "Another fault."),
            duplicate,
            with_fields(
                fixed_report(4, FAILURE, "Duplicate of #5"),
                json!({"state_reason": "duplicate"}),
            ),
            issue(5, "Chunks are lost", "It is open."),
        ])
        .await;
    let request_for =
        |key: &str| TroubleshootRequest { key: Some(key.into()), ..Default::default() };
    let reply = ask(&casebook, request_for("acme/app#3")).await;
    assert_eq!(keys(&reply)[..2], ["acme/app#1", "acme/app#2"]);
    assert_eq!(reply.cases[0].relation, Some(CaseRelation::Canonical));
    assert_eq!(reply.cases[0].via, None);
    // An open report solves nothing.
    let reply = ask(&casebook, request_for("acme/app#4")).await;
    assert!(reply.cases.iter().all(|c| c.relation.is_none()), "{:?}", keys(&reply));
}

#[tokio::test]
async fn threshold_is_a_minimum_similarity() {
    let env = TestEnv::new();
    let casebook =
        env.load(&[fixed_report(1, "Blue console theme", "Links are blue on black there.")]).await;
    let text = "Console theme has blue links";
    let reply =
        ask(&casebook, TroubleshootRequest { settings: with_threshold(0.0), ..question(text) })
            .await;
    let similarity = reply.cases[0].similarity.unwrap();
    assert!((0.4..0.95).contains(&similarity), "{similarity}");
    // A threshold of 0.65 accepts distances of up to 0.35.
    for (threshold, passes) in [(similarity - 0.01, true), (similarity + 0.01, false)] {
        let reply = ask(
            &casebook,
            TroubleshootRequest { settings: with_threshold(threshold), ..question(text) },
        )
        .await;
        assert_eq!(!reply.cases.is_empty(), passes, "{threshold} of {similarity}");
    }
}

#[tokio::test]
async fn unrelated_text_has_no_case() {
    let env = TestEnv::new();
    let filler = |n: u64| {
        issue(100 + n, &format!("Other thing {n}"), "Nothing to see here, move along please.")
    };
    let mut records = vec![fixed_report(
        1,
        "Timezone of the second column",
        "The timezone of the second column is wrong whenever the export runs during a daylight change over night.",
    )];
    records.extend((0..30).map(filler));
    let casebook = env.load(&records).await;
    // The texts share one of many words.
    let unrelated = "A pipeline of ours stalls over the weekend while compaction, vacuum, retention and snapshot tasks compete";
    let reply = ask(&casebook, question(unrelated)).await;
    assert_eq!(
        (reply.outcome, reply.cases.len(), reply.similar_cases.len()),
        (TroubleshootOutcome::Nothing, 0, 0)
    );
    let similar = "The timezone of the second column is wrong";
    let reply = ask(&casebook, question(similar)).await;
    assert_eq!(keys(&reply), ["acme/app#1"]);
    // With `anyway`, the closest matches are shown and marked as such.
    let request =
        |anyway| TroubleshootRequest { settings: with_threshold(1.0), anyway, ..question(similar) };
    assert_eq!(keys(&ask(&casebook, request(false)).await), [""; 0]);
    let reply = ask(&casebook, request(true)).await;
    assert_eq!(reply.outcome, TroubleshootOutcome::Nothing);
    assert_eq!(reply.problem.map(|problem| problem.key).as_deref(), Some("acme/app#1"));
}

#[tokio::test]
async fn not_planned_item_solves_nothing() {
    let env = TestEnv::new();
    let declined_report =
        with_fields(fixed_report(1, FAILURE, "Declined."), json!({"state_reason": "not_planned"}));
    let explanation =
        "This is as designed: the proxy refuses bundles that are larger than its limit.";
    let records = [
        declined_report,
        outsider_comment(10, 1, 1, "Same here, on two machines of ours."),
        with_fields(
            outsider_comment(11, 1, 2, explanation),
            json!({"author_association": "MEMBER"}),
        ),
        fixed_report(2, "Upload of a bundle stops with FW-1043", "Solved."),
    ];
    let casebook = env.load(&records).await;
    let reply = ask(&casebook, question(FAILURE)).await;
    assert_eq!(keys(&reply), ["acme/app#2"]);
    let problem = reply.problem.unwrap();
    assert_eq!((problem.key.as_str(), problem.status), ("acme/app#1", ProblemStatus::Declined));
    // The comment that explains the closure is quoted.
    assert_eq!(problem.fix.map(|comment| comment.text).as_deref(), Some(explanation));
}

#[tokio::test]
async fn duplicate_leads_to_its_canonical() {
    let env = TestEnv::new();
    let duplicate = with_fields(
        fixed_report(2, FAILURE, "Duplicate of #1"),
        json!({"state_reason": "duplicate"}),
    );
    let casebook = env
        .load(&[fixed_report(1, "Bundles beyond 2 GB are cut", "Chunks are lost."), duplicate])
        .await;
    let reply = ask(&casebook, question(FAILURE)).await;
    assert_eq!(
        (keys(&reply)[0], reply.cases[0].via.as_deref()),
        ("acme/app#1", Some("acme/app#2"))
    );
    assert_eq!(reply.cases.len(), 1);
}

#[tokio::test]
async fn case_shows_roles_fix_and_versions() {
    let env = TestEnv::new();
    let member = |record: Value| with_fields(record, json!({"author_association": "MEMBER"}));
    let casebook = env
        .load(&[
            closed_report(1, FAILURE, "On 2.3.1 the upload stops.\n\nLogs attached."),
            pull(7, "Keep chunks in order", "Fixes #1", true),
            outsider_comment(
                10,
                1,
                1,
                "I can confirm that this happens on three machines of ours as well.",
            ),
            outsider_comment(
                11,
                1,
                2,
                "As a workaround, set `chunk.size = 1M` in the agent's configuration.",
            ),
            outsider_comment(12, 1, 3, "+1"),
            outsider_comment(
                13,
                1,
                4,
                "The chunks arrive in another order when the proxy buffers them.",
            ),
            member(outsider_comment(14, 1, 5, "> stops\n\nFixed by #7, which is in 2.4.0.")),
        ])
        .await;
    let reply = ask(&casebook, question(FAILURE)).await;
    let case = reply.cases.iter().find(|c| c.key == "acme/app#1").unwrap();
    let roles: Vec<Option<CommentRole>> = case.comments.iter().map(|c| c.role).collect();
    let expected_roles = [
        Some(CommentRole::Confirmation),
        Some(CommentRole::Workaround),
        None,
        Some(CommentRole::Fix),
    ];
    assert_eq!(roles, expected_roles);
    assert_eq!((case.fix.as_deref(), case.omitted), (Some("comment-14"), 1));
    assert_eq!(case.comments[3].text, "Fixed by #7, which is in 2.4.0.");
    assert_eq!(case.fixed_by.iter().map(|f| f.key.as_str()).collect::<Vec<_>>(), ["acme/app#7"]);
    assert_eq!(
        (case.reported_on.as_slice(), case.fixed_in.as_deref()),
        (["2.3.1".to_owned()].as_slice(), Some("2.4.0"))
    );
    assert_eq!(case.citation, "[Issue acme/app#1]");
    assert!(case.same_signature);
}

#[tokio::test]
async fn case_compares_asked_and_fixed_version() {
    let env = TestEnv::new();
    let fix_comment = with_fields(
        outsider_comment(14, 1, 5, "Fixed in 2.4.0."),
        json!({"author_association": "MEMBER"}),
    );
    let casebook =
        env.load(&[closed_report(1, FAILURE, "On 2.3.1 the upload stops."), fix_comment]).await;
    for (text, expected_version) in [
        ("", None),
        (", in version 2.3.1", Some(("2.3.1", Some(false)))),
        (", it worked in 2.3.9, and 2.10.1 has it", Some(("2.10.1", Some(true)))),
        (", on Ubuntu 22.04.1", None),
    ] {
        let reply = ask(&casebook, question(&format!("{FAILURE}{text}"))).await;
        let asked_version = reply.cases[0].asked_version.as_ref();
        assert_eq!(
            asked_version.map(|a| (a.version.as_str(), a.has_fix)),
            expected_version,
            "{text}"
        );
    }
}

#[tokio::test]
async fn fixing_change_explains_the_fix() {
    let env = TestEnv::new();
    let explanation =
        "The order of chunks was lost in the proxy's buffer. They carry their number now.";
    for (body, has_explanation) in
        [(format!("Fixes #1\n\n{explanation}"), true), ("Fixes #1".to_owned(), false)]
    {
        let records = [
            fixed_report(1, FAILURE, "It stops."),
            pull(7, "Number of each piece in its head", &body, true),
        ];
        let casebook = env.load(&records).await;
        let reply = ask(&casebook, question(FAILURE)).await;
        let case = reply.cases.iter().find(|c| c.key == "acme/app#1").unwrap();
        let fix_text = &case.fixed_by[0].text;
        assert_eq!(
            (fix_text.contains(explanation), fix_text.is_empty()),
            (has_explanation, !has_explanation),
            "{fix_text}"
        );
        assert_eq!(case.chars, case.body.chars().count() + fix_text.chars().count());
    }
}

#[tokio::test]
async fn cases_share_the_character_budget() {
    let env = TestEnv::new();
    let long_text = "日本語のログ ".repeat(800);
    let mut records = Vec::new();
    for n in 1..=3 {
        records.push(fixed_report(n, FAILURE, "It stops."));
        records.push(outsider_comment(n * 10, n, 1, &long_text));
    }
    let casebook = env.load(&records).await;
    let settings = TroubleshootSettings { total_budget_chars: 3_000, ..Default::default() };
    let reply = ask(&casebook, TroubleshootRequest { settings, ..question(FAILURE) }).await;
    assert_eq!(reply.cases.len(), 3);
    let chars: Vec<usize> = reply.cases.iter().map(|c| c.chars).collect();
    assert!(chars.iter().sum::<usize>() <= 3_000 && chars.iter().all(|c| *c > 800), "{chars:?}");
    for case in &reply.cases {
        let char_count = case.body.chars().count()
            + case.comments.iter().map(|c| c.text.chars().count()).sum::<usize>();
        assert_eq!(char_count, case.chars);
        assert!(case.comments[0].excerpt);
    }
    // A single match gets the whole budget.
    let settings =
        TroubleshootSettings { max_results: 1, total_budget_chars: 3_000, ..Default::default() };
    let reply = ask(&casebook, TroubleshootRequest { settings, ..question(FAILURE) }).await;
    assert!(reply.cases[0].chars > 2_900, "{}", reply.cases[0].chars);
}

#[tokio::test]
async fn wiki_answers_with_two_distinct_pages() {
    let env = TestEnv::new();
    let casebook = env.load(&[issue(1, "Open thing", "Unrelated.")]).await;
    for (name, text) in [
        (
            "Uploads",
            "# Uploads\n\nUpload of a large bundle: error FW-1043 means that the proxy buffers.\n\n# More\n\nUpload of a bundle behind the proxy.",
        ),
        ("Proxy", "Upload behind the proxy: a large bundle stops with error FW-1043."),
        ("Errors", "FW-1043: upload of a bundle stops behind the proxy."),
        ("Colours", "The theme of the console."),
    ] {
        env.file(&format!("wiki/{name}.md"), text);
    }
    casebook.import_wiki("acme/app", &env.path("wiki"), &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
    let reply = ask(&casebook, question(FAILURE)).await;
    assert_eq!((reply.outcome, reply.wiki.len()), (TroubleshootOutcome::Wiki, 2));
    assert_ne!(reply.wiki[0].key, reply.wiki[1].key);
    assert!(reply.wiki.iter().all(|p| p.citation.starts_with("[Wiki: ") && !p.text.is_empty()));
    let reply = ask(&casebook, question("quantum chromodynamics lattice zanzibar")).await;
    assert_eq!((reply.outcome, reply.wiki.len()), (TroubleshootOutcome::Nothing, 0));
}

#[tokio::test]
async fn invalid_settings_and_empty_queries_are_errors() {
    let env = TestEnv::new();
    let casebook = env.load(&[fixed_report(1, FAILURE, "It stops.")]).await;
    let default = TroubleshootSettings::default;
    for (settings, message) in [
        (with_threshold(1.5), "out of range"),
        (with_threshold(-0.1), "out of range"),
        (with_threshold(f32::NAN), "out of range"),
        (TroubleshootSettings { max_results: 0, ..default() }, "results"),
        (TroubleshootSettings { total_budget_chars: 999, ..default() }, "budget"),
        (TroubleshootSettings { total_budget_chars: 50_001, ..default() }, "budget"),
        (TroubleshootSettings { enabled: false, ..default() }, "disabled"),
    ] {
        let request = TroubleshootRequest { settings, ..question(FAILURE) };
        let error = casebook.troubleshoot(request, &Task::new()).await.unwrap_err();
        assert!(
            error.code() == Code::InvalidInput && error.to_string().contains(message),
            "{error}"
        );
        assert!(error.hint().is_some());
    }
    let error = casebook.troubleshoot(question(" \n"), &Task::new()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidInput);
    let request = TroubleshootRequest { key: Some("acme/app#99".into()), ..Default::default() };
    assert_eq!(
        casebook.troubleshoot(request, &Task::new()).await.unwrap_err().code(),
        Code::NotFound
    );
}

#[tokio::test]
async fn unusual_inputs_are_accepted() {
    let env = TestEnv::new();
    let casebook = env.load(&[fixed_report(1, FAILURE, "")]).await;
    let case = &ask(&casebook, question(FAILURE)).await.cases[0];
    assert_eq!((case.comments.len(), case.body.as_str(), case.omitted), (0, "", 0));
    let log = format!(
        "{FAILURE}\n{}",
        "2026-01-01T00:00:00Z INFO nothing of note happened\n".repeat(100_000)
    );
    assert_eq!(keys(&ask(&casebook, question(&log)).await), ["acme/app#1"]);
    assert_eq!(
        ask(&casebook, question("アップロードが止まる")).await.outcome,
        TroubleshootOutcome::Nothing
    );
}

#[test]
fn cases_are_printed_and_no_match_succeeds() {
    let env = TestEnv::new();
    let mut lines = String::new();
    for record in [
        closed_report(1, FAILURE, "On 2.3.1 the upload stops."),
        pull(7, "Keep chunks in order", "Fixes #1", true),
        outsider_comment(14, 1, 5, "Fixed by #7, which is in 2.4.0."),
        outsider_comment(15, 1, 6, "+1"),
    ] {
        lines.push_str(&format!("{record}\n"));
    }
    env.import(lines);
    let outputs: Vec<String> = [
        &["troubleshoot", "upload stops with FW-1043"][..],
        &["troubleshoot", "quantum chromodynamics"],
        &["troubleshoot", "acme/app#99"],
        &["troubleshoot", "x", "--budget", "12"],
    ]
    .iter()
    .map(|args| format!("$ precedent {}\n{}", args.join(" "), env.run(args).snapshot_text(&env)))
    .collect();
    insta::assert_snapshot!("troubleshoot", outputs.join("\n"));
    let json = env.json(&["troubleshoot", "quantum chromodynamics", "--json"]);
    assert_eq!((&json["outcome"], &json["cases"]), (&json!("nothing"), &json!([])));
}
