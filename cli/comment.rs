//! A comment of a solved case, as every command shows it.

use precedent_core::model::{CaseComment, SolvedCase};

use crate::output::{DIM, GOOD, Output, day, plain};

/// A comment of a case: who said it and what it does, then at most so many lines of it.
pub fn print_comment(case: &SolvedCase, c: &CaseComment, indent: &str, lines: usize, output: &mut Output) {
    let role = c.role.map(|r| format!(" · {}", r.as_str())).unwrap_or_default();
    let style = if case.fix.as_ref() == Some(&c.anchor) { GOOD } else { DIM };
    output.line(format_args!(
        "{indent}{style}{} {}{role}{style:#}",
        plain(c.author.as_deref().unwrap_or("someone")),
        day(Some(c.created_at))
    ));
    let inner = format!("{indent}  ");
    if lines == usize::MAX {
        return output.wrapped(&plain(&c.text), &inner);
    }
    let mut told = c.text.lines().filter(|l| !l.trim().is_empty());
    let mut shown = told.by_ref().take(lines).collect::<Vec<_>>().join("\n");
    if told.next().is_some() {
        shown.push_str("\n…");
    }
    output.wrapped(&plain(&shown), &inner);
}
