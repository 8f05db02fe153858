// What the buttons beside hints do, for whoever shows a hint.

import { getContext, setContext } from "svelte";
import type { Remedy } from "../lib/hints";
import { offerLeads, type Images } from "../lib/leads";
import { words } from "../words";
import type { Desk } from "./desk.svelte";

const said = words.shell;

export interface Way {
  words: string;
  run: () => void;
}

const KEY = Symbol("remedies");
type Find = (remedy: Remedy) => Way | null;

/** From here on down hints and the links in texts lead somewhere. */
export function offerWays(desk: Desk, read: (key: string) => void): void {
  setContext<Find>(KEY, (remedy) => ways(desk)[remedy]);
  offerLeads({ item: read, web: (url) => void desk.openExternal(url), mirrors: (key) => desk.mirrors(key), images: imagesOf(desk) });
}

function imagesOf({ shelf, sources }: Desk): Images {
  return {
    knows: (host) => sources.mirrors.some((mirror) => mirror.host.split("/")[0] === host),
    shows: (host) => shelf.kept.images.includes(host),
    show: (host) => shelf.showImages(host, true),
  };
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
  const to = (view: "settings" | "sources" | "notes"): Way | null =>
    isOpen && desk.view !== view ? { words: said.views[view].name, run: () => desk.go(view) } : null;
  return {
    repair: given("repair", said.remedies.repair),
    rebuild: isOpen ? given("rebuild", said.remedies.rebuild) : null,
    models: to("settings"),
    sources: to("sources"),
    notes: to("notes"),
    add: isOpen && !desk.sources.adding ? { words: said.remedies.add, run: () => desk.sources.startAdding() } : null,
  };
}
