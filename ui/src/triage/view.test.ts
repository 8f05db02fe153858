import { mockIPC } from "@tauri-apps/api/mocks";
import { beforeEach, expect, it } from "vitest";
import type { Band, TriageItem } from "../lib/types";
import { AppState } from "../shell/appState.svelte";
import { button, setUpPage, mountComponent, text } from "../testing/testPage";
import { candidate, thread, triageItem } from "../testing/samples";
import type { Triage } from "./triage.svelte";
import TriageView from "./TriageView.svelte";

const item = (number: number, band: Band, confidence: number, worth: number): TriageItem => ({
  ...triageItem(number), title: `Report ${number}`, candidate: { ...candidate(), band, confidence, worth },
});

let queue: TriageItem[];
let related: TriageItem[];
let closedCount: number;
let verdicts: string[];
let app: AppState;
let triage: Triage;

const numberOf = (key: unknown) => Number(String(key).split("#")[1]);
const settle = () => new Promise((resolve) => setTimeout(resolve, 5));
const buttons = (css: string) => [...document.querySelectorAll(`${css} button`)].map((entry) => entry.textContent.trim());
const rows = (label: string) => [...document.querySelectorAll(`[role=listbox][aria-label^="${label}"] .title`)].map((entry) => entry.textContent);
const click = (name: string) => button(name)?.click();
async function press(key: string): Promise<void> {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true });
  // The window handles keys that no list has handled.
  if ((document.activeElement ?? document.body).dispatchEvent(event)) app.commands.handleKey(event, ["everywhere", "triage"]);
  await settle();
}

async function open(): Promise<void> {
  app = new AppState();
  triage = app.triage;
  mountComponent(TriageView, { app });
  await settle();
}

setUpPage();
beforeEach(() => {
  queue = [item(5, "likely", 0.7, 0.9), item(6, "possible", 0.3, 0.6)];
  related = [item(7, "related", 0.1, 0.72)];
  closedCount = 12;
  verdicts = [];
  mockIPC((command, payload) => {
    const args = payload as Record<string, unknown>;
    if (command === "triage_queue") {
      const { include_closed } = args["request"] as { include_closed: boolean };
      return {
        scanned: 0, unscanned: 0, waiting: queue.length, queue, expected: 1, related, related_waiting: related.length,
        closed_left_out: include_closed ? 0 : closedCount, notices: [], took_ms: 1,
      };
    }
    if (command === "compare") {
      return { report: thread("plain", numberOf(args["key"])), candidate: thread("plain", numberOf(args["other"])), facts: [], report_marks: [], candidate_marks: [] };
    }
    if (command === "duplicates") {
      return { key: null, known: null, band: "none", candidates: [], compared: 0, calibrated_on: 0, rejected: [], circle: [], notices: [], took_ms: 1 };
    }
    if (command === "record_verdict") verdicts.push(`${String(args["key"])} ${String(args["kind"])}`);
    return command === "closures" ? [] : null;
  });
});

it("shows the queue and each pair's band", async () => {
  await open();
  expect(text("header .end span")).toBe("2 to review, about 1 likely duplicate");
  expect(text("header .choice [aria-pressed=true]")).toBe("Possible");
  expect(text(".confidence strong")).toBe("Likely duplicate of #1");
  // Distinguished by text and by the symbol's shape.
  expect(text("#waiting-0 .band")).toBe("●●○ Likely duplicate of #1: 70%");
  expect(text("#waiting-1 .band")).toBe("●○○ Possible duplicate of #1: 30%");
});

it("keys open and decide related reports", async () => {
  await open();
  const head = document.querySelector<HTMLElement>(".lists h2 button");
  expect([head?.getAttribute("aria-expanded"), text(".lists h2"), rows("Related")]).toEqual([
    "false", "Related, not duplicates 1", [],
  ]);
  await press("R");
  expect(rows("Related")).toEqual(["Report 7"]);
  expect(document.activeElement?.getAttribute("aria-activedescendant")).toBe("related-0");
  expect(text("#related-0 .band")).toBe("◇ Related to #1, worth reading: 72%");
  expect([text("section[aria-label^=Report] .role button"), text(".confidence strong")]).toEqual(["acme/app#7", "Related to #1"]);
  await press("ArrowUp");
  expect(document.activeElement?.getAttribute("aria-activedescendant")).toBe("waiting-1");
  await press("j");
  await press("r");
  expect(verdicts).toEqual(["acme/app#7 related"]);
  expect([text(".lists h2"), triage.selected]).toEqual(["Decided today 1", "acme/app#6"]);
  expect(document.activeElement?.getAttribute("aria-label")).toBe("Reports to review");
});

it("toggling related reports keeps the pair", async () => {
  await open();
  click("Related, not duplicates");
  await settle();
  expect([rows("Related"), triage.selected]).toEqual([["Report 7"], "acme/app#5"]);
  // A step in a list without the selection enters it.
  document.querySelector<HTMLElement>("[role=listbox][aria-label^=Related]")?.focus();
  await press("ArrowDown");
  expect(triage.selected).toBe("acme/app#7");
  click("Related, not duplicates");
  await settle();
  expect([rows("Related"), triage.selected]).toEqual([[], "acme/app#5"]);
});

it("an empty queue offers more reports", async () => {
  queue = [];
  await open();
  await press("c");
  expect(text("header .end span")).toBe("All caught up");
  expect(text(".blank")).toContain("No open report is a possible duplicate. Only open reports were compared.");
  expect(buttons(".ways")).toEqual([
    "Show 1 report with only related matches", "Show every report with a candidate",
  ]);
  click("Show 1 report");
  await settle();
  expect([rows("Related"), rows("Reports to review"), triage.selected]).toEqual([["Report 7"], [], "acme/app#7"]);
  expect(document.activeElement?.getAttribute("aria-label")).toContain("Related");
  await press("c");
  expect([triage.includeClosed, text(".empty")]).toEqual([true, "No open report is a possible duplicate."]);
});

it("offers no filter that adds nothing", async () => {
  [queue, related, closedCount] = [[], [], 0];
  await open();
  expect(text(".blank")).not.toContain("Only open reports");
  expect(buttons(".ways")).toEqual(["Show every report with a candidate"]);
  await press("b");
  expect([triage.band, buttons(".ways")]).toEqual(["none", []]);
  await press("b");
  expect([triage.band, buttons(".ways")]).toEqual(["high", ["Show possible duplicates"]]);
});
