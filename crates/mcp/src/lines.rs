//! The lines between a client and `rmcp`.
//!
//! `rmcp` ignores lines that are not JSON and omits ids, so each line is checked first, and invalid
//! ones are answered here.

use std::{collections::HashMap, io, time::Duration};

use rmcp::{
    RoleServer,
    model::{
        ClientJsonRpcMessage, ClientRequest, GetMeta as _, JsonRpcMessage, NumberOrString,
        ProtocolVersion, ServerJsonRpcMessage,
    },
    transport::Transport,
};
use serde_json::value::RawValue;
use tokio::{
    io::{AsyncBufReadExt as _, AsyncRead, AsyncWrite, AsyncWriteExt as _, BufReader},
    sync::{mpsc, oneshot},
    task::JoinHandle,
};

/// The maximum length of a line, in bytes; a longer one is discarded.
pub const MAX_LINE: usize = 16 << 20;
/// The maximum length in bytes of an id that is repeated in an answer.
const MAX_ID: usize = 1_000;
/// The maximum number of answers that wait to be written.
const MAX_PENDING: usize = 16;
/// The time limit for closing a connection to a client that does not read.
pub const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

const PARSE_ERROR: i32 = -32700;
const INVALID_REQUEST: i32 = -32600;
const METHOD_NOT_FOUND: i32 = -32601;
const INVALID_PARAMS: i32 = -32602;

/// A connection to a client, line by line.
pub struct Lines<R> {
    input: Input<R>,
    /// True if the client has initialized the session.
    is_initialized: bool,
    /// Pending answer to a line that is not passed to `rmcp`.
    answer: Option<Vec<u8>>,
    output: Option<mpsc::Sender<Vec<u8>>>,
    writer: Option<JoinHandle<()>>,
}

impl<R: AsyncRead + Send + Unpin> Lines<R> {
    /// Starts reading from `reader` and writing to `writer`. Also returns a receiver for the result of
    /// writing, because `rmcp` drops it.
    pub fn new<W: AsyncWrite + Send + Unpin + 'static>(
        reader: R,
        writer: W,
    ) -> (Self, oneshot::Receiver<io::Result<()>>) {
        let (output, lines) = mpsc::channel(MAX_PENDING);
        let (sender, completion) = oneshot::channel();
        // The receiver may be gone.
        let write_task = async move { drop(sender.send(write_lines(writer, lines).await)) };
        let lines = Self {
            input: Input {
                reader: BufReader::new(reader),
                line: Vec::new(),
                is_skipping: false,
                max: MAX_LINE,
            },
            is_initialized: false,
            answer: None,
            output: Some(output),
            writer: Some(tokio::spawn(write_task)),
        };
        (lines, completion)
    }

    /// Returns whether `rmcp` can accept the message now.
    ///
    /// Before initialization, `rmcp` ends the session at the first message that is not a request. A
    /// request that comes too early is answered here.
    fn accepts(&mut self, message: &ClientJsonRpcMessage) -> bool {
        match message {
            JsonRpcMessage::Request(call) => {
                let is_probe = matches!(
                    call.request,
                    ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_)
                );
                self.is_initialized |= match &call.request {
                    ClientRequest::InitializeRequest(_) => true,
                    ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
                    // Later protocol versions send the initialization data with each request.
                    request => request
                        .get_meta()
                        .missing_required_keys(&ProtocolVersion::V_2026_07_28)
                        .is_empty(),
                };
                if !self.is_initialized && !is_probe {
                    let id = serde_json::to_string(&call.id).ok();
                    let text =
                        "Not initialized: send initialize first, then notifications/initialized.";
                    self.answer = Some(error_response(id.as_deref(), INVALID_REQUEST, text));
                    return false;
                }
                true
            }
            _ => self.is_initialized,
        }
    }
}

