//! Issue tracker connectors: responses are parsed into records ([`tracker`]) and applied to the
//! store ([`sync`]).

pub mod http;
pub mod secrets;
pub mod sync;
pub mod tracker;
