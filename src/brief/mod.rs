//! Briefs: what is known about a problem, assembled from duplicates, solved cases and wikis, every statement with what it
//! rests on. The same casebook and the same request give the same bytes.

mod assemble;
mod html;
mod markdown;
mod pdf;
mod redact;
mod replay;

pub use assemble::{Desk, brief, preview};
pub use replay::{read, replay};

use crate::{
    error::{Code, Error, Result},
    model::{Brief, BriefFormat},
};

/// Writes a brief down.
///
/// # Errors
/// [`Code::Internal`] if the PDF cannot be made.
pub fn render(brief: &Brief, format: BriefFormat) -> Result<Vec<u8>> {
    match format {
        BriefFormat::Markdown => markdown::render(brief).map(String::into_bytes),
        BriefFormat::Html => html::render(brief).map(String::into_bytes),
        BriefFormat::Pdf => pdf::render(brief),
        BriefFormat::Json => {
            let mut json = serde_json::to_vec_pretty(brief).map_err(|e| broken("JSON", &e))?;
            json.push(b'\n');
            Ok(json)
        }
    }
}

/// What a brief was made from, in one line.
fn assemble_line(brief: &Brief) -> String {
    let record = &brief.record;
    let mut parts = vec![format!("Made with Precedent from revision {} of the casebook", record.revision)];
    parts.extend(
        record.as_of.map(|t| format!("which knows nothing later than {}", t.strftime("%Y-%m-%d %H:%M UTC"))),
    );
    parts.extend(record.model.as_ref().map(|m| format!("texts read by {m}")));
    let redacted: usize = brief.redactions.iter().map(|r| r.count).sum();
    parts.extend((redacted > 0).then(|| format!("{redacted} names and secrets replaced")));
    format!("{}.", parts.join("; "))
}

fn broken(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("the brief cannot be written as {what}: {error}"))
}
