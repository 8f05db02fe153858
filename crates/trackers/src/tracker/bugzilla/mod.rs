//! The Bugzilla connector: the bugs of a product and their comments, through the REST interface of
//! Bugzilla 5.0 and later.
//!
//! Lists return bugs without text. The first comment of a bug is its description, so each page
//! takes two requests: one for the bugs and one for all their comments.

mod shapes;

use std::collections::BTreeMap;

use async_trait::async_trait;
use serde_json::value::RawValue;
use url::Url;

use super::{
    Connection, FetchError, Lookup, Page, Stream, Tracker,
    client::{Client, escape, with_parameters},
    dates::time,
    pagination::Pagination,
    release::{self, ReleaseList, ReleasePage, ReleaseRequest},
};
use crate::{
    http::{Login, Response},
    secrets::Token,
};
use precedent_core::{
    error::{Error, Result},
    model::Project,
};
use shapes::{Bug, BugThreads, Bugs, ProductInfo};

/// The number of bugs per page. A server returns up to 10,000 by default, but their comments are
/// fetched as well. <https://bugzilla.readthedocs.io/en/latest/api/core/v1/bug.html#search-bugs>
const PAGE_SIZE: u32 = 100;
const FIELDS: &str = "id,summary,status,resolution,is_open,dupe_of,product,component,keywords,creator,creation_time,\
                      last_change_time,cf_last_resolved,target_milestone,see_also,depends_on,blocks";
/// The requested fields of a bug in the list of comments.
const TIME_FIELDS: &str = "id,last_change_time";

/// A Bugzilla product.
pub struct Bugzilla {
    client: Client,
    product: String,
}

impl Bugzilla {
    /// Opens the product with this name.
    pub fn new(connection: &Connection<'_>) -> Self {
        let login = |base: &Url, key: &Token| Login::header(base, "x-bugzilla-api-key", key);
        let client = Client { custom_error, ..Client::new(connection, login) };
        Self { client, product: connection.project.to_owned() }
    }

    /// Returns the web address, which is the parent of the API address.
    fn web(&self) -> &str {
        self.client.web().trim_end_matches("/rest")
    }

    fn list_url(&self, stream: Stream, pagination: &Pagination) -> Result<Url> {
        let order = if pagination.open { "bug_id" } else { "changeddate,bug_id" };
        let fields = if stream == Stream::Items { FIELDS } else { TIME_FIELDS };
        let path = format!(
            "bug?limit={}&offset={}&order={order}&include_fields={fields}",
            pagination.size,
            (pagination.page - 1) * pagination.size
        );
        let parameters = [
            ("product", Some(self.product.clone())),
            // Open bugs have no resolution.
            ("resolution", pagination.open.then(|| "---".to_owned())),
            ("last_change_time", pagination.since_seconds()),
        ];
        Ok(with_parameters(self.client.url(&path)?, parameters))
    }

    /// Fetches the comments of bugs, by bug number. If one bug is inaccessible, the whole request
    /// fails, and each bug is requested separately.
    async fn fetch_threads(
        &self,
        ids: &[u64],
        stream: Stream,
    ) -> Result<BTreeMap<u64, Vec<shapes::Comment>>, FetchError> {
        let mut out = BTreeMap::new();
        let Some((first, rest)) = ids.split_first() else { return Ok(out) };
        let response = self.fetch_thread(*first, rest, stream).await?;
        match response.status {
            200 => out = response.json::<BugThreads>()?.by_bug(),
            // The error may concern one bug: 101 does not exist, 102 is not accessible.
            401 | 403 | 404 if !is_bug_error(&response) => {
                return Err(self.client.list_failure(&response, "comments"));
            }
            401 | 403 | 404 if rest.is_empty() => {}
            401 | 403 | 404 => {
                for id in ids {
                    let response = self.fetch_thread(*id, &[], stream).await?;
                    match response.status {
                        200 => out.append(&mut response.json::<BugThreads>()?.by_bug()),
                        401 | 403 | 404 if is_bug_error(&response) => {}
                        _ => return Err(self.client.error_for(&response, "comments").into()),
                    }
                }
            }
            _ => return Err(self.client.error_for(&response, "comments").into()),
        }
        Ok(out)
    }

