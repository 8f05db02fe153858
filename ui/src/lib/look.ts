// What a document's state looks like: a shape, a colour and a word, so that none of the three is needed alone.

import type { DocKind, LinkView, State } from "./types";

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
  if (kind === "note") return { shape: "note", words: "Note" };
  if (kind === "page") return { shape: "page", words: "Wiki page" };
  if (kind === "pull_request") {
    if (state === "merged") return { shape: "merged", words: "Merged" };
    if (state === "closed") return { shape: "pr-closed", words: "Closed without a merge" };
    return { shape: "pr-open", words: "Open" };
  }
  if (state !== "closed") return { shape: "open", words: reason === "reopened" ? "Reopened" : "Open" };
  switch (reason) {
    case "not_planned":
      return { shape: "not-planned", words: "Closed as not planned" };
    case "duplicate":
      return { shape: "duplicate", words: "Closed as duplicate" };
    case "completed":
      return { shape: "completed", words: "Closed as completed" };
    case null:
      return { shape: "completed", words: "Closed" };
    default:
      return { shape: "completed", words: `Closed: ${reason.replaceAll("_", " ")}` };
  }
}

/** "Issue", "Pull request", "Wiki page". */
export const KINDS: Record<DocKind, string> = { issue: "Issue", pull_request: "Pull request", page: "Wiki page", note: "Note" };

/** What a link leads to; where the mirror lacks it, its key tells a page from an item. */
export function linkKind(link: LinkView): DocKind {
  return link.document ?? (link.key.includes("#") ? "issue" : "page");
}
