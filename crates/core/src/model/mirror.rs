//! Live sources: the state of a mirror, its gaps, and sync reports.

use super::Skip;
use crate::{Error, Hint};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// A kind of data that a mirror lacks or may lack.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// The host receives no token until the user confirms that it is trusted.
    Untrusted,
    /// The source was never synced.
    NeverSynced,
    /// The last sync ended early.
    Ended,
    /// A list has not been read to its end yet.
    Unfinished,
    /// The tracker refuses a list to this token.
    Refused,
    /// Some records could not be read.
    Unreadable,
    /// Some dates are ahead of this computer's clock and were cut.
    FutureDates,
    /// Some comments that the tracker counts are not mirrored.
    MissingComments,
    /// Some comments belong to items that are not mirrored.
    OrphanComments,
    /// Deletions and transfers since the last check are unknown.
    Deletions,
    /// Some duplicate links and closing changes are not read from the tracker.
    Links,
    /// The wiki is not mirrored or not complete.
    Wiki,
    /// The tracker holds data that this version does not mirror.
    LeftOut,
}

/// A gap in a mirror's data.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Gap {
    /// Kind of the gap.
    pub kind: GapKind,
    /// Description of the gap, and its remedy.
    #[serde(flatten)]
    pub hint: Hint,
}

/// The read progress of one of a tracker's lists.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StreamView {
    /// Name of the list: `items`, `comments`, `review_comments`, `discussions` or `pages`.
    pub name: String,
    /// Time before which all changes are mirrored; null if not known yet.
    pub watermark: Option<Timestamp>,
    /// Time at which the list was last read to its end; null if never.
    pub finished_at: Option<Timestamp>,
    /// Number of pages read in the current, unfinished pass.
    pub pages: u64,
    /// Number of records that could not be read.
    pub unreadable: u64,
    /// Reason why the tracker refuses the list; null if it does not.
    pub refused: Option<String>,
}

/// The progress of a running sync, in this process or another.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SyncProgress {
    /// Phase: `sync`, or `wait` while the tracker allows no more requests.
    pub phase: String,
    /// Amount of this phase that is done, in `unit`s.
    pub done: u64,
    /// Total amount of this phase, in `unit`s; null if unknown.
    pub total: Option<u64>,
    /// Unit of `done` and `total`: `records` or `seconds`.
    pub unit: String,
    /// Start time of this phase.
    pub started_at: Timestamp,
    /// Time of this progress report.
    pub told_at: Timestamp,
}

impl SyncProgress {
    /// Estimates the rate per second and the remaining seconds; `None` where unknown.
    pub fn rate_and_remaining(&self) -> (Option<f64>, Option<u64>) {
        let elapsed = self.started_at.duration_until(self.told_at).as_secs_f64();
        if self.unit == "seconds" {
            return (None, self.total.map(|t| t.saturating_sub(self.done)));
        }
        if elapsed < 1.0 || self.done == 0 {
            return (None, None);
        }
        let rate = self.done as f64 / elapsed;
        let seconds = self.total.map(|t| (t.saturating_sub(self.done) as f64 / rate).ceil() as u64);
        (Some(rate), seconds)
    }
}

/// A live source: its origin, read progress and gaps.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MirrorView {
    /// Key of the source: `acme/app`.
    pub source: String,
    /// Host of the tracker: `github.com`.
    pub host: String,
    /// Current name of the project on the tracker.
    pub project: String,
    /// `true` if a sync is running, in this process or another.
    pub running: bool,
    /// Progress of the running sync; null if none is running.
    pub progress: Option<SyncProgress>,
    /// Time at which the last sync ended, successfully or not; null if never synced.
    pub synced_at: Option<Timestamp>,
    /// Time of the last check for deleted items; null if never checked.
    pub swept_at: Option<Timestamp>,
    /// Lists of the tracker.
    pub streams: Vec<StreamView>,
    /// Gaps in the mirrored data.
    pub gaps: Vec<Gap>,
}

