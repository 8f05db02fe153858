//! Tests of the built-in model with the real runtime, and of a broken model or runtime.

use std::path::{Path, PathBuf};

use crate::support::{Run, TestEnv};

pub fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

pub fn runtime() -> Option<PathBuf> {
    let variable = std::env::var_os("PRECEDENT_ONNXRUNTIME").map(PathBuf::from);
    let path = variable.unwrap_or_else(|| root().join("target/runtime/libonnxruntime.so"));
    if path.is_file() {
        return Some(path);
    }
    eprintln!(
        "SKIPPED: the built-in model, because ONNX Runtime is missing; `cargo xtask runtime` installs it"
    );
    None
}

pub fn run_with_model(env: &TestEnv, runtime: &Path, models: &Path, args: &[&str]) -> Run {
    let output = env
        .command(args)
        .env("PRECEDENT_EMBEDDER", "built-in")
        .env("PRECEDENT_ONNXRUNTIME", runtime)
        .env("PRECEDENT_MODELS", models)
        .output()
        .unwrap();
    Run::from(output)
}

/// Copies the built-in model to a folder where it can be damaged.
fn copy_model(env: &TestEnv) -> PathBuf {
    for entry in std::fs::read_dir(root().join("models/builtin")).unwrap() {
        let path = entry.unwrap().path();
        env.file(
            &format!("models/builtin/{}", path.file_name().unwrap().to_string_lossy()),
            std::fs::read(&path).unwrap(),
        );
    }
    env.path("models")
}

#[test]
fn semantic_search_matches_other_words() {
    let Some(runtime) = runtime() else { return };
    let env = TestEnv::new();
    let models = root().join("models");
    let run = run_with_model(&env, &runtime, &models, &["import", "sample"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    // None of these words occurs in the expected reports.
    let run = run_with_model(
        &env,
        &runtime,
        &models,
        &[
            "search",
            "mode:semantic browser keeps asking for the password again",
            "-L",
            "5",
            "--json=title,scores",
        ],
    );
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.out.to_lowercase().contains("login") || run.out.to_lowercase().contains("log in"),
        "{}",
        run.out
    );
    let status = run_with_model(&env, &runtime, &models, &["status", "--json"]);
    let status: serde_json::Value = serde_json::from_str(&status.out).unwrap();
    assert_eq!(status["coverage"]["chunks"], status["coverage"]["embedded"]);
    assert_eq!(status["model"]["problem"], serde_json::Value::Null);
}

/// Asserts that a model problem is reported, while import and full-text search work.
fn assert_keyword_search_works(env: &TestEnv, runtime: &Path, models: &Path, message: &str) {
    let run = run_with_model(env, runtime, models, &["import", "sample"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(
        run.err.contains("The semantic index is not available") && run.err.contains(message),
        "{message}: {}",
        run.err
    );
    let run = run_with_model(env, runtime, models, &["search", "replication slot", "-L", "3"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(run.out.contains("ferrywire/ferrywire#"), "{}", run.out);
    // A damaged model is found only when a query is embedded.
    let is_limited = ["Keyword search only", "Not conclusive"].map(|text| run.err.contains(text));
    assert!(is_limited.contains(&true), "{message}: {}", run.err);
    let run = run_with_model(env, runtime, models, &["status"]);
    assert!(run.code == Some(0) && run.out.contains(message), "{message}: {}", run.out);
}

#[test]
fn broken_runtime_leaves_keyword_search() {
    let env = TestEnv::new();
    let invalid_library = env.file("libonnxruntime.so", "this is no library");
    assert_keyword_search_works(&env, &invalid_library, &root().join("models"), "cannot be used");
}

#[test]
fn damaged_model_leaves_keyword_search() {
    let Some(runtime) = runtime() else { return };
    let env = TestEnv::new();
    let models = copy_model(&env);
    let model = models.join("builtin/model.onnx");
    let original_model = std::fs::read(&model).unwrap();
    std::fs::write(&model, &original_model[..original_model.len() / 2]).unwrap();
    assert_keyword_search_works(&env, &runtime, &models, "damaged");

    std::fs::write(&model, &original_model).unwrap();
    let weights = models.join("builtin/model.onnx.data");
    let original = std::fs::read(&weights).unwrap();
    std::fs::write(&weights, &original[..original.len() / 2]).unwrap();
    assert_keyword_search_works(&env, &runtime, &models, "damaged");
    std::fs::remove_file(&weights).unwrap();
    assert_keyword_search_works(&env, &runtime, &models, "model.onnx.data");

    std::fs::write(&weights, &original).unwrap();
    let card = models.join("builtin/card.json");
    let text = std::fs::read_to_string(&card).unwrap();
    std::fs::write(&card, text.replace("\"dimensions\": 384", "\"dimensions\": 512")).unwrap();
    assert_keyword_search_works(&env, &runtime, &models, "its card says 512");

    std::fs::write(&card, "{").unwrap();
    assert_keyword_search_works(&env, &runtime, &models, "damaged");
}

#[test]
fn question_in_another_language_finds_english_reports() {
    let Some(runtime) = runtime() else { return };
    let env = TestEnv::new();
    let models = root().join("models");
    let run = |args: &[&str]| run_with_model(&env, &runtime, &models, args);
    assert_eq!(run(&["import", "sample"]).code, Some(0));
    let question = "Der Speicherverbrauch des Agenten wächst unbegrenzt bei sehr breiten Tabellen";
    let ask = || {
        let run = run(&["duplicates", "-t", question, "--include-closed", "--json=key"]);
        run.out + &run.err
    };
    let first_output = ask();
    assert!(
        first_output.contains("index for German and other languages is 0% built"),
        "{first_output}"
    );
    assert_eq!(run(&["index"]).code, Some(0));
    let second_output = ask();
    assert!(
        !second_output.contains("German") && second_output.contains("ferrywire/ferrywire#6\""),
        "{second_output}"
    );
    let search_run = run(&["search", "Speicher des Agenten wächst ohne Grenze", "--json=key"]);
    assert!(search_run.out.contains("ferrywire/ferrywire#6"), "{}", search_run.out);

    let swedish_run = run(&[
        "duplicates",
        "-t",
        "Konsolen loggar ut användaren efter varje uppdatering av sidan",
    ]);
    let text = swedish_run.out + &swedish_run.err;
    assert!(text.contains("texts in Swedish are compared by their words"), "{text}");
}
