// Which commands can be given just now, and by which keys.

import { COMMANDS, groupOf, isTyping, named, TITLES, type CommandId, type Group, type ListedCommand } from "./keys";

export interface Handler {
  run: () => void;
  /** Whether it can be given now; always, if it does not say. */
  when?: () => boolean;
  /** What it is called now, where that is more than its title. */
  title?: () => string;
}

export type Handlers = Partial<Record<CommandId, Handler>>;

const LIST: readonly ListedCommand[] = COMMANDS;

/** Whether a key writes a letter where there is a text. */
function types(pressed: string): boolean {
  return /^(?:Shift )?.$/u.test(pressed);
}

/** Option and an arrow move the cursor by words in a text on a Mac. */
const isMac = typeof navigator !== "undefined" && /Mac/.test(navigator.userAgent);

export class Commands {
  #handlers = new Map<CommandId, Handler>();
  /** Hears of each command that was given. */
  onGiven: (id: CommandId) => void = () => {};

  /** Somebody carries out these commands from now on. Returns how to end that. */
  serve(handlers: Handlers): () => void {
    const served = Object.entries(handlers) as [CommandId, Handler][];
    for (const [id, handler] of served) this.#handlers.set(id, handler);
    return () => {
      for (const [id, handler] of served) if (this.#handlers.get(id) === handler) this.#handlers.delete(id);
    };
  }

  can(id: CommandId): boolean {
    const handler = this.#handlers.get(id);
    return handler !== undefined && (handler.when?.() ?? true);
  }

  run(id: CommandId): void {
    if (!this.can(id)) return;
    this.#handlers.get(id)?.run();
    this.onGiven(id);
  }

  title(id: CommandId): string {
    return this.#handlers.get(id)?.title?.() ?? TITLES[id];
  }

  /** The commands of a group that can be given now. */
  available(group: Group): readonly ListedCommand[] {
    return LIST.filter((one) => groupOf(one.id) === group && this.can(one.id));
  }

  /** Gives the command of a key, of the first of these groups that has one. Whether there was one. */
  key(event: KeyboardEvent, groups: readonly Group[]): boolean {
    if (event.isComposing) return false;
    const pressed = named(event);
    const typing = isTyping(event.target);
    if (typing && isMac && event.altKey) return false;
    for (const group of groups) {
      const command = LIST.find((one) => one.keys.includes(pressed) && groupOf(one.id) === group && (!typing || (one.typing && !types(pressed))) && this.can(one.id));
      if (!command) continue;
      if (!event.repeat || command.held) this.run(command.id);
      return true;
    }
    return false;
  }
}
