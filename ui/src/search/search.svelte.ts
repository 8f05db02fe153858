// Searching as you type: words first, because they are fast; then the query as it is meant, once the typing has stopped.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import { filters } from "./query";
import type { Failure, Hit, Mode, SearchResponse } from "../lib/types";

const WORDS_AFTER = 15;
const ALL_AFTER = 180;

export class Search {
  query = $state("");
  response = $state.raw<SearchResponse | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** Whether the answer that is shown is not the last one yet. */
  pending = $state(false);
  /** The key of the marked result. */
  selected = $state<string | null>(null);
  /** Grows when another query is answered, so that the list can go back to its top. */
  generation = $state(0);

  #latest = new Latest();
  #timers: ReturnType<typeof setTimeout>[] = [];
  #answered = "";

  get hits(): readonly Hit[] {
    return this.response?.hits ?? [];
  }

  get selectedIndex(): number {
    return this.hits.findIndex((hit) => hit.key === this.selected);
  }

  get selectedHit(): Hit | null {
    return this.hits[this.selectedIndex] ?? null;
  }

  /** The query was edited by typing. */
  type(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.#schedule(WORDS_AFTER, ALL_AFTER);
  }

  /** The query was edited by a click. */
  set(query: string): void {
    if (query === this.query) return;
    this.query = query;
    this.#schedule(0, 0);
  }

  /** Asks the same again: the casebook has changed. */
  refresh(): void {
    this.#schedule(null, 0);
  }

  /** Marks the result this many places further; where there is none yet, the first or the last. */
  move(by: number): Hit | null {
    const last = this.hits.length - 1;
    if (last < 0) return null;
    const at = this.selectedIndex;
    return this.moveTo(at < 0 ? (by > 0 ? 0 : last) : at + by);
  }

  /** Marks the result at this place, or the nearest. */
  moveTo(index: number): Hit | null {
    const hit = this.hits[Math.min(Math.max(index, 0), this.hits.length - 1)] ?? null;
    this.selected = hit?.key ?? this.selected;
    return hit;
  }

  #schedule(wordsAfter: number | null, allAfter: number): void {
    for (const timer of this.#timers) clearTimeout(timer);
    const isCurrent = this.#latest.begin();
    const query = this.query;
    this.pending = true;
    let final = false;
    const ask = async (mode: Mode | null) => {
      try {
        const response = await api.search(query, mode);
        if (!isCurrent() || (final && mode !== null)) return;
        this.#show(query, response);
        if (mode === null) this.failure = null;
      } catch (thrown) {
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
    if (!response.hits.some((hit) => hit.key === this.selected)) this.selected = null;
    if (isAnother) this.generation++;
  }
}
