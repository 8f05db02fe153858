//! Typed settings: what can be set, what it may hold, and the file that people write it into (TOML).
//!
//! The engine reads no environment and no home folder: a face reads the file and the variables, and hands the text in.

use std::{ops::Range, path::PathBuf};

use toml_edit::{Document, DocumentMut, Item, TableLike, Value};

use precedent_core::{
    error::{Error, Result},
    model::{TroubleshootSettings, limits},
};
use precedent_text::similar;

/// Whether output has colours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal.
    #[default]
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

impl Color {
    /// The name in files and arguments.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Always => "always",
            Self::Never => "never",
        }
    }

    /// Reads what [`Color::as_str`] wrote.
    pub fn parse(text: &str) -> Option<Self> {
        [Self::Auto, Self::Always, Self::Never].into_iter().find(|c| c.as_str() == text)
    }
}

/// What people set once instead of saying it with every command.
#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    /// The casebook's folder; none stands for the one in the user's data folder.
    pub casebook: Option<PathBuf>,
    /// The source that bare numbers mean, where there are several.
    pub source: Option<String>,
    /// Whether output has colours; none stands for what the surroundings say.
    pub color: Option<Color>,
    /// Threads that compute vectors, 1..=64; none stands for what suits the machine.
    pub threads: Option<usize>,
    /// At most this many results of a search.
    pub search_limit: usize,
    /// Candidates for duplicates that are less alike are left out, 0..1.
    pub duplicates_threshold: f32,
    /// At most this many candidates for duplicates.
    pub duplicates_max_candidates: usize,
    /// At most this many reports of the queue.
    pub triage_limit: usize,
    /// How solved cases are looked for.
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

/// What a setting may hold, and with that how it is written in TOML. As text it is in words: `a number from 0 to 1`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// A text of a form that these words say.
    Text(&'static str),
    /// A whole number between these two, both included.
    Whole(usize, usize),
    /// A number from 0 to 1.
    Share,
    /// Yes or no.
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

/// One thing that can be set.
#[derive(Debug)]
pub struct Key {
    /// Its name: `duplicates.threshold`.
    pub name: &'static str,
    /// What it is for, in a line.
    pub about: &'static str,
    /// What it may hold.
    pub holds: Holds,
    /// Takes over a text that is known to be what it may hold, as far as its words alone say that.
    read: fn(&mut Settings, &str) -> Option<()>,
    write: fn(&Settings) -> Option<String>,
}

/// Everything that can be set, in the order in which it is listed.
pub const KEYS: &[Key] = &[
    Key {
        name: "casebook",
        about: "casebook folder",
        holds: Holds::Text("an absolute path"),
        read: |s, text| {
            let path = PathBuf::from(text);
            path.is_absolute().then(|| s.casebook = Some(path))
        },
        write: |s| s.casebook.as_ref().map(|p| p.display().to_string()),
    },
    Key {
        name: "source",
        about: "source for bare numbers",
        holds: Holds::Text("a source: owner/name"),
        read: |s, text| {
            let whole = text.contains('/') && !text.contains(char::is_whitespace) && !text.contains('#');
            whole.then(|| s.source = Some(text.to_owned()))
        },
        write: |s| s.source.clone(),
    },
    Key {
        name: "color",
        about: "when to color the output",
        holds: Holds::Text("auto, always or never"),
        read: |s, text| Color::parse(text).map(|c| s.color = Some(c)),
        write: |s| s.color.map(|c| c.as_str().to_owned()),
    },
    Key {
        name: "threads",
        about: "threads for computing vectors",
        holds: Holds::Whole(1, 64),
        read: |s, text| text.parse().ok().map(|n| s.threads = Some(n)),
        write: |s| s.threads.map(|n| n.to_string()),
    },
    Key {
        name: "search.limit",
        about: "maximum number of search results",
        holds: Holds::Whole(1, limits::SEARCH),
        read: |s, text| text.parse().ok().map(|n| s.search_limit = n),
        write: |s| Some(s.search_limit.to_string()),
    },
    Key {
        name: "duplicates.threshold",
        about: "minimum similarity of a candidate",
        holds: Holds::Share,
        read: |s, text| text.parse().ok().map(|n| s.duplicates_threshold = n),
        write: |s| Some(s.duplicates_threshold.to_string()),
    },
    Key {
        name: "duplicates.max_candidates",
        about: "maximum number of duplicate candidates",
        holds: Holds::Whole(1, limits::CANDIDATES),
        read: |s, text| text.parse().ok().map(|n| s.duplicates_max_candidates = n),
        write: |s| Some(s.duplicates_max_candidates.to_string()),
    },
    Key {
        name: "triage.limit",
        about: "maximum number of reports in the queue",
        holds: Holds::Whole(1, limits::TRIAGE),
        read: |s, text| text.parse().ok().map(|n| s.triage_limit = n),
        write: |s| Some(s.triage_limit.to_string()),
    },
    Key {
        name: "troubleshooting.enabled",
        about: "whether to search for solved cases",
        holds: Holds::Truth,
        read: |s, text| text.parse().ok().map(|t| s.troubleshooting.enabled = t),
        write: |s| Some(s.troubleshooting.enabled.to_string()),
    },
    Key {
        name: "troubleshooting.similarity_threshold",
        about: "minimum similarity in meaning of a solved case",
        holds: Holds::Share,
        read: |s, text| text.parse().ok().map(|n| s.troubleshooting.similarity_threshold = Some(n)),
        write: |s| s.troubleshooting.similarity_threshold.map(|n| n.to_string()),
    },
    Key {
        name: "troubleshooting.max_results",
        about: "maximum number of solved cases",
        holds: Holds::Whole(limits::CASES.0, limits::CASES.1),
        read: |s, text| text.parse().ok().map(|n| s.troubleshooting.max_results = n),
        write: |s| Some(s.troubleshooting.max_results.to_string()),
    },
    Key {
        name: "troubleshooting.total_budget_chars",
        about: "maximum total length of all threads, in characters",
        holds: Holds::Whole(limits::BUDGET.0, limits::BUDGET.1),
        read: |s, text| text.parse().ok().map(|n| s.troubleshooting.total_budget_chars = n),
        write: |s| Some(s.troubleshooting.total_budget_chars.to_string()),
    },
];

/// The key of this name.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`] if there is none, with the one that was probably meant.
pub fn key(name: &str) -> Result<&'static Key> {
    KEYS.iter().find(|k| k.name == name).ok_or_else(|| {
        let hint = similar::meant(name, KEYS.iter().map(|k| k.name)).map_or_else(
            || "Run `precedent config list` to list all settings.".to_owned(),
            |meant| format!("Did you mean {meant}? Run `precedent config list` to list all settings."),
        );
        Error::invalid(format!("unknown setting \"{name}\"")).with_hint(hint)
    })
}

