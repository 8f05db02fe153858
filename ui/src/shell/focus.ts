// Keeps the focus within the view when the focused element disappears.

/** Returns whether no particular element has the focus. */
export function isFocusLost(): boolean {
  const active = document.activeElement;
  return active === null || active === document.body || active.id === "main";
}

/** Focuses the view when the focused element is removed. */
export function keepFocus(view: HTMLElement): () => void {
  const observer = new MutationObserver((changes) => {
    const isGone = changes.some((change) => change.removedNodes.length > 0);
    if (isGone && document.activeElement === document.body && document.hasFocus()) view.focus({ preventScroll: true });
  });
  observer.observe(view, { childList: true, subtree: true });
  return () => observer.disconnect();
}
