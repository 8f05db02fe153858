// The open reports that came since the last visit, each with what is said of it in one line.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import { plain } from "../lib/text";
import type { DuplicatesResponse, Hit, TriageItem } from "../lib/types";
import type { Desk } from "../shell/desk.svelte";
import { words } from "../words";
import { judgement } from "./words";

/** How many are listed; the rest is found by the search that counts them. */
const LISTED = 200;

export interface Arrival {
  key: string;
  source: string;
  title: string;
  created_at: string;
}

export class Arrivals {
  all = $state.raw<readonly Arrival[]>([]);
  open = $state(false);
  /** Whether there may be more than are listed. */
  more = $state(false);
  /** Since when they are new, in milliseconds. */
  since = $state(0);
  #said = $state.raw<ReadonlyMap<string, string>>(new Map());
  #desk: Desk;
  #latest = new Latest();
  #judging = new Latest();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** What they are found by, a few of the same day too many. */
  get query(): string {
    const { at, upTo } = this.#desk.shelf.since;
    const sources = (this.#desk.status?.sources ?? []).map((source) => source.key);
    const from = Math.min(...sources.map((key) => upTo[key] ?? at), at);
    return `is:issue is:open created:>=${new Date(from).toISOString().slice(0, 10)}`;
  }

  /** What is said of one; nothing until it was looked at. */
  said(key: string): string | null {
    return this.#said.get(key) ?? null;
  }

  async load(): Promise<void> {
    const isCurrent = this.#latest.begin();
    const { since } = this.#desk.shelf;
    try {
      const response = await api.browse(this.query, 0, true);
      if (!isCurrent()) return;
      const isNew = (hit: Hit) => hit.created_at !== null && Date.parse(hit.created_at) > (since.upTo[hit.source] ?? since.at);
      this.all = response.hits
        .filter(isNew)
        .map((hit) => ({ key: hit.key, source: hit.source, title: plain(hit.title), created_at: hit.created_at ?? "" }))
        .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
        .slice(0, LISTED);
      this.more = (response.total ?? 0) > response.hits.length || this.all.length === LISTED;
      this.since = since.at;
    } catch {
      // The lists beside it say what is wrong with the casebook.
    }
  }

  toggle(): void {
    this.open = !this.open;
  }

  /** Looks at each that is listed, one after the other: what waits already is known, the others are asked about. */
  async judge(waiting: readonly TriageItem[], includeClosed: boolean): Promise<void> {
    const isCurrent = this.#judging.begin();
    const known = new Map(waiting.map((item) => [item.key, item.candidate]));
    for (const { key } of this.all) {
      const candidate = known.get(key);
      let said = candidate ? judgement({ known: null, candidates: [candidate] }) : this.#said.get(key);
      if (said === undefined) {
        const found = await api.duplicates({ key, include_closed: includeClosed }).catch((): DuplicatesResponse | null => null);
        if (!isCurrent()) return;
        said = found ? judgement(found) : words.triage.lists.notChecked;
      }
      if (said !== this.#said.get(key)) this.#said = new Map([...this.#said, [key, said]]);
    }
  }

  /** Nobody looks any more. */
  rest(): void {
    this.#judging.begin();
  }

  /** What was said may be another thing now. */
  forget(): void {
    this.#judging.begin();
    this.#said = new Map();
  }
}
