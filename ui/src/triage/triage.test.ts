import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { AppState } from "../shell/appState.svelte";
import type { DuplicateCandidate, TriageItem, Verdict, VerdictKind } from "../lib/types";
import { candidate as sample } from "../testing/samples";
import type { Triage } from "./triage.svelte";

const candidate = (key: string): DuplicateCandidate => ({ ...sample(), key, confidence: 0.8 });
const EMPTY_RESPONSE = { queue: [] as TriageItem[], expected: 0, related: [] as TriageItem[], related_waiting: 0, closed_left_out: 0, notices: [], took_ms: 1 };
const item = (key: string): TriageItem => ({ key, title: key, url: null, created_at: null, candidate: candidate(`${key}-old`) });

let queue: TriageItem[];
let related: TriageItem[];
let verdictCalls: string[];
let bands: string[];
let failAll: boolean;
let failingKey: string | null;
let stored: Verdict[];
let app: AppState;
let triage: Triage;

/** Marks the current pair as seen, then decides it. */
function decide(kind: VerdictKind): Promise<void> {
  triage.markSeen(triage.item?.key ?? "", triage.candidate?.key ?? "");
  return triage.decide(kind);
}

const nextTick = () => new Promise((resolve) => setTimeout(resolve, 0));

beforeEach(async () => {
  queue = ["a", "b", "c"].map(item);
  related = [];
  verdictCalls = [];
  bands = [];
  failAll = false;
  failingKey = null;
  stored = [];
  mockIPC((command, payload) => {
    const args = payload as Record<string, unknown>;
    if (command.endsWith("verdict")) verdictCalls.push([command, args["key"], args["other"], args["kind"] ?? ""].join(" ").trim());
    if (command === "triage_queue") {
      const { band } = args["request"] as { band: string };
      bands.push(band);
      return { ...EMPTY_RESPONSE, scanned: 0, unscanned: 0, waiting: queue.length, queue, related, related_waiting: related.length, closed_left_out: 7 };
    }
    if (command === "verdicts_since") return stored;
    if (command === "record_verdict" && (failAll || failingKey === args["key"])) throw { code: "busy", message: "no", hint: null };
    if (command === "duplicates") {
      const { key } = args["request"] as { key: string };
      return { key, band: "likely", candidates: [candidate(`${key}-old`), candidate(`${key}-2`)], compared: 2, calibrated_on: 7, known: null, rejected: [], circle: [], notices: [], took_ms: 1 };
    }
    return null;
  });
  app = new AppState();
  triage = app.triage;
  await triage.enter();
});
afterEach(() => clearMocks());

it("opens the next report and undoes in order", async () => {
  expect(triage.selected).toBe("a");
  void decide("duplicate");
  expect(triage.selected).toBe("b");
  await decide("not_duplicate");
  expect([triage.selected, triage.waiting]).toEqual(["c", 1]);
  await triage.undo();
  expect(triage.selected).toBe("b");
  await triage.undo();
  await triage.undo();
  expect(triage.items.map((i) => i.key).sort()).toEqual(["a", "b", "c"]);
  expect(verdictCalls).toEqual([
    "record_verdict a a-old duplicate", "record_verdict b b-old not_duplicate", "undo_verdict b b-old", "undo_verdict a a-old",
  ]);
});

it("a held key decides only the shown pair", async () => {
  await decide("duplicate");
  await triage.decide("duplicate");
  expect([triage.selected, verdictCalls]).toEqual(["b", ["record_verdict a a-old duplicate"]]);
});

it("restores a report whose decision failed", async () => {
  failAll = true;
  await decide("related");
  expect(triage.items.map((i) => i.key)).toEqual(["a", "b", "c"]);
  expect(triage.decisions).toEqual([]);
  expect(app.message?.message).toBe("no");
});

it("records the verdict for the shown candidate", async () => {
  await nextTick();
  await nextTick();
  triage.nextCandidate(1);
  expect(triage.candidate?.key).toBe("a-2");
  await decide("duplicate");
  expect(verdictCalls).toEqual(["record_verdict a a-2 duplicate"]);
});

