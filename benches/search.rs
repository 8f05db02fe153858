//! Measures the warm latency (median, 95th percentile, maximum) of searches, duplicate checks and
//! troubleshooting, and the recall of the vector index.
//!
//! ```text
//! PRECEDENT_CASEBOOK=DIR cargo bench --bench search
//! ```
//!
//! The queries are titles and texts sampled evenly from the casebook, so any casebook can be
//! measured. Without `PRECEDENT_CASEBOOK` the sample is imported and measured.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    reason = "benchmark, not production code"
)]

use std::{path::PathBuf, time::Instant};

use precedent_core::{
    Task,
    model::{DuplicatesRequest, Mode, SearchRequest, TroubleshootRequest},
};
use precedent_engine::{Casebook, OpenOptions};
use precedent_index::{
    embed::{Engine, ModelPaths, Work},
    vectors::Vectors,
};

/// The minimum number of queries of each kind, if the casebook has enough issues.
const MIN_QUERIES: usize = 150;

fn main() {
    // `cargo test --benches` only checks that the benchmark starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    runtime.block_on(measure());
}

async fn measure() {
    let folder = std::env::var_os("PRECEDENT_CASEBOOK").map(PathBuf::from);
    let temporary = tempfile::tempdir().unwrap();
    let path = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let options =
        OpenOptions::new(folder.clone().unwrap_or_else(|| temporary.path().join("casebook")))
            .installed_at(
                &std::env::current_exe().unwrap(),
                path("PRECEDENT_ONNXRUNTIME"),
                path("PRECEDENT_MODELS"),
            );
    let casebook = Casebook::open(options.clone()).await.unwrap();
    let task = Task::new();
    if folder.is_none() {
        casebook.import_sample(&task).await.unwrap();
        casebook.update_index(&task).await.unwrap();
    }
    let status = casebook.status().await.unwrap();
    println!(
        "{} documents, {} of {} passages with vectors, model {}",
        status.coverage.documents,
        status.coverage.embedded,
        status.coverage.chunks,
        status.model.name.as_deref().unwrap_or("none"),
    );

    let (keys, titles, bodies) = sample_queries(&casebook).await;
    let closed_issues: Vec<String> =
        titles.iter().map(|t| format!("is:closed is:issue {t}")).collect();
    println!("{:<28} {:>8} {:>8} {:>8}  hits", "query", "median", "p95", "max");
    for (name, queries, mode) in [
        ("title, hybrid", &titles, Mode::Hybrid),
        ("title, hybrid, filtered", &closed_issues, Mode::Hybrid),
        ("title, lexical", &titles, Mode::Lexical),
        ("title, semantic", &titles, Mode::Semantic),
        ("whole report, hybrid", &bodies, Mode::Hybrid),
    ] {
        let mut times = Vec::with_capacity(queries.len());
        let mut hits = 0;
        // The first tenth of the queries is a warm-up.
        for (i, query) in queries.iter().take(queries.len() / 10).chain(queries).enumerate() {
            let request = SearchRequest {
                query: query.clone(),
                limit: 10,
                mode: Some(mode),
                ..Default::default()
            };
            let start = Instant::now();
            let response = casebook.search(request, &task).await.unwrap();
            if i >= queries.len() / 10 {
                times.push(start.elapsed().as_secs_f64() * 1000.0);
                hits += response.hits.len();
            }
        }
        print(name, times, hits);
    }
    measure_duplicate_checks(&casebook, &keys).await;
    measure_troubleshoot(&casebook, &bodies).await;
    measure_recall(&options, &titles);
}

fn print(name: &str, mut times: Vec<f64>, hits: usize) {
    times.sort_by(f64::total_cmp);
    let quantile = |q: f64| times[((times.len() - 1) as f64 * q) as usize];
    let (median, p95, max) = (quantile(0.5), quantile(0.95), quantile(1.0));
    println!("{name:<28} {median:>6.1}ms {p95:>6.1}ms {max:>6.1}ms  {hits}");
}

