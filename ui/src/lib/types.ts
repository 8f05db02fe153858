// The engine's data as it arrives here: src/model/, src/task.rs and src/error.rs of the engine, name for name.
// A test of the desktop package (src-tauri/src/contract.rs) compares every name in this file with what the engine sends.

/** RFC 3339, UTC. */
export type Timestamp = string;

export type DocKind = "issue" | "pull_request" | "page" | "note";
export type State = "open" | "closed" | "merged";
export type Mode = "hybrid" | "lexical" | "semantic";
export type Arm = "lexical" | "semantic" | "signature";
export type Part = "body" | "comment";
export type Phase = "import" | "sync" | "wait" | "full_text" | "merge" | "chunk" | "embed" | "download" | "triage" | "calibrate" | "evaluate" | "close";
export type Code =
  | "not_found"
  | "invalid_input"
  | "busy"
  | "io"
  | "corrupt"
  | "newer_casebook"
  | "cancelled"
  | "authentication"
  | "rate_limited"
  | "network"
  | "model_unavailable"
  | "internal";

export interface SearchRequest {
  query: string;
  filters: string;
  limit: number;
  offset: number;
  mode: Mode | null;
  explain: boolean;
  titles: boolean;
}

export interface Span {
  text: string;
  hit: boolean;
}

export interface Passage {
  part: Part;
  anchor: string;
  author: string | null;
  created_at: Timestamp | null;
  spans: Span[];
  code: boolean;
  cosine: number | null;
}

export interface Scores {
  bm25: number | null;
  cosine: number | null;
  signature: number | null;
  fused: number;
}

export interface Contribution {
  arm: Arm;
  rank: number;
  score: number;
  weight: number;
  adds: number;
}

export interface Hit {
  key: string;
  kind: DocKind;
  source: string;
  number: number | null;
  title: Span[];
  url: string | null;
  state: State | null;
  state_reason: string | null;
  author: string | null;
  labels: string[];
  created_at: Timestamp | null;
  updated_at: Timestamp | null;
  closed_at: Timestamp | null;
  comments: number;
  passages: Passage[];
  scores: Scores;
  why: string;
  trace?: Contribution[];
}

export interface Coverage {
  documents: number;
  full_text: number;
  chunks: number;
  embedded: number;
  unread: number;
}

export type Lack = "full_text" | "some_vectors" | "all_vectors" | "model" | "calibration" | "operators";

export interface Notice {
  lack: Lack;
  text: string;
}

export interface SearchResponse {
  query: string;
  mode: Mode;
  arms: Arm[];
  notices: Notice[];
  coverage: Coverage;
  hits: Hit[];
  total: number | null;
  took_ms: number;
}

export interface ThreadComment {
  anchor: string;
  author: string | null;
  bot: boolean;
  association: string | null;
  created_at: Timestamp;
  updated_at: Timestamp | null;
  url: string | null;
  markdown: string;
  html: string;
}

export interface LinkView {
  kind: string;
  outgoing: boolean;
  key: string;
  document: DocKind | null;
  title: string | null;
  state: State | null;
}

export interface Thread {
  key: string;
  kind: DocKind;
  source: string;
  number: number | null;
  title: string;
  url: string | null;
  state: State | null;
  state_reason: string | null;
  author: string | null;
  association: string | null;
  labels: string[];
  milestone: string | null;
  locked: boolean;
  created_at: Timestamp | null;
  updated_at: Timestamp | null;
  closed_at: Timestamp | null;
  deleted_at: Timestamp | null;
  markdown: string;
  html: string;
  comments: ThreadComment[];
  missing_comments: number;
  links: LinkView[];
}

export interface SourceView {
  key: string;
  kind: string;
  added_at: Timestamp;
  changed_at: Timestamp | null;
  issues: number;
  pull_requests: number;
  comments: number;
  pages: number;
  missing_comments: number;
  orphan_comments: number;
  known_duplicates: number;
  calibrated_on: number | null;
}

export interface Status {
  casebook: string;
  sources: SourceView[];
  coverage: Coverage;
  model: ModelStatus;
  database_bytes: number;
  full_text_bytes: number;
  vector_bytes: number;
  read_only: string | null;
}

export interface NextModel {
  name: string;
  chunks: number;
  embedded: number;
}

export interface ModelStatus {
  name: string | null;
  problem: string | null;
  next: NextModel | null;
}

/** A model that can answer, or could. */
export interface ModelView {
  name: string;
  answers: boolean;
  next: boolean;
  dimensions: number | null;
  max_tokens: number | null;
  bytes: number | null;
  embedded: number;
  vector_bytes: number;
  problem: string | null;
}

