import { expect, it } from "vitest";
import { contrast } from "../stories/contrast";
import { initials, TONES, tone } from "./avatar";

it("takes the first letters of the first and the last word of a name", () => {
  expect(["jane.doe", "Ada King Lovelace", "octocat", "@bob-smith", "王小明", "", null, "😀"].map(initials)).toEqual([
    "JD", "AL", "O", "BS", "王", "?", "?", "?",
  ]);
});

it("gives a name the same colour each time", () => {
  expect(tone("octocat")).toBe(tone("octocat"));
  expect(new Set(["a", "b", "c", "d", "e", "f", "g", "h"].map(tone)).size).toBeGreaterThan(4);
  expect(TONES).toContain(tone(null));
});

it("has letters that can be read on every ground, light and dark (WCAG AA)", () => {
  for (const { ground, letters } of TONES) {
    for (const at of [0, 1] as const) {
      expect(contrast(letters[at], ground[at]), `${letters[at]} on ${ground[at]}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});
