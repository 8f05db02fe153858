//! `precedent mcp`: the casebook for agents, over standard input and output. Nothing but the protocol is printed.

mod output;
mod parameters;
mod reply;
mod server;

use precedent::{Code, Error, Result};

use crate::{Session, args::McpCommand};

pub async fn run(session: &Session, command: McpCommand) -> Result<()> {
    let source = command.source.or_else(|| session.settings.source.clone());
    let known = match session.casebook.sources().await {
        // Without a casebook each tool says so, until there is one.
        Err(error) if error.code() == Code::NotFound => None,
        known => Some(known?),
    };
    if let (Some(source), Some(known)) = (&source, known) {
        if !known.iter().any(|s| s.key.eq_ignore_ascii_case(source)) {
            return Err(Error::not_found(format!("there is no source \"{source}\" in this casebook"))
                .with_hint("`precedent source list` shows its sources."));
        }
    }
    let troubleshooting = session.settings.troubleshooting.clone();
    let (input, output) = rmcp::transport::stdio();
    let (output, failure) = output::watched(output);
    let ended = server::Server::new(session.casebook.clone(), source, troubleshooting)
        .converse((input, output))
        .await;
    failure.result().and(ended)
}
