//! The role of a comment in its thread.

use jiff::Timestamp;

use precedent_core::model::{ANSWER, CommentRole};
use precedent_store::StoredComment;
use precedent_text::{
    prepare::PreparedText,
    roles::{SentenceRole, Sentences},
};

/// The maximum time between a closing comment and the closure, in seconds. Trackers record both at
/// once, but a bot may comment in between.
pub(super) const MAX_CLOSURE_DISTANCE: i64 = 120;

/// The minimum number of links in a list of links, and the maximum number of words per link.
const MIN_LINKS: usize = 5;
const WORDS_PER_LINK: usize = 4;

/// Returns whether an author with this association speaks for the project.
pub(crate) fn speaks_for_project(association: Option<&str>) -> bool {
    matches!(association, Some("OWNER" | "MEMBER" | "COLLABORATOR" | "MAINTAINER" | ANSWER))
}

/// Returns whether a comment is little more than a list of links, such as a build report.
fn is_list_of_links(body: &str, text: &PreparedText) -> bool {
    let links = body.matches("](http").count();
    links >= MIN_LINKS && text.prose().split_whitespace().count() <= links * WORDS_PER_LINK
}

/// Returns whether `text` mentions the issue or pull request with this number.
pub(super) fn mentions_number(text: &str, number: u64) -> bool {
    text.match_indices(&format!("#{number}"))
        .chain(text.match_indices(&format!("/pull/{number}")))
        .any(|(i, mention)| !text[i + mention.len()..].starts_with(|c: char| c.is_ascii_digit()))
}

