// Searching as you type: words first, because they are fast; then the query as it is meant, once the typing has stopped.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import { filters } from "./query";
import { sorted, type SortOrder } from "./sort";
import type { Failure, Hit, Mode, SearchResponse } from "../lib/types";

const WORDS_AFTER = 15;
const ALL_AFTER = 180;
/** How many pages of all documents are asked for at once beforehand, ahead of the one in sight on the way, and kept. */
const AT_ONCE = 2;
const AHEAD = 4;
const KEPT = 16;
/** A query that has stood this long before it is changed is one to come back to. */
const STANDS_AFTER = 2000;

export class Search {
  query = $state("");
  response = $state.raw<SearchResponse | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** Whether the answer that is shown is not the last one yet. */
  pending = $state(false);
  /** Whether a text that was pasted is in the query. */
  pasted = $state(false);
  /** The key of the marked result: the one that is read, or that the keys have just come to. */
  selected = $state<string | null>(null);
  /** The order of what was found. */
  sort = $state<SortOrder>("best");
  /** Grows when another query is answered, so that the list can go back to its top. */
  generation = $state(0);

  /** All documents, where they are listed; changed in place, and then `#version` grows. */
  #all = $state.raw<(Hit | undefined)[] | null>(null);
  #version = $state(0);
  /** The pages of `#all` that were asked for. */
  #pages = new Set<number>();
  #sight: readonly [number, number] = [0, 0];
  /** Which way what is shown moves: 1 is down. */
  #way: 1 | -1 = 1;
  #asking = 0;
  /** The place that is to be marked once it is fetched; −1 for none. */
  #wanted = -1;
  /** Where the last marked result was: a step begins there while none is marked. */
  #from = -1;
  #latest = new Latest();
  #timers: ReturnType<typeof setTimeout>[] = [];
  #answered = "";
  #changedAt = 0;
  /** Queries with a text that was pasted, as they stood: a step back may bring one of them again. */
  #foreign = new Set<string>();
  /** How many results an answer to words has. */
  #limit = api.RANKED;
  #leave: () => void;
  #read: () => string | null;
  #follow: (query: string, typed: boolean) => void;

  /**
   * `leave` is told before another query takes the place of one that stood; `read` tells what is read; `follow` hears of each query, and
   * whether it is being typed.
   */
  constructor(leave: () => void = () => {}, read: () => string | null = () => null, follow: (query: string, typed: boolean) => void = () => {}) {
    this.#follow = follow;
    this.#leave = leave;
    this.#read = read;
  }

  /** The results. Where no words were asked for, all documents: those that are not fetched yet are not there. */
  get hits(): readonly (Hit | undefined)[] {
    void this.#version;
    return this.isSorted ? this.#sorted : (this.#all ?? this.response?.hits ?? []);
  }

  readonly #sorted = $derived.by(() => {
    void this.#version;
    return sorted((this.#all ?? this.response?.hits ?? []).filter((hit) => hit !== undefined), this.sort);
  });

  /** Whether all that was found is here, so that another order is one of all of it. */
  get canSort(): boolean {
    return this.#all === null || this.#all.length <= api.PAGE;
  }

