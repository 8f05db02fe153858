//! The error type: a summary, a remedy, and the end of a tool's output.

/// The result of a fallible operation.
pub type Result<T> = std::result::Result<T, Failure>;

/// A failure with its remedy.
#[derive(Debug)]
pub struct Failure {
    /// The summary, in one sentence.
    pub summary: String,
    /// The remedy; may have several lines.
    pub remedy: String,
    /// The end of the tool's output.
    pub output: String,
    /// True if no caller may continue.
    pub is_fatal: bool,
}

impl Failure {
    /// Creates a failure without output.
    pub fn new(summary: impl Into<String>, remedy: impl Into<String>) -> Self {
        Self {
            summary: summary.into(),
            remedy: remedy.into(),
            output: String::new(),
            is_fatal: false,
        }
    }

    /// Marks the failure so that no caller continues.
    pub fn fatal(self) -> Self {
        Self { is_fatal: true, ..self }
    }

    /// Adds the last 80 lines of a tool's output.
    pub fn with_output(mut self, output: &str) -> Self {
        let lines: Vec<&str> = output.trim_end().lines().collect();
        self.output = lines[lines.len().saturating_sub(80)..].join("\n");
        self
    }
}

impl From<std::io::Error> for Failure {
    fn from(error: std::io::Error) -> Self {
        Self::new(error.to_string(), "")
    }
}

impl From<xshell::Error> for Failure {
    fn from(error: xshell::Error) -> Self {
        Self::new(error.to_string(), "")
    }
}

impl From<serde_json::Error> for Failure {
    fn from(error: serde_json::Error) -> Self {
        Self::new(format!("unexpected JSON: {error}"), "")
    }
}

/// Fragments of network errors of cargo, npm, pip and apt, separated by `|`.
const NETWORK_MESSAGES: &str = "Could not resolve|Connection refused|spurious network error|failed to download|\
    Timeout was reached|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT|Temporary failure|\
    NewConnectionError|ConnectTimeoutError|ProxyError|No matching distribution found|Failed to fetch";

const WRONG_DIGEST: &str = "pip received a file with a wrong digest, which is not used";

/// Explains the failure of the command `line` if the cause is known.
pub fn explain(line: &str, output: &str) -> Failure {
    // Cargo's output before its errors can contain any text.
    let start =
        if line.starts_with("cargo") { output.find("error").unwrap_or(output.len()) } else { 0 };
    let errors = &output[start..];
    let has_any = |needles: &str| needles.split('|').any(|needle| errors.contains(needle));
    let failure = if has_any("No space left on device|ENOSPC") {
        Failure::new(
            "the disk is full",
            "Free some space, then run the same command again; it resumes.",
        )
    } else if has_any("DO NOT MATCH THE HASHES") {
        Failure::new(
            WRONG_DIGEST,
            "Try again. If the error persists, pip's package index has a different file\n\
             (python3 -m pip config list).",
        )
        .fatal()
    } else if has_any(NETWORK_MESSAGES) {
        Failure::new(
            format!("`{line}` could not reach its package registry"),
            "Check the network and the proxy (HTTPS_PROXY), then run the same command again;\n\
             completed downloads are kept.",
        )
    } else {
        Failure::new(format!("`{}` failed", line.chars().take(120).collect::<String>()), "")
    };
    failure.with_output(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_failures_are_explained() {
        for (line, output, summary) in [
            (
                "npm ci",
                "npm error code ENOTFOUND\n",
                "`npm ci` could not reach its package registry",
            ),
            ("pip", "ERROR: THESE PACKAGES DO NOT MATCH THE HASHES FROM", WRONG_DIGEST),
            ("cargo build", "error: No space left on device (os error 28)", "the disk is full"),
            ("cargo fmt", "Diff in a.rs:\n-  \"Connection refused\"\n", "`cargo fmt` failed"),
        ] {
            let failure = explain(line, output);
            assert_eq!(failure.summary, summary);
            assert_eq!(failure.is_fatal, summary == WRONG_DIGEST);
        }
    }
}
