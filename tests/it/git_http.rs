//! A git server for wikis: `git http-backend` with token authentication.

use std::{path::Path, process::Stdio};

use axum::{
    body::Body,
    http::{StatusCode, request::Parts},
    response::Response,
};
use base64::Engine as _;
use tokio::{io::AsyncWriteExt as _, process::Command};

/// Returns the `Authorization` header that git sends for a token.
pub fn basic_auth(token: &str) -> String {
    format!(
        "Basic {}",
        base64::engine::general_purpose::STANDARD.encode(format!("x-access-token:{token}"))
    )
}

/// Answers a request for a repository below `root`.
pub async fn serve(root: &Path, token: Option<&str>, parts: &Parts, body: &[u8]) -> Response {
    let header =
        |name: &str| parts.headers.get(name).and_then(|v| v.to_str().ok()).unwrap_or_default();
    if token.is_some_and(|t| header("authorization") != basic_auth(t)) {
        let mut answer = Response::new(Body::from("Authentication failed"));
        *answer.status_mut() = StatusCode::UNAUTHORIZED;
        answer.headers_mut().insert("www-authenticate", "Basic realm=\"GitHub\"".parse().unwrap());
        return answer;
    }
    let mut child = Command::new("git")
        .arg("http-backend")
        .env("GIT_PROJECT_ROOT", root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("PATH_INFO", parts.uri.path().replace("%20", " "))
        .env("QUERY_STRING", parts.uri.query().unwrap_or_default())
        .env("REQUEST_METHOD", parts.method.as_str())
        .env("CONTENT_TYPE", header("content-type"))
        .env("HTTP_CONTENT_ENCODING", header("content-encoding"))
        .env("GIT_PROTOCOL", header("git-protocol"))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child.stdin.take().unwrap().write_all(body).await.unwrap();
    let out = child.wait_with_output().await.unwrap().stdout;
    let end = out.windows(4).position(|w| w == b"\r\n\r\n").unwrap();
    let mut response = Response::builder();
    for line in String::from_utf8_lossy(&out[..end]).lines() {
        let (name, value) = line.split_once(':').unwrap();
        if name.eq_ignore_ascii_case("status") {
            response =
                response.status(value.trim().split(' ').next().unwrap().parse::<u16>().unwrap());
        } else {
            response = response.header(name, value.trim());
        }
    }
    response.body(Body::from(out[end + 4..].to_vec())).unwrap()
}

/// Runs git and asserts that it succeeds.
pub fn git(folder: &Path, args: &[&str]) -> String {
    let out = std::process::Command::new("git")
        .current_dir(folder)
        .args([
            "-c",
            "user.name=Ada",
            "-c",
            "user.email=ada@example.org",
            "-c",
            "init.defaultBranch=master",
        ])
        .args(args)
        .output()
        .unwrap();
    assert!(out.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&out.stderr));
    String::from_utf8(out.stdout).unwrap().trim().to_owned()
}
