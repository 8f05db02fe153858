// Two documents side by side. While both are open, the list controls the second one.

import { tick } from "svelte";
import type { AppState } from "../shell/appState.svelte";
import { focusByPath, focusPath } from "../shell/places";
import { Reader, type ReadingPosition } from "./reader.svelte";

export type Pane = "first" | "second";

export interface VisibleParts {
  list: boolean;
  first: boolean;
  second: boolean;
}

/** The minimum widths in pixels for the list and one document, two documents, and the list and both. */
const MIN_LIST_AND_ONE = 960;
const MIN_TWO = 1000;
const MIN_LIST_AND_TWO = 1400;

export class SplitPane {
  readonly reader: Reader;
  /** The pane that has the focus, or had it last. */
  pane = $state<Pane>("first");
  /** Incremented when a document is opened beside another. */
  openCount = $state(0);

  /** The focus and the narrow layout before the second pane opened. */
  #previousState: { focus: string | null; reading: boolean } | null = null;

  constructor(private readonly app: AppState) {
    this.reader = new Reader(() => app.recordPlace(), (thread) => app.store.recordRead(thread), (key) => app.search.select(key));
  }

  /** The reader that shows the list's selection. */
  get activeReader(): Reader {
    return this.isOpen ? this.reader : this.app.reader;
  }

  get isOpen(): boolean {
    return this.reader.position !== null || this.reader.pending;
  }

  /** Returns the position that the first pane keeps; a mere preview is not kept. */
  #firstPosition(key: string): ReadingPosition | null {
    const { position, beforePreview } = this.app.reader;
    return position?.key === key ? beforePreview : position;
  }

  /** Returns whether a document differs from the one that is read. */
  canOpen(key: string): boolean {
    const { position, beforePreview } = this.app.reader;
    return position?.key !== key || beforePreview !== null;
  }

  /** Opens a document next to the current one, or alone if there is none. */
  async open(key: string): Promise<void> {
    const app = this.app;
    const first = this.#firstPosition(key);
    if (first === null) return app.openDocument(key);
    const isInside = this.isOpen && this.pane === "second" && app.view === "search";
    if (!isInside) this.#previousState = app.view === "search" ? { focus: focusPath(), reading: app.reader.isReading } : null;
    if (app.view !== "search") app.go("search");
    else if (this.reader.position?.key !== key) app.recordPlace();
    app.reader.cancelPending();
    if (first !== app.reader.position) void app.reader.show(first);
    app.reader.isReading = true;
    this.pane = "second";
    const opening = this.reader.show({ key, anchor: null }, true);
    this.openCount++;
    await opening;
  }

  /** Closes the second pane and restores the focus. */
  async close(): Promise<void> {
    this.app.recordPlace();
    this.clear();
    const previous = this.#previousState;
    this.#previousState = null;
    if (previous) this.app.reader.isReading = previous.reading;
    await tick();
    if (!focusByPath(previous?.focus ?? null)) focusByPath('[data-pane="first"]');
  }

  clear(): void {
    this.reader.close();
    this.pane = "first";
    this.app.search.select(this.app.reader.key);
  }

  /**
   * Returns the layout for a width. With room for one part, `reading` chooses the document over the
   * list. With two documents and room for two parts, it chooses the first document over the list.
   */
  layout(width: number, reading: boolean, isOpen = this.isOpen): VisibleParts {
    const { pane } = this;
    if (width > 0 && width < (isOpen ? MIN_TWO : MIN_LIST_AND_ONE)) {
      const isSecond = isOpen && pane === "second";
      return { list: !reading, first: reading && !isSecond, second: reading && isSecond };
    }
    const hasAll = width === 0 || width >= MIN_LIST_AND_TWO;
    return { list: !isOpen || hasAll || !reading, first: !isOpen || hasAll || reading, second: isOpen };
  }
}
