//! What was said of a solved case, as every command shows it.

use anstyle::Style;
use precedent_core::model::{CaseComment, FixedBy, SolvedCase};

use crate::output::{DIM, GOOD, Output, day, plain};

/// A comment of a case: who said it and what it does, then at most so many lines of it. The one to read first stands out.
pub fn print_comment(c: &CaseComment, first: bool, indent: &str, lines: usize, output: &mut Output) {
    let role = c.role.map(|r| format!(" · {}", r.as_str())).unwrap_or_default();
    let head =
        format!("{} {}{role}", plain(c.author.as_deref().unwrap_or("someone")), day(Some(c.created_at)));
    print_said(&head, if first { GOOD } else { DIM }, &c.text, indent, lines, output);
}

/// The comment of a case to read first, and what its fix says of itself.
pub fn print_first(case: &SolvedCase, indent: &str, lines: usize, output: &mut Output) {
    if let Some(first) = case.comments.iter().find(|c| case.is_first(c)) {
        print_comment(first, true, indent, lines, output);
    }
    for change in case.told_changes() {
        print_change(change, indent, lines, output);
    }
}

/// What a change that fixed a case says of itself.
pub fn print_change(change: &FixedBy, indent: &str, lines: usize, output: &mut Output) {
    let head = format!("{} · the fix", plain(&change.key));
    print_said(&head, GOOD, &change.text, indent, lines, output);
}

fn print_said(head: &str, style: Style, text: &str, indent: &str, lines: usize, output: &mut Output) {
    output.line(format_args!("{indent}{style}{head}{style:#}"));
    let inner = format!("{indent}  ");
    if lines == usize::MAX {
        return output.wrapped(&plain(text), &inner);
    }
    let mut told = text.lines().filter(|l| !l.trim().is_empty());
    let mut shown = told.by_ref().take(lines).collect::<Vec<_>>().join("\n");
    if told.next().is_some() {
        shown.push_str("\n…");
    }
    output.wrapped(&plain(&shown), &inner);
}

/// The version that has the fix, and what that means for the one that was asked about.
pub fn fixed_in(case: &SolvedCase) -> Option<String> {
    let fixed = format!("fixed in {}", plain(case.fixed_in.as_ref()?));
    let asked = case.asked_version.as_ref().map(|asked| format!(" ({})", plain(&asked.words())));
    Some(fixed + &asked.unwrap_or_default())
}