it("moves a skipped report to the end", () => {
  triage.skip();
  expect(triage.selected).toBe("b");
  expect(triage.items.map((i) => i.key)).toEqual(["b", "c", "a"]);
});

it("a snoozed report returns tomorrow", async () => {
  vi.useFakeTimers({ toFake: ["Date"] });
  try {
    triage.snooze();
    expect([triage.selected, triage.items.map((i) => i.key), triage.waiting, triage.snoozedCount]).toEqual(["b", ["b", "c"], 2, 1]);
    vi.setSystemTime(Date.now() + 86_400_000);
    await triage.load();
    expect([triage.items.map((i) => i.key), triage.waiting]).toEqual([["a", "b", "c"], 3]);
  } finally {
    vi.useRealTimers();
  }
});

it("assigned reports can be shown alone", async () => {
  triage.assign();
  triage.select("c");
  triage.assign();
  expect([triage.assignedCount, triage.items.length, app.toasts.current?.text]).toEqual([2, 3, "c assigned to you."]);
  triage.toggleMine();
  expect([triage.items.map((i) => i.key), triage.waiting, triage.selected]).toEqual([["a", "c"], 2, "c"]);
  triage.assign();
  expect([triage.items.map((i) => i.key), triage.selected]).toEqual([["a"], "a"]);
  await app.undo.undo();
  expect([triage.items.map((i) => i.key), triage.selected]).toEqual([["a", "c"], "c"]);
  triage.toggleMine();
  expect([triage.items.length, triage.waiting, verdictCalls]).toEqual([3, 3, []]);
});

it("shows a decided report again if it has a new candidate", async () => {
  await decide("not_duplicate");
  await triage.load();
  expect(triage.items.map((i) => i.key)).toEqual(["b", "c"]);
  queue = [{ ...item("a"), candidate: candidate("a-other") }, ...queue.slice(1)];
  await triage.load();
  expect(triage.items.map((i) => i.key)).toContain("a");
});

it("rechecks after the settings changed", async () => {
  const scans: unknown[] = [];
  let finish = () => {};
  clearMocks();
  mockIPC(async (command, payload) => {
    const { request } = payload as { request: { include_closed: boolean } };
    if (command === "triage") {
      scans.push(request.include_closed);
      if (scans.length === 1) await new Promise<void>((resolve) => (finish = resolve));
    }
    if (command !== "triage" && command !== "triage_queue") return null;
    const unscanned = scans.includes(request.include_closed) ? 0 : 3;
    return { ...EMPTY_RESPONSE, scanned: 0, unscanned, waiting: 0 };
  });
  const first = triage.enter();
  await nextTick();
  triage.choose({ includeClosed: false });
  await nextTick();
  finish();
  await first;
  expect(scans).toEqual([true, false]);
});

it("is empty only after the queue reloads", async () => {
  let checked = false;
  let finish = () => {};
  clearMocks();
  mockIPC(async (command) => {
    if (command === "triage") {
      await nextTick();
      checked = true;
    }
    if (command !== "triage" && command !== "triage_queue") return null;
    if (command === "triage_queue" && checked) await new Promise<void>((resolve) => (finish = resolve));
    return { ...EMPTY_RESPONSE, scanned: 0, unscanned: checked ? 0 : 3, waiting: 0 };
  });
  triage.choose({ band: "none" });
  while (!checked || triage.scanning) await nextTick();
  await nextTick();
  expect([checked, triage.scanning, triage.loaded]).toEqual([true, false, false]);
  finish();
  await nextTick();
  expect(triage.loaded).toBe(true);
});

it("starts with possible duplicates and counts them", async () => {
  expect([bands, triage.closedLeftOut]).toEqual([["possible"], 7]);
  expect(triage.expected).toBeCloseTo(2.4);
  await decide("duplicate");
  expect(triage.expected).toBeCloseTo(1.6);
  triage.choose({ band: "high" });
  expect([triage.expected, triage.closedLeftOut]).toEqual([0, 0]);
  await nextTick();
  expect(bands.at(-1)).toBe("high");
});

