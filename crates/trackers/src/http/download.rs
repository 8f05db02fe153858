//! Downloads of large files: streamed to disk and resumed after an interruption.

use std::{
    fs::{self, File, OpenOptions},
    io::Write as _,
    path::{Path, PathBuf},
    time::Duration,
};

use reqwest::{Method, header};
use url::Url;

use super::{
    Failure, Http, MAX_REDIRECTS, RETRY_FLOOR, TRIES, odd, place, status_words, unreachable,
};
use precedent_core::{
    error::{Code, Error, Result},
    task::{Phase, Task, run_blocking},
};

/// The longest duration of a download.
const PATIENCE: Duration = Duration::from_secs(24 * 3_600);
/// The largest size of a model file, in bytes.
const MOST: u64 = 8 << 30;
/// The size of the write buffer, in bytes.
const BUFFER: usize = 1 << 20;
/// The hub's header with the SHA-256 of a file in external storage.
/// <https://huggingface.co/docs/huggingface_hub/package_reference/file_download>
const LINKED_ETAG: &str = "x-linked-etag";

/// Downloads a file unless it already exists. An interrupted download is kept next to it and
/// resumed. Returns the SHA-256 in hexadecimal if the server states it.
///
/// # Errors
/// [`Code::Network`] if there is no connection, or the response is not the file;
/// [`Code::NotFound`], [`Code::Authentication`]; [`Code::Cancelled`]; [`Code::Io`].
pub async fn download(http: &Http, url: &Url, to: &Path, task: &Task) -> Result<Option<String>> {
    if to.is_file() {
        return Ok(None);
    }
    let mut part = to.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut tries = 1;
    let mut previous = 0;
    let checksum = loop {
        match fetch(http, url, &part, task).await {
            Ok(checksum) => break checksum,
            Err(Failure::Fatal(error)) => return Err(error),
            Err(Failure::Retry(error)) => {
                // Progress resets the counter, so slow and unstable connections succeed.
                let now = length(&part);
                tries = if now > previous { 1 } else { tries + 1 };
                previous = now;
                if tries > TRIES {
                    return Err(error);
                }
                http.wait(RETRY_FLOOR * 2_u32.pow(tries - 1), task).await?;
            }
        }
    };
    let to = to.to_owned();
    run_blocking(move || fs::rename(&part, &to).map_err(|e| Error::io(&to, e))).await?;
    Ok(checksum)
}

fn length(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |m| m.len())
}

