//! What stands in front of a line's message, and how grave the line says it is.

/// How grave a line says it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// Trace, debug, info, notice.
    Fine,
    /// Warning.
    Warning,
    /// Error.
    Error,
    /// Fatal, critical, alert, emergency.
    Fatal,
}

impl Level {
    /// The level of a syslog severity, 0 (emergency) to 7 (debug): RFC 5424, section 6.2.1.
    pub fn of_syslog(severity: u64) -> Self {
        match severity {
            0..=2 => Self::Fatal,
            3 => Self::Error,
            4 => Self::Warning,
            _ => Self::Fine,
        }
    }
}

/// The head of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head<'l> {
    /// The time, as it is written.
    pub at: Option<&'l [u8]>,
    /// The level, where one is named.
    pub level: Option<Level>,
    /// What follows.
    pub message: &'l [u8],
}

impl Head<'_> {
    /// Whether the line begins an event of its own.
    pub fn begins(&self) -> bool {
        self.at.is_some() || self.level.is_some()
    }
}
