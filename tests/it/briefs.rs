//! Tests that briefs are deterministic, cite every statement and omit redacted text, and that a
//! replay lists later changes.

use std::fs;

use precedent_core::{
    Code, Task,
    model::{Brief, BriefFormat, BriefRequest, NoteDraft, NoteKind, SectionKind},
};
use precedent_engine::Casebook;
use serde_json::{Value, json};

use crate::support::{TestEnv, comment, issue, json_lines, with_fields};

const FAILURE: &str = "Upload of a large bundle stops with error FW-1043 behind the proxy";
const LOG: &str = "On 2.3.1, at db1.acme.internal (10.20.30.40), user jsmith, mail ann@corp.example.com.\n\n```\n\
                   ERROR FW-1043 token=ghp_abcdefghijklmnopqrstuvwxyz0123\nin /home/jsmith/app/x.toml\n```\n\nThanks @octo-cat!";

fn records() -> Vec<Value> {
    let closed_fields = json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-01-08T00:00:00Z"});
    let merged_fields = json!({"state": "closed", "closed_at": "2026-01-08T00:00:00Z",
                        "pull_request": {"url": "x", "merged_at": "2026-01-08T00:00:00Z"}});
    vec![
        with_fields(
            issue(1, FAILURE, "On 2.3.0 the *upload* stops.\n\n<script>alert(1)</script>"),
            closed_fields,
        ),
        with_fields(issue(7, "Keep chunks in order", "Fixes #1"), merged_fields),
        comment(14, 1, "Fixed by #7, which is in 2.4.0. Ask ada about it."),
        with_fields(issue(20, FAILURE, LOG), json!({"created_at": "2026-02-02T00:00:00Z"})),
    ]
}

async fn import(casebook: &Casebook, env: &TestEnv, records: &[Value]) {
    let path = env.file("in.jsonl", json_lines(records));
    casebook.import_github("acme/app", &path, &Task::new()).await.unwrap();
    casebook.update_index(&Task::new()).await.unwrap();
}

fn request_for(key: &str) -> BriefRequest {
    BriefRequest { key: Some(key.into()), ..Default::default() }
}

async fn write(casebook: &Casebook, request: BriefRequest) -> Brief {
    casebook.brief(request, &Task::new()).await.unwrap()
}

async fn render(brief: &Brief, format: BriefFormat) -> Vec<u8> {
    Casebook::render_brief(brief.clone(), format).await.unwrap()
}

/// Asserts that a brief contains all of these texts.
#[track_caller]
fn assert_contains(brief: &str, expected_texts: &[&str]) {
    for text in expected_texts {
        assert!(brief.contains(text), "{text}\n{brief}");
    }
}

const FORMATS: [BriefFormat; 4] =
    [BriefFormat::Markdown, BriefFormat::Html, BriefFormat::Pdf, BriefFormat::Json];

#[tokio::test]
async fn brief_is_complete_and_citations_resolve() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let brief = write(&casebook, request_for("acme/app#20")).await;
    let kinds: Vec<SectionKind> = brief.sections.iter().map(|s| s.kind).collect();
    use SectionKind::{Cases, Duplicates, People, Problem, Questions, Summary, Versions};
    assert_eq!(kinds, [Summary, Problem, Duplicates, Cases, Versions, People, Questions]);
    let mut citations = 0;
    for entry in brief.sections.iter().flat_map(|s| &s.entries) {
        for c in &entry.citations {
            assert!(brief.record.sources.iter().any(|s| s.key == c.key), "{c:?}");
            casebook.thread(&c.key).await.unwrap();
            citations += 1;
        }
    }
    assert!(citations > 5);
    let markdown = String::from_utf8(render(&brief, BriefFormat::Markdown).await).unwrap();
    assert_contains(
        &markdown,
        &[
            "## Solved cases",
            "> Fixed by #7, which is in 2.4.0.",
            "Mentions 2.3.0; fixed in 2.4.0",
            "acme/app#7",
        ],
    );
}