impl Key {
    /// The variable of the environment that overrides the file: `PRECEDENT_DUPLICATES_THRESHOLD`.
    pub fn variable(&self) -> String {
        format!("PRECEDENT_{}", self.name.to_uppercase().replace('.', "_"))
    }

    /// What the settings hold for this key, as it is written; none where nothing is set and there is no default.
    pub fn shown(&self, settings: &Settings) -> Option<String> {
        (self.write)(settings)
    }

    /// Sets this key from how it is written.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] for a value that it cannot hold.
    pub fn set(&self, settings: &mut Settings, text: &str) -> Result<()> {
        let text = text.trim();
        let can = match self.holds {
            Holds::Whole(least, most) => text.parse().is_ok_and(|n: usize| (least..=most).contains(&n)),
            Holds::Share => text.parse().is_ok_and(|n: f32| (0.0..=1.0).contains(&n)),
            Holds::Text(_) | Holds::Truth => true,
        };
        can.then(|| (self.read)(settings, text)).flatten().ok_or_else(|| {
            Error::invalid(format!("invalid value \"{text}\" for {}", self.name))
                .with_hint(format!("It must be {}.", self.holds))
        })
    }
}

/// The file of settings, with its comments and its order.
#[derive(Clone, Debug, Default)]
pub struct ConfigFile {
    document: DocumentMut,
}

impl ConfigFile {
    /// Reads the text of a file; every key has to be known, and every value to be one that its key can hold.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] that says where the first thing is that is wrong.
    pub fn parse(text: &str) -> Result<Self> {
        let (file, wrong) = Self::salvage(text);
        wrong.map_or(Ok(file), Err)
    }

    /// Reads what of a file can be read, and says where the first thing is that cannot. A file that is no TOML sets nothing;
    /// of another one the keys that are known hold, where their values can be.
    pub fn salvage(text: &str) -> (Self, Option<Error>) {
        let document = match Document::parse(text.to_owned()) {
            Ok(document) => document,
            Err(e) => {
                let place = place(text, e.span());
                let what = e.message().trim().replace('\n', ", ");
                let error = Error::invalid(format!("{place}: not valid TOML: {what}"))
                    .with_hint("Example of a line: duplicates.threshold = 0.5");
                return (Self::default(), Some(error));
            }
        };
        let mut wrong = None;
        let mut set = Vec::new();
        flatten("", document.as_table(), None, &mut set);
        for one in &set {
            if let Err(error) = one.apply(&mut Settings::default()) {
                wrong.get_or_insert_with(|| error.context(place(text, one.at.clone())));
            }
        }
        (Self { document: document.into_mut() }, wrong)
    }

    /// Takes over what the file sets, as far as it can be.
    pub fn apply(&self, settings: &mut Settings) {
        let mut set = Vec::new();
        flatten("", self.document.as_table(), None, &mut set);
        // What cannot be was told when the file was read.
        set.iter().for_each(|one| drop(one.apply(settings)));
    }

    /// What the file itself sets for this key, as it is written.
    pub fn get(&self, key: &Key) -> Option<String> {
        let mut only = Settings::default();
        let mut set = Vec::new();
        flatten("", self.document.as_table(), None, &mut set);
        let one = set.iter().find(|one| one.name == key.name)?;
        one.apply(&mut only).ok()?;
        key.shown(&only)
    }

