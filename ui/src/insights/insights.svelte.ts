// The casebook in numbers.

import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { ClustersResponse, Failure, Insights as Numbers } from "../lib/types";
import { Questions } from "./questions.svelte";

export class Insights {
  source = $state<string | null>(null);
  /** How many months are shown; 0 stands for all. */
  span = $state(24);
  numbers = $state.raw<Numbers | null>(null);
  clusters = $state.raw<ClustersResponse | null>(null);
  /** The head of the cluster that is looked at. */
  chosen = $state<string | null>(null);
  failure = $state.raw<Failure | null>(null);

  readonly questions = new Questions();

  #latest = new Latest();

  async load(): Promise<void> {
    const isCurrent = this.#latest.begin();
    void this.questions.load(this.source);
    try {
      const [numbers, clusters] = await Promise.all([api.insights(this.source), api.clusters(this.source)]);
      if (!isCurrent()) return;
      this.numbers = numbers;
      this.clusters = clusters;
      this.failure = null;
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
    }
  }

  choose(source: string | null): void {
    this.source = source;
    void this.load();
  }
}
