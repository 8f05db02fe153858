//! Measures import, indexing, search, duplicate checks and memory of growing casebooks.
//!
//! ```text
//! PRECEDENT_ARCHIVE=FOLDER PRECEDENT_CASEBOOK=DIR PRECEDENT_SCALE=DIR cargo bench --bench scale
//! ```
//!
//! `PRECEDENT_ARCHIVE` has `issues.jsonl.zst` and `comments.jsonl.zst` of rust-lang/rust.
//! `PRECEDENT_CASEBOOK` is the casebook that they were imported into, with vectors of the built-in
//! model. Both are grown to `PRECEDENT_ITEMS` (by default 10000, 100000 and 1000000) below
//! `PRECEDENT_SCALE`, where completed work is reused. Every phase runs in a separate process to
//! measure its memory. Without the first two variables, nothing is measured.
//!
//! `… -- --phase recall FOLDER/1000000 1000000` runs a single phase. `PRECEDENT_CHUNKS=5000000`
//! measures nearest-neighbor search alone, without texts. `PRECEDENT_PEERS=1` with
//! `PRECEDENT_ITEMS=30650` writes the input of benches/peers, and runs its queries.
#![allow(
    missing_docs,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::disallowed_methods,
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "benchmark, not production code"
)]

mod grow;
mod vectors;

use std::{
    path::{Path, PathBuf},
    process::Command,
    time::{Duration, Instant},
};

use grow::Archive;
use precedent_core::{
    Task,
    model::{DuplicatesRequest, Mode, SearchRequest},
};
use precedent_engine::{Casebook, OpenOptions, search::query};
use precedent_index::{
    embed::{Engine, ModelPaths, Work},
    fulltext::FullText,
    update::{DerivedData, IndexedPart},
    vectors::{PlannedChunk, Vectors},
};
use precedent_store::Store;
use vectors::RealVectors;

const SOURCE: &str = "rust-lang/rust";
const SEED: u64 = 20_261_121;
const PHASES: [&str; 7] = ["grow", "first", "import", "text", "plan", "vectors", "ask"];
/// The number of queries of each kind.
const QUERIES: usize = 150;
/// The number of queries whose exact results are computed.
const EXACT_QUERIES: usize = 40;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    // `cargo test --benches` only checks that the benchmark starts.
    if arguments.iter().any(|a| a == "--test") {
        return;
    }
    // As in the desktop app.
    precedent_core::memory::limit_malloc_arenas();
    if let Some(index) = arguments.iter().position(|a| a == "--phase") {
        return phase(
            &arguments[index + 1],
            Path::new(&arguments[index + 2]),
            arguments[index + 3].parse().unwrap(),
        );
    }
    let (Some(_), Some(_)) =
        (path_variable("PRECEDENT_ARCHIVE"), path_variable("PRECEDENT_CASEBOOK"))
    else {
        println!("set PRECEDENT_ARCHIVE and PRECEDENT_CASEBOOK; see benches/scale/main.rs");
        return;
    };
    let temporary = tempfile::tempdir().unwrap();
    let folder = path_variable("PRECEDENT_SCALE").unwrap_or_else(|| temporary.path().to_owned());
    if let Ok(count) = std::env::var("PRECEDENT_CHUNKS") {
        let size_folder = folder.join(format!("chunks-{count}"));
        std::fs::create_dir_all(&size_folder).unwrap();
        return phase("nearest", &size_folder, count.parse().unwrap());
    }
    let peers = std::env::var_os("PRECEDENT_PEERS").map(|_| "peers");
    let counts =
        std::env::var("PRECEDENT_ITEMS").unwrap_or_else(|_| "10000,100000,1000000".to_owned());
    for count in counts.split(',') {
        println!("--- {count} items");
        let size_folder = folder.join(count);
        std::fs::create_dir_all(&size_folder).unwrap();
        for phase in PHASES.into_iter().chain(peers) {
            let output_file = size_folder.join(format!("{phase}.done"));
            if phase != "ask" && output_file.exists() {
                print!("{}", std::fs::read_to_string(&output_file).unwrap());
                continue;
            }
            let child = Command::new(std::env::current_exe().unwrap())
                .args(["--phase", phase, &size_folder.to_string_lossy(), count])
                .stderr(std::process::Stdio::inherit())
                .output()
                .unwrap();
            assert!(child.status.success(), "{phase} failed");
            let output = String::from_utf8(child.stdout).unwrap();
            print!("{output}");
            std::fs::write(output_file, output).unwrap();
        }
    }
}

