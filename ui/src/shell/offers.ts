// What the palette offers before anything is typed, and the items that fit what is.

import * as api from "../lib/api";
import { plain, titled } from "../lib/text";
import type { Desk } from "./desk.svelte";
import { nameOf } from "./items";
import { VIEWS, type Group, type ViewId } from "./keys";
import { appearance } from "./look.svelte";
import type { Command, Section } from "./palette";
import type { Item } from "./shelf.svelte";

const THEME_NAMES = { system: "same as the system", light: "light", dark: "dark" };
const FOUND = 8;
const RECENT = 6;

interface Ways {
  go: (view: ViewId) => void;
  toSearch: () => void;
  lookFor: (query: string) => void;
  read: (key: string) => void;
}

/** The commands of these groups that can be given now. */
function given(desk: Desk, group: Group): Command[] {
  return desk.commands
    .available(group)
    .filter((one) => !one.keysOnly)
    .map((one) => ({ id: one.id, title: desk.commands.title(one.id), keys: one.keys.slice(0, 1), run: () => desk.commands.run(one.id) }));
}

function opening(items: readonly Item[], sort: string, read: (key: string) => void): Command[] {
  return items.map((item) => ({ id: `${sort} ${item.key}`, title: titled(item.title), detail: item.key, run: () => read(item.key) }));
}

/** Everything that can be done just now, in sections. */
export function offers(desk: Desk, { go, toSearch, lookFor, read }: Ways): Section[] {
  const { shelf } = desk;
  const view = VIEWS.find((one) => one.id === desk.view);
  const item = desk.item;
  const sections: Section[] = [
    { title: item ? nameOf(item) : "", commands: given(desk, "Any item") },
    { title: "Pinned", commands: opening(shelf.pinned, "pinned", read) },
    { title: "Recent", commands: opening(shelf.recent.filter((one) => !shelf.isPinned(one.key)).slice(0, RECENT), "recent", read) },
    {
      title: "Last search",
      commands: [shelf.lastSearch].flatMap((query) =>
        query === null || query === desk.search.query ? [] : [{ id: `last ${query}`, title: query, run: () => lookFor(query) }],
      ),
    },
    {
      title: "Saved searches",
      commands: shelf.searches.map((query) => ({ id: `saved ${query}`, title: query, run: () => lookFor(query) })),
    },
    { title: view?.name ?? "", commands: view && isGroup(view.name) ? given(desk, view.name) : [] },
    {
      title: "Go to",
      commands: [
        ...VIEWS.map((one, at) => ({
          id: `view-${one.id}`,
          title: one.name,
          detail: one.about,
          keys: [String(at + 1)],
          run: () => (one.id === "search" ? toSearch() : go(one.id)),
        })),
        ...given(desk, "Everywhere"),
      ],
    },
    { title: "More", commands: more(desk, go) },
  ];
  return sections.filter((section) => section.commands.length > 0);
}

function isGroup(name: string): name is Group {
  return ["Search", "Triage", "Troubleshoot", "Notes", "Sources"].includes(name);
}

function more(desk: Desk, go: (view: ViewId) => void): Command[] {
  const found: Command[] = [
    { id: "add", title: "Add a source…", detail: "A project to mirror, or files", run: () => desk.sources.startAdding() },
  ];
  if (desk.view !== "notes") found.push({ id: "note", title: "New note…", run: () => desk.notes.startWriting() });
  const live = desk.sources.mirrors;
  if (live.length > 0 && !desk.jobs.get("sync")) {
    found.push({ id: "sync", title: "Sync all sources", run: () => void desk.sources.sync([]) });
  }
  for (const { source } of live.length > 1 && !desk.jobs.get("sync") ? live : []) {
    found.push({ id: `sync-${source}`, title: `Sync ${source}`, run: () => void desk.sources.sync([source]) });
  }
  if (!desk.isEmpty && !desk.jobs.get("triage")) {
    found.push({
      id: "scan",
      title: "Check open reports for duplicates",
      detail: "Those that are new or have changed",
      run: () => {
        go("triage");
        void desk.triage.scan();
      },
    });
  }
  if (!desk.isEmpty && !desk.jobs.get("index")) {
    found.push({ id: "index", title: "Update the search index", run: () => void desk.update() });
  }
  for (const job of desk.jobs.running) {
    found.push({ id: `stop-${job.kind}`, title: `Cancel: ${job.kind}`, run: () => void desk.jobs.cancel(job.kind).catch((e: unknown) => desk.say(e)) });
  }
  found.push({
    id: "theme",
    title: "Change the theme",
    detail: `Now ${THEME_NAMES[appearance.theme]}`,
    run: () => desk.toasts.say(`Theme: ${THEME_NAMES[appearance.turn()]}.`),
  });
  const next = appearance.density === "compact" ? "comfortable" : "compact";
  found.push({
    id: "density",
    title: `Make the lists ${next}`,
    detail: `Now ${appearance.density}`,
    run: () => appearance.choose({ density: next }),
  });
  return found;
}

/** The items that fit what is typed. */
export async function found(typed: string, read: (key: string) => void): Promise<Command[]> {
  const { hits } = await api.find(typed, FOUND);
  return hits.map((hit) => ({ id: `item ${hit.key}`, title: titled(plain(hit.title)), detail: hit.key, run: () => read(hit.key) }));
}
