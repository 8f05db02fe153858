//! What a comment does in its thread.

use std::sync::LazyLock;

use jiff::Timestamp;
use regex::Regex;

use precedent_core::model::CommentRole;
use precedent_store::StoredComment;
use precedent_text::prepare::Prepared;

/// A comment this close to the closure belongs to it, in seconds: trackers write both with one click, and a bot may come
/// between.
const AT_CLOSURE: i64 = 120;
/// The longest text that is looked at, in bytes.
const MAX_READ: usize = 20_000;

#[allow(clippy::unwrap_used, reason = "the patterns are constants; a test compiles them all")]
fn re(pattern: &str) -> Regex {
    Regex::new(pattern).unwrap()
}

static ORDER: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?im)^\s*(?:@?(?:bors|rustbot|homu|dependabot|k8s-ci-robot|mergify)\b.{0,80}|/(?:assign|cc|lgtm|retest|close|reopen|label|kind)\b.{0,60}|r\+|r\?\s*@\S+|\+1|:\+1:|👍|bump|ping\b.{0,40}|thanks!?|thank you!?|any (?:update|news)s?\b.{0,60}|me too[.!]?|same here[.!]?)\s*$",
    )
});
static STALE: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)^\s*:?(?:umbrella|hourglass|sunny|broken_heart|pushpin|lock|bomb|boom):|^\s*thanks for (?:the|your) (?:pull request|pr)\b|\b(?:automatically (?:marked|closed|locked)|marked as stale|no (?:recent )?activity|triage (?:bot|visit)|pinging (?:this )?for triage|(?:lint|build|ci|tests?) (?:failed|passed|is green)\b.{0,30}$)",
    )
});
static FIX: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?i)\b(?:(?:this|it|issue|bug|problem|that|now|been|was|is|should be|got|already) (?:was |is |has been |been |now |already )*(?:fixed|resolved|solved|addressed|repaired)",
        r"|fixed (?:in|by|with|on|via|as of|since|now|upstream)\b|fix(?:es|ed)? (?:is |has |was )*(?:in|landed|merged|released|available|pushed)\b|fix(?:es|ed)? (?:in|by|via)? ?#\d+",
        r"|resolved (?:in|by|with|via)\b|solved (?:in|by|with|it|this|the)\b|(?:closed|done|implemented|landed|merged|superseded) (?:in|by|via|with)\b ?#?",
        r"|(?:the|my|a) (?:fix|solution|cure) (?:is|was|for|here)|no longer (?:happens|occurs|reproduc|crash|fail|an issue|a problem)|(?:works|compiles|passes|runs) (?:now|fine now|on (?:master|main|latest|nightly)|with (?:the )?(?:latest|new|current)|since|as of)",
        r"|(?:root cause|the cause|culprit|the problem|the reason) (?:is|was|turned out)|turned out (?:to be|that)|upgrad(?:e|ing) to .{1,40} (?:fix|solve|resolve|help)(?:es|ed|s|d)?)\b",
    ))
});
static UNFIXED: LazyLock<Regex> = LazyLock::new(|| {
    re(r"(?i)\b(?:until|once|when|if) (?:this|it|that) (?:is|gets) (?:fixed|resolved|solved)")
});
static WORKAROUND: LazyLock<Regex> = LazyLock::new(|| {
    re(
        r"(?i)\bwork[- ]?arounds?\b|\bin the mean ?(?:time|while)\b|\bas a (?:temporary|stop-?gap|quick) |\buntil (?:this|it|that|then) is fixed\b|\byou can (?:instead|also|still|avoid|get around|work around|use|set|disable|downgrade|pass|add|try)\b|\bfor now,? (?:you|we|i|use|set)\b|\bgot around (?:it|this)\b|\bavoid(?:s|ed)? (?:it|this|the (?:problem|issue|crash|error)) by\b",
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
    matches!(association, Some("OWNER" | "MEMBER" | "COLLABORATOR" | "MAINTAINER"))
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
    if comment.author.bot || (short && !named && (STALE.is_match(&prose) || only_orders(&prose))) {
        return Some(CommentRole::Noise);
    }
    let workaround = WORKAROUND.is_match(&prose);
    // "Until this is fixed, …" speaks of a fix that is not there.
    let fix = named || (FIX.is_match(&prose) && !(workaround && UNFIXED.is_match(&prose)));
    if fix {
        return Some(CommentRole::Fix);
    }
    if workaround {
        return Some(CommentRole::Workaround);
    }
    if at_closure && !text.blocks.is_empty() {
        return Some(CommentRole::ClosingNote);
    }
    if text.is_slight() && text.code().is_empty() {
        return Some(CommentRole::Noise);
    }
    if REPRODUCTION.is_match(&prose) {
        return Some(CommentRole::Reproduction);
    }
    CONFIRMATION.is_match(&prose).then_some(CommentRole::Confirmation)
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
    fn roles_are_told_from_what_is_said() {
        use CommentRole::{Confirmation, Fix, Noise, Reproduction, Workaround};
        for (body, role) in [
            ("This was fixed in the last release, 3.1.2.", Some(Fix)),
            ("The root cause was a stale lease on the slot.", Some(Fix)),
            ("Upgrading to 4.0 fixes it for us.", Some(Fix)),
            ("As a workaround, restart the heartbeat once a day.", Some(Workaround)),
            ("Until this is fixed, set `slot.keep = 0`.", Some(Workaround)),
            ("Here is a smaller example that shows it, with the log attached below.", Some(Reproduction)),
            ("I can confirm that this happens on 2.9 as well, on two machines.", Some(Confirmation)),
            ("@bors r+", Some(Noise)),
            ("+1", Some(Noise)),
            ("This issue has been automatically marked as stale.", Some(Noise)),
            (":umbrella: The latest upstream changes made this pull request unmergeable.", Some(Noise)),
            ("The parser reads the header twice when the block is folded.", None),
        ] {
            assert_eq!(of(body, -90_000, &[]), role, "{body}");
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
        for pattern in [&ORDER, &STALE, &FIX, &UNFIXED, &WORKAROUND, &REPRODUCTION, &CONFIRMATION] {
            assert!(!pattern.is_match(""));
        }
    }
}
