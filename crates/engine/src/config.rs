//! Typed settings: their keys, their valid values, and the TOML file that stores them.
//!
//! The caller reads the file and the environment variables, and passes in their text.

use std::{ops::Range, path::PathBuf};

use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

use precedent_core::{
    error::{Error, Result},
    model::{TroubleshootSettings, limits},
};
use precedent_text::similar;

/// The color mode of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// Color if the output is a terminal.
    #[default]
    Auto,
    /// Color in any output.
    Always,
    /// No color.
    Never,
}

impl Color {
    /// Returns the name in settings and arguments.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// Parses the name in settings and arguments.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Auto, Self::Always, Self::Never].into_iter().find(|c| c.as_str() == text)
    }
}

/// The user's settings.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The casebook folder; `None` for the one in the user's data folder.
    pub casebook: Option<PathBuf>,
    /// The source that bare numbers refer to, if there are several sources.
    pub source: Option<String>,
    /// The color mode; `None` to derive it from the environment.
    pub color: Option<Color>,
    /// The number of embedding threads, 1..=64; `None` for the default of this machine.
    pub threads: Option<usize>,
    /// The maximum number of search results.
    pub search_limit: usize,
    /// The minimum score of duplicate candidates, 0..1.
    pub duplicates_threshold: f32,
    /// The maximum number of duplicate candidates.
    pub duplicates_max_candidates: usize,
    /// The maximum number of triage reports.
    pub triage_limit: usize,
    /// The settings for troubleshooting.
    pub troubleshooting: TroubleshootSettings,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            casebook: None,
            source: None,
            color: None,
            threads: None,
            search_limit: 10,
            duplicates_threshold: 0.4,
            duplicates_max_candidates: 10,
            triage_limit: 20,
            troubleshooting: TroubleshootSettings::default(),
        }
    }
}

/// The type of a setting's value. Its display form is a description: `a number from 0 to 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ValueType {
    /// A string with this description.
    Text(&'static str),
    /// A whole number from the first to the second limit.
    Integer(usize, usize),
    /// A number from 0 to 1.
    Fraction,
    /// A boolean.
    Boolean,
}

impl std::fmt::Display for ValueType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(description) => f.write_str(description),
            Self::Integer(min, max) => write!(f, "a whole number from {min} to {max}"),
            Self::Fraction => f.write_str("a number from 0 to 1"),
            Self::Boolean => f.write_str("true or false"),
        }
    }
}

/// The definition of a setting.
#[derive(Debug)]
pub struct Key {
    /// The name: `duplicates.threshold`.
    pub name: &'static str,
    /// A one-line description.
    pub about: &'static str,
    /// The type of its value.
    pub value_type: ValueType,
    /// Parses a string that fits the type and sets the value; returns `None` if it is invalid.
    parse: fn(&mut Settings, &str) -> Option<()>,
    write: fn(&Settings) -> Option<String>,
}

