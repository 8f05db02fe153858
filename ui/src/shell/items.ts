// The item at hand, wherever it is shown, and what can be done with it.

import { learnt } from "../lib/learnt";
import type { DocKind } from "../lib/types";
import { words } from "../words";
import { copy, link, markdown, type Subject } from "./clipboard";
import type { Handler, Handlers } from "./commands.svelte";
import type { Desk } from "./desk.svelte";

const said = words.shell;

/** The key of the item that an element shows, or whose row it names as the marked one. */
export function keyAt(element: Element | null): string | null {
  const row = document.getElementById(element?.getAttribute("aria-activedescendant") ?? "");
  return (row ?? element)?.closest<HTMLElement>("[data-doc]")?.dataset["doc"] ?? null;
}

/** The one of several marked rows that is read. */
const CURRENT = "#main .queue [data-doc][aria-current=true]";
const MARKED = "#main :is([data-doc][aria-selected=true], [data-doc][aria-current=true], .reader[data-doc])";

/** The key of the item at hand: where the focus is, else the one that is marked or read. */
export function keyAtHand(): string | null {
  return keyAt(document.activeElement) ?? keyAt(document.querySelector(CURRENT)) ?? keyAt(document.querySelector(MARKED));
}

/** What is known of an item: what was answered of it last, with its text where that is read. */
export function subject({ view, reader, beside, shelf }: Desk, key: string): Subject {
  const kept = [...shelf.kept.pinned, ...shelf.kept.recent].find((one) => one.key === key);
  const read = view === "search" ? [reader.thread, beside.reader.thread].find((one) => one?.key === key) : null;
  const kind: DocKind = key.startsWith("note#") ? "note" : key.includes("#") ? "issue" : "page";
  return { title: "", kind, state: null, state_reason: null, url: null, ...kept, ...learnt(key), key, body: read?.markdown ?? null };
}

/** What a menu and the palette call an item. */
export function nameOf(one: { key: string; title: string }): string {
  return one.title.trim() ? words.shared.named(one.key, one.title) : one.key;
}

/** Carries out the commands that are about an item. */
export function itemCommands(desk: Desk): Handlers {
  const is = (test: (one: Subject) => boolean) => () => desk.item !== null && test(desk.item);
  const does = (run: (one: Subject) => Promise<void> | void, when: (one: Subject) => boolean = () => true): Handler => ({
    when: is(when),
    run: () => {
      const one = desk.item;
      if (one) void Promise.resolve(run(one)).catch((thrown: unknown) => desk.say(thrown));
    },
  });
  const copies = (text: (one: Subject) => string, done: (one: Subject) => string) =>
    does(async (one) => {
      await copy(text(one));
      desk.toasts.say(done(one));
    });
  const isReport = (one: Subject) => one.kind === "issue" || one.kind === "pull_request";
  return {
    "item.open": does((one) => desk.read(one.key), (one) => desk.view !== "search" || desk.reader.thread?.key !== one.key),
    "item.beside": does((one) => desk.beside.open(one.key), (one) => desk.beside.can(one.key)),
    "item.tracker": does((one) => desk.openExternal(one.url ?? ""), (one) => one.url !== null),
    "item.duplicates": does((one) => desk.findDuplicates(one.key), isReport),
    "item.solved": does((one) => desk.lookUp(one.key, "case"), isReport),
    "item.note": does((one) => desk.notes.startWriting({ attach: [one.key] }), (one) => one.kind !== "note"),
    "item.article": does((one) => desk.article.begin(one.key), isReport),
    "item.pin": {
      ...does((one) => {
        const change = () => void desk.shelf.pin(one);
        const isPinned = desk.shelf.pin(one);
        desk.undo.did(isPinned ? said.pinned(one.key) : said.unpinned(one.key), change);
      }),
      title: () => (desk.item && desk.shelf.isPinned(desk.item.key) ? said.unpin : said.pin),
    },
    "item.key": copies((one) => one.key, (one) => said.copied(one.key)),
    "item.link": copies(link, (one) => said.copiedLink(one.key)),
    "item.markdown": copies(markdown, (one) => (one.body === null ? said.copiedMarkdown : said.copiedMarkdownWithText)(one.key)),
  };
}
