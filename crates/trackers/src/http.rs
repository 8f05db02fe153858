//! The HTTP client, the only module that opens connections.
//!
//! Dropped connections, truncated bodies and server errors are retried. After a rate limit, the
//! client waits as long as the server says, or else a minute, doubled each time. Every wait ends
//! shortly after [`Task::cancel`].

pub mod download;
mod limit;
mod login;

use limit::{limit_error, limit_wait};
pub use login::Login;

use std::{
    borrow::Cow,
    collections::BTreeSet,
    future::Future,
    pin::Pin,
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use jiff::Timestamp;
use reqwest::{
    Method, StatusCode,
    header::{self, HeaderMap, HeaderName, HeaderValue},
};
use url::Url;

use precedent_core::{
    error::{Code, Error, Result, cancel_error},
    secret_filter::{self, Quotation},
    task::{Phase, Task},
};

/// The first wait for a secondary rate limit without a stated delay; doubled each time.
/// <https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api>
const MIN_LIMIT_WAIT: Duration = Duration::from_secs(60);
/// The longest single wait; primary limits reset every hour.
const MAX_LIMIT_WAIT: Duration = Duration::from_secs(3_900);
/// The maximum number of consecutive waits for the rate limit of one request.
const MAX_LIMIT_WAITS: u32 = 6;
const MAX_TRIES: u32 = 4;
/// The wait before the second attempt; doubled each time.
const FIRST_RETRY_WAIT: Duration = Duration::from_secs(1);
const MAX_REDIRECTS: usize = 5;
/// The time limit for a connection that sends no data.
const IDLE_TIMEOUT: Duration = Duration::from_secs(30);
/// The time limit for finding a reachable tracker.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);
/// The largest response body after decompression, in bytes. A page of 100 items is smaller than
/// 30 MB even if every body has GitHub's maximum size.
const MAX_BODY: usize = 64 * 1024 * 1024;

/// A boxed future that completes after a delay.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// A source of time and delays; tests use one that does not wait.
pub trait Timing: Send + Sync {
    /// Returns the current time.
    fn now(&self) -> Timestamp;
    /// Completes after the given duration.
    fn sleep(&self, wait: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(wait))
    }
    /// Returns the total time limit of a request, including its response.
    fn request_timeout(&self) -> Duration {
        Duration::from_secs(120)
    }
}

impl Timing for Arc<dyn Fn() -> Timestamp + Send + Sync> {
    fn now(&self) -> Timestamp {
        self()
    }
}

/// An HTTP request.
#[derive(Clone)]
pub struct Request {
    method: Method,
    url: Url,
    headers: Vec<(&'static str, &'static str)>,
    etag: Option<String>,
    body: Option<(&'static str, Vec<u8>)>,
    no_retry: bool,
    is_raw: bool,
}

impl Request {
    /// Creates a GET request.
    pub fn get(url: Url) -> Self {
        let (headers, etag, body) = (Vec::new(), None, None);
        Self { method: Method::GET, url, headers, etag, body, no_retry: false, is_raw: false }
    }

    /// Creates a POST request with a JSON body.
    pub fn post(url: Url, body: &serde_json::Value) -> Self {
        Self {
            method: Method::POST,
            body: Some(("application/json", body.to_string().into_bytes())),
            ..Self::get(url)
        }
    }

    /// Creates a POST request with a form body.
    pub fn form(url: Url, fields: &[(&str, &str)]) -> Self {
        let text =
            url::form_urlencoded::Serializer::new(String::new()).extend_pairs(fields).finish();
        let body = Some(("application/x-www-form-urlencoded", text.into_bytes()));
        Self { method: Method::POST, body, ..Self::get(url) }
    }

    /// Creates a PATCH request with a JSON body.
    pub fn patch(url: Url, body: &serde_json::Value) -> Self {
        Self { method: Method::PATCH, ..Self::post(url, body) }
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: &'static str, value: &'static str) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Disables retries, for a request that may have taken effect despite a failure.
    #[must_use]
    pub fn without_retry(mut self) -> Self {
        self.no_retry = true;
        self
    }

    /// Leaves the response body unscrubbed, because it contains a secret or is binary.
    #[must_use]
    pub(crate) fn with_secret_response(mut self) -> Self {
        self.is_raw = true;
        self
    }

