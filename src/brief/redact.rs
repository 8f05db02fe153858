//! Redaction: tokens, e-mail addresses, network addresses, hosts and people get pseudonyms that stay the same throughout
//! a brief. In doubt something is replaced that need not be.

use std::{
    collections::{BTreeSet, HashMap},
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use regex::{Captures, Regex};

use crate::model::{Brief, Redaction, RedactionPreview};

#[allow(clippy::unwrap_used, reason = "the patterns are constants; a test compiles them all")]
fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

// Whole blocks first, then what has a known form, then what a name in front gives away.
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
static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9]\b"));
static IPV4: LazyLock<Regex> = LazyLock::new(|| re(r"\b(?:\d{1,3}\.){3}\d{1,3}\b"));
static IPV6: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)(?:[0-9a-f]{1,4}:|::)(?:[0-9a-f]{0,4}:){1,7}[0-9a-f]{0,4}(?:%[a-z0-9]+)?"));
static MAC: LazyLock<Regex> = LazyLock::new(|| re(r"(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b"));
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
static HOME: LazyLock<Regex> = LazyLock::new(|| {
    re(r#"(?i)((?:/home/|/Users/|[A-Z]:\\+Users\\+|[A-Z]:\\+Documents and Settings\\+))([^/\\\s"'`:<>|]+)"#)
});
static NAMED_USER: LazyLock<Regex> = LazyLock::new(|| {
    re(r#"(?i)\b((?:user(?:name|id)?|login|account|owner|uid)\s*[:=]\s*["']?)([a-z_][\w.@\\-]*[\w])"#)
});
static MENTION: LazyLock<Regex> =
    LazyLock::new(|| re(r"(^|[^\w@/.`])@([A-Za-z0-9](?:[A-Za-z0-9-]{0,38}))\b"));

/// Words that stand where a name may stand, and are none.
const NO_NAMES: &[&str] = &[
    "root",
    "admin",
    "user",
    "username",
    "localhost",
    "null",
    "none",
    "true",
    "false",
    "shared",
    "public",
    "default",
    "everyone",
    "system",
    "unknown",
    "the",
    "a",
    "an",
    "is",
    "and",
    "or",
    "not",
    "param",
    "return",
    "returns",
    "throws",
    "see",
    "since",
    "override",
    "deprecated",
    "property",
    "media",
    "import",
    "app",
    "runner",
    "name",
];

/// Replaces what should not be handed over, in everything that a brief says.
pub(super) fn redact(brief: &mut Brief, people: &[String]) {
    let keep = hosts_of(brief);
    let mut redactor = Redactor::new(people, keep);
    walk(brief, &mut |text| *text = redactor.text(text));
    // People's names are told apart by the tracker, not by a pattern.
    for section in &mut brief.sections {
        for entry in &mut section.entries {
            if let Some(author) = entry.quote.as_mut().and_then(|q| q.author.as_mut()) {
                *author = redactor.person(author);
            }
        }
    }
    brief.redactions = redactor.counts();
}

/// What a redaction of this brief would replace, with what it is. For the person's eyes alone.
pub(super) fn preview(brief: &Brief, people: &[String]) -> Vec<RedactionPreview> {
    let mut copy = brief.clone();
    let mut redactor = Redactor::new(people, hosts_of(brief));
    walk(&mut copy, &mut |text| *text = redactor.text(text));
    for author in
        copy.sections.iter().flat_map(|s| &s.entries).filter_map(|e| e.quote.as_ref()?.author.as_ref())
    {
        redactor.person(author);
    }
    let mut out: Vec<RedactionPreview> = redactor
        .known
        .iter()
        .map(|((kind, original), found)| RedactionPreview {
            kind: (*kind).to_owned(),
            original: original.clone(),
            pseudonym: found.pseudonym.clone(),
            count: found.count,
        })
        .collect();
    out.sort_by(|a, b| (&a.kind, order(&a.pseudonym)).cmp(&(&b.kind, order(&b.pseudonym))));
    out
}

fn order(pseudonym: &str) -> Option<u32> {
    pseudonym.trim_matches(['[', ']']).rsplit_once('-')?.1.parse().ok()
}

/// Every text of a brief that says something; keys and addresses of what is cited stay.
fn walk(brief: &mut Brief, change: &mut dyn FnMut(&mut String)) {
    change(&mut brief.title);
    for entry in brief.sections.iter_mut().flat_map(|s| &mut s.entries) {
        entry.heading.iter_mut().for_each(&mut *change);
        entry.text.iter_mut().for_each(&mut *change);
        if let Some(quote) = &mut entry.quote {
            change(&mut quote.text);
        }
        entry
            .citations
            .iter_mut()
            .filter(|c| c.label.starts_with("[Wiki: "))
            .for_each(|c| change(&mut c.label));
    }
    change(&mut brief.record.request.text);
    for source in &mut brief.record.sources {
        change(&mut source.title);
        if source.citation.starts_with("[Wiki: ") {
            change(&mut source.citation);
        }
    }
}

/// The trackers' own hosts: they are in every citation.
fn hosts_of(brief: &Brief) -> BTreeSet<String> {
    let urls = brief.record.sources.iter().filter_map(|s| s.url.as_deref());
    urls.filter_map(|u| u.split("://").nth(1)?.split(['/', ':']).next()).map(str::to_lowercase).collect()
}

struct Found {
    pseudonym: String,
    count: usize,
}

struct Redactor {
    known: HashMap<(&'static str, String), Found>,
    next: HashMap<&'static str, usize>,
    people: BTreeSet<String>,
    keep: BTreeSet<String>,
    /// Any of the people as a word of its own.
    names: Option<Regex>,
}

impl Redactor {
    fn new(people: &[String], keep: BTreeSet<String>) -> Self {
        let mut names: Vec<String> =
            people.iter().filter(|p| p.chars().count() >= 3).map(|p| regex::escape(p)).collect();
        names.sort_by_key(|n| std::cmp::Reverse(n.len()));
        let pattern = format!(r"(?i)(^|[^\w-])({})($|[^\w-])", names.join("|"));
        Self {
            known: HashMap::new(),
            next: HashMap::new(),
            people: people.iter().map(|p| p.to_lowercase()).collect(),
            keep,
            names: (!names.is_empty()).then(|| Regex::new(&pattern).ok()).flatten(),
        }
    }

    /// The pseudonym of this text, the same each time.
    fn pseudonym(&mut self, kind: &'static str, original: &str) -> String {
        let next = &mut self.next;
        let found = self.known.entry((kind, original.to_owned())).or_insert_with(|| {
            let number = next.entry(kind).or_insert(0);
            *number += 1;
            Found { pseudonym: format!("[{kind}-{number}]"), count: 0 }
        });
        found.count += 1;
        found.pseudonym.clone()
    }

    fn person(&mut self, name: &str) -> String {
        if name.starts_with('[') { name.to_owned() } else { self.pseudonym("user", &name.to_lowercase()) }
    }

    fn counts(&self) -> Vec<Redaction> {
        let mut out: Vec<Redaction> = self
            .known
            .iter()
            .map(|((kind, _), f)| Redaction {
                kind: (*kind).to_owned(),
                pseudonym: f.pseudonym.clone(),
                count: f.count,
            })
            .collect();
        out.sort_by(|a, b| (&a.kind, order(&a.pseudonym)).cmp(&(&b.kind, order(&b.pseudonym))));
        out
    }

    fn text(&mut self, text: &str) -> String {
        let mut out = self.whole(&KEY_BLOCK, "token", text);
        out = self.whole(&TOKEN, "token", &out);
        out = self.replace(&USERINFO, &out, |r, c| {
            format!("{}{}:{}@", &c[1], r.person(&c[2]), r.pseudonym("token", &c[3]))
        });
        out = self.named(&NAMED_SECRET, "token", &out);
        out = self.named(&BEARER, "token", &out);
        out = self.whole(&EMAIL, "email", &out);
        out = self.whole(&MAC, "address", &out);
        out = self.replace(&IPV4, &out, |r, c| match c[0].parse::<Ipv4Addr>() {
            Ok(ip) if !(ip.is_loopback() || ip.is_unspecified() || ip.is_broadcast()) => {
                r.pseudonym("address", &c[0])
            }
            _ => c[0].to_owned(),
        });
        out = self.replace(&IPV6, &out, |r, c| {
            let bare = c[0].split('%').next().unwrap_or_default();
            match bare.parse::<Ipv6Addr>().map(IpAddr::from) {
                Ok(ip)
                    if !(ip.is_loopback() || ip.is_unspecified())
                        && bare.contains(|d: char| d.is_ascii_digit()) =>
                {
                    r.pseudonym("address", bare)
                }
                _ => c[0].to_owned(),
            }
        });
        out = self.replace(&URL_HOST, &out, |r, c| format!("{}{}", &c[1], r.host(&c[2])));
        out = self.replace(&SYSLOG, &out, |r, c| format!("{}{}{}", &c[1], r.host(&c[2]), &c[3]));
        out = self.replace(&PROMPT, &out, |r, c| {
            let path = c.get(3).map_or("", |m| m.as_str());
            format!("{}@{}{path}{}", r.name(&c[1]), r.host(&c[2]), &c[4])
        });
        out = self.replace(&NAMED_HOST, &out, |r, c| {
            // "server: send it again" names no host, "server: web03" does.
            let said = c[1].ends_with(char::is_whitespace) && !c[1].to_lowercase().starts_with("host");
            let plain = c[2].chars().all(char::is_alphabetic);
            if said && plain { c[0].to_owned() } else { format!("{}{}", &c[1], r.host(&c[2])) }
        });
        out = self.replace(&HOST, &out, |r, c| r.host(&c[0]));
        out = self.replace(&HOME, &out, |r, c| format!("{}{}", &c[1], r.name(&c[2])));
        out = self.replace(&NAMED_USER, &out, |r, c| format!("{}{}", &c[1], r.name(&c[2])));
        out = self.replace(&MENTION, &out, |r, c| format!("{}@{}", &c[1], r.name(&c[2])));
        if let Some(names) = self.names.clone() {
            // Neighbours share the character between them.
            for _ in 0..2 {
                out = self.replace(&names, &out, |r, c| format!("{}{}{}", &c[1], r.person(&c[2]), &c[3]));
            }
        }
        self.again(&out)
    }

    /// What was told by its surroundings in one place is replaced wherever else it stands.
    fn again(&mut self, text: &str) -> String {
        let mut known: Vec<(&'static str, String)> = self.known.keys().cloned().collect();
        known.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.cmp(b)));
        let mut out = text.to_owned();
        for (kind, original) in known {
            let enough = if kind == "token" { 6 } else { 4 };
            if original.chars().count() < enough || !out.contains(original.as_str()) {
                continue;
            }
            let pseudonym = self.pseudonym(kind, &original);
            let mut times = 0;
            let mut rest = out.as_str();
            let mut replaced = String::with_capacity(out.len());
            while let Some(at) = rest.find(original.as_str()) {
                let end = at + original.len();
                let word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
                replaced.push_str(&rest[..at]);
                // Inside of a longer word it is another word; a secret is one anywhere.
                let inside = word(rest[..at].chars().next_back()) || word(rest[end..].chars().next());
                if inside && kind != "token" {
                    replaced.push_str(&original);
                } else {
                    replaced.push_str(&pseudonym);
                    times += 1;
                }
                rest = &rest[end..];
            }
            replaced.push_str(rest);
            out = replaced;
            if let Some(found) = self.known.get_mut(&(kind, original)) {
                found.count = found.count + times - 1;
            }
        }
        out
    }

    fn host(&mut self, host: &str) -> String {
        let lower = host.to_lowercase();
        let plain =
            NO_NAMES.contains(&lower.as_str()) || lower.starts_with('[') || self.keep.contains(&lower);
        let loopback = lower.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified());
        if plain || loopback { host.to_owned() } else { self.pseudonym("host", &lower) }
    }

    fn name(&mut self, name: &str) -> String {
        let lower = name.to_lowercase();
        let known = self.people.contains(&lower);
        if (NO_NAMES.contains(&lower.as_str()) && !known) || lower.starts_with('[') {
            return name.to_owned();
        }
        self.person(name)
    }

    fn whole(&mut self, pattern: &Regex, kind: &'static str, text: &str) -> String {
        self.replace(pattern, text, |r, c| r.pseudonym(kind, &c[0]))
    }

    /// What follows the name that gives it away.
    fn named(&mut self, pattern: &Regex, kind: &'static str, text: &str) -> String {
        self.replace(pattern, text, |r, c| {
            if c[2].starts_with('[') {
                c[0].to_owned()
            } else {
                format!("{}{}", &c[1], r.pseudonym(kind, &c[2]))
            }
        })
    }

    fn replace(
        &mut self,
        pattern: &Regex,
        text: &str,
        mut with: impl FnMut(&mut Self, &Captures<'_>) -> String,
    ) -> String {
        pattern.replace_all(text, |c: &Captures<'_>| with(self, c)).into_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(text: &str) -> String {
        Redactor::new(&["ada-l".into(), "grace".into()], BTreeSet::from(["tracker.example".into()]))
            .text(text)
    }

    #[test]
    fn nothing_of_this_is_left() {
        for (secret, text) in [
            ("ghp_abcdefghijklmnopqrstuvwxyz0123", "GH_TOKEN ghp_abcdefghijklmnopqrstuvwxyz0123 was set"),
            ("AKIAABCDEFGHIJKLMNOP", "key AKIAABCDEFGHIJKLMNOP"),
            ("hunter2!x", "password = hunter2!x"),
            ("s3cr3t/value", "\"client_secret\": \"s3cr3t/value\""),
            ("abcDEF123456xyz==", "Authorization: Bearer abcDEF123456xyz=="),
            ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln", "jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2ln"),
            ("sw0rdfish", "postgres://bob:sw0rdfish@db1.acme.internal:5432/app"),
            ("MIIEow", "-----BEGIN RSA PRIVATE KEY-----\nMIIEow\nabc\n-----END RSA PRIVATE KEY-----"),
            ("ann@corp.example.com", "mail ann@corp.example.com"),
            ("10.20.30.40", "refused by 10.20.30.40:5432"),
            ("2001:db8::8a2e:370:7334", "from 2001:db8::8a2e:370:7334 port 22"),
            ("00:1b:44:11:3a:b7", "mac 00:1b:44:11:3a:b7"),
            ("db1.acme.internal", "cannot resolve db1.acme.internal"),
            ("build-7", "hostname: build-7"),
            ("web03", "May 12 10:00:01 web03 agent[12]: stopped"),
            ("jsmith", "in /home/jsmith/app/config.toml"),
            ("jsmith", r"C:\Users\jsmith\AppData"),
            ("octo-cat", "thanks @octo-cat"),
            ("grace", "as grace said"),
            ("ada-l", "ada-l, grace and others"),
        ] {
            let out = redacted(text);
            assert!(!out.contains(secret), "{text} -> {out}");
        }
    }

    #[test]
    fn what_is_no_secret_stays() {
        for text in [
            "std::fs::read at src/main.rs:12",
            "version 2.3.1 on 127.0.0.1 and localhost",
            "https://tracker.example/acme/app/issues/1",
            "a graceful stop, not disgrace",
            "fw_agent::row::decode::RowDecoder",
            "take the token from the keyring",
            "server: send the whole chain",
            "main.py and lib.rs, package.json",
        ] {
            assert_eq!(redacted(text), text);
        }
    }

    #[test]
    fn pseudonyms_stay_the_same_and_are_told_apart() {
        let out = redacted("10.0.0.1 to 10.0.0.2 and back to 10.0.0.1");
        assert_eq!(out, "[address-1] to [address-2] and back to [address-1]");
        // What was told by its surroundings is replaced elsewhere too.
        let out = redacted("hostname: build-7\nthen build-7 rebooted, rebuild-7 did not");
        assert_eq!(out, "hostname: [host-1]\nthen [host-1] rebooted, rebuild-7 did not");
    }

    #[test]
    fn the_patterns_compile() {
        for pattern in [
            &KEY_BLOCK,
            &TOKEN,
            &NAMED_SECRET,
            &BEARER,
            &USERINFO,
            &EMAIL,
            &IPV4,
            &IPV6,
            &MAC,
            &URL_HOST,
            &HOST,
            &NAMED_HOST,
            &SYSLOG,
            &PROMPT,
            &HOME,
            &NAMED_USER,
            &MENTION,
        ] {
            assert!(!pattern.is_match(""));
        }
    }
}