/// A live source to add.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NewMirror {
    /// Kind of tracker: `github`, `gitlab`, `gitea`, `forgejo`, `jira`, `redmine`, `bugzilla`,
    /// `azure`, `linear`, `confluence`, `zendesk` or `discourse`.
    pub tracker: String,
    /// Project, prefixed with the host unless `host` gives it: `acme/app`,
    /// `redmine.acme.example/app`.
    pub place: String,
    /// Host, including the path below which the tracker is served; null if `place` contains it.
    pub host: Option<String>,
    /// Key of the new source; null for the project's name, prefixed with the host's if it has only
    /// one part.
    pub key: Option<String>,
    /// `true` to mirror the wiki as well.
    pub wiki: bool,
}

/// A host that this casebook connects to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HostView {
    /// Display name of the host: `github.com`.
    pub host: String,
    /// Base URL of the API: `https://api.github.com`.
    pub address: String,
    /// Keys of the sources mirrored from the host.
    pub sources: Vec<String>,
    /// Location of the token in words, never the token itself; null without one.
    pub token: Option<String>,
    /// `true` if the token is in the system's keyring, from which it can be removed.
    pub kept: bool,
}

/// A request to sync sources.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// Keys of the sources; empty for all live sources.
    pub sources: Vec<String>,
    /// `true` to read everything again and to look for deleted items.
    pub full: bool,
    /// `true` to hide any number of deleted items. Otherwise a sync that would hide a large share
    /// of a source hides none.
    pub hide_gone: bool,
}

/// The result of syncing one source.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SyncReport {
    /// Key of the source.
    pub source: String,
    /// Number of new records.
    pub new: u64,
    /// Number of records that differ from the mirrored ones.
    pub updated: u64,
    /// Number of records that were already mirrored unchanged.
    pub unchanged: u64,
    /// Number of records older than the mirrored ones, which are ignored.
    pub stale: u64,
    /// Number of records that could not be read.
    pub skipped: u64,
    /// First unreadable records, up to `MAX_SKIPS`.
    pub skips: Vec<Skip>,
    /// Number of issues and pull requests among the records.
    pub items: u64,
    /// Number of comments among the records.
    pub comments: u64,
    /// Number of wiki pages among the records.
    pub wiki_pages: u64,
    /// Number of items, comments and wiki pages that the tracker no longer has; they are kept and
    /// marked.
    pub gone: u64,
    /// Number of list pages fetched.
    pub pages: u64,
    /// Number of requests sent.
    pub requests: u64,
    /// Wall time in seconds.
    pub seconds: u64,
    /// New name of the project on the tracker; null if it was not renamed.
    pub renamed_to: Option<String>,
    /// Error that ended the sync early, as `{code, message, hint}`; null if it completed.
    pub problem: Option<Error>,
    /// Gaps in the mirrored data.
    pub gaps: Vec<Gap>,
}

/// A project as described by its tracker.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Project {
    /// Current name of the project.
    pub name: String,
    /// Tracker's own id of the project; null if it has none.
    pub remote_id: Option<String>,
    /// `true` if the project is private.
    pub private: bool,
    /// `true` if the project has a wiki.
    pub wiki: bool,
    /// `true` if the project has issues; one without may still have pull requests.
    pub issues: bool,
    /// `true` if the project is read-only.
    pub archived: bool,
}

/// The permissions of a token, or of access without one.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Access {
    /// The project.
    pub project: Project,
    /// Login of the token's owner; null without a token and for tokens without an owner.
    pub user: Option<String>,
    /// Number of requests left in the current rate-limit period; null if unknown.
    pub remaining: Option<u64>,
    /// Number of requests that a rate-limit period allows; null if unknown.
    pub limit: Option<u64>,
    /// Start of the next rate-limit period; null if unknown.
    pub resets_at: Option<Timestamp>,
    /// Data that this access may not read, with reasons.
    pub refused: Vec<String>,
}
