import { expect, it } from "vitest";
import { openWindow, setUpPage, press, settle, text } from "../testing/testPage";
import { hit } from "../testing/samples";
import { nextOrder, sortHits } from "./sort";

setUpPage();

const hitWith = (number: number, created: string | null, updated: string | null, comments: number) => ({ ...hit("plain", number), created_at: created, updated_at: updated, comments });

it("sorting is stable", () => {
  const hits = [hitWith(1, "2026-01-01", "2026-03-03", 2), hitWith(2, null, null, 2), hitWith(3, "2026-02-02", "2026-02-02", 9)];
  const numbers = (order: Parameters<typeof sortHits>[1]) => sortHits(hits, order).map((entry) => entry.number);
  expect([numbers("best"), numbers("newest"), numbers("changed"), numbers("comments")]).toEqual([[1, 2, 3], [3, 1, 2], [1, 3, 2], [3, 1, 2]]);
  expect([nextOrder("best"), nextOrder("comments")]).toEqual(["newest", "best"]);
});

it("the sort order survives a restart", async () => {
  let app = await openWindow("full");
  app.search.set("certificate");
  await settle();
  const heading = () => text(".results h2");
  const comments = () => app.search.hits.map((entry) => entry?.comments ?? 0);
  expect(heading()).toBe("24 results");
  app.search.selected = "acme/app#3";
  document.querySelector<HTMLElement>("#results")?.focus();
  for (let index = 0; index < 3; index++) press("s");
  await settle();
  expect([heading(), app.search.selectedHit?.key]).toEqual(["24 results", "acme/app#3"]);
  expect(comments()).toEqual(comments().toSorted((a, b) => b - a));
  expect(document.querySelector<HTMLElement>("#results .hit .title")).not.toBe(null);
  app = await openWindow("full");
  app.search.set("certificate");
  await settle();
  expect([app.search.sort, heading()]).toEqual(["comments", "24 results"]);
});

it("partially loaded lists are not sorted", async () => {
  const app = await openWindow("full");
  app.search.sort = "newest";
  await settle();
  expect([app.search.canSort, app.search.isSorted, document.querySelector(".results header select")]).toEqual([false, false, null]);
  expect(text(".results h2")).toBe("400 documents, most recently updated first");
});
