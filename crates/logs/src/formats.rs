//! The table `formats.toml`: headers of lines, names of levels and fields, and prefixes of lines.

use std::{collections::HashMap, hash::Hash, sync::LazyLock};

use serde::Deserialize;

/// The maximum length of a header, in bytes.
pub const MAX_HEADER: usize = 160;

/// The table of formats.
#[allow(clippy::unwrap_used, reason = "the table is a constant; a test reads all of it")]
pub static FORMATS: LazyLock<Formats> =
    LazyLock::new(|| toml::from_str(include_str!("formats.toml")).unwrap());

/// The level of a line.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// Trace, debug, info, notice.
    Fine,
    Warning,
    Error,
    /// Fatal, critical, alert, emergency.
    Fatal,
}

impl Level {
    /// Returns the level of a syslog severity, 0 (emergency) to 7 (debug): RFC 5424, section 6.2.1.
    pub fn from_syslog(severity: u64) -> Self {
        match severity {
            0..=2 => Self::Fatal,
            3 => Self::Error,
            4 => Self::Warning,
            _ => Self::Fine,
        }
    }
}

/// The header of a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Header<'l> {
    /// Time in its original form.
    pub time: Option<&'l [u8]>,
    /// Level, if the line names one.
    pub level: Option<Level>,
    pub message: &'l [u8],
}

impl Header<'_> {
    /// Returns whether the line has a header, so that it starts an event.
    pub fn is_present(&self) -> bool {
        self.time.is_some() || self.level.is_some()
    }
}

/// The tables of `formats.toml`.
#[derive(Debug, Deserialize)]
pub struct Formats {
    levels: Roles<Level>,
    field_levels: Roles<Level>,
    /// The letters and short words that mark a level.
    pub marks: Roles<Level>,
    /// The failure words in lines without a level.
    pub keywords: Keywords,
    /// The fields of records.
    pub fields: Roles<Field>,
    /// Fields of an error within a record.
    pub error_fields: ErrorFields,
    /// The fields of Windows events.
    pub windows: Roles<EventField>,
    /// Line prefixes.
    pub starts: Starts,
    /// Names that must match completely.
    pub names: NameLists,
    #[serde(rename = "format")]
    headers: HeaderFormats,
}

/// The failure words, separated by commas.
#[derive(Debug, Deserialize)]
pub struct Keywords {
    pub fatal: String,
    pub error: String,
    pub warning: String,
}

/// The meaning of a record's field.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum Field {
    At,
    Level,
    Mark,
    Priority,
    Message,
    Trace,
    Line,
    Nested,
    Details,
    Origin,
    // The class, message and trace of an error in separate fields.
    Class,
    Text,
    Stack,
}

/// The meaning of a Windows event's field.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq, Hash)]
#[serde(rename_all = "lowercase")]
pub enum EventField {
    Level,
    Source,
    Id,
    At,
    Text,
    Log,
    Other,
}

/// The names of an error's parts.
#[derive(Debug, Deserialize)]
pub struct ErrorFields {
    pub message: Names,
    pub stack: Names,
    pub class: Names,
    pub cause: Names,
    pub detail: Names,
}

/// Lists of names.
#[derive(Debug, Deserialize)]
pub struct NameLists {
    pub pod_reasons: Names,
    pub standards: Names,
}

/// Lists of line prefixes.
#[derive(Debug, Deserialize)]
pub struct Starts {
    pub event: Prefixes,
    pub fatal: Prefixes,
    pub error: Prefixes,
    pub frame: Prefixes,
    pub trace: Prefixes,
    pub kernel: Prefixes,
    pub kernel_dump: Prefixes,
    pub unreal: Prefixes,
    pub help: Prefixes,
    pub summary: Prefixes,
    pub gradle_end: Prefixes,
    pub iis: Prefixes,
    pub mail: Prefixes,
    pub faulting: Prefixes,
    pub tombstone: Prefixes,
    pub chip: Prefixes,
    pub oracle: Prefixes,
}

/// A list of names, separated by commas if there are any, else by whitespace.
#[derive(Debug, Deserialize)]
#[serde(from = "String")]
pub struct Names(pub Vec<String>);

impl From<String> for Names {
    fn from(list: String) -> Self {
        let is_separator = |c: char| if list.contains(',') { c == ',' } else { c.is_whitespace() };
        let names = list.split(is_separator).map(str::trim).filter(|name| !name.is_empty());
        Self(names.map(str::to_owned).collect())
    }
}

impl Names {
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|n| n == name)
    }
}

