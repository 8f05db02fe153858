import { readFileSync } from "node:fs";
import { mount, unmount } from "svelte";
import { expect, it } from "vitest";
import type { DuplicateCandidate } from "../lib/types";
import Confidence from "./Confidence.svelte";

const candidate: DuplicateCandidate = {
  key: "acme/app#12", number: 12, title: "", url: null, state: "open", state_reason: null, created_at: null,
  similarity: { title: 0, body: 0, semantic: null, combined: 0 }, confidence: 0.61, worth: 0.9, band: "likely",
  outcome: { read: 120, same: 58, related: 31 }, disposition: "open", canonical: null, reasons: [], verdict: null,
};

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

const css = readFileSync("src/app.css", "utf8");

// The luminance and the contrast of WCAG 2.
function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const share = parseInt(hex.slice(at, at + 2), 16) / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

it.each(["high", "likely", "possible", "related"])("has a colour for %s that is read on every row, light and dark", (band) => {
  const token = (name: string) => new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css)?.slice(1) ?? [];
  for (const ground of ["surface", "sunken", "accent-soft"]) {
    const pairs = token(`band-${band}`).map((color, at) => [luminance(color), luminance(token(ground)[at] ?? "")]);
    const contrast = pairs.map((pair) => (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05));
    expect(contrast.length).toBe(2);
    for (const one of contrast) expect(one).toBeGreaterThanOrEqual(4.5);
  }
});
