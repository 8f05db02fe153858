// The words of a result.

import type { Scores } from "../lib/types";

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
