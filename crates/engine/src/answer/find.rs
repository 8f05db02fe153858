//! The search for the matches of a draft: candidates, evidence, ranking and confidence.

use std::{
    borrow::Cow,
    collections::{BTreeSet, HashMap, HashSet},
    sync::Arc,
};

use jiff::Timestamp;
use rayon::prelude::*;

use super::{
    Draft, Match, MatchFinder, Scope,
    comment_terms::{self, Comment, Comments},
    confidence::{Confidence, PairEvidence},
    explain,
    features::{CandidateDetails, Evidence, Features, Maxima, fill_missing_cosines},
    languages::LanguageMatches,
    low_content,
    near_duplicate::{NearDuplicate, TokenizedReport},
    question_model::QuestionModel,
    ranking::{GENERIC_CEILING, MODEL_CEILING, RankedCandidate, RankingModel},
    text_overlap::{OverlapComparer, RARE_DOCUMENTS, TextOverlap},
};
use crate::search::report_texts;
use precedent_core::{error::Result, task::Task};
use precedent_index::{
    filter::{Filter, Test, TimeField},
    fulltext::{Overlap, ReportTerms, TermKind, Words},
    vectors::{CommentLikeness, Likeness},
};
use precedent_store::{Person, Reader};
use precedent_text::{
    mail,
    prepare::PreparedText,
    reference::{Relation, may_contain_project_key, references_with_projects},
    report::Report,
    salient::{extract_salient, is_failure},
    signature::{Signature, constant_runs, is_generic_message},
    tokens,
    trace::{frames, may_be_frame},
};

/// The number of candidates that each arm proposes.
const ARM_DEPTH: usize = 200;
/// The number of top candidates compared in detail: with half as many, recall@10 is up to 0.003
/// lower.
const SHORT_LIST: usize = 64;
/// The number of further candidates compared in detail: those with the highest word overlap.
const OVERLAP_SHORT_LIST: usize = 8;
/// The number of top candidates whose text overlap is computed, both overall and in the view.
const MAX_OVERLAPS: usize = 10;
/// The minimum number of other reports with the same title that makes it generic.
const MIN_GENERIC_TITLES: usize = 2;
/// The confidence ceiling of an answer to a question if it lacks the rare lines and codes of the
/// question that other candidates contain.
const OTHER_LINE_CEILING: f32 = 0.45;
/// The minimum word overlap of a candidate for a word-for-word comparison with an untitled draft.
const MIN_WORD_OVERLAP: f32 = 0.8;
/// The minimum number of consecutive words that identify a line.
const MIN_LINE_WORDS: usize = 6;
/// The number of messages at the end of an error chain that are looked up.
const MAX_MESSAGES: usize = 2;
/// The minimum number of words of a message at the end of an error chain that is looked up.
const MIN_MESSAGE_WORDS: usize = 4;
/// The maximum number of bytes read of each line.
const MAX_LINE: usize = 400;
/// The maximum number of lines read of each text.
const MAX_LINES: usize = 400;
/// The maximum number of lines of a text that are looked up, longest first.
const MAX_PHRASES: usize = 6;
/// The maximum number of terms kept per candidate that occur only in its comments.
const MAX_COMMENT_TERMS: usize = 12;

/// The unit vectors of a draft's title and of the beginning of its text.
type QueryVectors = (Vec<f32>, Vec<f32>);

/// The candidates of a draft with their index data.
struct Retrieval {
    ids: Vec<i64>,
    overlaps: Vec<Overlap>,
    likeness: Option<Vec<Likeness>>,
    /// The candidates that contain a rare failure, code or line of the draft, in their text or in
    /// comments.
    rare_match_ids: Vec<i64>,
    vectors: Option<QueryVectors>,
    /// The nearest documents in the index for other languages, if it has any for the draft.
    languages: Option<LanguageMatches>,
    report: Report,
    terms: ReportTerms,
}

