//! Wikis in git repositories, read with the system's `git`.
//!
//! This is the only network access that bypasses `http`, because git has its own protocol. The same
//! rules apply: the token is only sent to its own origin, redirects are not followed, there are no
//! prompts, and a cancelled process is killed.

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

use super::{Client, wiki::PageMetadata};
use crate::{http::Http, secrets::Token};
use precedent_core::{
    error::{Code, Error, Result, cancel_error},
    files::create_private_folder,
    secret_filter::{self, Quotation},
    task::run_blocking,
};
use precedent_text::words::Words;

/// The minimum transfer rate, in bytes per second.
const MIN_SPEED: &str = "1000";
/// The time below the minimum rate after which a transfer is aborted, in seconds.
const MIN_SPEED_TIME: &str = "30";
/// The interval between checks of the limits.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);
/// The memory limit for `git ls-remote`, in bytes, because a server may list references endlessly.
#[cfg(target_os = "linux")]
const MAX_LS_REMOTE_MEMORY: u64 = 1024 * 1024 * 1024;
/// The time limits of commands by purpose.
const LS_REMOTE_TIMEOUT: Duration = Duration::from_secs(60);
const FETCH_TIMEOUT: Duration = Duration::from_secs(3_600);
const LOCAL_TIMEOUT: Duration = Duration::from_secs(600);
/// The maximum time that a fetch may write nothing to disk, including the time for resolving
/// deltas.
const STALL_TIMEOUT: Duration = Duration::from_secs(300);
const MAX_CLONE_SIZE: u64 = 2 * 1024 * 1024 * 1024;
const MAX_OUTPUT: u64 = 512 * 1024 * 1024;
const MAX_ERROR_OUTPUT: u64 = 16 * 1024;
const BRANCH: &str = "refs/heads/wiki";
/// Environment variables that would redirect git or make it print what it sends.
static UNSET_VARIABLES: Words = Words::new(
    "GIT_DIR GIT_WORK_TREE GIT_INDEX_FILE GIT_OBJECT_DIRECTORY GIT_NAMESPACE GIT_CONFIG_PARAMETERS
     GIT_TRACE GIT_TRACE2 GIT_TRACE2_EVENT GIT_TRACE2_PERF GIT_TRACE_CURL GIT_TRACE_PACKET
     GIT_TRACE_REDACT GIT_CURL_VERBOSE",
);

/// The location of a project's wiki.
#[derive(Clone, Debug)]
pub struct WikiLocation {
    /// Address of the repository.
    pub repository: Url,
    /// Prefix of the web addresses of pages.
    pub page_url_prefix: String,
    /// Token, if there is one.
    pub token: Option<Token>,
}

impl WikiLocation {
    /// Creates the location of a wiki that accepts the token of its tracker.
    pub(super) fn new(client: &Client, repository: &str, page_url_prefix: String) -> Option<Self> {
        let repository = Url::parse(repository).ok()?;
        Some(Self { repository, page_url_prefix, token: client.token.clone() })
    }
}

/// The purpose of a git command, which determines its limits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    LsRemote,
    Fetch,
    Local,
}

/// The outcome of a request for the newest commit of a wiki.
#[derive(Debug, PartialEq, Eq)]
pub enum Head {
    /// The newest commit.
    Commit(String),
    /// The wiki cannot be read: it has no pages, the token has no access, or git is not installed.
    /// Contains the reason.
    Missing(String),
}

/// A file of a wiki at a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WikiFile {
    /// Path of the file.
    pub path: String,
    /// Object name of its content.
    pub blob: String,
    /// Size in bytes.
    pub size: u64,
}

/// The repository of a wiki, and its local clone.
pub struct WikiGit {
    location: WikiLocation,
    clone_folder: PathBuf,
    http: Http,
    ls_remote_timeout: Duration,
}

impl WikiGit {
    /// Creates a handle for the wiki at `location`, with its clone in `clone_folder`.
    pub fn new(http: &Http, location: WikiLocation, clone_folder: PathBuf) -> Self {
        Self { location, clone_folder, http: http.clone(), ls_remote_timeout: LS_REMOTE_TIMEOUT }
    }

    /// Returns the address of the repository.
    pub fn address(&self) -> &str {
        self.location.repository.as_str()
    }

