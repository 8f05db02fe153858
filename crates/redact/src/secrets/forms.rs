//! Secrets with a known form: key blocks, tokens of services, addresses that contain their key.

use std::sync::LazyLock;

use regex::Regex;

use super::{Certainty::Sure, Redactor, re, value};

static KEY_BEGINS: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----",
        r"|(?m:^[> ]*Private-Lines: \d+$))",
    ))
});
static KEY_ENDS: LazyLock<Regex> = LazyLock::new(|| {
    re(r"-----END [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|---- END SSH2 ENCRYPTED PRIVATE KEY ----")
});
/// A line of a key block: base64, or a header above it.
static KEY_LINE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r#"^(?:[> \t"'+,|]|\\[nrt])*(?:(?:[A-Za-z0-9+/=]{4,}(?:\\[nr]|["',\\+ ])*)+|(?:Proc-Type|DEK-Info|Comment|Version|Subject|Hash|Private-MAC)\s?: ?.*)?$"#,
    )
});

/// The tokens of services, each with its own prefix.
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"\b(?:gh[pousr]_[A-Za-z0-9]{16,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat|ffct)-[A-Za-z0-9_.-]{16,}",
        r"|xox[abceprs](?:\.[a-z]+)?-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}|(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{12,}",
        r"|AIza[A-Za-z0-9_-]{30,}|GOCSPX-[A-Za-z0-9_-]{16,}|ya29\.[A-Za-z0-9_.-]{16,}|1//0[A-Za-z0-9_-]{24,}",
        r"|[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{16,}|sk-[A-Za-z0-9_-]{20,}|sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{16,}",
        r"|npm_[A-Za-z0-9]{20,}|pypi-[A-Za-z0-9_-]{16,}|rubygems_[a-f0-9]{24,}|dckr_(?:pat|oat)_[A-Za-z0-9_-]{16,}|do[opr]_v1_[a-f0-9]{32,}",
        r"|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|key-[0-9a-f]{32}|xkeysib-[A-Za-z0-9-]{32,}|[0-9a-f]{32}-us[0-9]{1,2}",
        r"|hf_[A-Za-z0-9]{20,}|hv[sbr]\.[A-Za-z0-9_-]{20,}|dapi[0-9a-f]{32}|shp(?:at|ca|pa|ss)_[A-Fa-f0-9]{24,}|lin_api_[A-Za-z0-9]{20,}",
        r"|fig[doru]_[A-Za-z0-9_-]{20,}|ntn_[A-Za-z0-9]{20,}|secret_[A-Za-z0-9]{40,}|gl(?:sa|c)_[A-Za-z0-9_+/=]{20,}|sbp_[a-f0-9]{32,}",
        r"|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9._]{20,}|PMAK-[a-f0-9-]{24,}|NRAK-[A-Z0-9]{20,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}",
        r"|ATATT3[A-Za-z0-9_=-]{20,}|ATBB[A-Za-z0-9]{20,}|ATCTT3[A-Za-z0-9_=-]{20,}|AGE-SECRET-KEY-1[A-Z0-9]{20,}|EAA[A-Za-z0-9]{60,}|SK[0-9a-f]{32}",
        r"|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_-]{20,}|[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}|[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
        r"|eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3})",
    ))
});

/// A webhook address, which grants access by itself.
static WEBHOOK: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)(\bhooks\.slack(?:-gov)?\.com/(?:services|workflows|triggers)/|\bdiscord(?:app)?\.com/api/(?:v\d+/)?webhooks/|\.webhook\.office\.com/webhookb2/",
        r"|\boutlook\.office(?:365)?\.com/webhook/|\bhooks\.zapier\.com/hooks/catch/|\bhook\.[a-z0-9.]*make\.com/|\bmaker\.ifttt\.com/trigger/\w+/with/key/",
        r"|\bopen\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/|\bapi\.telegram\.org/bot)([A-Za-z0-9][^\s<>()\[\]\x22'`|?&,;]{7,})",
    ))
});

/// The part of an address that signs it or grants access.
static SIGNED_URL: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)([?&](?:amp;)?(?:[a-z_-]*signature|sig|x-(?:amz|goog)-(?:signature|credential|security-token)|[a-z_.-]*(?:token|secret|passw(?:or)?d|pwd|api_?-?key)|sharedaccesssignature",
        r"|key|code|auth|ticket|otp|sas|hmac|hash|skoid|awsaccesskeyid|googleaccessid|jwt|assertion)=)([^\s&#\x22'`<>\[\]()]{4,})",
    ))
});

