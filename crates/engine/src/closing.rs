//! How an item was closed, where its tracker says no more than that it was.

use std::{collections::BTreeSet, sync::LazyLock};

use jiff::Timestamp;
use precedent_core::{error::Result, model::State};
use precedent_store::{DocumentRow, Reader, StoredComment, StoredLink};
use precedent_text::{
    closure::{Closure, DECLINED as RESOLUTIONS},
    pattern::re,
    reference::references,
    roles::{SentenceRole, Sentences},
    words::phrases,
};
use regex::Regex;

/// A comment this close to the closure may give its reason, in seconds.
const NEAR: i64 = 24 * 3600;
/// Who closes with a reason says it in few words, in characters.
const SHORT: usize = 600;

/// Labels of what was closed without a fix, beside the words that resolutions have for it: lower case, words joined by one space.
const LABELS: &str =
    "stale, duplicate, working as intended, works as intended, no activity, out of scope, not planned";
/// The roles of sentences with which a report is closed without a fix of its own.
const DECLINING: [SentenceRole; 3] =
    [SentenceRole::Declined, SentenceRole::AlreadyReported, SentenceRole::TakenBack];
/// The roles of sentences that tell how to solve or avoid a problem.
pub(crate) const TELLING: [SentenceRole; 2] = [SentenceRole::Fix, SentenceRole::Workaround];
/// That it is closed with these words, whenever they were said.
static CLOSES: LazyLock<Regex> =
    LazyLock::new(|| re(r"(?i)\b(?:close[sd]?|closing)\b|^\W*(?:moved|transferred) to\b"));

/// Whether it was closed without a fix of its own: its tracker says so, or a label, or the words with which it was closed. `comments`
/// keeps its comments where they had to be read for that.
pub(crate) fn is_declined(
    r: &Reader<'_>,
    row: &DocumentRow,
    comments: &mut Option<Vec<StoredComment>>,
) -> Result<bool> {
    match row.closed_as() {
        Some(Closure::NotPlanned | Closure::Duplicate) => return Ok(true),
        // Many a tracker calls all that it closes done.
        Some(Closure::Completed) if row.state_reason.as_deref().is_some_and(Closure::says_fixed) => {
            return Ok(false);
        }
        Some(Closure::Completed) | None => {}
    }
    let Some(closed) = row.closed_at.or(row.merged_at) else {
        return Ok(row.labels.iter().any(|l| declines(l)));
    };
    let comments = comments.insert(r.comments(row)?);
    let near = last_words(comments, closed);
    // Who says that it is closed need not do it at once.
    let last = near.or_else(|| comments.iter().rev().find(|comment| comment.created_at <= closed));
    // Who reported it may say so long before; of anybody else the last words stand.
    let by_another = last.is_some_and(|comment| comment.author.login != row.author.login);
    let said = last.is_some_and(|comment| {
        comment.body.chars().count() <= SHORT
            && (near.is_some() || by_another || CLOSES.is_match(&comment.body))
            && says_declined(&Sentences::read(&comment.body))
    });
    if !row.labels.iter().any(|l| declines(l)) && !said {
        return Ok(false);
    }
    // What was fixed all the same is told by what closed it, or by anybody; of most there is no need to look.
    let closed_by = |link: &StoredLink| link.kind == "closes" && link.to_key == row.key;
    Ok(!r.links(&row.key)?.iter().any(closed_by)
        && !comments.iter().any(|comment| Sentences::read(&comment.body).is_likely(&TELLING)))
}

/// Returns whether anything shows that an item was fixed: it is a merged change or was closed by one, its resolution says so, or a
/// comment states the fix. `comments` keeps its comments where they had to be read for that.
pub(crate) fn is_fixed(
    r: &Reader<'_>,
    row: &DocumentRow,
    comments: &mut Option<Vec<StoredComment>>,
) -> Result<bool> {
    if row.state == Some(State::Merged) || row.state_reason.as_deref().is_some_and(Closure::says_fixed) {
        return Ok(true);
    }
    for link in r.links(&row.key)?.iter().filter(|l| l.kind == "closes" && l.to_key == row.key) {
        if r.document_by_key(&link.from_key)?.is_some_and(|change| change.state == Some(State::Merged)) {
            return Ok(true);
        }
    }
    let comments = match comments {
        Some(comments) => comments,
        None => comments.insert(r.comments(row)?),
    };
    Ok(comments.iter().any(|comment| Sentences::read(&comment.body).has(SentenceRole::Fix)))
}

