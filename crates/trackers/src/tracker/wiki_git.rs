//! Wikis in git repositories, read with the system's `git`.
//!
//! This is the only network access that bypasses `http`, because git has its own protocol. The same
//! rules apply: the token is passed in the environment and not as an argument, and is sent to its
//! own origin only. Redirects are not followed, there are no password prompts, and a cancelled
//! process is killed at once.

use std::{
    collections::{BTreeMap, HashMap},
    path::{Path, PathBuf},
    process::Stdio,
    time::{Duration, Instant},
};

use base64::Engine as _;
use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    process::Command,
};
use url::Url;

use crate::{http::Http, secrets::Token};
use precedent_core::{
    door::{self, Outside},
    error::{Code, Error, Result},
    files::private_folder,
    task::{Task, run_blocking},
};
use precedent_text::words::Words;

/// The minimum transfer rate, in bytes per second.
const SLOWEST: &str = "1000";
/// The time below the minimum rate after which a transfer is aborted, in seconds.
const SLOWEST_TIME: &str = "30";
/// The interval between checks of the limits.
const TICK: Duration = Duration::from_millis(500);
/// The memory limit for a request of the newest commit, in bytes, because a server may list
/// references without end.
#[cfg(target_os = "linux")]
const LOOK_MEMORY: u64 = 1024 * 1024 * 1024;
/// The maximum output of a git command, in bytes.
const MAX_OUTPUT: u64 = 512 * 1024 * 1024;
/// The maximum error output of a git command, in bytes.
const MAX_WORDS: u64 = 16 * 1024;
/// The local branch of the wiki pages.
const BRANCH: &str = "refs/heads/wiki";
/// The environment variables that would change what git does, or make it print what it sends.
static FOREIGN: Words = Words::new(
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_CONFIG_PARAMETERS
     GIT_TRACE GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE_CURL GIT_TRACE_PACKET
     GIT_TRACE_REDACT GIT_CURL_VERBOSE",
);

/// The location of a project's wiki.
#[derive(Clone, Debug)]
pub struct WikiPlace {
    /// Address of the repository.
    pub repository: Url,
    /// Prefix of a page's web address.
    pub pages: String,
    /// Token, if there is one.
    pub token: Option<Token>,
}

/// The purpose of a git command, which determines its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// A request for the newest commit.
    Look,
    /// A fetch from the tracker.
    Fetch,
    /// A read of the local clone.
    Local,
}

/// The limits of git commands.
#[derive(Clone, Copy, Debug)]
struct Bounds {
    /// Time limit for a request of the newest commit.
    look: Duration,
    /// Time limit for a fetch.
    fetch: Duration,
    /// Time limit for a command on the clone.
    local: Duration,
    /// Time limit for a fetch without disk writes: git resolves deltas before it writes the last
    /// objects.
    silence: Duration,
    /// Maximum size of a clone, in bytes.
    copy: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self {
            look: Duration::from_secs(60),
            fetch: Duration::from_secs(3_600),
            local: Duration::from_secs(600),
            silence: Duration::from_secs(300),
            copy: 2 * 1024 * 1024 * 1024,
        }
    }
}

/// The outcome of a request for the newest commit of a wiki.
#[derive(Debug, PartialEq, Eq)]
pub enum Head {
    /// The newest commit.
    At(String),
    /// There is no wiki that this token can see, with the reason.
    None(String),
}

/// A file of a wiki at some commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct File {
    /// Path of the file.
    pub path: String,
    /// Object name of its content.
    pub blob: String,
    /// Size in bytes.
    pub size: u64,
}

/// The creation and the last change of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileHistory {
    /// Creation time.
    pub created_at: Option<Timestamp>,
    /// Time of the last change.
    pub updated_at: Option<Timestamp>,
    /// Author of the last change.
    pub author: String,
}

/// The repository of a wiki, and its local clone.
pub struct WikiGit {
    place: WikiPlace,
    copy: PathBuf,
    proxy: Option<String>,
    no_proxy: Option<String>,
    bounds: Bounds,
}

