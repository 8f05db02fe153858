import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { Toasts } from "./toasts.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it("shows the newest three, each for a while", () => {
  const toasts = new Toasts();
  for (const text of ["a", "b", "c", "d"]) toasts.say(text);
  expect(toasts.items.map((t) => t.text)).toEqual(["b", "c", "d"]);
  vi.advanceTimersByTime(8000);
  expect(toasts.items).toEqual([]);
});

it("waits while one is read", () => {
  const toasts = new Toasts();
  toasts.say("read me");
  const id = toasts.items[0]?.id ?? 0;
  toasts.hold(id);
  vi.advanceTimersByTime(60_000);
  expect(toasts.items.length).toBe(1);
  toasts.resume(id);
  vi.advanceTimersByTime(8000);
  expect(toasts.items.length).toBe(0);
});

it("takes back the newest that can be", () => {
  const toasts = new Toasts();
  const undone: string[] = [];
  toasts.say("first", () => undone.push("first"));
  toasts.say("second", () => undone.push("second"));
  toasts.say("plain");
  expect([toasts.undo(), toasts.undo(), toasts.undo()]).toEqual([true, true, false]);
  expect(undone).toEqual(["second", "first"]);
});
