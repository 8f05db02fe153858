//! Logins: how a token is sent, and the only origin that may receive it.

use std::fmt;

use base64::Engine as _;
use reqwest::header::{self, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use url::{Origin, Url};

use crate::secrets::{SecretString, Token};
use precedent_core::error::{Code, Error, Result};

/// A token, how it is sent, and the only origin that may receive it.
#[derive(Clone)]
pub struct Login {
    origin: Origin,
    header: HeaderName,
    token: Token,
    form: TokenForm,
}

#[derive(Clone, Copy)]
enum TokenForm {
    /// After an authentication scheme.
    Scheme(&'static str),
    /// HTTP Basic (RFC 7617) with a user name, this suffix, and a secret.
    Basic(&'static str),
    /// HTTP Basic (RFC 7617) with an empty user name.
    Password,
    Plain,
    /// Without a scheme; the user name before the colon is sent in this second header.
    WithUserHeader(&'static str),
    /// A query parameter, for trackers that read no header.
    Parameter(&'static str),
}

impl Login {
    fn new(base: &Url, token: &Token, header: HeaderName, form: TokenForm) -> Self {
        Self { origin: base.origin(), header, token: token.clone(), form }
    }

    /// Creates a login that sends `Authorization: Bearer` to the origin of `base` only.
    pub fn bearer(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::Scheme("Bearer"))
    }

    /// Creates a login in the form that every Gitea version accepts.
    pub fn token(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::Scheme("token"))
    }

    /// Creates a login from a personal access token, or from `USER:SECRET`.
    pub fn personal(base: &Url, token: &Token) -> Self {
        match token.has_user_name() {
            true => Self::basic(base, token, ""),
            false => Self::bearer(base, token),
        }
    }

    /// Creates a login from `USER:SECRET`; a suffix of the name marks the secret as a token.
    pub fn basic(base: &Url, token: &Token, suffix: &'static str) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::Basic(suffix))
    }

    /// Creates a login that sends a token as the password of an empty user name.
    pub fn password(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, TokenForm::Password)
    }

    /// Creates a login that sends a key in a header of the tracker.
    pub fn header(base: &Url, name: &'static str, key: &Token) -> Self {
        Self::new(base, key, HeaderName::from_static(name), TokenForm::Plain)
    }

    /// Creates a login that sends a key in a header of the tracker; if the token is `USER:KEY`, the
    /// name is sent in a second header.
    pub fn headers(base: &Url, name: &'static str, key: &Token, name_header: &'static str) -> Self {
        Self::new(base, key, HeaderName::from_static(name), TokenForm::WithUserHeader(name_header))
    }

    /// Creates a login that sends a key as a query parameter. The key is added only when a request
    /// is sent, so that no stored or reported address contains it.
    pub fn parameter(base: &Url, name: &'static str, key: &Token) -> Self {
        Self::new(base, key, header::AUTHORIZATION, TokenForm::Parameter(name))
    }

    fn secret_for(&self, url: &Url) -> Option<&SecretString> {
        self.token.for_address(url).filter(|_| url.origin() == self.origin)
    }

    /// Returns the address with the key as a parameter, if the login uses one and may send it there.
    pub(super) fn url_with_key(&self, url: &Url) -> Option<Url> {
        let TokenForm::Parameter(name) = self.form else { return None };
        let secret = self.secret_for(url)?;
        let mut url = url.clone();
        url.query_pairs_mut().append_pair(name, secret.expose_secret());
        Some(url)
    }

    /// Returns the headers of the login; empty if this address may not receive them.
    pub(super) fn headers_for(&self, url: &Url) -> Result<Vec<(HeaderName, HeaderValue)>> {
        let Some(secret) = self.secret_for(url) else { return Ok(Vec::new()) };
        let secret = secret.expose_secret();
        let value: SecretString = match self.form {
            TokenForm::Scheme(scheme) => format!("{scheme} {secret}"),
            TokenForm::Basic(suffix) => match secret.split_once(':') {
                Some((name, rest)) if !name.ends_with(suffix) => {
                    basic_value(format!("{name}{suffix}:{rest}").into())
                }
                _ => basic_value(secret.to_owned().into()),
            },
            TokenForm::Password => basic_value(format!(":{secret}").into()),
            TokenForm::Plain => secret.to_owned(),
            TokenForm::WithUserHeader(_) => {
                secret.split_once(':').map_or(secret, |(_, key)| key).to_owned()
            }
            TokenForm::Parameter(_) => return Ok(Vec::new()),
        }
        .into();
        let mut headers = vec![(self.header.clone(), header_value(value.expose_secret())?)];
        if let TokenForm::WithUserHeader(name_header) = self.form
            && let Some((name, _)) = secret.split_once(':')
        {
            headers.push((HeaderName::from_static(name_header), header_value(name)?));
        }
        Ok(headers)
    }
}

fn basic_value(pair: SecretString) -> String {
    let pair = base64::engine::general_purpose::STANDARD.encode(pair.expose_secret());
    format!("Basic {pair}")
}

fn header_value(text: &str) -> Result<HeaderValue> {
    // The error of the library does not mention the token.
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
