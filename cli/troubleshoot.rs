//! `precedent troubleshoot`.

use precedent_core::{
    Result,
    model::{
        CaseRelation, SolvedCase, State, TroubleshootOutcome, TroubleshootRequest, TroubleshootResponse,
        TroubleshootSettings,
    },
};

use crate::{
    Session,
    args::TroubleshootCommand,
    logs,
    output::{BOLD, DIM, GOOD, HIT, KEY, Output, day, plain, plural, state},
    read,
};

/// A file of at most so many bytes without an error in it is asked about as a text.
const SMALL: u64 = 256 * 1024;

pub async fn run(session: &Session, command: TroubleshootCommand, output: &mut Output) -> Result<()> {
    let set = &session.settings.troubleshooting;
    let settings = TroubleshootSettings {
        enabled: set.enabled,
        similarity_threshold: command.threshold.or(set.similarity_threshold),
        max_results: command.max_results.unwrap_or(set.max_results),
        total_budget_chars: command.budget.unwrap_or(set.total_budget_chars),
    };
    let (key, text) = match logs::named(&command.question)? {
        Some(paths) => {
            if logs::run(session, &command, &paths, settings.clone(), output).await? {
                return Ok(());
            }
            // A file without an error in it may hold a mail or a report.
            match &paths[..] {
                [path] if path.metadata().is_ok_and(|m| m.is_file() && m.len() <= SMALL) => {
                    (None, read::file(path)?)
                }
                _ => {
                    output.line("No error and no warning stands in these logs.");
                    return Ok(());
                }
            }
        }
        None => question(session, &command.question).await?,
    };
    let request =
        TroubleshootRequest { key, text, source: command.source.clone(), anyway: command.anyway, settings };
    let response = session.casebook.troubleshoot(request, &session.task).await?;
    if let Some(fields) = &command.json.json {
        return output.json(&response, fields, Some("cases"));
    }
    print(session, &response, output);
    Ok(())
}

/// What is asked about: `-` reads a text from standard input, a key names an item, everything else is the text itself.
pub async fn question(session: &Session, words: &[String]) -> Result<(Option<String>, String)> {
    let text = session.key(&words.join(" "));
    if text == "-" {
        return Ok((None, read::standard_input()?));
    }
    let one_word = !text.contains(char::is_whitespace) && (text.contains('#') || text.parse::<u32>().is_ok());
    if one_word && session.casebook.thread(&text).await.is_ok() {
        return Ok((Some(text), String::new()));
    }
    // A key that names nothing is a mistake and no text.
    if one_word
        && text.rsplit_once('#').is_some_and(|(source, n)| source.contains('/') && n.parse::<u32>().is_ok())
    {
        session.casebook.thread(&text).await?;
    }
    Ok((None, text))
}

fn print(session: &Session, response: &TroubleshootResponse, output: &mut Output) {
    for notice in &response.notices {
        session.say(&notice.text);
    }
    output.line(match response.outcome {
        TroubleshootOutcome::Solved => {
            format!("{GOOD}{}{GOOD:#}", plural(response.cases.len() as u64, "solved case"))
        }
        TroubleshootOutcome::Wiki => {
            format!("{HIT}No solved case comes near.{HIT:#} The wiki has something:")
        }
        TroubleshootOutcome::Nothing => "No solved case and no wiki page comes near.".to_owned(),
    });
    for case in &response.cases {
        output.line("");
        print_case(case, output);
    }
    print_near(response, output);
    if !response.cases.is_empty() && !response.wiki.is_empty() {
        output.line("");
        output.line("In the wiki");
    }
    for page in &response.wiki {
        output.line("");
        output.line(format_args!("{KEY}{}{KEY:#}", plain(&page.citation)));
        if let Some(url) = &page.url {
            output.line(format_args!("{DIM}{}{DIM:#}", plain(url)));
        }
        output.wrapped(&plain(&page.text), "  ");
    }
}

/// What is no solution, or not close enough.
fn print_near(response: &TroubleshootResponse, output: &mut Output) {
    for (declined, what) in [(true, "Looked at, not solved"), (false, "Not close enough")] {
        let mut all = response.near.iter().filter(|c| c.declined == declined).peekable();
        if all.peek().is_some() {
            output.line("");
            output.line(format_args!("{DIM}{what}{DIM:#}"));
        }
        for case in all {
            let facts = [
                state(case.state, case.state_reason.as_deref()),
                format!("{:.0} in 100", case.helps * 100.0),
            ];
            output.line(format_args!(
                "{KEY}{}{KEY:#}  {}  {DIM}{DIM:#}{}",
                plain(&case.citation),
                plain(&case.title),
                facts.join(" · ")
            ));
        }
    }
}

fn print_case(case: &SolvedCase, output: &mut Output) {
    output.line(format_args!("{KEY}{}{KEY:#}  {BOLD}{}{BOLD:#}", plain(&case.citation), plain(&case.title)));
    let mut facts = vec![state(case.state, case.state_reason.as_deref()), day(case.closed_at)];
    match case.relation {
        Some(CaseRelation::Itself) => facts.push(format!("{GOOD}this report itself{GOOD:#}")),
        Some(CaseRelation::Canonical) => {
            facts.push(format!("{GOOD}the report is a known duplicate of it{GOOD:#}"));
        }
        None => {
            facts.push(format!("would help: {:.0} in 100", case.helps * 100.0));
        }
    }
    if case.same_signature {
        facts.push(format!("{HIT}the same error{HIT:#}"));
    }
    facts.extend(case.via.as_ref().map(|via| format!("found by its duplicate {}", plain(via))));
    facts.retain(|f| !f.is_empty());
    output.line(format_args!("{DIM}{DIM:#}{}", facts.join(" · ")));
    let mut versions = Vec::new();
    if !case.reported_on.is_empty() {
        versions.push(format!("reported on {}", plain(&case.reported_on.join(", "))));
    }
    if !case.environment.is_empty() {
        versions.push(format!("with {}", plain(&case.environment.join(", "))));
    }
    versions.extend(case.fixed_in.as_ref().map(|v| format!("fixed in {}", plain(v))));
    let merged = if case.state == Some(State::Merged) { "" } else { "fixed by " };
    versions.extend(case.fixed_by.iter().map(|f| format!("{merged}{} {}", plain(&f.key), plain(&f.title))));
    if !versions.is_empty() {
        output.line(format_args!("{GOOD}{}{GOOD:#}", versions.join(", ")));
    }
    if let Some(url) = &case.url {
        output.line(format_args!("{DIM}{}{DIM:#}", plain(url)));
    }
    output.wrapped(&plain(&case.body), "  ");
    for c in &case.comments {
        let first = case.fix.as_ref() == Some(&c.anchor);
        let role = c.role.map(|r| format!(" · {}", r.as_str())).unwrap_or_default();
        let style = if first { GOOD } else { DIM };
        output.line("");
        output.line(format_args!(
            "  {style}{} {}{role}{style:#}",
            plain(c.author.as_deref().unwrap_or("someone")),
            day(Some(c.created_at))
        ));
        output.wrapped(&plain(&c.text), "    ");
    }
    if case.omitted > 0 {
        output.line(format_args!(
            "  {DIM}{} left out{DIM:#}",
            plural(u64::from(case.omitted), "other comment")
        ));
    }
}
