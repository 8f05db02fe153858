//! Runs other programs: quietly with a log, streamed, or for their output.

use crate::fail::{Fail, Result, explain};
use crate::say;
use std::ffi::{OsStr, OsString};
use std::io::{BufRead as _, BufReader, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

/// How long after its end a program's output is still waited for, where another process holds it open.
const LEFT_BEHIND: Duration = Duration::from_secs(5);

/// A program to run, with its arguments.
#[derive(Debug, Clone)]
pub struct Run {
    program: OsString,
    args: Vec<OsString>,
    dir: Option<PathBuf>,
    envs: Vec<(OsString, OsString)>,
    stream: bool,
    log: Option<PathBuf>,
    limit: Option<Duration>,
}

/// What a program did.
#[derive(Debug)]
pub struct Finished {
    /// It ended with status 0.
    pub ok: bool,
    /// Everything that it wrote, both streams, in the order of arrival.
    pub output: String,
    /// How long it took.
    pub time: Duration,
}

impl Run {
    /// The program, to be found on the path.
    pub fn new(program: impl AsRef<OsStr>) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            args: Vec::new(),
            dir: None,
            envs: Vec::new(),
            stream: false,
            log: None,
            limit: None,
        }
    }

    /// The cargo that runs this program.
    pub fn cargo() -> Self {
        Self::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()))
    }

    /// npm, by the name that it has here.
    pub fn npm() -> Self {
        Self::new(if cfg!(windows) { "npm.cmd" } else { "npm" })
    }

    /// One more argument.
    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    /// More arguments.
    pub fn args<S: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = S>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    /// The folder to run in.
    pub fn dir(mut self, dir: &Path) -> Self {
        self.dir = Some(dir.to_owned());
        self
    }

    /// The folder to run in, if none was given yet.
    pub fn dir_if_none(self, dir: &Path) -> Self {
        if self.dir.is_some() { self } else { self.dir(dir) }
    }

    /// A variable of the environment.
    pub fn env(mut self, key: &str, value: impl AsRef<OsStr>) -> Self {
        self.envs.push((key.into(), value.as_ref().to_owned()));
        self
    }

    /// Shows the output as it comes.
    pub fn stream(mut self, stream: bool) -> Self {
        self.stream = stream;
        self
    }

    /// Keeps the whole output in this file, after what is there.
    pub fn log(mut self, log: &Path) -> Self {
        self.log = Some(log.to_owned());
        self
    }

    /// Stops it after this time, as failed; an earlier end that was set holds.
    pub fn limit(mut self, limit: Duration) -> Self {
        self.limit = Some(self.limit.map_or(limit, |set| set.min(limit)));
        self
    }

    fn command(&self) -> Command {
        let mut command = Command::new(&self.program);
        command.args(&self.args).envs(self.envs.iter().map(|(key, value)| (key, value)));
        if let Some(dir) = &self.dir {
            command.current_dir(dir);
        }
        command
    }

    /// The command line as a person would type it.
    pub fn line(&self) -> String {
        let name =
            Path::new(&self.program).file_stem().unwrap_or(&self.program).to_string_lossy().into_owned();
        let args = self.args.iter().map(|arg| quote(&arg.to_string_lossy()));
        std::iter::once(name).chain(args).collect::<Vec<_>>().join(" ")
    }

    fn missing(&self, error: &std::io::Error) -> Fail {
        let program = self.program.to_string_lossy();
        Fail::new(
            format!("{program} could not be started: {error}"),
            format!("Install {program} and try again."),
        )
    }

    /// Runs to the end. The output is collected; it is shown as it comes only if asked for.
    ///
    /// The end is that of the program itself: what it left running may hold its output open for ever.
    pub fn finish(&self) -> Result<Finished> {
        let started = Instant::now();
        let mut child = self
            .command()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| self.missing(&error))?;
        let (sender, lines) = mpsc::channel::<String>();
        let mut readers = Vec::new();
        if let Some(stdout) = child.stdout.take() {
            readers.push(forward(stdout, sender.clone()));
        }
        if let Some(stderr) = child.stderr.take() {
            readers.push(forward(stderr, sender.clone()));
        }
        drop(sender);
        let mut log = self.log.as_deref().and_then(open_log);
        if let Some(file) = &mut log {
            let _ = writeln!(file, "$ {}", self.line());
        }
        let mut output = String::new();
        let mut last = String::new();
        let mut beat = Instant::now();
        let mut ended: Option<Instant> = None;
        let mut whole = true;
        loop {
            match lines.recv_timeout(Duration::from_secs(1)) {
                Ok(line) => {
                    if self.stream {
                        anstream::eprintln!("   {line}");
                    }
                    if let Some(file) = &mut log {
                        let _ = writeln!(file, "{line}");
                    }
                    output.push_str(&line);
                    output.push('\n');
                    last = line;
                }
                Err(mpsc::RecvTimeoutError::Timeout) => {}
                Err(mpsc::RecvTimeoutError::Disconnected) => break,
            }
            if let Some(limit) = self.limit.filter(|limit| started.elapsed() > *limit) {
                say::clear_status();
                child.kill()?;
                child.wait()?;
                let what = format!("`{}` did not end within {}", self.line(), say::time(limit));
                return Err(Fail::new(what, "Run it alone to see where it stays.").with_output(&output));
            }
            if ended.is_none() && child.try_wait()?.is_some() {
                ended = Some(Instant::now());
            }
            if ended.is_some_and(|ended| ended.elapsed() > LEFT_BEHIND) {
                whole = false;
                break;
            }
            if !self.stream {
                let text = format!("{}: {}", say::time(started.elapsed()), last.trim());
                if std::io::stderr().is_terminal() {
                    say::status(&text);
                } else if beat.elapsed() > Duration::from_secs(60) {
                    beat = Instant::now();
                    say::note(&text);
                }
            }
        }
        say::clear_status();
        if whole {
            for reader in readers {
                let _ = reader.join();
            }
        } else {
            say::note(&format!("`{}` ended, and something that it started goes on", self.line()));
        }
        let status = child.wait()?;
        Ok(Finished { ok: status.success(), output, time: started.elapsed() })
    }

    /// Runs to the end; a failure is explained, with the end of the output. `tool` names it for the explanation.
    pub fn must(&self, tool: &str) -> Result<Finished> {
        let finished = self.finish()?;
        if finished.ok {
            return Ok(finished);
        }
        let (what, remedy) = explain(tool, &finished.output)
            .unwrap_or_else(|| (format!("`{}` failed", self.line()), String::new()));
        let fail = Fail::new(what, remedy);
        Err(if self.stream { fail } else { fail.with_output(&finished.output) })
    }

    /// Runs with this terminal's own input and output.
    pub fn attached(&self) -> Result<bool> {
        Ok(self.command().status().map_err(|error| self.missing(&error))?.success())
    }

    /// What the program writes to its standard output, if it ends well.
    pub fn stdout(&self) -> Result<String> {
        let output = self.command().stdin(Stdio::null()).output().map_err(|error| self.missing(&error))?;
        if output.status.success() {
            return Ok(String::from_utf8_lossy(&output.stdout).into_owned());
        }
        let errors = String::from_utf8_lossy(&output.stderr);
        Err(Fail::new(format!("`{}` failed", self.line()), "").with_output(&errors))
    }

    /// Whether the program is there and ends well; silent.
    pub fn works(&self) -> bool {
        self.command()
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }
}

