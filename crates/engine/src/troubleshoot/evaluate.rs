//! An evaluation of how often an assembled thread contains the comment that states the fix,
//! compared with two simple methods: the last comments, and the first.
//!
//! The fix is known for two kinds of closed issues. Either a merged pull request closed it and a
//! comment names that request, or a person who speaks for the project commented on closing it.

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
    roles::speaks_for_project,
    thread::{assemble, shorten},
};

/// The number of a comment's characters, or all of it, that must be shown for it to count.
const MIN_SHOWN: usize = 200;
/// The maximum distance of a closing comment from the closure, in seconds.
const AT_CLOSURE: i64 = 120;
/// The minimum number of letters in an informative closing comment.
const MIN_LETTERS: usize = 30;

/// Evaluates the thread of every closed issue of a source whose fix is known and whose comments do
/// not fit the budget.
///
/// # Errors
/// [`precedent_core::Code::NotFound`] if there is no such source,
/// [`precedent_core::Code::Cancelled`]; database errors.
pub fn evaluate_threads(
    parts: &QueryContext<'_>,
    source: &str,
    budget: usize,
    task: &Task,
) -> Result<ThreadFigures> {
    let ids = parts.store.read(|r| {
        let row = r.source(source)?.ok_or_else(|| crate::search::no_source(r, source))?;
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
        let threads = parts.store.read(|r| {
            let Some(row) = r.document(id)? else { return Ok(None) };
            if row.kind != DocKind::Issue
                || row.state != Some(State::Closed)
                || row.deleted_at.is_some()
            {
                return Ok(None);
            }
            let question = parts.vectors.map(|v| v.document_vectors(id)).transpose()?.flatten();
            let vector = question.map(|(title, _)| title);
            let load = |row, links| CaseThread::load(r, parts, row, &[], vector.as_deref(), links);
            Ok(Some((load(row.clone(), Links::Known)?, load(row, Links::Hidden)?)))
        })?;
        if let Some((known_part, hidden)) = threads {
            count(&known_part, &hidden, budget, &mut figures);
        }
    }
    Ok(figures)
}

fn count(item: &CaseThread, hidden: &CaseThread, budget: usize, figures: &mut ThreadFigures) {
    let comments: Vec<&CaseComment> = item.comments.iter().map(|s| &s.comment).collect();
    let fixes: Vec<usize> =
        (0..comments.len()).filter(|i| tells_the_fix(comments[*i], item)).collect();
    if fixes.is_empty() {
        return;
    }
    figures.known += 1;
    let body = shorten(&item.body).0;
    if length(&body) + comments.iter().map(|c| length(&c.text)).sum::<usize>() <= budget {
        return;
    }
    figures.long += 1;
    let closed_at = item.row.merged_at.or(item.row.closed_at);
    let holds = |thread: &CaseThread| {
        let part = assemble(&thread.body, &thread.comments, closed_at, budget);
        let is_shown = |i: &usize| {
            let whole = length(&comments[*i].text);
            let matches = |c: &CaseComment| {
                c.anchor == comments[*i].anchor && length(&c.text) >= whole.min(MIN_SHOWN)
            };
            part.comments.iter().any(matches)
        };
        u64::from(fixes.iter().any(is_shown))
    };
    figures.assembled += holds(item);
    figures.blind += holds(hidden);
    let room = budget - length(&excerpt(&body, budget).0);
    let plain = |order: &mut dyn Iterator<Item = usize>| {
        let mut room = room;
        for i in order {
            let whole = length(&comments[i].text);
            if fixes.contains(&i) && room >= whole.min(MIN_SHOWN) {
                return 1;
            }
            room = room.saturating_sub(whole);
        }
        0
    };
    figures.last += plain(&mut (0..comments.len()).rev());
    figures.first += plain(&mut (0..comments.len()));
}

/// Returns whether a comment states the fix; by facts alone, not by its wording.
fn tells_the_fix(comment: &CaseComment, thread: &CaseThread) -> bool {
    let names = |number: &u64| {
        let text = &comment.text;
        let tag = format!("#{number}");
        let path = format!("/pull/{number}");
        text.match_indices(&tag)
            .chain(text.match_indices(&path))
            .any(|(at, f)| !text[at + f.len()..].starts_with(|c: char| c.is_ascii_digit()))
    };
    if !thread.closers.is_empty() {
        return thread.closers.iter().any(names);
    }
    let at_closure = thread.row.closed_at.is_some_and(|time| {
        (comment.created_at.as_second() - time.as_second()).abs() <= AT_CLOSURE
    });
    let letters =
        PreparedText::comment(&comment.text).prose().chars().filter(|c| c.is_alphabetic()).count();
    at_closure && letters >= MIN_LETTERS && speaks_for_project(comment.association.as_deref())
}
