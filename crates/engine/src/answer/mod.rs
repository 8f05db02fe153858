//! The pipeline behind every answer: retrieval, features, ranking, confidence, explanation.
//!
//! Two reports are duplicates when one fix resolves both. The same symptom with another cause is
//! related; a tracking issue is never a duplicate. Every command uses [`MatchFinder::find`], so all
//! give the same result for the same text.

mod baseline;
mod calibrate;
mod comment_terms;
mod confidence;
pub(crate) mod domain;
pub(crate) mod explain;
pub mod features;
mod find;
mod fit;
mod languages;
mod logistic;
mod low_content;
pub(crate) mod near_duplicate;
pub(crate) mod question;
mod question_model;
mod ranking;
pub(crate) mod relevance;
mod replay;
pub mod text_overlap;
mod time_scale;

use std::collections::BTreeMap;

use jiff::Timestamp;

pub use baseline::estimate_baseline;
pub use calibrate::{calibrate, is_due};
pub use comment_terms::CommentCache;
pub use confidence::PairEvidence;
pub use domain::DomainModel;
use features::{CandidateDetails, Features};
pub use fit::{Candidate, FitReport, MIN_LABELS, MIN_RANKING_LABELS, TOP, TrainingQuery, fit};
use precedent_core::{
    error::Result,
    model::{Band, KnownReport},
};
use precedent_index::{filter::Filter, vectors::Vectors};
use precedent_store::{DocumentRow, Person, Reader, SourceRow};
use precedent_text::{
    prepare::PreparedText, reference::without_duplicate_notes, signature::is_generic_failure,
    skeleton::Skeleton,
};
pub use ranking::{Curve, RankedCandidate, RankingModel, SourceModel};
pub use replay::replay;
pub use text_overlap::TextOverlap;

use crate::QueryContext;

/// A report to find earlier matches for.
#[derive(Clone, Debug)]
pub struct Draft {
    /// The title; may be empty for pasted text.
    pub title: String,
    /// The prepared text.
    pub body: PreparedText,
    /// The creation time, from which ages are measured.
    pub made_at: Timestamp,
    /// The time up to which candidates were created, if their source gives a date.
    pub until: Timestamp,
    /// The author, if known and not a bot.
    pub author: Option<Person>,
    /// The row id of the document, if it is in the casebook.
    pub document: Option<i64>,
}

impl Draft {
    /// Returns when the later of the draft and a candidate was created, given the candidate's Unix
    /// time of creation, if known. Comments are evidence only if they were made before.
    fn later_time(&self, created_at: Option<i64>) -> Timestamp {
        let time = created_at.and_then(|second| Timestamp::from_second(second).ok());
        time.map_or(self.made_at, |time| time.max(self.made_at))
    }

    /// Returns whether the draft is a question that names only a failure common to all programs.
    pub(crate) fn is_generic_question(&self) -> bool {
        self.document.is_none() && is_generic_failure(&self.body.whole(&self.title))
    }
}

/// The documents that a draft is compared with, and the subset that a view shows.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Conditions on the candidates: sources and kinds.
    pub filters: Vec<Filter>,
    /// Conditions on the matches that a view shows. They exclude no match, but the text overlap is
    /// also computed for the first matches in the view.
    pub view_filters: Vec<Filter>,
}

/// The calibration of sources: their baselines, and models fitted to their duplicates.
#[derive(Debug)]
pub struct SourceCalibration {
    /// The model of the selected source, if there is one.
    pub(crate) model: Option<RankingModel>,
    /// The model of each source, by row id, if several are searched.
    models: BTreeMap<i64, RankingModel>,
    /// The time scale of recurrences in the selected source.
    time_scale: f64,
}

/// A finder for the matches of a draft.
#[derive(Clone, Copy)]
pub struct MatchFinder<'a> {
    /// The database, the indexes and the embedding model.
    pub context: QueryContext<'a>,
    /// The ranking model.
    pub model: &'a RankingModel,
    /// The models of calibrated sources, by row id, if several are searched.
    models: &'a BTreeMap<i64, RankingModel>,
    /// The time scale of recurrences in the selected source, relative to other sources.
    time_scale: f64,
    /// The cached terms of candidates' comments.
    comments: &'a CommentCache,
}

impl<'a> std::ops::Deref for MatchFinder<'a> {
    type Target = QueryContext<'a>;

    fn deref(&self) -> &QueryContext<'a> {
        &self.context
    }
}

/// A candidate with its evidence and scores.
#[derive(Clone, Debug)]
pub struct Match {
    /// The row id of the document.
    pub document: i64,
    /// True if a view shows it, because it meets [`Scope::view_filters`].
    pub in_view: bool,
    /// The features of the draft–candidate pair.
    pub features: Features,
    /// The cosine of the two texts, −1..1.
    pub cosine: Option<f32>,
    /// The detailed comparison, if one was made.
    pub details: CandidateDetails,
    /// The text overlap with the draft; only for the first matches.
    pub overlap: Option<TextOverlap>,
    /// The logarithm of the candidate's share of the softmax over all candidates.
    pub share: f32,
    /// The probability that it is worth reading, 0..1.
    pub worth: f32,
    /// The same probability by the model for other languages, if the pair spans two languages.
    pub cross_language_worth: Option<f32>,
    /// The ranking score.
    pub score: f32,
    /// The probability that it is a duplicate, 0..1.
    pub confidence: f32,
}

