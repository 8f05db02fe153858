// What the casebook answers about the backlog, besides its numbers: what waits longest, and which fixes did not hold.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Failure, Hit, TriageItem } from "../lib/types";
import { filter } from "../search/query";
import { words as said } from "../words";

/** So many of each are named; the number beside them leads to the others. */
export const NAMED = 5;
/** How many reports that wait are looked through. */
const QUEUE = 100;
const DAY = 86_400_000;

const AGES = [
  { days: 30, words: said.insights.questions.ages.month },
  { days: 91, words: said.insights.questions.ages.threeMonths },
  { days: 365, words: said.insights.questions.ages.year },
];

/** Documents that meet filters alone, so that they can be counted and listed. */
export interface Listed {
  words: string;
  query: string;
  found: number;
}

/** A query of filters, within one source or all. */
export function within(source: string | null, ...filters: string[]): string {
  return [...filters, ...(source === null ? [] : [filter("source", source)])].join(" ");
}

/** Whether a report looks like one that was fixed before it was reported. */
export function mayBeBack({ candidate: { disposition } }: TriageItem): boolean {
  return typeof disposition === "object" && "possible_regression" in disposition;
}

async function listed(words: string, query: string): Promise<Listed> {
  const { total, hits } = await api.counted(query);
  return { words, query, found: total ?? hits.length };
}

export class Questions {
  /** Open reports by how long ago they were opened. */
  ages = $state.raw<readonly Listed[]>([]);
  /** The open reports whose last change is longest ago, that one first. */
  quietest = $state.raw<readonly Hit[]>([]);
  reopened = $state.raw<Listed | null>(null);
  reopenedHits = $state.raw<readonly Hit[]>([]);
  /** Open reports that look like one that was fixed before. */
  back = $state.raw<readonly TriageItem[]>([]);
  /** Whether more reports wait than were looked through. */
  more = $state(false);
  /** Open reports that were not compared yet. */
  unscanned = $state(0);
  loading = $state(false);
  failure = $state.raw<Failure | null>(null);

  #latest = new Latest();

  async load(source: string | null, now: number = Date.now()): Promise<void> {
    const isCurrent = this.#latest.begin();
    this.loading = true;
    const before = (days: number) => new Date(now - days * DAY).toISOString().slice(0, 10);
    const open = within(source, "is:issue", "is:open");
    const reopened = within(source, "is:issue", "is:open", "reason:reopened");
    try {
      const [all, ages, again, againHits, queue] = await Promise.all([
        listed("", open),
        Promise.all(AGES.map(({ days, words }) => listed(words, within(source, "is:issue", "is:open", `created:<${before(days)}`)))),
        listed("", reopened),
        api.find(reopened, NAMED),
        api.triageQueue({ source, include_closed: true, band: "possible", limit: QUEUE, rescan: false, queue_only: true }),
      ]);
      // They come in the order of their last change, so those that are quiet longest are the last.
      const { hits } = await api.browse(open, Math.max(0, all.found - NAMED), true);
      if (!isCurrent()) return;
      Object.assign(this, {
        ages, reopened: again, reopenedHits: againHits.hits, quietest: hits.toReversed(), back: queue.queue.filter(mayBeBack),
        more: queue.waiting > queue.queue.length, unscanned: queue.unscanned, failure: null,
      });
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
    } finally {
      if (isCurrent()) this.loading = false;
    }
  }
}
