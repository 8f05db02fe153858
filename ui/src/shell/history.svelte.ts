// The back and forward history of the window.

const MAX_PLACES = 100;

export class History<T> {
  #past = $state.raw<readonly T[]>([]);
  #future = $state.raw<readonly T[]>([]);

  /** `isSame` compares two places, so that no step leads to the current one. */
  constructor(private readonly isSame: (a: T, b: T) => boolean) {}

  /** The place that going back leads to. */
  get previous(): T | null {
    return this.#past.at(-1) ?? null;
  }

  get next(): T | null {
    return this.#future.at(-1) ?? null;
  }

  /** Records a place that is about to be left. */
  leave(current: T): void {
    this.#past = [...this.#without(this.#past, current), current].slice(-MAX_PLACES);
    this.#future = [];
  }

  /** Goes back; `null` at the beginning. */
  back(current: T): T | null {
    const past = this.#without(this.#past, current);
    const target = past.at(-1);
    if (target === undefined) return null;
    this.#past = past.slice(0, -1);
    this.#future = [...this.#without(this.#future, current), current];
    return target;
  }

  /** Goes forward; `null` at the end. */
  forward(current: T): T | null {
    const future = this.#without(this.#future, current);
    const target = future.at(-1);
    if (target === undefined) return null;
    this.#future = future.slice(0, -1);
    this.#past = [...this.#without(this.#past, current), current];
    return target;
  }

  #without(places: readonly T[], current: T): readonly T[] {
    const last = places.at(-1);
    return last !== undefined && this.isSame(last, current) ? places.slice(0, -1) : places;
  }
}
