//! Passwords in the arguments of commands. Each program has its own option for them, which may mean
//! a port or a path elsewhere.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    Certainty::{self, Doubtful, Sure},
    Redactor, lines, re, value,
};

/// An argument of a command, and the text between the command and the option.
const ARGUMENT: &str = r#"("[^"\n]+"|'[^'\n]+'|[^\s"'|;]+)"#;
const WITHIN: &str = r"\b[^\n|;]*?\s";

/// Compiles a pattern of commands and of the option before the password.
fn command(commands: &str, option: &str) -> Regex {
    re(&format!(r"(?i:(\b(?:{commands}){WITHIN}))({option}){ARGUMENT}"))
}

/// The patterns with three groups: the command, the option and the password.
static COMMANDS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    vec![
        // The password follows the option directly; after a space it would be a database or a port.
        command(
            r"mysql\w*|mariadb[\w-]*|mydumper|myloader|7z[arz]?|unrar|rar|xtrabackup|innobackupex|percona\w*|pt-[\w-]+",
            "-p",
        ),
        command(
            r"sshpass|(?:docker|podman|nerdctl|buildah|skopeo|helm|oc|az|cf|crane|oras)[^\n|;]*?\slogin|mongo\w*|rdesktop|ipmitool|mosquitto_\w+|pgbench|tabcmd|htpasswd",
            "-[pP][ =]",
        ),
        command(
            r"sqlcmd|bcp|osql|isql|zip|unzip|zipcloak|mosquitto_\w+|ipmitool|cqlsh|lpass",
            "-P ?",
        ),
        command(r"ldap(?:search|add|modify|delete|passwd|whoami|compare|modrdn|exop)", "-w ?"),
        command(r"redis-cli|redis-benchmark|valkey-cli", "-a ?"),
        command(r"plink|pscp|psftp|putty|kitty", "-pw "),
        command(
            r"xfreerdp\d?|wfreerdp|cmdkey|sc|schtasks|wmic|psexec|net|sqlplus|mstsc|winrs",
            "/(?i:p|pass|password|rp):",
        ),
        command(r"openssl", "-(?:passin|passout|pass|k)[ =](?:pass:)?"),
        command(r"psexec\d*|winrs|psservice", "-p:? ?"),
        command(r"htpasswd[^\n|;]*?\s-\w*b\w*\s+\S+\s+\S+", ""),
        command(r"net\s+user\s+\S+", ""),
        command(r"net\s+use(?:\s+[a-z*]:)?\s+\\\\\S+", ""),
    ]
});

/// A name and its password in one argument: `-u name:password`, `-U name%password`,
/// `name/password@place`.
static PAIR: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?m)((?:^|[\s"'(\[`])(?:-u|-U|--user|--proxy-user|-a|--auth|--basic|--userpwd|--creds|--credentials)(?:[ =]\s*|)["']?)([^\s:"'/\[]+):("[^"\n]+"|'[^'\n]+'|[^\s"'|;`]+)"#,
    )
});
static WEB_CLIENT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:curl|https?|httpie|wget|xh|lftp|ab|siege|wrk|svn|jenkins|skopeo|nuget|invoke-\w+)(?:\.exe)?\b[^\n]*$",
    )
});
static PERCENT: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(\b(?i:smbclient|rpcclient|smbget|smbmap|net|winexe|wmic|mount\.cifs|nmblookup)\b[^\n|;]*?\s(?:-U|--user)[ =]?["']?)([^\s%"']+)%([^\s"'|;]+)"#,
    )
});
static SLASH: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)(\b(?:sqlplus|sqlldr|expdp|impdp|rman|tnsping)\s+(?:-\w+\s+)*["']?)([\w$.-]+)/([^\s/@"']{3,})"#,
    )
});
/// A password that is piped to a command, as in `echo password | sudo -S`, or set by one, as in
/// `ConvertTo-SecureString "password"`.
static PIPE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)(\becho\s+(?:-\w+\s+)?)["']?([^\s"'|]{3,})(["']?\s*\|\s*(?:sudo|su|passwd|chpasswd|docker|kinit|cryptsetup|smbpasswd)\b)"#,
    )
});
static SET_PASSWORD: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)(\b(?:ConvertTo-SecureString|IDENTIFIED\s+(?:WITH\s+\S+\s+)?(?:BY|AS)|SET\s+PASSWORD\s*=|WITH\s+(?:ENCRYPTED\s+)?PASSWORD|requirepass|masterauth|ENCRYPTION\s+BY\s+PASSWORD\s*=)\s*(?:-String\s+)?(?:PASSWORD\s*\(\s*)?N?)("[^"\n]{3,}"|'[^'\n]{3,}'|\w[^\s"';)]{3,})"#,
    )
});

