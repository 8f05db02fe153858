//! Where tokens come from. They are asked for when they are needed, kept in memory only as long, and printed nowhere.

use std::{
    collections::BTreeMap,
    fmt,
    sync::{Arc, Mutex, PoisonError},
};

use secrecy::ExposeSecret as _;
pub use secrecy::SecretString;
use url::{Origin, Url};

use precedent_core::{
    door,
    error::{Code, Error, Result},
};

/// What the entries of a keyring are filed under.
const SERVICE: &str = "precedent";

/// What a token is wanted for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wanted<'a> {
    /// The kind of tracker: `github`.
    pub tracker: &'a str,
    /// The host: `github.com`.
    pub host: &'a str,
}

/// A place that may know a host's token.
pub trait TokenSource: Send + Sync {
    /// What it is, in words: `the environment`.
    fn name(&self) -> &'static str;

    /// The token for a host, if it has one.
    ///
    /// # Errors
    /// Why it cannot be asked. The next place is asked all the same.
    fn token(&self, wanted: Wanted<'_>) -> Result<Option<SecretString>>;
}

/// A place that a face provides: its environment, a helper program.
pub struct Provided<F> {
    name: &'static str,
    ask: F,
}

impl<F: Fn(Wanted<'_>) -> Option<SecretString> + Send + Sync> Provided<F> {
    /// Asks `ask`, which is told for what.
    pub fn new(name: &'static str, ask: F) -> Self {
        Self { name, ask }
    }
}

impl<F: Fn(Wanted<'_>) -> Option<SecretString> + Send + Sync> TokenSource for Provided<F> {
    fn name(&self) -> &'static str {
        self.name
    }

    fn token(&self, wanted: Wanted<'_>) -> Result<Option<SecretString>> {
        Ok((self.ask)(wanted))
    }
}

/// A place that keeps tokens for good, one a host.
pub trait Keyring: Send + Sync {
    /// The token for a host, if it has one.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is no keyring here, [`Code::Io`] if it refuses.
    fn get(&self, host: &str) -> Result<Option<SecretString>>;

    /// Keeps the token for a host in place of the one before.
    ///
    /// # Errors
    /// As [`Keyring::get`].
    fn set(&self, host: &str, token: &SecretString) -> Result<()>;

    /// Forgets the token for a host; whether there was one.
    ///
    /// # Errors
    /// As [`Keyring::get`].
    fn forget(&self, host: &str) -> Result<bool>;
}

/// The system's keyring: Keychain, Credential Manager or Secret Service. A machine without one answers with an error,
/// which counts as having no token.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemKeyring;

impl SystemKeyring {
    fn entry(host: &str) -> Result<keyring::Entry> {
        keyring::Entry::new(SERVICE, host).map_err(|e| Self::error(&e))
    }

    fn error(error: &keyring::Error) -> Error {
        // What the error quotes may be an entry's bytes, so its own words are told for two kinds only.
        let (code, message) = match error {
            keyring::Error::NoDefaultStore => (Code::NotFound, "no keyring found on this machine".to_owned()),
            keyring::Error::PlatformFailure(e) | keyring::Error::NoStorageAccess(e) => {
                (Code::Io, format!("cannot use the keyring: {e}"))
            }
            _ => (Code::Io, "cannot use the keyring".to_owned()),
        };
        Error::new(code, message).with_hint(
            "Without a keyring, set the token in the environment (GH_TOKEN, GITLAB_TOKEN, GITEA_TOKEN, \
                 JIRA_API_TOKEN, REDMINE_API_KEY, BUGZILLA_API_KEY, AZURE_DEVOPS_EXT_PAT, LINEAR_API_KEY, CONFLUENCE_API_TOKEN, \
                 ZENDESK_API_TOKEN, DISCOURSE_API_KEY), or for GitHub, run `gh auth login`.",
        )
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

/// A keyring that is gone with its process, for tests.
#[derive(Default)]
pub struct MemoryKeyring {
    tokens: Mutex<BTreeMap<String, SecretString>>,
}

impl Keyring for MemoryKeyring {
    fn get(&self, host: &str) -> Result<Option<SecretString>> {
        Ok(self.tokens.lock().unwrap_or_else(PoisonError::into_inner).get(host).cloned())
    }

    fn set(&self, host: &str, token: &SecretString) -> Result<()> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner).insert(host.to_owned(), token.clone());
        Ok(())
    }

    fn forget(&self, host: &str) -> Result<bool> {
        Ok(self.tokens.lock().unwrap_or_else(PoisonError::into_inner).remove(host).is_some())
    }
}

/// How the keyring is named among the places where tokens are found.
pub const KEYRING: &str = "the keyring";

/// A keyring as one of the places that are asked.
struct Kept(Arc<dyn Keyring>);

impl TokenSource for Kept {
    fn name(&self) -> &'static str {
        KEYRING
    }

    fn token(&self, wanted: Wanted<'_>) -> Result<Option<SecretString>> {
        self.0.get(wanted.host)
    }
}

