//! What the casebook knows of the errors in a log: each distinct one is asked about, as a report of its own.

use std::{collections::BTreeSet, time::Instant};

use jiff::Timestamp;
use precedent_core::{
    error::{Error, Result},
    model::{
        Band, DuplicateCandidate, DuplicatesRequest, KnownReport, LogError, LogGroup, LogRequest,
        LogResponse, LogVerdict, Notice, SolvedCase, State, TroubleshootRequest, TroubleshootSettings,
        limits,
    },
    task::{Phase, Task},
};
use precedent_logs::{Coded, Reading};
use precedent_text::{
    report::terms,
    signature::{Signature, SignatureKind},
};

use crate::{
    duplicates::look,
    troubleshoot::{Desk, Likeness, compared, known_report, solved_cases},
};

/// A case of which this is stated solves an error of a log; one that names the same rare failure does so by less.
const SOLVES: f32 = 0.5;
/// So many reports are looked at for each error.
const CANDIDATES: usize = 5;
/// So many lines that say of no failure, but name a code that a report names, are asked about.
const CODED: usize = 3;
/// Characters of the thread of each case.
const THREAD: usize = 2_000;

/// Asks about the distinct errors of a log, what to look at first first.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`] for a number out of range, [`precedent_core::Code::NotFound`] for a source that does not
/// exist, [`precedent_core::Code::Cancelled`].
pub fn ask(
    desk: &Desk<'_>,
    request: &LogRequest,
    reading: Reading,
    now: Timestamp,
    task: &Task,
) -> Result<LogResponse> {
    let start = Instant::now();
    let Reading { files, bytes, lines, groups, dropped, small, coded } = reading;
    let mut distinct = groups.len() as u64;
    let mut notices = Vec::new();
    let mut errors = Vec::new();
    let asked: Vec<LogGroup> = groups.into_iter().take(request.max_errors).collect();
    let total = asked.len() as u64;
    let telling = asked.iter().any(|g| !precedent_logs::only_failed(g));
    for (done, group) in asked.into_iter().enumerate() {
        task.check()?;
        task.report(Phase::Triage, done as u64, Some(total), "errors");
        // "exit code 1" is like a hundred reports, and says nothing of which. It is asked about only where nothing else is told.
        let error = if telling && precedent_logs::only_failed(&group) {
            LogError { group, verdict: LogVerdict::New, known: None, case: None }
        } else {
            one(desk, request, group, now, task, &mut notices)?
        };
        errors.push(error);
    }
    // A code that a report names is found, whatever the level of its line; a code that none names is passed over in silence.
    let found = by_code(desk, request, coded, &errors, now, task, &mut notices)?;
    distinct += found.len() as u64;
    errors.extend(found);
    // What a short file tells is told by all of it, as a pasted text is.
    for file in small {
        let of_file = |e: &LogError| e.group.first.file == file.file;
        let of: Vec<usize> = (0..errors.len()).filter(|at| of_file(&errors[*at])).collect();
        let solved = of.iter().any(|at| errors[*at].verdict == LogVerdict::Solved);
        if of.is_empty() || (solved && of.iter().all(|at| !wants_version(&errors[*at]))) {
            continue;
        }
        let mut tell = |all: Vec<Notice>| add(all, &mut notices);
        let found = look_up(desk, request, &file.text, now, task, &mut tell)?;
        // Which version it is stands on a line of its own.
        for at in &of {
            let error = &mut errors[*at];
            if wants_version(error)
                && let (Some(case), Some(found)) = (&mut error.case, &found)
                && case.key == found.key
            {
                case.asked_version.clone_from(&found.asked_version);
            }
        }
        if let Some(case) = found.filter(|case| !solved && solves(case)) {
            let names = |at: &&usize| {
                let e: &LogError = &errors[**at];
                e.case.as_ref().is_some_and(|c| c.key == case.key)
                    || e.known.as_ref().is_some_and(|k| k.key == case.key)
            };
            // What another line of the file brought up solves none of its errors.
            let near = || of.iter().find(|at| shares(&errors[**at].group, &case));
            if let Some(at) = of.iter().find(names).or_else(near).copied() {
                errors[at].verdict = LogVerdict::Solved;
                errors[at].case = Some(case);
            }
        }
    }
    let count = |verdict| errors.iter().filter(|e: &&LogError| e.verdict == verdict).count() as u64;
    Ok(LogResponse {
        files,
        bytes,
        lines,
        distinct,
        left_out: dropped,
        solved: count(LogVerdict::Solved),
        known: count(LogVerdict::Known),
        perhaps: count(LogVerdict::Perhaps),
        new: count(LogVerdict::New),
        errors,
        notices,
        conclusive: true,
        took_ms: start.elapsed().as_secs_f64() * 1000.0,
    })
}

/// Refuses what is out of range before gigabytes are read.
///
/// # Errors
/// [`precedent_core::Code::InvalidInput`].
pub fn valid(request: &LogRequest) -> Result<()> {
    if request.max_errors == 0 || request.max_errors > limits::MAX_ERRORS {
        return Err(Error::invalid(format!("{} errors cannot be asked about", request.max_errors))
            .with_hint(format!("Ask for 1 to {}.", limits::MAX_ERRORS)));
    }
    Ok(())
}

