//! Tests of other models: import, download, change during searches, and removal.

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use axum::{
    body::{Body, Bytes},
    extract::{Request, State},
    response::Response,
};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use crate::{
    fake_github::LocalServer,
    model::{root, run_with_model, runtime},
    support::{Run, TestEnv, issue},
};

/// Adds a model with hashed vectors that depend on its name.
fn add_model(env: &TestEnv, name: &str) {
    let card = json!({
        "name": name, "dimensions": 384, "max_tokens": 256, "sha256": "",
        "floor": 0.15, "same": 0.95, "near": 0.9, "solved": 0.65,
    });
    env.file(&format!("casebook/models/{name}/card.json"), card.to_string());
}

fn casebook_of(items: u64) -> TestEnv {
    let env = TestEnv::new();
    let lines: String = (1..=items)
        .map(|n| format!("{}\n", issue(n, &format!("Valve{n} leaks behind pump{n}"), "It drips.")))
        .collect();
    let path = env.file_arg("issues.jsonl", lines);
    env.ok(&["import", "github", &path, "-R", "acme/app"]);
    env
}

/// Returns the best semantic match with its cosine.
fn best_match(env: &TestEnv, n: u64) -> (String, f64) {
    let question = format!("mode:semantic valve{n} leaks behind pump{n}");
    let run = env.run(&["search", &question, "-L", "1", "--json"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    assert!(!run.err.contains("Keyword search only"), "{}", run.err);
    let response: Value = serde_json::from_str(&run.out).unwrap();
    let hit = &response["hits"][0];
    (
        hit["key"].as_str().unwrap_or_default().to_owned(),
        hit["scores"]["cosine"].as_f64().unwrap_or(0.0),
    )
}

fn model_in_use(env: &TestEnv) -> String {
    env.json(&["status", "--json=model"])["model"]["name"].as_str().unwrap().to_owned()
}

#[test]
fn model_change_is_atomic_for_queries() {
    let env = casebook_of(1_500);
    add_model(&env, "other");
    let initial_match = best_match(&env, 700);
    assert_eq!(initial_match.0, "acme/app#700");
    let has_ended = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            env.ok(&["model", "use", "other"]);
            has_ended.store(true, Ordering::SeqCst);
        });
        let mut n = 0;
        while !has_ended.load(Ordering::SeqCst) || n == 0 {
            n += 1;
            let number = n * 37 % 1_500 + 1;
            let (key, cosine) = best_match(&env, number);
            assert_eq!(key, format!("acme/app#{number}"));
            assert!(cosine > 0.5, "vectors of two models: {cosine}");
        }
    });
    assert_eq!(model_in_use(&env), "other");
    assert_eq!(best_match(&env, 700).0, initial_match.0);
    // The vectors of the previous model are still stored.
    let run = env.ok(&["model", "use", "builtin"]);
    assert!(
        run.err.contains("Now using builtin") && !run.err.contains("passages in"),
        "{}",
        run.err
    );
    assert_eq!(best_match(&env, 3).0, "acme/app#3");
    // The other model can be removed.
    env.ok(&["model", "remove", "other"]);
    assert_eq!(env.json(&["model", "list", "--json=name"]), json!([{"name": "builtin"}]));
    let is_permanent = |entry: &std::fs::DirEntry| {
        let name = entry.file_name().to_string_lossy().into_owned();
        !name.ends_with("-wal") && !name.ends_with("-shm")
    };
    assert_eq!(
        std::fs::read_dir(env.casebook().join("vectors"))
            .unwrap()
            .flatten()
            .filter(is_permanent)
            .count(),
        2,
        "a file and its lock"
    );
}

