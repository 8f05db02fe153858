//! `precedent duplicates`.

use anstyle::Style;
use precedent_core::{
    Error, Result,
    model::{
        Band, Disposition, DuplicateCandidate, DuplicatesRequest, DuplicatesResponse,
        KnownDuplicate, NoticeKind, VerdictKind,
    },
};

use crate::{
    Session,
    args::DuplicatesCommand,
    input,
    output::{
        BAD, DIM, GOOD, HIT, Output, bold, dim, good, join, key, labeled_day, percent, plain,
        plural, state,
    },
};

pub async fn run(session: &Session, command: DuplicatesCommand, output: &mut Output) -> Result<()> {
    let request = build_request(session, &command).await?;
    let response = session.casebook.duplicates(request, &session.task).await?;
    output.answer(&response, &command.json, Some("candidates"), |output| {
        print(session, &response, output)
    })
}

async fn build_request(
    session: &Session,
    command: &DuplicatesCommand,
) -> Result<DuplicatesRequest> {
    check_inputs(command)?;
    let key = command.key.as_deref().filter(|key| *key != "-");
    let text = match (&command.file, key) {
        (Some(path), _) => Some(input::read_question(session, Some(path)).await?),
        (None, None) if command.key.is_some() => Some(input::read_question(session, None).await?),
        _ => None,
    };
    Ok(command.request(key.map(|key| session.key(key)), text, &session.settings))
}

/// Checks that one item or one draft is given, and the text of a draft only once.
fn check_inputs(command: &DuplicatesCommand) -> Result<()> {
    let is_piped = command.key.as_deref() == Some("-");
    let text_count = [is_piped, command.file.is_some(), command.body.is_some()]
        .into_iter()
        .filter(|is_given| *is_given)
        .count();
    let is_draft = text_count > 0 || command.title.is_some();
    let (problem, hint) = match (command.key.is_some() && !is_piped, is_draft) {
        (true, true) => (
            "both an item and a draft were given",
            "Pass either an item (acme/app#12) or a draft (--title, --body, --file or `-`).",
        ),
        (false, false) => (
            "nothing to compare",
            "Pass an item (acme/app#12), --title and --body, --file, or `-` for stdin.",
        ),
        _ if text_count > 1 => {
            ("several texts were given", "Pass only one of --body, --file and `-`.")
        }
        _ => return Ok(()),
    };
    Err(Error::invalid(problem).with_hint(hint))
}

fn print(session: &Session, response: &DuplicatesResponse, output: &mut Output) {
    let (closed_notices, other_notices): (Vec<_>, Vec<_>) =
        response.notices.iter().cloned().partition(|n| n.lack == NoticeKind::Closed);
    session.print_notices(&other_notices, output);
    if let Some(canonical) = &response.known {
        print_canonical(canonical, output);
    }
    print_known_duplicates(&response.known_duplicates, output);
    output.line(headline(response));
    let best = response.candidates.first().filter(|best| best.band <= Band::Possible);
    if let Some(outcome) = best.and_then(|best| best.outcome) {
        output.line(dim(format_args!("In tests, {outcome}.")));
    }
    for candidate in &response.candidates {
        print_candidate(candidate, output);
    }
    if !response.rejected.is_empty() {
        let keys = response.rejected.join(", ");
        output.line(dim(format_args!("Already marked \"not a duplicate\": {keys}")));
    }
    if !response.circle.is_empty() {
        let keys = plain(response.circle.join(" → "));
        output.line(format_args!("{BAD}These reports form a cycle of duplicates:{BAD:#} {keys}"));
    }
    // This notice belongs to the answer, so it goes to standard output.
    for notice in closed_notices.iter().filter(|_| !session.quiet) {
        output.line(dim(format_args!("{} Use --include-closed to include them.", notice.hint)));
    }
}

/// Describes the best match and the number of reports compared.
fn headline(response: &DuplicatesResponse) -> String {
    let so_far = if response.conclusive { "" } else { " so far" };
    let is_known = response.known.is_some();
    let summary = match response.candidates.first() {
        None if is_known => format!("No other match{so_far}."),
        None if response.compared == 0 => {
            return "Nothing to compare: the report says too little, or there is no earlier one."
                .to_owned();
        }
        None => format!("No match{so_far}."),
        Some(best) if is_known && best.band == Band::None => {
            format!("From the text alone: no match{so_far}.")
        }
        Some(best) if best.band == Band::Related => {
            format!("No likely duplicate{so_far}, but related reports.")
        }
        Some(best) if best.band == Band::None => {
            format!("No match{so_far}. The closest reports follow.")
        }
        Some(best) if is_known => {
            format!("From the text alone: {}.", format_candidate(best, best.band.words()))
        }
        Some(best) => format!("{}.", format_candidate(best, &capitalize(best.band.words()))),
    };
    let report_count = plural(response.compared as u64, "earlier report");
    format!("{summary} {DIM}{report_count} compared in detail.{DIM:#}")
}

