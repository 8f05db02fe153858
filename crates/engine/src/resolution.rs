//! The resolution of a closed item whose tracker records only that it was closed.

use std::collections::BTreeSet;

use jiff::Timestamp;
use precedent_core::{error::Result, model::State};
use precedent_store::{DocumentRow, Reader, StoredComment, StoredLink};
use precedent_text::{
    closure::{Closure, DECLINED_RESOLUTIONS as RESOLUTIONS},
    reference::references,
    roles::{SentenceRole, Sentences},
    words::phrases,
};

/// The maximum time between a closing comment and the closure, in seconds.
const MAX_DISTANCE: i64 = 24 * 3600;
/// The maximum time after the closure for a comment that explains it, in seconds.
const MAX_DELAY: i64 = 600;
/// The maximum number of comments that explain a closure.
const MAX_COMMENTS: usize = 2;
/// The minimum probability that a closing comment is a refusal. Of 120 closed reports without a
/// documented fix, it declines 63, 56 of them rightly; 75 were declined.
const MIN_REFUSAL: f32 = 0.63;

/// The labels of items closed without a fix, in addition to the names of resolutions.
const LABELS: &str = "stale, duplicate, working as intended, works as intended, no activity, out of scope, not planned";
/// The roles of sentences that decline a report.
const REFUSAL_ROLES: [SentenceRole; 3] =
    [SentenceRole::Declined, SentenceRole::AlreadyReported, SentenceRole::Retraction];
/// The roles of sentences that describe a solution or a workaround.
const SOLUTION_ROLES: [SentenceRole; 2] = [SentenceRole::Fix, SentenceRole::Workaround];

/// Returns whether an item was closed without its own fix, according to its tracker, a label or a
/// closing comment.
pub(crate) fn is_declined(r: &Reader<'_>, row: &DocumentRow) -> Result<bool> {
    match row.closed_as() {
        Some(Closure::NotPlanned | Closure::Duplicate) => return Ok(true),
        // Many trackers report every closed item as done.
        Some(Closure::Completed)
            if row.state_reason.as_deref().is_some_and(Closure::means_fixed) =>
        {
            return Ok(false);
        }
        Some(Closure::Completed) | None => {}
    }
    if !matches!(row.state, Some(State::Closed | State::Merged)) {
        return Ok(row.labels.iter().any(|label| declines(label)));
    }
    let comments = r.comments(row)?;
    let closed_at = row.closed_at.or(row.merged_at);
    let closing_comments = closing_comments(&comments, |comment| comment.created_at, closed_at);
    let is_refused =
        closing_comments.iter().any(|comment| is_refusal(&Sentences::read(&comment.body)));
    if !row.labels.iter().any(|label| declines(label)) && !is_refused {
        return Ok(false);
    }
    // The item may have been fixed anyway. Run this expensive check last.
    let is_closing_link = |link: &StoredLink| link.kind == "closes" && link.to_key == row.key;
    Ok(!r.links(&row.key)?.iter().any(is_closing_link)
        && !comments
            .iter()
            .any(|comment| Sentences::read(&comment.body).is_likely(&SOLUTION_ROLES)))
}

/// Returns the comments that may explain a closure: the last ones around the closure, or else the
/// last one. `comments` are in chronological order.
pub(crate) fn closing_comments<T>(
    comments: &[T],
    created_at: impl Fn(&T) -> Timestamp,
    closed_at: Option<Timestamp>,
) -> Vec<&T> {
    let is_closing = |comment: &&T| {
        closed_at.is_some_and(|closed_at| {
            let distance = created_at(comment).as_second() - closed_at.as_second();
            (-MAX_DISTANCE..=MAX_DELAY).contains(&distance)
        })
    };
    let last_comments: Vec<&T> =
        comments.iter().rev().filter(is_closing).take(MAX_COMMENTS).collect();
    if last_comments.is_empty() { comments.last().into_iter().collect() } else { last_comments }
}

/// Returns whether a closing comment declines the report.
pub(crate) fn is_refusal(sentences: &Sentences) -> bool {
    !sentences.is_likely(&SOLUTION_ROLES)
        && (sentences.refusal() >= MIN_REFUSAL || sentences.is_likely(&REFUSAL_ROLES))
}

