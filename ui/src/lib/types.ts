// Generated from contract.json by `npm run contract`; do not edit.

/**
 * A retrieval method of a search; each ranks on its own scale.
 */
export type Arm = "lexical" | "semantic" | "signature";
/**
 * A kind of article section, in the order of the page.
 */
export type ArticleSectionKind = "symptom" | "environment" | "cause" | "workaround" | "resolution" | "versions" | "references";
/**
 * The role of a comment in its thread.
 */
export type CommentRole = "fix" | "workaround" | "closing_note" | "reproduction" | "confirmation" | "denial" | "noise";
/**
 * The kind of a document.
 */
export type DocKind = "issue" | "pull_request" | "page" | "note";
/**
 * A known relation between a case and the queried report.
 */
export type CaseRelation = "itself" | "canonical";
/**
 * The state of an item. A merged pull request is [`State::Merged`], never [`State::Closed`].
 */
export type State = "open" | "closed" | "merged";
/**
 * The confidence band of a pair of reports, from two calibrated probabilities: that both are the
 * same problem, and that the earlier one is worth reading (a duplicate or related).
 */
export type Band = "high" | "likely" | "possible" | "related" | "none";
/**
 * The status of a known problem.
 */
export type ProblemStatus = "open" | "solved" | "unreleased" | "came_back" | "declined" | "closed_without_fix";
/**
 * A kind of limitation of an answer.
 */
export type NoticeKind =
  | "full_text"
  | "some_vectors"
  | "all_vectors"
  | "model"
  | "calibration"
  | "operators"
  | "item"
  | "elsewhere"
  | "closed"
  | "errors";
/**
 * An action that resolves a problem. Each interface has its own way to offer it.
 */
export type Remedy = "repair" | "rebuild" | "models" | "sources" | "add" | "notes";
/**
 * A section of a brief, in the order of appearance.
 */
export type SectionKind =
  "summary" | "problem" | "log" | "duplicates" | "cases" | "wiki" | "versions" | "people" | "questions" | "notes";
/**
 * The output format of a brief.
 */
export type BriefFormat = "markdown" | "html" | "pdf" | "json";
/**
 * The progress of closing a report.
 */
export type ClosureStep = "commenting" | "commented" | "closed" | "refused";
/**
 * A code for programs to act on. A failure without specific handling is [`Code::Internal`].
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
 * The meaning of a highlight in a text.
 */
export type MarkKind = "same" | "differs" | "word";
/**
 * A kind of fact that two reports are compared by.
 */
export type FactKind = "code" | "failure" | "message" | "frame" | "version" | "identifier" | "label";
/**
 * The current disposition of a candidate.
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
 * A drag-and-drop event of files.
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
       * Paths of the files.
       */
      paths: string[];
      what: "files";
    };
/**
 * A person's decision about a pair.
 */
export type VerdictKind = "duplicate" | "related" | "not_duplicate";
/**
 * The severity of a finding.
 */
export type Severity = "notice" | "warning" | "error";
/**
 * A kind of data that a mirror lacks or may lack.
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
 * The part of a document that contains a passage.
 */
export type Part = "body" | "comment";
/**
 * A kind of long job; one job of each kind may run at a time.
 */
export type JobKind = "import" | "index" | "sync" | "triage" | "calibrate" | "remove" | "model" | "close" | "logs" | "repair";
/**
 * The lifecycle state of a note.
 */
export type Lifecycle = "active" | "archived";
/**
 * The severity of a log event, worst first.
 */
export type LogSeverity = "fatal" | "error" | "warning";
/**
 * The status of a log error in the casebook.
 */
export type LogVerdict = "solved" | "known" | "perhaps" | "new";
/**
 * A ranking mode of a search.
 */
export type Mode = "hybrid" | "lexical" | "semantic";
/**
 * The kind of a note.
 */
export type NoteKind = "lesson" | "curiosity" | "thesis" | "signal" | "episode" | "watchpoint" | "summary" | "article";
/**
 * The outcome of storing a note.
 */
export type NoteOutcome = "stored" | "connected" | "duplicate";
/**
 * A phase of a long job.
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
 * A list of problems.
 */
export type ProblemList = "frequent" | "waiting" | "unreleased" | "recurring" | "without_article";
/**
 * The target that the prompt shows in the main window.
 */
export type PromptTarget =
  | {
      /**
       * Comment to scroll to, if not the report.
       */
      anchor: string | null;
      /**
       * Key of the document.
       */
      key: string;
      view: "item";
    }
  | {
      /**
       * Query text.
       */
      query: string;
      view: "search";
    }
  | {
      /**
       * Text of the draft.
       */
      text: string;
      view: "triage";
    }
  | {
      /**
       * Text of the question.
       */
      text: string;
      view: "ask";
    }
  | {
      /**
       * Text that the brief is about.
       */
      text: string;
      view: "brief";
    };
/**
 * The recommended action after a check for similar notes.
 */
export type Recommendation = "duplicate_found" | "similar_found" | "unique";

/**
 * The permissions of a token, or of access without one.
 */
export interface Access {
  /**
   * Number of requests that a rate-limit period allows; null if unknown.
   */
  limit: number | null;
  /**
   * The project.
   */
  project: Project;
  /**
   * Data that this access may not read, with reasons.
   */
  refused: string[];
  /**
   * Number of requests left in the current rate-limit period; null if unknown.
   */
  remaining: number | null;
  /**
   * Start of the next rate-limit period; null if unknown.
   */
  resets_at: string | null;
  /**
   * Login of the token's owner; null without a token and for tokens without an owner.
   */
  user: string | null;
}
/**
 * A project as described by its tracker.
 */
export interface Project {
  /**
   * `true` if the project is read-only.
   */
  archived: boolean;
  /**
   * `true` if the project has issues; one without may still have pull requests.
   */
  issues: boolean;
  /**
   * Current name of the project.
   */
  name: string;
  /**
   * `true` if the project is private.
   */
  private: boolean;
  /**
   * Tracker's own id of the project; null if it has none.
   */
  remote_id: string | null;
  /**
   * `true` if the project has a wiki.
   */
  wiki: boolean;
}
/**
 * An article about a solved problem.
 */
export interface Article {
  /**
   * Whole article as a self-contained HTML page.
   */
  html: string;
  /**
   * Key of the canonical report.
   */
  key: string;
  /**
   * Whole article as Markdown, with its citations as links.
   */
  markdown: string;
  /**
   * Sections that a reader would expect but the threads do not document.
   */
  missing: ArticleSectionKind[];
  /**
   * Number of values that were replaced with pseudonyms.
   */
  redactions: number;
  /**
   * Sections that the threads document, in the order of the page.
   */
  sections: ArticleSection[];
  /**
   * Keys of the stored articles about the same problem.
   */
  stored: string[];
  /**
   * Title: the symptom.
   */
  title: string;
}
/**
 * A section of an article with its passages.
 */
export interface ArticleSection {
  /**
   * Kind of the section.
   */
  part: ArticleSectionKind;
  /**
   * Passages in reading order; never empty.
   */
  passages: ArticlePassage[];
}
/**
 * A passage of an article: a sentence, a list item or a code block.
 */
