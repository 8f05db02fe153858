// The undo stack of the window.

import { words } from "../words";
import type { Toasts } from "./toasts.svelte";

export interface UndoEntry {
  /** A sentence in the past tense. */
  description: string;
  /** Undoes the action; throws on failure. */
  undo: () => Promise<void> | void;
}

/** The maximum number of actions; undoing an older one out of view could do harm. */
const MAX_ENTRIES = 100;

export class UndoStack {
  #entries = $state.raw<readonly UndoEntry[]>([]);
  #toasts: Toasts;
  #showError: (error: unknown) => void;
  #toastIds = new Map<UndoEntry, number>();

  constructor(toasts: Toasts, showError: (error: unknown) => void) {
    this.#toasts = toasts;
    this.#showError = showError;
  }

  get last(): UndoEntry | null {
    return this.#entries.at(-1) ?? null;
  }

  /** Records an action, and shows it with an undo button. */
  record(description: string, undo: () => Promise<void> | void): UndoEntry {
    const entry = { description, undo };
    this.#entries = [...this.#entries, entry].slice(-MAX_ENTRIES);
    this.#toastIds.set(entry, this.#toasts.show(description, () => void this.undo(entry)));
    return entry;
  }

  remove(entry: UndoEntry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.#toasts.dismiss(this.#toastIds.get(entry) ?? 0);
    this.#toastIds.delete(entry);
  }

  /** Undoes an action, the last one by default, and reports it. Returns whether it succeeded. */
  async undo(entry: UndoEntry | null = this.last): Promise<boolean> {
    if (!entry || !this.#entries.includes(entry)) return false;
    const index = this.#entries.indexOf(entry);
    // Removed at once, so that a second keystroke undoes the previous action.
    this.remove(entry);
    try {
      await entry.undo();
    } catch (error) {
      this.#entries = this.#entries.toSpliced(index, 0, entry);
      this.#showError(error);
      return false;
    }
    this.#toasts.show(words.shell.undone(entry.description));
    return true;
  }
}
