// When somebody was last at the window, so that it can tell what came since.

import type { MirrorView } from "../lib/types";
import type { Desk } from "./desk.svelte";

const EVERY = 60_000;
const SIGNS = ["keydown", "pointerdown", "pointermove", "focus"] as const;

/** Up to when everything of a mirror is here, in milliseconds. */
export function upTo(mirror: MirrorView): number {
  const items = mirror.streams.find((stream) => stream.name === "items") ?? mirror.streams[0];
  return Date.parse(items?.watermark ?? mirror.synced_at ?? "");
}

export class Visits {
  #desk: Desk;
  #started = false;
  /** Whether somebody was at the window since it was last noted. */
  #isSomebodyHere = false;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Notes from now on that somebody is here. */
  start(): void {
    this.look(Date.now());
    if (this.#started) return;
    this.#started = true;
    const here = () => (this.#isSomebodyHere = true);
    for (const sign of SIGNS) window.addEventListener(sign, here, { capture: true, passive: true });
    setInterval(() => {
      if (this.#isSomebodyHere) this.look(Date.now());
      this.#isSomebodyHere = false;
    }, EVERY);
  }

  look(now: number): void {
    const { sources, shelf } = this.#desk;
    const known = sources.all.map((source) => {
      const mirror = sources.mirror(source.key);
      return [source.key, mirror ? upTo(mirror) : Date.parse(source.changed_at ?? "")] as const;
    });
    shelf.look(now, Object.fromEntries(known.filter(([, at]) => !Number.isNaN(at))));
  }
}
