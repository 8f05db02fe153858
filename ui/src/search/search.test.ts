import { mockIPC, clearMocks } from "@tauri-apps/api/mocks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Latest } from "../lib/latest";
import { Search } from "./search.svelte";
import type { Hit, SearchResponse } from "../lib/types";

interface Asked {
  query: string;
  mode: string | null;
  answer: (...keys: string[]) => void;
  refuse: (message: string) => void;
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
    const { query, mode } = (payload as { request: { query: string; mode: string | null } }).request;
    return new Promise<SearchResponse>((resolve, reject) => {
      asked.push({
        query,
        mode,
        answer: (...keys) =>
          resolve({
            query, mode: "hybrid", arms: [], notices: [], hits: keys.map(hit), took_ms: 1,
            coverage: { documents: 1, full_text: 1, chunks: 1, embedded: 1 },
          }),
        refuse: (message) => reject({ code: "invalid_input", message, hint: null }),
      });
    });
  });
});

afterEach(() => {
  clearMocks();
  vi.useRealTimers();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const shown = (search: Search) => search.hits.map((h) => h.key);

it("only the newest ticket is current", () => {
  const latest = new Latest();
  const first = latest.begin();
  expect(first()).toBe(true);
  const second = latest.begin();
  expect([first(), second()]).toEqual([false, true]);
  latest.forget();
  expect(second()).toBe(false);
});

it("asks for words first, then for everything, and keeps the mark where it is", async () => {
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

it("drops stale answers, in whatever order they come", async () => {
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

it("does not complain about a query that is half typed", async () => {
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

it("leaves the ranking to a query that names it", async () => {
  const search = new Search();
  search.type("mode:semantic slow");
  await pass(300);
  expect(asked.map((a) => a.mode)).toEqual([null]);
});

it("moves within its bounds", async () => {
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
