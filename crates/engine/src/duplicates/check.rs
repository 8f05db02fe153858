//! The answer to a duplicate query: the best candidates with their confidence, disposition and
//! reasons.

use std::{
    collections::HashSet,
    time::{Duration, Instant},
};

use jiff::Timestamp;

use crate::{
    answer::{
        Draft, Match, MatchFinder,
        explain::{self, Versions},
        near_duplicate::TokenizedReport,
        question::{Question, QuestionMatches, QuestionSpec, find},
    },
    releases::Releases,
    troubleshoot,
};
use precedent_core::{
    error::{Code, Error, Hint, Remedy, Result},
    model::{
        Band, Check, Coverage, Disposition, DuplicateCandidate, DuplicatesRequest,
        DuplicatesResponse, KnownDuplicate, LIKELY, MissingCoverage, Notice, NoticeKind,
        ProblemStatus, Similarity, State, VerdictKind,
    },
    task::Task,
};
use precedent_index::filter::Test;
use precedent_store::{DocumentRow, Reader, Writer};
use precedent_text::{closure::Closure, prepare::PreparedText, tokens};

/// The maximum number of candidates in one answer.
const MAX_CANDIDATES: usize = precedent_core::model::limits::CANDIDATES;
/// The maximum wait for another process's write before a check is left unrecorded.
const WRITE_PATIENCE: Duration = Duration::from_millis(300);
/// The number of a check's candidates that are stored, to group the reports of a problem.
pub(super) const STORED_CANDIDATES: usize = 5;

/// The minimum inverse document frequency of a word in comments that is a reason.
const MIN_IDF: f32 = 4.0;

/// Answers duplicate queries, on indexes with a known coverage.
pub struct DuplicateFinder<'a> {
    finder: &'a MatchFinder<'a>,
    pub(super) coverage: Coverage,
    now: Timestamp,
    task: &'a Task,
}

impl<'a> DuplicateFinder<'a> {
    /// Creates a finder for queries at this time.
    pub fn new(finder: &'a MatchFinder<'a>, now: Timestamp, task: &'a Task) -> Result<Self> {
        Ok(Self { finder, coverage: finder.coverage()?, now, task })
    }

    /// Answers a duplicate query, and records the check of a casebook item.
    pub fn check(&self, request: &DuplicatesRequest) -> Result<DuplicatesResponse> {
        let (mut response, question) = self.find_and_record(request, Some(WRITE_PATIENCE))?;
        response.notices.extend(self.other_source_notice(request, &response)?);
        response.notices.extend(self.closed_notice(request, &question)?);
        Ok(response)
    }

    /// Answers a duplicate query like [`Self::check`], without recording it.
    pub fn find(&self, request: &DuplicatesRequest) -> Result<DuplicatesResponse> {
        let (mut response, question) = self.run(request)?;
        response.notices.extend(self.closed_notice(request, &question)?);
        Ok(response)
    }

    /// Returns a notice with the number of closed reports that were not compared.
    fn closed_notice(
        &self,
        request: &DuplicatesRequest,
        question: &Question,
    ) -> Result<Option<Notice>> {
        if request.include_closed {
            return Ok(None);
        }
        let scope = question.scope(question.kind(), Some(Test::State(State::Closed)));
        let filters = [scope.filters, scope.view_filters].concat();
        let closed_count = self.finder.fulltext.count_matching(&filters)?;
        let text = format!(
            "{closed_count} closed {} left out; many new reports duplicate a solved one.",
            if closed_count == 1 { "report is" } else { "reports are" }
        );
        Ok((closed_count > 0).then(|| Notice::new(NoticeKind::Closed, text)))
    }

    /// Returns a notice about a likely duplicate in another source, if the report's own source has
    /// no match.
    fn other_source_notice(
        &self,
        request: &DuplicatesRequest,
        response: &DuplicatesResponse,
    ) -> Result<Option<Notice>> {
        let Some(key) = &response.key else { return Ok(None) };
        let has_match = response.known.is_some() || response.band <= Band::Possible;
        let is_only_source = || self.finder.store.read(|r| Ok(r.sources()?.len() < 2));
        if request.everywhere || request.source.is_some() || has_match || is_only_source()? {
            return Ok(None);
        }
        let wide_request =
            DuplicatesRequest { everywhere: true, explain: false, ..request.clone() };
        let (wide_response, question) = self.run(&wide_request)?;
        let source = question.row.map(|row| format!("{}#", row.source)).unwrap_or_default();
        let candidate = wide_response.candidates.iter().find(|c| !c.key.starts_with(&source));
        Ok(candidate.filter(|c| c.confidence >= LIKELY).map(|c| {
            let text = format!(
                "Another source has a likely duplicate of {key}: {} ({:.0}%). Search all sources to see why.",
                c.key,
                c.confidence * 100.0
            );
            Notice::new(NoticeKind::Elsewhere, text)
        }))
    }

