import { mockIPC } from "@tauri-apps/api/mocks";
import { beforeEach, expect, it, vi } from "vitest";
import type { SearchResponse, Thread } from "../lib/types";
import { page } from "../stories/page";
import { Desk } from "./desk.svelte";

const thread = (key: string) => ({ key, title: key, kind: "issue", state: "open", state_reason: null, url: null, markdown: "", links: [] }) as unknown as Thread;
const nothing = { hits: [], total: 0, notices: [], took_ms: 1 } as unknown as SearchResponse;

let desk: Desk;

page();
beforeEach(() => {
  vi.useFakeTimers();
  mockIPC((command, payload) => {
    if (command === "thread") return thread((payload as { key: string }).key);
    return command === "search" ? nothing : null;
  });
  document.body.innerHTML = '<main id="main" tabindex="-1"><div role="listbox" aria-label="Reports to review" tabindex="0"></div></main>';
  desk = new Desk();
  desk.shelf.open("/casebook");
});

it("goes back from an item to the view that it was opened in, with the focus where it was, and forward again", async () => {
  desk.go("triage");
  const list = document.querySelector<HTMLElement>("[role=listbox]");
  list?.focus();
  await desk.read("acme/app#1");
  document.getElementById("main")?.focus();
  expect([desk.view, desk.reader.thread?.key]).toEqual(["search", "acme/app#1"]);
  await desk.back();
  expect([desk.view, document.activeElement]).toEqual(["triage", list]);
  await desk.forward();
  await vi.advanceTimersByTimeAsync(1);
  expect([desk.view, desk.reader.place?.key]).toEqual(["search", "acme/app#1"]);
});

it("goes back over items and searches in the order in which they were opened", async () => {
  desk.search.type("tls");
  await vi.advanceTimersByTimeAsync(3000);
  await desk.read("acme/app#1");
  await desk.reader.open({ key: "acme/app#2", anchor: null });
  desk.search.type("storage");
  const places = [];
  while (desk.history.last) {
    await desk.back();
    await vi.advanceTimersByTimeAsync(1);
    places.push(`${desk.search.query} ${desk.reader.place?.key ?? "-"}`);
  }
  expect(places).toEqual(["tls acme/app#2", "tls acme/app#1", "tls -"]);
});

it("makes no step of what is typed at one go, and none of where it is", async () => {
  for (const query of ["t", "tl", "tls"]) desk.search.type(query);
  await desk.read("acme/app#1");
  await desk.read("acme/app#1");
  expect(desk.history.last?.asked).toBe("tls");
  await desk.back();
  expect(desk.history.last).toBe(null);
});

it("remembers what was read, but not what was only passed by", async () => {
  await desk.read("acme/app#1");
  const hit = { key: "acme/app#2", passages: [] } as never;
  desk.reader.preview(hit);
  await vi.advanceTimersByTimeAsync(500);
  desk.reader.preview({ key: "acme/app#3", passages: [] } as never);
  await vi.advanceTimersByTimeAsync(2000);
  expect(desk.shelf.kept.recent.map((one) => one.key)).toEqual(["acme/app#3", "acme/app#1"]);
});