export interface ArticlePassage {
  /**
   * Anchor of the comment that it is taken from; null for the report itself.
   */
  anchor: string | null;
  /**
   * Key of the document that it is taken from.
   */
  key: string;
  /**
   * Text (Markdown), redacted if requested.
   */
  text: string;
  /**
   * URL of that place on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A request for an article about a problem.
 */
export interface ArticleRequest {
  /**
   * Key of a report of the problem.
   */
  key: string;
  /**
   * `true` to replace secrets, people, addresses and numbers with pseudonyms.
   */
  redact: boolean;
}
/**
 * A question about a problem: an item of the casebook or any text.
 */
export interface AskRequest {
  /**
   * Key of the item; if null, `text` is the question.
   */
  key: string | null;
  /**
   * Settings of the search for solved cases.
   */
  settings: TroubleshootSettings;
  /**
   * Key of the only source to search; null for all sources.
   */
  source: string | null;
  /**
   * Text of the question: a sentence, a message, a stack trace, a log or an email.
   */
  text: string;
}
/**
 * The settings of a search for solved cases.
 */
export interface TroubleshootSettings {
  /**
   * `true` to search for solved cases.
   */
  enabled: boolean;
  /**
   * Maximum number of cases, 1..=10.
   */
  max_results: number;
  /**
   * Lowest semantic similarity of a case, 0..1 (1 − distance); null uses the value from the
   * model's card.
   */
  similarity_threshold: number | null;
  /**
   * Maximum length of all threads together in characters (Unicode scalar values),
   * 1,000..=50,000.
   */
  total_budget_chars: number;
}
/**
 * The response to a question.
 */
export interface AskResponse {
  /**
   * Passages of stored articles about similar problems, best first; shown before the cases.
   */
  articles: WikiPassage[];
  /**
   * Solved cases that may help; empty if the problem itself is solved.
   */
  cases: SolvedCase[];
  /**
   * Closest reports, best first, if nothing else matches; probably about other problems.
   */
  closest: KnownReport[];
  /**
   * `true` if the indexes were complete. If `false`, a missing match does not prove that none
   * exists.
   */
  conclusive: boolean;
  /**
   * Key of the queried item; null for a text.
   */
  key: string | null;
  /**
   * Next steps, one sentence each.
   */
  next: string[];
  /**
   * Passages of other private notes.
   */
  notes: WikiPassage[];
  /**
   * Limitations of this answer.
   */
  notices: Notice[];
  /**
   * Known problem that the question is about; null if there is none.
   */
  problem: KnownProblem | null;
  /**
   * Possible duplicates and related reports, best first.
   */
  related: KnownReport[];
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * Wiki passages.
   */
  wiki: WikiPassage[];
}
/**
 * A wiki passage, returned if no solved case is similar enough.
 */
export interface WikiPassage {
  /**
   * Citation label: `[Wiki: Page Name]`.
   */
  citation: string;
  /**
   * Key of the page.
   */
  key: string;
  /**
   * Cosine similarity of the page's best passage to the query, −1..1; null without a vector.
   */
  similarity: number | null;
  /**
   * Text of the passage.
   */
  text: string;
  /**
   * Title of the page.
   */
  title: string;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A solved case: a closed issue or a merged pull request.
 */
export interface SolvedCase {
  /**
   * Number of further comments that only confirm the problem; not counted in `omitted`.
   */
  agreeing: number;
  /**
   * Version that the query names; null if it names none.
   */
  asked_version: AskedVersion | null;
  /**
   * Text of the report.
   */
  body: string;
  /**
   * `true` if `body` is an excerpt of a longer report.
   */
  body_excerpt: boolean;
  /**
   * Number of characters that this case uses of its share of the budget.
   */
  chars: number;
  /**
   * Citation label: `[Issue acme/app#12]`.
   */
  citation: string;
  /**
   * Time of the closure; null if unknown.
   */
  closed_at: string | null;
  /**
   * Comments that document the solution, in chronological order.
   */
  comments: CaseComment[];
  /**
   * Versions of other programs that the report names, such as `Ubuntu 22.04.1`.
   */
  environment: string[];
  /**
   * Anchor of the comment to read first; null if there is none.
   */
  fix: string | null;
  /**
   * `true` if the thread documents the solution: a closing change, a version, a comment or the
   * report itself.
   */
  fix_documented: boolean;
  /**
   * Merged pull requests that closed the case.
   */
  fixed_by: FixedBy[];
  /**
   * Version or milestone that has the fix; null if none is named.
   */
  fixed_in: string | null;
  /**
   * Key of the item.
   */
  key: string;
  /**
   * Kind of the item.
   */
  kind: DocKind;
  /**
   * Number of other comments.
   */
  omitted: number;
  /**
   * Known relation to the queried report; null if the case is only likely to match.
   */
  relation: CaseRelation | null;
  /**
   * Probability that the case helps, 0..1. Of the cases that were reviewed at a given value,
   * that share helped.
   */
  relevance: number;
  /**
   * Product versions that the report mentions.
   */
  reported_on: string[];
  /**
   * `true` if the case shares an error code, an exception or a quoted message with the query.
   */
  same_signature: boolean;
  /**
   * Cosine similarity of the two texts, −1..1; null if only the lexical search found the case.
   */
  similarity: number | null;
  /**
   * State: closed or merged; null if unknown.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker; null if there is none.
   */
  state_reason: string | null;
  /**
   * Title of the item.
   */
  title: string;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
  /**
   * Key of the matching report if that is a duplicate of this case; null otherwise.
   */
  via: string | null;
  /**
   * Share of the query's words that the case contains, weighted by rarity, about 0..1.
   */
  words: number;
}
/**
 * The version that a query names, compared with the version that has a case's fix.
 */
export interface AskedVersion {
  /**
   * `true` if this version should have the fix, so that the failure may be a regression or a
   * different problem; `false` if it is older; null if this is unknown.
   */
  has_fix: boolean | null;
  /**
   * Newest version that the query names.
   */
  version: string;
}
/**
 * A comment of a solved case.
 */
export interface CaseComment {
  /**
   * Anchor of the comment in the thread: `comment-123`.
   */
  anchor: string;
  /**
   * Author's association with the project as given by the tracker; null if unknown.
   */
  association: string | null;
  /**
   * Login of the author; null if the account no longer exists.
   */
  author: string | null;
  /**
   * Time at which it was written.
   */
  created_at: string;
  /**
   * `true` if the text is an excerpt of a longer comment.
   */
  excerpt: boolean;
  /**
   * Role of the comment; null if it could not be determined.
   */
  role: CommentRole | null;
  /**
   * Text as written, without quotes of other comments.
   */
  text: string;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A merged pull request that closed a case.
 */
export interface FixedBy {
  /**
   * Key of the pull request.
   */
  key: string;
  /**
   * Beginning of its description; empty if it has none.
   */
  text: string;
  /**
   * Title of the pull request; empty if it is not mirrored.
   */
  title: string;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A report about the queried problem, in summary.
 */
export interface KnownReport {
  /**
   * Confidence band of the pair.
   */
  band: Band;
  /**
   * Probability that the report is the same problem, 0..1.
   */
  confidence: number;
  /**
   * Key of the report.
   */
  key: string;
  /**
   * Comment of the report to read first, if nothing else answers the question; null otherwise.
   */
  key_comment: CaseComment | null;
  /**
   * State: open, closed or merged; null if unknown.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker; null if there is none.
   */
  state_reason: string | null;
  /**
   * Status according to its thread; null if the thread was not read.
   */
  status: ProblemStatus | null;
  /**
   * Title of the report.
   */
  title: string;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A limitation of an answer that the user should know.
 */
export interface Notice {
  /**
   * Commands or options that do what the last sentence advises; absent if there are none.
   */
  command?: string | null;
  /**
   * Kind of the limitation.
   */
  lack: NoticeKind;
  /**
   * Action that resolves the problem; absent if none is known.
   */
  remedy?: Remedy | null;
  /**
   * Sentences without commands or options of the command line.
   */
  text: string;
}
/**
 * A known problem: a canonical report with its duplicates.
 */
export interface KnownProblem {
  /**
   * Version that the question names; null if it names none.
   */
  asked_version: AskedVersion | null;
  /**
   * Lowest version with the fix on which the problem was reported again; null if there is none.
   */
  came_back_in: string | null;
  /**
   * Time of the report's closure; null if it is open or the time is unknown.
   */
  closed_at: string | null;
  /**
   * Probability that the question is about this problem, 0..1; 1 if this is known.
   */
  confidence: number;
  /**
   * Comment that documents the fix, or the one to read first; null if there is none.
   */
  fix: CaseComment | null;
  /**
   * Time at which the fix was merged; null if no merged change is known.
   */
  fixed_at: string | null;
  /**
   * Merged pull requests that closed the report.
   */
  fixed_by: FixedBy[];
  /**
   * Version or milestone that has the fix; null if none is named.
   */
  fixed_in: string | null;
  /**
   * Key of the canonical report.
   */
  key: string;
  /**
   * Reasons for the match, strongest first.
   */
  reasons: string[];
  /**
   * Keys of the other reports of the problem.
   */
  reports: string[];
  /**
   * Status of the problem.
   */
  status: ProblemStatus;
  /**
   * Title of the canonical report.
   */
  title: string;
  /**
   * Version with the fix to update to; null unless the question's version is older than the fix.
   */
  update_to: string | null;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
  /**
   * Comment that describes a workaround; null if there is none.
   */
  workaround: CaseComment | null;
}
/**
 * An assembled, cited answer.
 */
export interface Brief {
  /**
   * Inputs of the brief.
   */
  record: BriefRecord;
  /**
   * Values that were replaced by pseudonyms.
   */
  redactions: Redaction[];
  /**
   * Sections in order; empty ones are left out.
   */
  sections: Section[];
  /**
   * Title of the brief.
   */
  title: string;
}
/**
 * The inputs of a brief; the same inputs produce the same bytes.
 */
export interface BriefRecord {
  /**
   * Time of the newest change in the casebook: the brief contains nothing later; null if
   * unknown.
   */
  as_of: string | null;
  /**
   * Name of the embedding model; null without one.
   */
  model: string | null;
  /**
   * `true` if names were to be redacted, but the model that recognizes them was missing or did not
   * read all of the text.
   */
  names_unrecognized?: boolean;
  /**
   * Request that the brief answers.
   */
  request: BriefRequest;
  /**
   * Revision of the casebook.
   */
  revision: number;
  /**
   * Documents that the brief is based on, in the order of citation.
   */
  sources: BriefSource[];
  /**
   * Format version of this record.
   */
  version: number;
}
/**
 * A request for a brief.
 */
export interface BriefRequest {
  /**
   * Recognized values that `redact` leaves unchanged, as written in the preview.
   */
  keep?: string[];
  /**
   * Key of the item; if null, `text` or `logs` is the subject.
   */
  key: string | null;
  /**
   * Keys of documents to leave out: duplicates, solved cases and pages that do not belong.
   */
  leave_out?: string[];
  /**
   * Local paths of logs, support bundles and folders of them, as an alternative to `text`. In
   * the record of a brief, `-` is a log that was read from standard input and is not kept.
   */
  logs?: string[];
  /**
   * `true` to include private notes attached to the item.
   */
  notes: boolean;
  /**
   * `true` to replace tokens, addresses, hosts and people with pseudonyms.
   */
  redact: boolean;
  /**
   * `true` to remove links to the tracker as well; requires `redact`.
   */
  redact_links?: boolean;
  /**
   * Key of the only source to search; null for all sources.
   */
  source: string | null;
  /**
   * A question or a pasted report.
   */
  text: string;
  /**
   * Settings of the search for solved cases.
   */
  troubleshooting: TroubleshootSettings;
  /**
   * Sections to leave out.
   */
  without: SectionKind[];
}
/**
 * A document that a brief is based on, as it was at that time.
 */
export interface BriefSource {
  /**
   * Citation label of the document.
   */
  citation: string;
  /**
   * Number of comments that the mirror held.
   */
  comments: number;
  /**
   * Key of the document.
   */
  key: string;
  /**
   * State: open, closed or merged; null for pages.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker; null if there is none.
   */
  state_reason: string | null;
  /**
   * Title of the document.
   */
  title: string;
  /**
   * Time of the last change; null if unknown.
   */
  updated_at: string | null;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A value that was replaced by a pseudonym; the original is not included.
 */
export interface Redaction {
  /**
   * Number of occurrences.
   */
  count: number;
  /**
   * Kind of the value: `token`, `email`, `address` (of a network), `host`, `link`, `user` (a
   * login), `person`, `place`, `company`, `phone`, `account` or `card`.
   */
  kind: string;
  /**
   * Pseudonym that replaces the value.
   */
  pseudonym: string;
}
/**
 * A section of a brief.
 */
export interface Section {
  /**
   * Statements of the section.
   */
  entries: Entry[];
  /**
   * Kind of the section.
   */
  kind: SectionKind;
  /**
   * Heading of the section.
   */
  title: string;
}
/**
 * A statement of a brief with its sources.
 */
export interface Entry {
  /**
   * Sources of the statement.
   */
  citations: Citation[];
  /**
   * Heading, if the entry begins a new topic; null otherwise.
   */
  heading: string | null;
  /**
   * Quotation; null if there is none.
   */
  quote: Quote | null;
  /**
   * Text of the statement; null if there is only a quotation.
   */
  text: string | null;
}
/**
 * A document that a statement is based on.
 */
export interface Citation {
  /**
   * Key of the document.
   */
  key: string;
  /**
   * Label as printed: `[Issue acme/app#12]`.
   */
  label: string;
  /**
   * URL on the tracker's website, down to the comment; null if unknown.
   */
  url: string | null;
}
/**
 * A quotation from a thread.
 */
export interface Quote {
  /**
   * Login of the author; null if unknown.
   */
  author: string | null;
  /**
   * Date on which it was written; null if unknown.
   */
  day: string | null;
  /**
   * `true` if the text is an excerpt of a longer comment.
   */
  excerpt: boolean;
  /**
   * Role of the comment in its thread, in one word; null if it could not be determined.
   */
  role: string | null;
  /**
   * Quoted text (Markdown as written).
   */
  text: string;
}
/**
 * The result of a calibration.
 */
export interface CalibrationReport {
  /**
   * Figures of the built-in ranking; null with too few labels.
   */
  built_in: RankingFigures | null;
  /**
   * Share of labeled issues whose duplicate ranks first, under the better of the two rankings
   * below.
   */
  found_first: number;
  /**
   * Share of labeled issues whose duplicate is among the first ten.
   */
  found_in_ten: number;
  /**
   * Number of issues in the source.
   */
  issues: number;
  /**
   * `true` if the source now has its own calibration; `false` with too few labels or on a dry
   * run.
   */
  kept: boolean;
  /**
   * Number of issues with a known earlier duplicate.
   */
  labels: number;
  /**
   * Held-out figures of a ranking fitted on the source's labels; null with too few labels. The
   * ranking is used if its `mrr` is higher than the built-in one's.
   */
  own: RankingFigures | null;
  /**
   * Key of the source.
   */
  source: string;
  /**
   * Precision and recall of the first candidate, by confidence threshold.
   */
  thresholds: ThresholdFigures[];
}
/**
 * The quality of a candidate ranking over reports with a known duplicate.
 */
export interface RankingFigures {
  /**
   * Share of reports whose duplicate ranks first.
   */
  found_first: number;
  /**
   * Share of reports whose duplicate is among the first ten.
   */
  found_in_ten: number;
  /**
   * Mean reciprocal rank: the mean of 1 / the rank of the first duplicate.
   */
  mrr: number;
}
/**
 * The quality of first candidates with at least a given confidence, on held-out reports.
 */
export interface ThresholdFigures {
  /**
   * Number of queries whose first candidate reaches the threshold.
   */
  answers: number;
  /**
   * Upper end of the precision's 95 % interval.
   */
  high: number;
  /**
   * Lower end of the precision's 95 % interval.
   */
  low: number;
  /**
   * Share of these first candidates that are right; null if none reaches the threshold.
   */
  precision: number | null;
  /**
   * Share of all duplicates found at this threshold.
   */
  recall: number;
  /**
   * Confidence threshold, 0..1.
   */
  threshold: number;
}
/**
 * The models that can be installed by name, and their host.
 */
export interface Catalog {
  /**
   * Host that models are downloaded from.
   */
  host: string;
  /**
   * Models, by name.
   */
  models: CatalogModel[];
}
/**
 * A model that can be installed by name.
 */
export interface CatalogModel {
  /**
   * Description by the model's makers.
   */
  description: string;
  /**
   * Length of the model's vectors.
   */
  dimensions: number;
  /**
   * Name in the catalog.
   */
  name: string;
}
/**
 * An open report that a person marked as a duplicate, with the planned change on its tracker.
 */
export interface Closure {
  /**
   * Name of the person or program that decided.
   */
  actor: string;
  /**
   * Key of the canonical report, at the end of the chain.
   */
  canonical: string;
  /**
   * Title of the canonical report; null if it is not mirrored.
   */
  canonical_title: string | null;
  /**
   * Commands that make the same change by hand.
   */
  commands: string[];
  /**
   * Comment as it would be posted.
   */
  comment: string;
  /**
   * Time of the decision.
   */
  decided_at: string;
  /**
   * Host that receives the change.
   */
  host: string;
  /**
   * Key of the report.
   */
  key: string;
  /**
   * Number of the report on the tracker.
   */
  number: number;
  /**
   * Reason why the report cannot be closed from here; null if it can.
   */
  obstacle: Hint | null;
  /**
   * Key of the report's source.
   */
  source: string;
  /**
   * Progress of an earlier attempt; null if there was none.
   */
  step: ClosureStep | null;
  /**
   * Title of the report.
   */
  title: string;
}
/**
 * A text with the action that resolves the problem, if one does.
 */
export interface Hint {
  /**
   * Commands or options that do what the last sentence advises; absent if there are none.
   */
  command?: string | null;
  /**
   * Action that resolves the problem; absent if none is known.
   */
  remedy?: Remedy | null;
  /**
   * Sentences without commands or options of the command line.
   */
  text: string;
}
/**
 * An entry of the journal of changes made on trackers.
 */
export interface ClosureRecord {
  /**
   * Name of the person or program that requested the closure.
   */
  actor: string;
  /**
   * Start time of the closure.
   */
  began_at: string;
  /**
   * Key of the canonical report.
   */
  canonical: string;
  /**
   * Time at which this progress was reached.
   */
  changed_at: string;
  /**
   * URL of the posted comment; null if unknown.
   */
  comment_url: string | null;
  /**
   * Key of the report.
   */
  key: string;
  /**
   * Reason for a refusal, or a deviation from the plan; null if there is none.
   */
  problem: string | null;
  /**
   * Progress of the closure.
   */
  step: ClosureStep;
}
/**
 * The result of closing reports.
 */
export interface ClosureReport {
  /**
   * Closures that were attempted, in order.
   */
  done: ClosureRecord[];
  /**
   * Error that ended the run early, null if none did; earlier closures remain.
   */
  problem: Failure | null;
}
/**
 * An error with a message and a hint. Neither contains secrets.
 */
export interface Failure {
  /**
   * Code for programs to act on.
   */
  code: Code;
  /**
   * Commands or options that do what the hint advises; absent if there are none.
   */
  command?: string | null;
  /**
   * Advice, without commands; null if there is none.
   */
  hint: string | null;
  /**
   * Description of the error.
   */
  message: string;
  /**
   * Action that resolves the problem; absent if none is known.
   */
  remedy?: Remedy | null;
}
/**
 * A column of a table, or an unused field of records.
 */
export interface ColumnView {
  /**
   * Number of characters in an unused field of a record; absent for tables.
   */
  characters?: number | null;
  /**
   * Name of the column.
   */
  column: string;
  /**
   * Field that the column provides; null if it is not used.
   */
  field: string | null;
  /**
   * `true` if the field was guessed from the contents of the column.
   */
  guessed?: boolean;
}
/**
 * A side-by-side comparison of two reports.
 */
export interface Comparison {
  /**
   * The earlier report that may be a duplicate.
   */
  candidate: Thread;
  /**
   * Highlights in the candidate.
   */
  candidate_marks: Mark[];
  /**
   * Facts that the reports name, by kind.
   */
  facts: Fact[];
  /**
   * The report.
   */
  report: Thread;
  /**
   * Highlights in the report.
   */
  report_marks: Mark[];
}
/**
 * A document with its comments and links.
 */
export interface Thread {
  /**
   * Author's association with the project as given by the tracker; null if unknown.
   */
  association: string | null;
  /**
   * Login of the author; null if unknown.
   */
  author: string | null;
  /**
   * Time of the closure; null if the document is not closed.
   */
  closed_at: string | null;
  /**
   * Comments, oldest first.
   */
  comments: ThreadComment[];
  /**
   * Creation time; null if unknown.
   */
  created_at: string | null;
  /**
   * Time at which the document was found to be deleted on the tracker; null if it still exists.
   */
  deleted_at: string | null;
  /**
   * Text as sanitized HTML.
   */
  html: string;
  /**
   * Key of the document.
   */
  key: string;
  /**
   * Kind of the document.
   */
  kind: DocKind;
  /**
   * Names of the labels.
   */
  labels: string[];
  /**
   * Links to and from other documents.
   */
  links: LinkView[];
  /**
   * `true` if the conversation is locked.
   */
  locked: boolean;
  /**
   * Text as written (Markdown).
   */
  markdown: string;
  /**
   * Title of the milestone; null if there is none.
   */
  milestone: string | null;
  /**
   * Number of comments that the tracker counts but the mirror does not hold.
   */
  missing_comments: number;
  /**
   * Number of the item; null for pages.
   */
  number: number | null;
  /**
   * Key of the source.
   */
  source: string;
  /**
   * State: open, closed or merged; null for pages.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker; null if there is none.
   */
  state_reason: string | null;
  /**
   * Title of the document.
   */
  title: string;
  /**
   * Time of the last change; null if unknown.
   */
  updated_at: string | null;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A comment as the reading pane shows it.
 */
export interface ThreadComment {
  /**
   * Anchor that is stable within the thread: `comment-123`.
   */
  anchor: string;
  /**
   * Author's association with the project as given by the tracker: `MEMBER`, `CONTRIBUTOR`,
   * `NONE`, …; null if unknown.
   */
  association: string | null;
  /**
   * Login of the author; null if the account no longer exists.
   */
  author: string | null;
  /**
   * `true` if a bot wrote it.
   */
  bot: boolean;
  /**
   * Time at which it was written.
   */
  created_at: string;
  /**
   * Text as sanitized HTML.
   */
  html: string;
  /**
   * `true` if the tracker shows the comment only to staff; absent if `false`.
   */
  internal?: boolean;
  /**
   * Text as written (Markdown).
   */
  markdown: string;
  /**
   * Time of the last edit; null if it was never edited.
   */
  updated_at: string | null;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A typed link to another document, as the reading pane shows it.
 */
export interface LinkView {
  /**
   * Kind of the other document; null if it is not mirrored.
   */
  document: DocKind | null;
  /**
   * Key of the other document.
   */
  key: string;
  /**
   * Kind of the link: `duplicate_of`, `relates_to`, `closes` or `mentions`.
   */
  kind: string;
  /**
   * `true` if the link starts at this document.
   */
  outgoing: boolean;
  /**
   * State of the other document; null if it is not mirrored.
   */
  state: State | null;
  /**
   * Title of the other document; null if it is not mirrored.
   */
  title: string | null;
}
/**
 * A piece of text to highlight wherever it occurs as a whole word, ignoring case.
 */
export interface Mark {
  /**
   * Meaning of the highlight.
   */
  kind: MarkKind;
  /**
   * Text to highlight, in lower case.
   */
  text: string;
}
/**
 * The values of one kind that two reports name.
 */
export interface Fact {
  /**
   * Values that only the candidate names.
   */
  candidate: string[];
  /**
   * Kind of the values.
   */
  kind: FactKind;
  /**
   * Values that only the report names.
   */
  report: string[];
  /**
   * Values that both name.
   */
  shared: string[];
}
/**
 * The contribution of one arm to a result's score.
 */
export interface Contribution {
  /**
   * Amount added to the combined score: `weight` times the normalized score.
   */
  adds: number;
  /**
   * Retrieval method.
   */
  arm: Arm;
  /**
   * Rank of the document in that arm, from 1.
   */
  rank: number;
  /**
   * Score of the arm.
   */
  score: number;
  /**
   * Weight of the arm in the fusion.
   */
  weight: number;
}
/**
 * An issue that is known to be a duplicate.
 */
export interface CountedDuplicate {
  /**
   * Creation time; null if unknown.
   */
  created_at: string | null;
  /**
   * Key of the issue.
   */
  key: string;
  /**
   * Key of the canonical report; null if unknown.
   */
  of: string | null;
  /**
   * State: open or closed; null if unknown.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker; null if there is none.
   */
  state_reason: string | null;
  /**
   * Title of the issue.
   */
  title: string;
}
/**
 * The coverage of the casebook by the indexes.
 */
export interface Coverage {
  /**
   * Number of chunks that should have a vector.
   */
  chunks: number;
  /**
   * Number of documents in the store.
   */
  documents: number;
  /**
   * Number of chunks that have a vector.
   */
  embedded: number;
  /**
   * Number of documents whose current text, with all comments, is in the full-text index.
   */
  full_text: number;
  /**
   * Number of documents that changed since they were divided into chunks; the number of their
   * new chunks is not known yet.
   */
  unread: number;
}
/**
 * The detected content of the files of an import.
 */
export interface DetectedFiles {
  /**
   * Files of a folder or archive without content to import, with reasons.
   */
  left_out: Skip[];
  /**
   * Files with content to import.
   */
  understood: FileView[];
}
/**
 * A record that an import skipped.
 */
export interface Skip {
  /**
   * File and position of the record: `issues.jsonl:17`.
   */
  place: string;
  /**
   * Reason for skipping the record.
   */
  reason: string;
}
/**
 * The detected format and content of a file.
 */
export interface FileView {
  /**
   * Columns of a table in their order, or the unused fields of records, longest text first.
   */
  columns: ColumnView[];
  /**
   * Number of comments.
   */
  comments: number;
  /**
   * Doubts about the detected format.
   */
  doubts: Hint[];
  /**
   * Text encoding; null for UTF-8.
   */
  encoding: string | null;
  /**
   * Name of the file, or its name in the archive.
   */
  file: string;
  /**
   * First three items.
   */
  first: ItemPreview[];
  /**
   * Number of items.
   */
  items: number;
  /**
   * Detected format: `Jira CSV`.
   */
  kind: string;
  /**
   * Number of links between items.
   */
  links: number;
  /**
   * Number of wiki pages.
   */
  pages: number;
  /**
   * Number of releases, in a changelog or a list of releases.
   */
  releases: number;
  /**
   * Number of records that cannot be used.
   */
  skipped: number;
  /**
   * First skipped records.
   */
  skips: Skip[];
  /**
   * Sources that the content goes into.
   */
  sources: ShareView[];
}
/**
 * A preview of an item.
 */
export interface ItemPreview {
  /**
   * Creation time; null if unknown.
   */
  created_at: string | null;
  /**
   * Key of the item.
   */
  key: string;
  /**
   * Names of the labels.
   */
  labels: string[];
  /**
   * State of the item; null if unknown.
   */
  state: State | null;
  /**
   * Title of the item.
   */
  title: string;
}
/**
 * The part of an import that goes into one source.
 */
export interface ShareView {
  /**
   * Number of comments.
   */
  comments: number;
  /**
   * Number of items and pages.
   */
  items: number;
  /**
   * Key of the source.
   */
  source: string;
}
/**
 * An earlier report that may be a duplicate.
 */
export interface DuplicateCandidate {
  /**
   * Confidence band of the pair.
   */
  band: Band;
  /**
   * Key of the report that this one is a duplicate of, at the end of the chain; null if it is
   * not a duplicate.
   */
  canonical: string | null;
  /**
   * Calibrated probability that one fix resolves both, 0..1.
   */
  confidence: number;
  /**
   * Creation time; null if unknown.
   */
  created_at: string | null;
  /**
   * Current disposition of the report.
   */
  disposition: Disposition;
  /**
   * Key of the report.
   */
  key: string;
  /**
   * Number of the item; null if it has none.
   */
  number: number | null;
  /**
   * Outcome of past answers with this confidence; null if too few were read.
   */
  outcome: Outcome | null;
  /**
   * Reasons for the match, in words.
   */
  reasons: string[];
  /**
   * Similarity of the two reports.
   */
  similarity: Similarity;
  /**
   * State: open, closed or merged; null if unknown.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker; null if there is none.
   */
  state_reason: string | null;
  /**
   * Title of the report.
   */
  title: string;
  /**
   * Features of the score with their values and weights; absent unless requested.
   */
  trace?: Evidence[] | null;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
  /**
   * Earlier verdict of a person about the pair; null if there is none.
   */
  verdict: VerdictKind | null;
  /**
   * Calibrated probability that the report is worth reading (a duplicate or related), 0..1;
   * never below the confidence.
   */
  worth: number;
}
/**
 * The outcome of past answers at the same confidence that were reviewed.
 */
export interface Outcome {
  /**
   * Number of answers that were reviewed.
   */
  read: number;
  /**
   * Number of the others that were related.
   */
  related: number;
  /**
   * Number of them that were the same problem.
   */
  same: number;
}
/**
 * The similarity of two reports; each value is 0..1.
 */
export interface Similarity {
  /**
   * Text similarity: Jaccard coefficient of distinct words.
   */
  body: number;
  /**
   * Combined similarity that the threshold applies to: 1 − (1 − semantic)(1 − title / 2)(1 −
   * body / 2), or 1 − (1 − title)(1 − body) without a vector.
   */
  combined: number;
  /**
   * Semantic similarity: cosine of the embeddings; null without a vector.
   */
  semantic: number | null;
  /**
   * Title similarity: Dice–Sørensen coefficient of character pairs.
   */
  title: number;
}
/**
 * The contribution of one feature to a candidate's score.
 */
export interface Evidence {
  /**
   * Amount added to the score.
   */
  adds: number;
  /**
   * Name of the feature.
   */
  feature: string;
  /**
   * Value of the feature.
   */
  value: number;
  /**
   * Weight of the feature.
   */
  weight: number;
}
/**
 * A request for duplicates of an item in the casebook or of a draft.
 */
export interface DuplicatesRequest {
  /**
   * Text of the draft (Markdown).
   */
  body: string;
  /**
   * `true` to search all sources for an item, not just its own.
   */
  everywhere: boolean;
  /**
   * `true` to add the score's features to each candidate.
   */
  explain: boolean;
  /**
   * `true` if closed reports are candidates as well.
   */
  include_closed: boolean;
  /**
   * Key of the item; if null, `title` and `body` form the draft.
   */
  key: string | null;
  /**
   * Maximum number of candidates.
   */
  max_candidates: number;
  /**
   * Key of the only source to search; null for an item's own source, or for all sources with a
   * draft.
   */
  source: string | null;
  /**
   * Lowest combined similarity of a candidate, 0..1.
   */
  threshold: number;
  /**
   * Title of the draft; may be empty for pasted text.
   */
  title: string;
}
/**
 * The response to a request for duplicates.
 */
export interface DuplicatesResponse {
  /**
   * Band of the best candidate; `none` without candidates.
   */
  band: Band;
  /**
   * Number of labeled reports that the confidence was calibrated on.
   */
  calibrated_on: number;
  /**
   * Candidates, most likely first; ties ordered by key.
   */
  candidates: DuplicateCandidate[];
  /**
   * Keys of reports that name each other as duplicates in a cycle with this one; empty without a
   * cycle.
   */
  circle: string[];
  /**
   * Number of earlier reports compared in detail.
   */
  compared: number;
  /**
   * `true` if the indexes were complete. If `false`, a missing match does not prove that none
   * exists.
   */
  conclusive: boolean;
  /**
   * Key of the queried item; null for a draft.
   */
  key: string | null;
  /**
   * The report that the item is already known to be a duplicate of; null if there is none.
   */
  known: KnownDuplicate | null;
  /**
   * Known duplicates of the item, ordered by key.
   */
  known_duplicates: KnownDuplicate[];
  /**
   * Limitations of this answer.
   */
  notices: Notice[];
  /**
   * Keys of candidates that a person marked as not duplicates; they are left out here.
   */
  rejected: string[];
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
}
/**
 * A report that another one is known to be a duplicate of, regardless of their text: a person
 * decided it, or the tracker or its comments state it.
 */
export interface KnownDuplicate {
  /**
   * Current disposition of the report; null if the casebook does not hold it.
   */
  disposition: Disposition | null;
  /**
   * Key of the canonical report, at the end of the chain of duplicates.
   */
  key: string;
  /**
   * Kind of the document; null if the casebook does not hold it.
   */
  kind: DocKind | null;
  /**
   * State: open, closed or merged; null if unknown.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker; null if there is none.
   */
  state_reason: string | null;
  /**
   * Title of the report; null if the casebook does not hold it.
   */
  title: string | null;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A finding of a check.
 */
export interface Finding {
  /**
   * Advice to resolve it.
   */
  hint: Hint;
  /**
   * Identifier for scripts: `orphan_rows`.
   */
  id: string;
  /**
   * `true` if `doctor --repair` can repair it.
   */
  repairable: boolean;
  /**
   * `true` if this run repaired it.
   */
  repaired: boolean;
  /**
   * Severity of the finding.
   */
  severity: Severity;
  /**
   * Description of the finding.
   */
  what: string;
  /**
   * Reason why it matters.
   */
  why: string;
}
/**
 * A gap in a mirror's data.
 */
export interface Gap {
  /**
   * Commands or options that do what the last sentence advises; absent if there are none.
   */
  command?: string | null;
  /**
   * Kind of the gap.
   */
  kind: GapKind;
  /**
   * Action that resolves the problem; absent if none is known.
   */
  remedy?: Remedy | null;
  /**
   * Sentences without commands or options of the command line.
   */
  text: string;
}
/**
 * The result of a check of a casebook.
 */
export interface Health {
  /**
   * Path of the casebook's folder.
   */
  casebook: string;
  /**
   * Descriptions of the checks that ran.
   */
  checked: string[];
  /**
   * Findings, most severe first.
   */
  findings: Finding[];
}
/**
 * A document that matches a search.
 */
export interface Hit {
  /**
   * Login of the author; null if unknown.
   */
  author: string | null;
  /**
   * Time of the closure; null if the item is open.
   */
  closed_at: string | null;
  /**
   * Number of mirrored comments.
   */
  comments: number;
  /**
   * Creation time; null if unknown.
   */
  created_at: string | null;
  /**
   * Key of the document: `acme/app#123` or `acme/app:Page-Name`.
   */
  key: string;
  /**
   * Kind of the document.
   */
  kind: DocKind;
  /**
   * Names of the labels.
   */
  labels: string[];
  /**
   * Number of the item; null for pages.
   */
  number: number | null;
  /**
   * Best passages, best first; at least one if the document has text, unless only titles were
   * requested.
   */
  passages: Passage[];
  /**
   * Score of each arm.
   */
  scores: Scores;
  /**
   * Key of the source: `acme/app`.
   */
  source: string;
  /**
   * State: open, closed or merged; null for pages.
   */
  state: State | null;
  /**
   * Reason for the closure as given by the tracker: `completed`, `not_planned`, `duplicate`, …;
   * null if there is none.
   */
  state_reason: string | null;
  /**
   * Title with matches marked.
   */
  title: Span[];
  /**
   * Contributions of the arms to the score; absent unless requested.
   */
  trace?: Contribution[] | null;
  /**
   * Time of the last change; null if unknown.
   */
  updated_at: string | null;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
  /**
   * Reason for the match, in one sentence.
   */
  why: string;
}
/**
 * A snippet of a document that shows why it matches.
 */
export interface Passage {
  /**
   * Anchor of the comment in the thread (`comment-123`), or `body`.
   */
  anchor: string;
  /**
   * Login of the author; null if unknown.
   */
  author: string | null;
  /**
   * `true` if the text is code, a log or a stack trace, to be shown in a monospaced font.
   */
  code: boolean;
  /**
   * Cosine similarity of this passage to the query, −1..1; null without a vector.
   */
  cosine: number | null;
  /**
   * Time at which it was written; null if unknown.
   */
  created_at: string | null;
  /**
   * Part of the document.
   */
  part: Part;
  /**
   * Text, cut to a readable length, with matches marked.
   */
  spans: Span[];
}
/**
 * A run of text that either matches the query or does not.
 */
export interface Span {
  /**
   * `true` if the text matches the query.
   */
  hit: boolean;
  /**
   * Text of the run.
   */
  text: string;
}
/**
 * The score of each arm for a result. Thresholds apply to these scores, never to `fused`.
 */
export interface Scores {
  /**
   * BM25F as a share of the query's highest possible score, about 0..1. For a query that
   * restricts the fields, BM25: 0 and up, unbounded. Comparable within one query only; null if
   * the arm did not find the document.
   */
  bm25: number | null;
  /**
   * Cosine similarity of the best chunk to the query, −1..1; null if unknown.
   */
  cosine: number | null;
  /**
   * Combined score of the arms; used only for the order.
   */
  fused: number;
  /**
   * BM25 of the signatures that the document shares with the query: the rarer they are, the
   * higher. Null if it shares none.
   */
  signature: number | null;
}
/**
 * A host that this casebook connects to.
 */
export interface HostView {
  /**
   * Base URL of the API: `https://api.github.com`.
   */
  address: string;
  /**
   * Display name of the host: `github.com`.
   */
  host: string;
  /**
   * `true` if the token is in the system's keyring, from which it can be removed.
   */
  kept: boolean;
  /**
   * Keys of the sources mirrored from the host.
   */
  sources: string[];
  /**
   * Location of the token in words, never the token itself; null without one.
   */
  token: string | null;
}
/**
 * The result of an import.
 */
export interface ImportReport {
  /**
   * Number of comments among the records.
   */
  comments: number;
  /**
   * Number of records with a date ahead of this computer's clock; the date was cut to the time
   * of the import.
   */
  dated_ahead: number;
  /**
   * Number of files read.
   */
  files: number;
  /**
   * Number of items among the records.
   */
  items: number;
  /**
   * Number of new records.
   */
  new: number;
  /**
   * Number of wiki pages among the records.
   */
  pages: number;
  /**
   * Number of records that could not be used.
   */
  skipped: number;
  /**
   * First skipped records, up to [`ImportReport::MAX_SKIPS`] (50).
   */
  skips: Skip[];
  /**
   * Key of the source.
   */
  source: string;
  /**
   * Number of records older than the stored ones, which are ignored.
   */
  stale: number;
  /**
   * Number of records that were already stored unchanged.
   */
  unchanged: number;
  /**
   * Number of updated records without any date; for these the later import wins, even if its
   * record is older.
   */
  undated: number;
  /**
   * Number of records that differ from the stored ones.
   */
  updated: number;
}
/**
 * A request to import files.
 */
export interface ImportRequest {
  /**
   * Mapping for tables: pairs of a field and a column, and the meaning of words and dates.
   */
  map: [string, string][];
  /**
   * Paths of files, archives and folders.
   */
  paths: string[];
  /**
   * Key of the source to import into; null to use the projects that the files name.
   */
  source: string | null;
}
/**
 * The result of importing files.
 */
export interface ImportResult {
  /**
   * Number of comments among the records.
   */
  comments: number;
  /**
   * Number of records with a date ahead of this computer's clock; the date was cut to the time
   * of the import.
   */
  dated_ahead: number;
  /**
   * Number of files read.
   */
  files: number;
  /**
   * Number of items among the records.
   */
  items: number;
  /**
   * Files of a folder or archive without content to import, with reasons.
   */
  left_out: Skip[];
  /**
   * Number of new records.
   */
  new: number;
  /**
   * Number of wiki pages among the records.
   */
  pages: number;
  /**
   * Number of records that could not be used.
   */
  skipped: number;
  /**
   * First skipped records, up to [`ImportReport::MAX_SKIPS`] (50).
   */
  skips: Skip[];
  /**
   * Key of the source.
   */
  source: string;
  /**
   * Sources that received data, with what was read for each.
   */
  sources: ShareView[];
  /**
   * Number of records older than the stored ones, which are ignored.
   */
  stale: number;
  /**
   * Number of records that were already stored unchanged.
   */
  unchanged: number;
  /**
   * Number of updated records without any date; for these the later import wins, even if its
   * record is older.
   */
  undated: number;
  /**
   * Files with content to import.
   */
  understood: FileView[];
  /**
   * Number of records that differ from the stored ones.
   */
  updated: number;
}
/**
 * The result of updating the indexes.
 */
export interface IndexReport {
  /**
   * `true` if another process is already updating the indexes; nothing was done.
   */
  busy_elsewhere: boolean;
  /**
   * Calibrations of sources with known duplicates; empty until all vectors are computed.
   */
  calibrated: CalibrationReport[];
  /**
   * Number of documents written to the full-text index.
   */
  documents: number;
  /**
   * Number of passages that received a vector.
   */
  embedded: number;
  /**
   * Seconds until the full text was searchable.
   */
  full_text_seconds: number;
  /**
   * Reason why no vectors were computed; null if the model could be used.
   */
  model_problem: Hint | null;
  /**
   * Seconds for computing the vectors.
   */
  vector_seconds: number;
}
/**
 * The issue counts by month and by source.
 */
export interface Insights {
  /**
   * Months from the first to the last, without gaps.
   */
  months: MonthVolume[];
  /**
   * Sources, ordered by key.
   */
  sources: SourceVolume[];
}
/**
 * The issue counts of one month.
 */
export interface MonthVolume {
  /**
   * Number of issues closed in the month.
   */
  closed: number;
  /**
   * Number of issues reported in the month that are known to be duplicates.
   */
  duplicates: number;
  /**
   * Month: `2026-03`.
   */
  month: string;
  /**
   * Number of issues reported in the month.
   */
  opened: number;
}
/**
 * The issue counts of one source.
 */
export interface SourceVolume {
  /**
   * Number of issues that are known to be duplicates.
   */
  duplicates: number;
  /**
   * Number of issues.
   */
  issues: number;
  /**
   * Median number of days from creation to closure; null without closed issues.
   */
  median_days: number | null;
  /**
   * Number of open issues.
   */
  open: number;
  /**
   * Key of the source.
   */
  source: string;
}
/**
 * The data that the window needs before the casebook is open.
 */
export interface Launch {
  /**
   * Data folder.
   */
  casebook: string;
  /**
   * True if the sample is to be imported into an empty casebook at once.
   */
  sample: boolean;
  /**
   * Version of the program.
   */
  version: string;
  /**
   * Error in the settings file, with its position.
   */
  wrong_settings: Failure | null;
}
/**
 * A problem of a list.
 */
export interface ListedProblem {
  /**
   * Keys of the articles about the problem.
   */
  articles: string[];
  /**
   * Number of reports created in the 30 days before those.
   */
  before: number;
  /**
   * Lowest version with the fix on which the problem was reported again; null if there is none.
   */
  came_back_in: string | null;
  /**
   * Version that has the fix; null if none is documented.
   */
  fixed_in: string | null;
  /**
   * Canonical report if known, otherwise the earliest.
   */
  head: ProblemReport;
  /**
   * Other reports, in order of creation.
   */
  members: ProblemReport[];
  /**
   * Reports by month, from the first to the last; the last 24 months at most.
   */
  months: ProblemMonth[];
  /**
   * Number of open reports.
   */
  open: number;
  /**
   * Number of reports created in the last 30 days.
   */
  recent: number;
  /**
   * Number of reports including the head.
   */
  size: number;
  /**
   * Status of the problem.
   */
  status: ProblemStatus;
  /**
   * Reports by version, lowest version first.
   */
  versions: ProblemVersion[];
}
/**
 * A report of a problem.
 */
export interface ProblemReport {
  /**
   * Confidence that the report is a duplicate of the first one, 0..1: the product of the
   * confidences along the chain.
   */
  confidence: number;
  /**
   * Creation time; null if unknown.
   */
  created_at: string | null;
  /**
   * Key of the report.
   */
  key: string;
  /**
   * `true` if a person or the tracker states that the report belongs to the problem, or if it is
   * the first one.
   */
  known: boolean;
  /**
   * `true` if the report is open.
   */
  open: boolean;
  /**
   * Title of the report.
   */
  title: string;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
  /**
   * Newest version of the product that the report names; null if it names none.
   */
  version: string | null;
  /**
   * Key of the report that connects it to the problem; null for the first one.
   */
  via: string | null;
}
/**
 * The number of a problem's reports created in one month.
 */
export interface ProblemMonth {
  /**
   * Month: `2026-03`.
   */
  month: string;
  /**
   * Number of reports created in the month.
   */
  reports: number;
}
/**
 * The number of a problem's reports on one version.
 */
export interface ProblemVersion {
  /**
   * Number of reports that name it as their newest version.
   */
  reports: number;
  /**
   * Version of the product.
   */
  version: string;
}
/**
 * A distinct error of a log, with what the casebook knows about it.
 */
export interface LogError {
  /**
   * `true` if one of the events occurred shortly before the program crashed.
   */
  before_crash: boolean;
  /**
   * Solved case that probably helps; null if there is none.
   */
  case: SolvedCase | null;
  /**
   * Number of events.
   */
  count: number;
  /**
   * Text of one event with its trace, without its time and level.
   */
  example: string;
  /**
   * `true` if `example` is an excerpt of a longer text.
   */
  excerpt: boolean;
  /**
   * Position of the first event.
   */
  first: LogPlace;
  /**
   * Most similar report; null if there is none.
   */
  known: KnownReport | null;
  /**
   * Position of the last event.
   */
  last: LogPlace;
  /**
   * Message of one event, on one line.
   */
  message: string;
  /**
   * `true` if the last event is near the end of its file.
   */
  near_end: boolean;
  /**
   * Severity of the events.
   */
  severity: LogSeverity;
  /**
   * Common text of the events; `*` replaces the parts that differ.
   */
  template: string;
  /**
   * Status of the error in the casebook.
   */
  verdict: LogVerdict;
}
/**
 * A position in a log.
 */
export interface LogPlace {
  /**
   * Time as written in the log; null if there is none.
   */
  at: string | null;
  /**
   * Name of the file in its folder or archive.
   */
  file: string;
  /**
   * Line number, from 1.
   */
  line: number;
}
/**
 * A file that was read or skipped.
 */
export interface LogFile {
  /**
   * Number of lines read.
   */
  lines: number;
  /**
   * Name of the file in its folder or archive.
   */
  name: string;
  /**
   * Reason why the file was not read, or was read only in part; null if it was read completely.
   */
  skipped: string | null;
}
/**
 * A request to look up the errors of logs.
 */
export interface LogRequest {
  /**
   * Maximum number of distinct errors to look up, 1..=50.
   */
  max_errors: number;
  /**
   * Local paths of files, archives and folders.
   */
  paths: string[];
  /**
   * Settings of the search for solved cases.
   */
  settings: TroubleshootSettings;
  /**
   * Key of the only source to search; null for all sources.
   */
  source: string | null;
  /**
   * Pasted text of a log, read if there are no paths.
   */
  text: string;
}
/**
 * The response to a request about logs.
 */
export interface LogResponse {
  /**
   * Number of bytes of text read.
   */
  bytes: number;
  /**
   * `true` if the indexes were complete. If `false`, a missing match does not prove that none
   * exists.
   */
  conclusive: boolean;
  /**
   * Total number of distinct errors and warnings.
   */
  distinct: number;
  /**
   * Errors that were looked up, most important first.
   */
  errors: LogError[];
  /**
   * Files that were read or skipped.
   */
  files: LogFile[];
  /**
   * Number of the errors below that have been reported and are not solved.
   */
  known: number;
  /**
   * Number of events whose group was dropped because there were thousands of distinct errors.
   */
  left_out: number;
  /**
   * Number of lines read.
   */
  lines: number;
  /**
   * Number of the errors below without a similar report.
   */
  new: number;
  /**
   * Limitations of this answer.
   */
  notices: Notice[];
  /**
   * Number of the errors below with a similar report that may be the same error.
   */
  perhaps: number;
  /**
   * Number of the errors below that a solved case probably helps with.
   */
  solved: number;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
}
/**
 * A live source: its origin, read progress and gaps.
 */
export interface MirrorView {
  /**
   * Gaps in the mirrored data.
   */
  gaps: Gap[];
  /**
   * Host of the tracker: `github.com`.
   */
  host: string;
  /**
   * Progress of the running sync; null if none is running.
   */
  progress: SyncProgress | null;
  /**
   * Current name of the project on the tracker.
   */
  project: string;
  /**
   * `true` if a sync is running, in this process or another.
   */
  running: boolean;
  /**
   * Key of the source: `acme/app`.
   */
  source: string;
  /**
   * Lists of the tracker.
   */
  streams: StreamView[];
  /**
   * Time of the last check for deleted items; null if never checked.
   */
  swept_at: string | null;
  /**
   * Time at which the last sync ended, successfully or not; null if never synced.
   */
  synced_at: string | null;
}
/**
 * The progress of a running sync, in this process or another.
 */
export interface SyncProgress {
  /**
   * Amount of this phase that is done, in `unit`s.
   */
  done: number;
  /**
   * Phase: `sync`, or `wait` while the tracker allows no more requests.
   */
  phase: string;
  /**
   * Start time of this phase.
   */
  started_at: string;
  /**
   * Time of this progress report.
   */
  told_at: string;
  /**
   * Total amount of this phase, in `unit`s; null if unknown.
   */
  total: number | null;
  /**
   * Unit of `done` and `total`: `records` or `seconds`.
   */
  unit: string;
}
/**
 * The read progress of one of a tracker's lists.
 */
export interface StreamView {
  /**
   * Time at which the list was last read to its end; null if never.
   */
  finished_at: string | null;
  /**
   * Name of the list: `items`, `comments`, `review_comments`, `discussions` or `pages`.
   */
  name: string;
  /**
   * Number of pages read in the current, unfinished pass.
   */
  pages: number;
  /**
   * Reason why the tracker refuses the list; null if it does not.
   */
  refused: string | null;
  /**
   * Number of records that could not be read.
   */
  unreadable: number;
  /**
   * Time before which all changes are mirrored; null if not known yet.
   */
  watermark: string | null;
}
/**
 * The availability of semantic search.
 */
export interface ModelStatus {
  /**
   * Name of the model; null without one.
   */
  name: string | null;
  /**
   * The model whose vectors are being computed while the current one is in use; null if there is
   * none.
   */
  next: NextModel | null;
  /**
   * Reason why the model cannot be used, and the remedy; null if it can be used.
   */
  problem: Hint | null;
}
/**
 * A model that replaces the current one once its vectors are computed.
 */
export interface NextModel {
  /**
   * Number of passages that need a vector; 0 until they are counted.
   */
  chunks: number;
  /**
   * Number of passages that have a vector.
   */
  embedded: number;
  /**
   * Name of the model.
   */
  name: string;
}
/**
 * An installed or built-in embedding model.
 */
export interface ModelView {
  /**
   * `true` if this is the model in use.
   */
  answers: boolean;
  /**
   * Size of its files on disk in bytes; null for the built-in model.
   */
  bytes: number | null;
  /**
   * Number of dimensions of its vectors; null if unknown.
   */
  dimensions: number | null;
  /**
   * Number of passages of this casebook that have a vector of this model.
   */
  embedded: number;
  /**
   * Maximum input length in tokens; null if unknown.
   */
  max_tokens: number | null;
  /**
   * Local name of the model.
   */
  name: string;
  /**
   * `true` if its vectors are being computed.
   */
  next: boolean;
  /**
   * Reason why the model cannot be used if its card is unreadable; null otherwise.
   */
  problem: Hint | null;
  /**
   * Size of its vectors on disk in bytes.
   */
  vector_bytes: number;
}
/**
 * A live source to add.
 */
export interface NewMirror {
  /**
   * Host, including the path below which the tracker is served; null if `place` contains it.
   */
  host: string | null;
  /**
   * Key of the new source; null for the project's name, prefixed with the host's if it has only
   * one part.
   */
  key: string | null;
  /**
   * Project, prefixed with the host unless `host` gives it: `acme/app`,
   * `redmine.acme.example/app`.
   */
  place: string;
  /**
   * Kind of tracker: `github`, `gitlab`, `gitea`, `forgejo`, `jira`, `redmine`, `bugzilla`,
   * `azure`, `linear`, `confluence`, `zendesk` or `discourse`.
   */
  tracker: string;
  /**
   * `true` to mirror the wiki as well.
   */
  wiki: boolean;
}
/**
 * A private note.
 */
export interface Note {
  /**
   * Text of the note (Markdown).
   */
  body: string;
  /**
   * Keys of the connected items, pages and notes.
   */
  connected: string[];
  /**
   * Time of creation.
   */
  created_at: string;
  /**
   * Key of the note: `note#12`.
   */
  key: string;
  /**
   * Kind of the note.
   */
  kind: NoteKind;
  /**
   * Lifecycle state of the note.
   */
  lifecycle: Lifecycle;
  /**
   * Tags for finding the note.
   */
  tags: string[];
  /**
   * Title of the note.
   */
  title: string;
  /**
   * Time of the last change.
   */
  updated_at: string;
}
/**
 * The response to a request to store a note.
 */
export interface NoteAnswer {
  /**
   * Notes of the same kind with the same or nearly the same content.
   */
  matches: NoteMatch[];
  /**
   * The stored note, or the existing one for a duplicate.
   */
  note: Note;
  /**
   * Outcome of the request.
   */
  outcome: NoteOutcome;
  /**
   * Reason why the check for similar notes was incomplete, in which case the note is stored
   * regardless; null if it was complete.
   */
  warning: string | null;
}
/**
 * A note with the same or nearly the same content.
 */
export interface NoteMatch {
  /**
   * Differences between notes that read alike: numbers, versions, codes, a negation.
   */
  differs: string[];
  /**
   * `true` if the notes are identical word for word.
   */
  exact: boolean;
  /**
   * Key of the note.
   */
  id: string;
  /**
   * Kind of the note.
   */
  kind: NoteKind;
  /**
   * Lifecycle state of the note.
   */
  lifecycle: Lifecycle;
  /**
   * Cosine similarity of the two notes, 0..1; 1 for identical words.
   */
  similarity: number;
  /**
   * Title of the note.
   */
  title: string;
}
/**
 * A change to a note; omitted fields stay unchanged.
 */
export interface NoteChange {
  /**
   * Keys of further items, pages and notes to attach the note to; existing attachments stay.
   */
  attach: string[];
  /**
   * New text (Markdown); null to keep it.
   */
  body: string | null;
  /**
   * New lifecycle state; null to keep it.
   */
  lifecycle: Lifecycle | null;
  /**
   * New tags, replacing all existing ones; null to keep them.
   */
  tags: string[] | null;
  /**
   * New title; null to keep it.
   */
  title: string | null;
}
/**
 * A note to store.
 */
export interface NoteDraft {
  /**
   * Keys of items, pages and notes to attach the note to.
   */
  attach: string[];
  /**
   * Text (Markdown); must not be empty.
   */
  body: string;
  /**
   * `true` to store the note even if a duplicate exists.
   */
  force: boolean;
  /**
   * Kind of the note.
   */
  kind: NoteKind;
  /**
   * Tags for finding the note.
   */
  tags: string[];
  /**
   * Title; must not be empty.
   */
  title: string;
}
/**
 * A request for a list of problems.
 */
export interface ProblemsRequest {
  /**
   * Maximum number of problems; 0 means 20.
   */
  limit: number;
  /**
   * List to return.
   */
  list: ProblemList & string;
  /**
   * Lowest number of reports in a problem; 0 means 1 for unreleased fixes and 2 elsewhere.
   */
  min_reports: number;
  /**
   * Key of the only source to include; null for all sources.
   */
  source: string | null;
  /**
   * Lowest confidence that connects two reports without a verdict, 0..1.
   */
  threshold: number;
}
/**
 * The response to a request for a list of problems.
 */
export interface ProblemsResponse {
  /**
   * List that was requested.
   */
  list: ProblemList;
  /**
   * Number of open reports in all of them.
   */
  open: number;
  /**
   * Problems in the order of the list; ties ordered by the key of the head.
   */
  problems: ListedProblem[];
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * Total number of problems in the list.
   */
  total: number;
  /**
   * Number of open reports that are new or changed and were not checked; they may belong to a
   * problem as well.
   */
  unscanned: number;
  /**
   * Keys of the sources whose releases are unknown.
   */
  without_releases: string[];
}
/**
 * The progress of a job.
 */
export interface Progress {
  /**
   * Amount done in this phase, in `unit`s.
   */
  done: number;
  /**
   * Phase of the job.
   */
  phase: Phase;
  /**
   * Total amount of this phase, in `unit`s; null if unknown.
   */
  total: number | null;
  /**
   * Unit of `done` and `total`: `bytes`, `documents`, `passages`, `records`, `seconds`,
   * `queries` or `reports`.
   */
  unit: string;
}
/**
 * The prompt settings chosen by the user.
 */
export interface PromptSettings {
  /**
   * Shortcut that opens the prompt from anywhere, such as `Ctrl+Alt+P`, if any.
   */
  shortcut: string | null;
  /**
   * True if the tray icon is enabled.
   */
  tray: boolean;
}
/**
 * The current state of the prompt.
 */
export interface PromptState {
  /**
   * Suggested shortcut.
   */
  default_shortcut: string;
  /**
   * Shortcut that opens the prompt.
   */
  shortcut: string | null;
  /**
   * Keys as the desktop describes them, if it does.
   */
  shortcut_keys: string | null;
  /**
   * Reason why the requested shortcut does not open the prompt.
   */
  shortcut_problem: string | null;
  /**
   * True if the tray icon is shown.
   */
  tray: boolean;
  /**
   * Reason why the requested tray icon is not shown.
   */
  tray_problem: string | null;
}
/**
 * A value that a redaction would replace, with the original; only for display, never exported.
 */
export interface RedactionPreview {
  /**
   * Number of occurrences.
   */
  count: number;
  /**
   * Kind of the value: `token`, `email`, `address` (of a network), `host`, `link`, `user` (a
   * login), `person`, `place`, `company`, `phone`, `account` or `card`.
   */
  kind: string;
  /**
   * Original value.
   */
  original: string;
  /**
   * Pseudonym that would replace the value.
   */
  pseudonym: string;
  /**
   * `true` if the value was recognized with certainty. The user decides about the others and can
   * list them in `keep`.
   */
  sure: boolean;
}
/**
 * A search request.
 */
export interface SearchRequest {
  /**
   * `true` to add the score's contributions to each result.
   */
  explain: boolean;
  /**
   * Additional filters of the query language, without words. They apply even if the query is
   * treated as pasted text, which has no filters.
   */
  filters: string;
  /**
   * Maximum number of results; 0 means 20.
   */
  limit: number;
  /**
   * Ranking mode that overrides the query's own `mode:`; null to keep it.
   */
  mode: Mode | null;
  /**
   * Number of results to skip. Only for a query without words, which is ordered by the last
   * change; ranked results have no further pages.
   */
  offset: number;
  /**
   * Query as typed: words, phrases and filters of the query language.
   */
  query: string;
  /**
   * `true` to leave the passages out, for a long list that shows only titles.
   */
  titles: boolean;
}
/**
 * The response to a search.
 */
export interface SearchResponse {
  /**
   * Arms that contributed to the answer.
   */
  arms: Arm[];
  /**
   * `true` if the indexes were complete. If `false`, a missing match does not prove that none
   * exists.
   */
  conclusive: boolean;
  /**
   * Share of the casebook that the indexes cover.
   */
  coverage: Coverage;
  /**
   * Results, best first; ties ordered by key.
   */
  hits: Hit[];
  /**
   * Requested ranking mode.
   */
  mode: Mode;
  /**
   * Limitations of this answer, such as an unavailable arm or missing vectors.
   */
  notices: Notice[];
  /**
   * Query as parsed, in the query language.
   */
  query: string;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * Total number of documents that match the filters, for a query without words, whose results
   * can be paged; null otherwise.
   */
  total: number | null;
}
/**
 * The result of a check for similar notes.
 */
export interface SimilarNotes {
  /**
   * Notes of the same kind with the same or nearly the same content, most similar first; ties
   * ordered by key.
   */
  matches: NoteMatch[];
  /**
   * Recommended action.
   */
  recommendation: Recommendation;
  /**
   * Reason why the check was incomplete; null if it was complete.
   */
  warning: string | null;
}
/**
 * A mirrored project.
 */
export interface SourceView {
  /**
   * Time at which the source was added.
   */
  added_at: string;
  /**
   * Number of its reports with a known earlier duplicate that its calibration is based on; null
   * without a calibration.
   */
  calibrated_on: number | null;
  /**
   * Time at which the source last received data; null if never.
   */
  changed_at: string | null;
  /**
   * Number of comments held.
   */
  comments: number;
  /**
   * Number of issues held, without tombstones.
   */
  issues: number;
  /**
   * Key of the source: `acme/app`.
   */
  key: string;
  /**
   * Kind of the tracker: `github`.
   */
  kind: string;
  /**
   * Number of pairs of its issues that are known to be duplicates.
   */
  known_duplicates: number;
  /**
   * Number of comments that the tracker counts but the mirror does not hold.
   */
  missing_comments: number;
  /**
   * Number of comments whose item the mirror does not hold.
   */
  orphan_comments: number;
  /**
   * Number of wiki pages held.
   */
  pages: number;
  /**
   * Number of pull requests held.
   */
  pull_requests: number;
}
/**
 * The state of the casebook.
 */
export interface Status {
  /**
   * Path of the data folder.
   */
  casebook: string;
  /**
   * Coverage of the casebook by the indexes.
   */
  coverage: Coverage;
  /**
   * Size of the database on disk in bytes.
   */
  database_bytes: number;
  /**
   * Size of the full-text index on disk in bytes.
   */
  full_text_bytes: number;
  /**
   * Embedding model, or the reason why there is none.
   */
  model: ModelStatus;
  /**
   * Reason why the casebook is read-only; null if it is writable.
   */
  read_only: string | null;
  /**
   * Sources, ordered by key.
   */
  sources: SourceView[];
  /**
   * Size of the vectors on disk in bytes.
   */
  vector_bytes: number;
}
/**
 * The result of syncing one source.
 */
export interface SyncReport {
  /**
   * Number of comments among the records.
   */
  comments: number;
  /**
   * Gaps in the mirrored data.
   */
  gaps: Gap[];
  /**
   * Number of items, comments and wiki pages that the tracker no longer has; they are kept and
   * marked.
   */
  gone: number;
  /**
   * Number of issues and pull requests among the records.
   */
  items: number;
  /**
   * Number of new records.
   */
  new: number;
  /**
   * Number of list pages fetched.
   */
  pages: number;
  /**
   * Error that ended the sync early, as `{code, message, hint}`; null if it completed.
   */
  problem: Failure | null;
  /**
   * New name of the project on the tracker; null if it was not renamed.
   */
  renamed_to: string | null;
  /**
   * Number of requests sent.
   */
  requests: number;
  /**
   * Wall time in seconds.
   */
  seconds: number;
  /**
   * Number of records that could not be read.
   */
  skipped: number;
  /**
   * First unreadable records, up to `MAX_SKIPS`.
   */
  skips: Skip[];
  /**
   * Key of the source.
   */
  source: string;
  /**
   * Number of records older than the mirrored ones, which are ignored.
   */
  stale: number;
  /**
   * Number of records that were already mirrored unchanged.
   */
  unchanged: number;
  /**
   * Number of records that differ from the mirrored ones.
   */
  updated: number;
  /**
   * Number of wiki pages among the records.
   */
  wiki_pages: number;
}
/**
 * An open report with its best candidate, waiting for a verdict.
 */
export interface TriageItem {
  /**
   * The earlier report that may be a duplicate.
   */
  candidate: DuplicateCandidate;
  /**
   * Creation time; null if unknown.
   */
  created_at: string | null;
  /**
   * Key of the report.
   */
  key: string;
  /**
   * Title of the report.
   */
  title: string;
  /**
   * URL on the tracker's website; null if unknown.
   */
  url: string | null;
}
/**
 * A request for the triage queue.
 */
export interface TriageRequest {
  /**
   * Lowest band to include; `none` includes every report that has a candidate. Reports with only
   * related candidates are in a separate list.
   */
  band: Band & string;
  /**
   * `true` if closed reports are candidates as well.
   */
  include_closed: boolean;
  /**
   * Maximum number of reports; 0 means 20.
   */
  limit: number;
  /**
   * `true` to return the stored queue without checking anything.
   */
  queue_only: boolean;
  /**
   * `true` to check every report again instead of only new and changed ones.
   */
  rescan: boolean;
  /**
   * Key of the only source to include; null for all sources.
   */
  source: string | null;
}
/**
 * The triage queue.
 */
export interface TriageResponse {
  /**
   * Number of closed reports that were not compared because only open ones were requested.
   */
  closed_left_out: number;
  /**
   * `true` if the indexes were complete. If `false`, a missing match does not prove that none
   * exists.
   */
  conclusive: boolean;
  /**
   * Expected number of duplicates in the queue: the sum of the confidences.
   */
  expected: number;
  /**
   * Limitations of this answer.
   */
  notices: Notice[];
  /**
   * First waiting reports, highest confidence first; ties ordered by key.
   */
  queue: TriageItem[];
  /**
   * First open reports whose candidate is below `possible` but worth reading.
   */
  related: TriageItem[];
  /**
   * Total number of reports with only a related candidate.
   */
  related_waiting: number;
  /**
   * Number of open reports checked by this request.
   */
  scanned: number;
  /**
   * Wall time in milliseconds.
   */
  took_ms: number;
  /**
   * Number of open reports that are new or changed and were not checked.
   */
  unscanned: number;
  /**
   * Total number of reports waiting for a verdict.
   */
  waiting: number;
}
/**
 * A person's decision about a pair of documents. It survives syncs, index updates and changes of
 * the model.
 */
export interface Verdict {
  /**
   * Name of the person or program that decided.
   */
  actor: string;
  /**
   * Key of the canonical report; null unless the decision is `duplicate`.
   */
  canonical: string | null;
  /**
   * Time of the decision.
   */
  decided_at: string;
  /**
   * Key of the document whose key sorts first.
   */
  first: string;
  /**
   * Decision about the pair.
   */
  kind: VerdictKind;
  /**
   * Reason in the person's words; null if none was given.
   */
  reason: string | null;
  /**
   * Key of the other document.
   */
  second: string;
}
