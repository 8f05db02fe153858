// Today's decisions, made in any session or on the command line.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latestRequest";
import type { Verdict, VerdictKind } from "../lib/types";
import type { Decision } from "./triage.svelte";

/** One of today's decisions, as listed. */
export interface DecidedPair {
  /** The decided report. */
  key: string;
  other: string;
  kind: VerdictKind;
  /** In Unix milliseconds. */
  decidedAt: number;
  /** The person who decided; `null` for this session. */
  actor: string | null;
  /** The report's title, if known. */
  title: string;
  /** The decision of this session; `null` for an earlier one. */
  decision: Decision | null;
}

export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

const issueNumber = (key: string) => Number(/\d+$/.exec(key)?.[0] ?? 0);

/** Returns the decided report and its match: the non-canonical or later one first. */
function orderPair({ first, second, canonical }: Verdict): [key: string, other: string] {
  if (canonical !== null) return canonical === first ? [second, first] : [first, second];
  return issueNumber(first) > issueNumber(second) ? [first, second] : [second, first];
}

const pairKey = (a: string, b: string) => (a < b ? `${a} ${b}` : `${b} ${a}`);

export class TodayDecisions {
  #storedVerdicts = $state.raw<readonly Verdict[]>([]);
  #latest = new LatestRequest();

  async load(): Promise<void> {
    const isCurrent = this.#latest.begin();
    // The queue shows casebook errors; this session's decisions are known anyway.
    const verdicts = await api.verdictsSince(Math.floor(startOfDay(Date.now()) / 1000)).catch(() => null);
    if (verdicts && isCurrent()) this.#storedVerdicts = verdicts;
  }

  /** Returns today's decisions, newest first. */
  all(decisions: readonly Decision[], now: number): DecidedPair[] {
    const startTime = startOfDay(now);
    const ownDecisions = decisions.map((decision): DecidedPair => ({
      key: decision.item.key, other: decision.other, kind: decision.kind, decidedAt: decision.decidedAt, actor: null, title: decision.item.title, decision,
    }));
    const pairs = new Set(ownDecisions.map((entry) => pairKey(entry.key, entry.other)));
    const storedPairs = this.#storedVerdicts.filter((entry) => !pairs.has(pairKey(entry.first, entry.second))).map((entry): DecidedPair => {
      const [key, other] = orderPair(entry);
      return { key, other, kind: entry.kind, decidedAt: Date.parse(entry.decided_at), actor: entry.actor, title: "", decision: null };
    });
    const latest = [...ownDecisions.toReversed(), ...storedPairs].filter((entry) => entry.decidedAt >= startTime);
    return latest.sort((a, b) => b.decidedAt - a.decidedAt);
  }

  /** Removes an undone decision. */
  forget(key: string, other: string): void {
    this.#storedVerdicts = this.#storedVerdicts.filter((entry) => pairKey(entry.first, entry.second) !== pairKey(key, other));
  }
}