/** What can be installed by name (src-tauri/src/commands/models.rs). */
export interface Catalog {
  host: string;
  models: CatalogModel[];
}

export interface CatalogModel {
  name: string;
  dimensions: number;
  description: string;
}

export interface Skip {
  place: string;
  reason: string;
}

export interface ImportReport {
  source: string;
  files: number;
  new: number;
  updated: number;
  undated: number;
  unchanged: number;
  stale: number;
  skipped: number;
  skips: Skip[];
  items: number;
  comments: number;
  pages: number;
}

export interface IndexReport {
  documents: number;
  embedded: number;
  full_text_seconds: number;
  vector_seconds: number;
  model_problem: string | null;
  busy_elsewhere: boolean;
  calibrated: CalibrationReport[];
}

export interface Progress {
  phase: Phase;
  done: number;
  total: number | null;
  unit: string;
}

export interface Failure {
  code: Code;
  message: string;
  hint: string | null;
}

export type Band = "high" | "likely" | "possible" | "related" | "none";
export type VerdictKind = "duplicate" | "related" | "not_duplicate";

export interface Verdict {
  first: string;
  second: string;
  kind: VerdictKind;
  canonical: string | null;
  reason: string | null;
  actor: string;
  decided_at: Timestamp;
}

export interface TriageRequest {
  source: string | null;
  include_closed: boolean;
  rescan: boolean;
  queue_only: boolean;
  band: Band;
  limit: number;
}

export interface TriageItem {
  key: string;
  title: string;
  url: string | null;
  created_at: Timestamp | null;
  candidate: DuplicateCandidate;
}

export interface TriageResponse {
  scanned: number;
  unscanned: number;
  waiting: number;
  queue: TriageItem[];
  expected: number;
  related: TriageItem[];
  related_waiting: number;
  closed_left_out: number;
  notices: Notice[];
  took_ms: number;
}

export interface DuplicatesRequest {
  key: string | null;
  title: string;
  body: string;
  source: string | null;
  everywhere: boolean;
  threshold: number;
  max_candidates: number;
  include_closed: boolean;
  explain: boolean;
}

export interface Similarity {
  title: number;
  body: number;
  semantic: number | null;
  combined: number;
}

export type Disposition =
  | "open"
  | "declined"
  | "duplicate"
  | { fixed: string | null }
  | { possible_regression: string | null };

/** What became of answers that were as sure as one. */
export interface Outcome {
  read: number;
  same: number;
  related: number;
}

export interface DuplicateCandidate {
  key: string;
  number: number | null;
  title: string;
  url: string | null;
  state: State | null;
  state_reason: string | null;
  created_at: Timestamp | null;
  similarity: Similarity;
  confidence: number;
  worth: number;
  band: Band;
  outcome: Outcome | null;
  disposition: Disposition;
  canonical: string | null;
  reasons: string[];
  verdict: VerdictKind | null;
  trace?: Evidence[];
}

export interface Evidence {
  feature: string;
  value: number;
  weight: number;
  adds: number;
}

export interface KnownDuplicate {
  key: string;
  kind: DocKind | null;
  title: string | null;
  url: string | null;
  state: State | null;
  state_reason: string | null;
  disposition: Disposition | null;
}

export interface DuplicatesResponse {
  key: string | null;
  known: KnownDuplicate | null;
  band: Band;
  candidates: DuplicateCandidate[];
  compared: number;
  calibrated_on: number;
  rejected: string[];
  circle: string[];
  notices: Notice[];
  took_ms: number;
}

export type FactKind = "code" | "failure" | "message" | "frame" | "identifier" | "version" | "label";
export type MarkKind = "same" | "differs" | "word";

export interface Fact {
  kind: FactKind;
  shared: string[];
  report: string[];
  candidate: string[];
}

export interface Mark {
  text: string;
  kind: MarkKind;
}

export interface Comparison {
  report: Thread;
  candidate: Thread;
  facts: Fact[];
  report_marks: Mark[];
  candidate_marks: Mark[];
}

export type GapKind =
  | "untrusted"
  | "never_synced"
  | "ended"
  | "unfinished"
  | "refused"
  | "unreadable"
  | "missing_comments"
  | "orphan_comments"
  | "deletions"
  | "links"
  | "wiki"
  | "left_out";

export interface Gap {
  kind: GapKind;
  text: string;
}

export interface StreamView {
  name: string;
  watermark: Timestamp | null;
  finished_at: Timestamp | null;
  pages: number;
  unreadable: number;
  refused: string | null;
}

