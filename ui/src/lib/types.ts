// Made by `npm run contract` of contract.json, the engine's types as they are sent. Not written by hand.

/**
 * A way of finding documents; each ranks on a scale of its own.
 */
export type Arm = "lexical" | "semantic" | "signature";
/**
 * What is said of a pair of reports, by two calibrated statements: that they are the same problem, and that the earlier
 * one is worth reading (it is the same, or related). One vocabulary in every face.
 */
export type Band = "high" | "likely" | "possible" | "related" | "none";
/**
 * The parts of a brief, in the order in which they stand.
 */
export type SectionKind = "problem" | "log" | "duplicates" | "cases" | "wiki" | "versions" | "people" | "questions" | "notes";
/**
 * The state of an item. A pull request that was merged is [`State::Merged`], never [`State::Closed`].
 */
export type State = "open" | "closed" | "merged";
/**
 * How a brief is written.
 */
export type BriefFormat = "markdown" | "html" | "pdf" | "json";
/**
 * What a comment does in its thread, where it can be told.
 */
export type CommentRole = "fix" | "workaround" | "closing_note" | "reproduction" | "confirmation" | "denial" | "noise";
/**
 * Why a case is one without being near in meaning or words.
 */
export type CaseRelation = "itself" | "canonical";
/**
 * How far a report's closing came.
 */
export type ClosureStep = "commenting" | "commented" | "closed" | "refused";
/**
 * What a consumer can act on. A failure that nobody treats differently is [`Code::Internal`].
 */
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
/**
 * What kind of thing a document is.
 */
export type DocKind = "issue" | "pull_request" | "page" | "note";
/**
 * What a mark in a text says.
 */
export type MarkKind = "same" | "differs" | "word";
/**
 * What two reports are compared by.
 */
export type FactKind = "code" | "failure" | "message" | "frame" | "version" | "identifier" | "label";
/**
 * What became of a candidate.
 */
export type Disposition =
  | "open"
  | {
      fixed: string | null;
    }
  | "completed"
  | {
      possible_regression: string | null;
    }
  | "declined"
  | "duplicate";
/**
 * What happens to files over the window.
 */
export type Dropped =
  | {
      what: "over";
    }
  | {
      what: "away";
    }
  | {
      /**
       * Where they lie.
       */
      paths: string[];
      what: "files";
    };
/**
 * What a person can decide about a pair.
 */
export type VerdictKind = "duplicate" | "related" | "not_duplicate";
/**
 * What is wanting in an answer.
 */
export type Lack =
  "full_text" | "some_vectors" | "all_vectors" | "model" | "calibration" | "operators" | "item" | "elsewhere" | "closed";
/**
 * How much a finding matters.
 */
export type Severity = "notice" | "warning" | "error";
/**
 * What a mirror does not know, or may not.
 */
export type GapKind =
  | "untrusted"
  | "never_synced"
  | "ended"
  | "unfinished"
  | "refused"
  | "unreadable"
  | "future_dates"
  | "missing_comments"
  | "orphan_comments"
  | "deletions"
  | "links"
  | "wiki"
  | "left_out";
/**
 * Where in a document a passage stands.
 */
export type Part = "body" | "comment";
/**
 * The long jobs; one of each kind may run.
 */
export type JobKind = "import" | "index" | "sync" | "triage" | "calibrate" | "remove" | "model" | "close" | "logs" | "repair";
/**
 * Where a note is in its life.
 */
export type Lifecycle = "active" | "archived";
/**
 * How bad an event of a log is, the worst first.
 */
export type LogSeverity = "fatal" | "error" | "warning";
/**
 * What the casebook knows of an error.
 */
export type LogVerdict = "solved" | "known" | "perhaps" | "new";
/**
 * How a search ranks.
 */
export type Mode = "hybrid" | "lexical" | "semantic";
/**
 * What a note is.
 */
export type NoteKind = "lesson" | "curiosity" | "thesis" | "signal" | "episode" | "watchpoint" | "summary";
/**
 * What became of a note that was to be stored.
 */
export type NoteOutcome = "stored" | "connected" | "duplicate";
/**
 * The parts that long jobs consist of.
 */
export type Phase =
  | "import"
  | "sync"
  | "read"
  | "wait"
  | "full_text"
  | "merge"
  | "chunk"
  | "embed"
  | "download"
  | "triage"
  | "calibrate"
  | "evaluate"
  | "close";
/**
 * What the prompt wants shown in the main window.
 */
export type PromptTarget =
  | {
      /**
       * The comment to begin at, if not with the report.
       */
      anchor: string | null;
      /**
       * Its key.
       */
      key: string;
      view: "item";
    }
  | {
      /**
       * What is typed.
       */
      query: string;
      view: "search";
    }
  | {
      /**
       * The text.
       */
      text: string;
      view: "triage";
    }
  | {
      /**
       * The text.
       */
      text: string;
      view: "troubleshoot";
    }
  | {
      /**
       * The text.
       */
      text: string;
      view: "brief";
    };
/**
 * What to do about a note, after a look for the same.
 */
export type Recommendation = "duplicate_found" | "similar_found" | "unique";
/**
 * What looking for solved cases came to.
 */
export type TroubleshootOutcome = "solved" | "wiki" | "nothing";

/**
 * What an access can do.
 */
export interface Access {
  /**
   * Requests that a period allows.
   */
  limit: number | null;
  /**
   * The project.
   */
  project: Project;
  /**
   * What this access may not read, and why.
   */
  refused: string[];
  /**
   * Requests that are left in this period.
   */
  remaining: number | null;
  /**
   * When the next period begins.
   */
  resets_at: string | null;
  /**
   * Who the token belongs to; none without a token, and for tokens that are nobody's.
   */
  user: string | null;
}
/**
 * What a tracker says about a project.
 */
export interface Project {
  /**
   * Whether it is read-only.
   */
  archived: boolean;
  /**
   * Whether it keeps issues; one that does not may still have pull requests.
   */
  issues: boolean;
  /**
   * What it is called now.
   */
  name: string;
  /**
   * Whether others can see it.
   */
  private: boolean;
  /**
   * The tracker's own id.
   */
  remote_id: string | null;
  /**
   * Whether it has a wiki.
   */
  wiki: boolean;
}
/**
 * The version that a question names, beside the one that has a case's fix.
 */
export interface AskedVersion {
  /**
   * Whether it should have the fix. The failure may then be back, or be another one.
   */
  has_fix: boolean;
  /**
   * The newest version that the question names.
   */
  version: string;
}
/**
 * An assembled, cited answer.
 */
export interface Brief {
  /**
   * What it was made from.
   */
  record: BriefRecord;
  /**
   * What was replaced by pseudonyms.
   */
  redactions: Redaction[];
  /**
   * Its parts, in order; empty ones are left out.
   */
  sections: Section[];
  /**
   * Its title.
   */
  title: string;
}
/**
 * What a brief was made from: the same again gives the same bytes.
 */
export interface BriefRecord {
  /**
   * When the casebook's newest record last changed: the brief knows nothing later.
   */
  as_of: string | null;
  /**
   * The model that read the texts.
   */
  model: string | null;
  /**
   * What was asked for.
   */
  request: BriefRequest;
  /**
   * The casebook's revision.
   */
  revision: number;
  /**
   * What it rests on, in the order of citation.
   */
  sources: BriefSource[];
  /**
   * The form of this record.
   */
  version: number;
}
/**
 * What a brief is to be made of.
 */
export interface BriefRequest {
  /**
   * With `redact`: what stays, though it was recognised; as the preview writes it.
   */
  keep?: string[];
  /**
   * The item it is about; otherwise `text` is.
   */
  key: string | null;
  /**
   * Documents to leave out, by key: duplicates, solved cases and pages that do not belong.
   */
  leave_out?: string[];
  /**
   * Instead of a text: logs, support bundles and folders of them, by their paths on this machine.
   */
  logs?: string[];
  /**
   * Whether private notes that belong to the item go in.
   */
  notes: boolean;
  /**
   * Whether tokens, addresses, hosts and people get pseudonyms.
   */
  redact: boolean;
  /**
   * With `redact`: whether links to the tracker are taken out, too.
   */
  redact_links?: boolean;
  /**
   * Only this source.
   */
  source: string | null;
  /**
   * A question or a pasted report.
   */
  text: string;
  /**
   * How solved cases are looked for.
   */
  troubleshooting: TroubleshootSettings;
  /**
   * Parts to leave out.
   */
  without: SectionKind[];
}
/**
 * How solved cases are looked for.
 */
