//! Extraction of references from changed documents as links in the store.

use std::{collections::BTreeSet, time::Instant};

use super::{batches::batches, lock::write};
use precedent_core::{
    error::Result,
    model::{DocKind, State},
    task::Task,
};
use precedent_store::{DocumentRow, Reader, Store, StoredComment};
use precedent_text::{
    closure::Closure,
    reference::{Project, Relation, references_with_projects},
};

const BATCH: usize = 500;
/// The maximum time between a closure and the comment that explains it, in seconds.
const CLOSURE_WINDOW: i64 = 600;

/// The sources that a text may refer to.
struct Sources {
    keys: Vec<String>,
    projects: Vec<Project>,
}

/// Updates the links of origin `text` until a deadline. `short_wait` limits the wait for other
/// writers.
pub(super) fn update(
    store: &Store,
    deadline: Option<Instant>,
    short_wait: bool,
    task: &Task,
) -> Result<()> {
    let (linked_revision, revision) = store.read(|r| Ok((r.links_revision()?, r.revision()?)))?;
    if linked_revision >= revision {
        return Ok(());
    }
    let (changes, sources) = store.read(|r| {
        let source_keys = r.sources()?.into_iter().map(|source| source.key).collect();
        let sources = Sources { keys: source_keys, projects: r.projects()? };
        Ok((r.changed_documents(linked_revision)?, sources))
    })?;
    let mut batches = batches(&changes, BATCH).peekable();
    while let Some(batch) = batches.next() {
        task.check()?;
        let links = store.read(|r| {
            let mut out = Vec::with_capacity(batch.len());
            for change in batch {
                let Some(row) = r.document(change.id)? else { continue };
                let links = if change.is_deleted {
                    Vec::new()
                } else {
                    let default_source = default_source(r, &row)?;
                    text_links(&row, &r.comments(&row)?, default_source.as_deref(), &sources)
                };
                out.push((row.key, links));
            }
            Ok(out)
        })?;
        let batch_end = batch.last().map(|change| change.revision);
        let completed_revision =
            batch_end.filter(|end| batches.peek().is_none_or(|next| next[0].revision > *end));
        write(store, short_wait, |w| {
            links.iter().try_for_each(|(key, links)| w.replace_text_links(key, links))?;
            completed_revision.map_or(Ok(()), |end| w.set_links_revision(end))
        })?;
        if completed_revision.is_some()
            && deadline.is_some_and(|deadline| Instant::now() >= deadline)
        {
            return Ok(());
        }
    }
    write(store, short_wait, |w| w.set_links_revision(revision))
}

/// Returns the source that a document's bare numbers (`#12`) refer to. For a note, that is the only
/// source of the items that it is attached to, or the only source of the casebook.
fn default_source(r: &Reader<'_>, row: &DocumentRow) -> Result<Option<String>> {
    if row.kind != DocKind::Note {
        return Ok(Some(row.source.clone()));
    }
    let mut sources = BTreeSet::new();
    for link in r.links(&row.key)?.into_iter().filter(|link| link.kind == "relates_to") {
        let key = if link.from_key == row.key { link.to_key } else { link.from_key };
        let target = r.document_by_key(&key)?.filter(|target| target.kind != DocKind::Note);
        sources.extend(target.map(|target| target.source));
    }
    if sources.is_empty() {
        sources.extend(r.sources()?.into_iter().map(|source| source.key));
    }
    Ok(sources.pop_first().filter(|_| sources.is_empty()))
}

