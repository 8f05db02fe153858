// Short messages in the status bar. Only the newest is shown, so its undo is always the one of Ctrl
// Z.

interface Toast {
  id: number;
  text: string;
  undo: (() => void) | null;
}

const DURATION = 7000;

export class Toasts {
  shown = $state.raw<Toast | null>(null);

  #next = 1;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** Shows a message. Returns its id. */
  show(text: string, undo: (() => void) | null = null): number {
    const id = this.#next++;
    this.shown = { id, text, undo };
    this.startTimeout();
    return id;
  }

  /** Hides a message if it is shown. */
  dismiss(id: number): void {
    if (this.shown?.id !== id) return;
    this.pauseTimeout();
    this.shown = null;
  }

  /** Keeps the message while it is being read. */
  pauseTimeout(): void {
    clearTimeout(this.#timer);
  }

  startTimeout(): void {
    this.pauseTimeout();
    this.#timer = setTimeout(() => (this.shown = null), DURATION);
  }
}
