// Syncs by itself at the intervals that a person chose, for all sources or for one, and says what is new to decide. Off until it is chosen.

import * as api from "../lib/api";
import type { TriageItem } from "../lib/types";
import { mayBeBack, maybeSame } from "../triage/words";
import { words } from "../words";
import type { Desk } from "./desk.svelte";

const said = words.shell;

/** The intervals to choose from, in minutes; 0 is only by hand. */
export const INTERVALS = [15, 60, 240, 1440, 0] as const;

export function every(minutes: number): string {
  const { intervals } = said;
  if (minutes === 0) return intervals.byHand;
  if (minutes === 1440) return intervals.day;
  return minutes < 60 ? intervals.minutes(minutes) : minutes === 60 ? intervals.hour : intervals.hours(minutes / 60);
}

const MINUTE = 60_000;
/** Of so many earlier reports, the surest first, it is looked up whether they were solved: each is a question of its own. */
const LOOKED_UP = 20;

/** What came in, in a sentence or two. */
function told(fresh: readonly TriageItem[]): string[] {
  const back = fresh.filter(mayBeBack).length;
  return [said.news.maybeSame(fresh.length), ...(back > 0 ? [said.news.maybeBack(back, fresh.length)] : [])];
}

/** How many reports wait with an earlier one that was open before and is solved now. */
async function solved(before: readonly TriageItem[]): Promise<number> {
  const open = before.filter(({ candidate }) => maybeSame(candidate.band) && candidate.state === "open").slice(0, LOOKED_UP);
  const isSolved = async (key: string) => {
    const thread = await api.thread(key).catch(() => null);
    return thread?.state === "closed" && (thread.state_reason ?? "completed") === "completed";
  };
  return (await Promise.all(open.map((item) => isSolved(item.candidate.key)))).filter(Boolean).length;
}

/** How many problems are looked through for those that came back. */
const PROBLEMS = 1000;

/** The problems that came back after their fix; null if this cannot be told. */
async function recurring(): Promise<ReadonlySet<string> | null> {
  const response = await api.problems(null, "recurring", PROBLEMS).catch(() => null);
  return response && new Set(response.problems.map((one) => one.head.key));
}

export class AutoSync {
  #desk: Desk;
  #timer: ReturnType<typeof setInterval> | undefined;
  /** When each source was last tried: a laptop without a network is not asked every minute. */
  #tried = new Map<string, number>();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Looks from now on whether a sync is due. */
  start(): void {
    this.#timer ??= setInterval(() => void this.look(Date.now()), MINUTE);
  }

  /** After how many minutes a source is synced by itself; 0 is never. */
  interval(source: string): number {
    const { syncEach, syncEvery } = this.#desk.shelf.kept;
    return syncEach[source] ?? syncEvery;
  }

  /** The sources that were last asked, and last tried, longer ago than was chosen. */
  due(now: number): string[] {
    const isDue = (source: string, at: string | null) => {
      const interval = this.interval(source) * MINUTE;
      const last = Math.max(at === null ? 0 : Date.parse(at), this.#tried.get(source) ?? 0);
      return interval > 0 && now - last >= interval;
    };
    return this.#desk.sources.mirrors.filter((mirror) => isDue(mirror.source, mirror.synced_at)).map((mirror) => mirror.source);
  }

  /** Whether it waits for a network that costs nothing. */
  async #waits(): Promise<boolean> {
    if (this.#desk.shelf.kept.syncMetered) return false;
    return (await api.isMetered().catch(() => null)) === true;
  }

  /** Syncs what is due, unless something else runs, and checks what came in for duplicates. */
  async look(now: number): Promise<void> {
    const { sources, triage, toasts, jobs } = this.#desk;
    const due = this.due(now);
    if (due.length === 0 || jobs.running.length > 0 || (await this.#waits())) return;
    for (const source of due) this.#tried.set(source, now);
    await triage.load();
    const before = triage.rows;
    const known = new Set(before.map((item) => item.key));
    const recurred = await recurring();
    if (!(await sources.sync(due, { isQuiet: true }))) return;
    await triage.scan();
    const fresh = triage.rows.filter((item) => !known.has(item.key) && maybeSame(item.candidate.band));
    const helped = await solved(before);
    const news = fresh.length > 0 ? told(fresh) : [];
    if (helped > 0) news.push(said.news.solved(helped));
    const back = [...((recurred && (await recurring())) ?? [])].filter((key) => !recurred?.has(key)).length;
    if (back > 0) news.push(said.news.cameBack(back));
    if (news.length === 0) return;
    const { sentences } = words.shared;
    const places = [...(fresh.length > 0 ? [said.news.inTriage(fresh.length)] : []), ...(back > 0 ? [said.news.inProblems(back)] : [])];
    toasts.say(sentences([...news, ...places]));
    // Only what was seen by nobody is told by the desktop, and a desktop without such a service takes nothing away.
    await api.announce(sentences(news)).catch(() => undefined);
  }
}
