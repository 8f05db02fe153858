// What the engine has said of documents, by their keys: whoever shows one need not know who asked for it.

import { plain } from "./text";
import type { DocKind, Hit, State } from "./types";

/** What is learnt of a document; what was not said of it is not there. */
export interface Learnt {
  title?: string;
  kind?: DocKind;
  state?: State | null;
  state_reason?: string | null;
  url?: string | null;
}

/** Those heard of last are kept. */
const KEPT = 4000;
/** Nothing of a document lies deeper in an answer. */
const DEEPEST = 6;
const known = new Map<string, Learnt>();

export function learnt(key: string): Learnt {
  return known.get(key) ?? {};
}

/** Learns what an answer says of documents, and passes it on. */
export function learn<T>(answer: T, depth = 0): T {
  if (typeof answer !== "object" || answer === null || depth > DEEPEST) return answer;
  if (Array.isArray(answer)) {
    for (const one of answer) learn(one, depth + 1);
    return answer;
  }
  const one = answer as Record<string, unknown>;
  const { key, title } = one;
  if (typeof key === "string" && /[#:]/.test(key) && (typeof title === "string" || Array.isArray(title))) take(key, one);
  for (const part of Object.values(one)) if (typeof part === "object") learn(part, depth + 1);
  return answer;
}

function take(key: string, one: Record<string, unknown>): void {
  const title = typeof one["title"] === "string" ? one["title"] : plain(one["title"] as Hit["title"]);
  const said: Learnt = { title };
  if (one["kind"] === "issue" || one["kind"] === "pull_request" || one["kind"] === "page" || one["kind"] === "note") said.kind = one["kind"];
  if ("state" in one) Object.assign(said, { state: one["state"], state_reason: one["state_reason"] ?? null });
  else if (typeof one["open"] === "boolean") said.state = one["open"] ? "open" : "closed";
  if (typeof one["url"] === "string") said.url = one["url"];
  const all = { ...known.get(key), ...said };
  known.delete(key);
  known.set(key, all);
  const oldest = known.keys().next();
  if (known.size > KEPT && !oldest.done) known.delete(oldest.value);
}