export interface SyncProgress {
  phase: string;
  done: number;
  total: number | null;
  unit: string;
  started_at: Timestamp;
  told_at: Timestamp;
}

export interface MirrorView {
  source: string;
  host: string;
  project: string;
  running: boolean;
  progress: SyncProgress | null;
  synced_at: Timestamp | null;
  swept_at: Timestamp | null;
  streams: StreamView[];
  gaps: Gap[];
}

export interface NewMirror {
  tracker: string;
  place: string;
  host: string | null;
  key: string | null;
  wiki: boolean;
}

export interface SyncReport {
  source: string;
  new: number;
  updated: number;
  unchanged: number;
  stale: number;
  skipped: number;
  skips: Skip[];
  items: number;
  comments: number;
  wiki_pages: number;
  gone: number;
  pages: number;
  requests: number;
  seconds: number;
  renamed_to: string | null;
  problem: Failure | null;
  gaps: Gap[];
}

export interface Project {
  name: string;
  remote_id: string | null;
  private: boolean;
  wiki: boolean;
  issues: boolean;
  archived: boolean;
}

export interface Access {
  project: Project;
  user: string | null;
  remaining: number | null;
  limit: number | null;
  resets_at: Timestamp | null;
  refused: string[];
}

export interface HostView {
  host: string;
  address: string;
  sources: string[];
  token: string | null;
}

export interface CalibrationReport {
  source: string;
  issues: number;
  labels: number;
  kept: boolean;
  found_first: number;
  found_in_ten: number;
  built_in: OrderFigures | null;
  own: OrderFigures | null;
  thresholds: ThresholdFigures[];
}

export interface OrderFigures {
  found_first: number;
  found_in_ten: number;
  mrr: number;
}

export interface ThresholdFigures {
  threshold: number;
  answers: number;
  precision: number | null;
  low: number;
  high: number;
  recall: number;
}

export interface MonthVolume {
  month: string;
  opened: number;
  closed: number;
  duplicates: number;
}

export interface SourceVolume {
  source: string;
  issues: number;
  open: number;
  duplicates: number;
  median_days: number | null;
}

export interface ClustersRequest {
  source: string | null;
  threshold: number;
  min_size: number;
  limit: number;
}

export interface ClusterMember {
  key: string;
  title: string;
  url: string | null;
  open: boolean;
  created_at: string | null;
  known: boolean;
  confidence: number;
  via: string | null;
}

export interface ClusterMonth {
  month: string;
  reports: number;
}

export interface Cluster {
  head: ClusterMember;
  members: ClusterMember[];
  size: number;
  open: number;
  words: string[];
  months: ClusterMonth[];
  recent: number;
  before: number;
}

export interface ClustersResponse {
  clusters: Cluster[];
  total: number;
  open: number;
  unscanned: number;
  took_ms: number;
}

export interface Insights {
  months: MonthVolume[];
  sources: SourceVolume[];
}

export interface TroubleshootSettings {
  enabled: boolean;
  similarity_threshold: number | null;
  max_results: number;
  total_budget_chars: number;
}

export interface TroubleshootRequest {
  key: string | null;
  text: string;
  source: string | null;
  anyway: boolean;
  settings: TroubleshootSettings;
}

export type CaseRelation = "itself" | "canonical";
export type CommentRole = "fix" | "workaround" | "closing_note" | "reproduction" | "confirmation" | "noise";

export interface CaseComment {
  anchor: string;
  author: string | null;
  association: string | null;
  role: CommentRole | null;
  created_at: Timestamp;
  url: string | null;
  text: string;
  excerpt: boolean;
}

export interface Named {
  key: string;
  title: string;
  url: string | null;
}

export interface SolvedCase {
  key: string;
  citation: string;
  kind: DocKind;
  title: string;
  url: string | null;
  state: State | null;
  state_reason: string | null;
  closed_at: Timestamp | null;
  relation: CaseRelation | null;
  via: string | null;
  helps: number;
  similarity: number | null;
  words: number;
  same_signature: boolean;
  fixed_by: Named[];
  reported_on: string[];
  fixed_in: string | null;
  body: string;
  body_excerpt: boolean;
  comments: CaseComment[];
  omitted: number;
  fix: string | null;
  chars: number;
}

export interface WikiPassage {
  key: string;
  citation: string;
  title: string;
  url: string | null;
  similarity: number | null;
  text: string;
}

export type TroubleshootOutcome = "solved" | "wiki" | "nothing";