    /// Answers a duplicate query, and records the check of a casebook item. Waits at most
    /// `patience` for other writes before that.
    pub(super) fn find_and_record(
        &self,
        request: &DuplicatesRequest,
        patience: Option<Duration>,
    ) -> Result<(DuplicatesResponse, Question)> {
        let start = Instant::now();
        let (mut response, question) = self.run(request)?;
        // Record only a check that finds what triage would: all candidates in the report's own
        // source.
        let is_complete = |row: &&DocumentRow| {
            !request.everywhere
                && request.source.as_ref().is_none_or(|source| *source == row.source)
                && request.threshold <= DuplicatesRequest::default().threshold
                && request.max_candidates >= STORED_CANDIDATES
        };
        if let Some(row) = question.row.as_ref().filter(is_complete) {
            let undecided = || response.candidates.iter().filter(|c| c.verdict.is_none());
            let best = undecided().next();
            let check = Check {
                checked_at: self.now,
                revision: row.revision,
                band: best.map_or(Band::None, |c| c.band),
                best: best.map(|c| c.key.clone()),
                confidence: best.map_or(0.0, |c| c.confidence),
                worth: best.map_or(0.0, |c| c.worth),
                closed: request.include_closed,
                missing_coverage: self.missing_coverage(),
            };
            let candidates: Vec<(String, f32)> = undecided()
                .take(STORED_CANDIDATES)
                .map(|c| (c.key.clone(), c.confidence))
                .collect();
            let record = |w: &Writer<'_>| w.put_check(&row.key, &check, &candidates);
            let outcome = match patience {
                Some(patience) => self.finder.store.write_with_timeout(patience, record),
                None => self.finder.store.write(record),
            };
            match outcome {
                // Failing to record the check does not affect the answer.
                Err(error) if error.code() == Code::Io => {}
                Err(error) if error.code() == Code::Busy && patience.is_some() => {}
                result => result?,
            }
        }
        response.took_ms = start.elapsed().as_secs_f64() * 1000.0;
        Ok((response, question))
    }

    /// Returns the numbers of indexed documents and passages where some are missing.
    fn missing_coverage(&self) -> MissingCoverage {
        let coverage = self.coverage;
        let has_text = coverage.full_text >= coverage.documents;
        let has_vectors = self.finder.vectors.is_some()
            && coverage.unread == 0
            && coverage.embedded >= coverage.chunks;
        MissingCoverage {
            full_text: (!has_text).then_some(coverage.full_text),
            embedded: (!has_vectors).then_some(coverage.embedded),
        }
    }

    /// Answers a duplicate query; also returns the question that its matches answer.
    fn run(&self, request: &DuplicatesRequest) -> Result<(DuplicatesResponse, Question)> {
        if !(0.0..=1.0).contains(&request.threshold) {
            return Err(Error::invalid(format!(
                "a threshold of {} is out of range",
                request.threshold
            ))
            .with_hint("The threshold is a similarity from 0 to 1."));
        }
        if request.max_candidates == 0 || request.max_candidates > MAX_CANDIDATES {
            return Err(Error::invalid(format!(
                "cannot show {} candidates",
                request.max_candidates
            ))
            .with_hint(format!("Ask for 1 to {MAX_CANDIDATES}.")));
        }
        let spec = QuestionSpec {
            key: request.key.as_deref(),
            title: &request.title,
            body: &request.body,
            source: request.source.as_deref(),
            everywhere: request.everywhere,
            as_filed: true,
        };
        let question = self.finder.store.read(|r| {
            let question = Question::prepare(r, self.finder, spec, self.now)?;
            match &question.row {
                Some(row) if !row.kind.is_report() => {
                    Err(Error::invalid(format!("{} is not a report", row.key))
                        .with_hint("Only issues and pull requests can be duplicates."))
                }
                _ => Ok(question),
            }
        })?;
        let view = (!request.include_closed).then_some(Test::State(State::Open));
        let matches = find(self.finder, question, view.as_ref(), self.task)?;
        self.task.check()?;
        let response = respond(self.finder, self.coverage, &matches, request)?;
        Ok((response, matches.question))
    }
}

