//! Tests of the MCP server, frame by frame: tools and their schemas, a call of every tool, errors
//! with a hint, limits, and input that must not end it.

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
        self.bytes(line.as_bytes());
    }

    /// Sends a line with any content.
    pub fn bytes(&mut self, line: &[u8]) {
        let input = self.input.as_mut().unwrap();
        input.write_all(line).unwrap();
        input.write_all(b"\n").unwrap();
        input.flush().unwrap();
    }

    /// Returns the next frame from the server.
    pub fn frame(&mut self) -> Value {
        let mut line = String::new();
        assert!(self.output.read_line(&mut line).unwrap() > 0, "the server ended");
        serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"))
    }

    /// Sends a request and returns its reply; what comes in between are notifications.
    pub fn ask(&mut self, method: &str, params: Value) -> Value {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}).to_string());
        loop {
            let frame = self.frame();
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
        // Clients that read only text get the same content.
        let text: Value = serde_json::from_str(result["content"][0]["text"].as_str().unwrap()).unwrap();
        assert_eq!(text, result["structuredContent"]);
        result["structuredContent"].clone()
    }

    /// Closes the pipe and asserts that the server ends without any output outside of the protocol.
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

fn import_sample(place: &Place) {
    let mut solved_item = issue(1, FAILURE, "On 2.3.1 it stops.");
    solved_item["state"] = json!("closed");
    solved_item["state_reason"] = json!("completed");
    solved_item["closed_at"] = json!("2026-01-08T00:00:00Z");
    let mut duplicate = issue(5, FAILURE, "It stops behind the proxy too.");
    duplicate["created_at"] = json!("2026-02-02T00:00:00Z");
    let mut lines: String = [solved_item, duplicate].iter().map(|r| format!("{r}\n")).collect();
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
fn tools_are_few_annotated_and_described() {
    let place = Place::new();
    let mut client = Client::start(&place, &[]);
    let response = client.ask("tools/list", json!({}));
    let tools = response["result"]["tools"].as_array().unwrap();
    let mut names: Vec<&str> = tools.iter().map(|t| t["name"].as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(
        names,
        [
            "ask",
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
    let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    for first in ["include_closed", "max_candidates", "number", "threshold"] {
        assert!(names.iter().any(|n| *n == first), "the first specification has {first}: {names:?}");
    }
    assert_eq!(find["inputSchema"].get("required"), None, "a draft has no number");
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
    import_sample(&place);
    let logs = place.path("logs");
    std::fs::create_dir(&logs).unwrap();
    let mut client = Client::start(&place, &["--allow", &logs.to_string_lossy()]);
    let response = client.ok("search", json!({"query": "upload", "limit": 1}));
    assert_eq!((response["hits"].as_array().unwrap().len(), &response["next_offset"]), (1, &json!(1)));
    assert!(response["notice"].as_str().unwrap().contains("untrusted"));
    let rest = client.ok("search", json!({"query": "upload", "limit": 5, "offset": 1}));
    assert_ne!(rest["hits"][0]["key"], response["hits"][0]["key"]);
    assert_eq!(rest["next_offset"], Value::Null);

    let response = client.ok("find_duplicates", json!({"number": 5, "include_closed": true}));
    assert_eq!(response["candidates"][0]["key"], "acme/app#1");
    for field in ["title", "body", "semantic", "combined"] {
        assert!(response["candidates"][0]["similarity"][field].is_number(), "{response}");
    }
    let response = client.ok("troubleshoot", json!({"text": "upload stops with FW-1043"}));
    assert_eq!(
        (&response["outcome"], &response["cases"][0]["key"]),
        (&json!("solved"), &json!("acme/app#1"))
    );
    let log =
        place.file("logs/server.log", "2026-05-12T10:00:00Z ERROR upload stops with FW-1043 at offset 12\n");
    let response = client.ok("troubleshoot", json!({"path": log}));
    assert_eq!(
        (&response["distinct"], &response["errors"][0]["count"]),
        (&json!(1), &json!(1)),
        "{response}"
    );
    let reply = client.call("troubleshoot", json!({"path": place.casebook()}));
    assert!(reply.to_string().contains("not allowed to read"), "{reply}");
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
fn brief_keeps_terms_and_redacts_links() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    let report = format!("Hello, this is Berta Brandt from Blue Harbour.\n\n{FAILURE}");
    let mut brief = |more: Value| {
        let mut arguments = json!({"text": report});
        arguments.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        client.ok("export_brief", arguments)["content"].as_str().unwrap().replace('\\', "")
    };
    let redacted_brief = brief(json!({}));
    assert!(
        !redacted_brief.contains("Brandt") && !redacted_brief.contains("Blue Harbour"),
        "{redacted_brief}"
    );
    assert!(redacted_brief.contains("tracker.example"), "{redacted_brief}");
    let kept_terms = brief(json!({"keep": ["blue harbour"]}));
    assert!(kept_terms.contains("from Blue Harbour.") && !kept_terms.contains("Brandt"), "{kept_terms}");
    // Removing links counts as redaction, regardless of the other option.
    let without_links = brief(json!({"redact": false, "redact_links": true}));
    assert!(
        !without_links.contains("tracker.example") && !without_links.contains("Brandt"),
        "{without_links}"
    );
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn failures_have_a_remedy_and_name_unknown_parameters() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    for (tool, arguments, code) in [
        ("find_duplicates", json!({"number": 99}), "not_found"),
        ("find_duplicates", json!({"number": 5, "threshold": 2.0}), "invalid_input"),
        ("find_duplicates", json!({}), "invalid_input"),
        ("find_duplicates", json!({"number": "five"}), "not_found"),
        ("find_duplicates", json!({"number": 5, "treshold": 0.5}), "invalid_input"),
        ("find_duplicates", json!({"number": 5, "key": "acme/app#1"}), "invalid_input"),
        ("find_duplicates", json!({"number": 5, "title": "a draft"}), "invalid_input"),
        ("find_duplicates", json!({"number": 5, "source": "acme/app", "everywhere": true}), "invalid_input"),
        ("search", json!({"query": "x", "page": 2}), "invalid_input"),
        ("search", json!({"query": "x", "limit": -1}), "invalid_input"),
        ("search", json!({"query": "x", "offset": 600}), "invalid_input"),
        ("get_thread", json!({"key": "acme/app#1", "offset": "1+x"}), "invalid_input"),
        ("status", json!({"verbose": true}), "invalid_input"),
        ("search", json!({"query": "is:opne"}), "invalid_input"),
        ("search", json!({"query": "x", "max_chars": 5}), "invalid_input"),
        ("search", json!({"query": "x", "offset": u64::MAX, "limit": 10}), "invalid_input"),
        ("get_thread", json!({"key": "no/such#1"}), "not_found"),
        ("troubleshoot", json!({}), "invalid_input"),
        ("troubleshoot", json!({"key": "acme/app#5", "text": "upload stops"}), "invalid_input"),
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
        let text = result["content"][0]["text"].as_str().unwrap();
        for rust in ["u64", "usize", "f32", "invalid type", "invalid value", "unknown field", "missing field"]
        {
            assert!(!text.contains(rust), "{text}");
        }
    }
    let reply = client.call("delete_everything", json!({}));
    let message = reply["error"]["message"].as_str().unwrap();
    assert!(
        message.contains("Unknown tool \"delete_everything\"") && message.contains("find_duplicates"),
        "{reply}"
    );
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn malformed_input_does_not_end_the_server() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    for line in ["{", "[]", "null", "\u{0}\u{1}", "{\"jsonrpc\": \"2.0\"}", "{\"id\": 1}", "not json at all"]
    {
        client.send(line);
        assert_eq!(client.ok("status", json!({}))["sources"][0]["key"], "acme/app", "after {line:?}");
    }
    for method in ["no/such/method", "resources/read", "logging/setLevel"] {
        let error = client.ask(method, json!({}))["error"].clone();
        let message = error["message"].as_str().unwrap();
        assert_eq!(error["code"], -32601, "{error}");
        assert!(message.contains(method) && message.contains("tools/list and tools/call"), "{message}");
    }
    let huge = format!("FW-1043 {}", "log line of a customer ".repeat(40_000));
    assert_eq!(client.ok("troubleshoot", json!({"text": huge}))["outcome"], "solved");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn client_may_leave_before_initialization() {
    let place = Place::new();
    place.begin();
    let (code, err) = Client::silent(&place, &[]).end();
    assert!(code == Some(0) && err.is_empty(), "{code:?} {err}");
    place.empty();
    let ran = place.run(&["mcp", "-R", "no/such"]);
    assert!(ran.code == Some(1) && ran.err.contains("not found"), "{}", ran.err);
}

#[test]
fn slow_call_reports_progress() {
    let place = Place::new();
    let path = place.file("in.jsonl", crate::support::tracker(3_000, 0, 2).0);
    place.ok(&["import", "github", &path.to_string_lossy(), "--source", "acme/app", "--no-index"]);
    let mut client = Client::start(&place, &[]);
    client.send(
        &json!({"jsonrpc": "2.0", "id": 900, "method": "tools/call", "params": {
            "name": "search", "arguments": {"query": "agent timeout", "limit": 1}, "_meta": {"progressToken": "slow"}}})
        .to_string(),
    );
    // The index is created first; progress notifications report it and never decrease.
    let mut progress: Vec<f64> = Vec::new();
    let reply = loop {
        let mut line = String::new();
        assert!(client.output.read_line(&mut line).unwrap() > 0, "the server ended");
        let frame: Value = serde_json::from_str(&line).unwrap();
        if frame["method"] == "notifications/progress" {
            assert_eq!(frame["params"]["progressToken"], "slow", "{frame}");
            assert_eq!(frame["params"]["total"], 3_000.0, "{frame}");
            progress.push(frame["params"]["progress"].as_f64().unwrap());
        } else if frame["id"] == 900 {
            break frame;
        }
    };
    assert_eq!(reply["result"]["structuredContent"]["hits"].as_array().unwrap().len(), 1, "{reply}");
    assert!(!progress.is_empty() && progress.is_sorted(), "{progress:?}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn cancelled_call_ends_and_the_next_works() {
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
    // Cancelling an unknown request is harmless.
    client.send(&cancel.to_string().replace("901", "77"));
    assert!(
        !client.ok("search", json!({"query": "agent", "limit": 2}))["hits"].as_array().unwrap().is_empty()
    );
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn vanished_client_ends_the_server() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    for id in 0..5 {
        let call = json!({"jsonrpc": "2.0", "id": 1_000 + id, "method": "tools/call", "params": {
            "name": "troubleshoot", "arguments": {"text": "upload stops"}}});
        client.send(&call.to_string());
    }
    // Both pipes are closed while the server works.
    let Client { mut child, input, output, .. } = client;
    drop((input, output));
    let mut err = String::new();
    child.stderr.take().unwrap().read_to_string(&mut err).unwrap();
    let status = child.wait().unwrap();
    assert!(!err.contains("panicked") && status.code().is_some(), "{status} {err}");
}

#[test]
fn invalid_request_gets_an_error_reply() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    let long = format!("{{\"jsonrpc\":\"2.0\",\"id\":9,\"method\":\"{}\"}}", "x".repeat(80_000_000));
    for (line, code, id) in [
        (&b"this is no json"[..], -32700, json!(null)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping", -32700, json!(null)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}", -32700, json!(null)),
        (long.as_bytes(), -32700, json!(null)),
        (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", -32600, json!(null)),
        (b"{\"jsonrpc\":\"2.0\",\"id\":\"seven\"}", -32600, json!("seven")),
        (b"{\"id\":8,\"method\":\"ping\"}", -32600, json!(8)),
        (
            b"{\"jsonrpc\":\"2.0\",\"id\":1000000000000000000000000000000,\"method\":\"ping\"}",
            -32600,
            json!(1e30),
        ),
        (b"{\"jsonrpc\":\"2.0\",\"id\":10,\"method\":\"tools/call\",\"params\":{}}", -32602, json!(10)),
    ] {
        let excerpt = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        client.bytes(line);
        let answer = client.frame();
        assert_eq!(answer["error"]["code"], code, "{excerpt}: {answer}");
        assert!(answer.get("id").is_some_and(|reply_id| *reply_id == id), "{excerpt}: {answer}");
        assert!(answer["error"]["message"].as_str().unwrap().ends_with('.'), "{excerpt}: {answer}");
        assert_eq!(client.ask("ping", json!({}))["result"], json!({}), "after {excerpt}");
    }
    // The long line was not kept in memory.
    if let Ok(status) = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())) {
        let peak = status.lines().find_map(|l| l.strip_prefix("VmHWM:")).unwrap();
        let kib: u64 = peak.trim().trim_end_matches(" kB").parse().unwrap();
        assert!(kib < 160_000, "{peak}");
    }
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn input_before_initialization_does_not_end_it() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::silent(&place, &[]);
    client.send("{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}");
    client.send("{\"jsonrpc\":\"2.0\",\"id\":3,\"result\":{}}");
    client.send("hello");
    assert_eq!(client.frame()["error"]["code"], -32700);
    let early = client.call("status", json!({}));
    assert!(early["error"]["message"].as_str().unwrap().contains("send initialize first"), "{early}");
    assert_eq!(client.ask("ping", json!({}))["result"], json!({}));
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}});
    assert_eq!(client.ask("initialize", hello)["result"]["serverInfo"]["name"], "precedent");
    assert_eq!(client.ok("status", json!({}))["sources"][0]["key"], "acme/app");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn empty_reply_is_complete_and_names_missing_keys() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    let response = client.ok("search", json!({"query": "zzzyqx mode:lexical", "max_chars": 1_000}));
    assert_eq!((&response["hits"], &response["truncated"]), (&json!([]), &Value::Null), "{response}");
    assert!(client.ok("status", json!({"max_chars": 3_000}))["sources"].is_array());
    let reply = client.call("get_thread", json!({"key": " "}));
    let message = reply["result"]["structuredContent"]["message"].as_str().unwrap();
    assert_eq!(message, "a key is missing");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn last_line_needs_no_newline() {
    let place = Place::new();
    let mut client = Client::silent(&place, &[]);
    let mut input = client.input.take().unwrap();
    input.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}").unwrap();
    drop(input);
    assert_eq!(client.frame()["result"], json!({}));
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn duplicates_accept_key_number_text_and_draft() {
    let place = Place::new();
    import_sample(&place);
    let twin = place.file("twin.jsonl", format!("{}\n", issue(5, FAILURE, "On 2.3.1 it stops.")));
    place.ok(&["import", "github", &twin.to_string_lossy(), "--source", "acme/lib"]);
    let mut client = Client::start(&place, &[]);
    let first = |response: &Value| response["candidates"][0]["key"].as_str().unwrap_or_default().to_owned();
    let ambiguous = client.call("find_duplicates", json!({"number": 5}));
    let message = ambiguous["result"]["content"][0]["text"].as_str().unwrap();
    assert!(message.contains("acme/app#5") && message.contains("acme/lib#5"), "{message}");
    for arguments in [
        json!({"key": "acme/app#5"}),
        json!({"number": "acme/app#5"}),
        json!({"number": 5, "source": "acme/app"}),
        json!({"number": "5", "source": "acme/app"}),
        json!({"key": "#5", "source": "acme/app", "title": "", "body": null}),
        json!({"number": 1, "source": "acme/lib"}),
        json!({"title": FAILURE, "body": "On 2.3.1 it stops.", "source": "acme/app"}),
    ] {
        let mut request = arguments.clone();
        request["include_closed"] = json!("true");
        if arguments["number"] == 1 {
            let reply = client.call("find_duplicates", request);
            assert_eq!(reply["result"]["structuredContent"]["code"], "not_found", "{reply}");
            continue;
        }
        assert_eq!(first(&client.ok("find_duplicates", request)), "acme/app#1", "{arguments}");
    }
    let keys = |response: &Value| -> Vec<String> {
        response["candidates"]
            .as_array()
            .unwrap()
            .iter()
            .map(|c| c["key"].as_str().unwrap().to_owned())
            .collect()
    };
    let one_source = client.ok("find_duplicates", json!({"key": "acme/lib#5", "include_closed": true}));
    assert_eq!(keys(&one_source), Vec::<String>::new());
    let everywhere = client
        .ok("find_duplicates", json!({"key": "acme/lib#5", "include_closed": true, "everywhere": true}));
    assert!(keys(&everywhere).contains(&"acme/app#1".to_owned()), "{everywhere}");
    let draft =
        client.ok("find_duplicates", json!({"title": FAILURE, "body": "It stops.", "include_closed": true}));
    assert!(keys(&draft).iter().any(|k| k.starts_with("acme/app")), "{draft}");
    assert!(keys(&draft).iter().any(|k| k.starts_with("acme/lib")), "{draft}");
    assert_eq!(client.end().0, Some(0));
    // A server for one source resolves numbers and queries in that source.
    let mut client = Client::start(&place, &["-R", "acme/app"]);
    assert_eq!(
        first(&client.ok("find_duplicates", json!({"number": 5, "include_closed": true}))),
        "acme/app#1"
    );
    assert_eq!(client.ok("get_thread", json!({"key": 5}))["key"], "acme/app#5");
    let draft = client.ok("find_duplicates", json!({"title": FAILURE, "include_closed": true}));
    assert!(keys(&draft).iter().all(|k| k.starts_with("acme/app")), "{draft}");
    assert_eq!(client.end().0, Some(0));
}

#[test]
fn read_only_tools_write_nothing() {
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    client.ok("search", json!({"query": "upload"}));
    let database = || {
        let connection = rusqlite::Connection::open(place.casebook().join("precedent.db")).unwrap();
        let count = |table: &str| -> u64 {
            connection.query_row(&format!("SELECT count(*) FROM \"{table}\""), [], |r| r.get(0)).unwrap()
        };
        let names: Vec<String> = connection
            .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
            .unwrap()
            .query_map([], |r| r.get(0))
            .unwrap()
            .map(Result::unwrap)
            .collect();
        names.into_iter().map(|name| (count(&name), name)).collect::<Vec<_>>()
    };
    let database_before = database();
    for (tool, arguments) in [
        ("search", json!({"query": "upload"})),
        ("find_duplicates", json!({"number": 5, "include_closed": true})),
        ("find_duplicates", json!({"title": FAILURE})),
        ("troubleshoot", json!({"key": "acme/app#5"})),
        ("ask", json!({"key": "acme/app#5"})),
        ("get_thread", json!({"key": "acme/app#5"})),
        ("check_similar", json!({"kind": "lesson", "title": "Chunks", "body": "Keep them in order."})),
        ("export_brief", json!({"key": "acme/app#5"})),
        ("status", json!({})),
    ] {
        client.ok(tool, arguments);
        assert_eq!(database(), database_before, "{tool}");
    }
    assert_eq!(client.end().0, Some(0));
    // A query by an agent removes no report from the queue of unchecked ones.
    assert_eq!(place.json(&["triage", "--json"])["scanned"], 1);
}

#[cfg(target_os = "linux")]
#[test]
fn many_calls_at_once_take_bounded_memory() {
    const CALLS: u64 = 300;
    let place = Place::new();
    import_sample(&place);
    let mut client = Client::start(&place, &[]);
    client.ok("search", json!({"query": "upload"}));
    let most = |client: &Client| -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", client.child.id())).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmHWM")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    };
    let memory_before = most(&client);
    for id in 1_000..1_000 + CALLS {
        let call = json!({"name": "troubleshoot", "arguments": {"text": format!("{FAILURE}, case {id}")}});
        client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": call}).to_string());
    }
    let mut replies = 0;
    while replies < CALLS {
        let frame = client.frame();
        if frame["id"].as_u64().is_some_and(|id| id >= 1_000) {
            assert_ne!(frame["result"]["isError"], true, "{frame}");
            replies += 1;
        }
    }
    let grown = (most(&client) - memory_before) / 1024;
    assert!(grown < 200, "{grown} MB more for {CALLS} calls at once");
    assert_eq!(client.end().0, Some(0));
}
