// What the buttons beside hints do, for whoever shows a hint.

import { getContext, setContext } from "svelte";
import type { Remedy } from "../lib/hints";
import { offerLeads } from "../lib/leads";
import type { Desk } from "./desk.svelte";

export interface Way {
  words: string;
  run: () => void;
}

const KEY = Symbol("remedies");
type Find = (remedy: Remedy) => Way | null;

/** From here on down hints and the links in texts lead somewhere. */
export function offerWays(desk: Desk, read: (key: string) => void): void {
  setContext<Find>(KEY, (remedy) => ways(desk)[remedy]);
  offerLeads({ item: read, web: (url) => void desk.openExternal(url), mirrors: (key) => desk.mirrors(key) });
}

/** How to find the way of a remedy; there is none outside of the window. */
export function remedies(): Find {
  return getContext<Find | undefined>(KEY) ?? (() => null);
}

function ways(desk: Desk): Record<Remedy, Way | null> {
  const isOpen = desk.closed === null;
  const given = (id: "repair" | "rebuild", words: string): Way | null =>
    desk.commands.can(id) ? { words, run: () => desk.commands.run(id) } : null;
  // Where one is already, nothing leads there.
  const to = (view: "settings" | "sources" | "notes", words: string): Way | null =>
    isOpen && desk.view !== view ? { words, run: () => desk.go(view) } : null;
  return {
    repair: given("repair", "Check and repair"),
    rebuild: isOpen ? given("rebuild", "Make it again") : null,
    models: to("settings", "Settings"),
    sources: to("sources", "Sources"),
    notes: to("notes", "Notes"),
    add: isOpen && !desk.sources.adding ? { words: "Add a source", run: () => desk.sources.startAdding() } : null,
  };
}
