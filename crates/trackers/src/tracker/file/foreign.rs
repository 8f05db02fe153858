//! Files that hold nothing to import: what they look like, and what to do.

use serde_json::Value;

use super::content::Content;
use precedent_core::error::Error;
use precedent_text::html;

fn error(content: &Content, what: &str, hint: &str) -> Error {
    let inside = match content.path.file_name().map(|n| n.to_string_lossy()) {
        Some(name) if name != content.name.as_str() => {
            format!("{}: {}", content.path.display(), content.name)
        }
        _ => content.path.display().to_string(),
    };
    Error::not_found(format!("{inside}: {what}: nothing to import")).with_hint(hint.to_owned())
}

/// A file that is what it should be and holds nothing.
pub fn nothing(content: &Content, what: &str) -> Error {
    error(
        content,
        &format!("this is {what}"),
        "Export again, and look whether the tracker gave a list with anything in it.",
    )
}

/// What GitLab's export of a project holds beside its issues.
pub fn merge_requests(content: &Content) -> Error {
    let what =
        "these are merge requests, which GitLab counts apart from the issues whose numbers they would take";
    error(content, what, "The issues of the project are read: tree/project/issues.ndjson.")
}

/// What the first bytes of a file give away.
pub fn at_once(content: &Content, start: &[u8]) -> Option<Error> {
    let known: &[(&[u8], &str, &str)] = &[
        (b"%PDF", "this is a PDF", "Export the list as CSV or JSON."),
        (b"\x89PNG", "this is a picture", "Export the list as CSV or JSON."),
        (b"\xff\xd8\xff", "this is a picture", "Export the list as CSV or JSON."),
        (b"GIF8", "this is a picture", "Export the list as CSV or JSON."),
        (b"7z\xbc\xaf\x27\x1c", "this is a 7z archive", "Unpack it, and import the folder."),
        (b"Rar!", "this is a RAR archive", "Unpack it, and import the folder."),
        (
            b"\xd0\xcf\x11\xe0",
            "this is a document of an office program",
            "Save a sheet as CSV, a mail of Outlook (.msg) as .eml, and import that.",
        ),
        (
            b"SQLite format 3",
            "this is an SQLite database",
            "A casebook is brought in from its export: precedent import casebook FILE.",
        ),
        (b"\x7fELF", "this is a program", "Export the list as CSV or JSON."),
        (
            b"version https://git-lfs.github.com",
            "this is a pointer of Git LFS, not the file that it stands for",
            "Fetch the file itself: git lfs pull.",
        ),
    ];
    if let Some((_, what, hint)) = known.iter().find(|(mark, ..)| start.starts_with(mark)) {
        return Some(error(content, what, hint));
    }
    if start.iter().all(|b| b.is_ascii_whitespace() || *b == 0) || start.trim_ascii() == b"\xef\xbb\xbf" {
        return Some(nothing(content, "an empty file"));
    }
    None
}

/// Whether XML is Bugzilla's.
pub fn is_bugzilla(text: &str) -> bool {
    let start: String = text.chars().take(4000).collect();
    start.contains("<bugzilla") || (start.contains("<bug>") && start.contains("<bug_id>"))
}

/// HTML, or XML that is not known.
pub fn markup(content: &Content, text: &str) -> Error {
    let start: String = text.chars().take(20_000).collect();
    let lower = start.to_ascii_lowercase();
    if !lower.contains("<html") && !lower.contains("<!doctype html") {
        return error(
            content,
            "this is XML that is not known here",
            "Of XML, Bugzilla's show_bug.cgi?ctype=xml is read. Export as JSON or CSV.",
        );
    }
    let title =
        lower.find("<title").and_then(|at| start.get(at..)).and_then(|t| t.split_once('>')).map(|(_, t)| t);
    let title = title.map(|t| html::to_text(t.split('<').next().unwrap_or_default())).unwrap_or_default();
    let title: String = title.chars().take(60).collect();
    let words = format!("{lower} {}", title.to_lowercase());
    let login =
        ["password", "sign in", "log in", "login", "anmelden", "sso"].iter().any(|w| words.contains(w));
    let what = if login { "this is a page for signing in" } else { "this is a web page" };
    let named = if title.trim().is_empty() { String::new() } else { format!(" (\"{}\")", title.trim()) };
    error(
        content,
        &format!("{what}{named}, not an export"),
        "The tracker answered with a page: sign in there, or give the download a token, and fetch the file again.",
    )
}

/// A text that is no table.
pub fn text(content: &Content, text: &str) -> Error {
    let start: String = text.chars().take(2000).collect();
    let odd = start.chars().filter(|c| c.is_control() && !c.is_whitespace() || *c == '\u{fffd}').count();
    if odd * 20 > start.chars().count() {
        return error(
            content,
            "this is no text",
            "JSON, CSV, XML, mails and Markdown are read, packed in gz, bz2, xz, zst, zip and tar, too.",
        );
    }
    let line: String =
        start.lines().map(str::trim).find(|l| !l.is_empty()).unwrap_or_default().chars().take(60).collect();
    error(
        content,
        &format!("this is a text that is neither JSON nor a table (\"{line}\")"),
        "Export the list as CSV or JSON. Pages of a wiki end in .md or the like.",
    )
}

/// JSON that is an answer of another kind than a list of reports.
pub fn answer(content: &Content, text: &str, first: Option<&Value>, holder: bool) -> Option<Error> {
    let bare: String = text.chars().filter(|c| !c.is_whitespace() && *c != '\u{feff}').take(8).collect();
    if first.is_none() && !holder && matches!(bare.as_str(), "[]" | "{}" | "[[]]" | "[][]") {
        return Some(nothing(content, "an empty list"));
    }
    // An answer that holds no list tells why beside it.
    let whole: Option<Value> = match first {
        None if holder => serde_json::from_str(text).ok(),
        _ => None,
    };
    let holder = holder && whole.is_none();
    let first = whole.as_ref().or(first)?;
    if first.get("name").is_some() && first.get("color").is_some() && first.get("title").is_none() {
        return Some(error(content, "this is a list of labels", "Export the issues themselves."));
    }
    if first.get("title").is_some() || first.get("number").is_some() || first.get("id").is_some() || holder {
        return None;
    }
    let said = |name: &str| match first.get(name)? {
        Value::String(text) => Some(text.clone()),
        Value::Array(all) => all.iter().find_map(|v| {
            v.as_str().map(str::to_owned).or_else(|| v.get("message")?.as_str().map(str::to_owned))
        }),
        Value::Object(object) => {
            ["message", "title", "detail"].iter().find_map(|n| object.get(*n)?.as_str().map(str::to_owned))
        }
        _ => None,
    };
    let told = ["message", "errors", "errorMessages", "error", "error_description"];
    let words = told.iter().find_map(|n| said(n)).filter(|w| !w.is_empty())?;
    let words: String = words.chars().take(100).collect();
    let lower = words.to_lowercase();
    let hint = match () {
        () if lower.contains("credential")
            || lower.contains("unauthor")
            || lower.contains("authent")
            || lower.contains("forbidden") =>
        {
            "The tracker refused the export: sign in or give a token that may read it (gh auth login), and export again."
        }
        () if lower.contains("rate limit") => {
            "The tracker allows no more requests for now: export again later."
        }
        () if lower.contains("not found") => {
            "The tracker does not know the project, or this access may not see it: check the name and the token, and export again."
        }
        () => "The tracker answered with an error instead of a list: mend what it says, and export again.",
    };
    Some(error(content, &format!("this is an error that a tracker answered (\"{words}\")"), hint))
}
