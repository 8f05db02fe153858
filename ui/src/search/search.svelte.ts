// Search as you type: a fast lexical search first, then the full one once typing has stopped.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latestRequest";
import { parseFilters } from "./query";
import { sortHits } from "./sort";
import type { SortOrder } from "../shell/localStore.svelte";
import type { Failure, Hit, Mode, SearchResponse } from "../lib/types";

const LEXICAL_DELAY = 15;
const FULL_DELAY = 180;
/** The number of pages that load at once, are prefetched in the scroll direction, and are kept. */
const MAX_CONCURRENT = 2;
const MAX_PREFETCHED = 4;
const MAX_PAGES = 16;
/** The time after which an unchanged query is added to the history, in milliseconds. */
const HISTORY_DELAY = 2000;

export class Search {
  query = $state("");
  response = $state.raw<SearchResponse | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** Whether the final response is pending. */
  pending = $state(false);
  /** Whether the query contains pasted text. */
  isPasted = $state(false);
  selected = $state<string | null>(null);
  sort = $state<SortOrder>("best");
  /** Incremented for each new query's response, so that the list scrolls to its top. */
  generation = $state(0);

  /** All documents of a query without words; changed in place, which increments `#version`. */
  #allRows = $state.raw<(Hit | undefined)[] | null>(null);
  #version = $state(0);
  /** The requested pages of `#allRows`. */
  #pages = new Set<number>();
  #visibleRange: readonly [number, number] = [0, 0];
  /** The scroll direction: 1 is down. */
  #direction: 1 | -1 = 1;
  #activeRequests = 0;
  /** The index to select once it is loaded; −1 for none. */
  #pendingIndex = -1;
  /** The index of the last selection, where the next step begins if nothing is selected. */
  #lastIndex = -1;
  #latest = new LatestRequest();
  #timers: ReturnType<typeof setTimeout>[] = [];
  #answeredQuery = "";
  #changedAt = 0;
  /** Past queries with pasted text; going back may restore one. */
  #pastedQueries = new Set<string>();
  /** The limit of ranked results. */
  #limit = api.RANKED_LIMIT;

  /**
   * `onLeave` is called before a query that was unchanged for a while is replaced, `openKey` returns the
   * open document's key, and `onQuery` is called with each query and whether it is being typed.
   */
  constructor(
    private readonly onLeave: () => void = () => {},
    private readonly openKey: () => string | null = () => null,
    private readonly onQuery: (query: string, isTyping: boolean) => void = () => {},
  ) {}

  /** The results; without words, all documents, with gaps where they are not loaded. */
  get hits(): readonly (Hit | undefined)[] {
    void this.#version;
    return this.isSorted ? this.#sorted : (this.#allRows ?? this.response?.hits ?? []);
  }

  readonly #sorted = $derived.by(() => {
    void this.#version;
    return sortHits((this.#allRows ?? this.response?.hits ?? []).filter((hit) => hit !== undefined), this.sort);
  });

  /** Whether all results are loaded, so that they can be sorted here. */
  get canSort(): boolean {
    return this.#allRows === null || this.#allRows.length <= api.PAGE_SIZE;
  }

