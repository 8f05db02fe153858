// The keys of the window, in one place: what the overlay lists is what works.

import { words } from "../words";

const said = words.shell;

export type ViewId = "search" | "triage" | "notes" | "sources" | "problems" | "settings";

export interface View {
  id: ViewId;
  name: string;
  /** The letter after `g`. */
  letter: string;
  /** What it is for, in the palette and for screen readers. */
  about: string;
}

/** The views in the order of the rail; the place is the number key. */
export const VIEWS: readonly View[] = [
  { id: "search", letter: "s", ...said.views.search },
  { id: "triage", letter: "t", ...said.views.triage },
  { id: "notes", letter: "n", ...said.views.notes },
  { id: "sources", letter: "o", ...said.views.sources },
  { id: "problems", letter: "p", ...said.views.problems },
  { id: "settings", letter: ",", ...said.views.settings },
];

export type Group = "everywhere" | "item" | Exclude<ViewId, "settings">;

interface Listed {
  /** Behind its group and a point; without one it is of everywhere. */
  id: string;
  /** As they are shown, and as `named` tells of what was pressed. */
  keys: readonly string[];
  /** Those of its keys that type nothing work in a text box too. */
  typing?: true;
  /** A key that is held does it again and again; nothing that decides may. */
  held?: true;
  /** It is of no use in the palette: the keys alone make sense of it. */
  keysOnly?: true;
}

/** Everything that a key does. The palette, the list of keys, the menu of an item and the handlers are made of it. */
export const COMMANDS = [
  { id: "palette", keys: ["Ctrl K"], typing: true, keysOnly: true },
  { id: "find", keys: ["/", "Ctrl F"], typing: true },
  { id: "back", keys: ["Alt ←", "Ctrl ["], typing: true },
  { id: "forward", keys: ["Alt →", "Ctrl ]"], typing: true },
  { id: "undo", keys: ["Ctrl Z"] },
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

  { id: "search.next", keys: ["j"], held: true, keysOnly: true },
  { id: "search.previous", keys: ["k"], held: true, keysOnly: true },
  { id: "search.comment", keys: ["n"], held: true, keysOnly: true },
  { id: "search.commentBefore", keys: ["p"], held: true, keysOnly: true },
  { id: "search.left", keys: ["h"], keysOnly: true },
  { id: "search.right", keys: ["l"], keysOnly: true },
  { id: "search.close", keys: [] },
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
  { id: "triage.undo", keys: ["u"] },
  { id: "triage.mark", keys: ["x"] },
  { id: "triage.unmark", keys: ["Esc"] },
  { id: "triage.close", keys: ["w"] },
  { id: "triage.next", keys: ["j"], held: true, keysOnly: true },
  { id: "triage.previous", keys: ["k"], held: true, keysOnly: true },
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
  { id: "notes.next", keys: ["j"], held: true, keysOnly: true },
  { id: "notes.previous", keys: ["k"], held: true, keysOnly: true },
  { id: "notes.leave", keys: ["Esc"], typing: true, keysOnly: true },

  { id: "problems.next", keys: ["j"], held: true, keysOnly: true },
  { id: "problems.previous", keys: ["k"], held: true, keysOnly: true },
  { id: "problems.list", keys: ["]"], keysOnly: true },
  { id: "problems.listBefore", keys: ["["], keysOnly: true },
  { id: "problems.read", keys: ["o"], keysOnly: true },
  { id: "problems.decide", keys: ["d"] },
  { id: "problems.search", keys: ["s"] },
  { id: "problems.leave", keys: ["Esc"], keysOnly: true },

  { id: "sources.add", keys: ["a"], keysOnly: true },
  { id: "sources.sync", keys: ["y"], keysOnly: true },
  { id: "sources.syncAll", keys: ["Shift Y"], keysOnly: true },
  { id: "sources.next", keys: ["j"], held: true, keysOnly: true },
  { id: "sources.previous", keys: ["k"], held: true, keysOnly: true },
  { id: "sources.leave", keys: ["Esc"], typing: true, keysOnly: true },
] as const satisfies readonly Listed[];

export type CommandId = (typeof COMMANDS)[number]["id"];
export type ListedCommand = Listed & { id: CommandId };

