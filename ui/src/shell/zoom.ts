// The text size: all lengths are in rem, so the root's size is the zoom.

const KEY = "zoom";
const STEPS = [75, 85, 100, 115, 130, 150, 175, 200];

export const STEPS_IN_PERCENT: readonly number[] = STEPS;

/** The size now, in percent. */
export function current(): number {
  const kept = Number(localStorage.getItem(KEY));
  return STEPS.includes(kept) ? kept : 100;
}

/** Sets and keeps the size. */
export function apply(percent: number): void {
  document.documentElement.style.fontSize = percent === 100 ? "" : `${percent}%`;
  localStorage.setItem(KEY, String(percent));
}

/** Sets the size that was chosen last time. */
export function restore(): void {
  const percent = current();
  if (percent !== 100) apply(percent);
}

/** Ctrl and +, − or 0. Whether the key was one of them. */
export function zoomKey(event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const at = STEPS.indexOf(current());
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
