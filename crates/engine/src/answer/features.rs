//! The numeric features of a pair of reports.

use jiff::Timestamp;

use precedent_index::{
    fulltext::Overlap,
    vectors::{CommentLikeness, Likeness},
};

/// The number of features.
pub const COUNT: usize = NAMES.len();

/// The feature names, in order. The model file uses the same names.
pub const NAMES: [&str; 31] = [
    "words",
    "words_squared",
    "word_coverage",
    "all_word_coverage",
    "title_title_words",
    "title_body_words",
    "body_title_words",
    "title_coverage",
    "length",
    "code_words",
    "identifiers",
    "signatures",
    "title_title_cosine",
    "title_text_cosine",
    "text_title_cosine",
    "text_text_cosine",
    "text_text_cosine_squared",
    "text_mean_cosine",
    "age",
    "age_squared",
    "words_vs_best",
    "text_cosine_vs_best",
    "comments",
    "inactive_time",
    "new_comment_terms",
    "comment_text_cosine",
    "comment_title_cosine",
    "same_title",
    "same_author",
    "copy",
    "series",
];

/// The features whose weights may be negative: circumstances, and squares of other features. All
/// other features are evidence and never count against a candidate.
pub const SIGNED_FEATURES: [&str; 8] = [
    "words_squared",
    "length",
    "text_text_cosine_squared",
    "age",
    "age_squared",
    "comments",
    "inactive_time",
    "same_author",
];
/// The features that depend on the time between a report and its candidate.
pub(super) const TIME_FEATURES: [&str; 3] = ["age", "age_squared", "inactive_time"];
/// The features that raise the confidence but do not separate candidates in the ranking.
pub const ONLY_CONFIDENCE: [&str; 2] = ["same_title", "all_word_coverage"];
/// The features that decide as rules (see [`super::RankingModel::rank`]); they have no weight.
pub const RULES: [&str; 2] = ["copy", "series"];

/// Returns the index of the feature with this name.
pub fn index_of(name: &str) -> Option<usize> {
    NAMES.iter().position(|n| *n == name)
}

/// The raw evidence for a candidate of the report.
#[derive(Clone, Copy, Debug)]
pub struct Evidence<'a> {
    /// The word overlap.
    pub overlap: &'a Overlap,
    /// The vector similarity, if both reports have vectors.
    pub likeness: Option<&'a Likeness>,
    /// The detailed comparison, if it was made.
    pub details: Option<&'a CandidateDetails>,
}

/// The detailed comparison with a candidate. Comments count only if they were written before the
/// report.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CandidateDetails {
    /// The number of comments.
    pub comment_count: usize,
    /// The time of the last comment.
    pub last_comment_at: Option<Timestamp>,
    /// The share of the report's words that occur in the comments but not in the candidate itself,
    /// 0..1.
    pub new_comment_share: f32,
    /// The terms of the report that occur only in the comments, highest weight first.
    pub comment_terms: Vec<String>,
    /// The vector similarity of the comments.
    pub comment_likeness: CommentLikeness,
    /// True if neither title has a word that the other report lacks, unlike those of templated
    /// reports ("… on Android", "… on iOS").
    pub same_title: bool,
    /// True if it is an exact copy.
    pub is_copy: bool,
    /// The differing words of two templated reports, as written in the draft and in the candidate.
    pub template_words: Option<(String, String)>,
    /// True if both are the same unfilled form; such candidates are dropped.
    pub is_form: bool,
    /// True if the same person filed both; people often file similar reports, but seldom
    /// duplicates.
    pub same_author: bool,
}

/// The highest values among the candidates of a report.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Maxima {
    words: f32,
    cosine: f32,
}

impl Maxima {
    /// Returns the highest values among the candidates.
    pub fn new<'a>(candidates: impl Iterator<Item = Evidence<'a>>) -> Self {
        candidates.fold(Self::default(), |best, candidate| Self {
            words: best.words.max(candidate.overlap.words),
            cosine: best.cosine.max(candidate.text_text()),
        })
    }
}

