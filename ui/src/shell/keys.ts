// The keys of the window, in one place: what the overlay lists is what works.

export type ViewId = "search" | "triage" | "troubleshoot" | "notes" | "sources" | "insights" | "settings";

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
  { id: "search", name: "Search", letter: "s", about: "Find reports, comments and wiki pages" },
  { id: "triage", name: "Triage", letter: "t", about: "Decide which reports are duplicates" },
  { id: "troubleshoot", name: "Troubleshoot", letter: "h", about: "Paste a report; see duplicates, solved cases and wiki pages" },
  { id: "notes", name: "Notes", letter: "n", about: "What you have learned" },
  { id: "sources", name: "Sources", letter: "o", about: "Your trackers and imported files" },
  { id: "insights", name: "Insights", letter: "i", about: "Reports and duplicates over time" },
  { id: "settings", name: "Settings", letter: ",", about: "Appearance, storage, tokens, privacy" },
];

export type Group = "Everywhere" | "Any item" | "Search" | "Triage" | "Troubleshoot" | "Notes" | "Sources";

interface Listed {
  id: string;
  group: Group;
  title: string;
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
  { id: "palette", group: "Everywhere", title: "Commands, items and searches", keys: ["Ctrl K"], typing: true, keysOnly: true },
  { id: "find", group: "Everywhere", title: "Go to the search box", keys: ["/", "Ctrl F"], typing: true },
  { id: "back", group: "Everywhere", title: "Back", keys: ["Alt ←", "Ctrl ["], typing: true },
  { id: "forward", group: "Everywhere", title: "Forward", keys: ["Alt →", "Ctrl ]"], typing: true },
  { id: "undo", group: "Everywhere", title: "Undo", keys: ["Ctrl Z"] },
  { id: "details", group: "Everywhere", title: "Show or hide scores and figures", keys: ["i"] },
  { id: "repair", group: "Everywhere", title: "Check the casebook, and repair what can be repaired", keys: [] },
  { id: "rebuild", group: "Everywhere", title: "Make the search index again", keys: [] },
  { id: "help", group: "Everywhere", title: "Keyboard shortcuts", keys: ["?"] },

  { id: "item.menu", group: "Any item", title: "Menu of what can be done with it", keys: ["Shift F10", "Menu"], typing: true, keysOnly: true },
  { id: "item.open", group: "Any item", title: "Open", keys: [] },
  { id: "item.beside", group: "Any item", title: "Open beside", keys: ["Shift Enter"] },
  { id: "item.tracker", group: "Any item", title: "Open in the tracker", keys: ["t"] },
  { id: "item.duplicates", group: "Any item", title: "Find duplicates", keys: ["Shift D"] },
  { id: "item.solved", group: "Any item", title: "Find solved cases", keys: ["Shift S"] },
  { id: "item.note", group: "Any item", title: "Write a note on it", keys: ["Shift N"] },
  { id: "item.pin", group: "Any item", title: "Pin or unpin", keys: ["Shift P"] },
  { id: "item.key", group: "Any item", title: "Copy the key", keys: ["y"] },
  { id: "item.link", group: "Any item", title: "Copy the link", keys: ["Shift Y"] },
  { id: "item.markdown", group: "Any item", title: "Copy as Markdown", keys: ["Shift M"] },

  { id: "search.next", group: "Search", title: "Next result", keys: ["j"], held: true, keysOnly: true },
  { id: "search.previous", group: "Search", title: "Previous result", keys: ["k"], held: true, keysOnly: true },
  { id: "search.comment", group: "Search", title: "Next comment", keys: ["n"], held: true, keysOnly: true },
  { id: "search.commentBefore", group: "Search", title: "Previous comment", keys: ["p"], held: true, keysOnly: true },
  { id: "search.left", group: "Search", title: "Pane to the left", keys: ["h"], keysOnly: true },
  { id: "search.right", group: "Search", title: "Pane to the right", keys: ["l"], keysOnly: true },
  { id: "search.close", group: "Search", title: "Close the second item", keys: [] },
  { id: "search.tracker", group: "Search", title: "Open in the tracker", keys: ["o"], keysOnly: true },
  { id: "search.back", group: "Search", title: "Back", keys: ["b"], keysOnly: true },
  { id: "search.sort", group: "Search", title: "Another order of what was found", keys: ["s"] },
  { id: "search.save", group: "Search", title: "Save this search, or forget it", keys: ["Ctrl S"], typing: true },
  { id: "search.leave", group: "Search", title: "Close the second item, or back to the search box", keys: ["Esc"], keysOnly: true },

