//! Duplicate candidates, most likely first.

use precedent_core::model::{
    Band, Disposition, DuplicateCandidate, DuplicatesResponse, KnownDuplicate, VerdictKind,
};
use serde_json::json;

use super::{
    markdown::{
        Text, day, format_call, inline, join, percent, plural, read_call, report_line, state, title,
    },
    output::{self, Item},
};

/// Renders the duplicate candidates of a report.
pub fn render(response: &DuplicatesResponse, max_chars: usize) -> (String, output::Duplicates) {
    let mut text = Text::new(max_chars);
    text.add_notices(&response.notices);
    if let Some(canonical) = &response.known {
        text.add(&format!("**Known duplicate of** {}", render_known_duplicate(canonical)));
    }
    for duplicate in &response.known_duplicates {
        text.add(&format!("Known duplicate of this report: {}", render_known_duplicate(duplicate)));
    }
    let so_far = if response.conclusive { "" } else { " so far" };
    let best = response.candidates.first();
    let headline = match best.map(|best| (best.band, best)) {
        Some((Band::Related, _)) => {
            format!("**No likely duplicate{so_far}**, but related reports.")
        }
        Some((Band::None, _)) => format!("**No match{so_far}.** The closest reports follow."),
        Some((band, best)) => {
            format!("**This is a {} [{}]** ({}).", band.words(), best.key, percent(best.confidence))
        }
        None => format!("**No match{so_far}.**"),
    };
    let reports = plural(response.compared as u64, "earlier report");
    text.add(&format!("{headline} {reports} compared in detail."));
    let confident_match = best.filter(|best| best.band <= Band::Possible);
    if let Some(outcome) = confident_match.and_then(|best| best.outcome) {
        text.add(&format!("In tests, {outcome}."));
    }
    let mut count = 0;
    for candidate in &response.candidates {
        if !text.add(&render_candidate(count + 1, candidate)) {
            break;
        }
        count += 1;
    }
    if !response.rejected.is_empty() {
        let keys = inline(&response.rejected.join(", "), 300);
        text.add(&format!("Already marked \"not a duplicate\": {keys}"));
    }
    if !response.circle.is_empty() {
        let cycle = inline(&response.circle.join(" → "), 300);
        text.add(&format!("These reports form a cycle of duplicates: {cycle}"));
    }
    let next = match (best, &response.key) {
        (Some(best), key) => {
            let comparison_step = format!("{} to compare.", read_call(&best.key, None));
            let verdict_step = key.as_ref().map(|key| {
                let arguments = json!({"key": key, "other": best.key, "verdict": "duplicate"});
                let call = format_call("record_verdict", &arguments);
                format!("when a person has decided, {call}")
            });
            [comparison_step].into_iter().chain(verdict_step).collect()
        }
        (None, Some(key)) => {
            let fixes = format_call("find_fixes", &json!({"key": key}));
            let weaker_matches = format_call("find_duplicates", &json!({"number": key, "threshold": 0.1}));
            vec![
                format!("{fixes} for solved cases and wiki pages."),
                format!("{weaker_matches} lists weaker candidates."),
            ]
        }
        (None, None) => [
            "find_fixes with the same text as text finds solved cases and wiki pages.",
            "find_duplicates with threshold 0.1 lists weaker candidates; else file it as a new report.",
        ]
        .map(str::to_owned)
        .to_vec(),
    };
    let payload = output::Duplicates {
        known: response.known.as_ref().map(|canonical| canonical.key.clone()),
        results: response.candidates.iter().take(count).map(Item::from).collect(),
        conclusive: response.conclusive,
    };
    (text.finish(next), payload)
}

fn render_known_duplicate(item: &KnownDuplicate) -> String {
    let title = item.title.as_deref().unwrap_or("not in the casebook");
    let disposition =
        item.disposition.as_ref().map(|d| inline(&d.to_string(), 120)).unwrap_or_default();
    join([report_line(&item.key, item.state, item.state_reason.as_deref(), title), disposition])
}

fn render_candidate(rank: usize, candidate: &DuplicateCandidate) -> String {
    let confidence = match candidate.band {
        Band::Related => format!("related ({} worth reading)", percent(candidate.worth)),
        _ => percent(candidate.confidence),
    };
    let disposition = match (&candidate.disposition, &candidate.canonical) {
        (Disposition::Open | Disposition::Completed, None) => String::new(),
        (_, Some(canonical)) => format!("duplicate of {canonical}"),
        (disposition, None) => inline(&disposition.to_string(), 120),
    };
    let verdict = match candidate.verdict {
        Some(VerdictKind::Duplicate) => "decided: duplicate",
        Some(VerdictKind::Related) => "decided: related",
        _ => "",
    };
    let line = join([
        inline(&candidate.key, 150),
        confidence,
        state(candidate.state, candidate.state_reason.as_deref()),
        title(&candidate.title),
        format!("opened {}", day(candidate.created_at)),
        disposition,
        verdict.to_owned(),
    ]);
    let reasons = match candidate.band == Band::None || candidate.reasons.is_empty() {
        true => String::new(),
        false => format!("\n   Why: {}", inline(&candidate.reasons.join("; "), 250)),
    };
    format!("{rank}. {line}{reasons}")
}