/// Names with values, indexed by their first byte in lower case.
#[derive(Debug)]
struct FirstByteIndex<T>(Vec<Vec<(String, T)>>);

impl<T: Clone> FirstByteIndex<T> {
    fn new(rows: impl IntoIterator<Item = (String, T)>) -> Self {
        let mut lists = vec![Vec::new(); 256];
        for (name, value) in rows {
            let first = name.bytes().next().unwrap_or_default().to_ascii_lowercase();
            lists[usize::from(first)].push((name, value));
        }
        Self(lists)
    }

    /// Returns the first accepted name that shares the first byte of `text`, and its value.
    fn find(&self, text: &[u8], accept: impl Fn(&[u8]) -> bool) -> Option<&(String, T)> {
        let list = &self.0[usize::from(text.first()?.to_ascii_lowercase())];
        list.iter().find(|(name, _)| accept(name.as_bytes()))
    }
}

/// Names with their meanings.
#[derive(Debug, Deserialize)]
#[serde(from = "HashMap<R, Names>", bound = "R: Copy + Eq + Hash + Deserialize<'de>")]
pub struct Roles<R>(FirstByteIndex<R>);

impl<R: Copy> From<HashMap<R, Names>> for Roles<R> {
    fn from(rows: HashMap<R, Names>) -> Self {
        let to_pairs = |(role, names): (R, Names)| names.0.into_iter().map(move |n| (n, role));
        Self(FirstByteIndex::new(rows.into_iter().flat_map(to_pairs)))
    }
}

impl<R: Copy> Roles<R> {
    /// Returns the meaning of a name.
    pub fn get(&self, name: impl AsRef<[u8]>) -> Option<R> {
        let name = name.as_ref();
        self.0.find(name, |n| n == name).map(|(_, role)| *role)
    }

    /// Returns the meaning of a name in any case, unless the table writes it in capitals.
    fn get_ignore_case(&self, name: &[u8]) -> Option<R> {
        let matches =
            |n: &[u8]| n == name || !n[0].is_ascii_uppercase() && n.eq_ignore_ascii_case(name);
        self.0.find(name, matches).map(|(_, role)| *role)
    }
}

/// Line prefixes.
#[derive(Debug, Deserialize)]
#[serde(from = "Vec<String>")]
pub struct Prefixes(FirstByteIndex<()>);

impl From<Vec<String>> for Prefixes {
    fn from(list: Vec<String>) -> Self {
        Self(FirstByteIndex::new(list.into_iter().map(|prefix| (prefix, ()))))
    }
}

impl Prefixes {
    /// Returns the length of the prefix with which a line begins, if it begins with one.
    pub fn match_length(&self, line: &[u8]) -> Option<usize> {
        self.0.find(line, |prefix| line.starts_with(prefix)).map(|(prefix, ())| prefix.len())
    }

    pub fn matches(&self, line: impl AsRef<[u8]>) -> bool {
        self.match_length(line.as_ref()).is_some()
    }
}

/// A row of the header formats.
#[derive(Deserialize)]
struct HeaderRow {
    pattern: Option<String>,
    #[serde(default)]
    levels: HashMap<Level, Names>,
    level: Option<Level>,
    #[serde(default)]
    source: bool,
}

/// The names of the parts of a pattern.
const PARTS: [&str; 5] = ["time", "level", "priority", "message", "line"];

/// A step of a pattern.
#[derive(Debug)]
enum Step {
    /// A byte of each class.
    Form(Vec<u8>),
    /// One or more bytes of a class.
    Run(u8),
    /// Any number of blanks.
    Blanks,
    /// Anything up to a byte, or up to the end.
    Gap(Option<u8>),
    /// The beginning and the end of a part.
    Open(usize),
    Close(usize),
}

/// A format of line headers.
#[derive(Debug)]
struct HeaderFormat {
    steps: Vec<Step>,
    levels: Vec<(String, Level)>,
    level: Option<Level>,
    is_source: bool,
}

/// The formats of line headers.
#[derive(Debug, Deserialize)]
#[serde(from = "Vec<HeaderRow>")]
struct HeaderFormats {
    list: Vec<HeaderFormat>,
    /// Formats of a container's name.
    sources: Candidates,
    all_formats: Candidates,
    /// Formats that begin with a time.
    with_time: Candidates,
}

/// Indexes of formats by the first byte of a line, each with the offset and value of a byte that rules
/// out most lines.
type Candidates = Vec<Vec<(usize, u8, usize)>>;

