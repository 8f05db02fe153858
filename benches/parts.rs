//! Measures single parts of the engine: `cargo bench --bench parts`.
#![allow(clippy::unwrap_used, reason = "a measurement, not a product")]

use divan::{Bencher, counter::BytesCount};
use precedent_text::{
    chunk, html, markdown, prepare::PreparedText, reference, signature, skeleton::Skeleton, tokens,
};

/// A report with prose, a list, a log and a stack trace.
const REPORT: &str = include_str!("report.md");

fn main() {
    divan::main();
}

#[divan::bench]
fn words(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(REPORT))
        .bench(|| tokens::words(divan::black_box(REPORT)).len());
}

#[divan::bench]
fn identifiers(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(REPORT))
        .bench(|| tokens::identifiers(divan::black_box(REPORT)).count());
}

#[divan::bench]
fn markdown_to_blocks(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(REPORT))
        .bench(|| markdown::blocks(divan::black_box(REPORT)).len());
}

#[divan::bench]
fn markdown_to_html(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(REPORT))
        .bench(|| html::from_markdown(divan::black_box(REPORT)).len());
}

#[divan::bench]
fn signatures(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(REPORT))
        .bench(|| signature::signatures(divan::black_box(REPORT)).len());
}

#[divan::bench]
fn references(bencher: Bencher<'_, '_>) {
    bencher
        .counter(BytesCount::of_str(REPORT))
        .bench(|| reference::references(divan::black_box(REPORT)).len());
}

#[divan::bench]
fn prepare_and_chunk(bencher: Bencher<'_, '_>) {
    let skeleton = Skeleton::default();
    bencher.counter(BytesCount::of_str(REPORT)).bench(|| {
        chunk::chunks(&PreparedText::body(divan::black_box(REPORT), &skeleton), 24).len()
    });
}
