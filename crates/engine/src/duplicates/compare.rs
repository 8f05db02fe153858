//! The comparison of two reports: their shared and their differing content.

use std::collections::{BTreeMap, BTreeSet};

use precedent_core::{
    error::Result,
    model::{Comparison, Fact, FactKind, Mark, MarkKind, Thread},
};
use precedent_text::{
    prepare::PreparedText,
    signature::{Signature, SignatureKind},
    tokens,
    version::versions,
};

use crate::answer::explain::{MAX_READ, distinctive_identifiers, spelling};

/// The maximum number of entries of one kind in one column.
const MAX_LISTED: usize = 8;
/// The maximum number of words marked; more would mark the whole text.
const MAX_WORDS: usize = 40;
/// The minimum inverse document frequency of a shared word that is marked.
const MIN_IDF: f32 = 2.5;

/// One of the two compared reports.
#[derive(Clone, Copy)]
struct Side<'a> {
    title: &'a str,
    body: &'a PreparedText,
    labels: &'a [String],
    /// The product name, which is the key of the report's source.
    product: &'a str,
}

impl<'a> Side<'a> {
    fn new((thread, body): &'a (Thread, PreparedText)) -> Self {
        Self { title: &thread.title, body, labels: &thread.labels, product: &thread.source }
    }
}

/// Compares two reports, each with its prepared text. `idf` returns the inverse document
/// frequencies of terms.
pub fn compare(
    report: (Thread, PreparedText),
    candidate: (Thread, PreparedText),
    idf: impl Fn(&[String]) -> Result<Vec<f32>>,
) -> Result<Comparison> {
    let (a, b) = (Side::new(&report), Side::new(&candidate));
    let facts = facts(a, b);
    let (report_marks, candidate_marks) = marks(a, b, &facts, idf)?;
    let facts = with_original_spelling(facts, a, b);
    let (report, candidate) = (report.0, candidate.0);
    Ok(Comparison { report, candidate, facts, report_marks, candidate_marks })
}

/// Returns the facts of two reports by kind: shared, only in `report`, and only in `candidate`.
/// Empty kinds are omitted.
fn facts(report: Side<'_>, candidate: Side<'_>) -> Vec<Fact> {
    let (a, b) = (report.body.signatures(report.title), candidate.body.signatures(candidate.title));
    let texts_of = |list: &[Signature], kind: SignatureKind| -> BTreeSet<String> {
        list.iter().filter(|s| s.kind == kind).map(|s| s.text.clone()).collect()
    };
    let signatures: BTreeSet<&str> = a.iter().map(|s| s.text.as_str()).collect();
    let mut out = Vec::new();
    let mut add = |kind: FactKind,
                   report_names: &BTreeSet<String>,
                   candidate_names: &BTreeSet<String>| {
        let first_texts =
            |texts: &mut dyn Iterator<Item = &String>| texts.take(MAX_LISTED).cloned().collect();
        if !report_names.is_empty() || !candidate_names.is_empty() {
            out.push(Fact {
                kind,
                shared: first_texts(&mut report_names.intersection(candidate_names)),
                report: first_texts(&mut report_names.difference(candidate_names)),
                candidate: first_texts(&mut candidate_names.difference(report_names)),
            });
        }
    };
    for (kind, signature_kind) in [
        (FactKind::Code, SignatureKind::Code),
        (FactKind::Failure, SignatureKind::Exception),
        (FactKind::Message, SignatureKind::Message),
        (FactKind::Frame, SignatureKind::Frame),
    ] {
        add(kind, &texts_of(&a, signature_kind), &texts_of(&b, signature_kind));
    }
    // Exclude versions of systems and compilers, which do not identify the product.
    let product_versions = |side: Side<'_>| -> BTreeSet<String> {
        versions(&format!("{}\n{}", side.title, side.body.text()), side.product)
            .product
            .into_iter()
            .collect()
    };
    add(FactKind::Version, &product_versions(report), &product_versions(candidate));
    let identifiers = |side: Side<'_>| distinctive_identifiers(side.title, side.body);
    let (a_names, b_names) = (identifiers(report), identifiers(candidate));
    // Identifiers in only one report are too many to list, and signatures are already listed.
    let mut common_names: BTreeSet<String> = a_names.intersection(&b_names).cloned().collect();
    common_names.retain(|name| !signatures.contains(name.as_str()));
    add(FactKind::Identifier, &common_names, &common_names);
    let labels = |side: Side<'_>| side.labels.iter().cloned().collect::<BTreeSet<String>>();
    add(FactKind::Label, &labels(report), &labels(candidate));
    out
}

/// Restores the original spelling of the names in `facts`. Shared names use the spelling of
/// `report`.
fn with_original_spelling(
    mut facts: Vec<Fact>,
    report: Side<'_>,
    candidate: Side<'_>,
) -> Vec<Fact> {
    let (a_text, b_text) = (report.body.whole(report.title), candidate.body.whole(candidate.title));
    for fact in facts.iter_mut().filter(|fact| fact.kind != FactKind::Label) {
        for (names, text) in [
            (&mut fact.shared, &a_text),
            (&mut fact.report, &a_text),
            (&mut fact.candidate, &b_text),
        ] {
            names.iter_mut().for_each(|name| *name = spelling(text, name).to_owned());
        }
    }
    facts
}

