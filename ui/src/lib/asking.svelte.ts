// A question to the engine: whether its answer is awaited, and why there is none. Only the newest question counts.

import * as api from "./api";
import { Latest } from "./latest";
import type { Failure } from "./types";

export class Asking {
  failure = $state.raw<Failure | null>(null);
  pending = $state(false);
  #latest = new Latest();

  /** Gives the answer to `take`, unless something else was asked meanwhile. Whether it was taken. */
  protected async ask<T>(question: Promise<T>, take: (answer: T) => void): Promise<boolean> {
    const isCurrent = this.#latest.begin();
    this.pending = true;
    try {
      const answer = await question;
      if (!isCurrent()) return false;
      take(answer);
      this.failure = null;
      return true;
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
      return false;
    } finally {
      if (isCurrent()) this.pending = false;
    }
  }

  /** Nobody waits for the answer any more. */
  protected forget(): void {
    this.#latest.forget();
    this.pending = false;
  }
}
