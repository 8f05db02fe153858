//! Articles: knowledge base drafts made of sentences from the threads of a problem. Every passage
//! cites its source; only headings, labels and the words around versions are added.

mod passages;
mod render;
mod sentence;

use jiff::Timestamp;
use precedent_core::{
    error::{Error, Result},
    model::{
        Article, ArticlePassage, ArticleRequest, ArticleSection, ArticleSectionKind, Brief,
        BriefRecord, BriefSource, Citation, Entry, KnownProblem, Note, ProblemStatus, Section,
        SectionKind,
    },
    task::Task,
};
use precedent_redact::{self as redact, RedactionOptions};
use precedent_store::{DocumentRow, Reader};

use crate::{
    ask,
    brief::{self, BriefContext},
    notes::stored_articles,
    search,
    troubleshoot::{self, CaseContext},
};

/// Writes an article about the problem of a report. A problem without a fix or a workaround is an
/// error.
pub fn article(
    context: &BriefContext<'_>,
    request: &ArticleRequest,
    task: &Task,
) -> Result<Article> {
    let (canonical, draft, stored_keys) = context.cases.finder.store.read(|r| {
        let row = search::resolve_one(r, request.key.trim())?;
        let canonical = troubleshoot::canonical(r, &row)?.unwrap_or(row);
        if !canonical.kind.is_report() {
            return Err(Error::invalid(format!("{} is not a report", canonical.key))
                .with_hint("Pass the key of an issue."));
        }
        let newest_change = r.newest_change()?.unwrap_or_default();
        let draft = Draft::collect(r, &context.cases, &canonical, newest_change)?;
        let stored_keys = stored_article_keys(r, &draft.problem)?;
        Ok((canonical, draft, stored_keys))
    })?;
    task.check()?;
    draft.check()?;
    let is_missing =
        |part: &ArticleSectionKind| !draft.has(*part) && is_expected(*part, &draft.problem);
    let missing_parts = ArticleSectionKind::ALL.into_iter().filter(is_missing).collect();
    let Draft { problem, title, sections } = draft;
    let mut brief = to_brief(title, &sections);
    brief::sanitize_brief(&mut brief);
    if request.redact {
        let (names, _) = brief::recognize_names(context, &brief, Some(&canonical), task)?;
        // A version of four numbers would be redacted as an IP address.
        let fixed_versions: Vec<String> =
            problem.fixed_in.iter().flat_map(|list| list.split(", ")).map(str::to_owned).collect();
        let options = RedactionOptions { keep: &fixed_versions, ..RedactionOptions::default() };
        redact::redact(&mut brief, &names, &options);
    }
    let mut article = Article {
        key: problem.key,
        title: brief.title.clone(),
        redactions: brief.redactions.iter().map(|redaction| redaction.count).sum(),
        sections: with_texts(sections, brief),
        missing: missing_parts,
        markdown: String::new(),
        html: String::new(),
        stored: stored_keys,
    };
    article.markdown = render::markdown(&article);
    article.html = render::html(&article)?;
    Ok(article)
}

/// The content of an article before its redaction.
struct Draft {
    problem: KnownProblem,
    title: String,
    sections: Vec<ArticleSection>,
}

impl Draft {
    fn collect(
        r: &Reader<'_>,
        context: &CaseContext<'_>,
        canonical: &DocumentRow,
        now: Timestamp,
    ) -> Result<Self> {
        let problem = ask::problem_of(r, context, &canonical.key, now)?;
        let (title, sections) = passages::collect(r, context.finder, canonical, &problem)?;
        Ok(Self { problem, title, sections })
    }

    fn has(&self, part: ArticleSectionKind) -> bool {
        self.sections.iter().any(|section| section.part == part)
    }

    /// Fails if too little is documented for an article.
    fn check(&self) -> Result<()> {
        let key = &self.problem.key;
        if !self.has(ArticleSectionKind::Symptom) {
            return Err(Error::invalid(format!(
                "nothing to write about {key}: it describes no failure"
            )));
        }
        if !self.has(ArticleSectionKind::Resolution) && !self.has(ArticleSectionKind::Workaround) {
            return Err(Error::invalid(format!(
                "nothing to write yet about {key}: no fix or workaround is documented"
            ))
            .with_hint("Add the solution as a comment on the report, sync, and try again."));
        }
        Ok(())
    }
}

/// Returns whether enough is documented for an article about the problem of a report.
pub(crate) fn is_possible(
    r: &Reader<'_>,
    context: &CaseContext<'_>,
    report: DocumentRow,
    now: Timestamp,
) -> Result<bool> {
    let canonical = troubleshoot::canonical(r, &report)?.unwrap_or(report);
    Ok(Draft::collect(r, context, &canonical, now)?.check().is_ok())
}

/// Returns whether readers expect this part in an article about the problem.
fn is_expected(part: ArticleSectionKind, problem: &KnownProblem) -> bool {
    match part {
        ArticleSectionKind::Symptom
        | ArticleSectionKind::Cause
        | ArticleSectionKind::Resolution => true,
        ArticleSectionKind::Workaround => problem.status == ProblemStatus::Open,
        _ => false,
    }
}

fn stored_article_keys(r: &Reader<'_>, problem: &KnownProblem) -> Result<Vec<String>> {
    let is_about = |note: &Note| note.connected.iter().any(|key| problem.has(key));
    Ok(stored_articles(r)?.into_iter().filter(is_about).map(|note| note.key).collect())
}

/// Converts an article to a brief of one section, for redaction.
fn to_brief(title: String, sections: &[ArticleSection]) -> Brief {
    let passages = || sections.iter().flat_map(|section| &section.passages);
    let entry = |passage: &ArticlePassage| Entry {
        text: Some(passage.text.clone()),
        citations: vec![Citation {
            label: passage.key.clone(),
            key: passage.key.clone(),
            url: passage.url.clone(),
        }],
        ..Entry::default()
    };
    let source = |passage: &ArticlePassage| BriefSource {
        key: passage.key.clone(),
        url: passage.url.clone(),
        ..BriefSource::default()
    };
    let mut sources: Vec<BriefSource> = passages().map(source).collect();
    sources.dedup_by(|a, b| a.key == b.key);
    let entries = passages().map(entry).collect();
    Brief {
        title,
        sections: vec![Section { kind: SectionKind::Cases, title: String::new(), entries }],
        redactions: Vec::new(),
        record: BriefRecord { sources, ..BriefRecord::default() },
    }
}

/// Replaces the texts and addresses of the sections with those of a brief made by [`to_brief`].
fn with_texts(mut sections: Vec<ArticleSection>, brief: Brief) -> Vec<ArticleSection> {
    let passages = sections.iter_mut().flat_map(|section| &mut section.passages);
    for (passage, entry) in
        passages.zip(brief.sections.into_iter().flat_map(|section| section.entries))
    {
        passage.text = entry.text.unwrap_or_default();
        passage.url = entry.citations.into_iter().next().and_then(|citation| citation.url);
    }
    sections
}
