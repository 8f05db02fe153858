// Formatting of texts and numbers.

import { words } from "../words";
import type { Coverage, SourceView, Span, Thread, ThreadComment } from "./types";

const { shared } = words;
export const { count, bytes, percent, perSecond } = words.numbers;

export function spanText(spans: readonly Span[]): string {
  return spans.map((span) => span.text).join("");
}

/**
 * Removes bidirectional control characters: "gpj.exe" must not read as "exe.jpg". Blocks follow the
 * direction of their own text.
 */
export function stripBidi(text: string): string {
  return text.replace(/[\u202A-\u202E\u2066-\u2069]/g, "");
}

const CODE = /`([^`]+)`/g;

/** Returns a title without code ticks, or a placeholder if nothing is left. */
export function displayTitle(title: string): string {
  return stripBidi(title).replace(CODE, "$1").trim() || shared.noTitle;
}

/** Removes code ticks from the spans of a title. */
export function displayTitleSpans(spans: readonly Span[]): readonly Span[] {
  const ticks = spanText(spans).split("`").length - 1;
  return ticks > 1 && ticks % 2 === 0 ? spans.map((span) => ({ ...span, text: span.text.replaceAll("`", "") })) : spans;
}

export function isBlank(spans: readonly Span[]): boolean {
  return spanText(spans).trim() === "";
}

/** Merges adjacent spans of the same kind, so that a marked phrase is one mark. */
export function mergeSpans(spans: readonly Span[]): Span[] {
  const result: Span[] = [];
  for (const span of spans) {
    if (span.text === "") continue;
    const last = result.at(-1);
    // A space between two marks belongs to the mark.
    const previous = result.at(-2);
    if (last && last.hit === span.hit) last.text += span.text;
    else if (span.hit && last && previous?.hit && /^[ \t]$/.test(last.text)) {
      previous.text += last.text + span.text;
      result.pop();
    } else result.push({ ...span });
  }
  return result;
}

/** Lists the contents of a source: "81 issues, 14 pull requests, 9 pages". */
export function sourceContents(source: SourceView): string {
  const parts = [
    source.issues > 0 && shared.issues(source.issues),
    source.pull_requests > 0 && shared.pullRequests(source.pull_requests),
    source.pages > 0 && shared.pages(source.pages),
    source.comments > 0 && shared.comments(source.comments),
  ].filter((part) => part !== false);
  return shared.list(parts) || shared.empty;
}

/** Returns whether an index is incomplete. */
export function isIndexBehind(coverage: Coverage, isModelUsable: boolean): boolean {
  const { documents, full_text, chunks, embedded, unread } = coverage;
  return full_text < documents || (isModelUsable && (embedded < chunks || unread > 0 || (documents > 0 && chunks === 0)));
}

/** Returns the items per second since the first report; `null` during the first second. */
export function rate(start: { time: number; done: number }, time: number, done: number): number | null {
  const seconds = (time - start.time) / 1000;
  return seconds < 1 || done <= start.done ? null : (done - start.done) / seconds;
}

/** Returns an author's role if it deserves a badge. */
export function authorRole(association: string | null): string | null {
  const roles: Record<string, string> = shared.roles;
  return association === null ? null : (roles[association.toUpperCase()] ?? null);
}

/** A comment, or the text of an item. An `undefined` author is not shown, as for notes. */
export type DisplayComment = Pick<ThreadComment, "anchor" | "association" | "updated_at" | "bot" | "html"> & Pick<Thread, "created_at"> & { author: string | null | undefined };

/** Returns the text of an item as a comment. */
export function bodyComment({ author, association, created_at, html }: Thread): DisplayComment {
  return { anchor: "body", author, association, created_at, updated_at: null, bot: false, html };
}

/** Returns the label of a link's kind, seen from this document. */
export function linkLabel(kind: string, outgoing: boolean): string {
  const labels: Record<string, readonly string[]> = shared.links;
  return labels[kind]?.[outgoing ? 0 : 1] ?? kind.replaceAll("_", " ");
}

/** Turns an engine message into a sentence. Keys, paths and names at its start keep their case. */
export function sentence(message: string): string {
  const isWord = /^[\p{L}’'-]+(?:[\s,:;]|$)/u.test(message);
  const text = isWord ? message.slice(0, 1).toUpperCase() + message.slice(1) : message;
  return /[.!?…]$/.test(text) ? text : `${text}.`;
}

const MAX_LINE_LENGTH = 240;

/** Shortens tracker text to one line. */
export function toSingleLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > MAX_LINE_LENGTH ? `${line.slice(0, MAX_LINE_LENGTH - 1).trimEnd()}…` : line;
}
