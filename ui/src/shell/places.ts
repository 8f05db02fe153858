// Places in the window, so that going back restores view, document, row, focus and scroll position.

import { tick } from "svelte";
import type { Pane } from "../search/splitPane.svelte";
import type { ReadingPosition as Reading } from "../search/reader.svelte";
import { words } from "../words";
import type { AppState } from "./appState.svelte";
import { isFocusLost } from "./focus";
import type { ViewId } from "./keys";

export interface Place {
  view: ViewId;
  query: string;
  selected: string | null;
  /** The documents in both panes, and the focused pane. */
  reading: Reading | null;
  second: Reading | null;
  pane: Pane;
  /** The selected piece of evidence, if the evidence is open. */
  evidenceId: string | null;
  /** Whether a narrow window shows the reader instead of the list. */
  isReading: boolean;
  focus: string | null;
  scroll: readonly number[];
}

const SCROLL_CONTAINERS = ".scroll, .reader, .answer, .page, .pane, .rows, .sides > section";

const main = () => (typeof document === "undefined" ? null : document.getElementById("main"));

/** Returns a selector that finds the focused element after its view is recreated. */
export function focusPath(): string | null {
  const element = document.activeElement;
  if (!element || element === main() || !main()?.contains(element)) return null;
  if (element.id) return `#${CSS.escape(element.id)}`;
  // Panes are named by position, because both may contain the same document or comment.
  const pane = element.closest<HTMLElement>("[data-pane]");
  const path = elementPath(element);
  return pane === null ? path : `[data-pane="${pane.dataset["pane"] ?? ""}"]${pane === element ? "" : ` ${path}`}`;
}

function elementPath(element: Element): string {
  const name = element.tagName.toLowerCase();
  const anchor = element.getAttribute("data-anchor");
  if (anchor !== null) return `[data-anchor="${CSS.escape(anchor)}"]`;
  const label = element.getAttribute("aria-label");
  if (label !== null) return `${name}[aria-label="${CSS.escape(label)}"]`;
  return [name, ...element.classList].map((part) => CSS.escape(part)).join(".");
}

/** Focuses the element at a path. Returns whether it exists. */
export function focusByPath(path: string | null): boolean {
  const element = path === null ? null : main()?.querySelector<HTMLElement>(path);
  element?.focus({ preventScroll: true });
  return element instanceof HTMLElement;
}

/** Returns the document in a pane and its scroll position. */
function readingPosition(pane: Pane, { position }: { position: Reading | null }): Reading | null {
  const top = main()?.querySelector(`[data-pane="${pane}"]`)?.scrollTop ?? 0;
  return position && { key: position.key, anchor: position.anchor, top };
}

const scrollContainers = () => [...(main()?.querySelectorAll(SCROLL_CONTAINERS) ?? [])];

export function currentPlace(app: AppState): Place {
  const { view, search, answer, reader, splitPane, triage, notes } = app;
  const place: Place = {
    view, query: "", selected: null, reading: null, second: null, pane: "first", evidenceId: null, isReading: false, focus: focusPath(), scroll: scrollContainers().map((entry) => entry.scrollTop),
  };
  if (view === "search") {
    const [reading, second] = [readingPosition("first", reader), readingPosition("second", splitPane.reader)];
    return { ...place, query: search.query, selected: search.selected, reading, second, pane: splitPane.pane, evidenceId: answer.isOpen ? (answer.currentItem?.id ?? "") : null, isReading: reader.isReading };
  }
  if (view === "triage") return { ...place, selected: triage.selected };
  if (view === "notes") return { ...place, selected: notes.note?.key ?? null };
  return place;
}

/** Returns whether two places are the same apart from focus and scroll position. */
export function isSamePlace(a: Place, b: Place): boolean {
  if (a.view !== b.view || a.query !== b.query || a.reading?.key !== b.reading?.key || a.second?.key !== b.second?.key) return false;
  return a.view === "search" ? a.isReading === b.isReading && (a.evidenceId === null) === (b.evidenceId === null) : a.selected === b.selected;
}

/** Returns the label of a place on the back button. */
export function placeLabel(place: Place): string {
  if (place.view === "search" && place.reading && place.evidenceId === null) return words.shared.list([place.reading, place.second].flatMap((entry) => entry?.key ?? []));
  if (place.view === "search" && place.query) return words.shared.quoted(place.query.length > 24 ? `${place.query.slice(0, 24)}…` : place.query);
  return words.shell.views[place.view].name;
}

export async function showPlace(app: AppState, place: Place): Promise<void> {
  const { search, answer, reader, splitPane, triage, notes } = app;
  app.view = place.view;
  if (place.view === "search") {
    search.set(place.query, false);
    search.selected = place.selected;
    answer.isOpen = place.evidenceId !== null;
    answer.select(place.evidenceId);
    reader.isReading = place.isReading;
    if (place.reading) void reader.show(place.reading);
    else reader.close();
    if (place.second) void splitPane.reader.show(place.second);
    else splitPane.clear();
    splitPane.pane = place.pane;
  } else if (place.view === "triage") {
    if (place.selected !== null && place.selected !== triage.selected && triage.rows.some((item) => item.key === place.selected)) triage.select(place.selected);
  } else if (place.view === "notes") notes.selected = place.selected;
  await tick();
  const elements = scrollContainers();
  if (elements.length === place.scroll.length) elements.forEach((entry, index) => (entry.scrollTop = place.scroll[index] ?? 0));
  // Without a focus path, the view has already focused its default element.
  if (!focusByPath(place.focus) && isFocusLost()) main()?.focus({ preventScroll: true });
}
