//! The frequency and precision of each confidence band, by tracker marks and manual judgment.
//!
//! A tracker marks known duplicates; other pairs may have been judged manually. Pairs that are
//! neither marked nor judged do not count in shares by judgment. Intervals (Wilson 1927) use the
//! effective size of the weighted sample (Kish 1965).

use precedent_core::model::{Band, HIGH, LIKELY, POSSIBLE};
use serde::Serialize;

use crate::{
    judgments::{JudgedPair, Judgment},
    metrics::{float, wilson},
};

const QUEUE_LENGTHS: [usize; 3] = [20, 50, 100];

/// The first answer to a query.
#[derive(Clone, Copy, Debug)]
pub struct FirstAnswer {
    /// Confidence that the pair is a duplicate, 0..1.
    pub confidence: f64,
    /// Confidence that the candidate is worth reading, 0..1.
    pub worth: f64,
    /// True for a known duplicate.
    pub is_marked: bool,
    /// Manual judgment of the pair, if any.
    pub judgment: Option<JudgedPair>,
    /// Number of the tracker's reports that this report represents.
    pub weight: f64,
}

/// A share with its 95 % interval and sample size.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Share {
    /// The share, from 0 to 1.
    pub share: f64,
    /// Lower end of the interval.
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Number of pairs behind the share.
    pub pairs: usize,
}

/// The answers of one band.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct BandReport {
    pub band: Band,
    /// Number of answers in the band.
    pub answers: usize,
    /// Number of the tracker's reports that the answers stand for, per thousand.
    pub of_thousand: f64,
    /// Share of known duplicates by tracker marks.
    pub marked: Share,
    /// Share of duplicates by tracker marks and manual judgment.
    pub same: Option<Share>,
    /// Share of duplicates and related reports by tracker marks and manual judgment.
    pub worth: Option<Share>,
    /// Share of this band among the reports whose known duplicate ranks first.
    pub of_found: f64,
}

/// The first entries of the queue.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct QueueReport {
    pub first: usize,
    /// Share of known duplicates by tracker marks.
    pub marked: Share,
    /// Share of duplicates by tracker marks and manual judgment.
    pub same: Option<Share>,
    /// Number of later entries whose known duplicate ranks first.
    pub missed_count: usize,
}

/// The bands and the queue as a user sees them.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct ConfidenceReport {
    /// Each band, the most confident first.
    pub bands: Vec<BandReport>,
    /// The first entries of the queue of open reports, by length.
    pub queue: Vec<QueueReport>,
    /// Share of first answers that are duplicates or related, by tracker marks and manual
    /// judgment.
    pub related: Option<Share>,
    /// Share of answers worth reading among those rated 0.8 or more.
    pub worth_reading: Option<Share>,
}

impl FirstAnswer {
    /// Returns the known relation of the pair and the number of answers that it represents.
    fn truth(&self) -> Option<(Judgment, f64)> {
        match (self.judgment, self.is_marked) {
            (Some(pair), true) => Some((pair.judgment, self.weight)),
            (Some(pair), false) => Some((pair.judgment, pair.weight)),
            (None, true) => Some((Judgment::Same, self.weight)),
            (None, false) => None,
        }
    }
}

/// Computes the weighted share of true outcomes.
pub fn weighted_share(outcomes: impl Iterator<Item = (bool, f64)>) -> Share {
    let (mut right, mut sum, mut squares, mut pairs) = (0.0, 0.0, 0.0, 0);
    for (is_right, weight) in outcomes {
        right += if is_right { weight } else { 0.0 };
        sum += weight;
        squares += weight * weight;
        pairs += 1;
    }
    if sum <= 0.0 {
        return Share { high: 1.0, pairs, ..Share::default() };
    }
    let (low, high) = wilson(right / sum, sum * sum / squares);
    Share { share: right / sum, low, high, pairs }
}

fn marked_share(answers: &[&FirstAnswer]) -> Share {
    weighted_share(answers.iter().map(|a| (a.is_marked, a.weight)))
}

fn judged_share(answers: &[&FirstAnswer], is_right: impl Fn(Judgment) -> bool) -> Option<Share> {
    let truths = answers.iter().filter_map(|answer| answer.truth());
    let share = weighted_share(truths.map(|(judgment, weight)| (is_right(judgment), weight)));
    (share.pairs > 0).then_some(share)
}

