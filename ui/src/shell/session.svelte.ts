// The state of each view, kept per casebook across restarts. Pasted text may be a customer's and is
// never kept.

import { parsePaths } from "../answer/logs.svelte";
import { NOTE_KINDS, type NoteDraftState } from "../notes/notes.svelte";
import type { NoteKind } from "../lib/types";
import { TABS, type Tab } from "../problems/problems.svelte";
import { isPasted } from "../search/query";
import type { Reader } from "../search/reader.svelte";
import type { AppState } from "./appState.svelte";

/** The storage format; other versions are ignored. */
const VERSION = 1;
/** The maximum stored size, in characters. */
export const MAX_SIZE = 64_000;
const SAVE_DELAY = 250;

export interface StoredSession {
  /** A typed query and the keys of the open documents. */
  search: { query: string; reading: string | null; beside: string | null };
  triage: { selected: string | null; related: boolean };
  notes: { kind: NoteKind | null; selected: string | null };
  sources: { selected: string | null };
  problems: { source: string | null; span: number; tab: Tab };
  drafts: readonly NoteDraftState[];
}

const toText = (value: unknown): string => (typeof value === "string" ? value : "");
const toKey = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const toRecord = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});
const toNoteKind = (value: unknown): NoteKind | null => (typeof value === "string" && value in NOTE_KINDS ? (value as NoteKind) : null);

function toDraft(value: unknown): NoteDraftState {
  const { key, kind, title, body, tags, attach } = toRecord(value);
  return {
    key: toKey(key), kind: toNoteKind(kind) ?? "lesson", title: toText(title), body: toText(body), tags: toText(tags),
    attach: Array.isArray(attach) ? attach.filter((entry) => typeof entry === "string") : [], beforePaste: null,
  };
}

/** Parses a stored session; `null` if it is invalid. */
export function parseSession(stored: string | null): StoredSession | null {
  try {
    const parsed = toRecord(JSON.parse(stored ?? ""));
    if (parsed["version"] !== VERSION) return null;
    const [search, triage, notes, sources] = ["search", "triage", "notes", "sources"].map((name) => toRecord(parsed[name]));
    const problems = toRecord(parsed["problems"]);
    const span = problems["span"];
    return {
      search: { query: toText(search?.["query"]), reading: toKey(search?.["reading"]), beside: toKey(search?.["beside"]) },
      triage: { selected: toKey(triage?.["selected"]), related: triage?.["related"] === true },
      notes: { kind: toNoteKind(notes?.["kind"]), selected: toKey(notes?.["selected"]) },
      sources: { selected: toKey(sources?.["selected"]) },
      problems: {
        source: toKey(problems["source"]), span: typeof span === "number" && span >= 0 ? span : 24,
        tab: TABS.find((entry) => entry === problems["tab"]) ?? "frequent",
      },
      drafts: (Array.isArray(parsed["drafts"]) ? parsed["drafts"] : []).map(toDraft),
    };
  } catch {
    return null;
  }
}

/** Serializes a session, without the oldest drafts if it is too large. */
export function serializeSession(session: StoredSession): string {
  for (let dropped = 0; ; dropped++) {
    const stored = JSON.stringify({ version: VERSION, ...session, drafts: session.drafts.slice(dropped) });
    if (stored.length <= MAX_SIZE || dropped >= session.drafts.length) return stored;
  }
}

export class Session {
  #app: AppState;
  #stop: (() => void) | null = null;

  constructor(app: AppState) {
    this.#app = app;
  }

  /** Restores the session of a casebook and stores changes from then on. */
  open(casebook: string): void {
    this.#stop?.();
    const storageKey = `session:${casebook}`;
    // A timer may outlive the page.
    const storage = localStorage;
    const session = parseSession(storage.getItem(storageKey));
    if (session) this.#restore(session);
    const store = (session: StoredSession) => storage.setItem(storageKey, serializeSession(session));
    const onpagehide = () => store(this.#currentSession());
    this.#stop = $effect.root(() => {
      $effect(() => {
        const session = this.#currentSession();
        // Typing changes the session on each keystroke.
        const timer = setTimeout(() => store(session), SAVE_DELAY);
        return () => clearTimeout(timer);
      });
      $effect(() => {
        window.addEventListener("pagehide", onpagehide);
        return () => window.removeEventListener("pagehide", onpagehide);
      });
    });
  }

  /** Clears choices of sources that no longer exist. */
  dropMissing(sources: readonly string[]): void {
    const { problems } = this.#app;
    if (problems.source !== null && !sources.includes(problems.source)) problems.source = null;
  }

  #restore({ search, triage, notes, sources, problems, drafts }: StoredSession): void {
    const app = this.#app;
    app.search.set(search.query, false);
    void this.#reopen(search);
    app.triage.restoreSelection(triage.selected, triage.related);
    Object.assign(app.notes, notes);
    app.sources.selected = sources.selected;
    Object.assign(app.problems, problems);
    app.notes.restoreDrafts(drafts);
  }

  /** Reopens the documents that still exist. */
  async #reopen({ reading, beside }: StoredSession["search"]): Promise<void> {
    const app = this.#app;
    // Two documents are shown as two; one is shown next to its list.
    app.reader.isReading = beside !== null;
    const open = async (reader: Reader, key: string | null) => {
      if (key === null) return;
      await reader.show({ key, anchor: null });
      if (reader.failure !== null && reader.position?.key === key) reader.close();
    };
    await Promise.all([open(app.reader, reading), open(app.splitPane.reader, beside)]);
    const second = app.splitPane.reader.position;
    if (app.reader.position !== null || second === null) return;
    app.splitPane.clear();
    await open(app.reader, second.key);
  }

  #currentSearch(): StoredSession["search"] {
    const { search, reader, splitPane } = this.#app;
    // Files are never read without a request.
    const query = search.isTyped && !isPasted(search.query) && parsePaths(search.query).length === 0 ? search.query : "";
    const isSearch = query.trim() !== "";
    return {
      query: isSearch ? query : "",
      reading: isSearch || splitPane.isOpen ? (reader.position?.key ?? null) : null, beside: splitPane.reader.position?.key ?? null,
    };
  }

  #currentSession(): StoredSession {
    const { triage, notes, sources, problems } = this.#app;
    return {
      search: this.#currentSearch(),
      triage: { selected: triage.openKey, related: triage.isRelatedOpen },
      notes: { kind: notes.kind, selected: notes.selected },
      sources: { selected: sources.selected },
      problems: { source: problems.source, span: problems.span, tab: problems.tab },
      drafts: notes.storableDrafts,
    };
  }
}