#[tokio::test]
async fn summary_precedes_every_section() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let brief = write(&casebook, request_for("acme/app#20")).await;
    let markdown = String::from_utf8(render(&brief, BriefFormat::Markdown).await).unwrap();
    let (title, rest) = markdown.split_once("\n\n").unwrap();
    assert_eq!(title, format!("# acme/app#20 {FAILURE}"));
    let (summary, rest) = rest.split_once("\n\n").unwrap();
    assert!(rest.starts_with("## Problem\n"), "{rest}");
    assert_contains(
        summary,
        &[
            &format!("The problem: “{FAILURE}” on 2.3.1 (open)."),
            "acme/app#1 (",
            "with a confidence of ",
            "%.",
            "[Issue acme/app#1](https://tracker.example/acme/app/issues/1)",
        ],
    );
    let text = brief.sections[0].entries[0].text.as_deref().unwrap();
    assert!((2..=4).contains(&text.matches(". ").count()), "{text}");
    let closed_fields = json!({"state": "closed", "state_reason": "duplicate", "closed_at": "2026-02-08T00:00:00Z"});
    import(
        &casebook,
        &env,
        &[with_fields(issue(30, "A disk is full", "Duplicate of #1"), closed_fields)],
    )
    .await;
    let duplicate = write(&casebook, request_for("acme/app#30")).await;
    let text = duplicate.sections[0].entries[0].text.as_deref().unwrap();
    assert_contains(
        text,
        &["It is a known duplicate of acme/app#1 (fixed in 2.4.0).", "It was fixed by acme/app#7."],
    );
    let html = String::from_utf8(render(&duplicate, BriefFormat::Html).await).unwrap();
    assert!(html.contains("<p dir=\"auto\">The problem: “A disk is full”"), "{html}");
}

#[tokio::test]
async fn known_duplicates_precede_likely_ones() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let closed_fields = json!({"state": "closed", "state_reason": "duplicate", "closed_at": "2026-02-08T00:00:00Z"});
    let duplicate_of_1 =
        |number, title| with_fields(issue(number, title, "Duplicate of #1"), closed_fields.clone());
    import(
        &casebook,
        &env,
        &[
            duplicate_of_1(30, "A disk is full"),
            duplicate_of_1(31, "Full again"),
            duplicate_of_1(32, "Once more"),
        ],
    )
    .await;
    let text = |brief: Brief| async move {
        String::from_utf8(render(&brief, BriefFormat::Markdown).await).unwrap().replace('\\', "")
    };
    let duplicate = text(write(&casebook, request_for("acme/app#30")).await).await;
    assert_contains(
        &duplicate,
        &[
            "## Duplicates",
            &format!("### {FAILURE}"),
            "Known duplicate of acme/app#1 (closed as completed; fixed in 2.4.0).",
            "2 other reports are duplicates of acme/app#1: acme/app#31 (Full again); acme/app#32 (Once more).",
            "this report is a known duplicate of acme/app#1; fixed by acme/app#7",
            "> Fixed by #7, which is in 2.4.0.",
        ],
    );
    assert!(!duplicate.contains("wiki page matches"), "{duplicate}");
    let canonical = text(write(&casebook, request_for("acme/app#1")).await).await;
    assert_contains(
        &canonical,
        &[
            "3 other reports are duplicates of this one: acme/app#30 (A disk is full);",
            "### This report",
            "fixed by acme/app#7",
            "> Fixed by #7, which is in 2.4.0.",
        ],
    );
    assert_eq!(
        canonical.matches("On 2.3.0 the *upload* stops.").count(),
        1,
        "the problem is repeated\n{canonical}"
    );
    let request = BriefRequest {
        leave_out: vec!["acme/app#1".into(), "acme/app#31".into()],
        ..request_for("acme/app#30")
    };
    let reduced = text(write(&casebook, request).await).await;
    let parts = reduced.split("<!--").next().unwrap();
    assert!(!parts.contains("acme/app#1 ") && !parts.contains("acme/app#31"), "{reduced}");
}

