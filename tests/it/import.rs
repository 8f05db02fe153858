//! Tests of `precedent import PATH` with files of every tracker, detected by their content.
//! docs/reference/file-formats.md refers to these tests.

use std::io::Write as _;

use serde_json::{Value, json};

use crate::support::{Run, TestEnv};

/// Imports a file into `acme/app`.
fn import(env: &TestEnv, name: &str, content: impl AsRef<[u8]>) -> Run {
    let path = env.file(name, content);
    env.run(&["import", &path.to_string_lossy(), "-R", "acme/app", "--no-vectors"])
}

fn import_ok(env: &TestEnv, name: &str, content: impl AsRef<[u8]>) -> Run {
    let run = import(env, name, content);
    assert_eq!(run.code, Some(0), "{name}: {}", run.err);
    run
}

fn show(env: &TestEnv, key: &str) -> Value {
    env.json(&["show", key, "--json"])
}

fn comments(item: &Value) -> Vec<String> {
    let comment_line = |c: &Value| {
        format!(
            "{}: {}",
            c["author"].as_str().unwrap_or("?"),
            c["markdown"].as_str().unwrap().trim_end()
        )
    };
    item["comments"].as_array().unwrap().iter().map(comment_line).collect()
}

fn links(item: &Value) -> String {
    item["links"].to_string()
}

#[test]
fn jira_csv_collects_repeated_columns() {
    let env = TestEnv::new();
    let run = import_ok(
        &env,
        "export.txt",
        "Summary,Issue key,Issue Type,Status,Resolution,Reporter,Created,Resolved,Labels,Labels,Description,Outward issue link (Duplicate),Comment,Comment,Status Category,Sprint\n\
         Winch slips under load,DECK-7,Bug,Shelved,Won't Do,ida,02/Feb/25 4:05 PM,09/Feb/25 9:00 AM,winch,brake,\"h3. Steps\n# lift\n# wait\n{code}E-77{code}\",DECK-3,03/Feb/25 8:00 AM;bo;Change the pawl.,04/Feb/25 8:30 AM;ida;It holds; thanks.,Done,12\n\
         Winch is loud,DECK-9,Bug,Ready for QA,,bo,05/Feb/25 1:00 PM,,,,Grease?,,,,In Progress,\n",
    );
    run.assert_stderr(&["2 items, 2 comments", "unused: Sprint"]);
    let item = show(&env, "acme/app#7");
    assert_eq!(item["state"], "closed");
    assert_eq!(item["state_reason"], "Won't Do");
    assert_eq!(item["labels"], json!(["Bug", "winch", "brake"]));
    assert_eq!(item["created_at"], "2025-02-02T16:05:00Z");
    assert!(item["markdown"].as_str().unwrap().contains("### Steps"), "{item}");
    assert_eq!(comments(&item), ["bo: Change the pawl.", "ida: It holds; thanks."]);
    assert!(links(&item).contains("acme/app#3") && links(&item).contains("duplicate"), "{item}");
    assert_eq!(show(&env, "acme/app#9")["state"], "open");
}

#[test]
fn comments_may_have_their_own_rows() {
    let env = TestEnv::new();
    import_ok(
        &env,
        "rows.csv",
        "ID,Title,State,Comment,Comment Author,Comment Date\n\
         1,Leak,Closed,First look,ida,2025-02-01 10:00\n1,Leak,Closed,The seal is worn,bo,2025-02-01 10:00\n,,,New seal fitted,bo,2025-02-03 10:00\n2,Noise,Open,,,\n",
    );
    let item = show(&env, "acme/app#1");
    assert_eq!(comments(&item).len(), 3, "{item}");
    assert_eq!(comments(&item)[2], "bo: New seal fitted");
    assert_eq!(show(&env, "acme/app#2")["comments"], json!([]));
}

#[test]
fn date_column_has_one_order() {
    let env = TestEnv::new();
    let run = import_ok(
        &env,
        "dates.csv",
        "ID,Title,State,Created\n1,One,Open,04/06/2025 10:00\n2,Two,Open,25/06/2025 10:00\n3,Three,Open,some day\n",
    );
    assert!(run.err.contains("\"some day\" is not a recognized date"), "{}", run.err);
    assert_eq!(show(&env, "acme/app#1")["created_at"], "2025-06-04T10:00:00Z");
    assert_eq!(show(&env, "acme/app#3")["created_at"], Value::Null);

    // An ambiguous format is reported and can be set.
    let text = "ID,Title,State,Created\n11,One,Open,04/06/2025\n";
    let run = import_ok(&env, "doubt.csv", text);
    assert!(run.err.contains("dates=dmy"), "{}", run.err);
    let path = env.file_arg("doubt.csv", text);
    env.ok(&["import", &path, "-R", "acme/app", "--map", "dates=dmy"]);
    assert_eq!(show(&env, "acme/app#11")["created_at"], "2025-06-04T00:00:00Z");
}

#[test]
fn gitlab_csv_is_numbered_by_iid() {
    let env = TestEnv::new();
    import_ok(
        &env,
        "gitlab.csv",
        "ID,IID,Title,Description,URL,State,Labels,Author Username,Created At (UTC),Closed At (UTC)\n\
         90001,4,Sluice stuck,Rust.,https://gitlab.example/water/gate/-/issues/4,Closed,\"rust,gate\",ida,2025-01-02 03:04:05,2025-01-03 03:04:05\n",
    );
    let item = show(&env, "acme/app#4");
    assert_eq!(
        (&item["closed_at"], &item["labels"]),
        (&json!("2025-01-03T03:04:05Z"), &json!(["rust", "gate"]))
    );
}

#[test]
fn missing_state_column_is_reported() {
    let env = TestEnv::new();
    let path =
        env.file("list.csv", "Nr,Title,Zustandsbild\n1,One,Erledigt\n2,Two,Hängt\n3,Three,Liegt\n");
    let path = path.to_string_lossy().into_owned();
    let map = ["--map", "state.closed=Erledigt"];
    let run = env.ok(&[&["import", &path, "-R", "acme/app", "--no-vectors"], &map[..]].concat());
    run.assert_stderr(&["no state column found", "--map state="]);
    let run = env.ok(&[&["import", &path, "--dry-run"], &map[..]].concat());
    assert!(run.out.contains("no state column found"), "{}", run.out);
    let run = env.ok(&[
        &["import", &path, "-R", "acme/app", "--no-vectors", "--map", "state=Zustandsbild"],
        &map[..],
    ]
    .concat());
    assert!(!run.err.contains("no state column found"), "{}", run.err);
    assert_eq!(show(&env, "acme/app#1")["state"], "closed");
}

#[test]
fn redmine_csv_in_german_and_windows_1252() {
    let env = TestEnv::new();
    let text = "#;Projekt;Status;Thema;Autor;Angelegt;Geschlossen;Beschreibung\n\
                41;Hof;Geschlossen;Tür schließt nicht;Jürgen;21.03.2025 08:15;22.03.2025 09:00;Sie klemmt.\n42;Hof;Liegt bei Zulieferer;Größe falsch;Käthe;02.04.2025 08:15;;x\n";
    let bytes: Vec<u8> = text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
    let run = import_ok(&env, "tickets.csv", &bytes);
    assert!(run.err.contains("windows-1252"), "{}", run.err);
    assert!(run.err.contains("\"Liegt bei Zulieferer\" (1 row)"), "{}", run.err);
    let item = show(&env, "acme/app#41");
    assert_eq!((&item["state"], &item["title"]), (&json!("closed"), &json!("Tür schließt nicht")));
    assert_eq!(show(&env, "acme/app#42")["created_at"], "2025-04-02T08:15:00Z");
    // A mapping also applies to items that were imported earlier.
    let path = env.file_arg("tickets.csv", &bytes);
    let run =
        env.ok(&["import", &path, "-R", "acme/app", "--map", "state.closed=Liegt bei Zulieferer"]);
    assert!(run.err.contains("1 updated, 1 unchanged"), "{}", run.err);
    assert_eq!(show(&env, "acme/app#42")["state"], "closed");
}

