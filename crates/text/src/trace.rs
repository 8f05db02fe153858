//! Functions in stack traces, independent of build, mangling and location.

use std::{borrow::Cow, sync::LazyLock};

use regex::Captures;

use crate::pattern::Pattern;

/// The number of top frames of each trace that are used.
pub const TOP_FRAMES: usize = 3;
/// The maximum number of frames kept of each trace.
const MAX_FRAMES: usize = 20;
/// The maximum number of lines between two frames of a trace.
const MAX_GAP: usize = 4;

// The frame patterns of each language, with the groups `name` (function) and `file`.
static JVM_AND_NET: Pattern = Pattern::new(
    r"^\s*at (?:async )?(?:new )?(?P<name>[^\s(/][^\s(]*(?:/[^\s(/]+)?)(?: \[as [^\]]+\])?(?: ?\(|\s*$| in )",
);
static PYTHON: Pattern =
    Pattern::new(r#"^\s*File "[^"\n]*?(?P<file>[^"/\\\n]+)", line \d+, in (?P<name>\S+)"#);
static RUST: Pattern =
    Pattern::new(r"^\s*\d{1,3}:\s+(?:0x[0-9a-f]+ - )?(?P<name>[<_a-zA-Z][^\s].*?)\s*$");
static GO: Pattern = Pattern::new(
    r"^(?P<name>[a-zA-Z][\w./~-]*\.(?:\(\*?[\w\[\].]+\)\.)?[\w.\[\]]+)\((?:0x|\.\.\.|\{|\)|[0-9])",
);
static RUBY: Pattern = Pattern::new(
    r"^\s*(?:from )?[^\s:]*?(?P<file>[^\s:/\\]+\.rb):\d+:in [`'](?:(?:block|rescue|ensure)(?: \(\d+ levels\))? in )?(?P<name>[^']+)'",
);
static PHP: Pattern =
    Pattern::new(r"^\s*#\d+ [^()]*?(?P<file>[^/\\()]+)\(\d+\): (?P<name>[\w\\>:{}$-]+)\(");
static NATIVE: Pattern = Pattern::new(
    r"^\s*#\d+\s+(?:0x[0-9a-fA-F]+ )?(?:in )?(?P<name>[~_a-zA-Z<(][^\n]*?)(?:\s+\(\S*\+0x[0-9a-f]+\))?(?:\s+\([^()]*=.*\)| \(\))?(?:\s+(?:at|from) \S+|\s+\S+:\d+(?::\d+)?)?(?:\s+\(BuildId: \w+\))?\s*$",
);
// A frame of Android's native code: `#00 pc 0004f1c2  /data/app/lib/arm/libtide.so (Tide_rise+48)`.
static ANDROID: Pattern = Pattern::new(
    r"^\s*#\d+ pc [0-9a-f]+\s+\S*?(?P<file>[^/\s]+)(?:\s+\((?P<name>[^\n]+?)(?:\+\d+)?\))?(?:\s+\(BuildId: \w+\))?\s*$",
);
static MINIDUMP: Pattern = Pattern::new(
    r"^\s*\d{1,3}\s+[\w.+-]+!(?P<name>[^\[\n]+?)(?: \+ 0x[0-9a-f]+)?(?:\s+\[.*\])?\s*$",
);
static APPLE: Pattern = Pattern::new(
    r"^\s*\d{1,3}\s+\S.{0,40}?\s+0x[0-9a-fA-F]{6,}\s+(?P<name>\S.*?)(?: \+ \d+)?(?: \([^()]*:\d+\))?\s*$",
);
static FIREFOX: Pattern = Pattern::new(
    r"^\s*(?P<name>[\w$.<>/*]+)@(?:https?|file|webpack|resource|moz)[^\s]*:\d+(?::\d+)?\s*$",
);

// Name parts that compilers add.
static NET_ASYNC: Pattern = Pattern::new(r"[.+]<(\w+)>d__\d+(?:`\d+)?\.MoveNext$");
static NET_CLOSURE: Pattern =
    Pattern::new(r"[.+]<>c(?:__DisplayClass\d+_\d+)?(?:`\d+)?\.<(\w+)>[bg]__[\w|]+$");
static JAVA_GENERATED: Pattern = Pattern::new(
    r"\$\$(?:Lambda|EnhancerBy[A-Za-z]+|FastClassBy[A-Za-z]+|SpringCGLIB)(?:\$\$?\w+)*(?:/0x[0-9a-f]+)?|\$\d+\b|\$Proxy\d+|\$(?:suspendImpl|default)$",
);
static LAMBDA: Pattern = Pattern::new(r"lambda\$(\w+?)\$\d+");
static CLOSURE: Pattern = Pattern::new(
    r"(?:\.func\d+|\.gowrap\d+|\.\d+)+$|::\{\{?closure\}?\}(?:#\d+)?(?:::\{\{?closure\}?\}(?:#\d+)?)*|\$_\d+|\{lambda\([^{}]*\)#\d+\}",
);
/// The hash of a Rust symbol. Before 1.12, hashes could be longer, and characters for the crate
/// followed.
static HASH: Pattern = Pattern::new(r"::h[0-9a-f]{16,20}[A-Za-z0-9]{0,4}$");
static SWIFT: Pattern = Pattern::new(
    r"^(?:specialized |@objc |closure #\d+ (?:\([^)]*\) )?in |partial apply for |thunk for |protocol witness for |static |implicit )+",
);
static ABI: Pattern = Pattern::new(
    r"std::__(?:\d+|cxx11|ndk1)::|\[abi:\w+\]|@@?GLIBC\w*[\d.]*|\.(?:cold|constprop|isra|part|llvm)(?:\.\d+)*",
);

/// The frames of runtimes and frameworks, which occur in the traces of all failures.
static RUNTIME_FRAMES: LazyLock<Vec<&str>> = LazyLock::new(|| {
    let rows = include_str!("runtime_frames.tsv").lines().filter(|row| !row.starts_with('#'));
    rows.filter_map(|row| row.split('\t').nth(1)).collect()
});
/// The line before the trace of a cause.
static CAUSE_PREFIX: Pattern = Pattern::new(
    r"^\s*(?:Caused by|Suppressed|Root cause|\[cause\]|--->|--- End of inner|During handling of|The above exception|Traceback \(most recent)",
);

/// Returns the functions of the frames in a text: the program's own at the top of each trace, in
/// order.
pub fn frames(text: &str) -> Vec<String> {
    top_frames(&traces(text)).cloned().collect()
}

/// Returns the functions of the top frames of these traces, in order.
pub(crate) fn top_frames(traces: &[Vec<String>]) -> impl Iterator<Item = &String> {
    traces.iter().flat_map(|trace| trace.iter().take(TOP_FRAMES))
}

/// Returns the functions of the program's own frames of each trace in a text, in order.
pub(crate) fn traces(text: &str) -> Vec<Vec<String>> {
    let mut out: Vec<Vec<String>> = Vec::new();
    // The frames of the current trace, its language, and the lines since its last frame.
    let mut trace: Vec<String> = Vec::new();
    let mut is_python = false;
    let mut gap = 0;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        let next = lines.peek().copied();
        if let Some(name) = may_be_frame(line).then(|| parse_frame(line, next)).flatten() {
            // Python writes the failing frame last.
            is_python = line.trim_start().starts_with("File \"");
            trace.push(name);
            gap = 0;
            continue;
        }
        gap += 1;
        // Each failure of a chain has its own trace.
        if !trace.is_empty() && (gap > MAX_GAP || CAUSE_PREFIX.is_match(line)) {
            out.push(take_frames(&mut trace, is_python));
        }
    }
    out.push(take_frames(&mut trace, is_python));
    out
}

