//! The assembly of the part of a thread that contains the solution, within a budget of characters.
//!
//! First comes the report, shortened. Then the end of the discussion: the last comments before the
//! closure, and those classified as the fix. Then the comments nearest to the question. The result
//! is in chronological order.

use jiff::Timestamp;

use super::{
    budget::{excerpt, length},
    roles::speaks_for_project,
};
use precedent_core::model::{CaseComment, CommentRole};
use precedent_text::roles::Sentences;

/// The maximum length of a report shown in full, in characters; longer ones are cut to the first
/// and last paragraph.
const LONG_BODY: usize = 500;
/// The minimum number of letters and digits in a paragraph, in bytes; shorter ones are greetings or
/// signatures.
const MIN_PARAGRAPH: usize = 30;
/// The maximum share of a thread's budget for the report.
const BODY_SHARE: f32 = 0.35;
/// The maximum share of the comments' budget for the tail.
const TAIL_SHARE: f32 = 0.6;
/// The number of last comments before the closure in the tail.
const TAIL: usize = 4;
/// The maximum number of other comments shown, nearest to the question first: a thread of 521
/// comments printed 845 lines.
const MAX_OTHERS: usize = 12;
/// The time after the closure during which comments still belong to it, in seconds.
const GRACE: i64 = 300;
/// The maximum length of a comment that only agrees, in characters.
const AGREEMENT: usize = 200;
/// The maximum number of agreeing comments listed; of more, only the first is shown.
const MAX_AGREEING: usize = 2;
/// The minimum length of a useful excerpt, in characters.
const MIN_EXCERPT: usize = 120;

/// A comment that may be shown.
#[derive(Clone, Debug)]
pub(crate) struct ThreadComment {
    /// The comment with its full text.
    pub(crate) comment: CaseComment,
    /// The cosine to the question, −1..1.
    pub(super) nearness: f32,
    /// The sentences with their roles.
    pub(crate) sentences: Sentences,
}

/// The part of a thread that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Excerpt {
    pub(super) body: String,
    pub(super) body_excerpt: bool,
    /// The comments in chronological order.
    pub(super) comments: Vec<CaseComment>,
    pub(super) omissions: usize,
    /// The number of agreeing comments represented by one that is shown.
    pub(super) agreements: usize,
    /// The anchor of the comment to read first.
    pub(super) fix: Option<String>,
    pub(super) chars: usize,
}

/// Returns the maximum number of characters that a thread could use.
pub(super) fn need(body: &str, thread: &[ThreadComment]) -> usize {
    let echoes = echoes(thread);
    let comments = thread.iter().zip(echoes);
    let comments = comments.filter(|(s, echo)| !echo && s.comment.role != Some(CommentRole::Noise));
    length(&shorten(body).0) + comments.map(|(s, _)| length(&s.comment.text)).sum::<usize>()
}

/// Returns for each comment whether it only agrees with an earlier one; these are counted instead
/// of shown.
fn echoes(thread: &[ThreadComment]) -> Vec<bool> {
    let agrees = |s: &ThreadComment| {
        let text = &s.comment.text;
        s.comment.role == Some(CommentRole::Confirmation)
            && !text.contains("```")
            && length(text) <= AGREEMENT
    };
    let mut flags: Vec<bool> = thread.iter().map(agrees).collect();
    let few = flags.iter().filter(|agrees| **agrees).count() <= MAX_AGREEING;
    // The first one is shown.
    let mut was_shown = false;
    for agrees in &mut flags {
        *agrees = *agrees && !few && std::mem::replace(&mut was_shown, true);
    }
    flags
}

