//! The assembly of a thread excerpt with the solution, within a budget of characters.
//!
//! The budget goes first to the shortened report, then to the tail, which is the comments
//! classified as the solution and the last ones before the closure, then to the comments most
//! similar to the question. The result is in chronological order.

use std::cmp::Reverse;

use jiff::Timestamp;

use super::{
    budget::{excerpt, length},
    roles::speaks_for_project,
};
use precedent_core::model::{CaseComment, CommentRole};
use precedent_text::{markdown::is_fence, roles::Sentences};

/// The maximum length of a report shown in full, in characters.
const MAX_FULL_BODY: usize = 500;
/// The minimum length of a paragraph's letters and digits, in bytes; shorter ones are greetings or
/// signatures. A Chinese or Japanese letter has three bytes and says as much as three Latin ones.
const MIN_PARAGRAPH: usize = 30;
/// The maximum share of a thread's budget for the report.
const BODY_SHARE: f32 = 0.35;
/// The maximum share of the comments' budget for the tail.
const TAIL_SHARE: f32 = 0.6;
/// The maximum number of solutions, and of last comments before the closure, in the tail.
const LAST_COMMENTS: usize = 4;
/// The maximum number of other comments shown.
const MAX_OTHER_COMMENTS: usize = 12;
/// The time after the closure during which comments still belong to it, in seconds.
const GRACE_PERIOD: i64 = 300;
/// The maximum length of a comment that only agrees, in characters.
const MAX_AGREEMENT_LENGTH: usize = 200;
/// The maximum number of agreeing comments shown; if there are more, only the first is shown.
const MAX_AGREEMENTS: usize = 2;
/// The minimum length of a useful excerpt, in characters.
const MIN_EXCERPT: usize = 120;

/// A comment that may be shown.
#[derive(Clone, Debug)]
pub(crate) struct ThreadComment {
    /// The comment with its full text.
    pub(crate) comment: CaseComment,
    /// The similarity to the question, −1..1.
    pub(super) similarity: f32,
    pub(crate) sentences: Sentences,
}

impl ThreadComment {
    pub(crate) fn has_role(&self, role: CommentRole) -> bool {
        self.comment.role == Some(role)
    }
}

/// The part of a thread that is shown.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Excerpt {
    pub(super) body: String,
    pub(super) body_excerpt: bool,
    /// The comments in chronological order.
    pub(super) comments: Vec<CaseComment>,
    pub(super) omissions: usize,
    /// The number of agreeing comments omitted after the first one.
    pub(super) agreements: usize,
    /// The anchor of the comment to read first.
    pub(super) fix: Option<String>,
    pub(super) chars: usize,
}

/// Returns the number of characters that a thread could use.
pub(super) fn useful_length(body: &str, thread: &[ThreadComment]) -> usize {
    let repeated_flags = repeated_agreements(thread);
    let comments = thread.iter().zip(repeated_flags);
    let comments =
        comments.filter(|(reply, is_repeated)| !is_repeated && !reply.has_role(CommentRole::Noise));
    length(&shorten(body).0) + comments.map(|(reply, _)| length(&reply.comment.text)).sum::<usize>()
}