#[test]
fn bugzilla_as_csv_rest_and_xml() {
    let env = TestEnv::new();
    import_ok(
        &env,
        "list.csv",
        "\"Bug ID\",\"Component\",\"Status\",\"Resolution\",\"Summary\"\n\"7\",\"Pump\",\"VERIFIED\",\"FIXED\",\"Drips\"\n\"8\",\"Pump\",\"NEW\",\"---\",\"Hums\"\n",
    );
    assert_eq!(show(&env, "acme/app#7")["state"], "closed");
    assert_eq!(show(&env, "acme/app#8")["state"], "open");
    let response = json!({"bugs": [{"id": 17, "summary": "Drips again", "status": "RESOLVED", "resolution": "DUPLICATE", "dupe_of": 7, "product": "Well",
        "creator": "ida", "creation_time": "2025-01-02T00:00:00Z", "comments": [
            {"id": 1, "count": 0, "text": "It drips.", "creator": "ida", "creation_time": "2025-01-02T00:00:00Z"},
            {"id": 2, "count": 1, "text": "As before.", "creator": "bo", "creation_time": "2025-01-03T00:00:00Z"}]}]});
    import_ok(&env, "rest", response.to_string());
    let item = show(&env, "acme/app#17");
    assert_eq!(
        (item["markdown"].as_str(), comments(&item)),
        (Some("It drips."), vec!["bo: As before.".to_owned()])
    );
    assert!(links(&item).contains("acme/app#7"), "{item}");
    let xml = "<?xml version=\"1.0\"?>\n<bugzilla><bug><bug_id>27</bug_id><short_desc>Valve &amp; seat</short_desc><bug_status>CLOSED</bug_status>\
               <dup_id>8</dup_id><long_desc><who name=\"Ida\">ida</who><bug_when>2025-01-02 10:00:00 +0000</bug_when><thetext>&lt;worn&gt;</thetext></long_desc>\
               <long_desc><commentid>5</commentid><who>bo</who><bug_when>2025-01-03 10:00:00 +0000</bug_when><thetext>Ground anew.</thetext></long_desc></bug></bugzilla>";
    import_ok(&env, "show.xml", xml);
    let item = show(&env, "acme/app#27");
    assert_eq!(
        (&item["title"], &item["state"], comments(&item)),
        (&json!("Valve & seat"), &json!("closed"), vec!["bo: Ground anew.".to_owned()])
    );
    assert!(links(&item).contains("acme/app#8"), "{item}");
}

#[test]
fn linear_zendesk_trac_azure_and_mantis_tables() {
    let env = TestEnv::new();
    import_ok(
        &env,
        "linear.csv",
        "ID,Team,Title,Status,Created,Completed,Canceled,Duplicate of\n\
         RIG-1,RIG,Mast bends,Done,Wed Mar 05 2025 11:21:41 GMT+0000 (GMT),Fri Mar 07 2025 11:21:41 GMT+0000 (GMT),,\n\
         RIG-2,RIG,Mast bent,Canceled,Thu Mar 06 2025 11:21:41 GMT+0000 (GMT),,Fri Mar 07 2025 12:00:00 GMT+0000 (GMT),RIG-1\n",
    );
    let item = show(&env, "acme/app#2");
    assert_eq!(
        (&item["state"], &item["closed_at"]),
        (&json!("closed"), &json!("2025-03-07T12:00:00Z"))
    );
    assert!(links(&item).contains("acme/app#1"), "{item}");
    let env = TestEnv::new();
    import_ok(
        &env,
        "view.csv",
        "ID,Requester,Subject,Tags,Status,Created at,Solved at\n31,Kim,Oven cold,fuse heater,Solved,2025-03-01 10:00,2025-03-02 10:00\n",
    );
    assert_eq!(show(&env, "acme/app#31")["labels"], json!(["fuse", "heater"]));
    let env = TestEnv::new();
    import_ok(
        &env,
        "query.tsv",
        "id\tsummary\tstatus\ttime\tchangetime\treporter\n41\tSlow clock\tclosed\t1735689600000000\t1735776000000000\tliv\n",
    );
    assert_eq!(show(&env, "acme/app#41")["created_at"], "2025-01-01T00:00:00Z");
    let env = TestEnv::new();
    import_ok(
        &env,
        "items.csv",
        "ID,Work Item Type,Title,State,Tags,Description,Repro Steps\n51,Bug,Crane halts,Closed,crane; stop,<div>It <b>halts</b>.</div><ul><li>lift</li></ul>,<p>Lift twice</p>\n",
    );
    let item = show(&env, "acme/app#51");
    assert_eq!(item["labels"], json!(["Bug", "crane", "stop"]));
    assert_eq!(item["markdown"], "It **halts**.\n\n- lift\n\n### Repro Steps\n\nLift twice");
    let env = TestEnv::new();
    import_ok(
        &env,
        "mantis.csv",
        "Id,Project,Reporter,Reproducibility,Date Submitted,Summary,Status,Resolution,Updated\n0000061,Yard,liv,always,2025-02-03,Gate open,resolved,fixed,2025-02-04\n",
    );
    assert_eq!(show(&env, "acme/app#61")["state"], "closed");
}

#[test]
fn github_in_all_the_shapes_of_its_tools() {
    let rest_issue = |n: u32| json!({"number": n, "title": format!("Crane {n}"), "state": "open", "user": {"login": "ida"}, "created_at": "2025-01-01T00:00:00Z"});
    let comment =
        json!({"body": "Oil it.", "author": {"login": "bo"}, "createdAt": "2025-01-02T00:00:00Z"});
    let graphql = json!({"data": {"repository": {"issues": {"nodes": [{"number": 1, "title": "Crane", "state": "CLOSED", "createdAt": "2025-01-01T00:00:00Z",
        "labels": {"nodes": [{"name": "crane"}]}, "comments": {"nodes": [comment]}}], "pageInfo": {"hasNextPage": false}}}}});
    for (name, text, items) in [
        ("slurp.json", json!([[rest_issue(1)], [rest_issue(2)]]).to_string(), 2),
        (
            "search.json",
            json!({"total_count": 2, "items": [rest_issue(1), rest_issue(2)]}).to_string(),
            2,
        ),
        (
            "pages.json",
            format!(
                "{}{}",
                json!({"items": [rest_issue(1)]}),
                json!({"items": [rest_issue(2), rest_issue(3)]})
            ),
            3,
        ),
        ("glued.json", format!("{}{}{}", rest_issue(1), rest_issue(2), rest_issue(3)), 3),
        ("lines.json", format!("{}\n{}\n", rest_issue(1), rest_issue(2)), 2),
        ("graphql.json", graphql.to_string(), 1),
        (
            "odd.json",
            json!([{"number": "7", "title": "x", "created_at": 1_735_689_600}]).to_string(),
            1,
        ),
        (
            "numberless.json",
            json!([{"title": "x", "state": "OPEN"}, {"title": "y", "state": "CLOSED"}]).to_string(),
            2,
        ),
    ] {
        let env = TestEnv::new();
        let run = import_ok(&env, name, text);
        let sources = env.json(&["source", "list", "--json"]);
        assert_eq!(sources[0]["issues"], items, "{name}: {sources} {}", run.err);
        if name == "graphql.json" {
            let item = show(&env, "acme/app#1");
            assert_eq!(
                (comments(&item), &item["labels"]),
                (vec!["bo: Oil it.".to_owned()], &json!(["crane"]))
            );
        }
        if name == "odd.json" {
            assert_eq!(show(&env, "acme/app#7")["created_at"], "2025-01-01T00:00:00Z");
        }
    }
}

