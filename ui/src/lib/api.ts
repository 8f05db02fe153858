// Typed bindings for the window's commands (src-tauri/src/commands/).

import { Channel, invoke as invokeCommand } from "@tauri-apps/api/core";
import { words } from "../words";
import { cacheDocuments } from "./documentCache";
import type * as engine from "./types";

const invoke = <T>(command: string, args?: Record<string, unknown>): Promise<T> => invokeCommand<T>(command, args).then(cacheDocuments);

type OnProgress = (progress: engine.Progress) => void;

export const launch = () => invoke<engine.Launch>("launch");
export const setSettingsAside = () => invoke<string | null>("set_settings_aside");
export const status = () => invoke<engine.Status>("status");
export const thread = (key: string) => invoke<engine.Thread>("thread", { key });
/** Renders Markdown as HTML that is safe to show. */
export const prose = (texts: readonly string[]) => invoke<string[]>("prose", { texts });
/** Returns an image that a text embeds, as a data URL. */
export const image = (url: string) => invoke<string>("image", { url });
export const cancel = (job: engine.JobKind) => invoke<boolean>("cancel", { job });
export const openExternal = (url: string) => invoke<void>("open_external", { url });
/** Watches for files dropped on the window. */
export const watchDrops = (onDrop: (dropped: engine.Dropped) => void) => invoke<void>("watch_drops", { drops: channel(onDrop) });
export const watchLinks = (onLink: (key: string) => void) => invoke<void>("watch_links", { links: channel(onLink) });

/** Sets how the prompt can be opened. */
export const setPrompt = (settings: engine.PromptSettings) => invoke<engine.PromptState>("set_prompt", { settings });
/** Watches for targets that the prompt asks the main window to open. */
export const watchPrompt = (onTarget: (target: engine.PromptTarget) => void) => invoke<void>("watch_prompt", { channel: channel(onTarget) });
/** Reports each time the prompt is shown. */
export const watchPromptShown = (onShown: () => void) => invoke<void>("watch_prompt_shown", { channel: channel<null>(onShown) });
export const promptText = () => invoke<string | null>("prompt_text");
/** Copies a text; WebKitGTK refuses the page's own clipboard without a click. */
export const copyText = (text: string) => invoke<void>("copy_text", { text });
/** Sends a desktop notification unless the window is in use. */
export const announce = (news: string) => invoke<void>("announce", { news });
export const openFromPrompt = (target: engine.PromptTarget) => invoke<void>("open_from_prompt", { target });
export const hidePrompt = () => invoke<void>("hide_prompt");

/** The number of documents per page of a query without words. */
export const PAGE_SIZE = 200;
/** The initial number of ranked results. */
export const RANKED_LIMIT = 50;
export const MAX_RANKED = 250;

const SEARCH_DEFAULTS: engine.SearchRequest = { query: "", filters: "", limit: RANKED_LIMIT, offset: 0, mode: null, explain: false, titles: true };

/** Runs a search. It cancels the previous search of its window unless it runs in the background. */
const runSearch = (request: Partial<engine.SearchRequest>, isBackground: boolean) =>
  invoke<engine.SearchResponse>("search", { request: { ...SEARCH_DEFAULTS, ...request }, apart: isBackground });

export const search = (query: string, mode: engine.Mode | null, limit = RANKED_LIMIT) => runSearch({ query, limit, mode, titles: false }, false);
/** Returns a page of the documents that match the filters, most recently updated first. */
export const browse = (query: string, offset: number, isBackground = false) =>
  runSearch({ query, limit: PAGE_SIZE, offset }, isBackground);

/** Returns the matches of a query without passages, for counting. */
export const countMatches = (query: string) => runSearch({ query }, true);

/** Finds documents by key, number or words, best first; fast enough for each keystroke. */
export const findItems = (query: string, limit: number) => runSearch({ query, limit, mode: "lexical" }, true);

/** Returns the best reports and pull requests. The lexical mode is faster and cancels no search. */
export const searchBest = (query: string, limit: number, mode: engine.Mode | null) =>
  runSearch({ query, filters: "-is:page -is:note", limit, mode }, mode === "lexical");