/// Returns for each comment whether it only agrees with an earlier one, and is counted instead of
/// shown.
fn repeated_agreements(thread: &[ThreadComment]) -> Vec<bool> {
    let agrees = |reply: &ThreadComment| {
        let text = &reply.comment.text;
        reply.has_role(CommentRole::Confirmation)
            && !text.contains("```")
            && length(text) <= MAX_AGREEMENT_LENGTH
    };
    let mut flags: Vec<bool> = thread.iter().map(agrees).collect();
    let are_few = flags.iter().filter(|agrees| **agrees).count() <= MAX_AGREEMENTS;
    let mut is_first_shown = false;
    for agrees in &mut flags {
        *agrees = *agrees && !are_few && std::mem::replace(&mut is_first_shown, true);
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
    let (body, is_shortened) = shorten(body);
    let repeated_flags = repeated_agreements(thread);
    let useful_indexes: Vec<usize> = (0..thread.len())
        .filter(|i| !repeated_flags[*i] && !thread[*i].has_role(CommentRole::Noise))
        .collect();
    let useful_length: usize =
        useful_indexes.iter().map(|i| length(&thread[*i].comment.text)).sum();
    // The report may also use the budget that the comments do not need.
    let body_budget = share(budget, BODY_SHARE).max(budget.saturating_sub(useful_length));
    let (body, is_cut) = excerpt(&body, body_budget);
    let mut budget_left = budget.saturating_sub(length(&body));
    let mut picks: Vec<Option<(String, bool)>> = vec![None; thread.len()];
    let take = |i: usize,
                max: usize,
                budget_left: &mut usize,
                picks: &mut Vec<Option<(String, bool)>>|
     -> usize {
        let text = &thread[i].comment.text;
        let max = max.min(*budget_left);
        if picks[i].is_some() || (max < MIN_EXCERPT && length(text) > max) {
            return 0;
        }
        let (pick, is_cut) = excerpt(text, max);
        let used_length = length(&pick);
        *budget_left -= used_length;
        picks[i] = Some((pick, is_cut));
        used_length
    };

    // Comments classified as the solution come before those that are merely last.
    let is_early = |i: &usize| is_before_closure(&thread[*i], closed_at);
    let last_comments = useful_indexes.iter().copied().filter(is_early).rev().take(LAST_COMMENTS);
    let is_solution = |i: &usize| {
        use CommentRole::{ClosingNote, Fix, Workaround};
        matches!(thread[*i].comment.role, Some(Fix | Workaround | ClosingNote))
    };
    let mut fixes: Vec<usize> = useful_indexes.iter().copied().filter(is_solution).collect();
    fixes.sort_by_key(|i| Reverse((solution_rank(&thread[*i], closed_at), *i)));
    let tail = fixes.iter().copied().take(LAST_COMMENTS).chain(last_comments);
    let mut tail_left = share(budget_left, TAIL_SHARE).max(budget_left.min(MIN_EXCERPT * 2));
    for i in tail {
        // Cut a long comment, so that it leaves room for others.
        let max = (tail_left / 2).max(MIN_EXCERPT * 2).min(tail_left);
        tail_left -= take(i, max, &mut budget_left, &mut picks).min(tail_left);
    }

    let mut other_comments: Vec<usize> =
        useful_indexes.iter().copied().filter(|i| picks[*i].is_none()).collect();
    other_comments
        .sort_by(|a, b| relevance(&thread[*b]).total_cmp(&relevance(&thread[*a])).then(a.cmp(b)));
    for i in other_comments.into_iter().take(MAX_OTHER_COMMENTS) {
        let max = (budget_left / 2).max(MIN_EXCERPT * 4);
        take(i, max, &mut budget_left, &mut picks);
    }
    // The rest of the budget extends excerpts, those of solutions first.
    let mut cut_comments: Vec<usize> = (0..thread.len())
        .filter(|i| picks[*i].as_ref().is_some_and(|(_, is_cut)| *is_cut))
        .collect();
    cut_comments.sort_by_key(|i| (!fixes.contains(i), *i));
    for i in cut_comments {
        let shown_length = picks[i].as_ref().map_or(0, |(text, _)| length(text));
        let (text, is_cut) = excerpt(&thread[i].comment.text, shown_length + budget_left);
        if length(&text) > shown_length {
            budget_left -= length(&text) - shown_length;
            picks[i] = Some((text, is_cut));
        }
    }

    let mut out = Excerpt {
        body_excerpt: is_shortened || is_cut,
        chars: length(&body),
        body,
        ..Excerpt::default()
    };
    for ((entry, text), is_repeated) in thread.iter().zip(picks).zip(repeated_flags) {
        match text {
            None if is_repeated => out.agreements += 1,
            Some((text, is_cut)) => {
                out.chars += length(&text);
                out.comments.push(CaseComment { text, excerpt: is_cut, ..entry.comment.clone() });
            }
            None => out.omissions += 1,
        }
    }
    let is_shown = |i: &&usize| out.comments.iter().any(|c| c.anchor == thread[**i].comment.anchor);
    let answer = || {
        let candidates: Vec<usize> = useful_indexes.iter().filter(is_shown).copied().collect();
        best_answer(&candidates, thread, closed_at)
    };
    let first = fixes.iter().find(is_shown).copied().or_else(answer);
    out.fix = first.map(|i| thread[i].comment.anchor.clone());
    out
}

/// Returns the comment to read first if none is classified as the fix: the project's last comment
/// before the closure, or else anybody's. Agreements, questions and bot comments are skipped.
fn best_answer(
    indexes: &[usize],
    thread: &[ThreadComment],
    closed_at: Option<Timestamp>,
) -> Option<usize> {
    let is_answer = |i: &usize| {
        let c = &thread[*i].comment;
        let is_agreement =
            matches!(c.role, Some(CommentRole::Confirmation | CommentRole::Reproduction));
        let is_bot = c.author.as_deref().is_some_and(|a| a.ends_with("[bot]"));
        !is_agreement && !is_bot && !c.text.trim_end().ends_with('?')
    };
    let answers: Vec<usize> = indexes.iter().copied().filter(is_answer).collect();
    let is_before = |i: &usize| is_before_closure(&thread[*i], closed_at);
    let (earlier, later): (Vec<usize>, Vec<usize>) = answers.into_iter().partition(is_before);
    let candidates = if earlier.is_empty() { later } else { earlier };
    let last = |filter: &dyn Fn(&CaseComment) -> bool| {
        candidates.iter().rev().copied().find(|i| filter(&thread[*i].comment))
    };
    last(&|c| speaks_for_project(c.association.as_deref())).or_else(|| last(&|_| true))
}

fn is_before_closure(entry: &ThreadComment, closed_at: Option<Timestamp>) -> bool {
    let created_at = entry.comment.created_at.as_second();
    closed_at.is_none_or(|time| created_at <= time.as_second() + GRACE_PERIOD)
}

/// Shortens a report over [`MAX_FULL_BODY`] characters to its first and last informative
/// paragraphs. Returns whether it was shortened.
pub(super) fn shorten(body: &str) -> (String, bool) {
    let body = body.trim();
    if length(body) <= MAX_FULL_BODY {
        return (body.to_owned(), false);
    }
    let paragraphs = paragraphs(body);
    let first = paragraphs.iter().position(|p| is_informative(p)).unwrap_or(0);
    let last = paragraphs.iter().rposition(|p| is_informative(p)).unwrap_or(paragraphs.len() - 1);
    if last <= first + 1 {
        return (body.to_owned(), false);
    }
    let (head, tail) = (paragraphs[..=first].join("\n\n"), paragraphs[last..].join("\n\n"));
    (format!("{head}\n\n[…]\n\n{tail}"), true)
}

/// Returns whether a paragraph is more than a greeting, a heading or a signature.
pub(super) fn is_informative(paragraph: &str) -> bool {
    let is_heading = paragraph.starts_with('#') && paragraph.lines().count() == 1;
    let letters: usize =
        paragraph.chars().filter(|c| c.is_alphanumeric()).map(char::len_utf8).sum();
    !is_heading && letters >= MIN_PARAGRAPH
}

/// Splits a Markdown text into paragraphs; a fenced block is not split.
fn paragraphs(text: &str) -> Vec<String> {
    let mut out = Vec::new();
    let mut current = String::new();
    let mut in_fence = false;
    for line in text.lines() {
        if is_fence(line) {
            in_fence = !in_fence;
        }
        if line.trim().is_empty() && !in_fence {
            if !current.trim().is_empty() {
                out.push(std::mem::take(&mut current).trim_end().to_owned());
            }
            current.clear();
            continue;
        }
        current.push_str(line);
        current.push('\n');
    }
    if !current.trim().is_empty() {
        out.push(current.trim_end().to_owned());
    }
    out
}

fn share(budget: usize, share: f32) -> usize {
    (budget as f32 * share) as usize
}

/// Returns the rank of a comment that may state the solution. Comments with a version, a change or
/// code rank highest; then role, closeness to the closure and author decide.
fn solution_rank(entry: &ThreadComment, closed_at: Option<Timestamp>) -> (bool, u32) {
    let c = &entry.comment;
    let is_at_closure =
        closed_at.is_some_and(|time| (c.created_at.as_second() - time.as_second()).abs() <= 86_400);
    let points = u32::from(c.role == Some(CommentRole::Fix)) * 2
        + u32::from(is_at_closure) * 2
        + u32::from(speaks_for_project(c.association.as_deref()));
    (entry.sentences.is_specific(), points)
}

/// Returns the relevance of a comment outside the tail.
fn relevance(entry: &ThreadComment) -> f32 {
    let role_score = match entry.comment.role {
        Some(CommentRole::Fix) => 0.35,
        Some(CommentRole::Workaround) => 0.3,
        Some(CommentRole::ClosingNote) => 0.2,
        Some(CommentRole::Reproduction) => 0.0,
        Some(CommentRole::Denial) => 0.1,
        Some(CommentRole::Confirmation) => -0.1,
        Some(CommentRole::Noise) => -1.0,
        None => 0.05,
    };
    let project_score =
        if speaks_for_project(entry.comment.association.as_deref()) { 0.1 } else { 0.0 };
    entry.similarity + role_score + project_score
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn time(minute: i64) -> Timestamp {
        Timestamp::from_second(1_700_000_000 + minute * 60).unwrap()
    }

    fn reply(minute: i64, text: &str, role: Option<CommentRole>, similarity: f32) -> ThreadComment {
        ThreadComment {
            comment: CaseComment {
                anchor: format!("comment-{minute}"),
                author: None,
                association: None,
                role,
                created_at: time(minute),
                url: None,
                text: text.to_owned(),
                excerpt: false,
            },
            similarity,
            sentences: Sentences::default(),
        }
    }

    fn anchors(excerpt: &Excerpt) -> Vec<&str> {
        excerpt.comments.iter().map(|c| c.anchor.as_str()).collect()
    }

    #[test]
    fn long_body_keeps_first_and_last_paragraph() {
        let middle = "Middle. ".repeat(80);
        let symptom = "It fails whenever the clock strikes twelve.";
        let versions = "Seen on version 3, on three machines here.";
        let body = format!("{symptom}\n\n{middle}\n\n```\nline\n\nline\n```\n\n{versions}");
        let a = assemble(&body, &[], None, 4_000);
        assert_eq!(a.body, format!("{symptom}\n\n[…]\n\n{versions}"));
        assert!(a.body_excerpt);
        let body = format!("Hello,\n\n{symptom}\n\n{middle}\n\n{versions}\n\nRegards,\nAnn");
        let a = assemble(&body, &[], None, 4_000);
        assert_eq!(a.body, format!("Hello,\n\n{symptom}\n\n[…]\n\n{versions}\n\nRegards,\nAnn"));
        assert!(a.body_excerpt);
        let a = assemble("Short.\n\nBody.", &[], None, 4_000);
        assert_eq!((a.body.as_str(), a.body_excerpt), ("Short.\n\nBody.", false));
    }

    #[test]
    fn thread_without_comments_has_no_fix() {
        let a = assemble("It fails.", &[], Some(time(9)), 1_000);
        assert_eq!((a.comments.len(), a.omissions, a.fix), (0, 0, None));
    }

    #[test]
    fn last_comments_before_the_closure_are_shown() {
        let filler = "x".repeat(300);
        let comments: Vec<ThreadComment> = (0..20).map(|i| reply(i, &filler, None, 0.0)).collect();
        let a = assemble("It fails.", &comments, Some(time(9)), 1_000);
        // Comments up to five minutes after the closure belong to it.
        let keys = anchors(&a);
        assert!(keys.ends_with(&["comment-13", "comment-14"]), "{keys:?}");
        assert!(!keys.contains(&"comment-19"), "{keys:?}");
    }

    #[test]
    fn long_comment_leaves_room_for_others() {
        let comments = [
            reply(1, &"the cause is the lease ".repeat(5), None, 0.0),
            reply(2, &"and then this ".repeat(5), None, 0.0),
            reply(3, &"log line ".repeat(5_000), None, 0.0),
        ];
        let a = assemble("It fails.", &comments, Some(time(4)), 2_000);
        assert_eq!(a.comments.len(), 3);
        assert!(a.comments[2].excerpt && !a.comments[0].excerpt && !a.comments[1].excerpt);
        assert!(a.chars <= 2_000 && a.chars > 1_900, "{}", a.chars);
    }

    #[test]
    fn excerpt_stays_if_the_rest_is_used() {
        let long_words = format!("{} ", "x".repeat(35)).repeat(9);
        let comments = [
            reply(1, "Set `lease = 0`.", None, 0.0),
            reply(2, &long_words, Some(CommentRole::Fix), 0.0),
        ];
        let a = assemble("It fails.", &comments, Some(time(3)), 139);
        assert_eq!((a.comments.len(), a.omissions), (2, 0));
        assert_eq!(a.fix.as_deref(), Some("comment-2"));
    }

    #[test]
    fn early_fix_is_included() {
        let mut comments =
            vec![reply(0, "This is fixed by the new lease code.", Some(CommentRole::Fix), 0.0)];
        comments.extend((1..60).map(|i| reply(i, &"chatter ".repeat(30), None, 0.0)));
        let a = assemble("It fails.", &comments, Some(time(70)), 1_500);
        assert_eq!(a.fix.as_deref(), Some("comment-0"));
        assert_eq!(anchors(&a)[0], "comment-0");
    }

    #[test]
    fn last_answer_comes_first_without_a_fix() {
        let comment_by = |minute, text, role, association: Option<&str>| {
            let mut entry = reply(minute, text, role, 0.0);
            entry.comment.association = association.map(str::to_owned);
            entry
        };
        let first =
            |comments: &[ThreadComment]| assemble("It fails.", comments, Some(time(9)), 4_000).fix;
        let mut comments = vec![
            comment_by(1, "Which version is it?", None, Some("MEMBER")),
            comment_by(2, "Set no-snapshot-lease on the leader.", None, Some("MEMBER")),
            comment_by(3, "I set it on all three nodes.", None, None),
            comment_by(4, "Still the same here.", Some(CommentRole::Confirmation), None),
            comment_by(5, "Thanks!", Some(CommentRole::Noise), Some("OWNER")),
            comment_by(700, "Much later, of something else.", None, Some("OWNER")),
        ];
        assert_eq!(first(&comments).as_deref(), Some("comment-2"));
        comments.remove(1);
        assert_eq!(first(&comments).as_deref(), Some("comment-3"));
        comments[0].comment.role = Some(CommentRole::Workaround);
        comments[0].comment.text = "Restart it at night.".to_owned();
        assert_eq!(first(&comments).as_deref(), Some("comment-1"));
        let mut bot = comment_by(6, "Moved to the archive.", None, None);
        bot.comment.author = Some("tidy[bot]".to_owned());
        assert_eq!(first(&[bot]), None);
    }

    #[test]
    fn comments_are_shown_in_chronological_order() {
        let text = "word ".repeat(60);
        let mut comments: Vec<ThreadComment> =
            (0..12).map(|i| reply(i, &text, None, 0.1)).collect();
        comments[1].similarity = 0.8;
        comments[3].similarity = 0.7;
        let a = assemble("It fails.", &comments, Some(time(100)), 2_000);
        let keys = anchors(&a);
        assert!(keys.contains(&"comment-1") && keys.contains(&"comment-11"), "{keys:?}");
        assert!(a.comments.windows(2).all(|w| w[0].created_at < w[1].created_at));
    }

    #[test]
    fn agreements_are_counted_and_the_fix_stays() {
        let agreement = |i| {
            reply(i, &format!("Same here with {i} files."), Some(CommentRole::Confirmation), 0.2)
        };
        let mut comments: Vec<ThreadComment> = (0..299).map(agreement).collect();
        comments.push(reply(400, "Fixed in 4.4.5.", Some(CommentRole::Fix), 0.0));
        let a = assemble("It is slow.", &comments, Some(time(400)), 10_000);
        assert_eq!(
            (anchors(&a), a.agreements, a.omissions),
            (vec!["comment-0", "comment-400"], 298, 0)
        );
        assert_eq!(a.fix.as_deref(), Some("comment-400"));
        // Two agreements are below the limit, and a long comment is more than an agreement.
        let a = assemble("It is slow.", &comments[297..], Some(time(400)), 10_000);
        assert_eq!((a.comments.len(), a.agreements), (3, 0));
        let text =
            "Same here. ".to_owned() + &"It began after the second disk was added. ".repeat(9);
        comments[5] = reply(5, &text, Some(CommentRole::Confirmation), 0.2);
        assert!(
            anchors(&assemble("It is slow.", &comments, Some(time(400)), 10_000))
                .contains(&"comment-5")
        );
    }

    #[test]
    fn noise_is_always_omitted() {
        let comments = [
            reply(1, "+1", Some(CommentRole::Noise), 0.9),
            reply(2, "A real remark about it.", None, 0.1),
        ];
        let a = assemble("It fails.", &comments, Some(time(3)), 10_000);
        assert_eq!((anchors(&a), a.omissions), (vec!["comment-2"], 1));
    }

    proptest! {
        #[test]
        fn thread_stays_within_its_budget(
            body in "[a-zé日 \n]{0,2000}",
            comments in prop::collection::vec(("[a-zé日 \n]{1,1500}", -1.0_f32..1.0, 0_u8..4), 0..20),
            closed in prop::option::of(0_i64..20),
            budget in 0_usize..6_000,
        ) {
            let thread: Vec<ThreadComment> = comments
                .into_iter()
                .enumerate()
                .map(|(i, (text, similarity, role))| {
                    let role = [None, Some(CommentRole::Fix), Some(CommentRole::Noise), Some(CommentRole::Workaround)][role as usize];
                    reply(i as i64, &text, role, similarity)
                })
                .collect();
            let a = assemble(&body, &thread, closed.map(time), budget);
            prop_assert!(a.chars <= budget, "{} of {budget}", a.chars);
            prop_assert_eq!(a.comments.len() + a.omissions + a.agreements, thread.len());
            prop_assert_eq!(a.clone(), assemble(&body, &thread, closed.map(time), budget));
        }
    }
}
