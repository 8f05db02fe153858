// Small words and numbers of the window.

import type { Coverage, Phase, SourceView, Span } from "./types";

/** 12,360: grouped by hand, because `Intl` may be unusable. */
export function count(n: number): string {
  return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ",");
}

/** "1 comment", "12 comments". */
export function plural(n: number, one: string, many = `${one}s`): string {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** Spans as text. */
export function plain(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join("");
}

/**
 * A text without the marks that turn round what follows: "gpj.exe" must not read as "exe.jpg". Each part is written in the
 * direction of its own words anyway.
 */
export function straight(text: string): string {
  return text.replace(/[\u202A-\u202E\u2066-\u2069]/g, "");
}

/** A title as it is shown: one that is empty would be a row without a handle. */
export function titled(title: string): string {
  return straight(title).trim() || "(no title)";
}

/** Whether spans show nothing. */
export function isBlank(spans: readonly Span[]): boolean {
  return plain(spans).trim() === "";
}

/** Joins neighbours of the same sort and drops empty ones, so that a marked phrase is one mark. */
export function joined(spans: readonly Span[]): Span[] {
  const found: Span[] = [];
  for (const span of spans) {
    if (span.text === "") continue;
    const last = found.at(-1);
    // A blank between two marks belongs to the mark.
    const before = found.at(-2);
    if (last && last.hit === span.hit) last.text += span.text;
    else if (span.hit && last && before?.hit && /^[ \t]$/.test(last.text)) {
      before.text += last.text + span.text;
      found.pop();
    } else found.push({ ...span });
  }
  return found;
}

/** What a source holds, in words: "81 issues, 14 pull requests, 9 pages". */
export function holdings(source: SourceView): string {
  const parts = [
    source.issues > 0 && plural(source.issues, "issue"),
    source.pull_requests > 0 && plural(source.pull_requests, "pull request"),
    source.pages > 0 && plural(source.pages, "wiki page"),
    source.comments > 0 && plural(source.comments, "comment"),
  ].filter((part) => part !== false);
  return parts.join(", ") || "empty";
}

/** Whether an index lacks something. */
export function isBehind(c: Coverage, modelUsable: boolean): boolean {
  return c.full_text < c.documents || (modelUsable && (c.embedded < c.chunks || c.unread > 0 || (c.documents > 0 && c.chunks === 0)));
}

/** What a job is doing. */
export const PHASES: Record<Phase, string> = {
  import: "Importing",
  sync: "Fetching",
  read: "Reading",
  wait: "Waiting for the tracker",
  full_text: "Indexing text",
  merge: "Tidying up the index",
  chunk: "Preparing search by meaning",
  embed: "Learning the meaning of texts",
  download: "Downloading the model",
  triage: "Checking for duplicates",
  calibrate: "Learning from known duplicates",
  evaluate: "Evaluating",
  close: "Closing at the tracker",
};

/** "3.4 MB". */
export function bytes(n: number): string {
  if (n < 1000) return `${n} B`;
  const units = ["kB", "MB", "GB", "TB"];
  let value = n / 1000;
  let at = 0;
  while (value >= 999.5 && at < units.length - 1) {
    value /= 1000;
    at++;
  }
  return `${value < 9.95 ? value.toFixed(1) : count(value)} ${units[at] ?? ""}`;
}

/** "37 %", on one line. */
export function percent(share: number): string {
  const value = share * 100;
  return `${value > 0 && value < 9.95 ? value.toFixed(1).replace(/\.0$/, "") : count(value)}\u00a0%`;
}

/** How fast something is going, from its first and latest report; nothing in the first second. */
export function rate(started: { at: number; done: number }, at: number, done: number): number | null {
  const seconds = (at - started.at) / 1000;
  return seconds < 1 || done <= started.done ? null : (done - started.done) / seconds;
}

/** "38/s", "0.4/s". */
export function perSecond(n: number): string {
  return n < 10 ? `${n.toFixed(1)}/s` : `${count(n)}/s`;
}

const ASSOCIATIONS: Record<string, string> = {
  OWNER: "owner",
  MEMBER: "member",
  COLLABORATOR: "collaborator",
  CONTRIBUTOR: "contributor",
  FIRST_TIME_CONTRIBUTOR: "first-time contributor",
  FIRST_TIMER: "first-timer",
  ANSWER: "accepted answer",
};

/** An author's standing, where it is worth a badge. */
export function standing(association: string | null): string | null {
  return association === null ? null : (ASSOCIATIONS[association.toUpperCase()] ?? null);
}

/** A link's kind, read from this document. */
export function linkWords(kind: string, outgoing: boolean): string {
  switch (kind) {
    case "duplicate_of":
      return outgoing ? "Duplicate of" : "Has the duplicate";
    case "closes":
      return outgoing ? "Closes" : "Closed by";
    case "mentions":
      return outgoing ? "Mentions" : "Mentioned in";
    case "relates_to":
      return "Related to";
    default:
      return kind.replaceAll("_", " ");
  }
}

/** A message of the engine as a sentence: with a capital, unless it begins with a key, a path or a name, and a stop. */
export function sentence(message: string): string {
  const isWord = /^[\p{L}’'-]+(?:[\s,:;]|$)/u.test(message);
  const text = isWord ? message.slice(0, 1).toUpperCase() + message.slice(1) : message;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}
