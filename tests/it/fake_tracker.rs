//! Fake trackers with the same content, whose requests, pagination and responses have the shapes
//! that each tracker documents.

#[path = "fake_tracker/azure.rs"]
mod azure;
#[path = "fake_tracker/bugzilla.rs"]
mod bugzilla;
#[path = "fake_tracker/confluence.rs"]
mod confluence;
#[path = "fake_tracker/discourse.rs"]
mod discourse;
#[path = "fake_tracker/linear.rs"]
mod linear;
#[path = "fake_tracker/zendesk.rs"]
mod zendesk;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use axum::{
    body::Body,
    extract::{Request, State as Shared},
    http::{StatusCode, Uri},
    response::Response,
};
use base64::Engine as _;
use jiff::{Timestamp, fmt::rfc2822};
use serde_json::{Value, json};

use crate::fake_github::{LocalServer, NOW, iso_time};

/// The tracker that is imitated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    GitLab,
    Gitea,
    JiraCloud,
    JiraServer,
    Redmine,
    Bugzilla,
    Azure,
    Linear,
    ConfluenceCloud,
    ConfluenceServer,
    Zendesk,
    Discourse,
}

impl Shape {
    pub const ALL: [Self; 12] = [
        Self::GitLab,
        Self::Gitea,
        Self::JiraCloud,
        Self::JiraServer,
        Self::Redmine,
        Self::Bugzilla,
        Self::Azure,
        Self::Linear,
        Self::ConfluenceCloud,
        Self::ConfluenceServer,
        Self::Zendesk,
        Self::Discourse,
    ];

    pub fn tracker(self) -> &'static str {
        match self {
            Self::GitLab => "gitlab",
            Self::Gitea => "gitea",
            Self::JiraCloud | Self::JiraServer => "jira",
            Self::Redmine => "redmine",
            Self::Bugzilla => "bugzilla",
            Self::Azure => "azure",
            Self::Linear => "linear",
            Self::ConfluenceCloud | Self::ConfluenceServer => "confluence",
            Self::Zendesk => "zendesk",
            Self::Discourse => "discourse",
        }
    }

    /// Returns a token for trackers that require one for every request.
    pub fn default_token(self) -> Option<&'static str> {
        match self {
            Self::Linear => Some("lin_api_anybody"),
            Self::Zendesk => Some("anybody@acme.example:zendesk"),
            _ => None,
        }
    }

    pub fn project(self) -> &'static str {
        match self {
            Self::GitLab | Self::Gitea => "acme/app",
            Self::JiraCloud | Self::JiraServer => "APP",
            Self::Redmine => "app",
            Self::Bugzilla => bugzilla::PRODUCT,
            Self::Azure => azure::PROJECT,
            Self::Linear => linear::TEAM,
            Self::ConfluenceCloud | Self::ConfluenceServer => confluence::SPACE,
            Self::Zendesk => zendesk::PROJECT,
            Self::Discourse => discourse::PROJECT,
        }
    }
}

#[derive(Clone)]
pub struct Item {
    pub title: String,
    pub body: String,
    pub updated_at: i64,
    pub open: bool,
    pub has_unknown_fields: bool,
    pub duplicate_of: Option<u64>,
}

#[derive(Clone)]
pub struct Comment {
    pub number: u64,
    pub body: String,
    pub updated_at: i64,
}

/// A failure of the server.
#[derive(Clone, Debug)]
pub enum TrackerFault {
    Status(u16),
    Slow(Duration),
}

type Hook = Box<dyn FnMut(&mut Content, &str) + Send>;

#[derive(Default)]
pub struct Content {
    pub items: BTreeMap<u64, Item>,
    pub comments: BTreeMap<u64, Comment>,
    /// Wiki pages by title, as (text, time of the last change).
    pub pages: BTreeMap<String, (String, i64)>,
    /// Releases, newest first: name, notes, and the time unless it is planned.
    pub releases: Vec<(&'static str, &'static str, Option<i64>)>,
    pub now: i64,
    pub token: Option<String>,
    pub hidden: bool,
    /// The status of every response, if set.
    pub forced_status: Option<u16>,
    /// Items that may no longer be read, though a list may name them.
    pub locked_items: BTreeSet<u64>,
    /// Items at the top of a list.
    pub pinned_items: BTreeSet<u64>,
    /// Comments that are accepted as answers.
    pub answers: BTreeSet<u64>,
    /// The version that the server reports, if it is an old one.
    pub version: Option<&'static str>,
    /// The next fault: the number of item lists before it, its repetitions, and its kind.
    pub fault: Option<(u32, u32, TrackerFault)>,
    pub lists: usize,
    pub hook: Option<Hook>,
    pub log: Vec<(String, Option<String>)>,
}

