import { expect, it } from "vitest";
import { orderComments, fixLine } from "../answer/evidence";
import type { AskResponse, Hit, SolvedCase } from "../lib/types";
import { sampleAnswer, knownProblem as problem, EMPTY_ANSWER, solvedCase as sample } from "../testing/samples";
import { resultLines, knownLines, formatReply, solvedLines, wikiLines, emptyWikiText } from "./lines";

const answer = (change: Partial<AskResponse>): AskResponse => ({ ...EMPTY_ANSWER, ...change });
const entry = (change: Partial<SolvedCase> = {}): SolvedCase => ({ ...sample("plain"), ...change });
const fixOf = (solved: SolvedCase) => fixLine(solved.fix === null ? null : (orderComments(solved)[0] ?? null), solved.fixed_by, solved.fixed_in);

it("uses the standard phrases for known problems", () => {
  const pump = { ...problem("plain"), title: "Pump stops", status: "solved" as const, workaround: null };
  expect(knownLines(answer({ problem: pump }))).toMatchObject([
    {
      key: "acme/app#1", headline: "Likely duplicate of acme/app#1", band: "likely", details: ["fixed in 2.4"],
      citation: "This is likely a duplicate of “Pump stops” (acme/app#1). Status: fixed in 2.4.",
    },
  ]);
  expect(knownLines(answer({ problem: { ...pump, confidence: 1 } }))[0]?.headline).toBe("Known duplicate of acme/app#1");
  expect(knownLines(answer({ key: "acme/app#1", problem: { ...pump, confidence: 1 } }))[0]?.citation).toBe("See “Pump stops” (acme/app#1). Status: fixed in 2.4.");
  expect(knownLines(answer({ related: sampleAnswer("plain").related }))[0]?.headline).toBe("Possible duplicate of acme/app#6");
});

it("shows the fix in one line", () => {
  const comment = entry().comments[0];
  const fixFrom = (text: string) => fixOf(entry({ fix: "f", comments: comment ? [comment, { ...comment, anchor: "f", text }] : [] }));
  expect(fixFrom("```sh\nsystemctl restart agent\n```\nRestart it\nonce.")).toBe("Restart it once.");
  expect(fixFrom("```sh\nsystemctl restart agent\n```")).toBe("systemctl restart agent");
  expect(fixFrom("word ".repeat(200)).length).toBeLessThanOrEqual(240);
  expect(fixOf(entry({ fix: null }))).toBe("Fixed by acme/app#9: Read the chain again");
  expect(fixOf(entry({ fix: null, fixed_by: [] }))).toBe("Fixed in 2.4");
  expect(fixOf(entry({ fix: null, fixed_by: [], fixed_in: null }))).toBe("");
});

it("distinguishes a skipped from an empty wiki", () => {
  expect(emptyWikiText(answer({ cases: [entry({ relevance: 0.8 })] }))).toContain("Not searched");
  expect(emptyWikiText(answer({ cases: [entry({ relevance: 0.1, relation: "canonical" })] }))).toContain("Not searched");
  expect(emptyWikiText(answer({ cases: [entry({ relevance: 0.4 })] }))).toBe("No wiki page matches.");
  expect(emptyWikiText(null)).toBe("No wiki page matches.");
});

it("a reply cites each line with its address", () => {
  const hit = { key: "acme/app#4", kind: "issue", state: "open", state_reason: null, title: [{ text: "Pump\nstops", hit: true }], url: null } as unknown as Hit;
  const page = { citation: "", key: "acme/app:TLS", similarity: 0.5, text: "How certificates\nare renewed.", title: "TLS", url: "https://t.example/wiki/TLS" };
  const lines = [...resultLines([hit]), ...solvedLines(answer({ cases: [entry({ title: "Sync stops", url: "https://t.example/1" })] })), ...wikiLines(answer({ wiki: [page] }))];
  expect(formatReply(lines).split("\n")).toEqual([
    "See “Pump stops” (acme/app#4).",
    "“Sync stops” (acme/app#1) was solved: Restart the agent once; 2.4 reads the chain by itself. https://t.example/1",
    "See the wiki page “TLS” (acme/app:TLS). https://t.example/wiki/TLS",
  ]);
  expect(solvedLines(answer({ cases: [entry({ fix: null, fixed_by: [], fixed_in: null, title: "Sync stops" })] }))[0]?.citation).toBe("A similar case was solved: “Sync stops” (acme/app#1).");
});
