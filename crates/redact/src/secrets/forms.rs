//! Secrets with a known form: key blocks, tokens of services, addresses that contain their key.

use std::sync::LazyLock;

use regex::Regex;

use super::{
    Certainty::{Doubtful, Sure},
    Redactor, lines, re, value,
};

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

/// The characters and the minimum length of a token behind its prefix, and the prefixes of services
/// with such tokens. Sources: the services' documentation and the rules of gitleaks.
const PREFIXES: &[(&str, &str)] = &[
    (
        "[A-Za-z0-9]{16,}",
        "ghp_ gho_ ghu_ ghs_ ghr_ npm_ hf_ api_org_ lin_api_ lin_oauth_ ntn_ pnu_ sm_aat_ sm_pat_
         sm_sat_ LTAI AKIA ASIA ABIA ACCA pplx- ico- ATBB p8e- CLOJARS_ sntryu_ shippo_live_
         shippo_test_ sk_live_ sk_test_ sk_prod_ rk_live_ rk_test_ rk_prod_ rdme_ dop_v1_ doo_v1_
         dor_v1_ shpat_ shpca_ shppa_ shpss_ rubygems_ sbp_ EAACEdEose0cBA",
    ),
    (
        "[A-Za-z0-9_-]{16,}",
        "github_pat_ glpat- gldt- glrt- glcbt- glptt- glft- glffct- glimt- glagent- gloas- glsoat-
         GR1348941 GOCSPX- sq0atp- sq0csp- sq0idp- dckr_pat_ dckr_oat_ pypi- fio-u- s-s4t2ud-
         s-s4t2af- NRII- NRAK- NRJS- PMAK- xkeysib- xsmtpsib- HRKU-AA fo1_ sgp_ figd_ figo_ figu_
         figr_ fdr_ tk-us- AIza ATATT3 ATCTT3 access-sandbox- access-development-
         access-production- sk-ant- sk-proj-",
    ),
    (
        "[A-Za-z0-9_.+/=-]{20,}",
        "hvs. hvb. hvr. dp.pt. dp.st. dp.ct. dp.sa. dp.scim. dp.audit. pscale_tkn_ pscale_pw_
         pscale_oauth_ dt0c01. dt0s01. ya29. 1//0 glsa_ glc_ tfp_ duffel_live_ duffel_test_ dnkey-
         whsec_ sntrys_ ops_eyJ secret_ xoxe. sl. fm1a_ fm1r_ fm2_ ATCTT3 ATATT3 pat. sat.",
    ),
    ("[A-Za-z0-9-]{10,}", "xoxa- xoxb- xoxc- xoxd- xoxe- xoxo- xoxp- xoxr- xoxs- xapp-"),
    ("[A-Ha-h0-9]{12,}(?:-X)?", "FLWSECK- FLWSECK_TEST-"),
    ("[0-9a-f]{32,}", "key- SK dapi pul-"),
    ("[A-Z0-9]{20,}", "AGE-SECRET-KEY-1 API-"),
];
/// The forms of tokens without a prefix of their own.
const FORMS: &[&str] = &[
    r"sk-[A-Za-z0-9_-]{20,}",
    r"A3(?:-[A-Z0-9]{5,11}){5,6}",
    r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
    r"[0-9a-f]{32}-us[0-9]{1,2}",
    r"EAA[A-Za-z0-9]{60,}",
    r"[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{20,}",
    r"[0-9]{8,10}:AA[A-Za-z0-9_-]{30,}",
    r"[MNO][A-Za-z0-9_-]{23,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}",
    r"(?:sc|ext|scauth|authress)_[a-z0-9]{5,30}\.[a-z0-9]{4,6}\.acc[_-][a-z0-9-]{10,32}\.[a-z0-9+/_=-]{30,}",
    r"v1\.0-[a-f0-9]{24}-[a-f0-9]{100,}",
    r"[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk",
    r"sha256~[A-Za-z0-9_-]{40,}",
    r"s\.[a-z]*[0-9][A-Za-z0-9]{18,}",
    r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]*){0,3}",
];
static TOKEN: LazyLock<Regex> = LazyLock::new(|| {
    let prefixes = PREFIXES.iter().map(|(tail, prefixes)| {
        let list: Vec<String> = prefixes.split_whitespace().map(regex::escape).collect();
        format!("(?:{}){tail}", list.join("|"))
    });
    let forms = FORMS.iter().map(|form| (*form).to_owned());
    re(&format!(r"\b(?:{})", prefixes.chain(forms).collect::<Vec<_>>().join("|")))
});
/// A run of characters that may be a token of any service.
static RUN: LazyLock<Regex> =
    LazyLock::new(|| re(r"[A-Za-z0-9_.~][A-Za-z0-9_+/.~%-]{22,}[A-Za-z0-9_~=-]={0,2}"));
/// Groups of capitals and digits, as of a licence.
static LICENCE: LazyLock<Regex> = LazyLock::new(|| re(r"\b[A-Z0-9]{4,6}(?:-[A-Z0-9]{4,6}){3,5}\b"));
/// The answer of a digest authentication.
static DIGEST: LazyLock<Regex> =
    LazyLock::new(|| re(r#"(?i)\b((?:response|cnonce)=["']?)([0-9a-f]{16,})"#));
/// The text before a run that is a checksum, an image or a public key.
static PUBLIC: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)(?:[\w+/=.~@-]|\bh1:|sha\d+[:-]|base64,|\bssh-\w+ |ecdsa-\S+ |://\S*)$")
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
    let has_certificate = out.contains("-----BEGIN ");
    out = r.replace(&RUN, &out, |r, c, text| {
        let (start, end) = c.get(0).map_or((0, 0), |m| (m.start(), m.end()));
        let is_line = (start == 0 || text[..start].ends_with('\n'))
            && (end == text.len() || text[end..].starts_with(['\n', '\r']));
        let is_public = is_line && has_certificate
            || PUBLIC.is_match(lines::line_prefix(text, start))
            || ["sha", "_ZN", "_RNv"].iter().any(|start| c[0].starts_with(start));
        if !is_public && value::is_generated(&c[0]) {
            r.hide("token", Doubtful, &c[0])
        } else {
            c[0].to_owned()
        }
    });
    out = r.replace(&LICENCE, &out, |r, c, _| {
        let has =
            |predicate: fn(char) -> bool| c[0].split('-').filter(|g| g.contains(predicate)).count();
        let is_mixed = has(|c| c.is_ascii_digit()) >= 3 && has(|c| c.is_ascii_uppercase()) >= 3;
        if is_mixed { r.hide("token", Doubtful, &c[0]) } else { c[0].to_owned() }
    });
    out = r.replace(&DIGEST, &out, |r, c, _| format!("{}{}", &c[1], r.hide("token", Sure, &c[2])));
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
