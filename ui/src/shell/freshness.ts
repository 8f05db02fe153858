// How fresh the casebook is, in a few words; and the figures behind them.

import { count, holdings, isBehind, plural } from "../lib/text";
import { absolute, brief } from "../lib/time";
import type { MirrorView, Status } from "../lib/types";

/** "Up to date · 2 min ago": whether everything can be found, and when a tracker was last asked. */
export function freshness(status: Status, mirrors: readonly MirrorView[], isWorking: boolean, now: number): string {
  if (status.sources.length === 0) return "Empty casebook";
  const standing = isWorking
    ? "Updating"
    : isBehind(status.coverage, status.model.problem === null)
      ? "Not everything can be found yet"
      : "Up to date";
  // The one that was asked longest ago tells how far the whole can be relied on.
  const synced = mirrors.map((mirror) => mirror.synced_at);
  if (synced.length === 0) return standing;
  const oldest = synced.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
  return `${standing} · ${oldest === null ? "never synced" : brief(oldest, now)}`;
}

/** What the casebook holds and how much of it the search has seen. */
export function figures(status: Status): string[] {
  const { documents, full_text, chunks, embedded } = status.coverage;
  return [
    `${count(full_text)} of ${plural(documents, "document")} searchable by words`,
    ...(status.model.problem === null ? [`${count(embedded)} of ${plural(chunks, "passage")} searchable by meaning`] : []),
    ...status.sources.map((s) => `${s.key}: ${holdings(s)}, last change ${absolute(s.changed_at ?? s.added_at)}`),
    status.casebook,
  ];
}
