// The six keys that get a newcomer through the day. Each is ticked off once it was used.

import type { CommandId, ViewId } from "../shell/keys";
import type { Shelf } from "../shell/shelf.svelte";

export interface FirstKey {
  /** What was done when it was used. */
  id: CommandId | ViewId | "read";
  keys: string;
  does: string;
}

export const FIRST_KEYS: readonly FirstKey[] = [
  { id: "read", keys: "Enter", does: "Read the result that is marked" },
  { id: "item.duplicates", keys: "Shift D", does: "Was this reported before?" },
  { id: "item.solved", keys: "Shift S", does: "Was this solved before?" },
  { id: "triage", keys: "2", does: "Decide which reports are duplicates" },
  { id: "palette", keys: "Ctrl K", does: "Find an item, or anything to do" },
  { id: "help", keys: "?", does: "Every key there is" },
];

export function knowsKeys(shelf: Shelf): boolean {
  return FIRST_KEYS.every(({ id }) => shelf.hasLearnt(id));
}