#[test]
fn event_gitlab_gitea_and_jira_json_is_imported() {
    let env = TestEnv::new();
    let issue = json!({"number": 5, "title": "Hook lost", "state": "open", "body": "b", "user": {"login": "ida"}, "created_at": "2025-01-01T00:00:00Z", "updated_at": "2025-01-01T00:00:00Z"});
    let comment = json!({"id": 77, "issue_url": "https://api.github.com/repos/yard/crane/issues/5", "body": "Found.", "user": {"login": "bo"}, "created_at": "2025-01-02T00:00:00Z"});
    let event = json!({"type": "IssueCommentEvent", "repo": {"name": "yard/crane"}, "payload": {"action": "created", "issue": issue, "comment": comment}});
    let push = json!({"type": "PushEvent", "repo": {"name": "yard/crane"}, "payload": {"size": 1}});
    let path = env.file_arg("2025-01-01-0.json", format!("{push}\n{event}\n"));
    env.ok(&["import", &path, "--yes"]);
    assert_eq!(comments(&show(&env, "yard/crane#5")), ["bo: Found."]);

    let note = |system: bool, text: &str| json!({"note": text, "system": system, "author": {"name": "Bo"}, "created_at": "2025-01-02T00:00:00.000Z"});
    let issue = json!({"title": "Chain rusts", "iid": 6, "project_id": 3, "state": "closed", "description": "d", "created_at": "2025-01-01T00:00:00.000Z",
        "label_links": [{"label": {"title": "chain"}}], "notes": [note(false, "Grease."), note(true, "closed")]});
    import_ok(&env, "tree/project/issues.ndjson", format!("{issue}\n"));
    let item = show(&env, "acme/app#6");
    assert_eq!(
        (comments(&item), &item["labels"], &item["state"]),
        (vec!["Bo: Grease.".to_owned()], &json!(["chain"]), &json!("closed"))
    );

    let text = |words: &str| json!({"type": "doc", "version": 1, "content": [{"type": "paragraph", "content": [{"type": "text", "text": words}]}]});
    let answer = json!({"startAt": 0, "total": 1, "issues": [{"id": "900", "key": "DECK-12", "self": "https://deck.example/rest/api/3/issue/900", "fields": {
        "summary": "Deck wet", "status": {"name": "Done", "statusCategory": {"key": "done"}}, "created": "2025-01-01T02:00:00.000+0200", "description": text("It is wet."),
        "issuelinks": [{"type": {"name": "Duplicate", "outward": "duplicates"}, "outwardIssue": {"key": "DECK-2"}}],
        "comment": {"comments": [{"id": "1", "author": {"displayName": "Bo"}, "body": text("Mop it."), "created": "2025-01-02T00:00:00.000+0000"}]}}}]});
    let path = env.file_arg("answer", answer.to_string());
    env.ok(&["import", &path, "--yes"]);
    let item = show(&env, "deck.example/DECK#12");
    assert_eq!(
        (item["markdown"].as_str().map(str::trim_end).map(str::trim_end), comments(&item)),
        (Some("It is wet."), vec!["Bo: Mop it.".to_owned()])
    );
    assert!(links(&item).contains("deck.example/DECK#2"), "{item}");

    let env = TestEnv::new();
    let ticket = json!({"url": "https://oven.example/api/v2/tickets/31.json", "id": 31, "type": "problem", "subject": "Cold", "description": "Cold oven.", "status": "solved",
        "requester_id": 7, "submitter": {"id": 7, "name": "Kim"}, "tags": ["fuse"], "created_at": "2025-01-01T00:00:00Z", "comments": [
            {"id": 1, "author_id": 7, "body": "Cold oven."}, {"id": 2, "author_id": 9, "body": "Change the fuse.", "created_at": "2025-01-02T00:00:00Z"}]});
    import_ok(&env, "tickets.json", format!("{ticket}\n"));
    let item = show(&env, "acme/app#31");
    assert_eq!(
        (comments(&item), &item["state"], &item["author"]),
        (vec!["9: Change the fuse.".to_owned()], &json!("closed"), &json!("Kim"))
    );
    // Items are found by their agent and API addresses.
    for address in
        ["https://oven.example/agent/tickets/31", "https://oven.example/api/v2/tickets/31.json"]
    {
        assert_eq!(show(&env, address)["title"], "Cold");
    }
}

#[test]
fn two_keys_with_one_number_are_two_items() {
    let env = TestEnv::new();
    let text = "Issue key,Summary,Status\nAPP-12,One,Open\nOPS-12,Two,Open\nOPS-13,Three,Done\nAPP-13,Four,Open\n";
    let path = env.file_arg("both.csv", text);
    let run = env.ok(&["import", &path, "-R", "acme/all"]);
    run.assert_stderr(&["4 items", "acme/all/OPS: 2 items"]);
    assert_eq!(show(&env, "acme/all#12")["title"], "One");
    assert_eq!(show(&env, "acme/all/OPS#12")["title"], "Two");
    // A later import finds the source of each project.
    let path = env.file_arg("ops.csv", "Issue key,Summary,Status\nOPS-12,Changed,Open\n");
    env.ok(&["import", &path, "-R", "acme/all"]);
    assert_eq!(show(&env, "acme/all#12")["title"], "One");
    assert_eq!(show(&env, "acme/all/OPS#12")["title"], "Changed");
    // Without a name, each project becomes a source.
    let path = env.file_arg("both.csv", text);
    env.ok(&["import", &path, "--yes"]);
    assert_eq!(show(&env, "jira/APP#12")["title"], "One");
}

#[test]
fn archive_gives_one_or_all_repositories() {
    let env = TestEnv::new();
    let issue = |repository: &str, n: u32| {
        json!({"type": "issue", "url": format!("https://github.com/{repository}/issues/{n}"), "repository": format!("https://github.com/{repository}"),
            "user": "https://github.com/ida", "title": format!("Of {repository}"), "labels": [], "closed_at": null, "created_at": "2025-01-01T00:00:00Z"})
    };
    let review = json!({"type": "pull_request_review_comment", "url": "https://github.com/yard/crane/pull/6/files#r8", "pull_request": "https://github.com/yard/crane/pull/6",
        "user": "https://github.com/bo", "body": "Why?", "created_at": "2025-01-02T00:00:00Z"});
    let pull = json!({"type": "pull_request", "url": "https://github.com/yard/crane/pull/6", "user": "https://github.com/ida", "title": "Mend", "created_at": "2025-01-02T00:00:00Z"});
    env.file(
        "dump/issues_000001.json",
        json!([issue("yard/crane", 5), issue("yard/crane", 7), issue("yard/gate", 5)]).to_string(),
    );
    env.file("dump/pull_requests_000001.json", json!([pull]).to_string());
    env.file("dump/pull_request_review_comments_000001.json", json!([review]).to_string());
    env.file("dump/schema.json", json!({"version": "1.2.0"}).to_string());
    let dump = env.path_arg("dump");
    env.ok(&["import", &dump, "-R", "yard/gate"]);
    assert_eq!(show(&env, "yard/gate#5")["title"], "Of yard/gate");
    assert_eq!(env.json(&["source", "list", "--json"])[0]["issues"], 1);
    env.ok(&["import", &dump, "--yes"]);
    assert_eq!(show(&env, "yard/crane#5")["title"], "Of yard/crane");
    assert_eq!(comments(&show(&env, "yard/crane#6")), ["bo: Why?"]);
}

