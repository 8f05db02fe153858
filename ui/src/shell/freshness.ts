// The freshness of the casebook as short texts.

import { sourceContents } from "../lib/text";
import { absoluteTime, relativeTime } from "../lib/time";
import type { MirrorView, Status } from "../lib/types";
import { words } from "../words";

const texts = words.shell.freshness;

/** Returns "Up to date · 2 minutes ago": the index state and the last sync. */
export function freshness(status: Status, mirrors: readonly MirrorView[], isWorking: boolean, isBehind: boolean, now: number): string {
  if (status.sources.length === 0) return texts.empty;
  const state = isWorking ? texts.updating : isBehind ? texts.behind : texts.upToDate;
  // The oldest sync limits how current the casebook is.
  const syncTimes = mirrors.map((mirror) => mirror.synced_at);
  if (syncTimes.length === 0) return state;
  const oldest = syncTimes.reduce((a, b) => (a === null || b === null ? null : a < b ? a : b));
  return texts.withLastSync(state, oldest === null ? words.sources.freshness.neverSynced : relativeTime(oldest, now));
}

/** Returns the contents of the casebook and how much of it is indexed. */
export function figures(status: Status): string[] {
  const { documents, full_text, chunks, embedded } = status.coverage;
  return [
    texts.keywordCoverage(full_text, documents),
    ...(status.model.problem === null ? [texts.semanticCoverage(embedded, chunks)] : []),
    ...status.sources.map((s) => texts.source(s.key, sourceContents(s), absoluteTime(s.changed_at ?? s.added_at))),
    status.casebook,
  ];
}
