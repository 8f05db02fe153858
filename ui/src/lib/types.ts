// The engine's data as it arrives here: src/model.rs, src/task.rs and src/error.rs of the engine, name for name.
// A test of the desktop package (src-tauri/tests/types.rs) compares every name in this file with what the engine sends.

/** RFC 3339, UTC. */
export type Timestamp = string;

export type DocKind = "issue" | "pull_request" | "page";
export type State = "open" | "closed" | "merged";
export type Mode = "hybrid" | "lexical" | "semantic";
export type Arm = "lexical" | "semantic" | "signature";
export type Part = "body" | "comment";
export type Phase = "import" | "sync" | "wait" | "full_text" | "chunk" | "embed" | "triage" | "evaluate";
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
  limit: number;
  mode: Mode | null;
  explain: boolean;
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
}

export type Lack = "full_text" | "some_vectors" | "all_vectors" | "model";

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
}

export interface Status {
  casebook: string;
  sources: SourceView[];
  coverage: Coverage;
  model: ModelStatus;
  database_bytes: number;
  full_text_bytes: number;
  vector_bytes: number;
}

export interface ModelStatus {
  name: string | null;
  problem: string | null;
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

/** How the program was started (src-tauri/src/commands.rs). */
export interface Launch {
  version: string;
  casebook: string;
  sample: boolean;
}