const keys = (items: readonly TriageItem[]) => items.map((i) => i.key);

it("shows an undone report once", async () => {
  await decide("duplicate");
  expect(triage.selected).toBe("b");
  const undoing = triage.undo();
  await triage.load();
  await undoing;
  expect([triage.selected, triage.items.filter((i) => i.key === "a").length]).toEqual(["a", 1]);
});

it("related reports work like the queue", async () => {
  related = ["x", "y", "z"].map(item);
  await triage.load();
  triage.switchLists();
  triage.skip();
  expect([keys(triage.related), triage.selected]).toEqual([["y", "z", "x"], "y"]);
  await decide("related");
  expect([triage.selected, triage.relatedWaiting, triage.waiting]).toEqual(["z", 2, 3]);
  triage.toggleRelated();
  await triage.undo();
  // The restored report is shown in the list of related reports.
  expect([keys(triage.items), triage.isRelatedOpen, triage.selected]).toEqual([["a", "b", "c"], true, "y"]);
  expect([keys(triage.related).sort(), triage.relatedWaiting]).toEqual([["x", "y", "z"], 3]);
  expect(verdictCalls).toEqual(["record_verdict y y-old related", "undo_verdict y y-old"]);
});

it("keeps the open related report", async () => {
  related = ["x", "y"].map(item);
  await triage.load();
  triage.switchLists();
  related = [item("y")];
  await triage.load();
  expect([keys(triage.related), triage.selected, keys(triage.items)]).toEqual([["x", "y"], "x", ["a", "b", "c"]]);
});

const seeAll = (keys: readonly string[]) => keys.forEach((key) => triage.markSeen(key, `${key}-old`));

it("decides and undoes selected reports together", async () => {
  seeAll(["a", "b", "c"]);
  triage.selection.toggle("a");
  triage.select("b");
  triage.extend(1);
  triage.selection.toggle("b");
  expect([keys(triage.selection.items), triage.selected]).toEqual([["a", "c"], "c"]);
  await triage.decide("duplicate");
  expect([verdictCalls, triage.selected, triage.selection.isActive, triage.decidedToday]).toEqual([
    ["record_verdict a a-old duplicate", "record_verdict c c-old duplicate"], "b", false, 2,
  ]);
  expect(app.toasts.current?.text).toBe("Marked 2 reports as duplicates.");
  await triage.undo();
  expect([verdictCalls.slice(2), keys(triage.items).toSorted(), triage.decidedToday]).toEqual([["undo_verdict c c-old", "undo_verdict a a-old"], ["a", "b", "c"], 0]);
});

it("asks for confirmation before deciding unseen pairs", async () => {
  seeAll(["a"]);
  for (const key of ["a", "b"]) triage.selection.toggle(key);
  await triage.decide("related");
  expect([verdictCalls, triage.confirmation?.unseen.map((pair) => pair.item.key)]).toEqual([[], ["b"]]);
  await triage.confirm("none");
  expect([verdictCalls, triage.confirmation, triage.selection.items.length]).toEqual([[], null, 2]);
  await triage.decide("related");
  await triage.confirm("seen");
  expect(verdictCalls).toEqual(["record_verdict a a-old related"]);
  for (const key of ["b", "c"]) triage.selection.toggle(key);
  await triage.decide("not_duplicate");
  await triage.confirm("all");
  expect(verdictCalls.slice(1)).toEqual(["record_verdict b b-old not_duplicate", "record_verdict c c-old not_duplicate"]);
});

it("restores only the failed decisions", async () => {
  seeAll(["a", "b"]);
  failingKey = "b";
  for (const key of ["a", "b"]) triage.selection.toggle(key);
  await triage.decide("duplicate");
  expect([keys(triage.items), app.message?.message, triage.decidedToday]).toEqual([["b", "c"], "no", 1]);
  verdictCalls = [];
  await triage.undo();
  expect([verdictCalls, keys(triage.items).toSorted()]).toEqual([["undo_verdict a a-old"], ["a", "b", "c"]]);
});

