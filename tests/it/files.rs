//! Tests of files that trackers and tools write, imported by the real binary.

use std::io::Write as _;

use serde_json::json;

use crate::{support::Place, sync::releases};

fn import<'a>(kind: &'a str, path: &'a str) -> Vec<&'a str> {
    vec!["import", kind, path, "--source", "acme/app"]
}

#[test]
fn output_of_gh_is_imported() {
    let place = Place::new();
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
    let path = place.file("all.json", records.to_string()).to_string_lossy().into_owned();
    let ran = place.ok(&import("github", &path));
    assert!(
        ran.err.contains("2 items, 1 comment") && ran.err.contains("belongs to other/app"),
        "{}",
        ran.err
    );
    let hits = place.json(&["search", "gasket", "--json=key"]);
    assert_eq!(hits[0]["key"], "acme/app#7", "{hits}");
    let ran = place.ok(&import("github", &path));
    assert!(ran.err.contains("0 new, 3 unchanged"), "{}", ran.err);
}

#[test]
fn changelogs_and_release_lists_are_imported() {
    let place = Place::new();
    let changelog = "# Changelog\n\n## [Unreleased]\n\n- Faster (#9)\n\n## [1.2.0] - 2024-02-03\n\n- The lid closes (#7)\n\n\
        ## [1.1.0] - 2024-01-02\n\n- The pump stops (#6)\n";
    let path = place.file("app/CHANGELOG.md", changelog).to_string_lossy().into_owned();
    let ran = place.ok(&["import", &path, "--source", "acme/app"]);
    assert!(ran.err.contains("1 wiki page"), "{}", ran.err);
    let release = |tag: &str, is_draft: bool| {
        json!({"url": "https://api.github.com/repos/acme/app/releases/1", "id": 1, "tag_name": tag, "name": tag,
            "html_url": format!("https://github.com/acme/app/releases/tag/{tag}"), "draft": is_draft, "prerelease": false,
            "created_at": "2024-03-04T00:00:00Z", "published_at": "2024-03-04T00:00:00Z", "body": "* Stop in time (#8)",
            "author": {"login": "ada"}, "assets": [{"id": 1, "name": "app.zip", "state": "uploaded", "label": "The app",
                "created_at": "2024-03-04T00:00:00Z", "updated_at": "2024-03-04T00:00:00Z"}]})
    };
    let list = json!([release("v1.4.0", true), release("v1.3.0", false)]);
    let path = place.file("releases.json", list.to_string()).to_string_lossy().into_owned();
    let ran = place.json(&["import", &path, "--dry-run", "--json"]);
    assert_eq!(ran["understood"][0]["releases"], 1, "{ran}");
    place.ok(&["import", &path]);
    let want = [
        ("1.1.0", true, vec![6]),
        ("1.2.0", true, vec![7]),
        ("Unreleased", false, vec![9]),
        ("v1.3.0", true, vec![8]),
    ];
    let want =
        want.map(|(name, is_released, items)| (name.to_owned(), is_released, is_released, items));
    assert_eq!(releases(&place), want);
}

#[test]
fn migration_archive_is_read_without_unpacking() {
    let place = Place::new();
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
        // A hostile archive may name its members like this; no such file is written.
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
    let path = place.file("migration.tar.gz", &bytes).to_string_lossy().into_owned();
    let ran = place.ok(&import("github", &path));
    assert!(
        ran.err.contains("121 items, 1 comment") && !ran.err.contains("skipped"),
        "{}",
        ran.err
    );
    let hits = place.json(&["search", "gasket", "--json=key"]);
    assert_eq!(hits[0]["key"], "acme/app#3", "{hits}");

    // A truncated archive is reported, and so is one without records.
    let path = place.file("cut.tar.gz", &bytes[..bytes.len() / 2]).to_string_lossy().into_owned();
    let ran = place.run(&import("github", &path));
    assert!(ran.code == Some(2) && ran.err.contains("truncated or damaged"), "{}", ran.err);
    let empty = tar::Builder::new(Vec::new()).into_inner().unwrap();
    let path = place.file("empty.tar", empty).to_string_lossy().into_owned();
    let ran = place.run(&import("github", &path));
    assert!(ran.code == Some(1) && ran.err.contains("issues_000001.json"), "{}", ran.err);
}

#[test]
fn table_with_mapped_columns_is_imported() {
    let place = Place::new();
    let text = "Ticket;Legende;Story;Status;Opened\nAPP-7;Valve leaks;\"It drips,\nand drips\";Open;2024-01-02\nAPP-8;Hose bursts;;Closed;soon\n";
    let path = place.file("export.csv", text).to_string_lossy().into_owned();
    let ran = place.run(&import("csv", &path));
    assert_eq!(ran.code, Some(0), "{}", ran.err);
    assert!(ran.err.contains("guessed: Legende (title)"), "{}", ran.err);
    let mut arguments = import("csv", &path);
    arguments.extend(["--map", "title=Legende", "--map", "body=Story", "--map", "created=Opened"]);
    let ran = place.ok(&arguments);
    assert!(
        ran.err.contains("2 items")
            && ran.err.contains("Opened: \"soon\" is not a recognized date"),
        "{}",
        ran.err
    );
    *arguments.last_mut().unwrap() = "created=";
    let ran = place.ok(&arguments);
    assert!(ran.err.contains("2 items"), "{}", ran.err);
    assert_eq!(place.json(&["show", "acme/app#8", "--json"])["state"], "closed");
    assert_eq!(place.json(&["search", "drips", "--json=key"])[0]["key"], "acme/app#7");
}