#[tokio::test]
async fn excluded_entries_are_absent_from_the_brief() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let complete = write(&casebook, request_for("acme/app#20")).await;
    let cites = |brief: &Brief, key: &str| {
        brief
            .sections
            .iter()
            .flat_map(|s| &s.entries)
            .flat_map(|e| &e.citations)
            .any(|c| c.key == key)
    };
    assert!(cites(&complete, "acme/app#1") && cites(&complete, "acme/app#7"));
    let keys = vec!["acme/app#1".to_owned(), "acme/app#7".to_owned()];
    let reduced =
        write(&casebook, BriefRequest { leave_out: keys.clone(), ..request_for("acme/app#20") })
            .await;
    assert!(!cites(&reduced, "acme/app#1") && !cites(&reduced, "acme/app#7"));
    assert!(cites(&reduced, "acme/app#20"), "the report itself is missing");
    assert!(reduced.record.sources.iter().all(|source| !keys.contains(&source.key)));
    let markdown = String::from_utf8(render(&reduced, BriefFormat::Markdown).await).unwrap();
    assert!(!markdown.contains("Fixed by #7"), "{markdown}");
    // The record keeps the exclusions for a replay.
    assert_eq!(reduced.record.request.leave_out, keys);
    assert!(complete.record.request.leave_out.is_empty());
}

#[tokio::test]
async fn brief_bytes_do_not_depend_on_time() {
    let env = TestEnv::new();
    let first = write(&env.load(&records()).await, request_for("acme/app#20")).await;
    let later_casebook = Casebook::open(env.options_at(1_990_000_000)).await.unwrap();
    let second = write(&later_casebook, request_for("acme/app#20")).await;
    for format in FORMATS {
        assert_eq!(render(&first, format).await, render(&second, format).await, "{format:?}");
    }
    // A brief records no check.
    assert!(later_casebook.last_check("acme/app#20").await.unwrap().is_none());
}

#[tokio::test]
async fn redacted_text_is_absent_from_every_format() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let secrets = [
        "db1.acme.internal",
        "10.20.30.40",
        "jsmith",
        "ann@corp",
        "ghp_abcdefghij",
        "octo-cat",
        "grace",
    ];
    let unredacted = write(&casebook, request_for("acme/app#20")).await;
    let json = String::from_utf8(render(&unredacted, BriefFormat::Json).await).unwrap();
    assert!(secrets.iter().all(|s| json.contains(s)), "{json}");
    let request = BriefRequest { redact: true, ..request_for("acme/app#20") };
    let brief = write(&casebook, request.clone()).await;
    for format in [BriefFormat::Markdown, BriefFormat::Html, BriefFormat::Json] {
        let text = String::from_utf8(render(&brief, format).await).unwrap().replace('\\', "");
        for secret in secrets {
            assert!(!text.contains(secret), "{secret} in {format:?}\n{text}");
        }
        assert!(text.contains("[host-1]") && text.contains("[user-"), "{text}");
    }
    // The text of a PDF is compressed, so only check that the file differs.
    assert_ne!(render(&brief, BriefFormat::Pdf).await, render(&unredacted, BriefFormat::Pdf).await);
    let preview =
        casebook.preview_redaction(request_for("acme/app#20"), &Task::new()).await.unwrap();
    for secret in ["db1.acme.internal", "10.20.30.40", "jsmith"] {
        assert!(preview.iter().any(|p| p.original == secret), "{preview:?}");
    }
    let mut previewed_names: Vec<_> =
        preview.iter().map(|p| (p.kind.clone(), p.pseudonym.clone())).collect();
    let mut replaced_names: Vec<_> =
        brief.redactions.iter().map(|r| (r.kind.clone(), r.pseudonym.clone())).collect();
    previewed_names.sort();
    replaced_names.sort();
    assert_eq!(previewed_names, replaced_names);
}

