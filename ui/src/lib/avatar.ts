// Avatars made of initials and a color; no picture is ever fetched.

/** Background and foreground colors, each for light and dark. */
interface AvatarColors {
  background: readonly [light: string, dark: string];
  foreground: readonly [light: string, dark: string];
}

export const PALETTE: readonly AvatarColors[] = [
  { background: ["#dfe6fb", "#263458"], foreground: ["#27408b", "#c3d1ff"] },
  { background: ["#d8efdf", "#1d3f2b"], foreground: ["#175c2c", "#a8e6bd"] },
  { background: ["#fbe3d3", "#4c2e1b"], foreground: ["#7d3a0b", "#ffc9a3"] },
  { background: ["#efe0f8", "#3d2850"], foreground: ["#5f2b86", "#dfbdf8"] },
  { background: ["#d6eef2", "#173d45"], foreground: ["#0d5362", "#a3e1ee"] },
  { background: ["#f9dfe6", "#4d2533"], foreground: ["#86254a", "#ffbcd0"] },
  { background: ["#f1ebcd", "#3f3a16"], foreground: ["#5a5000", "#e6da8c"] },
  { background: ["#e3e5e9", "#343a44"], foreground: ["#3c434f", "#d0d6e0"] },
];

/** Returns the initials of the first and last word, or of a single word. */
export function initials(name: string | null): string {
  const words = (name ?? "").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const initial = (word: string | undefined) => [...(word ?? "")][0] ?? "";
  const letters = words.length > 1 ? initial(words[0]) + initial(words.at(-1)) : initial(words[0]);
  return letters.toUpperCase() || "?";
}

/** Returns the colors for a name, which are always the same. */
export function avatarColors(name: string | null): AvatarColors {
  const sum = [...(name ?? "")].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
  return PALETTE[sum % PALETTE.length] ?? (PALETTE[0] as AvatarColors);
}
