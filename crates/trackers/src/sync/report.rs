//! Status of the mirrors and of their gaps, from the store.

use std::path::Path;

use super::lock::SyncLock;
use crate::tracker::{Kind, Stream};
use precedent_core::{
    Hint, Remedy,
    error::Result,
    model::{Gap, GapKind, MirrorView, StreamView},
};
use precedent_store::{Reader, RemoteRow, SourceRow};

/// Returns the status of every live source, by key.
pub fn mirrors(reader: &Reader<'_>, folder: &Path) -> Result<Vec<MirrorView>> {
    let mut out = Vec::new();
    for source in reader.sources()? {
        if let Some(remote) = reader.remote(source.id)? {
            out.push(mirror_status(reader, folder, &source, remote)?);
        }
    }
    Ok(out)
}

pub(super) fn mirror_status(
    reader: &Reader<'_>,
    folder: &Path,
    source: &SourceRow,
    remote: RemoteRow,
) -> Result<MirrorView> {
    let mut gaps = Vec::new();
    let is_running = SyncLock::is_taken(folder, source.id);
    // Progress left by a killed sync is outdated.
    let progress = if is_running { reader.progress(source.id)? } else { None };
    if !remote.is_trusted {
        let text = format!(
            "Imported from a casebook file, so {} gets no token for {}, and nothing is written there. \
             If you know this host and project, trust it.",
            remote.host, remote.project
        );
        let command = format!("precedent source trust {}", source.key);
        let hint = Hint::from(text).with_command(Remedy::Sources, command);
        gaps.push(Gap { kind: GapKind::Untrusted, hint });
    }
    let mut push = |kind, text: String| gaps.push(Gap { kind, hint: text.into() });
    if remote.synced_at.is_none() && !is_running {
        push(GapKind::NeverSynced, "Sync is incomplete.".to_owned());
    }
    if let Some(problem) = &remote.problem {
        push(GapKind::Ended, format!("The last sync ended early: {problem}."));
    }
    let mut streams = Vec::new();
    let kind = Kind::parse(&source.kind).unwrap_or(Kind::GitHub);
    for stream in kind.streams(remote.wiki) {
        let row = reader.stream(source.id, stream.as_str())?;
        let label = capitalize(stream.label());
        if let Some(reason) = &row.refused {
            push(GapKind::Refused, format!("{label}: {reason}."));
        } else if row.next_page.is_some() || row.finished_at.is_none() {
            let pages = match row.pages {
                0 => String::new(),
                n => format!(" ({} so far)", plural(n, "page")),
            };
            push(GapKind::Unfinished, format!("{label}: incomplete{pages}."));
        }
        if row.unreadable > 0 {
            push(GapKind::Unreadable, format!("{label}: {} could not be read.", row.unreadable));
        }
        streams.push(StreamView {
            name: stream.as_str().to_owned(),
            watermark: row.watermark,
            finished_at: row.finished_at,
            pages: row.pages,
            unreadable: row.unreadable,
            refused: row.refused,
        });
    }
    let count = reader.future_dated_count(source.id)?;
    if count > 0 {
        let records =
            if count == 1 { "1 record has".to_owned() } else { format!("{count} records have") };
        push(
            GapKind::FutureDates,
            format!(
                "{records} a date ahead of this computer's clock. The sync time is used instead, until the \
                 tracker sends another date."
            ),
        );
    }
    let counts = reader.source_counts(source.id)?;
    if counts.missing_comments > 0 {
        push(
            GapKind::MissingComments,
            format!(
                "{} missing: the tracker reports more than were fetched.",
                plural(counts.missing_comments, "comment")
            ),
        );
    }
    if counts.orphan_comments > 0 {
        push(
            GapKind::OrphanComments,
            format!("{} on missing items.", plural(counts.orphan_comments, "comment")),
        );
    }
    let has_items = kind.streams(remote.wiki).contains(&Stream::Items);
    match remote.swept_at {
        _ if !has_items => {}
        None => push(
            GapKind::Deletions,
            "Not yet checked for deleted and transferred items.".to_owned(),
        ),
        Some(time) => push(
            GapKind::Deletions,
            format!(
                "Still shown: open items deleted or transferred after {}, and deleted closed items and comments until a full sync.",
                time.strftime("%Y-%m-%d")
            ),
        ),
    }
    let links = reader.stream(source.id, super::relations::NAME)?;
    if let Some(reason) = links.refused {
        push(GapKind::Links, format!("Links between items come only from their texts: {reason}."));
    } else {
        let unread_count = if kind.has_separate_relations() {
            reader.unread_relation_count(source.id)?
        } else {
            0
        };
        if unread_count > 0 {
            push(
                GapKind::Links,
                format!(
                    "Closing details (fix or duplicate) of {} have not been fetched yet.",
                    plural(unread_count, "item")
                ),
            );
        }
    }
    if let Some(text) = kind.coverage_notice() {
        push(GapKind::LeftOut, text.to_owned());
    }
    if remote.wiki && kind.has_wiki_git() {
        let row = reader.stream(source.id, super::wiki::STREAM_NAME)?;
        if let Some(reason) = &row.refused {
            push(GapKind::Wiki, format!("The wiki is not mirrored: {reason}."));
        } else if row.finished_at.is_none() {
            push(GapKind::Wiki, "Wiki: not fetched yet.".to_owned());
        }
        if row.unreadable > 0 {
            let pages = plural(row.unreadable, "wiki page");
            push(GapKind::Unreadable, format!("{pages} could not be read."));
        }
    }
    Ok(MirrorView {
        source: source.key.clone(),
        host: remote.host,
        project: remote.project,
        running: is_running,
        progress,
        synced_at: remote.synced_at,
        swept_at: remote.swept_at,
        streams,
        gaps,
    })
}

fn plural(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

fn capitalize(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |c| c.to_uppercase().chain(chars).collect())
}