/// Returns the references in a document's texts as (key, kind), each once, strongest kind first.
/// `default_source` is the source that bare numbers (`#12`) refer to.
fn text_links(
    row: &DocumentRow,
    comments: &[StoredComment],
    default_source: Option<&str>,
    sources: &Sources,
) -> Vec<(String, &'static str)> {
    let mut out: Vec<(Relation, String)> = Vec::new();
    let mut add = |text: &str, is_own: bool, is_bot: bool| {
        for (relation, key) in references_in(row, default_source, sources, text) {
            let relation = match relation {
                // "Fixes #12" closes #12 only in a pull request's own text.
                Relation::Closes if !(is_own && row.kind == DocKind::PullRequest) => {
                    Relation::Mentions
                }
                // Bots only propose duplicates.
                Relation::DuplicateOf if is_bot => Relation::Mentions,
                relation => relation,
            };
            if !out.iter().any(|(r, k)| *r == relation && *k == key) {
                out.push((relation, key));
            }
        }
    };
    add(&row.title, true, row.author.bot);
    add(&row.body, true, row.author.bot);
    for comment in comments {
        add(&comment.body, false, comment.author.bot);
    }
    if !out.iter().any(|(relation, _)| *relation == Relation::DuplicateOf) {
        let key = closing_reference(row, comments, sources);
        out.extend(key.map(|key| (Relation::DuplicateOf, key)));
    }
    out.sort();
    let stronger_keys: Vec<String> =
        out.iter().filter(|(r, _)| *r != Relation::Mentions).map(|(_, k)| k.clone()).collect();
    out.into_iter()
        .filter(|(r, k)| *r != Relation::Mentions || !stronger_keys.contains(k))
        .map(|(r, k)| (k, r.as_str()))
        .collect()
}

/// Returns the keys of other items that a text names, and their relations. Texts may write the name
/// of a source in another case than its key.
fn references_in<'a>(
    row: &'a DocumentRow,
    default_source: Option<&'a str>,
    sources: &'a Sources,
    text: &str,
) -> impl Iterator<Item = (Relation, String)> + use<'a> {
    references_with_projects(text, &sources.projects).into_iter().filter_map(move |reference| {
        let name = reference.source.as_deref().or(default_source)?;
        let source = sources.keys.iter().find(|key| key.eq_ignore_ascii_case(name));
        let key = format!("{}#{}", source.map_or(name, String::as_str), reference.number);
        (key != row.key).then_some((reference.relation, key))
    })
}

/// Returns the original of an item that was closed as a duplicate without an explicit reference:
/// the only item that the last comment with references near the closure names ("Same cause as #12,
/// closing").
fn closing_reference(
    row: &DocumentRow,
    comments: &[StoredComment],
    sources: &Sources,
) -> Option<String> {
    let is_duplicate = row.closed_as() == Some(Closure::Duplicate)
        || row.labels.iter().any(|label| label.eq_ignore_ascii_case("duplicate"));
    let closed_at = row.closed_at.filter(|_| is_duplicate && row.state == Some(State::Closed))?;
    let is_near_closure = |c: &&StoredComment| {
        !c.author.bot && (c.created_at.as_second() - closed_at.as_second()).abs() <= CLOSURE_WINDOW
    };
    let mut mentions = comments.iter().filter(is_near_closure).map(|c| {
        let references = references_in(row, Some(&row.source), sources, &c.body);
        references.map(|(_, key)| key).collect::<BTreeSet<_>>()
    });
    let last_keys = mentions.rfind(|keys| !keys.is_empty())?;
    let mut keys = last_keys.into_iter();
    keys.next().filter(|_| keys.next().is_none())
}

#[cfg(test)]
mod tests {
    use super::*;
    use precedent_core::model::DocumentRecord;
    use precedent_store::{DateEvidence, RawKind};

    #[test]
    fn source_name_matches_in_any_case() {
        let folder = tempfile::tempdir().unwrap();
        let store = Store::open(&folder.path().join("precedent.db")).unwrap();
        let body =
            "Duplicate of https://git.example/Acme/App/issues/1, see ACME/app#2, Other/Lib#3";
        let record =
            DocumentRecord { number: Some(2), body: body.to_owned(), ..DocumentRecord::default() };
        store
            .write(|w| {
                let source = w.add_source("acme/app", "github", Default::default())?;
                let raw = w.raw_packer(RawKind::Document)?.worker()?.pack(&record.raw)?;
                w.apply_document(&source, &record, &raw, DateEvidence::Sound, Default::default())
            })
            .unwrap();
        update(&store, None, false, &Task::new()).unwrap();
        let links = store.read(|r| r.links("acme/app#2")).unwrap();
        let links: Vec<_> = links.iter().map(|l| (l.kind.as_str(), l.to_key.as_str())).collect();
        assert_eq!(links, [("duplicate_of", "acme/app#1"), ("mentions", "Other/Lib#3")]);
    }
}
