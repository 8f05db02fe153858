//! A classifier of the versions in a comment: the fixed version, a planned one, or another.
//!
//! It is a multinomial logistic regression over the tokens around a version, the role of its
//! sentence, and a comparison with the versions of the report. `models/roles/versions.py` fits the
//! weights in `fixed_version.json`; the README beside it has the figures.

use std::{
    cmp::Ordering,
    collections::{BTreeSet, HashMap},
    sync::LazyLock,
};

use serde::Deserialize;

use crate::{
    pattern::Pattern,
    roles::{Sentence, Sentences, probabilities, tokens},
    version::{compare, versions},
};

/// The number of tokens before and after a version whose order counts.
const MAX_PHRASE: usize = 3;
/// The number of tokens before and after a version that are features without their order.
const MAX_CONTEXT: usize = 8;
/// The number of bytes before a version that are read.
const MAX_PREFIX: usize = 200;

static VERSION: Pattern = Pattern::new(r"\bv?(\d+(?:\.\d+)+)");
#[allow(clippy::expect_used, reason = "a test reads the built-in model")]
static MODEL: LazyLock<Model> = LazyLock::new(|| {
    serde_json::from_str(include_str!("fixed_version.json")).expect("the built-in model is valid")
});

/// What a comment says about a version.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VersionRole {
    /// The version contains the fix.
    Fixed,
    /// A fix in the version is planned or supposed.
    Planned,
    /// Any other role, such as a version with the problem.
    Other,
}

/// A version in a sentence.
#[derive(Clone, Debug)]
pub struct VersionMention {
    /// Numbers of the version, as written.
    pub version: String,
    /// Names of its features, as in the weights.
    pub features: BTreeSet<String>,
}

impl VersionMention {
    /// Returns the versions of a sentence, in order. `reported_on` has the versions of the report.
    pub fn find_all(sentence: &Sentence, reported_on: &[String]) -> Vec<Self> {
        let text = &sentence.text;
        let spans: Vec<_> =
            VERSION.captures_iter(text).filter_map(|captures| captures.get(1)).collect();
        let foreign_versions = if spans.is_empty() { vec![] } else { versions(text, "").foreign };
        let to_mention = |span: &regex::Match<'_>| {
            let version = span.as_str();
            let start = text.floor_char_boundary(span.start().saturating_sub(MAX_PREFIX));
            let mut tokens_before = tokens(&text[start..span.start()]);
            tokens_before.reverse();
            let tokens_after = tokens(&text[span.end()..]);
            let mut features = BTreeSet::from([
                format!("role {:?}", sentence.role()),
                format!("reported {}", relation(version, reported_on)),
            ]);
            for (side, tokens) in [("<", &tokens_before), (">", &tokens_after)] {
                let phrases = (1..=tokens.len().min(MAX_PHRASE)).map(|n| tokens[..n].join(" "));
                features.extend(phrases.map(|phrase| format!("{side}{phrase}")));
                features.extend(tokens.is_empty().then(|| format!("{side}$")));
                for token in &tokens[..tokens.len().min(MAX_CONTEXT)] {
                    features.extend([format!("{side} {token}"), format!("* {token}")]);
                }
            }
            features.extend((spans.len() == 1).then(|| "=only".to_owned()));
            let is_foreign = foreign_versions.iter().any(|name| name.ends_with(version));
            features.extend(is_foreign.then(|| "=foreign".to_owned()));
            Self { version: version.to_owned(), features }
        };
        spans.iter().map(to_mention).collect()
    }

    /// Returns [`VersionRole::Fixed`] if its probability reaches the threshold, else the most
    /// likely other role.
    pub fn role(&self) -> VersionRole {
        let [p_fixed, p_planned, p_other] =
            probabilities(MODEL.intercepts, &MODEL.features, &self.features);
        match () {
            () if p_fixed >= MODEL.threshold => VersionRole::Fixed,
            () if p_planned > p_fixed.max(p_other) => VersionRole::Planned,
            () => VersionRole::Other,
        }
    }
}

/// Returns the versions with the role in a comment, as written, in order. `reported_on` has the
/// versions of the report.
pub fn find_versions(
    comment: &Sentences,
    role: VersionRole,
    reported_on: &[String],
) -> Vec<String> {
    let mentions = comment.0.iter().flat_map(|s| VersionMention::find_all(s, reported_on));
    mentions.filter(|mention| mention.role() == role).map(|mention| mention.version).collect()
}

/// Compares a version with those of the report.
fn relation(version: &str, reported_on: &[String]) -> &'static str {
    let orders: Vec<Ordering> =
        reported_on.iter().filter_map(|name| compare(version, name)).collect();
    let is_every = |order: Ordering| orders.iter().all(|o| *o == order);
    match () {
        () if orders.is_empty() => "unknown",
        () if orders.contains(&Ordering::Equal) => "same",
        () if is_every(Ordering::Less) => "older",
        () if is_every(Ordering::Greater) => "newer",
        () => "between",
    }
}

/// The classifier. Weights are in thousandths, one value per role.
#[derive(Deserialize)]
struct Model {
    /// The minimum probability of a fixed version.
    threshold: f32,
    intercepts: [i32; 3],
    features: HashMap<String, [i32; 3]>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fixed_version_is_not_the_broken_one() {
        for (text, versions) in [
            ("Regressed in 4.3.0, again fixed in 4.3.2.", vec!["4.3.2"]),
            ("Closing as fixed (4.1.0)", vec!["4.1.0"]),
            ("Backported to 4.6.3.", vec!["4.6.3"]),
            ("5.2 is out and contains the fix.", vec!["5.2"]),
            ("The next version (5.2) fixes this.", vec!["5.2"]),
            ("It was not fixed in 5.1. Fixed in 5.2.", vec!["5.2"]),
            ("Fixed in 4.1 (not in 4.0).", vec!["4.1"]),
            ("Fixed in scheduler v4.2.1; until then start it alone.", vec!["4.2.1"]),
            ("Fixed in the reader 4.2.0 and is not backported to 4.1.X.", vec!["4.2.0"]),
            ("Already fixed, removing the 4.2.3 branch.", vec![]),
            ("Fixed elsewhere, removing it from 4.2.3.", vec![]),
            ("The fix was reverted in 3.2.2.", vec![]),
            ("This is not fixed in 5.2, sorry.", vec![]),
            ("This won't be fixed in 5.2.", vec![]),
            ("Broken in 4.0.2, worked in 4.0.1. Fixed now.", vec![]),
        ] {
            assert_eq!(
                find_versions(&Sentences::read(text), VersionRole::Fixed, &[]),
                versions,
                "{text}"
            );
        }
        for text in ["The update to JDK 17.0.2 fixes it.", "The fix for 3.1.2 is merged."] {
            let versions =
                find_versions(&Sentences::read(text), VersionRole::Fixed, &["3.1.2".to_owned()]);
            assert!(versions.is_empty(), "{text}");
        }
    }

    #[test]
    fn forecasts_give_expected_versions() {
        let sentences = Sentences::read("This should be fixed in 4.1.3.");
        assert!(find_versions(&sentences, VersionRole::Fixed, &[]).is_empty());
        assert_eq!(find_versions(&sentences, VersionRole::Planned, &[]), ["4.1.3"]);
    }
}
