// The commands of the window (src-tauri/src/commands/), typed.

import { Channel, invoke as call } from "@tauri-apps/api/core";
import { words } from "../words";
import { learn } from "./learnt";
import type {
  Access,
  Article,
  ArticleRequest,
  AskRequest,
  AskResponse,
  Brief,
  BriefFormat,
  BriefRequest,
  CalibrationReport,
  Catalog,
  Closure,
  ClosureReport,
  Comparison,
  CountedDuplicate,
  Dropped,
  DuplicatesRequest,
  DuplicatesResponse,
  Failure,
  Health,
  HostView,
  Imported,
  ImportReport,
  ImportRequest,
  IndexReport,
  Insights,
  JobKind,
  Launch,
  LogRequest,
  LogResponse,
  MirrorView,
  Mode,
  ModelView,
  NewMirror,
  Note,
  NoteAnswer,
  NoteChange,
  NoteDraft,
  NoteKind,
  ProblemList,
  ProblemsRequest,
  ProblemsResponse,
  Progress,
  PromptSettings,
  PromptState,
  PromptTarget,
  RedactionPreview,
  SearchRequest,
  SearchResponse,
  SimilarNotes,
  SourceView,
  Status,
  SyncReport,
  Thread,
  TriageRequest,
  TriageResponse,
  TroubleshootSettings,
  Understood,
  Verdict,
  VerdictKind,
} from "./types";

const invoke = <T>(command: string, args?: Record<string, unknown>): Promise<T> => call<T>(command, args).then(learn);

type OnProgress = (progress: Progress) => void;

export const launch = () => invoke<Launch>("launch");
export const setSettingsAside = () => invoke<string | null>("set_settings_aside");
export const status = () => invoke<Status>("status");
export const thread = (key: string) => invoke<Thread>("thread", { key });
/** Markdown as HTML that is safe to show. */
export const prose = (texts: readonly string[]) => invoke<string[]>("prose", { texts });
/** An image that a text embeds, as a data URL. */
export const image = (url: string) => invoke<string>("image", { url });
export const cancel = (job: JobKind) => invoke<boolean>("cancel", { job });
export const openExternal = (url: string) => invoke<void>("open_external", { url });
/** Tells of files that are dropped on the window. */
export const watchDrops = (onDrop: (dropped: Dropped) => void) => invoke<void>("watch_drops", { drops: channel(onDrop) });
export const watchLinks = (onLink: (key: string) => void) => invoke<void>("watch_links", { links: channel(onLink) });

/** How the prompt can be opened from now on. */
export const setPrompt = (settings: PromptSettings) => invoke<PromptState>("set_prompt", { settings });
/** Tells the main window what the prompt asks it to show. */
export const watchPrompt = (onTarget: (target: PromptTarget) => void) => invoke<void>("watch_prompt", { channel: channel(onTarget) });
/** Tells the prompt each time that it is shown. */
export const watchPromptShown = (onShown: () => void) => invoke<void>("watch_prompt_shown", { channel: channel<null>(onShown) });
/** The text on the clipboard. */
export const promptText = () => invoke<string | null>("prompt_text");
/** Puts a text onto the clipboard. */
export const copyText = (text: string) => invoke<void>("copy_text", { text });
/** Tells the desktop what is new, while nobody looks at the window. */
export const announce = (news: string) => invoke<void>("announce", { news });
export const openFromPrompt = (target: PromptTarget) => invoke<void>("open_from_prompt", { target });
export const hidePrompt = () => invoke<void>("hide_prompt");

/** How many documents of a query without words come at once. */
export const PAGE = 200;
/** How many documents that have the words of a query come at first, and at most. */
export const RANKED = 50;
export const MOST_RANKED = 250;

/** A search ends the one before it in its window. One that is apart from what the person asks ends none. */
const searchFor = (request: SearchRequest, apart: boolean) => invoke<SearchResponse>("search", { request, apart });

export const search = (query: string, mode: Mode | null, limit = RANKED) =>
  searchFor({ query, filters: "", limit, offset: 0, mode, explain: false, titles: false }, false);
/** The documents behind these many that meet the filters, the latest changed first. */
export const browse = (query: string, offset: number, apart = false) =>
  searchFor({ query, filters: "", limit: PAGE, offset, mode: null, explain: false, titles: true }, apart);