  /** Whether the order differs from the engine's. */
  get isSorted(): boolean {
    void this.#version;
    return this.sort !== "best" && this.canSort && (this.#allRows?.every((hit) => hit !== undefined) ?? true);
  }

  /** Whether it lists all documents by last update instead of ranked results. */
  get isBrowsing(): boolean {
    return this.#allRows !== null;
  }

  /** The limit that cut off the results, if any. */
  get cutAt(): number | null {
    const n = this.hits.length;
    return !this.isBrowsing && (n === api.RANKED_LIMIT || n === api.MAX_RANKED) ? n : null;
  }

  /** Whether the results are those of an earlier query. */
  get isOutdated(): boolean {
    return this.pending && this.query !== this.#answeredQuery;
  }

  /** Sorts the results and scrolls to the top. */
  setOrder(order: SortOrder): void {
    this.sort = order;
    this.generation++;
  }

  loadMore(): void {
    this.#limit = api.MAX_RANKED;
    this.refresh();
  }

  get selectedIndex(): number {
    return this.selected === null ? -1 : this.hits.findIndex((hit) => hit?.key === this.selected);
  }

  get selectedHit(): Hit | null {
    return this.hits[this.selectedIndex] ?? null;
  }

  /** Sets the query while it is typed. */
  type(query: string): void {
    if (query === this.query) return;
    this.#recordHistory();
    // A change of several characters is a paste, not typing.
    this.#setQuery(query, query.length < this.query.length + 3);
    this.#schedule(LEXICAL_DELAY, FULL_DELAY);
  }

  /** Sets the query after a click, or (`isNew` is false) when going back. */
  set(query: string, isNew = true): void {
    if (query === this.query) return;
    if (isNew) this.#recordHistory();
    else this.isPasted = this.#pastedQueries.has(query.trim());
    this.#setQuery(query, false);
    this.#schedule(0, 0);
  }

  replace(query: string, isPasted = false): void {
    this.isPasted = isPasted;
    this.set(query);
  }

  /** Whether the user typed the query, so that it may be stored. */
  get isTyped(): boolean {
    return !this.isPasted && !this.#pastedQueries.has(this.query.trim());
  }

  #setQuery(query: string, isTyping: boolean): void {
    const text = query.trim();
    this.query = query;
    this.#limit = api.RANKED_LIMIT;
    // A restored pasted query stays pasted even if it is edited.
    this.isPasted = text !== "" && (this.isPasted || this.#pastedQueries.has(text));
    if (this.isPasted) this.#pastedQueries.add(text);
    this.onQuery(query, isTyping);
  }

  #recordHistory(): void {
    const now = Date.now();
    if (this.query.trim() !== "" && now - this.#changedAt > HISTORY_DELAY) this.onLeave();
    this.#changedAt = now;
  }

  /** Repeats the search after the casebook has changed. */
  refresh(): void {
    this.#schedule(null, 0);
  }

  /** Moves the selection; if there is none, selects the first or last result. */
  move(delta: number): Hit | null {
    const last = this.hits.length - 1;
    if (last < 0) return null;
    if (!Number.isFinite(delta)) return this.moveTo(delta);
    const start = this.selectedIndex < 0 ? this.#lastIndex : this.selectedIndex;
    return this.moveTo(start < 0 ? (delta > 0 ? 0 : last) : start + delta);
  }

  /** Selects the open document if it is among the results. */
  select(key: string | null): void {
    if (this.selectedIndex >= 0) this.#lastIndex = this.selectedIndex;
    this.selected = this.#hasResult(key) ? key : null;
  }

  #hasResult(key: string | null): boolean {
    return key !== null && this.hits.some((hit) => hit?.key === key);
  }

