//! Duplicates: candidates, evidence, a calibrated score, verdicts.
//!
//! Two reports are duplicates when one fix resolves both. The same symptom with another cause is related; a tracking
//! issue is never a duplicate.

mod calibrate;
mod check;
mod clusters;
mod compare;
pub mod features;
mod reasons;
mod score;
mod triage;
mod verdicts;

use jiff::Timestamp;

use crate::{
    error::Result,
    index::{
        filter::{Filter, Test, TimeField},
        fulltext::FullText,
        vectors::Vectors,
    },
    task::Task,
    text::{
        chunk::{self, representation},
        prepare::Prepared,
        report::Report,
    },
};
pub use calibrate::{MIN_LABELS, calibrate};
pub use check::{MAX_CANDIDATES, check, look};
pub use clusters::clusters;
pub use compare::{Side, facts, marks};
use features::Features;
pub use score::Table;
pub use triage::triage;
pub use verdicts::{decide, undo};

/// How many candidates each arm proposes.
const DEPTH: usize = 200;

/// A report that may have been made before.
#[derive(Clone, Debug)]
pub struct Draft {
    /// Its title; may be empty for a pasted text.
    pub title: String,
    /// Its text, prepared.
    pub body: Prepared,
    /// When it is made: candidates are older.
    pub made_at: Timestamp,
    /// The document that it is, if it is in the casebook.
    pub document: Option<i64>,
}

/// Where duplicates are looked for.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Conditions on the candidates.
    pub filters: Vec<Filter>,
}

/// What a check works on.
pub struct Checker<'a> {
    /// The full-text index.
    pub fulltext: &'a FullText,
    /// The vectors, if there is a model that works.
    pub vectors: Option<&'a Vectors>,
    /// Embeds a text that has no stored vector.
    pub embed: &'a (dyn Fn(&str) -> Result<Vec<f32>> + Sync),
    /// What evidence is worth.
    pub table: &'a Table,
}

impl std::fmt::Debug for Checker<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checker").finish_non_exhaustive()
    }
}

/// A candidate with its evidence and what that is worth.
#[derive(Clone, Debug)]
pub struct Scored {
    /// Row id of the document.
    pub document: i64,
    /// What it has in common with the draft.
    pub features: Features,
    /// Cosine of the two texts, −1..1.
    pub cosine: Option<f32>,
    /// What decides the order.
    pub score: f32,
    /// The probability that it is a duplicate, 0..1.
    pub confidence: f32,
}

impl Checker<'_> {
    /// The candidates of a draft with their evidence, best first; ties by id.
    ///
    /// # Errors
    /// Those of the database and the index.
    pub fn scored(&self, draft: &Draft, scope: &Scope, task: &Task) -> Result<Vec<Scored>> {
        let mut filters = scope.filters.clone();
        let earlier = Test::Time(TimeField::Created, None, Some(draft.made_at.as_second()));
        filters.push(Filter { test: earlier, negated: false });
        let terms = self.fulltext.report_terms(&Report::new(&draft.title, &draft.body))?;
        let mut ids: Vec<i64> =
            self.fulltext.similar(&terms, &filters, DEPTH)?.into_iter().map(|(id, _)| id).collect();
        task.check()?;
        let queries = self.queries(draft)?;
        if let (Some(vectors), Some((_, text))) = (self.vectors, &queries) {
            let allowed = self.fulltext.allowed(&filters)?;
            ids.extend(vectors.search(text, allowed.as_deref(), DEPTH)?.iter().map(|n| n.document));
        }
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| Some(*id) != draft.document);
        task.check()?;
        let overlaps = self.fulltext.overlaps(&terms, &ids)?;
        let likeness = match (self.vectors, &queries) {
            (Some(vectors), Some((title, text))) => Some(vectors.compare(title, text, &ids)?),
            _ => None,
        };
        let now = draft.made_at.as_second();
        let like = |i: usize| likeness.as_ref().and_then(|l| l.get(i));
        let evidence: Vec<(f32, Features)> = overlaps
            .iter()
            .enumerate()
            .map(|(i, overlap)| {
                let features = Features::new(overlap, like(i), now);
                (self.table.score(&features), features)
            })
            .collect();
        let confidences = self.table.confidences(&evidence);
        let mut scored: Vec<Scored> = Vec::with_capacity(ids.len());
        for (i, ((document, (score, features)), confidence)) in
            ids.into_iter().zip(evidence).zip(confidences).enumerate()
        {
            let cosine = like(i).and_then(|l| l.text_text);
            scored.push(Scored { document, features, cosine, score, confidence });
        }
        scored.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.document.cmp(&b.document)));
        Ok(scored)
    }

    /// The vectors of a draft's title and of the beginning of its text; stored ones where there are any.
    fn queries(&self, draft: &Draft) -> Result<Option<(Vec<f32>, Vec<f32>)>> {
        let Some(vectors) = self.vectors else { return Ok(None) };
        if let Some(document) = draft.document
            && let Some(stored) = vectors.of_document(document)?
        {
            return Ok(Some(stored));
        }
        let first = chunk::chunks(&draft.body, 1).into_iter().next();
        let text = first
            .map_or_else(|| representation(&draft.title, ""), |first| first.representation(&draft.title));
        if text.trim().is_empty() {
            return Ok(None);
        }
        let title = representation(&draft.title, "");
        let text_vector = (self.embed)(&text)?;
        let title_vector =
            if title.is_empty() || title == text { text_vector.clone() } else { (self.embed)(&title)? };
        Ok(Some((title_vector, text_vector)))
    }
}
