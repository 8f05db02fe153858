// The quick prompt: its shortcut, its tray icon, and the targets that this window shows for it. Off
// by default.

import { tick } from "svelte";
import * as api from "../lib/api";
import { EngineRequest } from "../lib/engineRequest.svelte";
import { parseStored, withDefaults } from "../lib/stored";
import type { PromptState, PromptTarget } from "../lib/types";
import { parseQuestion } from "../prompt/classify";
import type { AppState } from "./appState.svelte";

const KEY = "prompt";

/** The prompt settings. The shortcut is kept while it is off. */
interface PromptChoices {
  on: boolean;
  shortcut: string | null;
  tray: boolean;
}

const DEFAULTS: PromptChoices = { on: false, shortcut: null, tray: false };

export class QuickPrompt extends EngineRequest {
  choices = $state.raw<PromptChoices>(DEFAULTS);
  /** The system's response; `null` before the first request. */
  state = $state.raw<PromptState | null>(null);

  constructor(private readonly app: AppState) {
    super();
  }

  /** The current or future shortcut. */
  get shortcut(): string | null {
    return this.choices.shortcut ?? this.state?.default_shortcut ?? null;
  }

  get isDefault(): boolean {
    return this.state === null || this.shortcut === this.state.default_shortcut;
  }

  async start(): Promise<void> {
    this.choices = withDefaults(parseStored(localStorage.getItem(KEY)), DEFAULTS);
    void this.app.attempt(() => api.watchPrompt((target) => void this.show(target)));
    if (this.choices.on || this.choices.tray) await this.#apply();
  }

  /** Loads the state from the system once. */
  async load(): Promise<void> {
    if (this.state === null) await this.#apply();
  }

  async choose(change: Partial<PromptChoices>): Promise<void> {
    this.choices = { ...this.choices, ...change };
    // Stores the shortcut explicitly, so that a later default does not change it.
    if (this.choices.on) this.choices = { ...this.choices, shortcut: this.shortcut };
    localStorage.setItem(KEY, JSON.stringify(this.choices));
    await this.#apply();
  }

  /** Shows the target of the prompt; going back returns to the current view. */
  async show(target: PromptTarget): Promise<void> {
    const app = this.app;
    // An open dialog would cover it.
    for (const dialog of document.querySelectorAll<HTMLDialogElement>("dialog[open]")) dialog.close();
    switch (target.view) {
      case "item":
        return app.openDocument(target.key, target.anchor);
      case "search":
        // The query may be from the clipboard, so it is never saved.
        return app.searchFor(target.query, true);
      case "triage": {
        const { key } = parseQuestion(target.text);
        return key === null ? app.lookUp(target.text, "related") : app.findDuplicates(key);
      }
      case "ask":
        return app.lookUp(target.text, "problem");
      case "brief":
        await app.lookUp(target.text, "problem");
        await tick();
        return app.commands.run("search.brief");
    }
  }

  async #apply(): Promise<void> {
    await this.runInTurn(
      () => api.setPrompt({ shortcut: this.choices.on ? this.shortcut : null, tray: this.choices.tray }),
      (state) => (this.state = state),
    );
  }
}
