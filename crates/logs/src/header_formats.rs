//! Line headers of game engines and embedded devices, and texts that only look like a header.

use crate::level::{Head, Level};

/// The number of bytes in which the end of a bracket is searched.
const NEAR: usize = 160;

/// The form of the time and frame number in front of a line of Unreal: `[2026.05.12-10.00.00:123][
/// 44]`.
const UNREAL: &[u8] = b"[dddd.dd.dd-dd.dd.dd:ddd][";

/// Parses the header of a line of Unreal or of an Espressif chip.
pub(super) fn head(line: &[u8]) -> Option<Head<'_>> {
    match line {
        [b'[', b'1' | b'2', ..] => unreal(line),
        [letter, b' ', b'(', rest @ ..] => espressif(*letter, rest),
        _ => None,
    }
}

/// Parses `[2026.05.12-10.00.00:123][ 44]LogNet: Error: message`: time, frame number, source,
/// level.
fn unreal(line: &[u8]) -> Option<Head<'_>> {
    let fits =
        UNREAL.iter().zip(line).all(|(f, b)| if *f == b'd' { b.is_ascii_digit() } else { f == b });
    let frame = line.get(UNREAL.len()..).filter(|_| fits)?;
    let end = frame.iter().position(|b| !b.is_ascii_digit() && *b != b' ')?;
    let rest = frame[end..].strip_prefix(b"]")?;
    let at = Some(&line[1..UNREAL.len() - 2]);
    // Plain messages have no level after their source.
    let body = split(rest).map_or(rest, |(_, body)| body).trim_ascii_start();
    let header = split(body).and_then(|(word, message)| {
        let level = match word {
            b"Fatal" => Level::Fatal,
            b"Error" => Level::Error,
            b"Warning" => Level::Warning,
            b"Display" | b"Log" | b"Verbose" | b"VeryVerbose" => Level::Fine,
            _ => return None,
        };
        Some(Head { at, level: Some(level), message: message.trim_ascii_start() })
    });
    Some(header.unwrap_or(Head { at, level: Some(Level::Fine), message: body }))
}

/// Splits off a first word that ends with a colon.
fn split(text: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', &text[..text.len().min(NEAR)])?;
    (!text[..colon].contains(&b' ')).then(|| (&text[..colon], &text[colon + 1..]))
}

/// Parses `E (4420) wifi: message`: level, milliseconds, source.
fn espressif(letter: u8, rest: &[u8]) -> Option<Head<'_>> {
    let level = match letter {
        b'E' => Level::Error,
        b'W' => Level::Warning,
        b'I' | b'D' | b'V' => Level::Fine,
        _ => return None,
    };
    let digits = rest.iter().take_while(|b| b.is_ascii_digit()).count();
    let message = rest.get(digits..)?.strip_prefix(b") ")?;
    (digits > 0 && split(message).is_some()).then_some(Head {
        at: None,
        level: Some(level),
        message,
    })
}

/// Returns whether a word is an OpenSSL error, whose first part is no level: `error:0A000416:SSL`.
pub(super) fn is_openssl(word: &[u8]) -> bool {
    let Some(code) = word.strip_prefix(b"error:") else { return false };
    code.get(..8).is_some_and(|c| c.iter().all(u8::is_ascii_hexdigit)) && code.get(8) == Some(&b':')
}

/// Returns the end of a bracket with a level and a source location: `[ERROR:ui/shell.cc(41)]`.
pub(super) fn bracket(line: &[u8]) -> Option<usize> {
    let near = &line[..line.len().min(NEAR)];
    let end = memchr::memchr(b']', near).filter(|_| line.first() == Some(&b'['))?;
    (line[end - 1] == b')' && !line[..end].contains(&b' ')).then_some(end + 1)
}

#[cfg(test)]
mod tests {
    use crate::{
        head::{Level, head},
        read_text,
    };

    #[test]
    fn heads_of_engines_and_devices_are_read() {
        use Level::{Error, Fine, Warning};
        for (line, at, level, message) in [
            (
                "[2026.05.12-10.00.00:123][ 44]LogNet: Error: no slot",
                "2026.05.12-10.00.00:123",
                Some(Error),
                "no slot",
            ),
            (
                "[2026.05.12-10.00.00:123][  0]LogInit: Display: up",
                "2026.05.12-10.00.00:123",
                Some(Fine),
                "up",
            ),
            (
                "[2026.05.12-10.00.00:123][901]LogNet: joined: 3",
                "2026.05.12-10.00.00:123",
                Some(Fine),
                "joined: 3",
            ),
            ("W (4420) pump: slow", "", Some(Warning), "pump: slow"),
            ("E (1) of many", "", None, "E (1) of many"),
            (
                "May 12 2026 10:00:01 fw1 : %ASA-3-713902: no match",
                "May 12 2026 10:00:01",
                Some(Error),
                "%ASA-3-713902: no match",
            ),
            (
                "%ASA-4-113019: session disconnected",
                "",
                Some(Warning),
                "%ASA-4-113019: session disconnected",
            ),
            ("1795000000200,\"[ERROR] no slot", "1795000000200", Some(Error), "no slot"),
            (
                "[ERROR:ui/shell.cc(41)] Unhandled Exception: no slot",
                "",
                Some(Error),
                "Unhandled Exception: no slot",
            ),
            (
                "error:0A000086:SSL routines::certificate verify failed",
                "",
                Some(Error),
                "error:0A000086:SSL routines::certificate verify failed",
            ),
        ] {
            let header = head(line.as_bytes());
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            let want = (at.to_owned(), level, message.to_owned());
            assert_eq!(
                (header.at.map(text).unwrap_or_default(), header.level, text(header.message)),
                want,
                "{line}"
            );
        }
    }

    #[test]
    fn unreal_crash_is_one_error_with_its_reason() {
        let line =
            |text: &str| format!("[2026.05.12-10.00.00:123][ 44]LogWindows: Error: {text}\n");
        let crash = [
            "=== Critical error: ===",
            "",
            "Fatal error: [File:D:\\engine\\Map.h] [Line: 71] ",
            "Key not found: 4 of 4 tried",
            "[Callstack] 0x00007ff6a1 Game.exe!UBelt::Tick() [D:\\game\\Belt.cpp:20]",
        ];
        let text: String = crash.iter().map(|l| line(l)).collect();
        let fine = "[2026.05.12-09.59.00:001][ 43]LogNet: Display: joined\n";
        let groups = read_text(&format!("{fine}{text}")).groups;
        let messages: Vec<&str> = groups.iter().map(|g| g.message.as_str()).collect();
        assert_eq!(messages, ["Fatal error: Key not found: 4 of 4 tried"], "{groups:#?}");
        assert!(
            groups[0].example.contains("UBelt::Tick()") && !groups[0].example.contains("[ 44]"),
            "{groups:#?}"
        );
        // Unrelated lines of the same moment are no part of a crash.
        let two = [line("no texture"), line("no sound")].concat();
        assert_eq!(read_text(&two).groups.len(), 2);
    }

    #[test]
    fn openssl_error_is_kept_whole() {
        let groups = read_text(
            "1795000000: OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed\n",
        )
        .groups;
        assert_eq!(
            groups[0].message,
            "OpenSSL Error[0]: error:0A000086:SSL routines::certificate verify failed"
        );
    }
}