  { id: "triage.duplicate", group: "Triage", title: "Duplicate", keys: ["d"] },
  { id: "triage.related", group: "Triage", title: "Related, but not the same", keys: ["r"] },
  { id: "triage.different", group: "Triage", title: "Not a duplicate", keys: ["n"] },
  { id: "triage.skip", group: "Triage", title: "Skip for now", keys: ["s"] },
  { id: "triage.undo", group: "Triage", title: "Undo the last decision", keys: ["u"] },
  { id: "triage.mark", group: "Triage", title: "Mark it, to decide about several at once", keys: ["x"] },
  { id: "triage.unmark", group: "Triage", title: "Mark none", keys: ["Esc"] },
  { id: "triage.close", group: "Triage", title: "Close duplicates in their tracker…", keys: ["w"] },
  { id: "triage.next", group: "Triage", title: "Next report", keys: ["j"], held: true, keysOnly: true },
  { id: "triage.previous", group: "Triage", title: "Previous report", keys: ["k"], held: true, keysOnly: true },
  { id: "triage.list", group: "Triage", title: "Go to the related reports, and back", keys: ["Shift R"] },
  { id: "triage.new", group: "Triage", title: "Go to what is new since the last visit, and back", keys: ["a"] },
  { id: "triage.done", group: "Triage", title: "Go to what was decided today, and back", keys: ["Shift U"] },
  { id: "triage.candidate", group: "Triage", title: "Next candidate for this report", keys: ["]"], keysOnly: true },
  { id: "triage.candidateBefore", group: "Triage", title: "Previous candidate for this report", keys: ["["], keysOnly: true },
  { id: "triage.band", group: "Triage", title: "Show surer or less sure matches", keys: ["b"] },
  { id: "triage.closed", group: "Triage", title: "Compare with closed reports too, or not", keys: ["c"] },
  { id: "triage.read", group: "Triage", title: "Read the report", keys: ["o"] },
  { id: "triage.readCandidate", group: "Triage", title: "Read the candidate", keys: ["Shift O"] },

  { id: "troubleshoot.ask", group: "Troubleshoot", title: "Look it up", keys: ["Ctrl Enter"], typing: true },
  { id: "troubleshoot.next", group: "Troubleshoot", title: "Next answer", keys: ["j", "↓"], held: true, keysOnly: true },
  { id: "troubleshoot.previous", group: "Troubleshoot", title: "Previous answer", keys: ["k", "↑"], held: true, keysOnly: true },
  { id: "troubleshoot.pick", group: "Troubleshoot", title: "Put it into the brief, or take it out", keys: ["x"], keysOnly: true },
  { id: "troubleshoot.read", group: "Troubleshoot", title: "Read it", keys: ["o"], keysOnly: true },
  { id: "troubleshoot.alone", group: "Troubleshoot", title: "Look up one error of a log alone", keys: ["Enter"], keysOnly: true },
  { id: "troubleshoot.brief", group: "Troubleshoot", title: "Make a brief…", keys: ["e"] },
  { id: "troubleshoot.text", group: "Troubleshoot", title: "Back to the text", keys: ["Esc"], keysOnly: true },

  { id: "notes.add", group: "Notes", title: "New note", keys: ["a"] },
  { id: "notes.edit", group: "Notes", title: "Edit the note", keys: ["e"] },
  { id: "notes.save", group: "Notes", title: "Save the note", keys: ["Ctrl Enter"], typing: true, keysOnly: true },
  { id: "notes.next", group: "Notes", title: "Next note", keys: ["j"], held: true, keysOnly: true },
  { id: "notes.previous", group: "Notes", title: "Previous note", keys: ["k"], held: true, keysOnly: true },
  { id: "notes.leave", group: "Notes", title: "Stop writing, and keep the draft", keys: ["Esc"], typing: true, keysOnly: true },

  { id: "sources.add", group: "Sources", title: "Add a source", keys: ["a"], keysOnly: true },
  { id: "sources.sync", group: "Sources", title: "Sync this source", keys: ["y"], keysOnly: true },
  { id: "sources.syncAll", group: "Sources", title: "Sync all sources", keys: ["Shift Y"], keysOnly: true },
  { id: "sources.next", group: "Sources", title: "Next source", keys: ["j"], held: true, keysOnly: true },
  { id: "sources.previous", group: "Sources", title: "Previous source", keys: ["k"], held: true, keysOnly: true },
  { id: "sources.leave", group: "Sources", title: "Close the form", keys: ["Esc"], typing: true, keysOnly: true },
] as const satisfies readonly Listed[];

export type CommandId = (typeof COMMANDS)[number]["id"];
export type ListedCommand = Listed & { id: CommandId };

export const GROUPS: readonly Group[] = ["Everywhere", "Any item", "Search", "Triage", "Troubleshoot", "Notes", "Sources"];

export interface Shortcut {
  keys: readonly string[];
  does: string;
}

/** What belongs to the window's frame and to the boxes, and so is no command. */
const OTHERS: Partial<Record<Group, readonly Shortcut[]>> = {
  Everywhere: [
    { keys: [`1 – ${VIEWS.length}`, `Ctrl 1 – ${VIEWS.length}`], does: "Another view; with Ctrl from a text box too" },
    { keys: ["g"], does: `Then ${VIEWS.map((view) => `${view.letter === "," ? "comma" : view.letter} for ${view.name}`).join(", ")}` },
    { keys: ["Ctrl +", "Ctrl −", "Ctrl 0"], does: "Larger, smaller, normal text" },
  ],
  Triage: [{ keys: ["Shift ↓", "Shift ↑"], does: "Mark several" }],
  Search: [
    { keys: ["↓", "↑"], does: "Next or previous result" },
    { keys: ["Enter"], does: "Read the result" },
  ],
};

export const SHORTCUTS: readonly { title: Group; shortcuts: readonly Shortcut[] }[] = GROUPS.map((title) => ({
  title,
  shortcuts: [
    ...COMMANDS.filter((one) => one.group === title && one.keys.length > 0).map((one) => ({ keys: one.keys, does: one.title })),
    ...(OTHERS[title] ?? []),
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
    if (afterG) return VIEWS.find((view) => view.letter === event.key)?.id ?? null;
    if (event.key !== "g" || event.repeat) return null;
    this.#sinceG = now;
    return "waiting";
  }
}