impl From<Vec<HeaderRow>> for HeaderFormats {
    fn from(rows: Vec<HeaderRow>) -> Self {
        let named_levels = |(l, names): (Level, Names)| names.0.into_iter().map(move |n| (n, l));
        let to_format = |row: HeaderRow| {
            let levels = row.levels.into_iter().flat_map(named_levels).collect();
            let steps = parse_pattern(&row.pattern?);
            Some(HeaderFormat { steps, levels, level: row.level, is_source: row.source })
        };
        let list: Vec<HeaderFormat> = rows.into_iter().filter_map(to_format).collect();
        let index = |keep: &dyn Fn(&HeaderFormat) -> bool| {
            let find_candidates = |byte: u8| {
                let formats =
                    list.iter().enumerate().filter(|(_, h)| keep(h) && h.may_start_with(byte));
                formats
                    .map(|(row, h)| h.fixed_byte().map_or((0, byte, row), |(o, b)| (o, b, row)))
                    .collect()
            };
            (0..=u8::MAX).map(find_candidates).collect()
        };
        let is_timed = |h: &HeaderFormat| matches!(&h.steps[..2], [Step::Open(0), Step::Form(f)] if f[0] == b'0');
        let (all_formats, sources) = (index(&|h| !h.is_source), index(&|h| h.is_source));
        Self { all_formats, sources, with_time: index(&is_timed), list }
    }
}

fn parse_pattern(pattern: &str) -> Vec<Step> {
    let (mut steps, mut open, mut rest) = (Vec::new(), Vec::new(), pattern);
    while let Some(byte) = rest.bytes().next() {
        rest = &rest[1..];
        match byte {
            b'{' => {
                let end = rest.find([':', '}']).unwrap_or(rest.len());
                let part = PARTS.iter().position(|part| *part == &rest[..end]).unwrap_or(0);
                steps.push(Step::Open(part));
                open.push(part);
                rest = if let Some(inner) = rest[end..].strip_prefix(':') {
                    inner
                } else {
                    steps.push(Step::Gap(None));
                    &rest[end..]
                };
            }
            b'}' => steps.extend(open.pop().map(Step::Close)),
            b'*' => steps.push(Step::Gap(None)),
            b'_' => steps.push(Step::Blanks),
            byte if rest.starts_with('+') => {
                rest = &rest[1..];
                steps.push(Step::Run(byte));
            }
            byte => match steps.last_mut() {
                Some(Step::Form(form)) => form.push(byte),
                _ => steps.push(Step::Form(vec![byte])),
            },
        }
    }
    let mut next = None;
    for step in steps.iter_mut().rev() {
        match step {
            Step::Form(form) => next = form.first().copied(),
            Step::Gap(end) => *end = next,
            _ => {}
        }
    }
    steps
}

/// Returns whether a byte is in a class, as named in `formats.toml`.
fn is_in_class(class: u8, b: u8) -> bool {
    match class {
        b'0' => b.is_ascii_digit(),
        b'A' => b.is_ascii_alphabetic(),
        b'X' => b.is_ascii_hexdigit(),
        b'N' => b.is_ascii_uppercase() || b.is_ascii_digit() || b == b'_',
        b'W' => b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.' | b'/'),
        b'-' => matches!(b, b'-' | b'/' | b'.'),
        b'_' => b.is_ascii_digit() || b == b' ',
        class => class == b,
    }
}

/// Returns whether a line begins with a form, one byte per class; `_` is a digit or a blank.
pub fn has_form(text: &[u8], form: &[u8]) -> bool {
    text.len() >= form.len() && form.iter().zip(text).all(|(class, b)| is_in_class(*class, *b))
}

/// Strips the separators between the parts of a header from the start of a line.
pub fn trim_separators(line: &[u8]) -> &[u8] {
    let is_separator = |b: &u8| matches!(b, b' ' | b'\t' | b':' | b'-' | b'|' | b'>' | b']' | b',');
    &line[line.iter().position(|b| !is_separator(b)).unwrap_or(line.len())..]
}

impl HeaderFormat {
    fn may_start_with(&self, byte: u8) -> bool {
        match self.steps.iter().find(|step| !matches!(step, Step::Open(_))) {
            Some(Step::Form(form)) => is_in_class(form[0], byte),
            Some(Step::Run(class)) => is_in_class(*class, byte),
            _ => true,
        }
    }

