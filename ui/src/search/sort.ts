// Sort orders. The engine ranks the results; the other orders sort them here.

import type { Hit } from "../lib/types";
import { SORT_ORDERS, type SortOrder } from "../shell/localStore.svelte";

const timestamp = (time: string | null) => (time === null ? Number.NEGATIVE_INFINITY : Date.parse(time));
const SORT_VALUES: Record<Exclude<SortOrder, "best">, (hit: Hit) => number> = {
  newest: (hit) => timestamp(hit.created_at),
  changed: (hit) => timestamp(hit.updated_at ?? hit.created_at),
  comments: (hit) => hit.comments,
};

/** Returns the hits in an order; the sort is stable. */
export function sortHits(hits: readonly Hit[], order: SortOrder): Hit[] {
  if (order === "best") return [...hits];
  const value = SORT_VALUES[order];
  return hits.toSorted((a, b) => (value(a) === value(b) ? 0 : value(b) - value(a)));
}

export function nextOrder(order: SortOrder): SortOrder {
  return SORT_ORDERS[(SORT_ORDERS.indexOf(order) + 1) % SORT_ORDERS.length] ?? "best";
}
