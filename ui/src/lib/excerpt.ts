// Locates an indexed passage in its Markdown source.

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");
const isFence = (line: string) => /^\s*(?:`{3,}|~{3,})/.test(line);

/** Returns the Markdown lines that contain the passage; `null` if they cannot be identified. */
export function excerpt(markdown: string, passage: string): string | null {
  const wanted = letters(passage);
  const lines = markdown.split("\n");
  const isInPassage = (line: string) => letters(line) !== "" && wanted.includes(letters(line));
  let best: readonly [number, number] = [0, 0];
  let from = -1;
  for (const [at, line] of [...lines, "\u{e000}x"].entries()) {
    if (letters(line) === "" || isFence(line)) continue;
    if (isInPassage(line)) {
      if (from < 0) from = at;
      if (at + 1 - from > best[1] - best[0]) best = [from, at + 1];
    } else from = -1;
  }
  const found = lines.slice(...best);
  if (letters(found.join("")).length < wanted.length / 2) return null;
  // Restores code fences cut off by the excerpt.
  if (lines.slice(0, best[0]).filter(isFence).length % 2 === 1) found.unshift("```");
  if (found.filter(isFence).length % 2 === 1) found.push("```");
  return found.join("\n");
}
