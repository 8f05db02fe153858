//! Tests of importing the files that trackers and tools write.

use std::io::Write as _;

use serde_json::json;

use crate::{support::TestEnv, sync::releases};

fn import_args<'a>(kind: &'a str, path: &'a str) -> Vec<&'a str> {
    vec!["import", kind, path, "--source", "acme/app"]
}

#[test]
fn gh_output_is_imported() {
    let env = TestEnv::new();
    let records = json!([
        {"number": 7, "title": "Valve leaks", "body": "It drips.", "state": "OPEN", "stateReason": "", "author": {"login": "ada"},
            "labels": [{"name": "bug"}], "createdAt": "2024-01-01T00:00:00Z", "updatedAt": "2024-01-02T00:00:00Z",
            "url": "https://github.com/acme/app/issues/7", "comments": [
                {"id": "IC_1", "author": {"login": "grace"}, "body": "Tighten the gasket.", "createdAt": "2024-01-01T10:00:00Z",
                    "url": "https://github.com/acme/app/issues/7#issuecomment-55"}]},
        {"number": 8, "title": "Hose bursts", "state": "CLOSED", "stateReason": "NOT_PLANNED", "comments": [],
            "url": "https://github.com/acme/app/issues/8"},
        {"number": 9, "title": "Of another project", "state": "OPEN", "comments": [], "url": "https://github.com/other/app/issues/9"},
    ]);
    let path = env.file_arg("all.json", records.to_string());
    let run = env.ok(&import_args("github", &path));
    run.assert_stderr(&["2 items, 1 comment", "belongs to other/app"]);
    let hits = env.json(&["search", "gasket", "--json=key"]);
    assert_eq!(hits[0]["key"], "acme/app#7", "{hits}");
    let run = env.ok(&import_args("github", &path));
    assert!(run.err.contains("0 new, 3 unchanged"), "{}", run.err);
}

#[test]
fn changelogs_and_release_lists_are_imported() {
    let env = TestEnv::new();
    let changelog = "# Changelog\n\n## [Unreleased]\n\n- Faster (#9)\n\n## [1.2.0] - 2024-02-03\n\n- The lid closes (#7)\n\n\
        ## [1.1.0] - 2024-01-02\n\n- The pump stops (#6)\n";
    let path = env.file_arg("app/CHANGELOG.md", changelog);
    let run = env.ok(&["import", &path, "--source", "acme/app"]);
    assert!(run.err.contains("1 wiki page"), "{}", run.err);
    let release = |tag: &str, is_draft: bool| {
        json!({"url": "https://api.github.com/repos/acme/app/releases/1", "id": 1, "tag_name": tag, "name": tag,
            "html_url": format!("https://github.com/acme/app/releases/tag/{tag}"), "draft": is_draft, "prerelease": false,
            "created_at": "2024-03-04T00:00:00Z", "published_at": "2024-03-04T00:00:00Z", "body": "* Stop in time (#8)",
            "author": {"login": "ada"}, "assets": [{"id": 1, "name": "app.zip", "state": "uploaded", "label": "The app",
                "created_at": "2024-03-04T00:00:00Z", "updated_at": "2024-03-04T00:00:00Z"}]})
    };
    let list = json!([release("v1.4.0", true), release("v1.3.0", false)]);
    let path = env.file_arg("releases.json", list.to_string());
    let run = env.json(&["import", &path, "--dry-run", "--json"]);
    assert_eq!(run["understood"][0]["releases"], 1, "{run}");
    env.ok(&["import", &path]);
    let expected = [
        ("1.1.0", true, vec![6]),
        ("1.2.0", true, vec![7]),
        ("Unreleased", false, vec![9]),
        ("v1.3.0", true, vec![8]),
    ];
    let expected = expected
        .map(|(name, is_released, items)| (name.to_owned(), is_released, is_released, items));
    assert_eq!(releases(&env), expected);
}

#[test]
fn migration_archive_is_read_without_unpacking() {
    let env = TestEnv::new();
    let issue = |n: u32| {
        json!({"type": "issue", "url": format!("https://github.com/acme/app/issues/{n}"), "repository": "https://github.com/acme/app",
            "user": "https://github.com/ada", "title": format!("Trouble {n}"), "body": "The valve leaks.", "labels": [],
            "closed_at": null, "created_at": "2024-01-01T00:00:00Z"})
    };
    let comment = json!({"type": "issue_comment", "url": "https://github.com/acme/app/issues/3#issuecomment-9",
        "issue": "https://github.com/acme/app/issues/3", "user": "https://github.com/grace", "body": "Tighten the gasket.",
        "created_at": "2024-01-02T00:00:00Z"});
    let mut tar =
        tar::Builder::new(flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast()));
    let mut add = |name: &str, text: String| {
        let mut header = tar::Header::new_gnu();
        // A hostile archive may have members with such names.
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.set_size(text.len() as u64);
        header.set_mode(0o644);
        header.set_cksum();
        tar.append(&header, text.as_bytes()).unwrap();
    };
    add("schema.json", json!({"version": "1.0.1"}).to_string());
    add(
        "users_000001.json",
        json!([{"type": "user", "url": "https://github.com/ada", "login": "ada"}]).to_string(),
    );
    add("issue_comments_000001.json", json!([comment]).to_string());
    add("issues_000001.json", json!((1..=120).map(issue).collect::<Vec<_>>()).to_string());
    add("../../issues_000002.json", json!([issue(121)]).to_string());
    let mut gz = tar.into_inner().unwrap();
    gz.flush().unwrap();
    let bytes = gz.finish().unwrap();
    let path = env.file_arg("migration.tar.gz", &bytes);
    let run = env.ok(&import_args("github", &path));
    assert!(
        run.err.contains("121 items, 1 comment") && !run.err.contains("skipped"),
        "{}",
        run.err
    );
    let hits = env.json(&["search", "gasket", "--json=key"]);
    assert_eq!(hits[0]["key"], "acme/app#3", "{hits}");

    // A truncated archive and one without records are reported.
    let path = env.file_arg("cut.tar.gz", &bytes[..bytes.len() / 2]);
    let run = env.run(&import_args("github", &path));
    run.assert_error(2, &["truncated or damaged"]);
    let empty_archive = tar::Builder::new(Vec::new()).into_inner().unwrap();
    let path = env.file_arg("empty.tar", empty_archive);
    let run = env.run(&import_args("github", &path));
    run.assert_error(1, &["issues_000001.json"]);
}

#[test]
fn table_with_mapped_columns_is_imported() {
    let env = TestEnv::new();
    let text = "Ticket;Legende;Story;Status;Opened\nAPP-7;Valve leaks;\"It drips,\nand drips\";Open;2024-01-02\nAPP-8;Hose bursts;;Closed;soon\n";
    let path = env.file_arg("export.csv", text);
    let run = env.run(&import_args("csv", &path));
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("guessed: Legende (title)"), "{}", run.err);
    let mut arguments = import_args("csv", &path);
    arguments.extend(["--map", "title=Legende", "--map", "body=Story", "--map", "created=Opened"]);
    let run = env.ok(&arguments);
    run.assert_stderr(&["2 items", "Opened: \"soon\" is not a recognized date"]);
    *arguments.last_mut().unwrap() = "created=";
    let run = env.ok(&arguments);
    assert!(run.err.contains("2 items"), "{}", run.err);
    assert_eq!(env.json(&["show", "acme/app#8", "--json"])["state"], "closed");
    assert_eq!(env.json(&["search", "drips", "--json=key"])[0]["key"], "acme/app#7");
}
