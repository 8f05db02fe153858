//! The one pipeline behind every answer: retrieve, features, rank, confidence, explain.
//!
//! Two reports are duplicates when one fix resolves both. The same symptom with another cause is related; a tracking
//! issue is never a duplicate. Every command is a view of [`MatchFinder::find`], so that all of them
//! state the same of the same text.

mod baseline;
mod calibrate;
mod comment_terms;
mod confidence;
pub(crate) mod domain;
pub(crate) mod explain;
pub mod features;
mod find;
mod fit;
mod low_content;
pub(crate) mod near_duplicate;
pub(crate) mod question;
mod ranking;
pub(crate) mod relevance;
mod source_model;
pub mod text_overlap;
mod time_scale;

use std::collections::BTreeMap;

use jiff::Timestamp;

pub use baseline::take_background;
pub use calibrate::{calibrate, is_due};
pub use comment_terms::CommentCache;
pub use confidence::PairEvidence;
pub use domain::DomainModel;
use features::{CandidateDetails, Features};
pub use fit::{Candidate, FitReport, MIN_LABELS, MIN_ORDER, TOP, TrainingQuery, fit};
use precedent_core::{
    error::Result,
    model::{Band, KnownReport},
};
use precedent_index::{filter::Filter, vectors::Vectors};
use precedent_store::{DocumentRow, Person, SourceRow};
use precedent_text::{prepare::Prepared, reference::without_duplicate_notes, skeleton::Skeleton};
pub use ranking::{RankedIndex, RankingModel};
pub use source_model::{Curve, SourceModel};
pub use text_overlap::TextOverlap;
pub use time_scale::take_paces;

use crate::Parts;

/// A report that may have been made before.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its title; may be empty for a pasted text.
    pub title: String,
    /// Its text, prepared.
    pub body: Prepared,
    /// When it is made: candidates are older, as far as their sources tell.
    pub made_at: Timestamp,
    /// Who makes it, where that is known and no bot.
    pub author: Option<Person>,
    /// The document that it is, if it is in the casebook.
    pub document: Option<i64>,
}

/// Which documents a draft is compared with, and which of them a view shows.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Conditions on the candidates: sources and kinds.
    pub filters: Vec<Filter>,
    /// Conditions on the matches that a view shows: the first of those are read word for word, too. They leave no match
    /// out and change no number.
    pub wanted: Vec<Filter>,
}

/// What sources taught: their background, and their duplicates.
#[derive(Debug)]
pub struct SourceCalibration {
    /// The model of the one source that is looked at.
    pub(crate) own: Option<RankingModel>,
    /// Those of each source, by row id, where several are looked at.
    models: BTreeMap<i64, RankingModel>,
    /// How long it takes in the one source until something is reported again.
    pace: f64,
}

/// What finds the matches of a draft.
#[derive(Clone, Copy)]
pub struct MatchFinder<'a> {
    /// The texts, the indexes, the model.
    pub parts: Parts<'a>,
    /// What evidence is worth.
    pub table: &'a RankingModel,
    /// What it is worth in sources with duplicates of their own, by row id, where several are looked at.
    models: &'a BTreeMap<i64, RankingModel>,
    /// How many times as long as elsewhere it takes until something is reported again, in the one source that is looked at.
    pace: f64,
    /// The terms of comments on candidates that were met before.
    comments: &'a CommentCache,
}

impl<'a> std::ops::Deref for MatchFinder<'a> {
    type Target = Parts<'a>;

    fn deref(&self) -> &Parts<'a> {
        &self.parts
    }
}

impl std::fmt::Debug for MatchFinder<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MatchFinder").finish_non_exhaustive()
    }
}

/// A candidate with its evidence and what that is worth.
#[derive(Clone, Debug)]
pub struct Match {
    /// Row id of the document.
    pub document: i64,
    /// Whether a view shows it: it meets [`Scope::wanted`].
    pub wanted: bool,
    /// What it has in common with the draft.
    pub features: Features,
    /// Cosine of the two texts, −1..1.
    pub cosine: Option<f32>,
    /// What a closer look at it showed, if one was taken.
    pub details: CandidateDetails,
    /// Terms of the draft that only the comments on it have, the weightiest first.
    pub comment_terms: Vec<String>,
    /// What it says word for word as the draft does, of the first matches alone.
    pub overlap: Option<TextOverlap>,
    /// The logarithm of its share in the softmax over the candidates.
    pub share: f32,
    /// The probability that it is worth reading, 0..1.
    pub worth: f32,
    /// What decides the order.
    pub score: f32,
    /// The probability that it is a duplicate, 0..1.
    pub confidence: f32,
}

