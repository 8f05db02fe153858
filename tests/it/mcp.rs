//! The server for agents, frame by frame: tools and their schemas, every tool called, errors with a remedy, bounds,
//! and what must not end it.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use serde_json::{Value, json};

use crate::support::{Place, comment, issue};

/// A client of `precedent mcp`.
pub struct Client {
    pub child: Child,
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
    next: u64,
}

impl Client {
    pub fn start(place: &Place, args: &[&str]) -> Self {
        let mut client = Self::silent(place, args);
        let hello = client.ask(
            "initialize",
            json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        );
        assert_eq!(hello["result"]["serverInfo"]["name"], "precedent", "{hello}");
        assert!(hello["result"]["instructions"].as_str().unwrap().contains("untrusted"));
        client.send(&json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string());
        client
    }

    fn silent(place: &Place, args: &[&str]) -> Self {
        let mut child = place
            .command(&[&["mcp"], args].concat())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let (input, output) = (child.stdin.take(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, input, output, next: 0 }
    }

    pub fn send(&mut self, line: &str) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line.as_bytes()).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Sends a request and returns its reply; what comes in between are notifications.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let mut line = String::new();
            assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
            let frame: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
            if frame["id"] == id {
                return frame;
            }
        }
    }

    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.ask("tools/call", json!({"name": tool, "arguments": arguments}))
    }

    pub fn ok(&mut self, tool: &str, arguments: Value) -> Value {
        let reply = self.call(tool, arguments);
        assert_ne!(reply["result"]["isError"], true, "{reply}");
        let result = reply["result"].clone();
        assert!(!result.is_null(), "{reply}");
        // Clients that read text alone get the same.
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// Closes the pipe; the server ends, and says nothing outside of the protocol.
    pub fn end(mut self) -> (Option<i32>, String) {
        drop(self.input.take());
        let mut rest = String::new();
        self.output.read_to_string(&mut rest).unwrap();
        assert!(rest.lines().all(|l| l.starts_with('{')), "{rest}");
        let mut err = String::new();
        self.child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
        (self.child.wait().unwrap().code(), err)
    }
}

const FAILURE: &str = "Upload of a large bundle stops with error FW-1043";

fn filled(place: &Place) {
    let mut solved = issue(1, FAILURE, "On 2.3.1 it stops.");
    solved["state"] = json!("closed");
    solved["state_reason"] = json!("completed");
    solved["closed_at"] = json!("2026-01-08T00:00:00Z");
    let mut again = issue(5, FAILURE, "It stops behind the proxy too.");
    again["created_at"] = json!("2026-02-02T00:00:00Z");
    let mut lines: String = [solved, again].iter().map(|r| format!("{r}\n")).collect();
    for n in 0..5 {
        lines.push_str(&format!(
            "{}\n",
            comment(10 + n, 1, &format!("Remark {n}: fixed by keeping the chunks in order."))
        ));
    }
    let path = place.file("in.jsonl", lines);
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app"]);
}

#[test]
fn the_tools_are_few_annotated_and_described() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    let listed = client.ask("tools/list", json!({}));
    let tools = listed["result"]["tools"].as_array().unwrap();
    let mut names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "check_similar",
            "export_brief",
            "find_duplicates",
            "get_thread",
            "record_verdict",
            "search",
            "status",
            "store_note",
            "troubleshoot",
        ]
    );
    for tool in tools {
        let name = tool["name"].as_str().unwrap();
        let writes = matches!(name, "store_note" | "record_verdict");
        assert_eq!(tool["annotations"]["readOnlyHint"], !writes, "{name}");
        assert!(tool["description"].as_str().unwrap().len() > 20, "{name}");
        assert_eq!(tool["inputSchema"]["additionalProperties"], false, "{name}");
    }
    let find = tools.iter().find(|t| t["name"] == "find_duplicates").unwrap();
    let properties = &find["inputSchema"]["properties"];
    let mut names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    names.sort();
    assert_eq!(names, ["include_closed", "max_candidates", "number", "threshold"]);
    assert_eq!(find["inputSchema"]["required"], json!(["number"]));
    assert_eq!(
        (&properties["max_candidates"]["default"], &properties["include_closed"]["default"]),
        (&json!(10), &json!(false))
    );
    assert!((properties["threshold"]["default"].as_f64().unwrap() - 0.4).abs() < 1e-6);
    insta::assert_snapshot!("mcp_tools", serde_json::to_string_pretty(tools).unwrap());
    let (code, err) = client.end();
    assert_eq!((code, err.as_str()), (Some(0), ""));
}

