//! The assembly of a brief.

use std::{collections::BTreeMap, sync::LazyLock};

use super::{cite, display, log, of_change, percent, state, summary};
use crate::{
    answer::{DomainModel, MatchFinder, question::find_anywhere},
    ask, duplicates, search,
    troubleshoot::{self, CaseContext, citation},
};
use precedent_core::{
    error::{Error, Result},
    model::{
        AskResponse, Band, Brief, BriefRecord, BriefRequest, BriefSource, CaseRelation, Citation,
        CommentRole, Disposition, DocKind, DuplicateCandidate, DuplicatesRequest,
        DuplicatesResponse, Entry, LogResponse, Quote, RedactionPreview, Section, SectionKind,
        SolvedCase, TroubleshootRequest, TroubleshootResponse,
    },
    task::Task,
};
use precedent_index::{
    embed::{Engine, NameKind, NameModel, RecognizedName},
    fulltext::{FullText, TermKind},
};
use precedent_redact::{self as redact, KnownNames, NameReader, Recognition, RedactionOptions};
use precedent_store::{DocumentRow, Reader};
use precedent_text::{
    pattern::re,
    prepare::PreparedText,
    salient::{extract_salient, headline},
    signature::Signature,
    tokens,
    version::versions,
};
use regex::Regex;

/// The format version of the record embedded in a brief.
pub(super) const VERSION: u32 = 1;
/// The maximum number of duplicates listed.
const DUPLICATES: usize = 5;
/// The minimum score of a candidate.
const THRESHOLD: f32 = 0.4;
/// The maximum length of the quoted problem, in characters.
const PROBLEM: usize = 6000;

/// A pattern for program output: origins that each end with a colon ("thumbnailer: decoder tiff:
/// unsupported compression 7"), or a time or a level before the message.
static WRITTEN_BY_A_PROGRAM: LazyLock<Regex> = LazyLock::new(|| {
    re(concat!(
        r"(?m)^[>\s]*(?:[\w./\[\]()-]+: (?:[\w./ -]{1,40}: )+\S",
        r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b.{0,40}\b(?:[A-Z]{4,}|error|warn)",
        r"|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC)\b[\]:]? \S|(?:error|fatal|panic)(?:\[\w+\])?: \S)",
    ))
});

/// Returns whether a text quotes program output without marking it as such.
fn quotes_a_line(text: &str) -> bool {
    WRITTEN_BY_A_PROGRAM.is_match(text)
}

/// The components for making briefs.
pub struct BriefContext<'a> {
    /// The finder for the matches of a question.
    pub finder: &'a MatchFinder<'a>,
    /// The vocabulary model of the casebook's reports.
    pub domain: &'a DomainModel,
    /// The model's name, and the minimum similarity of a case worth reading, from its card.
    pub model: Option<(&'a str, f32)>,
    /// The engine of the models, for names in running text.
    pub engine: &'a Engine,
}

impl std::fmt::Debug for BriefContext<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BriefContext").finish_non_exhaustive()
    }
}

