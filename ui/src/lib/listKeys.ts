// Keyboard navigation in lists.

export const KEY_STEPS: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8, Home: -Infinity, End: Infinity };

/** Creates a key handler for a list: `move` moves the selection, `open` handles Enter and Space. */
export function listKeys(move: (delta: number) => void, open?: () => void, steps = KEY_STEPS): (event: KeyboardEvent) => void {
  return (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
    const delta = steps[event.key];
    if (delta !== undefined) move(delta);
    else if (open && (event.key === "Enter" || event.key === " ")) open();
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
