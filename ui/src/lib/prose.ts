// Markdown as HTML, by the one renderer that the engine has. Texts that are wanted at one time are asked for at one go.

import * as api from "./api";

/** So many texts are kept, so that a way back shows them at once. */
const KEPT = 300;
const known = new Map<string, string>();
let waiting = new Map<string, ((html: string | null) => void)[]>();

/** The HTML of a text, where that is known already. */
export function knownProse(text: string): string | null {
  return known.get(text) ?? null;
}

/** The HTML of a text; none where nobody answers, for then it is read as it was written. */
export function proseOf(text: string): Promise<string | null> {
  if (waiting.size === 0) queueMicrotask(() => void ask());
  return new Promise((resolve) => waiting.set(text, [...(waiting.get(text) ?? []), resolve]));
}

async function ask(): Promise<void> {
  const asked = waiting;
  waiting = new Map();
  const texts = [...asked.keys()];
  let all: string[] | null = null;
  try {
    all = await api.prose(texts);
  } catch {
    // Then they are read as they were written.
  }
  for (const [at, text] of texts.entries()) {
    const html = all?.[at] ?? null;
    if (html !== null) known.set(text, html);
    for (const tell of asked.get(text) ?? []) tell(html);
  }
  for (const oldest of known.keys()) {
    if (known.size <= KEPT) break;
    known.delete(oldest);
  }
}
