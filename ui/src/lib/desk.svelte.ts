// The window as a whole: what the casebook holds, the long job that runs, and what there is to say about either.

import * as api from "./api";
import { Reader } from "./reader.svelte";
import { Search } from "./search.svelte";
import { rate } from "./text";
import type { Failure, Launch, Phase, Progress, Status } from "./types";

export interface Job {
  progress: Progress | null;
  perSecond: number | null;
  cancelling: boolean;
}

export interface Message {
  tone: "error" | "info";
  failure: Failure;
}

const STATUS_EVERY = 1500;

export class Desk {
  readonly search = new Search();
  readonly reader = new Reader();

  launch = $state.raw<Launch | null>(null);
  status = $state.raw<Status | null>(null);
  /** Why the casebook cannot be opened. */
  closed = $state.raw<Failure | null>(null);
  message = $state.raw<Message | null>(null);
  job = $state.raw<Job | null>(null);
  opening = $state(true);

  #phase: { name: Phase; at: number; done: number } | null = null;
  #statusAt = 0;

  get isEmpty(): boolean {
    return this.status !== null && this.status.sources.length === 0;
  }

  /** Opens the casebook; called again by "Retry". */
  async start(): Promise<void> {
    this.opening = true;
    try {
      this.launch = await api.launch();
      this.status = await api.status();
      this.closed = null;
    } catch (thrown) {
      this.closed = api.failure(thrown);
      return;
    } finally {
      this.opening = false;
    }
    this.search.refresh();
    if (this.isEmpty) {
      if (this.launch.sample) await this.openSample();
    } else {
      await this.update();
    }
  }

  /** Brings the sample in and makes it searchable. */
  async openSample(): Promise<void> {
    const report = await this.#run(api.importSample);
    if (report === null) return;
    await this.refresh();
    this.search.refresh();
    await this.update();
  }

  /** Brings the indexes up to date. */
  async update(): Promise<void> {
    const report = await this.#run(api.updateIndex);
    if (report?.busy_elsewhere) {
      this.#inform("Another process is bringing the indexes up to date.", "What it has done shows up here by itself.");
    }
    await this.refresh();
    if (report && !report.busy_elsewhere) this.search.refresh();
  }

  async cancel(): Promise<void> {
    if (!this.job) return;
    this.job = { ...this.job, cancelling: true };
    try {
      await api.cancel();
    } catch (thrown) {
      this.say(thrown);
    }
  }

  /** Asks the engine what there is now. */
  async refresh(): Promise<void> {
    this.#statusAt = Date.now();
    try {
      this.status = await api.status();
    } catch (thrown) {
      this.say(thrown);
    }
  }

  async openExternal(url: string): Promise<void> {
    try {
      await api.openExternal(url);
    } catch (thrown) {
      this.say(thrown);
    }
  }

  /** Shows what went wrong. */
  say(thrown: unknown): void {
    const failure = api.failure(thrown);
    // A list that is laid out twice in one frame is no failure of anything.
    if (failure.message.startsWith("ResizeObserver loop")) return;
    this.message = { tone: failure.code === "cancelled" ? "info" : "error", failure };
  }

  dismiss(): void {
    this.message = null;
  }

  #inform(message: string, hint: string): void {
    this.message = { tone: "info", failure: { code: "busy", message, hint } };
  }

  async #run<T>(start: (onProgress: (progress: Progress) => void) => Promise<T>): Promise<T | null> {
    this.job = { progress: null, perSecond: null, cancelling: false };
    this.#phase = null;
    try {
      return await start((progress) => this.#report(progress));
    } catch (thrown) {
      this.say(thrown);
      return null;
    } finally {
      this.job = null;
    }
  }

  #report(progress: Progress): void {
    if (!this.job) return;
    const now = Date.now();
    if (this.#phase?.name !== progress.phase) {
      // The full text is searchable as soon as it is through; the vectors may take long.
      if (this.#phase !== null) this.search.refresh();
      this.#phase = { name: progress.phase, at: now, done: progress.done };
    }
    this.job = { ...this.job, progress, perSecond: rate(this.#phase, now, progress.done) };
    if (now - this.#statusAt > STATUS_EVERY) void this.refresh();
  }
}
