//! Settings, tokens, proxies and the user's name, read from the environment and the GitHub CLI.
#![allow(clippy::disallowed_methods, reason = "this crate reads the environment")]

use std::{
    io::{self, Read as _},
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::Arc,
    time::{Duration, Instant},
};

use precedent_core::{Error, Hint, Result, files};
use precedent_engine::config::{ConfigFile, KEYS, Key, Settings};
use precedent_trackers::secrets::{
    SecretString, Secrets, SystemKeyring, TokenRequest, TokenSource,
};

/// The time limit for `gh` to return a token.
const GH_TIMEOUT: Duration = Duration::from_secs(10);
/// The maximum length of a token, in bytes.
const MAX_TOKEN: u64 = 16 * 1024;

/// Returns the settings file: the one that `PRECEDENT_CONFIG` names, or the default one in
/// `folder`.
pub fn config_file(folder: Option<PathBuf>) -> Option<PathBuf> {
    let env_file =
        std::env::var_os("PRECEDENT_CONFIG").filter(|f| !f.is_empty()).map(PathBuf::from);
    env_file.or_else(|| Some(folder?.join("precedent").join("config.toml")))
}

/// Reads the valid settings of a file, and the first error in it, if any. A missing file sets
/// nothing.
pub fn salvage_config(path: &Path) -> Result<(ConfigFile, Option<Error>)> {
    let text = match std::fs::read(path) {
        Ok(text) => String::from_utf8(text),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Default::default()),
        Err(error) => return Err(Error::io(path, error)),
    };
    let (file, error) = match text {
        Ok(text) => ConfigFile::salvage(&text),
        Err(_) => (ConfigFile::default(), Some(Error::invalid("not a text file"))),
    };
    let error = error.map(|error| {
        let reset = Hint::from("Correct it there, or reset the settings.")
            .with_command(None, "precedent config reset");
        let hint = match error.hint() {
            Some(hint) => reset.prepend(format!("{}.", hint.text.trim_end_matches('.'))),
            None => reset,
        };
        error.context(path.display()).with_hint(hint)
    });
    Ok((file, error))
}

/// Renames a settings file to an unused name in its folder; returns the new path.
pub fn set_config_aside(path: &Path) -> Result<PathBuf> {
    let mut n = 1_u64;
    loop {
        let backup = path.with_extension(format!("before-reset-{n}.toml"));
        if files::rename_to_unused(path, &backup)? {
            return Ok(backup);
        }
        n += 1;
    }
}

/// Sets a key from its environment variable; returns whether the variable is set.
pub fn override_by_variable(key: &Key, settings: &mut Settings) -> Result<bool> {
    let name = key.variable();
    let Some(text) = variable(&name) else { return Ok(false) };
    key.set(settings, &absolute_value(key, text)?).map_err(|e| e.context(name))?;
    Ok(true)
}

/// Makes the path of a casebook absolute; returns other values unchanged.
pub fn absolute_value(key: &Key, text: String) -> Result<String> {
    if key.name != "casebook" {
        return Ok(text);
    }
    let path = std::path::absolute(&text).map_err(|e| Error::io(Path::new(&text), e))?;
    Ok(path.to_string_lossy().into_owned())
}

/// Returns the user's settings, and the first error in the file, if any. Environment variables
/// override the file.
pub fn settings(file: Option<&Path>) -> Result<(Settings, Option<Error>)> {
    let mut settings = Settings::default();
    let (config, error) = file.map(salvage_config).transpose()?.unwrap_or_default();
    config.apply(&mut settings);
    for key in KEYS {
        override_by_variable(key, &mut settings)?;
    }
    Ok((settings, error))
}

/// Returns the token sources in the order in which they are tried.
pub fn secrets() -> Secrets {
    Secrets::default()
        .then_source(TokenSource::new("the environment", environment_token))
        .then_keyring(Arc::new(SystemKeyring))
        .then_source(TokenSource::new("gh", gh_token))
}

/// Returns the user's name, which is recorded with verdicts.
pub fn user() -> String {
    variable("USER").or_else(|| variable("USERNAME")).unwrap_or_else(|| "someone".to_owned())
}

/// Returns an environment variable, trimmed, if it is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|v| v.trim().to_owned()).filter(|v| !v.is_empty())
}

