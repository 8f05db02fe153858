//! Checks of hostile input, which libFuzzer and the ordinary tests call with bytes. Each checks more
//! than that nothing panics.

use std::{
    cell::RefCell,
    io::{Seek as _, Write as _},
    path::Path,
};

use precedent_core::{
    Task,
    model::{
        Brief, BriefFormat, BriefRecord, BriefRequest, BriefSource, Entry, MAX_NUMBER, Quote,
        Record, Section, SectionKind, State,
    },
};
use precedent_engine::{brief, portable, search::query};
use precedent_markup::{Markup, adf, safe_markdown::is_safe_link};
use precedent_store::Store;
use precedent_text::{
    chunk::{self, TARGET_BYTES},
    html,
    markdown::{BlockKind, blocks},
    prepare::PreparedText,
    reference::{Relation, references, without_duplicate_notes},
    report,
    sanitize::is_control,
    signature::signatures,
    skeleton::Skeleton,
    tokens,
};
use precedent_trackers::tracker::{
    file::{self, Mapping, ParsedItem, content},
    github, import,
};
use pulldown_cmark::{Event, LinkType, Options, Parser, Tag};
use serde_json::{Value, json};

/// A function that panics if the bytes violate an invariant.
pub type Check = fn(&[u8]);

/// The checks that need no server, by target and seed folder.
pub const ALL: &[(&str, Check)] = &[
    ("query", query),
    ("import", import),
    ("table", table),
    ("markdown", markdown),
    ("markup", markup),
    ("adf", adf),
    ("chunks", chunks),
    ("signatures", signature),
    ("brief", brief),
    ("casebook", casebook),
];

/// The text between two of these is repeated, so that a few bytes become a long input.
const REPEAT: char = '\u{1f}';
/// The maximum size in bytes of repeated input.
const REPEATED_BYTES: usize = 12 * 1024;

/// Returns the input as text, with its marked part repeated.
fn text(data: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(data).ok()?;
    let mut parts = text.splitn(3, REPEAT);
    let (Some(head), Some(body), Some(tail)) = (parts.next(), parts.next(), parts.next()) else {
        return Some(text.to_owned());
    };
    Some(format!("{head}{}{tail}", body.repeat(REPEATED_BYTES / body.len().max(1))))
}

/// Removes all white space.
fn strip_whitespace(text: &str) -> String {
    text.split_whitespace().collect()
}

/// Asserts that a record follows the previous one.
fn assert_next(position: u64, previous: &mut u64) {
    assert_eq!(position, *previous + 1, "positions are consecutive");
    *previous = position;
}

/// Checks that a printed query parses to the same query, and that an error has a hint.
pub fn query(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let first = match query::parse(&text) {
        Ok(query) => query,
        Err(error) => {
            assert!(error.hint().is_some(), "{error}");
            return;
        }
    };
    if first.is_pasted {
        assert!(
            first.filters.is_empty() && first.phrases.is_empty() && first.exclusions.is_empty()
        );
        return;
    }
    let second = query::parse(&first.interpretation)
        .unwrap_or_else(|e| panic!("{}: {e}", first.interpretation));
    let fields = |q: &query::Query| {
        (
            q.text.clone(),
            q.phrases.clone(),
            q.exclusions.clone(),
            q.filters.clone(),
            q.scope,
            q.mode,
        )
    };
    // Empty filters and quotes leave nothing behind.
    assert_eq!(fields(&first), fields(&second), "{:?}", first.interpretation);
    let last = query::parse(&second.interpretation)
        .unwrap_or_else(|e| panic!("{}: {e}", second.interpretation));
    assert_eq!(second.interpretation, last.interpretation);
}

thread_local! {
    static FILE: RefCell<Option<tempfile::NamedTempFile>> = const { RefCell::new(None) };
}

/// Calls `run` with a file of these bytes.
fn with_file<T>(bytes: &[u8], run: impl FnOnce(&Path) -> T) -> T {
    FILE.with_borrow_mut(|slot| {
        let file = slot.get_or_insert_with(|| {
            // Millions of inputs would wear out a disk.
            let memory = Path::new("/dev/shm");
            if memory.is_dir() {
                tempfile::NamedTempFile::new_in(memory).unwrap()
            } else {
                tempfile::NamedTempFile::new().unwrap()
            }
        });
        file.as_file_mut().set_len(0).unwrap();
        file.as_file_mut().rewind().unwrap();
        file.write_all(bytes).unwrap();
        run(file.path())
    })
}

