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
  const asked: BriefRequest[] = [];
  mockIPC((command, payload) => {
    const { request } = payload as { request: BriefRequest };
    if (command === "brief") {
      asked.push(request);
      return { title: "", sections: [], redactions: [], record: null };
    }
    return all.filter((entry) => !request.keep?.includes(entry.original));
  });
  const making = new BriefDraft();
  const settled = () => new Promise((resolve) => setTimeout(resolve, 0));
  making.begin("It drips.", [], null, []);
  await settled();
  const names = () => making.uncertain.map((entry) => entry.original);
  expect(making.certain.map((entry) => entry.original)).toEqual(["Berta Brandt"]);
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  const harbour = making.uncertain[0] as RedactionPreview;
  making.keepText(harbour);
  // Before the response, too: a duplicated or missing row would lose the focus.
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  await settled();
  expect(asked.at(-1)?.keep).toEqual(["Blue Harbour"]);
  // It stays in place, so that it can be switched on again.
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  expect(making.isKept(harbour)).toBe(true);
  making.redactText(harbour);
  expect(names()).toEqual(["Blue Harbour", "0151-5550101"]);
  making.setLinkRedaction(true);
  await settled();
  expect([asked.at(-1)?.keep, asked.at(-1)?.redact_links]).toEqual([[], true]);
});

it("copies the previewed Markdown", async () => {
  const asked: BriefRequest[] = [];
  const put: string[] = [];
  mockIPC((command, payload) => {
    const { request, text } = payload as { request: BriefRequest; text: string };
    if (command === "copy_text") put.push(text);
    if (command === "brief_markdown") asked.push(request);
    if (command === "brief") return { title: "", sections: [], redactions: [], record: null };
    return command === "brief_markdown" ? "# It drips\n" : [];
  });
  const making = new BriefDraft();
  making.begin("It drips.", [], null, []);
  making.setRedaction(false);
  await making.copy();
  expect([put, making.isCopied, asked[0]?.redact]).toEqual([["# It drips\n"], true, false]);
  // The copy belongs to the previous brief.
  making.setRedaction(true);
  expect(making.isCopied).toBe(false);
});

it("exports to the chosen path and format", async () => {
  const wrote: unknown[] = [];
  let chosen: string | null = null;
  mockIPC((command, payload) => {
    const { format, path, replace } = payload as Record<string, unknown>;
    if (command === "choose_file") return chosen;
    if (command === "brief") return { title: "", sections: [], redactions: [], record: null };
    if (command === "export_brief") wrote.push([format, path, replace]);
    return command === "export_brief" ? path : [];
  });
  const making = new BriefDraft();
  making.begin("It drips.", [], null, []);
  await making.saveAs();
  expect([wrote, making.path, making.isChoosing]).toEqual([[], "~/brief.md", false]);
  chosen = "/home/me/Case 7.PDF";
  await making.saveAs();
  // The dialog has confirmed replacing the file.
  expect([wrote.at(-1), making.format, making.savedPath]).toEqual([["pdf", "/home/me/Case 7.PDF", true], "pdf", "/home/me/Case 7.PDF"]);
  chosen = "/home/me/case.v2";
  await making.saveAs();
  // It has not confirmed the name with the added extension.
  expect(wrote.at(-1)).toEqual(["pdf", "/home/me/case.v2.pdf", false]);
});
