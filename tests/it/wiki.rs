//! Tests of git wikis, served over HTTP with token authentication.

use std::{
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use precedent_core::{
    Code, Task,
    model::{GapKind, SyncReport, SyncRequest},
};

use crate::{
    fake_github::{FakeGitHub, github_source},
    git_http::{basic_auth, git},
    support::{Run, TestEnv},
    sync::Mirror,
};

const CANARY: &str = "ghp_canary9876543210";

/// A wiki with a working copy to change it.
struct Wiki {
    folder: tempfile::TempDir,
}

impl Wiki {
    /// Creates a wiki with the content of a bundle, or an empty one.
    fn new(bundle: Option<&Path>) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("root/acme/app.wiki.git");
        std::fs::create_dir_all(&repository).unwrap();
        match bundle {
            Some(bundle) => {
                let bundle = bundle.to_string_lossy().into_owned();
                git(
                    folder.path(),
                    &["clone", "-q", "--bare", &bundle, &repository.to_string_lossy()],
                );
            }
            None => drop(git(&repository, &["init", "-q", "--bare"])),
        }
        git(folder.path(), &["clone", "-q", &repository.to_string_lossy(), "work"]);
        Self { folder }
    }

    fn root(&self) -> PathBuf {
        self.folder.path().join("root")
    }

    fn checkout(&self) -> PathBuf {
        self.folder.path().join("work")
    }

    fn write(&self, name: &str, text: &str) {
        let path = self.checkout().join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    fn push(&self, message: &str) {
        git(&self.checkout(), &["add", "-A"]);
        git(&self.checkout(), &["commit", "-q", "-m", message, "--date=2026-05-01T00:00:00Z"]);
        git(&self.checkout(), &["push", "-q", "-f", "origin", "HEAD"]);
    }

    /// Returns the tracker that the wiki belongs to.
    fn tracker(&self) -> FakeGitHub {
        let github = FakeGitHub::new("acme/app");
        github.world().fill(3, 0);
        github.world().token = Some(CANARY.to_owned());
        github.world().wiki = Some(self.root());
        github
    }
}

async fn mirror(github: &FakeGitHub) -> Mirror {
    let mirror = Mirror::with_token(github, Some(CANARY)).await;
    mirror.casebook.add_tracker(github_source("acme/app", &github.host, true)).await.unwrap();
    mirror
}

fn wiki_gap(report: &SyncReport) -> Option<&str> {
    report.gaps.iter().find(|g| g.kind == GapKind::Wiki).map(|g| g.hint.text.as_str())
}

#[tokio::test]
async fn every_markup_is_read_and_other_files_ignored() {
    let wiki = Wiki::new(None);
    for (name, text) in [
        ("Home.md", "# Welcome\n"),
        ("_Sidebar.md", "* [[Home]]\n"),
        ("_Footer.md", "The end\n"),
        ("How to, and why.textile", "h2. Steps\n\n* @one@\n"),
        ("Pump.rst", "Pump\n====\n\n``code``\n"),
        ("Valve.asciidoc", "== Valve\n\n*bold*\n"),
        ("Hose.mediawiki", "== Hose ==\n'''bold'''\n"),
        ("Tank.org", "* Tank\n=code=\n"),
        ("Seal.creole", "== Seal\n**bold**\n"),
        ("Tube.rdoc", "= Tube\n+code+\n"),
        ("Ring.pod", "=head1 Ring\n\nC<code>\n"),
        ("deep/Nested.md", "Nested\n"),
        ("other/Nested.md", "Shadowed\n"),
        ("picture.png", "not text"),
        ("Broken.md", "ok"),
    ] {
        wiki.write(name, text);
    }
    std::fs::write(wiki.checkout().join("Broken.md"), b"\xff\xfe").unwrap();
    wiki.push("All of it");
    let github = wiki.tracker();
    let mirror = mirror(&github).await;
    let report = mirror.sync_ok().await;
    assert_eq!((report.wiki_pages, report.skipped), (10, 2), "{report:?}");
    assert_eq!(wiki_gap(&report), None);
    assert!(report.gaps.iter().any(|g| g.kind == GapKind::Unreadable), "{:?}", report.gaps);
    for (page, expected) in [
        ("Home", "# Welcome"),
        ("How-to,-and-why", "- `one`"),
        ("Pump", "`code`"),
        ("Valve", "**bold**"),
        ("Hose", "**bold**"),
        ("Tank", "`code`"),
        ("Seal", "**bold**"),
        ("Tube", "`code`"),
        ("Ring", "`code`"),
        ("Nested", "Nested"),
    ] {
        let thread = mirror.casebook.thread(&format!("acme/app:{page}")).await.unwrap();
        assert!(thread.markdown.contains(expected), "{page}: {}", thread.markdown);
        assert_eq!(thread.author.as_deref(), Some("Ada"));
    }
    let thread = mirror.casebook.thread("acme/app:How-to,-and-why").await.unwrap();
    assert_eq!(thread.title, "How to, and why");
    assert_eq!(thread.url, Some(format!("{}/acme/app/wiki/How-to,-and-why", github.host)));
}

#[tokio::test]
async fn git_wiki_is_mirrored_and_updated() {
    let bundle = std::env::var("PRECEDENT_WIKI_BUNDLE").map_or_else(
        |_| {
            // The folder is in the checkout or next to it.
            let root = Path::new(env!("CARGO_MANIFEST_DIR"));
            let places = [root, root.parent().unwrap_or(root)]
                .map(|p| p.join("shared/data/rust-lang__rust.wiki.bundle"));
            places.iter().find(|p| p.exists()).unwrap_or(&places[0]).clone()
        },
        PathBuf::from,
    );
    if !bundle.exists() {
        eprintln!("SKIPPED: no bundle of a real wiki; name one in PRECEDENT_WIKI_BUNDLE");
        return;
    }
    let wiki = Wiki::new(Some(&bundle));
    let github = wiki.tracker();
    let mirror = mirror(&github).await;
    let start = Instant::now();
    let report = mirror.sync_ok().await;
    eprintln!("{} pages in {:?}", report.wiki_pages, start.elapsed());
    // All pages except the sidebar are stored.
    assert_eq!((report.wiki_pages, report.skipped), (72, 0));
    let page = mirror.casebook.thread("acme/app:Lib-simd").await.unwrap();
    assert!(
        page.markdown.contains("[issue 3499](https://github.com/mozilla/rust/issues/3499)"),
        "{}",
        page.markdown
    );
    let commit_time = git(&wiki.checkout(), &["log", "-1", "--format=%ct", "--", "Lib-simd.rest"]);
    assert_eq!(page.updated_at.unwrap().as_second().to_string(), commit_time);

    // Without changes, only the newest commit is requested.
    github.requests();
    let report = mirror.sync_ok().await;
    assert_eq!((report.wiki_pages, report.gone), (0, 0));
    let git_requests: Vec<_> =
        github.requests().into_iter().filter(|l| l.address.contains(".wiki.git")).collect();
    assert!(
        git_requests
            .iter()
            .all(|l| l.address.contains("info/refs") || l.address.contains("upload-pack"))
    );
    assert!(git_requests.len() <= 3, "{git_requests:?}");

    wiki.write("Docs.md", "Changed by hand.\n");
    git(&wiki.checkout(), &["mv", "Lib-simd.rest", "Lib simd again.rest"]);
    git(&wiki.checkout(), &["rm", "-q", "Doc-releases.md"]);
    wiki.push("A change, a rename and a deletion");
    let report = mirror.sync_ok().await;
    assert_eq!((report.wiki_pages, report.new, report.updated, report.gone), (2, 1, 1, 2));
    assert_eq!(
        mirror.casebook.thread("acme/app:Docs").await.unwrap().markdown,
        "Changed by hand.\n"
    );
    assert!(mirror.casebook.thread("acme/app:Lib-simd").await.unwrap().deleted_at.is_some());
    assert!(mirror.casebook.thread("acme/app:Doc-releases").await.unwrap().deleted_at.is_some());
    assert!(mirror.casebook.thread("acme/app:Lib-simd-again").await.unwrap().deleted_at.is_none());

    // After a forced push, the mirror equals the server's older state.
    git(&wiki.checkout(), &["reset", "-q", "--hard", "HEAD~1"]);
    git(&wiki.checkout(), &["push", "-q", "-f", "origin", "HEAD"]);
    let report = mirror.sync_ok().await;
    assert_eq!((report.wiki_pages, report.gone), (3, 1));
    assert!(mirror.casebook.thread("acme/app:Doc-releases").await.unwrap().deleted_at.is_none());
    assert_eq!(mirror.casebook.sources().await.unwrap()[0].pages, 72);

    // Removing the source also removes the copy.
    mirror.casebook.remove_source("acme/app", &Task::new()).await.unwrap();
    let clones = std::fs::read_dir(mirror.env.casebook().join("wikis")).unwrap().count();
    assert_eq!(clones, 0);
}

#[tokio::test]
async fn missing_or_forbidden_wiki_is_handled() {
    let wiki = Wiki::new(None);
    let github = wiki.tracker();
    let mirror = mirror(&github).await;
    let report = mirror.sync_ok().await;
    assert!(wiki_gap(&report).unwrap().contains("no pages yet"), "{:?}", report.gaps);
    github.world().wiki = None;
    let report = mirror.sync_ok().await;
    assert!(wiki_gap(&report).unwrap().contains("have access to it"), "{:?}", report.gaps);
    wiki.write("Home.md", "Hello\n");
    wiki.push("First");
    github.world().wiki = Some(wiki.root());
    let report = mirror.sync_ok().await;
    assert_eq!((wiki_gap(&report), report.wiki_pages), (None, 1));
}

#[tokio::test]
async fn cancelled_git_is_killed_within_a_second() {
    let wiki = Wiki::new(None);
    wiki.write("Home.md", "Hello\n");
    wiki.push("First");
    let github = wiki.tracker();
    github.world().git_delay = Duration::from_secs(30);
    let mirror = mirror(&github).await;
    let task = Task::new();
    let cancel = task.clone();
    tokio::spawn(async move {
        tokio::time::sleep(Duration::from_millis(1_500)).await;
        cancel.cancel();
    });
    let start = Instant::now();
    let report = mirror.casebook.sync(SyncRequest::default(), &task).await.unwrap().pop().unwrap();
    assert_eq!(report.problem.unwrap().code(), Code::Cancelled);
    assert!(start.elapsed() < Duration::from_millis(2_500), "{:?}", start.elapsed());
    std::thread::sleep(Duration::from_millis(200));
    // No git process is left.
    let processes = std::fs::read_dir("/proc")
        .unwrap()
        .filter_map(|e| std::fs::read(e.unwrap().path().join("cmdline")).ok());
    let host = github.host.as_bytes();
    let git_count = processes.filter(|c| c.windows(host.len()).any(|w| w == host)).count();
    assert_eq!(git_count, 0);
}

#[tokio::test]
async fn token_follows_no_redirect() {
    let wiki = Wiki::new(None);
    wiki.write("Home.md", "Hello\n");
    wiki.push("First");
    let github = wiki.tracker();
    let other_github = FakeGitHub::new("acme/app");
    other_github.world().wiki = Some(wiki.root());
    github.world().git_redirect = Some(other_github.host.clone());
    let mirror = mirror(&github).await;
    let report = mirror.sync(false).await;
    let problem = report.problem.unwrap();
    assert!(problem.code() == Code::Network && problem.to_string().contains("wiki"), "{problem:?}");
    assert!(other_github.requests().is_empty());
}

#[test]
fn cli_output_never_shows_the_token() {
    let wiki = Wiki::new(None);
    wiki.write("Home.md", "# Welcome\n\nMind the leaking valve.\n");
    wiki.push("First");
    let github = wiki.tracker();
    let env = TestEnv::new();
    // This fake git records its arguments.
    let fake_git =
        env.file("bin/git", "#!/bin/sh\necho \"$@\" >> \"$SPY\"\nexec /usr/bin/git \"$@\"\n");
    std::fs::set_permissions(&fake_git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let log = env.path("spy.log");
    let run_command = |args: &[&str], path: &str| {
        let mut command = env.command(args);
        command
            .env("GH_ENTERPRISE_TOKEN", CANARY)
            .env("GH_HOST", &github.host)
            .env("PATH", path)
            .env("SPY", &log);
        Run::from(command.output().unwrap())
    };
    let path = format!("{}:/usr/bin:/bin", fake_git.parent().unwrap().display());
    let run =
        run_command(&["source", "add", "github:acme/app", "--wiki", "--host", &github.host], &path);
    assert_eq!(run.code, Some(0), "{}", run.err);

    // Without git, everything else is mirrored, and a hint is shown.
    let run = run_command(&["sync"], "/nowhere");
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("git is not installed; install it"), "{}", run.err);
    assert!(run.err.contains("3 items"), "{}", run.err);

    let run = run_command(&["sync"], &path);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.err.contains("1 wiki page"), "{}", run.err);
    let search = run_command(&["search", "leaking valve", "--json=key"], &path);
    assert!(search.out.contains("acme/app:Home"), "{}", search.out);
    let trace = std::fs::read_to_string(&log).unwrap();
    assert!(trace.contains("ls-remote") && trace.contains("fetch"), "{trace}");
    let encoded = basic_auth(CANARY);
    let encoded = encoded.strip_prefix("Basic ").unwrap();
    for secret in [CANARY, encoded] {
        assert!(!trace.contains(secret) && !run.err.contains(secret));
        assert_eq!(
            crate::sync::files_with(&env.casebook(), secret.as_bytes()),
            Vec::<String>::new()
        );
    }
    assert!(
        github.requests().iter().any(|l| l.authorization.as_deref() == Some(&basic_auth(CANARY)))
    );
}
