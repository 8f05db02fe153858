//! The assembly of a brief.

use std::collections::BTreeMap;

use super::{
    cite, cite_case, cite_change, cite_report, log, percent, quote, sanitize_brief, state_text,
    statement, summary,
};
use crate::{
    answer::question::find_anywhere,
    ask, search,
    troubleshoot::{self, CaseContext, citation},
};
use precedent_core::{
    error::{Error, Result},
    model::{
        AskResponse, Band, Brief, BriefRecord, BriefRequest, BriefSource, CaseComment,
        CaseRelation, Citation, CommentRole, Disposition, DuplicateCandidate, DuplicatesResponse,
        Entry, LogResponse, Quote, RedactionPreview, Section, SectionKind, SolvedCase,
        TroubleshootRequest, TroubleshootResponse,
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
    pattern::Pattern,
    prepare::PreparedText,
    salient::{extract_salient, headline},
    signature::Signature,
    skeleton::Skeleton,
    tokens,
    version::versions,
};

/// The format version of the record embedded in a brief.
pub(super) const VERSION: u32 = 1;
const MAX_DUPLICATES: usize = 5;
/// The maximum length of the quoted problem, in characters.
const MAX_PROBLEM: usize = 6000;
/// The question about a version that should have the fix.
const IS_BACK: &str = "Is the problem back?";

/// Program output: a message after several component names ("thumbnailer: decoder tiff:
/// unsupported compression 7"), a time or a level.
static PROGRAM_OUTPUT: Pattern = Pattern::new(concat!(
    r"(?m)^[>\s]*(?:[\w./\[\]()-]+: (?:[\w./ -]{1,40}: )+\S",
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b.{0,40}\b(?:[A-Z]{4,}|error|warn)",
    r"|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL|PANIC)\b[\]:]? \S|(?:error|fatal|panic)(?:\[\w+\])?: \S)",
));

/// The components that briefs need.
pub struct BriefContext<'a> {
    /// The components that finding cases needs.
    pub cases: CaseContext<'a>,
    /// The name of the embedding model.
    pub model: Option<&'a str>,
    /// The engine that loads the name recognition model.
    pub engine: &'a Engine,
}

/// Assembles a brief.
pub fn brief(context: &BriefContext<'_>, request: &BriefRequest, task: &Task) -> Result<Brief> {
    let store = context.cases.finder.store;
    let (row, as_of, revision) = store.read(|r| {
        let row = request.key.as_deref().map(|key| search::resolve_one(r, key)).transpose()?;
        Ok((row, r.newest_change()?, r.revision()?))
    })?;
    if row.is_none() && request.text.trim().is_empty() && request.logs.is_empty() {
        return Err(Error::invalid("no item or text given for the brief")
            .with_hint("Pass an item (acme/app#12), a question, a report or a log."));
    }
    // The clock does not change a brief: ages are relative to the casebook's last change.
    let now = as_of.unwrap_or_default();
    let has_log = row.is_none() && !request.logs.is_empty();
    let log = has_log.then(|| log::read_logs(&context.cases, request, now, task)).transpose()?;
    let (duplicates, solved_cases, answer) = match &log {
        Some(log) => (None, log::solved_cases(log), None),
        None => {
            let (duplicates, cases, answer) = find_matches(&context.cases, request, now, task)?;
            // Wiki pages and notes have no duplicates.
            let is_report = row.as_ref().is_none_or(|row| row.kind.is_report());
            (Some(duplicates).filter(|_| is_report), cases, Some(answer))
        }
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
        let (row, log) = (row.as_ref(), log.as_ref());
        let mut writer = Writer {
            reader: r,
            request,
            row,
            text: &text,
            log,
            duplicates: duplicates.as_ref(),
            cases: &solved_cases,
            versions: Vec::new(),
            sections: Vec::new(),
        };
        writer.versions = writer.reported_versions();
        let candidates =
            duplicates.as_ref().map_or(&[][..], |response| response.candidates.as_slice());
        let summary = match (&answer, log) {
            (Some(answer), _) => {
                let versions = &writer.versions;
                Some(summary::summarize_answer(answer, candidates, row, &title, versions))
            }
            (None, Some(log)) => Some(summary::summarize_log(log)),
            (None, None) => None,
        };
        writer.add(SectionKind::Summary, "Summary", summary.into_iter().collect());
        writer.add_sections()?;
        let mut sections = writer.sections;
        let sources = cited_sources(r, &mut sections)?;
        let record = BriefRecord {
            version: VERSION,
            request: request.clone(),
            revision,
            as_of,
            model: context.model.map(str::to_owned),
            names_unrecognized: false,
            sources,
        };
        let title = row.map_or(title.clone(), |row| format!("{} {title}", row.key));
        Ok(Brief { title, sections, redactions: Vec::new(), record })
    })?;
    sanitize_brief(&mut brief);
    if request.redact {
        let (names, is_complete) = recognize_names(context, &brief, row.as_ref(), task)?;
        redact::redact(&mut brief, &names, &RedactionOptions::from_request(request));
        brief.record.names_unrecognized = !is_complete;
        // Folders may name their owner.
        for path in &mut brief.record.request.logs {
            *path = path.rsplit(['/', '\\']).next().unwrap_or_default().to_owned();
        }
    }
    Ok(brief)
}