/// Creates the response to a duplicate query from its matches.
pub(crate) fn respond(
    finder: &MatchFinder<'_>,
    coverage: Coverage,
    matches: &QuestionMatches,
    request: &DuplicatesRequest,
) -> Result<DuplicatesResponse> {
    let question = &matches.question;
    let finder = &finder.with_calibration(&question.calibration);
    let mut notices = finder.notices(coverage)?;
    notices.extend(finder.language_notice(&question.text)?);
    if let Some(source) = &question.stale_source {
        let hint = Hint::from(format!(
            "The calibration of {source} was made with another model or version, so the default calibration is used. \
             Calibrate it again."
        ))
        .with_command(Remedy::Sources, format!("precedent calibrate {source}"));
        notices.push(Notice::new(NoticeKind::Calibration, hint));
    }
    finder.store.read(|r| {
        let response = answer(r, finder, matches, request)?;
        Ok(DuplicatesResponse { notices, ..response })
    })
}

fn answer(
    r: &Reader<'_>,
    finder: &MatchFinder<'_>,
    matches: &QuestionMatches,
    request: &DuplicatesRequest,
) -> Result<DuplicatesResponse> {
    let question = &matches.question;
    let draft = &question.draft;
    let item = question.row.as_ref();
    let draft_text = draft.body.whole(&draft.title);
    let draft_tokens = TokenizedReport::new(&draft.title, &draft.body);
    let draft_terms =
        tokens::words(&draft_text[..draft_text.floor_char_boundary(explain::MAX_READ)]);
    let signatures = finder.fulltext.rare_signatures(draft.body.signatures(&draft.title))?;
    let names = explain::distinctive_identifiers(&draft.title, &draft.body);
    let subject =
        explain::Subject { draft, text: &draft_text, signatures: &signatures, names: &names };
    let draft_words: HashSet<&str> = draft_tokens.terms().collect();
    let mut response = DuplicatesResponse {
        key: item.map(|row| row.key.clone()),
        known: None,
        known_duplicates: Vec::new(),
        band: Band::None,
        candidates: Vec::new(),
        compared: matches.matches.iter().filter(|m| request.include_closed || m.in_view).count(),
        calibrated_on: finder.model.labels,
        rejected: Vec::new(),
        circle: Vec::new(),
        notices: Vec::new(),
        conclusive: true,
        took_ms: 0.0,
    };
    if let Some(row) = item {
        let canonical = r.canonical(&row.key)?;
        response.circle.clone_from(&canonical.cycle);
        let known = |key| known_duplicate(r, finder, draft, key);
        response.known = canonical.other_than(&row.key).map(known).transpose()?;
        let duplicates = r.duplicates_of(&row.key)?.into_iter().take(MAX_CANDIDATES);
        response.known_duplicates = duplicates.map(known).collect::<Result<_>>()?;
    }
    for candidate in &matches.matches {
        if response.candidates.len() >= request.max_candidates {
            break;
        }
        let Some(row) = r.document(candidate.document)?.filter(|d| d.deleted_at.is_none()) else {
            continue;
        };
        if !request.include_closed && row.state != Some(State::Open) {
            continue;
        }
        let verdict = match item {
            Some(item) => r.verdict(&item.key, &row.key)?.map(|v| v.kind),
            None => None,
        };
        if verdict == Some(VerdictKind::NotDuplicate) {
            response.rejected.push(row.key);
            continue;
        }
        let body = PreparedText::body(&row.body, &r.skeleton(row.source_id)?);
        let candidate_tokens = TokenizedReport::new(&row.title, &body);
        let similarity =
            similarity(&draft.title, &draft_words, &row.title, &candidate_tokens, candidate);
        // Text similarity is low for a log in which only one line names the same failure.
        let is_evident = request.threshold <= DuplicatesRequest::default().threshold
            && candidate.confidence >= LIKELY;
        if similarity.combined < request.threshold && !is_evident {
            continue;
        }
        let versions = mentioned_versions(draft, &row, &body);
        let original_word = |term: &String| draft_terms.iter().find(|w| w.term == *term);
        let comment_words: Vec<&str> = rare_comment_terms(finder, candidate)?
            .iter()
            .filter_map(original_word)
            .map(|w| &draft_text[w.range.clone()])
            .collect();
        let reasons = explain::reasons(
            finder.fulltext,
            &subject,
            (&row, &body),
            &versions,
            candidate,
            &comment_words,
        )?;
        let canonical = r.canonical(&row.key)?.key;
        response.candidates.push(DuplicateCandidate {
            reasons,
            disposition: disposition(r, finder, draft, &row)?,
            canonical: Some(canonical).filter(|c| *c != row.key),
            number: row.number,
            url: row.url,
            state: row.state,
            state_reason: row.state_reason,
            created_at: row.created_at,
            similarity,
            confidence: candidate.confidence,
            worth: candidate.worth,
            band: candidate.band(),
            // Outcomes are known only for pairs of reports.
            outcome: item.and_then(|_| finder.model.confidence.outcome(candidate.confidence)),
            verdict,
            trace: request
                .explain
                .then(|| finder.ranking_model_for(draft).explain(&candidate.features)),
            title: row.title,
            key: row.key,
        });
    }
    response.band = response.candidates.first().map_or(Band::None, |c| c.band);
    Ok(response)
}