impl WikiGit {
    /// Opens the wiki at `place`, with its clone in the folder `copy`.
    pub fn new(http: &Http, place: WikiPlace, copy: PathBuf) -> Self {
        let (proxy, no_proxy) = http.proxy();
        Self { place, copy, proxy, no_proxy, bounds: Bounds::default() }
    }

    /// Returns the address of the repository.
    pub fn address(&self) -> &str {
        self.place.repository.as_str()
    }

    /// Requests the newest commit without fetching.
    ///
    /// # Errors
    /// [`Code::Network`], [`Code::Cancelled`].
    pub async fn head(&self, task: &Task) -> Result<Head> {
        let run = match self
            .git(&["ls-remote", "--", self.address(), "HEAD"], None, Purpose::Look, task)
            .await
        {
            Ok(run) => run,
            // Without git, everything but the wiki is mirrored.
            Err(error) if error.code() == Code::NotFound => {
                return Ok(Head::None(error.to_string()));
            }
            Err(error) => return Err(error),
        };
        if run.ok {
            let text = String::from_utf8_lossy(&run.out);
            let commit = text.lines().find_map(|l| l.strip_suffix("\tHEAD"));
            return Ok(match commit.filter(|c| is_name(c)) {
                Some(commit) => Head::At(commit.to_owned()),
                None => Head::None("it has no pages yet".to_owned()),
            });
        }
        let stderr = run.words.to_lowercase();
        let has = |words: &[&str]| words.iter().any(|w| stderr.contains(w));
        if has(&["not found", "error: 404", "does not exist"]) {
            return Ok(Head::None(
                "it has no pages yet, or you don't have access to it".to_owned(),
            ));
        }
        if has(&[
            "authentication failed",
            "could not read",
            "error: 401",
            "error: 403",
            "access denied",
        ]) {
            return Ok(Head::None("you don't have access to it".to_owned()));
        }
        Err(self.fetch_error(&run))
    }

    /// Updates the clone.
    ///
    /// # Errors
    /// [`Code::Network`], [`Code::Cancelled`], [`Code::Io`].
    pub async fn fetch(&self, task: &Task) -> Result<()> {
        if !self.copy.join("HEAD").exists() {
            private_folder(&self.copy)?;
            let run = self.git(&["init", "--quiet", "--bare"], None, Purpose::Local, task).await?;
            if !run.ok {
                return Err(self.fetch_error(&run));
            }
        }
        remove_parts(&self.copy);
        let refs = format!("+HEAD:{BRANCH}");
        let fetch =
            ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", self.address(), &refs];
        let run = self.git(&fetch, None, Purpose::Fetch, task).await?;
        if run.ok { Ok(()) } else { Err(self.fetch_error(&run)) }
    }

    /// Returns the newest commit in the clone.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Corrupt`].
    pub async fn newest_commit(&self, task: &Task) -> Result<String> {
        let run = self
            .git(&["rev-parse", "--verify", "--quiet", BRANCH], None, Purpose::Local, task)
            .await?;
        let commit = String::from_utf8_lossy(&run.out).trim().to_owned();
        if run.ok && is_name(&commit) { Ok(commit) } else { Err(self.corrupt()) }
    }

    /// Returns the files at a commit; `None` if the clone does not have it.
    ///
    /// # Errors
    /// [`Code::Cancelled`].
    pub async fn files(&self, commit: &str, task: &Task) -> Result<Option<Vec<File>>> {
        if !is_name(commit) {
            return Ok(None);
        }
        let run = self
            .git(&["ls-tree", "-r", "-z", "--long", commit], None, Purpose::Local, task)
            .await?;
        Ok(run.ok.then(|| files(&run.out)))
    }

    /// Returns the creation and the last change of each file, up to a commit.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Corrupt`].
    pub async fn history(&self, commit: &str, task: &Task) -> Result<HashMap<String, FileHistory>> {
        let log = [
            "log",
            "-z",
            "-m",
            "--first-parent",
            "--no-renames",
            "--name-only",
            "--format=%x02%ct%x1f%an",
        ];
        let run = self.git(&[&log[..], &[commit]].concat(), None, Purpose::Local, task).await?;
        if run.ok { Ok(history(&run.out)) } else { Err(self.corrupt()) }
    }

