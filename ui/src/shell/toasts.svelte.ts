// Short messages in a corner that go by themselves; some offer to take back what they tell of.

export interface Toast {
  id: number;
  text: string;
  undo: (() => void) | null;
}

const SHOWN = 3;
const GOES_AFTER = 7000;

export class Toasts {
  items = $state.raw<readonly Toast[]>([]);

  #next = 1;
  #timers = new Map<number, ReturnType<typeof setTimeout>>();

  say(text: string, undo: (() => void) | null = null): void {
    const id = this.#next++;
    for (const old of this.items.slice(0, Math.max(0, this.items.length - SHOWN + 1))) this.dismiss(old.id);
    this.items = [...this.items, { id, text, undo }];
    this.resume(id);
  }

  dismiss(id: number): void {
    this.hold(id);
    this.items = this.items.filter((toast) => toast.id !== id);
  }

  /** Keeps a message while somebody reads it. */
  hold(id: number): void {
    clearTimeout(this.#timers.get(id));
    this.#timers.delete(id);
  }

  resume(id: number): void {
    this.hold(id);
    this.#timers.set(id, setTimeout(() => this.dismiss(id), GOES_AFTER));
  }

  /** Takes back what the newest message that offers it tells of. Whether there was one. */
  undo(): boolean {
    const toast = this.items.findLast((t) => t.undo !== null);
    if (!toast) return false;
    this.dismiss(toast.id);
    toast.undo?.();
    return true;
  }
}
