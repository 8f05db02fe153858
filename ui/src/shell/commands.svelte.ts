// The available commands and their keys.

import { COMMANDS, groupOf, isTyping, keyName, COMMAND_TITLES, type CommandId, type Group, type ListedCommand } from "./keys";

export interface Handler {
  run: () => void;
  /** Whether it is available now; always by default. */
  when?: () => boolean;
  /** A more specific title than the default. */
  title?: () => string;
}

export type Handlers = Partial<Record<CommandId, Handler>>;

const LIST: readonly ListedCommand[] = COMMANDS;

/** Returns whether a key types a character in a text box. */
function typesCharacter(name: string): boolean {
  return /^(?:Shift )?.$/u.test(name);
}

/** On a Mac, Option and an arrow move the cursor by a word. */
const isMac = typeof navigator !== "undefined" && /Mac/.test(navigator.userAgent);

export class Commands {
  #handlers = new Map<CommandId, Handler>();

  /** Registers handlers. Returns a function that removes them. */
  register(handlers: Handlers): () => void {
    const registered = Object.entries(handlers) as [CommandId, Handler][];
    for (const [id, handler] of registered) this.#handlers.set(id, handler);
    return () => {
      for (const [id, handler] of registered) if (this.#handlers.get(id) === handler) this.#handlers.delete(id);
    };
  }

  isAvailable(id: CommandId): boolean {
    const handler = this.#handlers.get(id);
    return handler !== undefined && (handler.when?.() ?? true);
  }

  run(id: CommandId): void {
    if (this.isAvailable(id)) this.#handlers.get(id)?.run();
  }

  title(id: CommandId): string {
    return this.#handlers.get(id)?.title?.() ?? COMMAND_TITLES[id];
  }

  available(group: Group): readonly ListedCommand[] {
    return LIST.filter((entry) => groupOf(entry.id) === group && this.isAvailable(entry.id));
  }

  /** Runs the command of a key from the first matching group. Returns whether there was one. */
  handleKey(event: KeyboardEvent, groups: readonly Group[]): boolean {
    if (event.isComposing) return false;
    const name = keyName(event);
    const typing = isTyping(event.target);
    if (typing && isMac && event.altKey) return false;
    for (const group of groups) {
      const command = LIST.find((entry) => entry.keys.includes(name) && groupOf(entry.id) === group && (!typing || (entry.typing && !typesCharacter(name))) && this.isAvailable(entry.id));
      if (!command) continue;
      if (!event.repeat || command.held) this.run(command.id);
      return true;
    }
    return false;
  }
}
