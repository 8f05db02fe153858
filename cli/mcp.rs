//! `precedent mcp`: the casebook for agents, over standard input and output.

use precedent_core::{Code, Error, Result};
use precedent_engine::{OpenOptions, config::Settings};
use precedent_mcp::{AllowedFolders, Server};

use crate::{args::McpCommand, output};

pub async fn run(options: OpenOptions, settings: &Settings, command: &McpCommand) -> Result<()> {
    let source = command.source.clone().or_else(|| settings.source.clone());
    let folders = AllowedFolders::new(&command.allow)?;
    let server = Server::new(options, source.clone(), settings.troubleshooting.clone(), folders);
    let sources = match server.casebook().await {
        Ok(casebook) => Some(casebook.sources().await?),
        // The casebook may be created later; until then, answers report it as missing.
        Err(error) if error.code() == Code::NotFound => None,
        Err(error) => return Err(error),
    };
    if let Some((source, known_sources)) = source.zip(sources)
        && !known_sources.iter().any(|s| s.key.eq_ignore_ascii_case(&source))
    {
        return Err(Error::not_found(format!("source \"{source}\" not found in this casebook"))
            .with_hint("Run `precedent source list` to list its sources."));
    }
    let (input, output) = rmcp::transport::stdio();
    let (session_result, write_result) = server.serve_streams(input, output).await;
    write_result.or_else(output::write_result).and(session_result)
}