#[tokio::test]
async fn hostile_text_is_harmless_in_html() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    // The text contains the markers of a record in HTML and Markdown.
    let body = "</script><script>alert(1)</script> --> <!-- x ![i](https://evil.example/x.png) <img src=x onerror=y> `--` \
        one ` tick <img src=x onerror=y> id=\"precedent-brief\">{\"version\":1}</script> precedent-brief {} -->";
    let hostile = with_fields(
        issue(
            1,
            "</title><script>alert(2)</script> FW-1043 precedent-brief {\"version\":1} --> x",
            body,
        ),
        json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-01-08T00:00:00Z", "html_url": "javascript:alert(3)"}),
    );
    import(&casebook, &env, &[hostile, issue(2, "Another FW-1043 --> x", body)]).await;
    let brief = write(&casebook, request_for("acme/app#2")).await;
    let html = String::from_utf8(render(&brief, BriefFormat::Html).await).unwrap();
    assert_eq!(html.matches("<script").count(), 1, "{html}");
    assert!(
        !html.contains("onerror") && !html.contains("href=\"javascript") && !html.contains("<img")
    );
    let markdown = render(&brief, BriefFormat::Markdown).await;
    let text = String::from_utf8(markdown.clone()).unwrap();
    let has_tag = |name: &str| {
        text.replace("\\<", "").split("<!-- precedent-brief").next().unwrap().contains(name)
    };
    assert!(!text.contains("](<javascript") && !has_tag("<img") && !has_tag("<script"), "{text}");
    for file in [html.into_bytes(), markdown, render(&brief, BriefFormat::Json).await] {
        let replay = casebook.replay_brief(file, &Task::new()).await.unwrap();
        assert!(replay.same, "{:?}", replay.changes);
    }
}

/// Control sequences for terminals and viewers, as characters and as character references.
const CONTROLS: &str = "a\u{1b}]0;owned\u{7}b\u{9b}31mc\u{202e}d\re\u{8}f\u{7f}g\u{200f}h\u{2066}i &#27; &#x202e; &rlm; &#x9b;31m";

#[tokio::test]
async fn no_brief_format_runs_or_fetches_anything() {
    let env = TestEnv::new();
    let casebook = env.open().await;
    let body = format!(
        "FW-1043 {CONTROLS}\n\n![p](http://evil.example/x.png) [go](javascript:alert(1)) <javascript:alert(2)>\n\n\
         [b](JaVaScRiPt:alert(3)) [c] ![[secret.pdf]]\n\n[c]: data:text/html,x\n\n```\n{CONTROLS}\n```"
    );
    let mut solved_item = with_fields(
        issue(1, &format!("Upload stops FW-1043 {CONTROLS}"), &body),
        json!({"state": "closed", "state_reason": CONTROLS, "closed_at": "2026-01-08T00:00:00Z",
               "html_url": "javascript:alert(4)", "labels": [{"name": CONTROLS}], "user": {"login": CONTROLS}}),
    );
    solved_item["milestone"] = json!({"title": CONTROLS});
    let mut duplicate = issue(2, &format!("Upload stops again FW-1043 {CONTROLS}"), &body);
    duplicate["html_url"] = json!(format!("https://tracker.example/{CONTROLS}"));
    import(&casebook, &env, &[solved_item, duplicate, comment(5, 1, &body)]).await;
    let is_control = |c: char| {
        (c.is_control() && !matches!(c, '\n' | '\t'))
            || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
    };
    for request in
        [request_for("acme/app#2"), BriefRequest { redact: true, ..request_for("acme/app#2") }]
    {
        let brief = write(&casebook, request).await;
        for format in [BriefFormat::Markdown, BriefFormat::Html, BriefFormat::Json] {
            let text = String::from_utf8(render(&brief, format).await).unwrap();
            assert!(text.contains("owned") && !text.contains(is_control), "{format:?} {text:?}");
        }
        let values = serde_json::to_value(&brief.sections).unwrap();
        assert!(
            !values.to_string().contains("\\u001b")
                && !values.to_string().contains("javascript:alert(4)")
        );
        let markdown = String::from_utf8(render(&brief, BriefFormat::Markdown).await).unwrap();
        for event in pulldown_cmark::Parser::new_ext(&markdown, pulldown_cmark::Options::all()) {
            use pulldown_cmark::{Event, Tag};
            match event {
                Event::Start(Tag::Image { dest_url, .. }) => {
                    panic!("{dest_url} is fetched\n{markdown}")
                }
                Event::Start(Tag::Link { dest_url, .. }) => {
                    assert!(dest_url.starts_with("http"), "{dest_url}\n{markdown}")
                }
                Event::Text(text) => assert!(!text.contains(is_control), "{text:?}\n{markdown}"),
                _ => {}
            }
        }
        let html = String::from_utf8(render(&brief, BriefFormat::Html).await).unwrap();
        assert!(!html.contains("href=\"javascript") && !html.contains("<img"), "{html}");
        // A PDF contains the addresses of its links uncompressed.
        let pdf = render(&brief, BriefFormat::Pdf).await;
        let contains = |needle: &[u8]| pdf.windows(needle.len()).any(|w| w == needle);
        assert!(!contains(b"javascript:") && pdf.starts_with(b"%PDF"));
        for format in [BriefFormat::Markdown, BriefFormat::Html, BriefFormat::Json] {
            let replay =
                casebook.replay_brief(render(&brief, format).await, &Task::new()).await.unwrap();
            assert!(replay.same, "{format:?} {:?}", replay.changes);
        }
    }
}

