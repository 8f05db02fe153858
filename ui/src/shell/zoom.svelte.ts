// The text size. All lengths are in rem, so the root's font size is the zoom.

const KEY = "zoom";
export const STEPS: readonly number[] = [75, 85, 100, 115, 130, 150, 175, 200];

let percent = $state(100);

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
  const steps: Record<string, number> = { "+": 1, "=": 1, "-": -1, "0": 0 };
  const step = steps[event.key];
  if (step === undefined) return false;
  applyZoom(step === 0 ? 100 : (STEPS[STEPS.indexOf(percent) + step] ?? percent));
  return true;
}