/// Takes the first frames of a finished trace.
fn take_frames(trace: &mut Vec<String>, is_python: bool) -> Vec<String> {
    if is_python {
        trace.reverse();
    }
    let is_app = |name: &&String| !is_runtime(name);
    // A trace with only runtime frames keeps them.
    let has_app = trace.iter().any(|n| is_app(&n));
    // A recursive function counts once.
    trace.dedup();
    trace.drain(..).filter(|n| !has_app || is_app(&n)).take(MAX_FRAMES).collect()
}

/// Returns whether a frame belongs to a runtime, a framework or a test harness.
pub(crate) fn is_runtime(name: &str) -> bool {
    let function = name.rsplit(':').next().unwrap_or(name);
    RUNTIME_FRAMES.iter().any(|prefix| {
        let (prefix, name) = match prefix.strip_prefix("*:") {
            Some(prefix) => (prefix, function),
            None => (*prefix, name),
        };
        match prefix.strip_suffix('$') {
            Some(full_name) => name == full_name,
            None => name.starts_with(prefix),
        }
    })
}

/// Returns whether a line may contain a frame. This check rejects most lines quickly.
pub fn may_be_frame(line: &str) -> bool {
    let line = line.trim_start();
    let first = line.as_bytes().first().copied().unwrap_or_default();
    let has_call = || line.split_whitespace().next().is_some_and(|word| word.contains('('));
    first.is_ascii_digit()
        || first == b'#'
        || line.starts_with("at ")
        || line.starts_with("File \"")
        || line.contains(":in ")
        || line.contains('@')
        || has_call()
}

