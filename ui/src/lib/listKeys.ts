// Keyboard navigation in lists.

export const KEY_STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

/** Returns how many rows a key moves, or `undefined` for other keys. */
function stepOf(event: KeyboardEvent): number | undefined {
  return event.ctrlKey || event.metaKey || event.altKey || event.shiftKey ? undefined : KEY_STEPS[event.key];
}

/** Creates a key handler for a list: `move` moves the selection, `open` handles Enter. */
export function listKeys(move: (delta: number) => void, open?: () => void): (event: KeyboardEvent) => void {
  return (event) => {
    const delta = stepOf(event);
    if (delta !== undefined) move(delta);
    else if (event.key === "Enter" && open && !event.ctrlKey && !event.metaKey && !event.altKey && !event.shiftKey) open();
    else return;
    event.preventDefault();
  };
}

/** Creates a key handler that moves the focus between buttons and wraps around. */
export function focusKeys(getButtons: () => readonly HTMLElement[]): (event: KeyboardEvent) => void {
  return listKeys((delta) => {
    const buttons = getButtons();
    const index = buttons.findIndex((button) => button === document.activeElement);
    const target = Number.isFinite(delta) ? (index + delta + buttons.length) % buttons.length : delta;
    buttons[Math.min(Math.max(target, 0), buttons.length - 1)]?.focus();
  });
}
