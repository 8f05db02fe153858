//! Selects the connector for a tracker kind.

use super::{
    Connection, Kind, Tracker, azure::Azure, bugzilla::Bugzilla, confluence::Confluence,
    discourse::Discourse, gitea::Gitea, github::GitHub, gitlab::GitLab, jira::Jira, linear::Linear,
    redmine::Redmine, zendesk::Zendesk,
};

/// Opens a project of a tracker.
pub fn open(connection: &Connection<'_>) -> Box<dyn Tracker> {
    match connection.kind {
        Kind::GitHub => Box::new(GitHub::new(connection)),
        Kind::GitLab => Box::new(GitLab::new(connection)),
        Kind::Gitea => Box::new(Gitea::new(connection)),
        Kind::Jira => Box::new(Jira::new(connection)),
        Kind::Bugzilla => Box::new(Bugzilla::new(connection)),
        Kind::Azure => Box::new(Azure::new(connection)),
        Kind::Linear => Box::new(Linear::new(connection)),
        Kind::Confluence => Box::new(Confluence::new(connection)),
        Kind::Redmine => Box::new(Redmine::new(connection)),
        Kind::Zendesk => Box::new(Zendesk::new(connection)),
        Kind::Discourse => Box::new(Discourse::new(connection)),
    }
}
