// The item at hand, wherever it is shown, and what can be done with it.

import { linkKind } from "../lib/look";
import { plain } from "../lib/text";
import type { DocKind, Thread } from "../lib/types";
import { reportsOf } from "../problems/problems.svelte";
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

/** What is known of an item from what is shown of it. */
export function subject(desk: Desk, key: string): Subject {
  const { reader, beside, search, triage, troubleshoot, notes, problems, shelf } = desk;
  const whole = (thread: Thread | null | undefined, body: string | null): Subject | null =>
    thread?.key === key ? { ...thread, body } : null;
  const read = [reader.thread, beside.reader.thread];
  const found = read.map((thread) => whole(thread, desk.view === "search" ? (thread?.markdown ?? null) : null)).find((one) => one !== null);
  if (found) return found;
  const compared = whole(triage.comparison?.report, null) ?? whole(triage.comparison?.candidate, null);
  if (compared) return compared;
  const hit = search.hits.find((one) => one?.key === key);
  if (hit) return { ...hit, title: plain(hit.title), body: null };
  const item = triage.rows.find((one) => one.key === key);
  if (item) return { key, title: item.title, kind: "issue", state: "open", state_reason: null, url: item.url, body: null };
  const solved = troubleshoot.solved?.cases.find((one) => one.key === key);
  if (solved) return { ...solved, body: null };
  const candidate = [...triage.candidates, ...(troubleshoot.duplicates?.candidates ?? [])].find((one) => one.key === key);
  if (candidate) return { ...candidate, kind: "issue", body: null };
  const note = notes.all.find((one) => one.key === key);
  if (note) return { key, title: note.title, kind: "note", state: null, state_reason: null, url: null, body: note.body };
  const linked = read.flatMap((thread) => thread?.links ?? []).find((one) => one.key === key);
  if (linked) {
    return { key, title: linked.title ?? "", kind: linkKind(linked), state: linked.state, state_reason: null, url: null, body: null };
  }
  const report = problems.shown.flatMap(reportsOf).find((one) => one.key === key);
  if (report) return { key, title: report.title, kind: "issue", state: report.open ? "open" : "closed", state_reason: null, url: report.url, body: null };
  const page = troubleshoot.solved?.wiki.find((one) => one.key === key);
  const kept = [...shelf.pinned, ...shelf.recent].find((one) => one.key === key);
  const kind: DocKind = key.includes("#") ? "issue" : "page";
  return { title: page?.title ?? "", kind, state: null, state_reason: null, ...kept, key, url: page?.url ?? null, body: null };
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
