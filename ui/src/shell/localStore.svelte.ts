// Recent and pinned items, searches and settings, kept per casebook across restarts.

import { BAND_LABELS } from "../triage/labels";
import { parseStored, withDefaults } from "../lib/stored";
import type { Band, Thread } from "../lib/types";

/** A document as shown in a list. */
export type Item = Pick<Thread, "key" | "title" | "kind" | "state" | "state_reason">;

export interface TriageSettings {
  source: string | null;
  includeClosed: boolean;
  band: Band;
}

interface StoredState {
  /** Recently read, newest first. */
  recent: readonly Item[];
  pinned: readonly Item[];
  searches: readonly string[];
  triage: TriageSettings | null;
  /** Snoozed reports and the times when they return, in Unix milliseconds. */
  snoozed: Readonly<Record<string, number>>;
  /** Reports assigned to the user of this machine. */
  assigned: readonly string[];
  /** The times when the window was in use, for "since the last visit". */
  visit: Visit | null;
  /** The order of search results. */
  sort: SortOrder;
  /** The automatic sync interval in minutes; 0 is never. */
  syncEvery: number;
  /** Intervals of single sources. */
  syncEach: Readonly<Record<string, number>>;
  /** Whether to sync on metered networks. */
  syncMetered: boolean;
  /** Hosts whose images are shown. */
  images: readonly string[];
}

/** A time when the window was in use, and how recent each source was then, in Unix milliseconds. */
interface VisitTime {
  at: number;
  upTo: Readonly<Record<string, number>>;
}

/** The current visit and the end of the previous one. */
interface Visit {
  last: VisitTime;
  since: VisitTime;
}

/** A shorter absence continues the same visit. */
const VISIT_GAP = 4 * 3_600_000;
const DAY = 86_400_000;

export const SORT_ORDERS = ["best", "newest", "changed", "comments"] as const;
export type SortOrder = (typeof SORT_ORDERS)[number];

const MAX_RECENT = 12;
const EMPTY_STATE: StoredState = {
  recent: [], pinned: [], searches: [], triage: null, snoozed: {}, assigned: [], visit: null, sort: "best", syncEvery: 0, syncEach: {}, syncMetered: true, images: [],
};

const NO_VISIT: VisitTime = { at: 0, upTo: {} };

const toItem = ({ key, title, kind, state, state_reason }: Item): Item => ({ key, title, kind, state, state_reason });
const isItem = (entry: Item | null) => typeof entry?.key === "string" && typeof entry.title === "string";

/** Parses the stored state; invalid parts count as empty. */
function parseState(text: string | null): StoredState {
  const parsed = withDefaults(parseStored(text), EMPTY_STATE);
  const { recent, pinned, triage, visit, sort } = parsed;
  return {
    ...parsed,
    recent: recent.filter(isItem),
    pinned: pinned.filter(isItem),
    triage: triage && triage.band in BAND_LABELS ? triage : null,
    visit: visit && withDefaults(visit, { last: NO_VISIT, since: NO_VISIT }),
    sort: SORT_ORDERS.includes(sort) ? sort : "best",
  };
}

/** The stored state of a casebook; each change is stored at once. */
export class LocalStore {
  #state = $state.raw<StoredState>(EMPTY_STATE);
  #storageKey: string | null = null;

  open(casebook: string): void {
    this.#storageKey = `shelf:${casebook}`;
    this.#state = parseState(localStorage.getItem(this.#storageKey));
  }

  get state(): StoredState {
    return this.#state;
  }

  update(change: Partial<StoredState>): void {
    this.#state = { ...this.#state, ...change };
    if (this.#storageKey !== null) localStorage.setItem(this.#storageKey, JSON.stringify(this.#state));
  }

  /** The end of the previous visit; at first, a day ago. */
  get previousVisit(): VisitTime {
    return this.state.visit?.since ?? { at: Date.now() - DAY, upTo: {} };
  }

  /** Records that the window is in use, and how recent the sources are. */
  recordVisit(now: number, upTo: VisitTime["upTo"]): void {
    const { visit } = this.state;
    const since = visit === null ? { at: now - DAY, upTo: {} } : now - visit.last.at >= VISIT_GAP ? visit.last : visit.since;
    this.update({ visit: { last: { at: now, upTo }, since } });
  }

  recordRead(item: Item): void {
    const updated = toItem(item);
    const { recent, pinned } = this.state;
    this.update({
      recent: [updated, ...recent.filter((entry) => entry.key !== updated.key)].slice(0, MAX_RECENT),
      pinned: pinned.map((entry) => (entry.key === updated.key ? updated : entry)),
    });
  }

  isPinned(key: string): boolean {
    return this.state.pinned.some((entry) => entry.key === key);
  }

  /** Pins or unpins a document. Returns whether it is pinned now. */
  togglePin(item: Item): boolean {
    const wasPinned = this.isPinned(item.key);
    const others = this.state.pinned.filter((entry) => entry.key !== item.key);
    this.update({ pinned: wasPinned ? others : [toItem(item), ...others] });
    return !wasPinned;
  }

  hasSearch(query: string): boolean {
    return this.state.searches.includes(query.trim());
  }

  /** Saves or removes a search. Returns whether it is saved now. */
  toggleSearch(query: string): boolean {
    const text = query.trim();
    const wasSaved = this.hasSearch(text);
    const others = this.state.searches.filter((entry) => entry !== text);
    this.update({ searches: wasSaved ? others : [text, ...others] });
    return !wasSaved;
  }

  /** Sets a source's sync interval in minutes; `null` for the default. */
  setSyncInterval(source: string, minutes: number | null): void {
    const { [source]: _, ...others } = this.state.syncEach;
    this.update({ syncEach: minutes === null ? others : { ...others, [source]: minutes } });
  }

  showImages(host: string, show: boolean): void {
    const others = this.state.images.filter((entry) => entry !== host);
    this.update({ images: show ? [...others, host] : others });
  }

  /** Snoozes a report until a time; `null` ends its snooze. Expired snoozes are removed. */
  snooze(key: string, returnTime: number | null): void {
    const others = Object.entries(this.state.snoozed).filter(([entry, time]) => entry !== key && time > Date.now());
    this.update({ snoozed: Object.fromEntries(returnTime === null ? others : [...others, [key, returnTime]]) });
  }

  /** Assigns reports to the user of this machine, or ends their assignment. */
  assign(keys: readonly string[], isAssigned: boolean): void {
    const others = this.state.assigned.filter((entry) => !keys.includes(entry));
    this.update({ assigned: isAssigned ? [...others, ...keys] : others });
  }
}