/// Returns GitHub issues and Zendesk tickets with the same numbers.
fn two_trackers() -> [(&'static str, String); 2] {
    let issue = |n: u32| {
        json!({"number": n, "title": format!("Crane {n}"), "state": "open", "html_url": format!("https://github.com/acme/up/issues/{n}"),
            "user": {"login": "ida"}, "created_at": "2025-01-01T00:00:00Z"})
    };
    let ticket = |n: u32| {
        json!({"url": format!("https://oven.zendesk.com/api/v2/tickets/{n}.json"), "id": n, "subject": format!("Oven {n}"),
            "description": "It is cold.", "status": "solved", "requester_id": 7, "created_at": "2025-02-01T00:00:00Z",
            "updated_at": "2025-03-01T00:00:00Z"})
    };
    [
        ("hub.json", json!([issue(1), issue(2)]).to_string()),
        ("tickets.json", json!([ticket(1), ticket(2)]).to_string()),
    ]
}

#[test]
fn mixed_folder_becomes_two_sources() {
    let [hub, tickets] = two_trackers();
    // The order of the files does not matter.
    for (first, second) in [("a.json", "b.json"), ("b.json", "a.json")] {
        let env = TestEnv::new();
        env.file(&format!("both/{first}"), &hub.1);
        env.file(&format!("both/{second}"), &tickets.1);
        env.file(
            "both/mails/1.eml",
            email("one", 4, "ada@mill.example", "Valve sticks", "", "Cold.\n"),
        );
        env.file("both/page.md", "# Home\n\nThe oven's page.\n");
        let path = env.path_arg("both");
        let run = env.ok(&["import", &path, "--no-vectors", "--yes"]);
        assert!(run.err.contains(": 6 new."), "{}", run.err);
        assert_eq!(show(&env, "acme/up#1")["title"], "Crane 1");
        let stem = second.trim_end_matches(".json");
        assert_eq!(show(&env, &format!("oven.zendesk.com/{stem}#1"))["title"], "Oven 1");
        let sources = env.json(&["source", "list", "--json=key"]).to_string();
        for source in ["mail/inbox", "wiki/both"] {
            assert!(sources.contains(source), "{source}: {sources}");
        }
    }
    // Items in an archive get the same keys as those in separate files.
    let env = TestEnv::new();
    let mut archive = tar::Builder::new(Vec::new());
    for (name, text) in [&tickets, &hub] {
        let mut header = tar::Header::new_ustar();
        header.set_size(text.len() as u64);
        header.set_mode(0o600);
        archive.append_data(&mut header, name, text.as_bytes()).unwrap();
    }
    let path = env.file_arg("all.tar", archive.into_inner().unwrap());
    env.ok(&["import", &path, "--no-vectors", "--yes"]);
    let run = env.ok(&[
        "import",
        &env.file(tickets.0, &tickets.1).to_string_lossy(),
        "--no-vectors",
        "--yes",
    ]);
    assert!(run.err.contains("2 unchanged"), "{}", run.err);
    assert_eq!(show(&env, "acme/up#1")["title"], "Crane 1");
    assert_eq!(show(&env, "oven.zendesk.com/tickets#1")["title"], "Oven 1");
}

#[test]
fn items_of_another_tracker_are_rejected() {
    let [hub, tickets] = two_trackers();
    let env = TestEnv::new();
    import_ok(&env, hub.0, &hub.1);
    for options in [&[][..], &["--no-index"]] {
        let path = env.file_arg(tickets.0, &tickets.1);
        let run = env.run(&[&["import", &path, "-R", "acme/app"], options].concat());
        assert_eq!(run.code, Some(2), "{}", run.err);
        for part in [
            "acme/app contains items from GitHub (github.com)",
            "from Zendesk (oven.zendesk.com)",
            "into another source",
        ] {
            assert!(run.err.contains(part), "{part}: {}", run.err);
        }
    }
    // Another address of the same tracker kind is another tracker.
    let other_tracker = hub.1.replace("github.com", "git.example");
    let run = import(&env, "other.json", &other_tracker);
    run.assert_error(2, &["git.example"]);
    assert_eq!(show(&env, "acme/app#1")["title"], "Crane 1");
    // Content of the same tracker is accepted, even in another format.
    import_ok(&env, hub.0, &hub.1);
    import_ok(
        &env,
        "more.json",
        json!([{"number": 9, "title": "Crane 9", "state": "open"}]).to_string(),
    );

    // If both get the same name, the second is skipped and reported.
    let env = TestEnv::new();
    env.file(&format!("both/{}", hub.0), &hub.1);
    env.file(&format!("both/{}", tickets.0), &tickets.1);
    let path = env.path_arg("both");
    for run in [
        &["import", &path, "-R", "acme/mix", "--dry-run"][..],
        &["import", &path, "-R", "acme/mix", "--no-vectors"],
    ] {
        let run = env.ok(run);
        let output = format!("{}{}", run.out, run.err);
        assert!(output.contains("acme/mix contains items from GitHub"), "{output}");
    }
    assert_eq!(show(&env, "acme/mix#1")["title"], "Crane 1");
    // A live source also belongs to its tracker.
    let env = TestEnv::new();
    import_ok(&env, tickets.0, &tickets.1);
    let run = env.run(&["source", "add", "github:acme/app"]);
    run.assert_error(2, &["contains items from Zendesk"]);
}

#[test]
fn compressions_and_encodings_are_detected() {
    let text = "ID,Title,State\n1,Größe zählt,Open\n2,Zwei,Closed\n";
    let utf16: Vec<u8> =
        [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(text.as_bytes()).unwrap();
    let mut tar = tar::Builder::new(Vec::new());
    let mut header = tar::Header::new_gnu();
    header.set_size(text.len() as u64);
    header.set_cksum();
    tar.append_data(&mut header, "sub/table", text.as_bytes()).unwrap();
    let with_separator = format!("\u{feff}sep=;\r\n{}", text.replace(',', ";"));
    for (name, bytes) in [
        ("plain", text.as_bytes().to_vec()),
        ("wide", utf16),
        ("marked", with_separator.into_bytes()),
        ("preamble", format!("Report of March\nMade by hand\n\n{text}").into_bytes()),
        ("returns", text.replace('\n', "\r").into_bytes()),
        ("gz", gzip.finish().unwrap()),
        ("zst", zstd::encode_all(text.as_bytes(), 1).unwrap()),
        ("tar.zst", zstd::encode_all(&tar.into_inner().unwrap()[..], 1).unwrap()),
        ("stored.zip", stored_zip("table.csv", text.as_bytes())),
        ("bz2", decode(BZ2)),
        ("xz", decode(XZ)),
    ] {
        let env = TestEnv::new();
        import_ok(&env, name, bytes);
        assert_eq!(show(&env, "acme/app#1")["title"], "Größe zählt", "{name}");
        assert_eq!(show(&env, "acme/app#2")["state"], "closed", "{name}");
    }
}

/// The table of `compressions_and_encodings_are_detected`, compressed by `bzip2` and `xz`.
const BZ2: &str = "QlpoOTFBWSZTWTI/QmAAAAffvAAQQAQwAAygjBAmZdyQAACEAAEACAAgACIp6IxNGgaPU21Q9QxgAAAANa7O4jZ+U5FOhuMihA/OlC+xSVVvxRA+wQBrmZvxdyRThQkDI/QmAA==";
const XZ: &str = "/Td6WFoAAATm1rRGAgAhARYAAAB0L+WjAQAySUQsVGl0bGUsU3RhdGUKMSxHcsO2w59lIHrDpGhsdCxPcGVuCjIsWndlaSxDbG9zZWQKAABNmDX1YFmYmQABSzPzQtuMH7bzfQEAAAAABFla";

fn decode(text: &str) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(text).unwrap()
}

/// Builds a zip archive with one uncompressed file.
fn stored_zip(name: &str, content: &[u8]) -> Vec<u8> {
    let mut crc = !0_u32;
    for byte in content {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 { (crc >> 1) ^ 0xedb8_8320 } else { crc >> 1 };
        }
    }
    let size = u32::try_from(content.len()).unwrap().to_le_bytes();
    let head: Vec<u8> = [
        &[20, 0, 0, 0, 0, 0, 0, 0, 0x21, 0][..],
        &(!crc).to_le_bytes(),
        &size,
        &size,
        &(name.len() as u16).to_le_bytes(),
        &[0, 0],
    ]
    .concat();
    let mut out = [b"PK\x03\x04", &head[..], name.as_bytes(), content].concat();
    let offset = u32::try_from(out.len()).unwrap();
    let entry = [b"PK\x01\x02\x14\x00", &head[..], &[0; 14], name.as_bytes()].concat();
    let length = u32::try_from(entry.len()).unwrap();
    out.extend(entry);
    out.extend(
        [
            &b"PK\x05\x06\0\0\0\0\x01\0\x01\0"[..],
            &length.to_le_bytes(),
            &offset.to_le_bytes(),
            &[0, 0],
        ]
        .concat(),
    );
    out
}

#[test]
fn damaged_bytes_replace_one_character() {
    let env = TestEnv::new();
    let mut lines = br#"{"number": 1, "title": "nul", "body": "before\u0000after"}
{"number": 2, "title": "half \ud83d pair"}
"#
    .to_vec();
    lines.extend(b"{\"number\": 3, \"title\": \"bad \xff byte\"}\n");
    import_ok(&env, "bad.jsonl", lines);
    assert_eq!(show(&env, "acme/app#1")["markdown"], "before\u{fffd}after");
    assert_eq!(show(&env, "acme/app#2")["title"], "half \u{fffd} pair");
    assert_eq!(show(&env, "acme/app#3")["title"], "bad \u{fffd} byte");
    let run = import(&env, "open.csv", "ID,Title,State\n4,\"never closed,Open\n5,Five,Open\n");
    run.assert_error(2, &["line 2"]);
}

