//! People and places in signatures: below a closing formula or dashes, or at the end of an email.

use std::ops::Range;

use super::{
    CERTAIN, UNCERTAIN, closings,
    data::pattern,
    lines::{LineKind, Lines},
    names::{can_sign, has_several_words, is_name},
    redactor::{Redactor, splice},
};

/// A private part of a signature: its kind, whether it is certain, and the text.
type Part<'a> = (&'static str, bool, &'a str);

/// Redacts names on the same line as a closing formula, and the writer's town.
pub(super) fn hide_closings(r: &mut Redactor, text: &str) -> String {
    /// The maximum length of such a line; longer ones are sentences.
    const MAX_LINE: usize = 70;
    let lines = Lines::new(text);
    let short_lines = lines
        .0
        .iter()
        .filter(|line| line.kind != LineKind::Code && line.content.chars().count() <= MAX_LINE);
    let parts = short_lines.filter_map(|line| {
        let (offset, part) = part_after_closing(line.content)?;
        let start = line.content_start + offset;
        Some((start..start + part.2.len(), part))
    });
    splice(text, parts, |(kind, is_certain, part)| r.hide(kind, is_certain, part))
}

/// Returns the town or the name after a closing formula, with its offset in the line.
fn part_after_closing(line: &str) -> Option<(usize, Part<'_>)> {
    if let Some(town) = closings::town(line) {
        return Some((line.rfind(town)?, ("place", UNCERTAIN, town)));
    }
    let (start, is_certain) = closings::name_offset(line)?;
    let name = line[start..].trim_end_matches(['.', '!', ' ']);
    let is_short = name.split([' ', '\u{a0}']).count() <= 3;
    (is_short && is_name(name)).then_some((start, ("person", is_certain, name)))
}

/// Returns the offset of a signature without a closing formula: the last lines of a text, if they
/// start with a name, and the text has a greeting, or the lines have contact details.
fn bare_signature(text: &str) -> Option<usize> {
    let body = text.trim_end();
    let start = body.rfind("\n\n").or_else(|| body.rfind("\n\r\n"))? + 1;
    let (head, last) = (body[..start].trim(), body[start..].trim_start_matches(['\r', '\n']));
    let rows: Vec<&str> = last.lines().map(str::trim).collect();
    let name = segments(rows.first()?).first().map(|(_, s)| *s)?;
    let (greeting, rest) = head.split_once('\n').unwrap_or((head, ""));
    let has_greeting = precedent_text::mail::is_greeting(greeting) && !rest.trim().is_empty();
    let is_address = |s: &str| pattern("place").is_match(s) || pattern("company").is_match(s);
    let has_address = |row: &&str| segments(row).iter().any(|(_, s)| is_address(s));
    let is_signed = has_greeting
        || rows[1..].iter().any(|row| has_address(row) || pattern("contact").is_match(row));
    let is_short = rows.len() <= 8
        && rows.iter().all(|row| row.chars().count() <= 90 && !row.ends_with(['?', ':', '{']));
    (is_short && is_signed && !head.ends_with([':', '：']) && can_sign(name))
        .then(|| body.len() - last.len())
}

/// Returns the byte ranges of signature lines.
pub(super) fn signatures(text: &str) -> Vec<Range<usize>> {
    /// The maximum number of lines of a signature.
    const MAX_LINES: usize = 10;
    /// The maximum length of a line; longer ones are sentences.
    const MAX_LINE: usize = 120;
    let last = bare_signature(text);
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut budget, mut is_blank, mut is_start) = (0, true, false);
    for line in Lines::new(text).0 {
        let content = line.content;
        if last == Some(line.start) && budget == 0 {
            (budget, is_start) = (MAX_LINES, true);
        }
        if line.kind == LineKind::Code
            || content.starts_with('#')
            || content.chars().count() > MAX_LINE
        {
            (budget, is_start) = (0, false);
            continue;
        }
        // In RFC 3676, a space follows the dashes; after a closing they need no empty line.
        let is_dashes = pattern("dashes").is_match(content);
        let is_separator =
            is_dashes && (is_blank || budget > 0 || text[line.start..].starts_with("-- "));
        if is_separator || closings::is_closing(content) {
            (budget, is_start) = (MAX_LINES, !is_dashes);
        } else if content.is_empty() && is_blank && !is_start {
            // One empty line may precede the name; a second one ends the signature.
            budget = 0;
        } else if !content.is_empty() && budget > 0 {
            // "Thanks!" may be followed by any text.
            let first = segments(content).first().map_or("", |(_, first)| strip_name_prefix(first));
            if is_start && !can_sign(first) {
                budget = 0;
            } else {
                out.push(line.content_start..line.content_start + content.len());
                budget -= 1;
            }
            is_start = false;
        }
        is_blank = content.is_empty();
    }
    out
}

/// Returns a name without its prefix: a dash, a title, "i. A.".
fn strip_name_prefix(segment: &str) -> &str {
    pattern("before_a_name").find(segment).map_or(segment, |prefix| &segment[prefix.end()..])
}

/// Returns the segments of a signature line with their offsets.
fn segments(line: &str) -> Vec<(usize, &str)> {
    let offset = |segment: &str| segment.as_ptr() as usize - line.as_ptr() as usize;
    let segments = pattern("separator").split(line).filter(|segment| !segment.is_empty());
    segments.map(|segment| (offset(segment), segment)).collect()
}

/// Redacts the people, places and companies of signatures.
pub(super) fn hide_signatures(r: &mut Redactor, text: &str) -> String {
    let lines = signatures(text);
    let bare_start = bare_signature(text);
    let rows: Vec<Vec<(usize, &str)>> =
        lines.iter().map(|line| segments(&text[line.clone()])).collect();
    let is_place = |segment: &str| pattern("place").is_match(segment);
    let has_place =
        |index: usize| rows.get(index).is_some_and(|row| row.iter().any(|s| is_place(s.1)));
    let mut parts: Vec<(Range<usize>, Part<'_>)> = Vec::new();
    for (row, line) in lines.iter().enumerate() {
        // The name is on the first line; a gap starts another signature.
        let gap = row.checked_sub(1).map(|previous| &text[lines[previous].end..line.start]);
        let is_first_line = gap.is_none_or(|gap| !pattern("quoted_gap").is_match(gap));
        let is_near_place = (row.saturating_sub(1)..=row + 1).any(has_place);
        for (index, (offset, segment)) in rows[row].iter().enumerate() {
            let is_first = is_first_line && index == 0;
            let value = if is_first { strip_name_prefix(segment) } else { segment };
            let is_part = pattern("part_of_place").is_match(value)
                || index > 0 && pattern("house").is_match(value);
            let is_certain_name = has_several_words(value) && bare_start != Some(line.start);
            let (kind, is_certain) = if is_place(value) || is_near_place && is_part {
                ("place", CERTAIN)
            } else if pattern("company").is_match(value) {
                ("company", UNCERTAIN)
            } else if is_first && can_sign(value) {
                ("person", is_certain_name)
            } else {
                continue;
            };
            let end = line.start + offset + segment.len();
            parts.push((end - value.len()..end, (kind, is_certain, value)));
        }
    }
    splice(text, parts, |(kind, is_certain, part)| r.hide(kind, is_certain, part))
}