fn print_canonical(canonical: &KnownDuplicate, output: &mut Output) {
    let title = bold(canonical.title.as_deref().unwrap_or_default());
    let label = good("Known duplicate of");
    output.line(format_args!("{label} {}  {title}", key(&canonical.key)));
    let facts = [
        state(canonical.state, canonical.state_reason.as_deref()),
        canonical.disposition.as_ref().map(describe_disposition).unwrap_or_default(),
        canonical.title.as_ref().map_or("not in the casebook", |_| "").to_owned(),
    ];
    output.line(format_args!("       {}\n", join(facts)));
}

fn print_known_duplicates(duplicates: &[KnownDuplicate], output: &mut Output) {
    if duplicates.is_empty() {
        return;
    }
    output.line(good("Known duplicates of this report:"));
    for duplicate in duplicates {
        let title = duplicate.title.as_deref().map(plain).unwrap_or_default();
        let state = state(duplicate.state, duplicate.state_reason.as_deref());
        output.line(format_args!("       {}  {title}  {DIM}{state}{DIM:#}", key(&duplicate.key)));
    }
    output.line("");
}

/// Formats a candidate with its key and confidence: "Likely duplicate of acme/app#12 (61%)".
fn format_candidate(c: &DuplicateCandidate, label: &str) -> String {
    let band = band_style(c.band);
    format!("{band}{label}{band:#} {} ({})", key(&c.key), percent(c.confidence))
}

fn capitalize(words: &str) -> String {
    let mut chars = words.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

fn band_style(band: Band) -> Style {
    match band {
        Band::High => GOOD,
        Band::Likely | Band::Possible => HIT,
        Band::Related | Band::None => DIM,
    }
}

/// Describes the disposition of a report; returns "" if it is open, since its state says so.
fn describe_disposition(disposition: &Disposition) -> String {
    match disposition {
        Disposition::Open => String::new(),
        disposition => plain(disposition),
    }
}

pub fn print_candidate(c: &DuplicateCandidate, output: &mut Output) {
    let band = band_style(c.band);
    let confidence = percent(c.confidence);
    output.line("");
    output.line(format_args!("{band}{confidence:>5}{band:#}  {}  {}", key(&c.key), bold(&c.title)));
    let mut facts =
        vec![state(c.state, c.state_reason.as_deref()), labeled_day("opened", c.created_at)];
    if c.band == Band::Related {
        facts.insert(0, format!("related: {} chance it is worth reading", percent(c.worth)));
    }
    let disposition = describe_disposition(&c.disposition);
    match (&c.disposition, &c.canonical) {
        (Disposition::Duplicate, Some(canonical)) => {
            facts.push(format!("{disposition} of {}", plain(canonical)));
        }
        (_, canonical) => {
            facts.push(disposition);
            facts.extend(canonical.as_ref().map(|key| format!("duplicate of {}", plain(key))));
        }
    }
    match c.verdict {
        Some(VerdictKind::Duplicate) => facts.push("verdict: duplicate".to_owned()),
        Some(VerdictKind::Related) => facts.push("verdict: related".to_owned()),
        _ => {}
    }
    if c.trace.is_some() {
        let s = &c.similarity;
        let semantic = s.semantic.map_or_else(String::new, |m| format!(", semantic {m:.2}"));
        let (similarity, title, body) = (percent(s.combined), s.title, s.body);
        facts.push(format!("similarity {similarity} (title {title:.2}, body {body:.2}{semantic})"));
    }
    output.line(format_args!("       {}", join(facts)));
    if !c.reasons.is_empty() {
        output.print_wrapped(&plain(c.reasons.join("; ")), "       ");
    }
    let Some(trace) = &c.trace else { return };
    output.line(dim(format_args!(
        "       {:<26}{:>8} × {:>8} = {:>8}",
        "feature", "value", "weight", "score"
    )));
    for e in trace.iter().filter(|e| e.adds != 0.0) {
        output.line(dim(format_args!(
            "       {:<26}{:>8.3} × {:>8.3} = {:>+8.3}",
            e.feature, e.value, e.weight, e.adds
        )));
    }
    let score: f32 = trace.iter().map(|e| e.adds).sum();
    output.line(dim(format_args!("       {:<48}{score:>+8.3}", "ranking score")));
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Args, Command};

    #[test]
    fn one_item_or_one_draft_is_accepted() {
        for (line, is_valid) in [
            ("acme/app#1", true),
            ("-", true),
            ("- -t title", true),
            ("-t title -b body", true),
            ("-F draft.txt", true),
            ("", false),
            ("acme/app#1 -t title", false),
            ("- -b body", false),
            ("- -F draft.txt", false),
        ] {
            let words = ["precedent", "duplicates"].into_iter().chain(line.split_whitespace());
            let Command::Duplicates(command) = Args::parse_from(words).command else {
                panic!("{line}")
            };
            assert_eq!(check_inputs(&command).is_ok(), is_valid, "{line}");
        }
    }
}
