// The evidence of an answer: items that can be opened and included in a brief.

import { splitCodeBlocks } from "../lib/prose";
import { toSingleLine, displayTitle } from "../lib/text";
import type { AskedVersion, AskResponse, CaseComment, FixedBy, KnownProblem, KnownReport, SolvedCase } from "../lib/types";
import { statusLabel } from "../problems/problems.svelte";
import { bandOf } from "../triage/labels";
import { words } from "../words";

const texts = words.answer;

export type EvidenceSection = "problem" | "case" | "related" | "passage";

export interface EvidenceItem {
  /** Unique within the answer. */
  id: string;
  section: EvidenceSection;
  key: string;
  anchor: string | null;
}

export function evidenceId(section: EvidenceSection, key: string): string {
  return `${section} ${key}`;
}

/** Returns the related reports that are not already shown as solved cases. */
export function otherRelated({ related, cases }: AskResponse): readonly KnownReport[] {
  return related.filter(({ key }) => !cases.some((entry) => entry.key === key));
}

/** Returns all evidence in display order. */
export function listEvidence(answer: AskResponse | null): EvidenceItem[] {
  if (answer === null) return [];
  const { problem, articles, cases, wiki, notes } = answer;
  const piece = (section: EvidenceSection, key: string, anchor: string | null = null): EvidenceItem => ({ id: evidenceId(section, key), section, key, anchor });
  return [
    ...(problem ? [piece("problem", problem.key, problem.fix?.anchor ?? null)] : []),
    ...articles.map(({ key }) => piece("passage", key)),
    ...cases.map(({ key, fix }) => piece("case", key, fix)),
    ...otherRelated(answer).map(({ key }) => piece("related", key)),
    ...[...wiki, ...notes].map(({ key }) => piece("passage", key)),
  ];
}

export function isFixed({ status }: KnownProblem): boolean {
  return status === "solved" || status === "unreleased" || status === "came_back";
}

/** Returns the first paragraph of prose in one line. */
export function firstLine(text: string): string {
  const blocks = splitCodeBlocks(text);
  return toSingleLine((blocks.find((block) => !block.code) ?? blocks[0])?.text ?? "");
}

/** Returns the comments of a case, the fix first and the rest by time. */
export function orderComments(entry: SolvedCase): CaseComment[] {
  const fix = entry.comments.find((comment) => comment.anchor === entry.fix);
  return fix ? [fix, ...entry.comments.filter((comment) => comment !== fix)] : [...entry.comments];
}

/** Returns the fix in one line: its comment, or else the change. */
export function fixLine(fixComment: CaseComment | null, fixed_by: readonly FixedBy[], fixed_in: string | null): string {
  // A comment without a role says less than the change that closed the report.
  if (fixComment && (fixComment.role !== null || (fixed_by.length === 0 && fixed_in === null))) return firstLine(fixComment.text);
  const change = fixed_by[0];
  if (change) return words.prompt.fixedBy(change.key, toSingleLine(displayTitle(change.title)));
  return fixed_in === null ? "" : words.triage.pair.dispositions.fixedIn(fixed_in);
}

interface Headline {
  text: string;
  /** The item that it names, if any. */
  key: string | null;
  title: string;
  anchor: string | null;
  detail: string;
}

/** Returns the answer in two lines: what is known, and what to do. */
export function summarize(answer: AskResponse): Headline {
  const { problem, cases, articles, related, wiki, notes, next } = answer;
  const steps = next.join(" ");
  if (problem) {
    const { key, title, fix, workaround, asked_version, fixed_by, fixed_in } = problem;
    const fixed = isFixed(problem) ? fixLine(fix, fixed_by, fixed_in) : "";
    const detail = workaround && problem.status !== "solved" ? texts.untilThen(firstLine(workaround.text)) : asked_version || fixed === "" ? steps : fixed;
    const text = key === answer.key ? texts.status : texts.known[bandOf(problem.confidence)];
    return { text: text(statusLabel(problem)), key, title, anchor: null, detail };
  }
  const [entry] = cases;
  if (entry) {
    const fixComment = entry.fix === null ? null : (orderComments(entry)[0] ?? null);
    return { text: entry.relevance >= 0.5 ? texts.solvedBefore : texts.mayHelp, key: entry.key, title: entry.title, anchor: entry.fix, detail: fixLine(fixComment, entry.fixed_by, entry.fixed_in) };
  }
  for (const [kind, passages] of [["article", articles], ["related", related], ["wiki", wiki], ["note", notes]] as const) {
    const first = passages[0];
    if (first) return { text: texts.found[kind], key: first.key, title: first.title, anchor: null, detail: "text" in first ? firstLine(first.text) : steps };
  }
  return { text: answer.conclusive ? texts.nothing : texts.nothingYet, key: null, title: "", anchor: null, detail: steps };
}

/** Returns whether the version in question has the fix. */
export function versionLabel({ version, has_fix }: AskedVersion): string {
  if (has_fix === null) return texts.cannotTell(version);
  return has_fix ? texts.shouldHaveFix(version) : texts.isOlder(version);
}

/** Returns how likely a case is to help; empty if it has a stronger link to the report. */
export function caseRelevance(entry: SolvedCase): string {
  return entry.relation === null ? relevanceLabel(entry.relevance) : "";
}

export function relevanceLabel(relevance: number): string {
  return relevance >= 0.5 ? texts.relevance.high : texts.relevance.low;
}
