//! The second query for passages: the names in a report, without its prose.

use precedent_text::{prepare::PreparedText, signature::SignatureKind, tokens};

/// The maximum number of identifiers used as component names.
const MAX_NAMES: usize = 8;
/// The maximum length of the query, in bytes.
const MAX_LENGTH: usize = 900;

/// Returns the title, error codes, quoted messages and component names.
pub(super) fn keywords(title: &str, body: &PreparedText) -> String {
    let mut out: Vec<String> = Vec::new();
    let mut add = |word: String| {
        if !word.trim().is_empty() && !out.contains(&word) {
            out.push(word);
        }
    };
    add(title.trim().to_owned());
    let signatures = body.signatures(title);
    for kind in [SignatureKind::Code, SignatureKind::Message, SignatureKind::Exception] {
        for signature in signatures.iter().filter(|s| s.kind == kind) {
            add(signature.text.clone());
        }
    }
    let mut names = 0;
    for (_, name) in tokens::identifiers(body.prose()) {
        if names < MAX_NAMES && name.len() > 3 && name.contains(|c: char| c.is_alphabetic()) {
            add(name);
            names += 1;
        }
    }
    let mut text = out.join("\n");
    text.truncate(text.floor_char_boundary(MAX_LENGTH));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::skeleton::Skeleton;

    #[test]
    fn keywords_exclude_prose() {
        let body = PreparedText::body(
            "Since Monday the fw_agent stops over night.\n\n```\nERROR FW-1043: \"replication slot is gone\"\n```\n",
            &Skeleton::default(),
        );
        let words = keywords("Agent stops", &body);
        for name in ["Agent stops", "fw-1043", "fw_agent"] {
            assert!(words.contains(name), "{words}");
        }
        assert!(!words.contains("Monday"));
    }
}
