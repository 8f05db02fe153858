import { expect, it } from "vitest";
import type { MirrorView, SourceView, Status } from "../lib/types";
import { figures, freshness } from "./freshness";

const NOW = Date.parse("2026-05-01T12:00:00Z");
const source = { key: "acme/app", issues: 3, pull_requests: 0, pages: 0, comments: 1, added_at: "2026-05-01T00:00:00Z", changed_at: null } as SourceView;
const status = (sources = [source]): Status => ({
  casebook: "/casebook", coverage: { documents: 3, full_text: 3, chunks: 5, embedded: 5, unread: 0 }, database_bytes: 1, full_text_bytes: 1,
  vector_bytes: 1, model: { name: "m", next: null, problem: null }, read_only: null, sources,
});
const mirror = (synced_at: string | null) => ({ synced_at }) as MirrorView;

it("shows the oldest sync", () => {
  const mirrors = [mirror("2026-05-01T11:58:00Z"), mirror("2026-05-01T11:00:00Z")];
  expect(freshness(status(), mirrors.slice(0, 1), false, false, NOW)).toBe("Up to date · 2 minutes ago");
  expect(freshness(status(), mirrors, false, false, NOW)).toBe("Up to date · 1 hour ago");
  expect(freshness(status(), [...mirrors, mirror(null)], false, false, NOW)).toBe("Up to date · never synced");
  // Imported files have no sync time.
  expect(freshness(status(), [], false, false, NOW)).toBe("Up to date");
});

it("shows running updates and an incomplete index", () => {
  expect(freshness(status(), [], false, true, NOW)).toBe("The search index is incomplete");
  expect(freshness(status(), [], true, true, NOW)).toBe("Updating");
  expect(freshness(status([]), [], false, false, NOW)).toBe("Empty casebook");
});

it("lists the figures on request", () => {
  const details = figures(status());
  expect(details.slice(0, 2)).toEqual(["3 of 3 documents searchable by keyword", "5 of 5 passages searchable by meaning"]);
  expect([details[2]?.startsWith("acme/app: 3 issues, 1 comment, updated"), details[3]]).toEqual([true, "/casebook"]);
});
