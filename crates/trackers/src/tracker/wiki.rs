//! Wiki pages from files, as in a GitHub wiki: a flat set of names, in any markup that GitHub
//! renders.

use std::path::Path;

use jiff::Timestamp;

use super::dates;
use precedent_core::model::{Author, DocKind, DocumentRecord, Raw};
use precedent_markup::Markup;

pub(crate) const MAX_PAGE: u64 = 8 * 1024 * 1024;

/// The metadata of a page.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageMetadata {
    /// Creation time.
    pub created_at: Option<Timestamp>,
    /// Time of the last change.
    pub updated_at: Option<Timestamp>,
    /// Author of the last change.
    pub author: Option<String>,
    /// Web address.
    pub url: Option<String>,
}

/// Returns the metadata of a file: its modification time.
pub fn file_metadata(path: &Path) -> PageMetadata {
    let time = std::fs::metadata(path).ok().and_then(|m| m.modified().ok());
    PageMetadata {
        updated_at: time.and_then(|t| Timestamp::try_from(t).ok()),
        ..PageMetadata::default()
    }
}

/// Returns whether a file with this name is a wiki page.
pub fn is_page(file: &str) -> bool {
    file.rsplit_once('.').is_some_and(|(_, extension)| Markup::from_extension(extension).is_some())
}

/// Returns the page name in the address of a file; `None` for other files, and for `_Sidebar`,
/// `_Header` and `_Footer`, which are part of every page.
pub fn slug(file: &str) -> Option<String> {
    let (stem, extension) = file.rsplit_once('.')?;
    Markup::from_extension(extension)?;
    (!stem.is_empty() && !stem.starts_with('_')).then(|| stem.replace(' ', "-"))
}

/// Converts a title to a page name: characters other than letters, digits and `_.()` become dashes.
pub(crate) fn title_slug(title: &str) -> String {
    let mut out = String::with_capacity(title.len());
    for c in title.trim().chars() {
        let is_plain = c.is_alphanumeric() || matches!(c, '_' | '.' | '(' | ')');
        if is_plain {
            out.push(c);
        } else if !out.ends_with('-') {
            out.push('-');
        }
    }
    let name = out.trim_matches('-').trim_start_matches('.').to_owned();
    if name.is_empty() { "page".to_owned() } else { name }
}

/// Decodes percent escapes in a name. In Azure DevOps wikis, `%2D` is a dash and a dash is a space.
pub(crate) fn percent_decode(name: &str) -> String {
    let mut out = Vec::with_capacity(name.len());
    let mut rest = name;
    while let Some((prefix, tail)) = rest.split_once('%') {
        out.extend_from_slice(prefix.as_bytes());
        let byte = tail.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(|b| !b.is_ascii_control()) {
            Some(byte) => out.push(byte),
            None => {
                out.push(b'%');
                rest = tail;
                continue;
            }
        }
        rest = &tail[2..];
    }
    out.extend_from_slice(rest.as_bytes());
    String::from_utf8(out).unwrap_or_else(|_| name.to_owned())
}

/// Parses a page of a static site: its folders are part of its name, and YAML front matter has its
/// metadata.
pub fn parse_folder_page(
    path: &str,
    bytes: Vec<u8>,
    metadata: PageMetadata,
) -> Result<Option<DocumentRecord>, String> {
    let (folders, file) = path.rsplit_once('/').unwrap_or(("", path));
    let Some(mut page) = parse_page(file, bytes, metadata)? else { return Ok(None) };
    if !folders.is_empty() {
        let folders = folders.replace(['/', ' '], "-");
        page.slug = page.slug.map(|slug| format!("{folders}-{slug}"));
    }
    if let Some((values, body)) = front_matter(&page.body) {
        let get = |names: &[&str]| {
            names
                .iter()
                .find_map(|name| values.iter().find(|(key, _)| key == name))
                .map(|(_, v)| v.clone())
        };
        let time = |names: &[&str]| {
            get(names).and_then(|text| dates::parse(&text, dates::Order::default()))
        };
        page.title = get(&["title"]).unwrap_or(page.title);
        page.created_at = time(&["date", "created"]).or(page.created_at);
        page.updated_at = time(&["updated", "lastmod", "last_modified_at", "modified"])
            .or(page.created_at)
            .or(page.updated_at);
        page.author.login = get(&["author"]).or(page.author.login);
        let list = get(&["tags", "labels", "keywords"]).unwrap_or_default();
        let labels =
            list.trim_matches(['[', ']']).split(',').map(|tag| tag.trim_matches([' ', '"', '\'']));
        page.labels = labels.filter(|tag| !tag.is_empty()).map(str::to_owned).collect();
        page.body = body.to_owned();
    }
    Ok(Some(page))
}

/// Returns the scalar values of a page's front matter by name, and the text after it.
fn front_matter(text: &str) -> Option<(Vec<(String, String)>, &str)> {
    let inner = text.strip_prefix("---\n")?;
    let end = inner.find("\n---\n").or_else(|| inner.strip_suffix("\n---").map(str::len))?;
    let values: Vec<(String, String)> = inner[..end]
        .lines()
        .filter_map(|line| {
            let (key, value) = line.split_once(':')?;
            let value = value.trim().trim_matches(['"', '\'']);
            (!key.starts_with([' ', '-', '#']) && !value.is_empty())
                .then(|| (key.to_lowercase(), value.to_owned()))
        })
        .collect();
    // A line of dashes may be a horizontal rule.
    (!values.is_empty()).then(|| (values, inner[end..].trim_start_matches("\n---").trim_start()))
}

/// Parses a page from its file name and its bytes.
pub fn parse_page(
    file: &str,
    bytes: Vec<u8>,
    metadata: PageMetadata,
) -> Result<Option<DocumentRecord>, String> {
    let Some(slug) = slug(file) else { return Ok(None) };
    let markup = file
        .rsplit_once('.')
        .and_then(|(_, e)| Markup::from_extension(e))
        .unwrap_or(Markup::Markdown);
    let text = std::str::from_utf8(&bytes)
        .map_err(|e| format!("invalid UTF-8 at byte {}", e.valid_up_to()))?;
    let body = markup.to_markdown(text.trim_start_matches('\u{feff}'));
    // The name is the title: "Upgrade-to-3.x" is shown as "Upgrade to 3.x".
    let title = percent_decode(&slug.replace('-', " "));
    Ok(Some(DocumentRecord {
        kind: DocKind::Page,
        slug: Some(slug),
        title,
        body: body.replace('\0', ""),
        url: metadata.url,
        author: Author { login: metadata.author, ..Author::default() },
        created_at: metadata.created_at,
        updated_at: metadata.updated_at,
        raw: Raw::new(bytes),
        ..DocumentRecord::default()
    }))
}
