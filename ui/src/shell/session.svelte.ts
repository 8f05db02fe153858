// How each view was left, what was searched for, and notes that are half written, kept over restarts for each casebook. A text that
// was pasted is somebody else's: it is never among what is kept.

import { paths } from "../answer/logs.svelte";
import { KINDS, type Writing } from "../notes/notes.svelte";
import type { NoteKind } from "../lib/types";
import { TABS, type Tab } from "../problems/problems.svelte";
import { isPasted } from "../search/query";
import type { Reader } from "../search/reader.svelte";
import type { Desk } from "./desk.svelte";

/** Another form of what is kept has another number; what an older or newer program wrote is left alone. */
const VERSION = 1;
/** In characters, for everything that is kept. */
export const MOST = 64_000;
const AFTER = 250;

export interface Kept {
  /** A query that was typed, and what was read, by its keys. */
  search: { query: string; reading: string | null; beside: string | null };
  triage: { selected: string | null; related: boolean };
  notes: { kind: NoteKind | null; selected: string | null };
  sources: { selected: string | null };
  problems: { source: string | null; span: number; tab: Tab };
  drafts: readonly Writing[];
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
const key = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);
const part = (value: unknown): Record<string, unknown> => (typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {});
const noteKind = (value: unknown): NoteKind | null => (typeof value === "string" && value in KINDS ? (value as NoteKind) : null);

function draft(value: unknown): Writing {
  const { key: of, kind, title, body, tags, attach } = part(value);
  return {
    key: key(of), kind: noteKind(kind) ?? "lesson", title: text(title), body: text(body), tags: text(tags),
    attach: Array.isArray(attach) ? attach.filter((one) => typeof one === "string") : [], own: null,
  };
}

/** What was kept; nothing of what cannot be read. */
export function read(stored: string | null): Kept | null {
  try {
    const found = part(JSON.parse(stored ?? ""));
    if (found["version"] !== VERSION) return null;
    const [search, triage, notes, sources] = ["search", "triage", "notes", "sources"].map((name) => part(found[name]));
    const problems = part(found["problems"]);
    const span = problems["span"];
    return {
      search: { query: text(search?.["query"]), reading: key(search?.["reading"]), beside: key(search?.["beside"]) },
      triage: { selected: key(triage?.["selected"]), related: triage?.["related"] === true },
      notes: { kind: noteKind(notes?.["kind"]), selected: key(notes?.["selected"]) },
      sources: { selected: key(sources?.["selected"]) },
      problems: {
        source: key(problems["source"]), span: typeof span === "number" && span >= 0 ? span : 24,
        tab: TABS.find((one) => one === problems["tab"]) ?? "frequent",
      },
      drafts: (Array.isArray(found["drafts"]) ? found["drafts"] : []).map(draft),
    };
  } catch {
    return null;
  }
}

/** As it is stored: of drafts that are too much together, the oldest are left out. */
export function written(kept: Kept): string {
  for (let from = 0; ; from++) {
    const stored = JSON.stringify({ version: VERSION, ...kept, drafts: kept.drafts.slice(from) });
    if (stored.length <= MOST || from >= kept.drafts.length) return stored;
  }
}

export class Session {
  #desk: Desk;
  #stop: (() => void) | null = null;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Brings back how the views of a casebook were left, and keeps from now on how they are. */
  open(casebook: string): void {
    this.#stop?.();
    const place = `session:${casebook}`;
    // A timer may outlive the page.
    const storage = localStorage;
    const kept = read(storage.getItem(place));
    if (kept) this.#restore(kept);
    const keep = (kept: Kept) => storage.setItem(place, written(kept));
    const onpagehide = () => keep(this.#kept());
    this.#stop = $effect.root(() => {
      $effect(() => {
        const kept = this.#kept();
        // Typing changes it with each key.
        const timer = setTimeout(() => keep(kept), AFTER);
        return () => clearTimeout(timer);
      });
      $effect(() => {
        window.addEventListener("pagehide", onpagehide);
        return () => window.removeEventListener("pagehide", onpagehide);
      });
    });
  }

  /** What was chosen among sources that are gone is chosen no more. */
  settle(sources: readonly string[]): void {
    const { problems } = this.#desk;
    if (problems.source !== null && !sources.includes(problems.source)) problems.source = null;
  }

  #restore({ search, triage, notes, sources, problems, drafts }: Kept): void {
    const desk = this.#desk;
    desk.search.set(search.query, false);
    void this.#read(search);
    desk.triage.returnTo(triage.selected, triage.related);
    Object.assign(desk.notes, notes);
    desk.sources.selected = sources.selected;
    Object.assign(desk.problems, problems);
    desk.notes.takeDrafts(drafts);
  }

  /** Reads again what was read, as far as it is still there. */
  async #read({ reading, beside }: Kept["search"]): Promise<void> {
    const desk = this.#desk;
    // Two are seen as two; one is found beside its list.
    desk.reader.reading = beside !== null;
    const open = async (reader: Reader, key: string | null) => {
      if (key === null) return;
      await reader.show({ key, anchor: null });
      if (reader.failure !== null && reader.place?.key === key) reader.close();
    };
    await Promise.all([open(desk.reader, reading), open(desk.beside.reader, beside)]);
    const left = desk.beside.reader.place;
    if (desk.reader.place !== null || left === null) return;
    desk.beside.clear();
    await open(desk.reader, left.key);
  }

  #searched(): Kept["search"] {
    const { search, reader, beside } = this.#desk;
    // No file is read unasked.
    const query = search.isOwn && !isPasted(search.query) && paths(search.query).length === 0 ? search.query : "";
    const isSearch = query.trim() !== "";
    return {
      query: isSearch ? query : "",
      reading: isSearch || beside.isOpen ? (reader.place?.key ?? null) : null, beside: beside.reader.place?.key ?? null,
    };
  }

  #kept(): Kept {
    const { triage, notes, sources, problems } = this.#desk;
    return {
      search: this.#searched(),
      triage: { selected: triage.reading, related: triage.relatedOpen },
      notes: { kind: notes.kind, selected: notes.selected },
      sources: { selected: sources.selected },
      problems: { source: problems.source, span: problems.span, tab: problems.tab },
      drafts: notes.ownDrafts,
    };
  }
}
