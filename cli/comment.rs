//! The comments of a solved case, and passages of articles, printed alike by every command.

use anstyle::Style;
use precedent_core::model::{CaseComment, FixedBy, SolvedCase, WikiPassage};

use crate::output::{BOLD, DIM, GOOD, KEY, Output, day, plain};

/// The maximum length of a passage of an article, in characters.
const PASSAGE: usize = 400;

/// Prints a comment's author and role, then at most `lines` lines of it.
///
/// The comment to read first is highlighted.
pub fn print_comment(
    c: &CaseComment,
    first: bool,
    indent: &str,
    lines: usize,
    output: &mut Output,
) {
    let role = c.role.map(|r| format!(" · {}", r.as_str())).unwrap_or_default();
    let head = format!(
        "{} {}{role}",
        plain(c.author.as_deref().unwrap_or("someone")),
        day(Some(c.created_at))
    );
    print_said(&head, if first { GOOD } else { DIM }, &c.text, indent, lines, output);
}

/// Prints the comment of a case to read first, then the descriptions of its fixes.
pub fn print_first(case: &SolvedCase, indent: &str, lines: usize, output: &mut Output) {
    if let Some(first) = case.solutions().next() {
        print_comment(first, true, indent, lines, output);
    }
    for change in case.told_changes() {
        print_change(change, indent, lines, output);
    }
}

/// Prints the description of a change that fixed a case.
pub fn print_change(change: &FixedBy, indent: &str, lines: usize, output: &mut Output) {
    let head = format!("{} · the fix", plain(&change.key));
    print_said(&head, GOOD, &change.text, indent, lines, output);
}

fn print_said(
    head: &str,
    style: Style,
    text: &str,
    indent: &str,
    lines: usize,
    output: &mut Output,
) {
    output.line(format_args!("{indent}{style}{head}{style:#}"));
    let inner = format!("{indent}  ");
    if lines == usize::MAX {
        return output.print_wrapped(&plain(text), &inner);
    }
    let mut text_lines = text.lines().filter(|l| !l.trim().is_empty());
    let mut excerpt = text_lines.by_ref().take(lines).collect::<Vec<_>>().join("\n");
    if text_lines.next().is_some() {
        excerpt.push_str("\n…");
    }
    output.print_wrapped(&plain(&excerpt), &inner);
}

/// Returns the version that has the fix, compared with the version in the question.
pub fn fixed_in(case: &SolvedCase) -> Option<String> {
    let fix = format!("fixed in {}", plain(case.fixed_in.as_ref()?));
    let asked_version = case
        .asked_version
        .as_ref()
        .map(|asked_version| format!(" ({})", plain(&asked_version.words())));
    Some(fix + &asked_version.unwrap_or_default())
}

/// Prints passages of stored articles.
pub fn print_articles(articles: &[WikiPassage], output: &mut Output) {
    for article in articles {
        output.line("");
        output.line(format_args!(
            "{BOLD}Article{BOLD:#} {KEY}{}{KEY:#}  {}",
            plain(&article.key),
            plain(&article.title)
        ));
        let text: String = article.text.chars().take(PASSAGE).collect();
        output.print_wrapped(&plain(&text), "  ");
    }
}
