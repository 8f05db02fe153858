//! The Zendesk connector: tickets, comments and, as a wiki, the articles of the help center.
//!
//! The incremental export returns changed and deleted tickets in the order of their changes.
//! Comments cost one request per ticket, so they are a separate list: the same export, each ticket
//! with its comments.
//! <https://developer.zendesk.com/api-reference/ticketing/ticket-management/incremental_exports/>

mod shapes;

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use async_trait::async_trait;
use jiff::SignedDuration;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Relation, Stream, Tracker,
    client::{Client, with_parameters},
    pagination::Pagination,
    repetition::RepeatGuard,
};
use crate::{
    http::{Login, Response},
    secrets::Token,
};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    model::{CommentRecord, Project},
};
use shapes::{People, Ticket, User};

/// The number of tickets per page. The export allows up to 1,000, and ten requests per minute.
/// <https://developer.zendesk.com/documentation/ticketing/managing-tickets/using-the-incremental-export-api>
const PAGE_SIZE: u32 = 500;
/// The number of tickets whose comments form one page; each costs a request.
const THREADS_PER_PAGE: u32 = 50;
/// The maximum page size of other lists.
/// <https://developer.zendesk.com/documentation/api-basics/pagination/paginating-through-lists-using-cursor-pagination>
const LIST_PAGE_SIZE: u32 = 100;
/// The maximum number of comment pages per ticket. A ticket has at most 5,000 comments.
/// <https://developer.zendesk.com/api-reference/ticketing/tickets/ticket_comments/>
const MAX_COMMENT_PAGES: usize = 60;
/// The side-loaded data of a ticket: its users, and the date when it was solved.
/// <https://developer.zendesk.com/documentation/ticketing/using-the-zendesk-api/side_loading/#supported-endpoints>
const SIDE_LOADS: &str = "users,dates";

/// A Zendesk account.
pub struct Zendesk {
    client: Client,
    people: Mutex<People>,
    articles: Mutex<Option<Vec<String>>>,
}

#[derive(Deserialize)]
struct ListResponse<'a> {
    #[serde(borrow, default)]
    tickets: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    comments: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    articles: Vec<&'a RawValue>,
    #[serde(default)]
    users: Vec<User>,
    /// Next cursor of the export, unless this is its end.
    after_cursor: Option<String>,
    end_of_stream: Option<bool>,
    /// Next cursor of any other list.
    meta: Option<Meta>,
}

#[derive(Deserialize)]
struct Meta {
    #[serde(default)]
    has_more: bool,
    after_cursor: Option<String>,
}

#[derive(Deserialize)]
struct TicketReply<'a> {
    #[serde(borrow)]
    ticket: &'a RawValue,
    #[serde(default)]
    users: Vec<User>,
}

#[derive(Deserialize)]
struct ArticleReply<'a> {
    #[serde(borrow)]
    article: &'a RawValue,
}

impl ListResponse<'_> {
    fn next_cursor(&self) -> Option<String> {
        match &self.meta {
            Some(meta) => meta.after_cursor.clone().filter(|_| meta.has_more),
            None => self.after_cursor.clone().filter(|_| self.end_of_stream == Some(false)),
        }
    }
}

/// The comments of a ticket or skip reasons, without the description, and the ticket into which it
/// was merged.
type CommentThread = (Vec<Result<CommentRecord, String>>, Option<u64>);

impl Zendesk {
    /// Opens the account at this address, with an OAuth token or `EMAIL:API_TOKEN`.
    /// <https://developer.zendesk.com/api-reference/introduction/security-and-auth/>
    pub fn new(connection: &Connection<'_>) -> Self {
        let login = |base: &Url, token: &Token| match token.has_user_name() {
            true => Login::basic(base, token, "/token"),
            false => Login::bearer(base, token),
        };
        Self {
            client: Client::new(connection, login),
            people: Mutex::default(),
            articles: Mutex::default(),
        }
    }

    /// Returns the address of a list with cursor pagination.
    fn list_url(&self, path: &str, cursor: Option<&str>) -> Result<Url> {
        let size = ("page[size]", Some(LIST_PAGE_SIZE.to_string()));
        let cursor = ("page[after]", cursor.map(str::to_owned));
        Ok(with_parameters(self.client.url(path)?, [size, cursor]))
    }