/// The content of a candidate for the detailed comparison.
struct CandidateText {
    title: String,
    author: Option<Person>,
    /// The time before which comments are evidence.
    comments_until: Timestamp,
    comments: Comments,
    near_duplicate: Option<NearDuplicate>,
}

impl MatchFinder<'_> {
    /// Finds the earlier documents that match a draft, likely duplicates first, then by score; ties
    /// by id. A draft without content has no matches.
    pub fn find(&self, draft: &Draft, scope: &Scope, task: &Task) -> Result<Vec<Match>> {
        let Some((draft, is_changed)) = comparable_part(draft) else { return Ok(Vec::new()) };
        let hits = self.retrieve(&draft, is_changed, scope, task)?;
        let (features, mut details) = self.compute_features(&draft, scope, &hits)?;
        let ranking_model = self.ranking_model_for(&draft);
        let ranking = ranking_model.rank(&features);
        let view = self.fulltext.matching_ids(&scope.view_filters)?;
        let is_in_view = |id: i64| {
            view.as_ref().is_none_or(|ids| usize::try_from(id).is_ok_and(|id| ids.contains(id)))
        };
        let (mut rank, mut view_rank) = (0, 0);
        let mut needs_overlap = |id: i64| {
            rank += 1;
            let in_view = is_in_view(id);
            view_rank += usize::from(in_view);
            rank <= MAX_OVERLAPS
                || in_view && view_rank <= MAX_OVERLAPS
                || hits.rare_match_ids.contains(&id)
        };
        let ids: Vec<i64> = ranking
            .iter()
            .map(|item| hits.ids[item.index])
            .filter(|id| needs_overlap(*id))
            .collect();
        let overlaps = self.read_overlaps(&draft, &ids, &hits.rare_match_ids)?;
        let mut overlaps: HashMap<i64, _> = ids.into_iter().zip(overlaps).collect();
        let is_generic = draft.is_generic_question();
        let is_same_failure = |id: &i64| {
            overlaps.get(id).and_then(Option::as_ref).is_some_and(|(_, o, _)| o.is_same_failure())
        };
        let same_failures: Vec<i64> = overlaps.keys().copied().filter(is_same_failure).collect();
        let shares_failure = draft.document.is_none()
            && self.store.read(|r| has_several_problems(r, &same_failures))?;
        let is_rare_match = |candidate: &RankedCandidate| {
            let overlap = overlaps.get(&hits.ids[candidate.index]).and_then(Option::as_ref);
            !details[candidate.index].is_form
                && matches!(overlap, Some((_, overlap, false)) if overlap.rare_signature)
        };
        let has_rare_match = ranking.iter().any(is_rare_match);
        let mut matches = Vec::with_capacity(ranking.len());
        for RankedCandidate { index, score, log_share: share } in ranking {
            let document = hits.ids[index];
            let (model, overlap) = match overlaps.remove(&document).flatten() {
                // Skip reports without content.
                Some((.., true)) => continue,
                Some((source, overlap, false)) => (self.model_for_source(source), Some(overlap)),
                None => (self.model, None),
            };
            if details[index].is_form {
                continue;
            }
            let evidence =
                PairEvidence { features: &features[index], share, overlap: overlap.as_ref() };
            let Confidence { duplicate, worth } = match draft.document {
                Some(_) => model.confidence(&evidence),
                None => {
                    let has_vectors = hits.likeness.is_some();
                    let probability = QuestionModel::built_in().probability(&evidence, has_vectors);
                    let lacks_line = has_rare_match
                        && !evidence.overlap.is_some_and(|overlap| overlap.rare_signature);
                    let ceiling = match (is_generic, lacks_line) {
                        (true, _) => GENERIC_CEILING,
                        (_, true) => OTHER_LINE_CEILING,
                        _ => MODEL_CEILING,
                    };
                    model.bound_answer(&evidence, probability, ceiling, shares_failure)
                }
            };
            matches.push(Match {
                document,
                in_view: is_in_view(document),
                features: features[index],
                cosine: hits.likeness.as_ref().and_then(|l| l[index].text_text),
                details: std::mem::take(&mut details[index]),
                overlap,
                share,
                worth,
                cross_language_worth: None,
                score,
                confidence: duplicate,
            });
        }
        if let Some(languages) = &hits.languages {
            languages.fuse(&mut matches);
        }
        ranking_model.sort_matches(&mut matches);
        Ok(matches)
    }

    /// Returns the model that ranks the candidates of a draft.
    pub(crate) fn ranking_model_for(&self, draft: &Draft) -> &RankingModel {
        match draft.document {
            Some(_) => self.model,
            None => &QuestionModel::built_in().ranking_model,
        }
    }

    /// Retrieves candidates by full text and by vectors, even if not all vectors exist.
    fn retrieve(
        &self,
        draft: &Draft,
        is_changed: bool,
        scope: &Scope,
        task: &Task,
    ) -> Result<Retrieval> {
        let mut filters = scope.filters.clone();
        // Keep candidates without a date, which may be earlier. Ties within a second are broken by
        // number.
        let until = draft.until.as_second();
        let is_stored = draft.document.is_some();
        let (end, depth) =
            (until.saturating_add(i64::from(is_stored)), ARM_DEPTH + usize::from(is_stored));
        filters.push(Filter {
            test: Test::Time(TimeField::Created, Some(end), None),
            is_negated: true,
        });
        let report = Report::new(&draft.title, &draft.body);
        let terms = self.fulltext.report_terms(&report)?;
        let mut ids: Vec<i64> = self
            .fulltext
            .similar_documents(&terms, &filters, depth)?
            .into_iter()
            .map(|(id, _)| id)
            .collect();
        task.check()?;
        let vectors = self.query_vectors(draft, is_changed)?;
        if let (Some(index), Some((_, text))) = (self.vectors, &vectors) {
            let filter_ids = self.fulltext.matching_ids(&filters)?;
            ids.extend(
                index.search(text, filter_ids.as_deref(), depth)?.iter().map(|n| n.document),
            );
        }
        let mut rare_match_ids = self.documents_with_signatures(draft, &filters)?;
        rare_match_ids.extend(self.documents_with_lines(draft, &filters)?);
        ids.extend(&rare_match_ids);
        let languages = self.language_matches(draft, &filters, depth)?;
        ids.extend(languages.iter().flat_map(LanguageMatches::ids));
        ids.sort_unstable();
        ids.dedup();
        ids.retain(|id| Some(*id) != draft.document);
        task.check()?;
        let mut overlaps = self.fulltext.overlaps(&terms, &ids)?;
        if let Some(document) = draft.document {
            let ties: Vec<i64> = (ids.iter().zip(&overlaps))
                .filter(|(_, overlap)| overlap.created_at.is_none_or(|time| time == until))
                .map(|(id, _)| *id)
                .collect();
            let later_ids = self.store.read(|r| r.exclude_earlier(document, &ties))?;
            (ids, overlaps) = ids
                .into_iter()
                .zip(overlaps)
                .filter(|(id, _)| later_ids.binary_search(id).is_err())
                .unzip();
        }
        let likeness = match (self.vectors, &vectors) {
            (Some(index), Some((title, text))) => Some(index.compare(title, text, &ids)?),
            _ => None,
        };
        Ok(Retrieval { ids, overlaps, likeness, rare_match_ids, vectors, languages, report, terms })
    }

    /// Returns the documents that contain a rare, application-specific failure or code of the
    /// draft.
    fn documents_with_signatures(&self, draft: &Draft, filters: &[Filter]) -> Result<Vec<i64>> {
        let is_specific = |s: &Signature| s.is_distinctive() && !s.is_generic();
        let signatures = draft.body.signatures(&draft.title).into_iter().filter(is_specific);
        let terms: Vec<String> = signatures.map(|s| s.term()).collect();
        let counts = self.fulltext.document_counts(TermKind::Signature, &terms)?;
        let is_rare =
            |(_, documents): &(String, u64)| (1..=RARE_DOCUMENTS as u64).contains(documents);
        let rare: Vec<String> =
            terms.into_iter().zip(counts).filter(is_rare).map(|(term, _)| term).collect();
        let matches = self.fulltext.search_signatures(&rare, filters, SHORT_LIST)?;
        Ok(matches.into_iter().map(|(id, _)| id).collect())
    }

    /// Returns the documents whose threads contain a long, rare line of pasted text. Returns none
    /// for a stored report, which is compared by words alone.
    fn documents_with_lines(&self, draft: &Draft, filters: &[Filter]) -> Result<Vec<i64>> {
        if draft.document.is_some() {
            return Ok(Vec::new());
        }
        let text = draft.body.whole(&draft.title);
        let mut seen = HashSet::new();
        let mut lines: Vec<Vec<Vec<String>>> = text
            .lines()
            .take(MAX_LINES)
            .filter(|line| !may_be_frame(line) || frames(line).is_empty())
            .map(|line| line_phrases(&line[..line.floor_char_boundary(MAX_LINE)]))
            .filter(|phrases| !phrases.is_empty() && seen.insert(phrases.clone()))
            .collect();
        lines.sort_by_key(|phrases| std::cmp::Reverse(phrases[0].len()));
        let mut documents = Vec::new();
        let mut phrases_seen = HashSet::new();
        for phrases in lines.into_iter().take(MAX_PHRASES) {
            for terms in phrases.into_iter().filter(|terms| phrases_seen.insert(terms.clone())) {
                let words = Words { phrases: vec![terms], ..Words::default() };
                let matches = self.fulltext.search(&words, filters, RARE_DOCUMENTS + 1)?;
                if !matches.is_empty() {
                    if matches.len() <= RARE_DOCUMENTS {
                        documents.extend(matches.into_iter().map(|(id, _)| id));
                    }
                    break;
                }
            }
        }
        Ok(documents)
    }

    /// Computes the features of all candidates, with details for those compared in detail.
    fn compute_features(
        &self,
        draft: &Draft,
        scope: &Scope,
        hits: &Retrieval,
    ) -> Result<(Vec<Features>, Vec<CandidateDetails>)> {
        let overlaps = &hits.overlaps;
        let likenesses = hits.likeness.clone().map(|mut likeness| {
            fill_missing_cosines(&mut likeness, overlaps);
            likeness
        });
        let mut evidence: Vec<Evidence<'_>> = overlaps
            .iter()
            .enumerate()
            .map(|(i, overlap)| Evidence {
                overlap,
                likeness: likenesses.as_ref().and_then(|l| l.get(i)),
                details: None,
            })
            .collect();
        let best = Maxima::new(evidence.iter().copied());
        let features = |evidence: &Evidence<'_>| {
            Features::new(evidence, &best, draft.made_at, self.time_scale)
        };
        let model = self.ranking_model_for(draft);
        let mut order: Vec<(f32, usize)> =
            evidence.iter().enumerate().map(|(i, e)| (model.score(&features(e)), i)).collect();
        order.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        // Include the highest word overlaps: an exact copy has one, even if its score without
        // vectors is low.
        let mut other_matches = order.split_off(order.len().min(SHORT_LIST));
        other_matches.sort_by(|a, b| {
            overlaps[b.1].words.total_cmp(&overlaps[a.1].words).then(a.1.cmp(&b.1))
        });
        order.extend(other_matches.into_iter().take(OVERLAP_SHORT_LIST));
        let mut details = vec![CandidateDetails::default(); hits.ids.len()];
        let short_list: Vec<usize> = order.into_iter().map(|(_, i)| i).collect();
        let detail_list = self.compare_details(draft, scope, hits, &short_list)?;
        for (index, detail) in short_list.iter().zip(detail_list) {
            details[*index] = detail;
        }
        short_list.iter().for_each(|index| evidence[*index].details = Some(&details[*index]));
        Ok((evidence.iter().map(features).collect(), details))
    }

    /// Compares the titles, authors and comments of these candidates with a draft.
    fn compare_details(
        &self,
        draft: &Draft,
        scope: &Scope,
        hits: &Retrieval,
        short_list: &[usize],
    ) -> Result<Vec<CandidateDetails>> {
        let tokenized_draft = TokenizedReport::new(&draft.title, &draft.body);
        let texts: Vec<CandidateText> = self.store.read(|r| {
            let read_text = |index: &usize| {
                let id = hits.ids[*index];
                let (title, author) = r.title_and_author(id)?;
                let may_match = match draft.title.is_empty() {
                    true => hits.overlaps[*index].words >= MIN_WORD_OVERLAP,
                    false => tokenized_draft.may_match(&title),
                };
                let near_duplicate = match if may_match { r.document(id)? } else { None } {
                    Some(row) => {
                        // A pasted draft was reduced to its salient part, so reduce the candidate
                        // as well.
                        let text = match draft.document {
                            Some(_) => Cow::Borrowed(row.body.as_str()),
                            None => extract_salient(&row.body),
                        };
                        let body = PreparedText::body(&text, &r.skeleton(row.source_id)?);
                        tokenized_draft.compare(&TokenizedReport::new(&title, &body))
                    }
                    None => None,
                };
                let comments_until = draft.later_time(hits.overlaps[*index].created_at);
                let comments = self.comments.load(r, id, comments_until)?;
                Ok(CandidateText { title, author, comments_until, comments, near_duplicate })
            };
            short_list.iter().map(read_text).collect::<Result<_>>()
        })?;
        let terms: Vec<Arc<[Comment]>> =
            texts.par_iter().map(|text| self.comments.terms(&text.comments)).collect();
        let comments: Vec<&[Comment]> = terms
            .iter()
            .zip(&texts)
            .map(|(comments, text)| comment_terms::comments_before(comments, text.comments_until))
            .collect();
        let nearest = match (self.comment_vectors, &hits.vectors) {
            (Some(vectors), Some((title, text))) => {
                let ids = |(index, comments): (&usize, &&[Comment])| {
                    (hits.ids[*index], comments.iter().map(|comment| comment.id).collect())
                };
                let documents: Vec<_> = short_list.iter().zip(&comments).map(ids).collect();
                vectors.compare_comments(title, text, &documents)?
            }
            _ => vec![CommentLikeness::default(); short_list.len()],
        };
        let is_report_filter = |f: &&Filter| matches!(f.test, Test::Source(_) | Test::Kind(_));
        let report_filters: Vec<Filter> =
            scope.filters.iter().filter(is_report_filter).cloned().collect();
        let author = match &draft.author {
            Some(author) if self.fulltext.is_proxy_author(&author.login, &report_filters)? => &None,
            author => author,
        };
        // A title shared by reports with other content belongs to a form (docs/decisions/0011).
        let same_title = texts.iter().filter(|text| tokenized_draft.has_title(&text.title)).count();
        let copies = texts
            .iter()
            .filter(|text| text.near_duplicate == Some(NearDuplicate::ExactCopy))
            .count();
        let is_form = tokenized_draft.is_short() && same_title >= copies + MIN_GENERIC_TITLES;
        // A typed title identifies a report if no other report has it.
        let is_title = |text: &&CandidateText| tokenized_draft.is_title(&text.title);
        let is_unique = draft.document.is_none() && texts.iter().filter(is_title).count() == 1;
        let (matcher, title_matcher) =
            (hits.terms.comment_matcher(), hits.terms.title_matcher(&hits.report));
        let detail = |index: usize| {
            let (text, overlap) = (&texts[index], &hits.overlaps[short_list[index]]);
            let (new_comment_share, terms) =
                matcher.new_words(overlap, comments[index].iter().map(|comment| &*comment.terms));
            let is_copy = text.near_duplicate == Some(NearDuplicate::ExactCopy)
                || is_unique && is_title(&text);
            CandidateDetails {
                comment_count: comments[index].len(),
                last_comment_at: comments[index].first().map(|comment| comment.at),
                new_comment_share,
                comment_terms: terms
                    .into_iter()
                    .take(MAX_COMMENT_TERMS)
                    .map(str::to_owned)
                    .collect(),
                comment_likeness: nearest[index],
                same_title: title_matcher.has_generic_titles(overlap, &text.title),
                same_author: text.author.is_some() && text.author == *author,
                is_copy: is_copy && !is_form,
                template_words: match &text.near_duplicate {
                    Some(NearDuplicate::Templated(a, b)) => Some((a.clone(), b.clone())),
                    _ => None,
                },
                is_form: is_copy && is_form,
            }
        };
        Ok((0..short_list.len()).map(detail).collect())
    }

    /// Returns the source of each candidate, its text overlap with the draft, and whether it has no
    /// content; `None` for a deleted candidate. Candidates in `rare_match_ids` share a rare
    /// failure, code or line with the draft.
    fn read_overlaps(
        &self,
        draft: &Draft,
        ids: &[i64],
        rare_match_ids: &[i64],
    ) -> Result<Vec<Option<(i64, TextOverlap, bool)>>> {
        type Text = (i64, String, PreparedText, bool);
        let texts: Vec<Option<Text>> = self.store.read(|r| {
            let row = draft.document.map(|id| r.document(id)).transpose()?.flatten();
            let own_source = row.map(|row| row.source);
            let text = draft.body.whole(&draft.title);
            let projects = if may_contain_project_key(&text) { r.projects()? } else { Vec::new() };
            let references = references_with_projects(&text, &projects).into_iter();
            let cited_items: BTreeSet<(String, u64)> = references
                .filter(|item| item.relation == Relation::Mentions)
                .filter_map(|item| Some((item.source.or_else(|| own_source.clone())?, item.number)))
                .collect();
            let load = |id: &i64| {
                let Some(row) = r.document(*id)? else { return Ok(None) };
                let body = PreparedText::body(&row.body, &r.skeleton(row.source_id)?);
                let is_cited =
                    row.number.is_some_and(|number| cited_items.contains(&(row.source, number)));
                Ok(Some((row.source_id, row.title, body, is_cited)))
            };
            ids.iter().map(load).collect::<Result<_>>()
        })?;
        let comparer = OverlapComparer::new(self.fulltext, draft);
        let compare = |(text, id): (&Option<Text>, &i64)| {
            let measure = |(source, title, body, is_cited): &Text| {
                let mut overlap = comparer.compare(title, body)?;
                overlap.rare_signature = rare_match_ids.contains(id);
                overlap.is_cited = *is_cited;
                let is_low_content =
                    !overlap.rare_signature && low_content::is_low_content(title, body);
                Ok((*source, overlap, is_low_content))
            };
            text.as_ref().map(measure).transpose()
        };
        texts.par_iter().zip(ids).map(compare).collect()
    }

    /// Returns the vectors of a draft's title and of the beginning of its text; uses stored vectors
    /// unless the draft was changed.
    fn query_vectors(&self, draft: &Draft, is_changed: bool) -> Result<Option<QueryVectors>> {
        let Some(vectors) = self.vectors else { return Ok(None) };
        if let Some(document) = draft.document.filter(|_| !is_changed)
            && let Some(stored_vectors) = vectors.document_vectors(document)?
        {
            return Ok(Some(stored_vectors));
        }
        let (text, title) = report_texts(&draft.title, &draft.body);
        if text.trim().is_empty() {
            return Ok(None);
        }
        let text_vector = (self.embed)(&text)?;
        let title_vector = if title.is_empty() || title == text {
            text_vector.clone()
        } else {
            (self.embed)(&title)?
        };
        Ok(Some((title_vector, text_vector)))
    }
}

