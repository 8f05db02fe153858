//! Tracker kinds, and the API address of each.

use url::Url;

use super::Stream;
use precedent_core::error::{Error, Result};

/// A kind of tracker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// github.com, GitHub Enterprise Server and data residency.
    GitHub,
    /// gitlab.com and self-managed servers.
    GitLab,
    /// Gitea and Forgejo.
    Gitea,
    /// Jira Cloud and Data Center.
    Jira,
    /// Redmine.
    Redmine,
    /// Bugzilla 5.0 and later.
    Bugzilla,
    /// Azure DevOps Services, and Server 2022 and later.
    Azure,
    /// Linear.
    Linear,
    /// Confluence Cloud and Data Center: spaces of pages.
    Confluence,
    /// Zendesk: the tickets and the help center of an account.
    Zendesk,
    /// Discourse: the topics of a forum or of one category.
    Discourse,
}

impl Kind {
    /// All kinds.
    pub const ALL: [Self; 11] = [
        Self::GitHub,
        Self::GitLab,
        Self::Gitea,
        Self::Jira,
        Self::Redmine,
        Self::Bugzilla,
        Self::Azure,
        Self::Linear,
        Self::Confluence,
        Self::Zendesk,
        Self::Discourse,
    ];

    /// Parses the name of a kind.
    pub fn parse(name: &str) -> Option<Self> {
        match name {
            "forgejo" => return Some(Self::Gitea),
            "azure-devops" => return Some(Self::Azure),
            _ => {}
        }
        Self::ALL.into_iter().find(|k| k.as_str() == name)
    }

    /// Returns the name in the database, in JSON and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::Gitea => "gitea",
            Self::Jira => "jira",
            Self::Redmine => "redmine",
            Self::Bugzilla => "bugzilla",
            Self::Azure => "azure",
            Self::Linear => "linear",
            Self::Confluence => "confluence",
            Self::Zendesk => "zendesk",
            Self::Discourse => "discourse",
        }
    }

    /// Returns the default host.
    pub fn host(self) -> Option<&'static str> {
        match self {
            Self::GitHub => Some("github.com"),
            Self::GitLab => Some("gitlab.com"),
            Self::Linear => Some("linear.app"),
            Self::Azure => Some("dev.azure.com"),
            _ => None,
        }
    }

    /// Returns the number of parts of a project name; `None` for two or more.
    pub fn name_parts(self) -> Option<usize> {
        match self {
            Self::GitHub | Self::Gitea | Self::Azure | Self::Linear => Some(2),
            Self::GitLab => None,
            _ => Some(1),
        }
    }

    /// Returns the placeholder project name for a host that is a single project.
    pub fn single_project(self) -> Option<&'static str> {
        match self {
            Self::Zendesk => Some("tickets"),
            Self::Discourse => Some("topics"),
            _ => None,
        }
    }

    /// Returns whether project names may contain any characters, including spaces.
    pub fn allows_any_name(self) -> bool {
        matches!(self, Self::Bugzilla | Self::Azure)
    }

    /// Returns the lists of a tracker, in reading order.
    pub fn streams(self, wiki: bool) -> &'static [Stream] {
        match self {
            Self::GitHub => {
                &[Stream::Items, Stream::Comments, Stream::ReviewComments, Stream::Discussions]
            }
            Self::Confluence => &[Stream::Pages],
            Self::Redmine | Self::Zendesk if wiki => {
                &[Stream::Items, Stream::Comments, Stream::Pages]
            }
            // The posts of a topic come with it.
            Self::Discourse => &[Stream::Items],
            _ => &[Stream::Items, Stream::Comments],
        }
    }

    /// Returns whether wikis are git repositories.
    pub fn has_wiki_git(self) -> bool {
        matches!(self, Self::GitHub | Self::GitLab | Self::Gitea | Self::Azure)
    }

    /// Returns whether relations need separate requests, because the lists do not contain them.
    pub fn has_separate_relations(self) -> bool {
        self == Self::GitHub
    }

    /// Returns a notice about content that is not mirrored.
    pub fn coverage_notice(self) -> Option<&'static str> {
        match self {
            Self::GitLab => {
                Some("Merge requests are not mirrored, because they have their own numbers.")
            }
            Self::Gitea => Some("Inline review comments are not mirrored."),
            Self::Redmine => {
                Some("Edits of notes older than the item's last change need a full sync.")
            }
            Self::Confluence => Some("Blog posts, attachments and page comments are not mirrored."),
            Self::Linear => Some("Documents, attachments and project updates are not mirrored."),
            Self::Azure => Some(
                "Pull requests, attachments and wikis published from code repositories are not mirrored.",
            ),
            Self::Bugzilla => Some(
                "Attachments are not mirrored. Edits of comments older than the bug's last change need a full sync.",
            ),
            Self::Zendesk => {
                Some("Attachments, side conversations and article comments are not mirrored.")
            }
            Self::Discourse => Some(
                "Private messages are not mirrored. Accepting an answer or closing a topic without a new post shows up within a week; edits of older posts need a full sync.",
            ),
            Self::GitHub | Self::Jira => None,
        }
    }
}

/// The address of a tracker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    /// Public host with the path of the tracker: `github.com`, `acme.example/redmine`.
    pub host: String,
    /// API address: `https://api.github.com`.
    pub base: Url,
}

impl Address {
    /// Returns the addresses whose origins may receive the token: the API and the git repositories.
    pub fn token_addresses(&self) -> Vec<Url> {
        let web = Url::parse(&format!("{}://{}", self.base.scheme(), self.host)).ok();
        std::iter::once(self.base.clone()).chain(web).collect()
    }

