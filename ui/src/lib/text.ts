// Small words and numbers of the window.

import { words } from "../words";
import type { Coverage, Phase, SourceView, Span } from "./types";

const { shared } = words;
export const { count, bytes, percent, perSecond } = words.numbers;

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

/** Code in a title. */
const CODE = /`([^`]+)`/g;

/** A title as it is shown, without the marks of code: one that is empty would be a row without a handle. */
export function titled(title: string): string {
  return straight(title).replace(CODE, "$1").trim() || shared.noTitle;
}

/** The spans of a title, as [`titled`] shows it. */
export function titledSpans(spans: readonly Span[]): readonly Span[] {
  const ticks = plain(spans).split("`").length - 1;
  return ticks > 1 && ticks % 2 === 0 ? spans.map((span) => ({ ...span, text: span.text.replaceAll("`", "") })) : spans;
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
    source.issues > 0 && shared.issues(source.issues),
    source.pull_requests > 0 && shared.pullRequests(source.pull_requests),
    source.pages > 0 && shared.pages(source.pages),
    source.comments > 0 && shared.comments(source.comments),
  ].filter((part) => part !== false);
  return shared.list(parts) || shared.empty;
}

/** Whether an index lacks something. */
export function isBehind(c: Coverage, modelUsable: boolean): boolean {
  return c.full_text < c.documents || (modelUsable && (c.embedded < c.chunks || c.unread > 0 || (c.documents > 0 && c.chunks === 0)));
}

/** What a job is doing. */
export const PHASES: Record<Phase, string> = shared.phases;

/** How fast something is going, from its first and latest report; nothing in the first second. */
export function rate(started: { at: number; done: number }, at: number, done: number): number | null {
  const seconds = (at - started.at) / 1000;
  return seconds < 1 || done <= started.done ? null : (done - started.done) / seconds;
}

/** An author's standing, where it is worth a badge. */
export function standing(association: string | null): string | null {
  const standings: Record<string, string> = shared.standings;
  return association === null ? null : (standings[association.toUpperCase()] ?? null);
}

/** A link's kind, read from this document. */
export function linkWords(kind: string, outgoing: boolean): string {
  const { links } = shared;
  switch (kind) {
    case "duplicate_of":
      return outgoing ? links.duplicateOf : links.hasDuplicate;
    case "closes":
      return outgoing ? links.closes : links.closedBy;
    case "mentions":
      return outgoing ? links.mentions : links.mentionedIn;
    case "relates_to":
      return links.relatedTo;
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

const LONGEST = 240;

/** Tracker text in one line, so that it ends where its sentence does. */
export function inLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).trimEnd()}…` : line;
}
