// The way through the window: where it was before, and where it was before it went back.

const KEPT = 100;

export class History<T> {
  #past = $state.raw<readonly T[]>([]);
  #future = $state.raw<readonly T[]>([]);
  #same: (a: T, b: T) => boolean;

  /** `same` tells whether two places are one, so that no step leads to where one is. */
  constructor(same: (a: T, b: T) => boolean) {
    this.#same = same;
  }

  /** Where a step back leads. */
  get last(): T | null {
    return this.#past.at(-1) ?? null;
  }

  get next(): T | null {
    return this.#future.at(-1) ?? null;
  }

  /** The window is about to go somewhere else from here. */
  leave(here: T): void {
    this.#past = [...this.#without(this.#past, here), here].slice(-KEPT);
    this.#future = [];
  }

  /** Where it was before; nothing where that is not known. */
  back(here: T): T | null {
    const past = this.#without(this.#past, here);
    const to = past.at(-1);
    if (to === undefined) return null;
    this.#past = past.slice(0, -1);
    this.#future = [...this.#without(this.#future, here), here];
    return to;
  }

  /** Where it was before it went back. */
  forward(here: T): T | null {
    const future = this.#without(this.#future, here);
    const to = future.at(-1);
    if (to === undefined) return null;
    this.#future = future.slice(0, -1);
    this.#past = [...this.#without(this.#past, here), here];
    return to;
  }

  #without(places: readonly T[], here: T): readonly T[] {
    const last = places.at(-1);
    return last !== undefined && this.#same(last, here) ? places.slice(0, -1) : places;
  }
}
