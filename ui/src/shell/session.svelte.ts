// The state of each view, kept per casebook across restarts. Pasted text may be a customer's and is
// never kept.

import { parsePaths } from "../answer/logs.svelte";
import { parseStored, withDefaults } from "../lib/stored";
import { EMPTY_DRAFT, NOTE_KINDS, type NoteDraftState } from "../notes/notes.svelte";
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

const EMPTY_SESSION: StoredSession = {
  search: { query: "", reading: null, beside: null }, triage: { selected: null, related: false }, notes: { kind: null, selected: null }, sources: { selected: null },
  problems: { source: null, span: 24, tab: "frequent" }, drafts: [],
};

/** Parses a stored session; `null` if it is invalid. */
export function parseSession(stored: string | null): StoredSession | null {
  const parsed = parseStored(stored);
  if (withDefaults(parsed, { version: 0 }).version !== VERSION) return null;
  const { notes, problems, drafts, ...others } = withDefaults(parsed, EMPTY_SESSION);
  const isKind = (kind: NoteKind | null) => kind !== null && kind in NOTE_KINDS;
  return {
    ...others,
    notes: { ...notes, kind: isKind(notes.kind) ? notes.kind : null },
    problems: { ...problems, tab: TABS.includes(problems.tab) ? problems.tab : "frequent" },
    drafts: drafts.map((draft) => withDefaults(draft, EMPTY_DRAFT)).map((draft) => ({ ...draft, kind: isKind(draft.kind) ? draft.kind : "lesson" })),
  };
}

/** Serializes a session, without the oldest drafts if it is too large. */
export function serializeSession(session: StoredSession): string {
  for (let dropped = 0; ; dropped++) {
    const stored = JSON.stringify({ version: VERSION, ...session, drafts: session.drafts.slice(dropped) });
    if (stored.length <= MAX_SIZE || dropped >= session.drafts.length) return stored;
  }
}

export class Session {
  #stop: (() => void) | null = null;

  constructor(private readonly app: AppState) {}

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
    const { problems } = this.app;
    if (problems.source !== null && !sources.includes(problems.source)) problems.source = null;
  }

  #restore({ search, triage, notes, sources, problems, drafts }: StoredSession): void {
    const app = this.app;
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
    const app = this.app;
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
    const { search, reader, splitPane } = this.app;
    // Files are never read without a request.
    const query = search.isTyped && !isPasted(search.query) && parsePaths(search.query).length === 0 ? search.query : "";
    const isSearch = query.trim() !== "";
    return {
      query: isSearch ? query : "",
      reading: isSearch || splitPane.isOpen ? (reader.position?.key ?? null) : null, beside: splitPane.reader.position?.key ?? null,
    };
  }

  #currentSession(): StoredSession {
    const { triage, notes, sources, problems } = this.app;
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
