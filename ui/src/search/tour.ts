// The six keys that a newcomer needs; each is checked off after its first use.

import type { CommandId, ViewId } from "../shell/keys";
import type { LocalStore } from "../shell/localStore.svelte";
import { words } from "../words";

const texts = words.search.tour;

/** The keys with the command or action of each. */
export const TOUR_KEYS: readonly { id: CommandId | ViewId | "read"; keys: string; description: string }[] = [
  { id: "read", keys: "Enter", description: texts.read },
  { id: "item.duplicates", keys: "Shift D", description: words.search.start.reported },
  { id: "item.solved", keys: "Shift S", description: words.search.start.solved },
  { id: "triage", keys: "2", description: texts.triage },
  { id: "palette", keys: "Ctrl K", description: texts.palette },
  { id: "help", keys: "?", description: texts.help },
];

export function isTourDone(store: LocalStore): boolean {
  return TOUR_KEYS.every(({ id }) => store.isUsed(id));
}
