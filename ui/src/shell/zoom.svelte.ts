// The text size: all lengths are in rem, so the root's size is the zoom.

const KEY = "zoom";
const STEPS = [75, 85, 100, 115, 130, 150, 175, 200];

export const STEPS_IN_PERCENT: readonly number[] = STEPS;

let percent = $state(100);

/** The size now, in percent. */
export function current(): number {
  return percent;
}

/** How much room so many pixels are for a text of this size, in pixels of the normal one. */
export function room(pixels: number): number {
  return (pixels * 100) / percent;
}

/** Sets and keeps the size. */
export function apply(to: number): void {
  percent = to;
  document.documentElement.style.fontSize = to === 100 ? "" : `${to}%`;
  localStorage.setItem(KEY, String(to));
}

/** Sets the size that was chosen last time, here or in another window. */
export function restore(): void {
  const kept = Number(localStorage.getItem(KEY));
  apply(STEPS.includes(kept) ? kept : 100);
}

/** Ctrl and +, − or 0. Whether the key was one of them. */
export function zoomKey(event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const at = STEPS.indexOf(percent);
  switch (event.key) {
    case "+":
    case "=":
      apply(STEPS[Math.min(at + 1, STEPS.length - 1)] ?? 100);
      return true;
    case "-":
      apply(STEPS[Math.max(at - 1, 0)] ?? 100);
      return true;
    case "0":
      apply(100);
      return true;
    default:
      return false;
  }
}
