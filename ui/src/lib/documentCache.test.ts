import { expect, it } from "vitest";
import { cacheDocuments, cachedDocument } from "./documentCache";

it("merges fields of a document from several responses", () => {
  cacheDocuments({ hits: [{ key: "acme/app#1", kind: "issue", title: [{ text: "Pump ", hit: false }, { text: "stops", hit: true }], url: "https://t.example/1", state: "open" }] });
  cacheDocuments({ queue: [{ candidate: { key: "acme/app#1", title: "Pump stops", state: "closed", state_reason: "completed" } }] });
  expect(cachedDocument("acme/app#1")).toEqual({ kind: "issue", title: "Pump stops", url: "https://t.example/1", state: "closed", state_reason: "completed" });
  expect(cachedDocument("acme/app#2")).toEqual({});
});
