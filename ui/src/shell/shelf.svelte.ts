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

export interface Kept {
  /** What was read, the latest first. */
  recent: readonly Item[];
  pinned: readonly Item[];
  searches: readonly string[];
  /** What was last searched for. */
  asked: string;
  triage: DeskSetting | null;
  /** Reports that are put off, each with when it waits again (milliseconds). */
  snoozed: Readonly<Record<string, number>>;
  /** When the window was last looked at, and what it is measured against. */
  visit: Visit | null;
  /** The order of search results. */
  sort: SortOrder;
  /** After how many minutes it syncs by itself; 0 is never. */
  syncEvery: number;
  /** The same for single sources that have an interval of their own. */
  syncEach: Readonly<Record<string, number>>;
  /** Whether it also syncs where the network is paid for by what goes over it. */
  syncMetered: boolean;
  /** The hosts whose images are shown. */
  images: readonly string[];
  /** Which of the first keys were used. */
  learnt: readonly string[];
}

/** A moment at which the window was looked at, and up to when each source was known then (milliseconds). */
export interface Looked {
  at: number;
  upTo: Readonly<Record<string, number>>;
}

/** The visit that goes on, and the last look of the one before it. */
interface Visit {
  last: Looked;
  since: Looked;
}

/** Who was away for less long comes back to the same morning. */
const AWAY = 4 * 3_600_000;
const DAY = 86_400_000;

export const SORT_ORDERS = ["best", "newest", "changed", "comments"] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

const RECENT = 12;
const EMPTY: Kept = {
  recent: [], pinned: [], searches: [], asked: "", triage: null, snoozed: {}, visit: null, sort: "best", syncEvery: 0, syncEach: {}, syncMetered: true, images: [], learnt: [],
};

const itemOf = ({ key, title, kind, state, state_reason }: Item): Item => ({ key, title, kind, state, state_reason });
const isItem = (one: unknown): one is Item =>
  typeof one === "object" && one !== null && "key" in one && typeof one.key === "string" && "title" in one && typeof one.title === "string";

const numbers = (found: unknown): Record<string, number> =>
  Object.fromEntries(Object.entries(typeof found === "object" && found !== null ? found : {}).filter((one): one is [string, number] => typeof one[1] === "number"));
const looked = (found: Looked): Looked => ({ at: Number(found.at), upTo: numbers(found.upTo) });

/** What was written by this or another version of the program; what cannot be read is as if it was never there. */
function read(text: string | null): Kept {
  try {
    const found = JSON.parse(text ?? "") as Partial<Kept>;
    const { triage, visit } = found;
    return {
      recent: (found.recent ?? []).filter(isItem),
      pinned: (found.pinned ?? []).filter(isItem),
      searches: (found.searches ?? []).filter((one) => typeof one === "string"),
      asked: typeof found.asked === "string" ? found.asked : "",
      triage: triage && triage.band in BANDS ? triage : null,
      snoozed: numbers(found.snoozed),
      visit: visit ? { last: looked(visit.last), since: looked(visit.since) } : null,
      sort: SORT_ORDERS.find((one) => one === found.sort) ?? "best",
      syncEvery: typeof found.syncEvery === "number" && found.syncEvery > 0 ? found.syncEvery : 0,
      syncEach: numbers(found.syncEach),
      syncMetered: found.syncMetered !== false,
      images: (found.images ?? []).filter((one) => typeof one === "string"),
      learnt: (found.learnt ?? []).filter((one) => typeof one === "string"),
    };
  } catch {
    return EMPTY;
  }
}

/** The shelf of a casebook: each part is what was kept, and every change is kept at once. */
export class Shelf {
  #kept = $state.raw<Kept>(EMPTY);
  #place: string | null = null;

  /** Opens the shelf of a casebook. */
  open(casebook: string): void {
    this.#place = `shelf:${casebook}`;
    this.#kept = read(localStorage.getItem(this.#place));
  }

  get kept(): Kept {
    return this.#kept;
  }

  keep(change: Partial<Kept>): void {
    this.#kept = { ...this.#kept, ...change };
    if (this.#place !== null) localStorage.setItem(this.#place, JSON.stringify(this.#kept));
  }

  /** What was last searched for, unless it is saved anyway. */
  get lastSearch(): string | null {
    const { asked } = this.kept;
    return asked === "" || this.hasSearch(asked) ? null : asked;
  }

  /** What "since the last visit" means; the first visit shows the last day. */
  get since(): Looked {
    return this.kept.visit?.since ?? { at: Date.now() - DAY, upTo: {} };
  }

  /** The window is looked at, and shows what the sources had at these moments. */
  look(now: number, upTo: Looked["upTo"]): void {
    const { visit } = this.kept;
    const since = visit === null ? { at: now - DAY, upTo: {} } : now - visit.last.at >= AWAY ? visit.last : visit.since;
    this.keep({ visit: { last: { at: now, upTo }, since } });
  }

  /** A document was read. */
  read(item: Item): void {
    const fresh = itemOf(item);
    const { recent, pinned } = this.kept;
    this.keep({
      recent: [fresh, ...recent.filter((one) => one.key !== fresh.key)].slice(0, RECENT),
      pinned: pinned.map((one) => (one.key === fresh.key ? fresh : one)),
    });
  }

  isPinned(key: string): boolean {
    return this.kept.pinned.some((one) => one.key === key);
  }

  /** Pins a document, or takes its pin away. Whether it is pinned now. */
  pin(item: Item): boolean {
    const was = this.isPinned(item.key);
    const others = this.kept.pinned.filter((one) => one.key !== item.key);
    this.keep({ pinned: was ? others : [itemOf(item), ...others] });
    return !was;
  }

  hasSearch(query: string): boolean {
    return this.kept.searches.includes(query.trim());
  }

  /** Saves a search, or forgets it. Whether it is saved now. */
  saveSearch(query: string): boolean {
    const text = query.trim();
    const was = this.hasSearch(text);
    const others = this.kept.searches.filter((one) => one !== text);
    this.keep({ searches: was ? others : [text, ...others] });
    return !was;
  }

  /** A search stood long enough to be meant. A pasted text is no search to come back to, nor is a single letter. */
  asked(query: string): void {
    const text = query.trim();
    if (/../u.test(text) && text !== this.kept.asked && !isPasted(text)) this.keep({ asked: text });
  }

  /** Gives a source an interval of its own in minutes, or (nothing) the one of all. */
  setSyncOf(source: string, minutes: number | null): void {
    const { [source]: _, ...others } = this.kept.syncEach;
    this.keep({ syncEach: minutes === null ? others : { ...others, [source]: minutes } });
  }

  showImages(host: string, show: boolean): void {
    const others = this.kept.images.filter((one) => one !== host);
    this.keep({ images: show ? [...others, host] : others });
  }

  hasLearnt(id: string): boolean {
    return this.kept.learnt.includes(id);
  }

  /** These of the first keys are known now. */
  learn(...ids: readonly string[]): void {
    const fresh = ids.filter((id) => !this.hasLearnt(id));
    if (fresh.length > 0) this.keep({ learnt: [...this.kept.learnt, ...fresh] });
  }

  /** Puts a report off, or (nothing) lets it wait again. What is over is forgotten. */
  snooze(key: string, until: number | null): void {
    const others = Object.entries(this.kept.snoozed).filter(([one, at]) => one !== key && at > Date.now());
    this.keep({ snoozed: Object.fromEntries(until === null ? others : [...others, [key, until]]) });
  }
}
