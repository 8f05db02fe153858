//! Threads: the answer first, then the report and its comments in order, in pages.

use std::{borrow::Cow, collections::BTreeSet};

use precedent_core::{
    Error, Result,
    model::{DocKind, KnownProblem, LinkView, ProblemStatus, Thread},
};
use serde_json::json;

use super::{
    ask,
    markdown::{
        Text, author, byte_offset, change_heading, day, format_call, inline, join, page, plural,
        quotation, read_call, state, title,
    },
    output,
    parameters::ReadThread,
};

/// The maximum length of the fix, the workaround and the latest comment, in characters.
const MAX_COMMENT: usize = 700;
/// The maximum number of links listed per kind.
const MAX_LINKS: usize = 6;
/// The maximum number of consecutive non-empty lines, as in a log or a trace, shown in full. Of a
/// longer block, only the first and the last lines are shown.
const MAX_LINES: usize = 40;
const FIRST_LINES: usize = 20;
const LAST_LINES: usize = 8;

/// A thread as one text, with the offset of each comment in characters.
struct Transcript {
    text: String,
    anchors: Vec<(String, usize)>,
}

impl Transcript {
    fn new(thread: &Thread, is_whole: bool) -> Self {
        let mut out = Self { text: String::new(), anchors: Vec::new() };
        let mut length = 0;
        let mut add = |out: &mut Self, heading: String, markdown: &str| {
            let markdown = if is_whole { markdown.into() } else { Cow::from(fold(markdown)) };
            let part = format!("### {heading}\n{}\n", quotation(&markdown));
            length += part.chars().count();
            out.text.push_str(&part);
            length
        };
        let author_text = author(thread.author.as_deref(), thread.association.as_deref());
        let mut end = add(
            &mut out,
            join(["Text".to_owned(), author_text, day(thread.created_at)]),
            &thread.markdown,
        );
        for comment in &thread.comments {
            out.anchors.push((comment.anchor.clone(), end));
            let author_text = author(comment.author.as_deref(), comment.association.as_deref());
            let heading =
                join([comment.anchor.clone(), author_text, day(Some(comment.created_at))]);
            end = add(&mut out, heading, &comment.markdown);
        }
        out
    }

    /// Returns the offset of a comment, given by its anchor or number.
    fn offset_of(&self, key: &str, comment: &str) -> Result<usize> {
        let is_match =
            |anchor: &str| anchor == comment || anchor.strip_prefix("comment-") == Some(comment);
        let entry = self.anchors.iter().find(|(anchor, _)| is_match(anchor));
        entry.map(|(_, offset)| *offset).ok_or_else(|| {
            Error::not_found(format!(
                "read_thread: {key} has no comment \"{}\"",
                inline(comment, 60)
            ))
            .with_hint("Omit comment to read from the beginning; every comment's heading names it.")
        })
    }
}

/// Omits the middle of long logs and traces.
fn fold(markdown: &str) -> String {
    let lines: Vec<&str> = markdown.lines().collect();
    let mut out = String::with_capacity(markdown.len());
    let mut append = |lines: &[&str]| {
        for line in lines {
            out.push_str(line);
            out.push('\n');
        }
    };
    for part in lines.split_inclusive(|line| line.trim().is_empty()) {
        if part.len() <= MAX_LINES {
            append(part);
            continue;
        }
        let tail = part.len() - LAST_LINES;
        append(&part[..FIRST_LINES]);
        append(&[&format!("[… {} lines omitted; pass whole: true for all]", tail - FIRST_LINES)]);
        append(&part[tail..]);
    }
    out
}

