//! Duplicates: candidates, evidence, a calibrated score, verdicts.
//!
//! Two reports are duplicates when one fix resolves both. The same symptom with another cause is related; a tracking
//! issue is never a duplicate.

mod background;
mod blank;
mod calibrate;
mod check;
mod clusters;
mod compare;
pub mod features;
mod judge;
mod learn;
mod own;
mod pace;
pub mod reading;
mod reasons;
mod said;
mod score;
mod triage;
mod twin;
mod verdicts;

use crate::{Parts, phrases};
use std::{collections::BTreeMap, sync::Arc};

use jiff::Timestamp;
use rayon::prelude::*;

pub use background::take_background;
pub use calibrate::{calibrate, is_due};
pub use check::{MAX_CANDIDATES, check, look};
pub use clusters::clusters;
pub use compare::{Side, as_written, facts, marks};
use features::{Best, Closer, Evidence, Features};
use judge::Judged;
pub use judge::Seen;
pub use learn::{Asked, Candidate, Lesson, MIN_LABELS, MIN_ORDER, TOP, learn};
pub use own::{Curve, Own};
pub use pace::take_paces;
use precedent_core::{error::Result, model::LIKELY, task::Task};
use precedent_index::{
    filter::{Filter, Test, TimeField},
    fulltext::{Overlap, ReportTerms},
    vectors::{NearestSaid, Vectors},
};
use precedent_store::{Person, SourceRow};
use precedent_text::{
    chunk::{self, representation},
    essence::informative,
    mail,
    prepare::Prepared,
    reference::without_duplicate_notes,
    report::Report,
    skeleton::Skeleton,
    title::is_request,
};
use reading::Reader;
pub use reading::Reading;
pub use said::Heard;
use said::{Comment, Comments};
pub use score::{Table, Worth};
pub use triage::triage;
use twin::{Twin, Worded};
pub use verdicts::{decide, undo};

/// How many candidates each arm proposes.
const DEPTH: usize = 200;
/// So many of the likeliest candidates are looked at more closely: with half of them recall@10 is up to .003 lower.
const SHORT_LIST: usize = 64;
/// … and so many of those that have the most words in common.
const FULLEST: usize = 8;
/// So many of the first candidates are read word for word.
const READ: usize = 10;
/// So many of them with the report's own title, and it is the title of a form.
const COMMON: usize = 2;
/// A title that so many reports of other content have is no title of one problem.
const GENERIC_TITLE: usize = 2;
/// What is probably the same comes before what is so much less sure: of 12 such answers of rust, 6 of titanium and 5 of xamarin that stood
/// behind another 6 were the known duplicate, the one before them 3.
const SURER: f32 = 0.1;
/// How much of a draft without a title a report has to have of its words to be compared with it word for word.
const ALIKE: f32 = 0.8;
/// The most terms that are kept of what only comments have.
const SAID: usize = 12;

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

/// Where duplicates are looked for.
#[derive(Clone, Debug, Default)]
pub struct Scope {
    /// Conditions on the candidates.
    pub filters: Vec<Filter>,
}

/// What sources taught: their background, and their duplicates.
#[derive(Debug)]
pub struct Taught {
    /// Those of the one source that is looked at.
    own: Option<Table>,
    /// Those of each source, by row id, where several are looked at.
    tables: BTreeMap<i64, Table>,
    /// How long it takes in the one source until something is reported again.
    pace: f64,
}

/// What a check works on.
#[derive(Clone, Copy)]
pub struct Checker<'a> {
    /// The texts, the indexes, the model.
    pub parts: Parts<'a>,
    /// What evidence is worth.
    pub table: &'a Table,
    /// What it is worth in sources with duplicates of their own, by row id, where several are looked at.
    pub tables: &'a BTreeMap<i64, Table>,
    /// How many times as long as elsewhere it takes until something is reported again, in the one source that is looked at.
    pub pace: f64,
    /// What was said on the candidates that it met.
    pub heard: &'a Heard,
}

impl<'a> std::ops::Deref for Checker<'a> {
    type Target = Parts<'a>;