    /// Returns the contents of files, by object name.
    ///
    /// # Errors
    /// [`Code::Cancelled`], [`Code::Corrupt`].
    pub async fn contents(
        &self,
        blobs: &[String],
        task: &Task,
    ) -> Result<BTreeMap<String, Vec<u8>>> {
        let input: String = blobs.iter().map(|b| format!("{b}\n")).collect();
        let run = self
            .git(&["cat-file", "--batch"], Some(input.into_bytes()), Purpose::Local, task)
            .await?;
        if run.ok { contents(&run.out).ok_or_else(|| self.corrupt()) } else { Err(self.corrupt()) }
    }

    fn corrupt(&self) -> Error {
        Error::new(Code::Corrupt, "the local copy of the wiki repository is damaged").with_hint(
            format!("Delete the folder {}; the next sync fetches it again.", self.copy.display()),
        )
    }

    fn fetch_error(&self, run: &Run) -> Error {
        let host = self.place.repository.host_str().unwrap_or_default();
        let why = if run.words.contains("redirect") {
            "it redirects elsewhere".to_owned()
        } else {
            Outside::last_line(&run.words)
                .map_or_else(|| "git failed".to_owned(), |last| last.to_string())
                .trim_start_matches("fatal:")
                .trim()
                .to_owned()
        };
        Error::new(Code::Network, format!("cannot fetch the wiki at {host}: {why}"))
            .with_hint("Check your network. Progress is saved; run sync again to continue.")
    }

    /// Completes with an error when a command exceeds its limits.
    async fn watch(&self, purpose: Purpose) -> Error {
        let began = Instant::now();
        let time = match purpose {
            Purpose::Look => self.bounds.look,
            Purpose::Fetch => self.bounds.fetch,
            Purpose::Local => self.bounds.local,
        };
        let (mut size, mut grew) = (0, Instant::now());
        loop {
            tokio::time::sleep(TICK).await;
            if began.elapsed() > time {
                return self.over_limit(&format!("git did not finish within {} s", time.as_secs()));
            }
            if purpose != Purpose::Fetch {
                continue;
            }
            let copy = self.copy.clone();
            let now = run_blocking(move || Ok(weight(&copy, 8))).await.unwrap_or(size);
            if now > size {
                (size, grew) = (now, Instant::now());
            }
            if size > self.bounds.copy {
                return self.over_limit("its repository is larger than 2 GB");
            }
            if grew.elapsed() > self.bounds.silence {
                return self.over_limit(&format!(
                    "no data received for {} s",
                    self.bounds.silence.as_secs()
                ));
            }
        }
    }

    fn over_limit(&self, why: &str) -> Error {
        let host = self.place.repository.host_str().unwrap_or_default();
        Error::new(Code::Network, format!("cannot fetch the wiki at {host}: {why}")).with_hint(
            "Everything else was fetched. To mirror the project without its wiki, add the source again without --wiki.",
        )
    }

