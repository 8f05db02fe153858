// The lists of problems, the open problem, and the casebook in numbers.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { Insights as Numbers, ListedProblem, ProblemList, ProblemReport, ProblemsResponse, Thread, ThreadComment } from "../lib/types";
import { filter } from "../search/query";
import { authorRole } from "../lib/text";
import { words } from "../words";

const texts = words.problems;

const LISTS: readonly ProblemList[] = ["frequent", "waiting", "unreleased", "recurring", "without_article"];
export type Tab = ProblemList | "numbers";
export const TABS: readonly Tab[] = [...LISTS, "numbers"];

/** The minimum number of reports for a trend; with fewer, a single one would change it. */
export const MIN_REPORTS = 5;
const PAGE_SIZE = 100;
const YEAR = 365 * 86_400_000;

/** Returns a problem's reports, the head first. */
export function problemReports(problem: ListedProblem): readonly ProblemReport[] {
  return [problem.head, ...problem.members];
}

/** Returns the time of the first report, if known. */
export function firstReportTime(problem: ListedProblem): string | null {
  const times = problemReports(problem).flatMap((entry) => entry.created_at ?? []);
  return times.length === 0 ? null : times.reduce((a, b) => (Date.parse(a) <= Date.parse(b) ? a : b));
}

/** Sorts problems by the figure shown in their rows. */
export function sortProblems(list: ProblemList, problems: readonly ListedProblem[]): readonly ListedProblem[] {
  if (list === "waiting") {
    const time = (entry: ListedProblem) => Date.parse(firstReportTime(entry) ?? "") || Infinity;
    return problems.toSorted((a, b) => (time(a) === time(b) ? 0 : time(a) - time(b)));
  }
  return list === "frequent" || list === "without_article" ? problems.toSorted((a, b) => b.size - a.size) : problems;
}

/** Returns the trend of reports; `null` if there are too few. */
export function reportTrend({ recent, before }: ListedProblem): "rising" | "falling" | "steady" | null {
  if (recent + before < MIN_REPORTS) return null;
  return recent > before ? "rising" : recent < before ? "falling" : "steady";
}

/** Returns the status with its version: "fixed in 3.3.0". */
export function statusLabel({ status, fixed_in, came_back_in }: Pick<ListedProblem, "status" | "fixed_in" | "came_back_in">): string {
  if (status === "solved" && fixed_in !== null) return texts.status.fixedIn(fixed_in);
  if (status === "unreleased" && fixed_in !== null) return texts.status.notReleased(fixed_in);
  if (status === "came_back" && came_back_in !== null) return texts.status.cameBackIn(came_back_in);
  return texts.status.words[status];
}

/** Returns the most likely report without a decision. */
export function nextUndecided({ members }: ListedProblem): ProblemReport | null {
  return members.filter((entry) => entry.open && !entry.known).toSorted((a, b) => b.confidence - a.confidence)[0] ?? null;
}

/** Returns the last comments of up to five people, members and frequent authors first. */
export function threadPeople({ comments }: Thread): readonly ThreadComment[] {
  const byAuthor = new Map<string, ThreadComment[]>();
  for (const entry of comments) if (entry.author !== null && !entry.bot) byAuthor.set(entry.author, [...(byAuthor.get(entry.author) ?? []), entry]);
  const rank = (all: readonly ThreadComment[]) => (all.some((entry) => authorRole(entry.association) !== null) ? 1000 : 0) + all.length;
  return [...byAuthor.values()].toSorted((a, b) => rank(b) - rank(a)).flatMap((all) => all.at(-1) ?? []).slice(0, 5);
}

/** Returns a query of filters within one source or all. */
export function scopedQuery(source: string | null, ...filters: string[]): string {
  return [...filters, ...(source === null ? [] : [filter("source", source)])].join(" ");
}

export interface CountedQuery {
  query: string;
  total: number;
}

async function countQuery(query: string): Promise<CountedQuery> {
  const { total, hits } = await api.countMatches(query);
  return { query, total: total ?? hits.length };
}

export class Problems extends EngineRequest {
  source = $state<string | null>(null);
  tab = $state<Tab>("frequent");
  /** The number of months in the charts; 0 for all. */
  span = $state(24);
  lists = $state.raw<Partial<Record<ProblemList, ProblemsResponse>>>({});
  /** The head's key of the selected problem. */
  selected = $state<string | null>(null);
  /** Whether the selected problem is open. */
  isOpen = $state(false);
  numbers = $state.raw<Numbers | null>(null);
  openOverYear = $state.raw<CountedQuery | null>(null);
  /** Reopened reports that are open. */
  reopened = $state.raw<CountedQuery | null>(null);

  #limit = PAGE_SIZE;

  /** The shown list; `null` for the numbers. */
  get list(): ProblemList | null {
    return this.tab === "numbers" ? null : this.tab;
  }

  get response(): ProblemsResponse | null {
    return (this.list && this.lists[this.list]) ?? null;
  }

  readonly sorted: readonly ListedProblem[] = $derived(this.response ? sortProblems(this.response.list, this.response.problems) : []);

  /** The index of the selected problem; -1 in an empty list. */
  get index(): number {
    const index = this.sorted.findIndex((entry) => entry.head.key === this.selected);
    return index < 0 && this.sorted.length > 0 ? 0 : index;
  }

  get problem(): ListedProblem | null {
    return this.sorted[this.index] ?? null;
  }

  /** Loads the shown list, then the others for their totals. */
  async load(): Promise<void> {
    await this.run((isCurrent) => this.#loadAll(isCurrent), () => {});
  }

  async #loadAll(isCurrent: () => boolean): Promise<void> {
    if (this.list === null) await this.#loadNumbers(isCurrent);
    for (const list of LISTS.toSorted((a, b) => Number(b === this.list) - Number(a === this.list))) {
      const response = await api.problems(this.source, list, this.#limit);
      if (!isCurrent()) return;
      this.lists = { ...this.lists, [list]: response };
    }
  }

  async #loadNumbers(isCurrent: () => boolean): Promise<void> {
    const { source } = this;
    const oneYearAgo = new Date(Date.now() - YEAR).toISOString().slice(0, 10);
    const [numbers, openOverYear, reopened] = await Promise.all([
      api.insights(source),
      countQuery(scopedQuery(source, "is:issue", "is:open", `created:<${oneYearAgo}`)),
      countQuery(scopedQuery(source, "is:issue", "is:open", "reason:reopened")),
    ]);
    if (isCurrent()) Object.assign(this, { numbers, openOverYear, reopened });
  }

  choose(source: string | null): void {
    Object.assign(this, { source, lists: {}, numbers: null });
    void this.load();
  }

  show(tab: Tab): void {
    if (tab === this.tab) return;
    Object.assign(this, { tab, selected: null });
    if (tab === "numbers" || !this.response) void this.load();
  }

  /** Shows the next or previous list, wrapping around. */
  switchTab(delta: number): void {
    this.show(TABS[(TABS.indexOf(this.tab) + delta + TABS.length) % TABS.length] ?? "frequent");
  }

  move(delta: number): void {
    const index = Math.min(Math.max(this.index + delta, 0), this.sorted.length - 1);
    this.selected = this.sorted[index]?.head.key ?? null;
  }

  open(key: string | null = this.problem?.head.key ?? null): void {
    this.selected = key;
    this.isOpen = key !== null;
  }

  showMore(): void {
    this.#limit += PAGE_SIZE * 4;
    void this.load();
  }
}
