//! The replay of a brief from its embedded record, with the changes since.

use std::path::Path;

use super::{assemble, assemble::BriefContext, brief, state_text};
use precedent_core::{
    error::{Error, Result},
    model::{Brief, BriefChange, BriefRecord, BriefReplay, BriefSource, STANDARD_INPUT, State},
    task::Task,
};
use precedent_text::sanitize;

/// The marker before the record in a Markdown brief.
pub(super) const RECORD_MARKER: &str = "precedent-brief ";
/// The ID of the element that contains the record in an HTML brief.
pub(super) const ELEMENT_ID: &str = "precedent-brief";
/// The maximum size of a file, in bytes.
const MAX_FILE: usize = 64 * 1024 * 1024;

/// Escapes a record so that it cannot end an HTML comment or script element, and does not contain
/// the marker.
pub(super) fn escape_record(record: &str) -> String {
    sanitize::escape_json(record)
        .replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace("--", "-\\u002d")
        .replace(ELEMENT_ID, "precedent\\u002dbrief")
}

/// Extracts the record from a brief: JSON, HTML or Markdown. A record of a newer version is an
/// error.
pub fn read_record(file: &[u8]) -> Result<BriefRecord> {
    let invalid_brief = |reason: &str| {
        Error::invalid(format!("this brief cannot be replayed: {reason}")).with_hint(
            "Use a brief in JSON, HTML or Markdown; a PDF does not contain the record needed for a replay.",
        )
    };
    if file.len() > MAX_FILE {
        return Err(invalid_brief("it is too large"));
    }
    if file.starts_with(b"%PDF") {
        return Err(invalid_brief("it is a PDF"));
    }
    let text = std::str::from_utf8(file).map_err(|_| invalid_brief("it is not a text file"))?;
    let record: BriefRecord = if text.trim_start().starts_with('{') {
        serde_json::from_str::<Brief>(text).map_err(|e| invalid_brief(&e.to_string()))?.record
    } else {
        // The record comes last; earlier ones are quoted text.
        let html = format!("id=\"{ELEMENT_ID}\">");
        let json = match (text.rfind(&html), text.rfind(RECORD_MARKER)) {
            (Some(start), marker) if marker.is_none_or(|m| m < start) => {
                text[start + html.len()..].split("</script>").next()
            }
            (_, Some(start)) => text[start + RECORD_MARKER.len()..].split(" -->").next(),
            _ => None,
        };
        serde_json::from_str(json.ok_or_else(|| invalid_brief("it contains no record"))?)
            .map_err(|e| invalid_brief(&e.to_string()))?
    };
    if record.version > assemble::VERSION {
        return Err(invalid_brief("it was written by a newer version of Precedent"));
    }
    Ok(record)
}

/// Returns whether a record contains the whole question. It contains no redacted text and no log
/// from standard input.
pub(super) fn is_complete(record: &BriefRecord) -> bool {
    let request = &record.request;
    let has_text = !request.redact || request.key.is_some() || request.text.is_empty();
    has_text && !request.logs.iter().any(|path| path == STANDARD_INPUT)
}

/// Assembles a brief from its record again, and reports the changes since. Without the whole
/// question, it compares only the cited documents.
pub fn replay(
    context: &BriefContext<'_>,
    record: &BriefRecord,
    task: &Task,
) -> Result<BriefReplay> {
    let logs = &record.request.logs;
    let is_available = logs.iter().all(|path| path != STANDARD_INPUT && Path::new(path).exists());
    let new_brief = is_available.then(|| brief(context, &record.request, task)).transpose()?;
    let new_record = new_brief.as_ref().map(|brief| &brief.record).filter(|_| is_complete(record));
    let mut changes = Vec::new();
    for old_source in &record.sources {
        let current = context.cases.finder.store.read(|r| {
            let Some(row) = r.document_by_key(&old_source.key)? else { return Ok(None) };
            let comments = r.comments(&row)?.len() as u64;
            Ok(Some((row, comments)))
        })?;
        let mut texts = Vec::new();
        match current {
            None => texts.push("is no longer in the casebook".to_owned()),
            Some((row, _)) if row.deleted_at.is_some() => {
                texts.push("was deleted from its tracker".to_owned())
            }
            Some((row, comments)) => {
                if (row.state, &row.state_reason) != (old_source.state, &old_source.state_reason) {
                    let old_state = describe(old_source.state, old_source.state_reason.as_deref());
                    let new_state = describe(row.state, row.state_reason.as_deref());
                    texts.push(format!("was {old_state}, is {new_state}"));
                }
                texts.extend(describe_comments(old_source.comments, comments));
                if texts.is_empty() && row.updated_at > old_source.updated_at {
                    texts.push("was changed".to_owned());
                }
                if new_record.is_some_and(|r| !r.sources.iter().any(|s| s.key == old_source.key)) {
                    texts.push("is no longer cited".to_owned());
                }
            }
        }
        changes.extend(texts.into_iter().map(|text| change(old_source, text)));
    }
    let Some(new_record) = new_record else {
        return Ok(BriefReplay { same: changes.is_empty(), changes, brief: new_brief });
    };
    let is_old = |source: &BriefSource| record.sources.iter().any(|old| old.key == source.key);
    let new_sources = new_record.sources.iter().filter(|source| !is_old(source));
    changes.extend(new_sources.map(|s| change(s, "is newly cited".to_owned())));
    if record.model != new_record.model {
        let name = |m: &Option<String>| m.clone().unwrap_or_else(|| "none".to_owned());
        changes.push(BriefChange {
            key: String::new(),
            citation: "Model".to_owned(),
            what: format!("was {}, is {}", name(&record.model), name(&new_record.model)),
        });
    }
    // Ignore the revision: unrelated data may have changed.
    let comparable_record =
        BriefRecord { revision: record.revision, as_of: record.as_of, ..new_record.clone() };
    let is_same = comparable_record == *record && changes.is_empty();
    Ok(BriefReplay { same: is_same, changes, brief: new_brief })
}

fn change(source: &BriefSource, text: String) -> BriefChange {
    BriefChange { key: source.key.clone(), citation: source.citation.clone(), what: text }
}

/// Describes the difference between two numbers of comments.
fn describe_comments(old_count: u64, new_count: u64) -> Option<String> {
    let word = if new_count > old_count { "more" } else { "fewer" };
    match old_count.abs_diff(new_count) {
        0 => None,
        1 => Some(format!("has 1 {word} comment")),
        count => Some(format!("has {count} {word} comments")),
    }
}

fn describe(status: Option<State>, reason: Option<&str>) -> String {
    let text = state_text(status, reason);
    if text.is_empty() { "without a state".to_owned() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn removed_comments_are_reported() {
        for (old_count, new_count, want) in [
            (2, 2, None),
            (2, 3, Some("has 1 more comment")),
            (2, 4, Some("has 2 more comments")),
            (2, 1, Some("has 1 fewer comment")),
            (2, 0, Some("has 2 fewer comments")),
        ] {
            assert_eq!(describe_comments(old_count, new_count).as_deref(), want);
        }
    }
}
