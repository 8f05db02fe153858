//! Apple crash reports: a line that names the app, then an object that describes the crash.

use std::sync::LazyLock;

use memchr::memmem::Finder;
use precedent_core::model::LogSeverity;
use serde_json::Value;

use crate::template::Event;

/// The maximum number of frames that are kept.
const MAX_FRAMES: usize = 40;
/// The searcher for a string that every crash report contains.
static EXCEPTION_FINDER: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"EXC_"));

/// Parses a crash report that begins in this line; returns `None` for any other object. The text is
/// in Apple's older format, with the frames of the failed thread.
pub(super) fn parse(text: &str, line: u64) -> Option<Event> {
    // Most objects are records of loggers.
    EXCEPTION_FINDER.find(text.as_bytes())?;
    let value: Value = serde_json::from_str(text).ok()?;
    let get = |path: &str| value.pointer(path).and_then(Value::as_str).map(str::to_owned);
    let kind = get("/exception/type").filter(|kind| kind.starts_with("EXC_"))?;
    let kind = get("/exception/signal").map_or(kind.clone(), |signal| format!("{kind} ({signal})"));
    let mut reasons = Vec::new();
    let mut lines = vec![format!("Exception Type: {kind}")];
    lines.extend(get("/exception/subtype").map(|s| format!("Exception Subtype: {s}")));
    if let Some(reason) = value.get("termination").and_then(termination_reason) {
        lines.push(format!("Termination Reason: {reason}"));
        reasons.push(reason);
    }
    // The program's own last message is the most specific.
    let exception_message = get("/exceptionReason/composed_message");
    let notes = value["asi"].as_object().into_iter().flat_map(|notes| notes.values());
    let notes =
        notes.filter_map(Value::as_array).flatten().filter_map(Value::as_str).map(str::to_owned);
    let notes: Vec<String> = exception_message.into_iter().chain(notes.take(4)).collect();
    lines.extend(notes.iter().map(|note| format!("Application Specific Information: {note}")));
    if let Some(note) = notes.into_iter().next() {
        reasons.insert(0, note);
    }
    lines.extend(format_frames(&value));
    let message = match reasons.first() {
        Some(reason) => format!("{kind} · {}", reason.lines().next().unwrap_or_default()),
        None => kind,
    };
    let (severity, time) = (LogSeverity::Fatal, get("/captureTime"));
    Some(Event { severity, time, line, message, text: lines.join("\n"), is_cut: false })
}

/// Returns the termination reason: the namespace, the code and the note.
fn termination_reason(value: &Value) -> Option<String> {
    let get = |name: &str| value.get(name).and_then(Value::as_str);
    let scope = get("namespace")?;
    let reason = value.pointer("/reasons/0").and_then(Value::as_str);
    let Some(reason) = reason.or_else(|| get("indicator")) else {
        return value.get("code").and_then(Value::as_u64).map(|code| format!("{scope} {code}"));
    };
    // `<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:…>`
    let code = reason.split_once("code:").and_then(|(_, rest)| rest.split([' ', ',', '>']).next());
    let Some((_, note)) = reason.split_once("explanation:") else {
        return Some(format!("{scope} {reason}"));
    };
    let note = note.trim().trim_end_matches('>');
    Some(code.map_or_else(|| format!("{scope} {note}"), |code| format!("{scope} {code} {note}")))
}

/// Returns the frames of the failed thread, below its name.
fn format_frames(value: &Value) -> Vec<String> {
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let threads = list(&value["threads"]);
    let number = value["faultingThread"].as_u64().and_then(|n| usize::try_from(n).ok());
    let number = number.or_else(|| threads.iter().position(|t| t["triggered"] == true));
    let Some((number, thread)) = number.and_then(|n| Some((n, threads.get(n)?))) else {
        return Vec::new();
    };
    // The frames of an uncaught exception have their own field.
    let backtrace = list(value.get("lastExceptionBacktrace").unwrap_or(&thread["frames"]));
    let format_frame = |(index, frame): (usize, &Value)| {
        let get = |name: &str| frame[name].as_u64().unwrap_or_default();
        let image = &value["usedImages"][usize::try_from(get("imageIndex")).ok()?]["name"];
        let image = image.as_str().filter(|name| !name.is_empty());
        let symbol = frame["symbol"].as_str()?;
        let (image, offset) = (image.unwrap_or("app"), get("imageOffset"));
        Some(format!("{index}   {image} 0x{offset:016x} {symbol} + {}", get("symbolLocation")))
    };
    let mut out = vec![format!("Thread {number} Crashed:")];
    out.extend(backtrace.iter().enumerate().take(MAX_FRAMES).filter_map(format_frame));
    out
}

#[cfg(test)]
mod tests {
    use crate::read_text;

    #[test]
    fn apple_crash_report_is_one_failure() {
        let head = "{\"app_name\":\"Ferry\",\"timestamp\":\"2026-05-12 10:00:00.00 +0200\",\"bug_type\":\"309\"}\n";
        let body = r#"{
  "captureTime" : "2026-05-12 09:59:58.1 +0200",
  "exception" : {"type":"EXC_CRASH","signal":"SIGKILL"},
  "termination" : {"code":7,"namespace":"FRONTBOARD","reasons":["<RBSTerminateContext| domain:10 code:0x8BADF00D explanation:scene-update watchdog transgression: app<org.ferry> exhausted 10.00 seconds>"]},
  "faultingThread" : 1,
  "threads" : [{"frames":[]},{"triggered":true,"frames":[{"imageOffset":4096,"symbol":"Berth.sort()","symbolLocation":44,"imageIndex":1}]}],
  "usedImages" : [{"name":"dyld"},{"name":"Ferry"}]
}
"#;
        let compact = serde_json::from_str::<serde_json::Value>(body).unwrap().to_string();
        for text in [format!("{head}{body}"), format!("{head}{compact}\n"), body.to_owned()] {
            let groups = read_text(&text).groups;
            let expected = "EXC_CRASH (SIGKILL) · FRONTBOARD 0x8BADF00D scene-update watchdog transgression: app<org.ferry> exhausted 10.00 seconds";
            assert_eq!(
                groups.iter().map(|g| &g.message[..]).collect::<Vec<_>>(),
                [expected],
                "{text}"
            );
            assert!(groups[0].example.contains("1000 Berth.sort() + 44"), "{}", groups[0].example);
            assert_eq!(groups[0].first.at.as_deref(), Some("2026-05-12 09:59:58.1 +0200"));
        }
    }

    #[test]
    fn last_message_of_a_program_names_its_crash() {
        let body = r#"{"exception":{"type":"EXC_BREAKPOINT","signal":"SIGTRAP"},"termination":{"namespace":"SIGNAL","indicator":"Trace/BPT trap: 5"},"asi":{"libswiftCore.dylib":["Quay.swift:12: Fatal error: Index out of range"]}}"#;
        let groups = read_text(&format!("{{\"app_name\":\"Ferry\"}}\n{body}\n")).groups;
        assert_eq!(
            groups[0].message,
            "EXC_BREAKPOINT (SIGTRAP) · Quay.swift:12: Fatal error: Index out of range"
        );
    }
}