/// Estimates the cosines of candidates without vectors, so that a missing vector never ranks a
/// candidate lower: each is the best cosine, scaled by the candidate's share of the best word
/// overlap.
pub fn fill_missing_cosines(likeness: &mut [Likeness], overlaps: &[Overlap]) {
    let max_words = overlaps.iter().fold(0.0, |max: f32, overlap| max.max(overlap.words));
    let best = likeness.iter().fold(Likeness::default(), |best, item| Likeness {
        title_title: max_cosine(best.title_title, item.title_title),
        title_text: max_cosine(best.title_text, item.title_text),
        text_title: max_cosine(best.text_title, item.text_title),
        text_text: max_cosine(best.text_text, item.text_text),
        text_mean: max_cosine(best.text_mean, item.text_mean),
    });
    for (item, overlap) in
        likeness.iter_mut().zip(overlaps).filter(|(item, _)| item.text_text.is_none())
    {
        let share = if max_words > 0.0 { overlap.words / max_words } else { 0.0 };
        let estimate = |best: Option<f32>| best.map(|cosine| cosine.max(0.0) * share);
        *item = Likeness {
            title_title: item.title_title.or(estimate(best.title_title)),
            title_text: estimate(best.title_text),
            text_title: item.text_title.or(estimate(best.text_title)),
            text_text: estimate(best.text_text),
            text_mean: estimate(best.text_mean),
        };
    }
}

fn max_cosine(a: Option<f32>, b: Option<f32>) -> Option<f32> {
    a.zip(b).map(|(a, b)| a.max(b)).or(a).or(b)
}

impl Evidence<'_> {
    fn text_text(&self) -> f32 {
        or_zero(self.likeness.and_then(|l| l.text_text))
    }
}

/// The features of a pair of reports.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Features(pub [f32; COUNT]);

impl Features {
    /// Computes the features of a candidate for a report made at `made_at`, in a source with this
    /// time scale (see `super::time_scale`). Times are relative to the later of the two reports.
    pub fn new(
        evidence: &Evidence<'_>,
        best: &Maxima,
        made_at: Timestamp,
        time_scale: f64,
    ) -> Self {
        let overlap = evidence.overlap;
        let no_likeness = Likeness::default();
        let cosines = evidence.likeness.unwrap_or(&no_likeness);
        // The probability of a repeated report falls with the logarithm of the age.
        let made_at = made_at.as_second();
        let created_at = overlap.created_at.unwrap_or(made_at);
        let later = made_at.max(created_at);
        let age = log_age(later, made_at.min(created_at), time_scale);
        let text = evidence.text_text();
        let no_details = CandidateDetails::default();
        let details = evidence.details.unwrap_or(&no_details);
        // Without comments, the time since the last activity is the age.
        let last_comment = details.last_comment_at.map(|time| time.as_second());
        let inactive = last_comment.map_or(age, |second| log_age(later, second, time_scale));
        let share = |value: f32, best: f32| if best > 0.0 { value / best } else { 0.0 };
        let comments = (1.0 + details.comment_count as f32).ln();
        Self([
            overlap.words,
            overlap.words * overlap.words,
            overlap.words_covered,
            overlap.all_words_covered,
            overlap.title_title,
            overlap.title_body,
            overlap.body_title,
            overlap.title_covered,
            (1.0 + overlap.length).ln(),
            overlap.code_code,
            overlap.identifiers,
            overlap.signatures,
            or_zero(cosines.title_title),
            or_zero(cosines.title_text),
            or_zero(cosines.text_title),
            text,
            text * text,
            or_zero(cosines.text_mean),
            age,
            age * age,
            share(overlap.words, best.words),
            share(text, best.cosine),
            comments,
            inactive,
            details.new_comment_share,
            excess_cosine(details.comment_likeness.text, cosines.text_text),
            excess_cosine(details.comment_likeness.title, cosines.title_text),
            f32::from(u8::from(details.same_title)),
            f32::from(u8::from(details.same_author)),
            f32::from(u8::from(details.is_copy)),
            f32::from(u8::from(details.template_words.is_some())),
        ])
    }

    /// Returns the value of the feature with this name.
    pub(super) fn get(&self, name: &str) -> f32 {
        index_of(name).map_or(0.0, |i| self.0[i])
    }

    /// Returns whether the candidate is an exact copy.
    pub fn is_copy(&self) -> bool {
        self.0[COUNT - 2] > 0.0
    }

    /// Returns whether both fill in one template with different subjects.
    pub fn is_templated(&self) -> bool {
        self.0[COUNT - 1] > 0.0
    }
}

fn or_zero(cosine: Option<f32>) -> f32 {
    cosine.unwrap_or(0.0).max(0.0)
}

/// Returns how much nearer to the report the comments on a candidate are than its own text.
fn excess_cosine(comment: Option<f32>, text: Option<f32>) -> f32 {
    (or_zero(comment) - or_zero(text)).max(0.0)
}

