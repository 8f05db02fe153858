//! Mirrors git wikis: applies the changes between the stored commit and the newest one.

use std::{
    collections::{BTreeMap, HashMap, HashSet, btree_map::Entry},
    path::{Path, PathBuf},
};

use super::{
    removal,
    run::{PageEvents, Run},
};
use crate::tracker::{
    Tracker,
    wiki::{self, PageMetadata},
    wiki_git::{Head, WikiFile, WikiGit},
};
use precedent_core::{
    error::{Error, Result},
    model::Record,
    secret_filter,
    task::Phase,
};
use precedent_store::StreamRow;

/// The name under which the state of this stream is stored.
pub(super) const STREAM_NAME: &str = "wiki";
const BATCH: usize = 200;
const BATCH_BYTES: u64 = 16 * 1024 * 1024;

fn clone_folder(folder: &Path, source: i64) -> PathBuf {
    folder.join("wikis").join(format!("{source}.git"))
}

/// Deletes the local clone of a wiki.
pub fn delete_clone(folder: &Path, source: i64) -> Result<()> {
    let path = clone_folder(folder, source);
    match std::fs::remove_dir_all(&path) {
        Err(e) if e.kind() != std::io::ErrorKind::NotFound => Err(Error::io(&path, e)),
        _ => Ok(()),
    }
}

/// Updates the pages, and hides those that are gone.
pub(super) async fn run(run: &mut Run<'_>, tracker: &dyn Tracker) -> Result<()> {
    let Some(location) = tracker.wiki() else { return Ok(()) };
    let source = run.source.id;
    let address = location.page_url_prefix.clone();
    let git = WikiGit::new(&run.context.http, location, clone_folder(&run.context.folder, source));
    let row = run.context.read(move |r| r.stream(source, STREAM_NAME)).await?;
    let head = match git.head().await? {
        Head::Commit(commit) => commit,
        Head::Missing(reason) => {
            let row = StreamRow { refused: Some(secret_filter::single_line(&reason)), ..row };
            return run.set_stream(STREAM_NAME, row).await;
        }
    };
    let base =
        row.etag.as_ref().filter(|(_, url)| url == git.address()).map(|(commit, _)| commit.clone());
    if base.as_ref() == Some(&head) && row.refused.is_none() && !run.full {
        let row = StreamRow { finished_at: Some((run.context.clock)()), ..row };
        return run.set_stream(STREAM_NAME, row).await;
    }
    git.fetch().await?;
    // The fetched commit may be newer than the one requested before.
    let commit = git.newest_commit().await?;
    let files = git.files(&commit).await?.unwrap_or_default();
    let old_files = match base.filter(|_| !run.full) {
        Some(commit) => git.files(&commit).await?.unwrap_or_default(),
        None => Vec::new(),
    };
    let old_files: HashSet<(String, String)> =
        old_files.into_iter().map(|f| (f.path, f.blob)).collect();
    let pages = pages_by_name(run, files);
    let history = git.history(&commit).await?;
    let changes: Vec<(&String, &WikiFile)> = pages
        .iter()
        .filter(|(_, f)| !old_files.contains(&(f.path.clone(), f.blob.clone())))
        .collect();

    let previous_new_count = run.report.new;
    let mut unreadable_count = 0;
    let mut page_count = 0;
    let mut later_changes = &changes[..];
    while !later_changes.is_empty() {
        let mut bytes = 0;
        let batch_length = later_changes.iter().take(BATCH).take_while(|(_, f)| {
            bytes += f.size.min(wiki::MAX_PAGE);
            bytes <= BATCH_BYTES
        });
        let (batch, tail) = later_changes.split_at(batch_length.count().max(1));
        later_changes = tail;
        let blobs: Vec<String> = batch
            .iter()
            .filter(|(_, f)| f.size <= wiki::MAX_PAGE)
            .map(|(_, f)| f.blob.clone())
            .collect();
        let contents = git.contents(&blobs).await?;
        let mut records = Vec::with_capacity(batch.len());
        for (slug, file) in batch {
            match parse_page(slug, file, contents.get(&file.blob), &history, &address) {
                Ok(Some(record)) => records.push(record),
                Ok(None) => {}
                Err(reason) => {
                    unreadable_count += 1;
                    run.skip(format!("wiki, {}", file.path), reason);
                }
            }
        }
        page_count += batch.len() as u64;
        run.store(records, PageEvents::default(), None).await?;
        run.context.task().report(Phase::Sync, page_count, Some(changes.len() as u64), "records");
    }

    let (missing_keys, total) = removal::restore_pages(run, pages.into_keys().collect()).await?;
    // The commit proves the deletion, but mass deletion may be a mistake; renames are new pages.
    let new_count = usize::try_from(run.report.new - previous_new_count).unwrap_or(usize::MAX);
    if missing_keys.len() > run.allowance.limit(total).max(new_count) {
        // The stored commit stays, so that the next sync checks again.
        run.reject_removal(missing_keys.len(), total, "pages");
        let row = StreamRow { finished_at: Some((run.context.clock)()), refused: None, ..row };
        return run.set_stream(STREAM_NAME, row).await;
    }
    removal::hide(run, missing_keys).await?;
    let row = StreamRow {
        etag: Some((commit, git.address().to_owned())),
        finished_at: Some((run.context.clock)()),
        unreadable: if old_files.is_empty() {
            unreadable_count
        } else {
            row.unreadable + unreadable_count
        },
        refused: None,
        ..row
    };
    run.set_stream(STREAM_NAME, row).await
}

