//! Requests and error messages that the connectors share.

use std::sync::{Mutex, PoisonError};

use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, value::RawValue};
use url::Url;

use super::{Connection, FetchError, Stream, pagination::Pagination};
use crate::{
    http::{Http, Login, Request, Response, status_text},
    secrets::Token,
};
use precedent_core::error::{Code, Error, Hint, Remedy, Result};

/// The remaining requests of a rate-limit period, the total, and the time of the reset.
type Quota = (Option<u64>, Option<u64>, Option<Timestamp>);

/// A client for a tracker's API.
pub struct Client {
    pub(super) http: Http,
    pub(super) base: Url,
    pub(super) host: String,
    pub(super) token: Option<Token>,
    pub(super) login: Option<Login>,
    pub(super) streams: &'static [Stream],
    pub(super) headers: &'static [(&'static str, &'static str)],
    /// Returns the error for a response with a meaning that is specific to this tracker.
    pub(super) custom_error: fn(&Self, &Response, &str) -> Option<Error>,
    pub(super) quota: Mutex<Quota>,
}

impl Client {
    pub(super) fn new(
        connection: &Connection<'_>,
        login: impl FnOnce(&Url, &Token) -> Login,
    ) -> Self {
        let Connection { address, token, .. } = connection;
        Self {
            http: connection.http.clone(),
            base: address.base.clone(),
            host: address.host.clone(),
            token: token.cloned(),
            login: token.map(|token| login(&address.base, token)),
            streams: connection.kind.streams(connection.wiki),
            headers: &[("accept", "application/json")],
            custom_error: |_, _, _| None,
            quota: Mutex::default(),
        }
    }

    /// Returns the API address without a final slash; for most trackers also the web address.
    pub(super) fn web(&self) -> &str {
        self.base.as_str().trim_end_matches('/')
    }

    /// Returns the API address of an escaped path.
    pub(super) fn url(&self, path: &str) -> Result<Url> {
        Url::parse(&format!("{}/{path}", self.web()))
            .map_err(|_| Error::invalid("invalid tracker address"))
    }

    /// Sends a request with the headers of the API.
    pub(super) async fn request(&self, request: Request) -> Result<Response> {
        let headers = self.headers.iter();
        let request = headers.fold(request, |request, (name, value)| request.header(name, value));
        self.send(request).await
    }

    /// Sends a request without the headers of the API.
    pub(super) async fn send(&self, request: Request) -> Result<Response> {
        let response = self.http.send(&request, self.login.as_ref()).await?;
        let number = |name: &str| {
            let header = response.header(&format!("x-ratelimit-{name}"));
            let header = header.or_else(|| response.header(&format!("ratelimit-{name}")));
            header.and_then(|value| value.trim().parse::<u64>().ok())
        };
        if let Some(remaining_requests) = number("remaining") {
            let reset = number("reset").and_then(|s| i64::try_from(s).ok());
            let reset = reset.and_then(|second| Timestamp::from_second(second).ok());
            *self.quota.lock().unwrap_or_else(PoisonError::into_inner) =
                (Some(remaining_requests), number("limit"), reset);
        }
        Ok(response)
    }

    pub(super) fn quota(&self) -> Quota {
        *self.quota.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) async fn get(&self, url: Url) -> Result<Response> {
        self.request(Request::get(url)).await
    }

    pub(super) async fn post(&self, url: Url, body: &Value) -> Result<Response> {
        self.request(Request::post(url, body)).await
    }

    pub(super) async fn get_json<T: for<'a> Deserialize<'a>>(
        &self,
        url: Result<Url>,
        subject: &str,
    ) -> Result<T> {
        let response = self.get(url?).await?;
        if response.status == 200 {
            response.json()
        } else {
            Err(self.error_for(&response, subject))
        }
    }

    pub(super) async fn get_at<T: DeserializeOwned + Default>(
        &self,
        url: Result<Url>,
        pointer: &str,
        subject: &str,
    ) -> Result<T> {
        let response = self.get(url?).await?;
        match response.status {
            200 => Ok(response.at(pointer)?.unwrap_or_default()),
            _ => Err(self.error_for(&response, subject)),
        }
    }

    /// Fetches a resource; `None` if the status is one of `gone_statuses`.
    pub(super) async fn try_get(
        &self,
        url: Result<Url>,
        gone_statuses: &[u16],
        subject: &str,
    ) -> Result<Option<Response>> {
        let response = self.get(url?).await?;
        match response.status {
            200 => Ok(Some(response)),
            status if gone_statuses.contains(&status) => Ok(None),
            _ => Err(self.error_for(&response, subject)),
        }
    }