/// Finds the similar reports of an item or pasted text, its solved cases, and the answer.
fn find_matches(
    context: &CaseContext<'_>,
    request: &BriefRequest,
    now: jiff::Timestamp,
    task: &Task,
) -> Result<(DuplicatesResponse, TroubleshootResponse, AskResponse)> {
    let query = (request.key.as_deref(), &*request.text, request.source.as_deref());
    let matches = find_anywhere(context.finder, query, now, task)?;
    let cases_request = TroubleshootRequest {
        settings: request.troubleshooting.clone(),
        ..TroubleshootRequest::default()
    };
    let (mut response, mut similar_reports) =
        ask::find_cases(context, &matches, &cases_request, ask::MAX_CANDIDATES, task)?;
    let mut answer = ask::respond(context, &matches, response.clone(), &similar_reports)?;
    summary::remove_excluded(&mut answer, request);
    let is_included = |key: &String| !request.leave_out.contains(key);
    similar_reports.candidates.retain(|c| is_included(&c.key));
    similar_reports.candidates.truncate(MAX_DUPLICATES);
    similar_reports.known = similar_reports.known.filter(|k| is_included(&k.key));
    response.cases.retain(|c| is_included(&c.key));
    response.wiki.retain(|page| is_included(&page.key));
    Ok((similar_reports, response, answer))
}

/// Returns the texts that redaction would replace in the requested brief, with their kinds.
pub fn preview(
    context: &BriefContext<'_>,
    request: &BriefRequest,
    task: &Task,
) -> Result<Vec<RedactionPreview>> {
    let unredacted_brief =
        brief(context, &BriefRequest { redact: false, ..request.clone() }, task)?;
    let row = context
        .cases
        .finder
        .store
        .read(|r| request.key.as_deref().map(|key| search::resolve_one(r, key)).transpose())?;
    let (names, _) = recognize_names(context, &unredacted_brief, row.as_ref(), task)?;
    Ok(redact::preview(&unredacted_brief, &names, &RedactionOptions::from_request(request)))
}

/// The maximum number of bytes of a brief in which the model recognizes names, shorter texts first;
/// takes up to 1.5 s.
const MAX_RECOGNIZED: usize = 64_000;
/// A word is common if it occurs in more than this many documents, and in more than one in
/// [`COMMON_SHARE`] of all documents. A name that consists of common words is taken for a product
/// name.
const COMMON_DOCUMENTS: u64 = 5;
const COMMON_SHARE: u64 = 250;

