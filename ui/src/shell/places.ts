// Where somebody is in the window, so that a step back finds it as it was: view, document, row, focus and scroll.

import { tick } from "svelte";
import type { Pane } from "../search/beside.svelte";
import type { Place as Reading } from "../search/reader.svelte";
import { words } from "../words";
import type { Desk } from "./desk.svelte";
import { isFocusLost } from "./focus";
import type { ViewId } from "./keys";

export interface Place {
  view: ViewId;
  /** What was asked. */
  asked: string;
  /** The row that was marked. */
  at: string | null;
  /** The document in the reading pane, the one beside it, and the pane that somebody is in. */
  reading: Reading | null;
  beside: Reading | null;
  pane: Pane;
  /** The piece of the answer's evidence, where that was shown. */
  piece: string | null;
  /** Whether a narrow window showed it. */
  alone: boolean;
  focus: string | null;
  scroll: readonly number[];
}

const SCROLLS = ".scroll, .reader, .answer, .page, .pane, .rows, .sides > section";

const main = () => (typeof document === "undefined" ? null : document.getElementById("main"));

/** What has the focus, in a way that finds it again after its view was made anew. */
export function focusPath(): string | null {
  const element = document.activeElement;
  if (!element || element === main() || !main()?.contains(element)) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  // A pane is named by its document; it is found by what it is. Both may hold a comment of the same name.
  const pane = element.closest<HTMLElement>("[data-pane]");
  const path = pathIn(element);
  return pane === null ? path : `[data-pane="${pane.dataset["pane"] ?? ""}"]${pane === element ? "" : ` ${path}`}`;
}

function pathIn(element: Element): string {
  const name = element.tagName.toLowerCase();
  const anchor = element.getAttribute("data-anchor");
  if (anchor !== null) return `[data-anchor="${CSS.escape(anchor)}"]`;
  const label = element.getAttribute("aria-label");
  if (label !== null) return `${name}[aria-label="${CSS.escape(label)}"]`;
  return [name, ...element.classList].map((part) => CSS.escape(part)).join(".");
}

/** Gives the focus to what a path leads to. Whether it is there. */
export function focusAt(path: string | null): boolean {
  const found = path === null ? null : main()?.querySelector<HTMLElement>(path);
  found?.focus({ preventScroll: true });
  return found instanceof HTMLElement;
}

/** A document as it is read in a pane. */
function readIn(pane: Pane, { place }: { place: Reading | null }): Reading | null {
  const top = main()?.querySelector(`[data-pane="${pane}"]`)?.scrollTop ?? 0;
  return place && { key: place.key, anchor: place.anchor, top };
}

const scrolled = () => [...(main()?.querySelectorAll(SCROLLS) ?? [])];

export function here(desk: Desk): Place {
  const { view, search, answer, reader, beside, triage, notes } = desk;
  const place: Place = {
    view, asked: "", at: null, reading: null, beside: null, pane: "first", piece: null, alone: false, focus: focusPath(), scroll: scrolled().map((one) => one.scrollTop),
  };
  if (view === "search") {
    const [reading, second] = [readIn("first", reader), readIn("second", beside.reader)];
    return { ...place, asked: search.query, at: search.selected, reading, beside: second, pane: beside.pane, piece: answer.open ? (answer.piece?.id ?? "") : null, alone: reader.reading };
  }
  if (view === "triage") return { ...place, at: triage.selected };
  if (view === "notes") return { ...place, at: notes.note?.key ?? null };
  return place;
}

/** Whether two are one place: where the focus was and how far it was scrolled makes no other. */
export function same(a: Place, b: Place): boolean {
  if (a.view !== b.view || a.asked !== b.asked || a.reading?.key !== b.reading?.key || a.beside?.key !== b.beside?.key) return false;
  return a.view === "search" ? a.alone === b.alone && (a.piece === null) === (b.piece === null) : a.at === b.at;
}

/** What a place is called on the way back to it. */
export function called(place: Place): string {
  if (place.view === "search" && place.reading && place.piece === null) return words.shared.list([place.reading, place.beside].flatMap((one) => one?.key ?? []));
  if (place.view === "search" && place.asked) return words.shared.quoted(place.asked.length > 24 ? `${place.asked.slice(0, 24)}…` : place.asked);
  return words.shell.views[place.view].name;
}

/** Shows a place as it was left. */
export async function show(desk: Desk, place: Place): Promise<void> {
  const { search, answer, reader, beside, triage, notes } = desk;
  desk.view = place.view;
  if (place.view === "search") {
    search.set(place.asked, false);
    search.selected = place.at;
    answer.open = place.piece !== null;
    answer.mark(place.piece);
    reader.reading = place.alone;
    if (place.reading) void reader.show(place.reading);
    else reader.close();
    if (place.beside) void beside.reader.show(place.beside);
    else beside.clear();
    beside.pane = place.pane;
  } else if (place.view === "triage") {
    if (place.at !== null && place.at !== triage.selected && triage.rows.some((item) => item.key === place.at)) triage.select(place.at);
  } else if (place.view === "notes") notes.selected = place.at;
  await tick();
  const elements = scrolled();
  if (elements.length === place.scroll.length) elements.forEach((one, at) => (one.scrollTop = place.scroll[at] ?? 0));
  // Where it is not known, the view has given it to what it begins with.
  if (!focusAt(place.focus) && isFocusLost()) main()?.focus({ preventScroll: true });
}
