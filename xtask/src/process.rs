//! Runs programs: with a log and progress, attached to the terminal, or for their output.

use crate::failure::{Failure, Result, explain};
use crate::terminal;
use crate::workspace::Workspace;
use std::io::{BufReader, Read};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};
use xshell::{Cmd, cmd};

/// The time to wait for output after a program has ended; its children can hold the pipe open.
const ORPHAN_GRACE: Duration = Duration::from_secs(5);

/// Runs a program with a progress line; returns its output, or an explained failure.
pub fn run(ws: &Workspace, command: Cmd) -> Result<String> {
    let line = command.to_string();
    let (ok, output) = watch(ws, command, ws.verbose, None)?;
    if ok { Ok(output) } else { Err(explain(&line, &output)) }
}

/// Runs a program, or kills it if it prints nothing for `timeout`. Returns whether it succeeded,
/// and both output streams in order of arrival; with `stream`, shows them while it runs.
pub fn watch(
    ws: &Workspace,
    command: Cmd,
    stream: bool,
    timeout: Option<Duration>,
) -> Result<(bool, String)> {
    let line = command.to_string();
    let mut child = Command::from(without_cargo_variables(command))
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| start_failure(&line, &error))?;
    let (sender, lines) = mpsc::channel::<String>();
    forward(child.stdout.take(), sender.clone());
    forward(child.stderr.take(), sender);
    ws.record(&format!("$ {line}"));

    let mut meter = Meter::new();
    let mut output = String::new();
    let (mut exit_time, mut last_output) = (None::<Instant>, Instant::now());
    loop {
        match lines.recv_timeout(Duration::from_secs(1)) {
            Ok(line) => {
                last_output = Instant::now();
                if !meter.update(&line) {
                    ws.record(&line);
                    if stream {
                        terminal::clear_status();
                        eprintln!("  {line}");
                    } else if line.starts_with("warning: ") {
                        terminal::warn(&line);
                    }
                    output.push_str(&(line + "\n"));
                }
            }
            Err(mpsc::RecvTimeoutError::Timeout) => {}
            Err(mpsc::RecvTimeoutError::Disconnected) => break,
        }
        if let Some(timeout) = timeout.filter(|timeout| last_output.elapsed() > *timeout) {
            let message = format!("stopped after {} without output", terminal::time(timeout));
            terminal::warn(&message);
            ws.record(&message);
            output.push_str(&message);
            child.kill()?;
            break;
        }
        if exit_time.is_none() && child.try_wait()?.is_some() {
            exit_time = Some(Instant::now());
        }
        if exit_time.is_some_and(|end| end.elapsed() > ORPHAN_GRACE) {
            break;
        }
        if !stream || meter.cargo.is_some() {
            meter.show();
        }
    }
    terminal::clear_status();
    Ok((child.wait()?.success(), output))
}

/// Removes the variables that `cargo run` sets for xtask. Otherwise, build scripts that read them,
/// such as ring's, would run again after a cargo command without xtask, and dependent crates would
/// be rebuilt.
fn without_cargo_variables(command: Cmd) -> Cmd {
    let names = std::env::vars_os().filter_map(|(name, _)| name.into_string().ok());
    let is_from_cargo =
        |name: &String| name.starts_with("CARGO_PKG_") || name.starts_with("CARGO_MANIFEST_");
    names.filter(is_from_cargo).fold(command, |command, name| command.env_remove(name))
}

/// Runs a program on this terminal and returns whether it succeeded.
pub fn run_attached(command: Cmd) -> Result<bool> {
    let line = command.to_string();
    Ok(Command::from(command).status().map_err(|error| start_failure(&line, &error))?.success())
}

/// Returns the standard output of a program, or its explained failure.
pub fn read_output(command: Cmd) -> Result<String> {
    let line = command.to_string();
    let output = command.quiet().ignore_status().output()?;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim_end().to_owned();
    if output.status.success() {
        Ok(text(&output.stdout))
    } else {
        Err(explain(&line, &text(&output.stderr)))
    }
}

/// Returns whether a program exists and succeeds; hides its output.
pub fn succeeds(command: Cmd) -> bool {
    command.quiet().ignore_stdout().ignore_stderr().run().is_ok()
}

/// Returns whether a program is on the path.
pub fn is_on_path(name: &str) -> bool {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let endings = if cfg!(windows) { &[".exe", ".cmd"][..] } else { &[""] };
    std::env::split_paths(&paths)
        .any(|dir| endings.iter().any(|ending| dir.join(format!("{name}{ending}")).is_file()))
}

/// Returns an npm command in the folder of the front end.
pub fn npm<'a>(ws: &'a Workspace, args: &[&str]) -> Cmd<'a> {
    let (program, dir) = (if cfg!(windows) { "npm.cmd" } else { "npm" }, ws.root.join("ui"));
    cmd!(ws.sh, "{program} --prefix {dir} {args...}")
}

fn start_failure(line: &str, error: &std::io::Error) -> Failure {
    Failure::new(format!("`{line}` could not be started: {error}"), "Install it and try again.")
}

