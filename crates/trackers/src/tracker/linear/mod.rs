//! The Linear connector: issues, relations and comments of a team, through GraphQL.
//!
//! Lists are ordered by creation, which an edit does not change, and can be filtered by the time of
//! change; see `Walk::by_creation`. <https://linear.app/developers/graphql>

mod shapes;

use async_trait::async_trait;
use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};

use super::{
    Address, Fate, Fetch, Page, Stream, Tracker,
    client::Client,
    graphql::{Answer, List},
    walk::Pagination,
};
use crate::{
    http::{Http, Login, Response},
    secrets::Token,
};
use precedent_core::{
    error::{Code, Error, Result},
    model::Project,
    task::Task,
};
use shapes::{Comment, Issue};

/// The number of issues on a page. A query may cost 10,000 points; an issue with labels and
/// relations costs about 60. <https://linear.app/developers/rate-limiting>
const PAGE: u32 = 50;
/// The number of comments on a page.
const COMMENTS: u32 = 100;

/// The requested fields of an issue. The first relations include the issue that it duplicates.
const ISSUE: &str = "fragment about on Issue { id identifier number title description url createdAt updatedAt completedAt \
                     canceledAt archivedAt trashed state { name type } team { key } labels(first: 20) { nodes { name } } \
                     project { name } projectMilestone { name } creator { name displayName app } botActor { name } \
                     externalUserCreator { name } relations(first: 15) { nodes { type relatedIssue { identifier } } } }";
/// The requested fields of a comment.
const COMMENT: &str = "fragment said on Comment { id body url createdAt updatedAt user { name displayName app } \
                       botActor { name } externalUser { name } issue { number team { key } } }";

/// A Linear team.
#[derive(Debug)]
pub struct Linear {
    client: Client,
    /// Workspace slug, as in its addresses.
    workspace: String,
    team: String,
    issues: Option<u64>,
}

/// The outcome of a query.
enum QueryOutcome {
    Data(Value),
    /// The token may not run the query, with the reason.
    Refused(String),
    /// The requested object does not exist.
    Gone,
    /// The list cursor has expired.
    Expired,
    /// The query was too large.
    TooMuch(Box<Response>),
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct About {
    id: String,
    key: String,
    archived_at: Option<String>,
    retired_at: Option<String>,
    issue_count: Option<u64>,
}

impl Linear {
    /// Opens the team with this name (`workspace/KEY`). A personal key is sent without a scheme, an
    /// OAuth token as a bearer token. <https://linear.app/developers/graphql#personal-api-keys>
    pub fn new(http: Http, address: &Address, name: &str, token: Option<&Token>) -> Self {
        let login = token.map(|t| match t.begins_with("lin_oauth_") {
            true => Login::bearer(&address.base, t),
            false => Login::header(&address.base, "authorization", t),
        });
        let (workspace, team) = name.split_once('/').unwrap_or(("", name));
        Self {
            client: Client::new(http, address, super::Kind::Linear.streams(false), login),
            workspace: workspace.to_owned(),
            team: team.to_owned(),
            issues: None,
        }
    }

    fn name(&self) -> String {
        format!("{}/{}", self.workspace, self.team)
    }