    /// Returns the offset and value of the last punctuation byte at a fixed offset in every line of
    /// this format.
    fn fixed_byte(&self) -> Option<(usize, u8)> {
        let is_literal = |b: &u8| !matches!(b, b'0' | b'A' | b'X' | b'N' | b'W' | b'-' | b' ');
        let is_fixed =
            |step: &&Step| matches!(step, Step::Form(_) | Step::Open(_) | Step::Close(_));
        let form = self.steps.iter().take_while(is_fixed).filter_map(|step| match step {
            Step::Form(form) => Some(form.as_slice()),
            _ => None,
        });
        let form: Vec<u8> = form.flatten().copied().collect();
        form.iter().rposition(is_literal).map(|offset| (offset, form[offset]))
    }

    /// Splits a line into the parts of the pattern, and returns them with the offset of the rest.
    fn split<'l>(&self, line: &'l [u8]) -> Option<([Option<&'l [u8]>; 5], usize)> {
        let (mut parts, mut starts, mut offset) = ([None; 5], [0; 5], 0);
        for step in &self.steps {
            let rest = &line[offset..];
            match step {
                Step::Form(form) if has_form(rest, form) => offset += form.len(),
                // A blank at the end of a line may be missing.
                Step::Form(form) => {
                    let form = form.strip_suffix(b" ")?;
                    if rest.len() != form.len() || !has_form(rest, form) {
                        return None;
                    }
                    offset = line.len();
                }
                Step::Run(class) if is_in_class(*class, *rest.first()?) => {
                    offset += rest.iter().take_while(|b| is_in_class(*class, **b)).count();
                }
                Step::Run(_) => return None,
                Step::Blanks => offset += rest.iter().take_while(|b| **b == b' ').count(),
                Step::Gap(None) => offset = line.len(),
                Step::Gap(Some(end)) => {
                    offset += memchr::memchr(*end, &rest[..rest.len().min(MAX_HEADER)])?;
                }
                Step::Open(part) => starts[*part] = offset,
                Step::Close(part) => parts[*part] = Some(&line[starts[*part]..offset]),
            }
        }
        Some((parts, offset))
    }

    /// Parses the header of a line, and returns whether its message is another line.
    fn parse<'l>(&self, formats: &Formats, line: &'l [u8]) -> Option<(Header<'l>, bool)> {
        let ([time, name, priority, message, inner], end) = self.split(line)?;
        let level = match (name, priority) {
            (Some(name), _) => {
                let level = self.levels.iter().find(|(n, _)| name.starts_with(n.as_bytes()));
                let level = level.map(|(_, level)| *level);
                Some(level.or_else(|| formats.marks.get(name)).or_else(|| formats.level(name))?)
            }
            (None, Some(digits)) => {
                let number =
                    digits.iter().fold(0_u64, |n, b| n.wrapping_mul(10) + u64::from(b - b'0'));
                Some(Level::from_syslog(number % 8))
            }
            (None, None) => self.level,
        };
        // The pattern has checked only the start of the inner line.
        let inner = inner.map(|start| &line[end - start.len()..]);
        let message = inner.or(message).unwrap_or_else(|| trim_separators(&line[end..]));
        Some((Header { time: time.map(<[u8]>::trim_ascii), level, message }, inner.is_some()))
    }
}

impl Formats {
    /// Parses the header of a line in one of the formats, and returns whether its message is another
    /// line. `is_timed` is true if the line begins with a time. `line` excludes a container's name.
    pub fn parse_header<'l>(&self, line: &'l [u8], is_timed: bool) -> Option<(Header<'l>, bool)> {
        self.parse(line, if is_timed { &self.headers.with_time } else { &self.headers.all_formats })
    }

    /// Returns the length of the name that a container puts in front of a program's line.
    pub fn source_length(&self, line: &[u8]) -> usize {
        let source = self.parse(line, &self.headers.sources);
        source.map_or(0, |(header, _)| line.len() - header.message.len())
    }

    fn parse<'l>(&self, line: &'l [u8], candidates: &Candidates) -> Option<(Header<'l>, bool)> {
        candidates[usize::from(*line.first()?)].iter().find_map(|(offset, byte, index)| {
            let is_possible = line.get(*offset) == Some(byte);
            if is_possible { self.headers.list[*index].parse(self, line) } else { None }
        })
    }

    /// Returns the level that a word names.
    pub fn level(&self, word: &[u8]) -> Option<Level> {
        self.levels.get_ignore_case(word)
    }

    /// Returns the level that a word names in a separate field.
    pub fn field_level(&self, word: &[u8]) -> Option<Level> {
        self.level(word).or_else(|| self.field_levels.get_ignore_case(word))
    }
}
