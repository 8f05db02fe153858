// The reading pane: the document that is open, the place in it, and the trail of links that led there.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Failure, Hit, Thread } from "../lib/types";

interface Place {
  key: string;
  anchor: string | null;
}

export class Reader {
  thread = $state.raw<Thread | null>(null);
  failure = $state.raw<Failure | null>(null);
  /** Where to go in the thread; a new object each time, so that the same place can be asked for twice. */
  place = $state.raw<Place | null>(null);
  loading = $state(false);
  trail = $state.raw<readonly Place[]>([]);
  /** Which of list and thread a narrow window shows. */
  reading = $state(false);

  #latest = new Latest();
  #preview: ReturnType<typeof setTimeout> | undefined;

  /** Opens a result at its best passage. A result of the list starts a new trail. */
  async openHit(hit: Hit): Promise<void> {
    this.trail = [];
    await this.#go({ key: hit.key, anchor: hit.passages[0]?.anchor ?? null });
  }

  /** Opens a result a little later, unless another one is asked for meanwhile. */
  preview(hit: Hit): void {
    clearTimeout(this.#preview);
    this.#preview = setTimeout(() => void this.openHit(hit), 90);
  }

  /** Follows a link to another document; `back` returns. */
  async follow(key: string, anchor: string | null = null): Promise<void> {
    if (this.place && this.place.key !== key) this.trail = [...this.trail, this.place];
    await this.#go({ key, anchor });
  }

  /** Returns along the trail. Whether there was somewhere to go. */
  back(): boolean {
    const place = this.trail.at(-1);
    if (!place) return false;
    this.trail = this.trail.slice(0, -1);
    void this.#go(place);
    return true;
  }

  close(): void {
    clearTimeout(this.#preview);
    this.#latest.forget();
    this.thread = null;
    this.failure = null;
    this.place = null;
    this.loading = false;
    this.trail = [];
  }

  async #go(place: Place): Promise<void> {
    clearTimeout(this.#preview);
    const isCurrent = this.#latest.begin();
    if (this.thread?.key === place.key && this.failure === null) {
      this.place = place;
      this.loading = false;
      return;
    }
    this.loading = true;
    try {
      const thread = await api.thread(place.key);
      if (!isCurrent()) return;
      this.thread = thread;
      this.failure = null;
    } catch (thrown) {
      if (!isCurrent()) return;
      this.thread = null;
      this.failure = api.failure(thrown);
    }
    this.place = place;
    this.loading = false;
  }
}
