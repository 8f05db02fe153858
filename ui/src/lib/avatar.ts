// Avatars made of initials and a color; no picture is ever fetched.

/** Returns the initials of the first and last word, or of a single word. */
export function initials(name: string | null): string {
  const words = (name ?? "").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  const initial = (word: string | undefined) => [...(word ?? "")][0] ?? "";
  const letters = words.length > 1 ? initial(words[0]) + initial(words.at(-1)) : initial(words[0]);
  return letters.toUpperCase() || "?";
}

/** Returns the hue for a name in degrees, which is always the same. */
export function avatarHue(name: string | null): number {
  return [...(name ?? "")].reduce((hash, letter) => (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0, 7) % 360;
}
