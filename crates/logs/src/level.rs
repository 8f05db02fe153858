//! The header of a line: its time and its level.

/// The level of a line.
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
    /// Returns the level of a syslog severity, 0 (emergency) to 7 (debug): RFC 5424, section 6.2.1.
    pub fn of_syslog(severity: u64) -> Self {
        match severity {
            0..=2 => Self::Fatal,
            3 => Self::Error,
            4 => Self::Warning,
            _ => Self::Fine,
        }
    }
}

/// The header of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Head<'l> {
    /// Time in its original form.
    pub at: Option<&'l [u8]>,
    /// Level, if the line names one.
    pub level: Option<Level>,
    /// Rest of the line.
    pub message: &'l [u8],
}

impl Head<'_> {
    /// Returns whether the line begins an event.
    pub fn begins(&self) -> bool {
        self.at.is_some() || self.level.is_some()
    }
}
