// The words of the triage desk.

import { count } from "../lib/text";
import type { Band, Disposition, FactKind } from "../lib/types";

export const BANDS: Record<Band, string> = { high: "High", review: "Worth a look", none: "Low" };

export const FACTS: Record<FactKind, string> = {
  code: "Error codes",
  failure: "Failures",
  message: "Messages",
  frame: "Stack frames",
  version: "Versions",
  identifier: "Names",
  label: "Labels",
};

/** What became of a candidate, in a few words. */
export function became(disposition: Disposition): { words: string; tone: "plain" | "good" | "warn" } {
  if (disposition === "open") return { words: "Still open", tone: "plain" };
  if (disposition === "declined") return { words: "Declined", tone: "plain" };
  if (disposition === "duplicate") return { words: "Itself a duplicate", tone: "plain" };
  if ("fixed" in disposition) return { words: disposition.fixed ? `Fixed in ${disposition.fixed}` : "Fixed", tone: "good" };
  const by = disposition.possible_regression;
  return { words: by ? `Fixed in ${by}, may have come back` : "Fixed, may have come back", tone: "warn" };
}

/** What a confidence rests on. */
export function basis(calibratedOn: number): string {
  return calibratedOn > 0
    ? `calibrated on ${count(calibratedOn)} known duplicates`
    : "not calibrated: too few known duplicates";
}