/// Summarizes first answers by band and by queue length; `with_judgments` adds shares by
/// judgment.
pub fn summarize(answers: &[FirstAnswer], with_judgments: bool) -> ConfidenceReport {
    let same_share = |answers: &[&FirstAnswer]| {
        judged_share(answers, |judgment| judgment == Judgment::Same).filter(|_| with_judgments)
    };
    let worth_share = |answers: &[&FirstAnswer]| {
        judged_share(answers, |judgment| judgment != Judgment::Neither).filter(|_| with_judgments)
    };
    let mut answers: Vec<&FirstAnswer> = answers.iter().collect();
    let total: f64 = answers.iter().map(|a| a.weight).sum();
    let marked_count = answers.iter().filter(|a| a.is_marked).count();
    let bands = Band::ALL.map(|band| {
        let is_in_band = |a: &&&FirstAnswer| Band::new(a.confidence as f32, a.worth as f32) == band;
        let in_band: Vec<&FirstAnswer> = answers.iter().filter(is_in_band).copied().collect();
        BandReport {
            band,
            answers: in_band.len(),
            // The sum of an empty iterator is −0.
            of_thousand: 1000.0 * in_band.iter().map(|a| a.weight).sum::<f64>() / total.max(1.0)
                + 0.0,
            marked: marked_share(&in_band),
            same: same_share(&in_band),
            worth: worth_share(&in_band),
            of_found: float(in_band.iter().filter(|a| a.is_marked).count())
                / float(marked_count.max(1)),
        }
    });
    let related = worth_share(&answers);
    let high_worth: Vec<&FirstAnswer> =
        answers.iter().filter(|a| a.worth >= 0.8).copied().collect();
    answers.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let queue = QUEUE_LENGTHS.map(|length| {
        let (first, rest) = answers.split_at(length.min(answers.len()));
        QueueReport {
            first: length,
            marked: marked_share(first),
            same: same_share(first),
            missed_count: rest.iter().filter(|a| a.is_marked).count(),
        }
    });
    ConfidenceReport {
        bands: bands.into(),
        queue: queue.into(),
        related,
        worth_reading: worth_share(&high_worth),
    }
}

/// Returns the label of a band in a table: its confidence range.
pub fn band_name(band: Band) -> String {
    match band {
        Band::High => format!("{HIGH:.1} and more"),
        Band::Likely => format!("{LIKELY:.1} to {HIGH:.1}"),
        Band::Possible => format!("{POSSIBLE:.1} to {LIKELY:.1}"),
        Band::Related => "related".to_owned(),
        Band::None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unjudged_pairs_count_only_by_marks() {
        let answer = |confidence, is_marked, judgment: Option<Judgment>, weight| FirstAnswer {
            confidence,
            worth: 0.9,
            is_marked,
            judgment: judgment.map(|judgment| JudgedPair { judgment, weight }),
            weight,
        };
        let answers = [
            answer(0.95, true, None, 1.0),
            answer(0.93, false, Some(Judgment::Same), 3.0),
            answer(0.92, false, None, 4.0),
            answer(0.1, false, Some(Judgment::Related), 2.0),
            answer(0.1, true, Some(Judgment::Neither), 1.0),
        ];
        let report = summarize(&answers, true);
        let high = &report.bands[0];
        assert_eq!((high.band, high.answers), (Band::High, 3));
        assert!((high.marked.share - 1.0 / 8.0).abs() < 1e-9);
        let share = high.same.unwrap();
        assert_eq!((share.share, share.pairs), (1.0, 2));
        assert!(share.low < 0.7, "two pairs give a wide interval: {share:?}");
        let band = &report.bands[3];
        assert_eq!((band.band, band.same.unwrap().share), (Band::Related, 0.0));
        assert!((band.worth.unwrap().share - 2.0 / 3.0).abs() < 1e-9);
        assert!((band.of_found - 0.5).abs() < 1e-9);
        assert_eq!(report.queue[0].missed_count, 0);
        let by_marks = summarize(&answers, false);
        assert!(by_marks.bands[0].same.is_none() && by_marks.related.is_none());
    }
}
