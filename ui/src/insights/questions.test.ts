import { mockIPC } from "@tauri-apps/api/mocks";
import { beforeEach, expect, it, vi } from "vitest";
import type { Cluster, ClusterMember, Disposition, Hit, TriageItem } from "../lib/types";
import { Desk } from "../shell/desk.svelte";
import { page, rest, show } from "../stories/page";
import InsightsView from "./InsightsView.svelte";

const hit = (number: number, updated_at: string): Hit => ({
  key: `acme/app#${number}`, kind: "issue", source: "acme/app", number, title: [{ text: `Report ${number}`, hit: false }], url: null, state: "open",
  state_reason: null, author: null, labels: [], created_at: null, updated_at, closed_at: null, comments: 0, passages: [],
  scores: { bm25: null, cosine: null, signature: null, fused: 1 }, why: "",
});
const waiting = (number: number, disposition: Disposition): TriageItem => ({
  key: `acme/app#${number}`, title: `Report ${number}`, url: null, created_at: null,
  candidate: {
    key: "acme/app#1", number: 1, title: "", url: null, state: "closed", state_reason: null, created_at: null,
    similarity: { title: 0, body: 0, semantic: null, combined: 0 }, confidence: 0.8, worth: 0.9, band: "likely", outcome: null, disposition,
    canonical: null, reasons: [], verdict: null,
  },
});
const member = (key: string): ClusterMember => ({ key, title: `Title of ${key}`, url: null, open: true, created_at: null, known: true, confidence: 1, via: null });
const cluster: Cluster = {
  head: member("acme/app#3"), members: [member("acme/app#4")], size: 2, open: 2, words: ["upload", "bundle"], months: [], recent: 1, before: 0,
};

let desk: Desk;
let asked: { query: string; offset: number }[];
let triaged: { include_closed: boolean; band: string; queue_only: boolean }[];
let refuse: boolean;

const section = (id: string) => [...document.querySelectorAll(`section[aria-labelledby=${id}] .row`)].map((row) => row.textContent.replace(/\s+/g, " ").trim());
const press = (label: string) => document.querySelector<HTMLElement>(`button[aria-label^="${label}"]`)?.click();

page();
beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-06-01T12:00:00Z"), toFake: ["Date"] });
  [asked, triaged, refuse] = [[], [], false];
  mockIPC((command, payload) => {
    const request = (payload as { request?: Record<string, unknown> }).request ?? {};
    if (command === "search") {
      const query = String(request["query"]);
      asked.push({ query, offset: Number(request["offset"]) });
      if (query.includes("reason:reopened")) return { hits: [hit(9, "2026-05-01T00:00:00Z")], total: 1, notices: [] };
      if (query.includes("created:<")) return { hits: [], total: query.includes("2025") ? 4 : 11, notices: [] };
      const tail = Number(request["offset"]) > 0;
      return { hits: tail ? [hit(8, "2026-01-01T00:00:00Z"), hit(7, "2024-06-01T00:00:00Z")] : [], total: 40, notices: [] };
    }
    if (command === "triage_queue") {
      triaged.push(request as (typeof triaged)[number]);
      if (refuse) throw { code: "busy", message: "The casebook is busy", hint: null };
      const queue = [waiting(5, "open"), waiting(6, { possible_regression: "2.4" })];
      return { queue, related: [], waiting: 2, related_waiting: 0, closed_left_out: 0, unscanned: 3, scanned: 0, expected: 1, notices: [], took_ms: 1 };
    }
    if (command === "clusters") return { clusters: [cluster], open: 2, total: 1, unscanned: 0, took_ms: 1 };
    if (command === "insights") {
      return {
        months: [{ month: "2026-05", opened: 3, closed: 0, duplicates: 1 }],
        sources: [{ source: "acme/app", issues: 50, open: 40, duplicates: 5, median_days: 3 }],
      };
    }
    return null;
  });
  desk = new Desk();
  desk.go("insights");
  show(InsightsView, { desk });
  await rest();
});

it("tells which open reports wait longest: by age, and those that nothing has happened to", () => {
  expect(section("waits-longest")).toEqual([
    "11 open for more than a month", "11 open for more than three months", "4 open for more than a year",
    "Report 7 2y", "Report 8 4mo",
  ]);
  // The last of them are at the end of the list of all.
  expect(asked).toContainEqual({ query: "is:issue is:open", offset: 35 });
});

it("opens the list of a number in Search", async () => {
  press("4 reports open for more than a year");
  expect([desk.view, desk.search.query]).toEqual(["search", "is:issue is:open created:<2025-06-01"]);
  desk.view = "insights";
  press("Open: 40");
  expect([desk.view, desk.search.query]).toEqual(["search", "is:issue is:open"]);
  desk.view = "insights";
  const table = document.querySelector<HTMLDetailsElement>("figure details");
  if (table) table.open = true;
  await rest();
  press("3 reported, May 2026");
  expect(desk.search.query).toBe("is:issue created:2026-05");
});

it("tells which fixes did not hold, and opens such a pair in Triage with closed reports", async () => {
  expect(section("did-not-hold")).toEqual([
    "1 was closed and reopened", "Report 9 1mo", "1 looks like something fixed earlier", "Report 6 like #1",
  ]);
  expect(triaged[0]).toMatchObject({ include_closed: true, queue_only: true });
  press("1 report reopened");
  expect(desk.search.query).toBe("is:issue is:open reason:reopened");
  press("1 report like something fixed earlier");
  await rest();
  expect([desk.view, desk.triage.includeClosed, desk.triage.selected]).toEqual(["triage", true, "acme/app#6"]);
});

it("tells what comes back most, and shows the reports behind the number", async () => {
  expect(section("comes-back")).toEqual(["2 upload · bundle 1 in 30 days"]);
  press("2 reports: upload");
  await rest();
  expect(document.activeElement?.textContent).toContain("acme/app#3");
  [...document.querySelectorAll<HTMLElement>(".one button")].find((one) => one.textContent.includes("Search for its words"))?.click();
  expect(desk.search.query).toBe("upload bundle is:issue");
});

it("asks about one source alone where one is chosen", async () => {
  desk.insights.choose("acme/app");
  await rest();
  expect(asked.at(-1)?.query).toBe("is:issue is:open source:acme/app");
});

it("says what failed beside what it has, and asks again", async () => {
  refuse = true;
  await desk.insights.questions.load(null);
  await rest();
  expect(document.querySelector(".questions [role=alert]")?.textContent).toContain("The casebook is busy");
  refuse = false;
  document.querySelector<HTMLElement>(".questions [role=alert] button")?.click();
  await rest();
  expect(document.querySelector(".questions [role=alert]")).toBe(null);
});