/// The one item that is named with the words by which a duplicate was closed, where nothing else says of what it is one.
pub(crate) fn named_at_closing(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<String>> {
    let Some(closed) = row.closed_at else { return Ok(None) };
    let comments = r.comments(row)?;
    let near: Vec<&StoredComment> =
        comments.iter().filter(|comment| is_near(comment.created_at, closed)).collect();
    let is_duplicate = row.closed_as() == Some(Closure::Duplicate)
        || near.iter().any(|c| Sentences::read(&c.body).has(SentenceRole::AlreadyReported));
    let named = |comment: &StoredComment| -> BTreeSet<String> {
        let references = references(&comment.body).into_iter();
        let keys = references.map(|reference| {
            format!("{}#{}", reference.source.as_ref().unwrap_or(&row.source), reference.number)
        });
        keys.filter(|key| *key != row.key).collect()
    };
    // The last words name the other report, or a comment of nothing but its number does.
    let last = near.last().filter(|last| is_duplicate || is_bare_reference(&last.body));
    let mut keys = last.map(|last| named(last)).unwrap_or_default();
    if keys.is_empty() && is_duplicate {
        let bare = near.iter().rfind(|comment| is_bare_reference(&comment.body));
        keys = bare.map(|bare| named(bare)).unwrap_or_default();
    }
    let Some(key) = keys.pop_first().filter(|_| keys.is_empty()) else { return Ok(None) };
    // A number alone may also be that of the change that fixed it.
    let follows = is_duplicate || r.document_by_key(&key)?.is_some_and(|other| other.kind == row.kind);
    Ok(follows.then_some(key))
}

/// The last comment that may give the reason of a closure.
fn last_words(comments: &[StoredComment], closed: Timestamp) -> Option<&StoredComment> {
    comments.iter().rev().find(|comment| is_near(comment.created_at, closed))
}

/// Whether a moment is near enough to a closure to belong to it.
fn is_near(at: Timestamp, closed: Timestamp) -> bool {
    (at.as_second() - closed.as_second()).abs() <= NEAR
}

/// Whether a comment says no more than that another report is the same: it names it, or says that there is one.
pub(crate) fn refers_elsewhere(body: &str, sentences: &Sentences) -> bool {
    is_bare_reference(body) || sentences.has(SentenceRole::AlreadyReported)
}

/// Returns whether a comment declines a report and tells nothing that helps.
fn says_declined(sentences: &Sentences) -> bool {
    sentences.is_likely(&DECLINING) && !sentences.is_likely(&TELLING)
}

/// Whether a comment is nothing but a reference to one other item: "#12" or an address, but not "Fixed by #12".
fn is_bare_reference(body: &str) -> bool {
    body.split_whitespace().count() == 1 && references(body).len() == 1
}

/// Whether a label says so, whatever marks its words have: `status: won't-fix`, `resolution/invalid`.
fn declines(label: &str) -> bool {
    let label = label.to_lowercase().replace(['-', '_'], " ");
    let word = label.rsplit([':', '/']).next().unwrap_or_default().trim();
    phrases(RESOLUTIONS).chain(phrases(LABELS)).any(|label| label == word)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fix_by_a_change_is_no_bare_reference() {
        assert!(is_bare_reference("#12") && is_bare_reference(" https://github.com/acme/app/issues/12\n"));
        assert!(
            !is_bare_reference("Fixed by #12")
                && !is_bare_reference("See #12")
                && !is_bare_reference("Done.")
        );
    }

    #[test]
    fn labels_and_closing_words_decline() {
        assert!(declines("stale") && declines("status: Won't-Fix") && declines("resolution/invalid"));
        assert!(!declines("bug") && !declines("invalid input"));
        let declined = |said: &str| says_declined(&Sentences::read(said));
        for said in [
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
            "Closed, see https://tracker.example/12",
            "This needs an RFC, closing.",
            "This is correct behavior, there is no bug here.",
            "nvm, it was my userstyle extension, sorry!",
            "Sorry for the noise, wrong window.",
        ] {
            assert!(declined(said), "{said}");
        }
        for said in [
            "Closing, the wheel turns now.",
            "Fixed in 2.4.1.",
            "Closed by #12.",
            "The crash was by a stale lease; it is renewed now.",
            "This is not supported by the old reader. Set `reader.mode=plain`; done by default since 9.3.0.",
            "We will not fix it in 4.x. Update to 5.0, there it is solved.",
            "This is not fixed in 5.2, sorry. Workaround: print via PDF.",
        ] {
            assert!(!declined(said), "{said}");
        }
    }
}