    /// Requests the newest commit without fetching.
    pub async fn head(&self) -> Result<Head> {
        let output = match self
            .git(&["ls-remote", "--", self.address(), "HEAD"], None, Purpose::LsRemote)
            .await
        {
            Ok(output) => output,
            // Without git, everything except the wiki is mirrored.
            Err(error) if error.code() == Code::NotFound => {
                return Ok(Head::Missing(error.to_string()));
            }
            Err(error) => return Err(error),
        };
        if output.is_success {
            let text = String::from_utf8_lossy(&output.stdout);
            let commit = text.lines().find_map(|l| l.strip_suffix("\tHEAD"));
            return Ok(match commit.filter(|c| is_object_name(c)) {
                Some(commit) => Head::Commit(commit.to_owned()),
                None => Head::Missing("it has no pages yet".to_owned()),
            });
        }
        let stderr = output.stderr.to_lowercase();
        let contains_any = |words: &[&str]| words.iter().any(|w| stderr.contains(w));
        if contains_any(&["not found", "error: 404", "does not exist"]) {
            return Ok(Head::Missing(
                "it has no pages yet, or you don't have access to it".to_owned(),
            ));
        }
        if contains_any(&[
            "authentication failed",
            "could not read",
            "error: 401",
            "error: 403",
            "access denied",
        ]) {
            return Ok(Head::Missing("you don't have access to it".to_owned()));
        }
        Err(self.fetch_error(&output))
    }

    /// Updates the clone.
    pub async fn fetch(&self) -> Result<()> {
        if !self.clone_folder.join("HEAD").exists() {
            create_private_folder(&self.clone_folder)?;
            let output = self.git(&["init", "--quiet", "--bare"], None, Purpose::Local).await?;
            if !output.is_success {
                return Err(self.fetch_error(&output));
            }
        }
        remove_temporary_files(&self.clone_folder);
        let refs = format!("+HEAD:{BRANCH}");
        let fetch =
            ["fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--", self.address(), &refs];
        let output = self.git(&fetch, None, Purpose::Fetch).await?;
        if output.is_success { Ok(()) } else { Err(self.fetch_error(&output)) }
    }

    /// Returns the newest commit in the clone.
    pub async fn newest_commit(&self) -> Result<String> {
        let output = self.read_clone(&["rev-parse", "--verify", "--quiet", BRANCH], None).await?;
        let commit = String::from_utf8_lossy(&output).trim().to_owned();
        if is_object_name(&commit) { Ok(commit) } else { Err(self.corrupt_error()) }
    }

    /// Returns the files at a commit; `None` if the clone does not have it.
    pub async fn files(&self, commit: &str) -> Result<Option<Vec<WikiFile>>> {
        if !is_object_name(commit) {
            return Ok(None);
        }
        let list = ["ls-tree", "-r", "-z", "--long", commit];
        let output = self.git(&list, None, Purpose::Local).await?;
        Ok(output.is_success.then(|| parse_files(&output.stdout)))
    }

    /// Returns the creation and the last change of each file, up to a commit.
    pub async fn history(&self, commit: &str) -> Result<HashMap<String, PageMetadata>> {
        let log = "log -z -m --first-parent --no-renames --name-only --format=%x02%ct%x1f%an";
        let log: Vec<&str> = log.split(' ').chain([commit]).collect();
        Ok(parse_history(&self.read_clone(&log, None).await?))
    }

    /// Returns the contents of files, by object name.
    pub async fn contents(&self, blobs: &[String]) -> Result<BTreeMap<String, Vec<u8>>> {
        let input: String = blobs.iter().map(|b| format!("{b}\n")).collect();
        let output = self.read_clone(&["cat-file", "--batch"], Some(input.into_bytes())).await?;
        parse_contents(&output).ok_or_else(|| self.corrupt_error())
    }

    /// Returns the output of a local command, which fails only if the clone is damaged.
    async fn read_clone(&self, args: &[&str], input: Option<Vec<u8>>) -> Result<Vec<u8>> {
        let output = self.git(args, input, Purpose::Local).await?;
        if output.is_success { Ok(output.stdout) } else { Err(self.corrupt_error()) }
    }

    fn corrupt_error(&self) -> Error {
        Error::new(Code::Corrupt, "the local copy of the wiki repository is damaged").with_hint(
            format!(
                "Delete the folder {}; the next sync fetches it again.",
                self.clone_folder.display()
            ),
        )
    }

