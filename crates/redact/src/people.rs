//! People and places in signatures: below a closing formula or dashes, or at the end of a mail.

use std::ops::Range;

use super::{
    Certainty::{self, Doubtful, Sure},
    closings,
    facts::pattern,
    lines::{Lines, Manner},
    names::{can_sign, is_company, is_name, is_whole},
    redactor::Redactor,
};

/// Redacts names on the same line as a closing formula, and the writer's town.
pub(super) fn hide_closings(r: &mut Redactor, text: &str) -> String {
    /// The maximum length of such a line; longer ones are sentences.
    const WIDTH: usize = 70;
    let lines = Lines::of(text);
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches(['>', ' ']).trim_end();
        let begin = line.find(bare).unwrap_or_default();
        let hidden = if lines.manner(start) == Manner::Code || bare.chars().count() > WIDTH {
            None
        } else if let Some(town) = closings::town(bare) {
            bare.rfind(town).map(|from| (from, town, r.hide("place", Doubtful, town)))
        } else {
            named_in(bare)
                .map(|(from, name, certainty)| (from, name, r.hide_person(certainty, name)))
        };
        match hidden {
            Some((from, was, pseudonym)) => {
                let from = begin + from;
                out.push_str(&line[..from]);
                out.push_str(&pseudonym);
                out.push_str(&line[from + was.len()..]);
            }
            None => out.push_str(line),
        }
    }
    out
}

/// Returns the name after a closing formula, with its offset in the line.
fn named_in(line: &str) -> Option<(usize, &str, Certainty)> {
    let (from, is_marked) = closings::before_a_name(line)?;
    let name = line[from..].trim_end_matches(['.', '!', ' ']);
    let words = name.split([' ', '\u{a0}']).count();
    (words <= 3 && is_name(name)).then_some((from, name, if is_marked { Sure } else { Doubtful }))
}

/// Returns whether a line contains contact details, an address or an employer.
fn tells_of_somebody(line: &str) -> bool {
    segments(line).iter().any(|(_, s)| pattern("place").is_match(s) || is_company(s))
        || pattern("contact").is_match(line)
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
    let signs = has_greeting || rows[1..].iter().any(|row| tells_of_somebody(row));
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
    let lines = Lines::of(text);
    let mut out: Vec<Range<usize>> = Vec::new();
    let (mut budget, mut blank, mut begins) = (0, true, false);
    let mut at = 0;
    let last = bare_signature(text);
    for line in text.split_inclusive('\n') {
        let start = at;
        at += line.len();
        let bare = line.trim_start_matches(['>', ' ']).trim_end();
        if last == Some(start) && budget == 0 {
            (budget, begins) = (LINES, true);
        }
        if lines.manner(start) == Manner::Code
            || bare.starts_with('#')
            || bare.chars().count() > WIDTH
        {
            (budget, begins) = (0, false);
            continue;
        }
        let dashes = matches!(bare, "--" | "—" | "– –" | "- -")
            || (bare.len() > 1 && bare.chars().all(|c| c == '_'));
        // RFC 3676 has a space after the dashes; below a closing they need no empty line.
        let separates = dashes && (blank || budget > 0 || line.starts_with("-- "));
        if separates || closings::closes(bare) {
            (budget, begins) = (LINES, !dashes);
        } else if bare.is_empty() {
            // One empty line may precede the name; a second one ends the signature.
            if blank && !begins {
                budget = 0;
            }
        } else if budget > 0 {
            // "Thanks!" may be followed by any text.
            if begins && !segments(bare).first().is_some_and(|(_, first)| can_sign(name_in(first)))
            {
                budget = 0;
            } else {
                let begin = start + line.find(bare).unwrap_or_default();
                out.push(begin..begin + bare.len());
                budget -= 1;
            }
            begins = false;
        }
        blank = bare.is_empty();
    }
    out
}

/// Returns a name without its prefix: a dash, a title, "i. A.".
fn name_in(segment: &str) -> &str {
    pattern("before_a_name").find(segment).map_or(segment, |prefix| &segment[prefix.end()..])
}

/// Returns the parts of a signature's line, with their offsets.
fn segments(line: &str) -> Vec<(usize, &str)> {
    let mut out = Vec::new();
    let mut from = 0;
    for gap in pattern("separator").find_iter(line) {
        out.push((from, &line[from..gap.start()]));
        from = gap.end();
    }
    out.push((from, &line[from..]));
    out.retain(|(_, segment)| !segment.is_empty());
    out
}

/// Redacts the people, places and companies of signatures.
pub(super) fn hide_signatures(r: &mut Redactor, text: &str) -> String {
    let lines = signatures(text);
    let bare_start = bare_signature(text);
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    let rows: Vec<Vec<(usize, &str)>> =
        lines.iter().map(|line| segments(&text[line.clone()])).collect();
    let has_place = |at: usize| {
        rows.get(at).is_some_and(|s| s.iter().any(|(_, s)| pattern("place").is_match(s)))
    };
    for (at, line) in lines.iter().enumerate() {
        // The name is on the first line; a gap begins another signature.
        let first = at == 0
            || !text[lines[at - 1].end..line.start]
                .trim_matches(['>', ' ', '\n', '\r', '\t'])
                .is_empty();
        let beside_a_place = has_place(at) || at > 0 && has_place(at - 1) || has_place(at + 1);
        for (index, (begin, segment)) in rows[at].iter().enumerate() {
            let start = line.start + begin;
            let segment = if first && index == 0 { name_in(segment) } else { segment };
            let start = start + rows[at][index].1.len() - segment.len();
            let part = |segment: &str| {
                pattern("part_of_place").is_match(segment)
                    || pattern("house").is_match(segment) && index > 0
            };
            let pseudonym = if pattern("place").is_match(segment) || beside_a_place && part(segment)
            {
                r.hide("place", Sure, segment)
            } else if is_company(segment) {
                r.hide("company", Doubtful, segment)
            } else if first && index == 0 && can_sign(segment) {
                r.hide_person(
                    if is_whole(segment) && bare_start != Some(line.start) {
                        Sure
                    } else {
                        Doubtful
                    },
                    segment,
                )
            } else {
                continue;
            };
            out.push_str(&text[from..start]);
            out.push_str(&pseudonym);
            from = start + segment.len();
        }
    }
    out.push_str(&text[from..]);
    out
}