/// The name and password, or either, in front of a host.
static USERINFO: LazyLock<Regex> =
    LazyLock::new(|| re(r#"(?i)\b([a-z][a-z0-9+.-]*://)([^\s/@:"'<>\[\]]*):([^\s/"'<>]+)@"#));
static TOKEN_AS_USER: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b(https?://)([A-Za-z0-9_-]{16,})@"));

static BEARER: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)\b((?:bearer|basic|auth (?:plain|login))\s+)([A-Za-z0-9._~+/=-]{8,})")
});

/// Redacts secrets with a known form.
pub(super) fn hide(r: &mut Redactor, text: &str) -> String {
    let mut out = key_blocks(r, text);
    out = r.whole(&TOKEN, "token", &out);
    out = r.replace(&WEBHOOK, &out, |r, c, _| {
        let path = c[2].trim_end_matches(['.', ':', '!', '…']);
        format!("{}{}{}", &c[1], r.hide("token", Sure, path), &c[2][path.len()..])
    });
    out = r.replace(&USERINFO, &out, |r, c, _| {
        let user = if c[2].is_empty() { String::new() } else { r.name(&c[2]) };
        let password = if value::is_placeholder(&c[3]) || value::names_a_secret(&c[3]) {
            c[3].to_owned()
        } else {
            r.hide("token", Sure, &c[3])
        };
        format!("{}{user}:{password}@", &c[1])
    });
    out = r.replace(&TOKEN_AS_USER, &out, |r, c, _| {
        let random = value::is_random(&c[2], 16);
        format!("{}{}@", &c[1], if random { r.hide("token", Sure, &c[2]) } else { c[2].to_owned() })
    });
    out = r.replace(&SIGNED_URL, &out, |r, c, _| {
        // A key may be a record's name, and a code an error's.
        let weak = ["key=", "code=", "hash=", "auth=", "ticket="].iter().any(|name| {
            let lower = c[1].to_lowercase();
            lower.trim_start_matches(['?', '&']).trim_start_matches("amp;") == *name
        });
        let secret = if weak { value::is_random(&c[2], 16) } else { value::is_assigned(&c[2]) };
        if secret { format!("{}{}", &c[1], r.hide("token", Sure, &c[2])) } else { c[0].to_owned() }
    });
    r.replace(&BEARER, &out, |r, c, _| {
        // "Basic authentication" names a method and contains no token.
        let token = c[2].trim_end_matches('.');
        if value::is_random(token, 8) {
            format!("{}{}{}", &c[1], r.hide("token", Sure, token), &c[2][token.len()..])
        } else {
            c[0].to_owned()
        }
    })
}

/// Redacts private keys from their first line to the last, or as far as their lines go.
fn key_blocks(r: &mut Redactor, text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    while let Some(begin) = KEY_BEGINS.find_at(text, from) {
        let end = key_end(text, begin.end());
        out.push_str(&text[from..begin.start()]);
        match end {
            Some(end) => out.push_str(&r.hide("token", Sure, &text[begin.start()..end])),
            // An error message may quote the first line alone.
            None => out.push_str(begin.as_str()),
        }
        from = end.unwrap_or(begin.end());
    }
    out.push_str(&text[from..]);
    out
}

/// Returns the end of the key block that begins before `from`; `None` if no key follows.
fn key_end(text: &str, from: usize) -> Option<usize> {
    let last = KEY_ENDS.find_at(text, from);
    let within = &text[from..last.map_or(text.len(), |m| m.start())];
    if let Some(last) = last
        && within.split(['\n', ' ']).any(|line| KEY_LINE.is_match(line) && line.trim().len() >= 4)
        && (within.trim_start_matches(['\r', '"', ' ']).starts_with(['\n', '\\'])
            || within.len() > 60)
    {
        return Some(last.end());
    }
    let mut end = from;
    let mut has_long_run = false;
    for line in text[from..].split_inclusive('\n') {
        let bare = line.trim_end();
        if !KEY_LINE.is_match(bare) {
            break;
        }
        has_long_run |= value::longest_run(bare) >= 16;
        end += line.len();
    }
    has_long_run.then(|| from + text[from..end].trim_end().len())
}

#[cfg(test)]
pub(super) fn patterns() -> Vec<&'static Regex> {
    vec![&KEY_BEGINS, &KEY_ENDS, &TOKEN, &WEBHOOK, &SIGNED_URL, &USERINFO, &TOKEN_AS_USER, &BEARER]
}