fn one(
    desk: &Desk<'_>,
    request: &LogRequest,
    group: LogGroup,
    now: Timestamp,
    task: &Task,
    notices: &mut Vec<Notice>,
) -> Result<LogError> {
    let text = group.told().to_owned();
    let mut tell = |all: Vec<Notice>| add(all, notices);
    let check = DuplicatesRequest {
        body: text.clone(),
        source: request.source.clone(),
        include_closed: true,
        max_candidates: CANDIDATES,
        threshold: 0.0,
        ..DuplicatesRequest::default()
    };
    let reported = look(desk.checker, &check, now, task)?;
    tell(reported.notices);
    let mut case = look_up(desk, request, &text, now, task, &mut tell)?;
    // The root of a chain of errors may be known where what it led to is not.
    if !case.as_ref().is_some_and(solves)
        && let Some(cause) = precedent_logs::cause(&text)
        && let Some(found) = look_up(desk, request, &cause, now, task, &mut tell)?
        && case.as_ref().is_none_or(|case| solves(&found) || found.helps > case.helps)
    {
        case = Some(found);
    }
    // A report of the very failure is one, however little else the two have in common; one of another failure of its kind is none.
    let mut same = None;
    let mut candidates = Vec::with_capacity(reported.candidates.len());
    for candidate in reported.candidates {
        let likeness = compared(desk, &candidate.key, &text)?;
        if likeness == Likeness::Same {
            same = Some(candidate);
            break;
        }
        if likeness == Likeness::Unsaid {
            candidates.push(candidate);
        }
    }
    let is_same = same.is_some();
    let alike =
        |candidates: Vec<DuplicateCandidate>| candidates.into_iter().find(|c| c.band <= Band::Possible);
    let known = same.or_else(|| alike(candidates)).map(known_report);
    // What solved the report that it is the same as is what helps.
    if let Some(known) = &known
        && case
            .as_ref()
            .is_none_or(|case| !solves(case) && case.key != known.key && case.helps < known.confidence)
        && let Some(own) = solution(desk, request, known, now, task)?
    {
        case = Some(own);
    }
    let reported = is_same || known.as_ref().is_some_and(|k| k.band <= Band::Likely);
    let verdict = match &case {
        Some(case) if solves(case) => LogVerdict::Solved,
        _ if reported => LogVerdict::Known,
        _ if case.is_some() || known.is_some() => LogVerdict::Perhaps,
        _ => LogVerdict::New,
    };
    Ok(LogError { group, verdict, known, case })
}

/// The lines without a failure whose code a report names, with what is known of them.
fn by_code(
    desk: &Desk<'_>,
    request: &LogRequest,
    coded: Vec<Coded>,
    errors: &[LogError],
    now: Timestamp,
    task: &Task,
    notices: &mut Vec<Notice>,
) -> Result<Vec<LogError>> {
    let mut found: Vec<LogError> = Vec::new();
    let mut asked = 0;
    for Coded { code, line } in coded {
        let told = |e: &LogError| e.group.message.contains(&code) || e.group.example.contains(&code);
        if errors.iter().chain(&found).any(told) {
            continue;
        }
        task.check()?;
        let term = Signature { kind: SignatureKind::Code, text: code.to_lowercase() }.term();
        // A look into the index is cheap, and most codes end here.
        if desk.checker.fulltext.search_signatures(&[term], &[], 1)?.is_empty() {
            continue;
        }
        asked += 1;
        if asked > CODED {
            break;
        }
        let error = one(desk, request, line, now, task, notices)?;
        if matches!(error.verdict, LogVerdict::Solved | LogVerdict::Known) {
            found.push(error);
        }
    }
    Ok(found)
}

fn add(all: Vec<Notice>, notices: &mut Vec<Notice>) {
    for notice in all {
        if !notices.contains(&notice) {
            notices.push(notice);
        }
    }
}

fn solves(case: &SolvedCase) -> bool {
    case.helps >= SOLVES || case.same_signature
}

/// The solved case that is nearest to a text.
fn look_up(
    desk: &Desk<'_>,
    request: &LogRequest,
    text: &str,
    now: Timestamp,
    task: &Task,
    tell: &mut dyn FnMut(Vec<Notice>),
) -> Result<Option<SolvedCase>> {
    let question = TroubleshootRequest {
        text: text.to_owned(),
        source: request.source.clone(),
        settings: one_case(request),
        ..TroubleshootRequest::default()
    };
    let solved = solved_cases(desk, &question, now, task)?;
    tell(solved.notices);
    Ok(solved.cases.into_iter().next())
}

/// How a report was solved that an error of the log is the same as: it helps as surely as they are the same.
fn solution(
    desk: &Desk<'_>,
    request: &LogRequest,
    known: &KnownReport,
    now: Timestamp,
    task: &Task,
) -> Result<Option<SolvedCase>> {
    if known.state == Some(State::Open) {
        return Ok(None);
    }
    let question = TroubleshootRequest {
        key: Some(known.key.clone()),
        source: request.source.clone(),
        settings: one_case(request),
        ..TroubleshootRequest::default()
    };
    let cases = solved_cases(desk, &question, now, task)?.cases;
    let case = cases.into_iter().find(|case| case.relation.is_some() && case.told);
    Ok(case.map(|case| SolvedCase {
        via: (case.key != known.key).then(|| known.key.clone()),
        relation: None,
        helps: known.confidence,
        similarity: None,
        same_signature: false,
        ..case
    }))
}

fn one_case(request: &LogRequest) -> TroubleshootSettings {
    TroubleshootSettings { max_results: 1, total_budget_chars: THREAD, ..request.settings.clone() }
}

/// Whether an error has a case whose fix is in a version, and names none itself.
fn wants_version(error: &LogError) -> bool {
    error.case.as_ref().is_some_and(|case| case.fixed_in.is_some() && case.asked_version.is_none())
}

/// Whether an error and a case have a word in common that tells something.
fn shares(group: &LogGroup, case: &SolvedCase) -> bool {
    let theirs: BTreeSet<String> = terms(&format!("{}\n{}", case.title, case.body)).into_iter().collect();
    terms(&group.example).iter().any(|term| theirs.contains(term))
}
