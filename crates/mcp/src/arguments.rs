//! Arguments of a tool call, checked against the schema that the tool publishes.

use std::{any::Any, fmt::Write as _};

use precedent_core::{Error, Result};
use precedent_text::similar;
use rmcp::{
    ErrorData,
    handler::server::{
        common::{FromContextPart, schema_for_input},
        tool::ToolCallContext,
    },
    model::JsonObject,
    schemars::{JsonSchema, Schema, SchemaGenerator},
};
use serde::de::DeserializeOwned;
use serde_json::{Number, Value, json};

/// The maximum length of an invalid value in an error, in characters.
const SHOWN: usize = 60;

/// The parameters of a call, or the error in them. The schema is that of `P`.
pub struct Parameters<P>(pub Result<P>);

impl<P: JsonSchema> JsonSchema for Parameters<P> {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        P::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        P::json_schema(generator)
    }
}

/// The conversion never fails: an error becomes the tool's own reply, with a hint, instead of a
/// protocol error.
impl<S, P: DeserializeOwned + JsonSchema + Any> FromContextPart<ToolCallContext<'_, S>> for Parameters<P> {
    fn from_context_part(context: &mut ToolCallContext<'_, S>) -> std::result::Result<Self, ErrorData> {
        let given = context.arguments.take().unwrap_or_default();
        Ok(Self(read(context.name(), given)))
    }
}

fn read<P: DeserializeOwned + JsonSchema + Any>(tool: &str, given: JsonObject) -> Result<P> {
    let schema = schema_for_input::<P>().map_err(defect)?;
    let none = JsonObject::new();
    let properties = schema.get("properties").and_then(Value::as_object).unwrap_or(&none);
    let required = |name: &str| {
        schema.get("required").and_then(Value::as_array).is_some_and(|all| all.iter().any(|r| r == name))
    };
    let mut fields = JsonObject::new();
    for (name, value) in given {
        let Some(property) = properties.get(&name) else { return Err(unknown(tool, &name, properties)) };
        // Clients write null for omitted parameters.
        if value.is_null() {
            continue;
        }
        let shape = Shape::of(property, &schema).ok_or_else(|| defect(format!("{name} has no shape")))?;
        let Some(fits) = shape.take(&value) else {
            let written: String = value.to_string().chars().take(SHOWN + 1).collect();
            let mark = if written.chars().count() > SHOWN { "…" } else { "" };
            let written: String = written.chars().take(SHOWN).collect();
            return Err(Error::invalid(format!(
                "{tool}: {name} must be {}, not {written}{mark}",
                shape.words()
            ))
            .with_hint(hint(property)));
        };
        fields.insert(name, fits);
    }
    if let Some((name, property)) = properties.iter().find(|(n, _)| required(n) && !fields.contains_key(*n)) {
        return Err(Error::invalid(format!("{tool} requires {name}")).with_hint(hint(property)));
    }
    serde_json::from_value(Value::Object(fields)).map_err(|e| defect(e.to_string()))
}

fn unknown(tool: &str, name: &str, properties: &JsonObject) -> Error {
    let names: Vec<&str> = properties.keys().map(String::as_str).collect();
    let shown: String = name.chars().take(SHOWN).collect();
    let mut hint = String::new();
    if let Some(meant) = similar::meant(name, names.iter().copied()) {
        let _ = write!(hint, "Did you mean {meant}? ");
    }
    match names.as_slice() {
        [] => hint.push_str("It takes no parameters."),
        names => drop(write!(hint, "Its parameters: {}.", names.join(", "))),
    }
    Error::invalid(format!("{tool} has no parameter \"{shown}\"")).with_hint(hint)
}

