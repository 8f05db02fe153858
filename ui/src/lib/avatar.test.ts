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
  for (const { background, foreground } of PALETTE) {
    for (const theme of [0, 1] as const) {
      expect(contrast(foreground[theme], background[theme]), `${foreground[theme]} on ${background[theme]}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});
