import { clearMocks, mockIPC } from "@tauri-apps/api/mocks";
import { afterEach, expect, it } from "vitest";
import type { BriefRequest, RedactionPreview } from "../lib/types";
import { BriefDraft, omittedKeys, replaceExtension } from "./brief.svelte";
import type { EvidenceItem } from "./evidence";

afterEach(() => clearMocks());

const piece = (id: string, key: string): EvidenceItem => ({ id, key, section: "case", anchor: null });

it("omits unselected evidence", () => {
  const all = [piece("case a", "a"), piece("duplicate a", "a"), piece("case b", "b"), piece("wiki c", "c")];
  expect(omittedKeys(all, new Set(["duplicate a"]))).toEqual(["b", "c"]);
  expect(omittedKeys(all, new Set(all.map((p) => p.id)))).toEqual([]);
});

it("the format sets the file extension", () => {
  expect(replaceExtension("~/brief.md", "pdf")).toBe("~/brief.pdf");
  expect(replaceExtension("/tmp/case.v2", "pdf")).toBe("/tmp/case.v2");
});

it("uncertain redactions can be switched off", async () => {
  const all: RedactionPreview[] = [
    { kind: "person", original: "Berta Brandt", pseudonym: "[person-1]", count: 2, sure: true },
    { kind: "company", original: "Blue Harbour", pseudonym: "[company-1]", count: 1, sure: false },
    { kind: "phone", original: "0151-5550101", pseudonym: "[phone-1]", count: 1, sure: false },
  ];
  const requests: BriefRequest[] = [];
  mockIPC((command, payload) => {
    const { request } = payload as { request: BriefRequest };
    if (command === "brief") {
      requests.push(request);
      return { title: "", sections: [], redactions: [], record: null };
    }
    return all.filter((entry) => !request.keep?.includes(entry.original));
  });
  const draft = new BriefDraft();
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  draft.begin("It drips.", [], null, []);
  await settle();
  const names = () => draft.uncertain.map((entry) => entry.original);
  expect(draft.certain.map((entry) => entry.original)).toEqual(["Berta Brandt"]);
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  const company = draft.uncertain[0] as RedactionPreview;
  draft.keepText(company, true);
  // Also before the response: a duplicated or missing row would lose the focus.
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  await settle();
  expect(requests.at(-1)?.keep).toEqual(["Blue Harbour"]);
  // It stays in place, so that it can be switched on again.
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  expect(draft.isKept(company)).toBe(true);
  draft.keepText(company, false);
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  draft.change({ redact_links: true });
  await settle();
  expect([requests.at(-1)?.keep, requests.at(-1)?.redact_links]).toEqual([[], true]);
});

it("shows nothing of the previous case", async () => {
  let answer = (_: unknown) => {};
  mockIPC((command) => {
    if (command === "brief") return new Promise((resolve) => (answer = resolve));
    return command === "brief_markdown" ? new Promise((resolve) => setTimeout(() => resolve("# It drips"), 5)) : [];
  });
  const draft = new BriefDraft();
  draft.begin("It drips.", [], null, []);
  await new Promise((resolve) => setTimeout(resolve, 0));
  answer({ title: "It drips", sections: [], redactions: [], record: null });
  await new Promise((resolve) => setTimeout(resolve, 0));
  const copying = draft.copy();
  draft.begin("It leaks.", [], null, []);
  await copying;
  expect([draft.brief, draft.isCopied]).toEqual([null, false]);
});

it("copies the previewed Markdown", async () => {
  const requests: BriefRequest[] = [];
  const copiedTexts: string[] = [];
  mockIPC((command, payload) => {
    const { request, text } = payload as { request: BriefRequest; text: string };
    if (command === "copy_text") copiedTexts.push(text);
    if (command === "brief_markdown") requests.push(request);
    if (command === "brief") return { title: "", sections: [], redactions: [], record: null };
    return command === "brief_markdown" ? "# It drips\n" : [];
  });
  const draft = new BriefDraft();
  draft.begin("It drips.", [], null, []);
  draft.change({ redact: false });
  await draft.copy();
  expect([copiedTexts, draft.isCopied, requests[0]?.redact]).toEqual([["# It drips\n"], true, false]);
  // The copy belongs to the previous brief.
  draft.change({ redact: true });
  expect(draft.isCopied).toBe(false);
});

it("exports to the chosen path and format", async () => {
  const exportCalls: unknown[] = [];
  let chosenPath: string | null = null;
  mockIPC((command, payload) => {
    const { format, path, replace } = payload as Record<string, unknown>;
    if (command === "choose_file") return chosenPath;
    if (command === "brief") return { title: "", sections: [], redactions: [], record: null };
    if (command === "export_brief") exportCalls.push([format, path, replace]);
    return command === "export_brief" ? path : [];
  });
  const draft = new BriefDraft();
  draft.begin("It drips.", [], null, []);
  await draft.saveAs();
  expect([exportCalls, draft.path, draft.isChoosing]).toEqual([[], "~/brief.md", false]);
  chosenPath = "/home/me/Case 7.PDF";
  await draft.saveAs();
  // The dialog has confirmed replacing the file.
  expect([exportCalls.at(-1), draft.format, draft.savedPath]).toEqual([["pdf", "/home/me/Case 7.PDF", true], "pdf", "/home/me/Case 7.PDF"]);
  exportCalls.length = 0;
  await Promise.all([draft.export(true), draft.export(true)]);
  expect(exportCalls.length, "a double click exports once").toBe(1);
  chosenPath = "/home/me/case.v2";
  await draft.saveAs();
  // It has not confirmed the name with the added extension.
  expect(exportCalls.at(-1)).toEqual(["pdf", "/home/me/case.v2.pdf", false]);
});
