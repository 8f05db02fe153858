//! Measures the steps of text preparation: `cargo bench --bench parts`.
#![allow(clippy::unwrap_used, reason = "benchmark, not production code")]

use divan::{Bencher, counter::BytesCount};
use precedent_text::{
    chunk, html, markdown, prepare::PreparedText, reference, signature, skeleton::Skeleton, tokens,
};

/// A report with prose, a list, a log and a stack trace.
const REPORT: &str = include_str!("report.md");

fn main() {
    divan::main();
}

/// Benchmarks `function` on the report, with throughput in bytes per second.
fn bench_report<O>(bencher: Bencher<'_, '_>, function: impl Fn(&str) -> O + Sync) {
    bencher.counter(BytesCount::of_str(REPORT)).bench(|| function(divan::black_box(REPORT)));
}

#[divan::bench]
fn words(bencher: Bencher<'_, '_>) {
    bench_report(bencher, tokens::words);
}

#[divan::bench]
fn identifiers(bencher: Bencher<'_, '_>) {
    bench_report(bencher, |text| tokens::identifiers(text).count());
}

#[divan::bench]
fn markdown_to_blocks(bencher: Bencher<'_, '_>) {
    bench_report(bencher, markdown::blocks);
}

#[divan::bench]
fn markdown_to_html(bencher: Bencher<'_, '_>) {
    bench_report(bencher, html::from_markdown);
}

#[divan::bench]
fn signatures(bencher: Bencher<'_, '_>) {
    bench_report(bencher, signature::signatures);
}

#[divan::bench]
fn references(bencher: Bencher<'_, '_>) {
    bench_report(bencher, reference::references);
}

#[divan::bench]
fn prepare_and_chunk(bencher: Bencher<'_, '_>) {
    let skeleton = Skeleton::default();
    bench_report(bencher, |text| chunk::chunks(&PreparedText::body(text, &skeleton), 24));
}