/// Renders a page of a thread. The first page leads with the answer, if the thread documents one.
pub fn render(
    thread: &Thread,
    problem: Option<&KnownProblem>,
    args: &ReadThread,
) -> Result<(String, output::Thread)> {
    let transcript = Transcript::new(thread, args.whole);
    let total = transcript.text.chars().count();
    let start = match args.comment.0.trim() {
        "" => args.offset.0,
        comment => transcript.offset_of(&thread.key, comment)?,
    };
    if start > 0 && start >= total {
        return Err(Error::invalid(format!("read_thread: the thread has only {total} characters"))
            .with_hint(
                "Pass next_offset of the previous page, or omit offset for the first page.",
            ));
    }
    let mut text = Text::new(args.max_chars.0);
    text.add(&format!("**[{}] {}**", thread.key, title(&thread.title)));
    if start == 0 {
        let fits = total + MAX_COMMENT < text.budget();
        text.render_lead(|text| {
            render_facts(thread, text);
            render_answer(thread, problem, fits, text);
        });
    } else {
        text.add(&render_state(thread));
    }
    text.add_gap();
    // A page that begins within a quotation marks its first line.
    let prefix = &transcript.text[..byte_offset(&transcript.text, start)];
    let line = prefix.rfind('\n').map_or(prefix, |end| &prefix[end + 1..]);
    let mark = if line.starts_with('>') { "> " } else { "" };
    let (part, next_offset) = page(&transcript.text, start, text.budget().saturating_sub(5));
    text.add(&format!("{mark}{}", part.trim_end_matches('\n')));
    text.is_truncated = false;
    let next = next_offset.map(|offset| {
        let comment_count = transcript.anchors.iter().filter(|(_, start)| *start >= offset).count();
        let mut arguments = json!({"key": thread.key, "offset": offset});
        if args.whole {
            arguments["whole"] = true.into();
        }
        format!(
            "{} to continue: {} characters and {comment_count} of {} comments are left.",
            format_call("read_thread", &arguments),
            total - offset,
            transcript.anchors.len()
        )
    });
    let is_canonical =
        |link: &&LinkView| link.outgoing && link.kind == "duplicate_of" && link.document.is_some();
    let canonical = thread.links.iter().filter(|_| start == 0).find(is_canonical);
    let canonical =
        canonical.map(|link| format!("{} to read the report to keep.", read_call(&link.key, None)));
    let own_problem = problem.filter(|problem| problem.key == thread.key);
    let payload = output::Thread {
        key: thread.key.clone(),
        fix: own_problem.and_then(|problem| problem.fix.as_ref()).map(|fix| fix.anchor.clone()),
        comments: thread.comments.len(),
        next_offset,
    };
    Ok((text.finish(canonical.into_iter().chain(next)), payload))
}

/// Describes the kind, state and dates of a document.
fn render_state(thread: &Thread) -> String {
    let kind = match thread.kind {
        DocKind::Issue => "issue",
        DocKind::PullRequest => "pull request",
        DocKind::Page => "wiki page",
        DocKind::Note => "private note",
    };
    let event_date = |event: &str, time| match day(time) {
        day if day.is_empty() => day,
        day => format!("{event} {day}"),
    };
    join([
        kind.to_owned(),
        state(thread.state, thread.state_reason.as_deref()),
        event_date("opened", thread.created_at),
        event_date("closed", thread.closed_at),
    ])
}

/// Renders the facts about a document and its links.
fn render_facts(thread: &Thread, text: &mut Text) {
    let labels = thread.labels.iter().map(|label| inline(label, 30)).collect::<Vec<_>>().join(", ");
    let milestone = thread.milestone.as_ref().map(|name| format!("milestone {}", inline(name, 40)));
    text.add(&join([
        render_state(thread),
        inline(&labels, 120),
        milestone.unwrap_or_default(),
        plural(thread.comments.len() as u64, "comment"),
        thread.deleted_at.map_or("", |_| "deleted from the tracker").to_owned(),
    ]));
    text.add_url(thread.url.as_deref());
    let kinds = [
        ("duplicate_of", Some(true), "Duplicate of"),
        ("duplicate_of", Some(false), "Has duplicates"),
        ("closes", Some(false), "Closed by"),
        ("closes", Some(true), "Closes"),
        ("relates_to", None, "Related to"),
        ("mentions", Some(false), "Mentioned by"),
    ];
    for (kind, is_outgoing, heading) in kinds {
        let is_listed = |link: &&LinkView| {
            link.kind == kind && is_outgoing.is_none_or(|outgoing| link.outgoing == outgoing)
        };
        // A relation may be stored in both directions.
        let keys: BTreeSet<&str> =
            thread.links.iter().filter(is_listed).map(|link| link.key.as_str()).collect();
        if !keys.is_empty() {
            let extra = keys.len().saturating_sub(MAX_LINKS);
            let suffix = if extra > 0 { format!(" and {extra} more") } else { String::new() };
            let keys: Vec<String> =
                keys.into_iter().take(MAX_LINKS).map(|key| inline(key, 80)).collect();
            text.add(&format!("{heading} {}{suffix}", keys.join(", ")));
        }
    }
    if thread.missing_comments > 0 {
        let comments = plural(u64::from(thread.missing_comments), "more comment");
        text.add(&format!("{comments} not in the casebook."));
    }
}

