// The focus stays in the window's view: what had it may go away at any time.

/** Whether nothing that a person chose has the focus. */
export function isFocusLost(): boolean {
  const active = document.activeElement;
  return active === null || active === document.body || active.id === "main";
}

/** Gives the focus to the view when what had it was taken out of the page. */
export function holdFocus(view: HTMLElement): () => void {
  const observer = new MutationObserver((changes) => {
    const isGone = changes.some((change) => change.removedNodes.length > 0);
    if (isGone && document.activeElement === document.body && document.hasFocus()) view.focus({ preventScroll: true });
  });
  observer.observe(view, { childList: true, subtree: true });
  return () => observer.disconnect();
}
