//! Briefs: what is known about a problem, assembled from duplicates, solved cases and wikis, every statement with what it
//! rests on. The same casebook and the same request give the same bytes.

mod assemble;
mod html;
mod log;
mod markdown;
mod pdf;
mod replay;
mod shown;

pub use assemble::{BriefContext, brief, preview};
pub use replay::{read, replay};

use precedent_core::{
    error::{Code, Error, Result},
    model::{Brief, BriefFormat},
};
use precedent_text::visible;
use shown::Shown;

/// Writes a brief down.
///
/// # Errors
/// [`Code::Internal`] if the PDF cannot be made.
pub fn render(brief: &Brief, format: BriefFormat) -> Result<Vec<u8>> {
    let shown = Shown::of(brief);
    match format {
        BriefFormat::Markdown => markdown::render(&shown).map(String::into_bytes),
        BriefFormat::Html => html::render(&shown).map(String::into_bytes),
        BriefFormat::Pdf => pdf::render(&shown),
        BriefFormat::Json => {
            let json = serde_json::to_string_pretty(brief).map_err(|e| broken("JSON", &e))?;
            Ok((visible::json(&json) + "\n").into_bytes())
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
    if record.request.redact {
        let replaced: usize = brief.redactions.iter().map(|r| r.count).sum();
        parts.push(match replaced {
            0 => "no names or secrets were recognised in it, which does not mean that there are none"
                .to_owned(),
            1 => "1 name or secret that was recognised is replaced, others may be left".to_owned(),
            n => format!("{n} names and secrets that were recognised are replaced, others may be left"),
        });
    }
    format!("{}.", parts.join("; "))
}

fn broken(what: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(Code::Internal, format!("the brief cannot be written as {what}: {error}"))
}
