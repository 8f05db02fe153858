//! GraphQL for fake trackers: queries are validated against the tracker's published schema, and a
//! response has exactly the requested fields.

use std::collections::{BTreeMap, HashMap};

use graphql_parser::{
    query::{
        Definition, Field, OperationDefinition, Selection, SelectionSet, TypeCondition, parse_query,
    },
    schema::{self, Document, EnumType, InputObjectType, Type, TypeDefinition, parse_schema},
};
use serde_json::{Map, Value, json};

type Text = String;

/// The types of a schema.
pub struct Schema {
    fields: HashMap<String, HashMap<String, schema::Field<'static, Text>>>,
    inputs: HashMap<String, InputObjectType<'static, Text>>,
    enums: HashMap<String, EnumType<'static, Text>>,
}

/// The errors of a query and its response.
type Errors = Vec<String>;

impl Schema {
    pub fn parse(text: &str) -> Self {
        let document: Document<'static, Text> = parse_schema::<Text>(text).unwrap().into_static();
        let mut out =
            Self { fields: HashMap::new(), inputs: HashMap::new(), enums: HashMap::new() };
        for definition in document.definitions {
            let schema::Definition::TypeDefinition(definition) = definition else { continue };
            let (name, fields) = match definition {
                TypeDefinition::Object(object) => (object.name, object.fields),
                TypeDefinition::Interface(interface) => (interface.name, interface.fields),
                TypeDefinition::InputObject(input) => {
                    out.inputs.insert(input.name.clone(), input);
                    continue;
                }
                TypeDefinition::Enum(words) => {
                    out.enums.insert(words.name.clone(), words);
                    continue;
                }
                _ => continue,
            };
            out.fields.insert(name, fields.into_iter().map(|f| (f.name.clone(), f)).collect());
        }
        out
    }

    /// Returns the response to a query, selected from an object with at least the requested fields.
    /// The caller handles arguments that select the object.
    pub fn answer(&self, query: &str, variables: &Value, data: &Value) -> Result<Value, Errors> {
        let document = parse_query::<Text>(query).map_err(|e| vec![e.to_string()])?.into_static();
        let mut fragments = BTreeMap::new();
        let mut operation = None;
        for definition in document.definitions {
            match definition {
                Definition::Fragment(fragment) => {
                    drop(fragments.insert(fragment.name.clone(), fragment))
                }
                Definition::Operation(OperationDefinition::Query(query)) => {
                    operation = Some((query.variable_definitions, query.selection_set));
                }
                Definition::Operation(OperationDefinition::SelectionSet(selections)) => {
                    operation = Some((Vec::new(), selections));
                }
                Definition::Operation(_) => return Err(vec!["not a query".to_owned()]),
            }
        }
        let (variable_definitions, selections) =
            operation.ok_or_else(|| vec!["no operation".to_owned()])?;
        let mut errors = Vec::new();
        for variable in &variable_definitions {
            let is_given = variables.get(&variable.name).is_some_and(|v| !v.is_null());
            if matches!(variable.var_type, Type::NonNullType(_))
                && !is_given
                && variable.default_value.is_none()
            {
                errors.push(format!("${} is missing", variable.name));
            }
        }
        for name in variables.as_object().into_iter().flat_map(Map::keys) {
            if !variable_definitions.iter().any(|v| v.name == *name) {
                errors.push(format!("${name} is not declared"));
            }
        }
        let mut selector = Selector { schema: self, fragments, errors };
        let mut out = Map::new();
        selector.select(&selections, "Query", data, &mut out);
        if selector.errors.is_empty() { Ok(json!({"data": out})) } else { Err(selector.errors) }
    }
}

/// Selects the fields of a response, and collects errors.
struct Selector<'a> {
    schema: &'a Schema,
    fragments: BTreeMap<String, graphql_parser::query::FragmentDefinition<'static, Text>>,
    errors: Errors,
}

fn name_of<'t>(kind: &'t Type<'static, Text>) -> &'t str {
    match kind {
        Type::NamedType(name) => name,
        Type::ListType(inner) | Type::NonNullType(inner) => name_of(inner),
    }
}

