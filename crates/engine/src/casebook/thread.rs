//! The casebook's methods for threads: a document with its comments and links.

use super::Casebook;
use crate::search;
use precedent_core::{
    error::Result,
    model::{LinkView, Thread, ThreadComment},
};
use precedent_store::{DocumentRow, Reader, StoredComment};
use precedent_text::html;

impl Casebook {
    /// Returns a document with its comments and links. `key` is `acme/app#12`,
    /// `acme/app:Page-Name`, or a bare number that only one source has.
    pub async fn thread(&self, key: &str) -> Result<Thread> {
        let key = key.trim().to_owned();
        self.run(move |i| i.store.read(|r| thread(r, &key))).await
    }
}

pub(super) fn thread(reader: &Reader<'_>, key: &str) -> Result<Thread> {
    let row = search::resolve_one(reader, key)?;
    let comments = reader.all_comments(&row)?;
    let links = links(reader, &row)?;
    // The tracker's count excludes review comments on the lines of a pull request.
    let is_counted =
        |c: &&StoredComment| !c.remote_id.starts_with(precedent_core::model::REVIEW_PREFIX);
    let count = comments.iter().filter(is_counted).count() as u64;
    Ok(Thread {
        missing_comments: u32::try_from(row.comment_count.saturating_sub(count))
            .unwrap_or(u32::MAX),
        html: html::from_markdown(&row.body),
        comments: comments.into_iter().map(thread_comment).collect(),
        links,
        key: row.key,
        kind: row.kind,
        source: row.source,
        number: row.number,
        title: row.title,
        url: row.url,
        state: row.state,
        state_reason: row.state_reason,
        author: row.author.login,
        association: row.author.association,
        labels: row.labels,
        milestone: row.milestone,
        locked: row.locked,
        created_at: row.created_at,
        updated_at: row.updated_at,
        closed_at: row.closed_at,
        deleted_at: row.deleted_at,
        markdown: row.body,
    })
}

fn thread_comment(comment: StoredComment) -> ThreadComment {
    ThreadComment {
        anchor: search::anchor(&comment),
        html: html::from_markdown(&comment.body),
        bot: comment.author.bot,
        internal: comment.author.is_internal(),
        author: comment.author.login,
        association: comment.author.association,
        created_at: comment.created_at,
        updated_at: Some(comment.updated_at).filter(|u| *u > comment.created_at),
        url: comment.url,
        markdown: comment.body,
    }
}

fn links(reader: &Reader<'_>, row: &DocumentRow) -> Result<Vec<LinkView>> {
    let mut views: Vec<LinkView> = Vec::new();
    for link in reader.links(&row.key)? {
        let is_outgoing = link.from_key == row.key;
        let key = if is_outgoing { link.to_key } else { link.from_key };
        // Other kinds of links imply a mention, and come first.
        if link.kind == "mentions" && views.iter().any(|l| l.key == key && l.kind != "mentions") {
            continue;
        }
        let target = reader.document_by_key(&key)?;
        views.push(LinkView {
            kind: link.kind,
            outgoing: is_outgoing,
            document: target.as_ref().map(|d| d.kind),
            title: target.as_ref().map(|d| d.title.clone()),
            state: target.and_then(|d| d.state),
            key,
        });
    }
    Ok(views)
}
