//! Clients that nobody here wrote talk to `precedent mcp`: the protocol's official Python SDK, and its official inspector.

use crate::fail::{Fail, Result};
use crate::shell::Run;

/// The SDK, from PyPI.
pub const SDK: &str = "mcp==2.3.0";
/// The inspector, from npm: the last one that runs on Node 20.
const INSPECTOR: &str = "@modelcontextprotocol/inspector@0.15.0";
/// Each tool with arguments that the sample answers.
const CALLS: &[(&str, &[&str])] = &[
    ("search", &["query=replication slot fills the disk", "limit=3"]),
    ("find_duplicates", &["number=13", "include_closed=true"]),
    ("troubleshoot", &["text=agent stops reading its queue after a reload"]),
    ("get_thread", &["key=ferrywire/ferrywire#2", "limit=2"]),
    ("check_similar", &["kind=lesson", "title=Slots fill the disk", "body=Restart the heartbeat."]),
    ("store_note", &["kind=lesson", "title=Slots fill the disk", "body=Restart the heartbeat."]),
    ("record_verdict", &["key=ferrywire/ferrywire#13", "other=ferrywire/ferrywire#2", "verdict=related"]),
    ("export_brief", &["key=ferrywire/ferrywire#13"]),
    ("status", &[]),
];

/// The inspector in its command-line mode, with the server that it starts.
fn inspector(server: &[String]) -> Run {
    let npx = if cfg!(windows) { "npx.cmd" } else { "npx" };
    Run::new(npx).args(["-y", INSPECTOR, "--cli"]).args(server)
}

/// Lists the tools with the inspector and calls each; how many there are.
pub fn inspect(server: &[String], prepare: impl Fn(Run) -> Run) -> Result<usize> {
    let listed = prepare(inspector(server).args(["--method", "tools/list"])).finish()?;
    for (tool, _) in CALLS {
        if !listed.ok || !listed.output.contains(&format!("\"name\": \"{tool}\"")) {
            return Err(failed(&format!("the inspector does not list {tool}"), &listed.output));
        }
    }
    for (tool, arguments) in CALLS {
        let mut run = inspector(server).args(["--method", "tools/call", "--tool-name", tool]);
        for argument in *arguments {
            run = run.args(["--tool-arg", argument]);
        }
        let called = prepare(run).finish()?;
        let fine = called.ok && called.output.contains("\"structuredContent\"");
        if !fine || called.output.contains("\"isError\": true") {
            return Err(failed(&format!("the inspector's call of {tool} failed"), &called.output));
        }
    }
    Ok(CALLS.len())
}

fn failed(what: &str, output: &str) -> Fail {
    let mut fail = Fail::new(what, "");
    fail.output = crate::fail::tail(output, 40);
    fail
}
