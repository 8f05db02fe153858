// The prompt's lines, its text without wiki pages, and the reply to copy.

import { orderComments, fixLine, firstLine, caseRelevance, isFixed } from "../answer/evidence";
import { toSingleLine, spanText, displayTitle } from "../lib/text";
import type { AskResponse, Band, DocKind, Hit, State } from "../lib/types";
import { statusLabel } from "../problems/problems.svelte";
import { BAND_LABELS, bandOf } from "../triage/labels";
import { words } from "../words";

const texts = words.prompt;

export interface Line {
  key: string;
  /** The comment to open; `null` for the report. */
  anchor: string | null;
  kind: DocKind;
  state: State | null;
  reason: string | null;
  title: string;
  url: string | null;
  /** The answer with its key, or the key alone. */
  headline: string;
  band: Band | null;
  /** Further parts: the status or the fix. */
  details: readonly string[];
  /** The answer as a sentence of a reply, without its address. */
  citation: string;
}

const cite = (title: string, key: string) => texts.reply.cited(toSingleLine(displayTitle(title)), key);

/** Returns the known problem, or else the best related report. */
export function knownLines({ key: queryKey, problem, related }: AskResponse): Line[] {
  if (problem) {
    const { key, title, url, status, confidence, workaround } = problem;
    const [band, statusText, report] = [bandOf(confidence), statusLabel(problem), cite(title, key)];
    const workaroundText = workaround && status !== "solved" ? words.answer.untilThen(firstLine(workaround.text)) : "";
    const headline = queryKey === key ? texts.reply.see(report) : confidence === 1 ? texts.reply.knownDuplicate(report) : texts.reply.bands[band](report);
    return [
      {
        key, anchor: null, kind: "issue", state: status === "open" ? "open" : "closed", reason: status === "declined" ? "not_planned" : null, title, url,
        headline: queryKey === key ? key : confidence === 1 ? texts.knownDuplicate(key) : BAND_LABELS[band](key), band: queryKey === key ? null : band,
        details: [statusText, workaroundText].filter((part) => part !== ""), citation: words.shared.sentences([headline, texts.reply.status(statusText), workaroundText].filter((part) => part !== "")),
      },
    ];
  }
  return related.slice(0, 1).map(({ key, state, state_reason, title, url, band }) => ({
    key, anchor: null, kind: "issue", state, reason: state_reason, title, url, headline: BAND_LABELS[band](key), band, details: [], citation: texts.reply.bands[band](cite(title, key)),
  }));
}

export function resultLines(hits: readonly Hit[]): Line[] {
  return hits.map(({ key, kind, state, state_reason, title, url }) => ({
    key, anchor: null, kind, state, reason: state_reason, title: spanText(title), url, headline: key, band: null, details: [],
    citation: texts.reply.see(cite(spanText(title), key)),
  }));
}

/** Returns the problem's own solution, or else a similar solved case. */
export function solvedLines({ problem, cases }: AskResponse): Line[] {
  if (problem && isFixed(problem)) {
    const { key, title, url, fix, fixed_by, fixed_in } = problem;
    const line = fixLine(fix, fixed_by, fixed_in);
    return line === "" ? [] : [
      { key, anchor: fix?.anchor ?? null, kind: "issue", state: "closed", reason: null, title, url, headline: key, band: null, details: [line], citation: texts.reply.solved(cite(title, key), line) },
    ];
  }
  return cases.slice(0, 1).map((entry) => {
    const fixComment = entry.fix === null ? null : (orderComments(entry)[0] ?? null);
    const fix = fixLine(fixComment, entry.fixed_by, entry.fixed_in);
    const { key, kind, state, state_reason, title, url } = entry;
    const report = cite(title, key);
    return {
      key, anchor: entry.fix, kind, state, reason: state_reason, title, url, headline: key, band: null,
      details: [caseRelevance(entry), fix].filter((part) => part !== ""),
      citation: fix === "" ? texts.reply.solvedBefore(report) : texts.reply.solved(report, fix),
    };
  });
}

export function wikiLines(response: AskResponse): Line[] {
  return response.wiki.slice(0, 1).map(({ key, title, url, text }) => ({
    key, anchor: null, kind: "page", state: null, reason: null, title, url, headline: key, band: null, details: [toSingleLine(text)],
    citation: texts.reply.wiki(cite(title, key)),
  }));
}

/** Returns the text for no wiki pages: the wiki is not searched if a case is likely to help. */
export function emptyWikiText(response: AskResponse | null): string {
  const isSkipped = response?.cases.some((entry) => entry.relation !== null || entry.relevance >= 0.5) || (response?.problem && isFixed(response.problem));
  return isSkipped ? texts.wikiSkipped : texts.nothingInWiki;
}

/** Returns the lines of a reply, which never cite private notes. */
export function replyLines(answer: AskResponse): Line[] {
  return [...knownLines(answer), ...solvedLines(answer), ...wikiLines(answer)];
}

/** Returns a reply with a sentence per line, followed by its address if it has one. */
export function formatReply(lines: readonly Line[]): string {
  return lines.map((line) => (line.url === null ? line.citation : `${line.citation} ${line.url}`)).join("\n");
}