fn path_variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).map(PathBuf::from)
}

fn phase(name: &str, size_folder: &Path, count: u64) {
    let (archive, casebook) = (size_folder.join("archive"), size_folder.join("casebook"));
    let start = Instant::now();
    let elapsed = || start.elapsed().as_secs_f64();
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).build().unwrap();
    let task = Task::new();
    match name {
        "grow" => {
            let real = Archive::load(&path_variable("PRECEDENT_ARCHIVE").unwrap());
            let comments = real.write(&archive, count, SEED);
            println!("grown: {count} items and {comments} comments; {}", real.vocabulary_summary());
        }
        "first" => measure_first_result(size_folder, &archive, count),
        "import" => {
            let archive = archive.to_string_lossy();
            let run = run_command(
                &casebook,
                &["import", "github", &archive, "--source", SOURCE, "--no-index"],
            );
            let new = run.response["new"].as_u64().unwrap();
            println!(
                "import: {:.1} s, {:.0} records/s, database {} MB, peak memory {} MB",
                run.elapsed,
                new as f64 / run.elapsed,
                megabytes(&casebook, "database_bytes"),
                run.memory
            );
        }
        "text" => {
            let run = run_command(&casebook, &["index", "--no-vectors"]);
            let searchable = run.response["full_text_seconds"].as_f64().unwrap();
            println!(
                "full text: {searchable:.1} s, {:.0} documents/s, with merges {:.1} s, {} MB, peak memory {} MB",
                count as f64 / searchable,
                run.elapsed,
                megabytes(&casebook, "full_text_bytes"),
                run.memory
            );
        }
        "plan" => {
            let indexes = Indexes::open(&casebook);
            indexes.derived_data().plan_vectors(&indexes.vectors, &task).unwrap();
            let chunks = indexes.vectors.extent().unwrap().chunks;
            println!("passages: {chunks} planned in {:.1} s, {}", elapsed(), memory());
        }
        "vectors" => {
            let indexes = Indexes::open(&casebook);
            let real = RealVectors::load(
                &path_variable("PRECEDENT_CASEBOOK").unwrap(),
                &indexes.engine.info().unwrap(),
            );
            println!(
                "real vectors: {}, nearest-neighbor distance {:.3?} (5%, 50%, 95%)",
                real.len(),
                real.distance_quantiles()
            );
            let last_real_number = 30_664;
            let numbers = |ids: &[i64]| indexes.store.read(|r| r.numbers(ids)).unwrap();
            let (count, elapsed) = real.fill(&indexes.vectors, &numbers, last_real_number, SEED);
            let elapsed = elapsed.as_secs_f64();
            println!(
                "vectors: {count} stored in {elapsed:.1} s, {:.0}/s, {} MB, {}",
                count as f64 / elapsed,
                indexes.vectors.bytes() >> 20,
                memory()
            );
        }
        "ask" => {
            runtime.block_on(measure_queries(&casebook, count));
            measure_recall(&casebook, &titles(&casebook, QUERIES));
        }
        "recall" => measure_recall(&casebook, &titles(&casebook, QUERIES)),
        "nearest" => measure_nearest(size_folder, count),
        "peers" => measure_peers(size_folder, &runtime),
        name => panic!("no phase {name}"),
    }
}