  /** Whether another order than the engine's own is shown. */
  get isSorted(): boolean {
    void this.#version;
    return this.sort !== "best" && this.canSort && (this.#all?.every((hit) => hit !== undefined) ?? true);
  }

  /** Whether these are all documents in the order of their last change, and not an answer to words. */
  get browses(): boolean {
    return this.#all !== null;
  }

  /** Whether there may be more results than these, the best ones. */
  get cutAt(): number | null {
    const n = this.hits.length;
    return !this.browses && (n === api.RANKED || n === api.MOST_RANKED) ? n : null;
  }

  /** Shows what was found in another order, from its top. */
  orderBy(order: SortOrder): void {
    this.sort = order;
    this.generation++;
  }

  /** Asks for more results, below those that are shown. */
  more(): void {
    this.#limit = api.MOST_RANKED;
    this.refresh();
  }

  get selectedIndex(): number {
    return this.selected === null ? -1 : this.hits.findIndex((hit) => hit?.key === this.selected);
  }

  get selectedHit(): Hit | null {
    return this.hits[this.selectedIndex] ?? null;
  }

  /** The query was edited by typing. */
  type(query: string): void {
    if (query === this.query) return;
    this.#leaveWhatStood();
    // What grows by more than a key comes as a whole.
    this.#take(query, query.length < this.query.length + 3);
    this.#schedule(WORDS_AFTER, ALL_AFTER);
  }

  /** The query was edited by a click, or (`isNew` is false) it is one that was left. */
  set(query: string, isNew = true): void {
    if (query === this.query) return;
    if (isNew) this.#leaveWhatStood();
    else this.pasted = this.#foreign.has(query.trim());
    this.#take(query, false);
    this.#schedule(0, 0);
  }

  /** Another query takes the place of whatever stood there. */
  begin(query: string, isPasted = false): void {
    this.pasted = isPasted;
    this.set(query);
  }

  /** Whether the query is the person's own, and may be written to disk. */
  get isOwn(): boolean {
    return !this.pasted && !this.#foreign.has(this.query.trim());
  }

  #take(query: string, typed: boolean): void {
    const text = query.trim();
    this.query = query;
    this.#limit = api.RANKED;
    // What a step back or the box's own undo brings again stays somebody else's, also when it is edited then.
    this.pasted = text !== "" && (this.pasted || this.#foreign.has(text));
    if (this.pasted) this.#foreign.add(text);
    this.#follow(query, typed);
  }

  #leaveWhatStood(): void {
    const now = Date.now();
    if (this.query.trim() !== "" && now - this.#changedAt > STANDS_AFTER) this.#leave();
    this.#changedAt = now;
  }

  /** Asks the same again: the casebook has changed. */
  refresh(): void {
    this.#schedule(null, 0);
  }

  /** Marks the result this many places further, as far as there are any; where there is none yet, the first or the last. */
  move(by: number): Hit | null {
    const last = this.hits.length - 1;
    if (last < 0) return null;
    if (!Number.isFinite(by)) return this.moveTo(by);
    const at = this.selectedIndex < 0 ? this.#from : this.selectedIndex;
    return this.moveTo(at < 0 ? (by > 0 ? 0 : last) : at + by);
  }

  /** Marks what is read, if it is among the results. */
  mark(key: string | null): void {
    if (this.selectedIndex >= 0) this.#from = this.selectedIndex;
    this.selected = this.#has(key) ? key : null;
  }

  #has(key: string | null): boolean {
    return key !== null && this.hits.some((hit) => hit?.key === key);
  }

