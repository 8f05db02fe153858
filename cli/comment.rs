//! Printing of known problems, comments on solved cases, and article passages.

use anstyle::Style;
use precedent_core::model::{CaseComment, FixedBy, KnownProblem, SolvedCase, WikiPassage};

use crate::output::{BOLD, DIM, GOOD, HIT, Output, bold, day, dim, key, percent, plain};

/// The maximum length of an article, wiki or note passage, in characters.
const MAX_PASSAGE: usize = 400;
/// The maximum number of comment lines in a short answer.
pub const MAX_LINES: usize = 8;

/// Prints a comment's author and role, then at most `lines` lines of it.
///
/// The first comment to read is highlighted.
pub fn print_comment(
    c: &CaseComment,
    is_first: bool,
    indent: &str,
    lines: usize,
    output: &mut Output,
) {
    let role = c.role.map(|r| format!(" · {}", r.as_str())).unwrap_or_default();
    let author = plain(c.author.as_deref().unwrap_or("someone"));
    let header = format!("{author} {}{role}", day(Some(c.created_at)));
    print_text(&header, if is_first { GOOD } else { DIM }, &c.text, indent, lines, output);
}

/// Formats the citation of an issue.
pub fn issue_citation(issue: &str) -> String {
    key(format_args!("[Issue {issue}]"))
}

/// Prints the best comment of a case, then the descriptions of its fixes.
pub fn print_solution(case: &SolvedCase, indent: &str, lines: usize, output: &mut Output) {
    if let Some(first) = case.solutions().next() {
        print_comment(first, true, indent, lines, output);
    }
    for change in case.described_changes() {
        print_change(change, indent, lines, output);
    }
}

/// Prints the description of a change that fixed a case.
pub fn print_change(change: &FixedBy, indent: &str, lines: usize, output: &mut Output) {
    let header = format!("{} · the fix", plain(&change.key));
    print_text(&header, GOOD, &change.text, indent, lines, output);
}

fn print_text(
    header: &str,
    style: Style,
    text: &str,
    indent: &str,
    lines: usize,
    output: &mut Output,
) {
    output.line(format_args!("{indent}{style}{header}{style:#}"));
    let text_indent = format!("{indent}  ");
    if lines == usize::MAX {
        return output.print_wrapped(&plain(text), &text_indent);
    }
    let mut text_lines = text.lines().filter(|l| !l.trim().is_empty());
    let mut excerpt = text_lines.by_ref().take(lines).collect::<Vec<_>>().join("\n");
    if text_lines.next().is_some() {
        excerpt.push_str("\n…");
    }
    output.print_wrapped(&plain(excerpt), &text_indent);
}

/// Describes the version that has the fix, compared with the version in the question, and the
/// changes that fixed a case, each after a prefix.
pub fn fixes(case: &SolvedCase, prefix: &str) -> impl Iterator<Item = String> {
    let note = case.asked_version.as_ref().map(|version| format!(" ({})", version.words()));
    let note = note.unwrap_or_default();
    let version = case.fixed_in.as_ref().map(|version| format!("fixed in {version}{note}"));
    let change = move |change: &FixedBy| {
        format!("{prefix}{} {}", change.key, change.title).trim_end().to_owned()
    };
    version.into_iter().chain(case.fixed_by.iter().map(change))
}

/// Prints passages of stored articles.
pub fn print_articles(articles: &[WikiPassage], output: &mut Output) {
    for article in articles {
        let (key, title) = (key(&article.key), plain(&article.title));
        output.line(format_args!("\n{BOLD}Article{BOLD:#} {key}  {title}"));
        print_passage(article, output);
    }
}

/// Prints the start of a passage.
pub fn print_passage(passage: &WikiPassage, output: &mut Output) {
    let text: String = passage.text.chars().take(MAX_PASSAGE).collect();
    output.print_wrapped(&plain(text), "  ");
}

/// Prints the status of a known problem; `asked_key` is the item that was asked about.
pub fn print_status(problem: &KnownProblem, asked_key: Option<&String>, output: &mut Output) {
    let style = if problem.status.is_fixed() { GOOD } else { HIT };
    let is_itself = asked_key == Some(&problem.key);
    let subject = if is_itself { "This report" } else { "Known problem" };
    let status = plain(problem.status_for_version());
    output.line(format_args!("{style}{subject}: {status}{style:#}"));
}

/// Prints a known problem with its workaround and its fix.
pub fn print_problem(problem: &KnownProblem, asked_key: Option<&String>, output: &mut Output) {
    print_status(problem, asked_key, output);
    output.line(format_args!("{}  {}", key(&problem.key), bold(&problem.title)));
    let mut facts = Vec::new();
    if problem.confidence < 1.0 {
        facts.push(format!("same problem: {}", percent(problem.confidence)));
    }
    if !problem.reports.is_empty() {
        facts.push(format!("also reported as {}", problem.reports.join(", ")));
    }
    facts.extend(problem.fixed_by.iter().map(|change| format!("fixed by {}", change.key)));
    facts.extend_from_slice(&problem.reasons);
    if !facts.is_empty() {
        output.line(dim(facts.join(" · ")));
    }
    problem.url.iter().for_each(|url| output.line(dim(url)));
    let mut printed_anchor = None;
    for (heading, comment) in
        [("Workaround", &problem.workaround), (problem.fix_heading(), &problem.fix)]
    {
        let Some(comment) =
            comment.as_ref().filter(|comment| printed_anchor != Some(&comment.anchor))
        else {
            continue;
        };
        printed_anchor = Some(&comment.anchor);
        output.heading(heading);
        // The heading states the role.
        let comment = CaseComment { role: None, ..comment.clone() };
        print_comment(&comment, true, "  ", MAX_LINES, output);
    }
}
