//! Sources: file imports, live mirrors, and the tokens for their trackers.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use super::{Casebook, Inner};
use crate::{samples, search};
use precedent_core::{
    error::{Code, Error, Remedy, Result},
    model::{
        Access, Closure, ClosureRecord, ClosureReport, DetectedFiles, HostView, ImportReport,
        ImportRequest, ImportResult, IndexReport, MirrorView, NewMirror, SourceView, SyncReport,
        SyncRequest, UndoReport,
    },
    task::{Task, run_blocking},
};
use precedent_index::update::Effort;
use precedent_store::{NOTES, Reader, RemoteRow, SourceRow};
use precedent_trackers::{
    http::Http,
    secrets::{FoundToken, KEYRING, SecretString},
    sync,
    tracker::{
        github::device::{self, DeviceLogin},
        project,
    },
};

impl Casebook {
    /// Imports files, archives and folders of any supported tracker into the given source, or into
    /// the sources that the files name. Importing the same data again changes nothing. If a path
    /// cannot be used, earlier data is kept.
    pub async fn import_files(&self, request: ImportRequest, task: &Task) -> Result<ImportResult> {
        let task = task.clone();
        self.run(move |i| sync::import_files(&i.store, &request, (i.clock)(), &task)).await
    }

    /// Imports one path into one source, like [`Casebook::import_files`].
    pub async fn import_github(
        &self,
        source: &str,
        path: &Path,
        task: &Task,
    ) -> Result<ImportReport> {
        let request = ImportRequest {
            paths: vec![path.to_owned()],
            source: Some(source.to_owned()),
            map: Vec::new(),
        };
        Ok(self.import_files(request, task).await?.report)
    }

    /// Imports a folder of Markdown files as the wiki pages of a source.
    pub async fn import_wiki(
        &self,
        source: &str,
        path: &Path,
        task: &Task,
    ) -> Result<ImportReport> {
        let (source, path, task) = (source.to_owned(), path.to_owned(), task.clone());
        self.run(move |i| sync::import_wiki(&i.store, &source, &path, (i.clock)(), &task)).await
    }

    /// Imports the built-in sample casebook.
    pub async fn import_sample(&self, task: &Task) -> Result<ImportReport> {
        let task = task.clone();
        self.run(move |i| {
            let items = [("issues.jsonl", samples::ISSUES), ("comments.jsonl", samples::COMMENTS)];
            let items = items.map(|(name, text)| (name.to_owned(), text)).into_iter();
            let pages = samples::PAGES.iter().map(|(slug, text)| (format!("{slug}.md"), *text));
            let files: Vec<_> = items.chain(pages).collect();
            sync::import_built_in(&i.store, samples::SOURCE, &files, (i.clock)(), &task)
        })
        .await
    }

    /// Undoes the last import of files: items it added are removed and items it changed are
    /// restored. Later changes are kept.
    pub async fn undo_import(&self, task: &Task) -> Result<UndoReport> {
        let task = task.clone();
        self.run(move |i| {
            let report = i.store.write_durably(|w| w.undo_import())?.ok_or_else(|| {
                Error::not_found("there is no import to undo")
                    .with_hint("Only the last import of files can be undone, and only once.")
            })?;
            i.indexes().update_text(Effort::Full, &task, &mut IndexReport::default())?;
            i.plan_removals(&task)?;
            i.store.purge(&task)?;
            Ok(report)
        })
        .await
    }

    /// Returns the sources with their statistics, sorted by key.
    pub async fn sources(&self) -> Result<Vec<SourceView>> {
        self.run(|i| i.store.read(source_views)).await
    }

    /// Adds an empty source.
    pub async fn add_source(&self, key: &str) -> Result<SourceView> {
        let key = sync::source_key(key)?.to_owned();
        self.run(move |i| {
            let now = (i.clock)();
            i.store.write(|w| w.add_source(&key, "github", now))?;
            i.store.read(|r| source_view(r, &key))
        })
        .await
    }

    /// Returns the source that `text` refers to: `owner/name`, `gitlab:group/name`, or the web
    /// address of a project or of a page in it. Parts that the text does not name are empty.
    pub fn parse_source(text: &str) -> Option<NewMirror> {
        project::parse(text)
    }

