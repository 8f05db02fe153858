// Caches document fields from the engine's responses, by key, so that views need not request them
// again.

import { spanText } from "./text";
import type { Hit, Thread } from "./types";

/** The known fields of a document. */
type CachedDocument = Partial<Pick<Thread, "title" | "kind" | "state" | "state_reason" | "url">>;

/** The maximum number of documents; the least recently seen ones are dropped. */
const MAX_CACHED = 4000;
/** The deepest level of a response that contains documents. */
const MAX_DEPTH = 6;
const cache = new Map<string, CachedDocument>();

export function cachedDocument(key: string): CachedDocument {
  return cache.get(key) ?? {};
}

/** Caches the documents in a response and returns the response. */
export function cacheDocuments<T>(response: T, depth = 0): T {
  if (typeof response !== "object" || response === null || depth > MAX_DEPTH) return response;
  if (Array.isArray(response)) {
    for (const entry of response) cacheDocuments(entry, depth + 1);
    return response;
  }
  const entry = response as Record<string, unknown>;
  const { key, title } = entry;
  if (typeof key === "string" && /[#:]/.test(key) && (typeof title === "string" || Array.isArray(title))) cacheDocument(key, entry);
  for (const part of Object.values(entry)) if (typeof part === "object") cacheDocuments(part, depth + 1);
  return response;
}

function cacheDocument(key: string, entry: Record<string, unknown>): void {
  const title = typeof entry["title"] === "string" ? entry["title"] : spanText(entry["title"] as Hit["title"]);
  const document: CachedDocument = { title };
  if (entry["kind"] === "issue" || entry["kind"] === "pull_request" || entry["kind"] === "page" || entry["kind"] === "note") document.kind = entry["kind"];
  if ("state" in entry) Object.assign(document, { state: entry["state"], state_reason: entry["state_reason"] ?? null });
  else if (typeof entry["open"] === "boolean") document.state = entry["open"] ? "open" : "closed";
  if (typeof entry["url"] === "string") document.url = entry["url"];
  const merged = { ...cache.get(key), ...document };
  cache.delete(key);
  cache.set(key, merged);
  const oldest = cache.keys().next();
  if (cache.size > MAX_CACHED && !oldest.done) cache.delete(oldest.value);
}