#[test]
fn uncertain_names_can_be_kept() {
    let env = TestEnv::new();
    let mail = "Hello, this is Berta Brandt from Blue Harbour. The printer at 10.20.30.40 prints blanks; call 0151-5550199 to ask \
        Brandt.\n\n--\nBerta Brandt | Senior Operations Manager\nBlue Harbour Logistics GmbH, Dock 5, 20457 Hamburg\n\
        Tel. +49 40 555 0100 | berta.brandt@blueharbour.example\nIBAN DE89 3704 0044 0532 0130 00\nCard 4111 1111 1111 1111";
    env.import(format!("{}\n", issue(1, "Label printer 2.3.1 prints blanks", mail)));
    let brief = |args: &[&str]| {
        env.ok(&[&["brief", "acme/app#1", "--without", "questions"], args].concat()).out
    };
    let redacted_brief = brief(&["--redact"]).replace('\\', "");
    for secret in [
        "Berta",
        "Brandt",
        "Blue Harbour",
        "Dock 5",
        "Hamburg",
        "555",
        "DE89",
        "4111",
        "10.20.30.40",
        "berta.brandt",
    ] {
        assert!(!redacted_brief.contains(secret), "{secret}\n{redacted_brief}");
    }
    assert!(
        redacted_brief.contains("Label printer 2.3.1 prints blanks")
            && redacted_brief.contains("https://tracker.example/acme/app/issues/1")
    );
    assert!(
        redacted_brief.contains("names and secrets were replaced; others may remain"),
        "{redacted_brief}"
    );
    let preview = env.json(&["brief", "acme/app#1", "--preview", "--json"]);
    let is_certain = |original: &str| {
        let entry = preview.as_array().unwrap().iter().find(|p| p["original"] == original);
        entry.unwrap_or_else(|| panic!("{original}: {preview}"))["sure"].as_bool().unwrap()
    };
    for original in [
        "Berta Brandt",
        "+49 40 555 0100",
        "DE89 3704 0044 0532 0130 00",
        "4111 1111 1111 1111",
        "20457 Hamburg",
    ] {
        assert!(is_certain(original), "{original}");
    }
    for original in ["Blue Harbour", "Blue Harbour Logistics GmbH", "0151-5550199"] {
        assert!(!is_certain(original), "{original}");
    }
    let kept_brief = brief(&["--redact", "--keep", "blue harbour", "--keep", "not there"]);
    assert!(
        kept_brief.contains("from Blue Harbour.")
            && !kept_brief.contains("Brandt")
            && !kept_brief.contains("not there"),
        "{kept_brief}"
    );
    let file = env.file("kept.md", &kept_brief);
    assert!(env.ok(&["brief", "--replay", &file.to_string_lossy()]).out.contains("No changes"));
    let without_links = brief(&["--redact-links"]);
    assert!(
        !without_links.contains("tracker.example") && !without_links.contains("Brandt"),
        "{without_links}"
    );
    let preview = env.ok(&["brief", "acme/app#1", "--preview"]).out;
    assert!(preview.contains("Uncertain") && preview.contains("Unrecognized names"), "{preview}");
}

