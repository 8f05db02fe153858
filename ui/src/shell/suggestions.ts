// The palette's suggestions for empty input, and the items that match other input.

import * as api from "../lib/api";
import { spanText, displayTitle } from "../lib/text";
import { words } from "../words";
import type { AppState } from "./appState.svelte";
import { itemName } from "./items";
import { GROUPS, VIEWS, type Group, type ViewId } from "./keys";
import { appearance, APPEARANCE_OPTIONS } from "./appearance.svelte";
import type { Command, Section } from "./palette";
import type { Item } from "./localStore.svelte";

const texts = words.shell.palette;
const { appearances } = words.settings.appearance;
const MAX_ITEMS = 8;
const MAX_RECENT = 6;

/** The ways to leave the palette. */
export interface Navigation {
  go: (view: ViewId) => void;
  focusSearch: () => void;
  searchFor: (query: string, isPasted?: boolean) => void;
  read: (key: string) => void;
}

function availableCommands(app: AppState, group: Group): Command[] {
  return app.commands
    .available(group)
    .filter((entry) => !entry.keysOnly)
    .map((entry) => ({ id: entry.id, title: app.commands.title(entry.id), keys: entry.keys.slice(0, 1), run: () => app.commands.run(entry.id) }));
}

function openCommands(items: readonly Item[], group: string, read: (key: string) => void): Command[] {
  return items.map((item) => ({ id: `${group}:${item.key}`, title: displayTitle(item.title), detail: item.key, run: () => read(item.key) }));
}

export function suggestions(app: AppState, { go, focusSearch, searchFor, read }: Navigation): Section[] {
  const { store } = app;
  const view = GROUPS.find((entry) => entry === app.view);
  const item = app.item;
  const sections: Section[] = [
    { id: "item", title: item ? itemName(item) : "", commands: availableCommands(app, "item") },
    { id: "pinned", title: texts.pinned, commands: openCommands(store.state.pinned, "pinned", read) },
    {
      id: "recent",
      title: texts.recent,
      commands: openCommands(store.state.recent.filter((entry) => !store.isPinned(entry.key)).slice(0, MAX_RECENT), "recent", read),
    },
    {
      id: "saved",
      title: texts.savedSearches,
      commands: store.state.searches.map((query) => ({ id: `saved:${query}`, title: query, run: () => searchFor(query) })),
    },
    { id: "view", title: words.shell.views[app.view].name, commands: view ? availableCommands(app, view) : [] },
    {
      id: "go",
      title: texts.goTo,
      commands: [
        ...VIEWS.map((entry, index) => ({
          id: `view-${entry.id}`,
          title: entry.name,
          detail: entry.about,
          keys: [String(index + 1)],
          run: () => (entry.id === "search" ? focusSearch() : go(entry.id)),
        })),
        ...availableCommands(app, "everywhere"),
      ],
    },
    { id: "more", title: texts.more, commands: otherCommands(app, go) },
  ];
  return sections.filter((section) => section.commands.length > 0);
}

function otherCommands(app: AppState, go: (view: ViewId) => void): Command[] {
  const commands: Command[] = [
    { id: "add", title: texts.add, detail: texts.addHint, run: () => app.sources.startAdding() },
    { id: "import", title: texts.importFiles, run: () => app.sources.startAdding("files") },
  ];
  if (app.view !== "notes") commands.push({ id: "note", title: texts.newNote, run: () => app.notes.startDraft() });
  const mirrors = app.sources.mirrors;
  if (mirrors.length > 0 && !app.jobs.get("sync")) {
    commands.push({ id: "sync", title: words.shell.commands["sources.syncAll"], run: () => void app.sources.sync([]) });
  }
  for (const { source } of mirrors.length > 1 && !app.jobs.get("sync") ? mirrors : []) {
    commands.push({ id: `sync-${source}`, title: texts.sync(source), run: () => void app.sources.sync([source]) });
  }
  if (!app.isEmpty && !app.jobs.get("triage")) {
    commands.push({
      id: "scan",
      title: texts.scan,
      detail: texts.scanHint,
      run: () => {
        go("triage");
        void app.triage.scan();
      },
    });
  }
  if (!app.isEmpty && !app.jobs.get("index")) {
    commands.push({ id: "index", title: words.shared.updateIndex, run: () => void app.updateIndexes() });
  }
  for (const job of app.jobs.running) {
    const stop = () => void app.attempt(() => app.jobs.cancel(job.kind));
    commands.push({ id: `stop-${job.kind}`, title: words.shared.cancelJob(texts.jobs[job.kind]), run: stop });
  }
  for (const theme of APPEARANCE_OPTIONS.theme.filter((entry) => entry !== appearance.choices.theme)) {
    commands.push({ id: `theme-${theme}`, title: texts.theme(appearances.theme[theme]), run: () => appearance.choose({ theme }) });
  }
  const density = appearance.choices.density === "compact" ? "comfortable" : "compact";
  commands.push({
    id: "density",
    title: texts.makeLists(appearances.density[density]),
    keywords: texts.density,
    run: () => appearance.choose({ density }),
  });
  return commands;
}

export async function findMatchingItems(input: string, read: (key: string) => void): Promise<Command[]> {
  const { hits } = await api.findItems(input, MAX_ITEMS);
  return hits.map((hit) => ({ id: `item:${hit.key}`, title: displayTitle(spanText(hit.title)), detail: hit.key, run: () => read(hit.key) }));
}
