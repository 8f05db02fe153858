//! An evaluation of how often an assembled thread contains the comment that states the fix,
//! compared with the last and the first comments.
//!
//! The fix is known if a comment names the merged pull request that closed the issue, or if a
//! person who speaks for the project commented on closing it.

use crate::QueryContext;
use precedent_core::{
    error::Result,
    model::{CaseComment, DocKind, State, ThreadFigures},
    task::{Phase, Task},
};
use precedent_text::prepare::PreparedText;

use super::{
    budget::{excerpt, length},
    case::{CaseThread, Links},
    roles::{MAX_CLOSURE_DISTANCE, mentions_number, speaks_for_project},
    thread::shorten,
};

/// The minimum number of characters of a longer comment that must be shown for it to count.
const MIN_SHOWN: usize = 200;
/// The minimum number of letters in an informative closing comment.
const MIN_LETTERS: usize = 30;

/// Evaluates the threads of a source's closed issues, limited to issues whose fix is known and
/// whose comments exceed the budget.
pub fn evaluate_threads(
    context: &QueryContext<'_>,
    source: &str,
    budget: usize,
    task: &Task,
) -> Result<ThreadFigures> {
    let ids = context.store.read(|r| {
        let row = crate::search::find_source(r, source)?;
        r.issues_by_age(row.id)
    })?;
    let mut figures =
        ThreadFigures { source: source.to_owned(), budget, ..ThreadFigures::default() };
    let total = ids.len() as u64;
    for (index, id) in ids.into_iter().enumerate() {
        if index.is_multiple_of(64) {
            task.check()?;
            task.report(Phase::Evaluate, index as u64, Some(total), "threads");
        }
        let threads = context.store.read(|r| {
            let Some(row) = r.document(id)? else { return Ok(None) };
            if row.kind != DocKind::Issue
                || row.state != Some(State::Closed)
                || row.deleted_at.is_some()
            {
                return Ok(None);
            }
            let vectors = context.vectors.map(|v| v.document_vectors(id)).transpose()?.flatten();
            let vector = vectors.map(|(title, _)| title);
            let load =
                |row, links| CaseThread::load(r, context, row, &[], vector.as_deref(), links);
            Ok(Some((load(row.clone(), Links::Visible)?, load(row, Links::Hidden)?)))
        })?;
        if let Some((thread, thread_without_links)) = threads {
            evaluate_thread(&thread, &thread_without_links, budget, &mut figures);
        }
    }
    Ok(figures)
}

fn evaluate_thread(
    thread: &CaseThread,
    thread_without_links: &CaseThread,
    budget: usize,
    figures: &mut ThreadFigures,
) {
    let comments: Vec<&CaseComment> = thread.comments.iter().map(|reply| &reply.comment).collect();
    let fixes: Vec<usize> =
        (0..comments.len()).filter(|i| states_fix(comments[*i], thread)).collect();
    if fixes.is_empty() {
        return;
    }
    figures.known_fixes += 1;
    let body = shorten(&thread.body).0;
    if length(&body) + comments.iter().map(|c| length(&c.text)).sum::<usize>() <= budget {
        return;
    }
    figures.long_threads += 1;
    let contains_fix = |thread: &CaseThread| {
        let assembled = thread.assemble(budget);
        let is_shown = |i: &usize| {
            let min_length = length(&comments[*i].text).min(MIN_SHOWN);
            let matches =
                |c: &CaseComment| c.anchor == comments[*i].anchor && length(&c.text) >= min_length;
            assembled.comments.iter().any(matches)
        };
        u64::from(fixes.iter().any(is_shown))
    };
    figures.in_excerpt += contains_fix(thread);
    figures.in_excerpt_by_wording += contains_fix(thread_without_links);
    let comment_budget = budget - length(&excerpt(&body, budget).0);
    let baseline = |order: &mut dyn Iterator<Item = usize>| {
        let mut budget_left = comment_budget;
        for i in order {
            let length = length(&comments[i].text);
            if fixes.contains(&i) && budget_left >= length.min(MIN_SHOWN) {
                return 1;
            }
            budget_left = budget_left.saturating_sub(length);
        }
        0
    };
    figures.in_last_comments += baseline(&mut (0..comments.len()).rev());
    figures.in_first_comments += baseline(&mut (0..comments.len()));
}

/// Returns whether a comment states the fix, judged by facts instead of its wording.
fn states_fix(comment: &CaseComment, thread: &CaseThread) -> bool {
    if !thread.closers.is_empty() {
        return thread.closers.iter().any(|number| mentions_number(&comment.text, *number));
    }
    let is_at_closure = thread.row.closed_at.is_some_and(|time| {
        (comment.created_at.as_second() - time.as_second()).abs() <= MAX_CLOSURE_DISTANCE
    });
    let letters =
        PreparedText::comment(&comment.text).prose().chars().filter(|c| c.is_alphabetic()).count();
    is_at_closure && letters >= MIN_LETTERS && speaks_for_project(comment.association.as_deref())
}
