//! Links into the casebook: `precedent://item/acme/app#12`, from other programs.

use tauri::{Url, ipc::Channel};

use crate::mailbox::Mailbox;

/// The scheme; the packages register it (`tauri.conf.json`).
const SCHEME: &str = "precedent";
/// The longest key that is believed, in bytes.
const MAX_KEY: usize = 300;

/// The document that a link names, if it is one of ours: `precedent://item/acme/app#12`, `…/acme/app/12`,
/// `…/acme/app%2312`, `…/acme/app:Page-Name`.
pub fn key(link: &str) -> Option<String> {
    let url = Url::parse(link).ok()?;
    if url.scheme() != SCHEME || url.host_str() != Some("item") {
        return None;
    }
    let mut key = decoded(url.path().trim_matches('/'))?;
    match (url.fragment(), key.rsplit_once('/')) {
        (Some(number), _) => key = format!("{key}#{}", decoded(number)?),
        (None, Some((source, number)))
            if source.contains('/') && number.chars().all(|c| c.is_ascii_digit()) && !number.is_empty() =>
        {
            key = format!("{source}#{number}");
        }
        _ => {}
    }
    let sound = key.len() <= MAX_KEY && key.contains('/') && !key.chars().any(char::is_control);
    sound.then_some(key)
}

/// A part of an address with its escapes resolved.
fn decoded(text: &str) -> Option<String> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        if byte != b'%' {
            bytes.push(byte);
            continue;
        }
        let digit = |b: Option<u8>| char::from(b?).to_digit(16);
        let value = digit(rest.next())? * 16 + digit(rest.next())?;
        bytes.push(u8::try_from(value).ok()?);
    }
    String::from_utf8(bytes).ok()
}

/// Where links wait until the window wants them, and go as soon as it does.
#[derive(Default)]
pub struct Links(Mailbox<String>);

impl Links {
    /// Shows the first document that these words name. Whether there was one.
    pub fn open<'a>(&self, words: impl IntoIterator<Item = &'a str>) -> bool {
        let Some(key) = words.into_iter().find_map(key) else { return false };
        self.0.send(key);
        true
    }

    /// Links go here from now on, with the one that waits.
    pub fn watch(&self, window: Channel<String>) {
        self.0.watch(window);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tauri::ipc::InvokeResponseBody;

    use super::*;

    #[test]
    fn links_name_documents() {
        for link in
            ["precedent://item/acme/app#12", "precedent://item/acme/app/12", "precedent://item/acme/app%2312"]
        {
            assert_eq!(key(link).as_deref(), Some("acme/app#12"), "{link}");
        }
        assert_eq!(key("precedent://item/acme/app:Upgrade-to-3").as_deref(), Some("acme/app:Upgrade-to-3"));
        for bad in [
            "https://item/acme/app#12",
            "precedent://other/acme/app#12",
            "precedent://item/acme",
            "precedent://item/acme/app%0a#1",
            "precedent://item/acme/%zz",
            "--casebook",
            "",
        ] {
            assert_eq!(key(bad), None, "{bad}");
        }
    }

    #[test]
    fn a_link_waits_for_the_window() {
        let links = Links::default();
        assert!(!links.open(["precedent-desktop", "--sample"]));
        assert!(links.open(["precedent-desktop", "precedent://item/acme/app#1"]));
        let seen = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&seen);
        links.watch(Channel::new(move |body| {
            if let InvokeResponseBody::Json(text) = body {
                kept.lock().unwrap().push(text);
            }
            Ok(())
        }));
        links.open(["precedent://item/acme/app#2"]);
        assert_eq!(*seen.lock().unwrap(), ["\"acme/app#1\"", "\"acme/app#2\""]);
    }
}
