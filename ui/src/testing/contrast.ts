// The WCAG 2 contrast of colors, for tests.

import { readFileSync } from "node:fs";

const css = readFileSync("src/app.css", "utf8");

/** Returns a variable's light and dark colors in app.css. */
export function variableColors(name: string): string[] {
  return new RegExp(`--${name}: light-dark\\((#\\w{6}), (#\\w{6})\\)`).exec(css)?.slice(1) ?? [];
}

function luminance(hex: string): number {
  const [r = 0, g = 0, b = 0] = [1, 3, 5].map((offset) => {
    const part = parseInt(hex.slice(offset, offset + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

/** Returns the contrast ratio from 1 to 21; text needs 4.5. */
export function contrast(color: string, background: string): number {
  const [low = 0, high = 0] = [luminance(color), luminance(background)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
