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
  /** The document that was asked for last, also while it is fetched. */
  key = $state<string | null>(null);
  loading = $state(false);
  /** Which of list and thread a narrow window shows. */
  reading = $state(false);
  /** What was read before the results that are only passed by just now. */
  stood = $state.raw<Place | null>(null);

  #latest = new Latest();
  #preview: ReturnType<typeof setTimeout> | undefined;
  #reading: ReturnType<typeof setTimeout> | undefined;
  /** Whether what is shown counts as read. */
  #isRead = false;
  #leave: () => void;
  #read: (thread: Thread) => void;
  #shows: (key: string) => void;

  /** `leave` is told before another document is opened, `read` of each that is read, `shows` of each that is asked for. */
  constructor(leave: () => void = () => {}, read: (thread: Thread) => void = () => {}, shows: (key: string) => void = () => {}) {
    this.#leave = leave;
    this.#read = read;
    this.#shows = shows;
  }

  /** Opens a result at its best passage. */
  async openHit(hit: Hit): Promise<void> {
    await this.open({ key: hit.key, anchor: hit.passages[0]?.anchor ?? null });
  }

  /** Shows a result a little later, unless another one is asked for meanwhile: a step with the arrows is no step of the way. */
  preview(hit: Hit): void {
    clearTimeout(this.#preview);
    this.#preview = setTimeout(() => {
      if (this.#isRead && this.place?.key !== hit.key) this.stood = this.place;
      void this.#go({ key: hit.key, anchor: hit.passages[0]?.anchor ?? null }, READ_AFTER);
    }, 90);
  }

  /** Opens a document; a step back leads to what was open. */
  async open(place: Place): Promise<void> {
    if (this.place && this.place.key !== place.key) this.#leave();
    this.stood = null;
    await this.#go(place, 0);
  }

  /** Shows a place; where it was before is noted already. */
  async show(place: Place, isOpened = false): Promise<void> {
    this.stood = null;
    await this.#go(place, isOpened ? 0 : READ_AFTER);
  }

  /** What is shown stays, whatever else was asked for meanwhile. */
  stay(): void {
    clearTimeout(this.#preview);
    this.#latest.forget();
    this.loading = false;
  }

  /** Fetches what is shown again: it may have changed. */
  async refresh(): Promise<void> {
    const key = this.thread?.key;
    if (key === undefined || this.loading) return;
    const thread = await api.thread(key).catch(() => null);
    if (thread && this.thread?.key === key) this.thread = thread;
  }

  close(): void {
    this.stay();
    clearTimeout(this.#reading);
    this.thread = null;
    this.failure = null;
    this.place = null;
    this.key = null;
    this.stood = null;
  }

  async #go(place: Place, readAfter: number): Promise<void> {
    clearTimeout(this.#preview);
    clearTimeout(this.#reading);
    this.#isRead = false;
    this.key = place.key;
    this.#shows(place.key);
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
    const read = () => {
      this.#isRead = true;
      this.#read(thread);
    };
    if (after === 0) read();
    else this.#reading = setTimeout(read, after);
  }
}
