//! The sanitization of a brief before it is displayed or written to a file.

use std::ops::Deref;

use precedent_core::model::{Brief, BriefRecord};
use precedent_text::sanitize::sanitize;

/// A brief sanitized by [`sanitize_brief`], with the original record for a replay.
pub(super) struct DisplayedBrief<'a> {
    brief: Brief,
    pub original: &'a BriefRecord,
}

impl<'a> DisplayedBrief<'a> {
    pub(super) fn new(brief: &'a Brief) -> Self {
        let mut sanitized_brief = brief.clone();
        sanitize_brief(&mut sanitized_brief);
        Self { brief: sanitized_brief, original: &brief.record }
    }
}

impl Deref for DisplayedBrief<'_> {
    type Target = Brief;

    fn deref(&self) -> &Brief {
        &self.brief
    }
}

/// Removes control sequences and non-web addresses from all displayed texts of a brief. Keys,
/// closing reasons and the query are unchanged, because a replay compares them.
pub(crate) fn sanitize_brief(brief: &mut Brief) {
    sanitize_text(&mut brief.title);
    for section in &mut brief.sections {
        sanitize_text(&mut section.title);
        for entry in &mut section.entries {
            entry.heading.iter_mut().for_each(sanitize_text);
            entry.text.iter_mut().for_each(sanitize_text);
            if let Some(quote) = &mut entry.quote {
                sanitize_text(&mut quote.text);
                [&mut quote.author, &mut quote.role, &mut quote.day]
                    .into_iter()
                    .flatten()
                    .for_each(sanitize_text);
            }
            for c in &mut entry.citations {
                sanitize_text(&mut c.label);
                sanitize_url(&mut c.url);
            }
        }
    }
    for source in &mut brief.record.sources {
        sanitize_text(&mut source.citation);
        sanitize_text(&mut source.title);
        sanitize_url(&mut source.url);
    }
    brief.record.model.iter_mut().for_each(sanitize_text);
}

fn sanitize_text(text: &mut String) {
    if let std::borrow::Cow::Owned(clean) = sanitize(text) {
        *text = clean;
    }
}

/// Removes an address that is not a web address, because a tracker may supply any text as a link.
fn sanitize_url(url: &mut Option<String>) {
    *url = url.take().filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    if let Some(url) = url {
        sanitize_text(url);
        url.retain(|c| !matches!(c, '\n' | '\t'));
    }
}