/// Returns the records of a file up to the first error.
fn read_records(
    mut records: import::Records,
    length: Option<usize>,
) -> Vec<Result<Vec<u8>, String>> {
    let (mut out, mut previous) = (Vec::new(), 0);
    loop {
        match records.read() {
            Ok(Some(slice)) => {
                assert_next(slice.position, &mut previous);
                out.push(slice.bytes);
            }
            Ok(None) => break,
            Err(error) => {
                assert!(error.hint().is_some(), "{error}");
                // No record follows an error.
                assert!(matches!(records.read(), Ok(None)));
                break;
            }
        }
    }
    if let Some(length) = length {
        let total: usize = out.iter().map(|r| r.as_ref().map_or(0, Vec::len)).sum();
        assert!(total <= length, "{total} bytes of records out of {length}");
        assert!(out.len() <= length);
    }
    out
}

fn is_compressed(bytes: &[u8]) -> bool {
    [&[0x1f, 0x8b][..], &[0x28, 0xb5, 0x2f, 0xfd], b"BZh", b"\xfd7zXZ"]
        .iter()
        .any(|mark| bytes.starts_with(mark))
}

/// Checks that the records of any file can be stored, and that errors have a hint.
fn check_import(data: &[u8], mapping: &Mapping) {
    with_file(data, |path| {
        let result = content::for_each_member(path, |content| {
            let format = match file::detect_format(&content, mapping) {
                Ok(format) => format,
                Err(error) => {
                    assert!(error.hint().is_some(), "{error}");
                    return Ok(true);
                }
            };
            format.read(&content, |_, chunk| {
                for item in chunk.and_then(|c| format.parse(c)).unwrap_or_default() {
                    let ParsedItem::Record(record) = item else { continue };
                    let (number, texts) = match record {
                        Record::Document(d) => (d.number, [d.title, d.body]),
                        Record::Comment(c) => (Some(c.number), [c.remote_id, c.body]),
                    };
                    assert!(number.is_none_or(|n| (1..=MAX_NUMBER).contains(&n)), "{number:?}");
                    assert!(!texts.concat().contains('\0'));
                }
                true
            })
        });
        if let Err(error) = result {
            assert!(error.hint().is_some(), "{error}");
        }
    });
}

/// Checks that a file gives the same storable records in every compression.
pub fn import(data: &[u8]) {
    let plain = with_file(data, |path| {
        import::Records::open(path)
            .ok()
            .map(|r| read_records(r, (!is_compressed(data)).then_some(data.len())))
    });
    check_import(data, &Mapping::default());
    let Some(plain) = plain.filter(|_| !is_compressed(data)) else { return };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(data).unwrap();
    for bytes in [gzip.finish().unwrap(), zstd::encode_all(data, 1).unwrap()] {
        let compressed_records =
            with_file(&bytes, |path| read_records(import::Records::open(path).unwrap(), None));
        assert_eq!(compressed_records, plain);
        // A truncated file gives no additional records.
        let partial = with_file(&bytes[..bytes.len() / 2], |path| {
            import::Records::open(path).ok().map(|r| read_records(r, None))
        });
        assert!(partial.unwrap_or_default().len() <= plain.len() + 1);
    }
    for bytes in plain.into_iter().flatten() {
        let records = match github::records(&bytes) {
            Ok(records) => records,
            Err(reason) => {
                assert!(!reason.is_empty());
                continue;
            }
        };
        for record in records {
            let (number, texts) = match record {
                Record::Document(d) => (d.number, [d.title, d.body]),
                Record::Comment(c) => (Some(c.number), [c.remote_id, c.body]),
            };
            assert!(number.is_none_or(|n| (1..=MAX_NUMBER).contains(&n)), "{number:?}");
            assert!(!texts.concat().contains('\0'));
        }
    }
}

