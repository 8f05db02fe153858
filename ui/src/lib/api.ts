// The commands of the window (src-tauri/src/commands/), typed.

import { Channel, invoke as call } from "@tauri-apps/api/core";
import { words } from "../words";
import { learn } from "./learnt";
import type * as of from "./types";

const invoke = <T>(command: string, args?: Record<string, unknown>): Promise<T> => call<T>(command, args).then(learn);

type OnProgress = (progress: of.Progress) => void;

export const launch = () => invoke<of.Launch>("launch");
export const setSettingsAside = () => invoke<string | null>("set_settings_aside");
export const status = () => invoke<of.Status>("status");
export const thread = (key: string) => invoke<of.Thread>("thread", { key });
/** Markdown as HTML that is safe to show. */
export const prose = (texts: readonly string[]) => invoke<string[]>("prose", { texts });
/** An image that a text embeds, as a data URL. */
export const image = (url: string) => invoke<string>("image", { url });
export const cancel = (job: of.JobKind) => invoke<boolean>("cancel", { job });
export const openExternal = (url: string) => invoke<void>("open_external", { url });
/** Tells of files that are dropped on the window. */
export const watchDrops = (onDrop: (dropped: of.Dropped) => void) => invoke<void>("watch_drops", { drops: channel(onDrop) });
export const watchLinks = (onLink: (key: string) => void) => invoke<void>("watch_links", { links: channel(onLink) });

/** How the prompt can be opened from now on. */
export const setPrompt = (settings: of.PromptSettings) => invoke<of.PromptState>("set_prompt", { settings });
/** Tells the main window what the prompt asks it to show. */
export const watchPrompt = (onTarget: (target: of.PromptTarget) => void) => invoke<void>("watch_prompt", { channel: channel(onTarget) });
/** Tells the prompt each time that it is shown. */
export const watchPromptShown = (onShown: () => void) => invoke<void>("watch_prompt_shown", { channel: channel<null>(onShown) });
/** The text on the clipboard. */
export const promptText = () => invoke<string | null>("prompt_text");
/** Puts a text onto the clipboard. */
export const copyText = (text: string) => invoke<void>("copy_text", { text });
/** Tells the desktop what is new, while nobody looks at the window. */
export const announce = (news: string) => invoke<void>("announce", { news });
export const openFromPrompt = (target: of.PromptTarget) => invoke<void>("open_from_prompt", { target });
export const hidePrompt = () => invoke<void>("hide_prompt");

/** How many documents of a query without words come at once. */
export const PAGE = 200;
/** How many documents that have the words of a query come at first, and at most. */
export const RANKED = 50;
export const MOST_RANKED = 250;

/** A search ends the one before it in its window. One that is apart from what the person asks ends none. */
const searchFor = (request: of.SearchRequest, apart: boolean) => invoke<of.SearchResponse>("search", { request, apart });

export const search = (query: string, mode: of.Mode | null, limit = RANKED) =>
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
export const best = (query: string, limit: number, mode: of.Mode | null) =>
  searchFor({ query, filters: "-is:page -is:note", limit, offset: 0, mode, explain: false, titles: true }, mode === "lexical");

export const importSample = (onProgress: OnProgress) =>
  invoke<of.ImportReport>("import_sample", { progress: channel(onProgress) });

export const updateIndex = (onProgress: OnProgress) =>
  invoke<of.IndexReport>("update_index", { progress: channel(onProgress) });
export const forgetIndexes = () => invoke<void>("forget_indexes");
/** Looks at every part of the casebook, and mends what can be mended. */
export const repair = (onProgress: OnProgress) => invoke<of.Health>("repair", { progress: channel(onProgress) });
/** Whether the network is paid for by what goes over it; nothing where the system does not tell. */
export const isMetered = () => invoke<boolean | null>("is_metered");

