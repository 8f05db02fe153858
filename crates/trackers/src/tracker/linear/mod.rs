//! The Linear connector: issues, relations and comments of a team, through GraphQL.
//!
//! Lists are ordered by creation, which an edit does not change, and can be filtered by the time of
//! change; see `Pagination::by_creation`. <https://linear.app/developers/graphql>

mod shapes;

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Stream, Tracker,
    client::Client,
    graphql::{self, List, QueryOutcome},
    pagination::Pagination,
};
use crate::{http::Login, secrets::Token};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    model::Project,
};
use shapes::{Comment, Issue};

/// The number of issues per page. A query may cost 10,000 points; an issue with labels and
/// relations costs about 60. <https://linear.app/developers/rate-limiting>
const PAGE_SIZE: u32 = 50;
const COMMENT_PAGE_SIZE: u32 = 100;

/// The requested fields of an issue. The first relations include the issue that it duplicates.
const ISSUE: &str = "fragment issue on Issue { id identifier number title description url createdAt updatedAt completedAt \
                     canceledAt archivedAt trashed state { name type } team { key } labels(first: 20) { nodes { name } } \
                     project { name } projectMilestone { name } creator { name displayName app } botActor { name } \
                     externalUserCreator { name } relations(first: 15) { nodes { type relatedIssue { identifier } } } }";
const COMMENT: &str = "fragment comment on Comment { id body url createdAt updatedAt user { name displayName app } \
                       botActor { name } externalUser { name } issue { number team { key } } }";

/// A Linear team.
pub struct Linear {
    client: Client,
    /// Workspace slug, as in its addresses.
    workspace: String,
    team: String,
    issue_count: Option<u64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TeamInfo {
    id: String,
    key: String,
    archived_at: Option<String>,
    retired_at: Option<String>,
    issue_count: Option<u64>,
}

impl Linear {
    /// Opens the team with this name (`workspace/KEY`). A personal key is sent without a scheme, an
    /// OAuth token as a bearer token. <https://linear.app/developers/graphql#personal-api-keys>
    pub fn new(connection: &Connection<'_>) -> Self {
        let login = |base: &Url, token: &Token| match token.has_prefix("lin_oauth_") {
            true => Login::bearer(base, token),
            false => Login::header(base, "authorization", token),
        };
        let name = connection.project;
        let (workspace, team) = name.split_once('/').unwrap_or(("", name));
        Self {
            client: Client::new(connection, login),
            workspace: workspace.to_owned(),
            team: team.to_owned(),
            issue_count: None,
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.workspace, self.team)
    }

