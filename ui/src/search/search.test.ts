import { mockIPC, clearMocks } from "@tauri-apps/api/mocks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LatestRequest } from "../lib/latestRequest";
import { Search } from "./search.svelte";
import type { Hit, SearchResponse } from "../lib/types";

interface Asked {
  query: string;
  mode: string | null;
  offset: number;
  limit: number;
  apart: boolean;
  answer: (...keys: string[]) => void;
  page: (total: number, ...keys: string[]) => void;
  refuse: (message: string, code?: string) => void;
}
let asked: Asked[] = [];

const hit = (key: string): Hit => ({
  key, kind: "issue", source: "acme/app", number: 1, title: [{ text: key, hit: false }], url: null, state: "open",
  state_reason: null, author: null, labels: [], created_at: null, updated_at: null, closed_at: null, comments: 0, passages: [],
  scores: { bm25: 1, cosine: null, signature: null, fused: 1 }, why: "",
});

beforeEach(() => {
  asked = [];
  vi.useFakeTimers();
  mockIPC((_command, payload) => {
    const { query, mode, offset, limit } = (payload as { request: { query: string; mode: string | null; offset: number; limit: number } }).request;
    return new Promise<SearchResponse>((resolve, reject) => {
      const page = (total: number | null, keys: string[]) =>
        resolve({
          query, mode: "hybrid", arms: [], notices: [], conclusive: true, hits: keys.map(hit), total, took_ms: 1,
          coverage: { documents: 1, full_text: 1, chunks: 1, embedded: 1, unread: 0 },
        });
      asked.push({
        query,
        mode,
        offset,
        limit,
        apart: (payload as { apart: boolean }).apart,
        answer: (...keys) => page(null, keys),
        page: (total, ...keys) => page(total, keys),
        refuse: (message, code = "invalid_input") => reject({ code, message, hint: null }),
      });
    });
  });
});

afterEach(() => {
  clearMocks();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const shown = (search: Search) => search.hits.map((h) => h?.key);

it("only the newest request is current", () => {
  const latest = new LatestRequest();
  const first = latest.begin();
  expect(first()).toBe(true);
  const second = latest.begin();
  expect([first(), second()]).toEqual([false, true]);
  latest.invalidate();
  expect(second()).toBe(false);
});

it("searches words first and keeps the selection", async () => {
  const search = new Search();
  search.type("c");
  await pass(10);
  search.type("cr");
  await pass(60);
  expect(asked.map((a) => [a.query, a.mode])).toEqual([["cr", "lexical"]]);
  asked[0]?.answer("a", "b");
  await pass(0);
  expect([shown(search), search.pending]).toEqual([["a", "b"], true]);
  search.move(1);
  search.move(1);
  const generation = search.generation;

  await pass(150);
  expect(asked.map((a) => a.mode)).toEqual(["lexical", null]);
  asked[1]?.answer("b", "c", "a");
  await pass(0);
  expect([shown(search), search.selected, search.pending]).toEqual([["b", "c", "a"], "b", false]);
  expect(search.generation, "the list does not jump to its top").toBe(generation);
});

it("drops stale responses", async () => {
  const search = new Search();
  search.type("one");
  await pass(200);
  search.type("two");
  await pass(200);
  const [oneWords, oneAll, twoWords, twoAll] = asked;
  twoAll?.answer("two");
  await pass(0);
  oneWords?.answer("one");
  oneAll?.answer("one");
  twoWords?.answer("words");
  await pass(0);
  expect(shown(search)).toEqual(["two"]);
});

it("a half-typed query shows no error", async () => {
  const search = new Search();
  search.type('"half');
  await pass(60);
  asked[0]?.refuse("a quote is never closed");
  await pass(0);
  expect(search.failure).toBeNull();
  await pass(200);
  asked[1]?.refuse("a quote is never closed");
  await pass(0);
  expect(search.failure?.message).toBe("a quote is never closed");
});

it("repeats a search that an older one cancelled", async () => {
  const search = new Search();
  search.type("certificate");
  await pass(300);
  const whole = asked.findLast((entry) => entry.mode === null);
  whole?.refuse("cancelled", "cancelled");
  await pass(0);
  expect([search.failure, search.pending]).toEqual([null, true]);
  asked.at(-1)?.answer("a");
  await pass(0);
  expect([search.failure, search.pending, shown(search)]).toEqual([null, false, ["a"]]);
});

it("skips the lexical search with an explicit mode", async () => {
  const search = new Search();
  search.type("mode:semantic slow");
  await pass(300);
  expect(asked.map((a) => a.mode)).toEqual([null]);
});

it("loads more results on request", async () => {
  const search = new Search();
  const keys = Array.from({ length: 120 }, (_, at) => `k${at}`);
  search.set("x");
  await pass(1);
  asked[0]?.answer(...keys.slice(0, 50));
  await pass(0);
  search.moveTo(49);
  expect([asked[0]?.limit, search.cutAt]).toEqual([50, 50]);
  search.loadMore();
  await pass(1);
  asked[1]?.answer(...keys);
  await pass(0);
  expect([asked[1]?.limit, search.cutAt, search.hits.length, search.selected, search.generation]).toEqual([250, null, 120, "k49", 1]);
  // A new query starts with the first limit.
  search.set("y");
  await pass(1);
  expect(asked[2]?.limit).toBe(50);
});

it("the selection stays within the list", async () => {
  const search = new Search();
  expect(search.move(1)).toBeNull();
  search.set("x");
  await pass(1);
  asked[0]?.answer("a", "b", "c");
  await pass(0);
  expect(search.move(-1)?.key).toBe("c");
  expect(search.move(1)?.key).toBe("c");
  expect(search.moveTo(-5)?.key).toBe("a");
});

it("lists all documents and loads visible pages", async () => {
  const search = new Search();
  search.refresh();
  await pass(0);
  asked[0]?.page(1000, "a", "b");
  await pass(0);
  expect([search.isBrowsing, search.hits.length, search.hits[0]?.key, search.hits[2]]).toEqual([true, 1000, "a", undefined]);

  // A visible page prefetches the next two; requested pages are not requested again.
  search.loadRows(0, 20);
  search.loadRows(3, 23);
  await pass(0);
  expect(asked.slice(1).map((a) => a.offset)).toEqual([0, 200]);
  expect(asked.map((a) => a.apart)).toEqual([false, true, true]);
  for (const page of asked.slice(1)) page.page(1000, "a", "b");
  await pass(0);

  expect(asked.slice(3).map((a) => a.offset)).toEqual([400, 600]);

  // A visible page loads at once, and its last row is selected when it arrives.
  expect(search.moveTo(999)).toBe(null);
  await pass(0);
  const last = asked.find((a) => a.offset === 800);
  last?.page(1000, ...Array.from({ length: 200 }, (_, at) => `k${800 + at}`));
  await pass(0);
  expect([search.selected, search.selectedIndex]).toEqual(["k999", 999]);

  // A query with words ends the listing.
  search.set("words");
  await pass(0);
  asked.at(-1)?.answer("x");
  await pass(0);
  expect([search.isBrowsing, shown(search)]).toEqual([false, ["x"]]);
});
