//! What is seen when two reports are read side by side: runs of words, titles, traces and names that both have.
//!
//! The order of the candidates is made from shares and cosines, which are the same for two short reports of everyday words as
//! for two that quote one rare failure. Whether two reports are the same is told by how much they say that few others
//! say: that is measured here, as information (inverse document frequencies in nats), for the few candidates that are best.

use std::{
    collections::{BTreeSet, HashSet},
    hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher},
    sync::OnceLock,
};

use super::{Draft, reasons::telling_identifiers, twin::Worded};
use precedent_core::error::Result;
use precedent_index::fulltext::{FullText, Named};
use precedent_text::{
    failure::{Contrary, Failures},
    prepare::Prepared,
    report,
    signature::{Signature, SignatureKind, same_failure},
    title::{Apart, apart},
};

/// Words in a run (a shingle). Broder 1997, "On the resemblance and containment of documents".
const RUN: usize = 3;
/// The fewest runs of a text for what share of it stands in another one to say something.
const MIN_RUNS: usize = 12;
/// The most names of a report that are looked up.
const MAX_NAMES: usize = 64;
/// The most nats that shared names add up to; a shared dump has hundreds.
const MAX_INFORMATION: f32 = 40.0;

/// The share of the shorter one's runs, and the logarithm of how many, from which on two reports are one …
const SAME_SHARE: f32 = 0.92;
const SAME_RUNS: f32 = 3.0;
/// … if they share so many words that tell so many nats: what two of twenty documents have, or one in five hundred.
const SAME_WORDS: usize = 3;
const SAME_TELLS: f32 = 6.0;

/// How sure it is at least that two reports are the same where the one tells nearly all of the other word for word: of 31 such pairs
/// of titanium and xamarin that are marked or were read 30 are, at the least five in six (Wilson's interval).
const TOLD: f32 = 0.75;
/// How sure it is at least that two reports are the same that name a code which hardly any other report names.
const CODED: f32 = 0.25;
/// The most that is stated of two reports that name another cause: of the ten such pairs among those that were read three are the same.
const ANOTHER_CAUSE: f32 = 0.3;
/// The most that is stated of two that name another code: of the five such pairs none is the same.
const ANOTHER_CODE: f32 = 0.15;
/// The most that is stated of two whose titles say the opposite, or the same of another thing: of the 11,000 pairs of the four sets that
/// are marked or were read 7 are so, 2 of them the same. Of 60 that were read and whose titles name different systems 3 are the same.
const ANOTHER_TITLE: f32 = 0.15;

/// The most that is stated of two of one form: what its fields hold is alike wherever one person or one device is in both, whatever failed.
const COMMON_TITLE: f32 = 0.45;
/// The most words of a title that many reports may have without being the same.
const FEW_WORDS: usize = 2;

/// A code that at most so many documents name is told of one failure.
const RARE: u64 = 3;

/// How many numbers a reading has.
pub const COUNT: usize = NAMES.len();

/// Where the share of the shorter one's runs stands.
const CONTAINED: usize = 1;

/// The numbers by name, in their order. The names are those of the judge's table.
pub const NAMES: [&str; 12] = [
    // The share of all their runs of words that both have, 0..1.
    "resemblance",
    // The share of the shorter one's runs that the other has, 0..1; 0 where it has too few.
    "contained",
    // The logarithm of one and the runs that both have.
    "runs",
    // The share of the titles' information that both have, 0..1.
    "titles",
    // The information of the words that both titles have, in nats.
    "title_information",
    // The share of the top frames of the shorter trace that the other has, 0..1.
    "frames",
    // The information of the rarest failure, message or code that both name, in nats.
    "failure",
    // The information of the identifiers that both name, in nats.
    "names",
    // The logarithm of one and the distinct words of the shorter text.
    "content",
    // The information of the rarest identifier, failure or code that both name, in nats.
    "rarest",
    // The information of what each title names and the other report has nowhere, in nats; of the two the smaller. Reports of one
    // form about two things ("… of a button", "… of a switch") are as alike as any, but for that.
    "apart",
    // How many words each title has that the other report has nowhere; of the two the smaller.
    "contrast",
];

