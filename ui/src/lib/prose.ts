// Markdown rendered by the engine. Texts requested in the same tick share one call.

import * as api from "./api";

/** The maximum number of cached texts; they are shown at once when going back. */
const MAX_CACHED = 300;
const cache = new Map<string, string>();
let pending = new Map<string, ((html: string | null) => void)[]>();

export function cachedHtml(text: string): string | null {
  return cache.get(text) ?? null;
}

/** Renders a text as HTML; `null` if the engine fails and the plain text is shown instead. */
export function renderMarkdown(text: string): Promise<string | null> {
  if (pending.size === 0) queueMicrotask(() => void flush());
  return new Promise((resolve) => pending.set(text, [...(pending.get(text) ?? []), resolve]));
}

async function flush(): Promise<void> {
  const batch = pending;
  pending = new Map();
  const texts = [...batch.keys()];
  let response: string[] | null = null;
  try {
    response = await api.prose(texts);
  } catch {
    // Shown as plain text.
  }
  for (const [index, text] of texts.entries()) {
    const html = response?.[index] ?? null;
    if (html !== null) cache.set(text, html);
    for (const resolve of batch.get(text) ?? []) resolve(html);
  }
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED) break;
    cache.delete(oldest);
  }
}

interface Block {
  code: boolean;
  text: string;
}

/** Splits a text into prose and fenced code. An unclosed fence includes the rest. */
export function splitCodeBlocks(text: string): Block[] {
  const result: Block[] = [];
  let code = false;
  let fence = "";
  let lines: string[] = [];
  const close = () => {
    const block = lines.join("\n");
    if (block.trim()) result.push({ code, text: code ? block : block.trim() });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const fenceMark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (fenceMark && (!code || (fenceMark.startsWith(fence) && line.trim() === fenceMark))) {
      close();
      code = !code;
      fence = fenceMark;
    } else lines.push(line);
  }
  close();
  return result;
}
