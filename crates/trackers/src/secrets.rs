//! Token sources. Tokens are looked up when needed, kept in memory briefly, and never printed.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use secrecy::ExposeSecret as _;
pub use secrecy::SecretString;
use url::{Origin, Url};

use precedent_core::{
    error::{Code, Error, Remedy, Result},
    secret_filter,
};

/// The service name of keyring entries.
const SERVICE: &str = "precedent";

/// The tracker and host that a token is needed for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TokenRequest<'a> {
    /// Tracker kind: `github`.
    pub tracker: &'a str,
    /// Host: `github.com`.
    pub host: &'a str,
}

/// A source of tokens: the environment, a helper program or a keyring.
#[derive(Clone)]
pub struct TokenSource {
    name: &'static str,
    lookup: Arc<dyn Fn(TokenRequest<'_>) -> Option<SecretString> + Send + Sync>,
}

impl TokenSource {
    /// Creates a source with a readable name; `lookup` returns its token.
    pub fn new(
        name: &'static str,
        lookup: impl Fn(TokenRequest<'_>) -> Option<SecretString> + Send + Sync + 'static,
    ) -> Self {
        Self { name, lookup: Arc::new(lookup) }
    }
}

/// A persistent store of tokens, one per host.
pub trait Keyring: Send + Sync {
    /// Returns the token for a host, if there is one.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no keyring on this machine, [`Code::Io`] if it refuses
    /// access.
    fn get(&self, host: &str) -> Result<Option<SecretString>>;

    /// Stores the token for a host, replacing the previous one.
    fn set(&self, host: &str, token: &SecretString) -> Result<()>;

    /// Deletes the token for a host and returns whether there was one.
    fn forget(&self, host: &str) -> Result<bool>;
}

/// The system's keyring: Keychain, Credential Manager or Secret Service.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemKeyring;

impl SystemKeyring {
    fn entry(host: &str) -> Result<keyring::Entry> {
        keyring::Entry::new(SERVICE, host).map_err(|e| Self::error(&e))
    }

    fn error(error: &keyring::Error) -> Error {
        // Other errors may quote the entry's bytes, so their text is never shown.
        let (code, message) = match error {
            keyring::Error::NoDefaultStore => {
                (Code::NotFound, "no keyring found on this machine".to_owned())
            }
            keyring::Error::PlatformFailure(e) | keyring::Error::NoStorageAccess(e) => {
                (Code::Io, format!("cannot use the keyring: {e}"))
            }
            _ => (Code::Io, "cannot use the keyring".to_owned()),
        };
        Error::new(code, message)
            .with_hint(
                "Without a keyring, set the token in the environment (GH_TOKEN, GITLAB_TOKEN, GITEA_TOKEN, \
                 JIRA_API_TOKEN, REDMINE_API_KEY, BUGZILLA_API_KEY, AZURE_DEVOPS_EXT_PAT, LINEAR_API_KEY, CONFLUENCE_API_TOKEN, \
                 ZENDESK_API_TOKEN, DISCOURSE_API_KEY), or for GitHub, sign in.",
            )
            .with_command(Remedy::Sources, "gh auth login")
    }
}

impl Keyring for SystemKeyring {
    fn get(&self, host: &str) -> Result<Option<SecretString>> {
        match Self::entry(host)?.get_password() {
            Ok(token) => Ok(Some(token.into())),
            Err(keyring::Error::NoEntry) => Ok(None),
            Err(error) => Err(Self::error(&error)),
        }
    }

    fn set(&self, host: &str, token: &SecretString) -> Result<()> {
        Self::entry(host)?.set_password(token.expose_secret()).map_err(|e| Self::error(&e))
    }

    fn forget(&self, host: &str) -> Result<bool> {
        match Self::entry(host)?.delete_credential() {
            Ok(()) => Ok(true),
            Err(keyring::Error::NoEntry) => Ok(false),
            Err(error) => Err(Self::error(&error)),
        }
    }
}

/// An in-memory keyring for tests.
#[derive(Default)]
pub struct MemoryKeyring {
    tokens: Mutex<BTreeMap<String, SecretString>>,
}

impl Keyring for MemoryKeyring {
    fn get(&self, host: &str) -> Result<Option<SecretString>> {
        Ok(self.tokens.lock().unwrap_or_else(PoisonError::into_inner).get(host).cloned())
    }

    fn set(&self, host: &str, token: &SecretString) -> Result<()> {
        self.tokens
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(host.to_owned(), token.clone());
        Ok(())
    }

    fn forget(&self, host: &str) -> Result<bool> {
        Ok(self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(host).is_some())
    }
}

/// The name of the keyring as a token source.
pub const KEYRING: &str = "the keyring";

/// A token and the only origins that may receive it.
///
/// Code that sends a secret accepts no other type; creating a token registers it with the
/// [`secret_filter`].
#[derive(Clone)]
pub struct Token {
    secret: SecretString,
    origins: Vec<Origin>,
}

impl Token {
    /// Creates a token for the origins of these addresses.
    pub fn new<'a>(secret: SecretString, addresses: impl IntoIterator<Item = &'a Url>) -> Self {
        secret_filter::register(&secret);
        Self { secret, origins: addresses.into_iter().map(Url::origin).collect() }
    }

