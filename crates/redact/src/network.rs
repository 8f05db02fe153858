//! E-mail addresses, network addresses and hosts.

use std::{
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    sync::LazyLock,
};

use precedent_text::words::Words;
use regex::{Captures, Regex};

use super::{
    Certainty::{Doubtful, Sure},
    lines::{self, Lines},
    re,
    redactor::Redactor,
    secrets, words,
};

static EMAIL: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b[a-z0-9._%+-]+@(?:[a-z0-9-]+\.)+[a-z][a-z0-9-]*[a-z0-9]\b"));
/// An obfuscated address: "anna (at) example (dot) org".
static SPELLED_EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b[a-z0-9._%+-]+[ ]?[\[({](?:at|ät|arroba|@)[\])}][ ]?[a-z0-9-]+(?:(?:\.|[ ]?[\[({](?:dot|punkt|punto|point)[\])}][ ]?)[a-z0-9-]+)+",
    )
});
/// A file server's share.
static SHARE: LazyLock<Regex> = LazyLock::new(|| {
    re(r"((?:^|[\s\x22'`(=:])\\{2,4})([A-Za-z0-9][A-Za-z0-9._-]*)(\\+[A-Za-z0-9_$])")
});
static IPV4: LazyLock<Regex> = LazyLock::new(|| re(r"\b(?:\d{1,3}\.){3}\d{1,3}\b"));
static IPV6: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)(?:[0-9a-f]{1,4}:|::)(?:[0-9a-f]{0,4}:){1,7}[0-9a-f]{0,4}(?:%[a-z0-9]+)?")
});
static MAC: LazyLock<Regex> = LazyLock::new(|| re(r"(?i)\b(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}\b"));
static URL: LazyLock<Regex> = LazyLock::new(|| re(r#"(?i)\bhttps?://[^\s<>()\[\]"'`|]+"#));
static URL_HOST: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)\b([a-z][a-z0-9+.-]*://(?:[^\s/@]*@)?)([a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)")
});
static HOST: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:[a-z0-9](?:[a-z0-9_-]{0,61}[a-z0-9])?\.)+(?:com|net|org|edu|gov|mil|int|io|dev|app|cloud|info|biz|co|ai|me|tv|cc|local|internal|intranet|intra|lan|corp|home|private|prod|localdomain|localhost|example|test|invalid|onion|arpa|eu|de|uk|fr|nl|es|it|ch|at|se|no|fi|dk|pl|cz|ru|ua|jp|cn|kr|in|br|ar|mx|au|nz|ca|us|za|il|tr|be|pt|ie|gr|hu|ro)\b",
    )
});
static NAMED_HOST: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"(?i)\b((?:(?:host|server|machine|computer)(?:[ _]?name)?|node|peer|broker|nodename)["']?\s*[:=>]\s*["']?)([a-z0-9][a-z0-9._-]*[a-z0-9])"#,
    )
});
/// A name that Windows or Amazon gives to a new computer.
static GENERATED_HOST: LazyLock<Regex> =
    LazyLock::new(|| re(r"\b(?:WIN|DESKTOP|LAPTOP|EC2AMAZ)-[A-Z]*[0-9][A-Z0-9]{1,12}\b"));
/// A numbered name after a command or a word that takes a host.
static ADDRESSED_HOST: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"((?:^|[\s\x22'`(])(?:(?i:ping|ssh|scp|telnet|nslookup|traceroute|tracert|dig|hosts?|hostname|servers?|machines?|computer|rechner|vm)",
        r"|(?i:connect(?:ion|ed|ing|s)?|rdp|refused|unreachable|reach|resolve|lookup|log(?:ged)?[ -]?in)[ ](?i:to|from|on|by|host)(?:[ ]host)?|-h|--host)[ =]",
        r"[\x22'`]?)([A-Za-z](?:[A-Za-z0-9]*-)*[A-Za-z0-9]*[0-9])(\W|$)",
    ))
});
/// A numbered name with the part of a machine, behind a preposition.
static LOCATED_HOST: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(\b(?i:on|from|auf|von|sur|su)[ ])((?:[a-z0-9]+-)*(?:srv|sql|db|web|app|vm|prod|prd|dc|nas|gw|fw|mail|dns|esx|ts|proxy|mq)(?:-[a-z0-9]+)*-?[0-9]+)(\W|$)",
    )
});
static SYSLOG: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?m)^((?:<\d+>)?(?:[A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2}|\d{4}-\d{2}-\d{2}T\S+) )([A-Za-z0-9][A-Za-z0-9._-]*)( [\w./-]+(?:\[\d+\])?:)",
    )
});
/// An account of a database: `'app'@'web-22'`.
static ACCOUNT: LazyLock<Regex> =
    LazyLock::new(|| re(r"(['`])([\w.-]{2,})(['`]@['`])([\w.-]{2,})(['`])"));