/// Measures an import while another process runs queries: the time until the first result, and
/// until a result covers all items.
fn measure_first_result(size_folder: &Path, archive: &Path, count: u64) {
    let casebook = size_folder.join("first");
    drop(std::fs::remove_dir_all(&casebook));
    let command = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_precedent"));
        command.arg("-q").arg("--casebook").arg(&casebook).stderr(std::process::Stdio::null());
        command
    };
    let start = Instant::now();
    let elapsed = || start.elapsed().as_secs_f64();
    let mut import = command();
    import.args(["import", "github"]).arg(archive).args(["--source", SOURCE, "--no-vectors"]);
    let mut import = import.stdout(std::process::Stdio::null()).spawn().unwrap();
    let (mut first_result, mut slowest_search) = (None, 0.0_f64);
    let (first, full_coverage) = loop {
        let status = import.try_wait().unwrap();
        assert!(status.is_none_or(|status| status.success()), "the import failed");
        let start = Instant::now();
        let output =
            command().args(["search", "lifetime of a closure", "--json"]).output().unwrap();
        slowest_search = slowest_search.max(start.elapsed().as_secs_f64());
        let response: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_default();
        let coverage = response["coverage"]["full_text"].as_u64().unwrap_or(0);
        if response["hits"].as_array().is_some_and(|hits| !hits.is_empty()) {
            first_result.get_or_insert((elapsed(), coverage));
        }
        // Records of other repositories are skipped, so the coverage may be slightly lower.
        if let Some(first) = first_result
            && status.is_some()
            && coverage + count / 1000 >= count
        {
            break (first, elapsed());
        }
    };
    println!(
        "first result: {:.1} s after the start of the import, from {} items; from all items: {full_coverage:.1} s; slowest search: {slowest_search:.1} s",
        first.0, first.1
    );
    drop(std::fs::remove_dir_all(&casebook));
}

/// The output and cost of a command.
struct CommandRun {
    response: serde_json::Value,
    /// Duration in seconds.
    elapsed: f64,
    /// Peak memory in megabytes.
    memory: u64,
}

/// Runs a command of the binary.
fn run_command(casebook: &Path, arguments: &[&str]) -> CommandRun {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_precedent"))
        .arg("-q")
        .arg("--casebook")
        .arg(casebook)
        .args(arguments)
        .arg("--json")
        .stdout(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut memory = 0;
    while child.try_wait().unwrap().is_none() {
        memory = memory.max(process_memory(&child.id().to_string(), "VmHWM"));
        std::thread::sleep(Duration::from_millis(20));
    }
    let elapsed = start.elapsed().as_secs_f64();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{arguments:?} failed");
    CommandRun { response: serde_json::from_slice(&output.stdout).unwrap(), elapsed, memory }
}

/// Returns a size from `status`, in megabytes.
fn megabytes(casebook: &Path, field: &str) -> u64 {
    run_command(casebook, &["status"]).response[field].as_u64().unwrap() >> 20
}

fn options(casebook: &Path) -> OpenOptions {
    OpenOptions::new(casebook).installed_at(
        &std::env::current_exe().unwrap(),
        path_variable("PRECEDENT_ONNXRUNTIME"),
        path_variable("PRECEDENT_MODELS"),
    )
}

/// The store and the indexes of a casebook.
struct Indexes {
    folder: PathBuf,
    engine: Engine,
    store: Store,
    fulltext: FullText,
    vectors: Vectors,
}

impl Indexes {
    fn open(casebook: &Path) -> Self {
        let options = options(casebook);
        let engine =
            Engine::BuiltIn(ModelPaths { runtime: options.runtime, models: options.models });
        let vectors = Vectors::open(&casebook.join("vectors"), &engine.info().unwrap()).unwrap();
        Self {
            folder: casebook.to_owned(),
            store: Store::open(&casebook.join("precedent.db")).unwrap(),
            fulltext: FullText::open(&casebook.join("fulltext")).unwrap(),
            vectors,
            engine,
        }
    }

    fn derived_data(&self) -> DerivedData<'_> {
        DerivedData {
            store: &self.store,
            fulltext: &self.fulltext,
            folder: &self.folder,
            parts: IndexedPart::All,
        }
    }
}

/// Returns the peak, private and file-mapped memory of this process.
fn memory() -> String {
    let megabytes = |name: &str| process_memory("self", name);
    let (peak, private, mapped) = (megabytes("VmHWM"), megabytes("RssAnon"), megabytes("RssFile"));
    format!("memory: peak {peak} MB, now {private} MB private and {mapped} MB mapped")
}

/// Returns a memory field of a process's status in megabytes; 0 if unavailable.
fn process_memory(id: &str, name: &str) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
    let line = status.lines().find(|l| l.starts_with(name));
    line.and_then(|l| l.split_whitespace().nth(1)?.parse::<u64>().ok()).unwrap_or(0) >> 10
}