/** What each command is called, where the view that carries it out does not say more. */
export const TITLES: Record<CommandId, string> = said.commands;

export const GROUPS: readonly Group[] = ["everywhere", "item", "search", "triage", "notes", "problems", "sources"];

/** Where a command can be given. */
export function groupOf(id: CommandId): Group {
  return GROUPS.find((group) => id.startsWith(`${group}.`)) ?? "everywhere";
}

export interface Shortcut {
  keys: readonly string[];
  does: string;
}

/** What belongs to the window's frame and to the boxes, and so is no command. */
const OTHERS: Partial<Record<Group, readonly Shortcut[]>> = {
  everywhere: [
    { keys: [`1 – ${VIEWS.length}`, `Ctrl 1 – ${VIEWS.length}`], does: said.shortcuts.otherView },
    { keys: ["g"], does: said.shortcuts.letters(VIEWS) },
    { keys: ["Ctrl +", "Ctrl −", "Ctrl 0"], does: said.shortcuts.zoom },
  ],
  problems: [{ keys: ["Enter"], does: said.shortcuts.openProblem }],
  triage: [{ keys: ["Shift ↓", "Shift ↑"], does: said.shortcuts.markSeveral }],
  search: [
    { keys: ["↓", "↑"], does: said.shortcuts.results },
  ],
};

export const SHORTCUTS: readonly { id: Group; title: string; shortcuts: readonly Shortcut[] }[] = GROUPS.map((id) => ({
  id,
  title: id === "everywhere" || id === "item" ? said.groups[id] : said.views[id].name,
  shortcuts: [
    ...COMMANDS.filter((one) => groupOf(one.id) === id && one.keys.length > 0).map((one) => ({ keys: one.keys, does: TITLES[one.id] })),
    ...(OTHERS[id] ?? []),
  ],
}));

const NAMES: Record<string, string> = {
  ArrowLeft: "←", ArrowRight: "→", ArrowUp: "↑", ArrowDown: "↓", Escape: "Esc", ContextMenu: "Menu",
};

/** A pressed key as the lists write it: "Shift D", "Ctrl Enter", "?". */
export function named(event: KeyboardEvent): string {
  const isLetter = /^\p{L}$/u.test(event.key);
  const ctrl = event.ctrlKey || event.metaKey;
  // What needs Shift to be typed at all, as "?" does, is named without it.
  const isShifted = isLetter ? event.key !== event.key.toLowerCase() : event.shiftKey && event.key.length > 1;
  const key = NAMES[event.key] ?? (isLetter && (ctrl || isShifted) ? event.key.toUpperCase() : event.key);
  return [ctrl && "Ctrl", event.altKey && "Alt", isShifted && !(ctrl && !event.shiftKey) && "Shift", key].filter(Boolean).join(" ");
}

/** Whether a key pressed here is text, not a command. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    (target instanceof HTMLInputElement && !["checkbox", "radio", "button"].includes(target.type)) ||
    target instanceof HTMLTextAreaElement ||
    target instanceof HTMLSelectElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}

const LETTER_WITHIN = 1500;

/** Reads the keys that change the view: a digit, Ctrl and a digit, or `g` and a letter. */
export class ViewKeys {
  #sinceG = -Infinity;

  /** The view that this key leads to; `"waiting"` after a `g`; nothing for any other key. */
  read(event: KeyboardEvent, now: number = event.timeStamp): ViewId | "waiting" | null {
    const afterG = now - this.#sinceG < LETTER_WITHIN;
    this.#sinceG = -Infinity;
    if (event.altKey || event.isComposing) return null;
    const digit = /^[1-9]$/.test(event.key) ? VIEWS[Number(event.key) - 1] : undefined;
    if (event.ctrlKey || event.metaKey) return digit?.id ?? null;
    if (isTyping(event.target)) return null;
    if (digit) return digit.id;
    // What was a view of its own, Troubleshoot, is the box.
    if (afterG) return event.key === "h" ? "search" : (VIEWS.find((view) => view.letter === event.key)?.id ?? null);
    if (event.key !== "g" || event.repeat) return null;
    this.#sinceG = now;
    return "waiting";
  }
}