static PROMPT: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?m)\b([A-Za-z_][\w.-]*)@([A-Za-z][\w.-]*)(:[~/][^\s$#]*)?([$#] |:)"));

/// The hosts that identify no person: of software and its documentation, and software named like a
/// host. No private names exist below them.
static EVERYBODYS: Words = Words::new(
    "ado.net adoptium.net alpinelinux.org anaconda.com anaconda.org android.com angular.dev
     angular.io ansible.com apache.org apple.com archlinux.org askubuntu.com asp.net
     aws.amazon.com babeljs.io bitbucket.org boost.org bun.sh caniuse.com centos.org chromium.org
     cloud.google.com cloudflare.com cmake.org codeberg.org cppreference.com crates.io curl.se
     dart.dev debian.org deno.com deno.land developer.mozilla.org die.net djangoproject.com
     docker.com docker.io docs.github.com docs.rs draw.io drupal.org eclipse.org elastic.co
     electronjs.org en.wikipedia.org envoyproxy.io eslint.org example.com example.net example.org
     fedoraproject.org ffmpeg.org flutter.dev freebsd.org gcr.io gentoo.org getcomposer.org
     ghcr.io git-scm.com github.com gitlab.com gnome.org gnu.org go.dev golang.org google.com
     googleapis.com gradle.org grafana.com grpc.io gtk.org hashicorp.com haskell.org haxx.se
     helm.sh hub.docker.com huggingface.co ietf.org iso.org istio.io java.com java.net jenkins.io
     jquery.com js.org jsdelivr.net json-schema.org json.org jupyter.org k8s.io kde.org kernel.org
     kotlinlang.org kubernetes.io laravel.com launchpad.net learn.microsoft.com letsencrypt.org
     llvm.org man7.org mariadb.com mariadb.org microsoft.com ml.net mongodb.com mozilla.com
     mozilla.org mysql.com nextjs.org nginx.com nginx.org nodejs.org npmjs.com npmjs.org nuget.org
     numpy.org openjdk.org openssl.org openstreetmap.org opensuse.org opentelemetry.io oracle.com
     packages.debian.org packagist.org palletsprojects.com perl.org php.net pkg.go.dev
     play.rust-lang.org postgresql.org prometheus.io pub.dev pydata.org pypa.io pypi.org
     python.org pytorch.org qt.io quay.io r-project.org rabbitmq.com raw.githubusercontent.com
     react.dev reactjs.org readthedocs.io readthedocs.org redhat.com redis.io
     repo.maven.apache.org rfc-editor.org rockylinux.org ruby-lang.org rubygems.org
     rubyonrails.org rust-lang.org rustup.rs scala-lang.org schema.org scikit-learn.org scipy.org
     semver.org serverfault.com socket.io sourceforge.net spring.io sqlalchemy.org sqlite.org
     stackexchange.com stackoverflow.com superuser.com svelte.dev swift.org symfony.com
     tensorflow.org terraform.io tldp.org typescriptlang.org ubuntu.com unicode.org unpkg.com
     vb.net vim.org vuejs.org w3.org w3schools.com webkit.org wikipedia.org xmlsoap.org
     yarnpkg.com",
);

/// The top-level domains that are also words of programs: `log.info`, `java.io`, `configure.in`.
static WORDS: Words = Words::new(
    "ai app ar at be br ca cc ch cloud co de dev es in info int io is it me net no pt se tr us",
);

/// The words before these in programs.
static OBJECTS: Words = Words::new(
    "app args array arr class cls config configure console ctx data doc document err error event
     file fs java javax list log logger logging module node obj object os path process req request
     requirements res response result self std str string sys system test this user vec window",
);

/// The endings after an @ in the names of units, packages and images.
static FILES: Words = Words::new(
    "service timer socket target mount slice scope device path swap automount png jpg jpeg gif
     webp svg js mjs cjs ts tsx jsx tgz gz zip json css scss vue html txt log conf yaml yml jar so
     dll",
);
/// A word or product that makes four numbers a version.
static SAYS_VERSION: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)(?:(?:^|[^\p{L}])(?:v|ver|r|rev)\.?|(?:product|file|assembly|driver|client|app|agent|os)?-?(?:version|release|build|firmware|revision|patch(?: ?level)?|hotfix|driver|chrome|chromium|edge|firefox|opera|safari|vivaldi|electron|webview2?)s?(?:en|nummer)?",
        r"|versi[oó]n|vers[ãa]o|versione|wersj[aiaę]|verze|верси[яию]|версії|sürüm|バージョン|版本|버전)",
        r"[\x22'`)\]]{0,2}[ \t]{0,3}[:=：(]?[ \t\x22'`]{0,3}(?:(?:is|was|of|no\.?|nr\.?|number|from|to|ist|von|auf|the|in|=)[ ]){0,2}(?:v?\d+(?:\.\d+){1,3}[ ,]{1,2}(?:to|and|or|und|auf|nach|->|→|-|–)?[ ]?)?$",
    ))
});
/// A suffix of a version in the name of a file or a release.
static RELEASE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^(?:[-+.~_](?:rc|alpha|beta|b|pre|dev|snapshot|final|ga|el\d|fc\d+|deb|ubuntu|build|release|jar|dll|exe|so|zip|tar|tgz|msi|rpm|dmg|pkg|apk|war|nupkg|whl|[a-z]\w*\d*\.(?:jar|zip|rpm|deb)))",
    )
});
/// A product's name before its version.
static PRODUCT: LazyLock<Regex> = LazyLock::new(|| re(r"(?:^|[\s(;\x22'])[A-Za-z][A-Za-z.+-]*$"));