    fn export_url(&self, pagination: &Pagination) -> Result<Url> {
        if pagination.open {
            // This list lacks archived tickets, but those are closed.
            return self.list_url(
                &format!("api/v2/tickets.json?include={SIDE_LOADS}"),
                pagination.token.as_deref(),
            );
        }
        let path = format!(
            "api/v2/incremental/tickets/cursor.json?include={SIDE_LOADS}&per_page={}",
            pagination.size
        );
        // The export rejects times within the last minute.
        let latest = self.client.http.now().checked_sub(SignedDuration::from_secs(61));
        let latest = latest.unwrap_or_default();
        let since = pagination.since.map_or(0, |since| since.min(latest).as_second());
        let start = match &pagination.token {
            Some(token) => ("cursor", Some(token.clone())),
            None => ("start_time", Some(since.to_string())),
        };
        Ok(with_parameters(self.client.url(&path)?, [start]))
    }

    async fn tickets(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let response = self.client.get(self.export_url(pagination)?).await?;
        match response.status {
            200 => {}
            // The cursor has expired.
            400 | 422 if pagination.token.is_some() => return Err(FetchError::Expired),
            500.. if pagination.size >= 10 => {
                let smaller = Pagination { size: pagination.size / 2, ..pagination.clone() };
                return Err(FetchError::Smaller(smaller.cursor()));
            }
            403 => return Err(FetchError::refusal(self.admin_refusal(&response))),
            _ => return Err(self.client.list_failure(&response, stream.label())),
        }
        let list: ListResponse<'_> = response.json()?;
        let next_token = list.next_cursor();
        let people = shapes::people(list.users);
        let mut page = Page::default();
        for raw in list.tickets {
            let ticket = match shapes::parse_ticket(raw.get()) {
                Ok(ticket) => ticket,
                Err(reason) if stream == Stream::Items => {
                    page.records.push(Err(reason));
                    continue;
                }
                Err(_) => continue,
            };
            page.watermark = page.watermark.max(ticket.export_time().filter(|_| !pagination.open));
            if stream == Stream::Items {
                if ticket.is_gone() {
                    page.gone_numbers.push(ticket.id);
                    continue;
                }
                // Only the comments name the ticket into which this one was merged.
                if !ticket.was_merged() {
                    page.relations.push((ticket.id, ticket.relations()));
                }
                page.add(Ok(Some(ticket.record(&people, self.client.web()))));
                continue;
            }
            page.other_names.push(ticket.id.to_string());
            if !ticket.is_gone() {
                self.add_thread(&ticket, &mut page).await?;
            }
        }
        let next = next_token.map(|token| Pagination {
            page: pagination.page + 1,
            token: Some(token),
            ..pagination.clone()
        });
        let watermark = page.watermark;
        Ok(page.with_next((next, watermark)))
    }

    /// Adds the comments of a ticket, unless it was deleted since it was listed.
    async fn add_thread(&self, ticket: &Ticket, page: &mut Page) -> Result<(), FetchError> {
        let Some((comments, merge_target)) = self.fetch_thread(ticket.id).await? else {
            return Ok(());
        };
        comments.into_iter().for_each(|comment| page.add(comment.map(Some)));
        if ticket.was_merged() {
            let mut relations = ticket.relations();
            let target = merge_target.map(shapes::ticket_key);
            relations.extend(target.map(Relation::DuplicateOf));
            page.relations.push((ticket.id, relations));
        }
        Ok(())
    }