/// A token with the only origins that may see it.
///
/// Nothing that sends a secret takes anything else, and whoever makes one has the [`door`] know it.
#[derive(Clone)]
pub struct Token {
    secret: SecretString,
    origins: Vec<Origin>,
}

impl Token {
    /// A token for the origins of these addresses.
    pub fn new<'a>(secret: SecretString, places: impl IntoIterator<Item = &'a Url>) -> Self {
        door::learn(&secret);
        Self { secret, origins: places.into_iter().map(Url::origin).collect() }
    }

    /// The secret, if this address may see it.
    pub(crate) fn for_address(&self, address: &Url) -> Option<&SecretString> {
        self.origins.contains(&address.origin()).then_some(&self.secret)
    }

    /// Whether it begins so, where that tells what it is.
    pub(crate) fn begins_with(&self, mark: &str) -> bool {
        self.secret.expose_secret().starts_with(mark)
    }

    /// Whether it is a name with its secret, joined by a colon.
    pub(crate) fn has_name(&self) -> bool {
        self.secret.expose_secret().contains(':')
    }
}

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let origins = self.origins.iter().map(Origin::ascii_serialization);
        f.debug_list().entries(origins).finish()
    }
}

/// A token, and where it was found.
#[derive(Clone, Debug)]
pub struct Found {
    /// The token.
    pub token: Token,
    /// The place, in words.
    pub place: &'static str,
}

/// The places that are asked for a token, in order.
#[derive(Clone, Default)]
pub struct Secrets {
    places: Vec<Arc<dyn TokenSource>>,
    keyring: Option<Arc<dyn Keyring>>,
}

impl Secrets {
    /// Adds a place that is asked after those that are there.
    #[must_use]
    pub fn then(mut self, place: impl TokenSource + 'static) -> Self {
        self.places.push(Arc::new(place));
        self
    }

    /// Adds a keyring, which is asked after the places that are there, and in which new tokens are kept.
    #[must_use]
    pub fn then_keyring(mut self, keyring: Arc<dyn Keyring>) -> Self {
        self.places.push(Arc::new(Kept(Arc::clone(&keyring))));
        self.keyring = Some(keyring);
        self
    }

    /// Keeps a token in the keyring.
    ///
    /// # Errors
    /// [`Code::NotFound`] if there is none; those of the keyring.
    pub fn keep(&self, host: &str, token: &SecretString) -> Result<()> {
        door::learn(token);
        self.kept()?.set(host, token)
    }

    /// Forgets a token of the keyring; whether there was one.
    ///
    /// # Errors
    /// As [`Secrets::keep`].
    pub fn forget(&self, host: &str) -> Result<bool> {
        self.kept()?.forget(host)
    }

    fn kept(&self) -> Result<&dyn Keyring> {
        self.keyring
            .as_deref()
            .ok_or_else(|| Error::new(Code::NotFound, "this casebook was opened without a keyring"))
    }

    /// The first token that a place has for this, bound to these addresses; a place that cannot be asked counts as one that
    /// has none.
    pub fn find(&self, wanted: Wanted<'_>, addresses: &[Url]) -> Option<Found> {
        self.places.iter().find_map(|place| {
            let secret = place.token(wanted).ok()??;
            Some(Found { token: Token::new(secret, addresses), place: place.name() })
        })
    }
}

impl fmt::Debug for Secrets {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.places.iter().map(|p| p.name())).finish()
    }
}

#[cfg(test)]
mod tests {
    use secrecy::ExposeSecret as _;

    use super::*;

    fn at(host: &str) -> Wanted<'_> {
        Wanted { tracker: "github", host }
    }

    fn find(secrets: &Secrets, host: &str) -> Option<(String, &'static str)> {
        let here = Url::parse(&format!("https://{host}/api")).unwrap();
        let found = secrets.find(at(host), std::slice::from_ref(&here))?;
        for elsewhere in ["http://a/", "https://a:444/", "https://a.b/"] {
            assert!(found.token.for_address(&Url::parse(elsewhere).unwrap()).is_none(), "{elsewhere}");
        }
        assert!(!format!("{found:?}").contains("canary"));
        Some((found.token.for_address(&here)?.expose_secret().to_owned(), found.place))
    }

    #[test]
    fn the_first_place_that_has_one_wins_and_nothing_prints_it() {
        let secrets = Secrets::default()
            .then(Provided::new("the environment", |wanted| {
                (wanted.host == "a").then(|| "canary-1".to_owned().into())
            }))
            .then(Provided::new("gh", |_| Some("canary-2".to_owned().into())));
        assert_eq!(find(&secrets, "a").unwrap(), ("canary-1".to_owned(), "the environment"));
        assert_eq!(find(&secrets, "b").unwrap(), ("canary-2".to_owned(), "gh"));
        assert!(!format!("{secrets:?}").contains("canary"));
    }

    #[test]
    fn a_keyring_keeps_and_forgets_in_its_place() {
        let token = |text: &str| SecretString::from(text.to_owned());
        let secrets = Secrets::default()
            .then(Provided::new("the environment", |wanted| {
                (wanted.host == "a").then(|| "of the environment".to_owned().into())
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