/** What a query finds, without its passages, to be counted. */
export const counted = (query: string) =>
  searchFor({ query, filters: "", limit: RANKED, offset: 0, mode: null, explain: false, titles: true }, true);

/** The documents whose key, number or words fit what is typed, the best first; fast enough for each key. */
export const find = (query: string, limit: number) =>
  searchFor({ query, filters: "", limit, offset: 0, mode: "lexical", explain: false, titles: true }, true);

/** The reports and pull requests that answer a query best; those that have its words come sooner, and end no search. */
export const best = (query: string, limit: number, mode: Mode | null) =>
  searchFor({ query, filters: "-is:page -is:note", limit, offset: 0, mode, explain: false, titles: true }, mode === "lexical");

export const importSample = (onProgress: OnProgress) =>
  invoke<ImportReport>("import_sample", { progress: channel(onProgress) });

export const updateIndex = (onProgress: OnProgress) =>
  invoke<IndexReport>("update_index", { progress: channel(onProgress) });
export const forgetIndexes = () => invoke<void>("forget_indexes");
/** Looks at every part of the casebook, and mends what can be mended. */
export const repair = (onProgress: OnProgress) => invoke<Health>("repair", { progress: channel(onProgress) });
/** Whether the network is paid for by what goes over it; nothing where the system does not tell. */
export const isMetered = () => invoke<boolean | null>("is_metered");

const DUPLICATES: DuplicatesRequest = {
  key: null,
  title: "",
  body: "",
  source: null,
  everywhere: false,
  threshold: 0.4,
  max_candidates: 10,
  include_closed: false,
  explain: false,
};

export const duplicates = (request: Partial<DuplicatesRequest>) =>
  invoke<DuplicatesResponse>("duplicates", { request: { ...DUPLICATES, ...request } });

/** What waits already; checks nothing. */
export const triageQueue = (request: TriageRequest) =>
  invoke<TriageResponse>("triage_queue", { request: { ...request, queue_only: true } });
/** Checks what is new or changed first. */
export const triage = (request: TriageRequest, onProgress: OnProgress) =>
  invoke<TriageResponse>("triage", { request: { ...request, queue_only: false }, progress: channel(onProgress) });

export const compare = (key: string, other: string) => invoke<Comparison>("compare", { key, other });
export const recordVerdict = (key: string, other: string, kind: VerdictKind) =>
  invoke<Verdict>("record_verdict", { key, other, kind });
export const undoVerdict = (key: string, other: string) => invoke<Verdict | null>("undo_verdict", { key, other });
/** What was decided from a moment on (seconds since 1970), the latest first. */
export const decided = (since: number) => invoke<Verdict[]>("decided", { since });
export const closures = () => invoke<Closure[]>("closures");
/** Closes these reports at their tracker, as they were shown. */
export const closeShown = (shown: readonly Closure[], onProgress: OnProgress) =>
  invoke<ClosureReport>("close_shown", { shown, progress: channel(onProgress) });
export const calibrate = (source: string, onProgress: OnProgress) =>
  invoke<CalibrationReport>("calibrate", { source, progress: channel(onProgress) });

export const mirrors = () => invoke<MirrorView[]>("mirrors");
export const hosts = () => invoke<HostView[]>("hosts");
export const addMirror = (mirror: NewMirror) => invoke<SourceView>("add_mirror", { new: mirror });
export const trustSource = (key: string) => invoke<HostView>("trust_source", { key });
export const testSource = (key: string) => invoke<Access>("test_source", { key });
export const keepToken = (host: string, token: string) => invoke<void>("keep_token", { host, token });
export const forgetToken = (host: string) => invoke<boolean>("forget_token", { host });
export const sync = (sources: readonly string[], full: boolean, onProgress: OnProgress) =>
  invoke<SyncReport[]>("sync", { sources, full, progress: channel(onProgress) });
/** What files are, and what of them would be imported. */
export const understandFiles = (request: ImportRequest, onProgress: OnProgress) =>
  invoke<Understood>("understand_files", { request, progress: channel(onProgress) });