#[test]
fn file_without_items_leaves_no_source() {
    let env = TestEnv::new();
    env.create_casebook();
    for (content, description) in [
        ("", "an empty file"),
        ("[]", "an empty list"),
        ("{\"message\": \"Bad credentials\", \"status\": \"401\"}", "Bad credentials"),
        ("{\"errorMessages\": [\"You must log in\"]}", "You must log in"),
        ("<!DOCTYPE html><html><head><title>Sign in</title></head></html>", "sign-in page"),
        ("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n", "Git LFS"),
        ("ID,Title,State\n", "without rows"),
        ("%PDF-1.7", "PDF"),
        ("[{\"id\": 1, \"name\": \"bug\", \"color\": \"f00\"}]", "labels"),
        ("{\"issues\": [], \"total\": 0}", "without any items"),
        ("Dear all,\nplease find attached nothing.\n", "neither JSON nor a table"),
        (
            "<html xmlns:w=\"urn:schemas-microsoft-com:office:word\"><title>[#KAS-12]</title></html>",
            "Export › CSV",
        ),
        (
            "{\"id\": \"5f\", \"name\": \"Support board\", \"cards\": [{\"id\": \"c1\", \"name\": \"Kiosk\"}]}",
            "export CSV and set its columns: --map",
        ),
        (
            "[{\"id\": \"U1\", \"name\": \"ida\", \"created\": 1710252311}]",
            "neither an item nor a comment",
        ),
    ] {
        let run = import(&env, "export", content);
        assert!(
            run.code == Some(1) && run.err.contains(description) && run.err.contains("hint:"),
            "{description}: {}",
            run.err
        );
    }
    assert_eq!(env.json(&["source", "list", "--json"]), json!([]));
}

#[test]
fn dry_run_only_describes_the_file() {
    let env = TestEnv::new();
    let text = "Issue key,Summary,Status,Sprint,Created\nAPP-1,Leak,Limbo,9,01/02/2025\nAPP-x,Bad,Open,9,01/02/2025\n";
    let path = env.file_arg("export.csv", text);
    let run = env.ok(&["import", &path, "--dry-run"]);
    for text in [
        "export.csv: Jira CSV",
        "into jira/APP: 1 item",
        "Sprint",
        "(unused)",
        "jira/APP#1 Leak",
        "\"Limbo\" (1 row)",
        "month/day",
        "does not end in a number",
    ] {
        assert!(run.out.contains(text), "{text}: {}", run.out);
    }
    assert!(!env.casebook().exists());
    let report = env.json(&["import", &path, "--dry-run", "--json"]);
    assert_eq!(report["understood"][0]["columns"][3], json!({"column": "Sprint", "field": null}));
    assert_eq!(report["understood"][0]["skipped"], 1);
}

#[test]
fn unused_text_is_listed_with_its_size() {
    let env = TestEnv::new();
    let project = json!({"id": 3, "name": "Mill", "notice": "Everything that squeaks in the old mill by the river."});
    let items: Vec<_> = (1..3)
        .map(|n| json!({"id": n, "subject": format!("Rail {n} squeaks"), "description": "It squeaks.", "status": "open", "project": project,
            "zettel": [{"who": "kit", "said": "Clean the rail with care."}]}))
        .collect();
    let path = env.file_arg("mill.json", json!({"list": items}).to_string());
    let run = env.ok(&["import", &path, "-R", "acme/app", "--no-vectors"]);
    for part in [
        "2 items, 2 comments",
        "unused: project.notice (106 characters)",
        "holds more text (106 characters)",
    ] {
        assert!(run.err.contains(part), "{part}: {}", run.err);
    }
    let report = env.json(&["import", &path, "--dry-run", "--json"]);
    assert_eq!(report["understood"][0]["columns"][0]["characters"], 106);
    assert_eq!(report["understood"][0]["kind"], "JSON");
}

#[test]
fn folders_import_pages_and_report_other_files() {
    let env = TestEnv::new();
    env.file("stuff/Home.md", "# Home\n\nThe crane's pages.\n");
    env.file("stuff/deep/list.csv", "ID,Title,State\n1,One,Open\n");
    env.file("stuff/notes.bin", b"\x00\x01\x02\xff\xfe\x00\x01\x02");
    // This text looks like a table with one row.
    env.file(
        "stuff/notes.txt",
        "call Ida, ask about the hopper, then export\nand the lid, too, soon\n",
    );
    env.file("stuff/open.csv", "ID,Title\n1,\"never closed\n");
    let path = env.path_arg("stuff");
    let run = env.ok(&["import", &path, "-R", "acme/app"]);
    run.assert_stderr(&["1 item, 0 comments, 1 wiki page", "Skipped notes.bin"]);
    for message in ["Skipped notes.txt: ", "no title column found", "in line 2 is not closed"] {
        assert!(run.err.contains(message), "{message}: {}", run.err);
    }
    // The same applies to named files, but a missing file is reported first.
    let import_with = |name: &str| {
        let files = [format!("{path}/deep/list.csv"), format!("{path}/{name}")];
        env.run(&["import", &files[0], &files[1], "-R", "acme/other", "--no-vectors"])
    };
    assert_eq!(import_with("none.csv").code, Some(1));
    assert!(env.json(&["source", "list", "--json"]).to_string().find("acme/other").is_none());
    let run = import_with("notes.txt");
    run.assert_error(0, &["Skipped notes.txt"]);
}

/// Returns an email with these additional headers.
fn email(id: &str, day: u32, sender: &str, subject: &str, headers: &str, text: &str) -> String {
    format!(
        "From: {sender}\r\nTo: Desk <desk@pumps.example>\r\nSubject: {subject}\r\nDate: Tue, {day} Mar 2025 08:12:00 +0100\r\nMessage-ID: <{id}@mill.example>\r\n{headers}\r\n{}",
        text.replace('\n', "\r\n")
    )
}

fn thread() -> [String; 3] {
    [
        email(
            "one",
            4,
            "=?utf-8?q?Ad=C3=A4_Brook?= <ada@mill.example>",
            "=?iso-8859-1?Q?Pumpe_=F6lt?=",
            "MIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=B\r\n",
            "--B\nContent-Type: text/html; charset=utf-8\nContent-Transfer-Encoding: quoted-printable\n\n<p>It <b>stops</b> at noon.</p><p>=46W-1043</p>\n--B\nContent-Type: text/plain; name=pump.log\nContent-Disposition: attachment; filename=pump.log\nContent-Transfer-Encoding: base64\n\nc2xvdCB6YXJnbGUgbG9zdAo=\n--B\nContent-Type: image/png\nContent-Disposition: attachment; filename=valve.png\nContent-Transfer-Encoding: base64\n\nAAAA\n--B--\n",
        ),
        email(
            "two",
            5,
            "Desk <desk@pumps.example>",
            "Re: Pumpe =?utf-8?q?=C3=B6lt?=",
            "In-Reply-To: <one@mill.example>\r\nReferences: <one@mill.example>\r\n",
            "Tighten the gland.\n\nOn Tue, 4 Mar 2025 at 08:12, Ada <ada@mill.example> wrote:\n> It stops at noon.\n",
        ),
        email("three", 6, "ada@mill.example", "Valve sticks", "", "It sticks when cold.\n"),
    ]
}

