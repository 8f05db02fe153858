import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Toasts } from "./toasts.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("shows the newest alone, for a while", () => {
  const toasts = new Toasts();
  for (const text of ["a", "b"]) toasts.show(text);
  expect(toasts.shown?.text).toBe("b");
  vi.advanceTimersByTime(8000);
  expect(toasts.shown).toBe(null);
});

it("waits while it is read", () => {
  const toasts = new Toasts();
  toasts.show("read me");
  toasts.pauseTimeout();
  vi.advanceTimersByTime(60_000);
  expect(toasts.shown?.text).toBe("read me");
  toasts.startTimeout();
  vi.advanceTimersByTime(8000);
  expect(toasts.shown).toBe(null);
});

it("leaves a newer one where an older one is dismissed", () => {
  const toasts = new Toasts();
  const old = toasts.show("old");
  toasts.show("new");
  toasts.dismiss(old);
  expect(toasts.shown?.text).toBe("new");
});
