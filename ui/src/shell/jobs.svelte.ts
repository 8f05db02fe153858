// The running jobs with their progress and speed.

import * as api from "../lib/api";
import { rate } from "../lib/text";
import type { JobKind, Phase, Progress } from "../lib/types";

export interface Job {
  kind: JobKind;
  progress: Progress | null;
  perSecond: number | null;
  isCanceling: boolean;
}

type Listener = (progress: Progress, isNewPhase: boolean) => void;

export class Jobs {
  running = $state.raw<readonly Job[]>([]);

  get(kind: JobKind): Job | null {
    return this.running.find((job) => job.kind === kind) ?? null;
  }

  /** Runs a job and shows its progress. Passes errors to the caller. */
  async run<T>(
    kind: JobKind,
    start: (onProgress: (progress: Progress) => void) => Promise<T>,
    listener: Listener = () => {},
  ): Promise<T> {
    let phase: { name: Phase; time: number; done: number } | null = null;
    // The engine refuses a second job of a kind, which must not replace the first.
    const isFirst = this.get(kind) === null;
    if (isFirst) this.running = [...this.running, { kind, progress: null, perSecond: null, isCanceling: false }];
    try {
      return await start((progress) => {
        const now = Date.now();
        const isNewPhase = phase?.name !== progress.phase;
        if (phase === null || isNewPhase) phase = { name: progress.phase, time: now, done: progress.done };
        this.#change(kind, { progress, perSecond: rate(phase, now, progress.done) });
        listener(progress, isNewPhase);
      });
    } finally {
      if (isFirst) this.running = this.running.filter((job) => job.kind !== kind);
    }
  }

  async cancel(kind: JobKind): Promise<void> {
    this.#change(kind, { isCanceling: true });
    await api.cancel(kind);
  }

  #change(kind: JobKind, change: Partial<Job>): void {
    this.running = this.running.map((job) => (job.kind === kind ? { ...job, ...change } : job));
  }
}
