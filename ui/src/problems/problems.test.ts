import { mockIPC } from "@tauri-apps/api/mocks";
import { beforeEach, expect, it, vi } from "vitest";
import type { ListedProblem, ProblemReport, ProblemsRequest, ProblemsResponse } from "../lib/types";
import { AppState } from "../shell/appState.svelte";
import { button, setUpPage, press, settle, mountComponent, text } from "../testing/testPage";
import { thread, triageItem } from "../testing/samples";
import { sortProblems, threadPeople, statusLabel, reportTrend, nextUndecided } from "./problems.svelte";
import ProblemsView from "./ProblemsView.svelte";

const report = (number: number, change: Partial<ProblemReport> = {}): ProblemReport => ({
  key: `acme/app#${number}`, title: `Report ${number}`, url: null, open: true, created_at: `2026-0${1 + (number % 5)}-10T08:00:00Z`, known: true, confidence: 1,
  via: null, version: null, ...change,
});
const problem = (number: number, size: number, change: Partial<ListedProblem> = {}): ListedProblem => ({
  head: report(number), members: Array.from({ length: size - 1 }, (_, index) => report(number + index + 1)), status: "open", fixed_in: null, came_back_in: null,
  size, open: size, months: [], versions: [], recent: 0, before: 0, articles: [], ...change,
});

let app: AppState;
let requests: ProblemsRequest[];
let responseFields: Partial<ProblemsResponse>;
let fails: boolean;

const rows = () => [...document.querySelectorAll("[id^=problem-] .what")].map((entry) => entry.textContent);
const reports = () => [...document.querySelectorAll(".problem [data-list] .title")].map((entry) => entry.textContent);
const click = (name: string) => button(name)?.click();
async function key(name: string): Promise<void> {
  // The window handles keys that no list has handled.
  if (!press(name)) app.commands.handleKey(new KeyboardEvent("keydown", { key: name }), ["problems"]);
  await settle();
}

setUpPage();
beforeEach(async () => {
  vi.useFakeTimers({ now: Date.parse("2026-06-01T12:00:00Z"), toFake: ["Date"] });
  [requests, responseFields, fails] = [[], {}, false];
  mockIPC((command, payload) => {
    const request = (payload as { request?: unknown }).request;
    if (command === "problems") {
      requests.push(request as ProblemsRequest);
      if (fails) throw { code: "busy", message: "The casebook is busy", hint: null };
      const versions = [{ version: "3.3.0", reports: 1 }, { version: "3.4.1", reports: 2 }];
      const recurring = problem(40, 4, { versions, members: [41, 42, 43].map((number) => report(number, { version: number > 41 ? "3.4.1" : "3.3.0" })) });
      return { list: "frequent", problems: [problem(10, 2), recurring, problem(20, 3)], total: 3, open: 9, unscanned: 0, without_releases: [], took_ms: 1, ...responseFields };
    }
    if (command === "search") return { hits: [], total: 4, notices: [] };
    if (command === "triage_queue") {
      return {
        queue: [triageItem(11), triageItem(12)], related: [], waiting: 2, related_waiting: 0, closed_left_out: 0, unscanned: 0, scanned: 0, expected: 1, notices: [], took_ms: 1,
      };
    }
    if (command === "insights") {
      return {
        months: [{ month: "2026-05", opened: 3, closed: 0, duplicates: 1 }],
        sources: [{ source: "acme/app", issues: 50, open: 40, duplicates: 5, median_days: 3 }],
      };
    }
    return null;
  });
  app = new AppState();
  app.go("problems");
  mountComponent(ProblemsView, { app });
  await settle();
});

it("lists the most reported problems first", () => {
  expect(rows()).toEqual(["Report 40", "Report 20", "Report 10"]);
  expect(text("#problem-0 .number")).toBe("4 Reports");
  expect(text(".foot")).toBe("3 problems, 9 open reports.");
  expect(requests[0]).toEqual({ source: null, list: "frequent", threshold: 0.5, min_reports: 0, limit: 100 });
  // The other lists are loaded for their totals.
  expect(requests.map((entry) => entry.list)).toEqual(["frequent", "waiting", "unreleased", "recurring", "without_article"]);
});

it("keys open a problem and its reports", async () => {
  expect(document.activeElement?.getAttribute("aria-activedescendant")).toBe("problem-0");
  await key("j");
  await key("ArrowDown");
  await key("k");
  expect(app.item?.key).toBe("acme/app#20");
  await key("Enter");
  expect(text(".problem h2")).toBe("Report 20");
  await key("Enter");
  expect(document.activeElement?.id).toBe("report-acme/app#20");
  await key("ArrowDown");
  expect(document.activeElement?.id).toBe("report-acme/app#21");
  await key("Escape");
  expect([document.querySelector(".problem h2"), document.activeElement?.getAttribute("role")]).toEqual([null, "listbox"]);
});