    /// Requests the content only if its ETag has changed.
    #[must_use]
    pub fn if_none_match(mut self, etag: Option<&str>) -> Self {
        self.etag = etag.map(str::to_owned);
        self
    }
}

/// An HTTP response.
#[derive(Clone, Debug)]
pub struct Response {
    /// HTTP status; never a redirect.
    pub status: u16,
    /// Address of the response after redirects.
    pub url: Url,
    /// ETag of the response.
    pub etag: Option<String>,
    /// `Link` header with `rel="next"`.
    pub next: Option<Url>,
    /// `Link` header with `rel="last"`.
    pub last: Option<Url>,
    /// Response body after decompression.
    pub body: Vec<u8>,
    headers: HeaderMap,
}

impl Response {
    /// Returns the value of a header if it is text.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// Returns the body as text.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.body)
    }

    /// Parses the body as JSON.
    ///
    /// # Errors
    /// [`Code::Network`] if the body is not the expected JSON, such as a sign-in page.
    pub fn json<'a, T: serde::Deserialize<'a>>(&'a self) -> Result<T> {
        serde_json::from_slice(&self.body).map_err(|e| self.format_error(&e))
    }

    /// Parses the value at a JSON pointer of the body; `None` if it is missing or null.
    pub fn at<T: serde::de::DeserializeOwned>(&self, pointer: &str) -> Result<Option<T>> {
        let mut body: serde_json::Value = self.json()?;
        let value = body.pointer_mut(pointer).map(serde_json::Value::take).unwrap_or_default();
        serde_json::from_value(value).map_err(|e| self.format_error(&e))
    }

    fn format_error(&self, error: &serde_json::Error) -> Error {
        let message = format!("unexpected response from {}: {error}", without_query(&self.url));
        Error::new(Code::Network, message).with_hint(
            "Check that this is the address of the tracker, not of a sign-in page or a proxy.",
        )
    }

    /// Returns the first line of the `message` field, the server's own error message.
    pub fn message(&self) -> Option<Quotation> {
        Quotation::first_line(&self.at::<String>("/message").ok()??)
    }
}

/// An HTTP client for one job. Clones share connections and counters.
#[derive(Clone)]
pub struct Http {
    timing: Arc<dyn Timing>,
    /// Proxy as `http://host:port`, and the hosts that bypass it, separated by commas.
    pub(crate) proxy: Option<(String, Option<String>)>,
    client: Arc<OnceLock<reqwest::Client>>,
    request_count: Arc<AtomicU64>,
    /// The job: it can be cancelled and receives the progress of long waits.
    pub(crate) task: Task,
}

enum Failure {
    /// A retry may help.
    Retry(Error),
    /// A retry does not help.
    Fatal(Error),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Fatal(error)
    }
}

impl Http {
    /// Creates a client; the first request reads the certificates and connects. `proxy` is an
    /// address `http://host:port`, and the hosts that bypass it, separated by commas.
    pub fn new(timing: Arc<dyn Timing>, proxy: Option<(String, Option<String>)>) -> Self {
        let (client, request_count) = (Arc::default(), Arc::default());
        Self { timing, proxy, client, request_count, task: Task::new() }
    }

    /// Returns a client for a job, with its own request counter.
    #[must_use]
    pub fn for_task(&self, task: &Task) -> Self {
        Self { request_count: Arc::default(), task: task.clone(), ..self.clone() }
    }

    /// Returns the number of requests sent so far, including retries and redirects.
    pub fn request_count(&self) -> u64 {
        self.request_count.load(Ordering::Relaxed)
    }

    /// Returns the current time.
    pub fn now(&self) -> Timestamp {
        self.timing.now()
    }

    /// Completes the work unless the job is cancelled.
    async fn unless_cancelled<T>(&self, work: impl Future<Output = T>) -> Result<T> {
        tokio::select! {
            output = work => Ok(output),
            () = self.task.wait_for_cancel() => Err(cancel_error()),
        }
    }