    async fn fetch_thread(&self, id: u64, other_ids: &[u64], stream: Stream) -> Result<Response> {
        let mut url = self.client.url(&format!("bug/{id}/comment"))?;
        for other_id in other_ids {
            url.query_pairs_mut().append_pair("ids", &other_id.to_string());
        }
        if stream == Stream::Items {
            // Items need only the comment count and the first text.
            url.query_pairs_mut().append_pair("include_fields", "count,text,is_private");
        }
        self.client.get(url).await
    }

    /// Selects how a key is sent: as a parameter in releases 5.0 and 5.2, as a bearer token at
    /// Red Hat, or as a header in other releases.
    /// <https://bugzilla.readthedocs.io/en/5.0/api/core/v1/general.html#authentication>
    fn select_login(&mut self, version: &str) {
        let Some(key) = &self.client.token else { return };
        let base = &self.client.base;
        self.client.login = Some(match version {
            _ if version.contains(".rh") => Login::bearer(base, key),
            _ if version.starts_with("5.0") || version.starts_with("5.2") => {
                Login::parameter(base, "Bugzilla_api_key", key)
            }
            _ => Login::header(base, "x-bugzilla-api-key", key),
        });
    }
}

/// Returns whether an error concerns a single bug, which does not exist or is not accessible.
/// <https://bugzilla.readthedocs.io/en/latest/api/core/v1/bug.html#get-bug>
fn is_bug_error(response: &Response) -> bool {
    matches!(error_code(response), Some(100..=102))
}

fn error_code(response: &Response) -> Option<i64> {
    response.at("/code").ok()?
}

/// Returns the error for a wrong key, which Bugzilla reports with its own error codes.
/// <https://github.com/bugzilla/bugzilla/blob/5.2/Bugzilla/WebService/Constants.pm>
fn custom_error(client: &Client, response: &Response, subject: &str) -> Option<Error> {
    let is_key_error = matches!(error_code(response), Some(300..=306 | 410));
    is_key_error.then(|| client.status_error(401, response, subject))
}

#[async_trait]
impl Tracker for Bugzilla {
    fn client(&self) -> &Client {
        &self.client
    }

    async fn probe(&mut self) -> Result<Project> {
        let version = self.client.try_get(self.client.url("version"), &[404], "the version");
        let Some(version) = version.await? else {
            return Err(Error::not_found(format!("{} has no REST interface", self.client.host))
                .with_hint(
                    "Bugzilla has one since 5.0. Check that this is the base address of its pages.",
                ));
        };
        self.select_login(&version.at::<String>("/version")?.unwrap_or_default());
        if self.client.login.is_some() {
            self.user().await?;
        }
        let path =
            format!("product?names={}&include_fields=id,name,is_active", escape(&self.product));
        // The response omits unknown and inaccessible products.
        let url = self.client.url(&path);
        let products: Vec<ProductInfo> =
            self.client.get_at(url, "/products", &self.product).await?;
        let product = products.into_iter().find(|p| p.name.eq_ignore_ascii_case(&self.product));
        let Some(product) = product else {
            return Err(Error::not_found(format!(
                "product \"{1}\" not found on {0}",
                self.client.host, self.product
            ))
            .with_hint(
                "Check the name in the list of products; a private product needs a key with read access.",
            ));
        };
        self.product.clone_from(&product.name);
        Ok(Project {
            name: product.name,
            remote_id: product.id.map(|id| id.to_string()),
            issues: true,
            archived: product.is_active == Some(false),
            ..Project::default()
        })
    }

    /// Returns the owner of the key.
    /// <https://bugzilla.readthedocs.io/en/latest/api/core/v1/user.html#who-am-i>
    async fn user(&self) -> Result<Option<String>> {
        let url = self.client.url("whoami");
        let response = self.client.try_get(url, &[404], "the key's account").await?;
        let name = response.map(|response| response.at::<String>("/name")).transpose()?.flatten();
        Ok(name.filter(|name| !name.is_empty()))
    }

    fn size(&self, _stream: Stream) -> u32 {
        PAGE_SIZE
    }

