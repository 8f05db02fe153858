//! What the engine answers, as JSON that a tool can change.

use precedent_core::{Code, Error, Result};
use rmcp::model::JsonObject;
use serde_json::Value;

/// Any answer.
pub fn value(value: &impl serde::Serialize) -> Result<Value> {
    serde_json::to_value(value).map_err(|e| Error::new(Code::Internal, e.to_string()))
}

/// The fields of what is an object.
pub fn fields(of: &impl serde::Serialize) -> Result<JsonObject> {
    Ok(match value(of)? {
        Value::Object(fields) => fields,
        _ => JsonObject::new(),
    })
}
