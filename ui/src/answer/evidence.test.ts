import { expect, it } from "vitest";
import type { CaseComment, SolvedCase } from "../lib/types";
import { splitCodeBlocks } from "../lib/prose";
import { sampleAnswer } from "../testing/samples";
import { orderComments, summarize, versionLabel } from "./evidence";

const comment = (anchor: string): CaseComment => ({
  anchor, author: null, association: null, role: null, created_at: "2026-01-01T00:00:00Z", url: null, text: "", excerpt: false,
});

it("shows the fix first, then by time", () => {
  const entry = { comments: ["a", "b", "c"].map(comment), fix: "b" } as SolvedCase;
  expect(orderComments(entry).map((c) => c.anchor)).toEqual(["b", "a", "c"]);
  expect(orderComments({ ...entry, fix: null }).map((c) => c.anchor)).toEqual(["a", "b", "c"]);
});

it("separates code from prose", () => {
  expect(splitCodeBlocks("Try this:\n```sh\nfw restart\n```\nThen wait.")).toEqual([
    { code: false, text: "Try this:" }, { code: true, text: "fw restart" }, { code: false, text: "Then wait." },
  ]);
  expect(splitCodeBlocks("~~~\nopen\n```\nstill")).toEqual([{ code: true, text: "open\n```\nstill" }]);
  expect(splitCodeBlocks("  ")).toEqual([]);
});

it("names how certain a known problem is", () => {
  const textAt = (confidence: number, key: string | null = null) => {
    const answer = sampleAnswer("plain", key);
    return summarize({ ...answer, problem: answer.problem && { ...answer.problem, confidence } }).text;
  };
  expect([textAt(0.95), textAt(0.63), textAt(0.3), textAt(1, "acme/app#1")]).toEqual([
    "Known: fixed in 2.4, not released", "Likely known: fixed in 2.4, not released", "Possibly known: fixed in 2.4, not released", "Status: fixed in 2.4, not released",
  ]);
});

it("compares a version with the fix", () => {
  expect(versionLabel({ version: "2.3.1", has_fix: false })).toBe("2.3.1 is older");
  expect(versionLabel({ version: "main", has_fix: null })).toBe("main may or may not have the fix");
  expect(versionLabel({ version: "2.10.1", has_fix: true })).toBe("2.10.1 should have the fix: possibly a regression");
});
