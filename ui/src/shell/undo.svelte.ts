// The undo stack of the window.

import { words } from "../words";
import type { Toasts } from "./toasts.svelte";

export interface UndoEntry {
  /** A sentence in the past tense. */
  description: string;
  /** Undoes the action; throws on failure. */
  undo: () => Promise<void> | void;
  /** The toast with its undo button. */
  toastId: number;
}

/** The maximum number of actions; undoing an older one out of view could do harm. */
const MAX_ENTRIES = 100;

export class UndoStack {
  #entries = $state.raw<readonly UndoEntry[]>([]);

  constructor(private readonly toasts: Toasts, private readonly showError: (error: unknown) => void) {}

  get last(): UndoEntry | null {
    return this.#entries.at(-1) ?? null;
  }

  /** Records an action, and shows it with an undo button. */
  record(description: string, undo: () => Promise<void> | void): UndoEntry {
    const entry: UndoEntry = { description, undo, toastId: this.toasts.show(description, () => void this.undo(entry)) };
    this.#entries = [...this.#entries, entry].slice(-MAX_ENTRIES);
    return entry;
  }

  remove(entry: UndoEntry): void {
    this.#entries = this.#entries.filter((other) => other !== entry);
    this.toasts.dismiss(entry.toastId);
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
      this.showError(error);
      return false;
    }
    this.toasts.show(words.shell.undone(entry.description));
    return true;
  }
}
