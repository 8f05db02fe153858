// The six keys that get a newcomer through the day. Each is ticked off once it was used.

import type { CommandId, ViewId } from "../shell/keys";
import type { Shelf } from "../shell/shelf.svelte";
import { words } from "../words";

const said = words.search.tour;

export interface FirstKey {
  /** What was done when it was used. */
  id: CommandId | ViewId | "read";
  keys: string;
  does: string;
}

export const FIRST_KEYS: readonly FirstKey[] = [
  { id: "read", keys: "Enter", does: said.read },
  { id: "item.duplicates", keys: "Shift D", does: said.duplicates },
  { id: "item.solved", keys: "Shift S", does: said.solved },
  { id: "triage", keys: "2", does: said.triage },
  { id: "palette", keys: "Ctrl K", does: said.palette },
  { id: "help", keys: "?", does: said.help },
];

export function knowsKeys(shelf: Shelf): boolean {
  return FIRST_KEYS.every(({ id }) => shelf.hasLearnt(id));
}
