//! The form in which a token is sent, and the origins that may receive it.

use std::fmt;

use base64::Engine as _;
use reqwest::header::{self, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use url::{Origin, Url};

use crate::secrets::{SecretString, Token};
use precedent_core::error::{Code, Error, Result};

/// A token, its form in a request, and the one origin that may receive it.
#[derive(Clone)]
pub struct Login {
    origin: Origin,
    header: HeaderName,
    token: Token,
    form: TokenForm,
}

/// The form of a token in its header.
#[derive(Clone, Copy)]
enum TokenForm {
    /// After this authentication scheme.
    After(&'static str),
    /// HTTP Basic (RFC 7617) with user name and secret; this suffix follows the name.
    Basic(&'static str),
    /// HTTP Basic (RFC 7617) with an empty user name.
    Password,
    /// Without a scheme.
    Bare,
    /// Without a scheme; the user name before the colon is sent in this second header.
    Beside(&'static str),
    /// A query parameter, for trackers that read no header.
    Parameter(&'static str),
}

impl Login {
    fn new(base: &Url, token: &Token, header: HeaderName, form: TokenForm) -> Self {
        Self { origin: base.origin(), header, token: token.clone(), form }
    }

    /// Creates a login that sends `Authorization: Bearer` to the origin of `base` only.
    pub fn bearer(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::After("Bearer"))
    }

    /// Creates a login in the form that every Gitea version accepts.
    pub fn token(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::After("token"))
    }

    /// Creates a login from a personal access token, or from a user name and a secret, joined by a
    /// colon.
    pub fn personal(base: &Url, token: &Token) -> Self {
        match token.has_name() {
            true => Self::basic_as(base, token, ""),
            false => Self::bearer(base, token),
        }
    }

    /// Creates a login from a user name and a secret, joined by a colon, where a suffix of the name
    /// marks the secret as a token.
    pub fn basic_as(base: &Url, token: &Token, ending: &'static str) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::Basic(ending))
    }

    /// Creates a login that sends a token as the password of an empty user name.
    pub fn password(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::Password)
    }

    /// Creates a login that sends a key in a header of the tracker.
    pub fn header(base: &Url, name: &'static str, key: &Token) -> Self {
        Self::new(base, key, HeaderName::from_static(name), TokenForm::Bare)
    }

    /// Creates a login that sends a key in a header of the tracker. If the token is a user name and
    /// a key, joined by a colon, the name is sent in a second header.
    pub fn headers(base: &Url, name: &'static str, key: &Token, name_header: &'static str) -> Self {
        Self::new(base, key, HeaderName::from_static(name), TokenForm::Beside(name_header))
    }

    /// Creates a login that sends a key as a query parameter, for trackers that read it nowhere
    /// else. The key is added when a request is sent, and is in no address that is stored, reported
    /// or followed.
    pub fn parameter(base: &Url, name: &'static str, key: &Token) -> Self {
        Self::new(base, key, header::AUTHORIZATION, TokenForm::Parameter(name))
    }

    fn secret_for(&self, url: &Url) -> Option<&SecretString> {
        self.token.for_address(url).filter(|_| url.origin() == self.origin)
    }

    /// Returns the address with the key as a parameter, if the login uses one and this address may
    /// receive it.
    pub(super) fn address_for(&self, url: &Url) -> Option<Url> {
        let TokenForm::Parameter(name) = self.form else { return None };
        let secret = self.secret_for(url)?;
        let mut url = url.clone();
        url.query_pairs_mut().append_pair(name, secret.expose_secret());
        Some(url)
    }

    /// Returns the headers of the login, or none if this address may not receive them.
    pub(super) fn headers_for(&self, url: &Url) -> Result<Vec<(HeaderName, HeaderValue)>> {
        let Some(secret) = self.secret_for(url) else { return Ok(Vec::new()) };
        let secret = secret.expose_secret();
        let value: SecretString = match self.form {
            TokenForm::After(word) => format!("{word} {secret}"),
            TokenForm::Basic(ending) => {
                let pair: SecretString = match secret.split_once(':') {
                    Some((name, rest)) if !name.ends_with(ending) => {
                        format!("{name}{ending}:{rest}")
                    }
                    _ => secret.to_owned(),
                }
                .into();
                let pair = base64::engine::general_purpose::STANDARD.encode(pair.expose_secret());
                format!("Basic {pair}")
            }
            TokenForm::Password => {
                let pair: SecretString = format!(":{secret}").into();
                let pair = base64::engine::general_purpose::STANDARD.encode(pair.expose_secret());
                format!("Basic {pair}")
            }
            TokenForm::Bare => secret.to_owned(),
            TokenForm::Beside(_) => {
                secret.split_once(':').map_or(secret, |(_, key)| key).to_owned()
            }
            TokenForm::Parameter(_) => return Ok(Vec::new()),
        }
        .into();
        let mut headers = vec![(self.header.clone(), header_value(value.expose_secret())?)];
        if let TokenForm::Beside(name_header) = self.form
            && let Some((name, _)) = secret.split_once(':')
        {
            headers.push((HeaderName::from_static(name_header), header_value(name)?));
        }
        Ok(headers)
    }
}

fn header_value(text: &str) -> Result<HeaderValue> {
    // The library's error would be reported as an internal one.
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        Error::new(Code::Authentication, "the token contains invalid characters")
            .with_hint("Copy it again, without line breaks.")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login")
            .field("origin", &self.origin.ascii_serialization())
            .finish_non_exhaustive()
    }
}
