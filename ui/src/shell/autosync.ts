// Automatic syncs at the chosen intervals, with a notification of what is new. Off by default.

import * as api from "../lib/api";
import type { TriageItem } from "../lib/types";
import { isPossibleRegression, isDuplicateBand } from "../triage/labels";
import { words } from "../words";
import type { AppState } from "./appState.svelte";

const texts = words.shell;

/** The offered intervals in minutes; 0 is manual. */
export const INTERVALS = [15, 60, 240, 1440, 0] as const;

export function intervalLabel(minutes: number): string {
  const { intervals } = texts;
  if (minutes === 0) return intervals.byHand;
  if (minutes === 1440) return intervals.day;
  return minutes < 60 ? intervals.minutes(minutes) : minutes === 60 ? intervals.hour : intervals.hours(minutes / 60);
}

const MINUTE = 60_000;
/** The most likely duplicates whose candidates are looked up; each needs a request of its own. */
const MAX_LOOKUPS = 20;

function duplicateNews(fresh: readonly TriageItem[]): string[] {
  const back = fresh.filter(isPossibleRegression).length;
  return [texts.news.maybeSame(fresh.length), ...(back > 0 ? [texts.news.maybeBack(back, fresh.length)] : [])];
}

/** Counts the waiting reports whose candidate was open before and is solved now. */
async function countSolved(before: readonly TriageItem[]): Promise<number> {
  const open = before.filter(({ candidate }) => isDuplicateBand(candidate.band) && candidate.state === "open").slice(0, MAX_LOOKUPS);
  const isSolved = async (key: string) => {
    const thread = await api.thread(key).catch(() => null);
    return thread?.state === "closed" && (thread.state_reason ?? "completed") === "completed";
  };
  return (await Promise.all(open.map((item) => isSolved(item.candidate.key)))).filter(Boolean).length;
}

/** The number of problems checked for recurrence. */
const MAX_PROBLEMS = 1000;

/** Returns the problems that recurred after their fix; `null` on an error. */
async function recurringProblems(): Promise<ReadonlySet<string> | null> {
  const response = await api.problems(null, "recurring", MAX_PROBLEMS).catch(() => null);
  return response && new Set(response.problems.map((entry) => entry.head.key));
}

export class AutoSync {
  #app: AppState;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The last attempt per source, so that an offline machine does not retry every minute. */
  #tried = new Map<string, number>();

  constructor(app: AppState) {
    this.#app = app;
  }

  start(): void {
    this.#timer ??= setInterval(() => void this.syncDue(Date.now()), MINUTE);
  }

  /** Returns a source's interval in minutes; 0 is never. */
  interval(source: string): number {
    const { syncEach, syncEvery } = this.#app.store.state;
    return syncEach[source] ?? syncEvery;
  }

  /** Returns the sources whose last sync and last attempt are older than their interval. */
  due(now: number): string[] {
    const isDue = (source: string, at: string | null) => {
      const interval = this.interval(source) * MINUTE;
      const last = Math.max(at === null ? 0 : Date.parse(at), this.#tried.get(source) ?? 0);
      return interval > 0 && now - last >= interval;
    };
    return this.#app.sources.mirrors.filter((mirror) => isDue(mirror.source, mirror.synced_at)).map((mirror) => mirror.source);
  }

  /** Returns whether the network is metered and syncing there is off. */
  async #waits(): Promise<boolean> {
    if (this.#app.store.state.syncMetered) return false;
    return (await api.isMetered().catch(() => null)) === true;
  }

  /** Syncs due sources unless a job runs, then checks the new reports for duplicates. */
  async syncDue(now: number): Promise<void> {
    const { sources, triage, toasts, jobs } = this.#app;
    const due = this.due(now);
    if (due.length === 0 || jobs.running.length > 0 || (await this.#waits())) return;
    for (const source of due) this.#tried.set(source, now);
    await triage.load();
    const before = triage.rows;
    const known = new Set(before.map((item) => item.key));
    const recurred = await recurringProblems();
    if (!(await sources.sync(due, { isQuiet: true }))) return;
    await triage.scan();
    const fresh = triage.rows.filter((item) => !known.has(item.key) && isDuplicateBand(item.candidate.band));
    const helped = await countSolved(before);
    const news = fresh.length > 0 ? duplicateNews(fresh) : [];
    if (helped > 0) news.push(texts.news.solved(helped));
    const back = [...((recurred && (await recurringProblems())) ?? [])].filter((key) => !recurred?.has(key)).length;
    if (back > 0) news.push(texts.news.cameBack(back));
    if (news.length === 0) return;
    const { sentences } = words.shared;
    const places = [...(fresh.length > 0 ? [texts.news.inTriage(fresh.length)] : []), ...(back > 0 ? [texts.news.inProblems(back)] : [])];
    toasts.show(sentences([...news, ...places]));
    // Only unattended windows notify the desktop, and a desktop without notifications is no error.
    await api.announce(sentences(news)).catch(() => undefined);
  }
}
