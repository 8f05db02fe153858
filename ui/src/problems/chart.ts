// Axis values and month labels for charts.

import { words } from "../words";

/** Returns round axis values from 0 to at least `max` in at most four steps, whole for counts. */
export function axisValues(max: number, isCount = false): number[] {
  if (!(max > 0)) return [0, 1];
  const minStep = max / 4;
  const power = 10 ** Math.floor(Math.log10(minStep));
  const step = Math.max(isCount ? 1 : 0, [1, 2, 5, 10].map((n) => n * power).find((n) => n >= minStep) ?? 10 * power);
  const result: number[] = [];
  for (let n = 0; n < max + step; n += step) result.push(Math.round(n * 1e6) / 1e6);
  return result;
}

const { chart } = words.problems;

function monthParts(month: string): [name: string, year: string] {
  const [year, number] = month.split("-");
  return [chart.months[Number(number) - 1] ?? "", year ?? ""];
}

/** Returns "Mar 2026" for `2026-03`. */
export function monthName(month: string): string {
  return chart.monthOf(...monthParts(month));
}

/** Returns "Mar ’26" for `2026-03`. */
export function shortMonthName(month: string): string {
  return chart.shortMonthOf(...monthParts(month));
}

/** Returns the indexes of the months to label: Januaries, or else every few months. */
export function labeledMonths(months: readonly string[], maxLabels: number): Set<number> {
  const januaries = months.flatMap((month, index) => (month.endsWith("-01") ? [index] : []));
  const candidates = months.length > 18 && januaries.length > 1 ? januaries : months.map((_, index) => index);
  const interval = Math.max(1, Math.ceil(candidates.length / Math.max(1, maxLabels)));
  return new Set(candidates.filter((_, index) => index % interval === 0));
}
