//! Holds `ui/src/lib/types.ts` to what the engine really sends: every name of every type, in both directions.

use std::collections::BTreeSet;

use precedent_core::{
    Code, Error,
    model::*,
    task::{Phase, Progress},
};
use serde::Serialize;

use crate::{
    commands::{Catalog, CatalogModel, FileKind, Launch},
    desk::JobKind,
};

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
            Phase::Merge,
            Phase::Chunk,
            Phase::Embed,
            Phase::Download,
            Phase::Triage,
            Phase::Calibrate,
            Phase::Evaluate,
            Phase::Close,
        ],
    );
    same_variants("Band", &Band::ALL);
    same_variants("VerdictKind", &[VerdictKind::Duplicate, VerdictKind::Related, VerdictKind::NotDuplicate]);
    same_variants(
        "FactKind",
        &[
            FactKind::Code,
            FactKind::Failure,
            FactKind::Message,
            FactKind::Frame,
            FactKind::Version,
            FactKind::Identifier,
            FactKind::Label,
        ],
    );
    same_variants("MarkKind", &[MarkKind::Same, MarkKind::Differs, MarkKind::Word]);
    same_variants(
        "GapKind",
        &[
            GapKind::NeverSynced,
            GapKind::Ended,
            GapKind::Unfinished,
            GapKind::Refused,
            GapKind::Unreadable,
            GapKind::MissingComments,
            GapKind::OrphanComments,
            GapKind::Deletions,
            GapKind::Links,
            GapKind::Wiki,
            GapKind::LeftOut,
            GapKind::Untrusted,
        ],
    );
    same_variants(
        "JobKind",
        &[
            JobKind::Import,
            JobKind::Index,
            JobKind::Sync,
            JobKind::Triage,
            JobKind::Calibrate,
            JobKind::Remove,
            JobKind::Model,
            JobKind::Close,
        ],
    );
    same_variants("NoteKind", &NoteKind::ALL);
    same_variants("Lifecycle", &[Lifecycle::Active, Lifecycle::Archived]);
    same_variants(
        "Recommendation",
        &[Recommendation::DuplicateFound, Recommendation::SimilarFound, Recommendation::Unique],
    );
    same_variants("NoteOutcome", &[NoteOutcome::Stored, NoteOutcome::Connected, NoteOutcome::Duplicate]);
    same_variants("CaseRelation", &[CaseRelation::Itself, CaseRelation::Canonical]);
    same_variants(
        "CommentRole",
        &[
            CommentRole::Fix,
            CommentRole::Workaround,
            CommentRole::ClosingNote,
            CommentRole::Reproduction,
            CommentRole::Confirmation,
            CommentRole::Noise,
        ],
    );
    same_variants(
        "TroubleshootOutcome",
        &[TroubleshootOutcome::Solved, TroubleshootOutcome::Wiki, TroubleshootOutcome::Nothing],
    );
    same_variants("SectionKind", &SectionKind::ALL);
    same_variants(
        "BriefFormat",
        &[BriefFormat::Markdown, BriefFormat::Html, BriefFormat::Pdf, BriefFormat::Json],
    );
    same_variants(
        "ClosureStep",
        &[ClosureStep::Commenting, ClosureStep::Commented, ClosureStep::Closed, ClosureStep::Refused],
    );
    same_variants("FileKind", &[FileKind::Github, FileKind::Wiki]);
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
    Coverage { documents: 0, full_text: 0, chunks: 0, embedded: 0, unread: 0 }
}

#[test]
fn searches() {
    same_members(
        "SearchRequest",
        SearchRequest {
            query: String::new(),
            filters: String::new(),
            limit: 0,
            offset: 0,
            mode: None,
            explain: false,
            titles: false,
        },
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
        total: None,
        took_ms: 0.0,
    };
    same_members("Notice", &response.notices[0]);
    same_members("SearchResponse", response);
}

fn thread() -> Thread {
    Thread {
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
        comments: Vec::new(),
        missing_comments: 0,
        links: Vec::new(),
    }
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
    same_members("Thread", thread());
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
        known_duplicates: 0,
        calibrated_on: None,
    };
    same_members("SourceView", &source);
    let next = NextModel { name: String::new(), chunks: 0, embedded: 0 };
    same_members("NextModel", &next);
    let model = ModelStatus { name: None, problem: None, next: Some(next) };
    same_members("ModelStatus", &model);
    let view = ModelView {
        name: String::new(),
        answers: true,
        next: false,
        dimensions: None,
        max_tokens: None,
        bytes: None,
        embedded: 0,
        vector_bytes: 0,
        problem: None,
    };
    same_members("ModelView", view);
    let entry = CatalogModel { name: String::new(), dimensions: 0, description: String::new() };
    same_members("CatalogModel", &entry);
    same_members("Catalog", Catalog { host: String::new(), models: vec![entry] });
    let status = Status {
        casebook: String::new(),
        sources: vec![source],
        coverage: coverage(),
        model,
        database_bytes: 0,
        full_text_bytes: 0,
        vector_bytes: 0,
        read_only: None,
    };
    same_members("Status", status);
}

