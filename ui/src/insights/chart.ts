// The arithmetic of the charts.

/** Round values for an axis from 0 to at least `max`: three to five steps. */
export function ticks(max: number): number[] {
  if (!(max > 0)) return [0, 1];
  const rough = max / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * power).find((n) => n >= rough) ?? 10 * power;
  const found: number[] = [];
  for (let n = 0; n < max + step; n += step) found.push(Math.round(n * 1e6) / 1e6);
  return found;
}

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** "Mar 2026" for `2026-03`. */
export function monthName(month: string): string {
  const [year, number] = month.split("-");
  return `${MONTHS[Number(number) - 1] ?? ""} ${year ?? ""}`.trim();
}

/** Which months carry a name on the axis: the Januaries if there are years of them, else every few. */
export function named(months: readonly string[], room: number): Set<number> {
  const yearly = months.flatMap((month, at) => (month.endsWith("-01") ? [at] : []));
  const candidates = months.length > 18 && yearly.length > 1 ? yearly : months.map((_, at) => at);
  const every = Math.max(1, Math.ceil(candidates.length / Math.max(1, room)));
  return new Set(candidates.filter((_, at) => at % every === 0));
}
