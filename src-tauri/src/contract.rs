//! The window's contract: `ui/src/lib/contract.json` holds the schema of all data exchanged between
//! engine and window.
//!
//! `npm run contract` generates `types.ts` from it.

use std::collections::BTreeMap;

use precedent_core::{Error, Remedy, model::*, task::Progress};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use crate::{
    app_state::JobKind,
    commands::{Catalog, Launch},
    drops::Dropped,
    prompt::{PromptSettings, PromptState, PromptTarget},
};

macro_rules! schemas {
    ($($type:ty),*) => { [$(SchemaGenerator::subschema_for::<$type>),*] };
}

/// The types of the commands' arguments and results; nested types are added with them.
const TYPES: &[fn(&mut SchemaGenerator) -> Schema] = &schemas! {
    Access, Article, ArticleRequest, AskRequest, AskResponse, Brief, BriefFormat, BriefRequest,
    CalibrationReport, Catalog, Closure, ClosureReport, Comparison, CountedDuplicate,
    DetectedFiles, Dropped, DuplicatesRequest, DuplicatesResponse, Error, Health, HostView,
    ImportReport, ImportRequest, ImportResult, IndexReport, Insights, JobKind, Launch, LogRequest,
    LogResponse, MirrorView, ModelView, NewMirror, Note, NoteAnswer, NoteChange, NoteDraft,
    ProblemsRequest, ProblemsResponse, Progress, PromptSettings, PromptState, PromptTarget,
    RedactionPreview, SearchRequest, SearchResponse, SimilarNotes, SourceView, Status, SyncReport,
    Thread, TriageRequest, TriageResponse, Verdict
};

fn contract() -> String {
    let mut generator = SchemaSettings::draft07().for_serialize().into_generator();
    for schema in TYPES {
        schema(&mut generator);
    }
    let definitions = sort_keys(Value::Object(generator.take_definitions(true)));
    serde_json::to_string_pretty(&json!({"definitions": definitions})).unwrap() + "\n"
}

/// Returns a value with sorted keys, whichever `serde_json` features other crates enable.
fn sort_keys(value: Value) -> Value {
    match value {
        Value::Array(items) => items.into_iter().map(sort_keys).collect(),
        Value::Object(fields) => {
            let fields: BTreeMap<String, Value> =
                fields.into_iter().map(|(name, v)| (name, sort_keys(v))).collect();
            fields.into_iter().collect()
        }
        scalar => scalar,
    }
}

#[test]
#[allow(clippy::disallowed_methods, reason = "UPDATE_CONTRACT rewrites the file")]
fn front_end_types_match_the_contract() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../ui/src/lib/contract.json");
    let contract = contract();
    if std::env::var_os("UPDATE_CONTRACT").is_some() {
        std::fs::write(path, &contract).unwrap();
    }
    assert!(
        std::fs::read_to_string(path).unwrap_or_default() == contract,
        "the engine's types have changed: run `UPDATE_CONTRACT=1 cargo test -p precedent-desktop contract`, then `npm run contract` in ui/"
    );
}

#[test]
fn error_serializes_for_the_front_end() {
    let error = Error::invalid("x").with_hint("y.").with_command(Remedy::Add, "z");
    let expected = json!({
        "code": "invalid_input", "message": "x", "hint": "y.", "remedy": "add", "command": "z"
    });
    assert_eq!(serde_json::to_value(error).unwrap(), expected);
}