    /// Checks that at least one of these addresses, or the proxy, accepts a connection.
    ///
    /// # Errors
    /// [`Code::Network`] if none does within 4 s, [`Code::Cancelled`].
    pub async fn reach_any(&self, addresses: &[Url]) -> Result<()> {
        let proxy = self.proxy.as_ref().and_then(|(proxy, _)| Url::parse(proxy).ok());
        let endpoints: BTreeSet<(String, u16)> = addresses
            .iter()
            .chain(&proxy)
            .filter_map(|url| {
                let host = url.host_str()?.trim_matches(['[', ']']).to_owned();
                Some((host, url.port_or_known_default()?))
            })
            .collect();
        let attempts = endpoints.into_iter().map(|(host, port)| async move {
            let stream = tokio::net::TcpStream::connect((host.as_str(), port)).await;
            let reason = |error: std::io::Error| system_message(&error.to_string());
            stream.map(drop).map_err(|error| format!("{host}: {}", reason(error)))
        });
        let mut attempts: tokio::task::JoinSet<_> = attempts.collect();
        let mut reason = None;
        let connection = async {
            while let Some(attempt) = attempts.join_next().await {
                match attempt {
                    Ok(Ok(())) => return true,
                    Ok(Err(error)) => drop(reason.get_or_insert(error)),
                    Err(_) => {}
                }
            }
            false
        };
        let connection = tokio::time::timeout(CONNECT_TIMEOUT, connection);
        let is_reachable = self.unless_cancelled(connection).await?.unwrap_or(false);
        if is_reachable || addresses.is_empty() {
            return Ok(());
        }
        let reason = reason.map(|reason| format!(" ({reason})")).unwrap_or_default();
        Err(Error::new(Code::Network, format!("cannot reach any tracker{reason}")).with_hint(
            "Check your network. Everything mirrored still works offline; sync again later.",
        ))
    }

    /// Sends a request, with retries. A persistent 5xx response is returned like any other.
    ///
    /// # Errors
    /// [`Code::Network`] if there is no connection or no complete response, [`Code::RateLimited`]
    /// if waiting did not help, [`Code::Cancelled`].
    pub async fn send(&self, request: &Request, login: Option<&Login>) -> Result<Response> {
        let (mut tries, mut waits) = (if request.no_retry { MAX_TRIES } else { 1 }, 0);
        loop {
            self.task.check()?;
            match self.unless_cancelled(self.send_with_redirects(request, login)).await? {
                Ok(response) => {
                    if let Some(delay) = limit_wait(&response, self.now()) {
                        if waits >= MAX_LIMIT_WAITS {
                            return Err(limit_error(&response, None));
                        }
                        let wait = delay.unwrap_or(MIN_LIMIT_WAIT * 2_u32.pow(waits));
                        if wait > MAX_LIMIT_WAIT {
                            return Err(limit_error(&response, Some(wait)));
                        }
                        waits += 1;
                        self.wait(wait).await?;
                    } else if response.status >= 500 && tries < MAX_TRIES {
                        self.back_off(&mut tries, response.header("retry-after")).await?;
                    } else {
                        return Ok(response);
                    }
                }
                Err(Failure::Retry(_)) if tries < MAX_TRIES => {
                    self.back_off(&mut tries, None).await?
                }
                Err(Failure::Retry(error) | Failure::Fatal(error)) => return Err(error),
            }
        }
    }

    /// Waits before the next attempt: as long as the server says, or else twice as long each time.
    async fn back_off(&self, tries: &mut u32, retry_after: Option<&str>) -> Result<()> {
        let delay = retry_after.and_then(|v| v.trim().parse().ok()).map(Duration::from_secs);
        let wait = delay
            .filter(|w| *w <= MAX_LIMIT_WAIT)
            .unwrap_or(FIRST_RETRY_WAIT * 2_u32.pow(*tries - 1));
        *tries += 1;
        self.wait(wait).await
    }

    /// Waits, and reports progress every second if the wait is long.
    pub(crate) async fn wait(&self, wait: Duration) -> Result<()> {
        let total = wait.as_secs();
        let mut rest = wait;
        // Short waits between attempts are not reported.
        let is_long = total >= 10;
        while !rest.is_zero() {
            let step = if is_long { rest.min(Duration::from_secs(1)) } else { rest };
            if is_long {
                self.task.report(Phase::Wait, total - rest.as_secs(), Some(total), "seconds");
            }
            self.unless_cancelled(self.timing.sleep(step)).await?;
            self.task.check()?;
            rest -= step;
        }
        Ok(())
    }

    /// Makes one attempt and follows its redirects. The client does not follow them, because a
    /// token may only be sent to its own origin.
    async fn send_with_redirects(
        &self,
        request: &Request,
        login: Option<&Login>,
    ) -> Result<Response, Failure> {
        let mut url = request.url.clone();
        for _ in 0..=MAX_REDIRECTS {
            let response = self.send_once(request, &url, login).await?;
            let status = response.status;
            if !matches!(status, 301 | 302 | 303 | 307 | 308) {
                return Ok(response);
            }
            if request.method != Method::GET && !matches!(status, 307 | 308) {
                return Err(fatal(&url, "it redirects a request that changes data"));
            }
            let target = response.header("location").and_then(|l| url.join(l).ok());
            let Some(target) = target.filter(|t| matches!(t.scheme(), "http" | "https")) else {
                return Err(fatal(&url, "it redirects without a target"));
            };
            if url.scheme() == "https" && target.scheme() != "https" {
                return Err(fatal(&url, "it redirects to an unencrypted address"));
            }
            if !is_same_site(&request.url, &target) {
                return Err(foreign_redirect_error(&url, &target).into());
            }
            url = target;
        }
        Err(fatal(&request.url, "too many redirects"))
    }