impl<R: AsyncRead + Send + Unpin + 'static> Transport<RoleServer> for Lines<R> {
    type Error = io::Error;

    fn send(
        &mut self,
        item: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let line = serde_json::to_vec(&item).map(|mut line| {
            line.push(b'\n');
            line
        });
        let output = self.output.clone();
        async move {
            let output = output.ok_or(io::ErrorKind::NotConnected)?;
            output.send(line?).await.map_err(|_| io::ErrorKind::BrokenPipe.into())
        }
    }

    /// Receives the next message.
    ///
    /// The future may be dropped at any time: a partial line and a pending answer are kept.
    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        loop {
            let output = self.output.as_ref()?;
            if self.answer.is_some() {
                let permit = output.reserve().await.ok()?;
                permit.send(self.answer.take()?);
            }
            let next = tokio::select! {
                next = self.input.next() => next.ok()?,
                () = output.closed() => return None,
            };
            let parsed_line = match next {
                NextLine::Line => parse_line(&self.input.line),
                NextLine::TooLong => Err(error_response(
                    None,
                    PARSE_ERROR,
                    &format!("Lines must be shorter than {MAX_LINE} bytes. This line was ignored."),
                )),
                NextLine::End => return None,
            };
            self.input.line.clear();
            match parsed_line {
                Ok(Some(message)) if self.accepts(&message) => return Some(message),
                Ok(_) => {}
                Err(answer) => self.answer = Some(answer),
            }
        }
    }

    async fn close(&mut self) -> io::Result<()> {
        drop(self.output.take());
        match self.writer.take() {
            Some(writer) => tokio::time::timeout(CLOSE_TIMEOUT, writer).await?.map_err(Into::into),
            None => Ok(()),
        }
    }
}

/// Writes lines, each completely before the next.
async fn write_lines(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::Receiver<Vec<u8>>,
) -> io::Result<()> {
    while let Some(line) = lines.recv().await {
        writer.write_all(&line).await?;
        writer.flush().await?;
    }
    Ok(())
}

struct Input<R> {
    reader: BufReader<R>,
    line: Vec<u8>,
    /// True if the rest of an overlong line is being skipped.
    is_skipping: bool,
    max: usize,
}

enum NextLine {
    /// A line, stored in `line` without its end.
    Line,
    TooLong,
    End,
}

