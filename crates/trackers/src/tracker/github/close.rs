//! Closing issues as duplicates.
//! <https://docs.github.com/en/rest/issues/issues#update-an-issue> (`state_reason`) and
//! <https://docs.github.com/en/issues/tracking-your-work-with-issues/administering-issues/marking-issues-or-pull-requests-as-a-duplicate>
//! (the comment "Duplicate of #12").

use serde::Deserialize;
use serde_json::json;

use super::{GitHub, record};
use crate::http::{Request, Response, status_text};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    model::Record,
};

/// The maximum number of comment pages that are searched for an existing comment.
const MAX_PAGES: usize = 60;

/// The planned changes, for review before they are sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClosingSteps {
    /// Comment text, which ends with an invisible marker.
    pub comment: String,
    /// Equivalent commands for the tracker's own command-line tool.
    pub commands: Vec<String>,
}

/// The canonical report, as a comment can refer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CanonicalRef {
    /// A report of the same project, by number.
    SameProject(u64),
    /// A report of another project on the same host: `owner/name`, number.
    SameHost(String, u64),
    /// A report on another host, by address.
    OtherHost(String),
}

/// Returns the closing comment and the equivalent `gh` commands.
pub fn closing_steps(
    host: &str,
    project: &str,
    number: u64,
    canonical: &CanonicalRef,
) -> ClosingSteps {
    let reference = match canonical {
        CanonicalRef::SameProject(n) => format!("#{n}"),
        CanonicalRef::SameHost(name, n) => format!("{name}#{n}"),
        CanonicalRef::OtherHost(url) => url.clone(),
    };
    // GitHub interprets the first line.
    let line = format!("Duplicate of {reference}");
    let repository =
        if host == "github.com" { project.to_owned() } else { format!("{host}/{project}") };
    let host_flag =
        if host == "github.com" { String::new() } else { format!(" --hostname {host}") };
    ClosingSteps {
        comment: format!(
            "{line}\n\n<!-- precedent: {project}#{number} is a duplicate of {reference} -->"
        ),
        commands: vec![
            format!("gh issue comment {number} --repo {repository} --body '{line}'"),
            format!(
                "gh api --method PATCH{host_flag} repos/{project}/issues/{number} -f state=closed -f state_reason=duplicate"
            ),
        ],
    }
}

#[derive(Deserialize)]
struct Comment {
    body: Option<String>,
    html_url: Option<String>,
}

impl GitHub {
    fn write_error(&self, response: &Response, action: &str) -> Error {
        let host = &self.client.host;
        let detail = response.message().map(|m| format!(" (\"{m}\")")).unwrap_or_default();
        match response.status {
            401 => self.client.error_for(response, action),
            403 | 404 => Error::new(
                Code::Authentication,
                format!("no permission to {action} on {host}{detail}"),
            )
            .with_hint("Give the token write access to issues of this repository, or sign in.")
            .with_command(Remedy::Sources, "gh auth login"),
            status => Error::new(
                Code::Network,
                format!("cannot {action} on {host}: {}{detail}", status_text(status)),
            )
            .with_hint("Try again later. A comment that was posted is not posted again."),
        }
    }

    /// Returns the address of the comment with exactly this text, if there is one.
    pub async fn find_comment(&self, number: u64, text: &str) -> Result<Option<String>> {
        let mut url = Some(self.repo_url(&format!("/issues/{number}/comments?per_page=100"))?);
        for _ in 0..MAX_PAGES {
            let Some(page_url) = url.take() else { break };
            let response = self.client.get(page_url).await?;
            if response.status != 200 {
                return Err(self.client.error_for(&response, "the comments of an issue"));
            }
            // Servers may return Windows line endings.
            let is_match = |c: &Comment| {
                c.body.as_deref().is_some_and(|b| b.replace("\r\n", "\n").trim() == text)
            };
            if let Some(comment) = response.json::<Vec<Comment>>()?.into_iter().find(is_match) {
                return Ok(Some(comment.html_url.unwrap_or_default()));
            }
            url = response.next.filter(|next| next.origin() == self.client.base.origin());
        }
        Ok(None)
    }

    /// Posts a comment and returns its address. There are no retries: after a connection failure,
    /// the comment may or may not exist.
    pub async fn post_comment(&self, number: u64, text: &str) -> Result<Option<String>> {
        let url = self.repo_url(&format!("/issues/{number}/comments"))?;
        let request = Request::post(url, &json!({ "body": text })).without_retry();
        let response = self.client.request(request).await?;
        match response.status {
            201 => Ok(response.json::<Comment>()?.html_url),
            _ => Err(self.write_error(&response, "comment on an issue")),
        }
    }

    /// Closes a report as a duplicate and returns the updated report. Idempotent.
    pub async fn close(&self, number: u64) -> Result<Record> {
        let url = self.repo_url(&format!("/issues/{number}"))?;
        let request = |reason: &str| {
            let body = json!({ "state": "closed", "state_reason": reason });
            Request::patch(url.clone(), &body)
        };
        let mut response = self.client.request(request("duplicate")).await?;
        if response.status == 422 {
            // Older servers do not support this reason.
            response = self.client.request(request("not_planned")).await?;
        }
        if response.status != 200 {
            return Err(self.write_error(&response, "close an issue"));
        }
        record(&response.body).map_err(|reason| {
            let host = &self.client.host;
            Error::new(Code::Network, format!("{host} returned an unreadable issue: {reason}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        http::Http,
        tracker::{Address, Connection, Kind},
    };

    #[test]
    fn failed_write_names_the_action() {
        let address = Address::parse(Kind::GitHub, "github.com").unwrap();
        let github = GitHub::new(&Connection::for_tests(&Http::for_tests(), &address));
        for (status, expected) in [
            (401, "github.com requires a token (\"No\")"),
            (403, "no permission to close an issue on github.com (\"No\")"),
            (410, "cannot close an issue on github.com: 410 gone (\"No\")"),
            (502, "cannot close an issue on github.com: 502 bad gateway (\"No\")"),
        ] {
            let response = Response::for_tests(status, &[], r#"{"message": "No"}"#);
            let error = github.write_error(&response, "close an issue");
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn steps_name_host_and_project_when_needed() {
        let steps = closing_steps("github.com", "acme/app", 5, &CanonicalRef::SameProject(1));
        assert!(steps.comment.starts_with("Duplicate of #1\n\n<!-- "));
        assert_eq!(
            steps.commands[0],
            "gh issue comment 5 --repo acme/app --body 'Duplicate of #1'"
        );
        let steps = closing_steps(
            "git.acme.example",
            "acme/app",
            5,
            &CanonicalRef::SameHost("acme/core".into(), 7),
        );
        assert!(steps.comment.starts_with("Duplicate of acme/core#7\n"));
        assert!(steps.commands[0].contains("--repo git.acme.example/acme/app"));
        assert!(steps.commands[1].contains("--hostname git.acme.example"));
    }
}
