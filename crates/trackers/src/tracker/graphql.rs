//! GraphQL responses, as all servers return them.

use serde::Deserialize;
use serde_json::Value;

use precedent_core::door::Outside;

/// A complete or partial response.
#[derive(Deserialize)]
pub(super) struct Answer<T = Value> {
    pub(super) data: Option<T>,
    #[serde(default)]
    pub(super) errors: Vec<Problem>,
}

/// The error for a missing part of a response.
#[derive(Deserialize)]
pub(super) struct Problem {
    #[serde(rename = "type")]
    pub(super) kind: Option<String>,
    #[serde(default)]
    pub(super) message: String,
    #[serde(default)]
    pub(super) extensions: Value,
}

impl Problem {
    /// Returns the text for an error message, in brackets: one line of bounded length.
    pub(super) fn words(&self) -> String {
        Outside::first_line(&self.message)
            .map(|words| format!(" (\"{words}\")"))
            .unwrap_or_default()
    }
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
