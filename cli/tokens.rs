//! `precedent login` and `logout`; tokens and proxies from the environment, the keyring and GitHub's own command line.

use std::{
    io::{BufRead as _, IsTerminal as _, Read as _},
    process::{Command, Stdio},
    sync::Arc,
};

use precedent::{
    Error, Result,
    secrets::{Provided, SecretString, Secrets, SystemKeyring, Wanted},
};

use crate::{
    Session,
    args::{HostCommand, LoginCommand},
    output::plain,
};

/// The longest token, in bytes; GitHub's are below 300.
const MAX_TOKEN: u64 = 4_096;

/// The places that are asked for a token, in order.
pub fn secrets() -> Secrets {
    Secrets::default()
        .then(Provided::new("the environment", environment))
        .then_keyring(Arc::new(SystemKeyring))
        .then(Provided::new("gh", gh))
}

/// Keeps a token that comes on standard input: an argument would show in the list of processes.
pub async fn login(session: &Session, command: LoginCommand) -> Result<()> {
    if command.device {
        return device(session, &command).await;
    }
    if std::io::stdin().is_terminal() {
        session.say(&format!("Paste a token for {} and press Enter:", command.host));
    }
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_TOKEN)
        .read_line(&mut text)
        .map_err(|_| Error::invalid("standard input holds no token"))?;
    let token = text.trim();
    if token.is_empty() || !token.chars().all(|c| c.is_ascii_graphic()) {
        return Err(Error::invalid("standard input holds no token")
            .with_hint("For example: gh auth token | precedent login"));
    }
    session.casebook.keep_token(&command.host, token.to_owned().into()).await?;
    session.say(&format!("The token for {} is in the keyring.", command.host));
    Ok(())
}

/// Signs in with a browser.
async fn device(session: &Session, command: &LoginCommand) -> Result<()> {
    let Some(client_id) = &command.client_id else {
        return Err(Error::invalid("signing in with a browser needs the client id of an app").with_hint(
            "Register an OAuth app at GitHub (Settings, Developer settings), enable its device flow, and give its id: \
             --client-id ID. Without one: gh auth token | precedent login",
        ));
    };
    let login = session.casebook.begin_login(&command.host, client_id, &session.task).await?;
    // Told even to those who want no remarks: nothing goes on without it.
    anstream::eprintln!("Open {} and type {}", plain(&login.verification_uri), plain(&login.user_code));
    session.casebook.finish_login(&command.host, &login, &session.task).await?;
    session.say(&format!("The token for {} is in the keyring.", command.host));
    Ok(())
}

pub async fn logout(session: &Session, command: HostCommand) -> Result<()> {
    let there = session.casebook.forget_token(&command.host).await?;
    session.say(&match there {
        true => format!("The token for {} is forgotten.", command.host),
        false => format!("The keyring has no token for {}.", command.host),
    });
    Ok(())
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|v| v.trim().to_owned()).filter(|v| !v.is_empty())
}

/// The variables that the trackers' own tools read. A token for one kind of tracker is never tried at another, and one for
/// a server of one's own is for the host that is named beside it: a casebook may come from someone else, with other hosts.
fn environment(wanted: Wanted<'_>) -> Option<SecretString> {
    let (names, place): (&[&str], _) = match wanted.tracker {
        "github" if wanted.host == "github.com" || wanted.host.ends_with(".ghe.com") => {
            (&["GH_TOKEN", "GITHUB_TOKEN"], None)
        }
        "github" => (&["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"], None),
        "gitlab" => {
            (&["GITLAB_TOKEN"], Some(variable("GITLAB_HOST").unwrap_or_else(|| "gitlab.com".to_owned())))
        }
        "gitea" => (&["GITEA_TOKEN", "FORGEJO_TOKEN"], Some(variable("GITEA_HOST")?)),
        "jira" => (&["JIRA_API_TOKEN"], Some(variable("JIRA_HOST")?)),
        "redmine" => (&["REDMINE_API_KEY"], Some(variable("REDMINE_HOST")?)),
        _ => return None,
    };
    // As it may be written: with a scheme, with a path.
    let host = |text: &str| {
        let text = text.split_once("://").map_or(text, |(_, rest)| rest);
        text.split('/').next().unwrap_or_default().to_lowercase()
    };
    if place.is_some_and(|p| host(&p) != wanted.host) {
        return None;
    }
    let token = names.iter().copied().find_map(variable)?;
    // Jira Cloud wants to know whose token it is.
    let name = if wanted.tracker == "jira" { variable("JIRA_EMAIL") } else { None };
    Some(SecretString::from(name.map_or(token.clone(), |name| format!("{name}:{token}"))))
}

/// What `gh` is signed in with.
fn gh(wanted: Wanted<'_>) -> Option<SecretString> {
    if wanted.tracker != "github" {
        return None;
    }
    let output = Command::new("gh")
        .args(["auth", "token", "--hostname", wanted.host])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|o| o.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|t| !t.is_empty()).map(SecretString::from)
}

/// The proxy for encrypted connections, with the hosts to reach without it.
pub fn proxy() -> Option<(String, Option<String>)> {
    let any = |names: [&str; 2]| names.into_iter().find_map(variable);
    let proxy = any(["HTTPS_PROXY", "https_proxy"]).or_else(|| any(["ALL_PROXY", "all_proxy"]))?;
    let direct = any(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    Some((proxy, Some(format!("localhost,127.0.0.1,::1,{direct}"))))
}
