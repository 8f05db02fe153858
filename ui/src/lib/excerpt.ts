// Locates an indexed passage in its Markdown source.

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");
const isFence = (line: string) => /^\s*(?:`{3,}|~{3,})/.test(line);

/** Returns the Markdown lines that contain the passage; `null` if they cannot be identified. */
export function excerpt(markdown: string, passage: string): string | null {
  const target = letters(passage);
  const lines = markdown.split("\n");
  const isInPassage = (line: string) => letters(line) !== "" && target.includes(letters(line));
  let best: readonly [number, number] = [0, 0];
  let start = -1;
  for (const [index, line] of [...lines, "\u{e000}x"].entries()) {
    if (letters(line) === "" || isFence(line)) continue;
    if (isInPassage(line)) {
      if (start < 0) start = index;
      if (index + 1 - start > best[1] - best[0]) best = [start, index + 1];
    } else start = -1;
  }
  const result = lines.slice(...best);
  if (letters(result.join("")).length < target.length / 2) return null;
  // Restores code fences cut off by the excerpt.
  if (lines.slice(0, best[0]).filter(isFence).length % 2 === 1) result.unshift("```");
  if (result.filter(isFence).length % 2 === 1) result.push("```");
  return result.join("\n");
}
