// Closes decided duplicates at their trackers, after a preview.

import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import type { Closure, ClosureRecord, ClosureReport } from "../lib/types";
import type { AppState } from "../shell/appState.svelte";
import { words } from "../words";

/** Describes the result of an attempt to close a report. */
export function closureResult(record: ClosureRecord): string {
  const step = words.triage.closing.steps[record.step];
  return record.problem ? words.shared.named(step, record.problem) : step;
}

export class TrackerClosing extends EngineRequest {
  /** The previewed changes; exactly these are confirmed. */
  list = $state.raw<readonly Closure[]>([]);
  report = $state.raw<ClosureReport | null>(null);

  constructor(private readonly app: AppState) {
    super();
  }

  get possibleClosures(): readonly Closure[] {
    return this.list.filter((closure) => closure.obstacle === null);
  }

  /** Returns a report's result in the last run, if any. */
  record(key: string): ClosureRecord | null {
    return this.report?.done.find((record) => record.key === key) ?? null;
  }

  /** Loads the preview; sends nothing. */
  async load(): Promise<void> {
    await this.run(api.closures(), (list) => (this.list = list));
  }

  async send(): Promise<void> {
    if (this.app.jobs.get("close")) return;
    const closures = this.possibleClosures;
    await this.attempt(async () => {
      this.report = await this.app.jobs.run("close", (onProgress) => api.closeReports(closures, onProgress));
      // Canceling is not an error; the list shows what was done.
      this.failure = this.report.problem?.code === "cancelled" ? null : this.report.problem;
    });
    await this.app.reloadAll();
  }
}