  /** Selects the result at an index, once it is loaded. */
  moveTo(index: number): Hit | null {
    const row = Math.min(Math.max(index, 0), this.hits.length - 1);
    const hit = this.hits[row] ?? null;
    this.#pendingIndex = hit || !this.isBrowsing ? -1 : row;
    if (this.#pendingIndex >= 0) this.loadRows(row, row + 1);
    this.selected = hit?.key ?? this.selected;
    return hit;
  }

  /** Loads the visible documents and those nearby. */
  loadRows(first: number, last: number): void {
    if (first !== this.#visibleRange[0]) this.#direction = first > this.#visibleRange[0] ? 1 : -1;
    this.#visibleRange = [first, last];
    this.#requestMissing();
  }

  /** Requests missing pages, nearest first; pages scrolled past are not requested. */
  #requestMissing(): void {
    const [first, last] = this.#visibleRange;
    const rows = this.#allRows;
    if (!rows) return;
    const middle = (first + last) / 2 / api.PAGE_SIZE - 0.5;
    // Prefetches further in the scroll direction.
    const [pagesBehind, pagesAhead] = this.#direction > 0 ? [1, MAX_PREFETCHED] : [MAX_PREFETCHED, 1];
    const start = Math.max(0, Math.floor(first / api.PAGE_SIZE) - pagesBehind);
    const end = Math.min(Math.ceil(rows.length / api.PAGE_SIZE), Math.floor(last / api.PAGE_SIZE) + 1 + pagesAhead);
    const missing = Array.from({ length: Math.max(0, end - start) }, (_, index) => start + index).filter((page) => !this.#pages.has(page));
    missing.sort((a, b) => Math.abs(a - middle) - Math.abs(b - middle));
    // Visible pages load at once.
    const isVisible = (page: number) => page >= Math.floor(first / api.PAGE_SIZE) && page * api.PAGE_SIZE < last;
    for (const page of missing) if (isVisible(page) || this.#activeRequests < MAX_CONCURRENT) void this.#fetch(page);
  }

  async #fetch(page: number): Promise<void> {
    const pages = this.#pages;
    pages.add(page);
    this.#activeRequests++;
    try {
      // Concurrent pages must not cancel each other or the main search.
      const response = await api.browse(this.#answeredQuery, page * api.PAGE_SIZE, true);
      // The query or its response may have changed in the meantime.
      if (pages !== this.#pages || !this.#allRows) return;
      for (const [index, hit] of response.hits.entries()) this.#allRows[page * api.PAGE_SIZE + index] = hit;
      this.#dropDistantPages();
      const pendingHit = this.#allRows[this.#pendingIndex];
      if (pendingHit) {
        this.selected = pendingHit.key;
        this.#pendingIndex = -1;
      }
      this.#version++;
    } catch (error) {
      if (pages === this.#pages) this.failure = api.toFailure(error);
    } finally {
      this.#activeRequests--;
      this.#requestMissing();
    }
  }

  /** Drops pages far from the visible ones to limit memory. The first page stays, as Home returns to it. */
  #dropDistantPages(): void {
    const rows = this.#allRows;
    if (!rows || this.#pages.size <= MAX_PAGES) return;
    const middle = (this.#visibleRange[0] + this.#visibleRange[1]) / 2 / api.PAGE_SIZE;
    const selectedPage = Math.floor(this.selectedIndex / api.PAGE_SIZE);
    const distantPages = [...this.#pages].filter((page) => page !== 0 && page !== selectedPage).sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const page of distantPages.slice(0, this.#pages.size - MAX_PAGES)) {
      this.#pages.delete(page);
      rows.fill(undefined, page * api.PAGE_SIZE, Math.min(rows.length, (page + 1) * api.PAGE_SIZE));
    }
  }

  #schedule(lexicalDelay: number | null, fullDelay: number): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const isCurrent = this.#latest.begin();
    const query = this.query;
    this.pending = true;
    let isFinal = false;
    const ask = async (mode: Mode | null, retries = 3): Promise<void> => {
      try {
        const response = await api.search(query, mode, this.#limit);
        if (!isCurrent() || (isFinal && mode !== null)) return;
        this.#show(query, response);
        if (mode === null) this.failure = null;
      } catch (error) {
        // An older request arrived later and canceled this one; try again.
        if (isCurrent() && mode === null && retries > 0 && api.toFailure(error).code === "cancelled") return await ask(null, retries - 1);
        // A half-typed query may be invalid, so only the final response counts.
        if (isCurrent() && mode === null) this.failure = api.toFailure(error);
      } finally {
        if (isCurrent() && mode === null) {
          isFinal = true;
          this.pending = false;
        }
      }
    };
    const hasMode = parseFilters(query).some((filter) => filter.name === "mode");
    this.#timers = [setTimeout(() => void ask(null), fullDelay)];
    if (lexicalDelay !== null && fullDelay > 0 && !hasMode && query.trim() !== "") {
      this.#timers.push(setTimeout(() => void ask("lexical"), lexicalDelay));
    }
  }

  #show(query: string, response: SearchResponse): void {
    const isNewQuery = query !== this.#answeredQuery;
    this.#answeredQuery = query;
    this.response = response;
    this.#pages = new Set();
    this.#allRows = response.total === null ? null : mergeRows(response, isNewQuery ? null : this.#allRows);
    this.selected = [this.selected, this.openKey()].find((key) => this.#hasResult(key)) ?? null;
    if (isNewQuery) {
      this.#lastIndex = -1;
      this.generation++;
    }
  }
}

/** Merges new results with the loaded rows below them. */
function mergeRows(response: SearchResponse, previous: readonly (Hit | undefined)[] | null): (Hit | undefined)[] {
  const total = Math.max(response.total ?? 0, response.hits.length);
  const newKeys = new Set(response.hits.map((hit) => hit.key));
  const rows: (Hit | undefined)[] = Array.from({ length: total }, (_, index) => {
    const row = previous?.length === total ? previous[index] : undefined;
    return row && !newKeys.has(row.key) ? row : undefined;
  });
  response.hits.forEach((hit, index) => (rows[index] = hit));
  return rows;
}
