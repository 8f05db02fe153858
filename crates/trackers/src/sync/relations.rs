//! Fetches the duplicate links and closing references of changed closed items from the tracker, in
//! batches.

use super::{run::Run, tracker_links::add_links};
use crate::tracker::{Relations, Tracker};
use precedent_core::{
    error::{Code, Error, Result},
    secret_filter,
    task::Phase,
};
use precedent_store::StreamRow;

/// The name under which the state of this stream is stored.
pub(super) const NAME: &str = "relations";
/// The number of items per query. GitHub counts a query of this size as one request.
const BATCH: usize = 50;
/// The smallest batch size; if even this is refused, the size is not the reason.
const MIN_BATCH: usize = 5;

/// Requests the relations of all remaining items, newest first, because users look at those most.
pub(super) async fn run(run: &mut Run<'_>, tracker: &dyn Tracker, project: &str) -> Result<()> {
    let source = run.source.id;
    let mut size = BATCH;
    let mut count = 0;
    let total = run.context.read(move |r| r.unread_relation_count(source)).await?;
    loop {
        run.context.task().check()?;
        let numbers = run.context.read(move |r| r.next_relations(source, size)).await?;
        if numbers.is_empty() {
            return Ok(());
        }
        match tracker.relations(&numbers).await? {
            Relations::Found(relations) => {
                let (source, project) = (run.source.clone(), project.to_owned());
                count += numbers.len() as u64;
                let links = run.context.write(move |w| {
                    for number in &numbers {
                        w.forget_tracker_links(&format!("{}#{number}", source.key))?;
                    }
                    add_links(w, &source.key, &project, &relations)?;
                    w.mark_relations_read(source.id, &numbers)?;
                    w.set_stream(source.id, NAME, &StreamRow::default())
                });
                links.await?;
                run.context.task().report(Phase::Sync, count, Some(total.max(count)), "records");
            }
            Relations::TooMany if size > MIN_BATCH => size = (size / 2).max(MIN_BATCH),
            Relations::TooMany => {
                run.mark_incomplete(
                    Error::new(Code::Network, "the tracker cannot return the links between items")
                        .with_hint("Everything else was fetched; try again later."),
                );
                return Ok(());
            }
            Relations::Refused(reason) => {
                let refused = Some(secret_filter::single_line(&reason));
                return run.set_stream(NAME, StreamRow { refused, ..StreamRow::default() }).await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{super::run::fake, *};
    use crate::tracker::FetchError;

    #[tokio::test]
    async fn refused_batches_shrink_to_the_minimum() {
        let folder = tempfile::tempdir().unwrap();
        let issues = (1..=60).map(|number| fake::issue(number, "closed")).collect();
        let (context, source) = fake::casebook(&folder, issues);
        let tracker = fake::FakeTracker::new(|_| Err(FetchError::Expired));
        let mut sync = Run::for_tests(&context, &source);
        run(&mut sync, &tracker, "acme/app").await.unwrap();
        assert_eq!(*tracker.batches.lock().unwrap(), [50, 25, 12, 6, MIN_BATCH]);
        assert!(sync.incomplete_reason.unwrap().to_string().contains("links between items"));
    }
}
