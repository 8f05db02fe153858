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
  { id: "triage", name: "Triage", letter: "t", about: "Decide about reports that may be duplicates" },
  { id: "troubleshoot", name: "Troubleshoot", letter: "h", about: "Paste a report: duplicates, solved cases, wiki pages" },
  { id: "notes", name: "Notes", letter: "n", about: "What you learnt, once" },
  { id: "sources", name: "Sources", letter: "o", about: "Projects that are mirrored, and files" },
  { id: "insights", name: "Insights", letter: "i", about: "Volume and duplicates over time" },
  { id: "settings", name: "Settings", letter: ",", about: "Look, storage, tokens, privacy" },
];

export interface Shortcut {
  keys: readonly string[];
  does: string;
}

export const SHORTCUTS: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: "Everywhere",
    shortcuts: [
      { keys: ["Ctrl K"], does: "Commands" },
      { keys: ["/", "Ctrl F"], does: "Go to the search box" },
      { keys: [`1 – ${VIEWS.length}`, `Ctrl 1 – ${VIEWS.length}`], does: "Another view; with Ctrl from a text box too" },
      ...VIEWS.map((view) => ({ keys: ["g", view.letter], does: view.name })),
      { keys: ["Ctrl Z"], does: "Take back what the last message offers to" },
      { keys: ["Ctrl +", "Ctrl −", "Ctrl 0"], does: "Larger, smaller, normal text" },
      { keys: ["?"], does: "This list" },
    ],
  },
  {
    title: "Search",
    shortcuts: [
      { keys: ["↓", "↑"], does: "Next or previous result" },
      { keys: ["j", "k"], does: "The same, from outside the search box" },
      { keys: ["Enter"], does: "Read the result" },
      { keys: ["n", "p"], does: "Next or previous comment" },
      { keys: ["o"], does: "Open in the browser" },
      { keys: ["b", "Alt ←"], does: "Back to where a link was followed" },
      { keys: ["Esc"], does: "Clear the search box, or return to it" },
    ],
  },
  {
    title: "Triage",
    shortcuts: [
      { keys: ["d"], does: "Duplicate of the candidate" },
      { keys: ["r"], does: "Related, but not the same" },
      { keys: ["n"], does: "Not a duplicate" },
      { keys: ["s"], does: "Skip for now" },
      { keys: ["u"], does: "Undo the last decision" },
      { keys: ["w"], does: "Close the duplicates at their tracker" },
      { keys: ["j", "k"], does: "Next or previous report" },
      { keys: ["Shift R"], does: "To the related ones, and back" },
      { keys: ["[", "]"], does: "Another candidate of this report" },
      { keys: ["b"], does: "Show surer or less sure ones" },
      { keys: ["c"], does: "Compare with closed reports too" },
      { keys: ["o", "Shift O"], does: "Read the report, the candidate" },
    ],
  },
  {
    title: "Troubleshoot",
    shortcuts: [
      { keys: ["Ctrl Enter"], does: "Look" },
      { keys: ["j", "k"], does: "Next or previous piece" },
      { keys: ["x"], does: "Put the piece into the brief, or take it out" },
      { keys: ["o"], does: "Read it" },
      { keys: ["e"], does: "Make a brief of what is picked" },
      { keys: ["i"], does: "Back to the text" },
    ],
  },
  {
    title: "Notes",
    shortcuts: [
      { keys: ["a"], does: "New note" },
      { keys: ["e"], does: "Edit the note" },
      { keys: ["Ctrl Enter"], does: "Store it" },
      { keys: ["j", "k"], does: "Next or previous note" },
    ],
  },
  {
    title: "Sources",
    shortcuts: [
      { keys: ["a"], does: "Add a source" },
      { keys: ["y", "Shift Y"], does: "Sync this source, all of them" },
      { keys: ["j", "k"], does: "Next or previous source" },
    ],
  },
];

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
