// The state of a request to the engine: only the newest one counts.

import * as api from "./api";
import { LatestRequest } from "./latestRequest";
import type { Failure } from "./types";

export class EngineRequest {
  failure = $state.raw<Failure | null>(null);
  pending = $state(false);
  #latest = new LatestRequest();
  #lastRequest: Promise<unknown> = Promise.resolve();

  /** Passes the response to `onResponse` unless a newer request started. Returns whether it did. */
  protected async run<T>(
    request: Promise<T> | ((isCurrent: () => boolean) => Promise<T>),
    onResponse: (response: T) => void,
  ): Promise<boolean> {
    const isCurrent = this.#latest.begin();
    this.pending = true;
    try {
      const response = await (request instanceof Promise ? request : request(isCurrent));
      if (!isCurrent()) return false;
      onResponse(response);
      this.failure = null;
      return true;
    } catch (error) {
      if (isCurrent()) this.failure = api.toFailure(error);
      return false;
    } finally {
      if (isCurrent()) this.pending = false;
    }
  }

  /** Does the same with a request that starts once the previous one has ended, unless it is replaced before. */
  protected async runInTurn<T>(start: () => Promise<T>, onResponse: (response: T) => void): Promise<void> {
    const request: Promise<T> = this.#lastRequest.catch(() => {}).then(() => {
      if (request !== this.#lastRequest || !this.pending) throw new Error("superseded");
      return start();
    });
    this.#lastRequest = request;
    await this.run(request, onResponse);
  }

  /** Runs an action that no newer one replaces. Returns whether it succeeded; a cancellation is not a failure. */
  protected async attempt(action: () => Promise<unknown>): Promise<boolean> {
    this.failure = null;
    try {
      await action();
      return true;
    } catch (error) {
      const failure = api.toFailure(error);
      if (failure.code !== "cancelled") this.failure = failure;
      return false;
    }
  }

  protected cancel(): void {
    this.#latest.invalidate();
    this.pending = false;
  }
}
