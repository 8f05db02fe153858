// Tracks when the window is in use, to show what is new since the last visit.

import type { MirrorView } from "../lib/types";
import type { AppState } from "./appState.svelte";

const INTERVAL = 60_000;
const INPUT_EVENTS = ["keydown", "pointerdown", "pointermove", "focus"] as const;

/** Returns the time up to which a mirror is complete, in Unix milliseconds. */
function completeUpTo(mirror: MirrorView): number {
  const items = mirror.streams.find((stream) => stream.name === "items") ?? mirror.streams[0];
  return Date.parse(items?.watermark ?? mirror.synced_at ?? "");
}

export class Visits {
  #isStarted = false;
  /** Whether there was input since the last check. */
  #isActive = false;

  constructor(private readonly app: AppState) {}

  start(): void {
    this.record(Date.now());
    if (this.#isStarted) return;
    this.#isStarted = true;
    const markActive = () => (this.#isActive = true);
    for (const event of INPUT_EVENTS) window.addEventListener(event, markActive, { capture: true, passive: true });
    setInterval(() => {
      if (this.#isActive) this.record(Date.now());
      this.#isActive = false;
    }, INTERVAL);
  }

  record(now: number): void {
    const { sources, store } = this.app;
    const times = sources.all.map((source) => {
      const mirror = sources.mirror(source.key);
      return [source.key, mirror ? completeUpTo(mirror) : Date.parse(source.changed_at ?? "")] as const;
    });
    store.recordVisit(now, Object.fromEntries(times.filter(([, time]) => !Number.isNaN(time))));
  }
}
