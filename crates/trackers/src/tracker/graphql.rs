//! GraphQL queries and their responses, as all servers return them.

use jiff::Timestamp;
use serde::Deserialize;
use serde_json::{Value, json};
use url::Url;

use super::{Fate, Fetch, client::Client, walk::Pagination};
use precedent_core::{
    door::Outside,
    error::{Code, Error, Result},
    task::Task,
};

/// The outcome of a query.
pub(super) enum QueryOutcome {
    /// The data, and the time of the response.
    Data(Value, Timestamp),
    /// The token may not run the query, or the server does not support it, with the reason.
    Refused(String),
    /// The server does not have one of the requested fields.
    Unsupported,
    /// The requested object does not exist.
    Gone,
    /// The list cursor has expired.
    Expired,
    /// The query was too large, with the error if it cannot be smaller.
    TooMuch(Error),
}

impl QueryOutcome {
    /// Returns the data of a list and the time of the response, or else the outcome for the list.
    pub(super) fn list(
        self,
        walk: &Pagination,
    ) -> Result<std::result::Result<(Value, Timestamp), Fetch>> {
        Ok(Err(match self {
            Self::Data(data, at) => return Ok(Ok((data, at))),
            Self::Refused(why) => Fetch::Refused(why),
            Self::Gone => Fetch::Refused("no permission to read them".to_owned()),
            Self::Unsupported => Fetch::Refused("the server does not support them".to_owned()),
            Self::Expired => Fetch::Expired,
            Self::TooMuch(error) => Fetch::Smaller(walk.smaller().ok_or(error)?.cursor()),
        }))
    }

    /// Returns the object at a JSON pointer of the data, or else what became of it.
    pub(super) fn object(self, pointer: &str) -> Result<std::result::Result<Value, Fate>> {
        match self {
            Self::Data(mut data, _) => match data.pointer_mut(pointer).map(Value::take) {
                Some(object @ Value::Object(_)) => Ok(Ok(object)),
                _ => Ok(Err(Fate::Gone)),
            },
            Self::Gone => Ok(Err(Fate::Gone)),
            // A refusal does not show whether it exists.
            Self::Refused(_) | Self::Unsupported | Self::Expired => Ok(Err(Fate::Unreadable)),
            Self::TooMuch(error) => Err(error),
        }
    }
}

/// Sends a query and interprets its errors; `item` names what it requests. With `is_partial`, errors
/// do not matter if there are any data.
pub(super) async fn query(
    client: &Client,
    url: Url,
    query: &str,
    variables: Value,
    item: &str,
    is_partial: bool,
    task: &Task,
) -> Result<QueryOutcome> {
    let body = json!({"query": query, "variables": variables});
    let response = client.post(url, &body, task).await?;
    // Query errors have the status 400 or 200.
    let answer: Answer = match response.status {
        200 | 400 => response.json()?,
        403 | 404 => return Ok(QueryOutcome::Refused(client.refusal(&response, item).to_string())),
        500.. => return Ok(QueryOutcome::TooMuch(client.refusal(&response, item))),
        _ => return Err(client.refusal(&response, item)),
    };
    let has_data = |data: &Value| {
        data.as_object().is_some_and(|fields| fields.values().any(|value| !value.is_null()))
    };
    if let Some(data) = answer.data.as_ref().filter(|data| is_partial && has_data(data)) {
        return Ok(QueryOutcome::Data(data.clone(), client.date(&response)));
    }
    let find = |is: &dyn Fn(&str, &str) -> bool| {
        answer.errors.iter().find(|problem| is(problem.code(), &problem.message.to_lowercase()))
    };
    if find(&|code, _| code == "AUTHENTICATION_ERROR").is_some() {
        return Err(client.refusal_as(401, &response, item));
    }
    if find(&|code, text| code == "NOT_FOUND" || text.starts_with("entity not found")).is_some() {
        return Ok(QueryOutcome::Gone);
    }
    if let Some(problem) = find(&|code, _| ACCESS_CODES.contains(&code)) {
        let why = format!("no permission to read them{}", problem.words());
        return Ok(QueryOutcome::Refused(why));
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
    Ok(match (answer.data, answer.errors.iter().find(|problem| problem.kind.is_none())) {
        (Some(data), None) if !data.is_null() => QueryOutcome::Data(data, client.date(&response)),
        (_, problem) => {
            let words = problem.or(answer.errors.first()).map(Problem::words).unwrap_or_default();
            let error =
                Error::new(Code::Network, format!("{host} returned an error for {item}{words}"));
            QueryOutcome::TooMuch(error.with_hint("Progress is saved; try again later."))
        }
    })
}

/// The codes of errors for missing permissions.
const ACCESS_CODES: &[&str] = &["FORBIDDEN", "INSUFFICIENT_SCOPES", "FEATURE_NOT_ACCESSIBLE"];

/// A complete or partial response.
#[derive(Deserialize)]
struct Answer {
    data: Option<Value>,
    #[serde(default)]
    errors: Vec<Problem>,
}

/// The error for a missing part of a response.
#[derive(Deserialize)]
struct Problem {
    #[serde(rename = "type")]
    kind: Option<String>,
    #[serde(default)]
    message: String,
    #[serde(default)]
    extensions: Value,
}

impl Problem {
    /// Returns the code of the error: of GitHub, or of Linear.
    fn code(&self) -> &str {
        self.kind.as_deref().or(self.extensions["code"].as_str()).unwrap_or_default()
    }

    /// Returns the text for an error message, in brackets: one line of bounded length.
    fn words(&self) -> String {
        Outside::first_line(&self.message)
            .map(|words| format!(" (\"{words}\")"))
            .unwrap_or_default()
    }
}

/// The nodes of a connection.
#[derive(Deserialize)]
pub(super) struct Nodes<T> {
    #[serde(default = "Vec::new")]
    pub(super) nodes: Vec<Option<T>>,
}

/// A page of a connection.
#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct List {
    pub(super) total_count: Option<u64>,
    #[serde(default)]
    page_info: Info,
    #[serde(default)]
    pub(super) nodes: Vec<Value>,
}

#[derive(Default, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Info {
    #[serde(default)]
    has_next_page: bool,
    end_cursor: Option<String>,
}

impl List {
    /// Returns the start of the next page, if there is one.
    pub(super) fn next_cursor(&self) -> Option<String> {
        self.page_info.end_cursor.clone().filter(|_| self.page_info.has_next_page)
    }
}

/// Returns the nodes of a connection, or of its edges; `None` if the value is not a connection.
pub(super) fn nodes(connection: &Value) -> Option<Vec<&Value>> {
    let items = connection.get("nodes").or_else(|| connection.get("edges"))?.as_array()?;
    Some(items.iter().map(|edge| edge.get("node").unwrap_or(edge)).collect())
}
