// How fresh the casebook is, in a few words; and the figures behind them.

import { holdings, isBehind } from "../lib/text";
import { absolute, brief } from "../lib/time";
import type { MirrorView, Status } from "../lib/types";
import { words } from "../words";

const said = words.shell.freshness;

/** "Up to date · 2 min ago": whether everything can be found, and when a tracker was last asked. */
export function freshness(status: Status, mirrors: readonly MirrorView[], isWorking: boolean, now: number): string {
  if (status.sources.length === 0) return said.empty;
  const standing = isWorking
    ? said.updating
    : isBehind(status.coverage, status.model.problem === null)
      ? said.behind
      : said.upToDate;
  // The one that was asked longest ago tells how far the whole can be relied on.
  const synced = mirrors.map((mirror) => mirror.synced_at);
  if (synced.length === 0) return standing;
  const oldest = synced.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
  return said.since(standing, oldest === null ? said.never : brief(oldest, now));
}

/** What the casebook holds and how much of it the search has seen. */
export function figures(status: Status): string[] {
  const { documents, full_text, chunks, embedded } = status.coverage;
  return [
    said.byWords(full_text, documents),
    ...(status.model.problem === null ? [said.byMeaning(embedded, chunks)] : []),
    ...status.sources.map((s) => said.source(s.key, holdings(s), absolute(s.changed_at ?? s.added_at))),
    status.casebook,
  ];
}
