//! E-mail addresses, network addresses and hosts.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use regex::{Captures, Regex};

use super::{
    Certainty::{Doubtful, Sure},
    lines::Lines,
    re,
    redactor::Redactor,
};

static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9]\b"));
static IPV4: LazyLock<Regex> = LazyLock::new(|| re(r"\b(?:\d{1,3}\.){3}\d{1,3}\b"));
static IPV6: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)(?:[0-9a-f]{1,4}:|::)(?:[0-9a-f]{0,4}:){1,7}[0-9a-f]{0,4}(?:%[a-z0-9]+)?"));
static MAC: LazyLock<Regex> = LazyLock::new(|| re(r"(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b"));
static URL: LazyLock<Regex> = LazyLock::new(|| re(r#"(?i)\bhttps?://[^\s<>()\[\]"'`|]+"#));
static URL_HOST: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b([a-z][a-z0-9+.-]*://(?:[^\s/@]*@)?)([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)"));
static HOST: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?:com|net|org|edu|gov|mil|int|io|dev|app|cloud|info|biz|co|ai|me|tv|cc|local|internal|intranet|intra|lan|corp|home|private|prod|localdomain|localhost|example|test|invalid|onion|arpa|eu|de|uk|fr|nl|es|it|ch|at|se|no|fi|dk|pl|cz|ru|ua|jp|cn|kr|in|br|ar|mx|au|nz|ca|us|za|il|tr|be|pt|ie|gr|hu|ro)\b",
    )
});
static NAMED_HOST: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)\b((?:host(?:name)?|server|node|machine|computer|peer|broker|nodename)\s*[:=]\s*["']?)([a-z0-9][a-z0-9._-]*[a-z0-9])"#,
    )
});
static SYSLOG: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^((?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}T\S+) )([A-Za-z0-9][A-Za-z0-9._-]*)( [\w./-]+(?:\[\d+\])?:)",
    )
});
static PROMPT: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?m)\b([A-Za-z_][\w.-]*)@([A-Za-z][\w.-]*)(:[~/][^\s$#]*)?([$#] |:)"));

/// Names of the web that say nothing about anybody: where software lives, and software that is called like a host.
const EVERYBODYS: &[&str] = &[
    "ado.net",
    "apache.org",
    "asp.net",
    "cppreference.com",
    "crates.io",
    "debian.org",
    "developer.mozilla.org",
    "docker.com",
    "docker.io",
    "docs.github.com",
    "docs.rs",
    "draw.io",
    "en.wikipedia.org",
    "example.com",
    "example.net",
    "example.org",
    "fedoraproject.org",
    "gcr.io",
    "ghcr.io",
    "git-scm.com",
    "github.com",
    "gitlab.com",
    "gnu.org",
    "golang.org",
    "google.com",
    "hub.docker.com",
    "huggingface.co",
    "k8s.io",
    "kernel.org",
    "kubernetes.io",
    "learn.microsoft.com",
    "microsoft.com",
    "ml.net",
    "mozilla.org",
    "nginx.org",
    "nodejs.org",
    "npmjs.com",
    "nuget.org",
    "openssl.org",
    "packages.debian.org",
    "php.net",
    "pkg.go.dev",
    "play.rust-lang.org",
    "postgresql.org",
    "pypi.org",
    "python.org",
    "quay.io",
    "raw.githubusercontent.com",
    "repo.maven.apache.org",
    "rubygems.org",
    "rust-lang.org",
    "rustup.rs",
    "socket.io",
    "sqlite.org",
    "stackoverflow.com",
    "ubuntu.com",
    "vb.net",
    "w3.org",
    "wikipedia.org",
];

/// Endings that are words of programs, too: `log.info`, `java.io`, `configure.in`.
const WORDS: &[&str] = &[
    "ai", "app", "ar", "at", "be", "br", "ca", "cc", "ch", "cloud", "co", "de", "dev", "es", "in", "info",
    "int", "io", "is", "it", "me", "net", "no", "pt", "se", "tr", "us",
];

/// What stands before such a word in programs.
const OBJECTS: &[&str] = &[
    "app",
    "args",
    "array",
    "arr",
    "class",
    "cls",
    "config",
    "configure",
    "console",
    "ctx",
    "data",
    "doc",
    "document",
    "err",
    "error",
    "event",
    "file",
    "fs",
    "java",
    "javax",
    "list",
    "log",
    "logger",
    "logging",
    "module",
    "node",
    "obj",
    "object",
    "os",
    "path",
    "process",
    "req",
    "request",
    "requirements",
    "res",
    "response",
    "result",
    "self",
    "std",
    "str",
    "string",
    "sys",
    "system",
    "test",
    "this",
    "user",
    "vec",
    "window",
];

static TRIPLE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:x86_64|x86|i[3-6]86|amd64|aarch64|arm|riscv|powerpc|ppc|s390x|sparc|mips|wasm|loongarch64|thumb|universal|nvptx|bpf)[a-z0-9_]*-[a-z0-9_.]+(?:-[a-z0-9_.]+){0,2}$",
    )
});
static VERSION: LazyLock<Regex> =
    LazyLock::new(|| re(r"^v?\d+(?:\.\d+)*(?:[-.](?:rc|alpha|beta|pre|dev|lts|x)[.\d]*)?$"));