    /// Returns the source of a web address; `None` if the tracker cannot be inferred from it.
    pub fn parse_source_address(text: &str) -> Option<NewMirror> {
        project::parse_address(text)
    }

    /// Adds a live source, or turns an imported source into a live one. Fetches nothing yet. Fails
    /// if the source is mirrored from another host.
    pub async fn add_tracker(&self, new: NewMirror) -> Result<SourceView> {
        self.run(move |i| {
            let source = sync::add(&i.store, &new, (i.clock)())?;
            i.store.read(|r| source_view(r, &source.key))
        })
        .await
    }

    /// Returns the live sources with their sync progress and known gaps.
    pub async fn mirrors(&self) -> Result<Vec<MirrorView>> {
        self.run(|i| i.store.read(|r| sync::mirrors(r, &i.folder))).await
    }

    /// Returns the hosts of the live sources, sorted by name. The casebook contacts no other host.
    pub async fn hosts(&self) -> Result<Vec<HostView>> {
        let live_sources = self.live_sources(Vec::new()).await?;
        self.run(move |i| {
            let mut hosts: BTreeMap<String, HostView> = BTreeMap::new();
            for (source, remote) in live_sources {
                let host = hosts.entry(remote.host.clone()).or_insert_with(|| {
                    let token_source = find_token(i, &source, &remote).map(|token| token.source);
                    HostView {
                        token: token_source.map(str::to_owned),
                        kept: token_source == Some(KEYRING),
                        host: remote.host.clone(),
                        address: remote.base_url.clone(),
                        sources: Vec::new(),
                    }
                });
                host.sources.push(source.key);
            }
            Ok(hosts.into_values().collect())
        })
        .await
    }

    /// Checks the access rights for a live source; stores nothing.
    pub async fn test_source(&self, key: &str, task: &Task) -> Result<Access> {
        let keys = vec![key.to_owned()];
        let Some((source, remote)) = self.live_sources(keys).await?.pop() else {
            return Err(Error::not_found("source not found"));
        };
        let http = self.inner.http.for_task(task);
        self.tracker(&http, &source, &remote).await?.access().await
    }

    /// Trusts the host of a source from an imported casebook file, which may then receive the
    /// host's stored token.
    pub async fn trust_source(&self, key: &str) -> Result<HostView> {
        let key = key.to_owned();
        let source = self
            .run(move |i| {
                let source = i.store.read(|r| search::find_source(r, &key))?;
                sync::trust(&i.store, &source)?;
                Ok(source)
            })
            .await?;
        let has_source = |host: &HostView| host.sources.contains(&source.key);
        self.hosts()
            .await?
            .into_iter()
            .find(has_source)
            .ok_or_else(|| Error::not_found("the source was removed"))
    }

    /// Stores the token for a tracker's host in the system keyring; it is never written elsewhere.
    /// Fails if there is no keyring.
    pub async fn keep_token(&self, host: &str, token: SecretString) -> Result<()> {
        let host = sync::github_address(host)?.host;
        self.run(move |i| i.secrets.keep(&host, &token)).await
    }

    /// Starts a browser login at a GitHub host; `client_id` identifies an app registered there.
    /// Fails if there is no such app.
    pub async fn begin_login(
        &self,
        host: &str,
        client_id: &str,
        task: &Task,
    ) -> Result<DeviceLogin> {
        let http = self.inner.http.for_task(task);
        device::begin(&http, &sync::github_address(host)?, client_id).await
    }

    /// Waits until the user has entered the code, then stores the token in the system keyring.
    /// Fails if the user declined or the code expired.
    pub async fn finish_login(&self, host: &str, login: &DeviceLogin, task: &Task) -> Result<()> {
        let token = device::finish(&self.inner.http.for_task(task), login).await?;
        self.keep_token(host, token).await
    }

    /// Deletes the token that [`Casebook::keep_token`] stored for a host. Returns whether there was
    /// one.
    pub async fn forget_token(&self, host: &str) -> Result<bool> {
        let host = sync::github_address(host)?.host;
        self.run(move |i| i.secrets.forget(&host)).await
    }