/// Checks the import of a table; the first line maps fields to columns (`title=Headline;body=`).
pub fn table(data: &[u8]) {
    let end = data.iter().position(|b| *b == b'\n').map_or(0, |at| at + 1);
    let (first, file) = data.split_at(end);
    let first = String::from_utf8_lossy(first);
    let mapping: Vec<(String, String)> = first
        .trim_end()
        .split(';')
        .filter_map(|m| m.split_once('='))
        .map(|(field, name)| (field.to_owned(), name.to_owned()))
        .collect();
    match Mapping::parse(&mapping) {
        Ok(mapping) => check_import(file, &mapping),
        Err(error) => assert!(error.hint().is_some(), "{error}"),
    }
}

/// The elements that the reading pane shows.
const ELEMENTS: &str = "a abbr b blockquote br code dd del details div dl dt em h1 h2 h3 h4 h5 h6 hr i ins kbd li ol p \
    pre q s samp small span strike strong sub summary sup table tbody td tfoot th thead tr tt u ul var";
/// The attributes that the reading pane shows.
const ATTRIBUTES: &str = "title dir href rel start align colspan rowspan open data-src class";

/// Asserts that HTML has only these elements and attributes, and that links are web or email links.
fn assert_harmless(html: &str) {
    let mut rest = html;
    while let Some(at) = rest.find('<') {
        let tag = rest[at + 1..].trim_start_matches('/');
        let name = &tag[..tag.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(tag.len())];
        assert!(ELEMENTS.split_whitespace().any(|e| e == name), "<{name}> in {html}");
        rest = &tag[name.len()..];
        while !rest.starts_with('>') && !rest.starts_with("/>") {
            let (attribute, value) =
                rest.split_once("=\"").unwrap_or_else(|| panic!("no attribute: {html}"));
            let attribute = attribute.trim_start();
            assert!(ATTRIBUTES.split_whitespace().any(|a| a == attribute), "{attribute} in {html}");
            let (value, rest_of_tag) =
                value.split_once('"').unwrap_or_else(|| panic!("no end: {html}"));
            if attribute == "href" {
                let value = html_text(value).to_ascii_lowercase();
                let is_allowed = ["http:", "https:", "mailto:"]
                    .iter()
                    .any(|s| value.trim_start().starts_with(s));
                assert!(is_allowed, "a link to {value} in {html}");
            }
            if attribute == "class" {
                let is_language = name == "code"
                    && value.strip_prefix("language-").is_some_and(|language| {
                        let is_plain =
                            |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '#' | '-');
                        !language.is_empty() && language.chars().all(is_plain)
                    });
                assert!(
                    is_language || ["remote-image", "task"].contains(&value),
                    "{value} in {html}"
                );
            }
            rest = rest_of_tag;
        }
    }
}

/// Decodes an attribute's value as a browser does.
fn html_text(value: &str) -> String {
    value.replace("&amp;", "&").replace("&quot;", "\"").replace("&lt;", "<").replace("&gt;", ">")
}

/// The maximum size in bytes of HTML of the empty cells that the parser adds to tables.
const MAX_CELLS: usize = 262_144 * 40;

/// Checks that Markdown becomes nonempty blocks and harmless HTML, in proportion to its size.
pub fn markdown(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let blocks = blocks(&text);
    assert!(blocks.iter().all(|b| !b.text.trim().is_empty()));
    let words: usize = blocks.iter().map(|b| b.text.len()).sum();
    assert!(words <= text.len() * 4 + MAX_CELLS, "{words} bytes of blocks out of {}", text.len());
    let html_text = html::from_markdown(&text);
    assert!(
        html_text.len() <= text.len() * 40 + MAX_CELLS,
        "{} bytes of HTML out of {}",
        html_text.len(),
        text.len()
    );
    assert_harmless(&html_text);
    let plain = html::to_text(&text);
    assert!(
        plain.len() <= text.len() * 4 + 1_000,
        "{} bytes of text out of {}",
        plain.len(),
        text.len()
    );
    for reference in references(&text) {
        assert!(reference.number < 1_000_000_000);
    }
    let remaining = without_duplicate_notes(&text);
    assert!(remaining.len() <= text.len());
    let duplicate_count =
        |t: &str| references(t).iter().filter(|r| r.relation == Relation::DuplicateOf).count();
    assert!(duplicate_count(&remaining) <= duplicate_count(&text));
    let skeleton = Skeleton::default();
    assert_eq!(
        strip_whitespace(&skeleton.strip(&text)),
        strip_whitespace(&text),
        "an empty skeleton removes text"
    );
}

