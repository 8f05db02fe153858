//! Keys, tokens and passwords. Whole blocks first, then what has a known form, then what a name in front gives away.

use std::sync::LazyLock;

use regex::Regex;

use super::{Certainty::Sure, re, redactor::Redactor};

static KEY_BLOCK: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?s)-----BEGIN [A-Z ]*PRIVATE KEY(?: BLOCK)?-----.*?(?:-----END [A-Z ]*PRIVATE KEY(?: BLOCK)?-----|\z)",
    )
});
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}",
        r"|(?:AKIA|ASIA)[A-Z0-9]{12,}|AIza[A-Za-z0-9_-]{30,}|[sr]k_(?:live|test)_[A-Za-z0-9]{10,}|sk-[A-Za-z0-9_-]{20,}|npm_[A-Za-z0-9]{30,}",
        r"|dop_v1_[a-f0-9]{40,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*)?)",
    ))
});
static NAMED_SECRET: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)\b((?:[a-z0-9]+[_-])*(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|client[_-]?secret|credentials?|auth(?:orization)?|cookie|session[_-]?id)(?:[_-][a-z0-9]+)*["']?\s*(?:=>|[:=])\s*(?:(?:bearer|basic|token|digest)\s+)?["']?)([^\s"'`,;)}\]&<>]{3,})"#,
    )
});
static BEARER: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b((?:bearer|basic)\s+)([A-Za-z0-9._~+/=-]{12,})"));
static USERINFO: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b([a-z][a-z0-9+.-]*://)([^\s/@:]+):([^\s/@]+)@"));

pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = r.whole(&KEY_BLOCK, "token", text);
    out = r.whole(&TOKEN, "token", &out);
    out = r.replace(&USERINFO, &out, |r, c, _| {
        format!("{}{}:{}@", &c[1], r.person(&c[2]), r.hide("token", Sure, &c[3]))
    });
    out = named(r, &NAMED_SECRET, &out);
    named(r, &BEARER, &out)
}

/// What follows the name that gives it away.
fn named(r: &mut Redactor, pattern: &Regex, text: &str) -> String {
    r.replace(pattern, text, |r, c, _| {
        if c[2].starts_with('[') {
            c[0].to_owned()
        } else {
            format!("{}{}", &c[1], r.hide("token", Sure, &c[2]))
        }
    })
}

#[cfg(test)]
pub(super) fn patterns() -> [&'static Regex; 5] {
    [&KEY_BLOCK, &TOKEN, &NAMED_SECRET, &BEARER, &USERINFO]
}