/// Renders the solution of a problem, or states that the thread documents none. If `fits`, the whole
/// thread follows, so the comments are only named.
fn render_answer(thread: &Thread, problem: Option<&KnownProblem>, fits: bool, text: &mut Text) {
    let Some(problem) = problem else { return };
    text.add_gap();
    let is_own_problem = problem.key == thread.key;
    let fits = fits && is_own_problem;
    let is_missing =
        |link: &&LinkView| link.outgoing && link.kind == "duplicate_of" && link.document.is_none();
    let status = match thread.links.iter().find(is_missing) {
        _ if !is_own_problem => format!("duplicate of {}, {}", problem.key, ask::status(problem)),
        Some(link) if problem.status == ProblemStatus::ClosedWithoutFix => {
            format!("duplicate of {}, which is not in the casebook", link.key)
        }
        _ => ask::status(problem),
    };
    text.add(&format!("**Status: {status}.**"));
    for change in &problem.fixed_by {
        text.add(&change_heading(change));
    }
    for (heading, comment) in
        [(problem.fix_heading(), &problem.fix), ("Workaround", &problem.workaround)]
    {
        match comment {
            Some(comment) if fits => {
                text.add(&format!("{heading}: {}, below.", comment.anchor));
            }
            Some(comment) => text.add_comment(heading, &problem.key, comment, MAX_COMMENT),
            None => {}
        }
    }
    let latest_comment = thread.comments.iter().rev().find(|comment| !comment.bot);
    let has_solution = problem.fix.is_some() || problem.workaround.is_some();
    if let Some(comment) = latest_comment.filter(|_| is_own_problem && !has_solution) {
        text.add("No fix or workaround was recognized in the comments.");
        if !fits {
            let author_text = author(comment.author.as_deref(), comment.association.as_deref());
            let heading = format!(
                "Latest comment [{} {}] {author_text}, {}",
                thread.key,
                comment.anchor,
                day(Some(comment.created_at))
            );
            text.quote(&heading, &comment.markdown, MAX_COMMENT);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relations_in_both_directions_are_listed_once() {
        let link = |key: &str, outgoing: bool| json!({"kind": "relates_to", "outgoing": outgoing, "key": key});
        let comment = json!({
            "anchor": "comment-1", "bot": false, "created_at": "2026-01-02T00:00:00Z",
            "markdown": "", "html": "",
        });
        let thread: Thread = serde_json::from_value(json!({
            "key": "acme/app#1", "kind": "issue", "source": "acme/app", "title": "t", "labels": [],
            "locked": false, "markdown": "", "html": "", "missing_comments": 1,
            "comments": [comment],
            "links": [link("acme/app#2", true), link("acme/app#2", false), link("note#3", false)],
        }))
        .unwrap();
        let mut text = Text::new(2_000);
        render_facts(&thread, &mut text);
        let text = text.finish([]);
        assert!(text.contains("Related to acme/app#2, note#3\n"), "{text}");
        assert!(text.contains("issue · 1 comment\n"), "{text}");
    }
}
