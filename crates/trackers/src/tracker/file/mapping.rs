//! Import settings: columns of fields, meanings of state words and the date order.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, PoisonError},
};

use super::{names::FIELDS, states::StateWords};
use crate::tracker::dates::Order;
use precedent_core::error::{Error, Result};

/// The import settings.
#[derive(Clone, Debug, Default)]
pub struct Mapping {
    /// Fields with their columns; an empty name leaves the field out.
    pub columns: Vec<(&'static str, String)>,
    /// Meanings of state words.
    pub words: StateWords,
    /// `true` if the user stated meanings of state words.
    pub has_state_words: bool,
    /// Order of day and month in dates.
    pub order: Option<Order>,
    people: Arc<Mutex<BTreeMap<String, String>>>,
}

fn readable_name(field: &str) -> &str {
    match field {
        "duplicates" => "duplicate_of",
        "duplicated" => "duplicated_by",
        "related" => "related_to",
        field => field,
    }
}

impl Mapping {
    /// Adds the name of a person with this id.
    pub fn add_person(&self, id: String, name: String) {
        self.people.lock().unwrap_or_else(PoisonError::into_inner).insert(id, name);
    }

    /// Returns the name of a person, or else the id.
    pub fn person_name(&self, id: &str) -> String {
        let people = self.people.lock().unwrap_or_else(PoisonError::into_inner);
        people.get(id).map_or(id, String::as_str).to_owned()
    }

    /// Parses settings: `title=Headline`, `state.closed=Done,Shipped`, `dates=dmy`.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] if there is no such field or order.
    pub fn parse(pairs: &[(String, String)]) -> Result<Self> {
        let mut out = Self::default();
        for (field, setting) in pairs {
            match field.to_lowercase().as_str() {
                name @ ("state.closed" | "state.open") => {
                    let words = setting.split(',').filter(|w| !w.trim().is_empty());
                    words.for_each(|word| out.words.set(word, name == "state.closed"));
                    out.has_state_words = true;
                }
                "dates" => {
                    out.order = Some(match setting.to_lowercase().as_str() {
                        "dmy" => Order::DayFirst,
                        "mdy" => Order::MonthFirst,
                        _ => {
                            return Err(Error::invalid(format!(
                                "unknown date order \"{setting}\""
                            ))
                            .with_hint("Use dmy (3/5 is 3 May) or mdy (3/5 is 5 March)."));
                        }
                    });
                }
                name => {
                    let is_named = |field: &&&str| **field == name || readable_name(field) == name;
                    let field = FIELDS.list.iter().find(is_named).ok_or_else(|| {
                        let names: Vec<_> = FIELDS.list.iter().map(|f| readable_name(f)).collect();
                        let names = names.join(", ");
                        Error::invalid(format!("unknown field \"{field}\"")).with_hint(format!(
                            "Available fields: {names}, state.closed, state.open, dates."
                        ))
                    })?;
                    out.columns.push((field, setting.clone()));
                }
            }
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relation_fields_have_clear_names() {
        let column = |field: &str| {
            Mapping::parse(&[(field.to_owned(), "Dup".to_owned())])
                .map(|mapping| mapping.columns[0].0)
        };
        assert_eq!(column("duplicate_of").unwrap(), column("duplicates").unwrap());
        assert_eq!(column("duplicated_by").unwrap(), column("duplicated").unwrap());
        let hint = column("severity").unwrap_err().hint().unwrap_or_default();
        assert!(hint.text.contains("duplicate_of, duplicated_by, related_to"), "{hint}");
    }
}
