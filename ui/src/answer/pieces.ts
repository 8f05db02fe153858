// The pieces of an answer: what can be read, and picked for a brief.

import { splitCodeBlocks } from "../lib/prose";
import { toSingleLine, displayTitle } from "../lib/text";
import type { AskedVersion, AskResponse, CaseComment, FixedBy, KnownProblem, KnownReport, SolvedCase } from "../lib/types";
import { words } from "../words";

const texts = words.answer;

export type Section = "problem" | "case" | "related" | "passage";

export interface Piece {
  /** Unique in the answer. */
  id: string;
  section: Section;
  key: string;
  /** The comment to read first. */
  anchor: string | null;
}

/** What a piece is called among the pieces. */
export function idOf(section: Section, key: string): string {
  return `${section} ${key}`;
}

/** The related reports that are not shown as solved cases already: of one report one thing is said. */
export function others({ related, cases }: AskResponse): readonly KnownReport[] {
  return related.filter(({ key }) => !cases.some((one) => one.key === key));
}

/** All pieces in the order in which they are shown. */
export function pieces(answer: AskResponse | null): Piece[] {
  if (answer === null) return [];
  const { problem, articles, cases, wiki, notes } = answer;
  const piece = (section: Section, key: string, anchor: string | null = null): Piece => ({ id: idOf(section, key), section, key, anchor });
  return [
    ...(problem ? [piece("problem", problem.key, problem.fix?.anchor ?? null)] : []),
    ...articles.map(({ key }) => piece("passage", key)),
    ...cases.map(({ key, fix }) => piece("case", key, fix)),
    ...others(answer).map(({ key }) => piece("related", key)),
    ...[...wiki, ...notes].map(({ key }) => piece("passage", key)),
  ];
}

export function isFixed({ status }: KnownProblem): boolean {
  return status === "solved" || status === "unreleased" || status === "came_back";
}

/** What somebody wrote, in one line, without its code. */
export function firstLine(text: string): string {
  const all = splitCodeBlocks(text);
  return toSingleLine((all.find((block) => !block.code) ?? all[0])?.text ?? "");
}

/** The comments of a case with the one that carries the fix in front; the rest in order of time. */
export function fixFirst(one: SolvedCase): CaseComment[] {
  const fix = one.comments.find((comment) => comment.anchor === one.fix);
  return fix ? [fix, ...one.comments.filter((comment) => comment !== fix)] : [...one.comments];
}

/** What a fix was, in one line: what a comment tells, else the change. */
export function fixLine(told: CaseComment | null, fixed_by: readonly FixedBy[], fixed_in: string | null): string {
  // What merely came last says less than what closed it.
  if (told && (told.role !== null || (fixed_by.length === 0 && fixed_in === null))) return firstLine(told.text);
  const change = fixed_by[0];
  if (change) return words.prompt.fixedBy(change.key, toSingleLine(displayTitle(change.title)));
  return fixed_in === null ? "" : words.prompt.fixedIn(fixed_in);
}

export interface Headline {
  words: string;
  /** What it is about; its title, and the comment to read. */
  key: string | null;
  title: string;
  anchor: string | null;
  detail: string;
}

/** The answer in two lines: what is known, and what to do. */
export function headline(answer: AskResponse, statusOf: (problem: KnownProblem) => string): Headline {
  const { problem, cases, articles, related, wiki, notes, next } = answer;
  const steps = next.join(" ");
  if (problem) {
    const { key, title, fix, workaround, asked_version, fixed_by, fixed_in } = problem;
    const fixed = isFixed(problem) ? fixLine(fix, fixed_by, fixed_in) : "";
    const detail = workaround && problem.status !== "solved" ? texts.untilThen(firstLine(workaround.text)) : asked_version || fixed === "" ? steps : fixed;
    return { words: texts.known(statusOf(problem)), key, title, anchor: null, detail };
  }
  const [one] = cases;
  if (one) {
    const told = one.fix === null ? null : (fixFirst(one)[0] ?? null);
    return { words: one.helps >= 0.5 ? texts.solvedBefore : texts.mayHelp, key: one.key, title: one.title, anchor: one.fix, detail: fixLine(told, one.fixed_by, one.fixed_in) };
  }
  for (const [sort, found] of [["article", articles], ["related", related], ["wiki", wiki], ["note", notes]] as const) {
    const first = found[0];
    if (first) return { words: texts.found[sort], key: first.key, title: first.title, anchor: null, detail: "text" in first ? firstLine(first.text) : steps };
  }
  return { words: answer.conclusive ? texts.nothing : texts.nothingYet, key: null, title: "", anchor: null, detail: steps };
}

/** What the version with the fix means for the one that is asked about. */
export function versionWords({ version, has_fix }: AskedVersion): string {
  if (has_fix === null) return texts.cannotTell(version);
  return has_fix ? texts.shouldHaveFix(version) : texts.isOlder(version);
}

/** How likely a case helps, in words; nothing where it is tied to the report by more than likeness. */
export function helps(one: SolvedCase): string {
  return one.relation === null ? chance(one.helps) : "";
}

export function chance(helps: number): string {
  return helps >= 0.5 ? texts.helps.surely : texts.helps.perhaps;
}