    fn deref(&self) -> &Parts<'a> {
        &self.parts
    }
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
    /// What a closer look at it showed, if one was taken.
    pub closer: Closer,
    /// Terms of the draft that only the comments on it have, the weightiest first.
    pub said: Vec<String>,
    /// What it says word for word as the draft does; of the first `READ` alone.
    pub reading: Option<Reading>,
    /// The logarithm of its share in the softmax over the candidates.
    pub share: f32,
    /// The probability that it is worth reading, 0..1.
    pub worth: f32,
    /// What decides the order.
    pub score: f32,
    /// The probability that it is a duplicate, 0..1.
    pub confidence: f32,
}

/// What is read of a candidate for a closer look.
struct Read {
    title: String,
    author: Option<Person>,
    said: Comments,
    twin: Option<Twin>,
}

impl Scored {
    /// What it is judged by.
    fn seen(&self) -> Seen<'_> {
        Seen { features: &self.features, share: self.share, reading: self.reading.as_ref() }
    }

    /// Whether a rule decides how sure an answer it may be.
    fn is_ruled(&self) -> bool {
        let bounded = |read: &Reading| read.bounds().iter().any(|bound| *bound > 0.0);
        self.features.is_copy() || self.features.is_series() || self.reading.as_ref().is_some_and(bounded)
    }
}

impl<'a> Checker<'a> {
    /// One that goes by this table in every source.
    pub fn new(parts: Parts<'a>, table: &'a Table, heard: &'a Heard) -> Self {
        const NONE: &BTreeMap<i64, Table> = &BTreeMap::new();
        Self { parts, table, tables: NONE, pace: 1.0, heard }
    }

    /// The table that states how sure an answer of this source may be.
    fn table_of(&self, source: i64) -> &Table {
        self.tables.get(&source).unwrap_or(self.table)
    }

    /// What is known of one source but for what its own duplicates taught.
    ///
    /// # Errors
    /// Those of the database.
    pub fn unmarked(&self, r: &precedent_store::Reader<'_>, source: &SourceRow) -> Result<Taught> {
        let own = self.in_front_of(r, source, self.basis().as_deref())?;
        Ok(Taught { own, tables: BTreeMap::new(), pace: r.pace(source.id)? })
    }

    /// What tells backgrounds that were taken with these weights, rules and model from others; `None` without a model.
    fn basis(&self) -> Option<String> {
        self.model().map(|model| self.table.basis(model))
    }

    /// The table before the background of a source, if one is known that was taken with this basis.
    fn in_front_of(
        &self,
        r: &precedent_store::Reader<'_>,
        source: &SourceRow,
        basis: Option<&str>,
    ) -> Result<Option<Table>> {
        let Some(basis) = basis else { return Ok(None) };
        let known = r.background(source.id, basis)?;
        Ok(known.map(|(background, _)| self.table.before(background)))
    }

    /// What is known of one source, or of each where several are looked at. A calibration that does not hold with this model or version
    /// teaches nothing.
    ///
    /// # Errors
    /// Those of the database.
    pub fn taught(&self, r: &precedent_store::Reader<'_>, one: Option<&SourceRow>) -> Result<Taught> {
        // The same for all sources, and a hash of the whole table.
        let basis = self.basis();
        let table = |source: &SourceRow| -> Result<Option<Table>> {
            let here = self.in_front_of(r, source, basis.as_deref())?;
            let calibration = r.calibration(source.id)?;
            let table = here.as_ref().unwrap_or(self.table);
            Ok(calibration.and_then(|c| table.calibrated(&c, self.model())).or(here))
        };
        if let Some(source) = one {
            return Ok(Taught { own: table(source)?, tables: BTreeMap::new(), pace: r.pace(source.id)? });
        }
        let mut tables = BTreeMap::new();
        for source in r.sources()? {
            tables.extend(table(&source)?.map(|table| (source.id, table)));
        }
        Ok(Taught { own: None, tables, pace: 1.0 })
    }

    /// The same with what sources taught.
    pub fn knowing<'b>(&'b self, taught: &'b Taught) -> Checker<'b> {
        let table = taught.own.as_ref().unwrap_or(self.table);
        Checker { table, tables: &taught.tables, pace: taught.pace, ..*self }
    }

    /// A report of the casebook as if it were filed again, without what names its duplicate; `None` if there is no such report.
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

