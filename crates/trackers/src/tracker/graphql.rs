//! GraphQL queries and their responses.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{FetchError, Lookup, client::Client, pagination::Pagination};
use precedent_core::{
    error::{Code, Error, Result},
    secret_filter::Quotation,
};

pub(super) enum QueryOutcome {
    /// The data, and the time of the response.
    Data(Value, Timestamp),
    /// The token may not run the query, or the server does not support it, with the reason.
    Refused(String),
    /// The server does not have one of the requested fields.
    Unsupported,
    /// The requested object does not exist.
    Gone,
    Expired,
    /// The query was too large; returns this error if it cannot be made smaller.
    TooLarge(Error),
}

impl QueryOutcome {
    /// Returns the data of a list and the time of the response.
    pub(super) fn list(self, pagination: &Pagination) -> Result<(Value, Timestamp), FetchError> {
        Err(match self {
            Self::Data(data, time) => return Ok((data, time)),
            Self::Refused(reason) => FetchError::refusal(reason),
            Self::Gone => FetchError::refusal("no permission to read them"),
            Self::Unsupported => FetchError::refusal("the server does not support them"),
            Self::Expired => FetchError::Expired,
            Self::TooLarge(error) => {
                FetchError::Smaller(pagination.smaller().ok_or(error)?.cursor())
            }
        })
    }

    /// Returns the object at a JSON pointer of the data, or the outcome of its lookup if there is none.
    pub(super) fn object(self, pointer: &str) -> Result<Result<Value, Lookup>> {
        match self {
            Self::Data(mut data, _) => match data.pointer_mut(pointer).map(Value::take) {
                Some(object @ Value::Object(_)) => Ok(Ok(object)),
                _ => Ok(Err(Lookup::Gone)),
            },
            Self::Gone => Ok(Err(Lookup::Gone)),
            // A refusal does not show whether the object exists.
            Self::Refused(_) | Self::Unsupported | Self::Expired => Ok(Err(Lookup::Unreadable)),
            Self::TooLarge(error) => Err(error),
        }
    }
}

/// Sends a query and interprets its errors. With `is_partial`, errors are ignored if there is data.
pub(super) async fn query(
    client: &Client,
    url: Url,
    query: &str,
    variables: Value,
    subject: &str,
    is_partial: bool,
) -> Result<QueryOutcome> {
    let body = json!({"query": query, "variables": variables});
    let response = client.post(url, &body).await?;
    // Query errors have the status 400 or 200.
    let response_body: QueryResponse = match response.status {
        200 | 400 => response.json()?,
        403 | 404 => {
            return Ok(QueryOutcome::Refused(client.error_for(&response, subject).to_string()));
        }
        500.. => return Ok(QueryOutcome::TooLarge(client.error_for(&response, subject))),
        _ => return Err(client.error_for(&response, subject)),
    };
    let has_data = |data: &Value| {
        data.as_object().is_some_and(|fields| fields.values().any(|value| !value.is_null()))
    };
    if let Some(data) = response_body.data.as_ref().filter(|data| is_partial && has_data(data)) {
        return Ok(QueryOutcome::Data(data.clone(), client.server_time(&response)));
    }
    let find = |matches: &dyn Fn(&str, &str) -> bool| {
        response_body
            .errors
            .iter()
            .find(|error| matches(error.code(), &error.message.to_lowercase()))
    };
    if find(&|code, _| code == "AUTHENTICATION_ERROR").is_some() {
        return Err(client.status_error(401, &response, subject));
    }
    if find(&|code, text| code == "NOT_FOUND" || text.starts_with("entity not found")).is_some() {
        return Ok(QueryOutcome::Gone);
    }
    if let Some(error) = find(&|code, _| ACCESS_CODES.contains(&code)) {
        let reason = format!("no permission to read them{}", error.detail());
        return Ok(QueryOutcome::Refused(reason));
    }
    let is_unsupported =
        |text: &str| text.contains("doesn't exist on type") || text.contains("isn't a defined");
    if find(&|_, text| is_unsupported(text)).is_some() {
        return Ok(QueryOutcome::Unsupported);
    }
    if find(&|_, text| text.contains("cursor")).is_some() {
        return Ok(QueryOutcome::Expired);
    }
    let host = &client.host;
    Ok(match (response_body.data, response_body.errors.iter().find(|error| error.kind.is_none())) {
        (Some(data), None) if !data.is_null() => {
            QueryOutcome::Data(data, client.server_time(&response))
        }
        (_, error) => {
            let detail =
                error.or(response_body.errors.first()).map(QueryError::detail).unwrap_or_default();
            let error = Error::new(
                Code::Network,
                format!("{host} returned an error for {subject}{detail}"),
            );
            QueryOutcome::TooLarge(error.with_hint("Progress is saved; try again later."))
        }
    })
}

const ACCESS_CODES: &[&str] = &["FORBIDDEN", "INSUFFICIENT_SCOPES", "FEATURE_NOT_ACCESSIBLE"];

#[derive(Deserialize)]
struct QueryResponse {
    data: Option<Value>,
    #[serde(default)]
    errors: Vec<QueryError>,
}

#[derive(Deserialize)]
struct QueryError {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    extensions: Value,
}

impl QueryError {
    /// Returns the error code, in the form of GitHub or of Linear.
    fn code(&self) -> &str {
        self.kind.as_deref().or(self.extensions["code"].as_str()).unwrap_or_default()
    }

    /// Returns the first line of the message in parentheses.
    fn detail(&self) -> String {
        Quotation::first_line(&self.message)
            .map(|detail| format!(" (\"{detail}\")"))
            .unwrap_or_default()
    }
}

#[derive(Deserialize)]
pub(super) struct Nodes<T> {
    #[serde(default = "Vec::new")]
    pub(super) nodes: Vec<Option<T>>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct List {
    pub(super) total_count: Option<u64>,
    #[serde(default)]
    page_info: PageInfo,
    #[serde(default)]
    pub(super) nodes: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct PageInfo {
    #[serde(default)]
    has_next_page: bool,
    end_cursor: Option<String>,
}

impl List {
    pub(super) fn next_cursor(&self) -> Option<String> {
        self.page_info.end_cursor.clone().filter(|_| self.page_info.has_next_page)
    }
}

/// Returns the nodes of a connection, or of its edges; `None` if the value is not a connection.
pub(super) fn nodes(connection: &Value) -> Option<Vec<&Value>> {
    let items = connection.get("nodes").or_else(|| connection.get("edges"))?.as_array()?;
    Some(items.iter().map(|edge| edge.get("node").unwrap_or(edge)).collect())
}
