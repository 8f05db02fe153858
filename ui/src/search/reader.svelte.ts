// The document in the reader and the position in it.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { Hit, Thread } from "../lib/types";

export interface ReadingPosition {
  key: string;
  anchor: string | null;
  /** The scroll position at which it was left. */
  top?: number;
}

/** The time after which a result previewed with the arrow keys counts as read, in milliseconds. */
const READ_DELAY = 1200;

export class Reader extends EngineRequest {
  thread = $state.raw<Thread | null>(null);
  /** The position to show; a new object each time, so that the same one can be requested twice. */
  position = $state.raw<ReadingPosition | null>(null);
  /** The key of the last requested document, even while it is loading. */
  key = $state<string | null>(null);
  /** Whether a narrow window shows the document instead of the list. */
  isReading = $state(false);
  /** The document that was read before the current preview. */
  beforePreview = $state.raw<ReadingPosition | null>(null);

  #previewTimer: ReturnType<typeof setTimeout> | undefined;
  #readTimer: ReturnType<typeof setTimeout> | undefined;
  #isRead = false;

  /**
   * `onLeave` is called before another document opens, `onRead` for each read document, and
   * `onRequest` for each requested one.
   */
  constructor(
    private readonly onLeave: () => void = () => {},
    private readonly onRead: (thread: Thread) => void = () => {},
    private readonly onRequest: (key: string) => void = () => {},
  ) {
    super();
  }

  /** Opens a result at its best passage. */
  async openHit(hit: Hit): Promise<void> {
    await this.open({ key: hit.key, anchor: hit.passages[0]?.anchor ?? null });
  }

  /** Previews a result after a short delay, without adding to the history. */
  preview(hit: Hit): void {
    clearTimeout(this.#previewTimer);
    this.#previewTimer = setTimeout(() => {
      if (this.#isRead && this.position?.key !== hit.key) this.beforePreview = this.position;
      void this.#go({ key: hit.key, anchor: hit.passages[0]?.anchor ?? null }, READ_DELAY);
    }, 90);
  }

  /** Opens a document and adds the current one to the history. */
  async open(place: ReadingPosition): Promise<void> {
    if (this.position && this.position.key !== place.key) this.onLeave();
    this.beforePreview = null;
    await this.#go(place, 0);
  }

  /** Shows a document without adding to the history. */
  async show(place: ReadingPosition, isOpened = false): Promise<void> {
    this.beforePreview = null;
    await this.#go(place, isOpened ? 0 : READ_DELAY);
  }

  /** Keeps the shown document and ignores pending requests. */
  cancelPending(): void {
    clearTimeout(this.#previewTimer);
    this.cancel();
  }

  /** Reloads the document, which may have changed. */
  async refresh(): Promise<void> {
    const key = this.thread?.key;
    if (key === undefined || this.pending) return;
    const thread = await api.thread(key).catch(() => null);
    if (thread && this.thread?.key === key) this.thread = thread;
  }

  close(): void {
    this.cancelPending();
    clearTimeout(this.#readTimer);
    this.thread = null;
    this.failure = null;
    this.position = null;
    this.key = null;
    this.beforePreview = null;
  }

  async #go(place: ReadingPosition, readDelay: number): Promise<void> {
    clearTimeout(this.#previewTimer);
    clearTimeout(this.#readTimer);
    this.#isRead = false;
    this.key = place.key;
    this.onRequest(place.key);
    if (this.thread?.key === place.key && this.failure === null) {
      this.cancel();
      this.position = place;
      this.#recordRead(this.thread, readDelay);
      return;
    }
    const request = (isCurrent: () => boolean) =>
      api.thread(place.key).catch((error: unknown) => {
        if (isCurrent()) Object.assign(this, { thread: null, position: place });
        throw error;
      });
    await this.run(request, (thread) => {
      this.thread = thread;
      this.position = place;
      this.#recordRead(thread, readDelay);
    });
  }

  #recordRead(thread: Thread, delay: number): void {
    const markRead = () => {
      this.#isRead = true;
      this.onRead(thread);
    };
    if (delay === 0) markRead();
    else this.#readTimer = setTimeout(markRead, delay);
  }
}
