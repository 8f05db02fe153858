// The lists of problems, the problem that is open, and the casebook in numbers.

import * as api from "../lib/api";
import { LatestRequest } from "../lib/latest";
import type { Failure, Insights as Numbers, ListedProblem, ProblemList, ProblemReport, ProblemsResponse, Thread, ThreadComment } from "../lib/types";
import { filter } from "../search/query";
import { authorRole } from "../lib/text";
import { words } from "../words";

const texts = words.problems;

export const LISTS: readonly ProblemList[] = ["frequent", "waiting", "unreleased", "recurring", "without_article"];
export type Tab = ProblemList | "numbers";
export const TABS: readonly Tab[] = [...LISTS, "numbers"];

/** Fewer reports than these show no trend: one more or less would turn it. */
export const ENOUGH = 5;
const PAGE = 100;
const YEAR = 365 * 86_400_000;

/** The reports of a problem, the first one leading. */
export function reportsOf(problem: ListedProblem): readonly ProblemReport[] {
  return [problem.head, ...problem.members];
}

/** When a problem was first reported; null if no report tells. */
export function firstReported(problem: ListedProblem): string | null {
  const times = reportsOf(problem).flatMap((one) => one.created_at ?? []);
  return times.length === 0 ? null : times.reduce((a, b) => (Date.parse(a) <= Date.parse(b) ? a : b));
}

/** The problems in the order of the figure that their rows show. */
export function inOrder(list: ProblemList, problems: readonly ListedProblem[]): readonly ListedProblem[] {
  if (list === "waiting") {
    const time = (one: ListedProblem) => Date.parse(firstReported(one) ?? "") || Infinity;
    return problems.toSorted((a, b) => (time(a) === time(b) ? 0 : time(a) - time(b)));
  }
  return list === "frequent" || list === "without_article" ? problems.toSorted((a, b) => b.size - a.size) : problems;
}

/** Whether reports come more or less often than before; null if they are too few to say. */
export function trendOf({ recent, before }: ListedProblem): "rising" | "falling" | "steady" | null {
  if (recent + before < ENOUGH) return null;
  return recent > before ? "rising" : recent < before ? "falling" : "steady";
}

/** The status with its version: "fixed in 3.3.0". */
export function statusOf({ status, fixed_in, came_back_in }: Pick<ListedProblem, "status" | "fixed_in" | "came_back_in">): string {
  if (status === "solved" && fixed_in !== null) return texts.status.fixedIn(fixed_in);
  if (status === "unreleased" && fixed_in !== null) return texts.status.notReleased(fixed_in);
  if (status === "came_back" && came_back_in !== null) return texts.status.cameBackIn(came_back_in);
  return texts.status.words[status];
}

/** The report whose pair is to be decided next: the likeliest one without a decision. */
export function undecided({ members }: ListedProblem): ProblemReport | null {
  return members.filter((one) => one.open && !one.known).toSorted((a, b) => b.confidence - a.confidence)[0] ?? null;
}

/** The latest comment of each person in a thread, those of a standing and those who wrote most first; five at most. */
export function peopleIn({ comments }: Thread): readonly ThreadComment[] {
  const of = new Map<string, ThreadComment[]>();
  for (const one of comments) if (one.author !== null && !one.bot) of.set(one.author, [...(of.get(one.author) ?? []), one]);
  const rank = (all: readonly ThreadComment[]) => (all.some((one) => authorRole(one.association) !== null) ? 1000 : 0) + all.length;
  return [...of.values()].toSorted((a, b) => rank(b) - rank(a)).flatMap((all) => all.at(-1) ?? []).slice(0, 5);
}

/** A query of filters, within one source or all. */
export function within(source: string | null, ...filters: string[]): string {
  return [...filters, ...(source === null ? [] : [filter("source", source)])].join(" ");
}

/** A number of documents and the query that lists them. */
export interface Counted {
  query: string;
  found: number;
}