/// All settings, in the order in which they are listed.
pub const KEYS: &[Key] = &[
    Key {
        name: "casebook",
        about: "casebook folder",
        value_type: ValueType::Text("an absolute path"),
        parse: |s, text| {
            let path = PathBuf::from(text);
            path.is_absolute().then(|| s.casebook = Some(path))
        },
        write: |s| s.casebook.as_ref().map(|p| p.display().to_string()),
    },
    Key {
        name: "source",
        about: "source that bare numbers refer to",
        value_type: ValueType::Text("a source: owner/name"),
        parse: |s, text| {
            let is_source =
                text.contains('/') && !text.contains(char::is_whitespace) && !text.contains('#');
            is_source.then(|| s.source = Some(text.to_owned()))
        },
        write: |s| s.source.clone(),
    },
    Key {
        name: "color",
        about: "when to color the output",
        value_type: ValueType::Text("auto, always or never"),
        parse: |s, text| Color::parse(text).map(|c| s.color = Some(c)),
        write: |s| s.color.map(|c| c.as_str().to_owned()),
    },
    Key {
        name: "threads",
        about: "threads for computing vectors",
        value_type: ValueType::Integer(1, 64),
        parse: |s, text| text.parse().ok().map(|n| s.threads = Some(n)),
        write: |s| s.threads.map(|n| n.to_string()),
    },
    Key {
        name: "search.limit",
        about: "maximum number of search results",
        value_type: ValueType::Integer(1, limits::SEARCH),
        parse: |s, text| text.parse().ok().map(|n| s.search_limit = n),
        write: |s| Some(s.search_limit.to_string()),
    },
    Key {
        name: "duplicates.threshold",
        about: "minimum similarity of a candidate",
        value_type: ValueType::Fraction,
        parse: |s, text| text.parse().ok().map(|n| s.duplicates_threshold = n),
        write: |s| Some(s.duplicates_threshold.to_string()),
    },
    Key {
        name: "duplicates.max_candidates",
        about: "maximum number of duplicate candidates",
        value_type: ValueType::Integer(1, limits::CANDIDATES),
        parse: |s, text| text.parse().ok().map(|n| s.duplicates_max_candidates = n),
        write: |s| Some(s.duplicates_max_candidates.to_string()),
    },
    Key {
        name: "triage.limit",
        about: "maximum number of reports in the queue",
        value_type: ValueType::Integer(1, limits::TRIAGE),
        parse: |s, text| text.parse().ok().map(|n| s.triage_limit = n),
        write: |s| Some(s.triage_limit.to_string()),
    },
    Key {
        name: "troubleshooting.enabled",
        about: "whether to search for solved cases",
        value_type: ValueType::Boolean,
        parse: |s, text| text.parse().ok().map(|t| s.troubleshooting.enabled = t),
        write: |s| Some(s.troubleshooting.enabled.to_string()),
    },
    Key {
        name: "troubleshooting.similarity_threshold",
        about: "minimum semantic similarity of a solved case",
        value_type: ValueType::Fraction,
        parse: |s, text| {
            text.parse().ok().map(|n| s.troubleshooting.similarity_threshold = Some(n))
        },
        write: |s| s.troubleshooting.similarity_threshold.map(|n| n.to_string()),
    },
    Key {
        name: "troubleshooting.max_results",
        about: "maximum number of solved cases",
        value_type: ValueType::Integer(limits::CASES.0, limits::CASES.1),
        parse: |s, text| text.parse().ok().map(|n| s.troubleshooting.max_results = n),
        write: |s| Some(s.troubleshooting.max_results.to_string()),
    },
    Key {
        name: "troubleshooting.total_budget_chars",
        about: "maximum total length of all threads, in characters",
        value_type: ValueType::Integer(limits::BUDGET.0, limits::BUDGET.1),
        parse: |s, text| text.parse().ok().map(|n| s.troubleshooting.total_budget_chars = n),
        write: |s| Some(s.troubleshooting.total_budget_chars.to_string()),
    },
];

/// Returns the setting with this name. If there is none, the error suggests the closest name.
pub fn key(name: &str) -> Result<&'static Key> {
    KEYS.iter().find(|k| k.name == name).ok_or_else(|| {
        let hint = similar::closest_name(name, KEYS.iter().map(|k| k.name)).map_or_else(
            || "See the list of all settings.".to_owned(),
            |key| format!("Did you mean {key}? Otherwise, see the list of all settings."),
        );
        Error::invalid(format!("unknown setting \"{name}\""))
            .with_hint(hint)
            .with_command(None, "precedent config list")
    })
}

impl Key {
    /// Returns the environment variable that overrides the file: `PRECEDENT_SEARCH_LIMIT`.
    pub fn variable(&self) -> String {
        format!("PRECEDENT_{}", self.name.to_uppercase().replace('.', "_"))
    }

    /// Returns the setting's value as text, or `None` if it is unset and has no default.
    pub fn value_text(&self, settings: &Settings) -> Option<String> {
        (self.write)(settings)
    }

    /// Parses and sets the value.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<()> {
        let text = text.trim();
        let fits_type = match self.value_type {
            ValueType::Integer(min, max) => {
                text.parse().is_ok_and(|n: usize| (min..=max).contains(&n))
            }
            ValueType::Fraction => text.parse().is_ok_and(|n: f32| (0.0..=1.0).contains(&n)),
            ValueType::Text(_) | ValueType::Boolean => true,
        };
        fits_type.then(|| (self.parse)(settings, text)).flatten().ok_or_else(|| {
            Error::invalid(format!("invalid value \"{text}\" for {}", self.name))
                .with_hint(format!("It must be {}.", self.value_type))
        })
    }
}

/// A settings file. Changes keep its comments and order.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    document: DocumentMut,
}

impl ConfigFile {
    /// Parses a file, in which every key must be known and every value valid. The error names the
    /// position of the first problem.
    pub fn parse(text: &str) -> Result<Self> {
        let (file, error) = Self::salvage(text);
        error.map_or(Ok(file), Err)
    }

