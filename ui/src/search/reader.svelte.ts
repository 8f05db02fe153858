// The reading pane: the document that is open, and the place in it.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Failure, Hit, Thread } from "../lib/types";

export interface Place {
  key: string;
  anchor: string | null;
  /** How far it was scrolled when it was left. */
  top?: number;
}

/** What is passed by with the arrow keys counts as read once it has stood this long. */
const READ_AFTER = 1200;

export class Reader {
  thread = $state.raw<Thread | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** Where to go in the thread; a new object each time, so that the same place can be asked for twice. */
  place = $state.raw<Place | null>(null);
  loading = $state(false);
  /** Which of list and thread a narrow window shows. */
  reading = $state(false);

  #latest = new Latest();
  #preview: ReturnType<typeof setTimeout> | undefined;
  #reading: ReturnType<typeof setTimeout> | undefined;
  #leave: () => void;
  #read: (thread: Thread) => void;

  /** `leave` is told before another document is opened, `read` of each that is read. */
  constructor(leave: () => void = () => {}, read: (thread: Thread) => void = () => {}) {
    this.#leave = leave;
    this.#read = read;
  }

  /** Opens a result at its best passage. */
  async openHit(hit: Hit): Promise<void> {
    await this.open({ key: hit.key, anchor: hit.passages[0]?.anchor ?? null });
  }

  /** Shows a result a little later, unless another one is asked for meanwhile: a step with the arrows is no step of the way. */
  preview(hit: Hit): void {
    clearTimeout(this.#preview);
    this.#preview = setTimeout(() => void this.#go({ key: hit.key, anchor: hit.passages[0]?.anchor ?? null }, READ_AFTER), 90);
  }

  /** Opens a document; a step back leads to what was open. */
  async open(place: Place): Promise<void> {
    if (this.place && this.place.key !== place.key) this.#leave();
    await this.#go(place, 0);
  }

  /** Shows a place; where it was before is noted already. */
  async show(place: Place, isOpened = false): Promise<void> {
    await this.#go(place, isOpened ? 0 : READ_AFTER);
  }

  close(): void {
    clearTimeout(this.#preview);
    clearTimeout(this.#reading);
    this.#latest.forget();
    this.thread = null;
    this.failure = null;
    this.place = null;
    this.loading = false;
  }

  async #go(place: Place, readAfter: number): Promise<void> {
    clearTimeout(this.#preview);
    clearTimeout(this.#reading);
    const isCurrent = this.#latest.begin();
    if (this.thread?.key === place.key && this.failure === null) {
      this.place = place;
      this.loading = false;
      this.#noted(this.thread, readAfter);
      return;
    }
    this.loading = true;
    try {
      const thread = await api.thread(place.key);
      if (!isCurrent()) return;
      this.thread = thread;
      this.failure = null;
      this.#noted(thread, readAfter);
    } catch (thrown) {
      if (!isCurrent()) return;
      this.thread = null;
      this.failure = api.failure(thrown);
    }
    this.place = place;
    this.loading = false;
  }

  #noted(thread: Thread, after: number): void {
    if (after === 0) this.#read(thread);
    else this.#reading = setTimeout(() => this.#read(thread), after);
  }
}
