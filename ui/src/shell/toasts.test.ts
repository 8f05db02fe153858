import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Toasts } from "./toasts.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("shows the newest toast for a while", () => {
  const toasts = new Toasts();
  for (const text of ["a", "b"]) toasts.show(text);
  expect(toasts.current?.text).toBe("b");
  vi.advanceTimersByTime(8000);
  expect(toasts.current).toBe(null);
});

it("a toast stays while it is read", () => {
  const toasts = new Toasts();
  toasts.show("read me");
  toasts.pauseTimeout();
  vi.advanceTimersByTime(60_000);
  expect(toasts.current?.text).toBe("read me");
  toasts.startTimeout();
  vi.advanceTimersByTime(8000);
  expect(toasts.current).toBe(null);
});

it("dismissing an old toast keeps the newest", () => {
  const toasts = new Toasts();
  const oldId = toasts.show("old");
  toasts.show("new");
  toasts.dismiss(oldId);
  expect(toasts.current?.text).toBe("new");
});