it("undoes one of several decisions", async () => {
  seeAll(["a", "b"]);
  for (const key of ["a", "b"]) triage.selection.toggle(key);
  await triage.decide("duplicate");
  verdictCalls = [];
  await triage.undoDecision(triage.decidedPairs.find((entry) => entry.key === "a")!);
  expect([verdictCalls, triage.decidedPairs.map((entry) => entry.key)]).toEqual([["undo_verdict a a-old"], ["b"]]);
  await triage.undo();
  expect([verdictCalls[1], triage.decidedPairs]).toEqual(["undo_verdict b b-old", []]);
});

it("arrows extend and shrink the selection", () => {
  triage.extend(1);
  triage.extend(1);
  expect(keys(triage.selection.items)).toEqual(["a", "b", "c"]);
  triage.extend(-1);
  expect([keys(triage.selection.items), triage.selected]).toEqual([["a", "b"], "b"]);
  triage.selection.clear();
  expect(triage.selection.isActive).toBe(false);
});

const verdict = (first: string, second: string, kind: VerdictKind, time: number, canonical: string | null = null): Verdict => ({
  first, second, kind, canonical, reason: null, actor: "ann", decided_at: new Date(time).toISOString(),
});

it("undoes decisions of earlier sessions", async () => {
  const now = Date.now();
  stored = [verdict("x#3", "x#7", "duplicate", now - 5, "x#3"), verdict("x#12", "x#9", "not_duplicate", now - 9), verdict("x#1", "x#2", "related", now - 2 * 86_400_000)];
  await triage.enter();
  expect(triage.decidedPairs.map((entry) => `${entry.key} ${entry.kind} ${entry.other}`)).toEqual(["x#7 duplicate x#3", "x#12 not_duplicate x#9"]);
  await decide("related");
  expect([triage.decidedToday, triage.decidedPairs[0]?.key]).toEqual([3, "a"]);
  await triage.undo();
  verdictCalls = [];
  stored = stored.slice(1);
  await triage.undo();
  expect([verdictCalls, triage.decidedPairs.map((entry) => entry.key)]).toEqual([["undo_verdict x#7 x#3"], ["x#12"]]);
  expect(app.toasts.current?.text).toBe("Undone: x#7 is a duplicate of x#3.");
});

it("undoing all decisions restores the counts", async () => {
  [queue, related] = [["a", "b", "c"].map(item), ["x", "y"].map(item)];
  await triage.load();
  triage.toggleRelated();
  const counts = () => [triage.waiting, triage.relatedWaiting, triage.rows.length];
  const before = counts();
  for (let index = 0; index < 5; index++) {
    await decide("duplicate");
    await nextTick();
    // The engine's next response lacks the decided reports.
    queue = queue.filter((entry) => !verdictCalls.some((line) => line.startsWith(`record_verdict ${entry.key} `)));
    related = related.filter((entry) => !verdictCalls.some((line) => line.startsWith(`record_verdict ${entry.key} `)));
    if (index % 2 === 0) await triage.load();
  }
  expect(counts()).toEqual([0, 0, 0]);
  for (let index = 0; index < 5; index++) await triage.undo();
  expect(counts()).toEqual(before);
  [queue, related] = [["a", "b", "c"].map(item), ["x", "y"].map(item)];
  await triage.load();
  expect([counts(), keys(triage.items), keys(triage.related)]).toEqual([before, ["a", "b", "c"], ["x", "y"]]);
});

it("keeps scanning as long as each scan makes progress", async () => {
  clearMocks();
  let unscanned = 40;
  let scans = 0;
  mockIPC((command) => {
    if (command === "triage") {
      scans++;
      unscanned = Math.max(0, unscanned - 25);
    }
    return command.startsWith("triage") ? { ...EMPTY_RESPONSE, scanned: 0, unscanned, waiting: 0 } : null;
  });
  await triage.load();
  await triage.scan();
  expect([scans, triage.unscanned]).toEqual([2, 0]);
});