    /// Parses a host, with the path of the tracker if it is not the root. `http` is accepted
    /// only for this machine, so that tokens are never sent in plain text.
    pub fn parse(kind: Kind, text: &str) -> Result<Self> {
        let input = text.trim().trim_end_matches('/');
        let invalid_host = || {
            let excerpt: String = text.chars().take(80).collect();
            Error::invalid(format!("\"{excerpt}\" is not a valid host"))
                .with_hint("Use a host such as github.com, acme.ghe.com or git.acme.example.")
        };
        let url = if input.contains("://") { input.to_owned() } else { format!("https://{input}") };
        let url = Url::parse(&url).map_err(|_| invalid_host())?;
        let name = url.host_str().ok_or_else(invalid_host)?.to_lowercase();
        let is_local = matches!(name.as_str(), "localhost" | "127.0.0.1" | "[::1]");
        let path = url.path().trim_end_matches('/');
        let is_plain =
            url.query().is_none() && url.fragment().is_none() && url.username().is_empty();
        if !is_plain
            || url.password().is_some()
            || (kind == Kind::GitHub && !path.is_empty())
            || (url.scheme() != "https" && !(url.scheme() == "http" && is_local))
        {
            return Err(invalid_host());
        }
        let host = url.port().map_or_else(|| name.clone(), |port| format!("{name}:{port}"));
        let root = format!("{}://{host}{path}", url.scheme());
        let (host, base) = match kind {
            Kind::GitHub => match name.as_str() {
                "github.com" | "www.github.com" | "api.github.com" => {
                    ("github.com".to_owned(), "https://api.github.com".to_owned())
                }
                // <https://docs.github.com/en/enterprise-cloud@latest/admin/data-residency>
                residency if residency.ends_with(".ghe.com") => {
                    (host, format!("https://api.{}", residency.trim_start_matches("api.")))
                }
                _ => (host, format!("{root}/api/v3")),
            },
            Kind::GitLab => (format!("{host}{path}"), format!("{root}/api/v4")),
            Kind::Gitea => (format!("{host}{path}"), format!("{root}/api/v1")),
            // <https://linear.app/developers/graphql>
            Kind::Linear if matches!(name.as_str(), "linear.app" | "api.linear.app") => {
                ("linear.app".to_owned(), "https://api.linear.app".to_owned())
            }
            // <https://developer.atlassian.com/cloud/confluence/rest/v2/intro/>
            Kind::Confluence if name.ends_with(".atlassian.net") => {
                (host.clone(), format!("{}://{host}/wiki", url.scheme()))
            }
            Kind::Bugzilla => (format!("{host}{path}"), format!("{root}/rest")),
            _ => (format!("{host}{path}"), root),
        };
        Ok(Self { host, base: Url::parse(&base).map_err(|_| invalid_host())? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_core::error::Code;

    #[test]
    fn every_tracker_has_its_address() {
        use Kind::{
            Azure, Bugzilla, Confluence, Discourse, GitHub, GitLab, Gitea, Jira, Linear, Redmine,
            Zendesk,
        };
        for (kind, host, name, base) in [
            (GitHub, "github.com", "github.com", "https://api.github.com/"),
            (GitHub, "https://github.com/", "github.com", "https://api.github.com/"),
            (GitHub, "acme.ghe.com", "acme.ghe.com", "https://api.acme.ghe.com/"),
            (GitHub, "Git.Acme.Example", "git.acme.example", "https://git.acme.example/api/v3"),
            (
                GitHub,
                "git.acme.example:8443",
                "git.acme.example:8443",
                "https://git.acme.example:8443/api/v3",
            ),
            (GitHub, "http://127.0.0.1:80", "127.0.0.1", "http://127.0.0.1/api/v3"),
            (GitLab, "gitlab.com", "gitlab.com", "https://gitlab.com/api/v4"),
            (Gitea, "codeberg.org", "codeberg.org", "https://codeberg.org/api/v1"),
            (
                Redmine,
                "acme.example/redmine/",
                "acme.example/redmine",
                "https://acme.example/redmine",
            ),
            (Linear, "linear.app", "linear.app", "https://api.linear.app/"),
            (
                Confluence,
                "acme.atlassian.net/wiki",
                "acme.atlassian.net",
                "https://acme.atlassian.net/wiki",
            ),
            (
                Confluence,
                "acme.example/confluence",
                "acme.example/confluence",
                "https://acme.example/confluence",
            ),
            (Azure, "dev.azure.com", "dev.azure.com", "https://dev.azure.com/"),
            (
                Bugzilla,
                "bugs.acme.example/bz",
                "bugs.acme.example/bz",
                "https://bugs.acme.example/bz/rest",
            ),
            (Jira, "acme.atlassian.net", "acme.atlassian.net", "https://acme.atlassian.net/"),
            (Zendesk, "Acme.zendesk.com", "acme.zendesk.com", "https://acme.zendesk.com/"),
            (Discourse, "acme.example/forum", "acme.example/forum", "https://acme.example/forum"),
        ] {
            let address = Address::parse(kind, host).unwrap();
            assert_eq!((address.host.as_str(), address.base.as_str()), (name, base));
        }
        for host in "|http://git.acme.example|ftp://x|https://user:pw@git.acme.example|a/b|a b|a?b"
            .split('|')
        {
            assert_eq!(
                Address::parse(GitHub, host).unwrap_err().code(),
                Code::InvalidInput,
                "{host}"
            );
        }
    }
}