    /// Runs git in the clone; only requests for the newest commit and fetches may connect to the
    /// tracker.
    async fn git(
        &self,
        args: &[&str],
        input: Option<Vec<u8>>,
        purpose: Purpose,
        task: &Task,
    ) -> Result<Run> {
        task.check()?;
        let mut command = Command::new("git");
        // The caller's folder may be a repository with settings of its own.
        private_folder(&self.copy)?;
        command.current_dir(&self.copy);
        for name in FOREIGN.iter() {
            command.env_remove(name);
        }
        command
            .args(args)
            .envs([
                ("GIT_TERMINAL_PROMPT", "0"),
                ("GIT_ASKPASS", ""),
                ("SSH_ASKPASS", ""),
                ("LC_ALL", "C"),
            ])
            .envs([
                ("GIT_CONFIG_NOSYSTEM", "1"),
                ("GIT_CONFIG_GLOBAL", "/dev/null"),
                ("GIT_OPTIONAL_LOCKS", "0"),
            ])
            // Git must not search parent folders for a repository.
            .env("GIT_CEILING_DIRECTORIES", self.copy.parent().unwrap_or(Path::new("/")))
            .stdin(if input.is_some() { Stdio::piped() } else { Stdio::null() })
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        #[cfg(unix)]
        command.process_group(0);
        self.configure(&mut command, purpose != Purpose::Local);
        let mut child = command.spawn().map_err(|e| match e.kind() {
            std::io::ErrorKind::NotFound => Error::not_found(
                "git is not installed; install it (https://git-scm.com/downloads), then sync again",
            )
            .with_hint("Install git, or mirror without the wiki."),
            _ => Error::io(Path::new("git"), e),
        })?;
        // The guard ends the process on every exit, including cancellation.
        let group = Group(child.id());
        #[cfg(target_os = "linux")]
        if purpose == Purpose::Look {
            group.limit_memory();
        }
        let (mut out, mut err) = (Vec::new(), Vec::new());
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let work = async {
            let feed = async {
                if let (Some(mut pipe), Some(input)) = (stdin, input) {
                    // A process that ends early reports the error with its exit status.
                    let _ = pipe.write_all(&input).await;
                }
                Ok(0)
            };
            let collect = async {
                match stdout {
                    Some(pipe) => pipe.take(MAX_OUTPUT).read_to_end(&mut out).await,
                    None => Ok(0),
                }
            };
            let words = async {
                match stderr {
                    Some(pipe) => pipe.take(MAX_WORDS).read_to_end(&mut err).await,
                    None => Ok(0),
                }
            };
            tokio::try_join!(feed, collect, words)?;
            child.wait().await
        };
        let status = tokio::select! {
            status = work => status.map_err(|e| Error::io(Path::new("git"), e))?,
            error = self.watch(purpose) => {
                drop(group);
                if purpose == Purpose::Fetch {
                    remove_parts(&self.copy);
                }
                return Err(error);
            }
            () = task.wait_for_cancel() => return Err(precedent_core::error::cancel_error()),
        };
        group.forget();
        Ok(Run {
            ok: status.success(),
            out,
            words: door::clean(&String::from_utf8_lossy(&err)).into_owned(),
        })
    }

    /// Passes settings in the environment, because other users of the machine can read the
    /// arguments of a process.
    fn configure(&self, command: &mut Command, remote: bool) {
        let mut settings: Vec<(String, String)> = [
            ("credential.helper", ""),
            ("core.hooksPath", "/dev/null"),
            ("core.quotePath", "false"),
            ("gc.auto", "0"),
            ("http.followRedirects", "false"),
            ("http.lowSpeedLimit", SLOWEST),
            ("http.lowSpeedTime", SLOWEST_TIME),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .to_vec();
        command.env("GIT_ALLOW_PROTOCOL", if remote { self.place.repository.scheme() } else { "" });
        if remote {
            let repository = &self.place.repository;
            if let Some(token) = self.place.token.as_ref().and_then(|t| t.for_address(repository)) {
                // Git over HTTP takes a password; a token is accepted as one, with any user name.
                let pair = format!("x-access-token:{}", token.expose_secret());
                let pair = base64::engine::general_purpose::STANDARD.encode(pair);
                let origin = repository.origin().ascii_serialization();
                settings.push((
                    format!("http.{origin}/.extraHeader"),
                    format!("Authorization: Basic {pair}"),
                ));
            }
            settings.push(("http.proxy".to_owned(), self.proxy.clone().unwrap_or_default()));
            if let Some(direct) = &self.no_proxy {
                command.env("NO_PROXY", direct).env("no_proxy", direct);
            }
        }
        command.env("GIT_CONFIG_COUNT", settings.len().to_string());
        for (n, (key, value)) in settings.into_iter().enumerate() {
            command
                .env(format!("GIT_CONFIG_KEY_{n}"), key)
                .env(format!("GIT_CONFIG_VALUE_{n}"), value);
        }
    }
}

impl std::fmt::Debug for WikiGit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("WikiGit")
            .field("place", &self.place)
            .field("copy", &self.copy)
            .finish_non_exhaustive()
    }
}

