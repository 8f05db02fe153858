// The display of a document's state: a shape, a color and a label, each sufficient alone.

import { words } from "../words";
import type { DocKind, LinkView, State } from "./types";

const { kinds, states } = words.shared;

export type Shape = "open" | "completed" | "not-planned" | "duplicate" | "pr-open" | "pr-closed" | "merged" | "page" | "note";

interface StateDisplay {
  shape: Shape;
  /** "Closed as not planned". */
  label: string;
}

/** The reasons for closing that are shown in their own way. */
const CLOSED: Record<string, StateDisplay> = {
  not_planned: { shape: "not-planned", label: states.notPlanned },
  duplicate: { shape: "duplicate", label: states.duplicate },
  completed: { shape: "completed", label: states.completed },
};

export function stateDisplay(kind: DocKind, state: State | null, reason: string | null): StateDisplay {
  if (kind === "note") return { shape: "note", label: kinds.note };
  if (kind === "page") return { shape: "page", label: kinds.page };
  if (kind === "pull_request") {
    if (state === "merged") return { shape: "merged", label: states.merged };
    if (state === "closed") return { shape: "pr-closed", label: states.notMerged };
    return { shape: "pr-open", label: states.open };
  }
  if (state !== "closed") return { shape: "open", label: reason === "reopened" ? states.reopened : states.open };
  if (reason === null) return { shape: "completed", label: states.closed };
  return CLOSED[reason] ?? { shape: "completed", label: states.closedAs(reason.replaceAll("_", " ")) };
}

/** Returns what a link leads to, guessed from its key if it is not mirrored. */
export function linkKind(link: LinkView): DocKind {
  return link.document ?? (link.key.includes("#") ? "issue" : "page");
}
