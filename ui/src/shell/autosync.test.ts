import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppState } from "./appState.svelte";

const MINUTE = 60_000;
const NOW = Date.parse("2026-05-12T10:00:00Z");
const report = { source: "acme/app", new: 1, updated: 0, problem: null };
const waitingItem = (key: string, band: string) => ({ key, title: key, created_at: null, url: null, candidate: { key: "acme/app#1", band, state: "open" } });

let app: AppState;
let calls: string[];
let notifications: string[];
let queue: unknown[];
let syncResult: () => unknown;
let mirrors: string[];
let syncs: string[];
let metered: boolean | null;
let threads: Record<string, unknown>;
let recurring: string[];

beforeEach(async () => {
  localStorage.clear();
  calls = [];
  notifications = [];
  queue = [waitingItem("acme/app#7", "likely")];
  syncResult = () => [report];
  threads = {};
  recurring = [];
  mirrors = ["acme/app"];
  syncs = [];
  metered = null;
  mockIPC((command, args) => {
    calls.push(command);
    if (command === "announce") notifications.push((args as { news: string }).news);
    if (command === "mirrors") return mirrors.map((source) => ({ source, synced_at: new Date(NOW - 20 * MINUTE).toISOString(), gaps: [], streams: [] }));
    if (command === "is_metered") return metered;
    if (command === "sync") {
      syncs.push((args as { sources: string[] }).sources.join(" "));
      return syncResult();
    }
    if (command === "thread") return threads[(args as { key: string }).key];
    if (command === "problems") return { problems: recurring.map((key) => ({ head: { key } })) };
    if (command === "triage_queue") return { queue: [...queue], related: [], waiting: queue.length };
    if (command === "status") return { sources: [{ key: "acme/app" }], coverage: {} };
    if (command === "search") return { hits: [], total: 0, notices: [], took_ms: 1 };
    return command === "update_index" ? { busy_elsewhere: false, calibrated: [] } : null;
  });
  app = new AppState();
  app.store.open("/casebook");
  app.store.update({ syncEvery: 15 });
  await app.sources.load();
});
afterEach(() => {
  clearMocks();
  vi.restoreAllMocks();
});

it("syncs only due sources, off by default", async () => {
  app.store.update({ syncEvery: 0 });
  await app.autosync.syncDue(NOW);
  expect(calls).not.toContain("sync");
  app.store.update({ syncEvery: 60 });
  expect(app.autosync.dueSources(NOW)).toEqual([]);
  app.store.update({ syncEvery: 15 });
  expect(app.autosync.dueSources(NOW)).toEqual(["acme/app"]);
});

it("reports new possible duplicates", async () => {
  syncResult = () => {
    queue = [waitingItem("acme/app#7", "likely"), waitingItem("acme/app#8", "likely"), waitingItem("acme/app#9", "related")];
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(app.toasts.current?.text).toBe("1 new report is a possible duplicate. See it in Triage.");
  // The desktop notification has the same text, without titles.
  expect(notifications).toEqual(["1 new report is a possible duplicate."]);
});

it("reports possible regressions", async () => {
  const regressionOf = (key: string) => {
    const item = waitingItem(key, "likely");
    return { ...item, candidate: { ...item.candidate, disposition: { possible_regression: null } } };
  };
  syncResult = () => {
    queue = [regressionOf("acme/app#8"), waitingItem("acme/app#9", "possible")];
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(notifications).toEqual(["2 new reports are possible duplicates. 1 of them looks like something fixed earlier."]);
});

it("reports solved candidates of open reports", async () => {
  syncResult = () => {
    queue = [];
    threads = { "acme/app#1": { key: "acme/app#1", state: "closed", state_reason: "completed" } };
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(notifications).toEqual(["1 open report may duplicate one that was just solved."]);
});

it("ignores candidates closed without a fix", async () => {
  syncResult = () => {
    queue = [];
    threads = { "acme/app#1": { key: "acme/app#1", state: "closed", state_reason: "not_planned" } };
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(notifications).toEqual([]);
});

it("reports problems that came back", async () => {
  recurring = ["acme/app#2"];
  syncResult = () => {
    recurring = ["acme/app#2", "acme/app#3"];
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(app.toasts.current?.text).toBe("1 problem came back after the fix. See it in Problems.");
  expect(notifications).toEqual(["1 problem came back after the fix."]);
});

it("shows a failure once per interval", async () => {
  syncResult = () => {
    throw { code: "network", message: "there is no network", hint: null };
  };
  await app.autosync.syncDue(NOW);
  expect([app.message, app.toasts.current?.text]).toEqual([null, "Not synced: there is no network."]);
  const before = calls.filter((command) => command === "sync").length;
  await app.autosync.syncDue(NOW + MINUTE);
  expect(calls.filter((command) => command === "sync").length).toBe(before);
});

it("respects the interval of each source", async () => {
  mirrors = ["acme/app", "acme/mill", "acme/pump"];
  app.store.setSyncInterval("acme/mill", 0);
  app.store.setSyncInterval("acme/pump", 240);
  await app.autosync.syncDue(NOW);
  // After an attempt, it is due again after its own interval.
  await app.autosync.syncDue(NOW + 2 * MINUTE);
  await app.autosync.syncDue(NOW + 300 * MINUTE);
  expect(syncs).toEqual(["acme/app", "acme/app acme/pump"]);
  app.store.update({ syncEvery: 0 });
  expect(app.autosync.dueSources(NOW + 900 * MINUTE)).toEqual(["acme/pump"]);
});

it("waits on metered networks", async () => {
  app.store.update({ syncMetered: false });
  metered = true;
  await app.autosync.syncDue(NOW);
  expect(syncs).toEqual([]);
  metered = null;
  await app.autosync.syncDue(NOW);
  expect(syncs).toEqual(["acme/app"]);
});
