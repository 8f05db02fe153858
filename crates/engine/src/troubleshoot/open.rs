//! Open reports of the same failure: no solution, but it is known, and somebody may be at work on it.

use jiff::Timestamp;
use precedent_core::{
    error::Result,
    model::{Band, DuplicateCandidate, DuplicatesRequest, KnownReport, State, TroubleshootRequest},
    task::Task,
};
use precedent_text::{
    failure::Failures,
    prepare::Prepared,
    signature::{same_failure, signatures},
};

use super::{Desk, Question, canonical};
use crate::duplicates::look;

/// So many reports are looked at, and so many named.
const LOOKED_AT: usize = 5;
const NAMED: usize = 3;

/// The open reports that are probably the same as what is asked about, or name the very failure.
pub(super) fn open_reports(
    desk: &Desk<'_>,
    request: &TroubleshootRequest,
    question: &Question,
    now: Timestamp,
    task: &Task,
) -> Result<Vec<KnownReport>> {
    let check = DuplicatesRequest {
        key: request.key.clone(),
        body: if request.key.is_some() { String::new() } else { question.text.clone() },
        source: request.source.clone(),
        max_candidates: LOOKED_AT,
        threshold: 0.0,
        ..DuplicatesRequest::default()
    };
    let mut named = Vec::new();
    // What it is known to be a duplicate of needs no likeness.
    let stays = match &question.row {
        Some(row) => desk.checker.store.read(|r| canonical(r, row))?,
        None => None,
    };
    if let Some(row) = stays.filter(|row| row.state == Some(State::Open)) {
        named.push(KnownReport {
            key: row.key,
            title: row.title,
            url: row.url,
            state: row.state,
            state_reason: row.state_reason,
            band: Band::High,
            confidence: 1.0,
        });
    }
    for candidate in look(desk.checker, &check, now, task)?.candidates {
        let same = match compared(desk, &candidate.key, &question.text)? {
            Likeness::Same => true,
            Likeness::Another => false,
            Likeness::Unsaid => candidate.band <= Band::Likely,
        };
        if same && named.iter().all(|report| report.key != candidate.key) {
            named.push(report(candidate));
        }
    }
    named.truncate(NAMED);
    Ok(named)
}

/// A candidate as a report that is known.
pub(crate) fn report(c: DuplicateCandidate) -> KnownReport {
    KnownReport {
        key: c.key,
        title: c.title,
        url: c.url,
        state: c.state,
        state_reason: c.state_reason,
        band: c.band,
        confidence: c.confidence,
    }
}

/// What the failure of a report is to one that is asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Likeness {
    /// The very same.
    Same,
    /// Another one of its kind.
    Another,
    /// Neither can be told.
    Unsaid,
}

/// Compares what a text says that failed with what a report says.
pub(crate) fn compared(desk: &Desk<'_>, key: &str, text: &str) -> Result<Likeness> {
    desk.checker.store.read(|r| {
        let Some(row) = r.document_by_key(key)? else { return Ok(Likeness::Unsaid) };
        let body = Prepared::body(&row.body, &r.skeleton(row.source_id)?);
        let (ours, theirs) = (Failures::of(text), Failures::of(&format!("{}\n{}", row.title, row.body)));
        Ok(match ours.contrary(&theirs) {
            Some(_) => Likeness::Another,
            None if same_failure(&signatures(text), &body.signatures(&row.title)) => Likeness::Same,
            None => Likeness::Unsaid,
        })
    })
}