/// Assembles a brief. Stores nothing.
///
/// # Errors
/// Errors of the duplicate search and of the search for solved cases.
pub fn brief(context: &BriefContext<'_>, request: &BriefRequest, task: &Task) -> Result<Brief> {
    let store = context.finder.store;
    let (row, as_of, revision) = store.read(|r| {
        let row = request.key.as_deref().map(|key| search::resolve_one(r, key)).transpose()?;
        Ok((row, r.newest_change()?, r.revision()?))
    })?;
    if row.is_none() && request.text.trim().is_empty() && request.logs.is_empty() {
        return Err(Error::invalid("no item or text given for the brief")
            .with_hint("Pass an item (acme/app#12), a question, a report or a log."));
    }
    // The current time is the casebook's last change, so that the clock does not change the brief.
    let now = as_of.unwrap_or_default();
    let cases = CaseContext {
        finder: context.finder,
        domain: context.domain,
        card: context.model.map(|m| m.1),
    };
    let log = match row.is_none() && !request.logs.is_empty() {
        true => Some(log::read_logs(&cases, request, now, task)?),
        false => None,
    };
    let (duplicates, solved_cases, answer) = match &log {
        Some(log) => (None, log::solved_cases(log, request), None),
        None => find_matches(&cases, request, row.as_ref(), now, task)?,
    };
    let text = log.as_ref().map_or_else(|| request.text.clone(), log::text);
    let mut brief = store.read(|r| {
        let title = match (&row, &log) {
            (Some(row), _) => row.title.clone(),
            (None, Some(log)) => log.errors.first().map_or_else(
                || "A log without errors".to_owned(),
                |e| troubleshoot::first_line(&e.group.message),
            ),
            (None, None) => troubleshoot::first_line(&headline(&request.text)),
        };
        let mut writer = Writer {
            reader: r,
            request,
            row: row.as_ref(),
            text: &text,
            log: log.as_ref(),
            sections: Vec::new(),
        };
        let versions = writer.versions_of_report();
        let summary = match (&answer, &log) {
            (Some(answer), _) => Some(summary::of_answer(answer, row.as_ref(), &title, &versions)),
            (None, Some(log)) => Some(summary::of_log(log)),
            (None, None) => None,
        };
        writer.add(SectionKind::Summary, "Summary", summary.into_iter().collect());
        writer.write(duplicates.as_ref(), &solved_cases)?;
        let sections = writer.sections;
        let sources = sources(r, &sections)?;
        let title = row.as_ref().map_or(title.clone(), |row| format!("{} {title}", row.key));
        let request = request.clone();
        let model = context.model.map(|(name, _)| name.to_owned());
        let names_unrecognized = false;
        let record = BriefRecord {
            version: VERSION,
            request,
            revision,
            as_of,
            model,
            names_unrecognized,
            sources,
        };
        Ok(Brief { title, sections, redactions: Vec::new(), record })
    })?;
    display::clean(&mut brief);
    if request.redact {
        let (names, is_complete) = names(context, &brief, row.as_ref(), task)?;
        redact::redact(&mut brief, &names, &RedactionOptions::from_request(request));
        brief.record.names_unrecognized = !is_complete;
        // Remove folders, because they may name their owner.
        for path in &mut brief.record.request.logs {
            *path = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        }
    }
    Ok(brief)
}

/// Returns the duplicates of an item or a text, if requested, its solved cases and the answer.
fn find_matches(
    cases: &CaseContext<'_>,
    request: &BriefRequest,
    row: Option<&DocumentRow>,
    now: jiff::Timestamp,
    task: &Task,
) -> Result<(Option<DuplicatesResponse>, TroubleshootResponse, Option<AskResponse>)> {
    let wants = !request.without.contains(&SectionKind::Duplicates)
        && row.is_none_or(|row| matches!(row.kind, DocKind::Issue | DocKind::PullRequest));
    let ask = DuplicatesRequest {
        key: row.map(|row| row.key.clone()),
        // The duplicate search detects the title itself.
        body: request.text.clone(),
        source: request.source.clone(),
        include_closed: true,
        threshold: THRESHOLD,
        max_candidates: DUPLICATES,
        ..DuplicatesRequest::default()
    };
    let mut duplicates =
        if wants { Some(duplicates::check_only(cases.finder, &ask, now, task)?) } else { None };
    task.check()?;
    let query = (request.key.as_deref(), &*request.text, request.source.as_deref());
    let matches = find_anywhere(cases.finder, query, now, task)?;
    let ask = TroubleshootRequest {
        settings: request.troubleshooting.clone(),
        ..TroubleshootRequest::default()
    };
    let (mut response, similar) =
        ask::find_cases(cases, &matches, &ask, ask::MAX_CANDIDATES, task)?;
    let mut answer = ask::respond(cases, &matches, response.clone(), &similar)?;
    summary::leave_out(&mut answer, request);
    let stays = |key: &String| !request.leave_out.contains(key);
    if let Some(duplicates) = &mut duplicates {
        duplicates.candidates.retain(|c| stays(&c.key));
        duplicates.known = duplicates.known.take().filter(|k| stays(&k.key));
    }
    response.cases.retain(|c| stays(&c.key));
    response.wiki.retain(|page| stays(&page.key));
    Ok((duplicates, response, Some(answer)))
}

