// Responses may arrive out of order; only the one to the newest request may be shown.

/** Hands out tickets; only the newest one is current. */
export class LatestRequest {
  #newest = 0;

  /** Starts a request and makes older ones stale. Returns a check whether it is still the newest. */
  begin(): () => boolean {
    const ticket = ++this.#newest;
    return () => ticket === this.#newest;
  }

  /** Makes every question stale. */
  invalidate(): void {
    this.#newest++;
  }
}
