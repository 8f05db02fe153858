//! The casebook's methods for answers about problems, and for solved cases.

use super::{Casebook, Inner};
use crate::{
    ask, problems,
    troubleshoot::{self, CaseContext},
};
use precedent_core::{
    error::Result,
    model::{
        AskRequest, AskResponse, KnownProblem, Notice, ProblemsRequest, ProblemsResponse,
        ThreadFigures, TroubleshootRequest, TroubleshootResponse,
    },
    task::Task,
};
use precedent_index::update::Effort;

impl Casebook {
    /// Answers a question about a problem: the known problem with its status, workaround and fix,
    /// related reports, and the next steps.
    pub async fn ask(&self, request: AskRequest, task: &Task) -> Result<AskResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale_notice = i.refresh_index(Effort::UnlessBusy, &task)?;
            let now = (i.clock)();
            let mut response = i.with_cases(|context| ask::ask(context, &request, now, &task))?;
            response.notices.extend(stale_notice);
            response.conclusive = Notice::is_conclusive(&response.notices);
            response.next = ask::next_steps(&response);
            Ok(response)
        })
        .await
    }

    /// Returns the problem of an item, or of the report that it is a known duplicate of, with the
    /// status, fix and workaround that the thread documents.
    pub async fn problem(&self, key: &str) -> Result<KnownProblem> {
        let key = key.to_owned();
        self.run(move |i| {
            let now = (i.clock)();
            i.with_cases(|context| {
                context.finder.store.read(|r| ask::problem_of(r, context, &key, now))
            })
        })
        .await
    }

    /// Returns the problems of the backlog: groups of reports that are known duplicates, or likely
    /// ones according to their last checks.
    pub async fn problems(
        &self,
        request: ProblemsRequest,
        task: &Task,
    ) -> Result<ProblemsResponse> {
        let task = task.clone();
        self.run(move |i| {
            let now = (i.clock)();
            i.with_cases(|context| problems::problems(context, &request, now, &task))
        })
        .await
    }

    /// Finds solved cases of the same problem, with the part of their threads that contains the
    /// fix; without any, finds wiki pages.
    pub async fn troubleshoot(
        &self,
        request: TroubleshootRequest,
        task: &Task,
    ) -> Result<TroubleshootResponse> {
        let task = task.clone();
        self.run(move |i| {
            let stale_notice = i.refresh_index(Effort::UnlessBusy, &task)?;
            let now = (i.clock)();
            let mut response =
                i.with_cases(|context| ask::troubleshoot(context, &request, now, &task))?;
            response.notices.extend(stale_notice);
            response.conclusive = Notice::is_conclusive(&response.notices);
            Ok(response)
        })
        .await
    }

    /// Measures on a source's closed issues how often the shown part of a thread contains the
    /// comment that states the fix. `budget` is in characters.
    pub async fn evaluate_threads(
        &self,
        source: &str,
        budget: usize,
        task: &Task,
    ) -> Result<ThreadFigures> {
        let (source, task) = (source.to_owned(), task.clone());
        self.run(move |i| {
            let session = i.embedding_session()?;
            i.with_context(&session, |s| troubleshoot::evaluate_threads(s, &source, budget, &task))
        })
        .await
    }
}

impl Inner {
    /// Runs `work` with the context for finding solved cases, with semantic search if available.
    pub(super) fn with_cases<T>(&self, work: impl Fn(&CaseContext<'_>) -> Result<T>) -> Result<T> {
        self.with_session(|session| {
            let min_similarity = session.engine().info().ok().map(|m| m.solved);
            let domain = self.domain_model()?;
            self.with_finder(session, |finder| {
                work(&CaseContext { finder, domain: &domain, min_similarity })
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::casebook::tests::{issue, open_with};

    #[tokio::test]
    async fn rejected_change_names_no_fixed_version() {
        let (_folder, casebook) = open_with(&[
            issue(
                1,
                "Upload stops",
                "It stops.",
                json!({"state": "closed", "state_reason": "completed", "closed_at": "2026-01-08T00:00:00Z"}),
            ),
            issue(
                5,
                "Retry the upload",
                "Fixes #1",
                json!({"state": "closed", "closed_at": "2026-01-05T00:00:00Z", "milestone": {"title": "3.2.0"},
                       "pull_request": {"url": "x", "merged_at": null}}),
            ),
            issue(
                6,
                "Keep chunks in order",
                "Fixes #1",
                json!({"state": "closed", "closed_at": "2026-01-08T00:00:00Z",
                       "pull_request": {"url": "x", "merged_at": "2026-01-08T00:00:00Z"}}),
            ),
        ])
        .await;
        let problem = casebook.problem("acme/app#1").await.unwrap();
        let changes: Vec<&str> = problem.fixed_by.iter().map(|c| c.key.as_str()).collect();
        assert_eq!((changes, problem.fixed_in), (vec!["acme/app#6"], None));
    }
}
