import { mockIPC } from "@tauri-apps/api/mocks";
import { flushSync } from "svelte";
import { beforeEach, expect, it, vi } from "vitest";
import type { NoteDraftState } from "../notes/notes.svelte";
import { setUpPage } from "../testing/testPage";
import { AppState } from "./appState.svelte";
import { MAX_SIZE, parseSession, serializeSession, type StoredSession } from "./session.svelte";

const hits = ["acme/app#1", "acme/app#2", "acme/app#3"];
const item = (key: string) => ({
  key, title: key, url: null, created_at: null,
  candidate: { key: "acme/app#1", number: 1, title: "", state: "open", confidence: 0.8, worth: 0.9, band: "likely", verdict: null, reasons: [] },
});

function openApp(casebook = "/casebook"): AppState {
  const app = new AppState();
  app.session.open(casebook);
  return app;
}
/** Waits until changes are stored. */
function waitForStorage(): void {
  flushSync();
  vi.advanceTimersByTime(1000);
}
const storedText = () => Object.keys(localStorage).map((key) => localStorage.getItem(key)).join("\n");

setUpPage();
beforeEach(() => {
  vi.useFakeTimers();
  mockIPC((command, payload) => {
    if (command === "thread") {
      const { key } = payload as { key: string };
      if (!hits.includes(key)) throw { code: "not_found", message: `there is no ${key}`, hint: null };
      return { key, title: key, kind: "issue", state: "open", state_reason: null, links: [] };
    }
    if (command === "search") return { hits: hits.map((key) => ({ key, passages: [] })), total: null, notices: [] };
    if (command !== "triage_queue") return null;
    const queue = [item("acme/app#5"), item("acme/app#6")];
    return { queue, related: [], waiting: 2, related_waiting: 0, closed_left_out: 0, unscanned: 0, scanned: 0, expected: 1, notices: [], took_ms: 1 };
  });
});

it("restores note drafts after a restart", () => {
  const app = openApp();
  app.notes.startDraft({ attach: ["acme/app#1"] });
  if (app.notes.draft) app.notes.draft.body = "About one";
  app.notes.startDraft();
  if (app.notes.draft) app.notes.draft.title = "Half";
  waitForStorage();
  const restarted = openApp();
  expect(restarted.notes.hasNewDraft).toBe(true);
  restarted.notes.startDraft();
  expect(restarted.notes.draft?.title).toBe("Half");
  restarted.notes.startDraft({ attach: ["acme/app#1"] });
  expect(restarted.notes.draft?.body).toBe("About one");
  // Another casebook has its own notes.
  expect(openApp("/other").notes.hasNewDraft).toBe(false);
});

it("forgets a discarded draft", () => {
  const app = openApp();
  app.notes.startDraft({ title: "Half" });
  waitForStorage();
  app.notes.discard();
  waitForStorage();
  expect(openApp().notes.drafts.size).toBe(0);
});

it("never stores pasted note text", () => {
  const app = openApp();
  app.notes.startDraft();
  if (app.notes.draft) app.notes.draft.title = "My own words";
  waitForStorage();
  app.notes.rememberBeforePaste();
  if (app.notes.draft) app.notes.draft.body = "Dear support, my name is Erika";
  waitForStorage();
  expect(storedText()).not.toContain("Erika");
  app.notes.closeAndReport();
  app.search.isPasted = true;
  app.search.type("Erika cannot sign in");
  waitForStorage();
  expect(storedText()).not.toContain("Erika");
  expect(app.search.isTyped).toBe(false);
  // It stays available until the window closes.
  app.notes.startDraft();
  expect(app.notes.draft?.body).toContain("Erika");
  const restarted = openApp();
  restarted.notes.startDraft();
  expect(restarted.notes.draft).toMatchObject({ title: "My own words", body: "" });
});

it("never stores an edited paste", () => {
  const { search } = openApp();
  search.isPasted = true;
  search.type("Erika cannot sign in");
  search.type("");
  search.set("Erika cannot sign in", false);
  search.type("Erika cannot sign in today");
  expect(search.isTyped).toBe(false);
  // Going back to a typed query.
  search.set("tls", false);
  expect(search.isTyped).toBe(true);
  waitForStorage();
  expect(storedText()).not.toContain("Erika");
});

