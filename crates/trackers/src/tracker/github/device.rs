//! Sign-in with a browser: GitHub's device flow.
//! <https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps#device-flow>

use std::time::Duration;

use jiff::Timestamp;
use secrecy::ExposeSecret as _;
use serde::Deserialize;
use url::Url;

use crate::{
    http::{Http, Request},
    secrets::SecretString,
    tracker::Address,
};
use precedent_core::{
    error::{Code, Error, Result},
    secret_filter::{self, Quotation},
};

const DEFAULT_INTERVAL: u64 = 5;
/// The increase of the interval after a "slow down" response, in seconds.
const SLOW_DOWN_STEP: u64 = 5;

/// A pending sign-in.
pub struct DeviceLogin {
    /// Code that the user enters.
    pub user_code: String,
    /// Address that the user opens in a browser.
    pub verification_uri: String,
    /// Expiry time of the code.
    pub expires_at: Timestamp,
    host: String,
    token_url: Url,
    client_id: String,
    device_code: SecretString,
    interval: u64,
}

impl std::fmt::Debug for DeviceLogin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceLogin").field("host", &self.host).finish_non_exhaustive()
    }
}

/// A response to the request for a code or for a token.
#[derive(Deserialize)]
struct Reply {
    device_code: Option<String>,
    user_code: Option<String>,
    verification_uri: Option<String>,
    expires_in: Option<u64>,
    access_token: Option<String>,
    interval: Option<u64>,
    error: Option<String>,
}

/// Requests a code for the user.
///
/// # Errors
/// [`Code::Authentication`] if the request is rejected; network errors.
pub async fn begin(http: &Http, address: &Address, client_id: &str) -> Result<DeviceLogin> {
    let url = |path: &str| {
        Url::parse(&format!("{}://{}/login/{path}", address.base.scheme(), address.host))
            .map_err(|_| Error::invalid("invalid tracker address"))
    };
    let request =
        Request::form(url("device/code")?, &[("client_id", client_id), ("scope", "repo")]);
    let response = http.send(&request.header("accept", "application/json"), None).await?;
    let denied_error = |reason: &str| {
        Error::new(
            Code::Authentication,
            format!("{} does not allow this app to sign users in: {reason}", address.host),
        )
        .with_hint("Check the client ID, and that the device flow is enabled in the app settings.")
    };
    if response.status != 200 {
        return Err(denied_error(&crate::http::status_text(response.status)));
    }
    let reply: Reply = response.json()?;
    if let Some(error) = reply.error {
        return Err(denied_error(&sanitized_line(&error)));
    }
    let (Some(code), Some(user_code), Some(verification_uri)) =
        (reply.device_code, reply.user_code, reply.verification_uri)
    else {
        return Err(denied_error("its response contains no code"));
    };
    let lifetime = Duration::from_secs(reply.expires_in.unwrap_or(900).min(3_600));
    let device_code: SecretString = code.into();
    secret_filter::register(&device_code);
    Ok(DeviceLogin {
        user_code: sanitized_line(&user_code),
        verification_uri: sanitized_line(&verification_uri),
        expires_at: http.now().checked_add(lifetime).unwrap_or_else(|_| http.now()),
        host: address.host.clone(),
        token_url: url("oauth/access_token")?,
        client_id: client_id.to_owned(),
        device_code,
        interval: reply.interval.unwrap_or(DEFAULT_INTERVAL).clamp(1, 60),
    })
}

/// Waits until the user has signed in.
///
/// # Errors
/// [`Code::Authentication`] if the user declined or the code expired; network errors.
pub async fn finish(http: &Http, login: &DeviceLogin) -> Result<SecretString> {
    let mut interval = login.interval;
    loop {
        http.wait(Duration::from_secs(interval)).await?;
        if http.now() > login.expires_at {
            return Err(expired_error());
        }
        let request = Request::form(
            login.token_url.clone(),
            &[
                ("client_id", &login.client_id),
                ("device_code", login.device_code.expose_secret()),
                ("grant_type", "urn:ietf:params:oauth:grant-type:device_code"),
            ],
        );
        let request = request.header("accept", "application/json").with_secret_response();
        let response = http.send(&request, None).await?;
        let reply: Reply = response.json()?;
        match (reply.access_token, reply.error.as_deref()) {
            (Some(token), _) if !token.is_empty() => return Ok(token.into()),
            (_, Some("authorization_pending")) => {}
            (_, Some("slow_down")) => {
                interval = reply.interval.unwrap_or(interval + SLOW_DOWN_STEP).clamp(1, 120)
            }
            (_, Some("expired_token")) => return Err(expired_error()),
            (_, Some("access_denied")) => {
                return Err(Error::new(Code::Authentication, "the sign-in was declined"));
            }
            (_, reason) => {
                let reason = sanitized_line(reason.unwrap_or("its response contains no token"));
                return Err(Error::new(
                    Code::Authentication,
                    format!("{} denied the sign-in: {reason}", login.host),
                ));
            }
        }
    }
}

fn expired_error() -> Error {
    Error::new(Code::Authentication, "the code has expired")
        .with_hint("Try again and enter the new code.")
}

/// Returns the first line of a server message, shortened and without secrets.
fn sanitized_line(text: &str) -> String {
    Quotation::first_line(text).map(|words| words.to_string()).unwrap_or_default()
}
