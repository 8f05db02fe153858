// The text size. All lengths are in rem, so the root's font size is the zoom.

const KEY = "zoom";
/** The sizes in percent. */
export const STEPS: readonly number[] = [75, 85, 100, 115, 130, 150, 175, 200];

let percent = $state(100);

/** Returns the size in percent. */
export function zoomPercent(): number {
  return percent;
}

/** Converts pixels to pixels at the normal size. */
export function normalPixels(pixels: number): number {
  return (pixels * 100) / percent;
}

export function applyZoom(size: number): void {
  percent = size;
  document.documentElement.style.fontSize = size === 100 ? "" : `${size}%`;
  localStorage.setItem(KEY, String(size));
}

/** Restores the size chosen here or in another window. */
export function restoreZoom(): void {
  const stored = Number(localStorage.getItem(KEY));
  applyZoom(STEPS.includes(stored) ? stored : 100);
}

/** Handles Ctrl with +, − or 0. Returns whether it did. */
export function handleZoomKey(event: KeyboardEvent): boolean {
  if (!(event.ctrlKey || event.metaKey) || event.altKey) return false;
  const index = STEPS.indexOf(percent);
  switch (event.key) {
    case "+":
    case "=":
      applyZoom(STEPS[Math.min(index + 1, STEPS.length - 1)] ?? 100);
      return true;
    case "-":
      applyZoom(STEPS[Math.max(index - 1, 0)] ?? 100);
      return true;
    case "0":
      applyZoom(100);
      return true;
    default:
      return false;
  }
}
