// Answers to what is typed may arrive in any order; only the newest question's may be shown.

/** Hands out tickets; only the newest one is current. */
export class Latest {
  #newest = 0;

  /** Starts a new question; every older one is stale from now on. Returns whether the new one still is current. */
  begin(): () => boolean {
    const ticket = ++this.#newest;
    return () => ticket === this.#newest;
  }

  /** Makes every question stale. */
  forget(): void {
    this.#newest++;
  }
}
