import { mockIPC } from "@tauri-apps/api/mocks";
import { expect, it } from "vitest";
import { button, openWindow, setUpPage, press, settle } from "../testing/testPage";
import { mockEngine } from "../testing/engine";
import { candidate, hit, triageItem } from "../testing/samples";
import { assessment } from "./labels";

setUpPage();

it("lists new reports with assessments", async () => {
  const [now, hour] = [Date.now(), 3_600_000];
  const visit = { at: now - 20 * hour, upTo: { "acme/app": now - 24 * hour } };
  localStorage.setItem("shelf:/home/me/casebook", JSON.stringify({ visit: { last: visit, since: visit } }));
  const app = await openWindow("full");
  const calls: string[] = [];
  const hitAt = (number: number, hours: number) => ({ ...hit("plain", number), created_at: new Date(now - hours * hour).toISOString() });
  mockIPC((command, payload) => {
    const request = (payload as { request?: { query?: string; key?: string } }).request ?? {};
    calls.push([command, request.query ?? request.key].join(" "));
    if (command === "search") return { hits: [hitAt(6, 2), hitAt(70, 23), hitAt(8, 30)], total: 3, notices: [] };
    if (command === "triage_queue") return { queue: [triageItem(5), triageItem(6)], related: [], waiting: 2, related_waiting: 0, closed_left_out: 0, unscanned: 0, notices: [] };
    if (command === "duplicates") return { known: null, candidates: [] };
    return command === "verdicts_since" || command === "closures" ? [] : null;
  });
  app.go("triage");
  await settle();
  // A report from before the source's last complete sync is not new.
  expect(button("New since")?.textContent.replace(/\s+/g, " ").trim()).toBe("New since the last visit 2");
  expect(calls.some((entry) => entry.startsWith("search is:issue is:open created:>=20"))).toBe(true);
  press("a");
  await settle();
  const rows = () => [...document.querySelectorAll("ul[aria-label='New since the last visit'] .tiny")].map((entry) => entry.textContent.replace(/\s+/g, " ").trim());
  expect(rows().map((row) => row.replace(/ \S+$/, ""))).toEqual(["#6 Likely duplicate of #1, 72%", "#70 No earlier match"]);
  expect(calls).toContain("duplicates acme/app#70");
  expect(document.activeElement?.textContent).toContain("#6");
  press("ArrowDown");
  expect(document.activeElement?.textContent).toContain("#70");
  press("a");
  await settle();
  expect(document.activeElement?.getAttribute("role")).toBe("listbox");
  document.querySelector<HTMLElement>("ul[aria-label='New since the last visit'] .link")?.click();
  await settle();
  expect([app.view, app.triage.selected]).toEqual(["triage", "acme/app#6"]);
  app.triage.decisions = [{ item: triageItem(6), other: "acme/app#1", related: false, kind: "duplicate", decidedAt: Date.now(), undoEntry: null, stored: true }];
  await settle();
  expect(rows()[0]).toMatch(/^#6 Decided/);
  mockEngine("full");
});

it("assesses a report in one line", () => {
  const known = { key: "acme/app#2", disposition: null, kind: null, state: null, state_reason: null, title: null, url: null };
  expect([
    assessment({ known, candidates: [] }), assessment({ known: null, candidates: [] }), assessment({ known: null, candidates: [{ ...candidate(), band: "related" }] }),
    assessment({ known: null, candidates: [{ ...candidate(), band: "none" }] }),
  ]).toEqual(["Known duplicate of #2", "No earlier match", "Related to #1, 90%", "No earlier match"]);
});
