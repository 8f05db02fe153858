//! Arguments of a tool call, parsed with errors that name the argument and the allowed values.

use std::{any::Any, borrow::Cow, cell::RefCell};

use precedent_core::{Error, Result};
use rmcp::{
    ErrorData,
    handler::server::{
        common::{FromContextPart, schema_for_input},
        tool::ToolCallContext,
    },
    model::JsonObject,
};
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{
    Deserialize, Deserializer,
    de::{DeserializeOwned, value::MapDeserializer},
};
use serde_json::Value;

use super::markdown::shorten;

/// The maximum length of an invalid value in an error, in characters.
const MAX_VALUE: usize = 60;

/// The arguments of a call, or the error in them. The schema is that of `P`.
#[derive(Debug)]
pub struct Parameters<P>(pub Result<P>);

impl<P: JsonSchema> JsonSchema for Parameters<P> {
    fn schema_name() -> Cow<'static, str> {
        P::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        P::json_schema(generator)
    }
}

/// The conversion never fails: an error becomes the tool's own reply, with a hint, instead of a
/// protocol error.
impl<S, P: DeserializeOwned + JsonSchema + Any> FromContextPart<ToolCallContext<'_, S>>
    for Parameters<P>
{
    fn from_context_part(
        context: &mut ToolCallContext<'_, S>,
    ) -> std::result::Result<Self, ErrorData> {
        let arguments = context.arguments.take().unwrap_or_default();
        Ok(Self(parse(context.name(), arguments)))
    }
}

fn parse<P: DeserializeOwned + JsonSchema + Any>(
    tool: &str,
    mut arguments: JsonObject,
) -> Result<P> {
    // Clients send null for omitted arguments.
    arguments.retain(|_, value| !value.is_null());
    // The last argument read before an error is the invalid one.
    let last_name = RefCell::new(String::new());
    let fields = arguments.into_iter().inspect(|(name, _)| last_name.borrow_mut().clone_from(name));
    P::deserialize(MapDeserializer::new(fields)).map_err(|error: serde_json::Error| {
        let message = error.to_string().replace(" field `", " argument `");
        let last_name = last_name.borrow();
        let missing_name =
            message.strip_prefix("missing argument `").and_then(|m| m.split('`').next());
        let hint = argument_hint::<P>(missing_name.unwrap_or(&last_name));
        let message = match missing_name.is_some() || message.starts_with("unknown argument") {
            true => format!("{tool}: {message}"),
            false => format!("{tool}: {last_name}: {message}"),
        };
        Error::invalid(shorten(&message, 400)).with_hint(hint)
    })
}

/// Returns the description of an argument, or the names of all arguments if it is unknown.
fn argument_hint<P: JsonSchema + Any>(name: &str) -> String {
    let schema = schema_for_input::<P>().unwrap_or_default();
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return "Call it without arguments.".to_owned();
    };
    match properties.get(name).and_then(|property| property["description"].as_str()) {
        Some(description) => format!("{name}: {}", description.replace('\n', " ")),
        None => {
            let names: Vec<&str> = properties.keys().map(String::as_str).collect();
            format!("Its arguments: {}.", names.join(", "))
        }
    }
}

/// Returns the error for a value of the wrong type or range.
fn invalid_value<E: serde::de::Error>(value: &Value, requirement: &str) -> E {
    E::custom(format!("expected {requirement}, not {}", shorten(&value.to_string(), MAX_VALUE)))
}

/// An integer with its bounds and its default. Clients may also send it as a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoundedInt<const MIN: usize, const MAX: usize, const DEFAULT: usize>(pub usize);

impl<const MIN: usize, const MAX: usize, const DEFAULT: usize> Default
    for BoundedInt<MIN, MAX, DEFAULT>
{
    fn default() -> Self {
        Self(DEFAULT)
    }
}

impl<'de, const MIN: usize, const MAX: usize, const DEFAULT: usize> Deserialize<'de>
    for BoundedInt<MIN, MAX, DEFAULT>
{
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        let value = Value::deserialize(deserializer)?;
        let number = match &value {
            Value::String(text) => text.trim().parse().ok(),
            value => value.to_string().trim_end_matches(".0").parse().ok(),
        };
        let number = number.filter(|number| (MIN..=MAX).contains(number));
        number
            .map(Self)
            .ok_or_else(|| invalid_value(&value, &format!("a whole number from {MIN} to {MAX}")))
    }
}

impl<const MIN: usize, const MAX: usize, const DEFAULT: usize> JsonSchema
    for BoundedInt<MIN, MAX, DEFAULT>
{
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "BoundedInt".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "integer", "minimum": MIN, "maximum": MAX, "default": DEFAULT})
    }
}

/// The key of a document. Clients may also send a bare number.
#[derive(Clone, Debug, Default, PartialEq, Eq, JsonSchema)]
#[schemars(inline)]
pub struct Key(pub String);