async fn measure_queries(casebook: &Path, count: u64) {
    let task = Task::new();
    let start = Instant::now();
    let book = Casebook::open(options(casebook)).await.unwrap();
    println!("open: {:.0} ms", start.elapsed().as_secs_f64() * 1000.0);
    let start = Instant::now();
    book.sources().await.unwrap();
    println!("list of sources: {:.0} ms", start.elapsed().as_secs_f64() * 1000.0);

    let (mut keys, mut titles, mut bodies) = (Vec::new(), Vec::new(), Vec::new());
    let mut number = 7;
    while keys.len() < QUERIES && number < count {
        // Pull requests and missing numbers are skipped.
        if let Ok(thread) = book.thread(&format!("{SOURCE}#{number}")).await
            && thread.kind == precedent_core::model::DocKind::Issue
        {
            keys.push(thread.key.clone());
            titles.push(thread.title.replace(['"', ':', '-'], " "));
            bodies.push(
                format!("{}\n{}", thread.title, thread.markdown).chars().take(20_000).collect(),
            );
            number += count / QUERIES as u64;
        } else {
            number += 1;
        }
    }
    let start = Instant::now();
    let request = SearchRequest { query: titles[0].clone(), limit: 10, ..Default::default() };
    book.search(request, &task).await.unwrap();
    println!("first search: {:.0} ms, {}", start.elapsed().as_secs_f64() * 1000.0, memory());

    let closed_issues: Vec<String> =
        titles.iter().map(|t| format!("is:closed is:issue {t}")).collect();
    let labeled_issues: Vec<String> = titles.iter().map(|t| format!("label:O-Arm {t}")).collect();
    let filters: Vec<String> = vec!["is:open".to_owned(), "is:issue label:O-Arm".to_owned()];
    println!("{:<28} {:>8} {:>8} {:>8}  hits", "query", "median", "p95", "max");
    for (name, queries, mode) in [
        ("title, hybrid", &titles, Mode::Hybrid),
        ("title, hybrid, repeated", &titles, Mode::Hybrid),
        ("title, hybrid, filtered", &closed_issues, Mode::Hybrid),
        ("title, hybrid, one label", &labeled_issues, Mode::Hybrid),
        ("title, lexical", &titles, Mode::Lexical),
        ("title, semantic", &titles, Mode::Semantic),
        ("whole report, hybrid", &bodies, Mode::Hybrid),
        ("filters only", &filters, Mode::Hybrid),
    ] {
        let (mut times, mut hits) = (Vec::new(), 0);
        // The first tenth of the queries is a warm-up.
        for (i, query) in queries.iter().take(queries.len() / 10).chain(queries).enumerate() {
            let request = SearchRequest {
                query: query.clone(),
                limit: 10,
                mode: Some(mode),
                ..Default::default()
            };
            let start = Instant::now();
            let response = book.search(request, &task).await.unwrap();
            if i >= queries.len() / 10 {
                times.push(start.elapsed().as_secs_f64() * 1000.0);
                hits += response.hits.len();
            }
        }
        print(name, times, hits);
    }
    let (mut times, mut hits) = (Vec::new(), 0);
    for key in &keys {
        let request = DuplicatesRequest {
            key: Some(key.clone()),
            include_closed: true,
            ..DuplicatesRequest::default()
        };
        let start = Instant::now();
        hits += book.duplicates(request, &task).await.unwrap().candidates.len();
        times.push(start.elapsed().as_secs_f64() * 1000.0);
    }
    print("duplicates, one item", times, hits);
    println!("after all queries: {}", memory());
}

fn print(name: &str, mut times: Vec<f64>, hits: usize) {
    times.sort_by(f64::total_cmp);
    let quantile = |q: f64| times[((times.len() - 1) as f64 * q) as usize];
    let (median, p95, max) = (quantile(0.5), quantile(0.95), quantile(1.0));
    println!("{name:<28} {median:>6.1}ms {p95:>6.1}ms {max:>6.1}ms  {hits}");
}