/// Returns the part of a draft to compare, and whether that is only a part: the title of an
/// unfilled form, the text of a reply. Returns `None` for a draft without content.
fn comparable_part(draft: &Draft) -> Option<(Cow<'_, Draft>, bool)> {
    if low_content::is_unfilled(&draft.body) {
        let title_only = Draft { body: PreparedText::default(), ..draft.clone() };
        let has_content = !low_content::is_low_content(&title_only.title, &title_only.body);
        return has_content.then_some((Cow::Owned(title_only), true));
    }
    if mail::is_reply_subject(&draft.title) {
        let text_only = Draft { title: String::new(), ..draft.clone() };
        return low_content::has_enough_words(&draft.body).then_some((Cow::Owned(text_only), true));
    }
    // A lone number may be a typed error code.
    let is_code = draft.document.is_none() && explain::has_number(&draft.title);
    let has_content = is_code || !low_content::is_low_content(&draft.title, &draft.body);
    has_content.then_some((Cow::Borrowed(draft), false))
}

/// Returns whether documents report more than one problem: not all have the same canonical report.
fn has_several_problems(r: &Reader<'_>, ids: &[i64]) -> Result<bool> {
    let mut keys = BTreeSet::new();
    for id in ids {
        if let Some(row) = r.document(*id)? {
            keys.insert(r.canonical(&row.key)?.key);
        }
    }
    Ok(keys.len() > 1)
}