/// Returns the words to mark in each of the two texts, in lower case and as inflected there.
fn marks(
    report: Side<'_>,
    candidate: Side<'_>,
    facts: &[Fact],
    idf: impl Fn(&[String]) -> Result<Vec<f32>>,
) -> Result<(Vec<Mark>, Vec<Mark>)> {
    let (report_words, candidate_words) = (words_by_term(report), words_by_term(candidate));
    let common_terms: Vec<String> = report_words
        .keys()
        .filter(|term| candidate_words.contains_key(*term) && !tokens::is_stop_word(term))
        .cloned()
        .collect();
    let mut rare_terms: Vec<(f32, &String)> = idf(&common_terms)?
        .into_iter()
        .zip(&common_terms)
        .filter(|(idf, _)| *idf >= MIN_IDF)
        .collect();
    rare_terms.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(b.1)));
    rare_terms.truncate(MAX_WORDS);
    let marks_of = |words: &BTreeMap<String, BTreeSet<String>>,
                    side_names: fn(&Fact) -> &[String]| {
        let mut marks: BTreeMap<String, MarkKind> = BTreeMap::new();
        for (_, term) in &rare_terms {
            for word in words.get(*term).into_iter().flatten() {
                marks.insert(word.clone(), MarkKind::Word);
            }
        }
        // Skip failures and messages: their numbers are masked, so they match neither text
        // verbatim.
        for fact in facts {
            if matches!(fact.kind, FactKind::Code | FactKind::Version) {
                marks.extend(side_names(fact).iter().map(|text| (text.clone(), MarkKind::Differs)));
            }
            if matches!(
                fact.kind,
                FactKind::Code | FactKind::Version | FactKind::Identifier | FactKind::Frame
            ) {
                marks.extend(fact.shared.iter().map(|text| (text.clone(), MarkKind::Same)));
            }
        }
        marks.into_iter().map(|(text, kind)| Mark { text, kind }).collect::<Vec<_>>()
    };
    let report_marks = marks_of(&report_words, |fact| &fact.report);
    Ok((report_marks, marks_of(&candidate_words, |fact| &fact.candidate)))
}

/// Returns the words of a report by term, in lower case.
fn words_by_term(side: Side<'_>) -> BTreeMap<String, BTreeSet<String>> {
    let mut out: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for text in [side.title, side.body.prose(), side.body.code()] {
        let text = &text[..text.floor_char_boundary(MAX_READ)];
        for word in tokens::words(text) {
            // Words of one or two letters are uninformative and would be marked everywhere.
            if word.range.len() > 2 {
                out.entry(word.term).or_default().insert(text[word.range].to_lowercase());
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_text::skeleton::Skeleton;

    fn prepare(text: &str) -> PreparedText {
        PreparedText::body(text, &Skeleton::default())
    }

    fn side<'a>(title: &'a str, body: &'a PreparedText, labels: &'a [String]) -> Side<'a> {
        Side { title, body, labels, product: "acme/app" }
    }

    #[test]
    fn facts_separate_shared_and_differing_names() {
        let report = prepare("Fails with FW-1043 on 2.10.0, see `open_slot`.");
        let candidate = prepare("FW-1043 and FW-2000 on 2.9.1 in `open_slot`.");
        let labels = ["bug".to_owned()];
        let facts = facts(side("Crash", &report, &labels), side("Crash", &candidate, &[]));
        let fact = |kind| facts.iter().find(|f| f.kind == kind).unwrap();
        assert_eq!(fact(FactKind::Code).shared, ["fw-1043"]);
        assert_eq!(fact(FactKind::Code).candidate, ["fw-2000"]);
        assert_eq!(fact(FactKind::Version).report, ["2.10.0"]);
        assert_eq!(fact(FactKind::Version).candidate, ["2.9.1"]);
        assert_eq!(fact(FactKind::Identifier).shared, ["open_slot"]);
        assert_eq!(fact(FactKind::Label).report, ["bug"]);
        assert!(facts.iter().all(|f| f.kind != FactKind::Frame), "empty kinds are omitted");
    }

    #[test]
    fn rare_words_are_marked_as_inflected() {
        let report = prepare("The Handshakes stall on 2.10.0 and the server waits.");
        let candidate = prepare("A handshake stalled; the server is on 2.9.1.");
        let (report, candidate) = (side("", &report, &[]), side("", &candidate, &[]));
        let facts = facts(report, candidate);
        let idf = |terms: &[String]| {
            Ok(terms.iter().map(|t| if t == "server" { 0.5 } else { 6.0 }).collect())
        };
        let (report, candidate) = marks(report, candidate, &facts, idf).unwrap();
        let mark = |text: &str, kind| Mark { text: text.into(), kind };
        assert_eq!(
            report,
            [
                mark("2.10.0", MarkKind::Differs),
                mark("handshakes", MarkKind::Word),
                mark("stall", MarkKind::Word)
            ]
        );
        assert_eq!(
            candidate,
            [
                mark("2.9.1", MarkKind::Differs),
                mark("handshake", MarkKind::Word),
                mark("stalled", MarkKind::Word)
            ]
        );
    }

    #[test]
    fn unrelated_reports_have_no_marks() {
        let (report, candidate) = (prepare("Alpha beta"), prepare(""));
        let (report, candidate) = (side("", &report, &[]), side("", &candidate, &[]));
        let facts = facts(report, candidate);
        assert!(facts.is_empty());
        let (report, candidate) =
            marks(report, candidate, &facts, |terms| Ok(vec![9.0; terms.len()])).unwrap();
        assert!(report.is_empty() && candidate.is_empty());
    }
}