    /// Parses the valid settings of a file, and returns the first problem with its position. A file
    /// that is not TOML has no valid settings.
    pub fn salvage(text: &str) -> (Self, Option<Error>) {
        let document = match Document::parse(text.to_owned()) {
            Ok(document) => document,
            Err(e) => {
                let position = position(text, e.span());
                let message = e.message().trim().replace('\n', ", ");
                let error = Error::invalid(format!("{position}: not valid TOML: {message}"))
                    .with_hint("Example of a line: duplicates.threshold = 0.5");
                return (Self::default(), Some(error));
            }
        };
        let mut first_error = None;
        for value in &flatten(document.as_table()) {
            if let Err(error) = value.apply(&mut Settings::default()) {
                first_error
                    .get_or_insert_with(|| error.context(position(text, value.span.clone())));
            }
        }
        (Self { document: document.into_mut() }, first_error)
    }

    /// Applies the file's valid settings.
    pub fn apply(&self, settings: &mut Settings) {
        // Ignore errors: they were reported when the file was parsed.
        flatten(self.document.as_table()).iter().for_each(|value| drop(value.apply(settings)));
    }

    /// Returns the value that the file sets for this key, as text.
    pub fn get(&self, key: &Key) -> Option<String> {
        let mut settings = Settings::default();
        let values = flatten(self.document.as_table());
        let value = values.iter().find(|value| value.name == key.name)?;
        value.apply(&mut settings).ok()?;
        key.value_text(&settings)
    }

    /// Sets a key.
    pub fn set(&mut self, key: &Key, text: &str) -> Result<()> {
        key.set(&mut Settings::default(), text)?;
        let text = text.trim();
        let invalid = || Error::invalid(format!("invalid value \"{text}\" for {}", key.name));
        let value = match key.value_type {
            ValueType::Text(_) => Value::from(text),
            ValueType::Fraction => Value::from(text.parse::<f64>().map_err(|_| invalid())?),
            ValueType::Integer(..) => Value::from(text.parse::<i64>().map_err(|_| invalid())?),
            ValueType::Boolean => Value::from(text.parse::<bool>().map_err(|_| invalid())?),
        };
        let (table_name, name) = key.name.split_once('.').unwrap_or(("", key.name));
        let table: &mut dyn TableLike = if table_name.is_empty() {
            self.document.as_table_mut()
        } else {
            self.document
                .entry(table_name)
                .or_insert_with(toml_edit::table)
                .as_table_like_mut()
                .ok_or_else(|| Error::invalid(format!("{table_name} in the file is not a table")))?
        };
        match table.get_mut(name).and_then(Item::as_value_mut) {
            // Keep a comment after the value.
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                table.insert(name, Item::Value(value));
            }
        }
        Ok(())
    }

    /// Removes a key. Returns whether it was set.
    pub fn unset(&mut self, key: &Key) -> bool {
        let (table_name, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if table_name.is_empty() {
            return self.document.remove(name).is_some();
        }
        let Some(table) = self.document.get_mut(table_name).and_then(Item::as_table_like_mut)
        else {
            return false;
        };
        let was_set = table.remove(name).is_some();
        if was_set && table.is_empty() {
            self.document.remove(table_name);
        }
        was_set
    }
}

impl std::fmt::Display for ConfigFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.document.fmt(f)
    }
}

/// A value in a file, with its full name.
struct FileValue {
    name: String,
    value: Option<Value>,
    /// The byte range of the key in the file.
    span: Option<Range<usize>>,
}

impl FileValue {
    fn apply(&self, settings: &mut Settings) -> Result<()> {
        let text = match &self.value {
            Some(Value::String(text)) => text.value().clone(),
            Some(Value::Integer(n)) => n.value().to_string(),
            Some(Value::Float(n)) => n.value().to_string(),
            Some(Value::Boolean(value)) => value.value().to_string(),
            _ => String::new(),
        };
        key(&self.name)?.set(settings, &text)
    }
}

/// Returns the values of a table and its subtables.
fn flatten(table: &dyn TableLike) -> Vec<FileValue> {
    let mut values = Vec::new();
    for (key, item) in table.iter() {
        let span = table.key(key).and_then(toml_edit::Key::span).or_else(|| item.span());
        let Some(inner) = item.as_table_like() else {
            values.push(FileValue { name: key.to_owned(), value: item.as_value().cloned(), span });
            continue;
        };
        values.extend(flatten(inner).into_iter().map(|value| FileValue {
            name: format!("{key}.{}", value.name),
            span: value.span.or(span.clone()),
            ..value
        }));
    }
    values
}

