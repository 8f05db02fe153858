// The pieces of an answer: what can be read, and picked for a brief.

import type { AskedVersion, CaseComment, DuplicateCandidate, DuplicatesResponse, SolvedCase, TroubleshootResponse } from "../lib/types";
import { words } from "../words";

const said = words.troubleshoot;

export type Section = "case" | "duplicate" | "wiki";

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

/** The possible duplicates that are not shown as solved cases already: of one report one thing is said. */
export function others(solved: TroubleshootResponse | null, duplicates: DuplicatesResponse | null): DuplicateCandidate[] {
  return (duplicates?.candidates ?? []).filter(({ key }) => !solved?.cases.some((one) => one.key === key));
}

/** All pieces in the order in which they are shown. */
export function pieces(solved: TroubleshootResponse | null, duplicates: DuplicatesResponse | null): Piece[] {
  const piece = (section: Section, key: string, anchor: string | null = null): Piece => ({ id: idOf(section, key), section, key, anchor });
  return [
    ...(solved?.cases ?? []).map(({ key, fix }) => piece("case", key, fix)),
    ...others(solved, duplicates).map(({ key }) => piece("duplicate", key)),
    ...(solved?.wiki ?? []).map(({ key }) => piece("wiki", key)),
  ];
}

/** The comments of a case with the one that carries the fix in front; the rest in order of time. */
export function fixFirst(one: SolvedCase): CaseComment[] {
  const fix = one.comments.find((comment) => comment.anchor === one.fix);
  return fix ? [fix, ...one.comments.filter((comment) => comment !== fix)] : [...one.comments];
}

/** What the version with the fix means for the one that is asked about. */
export function versionWords({ version, has_fix }: AskedVersion): string {
  if (has_fix === null) return said.cannotTell(version);
  return has_fix ? said.shouldHaveFix(version) : said.isOlder(version);
}

/** How likely a case helps, in words; nothing where it is tied to the report by more than likeness. */
export function helps(one: SolvedCase): string {
  return one.relation === null ? chance(one.helps) : "";
}

export function chance(helps: number): string {
  return helps >= 0.5 ? said.helps.surely : said.helps.perhaps;
}

export interface Block {
  code: boolean;
  /** What a fence says that its code is. */
  language: string | null;
  text: string;
}

/** A text as written, with its fenced code apart. A fence that is never closed holds the rest. */
export function blocks(text: string): Block[] {
  const found: Block[] = [];
  let code = false;
  let fence = "";
  let language: string | null = null;
  let lines: string[] = [];
  const close = () => {
    const whole = lines.join("\n");
    if (whole.trim()) found.push({ code, language: code ? language : null, text: code ? whole : whole.trim() });
    lines = [];
  };
  for (const line of text.split("\n")) {
    const mark = /^\s*(`{3,}|~{3,})/.exec(line)?.[1];
    if (mark && (!code || (mark.startsWith(fence) && line.trim() === mark))) {
      close();
      code = !code;
      fence = mark;
      language = /^[\w+#-]+/.exec(line.trim().slice(mark.length).trim())?.[0] ?? null;
    } else lines.push(line);
  }
  close();
  return found;
}