export interface NearCase {
  key: string;
  citation: string;
  title: string;
  url: string | null;
  state: State | null;
  state_reason: string | null;
  declined: boolean;
  helps: number;
}
export interface TroubleshootResponse {
  key: string | null;
  outcome: TroubleshootOutcome;
  cases: SolvedCase[];
  near: NearCase[];
  wiki: WikiPassage[];
  settings: TroubleshootSettings;
  notices: Notice[];
  took_ms: number;
}

export type NoteKind = "lesson" | "curiosity" | "thesis" | "signal" | "episode" | "watchpoint" | "summary";
export type Lifecycle = "active" | "archived";
export type Recommendation = "duplicate_found" | "similar_found" | "unique";
export type NoteOutcome = "stored" | "connected" | "duplicate";

export interface NoteDraft {
  kind: NoteKind;
  title: string;
  body: string;
  tags: string[];
  attach: string[];
  force: boolean;
}

export interface NoteChange {
  title: string | null;
  body: string | null;
  tags: string[] | null;
  lifecycle: Lifecycle | null;
  attach: string[];
}

export interface Note {
  key: string;
  kind: NoteKind;
  title: string;
  body: string;
  tags: string[];
  lifecycle: Lifecycle;
  connected: string[];
  created_at: Timestamp;
  updated_at: Timestamp;
}

export interface NoteMatch {
  id: string;
  title: string;
  kind: NoteKind;
  lifecycle: Lifecycle;
  similarity: number;
  exact: boolean;
  differs: string[];
}

export interface SimilarNotes {
  matches: NoteMatch[];
  recommendation: Recommendation;
  warning: string | null;
}

export interface NoteAnswer {
  outcome: NoteOutcome;
  note: Note;
  matches: NoteMatch[];
  warning: string | null;
}

export type SectionKind = "problem" | "duplicates" | "cases" | "wiki" | "versions" | "people" | "questions" | "notes";
export type BriefFormat = "markdown" | "html" | "pdf" | "json";

export interface BriefRequest {
  key: string | null;
  text: string;
  source: string | null;
  without: SectionKind[];
  leave_out: string[];
  redact: boolean;
  redact_links: boolean;
  keep: string[];
  notes: boolean;
  troubleshooting: TroubleshootSettings;
}

export interface Citation {
  label: string;
  key: string;
  url: string | null;
}

export interface Quote {
  author: string | null;
  role: string | null;
  day: string | null;
  text: string;
  excerpt: boolean;
}

export interface Entry {
  heading: string | null;
  text: string | null;
  quote: Quote | null;
  citations: Citation[];
}

export interface Section {
  kind: SectionKind;
  title: string;
  entries: Entry[];
}

export interface BriefSource {
  citation: string;
  key: string;
  title: string;
  url: string | null;
  state: State | null;
  state_reason: string | null;
  updated_at: Timestamp | null;
  comments: number;
}

export interface Redaction {
  kind: string;
  pseudonym: string;
  count: number;
}

export interface RedactionPreview {
  kind: string;
  original: string;
  pseudonym: string;
  count: number;
  sure: boolean;
}

export interface BriefRecord {
  version: number;
  request: BriefRequest;
  revision: number;
  as_of: Timestamp | null;
  model: string | null;
  sources: BriefSource[];
}

export interface Brief {
  title: string;
  sections: Section[];
  redactions: Redaction[];
  record: BriefRecord;
}

/** The long jobs (src-tauri/src/desk.rs); one of each kind may run. */
export type JobKind = "import" | "index" | "sync" | "triage" | "calibrate" | "remove" | "model" | "close";

export type ClosureStep = "commenting" | "commented" | "closed" | "refused";

/** An open report that was decided to be a duplicate, and what would be told to its tracker. */
export interface Closure {
  key: string;
  title: string;
  source: string;
  number: number;
  canonical: string;
  canonical_title: string | null;
  host: string;
  actor: string;
  decided_at: string;
  comment: string;
  commands: string[];
  obstacle: string | null;
  step: ClosureStep | null;
}

/** What was told to a tracker. */
export interface ClosureRecord {
  key: string;
  canonical: string;
  step: ClosureStep;
  comment_url: string | null;
  problem: string | null;
  actor: string;
  began_at: string;
  changed_at: string;
}

export interface ClosureReport {
  done: ClosureRecord[];
  problem: Failure | null;
}

/** What files hold (src-tauri/src/commands/sources.rs). */
export type FileKind = "github" | "wiki";

/** How the program was started (src-tauri/src/commands.rs). */
export interface Launch {
  version: string;
  casebook: string;
  sample: boolean;
  wrong_settings: Failure | null;
}