/// Checks that other markups become Markdown in proportion to their size, without internal markers.
pub fn markup(data: &[u8]) {
    let Some(text) = text(data) else { return };
    for markup in [
        Markup::ReStructuredText,
        Markup::AsciiDoc,
        Markup::MediaWiki,
        Markup::Textile,
        Markup::Org,
        Markup::Creole,
        Markup::RDoc,
        Markup::Pod,
        Markup::Jira,
    ] {
        let markdown = markup.to_markdown(&text);
        assert!(
            markdown.len() <= text.len() * 60 + 4_000,
            "{markup:?}: {} bytes out of {}",
            markdown.len(),
            text.len()
        );
        assert!(!markdown.contains(['\u{1}', '\u{2}']), "{markup:?}: {markdown:?}");
        assert!(markdown.is_empty() || markdown.ends_with('\n'), "{markup:?}");
        assert!(!markdown.contains("\n\n\n"), "{markup:?}: {markdown:?}");
    }
}

/// Checks that Atlassian documents become Markdown in proportion to their size, and that code stays
/// code.
pub fn adf(data: &[u8]) {
    let Some(text) = text(data) else { return };
    if let Ok(document) = serde_json::from_str::<Value>(&text) {
        let markdown = adf::to_markdown(&document);
        assert!(
            markdown.len() <= text.len() * 200 + 1_000,
            "{} bytes out of {}",
            markdown.len(),
            text.len()
        );
        html::from_markdown(&markdown);
        return;
    }
    let code = json!({"type": "doc", "content": [
        {"type": "codeBlock", "attrs": {"language": "log"}, "content": [{"type": "text", "text": text}]},
    ]});
    let markdown = adf::to_markdown(&code);
    let blocks = blocks(&markdown);
    assert!(
        blocks.len() <= 1 && blocks.iter().all(|b| b.kind == BlockKind::Code),
        "{markdown:?} {blocks:?}"
    );
    // Characters that Markdown cannot contain are replaced.
    let words = |text: &str| strip_whitespace(text).replace(['\0', '\u{fffd}'], "");
    let block_text: String = blocks.iter().map(|b| words(&b.text)).collect();
    assert_eq!(block_text, words(&text));
}

/// Checks that chunks are bounded, keep the order of the text, and lose no prose.
pub fn chunks(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let (title, body) = text.split_once('\n').unwrap_or(("", &text));
    for document in [
        PreparedText::body(body, &Skeleton::default()),
        PreparedText::comment(body),
        report::split_paste(&text, &Skeleton::default()).1,
    ] {
        let all_chunks = chunk::chunks(&document, usize::MAX);
        for chunk in &all_chunks {
            assert!(
                !chunk.text.trim().is_empty() && chunk.text.len() <= TARGET_BYTES + 1,
                "{}",
                chunk.text.len()
            );
            let representation = chunk.representation(title);
            assert!(
                representation.len() <= TARGET_BYTES + 202
                    && representation.ends_with(chunk.text.trim())
            );
        }
        let is_long_code =
            |kind: BlockKind, text: &str| kind == BlockKind::Code && text.len() > TARGET_BYTES;
        if !document.blocks.iter().any(|b| is_long_code(b.kind, &b.text)) {
            let chunk_text: String = all_chunks.iter().map(|c| strip_whitespace(&c.text)).collect();
            let block_text: String =
                document.blocks.iter().map(|b| strip_whitespace(&b.text)).collect();
            assert_eq!(chunk_text, block_text);
        }
        // A lower limit returns the first chunks.
        for max in [1, 3] {
            let first_chunks = chunk::chunks(&document, max);
            assert_eq!(first_chunks, all_chunks[..all_chunks.len().min(max)]);
        }
    }
}