#[test]
fn killed_model_change_resumes() {
    let env = casebook_of(3_000);
    add_model(&env, "other");
    let mut child = env.command(&["model", "use", "other", "--threads", "1"]).spawn().unwrap();
    let next_model = |env: &TestEnv| env.json(&["status", "--json=model"])["model"]["next"].clone();
    for _ in 0..400 {
        if next_model(&env)["embedded"].as_u64().is_some_and(|n| n > 0) {
            break;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    if next_model(&env).is_null() {
        eprintln!("SKIPPED: the model change ended before it was killed");
        return;
    }
    assert_ne!(model_in_use(&env), "other");
    assert_eq!(best_match(&env, 1_234).0, "acme/app#1234");
    env.ok(&["index"]);
    assert_eq!(model_in_use(&env), "other");
    assert_eq!(best_match(&env, 1_234).0, "acme/app#1234");
    assert_eq!(next_model(&env), Value::Null);
}

#[test]
fn missing_model_or_model_in_use_is_reported() {
    let env = casebook_of(3);
    let run_failing = |args: &[&str]| {
        let run = env.run(args);
        assert_ne!(run.code, Some(0), "{args:?}");
        run.err
    };
    assert!(run_failing(&["model", "use", "nobody"]).contains("precedent model list"));
    assert!(
        run_failing(&["model", "use", "bge-small-en-v1.5"]).contains("precedent model install")
    );
    assert!(
        run_failing(&["model", "install", "bge-smal-en"]).contains("Did you mean bge-small-en")
    );
    assert!(run_failing(&["model", "remove", "builtin"]).contains("in use"));
    assert!(run_failing(&["model", "use", "../../etc"]).contains("not installed"));
    add_model(&env, "other");
    env.ok(&["model", "use", "other"]);
    assert!(run_failing(&["model", "remove", "other"]).contains("in use"));
    // If a model's folder is deleted, full-text search works and a hint is shown.
    std::fs::remove_dir_all(env.casebook().join("models/other")).unwrap();
    let run = env.ok(&["search", "leaks", "-L", "1"]);
    run.assert_stderr(&["Keyword search only", "precedent model use builtin"]);
    env.ok(&["model", "use", "builtin"]);
    assert_eq!(best_match(&env, 2).0, "acme/app#2");
}

/// Copies the built-in model into another folder.
fn copy_model_to(env: &TestEnv, folder: &str) -> PathBuf {
    for name in [
        "model.onnx",
        "model.onnx.data",
        "tokenizer.json",
        "tokenizer_config.json",
        "special_tokens_map.json",
        "config.json",
    ] {
        env.file(
            &format!("{folder}/{name}"),
            std::fs::read(root().join("models/builtin").join(name)).unwrap(),
        );
    }
    env.path(folder)
}

#[test]
fn imported_model_is_tested_first() {
    let Some(runtime) = runtime() else { return };
    let env = TestEnv::new();
    let folder = copy_model_to(&env, "elsewhere/MiniLM copy");
    let ask = |args: &[&str]| run_with_model(&env, &runtime, &root().join("models"), args);
    let source = folder.to_string_lossy().into_owned();
    let assert_refused = |message: &str| {
        let run = ask(&["model", "import", &source]);
        assert_ne!(run.code, Some(0));
        assert!(run.err.contains(message), "{message}: {}", run.err);
        let leftover_count =
            std::fs::read_dir(env.casebook().join("models")).map_or(0, Iterator::count);
        assert_eq!(leftover_count, 0, "files are left behind");
    };
    let swap = |name: &str, bytes: &[u8], message: &str| {
        let path = folder.join(name);
        let original = std::fs::read(&path).unwrap();
        std::fs::write(&path, bytes).unwrap();
        assert_refused(message);
        std::fs::write(&path, original).unwrap();
    };
    swap("model.onnx", b"<!DOCTYPE html><title>Sign in</title>", "is a web page");
    swap("model.onnx", b"version https://git-lfs.github.com/spec/v1\n", "Git LFS");
    swap("model.onnx", b"cut", "damaged");
    swap("model.onnx.data", b"cut", "damaged");
    swap("tokenizer.json", b"{\"ver", "tokenizer.json is damaged");
    std::fs::rename(folder.join("config.json"), folder.join("c")).unwrap();
    assert_refused("config.json is missing");
    std::fs::rename(folder.join("c"), folder.join("config.json")).unwrap();

    // The archive contains the folder under another name.
    let archive = env.path("minilm.tar.gz");
    let mut tar = tar::Builder::new(flate2::write::GzEncoder::new(
        std::fs::File::create(&archive).unwrap(),
        flate2::Compression::fast(),
    ));
    tar.append_dir_all("some/where", &folder).unwrap();
    tar.into_inner().unwrap().finish().unwrap();
    let run = ask(&["model", "import", &archive.to_string_lossy(), "--prefix", "query: "]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let card: Value = serde_json::from_slice(
        &std::fs::read(env.casebook().join("models/minilm/card.json")).unwrap(),
    )
    .unwrap();
    assert_eq!(
        (card["dimensions"].as_u64(), card["prefix"].as_str()),
        (Some(384), Some("query: "))
    );
    let floor = card["floor"].as_f64().unwrap();
    assert!((0.2..0.6).contains(&floor), "the scale was not measured: {floor}");
    let run = ask(&["model", "import", &source, "--name", "minilm"]);
    assert!(run.err.contains("already"), "{}", run.err);

    let run = ask(&["import", "sample"]);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let run = ask(&["model", "use", "minilm"]);
    run.assert_error(0, &["Now using minilm"]);
    let run =
        ask(&["search", "mode:semantic browser keeps asking for the password again", "-L", "5"]);
    assert!(run.out.to_lowercase().contains("log"), "{}", run.out);
    // A file that is replaced later is detected: its vectors would not match the stored ones.
    let model = env.casebook().join("models/minilm/model.onnx.data");
    let mut bytes = std::fs::read(&model).unwrap();
    let n = bytes.len();
    bytes[n / 2] ^= 1;
    std::fs::write(&model, bytes).unwrap();
    let run = ask(&["search", "replication slot", "-L", "2"]);
    run.assert_error(0, &["does not match its card"]);
}

/// A model hub that redirects requests for large files, like the real one.
#[derive(Default)]
struct Hub {
    log: Vec<(String, Option<String>)>,
    /// `true` to cut the next large file.
    cuts_next: bool,
    sends_html: bool,
    status: Option<u16>,
    wrong_digest: bool,
    has_seen_login: bool,
}

/// Returns the path of a model in one file, a table of random vectors.
fn tiny_model() -> PathBuf {
    root().join("tests/fixtures/models/tiny.onnx")
}

async fn serve(State(hub): State<Arc<Mutex<Hub>>>, request: Request) -> Response {
    let header =
        |n: &str| request.headers().get(n).and_then(|v| v.to_str().ok()).map(str::to_owned);
    let (path, range) = (request.uri().path().to_owned(), header("range"));
    let mut hub = hub.lock().unwrap();
    hub.has_seen_login |= header("authorization").is_some();
    hub.log.push((path.clone(), range.clone()));
    let name = path.rsplit('/').next().unwrap_or_default();
    let file = if name.ends_with(".onnx") {
        tiny_model()
    } else {
        root().join("models/builtin").join(name)
    };
    let Ok(bytes) = std::fs::read(file) else {
        return Response::builder().status(404).body(Body::empty()).unwrap();
    };
    if let Some(status) = hub.status {
        return Response::builder().status(status).body(Body::empty()).unwrap();
    }
    if std::mem::take(&mut hub.sends_html) {
        let page = "<!doctype html><title>Sign in</title>";
        return Response::builder()
            .header("content-type", "text/html; charset=utf-8")
            .body(Body::from(page))
            .unwrap();
    }
    if path.contains("/resolve/") && name.ends_with(".onnx") {
        let digest = if hub.wrong_digest {
            "0".repeat(64)
        } else {
            precedent_index::embed::digest(&tiny_model()).unwrap()
        };
        return Response::builder()
            .status(302)
            .header("location", "/cdn/blob.onnx")
            .header("x-linked-etag", format!("\"{digest}\""))
            .body(Body::empty())
            .unwrap();
    }
    let start: usize = range
        .as_deref()
        .map_or(0, |r| r.trim_start_matches("bytes=").trim_end_matches('-').parse().unwrap());
    let body = Bytes::from(bytes);
    let rest = body.slice(start..);
    let mut answer = Response::builder().header("content-length", rest.len());
    if range.is_some() {
        let span = format!("bytes {start}-{}/{}", body.len() - 1, body.len());
        answer = answer.status(206).header("content-range", span);
    }
    if name.ends_with(".onnx") && std::mem::take(&mut hub.cuts_next) {
        let half = rest.slice(..rest.len() / 2);
        // The partial content arrives before the connection breaks.
        let broken_stream = futures_util::stream::once(async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Err(std::io::Error::other("cut"))
        });
        let pieces = futures_util::stream::iter([Ok(half)]).chain(broken_stream);
        return answer.body(Body::from_stream(pieces)).unwrap();
    }
    answer.body(Body::from(rest)).unwrap()
}

fn start_hub() -> (Arc<Mutex<Hub>>, String, LocalServer) {
    let state = Arc::<Mutex<Hub>>::default();
    let (address, server) =
        LocalServer::start(|_| axum::Router::new().fallback(serve).with_state(Arc::clone(&state)));
    (state, address, server)
}

fn install(env: &TestEnv, runtime: &Path, hub: &str) -> Run {
    let output = env
        .command(&["model", "install", "all-minilm-l6-v2-q"])
        .env("PRECEDENT_EMBEDDER", "built-in")
        .env("PRECEDENT_ONNXRUNTIME", runtime)
        .env("PRECEDENT_MODELS", root().join("models"))
        .env("PRECEDENT_MODEL_HUB", hub)
        .env("GH_TOKEN", "a-secret")
        .output()
        .unwrap();
    Run::from(output)
}

#[test]
fn model_download_resumes_after_a_broken_connection() {
    let Some(runtime) = runtime() else { return };
    let (state, address, _server) = start_hub();
    let env = TestEnv::new();
    state.lock().unwrap().cuts_next = true;
    let run = install(&env, &runtime, &address);
    assert_eq!(run.code, Some(0), "{}", run.err);
    let hub = state.lock().unwrap();
    let blobs: Vec<_> = hub.log.iter().filter(|(p, _)| p == "/cdn/blob.onnx").collect();
    assert_eq!(blobs.len(), 2, "{blobs:?}");
    assert!(
        blobs[0].1.is_none() && blobs[1].1.as_deref().is_some_and(|r| r != "bytes=0-"),
        "{blobs:?}"
    );
    assert!(hub.log[0].0.starts_with("/Xenova/all-MiniLM-L6-v2/resolve/main/"), "{:?}", hub.log[0]);
    assert!(!hub.has_seen_login, "a request has a login");
    let models = env.casebook().join("models");
    assert_eq!(std::fs::read_dir(models).unwrap().count(), 1, "a partial file is left");
    drop(hub);
    assert!(install(&env, &runtime, &address).err.contains("already installed"));
}

#[test]
fn invalid_model_download_is_reported() {
    let Some(runtime) = runtime() else { return };
    let (state, address, _server) = start_hub();
    let env = TestEnv::new();
    let assert_refused = |message: &str| {
        let run = install(&env, &runtime, &address);
        assert_ne!(run.code, Some(0), "{message}");
        assert!(run.err.contains(message), "{message}: {}", run.err);
        assert!(!env.casebook().join("models/all-minilm-l6-v2-q").exists());
    };
    state.lock().unwrap().sends_html = true;
    assert_refused("received a web page instead of the file");
    state.lock().unwrap().wrong_digest = true;
    assert_refused("is damaged");
    state.lock().unwrap().wrong_digest = false;
    state.lock().unwrap().status = Some(404);
    // The small files are already present, but the model is not available.
    assert_refused("was not found");
    state.lock().unwrap().status = None;
    assert_eq!(install(&env, &runtime, &address).code, Some(0), "a later install fails");
    let offline_run = install(&TestEnv::new(), &runtime, "http://127.0.0.1:9");
    assert_eq!(offline_run.code, Some(1));
    assert!(offline_run.err.contains("cannot reach"), "{}", offline_run.err);
}
