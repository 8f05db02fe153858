// Automatic syncs at the chosen intervals, with a notification about new findings. Off by default.

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
  if (minutes === 0) return intervals.manual;
  if (minutes === 1440) return intervals.day;
  return minutes < 60 ? intervals.minutes(minutes) : minutes === 60 ? intervals.hour : intervals.hours(minutes / 60);
}

const MINUTE = 60_000;
/** The maximum number of likely duplicates whose candidate is looked up, one request each. */
const MAX_LOOKUPS = 20;

function duplicateNews(newDuplicates: readonly TriageItem[]): string[] {
  const regressions = newDuplicates.filter(isPossibleRegression).length;
  return [texts.news.possibleDuplicates(newDuplicates.length), ...(regressions > 0 ? [texts.news.possibleRegressions(regressions, newDuplicates.length)] : [])];
}

/** Counts the waiting reports whose candidate was open and is now solved. */
async function countSolved(previous: readonly TriageItem[]): Promise<number> {
  const open = previous.filter(({ candidate }) => isDuplicateBand(candidate.band) && candidate.state === "open").slice(0, MAX_LOOKUPS);
  const isSolved = async (key: string) => {
    const thread = await api.thread(key).catch(() => null);
    return thread?.state === "closed" && (thread.state_reason ?? "completed") === "completed";
  };
  return (await Promise.all(open.map((item) => isSolved(item.candidate.key)))).filter(Boolean).length;
}

/** The maximum number of problems checked for recurrence. */
const MAX_PROBLEMS = 1000;

/** Returns the problems that recurred after their fix; `null` on an error. */
async function recurringProblems(): Promise<ReadonlySet<string> | null> {
  const response = await api.problems(null, "recurring", MAX_PROBLEMS).catch(() => null);
  return response && new Set(response.problems.map((entry) => entry.head.key));
}

export class AutoSync {
  #timer: ReturnType<typeof setInterval> | undefined;
  /** The last attempt per source, so that an offline machine does not retry every minute. */
  #attempts = new Map<string, number>();

  constructor(private readonly app: AppState) {}

  start(): void {
    this.#timer ??= setInterval(() => void this.syncDue(Date.now()), MINUTE);
  }

  /** Returns a source's interval in minutes; 0 is never. */
  interval(source: string): number {
    const { syncEach, syncEvery } = this.app.store.state;
    return syncEach[source] ?? syncEvery;
  }

  /** Returns the sources whose last sync and last attempt are older than their interval. */
  dueSources(now: number): string[] {
    const isDue = (source: string, syncedAt: string | null) => {
      const interval = this.interval(source) * MINUTE;
      const lastAttempt = Math.max(syncedAt === null ? 0 : Date.parse(syncedAt), this.#attempts.get(source) ?? 0);
      return interval > 0 && now - lastAttempt >= interval;
    };
    return this.app.sources.mirrors.filter((mirror) => isDue(mirror.source, mirror.synced_at)).map((mirror) => mirror.source);
  }

  /** Returns whether the network is metered and syncing there is off. */
  async #isBlocked(): Promise<boolean> {
    if (this.app.store.state.syncMetered) return false;
    return (await api.isMetered().catch(() => null)) === true;
  }

  /** Syncs due sources unless a job runs, then checks the new reports for duplicates. */
  async syncDue(now: number): Promise<void> {
    const { sources, triage, toasts, jobs } = this.app;
    const dueSources = this.dueSources(now);
    if (dueSources.length === 0 || jobs.running.length > 0 || (await this.#isBlocked())) return;
    for (const source of dueSources) this.#attempts.set(source, now);
    await triage.load();
    const previous = triage.rows;
    const knownKeys = new Set(previous.map((item) => item.key));
    const recurringBefore = await recurringProblems();
    if (!(await sources.sync(dueSources, { isQuiet: true }))) return;
    await triage.scan();
    const newDuplicates = triage.rows.filter((item) => !knownKeys.has(item.key) && isDuplicateBand(item.candidate.band));
    const solvedCount = await countSolved(previous);
    const news = newDuplicates.length > 0 ? duplicateNews(newDuplicates) : [];
    if (solvedCount > 0) news.push(texts.news.solvedCandidates(solvedCount));
    const regressions = [...((recurringBefore && (await recurringProblems())) ?? [])].filter((key) => !recurringBefore?.has(key)).length;
    if (regressions > 0) news.push(texts.news.recurringProblems(regressions));
    if (news.length === 0) return;
    const { sentences } = words.shared;
    const places = [...(newDuplicates.length > 0 ? [texts.news.seeInTriage(newDuplicates.length)] : []), ...(regressions > 0 ? [texts.news.seeInProblems(regressions)] : [])];
    toasts.show(sentences([...news, ...places]));
    // Only unattended windows notify the desktop. A desktop without notifications is not an error.
    await api.announce(sentences(news)).catch(() => undefined);
  }
}