static TRIPLE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"^(?:x86_64|x86|i[3-6]86|amd64|aarch64|arm|riscv|powerpc|ppc|s390x|sparc|mips|wasm|loongarch64|thumb|universal|nvptx|bpf)[a-z0-9_]*-[a-z0-9_.]+(?:-[a-z0-9_.]+){0,2}$",
    )
});
static VERSION: LazyLock<Regex> =
    LazyLock::new(|| re(r"^v?\d+(?:\.\d+)*(?:[-.](?:rc|alpha|beta|pre|dev|lts|x)[.\d]*)?$"));

/// Hides links to the tracker itself.
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
    let mut out = r.replace(&EMAIL, text, |r, c, _| {
        if is_no_email(&c[0]) { c[0].to_owned() } else { r.hide("email", Sure, &c[0]) }
    });
    out = r.whole(&SPELLED_EMAIL, "email", &out);
    out = r.replace(&SHARE, &out, |r, c, _| format!("{}{}{}", &c[1], host(r, &c[2]), &c[3]));
    out = r.whole(&MAC, "address", &out);
    out = r.replace(&IPV4, &out, |r, c, text| match c[0].parse::<Ipv4Addr>() {
        Ok(_) if c.get(0).is_some_and(|m| is_no_address(text, m.start(), m.end())) => {
            c[0].to_owned()
        }
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
    out = r.whole(&GENERATED_HOST, "host", &out);
    for pattern in [&ADDRESSED_HOST, &LOCATED_HOST] {
        out = r.replace(pattern, &out, |r, c, text| {
            let end = c.get(2).map_or(0, |m| m.end());
            let rest = &text[end..];
            let is_longer = rest.starts_with(['.', '/', '_', '(', '='])
                && rest[1..].starts_with(char::is_alphanumeric);
            if is_longer || c[2].len() < 4 || secrets::is_method(&c[2]) {
                return c[0].to_owned();
            }
            format!("{}{}{}", &c[1], host(r, &c[2]), &c[3])
        });
    }
    out = r.replace(&URL_HOST, &out, |r, c, _| format!("{}{}", &c[1], host(r, &c[2])));
    out = r.replace(&SYSLOG, &out, |r, c, _| format!("{}{}{}", &c[1], host(r, &c[2]), &c[3]));
    out = r.replace(&ACCOUNT, &out, |r, c, _| {
        format!("{}{}{}{}{}", &c[1], r.name(&c[2]), &c[3], host(r, &c[4]), &c[5])
    });
    out = r.replace(&PROMPT, &out, |r, c, _| {
        if is_no_email(&format!("{}@{}", &c[1], &c[2])) {
            return c[0].to_owned();
        }
        let path = c.get(3).map_or("", |m| m.as_str());
        format!("{}@{}{path}{}", r.name(&c[1]), host(r, &c[2]), &c[4])
    });
    out = r.replace(&NAMED_HOST, &out, |r, c, _| {
        // "server: send it again" names no host, "server: web03" does.
        let is_label =
            c[1].ends_with(char::is_whitespace) && !c[1].to_lowercase().starts_with("host");
        let plain = c[2].chars().all(char::is_alphabetic);
        let ordinary = words::is_ordinary(&c[2]);
        if is_label && plain || ordinary {
            c[0].to_owned()
        } else {
            format!("{}{}", &c[1], host(r, &c[2]))
        }
    });
    let lines = Lines::of(&out);
    r.replace(&HOST, &out, |r, c, text| bare_host(r, c, text, &lines))
}

/// Returns whether a text with an @ is a system unit, a package, an image or a shared login.
fn is_no_email(text: &str) -> bool {
    let Some((login, host)) = text.split_once('@') else { return true };
    let end = host.rsplit('.').next().unwrap_or_default().to_lowercase();
    FILES.contains(&end) || login == "git" && is_everybodys(&host.to_lowercase())
}

/// Returns whether four numbers are a version, or part of a longer text or a telephone number.
fn is_no_address(text: &str, start: usize, end: usize) -> bool {
    let (prefix, suffix) = (lines::line_prefix(text, start), &text[end..]);
    let digit = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
    let longer = prefix.strip_suffix('.').is_some_and(|b| b.ends_with(char::is_alphanumeric))
        || suffix.strip_prefix('.').is_some_and(|a| digit(a.chars().next()));
    // `driver-1.2.3.4.jar`, `1.2.3.4-rc1`, `Edg/1.2.3.4`.
    let in_a_name =
        prefix.strip_suffix(['-', '_']).is_some_and(|b| b.ends_with(char::is_alphanumeric))
            || prefix
                .strip_suffix('/')
                .is_some_and(|b| b.ends_with(char::is_alphabetic) && PRODUCT.is_match(b))
            || RELEASE.is_match(suffix);
    // Of two similar numbers in one line, one is called a version.
    let has_version = || {
        let first: String = text[start..end].split_inclusive('.').take(2).collect();
        prefix.match_indices(&first).any(|(at, _)| SAYS_VERSION.is_match(&prefix[..at]))
    };
    // A browser's version often ends in zeros; a machine's address does not.
    let noughts = text[start..end].ends_with(".0.0.0") && !suffix.starts_with('/');
    prefix.ends_with('+')
        || noughts
        || longer
        || in_a_name
        || SAYS_VERSION.is_match(prefix)
        || has_version()
}

/// Redacts a dotted name without context. Programs have such names as well.
fn bare_host(r: &mut Redactor, c: &Captures<'_>, text: &str, lines: &Lines) -> String {
    let whole = &c[0];
    let (start, end) = c.get(0).map_or((0, 0), |m| (m.start(), m.end()));
    let (prefix, suffix) = (&text[..start], &text[end..]);
    let mut next = suffix.chars();
    let goes_on = match next.next() {
        Some('(' | '_' | '@') => true,
        Some('.' | '-') => next.next().is_some_and(char::is_alphanumeric),
        Some(':') => next.next() == Some(':'),
        _ => false,
    };
    let came_before =
        matches!(prefix.chars().next_back(), Some('.' | '/' | '\\' | '-' | '$' | '_'))
            || prefix.ends_with("::");
    // `System.Net`, `Microsoft.Extensions.App`: hosts do not have mixed case.
    let has_mixed_case = whole.split('.').any(|label| {
        label.chars().next().is_some_and(char::is_uppercase)
            && label.chars().any(char::is_lowercase)
    });
    // `[profile.dev]`: the head of a section in a file of settings.
    let is_section_head = matches!(prefix.lines().last(), Some("[" | "[["))
        && matches!(suffix.lines().next(), Some("]" | "]]"));
    if goes_on || came_before || has_mixed_case || is_section_head {
        return whole.to_owned();
    }
    let lower = whole.to_lowercase();
    let labels: Vec<&str> = lower.split('.').collect();
    let ends_in_a_word = labels.last().is_some_and(|end| WORDS.contains(end));
    if labels.len() == 2 && OBJECTS.contains(labels[0]) {
        return whole.to_owned();
    }
    if labels.len() > 2 || !ends_in_a_word {
        return host(r, whole);
    }
    // In code and logs, a short name with such an ending is rarely a host.
    if !lines.is_prose(start) && labels[0].len() < 3 || is_no_host(r, &lower) {
        return whole.to_owned();
    }
    r.hide("host", Doubtful, &lower)
}

/// Returns whether a name is one of those hosts, or below one.
fn is_everybodys(lower: &str) -> bool {
    let mut rest = Some(lower);
    while let Some(name) = rest {
        if EVERYBODYS.contains(name) {
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
        .any(|end| EVERYBODYS.contains(&format!("{lower}.{end}")))
}

fn is_no_host(r: &Redactor, lower: &str) -> bool {
    super::NO_NAMES.contains(lower)
        || lower.starts_with('[')
        || r.keeps_host(lower)
        || is_everybodys(lower)
        || words::is_ordinary(lower)
        || TRIPLE.is_match(lower)
        || VERSION.is_match(lower)
        || lower.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified())
}

fn host(r: &mut Redactor, host: &str) -> String {
    let lower = host.to_lowercase();
    if is_no_host(r, &lower) { host.to_owned() } else { r.hide("host", Sure, &lower) }
}

#[cfg(test)]
mod tests {
    use super::super::tests::redact_all;

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
