//! `precedent schema`: the JSON Schema of each command's `--json` output, generated from its types.

use std::{fs, path::Path};

use precedent_core::{
    Code, Error, Result, files,
    model::{
        Access, Article, AskResponse, Backup, Brief, BriefReplay, CalibrationReport, Closure,
        ClosureRecord, ClosureReport, DuplicatesResponse, ExportResult, Health, HostView,
        IndexReport, LogResponse, ModelView, Note, NoteAnswer, ProblemsResponse, RedactionPreview,
        Replay, RestoreResult, SearchResponse, SimilarNotes, SourceView, Thread, ThreadFigures,
        TriageResponse, TroubleshootResponse, Understood, Undone, Verdict,
    },
};
use precedent_text::similar;
use schemars::{JsonSchema, Schema, generate::SchemaSettings};

use precedent_engine::diagnosis::Diagnosis;
use precedent_eval::{CasesReport, EvalReport};

use crate::{config::Setting, import, model::Offer, output::Output, status, sync};

/// The name of a schema (the words of the command) and its generator.
type SchemaEntry = (&'static str, fn() -> Schema);

/// The schemas of all commands that print JSON.
const SCHEMAS: &[SchemaEntry] = &[
    ("backup", of::<Backup>),
    ("article", of::<Article>),
    ("article-gaps", of::<ProblemsResponse>),
    ("article-store", of::<NoteAnswer>),
    ("ask", of::<AskResponse>),
    ("brief", of::<Brief>),
    ("brief-preview", of::<Vec<RedactionPreview>>),
    ("brief-replay", of::<BriefReplay>),
    ("calibrate", of::<CalibrationReport>),
    ("calibrate-replay", of::<Replay>),
    ("problems", of::<ProblemsResponse>),
    ("config-get", of::<Setting>),
    ("config-list", of::<Vec<Setting>>),
    ("doctor", of::<Health>),
    ("doctor-bundle", of::<Diagnosis>),
    ("duplicates", of::<DuplicatesResponse>),
    ("eval", of::<EvalReport>),
    ("eval-cases", of::<CasesReport>),
    ("eval-solved", of::<ThreadFigures>),
    ("export", of::<ExportResult>),
    ("import", of::<import::Report>),
    ("import-casebook", of::<import::CasebookReport>),
    ("import-dry-run", of::<Understood>),
    ("import-undo", of::<Undone>),
    ("index", of::<IndexReport>),
    ("model-catalog", of::<Vec<Offer>>),
    ("model-list", of::<Vec<ModelView>>),
    ("note-add", of::<NoteAnswer>),
    ("note-check-similar", of::<SimilarNotes>),
    ("note-edit", of::<Note>),
    ("note-list", of::<Vec<Note>>),
    ("note-show", of::<Note>),
    ("restore", of::<RestoreResult>),
    ("search", of::<SearchResponse>),
    ("show", of::<Thread>),
    ("source-add", of::<SourceView>),
    ("source-list", of::<Vec<SourceView>>),
    ("source-remove", of::<SourceView>),
    ("source-test", of::<Access>),
    ("source-trust", of::<HostView>),
    ("status", of::<status::Whole>),
    ("sync", of::<sync::Report>),
    ("triage", of::<TriageResponse>),
    ("triage-apply", of::<Vec<Closure>>),
    ("triage-apply-yes", of::<ClosureReport>),
    ("triage-journal", of::<Vec<ClosureRecord>>),
    ("troubleshoot", of::<TroubleshootResponse>),
    ("troubleshoot-logs", of::<LogResponse>),
    ("verdict-list", of::<Vec<Verdict>>),
    ("verdict-set", of::<Verdict>),
    ("verdict-undo", of::<Option<Verdict>>),
];

fn of<T: JsonSchema>() -> Schema {
    SchemaSettings::draft2020_12().for_serialize().into_generator().into_root_schema_for::<T>()
}

pub fn run(name: Option<&str>, into: Option<&Path>, output: &mut Output) -> Result<()> {
    if let Some(folder) = into {
        fs::create_dir_all(folder).map_err(|e| Error::io(folder, e))?;
        for (name, schema) in SCHEMAS {
            let path = folder.join(format!("{name}.json"));
            files::replace(&path, format!("{}\n", text(&schema())?).as_bytes())?;
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
    output.line(text(&schema())?);
    Ok(())
}

fn text(schema: &Schema) -> Result<String> {
    serde_json::to_string_pretty(schema).map_err(|e| Error::new(Code::Internal, e.to_string()))
}
