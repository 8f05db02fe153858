// Short messages in the status bar. Only the newest is shown, so its undo button does the same as
// Ctrl Z.

interface Toast {
  id: number;
  text: string;
  undo: (() => void) | null;
}

const DURATION = 7000;

export class Toasts {
  current = $state.raw<Toast | null>(null);

  #nextId = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a message. Returns its id. */
  show(text: string, undo: (() => void) | null = null): number {
    const id = this.#nextId++;
    this.current = { id, text, undo };
    this.startTimeout();
    return id;
  }

  dismiss(id: number): void {
    if (this.current?.id !== id) return;
    this.pauseTimeout();
    this.current = null;
  }

  /** Keeps the message while it is being read. */
  pauseTimeout(): void {
    clearTimeout(this.#timer);
  }

  startTimeout(): void {
    this.pauseTimeout();
    this.#timer = setTimeout(() => (this.current = null), DURATION);
  }
}
