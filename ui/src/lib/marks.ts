// Highlights in tracker text: what two reports have in common, and where they differ.

import type { Mark } from "./types";

/** The maximum text length in characters; longer texts are not marked, to stay responsive. */
const MAX_LENGTH = 400_000;
const MAX_MARKS = 5_000;

/** Marks these texts in sanitized HTML, as whole words and ignoring case. */
export function highlightMarks(html: string, marks: readonly Mark[]): string {
  if (marks.length === 0 || html.length > MAX_LENGTH) return html;
  const kinds = new Map(marks.map((mark) => [mark.text.toLowerCase(), mark.kind]));
  const texts = [...kinds.keys()].filter(Boolean).sort((a, b) => b.length - a.length);
  const pattern = new RegExp(
    `(?<![\\p{L}\\p{N}])(?:${texts.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|")})(?![\\p{L}\\p{N}])`,
    "giu",
  );
  const template = document.createElement("template");
  template.innerHTML = html;
  const walker = document.createTreeWalker(template.content, NodeFilter.SHOW_TEXT);
  const nodes: Text[] = [];
  while (walker.nextNode()) if (walker.currentNode instanceof Text) nodes.push(walker.currentNode);
  let count = 0;
  for (const node of nodes) {
    let offset = 0;
    const parts = document.createDocumentFragment();
    for (const match of node.data.matchAll(pattern)) {
      if (count++ >= MAX_MARKS) break;
      const mark = document.createElement("mark");
      mark.className = kinds.get(match[0].toLowerCase()) ?? "word";
      mark.textContent = match[0];
      parts.append(node.data.slice(offset, match.index), mark);
      offset = match.index + match[0].length;
    }
    if (offset === 0) continue;
    parts.append(node.data.slice(offset));
    node.replaceWith(parts);
  }
  return template.innerHTML;
}
