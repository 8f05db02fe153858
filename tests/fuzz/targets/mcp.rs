//! Checks that the MCP server survives any lines, follows the protocol, answers no request twice,
//! and answers the request after them.
#![no_main]

use std::{
    cell::RefCell,
    collections::HashMap,
    time::{Duration, Instant},
};

use precedent_core::{Task, model::TroubleshootSettings};
use precedent_engine::OpenOptions;
use precedent_index::embed::Engine;
use precedent_mcp::{AllowedFolders, Server};
use serde_json::{Value, json, value::RawValue};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader};

/// The number of inputs after which the casebook is replaced, because they write to it.
const MAX_INPUTS: u32 = 2_000;
/// The id of the request after the input.
const LAST_ID: &str = "the last one";
/// The maximum number of lines of an input.
const MAX_LINES: usize = 12;

struct TestServer {
    runtime: tokio::runtime::Runtime,
    server: Server,
    _folder: tempfile::TempDir,
    input_count: u32,
}

impl TestServer {
    fn new() -> Self {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
        let folder = tempfile::tempdir().unwrap();
        let server = runtime.block_on(async {
            let mut options = OpenOptions::new(folder.path().join("casebook"));
            options.engine = Some(Engine::Hashed);
            let server =
                Server::new(options, None, TroubleshootSettings::default(), AllowedFolders::default());
            let casebook = server.casebook().await.unwrap();
            casebook.import_sample(&Task::new()).await.unwrap();
            casebook.update_index(&Task::new()).await.unwrap();
            server
        });
        Self { runtime, server, _folder: folder, input_count: 0 }
    }
}

thread_local! {
    static SERVER: RefCell<Option<TestServer>> = const { RefCell::new(None) };
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // Skip inputs that contain this id.
    if data.windows(LAST_ID.len()).any(|w| w == LAST_ID.as_bytes()) {
        return;
    }
    SERVER.with_borrow_mut(|slot| {
        let test_server = slot.get_or_insert_with(TestServer::new);
        let server = test_server.server.clone();
        test_server.runtime.block_on(converse(server, data));
        test_server.input_count += 1;
        if test_server.input_count == MAX_INPUTS {
            *slot = None;
        }
    });
});

async fn converse(server: Server, data: &[u8]) {
    let (client, pipe) = tokio::io::duplex(1 << 16);
    let (requests, replies) = tokio::io::split(pipe);
    let server_task = tokio::spawn(server.serve_streams(requests, replies));
    let (output, mut input) = tokio::io::split(client);

    // The number of requests by id.
    let mut open_calls: HashMap<String, usize> = HashMap::new();
    let mut lines = Vec::new();
    let initialize = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}});
    lines.push(initialize.to_string().into_bytes());
    lines.push(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string().into_bytes());
    lines.extend(data.split(|b| *b == b'\n').take(MAX_LINES).map(<[u8]>::to_vec));
    let last_call = json!({"jsonrpc": "2.0", "id": LAST_ID, "method": "tools/call", "params": {"name": "status", "arguments": {}}});
    lines.push(last_call.to_string().into_bytes());
    for line in &lines {
        // Like the server, this ignores a byte order mark, and reads an id in any object.
        let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        if let Ok(frame) = serde_json::from_slice::<HashMap<String, Box<RawValue>>>(line)
            && let Some(id) = frame.get("id").and_then(|id| serde_json::from_str::<Value>(id.get()).ok())
        {
            *open_calls.entry(id.to_string()).or_default() += 1;
        }
    }
    let writer = async move {
        for line in lines {
            if input.write_all(&line).await.is_err() || input.write_all(b"\n").await.is_err() {
                break;
            }
        }
        input
    };
    let reader = async {
        let mut replies = BufReader::new(output).lines();
        let mut has_last = false;
        // Replies to earlier calls may come after the last one.
        while let Some(line) = replies.next_line().await.expect("the server speaks UTF-8") {
            let frame: Value = serde_json::from_str(&line).unwrap_or_else(|e| panic!("{e}: {line}"));
            assert_eq!(frame["jsonrpc"], "2.0", "{line}");
            let Some(id) = frame.get("id").filter(|_| frame.get("method").is_none()) else { continue };
            if !id.is_null() {
                let remaining_calls = open_calls
                    .get_mut(&id.to_string())
                    .unwrap_or_else(|| panic!("reply without a call: {line}"));
                *remaining_calls =
                    remaining_calls.checked_sub(1).unwrap_or_else(|| panic!("answered twice: {line}"));
            }
            if let Some(text) = frame["result"]["content"][0]["text"].as_str() {
                assert!(text.chars().count() <= 200_000, "{} characters", text.chars().count());
                assert!(text.contains("untrusted data"), "no notice: {line}");
            }
            if id == LAST_ID {
                assert!(frame["result"]["structuredContent"]["sources"].is_array(), "{line}");
                has_last = true;
                break;
            }
        }
        assert!(has_last, "the server ended");
    };
    let conversation = async {
        let (input, ()) = tokio::join!(writer, reader);
        drop(input);
    };
    let start = Instant::now();
    let result = tokio::time::timeout(Duration::from_secs(25), conversation).await;
    assert!(result.is_ok(), "no answer in {:?}", start.elapsed());
    server_task.abort();
    if let Err(error) = server_task.await {
        assert!(!error.is_panic(), "{error}");
    }
}
