//! Output on the terminal: steps on stderr, data on stdout.

use crate::failure::Failure;
use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// Returns whether stderr is a terminal.
pub fn is_live() -> bool {
    std::io::stderr().is_terminal()
}

/// Returns whether somebody can answer a question.
pub fn is_interactive() -> bool {
    std::env::var_os("CI").is_none() && std::io::stdin().is_terminal() && is_live()
}

/// Wraps a text in an ANSI style if stderr is a terminal.
pub fn style(style: &str, text: &str) -> String {
    if is_live() { format!("\x1b[{style}m{text}\x1b[0m") } else { text.to_owned() }
}

/// Prints the title of a step.
pub fn step(title: &str) {
    eprintln!("{}", style("1", title));
}

/// Prints the result of a step.
pub fn success(text: &str) {
    eprintln!("  {} {text}", style("32", "✓"));
}

/// Prints a warning.
pub fn warn(text: &str) {
    clear_status();
    eprintln!("  {} {}", style("33", "!"), text.replace('\n', "\n    "));
}

/// Prints a note.
pub fn note(text: &str) {
    eprintln!("  {}", style("2", text));
}

/// Prints a failure with the output that explains it.
pub fn failure(failure: &Failure) {
    for line in failure.output.lines() {
        eprintln!("  | {line}");
    }
    let remedy: String = failure.remedy.lines().map(|line| format!("\n       {line}")).collect();
    eprintln!("{} {}{remedy}", style("31", "error:"), failure.summary);
}

/// Prints a line that the next one replaces, if stderr is a terminal.
pub fn status(text: &str) {
    if is_live() {
        let short: String = text.chars().filter(|c| !c.is_control()).take(78).collect();
        eprint!("\r\x1b[2K\x1b[2m  {short}\x1b[0m");
        let _ = std::io::stderr().flush();
    }
}

/// Removes the status line.
pub fn clear_status() {
    if is_live() {
        eprint!("\r\x1b[2K");
    }
}

/// Formats an elapsed time, such as `1.2 s` or `3 min 05 s`.
pub fn time(duration: Duration) -> String {
    match duration.as_secs() {
        seconds @ 60.. => format!("{} min {:02} s", seconds / 60, seconds % 60),
        _ => format!("{:.1} s", duration.as_secs_f64()),
    }
}

/// Formats an estimate, such as `about 4 min`.
pub fn estimate(seconds: f64) -> String {
    match seconds {
        90.0.. => format!("about {:.0} min", seconds / 60.0),
        _ => format!("about {:.0} s", (seconds / 10.0).ceil() * 10.0),
    }
}