/// Returns a token from the environment variables of the trackers' own tools.
///
/// A token is sent only to its kind of tracker, and a token for a self-hosted server only to the
/// host that a second variable names, because an imported casebook may name other hosts.
fn environment_token(request: TokenRequest<'_>) -> Option<SecretString> {
    let variable_name = |suffix: &str| format!("{}_{suffix}", request.tracker.to_uppercase());
    let (api_token, api_key) = (variable_name("API_TOKEN"), variable_name("API_KEY"));
    let (names, allowed_host, account): (&[&str], _, _) = match request.tracker {
        "github" if request.host == "github.com" || request.host.ends_with(".ghe.com") => {
            (&["GH_TOKEN", "GITHUB_TOKEN"], None, None)
        }
        "github" => {
            (&["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"], Some(variable("GH_HOST")?), None)
        }
        "gitlab" => {
            let host = variable("GITLAB_HOST").unwrap_or_else(|| "gitlab.com".to_owned());
            (&["GITLAB_TOKEN"], Some(host), None)
        }
        "gitea" => (&["GITEA_TOKEN", "FORGEJO_TOKEN"], Some(variable("GITEA_HOST")?), None),
        "linear" => (&["LINEAR_API_KEY"], Some("linear.app".to_owned()), None),
        // The Azure CLI reads this variable.
        "azure" => {
            let host = variable("AZURE_DEVOPS_HOST").unwrap_or_else(|| "dev.azure.com".to_owned());
            (&["AZURE_DEVOPS_EXT_PAT"], Some(host), None)
        }
        _ => {
            // Some trackers need the account in addition to the token.
            let account = variable(&variable_name("EMAIL"));
            let account = account.or_else(|| variable(&variable_name("API_USERNAME")));
            (&[&api_token, &api_key], Some(variable(&variable_name("HOST"))?), account)
        }
    };
    // The host may be written with a scheme and a path.
    let host = |text: &str| {
        let text = text.split_once("://").map_or(text, |(_, rest)| rest);
        text.split('/').next().unwrap_or_default().to_lowercase()
    };
    if allowed_host.is_some_and(|allowed| host(&allowed) != request.host) {
        return None;
    }
    let token = names.iter().copied().find_map(variable)?;
    Some(SecretString::from(account.map_or(token.clone(), |account| format!("{account}:{token}"))))
}

/// Returns the token that `gh` stores.
fn gh_token(request: TokenRequest<'_>) -> Option<SecretString> {
    if request.tracker != "github" {
        return None;
    }
    let mut command = Command::new("gh");
    // CREATE_NO_WINDOW prevents a console window from flashing up:
    // https://learn.microsoft.com/windows/win32/procthread/process-creation-flags
    #[cfg(windows)]
    std::os::windows::process::CommandExt::creation_flags(&mut command, 0x0800_0000);
    let mut child = command
        .args(["auth", "token", "--hostname", request.host])
        // `gh` would return these for any host; `environment_token` reads them.
        .env_remove("GH_TOKEN")
        .env_remove("GITHUB_TOKEN")
        .env_remove("GH_ENTERPRISE_TOKEN")
        .env_remove("GITHUB_ENTERPRISE_TOKEN")
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .ok()?;
    // `gh` may wait for a keyring prompt. A token fits in the pipe, so `gh` never blocks on it.
    let began = Instant::now();
    let status = loop {
        match child.try_wait().ok()? {
            Some(status) => break status,
            None if began.elapsed() >= GH_TIMEOUT => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
            None => std::thread::sleep(Duration::from_millis(5)),
        }
    };
    let mut text = String::new();
    child.stdout.take()?.take(MAX_TOKEN).read_to_string(&mut text).ok()?;
    Some(text.trim().to_owned())
        .filter(|t| status.success() && !t.is_empty())
        .map(SecretString::from)
}

/// Returns the address of the model hub, if one is set. Hugging Face's own tools read
/// `HF_ENDPOINT`.
pub fn hub() -> Option<String> {
    variable("PRECEDENT_MODEL_HUB").or_else(|| variable("HF_ENDPOINT"))
}

/// Returns the proxy for HTTPS connections and the hosts to reach without it.
pub fn proxy() -> Option<(String, Option<String>)> {
    let lookup = |names: [&str; 2]| names.into_iter().find_map(variable);
    let proxy =
        lookup(["HTTPS_PROXY", "https_proxy"]).or_else(|| lookup(["ALL_PROXY", "all_proxy"]))?;
    let excluded = lookup(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    Some((proxy, Some(format!("localhost,127.0.0.1,::1,{excluded}"))))
}
