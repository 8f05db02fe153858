//! What the faces read from the environment and ask of GitHub's own command line: tokens, proxies, the user's name. The
//! desktop compiles this file too.
#![allow(clippy::disallowed_methods, reason = "a face may read the environment")]

use std::{
    process::{Command, Stdio},
    sync::Arc,
};

use precedent::secrets::{Provided, SecretString, Secrets, SystemKeyring};

/// The places that are asked for a token, in order.
pub fn secrets() -> Secrets {
    Secrets::default()
        .then(Provided::new("the environment", environment))
        .then_keyring(Arc::new(SystemKeyring))
        .then(Provided::new("gh", gh))
}

/// The user's name, for what people decide.
pub fn user() -> String {
    variable("USER").or_else(|| variable("USERNAME")).unwrap_or_else(|| "someone".to_owned())
}

/// A variable that is set and not empty.
fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().map(|v| v.trim().to_owned()).filter(|v| !v.is_empty())
}

/// The variables that `gh` reads, for the hosts that it reads them for.
fn environment(host: &str) -> Option<SecretString> {
    let names = if host == "github.com" || host.ends_with(".ghe.com") {
        ["GH_TOKEN", "GITHUB_TOKEN"]
    } else {
        ["GH_ENTERPRISE_TOKEN", "GITHUB_ENTERPRISE_TOKEN"]
    };
    names.into_iter().find_map(variable).map(SecretString::from)
}

/// What `gh` is signed in with.
fn gh(host: &str) -> Option<SecretString> {
    let output = Command::new("gh")
        .args(["auth", "token", "--hostname", host])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output()
        .ok()
        .filter(|o| o.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?;
    Some(text.trim().to_owned()).filter(|t| !t.is_empty()).map(SecretString::from)
}

/// The proxy for encrypted connections, with the hosts to reach without it.
pub fn proxy() -> Option<(String, Option<String>)> {
    let any = |names: [&str; 2]| names.into_iter().find_map(variable);
    let proxy = any(["HTTPS_PROXY", "https_proxy"]).or_else(|| any(["ALL_PROXY", "all_proxy"]))?;
    let direct = any(["NO_PROXY", "no_proxy"]).unwrap_or_default();
    Some((proxy, Some(format!("localhost,127.0.0.1,::1,{direct}"))))
}
