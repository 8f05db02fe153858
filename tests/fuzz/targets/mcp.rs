//! Lines from a client: whatever they are, the server stays, says only what the protocol allows,
//! answers no request twice, and answers the next one.
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

/// A casebook that so many inputs have written into is put away: what they store must not become
/// the load.
const INPUTS: u32 = 2_000;
/// The id of the request that comes behind the input's own.
const LAST: &str = "the last one";
/// The most lines of one input.
const LINES: usize = 12;

struct Desk {
    runtime: tokio::runtime::Runtime,
    /// Its clones share the casebook.
    server: Server,
    _folder: tempfile::TempDir,
    inputs: u32,
}

impl Desk {
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
        Self { runtime, server, _folder: folder, inputs: 0 }
    }
}

thread_local! {
    static DESK: RefCell<Option<Desk>> = const { RefCell::new(None) };
}

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    // The one id that is not the input's to use.
    if data.windows(LAST.len()).any(|w| w == LAST.as_bytes()) {
        return;
    }
    DESK.with_borrow_mut(|slot| {
        let desk = slot.get_or_insert_with(Desk::new);
        let server = desk.server.clone();
        desk.runtime.block_on(converse(server, data));
        desk.inputs += 1;
        if desk.inputs == INPUTS {
            *slot = None;
        }
    });
});

async fn converse(server: Server, data: &[u8]) {
    let (client, pipe) = tokio::io::duplex(1 << 16);
    let (heard, output) = tokio::io::split(pipe);
    let server_task = tokio::spawn(server.serve_streams(heard, output));
    let (output, mut input) = tokio::io::split(client);

    // An id that is the input's own is asked as often as it says.
    let mut open_calls: HashMap<String, usize> = HashMap::new();
    let mut lines = Vec::new();
    let hello = json!({"jsonrpc": "2.0", "id": "hello", "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "fuzz", "version": "1"}}});
    lines.push(hello.to_string().into_bytes());
    lines.push(json!({"jsonrpc": "2.0", "method": "notifications/initialized"}).to_string().into_bytes());
    lines.extend(data.split(|b| *b == b'\n').take(LINES).map(<[u8]>::to_vec));
    let last = json!({"jsonrpc": "2.0", "id": LAST, "method": "tools/call", "params": {"name": "status", "arguments": {}}});
    lines.push(last.to_string().into_bytes());
    for line in &lines {
        // Looser than the server, which passes over a mark of the byte order and reads an id
        // whatever stands beside it.
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
    let reading = async {
        let mut replies = BufReader::new(output).lines();
        let mut has_last = false;
        // What was called before goes on beside the last call; its replies may come later.
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
            if id == LAST {
                assert!(frame["result"]["structuredContent"]["sources"].is_array(), "{line}");
                has_last = true;
                break;
            }
        }
        assert!(has_last, "the server left");
    };
    let talk = async {
        let (input, ()) = tokio::join!(writer, reading);
        drop(input);
    };
    let began = Instant::now();
    let result = tokio::time::timeout(Duration::from_secs(25), talk).await;
    assert!(result.is_ok(), "no answer in {:?}", began.elapsed());
    server_task.abort();
    if let Err(error) = server_task.await {
        assert!(!error.is_panic(), "{error}");
    }
}