    /// Sets a key; comments and order stay.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] for a value that the key cannot hold.
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
            // A remark behind the value stays.
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

    /// Takes a key out; whether it was there.
    pub fn unset(&mut self, key: &Key) -> bool {
        let (table, name) = key.name.split_once('.').unwrap_or(("", key.name));
        if table.is_empty() {
            return self.document.remove(name).is_some();
        }
        let Some(tables) = self.document.get_mut(table).and_then(Item::as_table_like_mut) else {
            return false;
        };
        let there = tables.remove(name).is_some();
        if there && tables.is_empty() {
            self.document.remove(table);
        }
        there
    }
}

impl std::fmt::Display for ConfigFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.document.fmt(f)
    }
}

/// A value of a file, by its whole name.
struct Set {
    name: String,
    value: Option<Value>,
    /// Where it stands, in bytes.
    at: Option<Range<usize>>,
}

impl Set {
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

/// Every value of a table and the tables in it.
fn flatten(before: &str, table: &dyn TableLike, within: Option<Range<usize>>, out: &mut Vec<Set>) {
    for (name, item) in table.iter() {
        let at = table.key(name).and_then(toml_edit::Key::span).or_else(|| item.span()).or(within.clone());
        let name = if before.is_empty() { name.to_owned() } else { format!("{before}.{name}") };
        match item.as_table_like() {
            Some(inner) => flatten(&name, inner, at, out),
            None => out.push(Set { name, value: item.as_value().cloned(), at }),
        }
    }
}

/// Where something begins in a text, as editors count.
fn place(text: &str, at: Option<Range<usize>>) -> String {
    let before = at.and_then(|at| text.get(..at.start)).unwrap_or_default();
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    format!("line {line}, column {column}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_read_changed_and_written_with_its_remarks() {
        let text = "# mine\nsource = \"acme/app\" # the one\n\n[duplicates]\nthreshold = 0.5 # strict\n";
        let mut file = ConfigFile::parse(text).unwrap();
        let mut settings = Settings::default();
        file.apply(&mut settings);
        assert_eq!((settings.source.as_deref(), settings.duplicates_threshold), (Some("acme/app"), 0.5));
        assert_eq!(settings.search_limit, 10);
        file.set(key("duplicates.threshold").unwrap(), "0.7").unwrap();
        file.set(key("troubleshooting.enabled").unwrap(), "false").unwrap();
        assert!(file.unset(key("source").unwrap()) && !file.unset(key("source").unwrap()));
        let written = file.to_string();
        assert!(written.contains("threshold = 0.7 # strict"), "{written}");
        assert!(written.contains("[troubleshooting]\nenabled = false"), "{written}");
        let again = ConfigFile::parse(&written).unwrap();
        assert_eq!(again.get(key("duplicates.threshold").unwrap()).as_deref(), Some("0.7"));
        assert_eq!(again.get(key("source").unwrap()), None);
    }

    #[test]
    fn what_cannot_be_is_named() {
        for (text, named) in [
            ("duplicates.treshold = 0.5", "duplicates.treshold"),
            ("duplicates.threshold = 1.5", "\"1.5\""),
            ("duplicates.threshold = [1]", "duplicates.threshold"),
            ("search.limit = \"many\"", "\"many\""),
            ("casebook = \"relative\"", "relative"),
            ("troubleshooting = 5", "\"troubleshooting\""),
            ("source =", "not valid TOML"),
        ] {
            let error = ConfigFile::parse(text).unwrap_err();
            let said = error.to_string();
            assert!(
                said.contains(named) && said.contains("line 1, ") && error.hint().is_some(),
                "{text}: {error}"
            );
        }
        assert!(key("duplicates.treshold").unwrap_err().hint().unwrap().contains("duplicates.threshold"));
    }

    #[test]
    fn what_is_wrong_is_told_by_its_place_and_the_rest_holds() {
        let text = "# mine\nsearch.limit = 7\n\n[duplicates]\n  treshold = 0.5\nmax_candidates = 5\n";
        let (file, wrong) = ConfigFile::salvage(text);
        let wrong = wrong.unwrap();
        assert!(wrong.to_string().starts_with("line 5, column 3: "), "{wrong}");
        let mut settings = Settings::default();
        file.apply(&mut settings);
        assert_eq!((settings.search_limit, settings.duplicates_max_candidates), (7, 5));
        let (file, wrong) = ConfigFile::salvage("search.limit = 7\nsource = \"acme/app\n");
        assert!(wrong.unwrap().to_string().starts_with("line 2, "));
        assert_eq!(file.get(key("search.limit").unwrap()), None, "what is no TOML sets nothing");
    }

    #[test]
    fn a_setting_holds_what_its_use_case_takes() {
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
    fn every_default_is_a_value_that_its_key_can_hold() {
        let defaults = Settings::default();
        for key in KEYS {
            let mut settings = defaults.clone();
            if let Some(shown) = key.shown(&defaults) {
                key.set(&mut settings, &shown).unwrap();
                assert_eq!(settings, defaults, "{}", key.name);
                ConfigFile::default().set(key, &shown).unwrap();
            }
        }
    }
}