/// Returns the names in a brief, and whether the model read all of its text. Without the model,
/// there are only logins.
pub(crate) fn recognize_names(
    context: &BriefContext<'_>,
    brief: &Brief,
    row: Option<&DocumentRow>,
    task: &Task,
) -> Result<(KnownNames, bool)> {
    let logins = context.cases.finder.store.read(|r| logins(r, brief, row))?;
    let mut names = KnownNames::from_logins(logins);
    let Ok(Some(mut model)) = context.engine.load_names() else { return Ok((names, false)) };
    let fulltext = context.cases.finder.fulltext;
    let common_threshold = COMMON_DOCUMENTS.max(fulltext.count()? / COMMON_SHARE);
    let mut reader = CasebookNameReader { model: &mut model, fulltext, common_threshold, task };
    let mut texts: Vec<String> = redact::texts(brief).into_iter().collect();
    texts.sort_by_key(String::len);
    let mut bytes_left = MAX_RECOGNIZED;
    for text in &texts {
        let start = start_of(text, bytes_left);
        bytes_left -= start.len();
        names.recognize(start, &mut reader)?;
    }
    let total_bytes: usize = texts.iter().map(String::len).sum();
    Ok((names, total_bytes <= MAX_RECOGNIZED))
}

/// Returns at most the first `max` bytes of `text`, cut between words so that no name is cut.
fn start_of(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let start = &text[..text.floor_char_boundary(max)];
    start.rfind(char::is_whitespace).map_or(start, |end| &start[..end])
}

/// The recognition model with the word frequencies of the casebook.
struct CasebookNameReader<'a> {
    model: &'a mut NameModel,
    fulltext: &'a FullText,
    /// The number of documents above which a word is common.
    common_threshold: u64,
    task: &'a Task,
}

impl NameReader for CasebookNameReader<'_> {
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
        // Ignore version numbers: they are rare even after a common product name.
        let words: Vec<String> = words.filter(|word| word.contains(char::is_alphabetic)).collect();
        let documents = self.fulltext.document_counts(TermKind::Word, &words)?;
        Ok(!words.is_empty()
            && documents.iter().all(|documents| *documents > self.common_threshold))
    }
}

