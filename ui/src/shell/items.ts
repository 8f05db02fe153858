// The item that commands act on, and the commands.

import { cachedDocument } from "../lib/documentCache";
import type { DocKind } from "../lib/types";
import { words } from "../words";
import { copyText, itemLink, itemMarkdown, type CurrentItem } from "./clipboard";
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
export function currentItem({ view, reader, splitPane: beside, store: store }: AppState, key: string): CurrentItem {
  const kept = [...store.state.pinned, ...store.state.recent].find((one) => one.key === key);
  const read = view === "search" ? [reader.thread, beside.reader.thread].find((one) => one?.key === key) : null;
  const kind: DocKind = key.startsWith("note#") ? "note" : key.includes("#") ? "issue" : "page";
  return { title: "", kind, state: null, state_reason: null, url: null, ...kept, ...cachedDocument(key), key, body: read?.markdown ?? null };
}

/** Returns an item's name in menus and the palette. */
export function itemName(one: { key: string; title: string }): string {
  return one.title.trim() ? words.shared.named(one.key, one.title) : one.key;
}

export function itemCommands(app: AppState): Handlers {
  const is = (test: (one: CurrentItem) => boolean) => () => app.item !== null && test(app.item);
  const does = (run: (one: CurrentItem) => Promise<void> | void, when: (one: CurrentItem) => boolean = () => true): Handler => ({
    when: is(when),
    run: () => {
      const one = app.item;
      if (one) void Promise.resolve(run(one)).catch((thrown: unknown) => app.showError(thrown));
    },
  });
  const copies = (text: (one: CurrentItem) => string, done: (one: CurrentItem) => string) =>
    does(async (one) => {
      await copyText(text(one));
      app.toasts.show(done(one));
    });
  const isReport = (one: CurrentItem) => one.kind === "issue" || one.kind === "pull_request";
  return {
    "item.open": does((one) => app.openDocument(one.key), (one) => app.view !== "search" || app.reader.thread?.key !== one.key),
    "item.beside": does((one) => app.splitPane.open(one.key), (one) => app.splitPane.canOpen(one.key)),
    "item.tracker": does((one) => app.openExternal(one.url ?? ""), (one) => one.url !== null),
    "item.duplicates": does((one) => app.findDuplicates(one.key), isReport),
    "item.solved": does((one) => app.lookUp(one.key, "case"), isReport),
    "item.note": does((one) => app.notes.startDraft({ attach: [one.key] }), (one) => one.kind !== "note"),
    "item.article": does((one) => app.article.start(one.key), isReport),
    "item.pin": {
      ...does((one) => {
        const change = () => void app.store.togglePin(one);
        const isPinned = app.store.togglePin(one);
        app.undo.record(isPinned ? texts.pinned(one.key) : texts.unpinned(one.key), change);
      }),
      title: () => (app.item && app.store.isPinned(app.item.key) ? texts.unpin : texts.pin),
    },
    "item.key": copies((one) => one.key, (one) => texts.copied(one.key)),
    "item.link": copies(itemLink, (one) => texts.copiedLink(one.key)),
    "item.markdown": copies(itemMarkdown, (one) => (one.body === null ? texts.copiedMarkdown : texts.copiedMarkdownWithText)(one.key)),
  };
}
