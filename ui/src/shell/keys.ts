// All keys of the window. The list of shortcuts is generated from them.

import { words } from "../words";

const texts = words.shell;

export type ViewId = keyof typeof texts.views;

/** The views in the order of the rail, each with its letter after `g`; the position is the number key. */
const VIEW_LETTERS = [["search", "s"], ["triage", "t"], ["notes", "n"], ["sources", "o"], ["problems", "p"], ["settings", ","]] as const;
export const VIEWS = VIEW_LETTERS.map(([id, letter]) => ({ id, letter, ...texts.views[id] }));

export type Group = "everywhere" | "item" | Exclude<ViewId, "settings">;

interface CommandEntry {
  /** The group and a name; commands without a group work everywhere. */
  id: string;
  /** The keys as shown, in the format of `keyName`. */
  keys: readonly string[];
  /** Whether keys that type no character also work in text boxes. */
  typing?: true;
  /** Whether holding the key repeats it; never for decisions. */
  held?: true;
  /** Whether it is left out of the palette because only its key is useful. */
  keysOnly?: true;
}

/** All commands. The palette, the list of keys, the item menu and the handlers use this list. */
export const COMMANDS = [
  { id: "palette", keys: ["Ctrl K"], typing: true, keysOnly: true },
  { id: "find", keys: ["/", "Ctrl F"], typing: true },
  { id: "back", keys: ["Alt ←", "Ctrl ["], typing: true },
  { id: "forward", keys: ["Alt →", "Ctrl ]"], typing: true },
  { id: "undo", keys: ["Ctrl Z"] },
  { id: "next", keys: ["j"], held: true, keysOnly: true },
  { id: "previous", keys: ["k"], held: true, keysOnly: true },
  { id: "details", keys: ["i"] },
  { id: "repair", keys: [] },
  { id: "rebuild", keys: [] },
  { id: "help", keys: ["?"] },

  { id: "item.menu", keys: ["Shift F10", "Menu"], typing: true, keysOnly: true },
  { id: "item.open", keys: [] },
  { id: "item.beside", keys: ["Shift Enter"] },
  { id: "item.tracker", keys: ["t"] },
  { id: "item.duplicates", keys: ["Shift D"] },
  { id: "item.solved", keys: ["Shift S"] },
  { id: "item.note", keys: ["Shift N"] },
  { id: "item.article", keys: ["Shift A"] },
  { id: "item.pin", keys: ["Shift P"] },
  { id: "item.key", keys: ["y"] },
  { id: "item.link", keys: ["Shift Y"] },
  { id: "item.markdown", keys: ["Shift M"] },

  { id: "search.comment", keys: ["n"], held: true, keysOnly: true },
  { id: "search.commentBefore", keys: ["p"], held: true, keysOnly: true },
  { id: "search.left", keys: ["h"], keysOnly: true },
  { id: "search.right", keys: ["l"], keysOnly: true },
  { id: "search.tracker", keys: ["o"], keysOnly: true },
  { id: "search.answer", keys: ["a", "Ctrl Enter"], typing: true },
  { id: "search.read", keys: ["Enter"], keysOnly: true },
  { id: "search.pick", keys: ["x"], keysOnly: true },
  { id: "search.reply", keys: ["r"] },
  { id: "search.brief", keys: ["e"] },
  { id: "search.back", keys: ["b"], keysOnly: true },
  { id: "search.sort", keys: ["s"] },
  { id: "search.save", keys: ["Ctrl S"], typing: true },
  { id: "search.leave", keys: ["Esc"], keysOnly: true },

  { id: "triage.duplicate", keys: ["d"] },
  { id: "triage.related", keys: ["r"] },
  { id: "triage.different", keys: ["n"] },
  { id: "triage.skip", keys: ["s"] },
  { id: "triage.snooze", keys: ["z"] },
  { id: "triage.assign", keys: ["m"] },
  { id: "triage.mine", keys: ["f"] },
  { id: "triage.undo", keys: ["u"] },
  { id: "triage.mark", keys: ["x"] },
  { id: "triage.unmark", keys: ["Esc"] },
  { id: "triage.close", keys: ["w"] },
  { id: "triage.list", keys: ["Shift R"] },
  { id: "triage.new", keys: ["a"] },
  { id: "triage.done", keys: ["Shift U"] },
  { id: "triage.candidate", keys: ["]"], keysOnly: true },
  { id: "triage.candidateBefore", keys: ["["], keysOnly: true },
  { id: "triage.band", keys: ["b"] },
  { id: "triage.closed", keys: ["c"] },
  { id: "triage.read", keys: ["o"] },
  { id: "triage.readCandidate", keys: ["Shift O"] },

  { id: "notes.add", keys: ["a"] },
  { id: "notes.edit", keys: ["e"] },
  { id: "notes.save", keys: ["Ctrl Enter"], typing: true, keysOnly: true },
  { id: "notes.leave", keys: ["Esc"], typing: true, keysOnly: true },

  { id: "problems.nextList", keys: ["]"], keysOnly: true },
  { id: "problems.previousList", keys: ["["], keysOnly: true },
  { id: "problems.read", keys: ["o"], keysOnly: true },
  { id: "problems.decide", keys: ["d"] },
  { id: "problems.search", keys: ["s"] },
  { id: "problems.leave", keys: ["Esc"], keysOnly: true },

  { id: "sources.add", keys: ["a"], keysOnly: true },
  { id: "sources.sync", keys: ["y"], keysOnly: true },
  { id: "sources.syncAll", keys: ["Shift Y"], keysOnly: true },
  { id: "sources.leave", keys: ["Esc"], typing: true, keysOnly: true },
] as const satisfies readonly CommandEntry[];

