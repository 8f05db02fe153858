//! Selects the connector for a tracker kind.

use super::{
    CanonicalRef, ClosingSteps, Kind, Tracker,
    address::Address,
    azure::Azure,
    bugzilla::Bugzilla,
    confluence::Confluence,
    discourse::Discourse,
    gitea::Gitea,
    github::{self, GitHub},
    gitlab::GitLab,
    jira::Jira,
    linear::Linear,
    redmine::Redmine,
    zendesk::Zendesk,
};
use crate::{http::Http, secrets::Token};

/// Opens a project of a tracker.
pub fn open(
    kind: Kind,
    http: &Http,
    address: &Address,
    project: &str,
    wiki: bool,
    token: Option<&Token>,
) -> Box<dyn Tracker> {
    let http = http.clone();
    match kind {
        Kind::GitHub => Box::new(GitHub::new(http, address, project, token)),
        Kind::GitLab => Box::new(GitLab::new(http, address, project, token)),
        Kind::Gitea => Box::new(Gitea::new(http, address, project, token)),
        Kind::Jira => Box::new(Jira::new(http, address, project, token)),
        Kind::Bugzilla => Box::new(Bugzilla::new(http, address, project, token)),
        Kind::Azure => Box::new(Azure::new(http, address, project, token)),
        Kind::Linear => Box::new(Linear::new(http, address, project, token)),
        Kind::Confluence => Box::new(Confluence::new(http, address, project, token)),
        Kind::Redmine => Box::new(Redmine::new(http, address, project, wiki, token)),
        Kind::Zendesk => Box::new(Zendesk::new(http, address, wiki, token)),
        Kind::Discourse => Box::new(Discourse::new(http, address, project, token)),
    }
}

/// Returns the steps that close a report on a tracker of this kind; `None` if not supported.
pub fn closing_steps(
    kind: Kind,
    host: &str,
    project: &str,
    number: u64,
    canonical: &CanonicalRef,
) -> Option<ClosingSteps> {
    match kind {
        Kind::GitHub => Some(github::closing_steps(host, project, number, canonical)),
        _ => None,
    }
}
