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

export interface Block {
  code: boolean;
  /** What a fence says that its code is. */
  language: string | null;
  text: string;
}

/** A text as written, with its fenced code apart. A fence that is never closed holds the rest. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  let code = false;
  let fence = "";
  let language: string | null = null;
  let lines: string[] = [];
  const close = () => {
    const whole = lines.join("\n");
    if (whole.trim()) found.push({ code, language: code ? language : null, text: code ? whole : whole.trim() });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && (!code || (mark.startsWith(fence) && line.trim() === mark))) {
      close();
      code = !code;
      fence = mark;
      language = /^[\w+#-]+/.exec(line.trim().slice(mark.length).trim())?.[0] ?? null;
    } else lines.push(line);
  }
  close();
  return found;
}