export interface TroubleshootSettings {
  /**
   * Whether to look at all.
   */
  enabled: boolean;
  /**
   * At most this many cases, 1..=10.
   */
  max_results: number;
  /**
   * How near in meaning a case has to be, 0..1, as a similarity (1 − distance); none stands for what the model's card
   * says.
   */
  similarity_threshold: number | null;
  /**
   * Characters (Unicode scalar values) of all threads together, 1,000..=50,000.
   */
  total_budget_chars: number;
}
/**
 * A document that a brief rests on, as it was then.
 */
export interface BriefSource {
  /**
   * How it is cited.
   */
  citation: string;
  /**
   * How many comments the mirror held.
   */
  comments: number;
  /**
   * Its key.
   */
  key: string;
  /**
   * Open, closed or merged.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure.
   */
  state_reason: string | null;
  /**
   * Its title.
   */
  title: string;
  /**
   * When it last changed.
   */
  updated_at: string | null;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * Something that was replaced by a pseudonym, without what it was.
 */
export interface Redaction {
  /**
   * How often.
   */
  count: number;
  /**
   * `token`, `email`, `address` (of a network), `host`, `link`, `user` (a login), `person`, `place`, `company`, `phone`,
   * `account`, `card`.
   */
  kind: string;
  /**
   * What stands there now.
   */
  pseudonym: string;
}
/**
 * A part of a brief.
 */
export interface Section {
  /**
   * What it says.
   */
  entries: Entry[];
  /**
   * Which one.
   */
  kind: SectionKind;
  /**
   * Its heading.
   */
  title: string;
}
/**
 * A statement of a brief, with what it rests on.
 */
export interface Entry {
  /**
   * What it rests on.
   */
  citations: Citation[];
  /**
   * A heading, where it begins something new.
   */
  heading: string | null;
  /**
   * Somebody's words.
   */
  quote: Quote | null;
  /**
   * What is stated.
   */
  text: string | null;
}
/**
 * What a statement rests on.
 */
export interface Citation {
  /**
   * The document's key.
   */
  key: string;
  /**
   * As it is printed: `[Issue acme/app#12]`.
   */
  label: string;
  /**
   * Where it lives on the web, down to the comment.
   */
  url: string | null;
}
/**
 * Somebody's words.
 */
export interface Quote {
  /**
   * Who wrote it.
   */
  author: string | null;
  /**
   * The day it was written.
   */
  day: string | null;
  /**
   * Whether there is more where it comes from.
   */
  excerpt: boolean;
  /**
   * What it does in its thread, in a word.
   */
  role: string | null;
  /**
   * The words, Markdown as written.
   */
  text: string;
}
/**
 * What a calibration found out.
 */
export interface CalibrationReport {
  /**
   * What the built-in order of candidates does; none with too few labels.
   */
  built_in: OrderFigures | null;
  /**
   * The share of them whose duplicate comes first, by the better of the two orders below.
   */
  found_first: number;
  /**
   * The share of them whose duplicate is among the first ten.
   */
  found_in_ten: number;
  /**
   * Its issues.
   */
  issues: number;
  /**
   * Whether the source has a calibration of its own now; with too few labels, or on a dry run, it has not.
   */
  kept: boolean;
  /**
   * Those with a known earlier duplicate.
   */
  labels: number;
  /**
   * What an order that was learnt from the labels does on those that it was not learnt from; none where they are too
   * few to learn from. It is used where its `mrr` is the higher one.
   */
  own: OrderFigures | null;
  /**
   * The source's key.
   */
  source: string;
  /**
   * Precision and recall of the first candidate, by threshold on the confidence.
   */
  thresholds: ThresholdFigures[];
}
/**
 * How good an order of candidates is, over reports with a known duplicate.
 */
export interface OrderFigures {
  /**
   * The share whose duplicate comes first.
   */
  found_first: number;
  /**
   * The share whose duplicate is among the first ten.
   */
  found_in_ten: number;
  /**
   * The mean of 1 / the place of the first duplicate (mean reciprocal rank).
   */
  mrr: number;
}
/**
 * How good first candidates of at least this confidence are, on reports that the curve was not fitted on.
 */
export interface ThresholdFigures {
  /**
   * How many answers that were asked for reach it.
   */
  answers: number;
  /**
   * The upper end.
   */
  high: number;
  /**
   * The lower end of its 95 % interval.
   */
  low: number;
  /**
   * The share that is right; none where no answer reaches it.
   */
  precision: number | null;
  /**
   * The share of all duplicates that is found so.
   */
  recall: number;
  /**
   * The confidence, 0..1.
   */
  threshold: number;
}
/**
 * A comment of a solved case.
 */
export interface CaseComment {
  /**
   * Its anchor in the thread: `comment-123`.
   */
  anchor: string;
  /**
   * The author's standing as the tracker says.
   */
  association: string | null;
  /**
   * Who wrote it.
   */
  author: string | null;
  /**
   * When it was written.
   */
  created_at: string;
  /**
   * Whether it says more than that.
   */
  excerpt: boolean;
  /**
   * What it does there.
   */
  role: CommentRole | null;
  /**
   * What it says, as written, without quotes of others.
   */
  text: string;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * What can be installed by name, and from where.
 */
export interface Catalog {
  /**
   * The host that a model is fetched from, once somebody installs one.
   */
  host: string;
  /**
   * The models, by name.
   */
  models: CatalogModel[];
}
/**
 * A model that can be installed by name.
 */
export interface CatalogModel {
  /**
   * What its makers say of it.
   */
  description: string;
  /**
   * Length of its vectors.
   */
  dimensions: number;
  /**
   * What it is called here.
   */
  name: string;
}
/**
 * An open report that a person decided to be a duplicate, and what is to be told to its tracker.
 */
export interface Closure {
  /**
   * Who decided.
   */
  actor: string;
  /**
   * The key of the report that stays, at the end of the chain.
   */
  canonical: string;
  /**
   * That one's title; none where it is not mirrored.
   */
  canonical_title: string | null;
  /**
   * Commands that do the same by hand.
   */
  commands: string[];
  /**
   * The comment, as it would be posted.
   */
  comment: string;
  /**
   * When.
   */
  decided_at: string;
  /**
   * The host that would be written to.
   */
  host: string;
  /**
   * The report's key.
   */
  key: string;
  /**
   * Its number there.
   */
  number: number;
  /**
   * Why it cannot be done from here, if it cannot.
   */
  obstacle: string | null;
  /**
   * The source that it is of.
   */
  source: string;
  /**
   * How far an earlier try came.
   */
  step: ClosureStep | null;
  /**
   * Its title.
   */
  title: string;
}
/**
 * An entry of the journal: what was told to a tracker.
 */
export interface ClosureRecord {
  /**
   * Who had it done.
   */
  actor: string;
  /**
   * When it was begun.
   */
  began_at: string;
  /**
   * The key of the report that stays.
   */
  canonical: string;
  /**
   * When it came this far.
   */
  changed_at: string;
  /**
   * Where the comment is.
   */
  comment_url: string | null;
  /**
   * The report's key.
   */
  key: string;
  /**
   * Why it was refused, or what was different.
   */
  problem: string | null;
  /**
   * How far it came.
   */
  step: ClosureStep;
}
/**
 * What closing reports came to.
 */
export interface ClosureReport {
  /**
   * What was done, in order.
   */
  done: ClosureRecord[];
  /**
   * What ended it early, if anything did; what was done until then stays done.
   */
  problem: Problem | null;
}
/**
 * An error as data.
 */
export interface Problem {
  /**
   * What a consumer can act on.
   */
  code: Code;
  /**
   * What to do about it.
   */
  hint: string | null;
  /**
   * What happened.
   */
  message: string;
}
/**
 * Reports that are known or thought to be one.
 */
export interface Cluster {
  /**
   * Reports of the 30 days before those.
   */
  before: number;
  /**
   * The report that stands for all: the one that stays where that is known, else the earliest.
   */
  head: ClusterMember;
  /**
   * The others, in the order in which they were made.
   */
  members: ClusterMember[];
  /**
   * Reports by month, from the first to the last, the last 24 at most.
   */
  months: ClusterMonth[];
  /**
   * Those that are open.
   */
  open: number;
  /**
   * Reports of the last 30 days.
   */
  recent: number;
  /**
   * Reports in all, the head included.
   */
  size: number;
  /**
   * Words that most of the titles share, the rarest first.
   */
  words: string[];
}
/**
 * A report of a cluster.
 */
export interface ClusterMember {
  /**
   * How sure it is that it is a duplicate of the head, 0..1: along a chain the product of its parts.
   */
  confidence: number;
  /**
   * When it was made.
   */
  created_at: string | null;
  /**
   * The report's key.
   */
  key: string;
  /**
   * Whether a person or the tracker says that it belongs here, or it is the head.
   */
  known: boolean;
  /**
   * Whether it is open.
   */
  open: boolean;
  /**
   * Its title.
   */
  title: string;
  /**
   * Where it lives on the web.
   */
  url: string | null;
  /**
   * The report that ties it to the cluster; none for the head.
   */
  via: string | null;
}
/**
 * How many of a cluster's reports were made in a month.
 */
export interface ClusterMonth {
  /**
   * `2026-03`.
   */
  month: string;
  /**
   * Reports that were made in it.
   */
  reports: number;
}
/**
 * A question for clusters.
 */
export interface ClustersRequest {
  /**
   * At most this many clusters; 0 stands for 20.
   */
  limit: number;
  /**
   * The fewest reports of a cluster that is shown.
   */
  min_size: number;
  /**
   * Only this source.
   */
  source: string | null;
  /**
   * The confidence that ties two reports together which nobody decided about, 0..1.
   */
  threshold: number;
}
/**
 * Clusters of a backlog.
 */
export interface ClustersResponse {
  /**
   * Those with an open report, the most open reports first; ties in the order of their heads' keys.
   */
  clusters: Cluster[];
  /**
   * Open reports in them.
   */
  open: number;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * How many there are in all.
   */
  total: number;
  /**
   * Open reports that are new or changed and were not checked, so that they may belong to one too.
   */
  unscanned: number;
}
/**
 * A column of a table.
 */
export interface ColumnView {
  /**
   * Its name.
   */
  column: string;
  /**
   * What it gives; nothing if it is not used.
   */
  field: string | null;
}
/**
 * Two reports side by side.
 */
export interface Comparison {
  /**
   * The earlier report that may be the same.
   */
  candidate: Thread;
  /**
   * What to mark in the candidate.
   */
  candidate_marks: Mark[];
  /**
   * What they name.
   */
  facts: Fact[];
  /**
   * The report.
   */
  report: Thread;
  /**
   * What to mark in the report.
   */
  report_marks: Mark[];
}
/**
 * A document with everything that was said about it.
 */
export interface Thread {
  /**
   * The reporter's standing as the tracker says.
   */
  association: string | null;
  /**
   * Who reported it.
   */
  author: string | null;
  /**
   * When it was closed.
   */
  closed_at: string | null;
  /**
   * The comments, oldest first.
   */
  comments: ThreadComment[];
  /**
   * When it was created.
   */
  created_at: string | null;
  /**
   * Set where the tracker no longer has it.
   */
  deleted_at: string | null;
  /**
   * The text as sanitised HTML.
   */
  html: string;
  /**
   * Human key.
   */
  key: string;
  /**
   * What it is.
   */
  kind: DocKind;
  /**
   * Its labels.
   */
  labels: string[];
  /**
   * Edges to other documents.
   */
  links: LinkView[];
  /**
   * Whether the conversation is locked.
   */
  locked: boolean;
  /**
   * The text as written.
   */
  markdown: string;
  /**
   * Its milestone.
   */
  milestone: string | null;
  /**
   * How many more comments the tracker says there are than the mirror holds.
   */
  missing_comments: number;
  /**
   * The item's number; pages have none.
   */
  number: number | null;
  /**
   * The source's key.
   */
  source: string;
  /**
   * Open, closed or merged; pages have none.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure.
   */
  state_reason: string | null;
  /**
   * The title.
   */
  title: string;
  /**
   * When it last changed.
   */
  updated_at: string | null;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * A comment as the reading pane shows it.
 */
export interface ThreadComment {
  /**
   * Stable within the thread: `comment-123`.
   */
  anchor: string;
  /**
   * The author's standing: `MEMBER`, `CONTRIBUTOR`, `NONE`, … as the tracker says.
   */
  association: string | null;
  /**
   * Who wrote it.
   */
  author: string | null;
  /**
   * Whether a bot wrote it.
   */
  bot: boolean;
  /**
   * When it was written.
   */
  created_at: string;
  /**
   * The text as sanitised HTML.
   */
  html: string;
  /**
   * Whether the tracker shows it to the staff alone.
   */
  internal?: boolean;
  /**
   * The text as written.
   */
  markdown: string;
  /**
   * When it was last edited, if later.
   */
  updated_at: string | null;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * A typed edge to another document, as the reading pane shows it.
 */
export interface LinkView {
  /**
   * What the other document is, if the mirror has it.
   */
  document: DocKind | null;
  /**
   * The other document's key.
   */
  key: string;
  /**
   * `duplicate_of`, `relates_to`, `closes`, `mentions`.
   */
  kind: string;
  /**
   * Whether this document is where the edge starts.
   */
  outgoing: boolean;
  /**
   * The other document's state, if the mirror has it.
   */
  state: State | null;
  /**
   * The other document's title, if the mirror has it.
   */
  title: string | null;
}
/**
 * A piece of text to mark wherever it stands as a whole word, in whatever case.
 */
export interface Mark {
  /**
   * What it says.
   */
  kind: MarkKind;
  /**
   * The text, in lower case.
   */
  text: string;
}
/**
 * What two reports name of one kind.
 */
export interface Fact {
  /**
   * Named by the candidate alone.
   */
  candidate: string[];
  /**
   * The kind.
   */
  kind: FactKind;
  /**
   * Named by the report alone.
   */
  report: string[];
  /**
   * Named by both.
   */
  shared: string[];
}
/**
 * What one arm contributed to a result.
 */
export interface Contribution {
  /**
   * `weight` times the score, normalised.
   */
  adds: number;
  /**
   * The arm.
   */
  arm: Arm;
  /**
   * The document's rank in that arm, from 1.
   */
  rank: number;
  /**
   * The arm's own score.
   */
  score: number;
  /**
   * The arm's weight in the fusion.
   */
  weight: number;
}
/**
 * An issue that is known to be a duplicate.
 */
export interface CountedDuplicate {
  /**
   * When it was created.
   */
  created_at: string | null;
  /**
   * Its key.
   */
  key: string;
  /**
   * The report that stays, where that is known.
   */
  of: string | null;
  /**
   * Open or closed.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure.
   */
  state_reason: string | null;
  /**
   * Its title.
   */
  title: string;
}
/**
 * How much of the casebook an arm can see.
 */
export interface Coverage {
  /**
   * Chunks that are to have a vector.
   */
  chunks: number;
  /**
   * Documents in the store.
   */
  documents: number;
  /**
   * Chunks that have one.
   */
  embedded: number;
  /**
   * Documents that are in the full-text index as they are now, with all their comments.
   */
  full_text: number;
  /**
   * Documents that have changed since they were divided into chunks: how many those will be is not known yet.
   */
  unread: number;
}
/**
 * An earlier report that may be the same.
 */
export interface DuplicateCandidate {
  /**
   * What is said of the pair.
   */
  band: Band;
  /**
   * The report that it is itself a duplicate of, at the end of the chain, if it is one.
   */
  canonical: string | null;
  /**
   * The calibrated probability that one fix resolves both, 0..1.
   */
  confidence: number;
  /**
   * When it was created.
   */
  created_at: string | null;
  /**
   * What became of it.
   */
  disposition: Disposition;
  /**
   * Human key.
   */
  key: string;
  /**
   * The item's number.
   */
  number: number | null;
  /**
   * What answers as sure as this one turned out to be; none where too few were read.
   */
  outcome: Outcome | null;
  /**
   * Why, in words.
   */
  reasons: string[];
  /**
   * How alike the two are.
   */
  similarity: Similarity;
  /**
   * Open, closed or merged.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure, as the tracker says it.
   */
  state_reason: string | null;
  /**
   * The title.
   */
  title: string;
  /**
   * The arithmetic, if asked for: feature, value, weight.
   */
  trace?: Evidence[] | null;
  /**
   * Where it lives on the web.
   */
  url: string | null;
  /**
   * What a person decided about the pair before.
   */
  verdict: VerdictKind | null;
  /**
   * The calibrated probability that it is worth reading: the same, or related; 0..1, never below the confidence.
   */
  worth: number;
}
/**
 * What became of answers that were as sure as one, when such were read.
 */
export interface Outcome {
  /**
   * How many were read.
   */
  read: number;
  /**
   * How many more were related.
   */
  related: number;
  /**
   * How many of them were the same problem.
   */
  same: number;
}
/**
 * How alike two reports are, each 0..1.
 */
export interface Similarity {
  /**
   * Whole texts: Jaccard on distinct words.
   */
  body: number;
  /**
   * Together: 1 − (1 − semantic)(1 − title / 2)(1 − body / 2), without a vector 1 − (1 − title)(1 − body). What the
   * threshold acts on.
   */
  combined: number;
  /**
   * Meaning: cosine of the embeddings; `None` where there is no vector.
   */
  semantic: number | null;
  /**
   * Titles: Dice–Sørensen on pairs of characters.
   */
  title: number;
}
/**
 * One feature's part in a candidate's score.
 */
export interface Evidence {
  /**
   * What it adds to the score.
   */
  adds: number;
  /**
   * The feature's name in the table of weights.
   */
  feature: string;
  /**
   * Its value.
   */
  value: number;
  /**
   * Its weight.
   */
  weight: number;
}
/**
 * A question for duplicates: an item of the casebook, or a draft.
 */
export interface DuplicatesRequest {
  /**
   * A draft's text (Markdown).
   */
  body: string;
  /**
   * Look in all sources, for an item too.
   */
  everywhere: boolean;
  /**
   * Adds the arithmetic of each candidate.
   */
  explain: boolean;
  /**
   * Whether closed reports are candidates too.
   */
  include_closed: boolean;
  /**
   * The item's key; otherwise title and body are the draft.
   */
  key: string | null;
  /**
   * At most this many candidates.
   */
  max_candidates: number;
  /**
   * Look in this source alone; otherwise an item's own source, and for a draft all of them.
   */
  source: string | null;
  /**
   * Candidates whose combined similarity is below this are left out, 0..1.
   */
  threshold: number;
  /**
   * A draft's title; may be empty for a pasted text.
   */
  title: string;
}
/**
 * The answer to a question for duplicates.
 */
export interface DuplicatesResponse {
  /**
   * The band of the best candidate; `none` where there is none.
   */
  band: Band;
  /**
   * On how many labelled reports the confidence rests.
   */
  calibrated_on: number;
  /**
   * The candidates, most likely first; ties in the order of their keys.
   */
  candidates: DuplicateCandidate[];
  /**
   * Reports that name each other as duplicates in a circle, if this one is among them.
   */
  circle: string[];
  /**
   * How many earlier reports were compared closely.
   */
  compared: number;
  /**
   * Whether the indexes were complete. While they are not, no match does not mean that there is none.
   */
  conclusive: boolean;
  /**
   * The item that was asked about, if it is one.
   */
  key: string | null;
  /**
   * What the item is known to be a duplicate of already.
   */
  known: KnownDuplicate | null;
  /**
   * The reports that are known to be duplicates of the item, in the order of their keys.
   */
  known_duplicates: KnownDuplicate[];
  /**
   * What the person should know about this answer.
   */
  notices: Notice[];
  /**
   * Pairs that a person has decided are no duplicates, left out here.
   */
  rejected: string[];
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
}
/**
 * The report that another is known to be a duplicate of, whatever their texts say: a person decided it, or the tracker or
 * its comments state it.
 */
export interface KnownDuplicate {
  /**
   * What became of it, where the casebook holds it.
   */
  disposition: Disposition | null;
  /**
   * Human key: the end of the chain of duplicates, the report that stays.
   */
  key: string;
  /**
   * Issue or pull request; none where the casebook does not hold it.
   */
  kind: DocKind | null;
  /**
   * Open, closed or merged.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure, as the tracker says it.
   */
  state_reason: string | null;
  /**
   * The title, where the casebook holds it.
   */
  title: string | null;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * Something that the person should know about an answer.
 */
export interface Notice {
  /**
   * What is wanting.
   */
  lack: Lack;
  /**
   * The same in words.
   */
  text: string;
}
/**
 * An error as it is serialised.
 */
export interface Failure {
  /**
   * What a consumer can act on.
   */
  code: Code;
  /**
   * What to do about it.
   */
  hint: string | null;
  /**
   * What is wrong.
   */
  message: string;
}
/**
 * What a file was understood to be.
 */
export interface FileView {
  /**
   * The columns of a table, in their order.
   */
  columns: ColumnView[];
  /**
   * Comments in it.
   */
  comments: number;
  /**
   * What is doubtful about how it is read.
   */
  doubts: string[];
  /**
   * What it is written in, if that is not UTF-8.
   */
  encoding: string | null;
  /**
   * Its name; of a file in an archive the name there.
   */
  file: string;
  /**
   * The first three items.
   */
  first: GlimpseView[];
  /**
   * Items in it.
   */
  items: number;
  /**
   * What it is: `Jira CSV`.
   */
  kind: string;
  /**
   * Links between items in it.
   */
  links: number;
  /**
   * Wiki pages in it.
   */
  pages: number;
  /**
   * Records that cannot be used.
   */
  skipped: number;
  /**
   * The first of them.
   */
  skips: Skip[];
  /**
   * What of it goes where.
   */
  sources: ShareView[];
}
/**
 * An item, in short.
 */
export interface GlimpseView {
  /**
   * When it was created.
   */
  created_at: string | null;
  /**
   * Its key.
   */
  key: string;
  /**
   * Its labels.
   */
  labels: string[];
  /**
   * Its state.
   */
  state: State | null;
  /**
   * Its title.
   */
  title: string;
}
/**
 * One record that an import could not use.
 */
export interface Skip {
  /**
   * The file, with the record's position: `issues.jsonl:17`.
   */
  place: string;
  /**
   * Why.
   */
  reason: string;
}
/**
 * What goes into a source.
 */
export interface ShareView {
  /**
   * Comments.
   */
  comments: number;
  /**
   * Items and pages.
   */
  items: number;
  /**
   * The source's key.
   */
  source: string;
}
/**
 * One thing that was found.
 */
export interface Finding {
  /**
   * A name that scripts can look for: `orphan_rows`.
   */
  id: string;
  /**
   * What to do about it.
   */
  remedy: string;
  /**
   * Whether `doctor --repair` mends it.
   */
  repairable: boolean;
  /**
   * Whether it was mended just now.
   */
  repaired: boolean;
  /**
   * How much it matters.
   */
  severity: Severity;
  /**
   * What is so.
   */
  what: string;
  /**
   * Why it matters.
   */
  why: string;
}
/**
 * A merged pull request that closed a case.
 */
export interface FixedBy {
  /**
   * Its key.
   */
  key: string;
  /**
   * The beginning of what it says of itself; empty where it says nothing.
   */
  text: string;
  /**
   * Its title.
   */
  title: string;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * Something that a mirror does not know.
 */
export interface Gap {
  /**
   * What is wanting.
   */
  kind: GapKind;
  /**
   * The same in words.
   */
  text: string;
}
/**
 * A check-up of a casebook.
 */
export interface Health {
  /**
   * The casebook's folder.
   */
  casebook: string;
  /**
   * What was looked at.
   */
  checked: string[];
  /**
   * What was found, the worst first.
   */
  findings: Finding[];
}
/**
 * One document that was found.
 */
export interface Hit {
  /**
   * Who reported it.
   */
  author: string | null;
  /**
   * When it was closed.
   */
  closed_at: string | null;
  /**
   * How many comments the mirror holds.
   */
  comments: number;
  /**
   * When it was created.
   */
  created_at: string | null;
  /**
   * Human key: `acme/app#123` or `acme/app:Page-Name`.
   */
  key: string;
  /**
   * What it is.
   */
  kind: DocKind;
  /**
   * Its labels.
   */
  labels: string[];
  /**
   * The item's number; pages have none.
   */
  number: number | null;
  /**
   * Its best passages, best first; at least one where the document has any text and titles alone were not asked for.
   */
  passages: Passage[];
  /**
   * Each arm's score.
   */
  scores: Scores;
  /**
   * The source's key: `acme/app`.
   */
  source: string;
  /**
   * Open, closed or merged; pages have none.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure: `completed`, `not_planned`, `duplicate`, …
   */
  state_reason: string | null;
  /**
   * The title with what matches marked.
   */
  title: Span[];
  /**
   * The arithmetic, if asked for.
   */
  trace?: Contribution[] | null;
  /**
   * When it last changed.
   */
  updated_at: string | null;
  /**
   * Where it lives on the web.
   */
  url: string | null;
  /**
   * One plain sentence that says why it was found.
   */
  why: string;
}
/**
 * A piece of a document that shows why it was found.
 */
export interface Passage {
  /**
   * The comment's anchor in the thread (`comment-123`), or `body`.
   */
  anchor: string;
  /**
   * Who wrote it.
   */
  author: string | null;
  /**
   * Whether it is code, a log or a stack trace, to be shown in a monospaced face.
   */
  code: boolean;
  /**
   * Cosine of this passage to the query, −1..1, where it has a vector.
   */
  cosine: number | null;
  /**
   * When it was written.
   */
  created_at: string | null;
  /**
   * Where it stands.
   */
  part: Part;
  /**
   * The text, cut to a readable length, with what matches marked.
   */
  spans: Span[];
}
/**
 * A run of text that either matches the query or does not.
 */
export interface Span {
  /**
   * Whether it matches.
   */
  hit: boolean;
  /**
   * The text.
   */
  text: string;
}
/**
 * Each arm's own score of a result, apart. Thresholds belong to these, never to `fused`.
 */
export interface Scores {
  /**
   * BM25F as a share of what the query's words could give, about 0..1; of a query that says where they have to stand, BM25,
   * 0 and up, unbounded. Comparable within one query only.
   */
  bm25: number | null;
  /**
   * The best chunk's cosine to the query, −1..1.
   */
  cosine: number | null;
  /**
   * What the arms come to together: decides the order and nothing else.
   */
  fused: number;
  /**
   * BM25 of the signatures that the document shares with the query: the rarer they are, the higher.
   */
  signature: number | null;
}
/**
 * A host that this casebook talks to.
 */
export interface HostView {
  /**
   * Where its interface is: `https://api.github.com`.
   */
  address: string;
  /**
   * The host as people name it: `github.com`.
   */
  host: string;
  /**
   * Whether that is the system's keyring, from which it can be removed.
   */
  kept: boolean;
  /**
   * The sources that are mirrored from it, by key.
   */
  sources: string[];
  /**
   * Where its token is found, in words; never the token.
   */
  token: string | null;
}
/**
 * What an import did.
 */
export interface ImportReport {
  /**
   * Comments among the records.
   */
  comments: number;
  /**
   * Records that carry a date ahead of this computer's clock; it was cut to the time of the import.
   */
  dated_ahead: number;
  /**
   * Files read.
   */
  files: number;
  /**
   * Items among the records.
   */
  items: number;
  /**
   * Records that were not in the casebook before.
   */
  new: number;
  /**
   * Wiki pages among the records.
   */
  pages: number;
  /**
   * Records that could not be used.
   */
  skipped: number;
  /**
   * The first of them, up to [`ImportReport::MAX_SKIPS`].
   */
  skips: Skip[];
  /**
   * The source's key.
   */
  source: string;
  /**
   * Records older than what is there, left alone.
   */
  stale: number;
  /**
   * Records that were there already.
   */
  unchanged: number;
  /**
   * Those of them without any date: the later import counts, whichever is newer.
   */
  undated: number;
  /**
   * Records that differ from what was there.
   */
  updated: number;
}
/**
 * What is to be imported, and how.
 */
export interface ImportRequest {
  /**
   * What the person says of tables: pairs of a field and a column, and of what words and dates mean.
   */
  map: [string, string][];
  /**
   * Files, archives and folders.
   */
  paths: string[];
  /**
   * The source to import into; without it, what the files name.
   */
  source: string | null;
}
/**
 * What an import of files did.
 */
export interface Imported {
  /**
   * Comments among the records.
   */
  comments: number;
  /**
   * Records that carry a date ahead of this computer's clock; it was cut to the time of the import.
   */
  dated_ahead: number;
  /**
   * Files read.
   */
  files: number;
  /**
   * Items among the records.
   */
  items: number;
  /**
   * Files of a folder or an archive that hold nothing to import, and why.
   */
  left_out: Skip[];
  /**
   * Records that were not in the casebook before.
   */
  new: number;
  /**
   * Wiki pages among the records.
   */
  pages: number;
  /**
   * Records that could not be used.
   */
  skipped: number;
  /**
   * The first of them, up to [`ImportReport::MAX_SKIPS`].
   */
  skips: Skip[];
  /**
   * The source's key.
   */
  source: string;
  /**
   * The sources that received something, with what was read for each.
   */
  sources: ShareView[];
  /**
   * Records older than what is there, left alone.
   */
  stale: number;
  /**
   * Records that were there already.
   */
  unchanged: number;
  /**
   * Those of them without any date: the later import counts, whichever is newer.
   */
  undated: number;
  /**
   * The files that hold something.
   */
  understood: FileView[];
  /**
   * Records that differ from what was there.
   */
  updated: number;
}
/**
 * What bringing the indexes up to date did.
 */
export interface IndexReport {
  /**
   * Another process is at it already; nothing was done here.
   */
  busy_elsewhere: boolean;
  /**
   * Sources whose known duplicates had something to teach; once there are all vectors.
   */
  calibrated: CalibrationReport[];
  /**
   * Documents written to the full-text index.
   */
  documents: number;
  /**
   * Passages that received a vector.
   */
  embedded: number;
  /**
   * Seconds until the full text was searchable.
   */
  full_text_seconds: number;
  /**
   * Why there are no vectors, if the model could not be used.
   */
  model_problem: string | null;
  /**
   * Seconds for the vectors.
   */
  vector_seconds: number;
}
/**
 * Issues by month and by source.
 */
export interface Insights {
  /**
   * Every month from the first to the last.
   */
  months: MonthVolume[];
  /**
   * All sources, by key.
   */
  sources: SourceVolume[];
}
/**
 * A month's issues.
 */
export interface MonthVolume {
  /**
   * Closed in it.
   */
  closed: number;
  /**
   * Those that were reported in it and are known to be duplicates.
   */
  duplicates: number;
  /**
   * `2026-03`.
   */
  month: string;
  /**
   * Reported in it.
   */
  opened: number;
}
/**
 * A source's issues in sum.
 */
export interface SourceVolume {
  /**
   * Those that are known to be duplicates.
   */
  duplicates: number;
  /**
   * Its issues.
   */
  issues: number;
  /**
   * Within how many days half of the closed ones were closed.
   */
  median_days: number | null;
  /**
   * Those that are open.
   */
  open: number;
  /**
   * The source's key.
   */
  source: string;
}
/**
 * A report of what was asked about, in a line.
 */
export interface KnownReport {
  /**
   * What is said of the two.
   */
  band: Band;
  /**
   * How likely it is the same, 0..1.
   */
  confidence: number;
  /**
   * Human key.
   */
  key: string;
  /**
   * Open, closed or merged.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure.
   */
  state_reason: string | null;
  /**
   * Its title.
   */
  title: string;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * What the window knows before the casebook is open.
 */
export interface Launch {
  /**
   * The data folder.
   */
  casebook: string;
  /**
   * Whether to import the sample into an empty casebook at once.
   */
  sample: boolean;
  /**
   * The program's version.
   */
  version: string;
  /**
   * What is wrong with the file of settings, and where in it.
   */
  wrong_settings: Failure | null;
}
/**
 * A distinct error of the log, with what the casebook knows of it.
 */
export interface LogError {
  /**
   * Whether one of them stands shortly before the program ended.
   */
  before_crash: boolean;
  /**
   * The solved case that probably helps, where there is one.
   */
  case: SolvedCase | null;
  /**
   * How many there are.
   */
  count: number;
  /**
   * One of them without its time and level, with its trace.
   */
  example: string;
  /**
   * Whether it says more than that.
   */
  excerpt: boolean;
  /**
   * The first of them.
   */
  first: LogPlace;
  /**
   * The report that is most like it, where one is.
   */
  known: KnownReport | null;
  /**
   * The last of them.
   */
  last: LogPlace;
  /**
   * What one of them says, in one line.
   */
  message: string;
  /**
   * Whether the last of them stands near the end of its file.
   */
  near_end: boolean;
  /**
   * How bad it is.
   */
  severity: LogSeverity;
  /**
   * What they have in common: `*` stands for what differs.
   */
  template: string;
  /**
   * What it came to.
   */
  verdict: LogVerdict;
}
/**
 * A solved case: an issue that was closed, or a pull request that was merged.
 */
export interface SolvedCase {
  /**
   * How many more comments only say that they have it, too. They are not among the others.
   */
  agreeing: number;
  /**
   * The version that the question names, where it can be compared with `fixed_in`.
   */
  asked_version: AskedVersion | null;
  /**
   * What was reported.
   */
  body: string;
  /**
   * Whether the report says more than that.
   */
  body_excerpt: boolean;
  /**
   * Characters used, of the share of the budget.
   */
  chars: number;
  /**
   * How it is cited: `[Issue acme/app#12]`.
   */
  citation: string;
  /**
   * When it was closed.
   */
  closed_at: string | null;
  /**
   * The comments that carry the solution, in order of time.
   */
  comments: CaseComment[];
  /**
   * Versions of other programs that it names, such as `Ubuntu 22.04.1`.
   */
  environment: string[];
  /**
   * The anchor of the comment to read first.
   */
  fix: string | null;
  /**
   * The merged pull requests that closed it.
   */
  fixed_by: FixedBy[];
  /**
   * The version or milestone that has the fix, where someone says so.
   */
  fixed_in: string | null;
  /**
   * The probability that it helps, 0..1: of cases that are stated so, that share helped when they were read.
   */
  helps: number;
  /**
   * Human key.
   */
  key: string;
  /**
   * What it is.
   */
  kind: DocKind;
  /**
   * How many other comments there are.
   */
  omitted: number;
  /**
   * What it is to the report that was asked about, where that is known and not just likely.
   */
  relation: CaseRelation | null;
  /**
   * The versions of the product that it was reported on.
   */
  reported_on: string[];
  /**
   * Whether it shares an error code, an exception or a quoted message with the question.
   */
  same_signature: boolean;
  /**
   * The cosine of both texts, −1..1; none where it was found by words alone.
   */
  similarity: number | null;
  /**
   * Closed or merged.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure.
   */
  state_reason: string | null;
  /**
   * Its title.
   */
  title: string;
  /**
   * Whether it tells how it was solved: by what closed it, by a version, by a comment, or in the report itself.
   */
  told: boolean;
  /**
   * Where it lives on the web.
   */
  url: string | null;
  /**
   * The report that was found, where that is a duplicate of this one.
   */
  via: string | null;
  /**
   * The share of the question's words that it has, weighed by rarity, about 0..1.
   */
  words: number;
}
/**
 * A place in a log.
 */
export interface LogPlace {
  /**
   * The time, as it is written there.
   */
  at: string | null;
  /**
   * The file, as it is called in its folder or archive.
   */
  file: string;
  /**
   * The line, from 1 on.
   */
  line: number;
}
/**
 * A file that was read, or left out.
 */
export interface LogFile {
  /**
   * Its lines.
   */
  lines: number;
  /**
   * What it is called in its folder or archive.
   */
  name: string;
  /**
   * Why it was not read, or not read any further than those lines, if it was not.
   */
  skipped: string | null;
}
/**
 * A question about logs.
 */
export interface LogRequest {
  /**
   * So many distinct errors are asked about, 1..=50.
   */
  max_errors: number;
  /**
   * Files, archives and folders on this machine.
   */
  paths: string[];
  /**
   * How solved cases are looked for.
   */
  settings: TroubleshootSettings;
  /**
   * Only reports of this source.
   */
  source: string | null;
}
/**
 * The answer to a question about logs.
 */
export interface LogResponse {
  /**
   * Bytes of text that were read.
   */
  bytes: number;
  /**
   * Whether the indexes were complete. While they are not, no match does not mean that there is none.
   */
  conclusive: boolean;
  /**
   * Distinct errors and warnings in all.
   */
  distinct: number;
  /**
   * The errors that were asked about, what to look at first first.
   */
  errors: LogError[];
  /**
   * What was read, and what was left out.
   */
  files: LogFile[];
  /**
   * Of the errors below: how many have been reported and are not solved.
   */
  known: number;
  /**
   * Events of distinct errors that were given up, because there are thousands.
   */
  left_out: number;
  /**
   * Lines that were read.
   */
  lines: number;
  /**
   * Of the errors below: how many nothing in the casebook is like.
   */
  new: number;
  /**
   * What the person should know about this answer.
   */
  notices: Notice[];
  /**
   * Of the errors below: how many something is like that may be it.
   */
  perhaps: number;
  /**
   * Of the errors below: how many a solved case probably helps with.
   */
  solved: number;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
}
/**
 * A live source: where it comes from, how far it was read, and what it does not know.
 */
export interface MirrorView {
  /**
   * What it does not know.
   */
  gaps: Gap[];
  /**
   * The tracker's host: `github.com`.
   */
  host: string;
  /**
   * How far that is.
   */
  progress: SyncProgress | null;
  /**
   * What the tracker calls the project now.
   */
  project: string;
  /**
   * Whether a sync is under way, here or in another process.
   */
  running: boolean;
  /**
   * The source's key: `acme/app`.
   */
  source: string;
  /**
   * Its lists.
   */
  streams: StreamView[];
  /**
   * When what is here was last compared with what is still there.
   */
  swept_at: string | null;
  /**
   * When a sync last ended, however.
   */
  synced_at: string | null;
}
/**
 * How far a sync that is under way has come, here or in another process.
 */
export interface SyncProgress {
  /**
   * How much of this part is done.
   */
  done: number;
  /**
   * `sync`, or `wait` while the tracker allows no more requests.
   */
  phase: string;
  /**
   * When this part began.
   */
  started_at: string;
  /**
   * When this was said.
   */
  told_at: string;
  /**
   * Of how much, where that is known.
   */
  total: number | null;
  /**
   * What is counted: `records`, `seconds`.
   */
  unit: string;
}
/**
 * How far one of a tracker's lists has been read.
 */
export interface StreamView {
  /**
   * When it was last read to its end.
   */
  finished_at: string | null;
  /**
   * `items`, `comments`, `review_comments`, `discussions`, `pages`.
   */
  name: string;
  /**
   * Pages read in a pass that is not finished.
   */
  pages: number;
  /**
   * Why the tracker does not give it, if it does not.
   */
  refused: string | null;
  /**
   * Records that could not be read.
   */
  unreadable: number;
  /**
   * Everything that changed before this is here.
   */
  watermark: string | null;
}
/**
 * Whether search by meaning is possible.
 */
export interface ModelStatus {
  /**
   * The model's name, if one is there.
   */
  name: string | null;
  /**
   * The model whose vectors are being made beside those that answer, if there is one.
   */
  next: NextModel | null;
  /**
   * Why it cannot be used, and what to do about it.
   */
  problem: string | null;
}
/**
 * A model that is to answer once its vectors are there.
 */
export interface NextModel {
  /**
   * Passages that its vectors are made of; 0 until that was looked at.
   */
  chunks: number;
  /**
   * Those with a vector.
   */
  embedded: number;
  /**
   * Its name.
   */
  name: string;
}
/**
 * A model that can answer, or could.
 */
export interface ModelView {
  /**
   * Whether it is the one that answers.
   */
  answers: boolean;
  /**
   * Bytes of its files on disk; none for the built-in one.
   */
  bytes: number | null;
  /**
   * Length of its vectors.
   */
  dimensions: number | null;
  /**
   * Passages of this casebook that have a vector of it.
   */
  embedded: number;
  /**
   * Word pieces that it reads.
   */
  max_tokens: number | null;
  /**
   * Its name here.
   */
  name: string;
  /**
   * Whether its vectors are being made.
   */
  next: boolean;
  /**
   * Why it cannot be used, if its card cannot be read.
   */
  problem: string | null;
  /**
   * Bytes of its vectors on disk.
   */
  vector_bytes: number;
}
/**
 * A case that is no solution, or not close enough.
 */
export interface NearCase {
  /**
   * How it is cited: `[Issue acme/app#12]`.
   */
  citation: string;
  /**
   * Whether it was closed without a fix: it is close, and no solution.
   */
  declined: boolean;
  /**
   * The probability that it helps, 0..1.
   */
  helps: number;
  /**
   * Human key.
   */
  key: string;
  /**
   * The comment to read first: why it was closed, or what was said last.
   */
  said: CaseComment | null;
  /**
   * Whether it was closed, and nothing tells how it was solved.
   */
  silent: boolean;
  /**
   * Closed or merged.
   */
  state: State | null;
  /**
   * The tracker's reason for the closure.
   */
  state_reason: string | null;
  /**
   * Its title.
   */
  title: string;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * A live source to add.
 */
export interface NewMirror {
  /**
   * The host, with the path below which the tracker is.
   */
  host: string | null;
  /**
   * What it is to be called here; by default the project's name, after the host's where that has one part alone.
   */
  key: string | null;
  /**
   * The project, and in front of it the host where that is not given apart: `acme/app`, `redmine.acme.example/app`.
   */
  place: string;
  /**
   * The kind of tracker: `github`, `gitlab`, `gitea`, `forgejo`, `jira`, `redmine`, `bugzilla`, `azure`, `linear`, `confluence`, `zendesk`, `discourse`.
   */
  tracker: string;
  /**
   * Whether to mirror its wiki too.
   */
  wiki: boolean;
}
/**
 * A note.
 */
export interface Note {
  /**
   * Its text, Markdown.
   */
  body: string;
  /**
   * What it is connected with, by key.
   */
  connected: string[];
  /**
   * When it was stored.
   */
  created_at: string;
  /**
   * Human key: `note#12`.
   */
  key: string;
  /**
   * What it is.
   */
  kind: NoteKind;
  /**
   * Where it is in its life.
   */
  lifecycle: Lifecycle;
  /**
   * Words to find it by.
   */
  tags: string[];
  /**
   * Its title.
   */
  title: string;
  /**
   * When it last changed.
   */
  updated_at: string;
}
/**
 * The answer to a note that was to be stored.
 */
export interface NoteAnswer {
  /**
   * Notes of the same kind that say the same or nearly.
   */
  matches: NoteMatch[];
  /**
   * The note that was stored, or for a duplicate the one that is there.
   */
  note: Note;
  /**
   * What became of it.
   */
  outcome: NoteOutcome;
  /**
   * Why the look for the same was incomplete, if it was: the note is stored all the same.
   */
  warning: string | null;
}
/**
 * A note that says the same as another, or nearly.
 */
export interface NoteMatch {
  /**
   * What the two do not agree on, although they read alike: numbers, versions, codes, a negation.
   */
  differs: string[];
  /**
   * Whether it is the same, word for word.
   */
  exact: boolean;
  /**
   * Its key.
   */
  id: string;
  /**
   * What it is.
   */
  kind: NoteKind;
  /**
   * Where it is in its life.
   */
  lifecycle: Lifecycle;
  /**
   * Cosine of the two, 0..1; 1 for the same words.
   */
  similarity: number;
  /**
   * Its title.
   */
  title: string;
}
/**
 * What is to change about a note; what is not given stays.
 */
export interface NoteChange {
  /**
   * Keys that it belongs to from now on, beside those it belongs to already.
   */
  attach: string[];
  /**
   * Its text.
   */
  body: string | null;
  /**
   * Where it is in its life.
   */
  lifecycle: Lifecycle | null;
  /**
   * Its tags, all of them.
   */
  tags: string[] | null;
  /**
   * Its title.
   */
  title: string | null;
}
/**
 * A note to be stored.
 */
export interface NoteDraft {
  /**
   * Keys of the items, pages and notes that it belongs to.
   */
  attach: string[];
  /**
   * Its text, Markdown; must not be empty.
   */
  body: string;
  /**
   * Store it even if the same is there already.
   */
  force: boolean;
  /**
   * What it is.
   */
  kind: NoteKind;
  /**
   * Words to find it by.
   */
  tags: string[];
  /**
   * Its title; must not be empty.
   */
  title: string;
}
/**
 * What a job is doing just now.
 */
export interface Progress {
  /**
   * How much of it is done, in `unit`s.
   */
  done: number;
  /**
   * Which part of the job this is.
   */
  phase: Phase;
  /**
   * How much there is in all, where that is known.
   */
  total: number | null;
  /**
   * What is counted: `bytes`, `documents`, `chunks`, `records`, `seconds`, `queries`, `reports`.
   */
  unit: string;
}
/**
 * What a person switched on.
 */
export interface PromptSettings {
  /**
   * The shortcut that opens the prompt from anywhere, as `Ctrl+Alt+P`; none opens it.
   */
  shortcut: string | null;
  /**
   * Whether an icon stands in the system's tray.
   */
  tray: boolean;
}
/**
 * What is on.
 */
export interface PromptState {
  /**
   * The shortcut that is offered first.
   */
  default_shortcut: string;
  /**
   * The shortcut that opens the prompt.
   */
  shortcut: string | null;
  /**
   * Its keys in the desktop's own words, where the desktop gives them out.
   */
  shortcut_keys: string | null;
  /**
   * Why the shortcut that was asked for does not open it.
   */
  shortcut_problem: string | null;
  /**
   * Whether the icon stands in the tray.
   */
  tray: boolean;
  /**
   * Why the icon that was asked for is not there.
   */
  tray_problem: string | null;
}
/**
 * Something that a redaction would replace, with what it is: for the person's eyes, never exported.
 */
export interface RedactionPreview {
  /**
   * How often.
   */
  count: number;
  /**
   * `token`, `email`, `address` (of a network), `host`, `link`, `user` (a login), `person`, `place`, `company`, `phone`,
   * `account`, `card`.
   */
  kind: string;
  /**
   * What stands there.
   */
  original: string;
  /**
   * What would stand there.
   */
  pseudonym: string;
  /**
   * Whether it is surely what it seems. The person decides about the others, and may let them stand: `keep`.
   */
  sure: boolean;
}
/**
 * What to search for.
 */
export interface SearchRequest {
  /**
   * Adds the arithmetic of each result.
   */
  explain: boolean;
  /**
   * Filters of the query language and nothing else, which hold whatever the query is read as: a pasted text has none of its own.
   */
  filters: string;
  /**
   * At most this many results; 0 stands for 20.
   */
  limit: number;
  /**
   * Overrides the query's own `mode:`.
   */
  mode: Mode | null;
  /**
   * How many results to pass over. Only for a query without words, whose order is that of the last change: what is
   * ranked has no further pages.
   */
  offset: number;
  /**
   * The query as typed: words, phrases and filters of the query language.
   */
  query: string;
  /**
   * Leaves the passages out: for a long list that shows titles alone.
   */
  titles: boolean;
}
/**
 * The answer to a search.
 */
export interface SearchResponse {
  /**
   * The arms that answered.
   */
  arms: Arm[];
  /**
   * Whether the indexes were complete. While they are not, no match does not mean that there is none.
   */
  conclusive: boolean;
  /**
   * How much each arm could see.
   */
  coverage: Coverage;
  /**
   * The results, best first; ties in the order of their keys.
   */
  hits: Hit[];
  /**
   * How it was asked to rank.
   */
  mode: Mode;
  /**
   * What the person should know about this answer: an arm that could not answer, vectors still missing.
   */
  notices: Notice[];
  /**
   * The query as it was understood, in the query language.
   */
  query: string;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * How many documents meet the filters, where the query has no words: then its results go on behind these.
   */
  total: number | null;
}
/**
 * What a look for the same found.
 */
export interface SimilarNotes {
  /**
   * Notes of the same kind that say the same or nearly, nearest first; ties by key.
   */
  matches: NoteMatch[];
  /**
   * What to do.
   */
  recommendation: Recommendation;
  /**
   * Why the look was incomplete, if it was.
   */
  warning: string | null;
}
/**
 * A mirrored project.
 */
export interface SourceView {
  /**
   * When it was added.
   */
  added_at: string;
  /**
   * How many of its reports with a known earlier duplicate its checks are calibrated on; none where they are not.
   */
  calibrated_on: number | null;
  /**
   * When it last received something.
   */
  changed_at: string | null;
  /**
   * Comments held.
   */
  comments: number;
  /**
   * Issues held (without tombstones).
   */
  issues: number;
  /**
   * Human key: `acme/app`.
   */
  key: string;
  /**
   * The tracker's kind: `github`.
   */
  kind: string;
  /**
   * Pairs of its issues that are known to be duplicates.
   */
  known_duplicates: number;
  /**
   * Comments the tracker counts that the mirror does not hold.
   */
  missing_comments: number;
  /**
   * Comments whose item the mirror does not hold.
   */
  orphan_comments: number;
  /**
   * Wiki pages held.
   */
  pages: number;
  /**
   * Pull requests held.
   */
  pull_requests: number;
}
/**
 * The casebook as a whole.
 */
export interface Status {
  /**
   * The data folder.
   */
  casebook: string;
  /**
   * How much the indexes cover.
   */
  coverage: Coverage;
  /**
   * Bytes on disk: the database.
   */
  database_bytes: number;
  /**
   * Bytes on disk: the full-text index.
   */
  full_text_bytes: number;
  /**
   * The model that makes the vectors, or why there is none.
   */
  model: ModelStatus;
  /**
   * Why the casebook can only be read, if it can.
   */
  read_only: string | null;
  /**
   * Its sources, by key.
   */
  sources: SourceView[];
  /**
   * Bytes on disk: the vectors.
   */
  vector_bytes: number;
}
/**
 * What a sync of one source did.
 */
export interface SyncReport {
  /**
   * Comments among the records.
   */
  comments: number;
  /**
   * What this mirror does not know.
   */
  gaps: Gap[];
  /**
   * Items, comments and wiki pages that the tracker no longer has; they are kept and marked.
   */
  gone: number;
  /**
   * Issues and pull requests among the records.
   */
  items: number;
  /**
   * Records that were not here before.
   */
  new: number;
  /**
   * Pages of lists that were fetched.
   */
  pages: number;
  /**
   * What ended it, if not the end of the work: `{code, message, hint}`.
   */
  problem: Problem | null;
  /**
   * What the tracker calls the project now, if that has changed.
   */
  renamed_to: string | null;
  /**
   * Requests that were sent.
   */
  requests: number;
  /**
   * Wall time in seconds.
   */
  seconds: number;
  /**
   * Records that could not be read.
   */
  skipped: number;
  /**
   * The first of them, up to `MAX_SKIPS`.
   */
  skips: Skip[];
  /**
   * The source's key.
   */
  source: string;
  /**
   * Records older than what is here, left alone.
   */
  stale: number;
  /**
   * Records that were here already.
   */
  unchanged: number;
  /**
   * Records that differ from what was here.
   */
  updated: number;
  /**
   * Wiki pages among the records.
   */
  wiki_pages: number;
}
/**
 * An open report with its best candidate, waiting for a decision.
 */
export interface TriageItem {
  /**
   * The earlier report that may be the same.
   */
  candidate: DuplicateCandidate;
  /**
   * When it was created.
   */
  created_at: string | null;
  /**
   * The report's key.
   */
  key: string;
  /**
   * Its title.
   */
  title: string;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * A question for the triage queue.
 */
export interface TriageRequest {
  /**
   * Only what is at least in this band; `none` stands for everything that has a candidate. What is related alone is in a list of
   * its own.
   */
  band: Band & string;
  /**
   * Whether closed reports are candidates too.
   */
  include_closed: boolean;
  /**
   * At most this many; 0 stands for 20.
   */
  limit: number;
  /**
   * Check nothing: the queue as it is.
   */
  queue_only: boolean;
  /**
   * Check everything again, and not only what is new or changed.
   */
  rescan: boolean;
  /**
   * Only this source.
   */
  source: string | null;
}
/**
 * The triage queue.
 */
export interface TriageResponse {
  /**
   * How many closed reports were not compared, since only open ones were.
   */
  closed_left_out: number;
  /**
   * Whether the indexes were complete. While they are not, no match does not mean that there is none.
   */
  conclusive: boolean;
  /**
   * How many of the queue are expected to be the same as their candidate: the sum of their confidences.
   */
  expected: number;
  /**
   * What the person should know about this answer.
   */
  notices: Notice[];
  /**
   * The first of them, the surest first; ties in the order of their keys.
   */
  queue: TriageItem[];
  /**
   * Of the open reports whose candidate is less than possibly the same, the first that have one worth reading.
   */
  related: TriageItem[];
  /**
   * How many of those there are in all.
   */
  related_waiting: number;
  /**
   * How many open reports were checked just now.
   */
  scanned: number;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * How many open reports are new or changed and were not checked.
   */
  unscanned: number;
  /**
   * How many wait for a decision in all.
   */
  waiting: number;
}
/**
 * A question for solved cases: an item of the casebook, or a text.
 */
export interface TroubleshootRequest {
  /**
   * Name the nearest cases too where they are not close enough.
   */
  anyway: boolean;
  /**
   * The item's key; otherwise `text` is the question.
   */
  key: string | null;
  /**
   * How to look.
   */
  settings: TroubleshootSettings;
  /**
   * Only cases of this source.
   */
  source: string | null;
  /**
   * A pasted text: a message, a log, a mail.
   */
  text: string;
}
/**
 * The answer to a question for solved cases.
 */
export interface TroubleshootResponse {
  /**
   * Solved cases, best first.
   */
  cases: SolvedCase[];
  /**
   * Whether the indexes were complete. While they are not, no match does not mean that there is none.
   */
  conclusive: boolean;
  /**
   * The item that was asked about, if one was.
   */
  key: string | null;
  /**
   * What was looked at and is no solution; where it was asked for, the nearest cases that are not close enough.
   */
  near: NearCase[];
  /**
   * What the person should know about this answer.
   */
  notices: Notice[];
  /**
   * Open reports of the same, which have no solution yet; only where no case surely helps.
   */
  open: KnownReport[];
  /**
   * What it came to.
   */
  outcome: TroubleshootOutcome;
  /**
   * The settings that were used.
   */
  settings: TroubleshootSettings;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * Passages of wikis, best first, a page once; only where no case surely helps.
   */
  wiki: WikiPassage[];
}
/**
 * A passage of a wiki, where no solved case comes near.
 */
export interface WikiPassage {
  /**
   * How it is cited: `[Wiki: Page Name]`.
   */
  citation: string;
  /**
   * The page's key.
   */
  key: string;
  /**
   * Its best passage's cosine to the question, −1..1.
   */
  similarity: number | null;
  /**
   * The passage.
   */
  text: string;
  /**
   * The page's title.
   */
  title: string;
  /**
   * Where it lives on the web.
   */
  url: string | null;
}
/**
 * What an import of files is, or was, about.
 */
export interface Understood {
  /**
   * Files of a folder or an archive that hold nothing to import, and why.
   */
  left_out: Skip[];
  /**
   * The files that hold something.
   */
  understood: FileView[];
}
/**
 * What a person decided about a pair of documents. It outlives every sync, index and model.
 */
export interface Verdict {
  /**
   * Who decided.
   */
  actor: string;
  /**
   * The report that stays, where the decision is `duplicate`.
   */
  canonical: string | null;
  /**
   * When.
   */
  decided_at: string;
  /**
   * The smaller key of the two.
   */
  first: string;
  /**
   * The decision.
   */
  kind: VerdictKind;
  /**
   * Why, in the person's words.
   */
  reason: string | null;
  /**
   * The other key.
   */
  second: string;
}
