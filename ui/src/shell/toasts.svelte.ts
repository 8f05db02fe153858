// Short messages in the status bar that go by themselves. The newest is the one that is shown: what it offers to take back
// is always what Ctrl Z would.

export interface Toast {
  id: number;
  text: string;
  undo: (() => void) | null;
}

const GOES_AFTER = 7000;

export class Toasts {
  shown = $state.raw<Toast | null>(null);

  #next = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a message. Returns its id. */
  say(text: string, undo: (() => void) | null = null): number {
    const id = this.#next++;
    this.shown = { id, text, undo };
    this.resume();
    return id;
  }

  /** Takes a message away, if it is the one that is shown. */
  dismiss(id: number): void {
    if (this.shown?.id !== id) return;
    this.hold();
    this.shown = null;
  }

  /** Keeps the message while somebody reads it. */
  hold(): void {
    clearTimeout(this.#timer);
  }

  resume(): void {
    this.hold();
    this.#timer = setTimeout(() => (this.shown = null), GOES_AFTER);
  }
}
