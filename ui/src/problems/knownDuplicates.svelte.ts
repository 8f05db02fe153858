// The known duplicates of one source or all sources, created in one month or at any time.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { CountedDuplicate } from "../lib/types";
import { words } from "../words";
import { monthName } from "./chart";

export class KnownDuplicates extends EngineRequest {
  rows = $state.raw<readonly CountedDuplicate[] | null>(null);
  title = $state("");
  index = $state(0);

  async load(source: string | null, month: string | null): Promise<void> {
    const scope = [source, month === null ? null : monthName(month)].filter((entry) => entry !== null);
    this.title = words.problems.known.title(words.shared.list(scope));
    Object.assign(this, { rows: null, failure: null, index: 0 });
    await this.run(api.knownDuplicates(source, month), (rows) => (this.rows = rows));
  }

  move(delta: number): void {
    this.index = Math.min(Math.max(this.index + delta, 0), Math.max(0, (this.rows?.length ?? 0) - 1));
  }
}