pub struct FakeTracker {
    pub shape: Shape,
    pub host: String,
    content: Arc<Mutex<Content>>,
    _server: LocalServer,
}

impl FakeTracker {
    pub fn new(shape: Shape, items: u64, comments: u64) -> Self {
        let mut content = Content { now: NOW, ..Content::default() };
        for number in 1..=items {
            let title = format!("Trouble {number} with the pump");
            content.put(number, &title, NOW - 1_000_000 + number as i64);
        }
        for id in 1..=comments {
            let number = (id - 1) % items + 1;
            content.add_comment(
                id,
                number,
                &format!("It is valve {id}."),
                NOW - 900_000 + id as i64,
            );
        }
        let content = Arc::new(Mutex::new(content));
        let (host, server) = LocalServer::start(|host| {
            let state = (shape, host.to_owned(), Arc::clone(&content));
            axum::Router::new().fallback(serve).with_state(state)
        });
        Self { shape, host, content, _server: server }
    }

    pub fn content(&self) -> MutexGuard<'_, Content> {
        self.content.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Content {
    pub fn put(&mut self, number: u64, title: &str, updated_at: i64) {
        let (title, body) = (title.to_owned(), format!("What happens: {title}."));
        self.items.insert(
            number,
            Item {
                title,
                body,
                updated_at,
                open: true,
                has_unknown_fields: false,
                duplicate_of: None,
            },
        );
    }

    /// Adds a comment, which also changes its item.
    pub fn add_comment(&mut self, id: u64, number: u64, body: &str, updated_at: i64) {
        self.comments.insert(id, Comment { number, body: body.to_owned(), updated_at });
        if let Some(item) = self.items.get_mut(&number) {
            item.updated_at = item.updated_at.max(updated_at);
        }
    }

    pub fn tick(&mut self) -> i64 {
        self.now += 1;
        self.now
    }

    pub fn retitle(&mut self, number: u64, title: &str) {
        let now = self.tick();
        let item = self.items.get_mut(&number).unwrap();
        (item.title, item.updated_at) = (title.to_owned(), now);
    }

    pub fn reword(&mut self, id: u64, text: &str) {
        let now = self.tick();
        let number = self.comments[&id].number;
        self.add_comment(id, number, text, now);
    }

    /// Returns the published or the planned releases in a tracker's shape.
    fn render_releases(
        &self,
        published: bool,
        render: impl Fn(&str, &str, Option<i64>) -> Value,
    ) -> Vec<Value> {
        let releases = self.releases.iter().filter(|(_, _, time)| time.is_some() == published);
        releases.map(|(name, notes, time)| render(name, notes, *time)).collect()
    }

    fn comments_of(&self, number: u64) -> Vec<(u64, Comment)> {
        self.comments
            .iter()
            .filter(|(_, s)| s.number == number)
            .map(|(id, s)| (*id, s.clone()))
            .collect()
    }
}

struct Answer {
    status: u16,
    headers: Vec<(&'static str, String)>,
    body: Value,
}

fn ok(body: Value) -> Answer {
    Answer { status: 200, headers: Vec::new(), body }
}

fn with_status(status: u16, body: Value) -> Answer {
    Answer { status, headers: Vec::new(), body }
}

fn refuse(status: u16) -> Answer {
    with_status(status, json!({"message": "refused"}))
}

type ServerState = (Shape, String, Arc<Mutex<Content>>);

async fn serve(Shared((shape, host, content)): Shared<ServerState>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let body = String::from_utf8(body.to_vec()).unwrap();
    let uri = parts.uri;
    let header =
        |name: &str| parts.headers.get(name).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let login =
        ["authorization", "x-redmine-api-key", "x-bugzilla-api-key"].into_iter().find_map(header);
    let key_login = header("api-key")
        .map(|key| header("api-username").map_or(key.clone(), |user| format!("{user}:{key}")));
    let login = login.map(decode_login).or(key_login);
    let address = uri.path_and_query().map_or_else(String::new, ToString::to_string);
    let (mut answer, fault, now) = {
        let mut content = content.lock().unwrap_or_else(PoisonError::into_inner);
        content.log.push((address.clone(), login.clone()));
        let (is_list_request, is_comment_request) = classify_request(shape, &address, &body);
        let fault = match &mut content.fault {
            Some((skip, times, fault)) if is_list_request && !is_comment_request && *times > 0 => {
                if *skip > 0 {
                    *skip -= 1;
                    None
                } else {
                    *times -= 1;
                    Some(fault.clone())
                }
            }
            _ => None,
        };
        if is_comment_request && let Some(mut hook) = content.hook.take() {
            hook(&mut content, "comments");
            content.hook = Some(hook);
        }
        let answer = match &fault {
            Some(TrackerFault::Status(status)) => refuse(*status),
            _ if content.forced_status.is_some() => refuse(content.forced_status.unwrap()),
            _ if content.hidden && is_comment_request => refuse(403),
            _ if content.token.is_some()
                && login
                    .as_deref()
                    .is_none_or(|l| !l.contains(content.token.as_deref().unwrap())) =>
            {
                refuse(401)
            }
            _ => content.answer(shape, &host, &uri, &body),
        };
        if answer.status == 200
            && is_list_request
            && let Some(mut hook) = content.hook.take()
        {
            content.lists += 1;
            hook(&mut content, "list");
            content.hook = Some(hook);
        }
        (answer, fault, content.now)
    };
    if let Some(TrackerFault::Slow(wait)) = fault {
        tokio::time::sleep(wait).await;
    }
    let date =
        rfc2822::to_string(&Timestamp::from_second(now).unwrap().to_zoned(jiff::tz::TimeZone::UTC));
    answer.headers.push(("date", date.unwrap()));
    let mut response = Response::builder().status(StatusCode::from_u16(answer.status).unwrap());
    for (name, value) in &answer.headers {
        response = response.header(*name, value);
    }
    response.body(Body::from(answer.body.to_string())).unwrap()
}

/// Decodes the login of an `Authorization` header.
fn decode_login(login: String) -> String {
    let pair =
        login.strip_prefix("Basic ").map(|p| base64::engine::general_purpose::STANDARD.decode(p));
    pair.map_or(login.clone(), |pair| String::from_utf8(pair.unwrap()).unwrap())
}

/// Returns whether a request asks for a page of a synced list, and whether it is for comments.
fn classify_request(shape: Shape, address: &str, body: &str) -> (bool, bool) {
    match shape {
        Shape::Azure => azure::classify_request(address, body),
        Shape::Linear => linear::classify_request(body),
        Shape::ConfluenceCloud | Shape::ConfluenceServer => confluence::classify_request(address),
        Shape::Zendesk => zendesk::classify_request(address),
        Shape::Discourse => discourse::classify_request(address),
        Shape::GitLab => {
            let list = address.contains("/issues?") && !address.contains("per_page=1&");
            (list, address.contains("/notes") || (list && address.contains("per_page=20&")))
        }
        Shape::Gitea => {
            let comments = address.contains("/issues/comments?");
            (comments || (address.contains("/issues?") && !address.contains("limit=1&")), comments)
        }
        Shape::JiraCloud | Shape::JiraServer => {
            let list = address.contains("/search") && !address.contains("maxResults=1&");
            (list, address.contains("fields=updated,comment"))
        }
        Shape::Bugzilla => {
            let bugs = address.starts_with("/rest/bug?") && !address.contains("limit=1&");
            let is_comment_request =
                address.contains("/comment") && !address.contains("include_fields");
            (bugs, is_comment_request || address.contains("include_fields=id,last_change_time"))
        }
        Shape::Redmine => {
            let list = address.starts_with("/issues.json") && !address.contains("limit=1&");
            (list, list && address.contains("limit=20&"))
        }
    }
}

fn jira_time(second: i64) -> String {
    iso_time(second).replace('Z', ".000+0000")
}

impl Content {
    fn answer(&self, shape: Shape, host: &str, uri: &Uri, body: &str) -> Answer {
        let parameters: Vec<(String, String)> =
            url::form_urlencoded::parse(uri.query().unwrap_or_default().as_bytes())
                .into_owned()
                .collect();
        let query: BTreeMap<String, String> = parameters.iter().cloned().collect();
        let get = |name: &str| query.get(name).map(String::as_str);
        match shape {
            Shape::GitLab => self.gitlab(host, uri.path(), &get),
            Shape::Gitea => self.gitea(host, uri.path(), &get),
            Shape::JiraCloud => self.jira(true, uri.path(), &get),
            Shape::JiraServer => self.jira(false, uri.path(), &get),
            Shape::Redmine => self.redmine(uri.path(), &get),
            Shape::Bugzilla => self.bugzilla(uri.path(), &parameters),
            Shape::Azure => self.azure(host, uri.path(), body, &get),
            Shape::Linear => self.linear(uri.path(), body),
            Shape::ConfluenceCloud | Shape::ConfluenceServer => {
                self.confluence(shape == Shape::ConfluenceCloud, uri.path(), &parameters)
            }
            Shape::Zendesk => self.zendesk(uri.path(), &get),
            Shape::Discourse => self.discourse(uri.path(), &parameters),
        }
    }

