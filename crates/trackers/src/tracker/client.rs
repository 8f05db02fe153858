//! Requests and error messages that the connectors share.

use std::time::Duration;

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::value::RawValue;
use url::Url;

use super::{Address, Fetch, Stream, walk::Pagination};
use crate::http::{Http, Login, Request, Response, status_words};
use precedent_core::{
    error::{Code, Error, Result},
    task::Task,
};

/// A client for a tracker's API.
#[derive(Debug)]
pub(super) struct Client {
    pub(super) http: Http,
    pub(super) base: Url,
    pub(super) host: String,
    pub(super) login: Option<Login>,
}

impl Client {
    pub(super) fn new(http: Http, address: &Address, login: Option<Login>) -> Self {
        Self { http, base: address.base.clone(), host: address.host.clone(), login }
    }

    /// Returns the address of a path below the API; the path is already escaped.
    pub(super) fn url(&self, path: &str) -> Result<Url> {
        let base = self.base.as_str().trim_end_matches('/');
        Url::parse(&format!("{base}/{path}"))
            .map_err(|_| Error::invalid("the tracker address is not valid"))
    }

    pub(super) async fn get(&self, url: Url, task: &Task) -> Result<Response> {
        let request = Request::get(url).header("accept", "application/json");
        self.http.send(&request, self.login.as_ref(), task).await
    }

    /// Fetches the JSON at a path.
    pub(super) async fn json<T: for<'a> Deserialize<'a>>(
        &self,
        path: &str,
        item: &str,
        task: &Task,
    ) -> Result<T> {
        let response = self.get(self.url(path)?, task).await?;
        if response.status == 200 { response.json() } else { Err(self.refusal(&response, item)) }
    }

    /// Returns the error of an unsuccessful response.
    pub(super) fn refusal(&self, response: &Response, item: &str) -> Error {
        self.refusal_as(response.status, response, item)
    }

    /// Returns the error for this status, like [`Client::refusal`], for trackers that report errors
    /// by other means.
    pub(super) fn refusal_as(&self, status: u16, response: &Response, item: &str) -> Error {
        let host = &self.host;
        let text = response.message().map(|m| format!(" (\"{m}\")")).unwrap_or_default();
        let name = host.split('/').next().unwrap_or(host);
        match status {
            401 if self.login.is_some() => {
                Error::new(Code::Authentication, format!("{host} does not accept the token{text}"))
                    .with_hint(format!("Create a new token and save it: precedent login {name}"))
            }
            401 => Error::new(Code::Authentication, format!("{host} requires a token{text}"))
                .with_hint(format!(
                    "Create one on the tracker and save it: precedent login {name}"
                )),
            403 => Error::new(Code::Authentication, format!("no permission to read {item}{text}"))
                .with_hint(format!("Use a token with read access: precedent login {name}")),
            404 | 410 => Error::not_found(format!(
                "{item} not found, or you don't have access{text}"
            ))
            .with_hint(if self.login.is_some() {
                "Check the name; a private project needs a token with read access.".to_owned()
            } else {
                format!("Check the name; a private project needs a token: precedent login {name}")
            }),
            status => Error::new(
                Code::Network,
                format!("{host}: {} for {item}{text}", status_words(status)),
            )
            .with_hint("Progress is saved; try again later."),
        }
    }

    /// Returns the outcome of a list response that is not a page; `None` if it is a page.
    pub(super) fn not_a_page(
        &self,
        response: &Response,
        walk: &Pagination,
        stream: Stream,
    ) -> Result<Option<Fetch>> {
        match walk.retry_smaller(response.status) {
            _ if response.status == 200 => Ok(None),
            None => self.list_refusal(response, stream.words()).map(Some),
            smaller => Ok(smaller),
        }
    }

    /// Returns the outcome of an unsuccessful list response for the sync.
    pub(super) fn list_refusal(&self, response: &Response, item: &str) -> Result<Fetch> {
        let error = self.refusal(response, item);
        match response.status {
            403 | 404 | 410 => Ok(Fetch::Refused(error.to_string())),
            _ => Err(error),
        }
    }
}

/// Parses each element of a list on its own; also returns the parse errors.
pub(super) fn parse_each<T: for<'a> Deserialize<'a>>(raws: &[&RawValue]) -> (Vec<T>, Vec<String>) {
    let (mut items, mut errors) = (Vec::with_capacity(raws.len()), Vec::new());
    for raw in raws {
        match serde_json::from_str(raw.get()) {
            Ok(item) => items.push(item),
            // The position in the response is of no use in the message.
            Err(error) => {
                errors.push(
                    error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
                );
            }
        }
    }
    (items, errors)
}

/// Returns the time of the response by the server's clock, minus one minute.
pub(super) fn date(response: &Response, now: Timestamp) -> Timestamp {
    let date = response
        .header("date")
        .and_then(|d| jiff::fmt::rfc2822::parse(d).ok())
        .map(|z| z.timestamp());
    // The clock of its database may differ.
    let slack = jiff::SignedDuration::try_from(Duration::from_secs(60)).unwrap_or_default();
    date.unwrap_or(now).checked_sub(slack).unwrap_or(now)
}

/// Escapes a name as one part of a path.
pub(super) fn part(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}

/// Replaces NUL characters, because SQLite's text functions stop at them.
pub(super) fn clean(text: Option<String>) -> String {
    text.map(|t| t.replace('\0', "\u{fffd}")).unwrap_or_default()
}
