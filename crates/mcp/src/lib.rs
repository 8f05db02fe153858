//! The casebook for agents: the tools of the Model Context Protocol, over any pair of streams.
//!
//! Invalid input lines are answered before they reach the protocol's library. A tool renders the
//! engine's answer as Markdown, bounded and marked as untrusted data.

mod arguments;
mod ask;
mod duplicates;
mod fixes;
mod folders;
mod lines;
mod listing;
mod markdown;
mod output;
mod parameters;
mod reply;
mod server;
mod status;
mod thread;

pub use folders::AllowedFolders;
pub use server::Server;