  /** Marks the result at this place, or the nearest. One that is not fetched yet is marked when it is there. */
  moveTo(index: number): Hit | null {
    const at = Math.min(Math.max(index, 0), this.hits.length - 1);
    const hit = this.hits[at] ?? null;
    this.#wanted = hit || !this.browses ? -1 : at;
    if (this.#wanted >= 0) this.need(at, at + 1);
    this.selected = hit?.key ?? this.selected;
    return hit;
  }

  /** Fetches what is shown of all documents, and what is next to it. */
  need(first: number, last: number): void {
    if (first !== this.#sight[0]) this.#way = first > this.#sight[0] ? 1 : -1;
    this.#sight = [first, last];
    this.#pump();
  }

  /** Asks for what is missing, the nearest first; what was only passed by is not asked for. */
  #pump(): void {
    const [first, last] = this.#sight;
    const rows = this.#all;
    if (!rows) return;
    const middle = (first + last) / 2 / api.PAGE - 0.5;
    // Further on the way and one page behind, so that it is there before it is reached.
    const [behind, ahead] = this.#way > 0 ? [1, AHEAD] : [AHEAD, 1];
    const from = Math.max(0, Math.floor(first / api.PAGE) - behind);
    const to = Math.min(Math.ceil(rows.length / api.PAGE), Math.floor(last / api.PAGE) + 1 + ahead);
    const missing = Array.from({ length: Math.max(0, to - from) }, (_, at) => from + at).filter((page) => !this.#pages.has(page));
    missing.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    // What is in sight waits for nothing.
    const isSeen = (page: number) => page >= Math.floor(first / api.PAGE) && page * api.PAGE < last;
    for (const page of missing) if (isSeen(page) || this.#asking < AT_ONCE) void this.#fetch(page);
  }

  async #fetch(page: number): Promise<void> {
    const pages = this.#pages;
    pages.add(page);
    this.#asking++;
    try {
      // Pages that are asked for at one time must not end one another, nor the search that the person waits for.
      const response = await api.browse(this.#answered, page * api.PAGE, true);
      // Another query was answered meanwhile, or the same one anew.
      if (pages !== this.#pages || !this.#all) return;
      for (const [at, hit] of response.hits.entries()) this.#all[page * api.PAGE + at] = hit;
      this.#forget();
      const wanted = this.#all[this.#wanted];
      if (wanted) {
        this.selected = wanted.key;
        this.#wanted = -1;
      }
      this.#version++;
    } catch (thrown) {
      if (pages === this.#pages) this.failure = api.failure(thrown);
    } finally {
      this.#asking--;
      this.#pump();
    }
  }

  /**
   * Lets go of what is far from what is shown, so that a long way takes no more memory than a short one. The first page stays:
   * the way back to it is one key.
   */
  #forget(): void {
    const rows = this.#all;
    if (!rows || this.#pages.size <= KEPT) return;
    const middle = (this.#sight[0] + this.#sight[1]) / 2 / api.PAGE;
    const marked = Math.floor(this.selectedIndex / api.PAGE);
    const far = [...this.#pages].filter((page) => page !== 0 && page !== marked).sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const page of far.slice(0, this.#pages.size - KEPT)) {
      this.#pages.delete(page);
      rows.fill(undefined, page * api.PAGE, Math.min(rows.length, (page + 1) * api.PAGE));
    }
  }

  #schedule(wordsAfter: number | null, allAfter: number): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const isCurrent = this.#latest.begin();
    const query = this.query;
    this.pending = true;
    let final = false;
    const ask = async (mode: Mode | null, again = 3): Promise<void> => {
      try {
        const response = await api.search(query, mode, this.#limit);
        if (!isCurrent() || (final && mode !== null)) return;
        this.#show(query, response);
        if (mode === null) this.failure = null;
      } catch (thrown) {
        // One that was asked before it came in after it, and took its place: the engine goes on with the last that it hears of.
        if (isCurrent() && mode === null && again > 0 && api.failure(thrown).code === "cancelled") return await ask(null, again - 1);
        // A half-typed query may be unreadable; only the last word on it counts.
        if (isCurrent() && mode === null) this.failure = api.failure(thrown);
      } finally {
        if (isCurrent() && mode === null) {
          final = true;
          this.pending = false;
        }
      }
    };
    const hasMode = filters(query).some((filter) => filter.name === "mode");
    this.#timers = [setTimeout(() => void ask(null), allAfter)];
    if (wordsAfter !== null && allAfter > 0 && !hasMode && query.trim() !== "") {
      this.#timers.push(setTimeout(() => void ask("lexical"), wordsAfter));
    }
  }

  #show(query: string, response: SearchResponse): void {
    const isAnother = query !== this.#answered;
    this.#answered = query;
    this.response = response;
    this.#pages = new Set();
    this.#all = response.total === null ? null : rowsOf(response, isAnother ? null : this.#all);
    this.selected = [this.selected, this.#read()].find((key) => this.#has(key)) ?? null;
    if (isAnother) {
      this.#from = -1;
      this.generation++;
    }
  }
}

/** All documents as far as they are known: at the top what has just come, below what was there before. */
function rowsOf(response: SearchResponse, before: readonly (Hit | undefined)[] | null): (Hit | undefined)[] {
  const total = Math.max(response.total ?? 0, response.hits.length);
  const fresh = new Set(response.hits.map((hit) => hit.key));
  const rows: (Hit | undefined)[] = Array.from({ length: total }, (_, at) => {
    const old = before?.length === total ? before[at] : undefined;
    return old && !fresh.has(old.key) ? old : undefined;
  });
  response.hits.forEach((hit, at) => (rows[at] = hit));
  return rows;
}