fn parse_frame(line: &str, next: Option<&str>) -> Option<String> {
    let start = line.trim_start();
    if start.starts_with("at ") {
        let name = JVM_AND_NET.captures(line)?;
        let name = &name["name"];
        // A location without a function: `at /srv/pool.js:12:9`, `at ./src/pool.rs:12:9`.
        if name.starts_with('.')
            || name.rsplit(':').next().is_some_and(|n| n.bytes().all(|b| b.is_ascii_digit()))
        {
            return None;
        }
        return managed_name(name);
    }
    if start.starts_with("File \"") {
        let c = PYTHON.captures(line)?;
        return Some(format!("{}:{}", c["file"].trim().to_lowercase(), c["name"].to_lowercase()));
    }
    if start.starts_with('#') {
        if let Some(c) = PHP.captures(line) {
            return Some(c["name"].to_lowercase()).filter(|name| !name.starts_with("{main}"));
        }
        if let Some(c) = ANDROID.captures(line) {
            // Without a name, the library identifies the function.
            let name = c.name("name").and_then(|name| native_name(name.as_str()));
            return Some(name.unwrap_or_else(|| c["file"].to_lowercase()));
        }
        return native_name(&NATIVE.captures(line)?["name"]);
    }
    if start.starts_with(|c: char| c.is_ascii_digit()) {
        let captures = [&MINIDUMP, &APPLE, &RUST].into_iter().find_map(|p| p.captures(line))?;
        return native_name(&captures["name"]);
    }
    if let Some(c) = RUBY.captures(line) {
        let name = c["name"].rsplit(['#', '.']).next().unwrap_or_default().to_lowercase();
        return (!name.is_empty()).then(|| format!("{}:{name}", c["file"].to_lowercase()));
    }
    if let Some(c) = FIREFOX.captures(line) {
        return Some(c["name"].to_lowercase());
    }
    // Go writes the location below the function; other code may look like a frame.
    let has_location =
        |next: &str| next.split_whitespace().next().is_some_and(|word| word.contains(".go:"));
    let name = GO.captures(line).filter(|_| next.is_none_or(has_location))?;
    // The directory of a package depends on the version of its module.
    let name = name["name"].rsplit('/').next().unwrap_or_default();
    let name = name.replace("[...]", "");
    Some(CLOSURE.replace_all(&name, "").to_lowercase())
}

/// Normalizes a function's name in the JVM, .NET or JavaScript.
fn managed_name(name: &str) -> Option<String> {
    let name = LAMBDA.replace(name, "$1");
    let name = JAVA_GENERATED.replace_all(&name, "");
    // `app//com.acme.Pool.take`, `java.base/java.util.List.get`
    let name = name.rsplit('/').next().unwrap_or_default();
    let name = NET_ASYNC.replace(name, ".$1");
    let name = NET_CLOSURE.replace(&name, ".$1");
    let name = name.split(['`', '[']).next().unwrap_or_default();
    (name.len() > 1 && name.contains(char::is_alphabetic)).then(|| name.to_lowercase())
}

