//! People and places in signatures: below a closing formula or dashes, or at the end of a mail.

use std::ops::Range;

use super::{
    DOUBTFUL, SURE, closings,
    facts::pattern,
    lines::{Lines, Manner},
    names::{can_sign, is_name, is_whole},
    redactor::{Redactor, splice},
};

/// A private part of a signature: its kind, whether it is sure, and the text.
type Part<'a> = (&'static str, bool, &'a str);

/// Redacts names on the same line as a closing formula, and the writer's town.
pub(super) fn hide_closings(r: &mut Redactor, text: &str) -> String {
    /// The maximum length of such a line; longer ones are sentences.
    const WIDTH: usize = 70;
    let lines = Lines::of(text);
    let short = lines
        .0
        .iter()
        .filter(|line| line.manner != Manner::Code && line.content.chars().count() <= WIDTH);
    let parts = short.filter_map(|line| {
        let (offset, part) = named_in(line.content)?;
        let start = line.content_start + offset;
        Some((start..start + part.2.len(), part))
    });
    splice(text, parts, |(kind, sure, part)| r.hide(kind, sure, part))
}

/// Returns the town or the name after a closing formula, with its offset in the line.
fn named_in(line: &str) -> Option<(usize, Part<'_>)> {
    if let Some(town) = closings::town(line) {
        return Some((line.rfind(town)?, ("place", DOUBTFUL, town)));
    }
    let (from, is_marked) = closings::before_a_name(line)?;
    let name = line[from..].trim_end_matches(['.', '!', ' ']);
    let is_short = name.split([' ', '\u{a0}']).count() <= 3;
    (is_short && is_name(name)).then_some((from, ("person", is_marked, name)))
}

/// Returns the offset of a signature without a closing formula: the last lines of a text, if they
/// begin with a name. The text must have a greeting and content, or the lines an address.
fn bare_signature(text: &str) -> Option<usize> {
    let body = text.trim_end();
    let from = body.rfind("\n\n").or_else(|| body.rfind("\n\r\n"))? + 1;
    let (head, last) = (body[..from].trim(), body[from..].trim_start_matches(['\r', '\n']));
    let rows: Vec<&str> = last.lines().map(str::trim).collect();
    let name = segments(rows.first()?).first().map(|(_, s)| *s)?;
    let (greeting, rest) = head.split_once('\n').unwrap_or((head, ""));
    let has_greeting = precedent_text::mail::greets(greeting) && !rest.trim().is_empty();
    // Contact details, an address or an employer.
    let is_of_person = |s: &str| pattern("place").is_match(s) || pattern("company").is_match(s);
    let tells = |row: &&str| segments(row).iter().any(|(_, s)| is_of_person(s));
    let signs =
        has_greeting || rows[1..].iter().any(|row| tells(row) || pattern("contact").is_match(row));
    let short = rows.len() <= 8
        && rows.iter().all(|row| row.chars().count() <= 90 && !row.ends_with(['?', ':', '{']));
    (short && signs && !head.ends_with([':', '：']) && can_sign(name))
        .then(|| body.len() - last.len())
}

/// Returns the byte ranges of the lines of signatures.
pub(super) fn signatures(text: &str) -> Vec<Range<usize>> {
    /// The maximum number of lines of a signature.
    const LINES: usize = 10;
    /// The maximum length of a line; longer ones are sentences.
    const WIDTH: usize = 120;
    let last = bare_signature(text);
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut budget, mut blank, mut begins) = (0, true, false);
    for line in Lines::of(text).0 {
        let content = line.content;
        if last == Some(line.start) && budget == 0 {
            (budget, begins) = (LINES, true);
        }
        if line.manner == Manner::Code
            || content.starts_with('#')
            || content.chars().count() > WIDTH
        {
            (budget, begins) = (0, false);
            continue;
        }
        // RFC 3676 has a space after the dashes; below a closing they need no empty line.
        let dashes = pattern("dashes").is_match(content);
        let separates = dashes && (blank || budget > 0 || text[line.start..].starts_with("-- "));
        if separates || closings::closes(content) {
            (budget, begins) = (LINES, !dashes);
        } else if content.is_empty() && blank && !begins {
            // One empty line may precede the name; a second one ends the signature.
            budget = 0;
        } else if !content.is_empty() && budget > 0 {
            // "Thanks!" may be followed by any text.
            let first = segments(content).first().map_or("", |(_, first)| name_in(first));
            if begins && !can_sign(first) {
                budget = 0;
            } else {
                out.push(line.content_start..line.content_start + content.len());
                budget -= 1;
            }
            begins = false;
        }
        blank = content.is_empty();
    }
    out
}

/// Returns a name without its prefix: a dash, a title, "i. A.".
fn name_in(segment: &str) -> &str {
    pattern("before_a_name").find(segment).map_or(segment, |prefix| &segment[prefix.end()..])
}

/// Returns the parts of a signature's line, with their offsets.
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
    let has_place = |at: usize| rows.get(at).is_some_and(|row| row.iter().any(|s| is_place(s.1)));
    let mut parts: Vec<(Range<usize>, Part<'_>)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        // The name is on the first line; a gap begins another signature.
        let gap = at.checked_sub(1).map(|previous| &text[lines[previous].end..line.start]);
        let begins = gap.is_none_or(|gap| !pattern("quoted_gap").is_match(gap));
        let beside_a_place = (at.saturating_sub(1)..=at + 1).any(has_place);
        for (index, (offset, segment)) in rows[at].iter().enumerate() {
            let is_first = begins && index == 0;
            let value = if is_first { name_in(segment) } else { segment };
            let is_part = pattern("part_of_place").is_match(value)
                || index > 0 && pattern("house").is_match(value);
            let is_sure = is_whole(value) && bare_start != Some(line.start);
            let (kind, sure) = if is_place(value) || beside_a_place && is_part {
                ("place", SURE)
            } else if pattern("company").is_match(value) {
                ("company", DOUBTFUL)
            } else if is_first && can_sign(value) {
                ("person", is_sure)
            } else {
                continue;
            };
            let end = line.start + offset + segment.len();
            parts.push((end - value.len()..end, (kind, sure, value)));
        }
    }
    splice(text, parts, |(kind, sure, part)| r.hide(kind, sure, part))
}
