// The display of a document's state: a shape, a color and a label, each sufficient alone.

import { words } from "../words";
import type { DocKind, LinkView, State } from "./types";

const { kinds, states } = words.shared;

type Shape =
  | "open"
  | "completed"
  | "not-planned"
  | "duplicate"
  | "pr-open"
  | "pr-closed"
  | "merged"
  | "page"
  | "note";

interface StateDisplay {
  shape: Shape;
  /** "Closed as not planned". */
  label: string;
}

export function stateDisplay(kind: DocKind, state: State | null, reason: string | null): StateDisplay {
  if (kind === "note") return { shape: "note", label: kinds.note };
  if (kind === "page") return { shape: "page", label: kinds.page };
  if (kind === "pull_request") {
    if (state === "merged") return { shape: "merged", label: states.merged };
    if (state === "closed") return { shape: "pr-closed", label: states.notMerged };
    return { shape: "pr-open", label: states.open };
  }
  if (state !== "closed") return { shape: "open", label: reason === "reopened" ? states.reopened : states.open };
  switch (reason) {
    case "not_planned":
      return { shape: "not-planned", label: states.notPlanned };
    case "duplicate":
      return { shape: "duplicate", label: states.duplicate };
    case "completed":
      return { shape: "completed", label: states.completed };
    case null:
      return { shape: "completed", label: states.closed };
    default:
      return { shape: "completed", label: states.closedAs(reason.replaceAll("_", " ")) };
  }
}

/** Returns what a link leads to, guessed from its key if it is not mirrored. */
export function linkKind(link: LinkView): DocKind {
  return link.document ?? (link.key.includes("#") ? "issue" : "page");
}