/// Checks that signatures are few, short and trimmed, and that words are at their stated positions.
pub fn signature(data: &[u8]) {
    let Some(text) = text(data) else { return };
    let signatures = signatures(&text);
    assert!(signatures.len() <= 48);
    assert!(signatures.is_sorted() && signatures.windows(2).all(|w| w[0] != w[1]));
    for signature in &signatures {
        assert!(!signature.text.is_empty() && signature.text.len() <= 1_200, "{signature:?}");
        assert!(
            !signature.text.contains('\n') && signature.text.trim() == signature.text,
            "{signature:?}"
        );
        assert!(signature.term().ends_with(&signature.text));
    }
    let mut previous_start = 0;
    for word in tokens::words(&text) {
        assert!(
            word.range.start >= previous_start || word.range.end > previous_start,
            "{word:?} after {previous_start}"
        );
        previous_start = word.range.start;
        assert!(text.get(word.range.clone()).is_some_and(|w| !w.is_empty()), "{word:?}");
        assert!(!word.term.is_empty() && !word.term.contains(char::is_whitespace), "{word:?}");
    }
    let mut previous_end = 0;
    for (range, word) in tokens::identifiers(&text) {
        assert!(range.start >= previous_end, "{word} after {previous_end}");
        previous_end = range.end;
        assert_eq!(text.get(range).map(str::to_lowercase).as_deref(), Some(word.as_str()));
    }
}

