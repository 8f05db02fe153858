//! Typed settings: their keys, their valid values, and the TOML file that stores them.
//!
//! The engine reads no environment and no home folder: the caller reads the file and the variables,
//! and passes their text.

use std::{ops::Range, path::PathBuf};

use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

use precedent_core::{
    error::{Error, Result},
    model::{TroubleshootSettings, limits},
};
use precedent_text::similar;

/// The colour mode of output.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// Colour on a terminal only.
    #[default]
    Auto,
    /// Colour everywhere.
    Always,
    /// No colour.
    Never,
}

impl Color {
    /// Returns the name in files and arguments.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// Parses the name that [`Color::as_str`] returns.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Auto, Self::Always, Self::Never].into_iter().find(|c| c.as_str() == text)
    }
}

/// The user's settings, which replace repeated command-line options.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The casebook's folder; `None` means the one in the user's data folder.
    pub casebook: Option<PathBuf>,
    /// The source that bare numbers refer to if there are several.
    pub source: Option<String>,
    /// The colour mode; `None` means the one that the environment implies.
    pub color: Option<Color>,
    /// Embedding threads, 1..=64; `None` means a default for this machine.
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

/// The type of a setting's value, which also determines its TOML form. Displays as words: `a number
/// from 0 to 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A text in the form that these words describe.
    Text(&'static str),
    /// A whole number between these two, inclusive.
    Whole(usize, usize),
    /// A number from 0 to 1.
    Share,
    /// A boolean.
    Truth,
}

impl std::fmt::Display for Holds {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(words) => f.write_str(words),
            Self::Whole(least, most) => write!(f, "a whole number from {least} to {most}"),
            Self::Share => f.write_str("a number from 0 to 1"),
            Self::Truth => f.write_str("true or false"),
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
    pub holds: Holds,
    /// The parser that stores a type-checked text; returns `None` if it is still invalid.
    parse: fn(&mut Settings, &str) -> Option<()>,
    write: fn(&Settings) -> Option<String>,
}

/// The settings, in the order in which they are listed.
pub const KEYS: &[Key] = &[
    Key {
        name: "casebook",
        about: "casebook folder",
        holds: Holds::Text("an absolute path"),
        parse: |s, text| {
            let path = PathBuf::from(text);
            path.is_absolute().then(|| s.casebook = Some(path))
        },
        write: |s| s.casebook.as_ref().map(|p| p.display().to_string()),
    },
    Key {
        name: "source",
        about: "source for bare numbers",
        holds: Holds::Text("a source: owner/name"),
        parse: |s, text| {
            let whole =
                text.contains('/') && !text.contains(char::is_whitespace) && !text.contains('#');
            whole.then(|| s.source = Some(text.to_owned()))
        },
        write: |s| s.source.clone(),
    },
    Key {
        name: "color",
        about: "when to color the output",
        holds: Holds::Text("auto, always or never"),
        parse: |s, text| Color::parse(text).map(|c| s.color = Some(c)),
        write: |s| s.color.map(|c| c.as_str().to_owned()),
    },
    Key {
        name: "threads",
        about: "threads for computing vectors",
        holds: Holds::Whole(1, 64),
        parse: |s, text| text.parse().ok().map(|n| s.threads = Some(n)),
        write: |s| s.threads.map(|n| n.to_string()),
    },
    Key {
        name: "search.limit",
        about: "maximum number of search results",
        holds: Holds::Whole(1, limits::SEARCH),
        parse: |s, text| text.parse().ok().map(|n| s.search_limit = n),
        write: |s| Some(s.search_limit.to_string()),
    },
    Key {
        name: "duplicates.threshold",
        about: "minimum similarity of a candidate",
        holds: Holds::Share,
        parse: |s, text| text.parse().ok().map(|n| s.duplicates_threshold = n),
        write: |s| Some(s.duplicates_threshold.to_string()),
    },
    Key {
        name: "duplicates.max_candidates",
        about: "maximum number of duplicate candidates",
        holds: Holds::Whole(1, limits::CANDIDATES),
        parse: |s, text| text.parse().ok().map(|n| s.duplicates_max_candidates = n),
        write: |s| Some(s.duplicates_max_candidates.to_string()),
    },
    Key {
        name: "triage.limit",
        about: "maximum number of reports in the queue",
        holds: Holds::Whole(1, limits::TRIAGE),
        parse: |s, text| text.parse().ok().map(|n| s.triage_limit = n),
        write: |s| Some(s.triage_limit.to_string()),
    },
    Key {
        name: "troubleshooting.enabled",
        about: "whether to search for solved cases",
        holds: Holds::Truth,
        parse: |s, text| text.parse().ok().map(|t| s.troubleshooting.enabled = t),
        write: |s| Some(s.troubleshooting.enabled.to_string()),
    },
    Key {
        name: "troubleshooting.similarity_threshold",
        about: "minimum similarity in meaning of a solved case",
        holds: Holds::Share,
        parse: |s, text| {
            text.parse().ok().map(|n| s.troubleshooting.similarity_threshold = Some(n))
        },
        write: |s| s.troubleshooting.similarity_threshold.map(|n| n.to_string()),
    },
    Key {
        name: "troubleshooting.max_results",
        about: "maximum number of solved cases",
        holds: Holds::Whole(limits::CASES.0, limits::CASES.1),
        parse: |s, text| text.parse().ok().map(|n| s.troubleshooting.max_results = n),
        write: |s| Some(s.troubleshooting.max_results.to_string()),
    },
    Key {
        name: "troubleshooting.total_budget_chars",
        about: "maximum total length of all threads, in characters",
        holds: Holds::Whole(limits::BUDGET.0, limits::BUDGET.1),
        parse: |s, text| text.parse().ok().map(|n| s.troubleshooting.total_budget_chars = n),
        write: |s| Some(s.troubleshooting.total_budget_chars.to_string()),
    },
];