export const importSample = (onProgress: OnProgress) =>
  invoke<engine.ImportReport>("import_sample", { progress: channel(onProgress) });

export const updateIndex = (onProgress: OnProgress) =>
  invoke<engine.IndexReport>("update_index", { progress: channel(onProgress) });
export const forgetIndexes = () => invoke<void>("forget_indexes");
/** Checks the casebook and repairs what it can. */
export const repair = (onProgress: OnProgress) => invoke<engine.Health>("repair", { progress: channel(onProgress) });
/** Returns whether the network is metered; `null` if the system does not say. */
export const isMetered = () => invoke<boolean | null>("is_metered");

const DUPLICATES_DEFAULTS: engine.DuplicatesRequest = {
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

export const duplicates = (request: Partial<engine.DuplicatesRequest>) =>
  invoke<engine.DuplicatesResponse>("duplicates", { request: { ...DUPLICATES_DEFAULTS, ...request } });

/** Returns the current queue without checking any report. */
export const triageQueue = (request: engine.TriageRequest) =>
  invoke<engine.TriageResponse>("triage_queue", { request: { ...request, queue_only: true } });
/** Checks new and changed reports first. */
export const triage = (request: engine.TriageRequest, onProgress: OnProgress) =>
  invoke<engine.TriageResponse>("triage", { request: { ...request, queue_only: false }, progress: channel(onProgress) });

export const compare = (key: string, other: string) => invoke<engine.Comparison>("compare", { key, other });
export const recordVerdict = (key: string, other: string, kind: engine.VerdictKind) =>
  invoke<engine.Verdict>("record_verdict", { key, other, kind });
export const undoVerdict = (key: string, other: string) => invoke<engine.Verdict | null>("undo_verdict", { key, other });
/** Returns the decisions since `since` (Unix seconds), newest first. */
export const verdictsSince = (since: number) => invoke<engine.Verdict[]>("verdicts_since", { since });
export const closures = () => invoke<engine.Closure[]>("closures");
/** Closes these reports at their tracker, as previewed. */
export const closeReports = (shown: readonly engine.Closure[], onProgress: OnProgress) =>
  invoke<engine.ClosureReport>("close_reports", { shown, progress: channel(onProgress) });
export const calibrate = (source: string, onProgress: OnProgress) =>
  invoke<engine.CalibrationReport>("calibrate", { source, progress: channel(onProgress) });

export const mirrors = () => invoke<engine.MirrorView[]>("mirrors");
export const hosts = () => invoke<engine.HostView[]>("hosts");
/** Returns the source that a typed name or web address refers to; unnamed parts are empty. */
export const parseSource = (text: string) => invoke<engine.NewMirror | null>("parse_source", { text });
export const addMirror = (mirror: engine.NewMirror) => invoke<engine.SourceView>("add_mirror", { new: mirror });
export const trustSource = (key: string) => invoke<engine.HostView>("trust_source", { key });
export const testSource = (key: string) => invoke<engine.Access>("test_source", { key });
export const saveToken = (host: string, token: string) => invoke<void>("keep_token", { host, token });
export const forgetToken = (host: string) => invoke<boolean>("forget_token", { host });
export const sync = (sources: readonly string[], full: boolean, onProgress: OnProgress) =>
  invoke<engine.SyncReport[]>("sync", { sources, full, progress: channel(onProgress) });
/** Detects the format of files and previews their import. */
export const previewFiles = (request: engine.ImportRequest, onProgress: OnProgress) =>
  invoke<engine.DetectedFiles>("understand_files", { request, progress: channel(onProgress) });
export const importFiles = (request: engine.ImportRequest, onProgress: OnProgress) =>
  invoke<engine.ImportResult>("import_files", { request, progress: channel(onProgress) });
export const removeSource = (key: string, onProgress: OnProgress) =>
  invoke<engine.SourceView>("remove_source", { key, progress: channel(onProgress) });

/** The case settings shared by the view and its brief. */
export const CASE_SETTINGS: engine.TroubleshootSettings = {
  enabled: true,
  similarity_threshold: null,
  max_results: 5,
  total_budget_chars: 12_000,
};

/** Looks up an item or a text. It cancels the window's previous lookup unless it runs in the background. */
export const ask = (question: Pick<engine.AskRequest, "key" | "text" | "source">, isBackground = false) =>
  invoke<engine.AskResponse>("ask", { request: { ...question, settings: CASE_SETTINGS }, apart: isBackground });
/** Returns the values of a filter that match `typed`. */
export const completions = (filter: string, typed: string) => invoke<string[]>("completions", { filter, typed });

/** Finds the distinct errors in logs and what is known about each. */
export const readLogs = (paths: readonly string[], text: string, onProgress: OnProgress) => {
  const request: engine.LogRequest = { paths: [...paths], text, source: null, max_errors: 20, settings: CASE_SETTINGS };
  return invoke<engine.LogResponse>("read_logs", { request, progress: channel(onProgress) });
};

export const models = () => invoke<engine.ModelView[]>("models");
export const catalog = () => invoke<engine.Catalog>("catalog");
export const installModel = (name: string, onProgress: OnProgress) =>
  invoke<engine.ModelView>("install_model", { name, progress: channel(onProgress) });
export const importModel = (path: string, name: string | null, onProgress: OnProgress) =>
  invoke<engine.ModelView>("import_model", { path, name, progress: channel(onProgress) });
export const useModel = (name: string) => invoke<void>("use_model", { name });
export const removeModel = (name: string) => invoke<void>("remove_model", { name });

export const article = (request: engine.ArticleRequest) => invoke<engine.Article>("article", { request });
export const storeArticle = (request: engine.ArticleRequest) => invoke<engine.NoteAnswer>("store_article", { request });

export const brief = (request: engine.BriefRequest) => invoke<engine.Brief>("brief", { request });
export const previewRedaction = (request: engine.BriefRequest) => invoke<engine.RedactionPreview[]>("preview_redaction", { request });
export const briefMarkdown = (request: engine.BriefRequest) => invoke<string>("brief_markdown", { request });
export const exportBrief = (request: engine.BriefRequest, format: engine.BriefFormat, path: string, replace: boolean) =>
  invoke<string>("export_brief", { request, format, path, replace });

/** Opens the system's save dialog; `null` if it was canceled. */
export const chooseFile = (path: string) => invoke<string | null>("choose_file", { path });

export const notes = (kind: engine.NoteKind | null) => invoke<engine.Note[]>("notes", { kind });
export const addNote = (draft: engine.NoteDraft) => invoke<engine.NoteAnswer>("add_note", { draft });
export const similarNotes = (kind: engine.NoteKind, title: string, body: string) =>
  invoke<engine.SimilarNotes>("similar_notes", { kind, title, body });
export const editNote = (key: string, change: Partial<engine.NoteChange>) =>
  invoke<engine.Note>("edit_note", { key, change: { title: null, body: null, tags: null, lifecycle: null, attach: [], ...change } });
export const removeNote = (key: string) => invoke<engine.Note>("remove_note", { key });

/** Returns a list of problems, grouped from pairs that are more likely duplicates than not. */
export const problems = (source: string | null, list: engine.ProblemList, limit: number) => {
  const request: engine.ProblemsRequest = { source, list, threshold: 0.5, min_reports: 0, limit };
  return invoke<engine.ProblemsResponse>("problems", { request });
};
/** Returns the known duplicates created in one month or ever, newest first. */
export const knownDuplicates = (source: string | null, month: string | null) =>
  invoke<engine.CountedDuplicate[]>("known_duplicates", { source, month });
export const insights = (source: string | null) => invoke<engine.Insights>("insights", { source });

function channel<T>(onMessage: (message: T) => void): Channel<T> {
  const channel = new Channel<T>();
  channel.onmessage = onMessage;
  return channel;
}

/** Converts a thrown value to the engine's error type. */
export function toFailure(error: unknown): engine.Failure {
  if (typeof error === "object" && error !== null && "code" in error && "message" in error) {
    const failure = error as Partial<engine.Failure>;
    return { code: "internal", hint: null, ...failure, message: String(failure.message) };
  }
  const message = error instanceof Error ? error.message : String(error);
  return { code: "internal", message, hint: words.shared.defect };
}
