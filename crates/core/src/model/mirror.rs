//! Live sources: what was read, what was not, what a sync did.

use super::{Problem, Skip};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};

/// What a mirror does not know, or may not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum GapKind {
    /// The host gets no token before the person confirms that it is known.
    Untrusted,
    /// It was never synced.
    NeverSynced,
    /// The last sync ended early.
    Ended,
    /// A list was not read to its end yet.
    Unfinished,
    /// The tracker does not give a list to this access.
    Refused,
    /// Records that could not be read.
    Unreadable,
    /// Dates ahead of this computer's clock, which were cut.
    FutureDates,
    /// Comments that the tracker counts and the mirror lacks.
    MissingComments,
    /// Comments whose item the mirror lacks.
    OrphanComments,
    /// What was deleted or transferred since the last look.
    Deletions,
    /// What the tracker itself says of duplicates, and of what closed an item.
    Links,
    /// The wiki.
    Wiki,
    /// What the tracker keeps and this version does not mirror.
    LeftOut,
}

/// Something that a mirror does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Gap {
    /// What is wanting.
    pub kind: GapKind,
    /// The same in words.
    pub text: String,
}

/// How far one of a tracker's lists has been read.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct StreamView {
    /// `items`, `comments`, `review_comments`, `discussions`, `pages`.
    pub name: String,
    /// Everything that changed before this is here.
    pub watermark: Option<Timestamp>,
    /// When it was last read to its end.
    pub finished_at: Option<Timestamp>,
    /// Pages read in a pass that is not finished.
    pub pages: u64,
    /// Records that could not be read.
    pub unreadable: u64,
    /// Why the tracker does not give it, if it does not.
    pub refused: Option<String>,
}

/// How far a sync that is under way has come, here or in another process.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct SyncProgress {
    /// `sync`, or `wait` while the tracker allows no more requests.
    pub phase: String,
    /// How much of this part is done.
    pub done: u64,
    /// Of how much, where that is known.
    pub total: Option<u64>,
    /// What is counted: `records`, `seconds`.
    pub unit: String,
    /// When this part began.
    pub started_at: Timestamp,
    /// When this was said.
    pub told_at: Timestamp,
}

impl SyncProgress {
    /// How many a second, and how many seconds are left, where that can be told.
    pub fn pace(&self) -> (Option<f64>, Option<u64>) {
        let took = self.started_at.duration_until(self.told_at).as_secs_f64();
        if self.unit == "seconds" {
            return (None, self.total.map(|t| t.saturating_sub(self.done)));
        }
        if took < 1.0 || self.done == 0 {
            return (None, None);
        }
        #[allow(clippy::cast_precision_loss, reason = "an estimate")]
        let rate = self.done as f64 / took;
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "an estimate"
        )]
        let left = self.total.map(|t| (t.saturating_sub(self.done) as f64 / rate).ceil() as u64);
        (Some(rate), left)
    }
}

/// A live source: where it comes from, how far it was read, and what it does not know.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct MirrorView {
    /// The source's key: `acme/app`.
    pub source: String,
    /// The tracker's host: `github.com`.
    pub host: String,
    /// What the tracker calls the project now.
    pub project: String,
    /// Whether a sync is under way, here or in another process.
    pub running: bool,
    /// How far that is.
    pub progress: Option<SyncProgress>,
    /// When a sync last ended, however.
    pub synced_at: Option<Timestamp>,
    /// When what is here was last compared with what is still there.
    pub swept_at: Option<Timestamp>,
    /// Its lists.
    pub streams: Vec<StreamView>,
    /// What it does not know.
    pub gaps: Vec<Gap>,
}

/// A live source to add.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct NewMirror {
    /// The kind of tracker: `github`, `gitlab`, `gitea`, `forgejo`, `jira`, `redmine`, `bugzilla`, `azure`, `linear`, `confluence`, `zendesk`, `discourse`.
    pub tracker: String,
    /// The project, and in front of it the host where that is not given apart: `acme/app`, `redmine.acme.example/app`.
    pub place: String,
    /// The host, with the path below which the tracker is.
    pub host: Option<String>,
    /// What it is to be called here; by default the project's name, after the host's where that has one part alone.
    pub key: Option<String>,
    /// Whether to mirror its wiki too.
    pub wiki: bool,
}

/// A host that this casebook talks to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct HostView {
    /// The host as people name it: `github.com`.
    pub host: String,
    /// Where its interface is: `https://api.github.com`.
    pub address: String,
    /// The sources that are mirrored from it, by key.
    pub sources: Vec<String>,
    /// Where its token is found, in words; never the token.
    pub token: Option<String>,
    /// Whether that is the system's keyring, from which it can be removed.
    pub kept: bool,
}

/// What to sync, and how.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SyncRequest {
    /// The sources' keys; none stands for all live ones.
    pub sources: Vec<String>,
    /// Reads everything again, and looks for what is gone.
    pub full: bool,
    /// Hides all that is gone. Without, a sync that would hide more than a share of a source hides nothing.
    pub hide_gone: bool,
}

/// What a sync of one source did.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct SyncReport {
    /// The source's key.
    pub source: String,
    /// Records that were not here before.
    pub new: u64,
    /// Records that differ from what was here.
    pub updated: u64,
    /// Records that were here already.
    pub unchanged: u64,
    /// Records older than what is here, left alone.
    pub stale: u64,
    /// Records that could not be read.
    pub skipped: u64,
    /// The first of them, up to `MAX_SKIPS`.
    pub skips: Vec<Skip>,
    /// Issues and pull requests among the records.
    pub items: u64,
    /// Comments among the records.
    pub comments: u64,
    /// Wiki pages among the records.
    pub wiki_pages: u64,
    /// Items, comments and wiki pages that the tracker no longer has; they are kept and marked.
    pub gone: u64,
    /// Pages of lists that were fetched.
    pub pages: u64,
    /// Requests that were sent.
    pub requests: u64,
    /// Wall time in seconds.
    pub seconds: u64,
    /// What the tracker calls the project now, if that has changed.
    pub renamed_to: Option<String>,
    /// What ended it, if not the end of the work: `{code, message, hint}`.
    pub problem: Option<Problem>,
    /// What this mirror does not know.
    pub gaps: Vec<Gap>,
}

/// What a tracker says about a project.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Project {
    /// What it is called now.
    pub name: String,
    /// The tracker's own id.
    pub remote_id: Option<String>,
    /// Whether others can see it.
    pub private: bool,
    /// Whether it has a wiki.
    pub wiki: bool,
    /// Whether it keeps issues; one that does not may still have pull requests.
    pub issues: bool,
    /// Whether it is read-only.
    pub archived: bool,
}

/// What an access can do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, schemars::JsonSchema)]
pub struct Access {
    /// The project.
    pub project: Project,
    /// Who the token belongs to; none without a token, and for tokens that are nobody's.
    pub user: Option<String>,
    /// Requests that are left in this period.
    pub remaining: Option<u64>,
    /// Requests that a period allows.
    pub limit: Option<u64>,
    /// When the next period begins.
    pub resets_at: Option<Timestamp>,
    /// What this access may not read, and why.
    pub refused: Vec<String>,
}
