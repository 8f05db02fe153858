//! The resolution of keys, numbers and addresses to documents.

use std::collections::BTreeSet;

use super::{Query, beginning_hit};
use crate::QueryContext;
use precedent_core::{
    error::{Error, Hint, Remedy, Result},
    model::{Hit, Notice, NoticeKind, item_number, split_key},
};
use precedent_store::{DocumentRow, Reader, SourceRow};
use precedent_text::similar;

/// The maximum number of words in a query that is checked for item keys.
const MAX_KEY_WORDS: usize = 12;

impl QueryContext<'_> {
    /// Moves the documents that the query names to the front of the hits. If the query is a key, the
    /// other hits are the documents that refer to it.
    pub(super) fn pin_key_match(
        &self,
        query: &Query,
        hits: &mut Vec<Hit>,
        notices: &mut Vec<Notice>,
        limit: usize,
    ) -> Result<()> {
        let text = query.text.trim();
        let words = text.split_whitespace().count();
        if words > MAX_KEY_WORDS || !query.phrases.is_empty() {
            return Ok(());
        }
        let documents: Vec<DocumentRow> = if words < 2 {
            self.store.read(|r| resolve(r, text))?
        } else {
            // In a query of several words, only unambiguous keys and addresses count.
            let keys =
                text.split_whitespace().filter(|word| word.contains('#') || word.contains("://"));
            self.store
                .read(|r| keys.map(|key| resolve(r, key)).collect::<Result<Vec<_>>>())?
                .concat()
        };
        let mut mentions = Vec::new();
        if is_key(text) {
            // The other hits only contain parts of the key.
            hits.retain(|hit| documents.iter().any(|row| row.key == hit.key));
            mentions = self.store.read(|r| documents_mentioning(r, text))?;
            mentions.retain(|mention| documents.iter().all(|row| row.key != mention.key));
            if documents.is_empty() {
                let text = format!("No item {text} in this casebook.");
                notices.push(Notice::new(NoticeKind::Item, text));
            }
        }
        let filter_ids = self.fulltext.matching_ids(&query.filters)?;
        let passes_filters = |row: &DocumentRow| {
            let id = usize::try_from(row.id).ok();
            filter_ids.as_ref().is_none_or(|ids| id.is_some_and(|id| ids.contains(id)))
        };
        let exact = documents.into_iter().map(|row| (row, "Exact key match."));
        let mut rows: Vec<_> =
            exact.chain(mentions.into_iter().map(|row| (row, "Mentions this item."))).collect();
        rows.retain(|(row, _)| row.deleted_at.is_none() && passes_filters(row));
        rows.truncate(limit);
        for (row, reason) in rows.into_iter().rev() {
            let hit = match hits.iter().position(|h| h.key == row.key) {
                Some(index) => Hit { why: reason.to_owned(), ..hits.remove(index) },
                None => self.store.read(|r| beginning_hit(r, &row, reason))?,
            };
            hits.insert(0, hit);
        }
        Ok(())
    }
}

/// Returns the documents with a key (`acme/app#12`, or `APP-12` with a tracker's project), a number
/// (`#12`, `12`) or the address of a page, sorted by key.
pub fn resolve(reader: &Reader<'_>, text: &str) -> Result<Vec<DocumentRow>> {
    if let Some(row) = reader.document_by_key(text)? {
        return Ok(vec![row]);
    }
    // Remove brackets and punctuation, as in emails and sentences.
    let text = text.trim_matches(['<', '>', '(', ')', '"', '\'', ',', ';', '.', ':', '!', '?']);
    if let Some((address, number)) = parse_address(text) {
        let mut documents = reader.documents_by_number(number)?;
        documents.retain(|d| d.url.as_deref().is_some_and(|url| same_address(url, &address)));
        // Exports seldom contain addresses, but an address contains the key.
        let key = address.split('/').skip_while(|part| *part != "browse").nth(1);
        return match key {
            Some(key) if documents.is_empty() => documents_by_project(reader, key),
            _ => Ok(documents),
        };
    }
    let digits =
        ["#", "GH-", "gh-"].iter().find_map(|prefix| text.strip_prefix(prefix)).unwrap_or(text);
    if let Some(number) = item_number(digits) {
        return reader.documents_by_number(number);
    }
    match reader.document_by_key(text)? {
        Some(row) => Ok(vec![row]),
        None => documents_by_project(reader, text),
    }
}