/// Returns the logins of the people in the threads of a brief.
fn logins(r: &Reader<'_>, brief: &Brief, row: Option<&DocumentRow>) -> Result<Vec<String>> {
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

/// Returns the documents that these sections cite, in citation order. Labels each citation with the
/// kind of its document.
fn cited_sources(r: &Reader<'_>, sections: &mut [Section]) -> Result<Vec<BriefSource>> {
    let mut out: Vec<BriefSource> = Vec::new();
    let entries = sections.iter_mut().flat_map(|s| &mut s.entries);
    for c in entries.flat_map(|e| &mut e.citations) {
        if let Some(source) = out.iter().find(|s| s.key == c.key) {
            c.label.clone_from(&source.citation);
            continue;
        }
        let Some(row) = r.document_by_key(&c.key)? else { continue };
        c.label = citation(&row);
        out.push(BriefSource {
            citation: c.label.clone(),
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
    duplicates: Option<&'a DuplicatesResponse>,
    cases: &'a TroubleshootResponse,
    /// The product versions that the report mentions.
    versions: Vec<String>,
    sections: Vec<Section>,
}

impl Writer<'_> {
    fn add_sections(&mut self) -> Result<()> {
        match self.log {
            Some(log) => self.add(SectionKind::Log, "Errors in the log", log::entries(log)),
            None => self.add_problem(),
        }
        if let Some(duplicates) = self.duplicates {
            self.add_duplicates(duplicates)?;
        }
        self.add_cases();
        let wiki = self.cases.wiki.iter().map(|page| Entry {
            heading: Some(page.title.clone()),
            quote: Some(quote(None, &page.text, true)),
            citations: vec![Citation {
                label: page.citation.clone(),
                key: page.key.clone(),
                url: page.url.clone(),
            }],
            ..Entry::default()
        });
        self.add(SectionKind::Wiki, "From the wiki", wiki.collect());
        self.add_versions();
        self.add_solvers();
        self.add_questions();
        self.add_notes()
    }

    fn add(&mut self, kind: SectionKind, title: &str, entries: Vec<Entry>) {
        if !entries.is_empty() && !self.request.without.contains(&kind) {
            self.sections.push(Section { kind, title: title.to_owned(), entries });
        }
    }

    /// Returns the title and the text of the problem.
    fn title_and_body(&self) -> (&str, &str) {
        match self.row {
            Some(row) => (&row.title, &row.body),
            None => ("", self.text),
        }
    }

    /// Returns the product versions that the report mentions.
    fn reported_versions(&self) -> Vec<String> {
        let (title, body) = self.title_and_body();
        let source = self.row.map(|row| &*row.source).or(self.request.source.as_deref());
        versions(&format!("{title}\n{body}"), source.unwrap_or_default()).product
    }

    fn subject(&self) -> &'static str {
        if self.log.is_some() { "log" } else { "report" }
    }

    fn add_problem(&mut self) {
        let (_, body) = self.title_and_body();
        // A long log is reduced to its salient part.
        let problem_text = if self.row.is_none() { extract_salient(body) } else { body.into() };
        let (text, is_cut) = troubleshoot::excerpt(problem_text.trim(), MAX_PROBLEM);
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
                let mut facts = vec![state_text(row.state, row.state_reason.as_deref())];
                facts.extend(
                    (!row.labels.is_empty()).then(|| format!("labels: {}", row.labels.join(", "))),
                );
                facts.extend(row.milestone.as_ref().map(|m| format!("milestone: {m}")));
                facts.retain(|f| !f.is_empty());
                Entry {
                    text: (!facts.is_empty()).then(|| to_sentence(&facts.join("; "))),
                    quote: (!quote.text.is_empty()).then_some(quote),
                    ..cited_entry(vec![cite(row)])
                }
            }
            None => Entry { quote: Some(quote), ..Entry::default() },
        };
        self.add(SectionKind::Problem, "Problem", vec![entry]);
    }

    fn add_duplicates(&mut self, response: &DuplicatesResponse) -> Result<()> {
        let known_entries = self.known_duplicates(response)?;
        let has_possible = response.candidates.iter().any(|c| c.band <= Band::Possible);
        let title = match (known_entries.is_empty(), has_possible) {
            (false, _) => "Duplicates",
            (true, true) => "Possible duplicates",
            (true, false) => "Related reports",
        };
        let known_key = response.known.as_ref().map(|k| k.key.as_str());
        let candidates = response
            .candidates
            .iter()
            .filter(|c| c.band != Band::None && Some(c.key.as_str()) != known_key);
        let candidates = candidates.map(|c| {
            let mut facts = vec![match c.band {
                Band::Related => "related, probably not a duplicate".to_owned(),
                band => {
                    format!("{} ({})", band.words().trim_end_matches(" of"), percent(c.confidence))
                }
            }];
            // Only a possible duplicate can be a regression.
            facts.push(match &c.disposition {
                Disposition::PossibleRegression(by) if c.confidence < Band::Possible.floor() => {
                    Disposition::Fixed(by.clone()).to_string()
                }
                disposition => disposition.to_string(),
            });
            facts.extend(c.canonical.as_ref().map(|k| format!("tracked in {k}")));
            facts.extend(c.reasons.iter().cloned());
            let heading = Some(c.title.clone());
            let citations = vec![cite_report(&c.key, &c.url)];
            Entry { heading, ..statement(to_sentence(&facts.join("; ")), citations) }
        });
        let entries: Vec<Entry> = known_entries.into_iter().chain(candidates).collect();
        self.add(SectionKind::Duplicates, title, entries);
        Ok(())
    }

    /// Returns the known duplicates: the canonical report, and its other duplicates.
    fn known_duplicates(&self, response: &DuplicatesResponse) -> Result<Vec<Entry>> {
        let Some(item) = self.row else { return Ok(Vec::new()) };
        let canonical_key =
            response.known.as_ref().map_or(item.key.as_str(), |canonical| canonical.key.as_str());
        let mut duplicates = Vec::new();
        for key in self.reader.duplicates_of(canonical_key)? {
            if key != item.key && !self.request.leave_out.contains(&key) {
                duplicates
                    .extend(self.reader.document_by_key(&key)?.filter(|d| d.deleted_at.is_none()));
            }
        }
        let count = duplicates.len();
        duplicates.truncate(MAX_DUPLICATES);
        let mut entries = Vec::new();
        if let Some(canonical) = &response.known {
            let mut citations = vec![cite(item)];
            let text = match (self.reader.document_by_key(&canonical.key)?, &canonical.disposition)
            {
                (Some(row), Some(disposition)) => {
                    citations.push(cite(&row));
                    let mut facts = vec![
                        state_text(canonical.state, canonical.state_reason.as_deref()),
                        disposition.to_string(),
                    ];
                    facts.retain(|f| !f.is_empty());
                    format!("Known duplicate of {} ({}).", canonical.key, facts.join("; "))
                }
                _ => format!("Known duplicate of {}, which is not in the casebook.", canonical.key),
            };
            let heading = canonical.title.clone();
            entries.push(Entry { heading, ..statement(text, citations) });
        }
        if count > 0 {
            let predicate =
                if count == 1 { "report is a duplicate" } else { "reports are duplicates" };
            let target = if response.known.is_some() { canonical_key } else { "this one" };
            let mut text = format!("{count} other {predicate} of {target}");
            if count > duplicates.len() {
                text.push_str(&format!(", {} shown", duplicates.len()));
            }
            let names: Vec<String> =
                duplicates.iter().map(|row| format!("{} ({})", row.key, row.title)).collect();
            let citations = duplicates.iter().map(cite).collect();
            entries.push(statement(format!("{text}: {}.", names.join("; ")), citations));
        }
        Ok(entries)
    }

    fn add_cases(&mut self) {
        let mut entries = Vec::new();
        for case in &self.cases.cases {
            let case_citation = || vec![cite_case(case)];
            let mut facts = vec![state_text(case.state, case.state_reason.as_deref())];
            facts.extend(day(case.closed_at).map(|d| format!("on {d}")));
            let mut clauses = vec![facts.join(" ")];
            clauses.extend(
                (case.relation == Some(CaseRelation::Canonical))
                    .then(|| format!("this report is a known duplicate of {}", case.key)),
            );
            clauses
                .extend(case.via.as_ref().map(|key| format!("found through its duplicate {key}")));
            clauses.extend(case.fixed_by.iter().map(|change| match change.is_mirrored() {
                true => format!("fixed by {} ({})", change.key, change.title),
                false => format!("fixed by {}", change.key),
            }));
            clauses.extend(case.same_signature.then(|| "same error".to_owned()));
            let mut citations = case_citation();
            citations.extend(case.fixed_by.iter().filter(|c| c.is_mirrored()).map(cite_change));
            let is_itself = case.relation == Some(CaseRelation::Itself);
            let heading = if is_itself { "This report" } else { &case.title };
            entries.push(Entry {
                heading: Some(heading.to_owned()),
                ..statement(to_sentence(&clauses.join("; ")), citations)
            });
            if !is_itself && !case.body.trim().is_empty() {
                let quote = Some(quote(Some("report"), &case.body, case.body_excerpt));
                entries.push(Entry { quote, ..cited_entry(case_citation()) });
            }
            for change in case.described_changes() {
                let quote = Some(quote(Some("the fix"), &change.text, false));
                entries.push(Entry { quote, ..cited_entry(vec![cite_change(change)]) });
            }
            for c in case.in_reading_order() {
                let quote = Quote {
                    author: c.author.clone(),
                    role: c.role.map(|r| r.as_str().to_owned()),
                    day: day(Some(c.created_at)),
                    text: c.text.clone(),
                    excerpt: c.excerpt,
                };
                entries
                    .push(Entry { quote: Some(quote), ..cited_entry(vec![cite_comment(case, c)]) });
            }
            let agreement = case.agreement();
            entries.extend(agreement.map(|text| statement(to_sentence(&text), case_citation())));
        }
        self.add(SectionKind::Cases, "Solved cases", entries);
    }

    fn add_versions(&mut self) {
        let mut entries = Vec::new();
        if !self.versions.is_empty() {
            let versions = self.versions.join(", ");
            let text = format!("This {} mentions {versions}.", self.subject());
            entries.push(statement(text, self.row.map(cite).into_iter().collect()));
        }
        for case in &self.cases.cases {
            let mut facts = Vec::new();
            if !case.reported_on.is_empty() {
                facts.push(format!("mentions {}", case.reported_on.join(", ")));
            }
            facts.extend(case.fixed_in.as_ref().map(|v| format!("fixed in {v}")));
            if !facts.is_empty() {
                entries.push(statement(to_sentence(&facts.join("; ")), vec![cite_case(case)]));
            }
        }
        self.add(SectionKind::Versions, "Versions", entries);
    }

    fn add_solvers(&mut self) {
        let mut citations_by_author: BTreeMap<(String, bool), Vec<Citation>> = BTreeMap::new();
        for case in &self.cases.cases {
            for c in &case.comments {
                if matches!(c.role, Some(CommentRole::Fix | CommentRole::Workaround))
                    && let Some(author) = &c.author
                {
                    let is_workaround = c.role == Some(CommentRole::Workaround);
                    let author = (author.clone(), is_workaround);
                    let citations = citations_by_author.entry(author).or_default();
                    if !citations.iter().any(|k| k.key == case.key) {
                        citations.push(cite_comment(case, c));
                    }
                }
            }
        }
        let mut solvers: Vec<_> = citations_by_author.into_iter().collect();
        solvers.sort_by(|a, b| b.1.len().cmp(&a.1.len()).then_with(|| a.0.cmp(&b.0)));
        let entries = solvers.into_iter().map(|((author, is_workaround), citations)| {
            let action =
                if is_workaround { "described a workaround" } else { "commented on the fix" };
            statement(format!("{author} {action}."), citations)
        });
        self.add(SectionKind::People, "Who solved similar cases", entries.collect());
    }

    fn add_questions(&mut self) {
        let cases = self.cases;
        let (title, body) = self.title_and_body();
        let prepared_body = PreparedText::body(body, &Skeleton::default());
        let mut items: Vec<(String, Vec<Citation>)> = Vec::new();
        let citations: Vec<Citation> = self.row.map(cite).into_iter().collect();
        let has_asked_version = cases.cases.iter().any(|case| case.asked_version.is_some())
            || cases.problem.as_ref().is_some_and(|problem| problem.asked_version.is_some());
        if self.versions.is_empty() && !has_asked_version {
            // Only the errors of a log are read.
            let reason = match self.log {
                Some(_) => "The errors do not say.",
                None => "The report does not say.",
            };
            items.push((format!("Which version is affected? {reason}"), citations.clone()));
        }
        let has_error = || {
            PROGRAM_OUTPUT.is_match(body)
                || prepared_body.signatures(title).iter().any(Signature::is_distinctive)
        };
        if self.log.is_none() && prepared_body.code().trim().is_empty() && !has_error() {
            let question =
                "Is there a log, an error message or a stack trace? The report has none.";
            items.push((question.to_owned(), citations));
        }
        for case in &cases.cases {
            let (Some(fixed_in), Some(asked_version)) = (&case.fixed_in, &case.asked_version)
            else {
                continue;
            };
            let (subject, version) = (self.subject(), &asked_version.version);
            let question = match asked_version.has_fix {
                Some(true) => format!(
                    "The {subject} mentions {version}, but this problem was fixed in {fixed_in}. {IS_BACK}"
                ),
                _ => format!(
                    "The {subject} mentions {version}; this problem was fixed in {fixed_in}. Does it still occur in {fixed_in}?"
                ),
            };
            items.push((question, vec![cite_case(case)]));
        }
        let is_regression = |c: &&DuplicateCandidate| {
            matches!(c.disposition, Disposition::PossibleRegression(_))
                && c.confidence >= Band::Possible.floor()
        };
        if let Some(c) = self.duplicates.and_then(|f| f.candidates.iter().find(is_regression))
            && !items.iter().any(|(question, _)| question.ends_with(IS_BACK))
        {
            let question = format!("This was fixed earlier. {IS_BACK}");
            items.push((question, vec![cite_report(&c.key, &c.url)]));
        }
        if cases.cases.is_empty() && cases.wiki.is_empty() {
            // The wiki is not searched for the errors of a log.
            let sources =
                if self.log.is_some() { "solved case" } else { "solved case or wiki page" };
            let question = format!("No {sources} matches. Who is familiar with this component?");
            items.push((question, Vec::new()));
        }
        self.add(SectionKind::Questions, "Open questions", merge_questions(items));
    }

    /// Adds the item's private notes, if requested.
    fn add_notes(&mut self) -> Result<()> {
        let (true, Some(row)) = (self.request.notes, self.row) else { return Ok(()) };
        let mut entries = Vec::new();
        for link in self.reader.links(&row.key)? {
            let note_key = if link.from_key == row.key { &link.to_key } else { &link.from_key };
            let Some(note) = self.reader.note(note_key)? else { continue };
            let note_quote = quote(Some(note.kind.as_str()), &note.document.body, false);
            entries.push(Entry {
                heading: Some(note.document.title.clone()),
                quote: Some(Quote { day: day(note.document.updated_at), ..note_quote }),
                ..cited_entry(vec![cite(&note.document)])
            });
        }
        self.add(SectionKind::Notes, "Notes", entries);
        Ok(())
    }
}