/// Assembles a thread in at most `budget` characters. `thread` is in chronological order.
pub(super) fn assemble(
    body: &str,
    thread: &[ThreadComment],
    closed_at: Option<Timestamp>,
    budget: usize,
) -> Excerpt {
    let (body, short) = shorten(body);
    let echoes = echoes(thread);
    let useful: Vec<usize> = (0..thread.len())
        .filter(|i| !echoes[*i] && thread[*i].comment.role != Some(CommentRole::Noise))
        .collect();
    let useful_length: usize = useful.iter().map(|i| length(&thread[*i].comment.text)).sum();
    // The report may use the budget left by the comments.
    let room = share(budget, BODY_SHARE).max(budget.saturating_sub(useful_length));
    let (body, is_cut) = excerpt(&body, room);
    let mut spare = budget.saturating_sub(length(&body));

    let is_before_closure = |s: &ThreadComment| {
        closed_at.is_none_or(|time| s.comment.created_at.as_second() <= time.as_second() + GRACE)
    };
    let mut picks: Vec<Option<(String, bool)>> = vec![None; thread.len()];
    let take = |i: usize,
                most: usize,
                spare: &mut usize,
                picks: &mut Vec<Option<(String, bool)>>|
     -> usize {
        let text = &thread[i].comment.text;
        let most = most.min(*spare);
        if picks[i].is_some() || (most < MIN_EXCERPT && length(text) > most) {
            return 0;
        }
        let (part, is_cut) = excerpt(text, most);
        let used_length = length(&part);
        *spare -= used_length;
        picks[i] = Some((part, is_cut));
        used_length
    };

    // Comments classified as the solution come before those that are merely last.
    let mut tail: Vec<usize> =
        useful.iter().copied().filter(|i| is_before_closure(&thread[*i])).collect();
    let last_comments: Vec<usize> = tail.iter().rev().take(TAIL).copied().collect();
    let is_solution = |i: &usize| {
        use CommentRole::{ClosingNote, Fix, Workaround};
        matches!(thread[*i].comment.role, Some(Fix | Workaround | ClosingNote))
    };
    let mut fixes: Vec<usize> = useful.iter().copied().filter(is_solution).collect();
    fixes.sort_by_key(|i| {
        (std::cmp::Reverse(weight(&thread[*i], closed_at)), std::cmp::Reverse(*i))
    });
    tail = fixes.iter().copied().take(TAIL).chain(last_comments).collect();
    let mut tail_left = share(spare, TAIL_SHARE).max(spare.min(MIN_EXCERPT * 2));
    for i in tail {
        // Cut an oversized comment, so that it does not end the tail.
        let most = (tail_left / 2).max(MIN_EXCERPT * 2).min(tail_left);
        tail_left -= take(i, most, &mut spare, &mut picks).min(tail_left);
    }

    let mut extra: Vec<usize> = useful.iter().copied().filter(|i| picks[*i].is_none()).collect();
    extra.sort_by(|a, b| value(&thread[*b]).total_cmp(&value(&thread[*a])).then(a.cmp(b)));
    for i in extra.into_iter().take(MAX_OTHERS) {
        let most = (spare / 2).max(MIN_EXCERPT * 4);
        take(i, most, &mut spare, &mut picks);
    }
    // The remaining budget extends excerpts, those of solutions first.
    let mut cut_short: Vec<usize> = (0..thread.len())
        .filter(|i| picks[*i].as_ref().is_some_and(|(_, is_cut)| *is_cut))
        .collect();
    cut_short.sort_by_key(|i| (!fixes.contains(i), *i));
    for i in cut_short {
        let previous = picks[i].take().map_or(0, |(text, _)| length(&text));
        spare += previous;
        take(i, usize::MAX, &mut spare, &mut picks);
    }

    let mut out =
        Excerpt { body_excerpt: short || is_cut, chars: length(&body), body, ..Excerpt::default() };
    for ((entry, text), echo) in thread.iter().zip(picks).zip(echoes) {
        match text {
            None if echo => out.agreements += 1,
            Some((text, is_cut)) => {
                out.chars += length(&text);
                out.comments.push(CaseComment { text, excerpt: is_cut, ..entry.comment.clone() });
            }
            None => out.omissions += 1,
        }
    }
    let is_shown = |i: &&usize| out.comments.iter().any(|c| c.anchor == thread[**i].comment.anchor);
    let last = || {
        let candidates: Vec<usize> = useful.iter().filter(is_shown).copied().collect();
        best_answer(&candidates, thread, closed_at)
    };
    out.fix = fixes
        .iter()
        .find(is_shown)
        .copied()
        .or_else(last)
        .map(|i| thread[i].comment.anchor.clone());
    out
}

