import { expect, it } from "vitest";
import { leftOut, withEnding } from "./brief.svelte";
import type { Piece } from "./pieces";

const piece = (id: string, key: string): Piece => ({ id, key, section: "case", anchor: null });

it("leaves out what was not picked anywhere", () => {
  const all = [piece("case a", "a"), piece("duplicate a", "a"), piece("case b", "b"), piece("wiki c", "c")];
  expect(leftOut(all, new Set(["duplicate a"]))).toEqual(["b", "c"]);
  expect(leftOut(all, new Set(all.map((p) => p.id)))).toEqual([]);
});

it("changes the ending with the format, and no other", () => {
  expect(withEnding("~/brief.md", "pdf")).toBe("~/brief.pdf");
  expect(withEnding("/tmp/case.v2", "pdf")).toBe("/tmp/case.v2");
});
