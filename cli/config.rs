//! `precedent config`: the user's settings and their file.

use std::path::Path;

use precedent_core::{Error, Result, files};
use precedent_engine::{
    config::{ConfigFile, KEYS, Settings, key},
    diagnosis::SettingValue,
};

use crate::{
    args::ConfigCommand,
    output::{DIM, KEY, Output, eprint_line, plain, print_warning},
};

/// A setting with its current value and origin.
#[derive(serde::Serialize, schemars::JsonSchema)]
pub struct Setting {
    /// Name of the setting: `duplicates.threshold`.
    key: &'static str,
    /// Current value; `None` if nothing is set and there is no default.
    value: Option<String>,
    /// Origin of the value: `environment`, `file` or `default`.
    origin: &'static str,
    /// Description of the setting.
    about: &'static str,
    /// Description of the accepted values.
    holds: String,
    /// Environment variable that overrides the file.
    variable: String,
}

/// Returns all settings with their current values, for a bug report.
pub fn all_settings() -> Result<Vec<SettingValue>> {
    let path = precedent_host::config_file(dirs::config_dir());
    let file = precedent_host::salvage_config(require_path(path.as_deref())?)?.0;
    let to_value = |s: Setting| SettingValue {
        key: s.key.to_owned(),
        value: s.value,
        origin: s.origin.to_owned(),
    };
    KEYS.iter().map(|key| load_setting(key, &file).map(to_value)).collect()
}

pub fn run(command: ConfigCommand, output: &mut Output) -> Result<()> {
    let path = precedent_host::config_file(dirs::config_dir());
    match command {
        ConfigCommand::Path => {
            output.line(plain(require_path(path.as_deref())?.display()));
            Ok(())
        }
        ConfigCommand::Get { key: name, json } => {
            let value = load_setting(key(&name)?, &read_valid_part(path.as_deref())?)?;
            output.answer(&value, &json, None, |output| {
                value.value.iter().for_each(|value| output.line(plain(value)));
            })
        }
        ConfigCommand::List { json } => {
            let file = read_valid_part(path.as_deref())?;
            let settings: Vec<Setting> =
                KEYS.iter().map(|key| load_setting(key, &file)).collect::<Result<_>>()?;
            output.answer(&settings, &json, None, |output| {
                for s in &settings {
                    let (key, about) = (s.key, s.about);
                    let (value, origin) = match &s.value {
                        Some(value) => (plain(value), s.origin),
                        None => ("–".to_owned(), "not set"),
                    };
                    output.line(format_args!(
                        "{KEY}{key:<38}{KEY:#} {value:<12} {DIM}{origin}; {about}{DIM:#}"
                    ));
                }
            })
        }
        ConfigCommand::Set { key: name, value } => {
            let key = key(&name)?;
            // Make the path absolute: later commands may run in another directory.
            let value = precedent_host::absolute_value(key, value)?;
            let path = require_path(path.as_deref())?;
            let mut file = read_file(path)?;
            file.set(key, &value)?;
            write(path, &file)
        }
        ConfigCommand::Unset { key: name } => {
            let key = key(&name)?;
            let path = require_path(path.as_deref())?;
            let mut file = read_file(path)?;
            if file.unset(key) { write(path, &file) } else { Ok(()) }
        }
        ConfigCommand::Reset => reset(require_path(path.as_deref())?),
    }
}

fn load_setting(key: &'static precedent_engine::config::Key, file: &ConfigFile) -> Result<Setting> {
    let mut settings = Settings::default();
    let is_in_file = file.get(key).is_some();
    file.apply(&mut settings);
    let is_overridden = precedent_host::override_by_variable(key, &mut settings)?;
    Ok(Setting {
        key: key.name,
        value: key.value_text(&settings),
        origin: match (is_overridden, is_in_file) {
            (true, _) => "environment",
            (false, true) => "file",
            (false, false) => "default",
        },
        about: key.about,
        holds: key.value_type.to_string(),
        variable: key.variable(),
    })
}

fn require_path(path: Option<&Path>) -> Result<&Path> {
    path.ok_or_else(|| {
        Error::invalid("cannot determine the home folder for the settings file")
            .with_hint("Set PRECEDENT_CONFIG to a file.")
    })
}

fn read_file(path: &Path) -> Result<ConfigFile> {
    let (file, error) = precedent_host::salvage_config(path)?;
    error.map_or(Ok(file), Err)
}

/// Reads the valid settings of the file and warns about the invalid one, if any.
fn read_valid_part(path: Option<&Path>) -> Result<ConfigFile> {
    let Some(path) = path else { return Ok(ConfigFile::default()) };
    let (file, error) = precedent_host::salvage_config(path)?;
    error.iter().for_each(warn);
    Ok(file)
}

/// Warns that the settings file is invalid and that the setting is ignored.
pub fn warn(error: &Error) {
    print_warning(&format!("{error}; this setting is ignored"), error);
}

/// Renames the settings file, so that the defaults apply.
fn reset(path: &Path) -> Result<()> {
    if !path.is_file() {
        eprint_line("No settings file exists; the defaults apply.");
        return Ok(());
    }
    let backup = precedent_host::set_config_aside(path)?;
    let backup = plain(backup.display());
    eprint_line(format_args!("The settings file was moved to {backup}; the defaults apply."));
    Ok(())
}

/// Writes the settings file atomically.
fn write(path: &Path, file: &ConfigFile) -> Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
    }
    files::replace(path, file.to_string().as_bytes())
}