/// Returns the setting with this name.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`] if there is none, with the closest name as a hint.
pub fn key(name: &str) -> Result<&'static Key> {
    KEYS.iter().find(|k| k.name == name).ok_or_else(|| {
        let hint = similar::closest_name(name, KEYS.iter().map(|k| k.name)).map_or_else(
            || "Run `precedent config list` to list all settings.".to_owned(),
            |key| format!("Did you mean {key}? Run `precedent config list` to list all settings."),
        );
        Error::invalid(format!("unknown setting \"{name}\"")).with_hint(hint)
    })
}

impl Key {
    /// Returns the environment variable that overrides the file: `PRECEDENT_DUPLICATES_THRESHOLD`.
    pub fn variable(&self) -> String {
        format!("PRECEDENT_{}", self.name.to_uppercase().replace('.', "_"))
    }

    /// Returns the setting's value as text, or `None` if it is unset and has no default.
    pub fn value_text(&self, settings: &Settings) -> Option<String> {
        (self.write)(settings)
    }

    /// Parses and sets the value.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] for an invalid value.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<()> {
        let text = text.trim();
        let can = match self.holds {
            Holds::Whole(least, most) => {
                text.parse().is_ok_and(|n: usize| (least..=most).contains(&n))
            }
            Holds::Share => text.parse().is_ok_and(|n: f32| (0.0..=1.0).contains(&n)),
            Holds::Text(_) | Holds::Truth => true,
        };
        can.then(|| (self.parse)(settings, text)).flatten().ok_or_else(|| {
            Error::invalid(format!("invalid value \"{text}\" for {}", self.name))
                .with_hint(format!("It must be {}.", self.holds))
        })
    }
}

/// The settings file, with its comments and its order preserved.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    document: DocumentMut,
}

impl ConfigFile {
    /// Parses the text of a file; every key must be known and every value valid.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] with the position of the first problem.
    pub fn parse(text: &str) -> Result<Self> {
        let (file, wrong) = Self::salvage(text);
        wrong.map_or(Ok(file), Err)
    }

    /// Parses as much of a file as possible, and returns the first problem with its position. A
    /// file that is not TOML sets nothing; otherwise all known keys with valid values are used.
    pub fn salvage(text: &str) -> (Self, Option<Error>) {
        let document = match Document::parse(text.to_owned()) {
            Ok(document) => document,
            Err(e) => {
                let place = place(text, e.span());
                let message = e.message().trim().replace('\n', ", ");
                let error = Error::invalid(format!("{place}: not valid TOML: {message}"))
                    .with_hint("Example of a line: duplicates.threshold = 0.5");
                return (Self::default(), Some(error));
            }
        };
        let mut wrong = None;
        let mut values = Vec::new();
        flatten("", document.as_table(), None, &mut values);
        for value in &values {
            if let Err(error) = value.apply(&mut Settings::default()) {
                wrong.get_or_insert_with(|| error.context(place(text, value.at.clone())));
            }
        }
        (Self { document: document.into_mut() }, wrong)
    }

    /// Applies the file's valid settings.
    pub fn apply(&self, settings: &mut Settings) {
        let mut values = Vec::new();
        flatten("", self.document.as_table(), None, &mut values);
        // Ignore the error: it was reported when the file was parsed.
        values.iter().for_each(|value| drop(value.apply(settings)));
    }

    /// Returns the value that the file itself sets for this key, as text.
    pub fn get(&self, key: &Key) -> Option<String> {
        let mut settings = Settings::default();
        let mut values = Vec::new();
        flatten("", self.document.as_table(), None, &mut values);
        let value = values.iter().find(|value| value.name == key.name)?;
        value.apply(&mut settings).ok()?;
        key.value_text(&settings)
    }