/// Sends each line of a stream; a carriage return also ends a line.
fn forward(stream: Option<impl Read + Send + 'static>, sender: mpsc::Sender<String>) {
    let Some(stream) = stream else { return };
    std::thread::spawn(move || {
        let mut line = Vec::new();
        for byte in BufReader::new(stream).bytes().map_while(std::io::Result::ok) {
            if !matches!(byte, b'\n' | b'\r') {
                line.push(byte);
                continue;
            }
            if sender.send(String::from_utf8_lossy(&line).trim_end().to_owned()).is_err() {
                return;
            }
            line.clear();
        }
        if !line.is_empty() {
            let _ = sender.send(String::from_utf8_lossy(&line).into_owned());
        }
    });
}

/// The progress of a running program, from cargo's counter if it prints one.
struct Meter {
    start: Instant,
    last_print: Option<Instant>,
    /// The finished and the total number of units, and the units being compiled.
    cargo: Option<(u32, u32, String)>,
    /// The count one second after the start, which includes all cached units.
    base: Option<(u32, Instant)>,
    last_line: String,
}

impl Meter {
    fn new() -> Self {
        Self {
            start: Instant::now(),
            last_print: None,
            cargo: None,
            base: None,
            last_line: String::new(),
        }
    }

    /// Reads a line of output; returns whether it is cargo's progress.
    fn update(&mut self, line: &str) -> bool {
        let Some(progress) = parse_progress(line) else {
            line.trim().clone_into(&mut self.last_line);
            return false;
        };
        if self.base.is_none() && self.start.elapsed() > Duration::from_secs(1) {
            self.base = Some((progress.0, Instant::now()));
        }
        self.cargo = Some(progress);
        true
    }

    fn text(&self) -> String {
        let time = terminal::time(self.start.elapsed());
        let Some((count, total, current)) = &self.cargo else {
            return format!("{time} · {}", self.last_line).trim_end_matches([' ', '·']).to_owned();
        };
        let time_left = self.base.filter(|(base, _)| count - base >= 20).map(|(base, start)| {
            let per_unit = start.elapsed().as_secs_f64() / f64::from(count - base);
            format!(" · {} left", terminal::estimate(per_unit * f64::from(total - count)))
        });
        format!("{count}/{total} · {time}{} · {current}", time_left.unwrap_or_default())
    }

    /// Updates the status line; without a terminal, prints a line after 5 s and then every 30 s.
    fn show(&mut self) {
        let wait = Duration::from_secs(if self.last_print.is_none() { 5 } else { 30 });
        if terminal::is_live() {
            terminal::status(&self.text());
        } else if self.last_print.unwrap_or(self.start).elapsed() > wait {
            self.last_print = Some(Instant::now());
            terminal::note(&self.text());
        }
    }
}

/// Parses `Building [====>  ] 412/590: serde, tokio`.
fn parse_progress(line: &str) -> Option<(u32, u32, String)> {
    let (_, rest) = line.trim_start().strip_prefix("Building [")?.split_once("] ")?;
    let (counts, current) = rest.split_once(':').unwrap_or((rest, ""));
    let (count, total) = counts.trim().split_once('/')?;
    Some((count.parse().ok()?, total.parse().ok()?, current.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_progress_is_parsed() {
        let line = "    Building [=====>      ] 412/590: serde, tokio(build)   ";
        assert_eq!(parse_progress(line), Some((412, 590, "serde, tokio(build)".to_owned())));
        assert_eq!(parse_progress("   Compiling serde v1.0.229"), None);
        let mut meter = Meter::new();
        assert!(
            !meter.update("   Compiling serde") && meter.text().ends_with("s · Compiling serde")
        );
        assert!(
            meter.update(line) && meter.text().starts_with("412/590 · 0.0 s"),
            "{}",
            meter.text()
        );
    }

    #[test]
    #[cfg(unix)]
    fn both_streams_and_the_status_are_returned() {
        let ws = Workspace::open(false, false).unwrap();
        let script = "echo one; echo two >&2; exit 3";
        let (ok, output) = watch(&ws, cmd!(ws.sh, "sh -c {script}"), false, None).unwrap();
        assert!(!ok && output.contains("one\n") && output.contains("two\n"));
        assert!(!run(&ws, cmd!(ws.sh, "env")).unwrap().contains("CARGO_PKG_NAME"));
        let timeout = Some(Duration::from_secs(1));
        let command = cmd!(ws.sh, "sh -c 'echo begun; exec sleep 600'");
        let (ok, output) = watch(&ws, command, false, timeout).unwrap();
        assert!(!ok && output == "begun\nstopped after 1.0 s without output", "{output}");
    }

    #[test]
    #[cfg(unix)]
    fn orphan_that_holds_the_pipe_is_not_awaited() {
        let ws = Workspace::open(false, false).unwrap();
        let orphan = run(&ws, cmd!(ws.sh, "sh -c 'sleep 600 & echo $!'")).unwrap();
        let orphan = orphan.trim();
        assert!(succeeds(cmd!(ws.sh, "kill {orphan}")), "the orphan is running");
    }
}
