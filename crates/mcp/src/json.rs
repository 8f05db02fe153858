//! The engine's answers as JSON that a tool can modify.

use precedent_core::{Code, Error, Result};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Converts an answer to JSON.
pub fn value(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::new(Code::Internal, e.to_string()))
}

/// Returns the fields of an answer that is an object; otherwise no fields.
pub fn fields(of: &impl serde::Serialize) -> Result<JsonObject> {
    Ok(match value(of)? {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    })
}
