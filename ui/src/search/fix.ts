// The fix for a report, according to its thread.

import type { Thread } from "../lib/types";
import { shortKey } from "../triage/labels";
import { words } from "../words";

const texts = words.search.fix;

/** Returns a key, shortened to its number within the same source. */
const localKey = (thread: Thread, key: string) => (key.startsWith(`${thread.source}#`) ? shortKey(key) : key);

export interface Fix {
  /** "Fixed by acme/app#9". */
  label: string;
  /** The document that it links to; `null` for a comment of this thread. */
  key: string | null;
  anchor: string | null;
}

/** Returns the best evidence: a merged change, the original, an accepted answer or a proposed change. */
export function fixOf(thread: Thread): Fix | null {
  if (thread.kind !== "issue") return null;
  const changes = thread.links.filter((link) => link.kind === "closes" && !link.outgoing && link.document === "pull_request");
  const mergedChange = changes.find((link) => link.state === "merged");
  if (mergedChange) return { label: texts.fixedBy(localKey(thread, mergedChange.key)), key: mergedChange.key, anchor: null };
  const original = thread.links.find((link) => link.kind === "duplicate_of" && link.outgoing && link.title !== null);
  if (original) return { label: texts.duplicateOf(localKey(thread, original.key)), key: original.key, anchor: null };
  const answer = thread.comments.find((comment) => comment.association?.toUpperCase() === "ANSWER");
  if (answer) return { label: texts.answer, key: null, anchor: answer.anchor };
  const proposedChange = thread.state === "open" ? changes.find((link) => link.state === "open") : undefined;
  return proposedChange ? { label: texts.proposedIn(localKey(thread, proposedChange.key)), key: proposedChange.key, anchor: null } : null;
}
