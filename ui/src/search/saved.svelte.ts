// Saved searches and their result counts, updated one by one on start and after changes.

import { SvelteMap } from "svelte/reactivity";
import * as api from "../lib/api";
import { LatestRequest } from "../lib/latestRequest";
import { count } from "../lib/text";
import type { LocalStore } from "../shell/localStore.svelte";
import type { UndoStack } from "../shell/undo.svelte";
import { words } from "../words";

const texts = words.search;

interface Tally {
  total: number;
  /** Whether there may be more; only one page is counted. */
  hasMore: boolean;
}

export interface SavedSearch {
  query: string;
  /** `null` until it is counted. */
  tally: Tally | null;
}

/** Formats a count: "12", "50+". */
export function formatTally({ total, hasMore }: Tally): string {
  return hasMore ? `${count(total)}+` : total > 999 ? "999+" : count(total);
}

/** Describes a search: "tls is:open: 50 documents or more". */
export function describeSearch({ query, tally }: SavedSearch): string {
  if (!tally) return query;
  return texts.searchTotal(query, tally.total, tally.hasMore);
}

export class SavedSearches {
  readonly #tallies = new SvelteMap<string, Tally>();
  #latest = new LatestRequest();

  constructor(private readonly store: LocalStore) {}

  get list(): readonly SavedSearch[] {
    return this.store.state.searches.map((query) => ({ query, tally: this.#tallies.get(query) ?? null }));
  }

  /** Saves or removes a search. Returns whether it is saved now. */
  toggle(query: string): boolean {
    const isSaved = this.store.toggleSearch(query);
    if (isSaved) void this.#count(query.trim());
    return isSaved;
  }

  toggleWithUndo(query: string, undo: UndoStack): void {
    const isSaved = this.toggle(query);
    undo.record(isSaved ? texts.saved(query) : texts.noLongerSaved(query), () => void this.toggle(query));
  }

  async refresh(): Promise<void> {
    const isCurrent = this.#latest.begin();
    for (const query of this.store.state.searches) {
      if (!isCurrent()) return;
      await this.#count(query);
    }
  }

  async #count(query: string): Promise<void> {
    // The same request as for the search, so that both show the same number.
    const response = await api.countMatches(query).catch(() => null);
    if (response === null) this.#tallies.delete(query);
    else this.#tallies.set(query, { total: response.total ?? response.hits.length, hasMore: response.total === null && response.hits.length >= api.RANKED_LIMIT });
  }
}