async function counted(query: string): Promise<Counted> {
  const { total, hits } = await api.countMatches(query);
  return { query, found: total ?? hits.length };
}

export class Problems {
  source = $state<string | null>(null);
  tab = $state<Tab>("frequent");
  /** How many months the charts show; 0 stands for all. */
  span = $state(24);
  lists = $state.raw<Partial<Record<ProblemList, ProblemsResponse>>>({});
  /** The key of the head of the problem that is marked. */
  selected = $state<string | null>(null);
  /** Whether the marked problem is open beside the list. */
  isOpen = $state(false);
  numbers = $state.raw<Numbers | null>(null);
  /** Open reports older than a year, and those that were closed and reopened. */
  old = $state.raw<Counted | null>(null);
  reopened = $state.raw<Counted | null>(null);
  loading = $state(false);
  failure = $state.raw<Failure | null>(null);

  #latest = new LatestRequest();
  #limit = PAGE;

  /** The list that is shown; null for the numbers. */
  get list(): ProblemList | null {
    return this.tab === "numbers" ? null : this.tab;
  }

  get response(): ProblemsResponse | null {
    return (this.list && this.lists[this.list]) ?? null;
  }

  readonly #shown = $derived(this.response ? inOrder(this.response.list, this.response.problems) : []);

  /** The problems of the shown list, in order. */
  get shown(): readonly ListedProblem[] {
    return this.#shown;
  }

  /** The place of the marked problem; -1 in an empty list. */
  get index(): number {
    const at = this.shown.findIndex((one) => one.head.key === this.selected);
    return at < 0 && this.shown.length > 0 ? 0 : at;
  }

  get problem(): ListedProblem | null {
    return this.shown[this.index] ?? null;
  }

  /** Loads the shown list, then the others for their totals. */
  async load(): Promise<void> {
    const isCurrent = this.#latest.begin();
    const { source } = this;
    this.loading = true;
    try {
      if (this.list === null) await this.#loadNumbers(isCurrent);
      for (const list of LISTS.toSorted((a, b) => Number(b === this.list) - Number(a === this.list))) {
        const response = await api.problems(source, list, this.#limit);
        if (!isCurrent()) return;
        this.lists = { ...this.lists, [list]: response };
      }
      this.failure = null;
    } catch (thrown) {
      if (isCurrent()) this.failure = api.toFailure(thrown);
    } finally {
      if (isCurrent()) this.loading = false;
    }
  }

  async #loadNumbers(isCurrent: () => boolean): Promise<void> {
    const { source } = this;
    const aYearAgo = new Date(Date.now() - YEAR).toISOString().slice(0, 10);
    const [numbers, old, reopened] = await Promise.all([
      api.insights(source),
      counted(within(source, "is:issue", "is:open", `created:<${aYearAgo}`)),
      counted(within(source, "is:issue", "is:open", "reason:reopened")),
    ]);
    if (isCurrent()) Object.assign(this, { numbers, old, reopened });
  }

  /** Shows the problems of a source, or of all. */
  choose(source: string | null): void {
    Object.assign(this, { source, lists: {}, numbers: null });
    void this.load();
  }

  show(tab: Tab): void {
    if (tab === this.tab) return;
    Object.assign(this, { tab, selected: null });
    if (tab === "numbers" || !this.response) void this.load();
  }

  /** Shows the next or the previous list, round and round. */
  step(by: number): void {
    this.show(TABS[(TABS.indexOf(this.tab) + by + TABS.length) % TABS.length] ?? "frequent");
  }

  move(by: number): void {
    const to = Math.min(Math.max(this.index + by, 0), this.shown.length - 1);
    this.selected = this.shown[to]?.head.key ?? null;
  }

  open(key: string | null = this.problem?.head.key ?? null): void {
    this.selected = key;
    this.isOpen = key !== null;
  }

  /** Lists more of the problems. */
  more(): void {
    this.#limit += PAGE * 4;
    void this.load();
  }
}