    async fn query(&self, query: &str, variables: Value, subject: &str) -> Result<QueryOutcome> {
        if self.client.login.is_none() {
            return Err(Error::new(
                Code::Authentication,
                format!("{} requires an API key", self.client.host),
            )
            .with_hint("Create one under Settings › Security & access and save it.")
            .with_command(Remedy::Sources, format!("precedent login {}", self.client.host)));
        }
        let url = self.client.url("graphql")?;
        graphql::query(&self.client, url, query, variables, subject, false).await
    }
}

#[async_trait]
impl Tracker for Linear {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        let query = "query($key: String!) { organization { urlKey } teams(filter: {key: {eqIgnoreCase: $key}}, \
                     includeArchived: true) { nodes { id key archivedAt retiredAt issueCount } } }";
        let name = self.name();
        let data = match self.query(query, json!({"key": self.team}), &name).await? {
            QueryOutcome::Data(data, _) => data,
            QueryOutcome::TooLarge(error) => return Err(error),
            QueryOutcome::Refused(reason) => return Err(Error::new(Code::Authentication, reason)),
            QueryOutcome::Gone | QueryOutcome::Unsupported | QueryOutcome::Expired => {
                return Err(Error::not_found(format!("{name} not found")));
            }
        };
        let workspace = data["organization"]["urlKey"].as_str().unwrap_or_default();
        if !workspace.eq_ignore_ascii_case(&self.workspace) {
            return Err(Error::not_found(format!(
                "the key is for the workspace \"{workspace}\", not for \"{}\"",
                self.workspace
            ))
            .with_hint(format!(
                "A key is valid for one workspace. For this one, use linear:{workspace}/{}.",
                self.team
            )));
        }
        workspace.clone_into(&mut self.workspace);
        let teams: Vec<TeamInfo> =
            serde_json::from_value(data["teams"]["nodes"].clone()).unwrap_or_default();
        let Some(team) = teams.into_iter().find(|t| t.key.eq_ignore_ascii_case(&self.team)) else {
            return Err(Error::not_found(format!("the workspace \"{workspace}\" has no team with the key {}, or you don't have access to it", self.team))
                .with_hint("The team key is the prefix of issue numbers: ENG in ENG-12. A private team needs a member's API key."));
        };
        self.team = team.key;
        self.issue_count = team.issue_count;
        Ok(Project {
            name: self.name(),
            remote_id: Some(team.id),
            private: true,
            wiki: false,
            issues: true,
            archived: team.archived_at.is_some() || team.retired_at.is_some(),
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        let query = "{ viewer { name } }";
        let outcome = self.query(query, json!({}), "the key's account").await?;
        let viewer = outcome.object("/viewer")?.unwrap_or_default();
        Ok(viewer["name"].as_str().map(str::to_owned))
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE_SIZE } else { COMMENT_PAGE_SIZE }
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let is_items = stream == Stream::Items;
        let (list, selection, fragment, kind) = match is_items {
            true => ("issues", "...issue", ISSUE, "IssueFilter"),
            false => ("comments", "...comment", COMMENT, "CommentFilter"),
        };
        let query = format!(
            "query($filter: {kind}!, $first: Int!, $after: String) {{ {list}(filter: $filter, first: $first, after: $after, \
             orderBy: createdAt, includeArchived: true) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ {selection} }} }} }} \
             {fragment}"
        );
        let mut team_filter = json!({"team": {"key": {"eq": self.team}}});
        if pagination.open {
            team_filter["state"] = json!({"type": {"nin": shapes::CLOSED_TYPES}});
        }
        let mut filter = if is_items { team_filter } else { json!({"issue": team_filter}) };
        if let Some(since) = pagination.since {
            filter["updatedAt"] = json!({"gte": since.to_string()});
        }
        let variables =
            json!({"filter": filter, "first": pagination.size, "after": pagination.token});
        let outcome = self.query(&query, variables, stream.label()).await?;
        let (mut data, response_time) = outcome.list(pagination)?;
        let connection: List = serde_json::from_value(data[list].take()).map_err(|e| {
            Error::new(Code::Network, format!("cannot read a list from Linear: {e}"))
        })?;
        let token = connection.next_cursor();
        let mut page = Page::default();
        for node in connection.nodes {
            if is_items {
                match Issue::parse(node) {
                    Ok(issue) if issue.is_gone() => page.gone_numbers.push(issue.number),
                    Ok(issue) => {
                        page.relations.push((issue.number, issue.relations(&self.workspace)));
                        page.add(Ok(Some(issue.record())));
                    }
                    Err(reason) => page.records.push(Err(reason)),
                }
            } else {
                page.add(Comment::parse(node, &self.team));
            }
        }
        let (next, watermark) = pagination.by_creation(None, response_time, token.is_some());
        Ok(page.with_next((next.map(|next| Pagination { token, ..next }), watermark)))
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        Ok(self.issue_count)
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let query = format!("query($id: String!) {{ issue(id: $id) {{ ...issue }} }} {ISSUE}");
        let id = format!("{}-{number}", self.team);
        let outcome = self.query(&query, json!({"id": id}), "an issue").await?;
        let node = match outcome.object("/issue")? {
            Ok(node) => node,
            Err(outcome) => return Ok(outcome),
        };
        let issue = match Issue::parse(node) {
            Ok(issue) if issue.is_gone() => return Ok(Lookup::Gone),
            Ok(issue) => issue,
            Err(_) => return Ok(Lookup::Unreadable),
        };
        // An issue that moved to another team is returned under its new key.
        if let Some((team, number)) =
            issue.team_and_number().filter(|(team, _)| !team.eq_ignore_ascii_case(&self.team))
        {
            return Ok(Lookup::Moved(Some(format!("{}/{team}#{number}", self.workspace))));
        }
        Ok(Lookup::from_parsed(Ok(Some(issue.record()))))
    }

    async fn comment(&self, _number: u64, remote_id: &str) -> Result<Lookup> {
        let query =
            format!("query($id: String!) {{ comment(id: $id) {{ ...comment }} }} {COMMENT}");
        let outcome = self.query(&query, json!({"id": remote_id}), "comments").await?;
        Ok(match outcome.object("/comment")? {
            Ok(node) => Lookup::from_parsed(Comment::parse(node, &self.team)),
            Err(outcome) => outcome,
        })
    }
}