/// Returns the phrases to look up for a line, longest first: its runs of constant words inside and
/// outside of quotes, and the last messages of an error chain such as `open: connect: certificate
/// has expired`, whose contexts differ between reports.
fn line_phrases(line: &str) -> Vec<Vec<String>> {
    let terms = |text: &str| -> Vec<String> {
        tokens::words(text).into_iter().map(|word| word.term).collect()
    };
    let runs = constant_runs(line);
    let parts = runs.iter().flat_map(|run| run.split(['"', '“', '”', '„', '`']));
    let mut phrases: Vec<_> =
        parts.map(terms).filter(|terms| terms.len() >= MIN_LINE_WORDS).collect();
    if is_failure(line) {
        let end = runs.last().map_or("", String::as_str);
        phrases.extend(
            end.rmatch_indices(": ")
                .take(MAX_MESSAGES)
                .map(|(at, separator)| &end[at + separator.len()..])
                .filter(|message| !is_generic_message(message))
                .map(terms)
                .filter(|terms| terms.len() >= MIN_MESSAGE_WORDS),
        );
    }
    phrases.sort_by_key(|terms| std::cmp::Reverse(terms.len()));
    phrases.dedup();
    phrases
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_is_looked_up_whole_then_by_its_cause() {
        let phrases = |line: &str| -> Vec<String> {
            line_phrases(line).into_iter().map(|terms| terms.join(" ")).collect()
        };
        assert_eq!(
            phrases("12:00 sync of 7 failed: tls: the peer's certificate has expired"),
            [
                "fail tls the peer certif has expir",
                "tls the peer certif has expir",
                "the peer certif has expir"
            ]
        );
        assert_eq!(
            phrases(r#"We use 3.3 and see "the thread will still run each night" each hour."#),
            ["the thread will still run each night"]
        );
        assert_eq!(phrases("Steps: open the settings dialog"), [""; 0], "no failure");
        assert_eq!(phrases("error: the operation was canceled"), [""; 0], "a generic message");
        assert_eq!(phrases("too short: to say"), [""; 0]);
    }
}
