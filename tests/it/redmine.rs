//! A test with a real Redmine if one is installed (Debian: `redmine redmine-sqlite puma`).

use std::{
    fs::File,
    io::{Read as _, Write as _},
    net::TcpStream,
    path::Path,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use precedent_core::{
    Code, Task,
    model::{NewMirror, SyncRequest},
};
use precedent_engine::Casebook;
use serde_json::{Value, json};

use crate::{support::TestEnv, sync::sync_ok};

const INSTALL_DIR: &str = "/usr/share/redmine";
/// The database that Debian's package creates when it is configured with SQLite.
const EMPTY_DATABASE: &str =
    "/var/lib/dbconfig-common/sqlite3/redmine/instances/default/redmine_default";
const KEY: &str = "0123456789abcdef0123456789abcdefcanary42";

/// Returns the version of Debian's Bundler, because Ruby's own does not find packaged gems.
fn packaged_bundler() -> Option<String> {
    let entries = std::fs::read_dir("/usr/share/rubygems-integration/all/specifications").ok()?;
    entries.flatten().find_map(|entry| {
        let name = entry.file_name().into_string().ok()?;
        Some(name.strip_prefix("bundler-")?.strip_suffix(".gemspec")?.to_owned())
    })
}

/// A server that is stopped and removed on drop.
struct Redmine {
    folder: tempfile::TempDir,
    child: Child,
    port: u16,
}

impl Drop for Redmine {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Redmine {
    /// Starts a server if Redmine is installed.
    fn start() -> Option<Self> {
        if !Path::new(INSTALL_DIR).exists() || File::open(EMPTY_DATABASE).is_err() {
            eprintln!(
                "SKIPPED: no Redmine with SQLite is installed here (cargo xtask test --only servers)"
            );
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        for name in ["config", "log", "tmp/cache", "files"] {
            std::fs::create_dir_all(root.join(name)).unwrap();
        }
        let database = root.join("redmine.db");
        std::fs::copy(EMPTY_DATABASE, &database).unwrap();
        let config = format!(
            "production:\n  adapter: sqlite3\n  database: {}\n  timeout: 20000\n",
            database.display()
        );
        std::fs::write(root.join("config/database.yml"), config).unwrap();
        std::fs::write(root.join("config/secret_key.txt"), "5".repeat(64)).unwrap();
        let connection = rusqlite::Connection::open(&database).unwrap();
        connection
            .execute_batch(&format!(
                "INSERT INTO settings (name, value, updated_on) VALUES ('rest_api_enabled', '1', datetime('now')),
                     ('notified_events', '--- []', datetime('now'));
                 INSERT INTO tokens (user_id, action, value, created_on, updated_on)
                     VALUES (1, 'api', '{KEY}', datetime('now'), datetime('now'));
                 UPDATE users SET must_change_passwd = 0;"
            ))
            .unwrap();
        drop(connection);
        let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let log = File::create(root.join("puma.log")).unwrap();
        let child = Command::new("puma")
            .args([
                "-e",
                "production",
                "-b",
                &format!("tcp://127.0.0.1:{port}"),
                "-w",
                "0",
                "-t",
                "1:1",
            ])
            .args(["--dir", INSTALL_DIR, "config.ru"])
            .current_dir(INSTALL_DIR)
            // Instances are relative to the package's folder.
            .env("REDMINE_INSTANCE", format!("../../../..{}", root.display()))
            .env("RAILS_ENV", "production")
            .envs(packaged_bundler().map(|version| ("BUNDLER_VERSION", version)))
            .stdin(Stdio::null())
            .stdout(log.try_clone().unwrap())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut redmine = Self { folder, child, port };
        let start = Instant::now();
        while redmine
            .ask("GET", "/issue_statuses.json", None)
            .is_none_or(|(status, _)| status != 200)
        {
            let log = || {
                std::fs::read_to_string(redmine.folder.path().join("puma.log")).unwrap_or_default()
            };
            assert!(
                start.elapsed() < Duration::from_secs(120),
                "Redmine does not start: {}",
                log()
            );
            assert!(redmine.child.try_wait().unwrap().is_none(), "Redmine ended: {}", log());
            std::thread::sleep(Duration::from_millis(300));
        }
        Some(redmine)
    }

    fn host(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    fn ask(&self, method: &str, path: &str, body: Option<&Value>) -> Option<(u16, Value)> {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).ok()?;
        let body = body.map(Value::to_string).unwrap_or_default();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{}\r\nX-Redmine-API-Key: {KEY}\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
            self.port,
            body.len()
        )
        .ok()?;
        let mut text = String::new();
        stream.read_to_string(&mut text).ok()?;
        let status = text.split(' ').nth(1)?.parse().ok()?;
        let body = text.split_once("\r\n\r\n").map_or("", |(_, b)| b);
        let body = body.find('{').and_then(|start| {
            serde_json::from_str(body[start..].trim_end_matches("\r\n0\r\n\r\n").trim()).ok()
        });
        Some((status, body.unwrap_or(Value::Null)))
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Value {
        let (status, answer) = self.ask(method, path, Some(body)).unwrap();
        assert!((200..300).contains(&status), "{method} {path}: {status} {answer}");
        answer
    }

    fn issue(&self, subject: &str, text: &str) -> u64 {
        let issue = json!({"issue": {"project_id": "app", "tracker_id": 1, "subject": subject, "description": text,
            "status_id": 1, "priority_id": 2}});
        self.send("POST", "/issues.json", &issue)["issue"]["id"].as_u64().unwrap()
    }

    fn change(&self, number: u64, change: Value) {
        self.send("PUT", &format!("/issues/{number}.json"), &json!({"issue": change}));
    }
}

#[tokio::test]
async fn real_redmine_is_mirrored_and_updated() {
    let Some(redmine) = Redmine::start() else { return };
    let modules = ["issue_tracking", "wiki"];
    redmine.send(
        "POST",
        "/projects.json",
        &json!({"project": {"name": "The app", "identifier": "app",
        "is_public": false, "enabled_module_names": modules, "tracker_ids": [1, 2, 3]}}),
    );
    redmine.send(
        "POST",
        "/projects.json",
        &json!({"project": {"name": "Below", "identifier": "below", "parent_id": 1,
        "is_public": false, "enabled_module_names": modules, "tracker_ids": [1, 2, 3]}}),
    );
    for n in 1..=115 {
        redmine.issue(
            &format!("Trouble {n} with the pump"),
            &format!("h2. What happens\n\nThe valve @v{n}@ *leaks*."),
        );
    }
    // The issue of another project must not appear in the lists of this one.
    redmine.send(
        "POST",
        "/issues.json",
        &json!({"issue": {"project_id": "below", "tracker_id": 1,
        "subject": "Not of the app", "status_id": 1, "priority_id": 2}}),
    );
    for n in [3, 5, 8] {
        redmine.change(n, json!({"notes": format!("Is it valve @{n}@?")}));
        redmine.change(n, json!({"notes": "Tightened it.", "private_notes": n == 5}));
    }
    redmine.change(8, json!({"status_id": 5}));
    redmine.send(
        "POST",
        "/issues/8/relations.json",
        &json!({"relation": {"issue_to_id": 3, "relation_type": "duplicates"}}),
    );
    redmine.send(
        "PUT",
        "/projects/app/wiki/Wiki.json",
        &json!({"wiki_page": {"text": "h1. Welcome\n\nSee [[Pumps]]."}}),
    );
    redmine.send(
        "PUT",
        "/projects/app/wiki/Pumps.json",
        &json!({"wiki_page": {"text": "h1. Pumps\n\n* one\n* two"}}),
    );

    let env = TestEnv::new();
    let open = async |key: &'static str| {
        let mut options = crate::sync::options(&env, Some(key));
        options.clock = std::sync::Arc::new(jiff::Timestamp::now);
        Casebook::open(options).await.unwrap()
    };
    let casebook = open(KEY).await;
    let new_mirror = NewMirror {
        tracker: "redmine".to_owned(),
        place: format!("{}/app", redmine.host()),
        key: Some("acme/app".to_owned()),
        wiki: true,
        ..NewMirror::default()
    };
    casebook.add_tracker(new_mirror).await.unwrap();
    let access = casebook.test_source("acme/app", &Task::new()).await.unwrap();
    assert_eq!((access.user.as_deref(), access.project.private), (Some("admin"), true));
    let report = sync_ok(&casebook, false).await;
    assert_eq!((report.new, report.skipped), (115 + 6 + 2, 0), "{report:?}");
    let thread = casebook.thread("acme/app#8").await.unwrap();
    assert_eq!(thread.state_reason.as_deref(), Some("Closed"));
    assert_eq!(thread.comments.len(), 2);
    assert_eq!(thread.comments[0].markdown.trim(), "Is it valve `8`?");
    assert!(
        thread.links.iter().any(|l| l.kind == "duplicate_of" && l.key == "acme/app#3"),
        "{:?}",
        thread.links
    );
    assert_eq!(thread.markdown, "## What happens\n\nThe valve `v8` **leaks**.\n");
    let page = casebook.thread("acme/app:Wiki").await.unwrap();
    assert_eq!(page.markdown, "# Welcome\n\nSee Pumps.\n");

    let report = sync_ok(&casebook, false).await;
    assert_eq!((report.new, report.updated, report.gone), (0, 0, 0), "{report:?}");

    redmine.change(17, json!({"subject": "Another title"}));
    redmine.change(3, json!({"notes": "And again."}));
    let new_number = redmine.issue("A new one", "Fresh.");
    redmine.send(
        "PUT",
        "/projects/app/wiki/Pumps.json",
        &json!({"wiki_page": {"text": "h1. Pumps\n\nGone dry."}}),
    );
    let report = sync_ok(&casebook, false).await;
    // Issues 17 and 3 and the page changed; an issue and a note are new.
    assert_eq!((report.new, report.updated), (2, 3), "{report:?}");
    assert_eq!(casebook.thread("acme/app#17").await.unwrap().title, "Another title");
    assert_eq!(casebook.thread("acme/app#3").await.unwrap().comments.len(), 3);
    assert_eq!(
        casebook.thread(&format!("acme/app#{new_number}")).await.unwrap().title,
        "A new one"
    );
    assert!(casebook.thread("acme/app:Pumps").await.unwrap().markdown.contains("Gone dry"));

    // An item and a page are deleted, and an item is moved to another project.
    let delete =
        |method: &str, path: &str| assert!(redmine.ask(method, path, None).unwrap().0 < 300);
    delete("DELETE", "/issues/20.json");
    delete("DELETE", "/projects/app/wiki/Pumps.json");
    redmine.change(21, json!({"project_id": 2}));
    let report = sync_ok(&casebook, true).await;
    assert_eq!(report.gone, 3, "{report:?}");
    for key in ["acme/app#20", "acme/app#21", "acme/app:Pumps"] {
        assert!(casebook.thread(key).await.unwrap().deleted_at.is_some(), "{key}");
    }
    let source = &casebook.sources().await.unwrap()[0];
    assert_eq!((source.issues, source.pages, source.orphan_comments), (114, 1, 0));
    assert_eq!(crate::sync::files_with(&env.casebook(), KEY.as_bytes()), Vec::<String>::new());

    // A wrong key is detected even for public content.
    drop(casebook);
    let casebook = open("ffffffffffffffffffffffffffffffffffffffff").await;
    let report = casebook.sync(SyncRequest::default(), &Task::new()).await.unwrap().pop().unwrap();
    assert_eq!(report.problem.unwrap().code(), Code::Authentication);
}