/// Normalizes a function's name in Rust, C, C++, Swift or Objective-C.
fn native_name(name: &str) -> Option<String> {
    let name = name.trim();
    // A sentence is not a function: `3: the pool was dry`.
    if name.contains(' ') && !name.contains("::") && !name.contains(['(', '[', '<', '+', '.']) {
        return None;
    }
    if name.starts_with("0x") || name == "??" || name.contains("<unknown>") {
        return None;
    }
    let symbol = name.split([' ', '+']).next().unwrap_or(name);
    let name: Cow<'_, str> = match demangle(symbol) {
        Some(plain) => Cow::Owned(plain),
        None => Cow::Borrowed(name),
    };
    let name = SWIFT.replace(&name, "");
    let name = HASH.replace(&name, "");
    let name = ABI.replace_all(
        &name,
        |c: &Captures<'_>| if c[0].starts_with("std::") { "std::" } else { "" },
    );
    let name = strip_types(&name);
    let name = CLOSURE.replace_all(&name, "");
    let name = name.trim();
    // A sentence is not a function: `3: the pool was dry`.
    let is_name = !name.contains(' ') || name.starts_with(['-', '+']) || name.contains("operator");
    (name.len() > 1 && is_name && name.contains(char::is_alphabetic)).then(|| name.to_lowercase())
}

fn demangle(name: &str) -> Option<String> {
    if (name.starts_with("_ZN") || name.starts_with("_R"))
        && let Ok(plain) = rustc_demangle::try_demangle(name)
    {
        return Some(format!("{plain:#}"));
    }
    if name.starts_with("_Z") || name.starts_with("__Z") {
        let symbol = cpp_demangle::Symbol::new(
            name.trim_start_matches("__").trim_start_matches('_').as_bytes(),
        );
        let symbol = symbol.or_else(|_| cpp_demangle::Symbol::new(name.as_bytes())).ok()?;
        return symbol.demangle().ok();
    }
    None
}