    fn fetch_error(&self, output: &GitOutput) -> Error {
        let reason = if output.stderr.contains("redirect") {
            "it redirects to another address".to_owned()
        } else {
            let last = Quotation::last_line(&output.stderr).map(|last| last.to_string());
            let last = last.unwrap_or_else(|| "git failed".to_owned());
            last.trim_start_matches("fatal:").trim().to_owned()
        };
        self.network_error(&reason)
            .with_hint("Check your network. Progress is saved; sync again to continue.")
    }

    fn network_error(&self, reason: &str) -> Error {
        let host = self.location.repository.host_str().unwrap_or_default();
        Error::new(Code::Network, format!("cannot fetch the wiki at {host}: {reason}"))
    }

    async fn wait_for_limit(&self, purpose: Purpose) -> Error {
        let started_at = Instant::now();
        let time_limit = match purpose {
            Purpose::LsRemote => self.ls_remote_timeout,
            Purpose::Fetch => FETCH_TIMEOUT,
            Purpose::Local => LOCAL_TIMEOUT,
        };
        let (mut size, mut last_growth) = (0, Instant::now());
        loop {
            tokio::time::sleep(CHECK_INTERVAL).await;
            if started_at.elapsed() > time_limit {
                return self
                    .limit_error(&format!("git did not finish within {} s", time_limit.as_secs()));
            }
            if purpose != Purpose::Fetch {
                continue;
            }
            let clone_folder = self.clone_folder.clone();
            let current_size =
                run_blocking(move || Ok(folder_size(&clone_folder, 8))).await.unwrap_or(size);
            if current_size > size {
                (size, last_growth) = (current_size, Instant::now());
            }
            if size > MAX_CLONE_SIZE {
                return self.limit_error("its repository is larger than 2 GB");
            }
            if last_growth.elapsed() > STALL_TIMEOUT {
                return self
                    .limit_error(&format!("no data received for {} s", STALL_TIMEOUT.as_secs()));
            }
        }
    }

    fn limit_error(&self, reason: &str) -> Error {
        self.network_error(reason).with_hint(
            "Everything else was fetched. To mirror the project without its wiki, add the source again without it.",
        )
    }