/// Returns the role of a comment; `closers` are the numbers of the merged pull requests that closed
/// the item.
pub(super) fn role(
    comment: &StoredComment,
    (text, sentences): (&PreparedText, &Sentences),
    closed_at: Option<Timestamp>,
    closers: &[u64],
) -> Option<CommentRole> {
    let body = &comment.body;
    let names_closer = closers.iter().any(|number| mentions_number(body, *number));
    if comment.author.association.as_deref() == Some(ANSWER) || names_closer {
        return Some(CommentRole::Fix);
    }
    let is_chatter = || {
        text.code().is_empty() && sentences.has_only(&[SentenceRole::Noise, SentenceRole::Question])
    };
    if comment.author.bot || text.blocks.is_empty() || is_chatter() || is_list_of_links(body, text)
    {
        return Some(CommentRole::Noise);
    }
    let is_at_closure = closed_at.is_some_and(|time| {
        (comment.created_at.as_second() - time.as_second()).abs() <= MAX_CLOSURE_DISTANCE
    });
    match sentences.role() {
        SentenceRole::Fix => Some(CommentRole::Fix),
        SentenceRole::Workaround => Some(CommentRole::Workaround),
        SentenceRole::NotFixed => Some(CommentRole::Denial),
        _ if is_at_closure => Some(CommentRole::ClosingNote),
        SentenceRole::Confirmation => Some(CommentRole::Confirmation),
        SentenceRole::Reproduction => Some(CommentRole::Reproduction),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_core::model::Author;

    fn role_at(body: &str, seconds_after_closure: i64, closers: &[u64]) -> Option<CommentRole> {
        role_by(body, Author::default(), seconds_after_closure, closers)
    }

    fn role_by(
        body: &str,
        author: Author,
        seconds_after_closure: i64,
        closers: &[u64],
    ) -> Option<CommentRole> {
        let time = |s: i64| Timestamp::from_second(1_700_000_000 + s).unwrap();
        let comment = StoredComment {
            id: 1,
            remote_id: "1".into(),
            author,
            body: body.into(),
            url: None,
            created_at: time(seconds_after_closure),
            updated_at: time(seconds_after_closure),
        };
        role(
            &comment,
            (&PreparedText::comment(body), &Sentences::read(body)),
            Some(time(0)),
            closers,
        )
    }

    #[test]
    fn accepted_answer_is_the_fix() {
        let role_of = |association: Option<&str>, bot: bool| {
            let author = Author { login: None, bot, association: association.map(str::to_owned) };
            role_by("Open the valve first.", author, -90_000, &[])
        };
        assert_eq!(role_of(Some(ANSWER), false), Some(CommentRole::Fix));
        assert_eq!(role_of(Some(ANSWER), true), Some(CommentRole::Fix));
        assert_ne!(role_of(Some("MEMBER"), false), Some(CommentRole::Fix));
        assert!(speaks_for_project(Some(ANSWER)));
    }

    #[test]
    fn wording_decides_the_role() {
        use CommentRole::{Confirmation, Denial, Fix, Noise, Reproduction, Workaround};
        for (body, role) in [
            ("This was fixed in the last release, 3.1.2.", Some(Fix)),
            ("The fix has landed on the 4.0 branch.", Some(Fix)),
            ("Sorry, I was wrong: it is still broken in 2.1.", Some(Denial)),
            ("Fixed in scheduler v4.2.1; until then start with `--no-lease`.", Some(Fix)),
            ("The 4.2 release contains the fix.", Some(Fix)),
            ("Fix shipped with v4.2.", Some(Fix)),
            ("Please upgrade to 4.2.", Some(Fix)),
            ("I cannot reproduce this any more; fixed by the new parser.", Some(Fix)),
            ("You can downgrade to 3.0 for now.", Some(Workaround)),
            ("As a workaround, restart the heartbeat once a day.", Some(Workaround)),
            ("The only workaround so far is to pin the port.", Some(Workaround)),
            (
                "Here is a smaller example that shows it, with the log attached below.",
                Some(Reproduction),
            ),
            (
                "I can confirm that this happens on 2.9 as well, on two machines.",
                Some(Confirmation),
            ),
            ("@bors r+", Some(Noise)),
            ("+1", Some(Noise)),
            ("This issue has been automatically marked as stale.", Some(Noise)),
            ("CI passed.", Some(Noise)),
            (
                ":sunny: Test successful - [a](http://b.example/1), [b](http://b.example/2), [c](http://b.example/3), \
                 [d](http://b.example/4), [e](http://b.example/5)",
                Some(Noise),
            ),
            (
                "The token had expired. A new one is in the settings, the build is green again.",
                None,
            ),
            (
                ":umbrella: The latest upstream changes made this pull request unmergeable.",
                Some(Noise),
            ),
            ("The parser reads the header twice when the block is folded.", None),
            ("Pin numpy<2.", None),
            ("Set LANG=C.UTF-8.", None),
            ("Thank you very much!", Some(Noise)),
        ] {
            assert_eq!(role_at(body, -90_000, &[]), role, "{body}");
        }
        for body in [
            "I'm not sure how to fix that.",
            "Is this fixed in 3.2?",
            "The root cause was a stale lease on the slot.",
            "A fix is on its way.",
            "HERON-77 is fixed.",
            "Marked as resolved as invalid.",
            "We should fix in 3.1 what 3.0 broke.",
            "It will be fixed by the next release, I hope.",
            "Didn't solve this for us, it still stops.",
            "Is there a temporary workaround?",
            "We don't have a workaround.",
            "Thanks, your workaround helped.",
            "That's just the workaround for the broken lease.",
            "I'll work around it until 5.4 is out.",
            "The suggested workaround",
            "There were quite a few workarounds over the years.",
        ] {
            let role = role_at(body, -90_000, &[]);
            assert!(!matches!(role, Some(Fix | Workaround)), "{body} {role:?}");
        }
    }

    #[test]
    fn comment_naming_the_closing_change_is_a_fix() {
        assert_eq!(role_at("See #456.", -90_000, &[456]), Some(CommentRole::Fix));
        assert_ne!(role_at("See #4567.", -90_000, &[456]), Some(CommentRole::Fix));
        assert_eq!(
            role_at("Not something for the core, I think.", 3, &[]),
            Some(CommentRole::ClosingNote)
        );
    }
}
