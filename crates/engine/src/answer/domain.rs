//! How much a text speaks the language of a casebook.
//!
//! A text about other things finds its nearest documents as well as any. What tells it apart is its words: of a report in its
//! own tracker most are common there, of a foreign one they are rare or unknown. How rare is usual differs little between
//! trackers of any size, and is taken from the casebook's own reports.

use precedent_core::error::Result;
use precedent_index::fulltext::FullText;
use precedent_store::Store;
use precedent_text::report;

/// Of fewer documents nobody can tell what is rare.
const SMALL: u64 = 100;
/// So many reports of the casebook tell how it speaks.
const SAMPLE: usize = 48;
/// So much of a text is read, in bytes.
const READ: usize = 4_000;
/// What stands in for reports that are not there: the usual mean, as a share of what a word is worth that nobody uses, and
/// the usual spread in nats. Both are those of rust, titanium, xamarin and hadoop.
const USUAL: f64 = 0.4;
const SPREAD: f64 = 0.85;
/// So many reports outweigh them.
const PRIOR: f64 = 6.0;
/// Nothing is stranger.
const STRANGEST: f64 = 5.0;

/// How rare the words of a casebook's own reports are there: inverse document frequencies, in nats.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DomainModel {
    mean: f64,
    deviation: f64,
    documents: u64,
}

/// How a text speaks.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct DomainScore {
    /// By how many deviations its words are rarer than those of the casebook's own reports, 0..5.
    pub(super) strange: f32,
    /// The share of its words that no document has, 0..1.
    pub(super) unknown: f32,
    /// The share of what its words tell that is told by those, 0..1.
    pub(super) unknown_information: f32,
}

impl DomainModel {
    /// That of a casebook.
    ///
    /// # Errors
    /// Those of the database and the index.
    pub fn of(store: &Store, fulltext: &FullText) -> Result<Self> {
        let documents = fulltext.count()?;
        let unused = unused(documents);
        let mut means = Vec::new();
        for text in store.read(|r| r.sampled_reports(SAMPLE))? {
            let idf = fulltext.idf(&report::terms(&text[..text.floor_char_boundary(READ)]))?;
            // As if the report itself were not there.
            let without = idf.iter().map(|idf| {
                let n = (unused.exp() / 2.0) * (-f64::from(*idf)).exp();
                (unused - (2.0 * (n - 0.5).max(0.0)).ln_1p()).max(0.0)
            });
            means.extend(mean(without));
        }
        let n = count(means.len());
        let usual = USUAL * unused;
        let mean = (means.iter().sum::<f64>() + PRIOR * usual) / (n + PRIOR);
        let spread: f64 = means.iter().map(|m| (m - mean).powi(2)).sum();
        let deviation = ((spread + PRIOR * SPREAD * SPREAD) / (n + PRIOR)).sqrt();
        Ok(Self { mean, deviation, documents })
    }

    /// Whether there are too few documents to tell what is rare.
    pub(super) fn is_small(&self) -> bool {
        self.documents < SMALL
    }

    /// How a text speaks there.
    pub(super) fn spoken(&self, fulltext: &FullText, text: &str) -> Result<DomainScore> {
        let idf: Vec<f64> = fulltext.idf(&report::terms(text))?.into_iter().map(f64::from).collect();
        let Some(rarity) = mean(idf.iter().copied()) else { return Ok(DomainScore::default()) };
        let unused = unused(self.documents) - 1e-3;
        let unknown = || idf.iter().filter(|idf| **idf >= unused);
        #[allow(clippy::cast_possible_truncation, reason = "shares need no more digits")]
        let spoken = DomainScore {
            strange: ((rarity - self.mean) / self.deviation).clamp(0.0, STRANGEST) as f32,
            unknown: (count(unknown().count()) / count(idf.len())) as f32,
            unknown_information: (unknown().sum::<f64>() / idf.iter().sum::<f64>()) as f32,
        };
        Ok(spoken)
    }
}

/// The inverse document frequency of a word that none of so many documents has.
pub(super) fn unused(documents: u64) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let n = documents as f64;
    (2.0 * n + 2.0).ln()
}

fn mean(all: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, n) = all.fold((0.0, 0), |(sum, n), one| (sum + one, n + 1));
    (n > 0).then(|| sum / count(n))
}

fn count(n: usize) -> f64 {
    #[allow(clippy::cast_precision_loss, reason = "counts are far below 2^52")]
    let n = n as f64;
    n
}
