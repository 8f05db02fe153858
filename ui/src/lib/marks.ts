// Highlights in tracker text: what two reports have in common, and where they differ.

import { replaceText } from "./replaceText";
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
  replaceText(template.content, pattern, MAX_MARKS, ([text]) => {
    const mark = document.createElement("mark");
    mark.className = kinds.get(text.toLowerCase()) ?? "word";
    mark.textContent = text;
    return mark;
  });
  return template.innerHTML;
}
