import { expect, it } from "vitest";
import { scoreWords } from "./words";

it("keeps the scores for who asks for them", () => {
  expect(scoreWords({ bm25: 7.25, cosine: 0.6, signature: null, fused: 1 })).toBe("keywords 7.3 · meaning 0.60 of 1");
  expect(scoreWords({ bm25: null, cosine: null, signature: null, fused: 1 })).toBe("");
});
