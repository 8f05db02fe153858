//! What a comment does in its thread.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;
use unicode_segmentation::UnicodeSegmentation;

use crate::phrases::{is_polite, says_fix, says_workaround, sentences};
use precedent_core::model::{ANSWER, CommentRole};
use precedent_store::StoredComment;
use precedent_text::{pattern::re, prepare::Prepared};

/// A comment this close to the closure belongs to it, in seconds: trackers write both with one click, and a bot may come
/// between.
const AT_CLOSURE: i64 = 120;
/// The longest text that is looked at, in bytes.
const MAX_READ: usize = 20_000;

static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?im)^\s*(?:@?(?:bors|rustbot|homu|dependabot|k8s-ci-robot|mergify)\b.{0,80}|/(?:assign|cc|lgtm|retest|close|reopen|label|kind)\b.{0,60}|r\+|r\?\s*@\S+|\+1|:\+1:|👍|bump|ping\b.{0,40}|thanks!?|thank you!?|any (?:update|news)s?\b.{0,60}|me too[.!]?|same here[.!]?)\s*$",
    )
});
static STALE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\s*:?(?:umbrella|hourglass|sunny|broken_heart|pushpin|lock|bomb|boom):|^\s*thanks for (?:the|your) (?:pull request|pr)\b|\b(?:automatically (?:marked|closed|locked)|marked as stale|no (?:recent )?activity|triage (?:bot|visit)|pinging (?:this )?for triage)|^\W*(?:the )?(?:lint|build|ci|tests?) (?:failed|passed|is green)\b.{0,30}$",
    )
});
/// What takes back what its writer said before.
static RETRACTED: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:i was wrong|was mistaken|my mistake|spoke too soon|false alarm|scratch that|never ?mind|i take (?:it|that) back|ignore my (?:last|previous))\b",
    )
});
static REPRODUCTION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\breproduc(?:e|es|ed|ible|tion|ing)\b|\brepro\b|\bsteps to\b|\b(?:minimal|reduced|smaller?|simpler?) (?:example|test ?case|case|program|snippet)\b|\btest ?case\b|\bhere(?:'s| is) (?:a|an|my) (?:example|snippet|program|log|trace|backtrace)\b",
    )
});
static CONFIRMATION: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\b(?:can|i) confirm(?:ed)?\b|\bconfirmed\b|\bsame (?:here|issue|problem|error|thing)\b|\bme too\b|\bi(?:'m| am)? (?:also |still )+(?:see|seeing|hit|hitting|get|getting|have|having)\b|\bstill (?:happens|happening|an issue|present|broken|reproduces|occurs|fails|seeing)\b|\bhit (?:this|the same)\b|\bran into (?:this|the same)\b|\bworks for me\b",
    )
});

/// Whether the author speaks for the project.
pub(super) fn speaks_for_project(association: Option<&str>) -> bool {
    matches!(association, Some("OWNER" | "MEMBER" | "COLLABORATOR" | "MAINTAINER" | ANSWER))
}

