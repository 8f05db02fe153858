//! The casebook's methods for briefs.

use super::Casebook;
use crate::{
    article,
    brief::{self, BriefContext},
    troubleshoot::CaseContext,
};
use precedent_core::{
    error::Result,
    model::{
        Article, ArticleRequest, Brief, BriefFormat, BriefReplay, BriefRequest, NoteAnswer,
        RedactionPreview,
    },
    task::{Task, run_blocking},
};
use precedent_index::update::Effort;

impl Casebook {
    /// Assembles a brief: a summary of an item or pasted text, with every statement cited. The same
    /// casebook and request give the same brief. Stores nothing.
    pub async fn brief(&self, request: BriefRequest, task: &Task) -> Result<Brief> {
        self.with_brief(task, move |context, task| brief::brief(context, &request, task)).await
    }

    /// Renders a brief.
    pub async fn render_brief(brief: Brief, format: BriefFormat) -> Result<Vec<u8>> {
        run_blocking(move || brief::render(&brief, format)).await
    }

    /// Returns the values that redaction would replace in the requested brief, with their kinds.
    pub async fn preview_redaction(
        &self,
        request: BriefRequest,
        task: &Task,
    ) -> Result<Vec<RedactionPreview>> {
        self.with_brief(task, move |context, task| brief::preview(context, &request, task)).await
    }

    /// Writes a knowledge base article about a solved problem, from sentences of its threads. The
    /// same casebook and request give the same article. Stores nothing. Fails for a problem without
    /// a fix or a workaround.
    pub async fn article(&self, request: ArticleRequest, task: &Task) -> Result<Article> {
        self.with_brief(task, move |context, task| article::article(context, &request, task)).await
    }

    /// Writes an article and stores it as a note that is attached to the canonical report, unless
    /// the same article is stored already.
    pub async fn store_article(&self, request: ArticleRequest, task: &Task) -> Result<NoteAnswer> {
        let article = self.article(request, task).await?;
        self.add_note(article.to_note(), task).await
    }

    /// Assembles a brief again from its file, and reports the changes since then.
    pub async fn replay_brief(&self, file: Vec<u8>, task: &Task) -> Result<BriefReplay> {
        let record = brief::read_record(&file)?;
        self.with_brief(task, move |context, task| brief::replay(context, &record, task)).await
    }

    /// Runs `work` with the context of a brief, after refreshing the index. A brief may be read long
    /// after it was made, so it has no notices about the state of the indexes.
    async fn with_brief<T: Send + 'static>(
        &self,
        task: &Task,
        work: impl Fn(&BriefContext<'_>, &Task) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let task = task.clone();
        self.run(move |i| {
            i.refresh_index(Effort::UnlessBusy, &task)?;
            i.with_session(|session| {
                let engine = session.engine();
                let model = engine.info().ok().filter(|_| session.problem().is_none());
                let min_similarity = model.as_ref().map(|model| model.solved);
                let model = model.as_ref().map(|model| model.name.as_str());
                let domain = i.domain_model()?;
                i.with_finder(session, |finder| {
                    let cases = CaseContext { finder, domain: &domain, min_similarity };
                    work(&BriefContext { cases, model, engine }, &task)
                })
            })
        })
        .await
    }
}

#[cfg(test)]
mod tests {
    use precedent_core::model::SectionKind;
    use serde_json::json;

    use super::*;
    use crate::casebook::tests::{issue, open_with};

    const LINE: &str = "2026-02-03 10:00:00 ERROR FW-1043 chunk 7 was refused by the proxy";

    async fn summary(casebook: &Casebook, request: BriefRequest) -> String {
        let brief = casebook.brief(request, &Task::new()).await.unwrap();
        brief.sections[0].entries[0].text.clone().unwrap()
    }

    #[tokio::test]
    async fn pull_request_is_cited_as_one() {
        let change = |number| {
            let fields = json!({"pull_request": {"url": "x", "merged_at": null}});
            issue(number, "Refuse chunk 7 FW-1043", LINE, fields)
        };
        let (_folder, casebook) = open_with(&[change(1), change(2)]).await;
        let request =
            BriefRequest { key: Some("acme/app#2".to_owned()), ..BriefRequest::default() };
        let brief = casebook.brief(request, &Task::new()).await.unwrap();
        let labels: Vec<&str> =
            brief.sections[0].entries[0].citations.iter().map(|c| c.label.as_str()).collect();
        assert_eq!(labels, ["[Pull request acme/app#2]", "[Pull request acme/app#1]"]);
    }

    #[tokio::test]
    async fn excluded_match_of_a_log_is_not_counted() {
        let (folder, casebook) = open_with(&[issue(
            1,
            "Chunk refused FW-1043",
            &format!("```\n{LINE}\n```"),
            json!({}),
        )])
        .await;
        let log = folder.path().join("app.log");
        std::fs::write(&log, LINE).unwrap();
        let request =
            BriefRequest { logs: vec![log.display().to_string()], ..BriefRequest::default() };
        let text = summary(&casebook, request.clone()).await;
        assert!(text.contains(" known."), "{text}");
        let request = BriefRequest { leave_out: vec!["acme/app#1".to_owned()], ..request };
        let text = summary(&casebook, request).await;
        assert!(text.contains(": 1 not seen before. None of them is known"), "{text}");
    }

    #[tokio::test]
    async fn summary_mentions_only_listed_reports() {
        let (_folder, casebook) =
            open_with(&[issue(1, "The archive is empty", "It is empty at noon.", json!({}))]).await;
        let request =
            BriefRequest { text: "The zebra grazes at noon".to_owned(), ..BriefRequest::default() };
        let text = summary(&casebook, request).await;
        assert!(text.contains("file a new report") && !text.contains("closest"), "{text}");
    }

    #[tokio::test]
    async fn summary_names_the_first_listed_report() {
        let closed = json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-01-08T00:00:00Z"});
        let (_folder, casebook) = open_with(&[
            issue(
                1,
                "Upload of a large bundle stops behind the proxy",
                "It stops at chunk 7.",
                closed,
            ),
            issue(2, "Bundle upload stops", "The upload stops at noon.", json!({})),
        ])
        .await;
        let text = "Upload of a bundle stops behind our proxy";
        let request = BriefRequest { text: text.to_owned(), ..BriefRequest::default() };
        let brief = casebook.brief(request, &Task::new()).await.unwrap();
        let section = brief.sections.iter().find(|s| s.kind == SectionKind::Duplicates).unwrap();
        assert_eq!(section.title, "Possible duplicates");
        let key = &section.entries[0].citations[0].key;
        let summary = brief.sections[0].entries[0].text.clone().unwrap();
        assert!(summary.contains(&format!("a duplicate of {key}")), "{summary}");
    }
}