#[test]
fn every_tool_answers() {
    let place = Place::new();
    filled(&place);
    let mut client = Client::start(&place, &[]);
    let found = client.ok("search", json!({"query": "upload", "limit": 1}));
    assert_eq!((found["hits"].as_array().unwrap().len(), &found["next_offset"]), (1, &json!(1)));
    assert!(found["notice"].as_str().unwrap().contains("untrusted"));
    let rest = client.ok("search", json!({"query": "upload", "limit": 5, "offset": 1}));
    assert_ne!(rest["hits"][0]["key"], found["hits"][0]["key"]);
    assert_eq!(rest["next_offset"], Value::Null);

    let found = client.ok("find_duplicates", json!({"number": 5, "include_closed": true}));
    assert_eq!(found["candidates"][0]["key"], "acme/app#1");
    for field in ["title", "body", "semantic", "combined"] {
        assert!(found["candidates"][0]["similarity"][field].is_number(), "{found}");
    }
    let found = client.ok("troubleshoot", json!({"text": "upload stops with FW-1043"}));
    assert_eq!((&found["outcome"], &found["cases"][0]["key"]), (&json!("solved"), &json!("acme/app#1")));
    let thread = client.ok("get_thread", json!({"key": "acme/app#1", "limit": 2, "offset": 1}));
    assert_eq!((thread["comments"].as_array().unwrap().len(), &thread["next_offset"]), (2, &json!(3)));
    assert!(thread.get("html").is_none() && thread["comments"][0].get("html").is_none());

    let note =
        json!({"kind": "lesson", "title": "Chunks", "body": "Keep them in order.", "attach": ["acme/app#1"]});
    assert_eq!(client.ok("store_note", note.clone())["outcome"], "stored");
    assert_eq!(client.ok("store_note", note)["outcome"], "duplicate");
    let similar = client
        .ok("check_similar", json!({"kind": "lesson", "title": "Chunks", "body": "Keep them in order."}));
    assert_eq!(
        (&similar["recommendation"], &similar["matches"][0]["id"]),
        (&json!("duplicate_found"), &json!("note#1"))
    );
    let verdict = json!({"key": "acme/app#5", "other": "acme/app#1", "verdict": "duplicate", "reason": "the same code"});
    assert_eq!(client.ok("record_verdict", verdict)["canonical"], "acme/app#1");
    let brief = client.ok("export_brief", json!({"key": "acme/app#5"}));
    assert!(brief["content"].as_str().unwrap().contains("## Solved cases"));
    let status = client.ok("status", json!({}));
    assert_eq!(status["sources"][0]["key"], "acme/app");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn failures_are_replies_with_a_remedy_and_unknown_parameters_are_refused() {
    let place = Place::new();
    filled(&place);
    let mut client = Client::start(&place, &[]);
    for (tool, arguments, code) in [
        ("find_duplicates", json!({"number": 99}), "not_found"),
        ("find_duplicates", json!({"number": 5, "threshold": 2.0}), "invalid_input"),
        ("search", json!({"query": "is:opne"}), "invalid_input"),
        ("search", json!({"query": "x", "max_chars": 5}), "invalid_input"),
        ("search", json!({"query": "x", "offset": u64::MAX, "limit": 10}), "invalid_input"),
        ("get_thread", json!({"key": "no/such#1"}), "not_found"),
        ("troubleshoot", json!({}), "invalid_input"),
        ("store_note", json!({"kind": "lesson", "title": "", "body": "x"}), "invalid_input"),
    ] {
        let reply = client.call(tool, arguments);
        let result = &reply["result"];
        assert_eq!(
            (&result["isError"], &result["structuredContent"]["code"]),
            (&json!(true), &json!(code)),
            "{reply}"
        );
        assert!(result["structuredContent"]["hint"].is_string(), "{tool} {reply}");
    }
    for (tool, arguments) in [
        ("find_duplicates", json!({"number": 5, "treshold": 0.5})),
        ("find_duplicates", json!({})),
        ("find_duplicates", json!({"number": "five"})),
        ("search", json!({"query": "x", "page": 2})),
        ("status", json!({"verbose": true})),
        ("delete_everything", json!({})),
    ] {
        let reply = client.call(tool, arguments.clone());
        let refused = reply["error"].is_object() || reply["result"]["isError"] == true;
        assert!(refused, "{tool} {arguments}: {reply}");
    }
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn malformed_frames_unknown_methods_and_huge_arguments_do_not_end_it() {
    let place = Place::new();
    filled(&place);
    let mut client = Client::start(&place, &[]);
    for line in ["{", "[]", "null", "\u{0}\u{1}", "{\"jsonrpc\": \"2.0\"}", "{\"id\": 1}", "not json at all"]
    {
        client.send(line);
        assert_eq!(client.ok("status", json!({}))["sources"][0]["key"], "acme/app", "after {line:?}");
    }
    assert!(client.ask("no/such/method", json!({}))["error"].is_object());
    let huge = format!("FW-1043 {}", "log line of a customer ".repeat(40_000));
    assert_eq!(client.ok("troubleshoot", json!({"text": huge}))["outcome"], "solved");
    let long = client.ok("search", json!({"query": "upload", "max_chars": 1000}));
    assert!(long.to_string().chars().count() <= 1_200 && long["truncated"] == true, "{long}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn a_client_that_leaves_before_it_says_hello_is_no_accident() {
    let place = Place::new();
    place.begin();
    let (code, err) = Client::silent(&place, &[]).end();
    assert!(code == Some(0) && err.is_empty(), "{code:?} {err}");
    let ran = place.run(&["mcp", "-R", "no/such"]);
    assert!(ran.code == Some(1) && ran.err.contains("no source"), "{}", ran.err);
}

#[test]
fn a_slow_call_says_how_far_it_is() {
    let place = Place::new();
    let path = place.file("in.jsonl", crate::support::tracker(3_000, 0, 2).0);
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-index"]);
    let mut client = Client::start(&place, &[]);
    client.send(
        &json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {
            "name": "search", "arguments": {"query": "agent timeout", "limit": 1}, "_meta": {"progressToken": "slow"}}})
        .to_string(),
    );
    // The index is made first; the notes say how far that is, and never go back.
    let mut told: Vec<f64> = Vec::new();
    let reply = loop {
        let mut line = String::new();
        assert!(client.output.read_line(&mut line).unwrap() > 0, "the server ended");
        let frame: Value = serde_json::from_str(&line).unwrap();
        if frame["method"] == "notifications/progress" {
            assert_eq!(frame["params"]["progressToken"], "slow", "{frame}");
            assert_eq!(frame["params"]["total"], 3_000.0, "{frame}");
            told.push(frame["params"]["progress"].as_f64().unwrap());
        } else if frame["id"] == 900 {
            break frame;
        }
    };
    assert_eq!(reply["result"]["structuredContent"]["hits"].as_array().unwrap().len(), 1, "{reply}");
    assert!(!told.is_empty() && told.is_sorted(), "{told:?}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn a_call_that_is_given_up_ends_and_the_next_is_answered() {
    let place = Place::new();
    let path = place.file("in.jsonl", crate::support::tracker(3_000, 0, 2).0);
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-index"]);
    let mut client = Client::start(&place, &[]);
    let call = json!({"jsonrpc": "2.0", "id": 901, "method": "tools/call", "params": {
        "name": "search", "arguments": {"query": "agent timeout"}}});
    client.send(&call.to_string());
    let cancel = json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 901, "reason": "enough"}});
    client.send(&cancel.to_string());
    assert_eq!(client.ok("status", json!({}))["sources"][0]["key"], "acme/app");
    // Unknown requests are given up without harm, too.
    client.send(&cancel.to_string().replace("901", "77"));
    assert!(
        !client.ok("search", json!({"query": "agent", "limit": 2}))["hits"].as_array().unwrap().is_empty()
    );
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn a_client_that_vanishes_in_the_middle_of_a_call() {
    let place = Place::new();
    filled(&place);
    let mut client = Client::start(&place, &[]);
    for id in 0..5 {
        let call = json!({"jsonrpc": "2.0", "id": 1_000 + id, "method": "tools/call", "params": {
            "name": "troubleshoot", "arguments": {"text": "upload stops"}}});
        client.send(&call.to_string());
    }
    // Both pipes are closed while it works.
    let Client { mut child, input, output, .. } = client;
    drop((input, output));
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    let status = child.wait().unwrap();
    assert!(!err.contains("panicked") && status.code().is_some(), "{status} {err}");
}