    async fn send_once(
        &self,
        request: &Request,
        url: &Url,
        login: Option<&Login>,
    ) -> Result<Response, Failure> {
        let client = self.client()?;
        let url_with_key = login.and_then(|login| login.url_with_key(url));
        let mut builder =
            client.request(request.method.clone(), url_with_key.unwrap_or_else(|| url.clone()));
        for (name, value) in &request.headers {
            builder = builder.header(*name, *value);
        }
        if let Some(login) = login {
            for (name, value) in login.headers_for(url)? {
                builder = builder.header(name, value);
            }
        }
        // An ETag is valid only at the origin that sent it.
        if let Some(etag) = &request.etag
            && url.origin() == request.url.origin()
        {
            builder = builder.header(header::IF_NONE_MATCH, etag);
        }
        if let Some((kind, body)) = &request.body {
            builder = builder.header(header::CONTENT_TYPE, *kind).body(body.clone());
        }
        self.request_count.fetch_add(1, Ordering::Relaxed);
        let (start, timeout) = (tokio::time::Instant::now(), self.timing.request_timeout());
        let failure = |error: reqwest::Error, is_answered: bool| {
            // A response that was too slow once would be too slow again.
            if is_answered && start.elapsed() >= timeout {
                return Failure::Fatal(timeout_error(url, timeout));
            }
            Failure::Retry(connection_error(url, &error))
        };
        let mut response = builder.send().await.map_err(|e| failure(e, false))?;
        let mut body = Vec::new();
        while let Some(chunk) = response.chunk().await.map_err(|e| failure(e, true))? {
            if body.len() + chunk.len() > MAX_BODY {
                return Err(fatal(url, "its response is larger than 64 MB"));
            }
            body.extend_from_slice(&chunk);
        }
        // Scrubbing here keeps known secrets out of all records and addresses.
        let mut headers = response.headers().clone();
        if !request.is_raw {
            // Replacing invalid bytes keeps the rest of the page readable.
            if std::str::from_utf8(&body).is_err() {
                body = String::from_utf8_lossy(&body).into_owned().into_bytes();
            }
            body = secret_filter::mask_bytes(body);
            for value in headers.values_mut() {
                let clean = secret_filter::mask_bytes(value.as_bytes().to_vec());
                *value = HeaderValue::from_bytes(&clean).unwrap_or(HeaderValue::from_static(""));
            }
        }
        let text = |name: HeaderName| headers.get(name).and_then(|v| v.to_str().ok());
        let links: Vec<(String, Url)> = headers
            .get_all(header::LINK)
            .iter()
            .filter_map(|v| v.to_str().ok())
            .flat_map(|v| parse_links(v, url))
            .collect();
        let link = |rel: &str| links.iter().find(|(r, _)| r == rel).map(|(_, url)| url.clone());
        Ok(Response {
            status: response.status().as_u16(),
            url: url.clone(),
            etag: text(header::ETAG).map(str::to_owned),
            next: link("next"),
            last: link("last"),
            body,
            headers,
        })
    }

    /// Returns the client, created on first use because reading the certificates takes time.
    fn client(&self) -> Result<&reqwest::Client> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        // The provider is global; a second call has no effect.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut builder = reqwest::Client::builder()
            .user_agent(concat!("precedent/", env!("CARGO_PKG_VERSION")))
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(IDLE_TIMEOUT)
            .read_timeout(IDLE_TIMEOUT)
            .timeout(self.timing.request_timeout())
            .no_proxy();
        if let Some((proxy, direct_hosts)) = &self.proxy {
            let proxy = reqwest::Proxy::all(proxy).map_err(|_| {
                Error::invalid("invalid proxy address")
                    .with_hint("Use an address like http://proxy.example:3128.")
            })?;
            let direct_hosts = direct_hosts.as_deref().unwrap_or("localhost,127.0.0.1,::1");
            builder = builder.proxy(proxy.no_proxy(reqwest::NoProxy::from_string(direct_hosts)));
        }
        let client = builder.build().map_err(|e| {
            Error::new(Code::Network, format!("cannot set up connections: {}", root_cause(&e)))
                .with_hint(
                    "Check that the system certificates are installed (package ca-certificates).",
                )
        })?;
        Ok(self.client.get_or_init(|| client))
    }
}

