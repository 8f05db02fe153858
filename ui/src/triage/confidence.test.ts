import { mount, unmount } from "svelte";
import { expect, it } from "vitest";
import type { DuplicateCandidate } from "../lib/types";
import { contrast, variableColors } from "../stories/contrast";
import { candidate as sample } from "../stories/samples";
import Confidence from "./Confidence.svelte";

const candidate = { ...sample(), key: "acme/app#12", number: 12, confidence: 0.61, outcome: { read: 120, same: 58, related: 31 } };

function words(change: Partial<DuplicateCandidate>, details = true): string {
  const shown = mount(Confidence, { target: document.body, props: { candidate: { ...candidate, ...change }, details } });
  const found = [...document.querySelectorAll("strong, span.figure, .basis")].map((one) => one.textContent.trim());
  void unmount(shown);
  return found.join(" ");
}

it("shows the words, the number, and what answers like it turned out to be", () => {
  expect(words({})).toBe(
    "Likely duplicate of #12 61% In tests, 58 of 120 matches this strong were true duplicates, and 31 more were related.",
  );
  expect(words({ outcome: null })).toBe("Likely duplicate of #12 61%");
  expect(words({}, false)).toBe("Likely duplicate of #12 61%");
});

it("says of a related one that it is worth reading, and claims no sameness", () => {
  expect(words({ band: "related", confidence: 0.08, worth: 0.72 })).toBe("Related to #12 Worth reading: 72%; duplicate: 8%");
  expect(words({ band: "related", confidence: 0.08, worth: 0.72 }, false)).toBe("Related to #12 Worth reading: 72%");
});

it.each(["high", "likely", "possible", "related"])("has a colour for %s that is read on every row, light and dark", (band) => {
  for (const ground of ["surface", "sunken", "accent-soft"]) {
    for (const [at, colour] of variableColors(`band-${band}`).entries()) expect(contrast(colour, variableColors(ground)[at] ?? "")).toBeGreaterThanOrEqual(4.5);
  }
});
