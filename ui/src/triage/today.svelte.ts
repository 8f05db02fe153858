// What was decided today, whoever decided it and wherever: in this window, before a restart of it, or on the command line.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Verdict, VerdictKind } from "../lib/types";
import type { Decision } from "./triage.svelte";

/** A decision of today as it is listed. */
export interface Done {
  /** The report that was decided about. */
  key: string;
  other: string;
  kind: VerdictKind;
  /** In milliseconds. */
  at: number;
  /** Who decided, where it was not here. */
  actor: string | null;
  /** Its title, where that is known. */
  title: string;
  /** The decision of this session; nothing where it is from before. */
  decision: Decision | null;
}

export function startOfDay(now: number): number {
  return new Date(now).setHours(0, 0, 0, 0);
}

const number = (key: string) => Number(/\d+$/.exec(key)?.[0] ?? 0);

/** The report of a pair, and what it was compared with: the one that does not stay, else the later one. */
export function sides({ first, second, canonical }: Verdict): [key: string, other: string] {
  if (canonical !== null) return canonical === first ? [second, first] : [first, second];
  return number(first) > number(second) ? [first, second] : [second, first];
}

const pair = (a: string, b: string) => (a < b ? `${a} ${b}` : `${b} ${a}`);

export class Today {
  #stored = $state.raw<readonly Verdict[]>([]);
  #latest = new Latest();

  async load(): Promise<void> {
    const isCurrent = this.#latest.begin();
    try {
      const found = await api.decided(Math.floor(startOfDay(Date.now()) / 1000));
      if (isCurrent()) this.#stored = found ?? [];
    } catch {
      // The lists beside it say what is wrong with the casebook; what was decided in this session is known anyway.
    }
  }

  /** All decisions of the day, the last first, with those of this session. */
  all(decisions: readonly Decision[], now: number): Done[] {
    const from = startOfDay(now);
    const here = decisions.map((decision): Done => ({
      key: decision.item.key, other: decision.other, kind: decision.kind, at: decision.at, actor: null, title: decision.item.title, decision,
    }));
    const pairs = new Set(here.map((one) => pair(one.key, one.other)));
    const before = this.#stored.filter((one) => !pairs.has(pair(one.first, one.second))).map((one): Done => {
      const [key, other] = sides(one);
      return { key, other, kind: one.kind, at: Date.parse(one.decided_at), actor: one.actor, title: "", decision: null };
    });
    const latest = [...here.toReversed(), ...before].filter((one) => one.at >= from);
    return latest.sort((a, b) => b.at - a.at);
  }

  /** A decision about this pair holds no more. */
  forget(key: string, other: string): void {
    this.#stored = this.#stored.filter((one) => pair(one.first, one.second) !== pair(key, other));
  }
}
