// Two documents side by side: the second one, and which of the two somebody is in. As long as there are two, the list leads the
// second one, and the first one stays.

import { tick } from "svelte";
import type { Desk } from "../shell/desk.svelte";
import { focusAt, focusPath } from "../shell/places";
import { Reader, type Place } from "./reader.svelte";

export type Pane = "first" | "second";

/** What of the view is seen. */
export interface Shown {
  list: boolean;
  first: boolean;
  second: boolean;
}

/** The least widths for the list and a document, for two documents, and for the list with both; in pixels. */
const LIST_AND_ONE = 960;
const TWO = 1000;
const LIST_AND_TWO = 1400;

export class Beside {
  readonly reader: Reader;
  /** The pane that has the focus, or had it last. */
  pane = $state<Pane>("first");
  /** Grows each time that somebody opens something beside. */
  opened = $state(0);

  #desk: Desk;
  /** Where the focus was before, and whether a narrow window showed a document there. */
  #before: { focus: string | null; reading: boolean } | null = null;

  constructor(desk: Desk) {
    this.#desk = desk;
    this.reader = new Reader(() => desk.leave(), (thread) => desk.shelf.read(thread), (key) => desk.search.mark(key));
  }

  /** The reader that shows what is chosen in the list. */
  get led(): Reader {
    return this.isOpen ? this.reader : this.#desk.reader;
  }

  get isOpen(): boolean {
    return this.reader.place !== null || this.reader.loading;
  }

  /** What stays in the first pane when a document is opened beside: what is read, and not a result that is only passed by. */
  #first(key: string): Place | null {
    const { place, stood } = this.#desk.reader;
    return place?.key === key ? stood : place;
  }

  /** Whether a document is not the very one that is read. */
  can(key: string): boolean {
    const { place, stood } = this.#desk.reader;
    return place?.key !== key || stood !== null;
  }

  /** Opens a document beside the one that is read; alone where nothing is. */
  async open(key: string): Promise<void> {
    const desk = this.#desk;
    const first = this.#first(key);
    if (first === null) return desk.read(key);
    const isInside = this.isOpen && this.pane === "second" && desk.view === "search";
    if (!isInside) this.#before = desk.view === "search" ? { focus: focusPath(), reading: desk.reader.reading } : null;
    if (desk.view !== "search") desk.go("search");
    else if (this.reader.place?.key !== key) desk.leave();
    desk.reader.stay();
    if (first !== desk.reader.place) void desk.reader.show(first);
    desk.reader.reading = true;
    this.pane = "second";
    const opening = this.reader.show({ key, anchor: null }, true);
    this.opened++;
    await opening;
  }

  /** Closes the second pane; the focus goes to where it was before there was one. */
  async close(): Promise<void> {
    this.#desk.leave();
    this.clear();
    const before = this.#before;
    this.#before = null;
    if (before) this.#desk.reader.reading = before.reading;
    await tick();
    if (!focusAt(before?.focus ?? null)) focusAt('[data-pane="first"]');
  }

  clear(): void {
    this.reader.close();
    this.pane = "first";
    this.#desk.search.mark(this.#desk.reader.key);
  }

  /** The same where the evidence of an answer stands in the place of documents. */
  besideEvidence(width: number, reading: boolean): Shown {
    const isNarrow = width > 0 && width < LIST_AND_ONE;
    return { list: !isNarrow || !reading, first: !isNarrow || reading, second: false };
  }

  /**
   * What there is room for. `reading` says which of the list and a document is seen where there is room for one of the two. Beside two
   * documents the list takes the place of the first one.
   */
  shown(width: number, reading: boolean): Shown {
    const { isOpen, pane } = this;
    if (width > 0 && width < (isOpen ? TWO : LIST_AND_ONE)) {
      const isSecond = isOpen && pane === "second";
      return { list: !reading, first: reading && !isSecond, second: reading && isSecond };
    }
    const hasAll = width === 0 || width >= LIST_AND_TWO;
    return { list: !isOpen || hasAll || !reading, first: !isOpen || hasAll || reading, second: isOpen };
  }
}
