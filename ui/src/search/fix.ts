// What settled a report, as far as the thread itself tells it.

import type { Thread } from "../lib/types";
import { short } from "../triage/words";
import { words } from "../words";

const said = words.search.fix;

/** A document beside this thread: its number alone, where it is of the same source. */
const beside = (thread: Thread, key: string) => (key.startsWith(`${thread.source}#`) ? short(key) : key);

export interface Fix {
  /** "Fixed by acme/app#9". */
  words: string;
  /** The document that it leads to; none where it is a comment of this thread. */
  key: string | null;
  anchor: string | null;
}

/** The surest that is there: a merged change, what it is a duplicate of, the accepted answer, a change under way. */
export function fixOf(thread: Thread): Fix | null {
  if (thread.kind !== "issue") return null;
  const changes = thread.links.filter((link) => link.kind === "closes" && !link.outgoing && link.document === "pull_request");
  const merged = changes.find((link) => link.state === "merged");
  if (merged) return { words: said.fixedBy(beside(thread, merged.key)), key: merged.key, anchor: null };
  const original = thread.links.find((link) => link.kind === "duplicate_of" && link.outgoing && link.title !== null);
  if (original) return { words: said.duplicateOf(beside(thread, original.key)), key: original.key, anchor: null };
  const answer = thread.comments.find((comment) => comment.association?.toUpperCase() === "ANSWER");
  if (answer) return { words: said.answer, key: null, anchor: answer.anchor };
  const proposed = thread.state === "open" ? changes.find((link) => link.state === "open") : undefined;
  return proposed ? { words: said.proposedIn(beside(thread, proposed.key)), key: proposed.key, anchor: null } : null;
}
