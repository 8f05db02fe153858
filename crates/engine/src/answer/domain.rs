//! The domain model: measures whether a text uses the vocabulary of a casebook.
//!
//! An unrelated text also has nearest documents, but its words are rare or unknown in the casebook,
//! while most words of a report are common in its own tracker. The usual rarity is estimated from
//! the casebook's own reports.

use precedent_core::error::Result;
use precedent_index::fulltext::FullText;
use precedent_store::Store;
use precedent_text::report;

/// The minimum number of documents for rarity to be meaningful.
const MIN_DOCUMENTS: u64 = 100;
/// The number of the casebook's reports sampled for the model.
const SAMPLE: usize = 48;
/// The maximum number of bytes read of each text.
const MAX_READ: usize = 4_000;
/// The prior mean, as a share of the information of an unseen word. Both priors were measured on
/// rust, titanium, xamarin and hadoop.
const PRIOR_MEAN: f64 = 0.4;
/// The prior spread, in nats.
const PRIOR_SPREAD: f64 = 0.85;
/// The weight of the prior, in reports.
const PRIOR_WEIGHT: f64 = 6.0;
/// The maximum out-of-domain score.
const MAX_OOD_SCORE: f64 = 5.0;

/// The rarity of the words of a casebook's own reports: inverse document frequencies, in nats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainModel {
    mean: f64,
    deviation: f64,
    documents: u64,
}

/// The domain score of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DomainScore {
    /// The number of deviations by which its words are rarer than those of the casebook's own
    /// reports, 0..5.
    pub(super) ood_score: f32,
    /// The share of its words that occur in no document, 0..1.
    pub(super) unknown: f32,
    /// The share of its words' information that those words carry, 0..1.
    pub(super) unknown_information: f32,
}

impl DomainModel {
    /// Builds the model of a casebook.
    pub fn build(store: &Store, fulltext: &FullText) -> Result<Self> {
        let documents = fulltext.count()?;
        let unseen_idf = unseen_word_idf(documents);
        let mut means = Vec::new();
        for text in store.read(|r| r.sample_reports(SAMPLE))? {
            let idf = fulltext.idf(&report::terms(&text[..text.floor_char_boundary(MAX_READ)]))?;
            // Count as if the report itself were not indexed.
            let held_out_idf = idf.iter().map(|idf| {
                let n = (unseen_idf.exp() / 2.0) * (-f64::from(*idf)).exp();
                (unseen_idf - (2.0 * (n - 0.5).max(0.0)).ln_1p()).max(0.0)
            });
            means.extend(mean(held_out_idf));
        }
        let n = means.len() as f64;
        let prior_mean = PRIOR_MEAN * unseen_idf;
        let mean = (means.iter().sum::<f64>() + PRIOR_WEIGHT * prior_mean) / (n + PRIOR_WEIGHT);
        let spread: f64 = means.iter().map(|m| (m - mean).powi(2)).sum();
        let deviation =
            ((spread + PRIOR_WEIGHT * PRIOR_SPREAD * PRIOR_SPREAD) / (n + PRIOR_WEIGHT)).sqrt();
        Ok(Self { mean, deviation, documents })
    }

    /// Returns whether there are too few documents for rarity to be meaningful.
    pub(super) fn is_small(&self) -> bool {
        self.documents < MIN_DOCUMENTS
    }

    /// Computes the domain score of a text.
    pub(super) fn score(&self, fulltext: &FullText, text: &str) -> Result<DomainScore> {
        let idf: Vec<f64> =
            fulltext.idf(&report::terms(text))?.into_iter().map(f64::from).collect();
        let Some(rarity) = mean(idf.iter().copied()) else { return Ok(DomainScore::default()) };
        let unseen_idf = unseen_word_idf(self.documents) - 1e-3;
        let unknown = || idf.iter().filter(|idf| **idf >= unseen_idf);
        Ok(DomainScore {
            ood_score: ((rarity - self.mean) / self.deviation).clamp(0.0, MAX_OOD_SCORE) as f32,
            unknown: (unknown().count() as f64 / idf.len() as f64) as f32,
            unknown_information: (unknown().sum::<f64>() / idf.iter().sum::<f64>()) as f32,
        })
    }
}

/// Returns the inverse document frequency of a word that occurs in none of the documents.
pub(super) fn unseen_word_idf(documents: u64) -> f64 {
    (2.0 * documents as f64 + 2.0).ln()
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = values.fold((0.0, 0), |(sum, n), value| (sum + value, n + 1));
    (n > 0).then(|| sum / n as f64)
}
