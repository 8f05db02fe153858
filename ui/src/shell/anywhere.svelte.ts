// Asking from anywhere: the keys and the icon that open the prompt, and what the prompt asks this window to show. Off until
// it is switched on.

import { tick } from "svelte";
import * as api from "../lib/api";
import { Latest } from "../lib/latest";
import type { Failure, PromptState, PromptTarget } from "../lib/types";
import { question } from "../prompt/recognise";
import type { Desk } from "./desk.svelte";

const KEY = "prompt";

/** What a person chose. The keys are kept while they are off, so that they need not be chosen again. */
interface Chosen {
  on: boolean;
  shortcut: string | null;
  tray: boolean;
}

const OFF: Chosen = { on: false, shortcut: null, tray: false };

/** What was kept; what cannot be read is as if nothing was chosen. */
function read(stored: string | null): Chosen {
  try {
    const { on, shortcut, tray } = JSON.parse(stored ?? "") as Record<string, unknown>;
    return { on: on === true, shortcut: typeof shortcut === "string" ? shortcut : null, tray: tray === true };
  } catch {
    return OFF;
  }
}

export class Anywhere {
  chosen = $state.raw<Chosen>(OFF);
  /** What the system made of it; nothing until it was asked. */
  state = $state.raw<PromptState | null>(null);
  failure = $state.raw<Failure | null>(null);

  #desk: Desk;
  #latest = new Latest();
  /** What the system was asked last: it answers one after the other, and the last word holds. */
  #asked: Promise<void> = Promise.resolve();

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** The keys that open it, or would. */
  get shortcut(): string | null {
    return this.chosen.shortcut ?? this.state?.default_shortcut ?? null;
  }

  /** Whether the keys are the ones that everybody begins with. */
  get isDefault(): boolean {
    return this.state === null || this.shortcut === this.state.default_shortcut;
  }

  /** Switches on what was switched on when the window was last open. */
  async start(): Promise<void> {
    this.chosen = read(localStorage.getItem(KEY));
    void api.watchPrompt((target) => void this.show(target)).catch((thrown: unknown) => this.#desk.say(thrown));
    if (this.chosen.on || this.chosen.tray) await this.#apply();
  }

  /** Asks the system how it stands, unless it has been told already. */
  async load(): Promise<void> {
    if (this.state === null) await this.#apply();
  }

  async choose(change: Partial<Chosen>): Promise<void> {
    this.chosen = { ...this.chosen, ...change };
    // With the keys that hold now: another default of a later version is no wish of this person.
    if (this.chosen.on) this.chosen = { ...this.chosen, shortcut: this.shortcut };
    localStorage.setItem(KEY, JSON.stringify(this.chosen));
    await this.#apply();
  }

  /** Shows what the prompt asks for, wherever the window is; a step back leads there again. */
  async show(target: PromptTarget): Promise<void> {
    const desk = this.#desk;
    // What is asked for would lie below it.
    for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
    switch (target.view) {
      case "item":
        return desk.read(target.key, target.anchor);
      case "search":
        // It may have been on the clipboard, and is never among the searches that are kept.
        return desk.lookFor(target.query, true);
      case "triage": {
        const { key } = question(target.text);
        return key === null ? desk.lookUp(target.text, "related") : desk.findDuplicates(key);
      }
      case "ask":
        return desk.lookUp(target.text, "problem");
      case "brief":
        await desk.lookUp(target.text, "problem");
        await tick();
        return desk.commands.run("search.brief");
    }
  }

  #apply(): Promise<void> {
    const isCurrent = this.#latest.begin();
    this.#asked = this.#asked.then(() => this.#ask(isCurrent));
    return this.#asked;
  }

  async #ask(isCurrent: () => boolean): Promise<void> {
    if (!isCurrent()) return;
    const { on, tray } = this.chosen;
    try {
      const state = await api.setPrompt({ shortcut: on ? this.shortcut : null, tray });
      if (!isCurrent()) return;
      this.state = state;
      this.failure = null;
    } catch (thrown) {
      if (isCurrent()) this.failure = api.failure(thrown);
    }
  }
}
