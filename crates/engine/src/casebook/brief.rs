//! The casebook's methods for briefs.

use super::{Casebook, Inner};
use crate::{
    article,
    brief::{self, BriefContext},
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
    /// Assembles a brief: a summary of an item or a text, with every statement cited. The same
    /// casebook and request give the same brief. Stores nothing.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] for a request that is empty or out of range,
    /// [`precedent_core::Code::NotFound`] for an item or a source that does not exist.
    pub async fn brief(&self, request: BriefRequest, task: &Task) -> Result<Brief> {
        let task = task.clone();
        self.run(move |i| i.with_brief(&task, |context| brief::brief(context, &request, &task)))
            .await
    }

    /// Renders a brief.
    ///
    /// # Errors
    /// [`precedent_core::Code::Internal`] if the PDF cannot be created.
    pub async fn render_brief(brief: Brief, format: BriefFormat) -> Result<Vec<u8>> {
        run_blocking(move || brief::render(&brief, format)).await
    }

    /// Returns the values that redaction would replace in the requested brief, with their kinds.
    ///
    /// # Errors
    /// Same as [`Casebook::brief`].
    pub async fn preview_redaction(
        &self,
        request: BriefRequest,
        task: &Task,
    ) -> Result<Vec<RedactionPreview>> {
        let task = task.clone();
        self.run(move |i| i.with_brief(&task, |context| brief::preview(context, &request, &task)))
            .await
    }

    /// Writes a knowledge base article about a solved problem, from sentences of its threads.
    /// The same casebook and request give the same article. Stores nothing.
    ///
    /// # Errors
    /// [`precedent_core::Code::NotFound`] for an item that does not exist,
    /// [`precedent_core::Code::InvalidInput`] for a problem without a fix or a workaround.
    pub async fn article(&self, request: ArticleRequest, task: &Task) -> Result<Article> {
        let task = task.clone();
        self.run(move |i| i.with_brief(&task, |context| article::article(context, &request, &task)))
            .await
    }

    /// Writes an article and stores it as a note that is attached to the canonical report, unless
    /// the same article is stored already.
    ///
    /// # Errors
    /// Same as [`Casebook::article`] and [`Casebook::add_note`].
    pub async fn store_article(&self, request: ArticleRequest, task: &Task) -> Result<NoteAnswer> {
        let article = self.article(request, task).await?;
        self.add_note(article.to_note(), task).await
    }

    /// Assembles a brief again from its file, and reports the changes since then.
    ///
    /// # Errors
    /// [`precedent_core::Code::InvalidInput`] if the file is not a brief; any error from
    /// [`Casebook::brief`].
    pub async fn replay_brief(&self, file: Vec<u8>, task: &Task) -> Result<BriefReplay> {
        let task = task.clone();
        self.run(move |i| {
            let record = brief::read_record(&file)?;
            i.with_brief(&task, |context| brief::replay(context, &record, &task))
        })
        .await
    }
}

impl Inner {
    /// Runs `work` with the context of a brief, after refreshing the index. A brief is stored, so
    /// temporary notices are omitted; its sections state missing data.
    fn with_brief<T>(
        &self,
        task: &Task,
        work: impl Fn(&BriefContext<'_>) -> Result<T>,
    ) -> Result<T> {
        self.refresh_index(Effort::Alone, task)?;
        self.with_session(|session| {
            let model = session.engine().info().ok().filter(|_| session.problem().is_none());
            let model = model.as_ref().map(|m| (m.name.as_str(), m.solved));
            let domain = self.domain_model()?;
            self.with_finder(session, |finder| {
                work(&BriefContext { finder, domain: &domain, model, engine: session.engine() })
            })
        })
    }
}