it("a bar lists its reports", async () => {
  await key("Enter");
  click("3.4.1: 2 reports");
  await settle();
  expect([text(".problem h3.part:has(.link)"), reports()]).toEqual(["Reports: 2 on 3.4.1 Show all", ["Report 42", "Report 43"]]);
  click("Show all");
  await settle();
  expect(reports().length).toBe(4);
});

it("opens an undecided pair in Triage", async () => {
  responseFields = { problems: [problem(10, 3, { members: [report(11, { known: false, confidence: 0.6 }), report(12, { known: false, confidence: 0.8 })] })] };
  await app.problems.load();
  await key("Enter");
  app.triage.includeClosed = false;
  click("Decide in Triage");
  await settle();
  expect([app.view, app.triage.includeClosed, app.triage.selected]).toEqual(["triage", true, "acme/app#12"]);
});

it("searches for the problem's title", async () => {
  await key("s");
  expect([app.view, app.search.query]).toEqual(["search", "Report 40"]);
});

it("names sources with unknown releases", async () => {
  responseFields = { problems: [], total: 0, without_releases: ["acme/app"] };
  app.problems.lists = {};
  await key("[");
  expect(document.querySelector(".gap")).toBe(null);
  await key("[");
  await key("[");
  expect(app.problems.tab).toBe("recurring");
  expect(text(".gap")).toContain("The releases of acme/app are unknown");
  expect(text(".blank strong")).toBe("No problem came back after its fix.");
  click("Import files…");
  expect([app.view, app.sources.sourceType]).toEqual(["sources", "files"]);
});

it("offers a check and more problems", async () => {
  responseFields = { unscanned: 12, total: 140 };
  await app.problems.load();
  await settle();
  expect(text(".foot")).toContain("12 open reports not checked yet");
  click("Show more");
  await settle();
  expect(requests.at(-1)?.limit).toBe(500);
  click("Check in Triage");
  expect(app.view).toBe("triage");
});

it("keeps the list after a failed reload", async () => {
  fails = true;
  await app.problems.load();
  await settle();
  expect([text("[role=alert] strong"), rows().length]).toEqual(["The casebook is busy.", 3]);
  fails = false;
  click("Retry");
  await settle();
  expect(document.querySelector("[role=alert]")).toBe(null);
});

it("numbers open their list in Search", async () => {
  document.getElementById("tab-numbers")?.click();
  await settle();
  for (const [label, query] of [
    ["Open over a year: 4", "is:issue is:open created:<2025-06-01"], ["Reopened: 4", "is:issue is:open reason:reopened"], ["Open: 40", "is:issue is:open"],
  ] as const) {
    app.view = "problems";
    click(label);
    expect([app.view, app.search.query]).toEqual(["search", query]);
  }
  const table = document.querySelector<HTMLDetailsElement>("figure details");
  if (table) table.open = true;
  await settle();
  click("3 reported, May 2026");
  expect(app.search.query).toBe("is:issue created:2026-05");
});

it("a trend needs enough reports", () => {
  expect(reportTrend(problem(1, 9, { recent: 3, before: 1 }))).toBe(null);
  expect(reportTrend(problem(1, 9, { recent: 4, before: 1 }))).toBe("rising");
  expect(reportTrend(problem(1, 9, { recent: 2, before: 4 }))).toBe("falling");
  expect(reportTrend(problem(1, 9, { recent: 3, before: 3 }))).toBe("steady");
});

it("a status includes its version", () => {
  expect(statusLabel(problem(1, 2, { status: "solved", fixed_in: "3.3.0" }))).toBe("fixed in 3.3.0");
  expect(statusLabel(problem(1, 2, { status: "came_back", fixed_in: "3.3.0", came_back_in: "3.4.1" }))).toBe("came back in 3.4.1");
  expect(statusLabel(problem(1, 2, { status: "unreleased" }))).toBe("fixed, not released");
});

it("sorts by first report", () => {
  const [older, newer, undated] = ["2024-01-01T00:00:00Z", "2026-01-01T00:00:00Z", null].map((created_at, index) => problem(index, 1, { head: report(index, { created_at }) }));
  expect(sortProblems("waiting", [undated!, newer!, older!])).toEqual([older, newer, undated]);
});

it("suggests the most likely undecided report", () => {
  const members = [report(2, { known: false, confidence: 0.9, open: false }), report(3, { known: false, confidence: 0.7 }), report(4)];
  expect(nextUndecided(problem(1, 4, { members }))?.key).toBe("acme/app#3");
});

it("lists members first and no bots", () => {
  expect(threadPeople(thread("plain")).map((entry) => entry.author)).toEqual(["jane.doe", "王小明"]);
});
