//! How a token is written into a request, and who may see it.

use std::fmt;

use base64::Engine as _;
use reqwest::header::{self, HeaderName, HeaderValue};
use secrecy::ExposeSecret as _;
use url::{Origin, Url};

use crate::secrets::{SecretString, Token};
use precedent_core::error::{Code, Error, Result};

/// Who is asking: a token, how it is written, and the one origin of its own that is asked.
#[derive(Clone)]
pub struct Login {
    origin: Origin,
    header: HeaderName,
    token: Token,
    written: Written,
}

/// How a token stands in its header.
#[derive(Clone, Copy)]
enum Written {
    /// Behind a word.
    After(&'static str),
    /// As RFC 7617 has a name and its secret; the name with this behind it.
    Basic(&'static str),
    /// As a password without a name, as RFC 7617 writes it.
    Password,
    /// As it is.
    Bare,
    /// As it is, and the name that stands before it in a header of its own.
    Beside(&'static str),
    /// As a parameter of the address, where the tracker reads no header.
    Parameter(&'static str),
}

impl Login {
    fn new(base: &Url, token: &Token, header: HeaderName, written: Written) -> Self {
        Self { origin: base.origin(), header, token: token.clone(), written }
    }

    /// A token that is sent as `Authorization: Bearer`, to the origin of `base` alone.
    pub fn bearer(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, Written::After("Bearer"))
    }

    /// A token as Gitea takes it, whatever its age.
    pub fn token(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, Written::After("token"))
    }

    /// A name and its secret, joined by a colon.
    pub fn basic(base: &Url, token: &Token) -> Self {
        Self::basic_as(base, token, "")
    }

    /// A name and its secret, joined by a colon, where the tracker tells by what ends the name that it is no password.
    pub fn basic_as(base: &Url, token: &Token, ending: &'static str) -> Self {
        Self::new(base, token, header::AUTHORIZATION, Written::Basic(ending))
    }

    /// A token that stands for a password, whatever the name.
    pub fn password(base: &Url, token: &Token) -> Self {
        Self::new(base, token, header::AUTHORIZATION, Written::Password)
    }

    /// A key in a header of the tracker's own.
    pub fn header(base: &Url, name: &'static str, key: &Token) -> Self {
        Self::new(base, key, HeaderName::from_static(name), Written::Bare)
    }

    /// A key in a header of the tracker's own. Where it is a name and a key, joined by a colon, the name stands in another.
    pub fn headers(base: &Url, name: &'static str, key: &Token, whose: &'static str) -> Self {
        Self::new(base, key, HeaderName::from_static(name), Written::Beside(whose))
    }

    /// A key as a parameter of the address, for trackers that read it nowhere else. It is added when a request is sent, and
    /// stands in no address that is kept, told or followed.
    pub fn parameter(base: &Url, name: &'static str, key: &Token) -> Self {
        Self::new(base, key, header::AUTHORIZATION, Written::Parameter(name))
    }

    fn secret_for(&self, url: &Url) -> Option<&SecretString> {
        self.token.for_address(url).filter(|_| url.origin() == self.origin)
    }

    /// The address to send to, if this one may see the key and the key stands in the address.
    pub(super) fn address_for(&self, url: &Url) -> Option<Url> {
        let Written::Parameter(name) = self.written else { return None };
        let secret = self.secret_for(url)?;
        let mut url = url.clone();
        url.query_pairs_mut().append_pair(name, secret.expose_secret());
        Some(url)
    }

    /// The headers, if this address may see them.
    pub(super) fn headers_for(&self, url: &Url) -> Result<Vec<(HeaderName, HeaderValue)>> {
        let Some(secret) = self.secret_for(url) else { return Ok(Vec::new()) };
        let secret = secret.expose_secret();
        let value: SecretString = match self.written {
            Written::After(word) => format!("{word} {secret}"),
            Written::Basic(ending) => {
                let pair: SecretString = match secret.split_once(':') {
                    Some((name, rest)) if !name.ends_with(ending) => format!("{name}{ending}:{rest}"),
                    _ => secret.to_owned(),
                }
                .into();
                let pair = base64::engine::general_purpose::STANDARD.encode(pair.expose_secret());
                format!("Basic {pair}")
            }
            Written::Password => {
                let pair: SecretString = format!(":{secret}").into();
                let pair = base64::engine::general_purpose::STANDARD.encode(pair.expose_secret());
                format!("Basic {pair}")
            }
            Written::Bare => secret.to_owned(),
            Written::Beside(_) => secret.split_once(':').map_or(secret, |(_, key)| key).to_owned(),
            Written::Parameter(_) => return Ok(Vec::new()),
        }
        .into();
        let mut headers = vec![(self.header.clone(), header_value(value.expose_secret())?)];
        if let Written::Beside(whose) = self.written
            && let Some((name, _)) = secret.split_once(':')
        {
            headers.push((HeaderName::from_static(whose), header_value(name)?));
        }
        Ok(headers)
    }
}

fn header_value(text: &str) -> Result<HeaderValue> {
    // The error would quote nothing, but it would be told as an internal one.
    let mut value = HeaderValue::from_str(text).map_err(|_| {
        Error::new(Code::Authentication, "the token contains invalid characters")
            .with_hint("Copy it again, without line breaks.")
    })?;
    value.set_sensitive(true);
    Ok(value)
}

impl fmt::Debug for Login {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Login").field("origin", &self.origin.ascii_serialization()).finish_non_exhaustive()
    }
}
