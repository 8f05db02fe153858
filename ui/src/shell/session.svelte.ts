// How each view was left, and notes that are half written, kept over restarts for each casebook. A text that was pasted is
// somebody else's: it is never among what is kept.

import { KINDS } from "../notes/words";
import type { Writing } from "../notes/notes.svelte";
import type { NoteKind } from "../lib/types";
import type { Desk } from "./desk.svelte";

/** Another form of what is kept has another number; what an older or newer program wrote is left alone. */
const VERSION = 1;
/** In characters, for everything that is kept. */
export const MOST = 64_000;
const AFTER = 250;

export interface Kept {
  triage: { selected: string | null; related: boolean };
  troubleshoot: { source: string | null };
  notes: { kind: NoteKind | null; selected: string | null };
  sources: { selected: string | null };
  insights: { source: string | null; span: number };
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
    const [triage, troubleshoot, notes, sources, insights] = ["triage", "troubleshoot", "notes", "sources", "insights"].map((name) => part(found[name]));
    const span = insights?.["span"];
    return {
      triage: { selected: key(triage?.["selected"]), related: triage?.["related"] === true },
      troubleshoot: { source: key(troubleshoot?.["source"]) },
      notes: { kind: noteKind(notes?.["kind"]), selected: key(notes?.["selected"]) },
      sources: { selected: key(sources?.["selected"]) },
      insights: { source: key(insights?.["source"]), span: typeof span === "number" && span >= 0 ? span : 24 },
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
    const kept = read(localStorage.getItem(place));
    if (kept) this.#restore(kept);
    this.#stop = $effect.root(() => {
      $effect(() => {
        const kept = this.#kept();
        // Typing changes it with each key.
        const timer = setTimeout(() => localStorage.setItem(place, written(kept)), AFTER);
        return () => clearTimeout(timer);
      });
    });
  }

  /** What was chosen among sources that are gone is chosen no more. */
  settle(sources: readonly string[]): void {
    for (const view of [this.#desk.troubleshoot, this.#desk.insights]) {
      if (view.source !== null && !sources.includes(view.source)) view.source = null;
    }
  }

  #restore({ triage, troubleshoot, notes, sources, insights, drafts }: Kept): void {
    const desk = this.#desk;
    desk.triage.returnTo(triage.selected, triage.related);
    desk.troubleshoot.source = troubleshoot.source;
    Object.assign(desk.notes, notes);
    desk.sources.selected = sources.selected;
    Object.assign(desk.insights, insights);
    desk.notes.takeDrafts(drafts);
  }

  #kept(): Kept {
    const { triage, troubleshoot, notes, sources, insights } = this.#desk;
    return {
      triage: { selected: triage.reading, related: triage.relatedOpen },
      troubleshoot: { source: troubleshoot.source },
      notes: { kind: notes.kind, selected: notes.selected },
      sources: { selected: sources.selected },
      insights: { source: insights.source, span: insights.span },
      drafts: notes.ownDrafts,
    };
  }
}
