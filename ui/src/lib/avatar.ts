// A person without a picture: nothing is fetched for it, so initials and a colour of their own stand for them.

/** A colour for the ground and one for the letters, each for light and for dark. */
export interface Tone {
  ground: readonly [light: string, dark: string];
  letters: readonly [light: string, dark: string];
}

export const TONES: readonly Tone[] = [
  { ground: ["#dfe6fb", "#263458"], letters: ["#27408b", "#c3d1ff"] },
  { ground: ["#d8efdf", "#1d3f2b"], letters: ["#175c2c", "#a8e6bd"] },
  { ground: ["#fbe3d3", "#4c2e1b"], letters: ["#7d3a0b", "#ffc9a3"] },
  { ground: ["#efe0f8", "#3d2850"], letters: ["#5f2b86", "#dfbdf8"] },
  { ground: ["#d6eef2", "#173d45"], letters: ["#0d5362", "#a3e1ee"] },
  { ground: ["#f9dfe6", "#4d2533"], letters: ["#86254a", "#ffbcd0"] },
  { ground: ["#f1ebcd", "#3f3a16"], letters: ["#5a5000", "#e6da8c"] },
  { ground: ["#e3e5e9", "#343a44"], letters: ["#3c434f", "#d0d6e0"] },
];

/** One or two letters that stand for a name: of its first and last word, or its first alone. */
export function initials(name: string | null): string {
  const words = (name ?? "").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const first = (word: string | undefined) => [...(word ?? "")][0] ?? "";
  const letters = words.length > 1 ? first(words[0]) + first(words.at(-1)) : first(words[0]);
  return letters.toUpperCase() || "?";
}

/** The colour of a name: the same one each time. */
export function tone(name: string | null): Tone {
  const sum = [...(name ?? "")].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7);
  return TONES[sum % TONES.length] ?? (TONES[0] as Tone);
}
