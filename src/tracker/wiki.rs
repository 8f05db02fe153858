//! Wiki pages from a folder of Markdown files, as a GitHub wiki has them.

use std::path::Path;

use jiff::Timestamp;

use crate::{
    error::{Code, Error, Result},
    model::{Author, DocKind, DocumentRecord, Raw},
};

/// The endings of the files that are pages.
pub const ENDINGS: &[&str] = &[".md", ".markdown"];

/// The largest page, in bytes.
const MAX_PAGE: u64 = 8 * 1024 * 1024;

/// Reads one page. `_Sidebar` and `_Footer` are furniture, not pages: they give `None`.
///
/// # Errors
/// [`Code::Io`] if it cannot be read; [`Code::InvalidInput`] if it is no text or too large.
pub fn page(path: &Path) -> Result<Option<DocumentRecord>> {
    let slug = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
    let meta = std::fs::metadata(path).map_err(|e| Error::io(path, e))?;
    if meta.len() > MAX_PAGE {
        return Err(Error::new(
            Code::InvalidInput,
            format!("{}: the page is larger than 8 MB", path.display()),
        ));
    }
    let bytes = std::fs::read(path).map_err(|e| Error::io(path, e))?;
    let modified = meta.modified().ok().and_then(|t| Timestamp::try_from(t).ok());
    page_from(&slug, bytes, modified).map_err(|why| Error::invalid(format!("{}: {why}", path.display())))
}

/// A page from its name and bytes.
pub(crate) fn page_from(
    slug: &str,
    bytes: Vec<u8>,
    updated_at: Option<Timestamp>,
) -> Result<Option<DocumentRecord>, String> {
    if slug.starts_with('_') {
        return Ok(None);
    }
    let body =
        std::str::from_utf8(&bytes).map_err(|e| format!("invalid UTF-8 at byte {}", e.valid_up_to()))?;
    // The name is the title: "Upgrade-to-3.x" is shown as "Upgrade to 3.x".
    let title = slug.replace('-', " ");
    Ok(Some(DocumentRecord {
        repository: None,
        kind: DocKind::Page,
        number: None,
        slug: Some(slug.to_owned()),
        remote_id: None,
        title,
        body: body.replace('\0', ""),
        url: None,
        state: None,
        state_reason: None,
        author: Author::default(),
        labels: Vec::new(),
        milestone: None,
        locked: false,
        comment_count: 0,
        created_at: None,
        updated_at,
        closed_at: None,
        merged_at: None,
        raw: Raw::new(bytes),
    }))
}