    /// Returns the secret if this address may receive it.
    pub(crate) fn for_address(&self, address: &Url) -> Option<&SecretString> {
        self.origins.contains(&address.origin()).then_some(&self.secret)
    }

    /// Returns whether the token starts with `prefix`, which identifies its type.
    pub(crate) fn has_prefix(&self, prefix: &str) -> bool {
        self.secret.expose_secret().starts_with(prefix)
    }

    /// Returns whether the token has the form `USER:SECRET`.
    pub(crate) fn has_user_name(&self) -> bool {
        self.secret.expose_secret().contains(':')
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origins = self.origins.iter().map(Origin::ascii_serialization);
        f.debug_list().entries(origins).finish()
    }
}

/// A token and its source.
#[derive(Clone, Debug)]
pub struct FoundToken {
    /// The token.
    pub token: Token,
    /// Readable name of the source.
    pub source: &'static str,
}

/// The token sources, in lookup order.
#[derive(Clone, Default)]
pub struct Secrets {
    sources: Vec<TokenSource>,
    keyring: Option<Arc<dyn Keyring>>,
}

impl Secrets {
    /// Appends a source.
    #[must_use]
    pub fn then_source(mut self, source: TokenSource) -> Self {
        self.sources.push(source);
        self
    }

    /// Appends a keyring, which also stores new tokens.
    #[must_use]
    pub fn then_keyring(mut self, keyring: Arc<dyn Keyring>) -> Self {
        let tokens = Arc::clone(&keyring);
        // A keyring that refuses access counts as having no token.
        let lookup = move |request: TokenRequest<'_>| tokens.get(request.host).ok().flatten();
        self.keyring = Some(keyring);
        self.then_source(TokenSource::new(KEYRING, lookup))
    }

    /// Stores a token in the keyring.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no keyring; any error from the keyring.
    pub fn keep(&self, host: &str, token: &SecretString) -> Result<()> {
        secret_filter::register(token);
        self.require_keyring()?.set(host, token)
    }

    /// Deletes a token from the keyring and returns whether there was one.
    pub fn forget(&self, host: &str) -> Result<bool> {
        self.require_keyring()?.forget(host)
    }

    fn require_keyring(&self) -> Result<&dyn Keyring> {
        self.keyring
            .as_deref()
            .ok_or_else(|| Error::new(Code::NotFound, "this casebook was opened without a keyring"))
    }

    /// Returns the first token for a request, bound to the origins of these addresses.
    pub fn find(&self, request: TokenRequest<'_>, addresses: &[Url]) -> Option<FoundToken> {
        self.sources.iter().find_map(|source| {
            let secret = (source.lookup)(request)?;
            Some(FoundToken { token: Token::new(secret, addresses), source: source.name })
        })
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.sources.iter().map(|source| source.name)).finish()
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn request_for(host: &str) -> TokenRequest<'_> {
        TokenRequest { tracker: "github", host }
    }

    fn find(secrets: &Secrets, host: &str) -> Option<(String, &'static str)> {
        let address = Url::parse(&format!("https://{host}/api")).unwrap();
        let result = secrets.find(request_for(host), std::slice::from_ref(&address))?;
        for other_address in ["http://a/", "https://a:444/", "https://a.b/"] {
            assert!(
                result.token.for_address(&Url::parse(other_address).unwrap()).is_none(),
                "{other_address}"
            );
        }
        assert!(!format!("{result:?}").contains("canary"));
        Some((result.token.for_address(&address)?.expose_secret().to_owned(), result.source))
    }

    #[test]
    fn first_source_with_a_token_wins() {
        let secrets = Secrets::default()
            .then_source(TokenSource::new("the environment", |request| {
                (request.host == "a").then(|| "canary-1".to_owned().into())
            }))
            .then_source(TokenSource::new("gh", |_| Some("canary-2".to_owned().into())));
        assert_eq!(find(&secrets, "a").unwrap(), ("canary-1".to_owned(), "the environment"));
        assert_eq!(find(&secrets, "b").unwrap(), ("canary-2".to_owned(), "gh"));
        assert!(!format!("{secrets:?}").contains("canary"));
    }

    #[test]
    fn keyring_stores_and_forgets_tokens() {
        let token = |text: &str| SecretString::from(text.to_owned());
        let secrets = Secrets::default()
            .then_source(TokenSource::new("the environment", |request| {
                (request.host == "a").then(|| "of the environment".to_owned().into())
            }))
            .then_keyring(Arc::new(MemoryKeyring::default()));
        for host in ["a", "b"] {
            secrets.keep(host, &token("kept")).unwrap();
        }
        assert_eq!(find(&secrets, "a").unwrap().1, "the environment");
        assert_eq!(find(&secrets, "b").unwrap().1, "the keyring");
        assert_eq!((secrets.forget("b").unwrap(), secrets.forget("b").unwrap()), (true, false));
        assert!(find(&secrets, "b").is_none());
        assert_eq!(Secrets::default().keep("a", &token("x")).unwrap_err().code(), Code::NotFound);
    }
}
