// The keys that walk along a list: arrows, pages, and its two ends.

export const STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

/** How many places a key goes on; nothing for any other key. */
export function stepOf(event: KeyboardEvent): number | undefined {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ? undefined : STEPS[event.key];
}

/** Handles the keys of a list: `move` goes as many places on as there are, `open` opens what is marked. */
export function walk(move: (by: number) => void, open?: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    const by = stepOf(event);
    if (by !== undefined) move(by);
    else if (event.key === "Enter" && open && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey) open();
    else return;
    event.preventDefault();
  };
}

/** Handles the keys of buttons that lead one to the next, round and round. */
export function walkFocus(all: () => readonly HTMLElement[]): (event: KeyboardEvent) => void {
  return walk((by) => {
    const buttons = all();
    const at = buttons.findIndex((button) => button === document.activeElement);
    const to = Number.isFinite(by) ? (at + by + buttons.length) % buttons.length : by;
    buttons[Math.min(Math.max(to, 0), buttons.length - 1)]?.focus();
  });
}