/// Returns the comment to read first if none is classified as the fix: the project's last comment
/// before the closure, else anybody's last. Agreements, questions and bot comments are skipped.
fn best_answer(
    ids: &[usize],
    thread: &[ThreadComment],
    closed_at: Option<Timestamp>,
) -> Option<usize> {
    let tells = |i: &usize| {
        let c = &thread[*i].comment;
        let idle = matches!(c.role, Some(CommentRole::Confirmation | CommentRole::Reproduction));
        let bot = c.author.as_deref().is_some_and(|a| a.ends_with("[bot]"));
        !idle && !bot && !c.text.trim_end().ends_with('?')
    };
    let answers: Vec<usize> = ids.iter().copied().filter(tells).collect();
    let is_before = |i: &usize| {
        closed_at
            .is_none_or(|at| thread[*i].comment.created_at.as_second() <= at.as_second() + GRACE)
    };
    let (earlier, later): (Vec<usize>, Vec<usize>) = answers.into_iter().partition(is_before);
    let pool = if earlier.is_empty() { later } else { earlier };
    let last = |filter: &dyn Fn(&CaseComment) -> bool| {
        pool.iter().rev().copied().find(|i| filter(&thread[*i].comment))
    };
    last(&|c| speaks_for_project(c.association.as_deref())).or_else(|| last(&|_| true))
}

/// Shortens a report over [`LONG_BODY`] characters to its first and its last paragraph, and returns
/// whether it was cut. A greeting is extended by the paragraph after it, a signature by the one
/// before.
pub(super) fn shorten(body: &str) -> (String, bool) {
    let body = body.trim();
    if length(body) <= LONG_BODY {
        return (body.to_owned(), false);
    }
    let paragraphs = paragraphs(body);
    let first = paragraphs.iter().position(|p| says_something(p)).unwrap_or(0);
    let last = paragraphs.iter().rposition(|p| says_something(p)).unwrap_or(paragraphs.len() - 1);
    if last <= first + 1 {
        return (body.to_owned(), false);
    }
    (
        format!(
            "{}\n\n[…]\n\n{}",
            paragraphs[..=first].join("\n\n"),
            paragraphs[last..].join("\n\n")
        ),
        true,
    )
}

/// Returns whether a paragraph is more than a greeting, a heading or a signature.
pub(super) fn says_something(paragraph: &str) -> bool {
    let heading = paragraph.starts_with('#') && paragraph.lines().count() == 1;
    // Counted in bytes, because a Chinese or Japanese letter carries as much as three Latin ones.
    let letters: usize =
        paragraph.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    !heading && letters >= MIN_PARAGRAPH
}

/// Splits a Markdown text into paragraphs; a fenced block is one.
fn paragraphs(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut open = String::new();
    let mut in_fence = false;
    for line in text.lines() {
        if line.trim_start().starts_with("```") || line.trim_start().starts_with("~~~") {
            in_fence = !in_fence;
        }
        if line.trim().is_empty() && !in_fence {
            if !open.trim().is_empty() {
                out.push(std::mem::take(&mut open).trim_end().to_owned());
            }
            open.clear();
            continue;
        }
        open.push_str(line);
        open.push('\n');
    }
    if !open.trim().is_empty() {
        out.push(open.trim_end().to_owned());
    }
    out
}

#[allow(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "a budget"
)]
fn share(of: usize, share: f32) -> usize {
    (of as f32 * share) as usize
}

/// Returns the sort key of a comment that may give the solution. Comments that name a version, a
/// change or code come first; then role, nearness to the closure and the author's standing in the
/// project count.
fn weight(entry: &ThreadComment, closed_at: Option<Timestamp>) -> (bool, u32) {
    let c = &entry.comment;
    let near =
        closed_at.is_some_and(|at| (c.created_at.as_second() - at.as_second()).abs() <= 86_400);
    let weight = u32::from(c.role == Some(CommentRole::Fix)) * 2
        + u32::from(near) * 2
        + u32::from(speaks_for_project(c.association.as_deref()));
    (entry.sentences.is_specific(), weight)
}