/// What two reports have in common, word for word.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Reading {
    /// What the judge reads, in the order of [`NAMES`].
    pub numbers: [f32; COUNT],
    /// Whether both name the same failure, by its own words or by where it happened.
    pub same_failure: bool,
    /// Whether the one text stands in the other, word for word, and says what few others say: a form has its words from all that
    /// were filled in.
    pub same_text: bool,
    /// Whether both name a code that hardly any other report names: "KAS-3308".
    pub rare_code: bool,
    /// Whether both have a short title that others have, too: that of a form, or of what is asked for again and again.
    pub common_title: bool,
    /// In what their failures differ, though both name one: another cause inside, another code.
    pub contrary: Option<Contrary>,
    /// In what their titles differ, though they are nearly the same.
    pub apart: Option<Apart>,
}

impl Reading {
    /// The least that is stated of such a pair, unless it is of a series.
    pub(super) fn least(&self) -> f32 {
        match (self.same_text, self.rare_code) {
            (true, _) => TOLD,
            (_, true) => CODED,
            _ => 0.0,
        }
    }

    /// Whether the one says half of what the other says word for word.
    pub(super) fn has_its_words(&self) -> bool {
        self.numbers[CONTAINED] >= 0.5
    }

    /// How much rules keep what is stated of such a pair above 0, and below 1.
    pub fn bounds(&self) -> [f32; 2] {
        [self.least(), 1.0 - self.most()]
    }

    /// The most that is stated of such a pair.
    pub(super) fn most(&self) -> f32 {
        match (&self.contrary, &self.apart) {
            (_, Some(_)) => ANOTHER_TITLE,
            (Some(Contrary::Code(..)), None) => ANOTHER_CODE,
            (Some(_), None) => ANOTHER_CAUSE,
            (None, None) if self.common_title && !self.same_failure && !self.same_text => COMMON_TITLE,
            (None, None) => 1.0,
        }
    }
}

/// A report that is read beside others.
pub(super) struct Reader<'a> {
    fulltext: &'a FullText,
    own: Text,
    own_failures: OnceLock<Failures>,
    draft: &'a Draft,
}

/// What is compared of a report.
struct Text {
    runs: HashSet<u64>,
    title: BTreeSet<String>,
    names: BTreeSet<String>,
    signatures: BTreeSet<Signature>,
    /// Its distinct words that are no stop words, wherever they stand.
    words: HashSet<String>,
}

impl Text {
    fn new(title: &str, body: &Prepared) -> Self {
        let hasher = BuildHasherDefault::<DefaultHasher>::default();
        let worded = Worded::new(title, body);
        let terms: Vec<&str> = worded.terms().collect();
        let title_terms: BTreeSet<String> = report::terms(title).into_iter().collect();
        let words = title_terms
            .iter()
            .cloned()
            .chain(report::terms(body.prose()))
            .chain(report::terms(body.code()))
            .collect();
        Self {
            runs: terms.windows(RUN).map(|run| hasher.hash_one(run)).collect(),
            title: title_terms,
            names: telling_identifiers(title, body).into_iter().take(MAX_NAMES).collect(),
            signatures: body.signatures(title).into_iter().collect(),
            words,
        }
    }

    fn of(&self, kind: SignatureKind) -> BTreeSet<&Signature> {
        self.signatures.iter().filter(|s| s.kind == kind).collect()
    }
}

impl<'a> Reader<'a> {
    pub(super) fn new(fulltext: &'a FullText, draft: &'a Draft) -> Self {
        Self { fulltext, own: Text::new(&draft.title, &draft.body), own_failures: OnceLock::new(), draft }
    }

