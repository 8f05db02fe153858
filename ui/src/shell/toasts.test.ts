import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Toasts } from "./toasts.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("shows the newest toast for a while", () => {
  const toasts = new Toasts();
  for (const text of ["a", "b"]) toasts.show(text);
  expect(toasts.shown?.text).toBe("b");
  vi.advanceTimersByTime(8000);
  expect(toasts.shown).toBe(null);
});

it("a toast stays while it is read", () => {
  const toasts = new Toasts();
  toasts.show("read me");
  toasts.pauseTimeout();
  vi.advanceTimersByTime(60_000);
  expect(toasts.shown?.text).toBe("read me");
  toasts.startTimeout();
  vi.advanceTimersByTime(8000);
  expect(toasts.shown).toBe(null);
});

it("dismissing an old toast keeps the newest", () => {
  const toasts = new Toasts();
  const old = toasts.show("old");
  toasts.show("new");
  toasts.dismiss(old);
  expect(toasts.shown?.text).toBe("new");
});