/// Links to the tracker itself, where they are not to be handed over.
pub(super) fn hide_links(
    r: &mut Redactor,
    text: &str,
    trackers: &std::collections::BTreeSet<String>,
) -> String {
    r.replace(&URL, text, |r, c, _| {
        let link = c[0].trim_end_matches(['.', ',', ';', ':', '!', '?']);
        let host = super::host_of(link).unwrap_or_default();
        if trackers.contains(&host) {
            format!("{}{}", r.hide("link", Sure, link), &c[0][link.len()..])
        } else {
            c[0].to_owned()
        }
    })
}

pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = r.whole(&EMAIL, "email", text);
    out = r.whole(&MAC, "address", &out);
    out = r.replace(&IPV4, &out, |r, c, text| match c[0].parse::<Ipv4Addr>() {
        // A telephone number may be written with dots.
        Ok(_) if c.get(0).is_some_and(|m| text[..m.start()].ends_with('+')) => c[0].to_owned(),
        Ok(ip) if !(ip.is_loopback() || ip.is_unspecified() || ip.is_broadcast()) => {
            r.hide("address", Sure, &c[0])
        }
        _ => c[0].to_owned(),
    });
    out = r.replace(&IPV6, &out, |r, c, _| {
        let bare = c[0].split('%').next().unwrap_or_default();
        match bare.parse::<Ipv6Addr>().map(IpAddr::from) {
            Ok(ip)
                if !(ip.is_loopback() || ip.is_unspecified())
                    && bare.contains(|d: char| d.is_ascii_digit()) =>
            {
                r.hide("address", Sure, bare)
            }
            _ => c[0].to_owned(),
        }
    });
    out = r.replace(&URL_HOST, &out, |r, c, _| format!("{}{}", &c[1], host(r, &c[2])));
    out = r.replace(&SYSLOG, &out, |r, c, _| format!("{}{}{}", &c[1], host(r, &c[2]), &c[3]));
    out = r.replace(&PROMPT, &out, |r, c, _| {
        let path = c.get(3).map_or("", |m| m.as_str());
        format!("{}@{}{path}{}", r.name(&c[1]), host(r, &c[2]), &c[4])
    });
    out = r.replace(&NAMED_HOST, &out, |r, c, _| {
        // "server: send it again" names no host, "server: web03" does.
        let said = c[1].ends_with(char::is_whitespace) && !c[1].to_lowercase().starts_with("host");
        let plain = c[2].chars().all(char::is_alphabetic);
        if said && plain { c[0].to_owned() } else { format!("{}{}", &c[1], host(r, &c[2])) }
    });
    let lines = Lines::of(&out);
    r.replace(&HOST, &out, |r, c, text| bare_host(r, c, text, &lines))
}