    async fn list_page(&self, stream: Stream, pagination: &Pagination) -> Result<Page, FetchError> {
        let response = self.client.get(self.list_url(stream, pagination)?).await?;
        self.client.check_page(&response, pagination, stream)?;
        let list: Bugs<'_> = response.json()?;
        let has_more = !list.bugs.is_empty() && list.bugs.len() >= pagination.size as usize;
        let bugs: Vec<(&RawValue, Result<Bug, String>)> =
            list.bugs.iter().map(|raw| (*raw, shapes::parse_bug(raw.get()))).collect();
        let ids: Vec<u64> =
            bugs.iter().filter_map(|(_, bug)| Some(bug.as_ref().ok()?.id)).collect();
        let threads = match self.fetch_threads(&ids, stream).await {
            // Bugs are kept without text; the comment list reports the refusal.
            Err(FetchError::Refused(_)) if stream == Stream::Items => BTreeMap::new(),
            threads => threads?,
        };
        let mut page = Page::default();
        let mut times = Vec::new();
        for (raw, bug) in bugs {
            let bug = match bug {
                Ok(bug) => bug,
                Err(reason) => {
                    if stream == Stream::Items {
                        page.records.push(Err(reason));
                    }
                    continue;
                }
            };
            times.extend(time(bug.last_change_time));
            page.other_names.push(bug.id.to_string());
            let thread = threads.get(&bug.id).map(Vec::as_slice).unwrap_or_default();
            if stream == Stream::Items {
                let relations = bug.relations(&self.product);
                let record = bug.record(raw.get(), thread, self.web());
                page.add_item(record.map(|record| (record, relations)));
            } else {
                for comment in thread.iter().filter(|c| !c.is_description()) {
                    page.add(comment.record(bug.id, self.web()).map(Some));
                }
            }
        }
        Ok(page.with_next(pagination.by_change(&times, has_more)))
    }

    async fn item_bound(&self) -> Result<Option<u64>> {
        // Servers without `count_only` return one bug instead.
        let path = "bug?count_only=1&limit=1&include_fields=id";
        let product = [("product", Some(self.product.clone()))];
        let url = with_parameters(self.client.url(path)?, product);
        let response = self.client.get(url).await?;
        if response.status != 200 {
            return Ok(None);
        }
        response.at("/bug_count")
    }

    async fn item(&self, number: u64) -> Result<Lookup> {
        let url = self.client.url(&format!("bug/{number}?include_fields={FIELDS}"))?;
        let response = self.client.get(url).await?;
        match response.status {
            200 => {}
            401 | 403 | 404 if is_bug_error(&response) => return Ok(Lookup::Gone),
            _ => return Err(self.client.error_for(&response, "a bug")),
        }
        let list: Bugs<'_> = response.json()?;
        let Some(raw) = list.bugs.first() else { return Ok(Lookup::Gone) };
        let Ok(bug) = shapes::parse_bug(raw.get()) else { return Ok(Lookup::Unreadable) };
        if bug.product.as_ref().is_some_and(|p| !p.eq_ignore_ascii_case(&self.product)) {
            return Ok(Lookup::Moved(None));
        }
        let threads = match self.fetch_threads(&[number], Stream::Items).await {
            Err(FetchError::Refused(_)) => BTreeMap::new(),
            threads => threads.map_err(FetchError::into_error)?,
        };
        let thread = threads.get(&number).map(Vec::as_slice).unwrap_or_default();
        Ok(Lookup::from_parsed(bug.record(raw.get(), thread, self.web()).map(Some)))
    }

    async fn comment(&self, number: u64, remote_id: &str) -> Result<Lookup> {
        let threads = self.fetch_threads(&[number], Stream::Comments).await;
        let threads = threads.map_err(FetchError::into_error)?;
        let mut comments = threads.get(&number).into_iter().flatten();
        let comment = comments.find(|c| c.id.is_some_and(|id| id.to_string() == remote_id));
        Ok(Lookup::from_parsed(comment.map(|c| c.record(number, self.web())).transpose()))
    }

    fn release_lists(&self) -> &'static [ReleaseList] {
        &[ReleaseList::Versions]
    }

    async fn releases(&self, request: ReleaseRequest<'_>) -> Result<ReleasePage, FetchError> {
        let path = format!("product?names={}&include_fields=versions", escape(&self.product));
        release::fetch(&self.client, self.client.url(&path)?, request, |response| {
            let versions = response.at("/products/0/versions")?.unwrap_or_default();
            Ok(release::versions(versions, |_| None))
        })
        .await
    }
}
