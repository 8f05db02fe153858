//! Questions and their matches, shared by all commands that answer them.

use jiff::Timestamp;
use precedent_core::{
    error::{Error, Result},
    model::{DocKind, LIKELY, LogGroup},
    task::Task,
};
use precedent_index::filter::{Filter, Test};
use precedent_store::{DocumentRow, Reader, SourceRow};
use precedent_text::{
    failure::FailureMatch, prepare::PreparedText, report, salient::extract_salient,
    skeleton::Skeleton,
};

use super::{Draft, Match, MatchFinder, Scope, SourceCalibration};
use crate::search;

/// The maximum length of a question, in bytes; the rest is not compared.
pub const MAX_QUESTION: usize = 50_000_000;
/// The maximum length of a text whose errors are searched for separately, in bytes.
const MAX_ERROR_TEXT: usize = 1_000_000;
/// The maximum number of errors in a text that are searched for separately.
const MAX_ERRORS: usize = 3;

/// The inputs of a question.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct QuestionSpec<'a> {
    /// The item's key; if `None`, title and body are the draft.
    pub key: Option<&'a str>,
    /// The draft's title; may be empty for pasted text.
    pub title: &'a str,
    pub body: &'a str,
    /// The source to search; `None` for an item's own source, or for all sources with a draft.
    pub source: Option<&'a str>,
    /// True to compare an item with all sources.
    pub everywhere: bool,
    /// True to compare an item with earlier reports only, as when it was filed.
    pub as_filed: bool,
}

/// A question, ready to be compared.
#[derive(Debug)]
pub(crate) struct Question {
    pub draft: Draft,
    /// The casebook item that the question is about, if any.
    pub row: Option<DocumentRow>,
    /// The source to search; `None` for all sources.
    pub source: Option<SourceRow>,
    /// The title and the text, joined.
    pub text: String,
    /// The salient text of a pasted draft, in which versions are searched; the same as `text` for
    /// an item.
    pub salient_text: String,
    pub calibration: SourceCalibration,
    /// The key of the source, if its calibration does not apply to this model or version.
    pub stale_source: Option<String>,
}

/// A question with its matches, most likely duplicates first.
#[derive(Debug)]
pub(crate) struct QuestionMatches {
    pub question: Question,
    pub matches: Vec<Match>,
}

impl Question {
    /// Resolves the inputs of a question.
    pub fn prepare(
        r: &Reader<'_>,
        finder: &MatchFinder<'_>,
        spec: QuestionSpec<'_>,
        now: Timestamp,
    ) -> Result<Self> {
        let source = spec.source.map(|s| search::find_source(r, s)).transpose()?;
        // The ages of a pasted text are relative to the casebook's newest change, so that an
        // outdated mirror does not make every report old.
        let next_second = |newest: Timestamp| {
            newest.checked_add(jiff::SignedDuration::from_secs(1)).unwrap_or(newest)
        };
        let until = r.newest_change()?.map_or(now, next_second);
        let (draft, row, salient_text) = match spec.key {
            Some(key) => {
                let row = search::resolve_one(r, key)?;
                let body = PreparedText::body(&row.body, &r.skeleton(row.source_id)?);
                let made_at = row.created_at.unwrap_or(until);
                let until = if spec.as_filed { made_at } else { until };
                let (title, author) = (row.title.clone(), row.person());
                let document = Some(row.id);
                (Draft { title, body, made_at, until, author, document }, Some(row), None)
            }
            None => {
                if spec.title.trim().is_empty() && spec.body.trim().is_empty() {
                    return Err(Error::invalid("no item or text given").with_hint(
                        "Pass an item (acme/app#12), an error message, a log, an email or a draft.",
                    ));
                }
                let skeleton = match &source {
                    Some(source) => r.skeleton(source.id)?,
                    None => Skeleton::default(),
                };
                let whole = spec.body[..spec.body.floor_char_boundary(MAX_QUESTION)].trim();
                let text = extract_salient(whole);
                let (title, body) = match spec.title.trim() {
                    "" => report::split_paste(&text, &skeleton),
                    title => (title.to_owned(), PreparedText::body(&text, &skeleton)),
                };
                let (made_at, author, document) = (until, None, None);
                let draft = Draft { title, body, made_at, until, author, document };
                (draft, None, Some(text.into_owned()))
            }
        };
        let source = match (source, &row) {
            (Some(source), _) => Some(source),
            (None, Some(row)) if !spec.everywhere => r.source(&row.source)?,
            (None, Some(_)) => None,
            (None, None) => search::only_source(r)?,
        };
        let calibration = finder.calibration_of(r, source.as_ref())?;
        let is_source_calibrated =
            calibration.model.as_ref().is_some_and(|model| model.curve.is_some());
        let stale_source =
            match source.as_ref().filter(|_| !is_source_calibrated && finder.vectors.is_some()) {
                Some(source) => r.calibration(source.id)?.map(|_| source.key.clone()),
                None => None,
            };
        let text = draft.body.whole(&draft.title);
        let salient_text = salient_text.unwrap_or_else(|| text.clone());
        Ok(Self { draft, row, source, text, salient_text, calibration, stale_source })
    }

