// Open reports since the last visit, each with a one-line assessment.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latestRequest";
import { spanText } from "../lib/text";
import type { DuplicatesResponse, Hit, TriageItem } from "../lib/types";
import type { AppState } from "../shell/appState.svelte";
import { words } from "../words";
import { assessment } from "./labels";

/** The maximum number of listed reports; a search shows the rest. */
const MAX_LISTED = 200;

export interface Arrival {
  key: string;
  source: string;
  title: string;
  created_at: string;
}

export class Arrivals {
  list = $state.raw<readonly Arrival[]>([]);
  open = $state(false);
  /** Whether there may be more reports than are listed. */
  hasMore = $state(false);
  /** The start of the period, in Unix milliseconds. */
  periodStart = $state(0);
  #assessments = $state.raw<ReadonlyMap<string, string>>(new Map());
  #latest = new LatestRequest();
  #assessmentRequest = new LatestRequest();

  constructor(private readonly app: AppState) {}

  /** The query for the period; its first day may include a few older reports. */
  get query(): string {
    const { at, upTo } = this.app.store.previousVisit;
    const sources = (this.app.status?.sources ?? []).map((source) => source.key);
    const start = Math.min(...sources.map((key) => upTo[key] ?? at), at);
    return `is:issue is:open created:>=${new Date(start).toISOString().slice(0, 10)}`;
  }

  /** Returns a report's assessment; `null` until it is checked. */
  assessment(key: string): string | null {
    return this.#assessments.get(key) ?? null;
  }

  async load(): Promise<void> {
    const isCurrent = this.#latest.begin();
    const { previousVisit } = this.app.store;
    // The queue shows casebook errors.
    const response = await api.browse(this.query, 0, true).catch(() => null);
    if (response === null || !isCurrent()) return;
    const isNew = (hit: Hit) => hit.created_at !== null && Date.parse(hit.created_at) > (previousVisit.upTo[hit.source] ?? previousVisit.at);
    this.list = response.hits
      .filter(isNew)
      .map((hit) => ({ key: hit.key, source: hit.source, title: spanText(hit.title), created_at: hit.created_at ?? "" }))
      .sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
      .slice(0, MAX_LISTED);
    this.hasMore = (response.total ?? 0) > response.hits.length || this.list.length === MAX_LISTED;
    this.periodStart = previousVisit.at;
  }

  /** Assesses each listed report in turn; those in the queue need no request. */
  async assess(waiting: readonly TriageItem[], includeClosed: boolean): Promise<void> {
    const isCurrent = this.#assessmentRequest.begin();
    const candidates = new Map(waiting.map((item) => [item.key, item.candidate]));
    for (const { key } of this.list) {
      const candidate = candidates.get(key);
      let text = candidate ? assessment({ known: null, candidates: [candidate] }) : this.#assessments.get(key);
      if (text === undefined) {
        const response = await api.duplicates({ key, include_closed: includeClosed }).catch((): DuplicatesResponse | null => null);
        if (!isCurrent()) return;
        text = response ? assessment(response) : words.triage.lists.notChecked;
      }
      if (text !== this.#assessments.get(key)) this.#assessments = new Map([...this.#assessments, [key, text]]);
    }
  }

  pause(): void {
    this.#assessmentRequest.begin();
  }

  /** Discards the assessments, which may be outdated. */
  reset(): void {
    this.#assessmentRequest.begin();
    this.#assessments = new Map();
  }
}
