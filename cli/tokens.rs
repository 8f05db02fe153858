//! `precedent login` and `logout`.

use std::io::{BufRead as _, IsTerminal as _, Read as _};

use precedent_core::{Error, Result};

use crate::{
    Session,
    args::{HostCommand, LoginCommand},
    output::{eprint_line, plain},
};

/// The maximum length of a token, in bytes; GitHub's are below 300.
const MAX_TOKEN: u64 = 4_096;

/// Stores a token read from standard input; an argument would appear in the process list.
pub async fn login(session: &Session, command: LoginCommand) -> Result<()> {
    if command.device {
        return login_with_device_flow(session, &command).await;
    }
    if std::io::stdin().is_terminal() {
        session.say(&format!("Paste a token for {} and press Enter:", command.host));
    }
    let mut text = String::new();
    std::io::stdin()
        .lock()
        .take(MAX_TOKEN)
        .read_line(&mut text)
        .map_err(|_| Error::invalid("no token on standard input"))?;
    let token = text.trim();
    let problem = match token {
        "" => Some("no token on standard input"),
        token if !token.chars().all(|c| c.is_ascii_graphic()) => {
            Some("the token on standard input contains invalid characters")
        }
        _ => None,
    };
    if let Some(problem) = problem {
        let example = match command.host.as_str() {
            "github.com" => "gh auth token | precedent login".to_owned(),
            host => format!("precedent login {host} < token.txt"),
        };
        return Err(Error::invalid(problem).with_hint(format!("For example: {example}")));
    }
    session.casebook.keep_token(&command.host, token.to_owned().into()).await?;
    session.say(&format!("Saved the token for {} in the keyring.", command.host));
    Ok(())
}

/// Signs in with a browser.
async fn login_with_device_flow(session: &Session, command: &LoginCommand) -> Result<()> {
    let Some(client_id) = &command.client_id else {
        return Err(Error::invalid("signing in with a browser needs the client ID of an app").with_hint(
            "Register an OAuth app on GitHub (Settings, Developer settings), enable its device flow, and pass its client ID: \
             --client-id ID. Without one: gh auth token | precedent login",
        ));
    };
    let login = session.casebook.begin_login(&command.host, client_id, &session.task).await?;
    // The user must see this even in quiet mode, because the login depends on it.
    eprint_line(format_args!(
        "Open {} and enter {}",
        plain(&login.verification_uri),
        plain(&login.user_code)
    ));
    session.casebook.finish_login(&command.host, &login, &session.task).await?;
    session.say(&format!("Saved the token for {} in the keyring.", command.host));
    Ok(())
}

pub async fn logout(session: &Session, command: HostCommand) -> Result<()> {
    let was_stored = session.casebook.forget_token(&command.host).await?;
    session.say(&match was_stored {
        true => format!("Removed the token for {}.", command.host),
        false => format!("The keyring has no token for {}.", command.host),
    });
    Ok(())
}