    /// Returns the kind of documents to compare the draft with.
    pub fn kind(&self) -> DocKind {
        match &self.row {
            Some(row) if row.kind == DocKind::PullRequest => DocKind::PullRequest,
            _ => DocKind::Issue,
        }
    }

    /// Returns the search scope for a document kind; `view` limits which matches are shown, not
    /// which are scored.
    pub fn scope(&self, kind: DocKind, view: Option<Test>) -> Scope {
        let source = self.source.as_ref().map(|source| Test::Source(source.key.clone()));
        Scope {
            filters: [Test::Kind(kind)].into_iter().chain(source).map(Filter::from).collect(),
            view_filters: view.into_iter().map(Filter::from).collect(),
        }
    }

    /// Returns the errors in a multi-line text, most important first, then the root cause found in
    /// the text.
    fn errors(&self) -> Vec<String> {
        if self.row.is_some()
            || self.salient_text.len() > MAX_ERROR_TEXT
            || !self.salient_text.contains('\n')
        {
            return Vec::new();
        }
        let reading = precedent_logs::read_text(&self.salient_text);
        let messages = reading
            .failures()
            .map(LogGroup::example_or_message)
            .take(MAX_ERRORS)
            .map(str::to_owned);
        let mut errors: Vec<String> = messages.collect();
        errors.extend(precedent_logs::cause(&self.salient_text));
        errors.retain(|error| error.trim() != self.salient_text.trim());
        errors
    }
}

/// Finds matches for an item or text among earlier and later reports, in `source` or the whole
/// casebook. Text overlaps are also computed for the first resolved matches.
pub(crate) fn find_anywhere(
    finder: &MatchFinder<'_>,
    (key, text, source): (Option<&str>, &str, Option<&str>),
    now: Timestamp,
    task: &Task,
) -> Result<QuestionMatches> {
    let question = finder.store.read(|r| {
        let everywhere = search::only_source(r)?.is_none();
        let spec = QuestionSpec { key, body: text, source, everywhere, ..QuestionSpec::default() };
        Question::prepare(r, finder, spec, now)
    })?;
    find(finder, question, Some(&Test::Resolved), task)
}

/// Finds the matches of a question. If its whole text has no likely duplicate but one of its errors
/// does, returns that error as the question, with its matches.
pub(crate) fn find(
    finder: &MatchFinder<'_>,
    question: Question,
    view: Option<&Test>,
    task: &Task,
) -> Result<QuestionMatches> {
    let search = |question: &Question| {
        let scope = question.scope(question.kind(), view.cloned());
        finder.with_calibration(&question.calibration).find(&question.draft, &scope, task)
    };
    let is_likely = |matches: &[Match]| matches.first().is_some_and(|m| m.confidence >= LIKELY);
    let matches = search(&question)?;
    if is_likely(&matches) {
        return Ok(QuestionMatches { question, matches });
    }
    // An error has less context than the text, so a best match that contradicts the text is
    // rejected.
    let differs = |m: &Match| {
        let contradicts = |n: &Match| {
            n.document == m.document
                && n.overlap.as_ref().is_some_and(|o| o.failure == FailureMatch::Different)
        };
        matches.iter().any(contradicts)
    };
    let source = question.source.as_ref().map(|source| source.key.as_str());
    for error in question.errors() {
        task.check()?;
        let spec = QuestionSpec { body: &error, source, ..QuestionSpec::default() };
        let now = question.draft.until;
        let mut error_question = finder.store.read(|r| Question::prepare(r, finder, spec, now))?;
        let error_matches = search(&error_question)?;
        if is_likely(&error_matches) && !error_matches.first().is_some_and(differs) {
            error_question.salient_text.clone_from(&question.salient_text);
            return Ok(QuestionMatches { question: error_question, matches: error_matches });
        }
    }
    Ok(QuestionMatches { question, matches })
}