/// Strips parameters and type arguments: `Pool<int>::take(int)` becomes `Pool::take`. Keeps the
/// type of a Rust implementation: `<app::Pool as Take>::take`.
fn strip_types(name: &str) -> String {
    // Objective-C: -[Pool take:]
    if name.starts_with("-[") || name.starts_with("+[") {
        return name.split(']').next().unwrap_or(name).to_owned();
    }
    let mut out = String::with_capacity(name.len());
    let mut depth = 0_usize;
    let is_implementation = name.starts_with('<');
    let name = match is_implementation {
        true => name[1..].replacen(" as ", "\u{1}", 1),
        false => name.to_owned(),
    };
    let mut is_skipped = false;
    for c in name.chars() {
        match c {
            '\u{1}' => is_skipped = true,
            '>' if is_implementation && depth == 0 => is_skipped = false,
            '<' | '(' => {
                depth += 1;
                if c == '(' && out.ends_with("operator") {
                    out.push_str("()");
                }
            }
            '>' | ')' => depth = depth.saturating_sub(1),
            _ if depth == 0 && !is_skipped => out.push(c),
            _ => {}
        }
    }
    // `void Pool::take const`
    let out = out.trim().trim_end_matches(" const");
    let last = out
        .rsplit_once(' ')
        .filter(|(_, last)| last.contains("::") || !out.contains("::"))
        .map_or(out, |(_, last)| last);
    last.trim_end_matches("::").to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_many_languages_name_their_function() {
        for (line, name) in [
            ("\tat com.acme.Pool.take(Pool.java:12)", "com.acme.pool.take"),
            ("\tat app//com.acme.Pool$1.run(Pool.java:12)", "com.acme.pool.run"),
            ("\tat com.acme.Pool.lambda$take$0(Pool.java:12)", "com.acme.pool.take"),
            (
                "\tat com.acme.Pool$$Lambda$14/0x000000080106.run(Unknown Source)",
                "com.acme.pool.run",
            ),
            (
                "\tat com.acme.Pool$$EnhancerBySpringCGLIB$$1a2b3c4d.take(<generated>)",
                "com.acme.pool.take",
            ),
            ("   at Acme.Pool.Take(Int32 n) in C:\\src\\Pool.cs:line 12", "acme.pool.take"),
            ("   at Acme.Pool.<TakeAsync>d__12.MoveNext()", "acme.pool.takeasync"),
            ("   at Acme.Pool.<>c__DisplayClass3_0.<Take>b__0()", "acme.pool.take"),
            ("    at async Pool.take (file:///srv/pool.js:12:9)", "pool.take"),
            ("    at new Pool (/srv/pool.js:12:9)", "pool"),
            ("  File \"/srv/app/pool.py\", line 12, in take", "pool.py:take"),
            ("   1: app::pool::take::h0123456789abcdef", "app::pool::take"),
            ("   1:     0x55d0 - _ZN3app4pool4take17h0123456789abcdefE", "app::pool::take"),
            ("   1:     0x7f0a - pool::Pool<'a>::take::h0aa4db1f83514f1b2Cp", "pool::pool::take"),
            ("   1:     0x7f0a - pool::take::h2196838884224490333", "pool::take"),
            ("   2: <app::pool::Pool as app::Take>::take", "app::pool::pool::take"),
            ("   3: app::pool::take::{{closure}}", "app::pool::take"),
            ("github.com/acme/app/pool.(*Pool).Take(0xc000012345)", "pool.(*pool).take"),
            ("main.run.func1()", "main.run"),
            ("\tfrom /srv/lib/pool.rb:12:in 'Pool#take'", "pool.rb:take"),
            ("\tfrom lib/pool.rb:12:in `block in take'", "pool.rb:take"),
            ("#0 /srv/src/Pool.php(12): Acme\\Pool->take()", "acme\\pool->take"),
            ("#0  0x00007ffff7a42428 in take (n=3) at pool.c:12", "take"),
            ("#1  Pool<int>::take (this=0x5555) at src/pool.cc:12", "pool::take"),
            ("    #0 0x4f5b5c in Pool::take(int) /src/pool.cc:12:3", "pool::take"),
            ("    #1 0x4f5b5c in _ZN4Pool4takeEi (/usr/bin/app+0x4f5b5c)", "pool::take"),
            (" 0  app!Pool::take(int) [pool.cc : 12 + 0x3]", "pool::take"),
            ("0   App      0x0000000104a3c2f4 Pool.take(_:) + 44 (Pool.swift:12)", "pool.take"),
            ("3   App      0x0000000104a3c2f4 closure #1 in Pool.take() + 44", "pool.take"),
            ("4   App      0x0000000104a3c2f4 -[Pool take:] + 44", "-[pool take:"),
            ("take@https://acme.example/app.js:12:9", "take"),
        ] {
            assert_eq!(parse_frame(line, None).as_deref(), Some(name), "{line}");
            assert!(may_be_frame(line), "{line}");
        }
        for line in [
            "             at ./src/pool.rs:12:9",
            "at the end of the day",
            "3: the pool was dry",
            "#12 is a duplicate",
            "    at /srv/pool.js:12:9",
        ] {
            assert_eq!(parse_frame(line, None), None, "{line}");
        }
    }

    #[test]
    fn top_frames_are_last_in_python() {
        let text = "Traceback (most recent call last):\n  File \"a.py\", line 1, in main\n    run()\n  File \"b.py\", line 2, in run\n    take()\n  File \"c.py\", line 3, in take\n    pop()\n  File \"d.py\", line 4, in pop\nIndexError\n";
        assert_eq!(frames(text), ["d.py:pop", "c.py:take", "b.py:run"]);
        let rust = "   0: rust_begin_unwind\n   1: core::panicking::panic_fmt\n   2: app::take\n             at ./src/x.rs:1:2\n   3: std::rt::lang_start\n";
        assert_eq!(frames(rust), ["app::take"]);
    }

    proptest::proptest! {
        #[test]
        fn any_line_is_accepted(line in "\\s*(at |File \"|#?[0-9]{1,3}:? +|from )?[ -~é]{0,80}") {
            frames(&line);
            proptest::prop_assert!(may_be_frame(&line) || parse_frame(&line, None).is_none());
        }
    }
}
