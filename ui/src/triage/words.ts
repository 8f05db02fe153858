// The words of the triage desk.

import { count, percent } from "../lib/text";
import type { Band, Disposition, DuplicateCandidate, DuplicatesResponse, FactKind, Outcome, VerdictKind } from "../lib/types";

/** What is said of a report, before its key; the command line and the brief say the same. */
export const BANDS: Record<Band, string> = {
  high: "The same as",
  likely: "Probably the same as",
  possible: "May be the same as",
  related: "Related to",
  none: "Hardly like",
};

/** The same at a glance, for lists: told by its shape, the colour only helps. */
export const MARKS: Record<Band, string> = { high: "●●●", likely: "●●○", possible: "●○○", related: "◇", none: "○" };

/** What the queue can be cut down to: everything that is at least so sure. */
export const FILTERS: readonly { band: Band; name: string; title: string; nothing: string }[] = [
  {
    band: "high",
    name: "The same",
    title: "Nine out of ten are right",
    nothing: "No open report is surely the same as an earlier one.",
  },
  {
    band: "likely",
    name: "Probably",
    title: "More are right than wrong",
    nothing: "No open report is probably the same as an earlier one.",
  },
  {
    band: "possible",
    name: "Possibly",
    title: "At least one in five is right",
    nothing: "No open report looks the same as an earlier one.",
  },
  {
    band: "none",
    name: "All",
    title: "Everything that has a candidate",
    nothing: "No open report has an earlier one like it.",
  },
];

/** What the lists below the queue are called. */
export const RELATED = "Related, and hardly the same";
export const NEW = "New since the last visit";
export const DONE_TODAY = "Decided today";

/** Whether it is said that the two may be the same. */
export function maybeSame(band: Band): boolean {
  return band !== "related" && band !== "none";
}

/** What a list of candidates is called. */
export function heading(candidates: readonly DuplicateCandidate[]): string {
  return candidates.some((c) => maybeSame(c.band)) ? "Reports that may be the same" : "Related reports";
}

/** A candidate beside its report: its number alone, where it has one. */
export function named(candidate: DuplicateCandidate): string {
  return candidate.number === null ? candidate.key : `#${candidate.number}`;
}

/** What answers as sure as this one turned out to be. */
export function read(outcome: Outcome): string {
  const same = `${count(outcome.same)} ${outcome.same === 1 ? "was" : "were"} the same`;
  return `Of ${count(outcome.read)} answers like this that were read, ${same} and ${count(outcome.related)} more related.`;
}

/** A reason without its figure, or with it for who asks for it. */
export function reason(said: string, details: boolean): string {
  return details ? said : said.replace(/ \([\d.]+\)$/, "");
}

/** How far the desk has come today; nothing before the first decision. */
export function progress(decided: number, waiting: number): string {
  if (decided === 0) return "";
  return waiting === 0 ? `${count(decided)} decided today` : `${count(decided)} of ${count(decided + waiting)} decided today`;
}

/** What is said after how many reports wait, or "Nothing": how much reading there is, and what will come of it. */
export function waits(waiting: number, shown: number, expected: number): string {
  const wait = waiting < 2 ? "waits" : "wait";
  // Of a single one its own confidence says it.
  if (shown < 2) return wait;
  const same = Math.round(expected);
  const of = `${wait}; of these ${count(shown)}, `;
  if (same === 0) return `${of}hardly any is the same`;
  return `${of}about ${count(same)} ${same === 1 ? "is" : "are"} the same`;
}

export const FACTS: Record<FactKind, string> = {
  code: "Error codes",
  failure: "Failures",
  message: "Messages",
  frame: "Stack frames",
  version: "Versions",
  identifier: "Names",
  label: "Labels",
};

/** What is said of a new report, in one line. */
export function judgement({ known, candidates }: Pick<DuplicatesResponse, "known" | "candidates">): string {
  if (known) return `Known as a duplicate of ${short(known.key)}`;
  const best = candidates.find((one) => one.verdict === null);
  if (!best) return candidates.length > 0 ? "Decided" : "Nothing earlier is like it";
  if (best.band === "none") return "Nothing earlier is like it";
  return `${BANDS[best.band]} ${named(best)}, ${percent(maybeSame(best.band) ? best.confidence : best.worth)}`;
}

/** The number of a key alone, where it has one. */
export function short(key: string): string {
  return key.slice(Math.max(0, key.indexOf("#")));
}

/** What a decision about several reports is called once it is made. */
export function several(n: number, kind: VerdictKind): string {
  const as = { duplicate: "duplicates", related: "related", not_duplicate: "no duplicates" }[kind];
  return `${count(n)} reports are marked as ${as}.`;
}

/** What became of a candidate, in a few words. */
export function became(disposition: Disposition): { words: string; tone: "plain" | "good" | "warn" } {
  if (disposition === "open") return { words: "Still open", tone: "plain" };
  if (disposition === "declined") return { words: "Declined", tone: "plain" };
  if (disposition === "duplicate") return { words: "Itself a duplicate", tone: "plain" };
  if ("fixed" in disposition) return { words: disposition.fixed ? `Fixed in ${disposition.fixed}` : "Fixed", tone: "good" };
  const by = disposition.possible_regression;
  return { words: by ? `Fixed in ${by}, may have come back` : "Fixed, may have come back", tone: "warn" };
}
