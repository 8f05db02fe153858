//! A brief with sanitized texts. Only such a brief is written to a file.

use std::ops::Deref;

use precedent_core::model::{Brief, BriefRecord};
use precedent_text::sanitize::sanitize;

/// A brief sanitized by [`clean`], with its original record, which is not displayed and is needed
/// for a replay.
pub(super) struct DisplayedBrief<'a> {
    brief: Brief,
    /// The original record of the brief.
    pub original: &'a BriefRecord,
}

impl<'a> DisplayedBrief<'a> {
    pub(super) fn of(brief: &'a Brief) -> Self {
        let mut sanitized_brief = brief.clone();
        clean(&mut sanitized_brief);
        Self { brief: sanitized_brief, original: &brief.record }
    }
}

impl Deref for DisplayedBrief<'_> {
    type Target = Brief;

    fn deref(&self) -> &Brief {
        &self.brief
    }
}

/// Removes control sequences and non-web addresses from all displayed texts of a brief. Keys, the
/// tracker's reason and the query stay as in the record, because a replay compares them.
pub(crate) fn clean(brief: &mut Brief) {
    text(&mut brief.title);
    for section in &mut brief.sections {
        text(&mut section.title);
        for entry in &mut section.entries {
            entry.heading.iter_mut().for_each(text);
            entry.text.iter_mut().for_each(text);
            if let Some(quote) = &mut entry.quote {
                text(&mut quote.text);
                [&mut quote.author, &mut quote.role, &mut quote.day]
                    .into_iter()
                    .flatten()
                    .for_each(text);
            }
            for c in &mut entry.citations {
                text(&mut c.label);
                address(&mut c.url);
            }
        }
    }
    for source in &mut brief.record.sources {
        text(&mut source.citation);
        text(&mut source.title);
        address(&mut source.url);
    }
    brief.record.model.iter_mut().for_each(text);
}

fn text(text: &mut String) {
    if let std::borrow::Cow::Owned(clean) = sanitize(text) {
        *text = clean;
    }
}

/// Keeps only web addresses, because a tracker may supply any text as a link.
fn address(url: &mut Option<String>) {
    *url = url.take().filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    if let Some(url) = url {
        text(url);
        url.retain(|c| !matches!(c, '\n' | '\t'));
    }
}