/// A name with dots that stands by itself. Programs have such names, too.
fn bare_host(r: &mut Redactor, c: &Captures<'_>, text: &str, lines: &Lines) -> String {
    let whole = &c[0];
    let (start, end) = c.get(0).map_or((0, 0), |m| (m.start(), m.end()));
    let (before, after) = (&text[..start], &text[end..]);
    let mut next = after.chars();
    let goes_on = match next.next() {
        Some('(' | '_' | '@') => true,
        Some('.' | '-') => next.next().is_some_and(char::is_alphanumeric),
        Some(':') => next.next() == Some(':'),
        _ => false,
    };
    let came_before = matches!(before.chars().next_back(), Some('.' | '/' | '\\' | '-' | '$' | '_'))
        || before.ends_with("::");
    // `System.Net`, `Microsoft.Extensions.App`: hosts are written in one case.
    let mixed = whole.split('.').any(|label| {
        label.chars().next().is_some_and(char::is_uppercase) && label.chars().any(char::is_lowercase)
    });
    if goes_on || came_before || mixed {
        return whole.to_owned();
    }
    let lower = whole.to_lowercase();
    let labels: Vec<&str> = lower.split('.').collect();
    let ends_in_a_word = labels.last().is_some_and(|end| WORDS.contains(end));
    if labels.len() == 2 && OBJECTS.contains(&labels[0]) {
        return whole.to_owned();
    }
    if labels.len() > 2 || !ends_in_a_word {
        return host(r, whole);
    }
    // In code and logs a short name with such an ending is hardly ever a host.
    if !lines.is_prose(start) && labels[0].len() < 3 || is_no_host(r, &lower) {
        return whole.to_owned();
    }
    r.hide("host", Doubtful, &lower)
}

fn is_no_host(r: &Redactor, lower: &str) -> bool {
    let everybodys = lower.strip_prefix("www.").unwrap_or(lower);
    super::NO_NAMES.contains(&lower)
        || lower.starts_with('[')
        || r.keeps_host(lower)
        || EVERYBODYS.contains(&everybodys)
        || TRIPLE.is_match(lower)
        || VERSION.is_match(lower)
        || lower.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

fn host(r: &mut Redactor, host: &str) -> String {
    let lower = host.to_lowercase();
    if is_no_host(r, &lower) { host.to_owned() } else { r.hide("host", Sure, &lower) }
}

#[cfg(test)]
pub(super) fn patterns() -> [&'static Regex; 10] {
    [&EMAIL, &IPV4, &IPV6, &MAC, &URL, &URL_HOST, &HOST, &NAMED_HOST, &SYSLOG, &PROMPT]
}

#[cfg(test)]
mod tests {
    use super::super::tests::redacted;

    #[test]
    fn what_is_written_like_a_host_and_is_none_stays() {
        for text in [
            "published on crates.io and docs.rs",
            "host: x86_64-unknown-linux-gnu",
            "host: aarch64-apple-darwin, node: v18.2.0",
            "java.io.IOException: closed",
            "at java.net.Socket.connect(Socket.java:1)",
            "log.info(\"started\") and window.me",
            "System.Net and Microsoft.Extensions.App",
            "cannot find requirements.in or configure.in",
            "https://github.com/tokio-rs/tokio and https://crates.io/crates/serde",
            "ASP.NET on example.com",
            "target/x86_64-pc-windows-msvc/debug/build.dev/x",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn hosts_are_told_from_words_and_the_doubtful_are_marked() {
        assert_eq!(redacted("see intranet.acme.io, at acme-corp.com"), "see [host-1], at [host-2]");
        assert_eq!(redacted("it runs at acme.io."), "it runs at [host-1].");
    }
}
