// Saved searches with how much each finds. Counted on start and whenever something came in, one after another: nobody waits for it.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import { count } from "../lib/text";
import type { Shelf } from "../shell/shelf.svelte";
import type { Undo } from "../shell/undo.svelte";
import { words } from "../words";

const said = words.search;

export interface Tally {
  found: number;
  /** Whether there may be more: results are counted up to one page of them. */
  more: boolean;
}

export interface SavedSearch {
  query: string;
  /** Nothing while it is not counted, or where it cannot be. */
  tally: Tally | null;
}

/** "12", "50+". */
export function tallied({ found, more }: Tally): string {
  return more ? `${count(found)}+` : found > 999 ? "999+" : count(found);
}

/** "tls is:open: 50 documents or more". */
export function described({ query, tally }: SavedSearch): string {
  if (!tally) return query;
  return said.finds(query, tally.found, tally.more);
}

export class SavedSearches {
  #tallies = $state.raw<ReadonlyMap<string, Tally>>(new Map());
  #shelf: Shelf;
  #latest = new Latest();

  constructor(shelf: Shelf) {
    this.#shelf = shelf;
  }

  get list(): readonly SavedSearch[] {
    return this.#shelf.kept.searches.map((query) => ({ query, tally: this.#tallies.get(query) ?? null }));
  }

  /** Saves a search, or forgets it. Whether it is saved now. */
  toggle(query: string): boolean {
    const isSaved = this.#shelf.saveSearch(query);
    if (isSaved) void this.#count(query.trim());
    return isSaved;
  }

  /** The same, said and to be taken back. */
  save(query: string, undo: Undo): void {
    const isSaved = this.toggle(query);
    undo.did(isSaved ? said.saved(query) : said.noLongerSaved(query), () => void this.toggle(query));
  }

  /** Counts each of them again. */
  async refresh(): Promise<void> {
    const isCurrent = this.#latest.begin();
    for (const query of this.#shelf.kept.searches) {
      if (!isCurrent()) return;
      await this.#count(query);
    }
  }

  async #count(query: string): Promise<void> {
    // As the search itself asks, so that both tell one number.
    const response = await api.counted(query).catch(() => null);
    const tallies = new Map(this.#tallies);
    if (response === null) tallies.delete(query);
    else tallies.set(query, { found: response.total ?? response.hits.length, more: response.total === null && response.hits.length >= api.RANKED });
    this.#tallies = tallies;
  }
}
