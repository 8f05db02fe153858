//! Holds `ui/src/lib/types.ts` to what the engine really sends: every name of every type, in both directions.

use std::collections::BTreeSet;

use precedent::{
    Code, Error,
    model::*,
    task::{Phase, Progress},
};
use serde::Serialize;

use crate::commands::Launch;

const TYPES: &str = include_str!("../../ui/src/lib/types.ts");

/// The members of an interface of the front end.
fn members(interface: &str) -> BTreeSet<String> {
    let head = format!("export interface {interface} {{\n");
    let (_, body) =
        TYPES.split_once(&head).unwrap_or_else(|| panic!("types.ts has no interface {interface}"));
    let (body, _) = body.split_once("\n}").unwrap();
    body.lines()
        .filter_map(|line| Some(line.trim().split_once(':')?.0.trim_end_matches('?').to_owned()))
        .collect()
}

/// The members of a union of texts of the front end.
fn variants(union: &str) -> BTreeSet<String> {
    let head = format!("export type {union} =");
    let (_, body) = TYPES.split_once(&head).unwrap_or_else(|| panic!("types.ts has no type {union}"));
    let (body, _) = body.split_once(';').unwrap();
    body.split('|').map(|v| v.trim().trim_matches('"').to_owned()).filter(|v| !v.is_empty()).collect()
}

#[track_caller]
fn same_members(interface: &str, value: impl Serialize) {
    let sent = serde_json::to_value(value).unwrap();
    let sent: BTreeSet<String> = sent.as_object().unwrap().keys().cloned().collect();
    assert_eq!(members(interface), sent, "types.ts and the engine differ in {interface}");
}

#[track_caller]
fn same_variants<T: Serialize>(union: &str, all: &[T]) {
    let sent = all.iter().map(|v| serde_json::to_value(v).unwrap().as_str().unwrap().to_owned()).collect();
    assert_eq!(variants(union), sent, "types.ts and the engine differ in {union}");
}

#[test]
fn enums() {
    same_variants("DocKind", &DocKind::ALL);
    same_variants("State", &[State::Open, State::Closed, State::Merged]);
    same_variants("Mode", &[Mode::Hybrid, Mode::Lexical, Mode::Semantic]);
    same_variants("Arm", &[Arm::Lexical, Arm::Semantic, Arm::Signature]);
    same_variants("Part", &[Part::Body, Part::Comment]);
    same_variants(
        "Phase",
        &[
            Phase::Import,
            Phase::Sync,
            Phase::Wait,
            Phase::FullText,
            Phase::Chunk,
            Phase::Embed,
            Phase::Triage,
            Phase::Evaluate,
        ],
    );
    same_variants(
        "Code",
        &[
            Code::NotFound,
            Code::InvalidInput,
            Code::Busy,
            Code::Io,
            Code::Corrupt,
            Code::NewerCasebook,
            Code::Cancelled,
            Code::Authentication,
            Code::RateLimited,
            Code::Network,
            Code::ModelUnavailable,
            Code::Internal,
        ],
    );
}

// Each value is written out in full: a new field of the engine does not compile here until the front end knows it.

fn hit() -> Hit {
    Hit {
        key: String::new(),
        kind: DocKind::Issue,
        source: String::new(),
        number: None,
        title: vec![span()],
        url: None,
        state: None,
        state_reason: None,
        author: None,
        labels: Vec::new(),
        created_at: None,
        updated_at: None,
        closed_at: None,
        comments: 0,
        passages: vec![passage()],
        scores: Scores { bm25: None, cosine: None, signature: None, fused: 0.0 },
        why: String::new(),
        trace: Some(vec![contribution()]),
    }
}

fn span() -> Span {
    Span { text: String::new(), hit: false }
}

fn passage() -> Passage {
    Passage {
        part: Part::Body,
        anchor: String::new(),
        author: None,
        created_at: None,
        spans: vec![span()],
        code: false,
        cosine: None,
    }
}

fn contribution() -> Contribution {
    Contribution { arm: Arm::Lexical, rank: 1, score: 0.0, weight: 0.0, adds: 0.0 }
}

fn coverage() -> Coverage {
    Coverage { documents: 0, full_text: 0, chunks: 0, embedded: 0 }
}

#[test]
fn searches() {
    same_members(
        "SearchRequest",
        SearchRequest { query: String::new(), limit: 0, mode: None, explain: false },
    );
    same_members("Span", span());
    same_members("Passage", passage());
    same_members("Scores", hit().scores);
    same_members("Contribution", contribution());
    same_members("Hit", hit());
    same_members("Coverage", coverage());
    let response = SearchResponse {
        query: String::new(),
        mode: Mode::Hybrid,
        arms: Vec::new(),
        notices: vec![Notice { lack: Lack::Model, text: String::new() }],
        coverage: coverage(),
        hits: vec![hit()],
        took_ms: 0.0,
    };
    same_members("Notice", &response.notices[0]);
    same_members("SearchResponse", response);
}

#[test]
fn threads() {
    let comment = ThreadComment {
        anchor: String::new(),
        author: None,
        bot: false,
        association: None,
        created_at: jiff::Timestamp::UNIX_EPOCH,
        updated_at: None,
        url: None,
        markdown: String::new(),
        html: String::new(),
    };
    same_members("ThreadComment", &comment);
    let link = LinkView {
        kind: String::new(),
        outgoing: true,
        key: String::new(),
        document: None,
        title: None,
        state: None,
    };
    same_members("LinkView", &link);
    let thread = Thread {
        key: String::new(),
        kind: DocKind::Issue,
        source: String::new(),
        number: None,
        title: String::new(),
        url: None,
        state: None,
        state_reason: None,
        author: None,
        association: None,
        labels: Vec::new(),
        milestone: None,
        locked: false,
        created_at: None,
        updated_at: None,
        closed_at: None,
        deleted_at: None,
        markdown: String::new(),
        html: String::new(),
        comments: vec![comment],
        missing_comments: 0,
        links: vec![link],
    };
    same_members("Thread", thread);
}

#[test]
fn the_casebook() {
    let source = SourceView {
        key: String::new(),
        kind: String::new(),
        added_at: jiff::Timestamp::UNIX_EPOCH,
        changed_at: None,
        issues: 0,
        pull_requests: 0,
        comments: 0,
        pages: 0,
        missing_comments: 0,
        orphan_comments: 0,
    };
    same_members("SourceView", &source);
    let model = ModelStatus { name: None, problem: None };
    same_members("ModelStatus", &model);
    let status = Status {
        casebook: String::new(),
        sources: vec![source],
        coverage: coverage(),
        model,
        database_bytes: 0,
        full_text_bytes: 0,
        vector_bytes: 0,
    };
    same_members("Status", status);
}

#[test]
fn jobs_and_errors() {
    let skip = Skip { place: String::new(), reason: String::new() };
    same_members("Skip", &skip);
    let import = ImportReport {
        source: String::new(),
        files: 0,
        new: 0,
        updated: 0,
        unchanged: 0,
        stale: 0,
        skipped: 0,
        skips: vec![skip],
        items: 0,
        comments: 0,
        pages: 0,
    };
    same_members("ImportReport", import);
    let index = IndexReport {
        documents: 0,
        embedded: 0,
        full_text_seconds: 0.0,
        vector_seconds: 0.0,
        model_problem: None,
        busy_elsewhere: false,
    };
    same_members("IndexReport", index);
    same_members("Progress", Progress { phase: Phase::Import, done: 0, total: None, unit: "bytes" });
    same_members("Failure", Error::invalid("x"));
    same_members("Launch", Launch { version: "0", casebook: String::new(), sample: false });
}
