// A cache of what the engine's responses say about documents, by key, so that views need not ask
// again.

import { spanText } from "./text";
import type { DocKind, Hit, State } from "./types";

/** The known fields of a document. */
export interface CachedDocument {
  title?: string;
  kind?: DocKind;
  state?: State | null;
  state_reason?: string | null;
  url?: string | null;
}

/** The most recently seen documents are kept. */
const MAX_CACHED = 4000;
/** The deepest level of a response that contains documents. */
const MAX_DEPTH = 6;
const cache = new Map<string, CachedDocument>();

export function cachedDocument(key: string): CachedDocument {
  return cache.get(key) ?? {};
}

/** Caches the documents in a response and returns the response. */
export function cacheDocuments<T>(answer: T, depth = 0): T {
  if (typeof answer !== "object" || answer === null || depth > MAX_DEPTH) return answer;
  if (Array.isArray(answer)) {
    for (const one of answer) cacheDocuments(one, depth + 1);
    return answer;
  }
  const one = answer as Record<string, unknown>;
  const { key, title } = one;
  if (typeof key === "string" && /[#:]/.test(key) && (typeof title === "string" || Array.isArray(title))) cacheDocument(key, one);
  for (const part of Object.values(one)) if (typeof part === "object") cacheDocuments(part, depth + 1);
  return answer;
}

function cacheDocument(key: string, one: Record<string, unknown>): void {
  const title = typeof one["title"] === "string" ? one["title"] : spanText(one["title"] as Hit["title"]);
  const document: CachedDocument = { title };
  if (one["kind"] === "issue" || one["kind"] === "pull_request" || one["kind"] === "page" || one["kind"] === "note") document.kind = one["kind"];
  if ("state" in one) Object.assign(document, { state: one["state"], state_reason: one["state_reason"] ?? null });
  else if (typeof one["open"] === "boolean") document.state = one["open"] ? "open" : "closed";
  if (typeof one["url"] === "string") document.url = one["url"];
  const all = { ...cache.get(key), ...document };
  cache.delete(key);
  cache.set(key, all);
  const oldest = cache.keys().next();
  if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value);
}