    /// Returns a page of items, and the number of all items.
    fn select_page<'a>(
        &self,
        mut items: Vec<(&'a u64, &'a Item)>,
        by_change: bool,
        start: usize,
        size: usize,
    ) -> (Vec<(&'a u64, &'a Item)>, usize) {
        if by_change {
            items.sort_by_key(|(n, i)| (i.updated_at, **n));
        }
        let total = items.len();
        (items.into_iter().skip(start).take(size).collect(), total)
    }

    fn gitlab<'a>(&self, host: &str, path: &str, get: &impl Fn(&str) -> Option<&'a str>) -> Answer {
        if path == "/api/v4/user" {
            return ok(json!({"id": 1, "username": "ada"}));
        }
        let Some(rest) = path.strip_prefix("/api/v4/projects/acme%2Fapp") else {
            return refuse(404);
        };
        let issue = |n: u64, i: &Item| {
            let mut links = json!({"self": format!("{host}/api/v4/projects/7/issues/{n}")});
            links["closed_as_duplicate_of"] =
                json!(i.duplicate_of.map(|d| format!("{host}/api/v4/projects/7/issues/{d}")));
            let mut issue = json!({
                "id": 9_000 + n, "iid": n, "project_id": 7, "title": i.title, "description": i.body,
                "state": if i.open { "opened" } else { "closed" }, "created_at": iso_time(NOW - 50_000_000),
                "updated_at": iso_time(i.updated_at).replace('Z', ".000Z"), "closed_at": (!i.open).then(|| iso_time(i.updated_at)),
                "labels": ["bug"], "milestone": null, "author": {"id": 1, "username": "ada", "name": "Ada"},
                "type": "ISSUE", "user_notes_count": self.comments_of(n).len(), "confidential": false,
                "discussion_locked": null, "issue_type": "issue",
                "web_url": format!("{host}/acme/app/-/issues/{n}"), "_links": links,
            });
            if i.has_unknown_fields {
                (issue["state"], issue["zone"]) = (json!("simmering"), json!({"deep": [1]}));
            }
            issue
        };
        let note = |id: u64, s: &Comment| {
            json!({"id": id, "body": s.body, "author": {"id": 2, "username": "grace"}, "created_at": iso_time(s.updated_at),
                "updated_at": iso_time(s.updated_at), "system": false, "noteable_id": 9_000 + s.number,
                "noteable_type": "Issue", "noteable_iid": s.number, "internal": false})
        };
        let number =
            |name: &str, default: usize| get(name).and_then(|n| n.parse().ok()).unwrap_or(default);
        let (size, page) = (number("per_page", 20).min(100), number("page", 1));
        let with_next_page = |mut answer: Answer, total: usize| {
            let next = if page * size < total { (page + 1).to_string() } else { String::new() };
            answer.headers.extend([("x-next-page", next), ("x-total", total.to_string())]);
            answer
        };
        match rest.trim_start_matches('/').split('/').collect::<Vec<_>>()[..] {
            [""] => ok(
                json!({"id": 7, "path_with_namespace": "acme/app", "visibility": "public", "archived": false,
                "issues_enabled": true, "wiki_enabled": true}),
            ),
            ["issues"] => {
                let since: i64 =
                    get("updated_after").map_or(i64::MIN, |t| t.parse::<Timestamp>().unwrap().as_second());
                let only_open = get("state") == Some("opened");
                let issues = self
                    .items
                    .iter()
                    .filter(|(_, i)| i.updated_at >= since && (!only_open || i.open))
                    .collect();
                let (rows, total) =
                    self.select_page(issues, get("order_by") == Some("updated_at"), (page - 1) * size, size);
                with_next_page(ok(rows.into_iter().map(|(n, i)| issue(*n, i)).collect()), total)
            }
            ["releases"] => ok(Value::Array(self.render_releases(true, |name, notes, time| {
                json!({"tag_name": name, "name": name, "description": notes, "created_at": time.map(iso_time),
                    "released_at": time.map(iso_time).map(|t| t.replace('Z', ".000Z")), "upcoming_release": false,
                    "_links": {"self": format!("{host}/acme/app/-/releases/{name}")}})
            }))),
            ["milestones"] => {
                assert_eq!(get("state"), Some("active"));
                ok(Value::Array(self.render_releases(false, |name, _, _| {
                    json!({"id": 1, "iid": 1, "title": name, "description": "", "state": "active", "due_date": null,
                        "web_url": format!("{host}/acme/app/-/milestones/1")})
                })))
            }
            ["repository", "tags"] => ok(json!([])),
            ["issues", n] => {
                let n: u64 = n.parse().unwrap();
                self.items.get(&n).map_or_else(|| refuse(404), |i| ok(issue(n, i)))
            }
            ["issues", n, "notes"] => {
                let item_comments = self.comments_of(n.parse().unwrap());
                let page_comments = item_comments.iter().skip((page - 1) * size).take(size);
                let notes = page_comments.map(|(id, s)| note(*id, s));
                let system = json!({"id": 1_000_000, "body": "changed the description", "system": true,
                    "created_at": iso_time(NOW), "updated_at": iso_time(NOW)});
                with_next_page(ok(notes.chain([system]).collect()), item_comments.len())
            }
            ["issues", _, "notes", id] => {
                let id: u64 = id.parse().unwrap();
                self.comments.get(&id).map_or_else(|| refuse(404), |s| ok(note(id, s)))
            }
            _ => refuse(404),
        }
    }

