// The undo stack of the window.

import { words as texts } from "../words";
import type { Toasts } from "./toasts.svelte";

export interface UndoEntry {
  /** A sentence in the past tense. */
  words: string;
  /** Undoes the action; throws on failure. */
  takeBack: () => Promise<void> | void;
}

/** Older actions are forgotten: undoing one unseen would be worse than keeping it. */
const MAX_ENTRIES = 100;

export class UndoStack {
  #deeds = $state.raw<readonly UndoEntry[]>([]);
  #toasts: Toasts;
  #say: (thrown: unknown) => void;
  #told = new Map<UndoEntry, number>();

  constructor(toasts: Toasts, say: (thrown: unknown) => void) {
    this.#toasts = toasts;
    this.#say = say;
  }

  get last(): UndoEntry | null {
    return this.#deeds.at(-1) ?? null;
  }

  /** Records an action, and shows it with an undo button. */
  record(words: string, takeBack: () => Promise<void> | void): UndoEntry {
    const deed = { words, takeBack };
    this.#deeds = [...this.#deeds, deed].slice(-MAX_ENTRIES);
    this.#told.set(deed, this.#toasts.show(words, () => void this.takeBack(deed)));
    return deed;
  }

  /** Removes an action that failed. */
  remove(deed: UndoEntry): void {
    this.#deeds = this.#deeds.filter((d) => d !== deed);
    this.#toasts.dismiss(this.#told.get(deed) ?? 0);
    this.#told.delete(deed);
  }

  /** Undoes an action, the last one by default, and reports it. Returns whether it succeeded. */
  async takeBack(deed: UndoEntry | null = this.last): Promise<boolean> {
    if (!deed || !this.#deeds.includes(deed)) return false;
    const place = this.#deeds.indexOf(deed);
    // Removed at once, so that a second keystroke undoes the previous action.
    this.remove(deed);
    try {
      await deed.takeBack();
    } catch (thrown) {
      this.#deeds = this.#deeds.toSpliced(place, 0, deed);
      this.#say(thrown);
      return false;
    }
    this.#toasts.show(texts.shell.takenBack(deed.words));
    return true;
  }
}
