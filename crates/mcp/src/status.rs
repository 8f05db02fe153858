//! The status of the casebook, and the outcomes of changes to it.

use precedent_core::model::{MirrorView, SimilarNotes, Status};
use serde::Serialize;

use super::{
    markdown::{Text, inline, percent, plural, title},
    output::{self, Item},
};

/// The maximum length of a reply, in characters.
const MAX_CHARS: usize = 8_000;

/// Renders what is mirrored, what is missing, and what the indexes cover.
pub fn render(status: &Status, mirrors: &[MirrorView]) -> (String, output::Status) {
    let mut text = Text::new(MAX_CHARS);
    let coverage = status.coverage;
    let is_ready = coverage.full_text >= coverage.documents
        && coverage.unread == 0
        && coverage.embedded >= coverage.chunks
        && status.model.problem.is_none();
    text.add(&format!(
        "**{}, {}**",
        plural(status.sources.len() as u64, "source"),
        plural(coverage.documents, "document")
    ));
    for source in &status.sources {
        let counts = [
            plural(source.issues, "issue"),
            plural(source.pull_requests, "pull request"),
            plural(source.pages, "page"),
            plural(source.comments, "comment"),
        ];
        let counts = counts.join(", ");
        let mirror = mirrors.iter().find(|mirror| mirror.source == source.key);
        let time = mirror.and_then(|mirror| mirror.synced_at);
        let sync_note = time
            .map(|time| time.strftime(", synced %Y-%m-%d %H:%M UTC").to_string())
            .unwrap_or_default();
        text.add(&format!("- {}: {counts}{sync_note}", source.key));
        for gap in mirror.iter().flat_map(|mirror| &mirror.gaps) {
            text.add(&format!("  Missing: {}", inline(&gap.hint.to_string(), 200)));
        }
    }
    text.add(&format!(
        "Keyword index: {} of {} documents. Semantic index: {} of {} passages.",
        coverage.full_text, coverage.documents, coverage.embedded, coverage.chunks
    ));
    if let Some(problem) = &status.model.problem {
        text.add(&format!("No semantic search: {}", inline(&problem.to_string(), 300)));
    }
    let next = match (status.sources.is_empty(), is_ready, &status.model.problem) {
        (true, ..) => {
            "a person adds a source: `precedent source add github:owner/name && precedent sync`."
        }
        (_, false, Some(_)) if coverage.full_text >= coverage.documents => {
            "a person follows the advice on semantic search; until then, no match does not prove that there is none."
        }
        (_, false, _) => {
            "a person runs `precedent index`; until then, no match does not prove that there is none."
        }
        _ => "call ask with the customer's text.",
    };
    let sources = status.sources.iter().map(|source| output::Source {
        key: source.key.clone(),
        documents: source.issues + source.pull_requests + source.pages,
    });
    (
        text.finish([next.to_owned()]),
        output::Status { sources: sources.collect(), conclusive: is_ready },
    )
}

/// Renders the outcome of adding a note, or of a check for similar notes.
pub fn render_note(
    key: Option<String>,
    outcome: &impl Serialize,
    similar: &SimilarNotes,
    next: String,
) -> (String, output::Note) {
    let outcome = serde_json::to_value(outcome).unwrap_or_default();
    let outcome = outcome.as_str().unwrap_or_default().to_owned();
    let mut text = Text::new(MAX_CHARS);
    let note = key.as_ref().map_or_else(String::new, |key| format!(" [{key}]"));
    text.add(&format!("**{}**{note}", outcome.replace('_', " ")));
    for note in &similar.matches {
        let differences = match note.differs.is_empty() {
            true => String::new(),
            false => format!(", differs in {}", inline(&note.differs.join(", "), 200)),
        };
        let similarity = percent(note.similarity);
        text.add(&format!(
            "- [{}] {} ({similarity} similar{differences})",
            note.id,
            title(&note.title)
        ));
    }
    if let Some(warning) = &similar.warning {
        text.add(&format!("Note: {}", inline(warning, 300)));
    }
    let similar =
        similar.matches.iter().map(|note| Item::new(&note.id, note.similarity, None)).collect();
    (text.finish([next]), output::Note { outcome, key, similar })
}