/// Returns the report's rare terms that only a candidate's comments contain.
fn rare_comment_terms(finder: &MatchFinder<'_>, candidate: &Match) -> Result<Vec<String>> {
    let terms = &candidate.details.comment_terms;
    let idf = finder.fulltext.idf(terms)?;
    let rare_terms = terms.iter().zip(idf).filter(|(_, idf)| *idf >= MIN_IDF);
    Ok(rare_terms.map(|(term, _)| term.clone()).collect())
}

/// Computes the similarity of two reports: of their words by Jaccard (1901), of their titles by
/// Dice and Sørensen (1945, 1948) on pairs of characters.
fn similarity(
    draft_title: &str,
    draft_words: &HashSet<&str>,
    title: &str,
    candidate_tokens: &TokenizedReport<'_>,
    candidate: &Match,
) -> Similarity {
    let title = strsim::sorensen_dice(&draft_title.to_lowercase(), &title.to_lowercase()) as f32;
    let candidate_words: HashSet<&str> = candidate_tokens.terms().collect();
    let common = draft_words.intersection(&candidate_words).count();
    let union = draft_words.len() + candidate_words.len() - common;
    let body = if union == 0 { 0.0 } else { common as f32 / union as f32 };
    let semantic = candidate.cosine.map(|c| c.clamp(0.0, 1.0));
    // Without vectors, only words determine the similarity.
    let combined = match semantic {
        Some(semantic) => 1.0 - (1.0 - semantic) * (1.0 - title / 2.0) * (1.0 - body / 2.0),
        None => 1.0 - (1.0 - title) * (1.0 - body),
    };
    Similarity { title, body, semantic, combined }
}

/// Returns a known duplicate or the canonical report of a draft, with its disposition.
fn known_duplicate(
    r: &Reader<'_>,
    finder: &MatchFinder<'_>,
    draft: &Draft,
    key: String,
) -> Result<KnownDuplicate> {
    let Some(row) = r.document_by_key(&key)?.filter(|d| d.deleted_at.is_none()) else {
        return Ok(KnownDuplicate { key, ..KnownDuplicate::default() });
    };
    Ok(KnownDuplicate {
        disposition: Some(disposition(r, finder, draft, &row)?),
        kind: Some(row.kind),
        title: Some(row.title),
        url: row.url,
        state: row.state,
        state_reason: row.state_reason,
        key,
    })
}

/// Returns the newest versions that a draft and a candidate mention.
fn mentioned_versions(draft: &Draft, row: &DocumentRow, body: &PreparedText) -> Versions {
    let newest = |title: &str, body: &PreparedText| {
        let version = Releases::default().newest_in(&body.whole(title), &row.source);
        version.map(|version| version.name)
    };
    (newest(&draft.title, &draft.body), newest(&row.title, body))
}

/// Returns the disposition of a candidate as of the draft's creation, from the outcome that its
/// thread documents.
fn disposition(
    r: &Reader<'_>,
    finder: &MatchFinder<'_>,
    draft: &Draft,
    row: &DocumentRow,
) -> Result<Disposition> {
    let is_open = matches!(row.state, None | Some(State::Open));
    if !is_open && row.closed_as() == Some(Closure::Duplicate) {
        return Ok(Disposition::Duplicate);
    }
    let outcome = troubleshoot::outcome(r, &finder.context, None, row)?;
    Ok(match outcome.status {
        ProblemStatus::Open => Disposition::Open,
        ProblemStatus::Declined => Disposition::Declined,
        ProblemStatus::ClosedWithoutFix => Disposition::Completed,
        _ => {
            let (title, body) = (&draft.title, &draft.body);
            let was_closed_before = row.closed_at.is_some_and(|time| time < draft.made_at);
            let asked_version =
                outcome.releases.compare_asked(&body.whole(title), &row.source, &outcome.fix);
            // A reporter with an older version does not have the fix.
            let has_fix = asked_version.and_then(|(version, _)| version.has_fix);
            let is_regression =
                was_closed_before && has_fix.unwrap_or_else(|| explain::is_regression(title, body));
            let change = outcome.fixed_by.into_iter().next().map(|change| change.key);
            let fix = outcome.fix.version.or(change);
            if is_regression {
                Disposition::PossibleRegression(fix)
            } else {
                Disposition::Fixed(fix)
            }
        }
    })
}
