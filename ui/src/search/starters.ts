// Questions for a newcomer, of open reports to which the casebook has an answer.

import * as api from "../lib/api";
import type { Hit } from "../lib/types";
import { isFixed } from "../answer/pieces";
import { maybeSame } from "../triage/words";

/** How many reports are tried at most. */
const TRIED = 25;

export interface Starters {
  /** An open report with a possible duplicate. */
  reported: Hit | null;
  /** An open report with a solved case. */
  solved: Hit | null;
}

/** Tries the reports in turn, until each question has one. */
export async function starters(hits: readonly (Hit | undefined)[]): Promise<Starters> {
  const found: Starters = { reported: null, solved: null };
  const open = hits.filter((hit) => hit?.kind === "issue" && hit.state === "open").slice(0, TRIED);
  for (const hit of open) {
    if (!hit || (found.reported && found.solved)) break;
    const answer = await api.ask({ key: hit.key, text: "", source: null }, true).catch(() => null);
    if (!answer) continue;
    const { problem, related, cases } = answer;
    if (!found.reported && ((problem && problem.key !== hit.key) || related.some((one) => maybeSame(one.band)))) found.reported = hit;
    else if (!found.solved && (cases.length > 0 || (problem && isFixed(problem)))) found.solved = hit;
  }
  return found;
}
