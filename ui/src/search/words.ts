// The words of a result.

import type { Scores } from "../lib/types";
import { words } from "../words";

const said = words.search.results;

/** The scores of a result, for who wants to see them. */
export function scoreWords(scores: Scores): string {
  return [
    scores.bm25 !== null && said.words(scores.bm25.toFixed(1)),
    scores.cosine !== null && said.meaning(scores.cosine.toFixed(2)),
    scores.signature !== null && said.sameError(scores.signature.toFixed(1)),
  ]
    .filter(Boolean)
    .join(" · ");
}