const DUPLICATES: of.DuplicatesRequest = {
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

export const duplicates = (request: Partial<of.DuplicatesRequest>) =>
  invoke<of.DuplicatesResponse>("duplicates", { request: { ...DUPLICATES, ...request } });

/** What waits already; checks nothing. */
export const triageQueue = (request: of.TriageRequest) =>
  invoke<of.TriageResponse>("triage_queue", { request: { ...request, queue_only: true } });
/** Checks what is new or changed first. */
export const triage = (request: of.TriageRequest, onProgress: OnProgress) =>
  invoke<of.TriageResponse>("triage", { request: { ...request, queue_only: false }, progress: channel(onProgress) });

export const compare = (key: string, other: string) => invoke<of.Comparison>("compare", { key, other });
export const recordVerdict = (key: string, other: string, kind: of.VerdictKind) =>
  invoke<of.Verdict>("record_verdict", { key, other, kind });
export const undoVerdict = (key: string, other: string) => invoke<of.Verdict | null>("undo_verdict", { key, other });
/** What was decided from a moment on (seconds since 1970), the latest first. */
export const decided = (since: number) => invoke<of.Verdict[]>("decided", { since });
export const closures = () => invoke<of.Closure[]>("closures");
/** Closes these reports at their tracker, as they were shown. */
export const closeShown = (shown: readonly of.Closure[], onProgress: OnProgress) =>
  invoke<of.ClosureReport>("close_shown", { shown, progress: channel(onProgress) });
export const calibrate = (source: string, onProgress: OnProgress) =>
  invoke<of.CalibrationReport>("calibrate", { source, progress: channel(onProgress) });

export const mirrors = () => invoke<of.MirrorView[]>("mirrors");
export const hosts = () => invoke<of.HostView[]>("hosts");
export const addMirror = (mirror: of.NewMirror) => invoke<of.SourceView>("add_mirror", { new: mirror });
export const trustSource = (key: string) => invoke<of.HostView>("trust_source", { key });
export const testSource = (key: string) => invoke<of.Access>("test_source", { key });
export const keepToken = (host: string, token: string) => invoke<void>("keep_token", { host, token });
export const forgetToken = (host: string) => invoke<boolean>("forget_token", { host });
export const sync = (sources: readonly string[], full: boolean, onProgress: OnProgress) =>
  invoke<of.SyncReport[]>("sync", { sources, full, progress: channel(onProgress) });
/** What files are, and what of them would be imported. */
export const understandFiles = (request: of.ImportRequest, onProgress: OnProgress) =>
  invoke<of.Understood>("understand_files", { request, progress: channel(onProgress) });
export const importFiles = (request: of.ImportRequest, onProgress: OnProgress) =>
  invoke<of.Imported>("import_files", { request, progress: channel(onProgress) });
export const removeSource = (key: string, onProgress: OnProgress) =>
  invoke<of.SourceView>("remove_source", { key, progress: channel(onProgress) });

/** How solved cases are looked for, in the view and in its brief alike. */
export const SOLVED: of.TroubleshootSettings = {
  enabled: true,
  similarity_threshold: null,
  max_results: 5,
  total_budget_chars: 12_000,
};

/** What is known of an item or a text. A question ends the one before it in its window, unless it is apart from what the person asks. */
export const ask = (asked: Pick<of.AskRequest, "key" | "text" | "source">, apart = false) =>
  invoke<of.AskResponse>("ask", { request: { ...asked, settings: SOLVED }, apart });
/** The values of a filter that fit what is typed of one. */
export const completions = (filter: string, typed: string) => invoke<string[]>("completions", { filter, typed });

/** The distinct errors in logs, and what is known of each. */
export const readLogs = (paths: readonly string[], text: string, onProgress: OnProgress) => {
  const request: of.LogRequest = { paths: [...paths], text, source: null, max_errors: 20, settings: SOLVED };
  return invoke<of.LogResponse>("read_logs", { request, progress: channel(onProgress) });
};

export const models = () => invoke<of.ModelView[]>("models");
export const catalog = () => invoke<of.Catalog>("catalog");
export const installModel = (name: string, onProgress: OnProgress) =>
  invoke<of.ModelView>("install_model", { name, progress: channel(onProgress) });
export const importModel = (path: string, name: string | null, onProgress: OnProgress) =>
  invoke<of.ModelView>("import_model", { path, name, progress: channel(onProgress) });
export const useModel = (name: string) => invoke<void>("use_model", { name });
export const removeModel = (name: string) => invoke<void>("remove_model", { name });

export const article = (request: of.ArticleRequest) => invoke<of.Article>("article", { request });
export const storeArticle = (request: of.ArticleRequest) => invoke<of.NoteAnswer>("store_article", { request });

export const brief = (request: of.BriefRequest) => invoke<of.Brief>("brief", { request });
export const previewRedaction = (request: of.BriefRequest) => invoke<of.RedactionPreview[]>("preview_redaction", { request });
export const briefMarkdown = (request: of.BriefRequest) => invoke<string>("brief_markdown", { request });
export const exportBrief = (request: of.BriefRequest, format: of.BriefFormat, path: string, replace: boolean) =>
  invoke<string>("export_brief", { request, format, path, replace });

/** Asks with the system's own dialog where to save; nothing if the person did not say. */
export const chooseFile = (path: string) => invoke<string | null>("choose_file", { path });

export const notes = (kind: of.NoteKind | null) => invoke<of.Note[]>("notes", { kind });
export const addNote = (draft: of.NoteDraft) => invoke<of.NoteAnswer>("add_note", { draft });
export const similarNotes = (kind: of.NoteKind, title: string, body: string) =>
  invoke<of.SimilarNotes>("similar_notes", { kind, title, body });
export const editNote = (key: string, change: Partial<of.NoteChange>) =>
  invoke<of.Note>("edit_note", { key, change: { title: null, body: null, tags: null, lifecycle: null, attach: [], ...change } });
export const removeNote = (key: string) => invoke<of.Note>("remove_note", { key });

/** A list of problems, of pairs that are more likely the same than not. */
export const problems = (source: string | null, list: of.ProblemList, limit: number) => {
  const request: of.ProblemsRequest = { source, list, threshold: 0.5, min_reports: 0, limit };
  return invoke<of.ProblemsResponse>("problems", { request });
};
/** The issues that are counted as known duplicates, created in one month or ever, the latest first. */
export const knownDuplicates = (source: string | null, month: string | null) =>
  invoke<of.CountedDuplicate[]>("known_duplicates", { source, month });
export const insights = (source: string | null) => invoke<of.Insights>("insights", { source });

function channel<T>(onMessage: (message: T) => void): Channel<T> {
  const channel = new Channel<T>();
  channel.onmessage = onMessage;
  return channel;
}

/** Whatever was thrown, in the shape of the engine's errors. */
export function failure(thrown: unknown): of.Failure {
  if (typeof thrown === "object" && thrown !== null && "code" in thrown && "message" in thrown) {
    const { code, message, hint } = thrown as Partial<of.Failure>;
    return { code: code ?? "internal", message: String(message), hint: hint ?? null };
  }
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  return { code: "internal", message, hint: words.shared.defect };
}
