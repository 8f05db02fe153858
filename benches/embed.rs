//! Measures the embedding model alone: texts per second by length, and the peak memory.
//!
//! `cargo bench --bench embed`; `PRECEDENT_TEXTS=50000` sets the number of texts of mixed length at
//! the end.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "benchmark, not production code"
)]

use std::{path::PathBuf, time::Instant};

use precedent_index::embed::{Embedder, Engine, ModelPaths, Work};

/// The lengths of texts in word pieces; each word is one piece.
const LENGTHS: [usize; 3] = [32, 128, 256];
/// The number of texts of each length.
const TEXTS: usize = 60;

fn main() {
    // `cargo test --benches` only checks that the benchmark starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let path_variable = |variable: &str, default: &str| {
        vec![std::env::var_os(variable).map_or_else(|| root.join(default), PathBuf::from)]
    };
    let engine = Engine::BuiltIn(ModelPaths {
        runtime: path_variable("PRECEDENT_ONNXRUNTIME", "target/runtime/libonnxruntime.so"),
        models: path_variable("PRECEDENT_MODELS", "models"),
    });
    let start = Instant::now();
    let mut model = engine.load(Work::Indexing).unwrap();
    println!("loading: {:.0} ms", start.elapsed().as_secs_f64() * 1000.0);
    for length in LENGTHS {
        measure(model.as_mut(), length);
    }
    let count: usize =
        std::env::var("PRECEDENT_TEXTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let start = Instant::now();
    for n in 0..count {
        model.embed(&text(8 + n * 37 % 240, n)).unwrap();
    }
    println!(
        "{count} texts of 8 to 247 word pieces: {:.1}/s, peak memory {} MB",
        count as f64 / start.elapsed().as_secs_f64(),
        peak_memory().unwrap_or(0) / 1024
    );
}

fn measure(model: &mut dyn Embedder, length: usize) {
    let start = Instant::now();
    for n in 0..TEXTS {
        model.embed(&text(length - 2, n)).unwrap();
    }
    let rate = TEXTS as f64 / start.elapsed().as_secs_f64();
    println!("{length:>3} word pieces: {rate:.1} texts/s, one thread");
}

/// Returns a text of this many words; the tokenizer adds two word pieces.
fn text(words: usize, seed: usize) -> String {
    const WORDS: [&str; 12] = [
        "the", "server", "fails", "when", "file", "is", "open", "and", "memory", "test", "time",
        "error",
    ];
    (0..words).map(|i| WORDS[(i * 7 + seed) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// Returns the peak memory of this process in kB, where the system reports it.
fn peak_memory() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|l| l.starts_with("VmHWM"))?.split_whitespace().nth(1)?.parse().ok()
}