/// Returns `ln(1 + days / time_scale)` for the days from `second` to `later`, both Unix times; 0 if
/// `second` is after `later`.
fn log_age(later: i64, second: i64, time_scale: f64) -> f32 {
    let seconds = later.saturating_sub(second).max(0) as f64;
    let days = (seconds / 86_400.0 / time_scale) as f32;
    (1.0 + days).ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feature_of(
        evidence: &Evidence<'_>,
        best: &Maxima,
        now: Timestamp,
    ) -> impl Fn(&str) -> f32 + use<> {
        let features = Features::new(evidence, best, now, 1.0);
        move |name| features.0[index_of(name).unwrap()]
    }

    #[test]
    fn missing_cosines_are_estimated_from_words() {
        let overlaps = [0.2, 1.0, 0.5].map(|words| {
            let mut overlap = Overlap::default();
            overlap.words = words;
            overlap
        });
        let complete =
            Likeness { title_title: Some(0.4), text_text: Some(0.6), ..Likeness::default() };
        let mut likeness = [complete, Likeness::default(), Likeness::default()];
        fill_missing_cosines(&mut likeness, &overlaps);
        assert_eq!(likeness[0], complete);
        assert_eq!((likeness[1].text_text, likeness[1].title_title), (Some(0.6), Some(0.4)));
        assert_eq!((likeness[2].text_text, likeness[2].text_mean), (Some(0.3), None));
        let mut no_vectors = [Likeness::default(); 3];
        fill_missing_cosines(&mut no_vectors, &overlaps);
        assert_eq!(no_vectors, [Likeness::default(); 3]);
    }

    #[test]
    fn shares_are_relative_to_the_best() {
        let now = Timestamp::from_second(1_800_000_000).unwrap();
        let day = 86_400;
        let overlap = |words, days_ago: i64| {
            let mut overlap = Overlap::default();
            (overlap.words, overlap.created_at) = (words, Some(now.as_second() - days_ago * day));
            overlap
        };
        let (old, new) = (overlap(0.2, 100), overlap(0.4, 1));
        let like = Likeness { text_text: Some(0.8), title_text: Some(0.2), ..Likeness::default() };
        let old = Evidence { overlap: &old, likeness: Some(&like), details: None };
        let new = Evidence { overlap: &new, likeness: None, details: None };
        let best = Maxima::new([old, new].into_iter());
        let feature = feature_of(&old, &best, now);
        assert_eq!((feature("words_vs_best"), feature("text_cosine_vs_best")), (0.5, 1.0));
        assert_eq!((feature("inactive_time"), feature("comments")), (feature("age"), 0.0));
        let last = Timestamp::from_second(now.as_second() - 9 * day).unwrap();
        let near = CommentLikeness { title: Some(0.1), text: Some(0.9) };
        let details = CandidateDetails {
            comment_count: 3,
            last_comment_at: Some(last),
            new_comment_share: 0.25,
            comment_likeness: near,
            same_title: true,
            is_copy: true,
            ..CandidateDetails::default()
        };
        let feature = feature_of(&Evidence { details: Some(&details), ..old }, &best, now);
        assert_eq!((feature("inactive_time"), feature("comments")), (10.0_f32.ln(), 4.0_f32.ln()));
        assert_eq!(
            (feature("new_comment_terms"), feature("same_title"), feature("same_author")),
            (0.25, 1.0, 0.0)
        );
        assert_eq!((feature("copy"), feature("series")), (1.0, 0.0));
        let features = Features::new(&Evidence { details: Some(&details), ..old }, &best, now, 1.0);
        assert!(features.is_copy() && !features.is_templated());
        // Comments count only insofar as they are nearer than the text itself.
        assert!(
            (feature("comment_text_cosine") - 0.1).abs() < 1e-6,
            "{}",
            feature("comment_text_cosine")
        );
        assert_eq!(feature("comment_title_cosine"), 0.0);
        // In a source with ten times the time scale, ten times the age gives the same feature.
        let slow = Features::new(&Evidence { details: None, ..old }, &best, now, 10.0);
        assert_eq!(
            (slow.0[index_of("age").unwrap()], slow.0[index_of("inactive_time").unwrap()]),
            (11.0_f32.ln(), 11.0_f32.ln())
        );
        let feature = feature_of(&new, &Maxima::default(), now);
        assert_eq!((feature("words_vs_best"), feature("text_cosine_vs_best")), (0.0, 0.0));
    }
}