/// What a comment does, seen from the closure of its item; `closers` are the numbers of the merged pull requests that
/// closed it.
pub(super) fn role(
    comment: &StoredComment,
    text: &Prepared,
    closed_at: Option<Timestamp>,
    closers: &[u64],
) -> Option<CommentRole> {
    let body = &comment.body[..comment.body.floor_char_boundary(MAX_READ)];
    let prose = text.prose();
    let names = |number: &u64| {
        body.match_indices(&format!("#{number}"))
            .chain(body.match_indices(&format!("/pull/{number}")))
            .any(|(at, found)| !body[at + found.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    let named = closers.iter().any(names);
    let at_closure = closed_at
        .is_some_and(|closed| (comment.created_at.as_second() - closed.as_second()).abs() <= AT_CLOSURE);
    let short = prose.chars().count() <= 200;
    let answer = comment.author.association.as_deref() == Some(ANSWER);
    if (comment.author.bot && !answer)
        || (short && !named && !answer && (STALE.is_match(prose) || only_orders(prose)))
    {
        return Some(CommentRole::Noise);
    }
    // Whoever asked has said that this is it.
    if answer {
        return Some(CommentRole::Fix);
    }
    let retracted = RETRACTED.is_match(prose);
    if named || (!retracted && sentences(prose).any(says_fix)) {
        return Some(CommentRole::Fix);
    }
    if !retracted && sentences(prose).any(says_workaround) {
        return Some(CommentRole::Workaround);
    }
    if at_closure && !text.blocks.is_empty() {
        return Some(CommentRole::ClosingNote);
    }
    // A short comment may be all that helps: "Pin numpy<2."
    if text.code().is_empty() && is_courtesy(prose) {
        return Some(CommentRole::Noise);
    }
    if REPRODUCTION.is_match(prose) {
        return Some(CommentRole::Reproduction);
    }
    (!retracted && CONFIRMATION.is_match(prose)).then_some(CommentRole::Confirmation)
}

/// Whether a comment says nothing but thanks, agreement or impatience.
fn is_courtesy(prose: &str) -> bool {
    let mut words = prose.unicode_words().map(str::to_lowercase).peekable();
    words.peek().is_none() || (prose.chars().count() <= 60 && words.all(|word| is_polite(&word)))
}

/// Whether every line that says something is an order to a bot or a courtesy.
fn only_orders(prose: &str) -> bool {
    let mut lines = prose.lines().filter(|l| !l.trim().is_empty()).peekable();
    lines.peek().is_some() && lines.all(|l| ORDER.is_match(l))
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_core::model::Author;

    fn of(body: &str, seconds_after_closure: i64, closers: &[u64]) -> Option<CommentRole> {
        let at = |s: i64| Timestamp::from_second(1_700_000_000 + s).unwrap();
        let comment = StoredComment {
            id: 1,
            remote_id: "1".into(),
            author: Author::default(),
            body: body.into(),
            url: None,
            created_at: at(seconds_after_closure),
            updated_at: at(seconds_after_closure),
        };
        role(&comment, &Prepared::comment(body), Some(at(0)), closers)
    }

    #[test]
    fn the_accepted_answer_is_the_fix_whatever_it_says_and_whoever_wrote_it() {
        let at = Timestamp::from_second(1_700_000_000).unwrap();
        let said = |association: Option<&str>, bot: bool| {
            let author = Author { login: None, bot, association: association.map(str::to_owned) };
            let comment = StoredComment {
                id: 1,
                remote_id: "d1".into(),
                author,
                body: "Open the valve first.".into(),
                url: None,
                created_at: at,
                updated_at: at,
            };
            role(&comment, &Prepared::comment(&comment.body), None, &[])
        };
        assert_eq!(said(Some(ANSWER), false), Some(CommentRole::Fix));
        assert_eq!(said(Some(ANSWER), true), Some(CommentRole::Fix));
        assert_ne!(said(Some("MEMBER"), false), Some(CommentRole::Fix));
        assert!(speaks_for_project(Some(ANSWER)));
    }

    #[test]
    fn roles_are_told_from_what_is_said() {
        use CommentRole::{Confirmation, Fix, Noise, Reproduction, Workaround};
        for (body, role) in [
            ("This was fixed in the last release, 3.1.2.", Some(Fix)),
            ("The fix has landed on the 4.0 branch.", Some(Fix)),
            ("Upgrading to 4.0 fixes it for us.", Some(Fix)),
            ("Fixed in scheduler v4.2.1; until then start with `--no-lease`.", Some(Fix)),
            ("The 4.2 release contains the fix.", Some(Fix)),
            ("Fix shipped with v4.2.", Some(Fix)),
            ("Please upgrade to 4.2.", Some(Fix)),
            ("The fix was reverted in 3.2.2.", None),
            ("I cannot reproduce this any more; fixed by the new parser.", Some(Fix)),
            ("You can downgrade to 3.0 for now.", Some(Workaround)),
            ("As a workaround, restart the heartbeat once a day.", Some(Workaround)),
            ("Until this is fixed, set `slot.keep = 0`.", Some(Workaround)),
            ("The only workaround so far is to pin the port.", Some(Workaround)),
            ("Partial work-around (on Linux alone): unset the proxy.", Some(Workaround)),
            ("Way out: start it with an empty cache.", Some(Workaround)),
            ("I worked around this by pinning the port.", Some(Workaround)),
            ("Here is a smaller example that shows it, with the log attached below.", Some(Reproduction)),
            ("I can confirm that this happens on 2.9 as well, on two machines.", Some(Confirmation)),
            ("@bors r+", Some(Noise)),
            ("+1", Some(Noise)),
            ("This issue has been automatically marked as stale.", Some(Noise)),
            ("CI passed.", Some(Noise)),
            ("The token had expired. A new one is in the settings, the build is green again.", None),
            (":umbrella: The latest upstream changes made this pull request unmergeable.", Some(Noise)),
            ("The parser reads the header twice when the block is folded.", None),
            ("Pin numpy<2.", None),
            ("Set LANG=C.UTF-8.", None),
            ("Thank you very much!", Some(Noise)),
            ("Vielen Dank", Some(Noise)),
            ("Behoben in 4.0.2.", Some(Fix)),
            ("Corrigé dans la version 4.0.2.", Some(Fix)),
            ("バージョン2.4で修正しました。", Some(Fix)),
            ("Solucionado en la 3.1.", Some(Fix)),
            ("已在 3.2 版本修复。", Some(Fix)),
            ("Исправлено в 5.1.", Some(Fix)),
            ("回避策：キャッシュを削除してください。", Some(Workaround)),
            ("Bis dahin hilft: Neustart.", Some(Workaround)),
            ("En attendant, désactivez le cache.", Some(Workaround)),
            ("Sorry, I was wrong: it is still broken in 2.1.", None),
        ] {
            assert_eq!(of(body, -90_000, &[]), role, "{body}");
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
            "Ist das in 3.2 behoben?",
            "Das ist noch nicht behoben.",
            "Ce n'est pas corrigé dans la 3.2.",
            "まだ修正されていません。",
            "Sera corrigé dans la prochaine version.",
        ] {
            let role = of(body, -90_000, &[]);
            assert!(!matches!(role, Some(Fix | Workaround)), "{body} {role:?}");
        }
    }

    #[test]
    fn naming_the_pull_request_that_closed_it_is_a_fix_and_what_is_said_at_closure_is_a_closing_note() {
        assert_eq!(of("See #456.", -90_000, &[456]), Some(CommentRole::Fix));
        assert_ne!(of("See #4567.", -90_000, &[456]), Some(CommentRole::Fix));
        assert_eq!(of("Not something for the core, I think.", 3, &[]), Some(CommentRole::ClosingNote));
    }

    #[test]
    fn the_patterns_compile() {
        for pattern in [&ORDER, &STALE, &RETRACTED, &REPRODUCTION, &CONFIRMATION] {
            assert!(!pattern.is_match(""));
        }
    }
}