/// Returns the pages by name. A wiki is flat: of two files with the same name, the alphabetically
/// first is the page.
fn pages_by_name(run: &mut Run<'_>, mut files: Vec<WikiFile>) -> BTreeMap<String, WikiFile> {
    files.sort_by(|a, b| a.path.cmp(&b.path));
    let mut pages = BTreeMap::new();
    for file in files {
        let file_name = file.path.rsplit('/').next().unwrap_or_default();
        let Some(slug) = wiki::slug(file_name) else { continue };
        match pages.entry(slug) {
            Entry::Occupied(_) => {
                run.skip(
                    format!("wiki, {}", file.path),
                    "another file has the same page name".to_owned(),
                );
            }
            Entry::Vacant(entry) => drop(entry.insert(file)),
        }
    }
    pages
}

fn parse_page(
    slug: &str,
    file: &WikiFile,
    content: Option<&Vec<u8>>,
    history: &HashMap<String, PageMetadata>,
    address: &str,
) -> Result<Option<Record>, String> {
    if file.size > wiki::MAX_PAGE {
        return Err("the page is larger than 8 MB".to_owned());
    }
    let content = content.ok_or("its content is missing from the repository")?;
    let mut url = url::Url::parse(address).ok();
    let query = url.as_ref().and_then(|u| u.query().map(str::to_owned));
    if let (Some(url), Some(query)) = (&mut url, query) {
        // The page's path, including its folders, is a query parameter.
        let path = file
            .path
            .rsplit_once('.')
            .map_or(file.path.as_str(), |(stem, _)| stem)
            .replace('-', " ");
        let path: String =
            url::form_urlencoded::byte_serialize(wiki::percent_decode(&path).as_bytes()).collect();
        url.set_query(Some(&format!("{query}{}", path.replace("%2F", "/").replace('+', "%20"))));
    } else if let Some(mut parts) = url.as_mut().and_then(|u| u.path_segments_mut().ok()) {
        parts.pop_if_empty().push(slug);
    }
    let history = history.get(&file.path).cloned().unwrap_or_default();
    let metadata = PageMetadata { url: url.map(String::from), ..history };
    let file_name = file.path.rsplit('/').next().unwrap_or_default();
    Ok(wiki::parse_page(file_name, content.clone(), metadata)?.map(Record::from))
}

#[cfg(test)]
mod tests {
    use super::{super::run::fake, *};
    use crate::tracker::{FetchError, wiki_git::WikiLocation};

    fn git(folder: &Path, args: &[&str]) {
        let identity = ["-c", "user.name=ada", "-c", "user.email=ada@acme.example"];
        let mut command = std::process::Command::new("git");
        assert!(command.current_dir(folder).args(identity).args(args).status().unwrap().success());
    }

    #[tokio::test]
    async fn implausible_deletion_is_reported_by_every_sync() {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("app.wiki");
        std::fs::create_dir(&repository).unwrap();
        git(&repository, &["init", "--quiet"]);
        for name in ["A.md", "B.md", "C.md"] {
            std::fs::write(repository.join(name), "Text").unwrap();
        }
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "--quiet", "-m", "pages"]);
        let (context, source) = fake::casebook(&folder, Vec::new());
        let mut tracker = fake::FakeTracker::new(|_| Err(FetchError::Expired));
        tracker.wiki = Some(WikiLocation {
            repository: url::Url::from_directory_path(&repository).unwrap(),
            page_url_prefix: "https://github.com/acme/app/wiki/".to_owned(),
            token: None,
        });
        let sync = async || {
            let mut sync = Run { full: false, ..Run::for_tests(&context, &source) };
            run(&mut sync, &tracker).await.unwrap();
            (sync.report.gone, sync.incomplete_reason.is_some())
        };
        assert_eq!(sync().await, (0, false));
        git(&repository, &["rm", "--quiet", "A.md", "B.md"]);
        git(&repository, &["commit", "--quiet", "-m", "remove"]);
        assert_eq!((sync().await, sync().await), ((0, true), (0, true)));
        std::fs::write(repository.join("A.md"), "Text").unwrap();
        git(&repository, &["add", "."]);
        git(&repository, &["commit", "--quiet", "-m", "restore"]);
        assert_eq!((sync().await, sync().await), ((1, false), (0, false)));
    }
}