/// Makes one attempt that resumes the previous one; returns the checksum if the server states it.
async fn fetch(
    http: &Http,
    url: &Url,
    part: &Path,
    task: &Task,
) -> std::result::Result<Option<String>, Failure> {
    let len = length(part);
    let (mut answer, checksum) = tokio::select! {
        answer = ask(http, url, len) => answer?,
        () = task.wait_for_cancel() => return Err(Failure::Fatal(precedent_core::error::cancel_error())),
    };
    let status = answer.status().as_u16();
    let text = |name: header::HeaderName| answer.headers().get(name).and_then(|v| v.to_str().ok());
    let refusal =
        |code, problem: &str| Failure::Fatal(Error::new(code, format!("{} {problem}", place(url))));
    let from = match status {
        200 => 0,
        206 if text(header::CONTENT_RANGE)
            .is_some_and(|r| r.starts_with(&format!("bytes {len}-"))) =>
        {
            len
        }
        206 | 416 => {
            // The file changed since the download began, so it restarts from the beginning.
            fs::remove_file(part).map_err(|e| Failure::Fatal(Error::io(part, e)))?;
            return Err(Failure::Retry(odd(url, "it changed during the download")));
        }
        401 | 403 => return Err(refusal(Code::Authentication, "is not publicly accessible")),
        404 | 410 => return Err(refusal(Code::NotFound, "was not found")),
        429 | 500.. => {
            let message = format!("{}: {}", place(url), status_words(status));
            return Err(Failure::Retry(
                Error::new(Code::Network, message).with_hint("Progress is saved; try again later."),
            ));
        }
        _ => {
            return Err(refusal(
                Code::Network,
                &format!("responded with {}", status_words(status)),
            ));
        }
    };
    if text(header::CONTENT_TYPE).is_some_and(|t| t.trim_start().starts_with("text/html")) {
        return Err(Failure::Fatal(
            odd(url, "received a web page instead of the file")
                .with_hint("A sign-in page or a proxy responded. Download the files by other means, then run: precedent model import DIR"),
        ));
    }
    // Without a plausible size the download could fill the disk.
    let Some(total) = answer.content_length().map(|n| from.saturating_add(n)) else {
        return Err(Failure::Fatal(odd(url, "the server does not report the file size")));
    };
    if total > MOST {
        return Err(Failure::Fatal(odd(url, "the file is too large for a model")));
    }
    let mut file = Some(open(part, from).map_err(Failure::Fatal)?);
    let (mut buffer, mut received_bytes) = (Vec::with_capacity(BUFFER), from);
    loop {
        let chunk = tokio::select! {
            chunk = answer.chunk() => chunk,
            () = task.wait_for_cancel() => return Err(Failure::Fatal(precedent_core::error::cancel_error())),
        };
        let (more, broken) = match chunk {
            Ok(Some(chunk)) => {
                buffer.extend_from_slice(&chunk);
                (true, None)
            }
            Ok(None) => (false, None),
            Err(error) => (false, Some(unreachable(url, &error))),
        };
        if buffer.len() >= BUFFER || !more {
            received_bytes += buffer.len() as u64;
            let bytes = std::mem::take(&mut buffer);
            let Some(mut out) = file.take() else { break };
            let name = part.to_owned();
            let write = run_blocking(move || match out.write_all(&bytes) {
                Ok(()) => Ok(out),
                Err(e) => {
                    // A partial file on a full disk is deleted to free its space.
                    if e.kind() == std::io::ErrorKind::StorageFull {
                        let _ = fs::remove_file(&name);
                    }
                    Err(Error::io(&name, e))
                }
            });
            file = Some(write.await.map_err(Failure::Fatal)?);
            task.report(Phase::Download, received_bytes, Some(total), "bytes");
        }
        match broken {
            Some(error) => return Err(Failure::Retry(error)),
            None if !more => break,
            None => {}
        }
    }
    if total != received_bytes {
        return Err(Failure::Retry(odd(url, "the connection was interrupted")));
    }
    Ok(checksum)
}

fn open(part: &Path, from: u64) -> Result<File> {
    let mut options = OpenOptions::new();
    if from == 0 {
        options.write(true).create(true).truncate(true);
    } else {
        options.append(true);
    }
    options.open(part).map_err(|e| Error::io(part, e))
}

/// Requests a file from this byte offset, through its redirects. The request carries no token.
async fn ask(
    http: &Http,
    url: &Url,
    from: u64,
) -> std::result::Result<(reqwest::Response, Option<String>), Failure> {
    let client = http.client().map_err(Failure::Fatal)?;
    let (mut at, mut stated_digest) = (url.clone(), None);
    for _ in 0..=MAX_REDIRECTS {
        let mut builder = client
            .request(Method::GET, at.clone())
            .timeout(PATIENCE)
            .header(header::ACCEPT_ENCODING, "identity");
        if from > 0 {
            builder = builder.header(header::RANGE, format!("bytes={from}-"));
        }
        let answer = builder.send().await.map_err(|e| Failure::Retry(unreachable(&at, &e)))?;
        let text = |name: &str| answer.headers().get(name).and_then(|v| v.to_str().ok());
        let digest = text(LINKED_ETAG).map(|v| v.trim_matches('"').to_lowercase());
        stated_digest = stated_digest
            .or(digest.filter(|d| d.len() == 64 && d.bytes().all(|b| b.is_ascii_hexdigit())));
        if !answer.status().is_redirection() {
            return Ok((answer, stated_digest));
        }
        let to = text("location").and_then(|l| at.join(l).ok());
        at = to
            .filter(|t| t.scheme() == "https" || t.scheme() == url.scheme())
            .ok_or_else(|| Failure::Fatal(odd(&at, "it redirects without a target")))?;
    }
    Err(Failure::Fatal(odd(url, "too many redirects")))
}
