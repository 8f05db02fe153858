import { mockIPC } from "@tauri-apps/api/mocks";
import { beforeEach, expect, it, vi } from "vitest";
import type { SearchResponse, Thread } from "../lib/types";
import { setUpPage } from "../testing/testPage";
import { AppState } from "./appState.svelte";

const thread = (key: string) => ({ key, title: key, kind: "issue", state: "open", state_reason: null, url: null, markdown: "", links: [] }) as unknown as Thread;
const noResults = { hits: [], total: 0, notices: [], took_ms: 1 } as unknown as SearchResponse;

let app: AppState;

setUpPage();
beforeEach(() => {
  vi.useFakeTimers();
  mockIPC((command, payload) => {
    if (command === "thread") return thread((payload as { key: string }).key);
    return command === "search" ? noResults : null;
  });
  document.body.innerHTML = '<main id="main" tabindex="-1"><div role="listbox" aria-label="Reports to review" tabindex="0"></div></main>';
  app = new AppState();
  app.store.open("/casebook");
});

it("back and forward restore view and focus", async () => {
  app.go("triage");
  const list = document.querySelector<HTMLElement>("[role=listbox]");
  list?.focus();
  await app.openDocument("acme/app#1");
  document.getElementById("main")?.focus();
  expect([app.view, app.reader.thread?.key]).toEqual(["search", "acme/app#1"]);
  await app.back();
  expect([app.view, document.activeElement]).toEqual(["triage", list]);
  await app.forward();
  await vi.advanceTimersByTimeAsync(1);
  expect([app.view, app.reader.position?.key]).toEqual(["search", "acme/app#1"]);
});

it("goes back through items and searches", async () => {
  app.search.type("tls");
  await vi.advanceTimersByTimeAsync(3000);
  await app.openDocument("acme/app#1");
  await app.reader.open({ key: "acme/app#2", anchor: null });
  app.search.type("storage");
  const places = [];
  while (app.history.previous) {
    await app.back();
    await vi.advanceTimersByTimeAsync(1);
    places.push(`${app.search.query} ${app.reader.position?.key ?? "-"}`);
  }
  expect(places).toEqual(["tls acme/app#2", "tls acme/app#1", "tls -"]);
});

it("fast typing adds one place to the history", async () => {
  for (const query of ["t", "tl", "tls"]) app.search.type(query);
  await app.openDocument("acme/app#1");
  await app.openDocument("acme/app#1");
  expect(app.history.previous?.query).toBe("tls");
  await app.back();
  expect(app.history.previous).toBe(null);
});

it("remembers read items, not previewed ones", async () => {
  await app.openDocument("acme/app#1");
  const hit = { key: "acme/app#2", passages: [] } as never;
  app.reader.preview(hit);
  await vi.advanceTimersByTimeAsync(500);
  app.reader.preview({ key: "acme/app#3", passages: [] } as never);
  await vi.advanceTimersByTimeAsync(2000);
  expect(app.store.state.recent.map((entry) => entry.key)).toEqual(["acme/app#3", "acme/app#1"]);
});
