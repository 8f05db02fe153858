// What a person comes back to, kept over restarts for each casebook: what was read, what is pinned, searches, and how the
// triage desk was set.

import { isPasted } from "../search/query";
import { BANDS } from "../triage/words";
import type { Band, DocKind, State } from "../lib/types";

/** A document as a list shows it. */
export interface Item {
  key: string;
  title: string;
  kind: DocKind;
  state: State | null;
  state_reason: string | null;
}

export interface DeskSetting {
  source: string | null;
  includeClosed: boolean;
  band: Band;
}

interface Kept {
  recent: readonly Item[];
  pinned: readonly Item[];
  searches: readonly string[];
  /** What was last searched for. */
  asked: string;
  triage: DeskSetting | null;
  /** How many reports were decided on one day. */
  decided: { day: string; count: number };
  /** After how many minutes it syncs by itself; 0 is never. */
  syncEvery: number;
}

const RECENT = 12;
const EMPTY: Kept = { recent: [], pinned: [], searches: [], asked: "", triage: null, decided: { day: "", count: 0 }, syncEvery: 0 };

const isItem = (one: unknown): one is Item =>
  typeof one === "object" && one !== null && "key" in one && typeof one.key === "string" && "title" in one && typeof one.title === "string";

/** What was written by this or another version of the program; what cannot be read is as if it was never there. */
function read(text: string | null): Kept {
  try {
    const found = JSON.parse(text ?? "") as Partial<Kept>;
    const { triage, decided } = found;
    return {
      recent: (found.recent ?? []).filter(isItem),
      pinned: (found.pinned ?? []).filter(isItem),
      searches: (found.searches ?? []).filter((one) => typeof one === "string"),
      asked: typeof found.asked === "string" ? found.asked : "",
      triage: triage && triage.band in BANDS ? triage : null,
      decided: typeof decided?.count === "number" ? decided : EMPTY.decided,
      syncEvery: typeof found.syncEvery === "number" && found.syncEvery > 0 ? found.syncEvery : 0,
    };
  } catch {
    return EMPTY;
  }
}

/** The day at this machine. */
function today(): string {
  const now = new Date();
  return `${now.getFullYear()}-${now.getMonth() + 1}-${now.getDate()}`;
}

export class Shelf {
  #kept = $state.raw<Kept>(EMPTY);
  #place: string | null = null;

  /** Opens the shelf of a casebook. */
  open(casebook: string): void {
    this.#place = `shelf:${casebook}`;
    this.#kept = read(localStorage.getItem(this.#place));
  }

  /** What was read, the latest first. */
  get recent(): readonly Item[] {
    return this.#kept.recent;
  }

  get pinned(): readonly Item[] {
    return this.#kept.pinned;
  }

  get searches(): readonly string[] {
    return this.#kept.searches;
  }

  /** What was last searched for, unless it is saved anyway. */
  get lastSearch(): string | null {
    const { asked } = this.#kept;
    return asked === "" || this.hasSearch(asked) ? null : asked;
  }

  get triage(): DeskSetting | null {
    return this.#kept.triage;
  }

  get decidedToday(): number {
    return this.#kept.decided.day === today() ? this.#kept.decided.count : 0;
  }

  /** A document was read. */
  read(item: Item): void {
    const { key, title, kind, state, state_reason } = item;
    const fresh = { key, title, kind, state, state_reason };
    this.#keep({
      recent: [fresh, ...this.recent.filter((one) => one.key !== key)].slice(0, RECENT),
      pinned: this.pinned.map((one) => (one.key === key ? fresh : one)),
    });
  }

  isPinned(key: string): boolean {
    return this.pinned.some((one) => one.key === key);
  }

  /** Pins a document, or takes its pin away. Whether it is pinned now. */
  pin(item: Item): boolean {
    const was = this.isPinned(item.key);
    const { key, title, kind, state, state_reason } = item;
    const others = this.pinned.filter((one) => one.key !== key);
    this.#keep({ pinned: was ? others : [{ key, title, kind, state, state_reason }, ...others] });
    return !was;
  }

  hasSearch(query: string): boolean {
    return this.searches.includes(query.trim());
  }

  /** Saves a search, or forgets it. Whether it is saved now. */
  saveSearch(query: string): boolean {
    const text = query.trim();
    const was = this.hasSearch(text);
    const others = this.searches.filter((one) => one !== text);
    this.#keep({ searches: was ? others : [text, ...others] });
    return !was;
  }

  /** A search stood long enough to be meant. A pasted text is no search to come back to. */
  asked(query: string): void {
    const text = query.trim();
    if (text !== "" && text !== this.#kept.asked && !isPasted(text)) this.#keep({ asked: text });
  }

  get syncEvery(): number {
    return this.#kept.syncEvery;
  }

  setSyncEvery(minutes: number): void {
    this.#keep({ syncEvery: minutes });
  }

  setTriage(triage: DeskSetting): void {
    this.#keep({ triage });
  }

  /** A report was decided, or (−1) a decision was taken back. */
  decided(by: 1 | -1): void {
    this.#keep({ decided: { day: today(), count: Math.max(0, this.decidedToday + by) } });
  }

  #keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    if (this.#place !== null) localStorage.setItem(this.#place, JSON.stringify(this.#kept));
  }
}
