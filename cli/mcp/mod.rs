//! `precedent mcp`: the casebook for agents, over standard input and output. Nothing but the protocol is printed.

mod arguments;
mod lines;
mod listing;
mod pages;
mod parameters;
mod reply;
mod server;
mod thread;

use precedent::{Error, Result};

use crate::{Session, args::McpCommand};

pub async fn run(session: &Session, command: McpCommand) -> Result<()> {
    let source = command.source.or_else(|| session.settings.source.clone());
    if let Some(source) = &source {
        let known = session.casebook.sources().await?;
        if !known.iter().any(|s| s.key.eq_ignore_ascii_case(source)) {
            return Err(Error::not_found(format!("there is no source \"{source}\" in this casebook"))
                .with_hint("`precedent source list` shows its sources."));
        }
    }
    let troubleshooting = session.settings.troubleshooting.clone();
    let (input, output) = rmcp::transport::stdio();
    server::Server::new(session.casebook.clone(), source, troubleshooting).converse(input, output).await
}
