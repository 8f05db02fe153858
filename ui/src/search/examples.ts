// Example questions for newcomers, about open reports that have an answer.

import * as api from "../lib/api";
import type { Hit } from "../lib/types";
import { isFixed } from "../answer/evidence";
import { isDuplicateBand } from "../triage/labels";

const MAX_TRIED = 25;

export interface ExampleReports {
  reported: Hit | null;
  solved: Hit | null;
}

/** Tries the reports in turn until each question has one. */
export async function findExamples(hits: readonly (Hit | undefined)[]): Promise<ExampleReports> {
  const result: ExampleReports = { reported: null, solved: null };
  const openReports = hits.filter((hit) => hit?.kind === "issue" && hit.state === "open").slice(0, MAX_TRIED);
  for (const hit of openReports) {
    if (!hit || (result.reported && result.solved)) break;
    const answer = await api.ask({ key: hit.key, text: "", source: null }, true).catch(() => null);
    if (!answer) continue;
    const { problem, related, cases } = answer;
    if (!result.reported && ((problem && problem.key !== hit.key) || related.some((entry) => isDuplicateBand(entry.band)))) result.reported = hit;
    else if (!result.solved && (cases.length > 0 || (problem && isFixed(problem)))) result.solved = hit;
  }
  return result;
}
