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
    const { target, from, to } = this.#step(this.#past, this.#future, current);
    if (target !== null) [this.#past, this.#future] = [from, to];
    return target;
  }

  /** Goes forward; `null` at the end. */
  forward(current: T): T | null {
    const { target, from, to } = this.#step(this.#future, this.#past, current);
    if (target !== null) [this.#future, this.#past] = [from, to];
    return target;
  }

  /** Takes the last place off one list and adds the current one to the other. */
  #step(from: readonly T[], to: readonly T[], current: T): { target: T | null; from: readonly T[]; to: readonly T[] } {
    const places = this.#without(from, current);
    return { target: places.at(-1) ?? null, from: places.slice(0, -1), to: [...this.#without(to, current), current] };
  }

  #without(places: readonly T[], current: T): readonly T[] {
    const last = places.at(-1);
    return last !== undefined && this.isSame(last, current) ? places.slice(0, -1) : places;
  }
}
