// What the prompt says: its lines, what it says where nothing is known, and the reply that can be copied.

import { fixFirst, fixLine, firstLine, helps, isFixed } from "../answer/pieces";
import { toSingleLine, spanText, displayTitle } from "../lib/text";
import type { AskResponse, Band, DocKind, Hit, State } from "../lib/types";
import { statusOf } from "../problems/problems.svelte";
import { BAND_LABELS } from "../triage/words";
import { words } from "../words";

const texts = words.prompt;

/** An answer in one line. */
export interface Line {
  key: string;
  /** The comment that tells it; nothing stands for the report. */
  anchor: string | null;
  kind: DocKind;
  state: State | null;
  reason: string | null;
  title: string;
  url: string | null;
  /** What is said of it with its key; its key alone where it is only found. */
  headline: string;
  band: Band | null;
  /** What became of it, or what the fix was, in parts. */
  more: readonly string[];
  /** The same as a sentence of a reply, without its address. */
  cited: string;
}

const cited = (title: string, key: string) => texts.reply.cited(toSingleLine(displayTitle(title)), key);

/** How sure it is that a report is about a known problem. */
const bandOf = (confidence: number): Band => (confidence >= 0.9 ? "high" : confidence >= 0.5 ? "likely" : "possible");

/** The known problem, else the best related report. */
export function known({ key: own, problem, related }: AskResponse): Line[] {
  if (problem) {
    const { key, title, url, status, confidence, workaround } = problem;
    const [band, standing, report] = [bandOf(confidence), statusOf(problem), cited(title, key)];
    const until = workaround && status !== "solved" ? words.answer.untilThen(firstLine(workaround.text)) : "";
    const headline = own === key ? texts.reply.see(report) : confidence === 1 ? texts.reply.knownDuplicate(report) : texts.reply.bands[band](report);
    return [
      {
        key, anchor: null, kind: "issue", state: status === "open" ? "open" : "closed", reason: status === "declined" ? "not_planned" : null, title, url,
        headline: own === key ? key : confidence === 1 ? texts.knownDuplicate(key) : BAND_LABELS[band](key), band: own === key ? null : band,
        more: [standing, until].filter((part) => part !== ""), cited: words.shared.sentences([headline, texts.reply.standing(standing), until].filter((part) => part !== "")),
      },
    ];
  }
  return related.slice(0, 1).map(({ key, state, state_reason, title, url, band }) => ({
    key, anchor: null, kind: "issue", state, reason: state_reason, title, url, headline: BAND_LABELS[band](key), band, more: [], cited: texts.reply.bands[band](cited(title, key)),
  }));
}

/** The first results of a search. */
export function first(hits: readonly Hit[]): Line[] {
  return hits.map(({ key, kind, state, state_reason, title, url }) => ({
    key, anchor: null, kind, state, reason: state_reason, title: spanText(title), url, headline: key, band: null, more: [],
    cited: texts.reply.see(cited(spanText(title), key)),
  }));
}

/** What solved the problem itself, else a case like it. */
export function solved({ problem, cases }: AskResponse): Line[] {
  if (problem && isFixed(problem)) {
    const { key, title, url, fix, fixed_by, fixed_in } = problem;
    const line = fixLine(fix, fixed_by, fixed_in);
    return line === "" ? [] : [
      { key, anchor: fix?.anchor ?? null, kind: "issue", state: "closed", reason: null, title, url, headline: key, band: null, more: [line], cited: texts.reply.solved(cited(title, key), line) },
    ];
  }
  return cases.slice(0, 1).map((one) => {
    const told = one.fix === null ? null : (fixFirst(one)[0] ?? null);
    const fix = fixLine(told, one.fixed_by, one.fixed_in);
    const { key, kind, state, state_reason, title, url } = one;
    const report = cited(title, key);
    return {
      key, anchor: one.fix, kind, state, reason: state_reason, title, url, headline: key, band: null,
      more: [helps(one), fix].filter((part) => part !== ""),
      cited: fix === "" ? texts.reply.solvedBefore(report) : texts.reply.solved(report, fix),
    };
  });
}

export function wiki(response: AskResponse): Line[] {
  return response.wiki.slice(0, 1).map(({ key, title, url, text }) => ({
    key, anchor: null, kind: "page", state: null, reason: null, title, url, headline: key, band: null, more: [toSingleLine(text)],
    cited: texts.reply.wiki(cited(title, key)),
  }));
}

/** The wiki is not looked through where a case surely helps; that is no silence of the wiki. */
export function wikiSilence(response: AskResponse | null): string {
  const isSure = response?.cases.some((one) => one.relation !== null || one.helps >= 0.5) || (response?.problem && isFixed(response.problem));
  return isSure ? texts.wikiLeftOut : texts.nothingInWiki;
}

/** What a reply says of an answer: nothing twice, and nothing of private notes. */
export function repliesTo(answer: AskResponse): Line[] {
  return [...known(answer), ...solved(answer), ...wiki(answer)];
}

/** A reply that cites what is known: a sentence for each answer, with its address where it has one. */
export function reply(lines: readonly Line[]): string {
  return lines.map((line) => (line.url === null ? line.cited : `${line.cited} ${line.url}`)).join("\n");
}
