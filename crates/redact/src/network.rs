//! Network addresses and hosts.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use precedent_text::words::Words;
use regex::Regex;

use super::{
    Certainty::{Doubtful, Sure},
    facts::pattern,
    lines::{self, Lines},
    redactor::{NO_LOGINS, Redactor},
    words,
};

static HOST: LazyLock<Regex> = LazyLock::new(|| pattern("host"));
static IPV4: LazyLock<Regex> = LazyLock::new(|| pattern("ipv4"));
static IPV6: LazyLock<Regex> = LazyLock::new(|| pattern("ipv6"));
static BEFORE_A_MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern("before_a_member"));
static BEHIND_A_MEMBER: LazyLock<Regex> = LazyLock::new(|| pattern("behind_a_member"));
static MIXED_CASE: LazyLock<Regex> = LazyLock::new(|| pattern("mixed_case"));
static NO_HOST: LazyLock<Regex> = LazyLock::new(|| pattern("no_host"));
static BEFORE_A_VERSION: LazyLock<Regex> = LazyLock::new(|| pattern("before_a_version"));
static AFTER_A_VERSION: LazyLock<Regex> = LazyLock::new(|| pattern("after_a_version"));

/// The hosts that identify no person: of software and its documentation, and software named like a
/// host. No private names exist below them.
static PUBLIC_HOSTS: Words = Words::new(include_str!("../data/public_hosts.txt"));
/// The top-level domains that are also words of programs: `log.info`, `java.io`, `configure.in`.
static WORDS: Words = Words::new(include_str!("../data/ambiguous_domains.txt"));
/// The words before these in programs.
static OBJECTS: Words = Words::new(include_str!("../data/objects.txt"));
/// The endings after an @ in the names of units, packages and images.
static FILES: Words = Words::new(include_str!("../data/at_endings.txt"));

/// Hides network addresses.
pub(super) fn hide_addresses(r: &mut Redactor, text: &str) -> String {
    let out = r.replace_front(&IPV4, text, |r, whole, start| {
        let ip: Ipv4Addr = whole.parse().ok()?;
        let is_public = ip.is_loopback() || ip.is_unspecified() || ip.is_broadcast();
        (!is_public && !is_version(text, start, start + whole.len()))
            .then(|| (whole.len(), r.hide("address", Sure, whole)))
    });
    r.replace_front(&IPV6, &out, |r, whole, _| {
        let bare = whole.split('%').next()?;
        let ip: Ipv6Addr = bare.parse().ok()?;
        let is_public = ip.is_loopback() || ip.is_unspecified();
        (!is_public && bare.contains(|c: char| c.is_ascii_digit()))
            .then(|| (whole.len(), r.hide("address", Sure, bare)))
    })
}

/// Hides dotted names without context. Programs have such names as well.
pub(super) fn hide_hosts(r: &mut Redactor, text: &str) -> String {
    let lines = Lines::of(text);
    r.replace_front(&HOST, text, |r, whole, start| {
        let lower = whole.to_lowercase();
        let labels: Vec<&str> = lower.split('.').collect();
        let (prefix, suffix) = (lines::line_prefix(text, start), &text[start + whole.len()..]);
        // `[profile.dev]`: the head of a section in a file of settings.
        let is_head =
            matches!(prefix, "[" | "[[") && matches!(suffix.lines().next(), Some("]" | "]]"));
        let is_member = is_head
            || BEFORE_A_MEMBER.is_match(prefix)
            || BEHIND_A_MEMBER.is_match(suffix)
            || MIXED_CASE.is_match(whole)
            || labels.len() == 2 && OBJECTS.contains(labels[0]);
        let is_likely = labels.len() > 2 || !WORDS.contains(labels.last()?);
        // In code and logs, a short name with the ending of a word is rarely a host.
        let is_short = !is_likely && !lines.is_prose(start) && labels[0].len() < 3;
        let certainty = if is_likely { Sure } else { Doubtful };
        (!is_member && !is_short && !is_no_host(r, &lower))
            .then(|| (whole.len(), r.hide("host", certainty, &lower)))
    })
}

/// Returns whether a text with an @ is a system unit, a package, an image or a shared login.
pub(super) fn is_no_email(text: &str) -> bool {
    text.split_once('@').is_some_and(|(login, host)| {
        let end = host.rsplit('.').next().unwrap_or_default().to_lowercase();
        FILES.contains(&end) || login == "git" && is_public_host(&host.to_lowercase())
    })
}

/// Returns whether four numbers are a version, or part of a longer text or a telephone number.
fn is_version(text: &str, start: usize, end: usize) -> bool {
    let (prefix, suffix) = (lines::line_prefix(text, start), &text[end..]);
    let goes_on = prefix.strip_suffix(['.', '-', '_']).is_some_and(|b| b.ends_with(char::is_alphanumeric))
        || suffix.strip_prefix('.').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
        // `Edg/1.2.3.4`
        || prefix.strip_suffix('/').is_some_and(|name| {
            let name = name.rsplit([' ', '(', ';', '"', '\'']).next().unwrap_or_default();
            name.starts_with(char::is_alphabetic) && name.chars().all(|c| c.is_alphabetic() || "+.-".contains(c))
        });
    // Of two similar numbers in one line, one is called a version.
    let first: String = text[start..end].split_inclusive('.').take(2).collect();
    let mut similar = prefix.match_indices(&first).map(|(at, _)| at).chain([prefix.len()]);
    // A browser's version often ends in zeros; a machine's address does not.
    let has_zeros = text[start..end].ends_with(".0.0.0") && !suffix.starts_with('/');
    prefix.ends_with('+')
        || has_zeros
        || goes_on
        || AFTER_A_VERSION.is_match(suffix)
        || similar.any(|at| BEFORE_A_VERSION.is_match(&prefix[..at]))
}

/// Returns whether a name is one of those hosts, or below one.
fn is_public_host(lower: &str) -> bool {
    let mut rest = Some(lower);
    while let Some(name) = rest {
        if PUBLIC_HOSTS.contains(name) {
            return true;
        }
        rest = name.split_once('.').map(|(_, parent)| parent);
    }
    false
}

/// Returns whether a word is the name of software that has one of those hosts: "Grafana".
pub(super) fn is_software(name: &str) -> bool {
    let lower = name.to_lowercase();
    ["org", "com", "io", "net", "dev", "rs", "js"]
        .iter()
        .any(|end| PUBLIC_HOSTS.contains(&format!("{lower}.{end}")))
}

fn is_no_host(r: &Redactor, lower: &str) -> bool {
    NO_LOGINS.contains(lower)
        || lower.starts_with('[')
        || r.keeps_host(lower)
        || is_public_host(lower)
        || words::is_ordinary(lower)
        || NO_HOST.is_match(lower)
        || lower.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

/// Returns the pseudonym of a host, or the name of one that is not private.
pub(super) fn host(r: &mut Redactor, host: &str) -> String {
    let lower = host.to_lowercase();
    if is_no_host(r, &lower) { host.to_owned() } else { r.hide("host", Sure, &lower) }
}

#[cfg(test)]
mod tests {
    use crate::tests::redact_all;

    #[test]
    fn host_like_names_of_programs_stay() {
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
            assert_eq!(redact_all(text), text);
        }
    }

    #[test]
    fn ambiguous_hosts_are_marked_as_doubtful() {
        assert_eq!(
            redact_all("see intranet.acme.io, at acme-corp.com"),
            "see [host-1], at [host-2]"
        );
        assert_eq!(redact_all("it runs at acme.io."), "it runs at [host-1].");
    }
}