#[tokio::test]
async fn replay_lists_the_changes() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let old_brief =
        render(&write(&casebook, request_for("acme/app#20")).await, BriefFormat::Html).await;
    let replay = casebook.replay_brief(old_brief.clone(), &Task::new()).await.unwrap();
    assert!(replay.same && replay.changes.is_empty(), "{:?}", replay.changes);
    let reopened_item = with_fields(
        issue(1, FAILURE, "It is back."),
        json!({"updated_at": "2026-03-01T00:00:00Z"}),
    );
    import(&casebook, &env, &[reopened_item, comment(99, 20, "A new remark about the upload.")])
        .await;
    let replay = casebook.replay_brief(old_brief, &Task::new()).await.unwrap();
    let changes: Vec<String> =
        replay.changes.iter().map(|c| format!("{} {}", c.key, c.what)).collect();
    assert!(
        !replay.same && changes.contains(&"acme/app#1 was closed as completed, is open".to_owned()),
        "{changes:?}"
    );
    assert!(changes.contains(&"acme/app#20 has 1 more comment".to_owned()), "{changes:?}");
    for invalid_file in [&b"%PDF-1.7"[..], b"# Just text", b"{\"title\": 1}", b"\xff\xfe"] {
        let error = casebook.replay_brief(invalid_file.to_vec(), &Task::new()).await.unwrap_err();
        assert_eq!(error.code(), Code::InvalidInput);
    }
}

#[test]
fn brief_from_standard_input_can_be_replayed() {
    let env = TestEnv::new();
    env.import(json_lines(&records()));
    let failure =
        "2026-05-01 08:00:00 ERROR FW-1043 upload stopped by ghp_abcdefghijklmnopqrstuvwxyz0123\n";
    let long_log = format!("{}{failure}", "2026-05-01 07:00:00 INFO all is fine\n".repeat(400));
    for (log, is_long) in [(failure, false), (&*long_log, true)] {
        for redacts in [false, true] {
            let args = [&["brief", "-"][..], if redacts { &["--redact"] } else { &[] }].concat();
            let brief = env.run_with_input(&args, log).out;
            let record = brief.rsplit("<!-- precedent-brief ").next().unwrap();
            assert_eq!(record.contains("\"logs\":[\"-\"]"), is_long, "{record}");
            let is_partial = brief.contains("which cited items have changed since");
            assert_eq!(is_partial, is_long || redacts, "{brief}");
            let file = env.file("brief.md", &brief);
            let run = env.ok(&["brief", "--replay", &file.to_string_lossy()]);
            assert!(run.out.contains("No changes"), "{is_long} {redacts} {}", run.out);
            assert_eq!(run.out.contains("only the cited items"), is_long, "{}", run.out);
        }
    }
}

#[tokio::test]
async fn brief_omits_sections_and_private_notes() {
    let env = TestEnv::new();
    let casebook = env.load(&records()).await;
    let note = NoteDraft {
        kind: NoteKind::Lesson,
        title: "For my eyes".into(),
        body: "The customer is in a hurry.".into(),
        tags: vec![],
        attach: vec!["acme/app#20".into()],
        force: false,
    };
    casebook.add_note(note, &Task::new()).await.unwrap();
    let text = |brief: Brief| async move {
        String::from_utf8(render(&brief, BriefFormat::Json).await).unwrap()
    };
    assert!(!text(write(&casebook, request_for("acme/app#20")).await).await.contains("in a hurry"));
    let request = BriefRequest { notes: true, ..request_for("acme/app#20") };
    assert!(text(write(&casebook, request).await).await.contains("in a hurry"));
    let request = BriefRequest { without: SectionKind::ALL.to_vec(), ..request_for("acme/app#20") };
    assert!(write(&casebook, request).await.sections.is_empty());
    let request = BriefRequest { text: FAILURE.into(), ..Default::default() };
    let brief = write(&casebook, request).await;
    assert_eq!(brief.title, FAILURE);
    assert!(brief.sections.iter().any(|s| s.kind == SectionKind::Cases));
    let error = casebook.brief(BriefRequest::default(), &Task::new()).await.unwrap_err();
    assert_eq!(error.code(), Code::InvalidInput);
}

