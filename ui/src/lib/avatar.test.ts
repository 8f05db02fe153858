import { expect, it } from "vitest";
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

function luminance(colour: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((at) => {
    const part = parseInt(colour.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

it("has letters that can be read on every ground, light and dark (WCAG AA)", () => {
  for (const { ground, letters } of TONES) {
    for (const at of [0, 1] as const) {
      const [low = 0, high = 0] = [luminance(ground[at]), luminance(letters[at])].sort((a, b) => a - b);
      expect((high + 0.05) / (low + 0.05), `${letters[at]} on ${ground[at]}`).toBeGreaterThanOrEqual(4.5);
    }
  }
});
