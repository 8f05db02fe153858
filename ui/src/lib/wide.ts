/**
 * Lets the keyboard come to code and tables of a text that are wider than their place, as WebKit does not by itself; Tab
 * passes over what fits.
 */
export function wide(root: HTMLElement, _text: string): { update: (text: string) => void; destroy: () => void } {
  function mark(): void {
    for (const one of root.querySelectorAll<HTMLElement>("pre, table")) {
      if (one.scrollWidth > one.clientWidth) one.tabIndex = 0;
      else one.removeAttribute("tabindex");
    }
  }
  const observer = new ResizeObserver(mark);
  observer.observe(root);
  return { update: mark, destroy: () => observer.disconnect() };
}