/// Returns whether a redirect stays on the same origin, or upgrades to HTTPS on the same host.
/// GitHub redirects renamed projects only within its own API.
/// <https://docs.github.com/en/rest/using-the-rest-api/best-practices-for-using-the-rest-api#follow-redirects>
fn is_same_site(from: &Url, to: &Url) -> bool {
    let is_upgrade = from.scheme() == "http" && to.scheme() == "https";
    let has_default_ports = from.port().is_none() && to.port().is_none();
    let is_same = from.origin() == to.origin()
        || (from.host() == to.host() && is_upgrade && has_default_ports);
    is_same && to.username().is_empty() && to.password().is_none()
}

fn foreign_redirect_error(url: &Url, target: &Url) -> Error {
    let host = Quotation::first_line(&target.origin().ascii_serialization());
    let host = host.map_or_else(|| "another host".to_owned(), |name| name.to_string());
    Error::new(Code::Network, format!("{}: it redirects to another host, {host}, which was not contacted", without_query(url)))
        .with_hint(
            "Redirects to other hosts are not followed. If the tracker moved, remove the source and add it again at \
             its new address.",
        )
}

/// Formats an address for messages, without its query.
fn without_query(url: &Url) -> String {
    format!("{}{}", url.origin().ascii_serialization(), url.path())
}

fn fatal(url: &Url, problem: &str) -> Failure {
    Failure::Fatal(invalid_response(url, problem))
}

fn invalid_response(url: &Url, problem: &str) -> Error {
    Error::new(Code::Network, format!("{}: {problem}", without_query(url))).with_hint(
        "Check that this is the address of the tracker, not of a sign-in page or a proxy.",
    )
}

fn timeout_error(url: &Url, limit: Duration) -> Error {
    let message =
        format!("{}: its response took more than {} seconds", without_query(url), limit.as_secs());
    Error::new(Code::Network, message).with_hint(
        "The tracker, or a proxy in front of it, is too slow. Progress is saved; sync again later.",
    )
}

fn connection_error(url: &Url, error: &reqwest::Error) -> Error {
    let host = url.host_str().unwrap_or_default();
    let message = if error.is_timeout() {
        format!("{host} did not respond in time")
    } else if error.is_connect() {
        format!("cannot reach {host}: {}", root_cause(error))
    } else {
        format!("the connection to {host} failed: {}", root_cause(error))
    };
    Error::new(Code::Network, message).with_hint(
        "Check your network and the host name. Progress is saved; sync again to continue.",
    )
}

/// Returns a system error message without its error number.
fn system_message(text: &str) -> String {
    text.split(" (os error").next().unwrap_or_default().to_lowercase()
}

/// Returns the innermost, most specific cause of an error.
fn root_cause(error: &reqwest::Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    system_message(&inner.to_string())
}

/// Parses the links of a `Link` header (RFC 8288) and makes them absolute. Addresses may contain
/// commas and semicolons, so the angle brackets delimit them.
fn parse_links(value: &str, base: &Url) -> Vec<(String, Url)> {
    let mut out = Vec::new();
    let mut rest = value;
    while let Some((_, tail)) = rest.split_once('<') {
        let Some((target, parameters)) = tail.split_once('>') else { break };
        let end = parameters.find('<').unwrap_or(parameters.len());
        let (parameters, next) = parameters.split_at(end);
        rest = next;
        let relation = parameters.split([';', ',']).find_map(|p| {
            let (name, value) = p.split_once('=')?;
            name.trim()
                .eq_ignore_ascii_case("rel")
                .then(|| value.trim().trim_matches('"').to_lowercase())
        });
        if let (Some(relation), Ok(url)) = (relation, base.join(target)) {
            out.extend(relation.split_whitespace().map(|r| (r.to_owned(), url.clone())));
        }
    }
    out
}