    /// Fetches the comments of a ticket; `None` if it does not exist.
    async fn fetch_thread(&self, number: u64) -> Result<Option<CommentThread>, FetchError> {
        let path = format!("api/v2/tickets/{number}/comments.json?include=users");
        let (mut comments, mut merge_target) = (Vec::new(), None);
        let (mut cursor, mut people) = (None::<String>, People::new());
        let mut guard = RepeatGuard::default();
        for page_index in 0..MAX_COMMENT_PAGES {
            let response = self.client.get(self.list_url(&path, cursor.as_deref())?).await?;
            match response.status {
                200 => {}
                404 | 410 => return Ok(None),
                _ => return Err(self.client.list_failure(&response, "comments")),
            }
            let list: ListResponse<'_> = response.json()?;
            cursor = list.next_cursor();
            if let Err(reason) = guard.add_raws(&list.comments, &format!("comments of #{number}")) {
                comments.push(Err(reason));
                break;
            }
            people.extend(shapes::people(list.users));
            let authors = list.comments.iter().filter_map(|raw| shapes::comment_author(raw.get()));
            self.add_people(authors.collect(), &mut people).await?;
            // The first comment is the description, which the ticket contains.
            for raw in list.comments.iter().skip(usize::from(page_index == 0)) {
                let comment = shapes::parse_comment(raw.get(), number, &people, self.client.web());
                merge_target =
                    comment.as_ref().ok().and_then(|(_, target)| *target).or(merge_target);
                comments.push(comment.map(|(comment, _)| comment));
            }
            if cursor.is_none() {
                break;
            }
        }
        Ok(Some((comments, merge_target)))
    }

    /// Adds the authors that were not side-loaded.
    /// <https://developer.zendesk.com/api-reference/ticketing/users/users/#show-many-users>
    async fn add_people(&self, author_ids: BTreeSet<i64>, people: &mut People) -> Result<()> {
        let mut unknown_ids = Vec::new();
        {
            let cache = self.people.lock().unwrap_or_else(PoisonError::into_inner);
            for id in author_ids.into_iter().filter(|id| *id > 0) {
                match cache.get(&id) {
                    _ if people.contains_key(&id) => {}
                    Some(user) => drop(people.insert(id, user.clone())),
                    None => unknown_ids.push(id),
                }
            }
        }
        for chunk in unknown_ids.chunks(LIST_PAGE_SIZE as usize) {
            let ids: Vec<String> = chunk.iter().map(ToString::to_string).collect();
            let url =
                self.client.url(&format!("api/v2/users/show_many.json?ids={}", ids.join(",")))?;
            let response = self.client.get(url).await?;
            let list = if response.status == 200 {
                response.json::<ListResponse<'_>>()?.users
            } else {
                Vec::new()
            };
            let mut users = shapes::people(list);
            let mut cache = self.people.lock().unwrap_or_else(PoisonError::into_inner);
            for id in chunk {
                let user = users.remove(id).unwrap_or_default();
                cache.insert(*id, user.clone());
                people.insert(*id, user);
            }
        }
        Ok(())
    }

    /// Fetches a page of help center articles. The whole list is read each time, because the API
    /// does not report withdrawn articles.
    /// <https://developer.zendesk.com/api-reference/help_center/help-center-api/articles/>
    async fn pages(&self, pagination: &Pagination) -> Result<Page, FetchError> {
        let names = self.articles.lock().unwrap_or_else(PoisonError::into_inner).take();
        let mut names = match names.filter(|_| pagination.page > 1) {
            Some(names) => names,
            // Another process started this pass; the names that it read are unknown.
            None if pagination.page > 1 => return Err(FetchError::Expired),
            None => Vec::new(),
        };
        // An edit does not change the order by creation.
        let path =
            "api/v2/help_center/articles.json?sort_by=created_at&sort_order=asc&include=users";
        let response = self.client.get(self.list_url(path, pagination.token.as_deref())?).await?;
        match response.status {
            200 => {}
            400 | 422 if pagination.token.is_some() => return Err(FetchError::Expired),
            403 | 404 => {
                let reason = "there is no help center, or you don't have access to it";
                return Err(FetchError::refusal(reason));
            }
            _ => return Err(self.client.list_failure(&response, Stream::Pages.label())),
        }
        let list: ListResponse<'_> = response.json()?;
        let cursor = list.next_cursor();
        let people = shapes::people(list.users);
        let mut page = Page::default();
        for raw in list.articles {
            let article = match shapes::parse_article(raw.get(), &people) {
                Ok(Some(article)) => article,
                Ok(None) => continue,
                // An unreadable article is requested separately before it counts as withdrawn.
                Err(reason) => {
                    page.records.push(Err(reason));
                    continue;
                }
            };
            names.extend(article.slug.clone());
            if pagination.since.is_none() || article.updated_at >= pagination.since {
                page.add(Ok(Some(article)));
            }
        }
        let response_time = self.client.server_time(&response);
        let (next, watermark) = pagination.by_creation(None, response_time, cursor.is_some());
        if next.is_none() {
            page.all_pages = Some(names);
        } else {
            *self.articles.lock().unwrap_or_else(PoisonError::into_inner) = Some(names);
        }
        let next = next.map(|next| Pagination { token: cursor, ..next });
        Ok(page.with_next((next, watermark)))
    }

