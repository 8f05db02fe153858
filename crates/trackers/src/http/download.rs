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
    FIRST_RETRY_WAIT, Failure, Http, MAX_REDIRECTS, MAX_TRIES, connection_error, fatal,
    invalid_response, status_text, without_query,
};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    task::{Phase, run_blocking},
};

const DOWNLOAD_TIMEOUT: Duration = Duration::from_secs(24 * 3_600);
const MAX_FILE_SIZE: u64 = 8 << 30;
const BUFFER: usize = 1 << 20;
/// The hub's header with the SHA-256 of a file in external storage.
/// <https://huggingface.co/docs/huggingface_hub/package_reference/file_download>
const LINKED_ETAG: &str = "x-linked-etag";

/// Downloads a file unless it exists; an interrupted download resumes from a `.part` file next to
/// it. Returns the SHA-256 in hexadecimal if the server states it.
///
/// # Errors
/// [`Code::Network`] if there is no connection, or the response is not the file;
/// [`Code::NotFound`], [`Code::Authentication`]; [`Code::Cancelled`]; [`Code::Io`].
pub async fn download(http: &Http, url: &Url, to: &Path) -> Result<Option<String>> {
    if to.is_file() {
        return Ok(None);
    }
    let mut part = to.as_os_str().to_owned();
    part.push(".part");
    let part = PathBuf::from(part);
    let mut tries = 1;
    let mut previous = 0;
    let checksum = loop {
        match resume(http, url, &part).await {
            Ok(checksum) => break checksum,
            Err(Failure::Fatal(error)) => return Err(error),
            Err(Failure::Retry(error)) => {
                // Progress resets the counter, so that unstable connections succeed.
                let now = file_size(&part);
                tries = if now > previous { 1 } else { tries + 1 };
                previous = now;
                if tries > MAX_TRIES {
                    return Err(error);
                }
                http.wait(FIRST_RETRY_WAIT * 2_u32.pow(tries - 1)).await?;
            }
        }
    };
    let to = to.to_owned();
    run_blocking(move || fs::rename(&part, &to).map_err(|e| Error::io(&to, e))).await?;
    Ok(checksum)
}

fn file_size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |m| m.len())
}

/// Makes one attempt, which resumes the previous one; returns the checksum if stated.
async fn resume(http: &Http, url: &Url, part: &Path) -> Result<Option<String>, Failure> {
    let resume_offset = file_size(part);
    let request = http.unless_cancelled(request_file(http, url, resume_offset));
    let (mut response, checksum) = request.await??;
    let status = response.status().as_u16();
    let text =
        |name: header::HeaderName| response.headers().get(name).and_then(|v| v.to_str().ok());
    let refusal = |code, problem: &str| {
        Failure::Fatal(Error::new(code, format!("{} {problem}", without_query(url))))
    };
    let from = match status {
        200 => 0,
        206 if text(header::CONTENT_RANGE)
            .is_some_and(|r| r.starts_with(&format!("bytes {resume_offset}-"))) =>
        {
            resume_offset
        }
        206 | 416 => {
            // The file changed since the download began, so the download starts over.
            fs::remove_file(part).map_err(|e| Error::io(part, e))?;
            return Err(Failure::Retry(invalid_response(url, "it changed during the download")));
        }
        401 | 403 => return Err(refusal(Code::Authentication, "is not publicly accessible")),
        404 | 410 => return Err(refusal(Code::NotFound, "was not found")),
        429 | 500.. => {
            let message = format!("{}: {}", without_query(url), status_text(status));
            return Err(Failure::Retry(
                Error::new(Code::Network, message).with_hint("Progress is saved; try again later."),
            ));
        }
        _ => {
            return Err(refusal(Code::Network, &format!("responded with {}", status_text(status))));
        }
    };
    if text(header::CONTENT_TYPE).is_some_and(|t| t.trim_start().starts_with("text/html")) {
        return Err(Failure::Fatal(
            invalid_response(url, "received a web page instead of the file")
                .with_hint("A sign-in page or a proxy responded. Download the files by other means, then import the model.")
                .with_command(Remedy::Models, "precedent model import DIR"),
        ));
    }
    // Without a known size, the download could fill the disk.
    let Some(total) = response.content_length().map(|n| from.saturating_add(n)) else {
        return Err(fatal(url, "the server does not report the file size"));
    };
    if total > MAX_FILE_SIZE {
        return Err(fatal(url, "the file is too large for a model"));
    }
    let mut file = open(part, from)?;
    let (mut buffer, mut received_bytes) = (Vec::with_capacity(BUFFER), from);
    loop {
        let chunk = http.unless_cancelled(response.chunk()).await?;
        let is_last = !matches!(chunk, Ok(Some(_)));
        if let Ok(Some(chunk)) = &chunk {
            buffer.extend_from_slice(chunk);
        }
        if buffer.len() >= BUFFER || is_last {
            received_bytes += buffer.len() as u64;
            let (bytes, name) = (std::mem::take(&mut buffer), part.to_owned());
            let write = run_blocking(move || match file.write_all(&bytes) {
                Ok(()) => Ok(file),
                Err(e) => {
                    // Deleting the partial file frees space on the full disk.
                    if e.kind() == std::io::ErrorKind::StorageFull {
                        let _ = fs::remove_file(&name);
                    }
                    Err(Error::io(&name, e))
                }
            });
            file = write.await?;
            http.task.report(Phase::Download, received_bytes, Some(total), "bytes");
        }
        match chunk {
            Ok(Some(_)) => {}
            Ok(None) => break,
            Err(error) => return Err(Failure::Retry(connection_error(url, &error))),
        }
    }
    if total != received_bytes {
        return Err(Failure::Retry(invalid_response(url, "the connection was interrupted")));
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

/// Requests a file from a byte offset and follows redirects. The request carries no token.
async fn request_file(
    http: &Http,
    url: &Url,
    from: u64,
) -> Result<(reqwest::Response, Option<String>), Failure> {
    let client = http.client()?;
    let (mut current_url, mut stated_digest) = (url.clone(), None);
    for _ in 0..=MAX_REDIRECTS {
        let mut builder = client
            .request(Method::GET, current_url.clone())
            .timeout(DOWNLOAD_TIMEOUT)
            .header(header::ACCEPT_ENCODING, "identity");
        if from > 0 {
            builder = builder.header(header::RANGE, format!("bytes={from}-"));
        }
        let response =
            builder.send().await.map_err(|e| Failure::Retry(connection_error(&current_url, &e)))?;
        let text = |name: &str| response.headers().get(name).and_then(|v| v.to_str().ok());
        let digest = text(LINKED_ETAG).map(|v| v.trim_matches('"').to_lowercase());
        stated_digest = stated_digest
            .or(digest.filter(|d| d.len() == 64 && d.bytes().all(|b| b.is_ascii_hexdigit())));
        if !response.status().is_redirection() {
            return Ok((response, stated_digest));
        }
        let to = text("location").and_then(|l| current_url.join(l).ok());
        current_url = to
            .filter(|t| t.scheme() == "https" || t.scheme() == url.scheme())
            .ok_or_else(|| fatal(&current_url, "it redirects without a target"))?;
    }
    Err(fatal(url, "too many redirects"))
}
