import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppState } from "./appState.svelte";

const MINUTE = 60_000;
const NOW = Date.parse("2026-05-12T10:00:00Z");
const report = { source: "acme/app", new: 1, updated: 0, problem: null };
const waits = (key: string, band: string) => ({ key, title: key, created_at: null, url: null, candidate: { key: "acme/app#1", band, state: "open" } });

let app: AppState;
let asked: string[];
let told: string[];
let queue: unknown[];
let synced: () => unknown;
let mirrors: string[];
let syncs: string[];
let metered: boolean | null;
let threads: Record<string, unknown>;
let back: string[];

beforeEach(async () => {
  localStorage.clear();
  asked = [];
  told = [];
  queue = [waits("acme/app#7", "likely")];
  synced = () => [report];
  threads = {};
  back = [];
  mirrors = ["acme/app"];
  syncs = [];
  metered = null;
  mockIPC((command, args) => {
    asked.push(command);
    if (command === "announce") told.push((args as { news: string }).news);
    if (command === "mirrors") return mirrors.map((source) => ({ source, synced_at: new Date(NOW - 20 * MINUTE).toISOString(), gaps: [], streams: [] }));
    if (command === "is_metered") return metered;
    if (command === "sync") {
      syncs.push((args as { sources: string[] }).sources.join(" "));
      return synced();
    }
    if (command === "thread") return threads[(args as { key: string }).key];
    if (command === "problems") return { problems: back.map((key) => ({ head: { key } })) };
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
  expect(asked).not.toContain("sync");
  app.store.update({ syncEvery: 60 });
  expect(app.autosync.due(NOW)).toEqual([]);
  app.store.update({ syncEvery: 15 });
  expect(app.autosync.due(NOW)).toEqual(["acme/app"]);
});

it("reports new possible duplicates", async () => {
  synced = () => {
    queue = [waits("acme/app#7", "likely"), waits("acme/app#8", "likely"), waits("acme/app#9", "related")];
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(app.toasts.shown?.text).toBe("1 new report is a possible duplicate. See it in Triage.");
  // The desktop notification has the same text, without titles.
  expect(told).toEqual(["1 new report is a possible duplicate."]);
});

it("reports possible regressions", async () => {
  const fixedBefore = (key: string) => {
    const item = waits(key, "likely");
    return { ...item, candidate: { ...item.candidate, disposition: { possible_regression: null } } };
  };
  synced = () => {
    queue = [fixedBefore("acme/app#8"), waits("acme/app#9", "possible")];
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(told).toEqual(["2 new reports are possible duplicates. 1 of them looks like something fixed earlier."]);
});

it("reports solved candidates of open reports", async () => {
  synced = () => {
    queue = [];
    threads = { "acme/app#1": { key: "acme/app#1", state: "closed", state_reason: "completed" } };
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(told).toEqual(["1 open report may duplicate one that was just solved."]);
});

it("ignores candidates closed without a fix", async () => {
  synced = () => {
    queue = [];
    threads = { "acme/app#1": { key: "acme/app#1", state: "closed", state_reason: "not_planned" } };
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(told).toEqual([]);
});

it("reports problems that came back", async () => {
  back = ["acme/app#2"];
  synced = () => {
    back = ["acme/app#2", "acme/app#3"];
    return [report];
  };
  await app.autosync.syncDue(NOW);
  expect(app.toasts.shown?.text).toBe("1 problem came back after the fix. See it in Problems.");
  expect(told).toEqual(["1 problem came back after the fix."]);
});

it("shows a failure once per interval", async () => {
  synced = () => {
    throw { code: "network", message: "there is no network", hint: null };
  };
  await app.autosync.syncDue(NOW);
  expect([app.message, app.toasts.shown?.text]).toEqual([null, "Not synced: there is no network."]);
  const before = asked.filter((command) => command === "sync").length;
  await app.autosync.syncDue(NOW + MINUTE);
  expect(asked.filter((command) => command === "sync").length).toBe(before);
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
  expect(app.autosync.due(NOW + 900 * MINUTE)).toEqual(["acme/pump"]);
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