#[test]
fn output_format_follows_the_file_extension() {
    let env = TestEnv::new();
    let lines = json_lines(&records());
    let path = env.file("in.jsonl", lines);
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
    let run = env.ok(&["brief", "acme/app#20", "--redact"]);
    insta::assert_snapshot!("brief", run.snapshot_text(&env));
    for (name, start) in
        [("b.md", "# "), ("b.html", "<!doctype html>"), ("b.json", "{"), ("b.pdf", "%PDF-")]
    {
        let file = env.path(name);
        env.ok(&["brief", "acme/app#20", "-o", &file.to_string_lossy()]);
        assert!(fs::read(&file).unwrap().starts_with(start.as_bytes()), "{name}");
    }
    let html = env.path("b.html");
    let run = env.ok(&["brief", "--replay", &html.to_string_lossy()]);
    assert!(run.out.contains("No changes"), "{}", run.out);
    let run = env.ok(&["brief", "acme/app#20", "--preview"]);
    assert!(run.out.contains("jsmith"), "{}", run.out);
    let run = env.run(&["brief", "acme/app#20", "-o", "b.docx"]);
    run.assert_error(2, &["docx"]);
    let pdf = env.path("b.pdf");
    assert_eq!(env.run(&["brief", "--replay", &pdf.to_string_lossy()]).code, Some(2));
}

#[test]
fn brief_quotes_key_lines_and_counts_confirmations() {
    let env = TestEnv::new();
    let step = |n: usize| format!("2026-01-03 09:{:02}:00 INFO step {n}\n", n % 60);
    let steps = |from: usize| (from..from + 1_500).map(step).collect::<String>();
    let log =
        format!("{}2026-01-03 10:00:00 FATAL FW-777 index page torn\n{}", steps(0), steps(1_500));
    let closed_fields = json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-01-08T00:00:00Z"});
    let mut records = vec![
        issue(1, "Index stops at night", &format!("It stops.\n\n```\n{log}```\n\nOn 2.3.1.")),
        with_fields(
            issue(2, "Sync is slow for everyone", "Since 2.3.0 the sync is slow."),
            closed_fields,
        ),
        issue(
            3,
            "Grey thumbnails",
            "The log says:\n  thumbnailer: decoder tiff: unsupported compression 7",
        ),
        issue(4, "Blue thumbnails", "They are blue, since yesterday."),
    ];
    records.extend(
        (0..30).map(|n| comment(100 + n, 2, &format!("Same here with {n} files. Any news?"))),
    );
    let fix = comment(200, 2, "The index was dropped. Run `fw fix-index`; fixed in 2.3.2.");
    records.push(with_fields(fix, json!({"created_at": "2026-01-07T03:04:05Z"})));
    env.import(json_lines(&records));

    let out = env.ok(&["brief", "acme/app#1"]).out;
    assert!(out.contains("FW-777") && out.contains("It stops.") && out.len() < 20_000, "{out}");

    let out = env.ok(&["brief", "acme/app#2"]).out;
    let position =
        |part: &str| out.find(part).unwrap_or_else(|| panic!("{part} is missing: {out}"));
    assert!(position("fw fix-index") < position("Same here with"), "{out}");
    assert_eq!(
        (out.matches("Same here").count(), out.matches("29 more confirm it").count()),
        (1, 1),
        "{out}"
    );

    let question = "Is there a log, an error message or a stack trace?";
    assert!(!env.ok(&["brief", "acme/app#3"]).out.contains(question));
    assert!(env.ok(&["brief", "acme/app#4"]).out.contains(question));

    let out = env.ok(&["troubleshoot", "acme/app#2"]).out;
    let position =
        |part: &str| out.find(part).unwrap_or_else(|| panic!("{part} is missing: {out}"));
    assert!(
        position("fw fix-index") < position("Same here with") && out.contains("29 more confirm it"),
        "{out}"
    );
    assert_eq!(out.matches("Same here").count(), 1, "{out}");
}

#[test]
fn pdf_supports_every_script() {
    let env = TestEnv::new();
    let text = "升级之后，缩略图都是灰色的。\n\nไม่สามารถเข้าสู่ระบบหลังจากการอัปเดตแอปพลิเคชัน\n\nមិនអាចចូលបាន\n\nမဝင်နိုင်ပါ";
    let path = env.file("in.jsonl", json_lines(&[issue(1, "缩略图变灰 ไม่สามารถ", text)]));
    env.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
    let pdf = env.path("b.pdf");
    let run = env.ok(&["-q", "brief", "acme/app#1", "-o", &pdf.to_string_lossy()]);
    assert_eq!((run.out.as_str(), run.err.as_str()), ("", ""));
    assert!(fs::read(&pdf).unwrap().starts_with(b"%PDF-"));
}