/// Measures recall@10 of approximate vector search against exact search, and the latency of both.
fn measure_recall(casebook: &Path, titles: &[String]) {
    let indexes = Indexes::open(casebook);
    let real = RealVectors::load(
        &path_variable("PRECEDENT_CASEBOOK").unwrap(),
        &indexes.engine.info().unwrap(),
    );
    let mut model = indexes.engine.load(Work::Indexing).unwrap();
    let titles: Vec<Vec<f32>> = titles.iter().map(|t| model.embed(t).unwrap()).collect();
    drop(model);
    measure_query_recall(
        &indexes.vectors,
        &[("titles", titles), ("passages", real.query_vectors(QUERIES, SEED))],
    );
}

fn measure_query_recall(vectors: &Vectors, query_sets: &[(&str, Vec<Vec<f32>>)]) {
    let start = Instant::now();
    vectors.preload().unwrap();
    println!("codes read in {:.0} ms, {}", start.elapsed().as_secs_f64() * 1000.0, memory());
    for (name, queries) in query_sets {
        let mut times = Vec::new();
        for query in queries {
            let start = Instant::now();
            vectors.search(query, None, 200).unwrap();
            times.push(start.elapsed().as_secs_f64() * 1000.0);
        }
        print(&format!("nearest to {name}"), times, 10 * queries.len());
        let (mut hits, mut total, mut exact_ms) = (0, 0, 0.0);
        let mut nearest_cosines = Vec::new();
        for query in queries.iter().step_by(queries.len().div_ceil(EXACT_QUERIES)) {
            let start = Instant::now();
            let expected = vectors.search_exact(query, None, 10).unwrap();
            exact_ms += start.elapsed().as_secs_f64() * 1000.0;
            let actual = vectors.search(query, None, 10).unwrap();
            total += expected.len();
            hits += vectors::recall_count(&expected, &actual);
            nearest_cosines.extend(expected.first().map(|n| n.cosine));
        }
        nearest_cosines.sort_by(f32::total_cmp);
        println!(
            "recall@10 for {name}: {:.4} ({hits} of {total}), {:.0} ms exact; median cosine of the nearest {:.3}",
            hits as f64 / total as f64,
            exact_ms * 10.0 / total as f64,
            nearest_cosines[nearest_cosines.len() / 2],
        );
    }
}

/// Measures nearest-neighbor search alone, with five passages per generated document.
fn measure_nearest(size_folder: &Path, count: u64) {
    let engine = Engine::BuiltIn({
        let options = options(size_folder);
        ModelPaths { runtime: options.runtime, models: options.models }
    });
    let info = engine.info().unwrap();
    let vectors = Vectors::open(&size_folder.join("vectors"), &info).unwrap();
    let real = RealVectors::load(&path_variable("PRECEDENT_CASEBOOK").unwrap(), &info);
    println!(
        "real vectors: {}, nearest-neighbor distance {:.3?} (5%, 50%, 95%)",
        real.len(),
        real.distance_quantiles()
    );
    let start = Instant::now();
    let first_document = vectors.extent().unwrap().chunks / 5;
    for batch in (first_document..count / 5).collect::<Vec<_>>().chunks(16_384) {
        let plan = |n: &u64| {
            let chunk = |i: u64| {
                let mut hash = [0; 16];
                hash[..8].copy_from_slice(&grow::mix(*n, i).to_le_bytes());
                PlannedChunk { part: i as i64, ordinal: 0, hash, priority: 0 }
            };
            (*n as i64 + 1, 1, (0..5).map(chunk).collect())
        };
        vectors.plan(&batch.iter().map(plan).collect::<Vec<_>>(), None).unwrap();
    }
    println!("planned in {:.1} s", start.elapsed().as_secs_f64());
    let numbers = |ids: &[i64]| ids.iter().map(|id| Some(100_000 + *id as u64)).collect();
    let (count, elapsed) = real.fill(&vectors, &numbers, 0, SEED);
    let elapsed = elapsed.as_secs_f64();
    println!(
        "{count} stored in {elapsed:.1} s, {:.0}/s, {} MB, {}",
        count as f64 / elapsed,
        vectors.bytes() >> 20,
        memory()
    );
    let mut model = engine.load(Work::Indexing).unwrap();
    let titles: Vec<Vec<f32>> = titles(&path_variable("PRECEDENT_CASEBOOK").unwrap(), QUERIES)
        .iter()
        .map(|t| model.embed(t).unwrap())
        .collect();
    drop(model);
    let queries = real.query_vectors(QUERIES, SEED);
    drop(real);
    measure_query_recall(&vectors, &[("titles", titles), ("passages", queries)]);
    println!("after all queries: {}", memory());
}