/// Returns the value of a comment outside the tail.
fn value(entry: &ThreadComment) -> f32 {
    let role = match entry.comment.role {
        Some(CommentRole::Fix) => 0.35,
        Some(CommentRole::Workaround) => 0.3,
        Some(CommentRole::ClosingNote) => 0.2,
        Some(CommentRole::Reproduction) => 0.0,
        Some(CommentRole::Denial) => 0.1,
        Some(CommentRole::Confirmation) => -0.1,
        Some(CommentRole::Noise) => -1.0,
        None => 0.05,
    };
    let project = if speaks_for_project(entry.comment.association.as_deref()) { 0.1 } else { 0.0 };
    entry.nearness + role + project
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn at(minute: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + minute * 60).unwrap()
    }

    fn reply(minute: i64, text: &str, role: Option<CommentRole>, nearness: f32) -> ThreadComment {
        ThreadComment {
            comment: CaseComment {
                anchor: format!("comment-{minute}"),
                author: None,
                association: None,
                role,
                created_at: at(minute),
                url: None,
                text: text.to_owned(),
                excerpt: false,
            },
            nearness,
            sentences: Sentences::default(),
        }
    }

    fn anchors(a: &Excerpt) -> Vec<&str> {
        a.comments.iter().map(|c| c.anchor.as_str()).collect()
    }

    #[test]
    fn long_body_keeps_first_and_last_paragraph() {
        let middle = "Middle. ".repeat(80);
        let (what, where_) = (
            "It fails whenever the clock strikes twelve.",
            "Seen on version 3, on three machines here.",
        );
        let body = format!("{what}\n\n{middle}\n\n```\nline\n\nline\n```\n\n{where_}");
        let a = assemble(&body, &[], None, 4_000);
        assert_eq!(a.body, format!("{what}\n\n[…]\n\n{where_}"));
        assert!(a.body_excerpt);
        // Greetings and signatures are uninformative.
        let body = format!("Hello,\n\n{what}\n\n{middle}\n\n{where_}\n\nRegards,\nAnn");
        let a = assemble(&body, &[], None, 4_000);
        assert_eq!(a.body, format!("Hello,\n\n{what}\n\n[…]\n\n{where_}\n\nRegards,\nAnn"));
        assert!(a.body_excerpt);
        let a = assemble("Short.\n\nBody.", &[], None, 4_000);
        assert_eq!((a.body.as_str(), a.body_excerpt), ("Short.\n\nBody.", false));
    }

    #[test]
    fn zero_comments_are_fine() {
        let a = assemble("It fails.", &[], Some(at(9)), 1_000);
        assert_eq!((a.comments.len(), a.omissions, a.fix), (0, 0, None));
    }

    #[test]
    fn tail_before_the_closure_comes_first() {
        let filler = "x".repeat(300);
        let comments: Vec<ThreadComment> = (0..20).map(|i| reply(i, &filler, None, 0.0)).collect();
        let a = assemble("It fails.", &comments, Some(at(9)), 1_000);
        // Comments up to five minutes after the closure belong to it.
        let keys = anchors(&a);
        assert!(keys.ends_with(&["comment-13", "comment-14"]), "{keys:?}");
        assert!(!keys.contains(&"comment-19"), "{keys:?}");
    }

    #[test]
    fn oversized_comment_does_not_end_the_tail() {
        let comments = [
            reply(1, &"the cause is the lease ".repeat(5), None, 0.0),
            reply(2, &"and then this ".repeat(5), None, 0.0),
            reply(3, &"log line ".repeat(5_000), None, 0.0),
        ];
        let a = assemble("It fails.", &comments, Some(at(4)), 2_000);
        assert_eq!(a.comments.len(), 3);
        assert!(a.comments[2].excerpt && !a.comments[0].excerpt && !a.comments[1].excerpt);
        assert!(a.chars <= 2_000 && a.chars > 1_900, "{}", a.chars);
    }

    #[test]
    fn early_fix_is_included() {
        let mut comments =
            vec![reply(0, "This is fixed by the new lease code.", Some(CommentRole::Fix), 0.0)];
        comments.extend((1..60).map(|i| reply(i, &"chatter ".repeat(30), None, 0.0)));
        let a = assemble("It fails.", &comments, Some(at(70)), 1_500);
        assert_eq!(a.fix.as_deref(), Some("comment-0"));
        assert_eq!(anchors(&a)[0], "comment-0");
    }

    #[test]
    fn without_a_fix_the_last_answer_is_first() {
        let by = |minute, text, role, association: Option<&str>| {
            let mut entry = reply(minute, text, role, 0.0);
            entry.comment.association = association.map(str::to_owned);
            entry
        };
        let first =
            |comments: &[ThreadComment]| assemble("It fails.", comments, Some(at(9)), 4_000).fix;
        let mut comments = vec![
            by(1, "Which version is it?", None, Some("MEMBER")),
            by(2, "Set no-snapshot-lease on the leader.", None, Some("MEMBER")),
            by(3, "I set it on all three nodes.", None, None),
            by(4, "Still the same here.", Some(CommentRole::Confirmation), None),
            by(5, "Thanks!", Some(CommentRole::Noise), Some("OWNER")),
            by(700, "Much later, of something else.", None, Some("OWNER")),
        ];
        assert_eq!(first(&comments).as_deref(), Some("comment-2"));
        comments.remove(1);
        assert_eq!(first(&comments).as_deref(), Some("comment-3"));
        comments[0].comment.role = Some(CommentRole::Workaround);
        comments[0].comment.text = "Restart it at night.".to_owned();
        assert_eq!(first(&comments).as_deref(), Some("comment-1"));
        let mut bot = by(6, "Moved to the archive.", None, None);
        bot.comment.author = Some("tidy[bot]".to_owned());
        assert_eq!(first(&[bot]), None);
    }

    #[test]
    fn comments_are_shown_in_chronological_order() {
        let text = "word ".repeat(60);
        let mut comments: Vec<ThreadComment> =
            (0..12).map(|i| reply(i, &text, None, 0.1)).collect();
        comments[1].nearness = 0.8;
        comments[3].nearness = 0.7;
        let a = assemble("It fails.", &comments, Some(at(100)), 2_000);
        let keys = anchors(&a);
        assert!(keys.contains(&"comment-1") && keys.contains(&"comment-11"), "{keys:?}");
        assert!(a.comments.windows(2).all(|w| w[0].created_at < w[1].created_at));
    }

    #[test]
    fn agreements_are_counted_and_the_fix_stays() {
        let agrees = |i| {
            reply(i, &format!("Same here with {i} files."), Some(CommentRole::Confirmation), 0.2)
        };
        let mut comments: Vec<ThreadComment> = (0..299).map(agrees).collect();
        comments.push(reply(400, "Fixed in 4.4.5.", Some(CommentRole::Fix), 0.0));
        let a = assemble("It is slow.", &comments, Some(at(400)), 10_000);
        assert_eq!(
            (anchors(&a), a.agreements, a.omissions),
            (vec!["comment-0", "comment-400"], 298, 0)
        );
        assert_eq!(a.fix.as_deref(), Some("comment-400"));
        // Two agreements are below the limit, and a long comment is more than an agreement.
        let a = assemble("It is slow.", &comments[297..], Some(at(400)), 10_000);
        assert_eq!((a.comments.len(), a.agreements), (3, 0));
        let text =
            "Same here. ".to_owned() + &"It began after the second disk was added. ".repeat(9);
        comments[5] = reply(5, &text, Some(CommentRole::Confirmation), 0.2);
        assert!(
            anchors(&assemble("It is slow.", &comments, Some(at(400)), 10_000))
                .contains(&"comment-5")
        );
    }

    #[test]
    fn noise_is_always_omitted() {
        let comments = [
            reply(1, "+1", Some(CommentRole::Noise), 0.9),
            reply(2, "A real remark about it.", None, 0.1),
        ];
        let a = assemble("It fails.", &comments, Some(at(3)), 10_000);
        assert_eq!((anchors(&a), a.omissions), (vec!["comment-2"], 1));
    }

    proptest! {
        #[test]
        fn a_thread_keeps_to_its_budget(
            body in "[a-zé日 \n]{0,2000}",
            comments in prop::collection::vec(("[a-zé日 \n]{1,1500}", -1.0_f32..1.0, 0_u8..4), 0..20),
            closed in prop::option::of(0_i64..20),
            budget in 0_usize..6_000,
        ) {
            let thread: Vec<ThreadComment> = comments
                .into_iter()
                .enumerate()
                .map(|(i, (text, nearness, role))| {
                    let role = [None, Some(CommentRole::Fix), Some(CommentRole::Noise), Some(CommentRole::Workaround)][role as usize];
                    reply(i as i64, &text, role, nearness)
                })
                .collect();
            let a = assemble(&body, &thread, closed.map(at), budget);
            prop_assert!(a.chars <= budget, "{} of {budget}", a.chars);
            prop_assert_eq!(a.comments.len() + a.omissions + a.agreements, thread.len());
            prop_assert_eq!(a.clone(), assemble(&body, &thread, closed.map(at), budget));
        }
    }
}
