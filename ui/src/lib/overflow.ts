/** Makes overflowing code and tables focusable for keyboard scrolling; WebKit does not. */
export function focusableOverflow(root: HTMLElement, _text: string): { update: (text: string) => void; destroy: () => void } {
  function mark(): void {
    for (const entry of root.querySelectorAll<HTMLElement>("pre, table")) {
      if (entry.scrollWidth > entry.clientWidth) entry.tabIndex = 0;
      else entry.removeAttribute("tabindex");
    }
  }
  const observer = new ResizeObserver(mark);
  observer.observe(root);
  return { update: mark, destroy: () => observer.disconnect() };
}