    /// Reads a candidate beside the report.
    ///
    /// # Errors
    /// Those of the index.
    pub(super) fn read(&self, title: &str, body: &Prepared) -> Result<Reading> {
        let (own, other) = (&self.own, Text::new(title, body));
        let both = own.runs.intersection(&other.runs).count();
        let (fewer, all) = (own.runs.len().min(other.runs.len()), own.runs.len() + other.runs.len() - both);
        let information = |terms: Vec<&String>| -> Result<f32> {
            let terms: Vec<String> = terms.into_iter().cloned().collect();
            Ok(self.fulltext.information(Named::Word, &terms)?.iter().sum())
        };
        let shared_title = information(own.title.intersection(&other.title).collect())?;
        let all_title = information(own.title.union(&other.title).collect())?;
        let frames = own.of(SignatureKind::Frame);
        let other_frames = other.of(SignatureKind::Frame);
        let fewer_frames = frames.len().min(other_frames.len());
        let failures: Vec<String> = own
            .signatures
            .intersection(&other.signatures)
            .filter(|s| s.is_telling())
            .map(Signature::term)
            .collect();
        let failure = self.fulltext.information(Named::Signature, &failures)?.into_iter().fold(0.0, f32::max);
        let names: Vec<String> = own.names.intersection(&other.names).cloned().collect();
        let names = self.fulltext.information(Named::Identifier, &names)?;
        let only = |title: &BTreeSet<String>, words: &HashSet<String>| -> Result<(f32, usize)> {
            let only: Vec<String> = title.iter().filter(|term| !words.contains(*term)).cloned().collect();
            Ok((self.fulltext.information(Named::Word, &only)?.iter().sum(), only.len()))
        };
        let (ours, theirs) = (only(&own.title, &other.words)?, only(&other.title, &own.words)?);
        #[allow(clippy::cast_precision_loss, reason = "titles have few words")]
        let contrast = ours.1.min(theirs.1) as f32;
        let contained = if fewer < MIN_RUNS { 0.0 } else { share(both, fewer) };
        let same_text = contained >= SAME_SHARE && logarithm(both) >= SAME_RUNS && {
            let shared: Vec<String> = own.words.intersection(&other.words).cloned().collect();
            let told = self.fulltext.information(Named::Word, &shared)?;
            told.iter().filter(|nats| **nats >= SAME_TELLS).count() >= SAME_WORDS
        };
        let numbers = [
            share(both, all),
            contained,
            logarithm(both),
            if all_title > 0.0 { shared_title / all_title } else { 0.0 },
            shared_title,
            share(frames.intersection(&other_frames).count(), fewer_frames),
            failure,
            names.iter().sum::<f32>().min(MAX_INFORMATION),
            logarithm(own.words.len().min(other.words.len())),
            names.into_iter().fold(failure, f32::max),
            ours.0.min(theirs.0),
            contrast,
        ];
        let same = same_failure(&own.signatures, &other.signatures);
        let contrary = (same || failure > 0.0).then(|| self.contrary(title, body)).flatten();
        let apart = apart(&self.draft.title, title);
        let codes = own.signatures.intersection(&other.signatures);
        let codes = codes.filter(|s| s.kind == SignatureKind::Code && !s.is_generic());
        let codes: Vec<String> = codes.map(Signature::term).collect();
        let with = self.fulltext.documents_with(Named::Signature, &codes)?;
        let rare_code = with.iter().any(|documents| *documents <= RARE);
        let same_failure = same && contrary.is_none();
        Ok(Reading { numbers, same_failure, same_text, rare_code, common_title: false, contrary, apart })
    }

    /// Whether a title is the report's own, in few words.
    pub(super) fn has_title(&self, title: &str) -> bool {
        !self.own.title.is_empty()
            && self.own.title.len() <= FEW_WORDS
            && self.draft.title.trim().to_lowercase() == title.trim().to_lowercase()
    }

    /// In what the failures differ. One message about two things is no reason: reports of one fault name files of their own.
    fn contrary(&self, title: &str, body: &Prepared) -> Option<Contrary> {
        let read = |title: &str, body: &Prepared| Failures::of(&body.whole(title));
        let own = self.own_failures.get_or_init(|| read(&self.draft.title, &self.draft.body));
        own.contrary(&read(title, body)).filter(|c| matches!(c, Contrary::Cause(..) | Contrary::Code(..)))
    }
}

#[allow(clippy::cast_precision_loss, reason = "counts of words are far below 2^23")]
fn share(part: usize, of: usize) -> f32 {
    if of == 0 { 0.0 } else { part as f32 / of as f32 }
}

#[allow(clippy::cast_precision_loss, reason = "a logarithm needs no more digits")]
fn logarithm(count: usize) -> f32 {
    (1.0 + count as f32).ln()
}