/// Returns evenly spaced titles of a casebook, without query syntax.
fn titles(casebook: &Path, count: usize) -> Vec<String> {
    let store = Store::open(&casebook.join("precedent.db")).unwrap();
    store
        .read(|r| {
            let ids = r.document_ids()?;
            let mut titles = Vec::new();
            for id in ids.iter().step_by(ids.len() / count) {
                titles.extend(r.document(*id)?.map(|d| d.title.replace(['"', ':', '-'], " ")));
            }
            titles.truncate(count);
            Ok(titles)
        })
        .unwrap()
}

/// Writes the input of benches/peers, and measures the same queries.
fn measure_peers(size_folder: &Path, runtime: &tokio::runtime::Runtime) {
    const QUERY_COUNT: usize = 200;
    let casebook = size_folder.join("casebook");
    let indexes = Indexes::open(&casebook);
    let info = indexes.engine.info().unwrap();
    let folder = size_folder.join("peers");
    std::fs::create_dir_all(&folder).unwrap();
    let bytes = |numbers: &[f32]| numbers.iter().flat_map(|x| x.to_le_bytes()).collect::<Vec<u8>>();
    let passages = vectors::passages(&casebook, &info);
    let vectors: Vec<u8> = passages.iter().flat_map(|(_, v)| bytes(v)).collect();
    std::fs::write(folder.join("passages.bin"), vectors).unwrap();
    let numbers: Vec<u8> = passages.iter().flat_map(|(n, _)| n.to_le_bytes()).collect();
    std::fs::write(folder.join("numbers.bin"), numbers).unwrap();
    let queries = titles(&casebook, QUERY_COUNT);
    let mut model = indexes.engine.load(Work::Indexing).unwrap();
    let query_vectors: Vec<Vec<f32>> = queries.iter().map(|t| model.embed(t).unwrap()).collect();
    drop(model);
    std::fs::write(
        folder.join("questions.bin"),
        query_vectors.iter().flat_map(|v| bytes(v)).collect::<Vec<u8>>(),
    )
    .unwrap();
    std::fs::write(folder.join("questions.txt"), queries.join("\n")).unwrap();

    let task = Task::new();
    // One run returns only item numbers, like the peers; the other returns complete results.
    let run_query = |index: usize, mode: Mode, is_complete: bool| {
        let searcher = precedent_engine::QueryContext {
            store: &indexes.store,
            fulltext: &indexes.fulltext,
            vectors: Some(&indexes.vectors),
            comment_vectors: None,
            embed: &|_| Ok(query_vectors[index].clone()),
            min_cosine: info.floor,
            vectors_error: None,
            non_english_vectors: &|_| Ok(None),
            embed_non_english: &|_| Ok(Vec::new()),
        };
        let query = &queries[index];
        if !is_complete {
            return searcher.rank(&query::parse(query).unwrap(), mode, 10, &task).unwrap().len();
        }
        let request = SearchRequest {
            query: query.clone(),
            limit: 10,
            mode: Some(mode),
            ..Default::default()
        };
        runtime.block_on(async { searcher.search(&request, &task) }).unwrap().hits.len()
    };
    for (name, is_complete) in [("item numbers", false), ("items and passages", true)] {
        println!("{name:<28} {:>8} {:>8} {:>8}  hits", "median", "p95", "max");
        for (name, mode) in
            [("hybrid", Mode::Hybrid), ("lexical", Mode::Lexical), ("semantic", Mode::Semantic)]
        {
            for index in 0..20 {
                run_query(index, mode, is_complete);
            }
            let (mut times, mut hits) = (Vec::new(), 0);
            for index in 0..queries.len() {
                let start = Instant::now();
                hits += run_query(index, mode, is_complete);
                times.push(start.elapsed().as_secs_f64() * 1000.0);
            }
            print(name, times, hits);
        }
    }
    measure_query_recall(&indexes.vectors, &[("questions", query_vectors.clone())]);
}