    fn gitea<'a>(&self, host: &str, path: &str, get: &impl Fn(&str) -> Option<&'a str>) -> Answer {
        if path == "/api/v1/user" {
            return ok(json!({"id": 1, "login": "ada"}));
        }
        let Some(rest) = path.strip_prefix("/api/v1/repos/acme/app") else { return refuse(404) };
        let issue = |n: u64, i: &Item| {
            let mut issue = json!({
                "id": 9_000 + n, "number": n, "title": i.title, "body": i.body, "url": format!("{host}/api/v1/repos/acme/app/issues/{n}"),
                "html_url": format!("{host}/acme/app/issues/{n}"), "user": {"id": 1, "login": "ada"}, "original_author": "",
                "labels": [{"id": 1, "name": "bug", "color": "ee0701"}], "milestone": null, "assignee": null,
                "state": if i.open { "open" } else { "closed" }, "is_locked": false, "comments": self.comments_of(n).len(),
                "created_at": iso_time(NOW - 50_000_000 + n as i64), "updated_at": iso_time(i.updated_at),
                "closed_at": (!i.open).then(|| iso_time(i.updated_at)), "pull_request": null,
                "repository": {"id": 7, "name": "app", "owner": "acme", "full_name": "acme/app"},
            });
            if i.has_unknown_fields {
                (issue["state"], issue["zone"]) = (json!("simmering"), json!({"deep": [1]}));
            }
            issue
        };
        let comment = |id: u64, s: &Comment| {
            json!({"id": id, "html_url": format!("{host}/acme/app/issues/{}#issuecomment-{id}", s.number),
                "pull_request_url": "", "issue_url": format!("{host}/acme/app/issues/{}", s.number),
                "user": {"id": 2, "login": "grace"}, "original_author": "", "body": s.body, "assets": [],
                "created_at": iso_time(NOW - 40_000_000), "updated_at": iso_time(s.updated_at)})
        };
        let number =
            |name: &str, default: usize| get(name).and_then(|n| n.parse().ok()).unwrap_or(default);
        let (size, page) = (number("limit", 30).min(50), number("page", 1));
        let since: i64 =
            get("since").map_or(i64::MIN, |t| t.parse::<Timestamp>().unwrap().as_second());
        let page_of_list = |items: Vec<Value>| {
            let total = items.len();
            let mut answer = ok(items.into_iter().skip((page - 1) * size).take(size).collect());
            answer.headers.push(("x-total-count", total.to_string()));
            if page * size < total {
                let next = format!("<{host}{path}?page={}>; rel=\"next\"", page + 1);
                answer.headers.push(("link", next));
            }
            answer
        };
        match rest.trim_start_matches('/').split('/').collect::<Vec<_>>()[..] {
            [""] => ok(json!({"id": 7, "full_name": "acme/app", "private": false, "archived": false,
                "has_issues": true, "has_wiki": true})),
            ["issues"] => {
                let only_open = get("state") == Some("open");
                // The newest items come first, regardless of changes.
                let items = self
                    .items
                    .iter()
                    .rev()
                    .filter(|(_, i)| i.updated_at >= since && (!only_open || i.open));
                page_of_list(items.map(|(n, i)| issue(*n, i)).collect())
            }
            ["issues", "comments"] => {
                let comments = self.comments.iter().filter(|(_, s)| s.updated_at >= since);
                page_of_list(comments.map(|(id, s)| comment(*id, s)).collect())
            }
            ["releases"] => page_of_list(self.render_releases(true, |name, notes, time| {
                json!({"id": 1, "tag_name": name, "name": name, "body": notes, "draft": false, "prerelease": false,
                    "html_url": format!("{host}/acme/app/releases/tag/{name}"), "created_at": time.map(iso_time),
                    "published_at": time.map(iso_time)})
            })),
            ["milestones"] => page_of_list(self.render_releases(false, |name, _, _| {
                json!({"id": 1, "title": name, "description": "", "state": "open", "open_issues": 1, "closed_issues": 0,
                    "created_at": iso_time(NOW), "updated_at": iso_time(NOW), "closed_at": null, "due_on": null})
            })),
            ["tags"] => page_of_list(Vec::new()),
            ["issues", n] => {
                let n: u64 = n.parse().unwrap();
                self.items.get(&n).map_or_else(|| refuse(404), |i| ok(issue(n, i)))
            }
            ["issues", "comments", id] => {
                let id: u64 = id.parse().unwrap();
                self.comments.get(&id).map_or_else(|| refuse(404), |s| ok(comment(id, s)))
            }
            _ => refuse(404),
        }
    }

    fn jira<'a>(&self, cloud: bool, path: &str, get: &impl Fn(&str) -> Option<&'a str>) -> Answer {
        let text = |text: &str| match cloud {
            true => json!({"version": 1, "type": "doc", "content": [
                {"type": "paragraph", "content": [{"type": "text", "text": text}]}]}),
            false => json!(text),
        };
        let comment = |id: u64, s: &Comment| {
            json!({"id": id.to_string(), "author": {"displayName": "Grace", "accountType": "atlassian"},
                "body": text(&s.body), "created": jira_time(s.updated_at), "updated": jira_time(s.updated_at)})
        };
        let wants_comments = get("fields").is_some_and(|f| f.contains("comment"));
        let issue = |n: u64, i: &Item| {
            let mut fields = json!({"updated": jira_time(i.updated_at)});
            if wants_comments {
                let item_comments = self.comments_of(n);
                // Jira Cloud returns only the first comments with the issue.
                let shown_comments: Vec<Value> = item_comments
                    .iter()
                    .take(if cloud { 1 } else { 999 })
                    .map(|(id, s)| comment(*id, s))
                    .collect();
                fields["comment"] = json!({"comments": shown_comments, "total": item_comments.len(), "maxResults": shown_comments.len(), "startAt": 0});
            } else {
                let category = if i.open { "new" } else { "done" };
                fields = json!({
                    "summary": i.title, "description": text(&i.body), "status": {"name": "Open", "statusCategory": {"key": category}},
                    "resolution": (!i.open).then(|| json!({"name": "Done"})), "issuetype": {"name": "Bug"}, "labels": ["odd"],
                    "reporter": {"displayName": "Ada"}, "components": [], "fixVersions": [], "created": jira_time(NOW - 50_000_000),
                    "updated": jira_time(i.updated_at), "resolutiondate": null, "issuelinks": i.duplicate_of.map(|d| json!([{
                        "id": "1", "type": {"id": "1", "name": "Duplicate", "inward": "is duplicated by", "outward": "duplicates"},
                        "outwardIssue": {"id": "2", "key": format!("APP-{d}")}}])),
                });
                if i.has_unknown_fields {
                    (fields["status"], fields["customfield_9"]) =
                        (json!({"zone": 1}), json!({"deep": [1]}));
                }
            }
            json!({"id": (9_000 + n).to_string(), "key": format!("APP-{n}"), "expand": "", "fields": fields})
        };
        let Some(rest) = path.strip_prefix("/rest/api/") else { return refuse(404) };
        let (version, rest) = rest.split_once('/').unwrap();
        assert!(rest == "serverInfo" || version == if cloud { "3" } else { "2" }, "{path}");
        match rest.split('/').collect::<Vec<_>>()[..] {
            ["serverInfo"] => ok(json!({"deploymentType": if cloud { "Cloud" } else { "Server" },
                "serverTime": iso_time(self.now).replace('Z', ".000+0000"), "version": "10.0.0"})),
            ["myself"] => ok(json!({"displayName": "Ada", "timeZone": "UTC"})),
            ["project", "APP"] => ok(json!({"id": "7", "key": "APP", "name": "The app"})),
            ["project", "APP", "versions"] => {
                let version = |name: &str, _: &str, time: Option<i64>| {
                    json!({"id": "1", "name": name, "archived": false, "released": time.is_some(), "projectId": 7,
                        "releaseDate": time.map(|t| iso_time(t)[..10].to_owned())})
                };
                ok([self.render_releases(false, version), self.render_releases(true, version)]
                    .concat()
                    .into())
            }
            ["search"] | ["search", "jql"] => {
                assert_eq!(rest == "search/jql", cloud);
                let jql = get("jql").unwrap();
                assert!(
                    jql.starts_with("project = \"APP\"") && jql.ends_with("ORDER BY key ASC"),
                    "{jql}"
                );
                // The query has a resolution of one minute.
                let since = jql.split_once("updated >= \"").map_or(i64::MIN, |(_, t)| {
                    let t = t.split('"').next().unwrap();
                    format!("{}:00Z", t.replace(' ', "T")).parse::<Timestamp>().unwrap().as_second()
                });
                let only_open = jql.contains("statusCategory != Done");
                let number = |name: &str| get(name).and_then(|n| n.parse::<usize>().ok());
                let size = number("maxResults").unwrap_or(50).min(100);
                let start = match cloud {
                    true => get("nextPageToken")
                        .map_or(0, |t| t.strip_prefix("token-").unwrap().parse().unwrap()),
                    false => number("startAt").unwrap_or(0),
                };
                let issues_since: Vec<_> = self
                    .items
                    .iter()
                    .filter(|(_, i)| i.updated_at >= since && (!only_open || i.open))
                    .collect();
                if cloud {
                    // A page token names the last key, so no item is lost if the list shifts.
                    let rest: Vec<_> =
                        issues_since.into_iter().filter(|(n, _)| **n > start as u64).collect();
                    let has_more = rest.len() > size;
                    let page_items: Vec<_> = rest.into_iter().take(size).collect();
                    let token =
                        page_items.last().filter(|_| has_more).map(|(n, _)| format!("token-{n}"));
                    let issues: Vec<Value> =
                        page_items.into_iter().map(|(n, i)| issue(*n, i)).collect();
                    return ok(
                        json!({"issues": issues, "nextPageToken": token, "isLast": !has_more}),
                    );
                }
                let (rows, total) = self.select_page(issues_since, false, start, size);
                let issues: Vec<Value> = rows.into_iter().map(|(n, i)| issue(*n, i)).collect();
                ok(json!({"startAt": start, "maxResults": size, "total": total, "issues": issues}))
            }
            ["issue", key] => {
                let n: u64 = key.strip_prefix("APP-").unwrap().parse().unwrap();
                self.items.get(&n).map_or_else(|| refuse(404), |i| ok(issue(n, i)))
            }
            ["issue", key, "comment"] => {
                let item_comments =
                    self.comments_of(key.strip_prefix("APP-").unwrap().parse().unwrap());
                let comments: Vec<Value> =
                    item_comments.iter().map(|(id, s)| comment(*id, s)).collect();
                ok(
                    json!({"startAt": 0, "maxResults": 100, "total": comments.len(), "comments": comments}),
                )
            }
            ["issue", _, "comment", id] => {
                let id: u64 = id.parse().unwrap();
                self.comments.get(&id).map_or_else(|| refuse(404), |s| ok(comment(id, s)))
            }
            _ => refuse(404),
        }
    }

    fn redmine<'a>(&self, path: &str, get: &impl Fn(&str) -> Option<&'a str>) -> Answer {
        let issue = |n: u64, i: &Item, is_single: bool| {
            let mut issue = json!({
                "id": n, "project": {"id": 7, "name": "The app"}, "tracker": {"id": 1, "name": "Bug"},
                "status": {"id": if i.open { 1 } else { 5 }, "name": if i.open { "New" } else { "Closed" }},
                "priority": {"id": 2, "name": "Normal"}, "author": {"id": 1, "name": "Ada"}, "subject": i.title,
                "description": i.body, "start_date": null, "done_ratio": 0, "is_private": false, "custom_fields": [],
                "created_on": iso_time(NOW - 50_000_000), "updated_on": iso_time(i.updated_at), "closed_on": null,
            });
            if i.has_unknown_fields {
                (issue["status"]["id"], issue["zone"]) = (json!(77), json!({"deep": [1]}));
            }
            if get("include").is_some_and(|w| w.contains("relations")) {
                issue["relations"] = i.duplicate_of.map_or(json!([]), |d| {
                    json!([{"id": 1, "issue_id": n, "issue_to_id": d, "relation_type": "duplicates", "delay": null}])
                });
            }
            if is_single && get("include") == Some("journals") {
                let notes = self.comments_of(n).into_iter().map(|(id, s)| {
                    json!({"id": id, "user": {"id": 2, "name": "Grace"}, "notes": s.body, "created_on": iso_time(s.updated_at),
                        "private_notes": false, "details": []})
                });
                let change = json!({"id": 1_000_000 + n, "user": {"id": 2, "name": "Grace"}, "notes": "",
                    "created_on": iso_time(NOW), "private_notes": false, "details": [{"property": "attr", "name": "status_id"}]});
                issue["journals"] = notes.chain([change]).collect();
            }
            issue
        };
        match path {
            "/projects/app.json" => {
                ok(json!({"project": {"id": 7, "name": "The app", "identifier": "app",
                "is_public": true, "status": 1}}))
            }
            "/users/current.json" => {
                ok(json!({"user": {"id": 1, "login": "ada", "firstname": "Ada"}}))
            }
            "/issue_statuses.json" => ok(json!({"issue_statuses": [
                {"id": 1, "name": "New", "is_closed": false}, {"id": 5, "name": "Closed", "is_closed": true}]})),
            "/issues.json" => {
                assert_eq!((get("project_id"), get("subproject_id")), (Some("app"), Some("!*")));
                let only_open = get("status_id") == Some("open");
                let since: i64 = get("updated_on").map_or(i64::MIN, |t| {
                    t.strip_prefix(">=").unwrap().parse::<Timestamp>().unwrap().as_second()
                });
                let issues = self
                    .items
                    .iter()
                    .filter(|(_, i)| i.updated_at >= since && (!only_open || i.open))
                    .collect();
                let number = |name: &str| get(name).and_then(|n| n.parse::<usize>().ok());
                let (size, start) =
                    (number("limit").unwrap_or(25).min(100), number("offset").unwrap_or(0));
                let (rows, total) =
                    self.select_page(issues, get("sort") == Some("updated_on,id"), start, size);
                let issues: Vec<Value> =
                    rows.into_iter().map(|(n, i)| issue(*n, i, false)).collect();
                ok(json!({"issues": issues, "total_count": total, "offset": start, "limit": size}))
            }
            "/projects/app/versions.json" => {
                let version = |name: &str, _: &str, time: Option<i64>| {
                    json!({"id": 1, "project": {"id": 7, "name": "The app"}, "name": name, "description": "",
                        "status": if time.is_some() { "closed" } else { "open" },
                        "due_date": time.map(|t| iso_time(t)[..10].to_owned()), "sharing": "none",
                        "created_on": iso_time(NOW - 100), "updated_on": iso_time(NOW)})
                };
                let versions =
                    [self.render_releases(false, version), self.render_releases(true, version)]
                        .concat();
                ok(json!({"versions": versions, "total_count": versions.len()}))
            }
            "/projects/app/wiki/index.json" => {
                let page = |(title, (_, t)): (&String, &(String, i64))| json!({"title": title, "version": 1, "created_on": iso_time(*t), "updated_on": iso_time(*t)});
                ok(json!({"wiki_pages": self.pages.iter().map(page).collect::<Vec<_>>()}))
            }
            _ => {
                let name =
                    |prefix: &str| path.strip_prefix(prefix).and_then(|r| r.strip_suffix(".json"));
                if let Some(n) = name("/issues/").and_then(|n| n.parse().ok()) {
                    return self
                        .items
                        .get(&n)
                        .map_or_else(|| refuse(404), |i| ok(json!({"issue": issue(n, i, true)})));
                }
                match name("/projects/app/wiki/").and_then(|t| Some((t, self.pages.get(t)?))) {
                    Some((title, (text, t))) => {
                        ok(json!({"wiki_page": {"title": title, "text": text, "version": 1,
                        "author": {"id": 1, "name": "Ada"}, "comments": "", "created_on": iso_time(*t), "updated_on": iso_time(*t)}}))
                    }
                    None => refuse(404),
                }
            }
        }
    }
}