/// Returns the texts that redaction would replace in the requested brief, with their kinds.
///
/// # Errors
/// Same as [`brief`].
pub fn preview(
    context: &BriefContext<'_>,
    request: &BriefRequest,
    task: &Task,
) -> Result<Vec<RedactionPreview>> {
    let plain = brief(context, &BriefRequest { redact: false, ..request.clone() }, task)?;
    let row = context
        .finder
        .store
        .read(|r| request.key.as_deref().map(|key| search::resolve_one(r, key)).transpose())?;
    let (names, _) = names(context, &plain, row.as_ref(), task)?;
    Ok(redact::preview(&plain, &names, &RedactionOptions::from_request(request)))
}

/// The number of bytes of a brief that the model of names reads, shorter texts first: 1.5 s at 23 ms
/// a kilobyte full of names.
const READ_BY_MODEL: usize = 64_000;
/// A word in more documents than this, and in more than one of [`COMMON_SHARE`], is common. A name
/// of common words is a product's.
const COMMON: u64 = 5;
/// See [`COMMON`].
const COMMON_SHARE: u64 = 250;

/// Returns the names in a brief, its logins and the names that the model recognizes in its texts,
/// and whether there is a model. Without it there are only logins.
pub(crate) fn names(
    context: &BriefContext<'_>,
    brief: &Brief,
    row: Option<&DocumentRow>,
    task: &Task,
) -> Result<(KnownNames, bool)> {
    let logins = context.finder.store.read(|r| people(r, brief, row))?;
    let mut names = KnownNames::from_logins(logins);
    let Ok(Some(mut model)) = context.engine.load_names() else { return Ok((names, false)) };
    let fulltext = context.finder.fulltext;
    let common = COMMON.max(fulltext.count()? / COMMON_SHARE);
    let mut reader = Reading { model: &mut model, fulltext, common, task };
    let mut texts: Vec<String> = redact::texts(brief).into_iter().collect();
    texts.sort_by_key(String::len);
    let mut bytes_left = READ_BY_MODEL;
    for text in texts {
        let text = &text[..text.floor_char_boundary(bytes_left)];
        bytes_left -= text.len();
        names.recognize(text, &mut reader)?;
    }
    Ok((names, true))
}

/// The model for names, and the casebook's frequencies of words.
struct Reading<'a> {
    model: &'a mut NameModel,
    fulltext: &'a FullText,
    common: u64,
    task: &'a Task,
}

impl NameReader for Reading<'_> {
    fn names(&mut self, text: &str) -> Result<Vec<Recognition>> {
        let names = self.model.names(text, self.task)?.into_iter();
        let recognition = |name: RecognizedName| Recognition {
            is_person: name.kind == NameKind::Person,
            range: name.range,
            score: name.score,
        };
        Ok(names.map(recognition).collect())
    }

    fn is_common(&mut self, name: &str) -> Result<bool> {
        let words = tokens::words(name).into_iter().map(|word| word.term);
        // The version behind a product's name is rare.
        let words: Vec<String> = words.filter(|word| word.contains(char::is_alphabetic)).collect();
        let documents = self.fulltext.document_counts(TermKind::Word, &words)?;
        Ok(!words.is_empty() && documents.iter().all(|documents| *documents > self.common))
    }
}

/// Returns the logins that a brief may contain.
fn people(r: &Reader<'_>, brief: &Brief, row: Option<&DocumentRow>) -> Result<Vec<String>> {
    let mut out = Vec::new();
    let mut keys: Vec<&str> = brief.record.sources.iter().map(|s| s.key.as_str()).collect();
    keys.extend(row.map(|row| row.key.as_str()));
    for key in keys {
        let Some(row) = r.document_by_key(key)? else { continue };
        out.extend(row.author.login.clone());
        out.extend(r.comments(&row)?.into_iter().filter_map(|c| c.author.login));
    }
    out.sort_unstable();
    out.dedup();
    Ok(out)
}