fn merge_questions(items: Vec<(String, Vec<Citation>)>) -> Vec<Entry> {
    let mut questions: Vec<(String, Vec<Citation>)> = Vec::new();
    for (text, citations) in items {
        match questions.iter_mut().find(|(question, _)| *question == text) {
            Some((_, sources)) => {
                sources.extend(
                    citations.into_iter().filter(|c| !sources.contains(c)).collect::<Vec<_>>(),
                );
            }
            None => questions.push((text, citations)),
        }
    }
    questions.into_iter().map(|(text, citations)| statement(text, citations)).collect()
}

fn cited_entry(citations: Vec<Citation>) -> Entry {
    Entry { citations, ..Entry::default() }
}

fn cite_comment(case: &SolvedCase, comment: &CaseComment) -> Citation {
    let citation = cite_case(case);
    Citation { url: comment.url.clone().or(citation.url), ..citation }
}

fn day(time: Option<jiff::Timestamp>) -> Option<String> {
    time.map(|t| t.strftime("%Y-%m-%d").to_string())
}

/// Capitalizes a clause and ends it with a period.
fn to_sentence(text: &str) -> String {
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
            assert!(PROGRAM_OUTPUT.is_match(text), "{text}");
        }
        for text in [
            "It stops at night.",
            "Server: tm1.example (10.3.7.12), Debian 12",
            "Note: it happens on Mondays.",
            "Steps: open it, then close it",
            "Error handling is poor.",
            "On 2026-03-03 it stopped.",
        ] {
            assert!(!PROGRAM_OUTPUT.is_match(text), "{text}");
        }
    }

    #[test]
    fn each_question_is_asked_once() {
        let cite = |key: &str| {
            vec![Citation { label: format!("[Issue {key}]"), key: key.into(), url: None }]
        };
        let entries = merge_questions(vec![
            ("Fixed in 2.4. Is the problem back?".into(), cite("a#1")),
            ("Fixed in 2.5. Is the problem back?".into(), cite("a#2")),
            ("Fixed in 2.4. Is the problem back?".into(), cite("a#3")),
        ]);
        let keys = |entry: &Entry| {
            entry.citations.iter().map(|c| c.key.as_str()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(entries.iter().map(keys).collect::<Vec<_>>(), ["a#1 a#3", "a#2"]);
    }

    #[test]
    fn long_text_is_cut_between_words() {
        assert_eq!(start_of("Ask Ada Lovelace", 11), "Ask Ada");
        assert_eq!(start_of("Ask Ada", 7), "Ask Ada");
        assert_eq!(start_of("日本語", 4), "日");
    }
}
