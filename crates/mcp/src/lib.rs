//! The casebook for agents: the tools of the Model Context Protocol, over any pair of streams.
//!
//! Invalid lines are answered before they reach the protocol's library. Every reply is bounded and
//! marked as untrusted data.

mod arguments;
mod folders;
mod json;
mod lines;
mod listing;
mod pages;
mod parameters;
mod reply;
mod server;
mod thread;

pub use folders::AllowedFolders;
pub use server::Server;
