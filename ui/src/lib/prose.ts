// Markdown rendered by the engine. Texts requested in the same tick share one call.

import * as api from "./api";

/** Cached texts, so that going back shows them at once. */
const MAX_CACHED = 300;
const cache = new Map<string, string>();
let pending = new Map<string, ((html: string | null) => void)[]>();

/** Returns the HTML of a text if it is cached. */
export function cachedHtml(text: string): string | null {
  return cache.get(text) ?? null;
}

/** Renders a text as HTML; `null` if the engine fails, and the plain text is shown. */
export function renderMarkdown(text: string): Promise<string | null> {
  if (pending.size === 0) queueMicrotask(() => void flush());
  return new Promise((resolve) => pending.set(text, [...(pending.get(text) ?? []), resolve]));
}

async function flush(): Promise<void> {
  const batch = pending;
  pending = new Map();
  const texts = [...batch.keys()];
  let rendered: string[] | null = null;
  try {
    rendered = await api.prose(texts);
  } catch {
    // Shown as plain text.
  }
  for (const [index, text] of texts.entries()) {
    const html = rendered?.[index] ?? null;
    if (html !== null) cache.set(text, html);
    for (const tell of batch.get(text) ?? []) tell(html);
  }
  for (const oldest of cache.keys()) {
    if (cache.size <= MAX_CACHED) break;
    cache.delete(oldest);
  }
}

interface Block {
  code: boolean;
  /** The language named by the fence. */
  language: string | null;
  text: string;
}

/** Splits a text into prose and fenced code. An unclosed fence includes the rest. */
export function splitCodeBlocks(text: string): Block[] {
  const result: Block[] = [];
  let code = false;
  let fence = "";
  let language: string | null = null;
  let lines: string[] = [];
  const close = () => {
    const whole = lines.join("\n");
    if (whole.trim()) result.push({ code, language: code ? language : null, text: code ? whole : whole.trim() });
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
  return result;
}
