//! `precedent login` and `logout`.

use std::io::{BufRead as _, IsTerminal as _, Read as _};

use precedent::{Error, Result};

use crate::{Session, args::HostCommand};

/// The longest token, in bytes; GitHub's are below 300.
const MAX_TOKEN: u64 = 4_096;

/// Keeps a token that comes on standard input: an argument would show in the list of processes.
pub async fn login(session: &Session, command: HostCommand) -> Result<()> {
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

pub async fn logout(session: &Session, command: HostCommand) -> Result<()> {
    let there = session.casebook.forget_token(&command.host).await?;
    session.say(&match there {
        true => format!("The token for {} is forgotten.", command.host),
        false => format!("The keyring has no token for {}.", command.host),
    });
    Ok(())
}
