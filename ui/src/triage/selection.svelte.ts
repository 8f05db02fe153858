// Selected reports, which are decided together.

import { SvelteSet } from "svelte/reactivity";
import type { TriageItem } from "../lib/types";

export class ReportSelection {
  readonly #keys = new SvelteSet<string>();

  constructor(private readonly rows: () => readonly TriageItem[]) {}

  /** The selected visible reports, in list order; hidden ones are never decided. */
  get items(): readonly TriageItem[] {
    return this.#keys.size === 0 ? [] : this.rows().filter((item) => this.#keys.has(item.key));
  }

  get isActive(): boolean {
    return this.items.length > 0;
  }

  has(key: string): boolean {
    return this.#keys.has(key);
  }

  toggle(key: string): void {
    if (!this.#keys.delete(key)) this.#keys.add(key);
  }

  /** Selects a range. Going back over selected rows deselects the last one. */
  extend(from: string, to: string): void {
    const keys = this.rows().map((item) => item.key);
    const [a, b] = [keys.indexOf(from), keys.indexOf(to)];
    if (a < 0 || b < 0) return;
    const shrinks = a !== b && this.#keys.has(from) && this.#keys.has(to);
    if (shrinks) this.#keys.delete(from);
    else for (const key of keys.slice(Math.min(a, b), Math.max(a, b) + 1)) this.#keys.add(key);
  }

  clear(): void {
    this.#keys.clear();
  }
}