export type CommandId = (typeof COMMANDS)[number]["id"];
export type ListedCommand = CommandEntry & { id: CommandId };

export const COMMAND_TITLES: Record<CommandId, string> = texts.commands;

export const GROUPS: readonly Group[] = ["everywhere", "item", "search", "triage", "notes", "problems", "sources"];

export function groupOf(id: CommandId): Group {
  return GROUPS.find((group) => id.startsWith(`${group}.`)) ?? "everywhere";
}

export interface Shortcut {
  keys: readonly string[];
  description: string;
}

/** Keys of the window's frame and text boxes, which are not commands. */
const OTHER_SHORTCUTS: Partial<Record<Group, readonly Shortcut[]>> = {
  everywhere: [
    { keys: [`1 – ${VIEWS.length}`, `Ctrl 1 – ${VIEWS.length}`], description: texts.shortcuts.otherView },
    { keys: ["g"], description: texts.shortcuts.letters(VIEWS) },
    { keys: ["Ctrl +", "Ctrl −", "Ctrl 0"], description: texts.shortcuts.zoom },
  ],
  problems: [{ keys: ["Enter"], description: texts.shortcuts.openProblem }],
  triage: [{ keys: ["Shift ↓", "Shift ↑"], description: texts.shortcuts.markSeveral }],
  search: [{ keys: ["↓", "↑"], description: texts.shortcuts.results }],
};

export const SHORTCUTS: readonly { id: Group; title: string; shortcuts: readonly Shortcut[] }[] = GROUPS.map((id) => ({
  id,
  title: id === "everywhere" || id === "item" ? texts.groups[id] : texts.views[id].name,
  shortcuts: [
    ...COMMANDS.filter((entry) => groupOf(entry.id) === id && entry.keys.length > 0).map((entry) => ({ keys: entry.keys, description: COMMAND_TITLES[entry.id] })),
    ...(OTHER_SHORTCUTS[id] ?? []),
  ],
}));

const KEY_SYMBOLS: Record<string, string> = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", ContextMenu: "Menu",
};

/** Returns a pressed key as the lists show it: "Shift D", "Ctrl Enter", "?". */
export function keyName(event: KeyboardEvent): string {
  const isLetter = /^\p{L}$/u.test(event.key);
  const ctrl = event.ctrlKey || event.metaKey;
  // A character that needs Shift, such as "?", is named without it. Caps Lock is not Shift.
  const isShifted =
    isLetter && !event.getModifierState("CapsLock") ? event.key !== event.key.toLowerCase() : event.shiftKey && (isLetter || event.key.length > 1);
  const letter = ctrl || isShifted ? event.key.toUpperCase() : event.key.toLowerCase();
  const key = isLetter ? letter : (KEY_SYMBOLS[event.key] ?? event.key);
  return [ctrl && "Ctrl", event.altKey && "Alt", isShifted && "Shift", key].filter(Boolean).join(" ");
}

/** Returns whether a key pressed here types text. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    (target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type)) ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}

const LETTER_TIMEOUT = 1500;

/** Recognizes the keys that change the view: a digit, Ctrl and a digit, or `g` and a letter. */
export class ViewKeys {
  #sinceG = -Infinity;

  /** Returns the view that this key opens, `"waiting"` after a `g`, or `null`. */
  read(event: KeyboardEvent, now: number = event.timeStamp): ViewId | "waiting" | null {
    const afterG = now - this.#sinceG < LETTER_TIMEOUT;
    this.#sinceG = -Infinity;
    if (event.altKey || event.isComposing) return null;
    const digit = /^[1-9]$/.test(event.key) ? VIEWS[Number(event.key) - 1] : undefined;
    if (event.ctrlKey || event.metaKey) return digit?.id ?? null;
    if (isTyping(event.target)) return null;
    if (digit) return digit.id;
    // `g h` opened the former Troubleshoot view.
    const key = keyName(event);
    if (afterG) return key === "h" ? "search" : (VIEWS.find((view) => view.letter === key)?.id ?? null);
    if (key !== "g" || event.repeat) return null;
    this.#sinceG = now;
    return "waiting";
  }
}
