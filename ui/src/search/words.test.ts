import { expect, it } from "vitest";
import { reason, scoreWords } from "./words";

it("says why in words that a colleague would use", () => {
  expect(reason("It is close in meaning. It was solved.")).toBe("It says something very similar. It was solved.");
  expect(reason("It has the same error signature, and nothing else is closer in meaning.")).toBe(
    "It is about the same error, and it says what you ask more nearly than anything else.",
  );
  expect(reason("Its title has “certificate”.")).toBe("Its title has “certificate”.");
  expect(reason("")).toBe("");
});

it("keeps the scores for who asks for them", () => {
  expect(scoreWords({ bm25: 7.25, cosine: 0.6, signature: null, fused: 1 })).toBe("words 7.3 · meaning 0.60 of 1");
  expect(scoreWords({ bm25: null, cosine: null, signature: null, fused: 1 })).toBe("");
});