/// Redacts passwords in the arguments of commands.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = text.to_owned();
    for pattern in COMMANDS.iter() {
        out = r.replace(pattern, &out, |r, c, _| {
            // `-port`, `-protocol` and `-password` begin with the same letter.
            let option = c[2].ends_with(['p', 'P', 'w', 'a']) && starts_an_option(&c[3])
                || c[3].starts_with(['-', '/']);
            if option || c[2].is_empty() && !value::is_told(bare(&c[3]), 5) {
                return c[0].to_owned();
            }
            format!("{}{}{}", &c[1], &c[2], argument(r, Sure, &c[3]))
        });
    }
    out = r.replace(&PAIR, &out, |r, c, text| {
        let start = c.get(0).map_or(0, |m| m.start());
        let line = lines::line_prefix(text, start);
        // Containers take a user's and a group's number in the same format.
        let numbers = c[3].chars().all(|c| c.is_ascii_digit());
        let certainty = match WEB_CLIENT.is_match(line) {
            true => Sure,
            false if !numbers && value::is_told(&c[3], 5) => Doubtful,
            false => return c[0].to_owned(),
        };
        format!("{}{}:{}", &c[1], r.name(&c[2]), argument(r, certainty, &c[3]))
    });
    for (pattern, mark) in [(&PERCENT, "%"), (&SLASH, "/")] {
        out = r.replace(pattern, &out, |r, c, _| {
            format!("{}{}{mark}{}", &c[1], r.name(&c[2]), argument(r, Sure, &c[3]))
        });
    }
    out = r.replace(&PIPE, &out, |r, c, _| {
        let rest = &c[3];
        let quote = if c[0][c[1].len()..].starts_with(['"', '\'']) { &rest[..1] } else { "" };
        format!("{}{quote}{}{rest}", &c[1], argument(r, Sure, &c[2]))
    });
    r.replace(&SET_PASSWORD, &out, |r, c, _| {
        let is_quoted = c[2].starts_with(['"', '\'']);
        let is_secret = is_quoted && value::is_assigned(bare(&c[2])) || value::is_told(&c[2], 5);
        if is_secret { format!("{}{}", &c[1], argument(r, Sure, &c[2])) } else { c[0].to_owned() }
    })
}

/// Returns whether the text after a letter is the rest of a longer option.
fn starts_an_option(rest: &str) -> bool {
    ["assw", "ass=", "ass ", "ort", "rot", "ath", "refix", "ipe", "lugin", "rint", "rofile", "ager"]
        .iter()
        .any(|o| rest.starts_with(o))
}

fn bare(argument: &str) -> &str {
    argument.trim_matches(['"', '\''])
}

/// Redacts an argument, with or without quotation marks.
fn argument(r: &mut Redactor, certainty: Certainty, argument: &str) -> String {
    let bare = bare(argument);
    if value::is_placeholder(bare) || value::names_a_secret(bare) {
        return argument.to_owned();
    }
    let begin = argument.find(bare).unwrap_or_default();
    let quotes = (&argument[..begin], &argument[begin + bare.len()..]);
    format!("{}{}{}", quotes.0, r.hide("token", certainty, bare), quotes.1)
}
