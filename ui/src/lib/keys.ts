// The keys of the window, in one place: what the overlay lists is what works.

export interface Shortcut {
  keys: readonly string[];
  does: string;
}

export const SHORTCUTS: readonly { title: string; shortcuts: readonly Shortcut[] }[] = [
  {
    title: "Search",
    shortcuts: [
      { keys: ["/", "Ctrl K"], does: "Go to the search box" },
      { keys: ["Esc"], does: "Clear the search box, or return to it" },
    ],
  },
  {
    title: "Results",
    shortcuts: [
      { keys: ["↓", "↑"], does: "Next or previous result" },
      { keys: ["j", "k"], does: "The same, from anywhere outside the search box" },
      { keys: ["Home", "End"], does: "First or last result" },
      { keys: ["Enter"], does: "Read the result" },
    ],
  },
  {
    title: "Reading",
    shortcuts: [
      { keys: ["n", "p"], does: "Next or previous comment" },
      { keys: ["o"], does: "Open in the browser" },
      { keys: ["b", "Alt ←"], does: "Back to where a link was followed" },
    ],
  },
  {
    title: "Window",
    shortcuts: [
      { keys: ["Ctrl +", "Ctrl −", "Ctrl 0"], does: "Larger, smaller, normal text" },
      { keys: ["?"], does: "This list" },
    ],
  },
];

/** Whether a key pressed here is text, not a command. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLInputElement ||
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLElement && target.isContentEditable)
  );
}
