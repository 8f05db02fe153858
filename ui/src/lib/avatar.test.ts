import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { contrast } from "../testing/contrast";
import { initials, avatarHue } from "./avatar";

it("uses initials of first and last word", () => {
  expect(["jane.doe", "Ada King Lovelace", "octocat", "@bob-smith", "王小明", "", null, "😀"].map(initials)).toEqual([
    "JD", "AL", "O", "BS", "王", "?", "?", "?",
  ]);
});

it("a name keeps its color", () => {
  expect(avatarHue("octocat")).toBe(avatarHue("octocat"));
  expect(new Set(["a", "b", "c", "d", "e", "f", "g", "h"].map(avatarHue)).size).toBeGreaterThan(4);
});

function hex(hue: number, [saturation = 0, lightness = 0]: readonly number[]): string {
  const amplitude = (saturation / 100) * Math.min(lightness / 100, 1 - lightness / 100);
  const part = (n: number) => lightness / 100 - amplitude * Math.max(-1, Math.min(((n + hue / 30) % 12) - 3, 9 - ((n + hue / 30) % 12), 1));
  return `#${[0, 8, 4].map((n) => Math.round(part(n) * 255).toString(16).padStart(2, "0")).join("")}`;
}

it("initials have enough contrast in every hue", () => {
  const colors = [...readFileSync("src/lib/Avatar.svelte", "utf8").matchAll(/hsl\(var\(--hue\) (\d+)% (\d+)%\)/g)].map((match) => match.slice(1).map(Number));
  const [light = [], dark = [], lightText = [], darkText = []] = colors;
  for (let hue = 0; hue < 360; hue++) {
    expect(contrast(hex(hue, lightText), hex(hue, light)), `light, hue ${hue}`).toBeGreaterThanOrEqual(4.5);
    expect(contrast(hex(hue, darkText), hex(hue, dark)), `dark, hue ${hue}`).toBeGreaterThanOrEqual(4.5);
  }
});
