//! One error type: what went wrong, what to do, and the end of the tool's own output.

use std::fmt;

/// The result of nearly everything here.
pub type Result<T> = std::result::Result<T, Fail>;

/// A failure that names its remedy.
#[derive(Debug)]
pub struct Fail {
    /// What went wrong, in one sentence.
    pub what: String,
    /// What to do about it; may have several lines.
    pub remedy: String,
    /// The end of the tool's own output, if that helps.
    pub output: String,
    /// Nothing may go on after it, even where the step could be done without.
    pub stops: bool,
}

impl Fail {
    /// A failure with its remedy.
    pub fn new(what: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self { what: what.into(), remedy: remedy.into(), output: String::new(), stops: false }
    }

    /// The same failure, but nothing may go on after it.
    pub fn stop(mut self) -> Self {
        self.stops = true;
        self
    }

    /// The same failure, with the end of what the tool said.
    pub fn with_output(mut self, output: &str) -> Self {
        self.output = tail(output, 40);
        self
    }
}

impl fmt::Display for Fail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.output.is_empty() {
            for line in self.output.lines() {
                writeln!(f, "   | {line}")?;
            }
        }
        write!(f, "\x1b[31merror:\x1b[0m {}", self.what)?;
        for line in self.remedy.lines() {
            write!(f, "\n       {line}")?;
        }
        Ok(())
    }
}

impl From<std::io::Error> for Fail {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string(), "")
    }
}

/// The last lines of a text.
pub fn tail(text: &str, lines: usize) -> String {
    let all: Vec<&str> = text.trim_end().lines().collect();
    all[all.len().saturating_sub(lines)..].join("\n")
}

/// Known reasons for a tool to fail, in words that help more than the tool's.
pub fn explain(tool: &str, output: &str) -> Option<(String, String)> {
    let errors = if tool == "cargo" { cargo_errors(output) } else { output.to_owned() };
    let output = errors.as_str();
    let has = |needles: &[&str]| needles.iter().any(|needle| output.contains(needle));
    if has(&["No space left on device", "ENOSPC"]) {
        return Some((
            "the disk is full".into(),
            "Make room (a full build takes about 6 GB), then run the same command again; it goes on where it stopped.".into(),
        ));
    }
    if has(&["linker `cc` not found", "failed to find tool \"cc\"", "linker `link.exe` not found"]) {
        return Some((
            "a C compiler and linker is missing".into(),
            "Debian and Ubuntu: sudo apt-get install build-essential\nFedora: sudo dnf install gcc\nArch: sudo pacman -S base-devel\nmacOS: xcode-select --install\nWindows: the Visual Studio build tools, with the C++ workload".into(),
        ));
    }
    if let Some(library) = between(output, "The system library `", "`") {
        return Some((
            format!("the system library {library} is missing"),
            "Run `cargo xtask start` to have the libraries for the window installed, or `cargo xtask start --cli` to do without the window."
                .into(),
        ));
    }
    let network = match tool {
        "npm" => has(&[
            "ENOTFOUND",
            "EAI_AGAIN",
            "ETIMEDOUT",
            "ECONNREFUSED",
            "ECONNRESET",
            "EHOSTUNREACH",
            "network request",
        ]),
        "pip" => has(&[
            "Temporary failure in name resolution",
            "Failed to establish a new connection",
            "NewConnectionError",
            "ReadTimeoutError",
            "ConnectTimeoutError",
            "ProxyError",
            "SSLError",
            "No matching distribution found",
        ]),
        "cargo" => has(&[
            "Could not resolve host",
            "spurious network error",
            "failed to download",
            "failed to query replaced source",
            "Connection refused",
            "Timeout was reached",
            "download of config.json failed",
        ]),
        "apt-get" => {
            has(&["Could not resolve", "Temporary failure resolving", "Failed to fetch", "Could not connect"])
        }
        _ => false,
    };
    network.then(|| {
        let remedy = match tool {
            "npm" => "Check the network and a proxy (HTTPS_PROXY); `npm ping` shows which registry npm uses and whether it answers.",
            "pip" => "Check the network and a proxy (HTTPS_PROXY); `python3 -m pip config list` shows whether pip uses another index. Behind no network at all: PRECEDENT_ONNXRUNTIME=/path/to/libonnxruntime.so names a library that you already have.",
            "cargo" => "Check the network and a proxy (HTTPS_PROXY), then run the same command again; what was downloaded is kept.",
            _ => "Check the network and the system's list of package sources, then run the same command again.",
        };
        (format!("{tool} could not get what it needs from its package registry"), remedy.into())
    })
}

/// cargo's own errors, with what belongs to them. The rest may be anybody's text: a diff, a warning, a test's output.
fn cargo_errors(output: &str) -> String {
    let mut inside = false;
    output
        .lines()
        .filter(|line| {
            let follows = line.is_empty() || line.starts_with([' ', '\t']) || line.starts_with("Caused by");
            inside = line.starts_with("error") || (inside && follows);
            inside
        })
        .collect::<Vec<_>>()
        .join("\n")
}

fn between<'a>(text: &'a str, start: &str, end: &str) -> Option<&'a str> {
    let rest = &text[text.find(start)? + start.len()..];
    Some(&rest[..rest.find(end)?])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_end() {
        assert_eq!(tail("a\nb\nc\n\n", 2), "b\nc");
        assert_eq!(tail("", 3), "");
    }

    #[test]
    fn known_failures_are_explained() {
        let what = |tool, output| explain(tool, output).map(|(what, _)| what);
        assert_eq!(
            what("npm", "npm error code ENOTFOUND\n").as_deref(),
            Some("npm could not get what it needs from its package registry")
        );
        let custom = "   Compiling glib-sys v0.18.1\nerror: failed to run custom build command for `glib-sys v0.18.1`\n\nCaused by:\n  --- stderr\n\n  The system library `glib-2.0` required by crate `glib-sys` was not found.\n";
        assert_eq!(what("cargo", custom).as_deref(), Some("the system library glib-2.0 is missing"));
        let download = "error: failed to download from `x`\n\nCaused by:\n  [6] Could not resolve hostname (Could not resolve host: x)\n";
        assert_eq!(
            what("cargo", download).as_deref(),
            Some("cargo could not get what it needs from its package registry")
        );
        assert_eq!(what("cargo", "Diff in a.rs:\n-    \"Connection refused\"\n"), None);
        assert_eq!(
            what("cargo", "error: The system library `webkit2gtk-4.1` required by crate `x` was not found.")
                .as_deref(),
            Some("the system library webkit2gtk-4.1 is missing")
        );
        assert_eq!(
            what("cargo", "error: linker `cc` not found").as_deref(),
            Some("a C compiler and linker is missing")
        );
        assert_eq!(
            what("cargo", "error: write: No space left on device (os error 28)").as_deref(),
            Some("the disk is full")
        );
        assert_eq!(what("cargo", "error[E0308]: mismatched types"), None);
    }
}
