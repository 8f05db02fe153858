// Telling trackers about the duplicates that were decided: what would be sent, and what came of it.

import * as api from "../lib/api";
import { Asking } from "../lib/asking.svelte";
import type { Closure, ClosureRecord, ClosureReport } from "../lib/types";
import type { Desk } from "../shell/desk.svelte";
import { words } from "../words";

/** What is told of a report after it was tried. */
export function outcome(record: ClosureRecord): string {
  const { because, steps } = words.triage.closing;
  return record.problem ? because(steps[record.step], record.problem) : steps[record.step];
}

export class Closing extends Asking {
  /** What would be told, as it is shown; exactly this is what is confirmed. */
  list = $state.raw<readonly Closure[]>([]);
  report = $state.raw<ClosureReport | null>(null);

  readonly #desk: Desk;

  constructor(desk: Desk) {
    super();
    this.#desk = desk;
  }

  get possible(): readonly Closure[] {
    return this.list.filter((closure) => closure.obstacle === null);
  }

  /** What came of a report, if it was tried just now. */
  record(key: string): ClosureRecord | null {
    return this.report?.done.find((record) => record.key === key) ?? null;
  }

  /** Looks what there is to tell; sends nothing. */
  async load(): Promise<void> {
    await this.ask(api.closures(), (list) => (this.list = list));
  }

  /** Posts the comments and closes the reports that are shown. */
  async send(): Promise<void> {
    if (this.#desk.jobs.get("close")) return;
    this.failure = null;
    try {
      const shown = this.possible;
      this.report = await this.#desk.jobs.run("close", (onProgress) => api.closeShown(shown, onProgress));
      // What the person stopped is no failure; what is done shows it.
      this.failure = this.report.problem?.code === "cancelled" ? null : this.report.problem;
    } catch (thrown) {
      this.failure = api.failure(thrown);
    }
    await this.#desk.changed();
  }
}