/// Returns the description of a parameter in the schema.
fn hint(property: &Value) -> String {
    let text = property.get("description").and_then(Value::as_str).unwrap_or("See the tool's schema.");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Returns the error for a schema that does not match the code, which no caller can fix.
fn defect(what: String) -> Error {
    Error::new(precedent_core::Code::Internal, format!("cannot read the parameters: {what}"))
        .with_hint("This is a bug in Precedent; please report it.")
}

/// The type of a parameter's value.
#[derive(Debug, PartialEq)]
enum Shape {
    Text,
    /// A text or a whole number, which becomes a text.
    Either,
    Whole {
        min: i128,
        max: Option<i128>,
    },
    Share {
        min: f64,
        max: f64,
    },
    Flag,
    Choice(Vec<String>),
    Texts,
}

impl Shape {
    /// Returns the shape described by a property's schema.
    fn of(property: &Value, schema: &JsonObject) -> Option<Self> {
        if let Some(reference) = property.get("$ref").and_then(Value::as_str) {
            let name = reference.strip_prefix("#/$defs/")?;
            return Self::of(schema.get("$defs")?.get(name)?, schema);
        }
        let names = |list: &Value, of: fn(&Value) -> Option<&str>| -> Option<Vec<String>> {
            list.as_array()?.iter().map(|v| of(v).map(str::to_owned)).collect()
        };
        if let Some(choice) = property.get("enum") {
            return names(choice, Value::as_str).map(Self::Choice);
        }
        if let Some(choice) = property.get("oneOf") {
            return names(choice, |v| v.get("const").and_then(Value::as_str)).map(Self::Choice);
        }
        let types: Vec<&str> = match property.get("type")? {
            Value::Array(types) => types.iter().filter_map(Value::as_str).filter(|t| *t != "null").collect(),
            one => one.as_str().into_iter().collect(),
        };
        let bound = |name: &str| property.get(name).and_then(Value::as_f64);
        Some(match types.as_slice() {
            ["string"] => Self::Text,
            ["boolean"] => Self::Flag,
            ["array"] => Self::Texts,
            #[allow(clippy::cast_possible_truncation, reason = "bounds are small whole numbers")]
            ["integer"] => Self::Whole {
                min: bound("minimum").unwrap_or(0.0) as i128,
                max: bound("maximum").map(|m| m as i128),
            },
            ["number"] => Self::Share { min: bound("minimum")?, max: bound("maximum")? },
            ["integer", "string"] | ["string", "integer"] => Self::Either,
            _ => return None,
        })
    }

    /// Describes the allowed values.
    fn words(&self) -> String {
        match self {
            Self::Text => "a string".to_owned(),
            Self::Either => "a number or a string".to_owned(),
            Self::Whole { min, max: Some(max) } => format!("a whole number from {min} to {max}"),
            Self::Whole { min, max: None } => format!("a whole number of at least {min}"),
            Self::Share { min, max } => format!("a number from {min} to {max}"),
            Self::Flag => "true or false".to_owned(),
            Self::Choice(all) => format!("one of {}", all.join(", ")),
            Self::Texts => "a list of strings".to_owned(),
        }
    }

    /// Converts a value to the parameter's type, or returns `None` if it does not fit.
    ///
    /// Clients write numbers and booleans as texts, and numbers for texts.
    fn take(&self, value: &Value) -> Option<Value> {
        match self {
            Self::Text | Self::Either => match value {
                Value::String(_) => Some(value.clone()),
                Value::Number(_) => whole(value).map(|n| json!(n.to_string())),
                _ => None,
            },
            Self::Whole { min, max } => {
                let number = whole(value).filter(|n| n >= min && max.is_none_or(|max| *n <= max))?;
                u64::try_from(number).ok().map(|n| json!(n))
            }
            Self::Share { min, max } => {
                let number = match value {
                    Value::String(text) => text.trim().parse().ok()?,
                    other => other.as_f64()?,
                };
                Number::from_f64(number).filter(|_| number >= *min && number <= *max).map(Value::Number)
            }
            Self::Flag => match value {
                Value::Bool(_) => Some(value.clone()),
                Value::String(text) if text.trim().eq_ignore_ascii_case("true") => Some(json!(true)),
                Value::String(text) if text.trim().eq_ignore_ascii_case("false") => Some(json!(false)),
                _ => None,
            },
            Self::Choice(all) => {
                let written = value.as_str()?.trim();
                all.iter().find(|c| c.eq_ignore_ascii_case(written)).map(|c| json!(c))
            }
            Self::Texts => match value {
                Value::Array(all) => {
                    all.iter().map(|v| Self::Text.take(v)).collect::<Option<_>>().map(Value::Array)
                }
                one => Self::Text.take(one).map(|text| json!([text])),
            },
        }
    }
}

/// Parses a whole number: `12`, `12.0`, `"12"`, `"#12"`.
fn whole(value: &Value) -> Option<i128> {
    match value {
        Value::Number(number) => match number.as_i128() {
            Some(number) => Some(number),
            #[allow(clippy::cast_possible_truncation, reason = "it is whole and not larger than that")]
            None => number.as_f64().filter(|n| n.fract() == 0.0 && n.abs() < 9.0e15).map(|n| n as i128),
        },
        Value::String(text) => {
            let text = text.trim();
            text.strip_prefix('#').unwrap_or(text).parse().ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{FindDuplicates, GetThread, Search, Status, StoreNote};

    fn given<P: DeserializeOwned + JsonSchema + Any>(value: Value) -> Result<P> {
        let Value::Object(fields) = value else { panic!("{value}") };
        read("tool", fields)
    }

    fn refused<P: DeserializeOwned + JsonSchema + Any>(value: Value) -> String {
        match given::<P>(value.clone()) {
            Ok(_) => panic!("{value} was taken"),
            Err(error) => {
                assert_eq!(error.code(), precedent_core::Code::InvalidInput, "{error}");
                format!("{error}. {}", error.hint().unwrap())
            }
        }
    }

    #[test]
    fn numbers_and_truths_are_taken_as_texts_too() {
        for limit in [json!(12), json!("12"), json!(" 12 "), json!("#12"), json!(12.0)] {
            let search = given::<Search>(json!({"query": "x", "limit": limit})).unwrap();
            assert_eq!((search.limit, search.offset), (12, 0), "{limit}");
        }
        let find =
            given::<FindDuplicates>(json!({"number": 5, "threshold": "0.25", "include_closed": "true"}));
        let find = find.unwrap();
        assert_eq!((find.number.as_deref(), find.include_closed), (Some("5"), true));
        assert!((find.threshold - 0.25).abs() < 1e-6);
        assert_eq!(given::<FindDuplicates>(json!({"number": "#5"})).unwrap().number.as_deref(), Some("#5"));
        assert_eq!(given::<GetThread>(json!({"key": 12})).unwrap().key, "12");
        let note = json!({"kind": "Lesson", "title": "t", "body": "b", "tags": "one", "attach": [3]});
        let note = given::<StoreNote>(note).unwrap();
        assert_eq!((note.tags, note.attach), (vec!["one".to_owned()], vec!["3".to_owned()]));
    }

    #[test]
    fn null_is_as_if_left_out() {
        let search = given::<Search>(json!({"query": "x", "limit": null})).unwrap();
        assert_eq!(search.limit, 10);
        assert!(refused::<Search>(json!({"query": null})).contains("requires query"));
    }

    #[test]
    fn a_refusal_names_the_parameter_what_is_wrong_and_what_is_allowed() {
        for (value, says) in [
            (json!({"query": "x", "limit": -1}), "limit must be a whole number from 1 to 100, not -1"),
            (json!({"query": "x", "limit": "ten"}), "not \"ten\""),
            (json!({"query": "x", "limit": 2.5}), "not 2.5"),
            (json!({"query": "x", "limit": 1e30}), "not 1e+30"),
            (json!({"query": "x", "max_chars": 5}), "max_chars must be a whole number from 1000 to 200000"),
            (json!({"query": ["x"]}), "query must be a string"),
            (json!({}), "requires query. Words,"),
            (
                json!({"query": "x", "ofset": 2}),
                "no parameter \"ofset\". Did you mean offset? Its parameters: ",
            ),
        ] {
            let said = refused::<Search>(value.clone());
            assert!(said.contains(says), "{value}: {said}");
            for rust in ["u64", "usize", "invalid type", "expected", "`"] {
                assert!(!said.contains(rust), "{value}: {said}");
            }
        }
        let said = refused::<StoreNote>(json!({"kind": "fix", "title": "t", "body": "b"}));
        assert!(said.contains("kind must be one of lesson, curiosity, "), "{said}");
        assert!(refused::<FindDuplicates>(json!({"include_closed": 1})).contains("true or false"));
        assert!(refused::<FindDuplicates>(json!({"threshold": 1.5})).contains("a number from 0 to 1"));
        assert!(refused::<Status>(json!({"verbose": true})).contains("Its parameters: max_chars."));
    }

    #[test]
    fn a_long_wrong_value_is_not_repeated_whole() {
        let said = refused::<Search>(json!({"query": "x", "limit": "9".repeat(10_000)}));
        assert!(said.len() < 300, "{said}");
    }
}
