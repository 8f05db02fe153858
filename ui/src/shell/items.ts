// The item that commands act on, and the commands for it.

import * as api from "../lib/api";
import { cachedDocument } from "../lib/documentCache";
import type { DocKind } from "../lib/types";
import { words } from "../words";
import { itemLink, itemMarkdown, type CurrentItem } from "./clipboard";
import type { Handler, Handlers } from "./commands.svelte";
import type { AppState } from "./appState.svelte";

const texts = words.shell;

/** Returns the key of the item that an element shows or names as its active row. */
export function keyAt(element: Element | null): string | null {
  const row = document.getElementById(element?.getAttribute("aria-activedescendant") ?? "");
  return (row ?? element)?.closest<HTMLElement>("[data-doc]")?.dataset["doc"] ?? null;
}

/** The current row of several selected ones. */
const CURRENT = "#main .queue [data-doc][aria-current=true]";
const SELECTED = "#main :is([data-doc][aria-selected=true], [data-doc][aria-current=true], .reader[data-doc])";

/** Returns the key of the focused item, or of the selected or open one. */
export function currentKey(): string | null {
  return keyAt(document.activeElement) ?? keyAt(document.querySelector(CURRENT)) ?? keyAt(document.querySelector(SELECTED));
}

/** Returns the known fields of an item, with its text if it is open. */
export function currentItem({ view, reader, splitPane, store }: AppState, key: string): CurrentItem {
  const storedItem = [...store.state.pinned, ...store.state.recent].find((entry) => entry.key === key);
  const openThread = view === "search" ? [reader.thread, splitPane.reader.thread].find((entry) => entry?.key === key) : null;
  const kind: DocKind = key.startsWith("note#") ? "note" : key.includes("#") ? "issue" : "page";
  return { title: "", kind, state: null, state_reason: null, url: null, ...storedItem, ...cachedDocument(key), key, body: openThread?.markdown ?? null };
}

/** Returns an item's name in menus and the palette. */
export function itemName(entry: { key: string; title: string }): string {
  return entry.title.trim() ? words.shared.named(entry.key, entry.title) : entry.key;
}

export function itemCommands(app: AppState): Handlers {
  const itemMatches = (test: (entry: CurrentItem) => boolean) => () => app.item !== null && test(app.item);
  const itemCommand = (run: (entry: CurrentItem) => Promise<unknown> | void, when: (entry: CurrentItem) => boolean = () => true): Handler => ({
    when: itemMatches(when),
    run: () => {
      const entry = app.item;
      if (entry) void app.attempt(async () => run(entry));
    },
  });
  const copyCommand = (text: (entry: CurrentItem) => string, message: (entry: CurrentItem) => string) =>
    itemCommand(async (entry) => {
      await api.copyText(text(entry));
      app.toasts.show(message(entry));
    });
  const isReport = (entry: CurrentItem) => entry.kind === "issue" || entry.kind === "pull_request";
  return {
    "item.open": itemCommand((entry) => app.openDocument(entry.key), (entry) => app.view !== "search" || app.reader.thread?.key !== entry.key),
    "item.beside": itemCommand((entry) => app.splitPane.open(entry.key), (entry) => app.splitPane.canOpen(entry.key)),
    "item.tracker": itemCommand((entry) => app.openExternal(entry.url ?? ""), (entry) => entry.url !== null),
    "item.duplicates": itemCommand((entry) => app.findDuplicates(entry.key), isReport),
    "item.solved": itemCommand((entry) => app.lookUp(entry.key, "case"), isReport),
    "item.note": itemCommand((entry) => app.notes.startDraft({ attach: [entry.key] }), (entry) => entry.kind !== "note"),
    "item.article": itemCommand((entry) => app.article.start(entry.key), isReport),
    "item.pin": {
      ...itemCommand((entry) => {
        const toggle = () => void app.store.togglePin(entry);
        const isPinned = app.store.togglePin(entry);
        app.undo.record(isPinned ? texts.pinned(entry.key) : texts.unpinned(entry.key), toggle);
      }),
      title: () => (app.item && app.store.isPinned(app.item.key) ? texts.unpin : texts.pin),
    },
    "item.key": copyCommand((entry) => entry.key, (entry) => texts.copied(entry.key)),
    "item.link": copyCommand(itemLink, (entry) => texts.copiedLink(entry.key)),
    "item.markdown": copyCommand(itemMarkdown, (entry) => (entry.body === null ? texts.copiedMarkdown : texts.copiedMarkdownWithText)(entry.key)),
  };
}
