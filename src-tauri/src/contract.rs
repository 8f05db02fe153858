//! The window's contract: `ui/src/lib/contract.json` holds the schema of all data exchanged between
//! engine and window.
//!
//! `npm run contract` generates `types.ts` from it.

use std::collections::BTreeMap;

use precedent_core::{Error, model::*, task::Progress};
use schemars::{Schema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Value, json};

use crate::{
    app_state::JobKind,
    commands::{Catalog, Launch},
    drops::Dropped,
    prompt::{PromptSettings, PromptState, PromptTarget},
};

/// The types of the commands' arguments and results; nested types are added with them.
const TYPES: &[fn(&mut SchemaGenerator) -> Schema] = &[
    SchemaGenerator::subschema_for::<Access>,
    SchemaGenerator::subschema_for::<Article>,
    SchemaGenerator::subschema_for::<ArticleRequest>,
    SchemaGenerator::subschema_for::<AskRequest>,
    SchemaGenerator::subschema_for::<AskResponse>,
    SchemaGenerator::subschema_for::<Brief>,
    SchemaGenerator::subschema_for::<BriefFormat>,
    SchemaGenerator::subschema_for::<BriefRequest>,
    SchemaGenerator::subschema_for::<CalibrationReport>,
    SchemaGenerator::subschema_for::<Catalog>,
    SchemaGenerator::subschema_for::<Closure>,
    SchemaGenerator::subschema_for::<ClosureReport>,
    SchemaGenerator::subschema_for::<Comparison>,
    SchemaGenerator::subschema_for::<Dropped>,
    SchemaGenerator::subschema_for::<DuplicatesRequest>,
    SchemaGenerator::subschema_for::<DuplicatesResponse>,
    SchemaGenerator::subschema_for::<Error>,
    SchemaGenerator::subschema_for::<Health>,
    SchemaGenerator::subschema_for::<HostView>,
    SchemaGenerator::subschema_for::<ImportReport>,
    SchemaGenerator::subschema_for::<ImportRequest>,
    SchemaGenerator::subschema_for::<ImportResult>,
    SchemaGenerator::subschema_for::<IndexReport>,
    SchemaGenerator::subschema_for::<Insights>,
    SchemaGenerator::subschema_for::<JobKind>,
    SchemaGenerator::subschema_for::<CountedDuplicate>,
    SchemaGenerator::subschema_for::<Launch>,
    SchemaGenerator::subschema_for::<LogRequest>,
    SchemaGenerator::subschema_for::<LogResponse>,
    SchemaGenerator::subschema_for::<MirrorView>,
    SchemaGenerator::subschema_for::<ModelView>,
    SchemaGenerator::subschema_for::<NewMirror>,
    SchemaGenerator::subschema_for::<Note>,
    SchemaGenerator::subschema_for::<NoteAnswer>,
    SchemaGenerator::subschema_for::<NoteChange>,
    SchemaGenerator::subschema_for::<NoteDraft>,
    SchemaGenerator::subschema_for::<ProblemsRequest>,
    SchemaGenerator::subschema_for::<ProblemsResponse>,
    SchemaGenerator::subschema_for::<Progress>,
    SchemaGenerator::subschema_for::<PromptSettings>,
    SchemaGenerator::subschema_for::<PromptState>,
    SchemaGenerator::subschema_for::<PromptTarget>,
    SchemaGenerator::subschema_for::<RedactionPreview>,
    SchemaGenerator::subschema_for::<SearchRequest>,
    SchemaGenerator::subschema_for::<SearchResponse>,
    SchemaGenerator::subschema_for::<SimilarNotes>,
    SchemaGenerator::subschema_for::<SourceView>,
    SchemaGenerator::subschema_for::<Status>,
    SchemaGenerator::subschema_for::<SyncReport>,
    SchemaGenerator::subschema_for::<Thread>,
    SchemaGenerator::subschema_for::<TriageRequest>,
    SchemaGenerator::subschema_for::<TriageResponse>,
    SchemaGenerator::subschema_for::<DetectedFiles>,
    SchemaGenerator::subschema_for::<Verdict>,
];

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
    let error = serde_json::to_value(Error::invalid("x").with_hint("y")).unwrap();
    assert_eq!(error, json!({"code": "invalid_input", "message": "x", "hint": "y"}));
}
