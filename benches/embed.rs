//! The embedding model by itself: texts a second by length, and the memory that many of them take.
//!
//! `cargo bench --bench embed`; `PRECEDENT_TEXTS=50000` embeds so many of mixed length at the end, in one process.
#![allow(
    clippy::unwrap_used,
    clippy::disallowed_methods,
    clippy::cast_precision_loss,
    reason = "a measurement, not a product"
)]

use std::{path::PathBuf, time::Instant};

use precedent_index::embed::{Embedder, Engine, ModelPaths, Work};

/// Word pieces of a text; every word of these is one of them.
const LENGTHS: [usize; 3] = [32, 128, 256];
/// Texts of each length.
const TEXTS: usize = 60;

fn main() {
    // `cargo test --benches` only wants to know whether it starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let named = |variable: &str, default: &str| {
        vec![std::env::var_os(variable).map_or_else(|| root.join(default), PathBuf::from)]
    };
    let engine = Engine::BuiltIn(ModelPaths {
        runtime: named("PRECEDENT_ONNXRUNTIME", "target/runtime/libonnxruntime.so"),
        models: named("PRECEDENT_MODELS", "models"),
    });
    let start = Instant::now();
    let mut model = engine.load(Work::Indexing).unwrap();
    println!("loading: {:.0} ms", start.elapsed().as_secs_f64() * 1000.0);
    for length in LENGTHS {
        rate(model.as_mut(), length);
    }
    let many: usize = std::env::var("PRECEDENT_TEXTS").ok().and_then(|n| n.parse().ok()).unwrap_or(1_000);
    let start = Instant::now();
    for n in 0..many {
        model.embed(&text(8 + n * 37 % 240, n)).unwrap();
    }
    println!(
        "{many} texts of 8 to 247 word pieces: {:.1} a second, at most {} MB",
        many as f64 / start.elapsed().as_secs_f64(),
        peak().unwrap_or(0) / 1024
    );
}

fn rate(model: &mut dyn Embedder, length: usize) {
    let start = Instant::now();
    for n in 0..TEXTS {
        model.embed(&text(length - 2, n)).unwrap();
    }
    let rate = TEXTS as f64 / start.elapsed().as_secs_f64();
    println!("{length:>3} word pieces: {rate:.1} texts a second, one thread");
}

/// A text of so many words that the tokenizer keeps whole; the two marks at its ends are the rest of its length.
fn text(words: usize, seed: usize) -> String {
    const WORDS: [&str; 12] =
        ["the", "server", "fails", "when", "file", "is", "open", "and", "memory", "test", "time", "error"];
    (0..words).map(|i| WORDS[(i * 7 + seed) % WORDS.len()]).collect::<Vec<_>>().join(" ")
}

/// The most memory that this process had, in kB, where the system tells.
fn peak() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    status.lines().find(|l| l.starts_with("VmHWM"))?.split_whitespace().nth(1)?.parse().ok()
}