/// Formats an HTTP status: `404 not found`.
pub fn status_text(status: u16) -> String {
    let words =
        StatusCode::from_u16(status).ok().and_then(|s| s.canonical_reason()).unwrap_or("unknown");
    format!("{status} {}", words.to_lowercase())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::Token;

    impl Http {
        pub(crate) fn for_tests() -> Self {
            let clock: Arc<dyn Fn() -> Timestamp + Send + Sync> =
                Arc::new(|| Timestamp::UNIX_EPOCH);
            Self::new(Arc::new(clock), None)
        }
    }

    impl Response {
        pub(crate) fn for_tests(status: u16, headers: &[(&'static str, &str)], body: &str) -> Self {
            let headers = headers.iter().map(|&(name, value)| {
                (HeaderName::from_static(name), HeaderValue::from_str(value).unwrap())
            });
            Self {
                status,
                url: Url::parse("https://api.github.com/").unwrap(),
                etag: None,
                next: None,
                last: None,
                body: body.into(),
                headers: headers.collect(),
            }
        }
    }

    fn base() -> Url {
        Url::parse("https://api.github.com/repos/a/b/issues").unwrap()
    }

    #[test]
    fn link_addresses_may_contain_separators() {
        let list = parse_links(
            "<https://api.github.com/repositories/1/issues?labels=a,b;c&after=Y3Vyc29y%3D&page=2>; rel=\"next\", </x?page=9>; title=\"a\"; rel=last",
            &base(),
        );
        assert_eq!(list.len(), 2);
        assert_eq!(list[0].0, "next");
        assert!(list[0].1.as_str().ends_with("labels=a,b;c&after=Y3Vyc29y%3D&page=2"));
        assert_eq!(
            (list[1].0.as_str(), list[1].1.as_str()),
            ("last", "https://api.github.com/x?page=9")
        );
        for broken in ["", "<", "<>", "next", "<x", "<https://a/>; rel", "<https://a/>; rel="] {
            parse_links(broken, &base());
        }
    }

    #[test]
    fn redirect_stays_on_its_own_host() {
        let allows = |from: &str, to: &str| {
            is_same_site(&Url::parse(from).unwrap(), &Url::parse(to).unwrap())
        };
        for to in ["https://git.example/x", "https://git.example:443/y"] {
            assert!(allows("https://git.example/a", to), "{to}");
        }
        assert!(allows("http://git.example/a", "https://git.example/a"));
        for to in "https://evil.example/a, https://git.example.evil.example/a, \
                     https://sub.git.example/a, https://git.example:8443/a, \
                     https://ann:word@git.example/a, https://127.0.0.1/a"
            .split(", ")
        {
            assert!(!allows("https://git.example/a", to), "{to}");
        }
        assert!(!allows("http://git.example:8080/a", "https://git.example/a"));
    }

    #[test]
    fn login_headers_fit_each_tracker() {
        let header =
            |secret: &str, make: &dyn Fn(&Url, &Token) -> Login| -> Vec<(String, String)> {
                let token = Token::new(secret.to_owned().into(), [&base()]);
                let headers = make(&base(), &token).headers_for(&base()).unwrap();
                headers
                    .into_iter()
                    .map(|(n, v)| (n.to_string(), v.to_str().unwrap().to_owned()))
                    .collect()
            };
        // "ada@acme.example/token:canary-one"
        let value = "Basic YWRhQGFjbWUuZXhhbXBsZS90b2tlbjpjYW5hcnktb25l";
        for secret in ["ada@acme.example:canary-one", "ada@acme.example/token:canary-one"] {
            let headers = header(secret, &|base, token| Login::basic(base, token, "/token"));
            assert_eq!(headers, [("authorization".to_owned(), value.to_owned())]);
        }
        let login: &dyn Fn(&Url, &Token) -> Login =
            &|base, token| Login::headers(base, "api-key", token, "api-username");
        let key = ("api-key".to_owned(), "canary-two".to_owned());
        assert_eq!(header("canary-two", login), std::slice::from_ref(&key));
        assert_eq!(
            header("ada:canary-two", login),
            [key, ("api-username".to_owned(), "ada".to_owned())]
        );
    }

    #[test]
    fn token_is_bound_to_one_origin() {
        let token = Token::new("ghp_canary".to_owned().into(), [&base()]);
        let login = Login::bearer(&base(), &token);
        for (url, is_sent) in [
            ("https://api.github.com/user", true),
            ("http://api.github.com/user", false),
            ("https://api.github.com:8443/user", false),
            ("https://api.github.com.evil.example/user", false),
        ] {
            let header = login.headers_for(&Url::parse(url).unwrap()).unwrap();
            assert_eq!(header.len(), usize::from(is_sent), "{url}");
            assert!(!format!("{header:?}").contains("canary"));
        }
        assert!(!format!("{login:?}").contains("canary"));
    }
}
