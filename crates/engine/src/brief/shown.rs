//! A brief whose texts are harmless to show. Only such a one is written as a file that people open.

use std::ops::Deref;

use precedent_core::model::{Brief, BriefRecord};
use precedent_text::visible::visible;

/// A brief that has passed [`clean`], with the record as it is: that is no text that is shown, and makes the brief again.
pub(super) struct Shown<'a> {
    brief: Brief,
    /// What the brief was made from, word for word.
    pub kept: &'a BriefRecord,
}

impl<'a> Shown<'a> {
    pub(super) fn of(brief: &'a Brief) -> Self {
        let mut shown = brief.clone();
        clean(&mut shown);
        Self { brief: shown, kept: &brief.record }
    }
}

impl Deref for Shown<'_> {
    type Target = Brief;

    fn deref(&self) -> &Brief {
        &self.brief
    }
}

/// Takes out of everything that a brief shows what gives orders to whoever shows it, and addresses that are not of the web. Keys,
/// the tracker's reason and the words that were asked with stay as they are in the record: they are compared when it is made again.
pub(super) fn clean(brief: &mut Brief) {
    text(&mut brief.title);
    for section in &mut brief.sections {
        text(&mut section.title);
        for entry in &mut section.entries {
            entry.heading.iter_mut().for_each(text);
            entry.text.iter_mut().for_each(text);
            if let Some(quote) = &mut entry.quote {
                text(&mut quote.text);
                [&mut quote.author, &mut quote.role, &mut quote.day].into_iter().flatten().for_each(text);
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
    if let std::borrow::Cow::Owned(clean) = visible(text) {
        *text = clean;
    }
}

/// A tracker may say anything; a link goes to the web or nowhere.
fn address(url: &mut Option<String>) {
    *url = url.take().filter(|url| url.starts_with("https://") || url.starts_with("http://"));
    if let Some(url) = url {
        text(url);
        url.retain(|c| !matches!(c, '\n' | '\t'));
    }
}