    /// Returns the server's time from a response, minus one minute.
    pub(super) fn server_time(&self, response: &Response) -> Timestamp {
        let date = response.header("date").and_then(|text| jiff::fmt::rfc2822::parse(text).ok());
        let date = date.map_or_else(|| self.http.now(), |time| time.timestamp());
        // The clock of the server's database may differ.
        date.checked_sub(SignedDuration::from_mins(1)).unwrap_or(date)
    }

    pub(super) fn error_for(&self, response: &Response, subject: &str) -> Error {
        (self.custom_error)(self, response, subject)
            .unwrap_or_else(|| self.status_error(response.status, response, subject))
    }

    /// Returns the error for a response as if it had this status.
    pub(super) fn status_error(&self, status: u16, response: &Response, subject: &str) -> Error {
        let host = &self.host;
        let text = response.message().map(|m| format!(" (\"{m}\")")).unwrap_or_default();
        let login = format!("precedent login {}", host.split('/').next().unwrap_or(host));
        match status {
            401 if self.login.is_some() => {
                Error::new(Code::Authentication, format!("{host} does not accept the token{text}"))
                    .with_hint("Create a new token and save it.")
                    .with_command(Remedy::Sources, login)
            }
            401 => Error::new(Code::Authentication, format!("{host} requires a token{text}"))
                .with_hint("Create one on the tracker and save it.")
                .with_command(Remedy::Sources, login),
            403 => {
                Error::new(Code::Authentication, format!("no permission to read {subject}{text}"))
                    .with_hint("Use a token with read access.")
                    .with_command(Remedy::Sources, login)
            }
            404 | 410 | 451 => {
                Error::not_found(format!("{subject} not found, or you don't have access{text}"))
                    .with_hint(if self.login.is_some() {
                        "Check the name; a private project needs a token with read access.".into()
                    } else {
                        Hint::from("Check the name; a private project needs a token.")
                            .with_command(Remedy::Sources, login)
                    })
            }
            status => Error::new(
                Code::Network,
                format!("{host}: {} for {subject}{text}", status_text(status)),
            )
            .with_hint("Progress is saved; try again later."),
        }
    }

    /// Checks that a list response is successful.
    pub(super) fn check_page(
        &self,
        response: &Response,
        pagination: &Pagination,
        stream: Stream,
    ) -> Result<(), FetchError> {
        if response.status == 200 {
            return Ok(());
        }
        match pagination.smaller().filter(|_| response.status >= 500) {
            Some(smaller) => Err(FetchError::Smaller(smaller.cursor())),
            None => Err(self.list_failure(response, stream.label())),
        }
    }

    /// Returns the error for a list response that cannot be retried with a smaller page.
    pub(super) fn list_failure(&self, response: &Response, subject: &str) -> FetchError {
        let error = self.error_for(response, subject);
        match response.status {
            403 | 404 | 410 | 451 => FetchError::Refused(error),
            _ => FetchError::Failed(error),
        }
    }
}

/// Appends the query parameters that have a value.
pub(super) fn with_parameters<const N: usize>(
    mut url: Url,
    parameters: [(&str, Option<String>); N],
) -> Url {
    for (name, value) in parameters {
        if let Some(value) = value {
            url.query_pairs_mut().append_pair(name, &value);
        }
    }
    url
}

/// Parses each element of a list separately; also returns the parse errors.
pub(super) fn parse_each<T: for<'a> Deserialize<'a>>(raws: &[&RawValue]) -> (Vec<T>, Vec<String>) {
    let (mut items, mut errors) = (Vec::with_capacity(raws.len()), Vec::new());
    for raw in raws {
        match serde_json::from_str(raw.get()) {
            Ok(item) => items.push(item),
            // The position in the response does not help the user.
            Err(error) => {
                errors.push(
                    error.to_string().split(" at line ").next().unwrap_or_default().to_owned(),
                );
            }
        }
    }
    (items, errors)
}

/// Escapes a name as one segment of a path.
pub(super) fn escape(name: &str) -> String {
    url::form_urlencoded::byte_serialize(name.as_bytes()).collect::<String>().replace('+', "%20")
}

/// Returns a title without surrounding white space and NUL characters.
pub(super) fn clean_title(title: &str) -> String {
    title.replace('\0', "\u{fffd}").trim().to_owned()
}

/// Replaces NUL characters, because SQLite's text functions stop at them.
pub(super) fn clean(text: Option<String>) -> String {
    text.map(|t| t.replace('\0', "\u{fffd}")).unwrap_or_default()
}