    /// Sets a key; comments and order are preserved.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] for a value that is invalid for the key.
    pub fn set(&mut self, key: &Key, text: &str) -> Result<()> {
        key.set(&mut Settings::default(), text)?;
        let text = text.trim();
        let wrong = || Error::invalid(format!("invalid value \"{text}\" for {}", key.name));
        let value = match key.holds {
            Holds::Text(_) => Value::from(text),
            Holds::Share => Value::from(text.parse::<f64>().map_err(|_| wrong())?),
            Holds::Whole(..) => Value::from(text.parse::<i64>().map_err(|_| wrong())?),
            Holds::Truth => Value::from(text.parse::<bool>().map_err(|_| wrong())?),
        };
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        let tables: &mut dyn TableLike = if table.is_empty() {
            self.document.as_table_mut()
        } else {
            self.document
                .entry(table)
                .or_insert_with(toml_edit::table)
                .as_table_like_mut()
                .ok_or_else(|| Error::invalid(format!("{table} in the file is not a table")))?
        };
        match tables.get_mut(name).and_then(Item::as_value_mut) {
            // Keep a comment after the value.
            Some(old) => {
                let decor = old.decor().clone();
                *old = value;
                *old.decor_mut() = decor;
            }
            None => {
                tables.insert(name, Item::Value(value));
            }
        }
        Ok(())
    }

    /// Removes a key. Returns whether it was set.
    pub fn unset(&mut self, key: &Key) -> bool {
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if table.is_empty() {
            return self.document.remove(name).is_some();
        }
        let Some(tables) = self.document.get_mut(table).and_then(Item::as_table_like_mut) else {
            return false;
        };
        let was_set = tables.remove(name).is_some();
        if was_set && tables.is_empty() {
            self.document.remove(table);
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
    /// The byte range of the value.
    at: Option<Range<usize>>,
}

impl FileValue {
    fn apply(&self, settings: &mut Settings) -> Result<()> {
        let text = match &self.value {
            Some(Value::String(text)) => text.value().clone(),
            Some(Value::Integer(n)) => n.value().to_string(),
            Some(Value::Float(n)) => n.value().to_string(),
            Some(Value::Boolean(truth)) => truth.value().to_string(),
            _ => String::new(),
        };
        key(&self.name)?.set(settings, &text)
    }
}

/// Collects every value of a table and its subtables.
fn flatten(
    prefix: &str,
    table: &dyn TableLike,
    span: Option<Range<usize>>,
    out: &mut Vec<FileValue>,
) {
    for (name, item) in table.iter() {
        let at =
            table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span()).or(span.clone());
        let name = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        match item.as_table_like() {
            Some(inner) => flatten(&name, inner, at, out),
            None => out.push(FileValue { name, value: item.as_value().cloned(), at }),
        }
    }
}

/// Returns the line and column of a position in a text, as editors count them.
fn place(text: &str, at: Option<Range<usize>>) -> String {
    let prefix = at.and_then(|at| text.get(..at.start)).unwrap_or_default();
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
                .contains("duplicates.threshold")
        );
    }

    #[test]
    fn salvage_locates_the_error_and_keeps_the_rest() {
        let text =
            "# mine\nsearch.limit = 7\n\n[duplicates]\n  treshold = 0.5\nmax_candidates = 5\n";
        let (file, wrong) = ConfigFile::salvage(text);
        let wrong = wrong.unwrap();
        assert!(wrong.to_string().starts_with("line 5, column 3: "), "{wrong}");
        let mut settings = Settings::default();
        file.apply(&mut settings);
        assert_eq!((settings.search_limit, settings.duplicates_max_candidates), (7, 5));
        let (file, wrong) = ConfigFile::salvage("search.limit = 7\nsource = \"acme/app\n");
        assert!(wrong.unwrap().to_string().starts_with("line 2, "));
        assert_eq!(file.get(key("search.limit").unwrap()), None, "invalid TOML sets nothing");
    }

    #[test]
    fn setting_limits_match_the_use_cases() {
        for (name, most) in [
            ("search.limit", limits::SEARCH),
            ("triage.limit", limits::TRIAGE),
            ("duplicates.max_candidates", limits::CANDIDATES),
            ("troubleshooting.max_results", limits::CASES.1),
            ("troubleshooting.total_budget_chars", limits::BUDGET.1),
        ] {
            let key = key(name).unwrap();
            let mut settings = Settings::default();
            key.set(&mut settings, &most.to_string()).unwrap();
            let error = key.set(&mut settings, &(most + 1).to_string()).unwrap_err();
            assert!(error.hint().unwrap().contains(&most.to_string()), "{error:?}");
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
