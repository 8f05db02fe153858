//! `precedent show`.

use precedent_core::{
    Result,
    model::{DocKind, Thread, Verdict},
};
use precedent_text::sanitize::strip_ansi;

use crate::{
    Session,
    args::ShowCommand,
    output::{DIM, Output, bold, day, dim, join, key, labeled_day, plain, plural, state_on},
    verdict,
};

/// The maximum number of mentioned items listed.
const MAX_MENTIONS: usize = 10;

pub async fn run(session: &Session, command: ShowCommand, output: &mut Output) -> Result<()> {
    let mut thread = session.casebook.thread(&session.key(&command.key)).await?;
    let total = thread.comments.len();
    if let Some(last) = command.comments {
        thread.comments.drain(..total.saturating_sub(last));
    }
    let verdicts = session.casebook.verdicts(Some(&thread.key)).await?;
    output.answer(&thread, &command.json, None, |output| {
        print(&thread, &verdicts, total - thread.comments.len(), output)
    })
}

fn print(thread: &Thread, verdicts: &[Verdict], hidden: usize, output: &mut Output) {
    output.line(format_args!("{}  {}", key(&thread.key), bold(&thread.title)));
    let mut facts = vec![
        match thread.kind {
            DocKind::Issue => "issue".to_owned(),
            DocKind::PullRequest => "pull request".to_owned(),
            DocKind::Page => "wiki page".to_owned(),
            DocKind::Note => "note".to_owned(),
        },
        state_on(thread.state, thread.state_reason.as_deref(), thread.closed_at),
    ];
    facts.extend(thread.author.as_ref().map(|author| format!("by {}", plain(author))));
    facts.push(labeled_day("opened", thread.created_at));
    facts.push(plain(thread.labels.join(", ")));
    facts.extend(thread.milestone.as_ref().map(|name| format!("milestone {}", plain(name))));
    facts.extend(thread.locked.then(|| "locked".to_owned()));
    output.line(join(facts));
    thread.url.iter().for_each(|url| output.line(dim(url)));
    if thread.deleted_at.is_some() {
        let date = day(thread.deleted_at);
        output.line(dim(format_args!("Deleted from the tracker (since {date}).")));
    }
    // A frequently mentioned report would fill the screen.
    let (mentions, links): (Vec<_>, Vec<_>) =
        thread.links.iter().partition(|l| l.kind == "mentions");
    for link in links.into_iter().chain(mentions.iter().copied().take(MAX_MENTIONS)) {
        let relation = match (link.kind.as_str(), link.outgoing) {
            ("duplicate_of", true) => "duplicate of",
            ("duplicate_of", false) => "has duplicate",
            ("closes", true) => "closes",
            ("closes", false) => "closed by",
            ("mentions", true) => "mentions",
            ("mentions", false) => "mentioned by",
            _ => "related to",
        };
        let title = link.title.as_deref().map(plain).unwrap_or_default();
        output.line(format_args!("{relation} {} {title}", key(&link.key)));
    }
    if mentions.len() > MAX_MENTIONS {
        let hidden_mentions = plural((mentions.len() - MAX_MENTIONS) as u64, "more mention");
        output.line(dim(format_args!("{hidden_mentions}; use --json to list them all")));
    }
    verdicts.iter().for_each(|v| output.line(format_args!("verdict: {}", verdict::describe(v))));
    output.line("");
    print_markdown(&thread.markdown, output);
    if hidden > 0 {
        output.line(format_args!("\n{DIM}… {} …{DIM:#}", plural(hidden as u64, "earlier comment")));
    }
    for comment in &thread.comments {
        let author = comment.author.as_deref().unwrap_or("someone");
        let role = match comment.association.as_deref() {
            _ if comment.internal => "internal",
            None | Some("NONE" | "CONTRIBUTOR") => "",
            Some(association) => association,
        };
        let details = format!("{} {}", role.to_lowercase(), day(Some(comment.created_at)));
        output.line(format_args!("\n{} {}", bold(author), dim(details)));
        print_markdown(&comment.markdown, output);
    }
    if thread.missing_comments > 0 {
        let count = plural(u64::from(thread.missing_comments), "more comment");
        output.line(format_args!("\n{DIM}{count} not in the casebook.{DIM:#}"));
    }
}

/// Prints Markdown with prose wrapped and code unchanged.
fn print_markdown(markdown: &str, output: &mut Output) {
    let mut is_code = false;
    for line in plain(strip_ansi(markdown)).trim_end().lines() {
        is_code ^= line.trim_start().starts_with("```");
        if is_code || line.starts_with("    ") {
            output.line(format_args!("  {line}"));
        } else {
            output.print_wrapped(if line.is_empty() { "\n" } else { line }, "  ");
        }
    }
}