fn candidate() -> DuplicateCandidate {
    DuplicateCandidate {
        key: String::new(),
        number: None,
        title: String::new(),
        url: None,
        state: None,
        state_reason: None,
        created_at: None,
        similarity: Similarity { title: 0.0, body: 0.0, semantic: None, combined: 0.0 },
        confidence: 0.0,
        worth: 0.0,
        band: Band::None,
        outcome: Some(Outcome { read: 0, same: 0, related: 0 }),
        disposition: Disposition::Open,
        canonical: None,
        reasons: Vec::new(),
        verdict: None,
        trace: Some(vec![Evidence { feature: String::new(), value: 0.0, weight: 0.0, adds: 0.0 }]),
    }
}

#[test]
fn duplicates() {
    same_members(
        "DuplicatesRequest",
        DuplicatesRequest {
            key: None,
            title: String::new(),
            body: String::new(),
            source: None,
            everywhere: false,
            threshold: 0.0,
            max_candidates: 0,
            include_closed: false,
            explain: false,
        },
    );
    same_members("Similarity", candidate().similarity);
    same_members("Evidence", &candidate().trace.unwrap()[0]);
    same_members("Outcome", candidate().outcome.unwrap());
    same_members("DuplicateCandidate", candidate());
    let known = KnownDuplicate::default();
    same_members("KnownDuplicate", &known);
    let response = DuplicatesResponse {
        key: None,
        known: Some(known),
        band: Band::None,
        candidates: vec![candidate()],
        compared: 0,
        calibrated_on: 0,
        rejected: Vec::new(),
        circle: Vec::new(),
        notices: Vec::new(),
        took_ms: 0.0,
    };
    same_members("DuplicatesResponse", response);
    let sent = |d: Disposition| serde_json::to_string(&d).unwrap();
    assert_eq!(sent(Disposition::Open), "\"open\"");
    assert_eq!(sent(Disposition::Declined), "\"declined\"");
    assert_eq!(sent(Disposition::Duplicate), "\"duplicate\"");
    assert_eq!(sent(Disposition::Fixed(Some("1".into()))), r#"{"fixed":"1"}"#);
    assert_eq!(sent(Disposition::PossibleRegression(None)), r#"{"possible_regression":null}"#);
}

#[test]
fn triage() {
    same_members(
        "TriageRequest",
        TriageRequest {
            source: None,
            include_closed: false,
            rescan: false,
            queue_only: false,
            band: Band::None,
            limit: 0,
        },
    );
    let item = TriageItem {
        key: String::new(),
        title: String::new(),
        url: None,
        created_at: None,
        candidate: candidate(),
    };
    same_members("TriageItem", &item);
    let response = TriageResponse {
        scanned: 0,
        unscanned: 0,
        waiting: 0,
        queue: vec![item.clone()],
        expected: 0.0,
        related: vec![item],
        related_waiting: 0,
        closed_left_out: 0,
        notices: Vec::new(),
        took_ms: 0.0,
    };
    same_members("TriageResponse", response);
    let fact = Fact { kind: FactKind::Code, shared: Vec::new(), report: Vec::new(), candidate: Vec::new() };
    same_members("Fact", &fact);
    same_members("Mark", Mark { text: String::new(), kind: MarkKind::Same });
    let comparison = Comparison {
        report: thread(),
        candidate: thread(),
        facts: vec![fact],
        report_marks: Vec::new(),
        candidate_marks: Vec::new(),
    };
    same_members("Comparison", comparison);
    let verdict = Verdict {
        first: String::new(),
        second: String::new(),
        kind: VerdictKind::Related,
        canonical: None,
        reason: None,
        actor: String::new(),
        decided_at: jiff::Timestamp::UNIX_EPOCH,
    };
    same_members("Verdict", verdict);
    let figures =
        ThresholdFigures { threshold: 0.0, answers: 0, precision: None, low: 0.0, high: 0.0, recall: 0.0 };
    same_members("ThresholdFigures", figures);
    let order = OrderFigures { found_first: 0.0, found_in_ten: 0.0, mrr: 0.0 };
    same_members("OrderFigures", order);
    let report = CalibrationReport {
        source: String::new(),
        issues: 0,
        labels: 0,
        kept: false,
        found_first: 0.0,
        found_in_ten: 0.0,
        built_in: Some(order),
        own: Some(order),
        thresholds: vec![figures],
    };
    same_members("CalibrationReport", report);
}

#[test]
fn mirrors() {
    let gap = Gap { kind: GapKind::Wiki, text: String::new() };
    same_members("Gap", &gap);
    let stream = StreamView {
        name: String::new(),
        watermark: None,
        finished_at: None,
        pages: 0,
        unreadable: 0,
        refused: None,
    };
    same_members("StreamView", &stream);
    let progress = SyncProgress {
        phase: String::new(),
        done: 0,
        total: None,
        unit: String::new(),
        started_at: jiff::Timestamp::UNIX_EPOCH,
        told_at: jiff::Timestamp::UNIX_EPOCH,
    };
    same_members("SyncProgress", &progress);
    let mirror = MirrorView {
        source: String::new(),
        host: String::new(),
        project: String::new(),
        running: false,
        progress: Some(progress),
        synced_at: None,
        swept_at: None,
        streams: vec![stream],
        gaps: vec![gap],
    };
    same_members("MirrorView", mirror);
    same_members("NewMirror", NewMirror::default());
    let report = SyncReport {
        source: String::new(),
        new: 0,
        updated: 0,
        unchanged: 0,
        stale: 0,
        skipped: 0,
        skips: Vec::new(),
        items: 0,
        comments: 0,
        wiki_pages: 0,
        gone: 0,
        pages: 0,
        requests: 0,
        seconds: 0,
        renamed_to: None,
        problem: Some(Problem { code: Code::Io, message: String::new(), hint: None }),
        gaps: Vec::new(),
    };
    same_members("Failure", report.problem.as_ref().unwrap());
    same_members("SyncReport", report);
    let project = Project {
        name: String::new(),
        remote_id: None,
        private: false,
        wiki: false,
        issues: false,
        archived: false,
    };
    same_members("Project", &project);
    let access =
        Access { project, user: None, remaining: None, limit: None, resets_at: None, refused: Vec::new() };
    same_members("Access", access);
    let host = HostView { host: String::new(), address: String::new(), sources: Vec::new(), token: None };
    same_members("HostView", host);
}

#[test]
fn numbers() {
    let member = ClusterMember {
        key: String::new(),
        title: String::new(),
        url: None,
        open: true,
        created_at: None,
        known: true,
        confidence: 1.0,
        via: None,
    };
    same_members("ClusterMember", &member);
    let month = ClusterMonth { month: String::new(), reports: 0 };
    same_members("ClusterMonth", &month);
    let cluster = Cluster {
        head: member,
        members: Vec::new(),
        size: 1,
        open: 1,
        words: Vec::new(),
        months: vec![month],
        recent: 0,
        before: 0,
    };
    same_members("Cluster", &cluster);
    let response =
        ClustersResponse { clusters: vec![cluster], total: 1, open: 1, unscanned: 0, took_ms: 0.0 };
    same_members("ClustersResponse", response);
    same_members("ClustersRequest", ClustersRequest::default());
    let month = MonthVolume { month: String::new(), opened: 0, closed: 0, duplicates: 0 };
    same_members("MonthVolume", &month);
    let source = SourceVolume { source: String::new(), issues: 0, open: 0, duplicates: 0, median_days: None };
    same_members("SourceVolume", &source);
    same_members("Insights", Insights { months: vec![month], sources: vec![source] });
}

#[test]
fn solved_cases() {
    same_members("TroubleshootRequest", TroubleshootRequest::default());
    same_members("TroubleshootSettings", TroubleshootSettings::default());
    let comment = CaseComment {
        anchor: String::new(),
        author: None,
        association: None,
        role: None,
        created_at: jiff::Timestamp::UNIX_EPOCH,
        url: None,
        text: String::new(),
        excerpt: false,
    };
    same_members("CaseComment", &comment);
    let named = Named { key: String::new(), title: String::new(), url: None };
    same_members("Named", &named);
    let case = SolvedCase {
        key: String::new(),
        citation: String::new(),
        kind: DocKind::Issue,
        title: String::new(),
        url: None,
        state: None,
        state_reason: None,
        closed_at: None,
        relation: None,
        via: None,
        helps: 0.0,
        similarity: None,
        words: 0.0,
        same_signature: false,
        fixed_by: vec![named],
        reported_on: Vec::new(),
        fixed_in: None,
        body: String::new(),
        body_excerpt: false,
        comments: vec![comment],
        omitted: 0,
        fix: None,
        chars: 0,
    };
    same_members("SolvedCase", &case);
    let near = NearCase {
        key: String::new(),
        citation: String::new(),
        title: String::new(),
        url: None,
        state: None,
        state_reason: None,
        declined: false,
        helps: 0.0,
    };
    same_members("NearCase", &near);
    let passage = WikiPassage {
        key: String::new(),
        citation: String::new(),
        title: String::new(),
        url: None,
        similarity: None,
        text: String::new(),
    };
    same_members("WikiPassage", &passage);
    let response = TroubleshootResponse {
        key: None,
        outcome: TroubleshootOutcome::Solved,
        cases: vec![case],
        near: vec![near],
        wiki: vec![passage],
        settings: TroubleshootSettings::default(),
        notices: Vec::new(),
        took_ms: 0.0,
    };
    same_members("TroubleshootResponse", response);
}

#[test]
fn notes() {
    let draft = NoteDraft {
        kind: NoteKind::Lesson,
        title: String::new(),
        body: String::new(),
        tags: Vec::new(),
        attach: Vec::new(),
        force: false,
    };
    same_members("NoteDraft", draft);
    same_members("NoteChange", NoteChange::default());
    let note = Note {
        key: String::new(),
        kind: NoteKind::Lesson,
        title: String::new(),
        body: String::new(),
        tags: Vec::new(),
        lifecycle: Lifecycle::Active,
        connected: Vec::new(),
        created_at: jiff::Timestamp::UNIX_EPOCH,
        updated_at: jiff::Timestamp::UNIX_EPOCH,
    };
    same_members("Note", &note);
    let similar = NoteMatch {
        id: String::new(),
        title: String::new(),
        kind: NoteKind::Lesson,
        lifecycle: Lifecycle::Active,
        similarity: 0.0,
        exact: false,
        differs: Vec::new(),
    };
    same_members("NoteMatch", &similar);
    same_members(
        "SimilarNotes",
        SimilarNotes { matches: Vec::new(), recommendation: Recommendation::Unique, warning: None },
    );
    let answer = NoteAnswer { outcome: NoteOutcome::Stored, note, matches: vec![similar], warning: None };
    same_members("NoteAnswer", answer);
}

#[test]
fn briefs() {
    let request = BriefRequest {
        leave_out: vec![String::new()],
        redact_links: true,
        keep: vec![String::new()],
        ..BriefRequest::default()
    };
    same_members("BriefRequest", &request);
    let citation = Citation { label: String::new(), key: String::new(), url: None };
    same_members("Citation", &citation);
    let quote = Quote { author: None, role: None, day: None, text: String::new(), excerpt: false };
    same_members("Quote", &quote);
    let entry = Entry { heading: None, text: None, quote: Some(quote), citations: vec![citation] };
    same_members("Entry", &entry);
    let section = Section { kind: SectionKind::Problem, title: String::new(), entries: vec![entry] };
    same_members("Section", &section);
    let source = BriefSource {
        citation: String::new(),
        key: String::new(),
        title: String::new(),
        url: None,
        state: None,
        state_reason: None,
        updated_at: None,
        comments: 0,
    };
    same_members("BriefSource", &source);
    let redaction = Redaction { kind: String::new(), pseudonym: String::new(), count: 0 };
    same_members("Redaction", &redaction);
    let preview = RedactionPreview {
        kind: String::new(),
        original: String::new(),
        pseudonym: String::new(),
        count: 0,
        sure: true,
    };
    same_members("RedactionPreview", preview);
    let record =
        BriefRecord { version: 0, request, revision: 0, as_of: None, model: None, sources: vec![source] };
    same_members("BriefRecord", &record);
    let brief = Brief { title: String::new(), sections: vec![section], redactions: vec![redaction], record };
    same_members("Brief", brief);
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
        undated: 0,
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
        calibrated: Vec::new(),
    };
    same_members("IndexReport", index);
    same_members("Progress", Progress { phase: Phase::Import, done: 0, total: None, unit: "bytes" });
    same_members("Failure", Error::invalid("x"));
    let launch = Launch { version: "0", casebook: String::new(), sample: false, wrong_settings: None };
    same_members("Launch", launch);
}

#[test]
fn closures() {
    let now = jiff::Timestamp::UNIX_EPOCH;
    let closure = Closure {
        key: String::new(),
        title: String::new(),
        source: String::new(),
        number: 0,
        canonical: String::new(),
        canonical_title: None,
        host: String::new(),
        actor: String::new(),
        decided_at: now,
        comment: String::new(),
        commands: Vec::new(),
        obstacle: None,
        step: None,
    };
    same_members("Closure", closure);
    let record = ClosureRecord {
        key: String::new(),
        canonical: String::new(),
        step: ClosureStep::Closed,
        comment_url: None,
        problem: None,
        actor: String::new(),
        began_at: now,
        changed_at: now,
    };
    same_members("ClosureRecord", &record);
    same_members("ClosureReport", ClosureReport { done: vec![record], problem: None });
}
