//! `precedent troubleshoot FILE…`: logs and support bundles.

use std::path::{Path, PathBuf};

use precedent_core::{
    Code, Error, Result,
    model::{
        CaseComment, CommentRole, LogError, LogFile, LogPlace, LogResponse, LogVerdict, SolvedCase,
        limits,
    },
};

use crate::{
    Session,
    args::TroubleshootCommand,
    comment::{fixes, issue_citation, print_comment, print_solution},
    output::{BAD, DIM, Output, bold, count, dim, good, hit, key, percent, plain, plural, state},
};

/// The minimum length in lines of a log for which "near the end" is shown.
const MIN_LONG_LOG: u64 = 200;
/// The maximum number of lines shown per error.
const MAX_ERROR_LINES: usize = 4;
/// The maximum number of lines shown of the comment with the solution.
const MAX_COMMENT_LINES: usize = 12;
/// The extensions that mark a word as a file name rather than part of a question.
const FILE_EXTENSIONS: &[&str] =
    &["log", "txt", "gz", "tgz", "zst", "xz", "bz2", "zip", "tar", "out", "err"];

/// Returns the files, archives and folders named by the words, or `None` if they are text.
///
/// # Errors
/// [`Code::NotFound`] if a word is evidently a file name but the file does not exist.
pub fn log_paths(words: &[String]) -> Result<Option<Vec<PathBuf>>> {
    if words.is_empty() {
        return Ok(None);
    }
    let exists = |w: &&String| Path::new(w.as_str()).exists();
    if words.iter().all(|w| exists(&w)) {
        return Ok(Some(words.iter().map(PathBuf::from).collect()));
    }
    let is_file = |w: &&String| {
        let path = Path::new(w.as_str());
        let extension = path.extension().and_then(|e| e.to_str()).map(str::to_lowercase);
        !w.contains(char::is_whitespace)
            && extension.is_some_and(|e| FILE_EXTENSIONS.contains(&e.as_str()))
    };
    // Several words that include a file name are a question.
    match words.iter().find(|w| !exists(w)) {
        Some(path) if words.iter().all(|w| is_file(&w)) => {
            Err(Error::new(Code::NotFound, format!("{path}: no such file")).with_hint(
                "Pass a log, an archive or a folder. To use the words as text, pipe them to the same command with `-`.",
            ))
        }
        _ => Ok(None),
    }
}

/// Reads logs and prints the known cases for their errors.
///
/// Returns the number of lines if they contain no error, except with `--json`.
pub async fn run(
    session: &Session,
    command: &TroubleshootCommand,
    paths: &[PathBuf],
    output: &mut Output,
) -> Result<Option<u64>> {
    let request = command.log_request(paths, &session.settings);
    let response = session.casebook.read_logs(request, &session.task).await?;
    if let Some(fields) = &command.json.json {
        output.json(&response, fields, Some("errors"))?;
        return Ok(None);
    }
    if response.distinct == 0 {
        print_skipped(&response, output);
        return Ok(Some(response.lines));
    }
    print(session, &response, output);
    Ok(None)
}

fn print(session: &Session, response: &LogResponse, output: &mut Output) {
    session.print_notices(&response.notices, output);
    output.line(bold(summary(response)));
    for error in &response.errors {
        output.line("");
        // Every line of a short log is near its end.
        let is_long = |f: &LogFile| f.name == error.group.last.file && f.lines >= MIN_LONG_LOG;
        print_error(error, response.files.iter().any(is_long), output);
    }
    let unchecked_count = response.distinct - response.errors.len() as u64;
    if unchecked_count > 0 {
        output.line("");
        let error_count = plural(unchecked_count, "less significant error");
        let max = response.distinct.min(limits::MAX_ERRORS as u64);
        output.line(dim(format_args!(
            "{error_count} not checked; use --max-errors {max} to check more."
        )));
    }
    if response.left_out > 0 {
        let event_count = plural(response.left_out, "event");
        output.line(dim(format_args!(
            "The log has thousands of distinct errors; the least significant were dropped ({event_count})."
        )));
    }
    print_skipped(response, output);
}

/// Prints the files that were skipped or read in part.
fn print_skipped(response: &LogResponse, output: &mut Output) {
    for file in &response.files {
        let Some(reason) = &file.skipped else { continue };
        let status = match file.lines {
            0 => "skipped".to_owned(),
            lines => format!("read up to line {}", count(lines)),
        };
        output.line(dim(format_args!("{status}: {}: {reason}", file.name)));
    }
}

