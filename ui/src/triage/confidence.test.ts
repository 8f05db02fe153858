import { mount, unmount } from "svelte";
import { expect, it } from "vitest";
import type { DuplicateCandidate } from "../lib/types";
import { contrast, variableColors } from "../testing/contrast";
import { candidate as sample } from "../testing/samples";
import Confidence from "./Confidence.svelte";

const candidate = { ...sample(), key: "acme/app#12", number: 12, confidence: 0.61, outcome: { read: 120, same: 58, related: 31 } };

function render(change: Partial<DuplicateCandidate>, details = true): string {
  const component = mount(Confidence, { target: document.body, props: { candidate: { ...candidate, ...change }, details } });
  const texts = [...document.querySelectorAll("strong, span.figure, .basis")].map((entry) => entry.textContent.trim());
  void unmount(component);
  return texts.join(" ");
}

it("shows phrase, percentage and track record", () => {
  expect(render({})).toBe(
    "Likely duplicate of #12 61% In tests, 58 of 120 matches at this confidence were duplicates; 31 more were related.",
  );
  expect(render({ outcome: null })).toBe("Likely duplicate of #12 61%");
  expect(render({}, false)).toBe("Likely duplicate of #12 61%");
});

it("related reports show how worth reading they are", () => {
  expect(render({ band: "related", confidence: 0.08, worth: 0.72 })).toBe("Related to #12 Worth reading: 72%; duplicate: 8%");
  expect(render({ band: "related", confidence: 0.08, worth: 0.72 }, false)).toBe("Related to #12 Worth reading: 72%");
});

it.each(["high", "likely", "possible", "related"])("the color of %s has enough contrast", (band) => {
  for (const background of ["surface", "sunken", "accent-soft"]) {
    for (const [theme, color] of variableColors(`band-${band}`).entries()) expect(contrast(color, variableColors(background)[theme] ?? "")).toBeGreaterThanOrEqual(4.5);
  }
});