    /// Syncs live sources one after another, each from its last watermark. A failed source does not
    /// stop the others; its error is in its report. Fails if a source is not live.
    pub async fn sync(&self, request: SyncRequest, task: &Task) -> Result<Vec<SyncReport>> {
        let mut reports = Vec::new();
        let live_sources = self.live_sources(request.sources.clone()).await?;
        let addresses: Vec<_> = live_sources
            .iter()
            .filter_map(|(_, remote)| url::Url::parse(&remote.base_url).ok())
            .collect();
        // If no host answers, the network is down. Checking this first avoids one timeout per
        // source.
        match self.inner.http.for_task(task).reach_any(&addresses).await {
            Err(error) if error.code() == Code::Network => {
                let context = self.context(task);
                for (source, _) in &live_sources {
                    reports.push(sync::record_unreachable(&context, source, &error).await);
                }
                return Ok(reports);
            }
            result => result?,
        }
        for (source, remote) in live_sources {
            if task.is_cancelled() && !reports.is_empty() {
                break;
            }
            let context = self.context(task);
            let report = match self.tracker(&context.http, &source, &remote).await {
                Ok(mut tracker) => {
                    sync::sync(&context, &source, &remote, tracker.as_mut(), &request).await
                }
                Err(error) => sync::record_unreachable(&context, &source, &error).await,
            };
            reports.push(report);
        }
        Ok(reports)
    }

    /// Returns the open reports of live sources that are marked as duplicates, each with the
    /// comment to post. Uses no network.
    pub async fn closures(&self, source: Option<&str>) -> Result<Vec<Closure>> {
        let source = source.map(str::to_owned);
        self.run(move |i| {
            i.store.read(|r| {
                let row = source.map(|key| search::find_source(r, &key)).transpose()?;
                sync::closures(r, row.as_ref())
            })
        })
        .await
    }

    /// Posts the comments and closes these reports from [`Casebook::closures`], on behalf of
    /// `actor`. Reports whose decision has changed since they were listed are skipped; steps
    /// completed earlier are never repeated. The report lists requests that a tracker refused.
    pub async fn close_reports(
        &self,
        list: &[Closure],
        actor: &str,
        task: &Task,
    ) -> Result<ClosureReport> {
        let mut closures = self.closures(None).await?;
        closures.retain(|closure| {
            list.iter().any(|s| {
                (&s.key, &s.canonical, &s.comment)
                    == (&closure.key, &closure.canonical, &closure.comment)
            })
        });
        let mut total = ClosureReport::default();
        let context = self.context(task);
        while let Some(first) = closures.first() {
            let key = first.source.clone();
            let (batch, rest): (Vec<_>, _) = closures.into_iter().partition(|c| c.source == key);
            closures = rest;
            let report = async {
                let Some((row, remote)) = self.live_sources(vec![key]).await?.pop() else {
                    return Ok(ClosureReport::default());
                };
                let mut tracker = self.tracker(&context.http, &row, &remote).await?;
                Ok(sync::close(&context, &row, tracker.as_mut(), &batch, actor).await)
            };
            match report.await {
                Ok(report) => {
                    total.done.extend(report.done);
                    total.problem = total.problem.or(report.problem);
                }
                Err(error) if closures.is_empty() && total == ClosureReport::default() => {
                    return Err(error);
                }
                // Earlier closures must be reported.
                Err(error) => total.problem = total.problem.or(Some(error)),
            }
            if task.is_cancelled() {
                break;
            }
        }
        Ok(total)
    }

    /// Returns the comments and closures sent to trackers, latest first.
    pub async fn closure_journal(&self) -> Result<Vec<ClosureRecord>> {
        self.run(|i| i.store.read(|r| r.closures())).await
    }

    fn context(&self, task: &Task) -> sync::Context {
        let Inner { store, folder, clock, http, .. } = &*self.inner;
        sync::Context::new(Arc::clone(store), folder.clone(), Arc::clone(clock), http, task)
    }

