// What was done and can be taken back: one stack for the whole window.

import { words as said } from "../words";
import type { Toasts } from "./toasts.svelte";

export interface Deed {
  /** What was done, as a sentence. */
  words: string;
  /** Takes it back; throws where that fails. */
  takeBack: () => Promise<void> | void;
}

/** Older deeds are no longer in anybody's mind, and to take one back unseen would be worse than not to. */
const KEPT = 100;

export class Undo {
  #deeds = $state.raw<readonly Deed[]>([]);
  #toasts: Toasts;
  #say: (thrown: unknown) => void;
  #told = new Map<Deed, number>();

  constructor(toasts: Toasts, say: (thrown: unknown) => void) {
    this.#toasts = toasts;
    this.#say = say;
  }

  get last(): Deed | null {
    return this.#deeds.at(-1) ?? null;
  }

  /** Something was done: says so, and offers to take it back. */
  did(words: string, takeBack: () => Promise<void> | void): Deed {
    const deed = { words, takeBack };
    this.#deeds = [...this.#deeds, deed].slice(-KEPT);
    this.#told.set(deed, this.#toasts.say(words, () => void this.takeBack(deed)));
    return deed;
  }

  /** It did not come to it after all. */
  forget(deed: Deed): void {
    this.#deeds = this.#deeds.filter((d) => d !== deed);
    this.#toasts.dismiss(this.#told.get(deed) ?? 0);
    this.#told.delete(deed);
  }

  /** Takes a deed back, the last one if not told which, and says so. Whether there was one and it could be. */
  async takeBack(deed: Deed | null = this.last): Promise<boolean> {
    if (!deed || !this.#deeds.includes(deed)) return false;
    const place = this.#deeds.indexOf(deed);
    // At once: a second key takes the one before.
    this.forget(deed);
    try {
      await deed.takeBack();
    } catch (thrown) {
      this.#deeds = this.#deeds.toSpliced(place, 0, deed);
      this.#say(thrown);
      return false;
    }
    this.#toasts.say(said.shell.takenBack(deed.words));
    return true;
  }
}
