//! Replies: one text for the agent, and its keys, scores and offsets for programs.

use precedent_core::Error;
use rmcp::{
    ErrorData,
    handler::server::tool::IntoCallToolResult,
    model::{CallToolResponse, CallToolResult, ContentBlock},
};
use serde::Serialize;
use serde_json::Value;

use super::markdown::{UNTRUSTED_NOTICE, shorten};

/// The maximum length of an error, in characters.
const MAX_ERROR: usize = 900;

/// The reply of a tool. Its text ends with the notice that tracker text is untrusted.
#[derive(Debug)]
pub struct Reply {
    text: String,
    payload: Option<Value>,
}

impl Reply {
    /// Creates a reply from a text that ends with the notice and a payload for the tool's schema.
    pub fn new(text: String, payload: &impl Serialize) -> precedent_core::Result<Self> {
        debug_assert!(text.ends_with(UNTRUSTED_NOTICE), "{text}");
        let payload = serde_json::to_value(payload).map_err(|e| {
            Error::new(precedent_core::Code::Internal, format!("cannot write the reply: {e}"))
        })?;
        Ok(Self { text, payload: Some(payload) })
    }

    /// Creates a failure that the caller can act on. It has no payload, because clients check the
    /// payload against the schema of a result.
    pub fn failure(error: &Error) -> Self {
        let code = serde_json::to_value(error.code()).unwrap_or_default();
        let code = code.as_str().unwrap_or("internal");
        let message = shorten(&format!("Error ({code}): {error}"), MAX_ERROR / 2);
        let hint = error.hint().map(|hint| hint.to_string());
        let hint = hint.map(|hint| format!("\nNext: {}", shorten(&hint, MAX_ERROR / 2)));
        let text = format!("{message}{}\n{UNTRUSTED_NOTICE}", hint.unwrap_or_default());
        Self { text, payload: None }
    }
}

impl IntoCallToolResult for Reply {
    fn into_call_tool_result(self) -> Result<CallToolResponse, ErrorData> {
        let content = vec![ContentBlock::text(self.text)];
        let Some(payload) = self.payload else { return Ok(CallToolResult::error(content).into()) };
        let mut result = CallToolResult::success(content);
        result.structured_content = Some(payload);
        Ok(result.into())
    }
}
