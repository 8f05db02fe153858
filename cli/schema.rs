//! `precedent schema`: the JSON Schema of each command's `--json` output, generated from its types.

use std::{fs, path::Path};

use precedent_core::{Code, Error, Result, files, model::*};
use precedent_text::similar;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};

use precedent_engine::diagnosis::Diagnosis;
use precedent_eval::{CasesReport, EvalReport};

use crate::{config::Setting, import, model::Offer, output::Output, status, sync};

/// A schema's name, made of the words of its command, and its generator.
type SchemaEntry = (&'static str, fn() -> Schema);

/// The schemas of all commands that print JSON, by name.
const SCHEMAS: &[SchemaEntry] = &[
    ("article", schema_of::<Article>),
    ("article-gaps", schema_of::<ProblemsResponse>),
    ("article-store", schema_of::<NoteAnswer>),
    ("ask", schema_of::<AskResponse>),
    ("backup", schema_of::<Backup>),
    ("brief", schema_of::<Brief>),
    ("brief-preview", schema_of::<Vec<RedactionPreview>>),
    ("brief-replay", schema_of::<BriefReplay>),
    ("calibrate", schema_of::<CalibrationReport>),
    ("calibrate-replay", schema_of::<Replay>),
    ("config-get", schema_of::<Setting>),
    ("config-list", schema_of::<Vec<Setting>>),
    ("doctor", schema_of::<Health>),
    ("doctor-bundle", schema_of::<Diagnosis>),
    ("duplicates", schema_of::<DuplicatesResponse>),
    ("eval", schema_of::<EvalReport>),
    ("eval-cases", schema_of::<CasesReport>),
    ("eval-solved", schema_of::<ThreadFigures>),
    ("export", schema_of::<ExportResult>),
    ("import", schema_of::<import::Report>),
    ("import-casebook", schema_of::<import::CasebookReport>),
    ("import-dry-run", schema_of::<DetectedFiles>),
    ("import-undo", schema_of::<UndoReport>),
    ("index", schema_of::<IndexReport>),
    ("model-catalog", schema_of::<Vec<Offer>>),
    ("model-list", schema_of::<Vec<ModelView>>),
    ("note-add", schema_of::<NoteAnswer>),
    ("note-check-similar", schema_of::<SimilarNotes>),
    ("note-edit", schema_of::<Note>),
    ("note-list", schema_of::<Vec<Note>>),
    ("note-show", schema_of::<Note>),
    ("problems", schema_of::<ProblemsResponse>),
    ("restore", schema_of::<RestoreResult>),
    ("search", schema_of::<SearchResponse>),
    ("show", schema_of::<Thread>),
    ("source-add", schema_of::<SourceView>),
    ("source-list", schema_of::<Vec<SourceView>>),
    ("source-remove", schema_of::<SourceView>),
    ("source-test", schema_of::<Access>),
    ("source-trust", schema_of::<HostView>),
    ("status", schema_of::<status::StatusOutput>),
    ("sync", schema_of::<sync::Report>),
    ("triage", schema_of::<TriageResponse>),
    ("triage-apply", schema_of::<Vec<Closure>>),
    ("triage-apply-yes", schema_of::<ClosureReport>),
    ("triage-journal", schema_of::<Vec<ClosureRecord>>),
    ("troubleshoot", schema_of::<TroubleshootResponse>),
    ("troubleshoot-logs", schema_of::<LogResponse>),
    ("verdict-list", schema_of::<Vec<Verdict>>),
    ("verdict-set", schema_of::<Verdict>),
    ("verdict-undo", schema_of::<Option<Verdict>>),
];

fn schema_of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

pub fn run(name: Option<&str>, output_dir: Option<&Path>, output: &mut Output) -> Result<()> {
    if let Some(folder) = output_dir {
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        for (name, schema) in SCHEMAS {
            let path = folder.join(format!("{name}.json"));
            files::replace(&path, format!("{}\n", to_json(&schema())?).as_bytes())?;
        }
        return Ok(());
    }
    let Some(name) = name else {
        SCHEMAS.iter().for_each(|(name, _)| output.line(name));
        return Ok(());
    };
    let (_, schema) = SCHEMAS.iter().find(|(key, _)| *key == name).ok_or_else(|| {
        let hint = match similar::closest_name(name, SCHEMAS.iter().map(|(key, _)| *key)) {
            Some(suggestion) => {
                format!("Did you mean {suggestion}? `precedent schema` lists them.")
            }
            None => "`precedent schema` lists them.".to_owned(),
        };
        Error::invalid(format!("unknown schema \"{name}\"")).with_hint(hint)
    })?;
    output.line(to_json(&schema())?);
    Ok(())
}

fn to_json(schema: &Schema) -> Result<String> {
    serde_json::to_string_pretty(schema).map_err(|e| Error::new(Code::Internal, e.to_string()))
}