    /// Runs git in the clone. Local commands must not connect to the tracker.
    async fn git(
        &self,
        args: &[&str],
        input: Option<Vec<u8>>,
        purpose: Purpose,
    ) -> Result<GitOutput> {
        self.http.task.check()?;
        let mut command = Command::new("git");
        // The current folder may be a repository with its own settings.
        create_private_folder(&self.clone_folder)?;
        command.current_dir(&self.clone_folder);
        for name in UNSET_VARIABLES.iter() {
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
            .env("GIT_CEILING_DIRECTORIES", self.clone_folder.parent().unwrap_or(Path::new("/")))
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
        let group = ProcessGroup(child.id());
        #[cfg(target_os = "linux")]
        if purpose == Purpose::LsRemote {
            group.limit_memory();
        }
        let (mut output, mut error_output) = (Vec::new(), Vec::new());
        let (stdin, stdout, stderr) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let work = async {
            let write_input = async {
                if let (Some(mut pipe), Some(input)) = (stdin, input) {
                    // If the process ends early, its exit status reports the error.
                    let _ = pipe.write_all(&input).await;
                }
                Ok(0)
            };
            let read_output = async {
                match stdout {
                    Some(pipe) => pipe.take(MAX_OUTPUT).read_to_end(&mut output).await,
                    None => Ok(0),
                }
            };
            let read_errors = async {
                match stderr {
                    Some(pipe) => pipe.take(MAX_ERROR_OUTPUT).read_to_end(&mut error_output).await,
                    None => Ok(0),
                }
            };
            tokio::try_join!(write_input, read_output, read_errors)?;
            child.wait().await
        };
        let status = tokio::select! {
            status = work => status.map_err(|e| Error::io(Path::new("git"), e))?,
            error = self.wait_for_limit(purpose) => {
                drop(group);
                if purpose == Purpose::Fetch {
                    remove_temporary_files(&self.clone_folder);
                }
                return Err(error);
            }
            () = self.http.task.wait_for_cancel() => return Err(cancel_error()),
        };
        group.mark_ended();
        Ok(GitOutput {
            is_success: status.success(),
            stdout: output,
            stderr: secret_filter::mask(&String::from_utf8_lossy(&error_output)).into_owned(),
        })
    }

    /// Passes settings in the environment, because other users can read a process's arguments.
    fn configure(&self, command: &mut Command, is_remote: bool) {
        let mut settings: Vec<(String, String)> = [
            ("credential.helper", ""),
            ("core.hooksPath", "/dev/null"),
            ("core.quotePath", "false"),
            ("gc.auto", "0"),
            ("http.followRedirects", "false"),
            ("http.lowSpeedLimit", MIN_SPEED),
            ("http.lowSpeedTime", MIN_SPEED_TIME),
        ]
        .map(|(k, v)| (k.to_owned(), v.to_owned()))
        .to_vec();
        command.env(
            "GIT_ALLOW_PROTOCOL",
            if is_remote { self.location.repository.scheme() } else { "" },
        );
        if is_remote {
            let repository = &self.location.repository;
            if let Some(token) =
                self.location.token.as_ref().and_then(|t| t.for_address(repository))
            {
                // Git servers accept a token as the password, with any username.
                let pair = format!("x-access-token:{}", token.expose_secret());
                let pair = base64::engine::general_purpose::STANDARD.encode(pair);
                let origin = repository.origin().ascii_serialization();
                settings.push((
                    format!("http.{origin}/.extraHeader"),
                    format!("Authorization: Basic {pair}"),
                ));
            }
            let (proxy, direct_hosts) = self.http.proxy.clone().unwrap_or_default();
            settings.push(("http.proxy".to_owned(), proxy));
            if let Some(hosts) = &direct_hosts {
                command.env("NO_PROXY", hosts).env("no_proxy", hosts);
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

struct GitOutput {
    is_success: bool,
    stdout: Vec<u8>,
    stderr: String,
}

/// The process group of git, which runs separate programs for connections; killed on drop.
struct ProcessGroup(Option<u32>);

impl ProcessGroup {
    #[cfg(unix)]
    fn kill(&self) {
        let leader =
            self.0.and_then(|id| i32::try_from(id).ok()).and_then(rustix::process::Pid::from_raw);
        if let Some(leader) = leader {
            let _ = rustix::process::kill_process_group(leader, rustix::process::Signal::KILL);
        }
    }

    /// Does nothing: the process is killed on drop, and its children end when their pipes close.
    #[cfg(not(unix))]
    fn kill(&self) {
        let _ = self.0;
    }

    #[cfg(target_os = "linux")]
    fn limit_memory(&self) {
        use rustix::process::{Pid, Resource, Rlimit, prlimit};
        let leader = self.0.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        let limit =
            Rlimit { current: Some(MAX_LS_REMOTE_MEMORY), maximum: Some(MAX_LS_REMOTE_MEMORY) };
        // Without the memory limit, the time limit still applies.
        let _ = prlimit(leader, Resource::As, limit);
    }

    /// Marks the process as ended; its id may be reused.
    fn mark_ended(mut self) {
        self.0 = None;
    }
}

impl Drop for ProcessGroup {
    fn drop(&mut self) {
        self.kill();
    }
}

/// Returns the size of a folder in bytes, up to a depth, without following links.
fn folder_size(path: &Path, depth: usize) -> u64 {
    match std::fs::symlink_metadata(path) {
        Ok(data) if data.is_dir() && depth > 0 => {
            let inner = std::fs::read_dir(path).into_iter().flatten().flatten();
            inner.map(|entry| folder_size(&entry.path(), depth - 1)).sum()
        }
        Ok(data) if data.is_file() => data.len(),
        _ => 0,
    }
}

/// Removes the temporary files of an interrupted fetch from the clone.
fn remove_temporary_files(clone_folder: &Path) {
    let packs =
        std::fs::read_dir(clone_folder.join("objects/pack")).into_iter().flatten().flatten();
    for entry in packs.filter(|entry| entry.file_name().to_string_lossy().starts_with("tmp_")) {
        // The next fetch tries again to remove it.
        let _ = std::fs::remove_file(entry.path());
    }
}

/// Returns whether a string is an object name, and so cannot be taken for an option.
fn is_object_name(text: &str) -> bool {
    (40..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit())
}

/// Parses `mode type name size\tpath` entries, each terminated by a NUL.
fn parse_files(output: &[u8]) -> Vec<WikiFile> {
    let parse_entry = |entry: &[u8]| -> Option<WikiFile> {
        let text = std::str::from_utf8(entry).ok()?;
        let (metadata, path) = text.split_once('\t')?;
        let mut metadata = metadata.split_ascii_whitespace();
        let (mode, kind, blob, size) =
            (metadata.next()?, metadata.next()?, metadata.next()?, metadata.next()?);
        // The target of a symbolic link is not part of the wiki.
        let is_regular = kind == "blob" && mode != "120000";
        is_regular.then(|| WikiFile {
            path: secret_filter::mask(path).into_owned(),
            blob: blob.to_owned(),
            size: size.parse().unwrap_or(u64::MAX),
        })
    };
    output.split(|b| *b == 0).filter_map(parse_entry).collect()
}

/// Parses commits, newest first: `\x02TIME\x1fNAME` and the changed paths, terminated by NULs.
fn parse_history(output: &[u8]) -> HashMap<String, PageMetadata> {
    let mut changes: HashMap<String, PageMetadata> = HashMap::new();
    let (mut changed_at, mut author) = (None, None);
    for part in output.split(|b| *b == 0) {
        let part = String::from_utf8_lossy(part);
        let part = part.trim_start_matches('\n');
        if let Some((time, name)) = part.strip_prefix('\u{2}').and_then(|h| h.split_once('\u{1f}'))
        {
            changed_at = time.parse().ok().and_then(|s| Timestamp::from_second(s).ok());
            let name = secret_filter::mask(name.trim_end()).into_owned();
            author = Some(name).filter(|name| !name.is_empty());
        } else if !part.is_empty() {
            changes
                .entry(secret_filter::mask(part).into_owned())
                .and_modify(|c| c.created_at = changed_at)
                .or_insert_with(|| PageMetadata {
                    created_at: changed_at,
                    updated_at: changed_at,
                    author: author.clone(),
                    url: None,
                });
        }
    }
    changes
}

/// Parses the output of `git cat-file --batch`: for each blob, a `name type size\n` line, the
/// content and `\n`.
fn parse_contents(output: &[u8]) -> Option<BTreeMap<String, Vec<u8>>> {
    let mut blobs = BTreeMap::new();
    let mut rest = output;
    while !rest.is_empty() {
        let end = rest.iter().position(|b| *b == b'\n')?;
        let line = std::str::from_utf8(&rest[..end]).ok()?;
        rest = &rest[end + 1..];
        let mut words = line.split(' ');
        let name = words.next()?;
        let Some(size) = words.nth(1).and_then(|s| s.parse::<usize>().ok()) else { continue };
        blobs.insert(name.to_owned(), secret_filter::mask_bytes(rest.get(..size)?.to_vec()));
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
            parse_files(tree.as_bytes()),
            [WikiFile { path: "A, b c.md".into(), blob: name.clone(), size: 12 }]
        );

        let log = "\u{2}200\u{1f}Ada\0\nA.md\0B.md\0\0\u{2}100\u{1f}Grace\0\nA.md\0";
        let changes = parse_history(log.as_bytes());
        let second = |s| Timestamp::from_second(s).ok();
        assert_eq!(
            changes["A.md"],
            PageMetadata {
                created_at: second(100),
                updated_at: second(200),
                author: Some("Ada".into()),
                url: None
            }
        );
        assert_eq!(changes["B.md"].created_at, second(200));

        let batch = format!("{name} blob 3\na\nb\n{name}0 missing\n");
        assert_eq!(parse_contents(batch.as_bytes()).unwrap()[&name], b"a\nb");
        assert!(parse_contents(b"x blob 9\nshort").is_none());
    }

    /// Starts a server that endlessly repeats these bytes in each response.
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
            let location = WikiLocation { repository, page_url_prefix: String::new(), token: None };
            let git = WikiGit {
                ls_remote_timeout: Duration::from_secs(2),
                ..WikiGit::new(&Http::for_tests(), location, folder.path().join("copy.git"))
            };
            let started_at = Instant::now();
            let error = git.head().await.unwrap_err();
            assert!(started_at.elapsed() < Duration::from_secs(20), "{error}");
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
        assert_eq!(folder_size(folder.path(), 8), 20);
        remove_temporary_files(folder.path());
        assert_eq!(folder_size(folder.path(), 8), 10);
    }

    #[test]
    fn option_is_not_an_object_name() {
        assert!(is_object_name(&"0".repeat(40)));
        assert!(
            !is_object_name("--upload-pack=x") && !is_object_name("HEAD") && !is_object_name("")
        );
    }
}