/// Checks that a brief about hostile text keeps its record in every format and contains no injected
/// HTML.
pub fn brief(data: &[u8]) {
    if let Err(error) = brief::read_record(data) {
        assert!(error.hint().is_some(), "{error}");
    }
    let Some(text) = text(data) else { return };
    let non_empty = |text: &str| Some(text.to_owned()).filter(|t| !t.is_empty());
    let (first, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let brief = Brief {
        title: first.to_owned(),
        sections: vec![Section {
            kind: SectionKind::Cases,
            title: "Solved cases".to_owned(),
            entries: vec![Entry {
                heading: non_empty(first),
                text: None,
                quote: Some(Quote {
                    author: non_empty(first),
                    role: None,
                    day: None,
                    text: rest.to_owned(),
                    excerpt: false,
                }),
                citations: Vec::new(),
            }],
        }],
        redactions: Vec::new(),
        record: BriefRecord {
            version: 1,
            request: BriefRequest { text: text.clone(), ..BriefRequest::default() },
            revision: 7,
            as_of: None,
            model: non_empty(first),
            names_unrecognized: false,
            sources: vec![BriefSource {
                citation: format!("[Issue {first}]"),
                key: first.to_owned(),
                title: rest.to_owned(),
                url: non_empty(first),
                state: Some(State::Open),
                state_reason: non_empty(first),
                updated_at: None,
                comments: 3,
            }],
        },
    };
    for format in [BriefFormat::Json, BriefFormat::Html, BriefFormat::Markdown] {
        let file = brief::render(&brief, format).unwrap();
        let record = brief::read_record(&file)
            .unwrap_or_else(|e| panic!("{format:?}: {e}\n{}", String::from_utf8_lossy(&file)));
        assert_eq!(record, brief.record, "{format:?}");
        let file = String::from_utf8(file).unwrap();
        assert!(!file.contains(is_control), "{format:?} {file:?}");
        if format == BriefFormat::Markdown {
            let github = Options::ENABLE_TABLES
                | Options::ENABLE_STRIKETHROUGH
                | Options::ENABLE_TASKLISTS
                | Options::ENABLE_FOOTNOTES
                | Options::ENABLE_GFM;
            let html: Vec<_> = Parser::new_ext(&file, github)
                .filter(|e| matches!(e, Event::Html(_) | Event::InlineHtml(_)))
                .collect();
            assert_eq!(html.len(), 1, "{html:?}\n{file}");
            for event in Parser::new_ext(&file, github) {
                match event {
                    Event::Start(Tag::Image { dest_url, .. }) => {
                        panic!("an image of {dest_url}\n{file}")
                    }
                    Event::Start(Tag::Link { link_type: LinkType::Email, .. }) => {}
                    Event::Start(Tag::Link { dest_url, .. }) => {
                        assert!(is_safe_link(&dest_url), "{dest_url}\n{file}")
                    }
                    _ => {}
                }
            }
        }
    }
}

/// Checks that a casebook file is imported as a whole or not at all, and affects only its sources.
///
/// The first byte selects what the rest is: the file, the database of a file with valid checksums,
/// or patches to a valid database, each a three-byte position and the new byte.
pub fn casebook(data: &[u8]) {
    let Some((kind, rest)) = data.split_first() else { return };
    let base = base();
    let bytes = match kind % 3 {
        0 => rest.to_vec(),
        1 => build_archive(&base.manifest, rest),
        _ => {
            let mut database = base.database.clone();
            for patch in rest.chunks_exact(4) {
                let position = usize::from(patch[0]) << 16
                    | usize::from(patch[1]) << 8
                    | usize::from(patch[2]);
                let position = position % database.len();
                database[position] = patch[3];
            }
            build_archive(&base.manifest, &database)
        }
    };
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("given.casebook");
    std::fs::write(&file, bytes).unwrap();
    let store = Store::open(&folder.path().join("precedent.db")).unwrap();
    let outcome = portable::import(
        &store,
        folder.path(),
        &file,
        jiff::Timestamp::UNIX_EPOCH,
        |_| (),
        &Task::new(),
    );
    let content = store.read(|r| Ok((r.sources()?, r.verdicts(None)?)));
    match outcome {
        Err(error) => {
            assert!(!error.to_string().is_empty() && error.hint().is_some(), "{error}");
            let (sources, verdicts) = content.unwrap();
            assert!(sources.is_empty() && verdicts.is_empty(), "a part was imported: {error}");
        }
        Ok(report) => {
            let Ok((sources, verdicts)) = content else { return };
            assert!(report.contents.verdicts as usize == verdicts.len());
            for key in verdicts.iter().flat_map(|v| [&v.first, &v.second]) {
                let belongs_to = |source: &str| {
                    key.strip_prefix(source).is_some_and(|k| k.starts_with(['#', ':']))
                };
                assert!(
                    key.starts_with("note#") || sources.iter().any(|s| belongs_to(&s.key)),
                    "{key}"
                );
            }
        }
    }
}

/// The members of a valid casebook file.
struct Base {
    manifest: Vec<u8>,
    database: Vec<u8>,
}

fn base() -> std::rc::Rc<Base> {
    thread_local! {
        static BASE: std::rc::Rc<Base> = std::rc::Rc::new(load());
    }
    fn load() -> Base {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("base.casebook");
        std::fs::write(&file, include_bytes!("seeds/casebook/whole").split_first().unwrap().1)
            .unwrap();
        let mut archive = tar::Archive::new(std::fs::File::open(&file).unwrap());
        let mut members = archive.entries().unwrap().map(|entry| {
            let mut bytes = Vec::new();
            std::io::Read::read_to_end(&mut entry.unwrap(), &mut bytes).unwrap();
            bytes
        });
        let (manifest, database) = (members.next().unwrap(), members.next().unwrap());
        Base { manifest, database: zstd::decode_all(database.as_slice()).unwrap() }
    }
    BASE.with(std::rc::Rc::clone)
}

/// Builds a casebook file with matching sizes and checksums around this database.
fn build_archive(manifest: &[u8], database: &[u8]) -> Vec<u8> {
    let mut manifest: Value = serde_json::from_slice(manifest).unwrap();
    manifest["database_bytes"] = database.len().into();
    let (manifest, database) =
        (manifest.to_string().into_bytes(), zstd::encode_all(database, 1).unwrap());
    let checksums = format!(
        "{}  manifest.json\n{}  casebook.db.zst\n",
        blake3::hash(&manifest).to_hex(),
        blake3::hash(&database).to_hex()
    );
    let mut tar = tar::Builder::new(Vec::new());
    for (name, bytes) in [
        ("manifest.json", manifest),
        ("casebook.db.zst", database),
        ("checksums", checksums.into_bytes()),
    ] {
        let mut header = tar::Header::new_ustar();
        header.set_size(bytes.len() as u64);
        header.set_mode(0o600);
        tar.append_data(&mut header, name, bytes.as_slice()).unwrap();
    }
    tar.into_inner().unwrap()
}