    /// Returns the live sources with these keys, or all of them if `keys` is empty.
    pub(super) async fn live_sources(
        &self,
        keys: Vec<String>,
    ) -> Result<Vec<(SourceRow, RemoteRow)>> {
        self.run(move |i| {
            i.store.read(|r| {
                let has_keys = !keys.is_empty();
                let keys =
                    if has_keys { keys } else { r.sources()?.into_iter().map(|s| s.key).collect() };
                let mut out = Vec::new();
                for key in keys {
                    let source = search::find_source(r, &key)?;
                    match r.remote(source.id)? {
                        Some(remote) => out.push((source, remote)),
                        None if has_keys => {
                            return Err(Error::invalid(format!(
                                "{} is imported from files only",
                                source.key
                            ))
                            .with_hint("To sync it with its tracker, add it as a live source.")
                            .with_command(
                                Remedy::Add,
                                format!("precedent source add github:{}", source.key),
                            ));
                        }
                        None => {}
                    }
                }
                Ok(out)
            })
        })
        .await
    }

    /// Returns the tracker client of a live source, with the token for its host.
    pub(super) async fn tracker(
        &self,
        http: &Http,
        source: &SourceRow,
        remote: &RemoteRow,
    ) -> Result<Box<dyn precedent_trackers::tracker::Tracker>> {
        let (http, source, remote) = (http.clone(), source.clone(), remote.clone());
        // A keyring or a helper program may be slow.
        self.run(move |i| {
            let secret = find_token(i, &source, &remote);
            sync::remote_tracker(&http, &source, &remote, secret.as_ref().map(|f| &f.token))
        })
        .await
    }

    /// Removes a source and all data mirrored from it; verdicts are kept.
    pub async fn remove_source(&self, key: &str, task: &Task) -> Result<SourceView> {
        let (key, task) = (key.to_owned(), task.clone());
        self.run(move |i| {
            let view = i.store.read(|r| source_view(r, &key))?;
            if view.key == NOTES {
                return Err(Error::invalid(
                    "private notes are not a source and cannot be removed as one",
                )
                .with_hint("Remove the notes one by one.")
                .with_command(Remedy::Notes, "precedent note remove note#1"));
            }
            let id = i.store.write(|w| {
                let source = search::find_source(w, &key)?;
                w.remove_source(&source)?;
                Ok(source.id)
            })?;
            sync::forget_wiki(&i.folder, id)?;
            i.forget_images();
            i.indexes().update_text(Effort::Full, &task, &mut IndexReport::default())?;
            i.plan_removals(&task)?;
            i.store.purge(&task)?;
            Ok(view)
        })
        .await
    }
}

/// Detects the contents of files and the source that [`Casebook::import_files`] would put them
/// into. Needs no casebook and stores nothing.
pub async fn understand_files(request: ImportRequest, task: &Task) -> Result<DetectedFiles> {
    let task = task.clone();
    run_blocking(move || sync::understand(&request, &task)).await
}

/// Returns the token for a live source's tracker, bound to its addresses, or `None` if the source
/// is not trusted.
fn find_token(inner: &Inner, source: &SourceRow, remote: &RemoteRow) -> Option<FoundToken> {
    let (_, address) = sync::remote_address(source, remote).ok().filter(|_| remote.is_trusted)?;
    inner.secrets.find(sync::token_request(source, remote), &address.token_addresses())
}

pub(super) fn source_views(reader: &Reader<'_>) -> Result<Vec<SourceView>> {
    reader.sources()?.iter().map(|s| source_view(reader, &s.key)).collect()
}

fn source_view(reader: &Reader<'_>, key: &str) -> Result<SourceView> {
    let source = search::find_source(reader, key)?;
    let counts = reader.source_counts(source.id)?;
    Ok(SourceView {
        key: source.key,
        kind: source.kind,
        added_at: source.added_at,
        changed_at: source.changed_at,
        issues: counts.issues,
        pull_requests: counts.pull_requests,
        comments: counts.comments,
        pages: counts.pages,
        missing_comments: counts.missing_comments,
        orphan_comments: counts.orphan_comments,
        known_duplicates: reader.known_duplicates(source.id)?.len() as u64,
        calibrated_on: reader.calibration(source.id)?.map(|c| c.labels),
    })
}
