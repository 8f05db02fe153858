// What the palette offers before anything is typed, and the items that fit what is.

import * as api from "../lib/api";
import { plain, titled } from "../lib/text";
import { words } from "../words";
import type { Desk } from "./desk.svelte";
import { nameOf } from "./items";
import { GROUPS, VIEWS, type Group, type ViewId } from "./keys";
import { appearance, LOOKS } from "./look.svelte";
import type { Command, Section } from "./palette";
import type { Item } from "./shelf.svelte";

const said = words.shell.palette;
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
  return items.map((item) => ({ id: `${sort}:${item.key}`, title: titled(item.title), detail: item.key, run: () => read(item.key) }));
}

/** Everything that can be done just now, in sections. */
export function offers(desk: Desk, { go, toSearch, lookFor, read }: Ways): Section[] {
  const { shelf } = desk;
  const view = GROUPS.find((one) => one === desk.view);
  const item = desk.item;
  const sections: Section[] = [
    { id: "item", title: item ? nameOf(item) : "", commands: given(desk, "item") },
    { id: "pinned", title: said.pinned, commands: opening(shelf.kept.pinned, "pinned", read) },
    {
      id: "recent",
      title: said.recent,
      commands: opening(shelf.kept.recent.filter((one) => !shelf.isPinned(one.key)).slice(0, RECENT), "recent", read),
    },
    {
      id: "last",
      title: said.lastSearch,
      commands: [shelf.lastSearch].flatMap((query) =>
        query === null || query === desk.search.query ? [] : [{ id: `last:${query}`, title: query, run: () => lookFor(query) }],
      ),
    },
    {
      id: "saved",
      title: said.savedSearches,
      commands: shelf.kept.searches.map((query) => ({ id: `saved:${query}`, title: query, run: () => lookFor(query) })),
    },
    { id: "view", title: words.shell.views[desk.view].name, commands: view ? given(desk, view) : [] },
    {
      id: "go",
      title: said.goTo,
      commands: [
        ...VIEWS.map((one, at) => ({
          id: `view-${one.id}`,
          title: one.name,
          detail: one.about,
          keys: [String(at + 1)],
          run: () => (one.id === "search" ? toSearch() : go(one.id)),
        })),
        ...given(desk, "everywhere"),
      ],
    },
    { id: "more", title: said.more, commands: more(desk, go) },
  ];
  return sections.filter((section) => section.commands.length > 0);
}

function more(desk: Desk, go: (view: ViewId) => void): Command[] {
  const found: Command[] = [
    { id: "add", title: said.add, detail: said.addWhat, run: () => desk.sources.startAdding() },
    { id: "import", title: said.importFiles, run: () => desk.sources.startAdding("files") },
  ];
  if (desk.view !== "notes") found.push({ id: "note", title: said.newNote, run: () => desk.notes.startWriting() });
  const live = desk.sources.mirrors;
  if (live.length > 0 && !desk.jobs.get("sync")) {
    found.push({ id: "sync", title: said.syncAll, run: () => void desk.sources.sync([]) });
  }
  for (const { source } of live.length > 1 && !desk.jobs.get("sync") ? live : []) {
    found.push({ id: `sync-${source}`, title: said.sync(source), run: () => void desk.sources.sync([source]) });
  }
  if (!desk.isEmpty && !desk.jobs.get("triage")) {
    found.push({
      id: "scan",
      title: said.scan,
      detail: said.scanWhich,
      run: () => {
        go("triage");
        void desk.triage.scan();
      },
    });
  }
  if (!desk.isEmpty && !desk.jobs.get("index")) {
    found.push({ id: "index", title: words.shared.updateIndex, run: () => void desk.update() });
  }
  for (const job of desk.jobs.running) {
    const stop = () => void desk.jobs.cancel(job.kind).catch((thrown: unknown) => desk.say(thrown));
    found.push({ id: `stop-${job.kind}`, title: words.shared.cancelWhat(said.jobs[job.kind]), run: stop });
  }
  for (const theme of LOOKS.theme.filter((one) => one !== appearance.chosen.theme)) {
    found.push({ id: `theme-${theme}`, title: said.theme(said.themes[theme]), run: () => appearance.choose({ theme }) });
  }
  const next = appearance.chosen.density === "compact" ? "comfortable" : "compact";
  found.push({
    id: "density",
    title: said.makeLists(said.densities[next]),
    finds: said.density,
    run: () => appearance.choose({ density: next }),
  });
  return found;
}

/** The items that fit what is typed. */
export async function found(typed: string, read: (key: string) => void): Promise<Command[]> {
  const { hits } = await api.find(typed, FOUND);
  return hits.map((hit) => ({ id: `item:${hit.key}`, title: titled(plain(hit.title)), detail: hit.key, run: () => read(hit.key) }));
}
