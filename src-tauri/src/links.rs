//! Links into the casebook from other programs: `precedent://item/acme/app#12`.

use tauri::Url;

use crate::mailbox::Mailbox;

/// The URL scheme, registered by the packages (`tauri.conf.json`).
const SCHEME: &str = "precedent";
/// The maximum length of a key, in bytes.
const MAX_KEY: usize = 300;

/// Returns the document key in a link, or `None` for other links.
///
/// Accepts `precedent://item/acme/app#12`, `…/acme/app/12`, `…/acme/app%2312` and
/// `…/acme/app:Page-Name`.
pub fn parse_key(link: &str) -> Option<String> {
    let url = Url::parse(link).ok()?;
    if url.scheme() != SCHEME || url.host_str() != Some("item") {
        return None;
    }
    let mut key = decode(url.path().trim_matches('/'))?;
    match (url.fragment(), key.rsplit_once('/')) {
        (Some(number), _) => key = format!("{key}#{}", decode(number)?),
        (None, Some((source, number)))
            if source.contains('/')
                && number.chars().all(|c| c.is_ascii_digit())
                && !number.is_empty() =>
        {
            key = format!("{source}#{number}");
        }
        _ => {}
    }
    let is_valid = key.len() <= MAX_KEY && key.contains('/') && !key.chars().any(char::is_control);
    is_valid.then_some(key)
}

/// Decodes the percent-escapes of a URL part.
fn decode(text: &str) -> Option<String> {
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

/// The document key of the latest link.
pub type Links = Mailbox<String>;

/// Opens the first link among these arguments, if any.
pub fn open<'a>(links: &Links, args: impl IntoIterator<Item = &'a str>) {
    if let Some(key) = args.into_iter().find_map(parse_key) {
        links.send(key);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use tauri::ipc::{Channel, InvokeResponseBody};

    use super::*;

    #[test]
    fn links_are_parsed_to_document_keys() {
        for link in [
            "precedent://item/acme/app#12",
            "precedent://item/acme/app/12",
            "precedent://item/acme/app%2312",
        ] {
            assert_eq!(parse_key(link).as_deref(), Some("acme/app#12"), "{link}");
        }
        assert_eq!(
            parse_key("precedent://item/acme/app:Upgrade-to-3").as_deref(),
            Some("acme/app:Upgrade-to-3")
        );
        for bad in [
            "https://item/acme/app#12",
            "precedent://other/acme/app#12",
            "precedent://item/acme",
            "precedent://item/acme/app%0a#1",
            "precedent://item/acme/%zz",
            "--casebook",
            "",
        ] {
            assert_eq!(parse_key(bad), None, "{bad}");
        }
    }

    #[test]
    fn link_waits_for_the_window() {
        let links = Links::default();
        open(&links, ["precedent-desktop", "precedent://item/acme/app#1"]);
        open(&links, ["precedent-desktop", "--sample"]);
        let messages = Arc::new(Mutex::new(Vec::new()));
        let sink = Arc::clone(&messages);
        links.watch(Channel::new(move |body| {
            if let InvokeResponseBody::Json(text) = body {
                sink.lock().unwrap().push(text);
            }
            Ok(())
        }));
        open(&links, ["precedent://item/acme/app#2"]);
        assert_eq!(*messages.lock().unwrap(), ["\"acme/app#1\"", "\"acme/app#2\""]);
    }
}