/// Returns a report that a question is about with this confidence, in a line.
pub(crate) fn known_report(row: DocumentRow, band: Band, confidence: f32) -> KnownReport {
    let DocumentRow { key, title, url, state, state_reason, .. } = row;
    KnownReport { key, title, url, state, state_reason, band, confidence }
}

impl Match {
    /// What is said of it.
    pub(crate) fn band(&self) -> Band {
        Band::of(self.confidence, self.worth)
    }

    /// What its confidence rests on.
    pub fn evidence(&self) -> PairEvidence<'_> {
        PairEvidence { features: &self.features, share: self.share, overlap: self.overlap.as_ref() }
    }

    /// Whether both report the same failure, by root cause or by a signature that hardly any other document has.
    pub fn is_same_failure(&self) -> bool {
        self.overlap.as_ref().is_some_and(|overlap| overlap.is_same_failure() || overlap.rare_signature)
    }
}

impl<'a> MatchFinder<'a> {
    /// Makes a finder that goes by this model in every source.
    pub fn new(parts: Parts<'a>, table: &'a RankingModel, comments: &'a CommentCache) -> Self {
        const NONE: &BTreeMap<i64, RankingModel> = &BTreeMap::new();
        Self { parts, table, models: NONE, pace: 1.0, comments }
    }

    /// The model that states how sure an answer of this source may be.
    fn model_of(&self, source: i64) -> &RankingModel {
        self.models.get(&source).unwrap_or(self.table)
    }

    /// What is known of one source but for what its own duplicates taught.
    ///
    /// # Errors
    /// Those of the database.
    pub fn unmarked(&self, r: &precedent_store::Reader<'_>, source: &SourceRow) -> Result<SourceCalibration> {
        let own = self.with_baseline(r, source, self.basis().as_deref())?;
        Ok(SourceCalibration { own, models: BTreeMap::new(), pace: r.pace(source.id)? })
    }

    /// Identifies the weights, rules and embedding model that baselines and checks rest on; `None` without a model.
    fn basis(&self) -> Option<String> {
        self.model().map(|model| self.table.basis(model))
    }

    /// The model with the baseline of a source, if one is known that was taken with this basis.
    fn with_baseline(
        &self,
        r: &precedent_store::Reader<'_>,
        source: &SourceRow,
        basis: Option<&str>,
    ) -> Result<Option<RankingModel>> {
        let Some(basis) = basis else { return Ok(None) };
        let known = r.background(source.id, basis)?;
        Ok(known.map(|(background, _)| self.table.before(background)))
    }

    /// What is known of one source, or of each where several are looked at. A calibration that does not hold with this
    /// embedding model or version teaches nothing.
    ///
    /// # Errors
    /// Those of the database.
    pub fn taught(
        &self,
        r: &precedent_store::Reader<'_>,
        one: Option<&SourceRow>,
    ) -> Result<SourceCalibration> {
        // The same for all sources, and a hash of the whole model.
        let basis = self.basis();
        let model = |source: &SourceRow| -> Result<Option<RankingModel>> {
            let here = self.with_baseline(r, source, basis.as_deref())?;
            let calibration = r.calibration(source.id)?;
            let model = here.as_ref().unwrap_or(self.table);
            Ok(calibration.and_then(|c| model.calibrated(&c, self.model())).or(here))
        };
        if let Some(source) = one {
            let pace = r.pace(source.id)?;
            return Ok(SourceCalibration { own: model(source)?, models: BTreeMap::new(), pace });
        }
        let mut models = BTreeMap::new();
        for source in r.sources()? {
            models.extend(model(&source)?.map(|model| (source.id, model)));
        }
        Ok(SourceCalibration { own: None, models, pace: 1.0 })
    }

    /// The same with what sources taught.
    pub fn knowing<'b>(&'b self, taught: &'b SourceCalibration) -> MatchFinder<'b> {
        let table = taught.own.as_ref().unwrap_or(self.table);
        MatchFinder { table, models: &taught.models, pace: taught.pace, ..*self }
    }

    /// Reads a report of the casebook as if it were filed again, without what names its duplicate; `None` if there is no
    /// such report.
    ///
    /// # Errors
    /// Those of the database.
    fn filed_again(&self, id: i64, skeleton: &Skeleton, now: Timestamp) -> Result<Option<Draft>> {
        let Some(document) = self.store.read(|r| r.document(id))? else { return Ok(None) };
        Ok(Some(Draft {
            author: document.person(),
            title: document.title,
            body: Prepared::body(&without_duplicate_notes(&document.body), skeleton),
            made_at: document.created_at.unwrap_or(now),
            document: Some(id),
        }))
    }

    /// The embedding model whose vectors it compares.
    pub(crate) fn model(&self) -> Option<&str> {
        self.vectors.map(Vectors::fingerprint)
    }
}
