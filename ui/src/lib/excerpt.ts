// The place in a Markdown text that a passage of the index was made of.

const letters = (text: string) => text.replace(/[^\p{L}\p{N}]+/gu, "");
const isFence = (line: string) => /^\s*(?:`{3,}|~{3,})/.test(line);

/** The lines of Markdown whose words are those of the passage; nothing where they cannot be told. */
export function excerpt(markdown: string, passage: string): string | null {
  const wanted = letters(passage);
  const lines = markdown.split("\n");
  const isOfIt = (line: string) => letters(line) !== "" && wanted.includes(letters(line));
  let best: readonly [number, number] = [0, 0];
  let from = -1;
  for (const [at, line] of [...lines, "\u{e000}x"].entries()) {
    if (letters(line) === "" || isFence(line)) continue;
    if (isOfIt(line)) {
      if (from < 0) from = at;
      if (at + 1 - from > best[1] - best[0]) best = [from, at + 1];
    } else from = -1;
  }
  const found = lines.slice(...best);
  if (letters(found.join("")).length < wanted.length / 2) return null;
  // Code that begins or ends beyond the passage is code still.
  if (lines.slice(0, best[0]).filter(isFence).length % 2 === 1) found.unshift("```");
  if (found.filter(isFence).length % 2 === 1) found.push("```");
  return found.join("\n");
}