impl<R: AsyncRead + Unpin> Input<R> {
    /// Reads to the end of a line and keeps at most `max` bytes.
    ///
    /// The future may be dropped at any time: a partial line is kept.
    async fn next(&mut self) -> io::Result<NextLine> {
        let Self { reader, line, is_skipping, max } = self;
        loop {
            let buffer = reader.fill_buf().await?;
            if buffer.is_empty() {
                // The last line may have no line break.
                return Ok(if line.is_empty() { NextLine::End } else { NextLine::Line });
            }
            let end = buffer.iter().position(|b| *b == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            let length = end.map_or(buffer.len(), |end| end + 1);
            let fits = line.len() + part.len() <= *max;
            if !*is_skipping && fits {
                line.extend_from_slice(part);
            }
            reader.consume(length);
            match (*is_skipping, fits, end) {
                (false, true, Some(_)) => return Ok(NextLine::Line),
                (false, false, _) => {
                    *line = Vec::new();
                    *is_skipping = end.is_none();
                    return Ok(NextLine::TooLong);
                }
                (true, _, Some(_)) => *is_skipping = false,
                (_, _, None) => {}
            }
        }
    }
}

/// Parses a line. Returns `None` for an empty line and for an invalid notification or reply, which
/// are not answered. Every request is returned or rejected, with its id if readable.
///
/// # Errors
/// Returns the answer to an invalid line.
fn parse_line(line: &[u8]) -> Result<Option<ClientJsonRpcMessage>, Vec<u8>> {
    let parse_error = |text: &str| error_response(None, PARSE_ERROR, text);
    let line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
    let text =
        str::from_utf8(line).map_err(|_| parse_error("This line is not valid UTF-8."))?.trim();
    if text.is_empty() {
        return Ok(None);
    }
    serde_json::from_str::<&RawValue>(text).map_err(|error| {
        let problem = if error.is_eof() { "unexpected end" } else { "syntax error" };
        let column = error.column();
        parse_error(&format!("This line is not valid JSON: {problem} at character {column}."))
    })?;
    let reject = |id: Option<&str>, text: &str| Err(error_response(id, INVALID_REQUEST, text));
    if text.starts_with('[') {
        return reject(None, "Batches are not supported; send one message per line.");
    }
    if !text.starts_with('{') {
        return reject(None, "A message must be a JSON object.");
    }
    let Ok(fields) = serde_json::from_str::<HashMap<String, &RawValue>>(text) else {
        return reject(None, "A field name in this message is not a valid string.");
    };
    let field = |name: &str| fields.get(name).map(|raw| raw.get());
    let string = |name: &str| serde_json::from_str::<String>(field(name)?).ok();
    let id = field("id").filter(|id| is_repeatable_id(id));
    let Some(method) = string("method") else {
        return match fields.contains_key("method") {
            true => reject(id, "The method must be a string."),
            false if fields.contains_key("result") || fields.contains_key("error") => {
                Ok(serde_json::from_str(text).ok())
            }
            false => reject(id, "The message has no method."),
        };
    };
    if string("jsonrpc").as_deref() != Some("2.0") {
        return reject(id, "The field jsonrpc must be \"2.0\".");
    }
    let Some(raw_id) = field("id") else {
        let message = serde_json::from_str(text).ok();
        return Ok(message.filter(|message| matches!(message, JsonRpcMessage::Notification(_))));
    };
    if serde_json::from_str::<NumberOrString>(raw_id).is_err() {
        return reject(id, "The id must be a string or a signed 64-bit integer.");
    }
    if field("params").is_some_and(|p| !p.starts_with('{') && p != "null") {
        return Err(error_response(id, INVALID_PARAMS, "The params must be an object."));
    }
    match serde_json::from_str::<ClientJsonRpcMessage>(text) {
        // The answer of `rmcp` contains only the method's name.
        Ok(JsonRpcMessage::Request(_)) if !METHODS.contains(&&*method) => {
            let name: String = method.chars().take(60).collect();
            let text = format!(
                "Unknown method \"{name}\". This server supports tools/list and tools/call."
            );
            Err(error_response(id, METHOD_NOT_FOUND, &text))
        }
        Ok(JsonRpcMessage::Request(call))
            if matches!(call.request, ClientRequest::CustomRequest(_)) =>
        {
            let text = format!("The params of {method} are invalid.");
            Err(error_response(id, INVALID_PARAMS, &text))
        }
        Ok(message @ JsonRpcMessage::Request(_)) => Ok(Some(message)),
        Ok(_) => reject(id, "This method is not a request."),
        Err(_) => reject(
            id,
            "Cannot read this request: it is nested too deeply, or it contains an invalid string.",
        ),
    }
}

/// The methods that `rmcp` handles; its lists may be empty.
const METHODS: &[&str] = &[
    "initialize",
    "ping",
    "tools/call",
    "tools/list",
    "resources/list",
    "resources/templates/list",
    "prompts/list",
    "server/discover",
];

/// Returns whether an answer can repeat an id: a short string or number.
fn is_repeatable_id(id: &str) -> bool {
    let is_number = id.starts_with(|c: char| c == '-' || c.is_ascii_digit());
    id.len() <= MAX_ID && (is_number || serde_json::from_str::<String>(id).is_ok())
}

/// Formats an error response. `rmcp` omits an unknown id, but the protocol requires `null`.
fn error_response(id: Option<&str>, code: i32, text: &str) -> Vec<u8> {
    let error = serde_json::json!({"code": code, "message": text});
    format!("{{\"jsonrpc\":\"2.0\",\"id\":{},\"error\":{error}}}\n", id.unwrap_or("null"))
        .into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error_reply(line: &[u8]) -> Option<serde_json::Value> {
        parse_line(line).err().map(|answer| serde_json::from_slice(&answer).unwrap())
    }

    #[test]
    fn invalid_line_is_answered_with_its_id() {
        for (line, code, id) in [
            (&b"this is no json"[..], PARSE_ERROR, "null"),
            (b"{", PARSE_ERROR, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"} x", PARSE_ERROR, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", PARSE_ERROR, "null"),
            (b"\0", PARSE_ERROR, "null"),
            (b"null", INVALID_REQUEST, "null"),
            (b"[]", INVALID_REQUEST, "null"),
            (b"[{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}]", INVALID_REQUEST, "null"),
            (b"{\"jsonrpc\":\"2.0\"}", INVALID_REQUEST, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7}", INVALID_REQUEST, "7"),
            (b"{\"id\":\"a\",\"method\":\"ping\"}", INVALID_REQUEST, "\"a\""),
            (b"{\"jsonrpc\":\"1.0\",\"id\":7,\"method\":\"ping\"}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":1}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":null,\"method\":\"ping\"}", INVALID_REQUEST, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":[1],\"method\":\"ping\"}", INVALID_REQUEST, "null"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":1.5,\"method\":\"ping\"}", INVALID_REQUEST, "1.5"),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":1000000000000000000000000000000,\"method\":\"ping\"}",
                INVALID_REQUEST,
                "1000000000000000000000000000000",
            ),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"\\ud800\"}", INVALID_REQUEST, "7"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"ping\",\"params\":5}", INVALID_PARAMS, "7"),
            (b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\"}", INVALID_PARAMS, "7"),
            (
                b"{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"tools/call\",\"params\":{\"name\":\"x\",\"arguments\":[]}}",
                INVALID_PARAMS,
                "7",
            ),
        ] {
            let text = String::from_utf8_lossy(line);
            let Err(answer) = parse_line(line) else { panic!("{text}: no answer") };
            let answer = String::from_utf8(answer).unwrap();
            assert!(answer.contains(&format!("\"id\":{id},")), "{text}: {answer}");
            assert!(answer.contains(&format!("\"code\":{code},")), "{text}: {answer}");
            assert!(answer.ends_with('\n') && answer.lines().count() == 1, "{text}: {answer}");
        }
        let nested_request = format!(
            "{{\"jsonrpc\":\"2.0\",\"id\":7,\"method\":\"x\",\"params\":{{\"a\":{}{}}}}}",
            "[".repeat(500),
            "]".repeat(500)
        );
        assert_eq!(error_reply(nested_request.as_bytes()).unwrap()["id"], 7);
    }

    #[test]
    fn invalid_notification_is_not_answered() {
        for line in [
            &b""[..],
            b"  \r",
            b"\xef\xbb\xbf",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":5}",
            b"{\"jsonrpc\":\"2.0\",\"method\":\"notifications/of/another/kind\"}",
            b"{\"jsonrpc\":\"2.0\",\"id\":{},\"result\":5}",
            b"{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":-32700,\"message\":\"x\"}}",
        ] {
            assert_eq!(error_reply(line), None, "{}", String::from_utf8_lossy(line));
        }
    }

    #[test]
    fn unknown_method_error_names_the_supported_methods() {
        let reply = error_reply(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"no/such\"}").unwrap();
        assert_eq!((&reply["id"], &reply["error"]["code"]), (&1.into(), &METHOD_NOT_FOUND.into()));
        assert!(reply["error"]["message"].as_str().unwrap().contains("tools/call"), "{reply}");
    }

    #[test]
    fn requests_are_passed_on() {
        for line in [
            "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r",
            "\u{feff}{\"jsonrpc\":\"2.0\",\"id\":\"a\",\"method\":\"tools/list\",\"params\":null}",
            "{\"jsonrpc\":\"2.0\",\"id\":1.0,\"method\":\"prompts/list\"}",
        ] {
            let is_request =
                matches!(parse_line(line.as_bytes()), Ok(Some(JsonRpcMessage::Request(_))));
            assert!(is_request, "{line}");
        }
    }

    #[tokio::test]
    async fn overlong_line_is_not_kept_in_memory() {
        let long_line = "x".repeat(100_000);
        let text = format!("one\n{long_line}\ntwo\n{long_line}");
        let mut input = Input {
            reader: BufReader::new(text.as_bytes()),
            line: Vec::new(),
            is_skipping: false,
            max: 1_000,
        };
        let mut events = Vec::new();
        loop {
            match input.next().await.unwrap() {
                NextLine::Line => {
                    events.push(String::from_utf8(std::mem::take(&mut input.line)).unwrap())
                }
                NextLine::TooLong => {
                    assert_eq!(input.line.capacity(), 0);
                    events.push("too long".to_owned());
                }
                NextLine::End => break,
            }
        }
        assert_eq!(events, ["one", "too long", "two", "too long"]);
    }
}
