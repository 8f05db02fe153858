import { expect, it } from "vitest";
import type { DuplicatesResponse, Hit, SolvedCase, TroubleshootResponse } from "../lib/types";
import { candidate, solved as sample } from "../stories/samples";
import { first, fixOf, known, reply, solved, wiki, wikiSilence } from "./words";

const duplicates = (change: Partial<DuplicatesResponse>) => ({ candidates: [], known: null, ...change }) as unknown as DuplicatesResponse;
const answer = (change: Partial<TroubleshootResponse>) => ({ cases: [], wiki: [], ...change }) as unknown as TroubleshootResponse;
const one = (change: Partial<SolvedCase> = {}): SolvedCase => ({ ...sample("plain"), ...change });

it("says of the best report what is said of it everywhere, and nothing of one that is not alike", () => {
  const best = { ...candidate(), key: "acme/app#1", title: "Pump stops", url: "https://t.example/1", band: "likely" as const, disposition: { fixed: "2.4" } };
  expect(known(duplicates({ candidates: [best, { ...best, key: "acme/app#2" }] }))).toMatchObject([
    {
      key: "acme/app#1", says: "Likely duplicate of acme/app#1", band: "likely", more: ["Fixed in 2.4"],
      cited: "This is likely a duplicate of “Pump stops” (acme/app#1).",
    },
  ]);
  expect(known(duplicates({ candidates: [{ ...best, band: "none" }] }))).toEqual([]);
});

it("takes what the tracker knows before what is found", () => {
  const stays = { key: "acme/app#1", kind: null, title: null, state: null, state_reason: null, url: null, disposition: null };
  expect(known(duplicates({ known: stays, candidates: [candidate()] }))).toMatchObject([
    { key: "acme/app#1", says: "Known duplicate of acme/app#1", more: [], cited: "This is a known duplicate of “(no title)” (acme/app#1)." },
  ]);
});

it("tells the fix in one line, without its code and its lines", () => {
  const comment = one().comments[0];
  const told = (text: string) => fixOf(one({ fix: "f", comments: comment ? [comment, { ...comment, anchor: "f", text }] : [] }));
  expect(told("```sh\nsystemctl restart agent\n```\nRestart it\nonce.")).toBe("Restart it once.");
  expect(told("```sh\nsystemctl restart agent\n```")).toBe("systemctl restart agent");
  expect(told("word ".repeat(200)).length).toBeLessThanOrEqual(240);
  expect(fixOf(one({ fix: null }))).toBe("Fixed by acme/app#9: Read the chain again");
  expect(fixOf(one({ fix: null, fixed_by: [] }))).toBe("Fixed in 2.4");
  expect(fixOf(one({ fix: null, fixed_by: [], fixed_in: null }))).toBe("");
});

it("tells a wiki that was not looked through from one that is silent", () => {
  expect(wikiSilence(answer({ cases: [one({ helps: 0.8 })] }))).toContain("Not searched");
  expect(wikiSilence(answer({ cases: [one({ helps: 0.1, relation: "canonical" })] }))).toContain("Not searched");
  expect(wikiSilence(answer({ cases: [one({ helps: 0.4 })] }))).toBe("No wiki page matches.");
  expect(wikiSilence(null)).toBe("No wiki page matches.");
});

it("writes a reply with a sentence and an address for each answer", () => {
  const hit = { key: "acme/app#4", kind: "issue", state: "open", state_reason: null, title: [{ text: "Pump\nstops", hit: true }], url: null } as unknown as Hit;
  const page = { citation: "", key: "acme/app:TLS", similarity: 0.5, text: "How certificates\nare renewed.", title: "TLS", url: "https://t.example/wiki/TLS" };
  const lines = [...first([hit]), ...solved(answer({ cases: [one({ title: "Sync stops", url: "https://t.example/1" })] })), ...wiki(answer({ wiki: [page] }))];
  expect(reply(lines).split("\n")).toEqual([
    "See “Pump stops” (acme/app#4).",
    "“Sync stops” (acme/app#1) was solved: Restart the agent once; 2.4 reads the chain by itself. https://t.example/1",
    "See the wiki page “TLS” (acme/app:TLS). https://t.example/wiki/TLS",
  ]);
  expect(solved(answer({ cases: [one({ fix: null, fixed_by: [], fixed_in: null, title: "Sync stops" })] }))[0]?.cited).toBe("A similar case was solved: “Sync stops” (acme/app#1).");
});
