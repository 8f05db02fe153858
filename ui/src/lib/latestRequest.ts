// Responses may arrive out of order; only the one to the newest request may be shown.

/** Waits for a time in milliseconds. */
export const wait = (delay: number) => new Promise<void>((resolve) => setTimeout(resolve, delay));

/** Hands out tickets; only the newest one is current. */
export class LatestRequest {
  #newest = 0;

  /** Starts a request that makes older ones stale. Returns a function that tests if it is current. */
  begin(): () => boolean {
    const ticket = ++this.#newest;
    return () => ticket === this.#newest;
  }

  /** Makes every request stale. */
  invalidate(): void {
    this.#newest++;
  }
}
