//! What a user would meet: how often an answer is in each band, and how right the bands are, by marks and by reading.
//!
//! A mark says of a pair that it is the same; where there is none, a person may have read it. What nobody marked or read is
//! not counted by judgement. Every share stands with its interval (Wilson 1927) at the effective size of its weighted sample
//! (Kish 1965).

use precedent_core::model::{Band, LIKELY, POSSIBLE, SAME};
use serde::Serialize;

use crate::{
    judged::{Judged, Judgement},
    metrics::{float, wilson},
};

/// Lengths of the queue whose first entries are told.
const QUEUE: [usize; 3] = [20, 50, 100];

/// A first answer.
#[derive(Clone, Copy, Debug)]
pub struct First {
    /// How sure it was said to be the same, 0..1.
    pub confidence: f64,
    /// How sure it was said to be worth reading, 0..1.
    pub worth: f64,
    /// Whether it is a known duplicate.
    pub marked: bool,
    /// What the pair was found to be by reading.
    pub judged: Option<Judged>,
    /// For how many reports of the tracker the report stands.
    pub weight: f64,
}

/// A share with its 95 % interval, and what it rests on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Share {
    /// From 0 to 1.
    pub share: f64,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// How many pairs are behind it.
    pub pairs: usize,
}

/// The answers of one band.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct BandReport {
    pub band: Band,
    /// Answers that were given.
    pub answers: usize,
    /// Reports of the tracker that they stand for, of a thousand.
    pub of_thousand: f64,
    /// The share that is right by marks.
    pub marked: Share,
    /// The share that is the same, by marks and by reading.
    pub same: Option<Share>,
    /// The share that is the same or related, by marks and by reading.
    pub worth: Option<Share>,
    /// Of the reports whose known duplicate is first: the share that is stated in this band.
    pub of_found: f64,
}

/// The first entries of the queue.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct QueueReport {
    pub first: usize,
    /// The share that is right by marks.
    pub marked: Share,
    /// The share that is the same, by marks and by reading.
    pub same: Option<Share>,
    /// Reports whose known duplicate is first and that are not among them.
    pub missed: usize,
}

/// What a user meets.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Met {
    /// Each band, the surest first.
    pub bands: Vec<BandReport>,
    /// The beginnings of the queue of open reports.
    pub queue: Vec<QueueReport>,
    /// The share of first answers that are the same or related, by marks and by reading.
    pub related: Option<Share>,
    /// Of answers stated to be worth reading at 0.8 or more, the share that is.
    pub worth_reading: Option<Share>,
}

impl First {
    /// What the pair is, as far as it is known, and for how many answers it stands.
    fn truth(&self) -> Option<(Judgement, f64)> {
        match (self.judged, self.marked) {
            (Some(judged), true) => Some((judged.judgement, self.weight)),
            (Some(judged), false) => Some((judged.judgement, judged.weight)),
            (None, true) => Some((Judgement::Same, self.weight)),
            (None, false) => None,
        }
    }
}

/// The weighted share of `all` that is right.
pub fn share(all: impl Iterator<Item = (bool, f64)>) -> Share {
    let (mut right, mut sum, mut squares, mut pairs) = (0.0, 0.0, 0.0, 0);
    for (is, weight) in all {
        right += if is { weight } else { 0.0 };
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

fn marked<'a>(answers: impl Iterator<Item = &'a First>) -> Share {
    share(answers.map(|a| (a.marked, a.weight)))
}

fn known<'a>(answers: impl Iterator<Item = &'a First>, is: impl Fn(Judgement) -> bool) -> Option<Share> {
    let share = share(answers.filter_map(First::truth).map(|(judgement, weight)| (is(judgement), weight)));
    (share.pairs > 0).then_some(share)
}

/// What a user meets who gets these first answers. By judgement only if any were `read`.
pub fn met(answers: &[First], read: bool) -> Met {
    let same = |judgement| judgement == Judgement::Same;
    let worth = |judgement| judgement != Judgement::Neither;
    #[allow(clippy::cast_possible_truncation, reason = "a probability needs no more digits")]
    let band = |a: &First| Band::of(a.confidence as f32, a.worth as f32);
    let all: f64 = answers.iter().map(|a| a.weight).sum();
    let found = answers.iter().filter(|a| a.marked).count();
    let bands = Band::ALL
        .into_iter()
        .map(|name| {
            let within = || answers.iter().filter(|a| band(a) == name);
            BandReport {
                band: name,
                answers: within().count(),
                // The sum of nothing is −0.
                of_thousand: 1000.0 * within().map(|a| a.weight).sum::<f64>() / all.max(1.0) + 0.0,
                marked: marked(within()),
                same: read.then(|| known(within(), same)).flatten(),
                worth: read.then(|| known(within(), worth)).flatten(),
                of_found: float(within().filter(|a| a.marked).count()) / float(found.max(1)),
            }
        })
        .collect();
    let mut by: Vec<&First> = answers.iter().collect();
    by.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    let queue = QUEUE
        .into_iter()
        .map(|n| {
            let (first, rest) = by.split_at(n.min(by.len()));
            QueueReport {
                first: n,
                marked: marked(first.iter().copied()),
                same: read.then(|| known(first.iter().copied(), same)).flatten(),
                missed: rest.iter().filter(|a| a.marked).count(),
            }
        })
        .collect();
    let sure = || answers.iter().filter(|a| a.worth >= 0.8);
    Met {
        bands,
        queue,
        related: read.then(|| known(answers.iter(), worth)).flatten(),
        worth_reading: read.then(|| known(sure(), worth)).flatten(),
    }
}

/// What a band is called in a table: from which confidence on.
pub fn name(band: Band) -> String {
    match band {
        Band::High => format!("{SAME:.1} and more"),
        Band::Likely => format!("{LIKELY:.1} to {SAME:.1}"),
        Band::Possible => format!("{POSSIBLE:.1} to {LIKELY:.1}"),
        Band::Related => "related".to_owned(),
        Band::None => "nothing".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_marked_or_read_counts_by_marks_alone() {
        let first = |confidence, marked, judgement: Option<Judgement>, weight| First {
            confidence,
            worth: 0.9,
            marked,
            judged: judgement.map(|judgement| Judged { judgement, weight }),
            weight,
        };
        let answers = [
            first(0.95, true, None, 1.0),
            first(0.93, false, Some(Judgement::Same), 3.0),
            first(0.92, false, None, 4.0),
            first(0.1, false, Some(Judgement::Related), 2.0),
            first(0.1, true, Some(Judgement::Neither), 1.0),
        ];
        let met = super::met(&answers, true);
        let high = &met.bands[0];
        assert_eq!((high.band, high.answers), (Band::High, 3));
        assert!((high.marked.share - 1.0 / 8.0).abs() < 1e-9);
        let same = high.same.unwrap();
        assert_eq!((same.share, same.pairs), (1.0, 2));
        assert!(same.low < 0.7, "two pairs tell little: {same:?}");
        let related = &met.bands[3];
        assert_eq!((related.band, related.same.unwrap().share), (Band::Related, 0.0));
        assert!((related.worth.unwrap().share - 2.0 / 3.0).abs() < 1e-9);
        assert!((related.of_found - 0.5).abs() < 1e-9);
        assert_eq!(met.queue[0].missed, 0);
        let by_marks = super::met(&answers, false);
        assert!(by_marks.bands[0].same.is_none() && by_marks.related.is_none());
    }
}
