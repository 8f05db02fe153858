// The list behind a number of known duplicates: of a source or all, of a month or ever.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { CountedDuplicate, Failure } from "../lib/types";
import { words } from "../words";
import { monthName } from "./chart";

export class Known {
  rows = $state.raw<readonly CountedDuplicate[] | null>(null);
  failure = $state.raw<Failure | null>(null);
  title = $state("");
  /** The row that is marked. */
  at = $state(0);

  #latest = new Latest();

  async load(source: string | null, month: string | null): Promise<void> {
    const isCurrent = this.#latest.begin();
    const where = [source, month === null ? null : monthName(month)].filter((one) => one !== null);
    this.title = words.problems.known.title(words.shared.list(where));
    this.rows = null;
    this.failure = null;
    this.at = 0;
    try {
      const rows = await api.knownDuplicates(source, month);
      if (isCurrent()) this.rows = rows;
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
    }
  }

  move(by: number): void {
    this.at = Math.min(Math.max(this.at + by, 0), Math.max(0, (this.rows?.length ?? 0) - 1));
  }
}
