// Display texts for triage: reports, candidates and daily progress.

import { percent } from "../lib/text";
import type { Band, Disposition, DuplicateCandidate, DuplicatesResponse, TriageItem } from "../lib/types";
import { words } from "../words";

const { filters, head, lists, pair } = words.triage;

/** Phrases for a pair by band, such as "Likely duplicate of #12". */
export const BAND_LABELS: Record<Band, (other: string) => string> = words.triage.bands;

/** Compact band symbols for lists, distinguishable by shape alone. */
export const BAND_SYMBOLS: Record<Band, string> = { high: "●●●", likely: "●●○", possible: "●○○", related: "◇", none: "○" };

/** The queue filters: each shows reports at or above a confidence band. */
export const FILTERS = (["high", "likely", "possible", "none"] as const).map((value) => ({ value: value as Band, ...filters[value] }));

/** Returns whether the band is "possible" or higher. */
export function isDuplicateBand(band: Band): boolean {
  return band !== "related" && band !== "none";
}

/** Returns whether the report may be a regression of a fixed candidate. */
export function isPossibleRegression({ candidate: { disposition } }: TriageItem): boolean {
  return typeof disposition === "object" && "possible_regression" in disposition;
}

/** Returns the band of a known problem's confidence. */
export function bandOf(confidence: number): "high" | "likely" | "possible" {
  return confidence >= 0.9 ? "high" : confidence >= 0.5 ? "likely" : "possible";
}

/** Returns the candidate's number, or its key if it has none. */
export function candidateLabel(candidate: DuplicateCandidate): string {
  return candidate.number === null ? candidate.key : `#${candidate.number}`;
}

/** Returns a reason; without `details`, its figure is removed. */
export function reason(text: string, details: boolean): string {
  return details ? text : text.replace(/ \([\d.]+\)$/, "");
}

/** Returns today's progress; empty before the first decision. */
export function progress(decided: number, waiting: number): string {
  if (decided === 0) return "";
  return waiting === 0 ? head.decidedToday(decided) : head.decidedOf(decided, decided + waiting);
}

/** Returns the queue summary with the expected number of duplicates. It contains the placeholder `{waiting}`. */
export function queueSummary(waiting: number, loaded: number, expected: number): string {
  if (waiting === 0) return head.noneWaiting;
  // A single report shows its own confidence.
  if (loaded < 2) return head.someWaiting;
  const same = Math.round(expected);
  return same === 0 ? head.fewDuplicates(waiting, loaded) : head.likelyDuplicates(waiting, loaded, same);
}

/** Returns a one-line assessment of a new report. */
export function assessment({ known, candidates }: Pick<DuplicatesResponse, "known" | "candidates">): string {
  if (known) return words.prompt.knownDuplicate(shortKey(known.key));
  const best = candidates.find((entry) => entry.verdict === null);
  if (!best) return candidates.length > 0 ? lists.decided : lists.noMatch;
  if (best.band === "none") return lists.noMatch;
  return lists.bestCandidate(BAND_LABELS[best.band](candidateLabel(best)), percent(isDuplicateBand(best.band) ? best.confidence : best.worth));
}

/** Returns the number part of a key, or the whole key. */
export function shortKey(key: string): string {
  return key.slice(Math.max(0, key.indexOf("#")));
}

/** Returns the candidate's outcome as a short phrase. */
export function dispositionLabel(disposition: Disposition): { words: string; tone: "plain" | "good" | "warn" } {
  const labels = pair.dispositions;
  if (typeof disposition === "string") return { words: labels[disposition], tone: "plain" };
  if ("fixed" in disposition) return { words: disposition.fixed ? labels.fixedIn(disposition.fixed) : labels.fixed, tone: "good" };
  const version = disposition.possible_regression;
  return { words: version ? labels.regressionAfter(version) : labels.regression, tone: "warn" };
}
