// The words of a result.

import type { Scores } from "../lib/types";

/** The engine's phrases that say how it works, and what a colleague would say. */
const PLAIN: readonly (readonly [RegExp, string])[] = [
  [/\bit has the same error signature\b/i, "it is about the same error"],
  [/\bit shares an error signature with your text\b/i, "it is about one of the errors in your text"],
  [/\bnothing else is closer in meaning\b/i, "it says what you ask more nearly than anything else"],
  [/\bit is close in meaning\b/i, "it says something very similar"],
  [/\bit is related in meaning\b/i, "it is about something similar"],
  [/\bhas words of your query\b/i, "has some of your words"],
];

/** Why a document was found, in words that need no knowledge of the engine. */
export function reason(why: string): string {
  const plain = PLAIN.reduce((said, [engine, words]) => said.replace(engine, words), why);
  return plain.slice(0, 1).toUpperCase() + plain.slice(1);
}

/** The scores of a result, for who wants to see them. */
export function scoreWords(scores: Scores): string {
  return [
    scores.bm25 !== null && `words ${scores.bm25.toFixed(1)}`,
    scores.cosine !== null && `meaning ${scores.cosine.toFixed(2)} of 1`,
    scores.signature !== null && `same error ${scores.signature.toFixed(1)}`,
  ]
    .filter(Boolean)
    .join(" · ");
}