/// Formats the summary: "7 distinct errors in 12,040 lines of 3 files: 1 solved in 2.5.0, 3 known,
/// 3 not seen before".
fn summary(response: &LogResponse) -> String {
    let is_read = |file: &&LogFile| file.skipped.is_none() || file.lines > 0;
    let files = plural(response.files.iter().filter(is_read).count() as u64, "file");
    let solved_errors = response.errors.iter().filter(|e| e.verdict == LogVerdict::Solved);
    let versions = solved_errors.filter_map(|e| e.case.as_ref()?.fixed_in.as_deref());
    let fix_versions: Vec<&str> = versions.collect();
    let mut solved_text = format!("{} solved", response.solved);
    // The version is named only if it has the fix of every solved error.
    if let Some(version) =
        fix_versions.first().filter(|first| fix_versions.iter().all(|v| v == *first))
        && fix_versions.len() as u64 == response.solved
    {
        solved_text.push_str(&format!(" in {}", plain(version)));
    }
    let counts = [
        (response.solved, solved_text),
        (response.known, format!("{} known", response.known)),
        (response.perhaps, format!("{} possibly known", response.perhaps)),
        (response.new, format!("{} not seen before", response.new)),
    ];
    let parts: Vec<String> =
        counts.into_iter().filter(|(n, _)| *n > 0).map(|(_, text)| text).collect();
    let (errors, lines) =
        (plural(response.distinct, "distinct error"), plural(response.lines, "line"));
    format!("{errors} in {lines} of {files}: {}", parts.join(", "))
}

fn print_error(error: &LogError, is_long: bool, output: &mut Output) {
    let group = &error.group;
    let format_place = |p: &LogPlace| {
        let time = p.at.as_ref().map(|at| format!(" ({})", plain(at))).unwrap_or_default();
        format!("{}:{}{time}", plain(&p.file), p.line)
    };
    let (first_place, last_place) = (format_place(&group.first), format_place(&group.last));
    let mut facts = match group.count {
        1 => vec!["once".to_owned(), last_place],
        n => vec![
            format!("{} times", count(n)),
            format!("first at {first_place}, last at {last_place}"),
        ],
    };
    facts.extend(group.before_crash.then(|| "just before the crash".to_owned()));
    facts.extend((group.near_end && is_long).then(|| "near the end of the log".to_owned()));
    output.line(format_args!("{BAD}{}{BAD:#}  {}", group.severity.as_str(), bold(&group.message)));
    output.line(format_args!("  {}", facts.join(" · ")));
    let adds_detail = |line: &&str| !line.trim().is_empty() && !group.message.contains(line.trim());
    for line in group.example.lines().skip(1).filter(adds_detail).take(MAX_ERROR_LINES) {
        output.detail(line);
    }
    let label = if error.verdict == LogVerdict::Known { "known" } else { "possibly known" };
    if let Some(candidate) = error.known.as_ref().filter(|_| error.verdict != LogVerdict::Solved) {
        let (citation, title) = (issue_citation(&candidate.key), plain(&candidate.title));
        let confidence = format!("same problem: {}", percent(candidate.confidence));
        let state = state(candidate.state, candidate.state_reason.as_deref());
        let label = hit(label);
        output.line(format_args!(
            "  {label}  {citation} {title}  {DIM}{confidence} · {state}{DIM:#}"
        ));
    }
    match &error.case {
        Some(case) if error.verdict == LogVerdict::Solved => print_case("solved", case, output),
        Some(case) if error.known.as_ref().is_some_and(|k| k.key == case.key) => {
            print_fix(case, output)
        }
        Some(case) => print_case("possible fix", case, output),
        None if error.known.is_none() => output.detail("not seen before"),
        _ => {}
    }
}

fn print_case(label: &str, case: &SolvedCase, output: &mut Output) {
    let (label, citation, title) = (good(label), key(&case.citation), plain(&case.title));
    let relevance = dim(format_args!("{} likely to help", percent(case.relevance)));
    output.line(format_args!("  {label}  {citation} {title}  {relevance}"));
    print_fix(case, output);
}

/// Prints how a case was solved.
fn print_fix(case: &SolvedCase, output: &mut Output) {
    let fixes: Vec<String> = fixes(case, "fixed by ").collect();
    if !fixes.is_empty() {
        output.line(format_args!("    {}", good(fixes.join(", "))));
    }
    print_solution(case, "    ", MAX_COMMENT_LINES, output);
    // A denial of the fix matters more than the fix author's own comments.
    let is_denial = |c: &&CaseComment| c.role == Some(CommentRole::Denial) && !case.is_first(c);
    if let Some(denial) = case.comments.iter().rfind(is_denial) {
        print_comment(denial, false, "    ", MAX_COMMENT_LINES, output);
    }
}
