import { expect, it } from "vitest";
import { linkKind, stateDisplay } from "./stateDisplay";

it("every state has a shape and label", () => {
  expect(
    ([
      ["issue", "open", null],
      ["issue", "open", "reopened"],
      ["issue", "closed", null],
      ["issue", "closed", "completed"],
      ["issue", "closed", "not_planned"],
      ["issue", "closed", "duplicate"],
      ["issue", "closed", "wont_fix"],
      ["pull_request", "open", null],
      ["pull_request", "closed", null],
      ["pull_request", "merged", null],
      ["page", null, null],
    ] as const).map(([kind, state, reason]) => Object.values(stateDisplay(kind, state, reason)).join(": ")),
  ).toEqual([
    "open: Open",
    "open: Reopened",
    "completed: Closed",
    "completed: Closed as completed",
    "not-planned: Closed as not planned",
    "duplicate: Closed as duplicate",
    "completed: Closed: wont fix",
    "pr-open: Open",
    "pr-closed: Closed without merging",
    "merged: Merged",
    "page: Wiki page",
  ]);
});

it("guesses what a link leads to", () => {
  const link = { kind: "closes", outgoing: false, key: "a/b#4", document: "pull_request" as const, title: "x", state: "open" as const };
  expect([linkKind(link), linkKind({ ...link, document: null }), linkKind({ ...link, document: null, key: "a/b:Page" })]).toEqual([
    "pull_request", "issue", "page",
  ]);
});