export const importFiles = (request: ImportRequest, onProgress: OnProgress) =>
  invoke<Imported>("import_files", { request, progress: channel(onProgress) });
export const removeSource = (key: string, onProgress: OnProgress) =>
  invoke<SourceView>("remove_source", { key, progress: channel(onProgress) });

/** How solved cases are looked for, in the view and in its brief alike. */
export const SOLVED: TroubleshootSettings = {
  enabled: true,
  similarity_threshold: null,
  max_results: 5,
  total_budget_chars: 12_000,
};

/** What is known of an item or a text. A question ends the one before it in its window, unless it is apart from what the person asks. */
export const ask = (asked: Pick<AskRequest, "key" | "text" | "source">, apart = false) =>
  invoke<AskResponse>("ask", { request: { ...asked, settings: SOLVED }, apart });
/** The values of a filter that fit what is typed of one. */
export const completions = (filter: string, typed: string) => invoke<string[]>("completions", { filter, typed });

/** The distinct errors in logs, and what is known of each. */
export const readLogs = (paths: readonly string[], text: string, onProgress: OnProgress) => {
  const request: LogRequest = { paths: [...paths], text, source: null, max_errors: 20, settings: SOLVED };
  return invoke<LogResponse>("read_logs", { request, progress: channel(onProgress) });
};

export const models = () => invoke<ModelView[]>("models");
export const catalog = () => invoke<Catalog>("catalog");
export const installModel = (name: string, onProgress: OnProgress) =>
  invoke<ModelView>("install_model", { name, progress: channel(onProgress) });
export const importModel = (path: string, name: string | null, onProgress: OnProgress) =>
  invoke<ModelView>("import_model", { path, name, progress: channel(onProgress) });
export const useModel = (name: string) => invoke<void>("use_model", { name });
export const removeModel = (name: string) => invoke<void>("remove_model", { name });

export const article = (request: ArticleRequest) => invoke<Article>("article", { request });
export const storeArticle = (request: ArticleRequest) => invoke<NoteAnswer>("store_article", { request });

export const brief = (request: BriefRequest) => invoke<Brief>("brief", { request });
export const previewRedaction = (request: BriefRequest) => invoke<RedactionPreview[]>("preview_redaction", { request });
export const briefMarkdown = (request: BriefRequest) => invoke<string>("brief_markdown", { request });
export const exportBrief = (request: BriefRequest, format: BriefFormat, path: string, replace: boolean) =>
  invoke<string>("export_brief", { request, format, path, replace });

/** Asks with the system's own dialog where to save; nothing if the person did not say. */
export const chooseFile = (path: string) => invoke<string | null>("choose_file", { path });

export const notes = (kind: NoteKind | null) => invoke<Note[]>("notes", { kind });
export const addNote = (draft: NoteDraft) => invoke<NoteAnswer>("add_note", { draft });
export const similarNotes = (kind: NoteKind, title: string, body: string) =>
  invoke<SimilarNotes>("similar_notes", { kind, title, body });
export const editNote = (key: string, change: Partial<NoteChange>) =>
  invoke<Note>("edit_note", { key, change: { title: null, body: null, tags: null, lifecycle: null, attach: [], ...change } });
export const removeNote = (key: string) => invoke<Note>("remove_note", { key });

/** A list of problems, of pairs that are more likely the same than not. */
export const problems = (source: string | null, list: ProblemList, limit: number) => {
  const request: ProblemsRequest = { source, list, threshold: 0.5, min_reports: 0, limit };
  return invoke<ProblemsResponse>("problems", { request });
};
/** The issues that are counted as known duplicates, created in one month or ever, the latest first. */
export const knownDuplicates = (source: string | null, month: string | null) =>
  invoke<CountedDuplicate[]>("known_duplicates", { source, month });
export const insights = (source: string | null) => invoke<Insights>("insights", { source });

function channel<T>(onMessage: (message: T) => void): Channel<T> {
  const channel = new Channel<T>();
  channel.onmessage = onMessage;
  return channel;
}

/** Whatever was thrown, in the shape of the engine's errors. */
export function failure(thrown: unknown): Failure {
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
    const { code, message, hint } = thrown as Partial<Failure>;
    return { code: code ?? "internal", message: String(message), hint: hint ?? null };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: words.shared.defect };
}