    async fn ask(
        &self,
        query: &str,
        variables: Value,
        subject: &str,
        task: &Task,
    ) -> Result<(QueryOutcome, Timestamp)> {
        if self.client.login.is_none() {
            return Err(Error::new(
                Code::Authentication,
                format!("{} requires an API key", self.client.host),
            )
            .with_hint(format!(
                "Create one under Settings › Security & access and save it: precedent login {}",
                self.client.host
            )));
        }
        let body = json!({"query": query, "variables": variables});
        let response = self.client.post(self.client.url("graphql")?, &body, task).await?;
        let at = self.client.date(&response);
        // Query errors have the status 400 or 200.
        let answer: Answer = match response.status {
            200 | 400 => response.json()?,
            403 | 404 => {
                return Ok((
                    QueryOutcome::Refused(self.client.refusal(&response, subject).to_string()),
                    at,
                ));
            }
            500.. => return Ok((QueryOutcome::TooMuch(Box::new(response)), at)),
            _ => return Err(self.client.refusal(&response, subject)),
        };
        if let Some(problem) = answer.errors.first() {
            let code = problem.extensions["code"].as_str().unwrap_or_default();
            let text = problem.message.as_str();
            let outcome = match code {
                "AUTHENTICATION_ERROR" => {
                    return Err(self.client.refusal_as(401, &response, subject));
                }
                "FORBIDDEN" | "FEATURE_NOT_ACCESSIBLE" => {
                    QueryOutcome::Refused(format!("no permission to read them{}", problem.words()))
                }
                _ if text.starts_with("Entity not found") => QueryOutcome::Gone,
                _ if text.to_lowercase().contains("cursor") => QueryOutcome::Expired,
                _ if text.to_lowercase().contains("too complex") => {
                    QueryOutcome::TooMuch(Box::new(response))
                }
                _ => {
                    return Err(Error::new(
                        Code::Network,
                        format!(
                            "{} returned an error for {subject}{}",
                            self.client.host,
                            problem.words()
                        ),
                    )
                    .with_hint("Progress is saved; try again later."));
                }
            };
            return Ok((outcome, at));
        }
        Ok((QueryOutcome::Data(answer.data.unwrap_or_default()), at))
    }
}

#[async_trait]
impl Tracker for Linear {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self, task: &Task) -> Result<Project> {
        let query = "query($key: String!) { organization { urlKey } teams(filter: {key: {eqIgnoreCase: $key}}, \
                     includeArchived: true) { nodes { id key archivedAt retiredAt issueCount } } }";
        let name = self.name();
        let (outcome, _) = self.ask(query, json!({"key": self.team}), &name, task).await?;
        let data = match outcome {
            QueryOutcome::Data(data) => data,
            QueryOutcome::TooMuch(response) => return Err(self.client.refusal(&response, &name)),
            QueryOutcome::Refused(why) => return Err(Error::new(Code::Authentication, why)),
            QueryOutcome::Gone | QueryOutcome::Expired => {
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
        let teams: Vec<About> =
            serde_json::from_value(data["teams"]["nodes"].clone()).unwrap_or_default();
        let Some(team) = teams.into_iter().find(|t| t.key.eq_ignore_ascii_case(&self.team)) else {
            return Err(Error::not_found(format!("the workspace \"{workspace}\" has no team with the key {}, or you don't have access to it", self.team))
                .with_hint("The team key is the prefix of issue numbers: ENG in ENG-12. A private team needs a member's API key."));
        };
        self.team = team.key;
        self.issues = team.issue_count;
        Ok(Project {
            name: self.name(),
            remote_id: Some(team.id),
            private: true,
            wiki: false,
            issues: true,
            archived: team.archived_at.is_some() || team.retired_at.is_some(),
        })
    }

    async fn user(&self, task: &Task) -> Result<Option<String>> {
        let query = "{ viewer { name } }";
        let (outcome, _) = self.ask(query, json!({}), "the account of the key", task).await?;
        Ok(match outcome {
            QueryOutcome::Data(data) => data["viewer"]["name"].as_str().map(str::to_owned),
            _ => None,
        })
    }

    fn size(&self, stream: Stream) -> u32 {
        if stream == Stream::Items { PAGE } else { COMMENTS }
    }

    async fn list_page(&self, stream: Stream, walk: &Pagination, task: &Task) -> Result<Fetch> {
        let items = stream == Stream::Items;
        let (list, selection, fragment, kind) = match items {
            true => ("issues", "...about", ISSUE, "IssueFilter"),
            false => ("comments", "...said", COMMENT, "CommentFilter"),
        };
        let query = format!(
            "query($filter: {kind}!, $first: Int!, $after: String) {{ {list}(filter: $filter, first: $first, after: $after, \
             orderBy: createdAt, includeArchived: true) {{ pageInfo {{ hasNextPage endCursor }} nodes {{ {selection} }} }} }} \
             {fragment}"
        );
        let mut of = json!({"team": {"key": {"eq": self.team}}});
        if walk.open {
            of["state"] = json!({"type": {"nin": shapes::CLOSED_TYPES}});
        }
        let mut filter = if items { of } else { json!({"issue": of}) };
        if let Some(since) = walk.since {
            filter["updatedAt"] = json!({"gte": since.to_string()});
        }
        let variables = json!({"filter": filter, "first": walk.size, "after": walk.token});
        let (outcome, at) = self.ask(&query, variables, stream.words(), task).await?;
        let mut data = match outcome {
            QueryOutcome::Data(data) => data,
            QueryOutcome::Refused(why) => return Ok(Fetch::Refused(why)),
            QueryOutcome::Gone => {
                return Ok(Fetch::Refused("no permission to read them".to_owned()));
            }
            QueryOutcome::Expired => return Ok(Fetch::Expired),
            QueryOutcome::TooMuch(response) => {
                return match walk.smaller() {
                    Some(smaller) => Ok(Fetch::Smaller(smaller.cursor())),
                    None => Err(self.client.refusal(&response, stream.words())),
                };
            }
        };
        let connection: List = serde_json::from_value(data[list].take()).map_err(|e| {
            Error::new(Code::Network, format!("cannot read a list from Linear: {e}"))
        })?;
        let token = connection.next_cursor();
        let mut page = Page::default();
        for node in connection.nodes {
            if items {
                match Issue::parse(node) {
                    Ok(issue) if issue.is_gone() => page.gone_numbers.push(issue.number),
                    Ok(issue) => {
                        page.relations.push((issue.number, issue.relations(&self.workspace)));
                        page.add(Ok(Some(issue.record())));
                    }
                    Err(why) => page.records.push(Err(why)),
                }
            } else {
                page.add(Comment::parse(node));
            }
        }
        let (next, watermark) = walk.by_creation(None, at, token.is_some());
        Ok(page.before((next.map(|w| Pagination { token, ..w }), watermark)))
    }

    async fn item_bound(&self, _task: &Task) -> Result<Option<u64>> {
        Ok(self.issues)
    }

    async fn item(&self, number: u64, task: &Task) -> Result<Fate> {
        let query = format!("query($id: String!) {{ issue(id: $id) {{ ...about }} }} {ISSUE}");
        let id = format!("{}-{number}", self.team);
        let (outcome, _) = self.ask(&query, json!({"id": id}), "an issue", task).await?;
        let node = match outcome {
            QueryOutcome::Data(mut data) => data["issue"].take(),
            QueryOutcome::Gone => return Ok(Fate::Gone),
            QueryOutcome::Refused(_) | QueryOutcome::Expired => return Ok(Fate::Unreadable),
            QueryOutcome::TooMuch(response) => {
                return Err(self.client.refusal(&response, "an issue"));
            }
        };
        if node.is_null() {
            return Ok(Fate::Gone);
        }
        let issue = match Issue::parse(node) {
            Ok(issue) if issue.is_gone() => return Ok(Fate::Gone),
            Ok(issue) => issue,
            Err(_) => return Ok(Fate::Unreadable),
        };
        // An issue that moved to another team is returned under its new key.
        if let Some((team, number)) =
            issue.home().filter(|(team, _)| !team.eq_ignore_ascii_case(&self.team))
        {
            return Ok(Fate::Moved(Some(format!("{}/{team}#{number}", self.workspace))));
        }
        Ok(Fate::of(Ok(Some(issue.record()))))
    }

    async fn comment(&self, _number: u64, remote_id: &str, task: &Task) -> Result<Fate> {
        let query = format!("query($id: String!) {{ comment(id: $id) {{ ...said }} }} {COMMENT}");
        let (outcome, _) = self.ask(&query, json!({"id": remote_id}), "comments", task).await?;
        Ok(match outcome {
            QueryOutcome::Data(mut data) => Fate::of(Comment::parse(data["comment"].take())),
            QueryOutcome::Gone => Fate::Gone,
            QueryOutcome::Refused(_) | QueryOutcome::Expired => Fate::Unreadable,
            QueryOutcome::TooMuch(response) => {
                return Err(self.client.refusal(&response, "comments"));
            }
        })
    }
}