/// Returns the sources that these sections cite, in citation order.
fn sources(r: &Reader<'_>, sections: &[Section]) -> Result<Vec<BriefSource>> {
    let mut out: Vec<BriefSource> = Vec::new();
    for c in sections.iter().flat_map(|s| &s.entries).flat_map(|e| &e.citations) {
        if out.iter().any(|s| s.key == c.key) {
            continue;
        }
        let Some(row) = r.document_by_key(&c.key)? else { continue };
        out.push(BriefSource {
            citation: citation(&row),
            comments: r.comments(&row)?.len() as u64,
            key: row.key,
            title: row.title,
            url: row.url,
            state: row.state,
            state_reason: row.state_reason,
            updated_at: row.updated_at,
        });
    }
    Ok(out)
}

struct Writer<'a> {
    reader: &'a Reader<'a>,
    request: &'a BriefRequest,
    row: Option<&'a DocumentRow>,
    /// The query text, if the brief is not about an item.
    text: &'a str,
    log: Option<&'a LogResponse>,
    sections: Vec<Section>,
}

impl Writer<'_> {
    fn write(
        &mut self,
        duplicates: Option<&DuplicatesResponse>,
        cases: &TroubleshootResponse,
    ) -> Result<()> {
        match self.log {
            Some(log) => self.add(SectionKind::Log, "Errors in the log", log::entries(log)),
            None => self.problem(),
        }
        if let Some(duplicates) = duplicates {
            self.duplicates(duplicates)?;
        }
        self.cases(cases);
        let wiki = cases.wiki.iter().map(|page| Entry {
            heading: Some(page.title.clone()),
            quote: Some(Quote {
                author: None,
                role: None,
                day: None,
                text: page.text.clone(),
                excerpt: true,
            }),
            citations: vec![Citation {
                label: page.citation.clone(),
                key: page.key.clone(),
                url: page.url.clone(),
            }],
            ..Entry::default()
        });
        self.add(SectionKind::Wiki, "From the wiki", wiki.collect());
        self.versions(cases);
        self.people(cases);
        self.questions(duplicates, cases);
        self.notes()
    }

    fn add(&mut self, kind: SectionKind, title: &str, entries: Vec<Entry>) {
        if !entries.is_empty() && !self.request.without.contains(&kind) {
            self.sections.push(Section { kind, title: title.to_owned(), entries });
        }
    }

    /// Returns the title and text that the brief is about.
    fn text(&self) -> (&str, &str) {
        match self.row {
            Some(row) => (&row.title, &row.body),
            None => ("", self.text),
        }
    }

    /// Returns the product's name.
    fn product(&self) -> &str {
        self.row
            .map(|row| row.source.as_str())
            .or(self.request.source.as_deref())
            .unwrap_or_default()
    }

    /// Returns the versions of the product that the report names.
    fn versions_of_report(&self) -> Vec<String> {
        let (title, body) = self.text();
        versions(&format!("{title}\n{body}"), self.product()).product
    }

    fn problem(&mut self) {
        let (_, body) = self.text();
        // An overlong log is reduced to its salient part.
        let problem_text = if self.row.is_none() { extract_salient(body) } else { body.into() };
        let (text, is_cut) = troubleshoot::excerpt(problem_text.trim(), PROBLEM);
        let excerpt = is_cut || problem_text.len() < body.len();
        let author = self.row.and_then(|row| row.author.login.clone());
        let quote = Quote {
            author,
            role: None,
            day: self.row.and_then(|row| day(row.created_at)),
            text,
            excerpt,
        };
        let entry = match self.row {
            Some(row) => {
                let mut facts = vec![state(row.state, row.state_reason.as_deref())];
                facts.extend(
                    (!row.labels.is_empty()).then(|| format!("labels: {}", row.labels.join(", "))),
                );
                facts.extend(row.milestone.as_ref().map(|m| format!("milestone: {m}")));
                facts.retain(|f| !f.is_empty());
                Entry {
                    heading: None,
                    text: (!facts.is_empty()).then(|| sentence(&facts.join("; "))),
                    quote: (!quote.text.is_empty()).then_some(quote),
                    citations: vec![cite(row)],
                }
            }
            None => Entry { quote: Some(quote), ..Entry::default() },
        };
        self.add(SectionKind::Problem, "Problem", vec![entry]);
    }

    fn duplicates(&mut self, response: &DuplicatesResponse) -> Result<()> {
        let known_entries = self.known_duplicates(response)?;
        let has_possible = response.candidates.iter().any(|c| c.band <= Band::Possible);
        let title = match (known_entries.is_empty(), has_possible) {
            (false, _) => "Duplicates",
            (true, true) => "Possible duplicates",
            (true, false) => "Related reports",
        };
        let known_key = response.known.as_ref().map(|k| k.key.as_str());
        let likely = response
            .candidates
            .iter()
            .filter(|c| c.band != Band::None && Some(c.key.as_str()) != known_key);
        let likely = likely.map(|c| {
            let mut facts = vec![match c.band {
                Band::Related => "related, probably not a duplicate".to_owned(),
                band => {
                    format!("{} ({})", band.words().trim_end_matches(" of"), percent(c.confidence))
                }
            }];
            // An unlikely duplicate cannot be a regression.
            facts.push(match &c.disposition {
                Disposition::PossibleRegression(by) if c.confidence < Band::Possible.floor() => {
                    Disposition::Fixed(by.clone()).to_string()
                }
                disposition => disposition.to_string(),
            });
            facts.extend(c.canonical.as_ref().map(|k| format!("tracked in {k}")));
            facts.extend(c.reasons.iter().cloned());
            let kind = self.row.map_or(DocKind::Issue, |row| row.kind);
            let label = if kind == DocKind::PullRequest {
                format!("[Pull request {}]", c.key)
            } else {
                format!("[Issue {}]", c.key)
            };
            Entry {
                heading: Some(c.title.clone()),
                text: Some(sentence(&facts.join("; "))),
                citations: vec![Citation { label, key: c.key.clone(), url: c.url.clone() }],
                ..Entry::default()
            }
        });
        let entries: Vec<Entry> = known_entries.into_iter().chain(likely).collect();
        self.add(SectionKind::Duplicates, title, entries);
        Ok(())
    }

    /// Returns the known duplicates: the canonical report, and its other duplicates.
    fn known_duplicates(&self, response: &DuplicatesResponse) -> Result<Vec<Entry>> {
        let Some(item) = self.row else { return Ok(Vec::new()) };
        let stays =
            response.known.as_ref().map_or(item.key.as_str(), |canonical| canonical.key.as_str());
        let mut duplicates = Vec::new();
        for key in self.reader.duplicates_of(stays)? {
            if key != item.key && !self.request.leave_out.contains(&key) {
                duplicates
                    .extend(self.reader.document_by_key(&key)?.filter(|d| d.deleted_at.is_none()));
            }
        }
        let count = duplicates.len();
        duplicates.truncate(DUPLICATES);
        let mut entries = Vec::new();
        if let Some(canonical) = &response.known {
            let mut citations = vec![cite(item)];
            let text = match (self.reader.document_by_key(&canonical.key)?, &canonical.disposition)
            {
                (Some(row), Some(disposition)) => {
                    citations.push(cite(&row));
                    let state_text = state(canonical.state, canonical.state_reason.as_deref());
                    let facts = [
                        "this report is a known duplicate".to_owned(),
                        state_text,
                        disposition.to_string(),
                    ];
                    let facts: Vec<String> = facts.into_iter().filter(|f| !f.is_empty()).collect();
                    sentence(&facts.join("; "))
                }
                _ => format!("Known duplicate of {}, which is not in the casebook.", canonical.key),
            };
            let text = Some(text);
            entries.push(Entry {
                heading: canonical.title.clone(),
                text,
                citations,
                ..Entry::default()
            });
        }
        if count > 0 {
            let more = if response.known.is_some() { "other " } else { "" };
            let (reports, are) = if count == 1 {
                ("report", "is a duplicate")
            } else {
                ("reports", "are duplicates")
            };
            let mut text = format!("{count} {more}{reports} {are} of it");
            if count > duplicates.len() {
                text.push_str(&format!(", {} shown", duplicates.len()));
            }
            let names: Vec<String> =
                duplicates.iter().map(|row| format!("{} ({})", row.key, row.title)).collect();
            entries.push(Entry {
                text: Some(format!("{text}: {}.", names.join("; "))),
                citations: duplicates.iter().map(cite).collect(),
                ..Entry::default()
            });
        }
        Ok(entries)
    }

    fn cases(&mut self, response: &TroubleshootResponse) {
        let mut entries = Vec::new();
        for case in &response.cases {
            let cite = |url: Option<String>| {
                vec![Citation {
                    label: case.citation.clone(),
                    key: case.key.clone(),
                    url: url.or(case.url.clone()),
                }]
            };
            let mut facts = vec![state(case.state, case.state_reason.as_deref())];
            facts.extend(day(case.closed_at).map(|d| format!("on {d}")));
            let mut clauses = vec![facts.join(" ")];
            clauses.extend(
                (case.relation == Some(CaseRelation::Canonical))
                    .then(|| "this report is a known duplicate".to_owned()),
            );
            clauses
                .extend(case.via.as_ref().map(|via| format!("found through its duplicate {via}")));
            clauses.extend(case.fixed_by.iter().map(|change| match change.is_mirrored() {
                true => format!("fixed by {} ({})", change.key, change.title),
                false => format!("fixed by {}", change.key),
            }));
            clauses.extend(case.same_signature.then(|| "same error".to_owned()));
            let mut citations = cite(None);
            citations.extend(case.fixed_by.iter().filter(|c| c.is_mirrored()).map(of_change));
            let is_itself = case.relation == Some(CaseRelation::Itself);
            entries.push(Entry {
                heading: Some(if is_itself {
                    "This report".to_owned()
                } else {
                    case.title.clone()
                }),
                text: Some(sentence(&clauses.join("; "))),
                citations,
                ..Entry::default()
            });
            if !is_itself && !case.body.trim().is_empty() {
                let quote = Quote {
                    author: None,
                    role: Some("report".to_owned()),
                    day: None,
                    text: case.body.clone(),
                    excerpt: case.body_excerpt,
                };
                entries.push(Entry {
                    quote: Some(quote),
                    citations: cite(None),
                    ..Entry::default()
                });
            }
            for change in case.described_changes() {
                let quote = Quote {
                    author: None,
                    role: Some("the fix".to_owned()),
                    day: None,
                    text: change.text.clone(),
                    excerpt: false,
                };
                entries.push(Entry {
                    quote: Some(quote),
                    citations: vec![of_change(change)],
                    ..Entry::default()
                });
            }
            for c in case.in_reading_order() {
                let quote = Quote {
                    author: c.author.clone(),
                    role: c.role.map(|r| r.as_str().to_owned()),
                    day: day(Some(c.created_at)),
                    text: c.text.clone(),
                    excerpt: c.excerpt,
                };
                entries.push(Entry {
                    quote: Some(quote),
                    citations: cite(c.url.clone()),
                    ..Entry::default()
                });
            }
            entries.extend(case.agreement().map(|agree| Entry {
                text: Some(sentence(&agree)),
                citations: cite(None),
                ..Entry::default()
            }));
        }
        self.add(SectionKind::Cases, "Solved cases", entries);
    }

    fn versions(&mut self, response: &TroubleshootResponse) {
        let mut entries = Vec::new();
        let mentions = self.versions_of_report();
        if !mentions.is_empty() {
            entries.push(Entry {
                text: Some(format!("This report mentions {}.", mentions.join(", "))),
                citations: self.row.map(cite).into_iter().collect(),
                ..Entry::default()
            });
        }
        for case in &response.cases {
            let mut facts = Vec::new();
            if !case.reported_on.is_empty() {
                facts.push(format!("mentions {}", case.reported_on.join(", ")));
            }
            facts.extend(case.fixed_in.as_ref().map(|v| format!("fixed in {v}")));
            if !facts.is_empty() {
                entries.push(Entry {
                    text: Some(sentence(&facts.join("; "))),
                    citations: vec![of_case(case)],
                    ..Entry::default()
                });
            }
        }
        self.add(SectionKind::Versions, "Versions", entries);
    }

    fn people(&mut self, response: &TroubleshootResponse) {
        let mut by: BTreeMap<(String, bool), Vec<Citation>> = BTreeMap::new();
        for case in &response.cases {
            for c in &case.comments {
                if matches!(c.role, Some(CommentRole::Fix | CommentRole::Workaround))
                    && let Some(author) = &c.author
                {
                    let is_workaround = c.role == Some(CommentRole::Workaround);
                    let list = by.entry((author.clone(), is_workaround)).or_default();
                    if !list.iter().any(|k| k.key == case.key) {
                        list.push(Citation {
                            url: c.url.clone().or(case.url.clone()),
                            ..of_case(case)
                        });
                    }
                }
            }
        }
        let mut people: Vec<_> = by.into_iter().collect();
        people.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
        let entries = people.into_iter().map(|((person, is_workaround), citations)| Entry {
            text: Some(match is_workaround {
                true => format!("{person} described a workaround."),
                false => format!("{person} commented on the fix."),
            }),
            citations,
            ..Entry::default()
        });
        let entries = entries.collect();
        self.add(SectionKind::People, "Who solved similar cases", entries);
    }

    fn questions(&mut self, duplicates: Option<&DuplicatesResponse>, cases: &TroubleshootResponse) {
        let (title, body) = self.text();
        let prepared_body =
            PreparedText::body(body, &precedent_text::skeleton::Skeleton::default());
        let mut items: Vec<(String, Vec<Citation>)> = Vec::new();
        let citations: Vec<Citation> = self.row.map(cite).into_iter().collect();
        let is_compared = cases.cases.iter().any(|case| case.asked_version.is_some())
            || cases.problem.as_ref().is_some_and(|problem| problem.asked_version.is_some());
        if self.versions_of_report().is_empty() && !is_compared {
            let question = "Which version is affected? The report does not say.";
            items.push((question.to_owned(), citations.clone()));
        }
        let shows_a_failure = || {
            quotes_a_line(body)
                || prepared_body.signatures(title).iter().any(Signature::is_distinctive)
        };
        if self.log.is_none() && prepared_body.code().trim().is_empty() && !shows_a_failure() {
            let question =
                "Is there a log, an error message or a stack trace? The report has none.";
            items.push((question.to_owned(), citations));
        }
        for case in &cases.cases {
            let (Some(fixed_in), Some(asked_version)) = (&case.fixed_in, &case.asked_version)
            else {
                continue;
            };
            let version = &asked_version.version;
            let question = if asked_version.has_fix == Some(true) {
                format!(
                    "The report mentions {version}, but it was fixed in {fixed_in}. Is the problem back?"
                )
            } else {
                format!(
                    "The report mentions {version}; it was fixed in {fixed_in}. Does it still occur in {fixed_in}?"
                )
            };
            items.push((question, vec![of_case(case)]));
        }
        let is_regression = |c: &&DuplicateCandidate| {
            matches!(c.disposition, Disposition::PossibleRegression(_))
                && c.confidence >= Band::Possible.floor()
        };
        if let Some(c) = duplicates.and_then(|f| f.candidates.iter().find(is_regression)) {
            let label = format!("[Issue {}]", c.key);
            let citations = vec![Citation { label, key: c.key.clone(), url: c.url.clone() }];
            let question = "This was fixed earlier. Is the problem back?";
            items.push((question.to_owned(), citations));
        }
        if cases.cases.is_empty() && cases.wiki.is_empty() {
            let question =
                "No solved case or wiki page matches. Who is familiar with this component?";
            items.push((question.to_owned(), Vec::new()));
        }
        self.add(SectionKind::Questions, "Open questions", ask_once(items));
    }

    /// Adds the item's notes. They are private, so they are included only if requested.
    fn notes(&mut self) -> Result<()> {
        let (true, Some(row)) = (self.request.notes, self.row) else { return Ok(()) };
        let mut entries = Vec::new();
        for link in self.reader.links(&row.key)? {
            let note_key = if link.from_key == row.key { &link.to_key } else { &link.from_key };
            let Some(note) = self.reader.note(note_key)? else { continue };
            let quote = Quote {
                author: None,
                role: Some(note.kind.as_str().to_owned()),
                day: day(note.document.updated_at),
                text: note.document.body.clone(),
                excerpt: false,
            };
            entries.push(Entry {
                heading: Some(note.document.title.clone()),
                quote: Some(quote),
                citations: vec![cite(&note.document)],
                ..Entry::default()
            });
        }
        self.add(SectionKind::Notes, "Notes", entries);
        Ok(())
    }
}