/// Returns the line and column of the start of a range, as editors count them.
fn position(text: &str, span: Option<Range<usize>>) -> String {
    let prefix = span.and_then(|span| text.get(..span.start)).unwrap_or_default();
    let line = prefix.matches('\n').count() + 1;
    let column = prefix.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edits_keep_comments_and_order() {
        let text =
            "# mine\nsource = \"acme/app\" # the one\n\n[duplicates]\nthreshold = 0.5 # strict\n";
        let mut file = ConfigFile::parse(text).unwrap();
        let mut settings = Settings::default();
        file.apply(&mut settings);
        assert_eq!(
            (settings.source.as_deref(), settings.duplicates_threshold),
            (Some("acme/app"), 0.5)
        );
        assert_eq!(settings.search_limit, 10);
        file.set(key("duplicates.threshold").unwrap(), "0.7").unwrap();
        file.set(key("troubleshooting.enabled").unwrap(), "false").unwrap();
        assert!(file.unset(key("source").unwrap()) && !file.unset(key("source").unwrap()));
        let output = file.to_string();
        assert!(output.contains("threshold = 0.7 # strict"), "{output}");
        assert!(output.contains("[troubleshooting]\nenabled = false"), "{output}");
        let second = ConfigFile::parse(&output).unwrap();
        assert_eq!(second.get(key("duplicates.threshold").unwrap()).as_deref(), Some("0.7"));
        assert_eq!(second.get(key("source").unwrap()), None);
    }

    #[test]
    fn invalid_settings_are_named() {
        for (text, fragment) in [
            ("duplicates.treshold = 0.5", "duplicates.treshold"),
            ("duplicates.threshold = 1.5", "\"1.5\""),
            ("duplicates.threshold = [1]", "duplicates.threshold"),
            ("search.limit = \"many\"", "\"many\""),
            ("casebook = \"relative\"", "relative"),
            ("troubleshooting = 5", "\"troubleshooting\""),
            ("source =", "not valid TOML"),
        ] {
            let error = ConfigFile::parse(text).unwrap_err();
            let message = error.to_string();
            assert!(
                message.contains(fragment)
                    && message.contains("line 1, ")
                    && error.hint().is_some(),
                "{text}: {error}"
            );
        }
        assert!(
            key("duplicates.treshold")
                .unwrap_err()
                .hint()
                .unwrap()
                .text
                .contains("duplicates.threshold")
        );
    }

    #[test]
    fn salvage_locates_the_error_and_keeps_the_rest() {
        let text =
            "# mine\nsearch.limit = 7\n\n[duplicates]\n  treshold = 0.5\nmax_candidates = 5\n";
        let (file, error) = ConfigFile::salvage(text);
        let error = error.unwrap().to_string();
        assert!(error.starts_with("line 5, column 3: "), "{error}");
        let mut settings = Settings::default();
        file.apply(&mut settings);
        assert_eq!((settings.search_limit, settings.duplicates_max_candidates), (7, 5));
        let (file, error) = ConfigFile::salvage("search.limit = 7\nsource = \"acme/app\n");
        assert!(error.unwrap().to_string().starts_with("line 2, "));
        assert_eq!(file.get(key("search.limit").unwrap()), None, "invalid TOML sets nothing");
    }

    #[test]
    fn settings_have_the_limits_of_their_commands() {
        for (name, max) in [
            ("search.limit", limits::SEARCH),
            ("triage.limit", limits::TRIAGE),
            ("duplicates.max_candidates", limits::CANDIDATES),
            ("troubleshooting.max_results", limits::CASES.1),
            ("troubleshooting.total_budget_chars", limits::BUDGET.1),
        ] {
            let key = key(name).unwrap();
            let mut settings = Settings::default();
            key.set(&mut settings, &max.to_string()).unwrap();
            let error = key.set(&mut settings, &(max + 1).to_string()).unwrap_err();
            assert!(error.hint().unwrap().text.contains(&max.to_string()), "{error:?}");
        }
    }

    #[test]
    fn every_default_is_a_valid_value() {
        let defaults = Settings::default();
        for key in KEYS {
            let mut settings = defaults.clone();
            if let Some(value) = key.value_text(&defaults) {
                key.set(&mut settings, &value).unwrap();
                assert_eq!(settings, defaults, "{}", key.name);
                ConfigFile::default().set(key, &value).unwrap();
            }
        }
    }
}