/// Returns the item that the closing comment of a duplicate refers to, if there is exactly one.
pub(crate) fn duplicate_in_closing_comment(
    r: &Reader<'_>,
    row: &DocumentRow,
) -> Result<Option<String>> {
    let Some(closed_at) = row.closed_at else { return Ok(None) };
    let comments = r.comments(row)?;
    let is_closing = |comment: &&StoredComment| {
        (comment.created_at.as_second() - closed_at.as_second()).abs() <= MAX_DISTANCE
    };
    let closing_comments: Vec<&StoredComment> = comments.iter().filter(is_closing).collect();
    let is_duplicate = row.closed_as() == Some(Closure::Duplicate)
        || closing_comments
            .iter()
            .any(|c| Sentences::read(&c.body).has(SentenceRole::AlreadyReported));
    let mentioned_keys = |comment: &StoredComment| -> BTreeSet<String> {
        let references = references(&comment.body).into_iter();
        let keys = references.map(|reference| {
            format!("{}#{}", reference.source.as_ref().unwrap_or(&row.source), reference.number)
        });
        keys.filter(|key| *key != row.key).collect()
    };
    // The last comment names the other report, or a comment is only a reference to it.
    let last_comment = closing_comments.last().filter(|_| is_duplicate);
    let mut keys = last_comment.map(|comment| mentioned_keys(comment)).unwrap_or_default();
    if keys.is_empty() {
        let reference = closing_comments.iter().rfind(|comment| is_bare_reference(&comment.body));
        keys = reference.map(|comment| mentioned_keys(comment)).unwrap_or_default();
    }
    let Some(key) = keys.pop_first().filter(|_| keys.is_empty()) else { return Ok(None) };
    // A bare reference may also point to the change with the fix.
    let is_report =
        is_duplicate || r.document_by_key(&key)?.is_some_and(|target| target.kind == row.kind);
    Ok(is_report.then_some(key))
}

/// Returns whether a comment is only a reference to an item, such as "#12" or an address.
fn is_bare_reference(body: &str) -> bool {
    body.split_whitespace().count() == 1 && references(body).len() == 1
}

/// Returns whether a label means closed without a fix: `status: won't-fix`, `resolution/invalid`.
fn declines(label: &str) -> bool {
    let label = label.to_lowercase().replace(['-', '_'], " ");
    let word = label.rsplit([':', '/']).next().unwrap_or_default().trim();
    phrases(RESOLUTIONS).chain(phrases(LABELS)).any(|label| label == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reference_with_words_is_not_bare() {
        assert!(
            is_bare_reference("#12")
                && is_bare_reference(" https://github.com/acme/app/issues/12\n")
        );
        assert!(
            !is_bare_reference("Fixed by #12")
                && !is_bare_reference("See #12")
                && !is_bare_reference("Done.")
        );
    }

    #[test]
    fn labels_and_closing_comments_decline() {
        assert!(
            declines("stale") && declines("status: Won't-Fix") && declines("resolution/invalid")
        );
        assert!(!declines("bug") && !declines("invalid input"));
        let refuses = |text: &str| is_refusal(&Sentences::read(text));
        for text in [
            "This issue was closed because it has been inactive for 14 days since being marked as stale.",
            "Closing due to inactivity. Please open a new issue if this persists.",
            "We won't fix this, sorry.",
            "Cannot reproduce, closing.",
            "Closing as not planned.",
            "This works as designed.",
            "No answer, closing.",
            "Works for me on 4.1, please reopen if it does not for you.",
            "Closing in favour of #150.",
            "Not fixed yet, tracked as #150.",
            "Out of scope.",
            "Moved to our forum, please discuss there.",
            "This needs an RFC, closing.",
            "This is correct behavior, there is no bug here.",
            "nvm, it was my userstyle extension, sorry!",
            "Sorry for the noise, wrong window.",
        ] {
            assert!(refuses(text), "{text}");
        }
        for text in [
            "Closing, the wheel turns now.",
            "Fixed in 2.4.1.",
            "Closed by #12.",
            "The crash was by a stale lease; it is renewed now.",
            "This is not supported by the old reader. Set `reader.mode=plain`; done by default since 9.3.0.",
            "We will not fix it in 4.x. Update to 5.0, there it is solved.",
            "This is not fixed in 5.2, sorry. Workaround: print via PDF.",
        ] {
            assert!(!refuses(text), "{text}");
        }
    }
}