#[test]
fn mails_become_items_and_replies_comments() {
    let [first, reply, other_email] = thread();
    let env = TestEnv::new();
    let mailbox = |emails: &[&String]| {
        let entry =
            |m: &&String| format!("From ada@mill.example Tue Mar  4 08:12:00 2025\n{m}\n\n");
        emails.iter().map(entry).collect::<String>()
    };
    let path = env.file_arg("inbox", mailbox(&[&reply, &other_email, &first]));
    let run = env.ok(&["import", &path, "--dry-run", "-R", "acme/mail"]);
    assert!(run.out.contains("mailbox") && run.out.contains("Pumpe ölt"), "{}", run.out);
    let run = env.ok(&["import", &path, "-R", "acme/mail", "--no-vectors"]);
    assert!(run.err.contains("2 items, 1 comment"), "{}", run.err);
    let hits = env.json(&["search", "-m", "lexical", "zargle", "--json=key"]);
    let key = hits[0]["key"].as_str().unwrap().to_owned();
    let item = show(&env, &key);
    assert_eq!(
        (&item["title"], &item["author"], &item["created_at"]),
        (&json!("Pumpe ölt"), &json!("Adä Brook"), &json!("2025-03-04T07:12:00Z"))
    );
    let text = item["markdown"].as_str().unwrap();
    for part in [
        "It **stops** at noon.",
        "FW-1043",
        "### pump.log",
        "slot zargle lost",
        "Attached: valve.png",
    ] {
        assert!(text.contains(part), "{part}: {text}");
    }
    assert_eq!(item["comments"].as_array().unwrap().len(), 1);
    assert!(comments(&item)[0].starts_with("Desk: Tighten the gland."), "{item}");

    // The same emails give the same items in a folder or an archive.
    for (name, content) in
        [("mails/1.eml", &other_email), ("mails/2.eml", &reply), ("mails/sub/3", &first)]
    {
        env.file(name, content);
    }
    let folder = env.path_arg("mails");
    let run = env.ok(&["import", &folder, "-R", "acme/mail", "--no-vectors"]);
    run.assert_stderr(&["2 items, 1 comment", "3 unchanged"]);
    let archive = env.file("mails.zip", stored_zip("inbox", mailbox(&[&first, &reply]).as_bytes()));
    let run = env.ok(&["import", &archive.to_string_lossy(), "-R", "acme/mail", "--no-vectors"]);
    run.assert_stderr(&["1 item, 1 comment", "2 unchanged"]);

    // Without a source name, all emails go to one source.
    let run = env.ok(&["import", &folder, "--dry-run"]);
    assert!(run.out.contains("into mail/inbox") && !run.out.contains("mail/1"), "{}", run.out);

    // A reply represents its thread until the first email is imported.
    let env = TestEnv::new();
    let answer = env.file_arg("answer.eml", &reply);
    env.ok(&["import", &answer, "-R", "acme/mail", "--no-vectors"]);
    assert!(show(&env, &key)["markdown"].as_str().unwrap().starts_with("Tighten"));
    let first = env.file_arg("first.eml", &first);
    env.ok(&["import", &first, &answer, "-R", "acme/mail", "--no-vectors"]);
    env.ok(&["import", &answer, "-R", "acme/mail", "--no-vectors"]);
    let item = show(&env, &key);
    assert!(item["markdown"].as_str().unwrap().starts_with("It **stops**"), "{item}");
    assert_eq!(comments(&item).len(), 1);
}

#[test]
fn mail_query_ignores_quoted_text() {
    let env = TestEnv::new();
    let issue = |n: u32, title: &str, body: &str| {
        json!({"number": n, "title": title, "body": body, "state": "closed", "user": {"login": "ida"}, "created_at": "2025-01-01T00:00:00Z"}).to_string()
    };
    import_ok(
        &env,
        "items.jsonl",
        format!(
            "{}\n{}\n",
            issue(1, "Pump stops at noon", "It stops at noon with FW-1043."),
            issue(2, "Gland leaks", "Tighten the gland of the winch, then grease it.")
        ),
    );
    let search = |text: &str| -> Value {
        let args = ["search", "-", "-m", "lexical", "--json=key"];
        serde_json::from_str(&env.run_with_input(&args, text).out).unwrap()
    };
    let keys = |hits: &Value| -> Vec<String> {
        hits.as_array().unwrap().iter().map(|h| h["key"].as_str().unwrap().to_owned()).collect()
    };
    let [first, _, _] = thread();
    assert_eq!(keys(&search(&first)), ["acme/app#1"]);
    let reply = "Hello support team,\n\nthe pump stops at noon.\n\nKind regards\nAda\n\nOn 4 Mar 2025 at 08:12, Desk <d@desk.example> wrote:\n> Tighten the gland of the winch, then grease it.\n";
    assert_eq!(keys(&search(reply)), ["acme/app#1"]);
}

#[test]
fn last_import_wins_without_modification_dates() {
    let env = TestEnv::new();
    import_ok(&env, "new.csv", "ID,Title,State\n1,Leak mended,Closed\n");
    let run = import_ok(&env, "old.csv", "ID,Title,State\n1,Leak,Open\n");
    run.assert_stderr(&["1 updated", "no modification date"]);
    assert_eq!(show(&env, "acme/app#1")["title"], "Leak");
    // The creation time is not the time of the last change.
    import_ok(&env, "new.csv", "ID,Title,State,Created\n2,Belt,Closed,2024-03-12\n");
    let run = import_ok(&env, "old.csv", "ID,Title,State,Created\n2,Belt,Open,2024-03-12\n");
    assert!(run.err.contains("1 of the updated items has no modification date"), "{}", run.err);
}