    fn admin_refusal(&self, response: &Response) -> String {
        let detail = response.message().map(|m| format!(" (\"{m}\")")).unwrap_or_default();
        format!(
            "{} exports them only to administrators: use an administrator's token{detail}",
            self.client.host
        )
    }

    /// Returns the owner of the token. Without a token, the returned user has no id.
    async fn current_user(&self) -> Result<User> {
        let url = self.client.url("api/v2/users/me.json");
        let user: User = self.client.get_at(url, "/user", "the token's account").await?;
        if user.id.is_none() {
            let name = self.client.host.split('/').next().unwrap_or_default();
            return Err(Error::new(Code::Authentication, format!("{} requires a token", self.client.host))
                .with_hint("Create an API token in the Admin Center under Apps and integrations, and save it with its owner's email as EMAIL:TOKEN.")
                .with_command(Remedy::Sources, format!("precedent login {name}")));
        }
        Ok(user)
    }
}

#[async_trait]
impl Tracker for Zendesk {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        self.current_user().await?;
        Ok(Project {
            name: super::Kind::Zendesk.single_project().unwrap_or_default().to_owned(),
            private: true,
            wiki: true,
            issues: true,
            ..Project::default()
        })
    }

    async fn user(&self) -> Result<Option<String>> {
        Ok(self.current_user().await?.name)
    }

    fn size(&self, stream: Stream) -> u32 {
        match stream {
            Stream::Items => PAGE_SIZE,
            Stream::Pages => LIST_PAGE_SIZE,
            Stream::Comments | Stream::ReviewComments | Stream::Discussions => THREADS_PER_PAGE,
        }
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        match stream {
            Stream::Pages => self.pages(pagination).await,
            _ => self.tickets(stream, pagination).await,
        }
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        // <https://developer.zendesk.com/api-reference/ticketing/ticket-management/search/#show-results-count>
        let url = self.client.url("api/v2/search/count.json?query=type%3Aticket")?;
        let response = self.client.get(url).await?;
        if response.status == 200 { response.at("/count") } else { Ok(None) }
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let url = self.client.url(&format!("api/v2/tickets/{number}.json?include={SIDE_LOADS}"));
        let response = self.client.try_get(url, &[403, 404, 410], "a ticket").await?;
        let Some(response) = response else { return Ok(Lookup::Gone) };
        let reply: TicketReply<'_> = response.json()?;
        let people = shapes::people(reply.users);
        let ticket = shapes::parse_ticket(reply.ticket.get());
        Ok(Lookup::from_parsed(
            ticket.map(|ticket| {
                (!ticket.is_gone()).then(|| ticket.record(&people, self.client.web()))
            }),
        ))
    }

    async fn wiki_page(&self, slug: &str, remote_id: Option<&str>) -> Result<Lookup> {
        let Some(id) = remote_id.and_then(|id| id.parse::<u64>().ok()) else {
            return Ok(Lookup::Unreadable);
        };
        let url = self.client.url(&format!("api/v2/help_center/articles/{id}.json"))?;
        let response = self.client.get(url).await?;
        match response.status {
            200 => {
                let reply: ArticleReply<'_> = response.json()?;
                Ok(match shapes::parse_article(reply.article.get(), &People::new()) {
                    Ok(None) => Lookup::Gone,
                    Ok(Some(article)) if article.slug.as_deref() != Some(slug) => {
                        Lookup::Moved(None)
                    }
                    Ok(Some(_)) | Err(_) => Lookup::Unreadable,
                })
            }
            404 | 410 => Ok(Lookup::Gone),
            403 => Ok(Lookup::Unreadable),
            _ => Err(self.client.error_for(&response, "an article")),
        }
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        let thread = self.fetch_thread(number).await.map_err(FetchError::into_error)?;
        let Some((comments, _)) = thread else { return Ok(Lookup::Gone) };
        let comment = comments.into_iter().flatten().find(|c| c.remote_id == remote_id);
        Ok(Lookup::from_parsed(Ok(comment)))
    }
}