impl Selector<'_> {
    fn select(
        &mut self,
        selections: &SelectionSet<'static, Text>,
        kind: &str,
        data: &Value,
        out: &mut Map<String, Value>,
    ) {
        for selection in &selections.items {
            match selection {
                Selection::Field(field) => self.select_field(field, kind, data, out),
                Selection::FragmentSpread(spread) => {
                    match self.fragments.get(&spread.fragment_name).cloned() {
                        Some(fragment) => {
                            let TypeCondition::On(condition) = &fragment.type_condition;
                            self.select_if(condition, &fragment.selection_set, kind, data, out);
                        }
                        None => self.errors.push(format!("no fragment {}", spread.fragment_name)),
                    }
                }
                Selection::InlineFragment(inline) => {
                    let condition = match &inline.type_condition {
                        Some(TypeCondition::On(condition)) => condition.clone(),
                        None => kind.to_owned(),
                    };
                    self.select_if(&condition, &inline.selection_set, kind, data, out);
                }
            }
        }
    }

    fn select_if(
        &mut self,
        condition: &str,
        selections: &SelectionSet<'static, Text>,
        kind: &str,
        data: &Value,
        out: &mut Map<String, Value>,
    ) {
        if !self.schema.fields.contains_key(condition) {
            self.errors.push(format!("no type {condition}"));
        } else if condition == kind
            || data.get("__typename").and_then(Value::as_str) == Some(condition)
        {
            self.select(selections, condition, data, out);
        }
    }

    fn select_field(
        &mut self,
        field: &Field<'static, Text>,
        kind: &str,
        data: &Value,
        out: &mut Map<String, Value>,
    ) {
        let key = field.alias.as_ref().unwrap_or(&field.name).clone();
        if field.name == "__typename" {
            out.insert(key, data.get("__typename").cloned().unwrap_or_else(|| kind.into()));
            return;
        }
        let Some(definition) =
            self.schema.fields.get(kind).and_then(|fields| fields.get(&field.name)).cloned()
        else {
            self.errors.push(format!("{kind} has no field {}", field.name));
            return;
        };
        for (name, value) in &field.arguments {
            match definition.arguments.iter().find(|a| a.name == *name) {
                Some(argument) => self.check_argument(name_of(&argument.value_type), value),
                None => self.errors.push(format!("{kind}.{} takes no {name}", field.name)),
            }
        }
        for argument in &definition.arguments {
            let is_given = field.arguments.iter().any(|(name, _)| *name == argument.name);
            if matches!(argument.value_type, Type::NonNullType(_))
                && argument.default_value.is_none()
                && !is_given
            {
                self.errors.push(format!("{kind}.{} requires {}", field.name, argument.name));
            }
        }
        let Some(value) = data.get(&key) else {
            self.errors.push(format!("the fake {kind} has no {key}"));
            return;
        };
        let value = self.select_value(field, &definition.field_type, value);
        out.insert(key, value);
    }

    fn select_value(
        &mut self,
        field: &Field<'static, Text>,
        kind: &Type<'static, Text>,
        value: &Value,
    ) -> Value {
        match kind {
            Type::NonNullType(inner) => {
                if value.is_null() {
                    self.errors.push(format!("{} must not be null", field.name));
                }
                self.select_value(field, inner, value)
            }
            _ if value.is_null() => Value::Null,
            Type::ListType(inner) => match value.as_array() {
                Some(values) => values.iter().map(|v| self.select_value(field, inner, v)).collect(),
                None => {
                    self.errors.push(format!("{} must be a list", field.name));
                    Value::Null
                }
            },
            Type::NamedType(name) if self.schema.fields.contains_key(name) => {
                if field.selection_set.items.is_empty() {
                    self.errors.push(format!("{} is an object without a selection", field.name));
                }
                let mut out = Map::new();
                self.select(&field.selection_set, name, value, &mut out);
                Value::Object(out)
            }
            Type::NamedType(name) => {
                let is_valid = match name.as_str() {
                    "Int" => value.is_i64(),
                    "Float" => value.is_number(),
                    "Boolean" => value.is_boolean(),
                    // Tests use values that no schema contains.
                    _ => value.is_string() || value.is_object(),
                };
                if !is_valid {
                    self.errors.push(format!("{} is not {name}: {value}", field.name));
                }
                value.clone()
            }
        }
    }

    fn check_argument(&mut self, kind: &str, value: &graphql_parser::query::Value<'static, Text>) {
        use graphql_parser::query::Value as V;
        match value {
            V::Enum(word) => match self.schema.enums.get(kind) {
                Some(words) if words.values.iter().any(|v| v.name == *word) => {}
                _ => self.errors.push(format!("{kind} has no {word}")),
            },
            V::Object(fields) => {
                let Some(input) = self.schema.inputs.get(kind).cloned() else {
                    self.errors.push(format!("{kind} is not an object"));
                    return;
                };
                for (name, value) in fields {
                    match input.fields.iter().find(|f| f.name == *name) {
                        Some(field) => self.check_argument(name_of(&field.value_type), value),
                        None => self.errors.push(format!("{kind} has no {name}")),
                    }
                }
            }
            V::List(items) => items.iter().for_each(|v| self.check_argument(kind, v)),
            _ => {}
        }
    }
}

#[test]
fn query_outside_the_schema_is_rejected() {
    let schema = Schema::parse(
        "type Query { pump(number: Int!, by: By): Pump } type Pump { name: String! valves: [Valve!]! } \
         type Valve { open: Boolean } enum By { AGE }",
    );
    let data =
        json!({"pump": {"name": "P1", "valves": [{"open": true}, {"open": null}], "secret": 1}});
    let ask = |query: &str| schema.answer(query, &json!({}), &data);
    assert_eq!(
        ask("{ pump(number: 1, by: AGE) { name valves { ...v } } } fragment v on Valve { open }")
            .unwrap(),
        json!({"data": {"pump": {"name": "P1", "valves": [{"open": true}, {"open": null}]}}})
    );
    for (query, error) in [
        ("{ pump { name } }", "requires number"),
        ("{ pump(number: 1, by: SIZE) { name } }", "By has no SIZE"),
        ("{ pump(number: 1, at: 2) { name } }", "takes no at"),
        ("{ pump(number: 1) { secret } }", "no field secret"),
        ("{ pump(number: 1) }", "is an object"),
        ("query($n: Int!) { pump(number: $n) { name } }", "$n is missing"),
        ("{ pump(number: 1) { ...gone } }", "no fragment gone"),
    ] {
        let problems = ask(query).unwrap_err();
        assert!(problems.iter().any(|w| w.contains(error)), "{query}: {problems:?}");
    }
}