/// Creates the summary of a known report.
pub(crate) fn known_report(row: DocumentRow, band: Band, confidence: f32) -> KnownReport {
    let DocumentRow { key, title, url, state, state_reason, .. } = row;
    KnownReport {
        key,
        title,
        url,
        state,
        state_reason,
        band,
        confidence,
        status: None,
        key_comment: None,
    }
}

impl Match {
    /// Returns the confidence band.
    pub(crate) fn band(&self) -> Band {
        Band::new(self.confidence, self.worth)
    }

    /// Returns the evidence for its confidence.
    pub fn evidence(&self) -> PairEvidence<'_> {
        PairEvidence { features: &self.features, share: self.share, overlap: self.overlap.as_ref() }
    }

    /// Returns whether both report the same failure, by root cause or by a rare signature.
    pub fn is_same_failure(&self) -> bool {
        self.overlap
            .as_ref()
            .is_some_and(|overlap| overlap.is_same_failure() || overlap.rare_signature)
    }
}

impl<'a> MatchFinder<'a> {
    /// Creates a finder that uses this model for every source.
    pub fn new(
        context: QueryContext<'a>,
        model: &'a RankingModel,
        comments: &'a CommentCache,
    ) -> Self {
        const NO_MODELS: &BTreeMap<i64, RankingModel> = &BTreeMap::new();
        Self { context, model, models: NO_MODELS, time_scale: 1.0, comments }
    }

    /// Returns the confidence model of a source.
    fn model_for_source(&self, source: i64) -> &RankingModel {
        self.models.get(&source).unwrap_or(self.model)
    }

    /// Returns the calibration of one source without the model fitted to its duplicates.
    pub fn baseline_calibration(
        &self,
        r: &Reader<'_>,
        source: &SourceRow,
    ) -> Result<SourceCalibration> {
        let model = self.with_baseline(r, source, self.basis().as_deref())?;
        let time_scale = r.time_scale(source.id)?;
        Ok(SourceCalibration { model, models: BTreeMap::new(), time_scale })
    }

    /// Returns a hash of the weights, rules and embedding model that baselines and checks depend
    /// on; `None` without a model.
    fn basis(&self) -> Option<String> {
        self.model_fingerprint().map(|model| self.model.basis(model))
    }

    /// Returns the model with the source's baseline, if there is one for this basis.
    fn with_baseline(
        &self,
        r: &Reader<'_>,
        source: &SourceRow,
        basis: Option<&str>,
    ) -> Result<Option<RankingModel>> {
        let Some(basis) = basis else { return Ok(None) };
        let row = r.score_baseline(source.id, basis)?;
        Ok(row.map(|(baseline, _)| RankingModel { baseline, ..self.model.clone() }))
    }

    /// Returns the calibration of one source, or of each if several are searched. Ignores
    /// calibrations made with another embedding model or version.
    pub fn calibration_of(
        &self,
        r: &Reader<'_>,
        source: Option<&SourceRow>,
    ) -> Result<SourceCalibration> {
        // Compute the basis once: it is the same for all sources, and hashes the whole model.
        let basis = self.basis();
        let model = |source: &SourceRow| -> Result<Option<RankingModel>> {
            let baseline_model = self.with_baseline(r, source, basis.as_deref())?;
            let calibration = r.calibration(source.id)?;
            let model = baseline_model.as_ref().unwrap_or(self.model);
            Ok(calibration
                .and_then(|c| model.with_calibration(&c, self.model_fingerprint()))
                .or(baseline_model))
        };
        if let Some(source) = source {
            let time_scale = r.time_scale(source.id)?;
            let model = model(source)?;
            return Ok(SourceCalibration { model, models: BTreeMap::new(), time_scale });
        }
        let mut models = BTreeMap::new();
        for source in r.sources()? {
            models.extend(model(&source)?.map(|model| (source.id, model)));
        }
        Ok(SourceCalibration { model: None, models, time_scale: 1.0 })
    }

    /// Returns a finder that uses this calibration.
    pub fn with_calibration<'b>(&'b self, calibration: &'b SourceCalibration) -> MatchFinder<'b> {
        let SourceCalibration { model, models, time_scale } = calibration;
        let model = model.as_ref().unwrap_or(self.model);
        MatchFinder { model, models, time_scale: *time_scale, ..*self }
    }

    /// Returns a draft of a casebook report as if it were filed again, without text that names its
    /// duplicate. Returns `None` if there is no such report.
    fn filed_draft(&self, id: i64, skeleton: &Skeleton, now: Timestamp) -> Result<Option<Draft>> {
        let Some(document) = self.store.read(|r| r.document(id))? else { return Ok(None) };
        let made_at = document.created_at.unwrap_or(now);
        Ok(Some(Draft {
            author: document.person(),
            title: document.title,
            body: PreparedText::body(&without_duplicate_notes(&document.body), skeleton),
            made_at,
            until: made_at,
            document: Some(id),
        }))
    }

    /// Returns the fingerprint of the embedding model whose vectors are compared.
    pub(crate) fn model_fingerprint(&self) -> Option<&str> {
        self.vectors.map(Vectors::fingerprint)
    }
}