#[test]
fn empty_query_is_an_error() {
    let env = TestEnv::new();
    import_ok(&env, "list.csv", "ID,Title,State\n1,Leak,Open\n2,Noise,Closed\n");
    for args in [
        &["search", "  "][..],
        &["search", "-"],
        &["search", "-", "-s", "open"],
        &["troubleshoot", "-"],
        &["duplicates", "-"],
    ] {
        let run = env.run(args);
        assert!(
            run.code == Some(2) && run.err.contains("hint:"),
            "{args:?}: {} {}",
            run.out,
            run.err
        );
    }
    let keys = |args: &[&str]| -> Vec<String> {
        let hits = env.json(&[args, &["--json=key"]].concat());
        hits.as_array().unwrap().iter().map(|h| h["key"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(keys(&["search", "", "-s", "closed"]), ["acme/app#2"]);
    assert_eq!(keys(&["search"]).len(), 2);
    // A number finds its item only within the flags and filters.
    assert_eq!(keys(&["search", "#2", "-R", "acme/app", "-s", "closed"]), ["acme/app#2"]);
    assert!(!keys(&["search", "#2", "-s", "open"]).contains(&"acme/app#2".to_owned()));
}

/// Imports a file without naming a source.
fn import_unnamed(env: &TestEnv, name: &str, content: impl AsRef<[u8]>) -> Run {
    let path = env.file_arg(name, content);
    env.ok(&["import", &path, "--no-vectors", "--yes"])
}

#[test]
fn textual_and_grouped_keys_name_separate_items() {
    let env = TestEnv::new();
    let run = import_unnamed(
        &env,
        "keys.csv",
        "Issue key,Summary,Status\nBUG-12,One,Open\nTASK-12,Two,Open\nCASE-12,Three,Open\n",
    );
    run.assert_stderr(&["3 items", "3 new"]);
    assert_eq!(show(&env, "jira/TASK#12")["title"], "Two");
    // The usual spellings are accepted.
    assert_eq!(show(&env, "CASE-12")["title"], "Three");
    assert_eq!(show(&env, "https://acme.atlassian.net/browse/BUG-12")["title"], "One");
    let hits = env.json(&["search", "task-12", "--json=key"]);
    assert_eq!(hits[0]["key"], "jira/TASK#12", "{hits}");
    import_ok(
        &env,
        "years.csv",
        "Ticket,Title,State\n2023-001,Old,Open\n2024-001,New,Open\n\"1,234\",Many,Open\n",
    );
    assert_eq!(show(&env, "acme/app#2023001")["title"], "Old");
    assert_eq!(show(&env, "acme/app#2024001")["title"], "New");
    assert_eq!(show(&env, "acme/app#1234")["title"], "Many");
}

#[test]
fn older_export_changes_no_comment() {
    let env = TestEnv::new();
    let export = |updated_at: &str, words: &str| {
        json!([{"number": 1, "title": "Belt slips", "state": "OPEN", "createdAt": "2024-01-01T00:00:00Z", "updatedAt": updated_at,
            "comments": [{"id": "IC_1", "author": {"login": "bo"}, "body": words, "createdAt": "2024-01-02T00:00:00Z",
                "url": "https://github.com/acme/app/issues/1#issuecomment-5"}]}])
        .to_string()
    };
    let (old_export, new_export) =
        (export("2024-01-03T00:00:00Z", "first"), export("2024-01-09T00:00:00Z", "first, edited"));
    import_ok(&env, "old.json", &old_export);
    import_ok(&env, "new.json", &new_export);
    let run = import_ok(&env, "old.json", &old_export);
    run.assert_stderr(&["0 new", "2 ignored"]);
    assert_eq!(comments(&show(&env, "acme/app#1")), ["bo: first, edited"]);
}

#[test]
fn records_follow_their_repository_name() {
    let env = TestEnv::new();
    let item = |repository: Value, title: &str| json!({"number": 4, "title": title, "state": "OPEN", "repository": repository});
    let records = json!([
        item(json!({"name": "app", "nameWithOwner": "acme/app"}), "One"),
        item(json!({"name": "lib", "owner": {"login": "acme"}}), "Two"),
    ]);
    let run = import_unnamed(&env, "search.json", records.to_string());
    assert!(run.err.contains("2 items"), "{}", run.err);
    assert_eq!(show(&env, "acme/app#4")["title"], "One");
    assert_eq!(show(&env, "acme/lib#4")["title"], "Two");
}

#[test]
fn tables_may_contain_repositories_and_trees() {
    let env = TestEnv::new();
    import_unnamed(
        &env,
        "repos.csv",
        "Number,Title,State,Repository\n4,One,open,acme/app\n4,Two,open,acme/lib\n",
    );
    assert_eq!(show(&env, "acme/lib#4")["title"], "Two");
    import_ok(
        &env,
        "tree.csv",
        "ID,Work Item Type,Title 1,Title 2,State\n21,Epic,Drive,,Active\n22,Bug,,Belt slips,Closed\n",
    );
    assert_eq!(show(&env, "acme/app#22")["title"], "Belt slips");
}

#[test]
fn merge_requests_never_replace_issues() {
    let env = TestEnv::new();
    let records = json!([
        {"iid": 12, "title": "Belt slips", "state": "opened", "web_url": "https://gitlab.example/acme/app/-/issues/12"},
        {"iid": 12, "title": "Mend it", "state": "merged", "source_branch": "mend", "web_url": "https://gitlab.example/acme/app/-/merge_requests/12"},
    ]);
    let run = import_ok(&env, "gitlab.json", records.to_string());
    run.assert_stderr(&["1 item", "a merge request"]);
    assert_eq!(show(&env, "acme/app#12")["title"], "Belt slips");
}

#[test]
fn page_folder_is_one_wiki() {
    let env = TestEnv::new();
    env.file(
        "kb/net/pump.md",
        "---\ntitle: Pump on the net\ndate: 2024-02-03\ntags: [pump, net]\n---\nIt has an address.\n",
    );
    env.file("kb/db/pump.md", "It has a table.\n");
    env.file("kb/old.md", b"Gr\xfc\xdfe vom Kran\n");
    let path = env.path_arg("kb");
    let run = env.ok(&["import", &path, "--no-vectors", "--yes"]);
    assert!(run.err.contains("3 wiki pages") && !run.err.contains("skipped"), "{}", run.err);
    let page = show(&env, "wiki/kb:net-pump");
    assert_eq!(
        (&page["title"], &page["labels"]),
        (&json!("Pump on the net"), &json!(["pump", "net"]))
    );
    assert_eq!(page["created_at"], "2024-02-03T00:00:00Z");
    assert!(!page["markdown"].as_str().unwrap().contains("tags"), "{page}");
    assert_eq!(show(&env, "wiki/kb:db-pump")["title"], "pump");
    assert!(show(&env, "wiki/kb:old")["markdown"].as_str().unwrap().contains("Grüße"));
}

#[test]
fn million_columns_are_read_in_seconds() {
    let env = TestEnv::new();
    let (names, cells) = (",c".repeat(1_000_000), ",x".repeat(1_000_000));
    let start = std::time::Instant::now();
    let run = import_ok(
        &env,
        "wide.csv",
        format!("ID,Title,State{names}\n1,Drive stalls,open{cells}\n2,Belt slips,open{cells}\n"),
    );
    assert!(start.elapsed() < std::time::Duration::from_secs(120), "{:?}", start.elapsed());
    assert!(run.err.contains("2 rows have more cells than there are columns"), "{}", run.err);
    assert_eq!(show(&env, "acme/app#2")["title"], "Belt slips");
}

#[test]
fn extra_cells_are_reported() {
    let env = TestEnv::new();
    let run = import_ok(
        &env,
        "extra.csv",
        "ID,Title,State,Description\n1,Drive,open,It stalls, then E17 shows\n2,Belt,open,Fine\n",
    );
    assert!(
        run.err.contains("1 row has more cells than there are columns (the first is row 1)"),
        "{}",
        run.err
    );
}

#[test]
fn separate_rows_and_files_add_comments() {
    let env = TestEnv::new();
    import_ok(
        &env,
        "apart.csv",
        "ID,Title,State,Comment\n1,One,open,first\n2,Two,open,other\n1,One,open,second\n",
    );
    assert_eq!(comments(&show(&env, "acme/app#1")).len(), 2);
    // Bugzilla returns comments separately from bugs.
    let env = TestEnv::new();
    import_ok(
        &env,
        "bugs.json",
        json!({"bugs": [{"id": 55, "summary": "Drive stalls", "status": "NEW", "product": "drive"}]})
            .to_string(),
    );
    let records = json!({"bugs": {"55": {"comments": [{"id": 1, "text": "It stalls at noon.", "creator": "ida", "time": "2024-01-01T00:00:00Z"}]}}, "comments": {}});
    let run = import_ok(&env, "comments.json", records.to_string());
    assert!(run.err.contains("1 comment"), "{}", run.err);
    assert_eq!(comments(&show(&env, "acme/app#55")), ["ida: It stalls at noon."]);
}

#[test]
fn invalid_field_does_not_skip_the_record() {
    let env = TestEnv::new();
    let records = [
        json!({"number": 1, "title": "a", "user": "ada", "labels": "bug,hw", "milestone": "1.1", "locked": null}),
        json!({"number": 2.0, "title": "b", "locked": "false", "pull_request": false}),
        json!({"number": " 3 ", "title": 42, "body": 17}),
        json!({"number": 4, "title": "d", "author": "ada", "comments": ["It drips.", {"id": 11, "body": "Still."}], "createdAt": "2024-01-01T00:00:00Z"}),
        json!({"number": 5, "title": "e", "closed": true}),
        json!({"number": 6, "title": "f", "state": "Done"}),
        json!({"number": 7, "title": "g", "state": "Waiting for the moon"}),
        json!({"number": 8, "title": "h", "isPullRequest": true, "bodyText": "Plain."}),
    ];
    let lines: Vec<String> = records.iter().map(Value::to_string).collect();
    let run = import_ok(&env, "odd.jsonl", lines.join("\n"));
    assert!(run.err.contains("8 items") && !run.err.contains("skipped"), "{}", run.err);
    assert!(
        run.err.contains("state \"Waiting for the moon\" (1 record) is unknown"),
        "{}",
        run.err
    );
    let first = show(&env, "acme/app#1");
    assert_eq!(
        (&first["author"], &first["labels"], &first["milestone"]),
        (&json!("ada"), &json!(["bug", "hw"]), &json!("1.1"))
    );
    assert_eq!(show(&env, "acme/app#2")["kind"], "issue");
    assert_eq!(show(&env, "acme/app#3")["title"], "42");
    assert_eq!(comments(&show(&env, "acme/app#4")), ["?: It drips.", "?: Still."]);
    assert_eq!(show(&env, "acme/app#5")["state"], "closed");
    assert_eq!(show(&env, "acme/app#6")["state"], "closed");
    assert_eq!(show(&env, "acme/app#7")["state"], "open");
    assert_eq!(show(&env, "acme/app#8")["kind"], "pull_request");
}

#[test]
fn single_record_of_a_response_is_imported() {
    let env = TestEnv::new();
    let issue = json!({"number": 9, "title": "Belt slips", "labels": {"nodes": [{"name": "bug"}]}, "state": "OPEN"});
    import_ok(&env, "one.json", json!({"data": {"repository": {"issue": issue}}}).to_string());
    assert_eq!(show(&env, "acme/app#9")["labels"], json!(["bug"]));
    import_ok(
        &env,
        "ticket.json",
        json!({"ticket": {"id": 10, "subject": "Hose bursts", "status": "solved"}}).to_string(),
    );
    assert_eq!(show(&env, "acme/app#10")["state"], "closed");
    let board = json!({"items": [{"content": {"number": 11, "title": "On a board", "type": "Issue",
        "url": "https://github.com/acme/app/issues/11"}, "status": "Done", "title": "On a board", "id": "x"}]});
    import_ok(&env, "board.json", board.to_string());
    assert_eq!(show(&env, "acme/app#11")["state"], "closed");
    let run = import(
        &env,
        "refused.json",
        json!({"data": {"repository": null}, "errors": [{"message": "Could not resolve it"}]})
            .to_string(),
    );
    run.assert_error(1, &["Could not resolve it"]);
}

#[test]
fn links_need_an_item_key_in_the_cell() {
    let env = TestEnv::new();
    import_ok(
        &env,
        "links.csv",
        "Issue key,Summary,Status,Duplicates\nA-4,One,Open,Duplicate of: Belt slips 2.0\nA-5,Two,Open,A-1 (Belt slips)\nA-6,Three,Open,duplicates #3\n",
    );
    assert_eq!(show(&env, "acme/app#4")["links"], json!([]));
    assert!(links(&show(&env, "acme/app#5")).contains("acme/app#1"));
    assert!(links(&show(&env, "acme/app#6")).contains("acme/app#3"));
    let linear = json!([{"identifier": "ENG-7", "title": "Twice", "state": {"name": "Todo", "type": "unstarted"},
        "relations": {"nodes": [{"type": "duplicate", "relatedIssue": {"identifier": "ENG-3"}}]}}]);
    import_unnamed(&env, "linear.json", linear.to_string());
    let item = show(&env, "ENG-7");
    assert!(links(&item).contains("ENG#3") && links(&item).contains("duplicate"), "{item}");
}

#[test]
fn jira_status_name_replaces_a_missing_category() {
    let env = TestEnv::new();
    let issue = |n: u32, status: Value, resolution: Value| json!({"key": format!("APP-{n}"), "fields": {"summary": "Belt", "status": status, "resolution": resolution}});
    let unfinished = json!({"name": "Done", "statusCategory": {"key": "indeterminate"}});
    let records = json!([
        issue(1, json!({"name": "Closed"}), json!(null)),
        issue(2, json!({"name": "To Do"}), json!(null)),
        issue(3, json!({"name": "Shelved"}), json!({"name": "Won't Do"})),
        issue(4, unfinished, json!(null)),
    ]);
    import_ok(&env, "search.json", records.to_string());
    let states: Vec<Value> =
        (1..=4).map(|n| show(&env, &format!("acme/app#{n}"))["state"].clone()).collect();
    assert_eq!(states, ["closed", "open", "closed", "open"]);
}

#[test]
fn non_numeric_and_long_ids_are_imported() {
    let env = TestEnv::new();
    let run = import_ok(
        &env,
        "cards.csv",
        "Task ID,Task Name,Status\n86a1b2c3d,Heater trips,Closed\n86a1b2c4,Light out,Open\n86a1b2c5e,Fan,Open\n",
    );
    run.assert_stderr(&["3 items", "numbered by their position"]);
    let file = env.file("gates.csv", "Task ID,Name,Status\n1206543210987654,Badge not read,Done\n");
    env.ok(&["import", &file.to_string_lossy(), "-R", "acme/gates", "--no-vectors"]);
    assert_eq!(show(&env, "acme/gates#1206543210987654")["state"], "closed");
    let hits = env.json(&["search", "#1206543210987654", "--json=key"]);
    assert_eq!(hits[0]["key"], "acme/gates#1206543210987654");
}

#[test]
fn json_with_column_names_is_imported() {
    let env = TestEnv::new();
    let service_now = json!({"result": [{
        "number": "INC0010041", "short_description": "Mail stuck", "description": "In the outbox.", "state": "7",
        "sys_created_on": "2024-03-12 14:05:11", "closed_at": "2024-03-13 08:00:00", "opened_by": {"link": "https://x", "value": "ida"},
    }]});
    let run = import_ok(&env, "now.json", service_now.to_string());
    assert!(run.err.contains("1 item"), "{}", run.err);
    let item = show(&env, "acme/app#10041");
    assert_eq!(
        (&item["state"], &item["author"], &item["title"]),
        (&json!("closed"), &json!("ida"), &json!("Mail stuck"))
    );
    let mantis = json!({"issues": [{
        "id": 12, "summary": "Valve sticks", "description": "Cold mornings.", "reporter": {"id": 2, "name": "ida"},
        "status": {"id": 80, "name": "resolved"}, "resolution": {"id": 20, "name": "fixed"}, "created_at": "2024-03-12T14:05:11+01:00",
        "notes": [{"id": 1, "reporter": {"name": "per"}, "text": "Grease helps.", "created_at": "2024-03-13T07:00:00+01:00"}],
        "tags": [{"name": "cold"}],
    }]});
    let env = TestEnv::new();
    import_ok(&env, "mantis.json", mantis.to_string());
    let item = show(&env, "acme/app#12");
    assert_eq!(
        (&item["state"], &item["state_reason"], &item["labels"]),
        (&json!("closed"), &json!("fixed"), &json!(["cold"]))
    );
    assert_eq!(comments(&item), ["per: Grease helps."]);
    let env = TestEnv::new();
    let youtrack = json!([{"idReadable": "BLT-7", "summary": "Belt", "comments": [
        {"text": "Swap the phases.", "author": {"login": "per"}}, {"text": "gone", "deleted": true},
    ]}]);
    import_ok(&env, "youtrack.json", youtrack.to_string());
    assert_eq!(comments(&show(&env, "acme/app#7")), ["per: Swap the phases."]);
    let notes = json!([
        {"id": 1, "body": "Oiled.", "author": {"username": "bo"}, "system": false, "noteable_type": "Issue", "noteable_iid": 7},
        {"id": 2, "body": "closed", "system": true, "noteable_type": "Issue", "noteable_iid": 7},
    ]);
    import_ok(&env, "notes.json", notes.to_string());
    assert_eq!(comments(&show(&env, "acme/app#7")).len(), 2);
}

#[test]
fn jira_xml_is_imported() {
    let env = TestEnv::new();
    let item = |key: &str, fields: &str| {
        format!(
            "<item><title>[{key}] Drawer opens</title><link>https://acme.example/browse/{key}</link><description>&lt;p&gt;Opens &lt;b&gt;twice&lt;/b&gt;.&lt;/p&gt;</description>\
             <key id=\"1\">{key}</key><summary>Drawer opens</summary><type id=\"1\">Bug</type><created>Tue, 12 Mar 2024 14:05:00 +0100</created>{fields}</item>"
        )
    };
    let text = format!(
        "<!-- RSS generated by JIRA (9.12) -->\n<rss version=\"0.92\"><channel><title>Jira</title>{}{}</channel></rss>",
        item(
            "KAS-12",
            "<status id=\"1\">Shelved</status><statusCategory id=\"3\" key=\"done\"/><resolution id=\"1\">Fixed</resolution><reporter accountid=\"5\">Per</reporter>\
             <labels><label>drawer</label></labels><comments><comment id=\"9\" author=\"ida\" created=\"Wed, 13 Mar 2024 08:00:00 +0100\">&lt;p&gt;New spring.&lt;/p&gt;</comment></comments>"
        ),
        item("KAS-13", "<status id=\"1\">To Do</status><labels></labels>")
    );
    let run = import_ok(&env, "SearchRequest.xml", text);
    assert!(run.err.contains("2 items, 1 comment"), "{}", run.err);
    let item = show(&env, "acme/app#12");
    assert_eq!(
        (&item["state"], &item["state_reason"], &item["labels"]),
        (&json!("closed"), &json!("Fixed"), &json!(["Bug", "drawer"]))
    );
    assert_eq!(
        (&item["author"], &item["created_at"]),
        (&json!("Per"), &json!("2024-03-12T13:05:00Z"))
    );
    assert_eq!(comments(&item), ["ida: New spring."]);
    assert_eq!(show(&env, "acme/app#13")["state"], "open");
    let env = TestEnv::new();
    // HTML entities are decoded only in HTML texts; a row without a title is titled by its text.
    import_ok(
        &env,
        "html.csv",
        "ID,Title,Description\n1,Hopper &amp; lid,<p>grain</p>\n2,,The printer beeps.\n",
    );
    assert_eq!(show(&env, "acme/app#1")["title"], "Hopper & lid");
    assert_eq!(show(&env, "acme/app#2")["title"], "The printer beeps.");
    // In a GitLab project export, merge requests are reported and other files are ignored.
    env.file("tree/project.json", r#"{"description": "", "visibility_level": 0}"#);
    env.file("tree/project/issues.ndjson", r#"{"iid": 4, "title": "Robot", "state": "closed"}"#);
    env.file(
        "tree/project/merge_requests.ndjson",
        r#"{"iid": 4, "title": "Mend", "state": "merged", "source_branch": "m"}"#,
    );
    let run = env.ok(&[
        "import",
        &env.path("tree").to_string_lossy(),
        "-R",
        "acme/robot",
        "--no-vectors",
    ]);
    assert!(run.err.contains("Skipped merge_requests.ndjson"), "{}", run.err);
}
