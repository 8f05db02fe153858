// The list behind a number of known duplicates: of a source or all, of a month or ever.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/asking.svelte";
import type { CountedDuplicate } from "../lib/types";
import { words } from "../words";
import { monthName } from "./chart";

export class Known extends EngineRequest {
  rows = $state.raw<readonly CountedDuplicate[] | null>(null);
  title = $state("");
  /** The row that is marked. */
  at = $state(0);

  async load(source: string | null, month: string | null): Promise<void> {
    const where = [source, month === null ? null : monthName(month)].filter((one) => one !== null);
    this.title = words.problems.known.title(words.shared.list(where));
    Object.assign(this, { rows: null, failure: null, at: 0 });
    await this.run(api.knownDuplicates(source, month), (rows) => (this.rows = rows));
  }

  move(by: number): void {
    this.at = Math.min(Math.max(this.at + by, 0), Math.max(0, (this.rows?.length ?? 0) - 1));
  }
}
