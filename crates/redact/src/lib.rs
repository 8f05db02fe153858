//! Redaction of tokens, email and network addresses, hosts, people, phone numbers, accounts, cards
//! and places, which are replaced with pseudonyms that are constant throughout a brief.
//!
//! Uncertain matches are replaced as well; the preview marks them, and the user may keep them.
//! Redaction cannot guarantee that no personal data remains.

mod closings;
mod data;
mod lines;
mod named_secrets;
mod names;
mod network;
mod numbers;
mod people;
mod recognition;
mod redactor;
mod rules;
mod tables;
mod value;

use std::collections::BTreeSet;

use redactor::Redactor;

use precedent_core::model::{Brief, Redaction, RedactionPreview};

pub use recognition::{NameReader, Recognition};

/// A match that is certain by its form, its checksum or its context.
const CERTAIN: bool = true;
/// A match that may be something else; the user decides.
const UNCERTAIN: bool = false;

/// The options for a redaction.
#[derive(Clone, Copy, Debug, Default)]
pub struct RedactionOptions<'a> {
    /// True if links to the tracker are hidden as well.
    pub hide_links: bool,
    /// Matches to keep.
    pub keep: &'a [String],
}

impl<'a> RedactionOptions<'a> {
    /// Creates the options from a request.
    pub fn from_request(request: &'a precedent_core::model::BriefRequest) -> Self {
        Self { hide_links: request.redact_links, keep: &request.keep }
    }
}

/// The names that occur in a brief.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownNames {
    /// The logins of authors.
    pub logins: Vec<String>,
    /// The names of people in running text.
    pub people: Vec<String>,
    /// The addresses and towns in running text.
    pub places: Vec<String>,
    /// The sentences and phrases that the model has already read.
    texts: BTreeSet<String>,
}

impl KnownNames {
    /// Creates a set with only the logins of authors.
    pub fn from_logins(logins: Vec<String>) -> Self {
        Self { logins, ..Self::default() }
    }
}

/// Returns the distinct texts of a brief.
pub fn texts(brief: &Brief) -> BTreeSet<String> {
    texts_of(&mut brief.clone()).into_iter().map(std::mem::take).collect()
}

/// Redacts every text of a brief.
pub fn redact(brief: &mut Brief, names: &KnownNames, options: &RedactionOptions<'_>) {
    let replacements = redact_brief(brief, names, options).preview().into_iter();
    let redaction =
        |p: RedactionPreview| Redaction { kind: p.kind, pseudonym: p.pseudonym, count: p.count };
    brief.redactions = replacements.map(redaction).collect();
}

/// Returns the replacements that a redaction would make, with the originals, which only the user may
/// see.
pub fn preview(
    brief: &Brief,
    names: &KnownNames,
    options: &RedactionOptions<'_>,
) -> Vec<RedactionPreview> {
    redact_brief(&mut brief.clone(), names, options).preview()
}

fn redact_brief(brief: &mut Brief, names: &KnownNames, options: &RedactionOptions<'_>) -> Redactor {
    // Every citation contains the trackers' own hosts.
    let urls = brief.record.sources.iter().filter_map(|s| s.url.as_deref());
    let mut redactor = Redactor::new(names, urls.filter_map(host_of).collect(), options);
    texts_of(brief).into_iter().for_each(|text| *text = run_detectors(&mut redactor, text));
    // The tracker names the authors, so no pattern is needed.
    let entries = brief.sections.iter_mut().flat_map(|s| &mut s.entries);
    let quotes = entries.filter_map(|entry| entry.quote.as_mut());
    quotes.filter_map(|q| q.author.as_mut()).for_each(|name| *name = redactor.hide_login(name));
    texts_of(brief).into_iter().for_each(|text| *text = hide_known(&mut redactor, text));
    // Keep only the exceptions that were used, because others would reveal text outside the brief.
    brief.record.request.keep.retain(|text| redactor.was_kept(text));
    if options.hide_links {
        let entries = brief.sections.iter_mut().flat_map(|s| &mut s.entries);
        entries.flat_map(|e| &mut e.citations).for_each(|c| c.url = None);
        brief.record.sources.iter_mut().for_each(|s| s.url = None);
    }
    redactor
}

/// Redacts texts outside of a brief, including links to trackers.
pub fn redact_texts(texts: &mut [&mut String], names: &KnownNames) {
    let options = RedactionOptions { hide_links: true, keep: &[] };
    let mut redactor = Redactor::new(names, BTreeSet::new(), &options);
    texts.iter_mut().for_each(|text| **text = run_detectors(&mut redactor, text));
    texts.iter_mut().for_each(|text| **text = hide_known(&mut redactor, text));
}

/// Redacts known matches, because a match in the last text may also occur in the first, then the
/// matches that these replacements reveal.
fn hide_known(redactor: &mut Redactor, text: &str) -> String {
    /// The maximum number of passes; more have never found anything.
    const MAX_PASSES: usize = 3;
    let mut out = text.to_owned();
    for _ in 0..MAX_PASSES {
        let next = redactor.replace_known(&out);
        if next == out {
            break;
        }
        out = run_detectors(redactor, &next);
    }
    out
}

/// Redacts a text with each detector, twice if the replacements may reveal more matches.
fn run_detectors(redactor: &mut Redactor, text: &str) -> String {
    let out = run_once(redactor, text);
    if out == text { out } else { run_once(redactor, &out) }
}

/// Redacts a text once with each detector; none changes the pseudonyms of the previous ones.
fn run_once(redactor: &mut Redactor, text: &str) -> String {
    let mut out = rules::hide(redactor, "secrets", text);
    out = named_secrets::hide(redactor, &out);
    for stage in ["accounts", "network", "addresses"] {
        out = rules::hide(redactor, stage, &out);
    }
    out = tables::hide(redactor, &out);
    out = rules::hide(redactor, "forms", &out);
    out = people::hide_signatures(redactor, &out);
    out = people::hide_closings(redactor, &out);
    for stage in ["people", "logins", "phones"] {
        out = rules::hide(redactor, stage, &out);
    }
    out
}

/// Returns all texts of a brief except the keys and URLs of citations.
fn texts_of(brief: &mut Brief) -> Vec<&mut String> {
    let is_wiki_citation = |citation: &&mut String| citation.starts_with("[Wiki: ");
    let mut texts = vec![&mut brief.title];
    for entry in brief.sections.iter_mut().flat_map(|s| &mut s.entries) {
        texts.extend(entry.heading.iter_mut().chain(&mut entry.text));
        texts.extend(entry.quote.iter_mut().map(|quote| &mut quote.text));
        texts.extend(entry.citations.iter_mut().map(|c| &mut c.label).filter(is_wiki_citation));
    }
    texts.push(&mut brief.record.request.text);
    for source in &mut brief.record.sources {
        texts.push(&mut source.title);
        texts.extend(Some(&mut source.citation).filter(is_wiki_citation));
    }
    texts
}

/// Returns the host of a URL.
fn host_of(url: &str) -> Option<String> {
    let authority = url.split("://").nth(1)?.split(['/', '?', '#']).next()?;
    Some(authority.rsplit('@').next()?.split(':').next()?.to_lowercase())
}

#[cfg(test)]
mod tests;