impl Key {
    /// Returns the key unless it is blank; clients send an empty string for omitted arguments.
    pub fn non_blank(&self) -> Option<&str> {
        Some(self.0.trim()).filter(|key| !key.is_empty())
    }

    /// Returns the key as an owned string unless it is blank.
    pub fn to_option(&self) -> Option<String> {
        self.non_blank().map(str::to_owned)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        match Value::deserialize(deserializer)? {
            Value::String(text) => Ok(Self(text)),
            Value::Number(number) => Ok(Self(number.to_string())),
            value => Err(invalid_value(&value, "a key (owner/name#12)")),
        }
    }
}

/// Deserializes a number from 0 to 1.
pub fn deserialize_share<'de, D: Deserializer<'de>>(
    deserializer: D,
) -> std::result::Result<f32, D::Error> {
    let value = Value::deserialize(deserializer)?;
    #[allow(clippy::cast_possible_truncation, reason = "a threshold needs no more digits")]
    let number =
        value.as_f64().map(|number| number as f32).filter(|number| (0.0..=1.0).contains(number));
    number.ok_or_else(|| invalid_value(&value, "a number from 0 to 1"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::parameters::{AddNote, FindDuplicates, ReadThread, SearchIssues, Status};

    fn parse_args<P: DeserializeOwned + JsonSchema + Any>(value: Value) -> Result<P> {
        let Value::Object(fields) = value else { panic!("{value}") };
        parse("tool", fields)
    }

    fn error_text<P: DeserializeOwned + JsonSchema + Any>(value: Value) -> String {
        let Err(error) = parse_args::<P>(value.clone()) else { panic!("{value} was accepted") };
        assert_eq!(error.code(), precedent_core::Code::InvalidInput, "{error}");
        format!("{error}. {}", error.hint().unwrap())
    }

    #[test]
    fn number_may_be_text_and_null_is_omitted() {
        for limit in [json!(12), json!("12"), json!(" 12 "), json!(12.0)] {
            let search = parse_args::<SearchIssues>(json!({"query": "x", "limit": limit})).unwrap();
            assert_eq!((search.limit.0, search.offset.0), (12, 0), "{limit}");
        }
        assert_eq!(
            parse_args::<SearchIssues>(json!({"query": "x", "limit": null})).unwrap().limit.0,
            10
        );
        assert_eq!(
            parse_args::<FindDuplicates>(json!({"number": 5})).unwrap().number.non_blank(),
            Some("5")
        );
        assert_eq!(
            parse_args::<ReadThread>(json!({"key": 12})).unwrap().key.non_blank(),
            Some("12")
        );
        assert!(parse_args::<FindDuplicates>(json!({"title": "x"})).unwrap().include_closed);
    }

    #[test]
    fn error_names_the_argument_and_allowed_values() {
        for (value, message) in [
            (
                json!({"query": "x", "limit": -1}),
                "limit: expected a whole number from 1 to 100, not -1",
            ),
            (json!({"query": "x", "limit": "ten"}), "not \"ten\". limit: "),
            (json!({"query": "x", "limit": 2.5}), "not 2.5"),
            (json!({"query": "x", "limit": 1e30}), "not 1e+30"),
            (json!({"query": "x", "max_chars": 5}), "a whole number from 1000 to 200000"),
            (
                json!({"query": ["x"]}),
                "query: invalid type: sequence, expected a string. query: Words,",
            ),
            (json!({"limit": 3, "query": null}), "missing argument `query`. query: Words,"),
            (
                json!({"query": "x", "ofset": 2}),
                "unknown argument `ofset`, expected one of `query`, `limit`",
            ),
        ] {
            let error = error_text::<SearchIssues>(value.clone());
            assert!(error.contains(message), "{value}: {error}");
            for rust in ["u64", "usize", "f32"] {
                assert!(!error.contains(rust), "{value}: {error}");
            }
        }
        let error = error_text::<AddNote>(json!({"kind": "fix", "title": "t", "body": "b"}));
        assert!(
            error.contains("kind: unknown variant `fix`, expected one of `lesson`, "),
            "{error}"
        );
        assert!(
            error_text::<FindDuplicates>(json!({"include_closed": 1}))
                .contains("expected a boolean")
        );
        assert!(
            error_text::<FindDuplicates>(json!({"threshold": 1.5}))
                .contains("a number from 0 to 1")
        );
        assert!(
            error_text::<Status>(json!({"verbose": true})).contains("unknown argument `verbose`")
        );
    }

    #[test]
    fn long_invalid_value_is_shortened() {
        for value in [
            json!({"query": "x", "limit": "9".repeat(10_000)}),
            json!({"query": "x", "y".repeat(9_000): 1}),
        ] {
            let error = error_text::<SearchIssues>(value);
            assert!(error.len() < 900, "{error}");
        }
    }
}
