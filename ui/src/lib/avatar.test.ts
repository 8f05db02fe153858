import { expect, it } from "vitest";
import { contrast } from "../testing/contrast";
import { initials, PALETTE, avatarColors } from "./avatar";

it("uses initials of first and last word", () => {
  expect(["jane.doe", "Ada King Lovelace", "octocat", "@bob-smith", "王小明", "", null, "😀"].map(initials)).toEqual([
    "JD", "AL", "O", "BS", "王", "?", "?", "?",
  ]);
});

it("a name keeps its color", () => {
  expect(avatarColors("octocat")).toBe(avatarColors("octocat"));
  expect(new Set(["a", "b", "c", "d", "e", "f", "g", "h"].map(avatarColors)).size).toBeGreaterThan(4);
  expect(PALETTE).toContain(avatarColors(null));
});

it("initials have enough contrast", () => {
  for (const { background: ground, foreground: letters } of PALETTE) {
    for (const at of [0, 1] as const) {
      expect(contrast(letters[at], ground[at]), `${letters[at]} on ${ground[at]}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});