/// Returns whether a query can only be an item's key: `acme/app#12`, `#12`. A bare number may be
/// an error code.
fn is_key(text: &str) -> bool {
    split_key(text).is_some_and(|(source, _)| {
        source.is_empty() || source.contains('/') && !source.contains(char::is_whitespace)
    })
}

/// Returns the documents that refer to an item, sorted by key.
fn documents_mentioning(reader: &Reader<'_>, key: &str) -> Result<Vec<DocumentRow>> {
    let keys = match key.strip_prefix('#') {
        Some(_) => reader.sources()?.into_iter().map(|source| source.key + key).collect(),
        None => vec![key.to_owned()],
    };
    let mut referring_keys = BTreeSet::new();
    for key in &keys {
        referring_keys.extend(
            reader.links(key)?.into_iter().filter(|l| l.to_key == *key).map(|l| l.from_key),
        );
    }
    referring_keys.iter().filter_map(|key| reader.document_by_key(key).transpose()).collect()
}

/// Returns the documents with a project key such as `APP-12`, from sources that contain the project
/// or have its name.
fn documents_by_project(reader: &Reader<'_>, key: &str) -> Result<Vec<DocumentRow>> {
    let Some((project, number)) = key.rsplit_once('-') else { return Ok(Vec::new()) };
    let is_project = project.starts_with(|c: char| c.is_ascii_alphabetic())
        && project.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let Some(number) = item_number(number).filter(|_| is_project) else { return Ok(Vec::new()) };
    let mut documents = Vec::new();
    for document in reader.documents_by_number(number)? {
        let source_name = document.source.rsplit(['/', ':']).next().unwrap_or_default();
        let project_name = reader.project(document.source_id)?;
        if project_name.as_deref().unwrap_or(source_name).eq_ignore_ascii_case(project) {
            documents.push(document);
        }
    }
    Ok(documents)
}

/// Parses the address of an item's page into a comparable form and the item's number; `None` if the
/// text is not such an address.
fn parse_address(text: &str) -> Option<(String, u64)> {
    match text.split_once("://") {
        Some((scheme, _)) if !matches!(scheme, "http" | "https") => return None,
        Some(_) => {}
        // Browsers hide the scheme: "github.com/acme/app/issues/12".
        None => {
            let (host, page) = text.split_once('/')?;
            let is_host = host.contains('.') && !host.starts_with('.') && page.contains('/');
            if !is_host || text.contains('#') {
                return None;
            }
        }
    }
    let address = normalize_address(text);
    // Take the last number, as in "PUMP-12", "show_bug.cgi?id=12" or ".../issues/12/attachments".
    let number = address.rsplit('/').find_map(|part| {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        let start = digits.rfind(|c: char| !c.is_ascii_digit()).map_or(0, |i| i + 1);
        item_number(&digits[start..])
    })?;
    Some((address, number))
}

/// Normalizes an address: removes the scheme, the anchor and variants of the path.
fn normalize_address(url: &str) -> String {
    let url = url.trim().split_once("://").map_or(url, |(_, rest)| rest);
    let url = url.split_once('#').map_or(url, |(page, _)| page);
    let url = match url.split_once('?') {
        Some((page, query)) => match query.split('&').find(|part| part.starts_with("id=")) {
            Some(id) => format!("{page}?{id}"),
            None => page.to_owned(),
        },
        None => url.to_owned(),
    };
    let url = url.trim_end_matches('/').to_lowercase();
    url.trim_start_matches("www.")
        .replace("/-/", "/")
        .replace("/pull/", "/issues/")
        .replace("/pulls/", "/issues/")
        .replace("/api/v2/tickets/", "/agent/tickets/")
        .trim_end_matches(".json")
        .to_owned()
}

/// Returns whether a normalized address is the page at `url` or one of its subpages.
fn same_address(url: &str, address: &str) -> bool {
    let url = normalize_address(url);
    address == url || address.strip_prefix(&url).is_some_and(|rest| rest.starts_with('/'))
}

