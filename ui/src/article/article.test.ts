import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, it } from "vitest";
import type { ArticleRequest } from "../lib/types";
import { ArticleDraft } from "./article.svelte";

afterEach(() => clearMocks());

const settle = () => new Promise((resolve) => setTimeout(resolve, 0));

it("shows and saves the article", async () => {
  const requests: [string, boolean][] = [];
  mockIPC((command, payload) => {
    if (command === "prose") return ["<h1>Pump stops</h1>"];
    const { request } = payload as { request: ArticleRequest };
    requests.push([command, request.redact]);
    if (command === "store_article") return { outcome: "stored", note: { key: "note#3" }, matches: [], warning: null };
    return { key: request.key, title: "Pump stops", sections: [], missing: ["cause"], redactions: 0, markdown: "# Pump stops", html: "", stored: [] };
  });
  let savedCount = 0;
  const draft = new ArticleDraft(() => savedCount++);
  draft.start("acme/app#1");
  await settle();
  expect([draft.article?.missing, draft.html, draft.pending]).toEqual([["cause"], "<h1>Pump stops</h1>", false]);
  draft.setRedaction(false);
  await settle();
  await Promise.all([draft.save(), draft.save()]);
  expect(requests).toEqual([["article", true], ["article", false], ["store_article", false]]);
  expect([draft.message, savedCount]).toEqual(["Saved as note#3.", 1]);
});

it("shows why no article can be written", async () => {
  mockIPC(() => {
    throw { code: "invalid_input", message: "nothing to write yet", hint: null };
  });
  const draft = new ArticleDraft(() => {});
  draft.start("acme/app#9");
  await settle();
  expect([draft.article, draft.failure?.message]).toEqual([null, "nothing to write yet"]);
});