it("restores the query and the open item", async () => {
  const app = openApp();
  app.search.type('tls is:open label:"help wanted"');
  await vi.advanceTimersByTimeAsync(500);
  await app.reader.show({ key: "acme/app#2", anchor: "comment-1" }, true);
  waitForStorage();
  const restarted = openApp();
  await vi.advanceTimersByTimeAsync(100);
  expect([restarted.search.query, restarted.search.isTyped, restarted.search.selected, restarted.reader.thread?.key]).toEqual([
    'tls is:open label:"help wanted"', true, "acme/app#2", "acme/app#2",
  ]);
  // It can be edited, and going back returns to it.
  restarted.search.type("tls");
  expect(restarted.history.previous?.query).toBe('tls is:open label:"help wanted"');
});

it("skips items that no longer exist", async () => {
  const app = openApp();
  app.search.type("tls");
  await app.reader.show({ key: "acme/app#1", anchor: null }, true);
  await app.splitPane.open("acme/app#2");
  waitForStorage();
  localStorage.setItem("session:/casebook", (localStorage.getItem("session:/casebook") ?? "").replaceAll("acme/app#1", "acme/app#9"));
  const restarted = openApp();
  await vi.advanceTimersByTimeAsync(100);
  expect([restarted.search.query, restarted.search.selected]).toEqual(["tls", "acme/app#2"]);
  // If one of two items is gone, the other is shown alone.
  expect([restarted.reader.thread?.key, restarted.reader.failure, restarted.splitPane.isOpen]).toEqual(["acme/app#2", null, false]);
});

it("restores two items side by side", async () => {
  const app = openApp();
  await app.reader.show({ key: "acme/app#1", anchor: null }, true);
  waitForStorage();
  expect(openApp().reader.pending).toBe(false);
  await app.splitPane.open("acme/app#2");
  app.search.isPasted = true;
  app.search.type("Erika cannot sign in");
  waitForStorage();
  expect(storedText()).not.toContain("Erika");
  const restarted = openApp();
  await vi.advanceTimersByTimeAsync(100);
  expect([restarted.search.query, restarted.reader.thread?.key, restarted.splitPane.reader.thread?.key]).toEqual(["", "acme/app#1", "acme/app#2"]);
  expect(restarted.splitPane.layout(1280, restarted.reader.isReading)).toEqual({ list: false, first: true, second: true });
});

it("restores each view", async () => {
  const app = openApp();
  Object.assign(app.problems, { source: "acme/app", span: 60, tab: "recurring" });
  Object.assign(app.notes, { kind: "signal", selected: "note#4" });
  app.sources.selected = "acme/app";
  await app.triage.load();
  app.triage.select("acme/app#6");
  waitForStorage();

  const restarted = openApp();
  expect([restarted.problems.source, restarted.problems.span, restarted.problems.tab, restarted.notes.kind, restarted.notes.selected]).toEqual(["acme/app", 60, "recurring", "signal", "note#4"]);
  expect(restarted.sources.selected).toBe("acme/app");
  // Triage keeps its state until it is opened.
  waitForStorage();
  await restarted.triage.load();
  expect(restarted.triage.selected).toBe("acme/app#6");
});

it("ignores a removed source", () => {
  const app = openApp();
  app.problems.source = "acme/app";
  app.session.dropMissing(["acme/other"]);
  expect(app.problems.source).toBe(null);
});

const draft = (body: string): NoteDraftState => ({ key: null, kind: "lesson", title: "t", body, tags: "", attach: [body.slice(0, 9)], beforePaste: null });
const EMPTY_SESSION: StoredSession = {
  search: { query: "", reading: null, beside: null },
  triage: { selected: null, related: false }, notes: { kind: null, selected: null },
  sources: { selected: null }, problems: { source: null, span: 24, tab: "frequent" }, drafts: [],
};

it("drops the oldest drafts above the limit", () => {
  const drafts = ["1".repeat(30_000), "2".repeat(30_000), "3".repeat(30_000)].map(draft);
  const stored = serializeSession({ ...EMPTY_SESSION, drafts });
  expect(stored.length).toBeLessThanOrEqual(MAX_SIZE);
  expect(parseSession(stored)?.drafts.map((entry) => entry.body[0])).toEqual(["2", "3"]);
  expect(parseSession(serializeSession({ ...EMPTY_SESSION, drafts: [draft("x".repeat(100_000))] }))?.drafts).toEqual([]);
});

it("ignores invalid and foreign sessions", () => {
  expect([parseSession(null), parseSession("{"), parseSession("7"), parseSession(JSON.stringify({ ...EMPTY_SESSION, version: 2 }))]).toEqual([null, null, null, null]);
  expect(parseSession('{"version":1,"notes":{"kind":"poem","selected":7},"problems":{"span":"x","tab":"y"},"drafts":[3]}')).toMatchObject({
    notes: { kind: null, selected: null }, problems: { span: 24, tab: "frequent" }, drafts: [{ title: "", kind: "lesson" }],
  });
});
