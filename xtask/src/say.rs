//! What the person at the terminal sees: numbered steps on stderr, data on stdout.

use std::io::{IsTerminal as _, Write as _};
use std::time::Duration;

/// Counts the steps.
#[derive(Debug, Default)]
pub struct Say {
    number: u32,
}

impl Say {
    /// Opens the next step.
    pub fn step(&mut self, title: &str) {
        self.number += 1;
        anstream::eprintln!("\x1b[1m{}. {title}\x1b[0m", self.number);
    }
}

/// The step, or a part of it, is done.
pub fn done(text: &str) {
    anstream::eprintln!("   \x1b[32m✓\x1b[0m {text}");
}

/// Something that matters but does not stop the work.
pub fn warn(text: &str) {
    for (index, line) in text.lines().enumerate() {
        if index == 0 {
            anstream::eprintln!("   \x1b[33m!\x1b[0m {line}");
        } else {
            anstream::eprintln!("     {line}");
        }
    }
}

/// What goes on now.
pub fn note(text: &str) {
    anstream::eprintln!("   \x1b[2m{text}\x1b[0m");
}

/// A line that is overwritten by the next; nothing at all when stderr is not a terminal.
pub fn status(text: &str) {
    if std::io::stderr().is_terminal() {
        let short: String = text.chars().filter(|c| !c.is_control()).take(76).collect();
        eprint!("\r\x1b[2K\x1b[2m   {short}\x1b[0m");
        // A status line that cannot be shown is no loss.
        let _ = std::io::stderr().flush();
    }
}

/// Takes the status line away.
pub fn clear_status() {
    if std::io::stderr().is_terminal() {
        eprint!("\r\x1b[2K");
        let _ = std::io::stderr().flush();
    }
}

/// A time as people say it.
pub fn time(elapsed: Duration) -> String {
    let seconds = elapsed.as_secs();
    if seconds >= 60 {
        format!("{} min {:02} s", seconds / 60, seconds % 60)
    } else {
        format!("{:.1} s", elapsed.as_secs_f64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_read_well() {
        assert_eq!(time(Duration::from_millis(1240)), "1.2 s");
        assert_eq!(time(Duration::from_secs(65)), "1 min 05 s");
        assert_eq!(time(Duration::from_secs(3600)), "60 min 00 s");
    }
}