/// Returns the entries with each question, the last sentence of a text, once, with all citations.
fn ask_once(items: Vec<(String, Vec<Citation>)>) -> Vec<Entry> {
    let question = |text: &str| text.rsplit_once(". ").map_or(text, |(_, last)| last).to_owned();
    let mut questions: Vec<(String, Vec<Citation>)> = Vec::new();
    for (text, citations) in items {
        match questions.iter_mut().find(|(first, _)| question(first) == question(&text)) {
            Some((_, sources)) => {
                sources.extend(
                    citations.into_iter().filter(|c| !sources.contains(c)).collect::<Vec<_>>(),
                );
            }
            None => questions.push((text, citations)),
        }
    }
    let entry = |(text, citations)| Entry { text: Some(text), citations, ..Entry::default() };
    questions.into_iter().map(entry).collect()
}

fn of_case(case: &SolvedCase) -> Citation {
    Citation { label: case.citation.clone(), key: case.key.clone(), url: case.url.clone() }
}

fn day(time: Option<jiff::Timestamp>) -> Option<String> {
    time.map(|t| t.strftime("%Y-%m-%d").to_string())
}

/// Turns a clause into a sentence.
fn sentence(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        Some(first) => format!("{}{}.", first.to_uppercase(), chars.as_str().trim_end_matches('.')),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn program_output_is_distinguished_from_prose() {
        for text in [
            "The log says:\n  thumbnailer: decoder tiff: unsupported compression 7\n\nServer: tm1",
            "It says\n2026-03-03 10:00:00 index page torn",
            "> ERROR index page torn",
            "[12:01:02] worker 3 ERROR index page torn",
            "error: no such file",
        ] {
            assert!(quotes_a_line(text), "{text}");
        }
        for text in [
            "It stops at night.",
            "Server: tm1.example (10.3.7.12), Debian 12",
            "Note: it happens on Mondays.",
            "Steps: open it, then close it",
            "Error handling is poor.",
            "On 2026-03-03 it stopped.",
        ] {
            assert!(!quotes_a_line(text), "{text}");
        }
    }

    #[test]
    fn each_question_is_asked_once() {
        let cite = |key: &str| {
            vec![Citation { label: format!("[Issue {key}]"), key: key.into(), url: None }]
        };
        let entries = ask_once(vec![
            ("Fixed in 2.4. Is the problem back?".into(), cite("a#1")),
            ("Is there a log?".into(), Vec::new()),
            ("Fixed in 2.5. Is the problem back?".into(), cite("a#2")),
            ("Fixed in 2.4. Is the problem back?".into(), cite("a#1")),
        ]);
        let texts: Vec<&str> = entries.iter().filter_map(|e| e.text.as_deref()).collect();
        assert_eq!(texts, ["Fixed in 2.4. Is the problem back?", "Is there a log?"]);
        assert_eq!(entries[0].citations.len(), 2);
    }
}
