// What a document's state looks like: a shape, a colour and a word, so that none of the three is needed alone.

import { words } from "../words";
import type { DocKind, LinkView, State } from "./types";

const { states } = words.shared;

/** "Issue", "Pull request", "Wiki page". */
export const KINDS: Record<DocKind, string> = words.shared.kinds;

export type Shape =
  | "open"
  | "completed"
  | "not-planned"
  | "duplicate"
  | "pr-open"
  | "pr-closed"
  | "merged"
  | "page"
  | "note";

export interface Look {
  shape: Shape;
  /** "Closed as not planned". */
  words: string;
}

export function look(kind: DocKind, state: State | null, reason: string | null): Look {
  if (kind === "note") return { shape: "note", words: KINDS.note };
  if (kind === "page") return { shape: "page", words: KINDS.page };
  if (kind === "pull_request") {
    if (state === "merged") return { shape: "merged", words: states.merged };
    if (state === "closed") return { shape: "pr-closed", words: states.notMerged };
    return { shape: "pr-open", words: states.open };
  }
  if (state !== "closed") return { shape: "open", words: reason === "reopened" ? states.reopened : states.open };
  switch (reason) {
    case "not_planned":
      return { shape: "not-planned", words: states.notPlanned };
    case "duplicate":
      return { shape: "duplicate", words: states.duplicate };
    case "completed":
      return { shape: "completed", words: states.completed };
    case null:
      return { shape: "completed", words: states.closed };
    default:
      return { shape: "completed", words: states.closedAs(reason.replaceAll("_", " ")) };
  }
}

/** What a link leads to; where the mirror lacks it, its key tells a page from an item. */
export function linkKind(link: LinkView): DocKind {
  return link.document ?? (link.key.includes("#") ? "issue" : "page");
}
