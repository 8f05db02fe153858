//! Repair of records with malformed fields, for example from scripts or filters. An item needs a
//! number and a title; any other unusable field is left out.

use serde_json::{Value, json};

use crate::tracker::graphql::nodes;

/// Repairs or removes each malformed field of a record. Returns `None` if it is not an object.
pub(super) fn repair(text: &str) -> Option<String> {
    let Value::Object(mut record) = serde_json::from_str(text).ok()? else { return None };
    record.retain(|name, value| repair_field(name, value));
    Some(Value::Object(record).to_string())
}

/// Repairs a field and returns whether to keep it.
fn repair_field(name: &str, value: &mut Value) -> bool {
    match name {
        "number" => whole(value),
        "title" | "body" => {
            *value = Value::String(words(value));
            true
        }
        "user" | "author" => person(value),
        "labels" => labels(value),
        "milestone" => wrap_text(value, "title"),
        "locked" | "isDraft" => truth(value),
        "pull_request" => {
            let is_one = match value {
                Value::Object(_) => return true,
                Value::Bool(is_one) => *is_one,
                Value::String(address) => !address.is_empty(),
                _ => false,
            };
            *value = json!({});
            is_one
        }
        "comments" => {
            if let Value::Array(items) = value {
                items.retain_mut(|comment| match comment {
                    Value::String(text) => {
                        *comment = json!({ "body": text });
                        true
                    }
                    Value::Object(fields) => {
                        fields.retain(|name, value| repair_field(name, value));
                        true
                    }
                    _ => false,
                });
            }
            true
        }
        "state" | "state_reason" | "stateReason" | "url" | "html_url" | "author_association"
        | "authorAssociation" | "headRefName" | "issue_url" | "id" => {
            value.is_string() || (name == "id" && value.is_number())
        }
        _ => true,
    }
}

/// Converts a number that is written as a decimal or as text.
fn whole(value: &mut Value) -> bool {
    let text = words(value);
    let text = text.trim().trim_start_matches('#');
    match text.strip_suffix(".0").unwrap_or(text).parse::<u64>() {
        Ok(number) => *value = number.into(),
        // The parser reports the invalid number.
        Err(_) => *value = Value::String(text.to_owned()),
    }
    true
}

fn words(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        value => value.to_string(),
    }
}

fn person(value: &mut Value) -> bool {
    if let Value::Object(fields) = value
        && !fields.get("login").is_some_and(Value::is_string)
    {
        let name = ["login", "name", "username", "email"].iter().find_map(|n| fields.get(*n));
        *value = name.map_or(Value::Null, |name| Value::String(words(name)));
    }
    let is_valid = wrap_text(value, "login");
    if let Value::Object(fields) = value {
        fields.retain(|name, value| match name.as_str() {
            "is_bot" => truth(value),
            "type" => value.is_string(),
            _ => true,
        });
    }
    is_valid
}

/// Wraps a text in the object that the API uses.
fn wrap_text(value: &mut Value, name: &str) -> bool {
    match value {
        Value::Object(fields) => {
            if let Some(inner) = fields.get_mut(name) {
                *inner = Value::String(words(inner));
            }
            true
        }
        Value::String(_) | Value::Number(_) => {
            *value = json!({ name: words(value) });
            true
        }
        _ => false,
    }
}

fn truth(value: &mut Value) -> bool {
    *value = Value::Bool(match value {
        Value::Bool(is_so) => *is_so,
        Value::String(word) => matches!(word.to_lowercase().as_str(), "true" | "yes" | "1"),
        Value::Number(number) => number.as_i64() == Some(1),
        _ => false,
    });
    true
}

fn labels(value: &mut Value) -> bool {
    let label = |label: &Value| match label {
        Value::String(name) => Some(json!({ "name": name })),
        Value::Object(fields) => Some(json!({ "name": words(fields.get("name")?) })),
        _ => None,
    };
    *value = match value {
        Value::String(names) => {
            let names = names.split([',', ';']).map(str::trim).filter(|name| !name.is_empty());
            Value::Array(names.map(|name| json!({ "name": name })).collect())
        }
        Value::Array(items) => Value::Array(items.iter().filter_map(label).collect()),
        Value::Object(_) => {
            Value::Array(nodes(value).into_iter().flatten().filter_map(label).collect())
        }
        _ => return false,
    };
    true
}
