//! Measures the speed and memory of reading logs: `cargo bench --bench logs`. `PRECEDENT_LOG_MB`
//! sets the size of the log, by default 2,048. The log is generated in a temporary folder.

#![allow(
    missing_docs,
    clippy::disallowed_methods,
    clippy::expect_used,
    clippy::unwrap_used,
    reason = "benchmark, not production code"
)]

use std::{
    fs::File,
    io::{BufWriter, Write},
    path::{Path, PathBuf},
    time::Instant,
};

use precedent_core::Task;

fn main() {
    // `cargo test --benches` only checks that the benchmark starts.
    if std::env::args().any(|a| a == "--test") {
        return;
    }
    let megabytes: u64 =
        std::env::var("PRECEDENT_LOG_MB").ok().and_then(|n| n.parse().ok()).unwrap_or(2_048);
    let folder = tempfile::tempdir().expect("a folder for temporary files");
    let plain = folder.path().join("server.log");
    let lines = write_log(File::create(&plain).expect("a file"), megabytes * 1_000_000);
    println!("| log | size | time | throughput | peak memory |");
    println!("|---|---|---|---|---|");
    measure("plain", &plain, lines);
    let bundle = folder.path().join("bundle.tar.zst");
    write_bundle(&bundle, &plain);
    measure("tar.zst", &bundle, lines);
}

/// Writes a log of requests with some warnings and few errors with stack traces. Returns the number
/// of lines.
fn write_log(file: File, bytes: u64) -> u64 {
    let mut out = BufWriter::with_capacity(1 << 20, file);
    let (mut bytes_written, mut lines, mut n) = (0, 0, 0_u64);
    while bytes_written < bytes {
        let (hour, minute, second) = (n / 3_600_000 % 24, n / 60_000 % 60, n / 1_000 % 60);
        let time = format!("2026-05-12 {hour:02}:{minute:02}:{second:02},{:03}", n % 1_000);
        let text = match n {
            n if n % 100_003 == 0 => format!(
                "{time} [http-{}] ERROR com.heron.Store - cannot store order {n}\ncom.heron.StoreException: segment {} is sealed\n\tat com.heron.Store.put(Store.java:120)\n\tat com.heron.Orders.save(Orders.java:44)\nCaused by: java.io.IOException: no lease for node-{}\n\tat com.heron.Lease.take(Lease.java:9)\n\t... 12 more\n",
                n % 64,
                n % 977,
                n % 12
            ),
            n if n % 5_003 == 0 => {
                format!(
                    "{time} [http-{}] WARN  com.heron.Pool - pool is at {} per cent\n",
                    n % 64,
                    n % 100
                )
            }
            _ => format!(
                "{time} [http-{}] INFO  com.heron.Web - GET /orders/{n} for tenant-{} took {} ms\n",
                n % 64,
                n % 512,
                n % 977
            ),
        };
        out.write_all(text.as_bytes()).expect("room for the log");
        bytes_written += text.len() as u64;
        lines += text.lines().count() as u64;
        n += 1;
    }
    out.flush().expect("room for the log");
    lines
}

fn write_bundle(bundle: &Path, plain: &Path) {
    let file = File::create(bundle).expect("a file");
    let mut tar = tar::Builder::new(zstd::Encoder::new(file, 1).expect("an encoder").auto_finish());
    tar.append_path_with_name(plain, "bundle/server.log").expect("room for the bundle");
    tar.finish().expect("room for the bundle");
}

fn measure(name: &str, path: &Path, lines: u64) {
    let start = Instant::now();
    let log = precedent_logs::read(&[PathBuf::from(path)], &Task::new()).expect("a log");
    let seconds = start.elapsed().as_secs_f64();
    assert_eq!(log.lines, lines, "every line is read");
    assert_eq!(log.groups.len(), 2, "{:#?}", log.groups);
    let size = std::fs::metadata(path).map_or(0, |m| m.len());
    #[allow(clippy::cast_precision_loss, reason = "megabytes")]
    let (size_mb, text_mb) = (size as f64 / 1e6, log.bytes as f64 / 1e6);
    println!(
        "| {name} | {size_mb:.0} MB | {seconds:.1} s | {:.0} MB/s | {} |",
        text_mb / seconds,
        peak_memory()
    );
}

/// Returns the peak memory of this process.
fn peak_memory() -> String {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.map_or_else(
        || "unknown".to_owned(),
        |kb| {
            format!("{} MB", kb.trim().trim_end_matches(" kB").parse::<u64>().unwrap_or(0) / 1_000)
        },
    )
}
