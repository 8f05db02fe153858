// What the prompt says: its lines, what it says where nothing is known, and the reply that can be copied.

import { plain, titled } from "../lib/text";
import type { Band, DocKind, DuplicatesResponse, Hit, SolvedCase, State, TroubleshootResponse } from "../lib/types";
import { blocks, fixFirst, helps } from "../troubleshoot/pieces";
import { alike } from "../troubleshoot/troubleshoot.svelte";
import { became, BANDS } from "../triage/words";
import { words } from "../words";

const said = words.prompt;

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
  says: string;
  band: Band | null;
  /** What became of it, or what the fix was, in parts. */
  more: readonly string[];
  /** The same as a sentence of a reply, without its address. */
  cited: string;
}

const LONGEST = 240;

/** Tracker text in one line, so that it ends where its sentence does. */
function inLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > LONGEST ? `${line.slice(0, LONGEST - 1).trimEnd()}…` : line;
}

const cited = (title: string, key: string) => said.reply.cited(inLine(titled(title)), key);

/** The best report that is the same or related; what the tracker knows comes before what is found. */
export function known(response: DuplicatesResponse): Line[] {
  const stays = response.known;
  if (stays) {
    const more = stays.disposition === null ? [] : [became(stays.disposition).words];
    return [
      {
        key: stays.key, anchor: null, kind: stays.kind ?? "issue", state: stays.state, reason: stays.state_reason, title: stays.title ?? "", url: stays.url,
        says: said.knownDuplicate(stays.key), band: "high", more, cited: said.reply.knownDuplicate(cited(stays.title ?? "", stays.key)),
      },
    ];
  }
  return alike(response)
    .candidates.slice(0, 1)
    .map(({ key, state, state_reason, title, url, band, disposition }) => ({
      key, anchor: null, kind: "issue", state, reason: state_reason, title, url, says: BANDS[band](key), band, more: [became(disposition).words],
      cited: said.reply.bands[band](cited(title, key)),
    }));
}

/** The first results of a search. */
export function first(hits: readonly Hit[]): Line[] {
  return hits.map(({ key, kind, state, state_reason, title, url }) => ({
    key, anchor: null, kind, state, reason: state_reason, title: plain(title), url, says: key, band: null, more: [],
    cited: said.reply.see(cited(plain(title), key)),
  }));
}

/** What the fix of a case was, in one line. */
export function fixOf(one: SolvedCase): string {
  const told = one.fix === null ? undefined : fixFirst(one)[0];
  // What merely came last says less than what closed it.
  if (told && (told.role !== null || (one.fixed_by.length === 0 && one.fixed_in === null))) {
    const all = blocks(told.text);
    return inLine((all.find((block) => !block.code) ?? all[0])?.text ?? "");
  }
  const change = one.fixed_by[0];
  if (change) return said.fixedBy(change.key, inLine(titled(change.title)));
  return one.fixed_in === null ? "" : said.fixedIn(one.fixed_in);
}

export function solved(response: TroubleshootResponse): Line[] {
  return response.cases.slice(0, 1).map((one) => {
    const fix = fixOf(one);
    const { key, kind, state, state_reason, title, url } = one;
    const report = cited(title, key);
    return {
      key, anchor: one.fix, kind, state, reason: state_reason, title, url, says: key, band: null,
      more: [helps(one), fix].filter((part) => part !== ""),
      cited: fix === "" ? said.reply.solvedBefore(report) : said.reply.solved(report, fix),
    };
  });
}

export function wiki(response: TroubleshootResponse): Line[] {
  return response.wiki.slice(0, 1).map(({ key, title, url, text }) => ({
    key, anchor: null, kind: "page", state: null, reason: null, title, url, says: key, band: null, more: [inLine(text)],
    cited: said.reply.wiki(cited(title, key)),
  }));
}

/** The wiki is not looked through where a case surely helps; that is no silence of the wiki. */
export function wikiSilence(response: TroubleshootResponse | null): string {
  const isSure = response?.cases.some((one) => one.relation !== null || one.helps >= 0.5) ?? false;
  return isSure ? said.wikiLeftOut : said.nothingInWiki;
}

/** A reply that cites what is known: a sentence for each answer, with its address where it has one. */
export function reply(lines: readonly Line[]): string {
  return lines.map((line) => (line.url === null ? line.cited : `${line.cited} ${line.url}`)).join("\n");
}