/// Measures duplicate checks of single items, including closed candidates.
async fn measure_duplicate_checks(casebook: &Casebook, keys: &[String]) {
    let (mut times, mut hits) = (Vec::new(), 0);
    for key in keys {
        let request = DuplicatesRequest {
            key: Some(key.clone()),
            include_closed: true,
            ..DuplicatesRequest::default()
        };
        let start = Instant::now();
        hits += casebook.duplicates(request, &Task::new()).await.unwrap().candidates.len();
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    print("duplicates, one item", times, hits);
}

/// Measures troubleshooting a 200-line log with a report embedded in noise.
async fn measure_troubleshoot(casebook: &Casebook, bodies: &[String]) {
    let (mut times, mut hits) = (Vec::new(), 0);
    for body in bodies.iter().take(60) {
        let mut lines: Vec<String> = (0..200)
            .map(|i| format!("10:{:02}:{:02} INFO step {i} done", i / 60, i % 60))
            .collect();
        for (i, line) in body.lines().filter(|l| !l.trim().is_empty()).take(60).enumerate() {
            lines[70 + i] = line.to_owned();
        }
        let request =
            TroubleshootRequest { text: lines.join("\n"), ..TroubleshootRequest::default() };
        let start = Instant::now();
        hits += casebook.troubleshoot(request, &Task::new()).await.unwrap().cases.len();
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    print("troubleshoot, 200-line log", times, hits);
}

/// Measures recall@10 of approximate vector search against exact search, and the mean latency of
/// both.
fn measure_recall(options: &OpenOptions, titles: &[String]) {
    let engine = Engine::BuiltIn(ModelPaths {
        runtime: options.runtime.clone(),
        models: options.models.clone(),
    });
    let (Ok(info), Ok(mut model)) = (engine.info(), engine.load(Work::Queries)) else { return };
    let vectors = Vectors::open(&options.folder.join("vectors"), &info).unwrap();
    vectors.preload().unwrap();
    let (mut hits, mut total) = (0, 0);
    let (mut approximate_secs, mut exact_secs) = (0.0, 0.0);
    for title in titles.iter().take(60) {
        let query = model.embed(title).unwrap();
        let start = Instant::now();
        let approximate = vectors.search(&query, None, 10).unwrap();
        approximate_secs += start.elapsed().as_secs_f64();
        let start = Instant::now();
        let exact_hits = vectors.search_exact(&query, None, 10).unwrap();
        exact_secs += start.elapsed().as_secs_f64();
        total += exact_hits.len();
        let is_found = |chunk| approximate.iter().any(|a| a.chunk == chunk);
        hits += exact_hits.iter().filter(|e| is_found(e.chunk)).count();
    }
    let queries = titles.len().min(60) as f64;
    println!(
        "vectors: recall@10 {:.4} ({hits} of {total}), mean {:.1} ms (exact: {:.1} ms)",
        hits as f64 / total.max(1) as f64,
        approximate_secs * 1000.0 / queries,
        exact_secs * 1000.0 / queries,
    );
}

/// Returns keys, titles and texts of evenly spaced documents.
async fn sample_queries(casebook: &Casebook) -> (Vec<String>, Vec<String>, Vec<String>) {
    let request = SearchRequest { query: "is:issue".into(), limit: 500, ..Default::default() };
    let recent = casebook.search(request, &Task::new()).await.unwrap().hits;
    let step = (recent.len() / MIN_QUERIES).max(1);
    let (mut keys, mut titles, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
    for hit in recent.iter().step_by(step) {
        let thread = casebook.thread(&hit.key).await.unwrap();
        keys.push(hit.key.clone());
        // Quotes, colons and hyphens in a title would be parsed as query syntax.
        titles.push(thread.title.replace(['"', ':', '-'], " "));
        bodies
            .push(format!("{}\n{}", thread.title, thread.markdown).chars().take(20_000).collect());
    }
    (keys, titles, bodies)
}
