// The orders of what was found. The engine has one of its own; the others are of the results that it gave.

import type { Hit } from "../lib/types";
import { SORT_ORDERS, type SortOrder } from "../shell/shelf.svelte";

export { SORT_ORDERS, type SortOrder };

const at = (time: string | null) => (time === null ? Number.NEGATIVE_INFINITY : Date.parse(time));
const VALUES: Record<Exclude<SortOrder, "best">, (hit: Hit) => number> = {
  newest: (hit) => at(hit.created_at),
  changed: (hit) => at(hit.updated_at ?? hit.created_at),
  comments: (hit) => hit.comments,
};

/** The same hits in an order; those that are equal in it stay in the one that they had. */
export function sorted(hits: readonly Hit[], order: SortOrder): Hit[] {
  if (order === "best") return [...hits];
  const value = VALUES[order];
  return hits.toSorted((a, b) => (value(a) === value(b) ? 0 : value(b) - value(a)));
}

/** The order after this one. */
export function following(order: SortOrder): SortOrder {
  return SORT_ORDERS[(SORT_ORDERS.indexOf(order) + 1) % SORT_ORDERS.length] ?? "best";
}
