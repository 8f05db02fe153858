import { mockIPC, clearMocks } from "@tauri-apps/api/mocks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { LatestRequest } from "../lib/latestRequest";
import { Search } from "./search.svelte";
import type { Hit, SearchResponse } from "../lib/types";

interface PendingRequest {
  query: string;
  mode: string | null;
  offset: number;
  limit: number;
  apart: boolean;
  answer: (...keys: string[]) => void;
  page: (total: number, ...keys: string[]) => void;
  fail: (message: string, code?: string) => void;
}
let requests: PendingRequest[] = [];

const hit = (key: string): Hit => ({
  key, kind: "issue", source: "acme/app", number: 1, title: [{ text: key, hit: false }], url: null, state: "open",
  state_reason: null, author: null, labels: [], created_at: null, updated_at: null, closed_at: null, comments: 0, passages: [],
  scores: { bm25: 1, cosine: null, signature: null, fused: 1 }, why: "",
});

beforeEach(() => {
  requests = [];
  vi.useFakeTimers();
  mockIPC((_command, payload) => {
    const { query, mode, offset, limit } = (payload as { request: { query: string; mode: string | null; offset: number; limit: number } }).request;
    return new Promise<SearchResponse>((resolve, reject) => {
      const page = (total: number | null, keys: string[]) =>
        resolve({
          query, mode: "hybrid", arms: [], notices: [], conclusive: true, hits: keys.map(hit), total, took_ms: 1,
          coverage: { documents: 1, full_text: 1, chunks: 1, embedded: 1, unread: 0 },
        });
      requests.push({
        query,
        mode,
        offset,
        limit,
        apart: (payload as { apart: boolean }).apart,
        answer: (...keys) => page(null, keys),
        page: (total, ...keys) => page(total, keys),
        fail: (message, code = "invalid_input") => reject({ code, message, hint: null }),
      });
    });
  });
});

afterEach(() => {
  clearMocks();
  vi.useRealTimers();
});

const advance = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const resultKeys = (search: Search) => search.hits.map((h) => h?.key);

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
  await advance(10);
  search.type("cr");
  await advance(60);
  expect(requests.map((a) => [a.query, a.mode])).toEqual([["cr", "lexical"]]);
  requests[0]?.answer("a", "b");
  await advance(0);
  expect([resultKeys(search), search.pending]).toEqual([["a", "b"], true]);
  search.move(1);
  search.move(1);
  const generation = search.generation;

  await advance(150);
  expect(requests.map((a) => a.mode)).toEqual(["lexical", null]);
  requests[1]?.answer("b", "c", "a");
  await advance(0);
  expect([resultKeys(search), search.selected, search.pending]).toEqual([["b", "c", "a"], "b", false]);
  expect(search.generation, "the list does not jump to its top").toBe(generation);
});

it("drops stale responses", async () => {
  const search = new Search();
  search.type("one");
  await advance(200);
  search.type("two");
  await advance(200);
  const [oneWords, oneAll, twoWords, twoAll] = requests;
  twoAll?.answer("two");
  await advance(0);
  oneWords?.answer("one");
  oneAll?.answer("one");
  twoWords?.answer("words");
  await advance(0);
  expect(resultKeys(search)).toEqual(["two"]);
});

it("a half-typed query shows no error", async () => {
  const search = new Search();
  search.type('"half');
  await advance(60);
  requests[0]?.fail("a quote is never closed");
  await advance(0);
  expect(search.failure).toBeNull();
  await advance(200);
  requests[1]?.fail("a quote is never closed");
  await advance(0);
  expect(search.failure?.message).toBe("a quote is never closed");
});

it("repeats a search that an older one canceled", async () => {
  const search = new Search();
  search.type("certificate");
  await advance(300);
  const fullSearch = requests.findLast((entry) => entry.mode === null);
  fullSearch?.fail("cancelled", "cancelled");
  await advance(0);
  expect([search.failure, search.pending]).toEqual([null, true]);
  requests.at(-1)?.answer("a");
  await advance(0);
  expect([search.failure, search.pending, resultKeys(search)]).toEqual([null, false, ["a"]]);
});

it("skips the lexical search with an explicit mode", async () => {
  const search = new Search();
  search.type("mode:semantic slow");
  await advance(300);
  expect(requests.map((a) => a.mode)).toEqual([null]);
});

it("loads more results on request", async () => {
  const search = new Search();
  const keys = Array.from({ length: 120 }, (_, index) => `k${index}`);
  search.set("x");
  await advance(1);
  requests[0]?.answer(...keys.slice(0, 50));
  await advance(0);
  search.moveTo(49);
  expect([requests[0]?.limit, search.cutAt]).toEqual([50, 50]);
  search.loadMore();
  await advance(1);
  requests[1]?.answer(...keys);
  await advance(0);
  expect([requests[1]?.limit, search.cutAt, search.hits.length, search.selected, search.generation]).toEqual([250, null, 120, "k49", 1]);
  // A new query starts with the first limit.
  search.set("y");
  await advance(1);
  expect(requests[2]?.limit).toBe(50);
});

it("the selection stays within the list", async () => {
  const search = new Search();
  expect(search.move(1)).toBeNull();
  search.set("x");
  await advance(1);
  requests[0]?.answer("a", "b", "c");
  await advance(0);
  expect(search.move(-1)?.key).toBe("c");
  expect(search.move(1)?.key).toBe("c");
  expect(search.moveTo(-5)?.key).toBe("a");
});

it("lists all documents and loads visible pages", async () => {
  const search = new Search();
  search.refresh();
  await advance(0);
  requests[0]?.page(1000, "a", "b");
  await advance(0);
  expect([search.isBrowsing, search.hits.length, search.hits[0]?.key, search.hits[2]]).toEqual([true, 1000, "a", undefined]);

  // The visible page loads with the next one; requested pages are not requested again.
  search.loadRows(0, 20);
  search.loadRows(3, 23);
  await advance(0);
  expect(requests.slice(1).map((a) => a.offset)).toEqual([0, 200]);
  expect(requests.map((a) => a.apart)).toEqual([false, true, true]);
  for (const page of requests.slice(1)) page.page(1000, "a", "b");
  await advance(0);

  expect(requests.slice(3).map((a) => a.offset)).toEqual([400, 600]);

  // A visible page loads at once, and its last row is selected when it arrives.
  expect(search.moveTo(999)).toBe(null);
  await advance(0);
  const last = requests.find((a) => a.offset === 800);
  last?.page(1000, ...Array.from({ length: 200 }, (_, index) => `k${800 + index}`));
  await advance(0);
  expect([search.selected, search.selectedIndex]).toEqual(["k999", 999]);

  // A query with words ends the listing.
  search.set("words");
  await advance(0);
  requests.at(-1)?.answer("x");
  await advance(0);
  expect([search.isBrowsing, resultKeys(search)]).toEqual([false, ["x"]]);
});
