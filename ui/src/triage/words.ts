// What the triage desk says of a report, a candidate and a day.

import { percent } from "../lib/text";
import type { Band, Disposition, DuplicateCandidate, DuplicatesResponse, Outcome, TriageItem } from "../lib/types";
import { words } from "../words";

const { filters, head, lists, pair } = words.triage;

/** What is said of a report and another one, which is named. */
export const BANDS: Record<Band, (other: string) => string> = words.triage.bands;

/** The same at a glance, for lists: told by its shape, the colour only helps. */
export const MARKS: Record<Band, string> = { high: "●●●", likely: "●●○", possible: "●○○", related: "◇", none: "○" };

/** What the queue can be cut down to: everything that is at least so sure. */
export const FILTERS: readonly { value: Band; name: string; title: string; nothing: string; nothingElse: string }[] = [
  { value: "high", ...filters.high },
  { value: "likely", ...filters.likely },
  { value: "possible", ...filters.possible },
  { value: "none", ...filters.none },
];

/** Whether it is said that the two may be the same. */
export function maybeSame(band: Band): boolean {
  return band !== "related" && band !== "none";
}

/** Whether a report looks like one that was fixed before it was reported. */
export function mayBeBack({ candidate: { disposition } }: TriageItem): boolean {
  return typeof disposition === "object" && "possible_regression" in disposition;
}

/** A candidate beside its report: its number alone, where it has one. */
export function named(candidate: DuplicateCandidate): string {
  return candidate.number === null ? candidate.key : `#${candidate.number}`;
}

/** What answers as sure as this one turned out to be. */
export function read({ read, same, related }: Outcome): string {
  return pair.outcome(read, same, related);
}

/** A reason without its figure, or with it for who asks for it. */
export function reason(said: string, details: boolean): string {
  return details ? said : said.replace(/ \([\d.]+\)$/, "");
}

/** How far the desk has come today; nothing before the first decision. */
export function progress(decided: number, waiting: number): string {
  if (decided === 0) return "";
  return waiting === 0 ? head.decidedToday(decided) : head.decidedOf(decided, decided + waiting);
}

/** How much reading there is, and what will come of it. It has a place for the number that waits. */
export function waits(waiting: number, shown: number, expected: number): string {
  if (waiting === 0) return head.nothingWaits;
  // Of a single one its own confidence says it.
  if (shown < 2) return head.waits(waiting);
  const same = Math.round(expected);
  return same === 0 ? head.hardlyAnySame(waiting, shown) : head.someSame(waiting, shown, same);
}

/** What is said of a new report, in one line. */
export function judgement({ known, candidates }: Pick<DuplicatesResponse, "known" | "candidates">): string {
  if (known) return lists.knownDuplicate(short(known.key));
  const best = candidates.find((one) => one.verdict === null);
  if (!best) return candidates.length > 0 ? lists.isDecided : lists.nothingLike;
  if (best.band === "none") return lists.nothingLike;
  return lists.judged(BANDS[best.band](named(best)), percent(maybeSame(best.band) ? best.confidence : best.worth));
}

/** The number of a key alone, where it has one. */
export function short(key: string): string {
  return key.slice(Math.max(0, key.indexOf("#")));
}

/** What became of a candidate, in a few words. */
export function became(disposition: Disposition): { words: string; tone: "plain" | "good" | "warn" } {
  const said = pair.became;
  if (disposition === "open") return { words: said.open, tone: "plain" };
  if (disposition === "declined") return { words: said.declined, tone: "plain" };
  if (disposition === "completed") return { words: said.completed, tone: "plain" };
  if (disposition === "duplicate") return { words: said.duplicate, tone: "plain" };
  if ("fixed" in disposition) return { words: disposition.fixed ? said.fixedIn(disposition.fixed) : said.fixed, tone: "good" };
  const by = disposition.possible_regression;
  return { words: by ? said.backAfter(by) : said.back, tone: "warn" };
}