    /// The model whose vectors it compares.
    fn model(&self) -> Option<&str> {
        self.vectors.map(Vectors::fingerprint)
    }

    /// The candidates of a draft with their evidence, best first; ties by id. What says nothing has none, and is none.
    ///
    /// # Errors
    /// Those of the database and the index.
    pub fn scored(&self, draft: &Draft, scope: &Scope, task: &Task) -> Result<Vec<Scored>> {
        // A form that nobody filled in says no more than its title, and the title of an answer is of what was answered.
        let bare;
        let unfilled = blank::is_unfilled(&draft.body);
        let answer = !unfilled && mail::answers(&draft.title) && blank::says_enough(&draft.body);
        let draft = if unfilled {
            bare = Draft { body: Prepared::default(), ..draft.clone() };
            &bare
        } else if answer {
            bare = Draft { title: String::new(), ..draft.clone() };
            &bare
        } else {
            draft
        };
        // Who thanks under an old subject reports nothing.
        if !unfilled && !answer && mail::answers(&draft.title) && phrases::is_thanks(draft.body.prose()) {
            return Ok(Vec::new());
        }
        let asked = draft.document.is_none() && blank::names_number(&draft.title);
        if !asked && blank::is_blank(&draft.title, &draft.body) {
            return Ok(Vec::new());
        }
        let mut filters = scope.filters.clone();
        // What its source gave no time may be earlier. Of what was made in the same second as a document, which itself is found with
        // it, its place tells.
        let now = draft.made_at.as_second();
        let itself = draft.document.is_some();
        let (later, depth) = (now.saturating_add(i64::from(itself)), DEPTH + usize::from(itself));
        filters.push(Filter { test: Test::Time(TimeField::Created, Some(later), None), negated: true });
        let report = Report::new(&draft.title, &draft.body);
        let terms = self.fulltext.report_terms(&report)?;
        let mut ids: Vec<i64> =
            self.fulltext.similar(&terms, &filters, depth)?.into_iter().map(|(id, _)| id).collect();
        task.check()?;
        let queries = self.queries(draft, unfilled || answer)?;
        if let (Some(vectors), Some((_, text))) = (self.vectors, &queries) {
            let allowed = self.fulltext.allowed(&filters)?;
            ids.extend(vectors.search(text, allowed.as_deref(), depth)?.iter().map(|n| n.document));
        }
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| Some(*id) != draft.document);
        task.check()?;
        let mut overlaps = self.fulltext.overlaps(&terms, &ids)?;
        if let Some(document) = draft.document {
            let open: Vec<i64> = (ids.iter().zip(&overlaps))
                .filter(|(_, overlap)| overlap.created.is_none_or(|created| created == now))
                .map(|(id, _)| *id)
                .collect();
            let later = self.store.read(|r| r.not_earlier(document, &open))?;
            (ids, overlaps) =
                ids.into_iter().zip(overlaps).filter(|(id, _)| later.binary_search(id).is_err()).unzip();
        }
        let likeness = match (self.vectors, &queries) {
            (Some(vectors), Some((title, text))) => Some(vectors.compare(title, text, &ids)?),
            _ => None,
        };
        let expected = likeness.clone().map(|mut likeness| {
            features::fill_missing(&mut likeness, &overlaps);
            likeness
        });
        let mut evidence: Vec<Evidence<'_>> = overlaps
            .iter()
            .enumerate()
            .map(|(i, overlap)| Evidence {
                overlap,
                likeness: expected.as_ref().and_then(|l| l.get(i)),
                closer: None,
            })
            .collect();
        let best = Best::of(evidence.iter().copied());
        let features = |evidence: &Evidence<'_>| Features::new(evidence, &best, draft.made_at, self.pace);
        let mut by: Vec<(f32, usize)> =
            evidence.iter().enumerate().map(|(i, e)| (self.table.score(&features(e)), i)).collect();
        by.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // An exact copy has the most words in common, whatever the fitted weights make of them without vectors.
        let mut rest = by.split_off(by.len().min(SHORT_LIST));
        rest.sort_by(|a, b| overlaps[b.1].words.total_cmp(&overlaps[a.1].words).then(a.1.cmp(&b.1)));
        by.extend(rest.into_iter().take(FULLEST));
        let short: Vec<(i64, &Overlap)> = by.iter().map(|(_, i)| (ids[*i], &overlaps[*i])).collect();
        let mut said = vec![Vec::new(); ids.len()];
        for ((_, i), (closer, terms)) in
            by.iter().zip(self.look_closer(draft, &report, scope, &terms, queries.as_ref(), &short)?)
        {
            evidence[*i].closer = Some(closer);
            said[*i] = terms;
        }
        let features: Vec<Features> = evidence.iter().map(features).collect();
        let ranked = self.table.ranked(&features);
        let first: Vec<i64> = ranked.iter().take(READ).map(|one| ids[one.at]).collect();
        let mut readings = self.readings(draft, &first)?.into_iter();
        let mut scored: Vec<Scored> = ranked
            .into_iter()
            .filter_map(|Worth { at, score, share }| {
                let reading = readings.next().flatten();
                let closer = evidence[at].closer.unwrap_or_default();
                // What says nothing is no candidate.
                if closer.form || reading.as_ref().is_some_and(|(.., empty)| *empty) {
                    return None;
                }
                let table = match &reading {
                    Some((source, ..)) => self.table_of(*source),
                    None => self.table,
                };
                let reading = reading.map(|(_, reading, _)| reading);
                let seen = Seen { features: &features[at], share, reading: reading.as_ref() };
                let Judged { same, worth } = table.judge(&seen);
                let same = match &reading {
                    Some(read) if !features[at].is_series() => same.max(read.least()),
                    _ => same,
                };
                let most = reading.as_ref().map_or(1.0, Reading::most);
                let same = if features[at].is_copy() { same } else { same.min(most) };
                Some(Scored {
                    document: ids[at],
                    features: features[at],
                    cosine: likeness.as_ref().and_then(|l| l.get(at)).and_then(|l| l.text_text),
                    closer,
                    said: std::mem::take(&mut said[at]),
                    reading,
                    share,
                    score,
                    confidence: same,
                    worth,
                })
            })
            .collect();
        // What a code tells, whatever the language around it, comes before what is less sure, and so does what is probably the same.
        for at in 1..scored.len() {
            let sure = scored[at].confidence;
            let coded = scored[at].reading.as_ref().is_some_and(|read| read.rare_code);
            let less = |one: &Scored| {
                let surer = sure >= LIKELY && sure - one.confidence >= SURER && !self.table.is_own();
                surer || coded && one.confidence < sure
            };
            if let Some(first) = scored[..at].iter().position(less) {
                scored[first..=at].rotate_right(1);
            }
        }
        // Nothing that is further down is surer than what is above it.
        let mut least = 1.0_f32;
        for one in &mut scored {
            least = least.min(one.confidence);
            one.confidence = least;
        }
        Ok(scored)
    }

    /// What titles, authors and comments of these candidates say of a draft, and the terms of it that the comments alone have.
    fn look_closer(
        &self,
        draft: &Draft,
        report: &Report,
        scope: &Scope,
        terms: &ReportTerms,
        queries: Option<&(Vec<f32>, Vec<f32>)>,
        short: &[(i64, &Overlap)],
    ) -> Result<Vec<(Closer, Vec<String>)>> {
        let own = Worded::new(&draft.title, &draft.body);
        let read: Vec<Read> = self.store.read(|r| {
            let one = |(id, overlap): &(i64, &Overlap)| {
                let (title, author) = r.title_and_author(*id)?;
                let alike = if draft.title.is_empty() { overlap.words >= ALIKE } else { own.may_be(&title) };
                let twin = match if alike { r.document(*id)? } else { None } {
                    Some(row) => {
                        // A draft was shortened to what informs, so its copy is, too.
                        let text = match draft.document {
                            Some(_) => row.body.as_str().into(),
                            None => informative(&row.body),
                        };
                        let body = Prepared::body(&text, &r.skeleton(row.source_id)?);
                        own.twin(&Worded::new(&title, &body))
                    }
                    None => None,
                };
                let said = self.heard.read(r, *id, draft.made_at)?;
                Ok(Read { title, author, said, twin })
            };
            short.iter().map(one).collect::<Result<_>>()
        })?;
        let heard: Vec<Arc<[Comment]>> = read.par_iter().map(|read| self.heard.terms(&read.said)).collect();
        let comments: Vec<&[Comment]> = heard.iter().map(|all| said::before(all, draft.made_at)).collect();
        let near = match (self.said, queries) {
            (Some(vectors), Some((title, text))) => {
                let ids = |((id, _), comments): (&(i64, _), &&[Comment])| {
                    (*id, comments.iter().map(|comment| comment.id).collect())
                };
                let documents: Vec<_> = short.iter().zip(&comments).map(ids).collect();
                vectors.compare_said(title, text, &documents)?
            }
            _ => vec![NearestSaid::default(); short.len()],
        };
        let reports = |f: &&Filter| matches!(f.test, Test::Source(_) | Test::Kind(_));
        let reports: Vec<Filter> = scope.filters.iter().filter(reports).cloned().collect();
        let author = match &draft.author {
            Some(author) if self.fulltext.reports_for_others(&author.login, &reports)? => &None,
            author => author,
        };
        // A title that reports of other content have, too, is that of a form (docs/decisions/0011).
        let same_title = read.iter().filter(|one| own.has_title(&one.title)).count();
        let copies = read.iter().filter(|one| one.twin == Some(Twin::Copy)).count();
        let is_form = own.is_short() && same_title >= copies + GENERIC_TITLE;
        let (said, headline) = (terms.said(), terms.headline(report));
        type One<'a> = (((&'a Read, &'a &'a [Comment]), &'a NearestSaid), &'a (i64, &'a Overlap));
        let look = |(((read, comments), near), (_, own)): One<'_>| {
            let (said_anew, found) = said.anew(own, comments.iter().map(|comment| &*comment.terms));
            let closer = Closer {
                comments: comments.len(),
                last: comments.first().map(|comment| comment.at),
                said_anew,
                near: *near,
                same_title: headline.same(own, &read.title),
                same_author: read.author.is_some() && read.author == *author,
                copy: matches!(read.twin, Some(Twin::Copy | Twin::Again(..))) && !is_form,
                series: matches!(read.twin, Some(Twin::Series(..) | Twin::Parts(_))),
                form: read.twin == Some(Twin::Form) || (is_form && read.twin == Some(Twin::Copy)),
            };
            (closer, found.into_iter().take(SAID).map(str::to_owned).collect())
        };
        Ok(read.iter().zip(&comments).zip(&near).zip(short).map(look).collect())
    }

    /// Reads these candidates beside the draft, with the source of each, and whether it says nothing; nothing of one that is gone.
    fn readings(&self, draft: &Draft, ids: &[i64]) -> Result<Vec<Option<(i64, Reading, bool)>>> {
        type Text = (i64, String, Prepared);
        let texts: Vec<Option<Text>> = self.store.read(|r| {
            let one = |id: &i64| {
                let Some(row) = r.document(*id)? else { return Ok(None) };
                let body = Prepared::body(&row.body, &r.skeleton(row.source_id)?);
                Ok(Some((row.source_id, row.title, body)))
            };
            ids.iter().map(one).collect::<Result<_>>()
        })?;
        let reader = Reader::new(self.fulltext, draft);
        let same_title = texts.iter().flatten().filter(|(_, title, _)| reader.has_title(title)).count();
        let common = same_title >= COMMON || is_request(&draft.title);
        let read = |text: &Option<Text>| {
            let one = |(source, title, body): &Text| {
                let unfilled = blank::is_unfilled(body);
                let none = Prepared::default();
                let empty = blank::is_blank(title, if unfilled { &none } else { body });
                let mut reading = reader.read(title, body)?;
                reading.common_title = common && reader.has_title(title);
                Ok((*source, reading, empty))
            };
            text.as_ref().map(one).transpose()
        };
        texts.par_iter().map(read).collect()
    }

    /// The vectors of a draft's title and of the beginning of its text; stored ones where there are any, unless they are wanted
    /// anew.
    fn queries(&self, draft: &Draft, anew: bool) -> Result<Option<(Vec<f32>, Vec<f32>)>> {
        let Some(vectors) = self.vectors else { return Ok(None) };
        if let Some(document) = draft.document.filter(|_| !anew)
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