/// Returns a hint that states which part of a key is unknown: its source or its number.
fn unknown_part_hint(reader: &Reader<'_>, key: &str) -> Option<String> {
    let (source, _) = split_key(key.trim()).filter(|(source, _)| source.contains('/'))?;
    if let Some(row) = reader.source(source).ok()? {
        return Some(format!(
            "The source {} has no such item. To get newer ones, sync it or import it again.",
            row.key
        ));
    }
    let keys: Vec<String> = reader.sources().ok()?.into_iter().map(|s| s.key).collect();
    (!keys.is_empty())
        .then(|| format!("There is no source {source}. Available sources: {}.", keys.join(", ")))
}

/// Returns the document with a key, or with a number that only one source has. Fails if there is
/// none, or if a number is ambiguous.
pub fn resolve_one(reader: &Reader<'_>, key: &str) -> Result<DocumentRow> {
    if key.trim().is_empty() {
        return Err(Error::invalid("a key is missing")
            .with_hint("A key looks like owner/name#12. Search results show the keys."));
    }
    let mut documents = resolve(reader, key)?;
    if documents.len() > 1 {
        let keys: Vec<String> = documents.into_iter().map(|d| d.key).collect();
        return Err(Error::invalid(format!("{key} is ambiguous: several sources have it"))
            .with_hint(format!("Use one of these: {}.", keys.join(", "))));
    }
    documents.pop().ok_or_else(|| {
        let suggestion = suggest_key(reader, key).map(|key| format!("Did you mean {key}?"));
        let hint = suggestion.or_else(|| unknown_part_hint(reader, key)).unwrap_or_else(|| {
            "A key looks like owner/name#12 or owner/name:Page-Name. Search results show the keys."
                .to_owned()
        });
        Error::not_found(format!("{key} not found in this casebook")).with_hint(hint)
    })
}

/// Returns the key that was probably meant, if only its source is misspelled.
fn suggest_key(reader: &Reader<'_>, key: &str) -> Option<String> {
    let (source, rest) = key.split_at(key.find(['#', ':'])?);
    let sources = reader.sources().ok()?;
    let source = similar::closest_name(source, sources.iter().map(|s| s.key.as_str()))?;
    let candidate = format!("{source}{rest}");
    reader.document_by_key(&candidate).ok()?.map(|d| d.key)
}

/// Returns the source with a key. If there is none, the error lists the available sources.
pub fn find_source(reader: &Reader<'_>, key: &str) -> Result<SourceRow> {
    if let Some(source) = reader.source(key)? {
        return Ok(source);
    }
    let keys: Vec<String> = reader.sources()?.into_iter().map(|s| s.key).collect();
    let hint = if keys.is_empty() {
        Hint::from("Add one first.")
            .with_command(Remedy::Add, "precedent source add github:owner/name")
    } else if let Some(suggestion) = similar::closest_name(key, keys.iter().map(String::as_str)) {
        format!("Did you mean {suggestion}? Available sources: {}.", keys.join(", ")).into()
    } else {
        format!("Available sources: {}.", keys.join(", ")).into()
    };
    Err(Error::not_found(format!("source \"{key}\" not found in this casebook")).with_hint(hint))
}

/// Returns the source if there is only one.
pub(crate) fn only_source(r: &Reader<'_>) -> Result<Option<SourceRow>> {
    let mut sources = r.sources()?;
    Ok(if sources.len() == 1 { sources.pop() } else { None })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn copied_addresses_resolve_to_the_item() {
        for (url, copied) in [
            (
                "https://github.com/acme/app/issues/12",
                "http://github.com/acme/app/issues/12#issuecomment-7",
            ),
            (
                "https://github.com/acme/app/pull/12",
                "https://github.com/Acme/App/pull/12/files?w=1",
            ),
            ("https://git.example/a/b/-/issues/12", "https://git.example/a/b/issues/12/"),
            (
                "https://jira.example/browse/PUMP-12",
                "https://jira.example/browse/PUMP-12?focusedId=9",
            ),
            (
                "https://bugs.example/show_bug.cgi?id=12",
                "https://www.bugs.example/show_bug.cgi?id=12#c3",
            ),
        ] {
            let (address, number) = parse_address(copied).unwrap();
            assert!(number == 12 && same_address(url, &address), "{copied}");
            assert!(!same_address(&url.replace("12", "1"), &address), "{copied}");
        }
        for text in ["ftp://x/12", "acme/app#12", "https://example.org/page", "see https"] {
            assert!(parse_address(text).is_none(), "{text}");
        }
    }
}