fn forward(
    stream: impl std::io::Read + Send + 'static,
    sender: mpsc::Sender<String>,
) -> std::thread::JoinHandle<()> {
    std::thread::spawn(move || {
        let mut reader = BufReader::new(stream);
        let mut bytes = Vec::new();
        while reader.read_until(b'\n', &mut bytes).is_ok_and(|read| read > 0) {
            let line = String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned();
            if sender.send(line).is_err() {
                return;
            }
            bytes.clear();
        }
    })
}

fn open_log(path: &Path) -> Option<std::fs::File> {
    std::fs::create_dir_all(path.parent()?).ok()?;
    std::fs::OpenOptions::new().create(true).append(true).open(path).ok()
}

/// Whether a program of this name is on the path.
pub fn on_path(name: &str) -> bool {
    let Some(paths) = std::env::var_os("PATH") else { return false };
    std::env::split_paths(&paths).any(|dir| {
        dir.join(name).is_file()
            || (cfg!(windows)
                && ["exe", "cmd"].iter().any(|ext| dir.join(name).with_extension(ext).is_file()))
    })
}

/// An argument as a POSIX shell needs it.
pub fn quote(arg: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./=:,+@%#".contains(c);
    if !arg.is_empty() && !arg.starts_with('#') && arg.chars().all(plain) {
        arg.to_owned()
    } else if arg.contains(['$', '`', '"', '\\', '!']) {
        format!("'{}'", arg.replace('\'', r"'\''"))
    } else {
        format!("\"{arg}\"")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_when_they_must_be() {
        assert_eq!(quote("a/b-c.rs"), "a/b-c.rs");
        assert_eq!(quote("acme/app#12"), "acme/app#12");
        assert_eq!(quote("two words"), "\"two words\"");
        assert_eq!(quote("costs $5, isn't it"), r"'costs $5, isn'\''t it'");
        assert_eq!(quote(""), "\"\"");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = Run::new("no-such-program-here").finish().unwrap_err();
        assert!(error.what.starts_with("no-such-program-here could not be started"), "{}", error.what);
    }

    #[test]
    #[cfg(unix)]
    fn what_a_program_leaves_running_is_not_waited_for() {
        let finished = Run::new("sh").args(["-c", "sleep 600 & echo done; echo $!"]).finish().unwrap();
        let left = finished.output.lines().last().unwrap().to_owned();
        assert!(Run::new("kill").arg(&left).works(), "it went on");
        assert!(finished.ok && finished.output.starts_with("done\n"));
    }

    #[test]
    #[cfg(unix)]
    fn what_does_not_end_is_stopped() {
        let stays = Run::new("sh").args(["-c", "echo one; sleep 600"]).limit(Duration::from_secs(1));
        assert!(stays.finish().unwrap_err().what.contains("did not end within 1"));
    }

    #[test]
    #[cfg(unix)]
    fn both_streams_are_collected_and_the_status_kept() {
        let finished = Run::new("sh").args(["-c", "echo one; echo two >&2; exit 3"]).finish().unwrap();
        assert!(!finished.ok);
        assert!(finished.output.contains("one\n") && finished.output.contains("two\n"));
    }
}