/// The result of a git command.
struct Run {
    ok: bool,
    out: Vec<u8>,
    words: String,
}

/// A process and its children, because git uses a separate program for connections.
struct Group(Option<u32>);

impl Group {
    #[cfg(unix)]
    fn kill(&self) {
        let leader =
            self.0.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    /// Does nothing: the process is killed on drop, and its child ends when its pipe closes.
    #[cfg(not(unix))]
    fn kill(&self) {
        let _ = self.0;
    }

    /// Limits the memory of the process and its children.
    #[cfg(target_os = "linux")]
    fn limit_memory(&self) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let leader = self.0.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let limit = Rlimit { current: Some(LOOK_MEMORY), maximum: Some(LOOK_MEMORY) };
        // Without the memory limit, the time limit still applies.
        let _ = prlimit(leader, Resource::As, limit);
    }

    /// Marks the process as ended, because its id may be reused.
    fn forget(mut self) {
        self.0 = None;
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the size of a folder in bytes, up to a depth. Links are not followed.
fn weight(path: &Path, depth: usize) -> u64 {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() && depth > 0 => {
            let inner = std::fs::read_dir(path).into_iter().flatten().flatten();
            inner.map(|entry| weight(&entry.path(), depth - 1)).sum()
        }
        Ok(data) if data.is_file() => data.len(),
        _ => 0,
    }
}

/// Removes the temporary files of an interrupted fetch from the clone.
fn remove_parts(copy: &Path) {
    let packs = std::fs::read_dir(copy.join("objects/pack")).into_iter().flatten().flatten();
    for entry in packs.filter(|entry| entry.file_name().to_string_lossy().starts_with("tmp_")) {
        // A failed removal is retried before the next fetch.
        let _ = std::fs::remove_file(entry.path());
    }
}

/// Returns whether a text is an object name, which git cannot mistake for an option.
fn is_name(text: &str) -> bool {
    (40..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Parses `mode type name size\tpath` entries, each ended by a zero.
fn files(out: &[u8]) -> Vec<File> {
    let entry = |entry: &[u8]| -> Option<File> {
        let text = std::str::from_utf8(entry).ok()?;
        let (about, path) = text.split_once('\t')?;
        let mut about = about.split_ascii_whitespace();
        let (mode, kind, blob, size) = (about.next()?, about.next()?, about.next()?, about.next()?);
        // A symbolic link contains a path, and its target is not part of the wiki.
        let plain = kind == "blob" && mode != "120000";
        plain.then(|| File {
            path: door::clean(path).into_owned(),
            blob: blob.to_owned(),
            size: size.parse().unwrap_or(u64::MAX),
        })
    };
    out.split(|b| *b == 0).filter_map(entry).collect()
}

/// Parses commits, newest first: `\x02TIME\x1fNAME`, then the changed paths; all ended by zeros.
fn history(out: &[u8]) -> HashMap<String, FileHistory> {
    let mut changes: HashMap<String, FileHistory> = HashMap::new();
    let (mut when, mut author) = (None, String::new());
    for part in out.split(|b| *b == 0) {
        let part = String::from_utf8_lossy(part);
        let part = part.trim_start_matches('\n');
        if let Some((time, name)) = part.strip_prefix('\u{2}').and_then(|h| h.split_once('\u{1f}'))
        {
            when = time.parse().ok().and_then(|s| Timestamp::from_second(s).ok());
            author = door::clean(name.trim_end()).into_owned();
        } else if !part.is_empty() {
            changes
                .entry(door::clean(part).into_owned())
                .and_modify(|c| c.created_at = when)
                .or_insert_with(|| FileHistory {
                    created_at: when,
                    updated_at: when,
                    author: author.clone(),
                });
        }
    }
    changes
}

/// Parses `name type size\n`, the content, `\n`; repeated.
fn contents(out: &[u8]) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut blobs = BTreeMap::new();
    let mut rest = out;
    while !rest.is_empty() {
        let end = rest.iter().position(|b| *b == b'\n')?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        rest = &rest[end + 1..];
        let mut words = line.split(' ');
        let name = words.next()?;
        let Some(size) = words.nth(1).and_then(|s| s.parse::<usize>().ok()) else { continue };
        blobs.insert(name.to_owned(), door::clean_bytes(rest.get(..size)?.to_vec()));
        rest = rest.get(size + 1..)?;
    }
    Some(blobs)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn git_output_is_parsed() {
        let name = "a".repeat(40);
        let tree = format!(
            "100644 blob {name}      12\tA, b c.md\0120000 blob {name} 3\tlink\0160000 commit {name} -\tsub\0"
        );
        assert_eq!(
            files(tree.as_bytes()),
            [File { path: "A, b c.md".into(), blob: name.clone(), size: 12 }]
        );

        let log = "\u{2}200\u{1f}Ada\0\nA.md\0B.md\0\0\u{2}100\u{1f}Grace\0\nA.md\0";
        let changes = history(log.as_bytes());
        let second = |s| Timestamp::from_second(s).ok();
        assert_eq!(
            changes["A.md"],
            FileHistory { created_at: second(100), updated_at: second(200), author: "Ada".into() }
        );
        assert_eq!(changes["B.md"].created_at, second(200));

        let batch = format!("{name} blob 3\na\nb\n{name}0 missing\n");
        assert_eq!(contents(batch.as_bytes()).unwrap()[&name], b"a\nb");
        assert!(contents(b"x blob 9\nshort").is_none());
    }

    /// Starts a server that answers each request with these bytes, repeated without end.
    fn endless_server(piece: &'static [u8], pause: Duration) -> Url {
        use std::io::{Read as _, Write as _};
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        let url =
            Url::parse(&format!("http://{}/app.wiki.git", listener.local_addr().unwrap())).unwrap();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let _ = stream.read(&mut [0; 4096]);
                let head =
                    b"HTTP/1.1 200 OK\r\nContent-Type: application/x-git-upload-pack-advertisement\r\n\r\n\
                             001e# service=git-upload-pack\n0000";
                let _ = stream.write_all(head);
                while stream.write_all(piece).is_ok() {
                    std::thread::sleep(pause);
                }
            }
        });
        url
    }

    #[tokio::test]
    async fn endless_response_is_aborted() {
        let folder = tempfile::tempdir().unwrap();
        let refs = b"003f0123456789012345678901234567890123456789 refs/heads/branch1\n";
        for (piece, pause) in
            [(&b"00"[..], Duration::from_millis(100)), (&refs[..], Duration::ZERO)]
        {
            let repository = endless_server(piece, pause);
            let place = WikiPlace { repository, pages: String::new(), token: None };
            let clock = std::sync::Arc::new(|| Timestamp::UNIX_EPOCH);
            let timing = std::sync::Arc::new(crate::http::RealTime::new(clock));
            let http = Http::new(crate::http::HttpOptions::new(timing));
            let bounds = Bounds { look: Duration::from_secs(2), ..Bounds::default() };
            let git =
                WikiGit { bounds, ..WikiGit::new(&http, place, folder.path().join("copy.git")) };
            let began = Instant::now();
            let error = git.head(&Task::new()).await.unwrap_err();
            assert!(began.elapsed() < Duration::from_secs(20), "{error}");
            assert_eq!(error.code(), Code::Network, "{error}");
        }
    }

    #[test]
    fn files_of_an_aborted_fetch_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let packs = folder.path().join("objects/pack");
        std::fs::create_dir_all(&packs).unwrap();
        for name in ["tmp_pack_x", "pack-1.pack"] {
            std::fs::write(packs.join(name), [0; 10]).unwrap();
        }
        assert_eq!(weight(folder.path(), 8), 20);
        remove_parts(folder.path());
        assert_eq!(weight(folder.path(), 8), 10);
    }

    #[test]
    fn option_is_not_an_object_name() {
        assert!(is_name(&"0".repeat(40)));
        assert!(!is_name("--upload-pack=x") && !is_name("HEAD") && !is_name(""));
    }
}
