import { expect, test } from "vitest";

import { outcome } from "./closing.svelte";

test("what came of a report is told with the reason", () => {
  const record = {
    key: "acme/app#2",
    canonical: "acme/app#1",
    step: "closed" as const,
    comment_url: null,
    problem: null,
    actor: "ann",
    began_at: "2026-01-01T00:00:00Z",
    changed_at: "2026-01-01T00:00:00Z",
  };
  expect(outcome(record)).toBe("Closed");
  expect(outcome({ ...record, step: "refused", problem: "it was closed meanwhile" })).toBe("Left unchanged: it was closed meanwhile");
});
